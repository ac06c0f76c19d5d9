#include "io/result/result_keep.h"

#include "io/input/fields.h"
#include "io/result/result_order.h"
#include "src/base/sort.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <json-c/json.h>
#include <stdlib.h>

/* Pages read at once: some 10 MB of columns. */
static const uint64_t PAGES_AT_ONCE = UINT64_C(1) << 16;

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
        st = nd_fail(ND_ERR_FORMAT, "%s: additions: %s: damaged, or not written by neardup",
                     result->path, text);
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
    nd_status status;
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
    nd_status st = c->status;
    (void)set;
    if (first && st == ND_OK) {
        choose_in_set(c);
    }
    ND_TRY(st);
    ND_TRY(nd_grow(&c->pages, &c->capacity, c->count + 1, sizeof *c->pages));
    ND_TRY(nd_grow(&c->of_set, &c->of_set_capacity, c->count + 1, sizeof *c->of_set));
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
out:
    c->status = st;
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
    ND_TRY(c.status);
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

nd_status nd_page_names_read(const nd_result *result, uint64_t *pages, uint64_t count,
                             nd_page_names *names) {
    nd_status st = ND_OK;
    nd_page_rows rows = {0};
    uint64_t done = 0;
    ND_ASSERT(nd_numbers_ascend(pages, count), count);
    *names = (nd_page_names){.pages = pages, .count = count};
    nd_new(&names->ends, 2 * count, sizeof *names->ends);
    for (uint64_t begin = 0; done < count; begin += PAGES_AT_ONCE) {
        ND_ASSERT(begin < result->shape.pages, begin, result->shape.pages);
        if (pages[done] - begin >= PAGES_AT_ONCE) {
            continue; /* none of these */
        }
        ND_TRY(nd_page_rows_read(result, begin, nd_min(result->shape.pages - begin, PAGES_AT_ONCE),
                                 &rows));
        for (; done < count && pages[done] - begin < rows.count; done++) {
            const nd_span texts[2] = {nd_page_rows_id(&rows, pages[done] - begin),
                                      nd_page_rows_url(&rows, pages[done] - begin)};
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
