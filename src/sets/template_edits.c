#include "src/sets/template_edits.h"

#include "src/base/buffer.h"
#include "src/base/order.h"
#include "src/sets/union_find.h"

#include <stdlib.h>

/* The sentences that have one minimum. */
typedef struct group {
    size_t begin; /* of its sentences */
    size_t end;
    uint32_t tokens; /* of the longest */
    uint32_t page;   /* number + 1 of the latest page that was asked for it */
    uint32_t count;  /* of its sentences on that page, until it has met others by them */
} group;

enum { NO_GROUP = UINT32_MAX }; /* no other sentence has the minimum */

typedef struct edits {
    nd_template_site *site;
    group *groups;
    nd_key_value *sentences; /* (minimum, rank), group after group */
    uint32_t *group_of;      /* [rank * ND_TEMPLATE_MINIMA + which]; or NO_GROUP */
    uint64_t *tokens;        /* of each page */
    uint64_t *common; /* tokens of the minima that other sentences of a page have in common with the
                         present one */
    uint64_t *latest; /* minimum for which a page was met, counted from 1 */
    uint32_t *met;    /* the pages that have any */
    size_t met_count;
    uint64_t minimum; /* the present one */
} edits;

/* Group the sentences by their minima. */
static nd_status find_groups(edits *e) {
    nd_status st = ND_OK;
    nd_template_site *s = e->site;
    size_t count = 0, groups = 0;
    for (size_t rank = 0; rank < s->sentence_count; rank++) {
        s->sentences[rank].posting_end = s->sentences[rank].first_posting;
        for (uint64_t which = 0; which < ND_TEMPLATE_MINIMA; which++) {
            e->group_of[rank * ND_TEMPLATE_MINIMA + which] = NO_GROUP;
            if (!s->sentences[rank].is_template) {
                e->sentences[count++] =
                    (nd_key_value){which << 32 | s->sentences[rank].minima[which], rank};
            }
        }
    }
    ND_TRY(nd_radix_sort(e->sentences, count));
    for (size_t begin = 0, end = 0; begin < count; begin = end) {
        const uint64_t minimum = e->sentences[begin].key;
        group g = {.begin = begin};
        end = nd_key_end(e->sentences, count, begin, minimum);
        g.end = end;
        for (size_t i = begin; end - begin > 1 && i < end; i++) {
            const uint64_t rank = e->sentences[i].value;
            e->group_of[rank * ND_TEMPLATE_MINIMA + (minimum >> 32)] = (uint32_t)groups;
            g.tokens = (uint32_t)nd_max(g.tokens, s->sentences[rank].tokens);
        }
        e->groups[groups] = g;
        groups += end - begin > 1;
    }
out:
    return st;
}

/* Count the sentences that a page has of each group. */
static void ask_groups(edits *e, size_t number) {
    const nd_template_items *p = &e->site->pages[number];
    for (size_t i = 0; i < p->count * ND_TEMPLATE_MINIMA; i++) {
        const size_t rank = p->items[i / ND_TEMPLATE_MINIMA].rank;
        const uint32_t of = e->group_of[rank * ND_TEMPLATE_MINIMA + i % ND_TEMPLATE_MINIMA];
        if (of != NO_GROUP) {
            group *asked = &e->groups[of];
            asked->count = asked->page == number + 1 ? asked->count + 1 : 1;
            asked->page = (uint32_t)(number + 1);
        }
    }
}

/* A minimum of the present page, of its sentence `rank`: all pages before it that have the minimum
 * by another sentence than one of the present page have it in common. */
static void meet_group(edits *e, group *of_minimum, uint32_t rank) {
    const nd_template_site *s = e->site;
    e->minimum++;
    for (size_t j = of_minimum->begin; j < of_minimum->end; j++) {
        const nd_template_ranked *other = &s->sentences[e->sentences[j].value];
        if (e->sentences[j].value == rank && of_minimum->count == 1) {
            continue;
        }
        for (uint32_t k = other->first_posting; k < other->posting_end; k++) {
            const uint32_t page = s->postings[k].page;
            if (e->latest[page] != e->minimum) {
                e->latest[page] = e->minimum;
                if (e->common[page] == 0) {
                    e->met[e->met_count++] = page;
                }
                e->common[page] += of_minimum->tokens;
            }
        }
    }
    of_minimum->count = 0;
}

/* Add up, for each page before this one, what edits of sentences both have in common. */
static void meet_edits(edits *e, size_t number) {
    nd_template_site *s = e->site;
    const nd_template_items *p = &s->pages[number];
    ask_groups(e, number);
    for (size_t i = 0; i < p->count * ND_TEMPLATE_MINIMA; i++) {
        const uint32_t rank = p->items[i / ND_TEMPLATE_MINIMA].rank;
        const uint32_t of = e->group_of[(size_t)rank * ND_TEMPLATE_MINIMA + i % ND_TEMPLATE_MINIMA];
        if (of != NO_GROUP && e->groups[of].count > 0) {
            meet_group(e, &e->groups[of], rank);
        }
    }
    for (size_t i = 0; i < p->count; i++) {
        nd_template_ranked *own = &s->sentences[p->items[i].rank];
        s->postings[own->posting_end++].page = (uint32_t)number;
    }
}

static uint64_t shared_tokens(const nd_template_site *s, size_t x, size_t y) {
    const nd_template_items *a = &s->pages[x], *b = &s->pages[y];
    uint64_t shared = 0;
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        const uint32_t left = a->items[i].rank, right = b->items[j].rank;
        shared += left == right ? s->sentences[left].tokens : 0;
        i += left <= right;
        j += right <= left;
    }
    return shared;
}

/* Whether so much is in common of the minima of pages which beside what they share have `rest`
 * tokens. `common` may be more than these, as minima weigh as much as their longest sentence.
 * Monotonic in `rest`, by rounding too. */
static bool edits_of(uint64_t common, uint64_t rest, double least) {
    return (double)common >= least * ((double)(ND_TEMPLATE_MINIMA * rest) - (double)common);
}

/* Join the page with those that it met and that are edits of it. */
static void join_met(edits *e, size_t number, double least) {
    nd_template_site *s = e->site;
    for (size_t i = 0; i < e->met_count; i++) {
        const uint32_t other = e->met[i];
        const uint64_t light = nd_min(e->tokens[number], e->tokens[other]);
        const uint64_t heavy = nd_max(e->tokens[number], e->tokens[other]);
        const uint64_t common = e->common[other];
        e->common[other] = 0;
        /* what they share is at most half of the lighter page: most pairs need no look at it */
        if (!edits_of(common, heavy, least) ||
            nd_union_find_root(s->parents, number) == nd_union_find_root(s->parents, other)) {
            continue;
        }
        const uint64_t shared = shared_tokens(s, number, other);
        if (2 * shared <= light && edits_of(common, light + heavy - 2 * shared, least)) {
            (void)nd_union_find_join(s->parents, number, other);
        }
    }
    e->met_count = 0;
}

nd_status nd_template_join_edits(nd_template_site *s, double least) {
    nd_status st = ND_OK;
    edits e = {.site = s};
    const size_t minima = s->sentence_count * ND_TEMPLATE_MINIMA;
    nd_new_room(&e.groups, minima / 2 + 1, sizeof *e.groups);
    nd_new_room(&e.sentences, minima, sizeof *e.sentences);
    nd_new_room(&e.group_of, minima, sizeof *e.group_of);
    nd_new(&e.tokens, s->page_count, sizeof *e.tokens);
    nd_new(&e.common, s->page_count, sizeof *e.common);
    nd_new(&e.latest, s->page_count, sizeof *e.latest);
    nd_new_room(&e.met, s->page_count, sizeof *e.met);
    ND_TRY(find_groups(&e));
    for (size_t i = 0; i < s->page_count; i++) {
        for (size_t k = 0; k < s->pages[i].count; k++) {
            e.tokens[i] += s->sentences[s->pages[i].items[k].rank].tokens;
        }
        meet_edits(&e, i);
        join_met(&e, i, least);
    }
out:
    free(e.groups);
    free(e.sentences);
    free(e.group_of);
    free(e.tokens);
    free(e.common);
    free(e.latest);
    free(e.met);
    return st;
}
