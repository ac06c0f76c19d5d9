/** \file src/method/page_sketch.h
 * The shingles, minima and supershingles of a page as the options want them: what the methods that
 * compare sets of shingles share.
 */
#ifndef ND_METHOD_PAGE_SKETCH_H
#define ND_METHOD_PAGE_SKETCH_H

#include "src/method/method.h"

/** The distinct shingles of a page, in work->shingles. */
void nd_page_shingles(const nd_method_options *options, nd_method_work *work,
                      const nd_document *document);

/** The minima of a page, in work->minima; a page without shingles has none (work->any_minima). */
void nd_page_minima(const nd_method_options *options, nd_method_work *work,
                    const nd_document *document);

/** Check --shingle-tokens. \return ND_OK or ND_ERR_USAGE, with a text */
nd_status nd_shingle_tokens_check(const nd_method_options *options);

/** Check the options of shingles and sketches. \return ND_OK or ND_ERR_USAGE, with a text */
nd_status nd_page_sketch_check(const nd_method_options *options);

/** Check that pages at the threshold have a fair chance to meet in the bands.
 * \return ND_OK or ND_ERR_USAGE, with a text */
nd_status nd_page_bands_check(uint32_t bands, uint32_t rows, double threshold);

/* ---- pages that meet in bands of their minima, and are compared by them: the functions of
 * nd_method. A digest has eight bits of each minimum: equal minima have them equal (Li and König,
 * "b-Bit minwise hashing", WWW 2010), and all else agrees by chance. The payload is the minima. */

nd_method_sizes nd_minima_sizes(const nd_method_options *options, uint64_t tokens);
nd_status nd_minima_sign(const nd_method_options *options, nd_method_work *work,
                         const nd_document *document, uint64_t *keys, size_t *key_count);
nd_status nd_minima_digest(const nd_method_options *options, nd_method_work *work,
                           const nd_document *document, void *digest);
double nd_minima_bound(const nd_method_options *options, const void *a, const void *b);
nd_status nd_minima_payload(const nd_method_options *options, nd_method_work *work,
                            const nd_document *document, nd_span *payload);
nd_status nd_minima_similarity(const nd_method_options *options, nd_method_work *work, nd_span a,
                               nd_span b, double threshold, double *similarity);

/* ---- pages compared by their supershingles */

enum { ND_SUPERSHINGLES_MAX = 32 }; /* 496 megashingles */

/** Words of a vector: one that says whether there are any, then the supershingles. */
static inline size_t nd_vector_words(const nd_method_options *options) {
    return 1 + (size_t)options->supershingles;
}

/** Check their options: m', l, P and how many must agree. \return ND_OK or ND_ERR_USAGE, with a
 * text */
nd_status nd_supershingles_check(const nd_method_options *options);

/** The vector of a page, as nd_method.digest(). \return ND_OK or ND_ERR_MEMORY */
nd_status nd_page_supershingles(const nd_method_options *options, nd_method_work *work,
                                const nd_document *document, void *vector);

/** How many supershingles of two vectors agree. */
size_t nd_vectors_agree(const nd_method_options *options, const uint64_t *a, const uint64_t *b);

/** Most keys of a vector. */
size_t nd_vector_max_keys(const nd_method_options *options);

/** The keys of a vector: megashingles; where one supershingle is enough, the supershingles.
 * \return how many */
size_t nd_vector_keys(const nd_method_options *options, const uint64_t *vector, uint64_t *keys);

#endif
