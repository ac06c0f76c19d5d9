/* Stage 6: sets are the connected components of the verified pairs, guarded against chains: by one
 * rank where a component fits in a batch (guard.h), else by all of them (guard_rounds.h). Without
 * the guard a component is a set: gathered as its maximum spanning tree on one rank, which names
 * the representative (the longest page, then the first) and turns the tree's links toward it. Sets
 * of an index are taken as they are, and new pages join these first (attach.h). */
#include "mpi/stage/stage.h"

#include "mpi/stage/attach.h"
#include "mpi/stage/gather.h"
#include "mpi/stage/guard.h"
#include "mpi/stage/guard_rounds.h"
#include "mpi/stage/score_pairs.h"
#include "mpi/stage/set_members.h"
#include "src/base/contract.h"
#include "src/base/random.h"
#include "src/sets/forest.h"
#include "src/sets/tree.h"

#include <stdlib.h>
#include <string.h>

/* What one rank builds up over its components; the arrays are scratch, of one component. */
typedef struct joiner {
    nd_job *job;
    nd_components_reader components;
    nd_compare_batch batch;
    nd_guard guard;
    uint64_t *listed; /* pages of a batch */
    nd_spool memberships;
    nd_spool pairs; /* (representative, member) pairs whose similarity is not known yet */
    nd_component_page *pages;
    uint64_t *numbers;
    nd_parent *parents;
    nd_link *links;
    size_t page_capacity, number_capacity, parent_capacity, link_capacity;
} joiner;

static nd_status join_component(joiner *j, const nd_tree_link *links, uint64_t link_count) {
    nd_status st = ND_OK;
    size_t tree_links = 0;
    const size_t most = (size_t)link_count + 1; /* pages of a tree */
    ND_TRY(nd_grow(&j->pages, &j->page_capacity, 2 * link_count, sizeof *j->pages));
    ND_TRY(nd_grow(&j->numbers, &j->number_capacity, most, sizeof *j->numbers));
    ND_TRY(nd_grow(&j->parents, &j->parent_capacity, most, sizeof *j->parents));
    ND_TRY(nd_grow(&j->links, &j->link_capacity, link_count, sizeof *j->links));
    const uint64_t count = nd_component_pages(links, link_count, j->pages);
    const nd_component_page *first = &j->pages[0]; /* the representative */
    for (uint64_t i = 0; i < count; i++) {
        j->numbers[i] = j->pages[i].page;
        if (j->pages[i].tokens > first->tokens) { /* pages ascend: the first of equals stays */
            first = &j->pages[i];
        }
    }
    for (uint64_t i = 0; i < link_count; i++) {
        j->links[i] = links[i].link;
    }
    ND_TRY(nd_forest(j->numbers, count, j->links, link_count, &tree_links));
    ND_ASSERT(tree_links + 1 == count, tree_links, count); /* a component hangs together */
    ND_TRY(nd_tree_orient(j->numbers, count, j->links, first->page, j->parents));
    for (uint64_t i = 0; i < count; i++) {
        const nd_component_page *page = &j->pages[i];
        const nd_parent *parent = &j->parents[i];
        const float similarity = (float)parent->similarity;
        const bool direct = parent->page == first->page;
        const nd_membership membership = {
            page->page,
            {j->numbers[0], first->page, parent->page, similarity, direct ? similarity : 0}};
        ND_TRY(nd_spool_append(&j->memberships, &membership, sizeof membership));
        if (!direct) { /* it still has to be compared with the representative */
            const nd_pair pair = {.item = first->page,
                                  .a = first->page,
                                  .b = page->page,
                                  .cost = page->tokens + first->tokens,
                                  .a_tokens = (uint32_t)first->tokens,
                                  .b_tokens = (uint32_t)page->tokens};
            ND_TRY(nd_spool_append(&j->pairs, &pair, sizeof pair));
        }
    }
out:
    return st;
}

/* Read components until they fill a batch for the guard; without it they are joined as they are,
 * one at a time. \param[out] batch  links in front that are the batch */
static nd_status fill_batch(joiner *j, uint64_t *batch) {
    nd_status st = ND_OK;
    const nd_job_options *o = &j->job->options;
    const uint64_t most = nd_job_compared_bytes(j->job);
    nd_components_reader *c = &j->components;
    uint64_t bytes = c->count == 0 ? 0 : nd_guard_bytes(o, c->links, c->count);
    uint64_t length = 0;
    while (bytes <= most) {
        const uint64_t begin = c->count; /* before it: what the batch before had no room for */
        ND_TRY(nd_components_next(c, &length));
        if (length == 0) {
            break;
        }
        if (o->guard == 0) {
            ND_TRY(join_component(j, c->links + begin, length));
            nd_components_drop(c, begin, c->count);
            continue;
        }
        bytes += nd_guard_bytes(o, c->links + begin, c->count - begin);
    }
    /* whole components in front that a batch has room for; at least one */
    *batch = 0;
    for (bytes = 0; *batch < c->count; *batch += length) {
        length = nd_component_length(c->links + *batch, c->count - *batch);
        bytes += nd_guard_bytes(o, c->links + *batch, length);
        if (*batch > 0 && bytes > most) {
            break;
        }
    }
out:
    return st;
}

/* Everything but what was found out. */
static void close_components(joiner *j) {
    nd_components_close(&j->components);
    nd_compare_batch_free(&j->batch);
    nd_guard_close(&j->guard);
    free(j->listed);
    free(j->pages);
    free(j->numbers);
    free(j->parents);
    free(j->links);
    j->guard = (nd_guard){0};
    j->listed = NULL;
    j->pages = NULL;
    j->numbers = NULL;
    j->parents = NULL;
    j->links = NULL;
}

static nd_status run(nd_job *job) {
    nd_status st = ND_OK;
    joiner j = {.job = job, .batch = {.job = job}};
    nd_spool similarities;
    uint64_t similarity_count = 0;
    const nd_comm *comm = &job->comm;
    nd_large_components large = {0};
    const bool guarded = job->options.guard > 0;
    nd_spool_open(&j.memberships, &job->folder, job->options.memory.spool);
    nd_spool_open(&j.pairs, &job->folder, job->options.memory.spool);
    nd_spool_open(&similarities, &job->folder, job->options.memory.spool);
    nd_guard_open(&j.guard, &job->options, &j.batch, &j.memberships);
    nd_stage_begin(job, &nd_stage_join);
    if (job->old.pages > 0 && !job->options.rejoin) {
        ND_TRY(nd_attach(job, &j.batch, &j.memberships));
    }
    ND_TRY(nd_gather_components(job, &j.components, guarded ? &large : NULL));
    while (true) {
        uint64_t links = 0;
        uint64_t pages = 0;
        ND_TRY(nd_comm_agree(comm, fill_batch(&j, &links)));
        if (nd_comm_max(comm, links) == 0) {
            break;
        }
        ND_TRY(nd_comm_agree(comm, nd_guard_pages(j.components.links, links, &j.listed, &pages)));
        ND_TRY(nd_compare_batch_fetch(&j.batch, j.listed, pages));
        free(j.listed);
        j.listed = NULL;
        ND_TRY(nd_comm_agree(comm, nd_guard_components(&j.guard, j.components.links, links)));
        nd_components_drop(&j.components, 0, links);
        nd_progress_update(&job->progress, comm, j.components.sorted.next,
                           nd_external_sort_count(&j.components.sorted),
                           j.memberships.size / sizeof(nd_membership));
    }
    if (large.count > 0) {
        ND_TRY(nd_guard_rounds(job, &large, &j.batch, &j.memberships, &j.guard.alike_apart));
    }
    job->totals.alike_apart = nd_comm_sum(comm, j.guard.alike_apart);
    close_components(&j);
    ND_TRY(nd_score_pairs(job, &j.pairs, true, &similarities, &similarity_count));
    ND_TRY(nd_set_members_finish(job, &j.memberships, &similarities));
    nd_progress_end(&job->progress, comm, job->pages.count);
out:
    close_components(&j);
    nd_large_components_close(&large);
    nd_spool_close(&j.memberships);
    nd_spool_close(&j.pairs);
    nd_spool_close(&similarities);
    return st;
}

const nd_stage nd_stage_join = {"join", "pages", run, nd_set_members_save, nd_set_members_load};
