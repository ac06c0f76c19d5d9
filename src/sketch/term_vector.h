/** \file src/sketch/term_vector.h
 * A page as a vector of term frequencies: its distinct tokens in ascending order, each with the
 * number of its occurrences. The order of the tokens is lost. Vectors are compared in
 * compare/cosine.h, and summed up as features by charikar.h and simhash.h.
 */
#ifndef ND_SKETCH_TERM_VECTOR_H
#define ND_SKETCH_TERM_VECTOR_H

#include "src/base/status.h"

#include <stddef.h>
#include <stdint.h>

/** Plain value without padding: a vector can be sent as bytes. */
typedef struct nd_term {
    uint32_t token;
    uint32_t frequency; /**< at least 1 */
} nd_term;

/** All zero is a valid empty vector. */
typedef struct nd_term_vector {
    nd_term *terms; /**< by token, ascending */
    size_t count;
    size_t capacity;      /* private */
    uint32_t *sorted;     /* private: tokens while they are sorted, two copies */
    size_t sorted_tokens; /* private: room for so many */
} nd_term_vector;

/** Replace the vector by that of a page; memory is kept from page to page.
 * \param[in] count  below 2^32
 * \return ND_OK or ND_ERR_MEMORY; on failure the vector is empty */
void nd_term_vector_fill(const uint32_t *tokens, size_t count, nd_term_vector *vector);

/** Free everything; the vector is empty and may be used again. */
void nd_term_vector_free(nd_term_vector *vector);

#endif
