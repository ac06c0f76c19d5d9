/** \file mpi/cmd/overlap/strong_query.h
 * How well one can find out by questions alone whether a collection has a page, as Bharat and
 * Broder had to: the strong query of a page is the conjunction of its ND_QUERY_WORDS words that the
 * fewest pages have, and a collection has the page if something answers it. Here every page of a
 * result answers, so that what a query misses, and what else it finds, can be counted. Words are
 * compared by 64-bit hashes; of a text without spaces a word is a character.
 */
#ifndef ND_CMD_OVERLAP_STRONG_QUERY_H
#define ND_CMD_OVERLAP_STRONG_QUERY_H

#include "mpi/cmd/overlap/shared_things.h"
#include "mpi/cmd/page/shown_page.h"
#include "src/measure/collections.h"

enum { ND_QUERY_WORDS = 8 };

/** Queries with pages of one collection, asked of another. */
typedef struct nd_query_tally {
    uint64_t has;   /**< pages that it has, by the sets of the result */
    uint64_t found; /**< of these, a page of their set answers */
    uint64_t other; /**< asked pages that only pages of other sets answer */
} nd_query_tally;

/** All zero may only be freed; owned. */
typedef struct nd_strong_queries {
    size_t collections;
    uint64_t *poor;        /**< of each, drawn pages of too few words, which are not asked */
    nd_query_tally *tally; /**< [x * collections + y] */
    nd_overlap_sample own; /**< asked pages, and the collections where their set answers */
    nd_overlap_sample any; /**< likewise, where any page does */
} nd_strong_queries;

/** Ask. All pages are read twice.
 * \param[in,out] run   of the result
 * \param[in] drawn     pages and the collections that have them; of each collection the first
 *                      `most` are asked
 * \return ND_OK; ND_ERR_CHANGED where an input is not what it was; as nd_run_pages_open(); to be
 *         freed in any case */
nd_status nd_strong_queries_ask(nd_strong_queries *queries, nd_shown_run *run,
                                const nd_chosen_collections *chosen, const nd_overlap_sample *drawn,
                                size_t most);

void nd_strong_queries_free(nd_strong_queries *queries);

#endif
