/** \file src/method/pair_measures.h
 * Two pages by themselves, for people who want to see why they are, or are not, similar: what one
 * method makes of them, every measure of the program at once, and their sentences side by side.
 * One pair at a time; scratch memory is not kept, and nothing is decided here.
 */
#ifndef ND_METHOD_PAIR_MEASURES_H
#define ND_METHOD_PAIR_MEASURES_H

#include "src/base/status.h"
#include "src/method/method.h"
#include "src/sketch/minhash.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- what one method makes of two pages: the keys they share, their similarity, the threshold
 * that holds for them and which rule set it. The same calls as in a run, but for the
 * candidates: a run pairs pages that share a key, in large groups of them only those next
 * to each other by length. */

/** What decided on the threshold, see nd_method_threshold(). */
typedef enum nd_threshold_rule {
    ND_RULE_PLAIN,     /**< that of all pages */
    ND_RULE_SITE,      /**< another one: that of pages of one site */
    ND_RULE_SUBJECT,   /**< that of pages whose addresses name different things */
    ND_RULE_PAGINATION /**< 1: an index page and a page of its site show parts of one list */
} nd_threshold_rule;

typedef struct nd_method_decision {
    size_t a_keys, b_keys; /**< distinct */
    size_t shared_keys;
    uint64_t *shared;      /**< the shared keys, ascending; owned */
    bool same_site;        /**< both are of one site */
    bool may_be_same_site; /**< or one is of no site, so that it may be */
    double score;          /**< of what is compared, whatever the threshold */
    double similarity;     /**< the score less what is taken off */
    double threshold;
    nd_threshold_rule rule;
    nd_method_discount off;
    bool similar; /**< similarity >= threshold */
} nd_method_decision;

/** Compare two pages by a method. Pages without tokens are neither signed nor compared in a run:
 * here they share nothing with any page.
 * \param[in]  options     derived
 * \param[in]  index_page  one of them at least is an index page
 * \param[out] decision    to be freed in any case */
void nd_method_decide(const nd_method *method, const nd_method_options *options,
                      const nd_document *a, const nd_document *b, bool index_page,
                      nd_method_decision *decision);

void nd_method_decision_free(nd_method_decision *decision);

/* ---- every measure, each exactly as its own method or score defines it and without a
 * threshold */

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
 * \return ND_OK or ND_ERR_USAGE, with a text, if an option is out of its range */
nd_status nd_pair_measure(const nd_pair_options *options, const nd_document *a,
                          const nd_document *b, nd_pair_measures *measures);

/* ---- The sentences of two pages side by side: a longest common subsequence of sentences, as a
 * listing of differences shows them. Only equal sentences are matched; one that stands in both
 * pages in another order is listed twice. Sentences that are dropped are matched among themselves.
 */

/** In place of a sentence's number: the page has none here. */
#define ND_NO_SENTENCE UINT32_MAX

typedef struct nd_aligned_sentence {
    uint32_t a; /**< number of the sentence in either page, or ND_NO_SENTENCE; never both so */
    uint32_t b;
    bool dropped;
} nd_aligned_sentence;

/** Align all sentences of two pages.
 * \param[in]  keep_a, keep_b  of each sentence: it is not dropped
 * \param[out] rows            in the order of both pages, between two matches those of a first; the
 *                             caller's to free() */
void nd_sentences_align(const nd_document *a, const bool *keep_a, const nd_document *b,
                        const bool *keep_b, nd_aligned_sentence **rows, size_t *count);

#endif
