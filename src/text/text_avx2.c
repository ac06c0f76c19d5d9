/* The text variant for AVX2. */
#if defined(__x86_64__) && ND_SIMD

#include <immintrin.h>

#include <stdint.h>
#include <string.h>

#include "src/text/text_variant.h"

#define LANES_TARGET __attribute__((target("avx2,bmi,popcnt,pclmul")))

typedef __m256i block;
typedef uint32_t mask;

enum { BLOCK = 32 };

LANES_TARGET static inline block load(const uint8_t *p) {
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

LANES_TARGET static inline block load_part(const uint8_t *p, size_t size) {
    uint8_t bytes[BLOCK] = {0};
    memcpy(bytes, p, size);
    return load(bytes);
}

LANES_TARGET static inline void store(uint8_t *p, block v) {
    _mm256_storeu_si256((__m256i *)(void *)p, v);
}

LANES_TARGET static inline mask high(block v) {
    return (mask)_mm256_movemask_epi8(v);
}

LANES_TARGET static inline mask equal(block v, uint8_t byte) {
    return high(_mm256_cmpeq_epi8(v, _mm256_set1_epi8((char)byte)));
}

LANES_TARGET static inline mask at_most(block v, uint8_t byte) {
    const __m256i all = _mm256_set1_epi8((char)byte);
    return high(_mm256_cmpeq_epi8(_mm256_min_epu8(v, all), v));
}

LANES_TARGET static inline mask between(block v, uint8_t first, uint8_t last) {
    v = _mm256_sub_epi8(v, _mm256_set1_epi8((char)first));
    return at_most(v, (uint8_t)(last - first));
}

/* Runs of what is kept are copied whole; mostly there is one. */
LANES_TARGET static inline uint8_t *put_text(uint8_t *out, block v, mask spaces, mask keep) {
    (void)spaces;
    v = _mm256_max_epu8(v, _mm256_set1_epi8(' '));
    if ((keep & (keep + 1)) == 0) {
        store(out, v);
        return out + __builtin_popcount(keep);
    }
    uint8_t bytes[2 * BLOCK];
    store(bytes, v);
    while (keep != 0) {
        const size_t begin = (size_t)__builtin_ctz(keep);
        const mask rest = ~(keep >> begin); /* not 0: a run from bit 0 is not all there is */
        const size_t size = rest == 0 ? BLOCK : (size_t)__builtin_ctz(rest);
        memcpy(out, bytes + begin, BLOCK);
        out += size;
        keep &= begin + size >= BLOCK ? 0 : ~(mask)0 << (begin + size);
    }
    return out;
}

/* Word by word: each is copied with what stands after it, which the next one overwrites. */
LANES_TARGET static inline void put_words(nd_splitter *s, block v, mask words, mask ends) {
    uint8_t bytes[2 * BLOCK];
    store(bytes, _mm256_or_si256(v, _mm256_set1_epi8(0x20)));
    if ((ends & 1) != 0) {
        nd_token_close(s);
    }
    while (words != 0) {
        const size_t begin = (size_t)__builtin_ctz(words);
        const mask rest = ~(words >> begin);
        const size_t size = rest == 0 ? BLOCK : (size_t)__builtin_ctz(rest);
        if (s->kind != ND_UNICODE_WORD) {
            s->begin = s->out;
            s->kind = ND_UNICODE_WORD;
        }
        memcpy(s->out, bytes + begin, BLOCK);
        s->out += size;
        if (begin + size >= BLOCK || (ends >> (begin + size) & 1) == 0) {
            break; /* it may go on */
        }
        *s->tokens++ = (uint64_t)(s->begin - s->bytes) << 32 | (uint64_t)(s->out - s->begin);
        *s->out++ = ' ';
        s->kind = ND_UNICODE_OTHER;
        words &= ~(mask)0 << (begin + size);
    }
}

enum { MOST_SINGLES = BLOCK / ND_TOKEN_SINGLE_BYTES };

LANES_TARGET static inline void put_singles(nd_splitter *s, block v, const uint8_t *p,
                                            size_t count) {
    (void)v;
    nd_token_put_singles(s, p, count);
}

/* Each pair of set bits becomes all bits from the first up to below the second. */
LANES_TARGET static inline mask between_pairs(mask bits) {
    const __m128i product =
        _mm_clmulepi64_si128(_mm_cvtsi32_si128((int)bits), _mm_set1_epi64x(-1), 0);
    return (mask)_mm_cvtsi128_si32(product);
}

#include "src/text/text_lanes.h"

const nd_text_variant nd_text_avx2 = {
    .name = "AVX2",
    .needs = ND_CPU_AVX2 | ND_CPU_BMI | ND_CPU_POPCNT | ND_CPU_PCLMUL,
    .scan = lanes_scan,
    .paragraph_end = lanes_paragraph_end,
    .read_tag = lanes_read_tag,
    .next_tag = lanes_next_tag,
    .take_ascii = lanes_take_ascii,
    .take_singles = lanes_take_singles,
    .count_singles = lanes_count_singles,
    .hash_tokens = nd_token_hash_portable,
    .count_ascii = lanes_count_ascii,
    .sentence_end = lanes_sentence_end,
    .find_digit = lanes_find_digit,
    .valid_bytes = lanes_valid_bytes,
};

#else
typedef int nd_text_avx2_is_for_x86; /* a source file must not be empty */
#endif
