#include "mpi/comm/shuffle_stream.h"

#include "src/base/buffer.h"
#include "src/base/contract.h"
#include "src/base/order.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Sources may count on room for two records, however large they are. */
static uint64_t batch_room(const nd_shuffle_stream *s) {
    return nd_max(2, s->comm->round_bytes / s->record_size);
}

/* Collective. Lay a batch out by rank, and send it in rounds. */
static nd_status send_batch(const nd_shuffle_stream *s, const uint8_t *records, uint64_t count,
                            const int *owners) {
    nd_status st = ND_OK;
    const size_t size = (size_t)s->comm->size;
    /* twice a fair share to each rank: records that fall evenly go in one round */
    const uint64_t share = nd_max(1, 2 * batch_room(s) / size);
    uint8_t *laid = NULL;
    uint8_t *received = NULL;
    uint64_t *left = NULL; /* [rank] records still to go there */
    st = nd_new_room(&laid, count, s->record_size);
    st = st != ND_OK ? st : nd_new(&left, 4 * size + 1, sizeof *left);
    ND_TRY(nd_comm_agree(s->comm, st));
    uint64_t *const now = left + size;              /* [rank] of them, in this round */
    uint64_t *const received_counts = now + size;   /* [rank] */
    uint64_t *const begin = received_counts + size; /* [rank] next record to go there */
    for (uint64_t i = 0; i < count; i++) {
        ND_ASSERT(owners[i] >= 0 && (size_t)owners[i] < size, owners[i], size, i);
        left[owners[i]]++;
    }
    for (size_t r = 0; r < size; r++) {
        begin[r + 1] = begin[r] + left[r];
        now[r] = begin[r];
    }
    ND_ASSERT(begin[size] == count, begin[size], count);
    for (uint64_t i = 0; i < count; i++) {
        memcpy(laid + now[owners[i]]++ * s->record_size, records + i * s->record_size,
               s->record_size);
    }
    while (true) {
        uint64_t most = 0;
        uint64_t total = 0;
        for (size_t r = 0; r < size; r++) {
            most = nd_max(most, left[r]);
            now[r] = nd_min(left[r], share);
        }
        if (nd_comm_max(s->comm, most) == 0) {
            break;
        }
        ND_TRY(nd_exchange_from(s->comm, laid, begin, now, s->record_size, &received,
                                received_counts, &total));
        for (size_t r = 0; r < size; r++) {
            ND_ASSERT(received_counts[r] <= share, received_counts[r], share, r); /* all bounded */
            begin[r] += now[r];
            left[r] -= now[r];
        }
        st = total == 0 ? ND_OK : s->sink(s->sink_context, received, total);
        free(received);
        received = NULL;
        ND_TRY(nd_comm_agree(s->comm, st));
    }
out:
    free(laid);
    free(left);
    free(received);
    return st;
}

nd_status nd_shuffle_send_to(const nd_shuffle_stream *stream, const void *records, uint64_t count,
                             const int *owners) {
    nd_status st = ND_OK;
    const uint8_t *bytes = records;
    const uint64_t room = batch_room(stream);
    uint64_t done = 0;
    if (stream->comm->size == 1) {
        return count == 0 ? ND_OK
                          : nd_comm_agree(stream->comm,
                                          stream->sink(stream->sink_context, records, count));
    }
    while (nd_comm_max(stream->comm, count - done) > 0) {
        const uint64_t now = nd_min(count - done, room);
        ND_TRY(send_batch(stream, now == 0 ? NULL : bytes + done * stream->record_size, now,
                          now == 0 ? NULL : owners + done));
        done += now;
    }
out:
    return st;
}

nd_status nd_shuffle_send(const nd_shuffle_stream *stream, const void *records, uint64_t count) {
    nd_status st = ND_OK;
    const uint8_t *bytes = records;
    int *owners = NULL;
    if (stream->comm->size > 1) {
        st = nd_new_room(&owners, count, sizeof *owners);
    }
    ND_TRY(nd_comm_agree(stream->comm, st));
    for (uint64_t i = 0; owners != NULL && i < count; i++) {
        owners[i] = stream->owner(bytes + i * stream->record_size, stream->comm->size,
                                  stream->owner_context);
    }
    ND_TRY(nd_shuffle_send_to(stream, records, count, owners));
out:
    free(owners);
    return st;
}

/* A sink that counts what it hands on. */
typedef struct counting_sink {
    nd_record_sink sink;
    void *context;
    uint64_t taken;
} counting_sink;

static nd_status take_counted(void *context, const void *records, uint64_t count) {
    counting_sink *to = context;
    to->taken += count;
    return to->sink(to->context, records, count);
}

nd_status nd_shuffle_run(const nd_shuffle_stream *stream, nd_record_source source,
                         void *source_context) {
    nd_status st = ND_OK;
    uint8_t *records = NULL;
    const uint64_t room = batch_room(stream);
    uint64_t count = 1;
    uint64_t given = 0;
    counting_sink counting = {stream->sink, stream->sink_context, 0};
    nd_shuffle_stream counted = *stream;
    counted.sink = take_counted;
    counted.sink_context = &counting;
    ND_TRY(nd_comm_agree(stream->comm, nd_new_room(&records, room, stream->record_size)));
    while (true) {
        st = ND_OK;
        if (count > 0) { /* a source that has ended is not asked again */
            st = source(source_context, records, room, &count);
        }
        ND_TRY(nd_comm_agree(stream->comm, st));
        ND_ASSERT(count <= room, count, room);
        if (nd_comm_max(stream->comm, count) == 0) {
            break;
        }
        given += count;
        ND_TRY(nd_shuffle_send(&counted, records, count));
    }
    uint64_t sums[2] = {given, counting.taken};
    nd_comm_sum_all(stream->comm, sums, 2);
    ND_ASSERT(sums[0] == sums[1], sums[0], sums[1]); /* whatever was sent is somewhere */
out:
    free(records);
    return st;
}

nd_status nd_shuffle_spool(const nd_shuffle_stream *stream, const nd_spool *spool) {
    nd_spool_reader reader;
    const size_t size = stream->record_size;
    ND_ASSERT(spool->size % size == 0, spool->size, size);
    nd_spool_reader_open(&reader, spool, size, 0, spool->size / size, 0);
    const nd_status st = nd_shuffle_run(stream, nd_shuffle_from_spool, &reader);
    nd_spool_reader_close(&reader);
    return st;
}

nd_status nd_shuffle_from_spool(void *context, void *records, uint64_t room, uint64_t *count) {
    return nd_spool_reader_take(context, records, room, count);
}

nd_status nd_shuffle_into_sort(void *context, const void *records, uint64_t count) {
    return nd_external_sort_add(context, records, count);
}

int nd_shuffle_owner_of_item(const void *record, int size, const void *context) {
    return nd_comm_range_owner(context, size, *(const uint64_t *)record);
}

int nd_shuffle_owner_of_hash(const void *record, int size, const void *context) {
    (void)context;
    return nd_comm_hash_owner(*(const uint64_t *)record, size);
}
