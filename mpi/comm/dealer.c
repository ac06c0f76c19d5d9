#include "mpi/comm/dealer.h"

#include "src/base/buffer.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <stdlib.h>

/* What a rank asks. */
enum { NEXT = 1, LEAVES = 2 };

/* What a rank takes at once of what is left of its range, and of another one's. The first part of a
 * rank that is twice as slow as the others so ends long before they have done theirs. */
enum { OF_OWN = 8, OF_OTHERS = 4 };

/* A rank that asks waits so long, at most and about, in seconds. More often rank 0 does not look:
 * a library that finds nothing gives up its turn. */
static const double BETWEEN_LOOKS = 0.01;

/* Where the items end that a rank takes from the front of its range, if so much of it is left. */
static uint64_t front_end(const uint64_t *costs, uint64_t begin, uint64_t end, uint64_t left) {
    uint64_t cost = 0;
    while (begin < end && (cost == 0 || cost + costs[begin] <= left / OF_OWN)) {
        cost += costs[begin++];
    }
    return begin;
}

static uint64_t cost_of(const uint64_t *costs, uint64_t begin, uint64_t end) {
    uint64_t cost = 0;
    for (uint64_t i = begin; i < end; i++) {
        cost += costs[i];
    }
    return cost;
}

void nd_dealer_open(nd_dealer *dealer, const nd_comm *comm, const uint64_t *costs,
                    const uint64_t *first) {
    const size_t size = (size_t)comm->size;
    *dealer = (nd_dealer){.comm = comm, .costs = costs, .asks = true};
    if (comm->rank == 0) {
        dealer->others = comm->size - 1;
        nd_new(&dealer->begin, size, sizeof *dealer->begin);
        nd_new(&dealer->end, size, sizeof *dealer->end);
        nd_new(&dealer->left, size, sizeof *dealer->left);
    }
    /* the first piece is a rank's own without asking: few items do not fall by chance */
    for (int r = comm->rank; r < (comm->rank == 0 ? comm->size : comm->rank + 1); r++) {
        const uint64_t all = cost_of(costs, first[r], first[r + 1]);
        const uint64_t end = front_end(costs, first[r], first[r + 1], all);
        if (r == comm->rank && all > 0) {
            dealer->first_begin = first[r];
            dealer->first_end = end;
        }
        if (comm->rank == 0) {
            dealer->begin[r] = end;
            dealer->end[r] = first[r + 1];
            dealer->left[r] = all - cost_of(costs, first[r], end);
        }
    }
}

/* Rank 0's: what `rank` gets next. */
static void give(nd_dealer *d, int rank, uint64_t *begin, uint64_t *end) {
    int from = rank;
    for (int r = 0; r < d->comm->size && d->left[rank] == 0; r++) {
        from = d->left[r] > d->left[from] ? r : from;
    }
    *begin = *end = 0;
    if (d->left[from] == 0) {
        return;
    }
    if (from == rank) {
        *begin = d->begin[from];
        *end = front_end(d->costs, *begin, d->end[from], d->left[from]);
        d->begin[from] = *end;
    } else {
        uint64_t cost = 0;
        *begin = *end = d->end[from];
        while (cost == 0 || (*begin > d->begin[from] &&
                             cost + d->costs[*begin - 1] <= d->left[from] / OF_OTHERS)) {
            cost += d->costs[--*begin];
        }
        d->end[from] = *begin;
    }
    const uint64_t cost = cost_of(d->costs, *begin, *end);
    ND_ASSERT(d->begin[from] <= d->end[from] && cost <= d->left[from], from, cost, d->left[from]);
    d->left[from] -= cost;
}

/* Rank 0's: nobody gets any more. */
static void end_giving(nd_dealer *d) {
    for (int r = 0; d->left != NULL && r < d->comm->size; r++) {
        d->left[r] = 0;
    }
}

/* Rank 0 hears the next rank that asks, or leaves. */
static void answer(nd_dealer *d) {
    MPI_Status status;
    int asked = 0;
    uint64_t given[2] = {0, 0};
    ND_MPI(MPI_Recv(&asked, 1, MPI_INT, MPI_ANY_SOURCE, ND_TAG_ASKED, d->comm->handle, &status));
    if (asked == NEXT) {
        give(d, status.MPI_SOURCE, &given[0], &given[1]);
        ND_MPI(MPI_Send(given, 2, MPI_UINT64_T, status.MPI_SOURCE, ND_TAG_GIVEN, d->comm->handle));
    } else {
        end_giving(d);
    }
    d->others -= given[0] == given[1];
}

void nd_dealer_take(nd_dealer *dealer, uint64_t *begin, uint64_t *end) {
    const nd_comm *comm = dealer->comm;
    const int asked = NEXT;
    uint64_t given[2] = {0, 0};
    if (dealer->first_begin < dealer->first_end) {
        given[0] = dealer->first_begin;
        given[1] = dealer->first_begin = dealer->first_end;
    } else if (dealer->asks && comm->rank == 0) {
        give(dealer, 0, &given[0], &given[1]);
    } else if (dealer->asks) {
        ND_MPI(MPI_Send(&asked, 1, MPI_INT, 0, ND_TAG_ASKED, comm->handle));
        ND_MPI(MPI_Recv(given, 2, MPI_UINT64_T, 0, ND_TAG_GIVEN, comm->handle, MPI_STATUS_IGNORE));
    }
    *begin = given[0];
    *end = given[1];
    dealer->asks = *begin < *end;
}

void nd_dealer_serve(nd_dealer *dealer) {
    int waits = dealer->others > 0;
    if (waits == 0 || MPI_Wtime() < dealer->next_look) {
        return;
    }
    while (waits != 0) {
        ND_MPI(MPI_Iprobe(MPI_ANY_SOURCE, ND_TAG_ASKED, dealer->comm->handle, &waits,
                          MPI_STATUS_IGNORE));
        if (waits != 0) {
            answer(dealer);
            waits = dealer->others > 0;
        }
    }
    dealer->next_look = MPI_Wtime() + BETWEEN_LOOKS;
}

void nd_dealer_close(nd_dealer *dealer) {
    const int asked = LEAVES;
    if (dealer->asks && dealer->comm->rank > 0) {
        ND_MPI(MPI_Send(&asked, 1, MPI_INT, 0, ND_TAG_ASKED, dealer->comm->handle));
    }
    end_giving(dealer);
    while (dealer->others > 0) {
        answer(dealer);
    }
    free(dealer->begin);
    free(dealer->end);
    free(dealer->left);
    *dealer = (nd_dealer){0};
}
