#include "mpi/cmd/review/whole_sets.h"

#include "src/base/sort.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { ROWS_AT_ONCE = 1 << 17, MOST_PAGES = 20000 };

/* The sets of least order, with that for a key. */
static nd_status draw(const nd_result *result, uint64_t wanted, uint64_t seed, nd_key_value *sets,
                      nd_whole_sets *drawn) {
    nd_status st = ND_OK;
    uint64_t *offsets = NULL;
    uint64_t kept = 0;
    nd_new_room(&offsets, ROWS_AT_ONCE + 1, sizeof *offsets);
    for (uint64_t begin = 0; begin < result->shape.sets; begin += ROWS_AT_ONCE) {
        const uint64_t count = nd_min(result->shape.sets - begin, ROWS_AT_ONCE);
        ND_TRY(nd_result_set_offsets(result, begin, count, offsets));
        for (uint64_t i = 0; i < count; i++) {
            const uint64_t set = begin + i;
            if (offsets[i + 1] - offsets[i] < 2) {
                continue;
            }
            drawn->population++;
            if (kept == 2 * wanted) {
                ND_TRY(nd_radix_sort(sets, kept));
                kept = wanted;
            }
            sets[kept++] = (nd_key_value){XXH3_64bits_withSeed(&set, sizeof set, seed), set};
        }
    }
    ND_TRY(nd_radix_sort(sets, kept));
    drawn->count = nd_min(kept, wanted);
out:
    free(offsets);
    return st;
}

static bool is_same(nd_span a, nd_span b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* Has the baseline the page under its number? */
static nd_status check_page(const nd_result *result, const nd_result *baseline, uint64_t page) {
    nd_status st = ND_OK;
    nd_page_rows here = {0};
    nd_page_rows there = {0};
    ND_TRY(nd_page_rows_read(result, page, 1, &here));
    ND_TRY(nd_page_rows_read(baseline, page, 1, &there));
    if (!is_same(nd_page_rows_id(&here, 0), nd_page_rows_id(&there, 0)) ||
        !is_same(nd_page_rows_url(&here, 0), nd_page_rows_url(&there, 0))) {
        st = nd_fail(ND_ERR_USAGE,
                     "--baseline %s: page %" PRIu64 " is another there than in %s: run both over "
                     "the same inputs",
                     baseline->path, page, result->path);
    }
out:
    nd_page_rows_free(&here);
    nd_page_rows_free(&there);
    return st;
}

static int by_number(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static nd_status add_pages(nd_whole_sets *drawn, size_t *room, uint64_t used, const uint64_t *pages,
                           uint64_t count, uint64_t *end) {
    if (used + count > MOST_PAGES) {
        return nd_fail(
            ND_ERR_USAGE,
            "--sample: the sets have more than %d pages, which nobody judges: draw fewer",
            (int)MOST_PAGES);
    }
    nd_grow(&drawn->pages, room, used + count, sizeof *drawn->pages);
    memcpy(drawn->pages + used, pages, count * sizeof *pages);
    *end = used + count;
    return ND_OK;
}

/* Its representative, then those of both results once each. */
static nd_status take_set(const nd_result *result, const nd_result *baseline, uint64_t set,
                          nd_whole_sets *drawn, size_t *room, uint64_t *end) {
    nd_status st = ND_OK;
    uint64_t *members = NULL;
    uint64_t count = 0;
    uint64_t other = 0;
    const uint64_t begin = *end;
    ND_TRY(nd_result_members(result, set, &members, &count));
    const uint64_t first = members[0];
    ND_TRY(add_pages(drawn, room, begin, members, count, end));
    if (baseline != NULL) {
        free(members);
        members = NULL;
        ND_TRY(check_page(result, baseline, first));
        ND_TRY(nd_result_read(baseline, "/pages/set", ND_COLUMN_U64, first, 1, &other));
        ND_TRY(nd_result_members(baseline, other, &members, &count));
        ND_TRY(add_pages(drawn, room, *end, members, count, end));
    }
    uint64_t *pages = drawn->pages + begin;
    qsort(pages, *end - begin, sizeof *pages, by_number);
    uint64_t kept = 0;
    for (uint64_t i = 0; i < *end - begin; i++) {
        if (pages[i] != first && (kept == 0 || pages[i] != pages[kept - 1])) {
            pages[kept++] = pages[i];
        }
    }
    memmove(pages + 1, pages, kept * sizeof *pages);
    pages[0] = first;
    *end = begin + 1 + kept;
out:
    free(members);
    return st;
}

nd_status nd_whole_sets_draw(const nd_result *result, const nd_result *baseline, uint64_t count,
                             uint64_t seed, nd_whole_sets *drawn) {
    nd_status st = ND_OK;
    nd_key_value *sets = NULL;
    size_t room = 0;
    uint64_t end = 0;
    *drawn = (nd_whole_sets){.count = 0};
    if (baseline != NULL && baseline->shape.pages != result->shape.pages) {
        return nd_fail(ND_ERR_USAGE,
                       "--baseline %s: has %" PRIu64 " pages, and %s %" PRIu64
                       ": run both over the same inputs",
                       baseline->path, baseline->shape.pages, result->path, result->shape.pages);
    }
    const uint64_t wanted = nd_min(count, result->shape.sets);
    nd_new_room(&sets, 2 * wanted, sizeof *sets);
    ND_TRY(draw(result, wanted, seed, sets, drawn));
    nd_new(&drawn->begin, drawn->count + 1, sizeof *drawn->begin);
    nd_new(&drawn->sets, drawn->count, sizeof *drawn->sets);
    for (uint64_t i = 0; i < drawn->count; i++) {
        drawn->sets[i] = sets[i].value;
        drawn->begin[i] = end;
        ND_TRY(take_set(result, baseline, sets[i].value, drawn, &room, &end));
    }
    drawn->begin[drawn->count] = end;
out:
    free(sets);
    return st;
}

void nd_whole_sets_free(nd_whole_sets *drawn) {
    free(drawn->pages);
    free(drawn->begin);
    free(drawn->sets);
    *drawn = (nd_whole_sets){0};
}
