#include "src/runs/runs_internal.h"

#include "src/base/order.h"
#include "src/lcs/lcs.h"
#include "src/lcs/lcs_work.h"

#include <string.h>

/* What a pair of places costs the sparse way, in cells of the dense one (tests/bench/b_scores.c).
 * The result does not depend on it. */
enum { CELLS_PER_PAIR = 90 };

/* The dense way looks at first for lengths above the LCS less this part of it: a band that costs
 * little next to the whole where the LCS is long, as it is where pages are alike. */
enum { FIRST_BAND = 32 };

/* How many tokens lie in a q-gram that stands at a place with a mark. */
static uint64_t cover(const uint32_t *numbers, size_t places, const uint32_t *marks, size_t run) {
    uint64_t covered = 0;
    size_t end = 0; /* of what is covered so far */
    for (size_t i = 0; i < places; i++) {
        if (numbers[i] != ND_NO_GRAM && (marks == NULL || marks[numbers[i]] != 0)) {
            covered += i + run - nd_max(end, i);
            end = i + run;
        }
    }
    return covered;
}

/* Every matched token lies in a common q-gram, so the tokens of common q-grams bound the length. */
static nd_status covers(const nd_runs_pair *pair, nd_lcs_work *work, uint64_t *bound) {
    const nd_grams *grams = &pair->grams;
    uint32_t *in_a = NULL;
    const uint64_t of_a = cover(grams->a, grams->a_count, NULL, pair->run);
    *bound = of_a;
    if (of_a < pair->at_least) {
        return ND_OK;
    }
    nd_status st = nd_lcs_room(work, ND_LCS_RUNS_LISTS, grams->distinct * sizeof *in_a, &in_a);
    if (st == ND_OK) {
        memset(in_a, 0, grams->distinct * sizeof *in_a);
        for (size_t i = 0; i < grams->a_count; i++) {
            if (grams->a[i] != ND_NO_GRAM) {
                in_a[grams->a[i]] = 1;
            }
        }
        *bound = nd_min(of_a, cover(grams->b, grams->b_count, in_a, pair->run));
    }
    return st;
}

/* Common q-grams at the ends of both: runs of the common prefix and of the rest's common suffix are
 * one common sequence, so their length is a lower bound. (To cut them off would lose matches: of
 * "xxxxy" and "xxxxxxxy" the common prefix is "xxxx", and the best run is "xxxxy".) */
static uint64_t common_ends(const uint32_t *a, size_t n, const uint32_t *b, size_t m, size_t run) {
    const size_t shorter = nd_min(n, m);
    size_t prefix = 0;
    size_t suffix = 0;
    while (prefix < shorter && a[prefix] == b[prefix]) {
        prefix++;
    }
    prefix = prefix < run ? 0 : prefix;
    while (suffix < shorter - prefix && a[n - 1 - suffix] == b[m - 1 - suffix]) {
        suffix++;
    }
    return prefix + (suffix < run ? 0 : suffix);
}

nd_status nd_runs_number(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                         uint64_t at_least, nd_lcs_work *work, nd_runs_pair *pair) {
    *pair = (nd_runs_pair){
        .a = a, .b = b, .n = n, .m = m, .run = nd_run_tokens(n, m), .at_least = at_least};
    return nd_grams_number(a, n, b, m, pair->run, work, &pair->grams);
}

/* The dense way, in a narrow band first: the LCS bounds the length from above and takes a small
 * part of the time, and on pages that repeat themselves the length is often near it. */
static nd_status length_by_bands(const nd_runs_pair *pair, nd_lcs_work *work, uint64_t *length) {
    nd_runs_pair band = *pair;
    uint64_t high = 0;
    nd_status st = ND_OK;
    *length = 0;
    ND_TRY(nd_lcs_length(pair->a, pair->n, pair->b, pair->m, pair->at_least, work, &high));
    if (high < pair->at_least) {
        return ND_OK;
    }
    band.at_least = high - high / FIRST_BAND;
    if (band.at_least > pair->at_least) {
        ND_TRY(nd_runs_dense(&band, ND_RUNS_STRIP, work, length));
    }
    if (*length == 0) {
        ND_TRY(nd_runs_dense(pair, ND_RUNS_STRIP, work, length));
    }
out:
    return st;
}

/* The length, once the ends have shown that it is at least `low`. */
static nd_status length_above(const nd_runs_pair *pair, uint64_t low, nd_lcs_work *work,
                              uint64_t *length) {
    uint64_t high = 0;
    nd_status st = covers(pair, work, &high);
    if (st != ND_OK || high < pair->at_least || high == low) {
        *length = high < pair->at_least ? 0 : high;
        return st;
    }
    /* The sparse way costs by pairs of places with equal q-grams, the dense one by cells of the
     * table that the limit leaves. */
    const nd_grams *grams = &pair->grams;
    const uint64_t width = pair->n + pair->m - 2 * pair->at_least + 1;
    const uint64_t cells = (uint64_t)pair->n * nd_min(pair->m, width);
    uint64_t pairs = 0;
    for (size_t i = 0; i < grams->a_count; i++) {
        pairs += grams->a[i] != ND_NO_GRAM ? grams->count[grams->a[i]] : 0;
    }
    if (pair->run < ND_RUN_TOKENS || pairs <= cells / CELLS_PER_PAIR) {
        return nd_runs_sparse(pair, work, length);
    }
    return length_by_bands(pair, work, length);
}

nd_status nd_runs_length(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                         uint64_t at_least, nd_lcs_work *work, uint64_t *length) {
    const uint64_t shorter = nd_min(n, m);
    nd_runs_pair pair;
    uint64_t low = 0;
    nd_status st = ND_OK;
    if (shorter == 0 || at_least > shorter) {
        *length = 0;
        return ND_OK;
    }
    low = common_ends(a, n, b, m, nd_run_tokens(n, m));
    if (low == shorter) {
        *length = low;
        return ND_OK;
    }
    ND_TRY(nd_runs_number(a, n, b, m, at_least, work, &pair));
    ND_TRY(length_above(&pair, low, work, length));
out:
    return st;
}
