/** \file src/sets/forest.h
 * The maximum spanning forest of links in memory (Kruskal, 1956), by the order of src/sets/link.h.
 * Links that are spread over ranks are the business of mpi/comm/components.h.
 */
#ifndef ND_SETS_FOREST_H
#define ND_SETS_FOREST_H

#include "src/base/status.h"
#include "src/sets/link.h"

#include <stddef.h>

/** Keep the links of the maximum spanning forest.
 * \param[in]     pages  ascending, distinct; all pages of the links
 * \param[in,out] links  sorted by nd_link_compare afterwards, those kept in front
 * \param[out]    kept   how many
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_forest(const uint64_t *pages, size_t page_count, nd_link *links, size_t count,
                    size_t *kept);

#endif
