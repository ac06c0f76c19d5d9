/** \file mpi/stage/unused_inputs.h
 * Inputs that gave nothing, and those that could not be read to their end: a run says which they
 * are, and is no success without a page. An archive that holds other records only, and whole, is
 * used as it should be.
 */
#ifndef ND_MPI_STAGE_UNUSED_INPUTS_H
#define ND_MPI_STAGE_UNUSED_INPUTS_H

#include "mpi/job/job.h"

/** Not collective. May an input that has failed so be named and skipped? Not if it is our own copy
 * of standard input that is gone. */
bool nd_source_may_skip(const nd_input *input, nd_status status);

/** Not collective. Did this input give nothing at all, or not everything because it could not be
 * opened or read? One that has bytes and all of which was read is none: a compressed file of
 * nothing, as neardup filter writes. \param[in] bytes  of the file */
bool nd_source_is_unused(const nd_source_totals *totals, uint64_t bytes);

/** Collective. Name the unused inputs on stderr, with what would make them give pages, once all
 * inputs are read. The text does not depend on the number of ranks.
 * \param[in] all  where those stand that are too many to be named, as " (in the list)"; may be ""
 * \return ND_OK; ND_ERR_FORMAT on all ranks if there is no page at all: the text says what to do,
 *         and the work folder is given up; or ND_ERR_MEMORY on all */
nd_status nd_unused_inputs_report(nd_job *job, const char *all);

#endif
