/** \file src/compare/resemblance.h
 * Resemblance of two pages, |A n B| / |A u B|, where A and B are the sets of their shingles
 * (Broder, "On the resemblance and containment of documents", 1997; the Jaccard coefficient),
 * exact, with tests that end early where a threshold cannot be reached. A set is an ascending array
 * of distinct values, see nd_shingle_options.distinct. Shingles counted as often as they occur, by
 * tokens and not by values: jaccard.h.
 */
#ifndef ND_COMPARE_RESEMBLANCE_H
#define ND_COMPARE_RESEMBLANCE_H

#include <stddef.h>
#include <stdint.h>

/** |A n B|.
 * \param[in] at_least  the smallest number of interest; 0 asks for the number in any case
 * \return the exact number if it is >= at_least, else 0 */
uint64_t nd_set_shared(const uint64_t *a, size_t n, const uint64_t *b, size_t m, uint64_t at_least);

/** The resemblance of sets of n and m values that share `shared`; 0 for two empty sets. */
double nd_resemblance_ratio(uint64_t shared, uint64_t n, uint64_t m);

/** The resemblance of A and B if it is >= threshold, else 0. Exact and symmetric: the threshold
 * decides where the comparison ends, not its result.
 * \param[in] threshold  in [0, 1] */
double nd_resemblance(const uint64_t *a, size_t n, const uint64_t *b, size_t m, double threshold);

#endif
