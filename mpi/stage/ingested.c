#include "mpi/stage/ingested.h"

#include "io/input/input_survey.h"
#include "io/input/jsonl.h"
#include "io/store/foreign_file.h"
#include "mpi/stage/index_pages.h"
#include "mpi/stage/state.h"
#include "src/base/printable.h"
#include "src/base/sort.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== inputs that gave nothing */

/* Named one by one, up to a number that leaves the log readable. */
enum { MOST_NAMED = 10 };

bool nd_source_may_skip(const nd_input *input, nd_status status) {
    return status == ND_ERR_INPUT &&
           (input->copy == NULL || nd_foreign_file_check(input->copy) == ND_OK);
}

bool nd_source_is_unused(const nd_source_totals *totals, uint64_t bytes) {
    const bool of_nothing = bytes > 0 && totals->records == 0 && totals->skipped == 0;
    return totals->failed > 0 ||
           (totals->pages == 0 && nd_others_sum(totals->others) == 0 && !of_nothing);
}

/* Of standard input our own copy was looked at: its name says nothing to a person. */
static void replace_name(char reason[ND_UNUSED_SIZE], const char *copy) {
    char text[ND_UNUSED_SIZE] = "";
    size_t size = 0;
    for (const char *at = reason; *at != '\0' && size + 8 < sizeof text;) {
        const bool named = strncmp(at, copy, strlen(copy)) == 0;
        const char *word = at == reason ? "-" : "FILE";
        size += (size_t)snprintf(text + size, sizeof text - size, "%.*s", named ? 4 : 1,
                                 named ? word : at);
        at += named ? strlen(copy) : 1;
    }
    (void)snprintf(reason, ND_UNUSED_SIZE, "%s", text);
}

/* Rank 0: of the first input that is JSONL, among the first of all. */
static nd_status name_url_field(const nd_job *job) {
    enum { MOST_LOOKED_AT = 8 };
    nd_status st = ND_OK;
    char hint[ND_UNUSED_SIZE] = "";
    const size_t first = job->state->index.sources + job->state->reread.sources;
    for (size_t i = first; i < job->inputs.count && i < first + MOST_LOOKED_AT; i++) {
        const nd_input *input = &job->inputs.inputs[i];
        if (job->source_totals[i].pages > 0 && hint[0] == '\0') {
            ND_TRY(nd_unused_url_explain(nd_input_file(input), &job->options.reader, hint));
            if (input->copy != NULL) {
                replace_name(hint, input->copy);
            }
        }
    }
    if (hint[0] != '\0') {
        nd_print_line(stderr, "neardup: %s", hint);
    }
out:
    return st;
}

nd_status nd_unused_inputs_report(nd_job *job, const char *all) {
    nd_status st = ND_OK;
    nd_buffer text = {0};
    char reason[ND_UNUSED_SIZE];
    char line[2 * ND_UNUSED_SIZE];
    const size_t count = job->inputs.count;
    const bool no_page = job->totals.pages == job->state->index.pages;
    const uint64_t most = no_page ? 1 : MOST_NAMED; /* without a page the first stands for all */
    const size_t inputs = count - (size_t)job->state->index.sources;
    uint64_t named = 0;
    st = job->comm.rank == 0 && !no_page ? name_url_field(job) : ND_OK;
    for (size_t i = job->state->index.sources;
         job->comm.rank == 0 && st == ND_OK && i < count && named < most; i++) {
        /* without a page, where all inputs were used, the first of them is explained */
        if (nd_source_is_unused(&job->source_totals[i], job->inputs.inputs[i].is.bytes) ||
            (no_page && job->totals.sources_unused == 0)) {
            const nd_input *input = &job->inputs.inputs[i];
            const nd_source_totals *t = &job->source_totals[i];
            nd_reader_counts counts = {.records = t->records,
                                       .pages = t->pages,
                                       .other = nd_others_sum(t->others),
                                       .skipped = t->skipped};
            memcpy(counts.others, t->others, sizeof counts.others);
            named++;
            st = nd_unused_input_explain(nd_input_file(input), &job->options.reader, &counts,
                                         reason);
            if (input->copy != NULL) {
                replace_name(reason, input->copy);
            }
            if (st == ND_OK && no_page) {
                (void)snprintf(line, sizeof line, "no page in %zu input%s: %s", inputs,
                               inputs == 1 ? "" : "s", reason);
                nd_buffer_append(&text, line, strlen(line) + 1);
            } else if (st == ND_OK) {
                nd_print_line(stderr, "neardup: unused input: %s", reason);
            }
        }
    }
    if (job->comm.rank == 0 && st == ND_OK && !no_page && job->totals.sources_unused > named) {
        (void)fprintf(stderr, "neardup: and %llu more unused inputs%s\n",
                      (unsigned long long)(job->totals.sources_unused - named), all);
    }
    ND_TRY(nd_comm_agree(&job->comm, st));
    if (no_page) {
        nd_comm_share_bytes(&job->comm, &text);
        job->done = true;
        st = nd_fail(ND_ERR_FORMAT, "%s", (const char *)text.data); /* by all: no rank's name */
    }
out:
    nd_buffer_free(&text);
    return st;
}

/* ==== what was read */

/* ---- skipped records */

static void keep_skipped(nd_job *job, nd_skipped skipped, const char *reason) {
    nd_grow(&job->skipped, &job->skipped_capacity, job->skipped_count + 1, sizeof *job->skipped);
    skipped.reason = nd_text_copy(reason);
    job->skipped[job->skipped_count++] = skipped;
}

void nd_skipped_add(nd_job *job, size_t unit, uint64_t source, uint64_t offset,
                    const char *reason) {
    enum { MOST_WARNINGS = 20 }; /* leaves the log readable */
    const nd_input *input = &job->inputs.inputs[source];
    const nd_skipped skipped = {.source = source,
                                .offset = offset,
                                .unit = unit,
                                .reading = unit == ND_NO_UNIT ? 0 : job->units.units[unit].reads};
    /* a reason that was written for a line of its own starts with the path, or that of the archive
     * of which this is a part: /skipped has a column for that */
    const char *path = nd_input_file(input);
    size_t size = strlen(path);
    if (strncmp(reason, path, size) != 0) {
        size = nd_wacz_file(path);
    }
    if (strncmp(reason, path, size) == 0 && strncmp(reason + size, ": ", 2) == 0) {
        reason += size + 2;
    }
    keep_skipped(job, skipped, reason);
    if (unit == ND_NO_UNIT || job->units.units[unit].failed) {
        return; /* unused inputs are named when all are known */
    }
    if (strcmp(reason, ND_JSONL_NO_TEXT) == 0) {
        return; /* likewise, as all records may be such */
    }
    job->skipped_named++;
    if (job->skipped_named <= MOST_WARNINGS) {
        nd_print_line(stderr, "neardup: skipped: %s, byte %llu: %s", input->path,
                      (unsigned long long)offset, reason);
    } else if (job->skipped_named == MOST_WARNINGS + 1) {
        nd_print_line(stderr,
                      "neardup: rank %d: more skipped records are only counted; the "
                      "result lists them all in /skipped",
                      job->comm.rank);
    }
}

void nd_skipped_name_without_text(const nd_job *job) {
    uint64_t count = 0;
    uint64_t source = UINT64_MAX; /* of the first, and where that is */
    uint64_t offset = UINT64_MAX;
    for (size_t i = 0; i < job->skipped_count; i++) {
        const nd_skipped *s = &job->skipped[i];
        if (s->source >= job->state->index.sources && job->source_totals[s->source].pages > 0 &&
            strcmp(s->reason, ND_JSONL_NO_TEXT) == 0) {
            count++;
            offset = s->source < source                          ? s->offset
                     : s->source == source && s->offset < offset ? s->offset
                                                                 : offset;
            source = nd_min(source, s->source);
        }
    }
    const uint64_t all = nd_comm_sum(&job->comm, count);
    const uint64_t first = nd_comm_min(&job->comm, source);
    offset = nd_comm_min(&job->comm, source == first ? offset : UINT64_MAX);
    if (all > 0 && job->comm.rank == 0) {
        nd_print_line(stderr,
                      "neardup: skipped: %s, byte %llu: %s; %llu such records (/skipped has all)",
                      job->inputs.inputs[first].path, (unsigned long long)offset, ND_JSONL_NO_TEXT,
                      (unsigned long long)all);
    }
}

static void drop_skipped(nd_job *job) {
    for (size_t i = 0; i < job->skipped_count; i++) {
        free(job->skipped[i].reason);
    }
    job->skipped_count = 0;
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

nd_status nd_skipped_save(nd_job *job, nd_checkpoint *to) {
    nd_status st = ND_OK;
    nd_buffer bytes = {0};
    for (size_t i = 0; i < job->skipped_count; i++) {
        const nd_skipped *s = &job->skipped[i];
        const skipped_head head = {s->source, s->offset, s->unit, s->reading, strlen(s->reason)};
        nd_buffer_append(&bytes, &head, sizeof head);
        nd_buffer_append(&bytes, s->reason, head.reason_size);
    }
    st = nd_comm_agree(&job->comm, st);
    if (st == ND_OK) {
        const uint64_t first =
            nd_checkpoint_count(to, "ingest.skipped") + nd_comm_before(&job->comm, bytes.size);
        st = nd_checkpoint_save(to, "ingest.skipped", 1, first, bytes.data, bytes.size);
    }
    nd_buffer_free(&bytes);
    return st;
}

/* Keep those of this rank's share of the sources. \param[in,out] bytes  the whole records at its
 * front are taken off */
static nd_status take_skipped(nd_job *job, const char *folder, nd_buffer *bytes) {
    nd_status st = ND_OK;
    nd_buffer reason = {0};
    skipped_head head;
    size_t at = 0;
    while (bytes->size - at >= sizeof head) {
        memcpy(&head, bytes->data + at, sizeof head);
        if (head.reason_size > bytes->size - at - sizeof head) {
            break;
        }
        at += sizeof head;
        if (head.source >= job->inputs.count) {
            st = nd_fail(ND_ERR_FORMAT,
                         "%s: damaged: has a skipped record of input %" PRIu64 " of %zu", folder,
                         head.source, job->inputs.count);
            goto out;
        }
        if (head.source * (uint64_t)job->comm.size / (job->inputs.count + 1) ==
            (uint64_t)job->comm.rank) {
            reason.size = 0;
            nd_buffer_append(&reason, bytes->data + at, (size_t)head.reason_size);
            nd_buffer_append(&reason, "", 1);
            keep_skipped(job,
                         (nd_skipped){.source = head.source,
                                      .offset = head.offset,
                                      .unit = head.unit,
                                      .reading = head.reading},
                         (const char *)reason.data);
        }
        at += head.reason_size;
    }
    memmove(bytes->data, bytes->data + at, bytes->size - at);
    bytes->size -= at;
out:
    nd_buffer_free(&reason);
    return st;
}

/* Collective. Add the skipped records that a folder has, those of this rank's share of the inputs:
 * rank 0 reads the list for all. \return ND_OK on all ranks, or a failure on all */
static nd_status skipped_load(nd_job *job, const nd_checkpoint *from) {
    enum { WINDOW = 1 << 20 };
    nd_status st = ND_OK;
    nd_buffer window = {0}; /* what rank 0 has read, for all */
    nd_buffer bytes = {0};
    const uint64_t end = nd_checkpoint_count(from, "ingest.skipped");
    for (uint64_t at = 0; at < end; at += window.size) {
        window.size = 0;
        if (st == ND_OK && job->comm.rank == 0) {
            const uint64_t size = nd_min(end - at, WINDOW);
            nd_buffer_reserve(&window, (size_t)size);
            st = nd_checkpoint_load(from, "ingest.skipped", 1, at, at + size, window.data);
            window.size = (size_t)size;
        }
        ND_TRY(nd_comm_agree(&job->comm, st));
        nd_comm_share_bytes(&job->comm, &window);
        nd_buffer_append(&bytes, window.data, window.size);
        st = take_skipped(job, from->folder.path, &bytes);
    }
    if (st == ND_OK && bytes.size > 0) {
        st = nd_fail(ND_ERR_FORMAT,
                     "%s: damaged: its list of skipped records ends in the middle of one",
                     from->folder.path);
    }
    st = nd_comm_agree(&job->comm, st);
out:
    nd_buffer_free(&window);
    nd_buffer_free(&bytes);
    return st;
}

/* ---- into the work folder */

nd_status nd_ingested_keep_parts(nd_job *job, const char *array, nd_page_parts *parts,
                                 uint64_t *base) {
    const uint64_t size = parts->count == 0 ? 0 : parts->parts[0].spool.size;
    /* bytes are numbered through: those of indexed pages come first */
    *base = nd_max(nd_checkpoint_count(&job->checkpoint, array),
                   nd_checkpoint_count(&job->state->index.folder, array)) +
            nd_comm_before(&job->comm, size);
    if (size == 0) {
        return ND_OK;
    }
    ND_ASSERT(parts->count == 1, parts->count, size); /* what this rank itself has written */
    parts->parts[0].first = *base;
    return nd_checkpoint_keep(&job->checkpoint, array, 1, *base, &parts->parts[0].spool);
}

static nd_status save_pages(nd_job *job) {
    uint64_t text = 0;
    uint64_t names = 0;
    nd_page_store *store = &job->state->pages;
    const uint64_t base = nd_checkpoint_count(&job->checkpoint, "ingest.pages") +
                          nd_comm_before(&job->comm, store->count);
    nd_status st = nd_page_store_end_texts(store);
    const nd_status text_status = nd_ingested_keep_parts(job, "ingest.text", &store->packed, &text);
    const nd_status names_status =
        nd_ingested_keep_parts(job, "ingest.names", &store->names, &names);
    st = st != ND_OK ? st : text_status != ND_OK ? text_status : names_status;
    for (size_t i = 0; i < store->count; i++) {
        store->pages[i].text += nd_stored_page_is_packed(&store->pages[i]) ? text : 0;
        store->pages[i].names += names;
    }
    for (size_t i = 0; i < job->units.count; i++) {
        job->units.units[i].place += job->units.fresh[i] ? base : 0;
    }
    return st != ND_OK
               ? st
               : nd_checkpoint_save(&job->checkpoint, "ingest.pages", sizeof(nd_stored_page), base,
                                    store->pages, store->count);
}

nd_status nd_ingested_save(nd_job *job, const char *stage) {
    nd_status st = ND_OK;
    nd_checkpoint *checkpoint = &job->checkpoint;
    ND_TRY(nd_comm_agree(&job->comm, save_pages(job)));
    ND_TRY(nd_comm_agree(&job->comm, nd_skipped_save(job, checkpoint)));
    nd_units_share(&job->units, &job->comm);
    nd_checkpoint_drop(checkpoint, "units");
    if (job->comm.rank == 0) {
        st = nd_checkpoint_save(checkpoint, "units", sizeof(nd_unit), 0, job->units.units,
                                job->units.count);
    }
    ND_TRY(nd_comm_agree(&job->comm, st));
    ND_TRY(nd_checkpoint_commit(checkpoint, stage));
    nd_page_store_free(&job->state->pages);
    drop_skipped(job);
out:
    return st;
}

nd_status nd_ingested_load_units(nd_job *job) {
    nd_status st = ND_OK;
    nd_units *units = &job->units;
    uint64_t count = 0;
    uint64_t pages = 0;
    ND_TRY(nd_checkpoint_records(&job->checkpoint, "units", &count));
    nd_grow(&units->units, &units->capacity, count, sizeof *units->units);
    ND_TRY(nd_checkpoint_load(&job->checkpoint, "units", sizeof(nd_unit), 0, count, units->units));
    units->count = count;
    for (size_t i = 0; i < count; i++) {
        const nd_unit *unit = &units->units[i];
        const uint64_t most = (UINT64_C(1) << ND_POSTING_PAGE_BITS) - pages;
        if (unit->source >= job->inputs.count ||
            (i > 0 && units->units[i - 1].source > unit->source) || unit->begin > unit->end ||
            unit->end > UINT64_MAX / 2 / count || unit->done > 1 || unit->failed > 1 ||
            unit->pages > most || unit->place > UINT64_MAX / 4) {
            st = nd_checkpoint_refuse(&job->checkpoint, "units", "unit %zu is none", i);
            goto out;
        }
        pages += unit->pages;
    }
out:
    return st;
}

nd_status nd_ingested_check_done(const nd_job *job) {
    for (size_t i = 0; i < job->units.count; i++) {
        if (job->units.units[i].done != 1) {
            return nd_checkpoint_refuse(&job->checkpoint, "units", "unit %zu was not read", i);
        }
    }
    return ND_OK;
}

/* ---- out of the work folder */

/* What of a page lies in an array of bytes: where, and at least how much; 0: nothing. */
typedef struct page_bytes {
    uint64_t (*place)(const nd_stored_page *page);
    uint64_t (*size)(const nd_stored_page *page);
} page_bytes;

static uint64_t text_place(const nd_stored_page *page) {
    return page->text;
}

/* How long a packed text is says its beginning. */
static uint64_t text_size(const nd_stored_page *page) {
    return nd_stored_page_is_packed(page) ? sizeof(uint32_t) : 0;
}

static uint64_t mask_place(const nd_stored_page *page) {
    return page->sentences & ~ND_PAGE_PACKED;
}

/* A bit for each sentence. */
static uint64_t mask_size(const nd_stored_page *page) {
    return nd_stored_page_is_masked(page);
}

static uint64_t names_place(const nd_stored_page *page) {
    return page->names;
}

static uint64_t names_size(const nd_stored_page *page) {
    return (uint64_t)page->id_size + page->url_size + page->claim_size;
}

static const page_bytes of_text = {text_place, text_size};
static const page_bytes of_masks = {mask_place, mask_size};
static const page_bytes of_names = {names_place, names_size};

/* Open those pieces of an array that some of this rank's pages lie in, the new ones or the indexed:
 * each in one piece, or the folder is damaged. */
static nd_status open_own_parts(nd_job *job, bool indexed, const char *array, nd_page_parts *parts,
                                const page_bytes *of) {
    nd_status st = ND_OK;
    size_t count = 0;
    bool *used = NULL;
    char path[ND_WORK_PATH_SIZE];
    const nd_checkpoint *from = indexed ? &job->state->index.folder : &job->checkpoint;
    const size_t indexed_count = (size_t)nd_index_own_count(job);
    const nd_manifest_piece *pieces = nd_manifest_array(&from->manifest, array, &count);
    nd_new(&used, count, sizeof *used);
    for (size_t i = indexed ? 0 : indexed_count;
         i < (indexed ? indexed_count : job->state->pages.count); i++) {
        size_t piece = 0; /* the last that starts at or before the place */
        const nd_stored_page *page = &job->state->pages.pages[i];
        const uint64_t size = of->size(page);
        const uint64_t place = of->place(page);
        if (size == 0) {
            continue;
        }
        ND_FIND_FIRST(piece, 0, count - (count > 0), pieces[piece + 1].first > place);
        if (count == 0 || place < pieces[piece].first ||
            place - pieces[piece].first > pieces[piece].count ||
            size > pieces[piece].count - (place - pieces[piece].first)) {
            st = nd_checkpoint_refuse(from, array, "what page %llu has there is not",
                                      (unsigned long long)(nd_job_own_first(job) + i));
            goto out;
        }
        used[piece] = true;
    }
    for (size_t i = 0; i < count; i++) {
        if (used[i]) {
            const nd_kept_file file = nd_checkpoint_file(from, &pieces[i], path);
            nd_page_store_add_part(&job->state->pages, parts, pieces[i].first, &file);
        }
    }
out:
    free(used);
    return st;
}

/* Texts of indexed pages are brought when they are asked for (index_pages.h). */
static nd_status open_parts(nd_job *job, const char *array, nd_page_parts *parts,
                            const page_bytes *of) {
    const nd_status st = of == &of_names ? open_own_parts(job, true, array, parts, of) : ND_OK;
    return st != ND_OK ? st : open_own_parts(job, false, array, parts, of);
}

/* What is said of this rank's new pages, by which all else is looked up. */
static nd_status check_pages(const nd_job *job) {
    for (size_t i = (size_t)nd_index_own_count(job); i < job->state->pages.count; i++) {
        const nd_stored_page *p = &job->state->pages.pages[i];
        if (p->source < job->state->index.sources || p->source >= job->inputs.count ||
            p->collection != job->inputs.inputs[p->source].collection ||
            p->token_count > p->text_tokens || p->claim_size > sizeof(nd_page_claim) ||
            ((p->token_count > 0 || p->sentence_count > 0) && !nd_stored_page_is_packed(p))) {
            return nd_checkpoint_refuse(&job->checkpoint, "pages", "page %llu is none",
                                        (unsigned long long)(nd_job_own_first(job) + i));
        }
    }
    return ND_OK;
}

nd_status nd_ingested_load(nd_job *job) {
    nd_status st = ND_OK;
    nd_page_store *store = &job->state->pages;
    const uint64_t first = nd_job_own_first(job);
    const uint64_t end = job->first[job->comm.rank + 1];
    uint64_t number = job->state->index.pages; /* of the unit's first page */
    nd_page_store_free(store);
    nd_grow(&store->pages, &store->capacity, (size_t)(end - first), sizeof *store->pages);
    for (size_t i = 0; i < job->units.count; i++) {
        const nd_unit *unit = &job->units.units[i];
        const uint64_t low = number < first ? first - number : 0;
        const uint64_t high = number + unit->pages < end ? unit->pages : end - number;
        if (number < end && low < high) {
            ND_ASSERT(store->count + (high - low) <= end - first, store->count, high - low,
                      end - first);
            ND_TRY(nd_checkpoint_load(&job->checkpoint, "ingest.pages", sizeof *store->pages,
                                      unit->place + low, unit->place + high,
                                      store->pages + store->count));
            store->count += high - low;
        }
        number += unit->pages;
    }
    ND_ASSERT(store->count == end - first, store->count, first, end); /* the units have them all */
    ND_TRY(check_pages(job));
    ND_TRY(open_parts(job, "ingest.text", &store->packed, &of_text));
    ND_TRY(open_parts(job, "masks", &store->masks, &of_masks)); /* no page has one before content */
    ND_TRY(open_parts(job, "ingest.names", &store->names, &of_names));
out:
    return nd_comm_agree(&job->comm, st);
}

nd_status nd_ingested_load_selected(nd_job *job, bool last) {
    (void)last;
    nd_status st = ND_OK;
    nd_page_store *store = &job->state->pages;
    const uint64_t first = nd_job_own_first(job);
    const uint64_t end = job->first[job->comm.rank + 1];
    nd_page_store_free(store);
    nd_page_store_give_back(store);
    nd_grow(&store->pages, &store->capacity, (size_t)(end - first), sizeof *store->pages);
    ND_TRY(nd_index_load(job, "pages", sizeof *store->pages, first, end, store->pages));
    store->count = (size_t)(end - first);
    ND_TRY(check_pages(job));
    ND_TRY(open_parts(job, "ingest.text", &store->packed, &of_text));
    ND_TRY(open_parts(job, "masks", &store->masks, &of_masks));
    ND_TRY(open_parts(job, "ingest.names", &store->names, &of_names));
out:
    return nd_comm_agree(&job->comm, st);
}

/* ---- numbering */

/* Without checkpoints pages stay where they were read. Those of a unit that was read again lie
 * after the others: put them in the order of the units. */
static void order_pages(nd_job *job) {
    nd_stored_page *ordered = NULL;
    size_t count = 0;
    const nd_units *units = &job->units;
    bool again = false;
    for (size_t i = 0; i < units->count; i++) {
        again = again || units->units[i].reads > 1;
    }
    if (!again) {
        goto out;
    }
    nd_new(&ordered, job->state->pages.count, sizeof *ordered);
    for (size_t i = units->own_begin; i < units->own_end; i++) {
        const nd_unit *unit = &units->units[i];
        if (unit->pages > 0) {
            ND_ASSERT(unit->place + unit->pages <= job->state->pages.count &&
                          count + unit->pages <= job->state->pages.count,
                      unit->place, unit->pages, job->state->pages.count);
            memcpy(ordered + count, job->state->pages.pages + unit->place,
                   unit->pages * sizeof *ordered);
            count += unit->pages;
        }
    }
    free(job->state->pages.pages);
    job->state->pages.pages = ordered;
    job->state->pages.capacity = job->state->pages.count;
    job->state->pages.count = count;
    ordered = NULL;
out:
    free(ordered);
}

/* All ranks know all units; sources that could not be looked at are known where that was tried. */
static nd_status add_up(nd_job *job) {
    enum { NUMBERS = sizeof *job->source_totals / sizeof(uint64_t) };
    nd_job_totals *t = &job->totals;
    nd_status st = ND_OK;
    nd_new(&job->source_totals, job->inputs.count, sizeof *job->source_totals);
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
        nd_others_add(totals->others, unit->others);
        totals->skipped += unit->skipped;
        totals->failed += unit->failed;
        totals->blocks += unit->blocks;
        ND_ASSERT(unit->source < job->inputs.count && unit->done == 1, i, unit->source, unit->done);
        t->page_bytes += unit->page_bytes;
        t->revisits += unit->revisits;
    }
    for (size_t i = 0, last = SIZE_MAX; i < job->units.count; i++) { /* each source once */
        const nd_unit *unit = &job->units.units[i];
        const bool has_gaps =
            unit->gaps > 0 && !nd_source_is_unused(&job->source_totals[unit->source],
                                                   job->inputs.inputs[unit->source].is.bytes);
        t->sources_gaps += has_gaps && unit->source != last;
        last = has_gaps ? unit->source : last;
    }
    st = nd_checkpoint_load(&job->state->index.folder, "source.totals", sizeof *job->source_totals,
                            0, job->state->index.sources, job->source_totals);
    for (size_t i = 0; i < job->inputs.count; i++) {
        job->source_totals[i].blocks *= job->source_totals[i].failed == 0;
        t->records += job->source_totals[i].records;
        t->pages += job->source_totals[i].pages;
        t->other += nd_others_sum(job->source_totals[i].others);
        t->skipped += i >= job->state->index.sources ? job->source_totals[i].skipped : 0;
        const uint64_t bytes = job->inputs.inputs[i].is.bytes;
        t->sources_unused +=
            i >= job->state->index.sources && nd_source_is_unused(&job->source_totals[i], bytes);
        t->input_bytes += bytes;
    }
    return nd_comm_agree(&job->comm, st);
}

/* Bytes that a rank needs at least for so many new pages, and its share of indexed ones. */
static uint64_t memory_for(const nd_job *job, uint64_t pages) {
    return (pages + job->state->index.pages / (uint64_t)job->comm.size) * ND_MEMORY_PER_PAGE +
           ND_MEMORY_BASE + job->input_memory;
}

static bool has_room(const nd_job *job, uint64_t pages) {
    const uint64_t memory = job->options.memory.total;
    return memory <= ND_MEMORY_BASE || memory_for(job, pages) <= memory / 4 * 3;
}

/* By the ranks' pace, whoever read them; or equal numbers, where memory asks for that. */
static void deal_pages(nd_job *job) {
    const nd_comm *comm = &job->comm;
    const uint64_t indexed = job->state->index.pages;
    const uint64_t pages = job->totals.pages - indexed;
    bool fits = comm->part_begin != NULL;
    for (int r = 0; r < comm->size; r++) {
        fits = fits && has_room(job, (uint64_t)(nd_comm_part(comm, r) * (double)pages) + 1);
    }
    for (int r = 0; r <= comm->size; r++) {
        job->first[r] = indexed + (fits ? (uint64_t)(nd_comm_part_begin(comm, r) * (double)pages)
                                        : nd_comm_share_begin(pages, r, comm->size));
    }
}

nd_status nd_ingested_number(nd_job *job) {
    nd_status st = ND_OK;
    const bool kept = job->checkpoint.enabled;
    size_t counted = 0;
    job->totals.records = job->totals.pages = job->totals.other = job->totals.skipped = 0;
    job->totals.sources_gaps = 0;
    job->totals.sources_unused = job->totals.input_bytes = job->totals.page_bytes = 0;
    nd_new(&job->first, (size_t)job->comm.size + 1, sizeof(uint64_t));
    if (kept) {
        drop_skipped(job);
        ND_TRY(skipped_load(job, &job->checkpoint));
    }
    /* what was met in readings that do not count is forgotten */
    for (size_t i = 0; i < job->skipped_count; i++) {
        const nd_skipped *s = &job->skipped[i];
        if (s->unit == ND_NO_UNIT ||
            (s->unit < job->units.count && job->units.units[s->unit].reads == s->reading)) {
            job->skipped[counted++] = *s;
        } else {
            free(s->reason);
        }
    }
    job->skipped_count = counted;
    nd_sort(job->skipped, counted, sizeof *job->skipped, by_source_then_offset);
    ND_TRY(add_up(job));
    if (job->state->index.pages > 0) {
        ND_TRY(skipped_load(job, &job->state->index.folder));
        nd_sort(job->skipped, job->skipped_count, sizeof *job->skipped, by_source_then_offset);
    }
    if (kept) {
        deal_pages(job);
    } else {
        order_pages(job);
        nd_comm_ranges(&job->comm, job->state->pages.count, job->first);
    }
    const uint64_t own = job->first[job->comm.rank + 1] - nd_job_own_first(job);
    if (job->totals.pages >= UINT64_C(1) << ND_POSTING_PAGE_BITS) {
        st = nd_fail(ND_ERR_LIMIT, "%llu pages are more than the program can number",
                     (unsigned long long)job->totals.pages);
    } else if (!has_room(job, own)) {
        st = nd_fail(ND_ERR_LIMIT,
                     "%llu pages on a rank need --memory %lluM or more (or more ranks)",
                     (unsigned long long)(own + job->state->index.pages / (uint64_t)job->comm.size),
                     (unsigned long long)(memory_for(job, own) / 3 * 4 >> 20) + 1);
    }
    ND_TRY(nd_comm_agree(&job->comm, st));
out:
    return st;
}
