#include "src/lcs/lcs_sift.h"

#include "src/base/order.h"

#include <string.h>

#if defined(__x86_64__) && ND_SIMD
#include <immintrin.h>
#endif

/* So many kinds, that of the tokens that the other sequence lacks few are kept: most tokens stand
 * in a page more than once. */
enum { KINDS_PER_TOKEN = 8, LEAST_BITS = 8, MOST_BITS = 15, MORE_READ = 3 };

static const uint32_t KIND_MULTIPLIER = UINT32_C(0x9e3779b1); /* 2^32 over the golden ratio */

static inline uint32_t kind_of(const nd_lcs_kinds *kinds, uint32_t token) {
    return token * KIND_MULTIPLIER >> kinds->shift;
}

static size_t keep_plain(const nd_lcs_kinds *kinds, const uint32_t *tokens, size_t count,
                         uint32_t *kept) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        kept[n] = tokens[i]; /* whether it stays, a processor cannot foretell */
        n += kinds->present[kind_of(kinds, tokens[i])];
    }
    return n;
}

#if defined(__x86_64__) && ND_SIMD

#define WIDE_TARGET __attribute__((target("avx512f,avx512bw,avx512dq")))

/* Which of 16 tokens, those of `live`, are of kinds that there are. */
WIDE_TARGET static inline __mmask16 known16(const nd_lcs_kinds *kinds, __m512i tokens,
                                            __mmask16 live) {
    const __m512i kind =
        _mm512_srl_epi32(_mm512_mullo_epi32(tokens, _mm512_set1_epi32((int)KIND_MULTIPLIER)),
                         _mm_cvtsi32_si128((int)kinds->shift));
/* Without optimisation gcc's gather is a macro that takes its mask for a signed number. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
    const __m512i words = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), live, kind,
                                                      (const void *)kinds->present, 1);
#pragma GCC diagnostic pop
    return _mm512_test_epi32_mask(words, _mm512_set1_epi32(1));
}

WIDE_TARGET static size_t keep_avx512(const nd_lcs_kinds *kinds, const uint32_t *tokens,
                                      size_t count, uint32_t *kept) {
    enum { LANES = 16 };
    size_t n = 0;
    for (size_t i = 0; i < count; i += LANES) {
        const size_t left = count - i;
        const unsigned lanes = left < LANES ? (1U << left) - 1 : 0xffffU;
        const __mmask16 live = (__mmask16)lanes;
        const __m512i here = _mm512_maskz_loadu_epi32(live, tokens + i);
        const __mmask16 known = known16(kinds, here, live);
        /* some processors are slow to compress into memory */
        _mm512_storeu_si512(kept + n, _mm512_maskz_compress_epi32(known, here));
        n += (size_t)__builtin_popcount(_cvtmask16_u32(known));
    }
    return n;
}

#endif

const nd_lcs_sift_variant nd_lcs_sift_variants[] = {
    {.name = "plain", .needs = 0, .token_cost = 1500, .keep = keep_plain},
#if defined(__x86_64__) && ND_SIMD
    {.name = "AVX-512",
     .needs = ND_CPU_AVX512F | ND_CPU_AVX512BW | ND_CPU_AVX512DQ,
     .token_cost = 1100,
     .keep = keep_avx512},
#endif
};
const size_t nd_lcs_sift_variant_count =
    sizeof nd_lcs_sift_variants / sizeof nd_lcs_sift_variants[0];

const nd_lcs_sift_variant *nd_lcs_sift_best(void) {
    size_t best;
    ND_CPU_BEST(best, nd_lcs_sift_variant_count, nd_lcs_sift_variants[best].needs);
    return &nd_lcs_sift_variants[best];
}

/* What is kept of a sequence, by the kinds of the other one. */
static size_t sift_by(const nd_lcs_sift_variant *variant, const nd_lcs_kinds *kinds,
                      const uint32_t *other, size_t other_count, const uint32_t *tokens,
                      size_t count, uint32_t *kept) {
    memset(kinds->present, 0, (size_t)1 << (32 - kinds->shift));
    for (size_t i = 0; i < other_count; i++) {
        kinds->present[kind_of(kinds, other[i])] = 1;
    }
    return variant->keep(kinds, tokens, count, kept);
}

nd_status nd_lcs_sift(const nd_lcs_sift_variant *variant, nd_lcs_pair *pair, nd_lcs_work *work) {
    uint32_t *a = NULL;
    uint32_t *b = NULL;
    nd_status st = ND_OK;
    uint32_t bits = LEAST_BITS;
    while (bits < MOST_BITS && (size_t)1 << bits < KINDS_PER_TOKEN * nd_max(pair->n, pair->m)) {
        bits++;
    }
    nd_lcs_kinds kinds = {.shift = 32 - bits};
    const size_t room_a = pair->n + ND_LCS_SIFT_PADDING, room_b = pair->m + ND_LCS_SIFT_PADDING;
    ND_TRY(nd_lcs_room(work, ND_LCS_SIFTED_A, room_a * sizeof *a, &a));
    ND_TRY(nd_lcs_room(work, ND_LCS_SIFTED_B, room_b * sizeof *b, &b));
    ND_TRY(nd_lcs_room(work, ND_LCS_SIFT_KINDS, ((size_t)1 << bits) + MORE_READ, &kinds.present));
    pair->m = sift_by(variant, &kinds, pair->a, pair->n, pair->b, pair->m, b);
    pair->n = sift_by(variant, &kinds, b, pair->m, pair->a, pair->n, a);
    pair->a = a;
    pair->b = b;
out:
    return st;
}
