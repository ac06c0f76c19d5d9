#include "src/hash/xxh3_64.h"

#include "src/base/cpu.h"

#include <xxhash.h>

#if defined(__x86_64__) && ND_SIMD

#include <immintrin.h>

#include <string.h>

#define WIDE_TARGET __attribute__((target("avx512f,avx512dq")))

/* Sizes of the specification, in bytes: what goes into the eight sums at once, their secret, and
 * how far it moves on for the next stripe. Shorter messages are hashed in other ways. */
enum { STRIPE = 64, SECRET = 192, STEP = 8, LEAST = 241 };
enum { STRIPES = (SECRET - STRIPE) / STEP, BLOCK = STRIPES * STRIPE };
enum { LAST_SECRET = SECRET - STRIPE - 7, MERGE_SECRET = 11 };

static const uint64_t PRIMES_32[] = {0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D};
static const uint64_t PRIMES_64[] = {0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
                                     0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5};

/* The secret of the specification, as words of little endian. */
static const uint64_t secret_words[SECRET / sizeof(uint64_t)] = {
    0xbe4ba423396cfeb8, 0x1cad21f72c81017c, 0xdb979083e96dd4de, 0x1f67b3b7a4a44072,
    0x78e5c0cc4ee679cb, 0x2172ffcc7dd05a82, 0x8e2443f7744608b8, 0x4c263a81e69035e0,
    0xcb00c391bb52283c, 0xa32e531b8b65d088, 0x4ef90da297486471, 0xd8acdea946ef1938,
    0x3f349ce33f76faa8, 0x1d4f0bc7c7bbdcf9, 0x3159b4cd4be0518a, 0x647378d9c97e9fc8,
    0xc3ebd33483acc5ea, 0xeb6313faffa081c5, 0x49daf0b751dd0d17, 0x9e68d429265516d3,
    0xfca1477d58be162b, 0xce31d07ad1b8f88f, 0x280416958f3acb45, 0x7e404bbbcafbd7af,
};

/* The secret of a seed: it is added to every first word, and taken from every second. */
static void make_secret(uint64_t seed, uint8_t secret[SECRET]) {
    uint64_t words[SECRET / sizeof(uint64_t)];
    for (size_t i = 0; i < SECRET / sizeof *words; i++) {
        words[i] = i % 2 == 0 ? secret_words[i] + seed : secret_words[i] - seed;
    }
    memcpy(secret, words, sizeof words);
}

WIDE_TARGET static inline __m512i add_stripe(__m512i sums, const uint8_t *bytes,
                                             const uint8_t *secret) {
    const __m512i data = _mm512_loadu_si512(bytes);
    const __m512i keyed = _mm512_xor_si512(data, _mm512_loadu_si512(secret));
    const __m512i product = _mm512_mul_epu32(keyed, _mm512_srli_epi64(keyed, 32));
    const __m512i swapped = _mm512_shuffle_epi32(data, _MM_PERM_BADC);
    return _mm512_add_epi64(product, _mm512_add_epi64(sums, swapped));
}

WIDE_TARGET static inline __m512i scramble(__m512i sums, const uint8_t *secret) {
    sums = _mm512_xor_si512(sums, _mm512_srli_epi64(sums, 47));
    sums = _mm512_xor_si512(sums, _mm512_loadu_si512(secret));
    return _mm512_mullo_epi64(sums, _mm512_set1_epi64((long long)PRIMES_32[0]));
}

__extension__ typedef unsigned __int128 wide;

static uint64_t multiply_and_fold(uint64_t a, uint64_t b) {
    const wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* One number of the eight sums. */
static uint64_t merge(const uint64_t sums[STRIPE / sizeof(uint64_t)], const uint8_t *secret,
                      uint64_t size) {
    uint64_t hash = size * PRIMES_64[0];
    for (size_t i = 0; i < STRIPE / sizeof *sums; i += 2) {
        uint64_t keys[2];
        memcpy(keys, secret + i * sizeof *sums, sizeof keys);
        hash += multiply_and_fold(sums[i] ^ keys[0], sums[i + 1] ^ keys[1]);
    }
    hash = (hash ^ hash >> 37) * UINT64_C(0x165667919E3779F9);
    return hash ^ hash >> 32;
}

WIDE_TARGET static uint64_t hash_wide(nd_span bytes, uint64_t seed) {
    uint8_t secret[SECRET];
    uint64_t merged[STRIPE / sizeof(uint64_t)];
    __m512i sums =
        _mm512_set_epi64((long long)PRIMES_32[0], (long long)PRIMES_64[4], (long long)PRIMES_32[1],
                         (long long)PRIMES_64[3], (long long)PRIMES_64[2], (long long)PRIMES_64[1],
                         (long long)PRIMES_64[0], (long long)PRIMES_32[2]);
    make_secret(seed, secret);
    /* The last stripe is that of the last bytes, whether they are in another or not. */
    const uint8_t *p = bytes.data, *last = bytes.data + bytes.size - STRIPE;
    for (; last - p >= BLOCK - STRIPE + 1; p += BLOCK) {
        for (size_t i = 0; i < STRIPES; i++) {
            sums = add_stripe(sums, p + i * STRIPE, secret + i * STEP);
        }
        sums = scramble(sums, secret + SECRET - STRIPE);
    }
    for (size_t i = 0; p < last; p += STRIPE, i++) {
        sums = add_stripe(sums, p, secret + i * STEP);
    }
    sums = add_stripe(sums, last, secret + LAST_SECRET);
    _mm512_storeu_si512(merged, sums);
    return merge(merged, secret + MERGE_SECRET, bytes.size);
}

uint64_t nd_xxh3_64(nd_span bytes, uint64_t seed) {
    return bytes.size >= LEAST && nd_cpu_has(ND_CPU_AVX512F | ND_CPU_AVX512DQ)
               ? hash_wide(bytes, seed)
               : XXH3_64bits_withSeed(bytes.data, bytes.size, seed);
}

#else

uint64_t nd_xxh3_64(nd_span bytes, uint64_t seed) {
    return XXH3_64bits_withSeed(bytes.data, bytes.size, seed);
}

#endif
