/** \file tests/support/mpi_check.h
 * What the suites of several ranks share beside check.h: a check that the ranks agree on before
 * they assert (ND_CHECK_ALL); a seed from rank 0; and a gather that uses nothing of the program, so
 * that tests can compare with what one process would do. Its main() runs a suite on
 * every rank and lets all ranks exit with one code. Rank 0 prints; the others are silent on stdout.
 * Never use CU_ASSERT_*_FATAL here: the rank that jumps out leaves the others waiting.
 */
#ifndef ND_TESTS_MPI_CHECK_H
#define ND_TESTS_MPI_CHECK_H

#include "io/store/spool.h"
#include "mpi/comm/comm.h"
#include "tests/support/check.h"

#include <stdbool.h>

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

#endif
