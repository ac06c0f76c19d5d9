/** \file mpi/stage/index_folder.h
 * The folder of an index: opening one for a run against it, making a new one, and giving that its
 * name when all is done. An index is a folder like that of checkpoints (mpi/job/checkpoint.h), with
 * a manifest that names files and checksums; what its arrays are says old_pages.h. Invariant: under
 * an index's own name there is a complete one or none, and no run changes it.
 */
#ifndef ND_MPI_STAGE_INDEX_FOLDER_H
#define ND_MPI_STAGE_INDEX_FOLDER_H

#include "mpi/job/job.h"

/** Collective. Open an index for reading, which has to be one and of this version; files are not
 * looked at. \return ND_OK on all ranks, or a failure on all: it is then closed */
nd_status nd_index_read(nd_checkpoint *index, nd_comm *comm, const char *path, uint64_t *pages);

/** Collective. With options.against: open that index into job->old, compare its files with their
 * checksums and its parameters with the job's, and put its inputs before the job's; those that
 * texts lie in are looked at. With options.reread likewise, into job->reread (read_again.h).
 * Without it, and with options.keep_index, say that this is the first addition. \return ND_OK on
 * all ranks, or a failure on all: ND_ERR_USAGE names the parameter that differs */
nd_status nd_index_open(nd_job *job);

/** Not collective. A number that another index has not: of its files' checksums. */
uint64_t nd_index_checksum(const nd_checkpoint *index);

/** Not collective. Can an index of this name be made? \return ND_OK, or ND_ERR_USAGE with the cure
 */
nd_status nd_index_try(const nd_job_options *options);

/** Collective. Make the folder of options.keep_index under its unfinished name; what a killed run
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

/** Collective. Give the index of options.keep_index its name; nothing without. On failure the
 * result is there no more: a run that can be resumed writes it again. */
nd_status nd_index_publish(nd_job *job);

#endif
