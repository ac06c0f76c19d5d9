#include "mpi/cmd/explain/run_finding.h"

#include "io/result/result_read.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <stdlib.h>

/* The way of a page to its representative, link by link. */
typedef struct way {
    nd_link_step *steps;
    size_t capacity;
    uint64_t count, set;
} way;

static nd_status read_way(const nd_result *result, uint64_t page, way *w) {
    nd_status st = ND_OK;
    nd_page_rows rows = {0};
    ND_TRY(nd_page_rows_read(result, page, 1, &rows));
    w->set = rows.set[0];
    while (rows.link[0] != rows.begin) {
        if (w->count == result->shape.pages) {
            st = nd_fail(ND_ERR_FORMAT,
                         "%s: /pages/link: the links of page %" PRIu64
                         " lead to no representative: damaged, or not written by neardup",
                         result->path, page);
            goto out;
        }
        nd_grow(&w->steps, &w->capacity, w->count + 1, sizeof *w->steps);
        w->steps[w->count++] = (nd_link_step){rows.begin, rows.link[0], rows.link_similarity[0]};
        ND_TRY(nd_page_rows_read(result, rows.link[0], 1, &rows));
    }
out:
    nd_page_rows_free(&rows);
    return st;
}

/* Both ways without what they have in common: from the first page up, and down to the second. */
static void join_ways(way *up, way *down, nd_run_finding *finding) {
    while (up->count > 0 && down->count > 0 &&
           up->steps[up->count - 1].from == down->steps[down->count - 1].from) {
        up->count--;
        down->count--;
    }
    nd_grow(&up->steps, &up->capacity, up->count + down->count, sizeof *up->steps);
    while (down->count > 0) {
        const nd_link_step *step = &down->steps[--down->count];
        up->steps[up->count++] = (nd_link_step){step->to, step->from, step->similarity};
    }
    finding->steps = up->steps;
    finding->step_count = up->count;
    up->steps = NULL;
}

/* Which of the two is contained in the other, as far as the run found it: of copies in a collection
 * the first page stands for all. */
static nd_status find_contained(const nd_result *result, const uint64_t pages[2],
                                nd_run_finding *finding) {
    nd_status st = ND_OK;
    nd_page_rows rows = {0};
    uint64_t stands[2];
    for (int side = 0; side < 2; side++) {
        ND_TRY(nd_page_rows_read(result, pages[side], 1, &rows));
        const uint64_t first = rows.exact_of[0];
        const uint16_t collection = rows.collection[0];
        ND_TRY(nd_page_rows_read(result, first, 1, &rows));
        stands[side] = rows.collection[0] == collection ? first : pages[side];
    }
    for (int side = 0; side < 2; side++) {
        ND_TRY(nd_pair_find(result, &nd_contained_columns, stands[side], stands[1 - side],
                            &finding->contained[side], &finding->share[side]));
    }
out:
    nd_page_rows_free(&rows);
    return st;
}

nd_status nd_run_finding_read(nd_run_finding *finding, const nd_result *result,
                              const uint64_t pages[2], const uint64_t compared[2]) {
    nd_status st = ND_OK;
    way ways[2] = {{0}, {0}};
    ND_TRY(read_way(result, pages[0], &ways[0]));
    ND_TRY(read_way(result, pages[1], &ways[1]));
    finding->one_set = ways[0].set == ways[1].set;
    if (finding->one_set) {
        join_ways(&ways[0], &ways[1], finding);
    }
    finding->keeps_pairs = result->shape.has_pairs;
    if (finding->keeps_pairs) {
        ND_TRY(nd_pair_find(result, &nd_verified_columns, nd_min(compared[0], compared[1]),
                            nd_max(compared[0], compared[1]), &finding->pair_found,
                            &finding->pair_similarity));
    }
    if (result->shape.has_contained) {
        ND_TRY(find_contained(result, pages, finding));
    }
out:
    free(ways[0].steps);
    free(ways[1].steps);
    return st;
}

float nd_run_finding_weakest(const nd_run_finding *finding) {
    float weakest = 1;
    for (uint64_t i = 0; i < finding->step_count; i++) {
        weakest = finding->steps[i].similarity < weakest ? finding->steps[i].similarity : weakest;
    }
    return weakest;
}

void nd_run_finding_free(nd_run_finding *finding) {
    free(finding->steps);
    *finding = (nd_run_finding){0};
}
