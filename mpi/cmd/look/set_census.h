/** \file mpi/cmd/look/set_census.h
 * The sizes of all sets of a result, and the largest of them.
 */
#ifndef ND_CMD_LOOK_SET_CENSUS_H
#define ND_CMD_LOOK_SET_CENSUS_H

#include "io/result/result_read.h"

/** Decimal powers by which the sizes of sets are counted. */
enum { ND_SIZE_CLASSES = 5 };

typedef struct nd_sized_set {
    uint64_t pages;
    uint64_t set;
} nd_sized_set;

/** What a walk over all sets finds. */
typedef struct nd_set_census {
    nd_sized_set *largest; /**< descending, ties by number, as many as wanted; owned */
    uint64_t wanted, kept;
    uint64_t room;                   /* those that are too many are left out when it is full */
    uint64_t sets[ND_SIZE_CLASSES];  /**< of 1, 2-9, 10-99, 100-999, 1000- pages */
    uint64_t pages[ND_SIZE_CLASSES]; /**< in them */
} nd_set_census;

/** Walk over all sets. \param[in,out] census  `wanted` is set; to be freed in any case
 * \return ND_OK, ND_ERR_FORMAT, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_set_census_take(const nd_result *result, nd_set_census *census);
void nd_set_census_free(nd_set_census *census);

#endif
