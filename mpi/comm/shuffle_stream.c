#include "mpi/comm/shuffle_stream.h"

#include "src/base/buffer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A batch laid out by rank, and what of it is still to be sent. */
typedef struct batch {
    uint8_t *laid;
    uint64_t *begin; /* [rank] next record to go there */
    uint64_t *left;  /* [rank] records still to go there */
    uint64_t *now;   /* [rank] of them, in this round */
    uint64_t *received;
} batch;

/* Sources may count on room for two records, however large they are. */
static uint64_t batch_room(const nd_shuffle_stream *s) {
    const uint64_t room = s->comm->round_bytes / s->record_size;
    return room < 2 ? 2 : room;
}

static nd_status batch_new(const nd_shuffle_stream *s, uint64_t count, batch *b) {
    nd_status st = ND_OK;
    const size_t size = (size_t)s->comm->size;
    *b = (batch){0};
    ND_TRY(nd_new_room(&b->laid, count, s->record_size));
    ND_TRY(nd_new(&b->begin, size + 1, sizeof(uint64_t)));
    ND_TRY(nd_new(&b->left, size, sizeof(uint64_t)));
    ND_TRY(nd_new(&b->now, size, sizeof(uint64_t)));
    ND_TRY(nd_new(&b->received, size, sizeof(uint64_t)));
out:
    return st;
}

static void batch_free(batch *b) {
    free(b->laid);
    free(b->begin);
    free(b->left);
    free(b->now);
    free(b->received);
}

static void lay_out(const nd_shuffle_stream *s, const uint8_t *records, uint64_t count,
                    const int *owners, batch *b) {
    for (uint64_t i = 0; i < count; i++) {
        b->left[owners[i]]++;
    }
    for (int r = 0; r < s->comm->size; r++) {
        b->begin[r + 1] = b->begin[r] + b->left[r];
        b->now[r] = b->begin[r];
    }
    for (uint64_t i = 0; i < count; i++) {
        memcpy(b->laid + b->now[owners[i]]++ * s->record_size, records + i * s->record_size,
               s->record_size);
    }
}

/* Twice a fair share to each rank: records that fall evenly go in one round. */
static uint64_t most_per_rank(const nd_shuffle_stream *s) {
    const uint64_t share = 2 * batch_room(s) / (uint64_t)s->comm->size;
    return share == 0 ? 1 : share;
}

static uint64_t most_left(const nd_shuffle_stream *s, const batch *b) {
    uint64_t most = 0;
    for (int r = 0; r < s->comm->size; r++) {
        most = b->left[r] > most ? b->left[r] : most;
    }
    return most;
}

static nd_status run_round(const nd_shuffle_stream *s, batch *b) {
    nd_status st = ND_OK;
    uint8_t *received = NULL;
    uint64_t total = 0;
    const uint64_t share = most_per_rank(s);
    for (int r = 0; r < s->comm->size; r++) {
        b->now[r] = b->left[r] < share ? b->left[r] : share;
    }
    ND_TRY(nd_exchange_from(s->comm, b->laid, b->begin, b->now, s->record_size, &received,
                            b->received, &total));
    for (int r = 0; r < s->comm->size; r++) {
        b->begin[r] += b->now[r];
        b->left[r] -= b->now[r];
    }
    st = total == 0 ? ND_OK : s->sink(s->sink_context, received, total);
    ND_TRY(nd_comm_agree(s->comm, st));
out:
    free(received);
    return st;
}

static nd_status send_batch(const nd_shuffle_stream *s, const uint8_t *records, uint64_t count,
                            const int *owners) {
    nd_status st = ND_OK;
    batch b;
    ND_TRY(nd_comm_agree(s->comm, batch_new(s, count, &b)));
    lay_out(s, records, count, owners, &b);
    while (nd_comm_max(s->comm, most_left(s, &b)) > 0) {
        ND_TRY(run_round(s, &b));
    }
out:
    batch_free(&b);
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
        const uint64_t now = count - done < room ? count - done : room;
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

nd_status nd_shuffle_run(const nd_shuffle_stream *stream, nd_record_source source,
                         void *source_context) {
    nd_status st = ND_OK;
    uint8_t *records = NULL;
    const uint64_t room = batch_room(stream);
    uint64_t count = 1;
    ND_TRY(nd_comm_agree(stream->comm, nd_new_room(&records, room, stream->record_size)));
    while (true) {
        st = ND_OK;
        if (count > 0) { /* a source that has ended is not asked again */
            st = source(source_context, records, room, &count);
        }
        ND_TRY(nd_comm_agree(stream->comm, st));
        if (nd_comm_max(stream->comm, count) == 0) {
            break;
        }
        ND_TRY(nd_shuffle_send(stream, records, count));
    }
out:
    free(records);
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
