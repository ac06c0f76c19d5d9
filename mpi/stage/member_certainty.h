/** \file mpi/stage/member_certainty.h
 * How sure it is that each page is a near-duplicate of its set's representative
 * (src/method/certainty.h), for /pages/certainty; and those leave their sets of which it is not
 * sure enough (--min-confidence). What is known of the representative, the set and the site is
 * fetched; nothing is compared again. Copies of a text stay together.
 */
#ifndef ND_STAGE_MEMBER_CERTAINTY_H
#define ND_STAGE_MEMBER_CERTAINTY_H

#include "mpi/stage/state.h"
#include "src/text/address.h"

/* ---- what the sets that were found say of each page's set and site: how many names the pages
 * of the set have and how many sites, and of the site how many of its texts share their
 * set with a text of another name there. Versions of one page have one name
 * (src/text/address.h). Sets are taken as they are; pages that share a text are counted
 * once. Sites and sets of any size are added up where their pages lie before they are
 * sent. */

/** Of a page. */
typedef struct nd_text_count {
    uint64_t names;   /**< of its set's texts; those without an address have one each */
    uint64_t sites;   /**< of its set's pages; those of no site are of one */
    uint64_t of_site; /**< texts of its site; likewise */
    uint64_t crowded; /**< of these, those that share their set with one of the site that has
                           another name */
} nd_text_count;

/** Collective. \param[in] addresses  of this rank's pages
 * \param[out] counts  of this rank's pages; the caller's to free(); NULL on failure
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_text_counts(nd_job *job, const nd_address *addresses, nd_text_count **counts);

/* ---- each member */

/** Collective. The certainty of this rank's pages, in [0, 1], into job->state->certainty; and each
 * text of which the first page is less certain than job->options.min_confidence becomes a set of
 * its own. Once: an index and the result have the same sets. Indexed pages stay where they are,
 * unless all sets are made anew. job->totals.left_out counts the pages that leave. The same on any
 * number of ranks. \return ND_OK on all ranks, or a failure on all */
nd_status nd_certainty_finish(nd_job *job);

#endif
