/* neardup synthesize -o DIR --pages N --seed S : a corpus with known truth. */
#include "io/store/output_file.h"
#include "io/store/own_file.h"
#include "mpi/cmd/command.h"
#include "mpi/cmd/help.h"
#include "mpi/cmd/synthesize/write_corpus.h"
#include "src/base/printable.h"
#include "src/base/util.h"
#include "src/synth/corpus_plan.h"
#include "src/synth/markup.h"
#include "src/synth/synthetic_page.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ==== files of the corpus */

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
    int digits;               /* of a file's number */
    nd_buffer labels[LABELS]; /* of the present file */
    FILE *handles[LABELS];    /* on rank 0 */
    nd_buffer received;       /* on rank 0: another rank's labels */
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
        const nd_buffer *own = &w->labels[i];
        const uint64_t longest = nd_comm_max(w->comm, own->size);
        st = longest > INT_MAX / 2 ? nd_fail(ND_ERR_LIMIT, "too many labels in one file of pages")
                                   : ND_OK;
        ND_TRY(nd_comm_agree(w->comm, st));
        if (w->comm->rank == 0) {
            nd_buffer_reserve(&w->received, longest);
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
    const nd_span id = nd_buffer_span(&p->id);
    nd_buffer *classes = &w->labels[LABEL_CLASSES];
    nd_buffer *both[] = {&w->labels[LABEL_CLUSTERS], classes};
    char line[160];
    for (size_t i = 0; i < 2; i++) {
        nd_text_span(both[i], id);
        nd_buffer_append_text(both[i], "\t");
        nd_text_span(both[i], nd_buffer_span(&p->cluster));
    }
    nd_buffer_append_text(both[0], "\n");
    const uint64_t ten_thousandths = (uint64_t)(p->similarity * 10000 + .5);
    (void)snprintf(line, sizeof line,
                   "\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 ".%04" PRIu64 "\t%" PRIu64 "\n",
                   class->name, (uint64_t)p->plan.story, (uint64_t)p->plan.site,
                   ten_thousandths / 10000, ten_thousandths % 10000, (uint64_t)p->tokens);
    nd_buffer_append_text(classes, line);
    if (class->truth == ND_TRUTH_UNDECIDED) {
        nd_text_span(&w->labels[LABEL_LOOSE], id);
        nd_buffer_append_text(&w->labels[LABEL_LOOSE], "\n");
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
    (void)snprintf(path, sizeof path, "%s/pages-%0*" PRIu64 "%s", w->files->folder, w->digits,
                   shard, nd_record_suffix(w->files->format));
    ND_TRY(nd_record_writer_open(path, w->files->format, &out));
    for (uint64_t page = begin; page < end; page++) {
        nd_synthetic_page_make(&w->factory, page, &w->page);
        const nd_written_page written = {.id = nd_buffer_span(&w->page.id),
                                         .url = nd_buffer_span(&w->page.url),
                                         .html = nd_buffer_span(&w->page.html)};
        ND_TRY(nd_record_writer_add(out, &written));
        put_labels(w);
        w->totals.pages[w->page.plan.class]++;
        w->totals.html_bytes += w->page.html.size;
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
        st = nd_fail(ND_ERR_USAGE, "--shard-pages %" PRIu64 ": must be from 1 to %" PRIu64,
                     shard_pages, ND_CORPUS_MOST_SHARD);
    } else if (strlen(w->files->folder) + 64 > PATH_SIZE) {
        st = nd_fail(ND_ERR_USAGE, "-o: the name of the folder is too long");
    }
    ND_TRY(nd_comm_agree(w->comm, st));
    ND_TRY(nd_comm_agree(w->comm, nd_corpus_plan_new(&w->files->corpus, &w->plan)));
    w->vocabulary = nd_vocabulary_new();
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
            w.labels[i].size = 0;
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
        nd_buffer_free(&w.labels[i]);
    }
    nd_buffer_free(&w.received);
    nd_vocabulary_free(&w.vocabulary);
    nd_corpus_plan_free(&w.plan);
    return st;
}

/* ==== the command */

static const uint64_t DEFAULT_PAGE_BYTES = 23000; /* pages of crawls are about as long */
static const uint64_t DEFAULT_SHARD_PAGES = 5000;

typedef struct arguments {
    nd_corpus_files files;
    nd_progress_mode progress;
    bool has_seed, has_text;
} arguments;

static arguments asked;

#define AT(field) offsetof(arguments, field)

/* Words stand in the order of their enums. */
static const nd_option options[] = {
    {"output", "DIR", ND_OPTION_TEXT, AT(files.folder), .help = "a folder; must be new or empty",
     .letter = 'o'},
    {"pages", "N", ND_OPTION_NUMBER, AT(files.corpus.pages), .help = "how many", .bounded = true},
    {"seed", "S", ND_OPTION_NUMBER, AT(files.corpus.seed),
     .help = "another number gives another corpus", .given = AT(has_seed)},
    {"profile", "archive|crawl", ND_OPTION_WORD, AT(files.corpus.profile),
     .help = "stories have 6 pages on average, or 1.4"},
    {"page-bytes", "SIZE", ND_OPTION_SIZE, AT(files.corpus.page_bytes),
     .help = "mean HTML bytes in a page"},
    {"text", "PERCENT", ND_OPTION_REAL, AT(files.corpus.text),
     .help = "percent of the HTML that is visible text, 5 to 36; the rest is markup. Most real "
             "pages have 7 to 36 (without this option: some 42)",
     .given = AT(has_text), .rare = true},
    {"format", "warc|jsonl", ND_OPTION_WORD, AT(files.format), .help = "warc is compressed"},
    {"shard-pages", "N", ND_OPTION_NUMBER, AT(files.shard_pages),
     .help = "pages in a file; one rank writes a file", .rare = true},
    {"sites", "N", ND_OPTION_NUMBER, AT(files.corpus.sites), .help = "(one for each 100 pages)",
     .rare = true, .bounded = true, .least = 1},
    {"skew", "SHARE", ND_OPTION_REAL, AT(files.corpus.skew),
     .help = "one site has this share in all pages", .rare = true},
    {"hot-key", "SHARE", ND_OPTION_REAL, AT(files.corpus.hot_key),
     .help = "this share in all pages carries one licence text with 32 sentences", .rare = true},
    {"progress", "none|lines|bar|auto", ND_OPTION_WORD, AT(progress),
     .help = "what is shown while it runs; auto: bar on a terminal, else lines", .rare = true},
    {0},
};

static void open_options(nd_command_table sets[ND_COMMAND_TABLES]) {
    asked = (arguments){
        .files = {.corpus = {.page_bytes = DEFAULT_PAGE_BYTES}, .shard_pages = DEFAULT_SHARD_PAGES},
        .progress = ND_PROGRESS_AUTO};
    sets[0] = (nd_command_table){.table = options, .options = &asked};
}

static nd_status parse(nd_command_call *call) {
    nd_status st = ND_OK;
    nd_words words;
    ND_TRY(nd_command_line_read(call, 0, &words));
    if (asked.has_text) {
        ND_TRY(nd_markup_share_check(asked.files.corpus.text));
    }
    if (words.count > 0) {
        st = nd_fail(ND_ERR_USAGE, "%s: takes options only", words.words[0]);
    } else if (asked.files.folder == NULL || *asked.files.folder == '\0') {
        st = nd_fail(ND_ERR_USAGE, "no -o DIR: where should the corpus go?");
    } else if (asked.files.corpus.pages == 0) {
        st = nd_fail(ND_ERR_USAGE, "no --pages N above 0: how many pages should it have?");
    } else if (!asked.has_seed) {
        st = nd_fail(ND_ERR_USAGE, "no --seed S: any number, as 1");
    }
out:
    return st;
}

static void print_classes(void) {
    (void)printf("Classes of pages: P are near-duplicates of their original, U undecided, N not\n");
    for (int i = 0; i < ND_PAGE_CLASSES; i++) {
        const nd_page_class_row *row = nd_page_class_get((nd_page_class)i);
        char begin[16];
        (void)snprintf(begin, sizeof begin, "  %-3s ", row->name);
        nd_help_beside(begin, 6, row->summary);
    }
}

static nd_status write_corpus(nd_comm *comm) {
    nd_progress progress = {.mode = nd_progress_choose(asked.progress)};
    nd_corpus_totals totals;
    const double started = MPI_Wtime();
    const nd_status st = nd_write_corpus(comm, &progress, &asked.files, &totals);
    if (comm->rank == 0 && st == ND_OK && asked.progress != ND_PROGRESS_NONE) {
        const double seconds = MPI_Wtime() - started;
        uint64_t pages = 0;
        for (int i = 0; i < ND_PAGE_CLASSES; i++) {
            const nd_page_class_row *row = nd_page_class_get((nd_page_class)i);
            pages += totals.pages[i];
            (void)fprintf(stderr, "%-3s %12" PRIu64 "  %s\n", row->name, totals.pages[i],
                          row->summary);
        }
        nd_print_line(stderr,
                      "pages: %" PRIu64 " in %" PRIu64 " files of %s; %.0f bytes of HTML each, "
                      "%.0f pages and %.1f MB per second on %d ranks",
                      pages, totals.files, asked.files.folder,
                      (double)totals.html_bytes / (double)pages, (double)pages / seconds,
                      (double)totals.html_bytes / 1e6 / seconds, comm->size);
    }
    return st;
}

static nd_status synthesize(nd_command_call *call) {
    nd_comm comm;
    nd_command_start(call, &comm);
    /* every rank has the same command line and takes it the same way */
    nd_status st = parse(call);
    st = st == ND_OK ? write_corpus(&comm) : st;
    return nd_command_finish(&nd_command_synthesize, call, &comm, st);
}

const nd_command nd_command_synthesize = {
    .name = "synthesize",
    .summary = "make a test corpus with known truth (alone, or under mpirun/srun)",
    .usage = "-o DIR --pages N --seed S [options]",
    .about =
        "Makes a corpus with known truth: sites with templates, stories in two made-up languages, "
        "their copies, and pages that look alike without being copies. The same options give the "
        "same bytes on any number of ranks.\n\nDIR also gets the truth. neardup evaluate OUT.h5 "
        "--truth DIR/clusters.tsv --loose DIR/loose.tsv reads it: clusters.tsv has id and cluster, "
        "loose.tsv undecided pages. classes.tsv has id, cluster, class, story, site, tokens in the "
        "main text, and the similarity to the original by construction.",
    .examples = "neardup synthesize -o corpus --pages 10000 --seed 1\n"
                "mpirun -n 4 neardup synthesize -o crawl --pages 1000000 --seed 1 --text 20\n"
                "neardup synthesize -o pages --pages 1000 --seed 2 --format jsonl",
    .more = print_classes,
    .open = open_options,
    .run = synthesize,
};
