/** \file src/hash/xxh3_64.h
 * XXH3 of 64 bits of bytes that lie in one piece, as the library's XXH3_64bits_withSeed() has it,
 * which a distribution builds for the oldest processors: longer messages go through the widest
 * registers of this one. Whole records and blocks of inputs are what this is for; short messages
 * and those in pieces go to the library.
 */
#ifndef ND_HASH_XXH3_64_H
#define ND_HASH_XXH3_64_H

#include "src/base/util.h"

#include <stdint.h>

/** \return XXH3_64bits_withSeed(); seed 0: XXH3_64bits() */
uint64_t nd_xxh3_64(nd_span bytes, uint64_t seed);

#endif
