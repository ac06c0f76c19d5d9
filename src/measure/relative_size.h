/** \file src/measure/relative_size.h
 * How large collections are, relative to each other, from pages drawn from each and checked for
 * containment in the others (Bharat and Broder, WWW7, 1998): with f_xy the share of x's pages that
 * y has, f_xy |x| = f_yx |y|, so |x| / |y| = f_yx / f_xy. More than two give more equations than
 * unknowns, which are solved by least squares as they did, with one size fixed, or as logarithms,
 * where it does not matter which. Invariant: nothing is divided by an overlap that was not seen:
 * collections hang together by pairs of which each has a page of the other, and a size is relative
 * to those that it hangs together with, or NAN.
 */
#ifndef ND_MEASURE_RELATIVE_SIZE_H
#define ND_MEASURE_RELATIVE_SIZE_H

#include "src/measure/bootstrap.h"
#include "src/measure/overlap_sample.h"

#include <stdbool.h>

typedef enum nd_size_form {
    ND_SIZE_SQUARES, /**< the least sum of (f_xy s_x - f_yx s_y)^2, the size of one fixed to 1 */
    ND_SIZE_LOGS,    /**< the least sum of w (ln s_x - ln s_y - ln(f_yx / f_xy))^2, where w is one
                          over the variance of the logarithm: 1 / (1 / found - 1 / (asked + 1)), of
                        both    sides */
    ND_SIZE_FORMS
} nd_size_form;

/** What was found of the pages drawn. All zero may only be freed; owned. */
typedef struct nd_containment {
    size_t collections;
    uint64_t *asked; /**< pages drawn from each */
    uint64_t *found; /**< [x * collections + y]: of those of x, y has so many */
    size_t *group;   /**< of each, the first collection that it hangs together with, itself or one
                          before */
    size_t groups;
    double *part; /**< of each, the mean over its pages of 1 / collections of its group that have
                       the page: what it adds to the union, relative to its size */
} nd_containment;

/** \return ND_OK or ND_ERR_MEMORY; to be freed in any case */
void nd_containment_open(nd_containment *c, size_t collections);

/** What was found of a sample. \param[in] times  how often each drawn page counts: that of x's i-th
 * is [x * wanted + i]; NULL: once */
void nd_containment_count(nd_containment *c, const nd_overlap_sample *sample,
                          const uint32_t *times);

/** After `asked` and `found` have been set: which collections hang together. */
void nd_containment_group(nd_containment *c);

void nd_containment_free(nd_containment *c);

/** |x| / |y| by this pair alone, with an interval of 95 % (the logarithm of a share taken as
 * normal). \return false if no page of one was found in the other: nothing is known */
bool nd_size_ratio(const nd_containment *c, size_t x, size_t y, nd_estimate *ratio);

/** The sizes. \param[in] fixed  the collection whose size is 1; in other groups the first one's is
 * \param[out] sizes    of each; NAN where the equations do not say
 * \param[out] scratch  room for collections^2 numbers */
void nd_relative_sizes(const nd_containment *c, nd_size_form form, size_t fixed, double *sizes,
                       double *scratch);

/** Shares of the joint coverage of each group. \param[in,out] sizes  become shares */
void nd_joint_shares(const nd_containment *c, double *sizes);

/** Of a collection. */
typedef struct nd_size_estimate {
    nd_estimate size;  /**< relative to the fixed one, or the first of its group */
    nd_estimate share; /**< of the joint coverage of its group */
} nd_size_estimate;

/** All zero may only be freed; owned. */
typedef struct nd_size_estimates {
    nd_containment of;
    nd_size_estimate *by[ND_SIZE_FORMS]; /**< of each collection; NAN: not known */
    uint64_t apart; /**< resamples in which other collections hang together: no interval has them */
} nd_size_estimates;

/** All sizes with 95 % percentile intervals of a bootstrap over the pages drawn from each
 * collection; from the same sample, seed and number of resamples always the same. Time is
 * resamples * (pages drawn + collections^3 / 3), memory 32 bytes for each collection and resample.
 * \param[in] resamples  at least 1
 * \return ND_OK or ND_ERR_MEMORY; to be freed in any case */
nd_status nd_size_estimates_make(nd_size_estimates *estimates, const nd_overlap_sample *sample,
                                 size_t fixed, size_t resamples, uint64_t seed);

void nd_size_estimates_free(nd_size_estimates *estimates);

#endif
