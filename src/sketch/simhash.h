/** \file src/sketch/simhash.h
 * Strings of bits whose share of agreeing bits says how alike two pages are, and the keys under
 * which pages with strings that agree meet: pieces of a string, and tables of permuted blocks for
 * those of 64 bits. Whether two pages that meet are similar is for others to say. Invariant: a
 * string, and so its keys, follows from the features and the seed alone.
 */
#ifndef ND_SKETCH_SIMHASH_H
#define ND_SKETCH_SIMHASH_H

#include "src/base/status.h"
#include "src/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- strings: random projection (Charikar, STOC 2002) in the form of Henzinger (US
 * 2008/0044016, "Alg. C"). Every feature has a fixed random vector of -1 and +1, the
 * vectors of all occurrences are added, and a bit is 1 where the sum is above 0. The share
 * of agreeing bits of two pages is 1 - angle / pi in expectation, the angle being that
 * between their feature frequencies. Features are any numbers: token hashes, or hashes of
 * shingles. Agreement in 372 of 384 bits (the patent's 97 %) stands for a cosine of .995,
 * in 355 (Henzinger, SIGIR 2006) for .972. Pages with few features share many bits by
 * chance; a page without any is all zeros and is not to be compared. */

enum {
    ND_CHARIKAR_BITS = 384, /**< the patent's b */
    ND_CHARIKAR_WORD_BITS = 64,
    ND_CHARIKAR_MAX_WORDS = 8,
    ND_CHARIKAR_MAX_BITS = ND_CHARIKAR_MAX_WORDS * ND_CHARIKAR_WORD_BITS
};

/** 64-bit words of a string of that many bits. */
static inline size_t nd_charikar_words(uint32_t bits) {
    return (bits + ND_CHARIKAR_WORD_BITS - 1) / ND_CHARIKAR_WORD_BITS;
}

/** Project a page. The vector of feature f comes from SplitMix64 seeded with f and `seed`; a longer
 * string begins with the shorter one of the same seed.
 * \param[in]  features  borrowed, in any order; one that occurs twice stands there twice
 * \param[in]  weights   how often each feature counts; NULL: once. The sum of the weights (the
 *                       count, without weights) must be below 2^32
 * \param[in]  bits      1 .. ND_CHARIKAR_MAX_BITS
 * \param[out] string    nd_charikar_words(bits) words; bit i is bit i % 64 of word i / 64, bits
 *                       beyond the last are 0 */
void nd_charikar_sign(const uint64_t *features, const uint32_t *weights, size_t count,
                      uint32_t bits, uint64_t seed, uint64_t *string);

/** Agreeing bits of two strings of `bits` bits. */
uint32_t nd_charikar_agreeing(const uint64_t *a, const uint64_t *b, uint32_t bits);

/* ---- Candidate keys of bit strings by pieces: a string is cut into pieces, and pages that agree
 * in the whole of one piece at the same position meet (Henzinger, SIGIR 2006: 384 bits in 12 pieces
 * of 32). Two strings that differ in fewer bits than there are pieces agree in one at least, so the
 * search is exact from the threshold bits - pieces + 1 on: 12 for 373 of 384 bits, 30 for 355.
 * Strings are not compared here.
 *
 * Where d bits differ, at random places, the chance that some piece is the same on both sides is
 *   sum over j = 1 .. pieces of (-1)^(j+1) C(pieces, j) C(bits - j * width, d) / C(bits, d)
 * for pieces of one width: 12 of 32 bits find .9999 of the pairs at d = 12, .94 at 20, .42 at 35.
 * More pieces are narrower, so more pages meet by chance: in one of `width` bits, N / 2^width. */

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
 * \param[in]  string  bits as nd_charikar_sign() lays them out
 * \param[in]  pieces  nd_pieces_fewest(bits) .. min(bits, ND_PIECES_MAX)
 * \param[out] keys    `pieces` keys, in the order of the pieces */
void nd_pieces_keys(const uint64_t *string, uint32_t bits, uint32_t pieces, uint64_t *keys);

/* ---- 64-bit simhash and its tables of permuted blocks (Manku, Jain and Das Sarma, WWW 2007,
 * section 3): near-duplicates are pages whose prints differ in at most k bits. A print is cut into
 * m blocks; a table fixes m - k of them, so that prints at distance k or less agree in the fixed
 * blocks of some table, whatever bits differ. Instead of sorting a table of permuted prints, pages
 * meet under a key made of the fixed blocks. The prints themselves are strings of 64 bits.
 *
 * For k = 3: 4 blocks give 4 tables that fix 16 bits, 5 give 10 of 25 or more, 6 give the paper's
 * 20 of 31 or more. (Its 16 tables cut the rest of the print again; they are not offered.) N prints
 * meet N / 2^fixed others by chance in each table. */

enum {
    ND_SIMHASH_BITS = 64,
    ND_SIMHASH_DISTANCE = 3, /**< the paper's k */
    ND_SIMHASH_BLOCKS = 6,   /**< of the paper's 20 tables */
    ND_SIMHASH_MAX_DISTANCE = 8,
    ND_SIMHASH_MAX_BLOCKS = 16,
    ND_SIMHASH_MAX_TABLES = 512
};

/** A plain value. */
typedef struct nd_simhash_tables {
    uint32_t distance;
    uint32_t blocks;
    uint32_t count;                       /**< C(blocks, distance) */
    uint64_t mask[ND_SIMHASH_MAX_TABLES]; /**< by table: the fixed bits of a print */
} nd_simhash_tables;

/** Bits in which two prints differ. */
uint32_t nd_simhash_distance(uint64_t a, uint64_t b);

/** The tables that find all pairs of prints within `distance` with prints cut into `blocks`.
 * \return ND_OK; ND_ERR_USAGE, with a text that names the ranges, if distance is not in 1 ..
 * ND_SIMHASH_MAX_DISTANCE, blocks not in distance + 1 .. ND_SIMHASH_MAX_BLOCKS, or the tables more
 * than ND_SIMHASH_MAX_TABLES; `tables` is then untouched */
nd_status nd_simhash_design(uint32_t distance, uint32_t blocks, nd_simhash_tables *tables);

/** The fewest blocks (the fewest tables) with which a print meets at most `by_chance` of `prints`
 * random prints in a table; if none is enough, the most that nd_simhash_design() takes.
 * \param[in] distance  1 .. ND_SIMHASH_MAX_DISTANCE */
uint32_t nd_simhash_blocks_for(uint32_t distance, uint64_t prints, uint64_t by_chance);

/** The keys of a print: the fixed bits of each table, mixed with the table's number.
 * \param[out] keys  tables->count keys, in the order of the tables */
void nd_simhash_keys(const nd_simhash_tables *tables, uint64_t print, uint64_t *keys);

#endif
