/* The agreement of ranks, small reductions, and who owns what. */
#include "tests/support/mpi_check.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_agree_on_success(void) {
    ND_CHECK_ALL(nd_mpi_test_comm(), nd_comm_agree(nd_mpi_test_comm(), ND_OK) == ND_OK);
}

/* Whichever rank fails: it keeps its own status, the others learn of a peer, and all can say why.
 */
static void test_agree_on_failure_of_each_rank(void) {
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

static void test_agree_names_the_lowest_of_many(void) {
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
static void test_nested_agreement(void) {
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

static void test_sum_max_before(void) {
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
static void test_ranges_and_owners(void) {
    nd_comm *comm = nd_mpi_test_comm();
    nd_random random = nd_mpi_test_random("ranges");
    uint64_t *first = nd_mpi_test_new((uint64_t)comm->size + 1, sizeof *first);
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
    free(first);
}

/* hash / 2^64 * size: ascending, the ends at the ends, about equal shares. */
static void test_hash_owners(void) {
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
static void test_turns(void) {
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
static void test_hints(void) {
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

static const nd_test tests[] = {
    {"agree on success", test_agree_on_success},
    {"agree on the failure of each rank", test_agree_on_failure_of_each_rank},
    {"agree names the lowest of many", test_agree_names_the_lowest_of_many},
    {"nested agreement", test_nested_agreement},
    {"sum, maximum, sum before", test_sum_max_before},
    {"ranges and their owners", test_ranges_and_owners},
    {"owners by hash", test_hash_owners},
    {"hints for files", test_hints},
    {"turns are given up by the program's function", test_turns},
};

ND_SUITE(m_comm, tests)
