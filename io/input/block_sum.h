/** \file io/input/block_sum.h
 * A checksum of a file that is taken in parts: the sum, modulo 2^64, of the XXH3 (64 bits) of each
 * of its blocks of 64 KiB, with the number of the block as seed. Who looks after bytes [begin, end)
 * sums up the blocks that begin there, the last one to its end. No file is opened here. The
 * invariant: ranges that cover a file once have, added up, the sum of the whole, however it was
 * cut.
 */
#ifndef ND_IO_INPUT_BLOCK_SUM_H
#define ND_IO_INPUT_BLOCK_SUM_H

#include "src/base/status.h"
#include "src/base/util.h"

enum { ND_SUMMED_BLOCK = 64 << 10 };

/** All zero: of nothing. */
typedef struct nd_block_sum {
    uint64_t next; /**< byte of the file that is to come next; `end` once the sum is complete */
    uint64_t end;
    uint64_t sum;               /**< of the blocks before `next` */
    struct XXH3_state_s *state; /**< of the block that `next` lies in, if it was begun */
} nd_block_sum;

/** Begin with the blocks that begin in bytes [begin, end) of a file of so many.
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_block_sum_begin(nd_block_sum *sum, uint64_t begin, uint64_t end, uint64_t file_bytes);

/** Take bytes that stand at `place`: those from `next` on, if it is among them. */
void nd_block_sum_add(nd_block_sum *sum, uint64_t place, nd_span bytes);

void nd_block_sum_free(nd_block_sum *sum);

#endif
