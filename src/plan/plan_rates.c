#include "src/plan/plan_rates.h"

#include "src/plan/plan_records.h"

#include <math.h>
#include <string.h>

const char *const nd_plan_stage_names[ND_PLAN_STAGES] = {
    "ingest", "content", "sign", "block", "verify", "join", "leaders", "contain", "write"};

const char *const nd_plan_kind_options[ND_PLAN_KINDS] = {
    [ND_PLAN_LCS] = "--preset default",
    [ND_PLAN_STAR] = "--sets star",
    [ND_PLAN_PKU] = "--preset pku",
    [ND_PLAN_EXACT] = "--method exact",
    [ND_PLAN_SKETCH] = "--method sketch",
    [ND_PLAN_LSH] = "--method lsh",
    [ND_PLAN_BRODER] = "--method broder",
    [ND_PLAN_SIMHASH] = "--method simhash",
    [ND_PLAN_CHARIKAR] = "--method charikar",
    [ND_PLAN_COSINE] = "--method cosine",
    [ND_PLAN_HENZINGER] = "--method henzinger",
};

nd_plan_kind nd_plan_kind_of(const char *method) {
    for (int i = 0; i < ND_PLAN_KINDS; i++) {
        const char *name = strrchr(nd_plan_kind_options[i], ' ') + 1;
        if (strcmp(name, method) == 0) {
            return (nd_plan_kind)i;
        }
    }
    return strcmp(method, "lcs") == 0 ? ND_PLAN_LCS : ND_PLAN_KINDS;
}

/* Measured on made-up archives of 20,000 and 50,000 pages (a hundred pages a site, a third of the
 * pages copies), in memory on one rank; what is sent and stored, on two with a work folder. Times
 * are those of a quiet virtual machine (Intel Xeon with AVX-512) on which ingest takes what it says
 * here: each run's are scaled by its own ingest. */
static const struct {
    double value, per_doubling; /* as of nd_plan_rates */
} of_pages[ND_RATES] = {
    [ND_RATE_PAGE_BYTES] = {22234, 0},     /* bytes of HTML per page */
    [ND_RATE_INPUT] = {0.383, 0},          /* bytes of input per byte of HTML */
    [ND_RATE_TOKENS] = {0.0793, 0},        /* tokens without navigation per byte of HTML */
    [ND_RATE_WHOLE] = {1.24, 0},           /* tokens with navigation per one without */
    [ND_RATE_TEXT] = {6.29, 0},            /* bytes of kept text per token */
    [ND_RATE_PACKED] = {0.305, 0},         /* bytes of packed text per byte of text, at least */
    [ND_RATE_NAMES] = {73.7, 0},           /* bytes of id and URL per page */
    [ND_RATE_CONTENT] = {0.69, 0},         /* bytes of content per byte of text */
    [ND_RATE_CONTENT_TOKENS] = {0.752, 0}, /* tokens of content per token */
    [ND_RATE_FRAGMENTS] = {0.746, 0},      /* fragments of sampled sentences per KB of text */
    [ND_RATE_DIGEST] = {156, 0},           /* bytes of a digest as it is kept, if not less */
    [ND_RATE_GROUPED] = {0.58, 0},         /* keys that another page has too per key */
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
    [ND_RATE_NAME_COLUMNS] = {0.233, 0},     /* bytes of the result per byte of names */
    [ND_RATE_INGEST_TIME] = {4.92, 0},       /* microseconds per KB of HTML */
    [ND_RATE_CONTENT_TIME] = {4.4, 0},       /* microseconds per KB of text */
    [ND_RATE_CONTAIN_TIME] = {376, 0},       /* microseconds per 1,000 tokens of content */
    [ND_RATE_WRITE_TIME] = {2.5, 0},         /* microseconds per page */
};

/* Where pages are compared whole. */
static const struct {
    nd_rate rate;
    double value;
} of_whole_pages[] = {
    {ND_RATE_CONTENT, 1},    {ND_RATE_CONTENT_TOKENS, 1},  {ND_RATE_FRAGMENTS, 0},
    {ND_RATE_PACKED, 0.267}, {ND_RATE_CONTENT_TIME, 0.54}, {ND_RATE_TEXT, 6.56},
};

/* What depends on the kind of job, a column for each in the order of nd_plan_kind: default, star,
 * pku, exact, sketch, lsh, broder, simhash, charikar, cosine, henzinger. */
static const struct {
    nd_rate rate;
    double value[ND_PLAN_KINDS], per_doubling[ND_PLAN_KINDS];
} of_kinds[] = {
    /* pages with keys per page */
    {.rate = ND_RATE_SIGNED,
     .value = {0.71, 0.71, 0.909, 0.706, 0.706, 0.706, 0.716, 0.706, 0.716, 0.712, 0.716},
     .per_doubling = {-0.00471, -0.00471, -0.00803, -0.00398, -0.00398, -0.00398, -0.00651,
                      -0.00398, -0.00651, -0.00418, -0.00651}},
    /* keys per signed page */
    {.rate = ND_RATE_POSTINGS, .value = {25.9, 25.9, 7, 1, 20, 25, 15, 20, 12, 16.3, 15}},
    /* links in the chains of a key's pages, per key */
    {.rate = ND_RATE_CHAINED,
     .value = {0.565, 0.565, 0.565, 0.565, 0.565, 0.565, 0.565, 0.565, 0.565, 0.565, 0.565}},
    /* pages in perhaps-similar sets per signed page */
    {.rate = ND_RATE_PERHAPS,
     .value = {0.921, 0.771, 0.921, 0.921, 0.921, 0.921, 0.921, 0.921, 0.921, 0.921, 0.921}},
    /* candidate pairs per signed page */
    {.rate = ND_RATE_CANDIDATES,
     .value = {68.5, 68.5, 0, 0, 40.2, 47.6, 12.8, 120, 76.5, 225, 12.8},
     .per_doubling = {2.93, 2.93, 0, 0, 2.16, 2.49, 1.5, 17, 10.8, 26.9, 1.5}},
    /* pairs within the bounds per signed page */
    {.rate = ND_RATE_PAIRS,
     .value = {6.58, 6.58, 305, 0, 2.12, 5.01, 3.45, 11.5, 5.56, 23.6, 2.32},
     .per_doubling = {0.356, 0.356, 32.8, 0, 0.168, 0.278, 0.446, 1.58, 0.772, 2.93, 0.295}},
    /* times that such a pair is found */
    {.rate = ND_RATE_FINDS, .value = {10.9, 10.9, 0, 0, 13.2, 9.22, 4.26, 8.33, 6.73, 9.28, 5.16}},
    /* similar pairs per pair */
    {.rate = ND_RATE_LINKS, .value = {0.721, 0.105, 0.00428, 0, 0.996, 0.838, 1, 1, 1, 0.791, 1}},
    /* bytes sent to write per page */
    {.rate = ND_RATE_WRITE_SENT,
     .value = {128, 128, 115, 88.9, 107, 116, 102, 113, 104, 120, 98.9}},
    /* bytes of the result per page, without names */
    {.rate = ND_RATE_COLUMNS,
     .value = {37.9, 38.7, 29.9, 31.4, 34.5, 36.4, 34.2, 33.4, 34.3, 36.4, 33.8}},
    /* microseconds per key, times the logarithm of the keys */
    {.rate = ND_RATE_SIGN_TIME,
     .value = {0.0233, 0.0248, 0.163, 0.0624, 0.0513, 0.13, 0.0642, 0.122, 0.173, 0.0563, 0.458}},
    /* microseconds per candidate; of chains, per key */
    {.rate = ND_RATE_BLOCK_TIME,
     .value = {0.107, 0.111, 0.146, 0, 0.0913, 0.316, 0.104, 0.0828, 0.0962, 0.0776, 0.542}},
    /* microseconds per pair and 1,000 tokens */
    {.rate = ND_RATE_VERIFY_TIME,
     .value = {10.7, 0, 0, 0, 7.69, 8.81, 0.102, 0.255, 0.172, 4.05, 0.329}},
    /* microseconds per link */
    {.rate = ND_RATE_JOIN_TIME,
     .value = {2.66, 0, 0, 0, 7.25, 4.89, 0.457, 0.632, 0.529, 1.89, 1.51}},
    /* microseconds per pair and 1,000 tokens */
    {.rate = ND_RATE_LEADERS_TIME,
     .value = {2.77, 3.52, 2.77, 2.77, 2.77, 2.77, 2.77, 2.77, 2.77, 2.77, 2.77}},
};

nd_plan_rates nd_plan_rates_of(nd_plan_kind kind, bool whole) {
    nd_plan_rates rates;
    for (int i = 0; i < ND_RATES; i++) {
        rates.value[i] = of_pages[i].value;
        rates.per_doubling[i] = of_pages[i].per_doubling;
    }
    for (size_t i = 0; whole && i < sizeof of_whole_pages / sizeof of_whole_pages[0]; i++) {
        rates.value[of_whole_pages[i].rate] = of_whole_pages[i].value;
    }
    for (size_t i = 0; i < sizeof of_kinds / sizeof of_kinds[0]; i++) {
        rates.value[of_kinds[i].rate] = of_kinds[i].value[kind];
        rates.per_doubling[of_kinds[i].rate] = of_kinds[i].per_doubling[kind];
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

double nd_plan_block_lots(double candidates, double record, double ranks, double batch_bytes) {
    static const double MOST = 1 << 20; /* candidates of a batch, whatever the memory */
    const double each = 2 * record + 2 * ND_PLAN_CANDIDATE + ND_PLAN_FIND + ND_PLAN_ASK;
    const double room = batch_bytes > 0 ? fmin(batch_bytes / each, MOST) : MOST;
    return ranks * fmax(1, candidates / ranks / room);
}

double nd_plan_verify_lots(double pairs, double payload, double ranks, double batch_bytes) {
    /* a page that comes again right away is counted once */
    const double each = ND_PLAN_PAIR + 1.5 * payload;
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
