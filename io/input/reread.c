#include "io/input/reread.h"

#include "io/store/foreign_file.h"
#include "src/base/order.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_there(const nd_buffer *path) {
    return nd_foreign_file_check((const char *)path->data) == ND_OK;
}

/* The path by which an input can be opened, NUL included. Where it is neither as the run had it nor
 * from the folder of what names it, it is the name: opening it says so. */
static nd_status find_path(const char *named_by, nd_span name, nd_buffer *path) {
    nd_status st = ND_OK;
    nd_buffer beside = {0};
    size_t folder = strlen(named_by); /* bytes of it, the slash included */
    while (folder > 0 && named_by[folder - 1] == '/') {
        folder--; /* of a folder that is named as one */
    }
    while (folder > 0 && named_by[folder - 1] != '/') {
        folder--;
    }
    path->size = 0;
    if (name.size == 0 || memchr(name.data, '\0', name.size) != NULL) {
        return nd_fail(ND_ERR_FORMAT, "%s: names an input that no file can be called: damaged",
                       named_by);
    }
    ND_TRY(nd_buffer_append(path, name.data, name.size));
    ND_TRY(nd_buffer_append(path, "", 1));
    if (folder == 0 || path->data[0] == '/' || is_there(path)) {
        goto out;
    }
    ND_TRY(nd_buffer_append(&beside, named_by, folder));
    ND_TRY(nd_buffer_append(&beside, path->data, path->size));
    if (is_there(&beside)) {
        const nd_buffer swap = *path;
        *path = beside;
        beside = swap;
    }
out:
    nd_buffer_free(&beside);
    return st;
}

nd_status nd_reread_refuse(const char *named_by, uint64_t page, nd_span id, nd_span url) {
    char why[ND_FAIL_TEXT_SIZE];
    const nd_span name = url.size > 0 ? url : id;
    (void)snprintf(why, sizeof why, "%s", nd_fail_text());
    return nd_fail(ND_ERR_CHANGED, "%s; needed for page %" PRIu64 " of %s%s%.*s", why, page,
                   named_by, name.size > 0 ? ", " : "", (int)nd_min(name.size, 200),
                   (const char *)name.data);
}

nd_status nd_reread_is_another(const char *path, uint64_t offset) {
    return nd_fail(ND_ERR_CHANGED,
                   "%s: has changed since the run (another record is at byte %" PRIu64
                   "): partition it again",
                   path, offset);
}

nd_status nd_reread_look(const char *named_by, nd_span name, uint64_t bytes, nd_buffer *path,
                         struct stat *info) {
    nd_status st = ND_OK;
    int descriptor = -1;
    ND_TRY(find_path(named_by, name, path));
    const char *text = (const char *)path->data;
    if (strcmp(text, "-") == 0) {
        return nd_fail(ND_ERR_CHANGED,
                       "-: was standard input, which cannot be read again: partition a file");
    }
    st = nd_foreign_file_open(text, &descriptor, info);
    if (st == ND_ERR_INPUT) {
        char said[ND_FAIL_TEXT_SIZE];
        const size_t size = strlen(text);
        (void)snprintf(said, sizeof said, "%s", nd_fail_text());
        return nd_fail(ND_ERR_CHANGED,
                       "%s: %s (relative names are of the folder of the run, or of %s)", text,
                       strncmp(said, text, size) == 0 ? said + size + 2 : said, named_by);
    }
    ND_TRY(st);
    (void)close(descriptor);
    if ((uint64_t)info->st_size != bytes) {
        st = nd_fail(ND_ERR_CHANGED,
                     "%s: has changed since the run (%" PRIu64 " bytes then, %" PRIu64
                     " now): partition it again",
                     text, bytes, (uint64_t)info->st_size);
    }
out:
    return st;
}

/* ---- the records of pages */

void nd_reread_begin(nd_reread *reread, const char *named_by, const nd_reader_options *options) {
    *reread = (nd_reread){.named_by = named_by, .options = *options, .page = UINT64_MAX};
}

bool nd_reread_opens(const nd_reread *reread, uint32_t source, uint64_t page) {
    return reread->reader == NULL || reread->source != source ||
           (!reread->splittable && reread->page > page);
}

/* Open the input of a page, at the page or, where it cannot be entered there, from its beginning:
 * likewise for pages that are asked for one after the other, as the run has read them. */
static nd_status open_source(nd_reread *r, const nd_reread_page *wanted) {
    nd_status st = ND_OK;
    nd_source_shape shape;
    struct stat info;
    const bool in_order = wanted->page == r->page + 1;
    nd_reader_close(&r->reader);
    ND_TRY(nd_reread_look(r->named_by, wanted->name, wanted->bytes, &r->path, &info));
    const char *path = (const char *)r->path.data;
    ND_TRY(nd_source_look(path, &r->options, &shape));
    r->url.size = 0;
    ND_TRY(nd_buffer_append(&r->url, wanted->url.data, wanted->url.size));
    ND_TRY(nd_buffer_append(&r->url, "", 1));
    ND_TRY(nd_reader_open(path, (const char *)r->url.data,
                          shape.splittable && !in_order ? wanted->offset : 0, shape.bytes,
                          &r->options, &r->reader));
    r->splittable = shape.splittable;
    r->bytes = shape.bytes;
    r->source = wanted->source;
out:
    return st;
}

static bool is_same(nd_span a, nd_span b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

nd_status nd_reread_record(nd_reread *reread, const nd_reread_page *wanted) {
    nd_status st = ND_OK;
    nd_reread *r = reread;
    nd_record *record = &r->record;
    const uint64_t offset = wanted->offset;
    bool named = true;
    bool found = false;
    if (r->reader != NULL && r->page == wanted->page) {
        return ND_OK;
    }
    if (nd_reread_opens(r, wanted->source, wanted->page)) {
        ND_TRY(open_source(r, wanted));
    } else if (r->splittable && wanted->page != r->page + 1) {
        ND_TRY(nd_reader_move(r->reader, offset, r->bytes));
    }
    do { /* what the run could not use is passed over again */
        st = nd_reader_next(r->reader, record);
        if (st == ND_OK && record->offset == offset &&
            (wanted->checksum == 0 || wanted->checksum == record->checksum)) {
            named = is_same(record->id, wanted->id) && is_same(record->url, wanted->url);
            found = named;
        }
    } while (st == ND_OK && !found && record->offset <= offset);
    const char *path = (const char *)r->path.data;
    if (st == ND_ERR_INPUT) {
        char why[ND_FAIL_TEXT_SIZE];
        (void)snprintf(why, sizeof why, "%s", nd_fail_text());
        st = nd_fail(ND_ERR_CHANGED, "%s: %s", path, why);
    } else if (!found && (st == ND_OK || st == ND_END)) {
        st = named ? nd_reread_is_another(path, offset)
                   : nd_fail(ND_ERR_CHANGED,
                             "%s: no page of that name is in the record: give the --jsonl options "
                             "of the run",
                             path);
    }
    ND_TRY(st);
    r->page = wanted->page;
out:
    if (st != ND_OK) {
        nd_reader_close(&r->reader);
    }
    return st;
}

void nd_reread_close(nd_reread *reread) {
    nd_reader_close(&reread->reader);
    nd_buffer_free(&reread->path);
    nd_buffer_free(&reread->url);
    *reread = (nd_reread){0};
}
