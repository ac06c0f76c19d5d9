#include "src/sets/tree.h"

#include "src/base/buffer.h"
#include "src/base/contract.h"
#include "src/base/numbers.h"

#include <stdbool.h>
#include <stdlib.h>

/* Above the number of every link. */
static const size_t BY_NONE = (size_t)-1;   /* the root: no link led there */
static const size_t UNREACHED = (size_t)-2; /* no link has led there yet */

nd_status nd_tree_orient(const uint64_t *pages, size_t count, const nd_link *links, uint64_t root,
                         nd_parent *parents) {
    nd_status st = ND_OK;
    size_t *begin = NULL; /* the links of page i are near[begin[i + 1]] .. near[begin[i + 2] - 1] */
    size_t *near = NULL;
    size_t *queue = NULL; /* places in `pages` */
    size_t *by = NULL;    /* of each page, the link that led there */
    size_t reached = 1;
    bool cycle = false;
    ND_ASSERT(nd_numbers_ascend(pages, count), count);
    nd_new(&begin, count + 2, sizeof *begin);
    nd_new(&near, 2 * count, sizeof *near);
    nd_new(&queue, count, sizeof *queue);
    nd_new(&by, count, sizeof *by);
    for (size_t i = 0; i + 1 < count; i++) {
        begin[nd_numbers_place(pages, count, links[i].a) + 1]++;
        begin[nd_numbers_place(pages, count, links[i].b) + 1]++;
    }
    for (size_t i = 0; i < count; i++) {
        begin[i + 1] += begin[i];
    }
    for (size_t i = count - 1; i-- > 0;) { /* fills each page's part from its end */
        near[--begin[nd_numbers_place(pages, count, links[i].a) + 1]] = i;
        near[--begin[nd_numbers_place(pages, count, links[i].b) + 1]] = i;
    }
    begin[count + 1] = 2 * (count - 1);

    /* breadth first from the root */
    queue[0] = nd_numbers_place(pages, count, root);
    ND_ASSERT(queue[0] < count && pages[queue[0]] == root, queue[0], count, root);
    parents[queue[0]] = (nd_parent){root, 1};
    for (size_t i = 0; i < count; i++) {
        by[i] = i == queue[0] ? BY_NONE : UNREACHED;
    }
    for (size_t head = 0; head < reached && !cycle; head++) {
        const size_t here = queue[head];
        for (size_t k = begin[here + 1]; k < begin[here + 2] && !cycle; k++) {
            const nd_link *link = &links[near[k]];
            const uint64_t other = link->a == pages[here] ? link->b : link->a;
            const size_t there = nd_numbers_place(pages, count, other);
            if (near[k] == by[here]) {
                continue; /* the way back */
            }
            cycle = by[there] != UNREACHED;
            if (!cycle) {
                parents[there] = (nd_parent){pages[here], link->similarity};
                by[there] = near[k];
                queue[reached++] = there;
            }
        }
    }
    if (cycle || reached != count) {
        st = nd_fail(ND_ERR_INTERNAL, "the links of the set of page %llu are not a tree",
                     (unsigned long long)root);
    }
    free(begin);
    free(near);
    free(queue);
    free(by);
    return st;
}
