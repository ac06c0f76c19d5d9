/** \file mpi/cmd/rethreshold/strict_sets.h
 * The sets of a run by a stricter threshold. A component of its verified pairs that keeps all of
 * them, whose pages are all similar enough to their representatives, and that holds no form, keeps
 * its sets. Of any other the pages are read again, for their lengths and for what the pairs do not
 * say: how similar a page is to a leader that it was not compared with, and, since the result has
 * similarities as floats, whether a pair whose similarity is the threshold's float reaches it. What
 * is made of them is what the join of that threshold makes of them: nd_middles(). Forms and copies
 * are not dealt with: finished_sets.h.
 */
#ifndef ND_CMD_RETHRESHOLD_STRICT_SETS_H
#define ND_CMD_RETHRESHOLD_STRICT_SETS_H

#include "mpi/cmd/page/shown_page.h"
#include "mpi/cmd/rethreshold/kept_run.h"

/** What was done; owned. All zero is valid and empty. */
typedef struct nd_strict_sets {
    nd_spool memberships;         /**< nd_membership, of all pages of pairs of the run that are not
                                       alone */
    bool *similar;                /**< of each pair of the run: it still is */
    uint64_t components, changed; /**< of the run's pairs; of them made again */
    uint64_t read, compared;      /**< pages read again; pairs of them compared */
} nd_strict_sets;

/** Make the sets.
 * \param[in,out] shown    the run, with its own options; what reads its pages
 * \param[in]     options  with the stricter threshold
 * \param[in]     kept     of the run
 * \param[out]    sets     to be freed in any case
 * \return ND_OK; as nd_shown_page_read() */
nd_status nd_strict_sets_make(nd_shown_run *shown, const nd_job_options *options,
                              const nd_kept_run *kept, nd_strict_sets *sets);

void nd_strict_sets_free(nd_strict_sets *sets);

#endif
