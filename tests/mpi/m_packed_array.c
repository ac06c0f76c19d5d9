/* A packed array that ranks write together, and that a second folder goes on with: any of its bytes
 * are read again, by any number of ranks, in any order. */
#include "mpi/job/checkpoint.h"
#include "tests/support/mpi_check.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    MOST_PIECES = 60,
    MOST_PIECE = 20000
}; /* values: some blocks, some pieces larger than one */

static uint32_t value_at(uint64_t place) {
    return (uint32_t)nd_mix64(place % 977 * (place / 50000 + 1));
}

/* Collective. Pieces of the array from byte `first` on, each on one rank; the same draws on all. */
static uint64_t write_part(nd_checkpoint *to, nd_random *random, const nd_packed_extent *before) {
    static uint32_t values[MOST_PIECE * 5];
    nd_comm *comm = to->comm;
    nd_spool_folder memory = {0};
    nd_packer packer;
    uint64_t place = before->bytes / sizeof *values;
    uint64_t first = 0;
    bool right = true;
    nd_packer_open(&packer, ND_PACKING_TOKENS, &memory, 0);
    for (int rank = 0; rank < comm->size; rank++) {
        for (uint64_t left = nd_random_below(random, MOST_PIECES); left > 0; left--) {
            const uint64_t most = left % 16 == 0 ? MOST_PIECE * 5 : MOST_PIECE / 4;
            const uint64_t count = nd_random_below(random, most);
            for (uint64_t i = 0; rank == comm->rank && i < count; i++) {
                values[i] = value_at(place + i);
            }
            right = right && (rank != comm->rank ||
                              nd_packer_add(&packer, values, count * sizeof *values) == ND_OK);
            place += count;
        }
    }
    right =
        nd_packer_keep(&packer, right ? ND_OK : ND_ERR_IO, to, "text", before, &first) == ND_OK &&
        right;
    nd_packer_close(&packer);
    (void)ND_CHECK_ALL(comm, right);
    return place * sizeof *values;
}

static void check_bytes(const nd_checkpoint *from, uint64_t bytes) {
    enum { TURNS = 60 };
    static uint32_t values[MOST_PIECE * 5];
    nd_random random = {.state = (uint64_t)from->comm->rank};
    nd_packed_reader reader;
    bool right = nd_packed_reader_open(&reader, ND_PACKING_TOKENS, from, "text") == ND_OK;
    right = right && reader.extent.bytes == bytes;
    const uint64_t total = bytes / sizeof *values;
    for (int i = 0; right && i < TURNS && total > 0; i++) {
        const uint64_t begin = i == 0 ? 0 : nd_random_below(&random, total);
        uint64_t count = nd_random_below(&random, i % 8 == 0 ? MOST_PIECE * 5 : 500);
        count = count < total - begin ? count : total - begin;
        right = nd_packed_read(&reader, begin * sizeof *values, count * sizeof *values, values) ==
                ND_OK;
        for (uint64_t k = 0; right && k < count; k++) {
            right = values[k] == value_at(begin + k);
        }
    }
    right = right && nd_packed_read(&reader, bytes, 4, values) == ND_ERR_FORMAT;
    nd_packed_reader_close(&reader);
    (void)ND_CHECK_ALL(from->comm, right);
}

static void test_two_folders(void) {
    nd_random random = nd_mpi_test_random("two folders");
    nd_comm *comm = nd_mpi_test_comm();
    char paths[2][256] = {"", ""};
    nd_checkpoint folders[2] = {{0}, {0}};
    nd_packed_extent extent = {0};
    if (comm->rank == 0) {
        (void)snprintf(paths[0], sizeof paths[0], "%s/first", nd_test_folder());
        (void)snprintf(paths[1], sizeof paths[1], "%s/second", nd_test_folder());
    }
    ND_MPI(MPI_Bcast(paths, (int)sizeof paths, MPI_CHAR, 0, comm->handle));
    for (int i = 0; i < 2; i++) {
        bool right = nd_checkpoint_open(&folders[i], comm, paths[i], false) == ND_OK;
        if (i == 1) {
            right = right && nd_packed_extent_of(&folders[0], "text", &extent) == ND_OK;
            right =
                right && nd_checkpoint_take(&folders[1], &folders[0], "text.packed", 0) == ND_OK;
            right =
                right && nd_checkpoint_take(&folders[1], &folders[0], "text.blocks", 0) == ND_OK;
        }
        (void)ND_CHECK_ALL(comm, right);
        const uint64_t bytes = write_part(&folders[i], &random, &extent);
        (void)ND_CHECK_ALL(comm, nd_checkpoint_commit(&folders[i], "index") == ND_OK);
        check_bytes(&folders[i], bytes);
    }
    nd_checkpoint_discard(&folders[0]);
    nd_checkpoint_discard(&folders[1]);
}

static const nd_test tests[] = {
    {"two folders", test_two_folders},
};

ND_SUITE(m_packed_array, tests)
