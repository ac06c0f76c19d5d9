#include "mpi/stage/ingested.h"

#include "mpi/stage/unused_inputs.h"
#include "src/base/printable.h"
#include "src/base/sort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- skipped records */

/* Skipped records are told one by one, up to a number that leaves the log readable. */
static void warn_skipped(const nd_job *job, uint64_t source, uint64_t offset, const char *reason) {
    enum { MOST_WARNINGS = 20 };
    if (job->skipped_count <= MOST_WARNINGS) {
        nd_print_line(stderr, "neardup: skipped: %s, byte %llu: %s",
                      job->inputs.inputs[source].path, (unsigned long long)offset, reason);
    } else if (job->skipped_count == MOST_WARNINGS + 1) {
        nd_print_line(stderr,
                      "neardup: rank %d: more skipped records are only counted; the "
                      "result lists them all in /skipped",
                      job->comm.rank);
    }
}

/* A reason that was written for a line of its own starts with the path: /skipped has a column for
 * that. */
static const char *without_path(const char *reason, const char *path) {
    const size_t size = strlen(path);
    const bool repeats = strncmp(reason, path, size) == 0 && strncmp(reason + size, ": ", 2) == 0;
    return repeats ? reason + size + 2 : reason;
}

static nd_status keep_skipped(nd_job *job, nd_skipped skipped, const char *reason) {
    nd_status st = nd_grow(&job->skipped, &job->skipped_capacity, job->skipped_count + 1,
                           sizeof *job->skipped);
    skipped.reason = strdup(reason);
    if (st != ND_OK || skipped.reason == NULL) {
        free(skipped.reason);
        return nd_fail(ND_ERR_MEMORY, "out of memory: a list of %zu skipped records",
                       job->skipped_count);
    }
    job->skipped[job->skipped_count++] = skipped;
    return ND_OK;
}

nd_status nd_skipped_add(nd_job *job, size_t unit, uint64_t source, uint64_t offset,
                         const char *reason) {
    reason = without_path(reason, nd_input_file(&job->inputs.inputs[source]));
    const nd_skipped skipped = {.source = source,
                                .offset = offset,
                                .unit = unit,
                                .reading = unit == ND_NO_UNIT ? 0 : job->units.units[unit].reads};
    const nd_status st = keep_skipped(job, skipped, reason);
    if (st == ND_OK && unit != ND_NO_UNIT) { /* unused inputs are named when all are known */
        warn_skipped(job, source, offset, reason);
    }
    return st;
}

static void drop_skipped(nd_job *job) {
    for (size_t i = 0; i < job->skipped_count; i++) {
        free(job->skipped[i].reason);
    }
    job->skipped_count = 0;
}

static bool counts(const nd_units *units, uint64_t unit, uint64_t reading) {
    return unit == ND_NO_UNIT || (unit < units->count && units->units[unit].reads == reading);
}

/* Forget what was met in readings that do not count. */
static void keep_last_reading(nd_job *job) {
    size_t kept = 0;
    for (size_t i = 0; i < job->skipped_count; i++) {
        if (counts(&job->units, job->skipped[i].unit, job->skipped[i].reading)) {
            job->skipped[kept++] = job->skipped[i];
        } else {
            free(job->skipped[i].reason);
        }
    }
    job->skipped_count = kept;
}

static int by_source_then_offset(const void *a, const void *b) {
    const nd_skipped *x = a;
    const nd_skipped *y = b;
    if (x->source != y->source) {
        return x->source < y->source ? -1 : 1;
    }
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* A skipped record as bytes: this, then its reason. No padding. */
typedef struct skipped_head {
    uint64_t source, offset, unit, reading;
    uint64_t reason_size;
} skipped_head;

static nd_status save_skipped(nd_job *job) {
    nd_status st = ND_OK;
    nd_buffer bytes = {0};
    for (size_t i = 0; i < job->skipped_count; i++) {
        const nd_skipped *s = &job->skipped[i];
        const skipped_head head = {s->source, s->offset, s->unit, s->reading, strlen(s->reason)};
        ND_TRY(nd_buffer_append(&bytes, &head, sizeof head));
        ND_TRY(nd_buffer_append(&bytes, s->reason, head.reason_size));
    }
out:
    st = nd_comm_agree(&job->comm, st);
    if (st == ND_OK) {
        const uint64_t first = nd_checkpoint_count(&job->checkpoint, "ingest.skipped") +
                               nd_comm_before(&job->comm, bytes.size);
        st = nd_checkpoint_save(&job->checkpoint, "ingest.skipped", 1, first, bytes.data,
                                bytes.size);
    }
    nd_buffer_free(&bytes);
    return st;
}

/* Which rank tells of a source: ranks in order of the sources. */
static int source_owner(const nd_job *job, uint64_t source) {
    return (int)(source * (uint64_t)job->comm.size / (job->inputs.count + 1));
}

static nd_status load_skipped(nd_job *job) {
    nd_status st = ND_OK;
    char *reason = NULL;
    size_t capacity = 0;
    const uint64_t end = nd_checkpoint_count(&job->checkpoint, "ingest.skipped");
    drop_skipped(job);
    for (uint64_t at = 0; at < end;) {
        skipped_head head;
        ND_TRY(
            nd_checkpoint_load(&job->checkpoint, "ingest.skipped", 1, at, at + sizeof head, &head));
        at += sizeof head;
        if (source_owner(job, head.source) == job->comm.rank) {
            ND_TRY(nd_grow(&reason, &capacity, head.reason_size + 1, 1));
            ND_TRY(nd_checkpoint_load(&job->checkpoint, "ingest.skipped", 1, at,
                                      at + head.reason_size, reason));
            reason[head.reason_size] = '\0';
            ND_TRY(keep_skipped(job,
                                (nd_skipped){.source = head.source,
                                             .offset = head.offset,
                                             .unit = head.unit,
                                             .reading = head.reading},
                                reason));
        }
        at += head.reason_size;
    }
out:
    free(reason);
    return st;
}

/* ---- into the work folder */

nd_status nd_ingested_keep_parts(nd_job *job, const char *array, nd_page_parts *parts,
                                 uint64_t *base) {
    const uint64_t size = parts->count == 0 ? 0 : parts->parts[0].spool.size;
    *base = nd_checkpoint_count(&job->checkpoint, array) + nd_comm_before(&job->comm, size);
    if (size == 0) {
        return ND_OK;
    }
    parts->parts[0].first = *base;
    return nd_checkpoint_keep(&job->checkpoint, array, 1, *base, &parts->parts[0].spool);
}

static nd_status save_pages(nd_job *job, const size_t *fresh, size_t fresh_count) {
    uint64_t text = 0;
    uint64_t sentences = 0;
    uint64_t names = 0;
    nd_page_store *store = &job->pages;
    const uint64_t base = nd_checkpoint_count(&job->checkpoint, "ingest.pages") +
                          nd_comm_before(&job->comm, store->count);
    nd_status st = nd_ingested_keep_parts(job, "ingest.text", &store->text, &text);
    const nd_status sentences_status =
        nd_ingested_keep_parts(job, "ingest.sentences", &store->sentences, &sentences);
    const nd_status names_status =
        nd_ingested_keep_parts(job, "ingest.names", &store->names, &names);
    st = st != ND_OK ? st : sentences_status;
    st = st != ND_OK ? st : names_status;
    for (size_t i = 0; i < store->count; i++) {
        store->pages[i].text += text;
        store->pages[i].sentences += sentences;
        store->pages[i].names += names;
    }
    for (size_t i = 0; i < fresh_count; i++) {
        job->units.units[fresh[i]].place += base;
    }
    return st != ND_OK
               ? st
               : nd_checkpoint_save(&job->checkpoint, "ingest.pages", sizeof(nd_stored_page), base,
                                    store->pages, store->count);
}

nd_status nd_ingested_save(nd_job *job, const size_t *fresh, size_t fresh_count,
                           const char *stage) {
    nd_status st = ND_OK;
    nd_checkpoint *checkpoint = &job->checkpoint;
    ND_TRY(nd_comm_agree(&job->comm, save_pages(job, fresh, fresh_count)));
    ND_TRY(nd_comm_agree(&job->comm, save_skipped(job)));
    nd_units_share(&job->units, &job->comm);
    nd_checkpoint_drop(checkpoint, "units");
    if (job->comm.rank == 0) {
        st = nd_checkpoint_save(checkpoint, "units", sizeof(nd_unit), 0, job->units.units,
                                job->units.count);
    }
    ND_TRY(nd_comm_agree(&job->comm, st));
    ND_TRY(nd_checkpoint_commit(checkpoint, stage));
    nd_page_store_free(&job->pages);
    drop_skipped(job);
out:
    return st;
}

nd_status nd_ingested_load_units(nd_job *job) {
    nd_status st = ND_OK;
    nd_units *units = &job->units;
    const uint64_t count = nd_checkpoint_count(&job->checkpoint, "units");
    ND_TRY(nd_grow(&units->units, &units->capacity, count, sizeof *units->units));
    ND_TRY(nd_checkpoint_load(&job->checkpoint, "units", sizeof(nd_unit), 0, count, units->units));
    units->count = count;
out:
    return st;
}

/* ---- out of the work folder */

/* The rank's share of all pages: equal numbers, whoever read them. */
static void share_pages(nd_job *job) {
    for (int r = 0; r <= job->comm.size; r++) {
        job->first[r] = nd_comm_share_begin(job->totals.pages, r, job->comm.size);
    }
}

/* Pages [first, end) of those numbered, unit by unit. */
static nd_status load_pages(nd_job *job, uint64_t first, uint64_t end) {
    nd_status st = ND_OK;
    nd_page_store *store = &job->pages;
    uint64_t number = 0; /* of the unit's first page */
    ND_TRY(nd_grow(&store->pages, &store->capacity, (size_t)(end - first), sizeof *store->pages));
    for (size_t i = 0; i < job->units.count; i++) {
        const nd_unit *unit = &job->units.units[i];
        const uint64_t low = number < first ? first - number : 0;
        const uint64_t high = number + unit->pages < end ? unit->pages : end - number;
        if (number < end && low < high) {
            ND_TRY(nd_checkpoint_load(&job->checkpoint, "ingest.pages", sizeof *store->pages,
                                      unit->place + low, unit->place + high,
                                      store->pages + store->count));
            store->count += high - low;
        }
        number += unit->pages;
    }
out:
    return st;
}

static uint64_t place_of_text(const nd_stored_page *page) {
    return page->text;
}

static uint64_t place_of_sentences(const nd_stored_page *page) {
    return page->sentences;
}

static uint64_t place_of_names(const nd_stored_page *page) {
    return page->names;
}

static size_t piece_at(const nd_manifest_piece *pieces, size_t count, uint64_t place) {
    size_t low = 0;
    size_t high = count;
    while (high - low > 1) { /* the last piece that starts at or before the place */
        const size_t middle = low + (high - low) / 2;
        if (pieces[middle].first <= place) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Open those pieces of an array that this rank's pages lie in. */
static nd_status open_parts(nd_job *job, const char *array, nd_page_parts *parts,
                            uint64_t (*place)(const nd_stored_page *page)) {
    nd_status st = ND_OK;
    size_t count = 0;
    bool *used = NULL;
    char path[ND_WORK_PATH_SIZE];
    const nd_manifest_piece *pieces = nd_manifest_array(&job->checkpoint.manifest, array, &count);
    ND_TRY(nd_new(&used, count, sizeof *used));
    for (size_t i = 0; count > 0 && i < job->pages.count; i++) {
        used[piece_at(pieces, count, place(&job->pages.pages[i]))] = true;
    }
    for (size_t i = 0; i < count; i++) {
        if (used[i]) {
            nd_work_folder_join(&job->checkpoint.folder, pieces[i].file, path);
            ND_TRY(
                nd_page_store_add_part(&job->pages, parts, pieces[i].first, path, pieces[i].count));
        }
    }
out:
    free(used);
    return st;
}

nd_status nd_ingested_load(nd_job *job) {
    nd_status st = ND_OK;
    const uint64_t first = nd_job_own_first(job);
    nd_page_store_free(&job->pages);
    ND_TRY(load_pages(job, first, job->first[job->comm.rank + 1]));
    ND_TRY(open_parts(job, "ingest.text", &job->pages.text, place_of_text));
    ND_TRY(open_parts(job, "ingest.sentences", &job->pages.sentences, place_of_sentences));
    ND_TRY(open_parts(job, "ingest.names", &job->pages.names, place_of_names));
out:
    return nd_comm_agree(&job->comm, st);
}

nd_status nd_ingested_load_selected(nd_job *job) {
    nd_status st = ND_OK;
    nd_page_store *store = &job->pages;
    const uint64_t first = nd_job_own_first(job);
    const uint64_t end = job->first[job->comm.rank + 1];
    nd_page_store_free(store);
    ND_TRY(nd_grow(&store->pages, &store->capacity, (size_t)(end - first), sizeof *store->pages));
    ND_TRY(nd_checkpoint_load(&job->checkpoint, "pages", sizeof *store->pages, first, end,
                              store->pages));
    store->count = (size_t)(end - first);
    ND_TRY(open_parts(job, "text", &store->text, place_of_text));
    if (nd_checkpoint_count(&job->checkpoint, "sentences") > 0) { /* until the pages are signed */
        ND_TRY(open_parts(job, "sentences", &store->sentences, place_of_sentences));
    } else {
        nd_page_store_drop_sentences(store);
    }
    ND_TRY(open_parts(job, "ingest.names", &store->names, place_of_names));
out:
    return nd_comm_agree(&job->comm, st);
}

/* ---- numbering */

/* Without checkpoints pages stay where they were read. Those of a unit that was read again lie
 * behind the others: put them in the order of the units. */
static nd_status order_pages(nd_job *job) {
    nd_status st = ND_OK;
    nd_stored_page *ordered = NULL;
    size_t count = 0;
    const nd_units *units = &job->units;
    ND_TRY(nd_new(&ordered, job->pages.count, sizeof *ordered));
    for (size_t i = units->own_begin; i < units->own_end; i++) {
        const nd_unit *unit = &units->units[i];
        if (unit->pages > 0) {
            memcpy(ordered + count, job->pages.pages + unit->place, unit->pages * sizeof *ordered);
            count += unit->pages;
        }
    }
    free(job->pages.pages);
    job->pages.pages = ordered;
    job->pages.capacity = job->pages.count;
    job->pages.count = count;
    ordered = NULL;
out:
    free(ordered);
    return st;
}

static bool read_again(const nd_units *units) {
    for (size_t i = 0; i < units->count; i++) {
        if (units->units[i].reads > 1) {
            return true;
        }
    }
    return false;
}

/* All ranks know all units; sources that could not be looked at are known where that was tried. */
static nd_status add_up(nd_job *job) {
    enum { NUMBERS = sizeof *job->source_totals / sizeof(uint64_t) };
    nd_job_totals *t = &job->totals;
    nd_status st = nd_new(&job->source_totals, job->inputs.count, sizeof *job->source_totals);
    st = nd_comm_agree(&job->comm, st);
    if (st != ND_OK) {
        return st;
    }
    for (size_t i = 0; i < job->skipped_count; i++) {
        const bool whole = job->skipped[i].unit == ND_NO_UNIT;
        job->source_totals[job->skipped[i].source].skipped += whole;
        job->source_totals[job->skipped[i].source].failed += whole;
    }
    nd_comm_sum_all(&job->comm, job->source_totals, NUMBERS * job->inputs.count);
    for (size_t i = 0; i < job->units.count; i++) {
        const nd_unit *unit = &job->units.units[i];
        nd_source_totals *totals = &job->source_totals[unit->source];
        totals->records += unit->records;
        totals->pages += unit->pages;
        totals->other += unit->other;
        totals->skipped += unit->skipped;
        totals->failed += unit->failed;
        t->page_bytes += unit->page_bytes;
    }
    for (size_t i = 0; i < job->inputs.count; i++) {
        t->records += job->source_totals[i].records;
        t->pages += job->source_totals[i].pages;
        t->other += job->source_totals[i].other;
        t->skipped += job->source_totals[i].skipped;
        t->sources_unused += nd_source_is_unused(&job->source_totals[i]);
        t->input_bytes += job->inputs.inputs[i].bytes;
    }
    return ND_OK;
}

static nd_status check_count(const nd_job *job) {
    const uint64_t own = job->first[job->comm.rank + 1] - nd_job_own_first(job);
    const uint64_t needed = own * ND_MEMORY_PER_PAGE + ND_MEMORY_BASE;
    if (job->totals.pages >= UINT64_C(1) << ND_POSTING_PAGE_BITS) {
        return nd_fail(ND_ERR_LIMIT, "%llu pages are more than the program can number",
                       (unsigned long long)job->totals.pages);
    }
    if (job->options.memory.total > ND_MEMORY_BASE && needed > job->options.memory.total / 4 * 3) {
        return nd_fail(ND_ERR_LIMIT,
                       "%llu pages on a rank need --memory %lluM or more (or more ranks)",
                       (unsigned long long)own, (unsigned long long)(needed / 3 * 4 >> 20) + 1);
    }
    return ND_OK;
}

nd_status nd_ingested_number(nd_job *job) {
    nd_status st = ND_OK;
    const bool kept = job->checkpoint.enabled;
    job->totals.records = job->totals.pages = job->totals.other = job->totals.skipped = 0;
    job->totals.sources_unused = job->totals.input_bytes = job->totals.page_bytes = 0;
    st = nd_new(&job->first, (size_t)job->comm.size + 1, sizeof(uint64_t));
    st = st == ND_OK && kept ? load_skipped(job) : st;
    ND_TRY(nd_comm_agree(&job->comm, st));
    keep_last_reading(job);
    nd_sort(job->skipped, job->skipped_count, sizeof *job->skipped, by_source_then_offset);
    ND_TRY(add_up(job));
    if (kept) {
        share_pages(job);
    } else {
        ND_TRY(nd_comm_agree(&job->comm, read_again(&job->units) ? order_pages(job) : ND_OK));
        nd_comm_ranges(&job->comm, job->pages.count, job->first);
    }
    ND_TRY(nd_comm_agree(&job->comm, check_count(job)));
out:
    return st;
}
