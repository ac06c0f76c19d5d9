#include "src/compare/score.h"

#include <string.h>

uint64_t nd_score_least_common(const nd_score *score, uint64_t n, uint64_t m, double threshold) {
    uint64_t low = 0;
    uint64_t high = (n < m ? n : m) + 1; /* one more than can be matched: "none does" */
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (score->ratio(middle, n, m) >= threshold) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low > (n < m ? n : m) ? n + m + 1 : low;
}

/* r = |LCS| / (|A| + |B| - |LCS|), Huang, Wang and Li, CIKM 2008 */
static double r_ratio(uint64_t common, uint64_t n, uint64_t m) {
    return n + m == 0 ? 0 : (double)common / (double)(n + m - common);
}

static const nd_score score_r;

static nd_status r_similarity(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                              double threshold, nd_lcs_work *work, double *similarity) {
    const uint64_t least = nd_score_least_common(&score_r, n, m, threshold);
    uint64_t common = 0;
    nd_status st = ND_OK;
    if (least <= n + m) {
        st = nd_lcs_length(a, n, b, m, least, work, &common);
    }
    if (st == ND_OK) {
        *similarity = common >= least ? r_ratio(common, n, m) : 0;
    }
    return st;
}

static const nd_score score_r = {
    .name = "r",
    .summary = "|LCS| / (|A| + |B| - |LCS|) over tokens (Huang, Wang and Li, CIKM 2008)",
    .ratio = r_ratio,
    .similarity = r_similarity,
};

static const nd_score *const scores[] = {&score_r};

const nd_score *nd_score_row(size_t row) {
    return row < sizeof scores / sizeof scores[0] ? scores[row] : NULL;
}

const nd_score *nd_score_find(const char *name) {
    for (size_t i = 0; nd_score_row(i) != NULL; i++) {
        if (strcmp(nd_score_row(i)->name, name) == 0) {
            return nd_score_row(i);
        }
    }
    return NULL;
}
