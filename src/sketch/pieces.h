/** \file src/sketch/pieces.h
 * Candidate keys of bit strings by pieces: a string is cut into pieces, and pages that agree in the
 * whole of one piece at the same position meet (Henzinger, SIGIR 2006: 384 bits in 12 pieces of
 * 32). Two strings that differ in fewer bits than there are pieces agree in one at least, so the
 * search is exact from the threshold bits - pieces + 1 on: 12 for 373 of 384 bits, 30 for 355.
 * Strings are not compared here.
 *
 * Where d bits differ, at random places, the chance that some piece is the same on both sides is
 *   sum over j = 1 .. pieces of (-1)^(j+1) C(pieces, j) C(bits - j * width, d) / C(bits, d)
 * for pieces of one width: 12 of 32 bits find .9999 of the pairs at d = 12, .94 at 20, .42 at 35.
 * More pieces are narrower, so more pages meet by chance: in one of `width` bits, N / 2^width.
 */
#ifndef ND_SKETCH_PIECES_H
#define ND_SKETCH_PIECES_H

#include "src/base/order.h"

#include <stddef.h>
#include <stdint.h>

enum {
    ND_PIECES = 12,          /**< Henzinger's, of 384 bits */
    ND_PIECES_MAX = 512,     /**< the position is a key's 9 bits */
    ND_PIECES_MAX_WIDTH = 54 /**< bits of a piece: what is left of a key */
};

/** First bit of piece `index` of a string that is cut into pieces as even as possible, the wider
 * ones first; of index == pieces, the string's end. */
static inline uint32_t nd_piece_begin(uint32_t bits, uint32_t pieces, uint32_t index) {
    const uint32_t wider = bits % pieces;
    return index * (bits / pieces) + (uint32_t)nd_min(index, wider);
}

/** The fewest pieces that a string of that many bits can be cut into. */
static inline uint32_t nd_pieces_fewest(uint32_t bits) {
    return (bits + ND_PIECES_MAX_WIDTH - 1) / ND_PIECES_MAX_WIDTH;
}

/** The keys of a string: equal for two strings just where they agree in the piece at the same
 * position (mixed, but no two positions or contents share a key).
 * \param[in]  string  bits as charikar.h lays them out
 * \param[in]  pieces  nd_pieces_fewest(bits) .. min(bits, ND_PIECES_MAX)
 * \param[out] keys    `pieces` keys, in the order of the pieces */
void nd_pieces_keys(const uint64_t *string, uint32_t bits, uint32_t pieces, uint64_t *keys);

#endif
