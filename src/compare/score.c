#include "src/compare/score.h"

#include "src/base/util.h"
#include "src/compare/jaccard.h"
#include "src/compare/trustable.h"
#include "src/lcs/lcs.h"
#include "src/lcs/lcs_internal.h"

#include <stdbool.h>
#include <string.h>

uint64_t nd_score_least_common(const nd_score *score, uint64_t n, uint64_t m, double threshold) {
    const uint64_t most = nd_min(n, m);
    uint64_t least = 0;
    ND_FIND_FIRST(least, 0, most + 1, score->ratio(least, n, m) >= threshold);
    return least > most ? n + m + 1 : least;
}

/* r = |LCS| / (|A| + |B| - |LCS|), Huang, Wang and Li, CIKM 2008 */
static double r_ratio(uint64_t common, uint64_t n, uint64_t m) {
    return n + m == 0 ? 0 : (double)common / (double)(n + m - common);
}

/* The plan of the scores that count common tokens: the number they need follows from ratio().
 * `known`: tokens of a common subsequence; 0: none is known. */
typedef void (*counter)(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                        uint64_t known, nd_lcs_work *work, uint64_t *count);

static void similarity_by(const nd_score *score, counter count, const uint32_t *a, size_t n,
                          const uint32_t *b, size_t m, double threshold, uint64_t known,
                          nd_lcs_work *work, double *similarity) {
    const uint64_t least = nd_score_least_common(score, n, m, threshold);
    uint64_t common = 0;
    if (least <= n + m) {
        count(a, n, b, m, least, known, work, &common);
    }
    *similarity = common >= least ? score->ratio(common, n, m) : 0;
}

static const nd_score score_r;

static void r_similarity(const uint32_t *a, size_t n, const uint32_t *b, size_t m, double threshold,
                         nd_lcs_work *work, double *similarity) {
    similarity_by(&score_r, nd_lcs_length_above, a, n, b, m, threshold, 0, work, similarity);
}

/* Myers' algorithm on whole pages, as before the paper's filtered sketches. */
static void r_plain(const uint32_t *a, size_t n, const uint32_t *b, size_t m, nd_lcs_work *work,
                    double *similarity) {
    uint64_t common = 0;
    nd_lcs_myers(a, n, b, m, 0, work, &common);
    *similarity = r_ratio(common, n, m);
}

static const nd_score score_r = {
    .name = "r",
    .summary = "|LCS| / (|A| + |B| - |LCS|) over tokens (Huang, Wang and Li, CIKM 2008)",
    .ratio = r_ratio,
    .similarity = r_similarity,
    .plain = r_plain,
};

/* Pages too short for the trustable score are compared by r. */
static bool too_short_to_trust(uint64_t n, uint64_t m) {
    return nd_min(n, m) < nd_trustable_defaults.least_tokens;
}

static double trustable_ratio(uint64_t common, uint64_t n, uint64_t m) {
    return too_short_to_trust(n, m) ? r_ratio(common, n, m)
                                    : nd_trustable_bound(&nd_trustable_defaults, common, n, m);
}

static const nd_score score_trustable;

static void trustable_similarity(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                                 double threshold, nd_lcs_work *work, double *similarity) {
    if (too_short_to_trust(n, m)) {
        r_similarity(a, n, b, m, threshold, work, similarity);
        return;
    }
    const uint64_t least = nd_score_least_common(&score_trustable, n, m, threshold);
    double found = 0;
    if (least <= n + m) {
        nd_trustable_similarity(&nd_trustable_defaults, a, n, b, m, least, work, &found);
    }
    *similarity = found >= threshold ? found : 0;
}

static void trustable_plain(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                            nd_lcs_work *work, double *similarity) {
    trustable_similarity(a, n, b, m, 0, work, similarity);
}

static const nd_score score_trustable = {
    .name = "trustable",
    .summary = "as r, but of the coherent part in the centre of both pages (Huang, Wang and Li)",
    .ratio = trustable_ratio,
    .similarity = trustable_similarity,
    .plain = trustable_plain,
};

/* Of shared shingles, and so of shared tokens: there cannot be more of those than of these. */
static double jaccard_ratio(uint64_t common, uint64_t n, uint64_t m) {
    return r_ratio(nd_shingle_bound(common, n, m), nd_shingle_count(n), nd_shingle_count(m));
}

/* \param[out] in_order  NULL, or tokens of a common subsequence */
static void shingles_similarity(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                                double threshold, nd_lcs_work *work, double *similarity,
                                uint64_t *in_order) {
    const uint64_t of_a = nd_shingle_count(n);
    const uint64_t of_b = nd_shingle_count(m);
    const uint64_t least = nd_score_least_common(&score_r, of_a, of_b, threshold);
    uint64_t shared = 0;
    if (least <= of_a + of_b) {
        nd_shingles_shared(a, n, b, m, least, work, &shared, in_order);
    }
    *similarity = shared >= least ? r_ratio(shared, of_a, of_b) : 0;
}

static void jaccard_similarity(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                               double threshold, nd_lcs_work *work, double *similarity) {
    shingles_similarity(a, n, b, m, threshold, work, similarity, NULL);
}

static void jaccard_plain(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                          nd_lcs_work *work, double *similarity) {
    jaccard_similarity(a, n, b, m, 0, work, similarity);
}

static const nd_score score_jaccard = {
    .name = "jaccard",
    .summary = "shared / all 5-token shingles, each as often as it occurs (Broder 1997)",
    .ratio = jaccard_ratio,
    .similarity = jaccard_similarity,
    .plain = jaccard_plain,
    .preparation = 15, /* the table of its shingles: 10 ns a token, where a pair takes .66 */
};

/* What is common in order, and what is common in whatever order: paragraphs that were moved count
 * half. */
static double mixed_ratio(uint64_t common, uint64_t n, uint64_t m) {
    return (r_ratio(common, n, m) + jaccard_ratio(common, n, m)) / 2;
}

static void mixed_similarity(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                             double threshold, nd_lcs_work *work, double *similarity) {
    /* a hair less than what the other leaves to reach the threshold: sums are rounded */
    static const double HAIR = 1e-9;
    double shingles = 0;
    double ordered = 0;
    uint64_t in_order = 0;
    double least = 2 * threshold - r_ratio(nd_min(n, m), n, m) - HAIR;
    *similarity = 0;
    shingles_similarity(a, n, b, m, least > 0 ? least : 0, work, &shingles, &in_order);
    if (shingles < least) {
        return;
    }
    least = 2 * threshold - shingles - HAIR;
    similarity_by(&score_r, nd_lcs_length_above, a, n, b, m, least > 0 ? least : 0, in_order, work,
                  &ordered);
    const double mean = (ordered + shingles) / 2;
    *similarity = mean >= threshold ? mean : 0;
}

/* Each on its own. */
static void mixed_plain(const uint32_t *a, size_t n, const uint32_t *b, size_t m, nd_lcs_work *work,
                        double *similarity) {
    double shingles = 0;
    double ordered = 0;
    jaccard_similarity(a, n, b, m, 0, work, &shingles);
    r_similarity(a, n, b, m, 0, work, &ordered);
    *similarity = (ordered + shingles) / 2;
}

static const nd_score score_mixed = {
    .name = "mixed",
    .summary = "the mean of r and jaccard: of what is common in order, and in any order",
    .ratio = mixed_ratio,
    .similarity = mixed_similarity,
    .plain = mixed_plain,
    .preparation = 15, /* that of jaccard */
};

static const nd_score *const scores[] = {&score_r, &score_trustable, &score_jaccard, &score_mixed};

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

/* ---- containment */

void nd_containment(const uint32_t *a, size_t n, const uint32_t *b, size_t m, double threshold,
                    nd_lcs_work *work, double *share) {
    const size_t stretch = ND_CONTAINMENT_STRETCH * n;
    uint64_t least = 0; /* tokens that reach the threshold; then more than were found */
    uint64_t most = 0;
    bool more = n > 0;
    ND_FIND_FIRST(least, 1, n, (double)least / (double)n >= threshold);
    for (size_t begin = 0; more; begin += n) {
        const size_t count = nd_min(m - begin, stretch);
        uint64_t common = 0;
        nd_lcs_length(a, n, b + begin, count, least, work, &common);
        most = nd_max(most, common);
        least = nd_max(least, most + 1);
        more = most < n && m - begin > stretch;
    }
    *share = most > 0 ? (double)most / (double)n : 0;
}
