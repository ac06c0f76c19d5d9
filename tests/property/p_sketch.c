/* Hashes and sketches against slow ones, in all variants of the processor. */
#define XXH_INLINE_ALL

#include "src/base/sort.h"
#include "src/base/util.h"
#include "src/compare/jaccard.h"
#include "src/hash/md5_internal.h"
#include "src/hash/rabin.h"
#include "src/hash/xxh3_64.h"
#include "src/sketch/charikar_internal.h"
#include "src/sketch/fingerprint.h"
#include "src/sketch/minhash_internal.h"
#include "src/sketch/shingle.h"
#include "src/sketch/shingle_internal.h"
#include "src/sketch/simhash.h"
#include "tests/support/check.h"
#include "tests/support/slow.h"

#include <math.h>
#include <xxhash.h>

/* ---- Every MD5 variant that this machine has against the plain one, on random messages. */

enum { ROUNDS_MD5 = 150, MAX_MESSAGES = 600, POOL = 1 << 16, MAX_LONG = 5000 };
static uint8_t pool[POOL];

/* Mostly the length of a sentence; sometimes long, sometimes right at a block's end. */
static nd_span random_message(nd_random *random) {
    size_t size = nd_random_below(random, 130);
    switch (nd_random_below(random, 16)) {
    case 0:
        size = nd_random_below(random, MAX_LONG);
        break;
    case 1:
        size = 64 * nd_random_below(random, 20) + 50 + nd_random_below(random, 20);
        break;
    default:
        break;
    }
    return (nd_span){pool + nd_random_below(random, POOL - MAX_LONG), size};
}

static size_t wrong_digests(const nd_md5_variant *variant, const nd_span *messages, size_t count) {
    static nd_md5 digests[MAX_MESSAGES];
    size_t wrong = 0;
    memset(digests, 0, sizeof digests);
    nd_md5_batch_by(variant, messages, count, digests);
    for (size_t i = 0; i < count; i++) {
        nd_md5 expected;
        nd_slow_md5(messages[i], &expected);
        if (memcmp(&expected, &digests[i], sizeof expected) != 0) {
            printf("%s: message %zu of %zu, %zu bytes\n", variant->name, i, count,
                   messages[i].size);
            wrong++;
        }
    }
    return wrong;
}

ND_TEST("variants equal the plain one") {
    nd_random random = nd_test_random("md5");
    for (size_t i = 0; i < POOL; i++) {
        pool[i] = (uint8_t)nd_random_next(&random);
    }
    for (size_t v = 0; v < nd_md5_variant_count; v++) {
        const nd_md5_variant *variant = nd_md5_variants[v];
        size_t wrong = 0;
        if (!nd_cpu_has(variant->needs)) {
            printf("%s: not on this machine\n", variant->name);
            continue;
        }
        for (int round = 0; round < nd_test_rounds(ROUNDS_MD5) && wrong == 0; round++) {
            nd_span messages[MAX_MESSAGES];
            size_t count = nd_random_below(&random, round % 2 == 0 ? 40 : MAX_MESSAGES);
            for (size_t i = 0; i < count; i++) {
                messages[i] = random_message(&random);
            }
            wrong += wrong_digests(variant, messages, count);
        }
        CU_ASSERT_EQUAL(wrong, 0);
    }
}

/* ---- XXH3 of whole messages against the library's, for messages of all sizes around those at
 * which the specification goes another way, at any address, with any seed. */

enum { LONGEST_XXH3_64 = 1 << 17, SHORT = 5000, LONG_ONES = 400 };

ND_TEST("against the library") {
    nd_random random = nd_test_random("xxh3_64");
    ND_FREED uint8_t *bytes = malloc(LONGEST_XXH3_64);
    size_t wrong = 0;
    CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
    for (size_t i = 0; i < LONGEST_XXH3_64; i++) {
        bytes[i] = (uint8_t)nd_random_next(&random);
    }
    for (size_t size = 0; size < SHORT + LONG_ONES; size++) {
        const size_t long_one = nd_random_below(&random, LONGEST_XXH3_64 / 2);
        const size_t begin = nd_random_below(&random, LONGEST_XXH3_64 / 2);
        const nd_span message = {bytes + begin, size < SHORT ? size : long_one};
        const uint64_t seed = nd_random_below(&random, 2) * nd_random_next(&random);
        wrong +=
            nd_xxh3_64(message, seed) != XXH3_64bits_withSeed(message.data, message.size, seed);
        wrong += nd_xxh3_64(message, 0) != XXH3_64bits(message.data, message.size);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* ---- Rabin fingerprints by tables against the remainder computed coefficient by coefficient, and
 * the choice of irreducible polynomials against known ones and against products. */

enum {
    POLYNOMIALS = 20,
    PAGES_RABIN = 50,
    LONGEST_RABIN = 120,
    WIDEST_RABIN = 20,
    PRODUCTS = 3000
};

static size_t random_tokens(nd_random *random, uint32_t *tokens) {
    const size_t count = nd_random_below(random, LONGEST_RABIN + 1);
    const uint64_t alphabet = nd_random_below(random, 2) == 0 ? 3 : UINT64_C(1) << 32;
    for (size_t i = 0; i < count; i++) {
        tokens[i] = (uint32_t)nd_random_below(random, alphabet);
    }
    return count;
}

/* Every window of the page by rolling, and the whole page. */
static size_t count_wrong_rabin(const nd_rabin *rabin, const uint32_t *tokens, size_t count) {
    const size_t window = rabin->window;
    size_t wrong =
        nd_rabin_of(rabin, tokens, count) != nd_slow_rabin(rabin->polynomial, tokens, count);
    if (count < window) {
        return wrong;
    }
    uint64_t rolled = nd_rabin_of(rabin, tokens, window);
    for (size_t i = 0; i + window < count; i++) {
        rolled = nd_rabin_roll(rabin, rolled, tokens[i], tokens[i + window]);
        wrong += rolled != nd_slow_rabin(rabin->polynomial, tokens + i + 1, window);
    }
    return wrong;
}

ND_TEST("against the bitwise remainder") {
    nd_random random = nd_test_random("rabin");
    static nd_rabin rabin;
    size_t wrong = 0;
    for (int i = 0; i < POLYNOMIALS && wrong == 0; i++) {
        nd_rabin_start(&rabin, nd_random_next(&random), 1 + nd_random_below(&random, WIDEST_RABIN));
        for (int j = 0; j < PAGES_RABIN; j++) {
            uint32_t tokens[LONGEST_RABIN];
            wrong += count_wrong_rabin(&rabin, tokens, random_tokens(&random, tokens));
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* The product of two polynomials, without the coefficient of x^64. */
static uint64_t product_of(uint64_t a, uint64_t b) {
    uint64_t product = 0;
    for (int i = 0; i < 64; i++) {
        product ^= (b >> i & 1) != 0 ? a << i : 0;
    }
    return product;
}

/* A polynomial of degree `degree` times one of degree 64 - degree. */
ND_TEST("products are reducible") {
    nd_random random = nd_test_random("rabin products");
    size_t wrong = 0;
    for (int i = 0; i < PRODUCTS; i++) {
        const uint64_t degree = 1 + nd_random_below(&random, 32);
        const uint64_t other = 64 - degree;
        const uint64_t a = UINT64_C(1) << degree | nd_random_next(&random) >> (64 - degree);
        const uint64_t b = UINT64_C(1) << other | nd_random_next(&random) >> (64 - other);
        wrong += nd_rabin_irreducible(product_of(a, b));
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* One polynomial of degree 64 in 64 is irreducible (2^64 / 64 of them, nearly): of those that x
 * does not divide, one in 32. With 3,000 drawn the standard deviation is 9.5. */
ND_TEST("share of irreducible polynomials") {
    nd_random random = nd_test_random("rabin share");
    size_t irreducible = 0;
    for (int i = 0; i < PRODUCTS; i++) {
        irreducible += nd_rabin_irreducible(nd_random_next(&random) | 1);
    }
    printf("%zu of %d irreducible\n", irreducible, PRODUCTS);
    CU_ASSERT(irreducible > PRODUCTS / 32 - 60 && irreducible < PRODUCTS / 32 + 60);
}

/* ---- Shingles against windows that are copied out of the page one by one, and the resemblance of
 * sets against comparing every value with every other. */

enum { PAIRS_SHINGLE = 3000, LONGEST_SHINGLE = 150, WIDEST_SHINGLE = 80, THRESHOLDS = 6 };

static size_t smaller(size_t x, size_t y) {
    return x < y ? x : y;
}

/* ---- values */

static uint64_t slow_value(const nd_shingle_options *options, const uint32_t *window,
                           size_t count) {
    return options->rabin != NULL
               ? nd_slow_rabin(options->rabin->polynomial, window, count)
               : XXH3_64bits_withSeed(window, count * sizeof *window, options->seed);
}

static size_t slow_values(const nd_shingle_options *options, const uint32_t *tokens, size_t n,
                          uint64_t *values) {
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t window[WIDEST_SHINGLE];
        const size_t size = smaller(n, options->tokens);
        if (i + size > n && !(options->wrap && n >= options->tokens)) {
            break;
        }
        for (size_t j = 0; j < size; j++) {
            window[j] = tokens[(i + j) % n];
        }
        const uint64_t value = slow_value(options, window, size);
        if (value % options->modulus == 0) {
            values[count++] = value;
        }
    }
    if (!options->distinct) {
        return count;
    }
    nd_sort(values, count, sizeof *values, nd_test_by_u64);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || values[i] != values[kept - 1]) {
            values[kept++] = values[i];
        }
    }
    return kept;
}

/* Mostly small; from 61 tokens on XXH3 works in another way. */
static uint32_t random_width(nd_random *random) {
    return 1 + (uint32_t)nd_random_below(random, 1 + nd_random_below(random, WIDEST_SHINGLE));
}

static nd_shingle_options random_options(nd_random *random, const nd_rabin *rabin) {
    static const uint32_t moduli[] = {1, 1, 2, 16, 25};
    const bool by_rabin = nd_random_below(random, 2) == 0;
    return (nd_shingle_options){
        .tokens = by_rabin ? (uint32_t)rabin->window : random_width(random),
        .modulus = moduli[nd_random_below(random, 5)],
        .seed = nd_random_below(random, 3),
        .rabin = by_rabin ? rabin : NULL,
        .wrap = nd_random_below(random, 2) == 0,
        .distinct = nd_random_below(random, 2) == 0,
    };
}

static bool values_agree(const nd_shingle_options *options, const uint32_t *tokens, size_t n) {
    uint64_t fast[LONGEST_SHINGLE + 1], slow[LONGEST_SHINGLE + 1];
    const size_t count = nd_shingle_values(options, tokens, n, fast);
    const size_t expected = slow_values(options, tokens, n, slow);
    if (count == expected && memcmp(fast, slow, count * sizeof *fast) == 0) {
        return true;
    }
    printf("n=%zu k=%u modulus=%u rabin=%d wrap=%d distinct=%d: %zu, not %zu\n", n, options->tokens,
           options->modulus, options->rabin != NULL, options->wrap, options->distinct, count,
           expected);
    return false;
}

ND_TEST("values against copied windows") {
    static nd_token_pair p;
    static nd_rabin rabin;
    nd_random random = nd_test_random("shingle values");
    size_t wrong = 0;
    for (int i = 0; i < nd_test_rounds(PAIRS_SHINGLE) && wrong == 0; i++) {
        if (i % 100 == 0) {
            nd_rabin_start(&rabin, nd_random_next(&random), random_width(&random));
        }
        const nd_shingle_options options = random_options(&random, &rabin);
        nd_random_token_pair(&random, LONGEST_SHINGLE, &p);
        wrong += !values_agree(&options, p.a, p.n);
        wrong += !values_agree(&options, p.b, p.m);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Tokens at the end of their memory, so that reading beyond it shows. */
ND_TEST("every variant against xxHash") {
    nd_random random = nd_test_random("shingle variants");
    for (int i = 0; i < nd_test_rounds(PAIRS_SHINGLE); i++) {
        const size_t count = nd_random_below(&random, 40);
        const size_t n = count + ND_SHINGLE_USUAL - 1;
        const uint64_t seed = nd_random_below(&random, 2) * nd_random_next(&random);
        ND_FREED uint32_t *tokens = nd_alloc(n * sizeof *tokens, 1);
        for (size_t j = 0; j < n; j++) {
            tokens[j] = (uint32_t)nd_random_next(&random);
        }
        for (size_t v = 0; v < nd_shingle_variant_count; v++) {
            uint64_t values[40];
            if (!nd_cpu_has(nd_shingle_variants[v]->needs)) {
                continue;
            }
            nd_shingle_variants[v]->fill(seed, tokens, count, values);
            for (size_t j = 0; j < count; j++) {
                CU_ASSERT_EQUAL_FATAL(
                    values[j],
                    XXH3_64bits_withSeed(tokens + j, ND_SHINGLE_USUAL * sizeof *tokens, seed));
            }
        }
    }
}

/* ---- resemblance */

static size_t slow_shared(const uint64_t *a, size_t n, const uint64_t *b, size_t m) {
    size_t shared = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) {
            shared += a[i] == b[j];
        }
    }
    return shared;
}

static bool resemblance_agrees(const uint64_t *a, size_t n, const uint64_t *b, size_t m,
                               nd_random *random) {
    const size_t shared = slow_shared(a, n, b, m);
    const double exact = n + m == 0 ? 0 : (double)shared / (double)(n + m - shared);
    bool agrees = nd_resemblance(a, n, b, m, 0) == exact &&
                  exact <= nd_resemblance_ratio(n < m ? n : m, n, m);
    for (int i = 0; i < THRESHOLDS && agrees; i++) {
        const double threshold = nd_random_threshold(random, exact);
        const double expected = exact >= threshold ? exact : 0;
        const uint64_t least = nd_random_below(random, shared + 3);
        agrees = nd_resemblance(a, n, b, m, threshold) == expected &&
                 nd_resemblance(b, m, a, n, threshold) == expected &&
                 nd_set_shared(a, n, b, m, least) == (shared >= least ? shared : 0);
    }
    if (!agrees) {
        printf("n=%zu m=%zu shared=%zu\n", n, m, shared);
    }
    return agrees;
}

ND_TEST("resemblance against all pairs") {
    static nd_token_pair p;
    nd_random random = nd_test_random("resemblance");
    size_t wrong = 0;
    for (int i = 0; i < nd_test_rounds(PAIRS_SHINGLE) && wrong == 0; i++) {
        uint64_t a[LONGEST_SHINGLE + 1], b[LONGEST_SHINGLE + 1];
        const nd_shingle_options options = {
            .tokens = 1 + (uint32_t)nd_random_below(&random, 3), .modulus = 1, .distinct = true};
        nd_random_token_pair(&random, LONGEST_SHINGLE, &p);
        const size_t n = nd_shingle_values(&options, p.a, p.n, a);
        const size_t m = nd_shingle_values(&options, p.b, p.m, b);
        wrong += !resemblance_agrees(a, n, b, m, &random);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* ---- Min-wise sketches: every variant against products computed by adding and doubling, on random
 * permutations and values and on the largest and smallest there are; and the share of equal minima
 * against the resemblance of random sets. */

enum { SETS = 60, MOST_PERMUTATIONS = 23, MOST_VALUES = 3 * ND_MINHASH_CHUNK };

/* Numbers near the places where a reduction can go wrong, among others. */
static uint64_t random_number(nd_random *random) {
    static const uint64_t borders[] = {0,
                                       UINT32_MAX,
                                       UINT64_C(1) << 31,
                                       ND_MINHASH_MODULUS,
                                       2 * ND_MINHASH_MODULUS,
                                       UINT64_C(1) << 62,
                                       UINT64_MAX};
    if (nd_random_below(random, 2) == 0) {
        return nd_random_next(random);
    }
    return borders[nd_random_below(random, 7)] + nd_random_below(random, 5) - 2;
}

static void random_permutations(nd_random *random, nd_minhash *minhash) {
    for (size_t i = 0; i < minhash->count; i++) {
        minhash->multipliers[i] = 1 + random_number(random) % (ND_MINHASH_MODULUS - 1);
        minhash->offsets[i] = random_number(random) % ND_MINHASH_MODULUS;
    }
}

/* Which value gives the minimum is not said: sets of one value are compared as well. */
static size_t count_wrong_minhash(const nd_minhash *minhash, const uint64_t *values, size_t count) {
    size_t wrong = 0;
    for (size_t v = 0; v < nd_minhash_variant_count; v++) {
        const nd_minhash_variant *variant = nd_minhash_variants[v];
        uint64_t minima[MOST_PERMUTATIONS];
        if (!nd_cpu_has(variant->needs) ||
            !nd_minhash_sketch_by(variant, minhash, values, count, minima)) {
            continue;
        }
        for (size_t i = 0; i < minhash->count; i++) {
            const uint64_t expected = nd_slow_minimum(minhash->multipliers[i], minhash->offsets[i],
                                                      ND_MINHASH_MODULUS, values, count);
            if (minima[i] != expected) {
                printf("%s: permutation %zu of %zu, %zu values: %llu, not %llu\n", variant->name, i,
                       minhash->count, count, (unsigned long long)minima[i],
                       (unsigned long long)expected);
                wrong++;
            }
        }
    }
    return wrong;
}

ND_TEST("against slow products") {
    static uint64_t values[MOST_VALUES];
    nd_random random = nd_test_random("minhash");
    size_t wrong = 0;
    for (int i = 0; i < SETS && wrong == 0; i++) {
        ND_OWNED(nd_minhash_free) nd_minhash minhash;
        const size_t permutations = 1 + nd_random_below(&random, MOST_PERMUTATIONS);
        nd_minhash_new(&minhash, permutations, 0);
        random_permutations(&random, &minhash);
        const size_t most = i % 4 == 0 ? MOST_VALUES : 20;
        const size_t count = 1 + nd_random_below(&random, most);
        for (size_t j = 0; j < count; j++) {
            values[j] = random_number(&random);
        }
        wrong += count_wrong_minhash(&minhash, values, count);
        for (size_t j = 0; j < count && j < 20; j++) {
            wrong += count_wrong_minhash(&minhash, values + j, 1);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Large values that give small ones: the whole product of either is taken away many times, which a
 * variant that estimates values must not lose. */
ND_TEST("small minima of large values") {
    ND_OWNED(nd_minhash_free) nd_minhash minhash;
    size_t wrong = 0;
    nd_minhash_new(&minhash, 1, 0);
    minhash.multipliers[0] = ND_MINHASH_MODULUS - 1;
    for (uint64_t offset = 0; offset < 3; offset++) {
        minhash.offsets[0] = offset;
        for (int digit = 0; digit < 40; digit++) {
            const uint64_t values[] = {ND_MINHASH_MODULUS - (UINT64_C(1) << 40),
                                       ND_MINHASH_MODULUS - (UINT64_C(1) << digit)};
            wrong += count_wrong_minhash(&minhash, values, 2);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* The first permutations of a larger count are those of a smaller one. */
ND_TEST("the first permutations stay") {
    nd_random random = nd_test_random("minhash prefix");
    const uint64_t seed = nd_random_next(&random), value = nd_random_next(&random);
    uint64_t few[7], many[60];
    ND_OWNED(nd_minhash_free) nd_minhash small, large;
    nd_minhash_new(&small, 7, seed);
    nd_minhash_new(&large, 60, seed);
    CU_ASSERT(nd_minhash_sketch(&small, &value, 1, few));
    CU_ASSERT(nd_minhash_sketch(&large, &value, 1, many));
    CU_ASSERT_EQUAL(nd_minhash_equal(few, many, 7), 7);
}

enum { UNION = 200, TRIALS_MINHASH = 40, PERMUTATIONS = 500 };

/* Mean share of equal minima over sets of which `shared` of UNION values are common. */
static double mean_share(nd_random *random, size_t shared) {
    size_t equal = 0;
    for (int t = 0; t < nd_test_rounds(TRIALS_MINHASH); t++) {
        uint64_t values[UNION], one[PERMUTATIONS], other[PERMUTATIONS];
        ND_OWNED(nd_minhash_free) nd_minhash minhash;
        nd_minhash_new(&minhash, PERMUTATIONS, nd_random_next(random));
        for (size_t i = 0; i < UNION; i++) {
            values[i] = nd_random_next(random);
        }
        const size_t only_one = (UNION - shared) / 2;
        CU_ASSERT(nd_minhash_sketch(&minhash, values, only_one + shared, one));
        CU_ASSERT(nd_minhash_sketch(&minhash, values + only_one, UNION - only_one, other));
        equal += nd_minhash_equal(one, other, PERMUTATIONS);
    }
    return (double)equal / nd_test_rounds(TRIALS_MINHASH) / (double)PERMUTATIONS;
}

/* Within six standard errors: one run in 10^8 or so fails by chance. */
ND_TEST("equal minima and resemblance") {
    nd_random random = nd_test_random("minhash share");
    for (size_t shared = 20; shared < UNION; shared += 40) {
        const double exact = (double)shared / (double)UNION;
        const double found = mean_share(&random, shared);
        const double error =
            sqrt(exact * (1 - exact) / nd_test_rounds(TRIALS_MINHASH) / (double)PERMUTATIONS);
        printf("resemblance %.2f: %.4f +- %.4f\n", exact, found, error);
        CU_ASSERT(fabs(found - exact) < 6 * error);
    }
}

/* ---- Simhash tables: any two prints within distance k meet, in every design of every k; keys are
 * equal just where the fixed bits are. */

enum { PAIRS_SIMHASH = 200 };

/* A copy that differs in `distance` bits; at times all in neighbouring places. */
static uint64_t near(nd_random *random, uint64_t print, uint32_t distance) {
    const uint64_t span = nd_random_below(random, 2) != 0 ? 64 : distance + 8;
    const uint64_t begin = nd_random_below(random, 64);
    uint64_t turned = 0;
    while ((uint32_t)__builtin_popcountll(turned) < distance) {
        turned |= UINT64_C(1) << (begin + nd_random_below(random, span)) % 64;
    }
    return print ^ turned;
}

typedef struct faults {
    size_t not_met;
    size_t wrong_keys;
} faults;

static void check_pair(const nd_simhash_tables *tables, uint64_t a, uint64_t b, faults *found) {
    static uint64_t of_a[ND_SIMHASH_MAX_TABLES], of_b[ND_SIMHASH_MAX_TABLES];
    size_t met = 0;
    nd_simhash_keys(tables, a, of_a);
    nd_simhash_keys(tables, b, of_b);
    for (uint32_t t = 0; t < tables->count; t++) {
        met += of_a[t] == of_b[t];
        found->wrong_keys += (of_a[t] == of_b[t]) != (((a ^ b) & tables->mask[t]) == 0);
    }
    found->not_met += met == 0 && nd_simhash_distance(a, b) <= tables->distance;
}

static void check_design(nd_random *random, const nd_simhash_tables *tables) {
    faults found = {0};
    for (int i = 0; i < nd_test_rounds(PAIRS_SIMHASH); i++) {
        const uint64_t print = nd_random_next(random);
        for (uint32_t distance = 0; distance <= tables->distance; distance++) {
            check_pair(tables, print, near(random, print, distance), &found);
        }
        check_pair(tables, print, near(random, print, tables->distance + 4), &found);
    }
    if (found.not_met + found.wrong_keys > 0) {
        printf("distance %u, %u blocks: %zu not met, %zu keys\n", tables->distance, tables->blocks,
               found.not_met, found.wrong_keys);
    }
    CU_ASSERT_EQUAL(found.not_met + found.wrong_keys, 0);
}

ND_TEST("every design of every distance") {
    static nd_simhash_tables tables;
    nd_random random = nd_test_random("simhash");
    for (uint32_t distance = 1; distance <= ND_SIMHASH_MAX_DISTANCE; distance++) {
        const uint32_t most = nd_simhash_blocks_for(distance, UINT64_MAX, 0);
        for (uint32_t blocks = distance + 1; blocks <= most; blocks++) {
            ND_TEST_MUST(nd_simhash_design(distance, blocks, &tables));
            check_design(&random, &tables);
        }
    }
}

/* Three bits, every choice of them: nothing is left to chance. */
ND_TEST("all prints at distance three") {
    static nd_simhash_tables tables;
    faults found = {0};
    ND_TEST_MUST(nd_simhash_design(3, ND_SIMHASH_BLOCKS, &tables));
    for (int i = 0; i < 64; i++) {
        for (int j = i; j < 64; j++) {
            for (int k = j; k < 64; k++) {
                const uint64_t turned = UINT64_C(1) << i | UINT64_C(1) << j | UINT64_C(1) << k;
                check_pair(&tables, 0, turned, &found);
            }
        }
    }
    CU_ASSERT_EQUAL(found.not_met + found.wrong_keys, 0);
}

/* ---- Pieces: a key is equal just where the piece is; no pair within the exact threshold is lost;
 * beyond it, pairs are found as often as the chance model of simhash.h says. */

enum { ROUNDS_PIECES = 3000, TRIALS_PIECES = 20000 };

static void random_string(nd_random *random, uint32_t bits, uint64_t *string) {
    memset(string, 0, ND_CHARIKAR_MAX_WORDS * sizeof *string);
    for (uint32_t bit = 0; bit < bits; bit++) {
        string[bit / 64] |= nd_random_below(random, 2) << bit % 64;
    }
}

/* A copy with exactly `flips` bits turned. */
static void turn_bits(nd_random *random, const uint64_t *string, uint32_t bits, uint32_t flips,
                      uint64_t *copy) {
    memcpy(copy, string, ND_CHARIKAR_MAX_WORDS * sizeof *copy);
    while (flips > 0) {
        const uint64_t bit = nd_random_below(random, bits);
        const uint64_t mask = UINT64_C(1) << bit % 64;
        if (((copy[bit / 64] ^ string[bit / 64]) & mask) == 0) {
            copy[bit / 64] ^= mask;
            flips--;
        }
    }
}

static bool same_bits(const uint64_t *a, const uint64_t *b, uint32_t begin, uint32_t end) {
    for (uint32_t bit = begin; bit < end; bit++) {
        if (((a[bit / 64] ^ b[bit / 64]) >> bit % 64 & 1) != 0) {
            return false;
        }
    }
    return true;
}

/* The number of pieces in which the keys of two strings are equal; counts keys that are wrong. */
static uint32_t equal_keys(const uint64_t *a, const uint64_t *b, uint32_t bits, uint32_t pieces,
                           size_t *wrong) {
    uint64_t of_a[ND_PIECES_MAX], of_b[ND_PIECES_MAX];
    uint32_t equal = 0;
    nd_pieces_keys(a, bits, pieces, of_a);
    nd_pieces_keys(b, bits, pieces, of_b);
    for (uint32_t i = 0; i < pieces; i++) {
        *wrong += (of_a[i] == of_b[i]) != same_bits(a, b, nd_piece_begin(bits, pieces, i),
                                                    nd_piece_begin(bits, pieces, i + 1));
        equal += of_a[i] == of_b[i];
    }
    return equal;
}

ND_TEST("no pair within the threshold is lost") {
    nd_random random = nd_test_random("pieces");
    size_t wrong = 0, lost = 0;
    for (int i = 0; i < nd_test_rounds(ROUNDS_PIECES); i++) {
        uint64_t a[ND_CHARIKAR_MAX_WORDS], b[ND_CHARIKAR_MAX_WORDS];
        const uint32_t bits = 16 + (uint32_t)nd_random_below(&random, ND_CHARIKAR_MAX_BITS - 15);
        const uint32_t fewest = nd_pieces_fewest(bits);
        const uint32_t pieces = fewest + (uint32_t)nd_random_below(&random, bits - fewest + 1);
        const uint32_t flips = (uint32_t)nd_random_below(&random, pieces);
        random_string(&random, bits, a);
        turn_bits(&random, a, bits, flips, b);
        lost += equal_keys(a, b, bits, pieces, &wrong) == 0;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(lost, 0);
}

/* The patent's threshold of 355 with 30 pieces, where 12 would lose a third. */
ND_TEST("355 of 384") {
    nd_random random = nd_test_random("355");
    size_t wrong = 0, lost = 0, lost_by_twelve = 0;
    for (int i = 0; i < nd_test_rounds(ROUNDS_PIECES); i++) {
        uint64_t a[ND_CHARIKAR_MAX_WORDS], b[ND_CHARIKAR_MAX_WORDS];
        random_string(&random, 384, a);
        turn_bits(&random, a, 384, 384 - 355, b);
        lost += equal_keys(a, b, 384, 30, &wrong) == 0;
        lost_by_twelve += equal_keys(a, b, 384, ND_PIECES, &wrong) == 0;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(lost, 0);
    CU_ASSERT((int)lost_by_twelve > nd_test_rounds(ROUNDS_PIECES) / 4);
}

/* C(n, k) as a logarithm. */
static double log_choose(double n, double k) {
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* The sum in simhash.h. */
static double chance(double bits, double pieces, double different) {
    const double width = bits / pieces;
    double sum = 0;
    for (double j = 1; j <= pieces && bits - j * width >= different; j++) {
        const double term = exp(log_choose(pieces, j) + log_choose(bits - j * width, different) -
                                log_choose(bits, different));
        sum += fmod(j, 2) != 0 ? term : -term;
    }
    return sum;
}

/* Computed figures of 12 pieces of 32 bits, and random pairs beside them (6 standard errors). */
ND_TEST("chance beyond the threshold") {
    static const struct {
        uint32_t different;
        double found;
    } rows[] = {{12, .9999}, {15, .996}, {20, .940}, {25, .79}, {29, .64}, {35, .42}};
    nd_random random = nd_test_random("chance");
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const double expected = chance(384, ND_PIECES, rows[r].different);
        size_t found = 0, wrong = 0;
        for (int i = 0; i < nd_test_rounds(TRIALS_PIECES); i++) {
            uint64_t a[ND_CHARIKAR_MAX_WORDS] = {0}, b[ND_CHARIKAR_MAX_WORDS];
            turn_bits(&random, a, 384, rows[r].different, b);
            found += equal_keys(a, b, 384, ND_PIECES, &wrong) > 0;
        }
        const double share = (double)found / nd_test_rounds(TRIALS_PIECES);
        const double error = sqrt(expected * (1 - expected) / nd_test_rounds(TRIALS_PIECES));
        printf("%u bits differ: found %.4f, expected %.4f\n", rows[r].different, share, expected);
        CU_ASSERT(fabs(expected - rows[r].found) < .0051);
        CU_ASSERT(fabs(share - expected) < 6 * error + 2.0 / nd_test_rounds(TRIALS_PIECES));
        CU_ASSERT_EQUAL(wrong, 0);
    }
}

/* ---- Random projection: every variant gives the reference's string, and the share of agreeing
 * bits is that of the angle (Charikar, STOC 2002). */

enum { ROUNDS_CHARIKAR = 400, MOST_FEATURES = 1200, PAGES_CHARIKAR = 300 };
typedef struct sample_page {
    uint64_t features[MOST_FEATURES];
    uint32_t weights[MOST_FEATURES];
    size_t count;
    bool weighted;
} sample_page;

/* Lengths near the batches' edges too, and features from few to many. */
static void draw(nd_random *random, sample_page *page) {
    static const uint64_t most[] = {3, 20, 40, 300, MOST_FEATURES + 1};
    static const uint64_t alphabets[] = {2, 50, 5000, UINT64_MAX};
    static const uint64_t weights[] = {2, 30, 3000000};
    const uint64_t alphabet = alphabets[nd_random_below(random, 4)];
    const uint64_t weight = weights[nd_random_below(random, 3)];
    page->count = nd_random_below(random, most[nd_random_below(random, 5)]);
    page->weighted = nd_random_below(random, 2) != 0;
    for (size_t i = 0; i < page->count; i++) {
        page->features[i] = nd_random_below(random, alphabet);
        page->weights[i] = (uint32_t)nd_random_below(random, weight);
    }
}

static bool variants_agree(const sample_page *page, uint32_t bits, uint64_t seed) {
    uint64_t expected[ND_CHARIKAR_MAX_WORDS], got[ND_CHARIKAR_MAX_WORDS];
    const size_t size = nd_charikar_words(bits) * sizeof *got;
    const uint32_t *weights = page->weighted ? page->weights : NULL;
    nd_slow_charikar_sign(page->features, weights, page->count, bits, seed, expected);
    nd_charikar_sign(page->features, weights, page->count, bits, seed, got);
    bool agree = memcmp(got, expected, size) == 0;
    for (size_t v = 0; v < nd_charikar_variant_count; v++) {
        if (nd_cpu_has(nd_charikar_variants[v]->needs)) {
            nd_charikar_sign_by(nd_charikar_variants[v], page->features, weights, page->count, bits,
                                seed, got);
            if (memcmp(got, expected, size) != 0) {
                printf("%s: %zu features, %u bits\n", nd_charikar_variants[v]->name, page->count,
                       bits);
                agree = false;
            }
        }
    }
    return agree;
}

ND_TEST("variants against the reference") {
    static const uint32_t widths[] = {384, 192, 96, 64, 32, 128, 512};
    nd_random random = nd_test_random("charikar");
    sample_page page;
    size_t wrong = 0;
    for (int i = 0; i < nd_test_rounds(ROUNDS_CHARIKAR); i++) {
        draw(&random, &page);
        const uint32_t bits = i % 8 == 7
                                  ? 1 + (uint32_t)nd_random_below(&random, ND_CHARIKAR_MAX_BITS)
                                  : widths[i % 8];
        wrong += !variants_agree(&page, bits, nd_random_below(&random, 3));
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* An occurrence of weight w is w occurrences, in any order. */
ND_TEST("a weight is a repetition") {
    nd_random random = nd_test_random("weights");
    for (int i = 0; i < nd_test_rounds(ROUNDS_CHARIKAR / 4); i++) {
        uint64_t features[10], repeated[10 * 20];
        uint32_t weights[10];
        uint64_t by_weight[ND_CHARIKAR_MAX_WORDS], by_repetition[ND_CHARIKAR_MAX_WORDS];
        size_t count = 0;
        for (size_t f = 0; f < 10; f++) {
            features[f] = nd_random_next(&random);
            weights[f] = (uint32_t)nd_random_below(&random, 20);
            for (uint32_t w = 0; w < weights[f]; w++) {
                repeated[count++] = features[f];
            }
        }
        for (size_t k = count; k > 1; k--) {
            const size_t other = nd_random_below(&random, k);
            const uint64_t kept = repeated[k - 1];
            repeated[k - 1] = repeated[other];
            repeated[other] = kept;
        }
        nd_charikar_sign(features, weights, 10, 384, 0, by_weight);
        nd_charikar_sign(repeated, NULL, count, 384, 0, by_repetition);
        CU_ASSERT_EQUAL(memcmp(by_weight, by_repetition, 6 * sizeof *by_weight), 0);
    }
}

ND_TEST("agreeing bits") {
    nd_random random = nd_test_random("agreeing");
    for (int i = 0; i < nd_test_rounds(ROUNDS_CHARIKAR); i++) {
        uint64_t a[ND_CHARIKAR_MAX_WORDS] = {0}, b[ND_CHARIKAR_MAX_WORDS] = {0};
        const uint32_t bits = 1 + (uint32_t)nd_random_below(&random, ND_CHARIKAR_MAX_BITS);
        for (uint32_t bit = 0; bit < bits; bit++) {
            a[bit / 64] |= nd_random_below(&random, 2) << bit % 64;
            b[bit / 64] |= nd_random_below(&random, 2) << bit % 64;
        }
        CU_ASSERT_EQUAL(nd_charikar_agreeing(a, b, bits), nd_slow_charikar_agreeing(a, b, bits));
    }
}

/* Pages of 401 distinct features of which `common` are shared have the cosine common / 401; over
 * many pages the share of agreeing bits is 1 - angle / pi. The bounds are 6 standard errors. The
 * number is odd, since a sum of 0 is no sign. */
static void share_is(nd_random *random, size_t common) {
    enum { FEATURES = 401 };
    uint64_t agreeing = 0;
    for (int i = 0; i < PAGES_CHARIKAR; i++) {
        uint64_t a[FEATURES], b[FEATURES], of_a[6], of_b[6];
        for (size_t f = 0; f < FEATURES; f++) {
            a[f] = nd_random_next(random);
            b[f] = f < common ? a[f] : nd_random_next(random);
        }
        nd_charikar_sign(a, NULL, FEATURES, 384, 0, of_a);
        nd_charikar_sign(b, NULL, FEATURES, 384, 0, of_b);
        agreeing += nd_charikar_agreeing(of_a, of_b, 384);
    }
    const double bits = 384.0 * (double)PAGES_CHARIKAR;
    const double share = 1 - acos((double)common / (double)FEATURES) / acos(-1);
    const double error = sqrt(share * (1 - share) / bits);
    printf("cosine %.3f: %.4f of the bits agree, expected %.4f\n",
           (double)common / (double)FEATURES, (double)agreeing / bits, share);
    CU_ASSERT(fabs((double)agreeing / bits - share) < 6 * error);
}

ND_TEST("share of agreeing bits") {
    nd_random random = nd_test_random("angles");
    static const size_t common[] = {0, 100, 200, 300, 360, 385};
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++) {
        share_is(&random, common[i]);
    }
}

/* ---- Fingerprints against the slow reference; order and repetition of the digests do not matter.
 */

enum { PAGES_FINGERPRINT = 3000, MAX_DIGESTS = 120 };
static uint64_t keys[ND_FINGERPRINT_MAX_BUCKETS];
static uint64_t expected_fingerprint[ND_FINGERPRINT_MAX_BUCKETS];

/* Digests that share high or low halves are as frequent as fully random ones. */
static void random_digest(nd_random *random, nd_md5 *digest) {
    uint64_t kind = nd_random_below(random, 4);
    uint64_t half[2] = {nd_random_next(random), nd_random_next(random)};
    if (kind == 1 || kind == 3) {
        half[0] = nd_random_below(random, 3);
    }
    if (kind >= 2) {
        half[1] = nd_random_below(random, 30);
    }
    for (size_t i = 0; i < sizeof digest->bytes; i++) {
        digest->bytes[i] = (uint8_t)(half[i / 8] >> (56 - 8 * (i % 8)));
    }
}

static void shuffle(nd_random *random, nd_md5 *digests, size_t count) {
    for (size_t i = count; i > 1; i--) {
        size_t other = nd_random_below(random, i);
        nd_md5 kept = digests[i - 1];
        digests[i - 1] = digests[other];
        digests[other] = kept;
    }
}

static bool same_keys(const nd_md5 *digests, size_t count, const nd_fingerprint_options *options,
                      size_t expected_count) {
    size_t found = nd_fingerprint_keys(digests, count, options, keys);
    return found == expected_count &&
           memcmp(keys, expected_fingerprint, found * sizeof keys[0]) == 0;
}

static bool page_holds(nd_random *random) {
    static nd_md5 digests[2 * MAX_DIGESTS];
    nd_fingerprint_options options = {
        1 + (uint32_t)nd_random_below(random, ND_FINGERPRINT_MAX_BUCKETS),
        1 + (uint32_t)nd_random_below(random, ND_FINGERPRINT_MAX_SMALLEST)};
    size_t count = nd_random_below(random, MAX_DIGESTS + 1);
    for (size_t i = 0; i < count; i++) {
        random_digest(random, &digests[i]);
    }
    size_t wanted = nd_slow_fingerprint_keys(digests, count, &options, expected_fingerprint);
    bool holds = same_keys(digests, count, &options, wanted);
    shuffle(random, digests, count);
    holds = holds && same_keys(digests, count, &options, wanted);
    memcpy(digests + count, digests, count * sizeof *digests);
    shuffle(random, digests, 2 * count);
    holds = holds && same_keys(digests, 2 * count, &options, wanted);
    if (!holds) {
        printf("%zu digests, %u buckets, %u smallest\n", count, options.buckets, options.smallest);
    }
    return holds;
}

ND_TEST("keys equal the reference") {
    nd_random random = nd_test_random("fingerprint");
    size_t wrong = 0;
    for (int i = 0; i < PAGES_FINGERPRINT; i++) {
        wrong += !page_holds(&random);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}
