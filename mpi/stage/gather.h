/** \file mpi/stage/gather.h
 * Connected components gathered each on one rank: what the join needs once the components of links
 * that are spread over the ranks are known. A gathered component is the links of its maximum
 * spanning tree with the lengths of their pages; every component lies whole on the rank that its
 * root's hash names, where the components are read one after the other.
 */
#ifndef ND_MPI_STAGE_GATHER_H
#define ND_MPI_STAGE_GATHER_H

#include "io/store/external_sort.h"
#include "mpi/stage/state.h"

/** A link of a component. No padding: it is sent as bytes. */
typedef struct nd_tree_link {
    uint64_t root; /**< of the component */
    nd_link link;
    uint64_t a_tokens, b_tokens;
} nd_tree_link;

/** Gathered components on their rank, and the one that was read last. */
typedef struct nd_components_reader {
    nd_external_sort sorted; /**< nd_tree_link by root, then link order */
    nd_tree_link ahead;      /**< opens the next component */
    bool has_ahead;
    nd_tree_link *links; /**< what was read and not dropped */
    size_t capacity;
    uint64_t count;
} nd_components_reader;

/** Collective. Components of job->state->links (gone afterwards, unless pairs are kept), gathered
 * with the links of their maximum spanning trees.
 * \param[out] reader  at the first component; to be closed on failure too
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_gather_components(nd_job *job, nd_components_reader *reader);

/** Not collective. Append the links of the next component to reader->links, in the order of
 * nd_link_compare().
 * \param[out] length  how many; 0 after the last component */
nd_status nd_components_next(nd_components_reader *reader, uint64_t *length);

/** Not collective. Drop links [begin, end) from reader->links. */
void nd_components_drop(nd_components_reader *reader, uint64_t begin, uint64_t end);

/** Not collective. */
void nd_components_close(nd_components_reader *reader);

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

#endif
