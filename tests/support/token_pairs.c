#include "tests/support/token_pairs.h"

#include <string.h>

/* Of short ones all sizes, so that empty ones and those around a run or a shingle come up often. */
static size_t random_length(nd_random *random, size_t longest) {
    const uint64_t bounds[] = {4, 8, 40, longest + 1, longest + 1};
    const uint64_t bound = bounds[nd_random_below(random, 5)];
    return nd_random_below(random, bound <= longest ? bound : longest + 1);
}

static uint32_t random_token(nd_random *random, uint64_t alphabet) {
    const uint64_t below = 1 + nd_random_below(random, alphabet); /* some tokens are frequent */
    return (uint32_t)nd_random_below(random, below) * UINT32_C(0x01000193);
}

static void put(nd_token_pair *pair, size_t longest, uint32_t token) {
    if (pair->m < longest) {
        pair->b[pair->m++] = token;
    }
}

/* b: a copy of a in which about one token in `spacing` is replaced, dropped, doubled or preceded,
 * and which may begin and end with tokens of its own. */
static void edit(nd_random *random, size_t longest, uint64_t alphabet, nd_token_pair *pair) {
    const uint64_t spacing = 1 + nd_random_below(random, 40);
    const uint64_t ends = nd_random_below(random, 3) == 0 ? 1 + pair->n / 3 : 1;
    for (uint64_t i = nd_random_below(random, ends); i > 0; i--) {
        put(pair, longest, random_token(random, alphabet));
    }
    for (size_t i = 0; i < pair->n; i++) {
        const uint64_t kind =
            nd_random_below(random, spacing) == 0 ? nd_random_below(random, 4) : 4;
        if (kind == 1 || kind == 3) {
            put(pair, longest, random_token(random, alphabet));
        }
        if (kind >= 2) {
            put(pair, longest, pair->a[i]);
        }
        if (kind == 2) {
            put(pair, longest, pair->a[i]);
        }
    }
    for (uint64_t i = nd_random_below(random, ends); i > 0; i--) {
        put(pair, longest, random_token(random, alphabet));
    }
}

/* b: the second part of a, then the first. */
static void rotate(nd_random *random, nd_token_pair *pair) {
    const size_t at = nd_random_below(random, pair->n + 1);
    memcpy(pair->b, pair->a + at, (pair->n - at) * sizeof *pair->a);
    memcpy(pair->b + (pair->n - at), pair->a, at * sizeof *pair->a);
    pair->m = pair->n;
}

static void stranger(nd_random *random, size_t longest, uint64_t alphabet, uint32_t offset,
                     nd_token_pair *pair) {
    pair->m = random_length(random, longest);
    for (size_t i = 0; i < pair->m; i++) {
        pair->b[i] = random_token(random, alphabet) + offset;
    }
}

void nd_random_token_pair(nd_random *random, size_t longest, nd_token_pair *pair) {
    static const uint64_t alphabets[] = {1, 2, 3, 8, 30, 300, 100000};
    const uint64_t alphabet = alphabets[nd_random_below(random, 7)];
    const size_t period = nd_random_below(random, 6) == 0 ? 1 + nd_random_below(random, 12) : 0;
    const uint64_t kind = nd_random_below(random, 8);
    pair->n = random_length(random, longest);
    pair->m = 0;
    for (size_t i = 0; i < pair->n; i++) {
        pair->a[i] =
            period > 0 && i >= period ? pair->a[i - period] : random_token(random, alphabet);
    }
    if (kind < 5) {
        edit(random, longest, alphabet, pair);
    } else if (kind == 5) {
        rotate(random, pair);
    } else {
        stranger(random, longest, alphabet, kind == 6 ? 0 : UINT32_C(0x80000001), pair);
    }
}

double nd_random_threshold(nd_random *random, double score) {
    switch (nd_random_below(random, 4)) {
    case 0:
        return score;
    case 1:
        return score * (1 + 0x1p-52);
    case 2:
        return score * (1 - 0x1p-53);
    default:
        return (double)nd_random_below(random, 1001) / 1000;
    }
}
