#include "mpi/stage/guard.h"

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
    uint64_t low = 0;
    uint64_t high = g->count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (g->component[middle].page < page) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void lay_out(nd_guard *g, const nd_tree_link *links, uint64_t count) {
    g->count = nd_component_pages(links, count, g->component);
    for (uint64_t i = 0; i < g->count; i++) {
        g->pages[i] = (nd_guarded_page){g->component[i].page, g->component[i].tokens, 0, i};
    }
    g->verified_count = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (links[i].link.a == links[i].link.b) {
            continue; /* what it hung on is in another piece */
        }
        g->verified[g->verified_count++] = links[i].link;
        g->pages[number_of(g, links[i].link.a)].degree++;
        g->pages[number_of(g, links[i].link.b)].degree++;
    }
    nd_sort(g->verified, g->verified_count, sizeof *g->verified, by_pages);
    nd_sort(g->pages, g->count, sizeof *g->pages, by_degree);
    for (uint64_t i = 0; i < g->count; i++) {
        g->places[g->pages[i].number] = i;
    }
}

/* ---- the loop */

static nd_status compare(void *context, size_t leader, size_t member, double *similarity) {
    nd_guard *g = context;
    const nd_guarded_page *x = &g->pages[leader];
    const nd_guarded_page *y = &g->pages[member];
    const nd_link wanted = {x->page < y->page ? x->page : y->page,
                            x->page < y->page ? y->page : x->page, 0};
    const nd_link *known =
        bsearch(&wanted, g->verified, g->verified_count, sizeof wanted, by_pages);
    if (known != NULL) {
        *similarity = known->similarity;
        return ND_OK;
    }
    const nd_job_options *o = &g->job->options;
    const double threshold =
        nd_method_threshold(&o->method_options, x->tokens, y->tokens,
                            nd_compare_batch_same_site(&g->batch, x->page, y->page)) -
        o->guard;
    *similarity = 0;
    if (nd_method_length_bound(o->method, &o->method_options, x->tokens, y->tokens) < threshold) {
        return ND_OK;
    }
    return nd_compare_batch_pair(&g->batch, x->page, y->page, threshold, similarity);
}

/* ---- from leaders to sets */

/* Pages, and the verified links inside a set, set after set. */
static nd_status sort_by_set(nd_guard *g) {
    nd_status st = ND_OK;
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
out:
    return st;
}

/* Of a set's verified links, and each member's similarity to the leader: together they hold it
 * together, whatever verified links the loop cut. \return how many */
static size_t joining_links(nd_guard *g, const nd_key_value *pages, uint64_t page_count,
                            const nd_key_value *links, uint64_t link_count) {
    size_t joining = 0;
    for (uint64_t i = 0; i < link_count; i++) {
        g->joining[joining++] = g->verified[links[i].value];
    }
    const uint64_t x = g->pages[pages[0].value].page;
    for (uint64_t i = 1; i < page_count; i++) { /* behind the leader */
        const uint64_t y = g->pages[pages[i].value].page;
        g->joining[joining++] =
            (nd_link){x < y ? x : y, x < y ? y : x, g->similarities[pages[i].value]};
    }
    return joining;
}

/* The leader is the first of the set's pages. */
static nd_status add_set(nd_guard *g, const nd_key_value *pages, uint64_t page_count,
                         const nd_key_value *links, uint64_t link_count) {
    nd_status st = ND_OK;
    size_t kept = 0;
    const uint64_t representative = g->pages[pages[0].value].page;
    for (uint64_t i = 0; i < page_count; i++) {
        g->numbers[i] = g->pages[pages[i].value].page;
    }
    const uint64_t count = nd_numbers_distinct(g->numbers, page_count);
    const size_t joining = joining_links(g, pages, page_count, links, link_count);
    ND_TRY(nd_forest(g->numbers, count, g->joining, joining, &kept));
    ND_TRY(nd_tree_orient(g->numbers, count, g->joining, representative, g->parents));
    for (uint64_t i = 0; i < page_count; i++) {
        const uint64_t page = g->pages[pages[i].value].page;
        const nd_parent *parent = &g->parents[nd_numbers_place(g->numbers, count, page)];
        const nd_membership membership = {page,
                                          {g->numbers[0], representative, parent->page,
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
    lay_out(g, links, count);
    ND_TRY(nd_leaders(g->count, compare, g, g->leaders, g->similarities));
    ND_TRY(sort_by_set(g));
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
uint64_t nd_guard_bytes(const nd_job *job, const nd_tree_link *links, uint64_t count) {
    uint64_t bytes = count * sizeof *links;
    for (uint64_t i = 0; i < count; i++) {
        bytes += nd_compare_batch_bytes(job, links[i].a_tokens) +
                 nd_compare_batch_bytes(job, links[i].b_tokens);
    }
    return bytes;
}

/* Only components of three pages or more can hold a chain: the others need no payload. */
static nd_status list_pages(const nd_tree_link *links, uint64_t count, uint64_t **pages,
                            uint64_t *page_count) {
    nd_status st = nd_new_room(pages, 2 * count, sizeof **pages);
    uint64_t length = 0;
    for (uint64_t i = 0; st == ND_OK && i < count; i += length) {
        length = nd_component_length(links + i, count - i);
        for (uint64_t k = i; k < i + length && length > 1; k++) {
            (*pages)[(*page_count)++] = links[k].link.a;
            (*pages)[(*page_count)++] = links[k].link.b;
        }
    }
    return st;
}

static nd_status run_components(nd_guard *g, const nd_tree_link *links, uint64_t count) {
    nd_status st = ND_OK;
    uint64_t length = 0;
    for (uint64_t i = 0; i < count; i += length) {
        length = nd_component_length(links + i, count - i);
        ND_TRY(run_component(g, links + i, length));
    }
out:
    return st;
}

/* ---- components above the cap */

/* One link per page, in the order of the walk: to its parent, or to itself where that is in another
 * piece. */
static void link_pieces(const nd_component_page *pages, uint64_t count, const uint64_t *numbers,
                        const nd_parent *parents, const size_t *order, const size_t *piece,
                        nd_tree_link *links) {
    uint64_t root = 0;
    for (uint64_t i = 0; i < count; i++) {
        const size_t here = order[i];
        const size_t parent = nd_numbers_place(numbers, count, parents[here].page);
        if (i == 0 || piece[here] != piece[order[i - 1]]) {
            root = numbers[here];
        }
        links[i] = (nd_tree_link){.root = root,
                                  .link = {numbers[here], numbers[here], 0},
                                  .a_tokens = pages[here].tokens,
                                  .b_tokens = pages[here].tokens};
        if (parent != here && piece[parent] == piece[here]) {
            const size_t a = parent < here ? parent : here;
            const size_t b = parent < here ? here : parent;
            links[i].link = (nd_link){numbers[a], numbers[b], parents[here].similarity};
            links[i].a_tokens = pages[a].tokens;
            links[i].b_tokens = pages[b].tokens;
        }
    }
}

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
    link_pieces(pages, page_count, numbers, parents, order, piece, links);
out:
    free(pages);
    free(numbers);
    free(tree);
    free(parents);
    free(order);
    free(piece);
    return st;
}

void nd_guard_open(nd_guard *guard, nd_job *job, nd_spool *memberships) {
    *guard = (nd_guard){.job = job, .memberships = memberships};
}

nd_status nd_guard_components(nd_guard *guard, const nd_tree_link *links, uint64_t count) {
    nd_status st = ND_OK;
    const nd_comm *comm = &guard->job->comm;
    uint64_t *pages = NULL;
    uint64_t page_count = 0;
    ND_TRY(nd_comm_agree(comm, list_pages(links, count, &pages, &page_count)));
    ND_TRY(nd_compare_batch_fetch(&guard->batch, guard->job, pages, page_count));
    ND_TRY(nd_comm_agree(comm, run_components(guard, links, count)));
out:
    free(pages);
    return st;
}

void nd_guard_close(nd_guard *guard) {
    nd_compare_batch_free(&guard->batch);
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
