/* The text variant for AVX2: a block is two registers. */
#if defined(__x86_64__) && ND_SIMD

#include <immintrin.h>

#include <stdint.h>
#include <string.h>

#include "src/text/text_variant.h"

#define LANES_TARGET __attribute__((target("avx2,bmi,popcnt,pclmul")))

typedef struct block {
    __m256i low, high;
} block;

LANES_TARGET static inline block load(const uint8_t *p) {
    const __m256i *from = (const __m256i *)(const void *)p;
    return (block){_mm256_loadu_si256(from), _mm256_loadu_si256(from + 1)};
}

LANES_TARGET static inline block load_part(const uint8_t *p, size_t size) {
    uint8_t bytes[64] = {0};
    memcpy(bytes, p, size);
    return load(bytes);
}

LANES_TARGET static inline void store(uint8_t *p, block v) {
    __m256i *to = (__m256i *)(void *)p;
    _mm256_storeu_si256(to, v.low);
    _mm256_storeu_si256(to + 1, v.high);
}

LANES_TARGET static inline uint64_t mask_of(__m256i low, __m256i high) {
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high)
                                                     << 32;
}

LANES_TARGET static inline uint64_t equal(block v, uint8_t byte) {
    const __m256i all = _mm256_set1_epi8((char)byte);
    return mask_of(_mm256_cmpeq_epi8(v.low, all), _mm256_cmpeq_epi8(v.high, all));
}

LANES_TARGET static inline __m256i lanes_at_most(__m256i v, __m256i all) {
    return _mm256_cmpeq_epi8(_mm256_min_epu8(v, all), v);
}

LANES_TARGET static inline uint64_t at_most(block v, uint8_t byte) {
    const __m256i all = _mm256_set1_epi8((char)byte);
    return mask_of(lanes_at_most(v.low, all), lanes_at_most(v.high, all));
}

LANES_TARGET static inline uint64_t between(block v, uint8_t first, uint8_t last) {
    const __m256i all = _mm256_set1_epi8((char)first);
    v = (block){_mm256_sub_epi8(v.low, all), _mm256_sub_epi8(v.high, all)};
    return at_most(v, (uint8_t)(last - first));
}

LANES_TARGET static inline uint64_t high(block v) {
    return mask_of(v.low, v.high);
}

/* Runs of what is kept are copied whole; mostly there is one. */
LANES_TARGET static inline uint8_t *put_text(uint8_t *out, block v, uint64_t spaces,
                                             uint64_t keep) {
    (void)spaces;
    const __m256i blank = _mm256_set1_epi8(' ');
    v.low = _mm256_max_epu8(v.low, blank);
    v.high = _mm256_max_epu8(v.high, blank);
    if ((keep & (keep + 1)) == 0) {
        store(out, v);
        return out + __builtin_popcountll(keep);
    }
    uint8_t bytes[128];
    store(bytes, v);
    while (keep != 0) {
        const size_t begin = (size_t)__builtin_ctzll(keep);
        const uint64_t rest = ~(keep >> begin);
        const size_t size = rest == 0 ? 64 : (size_t)__builtin_ctzll(rest);
        memcpy(out, bytes + begin, 64);
        out += size;
        keep &= begin + size >= 64 ? 0 : ~UINT64_C(0) << (begin + size);
    }
    return out;
}

/* Word by word: each is copied with what stands behind it, which the next one overwrites. */
LANES_TARGET static inline void put_words(nd_splitter *s, block v, uint64_t words, uint64_t ends) {
    uint8_t bytes[128];
    const __m256i lower = _mm256_set1_epi8(0x20);
    store(bytes, (block){_mm256_or_si256(v.low, lower), _mm256_or_si256(v.high, lower)});
    if ((ends & 1) != 0) {
        nd_token_close(s);
    }
    while (words != 0) {
        const size_t begin = (size_t)__builtin_ctzll(words);
        const uint64_t rest = ~(words >> begin);
        const size_t size = rest == 0 ? 64 : (size_t)__builtin_ctzll(rest);
        if (s->kind != ND_UNICODE_WORD) {
            s->begin = s->out;
            s->kind = ND_UNICODE_WORD;
        }
        memcpy(s->out, bytes + begin, 32);
        if (size > 32) {
            memcpy(s->out + 32, bytes + begin + 32, 32);
        }
        s->out += size;
        if (begin + size >= 64 || (ends >> (begin + size) & 1) == 0) {
            break; /* it may go on */
        }
        *s->tokens++ = (uint64_t)(s->begin - s->bytes) << 32 | (uint64_t)(s->out - s->begin);
        *s->out++ = ' ';
        s->kind = ND_UNICODE_OTHER;
        words &= ~UINT64_C(0) << (begin + size);
    }
}

/* Each pair of set bits becomes all bits from the first up to below the second. */
LANES_TARGET static inline uint64_t between_pairs(uint64_t mask) {
    const __m128i product =
        _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)mask), _mm_set1_epi64x(-1), 0);
    return (uint64_t)_mm_cvtsi128_si64(product);
}

#include "src/text/text_lanes.h"

static int supported(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("pclmul");
}

const nd_text_variant nd_text_avx2 = {
    .name = "AVX2",
    .supported = supported,
    .scan = lanes_scan,
    .read_tag = lanes_read_tag,
    .next_tag = lanes_next_tag,
    .take_ascii = lanes_take_ascii,
    .hash_tokens = nd_token_hash_portable,
};

#else
typedef int nd_text_avx2_is_for_x86; /* a source file must not be empty */
#endif
