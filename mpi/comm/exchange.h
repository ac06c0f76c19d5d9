/** \file mpi/comm/exchange.h
 * Moving records of a fixed size between ranks: nd_exchange() sends what is already laid out by
 * rank, nd_shuffle() sends every record to the rank that a pure function names; and an exchange in
 * two halves (nd_exchange_start, nd_exchange_finish), between which a rank works while its messages
 * travel. Counts are 64-bit throughout and the data goes in rounds of bounded size, so that neither
 * MPI's int counts nor the transport's buffers limit what can be moved. Nothing is sorted or merged
 * here.
 */
#ifndef ND_MPI_COMM_EXCHANGE_H
#define ND_MPI_COMM_EXCHANGE_H

#include "mpi/comm/comm.h"

/** Collective. Send send_counts[r] records to each rank r.
 * \param[in]  send            records for rank 0, then for rank 1, ...; borrowed
 * \param[in]  record_size     bytes; equal on all ranks
 * \param[out] received        address of a pointer: the records of rank 0, then of rank 1, ...; the
 *                             caller's to free(); NULL on failure
 * \param[out] receive_counts  room for `size` numbers: how many came from each rank
 * \param[out] total           their sum
 * \return ND_OK on all ranks, or a failure on all (ND_ERR_MEMORY or ND_ERR_PEER) */
nd_status nd_exchange(nd_comm *comm, const void *send, const uint64_t *send_counts,
                      size_t record_size, void *received, uint64_t *receive_counts,
                      uint64_t *total);

/** An exchange on its way: started and not finished. All zero is none. */
typedef struct nd_flight {
    nd_comm *comm; /**< NULL: none is on its way */
    const uint8_t *send;
    const uint64_t *send_begin, *send_counts, *receive_counts;
    size_t record_size;
    uint8_t *receive;
    uint64_t *receive_begin;
    uint64_t total; /**< records to receive */
    MPI_Request *requests;
    MPI_Status *statuses;
    MPI_Datatype type;
    uint64_t per_peer; /**< records to one peer in one round */
    uint64_t low;      /**< first record of the round that travels */
    uint64_t most;     /**< records to or from one peer, on any rank */
    int pending;       /**< messages of the round */
    int arriving;      /**< of them, those to receive; they are the first */
} nd_flight;

/** Collective. The first half of an exchange in which the records for rank r start at record
 * send_begin[r] of `send`: counts are exchanged, room is made, and the messages of the first round
 * travel. Until the end `send`, `send_begin`, `send_counts` and
 * `receive_counts` are the flight's: none may be written to.
 * \return ND_OK on all ranks, or a failure on all, with none on its way */
nd_status nd_exchange_start(nd_comm *comm, const void *send, const uint64_t *send_begin,
                            const uint64_t *send_counts, size_t record_size,
                            uint64_t *receive_counts, nd_flight *flight);

/** Not collective. Move on what travels: transports without a processor of their own do so only
 * while MPI is called. Cheap; fine if none is on its way. */
void nd_exchange_move(nd_flight *flight);

/** Collective. The second half; waits, and cannot fail. None is on its way then; fine if none was.
 * \param[out] received  as of nd_exchange(); NULL if none was on its way
 * \param[out] total     records */
void nd_exchange_finish(nd_flight *flight, void *received, uint64_t *total);

/** Names the rank of a record; pure, the same on every rank; in [0, size). */
typedef int (*nd_owner)(const void *record, int size, const void *context);

/** Collective. Replace the ranks' records by those that belong to them.
 * \param[in,out] records  address of a malloc'ed array (or NULL with *count 0): it is freed and
 *                         replaced; on failure it is as it was, or freed and NULL. Records of one
 *                         sender stay in order,
 *                         senders follow one another by rank.
 * \param[in,out] count    records */
nd_status nd_shuffle(nd_comm *comm, void *records, uint64_t *count, size_t record_size,
                     nd_owner owner, const void *context);
#define nd_shuffle(comm, records, count, record_size, owner, context)                              \
    nd_shuffle((comm), ND_ARRAY(records), (count), (record_size), (owner), (context))

/** Collective. The same with the ranks already named: owners[i] for the i-th record. */
nd_status nd_shuffle_to(nd_comm *comm, void *records, uint64_t *count, size_t record_size,
                        const int *owners);

#endif
