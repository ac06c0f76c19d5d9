/** \file mpi/stage/source_check.h
 * Are the inputs still what was read of them? Of every source it is kept by what its file is known
 * again, from when it was listed, and of every unit a checksum of the bytes that were read
 * for it. A file whose size, times or inode are others has the units that were read of it read once
 * more: the checksums decide. So a file that was copied back with the same bytes is accepted, and
 * one that was edited, even at the same size and with its time put back, is not, and pages of two
 * states of a file never come into one result. A file that is the same in all of these costs one
 * look.
 *
 * Array of the work folder: sources (nd_file_identity).
 */
#ifndef ND_MPI_STAGE_SOURCE_CHECK_H
#define ND_MPI_STAGE_SOURCE_CHECK_H

#include "mpi/job/job.h"

/** Collective. Keep for the next commit what the files were when they were listed. */
nd_status nd_sources_keep(nd_job *job);

/** Not collective. Is the file that was opened for a unit of this size still?
 * \return ND_OK or ND_ERR_CHANGED, naming the file */
nd_status nd_source_check_size(const nd_job *job, uint64_t source, const nd_file_identity *now);

/** Not collective. An input that was there cannot be used any more (nd_fail_text() says why): with
 * checkpoints this stops the job, which can go on when it is back; without, it is a source that
 * fails like any other. \return ND_ERR_CHANGED or ND_ERR_INPUT */
nd_status nd_source_gone(const nd_job *job, uint64_t source);

/** Collective. Check every source of which units were read, as all ranks know them. One that is
 * gone is skipped as a whole, or stops the job (nd_source_gone()).
 * \return ND_OK on all ranks; ND_ERR_CHANGED, naming a file that has changed, or another failure,
 *         on all */
nd_status nd_sources_check(nd_job *job);

/** Collective. The same with what the work folder knows: its units are loaded already. */
nd_status nd_sources_check_resumed(nd_job *job);

#endif
