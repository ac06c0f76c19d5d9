/** \file mpi/cmd/overlap/shared_things.h
 * The things of a result that collections may share - URLs, texts, sets of near-duplicates - one
 * after the other, with the pages that each collection has of it. The pages' columns are read in
 * blocks and sorted by thing, in bounded memory; what is counted is the caller's.
 */
#ifndef ND_CMD_OVERLAP_SHARED_THINGS_H
#define ND_CMD_OVERLAP_SHARED_THINGS_H

#include "io/result/result_read.h"
#include "io/store/spool.h"
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
typedef nd_status (*nd_take_thing)(void *context, const nd_overlap_part *parts, size_t count,
                                   const uint64_t *pages);

/** Walk over all things of the chosen collections, in an order of no meaning that is always the
 * same. Takes `memory` bytes and 8 a page of the largest thing; beyond that it sorts in `folder`.
 * \param[out] without  pages that are of no thing: without a URL
 * \return ND_OK, ND_ERR_FORMAT, ND_ERR_IO, ND_ERR_MEMORY, or what `take` returned */
nd_status nd_things_walk(const nd_result *result, const nd_chosen_collections *chosen,
                         nd_thing thing, nd_spool_folder *folder, uint64_t memory,
                         nd_take_thing take, void *context, uint64_t *without);

#endif
