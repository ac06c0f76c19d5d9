/** \file mpi/comm/comm.h
 * The communicator of the job with its rank and size, the check of every MPI call (ND_MPI), and
 * the agreement that keeps ranks together: after a local step all ranks agree on its status, then
 * all go on or all leave. Small reductions of 64-bit numbers live here too, the watchdog that
 * names a rank which makes no progress, and stopping on request. No data is moved here but single
 * numbers, the text of a failure, and what rank 0 has to say to all.
 */
#ifndef ND_COMM_COMM_H
#define ND_COMM_COMM_H

#include "src/base/buffer.h"

#include <mpi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Names a rank that makes no progress, and the stage it is in, so that a job that hangs can be
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
 * MPI_Abort(), and that only while the other is outside MPI: MPI_THREAD_SERIALIZED is enough. */

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

/* ---- communicators */

/** Tags of point-to-point messages, one for each kind of exchange. */
enum {
    ND_TAG_EXCHANGE = 1,
    ND_TAG_LABELS = 2,
    ND_TAG_KEPT = 3,
    ND_TAG_ASKED = 4,
    ND_TAG_GIVEN = 5
};

typedef struct nd_comm {
    MPI_Comm handle;
    int rank;
    int size;
    uint64_t round_bytes; /**< most bytes a rank sends in one round of an exchange */
    uint64_t bytes_sent;  /**< to other ranks, by exchanges, since the start */
    double *part_begin;   /**< [rank] and one more: where its share of work begins, of 1 in all;
                                NULL: ranks are alike (nd_comm_pace()) */
} nd_comm;

/** Any failing MPI call ends the whole job with its place: no rank can go on alone after it. The
 * watchdog gets to know that this rank is inside MPI, and how long it was there is added up. */
#define ND_MPI(call) nd_comm_check((nd_comm_enter(), (call)), #call, __FILE__, __LINE__)

/** Not collective. The two halves of ND_MPI(). */
void nd_comm_enter(void);
void nd_comm_check(int code, const char *call, const char *file, int line);

/** Not collective. Seconds that this process has spent in calls checked by ND_MPI: waiting for
 * other ranks, and moving data. */
double nd_comm_seconds(void);

/** Not collective. The number that a launcher (mpirun, mpiexec, srun) has given to this process,
 * which it may have before MPI has started; -1: nobody launched it. */
int nd_comm_launched_as(void);

/** Collective; before all other calls of MPI. Start MPI, for use by one thread at a time. Processes
 * that were launched together and do not see each other, as the launcher is another MPI's, would
 * all write the same files: they end here, with exit code 1 and one line. */
void nd_comm_start(int *argc, char ***argv);

/** Collective. A communicator of our own from `parent`. From now on a broken contract
 * (src/base/status.h) of one rank ends all of them. */
void nd_comm_open(nd_comm *comm, MPI_Comm parent);

/** Collective. Give it back. */
void nd_comm_close(nd_comm *comm);

/** Collective. Agree on the outcome of a local step.
 * \param[in] mine  this rank's status
 * \return ND_OK if all ranks were; else this rank's own failure, or ND_ERR_PEER. On failure
 *         nd_fail_text() says, on every rank, which rank failed (the lowest) and why. */
nd_status nd_comm_agree(const nd_comm *comm, nd_status mine);

/** Collective. The bytes of rank 0's buffer on every rank, in rounds of bounded size; what others
 * had in theirs is replaced. */
void nd_comm_share_bytes(const nd_comm *comm, nd_buffer *buffer);

/** Collective. Is this the first of the ranks on its node? */
bool nd_comm_leads_node(const nd_comm *comm);

/** Collective. Which ranks run on another node. \param[out] elsewhere  [rank] */
void nd_comm_elsewhere(const nd_comm *comm, bool *elsewhere);

/** Collective. What the environment of rank 0 says to those who implement files of MPI:
 * NEARDUP_MPI_HINTS, as "cb_nodes=8;striping_factor=16". \param[out] hints  the caller's to free
 * (MPI_Info_free), on all ranks the same; MPI_INFO_NULL on failure \return ND_OK on all ranks, or a
 * failure on all: ND_ERR_USAGE where it is no list of hints */
nd_status nd_comm_hints(const nd_comm *comm, MPI_Info *hints);

/** Not collective. Where the share of a rank begins if `total` things are dealt evenly, in order;
 * that of rank `size` is `total`. */
uint64_t nd_comm_share_begin(uint64_t total, int rank, int size);

/* ---- How fast the ranks are: what is dealt by cost is dealt in proportion, so that the others do
 * not wait for a rank whose core is slow, or is not its own. Results never depend on it. */

/** What a rank takes for a piece of work that is the same on all, of about a millisecond: what else
 * it does depends on what it has to do. All zero: not known yet. */
typedef struct nd_pace {
    double seconds, times; /**< in all, and how often: the mean of several says something */
    int taken;
    double next; /**< when it is looked at again, by MPI's clock */
} nd_pace;

/** Not collective. Look at the pace, if it is time to: called between pieces of work, of which each
 * takes milliseconds or less. */
void nd_pace_watch(nd_pace *pace);

/** Not collective. The mean; 0: not known. */
double nd_pace_mean(const nd_pace *pace);

/** Collective. \param[in] seconds  what this rank took for the same work as the others; 0: that is
 * not known, and it is taken for a usual one, which the median is \return true on all ranks if the
 * shares are others now */
bool nd_comm_pace(nd_comm *comm, double seconds);

/** Not collective. Where the share of rank r begins, of 1 in all; that of rank `size` is 1. */
double nd_comm_part_begin(const nd_comm *comm, int rank);

/** Not collective. How large the share of rank r is. */
double nd_comm_part(const nd_comm *comm, int rank);

/** Not collective. The rank in whose share a place in [0, 1) lies. */
int nd_comm_part_owner(const nd_comm *comm, double place);

/** Collective. Sum, maximum and minimum over all ranks. No other code has MPI compare unsigned
 * numbers, which some of its libraries do wrongly. */
uint64_t nd_comm_sum(const nd_comm *comm, uint64_t mine);
uint64_t nd_comm_max(const nd_comm *comm, uint64_t mine);
uint64_t nd_comm_min(const nd_comm *comm, uint64_t mine);

/** Collective. The sum of each of `count` numbers over all ranks, in place. \param[in,out] numbers
 * of a type whose fields are all uint64_t; `count` counts these */
void nd_comm_sum_all(const nd_comm *comm, void *numbers, size_t count);

/** Collective. Sum over the ranks before this one (0 on rank 0). */
uint64_t nd_comm_before(const nd_comm *comm, uint64_t mine);

/** Collective. first[r] = sum over the ranks before r, first[size] = sum over all: how items that
 * lie on ranks in order are numbered. `first` has room for size + 1 numbers. */
void nd_comm_ranges(const nd_comm *comm, uint64_t mine, uint64_t *first);

/** Not collective. The rank whose range holds `item`: first[r] <= item < first[r + 1]. */
int nd_comm_range_owner(const uint64_t *first, int size, uint64_t item);

/** Not collective. The rank that a well-mixed number falls to, in proportion: hash / 2^64 * size.
 */
int nd_comm_hash_owner(uint64_t hash, int size);

/* ---- Stopping on request: SIGTERM, SIGUSR1 and SIGINT set a flag, which the job looks at between
 * pieces of work; all ranks learn of it at the next checkpoint and leave together. Rank 0 says at
 * once that it has heard. A second SIGINT ends the process. Where nothing is kept there is nothing
 * to wait for: the process ends at once, and at SIGINT rank 0 says what that means. Nothing is
 * saved here. */

/** Not collective. From now on heed the signals. \param[in] keeps  there are checkpoints to stop at
 */
void nd_stop_listen(int rank, bool keeps);

/** Not collective. The job is over: signals are heeded, but not answered any more. mpirun sends
 * TERM to the ranks that are left once one has ended with an exit code that is not 0. */
void nd_stop_be_quiet(void);

/** Not collective. Has this rank been asked to stop? */
bool nd_stop_asked(void);

/** Collective. Has any rank? */
bool nd_stop_agreed(const nd_comm *comm);

#endif
