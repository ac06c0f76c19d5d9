/** \file src/sketch/simhash.h
 * 64-bit simhash and its tables of permuted blocks (Manku, Jain and Das Sarma, WWW 2007, section
 * 3): near-duplicates are pages whose prints differ in at most k bits. A print is cut into m
 * blocks; a table fixes m - k of them, so that prints at distance k or less agree in the fixed
 * blocks of some table, whatever bits differ. Instead of sorting a table of permuted prints, pages
 * meet under a key made of the fixed blocks. The prints themselves are charikar.h's of 64 bits.
 *
 * For k = 3: 4 blocks give 4 tables that fix 16 bits, 5 give 10 of 25 or more, 6 give the paper's
 * 20 of 31 or more. (Its 16 tables cut the rest of the print again; they are not offered.) N prints
 * meet N / 2^fixed others by chance in each table.
 */
#ifndef ND_SKETCH_SIMHASH_H
#define ND_SKETCH_SIMHASH_H

#include "src/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
