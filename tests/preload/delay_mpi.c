/* A library for LD_PRELOAD between a program and the MPI library, in which ranks meet in other
 * orders than on a quiet machine: by ND_DELAY_SEED and the rank, calls wait a little before they
 * are passed on, sends of the program that it will wait for are held back until it makes another
 * call and then go in any order (to one rank in theirs), and what is waited for together is waited
 * for in any order. All of it is what MPI leaves open. At the end rank 0 says how much was done. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { MOST_HELD = 256, LONG_PAUSE = 500 }; /* microseconds */

static uint64_t state; /* 0: nothing was drawn yet */
static unsigned long long pauses, held_back;

static uint64_t draw(uint64_t bound) {
    int rank = 0;
    if (state == 0) {
        const char *seed = getenv("ND_DELAY_SEED");
        (void)PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        state =
            (seed == NULL ? 1 : (uint64_t)strtoull(seed, NULL, 10)) * 1000003 + (uint64_t)rank + 1;
    }
    state += UINT64_C(0x9e3779b97f4a7c15); /* SplitMix64 */
    uint64_t x = (state ^ state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (x ^ x >> 31) % bound;
}

/* Most calls go on at once, some give up the processor, a few sleep. */
static void pause_here(void) {
    const uint64_t kind = draw(64);
    if (kind < 8) {
        pauses++;
        (void)(kind == 0 ? usleep((useconds_t)draw(LONG_PAUSE)) : sched_yield());
    }
}

/* ---- sends that are held back */

static struct send {
    const void *bytes;
    int count, to, tag;
    MPI_Datatype type;
    MPI_Comm comm;
    MPI_Request *request;
} held[MOST_HELD];
static int held_count;

static void let_go(void) {
    while (held_count > 0) {
        int next = (int)draw((uint64_t)held_count);
        for (int i = 0; i < next; i++) { /* the first of those to the same rank */
            if (held[i].to == held[next].to && held[i].comm == held[next].comm) {
                next = i;
            }
        }
        const struct send s = held[next];
        for (int i = next; i + 1 < held_count; i++) {
            held[i] = held[i + 1];
        }
        held_count--;
        (void)PMPI_Isend(s.bytes, s.count, s.type, s.to, s.tag, s.comm, s.request);
        pause_here();
    }
}

/* Libraries may copy a request before they wait for it; the program does not. */
static bool is_own(const void *caller) {
    Dl_info of_caller, of_program;
    return dladdr(caller, &of_caller) != 0 &&
           dladdr((const void *)getauxval(AT_ENTRY), &of_program) != 0 &&
           of_caller.dli_fbase == of_program.dli_fbase;
}

int MPI_Isend(const void *bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request) {
    if (held_count < MOST_HELD && is_own(__builtin_return_address(0))) {
        held[held_count++] = (struct send){bytes, count, to, tag, type, comm, request};
        held_back++;
        return MPI_SUCCESS;
    }
    pause_here();
    return PMPI_Isend(bytes, count, type, to, tag, comm, request);
}

/* ---- waiting */

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses) {
    let_go();
    int *order = malloc((size_t)count * sizeof *order + 1);
    int code = MPI_SUCCESS;
    if (order == NULL) {
        return PMPI_Waitall(count, requests, statuses);
    }
    for (int i = 0; i < count; i++) {
        const int place = (int)draw((uint64_t)i + 1);
        order[i] = order[place];
        order[place] = i;
    }
    for (int i = 0; i < count && code == MPI_SUCCESS; i++) {
        pause_here();
        code = PMPI_Wait(&requests[order[i]],
                         statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[order[i]]);
    }
    free(order);
    return code;
}

/* Now and then it is not yet so. */
int MPI_Testall(int count, MPI_Request *requests, int *all, MPI_Status *statuses) {
    let_go();
    *all = 0;
    return draw(4) == 0 ? MPI_SUCCESS : PMPI_Testall(count, requests, all, statuses);
}

/* ---- calls that are only met at other times */

#define LATER(name, parameters, arguments)                                                         \
    int MPI_##name parameters {                                                                    \
        let_go();                                                                                  \
        pause_here();                                                                              \
        return PMPI_##name arguments;                                                              \
    }

LATER(Irecv,
      (void *bytes, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
       MPI_Request *request),
      (bytes, count, type, from, tag, comm, request))
LATER(Send, (const void *bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm),
      (bytes, count, type, to, tag, comm))
LATER(Recv,
      (void *bytes, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
       MPI_Status *status),
      (bytes, count, type, from, tag, comm, status))
LATER(Bcast, (void *bytes, int count, MPI_Datatype type, int root, MPI_Comm comm),
      (bytes, count, type, root, comm))
LATER(Barrier, (MPI_Comm comm), (comm))
LATER(Allreduce,
      (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
      (from, to, count, type, op, comm))
LATER(Exscan, (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
      (from, to, count, type, op, comm))
LATER(Alltoall,
      (const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type,
       MPI_Comm comm),
      (from, count, type, to, to_count, to_type, comm))
LATER(Allgather,
      (const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type,
       MPI_Comm comm),
      (from, count, type, to, to_count, to_type, comm))
/* of HDF5, whose ranks take messages from any */
LATER(Mprobe, (int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status),
      (from, tag, comm, message, status))

int MPI_Finalize(void) {
    int rank = 0;
    (void)PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        (void)fprintf(stderr, "delay_mpi: %llu calls waited, %llu sends were held back\n", pauses,
                      held_back);
    }
    return PMPI_Finalize();
}
