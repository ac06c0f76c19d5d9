/** \file mpi/comm/fetch.h
 * Asking other ranks for what they hold of numbered items (pages): a fixed number of bytes each
 * (nd_fetch_fixed), any number of bytes each (nd_fetch), or one number out of a table that is
 * spread over the ranks (nd_lookup). Items lie on ranks in ranges (nd_comm_ranges). Every rank may
 * ask for any items; ranks that need nothing ask for none and still take part.
 */
#ifndef ND_MPI_COMM_FETCH_H
#define ND_MPI_COMM_FETCH_H

#include "mpi/comm/comm.h"
#include "src/base/buffer.h"
#include "src/base/sort.h"

#include <stdbool.h>

/** What was fetched: bytes [begin[i], begin[i + 1]) belong to the i-th item asked for. All zero is
 * a valid start. */
typedef struct nd_fetched {
    uint8_t *bytes;
    uint64_t *begin;
    size_t bytes_capacity, begin_capacity;
} nd_fetched;

/** Not collective. What was fetched of the i-th item; borrowed. */
static inline nd_span nd_fetched_at(const nd_fetched *fetched, uint64_t i) {
    return (nd_span){fetched->bytes + fetched->begin[i],
                     (size_t)(fetched->begin[i + 1] - fetched->begin[i])};
}

/** How bytes are packed while they travel, many items at a time. */
typedef struct nd_wire {
    const bool *packs; /**< [rank]: between it and this one they are; both say the same */
    const void *context;
    /** Most bytes that `size` are packed into. */
    size_t (*most)(size_t size);
    /** \return how many it took; if these are not fewer, the bytes travel as they are */
    size_t (*pack)(const void *context, const uint8_t *bytes, size_t size, uint8_t *packed);
    /** \return were they packed so? */
    bool (*unpack)(const void *context, nd_span packed, uint8_t *bytes, size_t size);
} nd_wire;

/** Gives the bytes of the items of this rank. */
typedef struct nd_provider {
    void *context;
    const nd_wire *wire; /**< NULL: they travel as they are */
    /** How many bytes an item has; cheap. Not needed by nd_fetch_fixed(). */
    uint64_t (*size)(const void *context, uint64_t item);
    /** The bytes, borrowed until the next call. An item of many bytes may be asked for more than
     * once. */
    nd_status (*give)(void *context, uint64_t item, nd_span *bytes);
} nd_provider;

/** Collective. Fetch the bytes of items. A rank answers in rounds of bounded size, however much is
 * asked of it.
 * \param[in]  first     ranges of the items (size + 1 numbers), equal on all ranks
 * \param[in]  items     ascending, distinct
 * \param[in]  provider  called on the owner of each item
 * \param[in,out] out    the caller's to give to nd_fetched_free(); what was fetched before is
 *                       replaced, and its memory used again; empty on failure
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_fetch(nd_comm *comm, const uint64_t *first, const uint64_t *items, uint64_t count,
                   const nd_provider *provider, nd_fetched *out);

/** Collective. The same where every item has `size` bytes (equal on all ranks): items[i]'s bytes
 * are at *bytes + i * size; the caller's to free(); NULL on failure. */
nd_status nd_fetch_fixed(nd_comm *comm, const uint64_t *first, const uint64_t *items,
                         uint64_t count, const nd_provider *provider, size_t size, void *bytes);

/** Collective. The same of records that lie in an array: `own` has those of this rank's items. */
nd_status nd_fetch_records(nd_comm *comm, const uint64_t *first, const uint64_t *items,
                           uint64_t count, const void *own, size_t size, void *records);

/** Collective. values[i] = the entry of items[i] in a table of numbers spread over the ranks by
 * `first`; `table` is this rank's part. Items in any order, repeats allowed; `values` may be
 * `items` itself. Works through them in pieces of bounded size. */
nd_status nd_lookup(nd_comm *comm, const uint64_t *first, const uint64_t *table,
                    const uint64_t *items, uint64_t count, uint64_t *values);

/** Not collective. */
void nd_fetched_free(nd_fetched *fetched);

#endif
