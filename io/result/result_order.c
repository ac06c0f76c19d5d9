#include "io/result/result_order.h"

#include "io/input/fields.h"
#include "io/input/jsonl.h"
#include "io/input/records.h"
#include "io/result/result_read.h"
#include "io/store/external_sort.h"
#include "src/base/buffer.h"
#include "src/base/sort.h"
#include "src/base/status.h"
#include "src/base/util.h"
#include "src/text/surt.h"

#include <json-c/json.h>
#include <xxhash.h>

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== names */

static const uint64_t ROWS_AT_ONCE = UINT64_C(1) << 16;

const nd_name_columns nd_id_columns = {"/pages/id_offset", "/pages/id_bytes", "/pages/by_id",
                                       "/pages/by_id_hash"};
const nd_name_columns nd_url_columns = {"/pages/url_offset", "/pages/url_bytes", "/pages/by_url",
                                        "/pages/by_url_hash"};

uint32_t nd_name_hash(nd_span name, uint64_t page, uint64_t pages) {
    const uint64_t part = UINT64_MAX / nd_max(pages, 1);
    return (uint32_t)((name.size > 0 ? XXH3_64bits(name.data, name.size) : page * part) >> 32);
}

static nd_status broken(const nd_result *result, const char *name, uint64_t row) {
    return nd_fail(ND_ERR_FORMAT, "%s: %s: row %" PRIu64 " is not in order", result->path, name,
                   row);
}

/* ---- finding */

static nd_status find_first(const nd_result *result, const char *hashes, uint32_t hash,
                            uint64_t *row) {
    nd_status st = ND_OK;
    uint64_t low = 0;
    uint64_t high = result->shape.pages;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        uint32_t there = 0;
        ND_TRY(nd_result_read(result, hashes, ND_COLUMN_U32, middle, 1, &there));
        low = there < hash ? middle + 1 : low;
        high = there < hash ? high : middle;
    }
    *row = low;
out:
    return st;
}

nd_status nd_name_order_find(const nd_result *result, const nd_name_columns *columns, nd_span name,
                             uint64_t *pages, uint64_t most, uint64_t *count) {
    enum { AT_ONCE = 256 };
    nd_status st = ND_OK;
    nd_buffer found = {0};
    uint32_t hashes[AT_ONCE];
    uint64_t those[AT_ONCE];
    uint64_t begin = 0;
    uint64_t rows = AT_ONCE;
    const uint32_t hash = nd_name_hash(name, 0, result->shape.pages);
    *count = 0;
    ND_TRY(find_first(result, columns->hashes, hash, &begin));
    for (bool same = true; same && begin < result->shape.pages; begin += rows) {
        rows = nd_min(result->shape.pages - begin, AT_ONCE);
        ND_TRY(nd_result_read(result, columns->hashes, ND_COLUMN_U32, begin, rows, hashes));
        ND_TRY(nd_result_read(result, columns->pages, ND_COLUMN_U64, begin, rows, those));
        for (uint64_t i = 0; i < rows && (same = hashes[i] == hash); i++) {
            if (those[i] >= result->shape.pages) {
                st = broken(result, columns->pages, begin + i);
                goto out;
            }
            ND_TRY(nd_result_text_read(result, columns->offsets, columns->bytes, those[i], &found));
            if (found.size == name.size + 1 && memcmp(found.data, name.data, name.size) == 0) {
                if (*count < most) {
                    pages[*count] = those[i];
                }
                ++*count;
            }
        }
    }
out:
    nd_buffer_free(&found);
    return st;
}

/* ---- checking */

/* A number of a hash and a page: the sum of those of all pages does not depend on their order. */
static uint64_t mark_of(uint32_t hash, uint64_t page) {
    const uint64_t both[2] = {hash, page};
    return XXH3_64bits(both, sizeof both);
}

static nd_status sum_names(const nd_result *result, const nd_name_columns *columns, uint64_t *sum) {
    nd_status st = ND_OK;
    uint64_t *offsets = NULL;
    nd_buffer bytes = {0};
    const uint64_t pages = result->shape.pages;
    nd_new_room(&offsets, nd_min(pages, ROWS_AT_ONCE) + 1, sizeof *offsets);
    for (uint64_t begin = 0; begin < pages; begin += ROWS_AT_ONCE) {
        const uint64_t rows = nd_min(pages - begin, ROWS_AT_ONCE);
        ND_TRY(nd_result_texts_read(result, columns->offsets, columns->bytes, begin, rows, offsets,
                                    &bytes));
        for (uint64_t i = 0; i < rows; i++) {
            const nd_span name = nd_span_part(nd_buffer_span(&bytes), offsets[i] - offsets[0],
                                              offsets[i + 1] - offsets[0]);
            *sum += mark_of(nd_name_hash(name, begin + i, pages), begin + i);
        }
    }
out:
    free(offsets);
    nd_buffer_free(&bytes);
    return st;
}

nd_status nd_name_order_check(const nd_result *result, const nd_name_columns *columns) {
    nd_status st = ND_OK;
    uint64_t *those = NULL;
    uint32_t *hashes = NULL;
    uint64_t sum = 0;
    uint64_t expected = 0;
    uint64_t last = 0;
    uint32_t last_hash = 0;
    const uint64_t pages = result->shape.pages;
    nd_new_room(&those, nd_min(pages, ROWS_AT_ONCE), sizeof *those);
    nd_new_room(&hashes, nd_min(pages, ROWS_AT_ONCE), sizeof *hashes);
    for (uint64_t begin = 0; begin < pages; begin += ROWS_AT_ONCE) {
        const uint64_t rows = nd_min(pages - begin, ROWS_AT_ONCE);
        ND_TRY(nd_result_read(result, columns->pages, ND_COLUMN_U64, begin, rows, those));
        ND_TRY(nd_result_read(result, columns->hashes, ND_COLUMN_U32, begin, rows, hashes));
        for (uint64_t i = 0; i < rows; i++) {
            const bool after = begin + i == 0 || hashes[i] > last_hash ||
                               (hashes[i] == last_hash && those[i] > last);
            if (!after || those[i] >= pages) {
                st = broken(result, columns->pages, begin + i);
                goto out;
            }
            sum += mark_of(hashes[i], those[i]);
            last = those[i];
            last_hash = hashes[i];
        }
    }
    ND_TRY(sum_names(result, columns, &expected));
    if (sum != expected) {
        st = nd_fail(ND_ERR_FORMAT, "%s: %s: not each page, or another hash than its name has",
                     result->path, columns->pages);
    }
out:
    free(those);
    free(hashes);
    return st;
}

/* ==== SURTs and fields */

/* Pages read at once: some 10 MB of columns. */
static const uint64_t PAGES_AT_ONCE = UINT64_C(1) << 16;

/* ---- SURTs */

static nd_status add_surts(const nd_result *result, nd_line_sort *sort) {
    nd_status st = ND_OK;
    nd_page_rows rows = {0};
    nd_buffer surt = {0};
    const uint64_t pages = result->shape.pages;
    for (uint64_t begin = 0; begin < pages; begin += PAGES_AT_ONCE) {
        ND_TRY(nd_page_rows_read(result, begin, nd_min(pages - begin, PAGES_AT_ONCE), &rows));
        for (uint64_t i = 0; i < rows.count; i++) {
            const nd_span url = nd_page_rows_url(&rows, i);
            if (url.size > 0) {
                surt.size = 0;
                nd_surt_append(url, &surt);
                ND_TRY(nd_line_sort_add(sort, nd_buffer_span(&surt), begin + i));
            }
        }
    }
out:
    nd_page_rows_free(&rows);
    nd_buffer_free(&surt);
    return st;
}

/* ---- fields */

/* A value so that its bytes are in its order: of a number, those of the double. */
static nd_status add_value(nd_line_sort *sort, nd_span value, uint64_t page, nd_buffer *key) {
    nd_status st = ND_OK;
    char text[64] = "";
    char *end = text;
    double number = 0;
    key->size = 0;
    value = nd_fields_trim(value);
    if (value.size > 0 && value.size < sizeof text &&
        (value.data[0] == '-' || (value.data[0] >= '0' && value.data[0] <= '9'))) {
        memcpy(text, value.data, value.size);
        number = strtod(text, &end);
    }
    if (end != text && *end == '\0' && !isnan(number) && strpbrk(text, "xX") == NULL) {
        uint64_t bits = 0;
        uint8_t bytes[1 + sizeof bits] = {1};
        number += 0.; /* -0 is 0 */
        memcpy(&bits, &number, sizeof bits);
        bits = bits >> 63 != 0 ? ~bits : bits | UINT64_C(1) << 63;
        for (size_t i = 0; i < sizeof bits; i++) {
            bytes[1 + i] = (uint8_t)(bits >> (56 - 8 * i));
        }
        nd_buffer_append(key, bytes, sizeof bytes);
    } else {
        nd_buffer_append(key, "", 1);
        nd_buffer_append(key, value.data, value.size);
    }
    ND_TRY(nd_line_sort_add(sort, nd_buffer_span(key), page));
out:
    return st;
}

/* The values of a source's pages, which are those from `page` to `end`. */
static nd_status add_source(const nd_result *result, const char *path, nd_jsonl *jsonl,
                            uint64_t page, uint64_t end, uint64_t memory, nd_page_rows *rows,
                            nd_line_sort *sort) {
    nd_status st = ND_OK;
    const nd_reader_options options = {.max_page_bytes = INT_MAX, .memory = memory};
    nd_walk *walk = NULL;
    nd_walked walked;
    nd_buffer key = {0};
    ND_TRY(nd_walk_open(path, &options, &walk));
    rows->count = 0;
    while (nd_walk_is_jsonl(walk) && page < end) {
        nd_jsonl_page value;
        const char *fault = NULL;
        bool same = true;
        if (page - rows->begin >= rows->count) {
            ND_TRY(nd_page_rows_read(result, page, nd_min(end - page, PAGES_AT_ONCE), rows));
        }
        const uint64_t row = page - rows->begin;
        st = nd_walk_next(walk, rows->offset[row], &walked);
        if (st == ND_OK && walked.begin != rows->offset[row]) {
            continue;
        }
        if (st == ND_OK && rows->checksum[row] != 0) {
            st = nd_walk_compare(walk, &walked, rows->checksum[row], &same);
        }
        if (!same || st == ND_END || st == ND_ERR_CHANGED) {
            st = nd_result_refuse_record(result, path, page, rows->offset[row]);
        }
        ND_TRY(st);
        st = nd_jsonl_parse(jsonl, walked.line, &value, &fault);
        ND_TRY(st == ND_OK           ? add_value(sort, value.text, page, &key)
               : st == ND_ERR_FORMAT ? ND_OK
                                     : st);
        page++;
    }
out:
    nd_walk_close(&walk);
    nd_buffer_free(&key);
    return st;
}

static nd_status add_fields(const nd_result *result, const char *field, uint64_t memory,
                            nd_line_sort *sort) {
    nd_status st = ND_OK;
    nd_text_column names = {0};
    nd_buffer path = {0};
    nd_page_rows rows = {0};
    nd_jsonl *jsonl = NULL;
    struct stat info;
    uint64_t first = 0;
    const nd_jsonl_names one = {.id = field, .url = field, .text = field, .html = field};
    const nd_record_limits limits = nd_record_limits_of(INT_MAX, 0, 0);
    ND_TRY(nd_jsonl_open(&one, &limits, &jsonl));
    ND_TRY(nd_source_paths_read(result, &names));
    for (uint64_t s = 0; s < names.count; s++) {
        uint64_t bytes = 0;
        uint64_t pages = 0;
        ND_TRY(nd_result_read(result, "/sources/bytes", ND_COLUMN_U64, s, 1, &bytes));
        ND_TRY(nd_result_read(result, "/sources/pages", ND_COLUMN_U64, s, 1, &pages));
        pages = nd_min(pages, result->shape.pages - first);
        if (pages > 0) {
            ND_TRY(nd_result_source_look(result, nd_text_column_at(&names, s), bytes, first, &path,
                                         &info));
            ND_TRY(add_source(result, (const char *)path.data, jsonl, first, first + pages, memory,
                              &rows, sort));
        }
        first += pages;
    }
out:
    nd_jsonl_close(&jsonl);
    nd_text_column_free(&names);
    nd_buffer_free(&path);
    nd_page_rows_free(&rows);
    return st;
}

/* ---- ranks */

nd_status nd_result_order(const nd_result *result, const char *field, uint64_t memory,
                          uint64_t **ranks) {
    nd_status st = ND_OK;
    nd_line_sort *sort = NULL;
    nd_buffer before = {0};
    nd_span value;
    uint64_t page = 0;
    uint64_t values = 0;
    nd_line_sort_open(memory, &sort);
    ND_TRY(field == NULL ? add_surts(result, sort) : add_fields(result, field, memory, sort));
    nd_new(ranks, result->shape.pages, sizeof **ranks);
    memset(*ranks, 0xff, result->shape.pages * sizeof **ranks); /* without: the last of all */
    while ((st = nd_line_sort_next(sort, &value, &page)) == ND_OK) {
        if (values == 0 || !nd_span_is_equal(value, nd_buffer_span(&before))) {
            values++;
            before.size = 0;
            nd_buffer_append(&before, value.data, value.size);
        }
        (*ranks)[page] = field == NULL ? values : UINT64_MAX - values;
    }
    ND_TRY(st == ND_END ? ND_OK : st);
    if (field != NULL && values == 0) {
        st = nd_fail(ND_ERR_USAGE, "--keep: no page of %s has a field %s: it is of JSONL",
                     result->path, field);
    }
out:
    nd_line_sort_close(&sort);
    nd_buffer_free(&before);
    return st;
}

/* ==== which are kept */

/* ---- the choice */

/* What the rules look at, by page; NULL where none asks. */
typedef struct facts {
    uint64_t *date;
    uint32_t *tokens, *url_bytes;
    uint16_t *collection;
    bool *https;
    uint64_t *revisit_of; /* where the result has revisits */
    uint64_t *order[ND_KEEP_ORDERS];
} facts;

static nd_status read_facts(const nd_result *result, const nd_keep *keep, facts *f) {
    nd_status st = ND_OK;
    nd_page_rows rows = {0};
    const uint64_t pages = result->shape.pages;
    const bool dates = nd_keep_asks(keep, ND_KEEP_EARLIEST) || nd_keep_asks(keep, ND_KEEP_LATEST);
    if (dates) {
        nd_new(&f->date, pages, sizeof *f->date);
    }
    if (nd_keep_asks(keep, ND_KEEP_LONGEST)) {
        nd_new(&f->tokens, pages, sizeof *f->tokens);
    }
    if (nd_keep_asks(keep, ND_KEEP_SHORTEST_URL)) {
        nd_new(&f->url_bytes, pages, sizeof *f->url_bytes);
    }
    if (nd_keep_asks(keep, ND_KEEP_HTTPS)) {
        nd_new(&f->https, pages, sizeof *f->https);
    }
    nd_new(&f->collection, pages, sizeof *f->collection);
    if (nd_result_has(result, "/pages/revisit_of")) {
        nd_new(&f->revisit_of, pages, sizeof *f->revisit_of);
    }
    for (uint64_t begin = 0; begin < pages; begin += PAGES_AT_ONCE) {
        ND_TRY(nd_page_rows_read(result, begin, nd_min(pages - begin, PAGES_AT_ONCE), &rows));
        for (uint64_t i = 0; i < rows.count; i++) {
            const nd_span url = nd_page_rows_url(&rows, i);
            f->collection[begin + i] = rows.collection[i];
            if (f->date != NULL) {
                f->date[begin + i] = rows.date[i];
            }
            if (f->tokens != NULL) {
                f->tokens[begin + i] = rows.tokens[i];
            }
            if (f->url_bytes != NULL) {
                f->url_bytes[begin + i] = (uint32_t)nd_min(url.size, UINT32_MAX);
            }
            if (f->revisit_of != NULL) {
                f->revisit_of[begin + i] = rows.revisit_of[i];
            }
            if (f->https != NULL) {
                f->https[begin + i] = nd_fields_starts(url, "https:");
            }
        }
    }
out:
    nd_page_rows_free(&rows);
    return st;
}

/* The first pages of all additions, of a result of pages of earlier runs and new ones; else none.
 */
static nd_status read_additions(const nd_result *result, uint64_t **first, size_t *count) {
    nd_status st = ND_OK;
    char *text = NULL;
    json_object *list = NULL;
    ND_TRY(nd_result_find_text(result, "additions", &text));
    if (text == NULL) {
        goto out;
    }
    list = json_tokener_parse(text);
    const size_t length =
        json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
    nd_new(first, length, sizeof **first);
    for (size_t i = 0; i < length; i++) {
        (*first)[i] = json_object_get_uint64(json_object_array_get_idx(list, i));
        if (i == 0 ? (*first)[i] != 0
                   : (*first)[i] <= (*first)[i - 1] || (*first)[i] > result->shape.pages) {
            break;
        }
        (*count)++;
    }
    if (length == 0 || *count < length) {
        st = nd_result_damaged(result, "additions: %s", text);
    }
out:
    (void)json_object_put(list);
    free(text);
    return st;
}

/* The set that is being walked over. */
typedef struct choosing {
    nd_keep *keep;
    uint64_t *additions; /* their first pages */
    size_t addition_count;
    facts facts;
    nd_keep_page *pages;
    uint64_t *of_set; /* the choice among them */
    size_t count, capacity, of_set_capacity;
    uint64_t *kept;
    uint32_t *set_pages;
} choosing;

static void choose_in_set(choosing *c) {
    nd_keep_choose(c->keep, c->pages, c->count, c->of_set);
    for (size_t i = 0; i < c->count; i++) {
        c->kept[c->pages[i].page] = c->of_set[i];
        if (c->set_pages != NULL) {
            c->set_pages[c->pages[i].page] = (uint32_t)nd_min(c->count, UINT32_MAX);
        }
    }
    c->count = 0;
}

static void take_page(void *context, uint64_t set, uint64_t page, bool first) {
    choosing *c = context;
    const facts *f = &c->facts;
    size_t later = 0; /* the first addition after the page's */
    (void)set;
    if (first) {
        choose_in_set(c);
    }
    nd_grow(&c->pages, &c->capacity, c->count + 1, sizeof *c->pages);
    nd_grow(&c->of_set, &c->of_set_capacity, c->count + 1, sizeof *c->of_set);
    ND_FIND_FIRST(later, 0, c->addition_count, c->additions[later] > page);
    c->pages[c->count++] =
        (nd_keep_page){.page = page,
                       .date = f->date != NULL ? f->date[page] : 0,
                       .tokens = f->tokens != NULL ? f->tokens[page] : 0,
                       .url_bytes = f->url_bytes != NULL ? f->url_bytes[page] : 0,
                       .collection = f->collection[page],
                       .addition = (uint32_t)later,
                       .revisit = f->revisit_of != NULL && f->revisit_of[page] != ND_NO_REVISIT,
                       .https = f->https != NULL && f->https[page],
                       .representative = first};
    for (size_t i = 0; i < ND_KEEP_ORDERS && f->order[i] != NULL; i++) {
        c->pages[c->count - 1].order[i] = f->order[i][page];
    }
}

static nd_status open_keep(const nd_result *result, const nd_keep_wish *wish, nd_keep **keep) {
    nd_status st = ND_OK;
    nd_text_column collections = {0};
    nd_span *names = NULL;
    ND_TRY(nd_collection_names_read(result, &collections));
    nd_new(&names, collections.count, sizeof *names);
    for (uint64_t i = 0; i < collections.count; i++) {
        names[i] = nd_text_column_at(&collections, i);
    }
    ND_TRY(nd_keep_open(wish, names, collections.count, keep));
out:
    free(names);
    nd_text_column_free(&collections);
    return st;
}

nd_status nd_result_choose(const nd_result *result, const nd_keep_wish *wish, uint64_t **kept,
                           uint32_t **set_pages) {
    nd_status st = ND_OK;
    choosing c = {.count = 0};
    const char *field = NULL;
    *kept = NULL;
    if (set_pages != NULL) {
        *set_pages = NULL;
    }
    ND_TRY(open_keep(result, wish, &c.keep));
    ND_TRY(read_additions(result, &c.additions, &c.addition_count));
    ND_TRY(nd_result_check_partition(result));
    ND_TRY(read_facts(result, c.keep, &c.facts));
    for (size_t i = 0; nd_keep_order(c.keep, i, &field); i++) {
        ND_TRY(nd_result_order(result, field, wish->memory, &c.facts.order[i]));
    }
    nd_new(&c.kept, result->shape.pages, sizeof *c.kept);
    if (set_pages != NULL) {
        nd_new(&c.set_pages, result->shape.pages, sizeof *c.set_pages);
    }
    ND_TRY(nd_result_walk_sets(result, take_page, &c));
    choose_in_set(&c);
    for (uint64_t p = 0; c.addition_count > 0 && p < c.additions[c.addition_count - 1]; p++) {
        c.kept[p] = p; /* what is to become of pages of earlier runs was said then */
    }
    for (uint64_t p = 0; c.facts.revisit_of != NULL && p < result->shape.pages; p++) {
        const uint64_t of = c.facts.revisit_of[p];
        if (of != ND_NO_REVISIT && c.kept[p] == p) {
            c.kept[of] = of; /* without that it is nothing */
        }
    }
    *kept = c.kept;
    c.kept = NULL;
    if (set_pages != NULL) {
        *set_pages = c.set_pages;
        c.set_pages = NULL;
    }
out:
    nd_keep_close(&c.keep);
    free(c.additions);
    free(c.facts.date);
    free(c.facts.tokens);
    free(c.facts.url_bytes);
    free(c.facts.collection);
    free(c.facts.https);
    free(c.facts.revisit_of);
    for (size_t i = 0; i < ND_KEEP_ORDERS; i++) {
        free(c.facts.order[i]);
    }
    free(c.pages);
    free(c.of_set);
    free(c.kept);
    free(c.set_pages);
    return st;
}

/* ---- reasons */

const char *nd_keep_reason_name(nd_keep_reason reason) {
    static const char *const names[] = {"", "exact", "equal-content", "revisit", "near"};
    return names[reason];
}

nd_status nd_result_reasons(const nd_result *result, const uint64_t *kept, uint8_t **reasons) {
    nd_status st = ND_OK;
    nd_page_rows rows = {0};
    uint64_t *text = NULL;    /* first page with the same text */
    uint64_t *content = NULL; /* the page whose content a first page has */
    const uint64_t pages = result->shape.pages;
    *reasons = NULL;
    nd_new(&text, pages, sizeof *text);
    nd_new(&content, pages, sizeof *content);
    nd_new(reasons, pages, sizeof **reasons);
    for (uint64_t begin = 0; begin < pages; begin += PAGES_AT_ONCE) {
        ND_TRY(nd_page_rows_read(result, begin, nd_min(pages - begin, PAGES_AT_ONCE), &rows));
        for (uint64_t i = 0; i < rows.count; i++) {
            text[begin + i] = rows.exact_of[i];
            content[begin + i] = rows.link_similarity[i] >= 1 ? rows.link[i] : begin + i;
            (*reasons)[begin + i] =
                rows.revisit_of[i] != ND_NO_REVISIT ? ND_KEEP_REVISIT : ND_KEEP_NEAR;
        }
    }
    for (uint64_t p = 0; p < pages; p++) {
        const uint64_t of = kept[p];
        if (of == p) {
            (*reasons)[p] = ND_KEEP_ITSELF;
        } else if ((*reasons)[p] != ND_KEEP_REVISIT) {
            (*reasons)[p] = text[p] == text[of]                     ? ND_KEEP_EXACT
                            : content[text[p]] == content[text[of]] ? ND_KEEP_EQUAL_CONTENT
                                                                    : ND_KEEP_NEAR;
        }
    }
out:
    if (st != ND_OK) {
        free(*reasons);
        *reasons = NULL;
    }
    nd_page_rows_free(&rows);
    free(text);
    free(content);
    return st;
}

/* ---- names */

nd_status nd_page_names_read(const nd_result *result, const uint64_t *kept, uint64_t begin,
                             uint64_t end, nd_page_names *names) {
    nd_status st = ND_OK;
    nd_page_rows rows = {0};
    uint64_t *pages = NULL;
    uint64_t count = 0;
    uint64_t done = 0;
    nd_new(&pages, end - begin, sizeof *pages);
    for (uint64_t p = begin; p < end; p++) {
        ND_ASSERT(kept[p - begin] < result->shape.pages, p, kept[p - begin], result->shape.pages);
        pages[count] = kept[p - begin];
        count += kept[p - begin] != p;
    }
    count = nd_numbers_distinct(pages, count);
    *names = (nd_page_names){.pages = pages, .count = count};
    nd_new(&names->ends, 2 * count, sizeof *names->ends);
    for (uint64_t first = 0; done < count; first += PAGES_AT_ONCE) {
        if (pages[done] - first >= PAGES_AT_ONCE) {
            continue; /* none of these */
        }
        ND_TRY(nd_page_rows_read(result, first, nd_min(result->shape.pages - first, PAGES_AT_ONCE),
                                 &rows));
        for (; done < count && pages[done] - first < rows.count; done++) {
            const nd_span texts[2] = {nd_page_rows_id(&rows, pages[done] - first),
                                      nd_page_rows_url(&rows, pages[done] - first)};
            for (size_t t = 0; t < 2; t++) {
                nd_buffer_append(&names->bytes, texts[t].data, texts[t].size);
                names->ends[2 * done + t] = names->bytes.size;
            }
        }
    }
out:
    nd_page_rows_free(&rows);
    return st;
}

void nd_page_names_get(const nd_page_names *names, uint64_t page, nd_span *id, nd_span *url) {
    uint64_t at = 0;
    ND_FIND_FIRST(at, 0, names->count, names->pages[at] >= page);
    ND_ASSERT(at < names->count && names->pages[at] == page, at, names->count, page);
    const nd_span all = nd_buffer_span(&names->bytes);
    const uint64_t begin = at == 0 ? 0 : names->ends[2 * at - 1];
    *id = nd_span_part(all, (size_t)begin, (size_t)names->ends[2 * at]);
    *url = nd_span_part(all, (size_t)names->ends[2 * at], (size_t)names->ends[2 * at + 1]);
}

void nd_page_names_free(nd_page_names *names) {
    free(names->pages);
    free(names->ends);
    nd_buffer_free(&names->bytes);
    *names = (nd_page_names){0};
}
