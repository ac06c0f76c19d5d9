#include "src/compare/penalties.h"

#include "src/base/util.h"
#include "src/compare/jaccard.h"
#include "src/lcs/lcs_matches.h"

#include <math.h>
#include <stdbool.h>

/* ---- names */

/* How often a token stands in a page. */
static inline uint64_t times(const uint32_t *tokens, size_t count, uint32_t token) {
    uint32_t found = 0; /* no wider than a token, so that as many are counted at once */
    for (size_t i = 0; i < count; i++) {
        found += tokens[i] == token;
    }
    return found;
}

/* Does a page say a word? Whole runs of words are looked at without a branch. */
static bool says(const uint32_t *tokens, size_t count, uint32_t token) {
    enum { RUN = 64 };
    for (; count >= RUN; tokens += RUN, count -= RUN) {
        if (times(tokens, RUN, token) > 0) {
            return true;
        }
    }
    return times(tokens, count, token) > 0;
}

/* Does a page begin with this word, which the other never says? */
static bool begins_with_own(const uint32_t *a, const uint32_t *b, size_t m, size_t i) {
    const bool alike = i < m && a[i] == b[i]; /* most pages that are compared begin alike */
    return !alike && !says(b, m, a[i]);
}

uint64_t nd_names_repeats(const uint32_t *a, size_t n, const uint32_t *b, size_t m) {
    uint64_t most = 1;
    for (size_t i = 0; i < nd_min(n, ND_NAMES_TOKENS); i++) {
        if (begins_with_own(a, b, m, i)) {
            most = nd_max(most, times(a, n, a[i]));
        }
    }
    return most - 1;
}

bool nd_names_are_inserted(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                           uint64_t repeats, uint64_t common) {
    enum { LEAST_TOKENS = 100, A_PART = 20 };
    const uint64_t lacks = m - common;
    uint64_t inserted = 0;
    if (m < LEAST_TOKENS || 2 * lacks > repeats || A_PART * lacks > m) {
        return false;
    }
    for (size_t i = 0; i < nd_min(n, ND_NAMES_TOKENS); i++) {
        if (times(a, i, a[i]) == 0 && begins_with_own(a, b, m, i)) {
            inserted += times(a, n, a[i]);
        }
    }
    return 2 * inserted >= n - common;
}

double nd_names_discount(double names, uint64_t tokens, uint64_t repeats) {
    return names * (double)repeats / sqrt((double)tokens);
}

/* ---- displacement */

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
    nd_qgram_ids grams = {0};
    walk of_a = {0};
    walk of_b = {0};
    nd_qgram_ids_number(a, n, b, m, ND_SHINGLE_TOKENS, work, &grams);
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
