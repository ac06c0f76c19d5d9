/* The text variant for AVX-512 with its byte operations (Ice Lake, Zen 4). */
#if defined(__x86_64__)

#include <immintrin.h>

#include <stdint.h>

#define LANES_TARGET                                                                               \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi2,bmi,bmi2,popcnt,"        \
                          "pclmul")))

typedef __m512i block;

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

/* Each pair of set bits becomes all bits from the first up to below the second. */
LANES_TARGET static inline uint64_t between_pairs(uint64_t mask) {
    const __m128i product =
        _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)mask), _mm_set1_epi64x(-1), 0);
    return (uint64_t)_mm_cvtsi128_si64(product);
}

#include "src/text/text_lanes.h"

static int supported(void) {
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi2") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("pclmul");
}

const nd_text_variant nd_text_avx512 = {
    .name = "AVX-512",
    .supported = supported,
    .scan = lanes_scan,
    .read_tag = lanes_read_tag,
    .next_tag = lanes_next_tag,
};

#else
typedef int nd_text_avx512_is_for_x86; /* a source file must not be empty */
#endif
