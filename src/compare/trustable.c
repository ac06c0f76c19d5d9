#include "src/compare/trustable.h"

#include "src/base/util.h"
#include "src/lcs/lcs.h"

#include <stdbool.h>
#include <string.h>

const nd_trustable_options nd_trustable_defaults = {
    .gap_weight = 1,      /* coherent: more tokens matched than left out */
    .run_tokens = 3,      /* shorter runs are mostly chance */
    .cohesion = 0.8,      /* as the program's threshold of r */
    .trimmed = 0.5,       /* templates can be half a page */
    .centre_begin = 0.15, /* matches of headers and footers alone are outside */
    .centre_end = 0.85,
    .least_tokens = 30, /* a short paragraph */
};

/* An interval of the matches, and what step 2 chooses it by. */
typedef struct interval {
    size_t begin;
    size_t end; /* one after the last match */
    double value;
} interval;

/* Step 2's runs. \return how many matches are left */
static size_t drop_short_runs(nd_lcs_match *matches, size_t count, size_t run_tokens) {
    size_t kept = 0;
    for (size_t begin = 0, end = 0; begin < count; begin = end) {
        do {
            end++;
        } while (end < count && matches[end].a == matches[end - 1].a + 1 &&
                 matches[end].b == matches[end - 1].b + 1);
        for (size_t i = begin; i < end && end - begin >= run_tokens; i++) {
            matches[kept++] = matches[i];
        }
    }
    return kept;
}

/* The interval [p, q] is worth (q + 1 - gaps before q) - (p - gaps before p), each gap weighted:
 * for each q the smallest subtrahend of the p so far is best, the first one if equal (which is the
 * longest interval). */
static interval best_interval(const nd_trustable_options *options, const nd_lcs_match *matches,
                              size_t count) {
    interval best = {0};
    uint64_t gaps = 0;
    size_t begin = 0;
    double least = 0;
    for (size_t q = 0; q < count; q++) {
        if (q > 0) { /* tokens from the match before, in the page that has more of them */
            gaps += nd_max(matches[q].a - matches[q - 1].a, matches[q].b - matches[q - 1].b) - 1;
        }
        const double weighted = options->gap_weight * (double)gaps;
        if (q > 0 && (double)q - weighted < least) {
            least = (double)q - weighted;
            begin = q;
        }
        const double value = (double)(q + 1) - weighted - least;
        const bool longer = q + 1 - begin > best.end - best.begin;
        if (value > best.value || (value == best.value && longer)) {
            best = (interval){begin, q + 1, value};
        }
    }
    return best;
}

/* Step 4's (1 - trimmed) of the page. Whole tokens, so that all arithmetic but the last division is
 * exact and bounds need no allowance for rounding. */
static uint64_t untrimmed(const nd_trustable_options *options, uint64_t tokens) {
    const double share = (1 - options->trimmed) * (double)tokens;
    const uint64_t whole = (uint64_t)share;
    return whole + ((double)whole < share);
}

static bool in_centre(const nd_trustable_options *options, uint32_t place, uint64_t tokens) {
    const double middle = (double)place + 0.5; /* of the token */
    return middle >= options->centre_begin * (double)tokens &&
           middle <= options->centre_end * (double)tokens;
}

double nd_trustable_score(const nd_trustable_options *options, nd_lcs_match *matches, size_t count,
                          uint64_t n, uint64_t m) {
    const size_t kept = drop_short_runs(matches, count, options->run_tokens);
    const interval best = best_interval(options, matches, kept);
    const uint64_t common = best.end - best.begin;
    if (common == 0 || common < options->least_tokens) {
        return 0;
    }
    const nd_lcs_match *first = &matches[best.begin];
    const nd_lcs_match *last = &matches[best.end - 1];
    const uint64_t span_a = last->a - first->a + 1;
    const uint64_t span_b = last->b - first->b + 1;
    if ((double)common / (double)(span_a + span_b - common) < options->cohesion) {
        return 0;
    }
    size_t central = 0;
    for (const nd_lcs_match *match = first; match <= last; match++) {
        central += in_centre(options, match->a, n) && in_centre(options, match->b, m);
    }
    if (2 * central < common) {
        return 0;
    }
    return (double)common / (double)(nd_max(span_a, untrimmed(options, n)) +
                                     nd_max(span_b, untrimmed(options, m)) - common);
}

/* Never below the score: with L* <= common matches, sA >= L* and sB >= L*, so
 *     score = L* / (a* + b* - L*) <= L* / (max(L*, kA) + max(L*, kB) - L*) =: f(L*)
 * where kA and kB are what trimming must leave of the pages. f does not fall: as long as L* <= kA,
 * kB it is L* / (kA + kB - L*); between them L* / max(kA, kB); above both 1. So score <= f(common).
 * All sums are of whole numbers, and rounding a quotient keeps order, so this holds for the
 * computed numbers too. In the first case a score of t needs an LCS of t (kA + kB) / (1 + t)
 * tokens: the threshold of r, t (|A| + |B|) / (1 + t), times (1 - trimmed), and not that threshold
 * itself. */
double nd_trustable_bound(const nd_trustable_options *options, uint64_t common, uint64_t n,
                          uint64_t m) {
    if (common == 0 || common < options->least_tokens) {
        return 0;
    }
    return (double)common / (double)(nd_max(common, untrimmed(options, n)) +
                                     nd_max(common, untrimmed(options, m)) - common);
}

enum {
    BITS_PER_RUN = 32, /* of the filter: one of 32 runs that a lacks is taken for one of a's */
    WORD = 64,         /* tokens of a word of the cover */
    USUAL_RUN = 3      /* as in the defaults: its loops are unrolled */
};

/* The multiplier of the hash (the low half of that of Knuth's MMIX generator), and 2^32 over the
 * golden ratio, made odd, whose product moves what differs into the high bits. */
static const uint32_t POWER = UINT32_C(0x4c957f2d);
static const uint32_t SPREAD = UINT32_C(0x9e3779b1);

/* ---- how much of one sequence can be matched in runs with another. Each run is looked up by a
 * hash alone, so a token may be taken for covered that is not, but never the other way round. */

/* One bit for each hash of a run. */
typedef struct run_filter {
    uint32_t *words; /* bit h is bit h % 32 of word h / 32 */
    size_t run;
    uint32_t shift; /* the bit is the highest bits of the hash: the hash shifted right by this */
} run_filter;

/* The terms do not wait for one another. `run` is a constant where that is usual. */
static inline __attribute__((always_inline)) uint32_t bit_of(const run_filter *filter,
                                                             const uint32_t *tokens, size_t run) {
    uint32_t hash = 0;
    uint32_t power = SPREAD;
    for (size_t i = 0; i < run; i++) {
        hash += tokens[i] * power;
        power *= POWER;
    }
    return hash >> filter->shift;
}

static inline __attribute__((always_inline)) void look_up_run(const run_filter *filter,
                                                              const uint32_t *b, size_t places,
                                                              size_t run, uint64_t *found) {
    for (size_t begin = 0; begin < places; begin += WORD) {
        const size_t end = nd_min(places - begin, WORD);
        uint64_t bits = 0;
        for (size_t i = 0; i < end; i++) {
            const uint32_t bit = bit_of(filter, b + begin + i, run);
            bits |= (uint64_t)(filter->words[bit / 32] >> bit % 32 & 1) << i;
        }
        found[begin / WORD] = bits;
    }
}

/* Bit i of `found`, as of nd_run_cover.bits, is set if the filter has the run at b[i]; whole words
 * are written. */
static void look_up(const run_filter *filter, const uint32_t *b, size_t places, uint64_t *found) {
    if (filter->run == USUAL_RUN) {
        look_up_run(filter, b, places, USUAL_RUN, found);
    } else {
        look_up_run(filter, b, places, filter->run, found);
    }
}

static void filter_of(const uint32_t *a, size_t n, size_t run, nd_lcs_work *work,
                      run_filter *filter) {
    uint32_t bits = 6;
    uint32_t *copy = NULL;
    /* Is the filter that is kept in the work that of these tokens? */
    const bool kept = work->cover_tokens == n && work->cover_run == run &&
                      memcmp(work->memory[ND_LCS_COVER_TOKENS].data, a, n * sizeof *a) == 0;
    while (bits < 31 && (size_t)1 << bits < BITS_PER_RUN * n) {
        bits++;
    }
    *filter = (run_filter){.run = run, .shift = 32 - bits};
    work->cover_tokens = 0; /* until it is complete */
    nd_lcs_room(work, ND_LCS_COVER_BITS, ((size_t)1 << bits) / 8, &filter->words);
    nd_lcs_room(work, ND_LCS_COVER_TOKENS, n * sizeof *a, &copy);
    if (!kept) {
        memcpy(copy, a, n * sizeof *a);
        memset(filter->words, 0, ((size_t)1 << bits) / 8);
        for (size_t i = 0; i + run <= n; i++) {
            const uint32_t bit = bit_of(filter, a + i, run);
            filter->words[bit / 32] |= UINT32_C(1) << bit % 32;
        }
    }
    work->cover_tokens = n;
    work->cover_run = run;
}

/* From the places where runs begin to all of their tokens: each bit and the run - 1 after it. */
static uint64_t spread_runs(uint64_t *bits, size_t words, size_t run) {
    uint64_t count = 0;
    for (size_t shift = 1; shift < run; shift++) {
        uint64_t carry = 0;
        for (size_t w = 0; w < words; w++) {
            const uint64_t here = bits[w];
            bits[w] |= here << 1 | carry;
            carry = here >> (WORD - 1);
        }
    }
    for (size_t w = 0; w < words; w++) {
        count += (uint64_t)__builtin_popcountll(bits[w]);
    }
    return count;
}

void nd_run_cover_find(const uint32_t *a, size_t n, const uint32_t *b, size_t m, size_t run,
                       nd_lcs_work *work, nd_run_cover *cover) {
    run_filter filter;
    const size_t words = m / WORD + 1;
    nd_lcs_room(work, ND_LCS_COVERED, words * sizeof *cover->bits, &cover->bits);
    memset(cover->bits, 0, words * sizeof *cover->bits);
    cover->count = 0;
    if (n >= run && m >= run) {
        filter_of(a, n, run, work, &filter);
        look_up(&filter, b, m - run + 1, cover->bits);
        cover->count = spread_runs(cover->bits, words, run);
    }
}

/* ---- the same for pages of which it is known what can be matched at all */

/* The most tokens of an interval of the page that is dense enough for step 3, if only covered
 * tokens can be matched. As sB >= L*, that step asks for L* / sA >= cohesion: an interval (x, y]
 * with covered[y] - covered[x] >= cohesion (y - x), so that f(y) >= f(x) with f(i) = covered[i] -
 * cohesion i. The start moves on only where all f up to it are above all f after the end. highest:
 * room for n + 1 numbers. */
static uint64_t dense_tokens(const nd_trustable_options *options, const uint32_t *covered, size_t n,
                             double *highest) {
    const double rounding = 1e-6; /* never to lose an interval that is just dense enough */
    uint64_t most = 0;
    double lowest = 0;
    for (size_t i = n + 1; i-- > 0;) {
        highest[i] = (double)covered[i] - options->cohesion * (double)i;
        highest[i] = i < n && highest[i + 1] > highest[i] ? highest[i + 1] : highest[i];
    }
    for (size_t x = 0, y = 0; y <= n;) {
        const double start = (double)covered[x] - options->cohesion * (double)x;
        lowest = start < lowest ? start : lowest;
        if (lowest <= highest[y] + rounding) {
            most = nd_max(most, covered[y] - covered[x]);
            y++;
        } else {
            x++;
        }
    }
    return most;
}

/* Whether L* may be at_least, as far as the runs of b that a holds too show. */
static void may_reach(const nd_trustable_options *options, const uint32_t *a, size_t n,
                      const uint32_t *b, size_t m, uint64_t at_least, nd_lcs_work *work,
                      bool *may) {
    nd_run_cover cover;
    uint32_t *covered = NULL;
    double *room = NULL;
    nd_run_cover_find(a, n, b, m, options->run_tokens, work, &cover);
    *may = cover.count >= at_least;
    if (*may) {
        nd_lcs_room(work, ND_LCS_COVERED_BEFORE, (m + 1) * sizeof *covered, &covered);
        nd_lcs_room(work, ND_LCS_DENSITY, (m + 1) * sizeof *room, &room);
        covered[0] = 0; /* covered[i]: how many of the first i tokens */
        for (size_t i = 0; i < m; i++) {
            covered[i + 1] = covered[i] + (uint32_t)(cover.bits[i / 64] >> i % 64 & 1);
        }
        /* Those in the centre, or a little more: at least half of L* lies there. */
        const double begin = options->centre_begin * (double)m - 1;
        const double end = options->centre_end * (double)m + 1;
        const size_t last = nd_min(end > 0 ? (size_t)end : 0, m);
        const uint64_t central = covered[last] - covered[begin > 0 ? (size_t)begin : 0];
        *may = 2 * central >= at_least && dense_tokens(options, covered, m, room) >= at_least;
    }
}

/* ---- two pages */

void nd_trustable_similarity(const nd_trustable_options *options, const uint32_t *a, size_t n,
                             const uint32_t *b, size_t m, uint64_t at_least, nd_lcs_work *work,
                             double *similarity) {
    nd_lcs_match *matches = NULL;
    size_t count = 0;
    bool may = true;
    if (at_least > 0) {
        may_reach(options, a, n, b, m, at_least, work, &may);
    }
    if (!may) {
        *similarity = 0;
        return;
    }
    /* The order of the pages in which their LCS is chosen. */
    bool a_first = n <= m;
    if (n == m) {
        size_t i = 0;
        while (i < n && a[i] == b[i]) {
            i++;
        }
        a_first = i == n || a[i] < b[i];
    }
    if (a_first) {
        nd_lcs_matches(a, n, b, m, at_least, work, &matches, &count);
    } else {
        nd_lcs_matches(b, m, a, n, at_least, work, &matches, &count);
    }
    *similarity = nd_trustable_score(options, matches, count, a_first ? n : m, a_first ? m : n);
}
