#include "src/sketch/pieces.h"

#include "src/base/random.h"

enum { WORD_BITS = 64 };

void nd_pieces_keys(const uint64_t *string, uint32_t bits, uint32_t pieces, uint64_t *keys) {
    for (uint32_t i = 0; i < pieces; i++) {
        const uint32_t begin = nd_piece_begin(bits, pieces, i);
        const uint32_t end = nd_piece_begin(bits, pieces, i + 1);
        const uint64_t position = (uint64_t)i << ND_PIECES_MAX_WIDTH;
        const uint32_t word = begin / WORD_BITS;
        const uint32_t shift = begin % WORD_BITS;
        uint64_t piece = string[word] >> shift;
        if ((end - 1) / WORD_BITS > word) {
            piece |= string[word + 1] << (WORD_BITS - shift); /* then shift > 0 */
        }
        keys[i] = nd_mix64(position | (piece & ((UINT64_C(1) << (end - begin)) - 1)));
    }
}
