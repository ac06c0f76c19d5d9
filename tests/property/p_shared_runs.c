/* Chains of shared runs against the table of all prefixes, and against what was edited. */
#include "src/compare/jaccard.h"
#include "tests/support/check.h"
#include "tests/support/lcs_kernels.h"
#include "tests/support/token_pairs.h"

#include <stdio.h>

enum { PAIRS = 6000, LONGEST = 300, MOST_RUNS = 40, COPIES = 500, SPACING = 12 };

/* Tokens of both from a random place on, as far as they are equal; 0: no run. */
static uint32_t run_from(const nd_token_pair *p, size_t a, size_t b) {
    uint32_t tokens = 0;
    while (a + tokens < p->n && b + tokens < p->m && p->a[a + tokens] == p->b[b + tokens]) {
        tokens++;
    }
    return tokens;
}

/* Runs that begin anywhere, overlap, and cross one another. */
static size_t random_runs(nd_random *random, const nd_token_pair *p, nd_shared_run *runs) {
    size_t count = 0;
    for (size_t b = 0; b < p->m && count < MOST_RUNS; b += nd_random_below(random, 6)) {
        const size_t a = nd_random_below(random, 2) == 0 ? b : nd_random_below(random, p->n + 1);
        const uint32_t tokens = run_from(p, a, b);
        if (tokens > 0) {
            runs[count++] =
                (nd_shared_run){.a = (uint32_t)a,
                                .b = (uint32_t)b,
                                .tokens = 1 + (uint32_t)nd_random_below(random, tokens)};
        }
    }
    return count;
}

/* A chain is a common subsequence, and no shorter than any of its runs. */
static void test_random_runs(void) {
    static nd_token_pair p;
    nd_random random = nd_test_random("random runs");
    size_t wrong = 0, chained = 0;
    for (int i = 0; i < nd_test_rounds(PAIRS) && wrong == 0; i++) {
        nd_shared_run runs[MOST_RUNS];
        uint64_t length = 0, longest = 0;
        nd_random_token_pair(&random, LONGEST, &p);
        const size_t count = random_runs(&random, &p, runs);
        for (size_t r = 0; r < count; r++) {
            longest = runs[r].tokens > longest ? runs[r].tokens : longest;
        }
        const uint64_t chain = nd_shared_runs_chain(runs, count, p.a, p.n, p.b, p.m);
        wrong += nd_lcs_table(p.a, p.n, p.b, p.m, &length) != ND_OK;
        wrong += chain > length || chain < longest;
        chained += chain > longest;
        if (wrong > 0) {
            printf("n=%zu m=%zu, %zu runs: a chain of %llu, of which %llu are one run, of %llu\n",
                   p.n, p.m, count, (unsigned long long)chain, (unsigned long long)longest,
                   (unsigned long long)length);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT((int)chained > nd_test_rounds(PAIRS) / 10);
}

/* What the count of shared shingles says of the order, in either order of the two. */
static void test_of_shingles(void) {
    static nd_token_pair p;
    nd_random random = nd_test_random("of shingles");
    nd_lcs_work work = {0};
    size_t wrong = 0;
    for (int i = 0; i < nd_test_rounds(PAIRS) && wrong == 0; i++) {
        uint64_t length = 0, shared = 0, one = UINT64_MAX, other = UINT64_MAX;
        nd_random_token_pair(&random, LONGEST, &p);
        wrong += nd_lcs_table(p.a, p.n, p.b, p.m, &length) != ND_OK;
        nd_shingles_shared(p.a, p.n, p.b, p.m, 0, &work, &shared, &one);
        wrong += one > length || (one > 0) != (shared > 0);
        nd_shingles_shared(p.b, p.m, p.a, p.n, 0, &work, &shared, &other);
        wrong += other > length || (other > 0) != (shared > 0);
        if (wrong > 0) {
            printf("n=%zu m=%zu: %llu and %llu of %llu\n", p.n, p.m, (unsigned long long)one,
                   (unsigned long long)other, (unsigned long long)length);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    nd_lcs_work_free(&work);
}

/* A copy, some tokens of which were replaced or dropped, and one run of new ones inserted, has all
 * that is left in the chain: all tokens differ. */
static void test_edited_copies(void) {
    static nd_token_pair p;
    nd_random random = nd_test_random("edited copies");
    nd_lcs_work work = {0};
    size_t wrong = 0;
    for (int i = 0; i < COPIES && wrong == 0; i++) {
        uint64_t shared = 0, chain = 0, left = 0;
        p.n = 2 * SPACING + nd_random_below(&random, LONGEST);
        p.m = 0;
        const size_t inserted_at = nd_random_below(&random, p.n);
        size_t edit_at = nd_random_below(&random, SPACING);
        for (size_t k = 0; k < p.n; k++) {
            p.a[k] = (uint32_t)k;
            for (size_t j = 0; k == inserted_at && j < 40; j++) {
                p.b[p.m++] = (uint32_t)(p.n + k + j);
            }
            if (k == edit_at) {
                p.b[p.m] = (uint32_t)(3 * p.n + k);
                p.m += nd_random_below(&random, 2); /* dropped where it is 0 */
                edit_at += SPACING + nd_random_below(&random, SPACING);
            } else {
                p.b[p.m++] = (uint32_t)k;
                left++;
            }
        }
        nd_shingles_shared(p.a, p.n, p.b, p.m, 0, &work, &shared, &chain);
        /* at the inserted run, and at either end, too few may stand together for a shingle */
        wrong += chain > left || chain + 4 * (size_t)(ND_SHINGLE_TOKENS - 1) < left;
        if (wrong > 0) {
            printf("n=%zu m=%zu: %llu of %llu\n", p.n, p.m, (unsigned long long)chain,
                   (unsigned long long)left);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    nd_lcs_work_free(&work);
}

static const nd_test tests[] = {
    {"random runs", test_random_runs},
    {"runs of shared shingles", test_of_shingles},
    {"edited copies", test_edited_copies},
};
ND_SUITE(p_shared_runs, tests)
