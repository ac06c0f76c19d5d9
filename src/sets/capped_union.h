/** \file src/sets/capped_union.h
 * Cut pages that hang together by links into sets of bounded size: single linkage in the order of
 * src/sets/link.h that joins two sets only if both fit under a cap. What the paper's "partial
 * transitivity" is taken for where perhaps-similar sets would be too large (Huang, Wang and Li,
 * CIKM 2008, name it and do not describe it).
 */
#ifndef ND_SETS_CAPPED_UNION_H
#define ND_SETS_CAPPED_UNION_H

#include "src/base/status.h"
#include "src/sets/link.h"

#include <stddef.h>

/** Cut.
 * \param[in]  pages  ascending, distinct; all pages of the links
 * \param[in]  links  in the order of nd_link_compare()
 * \param[in]  cap    most pages of a set, at least 1
 * \param[out] label  [page_count] index of the set's first page; untouched on failure
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_capped_union(const uint64_t *pages, size_t page_count, const nd_link *links,
                          size_t count, uint64_t cap, uint64_t *label);

#endif
