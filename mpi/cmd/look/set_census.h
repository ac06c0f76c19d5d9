/** \file mpi/cmd/look/set_census.h
 * The sizes of all sets of a result, and the largest of them.
 */
#ifndef ND_CMD_LOOK_SET_CENSUS_H
#define ND_CMD_LOOK_SET_CENSUS_H

#include "io/result/result_read.h"
#include "src/base/sort.h"

/** Decimal powers by which the sizes of sets are counted. */
enum { ND_SIZE_CLASSES = 5 };

enum { ND_SIZE_POWERS = 40 /**< sets of 2^i pages to the next power of two */ };

/** What a walk over all sets finds. */
typedef struct nd_set_census {
    nd_least largest;                /**< (UINT64_MAX - pages, set) */
    uint64_t sets[ND_SIZE_CLASSES];  /**< of 1, 2-9, 10-99, 100-999, 1000- pages */
    uint64_t pages[ND_SIZE_CLASSES]; /**< in them */
    uint64_t powers[ND_SIZE_POWERS];
} nd_set_census;

/** Walk over all sets, for so many of the largest. \param[out] census  to be freed in any case
 * \return ND_OK, ND_ERR_FORMAT, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_set_census_take(const nd_result *result, uint64_t wanted, nd_set_census *census);
void nd_set_census_free(nd_set_census *census);

#endif
