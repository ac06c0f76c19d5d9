#define XXH_INLINE_ALL /* a shingle is a few words: calling would take as long as hashing */

#include "src/sketch/shingle.h"

#include "src/base/cpu.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "src/sketch/shingle_internal.h"

#include <xxhash.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- shingles */

size_t nd_shingle_places(const nd_shingle_options *options, size_t n) {
    if (n < options->tokens) {
        return n > 0;
    }
    return options->wrap ? n : n - options->tokens + 1;
}

static inline uint64_t hash(uint64_t seed, const uint32_t *tokens, size_t count) {
    return XXH3_64bits_withSeed(tokens, count * sizeof *tokens, seed);
}

/* Inlined where k is a number: what xxHash does for that length is then all that is compiled. */
static inline __attribute__((always_inline)) void
fill_whole(uint64_t seed, const uint32_t *tokens, size_t k, size_t count, uint64_t *values) {
    for (size_t i = 0; i < count; i++) {
        values[i] = hash(seed, tokens + i, k);
    }
}

void nd_shingle_fill_plain(uint64_t seed, const uint32_t *tokens, size_t count, uint64_t *values) {
    fill_whole(seed, tokens, ND_SHINGLE_USUAL, count, values);
}

static const nd_shingle_variant plain = {"plain", 0, nd_shingle_fill_plain};

const nd_shingle_variant *const nd_shingle_variants[] = {
    &plain,
#if defined(__x86_64__) && ND_SIMD
    &nd_shingle_avx512,
#endif
};
const size_t nd_shingle_variant_count = sizeof nd_shingle_variants / sizeof nd_shingle_variants[0];

static void fill_xxhash(const nd_shingle_options *options, const uint32_t *tokens, size_t n,
                        uint64_t *values) {
    const size_t k = options->tokens;
    const size_t whole = n - k + 1;
    if (k == ND_SHINGLE_USUAL) {
        size_t best;
        ND_CPU_BEST(best, nd_shingle_variant_count, nd_shingle_variants[best]->needs);
        nd_shingle_variants[best]->fill(options->seed, tokens, whole, values);
    } else {
        fill_whole(options->seed, tokens, k, whole, values);
    }
    /* The last tokens of the page and its first ones, as if they stood in one place. */
    for (size_t i = whole; options->wrap && i < n; i++) {
        XXH3_state_t state = {.seed = 0}; /* resetting looks at what was there */
        (void)XXH3_64bits_reset_withSeed(&state, options->seed);
        (void)XXH3_64bits_update(&state, tokens + i, (n - i) * sizeof *tokens);
        (void)XXH3_64bits_update(&state, tokens, (k - (n - i)) * sizeof *tokens);
        values[i] = XXH3_64bits_digest(&state);
    }
}

static void fill_rabin(const nd_shingle_options *options, const uint32_t *tokens, size_t n,
                       uint64_t *values) {
    const size_t k = options->tokens;
    const size_t count = nd_shingle_places(options, n);
    uint64_t fingerprint = nd_rabin_of(options->rabin, tokens, k);
    values[0] = fingerprint;
    for (size_t i = 1; i < count; i++) {
        const size_t last = i + k - 1;
        fingerprint = nd_rabin_roll(options->rabin, fingerprint, tokens[i - 1],
                                    tokens[last < n ? last : last - n]);
        values[i] = fingerprint;
    }
}

/* What comes for the second time gets another value, and so on. */
static void tell_repeats_apart(uint64_t *values, size_t count) {
    static const nd_record_order ascending = {.word_count = 1};
    uint64_t value = 0;
    uint64_t times = 0;
    nd_record_sort(values, count, sizeof *values, &ascending);
    for (size_t i = 0; i < count; i++) {
        times = i > 0 && values[i] == value ? times + 1 : 0;
        value = values[i];
        if (times > 0) {
            values[i] = XXH3_64bits_withSeed(&value, sizeof value, times);
        }
    }
}

size_t nd_shingle_values(const nd_shingle_options *options, const uint32_t *tokens, size_t n,
                         uint64_t *values) {
    size_t count = nd_shingle_places(options, n);
    if (n < options->tokens && n > 0) {
        values[0] = options->rabin != NULL ? nd_rabin_of(options->rabin, tokens, n)
                                           : hash(options->seed, tokens, n);
    } else if (n > 0) {
        (options->rabin != NULL ? fill_rabin : fill_xxhash)(options, tokens, n, values);
    }
    if (options->modulus > 1) {
        size_t kept = 0;
        for (size_t i = 0; i < count; i++) {
            if (values[i] % options->modulus == 0) {
                values[kept++] = values[i];
            }
        }
        count = kept;
    }
    if (options->counted) {
        tell_repeats_apart(values, count);
    }
    return options->distinct ? nd_hashes_distinct(values, count) : count;
}

/* ---- hashes as a set */

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

/* ---- syncmers */

enum { PAIRS = ND_SYNCMER_TOKENS - 1 };

static uint64_t pair_of(const uint32_t *tokens) {
    return tokens[0] | (uint64_t)tokens[1] << 32;
}

size_t nd_syncmer_keys(const uint32_t *tokens, size_t n, uint64_t *keys) {
    uint64_t ring[PAIRS]; /* hashes of the latest pairs */
    size_t count = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        ring[i % PAIRS] = nd_mix64(pair_of(tokens + i));
        if (i + 1 < PAIRS) {
            continue;
        }
        uint64_t least = ring[0];
        for (size_t j = 1; j < PAIRS; j++) {
            least = nd_min(least, ring[j]);
        }
        const size_t begin = i + 1 - PAIRS;
        if (ring[begin % PAIRS] == least || ring[i % PAIRS] == least) {
            uint64_t key = 0;
            for (size_t j = 0; j < ND_SYNCMER_TOKENS; j += 2) {
                key = nd_mix64(key + pair_of(tokens + begin + nd_min(j, ND_SYNCMER_TOKENS - 2)));
            }
            keys[count++] = key;
        }
    }
    return (size_t)nd_numbers_distinct(keys, count);
}
