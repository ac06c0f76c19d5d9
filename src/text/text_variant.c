#include "src/text/text_variant.h"

#include "src/text/scan.h"

#include <string.h>

/* All but less than four words of the ASCII at p. */
static size_t ascii_bytes(const uint8_t *p, const uint8_t *end) {
    const uint8_t *begin = p;
    uint64_t words[4];
    while (end - p >= (ptrdiff_t)sizeof words) {
        memcpy(words, p, sizeof words);
        if (((words[0] | words[1] | words[2] | words[3]) & ND_SWAR_HIGH) != 0) {
            break;
        }
        p += sizeof words;
    }
    return (size_t)(p - begin);
}

const nd_text_variant nd_text_portable = {
    .name = "portable",
    .needs = 0,
    .scan = nd_scan_text_portable,
    .paragraph_end = nd_scan_paragraph_end_portable,
    .read_tag = nd_tag_read_portable,
    .next_tag = nd_tag_next_portable,
    .take_ascii = nd_token_ascii_portable,
    .take_singles = nd_token_singles_portable,
    .count_singles = nd_token_count_singles_portable,
    .hash_tokens = nd_token_hash_portable,
    .count_ascii = nd_token_count_portable,
    .sentence_end = nd_sentence_end_portable,
    .find_digit = nd_digit_find_portable,
    .valid_bytes = ascii_bytes,
};

const nd_text_variant *const nd_text_variants[] = {
    &nd_text_portable,
#if defined(__x86_64__) && ND_SIMD
    &nd_text_avx2,
    &nd_text_avx512,
#endif
};
const size_t nd_text_variant_count = sizeof nd_text_variants / sizeof nd_text_variants[0];

const nd_text_variant *nd_text_variant_chosen;

const nd_text_variant *nd_text_variant_choose(void) {
    size_t best;
    ND_CPU_BEST(best, nd_text_variant_count, nd_text_variants[best]->needs);
    nd_text_variant_chosen = nd_text_variants[best];
    return nd_text_variant_chosen;
}

void nd_text_variant_use(const nd_text_variant *variant) {
    nd_text_variant_chosen = variant;
}
