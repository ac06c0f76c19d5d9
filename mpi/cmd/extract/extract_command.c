/* neardup extract INPUT... | OUT.h5 : the content of each page, as JSON lines. */
#include "io/input/page_maker.h"
#include "io/result/result_file.h"
#include "io/store/foreign_file.h"
#include "io/store/output_file.h"
#include "io/store/own_file.h"
#include "mpi/cmd/command.h"
#include "mpi/cmd/json_fields.h"
#include "mpi/cmd/partition/partition.h"
#include "mpi/cmd/run_pages.h"
#include "mpi/job/inputs.h"
#include "mpi/job/job.h"
#include "mpi/job/page_content.h"
#include "mpi/run/run.h"
#include "mpi/stage/ingested.h"
#include "src/base/printable.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ==== From pages to lines: the pages of inputs, each by itself, or those of a run, with what it
 * learned of their sites. Invariant: a line for each page, in the order of their numbers, or a
 * failure. */

/* A start has `job` and `to`, and zeros. Memory is kept from page to page. */
typedef struct extraction {
    nd_job *job; /* its options say how; its totals count */
    FILE *to;    /* where the lines go; borrowed */
    nd_record_limits limits;
    nd_page_maker maker;
    nd_buffer title, text; /* of the present page; UTF-8 */
    nd_sentence_digest *sentences;
    size_t sentence_capacity;
    nd_chosen_content chosen;
    size_t source;                             /* being read */
    uint64_t without_text, first_without_text; /* lines of JSONL of it; where the first lies */
} extraction;

static void start(extraction *x) {
    const nd_job_options *o = &x->job->options;
    x->limits =
        nd_record_limits_of(o->reader.max_page_bytes, o->reader.max_expansion, o->reader.memory);
    x->maker = nd_job_page_maker(o, &x->limits);
}

/* What is kept of the page that was read last: the sentences that a run would compare (mpi/job/
 * page_content.h), as they stand on the page, a line for each of its blocks.
 * \param[in,out] sites  what a run learned of sites. NULL: of a page alone nobody knows what its
 *                       site repeats: no sentence is template, and every link is its own */
static nd_status make_text(extraction *x, const nd_record *record, nd_result_sites *sites) {
    nd_status st = ND_OK;
    const nd_page *page = &x->maker.page;
    const size_t count = page->sentence_count;
    uint32_t block = UINT32_MAX; /* of the last sentence that was kept */
    x->title.size = x->text.size = 0;
    nd_grow(&x->sentences, &x->sentence_capacity, count, sizeof *x->sentences);
    for (size_t i = 0; i < count; i++) { /* as the choice sees them: it asks for no digests */
        const nd_content_sentence *s = &x->maker.contents[i];
        x->sentences[i] =
            (nd_sentence_digest){.masked = s->masked, .token_count = s->tokens, .flags = s->flags};
    }
    const nd_document document = {.sentences = x->sentences,
                                  .sentence_count = (uint32_t)count,
                                  .origin = {.site = nd_page_maker_site(&x->maker, record)}};
    ND_TRY(nd_page_content_choose_again(&x->chosen, &x->job->options, sites, false, &document));
    for (size_t i = 0; i < count; i++) {
        const nd_sentence *sentence = &page->sentences[i];
        const char *begin = (const char *)page->text.data + sentence->text_begin;
        const char *end = (const char *)page->text.data + sentence->text_end;
        const bool in_title = (x->maker.contents[i].flags & ND_SENTENCE_TITLE) != 0;
        nd_buffer *out = in_title ? &x->title : &x->text;
        if (!x->chosen.keep[i]) {
            continue;
        }
        if (sentence->block != block) {
            block = sentence->block;
            begin += *begin == ' ';
            if (out->size > 0) {
                nd_buffer_append_text(out, "\n");
            }
        }
        nd_buffer_append(out, begin, (size_t)(end - begin));
    }
out:
    return st;
}

/* ---- inputs */

static void on_skip(void *context, uint64_t offset, const char *reason) {
    extraction *x = context;
    x->job->source_totals[x->source].skipped++;
    if (strcmp(reason, ND_JSONL_NO_TEXT) == 0) { /* as all records may be such, named at the end */
        x->first_without_text = x->without_text++ == 0 ? offset : x->first_without_text;
        return;
    }
    nd_print_line(stderr, "neardup: skipped: %s, byte %" PRIu64 ": %s",
                  x->job->inputs.inputs[x->source].path, offset, reason);
}

/* The page that was read last. \param[in] names  its own record, if its text is another's */
static nd_status print_page(extraction *x, const nd_record *record, const nd_record *names,
                            nd_result_sites *sites) {
    nd_status st = ND_OK;
    ND_TRY(make_text(x, record, sites));
    json_object *row = ND_JSON({"id", nd_json_text(names->id)}, {"url", nd_json_text(names->url)},
                               {"title", nd_json_text(nd_buffer_span(&x->title))},
                               {"text", nd_json_text(nd_buffer_span(&x->text))});
    nd_json_print(x->to, &row);
    if (ferror(x->to) != 0) { /* no more work for nobody */
        st = nd_fail(ND_ERR_IO, "%s: cannot be written: %s",
                     x->to == stdout ? "stdout" : x->job->options.output, strerror(errno));
    }
out:
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
        ND_TRY(print_page(x, &record, &record, NULL));
        x->job->source_totals[x->source].pages++;
    }
    st = st == ND_END ? ND_OK : st;
out:
    return st;
}

/* What is wrong with an input is named, and the others are read.
 * \param[out] gaps  bytes of it were passed over, or a record is cut off */
static nd_status read_source(extraction *x, bool *gaps) {
    nd_status st = ND_OK;
    nd_reader *reader = NULL;
    nd_reader_counts counts = {0};
    nd_reader_options reading = x->job->options.reader;
    const nd_input *input = &x->job->inputs.inputs[x->source];
    nd_source_totals *totals = &x->job->source_totals[x->source];
    nd_buffer url = {0};
    reading.skip = on_skip;
    reading.skip_context = x;
    nd_input_url(&x->job->inputs, input, &url);
    ND_TRY(nd_reader_open(nd_input_file(input), (const char *)url.data, 0, UINT64_MAX, &reading,
                          &reader));
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
    nd_buffer_free(&url);
    *gaps = counts.gaps > 0;
    if (x->without_text > 0 && totals->pages > 0) {
        nd_print_line(stderr,
                      "neardup: skipped: %s, byte %" PRIu64 ": %s; %" PRIu64 " such records",
                      input->path, x->first_without_text, ND_JSONL_NO_TEXT, x->without_text);
    }
    x->without_text = 0;
    totals->records = counts.records;
    memcpy(totals->others, counts.others, sizeof totals->others);
    return st;
}

/* All inputs, in order, and which of them gave nothing. */
static nd_status extract_inputs(extraction *x) {
    nd_status st = ND_OK;
    nd_job *job = x->job;
    nd_job_totals *t = &job->totals;
    start(x);
    x->maker.beside = true; /* no copy of another site is compared with it */
    x->maker.unmasked = true;
    nd_new(&job->source_totals, job->inputs.count, sizeof *job->source_totals);
    for (x->source = 0; x->source < job->inputs.count; x->source++) {
        const nd_source_totals *of = &job->source_totals[x->source];
        bool gaps = false;
        ND_TRY(read_source(x, &gaps));
        const bool unused = nd_source_is_unused(of, job->inputs.inputs[x->source].is.bytes);
        t->pages += of->pages;
        t->records += of->records;
        t->other += nd_others_sum(of->others);
        t->skipped += of->skipped;
        t->sources_unused += unused;
        t->sources_gaps += gaps && !unused;
    }
    ND_TRY(nd_unused_inputs_report(job, ""));
out:
    return st;
}

/* ---- a run */

/* All pages of a run, of which the job has the options: what of a page is kept is what the run
 * compared of it.
 * \param[in] leaders       only the pages that lead a set
 * \param[in] taken  see nd_run_pages_open()
 * \return ND_OK; ND_ERR_CHANGED, naming it, if an input is not what it was; or as
 *         nd_run_pages_open() and nd_result_sites_open() */
static nd_status extract_run(extraction *x, const nd_result *result, bool leaders,
                             const nd_output_files *taken) {
    nd_status st = ND_OK;
    const nd_job_options *o = &x->job->options;
    nd_run_pages pages = {0};
    nd_result_sites sites = {0};
    start(x);
    ND_TRY(nd_result_sites_open(&sites, result));
    ND_TRY(nd_run_pages_open(&pages, result, &o->reader, taken));
    while ((st = nd_run_pages_next(&pages)) == ND_OK) {
        if (leaders && pages.rows.link[pages.place] != pages.next - 1) {
            continue;
        }
        ND_TRY(nd_run_pages_make(&pages, &x->maker));
        ND_TRY(print_page(x, pages.record, &pages.reader.from.record,
                          sites.result != NULL ? &sites : NULL));
        x->job->totals.pages++;
    }
    st = st == ND_END ? ND_OK : st;
out:
    nd_run_pages_close(&pages);
    nd_result_sites_close(&sites);
    return st;
}

/* ==== the command */

typedef struct request {
    nd_job_options job;
    bool strict;
    bool all, given_what; /* pages of a run: all, or those that lead a set */
} request;

static request asked;

#define AT(field) offsetof(request, job.field)

static const nd_option options[] = {
    {"output", "FILE", ND_OPTION_TEXT, AT(output),
     .help = "the lines (stdout); appears when complete. An older such file is replaced",
     .letter = 'o'},
    {"force", NULL, ND_OPTION_FLAG, AT(force),
     .help = "replace any file with this name; never an input, a link or a device", .rare = true},
    {"strict", NULL, ND_OPTION_FLAG, offsetof(request, strict),
     .help = "exit with 3 if any record was skipped"},

    {.help = "From a result"},
    {"what", "pages|keep", ND_OPTION_SWITCH, offsetof(request, all),
     .help = "all pages in the run, or one from each set: its representative",
     .given = offsetof(request, given_what)},

    {.help = "What is kept from a page (from a result: as its run did)"},
    {"navigation", "drop|keep", ND_OPTION_SWITCH, AT(content.navigation),
     .help =
         "what its markup says is no content (from inputs also class and id: comments, share ...)"},
    {"links", "drop|keep", ND_OPTION_SWITCH, AT(content.links),
     .help = "short blocks that are mostly links"},
    {"link-tokens", "N", ND_OPTION_NUMBER, AT(content.link_tokens),
     .help = "a page with fewer tokens left gets back its links; 0: none does", .rare = true},

    {.help = "How inputs are read, likewise; a result does not say"},
    {"jsonl-text", "FIELD", ND_OPTION_TEXT, AT(reader.jsonl_text),
     .help = "field with a JSONL page's text (text)"},
    {"jsonl-id", "FIELD", ND_OPTION_TEXT, AT(reader.jsonl_id), .help = "its id (id)", .rare = true},
    {"jsonl-url", "FIELD", ND_OPTION_TEXT, AT(reader.jsonl_url), .help = "its URL (url)",
     .rare = true},
    {"jsonl-html", "FIELD", ND_OPTION_TEXT, AT(reader.jsonl_html), .help = "its HTML (html)",
     .rare = true},
    {"max-page", "SIZE", ND_OPTION_SIZE, AT(reader.max_page_bytes),
     .help = "longer pages are skipped (128M, less where there is little memory)", .rare = true},
    {"max-expansion", "N", ND_OPTION_NUMBER, AT(reader.max_expansion),
     .help = "so are pages above 1M that unpack to more than N times their stored bytes (200)",
     .rare = true},
    {"dedup-inputs", NULL, ND_OPTION_FLAG, AT(dedup_inputs),
     .help = "leave out an input file with the same bytes as another in its collection",
     .rare = true},
    {"same-content", "skip|keep", ND_OPTION_SWITCH, AT(dedup_inputs), .help = "--dedup-inputs",
     .hidden = true},
    {0},
};

static void open_options(nd_command_table sets[ND_COMMAND_TABLES]) {
    asked = (request){.all = true};
    nd_partition_defaults(&asked.job);
    asked.job.progress = ND_PROGRESS_NONE;
    sets[0] = (nd_command_table){.table = options, .options = &asked};
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

static nd_output output_of(const nd_job_options *job) {
    return (nd_output){.option = "-o",
                       .path = job->output,
                       .force = job->force,
                       .replaces = is_extract,
                       .what = "a file of neardup extract"};
}

/* The inputs; neither they nor anything else may be lost by what is written. */
static nd_status open_inputs(nd_job *job, const nd_words *words) {
    nd_status st = ND_OK;
    const nd_output output = output_of(&job->options);
    ND_TRY(output.path != NULL ? nd_output_check(&output) : ND_OK);
    ND_TRY(nd_inputs_share(&job->comm, (const char *const *)words->words, words->count,
                           job->options.dedup_inputs, &job->inputs));
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

/* A result, and those files that nothing may be read from. */
static nd_status open_run(nd_job *job, const nd_result *run, nd_output_files *taken) {
    nd_status st = ND_OK;
    struct stat info;
    const nd_output output = output_of(&job->options);
    if (output.path == NULL) {
        return ND_OK;
    }
    ND_TRY(nd_output_check(&output));
    *taken = nd_output_look(output.path);
    if (stat(run->path, &info) == 0 &&
        nd_output_takes(taken, (uint64_t)info.st_dev, (uint64_t)info.st_ino)) {
        return nd_fail(ND_ERR_USAGE, "-o %s: is the result: name another file", output.path);
    }
    ND_TRY(nd_output_take(output.option, output.path, &job->lock));
out:
    return st;
}

/* Everything to stdout, or to a file that has its name when it is complete.
 * \param[in] run  whose pages these are; NULL: those of the words */
static nd_status extract_pages(nd_job *job, const nd_words *words, const nd_result *run) {
    nd_status st = ND_OK;
    nd_own_stream file = {.to = NULL};
    extraction x = {.job = job, .to = stdout};
    nd_output_files taken = {.count = 0};
    ND_TRY(run != NULL ? open_run(job, run, &taken) : open_inputs(job, words));
    if (job->options.output != NULL) {
        ND_TRY(nd_own_stream_open(&file, job->options.output));
        x.to = file.to;
    }
    ND_TRY(run != NULL ? extract_run(&x, run, !asked.all, &taken) : extract_inputs(&x));
    ND_TRY(x.to == stdout ? nd_flush_stdout() : ND_OK);
out:
    st = nd_own_stream_close(&file, st);
    nd_page_maker_free(&x.maker);
    nd_buffer_free(&x.title);
    nd_buffer_free(&x.text);
    free(x.sentences);
    nd_chosen_content_free(&x.chosen);
    return st;
}

/* ---- the command */

/* Is it a result, whole or damaged? */
static bool is_result(const char *path) {
    struct stat info;
    int descriptor = -1;
    bool is = false;
    if (stat(path, &info) == 0 && S_ISREG(info.st_mode) &&
        nd_foreign_file_open(path, &descriptor, &info) == ND_OK) {
        is = nd_seal_is_hdf5(descriptor);
        (void)close(descriptor);
    }
    return is;
}

/* \param[out] run  open if the word is a result */
static nd_status parse(nd_command_call *call, int ranks, nd_words *words, nd_result *run) {
    nd_status st = ND_OK;
    ND_TRY(nd_command_line_read(call, 0, words));
    const char *result = NULL;
    for (size_t i = 0; i < words->count && result == NULL; i++) {
        result = is_result(words->words[i]) ? words->words[i] : NULL;
    }
    if (words->count == 0) {
        st = nd_fail(ND_ERR_USAGE, "no INPUT: of which pages?");
    } else if (ranks > 1) {
        st = nd_fail(ND_ERR_USAGE,
                     "started on %d ranks, and works on one: start it without mpirun "
                     "or srun",
                     ranks);
    } else if (result != NULL && words->count > 1) {
        st = nd_fail(ND_ERR_USAGE, "%s: a result goes alone: it says which inputs its run had",
                     result);
    } else if (result == NULL && asked.given_what) {
        st = nd_fail(ND_ERR_USAGE,
                     "--what: goes with a result: which pages are one set is not known");
    }
    ND_TRY(st);
    if (result != NULL) {
        ND_TRY(nd_result_open(run, result));
        ND_TRY(nd_run_options_read(run, &asked.job));
        ND_TRY(nd_command_line_read(call, 0, NULL)); /* again those that were given */
    }
out:
    return st;
}

/* \param[out] code  of the exit, where it is done */
static nd_status run_alone(const nd_words *words, const nd_result *run, int *code) {
    nd_job job;
    asked.job.reader.memory = nd_memory_default(1);
    nd_run_open(&job, MPI_COMM_WORLD, &asked.job);
    const nd_status st = extract_pages(&job, words, run);
    const nd_job_totals *t = &job.totals;
    if (st == ND_OK && run != NULL) {
        nd_print_line(stderr, "pages: %" PRIu64 " of %" PRIu64 " of %s", t->pages, run->shape.pages,
                      run->path);
    } else if (st == ND_OK) {
        nd_print_line(stderr,
                      "pages: %" PRIu64 " of %" PRIu64 " records in %zu sources; %" PRIu64
                      " other records, %" PRIu64 " skipped; %" PRIu64
                      " inputs gave nothing, or could not be read to the end",
                      t->pages, t->records, job.inputs.count, t->other, t->skipped,
                      t->sources_unused);
        nd_print_others(&job);
        nd_print_gaps(&job, "");
        *code = nd_command_inputs_code(&job, asked.strict);
    }
    nd_run_close(&job);
    return st;
}

static nd_status extract(nd_command_call *call) {
    nd_comm comm;
    nd_words words = {0};
    nd_result run = {.file = H5I_INVALID_HID};
    nd_command_start(call, &comm);
    nd_status st = parse(call, comm.size, &words, &run);
    if (st == ND_OK) {
        st = run_alone(&words, run.file != H5I_INVALID_HID ? &run : NULL, &call->code);
    }
    (void)nd_result_close(&run);
    return nd_command_finish(&nd_command_extract, call, &comm, st);
}

const nd_command nd_command_extract = {
    .name = "extract",
    .summary = "print each page's content, without navigation and link blocks, as JSON lines",
    .usage = "[options] INPUT... [-o FILE]\n[options] OUT.h5 [-o FILE]",
    .about = "Prints a JSON line for each page: id, url, title, and its content as text, with a "
             "line for each block.\n\nINPUT is as for partition. Pages come in input order. Each "
             "is read by itself, so text shared with other pages on its site stays. What partition "
             "skips is skipped, and named on stderr.\n\nOUT.h5 is a result from partition. Its "
             "pages are read again from the run's inputs, in page order, and show what the run "
             "compared, without site templates. A missing or changed input is named and ends the "
             "command. Works on one rank, page by page.",
    .examples = "neardup extract crawl.warc.gz > text.jsonl\n"
                "neardup extract out.h5 --what keep -o text.jsonl\n"
                "neardup extract page.html --links keep",
    .notes = "More exit codes: 1 no page at all. 3 done, but an input could not be read to its "
             "end, or a record is cut off (--strict: or one was skipped).",
    .open = open_options,
    .run = extract,
};
