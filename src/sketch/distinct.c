#include "src/sketch/distinct.h"

#include "src/base/cpu.h"
#include "src/base/numbers.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The high bits of a hash name its cell, and each cell is one bit. Of a cell's hashes the first one
 * is marked: with 32 to 64 cells for a hash, all but some 1 in 100 are, and are repeats of none.
 * The marks before a hash's own are its rank among the marked: so they are laid out in order
 * without a comparison, and without a branch that cannot be foreseen. The others are sorted by
 * comparing, and merged. */
#define INLINED inline __attribute__((always_inline))

enum { WORD_BITS = 64, HASHES_OF_WORD = 2 };

typedef struct cells {
    uint64_t *marks;
    uint32_t *ranks;  /* of words of marks: how many marks are before it */
    uint64_t *placed; /* the marked hashes, in order */
    size_t words;     /* a power of two */
    unsigned shift;   /* from a hash to its cell's place in its word, ... */
    unsigned word;    /* ... to its word */
} cells;

/* How many bits are 1; without the instruction the library's way is slower than this. */
static INLINED uint32_t ones(uint64_t x, bool instruction) {
    if (instruction) {
        return (uint32_t)__builtin_popcountll(x);
    }
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(x * UINT64_C(0x0101010101010101) >> 56);
}

static INLINED uint64_t mark_of(cells c, uint64_t hash) {
    return UINT64_C(1) << (hash >> c.shift & (WORD_BITS - 1));
}

/* Mark the cells. \param[out] others  the hashes whose cell was marked before; the marked ones move
 * to the front. \return how many are marked */
static INLINED size_t mark(cells c, uint64_t *hashes, size_t count, uint64_t *others) {
    size_t marked = 0, other = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t hash = hashes[i];
        const uint64_t bit = mark_of(c, hash);
        uint64_t *word = &c.marks[hash >> c.word];
        const size_t before = (*word & bit) != 0;
        *word |= bit;
        others[other] = hash;
        hashes[marked] = hash;
        other += before;
        marked += 1 - before;
    }
    return marked;
}

/* How many marked hashes are in cells before that of a hash. */
static INLINED size_t rank_of(cells c, uint64_t hash, bool instruction) {
    const size_t word = hash >> c.word;
    return c.ranks[word] + ones(c.marks[word] & (mark_of(c, hash) - 1), instruction);
}

/* Merge the marked hashes and the others, in order, of which each falls into the cell of one. */
static INLINED size_t merge(cells c, size_t marked, const uint64_t *others, size_t other_count,
                            uint64_t *to, bool instruction) {
    size_t done = 0, count = 0;
    for (size_t i = 0; i < other_count; i++) {
        size_t rank = rank_of(c, others[i], instruction);
        rank += c.placed[rank] < others[i];
        memcpy(to + count, c.placed + done, (rank - done) * sizeof *to);
        count += rank - done;
        to[count++] = others[i];
        done = rank;
    }
    memcpy(to + count, c.placed + done, (marked - done) * sizeof *to);
    return count + marked - done;
}

static INLINED size_t sort(cells c, uint64_t *hashes, size_t count, uint64_t *others,
                           bool instruction) {
    const size_t marked = mark(c, hashes, count, others);
    uint32_t before = 0;
    for (size_t i = 0; i < c.words; i++) {
        c.ranks[i] = before;
        before += ones(c.marks[i], instruction);
    }
    for (size_t i = 0; i < marked; i++) {
        c.placed[rank_of(c, hashes[i], instruction)] = hashes[i];
    }
    /* Of the others, drop those that a marked hash repeats: most of them, on a page that says
     * things again. */
    size_t apart = 0;
    for (size_t i = 0; i < count - marked; i++) {
        const uint64_t hash = others[i];
        others[apart] = hash;
        apart += c.placed[rank_of(c, hash, instruction)] != hash;
    }
    return merge(c, marked, others, (size_t)nd_numbers_distinct(others, apart), hashes,
                 instruction);
}

static size_t sort_plain(cells c, uint64_t *hashes, size_t count, uint64_t *others) {
    return sort(c, hashes, count, others, false);
}

#if defined(__x86_64__) && ND_SIMD

/* The same with shifts by any number of bits in one step, and bits counted likewise. */
__attribute__((target("popcnt,bmi,bmi2"))) static size_t sort_bits(cells c, uint64_t *hashes,
                                                                   size_t count, uint64_t *others) {
    return sort(c, hashes, count, others, true);
}

#else

static size_t sort_bits(cells c, uint64_t *hashes, size_t count, uint64_t *others) {
    return sort_plain(c, hashes, count, others);
}

#endif

size_t nd_hashes_distinct(uint64_t *hashes, size_t count) {
    cells c = {.words = HASHES_OF_WORD};
    while (c.words < count / HASHES_OF_WORD) {
        c.words *= 2;
    }
    uint64_t *memory = NULL;
    if (count <= UINT32_MAX) {
        memory = malloc((c.words + 2 * count + (c.words + 1) / 2) * sizeof *memory);
    }
    if (memory == NULL) {
        return (size_t)nd_numbers_distinct(hashes, count);
    }
    c.word = WORD_BITS - (unsigned)__builtin_ctzll(c.words);
    c.shift = c.word - (unsigned)__builtin_ctz(WORD_BITS);
    c.marks = memory;
    c.placed = c.marks + c.words;
    uint64_t *others = c.placed + count;
    c.ranks = (uint32_t *)(void *)(others + count);
    memset(c.marks, 0, c.words * sizeof *c.marks);
    const size_t kept = (nd_cpu_has(ND_CPU_POPCNT | ND_CPU_BMI2) ? sort_bits : sort_plain)(
        c, hashes, count, others);
    free(memory);
    return kept;
}
