/** \file src/sketch/shingle.h
 * The shingles of a page (Broder, Glassman, Manasse and Zweig, "Syntactic clustering of the Web",
 * WWW 1997, section 3): every run of k tokens, as a 64-bit value. A page is a sequence of token
 * hashes; a page of fewer than k tokens, but at least one, has one shingle, all of it. The window
 * may wrap around from the end of the page to its beginning: then there are as many shingles as
 * tokens (Henzinger, SIGIR 2006 / US 2008/0044016). Different shingles get equal values only by
 * chance. Which pages are alike is not decided here: see resemblance.h, minhash.h.
 */
#ifndef ND_SKETCH_SHINGLE_H
#define ND_SKETCH_SHINGLE_H

#include "src/hash/rabin.h"

typedef struct nd_shingle_options {
    uint32_t tokens;       /**< k, of a shingle; at least 1 */
    uint32_t modulus;      /**< only values that are 0 modulo this are kept (thinning); 1: all */
    uint64_t seed;         /**< of xxHash; another seed gives other values */
    const nd_rabin *rabin; /**< borrowed, for windows of `tokens`: values are Rabin fingerprints;
                                NULL: they are xxHash's XXH3 */
    bool wrap;             /**< the window wraps around */
    bool distinct;         /**< values come out ascending, each once; else in the page's order */
} nd_shingle_options;

/** Shingles of a page of n tokens before any is left out. */
size_t nd_shingle_places(const nd_shingle_options *options, size_t n);

/** The values of a page's shingles. A page without tokens has none, and where few are kept, a short
 * page may have none either.
 * \param[out] values  room for nd_shingle_places()
 * \return how many were written. Thread-safe; the same on every little-endian machine. */
size_t nd_shingle_values(const nd_shingle_options *options, const uint32_t *tokens, size_t n,
                         uint64_t *values);

#endif
