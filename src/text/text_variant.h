/** \file src/text/text_variant.h
 * The inner loops over a page's bytes that are worth wide registers, as a set of functions for each
 * kind of machine: a portable one that always works and is the reference of the others, and those
 * that text_lanes.h makes for AVX2 and AVX-512. Every variant gives the same pages. Internal to
 * src/text/, its tests and benchmarks.
 */
#ifndef ND_TEXT_TEXT_VARIANT_H
#define ND_TEXT_TEXT_VARIANT_H

#include "src/base/cpu.h"
#include "src/text/page.h"
#include "src/text/scan.h"
#include "src/text/tag.h"
#include "src/text/token.h"

typedef struct nd_text_variant {
    const char *name;
    uint32_t needs; /**< features of the processor, see src/base/cpu.h */
    /** nd_scan_text_portable(); where the text stops at a character beyond ASCII may differ */
    void (*scan)(nd_scan *scan, const uint8_t *limit);
    /** nd_scan_paragraph_end_portable() */
    const uint8_t *(*paragraph_end)(const uint8_t *p, const uint8_t *end);
    /** nd_tag_read_portable() */
    const uint8_t *(*read_tag)(const uint8_t *p, const uint8_t *end, nd_tag_token *tag);
    /** nd_tag_next_portable() */
    const uint8_t *(*next_tag)(nd_scan *scan, const uint8_t *end, nd_tag_token *tag);
    /** nd_token_ascii_portable() */
    const uint8_t *(*take_ascii)(nd_splitter *splitter, const uint8_t *p, const uint8_t *end);
    /** nd_token_singles_portable() */
    const uint8_t *(*take_singles)(nd_splitter *splitter, const uint8_t *p, const uint8_t *end);
    /** nd_token_count_singles_portable() */
    size_t (*count_singles)(const uint8_t *p, const uint8_t *end);
    /** nd_token_hash_portable(); up to ND_TOKEN_SLACK bytes after the last token may be read */
    void (*hash_tokens)(const uint8_t *bytes, uint64_t *tokens, size_t count, uint64_t seed);
    /** nd_token_count_portable() */
    const uint8_t *(*count_ascii)(const uint8_t *p, const uint8_t *end, nd_unicode_class *kind,
                                  size_t *count);
    /** nd_sentence_end() */
    const uint8_t *(*sentence_end)(const uint8_t *p, const uint8_t *end);
    /** nd_digit_find_portable() */
    const uint8_t *(*find_digit)(const uint8_t *p, const uint8_t *end);
    /** Some of the bytes from p on that are whole characters of valid UTF-8: as many as are found
     * fast; the portable one knows nothing but ASCII */
    size_t (*valid_bytes)(const uint8_t *p, const uint8_t *end);
} nd_text_variant;

extern const nd_text_variant nd_text_portable;
#if defined(__x86_64__) && ND_SIMD
extern const nd_text_variant nd_text_avx2;
extern const nd_text_variant nd_text_avx512;
#endif

/** All variants compiled in, the slowest first; [0] is the portable one. */
extern const nd_text_variant *const nd_text_variants[];
extern const size_t nd_text_variant_count;

/** The variant in use, NULL before it is asked for the first time. */
extern const nd_text_variant *nd_text_variant_chosen;

/** Choose the fastest variant that this machine supports. */
const nd_text_variant *nd_text_variant_choose(void);

/** The variant in use: the fastest that this machine supports. */
static inline const nd_text_variant *nd_text_variant_in_use(void) {
    return nd_text_variant_chosen != NULL ? nd_text_variant_chosen : nd_text_variant_choose();
}

/** Use that variant, which the machine must support, from now on; NULL: the fastest again. For
 * tests and benchmarks. */
void nd_text_variant_use(const nd_text_variant *variant);

#endif
