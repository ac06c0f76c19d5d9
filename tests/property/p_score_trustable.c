/* The trustable score step by step against plain references: the matches against a walk through the
 * whole table, the score against trying every interval. */
#include "src/compare/trustable.h"
#include "tests/support/check.h"
#include "tests/support/token_pairs.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 4000, LONGEST = 220, LONG_PAIRS = 20, LONG = 2000 };

static nd_lcs_work work;

/* Lengths of the LCS of all prefixes. */
static uint32_t *new_table(const nd_token_pair *p) {
    const size_t width = p->m + 1;
    uint32_t *table = calloc((p->n + 1) * width, sizeof *table);
    for (size_t i = 1; table != NULL && i <= p->n; i++) {
        for (size_t j = 1; j <= p->m; j++) {
            const uint32_t *cell = table + i * width + j;
            const uint32_t above = cell[-(ptrdiff_t)width];
            const uint32_t longer = above > cell[-1] ? above : cell[-1];
            table[i * width + j] =
                p->a[i - 1] == p->b[j - 1] ? cell[-(ptrdiff_t)width - 1] + 1 : longer;
        }
    }
    return table;
}

/* \return how many matches there are; they end at the end of `matches` */
static size_t walk(const nd_token_pair *p, const uint32_t *table, nd_lcs_match *matches) {
    const size_t width = p->m + 1;
    size_t i = p->n, j = p->m;
    size_t count = 0;
    while (i > 0 && j > 0) {
        if (p->a[i - 1] == p->b[j - 1]) {
            matches[ND_TEST_TOKENS - ++count] = (nd_lcs_match){(uint32_t)--i, (uint32_t)--j};
        } else if (table[(i - 1) * width + j] == table[i * width + j]) {
            i--;
        } else {
            j--;
        }
    }
    return count;
}

static bool same_matches(const nd_lcs_match *x, const nd_lcs_match *y, size_t count) {
    return count == 0 || memcmp(x, y, count * sizeof *x) == 0;
}

static size_t wrong_matches(const nd_token_pair *p, nd_random *random) {
    static nd_lcs_match expected[ND_TEST_TOKENS];
    uint32_t *table = new_table(p);
    CU_ASSERT_PTR_NOT_NULL_FATAL(table);
    const size_t length = walk(p, table, expected);
    const size_t limits[] = {0, length, length + 1};
    size_t wrong = 0;
    free(table);
    for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
        nd_lcs_match *found = NULL;
        size_t count = SIZE_MAX;
        const size_t bytes = nd_random_below(random, 2) == 0 ? 1 << 22 : 1;
        nd_lcs_matches_by(bytes, p->a, p->n, p->b, p->m, limits[k], &work, &found, &count);
        wrong += count != (length >= limits[k] ? length : 0) ||
                 !same_matches(found, expected + ND_TEST_TOKENS - length, count);
    }
    if (wrong > 0) {
        printf("matches of n=%zu m=%zu, length %zu\n", p->n, p->m, length);
    }
    return wrong;
}

static size_t wrong_matches_of_pairs(const char *name, int pairs, size_t longest) {
    static nd_token_pair p;
    nd_random random = nd_test_random(name);
    size_t wrong = 0;
    for (int i = 0; i < pairs && wrong == 0; i++) {
        nd_random_token_pair(&random, longest, &p);
        wrong += wrong_matches(&p, &random);
    }
    nd_lcs_work_free(&work);
    return wrong;
}

static void test_matches(void) {
    CU_ASSERT_EQUAL(wrong_matches_of_pairs("matches", nd_test_rounds(PAIRS), LONGEST), 0);
}

static void test_long_matches(void) {
    CU_ASSERT_EQUAL(wrong_matches_of_pairs("long matches", nd_test_rounds(LONG_PAIRS), LONG), 0);
}

/* Whether match i is one of at least run_tokens in a row. */
static bool in_run(const nd_lcs_match *matches, size_t count, size_t i, size_t run_tokens) {
    size_t begin = i, end = i + 1;
    while (begin > 0 && matches[begin - 1].a + (i - begin + 1) == matches[i].a &&
           matches[begin - 1].b + (i - begin + 1) == matches[i].b) {
        begin--;
    }
    while (end < count && matches[end].a == matches[i].a + (end - i) &&
           matches[end].b == matches[i].b + (end - i)) {
        end++;
    }
    return end - begin >= run_tokens;
}

static double at_least(double x, double y) {
    return x > y ? x : y;
}

/* Steps 3 to 7 for the interval of `kept` that was chosen. */
static double score_of(const nd_trustable_options *o, const nd_lcs_match *kept, size_t begin,
                       size_t end, size_t n, size_t m) {
    const double common = (double)(end - begin);
    const double span_a = kept[end - 1].a - kept[begin].a + 1.0;
    const double span_b = kept[end - 1].b - kept[begin].b + 1.0;
    double untrimmed_a = 0, untrimmed_b = 0;
    size_t central = 0;
    for (size_t i = begin; i < end; i++) {
        const double a = kept[i].a + 0.5, b = kept[i].b + 0.5;
        central += a >= o->centre_begin * (double)n && a <= o->centre_end * (double)n &&
                   b >= o->centre_begin * (double)m && b <= o->centre_end * (double)m;
    }
    while (untrimmed_a < (1 - o->trimmed) * (double)n) {
        untrimmed_a++;
    }
    while (untrimmed_b < (1 - o->trimmed) * (double)m) {
        untrimmed_b++;
    }
    if (common < o->least_tokens || common / (span_a + span_b - common) < o->cohesion ||
        (double)central < common / 2) {
        return 0;
    }
    return common / (at_least(span_a, untrimmed_a) + at_least(span_b, untrimmed_b) - common);
}

/* Step 2 by trying every interval, the longer ones first. chosen: L* */
static double slow_score(const nd_trustable_options *o, const nd_lcs_match *matches, size_t count,
                         size_t n, size_t m, size_t *chosen) {
    static nd_lcs_match kept[ND_TEST_TOKENS];
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        if (in_run(matches, count, i, o->run_tokens)) {
            kept[left++] = matches[i];
        }
    }
    double best = 0;
    size_t best_begin = 0, best_end = 0;
    for (size_t length = left; length > 0; length--) {
        for (size_t begin = 0; begin + length <= left; begin++) {
            double value = (double)length;
            for (size_t k = begin + 1; k < begin + length; k++) {
                const double gap_a = kept[k].a - kept[k - 1].a - 1.0;
                const double gap_b = kept[k].b - kept[k - 1].b - 1.0;
                value -= o->gap_weight * at_least(gap_a, gap_b);
            }
            if (value > best) {
                best = value;
                best_begin = begin;
                best_end = begin + length;
            }
        }
    }
    *chosen = best_end - best_begin;
    return best_end == 0 ? 0 : score_of(o, kept, best_begin, best_end, n, m);
}

/* Around the defaults, with weights that doubles hold exactly, so that ties are ties. */
static nd_trustable_options random_options(nd_random *random) {
    nd_trustable_options o = nd_trustable_defaults;
    if (nd_random_below(random, 2) == 0) {
        o.gap_weight = (double)nd_random_below(random, 9) / 4;
        o.run_tokens = 1 + (uint32_t)nd_random_below(random, 5);
        o.cohesion = (double)nd_random_below(random, 11) / 10;
        o.trimmed = (double)nd_random_below(random, 11) / 10;
        o.centre_begin = (double)nd_random_below(random, 5) / 10;
        o.centre_end = 1 - (double)nd_random_below(random, 5) / 10;
        o.least_tokens = (uint32_t)nd_random_below(random, 60);
    }
    return o;
}

/* With L* as the limit the score is found from both sides; above it, it or nothing. */
static bool keeps_limit(const nd_token_pair *p, const nd_trustable_options *o, size_t chosen,
                        double score, size_t *filtered) {
    bool good = true;
    for (size_t limit = chosen; limit <= chosen + 1; limit++) {
        double one = -1, other = -1;
        nd_trustable_similarity(o, p->a, p->n, p->b, p->m, limit, &work, &one);
        nd_trustable_similarity(o, p->b, p->m, p->a, p->n, limit, &work, &other);
        good = good && (one == score || (one == 0 && limit > chosen)) &&
               (other == score || (other == 0 && limit > chosen));
        *filtered += one != score;
    }
    return good;
}

static bool agrees(const nd_token_pair *p, const nd_trustable_options *o, size_t *filtered) {
    nd_lcs_match *matches = NULL;
    size_t count = 0, chosen = 0;
    double one = -1, other = -1;
    CU_ASSERT_EQUAL(nd_lcs_matches(p->a, p->n, p->b, p->m, 0, &work, &matches, &count), ND_OK);
    const double bound = nd_trustable_bound(o, count, p->n, p->m);
    const double expected = slow_score(o, matches, count, p->n, p->m, &chosen);
    const double found = nd_trustable_score(o, matches, count, p->n, p->m);
    nd_trustable_similarity(o, p->a, p->n, p->b, p->m, 0, &work, &one);
    nd_trustable_similarity(o, p->b, p->m, p->a, p->n, 0, &work, &other);
    if (found == expected && found <= bound && one == other && one <= bound &&
        keeps_limit(p, o, chosen, one, filtered)) {
        return true;
    }
    printf("n=%zu m=%zu: %.17g, not %.17g; bound %.17g; both ways %.17g %.17g\n", p->n, p->m, found,
           expected, bound, one, other);
    return false;
}

static void test_score(void) {
    static nd_token_pair p;
    nd_random random = nd_test_random("score");
    size_t wrong = 0;
    size_t positive = 0, filtered = 0;
    const size_t enough = (size_t)nd_test_rounds(PAIRS) / 20;
    for (int i = 0;
         wrong == 0 && (i < nd_test_rounds(PAIRS / 2) || (filtered <= enough && i < PAIRS / 2));
         i++) {
        const nd_trustable_options o = random_options(&random);
        nd_random_token_pair(&random, LONGEST / 2, &p);
        wrong += !agrees(&p, &o, &filtered);
        double similarity = 0;
        nd_trustable_similarity(&o, p.a, p.n, p.b, p.m, 0, &work, &similarity);
        positive += similarity > 0;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(positive > enough); /* else the test says little */
    CU_ASSERT(filtered > enough);
    nd_lcs_work_free(&work);
}

/* A page of `noise` foreign tokens, 100 common ones from 1000 on, and `noise` foreign ones. */
static size_t framed(uint32_t *page, uint32_t foreign, size_t noise) {
    for (size_t i = 0; i < 100 + 2 * noise; i++) {
        const bool common = i >= noise && i < noise + 100;
        page[i] = (uint32_t)(common ? 1000 + i - noise : foreign + i);
    }
    return 100 + 2 * noise;
}

static double trust(const nd_token_pair *p) {
    double similarity = -1;
    nd_trustable_similarity(&nd_trustable_defaults, p->a, p->n, p->b, p->m, 0, &work, &similarity);
    return similarity;
}

/* Noise around the text is forgiven up to half a page; text at the edge of a page is not trusted.
 */
static void test_what_it_is_for(void) {
    static nd_token_pair p;
    p.n = framed(p.a, 5000, 40);
    p.m = framed(p.b, 6000, 50);
    CU_ASSERT_EQUAL(trust(&p), 1);
    p.m = framed(p.b, 6000, 100); /* half of 300 tokens must be kept */
    CU_ASSERT_EQUAL(trust(&p), 100.0 / 150);
    p.n = p.m = 700; /* 100 common tokens in front: a header */
    for (uint32_t i = 0; i < 700; i++) {
        p.a[i] = i;
        p.b[i] = i < 100 ? i : 5000 + i;
    }
    CU_ASSERT_EQUAL(trust(&p), 0);
    nd_lcs_work_free(&work);
}

static const nd_test tests[] = {
    {"matches against the table", test_matches},
    {"matches of long pairs", test_long_matches},
    {"score against every interval", test_score},
    {"noise around and text at the edge", test_what_it_is_for},
};
ND_SUITE(p_score_trustable, tests)
