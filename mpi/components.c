#include "mpi/components.h"

#include "mpi/exchange.h"
#include "mpi/fetch.h"
#include "src/base/sort.h"

#include <stdlib.h>
#include <string.h>

/* A link between two different components: seen from `component`, it leads to `other`. */
typedef struct offer {
    uint64_t component;
    uint64_t other;
    nd_link link;
} offer;

typedef struct state {
    nd_comm *comm;
    const uint64_t *first;
    uint64_t own;   /* first page of this rank */
    uint64_t *root; /* of this rank's pages: itself, or the next page toward the root */
    offer *active;  /* links whose ends still lie in different components */
    uint64_t active_count;
    offer *best; /* one per component of this rank that picked a link this round */
    uint64_t best_count;
    nd_link *tree;
    size_t tree_capacity;
    uint64_t tree_count;
} state;

static int by_component_then_best(const void *a, const void *b) {
    const offer *x = a;
    const offer *y = b;
    if (x->component != y->component) {
        return x->component < y->component ? -1 : 1;
    }
    return nd_link_compare(&x->link, &y->link);
}

static uint64_t keep_best(offer *offers, uint64_t count) {
    uint64_t kept = 0;
    nd_sort(offers, count, sizeof *offers, by_component_then_best);
    for (uint64_t i = 0; i < count; i++) {
        if (kept == 0 || offers[kept - 1].component != offers[i].component) {
            offers[kept++] = offers[i];
        }
    }
    return kept;
}

static int owner_of_component(const void *record, int size, const void *context) {
    return nd_comm_range_owner(context, size, ((const offer *)record)->component);
}

/* Every component's best link arrives at the rank that owns the component's root page. */
static nd_status pick_best(state *s) {
    nd_status st = nd_new(&s->best, 2 * s->active_count, sizeof *s->best);
    ND_TRY(nd_comm_agree(s->comm, st));
    for (uint64_t i = 0; i < s->active_count; i++) {
        const offer *o = &s->active[i];
        s->best[2 * i] = *o;
        s->best[2 * i + 1] = (offer){o->other, o->component, o->link};
    }
    s->best_count = keep_best(s->best, 2 * s->active_count);
    ND_TRY(nd_shuffle(s->comm, &s->best, &s->best_count, sizeof *s->best, owner_of_component,
                      s->first));
    s->best_count = keep_best(s->best, s->best_count);
out:
    return st;
}

static nd_status add_to_tree(state *s, const nd_link *link) {
    nd_status st = nd_grow(&s->tree, &s->tree_capacity, s->tree_count + 1, sizeof *s->tree);
    if (st == ND_OK) {
        s->tree[s->tree_count++] = *link;
    }
    return st;
}

/* Hook every component onto the one its best link leads to. Two that picked each other picked the
 * same link: the smaller one stays a root. */
static nd_status hook(state *s) {
    nd_status st = ND_OK;
    uint64_t *others = NULL;
    uint64_t *back = NULL;
    st = nd_new(&others, s->best_count, sizeof(uint64_t));
    st = st != ND_OK ? st : nd_new(&back, s->best_count, sizeof(uint64_t));
    ND_TRY(nd_comm_agree(s->comm, st));
    for (uint64_t i = 0; i < s->best_count; i++) {
        s->root[s->best[i].component - s->own] = s->best[i].other;
        others[i] = s->best[i].other;
    }
    ND_TRY(nd_lookup(s->comm, s->first, s->root, others, s->best_count, back));
    for (uint64_t i = 0; i < s->best_count && st == ND_OK; i++) {
        const offer *o = &s->best[i];
        if (back[i] == o->component && o->component < o->other) {
            s->root[o->component - s->own] = o->component;
        } else {
            st = add_to_tree(s, &o->link);
        }
    }
    ND_TRY(nd_comm_agree(s->comm, st));
out:
    free(others);
    free(back);
    return st;
}

/* Pointer jumping: let `pages` of this rank point at their roots. */
static nd_status jump(state *s, const uint64_t *pages, uint64_t count) {
    nd_status st = ND_OK;
    uint64_t *now = NULL;
    uint64_t *next = NULL;
    uint64_t changed = 1;
    st = nd_new(&now, count, sizeof(uint64_t));
    st = st != ND_OK ? st : nd_new(&next, count, sizeof(uint64_t));
    ND_TRY(nd_comm_agree(s->comm, st));
    while (nd_comm_sum(s->comm, changed) > 0) {
        for (uint64_t i = 0; i < count; i++) {
            now[i] = s->root[pages[i] - s->own];
        }
        ND_TRY(nd_lookup(s->comm, s->first, s->root, now, count, next));
        changed = 0;
        for (uint64_t i = 0; i < count; i++) {
            changed += next[i] != now[i];
            s->root[pages[i] - s->own] = next[i];
        }
    }
out:
    free(now);
    free(next);
    return st;
}

static nd_status shorten_chains(state *s) {
    uint64_t *pages = NULL;
    nd_status st = ND_OK;
    ND_TRY(nd_comm_agree(s->comm, nd_new(&pages, s->best_count, sizeof(uint64_t))));
    for (uint64_t i = 0; i < s->best_count; i++) {
        pages[i] = s->best[i].component;
    }
    ND_TRY(jump(s, pages, s->best_count));
out:
    free(pages);
    return st;
}

/* Rename the components of the active links and drop the links that have become inner ones. */
static nd_status relabel(state *s) {
    nd_status st = ND_OK;
    uint64_t *ends = NULL;
    uint64_t kept = 0;
    ND_TRY(nd_comm_agree(s->comm, nd_new(&ends, 2 * s->active_count, sizeof(uint64_t))));
    for (uint64_t i = 0; i < s->active_count; i++) {
        ends[2 * i] = s->active[i].component;
        ends[2 * i + 1] = s->active[i].other;
    }
    ND_TRY(nd_lookup(s->comm, s->first, s->root, ends, 2 * s->active_count, ends));
    for (uint64_t i = 0; i < s->active_count; i++) {
        if (ends[2 * i] != ends[2 * i + 1]) {
            s->active[kept++] = (offer){ends[2 * i], ends[2 * i + 1], s->active[i].link};
        }
    }
    s->active_count = kept;
out:
    free(ends);
    return st;
}

static nd_status one_round(state *s) {
    nd_status st = ND_OK;
    ND_TRY(pick_best(s));
    ND_TRY(hook(s));
    ND_TRY(shorten_chains(s));
    ND_TRY(relabel(s));
out:
    free(s->best);
    s->best = NULL;
    return st;
}

static nd_status start(state *s, const nd_link *links, uint64_t count) {
    nd_status st = nd_new(&s->active, count, sizeof *s->active);
    for (uint64_t i = 0; st == ND_OK && i < count; i++) {
        if (links[i].a != links[i].b) {
            s->active[s->active_count++] = (offer){links[i].a, links[i].b, links[i]};
        }
    }
    return nd_comm_agree(s->comm, st);
}

/* Pages that hooked in an early round still point at that round's root. */
static nd_status finish(state *s, uint64_t own_count) {
    uint64_t *pages = NULL;
    uint64_t hooked = 0;
    nd_status st = ND_OK;
    ND_TRY(nd_comm_agree(s->comm, nd_new(&pages, own_count, sizeof(uint64_t))));
    for (uint64_t i = 0; i < own_count; i++) {
        if (s->root[i] != s->own + i) {
            pages[hooked++] = s->own + i;
        }
    }
    ND_TRY(jump(s, pages, hooked));
out:
    free(pages);
    return st;
}

nd_status nd_components(nd_comm *comm, const uint64_t *first, const nd_link *links, uint64_t count,
                        uint64_t *root, nd_link **tree, uint64_t *tree_count) {
    nd_status st = ND_OK;
    const uint64_t own_count = first[comm->rank + 1] - first[comm->rank];
    state s = {.comm = comm, .first = first, .own = first[comm->rank], .root = root};
    for (uint64_t i = 0; i < own_count; i++) {
        root[i] = s.own + i;
    }
    ND_TRY(start(&s, links, count));
    while (nd_comm_sum(comm, s.active_count) > 0) {
        ND_TRY(one_round(&s));
    }
    ND_TRY(finish(&s, own_count));
out:
    free(s.active);
    if (st != ND_OK) {
        free(s.tree);
        s.tree = NULL;
        s.tree_count = 0;
    }
    *tree = s.tree;
    *tree_count = s.tree_count;
    return st;
}
