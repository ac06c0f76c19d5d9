/* One source parted: the records that are kept, or those that are dropped, in a new file of the
 * same form, to the byte as they are in the source. What is no page stays with its capture
 * (io/input/archive_header.h), and else with what is kept. One process's own. The invariant: every
 * byte of a source is in what is kept or in what is dropped, and what says something of the whole
 * file is in both. */
#include "mpi/cmd/filter/filter.h"

#include "io/input/archive_header.h"
#include "io/input/fields.h"
#include "io/input/reader.h"
#include "io/input/records.h"
#include "io/result/result_order.h"
#include "io/result/result_read.h"
#include "io/store/output_file.h"
#include "io/store/own_file.h"
#include "mpi/cmd/command.h"
#include "mpi/cmd/json_fields.h"
#include "mpi/comm/comm.h"
#include "mpi/job/progress.h"
#include "src/base/buffer.h"
#include "src/base/printable.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <xxhash.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What was written. No padding: it is summed up as numbers. */
typedef struct nd_part_totals {
    uint64_t files;
    uint64_t pages;
    uint64_t records; /**< that are no pages */
    uint64_t bytes;
    uint64_t stayed; /**< pages to be dropped that stay, since one compressed member holds them and
                          what is kept */
    uint64_t bare;   /**< pages that could not be annotated: of ARC, and files of their own */
} nd_part_totals;

/* How sources are parted, and the pages of some of them: this rank's. */
typedef struct parting {
    const nd_comm *comm;
    const nd_filter_request *request;
    const nd_result *result;
    nd_reader_options reader; /* as of nd_walk_open() */
    char *created;            /* of the result: the date of annotations, as in WARC */
    uint64_t first_page;      /* the arrays begin with this page */
    uint64_t *all;            /* of all pages, on rank 0 */
    uint64_t *kept;
    uint32_t *set_pages;   /* only to annotate */
    uint8_t *reasons;      /* likewise: nd_keep_reason */
    nd_page_names names;   /* likewise: of pages that stand for others */
    nd_part_totals totals; /* of all sources so far */
    nd_own_batch batch;    /* files that are complete and have no names yet */
    nd_progress progress;  /* in units of bytes, with what opening a file costs */
    uint64_t before, total;
} parting;

/* So many bytes of the present source are done. */
static void pass(parting *p, uint64_t bytes) {
    nd_progress_update(&p->progress, p->comm, p->before + bytes, p->total, p->totals.pages);
}

/* ==== What a result says of a page, to be put beside its record: as a WARC metadata record, or as
 * one more member of its JSON object. */

typedef struct nd_annotation {
    uint64_t page;
    uint64_t set;
    uint64_t set_pages;
    float similarity; /**< to the set's representative */
    nd_span id, url;
    uint64_t kept; /**< the page that stands for it */
    nd_span kept_id, kept_url;
    const char *reason; /**< why, in a word; "" where it stands for itself */
} nd_annotation;

/* A field of what strangers wrote: no line end of theirs ends it. */
static void append_field(nd_buffer *out, const char *name, nd_span text) {
    const size_t room = text.size * ND_PRINTABLE_GROWTH + 1;
    nd_buffer_append_text(out, name);
    nd_buffer_reserve(out, room);
    out->size += nd_printable_put(ND_PRINTABLE_MESSAGE, text, (char *)out->data + out->size, room);
    nd_buffer_append_text(out, "\r\n");
}

/* Append a metadata record, not compressed. The same page of the same result gives the same id.
 * \param[in] date  as in WARC */
static void annotation_warc(const nd_annotation *a, const char *date, nd_buffer *out) {
    nd_buffer block = {0};
    char id[64];
    char numbers[256];
    (void)snprintf(numbers, sizeof numbers,
                   "neardup-page: %" PRIu64 "\r\nneardup-set: %" PRIu64
                   "\r\nneardup-set-size: %" PRIu64 "\r\nneardup-similarity: %.*g\r\n"
                   "neardup-kept-page: %" PRIu64 "\r\n",
                   a->page, a->set, a->set_pages, ND_SIMILARITY_DIGITS, (double)a->similarity,
                   a->kept);
    nd_buffer_append_text(&block, numbers);
    append_field(&block, "neardup-kept-id: ", a->kept_id);
    append_field(&block, "neardup-kept-uri: ", a->kept_url);
    if (*a->reason != '\0') {
        const nd_span reason = nd_span_of(a->reason);
        append_field(&block, "neardup-reason: ", reason);
    }
    const XXH128_hash_t hash =
        XXH3_128bits_withSeed(a->id.data, a->id.size, XXH3_64bits(block.data, block.size));
    (void)snprintf(id, sizeof id, "urn:uuid:%08x-%04x-8%03x-8%03x-%012" PRIx64,
                   (unsigned)(hash.high64 >> 32), (unsigned)(hash.high64 >> 16 & 0xffff),
                   (unsigned)(hash.high64 & 0xfff), (unsigned)(hash.low64 >> 48 & 0xfff),
                   hash.low64 & UINT64_C(0xffffffffffff));
    const nd_warc_header header = {.type = "metadata",
                                   .id = nd_span_of(id),
                                   .url = a->url,
                                   .with = a->id,
                                   .date = date,
                                   .content_type = "application/warc-fields"};
    const nd_span parts[2] = {nd_buffer_span(&block), {NULL, 0}};
    nd_warc_append(out, &header, parts);
    nd_buffer_free(&block);
}

/* Append `,"neardup":{...}`, to be put before the last brace of a line. */
static void annotation_json(const nd_annotation *a, nd_buffer *out) {
    json_object *object = nd_json_new();
    ND_JSON_PUT(object, {"page", nd_json_number(a->page)}, {"set", nd_json_number(a->set)},
                {"set_size", nd_json_number(a->set_pages)},
                {"similarity", nd_json_similarity((double)a->similarity)},
                {"kept", nd_json_number(a->kept)}, {"kept_id", nd_json_text(a->kept_id)},
                {"kept_url", nd_json_text(a->kept_url)});
    if (*a->reason != '\0') {
        ND_JSON_PUT(object, {"reason", nd_json_words(a->reason)});
    }
    nd_buffer_append_text(out, ",\"neardup\":");
    nd_buffer_append_text(out, nd_json_line(object, 0));
    (void)json_object_put(object);
}

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

/* ==== the source */

/* Pages whose rows are read at once. */
static const uint64_t PAGES_AT_ONCE = UINT64_C(1) << 14;
/* Companions that wait for the record after them, at most: no capture has as many. */
enum { MOST_WAITING = 64 };

/* A record that waits to be known whose it is, or the last one that stands for itself. */
typedef struct walked_record {
    uint64_t begin;
    nd_capture_names names;
    bool wanted;
} walked_record;

/* The state of a source on its way; at hand are the rows of the next page and of the one after it.
 * Records with one beginning (of one compressed member, or of several where records go over their
 * ends) are one extent, which is written as a whole
 * or not at all. */
typedef struct work {
    parting *parting;
    uint32_t source;
    const char *from;
    nd_walk *walk;
    nd_record_copy *copy;
    nd_page_rows rows;  /* of some pages, among them the next */
    uint64_t page, end; /* the next that is to be met, and the end of the source's */
    bool has_before;    /* a record that stands for itself was met */
    walked_record before;
    walked_record waiting[MOST_WAITING];
    size_t waiting_count;
    bool is_open; /* an extent is */
    uint64_t extent;
    uint64_t pages, dropped_pages, records; /* that it holds; the last are no pages */
    bool any_wanted, all_wanted;
    nd_buffer annotation; /* to be put after it */
    bool is_running;      /* bytes from `run` on are wanted, and not copied yet */
    uint64_t run;
} work;

static bool is_wanted(const parting *p, uint64_t page) {
    ND_ASSERT(page >= p->first_page, page, p->first_page);
    return (p->kept[page - p->first_page] != page) == p->request->dropped;
}

/* ---- pages */

static nd_status load_rows(work *w) {
    nd_status st = ND_OK;
    const uint64_t loaded = w->rows.begin + w->rows.count;
    if (w->page == w->end || w->page + 1 < loaded || loaded == w->end) {
        return ND_OK;
    }
    ND_TRY(nd_page_rows_read(w->parting->result, w->page, nd_min(w->end - w->page, PAGES_AT_ONCE),
                             &w->rows));
    for (uint64_t i = 0; i < w->rows.count; i++) {
        if (w->rows.source[i] != w->source ||
            (i > 0 && w->rows.offset[i] < w->rows.offset[i - 1])) {
            return nd_result_damaged(w->parting->result,
                                     "page %" PRIu64 " does not stand in the order of the sources",
                                     w->page + i);
        }
    }
out:
    return st;
}

static uint64_t page_place(const work *w) {
    return w->page == w->end ? UINT64_MAX : w->rows.offset[w->page - w->rows.begin];
}

static nd_status changed(const work *w) {
    return nd_result_refuse_record(w->parting->result, w->from, w->page, page_place(w));
}

/* Is a record the next page? */
static nd_status is_page(work *w, const nd_walked *walked, bool *yes) {
    nd_status st = ND_OK;
    const uint64_t row = w->page - w->rows.begin;
    *yes = walked->kind == ND_WALKED_RECORD && walked->begin == page_place(w) &&
           (!nd_walk_is_archive(w->walk) ||
            (nd_span_is_equal(walked->id, nd_page_rows_id(&w->rows, row)) &&
             nd_span_is_equal(walked->url, nd_page_rows_url(&w->rows, row))));
    if (*yes && w->rows.checksum[row] != 0) {
        bool same = false;
        ND_TRY(nd_walk_compare(w->walk, walked, w->rows.checksum[row], &same));
        ND_TRY(same ? ND_OK : changed(w));
    }
out:
    return st;
}

/* ---- extents */

static nd_status copy_run(work *w, uint64_t end) {
    nd_status st = ND_OK;
    if (w->is_running) {
        ND_ASSERT(w->run <= end, w->run, end);
        ND_TRY(nd_record_copy_range(w->copy, w->run, end));
        w->is_running = false;
    }
out:
    return st;
}

static void start_run(work *w, uint64_t begin) {
    w->run = w->is_running ? w->run : begin;
    w->is_running = true;
}

static nd_status close_extent(work *w, uint64_t end) {
    nd_status st = ND_OK;
    nd_part_totals *t = &w->parting->totals;
    const bool wanted = w->parting->request->dropped ? w->all_wanted : w->any_wanted;
    if (!w->is_open) {
        return ND_OK;
    }
    w->is_open = false;
    t->stayed += w->any_wanted != w->all_wanted ? w->dropped_pages : 0;
    if (!wanted) {
        ND_TRY(copy_run(w, w->extent));
        goto out;
    }
    t->pages += w->pages;
    t->records += w->records;
    start_run(w, w->extent);
    if (w->annotation.size > 0) {
        ND_TRY(copy_run(w, end));
        ND_TRY(nd_record_copy_add(w->copy, nd_buffer_span(&w->annotation)));
    }
out:
    w->annotation.size = 0;
    return st;
}

/* A record begins, of the extent that is open or of the next. */
static nd_status open_extent(work *w, uint64_t begin, bool wanted) {
    nd_status st = ND_OK;
    ND_ASSERT(!w->is_open || begin >= w->extent, begin, w->extent);
    if (!w->is_open || begin != w->extent) {
        ND_TRY(close_extent(w, begin));
        w->is_open = true;
        w->extent = begin;
        w->pages = w->dropped_pages = w->records = 0;
        w->any_wanted = false;
        w->all_wanted = true;
    }
    w->any_wanted = w->any_wanted || wanted;
    w->all_wanted = w->all_wanted && wanted;
out:
    return st;
}

/* ---- annotations */

static nd_status annotate(work *w, const nd_walked *walked) {
    nd_status st = ND_OK;
    const parting *p = w->parting;
    const uint64_t row = w->page - w->rows.begin;
    const uint64_t at = w->page - p->first_page;
    nd_annotation a = {.page = w->page,
                       .set = w->rows.set[row],
                       .set_pages = p->set_pages[at],
                       .similarity = w->rows.similarity[row],
                       .id = nd_page_rows_id(&w->rows, row),
                       .url = nd_page_rows_url(&w->rows, row),
                       .kept = p->kept[at],
                       .reason = nd_keep_reason_name((nd_keep_reason)p->reasons[at])};
    a.kept_id = a.id;
    a.kept_url = a.url;
    if (a.kept != w->page) {
        nd_page_names_get(&p->names, a.kept, &a.kept_id, &a.kept_url);
    }
    if (nd_walk_is_warc(w->walk)) {
        annotation_warc(&a, p->created, &w->annotation);
    } else if (nd_walk_is_jsonl(w->walk)) {
        /* the object is whole, or it would be no page: its last byte is its brace */
        const nd_span object = nd_fields_trim(walked->line);
        const uint64_t brace =
            walked->begin + (uint64_t)(object.data - walked->line.data) + object.size - 1;
        annotation_json(&a, &w->annotation);
        start_run(w, walked->begin);
        ND_TRY(copy_run(w, brace));
        ND_TRY(nd_record_copy_add(w->copy, nd_buffer_span(&w->annotation)));
        w->annotation.size = 0;
        start_run(w, brace);
    } else {
        w->parting->totals.bare++;
    }
out:
    return st;
}

/* ---- records */

/* All that wait stand between two records: it is known whose they are. */
static nd_status settle_waiting(work *w, const walked_record *after) {
    nd_status st = ND_OK;
    const walked_record *before = w->has_before ? &w->before : NULL;
    for (size_t i = 0; i < w->waiting_count; i++) {
        const walked_record *r = &w->waiting[i];
        const nd_capture_side side =
            nd_capture_side_of(&r->names, before != NULL ? &before->names : NULL,
                               after != NULL ? &after->names : NULL);
        const bool wanted = side == ND_CAPTURE_BEFORE  ? before->wanted
                            : side == ND_CAPTURE_AFTER ? after->wanted
                                                       : !w->parting->request->dropped;
        ND_TRY(open_extent(w, r->begin, wanted));
        w->records++;
    }
    w->waiting_count = 0;
out:
    return st;
}

static nd_status take_record(work *w, const nd_walked *walked) {
    nd_status st = ND_OK;
    bool page = false;
    walked_record record = {.begin = walked->begin,
                            .names = nd_capture_names_of(walked->id, walked->url, walked->with),
                            .wanted = !w->parting->request->dropped};
    if (walked->kind == ND_WALKED_COMPANION) {
        ND_TRY(w->waiting_count == MOST_WAITING ? settle_waiting(w, NULL) : ND_OK);
        w->waiting[w->waiting_count++] = record;
        goto out;
    }
    ND_TRY(is_page(w, walked, &page));
    if (page) {
        record.wanted = is_wanted(w->parting, w->page);
    } else if (walked->kind == ND_WALKED_INFORMATION) {
        record.wanted = true;
    }
    const bool stands = walked->kind == ND_WALKED_RECORD;
    ND_TRY(settle_waiting(w, stands ? &record : NULL));
    ND_TRY(open_extent(w, walked->begin, record.wanted));
    w->records += !page;
    w->pages += page;
    w->dropped_pages += page && record.wanted == w->parting->request->dropped;
    w->has_before = stands;
    w->before = record;
    if (page) {
        ND_TRY(record.wanted && w->parting->request->annotate ? annotate(w, walked) : ND_OK);
        w->page++;
        ND_TRY(load_rows(w));
    }
out:
    return st;
}

static nd_status walk_records(work *w) {
    nd_status st = ND_OK;
    nd_walked walked;
    bool first = true;
    ND_TRY(load_rows(w));
    while ((st = nd_walk_next(w->walk, page_place(w), &walked)) == ND_OK) {
        pass(w->parting, walked.begin);
        if (first && walked.begin > 0) { /* as of a dictionary of zstd: it is of the file */
            ND_TRY(open_extent(w, 0, true));
        }
        first = false;
        ND_TRY(take_record(w, &walked));
    }
    ND_TRY(st == ND_ERR_CHANGED || (st == ND_END && w->page < w->end) ? changed(w)
           : st == ND_END                                             ? ND_OK
                                                                      : st);
    ND_ASSERT(w->page == w->end, w->page, w->end); /* each was met once */
    ND_TRY(settle_waiting(w, NULL));
    ND_TRY(close_extent(w, nd_walk_end(w->walk)));
    ND_TRY(copy_run(w, nd_walk_end(w->walk)));
out:
    return st;
}

/* Are the pages what the run read, where the file is copied as it is? */
static nd_status check_pages(work *w) {
    nd_status st = ND_OK;
    nd_walked walked;
    while (w->page < w->end) {
        bool page = false;
        ND_TRY(load_rows(w));
        st = nd_walk_next(w->walk, page_place(w), &walked);
        ND_TRY(st == ND_END || st == ND_ERR_CHANGED ? changed(w) : st);
        ND_TRY(is_page(w, &walked, &page));
        w->page += page;
    }
out:
    return st;
}

/* The file as it lies there. */
static nd_status copy_whole(work *w, uint64_t bytes) {
    static const uint64_t STEP = UINT64_C(64) << 20;
    nd_status st = ND_OK;
    for (uint64_t at = 0; at < bytes; at += nd_min(STEP, bytes - at)) {
        pass(w->parting, at);
        ND_TRY(nd_record_copy_range(w->copy, at, at + nd_min(STEP, bytes - at)));
    }
out:
    return st;
}

/* Make the folders on the way to a file, whose names outlive a loss of power.
 * \param[out] kept  bytes of the path up to the first folder that was made, or to the name */
static nd_status make_folders(const char *path, size_t *kept) {
    nd_status st = ND_OK;
    char *folder = nd_text_copy(path);
    *kept = (size_t)(strrchr(path, '/') - path);
    for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(folder, 0777) == 0) {
            *kept = nd_min(
                *kept, strrchr(folder, '/') != NULL ? (size_t)(strrchr(folder, '/') - folder) : 0);
            ND_TRY(nd_own_file_sync_names(folder));
        } else if (errno != EEXIST) {
            st = nd_fail(ND_ERR_IO, "%s: the folder cannot be made: %s", folder, strerror(errno));
            goto out;
        }
        *slash = '/';
    }
out:
    free(folder);
    return st;
}

/* Remove the folders again, for a file that was not made. */
static void remove_folders(const char *path, size_t kept) {
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strrchr(folder, '/'); (size_t)(slash - folder) > kept;
         slash = strrchr(folder, '/')) {
        *slash = '\0';
        if (rmdir(folder) != 0) {
            break;
        }
    }
}

/* Part source `i` into a file; folders on the way to it are made. It has its name when the batch is
 * published; one without any bytes is not made.
 * \return ND_OK; ND_ERR_CHANGED if it is not as it was; ND_ERR_INPUT if it cannot be read;
 *         ND_ERR_FORMAT if the result is damaged; ND_ERR_IO or ND_ERR_MEMORY. On failure there is
 *         nothing of that name */
static nd_status part_source(parting *p, const sources *s, uint64_t i) {
    nd_status st = ND_OK;
    const uint64_t begin = s->first[i], end = s->first[i + 1];
    const nd_filter_request *r = p->request;
    char to[PATH_MAX];
    work w = {.parting = p, .source = (uint32_t)i, .page = begin, .end = end};
    nd_buffer path = {0};
    struct stat info;
    uint64_t wanted = 0;
    uint64_t sum = 0;
    size_t kept = 0;
    bool made = true;
    for (uint64_t page = begin; page < end; page++) {
        wanted += is_wanted(p, page);
    }
    if (r->dropped && wanted == 0) { /* what is kept of a source is at least what is no page */
        return ND_OK;
    }
    const int size = r->file == NULL ? snprintf(to, sizeof to, "%s/%s", r->folder, s->to[i])
                                     : snprintf(to, sizeof to, "%s%s", /* a path has a folder */
                                                strchr(r->file, '/') != NULL ? "" : "./", r->file);
    if ((size_t)size >= sizeof to) {
        return nd_fail(ND_ERR_USAGE, "%s: the name of the file is too long", s->to[i]);
    }
    ND_TRY(nd_result_source_look(p->result, nd_text_column_at(&s->paths, i), s->bytes[i],
                                 begin < end ? begin : ND_NO_PAGE, &path, &info));
    w.from = (const char *)path.data;
    ND_TRY(nd_walk_open(w.from, &p->reader, &w.walk));
    const nd_walk_form form = nd_walk_form_of(w.walk);
    if (form == ND_WALK_FILE && wanted < end - begin) {
        goto out; /* its page is of the other part */
    }
    const bool whole =
        form == ND_WALK_FILE || (wanted == end - begin && !r->dropped && !r->annotate);
    ND_TRY(make_folders(to, &kept));
    ND_TRY(nd_record_copy_open(w.from, form == ND_WALK_PACKED && !whole, nd_walk_codec(w.walk),
                               nd_walk_starts(w.walk), to, &w.copy));
    if (whole) {
        ND_TRY(check_pages(&w));
        ND_TRY(copy_whole(&w, s->bytes[i]));
        p->totals.pages += wanted;
        p->totals.bare += r->annotate ? wanted : 0;
    } else {
        ND_TRY(walk_records(&w));
    }
    ND_TRY(s->checksum[i] != 0 ? nd_walk_block_sum(w.walk, &sum) : ND_OK);
    if (sum != s->checksum[i]) {
        st = nd_fail(ND_ERR_CHANGED,
                     "%s: has changed since the run: its pages are as they were, other bytes are "
                     "not: partition it again",
                     w.from);
        goto out;
    }
    if (!whole && nd_walk_damage(w.walk) != NULL) { /* its pages are not, and they are written */
        nd_print_line(
            stderr,
            "neardup: %s: %s: what cannot be unpacked after its last record is left out of "
            "what is written",
            w.from, nd_walk_damage(w.walk));
    }
    p->totals.bytes += nd_record_copy_bytes(w.copy);
out:
    if (w.copy != NULL) {
        st = nd_record_copy_close(&w.copy, st, &p->batch, &made);
        p->totals.files += made;
    }
    if (!made) {
        remove_folders(to, kept);
    }
    nd_walk_close(&w.walk);
    nd_buffer_free(&path);
    nd_page_rows_free(&w.rows);
    nd_buffer_free(&w.annotation);
    return st;
}

/* ---- neardup filter OUT.h5 -o DIR : the records of the inputs again, without near-duplicates. */

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
    ND_TRY(nd_result_read(result, "/sources/checksum", ND_COLUMN_U64, 0, s->count, s->checksum));
    for (uint64_t i = 0; i < s->count; i++) {
        texts[i] = nd_text_column_at(&s->paths, i);
        const uint64_t left = result->shape.pages - s->first[i];
        if (s->collection[i] >= s->collections.count || s->first[i + 1] > left) {
            st = nd_result_damaged(result, "/sources: row %" PRIu64 ": no such numbers", i);
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

/* Collective. Of the pages [begin, end), this rank's. */
static nd_status choose(parting *p, uint64_t begin, uint64_t end) {
    nd_status st = ND_OK;
    uint32_t *set_pages = NULL;
    uint8_t *reasons = NULL;
    const nd_comm *comm = p->comm;
    const bool annotate = p->request->annotate;
    if (comm->rank == 0) {
        st = nd_result_choose(p->result, &p->request->wish, &p->all, annotate ? &set_pages : NULL);
        st = st == ND_OK && annotate ? nd_result_reasons(p->result, p->all, &reasons) : st;
    }
    ND_TRY(nd_comm_agree(comm, st));
    p->first_page = begin;
    scatter(comm, (const uint8_t *)p->all, sizeof *p->all, begin, end, (uint8_t **)&p->kept);
    if (annotate) {
        scatter(comm, reasons, sizeof *reasons, begin, end, &p->reasons);
        scatter(comm, (const uint8_t *)set_pages, sizeof *set_pages, begin, end,
                (uint8_t **)&p->set_pages);
        ND_TRY(nd_comm_agree(comm, nd_page_names_read(p->result, p->kept, begin, end, &p->names)));
    }
out:
    free(set_pages);
    free(reasons);
    return st;
}

/* ---- files */

/* Not collective. This rank's files, all of which are on the disk then: who deletes the inputs
 * afterwards has these alone. */
static nd_status part_sources(parting *p, const sources *s) {
    nd_status st = ND_OK;
    p->progress.mode = nd_progress_choose(p->request->progress);
    for (uint64_t i = s->own_begin; i < s->own_end; i++) {
        p->total += s->bytes[i] + OPEN_COST;
    }
    nd_progress_begin(&p->progress, p->comm, "filter", "pages");
    for (uint64_t i = s->own_begin; i < s->own_end; i++) {
        pass(p, 0);
        p->before += s->bytes[i] + OPEN_COST;
        ND_TRY(part_source(p, s, i));
    }
    ND_TRY(nd_own_batch_publish(&p->batch));
out:
    nd_own_batch_drop(&p->batch); /* of a failure */
    nd_progress_clear(&p->progress);
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
    nd_output_lock lock = {0};
    parting p = {
        .comm = comm,
        .request = request,
        .result = &result,
        .reader = {.max_page_bytes = request->max_page_bytes, .memory = request->wish.memory}};
    const double started = MPI_Wtime();
    st = nd_result_open(&result, path);
    st = st != ND_OK ? st : nd_result_get_text(&result, "created", &p.created);
    st = st != ND_OK ? st : read_sources(&result, &s);
    ND_TRY(nd_comm_agree(comm, st));
    ND_TRY(nd_comm_agree(comm, comm->rank == 0 ? take_place(request, &s, &lock) : ND_OK));
    deal_sources(&s, comm);
    ND_ASSERT(s.own_begin <= s.own_end && s.own_end <= s.count, s.own_begin, s.own_end, s.count);
    ND_ASSERT(comm->rank + 1 < comm->size || s.own_end == s.count, s.own_end, s.count);
    ND_TRY(choose(&p, s.first[s.own_begin], s.first[s.own_end]));
    ND_TRY(nd_comm_agree(comm, part_sources(&p, &s)));
    nd_comm_sum_all(comm, &p.totals, sizeof p.totals / sizeof(uint64_t));
    if (comm->rank == 0) {
        print_totals(&p.totals, request->dropped, MPI_Wtime() - started, comm->size);
    }
out:
    nd_output_release(&lock);
    free(p.created);
    free(p.all);
    free(p.kept);
    free(p.set_pages);
    free(p.reasons);
    nd_page_names_free(&p.names);
    free_sources(&s);
    (void)nd_result_close(&result);
    return st;
}

/* ---- the command */

static nd_status parse(nd_command_call *call, const char **path) {
    nd_status st = ND_OK;
    ND_TRY(nd_command_line_result(call, path));
    if (asked.folder == NULL || asked.folder[0] == '\0') {
        st = nd_fail(ND_ERR_USAGE, "needs -o DIR: where to?");
    }
out:
    return st;
}

static nd_status filter(nd_command_call *call) {
    nd_comm comm;
    const char *path = NULL;
    nd_command_start(call, &comm);
    /* every rank has the same command line and takes it the same way */
    nd_status st = parse(call, &path);
    st = st == ND_OK ? nd_filter_run(&comm, path, &asked) : st;
    return nd_command_finish(&nd_command_filter, call, &comm, st);
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
