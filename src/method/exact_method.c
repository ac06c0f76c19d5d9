#include "src/method/exact_method.h"

#include <stdlib.h>
#include <xxhash.h>

static const char *const exact_options[] = {NULL};

static void exact_defaults(nd_method_options *options) {
    options->threshold = 1;
    nd_method_drop_rules(options);
}

static nd_status exact_open(const nd_method_options *options, void **state) {
    (void)options;
    *state = NULL; /* a hash takes no tables */
    return ND_OK;
}

static size_t exact_max_keys(const nd_method_options *options) {
    (void)options;
    return 1;
}

static XXH128_hash_t hash_of(const nd_method_options *options, const nd_document *document) {
    return XXH3_128bits_withSeed(document->tokens, document->token_count * sizeof(uint32_t),
                                 options->seed);
}

static nd_status exact_sign(const nd_method_options *options, void *state,
                            const nd_document *document, uint64_t *keys, size_t *key_count) {
    (void)state;
    keys[0] = hash_of(options, document).low64;
    *key_count = 1;
    return ND_OK;
}

static size_t exact_digest_size(const nd_method_options *options) {
    (void)options;
    return sizeof(XXH128_hash_t);
}

static nd_status exact_digest(const nd_method_options *options, void *state,
                              const nd_document *document, void *digest) {
    (void)state;
    *(XXH128_hash_t *)digest = hash_of(options, document);
    return ND_OK;
}

static double exact_length_bound(const nd_method_options *options, uint64_t a, uint64_t b) {
    (void)options;
    return a == b;
}

static double exact_bound(const nd_method_options *options, const void *a, const void *b) {
    const XXH128_hash_t *x = a;
    const XXH128_hash_t *y = b;
    (void)options;
    return x->low64 == y->low64 && x->high64 == y->high64;
}

const nd_method nd_method_exact = {
    .name = "exact",
    .summary = "pages of equal content, by a hash of their tokens (IIR, section 19.6)",
    .options = exact_options,
    .defaults = exact_defaults,
    .open = exact_open,
    .close = free,
    .max_keys = exact_max_keys,
    .sign = exact_sign,
    .digest_size = exact_digest_size,
    .digest = exact_digest,
    .length_bound = exact_length_bound,
    .bound = exact_bound,
};
