#include "io/input/block_sum.h"

#include "src/base/util.h"
#include "src/hash/xxh3_64.h"

#include <stdbool.h>
#include <xxhash.h>

/* Where the first block begins that does so at `place` or after it, or the file ends. */
static uint64_t first_block(uint64_t place, uint64_t file_bytes) {
    const uint64_t passed = place % ND_SUMMED_BLOCK;
    const uint64_t left = passed > 0 ? ND_SUMMED_BLOCK - passed : 0;
    return place < file_bytes && file_bytes - place > left ? place + left : file_bytes;
}

nd_status nd_block_sum_begin(nd_block_sum *sum, uint64_t begin, uint64_t end, uint64_t file_bytes) {
    *sum = (nd_block_sum){.next = first_block(begin, file_bytes),
                          .end = first_block(end, file_bytes),
                          .state = XXH3_createState()};
    if (sum->state == NULL) {
        return nd_fail(ND_ERR_MEMORY, "out of memory: a checksum");
    }
    return ND_OK;
}

void nd_block_sum_add(nd_block_sum *sum, uint64_t place, nd_span bytes) {
    while (sum->next < sum->end && sum->next >= place && sum->next - place < bytes.size) {
        const uint64_t block = sum->next / ND_SUMMED_BLOCK;
        const uint64_t block_end = nd_min((block + 1) * ND_SUMMED_BLOCK, sum->end);
        const size_t passed = (size_t)(sum->next - place);
        const size_t taken = (size_t)nd_min(bytes.size - passed, block_end - sum->next);
        const nd_span part = {bytes.data + passed, taken};
        const bool begins = sum->next % ND_SUMMED_BLOCK == 0;
        sum->next += taken;
        if (begins && sum->next == block_end) {
            sum->sum += nd_xxh3_64(part, block);
            continue;
        }
        if (begins) {
            (void)XXH3_64bits_reset_withSeed(sum->state, block);
        }
        (void)XXH3_64bits_update(sum->state, part.data, part.size);
        sum->sum += sum->next == block_end ? XXH3_64bits_digest(sum->state) : 0;
    }
}

void nd_block_sum_free(nd_block_sum *sum) {
    (void)XXH3_freeState(sum->state);
    *sum = (nd_block_sum){0};
}
