/* Exact LCS on pairs of real pages by class of likeness and length: the ladder at the thresholds of
 * the program and without, each of its kernels alone, and what a person would otherwise use.
 * b_lcs INPUT...: what `partition` takes. Every table is one run in which all rows take turns; a
 * figure is the median over the turns of the CPU microseconds per pair. xdiff gets its text ready
 * made, and what libgit2 does besides xdiff (it hashes both texts) is measured and taken off. To
 * start `diff --minimal` takes longer than most pairs, so it is left out. */
#include "src/compare/jaccard.h"
#include "src/lcs/lcs.h"
#include "src/lcs/lcs_internal.h"
#include "tests/support/bench.h"
#include "tests/support/lcs_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 5, LENGTHS = 3, MOST_PAIRS = 60, TURNS = 7, ROWS = 19 };

static const uint64_t SEED = 20240607;
static const double SHORTEST_TURN = 0.002; /* seconds of a row */
static const double TOO_LONG = 0.25;       /* seconds of a pair: such a row gets one turn */

typedef void (*kernel)(const uint32_t *, size_t, const uint32_t *, size_t, uint64_t, nd_lcs_work *,
                       uint64_t *);

/* A pair with all that any row needs of it. */
typedef struct item {
    nd_lcs_sample sample;
    nd_xdiff_text a_text, b_text;
} item;

typedef struct row {
    const char *name;
    kernel run; /* NULL: xdiff */
    double threshold;
    bool itself; /* xdiff of a text and itself */
    bool short_only;
} row;

static nd_lcs_work work;
static item items[MOST_PAIRS];
static size_t item_count;

/* ---- kernels that only the benchmark has */

/* Myers 1986, figure 2: furthest-reaching paths from one corner. */
static void myers_forward(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                          uint64_t at_least, nd_lcs_work *memory, uint64_t *length) {
    static int64_t *reach;
    static size_t capacity;
    const int64_t columns = (int64_t)n, rows = (int64_t)m;
    nd_grow(&reach, &capacity, 2 * (n + m) + 3, sizeof *reach);
    (void)memory;
    (void)at_least;
    int64_t *v = reach + n + m + 1;
    v[1] = 0;
    for (int64_t d = 0; d <= columns + rows; d++) {
        for (int64_t k = -d; k <= d; k += 2) {
            int64_t x = k == -d || (k != d && v[k - 1] < v[k + 1]) ? v[k + 1] : v[k - 1] + 1;
            while (x < columns && x - k < rows && a[x] == b[x - k]) {
                x++;
            }
            v[k] = x;
            if (x >= columns && x - k >= rows) {
                *length = (n + m - (uint64_t)d) / 2;
                return;
            }
        }
    }
}

static void table(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                  nd_lcs_work *memory, uint64_t *length) {
    (void)memory;
    (void)at_least;
    nd_lcs_table(a, n, b, m, length);
}

static void bits_plain(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                       nd_lcs_work *memory, uint64_t *length) {
    const nd_lcs_pair pair = {.a = a, .b = b, .n = n, .m = m, .at_least = at_least};
    nd_lcs_bits_by(nd_lcs_bits_variants[0], pair, memory, length);
}

/* The shared shingles, and the ladder with what these say of the order: as the mixed score. */
static void after_shingles(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                           uint64_t at_least, nd_lcs_work *memory, uint64_t *length) {
    uint64_t shared = 0;
    uint64_t in_order = 0;
    nd_shingles_shared(a, n, b, m, 0, memory, &shared, &in_order);
    nd_lcs_length_above(a, n, b, m, at_least, in_order, memory, length);
}

enum { LADDER, LADDER_46, LADDER_80, LADDER_ABOVE, XDIFF = ROWS - 2, XDIFF_ITSELF };

static const row rows[ROWS] = {
    {"ladder, exact", nd_lcs_length, 0, false, false},
    {"ladder, r >= .46", nd_lcs_length, .46, false, false},
    {"ladder, r >= .80", nd_lcs_length, .80, false, false},
    {"after shingles, exact", after_shingles, 0, false, false},
    {"Myers forward, exact", myers_forward, 0, false, false},
    {"Myers two ends, exact", nd_lcs_myers, 0, false, false},
    {"bits 64, exact", bits_plain, 0, false, false},
    {"bits wide, exact", nd_lcs_bits, 0, false, false},
    {"Myers two ends, .46", nd_lcs_myers, .46, false, false},
    {"bits 64, .46", bits_plain, .46, false, false},
    {"bits wide, .46", nd_lcs_bits, .46, false, false},
    {"Myers two ends, .80", nd_lcs_myers, .80, false, false},
    {"bits 64, .80", bits_plain, .80, false, false},
    {"bits wide, .80", nd_lcs_bits, .80, false, false},
    {"table, exact", table, 0, false, true},
    {"", NULL, 0, false, false},
    {"xdiff minimal", NULL, 0, false, false},
    {"libgit2 besides", NULL, 0, true, false},
};

/* ---- clock */

static uint64_t least_of(const item *i, double threshold) {
    const double both = (double)(i->sample.a.count + i->sample.b.count);
    return threshold > 0 ? (uint64_t)(threshold * both / (1 + threshold)) + 1 : 0;
}

static void run_item(const row *r, const item *i) {
    const nd_token_page *a = &i->sample.a, *b = &i->sample.b;
    uint64_t length = 0;
    if (r->run == NULL) {
        (void)nd_xdiff_distance(&i->a_text, r->itself ? &i->a_text : &i->b_text);
    } else {
        r->run(a->tokens, a->count, b->tokens, b->count, least_of(i, r->threshold), &work, &length);
    }
}

static double seconds_of(const row *r, int times) {
    const double begin = nd_bench_now();
    for (int t = 0; t < times; t++) {
        for (size_t i = 0; i < item_count; i++) {
            run_item(r, &items[i]);
        }
    }
    return (nd_bench_now() - begin) / times;
}

static bool is_measured(const row *r, size_t length) {
    return r->run == NULL ? r->name[0] != 0 && nd_xdiff_available() : !r->short_only || length < 2;
}

/* Medians of the rows' microseconds per pair; 0 for rows that are not measured. */
static void measure(size_t length, double *figures) {
    static double seconds[ROWS][TURNS];
    int times[ROWS] = {0};
    int turns[ROWS] = {0};
    for (int turn = 0; turn <= TURNS; turn++) { /* the first one finds out how long they take */
        for (size_t r = 0; r < ROWS; r++) {
            if (!is_measured(&rows[r], length)) {
                continue;
            }
            if (turn == 0) {
                seconds[r][0] = seconds_of(&rows[r], 1);
                times[r] = (int)(SHORTEST_TURN / (seconds[r][0] + 1e-9)) + 1;
                turns[r] = seconds[r][0] > TOO_LONG ? 1 : TURNS;
            } else if (turns[r] > 1) {
                seconds[r][turn - 1] = seconds_of(&rows[r], times[r]);
            }
        }
    }
    for (size_t r = 0; r < ROWS; r++) {
        figures[r] = 0;
        if (turns[r] > 0) {
            figures[r] = nd_bench_median(seconds[r], (size_t)turns[r]) * 1e6 / (double)item_count;
        }
    }
}

/* ---- tables */

static const nd_lcs_class classes[LENGTHS][CLASSES] = {{{.985, .9995, 100, 300},
                                                        {.87, .93, 100, 300},
                                                        {.77, .83, 100, 300},
                                                        {.4, .6, 100, 300},
                                                        {0, .12, 100, 300}},
                                                       {{.99, .9995, 300, 4000},
                                                        {.87, .93, 300, 4000},
                                                        {.77, .83, 300, 4000},
                                                        {.4, .6, 300, 4000},
                                                        {0, .12, 300, 4000}},
                                                       {{.99, .9995, 5000, 40000},
                                                        {.87, .93, 5000, 40000},
                                                        {.77, .83, 5000, 40000},
                                                        {.4, .6, 5000, 40000},
                                                        {0, .12, 5000, 40000}}};

/* What a table says of a class besides its figures. */
typedef struct about {
    double r, tokens, distance; /* means */
    size_t real, inexact;       /* pairs as they stand; pairs of which xdiff finds another L */
} about;

static about prepare(const nd_token_pages *pages, const nd_lcs_class *of, size_t wanted) {
    static nd_lcs_sample samples[MOST_PAIRS];
    about all = {0};
    if (nd_lcs_pairs_draw(pages, of, SEED, wanted, samples, &all.real) != ND_OK) {
        (void)fprintf(stderr, "%s\n", nd_fail_text());
        exit(1);
    }
    item_count = wanted;
    for (size_t i = 0; i < wanted; i++) {
        const nd_lcs_sample *s = &samples[i];
        const double both = (double)(s->a.count + s->b.count);
        const double distance = both * (1 - s->r) / (1 + s->r);
        items[i] = (item){*s, nd_xdiff_text_of(s->a.tokens, s->a.count),
                          nd_xdiff_text_of(s->b.tokens, s->b.count)};
        all.r += s->r / (double)wanted;
        all.tokens += both / 2 / (double)wanted;
        all.distance += distance / (double)wanted;
        all.inexact +=
            nd_xdiff_available() &&
            nd_xdiff_distance(&items[i].a_text, &items[i].b_text) != (size_t)(distance + .5);
    }
    return all;
}

static void forget(void) {
    for (size_t i = 0; i < item_count; i++) {
        free(items[i].a_text.bytes);
        free(items[i].b_text.bytes);
        nd_lcs_pairs_free(&items[i].sample, 1);
    }
}

static void print_line(const char *name, const double *figures, const char *format) {
    printf("  %-28s", name);
    for (size_t c = 0; c < CLASSES; c++) {
        if (figures[c] > 0) {
            printf(format, figures[c]);
        } else {
            printf("%10s", "-");
        }
    }
    printf("\n");
}

/* The fastest kernel of a threshold besides the ladder; for the exact ones xdiff as well. */
static double best_of(const double *figures, double threshold) {
    double best = 0;
    for (size_t r = LADDER_ABOVE + 1; r < ROWS - 1; r++) {
        double here = figures[r];
        if (r == XDIFF) {
            here = threshold > 0 ? 0 : here - figures[XDIFF_ITSELF];
        } else if (rows[r].threshold < threshold || rows[r].threshold > threshold) {
            here = 0;
        }
        best = here > 0 && (best <= 0 || here < best) ? here : best;
    }
    return best;
}

static void print_ratios(double figures[CLASSES][ROWS]) {
    static const char *const names[] = {"ours / best, exact", "ours / best, .46",
                                        "ours / best, .80",   "xdiff / ours, exact",
                                        "xdiff / ours, .46",  "xdiff / ours, .80"};
    for (size_t i = 0; i < 6; i++) {
        double line[CLASSES];
        for (size_t c = 0; c < CLASSES; c++) {
            const double ours = figures[c][LADDER + i % 3];
            const double xdiff = figures[c][XDIFF] - figures[c][XDIFF_ITSELF];
            line[c] = i < 3 ? ours / best_of(figures[c], rows[LADDER + i].threshold) : xdiff / ours;
        }
        print_line(names[i], line, "%10.2f");
    }
}

static void print_about(const about *all, size_t pairs) {
    double r[CLASSES], tokens[CLASSES], distance[CLASSES], real[CLASSES], inexact[CLASSES];
    for (size_t c = 0; c < CLASSES; c++) {
        r[c] = all[c].r;
        tokens[c] = all[c].tokens;
        distance[c] = all[c].distance;
        real[c] = (double)all[c].real;
        inexact[c] = (double)all[c].inexact;
    }
    printf("%zu pairs per class; microseconds per pair\n", pairs);
    print_line("mean r", r, "%10.3f");
    print_line("mean tokens", tokens, "%10.0f");
    print_line("mean distance", distance, "%10.0f");
    print_line("pairs as they stand", real, "%10.0f");
    print_line("xdiff not exact", inexact, "%10.0f");
}

static void bench_length(const nd_token_pages *pages, size_t length) {
    static const size_t counts[LENGTHS] = {60, 60, 12};
    double figures[CLASSES][ROWS];
    about all[CLASSES];
    for (size_t c = 0; c < CLASSES; c++) {
        all[c] = prepare(pages, &classes[length][c], counts[length]);
        measure(length, figures[c]);
        forget();
    }
    printf("pages of %zu to %zu tokens, ", classes[length][0].shortest, classes[length][0].longest);
    print_about(all, counts[length]);
    for (size_t r = 0; r < ROWS; r++) {
        double line[CLASSES];
        for (size_t c = 0; c < CLASSES; c++) {
            line[c] = r == XDIFF ? figures[c][r] - figures[c][XDIFF_ITSELF] : figures[c][r];
        }
        if (rows[r].name[0] != 0) {
            print_line(rows[r].name, line, "%10.2f");
        }
    }
    print_ratios(figures);
    printf("%s\n", nd_xdiff_available() ? "" : "  xdiff: not built, libgit2 is missing\n");
}

int main(int count, char **arguments) {
    nd_token_pages pages;
    if (count < 2) {
        (void)fprintf(stderr, "usage: %s INPUT...\n", arguments[0]);
        return 2;
    }
    if (nd_token_pages_read(&pages, (const char *const *)(arguments + 1), (size_t)count - 1) !=
        ND_OK) {
        (void)fprintf(stderr, "%s\n", nd_fail_text());
        return 1;
    }
    printf("%zu distinct texts, seed %llu\n\n", pages.count, (unsigned long long)SEED);
    for (size_t length = 0; length < LENGTHS; length++) {
        bench_length(&pages, length);
    }
    nd_token_pages_free(&pages);
    nd_lcs_work_free(&work);
    return 0;
}
