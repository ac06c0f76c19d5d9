/** \file src/plan/run_plan.h
 * What a run will need, before it is made: time, exchange, disk and memory of each stage, from the
 * number of pages, the machine, and the rates of earlier runs. Arithmetic alone, of which each
 * part names the record of the run that it counts; the stages' own comments say why they hold it.
 * No files here.
 */
#ifndef ND_PLAN_RUN_PLAN_H
#define ND_PLAN_RUN_PLAN_H

#include <stdbool.h>

/* ---- rates: what a run does for each page, as bytes, postings, pairs, microseconds. They are
 * taken from finished runs and say what a run over other pages will need. A rate is linear
 * (the same for any number of pages) or logarithmic (it changes by a fixed amount with
 * every doubling of the pages): more pages find more partners. Some change likewise with every
 * halving of a page's tokens: of short pages fewer are copies, and more pass the bounds. */

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
    ND_RATE_LARGEST,
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
    ND_RATE_TEXT_TIME,
    ND_RATE_PACK_TIME,
    ND_RATE_UNPACK_TIME,
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
    double per_halving[ND_RATES];  /**< of tokens, from those that the rates' pages have */
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

/** Among how many lots, each of which fetches a page once, the candidates of block and the pairs of
 * verify are spread: the ranks times their batches.
 * \param[in] record   bytes of a page's digest as it is compared
 * \param[in] payload  mean bytes of a page as verify compares it */
double nd_plan_block_lots(double candidates, double record, double ranks, double batch_bytes);

/* ---- plans */

/** How a rank's memory is shared out, in bytes: as mpi/job/job.h says. */
typedef struct nd_plan_memory {
    double total, store, sort, spool, batch, round;
    double plain_share, packed_share; /**< of the store, for texts as they are and packed ones */
    double read_share, packer_share;  /**< for what is read of those in files, and to pack them */
    double kept_read_share, kept_packer_share; /**< where checkpoints keep them */
    double name_share;
    double per_page;                /**< most that stays for each page */
    double lent, per_page_at_first; /**< beside the store, and for each page, until contents are
                                         selected */
    double base;                    /**< that is counted for a rank without pages */
} nd_plan_memory;

/** What is to be done, and with what. */
typedef struct nd_plan_task {
    double pages;
    double page_bytes;  /**< HTML of a page; 0 here and below: by the rates */
    double input_bytes; /**< input of a page */
    double tokens;      /**< of a page */
    double text_bytes;  /**< kept of a page */
    double name_bytes;  /**< id and URL of a page */
    double nodes, ranks;
    nd_plan_memory memory;
    nd_plan_kind kind; /**< whose rates are taken */
    bool whole;        /**< pages are compared with navigation, links and templates */
    bool leaders;      /**< sets are the paper's, made by stage leaders */
    bool chained;      /**< of these, by fingerprints alone: there are no candidates */
    double set_cap;    /**< pages of a perhaps-similar set, at most; 0: no cap */
    double neighbours; /**< pages that a page is paired with under a key, at most */
    double record;     /**< bytes of a page's digest as it is compared; 0: a histogram's */
    double payload, payload_token; /**< bytes of a page as it is compared, and of each token of it;
                                        both 0: its tokens */
    double asking;     /**< share of the pages that ask what contains them; 0: --contained is off */
    bool checkpoints;  /**< a work folder keeps the state */
    bool local_tmp;    /**< what no checkpoint keeps goes to a disk of each node */
    bool keeps_pairs;  /**< the result holds its verified pairs */
    double speed;      /**< of a core, relative to where the rates were measured */
    double input_disk; /**< bytes per second of a node, here and below: reading the inputs */
    double disk;       /**< reading and writing the work folder */
    double network;    /**< sending, and receiving, at the same time */
} nd_plan_task;

/** A stage; bytes are a rank's. */
typedef struct nd_plan_part {
    double seconds; /**< the longer of cpu and disk, which work at the same time, and network */
    double cpu, network, disk;
    double sent, written, read;
    double memory;      /**< resident while it runs */
    double disk_bytes;  /**< most bytes in the work folder while it runs, of all ranks */
    double local_bytes; /**< likewise, on the disks of the nodes; 0 without */
} nd_plan_part;

typedef struct nd_plan {
    nd_plan_part parts[ND_PLAN_STAGES];
    double seconds;
    double sent, written, read; /**< bytes of a rank */
    double memory;              /**< most resident bytes of a rank */
    double smallest_memory;     /**< bytes of a rank with which the run is not refused */
    double disk_bytes;          /**< most bytes in the work folder, of all ranks */
    double local_bytes;         /**< and on the disks of the nodes */
    nd_plan_stage disk_stage;   /**< when that is */
    double result_bytes;
    double candidates, pairs, links;
} nd_plan;

/** How far a plan may be off where inputs are not like those that the rates are from: bytes on the
 * disk are taken to lie between these multiples of the estimate. */
#define ND_PLAN_LEAST 0.5
#define ND_PLAN_MOST  1.5

/** Has the run such a stage? */
bool nd_plan_has(const nd_plan_task *task, nd_plan_stage stage);

/** All of task but its 0s must be above 0. \param[in] rates  nd_plan_rates_of() its kind */
nd_plan nd_plan_make(const nd_plan_task *task, const nd_plan_rates *rates);

#endif
