/** \file mpi/comm/exchange.h
 * Records from rank to rank: all at once, as streams that need not fit in memory, and dealt by
 * what they cost.
 *
 * Moving records of a fixed size between ranks: nd_exchange() sends what is already laid out by
 * rank, nd_shuffle() sends every record to the rank that a pure function names; and an exchange in
 * two halves (nd_exchange_start, nd_exchange_finish), between which a rank works while its messages
 * travel. Counts are 64-bit throughout and the data goes in rounds of bounded size, so that neither
 * MPI's int counts nor the transport's buffers limit what can be moved. Nothing is sorted or merged
 * here.
 */
#ifndef ND_COMM_EXCHANGE_H
#define ND_COMM_EXCHANGE_H

#include "io/store/external_sort.h"
#include "mpi/comm/comm.h"

#include <stdbool.h>

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

/* ---- Moving more records between ranks than fit in memory: batch by batch every rank sends
 * records to the ranks they belong to, and hands what arrives to its sink, which applies, sorts or
 * spools it. What a rank sends and receives at once is bounded by the communicator's round_bytes,
 * however unevenly the records fall; so a key that a fifth of all pages share costs time on one
 * rank, not memory. While a batch travels the source gives the next, and the sink gets what came
 * before. Order of arrival means nothing. */

/** Takes records that arrived, a part of them at a time; borrowed during the call. Not collective,
 * as others may be called more or less often. */
typedef nd_status (*nd_record_sink)(void *context, const void *records, uint64_t count);

/** Gives the next records of this rank, at most `room`, which is 2 or more; *count = 0 says that
 * there are no more. Not collective. */
typedef nd_status (*nd_record_source)(void *context, void *records, uint64_t room, uint64_t *count);

/** Not collective. A sink that adds the records to a sort; context: an open nd_external_sort. */
nd_status nd_shuffle_into_sort(void *context, const void *records, uint64_t count);

/** Not collective. An owner of records that begin with the number of an item (uint64_t); context:
 * the ranges of the items, as nd_comm_ranges() gives them. */
int nd_shuffle_owner_of_item(const void *record, int size, const void *context);

/** Not collective. An owner of records that begin with a well-mixed number (uint64_t); no context.
 */
int nd_shuffle_owner_of_hash(const void *record, int size, const void *context);

/** Not collective. A source that gives the records of a spool; context: an open nd_spool_reader. */
nd_status nd_shuffle_from_spool(void *context, void *records, uint64_t room, uint64_t *count);

typedef struct nd_shuffle_stream {
    nd_comm *comm;
    size_t record_size;
    nd_owner owner;
    const void *owner_context;
    nd_record_sink sink;
    void *sink_context;
} nd_shuffle_stream;

/** Collective. Send this rank's records (any number, none too); the sinks have all of them when it
 * returns.
 * \return ND_OK on all ranks, or a failure on all (a sink's, or ND_ERR_MEMORY) */
nd_status nd_shuffle_send(const nd_shuffle_stream *stream, const void *records, uint64_t count);

/** Collective. The same with the ranks already named: owners[i] for the i-th record. */
nd_status nd_shuffle_send_to(const nd_shuffle_stream *stream, const void *records, uint64_t count,
                             const int *owners);

/** Collective. Send everything that the ranks' sources give. */
nd_status nd_shuffle_run(const nd_shuffle_stream *stream, nd_record_source source,
                         void *source_context);

/** Collective. Send all records of a spool of each rank, which is left as it is. */
nd_status nd_shuffle_spool(const nd_shuffle_stream *stream, const nd_spool *spool);

/* ---- Dealing records to ranks by estimated cost, in an order that all ranks share: rank by rank,
 * then as they lie. Consecutive records stay together, and every rank gets about the same cost, or
 * by its pace (nd_comm_pace()) what takes about the same time. */

/** Estimated work of a record, in any unit, above 0; pure. */
typedef uint64_t (*nd_cost)(const void *record);

/** True if `next`, the record after `record`, must go to the same rank; pure. */
typedef bool (*nd_together)(const void *record, const void *next);

/** Collective. The rank of each record, where the ranks' records are dealt in consecutive shares of
 * about that cost: no share is larger than it should be by more than the dearest run of records
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
