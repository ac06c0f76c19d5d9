/* What each score costs per pair of pages, at thresholds as the program uses them and without: the
 * median CPU time per pair of several repeats. Pages of prose by class of likeness, then pages that
 * repeat themselves, the worst case of what works by pairs of equal places. */
#include "src/compare/score.h"
#include "tests/support/bench.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAIRS = 60,           /* per class */
    LONGEST_EDIT = 8,     /* words replaced in one place */
    HUGE_LENGTH = 100000, /* tokens of pages that repeat themselves */
    MAX_WORDS = 2 * HUGE_LENGTH
};

typedef struct page_pair {
    uint32_t *a;
    uint32_t *b;
    size_t n;
    size_t m;
} page_pair;

typedef struct task {
    const nd_score *score;
    page_pair pairs[PAIRS];
    size_t count;
    double threshold;
    double sum;
    nd_lcs_work work;
} task;

static void run(void *context) {
    task *t = context;
    t->sum = 0;
    for (size_t i = 0; i < t->count; i++) {
        const page_pair *p = &t->pairs[i];
        double similarity = 0;
        t->score->similarity(p->a, p->n, p->b, p->m, t->threshold, &t->work, &similarity);
        t->sum += similarity;
    }
}

static page_pair new_pair(size_t n) {
    return (page_pair){.n = n,
                       .a = nd_bench_allocate(MAX_WORDS, sizeof(uint32_t)),
                       .b = nd_bench_allocate(MAX_WORDS, sizeof(uint32_t))};
}

/* A page, and a copy with runs of words replaced so that r of the two is near `r`: replacing a
 * share e of the words gives r = (1 - e) / (1 + e). */
static page_pair edited_pair(nd_random *random, size_t words, double r) {
    page_pair p = new_pair(words / 2 + nd_random_below(random, words));
    const double edited = (1 - r) / (1 + r);
    const double per_word = edited / ((1 - edited) * (LONGEST_EDIT + 1) / 2);
    for (size_t i = 0; i < p.n; i++) {
        p.a[i] = nd_bench_word(random);
    }
    for (size_t i = 0; i < p.n;) {
        if ((double)nd_random_below(random, 1 << 20) < per_word * (1 << 20)) {
            i += 1 + nd_random_below(random, LONGEST_EDIT);
            for (uint64_t j = nd_random_below(random, LONGEST_EDIT + 2); j > 0; j--) {
                p.b[p.m++] = nd_bench_word(random);
            }
        } else {
            p.b[p.m++] = p.a[i++];
        }
    }
    return p;
}

/* `kinds` words at random, or in turn. */
static page_pair repetitive_pair(nd_random *random, size_t n, size_t m, uint64_t kinds,
                                 bool in_turn) {
    page_pair p = new_pair(n);
    p.m = m;
    for (size_t i = 0; i < n; i++) {
        p.a[i] = (uint32_t)nd_mix64(in_turn ? i % kinds : nd_random_below(random, kinds));
    }
    for (size_t i = 0; i < m; i++) {
        p.b[i] = (uint32_t)nd_mix64(in_turn ? (i + 1) % kinds : nd_random_below(random, kinds));
    }
    return p;
}

static void report(task *t) {
    static const double thresholds[] = {0, 0.5, 0.8};
    for (size_t row = 0; nd_score_row(row) != NULL; row++) {
        t->score = nd_score_row(row);
        printf("  %-10s", t->score->name);
        for (size_t i = 0; i < sizeof thresholds / sizeof thresholds[0]; i++) {
            t->threshold = thresholds[i];
            const double seconds = nd_bench_seconds(run, t);
            printf(" %14.0f ns", seconds * 1e9 / (double)t->count);
            if (i == 0) {
                printf(" (mean %.2f)", t->sum / (double)t->count);
            }
        }
        printf("\n");
    }
    for (size_t i = 0; i < t->count; i++) {
        free(t->pairs[i].a);
        free(t->pairs[i].b);
    }
}

static void bench_class(nd_random *random, size_t words, double r) {
    static task t;
    t.count = words > 5000 ? PAIRS / 10 : PAIRS;
    for (size_t i = 0; i < t.count; i++) {
        t.pairs[i] = edited_pair(random, words, r);
    }
    printf("pages of about %zu words, r near %.2f: per pair, no threshold, .5, .8\n", words, r);
    report(&t);
    nd_lcs_work_free(&t.work);
}

static void bench_repetitive(nd_random *random, size_t m, uint64_t kinds, bool in_turn) {
    static task t;
    t.count = 1;
    t.pairs[0] = repetitive_pair(random, HUGE_LENGTH, m, kinds, in_turn);
    printf("pages of %d and %zu tokens, %d words %s\n", HUGE_LENGTH, m, (int)kinds,
           in_turn ? "in turn" : "at random");
    report(&t);
    nd_lcs_work_free(&t.work);
}

int main(int argc, char **argv) {
    static const double classes[] = {0.99, 0.90, 0.80, 0.50, 0.05};
    const char *only = argc > 1 ? argv[1] : "short long repetitive";
    nd_random random = {1};
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (strstr(only, "short") != NULL) {
            bench_class(&random, 1000, classes[i]);
        }
        if (strstr(only, "long") != NULL) {
            bench_class(&random, 20000, classes[i]);
        }
    }
    if (strstr(only, "repetitive") != NULL) {
        bench_repetitive(&random, HUGE_LENGTH, 1, true);
        bench_repetitive(&random, HUGE_LENGTH * 9 / 10, 1, true);
        bench_repetitive(&random, HUGE_LENGTH, 7, true);
        bench_repetitive(&random, HUGE_LENGTH, 2, false);
        bench_repetitive(&random, HUGE_LENGTH, 20, false);
        bench_repetitive(&random, HUGE_LENGTH, 300, false);
    }
    return 0;
}
