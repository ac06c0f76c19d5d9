#include "src/compare/displacement.h"

#include "src/compare/jaccard.h"
#include "src/lcs/gram.h"

#include <stdbool.h>

/* The tokens of one sequence, one after the other. */
typedef struct walk {
    double shared; /* those that stand in a shared shingle */
    double own;
    double before; /* shared ones before each own one, summed up */
    size_t end;    /* of the shared shingles so far */
} walk;

/* The token at a place, where a shingle may begin that is shared. */
static void step(walk *w, size_t place, bool is_shared) {
    w->end = is_shared ? place + ND_SHINGLE_TOKENS : w->end;
    if (place < w->end) {
        w->shared += 1;
    } else {
        w->own += 1;
        w->before += w->shared;
    }
}

static double mean_place(const walk *w) {
    return w->before / w->own / w->shared;
}

void nd_displacement(const uint32_t *a, size_t n, const uint32_t *b, size_t m, nd_lcs_work *work,
                     double *displacement) {
    nd_grams grams = {0};
    walk of_a = {0};
    walk of_b = {0};
    nd_grams_number(a, n, b, m, ND_SHINGLE_TOKENS, work, &grams);
    for (size_t i = 0; i < grams.distinct; i++) {
        grams.count[i] = 0; /* from now on: does a hold it? */
    }
    for (size_t i = 0; i < n; i++) {
        const bool is_shared = i < grams.a_count && grams.a[i] != ND_NO_GRAM;
        step(&of_a, i, is_shared);
        if (is_shared) {
            grams.count[grams.a[i]] = 1;
        }
    }
    for (size_t i = 0; i < m; i++) {
        step(&of_b, i, i < grams.b_count && grams.count[grams.b[i]] > 0);
    }
    *displacement = 0;
    if (of_a.shared > 0 && of_b.shared > 0 && of_a.own > 0 && of_b.own > 0) {
        const double distance = mean_place(&of_a) - mean_place(&of_b);
        *displacement = distance < 0 ? -distance : distance;
    }
}
