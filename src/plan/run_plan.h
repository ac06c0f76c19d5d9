/** \file src/plan/run_plan.h
 * What a run will need, before it is made: time, exchange, disk and memory of each stage, from the
 * number of pages, the machine, and the rates of earlier runs. Arithmetic alone, of which each part
 * names the record of the run that it counts; the stages' own comments say why they hold it.
 */
#ifndef ND_PLAN_RUN_PLAN_H
#define ND_PLAN_RUN_PLAN_H

#include "src/plan/plan_rates.h"

#include <stdbool.h>

/** How a rank's memory is shared out, in bytes: as mpi/job/memory.h says. */
typedef struct nd_plan_memory {
    double total, store, sort, spool, batch, round;
    double plain_share, packed_share; /**< of the store, for texts as they are and packed ones */
    double read_share, packer_share;  /**< for what is read of those in files, and to pack them */
    double kept_read_share, kept_packer_share; /**< where checkpoints keep them */
    double name_share;
    double per_page; /**< most that stays for each page */
    double base;     /**< that is counted for a rank without pages */
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
    double neighbours; /**< pages that a page is paired with under a key, at most */
    double record;     /**< bytes of a page's digest as it is compared; 0: a histogram's */
    double payload, payload_token; /**< bytes of a page as it is compared, and of each token of it;
                                        both 0: its tokens */
    double asking;     /**< share of the pages that ask what contains them; 0: --contained is off */
    bool checkpoints;  /**< a work folder keeps the state */
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
    double memory;     /**< resident while it runs */
    double disk_bytes; /**< most bytes in the work folder while it runs, of all ranks */
} nd_plan_part;

typedef struct nd_plan {
    nd_plan_part parts[ND_PLAN_STAGES];
    double seconds;
    double sent, written, read; /**< bytes of a rank */
    double memory;              /**< most resident bytes of a rank */
    double smallest_memory;     /**< bytes of a rank with which the run is not refused */
    double disk_bytes;          /**< most bytes in the work folder, of all ranks */
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
