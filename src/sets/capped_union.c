#include "src/sets/capped_union.h"

#include "src/base/buffer.h"
#include "src/base/numbers.h"
#include "src/sets/union_find.h"

#include <stdlib.h>

nd_status nd_capped_union(const uint64_t *pages, size_t page_count, const nd_link *links,
                          size_t count, uint64_t cap, uint64_t *label) {
    uint64_t *size = NULL;
    nd_new(&size, page_count, sizeof *size);
    nd_union_find_init(label, page_count);
    for (size_t i = 0; i < page_count; i++) {
        size[i] = 1;
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t a =
            nd_union_find_root(label, nd_numbers_place(pages, page_count, links[i].a));
        const uint64_t b =
            nd_union_find_root(label, nd_numbers_place(pages, page_count, links[i].b));
        const uint64_t sum = size[a] + size[b];
        if (a != b && sum <= cap) {
            (void)nd_union_find_join(label, a, b);
            size[nd_union_find_root(label, a)] = sum;
        }
    }
    for (size_t i = 0; i < page_count; i++) {
        label[i] = nd_union_find_root(label, i);
    }
    free(size);
    return ND_OK;
}
