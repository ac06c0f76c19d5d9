#include "mpi/comm/comm.h"

#include "src/base/fault.h"
#include "src/base/printable.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <mpi.h>

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ==== the watchdog */

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

/* Not collective. Before and after every MPI call: between the two this rank may wait for others.
 */
static void watchdog_step_mpi(void) {
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

/* ==== communicators */

/* A rank sends at most this many bytes per round of an exchange, so that the buffers of the
 * transport stay small however much is moved; 64 MiB keep a fast network busy. */
static const uint64_t DEFAULT_ROUND_BYTES = UINT64_C(64) << 20;

static double entered;
static double spent;

/* MPI's own clock may not be asked before MPI_Init() nor after MPI_Finalize(). */
static double seconds_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void nd_comm_enter(void) {
    watchdog_step_mpi();
    entered = seconds_now();
}

double nd_comm_seconds(void) {
    return spent;
}

/* No rank can go on alone. */
static void leave(const char *line) {
    int rank = -1;
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    nd_print_line(stderr, "neardup: rank %d: %s", rank, line);
    (void)signal(SIGALRM, SIG_DFL);
    (void)alarm(ABORT_SECONDS);
    (void)MPI_Abort(MPI_COMM_WORLD, 1);
}

void nd_comm_check(int code, const char *call, const char *file, int line) {
    spent += seconds_now() - entered;
    watchdog_step_mpi();
    if (code == MPI_SUCCESS) {
        return;
    }
    char reason[MPI_MAX_ERROR_STRING] = "";
    char text[MPI_MAX_ERROR_STRING + 1024];
    int length = 0;
    (void)MPI_Error_string(code, reason, &length);
    (void)snprintf(text, sizeof text, "%s:%d: %s: %s", file, line, call, reason);
    leave(text);
}

/* In place of the system's, for the MPI library, which waits by giving up its turn again and again.
 * Where ranks and other programs outnumber the cores, the rank may have the core back only after a
 * whole time slice of every other program, at each message anew. A turn that took so long says
 * that: for a while the rank then sleeps briefly instead, after which the system gives it the core
 * at once. The linker is told to show this function to libraries (CMakeLists.txt). */
int sched_yield(void) {
    static const double LONG_TURN = .002, REMEMBERED = .2; /* seconds */
    static const struct timespec NAP = {.tv_nsec = 20000};
    static _Thread_local double until; /* when turns are given up again */
    const double begin = seconds_now();
    if (begin < until) {
        return nanosleep(&NAP, NULL);
    }
    const int code = (int)syscall(SYS_sched_yield);
    const double end = seconds_now();
    if (end - begin > LONG_TURN) {
        until = end + REMEMBERED;
    }
    return code;
}

/* ---- the launcher */

/* The variables in which launchers say a process's number and how many processes they started:
 * Open MPI's mpirun, PMI (MPICH's and Intel's mpiexec, srun --mpi=pmi2), srun. The first that is
 * there counts: mpirun may start its daemons through srun, whose variables describe those. PMIx
 * says the number alone. Slurm sets SLURM_PROCID in a batch script too, whose processes see only
 * themselves; SLURM_STEP_NUM_TASKS is srun's. */
static const struct {
    const char *number, *size;
} launchers[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                 {"PMI_RANK", "PMI_SIZE"},
                 {"PMIX_RANK", NULL},
                 {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};

enum { LAUNCHERS = sizeof launchers / sizeof launchers[0] };

int nd_comm_launched_as(void) {
    for (size_t i = 0; i < LAUNCHERS; i++) {
        const char *number = getenv(launchers[i].number);
        if (number != NULL) {
            return (int)strtol(number, NULL, 10);
        }
    }
    return -1;
}

/* Processes that were started together with this one, by what the launcher says; 1: it says
 * nothing. */
static long launched_size(void) {
    for (size_t i = 0; i < LAUNCHERS; i++) {
        const char *size = launchers[i].size == NULL ? NULL : getenv(launchers[i].size);
        if (size != NULL && getenv(launchers[i].number) != NULL) {
            return strtol(size, NULL, 10);
        }
    }
    return 1;
}

void nd_comm_start(int *argc, char ***argv) {
    int level = MPI_THREAD_SINGLE; /* the watchdog looks itself at what it got */
    int size = 1;
    ND_MPI(MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &level));
    ND_MPI(MPI_Comm_size(MPI_COMM_WORLD, &size));
    const long started = launched_size();
    if (size >= started) {
        return;
    }
    /* Each takes itself for the whole job. One says so; the others wait for the launcher to end
     * them, as it might end the one that speaks when another leaves first. */
    if (nd_comm_launched_as() <= 0) {
        nd_print_line(stderr,
                      "neardup: %ld processes were started and do not see each other: launcher and "
                      "MPI library differ: start the program by the mpirun (or srun --mpi=...) of "
                      "the MPI that it was built with",
                      started);
    } else {
        (void)sleep(ABORT_SECONDS);
    }
    ND_MPI(MPI_Finalize());
    exit(1);
}

void nd_comm_open(nd_comm *comm, MPI_Comm parent) {
    *comm = (nd_comm){.round_bytes = DEFAULT_ROUND_BYTES};
    nd_contract_on_break(leave);
    ND_MPI(MPI_Comm_dup(parent, &comm->handle));
    ND_MPI(MPI_Comm_set_errhandler(comm->handle, MPI_ERRORS_RETURN));
    ND_MPI(MPI_Comm_rank(comm->handle, &comm->rank));
    ND_MPI(MPI_Comm_size(comm->handle, &comm->size));
}

void nd_comm_close(nd_comm *comm) {
    free(comm->part_begin);
    comm->part_begin = NULL;
    ND_MPI(MPI_Comm_free(&comm->handle));
}

nd_status nd_comm_agree(const nd_comm *comm, nd_status mine) {
    int bad_rank = mine == ND_OK ? INT_MAX : comm->rank;
    ND_ASSERT(mine != ND_END, mine); /* the end of something is no failure */
    nd_fault_pass();
    ND_MPI(MPI_Allreduce(MPI_IN_PLACE, &bad_rank, 1, MPI_INT, MPI_MIN, comm->handle));
    if (bad_rank == INT_MAX) {
        return ND_OK;
    }
    /* every rank gets the failing rank's reason, so that whoever prints it prints the cause */
    const nd_status st = mine == ND_OK ? ND_ERR_PEER : mine;
    char text[ND_FAIL_TEXT_SIZE] = "";
    if (comm->rank == bad_rank) {
        (void)snprintf(text, sizeof text, "%s", nd_fail_text());
    }
    ND_MPI(MPI_Bcast(text, (int)sizeof text, MPI_CHAR, bad_rank, comm->handle));
    if (strncmp(text, "rank ", 5) == 0) { /* agreed on before, one floor deeper */
        return nd_fail(st, "%s", text);
    }
    return nd_fail(st, "rank %d: %s", bad_rank, text);
}

void nd_comm_share_bytes(const nd_comm *comm, nd_buffer *buffer) {
    uint64_t size = buffer->size;
    const uint64_t most = nd_min(comm->round_bytes, INT_MAX);
    ND_ASSERT(most > 0, comm->round_bytes);
    ND_MPI(MPI_Bcast(&size, 1, MPI_UINT64_T, 0, comm->handle));
    if (comm->rank != 0) {
        buffer->size = 0;
        nd_buffer_reserve(buffer, (size_t)size);
    }
    for (uint64_t done = 0; done < size;) {
        const uint64_t part = nd_min(size - done, most);
        ND_MPI(MPI_Bcast(buffer->data + done, (int)part, MPI_BYTE, 0, comm->handle));
        done += part;
    }
    buffer->size = (size_t)size;
}

static const char HINTS[] = "NEARDUP_MPI_HINTS";

/* Not collective. \param[in,out] list  taken apart */
static nd_status set_hints(char *list, MPI_Info hints) {
    char *rest = NULL;
    for (char *hint = strtok_r(list, ";", &rest); hint != NULL; hint = strtok_r(NULL, ";", &rest)) {
        char *value = strchr(hint, '=');
        if (value == NULL || value == hint || value - hint >= MPI_MAX_INFO_KEY ||
            value[1] == '\0' || strlen(value + 1) >= MPI_MAX_INFO_VAL) {
            return nd_fail(ND_ERR_USAGE, "%s: '%s' is no hint: write KEY=VALUE;KEY=VALUE;...",
                           HINTS, hint);
        }
        *value = '\0';
        ND_MPI(MPI_Info_set(hints, hint, value + 1));
    }
    return ND_OK;
}

/* Collective. The first of the ranks on this one's node. */
static int first_of_node(const nd_comm *comm) {
    MPI_Comm node;
    int first = comm->rank;
    ND_MPI(MPI_Comm_split_type(comm->handle, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    ND_MPI(MPI_Bcast(&first, 1, MPI_INT, 0, node));
    ND_MPI(MPI_Comm_free(&node));
    return first;
}

bool nd_comm_leads_node(const nd_comm *comm) {
    return first_of_node(comm) == comm->rank;
}

void nd_comm_elsewhere(const nd_comm *comm, bool *elsewhere) {
    const int first = first_of_node(comm);
    int *firsts = NULL;
    nd_new_room(&firsts, (size_t)comm->size, sizeof *firsts);
    ND_MPI(MPI_Allgather(&first, 1, MPI_INT, firsts, 1, MPI_INT, comm->handle));
    for (int r = 0; r < comm->size; r++) {
        elsewhere[r] = firsts[r] != first;
    }
    free(firsts);
}

nd_status nd_comm_hints(const nd_comm *comm, MPI_Info *hints) {
    nd_status st = ND_OK;
    nd_buffer list = {0};
    const char *said = comm->rank == 0 ? getenv(HINTS) : NULL;
    *hints = MPI_INFO_NULL;
    if (comm->rank == 0) {
        nd_buffer_append(&list, said != NULL ? said : "", (said != NULL ? strlen(said) : 0) + 1);
    }
    nd_comm_share_bytes(comm, &list);
    ND_MPI(MPI_Info_create(hints));
    ND_TRY(set_hints((char *)list.data, *hints)); /* the same answer on all ranks */
out:
    if (st != ND_OK && *hints != MPI_INFO_NULL) {
        ND_MPI(MPI_Info_free(hints));
    }
    nd_buffer_free(&list);
    return st;
}

uint64_t nd_comm_share_begin(uint64_t total, int rank, int size) {
    const uint64_t r = (uint64_t)rank;
    const uint64_t n = (uint64_t)size;
    ND_ASSERT(r <= n && n > 0, rank, size);
    return total / n * r + total % n * r / n; /* total * r may be beyond 64 bits */
}

uint64_t nd_comm_sum(const nd_comm *comm, uint64_t mine) {
    ND_MPI(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_UINT64_T, MPI_SUM, comm->handle));
    return mine;
}

void nd_comm_sum_all(const nd_comm *comm, void *numbers, size_t count) {
    enum { BLOCK = 1 << 20 };
    uint64_t *from = numbers;
    for (size_t begin = 0; begin < count; begin += BLOCK) {
        ND_MPI(MPI_Allreduce(MPI_IN_PLACE, from + begin, (int)nd_min(count - begin, BLOCK),
                             MPI_UINT64_T, MPI_SUM, comm->handle));
    }
}

/* MPICH 4.0 compares unsigned numbers as signed ones (its issue 6083): they are moved into the
 * range of those, in the same order. */
static uint64_t reduce_in_order(const nd_comm *comm, uint64_t mine, MPI_Op operation) {
    static const uint64_t SIGN = UINT64_C(1) << 63;
    int64_t moved;
    mine ^= SIGN;
    memcpy(&moved, &mine, sizeof moved);
    ND_MPI(MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT64_T, operation, comm->handle));
    memcpy(&mine, &moved, sizeof moved);
    return mine ^ SIGN;
}

uint64_t nd_comm_max(const nd_comm *comm, uint64_t mine) {
    return reduce_in_order(comm, mine, MPI_MAX);
}

uint64_t nd_comm_min(const nd_comm *comm, uint64_t mine) {
    return reduce_in_order(comm, mine, MPI_MIN);
}

uint64_t nd_comm_before(const nd_comm *comm, uint64_t mine) {
    uint64_t before = 0;
    ND_MPI(MPI_Exscan(&mine, &before, 1, MPI_UINT64_T, MPI_SUM, comm->handle));
    return comm->rank == 0 ? 0 : before; /* MPI leaves rank 0's result undefined */
}

void nd_comm_ranges(const nd_comm *comm, uint64_t mine, uint64_t *first) {
    first[0] = 0;
    ND_MPI(MPI_Allgather(&mine, 1, MPI_UINT64_T, first + 1, 1, MPI_UINT64_T, comm->handle));
    for (int r = 0; r < comm->size; r++) {
        first[r + 1] += first[r];
        ND_ASSERT(first[r + 1] >= first[r], first[r], r); /* or it is beyond 64 bits */
    }
}

int nd_comm_range_owner(const uint64_t *first, int size, uint64_t item) {
    int rank = 0;
    ND_FIND_FIRST(rank, 0, size - 1, first[rank + 1] > item);
    ND_ASSERT(first[rank] <= item && item < first[rank + 1], item, rank, first[size]);
    return rank;
}

int nd_comm_hash_owner(uint64_t hash, int size) {
    /* the upper 32 bits suffice and keep the product within 64 bits */
    return (int)((hash >> 32) * (uint64_t)size >> 32);
}

/* ==== how fast the ranks are */

/* What is not slower than this is as fast as usual. */
static const double ALIKE = 0.8;
/* Whoever was slow for a while is left some work, by which to see that this is over. */
static const double LEAST = 0.125;

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Speeds as parts of the usual one: memory is shared out for ranks that are no faster. */
static void compare_speeds(double *speeds, size_t size) {
    double *sorted = NULL;
    size_t known = 0;
    nd_new_room(&sorted, size, sizeof *sorted);
    for (size_t r = 0; r < size; r++) {
        if (speeds[r] > 0) {
            sorted[known++] = speeds[r];
        }
    }
    qsort(sorted, known, sizeof *sorted, by_size);
    const double usual = known > 0 ? sorted[known / 2] : 1;
    for (size_t r = 0; r < size; r++) {
        const double part = speeds[r] > 0 ? speeds[r] / usual : 1;
        speeds[r] = part > ALIKE ? 1 : part < LEAST ? LEAST : part;
    }
    free(sorted);
}

static double time_work(void) {
    enum { TIMES = 1 << 18 };
    static volatile uint64_t mixed; /* so that it is worked out */
    const double begin = seconds_now();
    uint64_t number = mixed;
    for (uint64_t i = 0; i < TIMES; i++) {
        number = nd_mix64(number);
    }
    mixed = number;
    return seconds_now() - begin;
}

/* A rank that shares its core loses it for milliseconds, some times in a second: it is looked at
 * more often at first. */
void nd_pace_watch(nd_pace *pace) {
    enum { SOON = 64 };
    const double now = MPI_Wtime();
    if (now >= pace->next) {
        pace->seconds += time_work();
        pace->times++;
        pace->next = now + (++pace->taken < SOON ? 0.05 : 1);
    }
}

double nd_pace_mean(const nd_pace *pace) {
    return pace->times > 0 ? pace->seconds / pace->times : 0;
}

bool nd_comm_pace(nd_comm *comm, double seconds) {
    const size_t size = (size_t)comm->size;
    const double speed = seconds > 0 ? 1 / seconds : 0;
    double *begins = NULL; /* first the speeds */
    bool changed = false;
    double total = 0;
    nd_new_room(&begins, size + 1, sizeof *begins);
    ND_MPI(MPI_Allgather(&speed, 1, MPI_DOUBLE, begins, 1, MPI_DOUBLE, comm->handle));
    compare_speeds(begins, size);
    for (size_t r = 0; r < size; r++) {
        total += begins[r];
    }
    double begin = 0;
    for (size_t r = 0; r < size; r++) {
        const double part = begins[r] / total;
        const double now = nd_comm_part(comm, (int)r);
        changed = changed || part < now * ALIKE || part > now / ALIKE;
        begins[r] = begin;
        begin += part;
    }
    begins[size] = 1;
    if (changed) {
        free(comm->part_begin);
        comm->part_begin = begins;
        begins = NULL;
    }
    free(begins);
    return changed;
}

double nd_comm_part_begin(const nd_comm *comm, int rank) {
    return comm->part_begin != NULL ? comm->part_begin[rank] : (double)rank / comm->size;
}

double nd_comm_part(const nd_comm *comm, int rank) {
    return nd_comm_part_begin(comm, rank + 1) - nd_comm_part_begin(comm, rank);
}

int nd_comm_part_owner(const nd_comm *comm, double place) {
    int rank = 0;
    if (comm->part_begin == NULL) {
        rank = (int)(place * comm->size);
        return rank < comm->size ? rank : comm->size - 1;
    }
    ND_FIND_FIRST(rank, 0, comm->size - 1, comm->part_begin[rank + 1] > place);
    return rank;
}

/* ==== asked to stop */

static volatile sig_atomic_t asked;
static volatile sig_atomic_t interrupts;
static bool keeps_checkpoints;
static volatile sig_atomic_t speaks;
static bool on_terminal;

/* What a handler may do: write(). */
static void say(const char *line) {
    if (speaks && on_terminal && write(STDERR_FILENO, "\n", 1) < 0) { /* ends a progress bar */
        speaks = 0;
    }
    if (speaks && write(STDERR_FILENO, line, strlen(line)) < 0) {
        speaks = 0;
    }
}

/* As if there were no handler. */
static void end_by(int number) {
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static void on_signal(int number) {
    const int before = errno;
    interrupts += number == SIGINT;
    if (!keeps_checkpoints) {
        if (number == SIGINT) { /* TERM is also how mpirun ends ranks when another has failed */
            say("neardup: ended by Ctrl-C, nothing was kept (--work DIR keeps checkpoints to go on "
                "from)\n");
        }
        end_by(number);
    } else if (interrupts > 1) {
        say("neardup: ended at once; what was saved before can be gone on from\n");
        end_by(number);
    } else if (asked == 0) {
        say(number == SIGINT ? "neardup: asked to stop: stopping at the next checkpoint (Ctrl-C "
                               "once more ends the job at once)\n"
                             : "neardup: asked to stop: stopping at the next checkpoint\n");
    }
    asked = 1;
    errno = before;
}

void nd_stop_listen(int rank, bool keeps) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    keeps_checkpoints = keeps;
    speaks = rank == 0;
    on_terminal = isatty(STDERR_FILENO) == 1;
    (void)sigfillset(&action.sa_mask);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGUSR1, &action, NULL);
    (void)sigaction(SIGINT, &action, NULL);
}

void nd_stop_be_quiet(void) {
    speaks = 0;
}

bool nd_stop_asked(void) {
    return asked != 0;
}

bool nd_stop_agreed(const nd_comm *comm) {
    return nd_comm_max(comm, nd_stop_asked()) > 0;
}
