/* A job's checkpoints and memory. */
#include "io/result/result_read.h"
#include "mpi/job/checkpoint.h"
#include "mpi/job/job.h"
#include "mpi/run/run.h"
#include "tests/support/mpi_check.h"
#include "tests/support/sources.h"

#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Checkpoints: what some ranks commit, other numbers of ranks load; what fails leaves the
 * state before. Every record can be worked out from its array and place. */

enum { MOST_RECORDS = 3000, RECORD_SIZE = 24 };
static const char ARRAY[] = "links";

/* Collective over all. The first `size` ranks by themselves; handle MPI_COMM_NULL on the others. */
static nd_comm first_ranks(int size) {
    nd_comm *all = nd_mpi_test_comm();
    nd_comm some = {.handle = MPI_COMM_NULL};
    MPI_Comm part = MPI_COMM_NULL;
    ND_MPI(MPI_Comm_split(all->handle, all->rank < size ? 0 : MPI_UNDEFINED, 0, &part));
    if (part != MPI_COMM_NULL) {
        nd_comm_open(&some, part);
        ND_MPI(MPI_Comm_free(&part));
    }
    return some;
}
static void leave(nd_comm *some) {
    if (some->handle != MPI_COMM_NULL) {
        nd_comm_close(some);
    }
}
static uint8_t byte_of(uint64_t seed, uint64_t record, size_t place) {
    return (uint8_t)nd_mix64(seed + record * RECORD_SIZE + place);
}
static uint8_t *make_records(uint64_t seed, uint64_t begin, uint64_t end) {
    uint8_t *records = nd_mpi_test_new(end - begin, RECORD_SIZE);
    for (uint64_t i = 0; i < (end - begin) * RECORD_SIZE; i++) {
        records[i] = byte_of(seed, begin + i / RECORD_SIZE, i % RECORD_SIZE);
    }
    return records;
}
static bool save_range(nd_checkpoint *checkpoint, uint64_t seed, uint64_t begin, uint64_t end,
                       bool by_spool) {
    nd_spool_folder folder = {0};
    nd_spool spool;
    ND_FREED uint8_t *records = make_records(seed, begin, end);
    nd_status st = ND_OK;
    if (by_spool) {
        nd_spool_open(&spool, &folder, 0);
        st = nd_spool_append(&spool, records, (end - begin) * RECORD_SIZE);
        st = st != ND_OK ? st : nd_checkpoint_keep(checkpoint, ARRAY, RECORD_SIZE, begin, &spool);
        nd_spool_close(&spool);
    } else {
        st = nd_checkpoint_save(checkpoint, ARRAY, RECORD_SIZE, begin, records, end - begin);
    }
    return st == ND_OK;
}

/* [0, total) in pieces, dealt to ranks as they come; the same draws on all ranks. */
static bool save_pieces(nd_checkpoint *checkpoint, nd_random random, uint64_t seed,
                        uint64_t total) {
    bool saved = true;
    for (uint64_t begin = 0; begin < total;) {
        const uint64_t left = total - begin;
        const uint64_t count = 1 + nd_random_below(&random, left < 700 ? left : 700);
        const int owner = (int)nd_random_below(&random, (uint64_t)checkpoint->comm->size);
        const bool by_spool = nd_random_below(&random, 2) == 0;
        if (owner == checkpoint->comm->rank) {
            saved = save_range(checkpoint, seed, begin, begin + count, by_spool) && saved;
        }
        begin += count;
    }
    return saved;
}
static bool load_right(const nd_checkpoint *checkpoint, uint64_t seed, uint64_t begin,
                       uint64_t end) {
    ND_FREED uint8_t *expected = make_records(seed, begin, end);
    ND_FREED uint8_t *loaded = nd_mpi_test_new(end - begin, RECORD_SIZE);
    const bool right =
        nd_checkpoint_load(checkpoint, ARRAY, RECORD_SIZE, begin, end, loaded) == ND_OK &&
        memcmp(expected, loaded, (end - begin) * RECORD_SIZE) == 0;
    return right;
}

/* Each rank its own ranges, the whole array among them. */
static bool load_ranges(const nd_checkpoint *checkpoint, nd_random random, uint64_t seed,
                        uint64_t total) {
    nd_random own = {random.state + (uint64_t)checkpoint->comm->rank};
    uint8_t beyond[RECORD_SIZE];
    bool right = nd_checkpoint_count(checkpoint, ARRAY) == total &&
                 load_right(checkpoint, seed, 0, total) &&
                 nd_checkpoint_load(checkpoint, ARRAY, RECORD_SIZE, total, total + 1, beyond) ==
                     ND_ERR_FORMAT;
    for (int i = 0; i < nd_test_rounds(20) && right; i++) {
        const uint64_t begin = nd_random_below(&own, total + 1);
        right =
            load_right(checkpoint, seed, begin, begin + nd_random_below(&own, total - begin + 1));
    }
    return right;
}

/* ---- what one state holds */

/* Collective over the checkpoint's ranks. */
static nd_status commit_state(nd_checkpoint *checkpoint, nd_random random, uint64_t seed,
                              uint64_t total, const char *stage) {
    const uint64_t number = checkpoint->comm->rank == 0 ? seed : 1;
    nd_checkpoint_set_number(checkpoint, "seed", number);
    nd_checkpoint_set_text(checkpoint, "named", stage);
    nd_checkpoint_drop(checkpoint, ARRAY);
    const bool saved = save_pieces(checkpoint, random, seed, total);
    const nd_status st = nd_checkpoint_commit(checkpoint, stage);
    return st == ND_OK && !saved ? ND_ERR_INTERNAL : st;
}
static bool holds_state(const nd_checkpoint *checkpoint, nd_random random, uint64_t seed,
                        uint64_t total, const char *stage) {
    uint64_t number = 0;
    const char *text = "";
    return nd_checkpoint_stage(checkpoint) != NULL &&
           strcmp(nd_checkpoint_stage(checkpoint), stage) == 0 &&
           nd_checkpoint_number(checkpoint, "seed", &number) == ND_OK && number == seed &&
           nd_checkpoint_text(checkpoint, "named", &text) == ND_OK && strcmp(text, stage) == 0 &&
           nd_checkpoint_number(checkpoint, "named", &number) == ND_ERR_FORMAT &&
           nd_checkpoint_text(checkpoint, "none", &text) == ND_ERR_FORMAT &&
           load_ranges(checkpoint, random, seed, total);
}

/* Collective over `on`. The folder holds this state, whole. */
static bool resumes(nd_comm *on, const char *path, nd_random random, uint64_t seed, uint64_t total,
                    const char *stage) {
    nd_checkpoint checkpoint;
    bool right = ND_CHECK_ALL(on, nd_checkpoint_open(&checkpoint, on, path, true) == ND_OK);
    right = right && ND_CHECK_ALL(on, holds_state(&checkpoint, random, seed, total, stage));
    right = right && ND_CHECK_ALL(on, nd_checkpoint_check(&checkpoint) == ND_OK);
    nd_checkpoint_close(&checkpoint);
    return right;
}

/* Collective over `on`. A folder with one state of which the pieces are dealt as drawn. */
static void make_state(nd_checkpoint *checkpoint, nd_comm *on, const char *path, nd_random random,
                       uint64_t seed, uint64_t total) {
    ND_CHECK_ALL(on, nd_checkpoint_open(checkpoint, on, path, false) == ND_OK);
    ND_CHECK_ALL(on, nd_checkpoint_stage(checkpoint) == NULL);
    ND_CHECK_ALL(on, commit_state(checkpoint, random, seed, total, "first") == ND_OK);
}

/* Collective over `on`. */
static void discard(nd_comm *on, const char *path) {
    nd_checkpoint checkpoint;
    ND_CHECK_ALL(on, nd_checkpoint_open(&checkpoint, on, path, true) == ND_OK);
    nd_checkpoint_discard(&checkpoint);
    ND_CHECK_ALL(on, access(path, F_OK) != 0);
}

/* ---- any number of ranks */

static void write_with(int ranks, const char *path, nd_random random, uint64_t total) {
    nd_checkpoint checkpoint;
    nd_comm some = first_ranks(ranks);
    if (some.handle != MPI_COMM_NULL) {
        some.round_bytes = 100; /* so that the manifest takes many rounds */
        make_state(&checkpoint, &some, path, random, 77, total);
        ND_CHECK_ALL(&some,
                     commit_state(&checkpoint, random, UINT64_MAX, total, "second") == ND_OK);
        ND_CHECK_ALL(&some, holds_state(&checkpoint, random, UINT64_MAX, total, "second"));
        nd_checkpoint_close(&checkpoint);
    }
    leave(&some);
}
static void read_with(int ranks, const char *path, nd_random random, uint64_t total, bool last) {
    nd_comm some = first_ranks(ranks);
    if (some.handle != MPI_COMM_NULL) {
        (void)resumes(&some, path, random, UINT64_MAX, total, "second");
        if (last) {
            discard(&some, path);
        }
    }
    leave(&some);
}
ND_TEST("saved and loaded with any number of ranks") {
    static const uint64_t totals[] = {0, 1, 2, MOST_RECORDS};
    const int size = nd_mpi_test_comm()->size;
    nd_random random = nd_mpi_test_random("ranks");
    const char *path = nd_mpi_test_path("ranks");
    for (int writers = 1; writers <= size; writers++) {
        for (int t = 0; t < 4; t++) {
            const nd_random drawn = {nd_random_next(&random)};
            write_with(writers, path, drawn, totals[t]);
            for (int readers = 1; readers <= size; readers++) {
                read_with(readers, path, drawn, totals[t], readers == size);
            }
        }
    }
}

/* ---- what is in the folder */

/* Rank 0: put a file there that is, or is not, ours. */
static void put_file(const nd_comm *comm, const char *folder, const char *name) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = comm->rank == 0 ? fopen(path, "w") : NULL;
    CU_ASSERT_TRUE(comm->rank != 0 || file != NULL);
    if (file != NULL) {
        CU_ASSERT_EQUAL(fclose(file), 0);
    }
    ND_MPI(MPI_Barrier(comm->handle));
}
static bool has_file(const char *folder, const char *name) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}
ND_TEST("files that no manifest names go") {
    nd_comm *comm = nd_mpi_test_comm();
    const nd_random random = nd_mpi_test_random("unnamed files");
    const char *path = nd_mpi_test_path("unnamed");
    nd_checkpoint checkpoint;
    make_state(&checkpoint, comm, path, random, 1, 100);
    char file[NAME_MAX + 1];
    nd_manifest_file(&checkpoint.manifest, &checkpoint.manifest.pieces[0], file);
    put_file(comm, path, "mine.txt");
    put_file(comm, path, "spill-3-3"); /* of a rank that is at work */
    ND_CHECK_ALL(comm, commit_state(&checkpoint, random, 2, 100, "second") == ND_OK);
    ND_MPI(MPI_Barrier(comm->handle));
    ND_CHECK_ALL(comm, !has_file(path, file)); /* of the array that was dropped */
    ND_CHECK_ALL(comm, has_file(path, "spill-3-3"));
    /* saved, but never committed */
    ND_CHECK_ALL(comm, save_range(&checkpoint, 3, 1000 + (uint64_t)comm->rank,
                                  1001 + (uint64_t)comm->rank, false));
    nd_manifest_file(&checkpoint.changes,
                     &checkpoint.changes.pieces[checkpoint.changes.piece_count - 1], file);
    ND_CHECK_ALL(comm, has_file(path, file));
    nd_checkpoint_close(&checkpoint);
    put_file(comm, path, "manifest.json.tmp");
    (void)resumes(comm, path, random, 2, 100, "second");
    ND_CHECK_ALL(comm, !has_file(path, file) && !has_file(path, "spill-3-3") &&
                           !has_file(path, "manifest.json.tmp") && has_file(path, "mine.txt"));
    ND_CHECK_ALL(comm, nd_checkpoint_open(&checkpoint, comm, path, true) == ND_OK);
    nd_checkpoint_discard(&checkpoint);
    ND_CHECK_ALL(comm, has_file(path, "mine.txt") && !has_file(path, "manifest.json") &&
                           !has_file(path, "lock"));
}

/* Numbers and arrays that are not touched last from commit to commit. */
ND_TEST("the state grows") {
    nd_comm *comm = nd_mpi_test_comm();
    const nd_random random = nd_mpi_test_random("growing state");
    const char *path = nd_mpi_test_path("grows");
    nd_checkpoint checkpoint;
    uint64_t number = 0;
    make_state(&checkpoint, comm, path, random, 5, 100);
    const uint64_t begin = 100 + 10 * (uint64_t)comm->rank;
    const uint64_t total = 100 + 10 * (uint64_t)comm->size;
    ND_CHECK_ALL(comm, save_range(&checkpoint, 5, begin, begin + 10, true));
    ND_CHECK_ALL(comm, nd_checkpoint_count(&checkpoint, ARRAY) == 100);
    ND_CHECK_ALL(comm, nd_checkpoint_commit(&checkpoint, "more") == ND_OK);
    ND_CHECK_ALL(comm, load_ranges(&checkpoint, random, 5, total));
    ND_CHECK_ALL(comm, nd_checkpoint_number(&checkpoint, "seed", &number) == ND_OK && number == 5);
    /* the same records once more, or of another size, are a mistake */
    ND_CHECK_ALL(comm, save_range(&checkpoint, 5, begin, begin + 1, false));
    ND_CHECK_ALL(comm, nd_checkpoint_commit(&checkpoint, "twice") != ND_OK);
    ND_CHECK_ALL(comm, strcmp(nd_checkpoint_stage(&checkpoint), "more") == 0);
    ND_CHECK_ALL(comm, nd_checkpoint_load(&checkpoint, ARRAY, RECORD_SIZE + 1, 0, 1, &number) ==
                           ND_ERR_FORMAT);
    nd_checkpoint_discard(&checkpoint);
    ND_CHECK_ALL(comm, access(path, F_OK) != 0);
}

/* ---- failures */

static bool said(const char *text) {
    return strstr(nd_fail_text(), text) != NULL && strchr(nd_fail_text(), '\n') == NULL;
}
ND_TEST("refused without resume") {
    nd_comm *comm = nd_mpi_test_comm();
    const nd_random random = nd_mpi_test_random("without resume");
    const char *path = nd_mpi_test_path("again");
    nd_checkpoint checkpoint;
    make_state(&checkpoint, comm, path, random, 1, 10);
    nd_checkpoint_close(&checkpoint);
    const nd_status st = nd_checkpoint_open(&checkpoint, comm, path, false);
    ND_CHECK_ALL(comm, st == (comm->rank == 0 ? ND_ERR_USAGE : ND_ERR_PEER));
    ND_CHECK_ALL(comm, said(path) && said("--resume"));
    nd_checkpoint_close(&checkpoint);
    (void)resumes(comm, path, random, 1, 10, "first");
    discard(comm, path);
}

/* Rank 1 alone opens the folder that rank 0 alone has open. */
ND_TEST("locked by another job") {
    nd_comm *comm = nd_mpi_test_comm();
    const char *path = nd_mpi_test_path("locked");
    nd_checkpoint checkpoint = {0};
    nd_comm alone;
    nd_comm_open(&alone, MPI_COMM_SELF);
    if (comm->rank == 0) {
        ND_TEST_OK(nd_checkpoint_open(&checkpoint, &alone, path, false));
    }
    ND_MPI(MPI_Barrier(comm->handle));
    if (comm->rank == 1) {
        CU_ASSERT_EQUAL(nd_checkpoint_open(&checkpoint, &alone, path, true), ND_ERR_IO);
        CU_ASSERT_TRUE(said(path) && said("in use by a neardup run on host"));
    }
    ND_MPI(MPI_Barrier(comm->handle));
    nd_checkpoint_discard(&checkpoint); /* which waits for nobody but rank 0 itself */
    ND_MPI(MPI_Barrier(comm->handle));
    ND_CHECK_ALL(comm, access(path, F_OK) != 0);
    nd_comm_close(&alone);
}

/* Rank 0: a folder that no file can be renamed to, or no longer. */
static void block(const nd_comm *comm, const char *folder, const char *name, bool blocked) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    CU_ASSERT_TRUE(comm->rank != 0 || (blocked ? mkdir(path, 0700) : rmdir(path)) == 0);
    ND_MPI(MPI_Barrier(comm->handle));
}

/* The last rank cannot write a piece, though it does not say so before the commit. */
ND_TEST("a save fails on one rank") {
    nd_comm *comm = nd_mpi_test_comm();
    const nd_random random = nd_mpi_test_random("failing save");
    const char *path = nd_mpi_test_path("save");
    const int last = comm->size - 1;
    nd_checkpoint checkpoint;
    char name[NAME_MAX + 1];
    make_state(&checkpoint, comm, path, random, 1, 50);
    uint64_t next = checkpoint.next;
    ND_MPI(MPI_Bcast(&next, 1, MPI_UINT64_T, last, comm->handle));
    nd_work_folder_part(2, ARRAY, last, next, name);
    block(comm, path, name, true);
    const uint64_t place = 50 + (uint64_t)comm->rank;
    const bool saved = save_range(&checkpoint, 1, place, place + 1, false);
    ND_CHECK_ALL(comm, saved == (comm->rank != last));
    ND_CHECK_ALL(comm, nd_checkpoint_commit(&checkpoint, "second") ==
                           (comm->rank == last ? ND_ERR_IO : ND_ERR_PEER));
    ND_CHECK_ALL(comm, said(name));
    ND_CHECK_ALL(comm, holds_state(&checkpoint, random, 1, 50, "first"));
    nd_checkpoint_close(&checkpoint);
    block(comm, path, name, false);
    (void)resumes(comm, path, random, 1, 50, "first");
    discard(comm, path);
}

/* The manifest cannot be written. */
ND_TEST("the commit fails") {
    nd_comm *comm = nd_mpi_test_comm();
    const nd_random random = nd_mpi_test_random("failing commit");
    const char *path = nd_mpi_test_path("commit");
    nd_checkpoint checkpoint;
    make_state(&checkpoint, comm, path, random, 1, 50);
    block(comm, path, "manifest.json.partial", true);
    ND_CHECK_ALL(comm, commit_state(&checkpoint, random, 2, 50, "second") ==
                           (comm->rank == 0 ? ND_ERR_IO : ND_ERR_PEER));
    ND_CHECK_ALL(comm, said("manifest.json"));
    ND_CHECK_ALL(comm, holds_state(&checkpoint, random, 1, 50, "first"));
    nd_checkpoint_close(&checkpoint);
    block(comm, path, "manifest.json.partial", false);
    (void)resumes(comm, path, random, 1, 50, "first");
    discard(comm, path);
}

/* ---- damage */

/* Rank 0: change a byte of a file (kind 0), cut it there (1), remove it (2) or make it longer (3).
 */
static void damage(const nd_comm *comm, const char *path, int kind, uint64_t place) {
    if (comm->rank == 0 && kind == 0) {
        uint8_t byte = 0;
        const int file = open(path, O_RDWR);
        CU_ASSERT_EQUAL(pread(file, &byte, 1, (off_t)place), 1);
        byte ^= 1;
        CU_ASSERT_EQUAL(pwrite(file, &byte, 1, (off_t)place), 1);
        CU_ASSERT_EQUAL(close(file), 0);
    } else if (comm->rank == 0) {
        CU_ASSERT_EQUAL(kind == 2 ? unlink(path) : truncate(path, (off_t)place), 0);
    }
    ND_MPI(MPI_Barrier(comm->handle));
}

/* Collective. The last record of a piece, or all of them, are refused with the file's name, or not.
 */
static void check_load(const nd_checkpoint *checkpoint, const nd_manifest_piece *piece, bool whole,
                       bool refused, const char *file) {
    const uint64_t end = piece->first + piece->count;
    const uint64_t begin = whole ? piece->first : end - 1;
    ND_FREED uint8_t *records = nd_mpi_test_new(end - begin, RECORD_SIZE);
    const nd_status st = nd_checkpoint_load(checkpoint, ARRAY, RECORD_SIZE, begin, end, records);
    ND_CHECK_ALL(checkpoint->comm, (st != ND_OK) == refused);
    ND_CHECK_ALL(checkpoint->comm, !refused || said(file));
}
ND_TEST("damaged pieces") {
    nd_comm *comm = nd_mpi_test_comm();
    nd_random random = nd_mpi_test_random("damage");
    const char *path = nd_mpi_test_path("damage");
    for (int kind = 0; kind < 4; kind++) {
        nd_checkpoint checkpoint;
        char file[ND_WORK_PATH_SIZE];
        make_state(&checkpoint, comm, path, random, 1, MOST_RECORDS);
        ND_CHECK_ALL(comm, nd_checkpoint_check(&checkpoint) == ND_OK);
        const size_t drawn = (size_t)nd_random_below(&random, checkpoint.manifest.piece_count);
        const nd_manifest_piece piece = checkpoint.manifest.pieces[drawn];
        const uint64_t size = piece.count * RECORD_SIZE;
        const uint64_t chunks = size / ND_KEPT_CHUNK + (size % ND_KEPT_CHUNK > 0);
        const uint64_t all = size + chunks * sizeof(uint64_t);
        const uint64_t place = kind == 3 ? all + 1 : nd_random_below(&random, size);
        (void)nd_checkpoint_file(&checkpoint, &piece, file);
        damage(comm, file, kind, place);
        ND_CHECK_ALL(comm, nd_checkpoint_check(&checkpoint) != ND_OK);
        ND_CHECK_ALL(comm, said(file));
        ND_CHECK_ALL(comm, (nd_checkpoint_check_sizes(&checkpoint) == ND_OK) == (kind == 0));
        check_load(&checkpoint, &piece, false, kind > 0,
                   file); /* what this run wrote it believes */
        nd_checkpoint_close(&checkpoint);
        /* another byte shows to whoever reads from its chunk */
        const uint64_t last = (size - RECORD_SIZE) / ND_KEPT_CHUNK;
        for (int whole = 0; whole < 2; whole++) {
            const bool meets = whole == 1 || kind > 0 || place / ND_KEPT_CHUNK >= last;
            ND_CHECK_ALL(comm, nd_checkpoint_open(&checkpoint, comm, path, true) == ND_OK);
            check_load(&checkpoint, &piece, whole == 1, meets, file);
            check_load(&checkpoint, &piece, whole == 1, meets, file); /* and is found again */
            if (whole == 0 && drawn > 0) {
                const nd_manifest_piece other = checkpoint.manifest.pieces[drawn - 1];
                check_load(&checkpoint, &other, false, false, file);
                CU_ASSERT_PTR_NOT_NULL(checkpoint.manifest.pieces[drawn - 1].sums);
                ND_CHECK_ALL(comm, nd_checkpoint_commit(&checkpoint, "next") == ND_OK);
                CU_ASSERT_PTR_NOT_NULL(checkpoint.manifest.pieces[drawn - 1].sums);
                check_load(&checkpoint, &piece, false, meets, file);
            }
            nd_checkpoint_close(&checkpoint);
        }
        discard(comm, path);
    }
}

/* A manifest that is damaged is refused with and without --resume, and nothing is removed. */
ND_TEST("a damaged manifest") {
    nd_comm *comm = nd_mpi_test_comm();
    const nd_random random = nd_mpi_test_random("damaged manifest");
    const char *path = nd_mpi_test_path("manifest");
    nd_checkpoint checkpoint;
    char file[512];
    (void)snprintf(file, sizeof file, "%s/manifest.json", path);
    make_state(&checkpoint, comm, path, random, 1, 10);
    nd_checkpoint_close(&checkpoint);
    damage(comm, file, 0, 60);
    ND_CHECK_ALL(comm, nd_checkpoint_open(&checkpoint, comm, path, true) == ND_ERR_FORMAT);
    ND_CHECK_ALL(comm, said(file) && said("damaged"));
    damage(comm, file, 0, 60); /* as it was */
    (void)resumes(comm, path, random, 1, 10, "first");
    damage(comm, file, 1, 0);
    ND_CHECK_ALL(comm, nd_checkpoint_open(&checkpoint, comm, path, true) != ND_OK);
    ND_CHECK_ALL(comm, said(file) && said("empty"));
    damage(comm, file, 2, 0);
    discard(comm, path);
}

/* ---- without a work folder */

ND_TEST("without a work folder") {
    nd_comm *comm = nd_mpi_test_comm();
    nd_spool_folder folder = {0};
    nd_spool spool;
    nd_checkpoint checkpoint;
    uint64_t number = 0;
    nd_spool_open(&spool, &folder, 0);
    ND_TEST_OK(nd_spool_append(&spool, "abc", 3));
    ND_TEST_OK(nd_checkpoint_open(&checkpoint, comm, NULL, true));
    CU_ASSERT_FALSE(checkpoint.enabled);
    ND_TEST_OK(nd_checkpoint_save(&checkpoint, ARRAY, 3, 0, "abc", 1));
    ND_TEST_OK(nd_checkpoint_keep(&checkpoint, ARRAY, 3, 0, &spool));
    CU_ASSERT_FALSE(spool.kept);
    nd_checkpoint_set_number(&checkpoint, "n", 1);
    nd_checkpoint_set_text(&checkpoint, "t", "x");
    nd_checkpoint_drop(&checkpoint, ARRAY);
    ND_TEST_OK(nd_checkpoint_commit(&checkpoint, "stage"));
    CU_ASSERT_PTR_NULL(nd_checkpoint_stage(&checkpoint));
    CU_ASSERT_EQUAL(nd_checkpoint_count(&checkpoint, ARRAY), 0);
    ND_TEST_OK(nd_checkpoint_load(&checkpoint, ARRAY, 3, 0, 0, NULL));
    CU_ASSERT_EQUAL(nd_checkpoint_number(&checkpoint, "n", &number), ND_ERR_FORMAT);
    ND_TEST_OK(nd_checkpoint_check(&checkpoint));
    nd_checkpoint_discard(&checkpoint);
    nd_checkpoint_close(&checkpoint);
    nd_spool_close(&spool);
}

/* ---- A packed array that ranks write together, and that a second folder goes on with: any of its
 * bytes are read again, by any number of ranks, in any order. */

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
ND_TEST("two folders") {
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

/* ---- The shares of a rank's memory fit into it, from the least to more than any node has. */

/* What is alive at once, as the header says. */
static uint64_t sum_of(const nd_memory *m) {
    return m->store + 3 * m->sort + 4 * m->spool + m->batch + 4 * m->round;
}

/* Totals of every size, and around those where the base begins to count. */
ND_TEST("shares fit") {
    const uint64_t base = ND_MEMORY_BASE;
    nd_random random = nd_mpi_test_random("shares");
    for (uint64_t total = UINT64_C(16) << 20; total <= UINT64_C(1) << 40; total += total / 7) {
        const uint64_t drawn = total + nd_random_below(&random, total / 7);
        const nd_memory m = nd_memory_shares(drawn);
        CU_ASSERT_EQUAL(m.total, drawn);
        CU_ASSERT(sum_of(&m) + (drawn > 2 * base ? base : 0) <= drawn);
    }
    for (uint64_t total = 2 * base - 2; total < 2 * base + 3; total++) {
        const nd_memory m = nd_memory_shares(total);
        CU_ASSERT(sum_of(&m) + (total > 2 * base ? base : 0) <= total);
    }
}

/* Of the least memory that the program takes, a spool and a sort get what they take at least; so
 * no share is larger than it says. */
ND_TEST("least shares") {
    const nd_memory m = nd_memory_shares(UINT64_C(16) << 20);
    CU_ASSERT(m.spool >= 64 << 10);
    CU_ASSERT(m.sort >= 256 << 10);
    CU_ASSERT(m.store / 8 >= 3 * 64 << 10); /* that much is left for texts and names, in any case */
}

/* More memory, more of everything. */
ND_TEST("shares grow") {
    nd_memory before = nd_memory_shares(UINT64_C(16) << 20);
    for (uint64_t total = UINT64_C(17) << 20; total <= UINT64_C(1) << 40; total += total / 5) {
        const nd_memory m = nd_memory_shares(total);
        CU_ASSERT(m.store >= before.store && m.sort >= before.sort && m.spool >= before.spool &&
                  m.batch >= before.batch && m.round >= before.round);
        before = m;
    }
}
static void set_slurm(const char *per_node, const char *per_cpu, const char *cpus) {
    static const char *const names[] = {"SLURM_MEM_PER_NODE", "SLURM_MEM_PER_CPU",
                                        "SLURM_CPUS_ON_NODE"};
    const char *const values[] = {per_node, per_cpu, cpus};
    for (int i = 0; i < 3; i++) {
        CU_ASSERT_EQUAL(values[i] == NULL ? unsetenv(names[i]) : setenv(names[i], values[i], 1), 0);
    }
}

/* Four fifths of what Slurm gives, which is never more than there is; shared by the node's ranks.
 */
ND_TEST("the default") {
    const uint64_t mebibyte = UINT64_C(1) << 20;
    set_slurm(NULL, NULL, NULL);
    const uint64_t node = nd_memory_default(1);
    CU_ASSERT(node > 16 * mebibyte);
    CU_ASSERT(nd_memory_default(4) <= node / 4 && nd_memory_default(4) + 1 >= node / 4);
    CU_ASSERT_EQUAL(nd_memory_default(0), node);
    set_slurm("100", NULL, NULL);
    CU_ASSERT_EQUAL(nd_memory_default(1), 80 * mebibyte);
    CU_ASSERT_EQUAL(nd_memory_default(5), 16 * mebibyte);
    set_slurm(NULL, "50", "2");
    CU_ASSERT_EQUAL(nd_memory_default(1), 80 * mebibyte);
    set_slurm("0", NULL, NULL); /* all of the node */
    CU_ASSERT_EQUAL(nd_memory_default(1), node);
    set_slurm("1000000000", NULL, NULL);
    CU_ASSERT_EQUAL(nd_memory_default(1), node);
    set_slurm(NULL, NULL, NULL);
}

/* ---- A whole job whose ranks are not equally fast: they hold other pages and compare other pairs,
 * and the result is the same. */

enum { FAMILIES = 40, COPIES = 6, SENTENCES = 30, JOB_PAGES = FAMILIES * COPIES };

/* Pages of a family differ in some sentences, one more in each. */
static void write_lines(void) {
    nd_buffer lines = {0};
    for (uint64_t page = 0; page < JOB_PAGES; page++) {
        nd_test_print(&lines, "{\"id\": \"%d\", \"text\": \"", (int)page);
        for (uint64_t k = 0; k < SENTENCES; k++) {
            const bool own = k < page % COPIES;
            nd_random random = {(page / COPIES * SENTENCES + k) * JOB_PAGES + (own ? page : 0)};
            for (int word = 0; word < 9; word++) {
                const uint64_t drawn = nd_random_next(&random);
                nd_test_print(&lines, "%c%c%c%s", 'a' + (int)(drawn % 26),
                              'a' + (int)(drawn / 26 % 26), 'a' + (int)(drawn / 676 % 26),
                              word < 8 ? " " : ". ");
            }
        }
        nd_test_print(&lines, "\"}\n");
    }
    (void)nd_test_write("lines.jsonl", nd_buffer_span(&lines));
    nd_buffer_free(&lines);
}

/* Collective. Sets and links of all pages, on rank 0. \param[in] seconds  this rank's pace, of 1
 * \param[out] own  how many pages the rank has \return what all ranks counted */
static nd_job_totals run_paced(double seconds, bool keeps, nd_page_rows *rows, uint64_t *own) {
    nd_comm *comm = nd_mpi_test_comm();
    nd_job job;
    nd_result result = {0};
    char paths[3][256];
    nd_job_options options = nd_mpi_test_job_options();
    static const char *const names[3] = {"lines.jsonl", "paced.h5", "paced.work"};
    for (int i = 0; i < 3; i++) { /* of rank 0 */
        (void)snprintf(paths[i], sizeof paths[i], "%s/%s", nd_test_folder(), names[i]);
        ND_MPI(MPI_Bcast(paths[i], sizeof paths[i], MPI_CHAR, 0, comm->handle));
    }
    options.memory.batch = options.memory.round = 1 << 14;
    options.split_size = 8192;
    options.checkpoint_seconds = 60;
    options.output = paths[1];
    options.work = keeps ? paths[2] : NULL;
    options.command_line = "m_job";
    nd_run_open(&job, comm->handle, &options);
    (void)nd_comm_pace(&job.comm, seconds);
    ND_CHECK_ALL(comm, nd_run(&job, (const char *const[]){paths[0]}, 1) == ND_OK);
    ND_CHECK_ALL(comm, job.totals.pages == JOB_PAGES && job.totals.links > JOB_PAGES);
    *own = job.first[comm->rank + 1] - job.first[comm->rank];
    const nd_job_totals totals = job.totals;
    nd_run_close(&job);
    if (comm->rank == 0) {
        ND_TEST_OK(nd_result_open(&result, paths[1]));
        ND_TEST_OK(nd_page_rows_read(&result, 0, JOB_PAGES, rows));
        (void)nd_result_close(&result);
        CU_ASSERT(nd_test_remove(paths[1]));
    }
    return totals;
}

ND_TEST("ranks of unequal pace") {
    nd_comm *comm = nd_mpi_test_comm();
    nd_page_rows usual = {0};
    nd_page_rows paced = {0};
    uint64_t pages = 0;
    if (comm->rank == 0) {
        write_lines();
    }
    const nd_job_totals expected = run_paced(1, true, &usual, &pages);
    for (int slow = 0; slow < comm->size; slow++) {
        const nd_job_totals totals =
            run_paced(comm->rank == slow ? 4 : 1, slow % 2 == 0, &paced, &pages);
        ND_CHECK_ALL(comm, memcmp(&totals, &expected, sizeof totals) == 0);
        const double part = comm->rank == slow ? 0.25 : 1;
        const double share = JOB_PAGES * part / (comm->size - 0.75);
        ND_CHECK_ALL(comm, slow % 2 != 0 || comm->size == 1 || fabs((double)pages - share) <= 1);
        for (uint64_t i = 0; i < JOB_PAGES && comm->rank == 0; i++) {
            CU_ASSERT(usual.set[i] == paced.set[i] && usual.link[i] == paced.link[i]);
        }
    }
    nd_page_rows_free(&usual);
    nd_page_rows_free(&paced);
}
