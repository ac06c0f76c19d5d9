/** \file io/result/result_name_order.h
 * Pages in the order of their names: /pages/by_id and /pages/by_url are all pages by (a hash of
 * their id, or URL, number), and beside each stands the hash, so that the pages of one name are
 * found by halving. Results of earlier programs lack them, and are searched (mpi/cmd/page). The
 * invariant: a page that is found has the name, to the byte.
 */
#ifndef ND_IO_RESULT_RESULT_NAME_ORDER_H
#define ND_IO_RESULT_RESULT_NAME_ORDER_H

#include "io/result/result_schema.h"
#include "src/base/util.h"

/** The columns of ids, or of URLs. */
typedef struct nd_name_columns {
    const char *offsets, *bytes; /**< the names */
    const char *pages, *hashes;  /**< their order */
} nd_name_columns;

extern const nd_name_columns nd_id_columns, nd_url_columns;

/** By what a page of so many is ordered: the upper half of the XXH3 of its name. Pages without a
 * name, whom nobody looks for, go by their number and spread evenly. */
uint32_t nd_name_hash(nd_span name, uint64_t page, uint64_t pages);

/** Find the pages of a name, ascending.
 * \param[out] pages  the first `most` of them
 * \param[out] count  of all
 * \return ND_OK, ND_ERR_IO, ND_ERR_FORMAT or ND_ERR_MEMORY */
nd_status nd_name_order_find(const nd_result *result, const nd_name_columns *columns, nd_span name,
                             uint64_t *pages, uint64_t most, uint64_t *count);

/** Is each page there once, in order, with the hash of its name? A result without the columns
 * promises nothing. \return ND_OK; ND_ERR_FORMAT with a text that names the column; ND_ERR_IO or
 * ND_ERR_MEMORY */
nd_status nd_name_order_check(const nd_result *result);

#endif
