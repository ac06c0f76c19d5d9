/** \file src/method/certainty.h
 * How sure it is that a page is a near-duplicate of its set's representative: a probability, made
 * from what a run knows of a member without another comparison. Calibrated for the default's method
 * and score alone (scripts/fit_certainty.py makes the table, scripts/README.md has what was found);
 * nothing is decided by it here. Integers alone are computed with, so that the same page has the
 * same certainty on any machine.
 */
#ifndef ND_METHOD_CERTAINTY_H
#define ND_METHOD_CERTAINTY_H

#include "src/method/method.h"
#include "src/text/address.h"

/** What is known of a member of a set. */
typedef struct nd_member_facts {
    float similarity;             /**< to the representative, in [0, 1] */
    bool same_site;               /**< both are of one site, or may be (ND_PAIR_MAY_BE_SAME_SITE) */
    bool html;                    /**< one is, or both are; plain texts are no forms */
    nd_address_relation relation; /**< of both addresses; asked on one site alone */
    uint64_t tokens;              /**< of the member's whole text */
    uint64_t names;               /**< in the set (mpi/stage/member_certainty.h); 1 and more */
    uint64_t sites;               /**< of the set's pages; 1 and more */
    uint64_t site_texts;          /**< of which the first page is of the member's site; 0: none */
    uint64_t crowded; /**< of these, those that share their set with one of the site that
                           has another name */
} nd_member_facts;

/** Was the certainty calibrated for what these options compare by? */
bool nd_certainty_is_known(const nd_method *method, const nd_method_options *options);

/** The probability, in ten-thousandths, above 0 and below 1. It never falls as the similarity, the
 * length or the crowded part of the site grows, and never rises with the names in the set. */
float nd_certainty(const nd_member_facts *facts);

#endif
