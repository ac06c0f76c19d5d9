/** \file mpi/stage/text_counts.h
 * What the sets that were found say of each page's set and site, for its certainty: how many names
 * the pages of the set have and how many sites, and of the site how many of its texts share their
 * set with a text of another name there. Versions of one page have one name (src/text/address.h).
 * Sets are taken as they are; nothing is compared, and pages that share a text are counted once.
 * Sites and sets of any size are added up where their pages lie before they are sent.
 */
#ifndef ND_MPI_STAGE_TEXT_COUNTS_H
#define ND_MPI_STAGE_TEXT_COUNTS_H

#include "mpi/job/job.h"
#include "src/text/address.h"

/** Of a page. */
typedef struct nd_text_count {
    uint64_t names;   /**< of its set's texts; those without an address have one each */
    uint64_t sites;   /**< of its set's pages; those of no site are of one */
    uint64_t of_site; /**< texts of its site; likewise */
    uint64_t crowded; /**< of these, those that share their set with one of the site that has
                           another name */
} nd_text_count;

/** Collective. \param[in] addresses  of this rank's pages
 * \param[out] counts  of this rank's pages; the caller's room for them
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_text_counts(nd_job *job, const nd_address *addresses, nd_text_count *counts);

#endif
