/** \file src/lcs/equal_run.h
 * How far two token sequences agree from their beginnings or from their ends, in steps as wide as
 * the machine's registers. For stretches that may be long; where they are mostly of a token or two,
 * a plain loop is faster.
 */
#ifndef ND_LCS_EQUAL_RUN_H
#define ND_LCS_EQUAL_RUN_H

#include "src/base/cpu.h"

#include <stddef.h>
#include <stdint.h>

/** The length of the common prefix of a[0..limit) and b[0..limit). */
size_t nd_equal_prefix(const uint32_t *a, const uint32_t *b, size_t limit);

/** The length of the common suffix of the `limit` tokens before a_end and b_end. */
size_t nd_equal_suffix(const uint32_t *a_end, const uint32_t *b_end, size_t limit);

/** One way of doing it, for tests. */
typedef struct nd_equal_run_variant {
    const char *name;
    uint32_t needs; /**< features of the processor, see src/base/cpu.h */
    size_t (*prefix)(const uint32_t *a, const uint32_t *b, size_t limit);
    size_t (*suffix)(const uint32_t *a_end, const uint32_t *b_end, size_t limit);
} nd_equal_run_variant;

/** All variants compiled in, the slowest first; [0] is the plain one. */
extern const nd_equal_run_variant nd_equal_run_variants[];
extern const size_t nd_equal_run_variant_count;

#endif
