/** \file tests/support/bench.h
 * What the benchmarks share: the median CPU time of a job, a row of a table of such times, and
 * words drawn by Zipf's law, as pages are made of. Nothing here evaluates a time.
 */
#ifndef ND_TESTS_BENCH_H
#define ND_TESTS_BENCH_H

#include "src/base/util.h"

#include <stddef.h>

/** What is measured; it must do the same work at every call. */
typedef void (*nd_bench_job)(void *context);

/** CPU seconds of this process so far. */
double nd_bench_now(void);

/** Median CPU seconds of a call, over several repeats of as many calls as the clock needs; of one
 * call if that alone takes long enough. */
double nd_bench_seconds(nd_bench_job run, void *context);

/** Print a row: nanoseconds per item, and how many times faster than the group's first row that is.
 * \param[in,out] reference  keeps the figure of the first row; start it at 0 */
void nd_bench_report(const char *name, nd_bench_job run, void *context, size_t items,
                     double *reference);

/** Zeroed memory; ends the program if there is none. */
void *nd_bench_allocate(size_t count, size_t size);

/** The token of a random word of a language of 50,000, by Zipf's law. The first call builds its
 * table: make one before the clock runs. */
uint32_t nd_bench_word(nd_random *random);

#endif
