/** \file mpi/gather.h
 * Connected components gathered each on one rank: what the join needs once the components of links
 * that are spread over the ranks are known. A gathered component is its links (all, or those of its
 * maximum spanning tree) with the lengths of their pages; every component lies whole on the rank
 * that its root's hash names.
 */
#ifndef ND_MPI_GATHER_H
#define ND_MPI_GATHER_H

#include "mpi/job.h"

/** A link of a component. No padding: it is sent as bytes. */
typedef struct nd_tree_link {
    uint64_t root; /**< of the component */
    nd_link link;
    uint64_t a_tokens, b_tokens;
} nd_tree_link;

/** Collective. Components of job->links (freed on the way), gathered.
 * \param[in] all     every link; else those of the maximum spanning trees
 * \param[out] links  sorted by root, then by link order; the caller's to free(); NULL on failure
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_gather_components(nd_job *job, bool all, nd_tree_link **links, uint64_t *count);

/** A page of a component. No padding. */
typedef struct nd_component_page {
    uint64_t root;
    uint64_t page;
    uint64_t tokens;
} nd_component_page;

/** Not collective. The pages of one component from its links.
 * \param[out] pages  room for 2 * link_count; ascending by page, distinct
 * \return how many; link_count + 1 for a tree */
uint64_t nd_component_pages(const nd_tree_link *links, uint64_t link_count,
                            nd_component_page *pages);

/** Not collective. How many links at the front of `links` belong to one component. */
uint64_t nd_component_length(const nd_tree_link *links, uint64_t count);

#endif
