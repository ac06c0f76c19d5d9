/* neardup extract INPUT... : the content of each page, as JSON lines. */
#include "mpi/cmd/command.h"
#include "mpi/cmd/command_line.h"
#include "mpi/cmd/extract/kept_text.h"
#include "mpi/cmd/json_fields.h"
#include "mpi/cmd/partition/partition_options.h"
#include "mpi/job/inputs.h"
#include "mpi/run/run.h"
#include "mpi/run/run_places.h"
#include "mpi/run/standard_input.h"
#include "mpi/stage/unused_inputs.h"

#include "io/input/page_maker.h"
#include "io/store/foreign_file.h"
#include "io/store/output_file.h"
#include "io/store/own_file.h"
#include "src/base/printable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct request {
    nd_job_options job;
    bool strict;
} request;

static request asked;

#define AT(field) offsetof(request, job.field)

static const nd_option options[] = {
    {"output", "FILE", ND_OPTION_TEXT, AT(output),
     .help = "the lines; appears when it is complete. A file that is there already is replaced if "
             "it is one of these (stdout)",
     .letter = 'o'},
    {"force", NULL, ND_OPTION_FLAG, AT(force),
     .help = "replace it whatever it is; never an input, a link or a device", .rare = true},
    {"strict", NULL, ND_OPTION_FLAG, offsetof(request, strict),
     .help = "exit with 3 if any record was skipped"},

    {.help = "What of a page is kept, as partition takes it"},
    {"navigation", "drop|keep", ND_OPTION_SWITCH, AT(content.navigation),
     .help = "what its markup says is no content"},
    {"links", "drop|keep", ND_OPTION_SWITCH, AT(content.links),
     .help = "short blocks that are mostly links"},
    {"link-tokens", "N", ND_OPTION_NUMBER, AT(content.link_tokens),
     .help = "a page with fewer tokens left gets back its links; 0: none does", .rare = true},

    {.help = "How inputs are read, likewise"},
    {"jsonl-text", "FIELD", ND_OPTION_TEXT, AT(reader.jsonl_text),
     .help = "the text of a page in a JSONL line (text)"},
    {"jsonl-id", "FIELD", ND_OPTION_TEXT, AT(reader.jsonl_id), .help = "its id (id)", .rare = true},
    {"jsonl-url", "FIELD", ND_OPTION_TEXT, AT(reader.jsonl_url), .help = "its URL (url)",
     .rare = true},
    {"jsonl-html", "FIELD", ND_OPTION_TEXT, AT(reader.jsonl_html), .help = "its HTML (html)",
     .rare = true},
    {"max-page", "SIZE", ND_OPTION_SIZE, AT(reader.max_page_bytes),
     .help = "longer pages are skipped (128M, less where there is little memory)", .rare = true},
    {"max-expansion", "N", ND_OPTION_NUMBER, AT(reader.max_expansion),
     .help = "so are those of more than 1M that unpack to more than N times their bytes (200)",
     .rare = true},
    {"same-content", "skip|keep", ND_OPTION_SWITCH, AT(skip_copies),
     .help = "of an input file with the bytes of another of its collection", .rare = true},
    {0},
};

static void open_options(nd_command_table sets[ND_COMMAND_TABLES]) {
    asked = (request){.strict = false};
    nd_partition_defaults(&asked.job);
    asked.job.progress = ND_PROGRESS_NONE;
    sets[0] = (nd_command_table){.table = options, .options = &asked};
}

/* ---- pages */

typedef struct extraction {
    nd_job *job;
    nd_page_maker maker;
    nd_buffer title, text; /* of the present page; kept from page to page */
    size_t source;         /* being read */
    FILE *to;
} extraction;

static void on_skip(void *context, uint64_t offset, const char *reason) {
    extraction *x = context;
    x->job->source_totals[x->source].skipped++;
    nd_print_line(stderr, "neardup: skipped: %s, byte %llu: %s",
                  x->job->inputs.inputs[x->source].path, (unsigned long long)offset, reason);
}

static nd_status print_page(extraction *x, const nd_record *record) {
    nd_status st = ND_OK;
    json_object *row = json_object_new_object();
    x->title.size = 0;
    x->text.size = 0;
    ND_TRY(nd_kept_text(&x->maker.page, x->maker.contents, &x->job->options, &x->title, &x->text));
    ND_TRY(nd_json_add_text(row, "id", record->id));
    ND_TRY(nd_json_add_text(row, "url", record->url));
    ND_TRY(nd_json_add_text(row, "title", nd_buffer_span(&x->title)));
    ND_TRY(nd_json_add_text(row, "text", nd_buffer_span(&x->text)));
    ND_TRY(nd_json_print(x->to, row));
    if (ferror(x->to) != 0) { /* no more work for nobody */
        st = nd_fail(ND_ERR_IO, "%s: cannot be written: %s",
                     x->to == stdout ? "stdout" : x->job->options.output, strerror(errno));
    }
out:
    (void)json_object_put(row);
    return st;
}

static nd_status read_pages(extraction *x, nd_reader *reader) {
    nd_status st = ND_OK;
    nd_record record;
    while ((st = nd_reader_next(reader, &record)) == ND_OK) {
        st = nd_page_maker_read(&x->maker, &record);
        if (st == ND_ERR_LIMIT) {
            on_skip(x, record.offset, nd_fail_text());
            continue;
        }
        ND_TRY(st);
        ND_TRY(print_page(x, &record));
        x->job->source_totals[x->source].pages++;
    }
    st = st == ND_END ? ND_OK : st;
out:
    return st;
}

/* What is wrong with an input is named, and the others are read. */
static nd_status read_source(extraction *x) {
    nd_status st = ND_OK;
    nd_reader *reader = NULL;
    nd_source_shape shape;
    nd_reader_counts counts = {0};
    nd_reader_options reading = x->job->options.reader;
    const nd_input *input = &x->job->inputs.inputs[x->source];
    nd_source_totals *totals = &x->job->source_totals[x->source];
    reading.skip = on_skip;
    reading.skip_context = x;
    ND_TRY(nd_source_look(nd_input_file(input), &shape));
    ND_TRY(nd_reader_open(nd_input_file(input), input->url, 0, shape.bytes, &reading, &reader));
    st = read_pages(x, reader);
    nd_reader_get_counts(reader, &counts);
out:
    if (nd_source_may_skip(input, st)) {
        totals->failed = 1;
        totals->skipped +=
            reader == NULL; /* else as many as there were, and the rest of the file */
        st = ND_OK;
    }
    nd_reader_close(&reader);
    totals->records = counts.records;
    totals->other = counts.other;
    return st;
}

/* All inputs, in order, and which of them gave nothing. */
static nd_status read_sources(extraction *x) {
    nd_status st = ND_OK;
    nd_job *job = x->job;
    nd_job_totals *t = &job->totals;
    ND_TRY(nd_new(&job->source_totals, job->inputs.count, sizeof *job->source_totals));
    for (x->source = 0; x->source < job->inputs.count; x->source++) {
        const nd_source_totals *of = &job->source_totals[x->source];
        ND_TRY(read_source(x));
        t->pages += of->pages;
        t->records += of->records;
        t->other += of->other;
        t->skipped += of->skipped;
        t->sources_unused += nd_source_is_unused(of);
    }
    ND_TRY(nd_unused_inputs_report(job, ""));
out:
    return st;
}

/* ---- where they go */

/* Is a file one of these? By its first line. */
static bool is_extract(const char *path) {
    static const char *const names[] = {"{\"id\":\"", "\",\"url\":\"", "\",\"title\":\""};
    char line[4096];
    struct stat info;
    int descriptor = -1;
    size_t size = 0;
    if (nd_foreign_file_open(path, &descriptor, &info) == ND_OK) {
        const ssize_t got = pread(descriptor, line, sizeof line - 1, 0);
        size = got > 0 ? (size_t)got : 0;
        (void)close(descriptor);
    }
    line[size] = '\0';
    const char *at = line;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && at != NULL; i++) {
        at = i == 0 && strncmp(at, names[i], strlen(names[i])) != 0 ? NULL : strstr(at, names[i]);
    }
    return at != NULL;
}

/* The inputs; neither they nor anything else may be lost by what is written. */
static nd_status open_inputs(nd_job *job, const nd_words *words) {
    nd_status st = ND_OK;
    const nd_output output = {.option = "-o",
                              .path = job->options.output,
                              .force = job->options.force,
                              .replaces = is_extract,
                              .what = "a file of neardup extract"};
    ND_TRY(output.path != NULL ? nd_output_check(&output) : ND_OK);
    ND_TRY(nd_inputs_share(&job->comm, (const char *const *)words->words, words->count,
                           job->options.skip_copies, &job->inputs));
    ND_TRY(output.path != NULL ? nd_run_places_clear(job) : ND_OK);
    for (size_t i = 0; i < job->inputs.count && output.path == NULL; i++) {
        if (job->inputs.inputs[i].standard_input) {
            st = nd_fail(ND_ERR_USAGE, "-: standard input is copied beside the output: give -o "
                                       "FILE");
        }
    }
    ND_TRY(st);
    ND_TRY(nd_standard_input_take(job));
out:
    return st;
}

/* Everything to stdout, or to a file that has its name when it is complete. */
static nd_status extract_pages(nd_job *job, const nd_words *words) {
    nd_status st = ND_OK;
    int descriptor = -1;
    char *partial = NULL;
    const nd_reader_options *reader = &job->options.reader;
    const nd_record_limits limits =
        nd_record_limits_of(reader->max_page_bytes, reader->max_expansion, reader->memory);
    extraction x = {
        .job = job, .to = stdout, .maker = {.limits = &limits, .classes = true, .unmasked = true}};
    ND_TRY(open_inputs(job, words));
    if (job->options.output != NULL) {
        ND_TRY(nd_own_file_join(job->options.output, ND_PARTIAL_SUFFIX, &partial));
        ND_TRY(nd_own_file_remake(partial, &descriptor));
        x.to = fdopen(descriptor, "wb");
    }
    ND_TRY(x.to != NULL ? ND_OK : nd_fail(ND_ERR_MEMORY, "out of memory: a file"));
    st = read_sources(&x);
    if (x.to == stdout) {
        ND_TRY(st != ND_OK ? st : nd_flush_stdout());
    } else if (fclose(x.to) != 0 && st == ND_OK) {
        st = nd_fail(ND_ERR_IO, "%s: cannot be written: %s", job->options.output, strerror(errno));
    }
    ND_TRY(st);
    ND_TRY(partial != NULL ? nd_own_file_publish(partial, job->options.output) : ND_OK);
out:
    if (st != ND_OK && descriptor >= 0) {
        (void)unlink(partial);
    }
    free(partial);
    nd_page_maker_free(&x.maker);
    nd_buffer_free(&x.title);
    nd_buffer_free(&x.text);
    return st;
}

/* ---- the command */

static nd_status parse(int argc, char **argv, nd_words *words) {
    nd_status st = ND_OK;
    nd_command_table sets[ND_COMMAND_TABLES] = {{0}};
    int ranks = 1;
    open_options(sets);
    ND_TRY(nd_command_line_read(sets, argc, argv, 0, words));
    ND_MPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
    if (words->count == 0) {
        st = nd_fail(ND_ERR_USAGE, "no INPUT: of which pages?");
    } else if (ranks > 1) {
        st = nd_fail(ND_ERR_USAGE,
                     "started on %d ranks, and works on one: start it without mpirun "
                     "or srun",
                     ranks);
    }
out:
    return st;
}

static int run_alone(const nd_words *words) {
    nd_job job;
    asked.job.reader.memory = nd_memory_default(1);
    nd_run_open(&job, MPI_COMM_WORLD, &asked.job);
    const nd_status st = extract_pages(&job, words);
    const nd_job_totals *t = &job.totals;
    int code = ND_EXIT_DONE;
    if (st != ND_OK) {
        code = nd_command_failed(&nd_command_extract, st);
    } else {
        nd_print_line(stderr,
                      "pages: %llu of %llu records in %zu sources; %llu other records, %llu "
                      "skipped; %llu inputs gave nothing, or could not be read to the end",
                      (unsigned long long)t->pages, (unsigned long long)t->records,
                      job.inputs.count, (unsigned long long)t->other,
                      (unsigned long long)t->skipped, (unsigned long long)t->sources_unused);
        code = t->sources_unused > 0 || (asked.strict && t->skipped > 0) ? ND_EXIT_SKIPPED
                                                                         : ND_EXIT_DONE;
    }
    nd_run_close(&job);
    return code;
}

static int extract(int argc, char **argv) {
    nd_words words = {0};
    int rank = 0;
    int code = ND_EXIT_USAGE;
    ND_MPI(MPI_Init(&argc, &argv));
    ND_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    const nd_status st = parse(argc, argv, &words);
    if (st == ND_OK) {
        code = run_alone(&words);
    } else if (rank == 0) {
        code = nd_command_failed(&nd_command_extract, st);
    }
    ND_MPI(MPI_Finalize());
    return code;
}

const nd_command nd_command_extract = {
    .name = "extract",
    .summary = "the content of each page, without navigation and blocks of links, as JSON lines",
    .usage = "[options] INPUT... [-o FILE]",
    .about = "Prints a line of JSON for each page, in the order of the inputs: id, url, title, and "
             "as text what neardup partition would compare of it, a line for each block, by the "
             "page alone: what it shares with its site's other pages is kept. INPUT is all that "
             "partition takes; what partition skips is skipped, and named on stderr. Works on one "
             "rank, a page at a time, and refuses more.",
    .examples = "neardup extract crawl.warc.gz > text.jsonl\n"
                "neardup extract 2024=old/ 2025=new/ -o text.jsonl\n"
                "neardup extract page.html --links keep",
    .notes = "More exit codes: 1 no page at all, 3 done but an input gave nothing or was not read "
             "to its end (--strict: or a record was skipped).",
    .open = open_options,
    .run = extract,
};
