#include "mpi/guard.h"

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

static nd_guarded_page *find_page(nd_guard *g, uint64_t page) {
    uint64_t low = 0;
    uint64_t high = g->count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (g->pages[middle].page < page) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return &g->pages[low];
}

static void lay_out(nd_guard *g, const nd_tree_link *links, uint64_t count) {
    g->count = nd_component_pages(links, count, g->component);
    for (uint64_t i = 0; i < g->count; i++) {
        g->pages[i] = (nd_guarded_page){g->component[i].page, g->component[i].tokens, 0};
    }
    for (uint64_t i = 0; i < count; i++) {
        g->verified[i] = links[i].link;
        find_page(g, links[i].link.a)->degree++;
        find_page(g, links[i].link.b)->degree++;
    }
    g->verified_count = count;
    nd_sort(g->verified, count, sizeof *g->verified, by_pages);
    nd_sort(g->pages, g->count, sizeof *g->pages, by_degree);
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
    if (o->method->length_bound(&o->method_options, x->tokens, y->tokens) < threshold) {
        return ND_OK;
    }
    return nd_compare_batch_pair(&g->batch, x->page, y->page, threshold, similarity);
}

/* ---- from leaders to sets */

static uint64_t set_pages(nd_guard *g, size_t leader) {
    uint64_t count = 0;
    for (size_t i = leader; i < g->count; i++) {
        if (g->leaders[i] == leader) {
            g->numbers[count++] = g->pages[i].page;
        }
    }
    return nd_numbers_distinct(g->numbers, count);
}

/* Verified links inside the set, and each member's similarity to the leader: together they hold it
 * together, whatever verified links the loop cut. */
static size_t joining_links(nd_guard *g, size_t leader, uint64_t count) {
    size_t links = 0;
    for (uint64_t i = 0; i < g->verified_count; i++) {
        if (nd_numbers_hold(g->numbers, count, g->verified[i].a) &&
            nd_numbers_hold(g->numbers, count, g->verified[i].b)) {
            g->joining[links++] = g->verified[i];
        }
    }
    for (size_t i = leader + 1; i < g->count; i++) {
        if (g->leaders[i] == leader) {
            const uint64_t x = g->pages[leader].page;
            const uint64_t y = g->pages[i].page;
            g->joining[links++] = (nd_link){x < y ? x : y, x < y ? y : x, g->similarities[i]};
        }
    }
    return links;
}

static nd_status add_set(nd_guard *g, size_t leader) {
    nd_status st = ND_OK;
    size_t kept = 0;
    const uint64_t representative = g->pages[leader].page;
    const uint64_t count = set_pages(g, leader);
    const size_t links = joining_links(g, leader, count);
    ND_TRY(nd_forest(g->numbers, count, g->joining, links, &kept));
    ND_TRY(nd_tree_orient(g->numbers, count, g->joining, representative, g->parents));
    for (size_t i = leader; i < g->count; i++) {
        if (g->leaders[i] == leader) {
            const nd_parent *parent =
                &g->parents[nd_numbers_place(g->numbers, count, g->pages[i].page)];
            const nd_membership membership = {g->pages[i].page,
                                              {g->numbers[0], representative, parent->page,
                                               (float)parent->similarity,
                                               (float)g->similarities[i]}};
            ND_TRY(nd_spool_append(g->memberships, &membership, sizeof membership));
        }
    }
out:
    return st;
}

static nd_status run_component(nd_guard *g, const nd_tree_link *links, uint64_t count) {
    nd_status st = ND_OK;
    ND_TRY(reserve(g, count));
    lay_out(g, links, count);
    ND_TRY(nd_leaders(g->count, compare, g, g->leaders, g->similarities));
    for (size_t i = 0; i < g->count; i++) {
        if (g->leaders[i] == i) {
            ND_TRY(add_set(g, i));
        }
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
}
