#include "tests/support/mpi_check.h"

#include "src/base/sort.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static nd_comm comm;

nd_comm *nd_mpi_test_comm(void) {
    return &comm;
}

/* CUnit prints to stdout: one rank's words are enough. */
static void mute(void) {
    (void)fflush(stdout);
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        (void)dup2(nowhere, STDOUT_FILENO);
        (void)close(nowhere);
    }
}

int main(int argc, char **argv) {
    nd_comm_start(&argc, &argv);
    nd_comm_open(&comm, MPI_COMM_WORLD);
    if (comm.rank != 0) {
        mute();
    }
    const int mine = nd_test_main(argc, argv);
    if (mine != 0) {
        (void)fprintf(stderr, "failed on rank %d of %d\n", comm.rank, comm.size);
    }
    const uint64_t failed = nd_comm_sum(&comm, mine != 0);
    nd_comm_close(&comm);
    ND_MPI(MPI_Finalize());
    return failed > 0 ? 1 : 0;
}

const char *nd_mpi_test_path(const char *name) {
    static char path[256];
    if (comm.rank == 0) {
        (void)snprintf(path, sizeof path, "%s/%s", nd_test_folder(), name);
    }
    ND_MPI(MPI_Bcast(path, (int)sizeof path, MPI_CHAR, 0, comm.handle));
    return path;
}

nd_random nd_mpi_test_random(const char *name) {
    nd_random random = {0};
    if (comm.rank == 0) {
        random = nd_test_random(name);
    }
    ND_MPI(MPI_Bcast(&random.state, 1, MPI_UINT64_T, 0, comm.handle));
    return random;
}

bool nd_mpi_check_all(const nd_comm *on, bool mine, const char *text, const char *file, int line) {
    int all = mine ? 1 : 0;
    ND_MPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, on->handle));
    if (!mine) {
        (void)fprintf(stderr, "rank %d: %s:%d: not so: %s\n", on->rank, file, line, text);
    }
    CU_assertImplementation(all == 1 ? CU_TRUE : CU_FALSE, (unsigned)line, text, file, "",
                            CU_FALSE);
    return all == 1;
}

void *nd_mpi_test_new(uint64_t count, size_t size) {
    void *bytes = calloc(count == 0 ? 1 : (size_t)count, size);
    if (bytes == NULL) {
        (void)fprintf(stderr, "rank %d: out of memory: %llu records\n", comm.rank,
                      (unsigned long long)count);
        (void)MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return bytes;
}

void *nd_mpi_test_gather(const nd_comm *on, const void *records, uint64_t count, size_t record_size,
                         uint64_t *total) {
    const size_t size = (size_t)on->size;
    const int bytes = (int)(count * record_size);
    int *sizes = nd_mpi_test_new(2 * size, sizeof *sizes);
    int *begin = sizes + size;
    ND_MPI(MPI_Allgather(&bytes, 1, MPI_INT, sizes, 1, MPI_INT, on->handle));
    uint64_t all = 0;
    for (size_t r = 0; r < size; r++) {
        begin[r] = (int)all;
        all += (uint64_t)sizes[r];
    }
    void *gathered = nd_mpi_test_new(all, 1);
    ND_MPI(MPI_Allgatherv(records, bytes, MPI_BYTE, gathered, sizes, begin, MPI_BYTE, on->handle));
    free(sizes);
    *total = all / record_size;
    return gathered;
}

void *nd_mpi_test_gather_spool(const nd_comm *on, const nd_spool *spool, size_t record_size,
                               uint64_t *total) {
    nd_buffer scratch = {0};
    const uint8_t *bytes = NULL;
    if (nd_spool_read(spool, 0, (size_t)spool->size, &scratch, &bytes) != ND_OK) {
        (void)fprintf(stderr, "rank %d: %s\n", on->rank, nd_fail_text());
        (void)MPI_Abort(MPI_COMM_WORLD, 2);
    }
    void *gathered = nd_mpi_test_gather(on, bytes, spool->size / record_size, record_size, total);
    nd_buffer_free(&scratch);
    return gathered;
}

static int by_number(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void nd_mpi_test_ranges(nd_random *random, int size, uint64_t pages, uint64_t *first) {
    for (int r = 1; r < size; r++) {
        first[r] = nd_random_below(random, pages + 1);
    }
    first[0] = 0;
    first[size] = pages;
    nd_sort(first, (size_t)size, sizeof *first, by_number);
}
