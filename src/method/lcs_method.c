#include "src/method/lcs_method.h"

#include "src/base/numbers.h"
#include "src/compare/displacement.h"
#include "src/method/sentence_keys.h"
#include "src/sketch/histogram.h"

#include <stdlib.h>
#include <string.h>

/* Without verification pages are similar that share a key; their least share of common keys. */
static nd_status lcs_derive(nd_method_options *options) {
    options->keys_suffice = !options->verify;
    if (options->keys_suffice) {
        options->threshold = 1 / (2 * (double)nd_sentence_max_keys(options));
        options->short_extra = 0;
        options->notice_extra = 0;
        /* no pair is held apart, but index pages are read as in other runs */
        options->index_threshold = options->index_threshold > 0 ? options->threshold : 0;
    }
    return ND_OK;
}

static nd_status lcs_open(const nd_method_options *options, void **state) {
    nd_lcs_work *work = NULL;
    const nd_status st = nd_new(&work, 1, sizeof *work);
    (void)options;
    *state = work;
    return st;
}

static void lcs_close(void *state) {
    if (state != NULL) {
        nd_lcs_work_free(state);
        free(state);
    }
}

/* ---- digests: a histogram for bounds, or the keys: how many, they, ascending and distinct, zeros
 */

static size_t lcs_digest_size(const nd_method_options *options) {
    return options->keys_suffice ? (1 + nd_sentence_max_keys(options)) * sizeof(uint64_t)
                                 : sizeof(nd_histogram);
}

static nd_status fill_keys(const nd_method_options *options, const nd_document *document,
                           uint64_t *digest) {
    size_t count = 0;
    memset(digest, 0, lcs_digest_size(options));
    const nd_status st = nd_sentence_sign(options, NULL, document, digest + 1, &count);
    if (st == ND_OK) {
        digest[0] = nd_numbers_distinct(digest + 1, count);
        memset(digest + 1 + digest[0], 0, (count - (size_t)digest[0]) * sizeof *digest);
    }
    return st;
}

static nd_status lcs_digest(const nd_method_options *options, void *state,
                            const nd_document *document, void *digest) {
    (void)state;
    if (options->keys_suffice) {
        return fill_keys(options, document, digest);
    }
    nd_histogram_fill(document->tokens, document->token_count, digest);
    return ND_OK;
}

/* ---- bounds */

/* The share of common keys in all keys of two pages. */
static double common_keys(const uint64_t *a, const uint64_t *b) {
    const uint64_t n = a[0];
    const uint64_t m = b[0];
    uint64_t common = 0;
    for (uint64_t i = 1, k = 1; i <= n && k <= m;) {
        const uint64_t x = a[i];
        const uint64_t y = b[k];
        common += x == y;
        i += x <= y;
        k += y <= x;
    }
    return n + m == 0 ? 0 : (double)common / (double)(n + m - common);
}

static double lcs_length_bound(const nd_method_options *options, uint64_t a, uint64_t b) {
    return options->filters && !options->keys_suffice ? options->score->ratio(a < b ? a : b, a, b)
                                                      : 1;
}

static double lcs_bound(const nd_method_options *options, const void *a, const void *b) {
    const nd_histogram *x = a;
    const nd_histogram *y = b;
    if (options->keys_suffice) {
        return common_keys(a, b);
    }
    return options->filters ? options->score->ratio(nd_histogram_common(x, y), x->tokens, y->tokens)
                            : 1;
}

/* ---- comparison */

static uint64_t lcs_payload_size(const nd_method_options *options, uint64_t tokens) {
    (void)options;
    return tokens * sizeof(uint32_t);
}

static nd_status lcs_payload(const nd_method_options *options, void *state,
                             const nd_document *document, nd_span *payload) {
    (void)options;
    (void)state;
    *payload = (nd_span){(const uint8_t *)document->tokens,
                         document->token_count * sizeof *document->tokens};
    return ND_OK;
}

static nd_status lcs_similarity(const nd_method_options *options, void *state, nd_span a, nd_span b,
                                double threshold, double *similarity) {
    nd_status st = ND_OK;
    const uint32_t *x = (const uint32_t *)(const void *)a.data;
    const uint32_t *y = (const uint32_t *)(const void *)b.data;
    const size_t n = a.size / sizeof *x;
    const size_t m = b.size / sizeof *y;
    if (options->filters) {
        return options->score->similarity(x, n, y, m, threshold, state, similarity);
    }
    double exact = 0;
    ND_TRY(options->score->plain(x, n, y, m, state, &exact));
    *similarity = exact >= threshold ? exact : 0;
out:
    return st;
}

static nd_status lcs_displacement(const nd_method_options *options, void *state, nd_span a,
                                  nd_span b, double *displacement) {
    (void)options;
    return nd_displacement((const uint32_t *)(const void *)a.data, a.size / sizeof(uint32_t),
                           (const uint32_t *)(const void *)b.data, b.size / sizeof(uint32_t), state,
                           displacement);
}

static uint64_t lcs_preparation(const nd_method_options *options) {
    return options->score->preparation;
}

static const char *const lcs_options[] = {
    "score",           "threshold",       "buckets", "smallest", "sentence-tokens",
    "chunk-sentences", "fingerprints",    "verify",  "filters",  "index-share",
    "index-shift",     "index-threshold", NULL};

const nd_method nd_method_lcs = {
    .name = "lcs",
    .summary = "sentence fingerprints, then the longest common subsequence of the tokens "
               "(Huang, Wang and Li, CIKM 2008)",
    .options = lcs_options,
    .sentence_keys = true,
    .guard = 0.15,
    .derive = lcs_derive,
    .open = lcs_open,
    .close = lcs_close,
    .max_keys = nd_sentence_max_keys,
    .sign = nd_sentence_sign,
    .digest_size = lcs_digest_size,
    .digest = lcs_digest,
    .length_bound = lcs_length_bound,
    .bound = lcs_bound,
    .payload_size = lcs_payload_size,
    .payload = lcs_payload,
    .similarity = lcs_similarity,
    .displacement = lcs_displacement,
    .preparation = lcs_preparation,
};
