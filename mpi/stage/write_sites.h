/** \file mpi/stage/write_sites.h
 * /sites of the result: what content selection has learned of sites, each under the host, or
 * domain, that its pages' URLs have.
 */
#ifndef ND_MPI_STAGE_WRITE_SITES_H
#define ND_MPI_STAGE_WRITE_SITES_H

#include "io/result/result_file.h"
#include "mpi/job/job.h"

/** Collective. Write the columns into their group; by site, the same on any number of ranks. ND_OK
 * on all ranks, or a failure on all. */
nd_status nd_write_sites(nd_job *job, nd_result *result);

#endif
