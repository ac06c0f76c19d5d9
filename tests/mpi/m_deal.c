/* Dealing records by cost: nothing lost, order kept, pieces whole, shares about equal. */
#include "mpi/comm/exchange.h"
#include "tests/support/mpi_check.h"

#include <stdlib.h>
#include <string.h>

typedef struct item {
    uint64_t number; /* in the order that all ranks share */
    uint64_t piece;
    uint64_t cost;
} item;

static uint64_t cost_of(const void *record) {
    return ((const item *)record)->cost;
}

static bool same_piece(const void *record, const void *next) {
    return ((const item *)record)->piece == ((const item *)next)->piece;
}

/* What a trial draws; the same on all ranks. */
typedef struct shape {
    uint64_t most_records; /* on a rank */
    uint64_t most_cost;
    uint64_t most_piece; /* records of a piece */
} shape;

/* All ranks' records in the shared order; a piece lies on one rank. */
static item *draw_items(nd_random *random, const shape *s, const nd_comm *comm, uint64_t *own_begin,
                        uint64_t *own_end, uint64_t *total) {
    item *items = nd_mpi_test_new((uint64_t)comm->size * s->most_records, sizeof *items);
    uint64_t count = 0;
    uint64_t piece = 0;
    for (int r = 0; r < comm->size; r++) {
        const uint64_t end = count + nd_random_below(random, s->most_records + 1);
        *own_begin = r == comm->rank ? count : *own_begin;
        *own_end = r == comm->rank ? end : *own_end;
        while (count < end) {
            const uint64_t length = 1 + nd_random_below(random, s->most_piece);
            for (uint64_t i = 0; i < length && count < end; i++, count++) {
                items[count] = (item){count, piece, 1 + nd_random_below(random, s->most_cost)};
            }
            piece++;
        }
    }
    *total = count;
    return items;
}

/* No rank is further from the equal share than the dearest piece. */
static bool balanced(const nd_comm *comm, const item *all, uint64_t total, bool pieces,
                     uint64_t mine) {
    uint64_t sum = 0;
    uint64_t here = 0;
    uint64_t dearest = 0;
    for (uint64_t i = 0; i < total; i++) {
        const bool goes_on = pieces && i > 0 && all[i].piece == all[i - 1].piece;
        here = all[i].cost + (goes_on ? here : 0);
        dearest = here > dearest ? here : dearest;
        sum += all[i].cost;
    }
    const double share = (double)sum / comm->size;
    return (double)mine <= share + (double)dearest + 1e-6 * share &&
           (double)mine >= share - (double)dearest - 1e-6 * share;
}

static bool pieces_are_whole(const nd_comm *comm, const item *mine, uint64_t count) {
    const uint64_t ends[2] = {count == 0 ? UINT64_MAX : mine[0].piece,
                              count == 0 ? UINT64_MAX : mine[count - 1].piece};
    uint64_t numbers = 0;
    uint64_t *all = nd_mpi_test_gather(comm, ends, count == 0 ? 0 : 2, sizeof *ends, &numbers);
    bool whole = true;
    for (uint64_t i = 2; i < numbers; i += 2) {
        whole = whole && all[i] != all[i - 1];
    }
    free(all);
    return whole;
}

static bool run_trial(nd_comm *comm, nd_random *random, const shape *s, bool pieces) {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t total = 0;
    item *all = draw_items(random, s, comm, &begin, &end, &total);
    uint64_t count = end - begin;
    item *mine = nd_mpi_test_new(count, sizeof *mine);
    memcpy(mine, all + begin, count * sizeof *mine);
    bool right = ND_CHECK_ALL(comm, nd_deal(comm, &mine, &count, sizeof *mine, cost_of,
                                            pieces ? same_piece : NULL) == ND_OK);
    if (right) {
        uint64_t dealt_total = 0;
        uint64_t cost = 0;
        item *dealt = nd_mpi_test_gather(comm, mine, count, sizeof *mine, &dealt_total);
        for (uint64_t i = 0; i < count; i++) {
            cost += mine[i].cost;
        }
        right = ND_CHECK_ALL(comm,
                             dealt_total == total && memcmp(dealt, all, total * sizeof *all) == 0);
        right = ND_CHECK_ALL(comm, balanced(comm, all, total, pieces, cost)) && right;
        right = ND_CHECK_ALL(comm, !pieces || pieces_are_whole(comm, mine, count)) && right;
        free(dealt);
    }
    free(mine);
    free(all);
    return right;
}

static void run_all(bool pieces) {
    static const shape shapes[] = {{0, 1, 1},     {1, 5, 1},     {2, 5, 2},   {50, 1, 1},
                                   {300, 100, 1}, {300, 100, 9}, {40, 1, 40}, {300, 100000, 3}};
    nd_comm *comm = nd_mpi_test_comm();
    nd_random random = nd_mpi_test_random(pieces ? "pieces" : "records");
    bool right = true;
    for (size_t i = 0; i < 10 * sizeof shapes / sizeof shapes[0] && right; i++) {
        right = run_trial(comm, &random, &shapes[i % (sizeof shapes / sizeof shapes[0])], pieces);
    }
}

static void test_records(void) {
    run_all(false);
}

static void test_pieces(void) {
    run_all(true);
}

static const nd_test tests[] = {
    {"records that may be parted anywhere", test_records},
    {"pieces that stay together", test_pieces},
};

ND_SUITE(m_deal, tests)
