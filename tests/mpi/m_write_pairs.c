/* Pairs of a result: random pairs, spread over the ranks, come back sorted from the file, whatever
 * of them fits in memory, and whoever has them. */
#include "io/result/result_file.h"
#include "io/result/result_read.h"
#include "mpi/run/run.h"
#include "mpi/stage/result_tables.h"
#include "tests/support/in_memory.h"
#include "tests/support/mpi_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGES = 500, MOST_PAIRS = 60000 };

/* Distinct pairs in order, the same on all ranks: each pair with that chance. Every page but the
 * first few has few partners. */
static uint64_t draw_pairs(nd_link *pairs, uint64_t chance, nd_random *random) {
    uint64_t count = 0;
    for (uint64_t a = 0; a < PAGES; a++) {
        for (uint64_t b = a + 1; b < PAGES && count < MOST_PAIRS; b++) {
            if (nd_random_below(random, 100) < (a < 2 ? 90 : chance)) {
                pairs[count++] =
                    (nd_link){a, b, (double)(nd_random_below(random, 1000) + 1) / 1000};
            }
        }
    }
    return count;
}

static void shuffle(nd_link *pairs, uint64_t count, nd_random *random) {
    for (uint64_t i = 1; i < count; i++) {
        const uint64_t at = nd_random_below(random, i + 1);
        const nd_link moved = pairs[i];
        pairs[i] = pairs[at];
        pairs[at] = moved;
    }
}

/* All ranks write together. */
static nd_status write_file(nd_job *job, const char *path) {
    nd_status st = ND_OK;
    nd_result result = {.file = H5I_INVALID_HID};
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    const hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);
    (void)H5Pset_fapl_mpio(fapl, job->comm.handle, MPI_INFO_NULL);
    (void)H5Pset_dxpl_mpio(dxpl, H5FD_MPIO_COLLECTIVE);
    ND_TRY(nd_result_create(&result, path, fapl, dxpl));
    ND_TRY(nd_write_pairs(job, &result, &nd_verified_columns, &job->links));
    ND_TRY(nd_result_set_number(&result, "pages", PAGES));
out:
    st = st != ND_OK ? st : nd_result_close(&result);
    (void)H5Pclose(fapl);
    (void)H5Pclose(dxpl);
    return st;
}

static bool same_rows(const nd_pair_rows *rows, const nd_link *expected) {
    for (uint64_t i = 0; i < rows->count; i++) {
        if (rows->a[i] != expected[i].a || rows->b[i] != expected[i].b ||
            rows->similarity[i] != (float)expected[i].similarity) {
            return false;
        }
    }
    return true;
}

/* Every rank reads everything. */
static bool check_file(const char *path, const nd_link *expected, uint64_t count) {
    nd_result result;
    nd_pair_rows rows = {0};
    uint64_t at = 0;
    bool right = nd_result_open_file(&result, path) == ND_OK;
    result.shape = (nd_result_shape){.pages = PAGES, .pairs = count, .has_pairs = true};
    right = right && nd_pair_rows_open(&rows, &result, &nd_verified_columns) == ND_OK &&
            rows.total == count;
    do {
        right = right && nd_pair_rows_next(&rows) == ND_OK && at + rows.count <= count &&
                same_rows(&rows, expected + at);
        at += rows.count;
    } while (right && rows.count > 0);
    nd_pair_rows_free(&rows);
    (void)nd_result_close(&result);
    return right && at == count;
}

static void check_pairs(uint64_t chance, uint64_t memory, bool spills, nd_random *random) {
    nd_job job;
    nd_job_options options = nd_mpi_test_job_options();
    nd_page_store all = {0};
    nd_link *sorted = nd_mpi_test_new(MOST_PAIRS, sizeof *sorted);
    nd_link *shuffled = nd_mpi_test_new(MOST_PAIRS, sizeof *shuffled);
    const uint64_t count = chance == 0 ? 0 : draw_pairs(sorted, chance, random);
    char path[256];
    memcpy(shuffled, sorted, count * sizeof *sorted);
    shuffle(shuffled, count, random);
    options.memory = nd_mpi_test_memory(memory);
    options.keep_pairs = true;
    for (size_t i = 0; i < PAGES; i++) {
        const nd_stored_page page = {0};
        CU_ASSERT_EQUAL(
            nd_page_store_append(&all, &page, NULL, NULL, (nd_span){NULL, 0}, (nd_span){NULL, 0}),
            ND_OK);
    }
    nd_mpi_test_job_open(&job, &options, &all, random);
    const uint64_t before = job.folder.written; /* digests */
    nd_mpi_test_job_links(&job, shuffled, count, random);
    (void)snprintf(path, sizeof path, "%s", job.comm.rank == 0 ? nd_test_folder() : "");
    ND_MPI(MPI_Bcast(path, sizeof path, MPI_CHAR, 0, job.comm.handle));
    (void)snprintf(path + strlen(path), sizeof path - strlen(path), "/pairs.h5");
    bool written = ND_CHECK_ALL(&job.comm, write_file(&job, path) == ND_OK);
    written =
        ND_CHECK_ALL(&job.comm, written && (job.comm.rank > 0 || nd_seal_file(path) == ND_OK));
    const bool spilled = nd_comm_sum(&job.comm, job.folder.written - before) > 0;
    (void)ND_CHECK_ALL(&job.comm, written && check_file(path, sorted, count));
    (void)ND_CHECK_ALL(&job.comm, spilled == spills);
    ND_MPI(MPI_Barrier(job.comm.handle));
    if (job.comm.rank == 0) {
        (void)unlink(path);
    }
    nd_run_close(&job);
    nd_page_store_free(&all);
    free(sorted);
    free(shuffled);
}

static void test_pairs(void) {
    nd_random random = nd_mpi_test_random("pairs");
    check_pairs(1, 1 << 20, false, &random);
    check_pairs(45, 64 << 10, true, &random);
    check_pairs(1, 4 << 10, false, &random);
}

static void test_no_pairs(void) {
    nd_random random = nd_mpi_test_random("no pairs");
    check_pairs(0, 1 << 10, false, &random);
}

static const nd_test tests[] = {
    {"pairs", test_pairs},
    {"no pairs", test_no_pairs},
};

ND_SUITE(m_write_pairs, tests)
