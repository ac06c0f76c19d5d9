#include "mpi/stage/result_tables.h"

#include "io/store/output_file.h"
#include "mpi/job/job.h"
#include "src/base/buffer.h"
#include "src/base/printable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

nd_status nd_result_agree(const nd_comm *comm, const nd_result *result, nd_status mine) {
    if (mine != ND_OK && comm->size > 1) {
        if (nd_output_abandon(result->path)) { /* the first of several that failed */
            nd_print_line(stderr, "neardup: rank %d: %s", comm->rank, nd_fail_text());
        }
        (void)fflush(NULL);
        (void)MPI_Abort(comm->handle, 1);
    }
    return nd_comm_agree(comm, mine);
}

nd_status nd_result_put(nd_job *job, nd_result *result, const char *name, nd_column_type type,
                        const nd_slab *slab, const void *values) {
    return nd_result_agree(&job->comm, result, nd_result_write(result, name, type, slab, values));
}

nd_status nd_result_put_offsets(nd_job *job, nd_result *result, const char *name,
                                const uint64_t *offsets, const nd_slab *rows) {
    const bool last = job->comm.rank + 1 == job->comm.size;
    const nd_slab slab = {rows->total + 1, rows->offset, rows->count + last, false};
    return nd_result_put(job, result, name, ND_COLUMN_U64, &slab, offsets);
}

/* A table that every rank knows is written by rank 0 alone. */
static nd_slab root_rows(const nd_job *job, uint64_t rows) {
    return (nd_slab){rows, 0, job->comm.rank == 0 ? rows : 0, false};
}

/* Texts known to every rank, as an offset column and a byte column. */
typedef const char *(*text_at)(const nd_job *job, size_t row);

static nd_status put_texts(nd_job *job, nd_result *result, const char *offset_name,
                           const char *bytes_name, size_t rows, text_at at) {
    nd_status st = ND_OK;
    uint64_t *offsets = NULL;
    nd_buffer bytes = {0};
    st = nd_new(&offsets, rows + 1, sizeof *offsets);
    for (size_t i = 0; i < rows && st == ND_OK; i++) {
        st = nd_buffer_append_text(&bytes, at(job, i));
        offsets[i + 1] = bytes.size;
    }
    ND_TRY(nd_comm_agree(&job->comm, st));
    nd_slab slab = root_rows(job, rows + 1);
    ND_TRY(nd_result_put(job, result, offset_name, ND_COLUMN_U64, &slab, offsets));
    slab = root_rows(job, bytes.size);
    ND_TRY(nd_result_put(job, result, bytes_name, ND_COLUMN_U8, &slab, bytes.data));
out:
    free(offsets);
    nd_buffer_free(&bytes);
    return st;
}

static const char *source_path(const nd_job *job, size_t row) {
    return job->inputs.inputs[row].path;
}

static const char *collection_name(const nd_job *job, size_t row) {
    return job->inputs.collections[row];
}

/* A row of a table of records that gave no page: of which source, a number, and why. */
typedef struct reason_row {
    uint64_t source, number;
    const char *reason; /* borrowed */
} reason_row;

/* The columns of such a table. */
typedef struct reason_table {
    const char *source, *number, *reason_offset, *reason_bytes;
} reason_table;

/* Collective. This rank's rows, after those of the ranks before it. */
static nd_status put_reasons(nd_job *job, nd_result *result, const reason_table *table,
                             const reason_row *own, uint64_t count) {
    nd_status st = ND_OK;
    uint64_t *sources = NULL;
    uint64_t *numbers = NULL;
    uint64_t *ends = NULL;
    nd_buffer reasons = {0};
    const uint64_t total = nd_comm_sum(&job->comm, count);
    const nd_slab rows = {total, nd_comm_before(&job->comm, count), count, false};
    st = nd_new(&sources, count, sizeof *sources);
    st = st != ND_OK ? st : nd_new(&numbers, count, sizeof *numbers);
    st = st != ND_OK ? st : nd_new(&ends, count + 1, sizeof *ends);
    for (uint64_t i = 0; i < count && st == ND_OK; i++) {
        sources[i] = own[i].source;
        numbers[i] = own[i].number;
        st = nd_buffer_append_text(&reasons, own[i].reason);
        ends[i + 1] = reasons.size;
    }
    ND_TRY(nd_comm_agree(&job->comm, st));
    const uint64_t before = nd_comm_before(&job->comm, reasons.size);
    for (uint64_t i = 0; i <= count; i++) {
        ends[i] += before;
    }
    const nd_slab bytes = {nd_comm_sum(&job->comm, reasons.size), before, reasons.size, false};
    ND_TRY(nd_result_put(job, result, table->source, ND_COLUMN_U64, &rows, sources));
    ND_TRY(nd_result_put(job, result, table->number, ND_COLUMN_U64, &rows, numbers));
    ND_TRY(nd_result_put_offsets(job, result, table->reason_offset, ends, &rows));
    ND_TRY(nd_result_put(job, result, table->reason_bytes, ND_COLUMN_U8, &bytes, reasons.data));
out:
    free(sources);
    free(numbers);
    free(ends);
    nd_buffer_free(&reasons);
    return st;
}

/* Skipped records lie on the ranks that read them, in the order of the sources but for the sources
 * that could not be opened at all, which any rank may have met. */
static nd_status put_skipped(nd_job *job, nd_result *result) {
    static const reason_table table = {"/skipped/source", "/skipped/offset",
                                       "/skipped/reason_offset", "/skipped/reason_bytes"};
    nd_status st = ND_OK;
    reason_row *rows = NULL;
    ND_TRY(nd_comm_agree(&job->comm, nd_new(&rows, job->skipped_count, sizeof *rows)));
    for (size_t i = 0; i < job->skipped_count; i++) {
        const nd_skipped *s = &job->skipped[i];
        rows[i] = (reason_row){s->source, s->offset, s->reason};
    }
    ND_TRY(put_reasons(job, result, &table, rows, job->skipped_count));
out:
    free(rows);
    return st;
}

/* A row for each source and each reason for which it has other records; rank 0 has those of all. */
static nd_status put_others(nd_job *job, nd_result *result) {
    static const reason_table table = {"/other/source", "/other/records", "/other/reason_offset",
                                       "/other/reason_bytes"};
    nd_status st = ND_OK;
    reason_row *rows = NULL;
    const size_t cells = job->comm.rank == 0 ? job->inputs.count * ND_OTHERS : 0;
    size_t count = 0;
    size_t capacity = 0;
    for (size_t i = 0; i < cells && st == ND_OK; i++) {
        const uint64_t records = job->source_totals[i / ND_OTHERS].others[i % ND_OTHERS];
        if (records > 0) {
            st = nd_grow(&rows, &capacity, count + 1, sizeof *rows);
            if (st == ND_OK) {
                rows[count++] = (reason_row){
                    i / ND_OTHERS, records, nd_other_reason_text((nd_other_reason)(i % ND_OTHERS))};
            }
        }
    }
    ND_TRY(nd_comm_agree(&job->comm, st));
    ND_TRY(put_reasons(job, result, &table, rows, count));
out:
    free(rows);
    return st;
}

nd_status nd_result_write_inputs(nd_job *job, nd_result *result) {
    nd_status st = ND_OK;
    uint64_t *numbers = NULL;
    static const char *const columns[] = {
        "/sources/bytes", "/sources/collection", "/sources/records", "/sources/pages",
        "/sources/other", "/sources/skipped",    "/sources/checksum"};
    enum { COLUMNS = sizeof columns / sizeof columns[0] };
    const size_t rows = job->inputs.count;
    const nd_slab slab = root_rows(job, rows);
    ND_TRY(nd_comm_agree(&job->comm, nd_new(&numbers, COLUMNS * rows, sizeof *numbers)));
    for (size_t i = 0; i < rows; i++) {
        const nd_input *input = &job->inputs.inputs[i];
        const nd_source_totals *t = &job->source_totals[i];
        const uint64_t row[COLUMNS] = {input->is.bytes, input->collection,        t->records,
                                       t->pages,        nd_others_sum(t->others), t->skipped,
                                       t->blocks};
        for (size_t c = 0; c < COLUMNS; c++) {
            numbers[c * rows + i] = row[c];
        }
    }
    ND_TRY(
        put_texts(job, result, "/sources/path_offset", "/sources/path_bytes", rows, source_path));
    for (size_t c = 0; c < COLUMNS; c++) {
        ND_TRY(nd_result_put(job, result, columns[c], ND_COLUMN_U64, &slab, numbers + c * rows));
    }
    ND_TRY(put_texts(job, result, "/collections/name_offset", "/collections/name_bytes",
                     job->inputs.collection_count, collection_name));
    ND_TRY(put_skipped(job, result));
    ND_TRY(put_others(job, result));
out:
    free(numbers);
    return st;
}

static const char *stage_name(const nd_job *job, size_t row) {
    return job->progress.rows[row].name;
}

static nd_status put_attributes(nd_job *job, nd_result *result) {
    const nd_job_options *o = &job->options;
    const nd_job_totals *t = &job->totals;
    nd_status st = ND_OK;
    /* what the run has met, as one JSON object: what a plan of a later run is made of */
    const struct {
        const char *name;
        uint64_t value;
    } met[] = {{"input_bytes", t->input_bytes},
               {"page_bytes", t->page_bytes},
               {"text_bytes", t->text_bytes},
               {"content_bytes", t->content_bytes},
               {"name_bytes", t->name_bytes},
               {"tokens", t->tokens},
               {"content_tokens", t->content_tokens},
               {"signed_pages", t->signed_pages},
               {"postings", t->postings},
               {"sites", t->sites},
               {"template_sentences", t->template_sentences},
               {"candidates", t->candidates},
               {"candidates_passed", t->candidates_passed},
               {"pair_finds", t->pair_finds},
               {"pairs", t->pairs},
               {"links", t->links},
               {"perhaps_sets", t->perhaps_sets},
               {"perhaps_pages", t->perhaps_pages},
               {"left_out", t->left_out},
               {"contained_candidates", t->contained_candidates},
               {"contained_passed", t->contained_passed},
               {"revisits", t->revisits},
               {"batch_bytes", o->memory.batch},
               {"revisits_alone", t->revisits_alone}};
    /* the last is of revisits alone */
    const size_t met_count = sizeof met / sizeof met[0] - (t->revisits == 0);
    char created[32] = "";
    char parameters[ND_PARAMETERS_SIZE];
    char totals[ND_PARAMETERS_SIZE];
    size_t used = 0;
    const time_t now = time(NULL);
    struct tm utc;
    (void)strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    /* attributes are written by all ranks together, so their texts must be the same everywhere */
    ND_MPI(MPI_Bcast(created, (int)sizeof created, MPI_CHAR, 0, job->comm.handle));
    nd_print_parameters(o, parameters, sizeof parameters);
    for (size_t i = 0; i < met_count; i++) {
        used += (size_t)snprintf(totals + used, sizeof totals - used, "%s\"%s\":%llu",
                                 i == 0 ? "{" : ",", met[i].name, (unsigned long long)met[i].value);
    }
    (void)snprintf(totals + used, sizeof totals - used, "}");
    ND_TRY(nd_result_set_text(result, "program_version", ND_VERSION));
    ND_TRY(nd_result_set_text(result, "method", o->method->name));
    ND_TRY(nd_result_set_text(result, "parameters", parameters));
    ND_TRY(nd_result_set_text(result, "command_line", o->command_line));
    ND_TRY(nd_result_set_text(result, "created", created));
    ND_TRY(nd_result_set_text(result, "totals", totals));
    if (job->options.against != NULL) {
        ND_TRY(nd_result_set_text(result, "additions", job->additions));
    }
    ND_TRY(job->fields.text != NULL ? nd_result_set_text(result, "jsonl", job->fields.text)
                                    : ND_OK);
    ND_TRY(nd_result_set_number(result, "pages", t->pages));
    ND_TRY(nd_result_set_number(result, "sets", t->sets));
    ND_TRY(nd_result_set_number(result, "repeated_ids", job->repeated_ids.repeated));
    ND_TRY(nd_result_set_number(result, "shared_ids", job->repeated_ids.shared));
    ND_TRY(nd_result_set_number(result, "hash_seed", job->options.hash_seed));
    ND_TRY(nd_result_set_number(result, "ranks", (uint64_t)job->comm.size));
out:
    return st;
}

nd_status nd_result_write_run(nd_job *job, nd_result *result) {
    nd_status st = ND_OK;
    const size_t count = job->progress.count;
    const nd_slab slab = root_rows(job, count);
    static const struct {
        const char *name;
        nd_column_type type; /* double, or uint64_t */
        size_t offset;
    } columns[] = {
        {"/stages/seconds_min", ND_COLUMN_F64, offsetof(nd_stage_row, seconds_min)},
        {"/stages/seconds_mean", ND_COLUMN_F64, offsetof(nd_stage_row, seconds_mean)},
        {"/stages/seconds_max", ND_COLUMN_F64, offsetof(nd_stage_row, seconds_max)},
        {"/stages/waiting_mean", ND_COLUMN_F64, offsetof(nd_stage_row, waiting_mean)},
        {"/stages/waiting_max", ND_COLUMN_F64, offsetof(nd_stage_row, waiting_max)},
        {"/stages/items", ND_COLUMN_U64, offsetof(nd_stage_row, items)},
        {"/stages/bytes_exchanged", ND_COLUMN_U64, offsetof(nd_stage_row, bytes_exchanged)},
        {"/stages/peak_memory", ND_COLUMN_U64, offsetof(nd_stage_row, peak_memory)},
        {"/stages/bytes_written", ND_COLUMN_U64, offsetof(nd_stage_row, bytes_written)},
        {"/stages/bytes_read", ND_COLUMN_U64, offsetof(nd_stage_row, bytes_read)},
    };
    ND_TRY(put_texts(job, result, "/stages/name_offset", "/stages/name_bytes", count, stage_name));
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
        uint64_t values[ND_STAGES_MAX] = {0};
        for (size_t i = 0; i < count; i++) {
            memcpy(&values[i], (const char *)&job->progress.rows[i] + columns[c].offset,
                   sizeof values[i]);
        }
        ND_TRY(nd_result_put(job, result, columns[c].name, columns[c].type, &slab, values));
    }
    ND_TRY(nd_result_agree(&job->comm, result, put_attributes(job, result)));
out:
    return st;
}
