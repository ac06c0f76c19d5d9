/** \file src/measure/overlap_sample.h
 * Pages drawn from each of several collections, and which of the collections have each of them:
 * all that is known of an engine that one can only ask. Of what is offered, the pages of least
 * order are kept, as many of each collection, so that the sample does not depend on the order in
 * which they come. How sizes follow is relative_size.h.
 */
#ifndef ND_MEASURE_OVERLAP_SAMPLE_H
#define ND_MEASURE_OVERLAP_SAMPLE_H

#include "src/base/status.h"

#include <stddef.h>
#include <stdint.h>

/** A drawn page is a record of words: its order, its number, and a bit for each collection that has
 * it (bit y % 64 of word 2 + y / 64). */
enum { ND_SAMPLE_ORDER = 0, ND_SAMPLE_PAGE = 1, ND_SAMPLE_BITS = 2 };

/** Those of one collection. */
typedef struct nd_overlap_drawn {
    uint64_t *records;
    size_t count, capacity; /**< of records */
    uint64_t most;          /**< what has a higher order than this is too many */
} nd_overlap_drawn;

/** All zero may only be freed; owned. */
typedef struct nd_overlap_sample {
    size_t collections;
    size_t words;  /**< of a record */
    size_t wanted; /**< pages of each collection */
    nd_overlap_drawn *of;
} nd_overlap_sample;

/** \param[in] wanted  above 0 \return ND_OK or ND_ERR_MEMORY; to be freed in any case */
nd_status nd_overlap_sample_open(nd_overlap_sample *sample, size_t collections, size_t wanted);

/** Offer a page of collection x. \param[in] order  random, of its own
 * \param[in] in  the bits of the collections that have it, x among them
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_overlap_sample_offer(nd_overlap_sample *sample, size_t x, uint64_t order,
                                  uint64_t page, const uint64_t *in);

/** After the last: those of least order are left, in that order. \return ND_OK or ND_ERR_MEMORY */
nd_status nd_overlap_sample_finish(nd_overlap_sample *sample);

/** The i-th page drawn from x. */
static inline uint64_t *nd_overlap_drawn_at(const nd_overlap_sample *sample, size_t x, size_t i) {
    return sample->of[x].records + i * sample->words;
}

void nd_overlap_sample_free(nd_overlap_sample *sample);

#endif
