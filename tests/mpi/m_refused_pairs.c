/* The most similar pairs of two sets, of a small result. */
#include "mpi/cmd/report/refused_pairs.h"
#include "tests/support/mpi_check.h"
#include "tests/support/small_result.h"

static void test_refused(void) {
    static const nd_test_change changes[] = {
        {"/pairs/a", 0, 0, NULL},           {"/pairs/b", 0, 3, NULL}, {"/pairs/a", 1, 2, NULL},
        {"/pairs/b", 1, 5, NULL},           {"/pairs/a", 2, 3, NULL}, {"/pairs/b", 2, 4, NULL},
        {"/pairs/similarity", 2, .75, NULL}};
    const nd_test_made made = {.changes = changes,
                               .change_count = sizeof changes / sizeof changes[0]};
    const char *path = nd_mpi_test_path("refused.h5");
    nd_result result = {0};
    nd_refused_pair pairs[2];
    uint64_t kept = 0;
    uint64_t count = 0;
    if (nd_mpi_test_comm()->rank != 0) {
        return; /* it is asked by one process */
    }
    CU_ASSERT_EQUAL(nd_test_result_write(&result, path, &made), ND_OK);
    nd_test_result_finish(&result);
    CU_ASSERT_EQUAL(nd_result_open(&result, path), ND_OK);
    CU_ASSERT_EQUAL(nd_refused_pairs_find(&result, 2, pairs, &kept, &count), ND_OK);
    CU_ASSERT(kept == 2 && count == 3);
    CU_ASSERT(pairs[0].a == 2 && pairs[0].b == 5 && pairs[0].similarity == .75F);
    /* the later one of two that are as similar, in the place of one that is less so */
    CU_ASSERT(pairs[1].a == 3 && pairs[1].b == 4 && pairs[1].similarity == .75F);
    CU_ASSERT_EQUAL(nd_refused_pairs_find(&result, 0, pairs, &kept, &count), ND_OK);
    CU_ASSERT(kept == 0 && count == 3);
    CU_ASSERT_EQUAL(nd_result_close(&result), ND_OK);
}

static const nd_test tests[] = {{"refused pairs", test_refused}};

ND_SUITE(m_refused_pairs, tests)
