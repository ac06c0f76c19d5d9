/** \file tests/support/mpi_job.h
 * Jobs for tests of stages that run on several ranks: the pages are made in memory, the same on
 * every rank, so that a test can say what one process would do; a job then gets the share of its
 * rank. No files are read and no earlier stage runs: what a stage needs besides is the test's to
 * fill in.
 */
#ifndef ND_TESTS_MPI_JOB_H
#define ND_TESTS_MPI_JOB_H

#include "mpi/job/job.h"
#include "tests/support/mpi_check.h"

/** The same share of a rank's memory for everything: with few bytes, rounds and batches of all
 * kinds happen on few pages. Spools and sorts take no less than their least, so they need more to
 * spill. */
nd_memory nd_mpi_test_memory(uint64_t bytes);

/** The program's defaults, with little memory. */
nd_job_options nd_mpi_test_job_options(void);

/** Collective. A job that holds this rank's share of `all`, numbered; every page is the first of
 * its text and content. What outgrows its memory goes to a folder of this rank's. The cuts are
 * drawn at random, so that some ranks hold no pages. \param[in] all     the same on every rank;
 * copied \param[in] random  in the same state on every rank */
void nd_mpi_test_job_open(nd_job *job, const nd_job_options *options, const nd_page_store *all,
                          nd_random *random);

/** Not collective. Give this rank its share of links that all ranks know: each goes to one rank,
 * drawn at random. */
void nd_mpi_test_job_links(nd_job *job, const nd_link *links, uint64_t count, nd_random *random);

/** Not collective. The same as pairs that are still to be looked at. */
void nd_mpi_test_job_pairs(nd_job *job, const nd_link *links, uint64_t count, nd_random *random);

/** Collective. Let the job's first `count` pages be those of an index, which says of them what is
 * given, the same on every rank. Their texts stay where they are. */
void nd_mpi_test_job_index(nd_job *job, const nd_set_member *members, const uint8_t *form,
                           uint64_t count);

/** Collective. Compare the members that the job has found with those expected of all pages.
 * \return true if all are equal, in every field */
bool nd_mpi_test_job_members(const nd_job *job, const nd_set_member *expected);

#endif
