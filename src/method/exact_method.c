/* The method `exact`: pages of equal text (Mitzenmacher's and the IIR 19 lecture notes; Manning,
 * Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 19.6). The key is 64
 * bits of a hash of the content, the digest 128. Pages of equal text or content are put
 * together before a method sees them, so what is left to this one are collisions of 64 bits, to be
 * refused.
 */
#include "src/method/methods.h"

static const nd_method_use exact_options[] = {{0}};

static nd_status exact_derive(nd_method_options *options) {
    options->threshold = 1;
    return ND_OK;
}

static nd_method_sizes exact_sizes(const nd_method_options *options, uint64_t tokens) {
    (void)options;
    (void)tokens;
    return (nd_method_sizes){.keys = 1, .digest = sizeof(nd_text_hash)};
}

static nd_status exact_digest(const nd_method_options *options, nd_method_work *work,
                              const nd_document *document, void *digest) {
    (void)options;
    (void)work;
    *(nd_text_hash *)digest = document->hash;
    return ND_OK;
}

static nd_status exact_sign(const nd_method_options *options, nd_method_work *work,
                            const nd_document *document, uint64_t *keys, size_t *key_count) {
    (void)options;
    (void)work;
    keys[0] = document->hash.low;
    *key_count = 1;
    return ND_OK;
}

static double exact_length_bound(const nd_method_options *options, uint64_t a, uint64_t b) {
    (void)options;
    return a == b;
}

static double exact_bound(const nd_method_options *options, const void *a, const void *b) {
    const nd_text_hash *x = a;
    const nd_text_hash *y = b;
    (void)options;
    return x->low == y->low && x->high == y->high;
}

const nd_method nd_method_exact = {
    .name = "exact",
    .summary = "pages of equal content, by a hash of their text (IIR, section 19.6)",
    .options = exact_options,
    .derive = exact_derive,
    .sizes = exact_sizes,
    .sign = exact_sign,
    .digest = exact_digest,
    .length_bound = exact_length_bound,
    .bound = exact_bound,
};
