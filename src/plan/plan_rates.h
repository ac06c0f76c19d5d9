/** \file src/plan/plan_rates.h
 * What a run does for each page, as rates: bytes, postings, pairs, microseconds. They are taken
 * from finished runs and say what a run over other pages will need (run_plan.h). A rate is linear
 * (the same for any number of pages) or logarithmic (it changes by a fixed amount with every
 * doubling of the pages): more pages find more partners. Only numbers here: no files.
 */
#ifndef ND_PLAN_PLAN_RATES_H
#define ND_PLAN_PLAN_RATES_H

#include <stdbool.h>
#include <stddef.h>

/** The stages of a run, in order. */
typedef enum nd_plan_stage {
    ND_PLAN_INGEST,
    ND_PLAN_CONTENT,
    ND_PLAN_SIGN,
    ND_PLAN_BLOCK,
    ND_PLAN_VERIFY,
    ND_PLAN_JOIN,
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
    ND_RATE_TEXT,
    ND_RATE_NAMES,
    ND_RATE_CONTENT,
    ND_RATE_CONTENT_TOKENS,
    ND_RATE_FRAGMENTS,
    /* what is found among them */
    ND_RATE_SIGNED,
    ND_RATE_POSTINGS,
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
    ND_RATE_CONTAIN_TIME,
    ND_RATE_WRITE_TIME,
    ND_RATES
} nd_rate;

typedef struct nd_rate_row {
    const char *name;
    const char *unit;
    bool logarithmic;
} nd_rate_row;

const nd_rate_row *nd_rate_get(nd_rate rate);

/** A rate's value at ND_RATE_PAGES pages, and what each doubling adds to it. */
typedef struct nd_plan_rates {
    double value[ND_RATES];
    double per_doubling[ND_RATES]; /**< 0 for linear rates */
} nd_plan_rates;

#define ND_RATE_PAGES 1e6

/** Rates of the runs that the program was measured with: see the table. */
nd_plan_rates nd_plan_default_rates(void);

/** A rate at so many pages; never negative, shares at most 1. */
double nd_plan_rate(const nd_plan_rates *rates, nd_rate rate, double pages);

/** What is known of a finished run; all doubles, of which rates are quotients. */
typedef struct nd_plan_run {
    double pages, ranks;
    double input_bytes, page_bytes, text_bytes, content_bytes, name_bytes;
    double tokens, content_tokens;
    double signed_pages, postings, candidates, pair_finds, pairs, links;
    double contained_pairs;       /**< that were compared for containment; 0 too where not all pages
                                       asked what contains them */
    double batch_bytes;           /**< of a rank's memory, for what is worked on at once */
    double columns, name_columns; /**< bytes in the result file */
    double seconds[ND_PLAN_STAGES];
    double sent[ND_PLAN_STAGES]; /**< bytes, between all ranks */
    double file_bytes; /**< written to and read from the work folder or spill files, in all */
} nd_plan_run;

/** Rates from runs. A logarithmic rate's change is fitted if there are runs of different numbers of
 * pages, else taken in proportion from `rates`; exchanges are taken from runs of several ranks, and
 * stay as they are without; times from runs that stayed in memory, if there are any.
 * \param[in,out] rates  before: those to fall back on */
void nd_plan_calibrate(nd_plan_rates *rates, const nd_plan_run *runs, size_t count);

/** Pages that are fetched in all by so many lots of work if each page is needed `meetings` times,
 * anywhere: a lot fetches a page once. (Occupancy: Feller, vol. 1, II.5, in its limit.) */
double nd_plan_fetches(double pages, double meetings, double lots);

/** Pairs that leave the lots of block in all if each is found `finds / pairs` times: a lot lets a
 * pair go once, and most finds of a pair fall in one lot, since groups that are alike are worked on
 * together. */
double nd_plan_finds(double pairs, double finds, double lots);

/** Of so many postings those whose key another page has too, which go on to be paired. */
double nd_plan_grouped(double postings);

/** Among how many lots, each of which fetches a page once, the candidates of block and the pairs of
 * verify are spread: the ranks times their batches. \param[in] tokens  mean length of a page */
double nd_plan_block_lots(double candidates, double ranks, double batch_bytes);
double nd_plan_verify_lots(double pairs, double tokens, double ranks, double batch_bytes);

/** Bytes sent to find pages inside of others, if all ask: by so many keys, comparing so many pairs.
 * \param[in] payload  bytes of a page that is compared */
double nd_plan_contain_sent(double keys, double pairs, double payload);

/** Work of sorting: records times their logarithm. */
double nd_plan_sort_work(double records);

#endif
