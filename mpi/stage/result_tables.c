#include "mpi/stage/result_tables.h"

#include "io/input/page_maker.h"
#include "io/store/output_file.h"
#include "mpi/comm/exchange.h"
#include "mpi/stage/compare.h"
#include "mpi/stage/state.h"
#include "src/base/buffer.h"
#include "src/base/printable.h"
#include "src/base/status.h"
#include "src/base/util.h"
#include "src/text/address.h"

#include <xxhash.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ==== small tables */

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
    nd_new(&offsets, rows + 1, sizeof *offsets);
    for (size_t i = 0; i < rows; i++) {
        nd_buffer_append_text(&bytes, at(job, i));
        offsets[i + 1] = bytes.size;
    }
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
    nd_new(&sources, count, sizeof *sources);
    nd_new(&numbers, count, sizeof *numbers);
    nd_new(&ends, count + 1, sizeof *ends);
    for (uint64_t i = 0; i < count; i++) {
        sources[i] = own[i].source;
        numbers[i] = own[i].number;
        nd_buffer_append_text(&reasons, own[i].reason);
        ends[i + 1] = reasons.size;
    }
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
    reason_row *rows = NULL;
    nd_new(&rows, job->skipped_count, sizeof *rows);
    for (size_t i = 0; i < job->skipped_count; i++) {
        const nd_skipped *s = &job->skipped[i];
        rows[i] = (reason_row){s->source, s->offset, s->reason};
    }
    const nd_status st = put_reasons(job, result, &table, rows, job->skipped_count);
    free(rows);
    return st;
}

/* A row for each source and each reason for which it has other records; rank 0 has those of all. */
static nd_status put_others(nd_job *job, nd_result *result) {
    static const reason_table table = {"/other/source", "/other/records", "/other/reason_offset",
                                       "/other/reason_bytes"};
    reason_row *rows = NULL;
    const size_t cells = job->comm.rank == 0 ? job->inputs.count * ND_OTHERS : 0;
    size_t count = 0;
    size_t capacity = 0;
    for (size_t i = 0; i < cells; i++) {
        const uint64_t records = job->source_totals[i / ND_OTHERS].others[i % ND_OTHERS];
        if (records > 0) {
            nd_grow(&rows, &capacity, count + 1, sizeof *rows);
            rows[count++] = (reason_row){i / ND_OTHERS, records,
                                         nd_other_reason_text((nd_other_reason)(i % ND_OTHERS))};
        }
    }
    const nd_status st = put_reasons(job, result, &table, rows, count);
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
    nd_new(&numbers, COLUMNS * rows, sizeof *numbers);
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
#define MET(field) {#field, t->field},
    const struct {
        const char *name;
        uint64_t value;
    } met[] = {ND_TOTALS_OF_RESULT(MET) /* and */ {"batch_bytes", o->memory.batch},
               {"revisits_alone", t->revisits_alone}};
#undef MET
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
    if (job->options.index != NULL) {
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

/* ==== ids of several pages */

/* A page with an id. */
typedef struct identified {
    uint64_t high, low; /* hash of the id */
    uint64_t place;     /* collection and page, so that they sort in this order */
} identified;

enum { PAGE_BITS = 48 };
static const uint64_t PAGE_MASK = (UINT64_C(1) << PAGE_BITS) - 1;

static const nd_record_order by_id = {.word_count = 3, .words = {0, 1, 2}};

/* ---- sending */

typedef struct own_pages {
    nd_job *job;
    size_t next;
} own_pages;

static nd_status next_identified(void *context, void *records, uint64_t room, uint64_t *count) {
    nd_status st = ND_OK;
    own_pages *own = context;
    nd_page_store *pages = &own->job->state->pages;
    identified *out = records;
    *count = 0;
    for (; *count < room && own->next < pages->count; own->next++) {
        const nd_stored_page *page = &pages->pages[own->next];
        nd_span id, url;
        if (page->id_size > 0) {
            ND_TRY(nd_page_store_names(pages, own->next, &id, &url));
            const XXH128_hash_t hash = XXH3_128bits(id.data, id.size);
            const uint64_t number = nd_job_own_first(own->job) + own->next;
            out[(*count)++] = (identified){hash.high64, hash.low64,
                                           (uint64_t)page->collection << PAGE_BITS | number};
        }
    }
out:
    return st;
}

/* ---- the example */

/* Collective. From the rank that has it. */
static nd_status describe(nd_job *job, uint64_t page, nd_repeated_page *out) {
    nd_status st = ND_OK;
    const int owner = nd_comm_range_owner(job->first, job->comm.size, page);
    if (job->comm.rank == owner) {
        const size_t index = (size_t)(page - nd_job_own_first(job));
        nd_span id = {0};
        nd_span url = {0};
        st = nd_page_store_names(&job->state->pages, index, &id, &url);
        if (st == ND_OK) {
            nd_printable_message((const char *)id.data, id.size, out->id, sizeof out->id);
        }
        out->source = job->state->pages.pages[index].source;
        out->offset = job->state->pages.pages[index].offset;
    }
    ND_TRY(nd_comm_agree(&job->comm, st));
    ND_MPI(MPI_Bcast(out, (int)sizeof *out, MPI_BYTE, owner, job->comm.handle));
out:
    return st;
}

nd_status nd_repeated_ids_find(nd_job *job, nd_repeated_ids *found) {
    nd_status st = ND_OK;
    nd_comm *comm = &job->comm;
    nd_external_sort sorted; /* all pages with ids on the ranks of their ids, in order */
    own_pages own = {.job = job};
    const nd_shuffle_stream stream =
        nd_job_sort_at_owners(job, &sorted, sizeof(identified), &by_id, nd_shuffle_owner_of_hash);
    identified before = {0};
    identified now = {0};
    uint64_t first = 0; /* of the pages with this id in this collection */
    bool any = false;
    bool follows = false;
    *found = (nd_repeated_ids){.page = UINT64_MAX};
    ND_TRY(nd_shuffle_run(&stream, next_identified, &own));
    st = nd_external_sort_finish(&sorted);
    st = st != ND_OK ? st : nd_external_sort_take(&sorted, &now, &any);
    while (st == ND_OK && any) {
        const uint64_t here = now.place & PAGE_MASK;
        const bool shared = follows && now.high == before.high && now.low == before.low;
        const bool repeated = shared && now.place >> PAGE_BITS == before.place >> PAGE_BITS;
        first = repeated ? first : here;
        found->shared += shared;
        found->repeated += repeated;
        if (repeated && here < found->page) {
            found->page = here;
            found->first = first;
        }
        before = now;
        follows = true;
        st = nd_external_sort_take(&sorted, &now, &any);
    }
    ND_TRY(nd_comm_agree(comm, st));
    /* the sums, and the first example of all ranks */
    const uint64_t page = found->page;
    found->shared = nd_comm_sum(comm, found->shared);
    found->repeated = nd_comm_sum(comm, found->repeated);
    found->page = nd_comm_min(comm, page);
    if (found->repeated > 0) {
        found->first = nd_comm_sum(comm, page == found->page ? found->first : 0);
        ND_TRY(describe(job, found->page, &found->at[1]));
        ND_TRY(describe(job, found->first, &found->at[0]));
    }
out:
    nd_external_sort_close(&sorted);
    return st;
}

/* ==== pairs */

/* Pairs are distinct, so that this order is total. */
static const nd_record_order by_pages = {.word_count = 2, .words = {0, 1}};

nd_status nd_write_pairs(nd_job *job, nd_result *result, const nd_pair_columns *table,
                         nd_spool *pairs) {
    nd_status st = ND_OK;
    const nd_comm *comm = &job->comm;
    const uint64_t room = job->options.memory.round / sizeof(nd_link) + 1;
    uint64_t *a = NULL;
    uint64_t *b = NULL;
    float *similarity = NULL;
    nd_external_sort sorted;
    const nd_shuffle_stream stream =
        nd_job_sort_at_owners(job, &sorted, sizeof(nd_link), &by_pages, nd_shuffle_owner_of_item);
    ND_TRY(nd_shuffle_spool(&stream, pairs));
    nd_spool_close(pairs);
    st = nd_external_sort_finish(&sorted);
    nd_new_room(&a, room, sizeof *a);
    nd_new_room(&b, room, sizeof *b);
    nd_new_room(&similarity, room, sizeof *similarity);
    ND_TRY(nd_comm_agree(comm, st));
    ND_TRY(nd_result_agree(comm, result, nd_result_group(result, table->group)));
    const struct {
        const char *name;
        nd_column_type type;
        const void *values;
    } columns[] = {{table->a, ND_COLUMN_U64, a},
                   {table->b, ND_COLUMN_U64, b},
                   {table->similarity, ND_COLUMN_F32, similarity}};
    uint64_t left = nd_external_sort_count(&sorted);
    nd_slab slab = {.total = nd_comm_sum(comm, left), .offset = nd_comm_before(comm, left)};
    const uint64_t pages = job->first[comm->size];
    do { /* in rounds of bounded size; a rank that has no more writes nothing */
        slab.count = nd_min(left, room);
        for (uint64_t i = 0; st == ND_OK && i < slab.count; i++) {
            const void *record = NULL;
            st = nd_external_sort_next(&sorted, &record);
            const nd_link *pair = record;
            ND_ASSERT(st != ND_OK || (pair->a < pages && pair->b < pages), i, slab.offset, pages);
            if (st == ND_OK) {
                a[i] = pair->a;
                b[i] = pair->b;
                similarity[i] = (float)pair->similarity;
            }
        }
        ND_TRY(nd_comm_agree(comm, st));
        for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
            st =
                nd_result_write(result, columns[c].name, columns[c].type, &slab, columns[c].values);
            ND_TRY(nd_result_agree(comm, result, st));
        }
        slab.offset += slab.count;
        slab.goes_on = true;
        left -= slab.count;
    } while (nd_comm_max(comm, left) > 0);
out:
    nd_external_sort_close(&sorted);
    free(a);
    free(b);
    free(similarity);
    return st;
}

/* ==== sites */

/* ---- names */

/* Fetched from the rank of a page. */
typedef struct site_name {
    uint8_t size;
    uint8_t text[ND_SITE_HOST_SIZE];
} site_name;

typedef struct name_source {
    nd_job *job;
    site_name name; /* the latest */
} name_source;

static nd_status give_name(void *context, uint64_t page, nd_span *bytes) {
    nd_status st = ND_OK;
    name_source *from = context;
    nd_job *job = from->job;
    uint8_t memory[ND_SITE_HOST_SIZE];
    nd_span id;
    nd_span url;
    ND_TRY(
        nd_page_store_names(&job->state->pages, (size_t)(page - nd_job_own_first(job)), &id, &url));
    nd_span name = nd_site_host(url, memory);
    name = job->options.content.by_domain ? nd_registered_domain(name) : name;
    from->name = (site_name){.size = (uint8_t)name.size};
    memcpy(from->name.text, name.data, name.size);
    *bytes = (nd_span){(const uint8_t *)&from->name, sizeof from->name};
out:
    return st;
}

/* Collective. The names of this rank's sites one after the other, in rounds of bounded size. */
static nd_status list_names(nd_job *job, nd_spool *names, uint64_t *ends) {
    nd_status st = ND_OK;
    nd_comm *comm = &job->comm;
    const uint64_t room = job->options.memory.round / sizeof(site_name) + 1;
    name_source source = {.job = job};
    const nd_provider provider = {.context = &source, .give = give_name};
    nd_spool_reader reader;
    nd_found_site *sites = NULL;
    uint64_t *places = NULL;
    uint64_t *pages = NULL;
    site_name *found = NULL;
    uint64_t count = 0;
    nd_spool_reader_open(&reader, &job->state->sites.sites, sizeof *sites, 0,
                         job->state->sites.sites.size / sizeof *sites,
                         (size_t)job->options.memory.round);
    nd_new_room(&sites, room, sizeof *sites);
    nd_new_room(&places, room, sizeof *places);
    do {
        uint64_t page_count = 0;
        st = nd_spool_reader_take(&reader, sites, room, &count);
        for (uint64_t i = 0; i < count; i++) {
            places[i] = sites[i].page;
        }
        nd_pages_places(places, count, &pages, &page_count);
        ND_TRY(nd_comm_agree(comm, st));
        ND_TRY(
            nd_fetch_fixed(comm, job->first, pages, page_count, &provider, sizeof *found, &found));
        for (uint64_t i = 0; st == ND_OK && i < count; i++, ends++) {
            const site_name *name = &found[places[i]];
            ends[1] = ends[0] + name->size;
            st = nd_spool_append(names, name->text, name->size);
        }
        free(pages);
        free(found);
        pages = NULL;
        found = NULL;
        ND_TRY(nd_comm_agree(comm, st));
    } while (nd_comm_max(comm, count) > 0);
out:
    nd_spool_reader_close(&reader);
    free(sites);
    free(places);
    free(pages);
    return st;
}

/* ---- columns */

/* Collective. A column whose rows lie in a spool, in rounds of bounded size. */
static nd_status put_spool(nd_job *job, nd_result *result, const char *name, nd_column_type type,
                           const nd_spool *spool) {
    nd_status st = ND_OK;
    nd_comm *comm = &job->comm;
    const size_t size = nd_column_size(type);
    const uint64_t rows = spool->size / size;
    const uint64_t room = job->options.memory.round / size + 1;
    uint8_t *values = NULL;
    nd_spool_reader reader;
    nd_slab slab = {.total = nd_comm_sum(comm, rows), .offset = nd_comm_before(comm, rows)};
    nd_spool_reader_open(&reader, spool, size, 0, rows, (size_t)job->options.memory.round);
    nd_new_room(&values, room, size);
    do {
        ND_TRY(nd_comm_agree(comm, nd_spool_reader_take(&reader, values, room, &slab.count)));
        ND_TRY(nd_result_put(job, result, name, type, &slab, values));
        slab.offset += slab.count;
        slab.goes_on = true;
    } while (nd_comm_max(comm, slab.count) > 0);
out:
    nd_spool_reader_close(&reader);
    free(values);
    return st;
}

/* Collective. Where the lists of this rank's sites end, after `before` of the ranks before. */
static nd_status put_ends(nd_job *job, nd_result *result, const char *name, uint64_t *ends,
                          const nd_slab *rows) {
    const uint64_t before = nd_comm_before(&job->comm, ends[rows->count]);
    for (uint64_t i = 0; i <= rows->count; i++) {
        ends[i] += before;
    }
    return nd_result_put_offsets(job, result, name, ends, rows);
}

nd_status nd_write_sites(nd_job *job, nd_result *result) {
    nd_status st = ND_OK;
    nd_found_sites *found = &job->state->sites;
    const uint64_t count = found->sites.size / sizeof(nd_found_site);
    const nd_slab rows = {nd_comm_sum(&job->comm, count), nd_comm_before(&job->comm, count), count,
                          false};
    uint64_t *name_ends = NULL;
    uint64_t *template_ends = NULL;
    uint64_t *repeated_ends = NULL;
    uint8_t *repeats_all = NULL;
    nd_spool names;
    nd_spool_reader reader;
    const void *records = NULL;
    uint64_t read = 0;
    nd_spool_open(&names, &job->folder, job->options.memory.spool);
    nd_spool_reader_open(&reader, &found->sites, sizeof(nd_found_site), 0, count,
                         (size_t)job->options.memory.round);
    nd_new(&name_ends, count + 1, sizeof *name_ends);
    nd_new(&template_ends, count + 1, sizeof *template_ends);
    nd_new(&repeated_ends, count + 1, sizeof *repeated_ends);
    nd_new(&repeats_all, count, sizeof *repeats_all);
    for (uint64_t next = 0;
         st == ND_OK && (st = nd_spool_reader_next(&reader, &records, &read)) == ND_OK && read > 0;
         next += read) {
        const nd_found_site *sites = records;
        for (uint64_t i = 0; i < read; i++) {
            template_ends[next + i + 1] = template_ends[next + i] + sites[i].templates;
            repeated_ends[next + i + 1] = repeated_ends[next + i] + sites[i].repeated;
            repeats_all[next + i] = sites[i].repeats_all != 0;
        }
    }
    ND_TRY(nd_comm_agree(&job->comm, st));
    ND_TRY(list_names(job, &names, name_ends));
    ND_TRY(put_ends(job, result, "/sites/name_offset", name_ends, &rows));
    ND_TRY(put_spool(job, result, "/sites/name_bytes", ND_COLUMN_U8, &names));
    ND_TRY(put_ends(job, result, "/sites/template_offset", template_ends, &rows));
    ND_TRY(put_spool(job, result, "/sites/template", ND_COLUMN_U64, &found->templates));
    ND_TRY(put_ends(job, result, "/sites/repeated_offset", repeated_ends, &rows));
    ND_TRY(put_spool(job, result, "/sites/repeated", ND_COLUMN_U64, &found->repeated));
    ND_TRY(nd_result_put(job, result, "/sites/repeats_all", ND_COLUMN_U8, &rows, repeats_all));
out:
    nd_spool_reader_close(&reader);
    nd_spool_close(&names);
    free(name_ends);
    free(template_ends);
    free(repeated_ends);
    free(repeats_all);
    return st;
}
