#include "tests/support/centroid_sets.h"

#include "src/base/buffer.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "tests/support/brief.h"

static const size_t FREE = (size_t)-1;

/* The tree by places in `pages`; the other arrays are of its present part. */
typedef struct tree {
    const uint64_t *pages;
    const uint64_t *tokens;
    size_t *begin; /* the neighbours of page i are near[begin[i]] .. near[begin[i + 1] - 1] */
    size_t *near;
    size_t *part;    /* its pages, each after the one it hangs on */
    size_t *up;      /* [page] the page it hangs on; itself: the first */
    size_t *below;   /* [page] pages that hang on it, it too */
    size_t *largest; /* [page] of the parts that hang on it */
} tree;

static void tree_free(tree *t) {
    free(t->begin);
    free(t->near);
    free(t->part);
    free(t->up);
    free(t->below);
    free(t->largest);
}

static void tree_open(tree *t, size_t count, const nd_link *links) {
    nd_new(&t->begin, count + 2, sizeof *t->begin);
    nd_new(&t->near, 2 * count, sizeof *t->near);
    nd_new(&t->part, count, sizeof *t->part);
    nd_new(&t->up, count, sizeof *t->up);
    nd_new(&t->below, count, sizeof *t->below);
    nd_new(&t->largest, count, sizeof *t->largest);
    for (size_t i = 0; i + 1 < count; i++) { /* ends of pages' parts, one page further on */
        t->begin[nd_numbers_place(t->pages, count, links[i].a) + 2]++;
        t->begin[nd_numbers_place(t->pages, count, links[i].b) + 2]++;
    }
    for (size_t i = 2; i <= count; i++) {
        t->begin[i] += t->begin[i - 1];
    }
    for (size_t i = 0; i + 1 < count; i++) {
        const size_t a = nd_numbers_place(t->pages, count, links[i].a);
        const size_t b = nd_numbers_place(t->pages, count, links[i].b);
        t->near[t->begin[a + 1]++] = b;
        t->near[t->begin[b + 1]++] = a;
    }
}

/* The part that holds the free page `first`, from there on. \return its pages */
static size_t walk_part(tree *t, const size_t *leaders, size_t first) {
    size_t reached = 1;
    t->part[0] = first;
    t->up[first] = first;
    for (size_t head = 0; head < reached; head++) {
        const size_t here = t->part[head];
        for (size_t k = t->begin[here]; k < t->begin[here + 1]; k++) {
            const size_t there = t->near[k];
            if (there != t->up[here] && leaders[there] == FREE) {
                t->up[there] = here;
                t->part[reached++] = there;
            }
        }
    }
    return reached;
}

static size_t middle_of(tree *t, size_t count) {
    size_t middle = FREE;
    for (size_t i = 0; i < count; i++) {
        t->below[t->part[i]] = 1;
        t->largest[t->part[i]] = 0;
    }
    for (size_t i = count; i-- > 0;) {
        const size_t here = t->part[i];
        const size_t up = t->up[here];
        const uint64_t largest = nd_max(t->largest[here], count - t->below[here]);
        if (nd_is_centroid(largest, count) &&
            (middle == FREE || nd_centroid_precedes(t->tokens[here], t->pages[here],
                                                    t->tokens[middle], t->pages[middle]))) {
            middle = here;
        }
        if (up != here) {
            t->below[up] += t->below[here];
            t->largest[up] = (size_t)nd_max(t->largest[up], t->below[here]);
        }
    }
    return middle;
}

/* A leader's set, link by link. What it does not take begins a part of its own. */
static void grow_set(tree *t, size_t leader, nd_leader_compare compare, void *context,
                     size_t *leaders, double *similarities, size_t *firsts, size_t *first_count) {
    size_t *const set = t->part;
    size_t taken = 1;
    set[0] = leader;
    leaders[leader] = leader;
    similarities[leader] = 1;
    for (size_t head = 0; head < taken; head++) {
        for (size_t k = t->begin[set[head]]; k < t->begin[set[head] + 1]; k++) {
            double similarity = 0;
            const size_t page = t->near[k];
            if (leaders[page] != FREE) {
                continue;
            }
            compare(context, leader, page, &similarity);
            if (similarity > 0) {
                leaders[page] = leader;
                similarities[page] = similarity;
                set[taken++] = page;
            } else {
                firsts[(*first_count)++] = page;
            }
        }
    }
}

void nd_centroid_sets(const uint64_t *pages, const uint64_t *tokens, size_t count,
                      const nd_link *links, nd_leader_compare compare, void *context,
                      size_t *leaders, double *similarities) {
    tree t = {.pages = pages, .tokens = tokens};
    ND_FREED size_t *firsts = NULL; /* a page of each part that is still to be looked at */
    size_t first_count = 1;
    tree_open(&t, count, links);
    nd_new(&firsts, count, sizeof *firsts);
    for (size_t i = 0; i < count; i++) {
        leaders[i] = FREE;
    }
    while (first_count > 0) {
        const size_t part = walk_part(&t, leaders, firsts[--first_count]);
        const size_t leader = middle_of(&t, part);
        grow_set(&t, leader, compare, context, leaders, similarities, firsts, &first_count);
    }
    tree_free(&t);
}
