#include "src/compare/lcs_internal.h"

/* Myers 1986, section 4b, for the distance alone: furthest-reaching paths grow from both corners
 * until two of them meet, which takes half the steps of growing from one. Diagonal k holds the
 * points (x, y) with x - y = k. Paths that cannot be part of one within the limit are not grown: a
 * path on diagonal k after d steps needs |k - target| more. */
typedef struct search {
    const nd_lcs_pair *pair;
    int64_t n;
    int64_t m;
    int64_t delta;     /* the diagonal of the far corner */
    int64_t limit;     /* of the same parity as delta */
    int64_t *forward;  /* by diagonal: largest x reached from (0, 0) */
    int64_t *backward; /* by diagonal: smallest x reached from (n, m) */
} search;

static int64_t largest3(int64_t a, int64_t b, int64_t c) {
    int64_t ab = a > b ? a : b;
    return ab > c ? ab : c;
}

static int64_t distance_between(int64_t a, int64_t b) {
    return a > b ? a - b : b - a;
}

/* The diagonals of step d of paths from the corner on `source` to that on `target`; those of one
 * step are two apart. */
static void diagonals_of_step(const search *s, int64_t d, int64_t source, int64_t target,
                              int64_t *first, int64_t *last) {
    int64_t rest = s->limit - d;
    int64_t low = largest3(source - d, -s->m, target - rest);
    int64_t high = -largest3(-(source + d), -s->n, -(target + rest));
    *first = low + ((low - source - d) & 1);
    *last = high - ((high - source - d) & 1);
}

/* \return whether a forward path of d steps meets a backward path of d - 1 */
static bool grow_forward(const search *s, int64_t d) {
    const uint32_t *a = s->pair->a;
    const uint32_t *b = s->pair->b;
    bool meets = (s->delta & 1) != 0;
    int64_t first, last;
    diagonals_of_step(s, d, 0, s->delta, &first, &last);
    s->forward[-d - 1] = -1;
    s->forward[d + 1] = -1;
    for (int64_t k = first; k <= last; k += 2) {
        int64_t right = s->forward[k - 1] + 1;
        int64_t down = s->forward[k + 1];
        int64_t x = right > down ? right : down;
        for (int64_t y = x - k; x < s->n && y < s->m && a[x] == b[y]; y++) {
            x++;
        }
        s->forward[k] = x;
        if (meets && distance_between(k, s->delta) < d && x >= s->backward[k]) {
            return true;
        }
    }
    return false;
}

/* \return whether a backward path of d steps meets a forward path of d */
static bool grow_backward(const search *s, int64_t d) {
    const uint32_t *a = s->pair->a;
    const uint32_t *b = s->pair->b;
    bool meets = (s->delta & 1) == 0;
    int64_t first, last;
    diagonals_of_step(s, d, s->delta, 0, &first, &last);
    s->backward[s->delta - d - 1] = s->n + 1;
    s->backward[s->delta + d + 1] = s->n + 1;
    for (int64_t k = first; k <= last; k += 2) {
        int64_t left = s->backward[k + 1] - 1;
        int64_t up = s->backward[k - 1];
        int64_t x = left < up ? left : up;
        for (int64_t y = x - k; x > 0 && y > 0 && a[x - 1] == b[y - 1]; y--) {
            x--;
        }
        s->backward[k] = x;
        if (meets && distance_between(k, 0) <= d && x <= s->forward[k]) {
            return true;
        }
    }
    return false;
}

static int64_t search_distance(const search *s) {
    for (int64_t d = 0; 2 * d - 1 <= s->limit; d++) {
        if (grow_forward(s, d)) {
            return 2 * d - 1;
        }
        if (2 * d <= s->limit && grow_backward(s, d)) {
            return 2 * d;
        }
    }
    return -1;
}

nd_status nd_lcs_distance(const nd_lcs_pair *pair, int64_t limit, nd_lcs_work *work,
                          int64_t *distance) {
    search s = {.pair = pair, .n = (int64_t)pair->n, .m = (int64_t)pair->m};
    s.delta = s.n - s.m;
    /* the distance has the parity of delta, and no more than n + m steps are ever needed */
    s.limit = limit < s.n + s.m ? limit : s.n + s.m;
    s.limit -= (s.limit - s.delta) & 1;
    if (s.limit < distance_between(s.delta, 0)) {
        *distance = -1;
        return ND_OK;
    }
    /* diagonals -m .. n; steps beyond them and the marks beside the outermost reach further by at
     * most limit / 2 + 2 */
    size_t diagonals = (size_t)(s.n + s.m + 2 * (s.limit / 2 + 3));
    int64_t *reach = NULL;
    nd_status st = nd_lcs_room(work, ND_LCS_REACH, 2 * diagonals * sizeof *reach, &reach);
    if (st == ND_OK) {
        s.forward = reach + s.m + s.limit / 2 + 2;
        s.backward = s.forward + diagonals;
        *distance = search_distance(&s);
    }
    return st;
}

nd_status nd_lcs_myers(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                       nd_lcs_work *work, uint64_t *length) {
    nd_lcs_pair pair = {.a = a, .b = b, .n = n, .m = m, .at_least = at_least};
    int64_t distance = -1;
    nd_status st = ND_OK;
    if (!nd_lcs_hopeless(&pair)) {
        st = nd_lcs_distance(&pair, (int64_t)(n + m - 2 * at_least), work, &distance);
    }
    if (st == ND_OK) {
        *length = distance < 0 ? 0 : (n + m - (uint64_t)distance) / 2;
    }
    return st;
}
