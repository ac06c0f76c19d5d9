#include "src/measure/precision.h"

#include "src/base/buffer.h"
#include "src/base/sort.h"
#include "src/base/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== how sure a mean is */

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

void nd_percentile_interval(double *values, size_t count, double *lower, double *upper) {
    nd_sort(values, count, sizeof *values, by_size);
    /* Efron and Tibshirani, page 160: with k the whole part of (B + 1) * .025, the k-th smallest
     * and the k-th largest; below 39 resamples k would be 0 */
    const size_t k = (count + 1) / 40;
    const size_t left_out = k > 0 ? k - 1 : 0;
    *lower = values[left_out];
    *upper = values[count - 1 - left_out];
}

void nd_bootstrap_mean(const double *values, size_t count, size_t resamples, uint64_t seed,
                       nd_estimate *estimate) {
    double *means = NULL;
    double sum = 0;
    nd_random random = {seed};
    *estimate = (nd_estimate){0};
    if (count == 0) {
        return;
    }
    nd_new(&means, resamples, sizeof *means);
    for (size_t i = 0; i < resamples; i++) {
        sum = 0;
        for (size_t k = 0; k < count; k++) {
            sum += values[nd_random_below(&random, count)];
        }
        means[i] = sum / (double)count;
    }
    double lower = 0;
    double upper = 0;
    nd_percentile_interval(means, resamples, &lower, &upper);
    sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += values[i];
    }
    *estimate = (nd_estimate){sum / (double)count, lower, upper};
    free(means);
}

/* ==== precision from pairs of each band */

/* Of a normal variable, between its negative and this lie 95 %. */
static const double NORMAL_95 = 1.959963984540054;

nd_estimate nd_wilson(uint64_t yes, uint64_t of) {
    const double n = (double)of;
    const double share = (double)yes / n;
    const double square = NORMAL_95 * NORMAL_95;
    const double middle = share + square / (2 * n);
    const double half = NORMAL_95 * sqrt(share * (1 - share) / n + square / (4 * n * n));
    const double scale = 1 + square / n;
    return (nd_estimate){.mean = share,
                         .lower = fmax(0, (middle - half) / scale),
                         .upper = fmin(1, (middle + half) / scale)};
}

bool nd_band_precision(const nd_band_count *bands, size_t count, nd_estimate *all, double *known) {
    double pairs = 0;
    double labelled = 0;
    double below = 0, above = 0;
    nd_estimate sum = {.mean = 0};
    for (size_t i = 0; i < count; i++) {
        pairs += (double)bands[i].pairs;
        labelled += bands[i].same + bands[i].different > 0 ? (double)bands[i].pairs : 0;
    }
    if (labelled == 0) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const nd_band_count *b = &bands[i];
        if (b->same + b->different > 0) {
            const nd_estimate of = nd_wilson(b->same, b->same + b->different);
            const double weight = (double)b->pairs / labelled;
            sum.mean += weight * of.mean;
            below += pow(weight * (of.mean - of.lower), 2);
            above += pow(weight * (of.upper - of.mean), 2);
        }
    }
    sum.lower = fmax(0, sum.mean - sqrt(below));
    sum.upper = fmin(1, sum.mean + sqrt(above));
    *all = sum;
    *known = labelled / pairs;
    return true;
}

/* ==== precision of pairs */

void nd_pair_precision_open(nd_pair_precision *precision, double lowest) {
    *precision = (nd_pair_precision){.lowest = lowest};
}

static void add(nd_pairs_by_site *to, nd_pair_label label, bool same_site) {
    nd_label_counts *counts = same_site ? &to->same_site : &to->different_sites;
    counts->pairs[label]++;
}

/* The row of a value, a new one where it has none; NULL from when there is no room on. */
static nd_pairs_by_site *row_of(nd_pair_precision *p, double similarity) {
    size_t at = 0;
    while (at < p->value_count && at < ND_SIMILARITY_VALUES && p->values[at].from < similarity) {
        at++;
    }
    if (p->value_count > ND_SIMILARITY_VALUES) {
        return NULL;
    }
    if (at == p->value_count || p->values[at].from > similarity) {
        if (p->value_count++ == ND_SIMILARITY_VALUES) {
            return NULL;
        }
        memmove(&p->values[at + 1], &p->values[at],
                (p->value_count - 1 - at) * sizeof p->values[0]);
        p->values[at] = (nd_similarity_row){.from = similarity, .to = similarity};
    }
    return &p->values[at].pairs;
}

void nd_pair_precision_add(nd_pair_precision *precision, double similarity, nd_pair_label label,
                           bool same_site) {
    const double lowest = precision->lowest;
    const double place = (similarity - lowest) / (1 - lowest) * (double)ND_SIMILARITY_BINS;
    const size_t bin = place <= 0                            ? 0
                       : place >= (double)ND_SIMILARITY_BINS ? ND_SIMILARITY_BINS - 1
                                                             : (size_t)place;
    nd_pairs_by_site *row = row_of(precision, similarity);
    add(&precision->all, label, same_site);
    add(&precision->bins[bin], label, same_site);
    if (row != NULL) {
        add(row, label, same_site);
    }
}

size_t nd_pair_precision_rows(const nd_pair_precision *precision,
                              nd_similarity_row rows[ND_SIMILARITY_VALUES]) {
    const double width = (1 - precision->lowest) / (double)ND_SIMILARITY_BINS;
    if (precision->value_count <= ND_SIMILARITY_VALUES) {
        memcpy(rows, precision->values, precision->value_count * sizeof *rows);
        return precision->value_count;
    }
    for (size_t i = 0; i < ND_SIMILARITY_BINS; i++) {
        rows[i] = (nd_similarity_row){.from = precision->lowest + (double)i * width,
                                      .to = precision->lowest + (double)(i + 1) * width,
                                      .pairs = precision->bins[i]};
    }
    return ND_SIMILARITY_BINS;
}

nd_label_counts nd_pairs_by_site_sum(const nd_pairs_by_site *pairs) {
    nd_label_counts sum = pairs->same_site;
    for (int label = 0; label < ND_PAIR_LABELS; label++) {
        sum.pairs[label] += pairs->different_sites.pairs[label];
    }
    return sum;
}

static double share(uint64_t part, uint64_t whole) {
    return whole == 0 ? NAN : (double)part / (double)whole;
}

double nd_label_precision(const nd_label_counts *counts) {
    uint64_t total = 0;
    for (int label = 0; label < ND_PAIR_LABELS; label++) {
        total += counts->pairs[label];
    }
    return share(counts->pairs[ND_PAIR_CORRECT], total);
}

double nd_label_decided_precision(const nd_label_counts *counts) {
    return share(counts->pairs[ND_PAIR_CORRECT],
                 counts->pairs[ND_PAIR_CORRECT] + counts->pairs[ND_PAIR_INCORRECT]);
}

/* ==== powers of two */

void nd_power_law_add(nd_power_law *law, uint64_t value) {
    if (value == 0) {
        return;
    }
    law->values++;
    law->most = nd_max(law->most, value);
    law->bins[63 - __builtin_clzll(value)]++;
    law->sum_of_logs += log((double)value);
}

double nd_power_law_slope_by_squares(const nd_power_law *law) {
    double points = 0;
    double x_sum = 0;
    double y_sum = 0;
    double xx_sum = 0;
    double xy_sum = 0;
    for (int i = 0; i < ND_POWERS_OF_TWO; i++) {
        if (law->bins[i] > 0) {
            const double width = ldexp(1, i);
            const double x = log(width * (2 * width - 1)) / 2;
            const double y = log((double)law->bins[i] / width);
            points++;
            x_sum += x;
            y_sum += y;
            xx_sum += x * x;
            xy_sum += x * y;
        }
    }
    return points < 2 ? NAN : (points * xy_sum - x_sum * y_sum) / (points * xx_sum - x_sum * x_sum);
}

/* Of one value, in the mean. Riemann's zeta function for exponents s > 1 is a sum, and the rest by
 * Euler and Maclaurin's formula. */
static double log_likelihood(double s, double mean_log) {
    enum { TERMS = 32 };
    const double n = TERMS;
    double zeta = 0;
    for (int k = 1; k < TERMS; k++) {
        zeta += pow(k, -s);
    }
    zeta = zeta + pow(n, 1 - s) / (s - 1) + pow(n, -s) / 2 + s * pow(n, -s - 1) / 12 -
           s * (s + 1) * (s + 2) * pow(n, -s - 3) / 720;
    return -log(zeta) - s * mean_log;
}

/* The likelihood has one maximum: a third of the interval goes in each step. */
double nd_power_law_slope_by_likelihood(const nd_power_law *law) {
    enum { STEPS = 100 };
    double low = 1 + 1e-9;
    double high = 50;
    if (law->most < 2) {
        return NAN;
    }
    const double mean_log = law->sum_of_logs / (double)law->values;
    for (int i = 0; i < STEPS; i++) {
        const double third = (high - low) / 3;
        if (log_likelihood(low + third, mean_log) < log_likelihood(high - third, mean_log)) {
            low += third;
        } else {
            high -= third;
        }
    }
    return -(low + high) / 2;
}

/* ==== sampled sets */

/* Pages with the sets of another result. Ambiguous clusters do not matter where only pages of one
 * cluster are counted. */
static nd_labelled_pages with_sets(const nd_labelled_pages *pages, const uint64_t *set) {
    nd_labelled_pages other = *pages;
    other.set = set;
    other.ambiguous = NULL;
    other.ambiguous_count = 0;
    return other;
}

/* ---- sampling */

/* Draw sets; see nd_set_sample_draw(). */
static void sample_sets(const nd_sampled_pages *pages, uint64_t most, bool singletons,
                        uint64_t seed, nd_set_sample *sample) {
    const nd_labelled_pages sampled = with_sets(&pages->labelled, pages->sampled);
    nd_random random = {seed};
    nd_contingency_table t = {0};
    uint64_t *cells = NULL; /* of the pages */
    uint64_t *first = NULL; /* page of every cell */
    uint64_t *sets = NULL;  /* that may be drawn; those drawn in front */
    size_t population = 0;
    nd_contingency_table_make(&sampled, &t);
    nd_new(&cells, sampled.count, sizeof *cells);
    nd_new(&first, t.cell_count, sizeof *first);
    nd_new(&sets, t.set_count, sizeof *sets);
    nd_contingency_table_locate(&t, &sampled, cells);
    for (size_t i = sampled.count; i-- > 0;) {
        if (cells[i] != ND_NO_CELL) {
            first[cells[i]] = i;
        }
    }
    for (size_t s = 0; s < t.set_count; s++) {
        if (singletons || t.set_pages[s] > 1) {
            sets[population++] = s;
        }
    }
    const size_t count = (size_t)nd_min(most, population);
    for (size_t i = 0; i < count; i++) {
        const size_t other = i + nd_random_below(&random, population - i);
        const uint64_t drawn = sets[other];
        sets[other] = sets[i];
        sets[i] = drawn;
    }
    sample->population = population;
    sample->count = nd_numbers_distinct(sets, count);
    nd_new(&sample->sets, sample->count, sizeof *sample->sets);
    for (size_t i = 0; i < sample->count; i++) {
        /* the first page of the largest cell, of several such cells the first of all */
        size_t best = t.first_cell[sets[i]];
        for (size_t c = best + 1; c < t.first_cell[sets[i] + 1]; c++) {
            const bool larger = t.cells[c].pages > t.cells[best].pages;
            const bool equal = t.cells[c].pages == t.cells[best].pages;
            best = larger || (equal && first[c] < first[best]) ? c : best;
        }
        sample->sets[i] = (nd_sampled_set){.set = t.cells[best].name,
                                           .pages = t.set_pages[sets[i]],
                                           .representative = first[best]};
    }
    nd_contingency_table_free(&t);
    free(cells);
    free(first);
    free(sets);
}

/* ---- counting */

/* The cell of a page; NULL for a loose one. */
static const nd_cell *cell_of(const nd_contingency_table *t, const nd_labelled_pages *pages,
                              uint64_t page) {
    uint64_t cell = ND_NO_CELL;
    const nd_labelled_pages one = {.set = pages->set + page,
                                   .cluster = pages->cluster + page,
                                   .loose = pages->loose == NULL ? NULL : pages->loose + page,
                                   .count = 1};
    nd_contingency_table_locate(t, &one, &cell);
    return cell == ND_NO_CELL ? NULL : &t->cells[cell];
}

/* Take the counts of one scope from pages with the sets of the evaluated result, or of the
 * baseline. A representative without a site is loose where pages are cut by site: there it is
 * alone. */
static void count_scope(const nd_labelled_pages *pages, nd_sample_scope scope, bool of_baseline,
                        nd_set_sample *sample) {
    nd_contingency_table t = {0};
    nd_contingency_table_make(pages, &t);
    for (size_t i = 0; i < sample->count; i++) {
        const nd_cell *cell = cell_of(&t, pages, sample->sets[i].representative);
        nd_sample_counts *c = &sample->sets[i].counts[scope];
        if (of_baseline) {
            c->baseline = cell == NULL ? 1 : cell->pages;
        } else {
            c->pages = cell == NULL ? 1 : t.set_pages[cell->set] - cell->unevaluated;
            c->similar = cell == NULL ? 1 : cell->pages;
            c->anywhere = cell == NULL ? 1 : t.cluster_pages[cell->cluster];
        }
    }
    nd_contingency_table_free(&t);
}

/* Count all pages, then those of the representative's site. */
static void count_scopes(const nd_labelled_pages *pages, const uint64_t *site, bool of_baseline,
                         nd_set_sample *sample) {
    nd_same_site same = {0};
    count_scope(pages, ND_SCOPE_ALL, of_baseline, sample);
    nd_same_site_make(pages, site, &same);
    count_scope(&same.pages, ND_SCOPE_SITE, of_baseline, sample);
    nd_same_site_free(&same);
}

void nd_set_sample_draw(const nd_sampled_pages *pages, uint64_t most, bool singletons,
                        uint64_t seed, nd_set_sample *sample) {
    *sample = (nd_set_sample){.has_baseline = pages->baseline != NULL};
    sample_sets(pages, most, singletons, seed, sample);
    count_scopes(&pages->labelled, pages->site, false, sample);
    if (pages->baseline != NULL) {
        const nd_labelled_pages baseline = with_sets(&pages->labelled, pages->baseline);
        count_scopes(&baseline, pages->site, true, sample);
    }
}

/* ---- the measures */

bool nd_set_sample_has(const nd_set_sample *sample, nd_sample_measure measure) {
    const bool of_baseline =
        measure == ND_SAMPLE_RELATIVE_RECALL || measure == ND_SAMPLE_BASELINE_RECALL;
    const bool of_all = measure == ND_SAMPLE_RECALL || measure == ND_SAMPLE_BASELINE_RECALL;
    return (sample->has_baseline || !of_baseline) && !(sample->judged && of_all);
}

void nd_set_sample_judged(const nd_answer *answers, size_t count, bool has_baseline,
                          nd_set_sample *sample) {
    static const nd_sample_counts alone = {1, 1, 1, 1}; /* the representative itself */
    *sample = (nd_set_sample){.has_baseline = has_baseline, .judged = true};
    nd_new(&sample->sets, count, sizeof *sample->sets);
    for (size_t i = 0; i < count; i++) {
        const nd_answer *answer = &answers[i];
        if (i == 0 || answer->set != answers[i - 1].set) {
            sample->sets[sample->count++] =
                (nd_sampled_set){.set = answer->set, .pages = 1, .counts = {alone, alone}};
        }
        nd_sampled_set *set = &sample->sets[sample->count - 1];
        set->pages += answer->own;
        for (int scope = 0; scope <= (answer->site ? ND_SCOPE_SITE : ND_SCOPE_ALL); scope++) {
            nd_sample_counts *counts = &set->counts[scope];
            counts->pages += answer->own;
            counts->similar += answer->own && answer->similar;
            counts->baseline += answer->baseline && answer->similar;
            counts->anywhere += answer->similar;
        }
    }
    sample->population = sample->count;
}

void nd_set_sample_estimate(const nd_set_sample *sample, nd_sample_scope scope,
                            nd_sample_measure measure, size_t resamples, uint64_t seed,
                            nd_estimate *estimate) {
    double *shares = NULL;
    *estimate = (nd_estimate){0};
    nd_new(&shares, sample->count, sizeof *shares);
    for (size_t i = 0; i < sample->count; i++) {
        const nd_sample_counts *c = &sample->sets[i].counts[scope];
        const uint64_t found = measure == ND_SAMPLE_BASELINE_RECALL ? c->baseline : c->similar;
        const uint64_t all = measure == ND_SAMPLE_PRECISION         ? c->pages
                             : measure == ND_SAMPLE_RELATIVE_RECALL ? c->baseline
                                                                    : c->anywhere;
        shares[i] = (double)found / (double)all;
    }
    nd_bootstrap_mean(shares, sample->count, resamples, seed, estimate);
    free(shares);
}

void nd_set_sample_free(nd_set_sample *sample) {
    free(sample->sets);
    *sample = (nd_set_sample){0};
}
