/* MD5 in 2 x 16 lanes of AVX-512. */
#if defined(__x86_64__) && ND_SIMD

#include <immintrin.h>

#include <stdint.h>
#include <string.h>

#define LANES_TARGET __attribute__((target("avx512f,avx512bw")))

enum { LANES = 16, REGISTERS = 2 };
typedef __m512i vector;

#define LANES_ADD(x, y)        _mm512_add_epi32(x, y)
#define LANES_ALL(constant)    _mm512_set1_epi32(constant)
#define LANES_ROTATE(x, shift) _mm512_rol_epi32(x, shift)
#define LANES_STORE(array, x)  _mm512_storeu_si512(array, x)

/* The last operand is the truth table: bit 4x + 2y + z of it is the function of the bits x, y, z */
#define LANES_F(x, y, z) _mm512_ternarylogic_epi32(x, y, z, 0xca)
#define LANES_G(x, y, z) _mm512_ternarylogic_epi32(x, y, z, 0xe4)
#define LANES_H(x, y, z) _mm512_ternarylogic_epi32(x, y, z, 0x96)
#define LANES_I(x, y, z) _mm512_ternarylogic_epi32(x, y, z, 0x39)

LANES_TARGET static inline __m128i load_one(const uint8_t *block, int offset) {
    return _mm_loadu_si128((const __m128i *)(const void *)(block + offset));
}

/* 16 bytes of messages i, i + 4, i + 8 and i + 12. */
LANES_TARGET static inline __m512i load_four(const uint8_t *const *blocks, int i, int offset) {
    __m512i all = _mm512_castsi128_si512(load_one(blocks[i], offset));
    all = _mm512_inserti32x4(all, load_one(blocks[i + 4], offset), 1);
    all = _mm512_inserti32x4(all, load_one(blocks[i + 8], offset), 2);
    return _mm512_inserti32x4(all, load_one(blocks[i + 12], offset), 3);
}

/* Transposes of 4 x 4 words within each quarter of the registers. */
LANES_TARGET static inline void load_words(__m512i *words, const uint8_t *const *blocks,
                                           int offset) {
    __m512i m0 = load_four(blocks, 0, offset);
    __m512i m1 = load_four(blocks, 1, offset);
    __m512i m2 = load_four(blocks, 2, offset);
    __m512i m3 = load_four(blocks, 3, offset);
    __m512i low01 = _mm512_unpacklo_epi32(m0, m1);
    __m512i low23 = _mm512_unpacklo_epi32(m2, m3);
    __m512i high01 = _mm512_unpackhi_epi32(m0, m1);
    __m512i high23 = _mm512_unpackhi_epi32(m2, m3);
    words[0] = _mm512_unpacklo_epi64(low01, low23);
    words[1] = _mm512_unpackhi_epi64(low01, low23);
    words[2] = _mm512_unpacklo_epi64(high01, high23);
    words[3] = _mm512_unpackhi_epi64(high01, high23);
}

#include "src/hash/md5_lanes.h"

/* The last bytes come and go in one register, where the plain way copies them by their number. */
LANES_TARGET static void start(nd_md5_job *job, nd_span message) {
    const size_t rest = message.size % ND_MD5_BLOCK;
    const uint64_t bits = (uint64_t)message.size << 3;
    const uint64_t end = UINT64_C(1) << rest;
    const uint8_t *at = message.size == 0 ? job->tail : message.data + (message.size - rest);
    __m512i last = _mm512_maskz_loadu_epi8(end - 1, at); /* of an empty message, no byte */
    last = _mm512_mask_mov_epi8(last, end, _mm512_set1_epi8((char)0x80));
    job->data = message.data;
    job->whole = message.size / ND_MD5_BLOCK;
    job->blocks = job->whole + 1;
    _mm512_storeu_si512(job->tail, last);
    uint8_t *length = job->tail + ND_MD5_BLOCK - sizeof bits;
    if (rest >= ND_MD5_BLOCK - sizeof bits) { /* 0x80 and the length must fit */
        _mm512_storeu_si512(job->tail + ND_MD5_BLOCK, _mm512_setzero_si512());
        job->blocks++;
        length += ND_MD5_BLOCK;
    }
    memcpy(length, &bits, sizeof bits);
}

const nd_md5_variant nd_md5_avx512 = {
    "AVX-512", LANES *REGISTERS, 6, ND_CPU_AVX512F | ND_CPU_AVX512BW, start, run_lanes};

#else
typedef int nd_md5_avx512_is_for_x86; /* a source file must not be empty */
#endif
