/** \file src/method/lsh_method.h
 * The method `lsh`: min-wise sketches cut into b bands of r minima, and what meets in a band is
 * compared by the shingles themselves, or by the sketches (Indyk and Motwani, STOC 1998; Gambosi's
 * slides: shingles of 5 words, 20 bands of 5 rows, threshold 0.8). Pages of resemblance s meet with
 * a chance of 1 - (1 - s^r)^b.
 */
#ifndef ND_METHOD_LSH_METHOD_H
#define ND_METHOD_LSH_METHOD_H

#include "src/method/method.h"

extern const nd_method nd_method_lsh;

#endif
