#include "src/method/lcs_method.h"

#include "src/compare/displacement.h"
#include "src/method/sentence_keys.h"
#include "src/sketch/histogram.h"

#include <stdlib.h>

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

static size_t lcs_digest_size(const nd_method_options *options) {
    (void)options;
    return sizeof(nd_histogram);
}

static nd_status lcs_digest(const nd_method_options *options, void *state,
                            const nd_document *document, void *digest) {
    (void)options;
    (void)state;
    nd_histogram_fill(document->tokens, document->token_count, digest);
    return ND_OK;
}

static double lcs_length_bound(const nd_method_options *options, uint64_t a, uint64_t b) {
    return options->score->ratio(a < b ? a : b, a, b);
}

static double lcs_bound(const nd_method_options *options, const void *a, const void *b) {
    const nd_histogram *x = a;
    const nd_histogram *y = b;
    return options->score->ratio(nd_histogram_common(x, y), x->tokens, y->tokens);
}

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
    return options->score->similarity((const uint32_t *)(const void *)a.data,
                                      a.size / sizeof(uint32_t),
                                      (const uint32_t *)(const void *)b.data,
                                      b.size / sizeof(uint32_t), threshold, state, similarity);
}

static nd_status lcs_displacement(const nd_method_options *options, void *state, nd_span a,
                                  nd_span b, double *displacement) {
    (void)options;
    return nd_displacement((const uint32_t *)(const void *)a.data, a.size / sizeof(uint32_t),
                           (const uint32_t *)(const void *)b.data, b.size / sizeof(uint32_t), state,
                           displacement);
}

static const char *const lcs_options[] = {
    "score",           "threshold",   "buckets",     "smallest",        "sentence-tokens",
    "chunk-sentences", "index-share", "index-shift", "index-threshold", NULL};

const nd_method nd_method_lcs = {
    .name = "lcs",
    .summary = "sentence fingerprints, then the longest common subsequence of the tokens "
               "(Huang, Wang and Li, CIKM 2008)",
    .options = lcs_options,
    .guard = 0.15,
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
};
