/** \file mpi/stage/member_certainty.h
 * How sure it is that each page is a near-duplicate of its set's representative
 * (src/method/certainty.h), for /pages/certainty; and those leave their sets of which it is not
 * sure enough (--min-confidence). What is known of the representative, the set and the site is
 * fetched; nothing is compared again. Copies of a text stay together.
 */
#ifndef ND_MPI_STAGE_MEMBER_CERTAINTY_H
#define ND_MPI_STAGE_MEMBER_CERTAINTY_H

#include "mpi/job/job.h"

/** Collective. The certainty of this rank's pages, in [0, 1], into job->certainty; and each text of
 * which the first page is less certain than job->options.certain becomes a set of its own. Once: an
 * index and the result have the same sets. Old pages stay where they are, unless all sets are made
 * anew. job->totals.left_out counts the pages that leave. The same on any number of ranks.
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_certainty_finish(nd_job *job);

#endif
