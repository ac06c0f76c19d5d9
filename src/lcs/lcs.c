#include "src/lcs/lcs.h"

#include "src/base/status.h"
#include "src/base/util.h"
#include "src/lcs/lcs_internal.h"

#include <math.h>
#include <string.h>

/* Of hashes of tokens: 2^32 over the golden ratio. The high bits of the product are the best. */
static const uint32_t MULTIPLIER = UINT32_C(0x9e3779b1);

/* ---- dropping what the other sequence lacks */

/* So many kinds, that of the tokens that the other sequence lacks few are kept: most tokens stand
 * in a page more than once. */
enum { KINDS_PER_TOKEN = 8, LEAST_SIFT_BITS = 8, MOST_SIFT_BITS = 15 };

/* Which kinds there are: for each a byte, 1 or 0, since to write bytes waits for nothing. */
typedef struct lcs_kinds {
    uint8_t *present;
    uint32_t shift; /* of the hash, to a kind */
} lcs_kinds;

static inline uint32_t kind_of(const lcs_kinds *kinds, uint32_t token) {
    return token * MULTIPLIER >> kinds->shift;
}

static size_t keep(const lcs_kinds *kinds, const uint32_t *tokens, size_t count, uint32_t *kept) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        kept[n] = tokens[i]; /* whether it stays, a processor cannot foretell */
        n += kinds->present[kind_of(kinds, tokens[i])];
    }
    return n;
}

/* What is kept of a sequence, by the kinds of the other one. */
static size_t drop_unmatched(const lcs_kinds *kinds, const uint32_t *other, size_t other_count,
                             const uint32_t *tokens, size_t count, uint32_t *kept) {
    memset(kinds->present, 0, (size_t)1 << (32 - kinds->shift));
    for (size_t i = 0; i < other_count; i++) {
        kinds->present[kind_of(kinds, other[i])] = 1;
    }
    return keep(kinds, tokens, count, kept);
}

void nd_lcs_prefilter(nd_lcs_pair *pair, nd_lcs_work *work) {
    uint32_t *a = NULL;
    uint32_t *b = NULL;
    uint32_t bits = LEAST_SIFT_BITS;
    while (bits < MOST_SIFT_BITS &&
           (size_t)1 << bits < KINDS_PER_TOKEN * nd_max(pair->n, pair->m)) {
        bits++;
    }
    lcs_kinds kinds = {.shift = 32 - bits};
    /* a token is written before it is known whether it stays */
    const size_t room_a = pair->n + 1, room_b = pair->m + 1;
    nd_lcs_room(work, ND_LCS_SIFTED_A, room_a * sizeof *a, &a);
    nd_lcs_room(work, ND_LCS_SIFTED_B, room_b * sizeof *b, &b);
    nd_lcs_room(work, ND_LCS_SIFT_KINDS, (size_t)1 << bits, &kinds.present);
    pair->m = drop_unmatched(&kinds, pair->a, pair->n, pair->b, pair->m, b);
    pair->n = drop_unmatched(&kinds, b, pair->m, pair->a, pair->n, a);
    pair->a = a;
    pair->b = b;
}

/* ---- the least distance */

/* Kinds of tokens: about as many as there are tokens, so that few different ones are of a kind, and
 * no more than fit in a first-level cache. */
enum { LEAST_BITS = 6, MOST_BITS = 13 };

/* A number that the distance is not below: what one sequence has of tokens of a kind that the
 * other one lacks, kinds being known by a hash. On pages it is mostly near the distance. */
static void lcs_least_distance(const nd_lcs_pair *pair, nd_lcs_work *work, uint64_t *distance) {
    int32_t *surplus = NULL; /* by kind: how many more tokens of it a has than b */
    uint32_t bits = LEAST_BITS;
    while (bits < MOST_BITS && (size_t)1 << bits < pair->n) {
        bits++;
    }
    const size_t kinds = (size_t)1 << bits;
    nd_lcs_room(work, ND_LCS_KINDS, kinds * sizeof *surplus, &surplus);
    memset(surplus, 0, kinds * sizeof *surplus);
    for (size_t i = 0; i < pair->n; i++) {
        surplus[pair->a[i] * MULTIPLIER >> (32 - bits)]++;
    }
    for (size_t i = 0; i < pair->m; i++) {
        surplus[pair->b[i] * MULTIPLIER >> (32 - bits)]--;
    }
    *distance = 0;
    for (size_t i = 0; i < kinds; i++) {
        *distance += (uint32_t)(surplus[i] < 0 ? -surplus[i] : surplus[i]);
    }
}

/* ---- cutting ends, numbering tokens */

/* Hash table of distinct tokens: a slot holds the id, counted from 1, whose token it is; 0 marks a
 * free one. */
typedef struct table {
    uint32_t *slots;
    uint32_t *tokens; /* by slot's number; [0] is of no meaning */
    size_t mask;
    uint32_t shift; /* the hash is the high bits of the product */
} table;

/* Free slots are many, so that a token is rarely looked for in a second one. */
enum { SLOTS_PER_TOKEN = 3 };

/* Cut off the common prefix and suffix. \return their length; the limit is lowered by it */
static uint64_t lcs_cut_ends(nd_lcs_pair *pair) {
    const size_t shorter = nd_min(pair->n, pair->m);
    size_t prefix = nd_equal_prefix(pair->a, pair->b, shorter);
    size_t suffix = 0;
    if (prefix < shorter) {
        suffix = nd_equal_suffix(pair->a + pair->n, pair->b + pair->m, shorter - prefix);
    }
    if (prefix > 0) {
        pair->a += prefix;
        pair->b += prefix;
    }
    uint64_t cut = prefix + suffix;
    pair->n -= cut;
    pair->m -= cut;
    pair->at_least -= nd_min(pair->at_least, cut);
    return cut;
}

static void table_new(table *t, size_t tokens, nd_lcs_work *work) {
    uint32_t bits = 4;
    while (bits < 31 && (size_t)1 << bits < SLOTS_PER_TOKEN * tokens) {
        bits++;
    }
    const size_t size = (size_t)1 << bits;
    nd_lcs_room(work, ND_LCS_SLOTS, (size + tokens + 1) * sizeof *t->slots, &t->slots);
    memset(t->slots, 0, size * sizeof *t->slots);
    t->tokens = t->slots + size;
    t->tokens[0] = 0;
    t->mask = size - 1;
    t->shift = 32 - bits;
}

/* The token's slot, or the free one where it belongs. Here and below, what a processor cannot
 * foretell, whether a token is known, decides no branch. */
static uint32_t *table_find(const table *t, uint32_t token) {
    size_t place = token * MULTIPLIER >> t->shift;
    while ((t->slots[place] != 0) & (t->tokens[t->slots[place]] != token)) {
        place = (place + 1) & t->mask;
    }
    return &t->slots[place];
}

/* Number the distinct tokens. \return how many there are */
static uint32_t number_tokens(const table *t, const uint32_t *tokens, size_t count, uint32_t *ids) {
    uint32_t known = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t *found = table_find(t, tokens[i]);
        const uint32_t number = *found != 0 ? *found : known + 1;
        known += *found == 0;
        *found = number;
        t->tokens[number] = tokens[i];
        ids[i] = number - 1;
    }
    return known;
}

void nd_lcs_reduce(nd_lcs_pair *pair, nd_lcs_work *work, size_t *ids) {
    uint32_t *a = NULL;
    uint32_t *b = NULL;
    uint8_t *seen = NULL;
    table t = {0};
    nd_lcs_room(work, ND_LCS_IDS_A, pair->n * sizeof *a, &a);
    nd_lcs_room(work, ND_LCS_IDS_B, pair->m * sizeof *b, &b);
    nd_lcs_room(work, ND_LCS_SEEN, pair->n + 1, &seen);
    table_new(&t, pair->n, work);
    *ids = number_tokens(&t, pair->a, pair->n, a);
    memset(seen, 0, *ids + 1);
    /* Of b the tokens that have an id are kept. The first of `seen` is of those that have none,
     * that of an id the one after it. */
    size_t known = 0;
    for (size_t i = 0; i < pair->m; i++) {
        const uint32_t number = *table_find(&t, pair->b[i]);
        seen[number] = 1;
        b[known] = number - 1;
        known += number != 0;
    }
    /* Of a the ids that b has. */
    size_t kept = 0;
    for (size_t i = 0; i < pair->n; i++) {
        a[kept] = a[i];
        kept += seen[a[i] + 1];
    }
    pair->m = known;
    pair->n = kept;
    pair->a = a;
    pair->b = b;
}

/* ---- what kernels cost */

/* In picoseconds; the costs of what has variants stand beside these. */
enum {
    SIFTING = 50000,      /* a pair, */
    SIFTING_TOKEN = 1500, /* and per token */
    MYERS_STEP = 20000,   /* per step of the distance, */
    MYERS_SQUARE = 450,   /* and per square of it */
    ESTIMATE = 30000,     /* the surplus by kinds, */
    COUNTING = 800,       /* and per token */
    NUMBERING = 2200,     /* per token, */
    NUMBERING_FAR = 2800, /* and so much more from so many tokens on */
    NEAR = 4096,
    LOOKING_UP = 8000 /* per row: the index of the columns, and its matches */
};

/* Of lcs_least_distance(). */
static uint64_t lcs_estimate_cost(const nd_lcs_pair *pair) {
    return ESTIMATE + COUNTING * (pair->n + pair->m);
}

/* Of nd_lcs_prefilter(). */
static uint64_t lcs_prefilter_cost(const nd_lcs_pair *pair) {
    return SIFTING + SIFTING_TOKEN * (pair->n + pair->m);
}

/* Of Myers' algorithm from both ends, up to that distance. */
static uint64_t lcs_myers_cost(uint64_t distance) {
    return distance * (MYERS_STEP + MYERS_SQUARE * distance);
}

/* The distance up to which Myers costs about as much. */
static uint64_t lcs_myers_distance(uint64_t cost) {
    const double half = MYERS_STEP / 2.0 / MYERS_SQUARE;
    return (uint64_t)(sqrt(half * half + (double)cost / MYERS_SQUARE) - half) + 1;
}

/* Words of a band in the mean: it is as wide as the distance at first, and much narrower in the
 * end, since rows use the distance up; and it is cut by words, for a tile of rows at a time. */
static uint64_t band_words(const nd_lcs_pair *pair, uint64_t distance) {
    const uint64_t shorter = nd_min(pair->n, pair->m);
    return nd_min(2 * distance / 3 + 2 * ND_LCS_TILE, shorter + ND_LCS_WORD - 1) / ND_LCS_WORD;
}

static uint64_t cost_of_comparing(const nd_lcs_bits_variant *variant, const nd_lcs_pair *pair,
                                  uint64_t distance) {
    return nd_max(pair->n, pair->m) *
           (variant->row_cost +
            band_words(pair, distance) * (variant->compare_cost + variant->add_cost));
}

/* Sequences that are long have tables that are too large for a first-level cache. */
static uint64_t cost_of_numbering(const nd_lcs_bits_variant *variant, const nd_lcs_pair *pair,
                                  uint64_t distance) {
    const uint64_t both = pair->n + pair->m;
    return NUMBERING * both + (both > NEAR ? NUMBERING_FAR * (both - NEAR) : 0) +
           nd_max(pair->n, pair->m) *
               (LOOKING_UP + variant->row_cost + band_words(pair, distance) * variant->add_cost);
}

bool nd_lcs_compares(const nd_lcs_bits_variant *variant, const nd_lcs_pair *pair,
                     uint64_t distance) {
    return cost_of_comparing(variant, pair, distance) < cost_of_numbering(variant, pair, distance);
}

/* What the bit-parallel kernel by that variant costs in a band for that distance, of a pair whose
 * tokens have no numbers yet. */
static uint64_t lcs_bits_cost(const nd_lcs_bits_variant *variant, const nd_lcs_pair *pair,
                              uint64_t distance) {
    return nd_min(cost_of_comparing(variant, pair, distance),
                  cost_of_numbering(variant, pair, distance));
}

/* ---- the ladder */

/* A pair on its way down the ladder. */
typedef struct descent {
    const nd_lcs_bits_variant *variant;
    nd_lcs_work *work;
    nd_lcs_pair pair;
    nd_lcs_search search; /* of the pair, */
    bool searched;        /* if it was started */
    bool near;            /* whether the ends that were cut off are longer than what is left */
    uint64_t expected;    /* what the distance is guessed to be */
    bool known;           /* whether the length is, be it 0 because it misses the limit */
    uint64_t length;
} descent;

static void finish(descent *d, uint64_t length) {
    d->known = true;
    d->length = length;
}

/* Go on with Myers up to that distance. */
static void go_on(descent *d, uint64_t limit) {
    const uint64_t largest = nd_lcs_largest_distance(&d->pair);
    const int64_t distance = nd_lcs_search_go(&d->search, (int64_t)nd_min(limit, largest));
    if (distance >= 0) {
        finish(d, (d->pair.n + d->pair.m - (uint64_t)distance) / 2);
    } else if (limit >= largest) {
        finish(d, 0);
    }
}

/* The distance of the first band. To make it wider costs much less than to need a second one. */
static uint64_t first_band(const descent *d) {
    enum { LEAST = 16 };
    return d->expected + d->expected / 2 + LEAST;
}

/* Bits, in a band for more than the expected distance, then for twice that, and so on. */
static void try_bands(descent *d) {
    size_t ids = 0; /* as long as the tokens are not numbered */
    int doublings = 0;
    while (!d->known) {
        const uint64_t largest = nd_lcs_largest_distance(&d->pair);
        const uint64_t guess = first_band(d) << doublings;
        const uint64_t distance = guess + guess / 2 < largest ? guess : largest;
        if (ids == 0 && !nd_lcs_compares(d->variant, &d->pair, distance)) {
            /* Drop what the prefilter has left of the tokens that the other sequence lacks, and
             * number the others. */
            const uint64_t before = d->pair.n + d->pair.m;
            nd_lcs_reduce(&d->pair, d->work, &ids);
            d->expected -= nd_min(d->expected, before - d->pair.n - d->pair.m);
            if (nd_lcs_below_limit(&d->pair) || ids == 0) {
                finish(d, 0);
            }
            continue;
        }
        nd_lcs_pair band = d->pair;
        uint64_t length = 0;
        band.at_least = (band.n + band.m - distance + 1) / 2;
        nd_lcs_band_length(d->variant, &band, ids, d->work, &length);
        if (length > 0 || distance == largest) { /* one that reaches the band's limit is exact */
            finish(d, length);
        }
        doublings++;
    }
}

/* So far Myers goes in any case; and if what is left of a pair is less than its ends, for then that
 * is likely to be near too. */
enum { LEAST_TRY = 8, NEAR_TRY = 18 };

/* A short try by Myers, which ends most pairs of near-duplicates; if it has come far by then, one
 * that is as long again as it looks to be needed. */
static void try_myers(descent *d, uint64_t cost) {
    const double least = 0.1, far = 0.4, margin = 1.25;
    const uint64_t first = lcs_myers_distance(cost) + (d->near ? NEAR_TRY : LEAST_TRY);
    d->searched = true;
    nd_lcs_search_start(&d->search, &d->pair, (int64_t)nd_lcs_largest_distance(&d->pair), d->work);
    go_on(d, first);
    const double progress = d->known ? 0 : nd_lcs_search_progress(&d->search);
    d->expected = progress > least ? (uint64_t)((double)first / progress) : 0;
    if (progress > far) {
        go_on(d, (uint64_t)(margin * (double)first / progress));
    }
}

/* What bits cost whatever the distance is. */
static uint64_t most_of_bits(const descent *d) {
    return lcs_bits_cost(d->variant, &d->pair, nd_lcs_largest_distance(&d->pair));
}

/* Bits for any distance come next. */
static void expect_any_distance(descent *d) {
    d->expected = nd_lcs_largest_distance(&d->pair);
    d->searched = false;
}

/* Make the pair shorter, and find out how far its sequences are apart; but not if it is short then,
 * and Myers has hardly come forward. */
static void prepare(descent *d) {
    enum { PART_OF_ESTIMATE = 2, TIMES_ESTIMATE = 6, MARGIN = 4 };
    uint64_t least = 0;
    nd_lcs_prefilter(&d->pair, d->work);
    d->searched = false;
    if (nd_lcs_below_limit(&d->pair)) {
        finish(d, 0);
        return;
    }
    const uint64_t cost = lcs_estimate_cost(&d->pair);
    if (!d->near && d->expected == 0 && most_of_bits(d) < TIMES_ESTIMATE * cost) {
        expect_any_distance(d);
        return;
    }
    try_myers(d, cost / PART_OF_ESTIMATE);
    if (!d->known) {
        /* The distance is as the try has shown, or somewhat more than the least that it can be. */
        lcs_least_distance(&d->pair, d->work, &least);
        d->expected = nd_max(d->expected, least + least / MARGIN);
        if (least > nd_lcs_largest_distance(&d->pair)) {
            finish(d, 0);
        }
    }
}

/* What costs less comes first, and Myers before each: for a part of what the next step costs. Where
 * little is left of the pair, bits are the first step, and the last. */
static void descend(descent *d) {
    enum { PART_OF_PREFILTER = 4 };
    if (d->near && most_of_bits(d) < lcs_myers_cost(LEAST_TRY)) {
        expect_any_distance(d);
    } else {
        try_myers(d, lcs_prefilter_cost(&d->pair) / PART_OF_PREFILTER);
        if (!d->known) {
            prepare(d);
        }
    }
    if (!d->known && d->searched) {
        /* Go on with Myers where the distance is expected to be small enough for it to end clearly
         * sooner than bits; no further than these would take, if that was wrong. */
        const uint64_t bits = lcs_bits_cost(d->variant, &d->pair, first_band(d));
        if (lcs_myers_cost(d->expected) < bits - bits / 4) {
            const uint64_t limit = lcs_myers_distance(bits);
            go_on(d, limit);
            d->expected = nd_max(d->expected, limit);
        }
    }
    try_bands(d);
}

/* The same where a common subsequence is as long as the limit: the search ends within the largest
 * distance in any case, so it begins with what comes that far soonest, without a try. */
static void descend_to_known(descent *d) {
    enum { TIMES_PREFILTER = 2 };
    uint64_t distance = nd_lcs_largest_distance(&d->pair);
    if (lcs_myers_cost(distance) > TIMES_PREFILTER * lcs_prefilter_cost(&d->pair)) {
        nd_lcs_prefilter(&d->pair, d->work);
        distance = nd_lcs_largest_distance(&d->pair);
    }
    if (d->pair.at_least >= nd_min(d->pair.n, d->pair.m)) {
        finish(d, d->pair.at_least); /* it is all of one of them */
    } else if (lcs_myers_cost(distance) < lcs_bits_cost(d->variant, &d->pair, distance)) {
        nd_lcs_search_start(&d->search, &d->pair, (int64_t)distance, d->work);
        go_on(d, distance);
    } else {
        expect_any_distance(d);
        try_bands(d);
    }
}

void nd_lcs_length_above(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                         uint64_t at_least, uint64_t known, nd_lcs_work *work, uint64_t *length) {
    nd_lcs_pair pair = {.a = a, .b = b, .n = n, .m = m, .at_least = nd_max(at_least, known)};
    uint64_t total = 0;
    ND_ASSERT(known <= nd_min(n, m), known, n, m);
    if (!nd_lcs_below_limit(&pair)) {
        uint64_t middle = 0;
        uint64_t ends = lcs_cut_ends(&pair);
        if (!nd_lcs_below_limit(&pair)) {
            descent d = {.variant = nd_lcs_bits_best(),
                         .work = work,
                         .pair = pair,
                         .near = ends > pair.n && ends > pair.m};
            if (known > 0 && known >= at_least) {
                descend_to_known(&d);
            } else {
                descend(&d);
            }
            middle = d.length;
        }
        total = ends + middle;
    }
    ND_ASSERT(known < at_least || total >= known, known, total, at_least);
    *length = total >= at_least ? total : 0;
}

void nd_lcs_length(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                   nd_lcs_work *work, uint64_t *length) {
    nd_lcs_length_above(a, n, b, m, at_least, 0, work, length);
}
