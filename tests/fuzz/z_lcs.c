/* Two token sequences: every kernel of the LCS equals the table, the scores keep what they
 * promise, at any limit. A byte of the input is a token; the first four say where b begins,
 * the limit, and how many kinds of tokens there are. */
#include "src/compare/score.h"
#include "src/compare/trustable.h"
#include "src/lcs/lcs_internal.h"
#include "src/lcs/lcs_matches.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/lcs_kernels.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TOKENS = 600 };

typedef struct pair {
    uint32_t *a, *b; /* of just their size, so that a sanitizer sees what is read beyond */
    size_t n, m;
    uint64_t limit;
} pair;

static nd_lcs_work work;

static uint32_t *tokens_of(nd_span bytes, unsigned kinds) {
    uint32_t *tokens = NULL;
    nd_new_room(&tokens, bytes.size, sizeof *tokens);
    for (size_t i = 0; i < bytes.size; i++) {
        tokens[i] = bytes.data[i] % kinds * UINT32_C(0x01000193);
    }
    return tokens;
}

static void check_lengths(const pair *p) {
    uint64_t length = 0, found = 0;
    nd_lcs_match *matches = NULL;
    size_t count = 0;
    nd_lcs_table(p->a, p->n, p->b, p->m, &length);
    for (size_t k = 0; k < nd_test_lcs_kernel_count; k++) {
        const uint64_t expected = length >= p->limit ? length : 0;
        nd_test_lcs_kernels[k].run(p->a, p->n, p->b, p->m, p->limit, &work, &found);
        ND_FUZZ_CHECK(found == expected);
        nd_test_lcs_kernels[k].run(p->b, p->m, p->a, p->n, p->limit, &work, &found);
        ND_FUZZ_CHECK(found == expected);
    }
    nd_lcs_matches(p->a, p->n, p->b, p->m, 0, &work, &matches, &count);
    ND_FUZZ_CHECK(count == length);
    for (size_t i = 0; i < count; i++) {
        ND_FUZZ_CHECK(matches[i].a < p->n && matches[i].b < p->m);
        ND_FUZZ_CHECK(p->a[matches[i].a] == p->b[matches[i].b]);
        ND_FUZZ_CHECK(i == 0 ||
                      (matches[i].a > matches[i - 1].a && matches[i].b > matches[i - 1].b));
    }
}

/* What is dropped before a comparison is part of no common subsequence. */
static void check_variants(const pair *p, size_t run) {
    nd_run_cover cover = {0};
    nd_run_cover_find(p->a, p->n, p->b, p->m, run, &work, &cover);
    ND_FUZZ_CHECK(cover.count <= p->m);
    nd_lcs_pair sifted = {.a = p->a, .b = p->b, .n = p->n, .m = p->m};
    uint64_t whole = 0, kept = 0;
    nd_lcs_prefilter(&sifted, &work);
    nd_lcs_table(p->a, p->n, p->b, p->m, &whole);
    nd_lcs_table(sifted.a, sifted.n, sifted.b, sifted.m, &kept);
    ND_FUZZ_CHECK(kept == whole);
}

static void check_scores(const pair *p, double threshold) {
    const nd_score *score = NULL;
    for (size_t row = 0; (score = nd_score_row(row)) != NULL; row++) {
        double plain = -1, found = -1;
        score->plain(p->a, p->n, p->b, p->m, &work, &plain);
        ND_FUZZ_CHECK(plain >= 0 && plain <= 1);
        const double expected = plain >= threshold ? plain : 0;
        score->similarity(p->a, p->n, p->b, p->m, threshold, &work, &found);
        ND_FUZZ_CHECK(found == expected);
        score->similarity(p->b, p->m, p->a, p->n, threshold, &work, &found);
        ND_FUZZ_CHECK(found == expected);
    }
}

ND_FUZZ_TARGET(z_lcs) {
    nd_span input = {data, size < MOST_TOKENS ? size : MOST_TOKENS};
    const unsigned share = nd_fuzz_byte(&input);
    const unsigned limit = nd_fuzz_byte(&input);
    const unsigned kinds = 1 + nd_fuzz_byte(&input);
    const unsigned choice = nd_fuzz_byte(&input);
    const size_t cut = input.size * share / 255;
    pair p = {.n = cut, .m = input.size - cut, .limit = limit == 255 ? input.size : limit};
    p.a = tokens_of(nd_span_part(input, 0, cut), kinds);
    p.b = tokens_of(nd_span_part(input, cut, input.size), kinds);
    if (choice % 4 == 1) {
        check_variants(&p, 1 + choice / 4 % 5);
    } else if (choice % 4 == 2) {
        check_scores(&p, (choice / 4) / 63.);
    } else {
        check_lengths(&p);
    }
    free(p.a);
    free(p.b);
    return 0;
}
