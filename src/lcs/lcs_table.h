/** \file src/lcs/lcs_table.h
 * The LCS by the plain table of all prefixes: the reference of every other kernel, for tests.
 */
#ifndef ND_LCS_LCS_TABLE_H
#define ND_LCS_LCS_TABLE_H

#include "src/base/status.h"

#include <stddef.h>
#include <stdint.h>

/** The O(nm) table, the reference of all others. */
nd_status nd_lcs_table(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t *length);

#endif
