#include "src/text/text_variant.h"

static int always(void) {
    return 1;
}

const nd_text_variant nd_text_portable = {
    .name = "portable",
    .supported = always,
    .scan = nd_scan_text_portable,
    .read_tag = nd_tag_read_portable,
    .next_tag = nd_tag_next_portable,
    .take_ascii = nd_token_ascii_portable,
    .hash_tokens = nd_token_hash_portable,
};

const nd_text_variant *const nd_text_variants[] = {
    &nd_text_portable,
#if defined(__x86_64__) && ND_SIMD
    &nd_text_avx2,
    &nd_text_avx512,
#endif
};
const size_t nd_text_variant_count = sizeof nd_text_variants / sizeof nd_text_variants[0];

/* Looked up once: it is asked for at every sentence. */
static const nd_text_variant *in_use;

const nd_text_variant *nd_text_variant_in_use(void) {
    if (in_use == NULL) {
        size_t best = nd_text_variant_count - 1;
        while (!nd_text_variants[best]->supported()) {
            best--; /* [0] is always supported */
        }
        in_use = nd_text_variants[best];
    }
    return in_use;
}

void nd_text_variant_use(const nd_text_variant *variant) {
    in_use = variant;
}
