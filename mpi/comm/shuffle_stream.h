/** \file mpi/comm/shuffle_stream.h
 * Moving more records between ranks than fit in memory: batch by batch every rank sends records to
 * the ranks they belong to, and hands what arrives to its sink, which applies, sorts or spools it.
 * What a rank sends and receives at once is bounded by the communicator's round_bytes, however
 * unevenly the records fall; so a key that a fifth of all pages share costs time on one rank, not
 * memory. While a batch travels the source gives the next, and the sink gets what came before.
 * Order of arrival means nothing.
 */
#ifndef ND_MPI_COMM_SHUFFLE_STREAM_H
#define ND_MPI_COMM_SHUFFLE_STREAM_H

#include "io/store/external_sort.h"
#include "mpi/comm/exchange.h"

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

#endif
