#include "mpi/cmd/synthesize/write_corpus.h"

#include "io/store/output_file.h"
#include "io/store/own_file.h"
#include "src/base/util.h"
#include "src/synth/corpus_plan.h"
#include "src/synth/synthetic_page.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The label files. */
enum label { LABEL_CLUSTERS, LABEL_LOOSE, LABEL_CLASSES, LABELS };
static const char *const label_names[LABELS] = {"clusters.tsv", "loose.tsv", "classes.tsv"};

enum { PATH_SIZE = 4096 };

typedef struct writer {
    nd_comm *comm;
    nd_progress *progress;
    const nd_corpus_files *files;
    nd_output_lock lock; /* of the folder, on rank 0 */
    nd_corpus_plan *plan;
    nd_vocabulary *vocabulary;
    nd_page_factory factory;
    nd_synthetic_page page;
    uint64_t shards;
    int digits;                    /* of a file's number */
    nd_text_writer labels[LABELS]; /* of the present file */
    FILE *handles[LABELS];         /* on rank 0 */
    nd_buffer received;            /* on rank 0: another rank's labels */
    nd_corpus_totals totals;
} writer;

/* ---- labels */

static void label_path(const writer *w, enum label label, const char *suffix, char *path) {
    (void)snprintf(path, PATH_SIZE, "%s/%s%s", w->files->folder, label_names[label], suffix);
}

static nd_status file_failure(const writer *w, int label, const char *what) {
    return nd_fail(ND_ERR_IO, "%s/%s: cannot %s: %s", w->files->folder, label_names[label], what,
                   strerror(errno));
}

static nd_status append_label(writer *w, int label, nd_status st, const void *bytes, size_t size) {
    if (st == ND_OK && fwrite(bytes, 1, size, w->handles[label]) != size) {
        st = file_failure(w, label, "write");
    }
    return st;
}

/* Collective. Put the labels of this turn's files after those of the turns before. Rank 0 writes
 * its own, then takes and writes those of the others, rank by rank; after a failure it takes them
 * all the same. */
static nd_status write_labels(writer *w) {
    nd_status st = ND_OK;
    for (int i = 0; i < LABELS; i++) {
        const nd_buffer *own = &w->labels[i].text;
        const uint64_t longest = nd_comm_max(w->comm, own->size);
        st = longest > INT_MAX / 2 ? nd_fail(ND_ERR_LIMIT, "too many labels in one file of pages")
             : w->comm->rank == 0  ? nd_buffer_reserve(&w->received, longest)
                                   : ND_OK;
        ND_TRY(nd_comm_agree(w->comm, st));
        if (w->comm->rank == 0) {
            st = append_label(w, i, ND_OK, own->data, own->size);
        } else {
            ND_MPI(
                MPI_Send(own->data, (int)own->size, MPI_BYTE, 0, ND_TAG_LABELS, w->comm->handle));
        }
        for (int rank = 1; rank < w->comm->size && w->comm->rank == 0; rank++) {
            MPI_Status status;
            int size = 0;
            ND_MPI(MPI_Recv(w->received.data, (int)w->received.capacity, MPI_BYTE, rank,
                            ND_TAG_LABELS, w->comm->handle, &status));
            ND_MPI(MPI_Get_count(&status, MPI_BYTE, &size));
            st = append_label(w, i, st, w->received.data, (size_t)size);
        }
        ND_TRY(nd_comm_agree(w->comm, st));
    }
out:
    return st;
}

/* Collective. Complete the label files, or remove them after a failure. */
static nd_status close_labels(writer *w, nd_status st) {
    nd_status closed = st;
    for (int i = 0; i < LABELS; i++) {
        char path[PATH_SIZE], partial[PATH_SIZE];
        label_path(w, (enum label)i, "", path);
        label_path(w, (enum label)i, ND_PARTIAL_SUFFIX, partial);
        if (w->handles[i] == NULL) {
            continue;
        }
        if (fclose(w->handles[i]) != 0 && closed == ND_OK) {
            closed = file_failure(w, i, "write");
        }
        closed = closed != ND_OK ? closed : nd_own_file_publish(partial, path);
        if (closed != ND_OK) {
            (void)unlink(partial);
        }
    }
    return st == ND_OK ? nd_comm_agree(w->comm, closed) : st;
}

/* ---- pages */

static void put_labels(writer *w) {
    const nd_synthetic_page *p = &w->page;
    const nd_page_class_row *class = nd_page_class_get(p->plan.class);
    const nd_span id = nd_buffer_span(&p->id.text);
    nd_text_writer *classes = &w->labels[LABEL_CLASSES];
    nd_text_writer *both[] = {&w->labels[LABEL_CLUSTERS], classes};
    for (size_t i = 0; i < 2; i++) {
        nd_text_span(both[i], id);
        nd_text_put(both[i], "\t");
        nd_text_span(both[i], nd_buffer_span(&p->cluster.text));
    }
    nd_text_put(both[0], "\n");
    nd_text_put(classes, "\t");
    nd_text_put(classes, class->name);
    nd_text_put(classes, "\t");
    nd_text_number(classes, p->plan.story, 1);
    nd_text_put(classes, "\t");
    nd_text_number(classes, p->plan.site, 1);
    const uint64_t ten_thousandths = (uint64_t)(p->similarity * 10000 + .5);
    nd_text_put(classes, "\t");
    nd_text_number(classes, ten_thousandths / 10000, 1);
    nd_text_put(classes, ".");
    nd_text_number(classes, ten_thousandths % 10000, 4);
    nd_text_put(classes, "\t");
    nd_text_number(classes, p->tokens, 1);
    nd_text_put(classes, "\n");
    if (class->truth == ND_TRUTH_UNDECIDED) {
        nd_text_span(&w->labels[LABEL_LOOSE], id);
        nd_text_put(&w->labels[LABEL_LOOSE], "\n");
    }
}

/* Not collective. */
static nd_status write_shard(writer *w, uint64_t shard) {
    nd_status st = ND_OK;
    const uint64_t pages = w->files->corpus.pages;
    const uint64_t begin = shard * w->files->shard_pages;
    const uint64_t end = begin + nd_min(pages - begin, w->files->shard_pages);
    const uint64_t share = pages / (uint64_t)w->comm->size;
    nd_record_writer *out = NULL;
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/pages-%0*llu%s", w->files->folder, w->digits,
                   (unsigned long long)shard, nd_record_suffix(w->files->format));
    ND_TRY(nd_record_writer_open(path, w->files->format, &out));
    for (uint64_t page = begin; page < end; page++) {
        ND_TRY(nd_synthetic_page_make(&w->factory, page, &w->page));
        const nd_written_page written = {.id = nd_buffer_span(&w->page.id.text),
                                         .url = nd_buffer_span(&w->page.url.text),
                                         .html = nd_buffer_span(&w->page.html.text)};
        ND_TRY(nd_record_writer_add(out, &written));
        put_labels(w);
        for (int i = 0; i < LABELS; i++) {
            ND_TRY(w->labels[i].status);
        }
        w->totals.pages[w->page.plan.class]++;
        w->totals.html_bytes += w->page.html.text.size;
        const uint64_t done = begin / (uint64_t)w->comm->size + page - begin;
        nd_progress_update(w->progress, w->comm, nd_min(done, share), share, done);
    }
    w->totals.files++;
out:
    return nd_record_writer_close(&out, st);
}

/* ---- before and after */

/* Collective. */
static nd_status prepare(writer *w) {
    enum { LEAST_DIGITS = 5 };
    nd_status st = ND_OK;
    const uint64_t shard_pages = w->files->shard_pages;
    if (shard_pages == 0 || shard_pages > ND_CORPUS_MOST_SHARD) {
        st = nd_fail(ND_ERR_USAGE, "--shard-pages %llu: must be from 1 to %llu",
                     (unsigned long long)shard_pages, (unsigned long long)ND_CORPUS_MOST_SHARD);
    } else if (strlen(w->files->folder) + 64 > PATH_SIZE) {
        st = nd_fail(ND_ERR_USAGE, "-o: the name of the folder is too long");
    }
    ND_TRY(nd_comm_agree(w->comm, st));
    ND_TRY(nd_comm_agree(w->comm, nd_corpus_plan_new(&w->files->corpus, &w->plan)));
    ND_TRY(nd_comm_agree(w->comm, nd_vocabulary_new(&w->vocabulary)));
    ND_TRY(nd_comm_agree(
        w->comm, w->comm->rank == 0 ? nd_output_folder("-o", w->files->folder, &w->lock) : ND_OK));
    w->factory.plan = w->plan;
    w->factory.vocabulary = w->vocabulary;
    w->shards = (w->files->corpus.pages + shard_pages - 1) / shard_pages;
    w->digits = LEAST_DIGITS;
    for (uint64_t most = 100000; w->shards > most; most *= 10) {
        w->digits++;
    }

    /* Rank 0 writes the labels of all: they are few bytes beside the pages, and a file that several
     * nodes write at once is not the same on every file system. */
    for (int i = 0; i < LABELS && st == ND_OK && w->comm->rank == 0; i++) {
        char path[PATH_SIZE];
        label_path(w, (enum label)i, ND_PARTIAL_SUFFIX, path);
        int descriptor = -1;
        st = nd_own_file_remake(path, &descriptor);
        w->handles[i] = st == ND_OK ? fdopen(descriptor, "wb") : NULL;
        if (st == ND_OK && w->handles[i] == NULL) {
            (void)close(descriptor);
            (void)unlink(path);
            st = file_failure(w, i, "create");
        }
    }
    ND_TRY(nd_comm_agree(w->comm, st));
out:
    return st;
}

nd_status nd_write_corpus(nd_comm *comm, nd_progress *progress, const nd_corpus_files *files,
                          nd_corpus_totals *totals) {
    nd_status st = ND_OK;
    writer w = {.comm = comm, .progress = progress, .files = files};
    nd_progress_begin(progress, comm, "synthesize", "pages");
    ND_TRY(prepare(&w));
    /* in each turn every rank writes one file, the last turn's last ranks none */
    for (uint64_t first = 0; first < w.shards; first += (uint64_t)comm->size) {
        const uint64_t mine = first + (uint64_t)comm->rank;
        for (int i = 0; i < LABELS; i++) {
            nd_text_clear(&w.labels[i]);
        }
        st = mine < w.shards ? write_shard(&w, mine) : ND_OK;
        ND_TRY(nd_comm_agree(comm, st));
        ND_TRY(write_labels(&w));
    }
out:
    st = close_labels(&w, st);
    if (st == ND_OK) {
        uint64_t mine = 0;
        for (int i = 0; i < ND_PAGE_CLASSES; i++) {
            mine += w.totals.pages[i];
            w.totals.pages[i] = nd_comm_sum(comm, w.totals.pages[i]);
        }
        w.totals.html_bytes = nd_comm_sum(comm, w.totals.html_bytes);
        w.totals.files = nd_comm_sum(comm, w.totals.files);
        nd_progress_end(progress, comm, mine);
    }
    *totals = w.totals;
    nd_output_release(&w.lock);
    nd_page_factory_free(&w.factory);
    nd_synthetic_page_free(&w.page);
    for (int i = 0; i < LABELS; i++) {
        nd_text_free(&w.labels[i]);
    }
    nd_buffer_free(&w.received);
    nd_vocabulary_free(&w.vocabulary);
    nd_corpus_plan_free(&w.plan);
    return st;
}
