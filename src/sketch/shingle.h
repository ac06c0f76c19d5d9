/** \file src/sketch/shingle.h
 * What a page has of short runs of tokens: shingles, sets of their hashes, and syncmers, of which
 * a part of a page has the same as the page.
 *
 * The shingles of a page (Broder, Glassman, Manasse and Zweig, "Syntactic clustering of the Web",
 * WWW 1997, section 3): every run of k tokens, as a 64-bit value. A page is a sequence of token
 * hashes; a page of fewer than k tokens, but at least one, has one shingle, all of it. The window
 * may wrap around from the end of the page to its beginning: then there are as many shingles as
 * tokens (Henzinger, SIGIR 2006 / US 2008/0044016). Different shingles get equal values only by
 * chance. Which pages are alike is not decided here: see jaccard.h, minhash.h.
 */
#ifndef ND_SKETCH_SHINGLE_H
#define ND_SKETCH_SHINGLE_H

#include "src/hash/rabin.h"

#include <stddef.h>
#include <stdint.h>

typedef struct nd_shingle_options {
    uint32_t tokens;       /**< k, of a shingle; at least 1 */
    uint32_t modulus;      /**< only values that are 0 modulo this are kept (thinning); 1: all */
    uint64_t seed;         /**< of xxHash; another seed gives other values */
    const nd_rabin *rabin; /**< borrowed, for windows of `tokens`: values are Rabin fingerprints;
                                NULL: they are xxHash's XXH3 */
    bool wrap;             /**< the window wraps around */
    bool counted;          /**< a value that comes again is another one each time, the same for any
                                page: sets of them overlap as multisets of shingles do */
    bool distinct;         /**< values come out ascending, each once; else in the page's order, or
                                in any if counted */
} nd_shingle_options;

/** Shingles of a page of n tokens before any is left out. */
size_t nd_shingle_places(const nd_shingle_options *options, size_t n);

/** The values of a page's shingles. A page without tokens has none, and where few are kept, a short
 * page may have none either.
 * \param[out] values  room for nd_shingle_places()
 * \return how many were written. Thread-safe; the same on every little-endian machine. */
size_t nd_shingle_values(const nd_shingle_options *options, const uint32_t *tokens, size_t n,
                         uint64_t *values);

/* ---- A list of hashes as a set: ascending, each once. For hashes of 64 bits that are spread
 * evenly, as shingles are: their place is then nearly known from their high bits. It is right for
 * any numbers, but those that crowd are sorted by comparing: for page numbers and the like see
 * base/sort.h. */

/** Sort hashes ascending and drop repeats. Takes some 20 bytes of memory for each; without it, it
 * is slower. \return how many are left */
size_t nd_hashes_distinct(uint64_t *hashes, size_t count);

/* ---- Keys by which a text meets every text that holds a part of it: closed syncmers (Edgar,
 * "Syncmers are more sensitive than minimizers for selecting conserved k-mers in biological
 * sequences", PeerJ 2021) of tokens. A window of ND_SYNCMER_TOKENS tokens is a key if the smallest
 * hash of the pairs of neighbours in it is that of its first or its last pair. So a window alone
 * decides, as where values that are 0 modulo m are kept (Broder, SEQUENCES '97): what a part has of
 * keys, the whole has too. And unlike there, ND_SYNCMER_RUN tokens in a row always hold one,
 * however short the part is. Half of all windows are keys. Which keys are looked up is not decided
 * here. */

enum {
    ND_SYNCMER_TOKENS = 5, /**< of a window */
    ND_SYNCMER_RUN = 7     /**< tokens that hold a key */
};

/** The keys of n tokens: well mixed, ascending, each once.
 * \param[out] keys  room for n \return how many. Thread-safe; the same on every machine */
size_t nd_syncmer_keys(const uint32_t *tokens, size_t n, uint64_t *keys);

#endif
