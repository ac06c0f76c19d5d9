/* A library for LD_PRELOAD between a program and the MPI library, which counts what each rank does
 * in each stage (a stage begins where the program calls MPI_Pcontrol(1, name)): messages that it
 * sends to other ranks and their bytes, to how many ranks, calls that all ranks make together and
 * what one rank hands to them and gets of them, processor time, and the most memory that is the
 * rank's own. At the end rank 0 writes a table to the file that ND_COUNT_FILE names: a line a
 * stage, of each column the mean over ranks and the most of one. What the MPI library sends inside
 * of its own calls is not seen. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    MESSAGES,
    MESSAGE_BYTES,
    PARTNERS,
    ALLTOALLS,
    COLLECTIVES, /* the others */
    COLLECTIVE_BYTES,
    CPU_MS,
    OWN_KB,    /* most memory of the rank's own, without files and shared segments */
    SHARED_KB, /* of segments that ranks share, at the end */
    COLUMNS,
    MOST_STAGES = 48,
    NAME_SIZE = 24
};

static const char *const TITLES[COLUMNS] = {"messages",    "bytes",       "partners",
                                            "alltoalls",   "collectives", "their_bytes",
                                            "cpu_seconds", "own_MB",      "shared_MB"};

static struct stage {
    char name[NAME_SIZE];
    uint64_t of[COLUMNS];
} stages[MOST_STAGES] = {{.name = "(start)"}};
static int last;
static int size;
static unsigned char *met; /* [rank] a message went there in this stage */
static uint64_t cpu_before;

static uint64_t cpu_ms(void) {
    struct rusage use;
    (void)getrusage(RUSAGE_SELF, &use);
    return (uint64_t)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000 +
           (uint64_t)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1000;
}

/* A line of /proc/self/status, in kB. */
static uint64_t status_line(const char *text, const char *name) {
    const char *line = strstr(text, name);
    return line == NULL ? 0 : strtoull(line + strlen(name), NULL, 10);
}

/* What the stage has used, and the system's mark of the most memory set back for the next. The mark
 * counts pages of files and shared segments too, which are taken off as they are now. */
static void end_stage(void) {
    char text[8192] = "";
    uint64_t *const of = stages[last].of;
    const int status = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (status >= 0) {
        const ssize_t got = read(status, text, sizeof text - 1);
        text[got > 0 ? got : 0] = '\0';
        (void)close(status);
    }
    const uint64_t files = status_line(text, "RssFile:");
    const uint64_t most = status_line(text, "VmHWM:");
    const uint64_t other = files + status_line(text, "RssShmem:");
    of[OWN_KB] = most > other ? most - other : 0;
    of[SHARED_KB] = status_line(text, "RssShmem:");
    const int marks = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (marks >= 0) {
        (void)!write(marks, "5", 1);
        (void)close(marks);
    }
    const uint64_t now = cpu_ms();
    of[CPU_MS] += now - cpu_before;
    cpu_before = now;
    for (int r = 0; met != NULL && r < size; r++) {
        of[PARTNERS] += met[r];
        met[r] = 0;
    }
}

int MPI_Pcontrol(const int level, ...) {
    va_list arguments;
    va_start(arguments, level);
    const char *name = va_arg(arguments, const char *);
    end_stage();
    if (last + 1 < MOST_STAGES) {
        last++;
    }
    (void)snprintf(stages[last].name, NAME_SIZE, "%s", name);
    va_end(arguments);
    return MPI_SUCCESS;
}

static uint64_t bytes_of(int count, MPI_Datatype type) {
    int bytes = 0;
    (void)PMPI_Type_size(type, &bytes);
    return (uint64_t)count * (uint64_t)bytes;
}

static void sent(int count, MPI_Datatype type, int to, MPI_Comm comm) {
    int rank = 0;
    (void)PMPI_Comm_rank(comm, &rank);
    if (met == NULL) {
        (void)PMPI_Comm_size(MPI_COMM_WORLD, &size);
        met = calloc((size_t)size, 1);
    }
    if (to == rank || to == MPI_PROC_NULL) {
        return;
    }
    if (met != NULL &&
        to < size) { /* ranks of the program's communicators are those of the world */
        met[to] = 1;
    }
    stages[last].of[MESSAGES]++;
    stages[last].of[MESSAGE_BYTES] += bytes_of(count, type);
}

static void together(int column, uint64_t bytes) {
    stages[last].of[column]++;
    stages[last].of[COLLECTIVE_BYTES] += bytes;
}

static uint64_t ranks_of(MPI_Comm comm) {
    int ranks = 0;
    (void)PMPI_Comm_size(comm, &ranks);
    return (uint64_t)ranks;
}

#define COUNTED(name, parameters, arguments, counting)                                             \
    int MPI_##name parameters {                                                                    \
        counting;                                                                                  \
        return PMPI_##name arguments;                                                              \
    }

COUNTED(Isend,
        (const void *bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
         MPI_Request *request),
        (bytes, count, type, to, tag, comm, request), sent(count, type, to, comm))
COUNTED(Send, (const void *bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm),
        (bytes, count, type, to, tag, comm), sent(count, type, to, comm))
COUNTED(Bcast, (void *bytes, int count, MPI_Datatype type, int root, MPI_Comm comm),
        (bytes, count, type, root, comm), together(COLLECTIVES, bytes_of(count, type)))
COUNTED(Barrier, (MPI_Comm comm), (comm), together(COLLECTIVES, 0))
COUNTED(Allreduce,
        (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (from, to, count, type, op, comm), together(COLLECTIVES, bytes_of(count, type)))
COUNTED(Exscan,
        (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (from, to, count, type, op, comm), together(COLLECTIVES, bytes_of(count, type)))
COUNTED(Alltoall,
        (const void *from, int count, MPI_Datatype type, void *to, int to_count,
         MPI_Datatype to_type, MPI_Comm comm),
        (from, count, type, to, to_count, to_type, comm),
        together(ALLTOALLS, bytes_of(count, type) * ranks_of(comm)))
COUNTED(Allgather,
        (const void *from, int count, MPI_Datatype type, void *to, int to_count,
         MPI_Datatype to_type, MPI_Comm comm),
        (from, count, type, to, to_count, to_type, comm),
        together(COLLECTIVES, bytes_of(count, type) * ranks_of(comm)))

static void write_table(const char *path, const struct stage *all, int ranks) {
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        (void)fprintf(stderr, "count_mpi: %s cannot be written\n", path);
        return;
    }
    (void)fprintf(file, "stage");
    for (int c = 0; c < COLUMNS; c++) {
        (void)fprintf(file, "\t%s\tmost", TITLES[c]);
    }
    (void)fputc('\n', file);
    for (int s = 0; s <= last; s++) {
        (void)fprintf(file, "%s", all[s].name);
        for (int c = 0; c < COLUMNS; c++) {
            const double unit = c >= CPU_MS ? 1000 : 1;
            uint64_t sum = 0;
            uint64_t most = 0;
            for (int r = 0; r < ranks; r++) {
                const uint64_t value = all[(size_t)r * MOST_STAGES + (size_t)s].of[c];
                sum += value;
                most = value > most ? value : most;
            }
            (void)fprintf(file, "\t%.3f\t%.3f", (double)sum / ranks / unit, (double)most / unit);
        }
        (void)fputc('\n', file);
    }
    (void)fclose(file);
}

int MPI_Finalize(void) {
    const char *path = getenv("ND_COUNT_FILE");
    int rank = 0;
    int ranks = 1;
    struct stage *all = NULL;
    end_stage();
    (void)PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    (void)PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0) {
        all = malloc((size_t)ranks * sizeof stages);
        if (all == NULL) {
            (void)PMPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    (void)PMPI_Gather(stages, (int)sizeof stages, MPI_BYTE, all, (int)sizeof stages, MPI_BYTE, 0,
                      MPI_COMM_WORLD);
    if (rank == 0 && path != NULL) {
        write_table(path, all, ranks);
    }
    free(all);
    free(met);
    return PMPI_Finalize();
}
