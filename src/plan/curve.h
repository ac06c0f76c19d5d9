/** \file src/plan/curve.h
 * How likely two pages are to meet, as a function of their similarity: the curves of the keys that
 * src/sketch/ makes, to choose settings by and to know before a run what they will find. Models,
 * not measurements: each key is taken to hit or miss by itself. Nothing here looks at a page.
 * Settings are read here as a person writes them, and curves are drawn as a picture.
 */
#ifndef ND_PLAN_CURVE_H
#define ND_PLAN_CURVE_H

#include "src/base/buffer.h"
#include "src/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/** Groups of rows: a row agrees with the probability of the similarity, a group if all its rows do;
 * pages meet if at least `needed` groups agree. At least t of P minima (the lecture notes' 90 of
 * 100; IIR 19's 160 of 200) are {P, 1, t}; at least 2 of 6 supershingles of 14 minima (Henzinger,
 * SIGIR 2006 / US 2008/0044016) {6, 14, 2}. Fingerprints of the n smallest sentences in each of m
 * buckets (Huang, Wang and Li, CIKM 2008: 7 buckets of 3) are, for the Jaccard coefficient of the
 * pages' sets of sentences, {m, n, 1}: good to .02 from 60 sentences on; pages with fewer than m n
 * sentences meet more often. */
typedef struct nd_curve {
    uint32_t groups;
    uint32_t rows; /**< at least 1 */
    uint32_t needed;
} nd_curve;

/** b bands of r rows of a min-wise sketch: 1 - (1 - s^r)^b (Gambosi; Leskovec, Rajaraman and
 * Ullman, "Mining of Massive Datasets", section 3.4.2). */
static inline nd_curve nd_curve_of_bands(uint32_t bands, uint32_t rows) {
    return (nd_curve){bands, rows, 1};
}

/** Probability of meeting at a similarity in [0, 1]. */
double nd_curve_at(const nd_curve *curve, double similarity);

/** The similarity at which the probability of meeting is `probability`, in (0, 1); to 1e-12. */
double nd_curve_point(const nd_curve *curve, double probability);

/** What a wrong answer costs, relative to each other. */
typedef struct nd_curve_weights {
    double meet_below; /**< per similarity below the threshold, of pages that meet */
    double miss_above; /**< from the threshold on, of pages that do not */
} nd_curve_weights;

/** The bands and rows, with bands * rows <= budget, that make the least of
 *   meet_below INT_0^threshold P(s) ds + miss_above INT_threshold^1 (1 - P(s)) ds
 * (as in datasketch's MinHashLSH; Zhu, Nargesian, Pu and Miller, VLDB 2016). Of equal ones that
 * with fewest rows, then fewest bands. Takes some budget * log(budget) microseconds.
 * \param[in] threshold  in (0, 1) \param[in] budget  minima in all, at least 1 */
nd_curve nd_curve_choose(double threshold, uint32_t budget, nd_curve_weights weights);

/** Bit strings that are cut into pieces (of equal length, but for a bit): pages meet if at least
 * `needed` pieces are equal. One equal piece of 12 of 384 bits: Henzinger's search for C-similar
 * pages; m - k of m pieces: the tables of Manku, Jain and Das Sarma (WWW 2007). */
typedef struct nd_pieces {
    uint32_t bits; /**< at most ND_PIECES_MAX_BITS */
    uint32_t pieces;
    uint32_t needed;
} nd_pieces;

enum { ND_PIECES_MAX_BITS = 1000 };

/** Probability of meeting for strings that differ in `distance` bits, all sets of so many bits
 * being equally likely; 0 if distance > bits. Exact but for rounding. */
double nd_pieces_at(const nd_pieces *pieces, uint32_t distance);

/* ---- Settings of keys as a person writes them, and the curve of each:
 *
 *   bands:25x5           25 bands of 5 minima: all of a band equal
 *   sketch:90/100        90 of 100 minima equal
 *   supershingles:6x14:2 2 of 6 groups of 14 minima equal
 *   buckets:14x2         fingerprints of the 2 smallest sentences of 14 buckets
 *   pieces:12x32:384     12 pieces of 32 bits of 384, one of them equal; pieces:12x32:384:2 two
 *
 * The similarity is the Jaccard coefficient of what the keys are made of, or the share of equal
 * bits. */

typedef struct nd_curve_spec {
    const char *text; /**< as written; borrowed */
    bool of_bits;     /**< pieces; else groups */
    nd_curve groups;
    nd_pieces pieces;
} nd_curve_spec;

/** \return ND_OK, or ND_ERR_USAGE with a text that names the setting and what is wrong */
nd_status nd_curve_spec_parse(const char *text, nd_curve_spec *spec);

/** Probability of meeting at a similarity in [0, 1]. */
double nd_curve_spec_at(const nd_curve_spec *spec, double similarity);

/** Where the probability is one half; to 1e-3 at least. */
double nd_curve_spec_half(const nd_curve_spec *spec);

/* ---- Curves of meeting as a picture: a self-contained SVG with axes, grid and legend. Text only;
 * nothing is drawn or opened here. */

/** Append the SVG of curves, side by side in one plot.
 * \param[in] mark  a similarity to be marked by a line; outside (0, 1): none */
void nd_curve_plot(const nd_curve_spec *specs, size_t count, double mark, nd_buffer *svg);

#endif
