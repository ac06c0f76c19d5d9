/** \file src/method/method_decision.h
 * What one method makes of two pages: the keys they share, their similarity, the threshold that
 * holds for them and which rule set it. The same calls as in a run, but for the candidates: a run
 * pairs pages that share a key, in large groups of them only those next to each other by length.
 */
#ifndef ND_METHOD_METHOD_DECISION_H
#define ND_METHOD_METHOD_DECISION_H

#include "src/method/method.h"

/** What decided on the threshold, see nd_method_threshold(). */
typedef enum nd_threshold_rule {
    ND_RULE_PLAIN,   /**< that of all pages */
    ND_RULE_SITE,    /**< another one: that of pages of one site */
    ND_RULE_SUBJECT, /**< that of pages whose addresses name different things */
    ND_RULE_ONE_LIST /**< 1: an index page and a page of its site show parts of one list */
} nd_threshold_rule;

typedef struct nd_method_decision {
    size_t a_keys, b_keys; /**< distinct */
    size_t shared_keys;
    uint64_t *shared;      /**< the shared keys, ascending; owned */
    bool same_site;        /**< both are of one site */
    bool may_be_same_site; /**< or one is of no site, so that it may be */
    double score;          /**< of what is compared, whatever the threshold */
    double similarity;     /**< the score less what is taken off */
    double threshold;
    nd_threshold_rule rule;
    nd_method_discount off;
    bool similar; /**< similarity >= threshold */
} nd_method_decision;

/** Compare two pages by a method. Pages without tokens are neither signed nor compared in a run:
 * here they share nothing with any page.
 * \param[in]  options     derived
 * \param[in]  index_page  one of them at least is an index page
 * \param[out] decision    to be freed in any case \return ND_OK, ND_ERR_MEMORY, or the failure of
 * the method */
nd_status nd_method_decide(const nd_method *method, const nd_method_options *options,
                           const nd_document *a, const nd_document *b, bool index_page,
                           nd_method_decision *decision);

void nd_method_decision_free(nd_method_decision *decision);

#endif
