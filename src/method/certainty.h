/** \file src/method/certainty.h
 * How sure it is that a page is a near-duplicate of its set's representative: a probability, made
 * from what a run knows of a member without another comparison. Calibrated for the default's method
 * and score alone (scripts/README.md has the table); nothing is decided by it here. Integers alone
 * are computed with, so that the same page has the same certainty on any machine.
 */
#ifndef ND_METHOD_CERTAINTY_H
#define ND_METHOD_CERTAINTY_H

#include "src/method/method.h"

/** What is known of a member of a set. */
typedef struct nd_member_facts {
    float similarity; /**< to the representative, in [0, 1] */
    bool same_site;   /**< both are of one site, or may be */
    uint64_t tokens;  /**< of what is compared of the member */
} nd_member_facts;

/** Was the certainty calibrated for what these options compare by? */
bool nd_certainty_is_known(const nd_method *method, const nd_method_options *options);

/** The probability, in ten-thousandths, above 0 and below 1; it never falls as the similarity or
 * the length grows. */
float nd_certainty(const nd_member_facts *facts);

#endif
