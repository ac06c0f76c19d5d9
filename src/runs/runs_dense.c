#include "src/runs/runs_internal.h"

#include "src/base/cpu.h"
#include "src/base/order.h"
#include "src/lcs/lcs_work.h"

#include <string.h>

/* The table of all pairs of places: best(i, j) is the most matches of the tokens up to the end of
 * the q-grams at i and j, ending(i, j) that of sequences that end with these q-grams, which have to
 * be equal: it begins a run, or goes on with the one that ends one token before. Then
 * ending(i, j) is the larger of best(i - 3, j - 3) + 3 and ending(i - 1, j - 1) + 1; best(i, j) is
 * the largest of best(i - 1, j), best(i, j - 1) and ending(i, j).
 *
 * Cells of one antidiagonal do not depend on each other, so the compiler works many at a time. The
 * table is filled by strips of rows that fit in the cache, each from left to right; the last rows
 * of a strip are kept for the next one. A sequence that reaches the limit stays in a band around
 * the diagonal, so cells outside of the band may count as less than they are, never as more. */
enum {
    HALO = ND_RUN_TOKENS,     /* rows of the strip above that a strip needs */
    BEST_RING = 2 * HALO + 1, /* antidiagonals of best that are in use, */
    ENDING_RING = 3,          /* and of ending */
    /* columns left of b and of the band, where a strip begins without what stands above its first
     * cells; it spoils no more columns than these */
    MARGIN = 2 * HALO + 2
};

#define NO_END (INT32_MIN / 2) /* no sequence ends here; grows by less than the longest page */
/* Equal to no number of a, whose places may hold ND_NO_GRAM. */
static const uint32_t NO_COLUMN = ND_NO_GRAM - 1;

typedef struct dense {
    const nd_runs_pair *pair;
    size_t width;        /* columns of the table: MARGIN, and the places in b */
    uint32_t *rows;      /* numbers of a's q-grams */
    uint32_t *columns;   /* those of b, backwards; on both sides ND_RUNS_STRIP times NO_COLUMN */
    int32_t *kept[HALO]; /* best of the last rows above the strip, by column */
    int32_t *kept_ending;
    int32_t (*best)[HALO + ND_RUNS_STRIP]; /* rings of antidiagonals; cell HALO + l is of row l */
    int32_t (*ending)[HALO + ND_RUNS_STRIP];
} dense;

static nd_status dense_new(dense *d, nd_lcs_work *work) {
    nd_status st = ND_OK;
    const nd_grams *grams = &d->pair->grams;
    const size_t ring = (BEST_RING + ENDING_RING) * sizeof *d->best;
    int32_t *kept = NULL;
    d->width = MARGIN + grams->b_count;
    ND_TRY(nd_lcs_room(work, ND_LCS_RUNS_LISTS, (d->width + 2 * ND_RUNS_STRIP) * sizeof *d->columns,
                       &d->columns));
    ND_TRY(nd_lcs_room(work, ND_LCS_RUNS_FINISH, (HALO + 1) * d->width * sizeof *kept, &kept));
    ND_TRY(nd_lcs_room(work, ND_LCS_RUNS_RING, ring, &d->best));
    d->rows = grams->a;
    d->ending = d->best + BEST_RING;
    d->kept_ending = kept + HALO * d->width;
    memset(kept, 0, HALO * d->width * sizeof *kept);
    for (size_t j = 0; j < d->width; j++) {
        d->kept_ending[j] = NO_END;
    }
    for (size_t h = 0; h < HALO; h++) {
        d->kept[h] = kept + h * d->width;
    }
    for (size_t x = 0; x < d->width + 2 * ND_RUNS_STRIP; x++) {
        d->columns[x] = NO_COLUMN;
    }
    for (size_t j = 0; j < grams->b_count; j++) {
        d->columns[ND_RUNS_STRIP + grams->b_count - 1 - j] = grams->b[j];
    }
out:
    return st;
}

/* Antidiagonals that one step reads and writes, each at its row 0. */
typedef struct step {
    const uint32_t *rows;
    const uint32_t *columns;
    const int32_t *best1; /* of the antidiagonal before, */
    const int32_t *best6; /* and six before */
    const int32_t *ending2;
    int32_t *best;
    int32_t *ending;
} step;

/* Each pointer below stands where row 0 needs it. As parameters, since compilers believe `restrict`
 * of these alone. */
static inline __attribute__((always_inline)) void
fill_cells(size_t count, const uint32_t *rows, const uint32_t *columns, const int32_t *above,
           const int32_t *left, const int32_t *before_run, const int32_t *longer,
           int32_t *restrict best, int32_t *restrict ending) {
    for (size_t l = 0; l < count; l++) {
        const int32_t begun = before_run[l] + HALO;
        const int32_t grown = longer[l] + 1;
        const int32_t ends = begun > grown ? begun : grown;
        const int32_t ended = rows[l] == columns[l] ? ends : NO_END;
        const int32_t none = above[l] > left[l] ? above[l] : left[l];
        ending[l] = ended;
        best[l] = none > ended ? none : ended;
    }
}

static inline __attribute__((always_inline)) void fill_step(const step *s, size_t count) {
    fill_cells(count, s->rows, s->columns, s->best1 - 1, s->best1, s->best6 - HALO, s->ending2 - 1,
               s->best, s->ending);
}

static void fill_plain(const step *s, size_t count) {
    fill_step(s, count);
}

#if defined(__x86_64__) && ND_SIMD

__attribute__((target("avx2"))) static void fill_avx2(const step *s, size_t count) {
    fill_step(s, count);
}

__attribute__((target("avx512f,avx512bw"))) static void fill_avx512(const step *s, size_t count) {
    fill_step(s, count);
}

#endif

typedef void (*filler)(const step *s, size_t count);

static const struct {
    uint32_t needs; /* features of the processor, see src/base/cpu.h */
    filler fill;
} fillers[] = {
    {0, fill_plain},
#if defined(__x86_64__) && ND_SIMD
    {ND_CPU_AVX2, fill_avx2},
    {ND_CPU_AVX512F | ND_CPU_AVX512BW, fill_avx512},
#endif
};

/* A strip: rows [top, top + height), columns [left, right), where column MARGIN + j is place j. */
typedef struct strip {
    size_t top;
    size_t height;
    size_t left;
    size_t right;
} strip;

/* Keep the last rows of the strip; only the last strip of all can have fewer. */
static void leave_step(const dense *d, const strip *s, size_t t) {
    for (size_t h = 0; h < HALO && s->height >= HALO; h++) {
        const size_t row = s->height - HALO + h;
        if (t >= row && t - row + s->left < s->right) {
            d->kept[h][t - row + s->left] = d->best[t % BEST_RING][HALO + row];
            if (h == HALO - 1) {
                d->kept_ending[t - row + s->left] = d->ending[t % ENDING_RING][HALO + row];
            }
        }
    }
}

/* \return the best of the last row in the last column */
static uint64_t fill_strip(const dense *d, const strip *s, filler fill) {
    const size_t steps = s->right - s->left + s->height - 1;
    memset(d->best, 0, BEST_RING * sizeof *d->best);
    for (size_t i = 0; i < ENDING_RING * (HALO + ND_RUNS_STRIP); i++) {
        d->ending[i / (HALO + ND_RUNS_STRIP)][i % (HALO + ND_RUNS_STRIP)] = NO_END;
    }
    for (size_t t = 0; t < steps; t++) {
        /* The cells above the strip: column left + t + 1 of the row right above it. */
        for (size_t h = 0; h < HALO; h++) {
            const size_t column = s->left + t + HALO - h;
            d->best[t % BEST_RING][h] = d->kept[h][nd_min(column, d->width - 1)];
        }
        const size_t above = s->left + t + 1;
        d->ending[t % ENDING_RING][HALO - 1] = above < d->width ? d->kept_ending[above] : NO_END;
        const step one = {
            .rows = d->rows + s->top,
            .columns = d->columns + ND_RUNS_STRIP + d->width - 1 - s->left - t,
            .best1 = d->best[(t + BEST_RING - 1) % BEST_RING] + HALO,
            .best6 = d->best[(t + BEST_RING - 2 * HALO) % BEST_RING] + HALO,
            .ending2 = d->ending[(t + ENDING_RING - 2) % ENDING_RING] + HALO,
            .best = d->best[t % BEST_RING] + HALO,
            .ending = d->ending[t % ENDING_RING] + HALO,
        };
        fill(&one, s->height);
        leave_step(d, s, t);
    }
    return (uint64_t)d->best[(steps - 1) % BEST_RING][HALO + s->height - 1];
}

nd_status nd_runs_dense(const nd_runs_pair *pair, size_t strip_rows, nd_lcs_work *work,
                        uint64_t *length) {
    dense d = {.pair = pair};
    nd_status st = dense_new(&d, work);
    if (st != ND_OK) {
        return st;
    }
    size_t best;
    ND_CPU_BEST(best, sizeof fillers / sizeof fillers[0], fillers[best].needs);
    const size_t right = pair->m - pair->at_least; /* columns that a sequence may skip, */
    const size_t down = pair->n - pair->at_least;  /* and rows */
    uint64_t found = 0;
    for (size_t top = 0; top < pair->grams.a_count; top += strip_rows) {
        const size_t height = nd_min(pair->grams.a_count - top, strip_rows);
        const strip s = {.top = top,
                         .height = height,
                         .left = top > down ? top - down : 0,
                         .right = nd_min(MARGIN + top + height + right, d.width)};
        found = fill_strip(&d, &s, fillers[best].fill);
        if (found + (pair->n - top - s.height) < pair->at_least) {
            break;
        }
    }
    *length = found >= pair->at_least ? found : 0;
    return ND_OK;
}
