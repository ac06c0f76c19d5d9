#include "src/plan/plan_rates.h"

#include "src/plan/plan_records.h"

#include <math.h>
#include <stddef.h>

const char *const nd_plan_stage_names[ND_PLAN_STAGES] = {"ingest", "content", "sign",    "block",
                                                         "verify", "join",    "contain", "write"};

/* Measured with the default preset on synthetic archives of 20,000, 100,000 and 400,000 pages (a
 * hundred pages a site, a third of the pages copies), in memory, on 2 ranks of a quiet virtual
 * machine with two cores (Intel Xeon with AVX-512). */
#define AT(field) offsetof(nd_plan_run, field)

static const struct {
    nd_rate_row row;
    double value, per_doubling;
    size_t part, whole; /* the quotient of a run that the rate is; 0, 0: see of_run() */
} table[ND_RATES] = {
    [ND_RATE_PAGE_BYTES] =
        {{"page_bytes", "bytes of HTML per page", false}, 22234, 0, AT(page_bytes), AT(pages)},
    [ND_RATE_INPUT] = {{"input", "bytes of input per byte of HTML", false},
                       0.383,
                       0,
                       AT(input_bytes),
                       AT(page_bytes)},
    [ND_RATE_TOKENS] = {{"tokens", "tokens without navigation per byte of HTML", false},
                        0.081,
                        0,
                        AT(tokens),
                        AT(page_bytes)},
    [ND_RATE_TEXT] =
        {{"text", "bytes of kept text per token", false}, 6.29, 0, AT(text_bytes), AT(tokens)},
    [ND_RATE_NAMES] =
        {{"names", "bytes of id and URL per page", false}, 73.7, 0, AT(name_bytes), AT(pages)},
    [ND_RATE_CONTENT] = {{"content", "bytes of content per byte of text", false},
                         0.699,
                         0,
                         AT(content_bytes),
                         AT(text_bytes)},
    [ND_RATE_CONTENT_TOKENS] = {{"content_tokens", "tokens of content per token", false},
                                0.759,
                                0,
                                AT(content_tokens),
                                AT(tokens)},
    [ND_RATE_FRAGMENTS] =
        {{"fragments", "fragments of sampled sentences per KB of text", false}, 0.715, 0, 0, 0},
    [ND_RATE_SIGNED] =
        {{"signed", "pages with keys per page", true}, 0.746, 0.00368, AT(signed_pages), AT(pages)},
    [ND_RATE_POSTINGS] =
        {{"postings", "keys per signed page", false}, 16, 0, AT(postings), AT(signed_pages)},
    [ND_RATE_CANDIDATES] = {{"candidates", "candidate pairs per signed page", true},
                            43.1,
                            2.48,
                            AT(candidates),
                            AT(signed_pages)},
    [ND_RATE_PAIRS] = {{"pairs", "pairs within the bounds per signed page", true},
                       6.42,
                       0.472,
                       AT(pairs),
                       AT(signed_pages)},
    [ND_RATE_FINDS] =
        {{"finds", "times that such a pair is found", false}, 6.77, 0, AT(pair_finds), AT(pairs)},
    [ND_RATE_LINKS] = {{"links", "verified pairs per pair", false}, 0.756, 0, AT(links), AT(pairs)},
    /* of the archive of 20,000 pages, with --contained .8, while other programs ran */
    [ND_RATE_CONTAIN_KEYS] =
        {{"contain_keys", "keys sent to find what contains a page", false}, 76.3, 0, 0, 0},
    [ND_RATE_CONTAIN_PAIRS] = {{"contain_pairs", "pairs that are compared for that, per page",
                                false},
                               4.05,
                               0,
                               AT(contained_pairs),
                               AT(pages)},
    [ND_RATE_SIGN_SENT] =
        {{"sign_sent", "bytes sent besides the keys per page", false}, 51.2, 0, 0, 0},
    /* these two are of earlier runs, for 2 ranks alone do not show them apart; the meetings of
     * archives of 20,000 and 100,000 pages of 6 kB, on 2 and on 5 ranks */
    [ND_RATE_BLOCK_PAGES] =
        {{"block_pages", "signed pages with candidates", true}, 0.974, 0.0189, 0, 0},
    [ND_RATE_BLOCK_MEETINGS] =
        {{"block_meetings", "pages whose groups such a page is met in", false}, 2.3, 0, 0, 0},
    [ND_RATE_VERIFY_PAGES] =
        {{"verify_pages", "signed pages with pairs", true}, 1.41, 0.0369, 0, 0},
    [ND_RATE_VERIFY_MEETINGS] =
        {{"verify_meetings", "runs of pairs that such a page is met in", false}, 0.735, 0, 0, 0},
    [ND_RATE_JOIN_PAGES] =
        {{"join_pages", "pages fetched to join per link", false}, 0.141, 0, 0, 0},
    [ND_RATE_WRITE_SENT] = {{"write_sent", "bytes sent to write per page", false}, 90.8, 0, 0, 0},
    [ND_RATE_COLUMNS] = {{"columns", "bytes of the result per page, without names", true},
                         42.9,
                         0.224,
                         AT(columns),
                         AT(pages)},
    [ND_RATE_NAME_COLUMNS] = {{"name_columns", "bytes of the result per byte of names", false},
                              0.233,
                              0,
                              AT(name_columns),
                              AT(name_bytes)},
    [ND_RATE_INGEST_TIME] = {{"ingest_time", "microseconds per KB of HTML", false}, 4.92, 0, 0, 0},
    [ND_RATE_CONTENT_TIME] = {{"content_time", "microseconds per KB of text", false}, 3.6, 0, 0, 0},
    [ND_RATE_SIGN_TIME] = {{"sign_time", "microseconds per key, times the logarithm of the keys",
                            false},
                           0.0256,
                           0,
                           0,
                           0},
    [ND_RATE_BLOCK_TIME] = {{"block_time", "microseconds per candidate", false}, 0.207, 0, 0, 0},
    [ND_RATE_VERIFY_TIME] =
        {{"verify_time", "microseconds per pair and 1,000 tokens", false}, 19.6, 0, 0, 0},
    [ND_RATE_JOIN_TIME] = {{"join_time", "microseconds per link", false}, 3.36, 0, 0, 0},
    [ND_RATE_CONTAIN_TIME] =
        {{"contain_time", "microseconds per 1,000 tokens of content", false}, 376, 0, 0, 0},
    [ND_RATE_WRITE_TIME] = {{"write_time", "microseconds per page", false}, 5.59, 0, 0, 0},
};

const nd_rate_row *nd_rate_get(nd_rate rate) {
    return &table[rate].row;
}

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
                       rate == ND_RATE_CONTENT_TOKENS;
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

/* ---- what one run says of a rate */

/* All of an exchange: of what a rank sends to any rank, one part in `ranks` stays with it. */
static double all_sent(const nd_plan_run *run, nd_plan_stage stage) {
    return run->ranks > 1 ? run->sent[stage] * run->ranks / (run->ranks - 1) : NAN;
}

static double payload_bytes(const nd_plan_run *run) {
    return ND_PLAN_TOKEN * run->content_tokens / run->pages + ND_PLAN_ASK;
}

static double block_lots(const nd_plan_run *run) {
    return nd_plan_block_lots(run->candidates, run->ranks, run->batch_bytes);
}

static double verify_lots(const nd_plan_run *run) {
    return nd_plan_verify_lots(run->pairs, run->content_tokens / run->pages, run->ranks,
                               run->batch_bytes);
}

/* Pages that were fetched for digests, and for payloads, over those that were met at all. */
static double block_pages(const nd_plan_run *run, double meetings) {
    const double finds = nd_plan_finds(run->pairs, run->pair_finds, block_lots(run));
    const double digests = all_sent(run, ND_PLAN_BLOCK) - ND_PLAN_FIND * finds -
                           ND_PLAN_GROUPED * nd_plan_grouped(run->postings);
    return digests / (ND_PLAN_DIGEST + 2 * ND_PLAN_ASK) /
           nd_plan_fetches(1, meetings, block_lots(run)) / run->signed_pages;
}

static double verify_pages(const nd_plan_run *run, double meetings) {
    const double payloads = all_sent(run, ND_PLAN_VERIFY) - ND_PLAN_DEALT * run->pairs;
    return payloads / payload_bytes(run) / nd_plan_fetches(1, meetings, verify_lots(run)) /
           run->signed_pages;
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

/* Not a number where the run does not show it. */
static double of_run(const nd_plan_run *run, nd_rate rate, const nd_plan_rates *meetings) {
    const double *part = (const double *)(const void *)((const char *)run + table[rate].part);
    const double *whole = (const double *)(const void *)((const char *)run + table[rate].whole);
    const bool of_contained = rate == ND_RATE_CONTAIN_KEYS || rate == ND_RATE_CONTAIN_PAIRS ||
                              rate == ND_RATE_CONTAIN_TIME;
    if (of_contained && !(run->contained_pairs > 0)) {
        return NAN;
    }
    if (part != whole) {
        return *part / *whole;
    }
    /* work of a stage, of which a rate of time is microseconds of a rank */
    const double work[ND_PLAN_STAGES] = {[ND_PLAN_INGEST] = run->page_bytes / 1e3,
                                         [ND_PLAN_CONTENT] = run->text_bytes / 1e3,
                                         [ND_PLAN_SIGN] = nd_plan_sort_work(run->postings),
                                         [ND_PLAN_BLOCK] = run->candidates,
                                         [ND_PLAN_VERIFY] =
                                             run->pairs * (run->content_tokens / run->pages / 1e3),
                                         [ND_PLAN_JOIN] = run->links,
                                         [ND_PLAN_CONTAIN] = run->content_tokens / 1e3,
                                         [ND_PLAN_WRITE] = run->pages};
    if (rate >= ND_RATE_INGEST_TIME) {
        const int stage = (int)rate - (int)ND_RATE_INGEST_TIME;
        return run->seconds[stage] * run->ranks * 1e6 / work[stage];
    }
    switch (rate) {
    case ND_RATE_FRAGMENTS: {
        /* To find templates pages are sent, by the hashes of their sites and then as they are
         * dealt, what becomes of them, and fragments that go and come back as marks; lists of large
         * sites count as if they were fragments too. */
        const double sent =
            all_sent(run, ND_PLAN_CONTENT) - (2 * ND_PLAN_SAMPLE + ND_PLAN_SAMPLED) * run->pages;
        return sent / (ND_PLAN_FRAGMENT + ND_PLAN_MARKS) / (run->text_bytes / 1e3);
    }
    case ND_RATE_CONTAIN_KEYS: {
        const double sent = all_sent(run, ND_PLAN_CONTAIN);
        const double of_pairs = nd_plan_contain_sent(0, run->contained_pairs, payload_bytes(run));
        return (sent - of_pairs) / nd_plan_contain_sent(1, 0, 0) / run->pages;
    }
    case ND_RATE_SIGN_SENT:
        return (all_sent(run, ND_PLAN_SIGN) - ND_PLAN_POSTING * run->postings) / run->pages;
    case ND_RATE_BLOCK_PAGES:
        return block_pages(run, meetings->value[ND_RATE_BLOCK_MEETINGS]);
    case ND_RATE_VERIFY_PAGES:
        return verify_pages(run, meetings->value[ND_RATE_VERIFY_MEETINGS]);
    case ND_RATE_JOIN_PAGES:
        return (all_sent(run, ND_PLAN_JOIN) / run->links - ND_PLAN_TREE_LINK) /
               (payload_bytes(run) + ND_PLAN_DIGEST);
    case ND_RATE_WRITE_SENT:
        return all_sent(run, ND_PLAN_WRITE) / run->pages;
    default:
        return NAN; /* meetings are fitted over all runs */
    }
}

/* ---- from several runs to a rate */

/* Sums of a weighted least-squares line. */
typedef struct line_sums {
    double weight, x, y, xx, xy, yy;
} line_sums;

static void add_point(line_sums *s, double weight, double x, double y) {
    s->weight += weight;
    s->x += weight * x;
    s->y += weight * y;
    s->xx += weight * x * x;
    s->xy += weight * x * y;
    s->yy += weight * y * y;
}

/* How far from a line over the doublings of pages is what the runs show of the pages that are met,
 * if a page has so many meetings? */
static double disagreement(double (*pages)(const nd_plan_run *run, double meetings),
                           const nd_plan_run *runs, size_t count, double meetings) {
    line_sums s = {0};
    for (size_t i = 0; i < count; i++) {
        const double value = pages(&runs[i], meetings);
        if (isfinite(value) && value > 0) {
            add_point(&s, 1, doublings(runs[i].pages), value);
        }
    }
    if (!(s.weight > 0)) {
        return 0;
    }
    const double xx = s.xx - s.x * s.x / s.weight;
    const double xy = s.xy - s.x * s.y / s.weight;
    const double yy = s.yy - s.y * s.y / s.weight;
    return (yy - (xx > 0.2 ? xy * xy / xx : 0)) / (s.y * s.y); /* as a share of their mean */
}

/* Runs of different numbers of lots show how often a page is met: the number with which they agree
 * best on the pages. Pairs come in the order of their pages, so that lots may share fewer pages
 * than by chance: then it is less than one, for more pages than there are. */
static void fit_meetings(nd_plan_rates *rates, nd_rate rate,
                         double (*pages)(const nd_plan_run *run, double meetings),
                         double (*lots)(const nd_plan_run *run), const nd_plan_run *runs,
                         size_t count) {
    static const double FINEST = 1.002;
    const double fewest = 0.25;
    const double most = 64;
    double least = disagreement(pages, runs, count, rates->value[rate]);
    double least_lots = INFINITY;
    double most_lots = 0;
    for (size_t i = 0; i < count; i++) {
        if (runs[i].ranks > 1) {
            least_lots = fmin(least_lots, lots(&runs[i]));
            most_lots = fmax(most_lots, lots(&runs[i]));
        }
    }
    if (most_lots < 2 * least_lots) {
        return;
    }
    for (double meetings = fewest; meetings <= most; meetings *= FINEST) {
        const double now = disagreement(pages, runs, count, meetings);
        if (now < least) {
            least = now;
            rates->value[rate] = meetings;
        }
    }
}

void nd_plan_calibrate(nd_plan_rates *rates, const nd_plan_run *runs, size_t count) {
    fit_meetings(rates, ND_RATE_BLOCK_MEETINGS, block_pages, block_lots, runs, count);
    fit_meetings(rates, ND_RATE_VERIFY_MEETINGS, verify_pages, verify_lots, runs, count);
    for (int i = 0; i < ND_RATES; i++) {
        const nd_rate rate = (nd_rate)i;
        const bool logarithmic = table[rate].row.logarithmic;
        line_sums s = {0};
        bool in_memory = false; /* the disk's time is planned apart */
        for (size_t r = 0; r < count; r++) {
            in_memory = in_memory || (rate >= ND_RATE_INGEST_TIME && runs[r].file_bytes == 0);
        }
        for (size_t r = 0; r < count; r++) { /* large runs show more than small ones */
            const double value = of_run(&runs[r], rate, rates);
            if (isfinite(value) && value >= 0 && !(in_memory && runs[r].file_bytes > 0)) {
                add_point(&s, logarithmic ? 1 : runs[r].pages, doublings(runs[r].pages), value);
            }
        }
        if (s.weight <= 0) {
            continue;
        }
        const double x = s.x / s.weight;
        const double y = s.y / s.weight;
        const double spread = s.xx / s.weight - x * x;
        double slope = 0;
        if (logarithmic) {
            const double old = rates->value[rate] + rates->per_doubling[rate] * x;
            slope = spread > 0.2 ? (s.xy / s.weight - x * y) / spread
                    : old > 0    ? rates->per_doubling[rate] * y / old
                                 : 0;
        }
        rates->per_doubling[rate] = slope;
        rates->value[rate] = y - slope * x;
    }
}
