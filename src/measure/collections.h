/** \file src/measure/collections.h
 * How large collections are and how much they share: exactly, where all their pages are known, and
 * estimated from pages drawn from each, where one can only ask. Only numbers here: what a page or
 * a thing is, and who has it, the caller knows.
 */
#ifndef ND_MEASURE_COLLECTIONS_H
#define ND_MEASURE_COLLECTIONS_H

#include "src/base/status.h"
#include "src/measure/precision.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- how many there are in all, from two collections and what both have: capture and
 * recapture. It holds if one collection has a thing or not whether or not the other has
 * it. Collections of the web favour the same pages, so that the number is a lower bound,
 * not an estimate. */

typedef struct nd_capture {
    bool known;              /**< false: nothing is in both, and nothing follows; the rest is 0 */
    double lincoln_petersen; /**< a * b / both */
    double chapman; /**< (a + 1) (b + 1) / (both + 1) - 1, nearly without bias (Chapman 1951) */
    double lower, upper; /**< 95 % interval of Chapman's */
} nd_capture;

/** \param[in] a, b  things of either collection \param[in] both  of both; at most a and b
 * The interval has Seber's variance (1970), and the things that nobody has seen as a log-normal
 * variable (Burnham, in Chao 1987): it never ends below what was seen. */
nd_capture nd_capture_recapture(uint64_t a, uint64_t b, uint64_t both);

/* ---- Exact overlap of collections: each thing (a URL, a text, a set of near-duplicates) is added
 * once with the collections that have pages of it, and what any two share, what one has alone and
 * what all have together follows. What a thing is, and where the pages are, the caller knows.
 * Memory is 16 bytes for each pair of collections. */

enum { ND_VENN_MOST = 5 /**< collections whose every combination is counted */ };

/** What a collection has of a thing. */
typedef struct nd_overlap_part {
    uint32_t collection;
    uint64_t pages; /**< above 0 */
} nd_overlap_part;

/** All zero may only be freed; owned. */
typedef struct nd_overlap_counts {
    size_t collections;
    uint64_t *pages;  /**< of each collection */
    uint64_t *things; /**< [x * collections + y]: things that both x and y have; x and x: its own */
    uint64_t *pages_in;               /**< likewise: pages of x whose thing y has too */
    uint64_t *alone;                  /**< things that x has and no other */
    uint64_t *in_exactly;             /**< [n]: things that n collections have; [0] is 0 */
    uint64_t all;                     /**< things */
    uint64_t venn[1 << ND_VENN_MOST]; /**< by the set of collections (bit x: x has it), if they are
                                           no more than ND_VENN_MOST */
} nd_overlap_counts;

/** To be freed. */
void nd_overlap_counts_open(nd_overlap_counts *counts, size_t collections);

/** Add a thing. \param[in] parts  of different collections, at least one */
void nd_overlap_counts_add(nd_overlap_counts *counts, const nd_overlap_part *parts, size_t count);

/** Things that both have, as above. */
uint64_t nd_overlap_both(const nd_overlap_counts *counts, size_t x, size_t y);

/** The share of x's things that y has; 0 where x has none. */
double nd_overlap_share(const nd_overlap_counts *counts, size_t x, size_t y);

void nd_overlap_counts_free(nd_overlap_counts *counts);

/* ---- Pages drawn from each of several collections, and which of the collections have each of
 * them: all that is known of an engine that one can only ask. Of what is offered, the pages of
 * least order are kept, as many of each collection, so that the sample does not depend on the order
 * in which they come. How sizes follow is said below. */

/** A drawn page is a record of words: its order, its number, and a bit for each collection that has
 * it (bit y % 64 of word 2 + y / 64). */
enum { ND_SAMPLE_ORDER = 0, ND_SAMPLE_PAGE = 1, ND_SAMPLE_BITS = 2 };

/** Those of one collection. */
typedef struct nd_overlap_drawn {
    uint64_t *records;
    size_t count, capacity; /**< of records */
    uint64_t most;          /**< what has a higher order than this is too many */
} nd_overlap_drawn;

/** All zero may only be freed; owned. */
typedef struct nd_overlap_sample {
    size_t collections;
    size_t words;  /**< of a record */
    size_t wanted; /**< pages of each collection */
    nd_overlap_drawn *of;
} nd_overlap_sample;

/** \param[in] wanted  above 0. To be freed in any case. */
void nd_overlap_sample_open(nd_overlap_sample *sample, size_t collections, size_t wanted);

/** Offer a page of collection x. \param[in] order  random, of its own
 * \param[in] in  the bits of the collections that have it, x among them */
void nd_overlap_sample_offer(nd_overlap_sample *sample, size_t x, uint64_t order, uint64_t page,
                             const uint64_t *in);

/** After the last: those of least order are left, in that order. */
void nd_overlap_sample_finish(nd_overlap_sample *sample);

/** The i-th page drawn from x. */
static inline uint64_t *nd_overlap_drawn_at(const nd_overlap_sample *sample, size_t x, size_t i) {
    return sample->of[x].records + i * sample->words;
}

void nd_overlap_sample_free(nd_overlap_sample *sample);

/* ---- Systems of linear equations whose matrix is symmetric and positive definite, as the normal
 * equations of least squares are: Cholesky's decomposition, for up to some hundreds of unknowns.
 * Forty lines, and no LAPACK: reference, OpenBLAS and ATLAS differ in the last bits from machine to
 * machine, and src gives the same answer on any. No pivoting: a system that is not definite is
 * refused. */

/** Solve a x = b for `count` unknowns; time count^3 / 6.
 * \param[in,out] a  rows one after the other, of which the lower half counts; overwritten
 * \param[in,out] b  the right side; the solution, if there is one
 * \return false if the matrix is not definite as far as its numbers can say: `b` is then of no use
 */
bool nd_linear_solve(double *a, double *b, size_t count);

/* ---- How large collections are, relative to each other, from pages drawn from each and checked
 * for containment in the others (Bharat and Broder, WWW7, 1998): with f_xy the share of x's pages
 * that y has, f_xy |x| = f_yx |y|, so |x| / |y| = f_yx / f_xy. More than two give more equations
 * than unknowns, which are solved by least squares as they did, with one size fixed, or as
 * logarithms, where it does not matter which. Invariant: nothing is divided by an overlap that was
 * not seen: collections hang together by pairs of which each has a page of the other, and a size is
 * relative to those that it hangs together with, or NAN. */

typedef enum nd_size_form {
    ND_SIZE_SQUARES, /**< the least sum of (f_xy s_x - f_yx s_y)^2, the size of one fixed to 1 */
    ND_SIZE_LOGS,    /**< the least sum of w (ln s_x - ln s_y - ln(f_yx / f_xy))^2, where w is one
                          over the variance of the logarithm: 1 / (1 / found - 1 / (asked + 1)), of
                        both    sides */
    ND_SIZE_FORMS
} nd_size_form;

/** What was found of the pages drawn. All zero may only be freed; owned. */
typedef struct nd_drawn_pages {
    size_t collections;
    uint64_t *asked; /**< pages drawn from each */
    uint64_t *found; /**< [x * collections + y]: of those of x, y has so many */
    size_t *group;   /**< of each, the first collection that it hangs together with, itself or one
                          before */
    size_t groups;
    double *part; /**< of each, the mean over its pages of 1 / collections of its group that have
                       the page: what it adds to the union, relative to its size */
} nd_drawn_pages;

/** To be freed. */
void nd_drawn_pages_open(nd_drawn_pages *c, size_t collections);

/** After `asked` and `found` have been set: which collections hang together. */
void nd_drawn_pages_group(nd_drawn_pages *c);

void nd_drawn_pages_free(nd_drawn_pages *c);

/** |x| / |y| by this pair alone, with an interval of 95 % (the logarithm of a share taken as
 * normal). \return false if no page of one was found in the other: nothing is known */
bool nd_size_ratio(const nd_drawn_pages *c, size_t x, size_t y, nd_estimate *ratio);

/** The sizes. \param[in] fixed  the collection whose size is 1; in other groups the first one's is
 * \param[out] sizes    of each; NAN where the equations do not say
 * \param[out] scratch  room for collections^2 numbers */
void nd_relative_sizes(const nd_drawn_pages *c, nd_size_form form, size_t fixed, double *sizes,
                       double *scratch);

/** Shares of the joint coverage of each group. \param[in,out] sizes  become shares */
void nd_joint_shares(const nd_drawn_pages *c, double *sizes);

/** Of a collection. */
typedef struct nd_size_estimate {
    nd_estimate size;  /**< relative to the fixed one, or the first of its group */
    nd_estimate share; /**< of the joint coverage of its group */
} nd_size_estimate;

/** All zero may only be freed; owned. */
typedef struct nd_size_estimates {
    nd_drawn_pages of;
    nd_size_estimate *by[ND_SIZE_FORMS]; /**< of each collection; NAN: not known */
    uint64_t apart; /**< resamples in which other collections hang together: no interval has them */
} nd_size_estimates;

/** All sizes with 95 % percentile intervals of a bootstrap over the pages drawn from each
 * collection; from the same sample, seed and number of resamples always the same. Time is
 * resamples * (pages drawn + collections^3 / 3), memory 32 bytes for each collection and resample.
 * \param[in] resamples  at least 1
 * To be freed in any case. */
void nd_size_estimates_make(nd_size_estimates *estimates, const nd_overlap_sample *sample,
                            size_t fixed, size_t resamples, uint64_t seed);

void nd_size_estimates_free(nd_size_estimates *estimates);

#endif
