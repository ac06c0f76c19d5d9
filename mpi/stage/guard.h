/** \file mpi/stage/guard.h
 * The guard against chains: inside every component of verified links a leader loop at a lower
 * threshold, pages in order of their number of links. Pages that hang together only through a chain
 * of others end in different sets; a leader's set is what is similar to the leader, at that
 * threshold. Each component is worked on by one rank, and its pages are compared with one another,
 * so there is a cap: a larger one is cut along its maximum spanning tree into pieces that are
 * guarded each for itself. So no page is ever in a set to whose leader it is not similar.
 */
#ifndef ND_MPI_STAGE_GUARD_H
#define ND_MPI_STAGE_GUARD_H

#include "mpi/stage/compare_batch.h"
#include "mpi/stage/gather.h"
#include "mpi/stage/set_members.h"

/** A page of the present component. */
typedef struct nd_guarded_page {
    uint64_t page;
    uint64_t tokens;
    uint64_t degree; /**< verified links */
    uint64_t number; /**< among the component's pages, ascending */
} nd_guarded_page;

/** One component at a time; the arrays are scratch, reused, and private. */
typedef struct nd_guard {
    const nd_job_options *options;
    nd_compare_batch *batch;
    nd_spool *memberships;
    nd_guarded_page *pages; /* in the order of the loop */
    nd_link *verified;      /* by (a, b) */
    nd_link *joining;       /* what holds a set together: verified links and those to its leader */
    size_t *leaders;
    size_t *places;          /* in the loop's order, of each page by number */
    nd_key_value *set_pages; /* (leader, place), by leader */
    nd_key_value *set_links; /* (leader, which of the verified), likewise; none between sets */
    double *similarities;
    uint64_t *numbers; /* pages of one set, ascending */
    struct nd_parent *parents;
    nd_component_page *component;
    size_t page_capacity, verified_capacity, joining_capacity, leader_capacity, similarity_capacity,
        number_capacity, parent_capacity, component_capacity, place_capacity, set_page_capacity,
        set_link_capacity;
    uint64_t count;
    uint64_t verified_count;
    uint64_t set_link_count;
} nd_guard;

/** Not collective; cannot fail. All is borrowed.
 * \param[in] batch        where pages are compared
 * \param[in] memberships  of nd_membership: the sets' pages are appended here */
void nd_guard_open(nd_guard *guard, const nd_job_options *options, nd_compare_batch *batch,
                   nd_spool *memberships);

/** Not collective. The pages that a batch needs for nd_guard_components(): of components of three
 * pages or more, since only these can hold a chain.
 * \param[out] pages  any order, repeats possible; the caller's to free() */
nd_status nd_guard_pages(const nd_tree_link *links, uint64_t count, uint64_t **pages,
                         uint64_t *page_count);

/** Not collective. Sets out of gathered components, whole and with all their links, whose pages the
 * batch holds. */
nd_status nd_guard_components(nd_guard *guard, const nd_tree_link *links, uint64_t count);

/** Not collective. Cut one component that is given by its maximum spanning tree into pieces of at
 * most `cap` pages: nearly equal stretches of a walk through the tree (nd_tree_walk()), each a
 * component for nd_guard_components(). A page whose link to its parent is cut has a link to itself,
 * of similarity 0, instead.
 * \param[in,out] links  count of them; room for one more. As many as pages afterwards
 * \return ND_OK, ND_ERR_MEMORY or ND_ERR_INTERNAL */
nd_status nd_guard_cut(nd_tree_link *links, uint64_t count, uint64_t cap);

/** Not collective. Most bytes that a component takes in a batch. */
uint64_t nd_guard_bytes(const nd_job_options *options, const nd_tree_link *links, uint64_t count);

/** Not collective. */
void nd_guard_close(nd_guard *guard);

#endif
