/** \file src/sketch/distinct.h
 * A list of hashes as a set: ascending, each once. For hashes of 64 bits that are spread evenly, as
 * shingles are: their place is then nearly known from their high bits. It is right for any numbers,
 * but those that crowd are sorted by comparing: for page numbers and the like see base/numbers.h.
 */
#ifndef ND_SKETCH_DISTINCT_H
#define ND_SKETCH_DISTINCT_H

#include <stddef.h>
#include <stdint.h>

/** Sort hashes ascending and drop repeats. Takes some 20 bytes of memory for each; without it, it
 * is slower. \return how many are left */
size_t nd_hashes_distinct(uint64_t *hashes, size_t count);

#endif
