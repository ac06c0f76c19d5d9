/* A synthetic corpus has the same files with the same bytes on any number of ranks, and failures
 * leave no rank. */
#include "mpi/cmd/synthesize/write_corpus.h"

#include "io/store/own_file.h"
#include "tests/support/mpi_check.h"
#include "tests/support/warc_writer.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

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
    nd_buffer x = nd_test_read(a);
    nd_buffer y = nd_test_read(b);
    const bool same = x.size > 0 && x.size == y.size && memcmp(x.data, y.data, x.size) == 0;
    if (!same) {
        (void)printf("%s (%zu bytes) and %s (%zu bytes) differ\n", a, x.size, b, y.size);
    }
    nd_buffer_free(&x);
    nd_buffer_free(&y);
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

static void test_same_bytes(void) {
    const nd_corpus_options corpus = {
        .pages = 1003, .seed = 3, .page_bytes = 6000, .skew = .2, .hot_key = .1};
    const nd_corpus_files many = {.corpus = corpus, .format = ND_RECORD_WARC, .shard_pages = 100};
    const nd_corpus_files few = {.corpus = corpus, .format = ND_RECORD_JSONL, .shard_pages = 700};
    check_same(&many, "many");
    check_same(&few, "few");
}

static void test_refused(void) {
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
static void test_failing_rank(void) {
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

static const nd_test tests[] = {
    {"the same bytes as on one rank", test_same_bytes},
    {"what is refused", test_refused},
    {"a rank that cannot write", test_failing_rank},
};

ND_SUITE(m_write_corpus, tests)
