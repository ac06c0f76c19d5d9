/** \file src/method/method_work.h
 * What a method works with from page to page: tables that follow from the options, and scratch
 * memory. Each part is made by the first page that needs it, so most stay empty.
 */
#ifndef ND_METHOD_METHOD_WORK_H
#define ND_METHOD_METHOD_WORK_H

#include "src/compare/cosine.h"
#include "src/hash/rabin.h"
#include "src/lcs/lcs.h"
#include "src/sketch/minhash.h"
#include "src/sketch/simhash.h"

/** All zero is valid. It serves one method, one set of derived options and one caller at a time;
 * after a failure it may only be freed. */
typedef struct nd_method_work {
    /* shingles and minima of the latest page, see page_sketch.h, and its tokens, so that a page
     * that comes again, to be signed after its digest was made, costs nothing */
    uint32_t *tokens;
    uint64_t *shingles; /**< distinct, ascending; room for one more in front */
    uint64_t *minima;
    size_t token_count, token_capacity, shingle_count, shingle_capacity;
    bool has_shingles, has_minima, any_minima;
    nd_rabin *rabin;
    nd_minhash minhash;

    nd_term_vector terms; /**< of the latest page */
    uint64_t *words;      /**< features of the latest page, or its payload */
    uint32_t *numbers;    /**< weights of its features, or its shingles cut to 32 bits */
    size_t word_capacity, number_capacity;

    nd_simhash_tables simhash;
    nd_lcs_work lcs;
} nd_method_work;

/** Free everything; it is all zero then. */
void nd_method_work_free(nd_method_work *work);

#endif
