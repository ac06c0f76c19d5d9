#include "mpi/comm/watchdog.h"

#include "src/base/fault.h"
#include "src/base/printable.h"

#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A limit is met to this share of it, and the thread wakes at most once a second. */
static const double LOOKS_PER_LIMIT = 20;
static const double LONGEST_SLEEP = 1;
/* That ranks wait is the normal state of all but the slowest: it is said this many limits later. */
static const double PATIENCE = 3;
/* What MPI_Abort() has to end this process before it is ended by a signal. */
static const unsigned ABORT_SECONDS = 10;

/* Written by the working thread, read by the watching one. */
static _Atomic(const char *) stage = "start";
static _Atomic uint64_t mpi_steps; /* odd: inside an MPI call */

static struct {
    pthread_t thread;
    pthread_mutex_t lock; /* of `stopping`, for the wake-up */
    pthread_cond_t wake;
    bool running;
    bool stopping;
    int rank;
    char host[256];
    nd_watchdog_options options;
} watchdog = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

/* The signs of life, as they were at the last look. */
typedef struct signs {
    uint64_t passings;
    uint64_t mpi_steps;
    double still; /* seconds for which they have not changed */
    bool reported;
} signs;

void nd_watchdog_set_stage(const char *name) {
    atomic_store_explicit(&stage, name, memory_order_relaxed);
}

void nd_watchdog_step_mpi(void) {
    const uint64_t before = atomic_load_explicit(&mpi_steps, memory_order_relaxed);
    /* one thread writes: no atomic addition is needed */
    atomic_store_explicit(&mpi_steps, before + 1, memory_order_relaxed);
}

/* ---- the watching thread */

static void report(const char *what, double seconds, const char *after) {
    char last_call[64] = "";
    const char *last = "";
    (void)nd_fault_passings(&last);
    if (*last != '\0') {
        (void)snprintf(last_call, sizeof last_call, " (last call: %s)", last);
    }
    nd_print_line(stderr, "neardup: rank %d (host %s) %s in stage %s since %.0f s%s%s",
                  watchdog.rank, watchdog.host, what,
                  atomic_load_explicit(&stage, memory_order_relaxed), seconds, last_call, after);
}

static void look(signs *seen, double slept) {
    const double warn = (double)watchdog.options.warn;
    const double abort_at = (double)watchdog.options.abort;
    const char *last = "";
    const signs now = {nd_fault_passings(&last),
                       atomic_load_explicit(&mpi_steps, memory_order_relaxed), 0, false};
    if (now.passings != seen->passings || now.mpi_steps != seen->mpi_steps) {
        *seen = now;
        return;
    }
    seen->still += slept;
    /* the result is written by collective calls inside HDF5 */
    const bool waits =
        seen->mpi_steps % 2 == 1 || strcmp(last, nd_fault_name(ND_FAULT_RESULT)) == 0;
    if (warn > 0 && !seen->reported && !waits && seen->still >= warn) {
        report("makes no progress", seen->still, "");
        seen->reported = true;
    } else if (warn > 0 && !seen->reported && watchdog.rank == 0 &&
               seen->still >= PATIENCE * warn) {
        report("waits for other ranks", seen->still, "");
        seen->reported = true;
    }
    if (abort_at > 0 && !waits && seen->still >= abort_at) {
        int level = MPI_THREAD_SINGLE;
        report("makes no progress", seen->still, ": the job is ended, as --watchdog-abort asks");
        (void)fflush(stderr);
        if (MPI_Query_thread(&level) == MPI_SUCCESS && level >= MPI_THREAD_SERIALIZED) {
            (void)signal(SIGALRM, SIG_DFL);
            (void)alarm(ABORT_SECONDS); /* should MPI itself be what hangs */
            (void)MPI_Abort(MPI_COMM_WORLD, 1);
        }
        (void)raise(SIGKILL);
    }
}

/* Sleeps are added up, not clocks compared: a job that was stopped has not stood still. */
static void *watch(void *nothing) {
    const nd_watchdog_options *o = &watchdog.options;
    const uint64_t least =
        o->warn == 0 || (o->abort > 0 && o->abort < o->warn) ? o->abort : o->warn;
    const double share = (double)least / LOOKS_PER_LIMIT;
    const double seconds = share < LONGEST_SLEEP ? share : LONGEST_SLEEP;
    signs seen = {0};
    (void)pthread_mutex_lock(&watchdog.lock);
    while (!watchdog.stopping) {
        struct timespec until;
        (void)clock_gettime(CLOCK_REALTIME, &until); /* what the condition counts by */
        const long nanoseconds = until.tv_nsec + (long)(seconds * 1e9);
        until.tv_sec += nanoseconds / 1000000000;
        until.tv_nsec = nanoseconds % 1000000000;
        if (pthread_cond_timedwait(&watchdog.wake, &watchdog.lock, &until) != 0 &&
            !watchdog.stopping) {
            look(&seen, seconds);
        }
    }
    (void)pthread_mutex_unlock(&watchdog.lock);
    return nothing;
}

/* ---- start and stop */

void nd_watchdog_start(int rank, const nd_watchdog_options *options) {
    sigset_t all;
    sigset_t before;
    if (watchdog.running || (options->warn == 0 && options->abort == 0)) {
        return;
    }
    watchdog.rank = rank;
    watchdog.options = *options;
    watchdog.stopping = false;
    if (gethostname(watchdog.host, sizeof watchdog.host - 1) != 0) {
        (void)strcpy(watchdog.host, "unknown");
    }
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the working thread */
    const int failure = pthread_create(&watchdog.thread, NULL, watch, NULL);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    watchdog.running = failure == 0;
    if (failure != 0) {
        nd_print_line(stderr, "neardup: rank %d: no watchdog: %s", rank, strerror(failure));
    }
}

void nd_watchdog_stop(void) {
    if (!watchdog.running) {
        return;
    }
    (void)pthread_mutex_lock(&watchdog.lock);
    watchdog.stopping = true;
    (void)pthread_cond_signal(&watchdog.wake);
    (void)pthread_mutex_unlock(&watchdog.lock);
    (void)pthread_join(watchdog.thread, NULL);
    watchdog.running = false;
}
