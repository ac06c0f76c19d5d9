#include "mpi/comm/exchange.h"

#include "src/base/buffer.h"
#include "src/base/fault.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- exchanges */

/* How many records of `count` travel in the round that starts at `low`. */
static int in_round(const nd_flight *f, uint64_t count) {
    return count > f->low ? (int)nd_min(count - f->low, f->per_peer) : 0; /* it fits in an int */
}

/* The messages of the next round, if there is one. */
static void start_round(nd_flight *f) {
    nd_comm *comm = f->comm;
    const int own = comm->rank;
    f->pending = 0;
    if (f->low >= f->most) {
        return;
    }
    for (int i = 1; i < comm->size; i++) {
        const int peer = (own - i + comm->size) % comm->size;
        const int count = in_round(f, f->receive_counts[peer]);
        if (count > 0) {
            ND_MPI(MPI_Irecv(f->receive + (f->receive_begin[peer] + f->low) * f->record_size, count,
                             f->type, peer, ND_TAG_EXCHANGE, comm->handle,
                             &f->requests[f->pending++]));
        }
    }
    f->arriving = f->pending;
    for (int i = 1; i < comm->size; i++) {
        const int peer = (own + i) % comm->size;
        const int count = in_round(f, f->send_counts[peer]);
        if (count > 0) {
            ND_MPI(MPI_Isend(f->send + (f->send_begin[peer] + f->low) * f->record_size, count,
                             f->type, peer, ND_TAG_EXCHANGE, comm->handle,
                             &f->requests[f->pending++]));
            comm->bytes_sent += (uint64_t)count * f->record_size;
        }
    }
}

/* The messages of a round are all here, and away: are those that came what the counts of their
 * senders announced? Then the next. */
static void end_round(nd_flight *f) {
    for (int i = 0; i < f->arriving; i++) {
        int count = 0;
        const int peer = f->statuses[i].MPI_SOURCE;
        ND_MPI(MPI_Get_count(&f->statuses[i], f->type, &count));
        ND_ASSERT(count == in_round(f, f->receive_counts[peer]), count, peer,
                  f->receive_counts[peer]);
    }
    f->low += f->per_peer;
    start_round(f);
}

static uint64_t running_total(const uint64_t *counts, int size, uint64_t *begin) {
    uint64_t total = 0;
    for (int r = 0; r < size; r++) {
        begin[r] = total;
        total += counts[r];
    }
    return total;
}

static void free_flight(nd_flight *f) {
    free(f->receive_begin);
    free(f->requests);
    free(f->statuses);
    *f = (nd_flight){0};
}

nd_status nd_exchange_start(nd_comm *comm, const void *send, const uint64_t *send_begin,
                            const uint64_t *send_counts, size_t record_size,
                            uint64_t *receive_counts, nd_flight *flight) {
    nd_status st = ND_OK;
    const size_t size = (size_t)comm->size;
    const int own = comm->rank;
    nd_flight f = {.comm = comm,
                   .send = send,
                   .send_begin = send_begin,
                   .send_counts = send_counts,
                   .receive_counts = receive_counts,
                   .record_size = record_size};

    ND_ASSERT(flight->comm == NULL, flight->total);                    /* one after the other */
    ND_ASSERT(record_size > 0 && record_size <= INT_MAX, record_size); /* MPI's own type */
    for (size_t r = 0; r < size; r++) {
        ND_ASSERT(send_counts[r] == 0 || send != NULL, send_counts[r], r);
        ND_ASSERT(send_counts[r] <= (SIZE_MAX / record_size) - send_begin[r], send_counts[r],
                  send_begin[r], record_size);
    }
    ND_MPI(
        MPI_Alltoall(send_counts, 1, MPI_UINT64_T, receive_counts, 1, MPI_UINT64_T, comm->handle));
    st = nd_fault(ND_FAULT_EXCHANGE);
    nd_new(&f.receive_begin, size, sizeof(uint64_t));
    nd_new(&f.requests, 2 * size, sizeof(MPI_Request));
    nd_new(&f.statuses, 2 * size, sizeof(MPI_Status));
    if (st == ND_OK) {
        f.total = running_total(receive_counts, comm->size, f.receive_begin);
        ND_ASSERT(f.total <= SIZE_MAX / record_size, f.total, record_size);
        st = nd_fault(ND_FAULT_MEMORY);
        f.receive = st != ND_OK ? NULL : malloc(f.total == 0 ? 1 : f.total * record_size);
        if (st == ND_OK && f.receive == NULL) {
            st = nd_fail(ND_ERR_MEMORY, "out of memory: %llu records of %zu bytes to receive",
                         (unsigned long long)f.total, record_size);
        }
    }
    ND_TRY(nd_comm_agree(comm, st));
    ND_ASSERT(send_counts[own] == receive_counts[own], send_counts[own], receive_counts[own]);
    if (send_counts[own] > 0) {
        memcpy(f.receive + f.receive_begin[own] * record_size,
               f.send + send_begin[own] * record_size, send_counts[own] * record_size);
    }
    for (int r = 0; r < comm->size; r++) {
        if (r != own) {
            f.most = nd_max(f.most, nd_max(send_counts[r], receive_counts[r]));
        }
    }
    f.most = nd_comm_max(comm, f.most);
    f.per_peer = nd_max(1, nd_min(comm->round_bytes / size / record_size, INT_MAX));
    ND_MPI(MPI_Type_contiguous((int)record_size, MPI_BYTE, &f.type));
    ND_MPI(MPI_Type_commit(&f.type));
    start_round(&f);
    *flight = f;
out:
    if (st != ND_OK) {
        free(f.receive);
        free_flight(&f);
    }
    return st;
}

void nd_exchange_move(nd_flight *f) {
    int all = 0;
    if (f->pending > 0) {
        ND_MPI(MPI_Testall(f->pending, f->requests, &all, f->statuses));
    }
    if (all != 0) {
        end_round(f);
    }
}

void nd_exchange_finish(nd_flight *f, void *received, uint64_t *total) {
    uint8_t *const receive = f->receive;
    memcpy(received, &receive, sizeof receive);
    *total = f->total;
    if (f->comm == NULL) {
        return;
    }
    while (f->low < f->most) { /* rounds in which this rank has no part are no messages */
        ND_MPI(MPI_Waitall(f->pending, f->requests, f->statuses));
        end_round(f);
    }
    ND_MPI(MPI_Type_free(&f->type));
    free_flight(f);
}

nd_status nd_exchange(nd_comm *comm, const void *send, const uint64_t *send_counts,
                      size_t record_size, void *received, uint64_t *receive_counts,
                      uint64_t *total) {
    nd_status st = ND_OK;
    nd_flight flight = {0};
    uint64_t *begin = NULL;
    nd_new(&begin, (size_t)comm->size, sizeof *begin);
    (void)running_total(send_counts, comm->size, begin);
    ND_TRY(nd_exchange_start(comm, send, begin, send_counts, record_size, receive_counts, &flight));
out:
    nd_exchange_finish(&flight, received, total); /* nothing, if it did not start */
    free(begin);
    return st;
}

nd_status nd_shuffle_to(nd_comm *comm, void *records, uint64_t *count, size_t record_size,
                        const int *owners) {
    nd_status st = ND_OK;
    const size_t size = (size_t)comm->size;
    uint8_t *mine = NULL;
    uint8_t *laid = NULL;
    uint64_t *send_counts = NULL;
    uint64_t *begin = NULL;
    uint8_t *received = NULL;
    memcpy(&mine, records, sizeof mine);

    nd_new(&send_counts, 2 * size, sizeof(uint64_t));
    nd_new(&begin, size, sizeof(uint64_t));
    nd_new_room(&laid, *count, record_size);
    for (uint64_t i = 0; i < *count; i++) {
        ND_ASSERT(owners[i] >= 0 && owners[i] < comm->size, owners[i], comm->size, i);
        send_counts[owners[i]]++;
    }
    (void)running_total(send_counts, comm->size, begin);
    for (uint64_t i = 0; i < *count; i++) { /* in their order */
        memcpy(laid + begin[owners[i]]++ * record_size, mine + i * record_size, record_size);
    }
    free(mine);
    mine = NULL;
    ND_TRY(nd_exchange(comm, laid, send_counts, record_size, &received, send_counts + size, count));
out:
    free(mine);
    free(laid);
    free(send_counts);
    free(begin);
    *count = st == ND_OK ? *count : 0;
    memcpy(records, &received, sizeof received);
    return st;
}

nd_status(nd_shuffle)(nd_comm *comm, void *records, uint64_t *count, size_t record_size,
                      nd_owner owner, const void *context) {
    int *owners = NULL;
    const uint8_t *mine = NULL;
    nd_new_room(&owners, *count, sizeof *owners);
    memcpy(&mine, records, sizeof mine);
    for (uint64_t i = 0; i < *count; i++) {
        owners[i] = owner(mine + i * record_size, comm->size, context);
    }
    const nd_status st = nd_shuffle_to(comm, records, count, record_size, owners);
    free(owners);
    return st;
}

/* ---- streams */

/* What is asked of a source, or handed to a sink, between two looks at what travels; bytes. */
enum { PIECE = 1 << 19 };

/* Batches half as large as a round: while one travels the next is made, and what the one before
 * brought is with the sink. Sources may count on room for two records, however large they are. */
static uint64_t batch_room(const nd_shuffle_stream *s) {
    return nd_max(2, s->comm->round_bytes / 2 / s->record_size);
}

static uint64_t piece_records(const nd_shuffle_stream *s) {
    return nd_max(2, PIECE / s->record_size);
}

/* A batch on its way, laid out by rank and sent in rounds. */
typedef struct sending {
    const nd_shuffle_stream *stream;
    uint8_t *laid;
    uint64_t *left;            /* [rank] records still to go there, with those that travel */
    uint64_t *now;             /* [rank] of them, those that travel */
    uint64_t *received_counts; /* [rank] */
    uint64_t *begin;           /* [rank] the first of them in `laid` */
    uint64_t rounds;           /* still to go, with the one that travels */
    nd_flight flight;
    uint8_t *received; /* of the last round that arrived: not yet with the sink */
    uint64_t received_count;
    uint64_t given, taken; /* records: of this rank, and by its sink */
} sending;

static void sending_open(sending *b, const nd_shuffle_stream *stream) {
    const size_t size = (size_t)stream->comm->size;
    *b = (sending){.stream = stream};
    nd_new(&b->left, 4 * size + 1, sizeof *b->left);
    b->now = b->left + size;
    b->received_counts = b->now + size;
    b->begin = b->received_counts + size; /* one more */
}

/* Collective. */
static void sending_close(sending *b) {
    uint8_t *received = NULL;
    nd_exchange_finish(&b->flight, &received, &b->received_count); /* after a failure */
    free(received);
    free(b->received);
    free(b->laid);
    free(b->left);
}

/* Twice a fair share to each rank: records that fall evenly go in one round. */
static uint64_t most_to_a_rank(const nd_shuffle_stream *s) {
    return nd_max(1, 2 * batch_room(s) / (uint64_t)s->comm->size);
}

/* Collective. */
static nd_status begin_round(sending *b) {
    const nd_shuffle_stream *s = b->stream;
    for (int r = 0; r < s->comm->size; r++) {
        b->now[r] = nd_min(b->left[r], most_to_a_rank(s));
    }
    return nd_exchange_start(s->comm, b->laid, b->begin, b->now, s->record_size, b->received_counts,
                             &b->flight);
}

/* Collective. Lay a batch out by rank, and send its first round. */
static nd_status start_batch(sending *b, const uint8_t *records, uint64_t count,
                             const int *owners) {
    nd_status st = ND_OK;
    const nd_shuffle_stream *s = b->stream;
    const size_t size = (size_t)s->comm->size;
    free(b->laid);
    nd_new_room(&b->laid, count, s->record_size);
    memset(b->left, 0, size * sizeof *b->left);
    for (uint64_t i = 0; i < count; i++) {
        ND_ASSERT(owners[i] >= 0 && (size_t)owners[i] < size, owners[i], size, i);
        b->left[owners[i]]++;
    }
    b->rounds = 0;
    b->begin[0] = 0;
    for (size_t r = 0; r < size; r++) {
        b->begin[r + 1] = b->begin[r] + b->left[r];
        b->now[r] = b->begin[r];
        b->rounds = nd_max(b->rounds, (b->left[r] + most_to_a_rank(s) - 1) / most_to_a_rank(s));
    }
    ND_ASSERT(b->begin[size] == count, b->begin[size], count);
    for (uint64_t i = 0; i < count; i++) {
        memcpy(b->laid + b->now[owners[i]]++ * s->record_size, records + i * s->record_size,
               s->record_size);
    }
    b->rounds = nd_comm_max(s->comm, b->rounds);
    if (b->rounds > 0) {
        ND_TRY(begin_round(b));
    }
out:
    return st;
}

/* Not collective. The sink gets what arrived last, piece by piece. */
static nd_status hand_over(sending *b) {
    nd_status st = ND_OK;
    const nd_shuffle_stream *s = b->stream;
    for (uint64_t done = 0; st == ND_OK && done < b->received_count;) {
        const uint64_t now = nd_min(b->received_count - done, piece_records(s));
        st = s->sink(s->sink_context, b->received + done * s->record_size, now);
        done += now;
        b->taken += now;
        nd_exchange_move(&b->flight);
    }
    free(b->received);
    b->received = NULL;
    b->received_count = 0;
    return st;
}

/* Collective. All of the batch that is on its way arrives; its last round is not with the sink. */
static nd_status land(sending *b) {
    nd_status st = ND_OK;
    nd_comm *comm = b->stream->comm;
    while (b->rounds > 0) {
        nd_exchange_finish(&b->flight, &b->received, &b->received_count);
        for (int r = 0; r < comm->size; r++) {
            ND_ASSERT(b->received_counts[r] <= most_to_a_rank(b->stream), b->received_counts[r], r);
            b->begin[r] += b->now[r];
            b->left[r] -= b->now[r];
        }
        b->rounds--;
        if (b->rounds > 0) {
            ND_TRY(begin_round(b));
            ND_TRY(nd_comm_agree(comm, hand_over(b)));
        }
    }
out:
    return st;
}

/* Collective. The next batch starts when the one before has arrived. */
static nd_status send_batch(sending *b, const uint8_t *records, uint64_t count, const int *owners) {
    nd_status st = ND_OK;
    const nd_shuffle_stream *s = b->stream;
    if (s->comm->size == 1) { /* borrowed as they are */
        b->taken += count;
        return nd_comm_agree(s->comm,
                             count == 0 ? ND_OK : s->sink(s->sink_context, records, count));
    }
    ND_TRY(land(b));
    ND_TRY(start_batch(b, records, count, owners));
    ND_TRY(nd_comm_agree(s->comm, hand_over(b)));
out:
    return st;
}

/* Collective. All that was sent is with the sinks. */
static nd_status end_batches(sending *b) {
    nd_status st = ND_OK;
    ND_TRY(land(b));
    ND_TRY(nd_comm_agree(b->stream->comm, hand_over(b)));
out:
    return st;
}

nd_status nd_shuffle_send_to(const nd_shuffle_stream *stream, const void *records, uint64_t count,
                             const int *owners) {
    nd_status st = ND_OK;
    sending b;
    const uint8_t *bytes = records;
    const uint64_t room = stream->comm->size == 1 ? count : batch_room(stream);
    uint64_t done = 0;
    sending_open(&b, stream);
    while (nd_comm_max(stream->comm, count - done) > 0) {
        const uint64_t now = nd_min(count - done, room);
        ND_TRY(send_batch(&b, now == 0 ? NULL : bytes + done * stream->record_size, now,
                          now == 0 || owners == NULL ? NULL : owners + done));
        done += now;
    }
    ND_TRY(end_batches(&b));
out:
    sending_close(&b);
    return st;
}

nd_status nd_shuffle_send(const nd_shuffle_stream *stream, const void *records, uint64_t count) {
    nd_status st = ND_OK;
    const uint8_t *bytes = records;
    int *owners = NULL;
    if (stream->comm->size > 1) {
        nd_new_room(&owners, count, sizeof *owners);
    }
    for (uint64_t i = 0; owners != NULL && i < count; i++) {
        owners[i] = stream->owner(bytes + i * stream->record_size, stream->comm->size,
                                  stream->owner_context);
    }
    ND_TRY(nd_shuffle_send_to(stream, records, count, owners));
out:
    free(owners);
    return st;
}

/* Not collective. The next batch out of a source, piece by piece. \param[in,out] ended  it has said
 * so, and is not asked again */
static nd_status make_batch(sending *b, nd_record_source source, void *source_context,
                            uint8_t *records, int *owners, uint64_t *count, bool *ended) {
    nd_status st = ND_OK;
    const nd_shuffle_stream *s = b->stream;
    const uint64_t room = batch_room(s);
    *count = 0;
    while (!*ended && room - *count >= 2) {
        const uint64_t most = nd_min(room - *count, piece_records(s));
        uint8_t *const piece = records + *count * s->record_size;
        uint64_t now = 0;
        ND_TRY(source(source_context, piece, most, &now));
        ND_ASSERT(now <= most, now, most);
        for (uint64_t i = 0; i < now && s->comm->size > 1; i++) {
            owners[*count + i] =
                s->owner(piece + i * s->record_size, s->comm->size, s->owner_context);
        }
        *ended = now == 0;
        *count += now;
        nd_exchange_move(&b->flight);
    }
out:
    return st;
}

nd_status nd_shuffle_run(const nd_shuffle_stream *stream, nd_record_source source,
                         void *source_context) {
    nd_status st = ND_OK;
    sending b;
    uint8_t *records = NULL;
    int *owners = NULL;
    bool ended = false;
    sending_open(&b, stream);
    nd_new_room(&records, batch_room(stream), stream->record_size);
    nd_new_room(&owners, batch_room(stream), sizeof *owners);
    while (true) {
        uint64_t count = 0;
        st = make_batch(&b, source, source_context, records, owners, &count, &ended);
        ND_TRY(nd_comm_agree(stream->comm, st));
        if (nd_comm_max(stream->comm, count) == 0) {
            break;
        }
        b.given += count;
        ND_TRY(send_batch(&b, records, count, owners));
    }
    ND_TRY(end_batches(&b));
    uint64_t sums[2] = {b.given, b.taken};
    nd_comm_sum_all(stream->comm, sums, 2);
    ND_ASSERT(sums[0] == sums[1], sums[0], sums[1]); /* whatever was sent is somewhere */
out:
    sending_close(&b);
    free(records);
    free(owners);
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

/* ---- dealing by cost */

void nd_deal_owners(const nd_comm *comm, const void *records, uint64_t count, size_t record_size,
                    nd_cost cost, nd_together together, int *owners) {
    const uint8_t *mine = records;
    uint64_t own = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t here = cost(mine + i * record_size);
        ND_ASSERT(here > 0, here, i);
        own += here;
    }
    double before = (double)nd_comm_before(comm, own);
    const double total = (double)nd_comm_sum(comm, own);
    int last = 0; /* shares follow one another as the ranks do */
    for (uint64_t begin = 0; begin < count;) {
        uint64_t end = begin; /* of the records that stay together */
        double here = 0;
        do {
            here += (double)cost(mine + end * record_size);
            end++;
        } while (end < count && together != NULL &&
                 together(mine + (end - 1) * record_size, mine + end * record_size));
        const int rank = nd_comm_part_owner(comm, (before + here / 2) / total);
        ND_ASSERT(rank >= last, rank, last, begin);
        last = rank;
        for (; begin < end; begin++) {
            owners[begin] = rank;
        }
        before += here;
    }
}

nd_status nd_deal(nd_comm *comm, void *records, uint64_t *count, size_t record_size, nd_cost cost,
                  nd_together together) {
    nd_status st = ND_OK;
    const uint8_t *mine = NULL;
    int *owners = NULL;
    memcpy(&mine, records, sizeof mine);
    nd_new_room(&owners, *count, sizeof *owners);
    nd_deal_owners(comm, mine, *count, record_size, cost, together, owners);
    ND_TRY(nd_shuffle_to(comm, records, count, record_size, owners));
out:
    free(owners);
    return st;
}
