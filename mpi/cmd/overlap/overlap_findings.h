/** \file mpi/cmd/overlap/overlap_findings.h
 * The things of a result that collections may share - URLs, texts, sets of near-duplicates - one
 * after the other, with the pages that each collection has of it. The pages' columns are read in
 * blocks and sorted by thing, in bounded memory; what is counted is the caller's.
 */
#ifndef ND_CMD_OVERLAP_OVERLAP_FINDINGS_H
#define ND_CMD_OVERLAP_OVERLAP_FINDINGS_H

#include "io/result/result_read.h"
#include "io/store/spool.h"
#include "mpi/cmd/page/shown_page.h"
#include "src/measure/collections.h"

/** What makes two pages the same; each contains the one before as a rule, not always: a URL may
 * have had two texts. */
typedef enum nd_thing {
    ND_THING_URL,  /**< equal URLs, byte by byte (by their 64-bit hashes) */
    ND_THING_TEXT, /**< exact copies: /pages/exact_of */
    ND_THING_SET,  /**< near-duplicates: /pages/set */
    ND_THINGS
} nd_thing;

enum { ND_COLLECTIONS_MOST = 512 /**< that are compared at once */ };

/** The collections that are compared. All zero may only be freed. */
typedef struct nd_chosen_collections {
    nd_text_column names; /**< of all of the result */
    size_t count;
    uint64_t *row;   /**< of the chosen ones in /collections */
    uint32_t *place; /**< of each of the result its place among the chosen; UINT32_MAX: none */
} nd_chosen_collections;

/** Choose. \param[in] names  with commas between, in the order in which they are compared; NULL:
 *                            all
 * \return ND_OK; ND_ERR_USAGE if there is none of a name, it is given twice, or they are more than
 *         ND_COLLECTIONS_MOST; ND_ERR_FORMAT, ND_ERR_IO, ND_ERR_MEMORY. To be freed in any case */
nd_status nd_chosen_collections_read(nd_chosen_collections *chosen, const nd_result *result,
                                     const char *names);

/** Name of a chosen one, borrowed. */
nd_span nd_chosen_name(const nd_chosen_collections *chosen, size_t x);

void nd_chosen_collections_free(nd_chosen_collections *chosen);

/** What is done with a thing.
 * \param[in] parts  by collection, ascending \param[in] pages  those of the first part, ascending,
 *                   then those of the next ... */
typedef void (*nd_take_thing)(void *context, const nd_overlap_part *parts, size_t count,
                              const uint64_t *pages);

/** Walk over all things of the chosen collections, in an order of no meaning that is always the
 * same. Takes `memory` bytes and 8 a page of the largest thing; beyond that it sorts in `folder`.
 * \param[out] without  pages that are of no thing: without a URL
 * \return ND_OK, ND_ERR_FORMAT, ND_ERR_IO, ND_ERR_MEMORY, or what `take` returned */
nd_status nd_things_walk(const nd_result *result, const nd_chosen_collections *chosen,
                         nd_thing thing, nd_spool_folder *folder, uint64_t memory,
                         nd_take_thing take, void *context, uint64_t *without);

/* ---- How well one can find out by questions alone whether a collection has a page, as Bharat and
 * Broder had to: the strong query of a page is the conjunction of its ND_QUERY_WORDS words that the
 * fewest pages have, and a collection has the page if something answers it. Here every page of a
 * result answers, so that what a query misses, and what else it finds, can be counted. Words are
 * compared by 64-bit hashes; of a text without spaces a word is a character. */

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

/* ---- All that neardup overlap finds out about the collections of a result: what they share,
 * exactly; how large they are by samples alone; and what strong queries make of it. It is printed
 * by overlap.c, overlap.c and overlap.c. */

/** What is asked for. */
typedef struct nd_overlap_wish {
    const char *collections; /**< NULL: all */
    const char *fixed;       /**< the collection whose size is 1; NULL: the first */
    uint64_t sample;         /**< pages drawn from each; 0: no samples */
    uint64_t queries;        /**< of them asked for by strong queries */
    uint64_t resamples, seed;
    uint64_t memory; /**< bytes for sorting */
} nd_overlap_wish;

/** All zero may only be freed. */
typedef struct nd_overlap_findings {
    const nd_result *result; /**< borrowed */
    const nd_overlap_wish *wish;
    nd_chosen_collections chosen;
    size_t fixed;
    nd_overlap_counts counts[ND_THINGS];
    uint64_t without_url;      /**< pages */
    nd_overlap_sample by_set;  /**< of each collection's sets, each as likely as another */
    nd_overlap_sample by_page; /**< of its pages: a set of many is drawn more often */
    nd_size_estimates set_sizes, page_sizes;
    nd_strong_queries queries;
    nd_size_estimates own_sizes, any_sizes; /**< by what queries found */
} nd_overlap_findings;

/** Find out. \param[in,out] run  of the result; only queries need it
 * \return ND_OK; ND_ERR_USAGE where there is nothing to compare; as nd_chosen_collections_read(),
 *         nd_things_walk(), nd_strong_queries_ask(); to be freed in any case */
nd_status nd_overlap_find(nd_overlap_findings *findings, nd_shown_run *run,
                          const nd_overlap_wish *wish);

/** Name of a collection, borrowed; "(no name)" for the one of inputs without a name. */
nd_span nd_overlap_name(const nd_overlap_findings *findings, size_t x);

void nd_overlap_findings_free(nd_overlap_findings *findings);

#endif
