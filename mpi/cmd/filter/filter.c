/* neardup filter OUT.h5 -o DIR : the records of the inputs again, without near-duplicates. */
#include "mpi/cmd/filter/filter.h"

#include "mpi/cmd/command.h"
#include "mpi/cmd/filter/part_source.h"

#include "io/store/output_file.h"
#include "io/store/own_file.h"
#include "mpi/comm/comm.h"
#include "mpi/job/progress.h"
#include "src/base/printable.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static nd_filter_request asked;

#define AT(field) offsetof(nd_filter_request, field)

static const nd_option options[] = {
    {"output", "DIR", ND_OPTION_TEXT, AT(folder),
     .help = "a folder, new or empty. Files keep their names, below the folder that their whole "
             "collection has in common; a named collection gets a folder",
     .letter = 'o'},
    {"what", "drop|keep", ND_OPTION_SWITCH, AT(dropped),
     .help = "keep: everything but the dropped pages. drop: those alone. Together they hold every "
             "record once, and records about a whole file twice"},
    {"annotate", NULL, ND_OPTION_FLAG, AT(annotate),
     .help =
         "add what the result says about a page. A JSONL line gets the member \"neardup\": page, "
         "set, set_size, similarity, kept, kept_id, kept_url, reason. A WARC record is followed by "
         "a metadata record with the same. ARC and single-page files stay as they are"},
    {"progress", "none|lines|bar|auto", ND_OPTION_WORD, AT(progress),
     .help = "what is shown while it runs; auto: bar on a terminal, else lines"},
    {"max-page", "SIZE", ND_OPTION_SIZE, AT(max_page_bytes),
     .help = "longer JSONL lines are no pages, as in the run (128M)", .rare = true},
    {0},
};

static void open_options(nd_command_table sets[ND_COMMAND_TABLES]) {
    asked = (nd_filter_request){.progress = ND_PROGRESS_AUTO};
    sets[0] = (nd_command_table){.table = options, .options = &asked};
    sets[1] = (nd_command_table){.table = nd_keep_option_table, .options = &asked.wish};
}

/* ---- what there is */

/* The sources of a result, and this rank's. */
typedef struct sources {
    nd_text_column paths, collections;
    uint64_t count;
    uint64_t *bytes, *collection;
    uint64_t *checksum; /* 0: not known */
    uint64_t *first;    /* page of each, and the end: count + 1 */
    char **to;          /* where each is written to, below the folder */
    uint64_t own_begin, own_end;
} sources;

static nd_status read_sources(const nd_result *result, sources *s) {
    nd_status st = ND_OK;
    nd_span *texts = NULL;
    nd_span *names = NULL;
    ND_TRY(nd_source_paths_read(result, &s->paths));
    ND_TRY(nd_collection_names_read(result, &s->collections));
    s->count = s->paths.count;
    nd_new(&s->bytes, s->count, sizeof *s->bytes);
    nd_new(&s->collection, s->count, sizeof *s->collection);
    nd_new(&s->checksum, s->count, sizeof *s->checksum);
    nd_new(&s->first, s->count + 1, sizeof *s->first);
    nd_new(&texts, s->count, sizeof *texts);
    nd_new(&names, s->collections.count, sizeof *names);
    ND_TRY(nd_result_read(result, "/sources/bytes", ND_COLUMN_U64, 0, s->count, s->bytes));
    ND_TRY(
        nd_result_read(result, "/sources/collection", ND_COLUMN_U64, 0, s->count, s->collection));
    ND_TRY(nd_result_read(result, "/sources/pages", ND_COLUMN_U64, 0, s->count, s->first + 1));
    ND_TRY(
        nd_result_has(result, "/sources/checksum")
            ? nd_result_read(result, "/sources/checksum", ND_COLUMN_U64, 0, s->count, s->checksum)
            : ND_OK);
    for (uint64_t i = 0; i < s->count; i++) {
        texts[i] = nd_text_column_at(&s->paths, i);
        const uint64_t left = result->shape.pages - s->first[i];
        if (s->collection[i] >= s->collections.count || s->first[i + 1] > left) {
            st = nd_fail(ND_ERR_FORMAT,
                         "%s: /sources: row %" PRIu64
                         ": no such numbers: damaged, or not written by neardup",
                         result->path, i);
            goto out;
        }
        s->first[i + 1] += s->first[i];
    }
    for (uint64_t c = 0; c < s->collections.count; c++) {
        names[c] = nd_text_column_at(&s->collections, c);
    }
    ND_TRY(nd_output_names(texts, s->collection, s->count, names, s->collections.count, &s->to));
out:
    free(texts);
    free(names);
    return st;
}

enum { OPEN_COST = 16384 /* so many bytes are copied in the time of opening a file */ };

/* Consecutive sources whose middle lies in this rank's share of all bytes. */
static void deal_sources(sources *s, const nd_comm *comm) {
    double total = 0;
    double before = 0;
    for (uint64_t i = 0; i < s->count; i++) {
        total += (double)(s->bytes[i] + OPEN_COST);
    }
    s->own_begin = s->own_end = 0;
    for (uint64_t i = 0; i < s->count; i++) {
        const double middle = before + ((double)(s->bytes[i] + OPEN_COST)) / 2;
        const int rank = (int)(middle / total * comm->size); /* below the size: it is a middle */
        before += (double)(s->bytes[i] + OPEN_COST);
        s->own_begin += rank < comm->rank;
        s->own_end += rank <= comm->rank;
    }
}

static void free_sources(sources *s) {
    nd_output_names_free(&s->to, s->count);
    nd_text_column_free(&s->paths);
    nd_text_column_free(&s->collections);
    free(s->bytes);
    free(s->collection);
    free(s->checksum);
    free(s->first);
}

/* ---- the choice */

/* Collective. Each rank's part of an array that rank 0 has, in rounds of bounded size. */
static void scatter(const nd_comm *comm, const uint8_t *all, size_t size, uint64_t begin,
                    uint64_t end, uint8_t **part) {
    enum { ROUND = 1 << 26 };
    ND_ASSERT(begin <= end, begin, end);
    nd_new(part, end - begin, size);
    for (int rank = 1; rank < comm->size; rank++) {
        uint64_t range[2] = {begin, end};
        if (comm->rank == rank) {
            ND_MPI(MPI_Send(range, 2, MPI_UINT64_T, 0, ND_TAG_KEPT, comm->handle));
        } else if (comm->rank == 0) {
            ND_MPI(MPI_Recv(range, 2, MPI_UINT64_T, rank, ND_TAG_KEPT, comm->handle,
                            MPI_STATUS_IGNORE));
        }
        for (uint64_t at = range[0] * size; at < range[1] * size; at += ROUND) {
            const int bytes = (int)nd_min(range[1] * size - at, ROUND);
            if (comm->rank == rank) {
                ND_MPI(MPI_Recv(*part + (at - begin * size), bytes, MPI_BYTE, 0, ND_TAG_KEPT,
                                comm->handle, MPI_STATUS_IGNORE));
            } else if (comm->rank == 0) {
                ND_MPI(MPI_Send(all + at, bytes, MPI_BYTE, rank, ND_TAG_KEPT, comm->handle));
            }
        }
    }
    if (comm->rank == 0 && end > begin) {
        memcpy(*part, all + begin * size, (end - begin) * size);
    }
}

/* This rank's pages. */
typedef struct choice {
    uint64_t *all; /* of all pages, on rank 0 */
    uint64_t *kept;
    uint32_t *set_pages;
    uint8_t *reasons;
    nd_page_names names;
} choice;

static int by_number(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Names of the pages that stand for others of this rank's. */
static nd_status read_names(const nd_result *result, uint64_t begin, uint64_t end, choice *c) {
    nd_status st = ND_OK;
    uint64_t *standing = NULL;
    uint64_t count = 0;
    uint64_t distinct = 0;
    nd_new(&standing, end - begin, sizeof *standing);
    for (uint64_t p = begin; p < end; p++) {
        ND_ASSERT(c->kept[p - begin] < result->shape.pages, p, c->kept[p - begin],
                  result->shape.pages);
        if (c->kept[p - begin] != p) {
            standing[count++] = c->kept[p - begin];
        }
    }
    qsort(standing, count, sizeof *standing, by_number);
    for (uint64_t i = 0; i < count; i++) {
        if (distinct == 0 || standing[distinct - 1] != standing[i]) {
            standing[distinct++] = standing[i];
        }
    }
    ND_TRY(nd_page_names_read(result, standing, distinct, &c->names));
out:
    return st;
}

/* Collective. */
static nd_status choose(const nd_comm *comm, const nd_result *result,
                        const nd_filter_request *request, uint64_t begin, uint64_t end, choice *c) {
    nd_status st = ND_OK;
    uint32_t *set_pages = NULL;
    uint8_t *reasons = NULL;
    const bool annotate = request->annotate;
    if (comm->rank == 0) {
        st = nd_result_choose(result, &request->wish, &c->all, annotate ? &set_pages : NULL);
        st = st == ND_OK && annotate ? nd_result_reasons(result, c->all, &reasons) : st;
    }
    ND_TRY(nd_comm_agree(comm, st));
    scatter(comm, (const uint8_t *)c->all, sizeof *c->all, begin, end, (uint8_t **)&c->kept);
    if (annotate) {
        scatter(comm, reasons, sizeof *reasons, begin, end, &c->reasons);
        scatter(comm, (const uint8_t *)set_pages, sizeof *set_pages, begin, end,
                (uint8_t **)&c->set_pages);
        ND_TRY(nd_comm_agree(comm, read_names(result, begin, end, c)));
    }
out:
    free(set_pages);
    free(reasons);
    return st;
}

/* ---- files */

/* How far this rank has come: in units of bytes, with what opening a file costs. */
typedef struct passing {
    nd_progress progress;
    const nd_comm *comm;
    uint64_t before, total;
    const nd_parting *parting;
} passing;

static void pass(void *context, uint64_t bytes) {
    passing *p = context;
    nd_progress_update(&p->progress, p->comm, p->before + bytes, p->total,
                       p->parting->totals.pages);
}

/* Not collective. This rank's files, all of which are on the disk then: who deletes the inputs
 * afterwards has these alone. */
static nd_status part_sources(const sources *s, const nd_comm *comm,
                              const nd_filter_request *request, nd_parting *parting) {
    nd_status st = ND_OK;
    char to[PATH_MAX];
    passing p = {.progress = {.mode = nd_progress_choose(request->progress)},
                 .comm = comm,
                 .parting = parting};
    parting->pass = pass;
    parting->context = &p;
    for (uint64_t i = s->own_begin; i < s->own_end; i++) {
        p.total += s->bytes[i] + OPEN_COST;
    }
    nd_progress_begin(&p.progress, comm, "filter", "pages");
    for (uint64_t i = s->own_begin; i < s->own_end; i++) {
        pass(&p, 0);
        p.before += s->bytes[i] + OPEN_COST;
        if (nd_part_is_empty(parting, s->first[i], s->first[i + 1])) {
            continue;
        }
        const int size =
            request->file == NULL
                ? snprintf(to, sizeof to, "%s/%s", request->folder, s->to[i])
                : snprintf(to, sizeof to, "%s%s", /* a path has a folder */
                           strchr(request->file, '/') != NULL ? "" : "./", request->file);
        if ((size_t)size >= sizeof to) {
            st = nd_fail(ND_ERR_USAGE, "%s: the name of the file is too long", s->to[i]);
            goto out;
        }
        ND_TRY(nd_part_source(parting, (uint32_t)i, nd_text_column_at(&s->paths, i), s->bytes[i],
                              s->checksum[i], s->first[i], s->first[i + 1], to));
    }
    ND_TRY(nd_own_batch_publish(&parting->batch));
out:
    nd_own_batch_drop(&parting->batch); /* of a failure */
    nd_progress_clear(&p.progress);
    parting->pass = NULL;
    parting->context = NULL;
    return st;
}

static void print_totals(const nd_part_totals *t, bool dropped, double seconds, int ranks) {
    nd_print_line(stderr,
                  "%s: %" PRIu64 " pages and %" PRIu64 " other records in %" PRIu64
                  " files, %.1f MB; %.2f s, %.0f MB per second on %d ranks",
                  dropped ? "dropped" : "kept", t->pages, t->records, t->files,
                  (double)t->bytes / 1e6, seconds, (double)t->bytes / 1e6 / seconds, ranks);
    if (t->stayed > 0) {
        nd_print_line(stderr,
                      "neardup filter: %" PRIu64
                      " pages to be dropped are kept: what is kept is in "
                      "the same compressed members; pack the archive by record, as by 'warcio "
                      "recompress', and partition it, to part them",
                      t->stayed);
    }
    if (t->bare > 0) {
        nd_print_line(stderr,
                      "neardup filter: %" PRIu64 " pages are not annotated: they are of ARC, or "
                      "files of their own",
                      t->bare);
    }
}

/* Rank 0: take the place that is written to. */
static nd_status take_place(const nd_filter_request *request, const sources *s,
                            nd_output_lock *lock) {
    if (request->file == NULL) {
        return nd_output_folder("-o", request->folder, lock);
    }
    if (s->count != 1) {
        return nd_fail(ND_ERR_USAGE,
                       "-o %s: a file for the pages of %" PRIu64 " files: name a folder",
                       request->file, s->count);
    }
    return nd_output_take("-o", request->file, lock);
}

nd_status nd_filter_run(const nd_comm *comm, const char *path, const nd_filter_request *request) {
    nd_status st = ND_OK;
    nd_result result = {.file = H5I_INVALID_HID};
    sources s = {.count = 0};
    choice c = {.kept = NULL};
    char *created = NULL;
    nd_output_lock lock = {0};
    nd_parting parting = {
        .result = &result,
        .reader = {.max_page_bytes = request->max_page_bytes, .memory = request->wish.memory},
        .dropped = request->dropped,
        .annotate = request->annotate};
    const double started = MPI_Wtime();
    st = nd_result_open(&result, path);
    st = st != ND_OK ? st : nd_result_get_text(&result, "created", &created);
    st = st != ND_OK ? st : read_sources(&result, &s);
    ND_TRY(nd_comm_agree(comm, st));
    ND_TRY(nd_comm_agree(comm, comm->rank == 0 ? take_place(request, &s, &lock) : ND_OK));
    deal_sources(&s, comm);
    ND_ASSERT(s.own_begin <= s.own_end && s.own_end <= s.count, s.own_begin, s.own_end, s.count);
    ND_ASSERT(comm->rank + 1 < comm->size || s.own_end == s.count, s.own_end, s.count);
    const uint64_t begin = s.first[s.own_begin];
    const uint64_t end = s.first[s.own_end];
    ND_TRY(choose(comm, &result, request, begin, end, &c));
    parting.date = created;
    parting.first_page = begin;
    parting.kept = c.kept;
    parting.set_pages = c.set_pages;
    parting.reasons = c.reasons;
    parting.names = &c.names;
    ND_TRY(nd_comm_agree(comm, part_sources(&s, comm, request, &parting)));
    nd_comm_sum_all(comm, &parting.totals, sizeof parting.totals / sizeof(uint64_t));
    if (comm->rank == 0) {
        print_totals(&parting.totals, request->dropped, MPI_Wtime() - started, comm->size);
    }
out:
    nd_output_release(&lock);
    free(created);
    free(c.all);
    free(c.kept);
    free(c.set_pages);
    free(c.reasons);
    nd_page_names_free(&c.names);
    free_sources(&s);
    (void)nd_result_close(&result);
    return st;
}

/* ---- the command */

static nd_status parse(int argc, char **argv, const char **path) {
    nd_status st = ND_OK;
    nd_command_table sets[ND_COMMAND_TABLES] = {{0}};
    open_options(sets);
    ND_TRY(nd_command_line_result(sets, argc, argv, path));
    if (asked.folder == NULL || asked.folder[0] == '\0') {
        st = nd_fail(ND_ERR_USAGE, "needs -o DIR: where to?");
    }
out:
    return st;
}

static int filter(int argc, char **argv) {
    nd_comm comm;
    const char *path = NULL;
    nd_comm_start(&argc, &argv);
    nd_comm_open(&comm, MPI_COMM_WORLD);
    /* every rank has the same command line and takes it the same way */
    nd_status st = parse(argc, argv, &path);
    st = st == ND_OK ? nd_filter_run(&comm, path, &asked) : st;
    const int code = nd_command_end(&nd_command_filter, &comm, st);
    nd_comm_close(&comm);
    ND_MPI(MPI_Finalize());
    return code;
}

const nd_command nd_command_filter = {
    .name = "filter",
    .summary = "copy a run's inputs without near-duplicates (alone, or under mpirun/srun)",
    .usage = "OUT.h5 -o DIR [--what keep|drop] [--keep RULES] [--annotate]",
    .about =
        "Copies a run's input files with the records that are kept, or with those that are "
        "dropped. Records are copied byte for byte, into files with the same format and name. WARC "
        "requests and metadata go with their page. Everything that is no page is kept, and so is "
        "the page that a kept revisit repeats. Inputs packed record by record are copied as they "
        "are; inputs packed as a whole are packed again.\n\nInputs are found under the run's path "
        "or from the result's folder, and refused if any byte has changed. After partition "
        "--index, files from earlier runs are copied unchanged and must be there; --what drop "
        "needs only the new run's. The files do not depend on the number of ranks.",
    .examples = "neardup filter out.h5 -o deduplicated\n"
                "mpirun -n 4 neardup filter out.h5 -o kept --keep https,latest --annotate\n"
                "neardup filter out.h5 -o dropped --what drop",
    .open = open_options,
    .run = filter,
};
