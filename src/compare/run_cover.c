#include "src/compare/run_cover.h"

#include "src/compare/lcs_internal.h"

#include <stdbool.h>
#include <string.h>

/* Bits of the filter for each run of a: one of 32 runs that a lacks is taken for one of a's. */
enum { BITS_PER_RUN = 32 };

/* The multiplier of the hash (that of Knuth's MMIX generator), and 2^64 over the golden ratio, made
 * odd, whose product moves what differs into the high bits. */
static const uint64_t POWER = UINT64_C(6364136223846793005);
static const uint64_t SPREAD = UINT64_C(0x9e3779b97f4a7c15);

/* One bit for each hash of a run. */
typedef struct run_filter {
    uint64_t *words;
    size_t run;
    uint32_t shift; /* the bit's number is the hash's highest bits */
} run_filter;

/* The terms do not wait for one another. */
static inline uint64_t bit_of(const run_filter *f, const uint32_t *tokens, size_t run) {
    uint64_t hash = 0;
    uint64_t power = SPREAD;
    for (size_t i = 0; i < run; i++) {
        hash += tokens[i] * power;
        power *= POWER;
    }
    return hash >> f->shift;
}

static void fill(const run_filter *f, const uint32_t *a, size_t n) {
    memset(f->words, 0, ((size_t)1 << (64 - f->shift)) / 8);
    for (size_t i = 0; i + f->run <= n; i++) {
        const uint64_t bit = bit_of(f, a + i, f->run);
        f->words[bit / 64] |= UINT64_C(1) << bit % 64;
    }
}

/* Is the filter that is kept in the work that of these tokens? */
static bool is_kept(const nd_lcs_work *work, const uint32_t *a, size_t n, size_t run) {
    return work->cover_tokens == n && work->cover_run == run &&
           memcmp(work->memory[ND_LCS_COVER_TOKENS].data, a, n * sizeof *a) == 0;
}

static nd_status filter_of(const uint32_t *a, size_t n, size_t run, nd_lcs_work *work,
                           run_filter *f) {
    nd_status st = ND_OK;
    uint32_t bits = 6;
    uint32_t *copy = NULL;
    const bool kept = is_kept(work, a, n, run);
    while ((size_t)1 << bits < BITS_PER_RUN * n) {
        bits++;
    }
    *f = (run_filter){.run = run, .shift = 64 - bits};
    work->cover_tokens = 0; /* until it is complete */
    ND_TRY(nd_lcs_room(work, ND_LCS_COVER_BITS, ((size_t)1 << bits) / 8, &f->words));
    ND_TRY(nd_lcs_room(work, ND_LCS_COVER_TOKENS, n * sizeof *a, &copy));
    if (!kept) {
        memcpy(copy, a, n * sizeof *a);
        fill(f, a, n);
    }
    work->cover_tokens = n;
    work->cover_run = run;
out:
    return st;
}

/* `run` is a constant where this is called, so that its loop is none. */
static inline __attribute__((always_inline)) void
count_covered(const run_filter *f, const uint32_t *b, size_t m, size_t run, uint32_t *covered) {
    uint32_t total = 0;
    size_t left = 0; /* tokens from here on that a run covers */
    for (size_t i = 0; i < m; i++) {
        covered[i] = total;
        if (i + run <= m) {
            const uint64_t bit = bit_of(f, b + i, run);
            left = (f->words[bit / 64] >> bit % 64 & 1) != 0 ? run : left;
        }
        total += left > 0;
        left -= left > 0;
    }
    covered[m] = total;
}

nd_status nd_run_cover(const uint32_t *a, size_t n, const uint32_t *b, size_t m, size_t run,
                       nd_lcs_work *work, uint32_t **covered) {
    enum { USUAL_RUN = 3 };
    nd_status st = ND_OK;
    run_filter filter;
    ND_TRY(nd_lcs_room(work, ND_LCS_COVERED, (m + 1) * sizeof **covered, covered));
    if (n < run || m < run) {
        memset(*covered, 0, (m + 1) * sizeof **covered);
        return ND_OK;
    }
    ND_TRY(filter_of(a, n, run, work, &filter));
    if (run == USUAL_RUN) {
        count_covered(&filter, b, m, USUAL_RUN, *covered);
    } else {
        count_covered(&filter, b, m, run, *covered);
    }
out:
    return st;
}
