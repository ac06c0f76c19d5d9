#include "mpi/comm/tour.h"

#include "mpi/comm/fetch.h"
#include "mpi/comm/shuffle_stream.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <stdlib.h>
#include <string.h>

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
static nd_status fill_pages(const walk *w, nd_tour_page *pages) {
    nd_status st = ND_OK;
    uint64_t *const back = w->further; /* [step] steps left after its other direction */
    ND_TRY(nd_lookup(w->comm, w->step_first, w->left, w->twin, w->step_count, back));
    for (uint64_t i = 0; i < w->own_count; i++) {
        pages[i] = (nd_tour_page){w->own + i, 1, w->tree_pages[i], 0};
    }
    for (uint64_t i = 0; i < w->step_count; i++) {
        const step *s = &w->steps[i];
        nd_tour_page *page = &pages[s->from - w->own];
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

nd_status nd_tour(nd_comm *comm, const uint64_t *first, const nd_spool *links, const uint64_t *root,
                  nd_tour_page *pages) {
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
    st = nd_record_sort(w.steps, w.step_count, sizeof *w.steps, &by_pages);
    nd_new(&w.step_first, (size_t)comm->size + 1, sizeof *w.step_first);
    nd_new_room(&w.twin, w.step_count, sizeof *w.twin);
    nd_new_room(&w.next, w.step_count, sizeof *w.next);
    nd_new_room(&w.left, w.step_count, sizeof *w.left);
    nd_new_room(&w.further, w.step_count, sizeof *w.further);
    nd_new_room(&w.pages_of, w.own_count, sizeof *w.pages_of);
    nd_new_room(&w.tree_pages, w.own_count, sizeof *w.tree_pages);
    ND_TRY(nd_comm_agree(comm, st));
    nd_comm_ranges(comm, w.step_count, w.step_first);
    check_trees(&w);
    stream.record_size = sizeof(turn);
    stream.sink = take_turns;
    ND_TRY(nd_shuffle_run(&stream, next_turns, &w));
    ND_TRY(number_steps(&w));
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
