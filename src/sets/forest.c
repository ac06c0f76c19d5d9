#include "src/sets/forest.h"

#include "src/base/buffer.h"
#include "src/base/contract.h"
#include "src/base/numbers.h"
#include "src/base/sort.h"
#include "src/sets/union_find.h"

#include <stdlib.h>

nd_status nd_forest(const uint64_t *pages, size_t page_count, nd_link *links, size_t count,
                    size_t *kept) {
    uint64_t *parent = NULL;
    *kept = 0;
    nd_new(&parent, page_count, sizeof *parent);
    nd_union_find_init(parent, page_count);
    nd_sort(links, count, sizeof *links, nd_link_compare);
    for (size_t i = 0; i < count; i++) {
        const nd_link link = links[i];
        const uint64_t a = nd_numbers_place(pages, page_count, link.a);
        const uint64_t b = nd_numbers_place(pages, page_count, link.b);
        ND_ASSERT(a < page_count && pages[a] == link.a, a, page_count, link.a);
        ND_ASSERT(b < page_count && pages[b] == link.b, b, page_count, link.b);
        if (nd_union_find_join(parent, a, b)) {
            links[(*kept)++] = link;
        }
    }
    ND_ASSERT(*kept == 0 || *kept < page_count, *kept, page_count);
    free(parent);
    return ND_OK;
}
