/** \file src/measure/relative_recall.h
 * Precision and relative recall of a result on a sample of sets, as Huang, Wang and Li measured
 * them (CIKM 2008), with clusters known to be true in the place of people's labels. Some sets of
 * one result are sampled; it may be the evaluated result itself. The representative page of a
 * sampled set is the one with most truly similar pages in the set: the first page of the cluster
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
 * of each sampled set are there so that this can be seen. Only numbers here: no names, no files.
 */
#ifndef ND_MEASURE_RELATIVE_RECALL_H
#define ND_MEASURE_RELATIVE_RECALL_H

#include "src/measure/bootstrap.h"
#include "src/measure/same_site.h"

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
 * \param[in] singletons  whether sets of one page are drawn too
 * \return ND_OK or ND_ERR_MEMORY (the sample is then empty) */
nd_status nd_set_sample_draw(const nd_sampled_pages *pages, uint64_t most, bool singletons,
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
nd_status nd_set_sample_estimate(const nd_set_sample *sample, nd_sample_scope scope,
                                 nd_sample_measure measure, size_t resamples, uint64_t seed,
                                 nd_estimate *estimate);

/** Free everything; the sample is empty. */
void nd_set_sample_free(nd_set_sample *sample);

#endif
