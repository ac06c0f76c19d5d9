/** \file mpi/stage/old_sites.h
 * What an index has learned of sites: their templates and the links that they repeat. New pages of
 * a site that it has learned something of are selected by that, so that they are compared as the
 * old ones were; all other sites are learned from the new pages alone. Nothing is learned here.
 */
#ifndef ND_MPI_STAGE_OLD_SITES_H
#define ND_MPI_STAGE_OLD_SITES_H

#include "mpi/job/job.h"

/** Collective. Before the pages are selected: what the index knows of the sites of this rank's
 * pages into job->old.sites. \return ND_OK on all ranks, or a failure on all */
nd_status nd_old_sites_ask(nd_job *job);

/** Collective. All that the index knows, on every rank. \return as above */
nd_status nd_old_sites_load(nd_job *job);

/** Not collective. Has the index learned something of the site? Or this? \param[in] kind  ND_SITE_*
 */
bool nd_old_site_is(const nd_job *job, uint64_t site, uint64_t kind);

/** Not collective. What of a page is compared by what the index knows of its site: nothing, if that
 * was learned later than from the pages which came with this one. Of a site that the index does not
 * know, all but what the page alone shows.
 * \param[in] number  of an old page, or above all of them: of one that was in no run
 * \param[out] keep, flags  as for nd_page_content_choose() */
nd_status nd_old_sites_choose(const nd_job *job, uint64_t number, const nd_document *document,
                              bool *keep, uint16_t *flags);

/** Collective. After the pages are selected, and what was learned of new sites is kept in the work
 * folder: job->sites has both, by site. */
nd_status nd_old_sites_recall(nd_job *job);

#endif
