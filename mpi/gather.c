#include "mpi/gather.h"

#include "mpi/components.h"
#include "mpi/exchange.h"
#include "mpi/fetch.h"
#include "src/base/random.h"
#include "src/base/sort.h"

#include <stdlib.h>

static int root_owner(const void *record, int size, const void *context) {
    (void)context;
    return nd_comm_hash_owner(nd_mix64(((const nd_tree_link *)record)->root), size);
}

static int by_root_then_link(const void *a, const void *b) {
    const nd_tree_link *x = a;
    const nd_tree_link *y = b;
    if (x->root != y->root) {
        return x->root < y->root ? -1 : 1;
    }
    return nd_link_compare(&x->link, &y->link);
}

/* The ends of the links, then an entry of a spread table for each end. */
static nd_status look_up_ends(nd_job *job, const nd_link *tree, uint64_t count,
                              const uint64_t *table, uint64_t **values) {
    nd_status st = ND_OK;
    *values = NULL;
    ND_TRY(nd_comm_agree(&job->comm, nd_new(values, 2 * count, sizeof **values)));
    for (uint64_t i = 0; i < count; i++) {
        (*values)[2 * i] = tree[i].a;
        (*values)[2 * i + 1] = tree[i].b;
    }
    ND_TRY(nd_lookup(&job->comm, job->first, table, *values, 2 * count, *values));
out:
    return st;
}

static nd_status own_lengths(const nd_job *job, uint64_t **lengths) {
    nd_status st = nd_new(lengths, job->pages.count, sizeof **lengths);
    for (size_t i = 0; st == ND_OK && i < job->pages.count; i++) {
        (*lengths)[i] = job->pages.pages[i].token_count;
    }
    return nd_comm_agree(&job->comm, st);
}

/* Every link with its component and its pages' lengths. */
static nd_status label_links(nd_job *job, const nd_link *from, uint64_t count, const uint64_t *root,
                             nd_tree_link **links) {
    nd_status st = ND_OK;
    uint64_t *lengths = NULL;
    uint64_t *roots_of_ends = NULL;
    uint64_t *lengths_of_ends = NULL;
    ND_TRY(own_lengths(job, &lengths));
    ND_TRY(look_up_ends(job, from, count, root, &roots_of_ends));
    ND_TRY(look_up_ends(job, from, count, lengths, &lengths_of_ends));
    ND_TRY(nd_comm_agree(&job->comm, nd_new(links, count, sizeof **links)));
    for (uint64_t i = 0; i < count; i++) {
        (*links)[i] = (nd_tree_link){roots_of_ends[2 * i], from[i], lengths_of_ends[2 * i],
                                     lengths_of_ends[2 * i + 1]};
    }
out:
    free(lengths);
    free(roots_of_ends);
    free(lengths_of_ends);
    return st;
}

nd_status nd_gather_components(nd_job *job, bool all, nd_tree_link **links, uint64_t *count) {
    nd_status st = ND_OK;
    uint64_t *root = NULL;
    nd_link *tree = NULL;
    uint64_t tree_count = 0;
    *links = NULL;
    *count = 0;
    ND_TRY(nd_comm_agree(&job->comm, nd_new(&root, job->pages.count, sizeof *root)));
    ND_TRY(nd_components(&job->comm, job->first, job->links, job->link_count, root, &tree,
                         &tree_count));
    *count = all ? job->link_count : tree_count;
    ND_TRY(label_links(job, all ? job->links : tree, *count, root, links));
    free(job->links);
    job->links = NULL;
    job->link_count = 0;
    ND_TRY(nd_shuffle(&job->comm, links, count, sizeof **links, root_owner, NULL));
    nd_sort(*links, *count, sizeof **links, by_root_then_link);
out:
    free(root);
    free(tree);
    if (st != ND_OK) {
        free(*links);
        *links = NULL;
        *count = 0;
    }
    return st;
}

static int by_page(const void *a, const void *b) {
    const nd_component_page *x = a;
    const nd_component_page *y = b;
    return (x->page > y->page) - (x->page < y->page);
}

uint64_t nd_component_pages(const nd_tree_link *links, uint64_t link_count,
                            nd_component_page *pages) {
    uint64_t kept = 0;
    for (uint64_t i = 0; i < link_count; i++) {
        pages[2 * i] = (nd_component_page){links[i].root, links[i].link.a, links[i].a_tokens};
        pages[2 * i + 1] = (nd_component_page){links[i].root, links[i].link.b, links[i].b_tokens};
    }
    nd_sort(pages, 2 * link_count, sizeof *pages, by_page);
    for (uint64_t i = 0; i < 2 * link_count; i++) {
        if (kept == 0 || pages[kept - 1].page != pages[i].page) {
            pages[kept++] = pages[i];
        }
    }
    return kept;
}

uint64_t nd_component_length(const nd_tree_link *links, uint64_t count) {
    uint64_t length = 0;
    while (length < count && links[length].root == links[0].root) {
        length++;
    }
    return length;
}
