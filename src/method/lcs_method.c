/* The method `lcs` (Huang, Wang and Li, CIKM 2008): keys are sentence fingerprints, the digest is
 * the token histogram, the payload the tokens in order, and the similarity an LCS score. */
#include "src/base/sort.h"
#include "src/base/util.h"
#include "src/method/methods.h"
#include "src/method/sentence_keys.h"
#include "src/sketch/histogram.h"

#include <string.h>

static const nd_method_use lcs_options[] = {
    {"score", ND_AS_PRESET},           {"threshold", ND_AS_PRESET},
    {"buckets", ND_AS_PRESET},         {"smallest", ND_AS_PRESET},
    {"sentence-tokens", ND_AS_PRESET}, {"chunk-sentences", ND_AS_PRESET},
    {"fingerprints", ND_AS_PRESET},    {"verify", ND_AS_PRESET},
    {"filters", ND_AS_PRESET},         {"title-penalty", ND_AS_PRESET},
    {"index-pages", ND_AS_PRESET},     {0}};

/* Without verification pages are similar that share a key; their least share of common keys. */
static nd_status lcs_derive(nd_method_options *options) {
    options->keys_suffice = !options->verify;
    if (options->keys_suffice) {
        options->threshold = 1 / (2 * (double)nd_sentence_max_keys(options));
        options->site_extra = 0;
    }
    return ND_OK;
}

/* A digest is a histogram for bounds; where keys suffice, how many keys the page has, they,
 * ascending and distinct, and zeros. */
static nd_method_sizes lcs_sizes(const nd_method_options *options, uint64_t tokens) {
    const size_t keys = nd_sentence_max_keys(options);
    return (nd_method_sizes){.keys = keys,
                             .digest = options->keys_suffice ? (1 + keys) * sizeof(uint64_t)
                                                             : sizeof(nd_histogram),
                             .payload = tokens * sizeof(uint32_t)};
}

static nd_status lcs_digest(const nd_method_options *options, nd_method_work *work,
                            const nd_document *document, void *digest) {
    uint64_t *keys = digest;
    size_t count = 0;
    if (!options->keys_suffice) {
        nd_histogram_fill(document->tokens, document->token_count, digest);
        return ND_OK;
    }
    memset(keys, 0, lcs_sizes(options, 0).digest);
    nd_sentence_sign(options, work, document, keys + 1, &count);
    keys[0] = nd_numbers_distinct(keys + 1, count);
    memset(keys + 1 + keys[0], 0, (count - (size_t)keys[0]) * sizeof *keys);
    return ND_OK;
}

static double lcs_length_bound(const nd_method_options *options, uint64_t a, uint64_t b) {
    return options->filters && !options->keys_suffice ? options->score->ratio(nd_min(a, b), a, b)
                                                      : 1;
}

static double lcs_bound(const nd_method_options *options, const void *a, const void *b) {
    if (!options->keys_suffice) {
        const nd_histogram *x = a;
        const nd_histogram *y = b;
        return options->filters
                   ? options->score->ratio(nd_histogram_common(x, y), x->tokens, y->tokens)
                   : 1;
    }
    /* the share of common keys in all keys of two pages */
    const uint64_t *x = a;
    const uint64_t *y = b;
    const uint64_t n = x[0];
    const uint64_t m = y[0];
    uint64_t common = 0;
    for (uint64_t i = 1, k = 1; i <= n && k <= m;) {
        const uint64_t of_x = x[i];
        const uint64_t of_y = y[k];
        common += of_x == of_y;
        i += of_x <= of_y;
        k += of_y <= of_x;
    }
    return n + m == 0 ? 0 : (double)common / (double)(n + m - common);
}

static nd_status lcs_payload(const nd_method_options *options, nd_method_work *work,
                             const nd_document *document, nd_span *payload) {
    (void)options;
    (void)work;
    *payload = (nd_span){(const uint8_t *)document->tokens,
                         document->token_count * sizeof *document->tokens};
    return ND_OK;
}

static nd_status lcs_similarity(const nd_method_options *options, nd_method_work *work, nd_span a,
                                nd_span b, double threshold, double *similarity) {
    nd_status st = ND_OK;
    const uint32_t *x = (const uint32_t *)(const void *)a.data;
    const uint32_t *y = (const uint32_t *)(const void *)b.data;
    const size_t n = a.size / sizeof *x;
    const size_t m = b.size / sizeof *y;
    if (options->filters) {
        return options->score->similarity(x, n, y, m, threshold, &work->lcs, similarity);
    }
    double exact = 0;
    ND_TRY(options->score->plain(x, n, y, m, &work->lcs, &exact));
    *similarity = exact >= threshold ? exact : 0;
out:
    return st;
}

const nd_method nd_method_lcs = {
    .name = "lcs",
    .summary = "sentence fingerprints, then the longest common subsequence of the tokens "
               "(Huang, Wang and Li, CIKM 2008)",
    .options = lcs_options,
    .sentence_keys = true,
    .rules = true,
    .sequences = true,
    .guard = 0.15,
    .derive = lcs_derive,
    .sizes = lcs_sizes,
    .sign = nd_sentence_sign,
    .digest = lcs_digest,
    .length_bound = lcs_length_bound,
    .bound = lcs_bound,
    .payload = lcs_payload,
    .similarity = lcs_similarity,
};
