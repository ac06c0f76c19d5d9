#define XXH_INLINE_ALL /* a shingle is a few words: calling would take as long as hashing */
#include "src/sketch/shingle.h"

#include "src/sketch/distinct.h"
#include "src/sketch/shingle_internal.h"

#include <xxhash.h>

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
    return options->distinct ? nd_hashes_distinct(values, count) : count;
}
