/* The shares of a rank's memory fit into it, from the least to more than any node has. */
#include "mpi/job/job.h"
#include "tests/support/mpi_check.h"

#include <stdlib.h>

/* What is alive at once, as the header says. */
static uint64_t sum_of(const nd_memory *m) {
    return m->store + 3 * m->sort + 4 * m->spool + m->batch + 4 * m->round;
}

/* Totals of every size, and around those where the base begins to count. */
static void test_shares_fit(void) {
    const uint64_t base = ND_MEMORY_BASE;
    nd_random random = nd_mpi_test_random("shares");
    for (uint64_t total = UINT64_C(16) << 20; total <= UINT64_C(1) << 40; total += total / 7) {
        const uint64_t drawn = total + nd_random_below(&random, total / 7);
        const nd_memory m = nd_memory_shares(drawn);
        CU_ASSERT_EQUAL(m.total, drawn);
        CU_ASSERT(sum_of(&m) + (drawn > 2 * base ? base : 0) <= drawn);
    }
    for (uint64_t total = 2 * base - 2; total < 2 * base + 3; total++) {
        const nd_memory m = nd_memory_shares(total);
        CU_ASSERT(sum_of(&m) + (total > 2 * base ? base : 0) <= total);
    }
}

/* Of the least memory that the program takes, a spool and a sort get what they take at least; so
 * no share is larger than it says. */
static void test_least_shares(void) {
    const nd_memory m = nd_memory_shares(UINT64_C(16) << 20);
    CU_ASSERT(m.spool >= 64 << 10);
    CU_ASSERT(m.sort >= 256 << 10);
    CU_ASSERT(m.store / 8 >= 3 * 64 << 10); /* that much is left for texts and names, in any case */
}

/* More memory, more of everything. */
static void test_shares_grow(void) {
    nd_memory before = nd_memory_shares(UINT64_C(16) << 20);
    for (uint64_t total = UINT64_C(17) << 20; total <= UINT64_C(1) << 40; total += total / 5) {
        const nd_memory m = nd_memory_shares(total);
        CU_ASSERT(m.store >= before.store && m.sort >= before.sort && m.spool >= before.spool &&
                  m.batch >= before.batch && m.round >= before.round);
        before = m;
    }
}

static void set_slurm(const char *per_node, const char *per_cpu, const char *cpus) {
    static const char *const names[] = {"SLURM_MEM_PER_NODE", "SLURM_MEM_PER_CPU",
                                        "SLURM_CPUS_ON_NODE"};
    const char *const values[] = {per_node, per_cpu, cpus};
    for (int i = 0; i < 3; i++) {
        CU_ASSERT_EQUAL(values[i] == NULL ? unsetenv(names[i]) : setenv(names[i], values[i], 1), 0);
    }
}

/* Four fifths of what Slurm gives, which is never more than there is; shared by the node's ranks.
 */
static void test_default(void) {
    const uint64_t mebibyte = UINT64_C(1) << 20;
    set_slurm(NULL, NULL, NULL);
    const uint64_t node = nd_memory_default(1);
    CU_ASSERT(node > 16 * mebibyte);
    CU_ASSERT(nd_memory_default(4) <= node / 4 && nd_memory_default(4) + 1 >= node / 4);
    CU_ASSERT_EQUAL(nd_memory_default(0), node);
    set_slurm("100", NULL, NULL);
    CU_ASSERT_EQUAL(nd_memory_default(1), 80 * mebibyte);
    CU_ASSERT_EQUAL(nd_memory_default(5), 16 * mebibyte);
    set_slurm(NULL, "50", "2");
    CU_ASSERT_EQUAL(nd_memory_default(1), 80 * mebibyte);
    set_slurm("0", NULL, NULL); /* all of the node */
    CU_ASSERT_EQUAL(nd_memory_default(1), node);
    set_slurm("1000000000", NULL, NULL);
    CU_ASSERT_EQUAL(nd_memory_default(1), node);
    set_slurm(NULL, NULL, NULL);
}

static const nd_test tests[] = {
    {"shares fit", test_shares_fit},
    {"least shares", test_least_shares},
    {"shares grow", test_shares_grow},
    {"the default", test_default},
};

ND_SUITE(m_memory, tests)
