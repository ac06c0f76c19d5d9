/** \file mpi/job/kept_arrays.h
 * The two forms in which stages keep their part of the job in the work folder: a record for each of
 * the pages, in their order, and the records of a spool, in any order and dealt anew when they are
 * loaded. Both work on any number of ranks, whatever number has saved them.
 */
#ifndef ND_MPI_JOB_KEPT_ARRAYS_H
#define ND_MPI_JOB_KEPT_ARRAYS_H

#include "mpi/job/job.h"

/** Not collective. Keep a record for each of this rank's pages, for the next commit. */
nd_status nd_kept_pages_save(nd_job *job, const char *array, size_t record_size,
                             const void *records);

/** Not collective. Load those of this rank's pages.
 * \param[out] records  T **: the caller's to free(); untouched on failure */
nd_status nd_kept_pages_load(const nd_job *job, const char *array, size_t record_size,
                             void *records);

/** Collective. Keep a spool whose records lie on all ranks. \return this rank's status */
nd_status nd_kept_spool_save(nd_job *job, const char *array, size_t record_size, nd_spool *spool);

/** Is it a record that the job can go on with? Anyone may have made the file. */
typedef bool (*nd_kept_record)(const nd_job *job, const void *record);

/** Such of any 64-bit number, nd_pair, nd_link, nd_link from a page to one that contains it, and
 * nd_found_site: their pages are pages of the job. */
bool nd_kept_number(const nd_job *job, const void *record);
bool nd_kept_pair(const nd_job *job, const void *record);
bool nd_kept_link(const nd_job *job, const void *record);
bool nd_kept_contained(const nd_job *job, const void *record);
bool nd_kept_site(const nd_job *job, const void *record);

/** Not collective. Records [begin, end) of an array. \return as nd_checkpoint_load(), and
 * ND_ERR_FORMAT if one is none */
nd_status nd_kept_records_load(const nd_job *job, const nd_checkpoint *from, const char *array,
                               size_t record_size, nd_kept_record is_right, uint64_t begin,
                               uint64_t end, void *records);

/** Not collective. Append this rank's equal share of an array to a spool.
 * \return as nd_checkpoint_load(), and ND_ERR_FORMAT if a record is none
 * \param[out] count  records of the share */
nd_status nd_kept_spool_load(const nd_job *job, const char *array, size_t record_size,
                             nd_kept_record is_right, nd_spool *spool, uint64_t *count);

/** Not collective. The same of another folder. */
nd_status nd_kept_spool_load_from(const nd_job *job, const nd_checkpoint *from, const char *array,
                                  size_t record_size, nd_kept_record is_right, nd_spool *spool,
                                  uint64_t *count);

#endif
