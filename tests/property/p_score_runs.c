/* The length in runs: the sparse and the dense way against the O(nm) table, on random pairs and at
 * random limits. */
#include "src/runs/runs_internal.h"
#include "tests/support/check.h"
#include "tests/support/lcs_kernels.h"
#include "tests/support/token_pairs.h"

#include <stdbool.h>
#include <stdio.h>

enum {
    PAIRS = 6000,
    SHORT = 160, /* tokens */
    LONG_PAIRS = 25,
    LIMITS = 5
};

typedef nd_status (*way)(const uint32_t *, size_t, const uint32_t *, size_t, uint64_t,
                         nd_lcs_work *, uint64_t *);

typedef nd_status (*inner)(const nd_runs_pair *, nd_lcs_work *, uint64_t *);

static nd_status by(inner way_in, const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                    uint64_t at_least, nd_lcs_work *memory, uint64_t *length) {
    nd_runs_pair pair;
    nd_status st = ND_OK;
    *length = 0;
    if (n > 0 && m > 0 && at_least <= (n < m ? n : m)) {
        ND_TRY(nd_runs_number(a, n, b, m, at_least, memory, &pair));
        ND_TRY(way_in(&pair, memory, length));
    }
out:
    return st;
}

static nd_status sparse(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                        nd_lcs_work *memory, uint64_t *length) {
    return by(nd_runs_sparse, a, n, b, m, at_least, memory, length);
}

/* Strips of all heights from the least on, so that runs often cross from one into the next. */
static nd_status in_strips(const nd_runs_pair *pair, nd_lcs_work *memory, uint64_t *length) {
    const size_t rows = pair->n > ND_RUNS_STRIP ? ND_RUNS_STRIP : ND_RUN_TOKENS + pair->n % 11;
    return pair->run < ND_RUN_TOKENS ? nd_runs_sparse(pair, memory, length)
                                     : nd_runs_dense(pair, rows, memory, length);
}

static nd_status dense(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                       nd_lcs_work *memory, uint64_t *length) {
    return by(in_strips, a, n, b, m, at_least, memory, length);
}

static const struct {
    const char *name;
    way run;
} ways[] = {{"all", nd_runs_length}, {"sparse", sparse}, {"dense", dense}};

static nd_lcs_work work;

static bool agrees(size_t index, const nd_token_pair *p, bool swapped, uint64_t limit,
                   uint64_t length) {
    const uint64_t expected = length >= limit ? length : 0;
    uint64_t found = UINT64_MAX;
    nd_status st = swapped ? ways[index].run(p->b, p->m, p->a, p->n, limit, &work, &found)
                           : ways[index].run(p->a, p->n, p->b, p->m, limit, &work, &found);
    if (st == ND_OK && found == expected) {
        return true;
    }
    printf("%s: n=%zu m=%zu swapped=%d limit=%llu: %llu, not %llu\n", ways[index].name, p->n, p->m,
           swapped, (unsigned long long)limit, (unsigned long long)found,
           (unsigned long long)expected);
    return false;
}

/* Around the true length, where being one off would show, or anywhere. */
static uint64_t random_limit(nd_random *random, uint64_t length, const nd_token_pair *p) {
    switch (nd_random_below(random, 4)) {
    case 0:
        return length;
    case 1:
        return length + 1 + nd_random_below(random, 3);
    case 2:
        return length - (length > 0 ? nd_random_below(random, length) / 8 : 0);
    default:
        return nd_random_below(random, p->n + p->m + 2);
    }
}

static size_t disagreements(const nd_token_pair *p, nd_random *random) {
    uint64_t length = 0;
    size_t wrong = nd_runs_table(p->a, p->n, p->b, p->m, &length) != ND_OK;
    for (int i = 0; i < LIMITS; i++) {
        const uint64_t limit = i == 0 ? 0 : random_limit(random, length, p);
        for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
            wrong += !agrees(k, p, false, limit, length);
            wrong += !agrees(k, p, true, limit, length);
        }
    }
    return wrong;
}

static size_t disagreements_of_pairs(const char *name, int pairs, size_t longest) {
    nd_random random = nd_test_random(name);
    size_t wrong = 0;
    for (int i = 0; i < pairs && wrong == 0; i++) {
        static nd_token_pair p;
        nd_random_token_pair(&random, longest, &p);
        wrong += disagreements(&p, &random);
    }
    nd_lcs_work_free(&work);
    return wrong;
}

static void test_short_pairs(void) {
    CU_ASSERT_EQUAL(disagreements_of_pairs("short pairs", nd_test_rounds(PAIRS), SHORT), 0);
}

/* Several strips of the dense way. */
static void test_long_pairs(void) {
    CU_ASSERT_EQUAL(
        disagreements_of_pairs("long pairs", nd_test_rounds(LONG_PAIRS), ND_TEST_TOKENS), 0);
}

static const nd_test tests[] = {
    {"against the table, short pairs", test_short_pairs},
    {"against the table, long pairs", test_long_pairs},
};
ND_SUITE(p_score_runs, tests)
