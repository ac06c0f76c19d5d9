/* Stage 6: sets are the connected components of the verified pairs, guarded against chains
 * (guard.h). Without the guard, and beyond its cap, a component is a set: gathered as its maximum
 * spanning tree on one rank, which names the representative (the longest page, then the first) and
 * turns the tree's links toward it. */
#include "mpi/job.h"

#include "mpi/gather.h"
#include "mpi/guard.h"
#include "mpi/members.h"
#include "mpi/score_pairs.h"
#include "src/base/random.h"
#include "src/sets/forest.h"
#include "src/sets/tree.h"

#include <stdlib.h>
#include <string.h>

/* What one rank builds up over its components. */
typedef struct joiner {
    nd_membership *memberships;
    size_t capacity;
    uint64_t count;
    nd_pair *pairs; /* (representative, member) pairs whose similarity is not known yet */
    size_t pair_capacity;
    uint64_t pair_count;
    nd_component_page *pages; /* scratch, of one component */
    uint64_t *numbers;
    nd_parent *parents;
    nd_link *links;
    size_t page_capacity, number_capacity, parent_capacity, link_capacity;
} joiner;

static const nd_component_page *longest(const nd_component_page *pages, uint64_t count) {
    const nd_component_page *best = &pages[0];
    for (uint64_t i = 1; i < count; i++) {
        if (pages[i].tokens > best->tokens) { /* pages ascend, so the first of equals stays */
            best = &pages[i];
        }
    }
    return best;
}

static nd_status reserve_scratch(joiner *j, uint64_t link_count) {
    nd_status st = ND_OK;
    const size_t most = 2 * (size_t)link_count;
    ND_TRY(nd_grow(&j->pages, &j->page_capacity, most, sizeof *j->pages));
    ND_TRY(nd_grow(&j->numbers, &j->number_capacity, most, sizeof *j->numbers));
    ND_TRY(nd_grow(&j->parents, &j->parent_capacity, most, sizeof *j->parents));
    ND_TRY(nd_grow(&j->links, &j->link_capacity, most, sizeof *j->links));
    ND_TRY(nd_grow(&j->memberships, &j->capacity, j->count + most, sizeof *j->memberships));
    ND_TRY(nd_grow(&j->pairs, &j->pair_capacity, j->pair_count + most, sizeof *j->pairs));
out:
    return st;
}

/* A member that joined through another page still has to be compared with the representative. */
static void add_member(joiner *j, uint64_t set, const nd_component_page *representative,
                       const nd_component_page *page, const nd_parent *parent) {
    const bool direct = parent->page == representative->page;
    j->memberships[j->count++] =
        (nd_membership){page->page,
                        {set, representative->page, parent->page, (float)parent->similarity,
                         direct ? (float)parent->similarity : 0}};
    if (!direct) {
        j->pairs[j->pair_count++] = (nd_pair){.item = nd_mix64(representative->page),
                                              .a = representative->page,
                                              .b = page->page,
                                              .cost = page->tokens + representative->tokens,
                                              .a_tokens = (uint32_t)representative->tokens,
                                              .b_tokens = (uint32_t)page->tokens};
    }
}

static nd_status join_component(joiner *j, const nd_tree_link *links, uint64_t link_count) {
    nd_status st = ND_OK;
    size_t tree_links = 0;
    ND_TRY(reserve_scratch(j, link_count));
    const uint64_t count = nd_component_pages(links, link_count, j->pages);
    const nd_component_page *representative = longest(j->pages, count);
    for (uint64_t i = 0; i < link_count; i++) {
        j->links[i] = links[i].link;
    }
    for (uint64_t i = 0; i < count; i++) {
        j->numbers[i] = j->pages[i].page;
    }
    ND_TRY(nd_forest(j->numbers, count, j->links, link_count, &tree_links));
    ND_TRY(nd_tree_orient(j->numbers, count, j->links, representative->page, j->parents));
    for (uint64_t i = 0; i < count; i++) {
        add_member(j, j->numbers[0], representative, &j->pages[i], &j->parents[i]);
    }
out:
    return st;
}

/* Move the components that the guard takes to the front; the others are joined as they are.
 * \param[out] guarded  links in front */
static nd_status divide(nd_job *job, joiner *j, nd_tree_link *links, uint64_t count,
                        uint64_t *guarded) {
    nd_status st = ND_OK;
    uint64_t length = 0;
    *guarded = 0;
    for (uint64_t begin = 0; begin < count; begin += length) {
        length = nd_component_length(links + begin, count - begin);
        ND_TRY(reserve_scratch(j, length));
        const uint64_t pages = nd_component_pages(links + begin, length, j->pages);
        if (job->options.guard > 0 && pages <= job->options.guard_cap) {
            memmove(links + *guarded, links + begin, length * sizeof *links);
            *guarded += length;
        } else {
            job->totals.unguarded += job->options.guard > 0;
            ND_TRY(join_component(j, links + begin, length));
        }
    }
out:
    return st;
}

static nd_status append(joiner *j, const nd_membership *more, uint64_t count) {
    nd_status st = nd_grow(&j->memberships, &j->capacity, j->count + count, sizeof *more);
    if (st == ND_OK && count > 0) {
        memcpy(j->memberships + j->count, more, count * sizeof *more);
        j->count += count;
    }
    return st;
}

static void joiner_free(joiner *j) {
    free(j->memberships);
    free(j->pairs);
    free(j->pages);
    free(j->numbers);
    free(j->parents);
    free(j->links);
}

nd_status nd_stage_join(nd_job *job) {
    nd_status st = ND_OK;
    joiner j = {0};
    nd_tree_link *links = NULL;
    uint64_t count = 0;
    nd_membership *guarded = NULL;
    uint64_t guarded_count = 0;
    nd_link *similarities = NULL;
    uint64_t similarity_count = 0;
    nd_progress_begin(&job->progress, &job->comm, "join", "pages");
    ND_TRY(nd_gather_components(job, job->options.guard > 0, &links, &count));
    ND_TRY(nd_comm_agree(&job->comm, divide(job, &j, links, count, &count)));
    job->totals.unguarded = nd_comm_sum(&job->comm, job->totals.unguarded);
    ND_TRY(nd_guard_components(job, &links, &count, &guarded, &guarded_count));
    ND_TRY(nd_comm_agree(&job->comm, append(&j, guarded, guarded_count)));
    ND_TRY(nd_score_pairs(job, &j.pairs, &j.pair_count, true, &similarities, &similarity_count));
    ND_TRY(nd_members_settle(job, &j.memberships, &j.count, &similarities, &similarity_count));
    nd_progress_end(&job->progress, &job->comm, job->pages.count);
out:
    free(links);
    free(guarded);
    free(similarities);
    joiner_free(&j);
    return st;
}
