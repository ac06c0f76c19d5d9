/** \file src/method/cosine_method.h
 * The method `cosine`: the baseline of Huang, Wang and Li (CIKM 2008): candidates by fingerprints
 * of sentences as in `lcs`, compared by the cosine of their term frequencies. The threshold they do
 * not tell; 0.9 here.
 */
#ifndef ND_METHOD_COSINE_METHOD_H
#define ND_METHOD_COSINE_METHOD_H

#include "src/method/method.h"

extern const nd_method nd_method_cosine;

#endif
