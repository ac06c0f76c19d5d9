/** \file src/method/pair_measures.h
 * Two pages by every measure of the program at once, each exactly as its own method or score
 * defines it and without a threshold: for people who want to see why two pages are, or are not,
 * similar. One pair at a time, scratch memory is not kept; nothing is decided here (see
 * method_decision.h).
 */
#ifndef ND_METHOD_PAIR_MEASURES_H
#define ND_METHOD_PAIR_MEASURES_H

#include "src/method/method.h"
#include "src/sketch/minhash.h"

typedef struct nd_pair_options {
    uint32_t shingle_tokens;      /**< of the resemblance and the sketch */
    uint32_t minima;              /**< of the sketch */
    uint32_t supershingle_tokens; /**< tokens of the shingles in supershingles */
    uint64_t seed;
} nd_pair_options;

/** As the methods have them: shingles of 5 tokens (lsh), 100 minima (sketch), supershingles of
 * shingles of 8 tokens (broder). */
#define ND_PAIR_DEFAULTS                                                                           \
    ((nd_pair_options){.shingle_tokens = 5, .minima = 100, .supershingle_tokens = 8})

/** A ratio and the two numbers that it comes from. */
typedef struct nd_pair_ratio {
    double value; /**< 0 if `of` is 0 */
    uint64_t common;
    uint64_t of; /**< both pages together, what is common counted once */
} nd_pair_ratio;

typedef struct nd_pair_measures {
    bool any;                  /**< both pages have tokens; else all is 0 */
    nd_pair_ratio resemblance; /**< of distinct shingles */
    uint64_t equal_minima;     /**< of the sketches */
    /** Of the sketches, with 95 % confidence. Where all minima are equal, or none, the interval is
     * 3 / minima wide (the rule of three). */
    nd_minhash_estimate estimate;
    uint32_t supershingles_agree; /**< of ND_SUPERSHINGLES */
    uint32_t simhash_distance;    /**< of ND_SIMHASH_BITS */
    uint32_t charikar_agree;      /**< of ND_CHARIKAR_BITS */
    double cosine;
    nd_pair_ratio r;       /**< tokens of the LCS */
    nd_pair_ratio jaccard; /**< 5-token shingles, each as often as it occurs */
    double trustable;
} nd_pair_measures;

/** Measure two pages; symmetric.
 * \return ND_OK, ND_ERR_MEMORY, or ND_ERR_USAGE, with a text, if an option is out of its range */
nd_status nd_pair_measure(const nd_pair_options *options, const nd_document *a,
                          const nd_document *b, nd_pair_measures *measures);

#endif
