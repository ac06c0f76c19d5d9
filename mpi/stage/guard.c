#include "mpi/stage/guard.h"

#include "src/base/order.h"
#include "src/base/sort.h"
#include "src/sets/forest.h"
#include "src/sets/middles.h"
#include "src/sets/tree.h"

#include <stdlib.h>
#include <string.h>

static nd_status reserve(nd_guard *g, uint64_t links) {
    nd_status st = ND_OK;
    const size_t pages = (size_t)links + 1;
    ND_TRY(nd_grow(&g->component, &g->component_capacity, 2 * links, sizeof *g->component));
    ND_TRY(nd_grow(&g->pages, &g->page_capacity, pages, sizeof *g->pages));
    ND_TRY(nd_grow(&g->tokens, &g->token_capacity, pages, sizeof *g->tokens));
    ND_TRY(nd_grow(&g->tree, &g->tree_capacity, links, sizeof *g->tree));
    ND_TRY(nd_grow(&g->verified, &g->verified_capacity, links, sizeof *g->verified));
    ND_TRY(nd_grow(&g->set_tree, &g->set_tree_capacity, pages, sizeof *g->set_tree));
    ND_TRY(nd_grow(&g->leaders, &g->leader_capacity, pages, sizeof *g->leaders));
    ND_TRY(nd_grow(&g->similarities, &g->similarity_capacity, pages, sizeof *g->similarities));
    ND_TRY(nd_grow(&g->set_pages, &g->set_page_capacity, pages, sizeof *g->set_pages));
    ND_TRY(nd_grow(&g->set_links, &g->set_link_capacity, links, sizeof *g->set_links));
    ND_TRY(nd_grow(&g->set_numbers, &g->set_number_capacity, pages, sizeof *g->set_numbers));
    ND_TRY(nd_grow(&g->parents, &g->parent_capacity, pages, sizeof *g->parents));
out:
    return st;
}

static int by_pages(const void *a, const void *b) {
    const nd_link *x = a;
    const nd_link *y = b;
    if (x->a != y->a) {
        return x->a < y->a ? -1 : 1;
    }
    return (x->b > y->b) - (x->b < y->b);
}

static size_t place_of(const nd_guard *g, uint64_t page) {
    return (size_t)nd_numbers_place(g->pages, g->count, page);
}

/* ---- comparing */

nd_status nd_guard_compare(const nd_job_options *options, nd_compare_batch *batch, uint64_t x,
                           uint64_t x_tokens, uint64_t y, uint64_t y_tokens, double *similarity) {
    const nd_method_options *method = &options->method_options;
    const double threshold =
        nd_method_leader_threshold(method, nd_compare_batch_relation(batch, x, y)) - options->guard;
    *similarity = 0;
    if (nd_method_length_bound(options->method, method, x_tokens, y_tokens) < threshold) {
        return ND_OK;
    }
    return nd_compare_batch_member(batch, nd_min(x, y), nd_max(x, y), threshold, similarity);
}

/* What is known of a verified pair is not computed again. */
static nd_status compare(void *context, size_t leader, size_t member, double *similarity) {
    nd_guard *g = context;
    const uint64_t x = g->pages[leader];
    const uint64_t y = g->pages[member];
    const nd_link wanted = {nd_min(x, y), nd_max(x, y), 0};
    const nd_link *known =
        bsearch(&wanted, g->verified, g->verified_count, sizeof wanted, by_pages);
    if (known != NULL) {
        *similarity = known->similarity;
        return ND_OK;
    }
    return nd_guard_compare(g->options, g->batch, x, g->tokens[leader], y, g->tokens[member],
                            similarity);
}

/* ---- from leaders to sets */

/* Pages by their places, and the links of the tree that join them. */
static nd_status add_set(nd_guard *g, const nd_key_value *pages, uint64_t page_count,
                         const nd_key_value *links, uint64_t link_count) {
    nd_status st = ND_OK;
    const uint64_t leader = g->pages[pages[0].key];
    for (uint64_t i = 0; i < link_count; i++) {
        g->set_tree[i] = g->tree[links[i].value];
    }
    for (uint64_t i = 0; i < page_count; i++) { /* places ascend, and so do pages */
        g->set_numbers[i] = g->pages[pages[i].value];
    }
    ND_TRY(nd_tree_orient(g->set_numbers, page_count, g->set_tree, leader, g->parents));
    for (uint64_t i = 0; i < page_count; i++) {
        const nd_parent *parent = &g->parents[i];
        const nd_membership membership = {g->set_numbers[i],
                                          {g->set_numbers[0], leader, parent->page,
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
    size_t kept = 0;
    ND_TRY(reserve(g, count));
    g->count = nd_component_pages(links, count, g->component);
    for (uint64_t i = 0; i < g->count; i++) {
        g->pages[i] = g->component[i].page;
        g->tokens[i] = g->component[i].tokens;
    }
    g->verified_count = count;
    for (uint64_t i = 0; i < count; i++) {
        g->verified[i] = links[i].link;
        g->tree[i] = links[i].link;
    }
    nd_sort(g->verified, count, sizeof *g->verified, by_pages);
    ND_TRY(nd_forest(g->pages, g->count, g->tree, count, &kept));
    ND_TRY(nd_middles(g->pages, g->tokens, g->count, g->tree, compare, g, g->leaders,
                      g->similarities));

    /* pages, and the tree's links inside a set, set after set */
    g->set_link_count = 0;
    for (size_t i = 0; i < g->count; i++) {
        g->set_pages[i] = (nd_key_value){g->leaders[i], i};
    }
    for (size_t i = 0; i < kept; i++) {
        const size_t leader = g->leaders[place_of(g, g->tree[i].a)];
        if (g->leaders[place_of(g, g->tree[i].b)] == leader) {
            g->set_links[g->set_link_count++] = (nd_key_value){leader, i};
        }
    }
    for (uint64_t i = 0; i < count; i++) {
        const nd_link *pair = &g->verified[i];
        if (pair->similarity >= ND_GUARD_ALIKE) {
            g->alike_apart += g->leaders[place_of(g, pair->a)] != g->leaders[place_of(g, pair->b)];
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
    free(guard->component);
    free(guard->pages);
    free(guard->tokens);
    free(guard->tree);
    free(guard->verified);
    free(guard->set_tree);
    free(guard->leaders);
    free(guard->similarities);
    free(guard->set_pages);
    free(guard->set_links);
    free(guard->set_numbers);
    free(guard->parents);
}
