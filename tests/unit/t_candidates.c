/* Postings, and candidate pairs in groups: the runs of a group give what the uncut group gives. */
#include "src/sets/candidates.h"
#include "tests/support/check.h"

#include <stdlib.h>

static void test_posting(void) {
    const uint64_t page = (UINT64_C(1) << ND_POSTING_PAGE_BITS) - 1;
    const uint64_t value = nd_posting_value(page, 77);
    CU_ASSERT_EQUAL(nd_posting_page(value), page);
    CU_ASSERT_EQUAL(nd_posting_length(value), 77);
    CU_ASSERT_EQUAL(nd_posting_length(nd_posting_value(3, 0)), 0);
    CU_ASSERT_EQUAL(nd_posting_page(nd_posting_value(3, UINT64_MAX)), 3);
    CU_ASSERT_EQUAL(nd_posting_length(nd_posting_value(3, UINT64_MAX)), (1 << 24) - 1);
    /* by length, then page */
    CU_ASSERT(nd_posting_value(9, 1) < nd_posting_value(0, 2));
    CU_ASSERT(nd_posting_value(8, 2) < nd_posting_value(9, 2));
}

/* seen[i]: bit d - 1 is set for the pair (i, i + d); d goes up to 15 at most. */
static void pairs_of_piece(uint32_t *seen, uint64_t group, uint64_t begin, uint64_t piece,
                           uint64_t leads) {
    for (uint64_t i = 0; i < leads; i++) {
        for (uint64_t k = i + 1; k < nd_group_partner_end(ND_GROUP_ALL_PAIRS, group, piece, i);
             k++) {
            const uint32_t bit = UINT32_C(1) << (k - i - 1);
            CU_ASSERT(k - i <= 16 && k < piece);
            CU_ASSERT_EQUAL(seen[begin + i] & bit, 0); /* at most once */
            seen[begin + i] |= bit;
        }
    }
}

/* All pairs of a small group, the eight next of a large one: worked out apart from the code. */
static uint32_t wanted(uint64_t group, uint64_t i) {
    const uint64_t after = group - i - 1;
    const uint64_t most = group <= 16 ? after : 8;
    return (UINT32_C(1) << (after < most ? after : most)) - 1;
}

static void check_group(uint64_t group) {
    uint32_t *seen = calloc(group, sizeof *seen);
    uint64_t led = 0;
    CU_ASSERT_PTR_NOT_NULL_FATAL(seen);
    for (uint64_t run = 0; run < nd_group_runs(group); run++) {
        const nd_group_run at = nd_group_run_at(group, run);
        CU_ASSERT(at.begin == led && at.leads > 0 && at.leads <= ND_GROUP_RUN);
        CU_ASSERT(at.end <= group && at.begin + at.leads <= at.end);
        pairs_of_piece(seen, group, at.begin, at.end - at.begin, at.leads);
        led += at.leads;
    }
    CU_ASSERT_EQUAL(led, group);
    for (uint64_t i = 0; i < group; i++) {
        CU_ASSERT_EQUAL(seen[i], wanted(group, i));
    }
    free(seen);
}

static void test_small_groups(void) {
    for (uint64_t group = 2; group <= 64; group++) {
        CU_ASSERT_EQUAL(nd_group_runs(group), 1);
        check_group(group);
    }
}

static void test_runs(void) {
    for (uint64_t whole = 1; whole <= 3; whole++) {
        for (uint64_t more = 0; more <= 20; more++) {
            check_group(whole * ND_GROUP_RUN - 10 + more);
        }
    }
    CU_ASSERT_EQUAL(nd_group_runs(ND_GROUP_RUN), 1);
    CU_ASSERT_EQUAL(nd_group_runs(ND_GROUP_RUN + 1), 2);
    CU_ASSERT_EQUAL(nd_group_runs(UINT64_C(1) << 40), (UINT64_C(1) << 40) / ND_GROUP_RUN);
}

static void test_random_sizes(void) {
    nd_random random = nd_test_random("group sizes");
    for (int trial = 0; trial < 10; trial++) {
        check_group(2 + nd_random_below(&random, 5 * ND_GROUP_RUN));
    }
}

/* All pairs in groups up to another size, and never fewer partners than there are members. */
static void test_all_pairs(void) {
    static const uint64_t sizes[] = {2, 7, 16, 40, ND_GROUP_RUN};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (uint64_t group = 2; group <= 60; group++) {
            const uint64_t end = nd_group_partner_end(sizes[s], group, group, 1);
            CU_ASSERT_EQUAL(end, group <= sizes[s] || group < 10 ? group : 10);
        }
    }
    CU_ASSERT_EQUAL(nd_group_partner_end(ND_GROUP_RUN, 4096, 4096, 0), 4096);
    CU_ASSERT_EQUAL(nd_group_partner_end(ND_GROUP_RUN, 4097, 4097, 0), 9);
}

/* What the runs of a group give and what they leave out are all its pairs. */
static void test_passed(void) {
    static const uint64_t sizes[] = {2, 16, 4096};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (uint64_t group = 2; group <= 10000; group += group < 40 ? 1 : 1973) {
            uint64_t given = 0;
            for (uint64_t i = 0; i < group; i++) {
                given += nd_group_partner_end(sizes[s], group, group, i) - i - 1;
            }
            CU_ASSERT_EQUAL(given + nd_group_passed(sizes[s], group), group * (group - 1) / 2);
        }
    }
}

static const nd_test tests[] = {
    {"postings", test_posting},         {"small groups", test_small_groups},
    {"runs around the cut", test_runs}, {"random sizes", test_random_sizes},
    {"all pairs", test_all_pairs},      {"passed over", test_passed},
};

ND_SUITE(t_candidates, tests)
