#include "mpi/comm/exchange.h"

#include "src/base/buffer.h"
#include "src/base/fault.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

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
    ND_TRY(nd_comm_agree(comm, st));
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
    nd_status st = nd_new_room(&owners, *count, sizeof *owners);
    memcpy(&mine, records, sizeof mine);
    for (uint64_t i = 0; st == ND_OK && i < *count; i++) {
        owners[i] = owner(mine + i * record_size, comm->size, context);
    }
    ND_TRY(nd_comm_agree(comm, st));
    ND_TRY(nd_shuffle_to(comm, records, count, record_size, owners));
out:
    free(owners);
    return st;
}
