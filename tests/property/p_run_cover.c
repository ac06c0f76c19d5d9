/* The filter of runs against looking for every run in the whole other sequence. */
#include "src/compare/trustable.h"
#include "tests/support/check.h"
#include "tests/support/token_pairs.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PAIRS = 4000, LONGEST = 150, MOST_RUN = 5, STRANGERS = 2000 };

static nd_lcs_work work;

static bool holds(const uint32_t *tokens, size_t count, const uint32_t *run, size_t length) {
    bool found = false;
    for (size_t i = 0; i + length <= count && !found; i++) {
        found = memcmp(tokens + i, run, length * sizeof *run) == 0;
    }
    return found;
}

/* covered[i]: whether token i of b lies in a run that a holds. */
static void cover_slowly(const nd_token_pair *p, size_t run, bool *covered) {
    memset(covered, 0, p->m * sizeof *covered);
    for (size_t i = 0; i + run <= p->m; i++) {
        if (holds(p->a, p->n, p->b + i, run)) {
            memset(covered + i, 1, run * sizeof *covered);
        }
    }
}

/* No covered token may be missing, and none after the last; how many are there that should not be
 * is said in `extra`. */
static bool covers(const nd_token_pair *p, size_t run, size_t *extra) {
    static bool expected[ND_TEST_TOKENS];
    nd_run_cover cover = {.count = 0};
    uint64_t count = 0;
    bool good = true;
    cover_slowly(p, run, expected);
    nd_run_cover_find(p->a, p->n, p->b, p->m, run, &work, &cover);
    for (size_t i = 0; i < 64 * (p->m / 64 + 1); i++) {
        const bool covered = (cover.bits[i / 64] >> i % 64 & 1) != 0;
        count += covered;
        good = good && (i < p->m ? covered || !expected[i] : !covered);
        *extra += covered && !expected[i];
    }
    good = good && count == cover.count;
    if (!good) {
        printf("n=%zu m=%zu run=%zu: wrong\n", p->n, p->m, run);
    }
    return good;
}

static void test_against_search(void) {
    static nd_token_pair p;
    nd_random random = nd_test_random("run cover");
    size_t extra = 0, tokens = 0, wrong = 0;
    for (int i = 0; i < nd_test_rounds(PAIRS) && wrong == 0; i++) {
        nd_random_token_pair(&random, LONGEST, &p);
        wrong += !covers(&p, 1 + nd_random_below(&random, MOST_RUN), &extra);
        tokens += p.m;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(extra < tokens / 5); /* else it is no filter */
    nd_lcs_work_free(&work);
}

/* The filter that is kept is not that of another sequence of the same length or at the same place,
 * nor of another run. */
static void test_kept_filter(void) {
    static nd_token_pair p;
    nd_random random = nd_test_random("kept filter");
    size_t extra = 0;
    p.n = p.m = STRANGERS;
    for (size_t i = 0; i < STRANGERS; i++) {
        p.a[i] = (uint32_t)nd_random_next(&random);
        p.b[i] = (uint32_t)nd_random_next(&random);
    }
    CU_ASSERT(covers(&p, 3, &extra)); /* nothing in common */
    CU_ASSERT(extra < STRANGERS / 5);
    memcpy(p.b, p.a, sizeof p.a);
    CU_ASSERT(covers(&p, 3, &extra)); /* everything */
    for (size_t i = 0; i < STRANGERS; i++) {
        p.a[i] = p.b[i] = (uint32_t)nd_random_next(&random);
    }
    CU_ASSERT(covers(&p, 3, &extra)); /* everything, of another sequence at the same place */
    CU_ASSERT(covers(&p, 2, &extra));
    nd_lcs_work_free(&work);
}

static const nd_test tests[] = {
    {"against a search", test_against_search},
    {"kept filter", test_kept_filter},
};
ND_SUITE(p_run_cover, tests)
