#include "mpi/comm/exchange.h"

#include "src/base/buffer.h"
#include "src/base/contract.h"
#include "src/base/fault.h"
#include "src/base/order.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* One exchange in progress: what goes where, in records. */
typedef struct plan {
    const uint8_t *send;
    uint8_t *receive;
    const uint64_t *send_counts;
    const uint64_t *receive_counts;
    const uint64_t *send_begin;
    uint64_t *receive_begin;
    MPI_Request *requests;
    MPI_Status *statuses;
    MPI_Datatype type;
    size_t record_size;
    uint64_t per_peer; /* records to one peer in one round */
} plan;

/* How many records of `count` travel in the round that starts at `low`. */
static int in_round(const plan *p, uint64_t count, uint64_t low) {
    return count > low ? (int)nd_min(count - low, p->per_peer) : 0; /* per_peer fits in an int */
}

/* The messages of a round that came, which stand before those that went: are they what the counts
 * of their senders announced? */
static void check_arrived(const plan *p, int arrived, uint64_t low) {
    for (int i = 0; i < arrived; i++) {
        int count = 0;
        const int peer = p->statuses[i].MPI_SOURCE;
        ND_MPI(MPI_Get_count(&p->statuses[i], p->type, &count));
        ND_ASSERT(count == in_round(p, p->receive_counts[peer], low), count, peer,
                  p->receive_counts[peer]);
    }
}

static void run_rounds(nd_comm *comm, plan *p) {
    const int own = comm->rank;
    const size_t record_size = p->record_size;
    uint64_t most = 0;
    for (int r = 0; r < comm->size; r++) {
        if (r != own) {
            most = nd_max(most, nd_max(p->send_counts[r], p->receive_counts[r]));
        }
    }
    const uint64_t fits = comm->round_bytes / (uint64_t)comm->size / record_size;
    p->per_peer = nd_max(1, nd_min(fits, INT_MAX));
    most = nd_comm_max(comm, most);
    ND_MPI(MPI_Type_contiguous((int)record_size, MPI_BYTE, &p->type));
    ND_MPI(MPI_Type_commit(&p->type));
    ND_ASSERT(p->send_counts[own] == p->receive_counts[own], p->send_counts[own],
              p->receive_counts[own]);
    if (p->send_counts[own] > 0) {
        memcpy(p->receive + p->receive_begin[own] * record_size,
               p->send + p->send_begin[own] * record_size, p->send_counts[own] * record_size);
    }
    for (uint64_t low = 0; low < most; low += p->per_peer) {
        int pending = 0;
        for (int i = 1; i < comm->size; i++) {
            const int peer = (own - i + comm->size) % comm->size;
            const int count = in_round(p, p->receive_counts[peer], low);
            if (count > 0) {
                ND_MPI(MPI_Irecv(p->receive + (p->receive_begin[peer] + low) * record_size, count,
                                 p->type, peer, ND_TAG_EXCHANGE, comm->handle,
                                 &p->requests[pending++]));
            }
        }
        const int arriving = pending;
        for (int i = 1; i < comm->size; i++) {
            const int peer = (own + i) % comm->size;
            const int count = in_round(p, p->send_counts[peer], low);
            if (count > 0) {
                ND_MPI(MPI_Isend(p->send + (p->send_begin[peer] + low) * record_size, count,
                                 p->type, peer, ND_TAG_EXCHANGE, comm->handle,
                                 &p->requests[pending++]));
                comm->bytes_sent += (uint64_t)count * record_size;
            }
        }
        ND_MPI(MPI_Waitall(pending, p->requests, p->statuses));
        check_arrived(p, arriving, low);
    }
    ND_MPI(MPI_Type_free(&p->type));
}

static uint64_t running_total(const uint64_t *counts, int size, uint64_t *begin) {
    uint64_t total = 0;
    for (int r = 0; r < size; r++) {
        begin[r] = total;
        total += counts[r];
    }
    return total;
}

nd_status nd_exchange_from(nd_comm *comm, const void *send, const uint64_t *send_begin,
                           const uint64_t *send_counts, size_t record_size, void *received,
                           uint64_t *receive_counts, uint64_t *total) {
    nd_status st = ND_OK;
    const size_t size = (size_t)comm->size;
    uint8_t *receive = NULL;
    plan p = {.send = send,
              .send_begin = send_begin,
              .send_counts = send_counts,
              .receive_counts = receive_counts,
              .record_size = record_size};

    ND_ASSERT(record_size > 0 && record_size <= INT_MAX, record_size); /* MPI's own type */
    for (size_t r = 0; r < size; r++) {
        ND_ASSERT(send_counts[r] == 0 || send != NULL, send_counts[r], r);
        ND_ASSERT(send_counts[r] <= (SIZE_MAX / record_size) - send_begin[r], send_counts[r],
                  send_begin[r], record_size);
    }
    ND_MPI(
        MPI_Alltoall(send_counts, 1, MPI_UINT64_T, receive_counts, 1, MPI_UINT64_T, comm->handle));
    st = nd_fault(ND_FAULT_EXCHANGE);
    st = st != ND_OK ? st : nd_new(&p.receive_begin, size, sizeof(uint64_t));
    st = st != ND_OK ? st : nd_new(&p.requests, 2 * size, sizeof(MPI_Request));
    st = st != ND_OK ? st : nd_new(&p.statuses, 2 * size, sizeof(MPI_Status));
    if (st == ND_OK) {
        *total = running_total(receive_counts, comm->size, p.receive_begin);
        ND_ASSERT(*total <= SIZE_MAX / record_size, *total, record_size);
        st = nd_fault(ND_FAULT_MEMORY);
        receive = st != ND_OK ? NULL : malloc(*total == 0 ? 1 : *total * record_size);
        if (st == ND_OK && receive == NULL) {
            st = nd_fail(ND_ERR_MEMORY, "out of memory: %llu records of %zu bytes to receive",
                         (unsigned long long)*total, record_size);
        }
    }
    ND_TRY(nd_comm_agree(comm, st));
    p.receive = receive;
    run_rounds(comm, &p);
out:
    if (st != ND_OK) {
        free(receive);
        receive = NULL;
    }
    memcpy(received, &receive, sizeof receive);
    free(p.receive_begin);
    free(p.requests);
    free(p.statuses);
    return st;
}

nd_status nd_exchange(nd_comm *comm, const void *send, const uint64_t *send_counts,
                      size_t record_size, void *received, uint64_t *receive_counts,
                      uint64_t *total) {
    uint64_t *begin = NULL;
    const uint8_t *nothing = NULL;
    nd_status st = nd_comm_agree(comm, nd_new(&begin, (size_t)comm->size, sizeof *begin));
    if (st != ND_OK) {
        memcpy(received, &nothing, sizeof nothing);
    } else {
        (void)running_total(send_counts, comm->size, begin);
        st = nd_exchange_from(comm, send, begin, send_counts, record_size, received, receive_counts,
                              total);
    }
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

    st = nd_new(&send_counts, 2 * size, sizeof(uint64_t));
    st = st != ND_OK ? st : nd_new(&begin, size, sizeof(uint64_t));
    st = st != ND_OK ? st : nd_new_room(&laid, *count, record_size);
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
