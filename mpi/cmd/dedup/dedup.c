/* neardup dedup INPUT... -o FILE|DIR : partition and filter, one after the other. */
#include "mpi/cmd/command.h"
#include "mpi/cmd/filter/filter.h"
#include "mpi/cmd/look/page_table.h"
#include "mpi/cmd/partition/partition.h"

#include "io/input/records.h"
#include "io/store/foreign_file.h"
#include "io/store/output_file.h"
#include "src/base/printable.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct request {
    const char *output, *result, *dropped;
    nd_filter_request filter;
    char made_result[PATH_MAX]; /* where none was named */
} request;

static request asked;

#define AT(field) offsetof(request, field)

static const nd_option options[] = {
    {"output", "FILE|DIR", ND_OPTION_TEXT, AT(output),
     .help = "the copy: a file for one INPUT, as clean.jsonl; else a folder, new or empty, for a "
             "file each. OUT.h5: only the result, as by neardup partition",
     .letter = 'o', .brief = "the copy: a file for one INPUT, as clean.jsonl, else a new folder"},
    {"dropped", "FILE", ND_OPTION_TEXT, AT(dropped),
     .help = "list the pages that went, each with the page kept in its place and the reason: TSV, "
             "or JSON lines if FILE ends in .jsonl",
     .brief = "list the pages that went, with the page kept and why"},
    {"result", "OUT.h5", ND_OPTION_TEXT, AT(result),
     .help = "where the result goes (beside the copy: clean.h5 for clean.jsonl or clean/)",
     .brief = "partition's result (clean.h5 beside the copy)"},
    {"annotate", NULL, ND_OPTION_FLAG, AT(filter.annotate),
     .help = "note the set, similarity and kept page beside each record: neardup filter --annotate",
     .rare = true},
    {0},
};

static void open_options(nd_command_table sets[ND_COMMAND_TABLES]) {
    enum { PARTITION = 3 }; /* tables */
    nd_command_table partition[ND_COMMAND_TABLES] = {{0}};
    asked = (request){.output = NULL};
    sets[0] = (nd_command_table){.table = options, .options = &asked};
    nd_partition_open(partition);
    memcpy(sets + 1, partition, PARTITION * sizeof *sets);
    sets[1 + PARTITION] =
        (nd_command_table){.table = nd_keep_option_table, .options = &asked.filter.wish};
}

/* ---- places */

/* Cut off the ending, if it is one of these. */
static void cut_ending(char *name, const char *const *endings, size_t count) {
    char *dot = strrchr(name, '.');
    if (nd_partition_ends_as(name, endings, count) && dot != name && dot[-1] != '/') {
        *dot = '\0';
    }
}

/* clean.h5 for clean.jsonl.gz, clean.warc or clean/ */
static nd_status name_result(const char *output, char name[PATH_MAX]) {
    static const char *const packed[] = {"gz", "zst"};
    static const char *const pages[] = {"jsonl", "ndjson", "json", "warc", "arc",
                                        "wet",   "txt",    "html", "htm"};
    size_t size = strlen(output);
    bool folder = false;
    if (size + sizeof ".h5" > PATH_MAX) {
        return nd_fail(ND_ERR_USAGE, "-o: a name of %zu bytes is too long", size);
    }
    memcpy(name, output, size + 1);
    for (; size > 1 && name[size - 1] == '/'; folder = true) {
        name[--size] = '\0';
    }
    const char *slash = strrchr(name, '/');
    const char *base = slash != NULL ? slash + 1 : name;
    if (*base == '\0' || strcmp(base, ".") == 0 || strcmp(base, "..") == 0) {
        return nd_fail(ND_ERR_USAGE, "-o %s: give the copy a name of its own", output);
    }
    if (!folder) {
        cut_ending(name, packed, sizeof packed / sizeof packed[0]);
        cut_ending(name, pages, sizeof pages / sizeof pages[0]);
    }
    (void)strcat(name, ".h5"); /* there is room */
    return ND_OK;
}

static bool lies_in(const char *path, const char *folder) {
    size_t size = strlen(folder);
    while (size > 1 && folder[size - 1] == '/') {
        size--;
    }
    return path != NULL && strncmp(path, folder, size) == 0 && path[size] == '/';
}

static bool is_result(const char *output) {
    return nd_partition_ends_as(output, (const char *const[]){"h5", "hdf5"}, 2);
}

/* Where everything goes, by what the command line says. */
static nd_status settle(nd_partition_arguments *a) {
    nd_status st = ND_OK;
    nd_job_options *job = &a->job;
    if (asked.output == NULL || asked.output[0] == '\0') {
        if (a->dry_run) {
            return ND_OK;
        }
        return nd_fail(ND_ERR_USAGE, "no -o FILE or -o DIR: where should what is kept go?");
    }
    if (is_result(asked.output)) {
        job->output = asked.output;
        if (asked.result != NULL || asked.dropped != NULL || asked.filter.annotate ||
            nd_keep_wish_is_given(&asked.filter.wish)) {
            return nd_fail(
                ND_ERR_USAGE,
                "-o %s: makes a result alone; --result, --dropped, --annotate and --keep "
                "are for a copy: give -o FILE or -o DIR",
                asked.output);
        }
        return ND_OK;
    }
    a->filters = !a->dry_run;
    ND_TRY(name_result(asked.output, asked.made_result));
    job->output = asked.result != NULL ? asked.result : asked.made_result;
    const bool file = nd_partition_is_name_of_pages(asked.output);
    *(file ? &asked.filter.file : &asked.filter.folder) = asked.output;
    asked.filter.progress = job->progress;
    asked.filter.max_page_bytes = job->reader.max_page_bytes;
    asked.filter.wish.memory = a->memory;
    for (size_t i = 0; i < a->input_count; i++) {
        const char *word = strrchr(a->inputs[i], '=');
        word = word != NULL ? word + 1 : a->inputs[i];
        if (strcmp(word, "-") == 0) {
            return nd_fail(ND_ERR_USAGE,
                           "%s: standard input is gone when the copy is made: save it in a file "
                           "and give that, or -o OUT.h5 for a result alone",
                           a->inputs[i]);
        }
    }
    const char *const own[] = {job->output, asked.dropped, job->work, job->write_index};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        if (own[i] != NULL && (lies_in(own[i], asked.output) || strcmp(own[i], asked.output) == 0 ||
                               (i > 0 && strcmp(own[i], own[0]) == 0))) {
            return nd_fail(ND_ERR_USAGE,
                           "%s: is the copy or the result, or lies in the copy: name "
                           "another place",
                           own[i]);
        }
    }
    if (file && job->index != NULL) {
        st = nd_fail(ND_ERR_USAGE,
                     "-o %s: with --index the copy has the files of earlier runs: "
                     "name a folder",
                     asked.output);
    }
out:
    return st;
}

/* A list of before may be replaced. */
static bool is_list(const char *path) {
    return nd_foreign_file_begins(path, ND_PAGE_TABLE_HEADER);
}

static bool is_none(const char *path) {
    (void)path;
    return false;
}

/* The copy of a file is packed as the file is. */
static nd_status check_ending(const char *path, nd_codec codec) {
    static const char *const endings[] = {"", ".gz", ".zst"};
    static const char *const names[] = {"not packed", "packed by gzip", "packed by zstd"};
    const char *dot = strrchr(asked.output, '.');
    const nd_codec named = strcasecmp(dot, ".gz") == 0    ? ND_CODEC_GZIP
                           : strcasecmp(dot, ".zst") == 0 ? ND_CODEC_ZSTD
                                                          : ND_CODEC_PLAIN;
    const int size =
        named != ND_CODEC_PLAIN ? (int)(dot - asked.output) : (int)strlen(asked.output);
    return named == codec
               ? ND_OK
               : nd_fail(ND_ERR_USAGE, "-o %s: %s is %s, and so is its copy: name it %.*s%s",
                         asked.output, path, names[codec], size, asked.output, endings[codec]);
}

/* Rank 0: is there one input, from which this file can be made without losing it? */
static nd_status check_file(const nd_partition_arguments *a) {
    nd_status st = ND_OK;
    nd_input_list inputs = {0};
    nd_walk *walk = NULL;
    struct stat info;
    const nd_output output = {.option = "-o",
                              .path = asked.output,
                              .force = a->job.force,
                              .replaces = is_none,
                              .what = "replaced unasked"};
    ND_TRY(nd_input_list_resolve(&inputs, a->inputs, a->input_count));
    if (inputs.count != 1) {
        st = nd_fail(ND_ERR_USAGE, "-o %s: is one file, and the inputs are %zu: name a folder",
                     asked.output, inputs.count);
        goto out;
    }
    const char *path = nd_input_file(&inputs.inputs[0]);
    const nd_output_files taken = nd_output_look(asked.output);
    if (stat(path, &info) == 0 && nd_output_takes(&taken, info.st_dev, info.st_ino)) {
        st = nd_fail(ND_ERR_USAGE, "-o %s: is the input: name another file", asked.output);
        goto out;
    }
    ND_TRY(nd_output_check(&output));
    ND_TRY(nd_walk_open(path, &a->job.reader, &walk));
    ND_TRY(check_ending(path, nd_walk_codec(walk)));
out:
    nd_walk_close(&walk);
    nd_input_list_free(&inputs);
    return st;
}

/* Rank 0: what would be refused after hours of work is refused before. */
static nd_status check_places(const nd_partition_arguments *a) {
    nd_status st = ND_OK;
    struct stat info;
    nd_output_lock lock = {0};
    const nd_output list = {.option = "--dropped",
                            .path = asked.dropped,
                            .force = a->job.force,
                            .replaces = is_list,
                            .what = "such a list"};
    ND_TRY(asked.dropped != NULL ? nd_output_check(&list) : ND_OK);
    if (asked.filter.file != NULL) {
        ND_TRY(check_file(a));
    } else {
        const bool there = lstat(asked.filter.folder, &info) == 0;
        ND_TRY(nd_output_folder("-o", asked.filter.folder, &lock));
        nd_output_release(&lock);
        if (!there) {
            (void)rmdir(asked.filter.folder);
        }
    }
out:
    return st;
}

/* ---- the command */

/* Rank 0: what to type next. */
static nd_status print_next(const char *path, bool failed) {
    nd_result result;
    const nd_next_step steps[] = {{"review", " -o review.html"},
                                  {"export", " --what drop > dropped.tsv"}};
    const nd_next_step look[] = {{"inspect", ""}};
    const nd_next_step again[] = {{"filter", " -o DIR"}};
    const nd_status st = nd_result_open(&result, path);
    if (st == ND_OK) {
        const bool pairs = result.shape.pages > result.shape.sets;
        const bool listed = asked.dropped != NULL || nd_keep_wish_is_given(&asked.filter.wish);
        (void)nd_result_close(&result);
        nd_print_next(path,
                      failed  ? again
                      : pairs ? steps
                              : look,
                      !failed && pairs && !listed ? 2 : 1);
    }
    return st;
}

/* Collective. \return the exit code */
static int filter_result(const nd_comm *comm, const nd_partition_arguments *a, int code) {
    const char *path = a->job.output;
    nd_status st = nd_filter_run(comm, path, &asked.filter);
    if (st == ND_OK) {
        st = nd_comm_agree(comm,
                           comm->rank == 0 && asked.dropped != NULL
                               ? nd_page_table_save_dropped(path, &asked.filter.wish, asked.dropped)
                               : ND_OK);
    }
    const int failed = nd_command_end(&nd_command_dedup, comm, st);
    if (comm->rank == 0 && (st != ND_OK || a->job.progress != ND_PROGRESS_NONE)) {
        (void)print_next(path, st != ND_OK);
    }
    return failed != ND_EXIT_DONE ? failed : code;
}

static nd_status dedup(nd_command_call *call) {
    nd_partition_arguments *a = NULL;
    nd_comm comm;
    /* every rank has the same command line and takes it the same way */
    nd_status st = nd_partition_read(call, &a);
    st = st == ND_OK ? settle(a) : st;
    st = st == ND_OK ? nd_partition_check(a) : st;
    nd_partition_start(call, a);
    nd_comm_open(&comm, MPI_COMM_WORLD);
    const nd_status places = st != ND_OK || !a->filters
                                 ? ND_OK
                                 : nd_comm_agree(&comm, comm.rank == 0 ? check_places(a) : ND_OK);
    int code = places == ND_OK ? nd_partition_run(&nd_command_dedup, st, a)
                               : nd_command_end(&nd_command_dedup, &comm, places);
    ND_MPI(MPI_Bcast(&code, 1, MPI_INT, 0, comm.handle)); /* one for all ranks */
    if (a->filters && places == ND_OK && (code == ND_EXIT_DONE || code == ND_EXIT_SKIPPED)) {
        code = filter_result(&comm, a, code);
    }
    nd_comm_close(&comm);
    nd_buffer_free(&a->command_line);
    ND_MPI(MPI_Finalize());
    call->code = code;
    return ND_OK;
}

const nd_command nd_command_dedup = {
    .name = "dedup",
    .summary = "copy a collection without near-duplicates: partition, then filter",
    .usage = "INPUT... -o FILE|DIR [--dropped FILE] [options]",
    .about = "Finds the sets of near-duplicates, and writes a copy with one page from each, byte "
             "for byte. The result stays beside it, for review, export and explain. INPUT and "
             "options are as for partition and filter.",
    .examples = "neardup dedup docs.jsonl -o clean.jsonl --dropped dropped.tsv\n"
                "mpirun -n 4 neardup dedup crawl/ -o clean --preset safe --keep latest\n"
                "neardup dedup a.jsonl.zst b.jsonl.zst --jsonl-text body -o clean",
    .groups = "--help all: every option, in groups, and notes. neardup help keep: which page is "
              "kept from a set.",
    .notes = "Exit codes: 3 done, but an input could not be read to its end; 4 stopped at a "
             "checkpoint by a signal (--resume continues). If the copy fails, the result is there, "
             "and neardup filter makes the copy.",
    .open = open_options,
    .run = dedup,
};
