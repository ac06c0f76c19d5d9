/* Shared shingles against a count that compares every shingle with every other. */
#include "src/compare/jaccard.h"
#include "tests/support/check.h"
#include "tests/support/token_pairs.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PAIRS = 6000, LONGEST = 200, LIMITS = 5 };

static size_t smaller(size_t x, size_t y) {
    return x < y ? x : y;
}

/* Each shingle of a takes the first equal one of b that is not taken. */
static uint64_t count_slowly(const nd_token_pair *p) {
    const size_t of_a = smaller(p->n, ND_SHINGLE_TOKENS);
    const size_t of_b = smaller(p->m, ND_SHINGLE_TOKENS);
    bool taken[LONGEST + 1] = {false};
    uint64_t shared = 0;
    if (of_a != of_b || of_a == 0 || (of_a < ND_SHINGLE_TOKENS && p->n != p->m)) {
        return 0;
    }
    for (size_t i = 0; i + of_a <= p->n; i++) {
        for (size_t j = 0; j + of_b <= p->m; j++) {
            if (!taken[j] && memcmp(p->a + i, p->b + j, of_a * sizeof *p->a) == 0) {
                taken[j] = true;
                shared++;
                break;
            }
        }
    }
    return shared;
}

static bool agrees(const nd_token_pair *p, uint64_t limit, uint64_t shared, nd_lcs_work *work) {
    const uint64_t expected = shared >= limit ? shared : 0;
    uint64_t one = UINT64_MAX;
    uint64_t other = UINT64_MAX;
    nd_shingles_shared(p->a, p->n, p->b, p->m, limit, work, &one, NULL);
    nd_shingles_shared(p->b, p->m, p->a, p->n, limit, work, &other, NULL);
    if (one == expected && other == expected) {
        return true;
    }
    printf("n=%zu m=%zu limit=%llu: %llu and %llu, not %llu\n", p->n, p->m,
           (unsigned long long)limit, (unsigned long long)one, (unsigned long long)other,
           (unsigned long long)expected);
    return false;
}

static void test_against_slow(void) {
    static nd_token_pair p;
    nd_random random = nd_test_random("shingles");
    nd_lcs_work work = {0};
    size_t wrong = 0;
    for (int i = 0; i < nd_test_rounds(PAIRS) && wrong == 0; i++) {
        nd_random_token_pair(&random, LONGEST, &p);
        const uint64_t shared = count_slowly(&p);
        for (int k = 0; k < LIMITS; k++) {
            wrong += !agrees(&p, k == 0 ? 0 : nd_random_below(&random, shared + 3), shared, &work);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    nd_lcs_work_free(&work);
}

/* These two have the same rolling hash, found by lattice reduction: the tokens must decide. */
static void test_equal_hashes(void) {
    static const uint32_t a[] = {10000000, 10000000, 10000000, 1, 2};
    static const uint32_t b[] = {10008218, 9602799, 7501907, 1, 2};
    nd_lcs_work work = {0};
    uint64_t shared = UINT64_MAX;
    nd_shingles_shared(a, 5, b, 5, 0, &work, &shared, NULL);
    CU_ASSERT_EQUAL(shared, 0);
    nd_lcs_work_free(&work);
}

/* What is kept of the sequence compared last is known by its tokens, not by where they lie: they
 * change in place here, and stay as many. */
static void test_changed_in_place(void) {
    static nd_token_pair p;
    nd_random random = nd_test_random("shingles changed in place");
    nd_lcs_work work = {0};
    size_t wrong = 0;
    for (int i = 0; i < nd_test_rounds(PAIRS) && wrong == 0; i++) {
        nd_random_token_pair(&random, LONGEST, &p);
        for (int k = 0; k < LIMITS && p.n > 0 && p.m > 0; k++) {
            p.a[nd_random_below(&random, p.n)] = p.b[nd_random_below(&random, p.m)];
            p.b[nd_random_below(&random, p.m)] ^= (uint32_t)(k & 1);
            wrong += !agrees(&p, 0, count_slowly(&p), &work);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    nd_lcs_work_free(&work);
}

static void test_counts(void) {
    CU_ASSERT_EQUAL(nd_shingle_count(0), 0);
    CU_ASSERT_EQUAL(nd_shingle_count(1), 1);
    CU_ASSERT_EQUAL(nd_shingle_count(5), 1);
    CU_ASSERT_EQUAL(nd_shingle_count(6), 2);
}

static const nd_test tests[] = {
    {"against a slow count", test_against_slow},
    {"sequences changed in place", test_changed_in_place},
    {"equal hashes of different shingles", test_equal_hashes},
    {"number of shingles", test_counts},
};
ND_SUITE(p_score_jaccard, tests)
