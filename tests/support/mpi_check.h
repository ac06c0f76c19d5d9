/** \file tests/support/mpi_check.h
 * What the suites of several ranks share beside check.h: a check that the ranks agree on before
 * they assert (ND_CHECK_ALL), a seed from rank 0, gathers that use nothing of the program; jobs of
 * a few pages, and worlds of pages and links. Its main() runs a suite on every rank and lets all
 * ranks exit with one code. Rank 0 prints; the others are silent on stdout. Never use
 * CU_ASSERT_*_FATAL here: the rank that jumps out leaves the others waiting.
 */
#ifndef ND_SUPPORT_MPI_CHECK_H
#define ND_SUPPORT_MPI_CHECK_H

#include "io/store/spool.h"
#include "mpi/comm/comm.h"
#include "mpi/stage/state.h"
#include "tests/support/check.h"

/* ---- What the suites of several ranks share beside check.h: a check that the ranks agree on
 * before they assert (ND_CHECK_ALL); a seed from rank 0; and a gather that uses nothing of the
 * program, so that tests can compare with what one process would do. Its main() runs a suite on
 * every rank and lets all ranks exit with one code. Rank 0 prints; the others are silent on stdout.
 * Never use CU_ASSERT_*_FATAL here: the rank that jumps out leaves the others waiting. */

/** The communicator of the tests, from before the first test until after the last. A test that
 * changes round_bytes puts it back. */
nd_comm *nd_mpi_test_comm(void);

/** Collective. A path in rank 0's folder of test files, the same on all ranks, in a static buffer
 * that the next call overwrites. */
const char *nd_mpi_test_path(const char *name);

/** Collective. A generator with the same seed on all ranks: ND_TEST_SEED or the clock of rank 0,
 * which prints it under `name`. */
nd_random nd_mpi_test_random(const char *name);

/** Collective. Assert that `mine` is true on every rank; the assertion fails on all or on none.
 * \return true if it held everywhere, so that all ranks can leave a test together */
bool nd_mpi_check_all(const nd_comm *comm, bool mine, const char *text, const char *file, int line);

#define ND_CHECK_ALL(comm, condition)                                                              \
    nd_mpi_check_all((comm), (condition), #condition, __FILE__, __LINE__)

/** Collective. All ranks' records, rank by rank, on every rank; the caller's to free(). A test has
 * too few of them to reach the int counts of MPI; lack of memory ends the job. */
void *nd_mpi_test_gather(const nd_comm *comm, const void *records, uint64_t count,
                         size_t record_size, uint64_t *total);

/** Collective. The same for the records of a spool; a failure to read it ends the job. */
void *nd_mpi_test_gather_spool(const nd_comm *comm, const nd_spool *spool, size_t record_size,
                               uint64_t *total);

/** Not collective. Pages by rank: first[rank] to first[rank + 1] of `size` ranks; cut at random, so
 * that some ranks have none. */
void nd_mpi_test_ranges(nd_random *random, int size, uint64_t pages, uint64_t *first);

/** Not collective. malloc of count * size bytes (at least one), set to zero; ends the job if there
 * is no memory. */
void *nd_mpi_test_new(uint64_t count, size_t size);

/* ---- Jobs for tests of stages that run on several ranks: the pages are made in memory, the same
 * on every rank, so that a test can say what one process would do; a job then gets the share of its
 * rank. No files are read and no earlier stage runs: what a stage needs besides is the test's to
 * fill in. */

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

/* ---- Small worlds of pages of which all similarities are known: what tests of the stages that
 * make sets compare with. Every rank makes the same world. All pairs are compared, and components
 * are found by going over the links again and again, so that nothing of the program's own search is
 * used. */

enum { ND_WORLD_PAGES = 80, ND_WORLD_TOKENS = 160 };

/** All zero is a valid empty world. */
typedef struct nd_world {
    nd_page_store all; /**< at most ND_WORLD_PAGES pages of at most ND_WORLD_TOKENS tokens */
    double score[ND_WORLD_PAGES][ND_WORLD_PAGES]; /**< before names are taken off */
    double similarity[ND_WORLD_PAGES][ND_WORLD_PAGES];
    nd_link *links; /**< the test's own; freed with the world */
    uint64_t link_count;
} nd_world;

/** Add a page; its number is its place. */
void nd_world_add_page(nd_world *w, const uint32_t *tokens, uint32_t count);

/** Add tokens [begin, begin + count) of a text in which none occurs twice: two pages of `count`
 * tokens whose beginnings are d apart share count - 4 - d shingles, of 2 * (count - 4). */
void nd_world_add_window(nd_world *w, uint32_t text, uint32_t begin, uint32_t count);

/** Add a page that varies one of the latest six, or has another name. */
void nd_world_add_variant(nd_world *w, nd_random *random);

/** Fill with windows and runs of variants of each. */
void nd_world_draw(nd_world *w, nd_random *random);

/** Compare all pages with all: similarities less what names take off. */
void nd_world_compare(nd_world *w, const nd_job_options *options);

/** From which similarity on two pages are similar. */
double nd_world_threshold(const nd_world *w, const nd_job_options *options, size_t a, size_t b);

/** Compare all, and link the pairs that are similar and whose second page is `first` or a later
 * one, as far as they are known: of `keep` out of 8 it is. */
void nd_world_link(nd_world *w, const nd_job_options *options, uint64_t first, nd_random *random,
                   uint64_t keep);

/** The similarity of a set's leader and a page that links join to it. */
double nd_world_member(const nd_world *w, uint64_t leader, uint64_t member);

/** label[i] = the smallest page of page i's component. */
void nd_world_components(const nd_world *w, const nd_link *links, uint64_t count, uint64_t *label);

void nd_world_free(nd_world *w);

#endif
