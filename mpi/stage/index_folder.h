/** \file mpi/stage/index_folder.h
 * An index as a folder: opening one for a run against it, checking what its arrays say of each
 * other, reading its inputs again, making a new one, and giving that its name when all is done. An
 * index is a folder like that of checkpoints (mpi/job/checkpoint.h), with a manifest that names
 * files and checksums; what its arrays are says index_pages.h. Invariant: under an index's own name
 * there is a complete one or none, and no run changes it.
 */
#ifndef ND_STAGE_INDEX_FOLDER_H
#define ND_STAGE_INDEX_FOLDER_H

#include "io/input/input_list.h"
#include "mpi/job/checkpoint.h"
#include "mpi/stage/state.h"

/* ---- what the arrays of an index say of each other. An index is a folder of files that anyone
 * may have made or changed: whoever goes on from it relies on this for places inside of
 * arrays and for the order of its pages, and has no need to look again. That files are
 * what was written is another matter (nd_checkpoint_check()), and so is what a packed text
 * or a list of inputs holds. */

/** Collective over the index's ranks, each of which looks at its share of the pages. Reads the
 * records of all pages, their sets, links and ranges of keys, and what is said of inputs and sites.
 * \return ND_OK on all, or a failure on all: ND_ERR_FORMAT names the page and what is wrong */
nd_status nd_index_check_pages(const nd_checkpoint *index);

/** Not collective. The inputs of an index; empty on failure.
 * \return ND_OK, ND_ERR_FORMAT, naming the index, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_index_inputs(const nd_checkpoint *index, nd_input_list *inputs);

/* ---- A run that reads the inputs of an index again (--reread): they come before the run's own,
 * and the stages know of no indexed page, so that all is what one run over all of them makes. Of
 * the index nothing else is taken but where its additions begin. Invariant: the first pages of the
 * job are the pages of the index, with the texts that they had, or the job ends and names what
 * differs.
 */

/** Collective. When the pages are numbered and loaded: are those of the index what they were?
 * \return ND_OK on all ranks; on all ND_ERR_CHANGED, naming the input, or another failure */
nd_status nd_read_again_check(nd_job *job);

/* ---- the folder */

/** Collective. Open an index for reading, which has to be one and of this version; files are not
 * looked at. \return ND_OK on all ranks, or a failure on all: it is then closed */
nd_status nd_index_read(nd_checkpoint *index, nd_comm *comm, const char *path, uint64_t *pages);

/** Collective. With options.index: open that index into job->state->index, compare its files with
 * their checksums and its parameters with the job's, and put its inputs before the job's; those
 * that texts lie in are looked at. With options.reread likewise, into job->state->reread
 * (index_folder.h). Without it, and with options.write_index, say that this is the first addition.
 * \return ND_OK on all ranks, or a failure on all: ND_ERR_USAGE names the parameter that differs */
nd_status nd_index_open(nd_job *job);

/** Not collective. A number that another index has not: of its files' checksums. */
uint64_t nd_index_checksum(const nd_checkpoint *index);

/** Not collective. Can an index of this name be made? \return ND_OK, or ND_ERR_USAGE with the cure
 */
nd_status nd_index_try(const nd_job_options *options);

/** Collective. Make the folder of options.write_index under its unfinished name; what a killed run
 * has left of that name goes. */
nd_status nd_index_create(nd_checkpoint *index, nd_job *job);

/** Not collective. The parameters that a run and its index have to share, as nd_print_parameters()
 * prints them. */
void nd_index_parameters(const nd_job_options *options, char *text, size_t size);

/** Not collective. What is said of the whole index, for the next commit. */
void nd_index_describe(nd_checkpoint *index, const char *parameters, uint64_t pages,
                       const char *additions, const char *fields);

/** Not collective. By which fields of JSONL each input is read: those of the job's indexes as these
 * say, new ones as its options do: job->fields. */
nd_status nd_index_fields(nd_job *job);

/** Not collective; rank 0. A run that failed, and that nobody can resume, leaves no unfinished
 * index.
 */
void nd_index_drop(const nd_job *job);

/** Collective. Give the index of options.write_index its name; nothing without. On failure the
 * result is there no more: a run that can be resumed writes it again. */
nd_status nd_index_publish(nd_job *job);

#endif
