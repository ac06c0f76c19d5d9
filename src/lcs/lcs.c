#include "src/lcs/lcs.h"

#include "src/base/contract.h"
#include "src/base/order.h"
#include "src/lcs/lcs_bits.h"
#include "src/lcs/lcs_cost.h"
#include "src/lcs/lcs_estimate.h"
#include "src/lcs/lcs_myers.h"
#include "src/lcs/lcs_reduce.h"
#include "src/lcs/lcs_sift.h"

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
            /* Drop what sifting has left of the tokens that the other sequence lacks, and number
             * the others. */
            const uint64_t before = d->pair.n + d->pair.m;
            nd_lcs_reduce(&d->pair, d->work, &ids);
            d->expected -= nd_min(d->expected, before - d->pair.n - d->pair.m);
            if (nd_lcs_hopeless(&d->pair) || ids == 0) {
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
static nd_status try_myers(descent *d, uint64_t cost) {
    const double least = 0.1, far = 0.4, margin = 1.25;
    const uint64_t first = nd_lcs_myers_distance(cost) + (d->near ? NEAR_TRY : LEAST_TRY);
    nd_status st = ND_OK;
    d->searched = true;
    ND_TRY(nd_lcs_search_start(&d->search, &d->pair, (int64_t)nd_lcs_largest_distance(&d->pair),
                               d->work));
    go_on(d, first);
    const double progress = d->known ? 0 : nd_lcs_search_progress(&d->search);
    d->expected = progress > least ? (uint64_t)((double)first / progress) : 0;
    if (progress > far) {
        go_on(d, (uint64_t)(margin * (double)first / progress));
    }
out:
    return st;
}

/* What bits cost whatever the distance is. */
static uint64_t most_of_bits(const descent *d) {
    return nd_lcs_bits_cost(d->variant, &d->pair, nd_lcs_largest_distance(&d->pair));
}

/* Bits for any distance come next. */
static void expect_any_distance(descent *d) {
    d->expected = nd_lcs_largest_distance(&d->pair);
    d->searched = false;
}

/* Make the pair shorter, and find out how far its sequences are apart; but not if it is short then,
 * and Myers has hardly come forward. */
static nd_status prepare(descent *d) {
    enum { PART_OF_ESTIMATE = 2, TIMES_ESTIMATE = 6, MARGIN = 4 };
    nd_status st = ND_OK;
    uint64_t least = 0;
    nd_lcs_sift(&d->pair, d->work);
    d->searched = false;
    if (nd_lcs_hopeless(&d->pair)) {
        finish(d, 0);
        goto out;
    }
    const uint64_t cost = nd_lcs_estimate_cost(&d->pair);
    if (!d->near && d->expected == 0 && most_of_bits(d) < TIMES_ESTIMATE * cost) {
        expect_any_distance(d);
        goto out;
    }
    ND_TRY(try_myers(d, cost / PART_OF_ESTIMATE));
    if (!d->known) {
        /* The distance is as the try has shown, or somewhat more than the least that it can be. */
        nd_lcs_least_distance(&d->pair, d->work, &least);
        d->expected = nd_max(d->expected, least + least / MARGIN);
        if (least > nd_lcs_largest_distance(&d->pair)) {
            finish(d, 0);
        }
    }
out:
    return st;
}

/* What costs less comes first, and Myers before each: for a part of what the next step costs. Where
 * little is left of the pair, bits are the first step, and the last. */
static nd_status descend(descent *d) {
    enum { PART_OF_SIFTING = 4 };
    nd_status st = ND_OK;
    if (d->near && most_of_bits(d) < nd_lcs_myers_cost(LEAST_TRY)) {
        expect_any_distance(d);
    } else {
        ND_TRY(try_myers(d, nd_lcs_sift_cost(&d->pair) / PART_OF_SIFTING));
        if (!d->known) {
            ND_TRY(prepare(d));
        }
    }
    if (!d->known && d->searched) {
        /* Go on with Myers where the distance is expected to be small enough for it to end clearly
         * sooner than bits; no further than these would take, if that was wrong. */
        const uint64_t bits = nd_lcs_bits_cost(d->variant, &d->pair, first_band(d));
        if (nd_lcs_myers_cost(d->expected) < bits - bits / 4) {
            const uint64_t limit = nd_lcs_myers_distance(bits);
            go_on(d, limit);
            d->expected = nd_max(d->expected, limit);
        }
    }
    try_bands(d);
out:
    return st;
}

/* The same where a common subsequence is as long as the limit: the search ends within the largest
 * distance in any case, so it begins with what comes that far soonest, without a try. */
static nd_status descend_to_known(descent *d) {
    enum { TIMES_SIFTING = 2 };
    nd_status st = ND_OK;
    uint64_t distance = nd_lcs_largest_distance(&d->pair);
    if (nd_lcs_myers_cost(distance) > TIMES_SIFTING * nd_lcs_sift_cost(&d->pair)) {
        nd_lcs_sift(&d->pair, d->work);
        distance = nd_lcs_largest_distance(&d->pair);
    }
    if (d->pair.at_least >= nd_min(d->pair.n, d->pair.m)) {
        finish(d, d->pair.at_least); /* it is all of one of them */
    } else if (nd_lcs_myers_cost(distance) < nd_lcs_bits_cost(d->variant, &d->pair, distance)) {
        ND_TRY(nd_lcs_search_start(&d->search, &d->pair, (int64_t)distance, d->work));
        go_on(d, distance);
    } else {
        expect_any_distance(d);
        try_bands(d);
    }
out:
    return st;
}

nd_status nd_lcs_length_above(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                              uint64_t at_least, uint64_t known, nd_lcs_work *work,
                              uint64_t *length) {
    nd_status st = ND_OK;
    nd_lcs_pair pair = {.a = a, .b = b, .n = n, .m = m, .at_least = nd_max(at_least, known)};
    uint64_t total = 0;
    ND_ASSERT(known <= nd_min(n, m), known, n, m);
    if (!nd_lcs_hopeless(&pair)) {
        uint64_t middle = 0;
        uint64_t ends = nd_lcs_cut_ends(&pair);
        if (!nd_lcs_hopeless(&pair)) {
            descent d = {.variant = nd_lcs_bits_best(),
                         .work = work,
                         .pair = pair,
                         .near = ends > pair.n && ends > pair.m};
            ND_TRY(known > 0 && known >= at_least ? descend_to_known(&d) : descend(&d));
            middle = d.length;
        }
        total = ends + middle;
    }
    ND_ASSERT(known < at_least || total >= known, known, total, at_least);
    *length = total >= at_least ? total : 0;
out:
    return st;
}

nd_status nd_lcs_length(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                        nd_lcs_work *work, uint64_t *length) {
    return nd_lcs_length_above(a, n, b, m, at_least, 0, work, length);
}
