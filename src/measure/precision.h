/** \file src/measure/precision.h
 * How good pairs and sets are, from samples and from labels: precision of the pairs that a method
 * calls similar, precision and relative recall of sampled sets, and how sure these are. Only
 * numbers here: no names, no files, and pages are never compared.
 */
#ifndef ND_MEASURE_PRECISION_H
#define ND_MEASURE_PRECISION_H

#include "src/base/status.h"
#include "src/measure/agreement.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- how sure a mean is: the percentile interval of the bootstrap (Efron and Tibshirani, An
 * Introduction to the Bootstrap, 1993, section 13.3). The values are drawn anew with
 * replacement, as many as there are, a number of times; the interval is what the middle 95
 * % of the means of these resamples span. The values must be independent draws; nothing is
 * assumed of how they are spread. */

/** A mean, or another estimate, and its 95 % interval. */
typedef struct nd_estimate {
    double mean;
    double lower;
    double upper;
} nd_estimate;

/** The interval of what was found from each resample: of the middle 95 % of them.
 * \param[in,out] values  at least one; sorted */
void nd_percentile_interval(double *values, size_t count, double *lower, double *upper);

/** The mean of `count` values and its interval; from the same values, seed and number of resamples
 * always the same one. Of one value the interval is that value; without any, all three are 0.
 * Takes time count * resamples and 8 bytes a resample.
 * \param[in] resamples  at least 1; 1,000 or more for an interval that hardly depends on the seed
 */
void nd_bootstrap_mean(const double *values, size_t count, size_t resamples, uint64_t seed,
                       nd_estimate *estimate);

/* ---- Precision of a whole from pairs drawn at random from each of its bands: each band's share of
 * pairs that are the same with its interval (Wilson 1927), and of all bands, each counting by its
 * pairs, with the bands' intervals added in squares (Zou and Donner 2008). All at 95 %. Only
 * numbers here. */

typedef struct nd_band_count {
    uint64_t pairs;           /**< of the whole, in this band */
    uint64_t same, different; /**< of those drawn and labelled */
} nd_band_count;

/** `yes` of `of` > 0, as a share with its interval. */
nd_estimate nd_wilson(uint64_t yes, uint64_t of);

/** Of all bands in which a pair is labelled.
 * \param[out] known  share of all pairs that is in these bands
 * \return false if there is no such band: nothing is set */
bool nd_band_precision(const nd_band_count *bands, size_t count, nd_estimate *all, double *known);

/* ---- Precision of the pairs that a method calls similar, as Henzinger (SIGIR 2006) reports it:
 * correct, incorrect and undecided pairs, of one site and of different sites, by the similarity
 * that the method gave them. Pairs come one at a time; who compares them, and how, is the caller's
 * business. */

typedef enum nd_pair_label {
    ND_PAIR_CORRECT,
    ND_PAIR_INCORRECT,
    ND_PAIR_UNDECIDED,
    ND_PAIR_LABELS
} nd_pair_label;

/** Pairs by label. */
typedef struct nd_label_counts {
    uint64_t pairs[ND_PAIR_LABELS];
} nd_label_counts;

/** The same, those of one site apart. */
typedef struct nd_pairs_by_site {
    nd_label_counts same_site, different_sites;
} nd_pairs_by_site;

/** Up to so many values are reported one by one; where there are more, in ND_SIMILARITY_BINS bins
 * of equal width. */
enum { ND_SIMILARITY_VALUES = 16, ND_SIMILARITY_BINS = 10 };

/** Pairs with similarity >= from and < to; of `from` alone where both are equal; the last bin holds
 * 1 too, the first what lies below it. */
typedef struct nd_similarity_row {
    double from, to;
    nd_pairs_by_site pairs;
} nd_similarity_row;

/** nd_pair_precision_open() first. Plain value. */
typedef struct nd_pair_precision {
    nd_pairs_by_site all;
    double lowest; /**< where the first bin begins */
    nd_pairs_by_site bins[ND_SIMILARITY_BINS];
    nd_similarity_row values[ND_SIMILARITY_VALUES]; /**< ascending */
    size_t value_count;                             /**< beyond the room: bins are reported */
} nd_pair_precision;

/** \param[in] lowest  the least similarity that a pair can have, below 1 */
void nd_pair_precision_open(nd_pair_precision *precision, double lowest);

void nd_pair_precision_add(nd_pair_precision *precision, double similarity, nd_pair_label label,
                           bool same_site);

/** The pairs by similarity, ascending; every pair is in one row. Bins may be empty.
 * \return how many rows, at most ND_SIMILARITY_VALUES */
size_t nd_pair_precision_rows(const nd_pair_precision *precision,
                              nd_similarity_row rows[ND_SIMILARITY_VALUES]);

/** Both kinds together. */
nd_label_counts nd_pairs_by_site_sum(const nd_pairs_by_site *pairs);

/** Henzinger's precision: correct pairs among all, undecided ones too; NAN if there is none. */
double nd_label_precision(const nd_label_counts *counts);

/** Correct pairs among the decided ones; NAN if there is none. */
double nd_label_decided_precision(const nd_label_counts *counts);

/* ---- How counts from 1 on are distributed, such as the near-duplicates of a page: a histogram by
 * powers of two, and the exponent of a power law, as the slope on log-log axes. Whether they follow
 * a power law at all is not tested. */

enum { ND_POWERS_OF_TWO = 64 };

/** All zero is valid and empty. */
typedef struct nd_power_law {
    uint64_t values;                 /**< added */
    uint64_t most;                   /**< the largest of them */
    uint64_t bins[ND_POWERS_OF_TWO]; /**< values of 2^i .. 2^(i + 1) - 1 */
    double sum_of_logs;              /**< natural */
} nd_power_law;

/** Add a value; 0 is passed over. */
void nd_power_law_add(nd_power_law *law, uint64_t value);

/** Slope of the straight line through (log of the middle of a bin, log of its values per whole
 * number), by least squares over the bins that are not empty; the middle is the geometric one. NAN
 * with fewer than two of them. Large values, of which there are few, weigh as much as small ones.
 */
double nd_power_law_slope_by_squares(const nd_power_law *law);

/** Slope by maximum likelihood: -a where the value x has the probability x^-a / zeta(a), x = 1, 2,
 * ... (equation 3.5 of Clauset, Shalizi and Newman, SIAM Review 51, 2009, with x_min = 1, solved
 * numerically: their approximation 3.7 holds from x_min = 6 on). NAN without a value, or if all are
 * 1; slopes steeper than -50 are given as -50. */
double nd_power_law_slope_by_likelihood(const nd_power_law *law);

/* ---- Precision and relative recall of a result on a sample of sets, as Huang, Wang and Li
 * measured them (CIKM 2008), with clusters known to be true in the place of people's labels. Some
 * sets of one result are sampled; it may be the evaluated result itself. The representative page of
 * a sampled set is the one with most truly similar pages in the set: the first page of the cluster
 * with most pages there, of several such clusters the first page of all. Everything else follows
 * from this page:
 *
 *   precision        truly similar pages in its set of the evaluated result / pages of that set
 *   relative recall  truly similar pages in its set of the evaluated result / those in its set of a
 *                    baseline
 *   recall           truly similar pages in its set of the evaluated result / those anywhere
 *
 * each as the mean over the sampled sets, and once more with only the pages of the
 * representative's site counted. A page is truly similar to those of its cluster, itself included,
 * so no denominator is 0, and precision is 1 where the page is alone in its set.
 *
 * Loose pages are out altogether, as if no result had them: none is a representative, none counts
 * above or below a line, and a set of which one page is not loose is a set of one page. A page
 * whose cluster is ambiguous with that of the representative is not counted in the set's pages. A
 * mean of ratios is ruled by the sets where the baseline finds the representative alone; the counts
 * of each sampled set are there so that this can be seen. Only numbers here: no names, no files. */

/** The pages of three results; everything borrowed, all arrays in one order of pages. */
typedef struct nd_sampled_pages {
    nd_labelled_pages labelled; /**< with the sets of the evaluated result */
    const uint64_t *sampled;    /**< sets of the result of which some are sampled, any number */
    const uint64_t *baseline;   /**< sets of the baseline, any number; NULL: there is none */
    const uint64_t *site;       /**< any number, or ND_NO_SITE */
} nd_sampled_pages;

/** Which pages are counted. */
typedef enum nd_sample_scope {
    ND_SCOPE_ALL = 0, /**< all */
    ND_SCOPE_SITE,    /**< those of the representative's site */
    ND_SCOPE_COUNT
} nd_sample_scope;

/** Pages, the representative included. */
typedef struct nd_sample_counts {
    uint64_t pages; /**< of its set of the evaluated result, without those of ambiguous clusters */
    uint64_t similar;  /**< of them truly similar */
    uint64_t baseline; /**< truly similar in its set of the baseline; 0 without one */
    uint64_t anywhere; /**< truly similar anywhere */
} nd_sample_counts;

typedef struct nd_sampled_set {
    uint64_t set;            /**< its number in the result that it was sampled from */
    uint64_t pages;          /**< of it, loose ones left out */
    uint64_t representative; /**< as an index of the arrays */
    nd_sample_counts counts[ND_SCOPE_COUNT];
} nd_sampled_set;

/** All zero is valid and empty. */
typedef struct nd_set_sample {
    nd_sampled_set *sets; /**< ascending by set; owned */
    size_t count;
    size_t population; /**< sets that could have been sampled */
    bool has_baseline;
    bool judged; /**< by people, who saw no other page: recall is not known */
} nd_set_sample;

/** Draw `most` sets, each with the same chance and none twice, or all if there are not more, and
 * count their pages. The same pages and seed give the same sample. Takes time that grows as a sort
 * of the pages, whatever the sizes of sets and clusters.
 * \param[in] singletons  whether sets of one page are drawn too */
void nd_set_sample_draw(const nd_sampled_pages *pages, uint64_t most, bool singletons,
                        uint64_t seed, nd_set_sample *sample);

/** What people said of a page beside the representative of a sampled set. */
typedef struct nd_answer {
    uint64_t set;       /**< any number */
    bool own, baseline; /**< the page is in its set of the evaluated result, of the baseline */
    bool site;          /**< it is of its site */
    bool similar;
} nd_answer;

/** A sample as people judged it, in place of a truth: all answers of a set stand together.
 * \param[in] has_baseline  else `baseline` says nothing */
void nd_set_sample_judged(const nd_answer *answers, size_t count, bool has_baseline,
                          nd_set_sample *sample);

typedef enum nd_sample_measure {
    ND_SAMPLE_PRECISION = 0,
    ND_SAMPLE_RELATIVE_RECALL, /**< needs a baseline */
    ND_SAMPLE_RECALL,
    ND_SAMPLE_BASELINE_RECALL, /**< recall of the baseline; needs one */
    ND_SAMPLE_MEASURE_COUNT
} nd_sample_measure;

/** Whether the sample has what a measure needs. */
bool nd_set_sample_has(const nd_set_sample *sample, nd_sample_measure measure);

/** The mean of a measure over the sampled sets and its interval by nd_bootstrap_mean(), whose
 * `resamples`, `seed` and failures it has; all zero for an empty sample. */
void nd_set_sample_estimate(const nd_set_sample *sample, nd_sample_scope scope,
                            nd_sample_measure measure, size_t resamples, uint64_t seed,
                            nd_estimate *estimate);

/** Free everything; the sample is empty. */
void nd_set_sample_free(nd_set_sample *sample);

#endif
