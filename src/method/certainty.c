#include "src/method/certainty.h"

/* A logistic regression, in ten-thousandths: scripts/fit_certainty.py prints it. */
enum {
    UNIT = 10000,
    MOST_LENGTH = 10, /* lengths from 1,024 tokens on are one */
    MOST_NAMES = 8,   /* and so are sets from 256 names, or sites, on */

    /* A member that has nothing in common, and what a similarity of 1 adds. */
    ALWAYS = -17543,
    SIMILAR = 87201,

    /* Plain texts are no forms, so that of these only the similarity counts. Of HTML on one site,
     * versions of a page are what they seem. Pages that are much alike under other names are forms
     * that differ in what they are about, but where most pages have such partners (there it is an
     * archive), or in another version's folders, where pages were renamed. Pages of one name in
     * unrelated folders stand between. */
    ONE_SITE_VERSION = 32271,
    ONE_SITE_NAME = -27745,
    ONE_SITE_OTHER = -103391,
    ONE_SITE_ACROSS = 58167,
    ONE_SITE_CROWDED = 127702,

    /* Nor is a form what other sites have too: for each doubling of the set's sites. And what is
     * nearly the same is no form: for each tenth of similarity above .9. */
    ONE_SITE_SITES = 28756,
    ONE_SITE_NEAR = 46701,
    NEAR = 9000,

    /* Many names in one set are forms, the shorter the more so: for each doubling of them, and
     * each halving of a length of 1,024 tokens. */
    SHORT_OF_MANY = -6050
};

/* 1 / (1 + e^-z) at z = 0, 1, ... 8, in ten-thousandths. */
static const int64_t logistic[] = {5000, 7311, 8808, 9526, 9820, 9933, 9975, 9991, 9997};

bool nd_certainty_is_known(const nd_method *method, const nd_method_options *options) {
    const nd_method_options calibrated = nd_method_default_options();
    return method->rules && !nd_method_compares_digests(method, options) &&
           options->score == calibrated.score;
}

/* The logarithm to base 2, linear between powers of two, at most `most`; of 0 it is 0. */
static int64_t log2_of(uint64_t number, int most) {
    int power = 0;
    while (power < most && number >> (power + 1) != 0) {
        power++;
    }
    const uint64_t begin = UINT64_C(1) << power;
    const uint64_t more = power < most && number > begin ? (number - begin) * UNIT >> power : 0;
    return power * (int64_t)UNIT + (int64_t)more;
}

float nd_certainty(const nd_member_facts *facts) {
    /* exact in double precision, so that no machine rounds it otherwise */
    const int64_t similarity = (int64_t)((double)facts->similarity * (double)UNIT + .5);
    const int64_t crowded =
        facts->site_texts > 0 ? (int64_t)(facts->crowded * UNIT / facts->site_texts) : 0;
    const int64_t shortness = MOST_LENGTH * (int64_t)UNIT - log2_of(facts->tokens, MOST_LENGTH);
    int64_t z = ALWAYS + SIMILAR * similarity / UNIT;
    if (facts->html) {
        z += SHORT_OF_MANY * (shortness * log2_of(facts->names, MOST_NAMES) / UNIT) / UNIT;
    }
    if (facts->same_site && facts->html) {
        z += ONE_SITE_SITES * log2_of(facts->sites, MOST_NAMES) / UNIT;
        z += facts->relation == ND_ADDRESS_VERSION ? ONE_SITE_VERSION
             : facts->relation == ND_ADDRESS_NAME
                 ? ONE_SITE_NAME
                 : ONE_SITE_OTHER + ONE_SITE_CROWDED * crowded / UNIT;
        z += facts->relation == ND_ADDRESS_ACROSS ? ONE_SITE_ACROSS : 0;
        if (facts->relation != ND_ADDRESS_VERSION && similarity > NEAR) {
            z += ONE_SITE_NEAR * (similarity - NEAR) / (UNIT - NEAR);
        }
    }
    const int64_t last = (int64_t)(sizeof logistic / sizeof logistic[0]) - 1;
    const int64_t size = z < 0 ? -z : z;
    const int64_t at = size / UNIT;
    const int64_t share =
        at >= last ? logistic[last]
                   : logistic[at] + (logistic[at + 1] - logistic[at]) * (size % UNIT) / UNIT;
    return (float)(z < 0 ? UNIT - share : share) / (float)UNIT;
}
