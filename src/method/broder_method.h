/** \file src/method/broder_method.h
 * The method `broder`: "Alg. B" of Henzinger (SIGIR 2006; US 2008/0044016, section 1.2.3.1), after
 * Broder, Glassman, Manasse and Zweig (WWW 1997) with the numbers of Fetterly, Manasse and Najork
 * (2003): shingles of 8 tokens by Rabin fingerprints, wrapped around, 84 minima in 6 supershingles
 * of 14, and pages are similar if 2 agree. Keys are megashingles: the search loses nothing.
 */
#ifndef ND_METHOD_BRODER_METHOD_H
#define ND_METHOD_BRODER_METHOD_H

#include "src/method/method.h"

extern const nd_method nd_method_broder;

#endif
