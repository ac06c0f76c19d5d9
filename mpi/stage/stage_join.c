/* Stage 6: sets are the connected components of the verified pairs, guarded against chains
 * (guard.h). Without the guard a component is a set: gathered as its maximum spanning tree on one
 * rank, which names the representative (the longest page, then the first) and turns the tree's
 * links toward it. Sets of an index are taken as they are, and new pages join these first
 * (attach.h). */
#include "mpi/stage/stage.h"
#include "mpi/stage/state.h"

#include "mpi/stage/attach.h"
#include "mpi/stage/compare.h"
#include "mpi/stage/gather.h"
#include "mpi/stage/guard.h"
#include "mpi/stage/set_members.h"
#include "src/base/status.h"
#include "src/base/util.h"
#include "src/sets/forest.h"

#include <stdlib.h>
#include <string.h>

/* What one rank builds up over its components; the arrays are scratch, of one component. */
typedef struct joiner {
    nd_job *job;
    nd_components_reader components;
    nd_compare_batch batch;
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
    nd_grow(&j->pages, &j->page_capacity, 2 * link_count, sizeof *j->pages);
    nd_grow(&j->numbers, &j->number_capacity, most, sizeof *j->numbers);
    nd_grow(&j->parents, &j->parent_capacity, most, sizeof *j->parents);
    nd_grow(&j->links, &j->link_capacity, link_count, sizeof *j->links);
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
    nd_forest(j->numbers, count, j->links, link_count, &tree_links);
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
                                  .a_tokens = (uint32_t)first->tokens,
                                  .b_tokens = (uint32_t)page->tokens};
            ND_TRY(nd_spool_append(&j->pairs, &pair, sizeof pair));
        }
    }
out:
    return st;
}

/* Every component is a set. */
static nd_status join_components(joiner *j) {
    nd_status st = ND_OK;
    nd_job *job = j->job;
    nd_components_reader *c = &j->components;
    uint64_t length = 0;
    ND_TRY(nd_gather_components(job, c));
    do {
        st = nd_components_next(c, &length);
        st = st != ND_OK || length == 0 ? st : join_component(j, c->links, length);
        nd_components_drop(c, 0, c->count);
    } while (st == ND_OK && length > 0);
    ND_TRY(nd_comm_agree(&job->comm, st));
    nd_progress_update(&job->progress, &job->comm, c->sorted.next,
                       nd_external_sort_count(&c->sorted),
                       j->memberships.size / sizeof(nd_membership));
out:
    return st;
}

/* Everything but what was found out. */
static void close_components(joiner *j) {
    nd_components_close(&j->components);
    nd_compare_batch_free(&j->batch);
    free(j->pages);
    free(j->numbers);
    free(j->parents);
    free(j->links);
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
    nd_spool_open(&j.memberships, &job->folder, job->options.memory.spool);
    nd_spool_open(&j.pairs, &job->folder, job->options.memory.spool);
    nd_spool_open(&similarities, &job->folder, job->options.memory.spool);
    nd_stage_begin(job, &nd_stage_join);
    nd_memory_give_back(&job->options.memory);
    if (job->state->index.pages > 0 && !job->options.recluster) {
        ND_TRY(nd_attach(job, &j.batch, &j.memberships));
    }
    if (job->options.slack > 0) {
        ND_TRY(nd_guard_sets(job, &j.batch, &j.memberships, &job->totals.alike_apart));
    } else {
        ND_TRY(join_components(&j));
    }
    job->totals.alike_apart = nd_comm_sum(comm, job->totals.alike_apart);
    close_components(&j);
    ND_TRY(nd_score_pairs(job, &j.pairs, true, &similarities, &similarity_count));
    ND_TRY(nd_set_members_finish(job, &j.memberships, &similarities));
    nd_progress_end(&job->progress, comm, job->state->pages.count);
out:
    close_components(&j);
    nd_spool_close(&j.memberships);
    nd_spool_close(&j.pairs);
    nd_spool_close(&similarities);
    return st;
}

const nd_stage nd_stage_join = {"join", "pages", ND_STAGE_JOIN, run, NULL, nd_set_members_load};
