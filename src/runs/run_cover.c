#include "src/runs/run_cover.h"

#include "src/base/order.h"
#include "src/lcs/lcs_work.h"

#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__) && ND_SIMD
#include <immintrin.h>
#endif

enum {
    BITS_PER_RUN = 32, /* of the filter: one of 32 runs that a lacks is taken for one of a's */
    WORD = 64,         /* tokens of a word of the cover */
    USUAL_RUN = 3      /* what variants are made for */
};

/* The multiplier of the hash (the low half of that of Knuth's MMIX generator), and 2^32 over the
 * golden ratio, made odd, whose product moves what differs into the high bits. */
static const uint32_t POWER = UINT32_C(0x4c957f2d);
static const uint32_t SPREAD = UINT32_C(0x9e3779b1);

/* ---- looking runs up */

/* The terms do not wait for one another. `run` is a constant where that is usual. */
static inline __attribute__((always_inline)) uint32_t bit_of(const nd_run_filter *filter,
                                                             const uint32_t *tokens, size_t run) {
    uint32_t hash = 0;
    uint32_t power = SPREAD;
    for (size_t i = 0; i < run; i++) {
        hash += tokens[i] * power;
        power *= POWER;
    }
    return hash >> filter->shift;
}

static inline __attribute__((always_inline)) void look_up_run(const nd_run_filter *filter,
                                                              const uint32_t *b, size_t places,
                                                              size_t run, uint64_t *found) {
    for (size_t begin = 0; begin < places; begin += WORD) {
        const size_t end = nd_min(places - begin, WORD);
        uint64_t bits = 0;
        for (size_t i = 0; i < end; i++) {
            const uint32_t bit = bit_of(filter, b + begin + i, run);
            bits |= (uint64_t)(filter->words[bit / 32] >> bit % 32 & 1) << i;
        }
        found[begin / WORD] = bits;
    }
}

static void look_up_plain(const nd_run_filter *filter, const uint32_t *b, size_t places,
                          uint64_t *found) {
    if (filter->run == USUAL_RUN) {
        look_up_run(filter, b, places, USUAL_RUN, found);
    } else {
        look_up_run(filter, b, places, filter->run, found);
    }
}

#if defined(__x86_64__) && ND_SIMD

#define WIDE_TARGET __attribute__((target("avx512f")))

/* As bit_of() and the look at the filter, for the places of `which`; what these do not need is not
 * read. */
WIDE_TARGET static inline uint64_t look_up16(const nd_run_filter *filter, const uint32_t *b,
                                             __mmask16 which) {
    uint32_t power = SPREAD;
    __m512i hash = _mm512_setzero_si512();
    for (size_t i = 0; i < USUAL_RUN; i++) {
        const __m512i tokens = _mm512_maskz_loadu_epi32(which, b + i);
        hash = _mm512_add_epi32(hash, _mm512_mullo_epi32(tokens, _mm512_set1_epi32((int)power)));
        power *= POWER;
    }
    const __m512i bit = _mm512_srlv_epi32(hash, _mm512_set1_epi32((int)filter->shift));
/* Without optimisation gcc's gather is a macro that takes its mask for a signed number. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
    const __m512i words = _mm512_mask_i32gather_epi32(
        _mm512_setzero_si512(), which, _mm512_srli_epi32(bit, 5), (const int *)filter->words, 4);
#pragma GCC diagnostic pop
    const __m512i mask =
        _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_and_si512(bit, _mm512_set1_epi32(31)));
    return _cvtmask16_u32(_mm512_test_epi32_mask(words, mask));
}

WIDE_TARGET static void look_up_avx512(const nd_run_filter *filter, const uint32_t *b,
                                       size_t places, uint64_t *found) {
    enum { LANES = 16 };
    if (filter->run != USUAL_RUN) {
        look_up_plain(filter, b, places, found);
        return;
    }
    for (size_t begin = 0; begin < places; begin += WORD) {
        uint64_t bits = 0;
        for (size_t i = begin; i < begin + WORD && i < places; i += LANES) {
            const size_t left = places - i;
            const unsigned which = left < LANES ? (1U << left) - 1 : 0xffffU;
            bits |= look_up16(filter, b + i, (__mmask16)which) << (i - begin);
        }
        found[begin / WORD] = bits;
    }
}

#endif

const nd_run_cover_variant nd_run_cover_variants[] = {
    {"plain", 0, look_up_plain},
#if defined(__x86_64__) && ND_SIMD
    {"AVX-512", ND_CPU_AVX512F, look_up_avx512},
#endif
};
const size_t nd_run_cover_variant_count =
    sizeof nd_run_cover_variants / sizeof nd_run_cover_variants[0];

/* ---- the filter */

static nd_status filter_of(const uint32_t *a, size_t n, size_t run, nd_lcs_work *work,
                           nd_run_filter *filter) {
    nd_status st = ND_OK;
    uint32_t bits = 6;
    uint32_t *copy = NULL;
    /* Is the filter that is kept in the work that of these tokens? */
    const bool kept = work->cover_tokens == n && work->cover_run == run &&
                      memcmp(work->memory[ND_LCS_COVER_TOKENS].data, a, n * sizeof *a) == 0;
    while (bits < 31 && (size_t)1 << bits < BITS_PER_RUN * n) {
        bits++;
    }
    *filter = (nd_run_filter){.run = run, .shift = 32 - bits};
    work->cover_tokens = 0; /* until it is complete */
    ND_TRY(nd_lcs_room(work, ND_LCS_COVER_BITS, ((size_t)1 << bits) / 8, &filter->words));
    ND_TRY(nd_lcs_room(work, ND_LCS_COVER_TOKENS, n * sizeof *a, &copy));
    if (!kept) {
        memcpy(copy, a, n * sizeof *a);
        memset(filter->words, 0, ((size_t)1 << bits) / 8);
        for (size_t i = 0; i + run <= n; i++) {
            const uint32_t bit = bit_of(filter, a + i, run);
            filter->words[bit / 32] |= UINT32_C(1) << bit % 32;
        }
    }
    work->cover_tokens = n;
    work->cover_run = run;
out:
    return st;
}

/* ---- the tokens of the runs */

/* From the places where runs begin to all of their tokens: each bit and the run - 1 after it. */
static uint64_t spread_runs(uint64_t *bits, size_t words, size_t run) {
    uint64_t count = 0;
    for (size_t shift = 1; shift < run; shift++) {
        uint64_t carry = 0;
        for (size_t w = 0; w < words; w++) {
            const uint64_t here = bits[w];
            bits[w] |= here << 1 | carry;
            carry = here >> (WORD - 1);
        }
    }
    for (size_t w = 0; w < words; w++) {
        count += (uint64_t)__builtin_popcountll(bits[w]);
    }
    return count;
}

nd_status nd_run_cover_find_by(const nd_run_cover_variant *variant, const uint32_t *a, size_t n,
                               const uint32_t *b, size_t m, size_t run, nd_lcs_work *work,
                               nd_run_cover *cover) {
    nd_status st = ND_OK;
    nd_run_filter filter;
    const size_t words = m / WORD + 1;
    ND_TRY(nd_lcs_room(work, ND_LCS_COVERED, words * sizeof *cover->bits, &cover->bits));
    memset(cover->bits, 0, words * sizeof *cover->bits);
    cover->count = 0;
    if (n >= run && m >= run) {
        ND_TRY(filter_of(a, n, run, work, &filter));
        variant->look_up(&filter, b, m - run + 1, cover->bits);
        cover->count = spread_runs(cover->bits, words, run);
    }
out:
    return st;
}

nd_status nd_run_cover_find(const uint32_t *a, size_t n, const uint32_t *b, size_t m, size_t run,
                            nd_lcs_work *work, nd_run_cover *cover) {
    size_t best;
    ND_CPU_BEST(best, nd_run_cover_variant_count, nd_run_cover_variants[best].needs);
    return nd_run_cover_find_by(&nd_run_cover_variants[best], a, n, b, m, run, work, cover);
}
