#include "tests/support/random_tree.h"

/* Every page but the first hangs on an earlier one of a random order. */
void nd_random_tree_draw(nd_random *random, uint64_t page, nd_random_tree *t) {
    size_t order[ND_TREE_PAGES];
    const size_t reach = 1 + (size_t)nd_random_below(random, 20);
    t->count = 1 + (size_t)nd_random_below(random, ND_TREE_PAGES);
    page += nd_random_below(random, 5);
    for (size_t i = 0; i < t->count; i++, page += 1 + nd_random_below(random, 5)) {
        const size_t at = (size_t)nd_random_below(random, i + 1);
        t->pages[i] = page;
        order[i] = order[at];
        order[at] = i;
    }
    for (size_t i = 1; i < t->count; i++) {
        const size_t back = 1 + (size_t)nd_random_below(random, i < reach ? i : reach);
        const uint64_t x = t->pages[order[i]];
        const uint64_t y = t->pages[order[i - back]];
        t->links[i - 1] =
            (nd_link){x < y ? x : y, x < y ? y : x, (double)nd_random_below(random, 1000) / 1000};
    }
}
