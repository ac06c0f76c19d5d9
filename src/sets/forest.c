#include "src/sets/forest.h"

#include "src/base/buffer.h"
#include "src/base/sort.h"
#include "src/sets/union_find.h"

#include <stdlib.h>

static int by_preference(const void *a, const void *b) {
    return nd_link_compare(a, b);
}

static int by_number(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t place_of(const uint64_t *pages, size_t count, uint64_t page) {
    const uint64_t *found = bsearch(&page, pages, count, sizeof *pages, by_number);
    return (uint64_t)(found - pages);
}

nd_status nd_forest(const uint64_t *pages, size_t page_count, nd_link *links, size_t count,
                    size_t *kept) {
    uint64_t *parent = NULL;
    nd_status st = nd_new(&parent, page_count, sizeof *parent);
    *kept = 0;
    if (st != ND_OK) {
        return st;
    }
    nd_union_find_init(parent, page_count);
    nd_sort(links, count, sizeof *links, by_preference);
    for (size_t i = 0; i < count; i++) {
        const nd_link link = links[i];
        if (nd_union_find_join(parent, place_of(pages, page_count, link.a),
                               place_of(pages, page_count, link.b))) {
            links[(*kept)++] = link;
        }
    }
    free(parent);
    return st;
}
