#include "mpi/comm/components.h"

#include "mpi/comm/exchange.h"
#include "mpi/comm/fetch.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <stdlib.h>
#include <string.h>

/* ==== components */

/* Bytes of links read at a time. */
enum { READ_BYTES = 1 << 20 };

/* Each round of jumping, and of picking, at least halves what is left. */
enum { MOST_ROUNDS = 64 };

/* A link between two different components: seen from `component`, it leads to `other`. */
typedef struct offer {
    uint64_t component; /* first: its rank gets the offer */
    uint64_t other;
    nd_link link;
} offer;

typedef struct state {
    nd_comm *comm;
    const uint64_t *first;
    uint64_t own; /* first page of this rank */
    uint64_t own_count;
    uint64_t memory;
    uint64_t *root;   /* of this rank's pages: itself, or the next page toward the root */
    nd_spool active;  /* offers: links whose ends still lie in different components */
    offer *best;      /* of this rank's pages that stand for components: the best link of this
                         round; one whose other end is the component itself is none */
    uint64_t *picked; /* those that have one, ascending; pages that jump() works on */
    uint64_t picked_count;
    nd_spool *tree;
} state;

static uint64_t active_count(const state *s) {
    return s->active.size / sizeof(offer);
}

/* ---- every component picks its best link */

static int by_component_then_best(const void *a, const void *b) {
    const offer *x = a;
    const offer *y = b;
    if (x->component != y->component) {
        return x->component < y->component ? -1 : 1;
    }
    return nd_link_compare(&x->link, &y->link);
}

/* component, then the links' order */
static const nd_record_order best_first = {
    .word_count = 1, .words = {0}, .compare = by_component_then_best};

/* Both views of the active links; fewer to move: of a batch each component's best. */
static nd_status next_offers(void *context, void *records, uint64_t room, uint64_t *count) {
    nd_status st = ND_OK;
    offer *offers = records;
    uint64_t read = 0;
    *count = 0;
    ND_TRY(nd_spool_reader_take(context, offers, room / 2, &read));
    for (uint64_t i = 0; i < read; i++) {
        offers[read + i] = (offer){offers[i].other, offers[i].component, offers[i].link};
    }
    nd_record_sort(offers, 2 * read, sizeof *offers, &best_first);
    for (uint64_t i = 0; i < 2 * read; i++) {
        if (*count == 0 || offers[*count - 1].component != offers[i].component) {
            offers[(*count)++] = offers[i];
        }
    }
out:
    return st;
}

static nd_status take_better(void *context, const void *records, uint64_t count) {
    const state *s = context;
    const offer *offers = records;
    for (uint64_t i = 0; i < count; i++) {
        ND_ASSERT(offers[i].component - s->own < s->own_count, offers[i].component, s->own,
                  s->own_count);
        ND_ASSERT(offers[i].other != offers[i].component,
                  offers[i].other); /* inner ones are gone */
        offer *best = &s->best[offers[i].component - s->own];
        if (best->other == best->component || nd_link_compare(&offers[i].link, &best->link) < 0) {
            *best = offers[i];
        }
    }
    return ND_OK;
}

/* Every component's best link arrives at the rank that owns the component's root page. */
static nd_status pick_best(state *s) {
    nd_status st = ND_OK;
    nd_spool_reader reader;
    const nd_shuffle_stream stream = {.comm = s->comm,
                                      .record_size = sizeof(offer),
                                      .owner = nd_shuffle_owner_of_item,
                                      .owner_context = s->first,
                                      .sink = take_better,
                                      .sink_context = s};
    for (uint64_t i = 0; i < s->own_count; i++) {
        s->best[i] = (offer){.component = s->own + i, .other = s->own + i};
    }
    nd_spool_reader_open(&reader, &s->active, sizeof(offer), 0, active_count(s), 0);
    ND_TRY(nd_shuffle_run(&stream, next_offers, &reader));
    s->picked_count = 0;
    for (uint64_t i = 0; i < s->own_count; i++) {
        if (s->best[i].other != s->best[i].component) {
            s->picked[s->picked_count++] = s->own + i;
        }
    }
out:
    nd_spool_reader_close(&reader);
    return st;
}

/* ---- components hook onto one another */

/* Hook every component onto the one its best link leads to. Two that picked each other picked the
 * same link: the smaller one stays a root. */
static nd_status hook(state *s) {
    nd_status st = ND_OK;
    uint64_t *others = NULL;
    uint64_t *back = NULL;
    nd_new_room(&others, s->picked_count, sizeof(uint64_t));
    nd_new_room(&back, s->picked_count, sizeof(uint64_t));
    for (uint64_t i = 0; i < s->picked_count; i++) {
        ND_ASSERT(s->root[s->picked[i] - s->own] == s->picked[i], s->picked[i],
                  s->root[s->picked[i] - s->own]); /* only roots get offers */
        others[i] = s->best[s->picked[i] - s->own].other;
        s->root[s->picked[i] - s->own] = others[i];
    }
    ND_TRY(nd_lookup(s->comm, s->first, s->root, others, s->picked_count, back));
    for (uint64_t i = 0; i < s->picked_count && st == ND_OK; i++) {
        const offer *o = &s->best[s->picked[i] - s->own];
        if (back[i] == o->component && o->component < o->other) {
            s->root[o->component - s->own] = o->component;
        } else {
            st = nd_spool_append(s->tree, &o->link, sizeof o->link);
        }
    }
    ND_TRY(nd_comm_agree(s->comm, st));
out:
    free(others);
    free(back);
    return st;
}

/* Pointer jumping: let the picked pages of this rank point at their roots. */
static nd_status jump(state *s) {
    nd_status st = ND_OK;
    uint64_t *now = NULL;
    uint64_t *next = NULL;
    uint64_t changed = 1;
    int rounds = 0;
    nd_new_room(&now, s->picked_count, sizeof(uint64_t));
    nd_new_room(&next, s->picked_count, sizeof(uint64_t));
    while (nd_comm_sum(s->comm, changed) > 0) {
        ND_ASSERT(rounds <= MOST_ROUNDS, rounds); /* or the pages point in a circle */
        rounds++;
        for (uint64_t i = 0; i < s->picked_count; i++) {
            now[i] = s->root[s->picked[i] - s->own];
        }
        ND_TRY(nd_lookup(s->comm, s->first, s->root, now, s->picked_count, next));
        changed = 0;
        for (uint64_t i = 0; i < s->picked_count; i++) {
            changed += next[i] != now[i];
            s->root[s->picked[i] - s->own] = next[i];
        }
    }
out:
    free(now);
    free(next);
    return st;
}

/* ---- the links that are left */

/* Rename the components of the active links and drop the links that have become inner ones. */
static nd_status relabel(state *s) {
    nd_status st = ND_OK;
    offer *offers = NULL;
    uint64_t *ends = NULL;
    uint64_t count = 0;
    nd_spool left;
    nd_spool_reader reader;
    const uint64_t room = s->comm->round_bytes / sizeof(offer) + 1;
    nd_spool_open(&left, s->active.folder, s->memory);
    nd_spool_reader_open(&reader, &s->active, sizeof(offer), 0, active_count(s), 0);
    nd_new_room(&offers, room, sizeof *offers);
    nd_new_room(&ends, 2 * room, sizeof *ends);
    do {
        ND_TRY(nd_comm_agree(s->comm, nd_spool_reader_take(&reader, offers, room, &count)));
        for (uint64_t i = 0; i < count; i++) {
            ends[2 * i] = offers[i].component;
            ends[2 * i + 1] = offers[i].other;
        }
        ND_TRY(nd_lookup(s->comm, s->first, s->root, ends, 2 * count, ends));
        for (uint64_t i = 0; i < count && st == ND_OK; i++) {
            if (ends[2 * i] != ends[2 * i + 1]) {
                const offer renamed = {ends[2 * i], ends[2 * i + 1], offers[i].link};
                st = nd_spool_append(&left, &renamed, sizeof renamed);
            }
        }
        ND_TRY(nd_comm_agree(s->comm, st));
    } while (nd_comm_max(s->comm, count) > 0);
    nd_spool_close(&s->active);
    s->active = left;
    nd_spool_open(&left, NULL, 0);
out:
    nd_spool_reader_close(&reader);
    nd_spool_close(&left);
    free(offers);
    free(ends);
    return st;
}

/* ---- all rounds */

/* All links between two pages are active at the start. Not collective. */
static nd_status start(state *s, const nd_spool *links) {
    nd_status st = ND_OK;
    nd_spool_reader reader;
    const void *records = NULL;
    uint64_t count = 1;
    nd_spool_reader_open(&reader, links, sizeof(nd_link), 0, links->size / sizeof(nd_link),
                         READ_BYTES);
    nd_new_room(&s->best, s->own_count, sizeof *s->best);
    nd_new_room(&s->picked, s->own_count, sizeof *s->picked);
    while (count > 0) {
        ND_TRY(nd_spool_reader_next(&reader, &records, &count));
        const nd_link *some = records;
        for (uint64_t i = 0; i < count; i++) {
            ND_ASSERT(some[i].a < s->first[s->comm->size] && some[i].b < s->first[s->comm->size],
                      some[i].a, some[i].b, s->first[s->comm->size]);
            if (some[i].a != some[i].b) {
                const offer o = {some[i].a, some[i].b, some[i]};
                ND_TRY(nd_spool_append(&s->active, &o, sizeof o));
            }
        }
    }
out:
    nd_spool_reader_close(&reader);
    return st;
}

nd_status nd_components(nd_comm *comm, const uint64_t *first, const nd_spool *links,
                        uint64_t memory, uint64_t *root, nd_spool *tree) {
    nd_status st = ND_OK;
    state s = {.comm = comm,
               .first = first,
               .own = first[comm->rank],
               .own_count = first[comm->rank + 1] - first[comm->rank],
               .memory = memory,
               .root = root,
               .tree = tree};
    const uint64_t tree_before = tree->size;
    int rounds = 0;
    nd_spool_open(&s.active, links->folder, memory);
    for (uint64_t i = 0; i < s.own_count; i++) {
        root[i] = s.own + i;
    }
    ND_TRY(nd_comm_agree(comm, start(&s, links)));
    while (nd_comm_sum(comm, active_count(&s)) > 0) {
        ND_ASSERT(rounds <= MOST_ROUNDS, rounds);
        rounds++;
        ND_TRY(pick_best(&s));
        ND_TRY(hook(&s));
        ND_TRY(jump(&s));
        ND_TRY(relabel(&s));
    }
    /* pages that hooked in an early round still point at that round's root */
    s.picked_count = 0;
    for (uint64_t i = 0; i < s.own_count; i++) {
        if (root[i] != s.own + i) {
            s.picked[s.picked_count++] = s.own + i;
        }
    }
    ND_TRY(jump(&s));
    /* a page that stands for a component points at itself, and every other has one link of a tree
     */
    const uint64_t others = nd_comm_sum(comm, s.picked_count);
    const uint64_t tree_links = nd_comm_sum(comm, (tree->size - tree_before) / sizeof(nd_link));
    ND_ASSERT(others == tree_links, others, tree_links);
out:
    nd_spool_close(&s.active);
    free(s.best);
    free(s.picked);
    return st;
}

/* ==== tours */

/* A link walked from one of its pages to the other: a step. No padding. */
typedef struct step {
    uint64_t from; /* first: its rank has the step */
    uint64_t to;
    double similarity;
} step;

/* What the other direction of a step is to know of it. No padding. */
typedef struct turn {
    uint64_t from; /* the other direction's: its rank gets this */
    uint64_t to;
    uint64_t twin; /* number of the step that says so */
    uint64_t next; /* of the step that follows the other direction; END */
} turn;

static const uint64_t END = UINT64_MAX;

/* Steps are numbered over all ranks, in the order of (from, to). */
typedef struct walk {
    nd_comm *comm;
    const uint64_t *first;
    const uint64_t *root;
    uint64_t own; /* this rank's first page */
    uint64_t own_count;
    uint64_t *step_first; /* ranges of the steps */
    step *steps;          /* this rank's */
    size_t step_capacity;
    uint64_t step_count;
    uint64_t *twin;       /* [step] the other direction */
    uint64_t *next;       /* [step] the step after it, and later ones; itself: there is none */
    uint64_t *left;       /* [step] from it to `next`, then to the end */
    uint64_t *further;    /* [step] scratch */
    uint64_t *pages_of;   /* [page] of the tree that it is the root of */
    uint64_t *tree_pages; /* [page] of its tree */
    uint64_t told;        /* steps of which the other direction knows */
} walk;

static const nd_record_order by_pages = {.word_count = 2, .words = {0, 1}};

/* ---- steps */

/* Both directions of the next links, which are read into the room's second half. */
static nd_status next_steps(void *context, void *records, uint64_t room, uint64_t *count) {
    nd_status st = ND_OK;
    step *steps = records;
    nd_link *links = (nd_link *)records + room / 2;
    uint64_t read = 0;
    *count = 0;
    ND_TRY(nd_spool_reader_take(context, links, room / 2, &read));
    for (uint64_t i = 0; i < read; i++) {
        const nd_link link = links[i];
        steps[(*count)++] = (step){link.a, link.b, link.similarity};
        steps[(*count)++] = (step){link.b, link.a, link.similarity};
    }
out:
    return st;
}
_Static_assert(sizeof(step) == sizeof(nd_link), "links are read where steps will be");

static nd_status take_steps(void *context, const void *records, uint64_t count) {
    walk *w = context;
    nd_grow(&w->steps, &w->step_capacity, w->step_count + count, sizeof *w->steps);
    memcpy(w->steps + w->step_count, records, count * sizeof *w->steps);
    w->step_count += count;
    return ND_OK;
}

/* First of this rank's steps from a page on. */
static uint64_t steps_from(const walk *w, uint64_t from, uint64_t to) {
    uint64_t i = 0;
    ND_FIND_FIRST(i, 0, w->step_count,
                  w->steps[i].from > from || (w->steps[i].from == from && w->steps[i].to >= to));
    return i;
}

/* Collective. Are the links trees, each of which has its root? A tree has a link less than pages.
 */
static void check_trees(const walk *w) {
    uint64_t sums[3] = {w->step_count, 0, 0}; /* pages with steps, roots among them */
    for (uint64_t i = 0; i < w->step_count; i++) {
        const uint64_t page = w->steps[i].from;
        const bool another = i == 0 || w->steps[i - 1].from != page;
        ND_ASSERT(page - w->own < w->own_count, page, w->own, w->own_count);
        sums[1] += another;
        sums[2] += another && w->root[page - w->own] == page;
    }
    nd_comm_sum_all(w->comm, sums, 3);
    ND_ASSERT(sums[0] == 2 * (sums[1] - sums[2]), sums[0], sums[1], sums[2]);
}

/* ---- what follows what */

/* After a step to a page comes the page's step that is next to the way back, around the page. The
 * walk starts with the root's first step, and so ends before it. */
static nd_status next_turns(void *context, void *records, uint64_t room, uint64_t *count) {
    walk *w = context;
    turn *turns = records;
    const uint64_t number = w->step_first[w->comm->rank];
    for (*count = 0; *count < room && w->told < w->step_count; w->told++) {
        const step *s = &w->steps[w->told];
        const bool last = w->told + 1 == w->step_count || w->steps[w->told + 1].from != s->from;
        uint64_t next = number + w->told + 1;
        if (last && w->root[s->from - w->own] == s->from) {
            next = END;
        } else if (last) {
            next = number + steps_from(w, s->from, 0);
        }
        turns[(*count)++] = (turn){s->to, s->from, number + w->told, next};
    }
    return ND_OK;
}

static nd_status take_turns(void *context, const void *records, uint64_t count) {
    walk *w = context;
    const turn *turns = records;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t here = steps_from(w, turns[i].from, turns[i].to);
        ND_ASSERT(here < w->step_count && w->steps[here].from == turns[i].from &&
                      w->steps[here].to == turns[i].to,
                  here, turns[i].from, turns[i].to); /* a step has its way back */
        const bool end = turns[i].next == END;
        w->twin[here] = turns[i].twin;
        w->next[here] = end ? w->step_first[w->comm->rank] + here : turns[i].next;
        w->left[here] = end ? 0 : 1;
    }
    return ND_OK;
}

/* Pointer jumping: how many steps are left after each. */
static nd_status number_steps(walk *w) {
    nd_status st = ND_OK;
    uint64_t changed = 1;
    int rounds = 0;
    while (nd_comm_sum(w->comm, changed) > 0) {
        ND_ASSERT(rounds <= 64, rounds); /* each halves the way to the end of a walk */
        rounds++;
        ND_TRY(nd_lookup(w->comm, w->step_first, w->left, w->next, w->step_count, w->further));
        for (uint64_t i = 0; i < w->step_count; i++) {
            w->left[i] += w->further[i];
        }
        ND_TRY(nd_lookup(w->comm, w->step_first, w->next, w->next, w->step_count, w->further));
        changed = 0;
        for (uint64_t i = 0; i < w->step_count; i++) {
            changed += w->next[i] != w->further[i];
            w->next[i] = w->further[i];
        }
    }
out:
    return st;
}

/* ---- pages */

/* A tree of n pages is walked in 2 (n - 1) steps. */
static nd_status count_pages(walk *w) {
    for (uint64_t i = 0; i < w->own_count; i++) {
        w->pages_of[i] = 1;
    }
    for (uint64_t i = w->step_count; i-- > 0;) { /* a page's first step comes last */
        w->pages_of[w->steps[i].from - w->own] = (w->left[i] + 1) / 2 + 1;
    }
    return nd_lookup(w->comm, w->first, w->pages_of, w->root, w->own_count, w->tree_pages);
}

/* The way down a link comes before the way up, and between them all that hangs on it. */
static nd_status fill_pages(const walk *w, nd_euler_tour_page *pages) {
    nd_status st = ND_OK;
    uint64_t *const back = w->further; /* [step] steps left after its other direction */
    ND_TRY(nd_lookup(w->comm, w->step_first, w->left, w->twin, w->step_count, back));
    for (uint64_t i = 0; i < w->own_count; i++) {
        pages[i] = (nd_euler_tour_page){w->own + i, 1, w->tree_pages[i], 0};
    }
    for (uint64_t i = 0; i < w->step_count; i++) {
        const step *s = &w->steps[i];
        nd_euler_tour_page *page = &pages[s->from - w->own];
        uint64_t part = 0;
        ND_ASSERT(w->left[i] != back[i] && page->tree_pages > 1, w->left[i], back[i],
                  page->tree_pages);
        if (w->left[i] > back[i]) {
            part = (w->left[i] - back[i] + 1) / 2;
        } else {
            part = page->tree_pages - (back[i] - w->left[i] + 1) / 2;
            page->parent = s->to;
            page->similarity = s->similarity;
        }
        ND_ASSERT(part > 0 && part < page->tree_pages, part, page->tree_pages, s->from);
        page->largest = nd_max(page->largest, part);
    }
out:
    return st;
}

nd_status nd_euler_tour(nd_comm *comm, const uint64_t *first, const nd_spool *links,
                        const uint64_t *root, nd_euler_tour_page *pages) {
    nd_status st = ND_OK;
    nd_spool_reader reader;
    walk w = {.comm = comm,
              .first = first,
              .root = root,
              .own = first[comm->rank],
              .own_count = first[comm->rank + 1] - first[comm->rank]};
    nd_shuffle_stream stream = {.comm = comm,
                                .record_size = sizeof(step),
                                .owner = nd_shuffle_owner_of_item,
                                .owner_context = first,
                                .sink = take_steps,
                                .sink_context = &w};
    nd_spool_reader_open(&reader, links, sizeof(nd_link), 0, links->size / sizeof(nd_link), 0);
    ND_TRY(nd_shuffle_run(&stream, next_steps, &reader));
    nd_record_sort(w.steps, w.step_count, sizeof *w.steps, &by_pages);
    nd_new(&w.step_first, (size_t)comm->size + 1, sizeof *w.step_first);
    nd_new_room(&w.twin, w.step_count, sizeof *w.twin);
    nd_new_room(&w.next, w.step_count, sizeof *w.next);
    nd_new_room(&w.left, w.step_count, sizeof *w.left);
    nd_new_room(&w.further, w.step_count, sizeof *w.further);
    ND_TRY(nd_comm_agree(comm, st));
    nd_comm_ranges(comm, w.step_count, w.step_first);
    check_trees(&w);
    stream.record_size = sizeof(turn);
    stream.sink = take_turns;
    ND_TRY(nd_shuffle_run(&stream, next_turns, &w));
    ND_TRY(number_steps(&w));
    free(w.next); /* the pages' numbers come in its place */
    w.next = NULL;
    nd_new_room(&w.pages_of, w.own_count, sizeof *w.pages_of);
    nd_new_room(&w.tree_pages, w.own_count, sizeof *w.tree_pages);
    ND_TRY(count_pages(&w));
    ND_TRY(fill_pages(&w, pages));
out:
    nd_spool_reader_close(&reader);
    free(w.step_first);
    free(w.steps);
    free(w.twin);
    free(w.next);
    free(w.left);
    free(w.further);
    free(w.pages_of);
    free(w.tree_pages);
    return st;
}
