/** \file src/sets/repeated_keys.h
 * Dropping records whose key no other record has, before they are sorted: most keys of a crawl are
 * one page's alone, and nobody meets under them. What the keys are, and what becomes of groups, is
 * the caller's business.
 */
#ifndef ND_SETS_REPEATED_KEYS_H
#define ND_SETS_REPEATED_KEYS_H

#include "src/base/radix_sort.h"

/** Keep the records whose key another record may have: all whose key occurs again, and of the
 * others a few. Those kept stay in their order.
 * \param[in,out] records  keys are hashes: where their high bits are alike, more are kept
 * \param[in,out] count    how many; on failure as before
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_repeated_keys(nd_key_value *records, uint64_t *count);

#endif
