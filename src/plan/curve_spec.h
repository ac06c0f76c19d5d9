/** \file src/plan/curve_spec.h
 * Settings of keys as a person writes them, and the curve of each (curve.h):
 *
 *   bands:25x5           25 bands of 5 minima: all of a band equal
 *   sketch:90/100        90 of 100 minima equal
 *   supershingles:6x14:2 2 of 6 groups of 14 minima equal
 *   buckets:14x2         fingerprints of the 2 smallest sentences of 14 buckets
 *   pieces:12x32:384     12 pieces of 32 bits of 384, one of them equal; pieces:12x32:384:2 two
 *
 * The similarity is the Jaccard coefficient of what the keys are made of, or the share of equal
 * bits.
 */
#ifndef ND_PLAN_CURVE_SPEC_H
#define ND_PLAN_CURVE_SPEC_H

#include "src/base/status.h"
#include "src/plan/curve.h"

#include <stdbool.h>

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

#endif
