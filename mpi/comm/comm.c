#include "mpi/comm/comm.h"

#include "src/base/fault.h"
#include "src/base/printable.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A rank sends at most this many bytes per round of an exchange, so that the buffers of the
 * transport stay small however much is moved; 64 MiB keep a fast network busy. */
static const uint64_t DEFAULT_ROUND_BYTES = UINT64_C(64) << 20;

/* What MPI_Abort() has to end this process before a signal does. */
static const unsigned ABORT_SECONDS = 10;

static double entered;
static double spent;

/* MPI's own clock may not be asked before MPI_Init() nor after MPI_Finalize(). */
static double seconds_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void nd_comm_enter(void) {
    nd_watchdog_step_mpi();
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
    nd_watchdog_step_mpi();
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

nd_status nd_comm_share_bytes(const nd_comm *comm, nd_buffer *buffer) {
    nd_status st = ND_OK;
    uint64_t size = buffer->size;
    const uint64_t most = nd_min(comm->round_bytes, INT_MAX);
    ND_ASSERT(most > 0, comm->round_bytes);
    ND_MPI(MPI_Bcast(&size, 1, MPI_UINT64_T, 0, comm->handle));
    if (comm->rank != 0) {
        buffer->size = 0;
        nd_buffer_reserve(buffer, (size_t)size);
    }
    ND_TRY(nd_comm_agree(comm, st));
    for (uint64_t done = 0; done < size;) {
        const uint64_t part = nd_min(size - done, most);
        ND_MPI(MPI_Bcast(buffer->data + done, (int)part, MPI_BYTE, 0, comm->handle));
        done += part;
    }
    buffer->size = (size_t)size;
out:
    return st;
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

nd_status nd_comm_hints(const nd_comm *comm, MPI_Info *hints) {
    nd_status st = ND_OK;
    nd_buffer list = {0};
    const char *said = comm->rank == 0 ? getenv(HINTS) : NULL;
    *hints = MPI_INFO_NULL;
    st = comm->rank == 0 ? nd_buffer_append(&list, said != NULL ? said : "",
                                            (said != NULL ? strlen(said) : 0) + 1)
                         : ND_OK;
    ND_TRY(nd_comm_agree(comm, st));
    ND_TRY(nd_comm_share_bytes(comm, &list));
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
