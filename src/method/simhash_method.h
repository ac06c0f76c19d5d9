/** \file src/method/simhash_method.h
 * The method `simhash`: prints of 64 bits that differ in at most 3 (Manku, Jain and Das Sarma, WWW
 * 2007; the baseline of Huang, Wang and Li, CIKM 2008). Features are tokens by their frequency.
 * Keys are the fixed blocks of permuted tables: the search loses nothing.
 */
#ifndef ND_METHOD_SIMHASH_METHOD_H
#define ND_METHOD_SIMHASH_METHOD_H

#include "src/method/method.h"

extern const nd_method nd_method_simhash;

#endif
