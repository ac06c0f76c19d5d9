/** \file src/sketch/syncmer.h
 * Keys by which a text meets every text that holds a part of it: closed syncmers (Edgar, "Syncmers
 * are more sensitive than minimizers for selecting conserved k-mers in biological sequences", PeerJ
 * 2021) of tokens. A window of ND_SYNCMER_TOKENS tokens is a key if the smallest hash of the pairs
 * of neighbours in it is that of its first or its last pair. So a window alone decides, as where
 * values that are 0 modulo m are kept (Broder, SEQUENCES '97): what a part has of keys, the whole
 * has too. And unlike there, ND_SYNCMER_RUN tokens in a row always hold one, however short the part
 * is. Half of all windows are keys. Which keys are looked up is not decided here.
 */
#ifndef ND_SKETCH_SYNCMER_H
#define ND_SKETCH_SYNCMER_H

#include <stddef.h>
#include <stdint.h>

enum {
    ND_SYNCMER_TOKENS = 5, /**< of a window */
    ND_SYNCMER_RUN = 7     /**< tokens that hold a key */
};

/** The keys of n tokens: well mixed, ascending, each once.
 * \param[out] keys  room for n \return how many. Thread-safe; the same on every machine */
size_t nd_syncmer_keys(const uint32_t *tokens, size_t n, uint64_t *keys);

#endif
