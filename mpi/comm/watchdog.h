/** \file mpi/comm/watchdog.h
 * Names a rank that makes no progress, and the stage it is in, so that a job that hangs can be
 * distinguished from one that is slow, and the rank that holds up all others from those that wait
 * for it. A
 * thread of each rank looks at that rank's own signs of life: passings of guarded calls
 * (src/base/fault.h), agreements, progress updates, MPI calls. A rank that stands still outside MPI
 * says so; one that stands still inside MPI waits for others, and only rank 0 says that, much
 * later.
 *
 * No rank learns of another's state: of a job in which all ranks wait in MPI for one another it is
 * said that they wait, not for whom. A write of the result file counts as waiting, since HDF5 calls
 * MPI inside. Time during which the process is stopped does not count.
 *
 * Shared between the two threads are atomics only. The thread calls no MPI function but
 * MPI_Abort(), and that only while the other is outside MPI: MPI_THREAD_SERIALIZED is enough.
 */
#ifndef ND_MPI_COMM_WATCHDOG_H
#define ND_MPI_COMM_WATCHDOG_H

#include <stdint.h>

typedef struct nd_watchdog_options {
    uint64_t warn;  /**< seconds without progress until it is said, once per standstill; 0: never */
    uint64_t abort; /**< seconds without progress until the job is ended; 0: never */
} nd_watchdog_options;

/** Not collective. Watch this process from now on; nothing is started if both limits are 0. Where
 * no thread can be started, that is said and the job goes on unwatched. */
void nd_watchdog_start(int rank, const nd_watchdog_options *options);

/** Not collective. Stop watching; fine if nothing was started. */
void nd_watchdog_stop(void);

/** Not collective. The stage this rank is in; a static text. */
void nd_watchdog_set_stage(const char *name);

/** Not collective. Before and after every MPI call: between the two this rank may wait for others.
 */
void nd_watchdog_step_mpi(void);

#endif
