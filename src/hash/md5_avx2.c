/* MD5 in 2 x 8 lanes of AVX2. */
#if defined(__x86_64__) && ND_SIMD

#include <immintrin.h>

#define LANES_TARGET __attribute__((target("avx2")))

enum { LANES = 8, REGISTERS = 2 };
typedef __m256i vector;

#define LANES_ADD(x, y)     _mm256_add_epi32(x, y)
#define LANES_ALL(constant) _mm256_set1_epi32(constant)
#define LANES_AND(x, y)     _mm256_and_si256(x, y)
#define LANES_XOR(x, y)     _mm256_xor_si256(x, y)
#define LANES_ROTATE(x, shift)                                                                     \
    _mm256_or_si256(_mm256_slli_epi32(x, shift), _mm256_srli_epi32(x, 32 - (shift)))
#define LANES_STORE(array, x) _mm256_storeu_si256((__m256i *)(void *)(array), x)

#define LANES_F(x, y, z) LANES_XOR(z, LANES_AND(x, LANES_XOR(y, z)))
#define LANES_G(x, y, z) LANES_XOR(y, LANES_AND(z, LANES_XOR(x, y)))
#define LANES_H(x, y, z) LANES_XOR(x, LANES_XOR(y, z))
#define LANES_I(x, y, z) LANES_XOR(y, _mm256_or_si256(x, LANES_XOR(z, LANES_ALL(-1))))

#include <stdint.h>

/* 16 bytes of messages i and i + 4. */
LANES_TARGET static inline __m256i load_two(const uint8_t *const *blocks, int i, int offset) {
    __m256i low = _mm256_castsi128_si256(
        _mm_loadu_si128((const __m128i *)(const void *)(blocks[i] + offset)));
    return _mm256_inserti128_si256(
        low, _mm_loadu_si128((const __m128i *)(const void *)(blocks[i + 4] + offset)), 1);
}

/* Transposes of 4 x 4 words within each half of the registers. */
LANES_TARGET static inline void load_words(__m256i *words, const uint8_t *const *blocks,
                                           int offset) {
    __m256i m0 = load_two(blocks, 0, offset);
    __m256i m1 = load_two(blocks, 1, offset);
    __m256i m2 = load_two(blocks, 2, offset);
    __m256i m3 = load_two(blocks, 3, offset);
    __m256i low01 = _mm256_unpacklo_epi32(m0, m1);
    __m256i low23 = _mm256_unpacklo_epi32(m2, m3);
    __m256i high01 = _mm256_unpackhi_epi32(m0, m1);
    __m256i high23 = _mm256_unpackhi_epi32(m2, m3);
    words[0] = _mm256_unpacklo_epi64(low01, low23);
    words[1] = _mm256_unpackhi_epi64(low01, low23);
    words[2] = _mm256_unpacklo_epi64(high01, high23);
    words[3] = _mm256_unpackhi_epi64(high01, high23);
}

#include "src/hash/md5_lanes.h"

const nd_md5_variant nd_md5_avx2 = {"AVX2",      LANES *REGISTERS, 5,
                                    ND_CPU_AVX2, nd_md5_job_start, run_lanes};

#else
typedef int nd_md5_avx2_is_for_x86; /* a source file must not be empty */
#endif
