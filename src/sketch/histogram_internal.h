/** \file src/sketch/histogram_internal.h
 * The variants of nd_histogram_common(), so that tests and benchmarks can call each of them.
 * Internal to src/sketch/ and its tests.
 */
#ifndef ND_SKETCH_HISTOGRAM_INTERNAL_H
#define ND_SKETCH_HISTOGRAM_INTERNAL_H

#include "src/base/cpu.h"
#include "src/sketch/histogram.h"

typedef struct nd_histogram_variant {
    const char *name;
    uint32_t needs; /**< features of the processor, see src/base/cpu.h */
    uint64_t (*common)(const nd_histogram *a, const nd_histogram *b);
} nd_histogram_variant;

/** All variants compiled in, the slowest first; [0] is in plain C. */
extern const nd_histogram_variant nd_histogram_variants[];
extern const size_t nd_histogram_variant_count;

#endif
