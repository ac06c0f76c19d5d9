#include "mpi/stage/guard.h"

#include "src/base/order.h"
#include "src/base/sort.h"
#include "src/sets/forest.h"
#include "src/sets/leaders.h"
#include "src/sets/tree.h"

#include <stdlib.h>
#include <string.h>

static nd_status reserve(nd_guard *g, uint64_t links) {
    nd_status st = ND_OK;
    const size_t pages = 2 * (size_t)links;
    ND_TRY(nd_grow(&g->component, &g->component_capacity, pages, sizeof *g->component));
    ND_TRY(nd_grow(&g->pages, &g->page_capacity, pages, sizeof *g->pages));
    ND_TRY(nd_grow(&g->verified, &g->verified_capacity, links, sizeof *g->verified));
    ND_TRY(nd_grow(&g->joining, &g->joining_capacity, pages + links, sizeof *g->joining));
    ND_TRY(nd_grow(&g->leaders, &g->leader_capacity, pages, sizeof *g->leaders));
    ND_TRY(nd_grow(&g->similarities, &g->similarity_capacity, pages, sizeof *g->similarities));
    ND_TRY(nd_grow(&g->numbers, &g->number_capacity, pages, sizeof *g->numbers));
    ND_TRY(nd_grow(&g->parents, &g->parent_capacity, pages, sizeof *g->parents));
    ND_TRY(nd_grow(&g->places, &g->place_capacity, pages, sizeof *g->places));
    ND_TRY(nd_grow(&g->set_pages, &g->set_page_capacity, pages, sizeof *g->set_pages));
    ND_TRY(nd_grow(&g->set_links, &g->set_link_capacity, links, sizeof *g->set_links));
out:
    return st;
}

/* ---- the component as the loop takes it */

static int by_pages(const void *a, const void *b) {
    const nd_link *x = a;
    const nd_link *y = b;
    if (x->a != y->a) {
        return x->a < y->a ? -1 : 1;
    }
    return (x->b > y->b) - (x->b < y->b);
}

/* The most linked page is the most central one; of equals the longest, then the first. */
static int by_degree(const void *a, const void *b) {
    const nd_guarded_page *x = a;
    const nd_guarded_page *y = b;
    if (x->degree != y->degree) {
        return x->degree > y->degree ? -1 : 1;
    }
    if (x->tokens != y->tokens) {
        return x->tokens > y->tokens ? -1 : 1;
    }
    return (x->page > y->page) - (x->page < y->page);
}

/* Which page of the component it is. */
static uint64_t number_of(const nd_guard *g, uint64_t page) {
    uint64_t number = 0;
    ND_FIND_FIRST(number, 0, g->count, g->component[number].page >= page);
    return number;
}

/* ---- the loop */

static nd_status compare(void *context, size_t leader, size_t member, double *similarity) {
    nd_guard *g = context;
    const nd_guarded_page *x = &g->pages[leader];
    const nd_guarded_page *y = &g->pages[member];
    const nd_link wanted = {nd_min(x->page, y->page), nd_max(x->page, y->page), 0};
    const nd_link *known =
        bsearch(&wanted, g->verified, g->verified_count, sizeof wanted, by_pages);
    if (known != NULL) {
        *similarity = known->similarity;
        return ND_OK;
    }
    const nd_job_options *o = g->options;
    const double threshold =
        nd_method_threshold(&o->method_options,
                            nd_compare_batch_same_site(g->batch, x->page, y->page)) -
        o->guard;
    *similarity = 0;
    if (nd_method_length_bound(o->method, &o->method_options, x->tokens, y->tokens) < threshold) {
        return ND_OK;
    }
    return nd_compare_batch_pair(g->batch, x->page, y->page, ND_PAIR_MEMBER, threshold, similarity);
}

/* ---- from leaders to sets */

/* The leader is the first of the set's pages. */
static nd_status add_set(nd_guard *g, const nd_key_value *pages, uint64_t page_count,
                         const nd_key_value *links, uint64_t link_count) {
    nd_status st = ND_OK;
    size_t joining = 0;
    size_t kept = 0;
    const uint64_t leader = g->pages[pages[0].value].page;
    /* the set's verified links, and each member's similarity to the leader: together they hold it
     * together, whatever verified links the loop cut */
    for (uint64_t i = 0; i < link_count; i++) {
        g->joining[joining++] = g->verified[links[i].value];
    }
    for (uint64_t i = 0; i < page_count; i++) {
        const uint64_t page = g->pages[pages[i].value].page;
        g->numbers[i] = page;
        if (i > 0) {
            g->joining[joining++] = (nd_link){nd_min(leader, page), nd_max(leader, page),
                                              g->similarities[pages[i].value]};
        }
    }
    const uint64_t count = nd_numbers_distinct(g->numbers, page_count);
    ND_TRY(nd_forest(g->numbers, count, g->joining, joining, &kept));
    ND_TRY(nd_tree_orient(g->numbers, count, g->joining, leader, g->parents));
    for (uint64_t i = 0; i < page_count; i++) {
        const uint64_t page = g->pages[pages[i].value].page;
        const nd_parent *parent = &g->parents[nd_numbers_place(g->numbers, count, page)];
        const nd_membership membership = {page,
                                          {g->numbers[0], leader, parent->page,
                                           (float)parent->similarity,
                                           (float)g->similarities[pages[i].value]}};
        ND_TRY(nd_spool_append(g->memberships, &membership, sizeof membership));
    }
out:
    return st;
}

static nd_status run_component(nd_guard *g, const nd_tree_link *links, uint64_t count) {
    nd_status st = ND_OK;
    uint64_t link = 0;
    ND_TRY(reserve(g, count));

    /* the component as the loop takes it */
    g->count = nd_component_pages(links, count, g->component);
    for (uint64_t i = 0; i < g->count; i++) {
        g->pages[i] = (nd_guarded_page){g->component[i].page, g->component[i].tokens, 0, i};
    }
    g->verified_count = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (links[i].link.a != links[i].link.b) { /* else what it hung on is in another piece */
            g->verified[g->verified_count++] = links[i].link;
            g->pages[number_of(g, links[i].link.a)].degree++;
            g->pages[number_of(g, links[i].link.b)].degree++;
        }
    }
    nd_sort(g->verified, g->verified_count, sizeof *g->verified, by_pages);
    nd_sort(g->pages, g->count, sizeof *g->pages, by_degree);
    for (uint64_t i = 0; i < g->count; i++) {
        g->places[g->pages[i].number] = i;
    }
    ND_TRY(nd_leaders(g->count, compare, g, g->leaders, g->similarities));

    /* pages, and the verified links inside a set, set after set */
    g->set_link_count = 0;
    for (size_t i = 0; i < g->count; i++) {
        g->set_pages[i] = (nd_key_value){g->leaders[i], i};
    }
    for (uint64_t i = 0; i < g->verified_count; i++) {
        const size_t leader = g->leaders[g->places[number_of(g, g->verified[i].a)]];
        if (g->leaders[g->places[number_of(g, g->verified[i].b)]] == leader) {
            g->set_links[g->set_link_count++] = (nd_key_value){leader, i};
        }
    }
    ND_TRY(nd_radix_sort(g->set_pages, g->count));
    ND_TRY(nd_radix_sort(g->set_links, g->set_link_count));
    for (uint64_t i = 0, end = 0; i < g->count; i = end) {
        const uint64_t leader = g->set_pages[i].key;
        const uint64_t link_end = nd_key_end(g->set_links, g->set_link_count, link, leader);
        end = nd_key_end(g->set_pages, g->count, i, leader);
        ND_TRY(add_set(g, g->set_pages + i, end - i, g->set_links + link, link_end - link));
        link = link_end;
    }
out:
    return st;
}

/* ---- batches of components */

/* A page is counted once per link, so a batch is never larger than it seems. */
uint64_t nd_guard_bytes(const nd_job_options *options, const nd_tree_link *links, uint64_t count) {
    uint64_t bytes = count * sizeof *links;
    for (uint64_t i = 0; i < count; i++) {
        bytes += nd_compare_batch_bytes(options, links[i].a_tokens) +
                 nd_compare_batch_bytes(options, links[i].b_tokens);
    }
    return bytes;
}

/* ---- components above the cap */

nd_status nd_guard_cut(nd_tree_link *links, uint64_t count, uint64_t cap) {
    nd_status st = ND_OK;
    nd_component_page *pages = NULL;
    uint64_t *numbers = NULL;
    nd_link *tree = NULL;
    nd_parent *parents = NULL;
    size_t *order = NULL;
    size_t *piece = NULL;
    ND_TRY(nd_new_room(&pages, 2 * count, sizeof *pages));
    const uint64_t page_count = nd_component_pages(links, count, pages);
    const uint64_t pieces = (page_count + cap - 1) / cap;
    ND_TRY(nd_new_room(&numbers, page_count, sizeof *numbers));
    ND_TRY(nd_new_room(&tree, count, sizeof *tree));
    ND_TRY(nd_new_room(&parents, page_count, sizeof *parents));
    ND_TRY(nd_new_room(&order, page_count, sizeof *order));
    ND_TRY(nd_new_room(&piece, page_count, sizeof *piece));
    for (uint64_t i = 0; i < page_count; i++) {
        numbers[i] = pages[i].page;
    }
    for (uint64_t i = 0; i < count; i++) {
        tree[i] = links[i].link;
    }
    ND_TRY(nd_tree_orient(numbers, page_count, tree, numbers[0], parents));
    ND_TRY(nd_tree_walk(numbers, page_count, parents, order));
    for (uint64_t i = 0; i < page_count; i++) {
        piece[order[i]] = (size_t)(i * pieces / page_count);
    }
    /* one link per page, in the order of the walk: to its parent, or to itself where that is in
     * another piece */
    for (uint64_t i = 0, root = 0; i < page_count; i++) {
        const size_t here = order[i];
        const size_t parent = nd_numbers_place(numbers, page_count, parents[here].page);
        const bool linked = parent != here && piece[parent] == piece[here];
        const size_t a = linked ? nd_min(parent, here) : here;
        const size_t b = linked ? nd_max(parent, here) : here;
        root = i == 0 || piece[here] != piece[order[i - 1]] ? numbers[here] : root;
        links[i] =
            (nd_tree_link){.root = root,
                           .link = {numbers[a], numbers[b], linked ? parents[here].similarity : 0},
                           .a_tokens = pages[a].tokens,
                           .b_tokens = pages[b].tokens};
    }
out:
    free(pages);
    free(numbers);
    free(tree);
    free(parents);
    free(order);
    free(piece);
    return st;
}

void nd_guard_open(nd_guard *guard, const nd_job_options *options, nd_compare_batch *batch,
                   nd_spool *memberships) {
    *guard = (nd_guard){.options = options, .batch = batch, .memberships = memberships};
}

nd_status nd_guard_pages(const nd_tree_link *links, uint64_t count, uint64_t **pages,
                         uint64_t *page_count) {
    const nd_status st = nd_new_room(pages, 2 * count, sizeof **pages);
    *page_count = 0;
    for (uint64_t i = 0, length = 0; st == ND_OK && i < count; i += length) {
        length = nd_component_length(links + i, count - i);
        for (uint64_t k = i; k < i + length && length > 1; k++) {
            (*pages)[(*page_count)++] = links[k].link.a;
            (*pages)[(*page_count)++] = links[k].link.b;
        }
    }
    return st;
}

nd_status nd_guard_components(nd_guard *guard, const nd_tree_link *links, uint64_t count) {
    nd_status st = ND_OK;
    for (uint64_t i = 0, length = 0; i < count; i += length) {
        length = nd_component_length(links + i, count - i);
        ND_TRY(run_component(guard, links + i, length));
    }
out:
    return st;
}

void nd_guard_close(nd_guard *guard) {
    free(guard->pages);
    free(guard->verified);
    free(guard->joining);
    free(guard->leaders);
    free(guard->similarities);
    free(guard->numbers);
    free(guard->parents);
    free(guard->component);
    free(guard->places);
    free(guard->set_pages);
    free(guard->set_links);
}
