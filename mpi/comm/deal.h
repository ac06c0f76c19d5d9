/** \file mpi/comm/deal.h
 * Dealing records to ranks by estimated cost, in an order that all ranks share: rank by rank, then
 * as they lie. Consecutive records stay together, and every rank gets about the same cost.
 */
#ifndef ND_MPI_COMM_DEAL_H
#define ND_MPI_COMM_DEAL_H

#include "mpi/comm/comm.h"

#include <stdbool.h>

/** Estimated work of a record, in any unit, above 0; pure. */
typedef uint64_t (*nd_cost)(const void *record);

/** True if `next`, the record after `record`, must go to the same rank; pure. */
typedef bool (*nd_together)(const void *record, const void *next);

/** Collective. The rank of each record, where the ranks' records are dealt in consecutive shares of
 * about equal cost: no share is larger than an equal one by more than the dearest run of records
 * that stay together. For who has other records to send after these.
 * \param[in]  together  NULL if records may be parted anywhere
 * \param[out] owners    room for `count` */
void nd_deal_owners(const nd_comm *comm, const void *records, uint64_t count, size_t record_size,
                    nd_cost cost, nd_together together, int *owners);

/** Collective. Replace the ranks' records by these shares.
 * \param[in,out] records  a malloc'ed array; replaced, or on failure unchanged or freed and NULL
 * \param[in] together     NULL if records may be parted anywhere
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_deal(nd_comm *comm, void *records, uint64_t *count, size_t record_size, nd_cost cost,
                  nd_together together);

#endif
