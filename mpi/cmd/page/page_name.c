#define _GNU_SOURCE /* memmem() */
#include "mpi/cmd/page/page_name.h"

#include "io/result/result_order.h"
#include "io/result/result_read.h"
#include "src/base/printable.h"
#include "src/base/util.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Of a column of names searched at once, and of their offsets. */
static const uint64_t BYTES_AT_ONCE = UINT64_C(1) << 23;
static const uint64_t ROWS_AT_ONCE = UINT64_C(1) << 17;

/* A column of names, and the offsets of some of its rows. */
typedef struct name_column {
    const nd_result *result;
    const nd_name_columns *of;
    uint64_t bytes;
    uint64_t *offsets; /* of rows [begin, begin + count), count + 1 numbers */
    uint64_t begin, count;
} name_column;

/* The row in which byte `at` stands: in the rows at hand, or those from it on are read. Bytes are
 * asked for in ascending order, so that each row is read once. */
static nd_status find_row(name_column *c, uint64_t at, uint64_t *row) {
    nd_status st = ND_OK;
    const uint64_t pages = c->result->shape.pages;
    uint64_t i = 0;
    if (c->count == 0 || at >= c->offsets[c->count]) {
        uint64_t low = c->begin + c->count;
        uint64_t high = pages; /* the last row that begins at or before `at` is of [low, high) */
        while (low + 1 < high) {
            const uint64_t middle = low + (high - low) / 2;
            uint64_t offset = 0;
            ND_TRY(nd_result_read(c->result, c->of->offsets, ND_COLUMN_U64, middle, 1, &offset));
            low = offset <= at ? middle : low;
            high = offset <= at ? high : middle;
        }
        c->begin = low;
        c->count = nd_min(pages - low, ROWS_AT_ONCE);
        ND_TRY(nd_result_read_offsets(c->result, c->of->offsets, c->begin, c->count, false,
                                      c->bytes, c->offsets));
    }
    ND_FIND_FIRST(i, 0, c->count, c->offsets[i + 1] > at);
    *row = c->begin + i;
out:
    return st;
}

/* A name found at byte `at`: it is a page's if it is all of a row. */
static nd_status take_hit(name_column *c, uint64_t at, size_t size, nd_named_pages *found) {
    uint64_t row = 0;
    const nd_status st = find_row(c, at, &row);
    const uint64_t i = row - c->begin;
    if (st == ND_OK && i < c->count && c->offsets[i] == at && c->offsets[i + 1] == at + size) {
        if (found->count < ND_NAMESAKES_LISTED) {
            found->pages[found->count] = row;
        }
        found->count++;
    }
    return st;
}

/* All pages whose id, or URL, is `name`. A page without one has no name. */
static nd_status search(const nd_result *result, bool ids, const char *name,
                        nd_named_pages *found) {
    nd_status st = ND_OK;
    uint8_t *bytes = NULL;
    const size_t size = strlen(name);
    name_column c = {.result = result, .of = ids ? &nd_id_columns : &nd_url_columns};
    *found = (nd_named_pages){.as = ids ? "id" : "URL"};
    ND_TRY(nd_result_rows(result, c.of->bytes, ND_COLUMN_U8, &c.bytes));
    if (size == 0 || size > c.bytes) {
        goto out;
    }
    if (nd_result_has(result, c.of->pages)) {
        const nd_span wanted = {(const uint8_t *)name, size};
        st = nd_name_order_find(result, c.of, wanted, found->pages, ND_NAMESAKES_LISTED,
                                &found->count);
        goto out;
    }
    nd_new_room(&c.offsets, ROWS_AT_ONCE + 1, sizeof *c.offsets);
    nd_new_room(&bytes, nd_min(c.bytes, BYTES_AT_ONCE + size), 1);
    for (uint64_t begin = 0; begin + size <= c.bytes; begin += BYTES_AT_ONCE) {
        /* a name that begins in this part may end in the next */
        const uint64_t count = nd_min(c.bytes - begin, BYTES_AT_ONCE + size - 1);
        ND_TRY(nd_result_read(result, c.of->bytes, ND_COLUMN_U8, begin, count, bytes));
        const uint8_t *at = bytes;
        while ((at = memmem(at, (size_t)(bytes + count - at), name, size)) != NULL) {
            ND_TRY(take_hit(&c, begin + (uint64_t)(at - bytes), size, found));
            at++;
        }
    }
out:
    free(bytes);
    free(c.offsets);
    return st;
}

static bool is_number(const char *name) {
    return name[0] != '\0' && name[strspn(name, "0123456789")] == '\0';
}

/* The rest of the name after its prefix; NULL if it has another or none. */
static const char *after(const char *name, const char *prefix) {
    const size_t size = strlen(prefix);
    return strncmp(name, prefix, size) == 0 ? name + size : NULL;
}

nd_status nd_page_name_find(const nd_result *result, const char *name, nd_named_pages *found) {
    nd_status st = ND_OK;
    const char *number = after(name, "page:");
    const char *id = after(name, "id:");
    const char *url = after(name, "url:");
    const bool plain = number == NULL && id == NULL && url == NULL;
    *found = (nd_named_pages){.as = "page number"};
    if (is_number(plain ? name : number != NULL ? number : "")) {
        errno = 0;
        const uint64_t page = strtoull(plain ? name : number, NULL, 10);
        if (errno == 0 && page < result->shape.pages) {
            found->count = 1;
            found->pages[0] = page;
        }
    }
    if (found->count == 0 && (plain || id != NULL)) {
        ND_TRY(search(result, true, plain ? name : id, found));
    }
    if (found->count == 0 && (plain || url != NULL)) {
        ND_TRY(search(result, false, plain ? name : url, found));
    }
    if (found->count == 0) {
        st =
            nd_fail(ND_ERR_USAGE,
                    "%s: no page has the URL, id or number %s; there are %" PRIu64 " pages, from 0",
                    result->path, name, result->shape.pages);
    }
out:
    return st;
}

/* Is the id of page `page` a number? */
static nd_status id_is_number(const nd_result *result, uint64_t page, bool *is) {
    nd_buffer id = {0};
    const nd_status st =
        nd_result_text_read(result, "/pages/id_offset", "/pages/id_bytes", page, &id);
    *is = st == ND_OK && strlen((const char *)id.data) + 1 == id.size &&
          is_number((const char *)id.data);
    nd_buffer_free(&id);
    return st;
}

nd_status nd_page_name_warn(const nd_result *result, const char *name,
                            const nd_named_pages *found) {
    nd_status st = ND_OK;
    nd_named_pages others = {0};
    if (found->count > 1) {
        char list[24 * ND_NAMESAKES_LISTED] = "";
        for (uint64_t i = 0; i < found->count && i < ND_NAMESAKES_LISTED; i++) {
            const size_t used = strlen(list);
            (void)snprintf(list + used, sizeof list - used, "%s%" PRIu64, i > 0 ? ", " : "",
                           found->pages[i]);
        }
        nd_print_line(stderr, "neardup: %s is the %s of %" PRIu64 " pages: %s%s", name, found->as,
                      found->count, list, found->count > ND_NAMESAKES_LISTED ? ", ..." : "");
        goto out;
    }
    if (is_number(name) && strcmp(found->as, "page number") == 0) {
        bool of_first = false, of_page = false;
        ND_TRY(id_is_number(result, 0, &of_first));
        ND_TRY(id_is_number(result, found->pages[0], &of_page));
        if (of_first || of_page) {
            ND_TRY(search(result, true, name, &others));
        }
    }
    if (others.count > 0 && !(others.count == 1 && others.pages[0] == found->pages[0])) {
        nd_print_line(stderr,
                      "neardup: %s is taken as a page number; it is the id of page %" PRIu64
                      " too: id:%s names that",
                      name, others.pages[0], name);
    }
out:
    return st;
}
