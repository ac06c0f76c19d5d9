/* Scores of two pages against slow ones. */
#include "src/base/sort.h"
#include "src/base/util.h"
#include "src/compare/cosine.h"
#include "src/compare/jaccard.h"
#include "src/compare/penalties.h"
#include "src/compare/score.h"
#include "src/compare/trustable.h"
#include "src/method/method.h"
#include "src/sketch/histogram.h"
#include "src/sketch/shingle.h"
#include "tests/support/check.h"
#include "tests/support/lcs_kernels.h"
#include "tests/support/slow.h"

#include <math.h>

/* ---- Cosine: that of counting all pairs of equal tokens, at any threshold; never above its bound;
 * the vectors are the tokens, each as often as it occurs. */

enum { PAIRS_COSINE = 3000, MAX_LENGTH = 700 };
typedef struct text_cosine {
    uint32_t tokens[2 * MAX_LENGTH];
    size_t count;
    nd_term_vector vector;
    nd_cosine_digest digest;
} text_cosine;

/* Words of a language in which low numbers are frequent, as tokens that fill 32 bits. */
static uint32_t random_token(nd_random *random, uint64_t alphabet) {
    const uint64_t most = 1 + nd_random_below(random, alphabet);
    return (uint32_t)nd_mix64(nd_random_below(random, most));
}

static void finish(text_cosine *t) {
    nd_term_vector_fill(t->tokens, t->count, &t->vector);
    nd_cosine_digest_fill(t->vector.terms, t->vector.count, &t->digest);
}

/* Two texts, the second at times an edited copy of the first. */
static void draw_cosine(nd_random *random, text_cosine *a, text_cosine *b) {
    static const uint64_t alphabets[] = {1, 3, 40, 2000, 1000000};
    const uint64_t alphabet = alphabets[nd_random_below(random, 5)];
    const uint64_t edits = 1 + nd_random_below(random, 30);
    const bool copy = nd_random_below(random, 3) != 0;
    a->count = nd_random_below(random, MAX_LENGTH + 1);
    b->count = copy ? a->count : nd_random_below(random, MAX_LENGTH + 1);
    for (size_t i = 0; i < a->count; i++) {
        a->tokens[i] = random_token(random, alphabet);
    }
    for (size_t i = 0; i < b->count; i++) {
        const bool kept = copy && nd_random_below(random, edits) != 0;
        b->tokens[i] = kept ? a->tokens[i] : random_token(random, alphabet);
    }
    finish(a);
    finish(b);
}

static uint64_t equal_pairs(const text_cosine *a, const text_cosine *b) {
    uint64_t pairs = 0;
    for (size_t i = 0; i < a->count; i++) {
        for (size_t j = 0; j < b->count; j++) {
            pairs += a->tokens[i] == b->tokens[j];
        }
    }
    return pairs;
}

static double slow_cosine(const text_cosine *a, const text_cosine *b) {
    const uint64_t product = equal_pairs(a, b);
    if (product == 0) {
        return 0;
    }
    const double cosine =
        (double)product / sqrt((double)equal_pairs(a, a) * (double)equal_pairs(b, b));
    return cosine < 1 ? cosine : 1;
}

static bool thresholds_hold(const text_cosine *a, const text_cosine *b, double cosine) {
    static const double fixed[] = {.01, .5, .8, .9, .95, .99, 1};
    const double at[] = {cosine, nextafter(cosine, 2), nextafter(cosine, -1), cosine * 1.001,
                         cosine * .999};
    bool hold = true;
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0] + sizeof at / sizeof at[0]; i++) {
        const size_t known = sizeof fixed / sizeof fixed[0];
        const double threshold = i < known ? fixed[i] : at[i - known];
        const double expected = cosine >= threshold ? cosine : 0;
        hold = hold && nd_cosine(a->vector.terms, a->vector.count, b->vector.terms, b->vector.count,
                                 threshold) == expected;
    }
    return hold;
}

ND_TEST("against counted pairs") {
    static text_cosine a, b;
    nd_random random = nd_test_random("cosine");
    size_t wrong = 0, wrong_threshold = 0, wrong_bound = 0, near = 0;
    for (int i = 0; i < nd_test_rounds(PAIRS_COSINE); i++) {
        draw_cosine(&random, &a, &b);
        const double cosine = slow_cosine(&a, &b);
        const double bound = nd_cosine_bound(&a.digest, &b.digest);
        wrong +=
            nd_cosine(a.vector.terms, a.vector.count, b.vector.terms, b.vector.count, 0) !=
                cosine ||
            nd_cosine(b.vector.terms, b.vector.count, a.vector.terms, a.vector.count, 0) != cosine;
        wrong_threshold += !thresholds_hold(&a, &b, cosine);
        wrong_bound += bound < cosine || bound > 1 ||
                       bound != nd_cosine_bound(&b.digest, &a.digest) ||
                       a.digest.square != equal_pairs(&a, &a);
        near += cosine > .9 && cosine < 1;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(wrong_threshold, 0);
    CU_ASSERT_EQUAL(wrong_bound, 0);
    CU_ASSERT((int)near > nd_test_rounds(PAIRS_COSINE) / 20);
    nd_term_vector_free(&a.vector);
    nd_term_vector_free(&b.vector);
}

/* Terms ascend, frequencies are those of the tokens. */
ND_TEST("vectors") {
    static text_cosine a, b;
    nd_random random = nd_test_random("vectors");
    size_t wrong = 0;
    for (int i = 0; i < nd_test_rounds(PAIRS_COSINE / 10); i++) {
        draw_cosine(&random, &a, &b);
        size_t sum = 0;
        for (size_t k = 0; k < a.vector.count; k++) {
            const nd_term term = a.vector.terms[k];
            size_t found = 0;
            for (size_t t = 0; t < a.count; t++) {
                found += a.tokens[t] == term.token;
            }
            wrong += found != term.frequency || found == 0;
            wrong += k > 0 && a.vector.terms[k - 1].token >= term.token;
            sum += found;
        }
        wrong += sum != a.count;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    nd_term_vector_free(&a.vector);
    nd_term_vector_free(&b.vector);
}

/* ---- Repeats of names against a slow count, on random pages with few and with many different
 * tokens, and worked examples. */

enum { MOST_NAMES = 300 };

static uint64_t of_both(const uint32_t *a, size_t n, const uint32_t *b, size_t m) {
    return nd_max(nd_names_repeats(a, n, b, m), nd_names_repeats(b, m, a, n));
}

ND_TEST("random pages") {
    nd_random random = nd_test_random("names");
    uint64_t named = 0;
    for (int round = 0; round < 3000; round++) {
        uint32_t a[MOST_NAMES];
        uint32_t b[MOST_NAMES];
        const uint64_t different = 1 + nd_random_below(&random, 400);
        const size_t n = (size_t)nd_random_below(&random, MOST_NAMES);
        const size_t m = (size_t)nd_random_below(&random, MOST_NAMES);
        for (size_t i = 0; i < n; i++) {
            a[i] = (uint32_t)nd_random_below(&random, different);
        }
        for (size_t i = 0; i < m; i++) {
            b[i] = (uint32_t)(nd_random_below(&random, different) + different / 3);
        }
        const uint64_t repeats = of_both(a, n, b, m);
        CU_ASSERT_EQUAL(repeats, nd_slow_names_repeats(a, n, b, m));
        CU_ASSERT_EQUAL(repeats, of_both(b, m, a, n));
        CU_ASSERT_EQUAL(of_both(a, n, a, n), 0);
        named += repeats > 0;
    }
    CU_ASSERT(named > 1000 && named < 3000);
}

ND_TEST("examples") {
    static const uint32_t a[] = {1, 2, 7, 3, 7, 4, 7};
    static const uint32_t b[] = {1, 2, 8, 3, 8, 4, 5};
    CU_ASSERT_EQUAL(of_both(a, 7, b, 7), 2); /* 7, said again twice; 8 is once */
    CU_ASSERT_EQUAL(of_both(a + 3, 4, b, 7), 1);
    CU_ASSERT_EQUAL(of_both(a, 3, b, 4), 0); /* nothing is said again */
    CU_ASSERT_EQUAL(of_both(a, 7, b, 0), 2); /* the other never says it */
    CU_ASSERT_EQUAL(of_both(a, 0, b, 0), 0);
    static const uint32_t zeros[] = {0, 0, 0, 5};
    static const uint32_t ones[] = {1, 9, 9, 5};
    CU_ASSERT_EQUAL(of_both(zeros, 4, ones, 4), 2); /* 0 is a word as any other */
}

/* A word counts if it stands within the beginning, wherever it is said again; the other page may
 * say it anywhere. */
ND_TEST("beginning") {
    uint32_t a[MOST_NAMES];
    uint32_t b[MOST_NAMES];
    for (uint32_t i = 0; i < MOST_NAMES; i++) {
        a[i] = b[i] = i + 1;
    }
    a[ND_NAMES_TOKENS - 1] = a[100] = a[MOST_NAMES - 1] = 5000;
    CU_ASSERT_EQUAL(of_both(a, MOST_NAMES, b, MOST_NAMES), 2);
    b[MOST_NAMES - 1] = 5000;
    CU_ASSERT_EQUAL(of_both(a, MOST_NAMES, b, MOST_NAMES), 0);
    b[MOST_NAMES - 1] = 7000;
    a[ND_NAMES_TOKENS - 1] = ND_NAMES_TOKENS;
    a[ND_NAMES_TOKENS] = 5000;
    CU_ASSERT_EQUAL(of_both(a, MOST_NAMES, b, MOST_NAMES), 0);
}

/* A word before every tenth of a page's tokens, and `more` words at its end; the other page has in
 * the places of the first `replaced` a word of its own. */
static bool inserted(size_t tokens, size_t replaced, size_t more) {
    uint32_t a[MOST_NAMES];
    uint32_t b[MOST_NAMES];
    size_t n = 0, m = 0, common = 0;
    for (uint32_t i = 0; i < tokens; i++) {
        if (i % 10 == 0) {
            a[n++] = 5000;
            if (i / 10 < replaced) {
                b[m++] = 6000;
            }
        }
        a[n++] = b[m++] = i + 1;
        common++;
    }
    for (uint32_t i = 0; i < more; i++) {
        a[n++] = 7000 + i;
    }
    const uint64_t repeats = nd_names_repeats(a, n, b, m);
    CU_ASSERT_EQUAL(repeats, tokens / 10 - 1);
    return nd_names_are_inserted(a, n, b, m, repeats, common);
}

ND_TEST("inserted") {
    CU_ASSERT(inserted(200, 0, 0));
    CU_ASSERT(inserted(200, 9, 0));   /* fewer than half of the 19 repeats */
    CU_ASSERT(!inserted(200, 10, 0)); /* another name in their places */
    CU_ASSERT(!inserted(200, 20, 0));
    CU_ASSERT(inserted(200, 0, 20));
    CU_ASSERT(!inserted(200, 0, 21)); /* most of what it has besides is something else */
    CU_ASSERT(inserted(100, 0, 0));
    CU_ASSERT(!inserted(90, 0, 0)); /* too short to tell */
}

ND_TEST("discount") {
    CU_ASSERT_EQUAL(nd_names_discount(2.5, 100, 0), 0);
    CU_ASSERT_EQUAL(nd_names_discount(2.5, 100, 1), 0.25);
    CU_ASSERT_EQUAL(nd_names_discount(2.5, 10000, 8), 0.2);
    CU_ASSERT_EQUAL(nd_names_discount(0, 1, 8), 0);
}

/* ---- How much of a text stands in another, against the textbook's table of a common subsequence
 * and every stretch in turn; and the keys by which they meet: what a part has the whole has too,
 * and equal runs have one. */

enum { TEXTS = 3000, LONGEST_CONTAINMENT = 60, LONGEST_OTHER = 400 };

/* A text, and another in which a part of it stands, edited here and there. */
static void draw_containment(nd_random *random, uint32_t *a, size_t n, uint32_t *b, size_t m) {
    const uint64_t words = 2 + nd_random_below(random, 60);
    const uint64_t edited = nd_random_below(random, 40);
    for (size_t i = 0; i < n; i++) {
        a[i] = (uint32_t)nd_random_below(random, words);
    }
    for (size_t i = 0; i < m; i++) {
        b[i] = (uint32_t)nd_random_below(random, words);
    }
    const size_t at = nd_random_below(random, m + 1);
    for (size_t i = 0; i < n && at + i < m; i++) {
        b[at + i] = nd_random_below(random, 100) < edited ? b[at + i] : a[i];
    }
}

ND_TEST("share") {
    nd_random random = nd_test_random("containment");
    ND_OWNED(nd_lcs_work_free) nd_lcs_work work = {0};
    uint64_t reached = 0;
    for (int text = 0; text < TEXTS; text++) {
        uint32_t a[LONGEST_CONTAINMENT + 1];
        uint32_t b[LONGEST_OTHER + 1];
        const size_t n = nd_random_below(&random, LONGEST_CONTAINMENT + 1);
        const size_t m = nd_random_below(&random, LONGEST_OTHER + 1);
        const double threshold = (double)(1 + nd_random_below(&random, 20)) / 20;
        double share = -1;
        draw_containment(&random, a, n, b, m);
        const double expected = nd_slow_containment(a, n, b, m);
        nd_containment(a, n, b, m, threshold, &work, &share);
        CU_ASSERT(share == (expected >= threshold ? expected : 0));
        reached += share > 0;
    }
    CU_ASSERT(reached > TEXTS / 10 && reached < TEXTS);
}

static bool has(const uint64_t *keys, size_t count, uint64_t key) {
    for (size_t i = 0; i < count; i++) {
        if (keys[i] == key) {
            return true;
        }
    }
    return false;
}

/* A part of a text anywhere in another: its keys are keys there, ascending, and from that length on
 * there is one, whatever the words. */
ND_TEST("keys") {
    nd_random random = nd_test_random("syncmers");
    uint64_t windows = 0;
    uint64_t selected = 0;
    for (int text = 0; text < TEXTS; text++) {
        uint32_t b[LONGEST_OTHER];
        uint64_t keys[LONGEST_OTHER];
        uint64_t part[LONGEST_OTHER];
        const uint64_t words = 1 + nd_random_below(&random, text % 3 == 0 ? 4 : 100000);
        const size_t m = nd_random_below(&random, LONGEST_OTHER) + 1;
        const size_t begin = nd_random_below(&random, m);
        const size_t n = nd_random_below(&random, m - begin + 1);
        bool right = true;
        for (size_t i = 0; i < m; i++) {
            b[i] = (uint32_t)nd_random_below(&random, words);
        }
        const size_t count = nd_syncmer_keys(b, m, keys);
        const size_t of_part = nd_syncmer_keys(b + begin, n, part);
        for (size_t i = 0; i < of_part; i++) {
            right = right && has(keys, count, part[i]) && (i == 0 || part[i - 1] < part[i]);
        }
        CU_ASSERT(right);
        CU_ASSERT(n < ND_SYNCMER_RUN || of_part > 0);
        CU_ASSERT(n >= ND_SYNCMER_TOKENS || of_part == 0);
        windows += words > 10000 && m >= ND_SYNCMER_TOKENS ? m - ND_SYNCMER_TOKENS + 1 : 0;
        selected += words > 10000 ? count : 0;
    }
    const double density = (double)selected / (double)windows;
    CU_ASSERT(density > .49 && density < .51);
}

/* ---- The filter of runs against looking for every run in the whole other sequence. */

enum { PAIRS_RUN_COVER = 4000, LONGEST_RUN_COVER = 150, MOST_RUN = 5, STRANGERS = 2000 };
static nd_lcs_work work_run_cover;

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
    nd_run_cover_find(p->a, p->n, p->b, p->m, run, &work_run_cover, &cover);
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

ND_TEST("against a search") {
    static nd_token_pair p;
    nd_random random = nd_test_random("run cover");
    size_t extra = 0, tokens = 0, wrong = 0;
    for (int i = 0; i < nd_test_rounds(PAIRS_RUN_COVER) && wrong == 0; i++) {
        nd_random_token_pair(&random, LONGEST_RUN_COVER, &p);
        wrong += !covers(&p, 1 + nd_random_below(&random, MOST_RUN), &extra);
        tokens += p.m;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(extra < tokens / 5); /* else it is no filter */
    nd_lcs_work_free(&work_run_cover);
}

/* The filter that is kept is not that of another sequence of the same length or at the same place,
 * nor of another run. */
ND_TEST("kept filter") {
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
    nd_lcs_work_free(&work_run_cover);
}

/* ---- Chains of shared runs against the table of all prefixes, and against what was edited. */

enum {
    PAIRS_SHARED_RUNS = 6000,
    LONGEST_SHARED_RUNS = 300,
    MOST_RUNS = 40,
    COPIES = 500,
    SPACING = 12
};

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
ND_TEST("random runs") {
    static nd_token_pair p;
    nd_random random = nd_test_random("random runs");
    size_t wrong = 0, chained = 0;
    for (int i = 0; i < nd_test_rounds(PAIRS_SHARED_RUNS) && wrong == 0; i++) {
        nd_shared_run runs[MOST_RUNS];
        uint64_t length = 0, longest = 0;
        nd_random_token_pair(&random, LONGEST_SHARED_RUNS, &p);
        const size_t count = random_runs(&random, &p, runs);
        for (size_t r = 0; r < count; r++) {
            longest = runs[r].tokens > longest ? runs[r].tokens : longest;
        }
        const uint64_t chain = nd_shared_runs_chain(runs, count, p.a, p.n, p.b, p.m);
        nd_lcs_table(p.a, p.n, p.b, p.m, &length);
        wrong += chain > length || chain < longest;
        chained += chain > longest;
        if (wrong > 0) {
            printf("n=%zu m=%zu, %zu runs: a chain of %llu, of which %llu are one run, of %llu\n",
                   p.n, p.m, count, (unsigned long long)chain, (unsigned long long)longest,
                   (unsigned long long)length);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT((int)chained > nd_test_rounds(PAIRS_SHARED_RUNS) / 10);
}

/* What the count of shared shingles says of the order, in either order of the two. */
ND_TEST("runs of shared shingles") {
    static nd_token_pair p;
    nd_random random = nd_test_random("of shingles");
    ND_OWNED(nd_lcs_work_free) nd_lcs_work work = {0};
    size_t wrong = 0;
    for (int i = 0; i < nd_test_rounds(PAIRS_SHARED_RUNS) && wrong == 0; i++) {
        uint64_t length = 0, shared = 0, one = UINT64_MAX, other = UINT64_MAX;
        nd_random_token_pair(&random, LONGEST_SHARED_RUNS, &p);
        nd_lcs_table(p.a, p.n, p.b, p.m, &length);
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
}

/* A copy, some tokens of which were replaced or dropped, and one run of new ones inserted, has all
 * that is left in the chain: all tokens differ. */
ND_TEST("edited copies") {
    static nd_token_pair p;
    nd_random random = nd_test_random("edited copies");
    ND_OWNED(nd_lcs_work_free) nd_lcs_work work = {0};
    size_t wrong = 0;
    for (int i = 0; i < COPIES && wrong == 0; i++) {
        uint64_t shared = 0, chain = 0, left = 0;
        p.n = 2 * SPACING + nd_random_below(&random, LONGEST_SHARED_RUNS);
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
}

/* ---- Hashes of shingles against the hash as it is defined: Horner's rule, token by token. */

enum { SEQUENCES = 5000, MOST_SHINGLE_HASH = 70, WIDTH = 5 };

static uint64_t hash_slowly(const uint32_t *shingle) {
    uint64_t hash = 0;
    for (size_t i = 0; i < WIDTH; i++) {
        hash = hash * UINT64_C(6364136223846793005) + shingle[i];
    }
    return hash * UINT64_C(0x9e3779b97f4a7c15);
}

/* Of exact sizes, so that a sanitizer sees a read or a write past the ends. */
static bool is_right(nd_random *random) {
    const size_t count = nd_random_below(random, MOST_SHINGLE_HASH + 1);
    ND_FREED uint32_t *tokens = malloc((count + WIDTH - 1) * sizeof *tokens);
    ND_FREED uint64_t *hashes = malloc((count > 0 ? count : 1) * sizeof *hashes);
    bool right = true;
    if (tokens == NULL || hashes == NULL) {
        exit(1);
    }
    for (size_t i = 0; i < count + WIDTH - 1; i++) {
        tokens[i] = (uint32_t)nd_random_next(random);
    }
    nd_shingle_hashes(tokens, count, hashes);
    for (size_t i = 0; i < count; i++) {
        right = right && hashes[i] == hash_slowly(tokens + i);
    }
    return right;
}

ND_TEST("against the definition") {
    nd_random random = nd_test_random("hashes of shingles");
    size_t wrong = 0;
    for (int k = 0; k < SEQUENCES; k++) {
        wrong += !is_right(&random);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* ---- Shared shingles against a count that compares every shingle with every other. */

enum { PAIRS_SCORE_JACCARD = 6000, LONGEST_SCORE_JACCARD = 200, LIMITS = 5 };

static size_t smaller(size_t x, size_t y) {
    return x < y ? x : y;
}

/* Each shingle of a takes the first equal one of b that is not taken. */
static uint64_t count_slowly(const nd_token_pair *p) {
    const size_t of_a = smaller(p->n, ND_SHINGLE_TOKENS);
    const size_t of_b = smaller(p->m, ND_SHINGLE_TOKENS);
    bool taken[LONGEST_SCORE_JACCARD + 1] = {false};
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

static bool agrees_score_jaccard(const nd_token_pair *p, uint64_t limit, uint64_t shared,
                                 nd_lcs_work *work) {
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

ND_TEST("against a slow count") {
    static nd_token_pair p;
    nd_random random = nd_test_random("shingles");
    ND_OWNED(nd_lcs_work_free) nd_lcs_work work = {0};
    size_t wrong = 0;
    for (int i = 0; i < nd_test_rounds(PAIRS_SCORE_JACCARD) && wrong == 0; i++) {
        nd_random_token_pair(&random, LONGEST_SCORE_JACCARD, &p);
        const uint64_t shared = count_slowly(&p);
        for (int k = 0; k < LIMITS; k++) {
            wrong += !agrees_score_jaccard(&p, k == 0 ? 0 : nd_random_below(&random, shared + 3),
                                           shared, &work);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* These two have the same rolling hash, found by lattice reduction: the tokens must decide. */
ND_TEST("equal hashes of different shingles") {
    static const uint32_t a[] = {10000000, 10000000, 10000000, 1, 2};
    static const uint32_t b[] = {10008218, 9602799, 7501907, 1, 2};
    ND_OWNED(nd_lcs_work_free) nd_lcs_work work = {0};
    uint64_t shared = UINT64_MAX;
    nd_shingles_shared(a, 5, b, 5, 0, &work, &shared, NULL);
    CU_ASSERT_EQUAL(shared, 0);
}

/* What is kept of the sequence compared last is known by its tokens, not by where they lie: they
 * change in place here, and stay as many. */
ND_TEST("sequences changed in place") {
    static nd_token_pair p;
    nd_random random = nd_test_random("shingles changed in place");
    ND_OWNED(nd_lcs_work_free) nd_lcs_work work = {0};
    size_t wrong = 0;
    for (int i = 0; i < nd_test_rounds(PAIRS_SCORE_JACCARD) && wrong == 0; i++) {
        nd_random_token_pair(&random, LONGEST_SCORE_JACCARD, &p);
        for (int k = 0; k < LIMITS && p.n > 0 && p.m > 0; k++) {
            p.a[nd_random_below(&random, p.n)] = p.b[nd_random_below(&random, p.m)];
            p.b[nd_random_below(&random, p.m)] ^= (uint32_t)(k & 1);
            wrong += !agrees_score_jaccard(&p, 0, count_slowly(&p), &work);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

ND_TEST("number of shingles") {
    CU_ASSERT_EQUAL(nd_shingle_count(0), 0);
    CU_ASSERT_EQUAL(nd_shingle_count(1), 1);
    CU_ASSERT_EQUAL(nd_shingle_count(5), 1);
    CU_ASSERT_EQUAL(nd_shingle_count(6), 2);
}

/* ---- What every row of the score table promises: in [0, 1], symmetric, 1 for equal sequences and
 * 0 for disjoint ones, the same at every threshold that it reaches, and never above its bounds by
 * common tokens, lengths or histograms. */

enum { PAIRS_SCORE_ROWS = 6000, LONGEST_SCORE_ROWS = 250, THRESHOLDS = 6, RATIOS = 20000 };

static double similarity(const nd_score *score, const uint32_t *a, size_t n, const uint32_t *b,
                         size_t m, double threshold) {
    double found = -1;
    score->similarity(a, n, b, m, threshold, &work_run_cover, &found);
    return found;
}

/* What similarity() finds without a limit, plain() finds too. */
static bool equals_plain(const nd_score *score, const nd_token_pair *p, double s) {
    double found = -1;
    score->plain(p->a, p->n, p->b, p->m, &work_run_cover, &found);
    return found == s;
}

/* Tokens common to both, each as often as in the one that has it less often. */
static uint64_t common_tokens(const nd_token_pair *p) {
    static nd_token_pair sorted;
    uint64_t common = 0;
    sorted = *p;
    nd_sort(sorted.a, p->n, sizeof *sorted.a, nd_test_by_u32);
    nd_sort(sorted.b, p->m, sizeof *sorted.b, nd_test_by_u32);
    for (size_t i = 0, j = 0; i < p->n && j < p->m;) {
        const int order = nd_test_by_u32(&sorted.a[i], &sorted.b[j]);
        common += order == 0;
        i += order <= 0;
        j += order >= 0;
    }
    return common;
}

static bool keeps_bounds(const nd_score *score, const nd_token_pair *p, double s) {
    nd_histogram a, b;
    nd_method_options options = nd_method_default_options();
    options.score = score;
    nd_histogram_fill(p->a, p->n, &a);
    nd_histogram_fill(p->b, p->m, &b);
    return s >= 0 && s <= 1 && score->ratio(common_tokens(p), p->n, p->m) >= s &&
           nd_method_find("lcs")->bound(&options, &a, &b) >= s &&
           nd_method_find("lcs")->bound(&options, &b, &a) >= s &&
           nd_method_find("lcs")->length_bound(&options, p->n, p->m) >= s &&
           nd_method_find("lcs")->length_bound(&options, p->m, p->n) >= s;
}

static bool keeps_thresholds(const nd_score *score, const nd_token_pair *p, double s,
                             nd_random *random) {
    bool good = similarity(score, p->b, p->m, p->a, p->n, 0) == s;
    for (int i = 0; i < THRESHOLDS; i++) {
        const double threshold = nd_random_threshold(random, s);
        const double expected = s >= threshold ? s : 0;
        good = good && similarity(score, p->a, p->n, p->b, p->m, threshold) == expected &&
               similarity(score, p->b, p->m, p->a, p->n, threshold) == expected;
    }
    return good;
}

static bool knows_equal_and_disjoint(const nd_score *score, const nd_token_pair *p) {
    static uint32_t other[ND_TEST_TOKENS];
    for (size_t i = 0; i < p->m; i++) {
        other[i] = p->b[i] ^ UINT32_C(0x5a000000);
    }
    bool disjoint = true;
    for (size_t i = 0; i < p->n && disjoint; i++) {
        for (size_t j = 0; j < p->m && disjoint; j++) {
            disjoint = p->a[i] != other[j];
        }
    }
    return (!disjoint || similarity(score, p->a, p->n, other, p->m, 0) == 0) &&
           similarity(score, p->a, p->n, p->a, p->n, 0) == (p->n > 0 ? 1 : 0);
}

ND_TEST("promises of every row") {
    static nd_token_pair p;
    nd_random random = nd_test_random("pairs");
    size_t wrong = 0;
    for (int i = 0; i < nd_test_rounds(PAIRS_SCORE_ROWS) && wrong == 0; i++) {
        nd_random_token_pair(&random, LONGEST_SCORE_ROWS, &p);
        for (size_t row = 0; nd_score_row(row) != NULL; row++) {
            const nd_score *score = nd_score_row(row);
            const double s = similarity(score, p.a, p.n, p.b, p.m, 0);
            if (!keeps_bounds(score, &p, s) || !keeps_thresholds(score, &p, s, &random) ||
                !knows_equal_and_disjoint(score, &p) || !equals_plain(score, &p, s)) {
                printf("%s: pair %d, n=%zu m=%zu, score %.17g\n", score->name, i, p.n, p.m, s);
                wrong++;
            }
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    nd_lcs_work_free(&work_run_cover);
}

/* ratio() does not fall with more common tokens, nor with a longer shorter sequence. */
ND_TEST("ratio grows") {
    nd_random random = nd_test_random("ratio");
    size_t wrong = 0;
    for (int i = 0; i < nd_test_rounds(RATIOS); i++) {
        const uint64_t longer = nd_random_below(&random, i % 2 == 0 ? 12 : 3000);
        const uint64_t shorter = nd_random_below(&random, longer + 1);
        const uint64_t common = nd_random_below(&random, shorter + 1);
        for (size_t row = 0; nd_score_row(row) != NULL; row++) {
            const nd_score *score = nd_score_row(row);
            const double ratio = score->ratio(common, shorter, longer);
            wrong += !(ratio >= 0 && ratio <= 1 && ratio == score->ratio(common, longer, shorter));
            wrong += common < shorter && score->ratio(common + 1, shorter, longer) < ratio;
            wrong += shorter < longer && score->ratio(shorter + 1, shorter + 1, longer) <
                                             score->ratio(shorter, shorter, longer);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

ND_TEST("names") {
    for (size_t row = 0; nd_score_row(row) != NULL; row++) {
        CU_ASSERT_PTR_EQUAL(nd_score_find(nd_score_row(row)->name), nd_score_row(row));
    }
    CU_ASSERT_PTR_NULL(nd_score_find("no such score"));
    CU_ASSERT_STRING_EQUAL(nd_score_row(0)->name, "r");
}

/* ---- The trustable score step by step against plain references: the matches against a walk
 * through the whole table, the score against trying every interval. */

enum { PAIRS_SCORE_TRUSTABLE = 4000, LONGEST_SCORE_TRUSTABLE = 220, LONG_PAIRS = 20, LONG = 2000 };

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
    ND_FREED uint32_t *table = new_table(p);
    CU_ASSERT_PTR_NOT_NULL_FATAL(table);
    const size_t length = walk(p, table, expected);
    const size_t limits[] = {0, length, length + 1};
    size_t wrong = 0;
    for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
        nd_lcs_match *found = NULL;
        size_t count = SIZE_MAX;
        const size_t bytes = nd_random_below(random, 2) == 0 ? 1 << 22 : 1;
        nd_lcs_matches_by(bytes, p->a, p->n, p->b, p->m, limits[k], &work_run_cover, &found,
                          &count);
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
    nd_lcs_work_free(&work_run_cover);
    return wrong;
}

ND_TEST("matches against the table") {
    CU_ASSERT_EQUAL(wrong_matches_of_pairs("matches", nd_test_rounds(PAIRS_SCORE_TRUSTABLE),
                                           LONGEST_SCORE_TRUSTABLE),
                    0);
}

ND_TEST("matches of long pairs") {
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
        nd_trustable_similarity(o, p->a, p->n, p->b, p->m, limit, &work_run_cover, &one);
        nd_trustable_similarity(o, p->b, p->m, p->a, p->n, limit, &work_run_cover, &other);
        good = good && (one == score || (one == 0 && limit > chosen)) &&
               (other == score || (other == 0 && limit > chosen));
        *filtered += one != score;
    }
    return good;
}

static bool agrees_score_trustable(const nd_token_pair *p, const nd_trustable_options *o,
                                   size_t *filtered) {
    nd_lcs_match *matches = NULL;
    size_t count = 0, chosen = 0;
    double one = -1, other = -1;
    nd_lcs_matches(p->a, p->n, p->b, p->m, 0, &work_run_cover, &matches, &count);
    const double bound = nd_trustable_bound(o, count, p->n, p->m);
    const double expected = slow_score(o, matches, count, p->n, p->m, &chosen);
    const double found = nd_trustable_score(o, matches, count, p->n, p->m);
    nd_trustable_similarity(o, p->a, p->n, p->b, p->m, 0, &work_run_cover, &one);
    nd_trustable_similarity(o, p->b, p->m, p->a, p->n, 0, &work_run_cover, &other);
    if (found == expected && found <= bound && one == other && one <= bound &&
        keeps_limit(p, o, chosen, one, filtered)) {
        return true;
    }
    printf("n=%zu m=%zu: %.17g, not %.17g; bound %.17g; both ways %.17g %.17g\n", p->n, p->m, found,
           expected, bound, one, other);
    return false;
}

ND_TEST("score against every interval") {
    static nd_token_pair p;
    nd_random random = nd_test_random("score");
    size_t wrong = 0;
    size_t positive = 0, filtered = 0;
    const size_t enough = (size_t)nd_test_rounds(PAIRS_SCORE_TRUSTABLE) / 20;
    for (int i = 0; wrong == 0 && (i < nd_test_rounds(PAIRS_SCORE_TRUSTABLE / 2) ||
                                   (filtered <= enough && i < PAIRS_SCORE_TRUSTABLE / 2));
         i++) {
        const nd_trustable_options o = random_options(&random);
        nd_random_token_pair(&random, LONGEST_SCORE_TRUSTABLE / 2, &p);
        wrong += !agrees_score_trustable(&p, &o, &filtered);
        double similarity = 0;
        nd_trustable_similarity(&o, p.a, p.n, p.b, p.m, 0, &work_run_cover, &similarity);
        positive += similarity > 0;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(positive > enough); /* else the test says little */
    CU_ASSERT(filtered > enough);
    nd_lcs_work_free(&work_run_cover);
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
    nd_trustable_similarity(&nd_trustable_defaults, p->a, p->n, p->b, p->m, 0, &work_run_cover,
                            &similarity);
    return similarity;
}

/* Noise around the text is forgiven up to half a page; text at the edge of a page is not trusted.
 */
ND_TEST("noise around and text at the edge") {
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
    nd_lcs_work_free(&work_run_cover);
}
