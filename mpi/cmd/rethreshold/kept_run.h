/** \file mpi/cmd/rethreshold/kept_run.h
 * What of a run is needed to make its sets again by a stricter threshold: its verified pairs, and
 * of each page where it stood, whence it comes, and whether it is a copy. All of it is in memory:
 * some 70 bytes a page and 24 a pair. Nothing is decided here.
 */
#ifndef ND_CMD_RETHRESHOLD_KEPT_RUN_H
#define ND_CMD_RETHRESHOLD_KEPT_RUN_H

#include "io/result/result_pages.h"
#include "mpi/job/job.h"
#include "src/sets/link.h"

/** All zero is valid and empty; everything is owned. Arrays are by page. */
typedef struct nd_kept_run {
    uint64_t pages;
    nd_link *pairs; /**< those of the result, by (a, b) */
    uint64_t pair_count;
    uint64_t *set, *link, *exact_of, *representative;
    nd_origin *origin;
    uint64_t *first; /**< the page that was compared in its place; itself as a rule */
    float *similarity, *link_similarity;
    uint32_t *tokens; /**< of the whole text */
    bool *revisit;    /**< it has no text of its own */
    bool *in_pair;    /**< it is of a verified pair */
    bool *form;       /**< its set was a form, and is parted */
} nd_kept_run;

/** Read it. \param[out] run  to be freed in any case
 * \return ND_OK; ND_ERR_FORMAT also for a result without pairs; ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_kept_run_read(nd_kept_run *run, const nd_result *result, bool by_domain);

void nd_kept_run_free(nd_kept_run *run);

#endif
