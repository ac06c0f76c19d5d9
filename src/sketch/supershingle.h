/** \file src/sketch/supershingle.h
 * Supershingles and megashingles (Broder, Glassman, Manasse and Zweig, WWW 1997, section 5; with
 * the numbers of Fetterly, Manasse and Najork 2003 and of Henzinger, SIGIR 2006 / US 2008/0044016):
 * 84 minima in 6 groups of 14, each hashed to a supershingle. Pages are B-similar if at least two
 * of their supershingles agree; that is, but for chance, if a megashingle does, the hash of a pair
 * of supershingles. Two agree with probability 1 - (1 - q)^6 - 6 q (1 - q)^5 where q = R^14 for a
 * resemblance of R, see src/plan/curve.h. Both kinds are tagged with their place, so as keys
 * they meet only their like. A page without a sketch has neither.
 */
#ifndef ND_SKETCH_SUPERSHINGLE_H
#define ND_SKETCH_SUPERSHINGLE_H

#include <stddef.h>
#include <stdint.h>

enum {
    ND_SUPERSHINGLES = 6,        /**< m' */
    ND_SUPERSHINGLE_MINIMA = 14, /**< l, in one supershingle */
    ND_SUPERSHINGLE_SKETCH = 84, /**< m = m' l, minima in all */
    ND_SUPERSHINGLES_NEEDED = 2  /**< that agree, of B-similar pages */
};

/** The supershingles of a sketch: `count` of them, of `minima_each` minima that follow one another;
 * Henzinger's are ND_SUPERSHINGLES of ND_SUPERSHINGLE_MINIMA. */
void nd_supershingles(const uint64_t *minima, size_t count, size_t minima_each,
                      uint64_t *supershingles);

/** B-similarity: how many of `count` supershingles agree, place by place. */
size_t nd_supershingles_equal(const uint64_t *a, const uint64_t *b, size_t count);

/** Pairs of `count` supershingles. */
static inline size_t nd_megashingle_count(size_t count) {
    return count * (count - 1) / 2;
}

/** The megashingles, in the order (0,1) (0,2) .. (4,5) of their supershingles.
 * \param[out] megashingles  room for nd_megashingle_count(count) */
void nd_megashingles(const uint64_t *supershingles, size_t count, uint64_t *megashingles);

#endif
