/* Shingles against windows that are copied out of the page one by one, and the resemblance of sets
 * against comparing every value with every other. */
#include "src/base/sort.h"
#include "src/compare/jaccard.h"
#include "src/sketch/shingle.h"
#include "src/sketch/shingle_internal.h"
#include "tests/support/check.h"
#include "tests/support/slow_sketch.h"
#include "tests/support/token_pairs.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 3000, LONGEST = 150, WIDEST = 80, THRESHOLDS = 6 };

static size_t smaller(size_t x, size_t y) {
    return x < y ? x : y;
}

/* ---- values */

static uint64_t slow_value(const nd_shingle_options *options, const uint32_t *window,
                           size_t count) {
    return options->rabin != NULL
               ? nd_slow_rabin(options->rabin->polynomial, window, count)
               : XXH3_64bits_withSeed(window, count * sizeof *window, options->seed);
}

static int by_value(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static size_t slow_values(const nd_shingle_options *options, const uint32_t *tokens, size_t n,
                          uint64_t *values) {
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t window[WIDEST];
        const size_t size = smaller(n, options->tokens);
        if (i + size > n && !(options->wrap && n >= options->tokens)) {
            break;
        }
        for (size_t j = 0; j < size; j++) {
            window[j] = tokens[(i + j) % n];
        }
        const uint64_t value = slow_value(options, window, size);
        if (value % options->modulus == 0) {
            values[count++] = value;
        }
    }
    if (!options->distinct) {
        return count;
    }
    nd_sort(values, count, sizeof *values, by_value);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || values[i] != values[kept - 1]) {
            values[kept++] = values[i];
        }
    }
    return kept;
}

/* Mostly small; from 61 tokens on XXH3 works in another way. */
static uint32_t random_width(nd_random *random) {
    return 1 + (uint32_t)nd_random_below(random, 1 + nd_random_below(random, WIDEST));
}

static nd_shingle_options random_options(nd_random *random, const nd_rabin *rabin) {
    static const uint32_t moduli[] = {1, 1, 2, 16, 25};
    const bool by_rabin = nd_random_below(random, 2) == 0;
    return (nd_shingle_options){
        .tokens = by_rabin ? (uint32_t)rabin->window : random_width(random),
        .modulus = moduli[nd_random_below(random, 5)],
        .seed = nd_random_below(random, 3),
        .rabin = by_rabin ? rabin : NULL,
        .wrap = nd_random_below(random, 2) == 0,
        .distinct = nd_random_below(random, 2) == 0,
    };
}

static bool values_agree(const nd_shingle_options *options, const uint32_t *tokens, size_t n) {
    uint64_t fast[LONGEST + 1], slow[LONGEST + 1];
    const size_t count = nd_shingle_values(options, tokens, n, fast);
    const size_t expected = slow_values(options, tokens, n, slow);
    if (count == expected && memcmp(fast, slow, count * sizeof *fast) == 0) {
        return true;
    }
    printf("n=%zu k=%u modulus=%u rabin=%d wrap=%d distinct=%d: %zu, not %zu\n", n, options->tokens,
           options->modulus, options->rabin != NULL, options->wrap, options->distinct, count,
           expected);
    return false;
}

static void test_values(void) {
    static nd_token_pair p;
    static nd_rabin rabin;
    nd_random random = nd_test_random("shingle values");
    size_t wrong = 0;
    for (int i = 0; i < nd_test_rounds(PAIRS) && wrong == 0; i++) {
        if (i % 100 == 0) {
            nd_rabin_start(&rabin, nd_random_next(&random), random_width(&random));
        }
        const nd_shingle_options options = random_options(&random, &rabin);
        nd_random_token_pair(&random, LONGEST, &p);
        wrong += !values_agree(&options, p.a, p.n);
        wrong += !values_agree(&options, p.b, p.m);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Tokens at the end of their memory, so that reading beyond it shows. */
static void test_variants(void) {
    nd_random random = nd_test_random("shingle variants");
    for (int i = 0; i < nd_test_rounds(PAIRS); i++) {
        const size_t count = nd_random_below(&random, 40);
        const size_t n = count + ND_SHINGLE_USUAL - 1;
        const uint64_t seed = nd_random_below(&random, 2) * nd_random_next(&random);
        uint32_t *tokens = malloc(n * sizeof *tokens);
        CU_ASSERT_PTR_NOT_NULL_FATAL(tokens);
        for (size_t j = 0; j < n; j++) {
            tokens[j] = (uint32_t)nd_random_next(&random);
        }
        for (size_t v = 0; v < nd_shingle_variant_count; v++) {
            uint64_t values[40];
            if (!nd_cpu_has(nd_shingle_variants[v]->needs)) {
                continue;
            }
            nd_shingle_variants[v]->fill(seed, tokens, count, values);
            for (size_t j = 0; j < count; j++) {
                CU_ASSERT_EQUAL_FATAL(
                    values[j],
                    XXH3_64bits_withSeed(tokens + j, ND_SHINGLE_USUAL * sizeof *tokens, seed));
            }
        }
        free(tokens);
    }
}

/* ---- resemblance */

static size_t slow_shared(const uint64_t *a, size_t n, const uint64_t *b, size_t m) {
    size_t shared = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) {
            shared += a[i] == b[j];
        }
    }
    return shared;
}

static bool resemblance_agrees(const uint64_t *a, size_t n, const uint64_t *b, size_t m,
                               nd_random *random) {
    const size_t shared = slow_shared(a, n, b, m);
    const double exact = n + m == 0 ? 0 : (double)shared / (double)(n + m - shared);
    bool agrees = nd_resemblance(a, n, b, m, 0) == exact &&
                  exact <= nd_resemblance_ratio(n < m ? n : m, n, m);
    for (int i = 0; i < THRESHOLDS && agrees; i++) {
        const double threshold = nd_random_threshold(random, exact);
        const double expected = exact >= threshold ? exact : 0;
        const uint64_t least = nd_random_below(random, shared + 3);
        agrees = nd_resemblance(a, n, b, m, threshold) == expected &&
                 nd_resemblance(b, m, a, n, threshold) == expected &&
                 nd_set_shared(a, n, b, m, least) == (shared >= least ? shared : 0);
    }
    if (!agrees) {
        printf("n=%zu m=%zu shared=%zu\n", n, m, shared);
    }
    return agrees;
}

static void test_resemblance(void) {
    static nd_token_pair p;
    nd_random random = nd_test_random("resemblance");
    size_t wrong = 0;
    for (int i = 0; i < nd_test_rounds(PAIRS) && wrong == 0; i++) {
        uint64_t a[LONGEST + 1], b[LONGEST + 1];
        const nd_shingle_options options = {
            .tokens = 1 + (uint32_t)nd_random_below(&random, 3), .modulus = 1, .distinct = true};
        nd_random_token_pair(&random, LONGEST, &p);
        const size_t n = nd_shingle_values(&options, p.a, p.n, a);
        const size_t m = nd_shingle_values(&options, p.b, p.m, b);
        wrong += !resemblance_agrees(a, n, b, m, &random);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static const nd_test tests[] = {
    {"values against copied windows", test_values},
    {"every variant against xxHash", test_variants},
    {"resemblance against all pairs", test_resemblance},
};
ND_SUITE(p_shingle, tests)
