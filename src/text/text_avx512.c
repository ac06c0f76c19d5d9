/* The text variant for AVX-512 with its byte operations (Ice Lake, Zen 4). */
#if defined(__x86_64__) && ND_SIMD

#include <immintrin.h>

#include <stdint.h>

#include "src/base/xxh3_avx512.h"
#include "src/text/text_variant.h"

#define LANES_TARGET                                                                               \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi2,bmi,bmi2,popcnt,"        \
                          "pclmul")))

typedef __m512i block;
typedef uint64_t mask;

enum { BLOCK = 64 };

LANES_TARGET static inline block load(const uint8_t *p) {
    return _mm512_loadu_si512(p);
}

LANES_TARGET static inline block load_part(const uint8_t *p, size_t size) {
    return _mm512_maskz_loadu_epi8((UINT64_C(1) << size) - 1, p);
}

LANES_TARGET static inline uint64_t equal(block v, uint8_t byte) {
    return _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8((char)byte));
}

LANES_TARGET static inline uint64_t at_most(block v, uint8_t byte) {
    return _mm512_cmple_epu8_mask(v, _mm512_set1_epi8((char)byte));
}

LANES_TARGET static inline uint64_t between(block v, uint8_t first, uint8_t last) {
    return at_most(_mm512_sub_epi8(v, _mm512_set1_epi8((char)first)), (uint8_t)(last - first));
}

LANES_TARGET static inline uint64_t high(block v) {
    return _mm512_movepi8_mask(v);
}

LANES_TARGET static inline uint8_t *put_text(uint8_t *out, block v, uint64_t spaces,
                                             uint64_t keep) {
    v = _mm512_mask_mov_epi8(v, spaces, _mm512_set1_epi8(' '));
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(keep, v));
    return out + __builtin_popcountll(keep);
}

LANES_TARGET static inline size_t first_of(mask bits) {
    return (size_t)_tzcnt_u64(bits); /* 64 if there is none */
}

LANES_TARGET static inline void put_words(nd_splitter *s, block v, uint64_t words, uint64_t ends) {
    const uint64_t keep = words | ends;
    const uint64_t open = s->kind == ND_UNICODE_WORD;
    uint64_t begins = _pext_u64(words & ~(words << 1 | open), keep);
    v = _mm512_or_si512(v, _mm512_set1_epi8(0x20));
    v = _mm512_mask_mov_epi8(v, ends, _mm512_set1_epi8(' '));
    _mm512_storeu_si512(s->out, _mm512_maskz_compress_epi8(keep, v));
    if (open == 0) {
        s->begin = s->out + first_of(begins);
        begins &= begins - 1;
    }
    for (uint64_t left = _pext_u64(ends, keep); left != 0; left &= left - 1) {
        const uint8_t *end = s->out + first_of(left);
        *s->tokens++ = (uint64_t)(s->begin - s->bytes) << 32 | (uint64_t)(end - s->begin);
        s->begin = s->out + first_of(begins);
        begins &= begins - 1;
    }
    s->out += __builtin_popcountll(keep);
}

enum { MOST_SINGLES = BLOCK / (ND_TOKEN_SINGLE_BYTES + 1) };

LANES_TARGET static inline void put_singles(nd_splitter *s, block v, const uint8_t *p,
                                            size_t count) {
    (void)p;
    const uint64_t letters = UINT64_C(0x7777777777777777);
    const __m512i apart = _mm512_maskz_expand_epi8(letters, v);
    _mm512_storeu_si512(s->out, _mm512_mask_mov_epi8(apart, ~letters, _mm512_set1_epi8(' ')));
    const uint64_t first = (uint64_t)(s->out - s->bytes) << 32 | ND_TOKEN_SINGLE_BYTES;
    const __m512i steps = _mm512_slli_epi64(_mm512_set_epi64(28, 24, 20, 16, 12, 8, 4, 0), 32);
    const __m512i places = _mm512_add_epi64(_mm512_set1_epi64((long long)first), steps);
    const __m512i more = _mm512_set1_epi64((long long)(UINT64_C(32) << 32));
    const unsigned those = (1U << count) - 1;
    _mm512_mask_storeu_epi64(s->tokens, (__mmask8)those, places);
    _mm512_mask_storeu_epi64(s->tokens + 8, (__mmask8)(those >> 8), _mm512_add_epi64(places, more));
    s->tokens += count;
    s->out += count * (ND_TOKEN_SINGLE_BYTES + 1);
}

/* ---- XXH3 (64 bits, its own secret, a seed) of eight tokens of up to 16 bytes at once. */

enum { LANES = 8, LONGEST_IN_LANES = 16 };

/* What tokens of each length are xored with: of the secret and the seed. */
typedef struct token_keys {
    __m512i up_to_3, from_4, from_9, from_9_last;
} token_keys;

LANES_TARGET static inline token_keys keys_of(uint64_t seed) {
    const uint64_t swapped = (uint64_t)__builtin_bswap32((uint32_t)seed) << 32;
    return (token_keys){.up_to_3 = ALL(0x87275a9b + seed),
                        .from_4 = ALL(0xc73ab174c5ecd5a2 - (seed ^ swapped)),
                        .from_9 = ALL(0x6782737bea4239b9 + seed),
                        .from_9_last = ALL(0xaf56bc3b0996523a - seed)};
}

/* One to three bytes. */
LANES_TARGET static inline __m512i hash_up_to_3(__m512i bytes, __m512i size, __m512i key) {
    const __m512i low = ALL(0xFF);
    const __m512i middle = _mm512_slli_epi64(_mm512_srli_epi64(size, 1), 3);
    const __m512i last = _mm512_slli_epi64(_mm512_sub_epi64(size, ALL(1)), 3);
    const __m512i first = _mm512_and_si512(bytes, low);
    const __m512i second = _mm512_and_si512(_mm512_srlv_epi64(bytes, middle), low);
    const __m512i third = _mm512_and_si512(_mm512_srlv_epi64(bytes, last), low);
    __m512i x = _mm512_or_si512(_mm512_slli_epi64(first, 16), _mm512_slli_epi64(second, 24));
    x = _mm512_or_si512(x, _mm512_or_si512(third, _mm512_slli_epi64(size, 8)));
    x = _mm512_xor_si512(x, key);
    x = _mm512_mullo_epi64(xor_shift(x, 33), ALL(0xC2B2AE3D27D4EB4F));
    x = _mm512_mullo_epi64(xor_shift(x, 29), ALL(0x165667B19E3779F9));
    return xor_shift(x, 32);
}

/* Four to eight bytes. */
LANES_TARGET static inline __m512i hash_4_to_8(__m512i bytes, __m512i size, __m512i key) {
    const __m512i factor = ALL(0x9FB21C651E98DF25);
    const __m512i skipped = _mm512_slli_epi64(_mm512_sub_epi64(size, ALL(4)), 3);
    const __m512i last = _mm512_and_si512(_mm512_srlv_epi64(bytes, skipped), ALL(UINT32_MAX));
    __m512i x = _mm512_add_epi64(last, _mm512_slli_epi64(bytes, 32));
    x = _mm512_xor_si512(x, key);
    x = _mm512_ternarylogic_epi64(x, _mm512_rol_epi64(x, 49), _mm512_rol_epi64(x, 24), 0x96);
    x = _mm512_mullo_epi64(x, factor);
    x = _mm512_xor_si512(x, _mm512_add_epi64(_mm512_srli_epi64(x, 35), size));
    return xor_shift(_mm512_mullo_epi64(x, factor), 28);
}

LANES_TARGET static inline __m512i swap_bytes(__m512i x) {
    const __m128i order = _mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607);
    return _mm512_shuffle_epi8(x, _mm512_broadcast_i32x4(order));
}

/* Nine to sixteen bytes; `last` are the last eight. */
LANES_TARGET static inline __m512i hash_9_to_16(__m512i bytes, __m512i last, __m512i size,
                                                const token_keys *keys) {
    const __m512i x = _mm512_xor_si512(bytes, keys->from_9);
    const __m512i y = _mm512_xor_si512(last, keys->from_9_last);
    __m512i sum = _mm512_add_epi64(_mm512_add_epi64(size, swap_bytes(x)),
                                   _mm512_add_epi64(y, multiply_and_fold(x, y)));
    sum = _mm512_mullo_epi64(xor_shift(sum, 37), ALL(0x165667919E3779F9));
    return xor_shift(sum, 32);
}

/* Eight words of text: faster than a gather. */
LANES_TARGET static inline __m512i load_eight(const uint8_t *text, __m512i begins) {
    uint64_t at[LANES];
    __m128i pairs[LANES / 2];
    _mm512_storeu_si512(at, begins);
    for (int i = 0; i < LANES / 2; i++) {
        const __m128i *first = (const __m128i *)(const void *)(text + at[2 * i]);
        const __m128i *second = (const __m128i *)(const void *)(text + at[2 * i + 1]);
        pairs[i] = _mm_unpacklo_epi64(_mm_loadl_epi64(first), _mm_loadl_epi64(second));
    }
    __m512i all = _mm512_castsi128_si512(pairs[0]);
    all = _mm512_inserti32x4(all, pairs[1], 1);
    all = _mm512_inserti32x4(all, pairs[2], 2);
    return _mm512_inserti32x4(all, pairs[3], 3);
}

/* The hashes of those of eight tokens that have up to 16 bytes. */
LANES_TARGET static inline __m512i hash_eight(const uint8_t *text, __m512i begin, __m512i size,
                                              const token_keys *keys) {
    const __mmask8 shorts = _mm512_cmplt_epu64_mask(size, ALL(4));
    const __mmask8 longs = _mm512_cmpgt_epu64_mask(size, ALL(8));
    const __m512i bytes = load_eight(text, begin);
    if (shorts == 0xFF) { /* ideographs */
        return hash_up_to_3(bytes, size, keys->up_to_3);
    }
    const __m512i up_to_3 = hash_up_to_3(bytes, size, keys->up_to_3);
    __m512i hashes = hash_4_to_8(bytes, size, keys->from_4);
    hashes = _mm512_mask_mov_epi64(hashes, shorts, up_to_3);
    if (longs != 0) {
        const __m512i passed = _mm512_sub_epi64(_mm512_max_epu64(size, ALL(8)), ALL(8));
        const __m512i last = load_eight(text, _mm512_add_epi64(begin, passed));
        hashes = _mm512_mask_mov_epi64(hashes, longs, hash_9_to_16(bytes, last, size, keys));
    }
    return hashes;
}

LANES_TARGET static void hash_tokens(const uint8_t *text, uint64_t *tokens, size_t count,
                                     uint64_t seed) {
    const token_keys keys = keys_of(seed);
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const __m512i places = _mm512_loadu_si512(tokens + i);
        const __m512i size = _mm512_and_si512(places, ALL(UINT32_MAX));
        const __m512i hashes = hash_eight(text, _mm512_srli_epi64(places, 32), size, &keys);
        const __mmask8 too_long = _mm512_cmpgt_epu64_mask(size, ALL(LONGEST_IN_LANES));
        _mm512_storeu_si512(tokens + i, _mm512_mask_mov_epi64(hashes, too_long, places));
        for (unsigned rest = too_long; rest != 0; rest &= rest - 1) {
            nd_token_hash_portable(text, tokens + i + __builtin_ctz(rest), 1, seed);
        }
    }
    nd_token_hash_portable(text, tokens + i, count - i, seed);
}

/* Each pair of set bits becomes all bits from the first up to below the second. */
LANES_TARGET static inline mask between_pairs(mask bits) {
    const __m128i product =
        _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)bits), _mm_set1_epi64x(-1), 0);
    return (mask)_mm_cvtsi128_si64(product);
}

#include "src/text/text_lanes.h"

const nd_text_variant nd_text_avx512 = {
    .name = "AVX-512",
    .needs = ND_CPU_AVX512BW | ND_CPU_AVX512VL | ND_CPU_AVX512DQ | ND_CPU_AVX512VBMI2 |
             ND_CPU_BMI2 | ND_CPU_PCLMUL,
    .scan = lanes_scan,
    .paragraph_end = lanes_paragraph_end,
    .read_tag = lanes_read_tag,
    .next_tag = lanes_next_tag,
    .take_ascii = lanes_take_ascii,
    .take_singles = lanes_take_singles,
    .count_singles = lanes_count_singles,
    .hash_tokens = hash_tokens,
    .count_ascii = lanes_count_ascii,
    .sentence_end = lanes_sentence_end,
    .find_digit = lanes_find_digit,
    .valid_bytes = lanes_valid_bytes,
};

#else
typedef int nd_text_avx512_is_for_x86; /* a source file must not be empty */
#endif
