/** \file mpi/job/inputs.h
 * The list of inputs on all ranks: rank 0 walks the folders, all others get its list, so that a
 * file that appears meanwhile cannot make ranks disagree.
 */
#ifndef ND_MPI_JOB_INPUTS_H
#define ND_MPI_JOB_INPUTS_H

#include "io/input/input_list.h"
#include "mpi/comm/comm.h"
#include "src/base/buffer.h"

#include <stdbool.h>

/** Collective. Resolve the words on rank 0 and share the list.
 * \param[in] skip_copies  an input with the same bytes as another of its collection is left out
 * \param[out] list  the same on all ranks; empty on failure
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_inputs_share(nd_comm *comm, const char *const *words, size_t count, bool skip_copies,
                          nd_input_list *list);

/** Collective. The seed that follows from the bytes of all inputs (nd_input_number()), whatever
 * their names and order: whoever knows some of them does not know it. \return ND_OK on all ranks,
 * or a failure on all */
nd_status nd_inputs_seed(nd_comm *comm, const nd_input_list *list, uint64_t *seed);

/** Not collective. The list as bytes. \return ND_OK or ND_ERR_MEMORY */
nd_status nd_inputs_pack(const nd_input_list *list, nd_buffer *buffer);

/** Not collective. Put other inputs in front of a list; collections of one name become one.
 * \param[in,out] before  empty afterwards \return ND_OK, ND_ERR_MEMORY or ND_ERR_LIMIT */
nd_status nd_inputs_put_before(nd_input_list *list, nd_input_list *before);

/** Not collective. A list from its bytes, which stay in use.
 * \param[in,out] bytes  from malloc(); NULL afterwards if the list has taken them
 * \param[out] list      to be freed on failure too
 * \return ND_OK, ND_ERR_MEMORY, or ND_ERR_FORMAT if they are those of no list */
nd_status nd_inputs_unpack(char **bytes, size_t size, nd_input_list *list);

#endif
