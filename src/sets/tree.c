#include "src/sets/tree.h"

#include "src/base/buffer.h"
#include "src/base/numbers.h"

#include <stdlib.h>

/* Adjacency of the tree: the links of page i are at[begin[i]] .. at[begin[i + 1] - 1]. */
typedef struct adjacency {
    size_t *begin;
    size_t *at;
} adjacency;

static void fill_adjacency(const uint64_t *pages, size_t count, const nd_link *links,
                           adjacency *near) {
    for (size_t i = 0; i + 1 < count; i++) {
        near->begin[nd_numbers_place(pages, count, links[i].a) + 1]++;
        near->begin[nd_numbers_place(pages, count, links[i].b) + 1]++;
    }
    for (size_t i = 0; i < count; i++) {
        near->begin[i + 1] += near->begin[i];
    }
    for (size_t i = count - 1; i-- > 0;) { /* fills each page's part from its end */
        near->at[--near->begin[nd_numbers_place(pages, count, links[i].a) + 1]] = i;
        near->at[--near->begin[nd_numbers_place(pages, count, links[i].b) + 1]] = i;
    }
}

/* Above the number of every link. */
static const size_t BY_NONE = (size_t)-1;   /* the root: no link led there */
static const size_t UNREACHED = (size_t)-2; /* no link has led there yet */

/* Breadth first from the root; `queue` holds places in `pages`, by[place] the link that led there.
 * Returns the pages reached; 0 if one was reached by two ways. */
static size_t walk(const uint64_t *pages, size_t count, const nd_link *links, const adjacency *near,
                   size_t *queue, size_t *by, nd_parent *parents) {
    size_t reached = 1;
    for (size_t i = 0; i < count; i++) {
        by[i] = i == queue[0] ? BY_NONE : UNREACHED;
    }
    for (size_t head = 0; head < reached; head++) {
        const size_t here = queue[head];
        for (size_t k = near->begin[here + 1]; k < near->begin[here + 2]; k++) {
            const nd_link *link = &links[near->at[k]];
            const uint64_t other = link->a == pages[here] ? link->b : link->a;
            const size_t there = nd_numbers_place(pages, count, other);
            if (near->at[k] == by[here]) {
                continue; /* the way back */
            }
            if (by[there] != UNREACHED) {
                return 0; /* a cycle */
            }
            parents[there] = (nd_parent){pages[here], link->similarity};
            by[there] = near->at[k];
            queue[reached++] = there;
        }
    }
    return reached;
}

nd_status nd_tree_orient(const uint64_t *pages, size_t count, const nd_link *links, uint64_t root,
                         nd_parent *parents) {
    nd_status st = ND_OK;
    adjacency near = {0};
    size_t *queue = NULL;
    size_t *by = NULL;
    ND_TRY(nd_new(&near.begin, count + 2, sizeof(size_t)));
    ND_TRY(nd_new(&near.at, 2 * count, sizeof(size_t)));
    ND_TRY(nd_new(&queue, count, sizeof(size_t)));
    ND_TRY(nd_new(&by, count, sizeof(size_t)));
    fill_adjacency(pages, count, links, &near);
    near.begin[count + 1] = 2 * (count - 1);
    queue[0] = nd_numbers_place(pages, count, root);
    parents[queue[0]] = (nd_parent){root, 1};
    if (walk(pages, count, links, &near, queue, by, parents) != count) {
        st = nd_fail(ND_ERR_INTERNAL, "the links of the set of page %llu are not a tree",
                     (unsigned long long)root);
    }
out:
    free(near.begin);
    free(near.at);
    free(queue);
    free(by);
    return st;
}

nd_status nd_tree_walk(const uint64_t *pages, size_t count, const nd_parent *parents,
                       size_t *order) {
    nd_status st = ND_OK;
    size_t *up = NULL;    /* the parent */
    size_t *child = NULL; /* the first one; `count`: none */
    size_t *next = NULL;  /* of the same parent, likewise */
    size_t reached = 0;
    size_t here = 0;
    ND_TRY(nd_new(&up, count, sizeof *up));
    ND_TRY(nd_new(&child, count, sizeof *child));
    ND_TRY(nd_new(&next, count, sizeof *next));
    for (size_t i = 0; i < count; i++) {
        child[i] = count;
    }
    for (size_t i = count; i-- > 0;) {
        up[i] = nd_numbers_place(pages, count, parents[i].page);
        if (up[i] == i) {
            here = i;
            next[i] = count;
        } else {
            next[i] = child[up[i]];
            child[up[i]] = i;
        }
    }
    while (reached < count) {
        order[reached++] = here;
        if (child[here] != count) {
            here = child[here];
            continue;
        }
        while (next[here] == count && up[here] != here) {
            here = up[here];
        }
        here = next[here];
    }
out:
    free(up);
    free(child);
    free(next);
    return st;
}
