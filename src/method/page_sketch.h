/** \file src/method/page_sketch.h
 * The shingles, minima and supershingles of a page as the options want them: what the methods that
 * compare sets of shingles share. Scratch memory is kept from page to page. Keys, and what counts
 * as similar, are the methods' own.
 */
#ifndef ND_METHOD_PAGE_SKETCH_H
#define ND_METHOD_PAGE_SKETCH_H

#include "src/method/method.h"
#include "src/sketch/minhash.h"
#include "src/sketch/shingle.h"

/** A caller's tables and scratch memory; all zero is valid for closing. */
typedef struct nd_page_sketch {
    nd_shingle_options shingle; /**< distinct */
    nd_rabin *rabin;
    nd_minhash minhash;
    uint64_t *values; /**< of the latest page: shingles, ascending; room for one more in front */
    size_t capacity;
    uint64_t *minima; /**< of the latest page */
    /* what the above is of, so that a page that comes again, to be signed after its digest was
     * made, costs nothing; private */
    uint32_t *tokens;
    size_t token_count, token_capacity, value_count;
    bool has_values, has_minima, any_minima;
} nd_page_sketch;

/** Make the tables. \param[in] minima  of a sketch, 0 if none is wanted
 * \return ND_OK or ND_ERR_MEMORY (the sketch is then empty) */
nd_status nd_page_sketch_open(nd_page_sketch *sketch, const nd_method_options *options,
                              uint32_t minima);

void nd_page_sketch_close(nd_page_sketch *sketch);

/** The distinct shingles of a page, in sketch->values.
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_page_shingles(nd_page_sketch *sketch, const nd_document *document, size_t *count);

/** The minima of a page, in sketch->minima.
 * \param[out] any  false for a page without shingles, of which no minima are written
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_page_minima(nd_page_sketch *sketch, const nd_document *document, bool *any);

/** Check --shingle-tokens. \return ND_OK or ND_ERR_USAGE, told */
nd_status nd_shingle_tokens_check(const nd_method_options *options);

/** Check the options of shingles and sketches. \return ND_OK or ND_ERR_USAGE, told */
nd_status nd_page_sketch_check(const nd_method_options *options);

/** Check that pages at the threshold have a fair chance to meet in the bands.
 * \return ND_OK or ND_ERR_USAGE, told */
nd_status nd_page_bands_check(uint32_t bands, uint32_t rows, double threshold);

/* ---- pages compared by their minima: the functions of nd_method, for `minima` of them */

/** A digest has eight bits of each minimum: equal minima have them equal (Li and König, "b-Bit
 * minwise hashing", WWW 2010), and all else agrees by chance. */
size_t nd_minima_digest_size(uint32_t minima);
nd_status nd_minima_digest(nd_page_sketch *sketch, const nd_document *document, uint32_t minima,
                           uint8_t *digest);
double nd_minima_bound(uint32_t minima, const uint8_t *a, const uint8_t *b);

/** The payload is the minima. */
uint64_t nd_minima_payload_size(uint32_t minima);
nd_status nd_minima_payload(nd_page_sketch *sketch, const nd_document *document, uint32_t minima,
                            nd_span *payload);

/** The share of equal minima; 0 below the threshold. */
double nd_minima_similarity(uint32_t minima, nd_span a, nd_span b, double threshold);

/* ---- pages compared by their supershingles */

/** Words of a vector: one that tells whether there are any, then the supershingles. */
static inline size_t nd_vector_words(const nd_method_options *options) {
    return 1 + (size_t)options->supershingles;
}

/** Check their options: m', l, P and how many must agree. \return ND_OK or ND_ERR_USAGE, told */
nd_status nd_supershingles_check(const nd_method_options *options);

/** The vector of a page. \return ND_OK or ND_ERR_MEMORY */
nd_status nd_page_supershingles(nd_page_sketch *sketch, const nd_method_options *options,
                                const nd_document *document, uint64_t *vector);

/** How many supershingles of two vectors agree. */
size_t nd_vectors_agree(const nd_method_options *options, const uint64_t *a, const uint64_t *b);

/** Most keys of a vector. */
size_t nd_vector_max_keys(const nd_method_options *options);

/** The keys of a vector: megashingles; where one supershingle is enough, the supershingles.
 * \return how many */
size_t nd_vector_keys(const nd_method_options *options, const uint64_t *vector, uint64_t *keys);

#endif
