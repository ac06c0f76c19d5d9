/** \file src/plan/plan_rates.h
 * What a run does for each page, as rates: bytes, postings, pairs, microseconds. They are taken
 * from finished runs and say what a run over other pages will need (run_plan.h). A rate is linear
 * (the same for any number of pages) or logarithmic (it changes by a fixed amount with every
 * doubling of the pages): more pages find more partners. Only numbers here: no files.
 */
#ifndef ND_PLAN_PLAN_RATES_H
#define ND_PLAN_PLAN_RATES_H

#include <stdbool.h>

/** The jobs that rates were measured of: the default, its star-shaped sets, the paper's own, and
 * the other methods with what they were published with. */
typedef enum nd_plan_kind {
    ND_PLAN_LCS,
    ND_PLAN_STAR,
    ND_PLAN_PKU,
    ND_PLAN_EXACT,
    ND_PLAN_SKETCH,
    ND_PLAN_LSH,
    ND_PLAN_BRODER,
    ND_PLAN_SIMHASH,
    ND_PLAN_CHARIKAR,
    ND_PLAN_COSINE,
    ND_PLAN_HENZINGER,
    ND_PLAN_KINDS
} nd_plan_kind;

/** How such a job is asked for: "--preset pku". */
extern const char *const nd_plan_kind_options[ND_PLAN_KINDS];

/** The kind of a method's own job. \return ND_PLAN_KINDS if there is none of that name */
nd_plan_kind nd_plan_kind_of(const char *method);

/** The stages of a run, in order. */
typedef enum nd_plan_stage {
    ND_PLAN_INGEST,
    ND_PLAN_CONTENT,
    ND_PLAN_SIGN,
    ND_PLAN_BLOCK,
    ND_PLAN_VERIFY,
    ND_PLAN_JOIN,
    ND_PLAN_LEADERS, /**< of the paper's form of sets, in place of verify and join */
    ND_PLAN_CONTAIN, /**< only where pages ask what contains them */
    ND_PLAN_WRITE,
    ND_PLAN_STAGES
} nd_plan_stage;

extern const char *const nd_plan_stage_names[ND_PLAN_STAGES];

typedef enum nd_rate {
    /* the pages */
    ND_RATE_PAGE_BYTES,
    ND_RATE_INPUT,
    ND_RATE_TOKENS,
    ND_RATE_WHOLE,
    ND_RATE_TEXT,
    ND_RATE_PACKED,
    ND_RATE_NAMES,
    ND_RATE_CONTENT,
    ND_RATE_CONTENT_TOKENS,
    ND_RATE_FRAGMENTS,
    ND_RATE_DIGEST,
    /* what is found among them */
    ND_RATE_SIGNED,
    ND_RATE_POSTINGS,
    ND_RATE_GROUPED,
    ND_RATE_CHAINED,
    ND_RATE_PERHAPS,
    ND_RATE_CANDIDATES,
    ND_RATE_PAIRS,
    ND_RATE_FINDS,
    ND_RATE_LINKS,
    ND_RATE_CONTAIN_KEYS,
    ND_RATE_CONTAIN_PAIRS,
    /* what is fetched from other ranks */
    ND_RATE_SIGN_SENT,
    ND_RATE_BLOCK_PAGES,
    ND_RATE_BLOCK_MEETINGS,
    ND_RATE_VERIFY_PAGES,
    ND_RATE_VERIFY_MEETINGS,
    ND_RATE_JOIN_PAGES,
    ND_RATE_WRITE_SENT,
    /* the result file */
    ND_RATE_COLUMNS,
    ND_RATE_NAME_COLUMNS,
    /* time of a rank, microseconds */
    ND_RATE_INGEST_TIME,
    ND_RATE_CONTENT_TIME,
    ND_RATE_SIGN_TIME,
    ND_RATE_BLOCK_TIME,
    ND_RATE_VERIFY_TIME,
    ND_RATE_JOIN_TIME,
    ND_RATE_LEADERS_TIME,
    ND_RATE_CONTAIN_TIME,
    ND_RATE_WRITE_TIME,
    ND_RATES
} nd_rate;

/** A rate's value at ND_RATE_PAGES pages, and what each doubling adds to it. */
typedef struct nd_plan_rates {
    double value[ND_RATES];
    double per_doubling[ND_RATES]; /**< 0 for linear rates */
} nd_plan_rates;

#define ND_RATE_PAGES 1e6

/** Rates of the runs that the program was measured with: see the table.
 * \param[in] whole  pages are compared with their navigation, links and templates */
nd_plan_rates nd_plan_rates_of(nd_plan_kind kind, bool whole);

/** A rate at so many pages; never negative, shares at most 1. */
double nd_plan_rate(const nd_plan_rates *rates, nd_rate rate, double pages);

/** Pages that are fetched in all by so many lots of work if each page is needed `meetings` times,
 * anywhere: a lot fetches a page once. (Occupancy: Feller, vol. 1, II.5, in its limit.) */
double nd_plan_fetches(double pages, double meetings, double lots);

/** Pairs that leave the lots of block in all if each is found `finds / pairs` times: a lot lets a
 * pair go once, and most finds of a pair fall in one lot, since groups that are alike are worked on
 * together. */
double nd_plan_finds(double pairs, double finds, double lots);

/** Among how many lots, each of which fetches a page once, the candidates of block and the pairs of
 * verify are spread: the ranks times their batches.
 * \param[in] record   bytes of a page's digest as it is compared
 * \param[in] payload  mean bytes of a page as verify compares it */
double nd_plan_block_lots(double candidates, double record, double ranks, double batch_bytes);
double nd_plan_verify_lots(double pairs, double payload, double ranks, double batch_bytes);

/** Bytes sent to find pages inside of others, if all ask: by so many keys, comparing so many pairs.
 * \param[in] payload  bytes of a page that is compared */
double nd_plan_contain_sent(double keys, double pairs, double payload);

/** Work of sorting: records times their logarithm. */
double nd_plan_sort_work(double records);

#endif
