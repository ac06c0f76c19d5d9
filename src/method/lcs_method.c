#include "src/method/lcs_method.h"

#include "src/base/random.h"
#include "src/sketch/histogram.h"

#include <stdlib.h>

static size_t lcs_max_keys(const nd_method_options *options) {
    return options->fingerprint.buckets;
}

/* Digests of the sentences of at least `least` tokens. */
static size_t pick_sentences(const nd_document *document, uint32_t least, nd_md5 *digests) {
    size_t picked = 0;
    for (uint32_t i = 0; i < document->sentence_count; i++) {
        if (document->sentences[i].token_count >= least) {
            digests[picked++] = document->sentences[i].digest;
        }
    }
    return picked;
}

/* Another seed turns other bits of every digest, so that other sentences are the smallest. */
static void apply_seed(uint64_t seed, nd_md5 *digests, size_t count) {
    nd_random random = {seed};
    uint64_t turn[2] = {nd_random_next(&random), nd_random_next(&random)};
    const uint8_t *bytes = (const uint8_t *)turn;
    for (size_t i = 0; seed != 0 && i < count; i++) {
        for (size_t k = 0; k < sizeof digests[i].bytes; k++) {
            digests[i].bytes[k] ^= bytes[k];
        }
    }
}

/* Short sentences (menu entries, dates) make poor features; but a page that has hardly any other is
 * signed by shorter and shorter ones, in the end by all it has, so that it still meets its copies.
 */
static size_t pick_ladder(const nd_method_options *options, const nd_document *document,
                          nd_md5 *digests) {
    enum { MIDDLE_RUNG = 3 };
    const uint32_t rungs[] = {options->sentence_tokens, MIDDLE_RUNG, 1};
    size_t picked = 0;
    for (size_t r = 0; r < sizeof rungs / sizeof rungs[0]; r++) {
        if (r == 0 || rungs[r] < options->sentence_tokens) {
            picked = pick_sentences(document, rungs[r], digests);
        }
        if (picked >= options->fingerprint.buckets) {
            break;
        }
    }
    return picked;
}

static nd_status lcs_sign(const nd_method_options *options, const nd_document *document,
                          uint64_t *keys, size_t *key_count) {
    nd_md5 *digests = NULL;
    nd_status st = nd_new(&digests, document->sentence_count, sizeof *digests);
    if (st == ND_OK) {
        const size_t picked = pick_ladder(options, document, digests);
        apply_seed(options->seed, digests, picked);
        *key_count = nd_fingerprint_keys(digests, picked, &options->fingerprint, keys);
    }
    free(digests);
    return st;
}

static void lcs_digest(const nd_document *document, void *digest) {
    nd_histogram_fill(document->tokens, document->token_count, digest);
}

static double lcs_length_bound(const nd_method_options *options, uint64_t a, uint64_t b) {
    return options->score->ratio(a < b ? a : b, a, b);
}

static double lcs_bound(const nd_method_options *options, const void *a, const void *b) {
    const nd_histogram *x = a;
    const nd_histogram *y = b;
    return options->score->ratio(nd_histogram_common(x, y), x->tokens, y->tokens);
}

static nd_span lcs_payload(const nd_document *document) {
    return (nd_span){(const uint8_t *)document->tokens,
                     document->token_count * sizeof *document->tokens};
}

static nd_status lcs_similarity(const nd_method_options *options, nd_span a, nd_span b,
                                double threshold, nd_lcs_work *work, double *similarity) {
    return options->score->similarity((const uint32_t *)(const void *)a.data,
                                      a.size / sizeof(uint32_t),
                                      (const uint32_t *)(const void *)b.data,
                                      b.size / sizeof(uint32_t), threshold, work, similarity);
}

const nd_method nd_method_lcs = {
    .name = "lcs",
    .summary = "sentence fingerprints, then the longest common subsequence of the tokens "
               "(Huang, Wang and Li, CIKM 2008)",
    .digest_size = sizeof(nd_histogram),
    .max_keys = lcs_max_keys,
    .sign = lcs_sign,
    .digest = lcs_digest,
    .length_bound = lcs_length_bound,
    .bound = lcs_bound,
    .payload = lcs_payload,
    .similarity = lcs_similarity,
};
