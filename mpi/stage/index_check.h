/** \file mpi/stage/index_check.h
 * What the arrays of an index say of each other. An index is a folder of files that anyone may have
 * made or changed: whoever goes on from it relies on this for places inside of arrays and for the
 * order of its pages, and has no need to look again. That files are what was written is another
 * matter (nd_checkpoint_check()), and so is what a packed text or a list of inputs holds.
 */
#ifndef ND_MPI_STAGE_INDEX_CHECK_H
#define ND_MPI_STAGE_INDEX_CHECK_H

#include "io/input/input_list.h"
#include "mpi/job/checkpoint.h"

/** Collective over the index's ranks, each of which looks at its share of the pages. Reads the
 * records of all pages, their sets, links and ranges of keys, and what is said of inputs and sites.
 * \return ND_OK on all, or a failure on all: ND_ERR_FORMAT names the page and what is wrong */
nd_status nd_index_check_pages(const nd_checkpoint *index);

/** Not collective. The inputs of an index; empty on failure.
 * \return ND_OK, ND_ERR_FORMAT, naming the index, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_index_inputs(const nd_checkpoint *index, nd_input_list *inputs);

#endif
