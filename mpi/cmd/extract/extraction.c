#include "mpi/cmd/extract/extraction.h"

#include "mpi/cmd/json_fields.h"
#include "mpi/cmd/run_pages.h"
#include "mpi/job/page_content.h"
#include "mpi/stage/unused_inputs.h"
#include "src/base/printable.h"

#include <errno.h>
#include <string.h>

static void start(nd_extraction *x) {
    const nd_job_options *o = &x->job->options;
    x->limits =
        nd_record_limits_of(o->reader.max_page_bytes, o->reader.max_expansion, o->reader.memory);
    x->maker = nd_job_page_maker(o, &x->limits);
}

/* ---- inputs */

static void on_skip(void *context, uint64_t offset, const char *reason) {
    nd_extraction *x = context;
    x->job->source_totals[x->source].skipped++;
    if (strcmp(reason, ND_JSONL_NO_TEXT) == 0) { /* as all records may be such, named at the end */
        x->first_without_text = x->without_text++ == 0 ? offset : x->first_without_text;
        return;
    }
    nd_print_line(stderr, "neardup: skipped: %s, byte %llu: %s",
                  x->job->inputs.inputs[x->source].path, (unsigned long long)offset, reason);
}

/* The page that was read last. \param[in] names  its own record, if its text is another's */
static nd_status print_page(nd_extraction *x, const nd_record *record, const nd_record *names,
                            nd_result_sites *sites) {
    nd_status st = ND_OK;
    json_object *row = json_object_new_object();
    ND_TRY(nd_kept_text_make(&x->kept, &x->maker, nd_page_maker_site(&x->maker, record), sites,
                             &x->job->options));
    ND_TRY(nd_json_add_text(row, "id", names->id));
    ND_TRY(nd_json_add_text(row, "url", names->url));
    ND_TRY(nd_json_add_text(row, "title", nd_buffer_span(&x->kept.title)));
    ND_TRY(nd_json_add_text(row, "text", nd_buffer_span(&x->kept.text)));
    ND_TRY(nd_json_print(x->to, row));
    if (ferror(x->to) != 0) { /* no more work for nobody */
        st = nd_fail(ND_ERR_IO, "%s: cannot be written: %s",
                     x->to == stdout ? "stdout" : x->job->options.output, strerror(errno));
    }
out:
    (void)json_object_put(row);
    return st;
}

static nd_status read_pages(nd_extraction *x, nd_reader *reader) {
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
static nd_status read_source(nd_extraction *x, bool *gaps) {
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
        nd_print_line(stderr, "neardup: skipped: %s, byte %llu: %s; %llu such records", input->path,
                      (unsigned long long)x->first_without_text, ND_JSONL_NO_TEXT,
                      (unsigned long long)x->without_text);
    }
    x->without_text = 0;
    totals->records = counts.records;
    memcpy(totals->others, counts.others, sizeof totals->others);
    return st;
}

/* All inputs, in order, and which of them gave nothing. */
nd_status nd_extract_inputs(nd_extraction *extraction) {
    nd_status st = ND_OK;
    nd_extraction *x = extraction;
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

nd_status nd_extract_run(nd_extraction *extraction, const nd_result *result, bool leaders,
                         const nd_output_files *taken) {
    nd_status st = ND_OK;
    nd_extraction *x = extraction;
    const nd_job_options *o = &x->job->options;
    nd_run_pages pages = {0};
    nd_result_sites sites = {0};
    start(x);
    if (nd_result_knows_sites(result)) {
        ND_TRY(nd_result_sites_open(&sites, result));
    } else if (o->content.sample > 0) {
        st = nd_fail(ND_ERR_FORMAT,
                     "%s: does not say what is template (format version %llu): partition again",
                     result->path, (unsigned long long)result->version);
        goto out;
    }
    ND_TRY(nd_run_pages_open(&pages, result, &o->reader, taken));
    while ((st = nd_run_pages_next(&pages)) == ND_OK) {
        if (leaders && !nd_run_pages_at_representative(&pages)) {
            continue;
        }
        st = nd_page_maker_read(&x->maker, pages.record);
        ND_TRY(st == ND_ERR_LIMIT ? nd_run_pages_refuse(&pages) : st);
        ND_TRY(nd_run_pages_check_tokens(&pages, x->maker.page.token_count));
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

void nd_extraction_free(nd_extraction *extraction) {
    nd_page_maker_free(&extraction->maker);
    nd_kept_text_free(&extraction->kept);
}
