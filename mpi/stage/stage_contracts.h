/** \file mpi/stage/stage_contracts.h
 * What a stage hands to those after it, checked between stages on all ranks: that pages, firsts,
 * pairs, links and members are what stage.h and job.h say of them, each once over all ranks, and
 * that the totals agree with them. Nothing is changed. What does not hold of what this run made is
 * a broken contract (src/base/status.h), and of what rests on a folder a damaged folder.
 */
#ifndef ND_MPI_STAGE_STAGE_CONTRACTS_H
#define ND_MPI_STAGE_STAGE_CONTRACTS_H

#include "mpi/stage/stage.h"

/** Collective. Check what the job holds after a stage that has run. */
void nd_stage_check_left(const nd_job *job, const nd_stage *stage);

/** Collective. The same of a job that has gone on from a work folder, or from an index: what does
 * not hold may be because of that, which anyone may have made. \return ND_OK on all ranks, or
 * ND_ERR_FORMAT on all */
nd_status nd_stage_check_loaded(const nd_job *job, const nd_stage *stage);

#endif
