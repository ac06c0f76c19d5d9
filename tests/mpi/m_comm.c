/* What ranks send one another. */
#include "mpi/comm/dealer.h"
#include "mpi/comm/exchange.h"
#include "mpi/comm/fetch.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "tests/support/mpi_check.h"

#include <dlfcn.h>
#include <math.h>
#include <sched.h>

/* ---- The agreement of ranks, small reductions, and who owns what. */

/* Whichever rank fails: it keeps its own status, the others learn of a peer, and all can say why.
 */
ND_TEST("agree on the failure of each rank") {
    nd_comm *comm = nd_mpi_test_comm();
    for (int bad = 0; bad < comm->size; bad++) {
        char wanted[64];
        (void)snprintf(wanted, sizeof wanted, "rank %d: file %d is bad", bad, bad);
        (void)nd_fail(ND_ERR_MEMORY, "an old failure");
        const nd_status mine =
            comm->rank == bad ? nd_fail(ND_ERR_FORMAT, "file %d is bad", bad) : ND_OK;
        const nd_status st = nd_comm_agree(comm, mine);
        ND_CHECK_ALL(comm, st == (comm->rank == bad ? ND_ERR_FORMAT : ND_ERR_PEER));
        ND_CHECK_ALL(comm, strcmp(nd_fail_text(), wanted) == 0);
    }
}

ND_TEST("agree names the lowest of many") {
    nd_comm *comm = nd_mpi_test_comm();
    const int lowest = comm->size / 2;
    char wanted[64];
    (void)snprintf(wanted, sizeof wanted, "rank %d: disk %d", lowest, lowest);
    const nd_status mine = comm->rank >= lowest ? nd_fail(ND_ERR_IO, "disk %d", comm->rank) : ND_OK;
    const nd_status st = nd_comm_agree(comm, mine);
    ND_CHECK_ALL(comm, st == (comm->rank >= lowest ? ND_ERR_IO : ND_ERR_PEER));
    ND_CHECK_ALL(comm, strcmp(nd_fail_text(), wanted) == 0);
}

/* A failure that was agreed on one floor deeper keeps the name of the rank that met it. */
ND_TEST("nested agreement") {
    nd_comm *comm = nd_mpi_test_comm();
    const int bad = comm->size - 1;
    char wanted[64];
    (void)snprintf(wanted, sizeof wanted, "rank %d: no room", bad);
    const nd_status mine = comm->rank == bad ? nd_fail(ND_ERR_LIMIT, "no room") : ND_OK;
    const nd_status inner = nd_comm_agree(comm, mine);
    const nd_status outer = nd_comm_agree(comm, inner);
    ND_CHECK_ALL(comm, outer == inner);
    ND_CHECK_ALL(comm, outer == (comm->rank == bad ? ND_ERR_LIMIT : ND_ERR_PEER));
    ND_CHECK_ALL(comm, strcmp(nd_fail_text(), wanted) == 0);
}

ND_TEST("sum, maximum, sum before") {
    nd_comm *comm = nd_mpi_test_comm();
    const uint64_t rank = (uint64_t)comm->rank;
    const uint64_t size = (uint64_t)comm->size;
    const uint64_t big = UINT64_C(1) << 40; /* beyond 32 bits */
    ND_CHECK_ALL(comm, nd_comm_sum(comm, big + rank) == size * big + size * (size - 1) / 2);
    ND_CHECK_ALL(comm, nd_comm_max(comm, big - rank) == big);
    ND_CHECK_ALL(comm, nd_comm_min(comm, big - rank) == big - (size - 1));
    /* what one rank has none of stands as the largest number, which is no negative one */
    ND_CHECK_ALL(comm, nd_comm_min(comm, rank == 0 ? 7 : UINT64_MAX) == 7);
    ND_CHECK_ALL(comm, nd_comm_max(comm, rank == 0 ? UINT64_MAX : 7) == UINT64_MAX);
    ND_CHECK_ALL(comm, nd_comm_before(comm, big + rank) ==
                           rank * big + (rank == 0 ? 0 : rank * (rank - 1) / 2));
}

/* Owners by ranges against a linear search, with ranks that hold nothing. */
ND_TEST("ranges and their owners") {
    nd_comm *comm = nd_mpi_test_comm();
    nd_random random = nd_mpi_test_random("ranges");
    ND_FREED uint64_t *first = nd_mpi_test_new((uint64_t)comm->size + 1, sizeof *first);
    for (int trial = 0; trial < nd_test_rounds(50); trial++) {
        uint64_t mine = 0;
        uint64_t total = 0;
        bool right = true;
        for (int r = 0; r < comm->size; r++) {
            const uint64_t count = nd_random_below(&random, 2) * nd_random_below(&random, 5);
            mine = r == comm->rank ? count : mine;
            total += count;
        }
        nd_comm_ranges(comm, mine, first);
        right = right && first[0] == 0 && first[comm->size] == total &&
                first[comm->rank + 1] - first[comm->rank] == mine;
        for (uint64_t item = 0; item < total; item++) {
            const int owner = nd_comm_range_owner(first, comm->size, item);
            right = right && owner >= 0 && owner < comm->size && first[owner] <= item &&
                    item < first[owner + 1];
        }
        if (!ND_CHECK_ALL(comm, right)) {
            break;
        }
    }
}

/* On each node one rank leads, the first. */
ND_TEST("one rank leads a node") {
    nd_comm *comm = nd_mpi_test_comm();
    ND_FREED bool *elsewhere = nd_mpi_test_new((uint64_t)comm->size, sizeof *elsewhere);
    nd_comm_elsewhere(comm, elsewhere);
    int first = 0;
    while (elsewhere[first]) {
        first++;
    }
    ND_CHECK_ALL(comm, !elsewhere[comm->rank] && first <= comm->rank);
    ND_CHECK_ALL(comm, nd_comm_leads_node(comm) == (first == comm->rank));
}

/* hash / 2^64 * size: ascending, the ends at the ends, about equal shares. */
ND_TEST("owners by hash") {
    CU_ASSERT_EQUAL(nd_comm_hash_owner(0, 3), 0);
    CU_ASSERT_EQUAL(nd_comm_hash_owner(UINT64_MAX, 3), 2);
    CU_ASSERT_EQUAL(nd_comm_hash_owner(UINT64_MAX, 1), 0);
    CU_ASSERT_EQUAL(nd_comm_hash_owner(UINT64_C(1) << 63, 2), 1);
    CU_ASSERT_EQUAL(nd_comm_hash_owner((UINT64_C(1) << 63) - 1, 2), 0);
    enum { SIZE = 7, DRAWS = 70000 };
    unsigned counts[SIZE] = {0};
    int previous = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        const int owner = nd_comm_hash_owner(UINT64_MAX / DRAWS * i, SIZE);
        CU_ASSERT(owner >= previous && owner < SIZE);
        previous = owner;
        counts[owner]++;
    }
    for (int r = 0; r < SIZE; r++) {
        CU_ASSERT(counts[r] >= DRAWS / SIZE - 1 && counts[r] <= DRAWS / SIZE + 1);
    }
}

/* The function by which the MPI library gives up a rank's turn is the program's. */
ND_TEST("turns are given up by the program's function") {
    int (*const own)(void) = sched_yield;
    void *all = dlopen(NULL, RTLD_NOW);
    CU_ASSERT_PTR_NOT_NULL(all);
    void *found = all == NULL ? NULL : dlsym(all, "sched_yield");
    CU_ASSERT(memcmp(&found, &own, sizeof found) == 0);
    void *library = dlopen("libc.so.6", RTLD_NOW);
    CU_ASSERT(library == NULL || dlsym(library, "sched_yield") != found);
    for (int i = 0; i < 100; i++) {
        CU_ASSERT_EQUAL(sched_yield(), 0);
    }
}

/* Hints are what rank 0 was told, on all ranks; what is none is refused by all. */
ND_TEST("hints for files") {
    static const char *const wrong[] = {"cb_nodes", "=8", "cb_nodes=", "a=1;b"};
    static const char NAME[] = "NEARDUP_MPI_HINTS";
    nd_comm *comm = nd_mpi_test_comm();
    MPI_Info hints = MPI_INFO_NULL;
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int found = 0;
    ND_CHECK_ALL(comm, nd_comm_hints(comm, &hints) == ND_OK && hints != MPI_INFO_NULL);
    ND_MPI(MPI_Info_free(&hints));
    CU_ASSERT_EQUAL(setenv(NAME, comm->rank == 0 ? "nd_a=1;nd_b=*:2,x=3;" : "nd_a=7", 1), 0);
    ND_CHECK_ALL(comm, nd_comm_hints(comm, &hints) == ND_OK);
    ND_MPI(MPI_Info_get(hints, "nd_a", MPI_MAX_INFO_VAL, value, &found));
    ND_CHECK_ALL(comm, found && strcmp(value, "1") == 0);
    ND_MPI(MPI_Info_get(hints, "nd_b", MPI_MAX_INFO_VAL, value, &found));
    ND_CHECK_ALL(comm, found && strcmp(value, "*:2,x=3") == 0);
    ND_MPI(MPI_Info_free(&hints));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CU_ASSERT_EQUAL(setenv(NAME, comm->rank == 0 ? wrong[i] : "a=1", 1), 0);
        ND_CHECK_ALL(comm, nd_comm_hints(comm, &hints) == ND_ERR_USAGE);
        ND_CHECK_ALL(comm, hints == MPI_INFO_NULL && strstr(nd_fail_text(), NAME) != NULL);
    }
    CU_ASSERT_EQUAL(unsetenv(NAME), 0);
}

/* ---- Exchanges against one process that holds all records. */

/* How the records of a trial lie and go. */
typedef struct trial_exchange {
    uint64_t most; /* records of a rank: 0 .. most */
    size_t record_size;
    uint64_t round_bytes;
    int target; /* all go to this rank; -1: to the rank of their hash */
    int source; /* only this rank has any; -1: all */
} trial_exchange;

static uint64_t hash_bytes(const uint8_t *bytes, size_t size) {
    uint64_t hash = size;
    for (size_t i = 0; i < size; i++) {
        hash = nd_mix64(hash + bytes[i] + 1);
    }
    return hash;
}

static int owner_of(const void *record, int size, const void *context) {
    const trial_exchange *t = context;
    return t->target >= 0 ? t->target % size
                          : nd_comm_hash_owner(hash_bytes(record, t->record_size), size);
}

static uint8_t *random_records(nd_random *random, uint64_t count, size_t size) {
    uint8_t *records = nd_mpi_test_new(count, size);
    for (uint64_t i = 0; i < count * size; i++) {
        records[i] = (uint8_t)nd_random_next(random);
    }
    return records;
}

/* What this rank should get: of all records, rank by rank, those that belong to it, in order. */
static uint64_t expected_records(const nd_comm *comm, const trial_exchange *t, const uint8_t *all,
                                 uint64_t total, uint8_t *expected) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < total; i++) {
        const uint8_t *record = all + i * t->record_size;
        if (owner_of(record, comm->size, t) == comm->rank) {
            memcpy(expected + count++ * t->record_size, record, t->record_size);
        }
    }
    return count;
}

static uint64_t own_count(const nd_comm *comm, nd_random *random, const trial_exchange *t) {
    const uint64_t drawn = nd_random_below(random, t->most + 1);
    return t->source >= 0 && t->source % comm->size != comm->rank ? 0 : drawn;
}

static bool run_trial_exchange(nd_comm *comm, nd_random *random, const trial_exchange *t) {
    nd_random own = {nd_random_next(random) + (uint64_t)comm->rank};
    uint64_t count = own_count(comm, &own, t);
    ND_FREED uint8_t *records = random_records(&own, count, t->record_size);
    uint64_t total = 0;
    ND_FREED uint8_t *all = nd_mpi_test_gather(comm, records, count, t->record_size, &total);
    ND_FREED uint8_t *expected = nd_mpi_test_new(total, t->record_size);
    const uint64_t expected_count = expected_records(comm, t, all, total, expected);
    uint64_t leaving = 0;
    for (uint64_t i = 0; i < count; i++) {
        leaving += owner_of(records + i * t->record_size, comm->size, t) != comm->rank;
    }
    const uint64_t sent = comm->bytes_sent;
    comm->round_bytes = t->round_bytes;
    bool right = ND_CHECK_ALL(
        comm, nd_shuffle(comm, &records, &count, t->record_size, owner_of, t) == ND_OK);
    if (right) {
        right = ND_CHECK_ALL(comm, count == expected_count &&
                                       memcmp(records, expected, count * t->record_size) == 0);
        right = ND_CHECK_ALL(comm, comm->bytes_sent - sent == leaving * t->record_size) && right;
    }
    return right;
}

static void run_all_exchange(const trial_exchange *base) {
    static const uint64_t mosts[] = {0, 1, 2, 3, 800};
    static const size_t sizes[] = {1, 7, 16, 40};
    static const uint64_t rounds[] = {1, 100, 4096, UINT64_C(64) << 20};
    nd_comm *comm = nd_mpi_test_comm();
    const uint64_t round_bytes = comm->round_bytes;
    nd_random random = nd_mpi_test_random("shuffle");
    bool right = true;
    for (size_t i = 0; right && i < 5 * 4 * 4; i++) {
        trial_exchange t = *base;
        t.most = mosts[i % 5];
        t.record_size = sizes[i / 5 % 4];
        t.round_bytes = rounds[i / 20];
        right = run_trial_exchange(comm, &random, &t);
    }
    comm->round_bytes = round_bytes;
}

/* By hash, all to one rank, and all from one. */
ND_TEST("shuffle") {
    run_all_exchange(&(trial_exchange){.target = -1, .source = -1});
    run_all_exchange(&(trial_exchange){.target = 1, .source = -1});
    run_all_exchange(&(trial_exchange){.target = -1, .source = 2});
}

/* nd_exchange() in its two halves, between which ranks work, and work together. */
static nd_status exchange_in_halves(nd_comm *comm, const uint64_t *send,
                                    const uint64_t *send_counts, uint64_t **received,
                                    uint64_t *receive_counts, uint64_t *total) {
    ND_FREED uint64_t *begin = nd_mpi_test_new((uint64_t)comm->size + 1, sizeof *begin);
    uint64_t *nothing = NULL;
    uint64_t none = 1;
    nd_flight flight = {0};
    nd_exchange_move(&flight); /* nothing travels yet */
    for (int r = 0; r < comm->size; r++) {
        begin[r + 1] = begin[r] + send_counts[r];
    }
    const nd_status st =
        nd_exchange_start(comm, send, begin, send_counts, sizeof *send, receive_counts, &flight);
    for (int i = 0; i < 10 * comm->rank; i++) {
        nd_exchange_move(&flight);
    }
    ND_CHECK_ALL(comm, nd_comm_sum(comm, 1) == (uint64_t)comm->size);
    nd_exchange_move(&flight);
    nd_exchange_finish(&flight, received, total);
    nd_exchange_finish(&flight, &nothing, &none);
    ND_CHECK_ALL(comm, nothing == NULL && none == 0);
    return st;
}

/* Rank r sends (r + to) % 3 records to each rank, numbered by (from, to, place). */
static void check_exchange_counts(bool halves) {
    nd_comm *comm = nd_mpi_test_comm();
    ND_FREED uint64_t *send_counts = nd_mpi_test_new(2 * (uint64_t)comm->size, sizeof *send_counts);
    uint64_t *receive_counts = send_counts + comm->size;
    ND_FREED uint64_t *send = nd_mpi_test_new(3 * (uint64_t)comm->size, sizeof *send);
    ND_FREED uint64_t *received = NULL;
    uint64_t total = 0;
    uint64_t count = 0;
    for (int to = 0; to < comm->size; to++) {
        send_counts[to] = (uint64_t)(comm->rank + to) % 3;
        for (uint64_t i = 0; i < send_counts[to]; i++) {
            send[count++] = (uint64_t)comm->rank << 32 | (uint64_t)to << 16 | i;
        }
    }
    const nd_status st =
        halves
            ? exchange_in_halves(comm, send, send_counts, &received, receive_counts, &total)
            : nd_exchange(comm, send, send_counts, sizeof *send, &received, receive_counts, &total);
    if (ND_CHECK_ALL(comm, st == ND_OK)) {
        uint64_t next = 0;
        for (int from = 0; from < comm->size; from++) {
            CU_ASSERT_EQUAL(receive_counts[from], (uint64_t)(from + comm->rank) % 3);
            for (uint64_t i = 0; i < receive_counts[from]; i++) {
                CU_ASSERT_EQUAL(received[next++],
                                (uint64_t)from << 32 | (uint64_t)comm->rank << 16 | i);
            }
        }
        CU_ASSERT_EQUAL(next, total);
    }
}

ND_TEST("exchange: counts and order, at once and in two halves") {
    nd_comm *comm = nd_mpi_test_comm();
    const uint64_t round_bytes = comm->round_bytes;
    check_exchange_counts(false);
    check_exchange_counts(true);
    comm->round_bytes = 1; /* a record a round */
    check_exchange_counts(true);
    comm->round_bytes = round_bytes;
}

/* Owners named one by one, and an array that was never allocated. */
ND_TEST("shuffle to named ranks; nothing at all") {
    nd_comm *comm = nd_mpi_test_comm();
    uint64_t count = 2;
    uint64_t *records = nd_mpi_test_new(count, sizeof *records);
    const int owners[2] = {(comm->rank + 1) % comm->size, comm->rank};
    records[0] = (uint64_t)comm->rank;
    records[1] = 100 + (uint64_t)comm->rank;
    if (ND_CHECK_ALL(comm,
                     nd_shuffle_to(comm, &records, &count, sizeof *records, owners) == ND_OK)) {
        const uint64_t before = (uint64_t)((comm->rank + comm->size - 1) % comm->size);
        const bool before_first = before < (uint64_t)comm->rank || comm->size == 1;
        CU_ASSERT_EQUAL(count, 2);
        CU_ASSERT_EQUAL(records[before_first ? 0 : 1], before);
        CU_ASSERT_EQUAL(records[before_first ? 1 : 0], 100 + (uint64_t)comm->rank);
    }
    free(records);
    records = NULL;
    count = 0;
    ND_CHECK_ALL(comm, nd_shuffle_to(comm, &records, &count, sizeof *records, owners) == ND_OK);
    CU_ASSERT_EQUAL(count, 0);
    free(records);
}

/* ---- Dealing records by cost: nothing lost, order kept, pieces whole, shares about equal. */

typedef struct item_deal {
    uint64_t number; /* in the order that all ranks share */
    uint64_t piece;
    uint64_t cost;
} item_deal;

static uint64_t cost_of(const void *record) {
    return ((const item_deal *)record)->cost;
}

static bool same_piece(const void *record, const void *next) {
    return ((const item_deal *)record)->piece == ((const item_deal *)next)->piece;
}

/* What a trial draws; the same on all ranks. */
typedef struct shape {
    uint64_t most_records; /* on a rank */
    uint64_t most_cost;
    uint64_t most_piece; /* records of a piece */
} shape;

/* All ranks' records in the shared order; a piece lies on one rank. */
static item_deal *draw_items_deal(nd_random *random, const shape *s, const nd_comm *comm,
                                  uint64_t *own_begin, uint64_t *own_end, uint64_t *total) {
    item_deal *items = nd_mpi_test_new((uint64_t)comm->size * s->most_records, sizeof *items);
    uint64_t count = 0;
    uint64_t piece = 0;
    for (int r = 0; r < comm->size; r++) {
        const uint64_t end = count + nd_random_below(random, s->most_records + 1);
        *own_begin = r == comm->rank ? count : *own_begin;
        *own_end = r == comm->rank ? end : *own_end;
        while (count < end) {
            const uint64_t length = 1 + nd_random_below(random, s->most_piece);
            for (uint64_t i = 0; i < length && count < end; i++, count++) {
                items[count] = (item_deal){count, piece, 1 + nd_random_below(random, s->most_cost)};
            }
            piece++;
        }
    }
    *total = count;
    return items;
}

/* No rank is further from its share than the dearest piece. */
static bool balanced(const nd_comm *comm, const item_deal *all, uint64_t total, bool pieces,
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
    const double share = (double)sum * nd_comm_part(comm, comm->rank);
    return (double)mine <= share + (double)dearest + 1e-6 * share &&
           (double)mine >= share - (double)dearest - 1e-6 * share;
}

static bool pieces_are_whole(const nd_comm *comm, const item_deal *mine, uint64_t count) {
    const uint64_t ends[2] = {count == 0 ? UINT64_MAX : mine[0].piece,
                              count == 0 ? UINT64_MAX : mine[count - 1].piece};
    uint64_t numbers = 0;
    ND_FREED uint64_t *all =
        nd_mpi_test_gather(comm, ends, count == 0 ? 0 : 2, sizeof *ends, &numbers);
    bool whole = true;
    for (uint64_t i = 2; i < numbers; i += 2) {
        whole = whole && all[i] != all[i - 1];
    }
    return whole;
}

static bool run_trial_deal(nd_comm *comm, nd_random *random, const shape *s, bool pieces) {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t total = 0;
    ND_FREED item_deal *all = draw_items_deal(random, s, comm, &begin, &end, &total);
    uint64_t count = end - begin;
    ND_FREED item_deal *mine = nd_mpi_test_new(count, sizeof *mine);
    memcpy(mine, all + begin, count * sizeof *mine);
    bool right = ND_CHECK_ALL(comm, nd_deal(comm, &mine, &count, sizeof *mine, cost_of,
                                            pieces ? same_piece : NULL) == ND_OK);
    if (right) {
        uint64_t dealt_total = 0;
        uint64_t cost = 0;
        ND_FREED item_deal *dealt =
            nd_mpi_test_gather(comm, mine, count, sizeof *mine, &dealt_total);
        for (uint64_t i = 0; i < count; i++) {
            cost += mine[i].cost;
        }
        right = ND_CHECK_ALL(comm,
                             dealt_total == total && memcmp(dealt, all, total * sizeof *all) == 0);
        right = ND_CHECK_ALL(comm, balanced(comm, all, total, pieces, cost)) && right;
        right = ND_CHECK_ALL(comm, !pieces || pieces_are_whole(comm, mine, count)) && right;
    }
    return right;
}

static void run_all_deal(bool pieces) {
    static const shape shapes[] = {{0, 1, 1},     {1, 5, 1},     {2, 5, 2},   {50, 1, 1},
                                   {300, 100, 1}, {300, 100, 9}, {40, 1, 40}, {300, 100000, 3}};
    nd_comm paced; /* what it is told of the pace is not for other tests */
    nd_comm *comm = &paced;
    nd_random random = nd_mpi_test_random(pieces ? "pieces" : "records");
    bool right = true;
    nd_comm_open(comm, nd_mpi_test_comm()->handle);
    for (size_t i = 0; i < 10 * sizeof shapes / sizeof shapes[0] && right; i++) {
        const uint64_t slow = nd_random_below(&random, 4);
        (void)nd_comm_pace(comm, 1 + (double)(((uint64_t)comm->rank + slow) % 4));
        right =
            run_trial_deal(comm, &random, &shapes[i % (sizeof shapes / sizeof shapes[0])], pieces);
    }
    nd_comm_close(comm);
}

/* Records that may be parted anywhere, and pieces that stay together. */
ND_TEST("deal") {
    run_all_deal(false);
    run_all_deal(true);
}

/* ---- The pace of ranks. */

/* Do the ranks' shares stand to one another as these speeds, and places lie in them? */
static bool shared_by(const nd_comm *comm, const double *speeds) {
    double total = 0;
    bool right = nd_comm_part_begin(comm, 0) == 0 && nd_comm_part_begin(comm, comm->size) == 1;
    for (int r = 0; r < comm->size; r++) {
        total += speeds[r];
    }
    for (int r = 0; r < comm->size; r++) {
        const double begin = nd_comm_part_begin(comm, r);
        right = right && fabs(nd_comm_part(comm, r) - speeds[r] / total) < 1e-12;
        right = right && nd_comm_part_owner(comm, begin + nd_comm_part(comm, r) / 2) == r;
    }
    return right;
}

/* Seconds that ranks take, and the speeds that follow: of which the median is 1. */
ND_TEST("shares by pace") {
    nd_comm paced;
    nd_comm *comm = &paced;
    nd_comm_open(comm, nd_mpi_test_comm()->handle);
    const int own = comm->rank;
    const int last = comm->size - 1;
    ND_FREED double *speeds = nd_mpi_test_new((uint64_t)comm->size, sizeof *speeds);
    for (int r = 0; r < comm->size; r++) {
        speeds[r] = 1;
    }
    ND_CHECK_ALL(comm, shared_by(comm, speeds));
    /* nothing known; alike; nearly alike */
    ND_CHECK_ALL(comm, !nd_comm_pace(comm, 0) && shared_by(comm, speeds));
    ND_CHECK_ALL(comm, !nd_comm_pace(comm, 7) && shared_by(comm, speeds));
    ND_CHECK_ALL(comm, !nd_comm_pace(comm, own % 2 == 0 ? 1 : 1.2) && shared_by(comm, speeds));
    if (comm->size > 1) {
        speeds[last] = 0.5;
        ND_CHECK_ALL(comm, nd_comm_pace(comm, own == last ? 4 : 2) && shared_by(comm, speeds));
        ND_CHECK_ALL(comm, !nd_comm_pace(comm, own == last ? 4.1 : 2) && shared_by(comm, speeds));
        speeds[last] = 0.125; /* at least that, as if it stood still */
        ND_CHECK_ALL(comm, nd_comm_pace(comm, own == last ? 1e9 : 2) && shared_by(comm, speeds));
        speeds[last] = 1; /* it has said nothing */
        ND_CHECK_ALL(comm, nd_comm_pace(comm, own == last ? 0 : 2) && shared_by(comm, speeds));
    }
    if (comm->size > 2) { /* one that is faster */
        ND_CHECK_ALL(comm, !nd_comm_pace(comm, own == 0 ? 0.1 : 2) && shared_by(comm, speeds));
    }
    nd_pace pace = {0};
    CU_ASSERT(nd_pace_mean(&pace) == 0);
    nd_pace_watch(&pace);
    CU_ASSERT(pace.taken == 1 && nd_pace_mean(&pace) == pace.seconds && pace.seconds > 0);
    pace.next = MPI_Wtime() + 1e9;
    nd_pace_watch(&pace);
    CU_ASSERT(pace.taken == 1);
    nd_comm_close(comm);
}

/* ---- Items given out. */

/* All ranks' costs and ranges, the same on all; some ranges are empty, some items cost nothing. */
static uint64_t *draw_costs(nd_random *random, const nd_comm *comm, uint64_t *first) {
    for (int r = 0; r < comm->size; r++) {
        first[r + 1] =
            first[r] + (nd_random_below(random, 4) == 0 ? 0 : nd_random_below(random, 90));
    }
    uint64_t *costs = nd_mpi_test_new(first[comm->size] + 1, sizeof *costs);
    for (uint64_t i = 0; i < first[comm->size]; i++) {
        costs[i] = nd_random_below(random, 3) == 0 ? 0 : 1 + nd_random_below(random, 1000);
    }
    return costs;
}

/* How the ranks behave. */
typedef enum conduct { ALL_TAKE, ONE_LEAVES, ONE_STANDS } conduct;

/* Not collective. All ranks get here before one goes on; rank 0 answers meanwhile. */
static void meet(nd_dealer *dealer) {
    MPI_Request request;
    int here = 0;
    ND_MPI(MPI_Ibarrier(dealer->comm->handle, &request));
    while (here == 0) {
        nd_dealer_serve(dealer);
        ND_MPI(MPI_Test(&request, &here, MPI_STATUS_IGNORE));
    }
}

static bool give_out(const nd_comm *comm, nd_random *random, conduct how) {
    nd_dealer dealer;
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t pieces = 0;
    bool right = true;
    bool of_others = false;
    uint64_t next = 0; /* of the own range */
    ND_FREED uint64_t *first = nd_mpi_test_new((uint64_t)comm->size + 1, sizeof *first);
    first[0] = 0;
    ND_FREED uint64_t *costs = draw_costs(random, comm, first);
    const uint64_t count = first[comm->size];
    ND_FREED uint64_t *times = nd_mpi_test_new(count + 1, sizeof *times);
    memset(times, 0, (count + 1) * sizeof *times);
    const bool odd = nd_random_below(random, (uint64_t)comm->size) == (uint64_t)comm->rank;
    const uint64_t most = how != ALL_TAKE && odd ? 1 : UINT64_MAX;
    next = first[comm->rank];
    nd_dealer_open(&dealer, comm, costs, first);
    do {
        nd_dealer_take(&dealer, &begin, &end);
        for (uint64_t i = begin; i < end; i++) {
            times[i]++;
        }
        pieces += begin < end;
        const bool own = begin >= first[comm->rank] && begin < first[comm->rank + 1];
        of_others = of_others || (begin < end && !own);
        right = right && (begin == end || !own || (!of_others && begin == next));
        next = end;
        nd_dealer_serve(&dealer);
    } while (begin < end && pieces < most);
    if (how == ONE_STANDS) { /* and the others have taken all by then */
        meet(&dealer);
        nd_dealer_take(&dealer, &begin, &end);
        right = right && begin == end;
    }
    nd_dealer_close(&dealer);
    nd_comm_sum_all(comm, times, count);
    for (uint64_t i = 0; i < count; i++) {
        right = right && times[i] <= 1 && (times[i] == 1 || costs[i] == 0 || how == ONE_LEAVES);
    }
    return ND_CHECK_ALL(comm, right);
}

ND_TEST("every item is given once") {
    nd_comm *comm = nd_mpi_test_comm();
    nd_random random = nd_mpi_test_random("dealer");
    bool right = true;
    for (int i = 0; i < 60 && right; i++) {
        right = give_out(comm, &random, ALL_TAKE);
    }
}

ND_TEST("a rank that stands still is given no more than it has") {
    nd_comm *comm = nd_mpi_test_comm();
    nd_random random = nd_mpi_test_random("standing");
    bool right = true;
    for (int i = 0; i < 30 && right && comm->size > 1; i++) {
        right = give_out(comm, &random, ONE_STANDS);
    }
}

ND_TEST("a rank that leaves ends it for all") {
    nd_comm *comm = nd_mpi_test_comm();
    nd_random random = nd_mpi_test_random("leaving");
    bool right = true;
    for (int i = 0; i < 30 && right; i++) {
        right = give_out(comm, &random, ONE_LEAVES);
    }
}

/* ---- Streams of records: every record arrives once, whole and at its owner, however the records
 * fall; what arrives at once is bounded; and a failure on one rank is one on all. */

enum { MOST_SIZE = 100 };

/* ---- records: a number, then bytes that follow from it */

static void write_record(uint8_t *record, size_t size, uint64_t number) {
    memcpy(record, &number, sizeof number);
    for (size_t i = sizeof number; i < size; i++) {
        record[i] = (uint8_t)nd_mix64(number * MOST_SIZE + i);
    }
}

static uint64_t number_of(const uint8_t *record) {
    uint64_t number = 0;
    memcpy(&number, record, sizeof number);
    return number;
}

static bool is_whole(const uint8_t *record, size_t size) {
    uint8_t expected[MOST_SIZE];
    write_record(expected, size, number_of(record));
    return memcmp(expected, record, size) == 0;
}

/* ---- where they go */

static int to_any(const void *record, int size, const void *context) {
    (void)context;
    return nd_comm_hash_owner(nd_mix64(number_of(record)), size);
}

static int to_one(const void *record, int size, const void *context) {
    (void)record;
    return *(const int *)context % size;
}

/* Nine of ten to one rank. */
static int to_one_mostly(const void *record, int size, const void *context) {
    return number_of(record) % 10 == 0 ? to_any(record, size, context)
                                       : to_one(record, size, context);
}

/* ---- one rank's part of a trial */

typedef struct stream_trial {
    const nd_comm *comm;
    size_t size; /* of a record */
    nd_owner owner;
    int favourite;
    uint64_t first; /* number of this rank's first record */
    uint64_t count;
    uint64_t given; /* by the source */
    bool ended;     /* the source has said so */
    bool asked_again;
    uint64_t *arrived; /* numbers */
    uint64_t arrived_count;
    uint64_t most;    /* records of one call */
    bool wrong;       /* damaged, or another rank's */
    uint64_t fail_at; /* the sink, or the source, fails at this record; 0: never */
} stream_trial;

static nd_status take(void *context, const void *records, uint64_t count) {
    stream_trial *t = context;
    const uint8_t *record = records;
    t->most = count > t->most ? count : t->most;
    for (uint64_t i = 0; i < count; i++, record += t->size) {
        t->wrong = t->wrong || !is_whole(record, t->size) ||
                   t->owner(record, t->comm->size, &t->favourite) != t->comm->rank;
        t->arrived[t->arrived_count++] = number_of(record);
    }
    return t->fail_at > 0 && t->arrived_count >= t->fail_at ? nd_fail(ND_ERR_IO, "the sink is full")
                                                            : ND_OK;
}

/* Gives fewer than there is room for, now and then. */
static nd_status stream_give(void *context, void *records, uint64_t room, uint64_t *count) {
    stream_trial *t = context;
    uint8_t *record = records;
    const uint64_t left = t->count - t->given;
    const uint64_t most = t->given % 3 == 0 ? room : (room + 1) / 2;
    t->asked_again = t->asked_again || t->ended;
    *count = left < most ? left : most;
    for (uint64_t i = 0; i < *count; i++, record += t->size) {
        write_record(record, t->size, t->first + t->given++);
    }
    t->ended = *count == 0;
    return t->fail_at > 0 && t->given >= t->fail_at ? nd_fail(ND_ERR_IO, "the source is dry")
                                                    : ND_OK;
}

static nd_shuffle_stream open_trial(stream_trial *t, nd_comm *comm, uint64_t count,
                                    uint64_t *total) {
    ND_FREED uint64_t *first = nd_mpi_test_new((uint64_t)comm->size + 1, sizeof *first);
    nd_comm_ranges(comm, count, first);
    *total = first[comm->size];
    t->comm = comm;
    t->count = count;
    t->first = first[comm->rank];
    t->arrived = nd_mpi_test_new(*total, sizeof *t->arrived);
    return (nd_shuffle_stream){.comm = comm,
                               .record_size = t->size,
                               .owner = t->owner,
                               .owner_context = &t->favourite,
                               .sink = take,
                               .sink_context = t};
}

static uint8_t *all_records(const stream_trial *t) {
    uint8_t *records = nd_mpi_test_new(t->count, t->size);
    for (uint64_t i = 0; i < t->count; i++) {
        write_record(records + i * t->size, t->size, t->first + i);
    }
    return records;
}

/* ---- what must hold */

/* Every number arrived once, on whatever rank. */
static bool all_arrived(const stream_trial *t, uint64_t total) {
    uint64_t gathered = 0;
    ND_FREED uint64_t *numbers =
        nd_mpi_test_gather(t->comm, t->arrived, t->arrived_count, sizeof *numbers, &gathered);
    ND_FREED uint8_t *times = nd_mpi_test_new(total, 1);
    bool once = gathered == total;
    for (uint64_t i = 0; i < gathered && once; i++) {
        once = numbers[i] < total && times[numbers[i]]++ == 0;
    }
    return once;
}

/* Twice what a rank sends at once, however many send to it: and one record of each rank at least.
 */
static bool is_bounded(const stream_trial *t) {
    const uint64_t room = t->comm->round_bytes / t->size;
    return t->most <= 2 * (room < 2 ? 2 : room) + (uint64_t)t->comm->size;
}

static bool check_trial(const stream_trial *t, uint64_t total) {
    bool right = ND_CHECK_ALL(t->comm, !t->wrong && !t->asked_again);
    return ND_CHECK_ALL(t->comm, all_arrived(t, total)) && right;
}

static nd_spool spool_of(const stream_trial *t, nd_spool_folder *folder) {
    nd_spool spool;
    ND_FREED uint8_t *records = all_records(t);
    nd_spool_open(&spool, folder, 1);
    ND_TEST_OK(nd_spool_append(&spool, records, t->count * t->size));
    return spool;
}

/* All ways to send the same records. */
static bool send_all_ways(nd_comm *comm, stream_trial t, uint64_t count) {
    uint64_t total = 0;
    nd_spool_folder folder = {.path = nd_test_folder(), .rank = comm->rank};
    const nd_shuffle_stream stream = open_trial(&t, comm, count, &total);
    bool right = ND_CHECK_ALL(comm, nd_shuffle_run(&stream, stream_give, &t) == ND_OK);
    right = ND_CHECK_ALL(comm, is_bounded(&t)) && check_trial(&t, total) && right;

    ND_FREED uint8_t *records = all_records(&t);
    t.arrived_count = t.most = 0;
    right = ND_CHECK_ALL(comm, nd_shuffle_send(&stream, records, count) == ND_OK) && right;
    right = ND_CHECK_ALL(comm, comm->size == 1 || is_bounded(&t)) && right;
    right = check_trial(&t, total) && right;

    ND_FREED int *stream_owners = nd_mpi_test_new(count, sizeof *stream_owners);
    for (uint64_t i = 0; i < count; i++) {
        stream_owners[i] = t.owner(records + i * t.size, comm->size, &t.favourite);
    }
    t.arrived_count = t.most = 0;
    right =
        ND_CHECK_ALL(comm, nd_shuffle_send_to(&stream, records, count, stream_owners) == ND_OK) &&
        right;
    right = ND_CHECK_ALL(comm, comm->size == 1 || is_bounded(&t)) && right;
    right = check_trial(&t, total) && right;

    nd_spool_reader reader;
    nd_spool spool = spool_of(&t, &folder);
    nd_spool_reader_open(&reader, &spool, t.size, 0, count, 0);
    t.arrived_count = t.most = 0;
    right = ND_CHECK_ALL(comm, nd_shuffle_run(&stream, nd_shuffle_from_spool, &reader) == ND_OK) &&
            right;
    right = ND_CHECK_ALL(comm, is_bounded(&t)) && check_trial(&t, total) && right;
    nd_spool_reader_close(&reader);
    nd_spool_close(&spool);
    free(t.arrived);
    return right;
}

/* ---- the tests */

static const nd_owner stream_owners[] = {to_any, to_one, to_one_mostly};

/* Rounds of less than a record to rounds of everything; ranks with many records and with none. */
ND_TEST("everything arrives") {
    static const size_t sizes[] = {8, 12, 24, MOST_SIZE};
    static const uint64_t rounds[] = {1, 100, 1000, 8000};
    static const uint64_t mosts[] = {0, 1, 30, 700};
    nd_comm *comm = nd_mpi_test_comm();
    const uint64_t round_bytes = comm->round_bytes;
    nd_random random = nd_mpi_test_random("stream");
    bool right = true;
    for (int r = 0; r < nd_test_rounds(48) && right; r++) {
        const uint64_t i = nd_test_case(&random, r, 48);
        nd_random own = {nd_random_next(&random) + (uint64_t)comm->rank};
        const stream_trial t = {.size = sizes[i % 4],
                                .owner = stream_owners[i % 3],
                                .favourite = (int)nd_random_below(&random, 100)};
        uint64_t most = mosts[nd_random_below(&own, 4)];
        comm->round_bytes = rounds[(i + i / 4) % 4];
        most =
            comm->round_bytes == 1 ? nd_min(most, 30) : most; /* a round of one record takes long */
        right =
            send_all_ways(comm, t, nd_random_below(&own, (uint64_t)nd_test_rounds((int)most) + 1));
    }
    comm->round_bytes = round_bytes;
}

/* Many more records than a round holds, all to one rank: it gets them piece by piece. */
ND_TEST("all records to one rank") {
    nd_comm *comm = nd_mpi_test_comm();
    const uint64_t round_bytes = comm->round_bytes;
    comm->round_bytes = 4096;
    for (int rank = 0; rank < comm->size; rank++) {
        const stream_trial t = {.size = 16, .owner = to_one, .favourite = rank};
        (void)send_all_ways(comm, t, (uint64_t)nd_test_rounds(20000) / (uint64_t)comm->size);
    }
    comm->round_bytes = round_bytes;
}

/* Only one rank has records. */
ND_TEST("one sender") {
    nd_comm *comm = nd_mpi_test_comm();
    const uint64_t round_bytes = comm->round_bytes;
    comm->round_bytes = 1000;
    for (int rank = 0; rank < comm->size; rank++) {
        const stream_trial t = {.size = 24, .owner = to_any};
        (void)send_all_ways(comm, t, rank == comm->rank ? (uint64_t)nd_test_rounds(3000) : 0);
    }
    comm->round_bytes = round_bytes;
}

/* The sink of the last rank fails in the middle: all ranks learn of it and why, and none hangs. */
ND_TEST("a sink that fails") {
    nd_comm *comm = nd_mpi_test_comm();
    const uint64_t round_bytes = comm->round_bytes;
    const bool fails = comm->rank == comm->size - 1;
    uint64_t total = 0;
    comm->round_bytes = 1000;
    stream_trial t = {.size = 24, .owner = to_any};
    const nd_shuffle_stream stream = open_trial(&t, comm, 2000, &total);
    stream_trial source = t; /* which does not fail */
    t.fail_at = fails ? 500 : 0;
    ND_CHECK_ALL(comm, nd_shuffle_run(&stream, stream_give, &source) ==
                           (fails ? ND_ERR_IO : ND_ERR_PEER));
    ND_CHECK_ALL(comm, strstr(nd_fail_text(), "the sink is full") != NULL);
    ND_CHECK_ALL(comm, source.given < source.count); /* the others did not go on */
    free(t.arrived);
    comm->round_bytes = round_bytes;
}

ND_TEST("a source that fails") {
    nd_comm *comm = nd_mpi_test_comm();
    const uint64_t round_bytes = comm->round_bytes;
    const bool fails = comm->rank == 0;
    uint64_t total = 0;
    comm->round_bytes = 1000;
    stream_trial t = {.size = 24, .owner = to_any};
    const nd_shuffle_stream stream = open_trial(&t, comm, fails ? 2000 : 10, &total);
    stream_trial source = t; /* which fails, where the sink does not */
    source.fail_at = fails ? 700 : 0;
    ND_CHECK_ALL(comm, nd_shuffle_run(&stream, stream_give, &source) ==
                           (fails ? ND_ERR_IO : ND_ERR_PEER));
    ND_CHECK_ALL(comm, strstr(nd_fail_text(), "the source is dry") != NULL);
    free(t.arrived);
    comm->round_bytes = round_bytes;
}

/* ---- Fetching from other ranks: every item's answer can be worked out from its number. */

enum { MOST_BYTES = 60, FIXED_BYTES = 12 };

/* Most are below 15, but for some items, where none are. */
static uint8_t byte_of(uint64_t item, size_t place) {
    const uint8_t byte = (uint8_t)nd_mix64(item * MOST_BYTES + place);
    return item % 5 == 0 || place % 4 == 0 ? byte : byte % 15;
}

/* A third of the items have no bytes. */
static size_t size_of(uint64_t item) {
    return item % 3 == 0 ? 0 : (size_t)(nd_mix64(item) % MOST_BYTES);
}

/* What a provider needs: a place for the present answer, and the items that may be asked. */
typedef struct shelf {
    uint8_t *bytes; /* of all own items, MOST_BYTES each */
    uint8_t *answer;
    uint64_t first, end;
    uint64_t strangers; /* items asked that are not this rank's */
    bool fails;         /* to give the last one */
} shelf;

static bool is_own(shelf *s, uint64_t item) {
    const bool own = item >= s->first && item < s->end;
    s->strangers += !own;
    return own;
}

static uint64_t give_size(const void *context, uint64_t item) {
    (void)context;
    return size_of(item);
}

/* The same buffer for each answer: it is borrowed until the next call only. */
static nd_status give_fetch(void *context, uint64_t item, nd_span *bytes) {
    shelf *s = context;
    *bytes = (nd_span){s->answer, size_of(item)};
    if (is_own(s, item)) {
        memcpy(s->answer, s->bytes + (item - s->first) * MOST_BYTES, size_of(item));
    }
    return s->fails && item == s->end - 1 ? nd_fail(ND_ERR_IO, "the last item is gone") : ND_OK;
}

static nd_status give_fixed(void *context, uint64_t item, nd_span *bytes) {
    shelf *s = context;
    (void)is_own(s, item);
    for (size_t i = 0; i < FIXED_BYTES; i++) {
        s->answer[i] = byte_of(item, i);
    }
    *bytes = (nd_span){s->answer, FIXED_BYTES};
    return ND_OK;
}

/* Items of this trial by rank, some ranks without any; the same on all ranks. */
static void draw_ranges(nd_random *random, int size, uint64_t *first) {
    static const uint64_t mosts[] = {1, 2, 3, 400};
    first[0] = 0;
    for (int r = 0; r < size; r++) {
        const uint64_t most = mosts[nd_random_below(random, 4)];
        first[r + 1] = first[r] + nd_random_below(random, most);
    }
}

static void open_shelf(shelf *s, const nd_comm *comm, const uint64_t *first) {
    *s = (shelf){.first = first[comm->rank], .end = first[comm->rank + 1]};
    s->bytes = nd_mpi_test_new(s->end - s->first, MOST_BYTES);
    s->answer = nd_mpi_test_new(1, MOST_BYTES);
    for (uint64_t item = s->first; item < s->end; item++) {
        for (size_t i = 0; i < MOST_BYTES; i++) {
            s->bytes[(item - s->first) * MOST_BYTES + i] = byte_of(item, i);
        }
    }
}

static void close_shelf(shelf *s) {
    free(s->bytes);
    free(s->answer);
}

/* Up to `most` items of `total`, ascending and distinct; each rank its own. */
static uint64_t *draw_items_fetch(nd_random *random, uint64_t total, uint64_t most,
                                  uint64_t *count) {
    *count = total == 0 ? 0 : nd_random_below(random, most + 1);
    uint64_t *items = nd_mpi_test_new(*count, sizeof *items);
    for (uint64_t i = 0; i < *count; i++) {
        items[i] = nd_random_below(random, total);
    }
    *count = nd_numbers_distinct(items, *count);
    return items;
}

static bool fetched_right(const nd_fetched *fetched, const uint64_t *items, uint64_t count) {
    bool right = fetched->begin[0] == 0;
    for (uint64_t i = 0; i < count && right; i++) {
        const uint8_t *bytes = fetched->bytes + fetched->begin[i];
        right = fetched->begin[i + 1] - fetched->begin[i] == size_of(items[i]);
        for (size_t k = 0; right && k < size_of(items[i]); k++) {
            right = bytes[k] == byte_of(items[i], k);
        }
    }
    return right;
}

static bool fixed_right(const uint8_t *bytes, const uint64_t *items, uint64_t count) {
    bool right = true;
    for (uint64_t i = 0; i < count * FIXED_BYTES && right; i++) {
        right = bytes[i] == byte_of(items[i / FIXED_BYTES], i % FIXED_BYTES);
    }
    return right;
}

/* ---- half a byte for each that is below 15, and one and a half for the others */

static size_t most_halves(size_t size) {
    return (3 * size + 1) / 2;
}

static void put_half(uint8_t *packed, size_t place, uint8_t half) {
    packed[place / 2] = (uint8_t)(place % 2 == 0 ? half : packed[place / 2] | half << 4);
}

static size_t pack_halves(const void *context, const uint8_t *bytes, size_t size, uint8_t *packed) {
    size_t halves = 0;
    (void)context;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] < 15) {
            put_half(packed, halves++, bytes[i]);
        } else {
            put_half(packed, halves++, 15);
            put_half(packed, halves++, bytes[i] & 15);
            put_half(packed, halves++, bytes[i] >> 4);
        }
    }
    return (halves + 1) / 2;
}

static bool unpack_halves(const void *context, nd_span packed, uint8_t *bytes, size_t size) {
    size_t halves = 0;
    uint8_t values[3] = {0};
    (void)context;
    for (size_t i = 0; i < size; i++) {
        for (size_t k = 0; k == 0 || (k < 3 && values[0] == 15); k++, halves++) {
            values[k] = packed.data[halves / 2] >> (halves % 2 * 4) & 15;
        }
        bytes[i] = values[0] < 15 ? values[0] : (uint8_t)(values[1] | values[2] << 4);
    }
    return (halves + 1) / 2 == packed.size;
}

/* To every other rank, as each of two sees it. */
static nd_wire draw_wire(const nd_comm *comm, bool *packs) {
    for (int r = 0; r < comm->size; r++) {
        packs[r] = (r + comm->rank) % 2 == 1;
    }
    return (nd_wire){
        .packs = packs, .most = most_halves, .pack = pack_halves, .unpack = unpack_halves};
}

static bool fetch_trial(nd_comm *comm, const uint64_t *first, nd_random *own, uint64_t most) {
    shelf s;
    uint64_t count = 0;
    ND_FREED uint64_t *items = draw_items_fetch(own, first[comm->size], most, &count);
    ND_OWNED(nd_fetched_free) nd_fetched fetched = {0};
    ND_FREED uint8_t *fixed = NULL;
    ND_FREED bool *packs = nd_mpi_test_new((uint64_t)comm->size, sizeof *packs);
    const nd_wire wire = draw_wire(comm, packs);
    open_shelf(&s, comm, first);
    const nd_provider any = {.context = &s, .wire = &wire, .size = give_size, .give = give_fetch};
    const nd_provider one_size = {
        .context = &s, .wire = most % 2 == 0 ? &wire : NULL, .give = give_fixed};
    bool right = true;
    for (uint64_t part = 0; part < 3 && right;
         part++) { /* none, some, and all in the same memory */
        const uint64_t some = count * part / 2;
        right = ND_CHECK_ALL(comm, nd_fetch(comm, first, items, some, &any, &fetched) == ND_OK);
        right = right && ND_CHECK_ALL(comm, fetched_right(&fetched, items, some));
    }
    right = right && ND_CHECK_ALL(comm, nd_fetch_fixed(comm, first, items, count, &one_size,
                                                       FIXED_BYTES, &fixed) == ND_OK);
    right = right && ND_CHECK_ALL(comm, fixed_right(fixed, items, count));
    right = ND_CHECK_ALL(comm, s.strangers == 0) && right;
    close_shelf(&s);
    return right;
}

ND_TEST("fetch, variable and fixed sizes") {
    static const uint64_t mosts[] = {0, 1, 2, 50, 2000};
    nd_comm *comm = nd_mpi_test_comm();
    const uint64_t round_bytes = comm->round_bytes;
    nd_random random = nd_mpi_test_random("fetch");
    ND_FREED uint64_t *first = nd_mpi_test_new((uint64_t)comm->size + 1, sizeof *first);
    bool right = true;
    for (int trial = 0; trial < nd_test_rounds(60) && right; trial++) {
        nd_random own = {nd_random_next(&random) + (uint64_t)comm->rank};
        comm->round_bytes = trial % 2 == 0 ? 64 : round_bytes;
        draw_ranges(&random, comm->size, first);
        right = fetch_trial(comm, first, &own, mosts[trial % 5]);
    }
    comm->round_bytes = round_bytes;
}

/* Only one rank asks, the others have nothing to ask for and still take part. */
ND_TEST("only one rank asks") {
    nd_comm *comm = nd_mpi_test_comm();
    nd_random random = nd_mpi_test_random("one asks");
    ND_FREED uint64_t *first = nd_mpi_test_new((uint64_t)comm->size + 1, sizeof *first);
    for (int r = 0; r < comm->size; r++) {
        first[r + 1] = first[r] + 10;
    }
    nd_random own = {nd_random_next(&random)};
    (void)fetch_trial(comm, first, &own, comm->rank == comm->size - 1 ? 1000 : 0);
}

/* An answer of one byte. */
ND_TEST("an answer of one byte") {
    nd_comm *comm = nd_mpi_test_comm();
    ND_FREED uint64_t *first = nd_mpi_test_new((uint64_t)comm->size + 1, sizeof *first);
    uint64_t item = 0;
    shelf s;
    ND_OWNED(nd_fetched_free) nd_fetched fetched = {0};
    while (size_of(item) != 1) {
        item++;
    }
    for (int r = 0; r < comm->size; r++) {
        first[r + 1] = first[r] + item + 1;
    }
    open_shelf(&s, comm, first);
    const nd_provider any = {.context = &s, .size = give_size, .give = give_fetch};
    ND_CHECK_ALL(comm, nd_fetch(comm, first, &item, 1, &any, &fetched) == ND_OK);
    ND_CHECK_ALL(comm, fetched_right(&fetched, &item, 1));
    close_shelf(&s);
}

static uint64_t entry_of(uint64_t item) {
    return nd_mix64(item + 17);
}

static bool lookup_trial(nd_comm *comm, const uint64_t *first, nd_random *own, bool in_place) {
    const uint64_t total = first[comm->size];
    const uint64_t count = total == 0 ? 0 : nd_random_below(own, 500);
    ND_FREED uint64_t *items = nd_mpi_test_new(count, sizeof *items);
    ND_FREED uint64_t *asked = nd_mpi_test_new(count, sizeof *asked);
    ND_FREED uint64_t *values = nd_mpi_test_new(count, sizeof *values);
    const uint64_t begin = first[comm->rank];
    const uint64_t held = first[comm->rank + 1] - begin;
    ND_FREED uint64_t *table = nd_mpi_test_new(held, sizeof *table);
    for (uint64_t i = 0; i < held; i++) {
        table[i] = entry_of(begin + i);
    }
    for (uint64_t i = 0; i < count; i++) { /* any order; repeats where there are few items */
        items[i] = nd_random_below(own, total);
        asked[i] = items[i];
    }
    bool right = ND_CHECK_ALL(
        comm, nd_lookup(comm, first, table, items, count, in_place ? items : values) == ND_OK);
    bool same = true;
    for (uint64_t i = 0; i < count; i++) {
        same = same && (in_place ? items[i] : values[i]) == entry_of(asked[i]);
        same = same && (in_place || items[i] == asked[i]);
    }
    right = ND_CHECK_ALL(comm, same) && right;
    return right;
}

ND_TEST("lookup") {
    nd_comm *comm = nd_mpi_test_comm();
    const uint64_t round_bytes = comm->round_bytes;
    nd_random random = nd_mpi_test_random("lookup");
    ND_FREED uint64_t *first = nd_mpi_test_new((uint64_t)comm->size + 1, sizeof *first);
    bool right = true;
    for (int trial = 0; trial < nd_test_rounds(60) && right; trial++) {
        nd_random own = {nd_random_next(&random) + (uint64_t)comm->rank};
        comm->round_bytes = trial % 3 == 0 ? 1 + (uint64_t)trial : round_bytes; /* in pieces */
        draw_ranges(&random, comm->size, first);
        right = lookup_trial(comm, first, &own, trial % 2 == 0);
    }
    comm->round_bytes = round_bytes;
}

/* One rank cannot give one item, at once or while earlier answers travel: nobody gets anything. */
ND_TEST("an item that cannot be given") {
    enum { ITEMS = 600 }; /* some 12,000 bytes; rounds have 4,096 at least */
    nd_comm *comm = nd_mpi_test_comm();
    const bool fails = comm->rank == comm->size - 1;
    ND_FREED uint64_t *first = nd_mpi_test_new((uint64_t)comm->size + 1, sizeof *first);
    uint64_t items[ITEMS];
    shelf s;
    nd_fetched fetched = {0};
    for (int r = 0; r < comm->size; r++) {
        first[r + 1] = first[r] + ITEMS;
    }
    for (uint64_t i = 0; i < ITEMS; i++) { /* of the failing rank; the last one has bytes */
        items[i] = first[comm->size] - ITEMS + i;
    }
    while (size_of(first[comm->size] - 1) == 0) {
        first[comm->size]++;
        items[ITEMS - 1]++;
    }
    open_shelf(&s, comm, first);
    s.fails = fails;
    const nd_provider provider = {.context = &s, .size = give_size, .give = give_fetch};
    const uint64_t round_bytes = comm->round_bytes;
    for (int rounds = 0; rounds < 2; rounds++) {
        comm->round_bytes = rounds == 0 ? round_bytes : 64;
        const nd_status st =
            nd_fetch(comm, first, items, comm->rank == 0 ? ITEMS : 0, &provider, &fetched);
        ND_CHECK_ALL(comm, st == (fails ? ND_ERR_IO : ND_ERR_PEER));
        ND_CHECK_ALL(comm, strstr(nd_fail_text(), "the last item is gone") != NULL);
        ND_CHECK_ALL(comm, fetched.bytes == NULL && fetched.begin == NULL);
    }
    comm->round_bytes = round_bytes;
    close_shelf(&s);
}
