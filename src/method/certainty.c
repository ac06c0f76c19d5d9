#include "src/method/certainty.h"

/* A logistic regression in four numbers and a fifth that both share; all in ten-thousandths. Fitted
 * to members of sets whose text is not the representative's, by maximum likelihood: half of the
 * sets of the labelled pages (web, documentation), made-up pages, and real documentation at large,
 * each kind with one weight in all, and in it a set of n pages with that of root n. */
enum {
    UNIT = 10000,
    MOST_LENGTH = 10, /* lengths from 1,024 tokens on are one */

    /* A member that has nothing in common. Forms of one site are alike all over, so that a page
     * begins lower there. */
    ONE_SITE = -79700,
    TWO_SITES = -57400,

    /* What a similarity of 1 adds. */
    ONE_SITE_SIMILAR = 82700,
    TWO_SITES_SIMILAR = 88500,

    /* What each doubling of the length adds: the same similarity says more of more text. */
    LENGTH = 2900
};

/* 1 / (1 + e^-z) at z = 0, 1, ... 8, in ten-thousandths. */
static const int64_t logistic[] = {5000, 7311, 8808, 9526, 9820, 9933, 9975, 9991, 9997};

bool nd_certainty_is_known(const nd_method *method, const nd_method_options *options) {
    const nd_method_options calibrated = nd_method_default_options();
    return method->rules && !nd_method_compares_digests(method, options) &&
           options->score == calibrated.score;
}

float nd_certainty(const nd_member_facts *facts) {
    /* exact in double precision, so that no machine rounds it otherwise */
    const int64_t similarity = (int64_t)((double)facts->similarity * UNIT + .5);
    int64_t length = 0;
    while (length < MOST_LENGTH && facts->tokens >> (length + 1) != 0) {
        length++;
    }
    const int64_t z =
        LENGTH * length + (facts->same_site ? ONE_SITE + ONE_SITE_SIMILAR * similarity / UNIT
                                            : TWO_SITES + TWO_SITES_SIMILAR * similarity / UNIT);
    const int64_t last = (int64_t)(sizeof logistic / sizeof logistic[0]) - 1;
    const int64_t size = z < 0 ? -z : z;
    const int64_t at = size / UNIT;
    const int64_t share =
        at >= last ? logistic[last]
                   : logistic[at] + (logistic[at + 1] - logistic[at]) * (size % UNIT) / UNIT;
    return (float)(z < 0 ? UNIT - share : share) / (float)UNIT;
}
