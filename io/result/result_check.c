#include "io/result/result_check.h"

#include "io/input/fields.h"
#include "io/result/result_file.h"
#include "io/result/result_order.h"
#include "io/result/result_read.h"
#include "src/base/buffer.h"
#include "src/base/util.h"

#include <json-c/json.h>

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== single values of a page */

static const uint64_t ROWS_AT_ONCE = UINT64_C(1) << 17;

static nd_status check_certainty(const nd_result *result) {
    nd_status st = ND_OK;
    const char *name = "/pages/certainty";
    const uint64_t pages = result->shape.pages;
    float *certainty = NULL;
    uint64_t *link = NULL; /* a representative's is itself */
    nd_new(&certainty, nd_min(pages, ROWS_AT_ONCE), sizeof *certainty);
    nd_new(&link, nd_min(pages, ROWS_AT_ONCE), sizeof *link);
    for (uint64_t begin = 0; begin < pages; begin += ROWS_AT_ONCE) {
        const uint64_t count = nd_min(pages - begin, ROWS_AT_ONCE);
        ND_TRY(nd_result_read(result, name, ND_COLUMN_F32, begin, count, certainty));
        ND_TRY(nd_result_read(result, "/pages/link", ND_COLUMN_U64, begin, count, link));
        for (uint64_t i = 0; i < count; i++) {
            const bool leads = link[i] == begin + i;
            if (!nd_is_share(certainty[i]) || (leads && certainty[i] < 1)) {
                st = nd_fail(ND_ERR_FORMAT, "%s: page %" PRIu64 ": %g%s", name, begin + i,
                             (double)certainty[i], leads ? ", and it is a representative" : "");
                goto out;
            }
        }
    }
out:
    free(certainty);
    free(link);
    return st;
}

/* A column of bytes or of 64-bit numbers of which none is above `most`. */
static nd_status check_most(const nd_result *result, const char *name, nd_column_type type,
                            uint64_t most) {
    nd_status st = ND_OK;
    const uint64_t pages = result->shape.pages;
    const size_t size = nd_column_size(type);
    uint8_t *values = NULL;
    nd_new(&values, nd_min(pages, ROWS_AT_ONCE), size);
    for (uint64_t begin = 0; begin < pages; begin += ROWS_AT_ONCE) {
        const uint64_t count = nd_min(pages - begin, ROWS_AT_ONCE);
        ND_TRY(nd_result_read(result, name, type, begin, count, values));
        for (uint64_t i = 0; i < count; i++) {
            uint64_t value = values[i];
            if (type == ND_COLUMN_U64) {
                memcpy(&value, values + i * size, sizeof value);
            }
            if (value > most) {
                st = nd_fail(ND_ERR_FORMAT, "%s: page %" PRIu64 ": %" PRIu64, name, begin + i,
                             value);
                goto out;
            }
        }
    }
out:
    free(values);
    return st;
}

/* Any page may be of any other: both columns whole, and the sets. */
static nd_status check_revisits(const nd_result *result) {
    nd_status st = ND_OK;
    const char *name = "/pages/revisit_of";
    const uint64_t pages = result->shape.pages;
    uint64_t *of = NULL, *exact_of = NULL, *set = NULL;
    if (!nd_result_has(result, name)) {
        return ND_OK;
    }
    nd_new(&of, pages, sizeof *of);
    nd_new(&exact_of, pages, sizeof *exact_of);
    nd_new(&set, pages, sizeof *set);
    ND_TRY(nd_result_read(result, name, ND_COLUMN_U64, 0, pages, of));
    ND_TRY(nd_result_read(result, "/pages/exact_of", ND_COLUMN_U64, 0, pages, exact_of));
    ND_TRY(nd_result_read(result, "/pages/set", ND_COLUMN_U64, 0, pages, set));
    for (uint64_t p = 0; p < pages; p++) {
        const bool good = of[p] == ND_NO_REVISIT || (of[p] == p && exact_of[p] == p) ||
                          (of[p] < pages && of[of[p]] == ND_NO_REVISIT &&
                           exact_of[p] == exact_of[of[p]] && set[p] == set[of[p]]);
        if (!good) {
            st = nd_fail(ND_ERR_FORMAT, "%s: page %" PRIu64 ": page %" PRIu64, name, p, of[p]);
            goto out;
        }
    }
out:
    free(of);
    free(exact_of);
    free(set);
    return st;
}

nd_status nd_result_page_values_check(const nd_result *result) {
    nd_status st = check_certainty(result);
    st = st != ND_OK ? st : check_most(result, "/pages/date", ND_COLUMN_U64, ND_LAST_DATE);
    st = st != ND_OK ? st : check_most(result, "/pages/form", ND_COLUMN_U8, 1);
    st = st != ND_OK ? st : nd_name_order_check(result, &nd_id_columns);
    st = st != ND_OK ? st : nd_name_order_check(result, &nd_url_columns);
    return st != ND_OK ? st : check_revisits(result);
}

/* ==== the whole */

typedef enum promise {
    SET_NUMBERS,
    LINK_NUMBERS,
    SET_OFFSETS,
    MEMBER_NUMBERS,
    MEMBER_ONCE,
    MEMBER_SETS,
    MEMBER_ORDER,
    SET_ORDER,
    PAGE_WITHOUT_SET,
    ROOT_LINKS,
    LINK_SETS,
    LINK_TREES,
    SIMILARITIES,
    ROOT_SIMILARITIES,
    LINK_SIMILARITIES,
    EXACT_ORDER,
    EXACT_FIRST,
    EXACT_SETS,
    THIN_FLAGS,
    PAGE_VALUES,
    PAGE_SOURCES,
    PAGE_COLLECTIONS,
    TEXT_OFFSETS,
    NAME_BYTES,
    SOURCE_COLLECTIONS,
    SOURCE_PAGES,
    SOURCE_SUMS,
    SKIPPED_SOURCES,
    SOURCE_SKIPPED,
    SOURCE_OTHER,
    PAIRS,
    CONTAINED,
    SITE_LISTS,
    STAGE_TIMES,
    ATTRIBUTES,
    PROMISES
} promise;

/* What is true of a page, as bits of its state. */
enum { SEEN = 1, ROOT = 2, FIRST = 4, ON_WAY = 8, REACHES = 16, THIN = 32 };

typedef struct check {
    const nd_result *result;
    const nd_result_shape *shape;
    uint64_t *set, *link; /* of all pages */
    uint8_t *state;
    uint64_t *source_pages, *source_skipped, *source_other, *source_collection;
    uint64_t count[PROMISES]; /* how often it is broken */
    char first[PROMISES][256];
} check;

__attribute__((format(printf, 3, 4))) static void note(check *c, promise which, const char *format,
                                                       ...) {
    if (c->count[which]++ == 0) {
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(c->first[which], sizeof c->first[which], format, arguments);
        va_end(arguments);
    }
}

/* The first thing that readers refuse of a table is a finding, not the end of the checks. */
static nd_status noted(check *c, promise which, nd_status st) {
    if (st == ND_ERR_FORMAT) {
        note(c, which, "%s", nd_fail_text());
    }
    return st == ND_ERR_FORMAT ? ND_OK : st;
}

static uint64_t part_of(uint64_t left) {
    return nd_min(left, ROWS_AT_ONCE);
}

/* ---- reading in parts */

/* What is done with rows [begin, begin + count) of some columns; NULL: they can be read. */
typedef void (*take_rows)(check *c, uint64_t begin, uint64_t count, void *const *values);

enum { MOST_COLUMNS = 5 };

typedef struct part_column {
    const char *name;
    nd_column_type type;
} part_column;

/* Columns of one table, part by part; of offsets (`more` is 1) each part has a row more. */
static nd_status read_parts(check *c, const part_column *columns, size_t column_count,
                            uint64_t rows, uint64_t more, take_rows take) {
    nd_status st = ND_OK;
    void *values[MOST_COLUMNS] = {NULL};
    for (size_t k = 0; k < column_count; k++) {
        nd_new(&values[k], part_of(rows) + more, nd_column_size(columns[k].type));
    }
    for (uint64_t begin = 0; begin < rows; begin += ROWS_AT_ONCE) {
        const uint64_t count = part_of(rows - begin);
        for (size_t k = 0; k < column_count; k++) {
            ND_TRY(nd_result_read(c->result, columns[k].name, columns[k].type, begin, count + more,
                                  values[k]));
        }
        if (take != NULL) {
            take(c, begin, count, values);
        }
    }
out:
    for (size_t k = 0; k < column_count; k++) {
        free(values[k]);
    }
    return st;
}

/* ---- sets */

/* The members of one set as they come, in one part of /sets/member or several. */
typedef struct open_set {
    uint64_t set, place, smallest, previous;
} open_set;

static void take_member(check *c, open_set *s, uint64_t page) {
    const uint64_t place = s->place++;
    if (page >= c->shape->pages) {
        note(c, MEMBER_NUMBERS, "/sets/member: set %" PRIu64 " has a page %" PRIu64, s->set, page);
        return;
    }
    if ((c->state[page] & SEEN) != 0) {
        note(c, MEMBER_ONCE, "/sets/member: page %" PRIu64 " is there twice, again in set %" PRIu64,
             page, s->set);
    }
    c->state[page] |= SEEN;
    if (c->set[page] != s->set) {
        note(c, MEMBER_SETS,
             "/sets/member: page %" PRIu64 " is a member of set %" PRIu64
             " and by /pages/set of %" PRIu64,
             page, s->set, c->set[page]);
    }
    if (place == 0) {
        c->state[page] |= ROOT;
    } else if (place > 1 && page <= s->previous) {
        note(c, MEMBER_ORDER,
             "/sets/member: set %" PRIu64 ": page %" PRIu64 " stands after page %" PRIu64, s->set,
             page, s->previous);
    }
    s->previous = page;
    s->smallest = nd_min(s->smallest, page);
}

/* Offsets that do not ascend lead nowhere: what they point to is looked at only if all do. */
static void take_set_offsets(check *c, uint64_t begin, uint64_t count, void *const *values) {
    const uint64_t *offsets = values[0];
    for (uint64_t s = 0; s < count; s++) {
        if (offsets[s] >= offsets[s + 1] || offsets[s + 1] > c->shape->pages) {
            note(c, SET_OFFSETS, "/sets/offset: set %" PRIu64 " goes from %" PRIu64 " to %" PRIu64,
                 begin + s, offsets[s], offsets[s + 1]);
        }
    }
}

/* Sets and members side by side. */
static nd_status check_members(check *c) {
    nd_status st = ND_OK;
    uint64_t *offsets = NULL;
    uint64_t *members = NULL;
    uint64_t read = 0; /* members so far */
    uint64_t at = 0;
    uint64_t smallest_before = 0;
    nd_new(&offsets, ROWS_AT_ONCE + 1, sizeof *offsets);
    nd_new(&members, ROWS_AT_ONCE, sizeof *members);
    for (uint64_t s = 0; s < c->shape->sets; s++) {
        const uint64_t in_part = s % ROWS_AT_ONCE;
        if (in_part == 0) {
            ND_TRY(nd_result_read(c->result, "/sets/offset", ND_COLUMN_U64, s,
                                  part_of(c->shape->sets - s) + 1, offsets));
        }
        open_set open = {.set = s, .smallest = UINT64_MAX};
        for (uint64_t m = offsets[in_part]; m < offsets[in_part + 1]; m++) {
            if (m == read) {
                at = read;
                read += part_of(c->shape->pages - read);
                ND_TRY(nd_result_read(c->result, "/sets/member", ND_COLUMN_U64, at, read - at,
                                      members));
            }
            take_member(c, &open, members[m - at]);
        }
        if (s > 0 && open.smallest <= smallest_before) {
            note(c, SET_ORDER,
                 "/sets: set %" PRIu64 " begins with page %" PRIu64
                 ", and the set before it with page %" PRIu64,
                 s, open.smallest, smallest_before);
        }
        smallest_before = open.smallest;
    }
    for (uint64_t p = 0; p < c->shape->pages; p++) {
        if ((c->state[p] & SEEN) == 0) {
            note(c, PAGE_WITHOUT_SET, "/sets/member: page %" PRIu64 " is in no set", p);
        }
    }
out:
    free(offsets);
    free(members);
    return st;
}

static nd_status check_sets(check *c) {
    static const part_column offset = {"/sets/offset", ND_COLUMN_U64};
    nd_status st = ND_OK;
    const uint64_t pages = c->shape->pages;
    ND_TRY(nd_result_read(c->result, "/pages/set", ND_COLUMN_U64, 0, pages, c->set));
    ND_TRY(nd_result_read(c->result, "/pages/link", ND_COLUMN_U64, 0, pages, c->link));
    for (uint64_t p = 0; p < pages; p++) {
        if (c->set[p] >= c->shape->sets) {
            note(c, SET_NUMBERS, "/pages/set: page %" PRIu64 " is in set %" PRIu64 " of %" PRIu64,
                 p, c->set[p], c->shape->sets);
        }
        if (c->link[p] >= pages) {
            note(c, LINK_NUMBERS, "/pages/link: page %" PRIu64 " joined by page %" PRIu64, p,
                 c->link[p]);
        }
    }
    ND_TRY(read_parts(c, &offset, 1, c->shape->sets, 1, take_set_offsets));
    if (c->count[SET_OFFSETS] == 0) {
        ND_TRY(check_members(c));
    }
out:
    return st;
}

/* ---- links */

static void check_links(check *c) {
    for (uint64_t p = 0; p < c->shape->pages; p++) {
        const bool root = (c->state[p] & ROOT) != 0;
        if (root && c->link[p] != p) {
            note(c, ROOT_LINKS,
                 "/pages/link: page %" PRIu64 " is a representative and has the link %" PRIu64, p,
                 c->link[p]);
        }
        if (c->set[c->link[p]] != c->set[p]) {
            note(c, LINK_SETS,
                 "/pages/link: page %" PRIu64 " joined by page %" PRIu64 ", of another set", p,
                 c->link[p]);
        }
        /* from page to page by their links until one is known to reach its representative, or is
         * met again; then the way once more, to remember it */
        uint64_t at = p;
        while ((c->state[at] & (ROOT | ON_WAY | REACHES)) == 0) {
            c->state[at] |= ON_WAY;
            at = c->link[at];
        }
        if ((c->state[at] & (ROOT | REACHES)) == 0) {
            note(c, LINK_TREES,
                 "/pages/link: the links of page %" PRIu64 " lead to page %" PRIu64
                 " again and again, not to a representative",
                 p, at);
        }
        for (at = p; (c->state[at] & (ROOT | REACHES)) == 0; at = c->link[at]) {
            c->state[at] |= REACHES; /* or is reported already */
        }
    }
}

/* ---- the other columns of pages */

static void take_similarities(check *c, uint64_t begin, uint64_t count, void *const *values) {
    const float *similarity = values[0];
    const float *link_similarity = values[1];
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t p = begin + i;
        if (!nd_is_share(similarity[i])) {
            note(c, SIMILARITIES, "/pages/similarity: page %" PRIu64 ": %g", p,
                 (double)similarity[i]);
        } else if ((c->state[p] & ROOT) != 0 && similarity[i] < 1) {
            note(c, ROOT_SIMILARITIES,
                 "/pages/similarity: page %" PRIu64 " is a representative and has %g, not 1", p,
                 (double)similarity[i]);
        }
        if (!nd_is_share(link_similarity[i])) {
            note(c, LINK_SIMILARITIES, "/pages/link_similarity: page %" PRIu64 ": %g", p,
                 (double)link_similarity[i]);
        }
    }
}

static void take_exact(check *c, uint64_t begin, uint64_t count, void *const *values) {
    const uint64_t *exact_of = values[0];
    const uint8_t *thin = values[1];
    const uint64_t *revisit_of = values[2];
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t p = begin + i;
        if (exact_of[i] > p) { /* of revisits the check of values asks */
            if (revisit_of == NULL || revisit_of[i] == ND_NO_REVISIT) {
                note(c, EXACT_ORDER, "/pages/exact_of: page %" PRIu64 ": %" PRIu64 ", a later one",
                     p, exact_of[i]);
            }
            continue;
        }
        c->state[p] |= (exact_of[i] == p ? FIRST : 0) | (thin[i] != 0 ? THIN : 0);
        if (thin[i] > 1 || ((c->state[exact_of[i]] ^ c->state[p]) & THIN) != 0) {
            note(c, THIN_FLAGS,
                 "/pages/thin: page %" PRIu64 ": %d, and page %" PRIu64 " has its text", p, thin[i],
                 exact_of[i]);
        }
        if ((c->state[exact_of[i]] & FIRST) == 0) {
            note(c, EXACT_FIRST,
                 "/pages/exact_of: page %" PRIu64 ": page %" PRIu64 ", which is no first page", p,
                 exact_of[i]);
        }
        if (c->set[exact_of[i]] != c->set[p]) {
            note(c, EXACT_SETS,
                 "/pages/exact_of: page %" PRIu64 ": page %" PRIu64 ", of another set", p,
                 exact_of[i]);
        }
    }
}

/* Also reads the columns of which nothing is promised but that they can be read. */
static void take_sources(check *c, uint64_t begin, uint64_t count, void *const *values) {
    const uint32_t *source = values[0];
    const uint16_t *collection = values[1];
    for (uint64_t i = 0; i < count; i++) {
        if (source[i] >= c->shape->sources) {
            note(c, PAGE_SOURCES, "/pages/source: page %" PRIu64 ": %" PRIu32 " of %" PRIu64,
                 begin + i, source[i], c->shape->sources);
            continue;
        }
        c->source_pages[source[i]]++;
        if (collection[i] >= c->shape->collections ||
            collection[i] != c->source_collection[source[i]]) {
            note(c, PAGE_COLLECTIONS,
                 "/pages/collection: page %" PRIu64 ": %" PRIu16
                 ", and its source is of collection %" PRIu64,
                 begin + i, collection[i], c->source_collection[source[i]]);
        }
    }
}

static nd_status check_pages(check *c) {
    static const part_column similarities[] = {{"/pages/similarity", ND_COLUMN_F32},
                                               {"/pages/link_similarity", ND_COLUMN_F32}};
    static const part_column exact[] = {{"/pages/exact_of", ND_COLUMN_U64},
                                        {"/pages/thin", ND_COLUMN_U8},
                                        {"/pages/revisit_of", ND_COLUMN_U64}};
    static const part_column sources[] = {{"/pages/source", ND_COLUMN_U32},
                                          {"/pages/collection", ND_COLUMN_U16},
                                          {"/pages/offset", ND_COLUMN_U64},
                                          {"/pages/tokens", ND_COLUMN_U32},
                                          {"/pages/subject", ND_COLUMN_U16}};
    nd_status st = ND_OK;
    const uint64_t pages = c->shape->pages;
    ND_TRY(nd_result_read(c->result, "/sources/collection", ND_COLUMN_U64, 0, c->shape->sources,
                          c->source_collection));
    ND_TRY(read_parts(c, similarities, 2, pages, 0, take_similarities));
    const bool revisits = nd_result_has(c->result, exact[2].name);
    ND_TRY(read_parts(c, exact, 2U + revisits, pages, 0, take_exact));
    ND_TRY(read_parts(c, sources, 5, pages, 0, take_sources));
out:
    return st;
}

/* ---- texts */

/* Of columns whose texts are used as paths and names. */
static void take_name_bytes(check *c, uint64_t begin, uint64_t count, void *const *values) {
    const uint8_t *bytes = values[0];
    const uint8_t *nul = memchr(bytes, '\0', (size_t)count);
    if (nul != NULL) {
        note(c, NAME_BYTES, "/sources, /collections: byte %" PRIu64 " of the names is a NUL",
             begin + (uint64_t)(nul - bytes));
    }
}

static nd_status check_texts(check *c) {
    nd_status st = ND_OK;
    size_t column_count = 0;
    uint64_t *offsets = NULL;
    const nd_schema_column *columns = nd_result_schema(&column_count);
    nd_new(&offsets, ROWS_AT_ONCE + 1, sizeof *offsets);
    for (size_t k = 0; k < column_count; k++) {
        const nd_schema_column *column = &columns[k];
        if (column->bytes == NULL || nd_result_lacks(c->result, column)) {
            continue;
        }
        const part_column bytes = {column->bytes, ND_COLUMN_U8};
        const uint64_t rows =
            *(const uint64_t *)(const void *)((const char *)c->shape + column->table);
        uint64_t end = 0;
        ND_TRY(nd_result_rows(c->result, column->bytes, ND_COLUMN_U8, &end));
        for (uint64_t begin = 0; begin < rows; begin += ROWS_AT_ONCE) {
            const uint64_t count = part_of(rows - begin);
            ND_TRY(
                nd_result_read(c->result, column->name, ND_COLUMN_U64, begin, count + 1, offsets));
            for (uint64_t i = 0; i < count; i++) {
                if (offsets[i] > offsets[i + 1] || offsets[i + 1] > end) {
                    note(c, TEXT_OFFSETS, "%s: row %" PRIu64 " goes from %" PRIu64 " to %" PRIu64,
                         column->name, begin + i, offsets[i], offsets[i + 1]);
                }
            }
        }
        const bool names = strcmp(bytes.name, "/sources/path_bytes") == 0 ||
                           strcmp(bytes.name, "/collections/name_bytes") == 0;
        ND_TRY(read_parts(c, &bytes, 1, end, 0, names ? take_name_bytes : NULL));
    }
out:
    free(offsets);
    return st;
}

/* ---- the other tables */

/* Add rows of /skipped or /other to what is counted of their sources. \param[in] records  or NULL:
 * 1 */
static void count_sources(check *c, promise which, const char *table, uint64_t begin,
                          uint64_t count, const uint64_t *source, const uint64_t *records,
                          uint64_t *sums) {
    for (uint64_t i = 0; i < count; i++) {
        if (source[i] >= c->shape->sources) {
            note(c, which, "%s/source: row %" PRIu64 ": %" PRIu64, table, begin + i, source[i]);
        } else {
            sums[source[i]] += records == NULL ? 1 : records[i];
        }
    }
}

static void take_skipped(check *c, uint64_t begin, uint64_t count, void *const *values) {
    count_sources(c, SKIPPED_SOURCES, "/skipped", begin, count, values[0], NULL, c->source_skipped);
}

static void take_other(check *c, uint64_t begin, uint64_t count, void *const *values) {
    count_sources(c, SOURCE_OTHER, "/other", begin, count, values[0], values[1], c->source_other);
}

static void compare_source(check *c, promise which, const char *name, uint64_t source,
                           uint64_t says, uint64_t counted) {
    if (says != counted) {
        note(c, which, "/sources/%s: row %" PRIu64 ": %" PRIu64 ", and /%s has %" PRIu64 " of it",
             name, source, says, name, counted);
    }
}

static void take_source_totals(check *c, uint64_t begin, uint64_t count, void *const *values) {
    const uint64_t *pages = values[0], *records = values[1];
    const uint64_t *other = values[2], *skipped = values[3];
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t s = begin + i;
        if (c->source_collection[s] >= c->shape->collections) {
            note(c, SOURCE_COLLECTIONS,
                 "/sources/collection: row %" PRIu64 ": %" PRIu64 " of %" PRIu64, s,
                 c->source_collection[s], c->shape->collections);
        }
        compare_source(c, SOURCE_PAGES, "pages", s, pages[i], c->source_pages[s]);
        compare_source(c, SOURCE_SKIPPED, "skipped", s, skipped[i], c->source_skipped[s]);
        compare_source(c, SOURCE_OTHER, "other", s, other[i], c->source_other[s]);
        if (pages[i] > records[i] || other[i] > records[i]) {
            note(c, SOURCE_SUMS, "/sources: row %" PRIu64 " has more pages than records", s);
        }
    }
}

static void take_stages(check *c, uint64_t begin, uint64_t count, void *const *values) {
    const double *least = values[0], *mean = values[1], *most = values[2];
    for (uint64_t i = 0; i < count; i++) {
        if (!(isfinite(least[i]) && isfinite(mean[i]) && isfinite(most[i])) || least[i] < 0 ||
            least[i] > most[i]) {
            note(c, STAGE_TIMES, "/stages: row %" PRIu64 ": %g to %g seconds", begin + i, least[i],
                 most[i]);
        }
    }
}

static nd_status check_tables(check *c) {
    static const part_column other[] = {{"/other/source", ND_COLUMN_U64},
                                        {"/other/records", ND_COLUMN_U64}};
    static const part_column skipped[] = {{"/skipped/source", ND_COLUMN_U64},
                                          {"/skipped/offset", ND_COLUMN_U64}};
    static const part_column sources[] = {{"/sources/pages", ND_COLUMN_U64},
                                          {"/sources/records", ND_COLUMN_U64},
                                          {"/sources/other", ND_COLUMN_U64},
                                          {"/sources/skipped", ND_COLUMN_U64},
                                          {"/sources/bytes", ND_COLUMN_U64}};
    static const part_column stages[] = {{"/stages/seconds_min", ND_COLUMN_F64},
                                         {"/stages/seconds_mean", ND_COLUMN_F64},
                                         {"/stages/seconds_max", ND_COLUMN_F64},
                                         {"/stages/items", ND_COLUMN_U64}};
    nd_status st = ND_OK;
    ND_TRY(read_parts(c, skipped, 2, c->shape->skipped, 0, take_skipped));
    ND_TRY(read_parts(c, other, 2, c->shape->other, 0, take_other));
    ND_TRY(read_parts(c, sources, 5, c->shape->sources, 0, take_source_totals));
    ND_TRY(read_parts(c, stages, 4, c->shape->stages, 0, take_stages));
out:
    return st;
}

/* ---- attributes */

static nd_status check_attributes(check *c) {
    static const char *const texts[] = {"program_version", "method",  "parameters",
                                        "command_line",    "created", "totals"};
    nd_status st = ND_OK;
    uint64_t ranks = 0;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char *text = NULL;
        st = nd_result_get_text(c->result, texts[i], &text);
        if (st == ND_ERR_FORMAT) {
            note(c, ATTRIBUTES, "the attribute %s is missing, or no text", texts[i]);
            continue;
        }
        ND_TRY(st);
        if (strcmp(texts[i], "parameters") == 0 || strcmp(texts[i], "totals") == 0) {
            json_object *object = json_tokener_parse(text);
            if (!json_object_is_type(object, json_type_object)) {
                note(c, ATTRIBUTES, "the attribute %s is no JSON object", texts[i]);
            }
            (void)json_object_put(object);
        }
        free(text);
    }
    st = nd_result_get_number(c->result, "ranks", &ranks);
    if (st == ND_ERR_FORMAT || (st == ND_OK && ranks == 0)) {
        note(c, ATTRIBUTES, "the attribute ranks is missing, or no number above 0");
        st = ND_OK;
    }
out:
    return st;
}

/* ---- all */

static nd_status check_all(check *c) {
    nd_status st = ND_OK;
    const uint64_t pages = c->shape->pages, sources = c->shape->sources;
    nd_new(&c->set, pages, sizeof *c->set);
    nd_new(&c->link, pages, sizeof *c->link);
    nd_new(&c->state, pages, sizeof *c->state);
    nd_new(&c->source_pages, 4 * sources, sizeof *c->source_pages);
    c->source_skipped = c->source_pages + sources;
    c->source_other = c->source_skipped + sources;
    c->source_collection = c->source_other + sources;
    ND_TRY(check_attributes(c));
    ND_TRY(check_sets(c));
    if (c->count[LINK_NUMBERS] == 0) {
        check_links(c);
    }
    ND_TRY(check_pages(c));
    ND_TRY(check_texts(c));
    ND_TRY(check_tables(c));
    ND_TRY(noted(c, PAGE_VALUES, nd_result_page_values_check(c->result)));
    ND_TRY(noted(c, PAIRS, nd_pair_rows_check(c->result, &nd_verified_columns)));
    ND_TRY(noted(c, CONTAINED, nd_pair_rows_check(c->result, &nd_contained_columns)));
    ND_TRY(noted(c, SITE_LISTS, nd_result_sites_check(c->result)));
out:
    return st;
}

nd_status nd_result_check(const char *path, nd_broken_promise report, void *context,
                          nd_result_findings *findings) {
    nd_status st = ND_OK;
    nd_result result = {.file = H5I_INVALID_HID};
    nd_seal_state seal = ND_SEAL_NONE;
    check *c = NULL;
    *findings = (nd_result_findings){0};
    ND_TRY(nd_seal_check(path, &seal)); /* before anything of it is believed */
    findings->sealed = seal == ND_SEAL_WHOLE;
    ND_TRY(nd_result_open(&result, path));
    findings->shape = result.shape;
    nd_new(&c, 1, sizeof *c);
    c->result = &result;
    c->shape = &result.shape;
    st = check_all(c);
    for (int i = 0; i < PROMISES; i++) {
        char text[sizeof c->first[0] + 64];
        if (c->count[i] > 1) {
            (void)snprintf(text, sizeof text, "%s (and %" PRIu64 " more like it)", c->first[i],
                           c->count[i] - 1);
            report(context, text);
        } else if (c->count[i] == 1) {
            report(context, c->first[i]);
        }
        findings->broken += c->count[i] > 0;
    }
out:
    if (c != NULL) {
        free(c->set);
        free(c->link);
        free(c->state);
        free(c->source_pages);
    }
    free(c);
    const nd_status closed = nd_result_close(&result);
    return st != ND_OK ? st : closed;
}
