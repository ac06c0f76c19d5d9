/** \file mpi/stage/stage_contain.h
 * Which pages may be contained in which: every page puts its keys (src/sketch/shingle.h) where they
 * meet those of others, and asks by ND_CONTAINED_ASKED of them, the smallest, who else has one. A
 * hit is a page that asked, and one that has the key. Work and hits of a key are bounded by the
 * pages that have it, and what is passed over for that is counted. Nothing is compared here.
 */
#ifndef ND_STAGE_STAGE_CONTAIN_H
#define ND_STAGE_STAGE_CONTAIN_H

#include "io/store/external_sort.h"
#include "mpi/job/job.h"

enum {
    ND_CONTAINED_ASKED = 32,     /**< keys by which a page asks, at most */
    ND_CONTAINED_HELD = 1 << 16, /**< a key that more pages have is passed over */
    ND_CONTAINED_PARTNERS = 64,  /**< hits of a key, for each page that has it */
    ND_CONTAINED_LOOKED_AT = 16  /**< pages of a key that are looked at for each of these */
};

/** No padding: it is sent as bytes. */
typedef struct nd_contained_hit {
    uint64_t page;      /**< that asked */
    uint64_t container; /**< posting value of the one that has the key */
    uint32_t tokens;    /**< of the page */
    uint32_t asked;     /**< keys by which it asked in all */
} nd_contained_hit;

/** page, container */
extern const nd_record_order nd_contained_order;

/** Not collective. The row of options.contained_query among the collections; UINT64_MAX without it.
 * \return ND_OK, or ND_ERR_USAGE if there is no such collection, or it is not asked
 * what is contained */
nd_status nd_contained_collection(const nd_job *job, uint64_t *collection);

/** Collective. All hits, each on the rank of the page that asked. Pages are asked for that can be:
 * not copies of an earlier page of their collection, which stand with it, and not pages of one set,
 * which are near-duplicates, but for those of two collections, or of an earlier run and this one.
 * \param[in,out] hits  open, by nd_contained_order
 * \param[out] passed   pairs of a page that asked and one that has its key which were passed over,
 *                      over all ranks
 * \param[in] most_held   a key that more pages have gives no hits: ND_CONTAINED_HELD, or less to
 *                        see that
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_contained_hits(nd_job *job, uint64_t most_held, nd_external_sort *hits,
                            uint64_t *passed);

#endif
