#include "src/plan/plan_rates.h"

#include "src/plan/plan_records.h"

#include <math.h>
#include <stdbool.h>

const char *const nd_plan_stage_names[ND_PLAN_STAGES] = {"ingest", "content", "sign",    "block",
                                                         "verify", "join",    "contain", "write"};

/* Measured with the default preset on synthetic archives of 20,000, 100,000 and 400,000 pages (a
 * hundred pages a site, a third of the pages copies), in memory, on 2 ranks of a quiet virtual
 * machine with two cores (Intel Xeon with AVX-512). */
static const struct {
    double value, per_doubling; /* as of nd_plan_rates */
} table[ND_RATES] = {
    [ND_RATE_PAGE_BYTES] = {22234, 0},     /* bytes of HTML per page */
    [ND_RATE_INPUT] = {0.383, 0},          /* bytes of input per byte of HTML */
    [ND_RATE_TOKENS] = {0.081, 0},         /* tokens without navigation per byte of HTML */
    [ND_RATE_TEXT] = {6.29, 0},            /* bytes of kept text per token */
    [ND_RATE_PACKED] = {0.27, 0},          /* bytes of packed text per byte of text, at least */
    [ND_RATE_NAMES] = {73.7, 0},           /* bytes of id and URL per page */
    [ND_RATE_CONTENT] = {0.699, 0},        /* bytes of content per byte of text */
    [ND_RATE_CONTENT_TOKENS] = {0.759, 0}, /* tokens of content per token */
    [ND_RATE_FRAGMENTS] = {0.715, 0},      /* fragments of sampled sentences per KB of text */
    [ND_RATE_SIGNED] = {0.746, 0.00368},   /* pages with keys per page */
    [ND_RATE_POSTINGS] = {16, 0},          /* keys per signed page */
    [ND_RATE_CANDIDATES] = {43.1, 2.48},   /* candidate pairs per signed page */
    [ND_RATE_PAIRS] = {6.42, 0.472},       /* pairs within the bounds per signed page */
    [ND_RATE_FINDS] = {6.77, 0},           /* times that such a pair is found */
    [ND_RATE_LINKS] = {0.756, 0},          /* verified pairs per pair */
    /* of the archive of 20,000 pages, with --contained .8, while other programs ran */
    [ND_RATE_CONTAIN_KEYS] = {76.3, 0},  /* keys sent to find what contains a page */
    [ND_RATE_CONTAIN_PAIRS] = {4.05, 0}, /* pairs that are compared for that, per page */
    [ND_RATE_SIGN_SENT] = {51.2, 0},     /* bytes sent besides the keys per page */
    /* these two are of earlier runs, for 2 ranks alone do not show them apart; the meetings of
     * archives of 20,000 and 100,000 pages of 6 kB, on 2 and on 5 ranks */
    [ND_RATE_BLOCK_PAGES] = {0.974, 0.0189}, /* signed pages with candidates */
    [ND_RATE_BLOCK_MEETINGS] = {2.3, 0},     /* pages whose groups such a page is met in */
    [ND_RATE_VERIFY_PAGES] = {1.41, 0.0369}, /* signed pages with pairs */
    [ND_RATE_VERIFY_MEETINGS] = {0.735, 0},  /* runs of pairs that such a page is met in */
    [ND_RATE_JOIN_PAGES] = {0.141, 0},       /* pages fetched to join per link */
    [ND_RATE_WRITE_SENT] = {90.8, 0},        /* bytes sent to write per page */
    [ND_RATE_COLUMNS] = {42.9, 0.224},       /* bytes of the result per page, without names */
    [ND_RATE_NAME_COLUMNS] = {0.233, 0},     /* bytes of the result per byte of names */
    [ND_RATE_INGEST_TIME] = {4.92, 0},       /* microseconds per KB of HTML */
    [ND_RATE_CONTENT_TIME] = {3.6, 0},       /* microseconds per KB of text */
    [ND_RATE_SIGN_TIME] = {0.0256, 0}, /* microseconds per key, times the logarithm of the keys */
    [ND_RATE_BLOCK_TIME] = {0.207, 0}, /* microseconds per candidate */
    [ND_RATE_VERIFY_TIME] = {19.6, 0}, /* microseconds per pair and 1,000 tokens */
    [ND_RATE_JOIN_TIME] = {3.36, 0},   /* microseconds per link */
    [ND_RATE_CONTAIN_TIME] = {376, 0}, /* microseconds per 1,000 tokens of content */
    [ND_RATE_WRITE_TIME] = {5.59, 0},  /* microseconds per page */
};

nd_plan_rates nd_plan_default_rates(void) {
    nd_plan_rates rates;
    for (int i = 0; i < ND_RATES; i++) {
        rates.value[i] = table[i].value;
        rates.per_doubling[i] = table[i].per_doubling;
    }
    return rates;
}

static double doublings(double pages) {
    return log2((pages > 1 ? pages : 1) / ND_RATE_PAGES);
}

double nd_plan_rate(const nd_plan_rates *rates, nd_rate rate, double pages) {
    const double value = rates->value[rate] + rates->per_doubling[rate] * doublings(pages);
    const bool share = rate == ND_RATE_SIGNED || rate == ND_RATE_CONTENT ||
                       rate == ND_RATE_BLOCK_PAGES || rate == ND_RATE_LINKS ||
                       rate == ND_RATE_CONTENT_TOKENS || rate == ND_RATE_PACKED;
    return value < 0 ? 0 : share && value > 1 ? 1 : value;
}

double nd_plan_fetches(double pages, double meetings, double lots) {
    return pages * lots * -expm1(-meetings / lots);
}

double nd_plan_finds(double pairs, double finds, double lots) {
    const double apart = 0.28; /* of a pair's finds, those under another page: as measured */
    return pairs > 0 ? fmax(pairs, nd_plan_fetches(pairs, apart * finds / pairs, lots)) : 0;
}

double nd_plan_grouped(double postings) {
    return 0.58 * postings; /* as measured */
}

double nd_plan_block_lots(double candidates, double ranks, double batch_bytes) {
    static const double MOST = 1 << 20; /* candidates of a batch, whatever the memory */
    const double each = 2 * ND_PLAN_RECORD + 2 * ND_PLAN_CANDIDATE + ND_PLAN_FIND + ND_PLAN_ASK;
    const double room = batch_bytes > 0 ? fmin(batch_bytes / each, MOST) : MOST;
    return ranks * fmax(1, candidates / ranks / room);
}

double nd_plan_verify_lots(double pairs, double tokens, double ranks, double batch_bytes) {
    /* a page that comes again right away is counted once */
    const double each = ND_PLAN_PAIR + 1.5 * ND_PLAN_TOKEN * tokens;
    const double by_payload = batch_bytes / each;
    const double by_pairs = batch_bytes / ND_PLAN_PAIR / 8;
    const double room = batch_bytes > 0 ? fmin(by_payload, by_pairs) : INFINITY;
    return ranks * fmax(1, pairs / ranks / room);
}

double nd_plan_contain_sent(double keys, double pairs, double payload) {
    const double hits = 1.1;     /* of a key, */
    const double fetched = 0.86; /* and pages fetched for a pair: both as measured */
    return keys * (ND_PLAN_CONTAIN_KEY + hits * ND_PLAN_CONTAIN_HIT) +
           pairs * (ND_PLAN_CONTAIN_PAIR + fetched * payload);
}

double nd_plan_sort_work(double records) {
    return records * log2(records > 2 ? records : 2);
}
