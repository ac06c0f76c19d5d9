/** \file src/method/sketch_method.h
 * The method `sketch`: P permutations, and pages are similar if enough of their minima are equal
 * (Broder, Charikar, Frieze and Mitzenmacher 1998; lecture notes of Mitzenmacher: shingles of 4
 * words, 90 of 100 minima; IIR 19: 200 minima, 80 %). Candidates are found by bands of the sketch,
 * by default the fewest that lose no pair: with more bands than minima that may differ, one band is
 * equal.
 */
#ifndef ND_METHOD_SKETCH_METHOD_H
#define ND_METHOD_SKETCH_METHOD_H

#include "src/method/method.h"

extern const nd_method nd_method_sketch;

#endif
