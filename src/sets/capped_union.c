#include "src/sets/capped_union.h"

#include "src/base/buffer.h"
#include "src/base/numbers.h"
#include "src/sets/union_find.h"

#include <stdlib.h>

static void join_under(uint64_t cap, uint64_t *parent, uint64_t *size, uint64_t a, uint64_t b) {
    a = nd_union_find_root(parent, a);
    b = nd_union_find_root(parent, b);
    if (a != b && size[a] + size[b] <= cap) {
        const uint64_t sum = size[a] + size[b];
        (void)nd_union_find_join(parent, a, b);
        size[nd_union_find_root(parent, a)] = sum;
    }
}

nd_status nd_capped_union(const uint64_t *pages, size_t page_count, const nd_link *links,
                          size_t count, uint64_t cap, uint64_t *label) {
    uint64_t *size = NULL;
    const nd_status st = nd_new(&size, page_count, sizeof *size);
    if (st != ND_OK) {
        return st;
    }
    nd_union_find_init(label, page_count);
    for (size_t i = 0; i < page_count; i++) {
        size[i] = 1;
    }
    for (size_t i = 0; i < count; i++) {
        join_under(cap, label, size, nd_numbers_place(pages, page_count, links[i].a),
                   nd_numbers_place(pages, page_count, links[i].b));
    }
    for (size_t i = 0; i < page_count; i++) {
        label[i] = nd_union_find_root(label, i);
    }
    free(size);
    return st;
}
