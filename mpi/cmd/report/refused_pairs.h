/** \file mpi/cmd/report/refused_pairs.h
 * The most similar of the pairs that a run verified, but whose pages it kept in two sets. For
 * results that keep their pairs. Takes 8 bytes of memory a page.
 */
#ifndef ND_CMD_REPORT_REFUSED_PAIRS_H
#define ND_CMD_REPORT_REFUSED_PAIRS_H

#include "io/result/result_read.h"

typedef struct nd_refused_pair {
    uint64_t a, b;
    float similarity;
} nd_refused_pair;

/** Find them. \param[out] pairs  room for `most`, by descending similarity
 * \param[out] kept   how many they are \param[out] count  how many there are in the result
 * \return ND_OK, ND_ERR_FORMAT, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_refused_pairs_find(const nd_result *result, uint64_t most, nd_refused_pair *pairs,
                                uint64_t *kept, uint64_t *count);

#endif
