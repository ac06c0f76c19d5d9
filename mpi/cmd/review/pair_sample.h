/** \file mpi/cmd/review/pair_sample.h
 * Pairs of a page and the representative of its set, drawn at random from a result: from each band
 * of similarity as many, so that the few doubtful ones are seen, with the number of pairs that each
 * band has, so that what is found of the sample can be said of the whole. Which pages are drawn
 * depends on the seed and the pages' numbers alone. One pass over two columns; memory is of the
 * size of the sample.
 */
#ifndef ND_CMD_REVIEW_PAIR_SAMPLE_H
#define ND_CMD_REVIEW_PAIR_SAMPLE_H

#include "io/result/result_read.h"

enum { ND_SAMPLE_BANDS = 7 /**< below .5, tenths from there to 1, and 1 itself */ };

typedef struct nd_pair_sample_choice {
    uint64_t count; /**< pairs wanted; fewer are drawn if there are not as many */
    uint64_t seed;
    bool least_similar; /**< not at random: those of the least similarity */
    double from, to;    /**< only pairs of such a similarity */
} nd_pair_sample_choice;

typedef struct nd_sample_band {
    uint64_t pairs; /**< of the result */
    uint64_t drawn; /**< of them */
} nd_sample_band;

/** All zero is valid and empty. */
typedef struct nd_pair_sample {
    nd_sample_band bands[ND_SAMPLE_BANDS];
    uint64_t pairs; /**< of all bands */
    uint64_t
        *pages; /**< no representatives; at random, with `least_similar` by similarity; owned */
    uint64_t count;
} nd_pair_sample;

/** Draw. \param[out] sample  to be freed in any case
 * \return ND_OK, also where there is no pair; ND_ERR_FORMAT, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_pair_sample_draw(const nd_result *result, const nd_pair_sample_choice *choice,
                              nd_pair_sample *sample);

void nd_pair_sample_free(nd_pair_sample *sample);

#endif
