#include "src/compare/equal_run.h"
#include "src/compare/lcs_internal.h"

/* Myers 1986, section 4b, for the distance alone: furthest-reaching paths grow from both corners
 * until two of them meet, which takes half the steps of growing from one. Paths that cannot be part
 * of one within the limit are not grown: a path on diagonal k after d steps needs |k - target|
 * more. */

static int64_t largest3(int64_t a, int64_t b, int64_t c) {
    int64_t ab = a > b ? a : b;
    return ab > c ? ab : c;
}

static int64_t distance_between(int64_t a, int64_t b) {
    return a > b ? a - b : b - a;
}

/* The diagonals of step d of paths from the corner on `source` to that on `target`; those of one
 * step are two apart. */
static void diagonals_of_step(const nd_lcs_search *s, int64_t d, int64_t source, int64_t target,
                              int64_t *first, int64_t *last) {
    int64_t rest = s->limit - d;
    int64_t low = largest3(source - d, -s->m, target - rest);
    int64_t high = -largest3(-(source + d), -s->n, -(target + rest));
    *first = low + ((low - source - d) & 1);
    *last = high - ((high - source - d) & 1);
}

/* Matches in a row that are looked for one by one; more are likely to be many more. */
enum { FEW_MATCHES = 6 };

/* The x to which matches lead from (x, y). */
static inline int64_t follow(const nd_lcs_search *s, int64_t x, int64_t y) {
    const uint32_t *a = s->pair->a, *b = s->pair->b;
    for (const int64_t from = x; x < s->n && y < s->m && a[x] == b[y]; x++, y++) {
        if (x - from == FEW_MATCHES) {
            const int64_t left = s->n - x < s->m - y ? s->n - x : s->m - y;
            return x + (int64_t)nd_equal_prefix(a + x, b + y, (size_t)left);
        }
    }
    return x;
}

/* The same back towards the beginnings. */
static inline int64_t follow_back(const nd_lcs_search *s, int64_t x, int64_t y) {
    const uint32_t *a = s->pair->a, *b = s->pair->b;
    for (const int64_t from = x; x > 0 && y > 0 && a[x - 1] == b[y - 1]; x--, y--) {
        if (from - x == FEW_MATCHES) {
            return x - (int64_t)nd_equal_suffix(a + x, b + y, (size_t)(x < y ? x : y));
        }
    }
    return x;
}

/* \return whether a forward path of d steps meets a backward path of d - 1 */
static bool grow_forward(const nd_lcs_search *s, int64_t d) {
    bool meets = (s->delta & 1) != 0;
    int64_t first, last;
    diagonals_of_step(s, d, 0, s->delta, &first, &last);
    s->forward[-d - 1] = -1;
    s->forward[d + 1] = -1;
    for (int64_t k = first; k <= last; k += 2) {
        int64_t right = s->forward[k - 1] + 1;
        int64_t down = s->forward[k + 1];
        int64_t x = right > down ? right : down;
        x = follow(s, x, x - k);
        s->forward[k] = x;
        if (meets && distance_between(k, s->delta) < d && x >= s->backward[k]) {
            return true;
        }
    }
    return false;
}

/* \return whether a backward path of d steps meets a forward path of d */
static bool grow_backward(const nd_lcs_search *s, int64_t d) {
    bool meets = (s->delta & 1) == 0;
    int64_t first, last;
    diagonals_of_step(s, d, s->delta, 0, &first, &last);
    s->backward[s->delta - d - 1] = s->n + 1;
    s->backward[s->delta + d + 1] = s->n + 1;
    for (int64_t k = first; k <= last; k += 2) {
        int64_t left = s->backward[k + 1] - 1;
        int64_t up = s->backward[k - 1];
        int64_t x = left < up ? left : up;
        x = follow_back(s, x, x - k);
        s->backward[k] = x;
        if (meets && distance_between(k, 0) <= d && x <= s->forward[k]) {
            return true;
        }
    }
    return false;
}

int64_t nd_lcs_search_go(nd_lcs_search *s, int64_t stop) {
    const int64_t last = stop < s->limit ? stop : s->limit;
    for (; 2 * s->steps - 1 <= last; s->steps++) {
        if (grow_forward(s, s->steps)) {
            return 2 * s->steps - 1;
        }
        if (2 * s->steps <= s->limit && grow_backward(s, s->steps)) {
            return 2 * s->steps;
        }
    }
    return -1;
}

double nd_lcs_search_progress(const nd_lcs_search *s) {
    const int64_t all = s->n + s->m;
    int64_t forward = 0, backward = all, first, last;
    if (s->steps < 1) {
        return 0;
    }
    diagonals_of_step(s, s->steps - 1, 0, s->delta, &first, &last);
    for (int64_t k = first; k <= last; k += 2) {
        forward = largest3(forward, 2 * s->forward[k] - k, 0);
    }
    diagonals_of_step(s, s->steps - 1, s->delta, 0, &first, &last);
    for (int64_t k = first; k <= last; k += 2) {
        const int64_t at = 2 * s->backward[k] - k;
        backward = at < backward ? at : backward;
    }
    return (double)(forward + all - backward) / (double)all;
}

nd_status nd_lcs_search_start(nd_lcs_search *s, const nd_lcs_pair *pair, int64_t limit,
                              nd_lcs_work *work) {
    *s = (nd_lcs_search){.pair = pair, .n = (int64_t)pair->n, .m = (int64_t)pair->m};
    s->delta = s->n - s->m;
    /* the distance has the parity of delta, and no more than n + m steps are ever needed */
    s->limit = limit < s->n + s->m ? limit : s->n + s->m;
    s->limit -= (s->limit - s->delta) & 1;
    if (s->limit < distance_between(s->delta, 0)) {
        s->limit = -2; /* not even for the first step */
        return ND_OK;
    }
    /* diagonals -m .. n; steps beyond them and the marks beside the outermost reach further by at
     * most limit / 2 + 2 */
    size_t diagonals = (size_t)(s->n + s->m + 2 * (s->limit / 2 + 3));
    int64_t *reach = NULL;
    nd_status st = nd_lcs_room(work, ND_LCS_REACH, 2 * diagonals * sizeof *reach, &reach);
    if (st == ND_OK) {
        s->forward = reach + s->m + s->limit / 2 + 2;
        s->backward = s->forward + diagonals;
    }
    return st;
}

nd_status nd_lcs_myers(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                       nd_lcs_work *work, uint64_t *length) {
    nd_lcs_pair pair = {.a = a, .b = b, .n = n, .m = m, .at_least = at_least};
    int64_t distance = -1;
    nd_status st = ND_OK;
    nd_lcs_search search;
    if (!nd_lcs_hopeless(&pair)) {
        const int64_t limit = (int64_t)nd_lcs_largest_distance(&pair);
        ND_TRY(nd_lcs_search_start(&search, &pair, limit, work));
        distance = nd_lcs_search_go(&search, limit);
    }
    *length = distance < 0 ? 0 : (n + m - (uint64_t)distance) / 2;
out:
    return st;
}
