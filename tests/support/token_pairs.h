/** \file tests/support/token_pairs.h
 * Random pairs of token sequences for tests of what compares them: edited copies, equal ones,
 * repetitions, moved blocks and strangers, over alphabets from one token to all different.
 */
#ifndef ND_TESTS_TOKEN_PAIRS_H
#define ND_TESTS_TOKEN_PAIRS_H

#include "src/base/util.h"

#include <stddef.h>

enum { ND_TEST_TOKENS = 4000 };

typedef struct nd_token_pair {
    uint32_t a[ND_TEST_TOKENS];
    uint32_t b[ND_TEST_TOKENS];
    size_t n;
    size_t m;
} nd_token_pair;

/** Fill the pair with sequences of at most `longest` tokens (at most ND_TEST_TOKENS); often of few
 * tokens or none. */
void nd_random_token_pair(nd_random *random, size_t longest, nd_token_pair *pair);

/** A threshold at, right above or right below a score, or anywhere in [0, 1]. */
double nd_random_threshold(nd_random *random, double score);

#endif
