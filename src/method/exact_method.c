/* The method `exact`: pages of equal text (Mitzenmacher's and the IIR 19 lecture notes; Manning,
 * Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 19.6). The key is 64
 * bits of a hash of the tokens, the payload 128. Pages of equal text or content are put together
 * before a method sees them, so what is left to this one are collisions of 64 bits, to be refused.
 */
#include "src/method/methods.h"

#include <xxhash.h>

static const nd_method_use exact_options[] = {{0}};

static nd_status exact_derive(nd_method_options *options) {
    options->threshold = 1;
    return ND_OK;
}

static nd_method_sizes exact_sizes(const nd_method_options *options, uint64_t tokens) {
    (void)options;
    (void)tokens;
    return (nd_method_sizes){.keys = 1, .digest = sizeof(XXH128_hash_t)};
}

static nd_status exact_digest(const nd_method_options *options, nd_method_work *work,
                              const nd_document *document, void *digest) {
    (void)work;
    *(XXH128_hash_t *)digest = XXH3_128bits_withSeed(
        document->tokens, document->token_count * sizeof(uint32_t), options->seed);
    return ND_OK;
}

static nd_status exact_sign(const nd_method_options *options, nd_method_work *work,
                            const nd_document *document, uint64_t *keys, size_t *key_count) {
    XXH128_hash_t hash;
    const nd_status st = exact_digest(options, work, document, &hash);
    keys[0] = hash.low64;
    *key_count = 1;
    return st;
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
    .derive = exact_derive,
    .sizes = exact_sizes,
    .sign = exact_sign,
    .digest = exact_digest,
    .length_bound = exact_length_bound,
    .bound = exact_bound,
};
