#include "src/sets/repeated_keys.h"

#include "src/base/buffer.h"

#include <stdlib.h>

/* The high bits of a key are its cell, of which there are some for each record; whether a cell has
 * been seen once, and once more, are two bits, of which 32 pairs lie in a word. */
enum { KEY_BITS = 64, CELLS_OF_RECORD = 8, PAIRS = 32, PAIR_BITS = 5 };

nd_status nd_repeated_keys(nd_key_value *records, uint64_t *count) {
    uint64_t *words = NULL;
    uint64_t kept = 0;
    unsigned bits = PAIR_BITS;
    while (bits < KEY_BITS / 2 && (UINT64_C(1) << bits) / CELLS_OF_RECORD < *count) {
        bits++;
    }
    const unsigned shift = KEY_BITS - bits;
    nd_new(&words, (size_t)(UINT64_C(1) << bits) / PAIRS, sizeof *words);
    for (uint64_t i = 0; i < *count; i++) { /* a pair goes from 00 to 01 to 11 */
        const uint64_t cell = records[i].key >> shift;
        const unsigned place = 2 * (unsigned)(cell % PAIRS);
        const uint64_t seen = words[cell / PAIRS] >> place & 1;
        words[cell / PAIRS] |= (1 + 2 * seen) << place;
    }
    for (uint64_t i = 0; i < *count; i++) {
        const nd_key_value record = records[i];
        const uint64_t cell = record.key >> shift;
        records[kept] = record;
        kept += words[cell / PAIRS] >> (2 * (cell % PAIRS) + 1) & 1;
    }
    *count = kept;
    free(words);
    return ND_OK;
}
