#include "src/lcs/lcs_internal.h"

/* Myers 1986, section 4b, for the distance alone: furthest-reaching paths grow from both corners
 * until two of them meet, which takes half the steps of growing from one. Paths that cannot be part
 * of one within the limit are not grown: a path on diagonal k after d steps needs |k - target|
 * more. */

static inline int32_t *reach_of(const nd_lcs_front *front, int32_t diagonal) {
    return front->reach[diagonal & 1] + (diagonal >> 1);
}

/* How many tokens from these places on agree, as far as they do so for long. */
static int32_t run_from(const nd_lcs_front *front, int32_t x, int32_t y) {
    const int32_t of_a = front->a_end - x, of_b = front->b_end - y;
    const size_t left = (size_t)(of_a < of_b ? of_a : of_b);
    return (int32_t)(front->flip == 0 ? nd_equal_prefix(front->a + x, front->b + y, left)
                                      : nd_equal_suffix(front->a - x, front->b - y, left));
}

/* Matches in a row that are looked for one by one; more are likely to be many more. */
enum { FEW_MATCHES = 6 };

/* As wide as addresses, and with `flip` a constant, since this is all that most pairs need. */
static inline __attribute__((always_inline)) void
advance_by(const nd_lcs_front *front, int64_t flip, int32_t first, int32_t last) {
    const nd_lcs_front fixed = *front; /* which stores to the paths cannot change */
    const int64_t a_end = fixed.a_end, b_end = fixed.b_end;
    const int32_t *beside = reach_of(front, first - 1);
    int32_t *reach = reach_of(front, first);
    for (int64_t k = first; k <= last; k += 2, beside++, reach++) {
        const int64_t by_a = beside[0] + 1, by_b = beside[1];
        const int64_t from = by_a > by_b ? by_a : by_b;
        int64_t x = from, y = x - k;
        for (; x < a_end && y < b_end && fixed.a[x ^ flip] == fixed.b[y ^ flip]; x++, y++) {
            if (x - from == FEW_MATCHES) {
                x += run_from(&fixed, (int32_t)x, (int32_t)y);
                break;
            }
        }
        *reach = (int32_t)x;
    }
}

/* Grow the paths on the diagonals first, first + 2, ... last by a step, from those on the diagonals
 * between and beside these. */
static void advance(const nd_lcs_front *front, int32_t first, int32_t last) {
    if (front->flip == 0) {
        advance_by(front, 0, first, last);
    } else {
        advance_by(front, -1, first, last);
    }
}

/* Whether places of both corners, the second ones in descending order, add up to 0 or more
 * anywhere. */
static bool meets(const int32_t *forward, const int32_t *backward, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        if (forward[i] + backward[-i] >= 0) {
            return true;
        }
    }
    return false;
}

static int32_t larger(int32_t a, int32_t b) {
    return a > b ? a : b;
}

static int32_t smaller(int32_t a, int32_t b) {
    return a < b ? a : b;
}

/* The diagonals of step d; those of one step are two apart. */
static void diagonals_of_step(const nd_lcs_search *s, const nd_lcs_front *front, int32_t d,
                              int32_t *first, int32_t *last) {
    const int32_t rest = s->limit - d;
    /* outside of these lie no points of the pair */
    const int32_t lowest = front->a_start - front->b_end;
    const int32_t highest = lowest + s->forward.a_end + s->forward.b_end;
    const int32_t low = larger(larger(front->source - d, lowest), front->target - rest);
    const int32_t high = smaller(smaller(front->source + d, highest), front->target + rest);
    *first = low + ((low - front->source - d) & 1);
    *last = high - ((high - front->source - d) & 1);
}

/* Grow the paths of a corner to d steps. \return whether one of them meets one of `others` steps
 * from the other corner */
static bool grow(const nd_lcs_search *s, const nd_lcs_front *front, int32_t d,
                 const nd_lcs_front *other, int32_t others) {
    int32_t first, last;
    diagonals_of_step(s, front, d, &first, &last);
    *reach_of(front, front->source - d - 1) = front->a_start - 1;
    *reach_of(front, front->source + d + 1) = front->a_start - 1;
    if (first > last) {
        return false;
    }
    advance(front, first, last);
    if (((front->target - front->source - d - others) & 1) != 0) {
        return false; /* a distance of the wrong parity */
    }
    first = larger(first, front->target - others);
    last = smaller(last, front->target + others);
    const int32_t count = (last - first) / 2 + 1;
    const int32_t *reach = reach_of(front, first);
    const int32_t *other_reach = reach_of(other, -first);
    return first <= last && meets(reach, other_reach, count);
}

int64_t nd_lcs_search_go(nd_lcs_search *s, int64_t stop) {
    const int64_t last = stop < s->limit ? stop : s->limit;
    for (; 2 * s->steps - 1 <= last; s->steps++) {
        if (grow(s, &s->forward, s->steps, &s->backward, s->steps - 1)) {
            return 2 * s->steps - 1;
        }
        if (2 * s->steps <= s->limit && grow(s, &s->backward, s->steps, &s->forward, s->steps)) {
            return 2 * s->steps;
        }
    }
    return -1;
}

/* The most tokens of both sequences that a path of the last step has passed. */
static int32_t furthest(const nd_lcs_search *s, const nd_lcs_front *front) {
    const int32_t start = 2 * front->a_start - front->source;
    int32_t most = start, first, last;
    diagonals_of_step(s, front, s->steps - 1, &first, &last);
    for (int32_t k = first; k <= last; k += 2) {
        most = larger(most, 2 * *reach_of(front, k) - k);
    }
    return most - start;
}

double nd_lcs_search_progress(const nd_lcs_search *s) {
    const int32_t all = s->forward.a_end + s->forward.b_end;
    return s->steps < 1
               ? 0
               : (double)(furthest(s, &s->forward) + furthest(s, &s->backward)) / (double)all;
}

void nd_lcs_search_start(nd_lcs_search *s, const nd_lcs_pair *pair, int64_t limit,
                         nd_lcs_work *work) {
    const size_t all = pair->n + pair->m;
    ND_ASSERT(pair->n <= ND_LCS_MOST_TOKENS && pair->m <= ND_LCS_MOST_TOKENS, pair->n, pair->m);
    s->steps = 0;
    /* Both corners without paths. Field by field: to copy what was written a moment ago in parts
     * takes longer than a comparison of pages that are nearly the same. */
    const int32_t n = (int32_t)pair->n, m = (int32_t)pair->m, delta = n - m;
    nd_lcs_front *const front = &s->forward, *const back = &s->backward;
    front->a = back->a = pair->a;
    front->b = back->b = pair->b;
    front->flip = 0;
    back->flip = -1;
    front->a_start = 0;
    back->a_start = -n;
    front->a_end = n;
    back->a_end = 0;
    front->b_end = m;
    back->b_end = 0;
    front->source = back->target = 0;
    front->target = delta;
    back->source = -delta;
    /* the distance has the parity of delta, and no more than n + m steps are ever needed */
    s->limit = limit < (int64_t)all ? (int32_t)limit : (int32_t)all;
    s->limit -= (s->limit - delta) & 1;
    if (s->limit < larger(delta, -delta)) {
        s->limit = -2; /* not even for the first step */
        return;
    }
    /* Diagonals -m .. n, or -n .. m from the far corner; steps beyond them and the marks beside the
     * outermost reach further by at most limit / 2 + 2. */
    const int32_t below = larger(n, m) + s->limit / 2 + 3;
    const size_t size = (size_t)below + 2;
    int32_t *reach = NULL;
    nd_lcs_room(work, ND_LCS_REACH, 4 * size * sizeof *reach, &reach);
    front->reach[0] = reach + below / 2 + 1; /* no diagonal is lower than -below */
    front->reach[1] = front->reach[0] + size;
    back->reach[0] = front->reach[1] + size;
    back->reach[1] = back->reach[0] + size;
}

void nd_lcs_myers(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                  nd_lcs_work *work, uint64_t *length) {
    const nd_lcs_pair pair = {.a = a, .b = b, .n = n, .m = m, .at_least = at_least};
    int64_t distance = -1;
    nd_lcs_search search;
    if (!nd_lcs_below_limit(&pair)) {
        const int64_t limit = (int64_t)nd_lcs_largest_distance(&pair);
        nd_lcs_search_start(&search, &pair, limit, work);
        distance = nd_lcs_search_go(&search, limit);
    }
    *length = distance < 0 ? 0 : (n + m - (uint64_t)distance) / 2;
}
