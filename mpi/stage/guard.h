/** \file mpi/stage/guard.h
 * The guard against chains, of components that one rank works on: nd_middles() says which pages of
 * a component's maximum spanning tree open sets and which pages these take, at the threshold less
 * the guard. So no page is in a set to whose leader it is not similar. Here pages are compared, and
 * sets get their links; components that no rank could hold are the business of guard_rounds.h,
 * which comes to the same sets.
 */
#ifndef ND_MPI_STAGE_GUARD_H
#define ND_MPI_STAGE_GUARD_H

#include "mpi/stage/compare_batch.h"
#include "mpi/stage/gather.h"
#include "mpi/stage/set_members.h"

/** Pages of a verified pair of at least this similarity are all but the same: where they end in two
 * sets nevertheless, each similar to another leader, that is counted. */
static const double ND_GUARD_ALIKE = 0.9;

/** One component at a time; the arrays are scratch, reused, and private. */
typedef struct nd_guard {
    const nd_job_options *options;
    nd_compare_batch *batch;
    nd_spool *memberships;
    uint64_t alike_apart; /**< verified pairs of ND_GUARD_ALIKE between two sets, so far */
    nd_component_page *component;
    uint64_t *pages;  /* of the component, ascending */
    uint64_t *tokens; /* their lengths */
    nd_link *tree;
    nd_link *verified; /* by (a, b) */
    nd_link *set_tree; /* of one set */
    size_t *leaders;   /* places in `pages` */
    double *similarities;
    nd_key_value *set_pages; /* (leader, place), by leader */
    nd_key_value *set_links; /* (leader, which of the tree), likewise; none between sets */
    uint64_t *set_numbers;   /* pages of one set, ascending */
    struct nd_parent *parents;
    size_t component_capacity, page_capacity, token_capacity, tree_capacity, verified_capacity,
        set_tree_capacity, leader_capacity, similarity_capacity, set_page_capacity,
        set_link_capacity, set_number_capacity, parent_capacity;
    uint64_t count;
    uint64_t verified_count;
    uint64_t set_link_count;
} nd_guard;

/** Not collective; cannot fail. All is borrowed.
 * \param[in] batch        where pages are compared
 * \param[in] memberships  of nd_membership: the sets' pages are appended here */
void nd_guard_open(nd_guard *guard, const nd_job_options *options, nd_compare_batch *batch,
                   nd_spool *memberships);

/** Not collective. Compare two pages of the batch, of so many tokens, as a leader and a page that
 * may be in its set. \param[out] similarity  0: it may not */
nd_status nd_guard_compare(const nd_job_options *options, nd_compare_batch *batch, uint64_t x,
                           uint64_t x_tokens, uint64_t y, uint64_t y_tokens, double *similarity);

/** Not collective. The pages that a batch needs for nd_guard_components(): of components of three
 * pages or more, since only these can hold a chain.
 * \param[out] pages  any order, repeats possible; the caller's to free() */
nd_status nd_guard_pages(const nd_tree_link *links, uint64_t count, uint64_t **pages,
                         uint64_t *page_count);

/** Not collective. Sets out of gathered components, whole and with all their links, whose pages the
 * batch holds. */
nd_status nd_guard_components(nd_guard *guard, const nd_tree_link *links, uint64_t count);

/** Not collective. Most bytes that a component takes in a batch. */
uint64_t nd_guard_bytes(const nd_job_options *options, const nd_tree_link *links, uint64_t count);

/** Not collective. */
void nd_guard_close(nd_guard *guard);

#endif
