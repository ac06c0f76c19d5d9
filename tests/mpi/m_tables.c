/* What is written. */
#include "io/result/result_file.h"
#include "io/result/result_read.h"
#include "io/store/own_file.h"
#include "mpi/cmd/report/refused_pairs.h"
#include "mpi/cmd/synthesize/write_corpus.h"
#include "mpi/run/run.h"
#include "mpi/stage/result_tables.h"
#include "mpi/stage/state.h"
#include "tests/support/mpi_check.h"
#include "tests/support/pages.h"
#include "tests/support/small_result.h"
#include "tests/support/sources.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Pages with the id of another page: on any number of ranks, with and without room in memory,
 * the same as comparing every page with all before it. */

enum { MOST_PAGES = 6000 };

/* A page: number of its id, 0: none; and its collection. */
typedef struct drawn {
    uint64_t id;
    uint16_t collection;
} drawn;

static nd_repeated_ids expected(const drawn *pages, size_t count, size_t *first_of) {
    nd_repeated_ids e = {.page = UINT64_MAX};
    bool shared[MOST_PAGES + 1] = {false};
    (void)memset(first_of, 0xff, 2 * (MOST_PAGES + 1) * sizeof *first_of);
    for (size_t i = 0; i < count; i++) {
        size_t *first = &first_of[2 * pages[i].id + pages[i].collection];
        if (pages[i].id == 0) {
            continue;
        }
        e.shared += shared[pages[i].id];
        shared[pages[i].id] = true;
        if (*first == SIZE_MAX) {
            *first = i;
            continue;
        }
        e.repeated++;
        if (e.page == UINT64_MAX) {
            e.page = i;
            e.first = *first;
        }
    }
    return e;
}

/* Ids are drawn from as many as `ids`; of two collections, if `collections` is 2. */
static void check(uint64_t pages, uint64_t ids, uint64_t collections, uint64_t memory,
                  nd_random *random) {
    nd_job job;
    nd_job_options options = nd_mpi_test_job_options();
    ND_OWNED(nd_page_store_free) nd_page_store all = {0};
    nd_repeated_ids found;
    ND_FREED drawn *drawn_pages = nd_mpi_test_new(MOST_PAGES, sizeof *drawn_pages);
    ND_FREED size_t *first_of = nd_mpi_test_new((uint64_t)2 * (MOST_PAGES + 1), sizeof *first_of);
    options.memory = nd_mpi_test_memory(memory);
    for (size_t i = 0; i < pages; i++) {
        char id[32] = "";
        drawn_pages[i].collection = (uint16_t)nd_random_below(random, collections);
        /* more ids than pages: each page has its own, but for those without */
        drawn_pages[i].id = ids > MOST_PAGES ? (i % 7 == 0 ? 0 : i) : nd_random_below(random, ids);
        if (drawn_pages[i].id > 0) {
            (void)snprintf(id, sizeof id, "<id:%llu>", (unsigned long long)drawn_pages[i].id);
        }
        const nd_stored_page page = {.collection = drawn_pages[i].collection, .offset = 10 * i};
        ND_TEST_OK(
            nd_page_store_append(&all, &page, NULL, NULL, nd_test_span(id), (nd_span){NULL, 0}));
    }
    const nd_repeated_ids right = expected(drawn_pages, pages, first_of);
    nd_mpi_test_job_open(&job, &options, &all, random);
    const bool done = nd_repeated_ids_find(&job, &found) == ND_OK;
    (void)ND_CHECK_ALL(&job.comm, done && found.repeated == right.repeated &&
                                      found.shared == right.shared && found.page == right.page);
    if (right.repeated > 0) {
        char id[32];
        (void)snprintf(id, sizeof id, "<id:%llu>", (unsigned long long)drawn_pages[right.page].id);
        (void)ND_CHECK_ALL(&job.comm,
                           found.first == right.first && found.at[0].offset == 10 * right.first &&
                               found.at[1].offset == 10 * right.page &&
                               strcmp(found.at[0].id, id) == 0 && strcmp(found.at[1].id, id) == 0);
    }
    nd_run_close(&job);
}

ND_TEST("pages with the same ids") {
    nd_random random = nd_mpi_test_random("repeats");
    check(MOST_PAGES, 3000, 1, 1 << 20, &random);
    check(MOST_PAGES, 3000, 2, 4 << 10, &random);
    check(MOST_PAGES, 3, 2, 4 << 10, &random);
    check(100, 5000, 2, 4 << 10, &random);
}

ND_TEST("no two with one") {
    nd_random random = nd_mpi_test_random("none");
    check(0, 10, 1, 4 << 10, &random);
    check(1000, 1, 2, 4 << 10, &random); /* no page has an id */
    check(1000, MOST_PAGES + 1, 2, 4 << 10, &random);
}

/* ---- Pairs of a result: random pairs, spread over the ranks, come back sorted from the file,
 * whatever of them fits in memory, and whoever has them. */

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
    ND_TRY(nd_write_pairs(job, &result, &nd_verified_columns, &job->state->links));
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
    ND_OWNED(nd_pair_rows_free) nd_pair_rows rows = {0};
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
    (void)nd_result_close(&result);
    return right && at == count;
}

static void check_pairs(uint64_t chance, uint64_t memory, bool spills, nd_random *random) {
    nd_job job;
    nd_job_options options = nd_mpi_test_job_options();
    ND_OWNED(nd_page_store_free) nd_page_store all = {0};
    ND_FREED nd_link *sorted = nd_mpi_test_new(MOST_PAIRS, sizeof *sorted);
    ND_FREED nd_link *shuffled = nd_mpi_test_new(MOST_PAIRS, sizeof *shuffled);
    const uint64_t count = chance == 0 ? 0 : draw_pairs(sorted, chance, random);
    char path[256];
    memcpy(shuffled, sorted, count * sizeof *sorted);
    shuffle(shuffled, count, random);
    options.memory = nd_mpi_test_memory(memory);
    options.keep_pairs = true;
    for (size_t i = 0; i < PAGES; i++) {
        const nd_stored_page page = {0};
        ND_TEST_OK(
            nd_page_store_append(&all, &page, NULL, NULL, (nd_span){NULL, 0}, (nd_span){NULL, 0}));
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
}

ND_TEST("pairs") {
    nd_random random = nd_mpi_test_random("pairs");
    check_pairs(1, 1 << 20, false, &random);
    check_pairs(45, 64 << 10, true, &random);
    check_pairs(1, 4 << 10, false, &random);
}

ND_TEST("no pairs") {
    nd_random random = nd_mpi_test_random("no pairs");
    check_pairs(0, 1 << 10, false, &random);
}

/* ---- The most similar pairs of two sets, of a small result. */

ND_TEST("refused pairs") {
    static const nd_test_change changes[] = {
        {"/pairs/a", 0, 0, NULL},           {"/pairs/b", 0, 3, NULL}, {"/pairs/a", 1, 2, NULL},
        {"/pairs/b", 1, 5, NULL},           {"/pairs/a", 2, 3, NULL}, {"/pairs/b", 2, 4, NULL},
        {"/pairs/similarity", 2, .75, NULL}};
    const nd_test_made made = {.changes = changes,
                               .change_count = sizeof changes / sizeof changes[0]};
    const char *path = nd_mpi_test_path("refused.h5");
    nd_result result = {0};
    nd_refused_pair pairs[2];
    uint64_t kept = 0;
    uint64_t count = 0;
    if (nd_mpi_test_comm()->rank != 0) {
        return; /* it is asked by one process */
    }
    ND_TEST_OK(nd_test_result_write(&result, path, &made));
    nd_test_result_finish(&result);
    ND_TEST_OK(nd_result_open(&result, path));
    ND_TEST_OK(nd_refused_pairs_find(&result, 2, pairs, &kept, &count));
    CU_ASSERT(kept == 2 && count == 3);
    CU_ASSERT(pairs[0].a == 2 && pairs[0].b == 5 && pairs[0].similarity == .75F);
    /* the later one of two that are as similar, in the place of one that is less so */
    CU_ASSERT(pairs[1].a == 3 && pairs[1].b == 4 && pairs[1].similarity == .75F);
    ND_TEST_OK(nd_refused_pairs_find(&result, 0, pairs, &kept, &count));
    CU_ASSERT(kept == 0 && count == 3);
    ND_TEST_OK(nd_result_close(&result));
}

/* ---- A synthetic corpus has the same files with the same bytes on any number of ranks, and
 * failures leave no rank. */

enum { FOLDER = 512 };

/* The same folder on all ranks; rank 0's goes with the program. */
static void shared_folder(const nd_comm *comm, const char *name, char *path) {
    if (comm->rank == 0) {
        (void)snprintf(path, FOLDER, "%s/%s", nd_test_folder(), name);
    }
    ND_MPI(MPI_Bcast(path, FOLDER, MPI_CHAR, 0, comm->handle));
}

static nd_status write_corpus(nd_comm *comm, const nd_corpus_files *files,
                              nd_corpus_totals *totals) {
    nd_progress progress = {.mode = ND_PROGRESS_NONE};
    return nd_write_corpus(comm, &progress, files, totals);
}

static bool same_file(const char *a, const char *b) {
    ND_OWNED(nd_buffer_free) nd_buffer x = nd_test_read(a);
    ND_OWNED(nd_buffer_free) nd_buffer y = nd_test_read(b);
    const bool same = x.size > 0 && x.size == y.size && memcmp(x.data, y.data, x.size) == 0;
    if (!same) {
        (void)printf("%s (%zu bytes) and %s (%zu bytes) differ\n", a, x.size, b, y.size);
    }
    return same;
}

/* Every file of a is in b, too, with the same bytes. */
static bool same_files(const char *a, const char *b, uint64_t *count) {
    bool same = true;
    DIR *folder = opendir(a);
    const struct dirent *entry = NULL;
    *count = 0;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        char x[2 * FOLDER], y[2 * FOLDER];
        if (entry->d_name[0] != '.') {
            (void)snprintf(x, sizeof x, "%s/%s", a, entry->d_name);
            (void)snprintf(y, sizeof y, "%s/%s", b, entry->d_name);
            same = same_file(x, y) && same;
            ++*count;
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    return same;
}

static void check_same(const nd_corpus_files *options, const char *name) {
    nd_comm *comm = nd_mpi_test_comm();
    char all[FOLDER], one[FOLDER], label[64];
    nd_corpus_files files = *options;
    nd_corpus_totals totals, alone;
    (void)snprintf(label, sizeof label, "%s-all", name);
    shared_folder(comm, label, all);
    (void)snprintf(label, sizeof label, "%s-one", name);
    shared_folder(comm, label, one);
    files.folder = all;
    if (!ND_CHECK_ALL(comm, write_corpus(comm, &files, &totals) == ND_OK)) {
        return;
    }
    bool same = true;
    if (comm->rank == 0) {
        nd_comm self;
        uint64_t found = 0;
        uint64_t expected = 0;
        nd_comm_open(&self, MPI_COMM_SELF);
        files.folder = one;
        same = write_corpus(&self, &files, &alone) == ND_OK;
        same = same_files(all, one, &found) && same;
        same = same_files(one, all, &expected) && same;
        const uint64_t shards = (files.corpus.pages + files.shard_pages - 1) / files.shard_pages;
        same = same && found == expected && found == shards + 3 && totals.files == shards;
        same = same && memcmp(&totals, &alone, sizeof totals) == 0;
        nd_comm_close(&self);
    }
    ND_CHECK_ALL(comm, same);
}

ND_TEST("the same bytes as on one rank") {
    const nd_corpus_options corpus = {
        .pages = 1003, .seed = 3, .page_bytes = 6000, .skew = .2, .hot_key = .1};
    const nd_corpus_files many = {.corpus = corpus, .format = ND_RECORD_WARC, .shard_pages = 100};
    const nd_corpus_files few = {.corpus = corpus, .format = ND_RECORD_JSONL, .shard_pages = 700};
    check_same(&many, "many");
    check_same(&few, "few");
}

ND_TEST("what is refused") {
    nd_comm *comm = nd_mpi_test_comm();
    char folder[FOLDER], path[2 * FOLDER];
    nd_corpus_totals totals;
    shared_folder(comm, "refused", folder);
    nd_corpus_files files = {
        .corpus = {.pages = 10, .seed = 1, .page_bytes = 1}, .folder = folder, .shard_pages = 10};
    ND_CHECK_ALL(comm, write_corpus(comm, &files, &totals) == ND_ERR_USAGE);
    ND_CHECK_ALL(comm, strstr(nd_fail_text(), "--page-bytes") != NULL);
    files.corpus.page_bytes = 6000;
    files.shard_pages = 0;
    ND_CHECK_ALL(comm, write_corpus(comm, &files, &totals) == ND_ERR_USAGE);
    ND_CHECK_ALL(comm, strstr(nd_fail_text(), "--shard-pages") != NULL);
    files.shard_pages = 10;
    if (comm->rank == 0) {
        (void)mkdir(folder, 0777);
        (void)snprintf(path, sizeof path, "%s/old", folder);
        (void)fclose(fopen(path, "w"));
    }
    ND_MPI(MPI_Barrier(comm->handle));
    const nd_status st = write_corpus(comm, &files, &totals);
    ND_CHECK_ALL(comm, st == (comm->rank == 0 ? ND_ERR_USAGE : ND_ERR_PEER));
    ND_CHECK_ALL(comm, strstr(nd_fail_text(), "not empty") != NULL);
}

/* One rank may write no more than a few bytes, as on a full disk: all learn, and the labels, which
 * would be of no use, are not left. */
ND_TEST("a rank that cannot write") {
    nd_comm *comm = nd_mpi_test_comm();
    char folder[FOLDER], path[2 * FOLDER];
    nd_corpus_totals totals;
    struct rlimit limit;
    shared_folder(comm, "failing", folder);
    const nd_corpus_files files = {.corpus = {.pages = 400, .seed = 1, .page_bytes = 6000},
                                   .folder = folder,
                                   .format = ND_RECORD_JSONL,
                                   .shard_pages = 10};
    const bool fails = comm->rank == comm->size - 1;
    (void)signal(SIGXFSZ, SIG_IGN);
    (void)getrlimit(RLIMIT_FSIZE, &limit);
    const struct rlimit small = {.rlim_cur = 10000, .rlim_max = limit.rlim_max};
    (void)setrlimit(RLIMIT_FSIZE, fails ? &small : &limit);
    const nd_status st = write_corpus(comm, &files, &totals);
    (void)setrlimit(RLIMIT_FSIZE, &limit);
    ND_CHECK_ALL(comm, st == (fails ? ND_ERR_IO : ND_ERR_PEER));
    ND_CHECK_ALL(comm, strstr(nd_fail_text(), "pages-") != NULL);
    static const char *const names[] = {"clusters.tsv", "loose.tsv", "classes.tsv"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        ND_CHECK_ALL(comm, access(path, F_OK) != 0);
        (void)strncat(path, ND_PARTIAL_SUFFIX, sizeof path - strlen(path) - 1);
        ND_CHECK_ALL(comm, access(path, F_OK) != 0);
    }
    (void)snprintf(path, sizeof path, "%s/pages-%05d.jsonl", folder, comm->size - 1);
    ND_CHECK_ALL(comm, access(path, F_OK) != 0);
}
