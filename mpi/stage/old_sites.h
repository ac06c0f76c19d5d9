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

/** Not collective. Is this known of the site? \param[in] kind  ND_SITE_TEMPLATE or ND_SITE_REPEATED
 */
bool nd_old_site_holds(const nd_job *job, uint64_t site, uint64_t kind, uint64_t value);

/** Not collective. Has the index learned something of the site? Or this? \param[in] kind  ND_SITE_*
 */
bool nd_old_site_is(const nd_job *job, uint64_t site, uint64_t kind);

/** Collective. After the pages are selected, and what was learned of new sites is kept in the work
 * folder: job->sites has both, by site. */
nd_status nd_old_sites_recall(nd_job *job);

#endif
