#include "src/sets/forest.h"

#include "src/base/buffer.h"
#include "src/base/numbers.h"
#include "src/base/sort.h"
#include "src/sets/union_find.h"

#include <stdlib.h>

nd_status nd_forest(const uint64_t *pages, size_t page_count, nd_link *links, size_t count,
                    size_t *kept) {
    nd_status st = ND_OK;
    uint64_t *parent = NULL;
    *kept = 0;
    ND_TRY(nd_new(&parent, page_count, sizeof *parent));
    nd_union_find_init(parent, page_count);
    nd_sort(links, count, sizeof *links, nd_link_compare);
    for (size_t i = 0; i < count; i++) {
        const nd_link link = links[i];
        if (nd_union_find_join(parent, nd_numbers_place(pages, page_count, link.a),
                               nd_numbers_place(pages, page_count, link.b))) {
            links[(*kept)++] = link;
        }
    }
out:
    free(parent);
    return st;
}
