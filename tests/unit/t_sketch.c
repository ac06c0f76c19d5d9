/* Hashes and sketches, by their papers' examples and by hand. */
#define XXH_INLINE_ALL

#include "src/compare/jaccard.h"
#include "src/hash/md5.h"
#include "src/hash/rabin.h"
#include "src/sketch/fingerprint.h"
#include "src/sketch/histogram.h"
#include "src/sketch/minhash.h"
#include "src/sketch/shingle.h"
#include "src/sketch/simhash.h"
#include "tests/support/check.h"
#include "tests/support/slow.h"

#include <math.h>
#include <xxhash.h>

/* ---- MD5: the test suite of RFC 1321 (appendix A.5) and the block boundaries. */

typedef struct vector_md5 {
    const char *message;
    const char *digest;
} vector_md5;

/* The last three are of 55, 56 and 64 bytes, where the padding takes its turns; their digests come
 * from coreutils' md5sum. */
static const vector_md5 vectors[] = {
    {"", "d41d8cd98f00b204e9800998ecf8427e"},
    {"a", "0cc175b9c0f1b6a831c399e269772661"},
    {"abc", "900150983cd24fb0d6963f7d28e17f72"},
    {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
    {"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
    {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
     "d174ab98d277d9f5a5611c2c9f419d9f"},
    {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
     "57edf4a22be3c955ac49da2e2107b67a"},
    {"abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrs", "a49d85aaac8495cbb53b120f3b987478"},
    {"abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrst",
     "0b74570ac5c5b441888f67619534aa88"},
    {"abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz01",
     "bbd17cbd1784152cd93cca62dee11b5b"},
};
enum { VECTORS = sizeof vectors / sizeof vectors[0] };

static void to_hex(const nd_md5 *digest, char hex[33]) {
    for (size_t i = 0; i < sizeof digest->bytes; i++) {
        (void)snprintf(hex + 2 * i, 3, "%02x", digest->bytes[i]);
    }
}

/* Of the slow one and, in enough copies for full groups of the widest variant and a remainder, of a
 * batch. An empty message may have no data. */
ND_TEST("RFC 1321's messages") {
    enum { COUNT = 7 * VECTORS + 3 };
    nd_span messages[COUNT];
    nd_md5 digests[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        messages[i] = i == 0 ? (nd_span){0} : nd_test_span(vectors[i % VECTORS].message);
    }
    nd_md5_batch(messages, COUNT, digests);
    for (size_t i = 0; i < COUNT; i++) {
        nd_md5 slow;
        char hex[33];
        to_hex(&digests[i], hex);
        CU_ASSERT_STRING_EQUAL(hex, vectors[i % VECTORS].digest);
        nd_slow_md5(messages[i], &slow);
        CU_ASSERT_EQUAL(memcmp(&slow, &digests[i], sizeof slow), 0);
    }
}

ND_TEST("high64 is big-endian") {
    nd_md5 digest = {{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xff}};
    CU_ASSERT_EQUAL(nd_md5_high64(&digest), UINT64_C(0x0123456789abcdef));
}

/* ---- Rabin fingerprints: cases that follow from the definition by hand. */

static nd_rabin rabin_rabin;

/* x^64 + x^4 + x^3 + x + 1 is irreducible (Seroussi, "Table of low-weight binary irreducible
 * polynomials", HP Labs HPL-98-135); x^64 + 1 = (x + 1)^64; x^64 + x^2 + 1 = (x^32 + x + 1)^2; x
 * divides x^64 + x; x^64 + x^32 + 1 = (x^2 + x + 1)^32; the last is the product of two irreducible
 * ones of degree 32, x^32 + x^7 + x^3 + x^2 + 1 and that read backwards. */
ND_TEST("known polynomials") {
    CU_ASSERT(nd_rabin_irreducible(0x1b));
    CU_ASSERT_FALSE(nd_rabin_irreducible(0x1));
    CU_ASSERT_FALSE(nd_rabin_irreducible(0x5));
    CU_ASSERT_FALSE(nd_rabin_irreducible(0x2));
    CU_ASSERT_FALSE(nd_rabin_irreducible(UINT64_C(0x100000001)));
    CU_ASSERT_FALSE(nd_rabin_irreducible(0));
    CU_ASSERT_FALSE(nd_rabin_irreducible(UINT64_C(0x620000bffa00008d)));
}

/* Up to degree 63 the remainder is the polynomial itself: a 1 before one token. */
ND_TEST("one token") {
    nd_rabin_start(&rabin_rabin, 7, 1);
    CU_ASSERT_EQUAL(nd_rabin_of(&rabin_rabin, NULL, 0), 1);
    CU_ASSERT_EQUAL(nd_rabin_of(&rabin_rabin, (uint32_t[]){0xdeadbeef}, 1), UINT64_C(0x1deadbeef));
    CU_ASSERT_EQUAL(nd_rabin_roll(&rabin_rabin, UINT64_C(0x1deadbeef), 0xdeadbeef, 5),
                    UINT64_C(0x100000005));
}

/* What is stored with one version must mean the same to the next. Both polynomials were found anew
 * by another program, with whole numbers of any length. */
ND_TEST("the polynomials of seeds stay") {
    nd_rabin_start(&rabin_rabin, 0, 8);
    CU_ASSERT_EQUAL(rabin_rabin.polynomial, UINT64_C(0xe255b237b8bb18fb));
    nd_rabin_start(&rabin_rabin, 1, 8);
    CU_ASSERT_EQUAL(rabin_rabin.polynomial, UINT64_C(0xfd845ef300ce2d0b));
}

/* ---- The digest of a sequence is that of its parts joined, wherever it is cut, and tells
 * sequences apart. */

enum { HASHES = 40 };

static bool equal(nd_joined_digest a, nd_joined_digest b) {
    return a.high == b.high && a.low == b.low;
}

ND_TEST("cuts") {
    nd_random random = nd_test_random("cuts");
    uint64_t hashes[HASHES];
    for (int round = 0; round < nd_test_rounds(2000); round++) {
        const uint64_t seed = nd_random_next(&random);
        const size_t count = nd_random_below(&random, HASHES + 1);
        for (size_t i = 0; i < count; i++) { /* also those that the modulus reduces */
            hashes[i] = nd_random_below(&random, 4) == 0 ? UINT64_MAX : nd_random_next(&random);
        }
        nd_joined_digest joined = {0};
        for (size_t begin = 0; begin < count;) {
            const size_t size = 1 + nd_random_below(&random, count - begin);
            joined = nd_joined_digest_join(joined, nd_joined_digest_of(hashes + begin, size, seed),
                                           size, seed);
            begin += size;
        }
        CU_ASSERT_FATAL(equal(joined, nd_joined_digest_of(hashes, count, seed)));
        CU_ASSERT_FATAL(joined.high < (UINT64_C(1) << 61) - 1 &&
                        joined.low < (UINT64_C(1) << 61) - 1);
    }
}

ND_TEST("differences") {
    uint64_t hashes[HASHES];
    for (uint64_t i = 0; i < HASHES; i++) {
        hashes[i] = nd_mix64(i + 1);
    }
    const nd_joined_digest whole = nd_joined_digest_of(hashes, HASHES, 5);
    CU_ASSERT(!equal(whole, nd_joined_digest_of(hashes, HASHES, 6)));
    CU_ASSERT(!equal(whole, nd_joined_digest_of(hashes, HASHES - 1, 5)));
    for (size_t i = 0; i < HASHES; i++) {
        for (int bit = 0; bit < 64; bit++) {
            hashes[i] ^= UINT64_C(1) << bit;
            CU_ASSERT_FATAL(!equal(whole, nd_joined_digest_of(hashes, HASHES, 5)));
            hashes[i] ^= UINT64_C(1) << bit;
        }
    }
    const uint64_t swapped = hashes[3];
    hashes[3] = hashes[4];
    hashes[4] = swapped;
    CU_ASSERT(!equal(whole, nd_joined_digest_of(hashes, HASHES, 5)));
}

/* ---- Shingles and their resemblance: the examples of the lecture notes, and counts by definition.
 */

enum { MOST_SHINGLE = 64 };
static const nd_shingle_options by_two = {.tokens = 2, .modulus = 1, .distinct = true};

/* The words of a text as tokens. */
static size_t tokens_of(const char *text, uint32_t *tokens) {
    size_t count = 0;
    while (*text != '\0') {
        const size_t size = strcspn(text, " ");
        tokens[count++] = (uint32_t)XXH3_64bits(text, size);
        text += size + (text[size] == ' ');
    }
    return count;
}

static size_t shingles_of(const nd_shingle_options *options, const char *text, uint64_t *values) {
    uint32_t tokens[MOST_SHINGLE];
    return nd_shingle_values(options, tokens, tokens_of(text, tokens), values);
}

static double resemblance_of(const nd_shingle_options *options, const char *a, const char *b) {
    uint64_t of_a[MOST_SHINGLE], of_b[MOST_SHINGLE];
    const size_t n = shingles_of(options, a, of_a), m = shingles_of(options, b, of_b);
    return nd_resemblance(of_a, n, of_b, m, 0);
}

/* Gambosi, lecture "Near duplicate detection" (Rome Tor Vergata): bigrams of three documents. */
ND_TEST("Jack London") {
    const char *one = "jack london traveled to oakland";
    const char *two = "jack london traveled to the city of oakland";
    const char *three = "jack traveled from oakland to london";
    CU_ASSERT_EQUAL(resemblance_of(&by_two, one, two), 3.0 / 8);
    CU_ASSERT_EQUAL(resemblance_of(&by_two, one, three), 0);
    CU_ASSERT_EQUAL(resemblance_of(&by_two, two, three), 0);
    static nd_rabin rabin;
    nd_rabin_start(&rabin, 1, 2);
    nd_shingle_options by_rabin = by_two;
    by_rabin.rabin = &rabin;
    CU_ASSERT_EQUAL(resemblance_of(&by_rabin, one, two), 3.0 / 8);
    CU_ASSERT_EQUAL(resemblance_of(&by_rabin, one, three), 0);
}

/* The same notes: six shingles of five words; and of the eight of three words, changing "lived" to
 * "was" changes three. */
ND_TEST("a changed word") {
    const char *before = "in a hole in the ground there lived a hobbit";
    const char *after = "in a hole in the ground there was a hobbit";
    uint64_t values[MOST_SHINGLE];
    nd_shingle_options options = by_two;
    options.tokens = 5;
    CU_ASSERT_EQUAL(shingles_of(&options, before, values), 6);
    options.tokens = 3;
    CU_ASSERT_EQUAL(resemblance_of(&options, before, after), 5.0 / 11);
}

/* "A rose is a rose is a rose" (Broder 1997): three distinct shingles of four words. */
ND_TEST("a rose is a rose is a rose") {
    uint64_t values[MOST_SHINGLE];
    nd_shingle_options options = {.tokens = 4, .modulus = 1};
    CU_ASSERT_EQUAL(shingles_of(&options, "a rose is a rose is a rose", values), 5);
    options.distinct = true;
    CU_ASSERT_EQUAL(shingles_of(&options, "a rose is a rose is a rose", values), 3);
    options.counted = true; /* two of them twice */
    CU_ASSERT_EQUAL(shingles_of(&options, "a rose is a rose is a rose", values), 5);
    CU_ASSERT_EQUAL(resemblance_of(&options, "a rose is a rose", "a rose is a rose is a rose"),
                    2.0 / 5);
    options.counted = false;
    CU_ASSERT_EQUAL(resemblance_of(&options, "a rose is a rose", "a rose is a rose is a rose"),
                    2.0 / 3);
}

/* Henzinger: n - k + 1 shingles, or n if the window wraps around. */
ND_TEST("counts") {
    nd_shingle_options options = {.tokens = 8, .modulus = 1};
    static const size_t plain[] = {0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3};
    static const size_t wrapped[] = {0, 1, 1, 1, 1, 1, 1, 1, 8, 9, 10};
    for (size_t n = 0; n < sizeof plain / sizeof plain[0]; n++) {
        options.wrap = false;
        CU_ASSERT_EQUAL(nd_shingle_places(&options, n), plain[n]);
        options.wrap = true;
        CU_ASSERT_EQUAL(nd_shingle_places(&options, n), wrapped[n]);
    }
}

/* ---- Min-wise sketches: the examples of Schuetze, "Introduction to Information Retrieval",
 * lecture 19 (2008), on the definition that the fast code is compared with; and the estimator. */

/* h(x) = x mod 5 and g(x) = (2x + 1) mod 5 on rows 1, 3, 4 and 2, 3, 5: slots (1, 2) and (0, 0). */
ND_TEST("slots") {
    const uint64_t one[] = {1, 3, 4}, two[] = {2, 3, 5};
    CU_ASSERT_EQUAL(nd_slow_minimum(1, 0, 5, one, 3), 1);
    CU_ASSERT_EQUAL(nd_slow_minimum(2, 1, 5, one, 3), 2);
    CU_ASSERT_EQUAL(nd_slow_minimum(1, 0, 5, two, 3), 0);
    CU_ASSERT_EQUAL(nd_slow_minimum(2, 1, 5, two, 3), 0);
}

static bool near(double a, double b) {
    return fabs(a - b) < 1e-12;
}

/* 90 of 100: the standard error is sqrt(.9 * .1 / 100) = .03. */
ND_TEST("estimate") {
    const nd_minhash_estimate e = nd_minhash_estimate_of(90, 100, 1.96);
    CU_ASSERT(near(e.resemblance, 0.9) && near(e.error, 0.03));
    CU_ASSERT(near(e.low, 0.8412) && near(e.high, 0.9588));
    const nd_minhash_estimate most = nd_minhash_estimate_of(198, 200, 3);
    CU_ASSERT(most.high == 1 && most.low < 0.99);
    CU_ASSERT(nd_minhash_estimate_of(2, 200, 3).low == 0);
    const nd_minhash_estimate all = nd_minhash_estimate_of(200, 200, 3);
    CU_ASSERT(all.low == 1 && all.high == 1 && all.error == 0);
}

ND_TEST("an empty page has no sketch") {
    nd_minhash minhash;
    uint64_t minima[] = {7, 7, 7};
    nd_minhash_new(&minhash, 3, 1);
    CU_ASSERT_FALSE(nd_minhash_sketch(&minhash, NULL, 0, minima));
    CU_ASSERT(minima[0] == 7 && minima[1] == 7 && minima[2] == 7);
    CU_ASSERT(nd_minhash_sketch(&minhash, minima, 1, minima));
    nd_minhash_free(&minhash);
    CU_ASSERT_PTR_NULL(minhash.multipliers);
}

/* What is stored with one version must mean the same to the next: (a x + b) mod (2^61 - 1) with the
 * seed's a and b, computed anew by another program with whole numbers of any length. */
ND_TEST("sketches stay") {
    static const uint64_t expected[] = {UINT64_C(2225251257499946683), UINT64_C(320984824283887074),
                                        UINT64_C(187894914998424993), UINT64_C(24545588599436653)};
    const uint64_t values[] = {0, 1, 2, UINT64_MAX};
    uint64_t minima[4];
    ND_OWNED(nd_minhash_free) nd_minhash minhash;
    nd_minhash_new(&minhash, 4, 1);
    CU_ASSERT(nd_minhash_sketch(&minhash, values, 4, minima));
    CU_ASSERT_EQUAL(nd_minhash_equal(minima, expected, 4), 4);
}

/* ---- Keys of the bands of a sketch that is written down by hand. */

enum { BANDS = 20, ROWS_BANDS = 5, MINIMA = BANDS * ROWS_BANDS };

/* A minimum that differs changes the key of its own band and no other. */
ND_TEST("rows of bands") {
    uint64_t minima[MINIMA], keys[BANDS], changed[BANDS];
    for (size_t i = 0; i < MINIMA; i++) {
        minima[i] = i * i + 7;
    }
    nd_band_keys(minima, BANDS, ROWS_BANDS, keys);
    for (size_t i = 0; i < MINIMA; i++) {
        minima[i]++;
        nd_band_keys(minima, BANDS, ROWS_BANDS, changed);
        minima[i]--;
        CU_ASSERT_EQUAL(nd_minhash_equal(keys, changed, BANDS), BANDS - 1);
        CU_ASSERT_NOT_EQUAL(keys[i / ROWS_BANDS], changed[i / ROWS_BANDS]);
    }
}

/* Equal minima in another band, or in another order, are another key. */
ND_TEST("bands differ") {
    uint64_t minima[MINIMA], keys[BANDS];
    memset(minima, 0, sizeof minima);
    nd_band_keys(minima, BANDS, ROWS_BANDS, keys);
    for (size_t i = 0; i < BANDS; i++) {
        for (size_t j = 0; j < i; j++) {
            CU_ASSERT_NOT_EQUAL(keys[i], keys[j]);
        }
        CU_ASSERT_EQUAL(keys[i], nd_band_key(minima, ROWS_BANDS, i));
    }
    CU_ASSERT_NOT_EQUAL(nd_band_key((uint64_t[]){1, 2}, 2, 0),
                        nd_band_key((uint64_t[]){2, 1}, 2, 0));
}

/* ---- Supershingles and megashingles of a sketch that is written down by hand. */

enum { MEGASHINGLES = 15 }; /* pairs of six */

/* Groups of 14 that do not overlap (US 2008/0044016): what differs in the first j groups leaves
 * 6 - j supershingles, and as many pairs of these as megashingles. */
ND_TEST("agreeing groups") {
    uint64_t minima[ND_SUPERSHINGLE_SKETCH];
    uint64_t before[ND_SUPERSHINGLES], after[ND_SUPERSHINGLES];
    uint64_t pairs_before[MEGASHINGLES], pairs_after[MEGASHINGLES];
    for (size_t i = 0; i < ND_SUPERSHINGLE_SKETCH; i++) {
        minima[i] = i * i + 7;
    }
    nd_supershingles(minima, ND_SUPERSHINGLES, ND_SUPERSHINGLE_MINIMA, before);
    nd_megashingles(before, ND_SUPERSHINGLES, pairs_before);
    for (size_t j = 0; j <= ND_SUPERSHINGLES; j++) {
        const size_t left = ND_SUPERSHINGLES - j;
        nd_supershingles(minima, ND_SUPERSHINGLES, ND_SUPERSHINGLE_MINIMA, after);
        nd_megashingles(after, ND_SUPERSHINGLES, pairs_after);
        CU_ASSERT_EQUAL(nd_supershingles_equal(before, after, ND_SUPERSHINGLES), left);
        CU_ASSERT_EQUAL(nd_minhash_equal(pairs_before, pairs_after, MEGASHINGLES),
                        left * (left - (left > 0)) / 2);
        if (left > 0) {
            minima[j * ND_SUPERSHINGLE_MINIMA + 2 * j]++;
        }
    }
}

/* The same supershingles in other places agree nowhere. */
ND_TEST("places count") {
    const uint64_t one[] = {1, 2, 3, 4, 5, 6}, other[] = {2, 3, 4, 5, 6, 1};
    const uint64_t same[] = {9, 9, 9, 9, 9, 9};
    uint64_t pairs[MEGASHINGLES];
    CU_ASSERT_EQUAL(nd_supershingles_equal(one, other, ND_SUPERSHINGLES), 0);
    nd_megashingles(same, ND_SUPERSHINGLES, pairs);
    for (size_t i = 1; i < MEGASHINGLES; i++) {
        CU_ASSERT_NOT_EQUAL(pairs[i], pairs[i - 1]);
    }
}

/* ---- Simhash tables: the designs of Manku, Jain and Das Sarma, WWW 2007, section 3, and the
 * ranges. */

static nd_simhash_tables *design(uint32_t distance, uint32_t blocks) {
    nd_simhash_tables *tables = nd_alloc(sizeof *tables, 1);
    ND_TEST_MUST(nd_simhash_design(distance, blocks, tables));
    return tables;
}

static void design_is(uint32_t distance, uint32_t blocks, uint32_t count, uint32_t fixed_bits) {
    ND_FREED nd_simhash_tables *tables = design(distance, blocks);
    uint32_t fewest = ND_SIMHASH_BITS;
    CU_ASSERT_EQUAL(tables->count, count);
    for (uint32_t t = 0; t < tables->count; t++) {
        const uint32_t bits = (uint32_t)__builtin_popcountll(tables->mask[t]);
        fewest = bits < fewest ? bits : fewest;
    }
    CU_ASSERT_EQUAL(fewest, fixed_bits);
}

/* The paper's three designs without a second cut, and the ends of the range. */
ND_TEST("designs") {
    design_is(3, 6, 20, 31);
    design_is(3, 5, 10, 25);
    design_is(3, 4, 4, 16);
    design_is(1, 2, 2, 32);
    design_is(1, 16, 16, 60);
    design_is(8, 9, 9, 7);
    design_is(8, 12, 495, 20);
}

/* Four blocks of 16 bits: a key is one block, mixed with the table's number. */
ND_TEST("keys") {
    ND_FREED nd_simhash_tables *tables = design(3, 4);
    uint64_t keys[4];
    nd_simhash_keys(tables, UINT64_C(0x1111222233334444), keys);
    CU_ASSERT_EQUAL(keys[0], nd_mix64(UINT64_C(0x4444) ^ nd_mix64(1)));
    CU_ASSERT_EQUAL(keys[1], nd_mix64(UINT64_C(0x33330000) ^ nd_mix64(2)));
    CU_ASSERT_EQUAL(keys[3], nd_mix64(UINT64_C(0x1111000000000000) ^ nd_mix64(4)));
    CU_ASSERT_EQUAL(nd_simhash_distance(0, UINT64_C(0x8000000000000101)), 3);
}

static void is_refused(uint32_t distance, uint32_t blocks, const char *text) {
    ND_FREED nd_simhash_tables *tables = nd_alloc_zero(1, sizeof *tables);
    CU_ASSERT_EQUAL(nd_simhash_design(distance, blocks, tables), ND_ERR_USAGE);
    CU_ASSERT_STRING_EQUAL(nd_fail_text(), text);
    CU_ASSERT_EQUAL(tables->count, 0);
}

ND_TEST("ranges") {
    is_refused(0, 4, "simhash distance 0: must be 1 to 8");
    is_refused(9, 10, "simhash distance 9: must be 1 to 8");
    is_refused(3, 3, "simhash blocks 3: must be 4 to 15 for distance 3 (at most 512 tables)");
    is_refused(3, 16, "simhash blocks 16: must be 4 to 15 for distance 3 (at most 512 tables)");
    is_refused(1, 17, "simhash blocks 17: must be 2 to 16 for distance 1 (at most 512 tables)");
    is_refused(8, 13, "simhash blocks 13: must be 9 to 12 for distance 8 (at most 512 tables)");
}

/* The paper's 2^34 prints: 8 by chance with 20 tables, 512 with 10, 256 K with 4. */
ND_TEST("choice of blocks") {
    const uint64_t prints = UINT64_C(1) << 34;
    CU_ASSERT_EQUAL(nd_simhash_blocks_for(3, prints, 8), 6);
    CU_ASSERT_EQUAL(nd_simhash_blocks_for(3, prints, 511), 6);
    CU_ASSERT_EQUAL(nd_simhash_blocks_for(3, prints, 512), 5);
    CU_ASSERT_EQUAL(nd_simhash_blocks_for(3, prints, 1 << 18), 4);
    CU_ASSERT_EQUAL(nd_simhash_blocks_for(3, 10000000, 200), 4);
    CU_ASSERT_EQUAL(nd_simhash_blocks_for(8, UINT64_MAX, 0), 12);
}

/* ---- Pieces: how many a string needs, where they are cut, what a key is. Source: the pieces of
 * 32 bits of Henzinger, SIGIR 2006. */

enum { BITS = ND_CHARIKAR_BITS, WORDS_PIECES = BITS / 64 };

ND_TEST("fewest") {
    CU_ASSERT_EQUAL(nd_pieces_fewest(384), 8);
    CU_ASSERT_EQUAL(nd_pieces_fewest(64), 2);
}

ND_TEST("pieces: cuts") {
    for (uint32_t i = 0; i <= 12; i++) {
        CU_ASSERT_EQUAL(nd_piece_begin(384, 12, i), 32 * i);
    }
    for (uint32_t pieces = 1; pieces <= 384; pieces++) {
        CU_ASSERT_EQUAL(nd_piece_begin(384, pieces, 0), 0);
        CU_ASSERT_EQUAL(nd_piece_begin(384, pieces, pieces), 384);
        for (uint32_t i = 0; i < pieces; i++) {
            uint32_t width = nd_piece_begin(384, pieces, i + 1) - nd_piece_begin(384, pieces, i);
            CU_ASSERT(width == 384 / pieces || width == 384 / pieces + 1);
        }
    }
    CU_ASSERT_EQUAL(nd_piece_begin(384, 30, 24), 24 * 13); /* 24 of 13 bits, 6 of 12 */
}

/* The piece's 32 bits below its position, mixed. */
ND_TEST("pieces: keys") {
    const uint64_t string[WORDS_PIECES] = {UINT64_C(0x8000000100000002), 0, 0, 0, 0,
                                           UINT64_C(0xFFFFFFFF00000000)};
    uint64_t keys[ND_PIECES];
    nd_pieces_keys(string, BITS, ND_PIECES, keys);
    CU_ASSERT_EQUAL(keys[0], nd_mix64(2));
    CU_ASSERT_EQUAL(keys[1], nd_mix64(UINT64_C(1) << 54 | 0x80000001));
    CU_ASSERT_EQUAL(keys[2], nd_mix64(UINT64_C(2) << 54));
    CU_ASSERT_EQUAL(keys[11], nd_mix64(UINT64_C(11) << 54 | 0xFFFFFFFF));
}

/* ---- Random projection (US 2008/0044016, "Alg. C"): weights beyond all that p_sketch draws. */

/* A feature that occurs more often than all others together decides alone. */
ND_TEST("weights") {
    const uint64_t features[] = {1, 2, 3};
    uint64_t heavy[ND_CHARIKAR_MAX_WORDS], alone[ND_CHARIKAR_MAX_WORDS];
    nd_charikar_sign(features, (uint32_t[]){1, 0xFFFFFFFD, 1}, 3, ND_CHARIKAR_BITS, 0, heavy);
    nd_charikar_sign(&features[1], NULL, 1, ND_CHARIKAR_BITS, 0, alone);
    CU_ASSERT_EQUAL(memcmp(heavy, alone, ND_CHARIKAR_BITS / 8), 0);
}

/* ---- Fingerprints: the definition by hand; all else against a slow one in p_sketch. */

/* The digests 7, 14 and 21 are the smallest of bucket 0: the first 64 bits of the MD5 of the three
 * and of their number. */
ND_TEST("a key is the hash of the smallest") {
    static const uint8_t values[] = {70, 21, 7, 28, 14};
    const nd_fingerprint_options seven_by_three = {ND_FINGERPRINT_BUCKETS, ND_FINGERPRINT_SMALLEST};
    nd_md5 digests[5] = {{{0}}}, expected;
    uint8_t message[3 * 16 + 1] = {[15] = 7, [31] = 14, [47] = 21, [48] = 3};
    uint64_t keys[ND_FINGERPRINT_BUCKETS];
    for (size_t i = 0; i < 5; i++) {
        digests[i].bytes[15] = values[i];
    }
    nd_slow_md5((nd_span){message, sizeof message}, &expected);
    CU_ASSERT_EQUAL(nd_fingerprint_keys(digests, 5, &seven_by_three, keys), 1);
    CU_ASSERT_EQUAL(keys[0], nd_md5_high64(&expected));
}

/* ---- Numbers come back as they were packed, small ones in half a byte; bytes that are cut short
 * or too many are refused. */

enum { MOST_SMALL_NUMBERS = 600 };

/* Bytes of `count` numbers below `below` (0: any), which come back. */
static size_t back(nd_random *random, size_t count, uint64_t below) {
    static uint16_t numbers[MOST_SMALL_NUMBERS];
    static uint16_t found[MOST_SMALL_NUMBERS + 1];
    static uint8_t bytes[MOST_SMALL_NUMBERS * 4 + 1];
    for (size_t i = 0; i < count; i++) {
        numbers[i] = (uint16_t)nd_random_below(random, below == 0 ? UINT16_MAX + 1 : below);
    }
    const size_t most = nd_small_numbers_most(count);
    CU_ASSERT_FATAL(most < sizeof bytes);
    memset(bytes, 0xa5, sizeof bytes);
    memset(found, 0xa5, sizeof found);
    const size_t size = nd_small_numbers_pack(numbers, count, bytes);
    CU_ASSERT(size <= most && bytes[size] == 0xa5);
    CU_ASSERT_TRUE(nd_small_numbers_unpack(bytes, size, found, count));
    CU_ASSERT(memcmp(found, numbers, count * sizeof *found) == 0 && found[count] == 0xa5a5);
    CU_ASSERT_FALSE(nd_small_numbers_unpack(bytes, size + 1, found, count));
    CU_ASSERT(size == 0 || !nd_small_numbers_unpack(bytes, size - 1, found, count));
    return size;
}

ND_TEST("back") {
    nd_random random = nd_test_random("back");
    static const size_t counts[] = {0, 1, 2, 3, 17, 268, MOST_SMALL_NUMBERS};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        CU_ASSERT_EQUAL(back(&random, counts[c], 15), (counts[c] + 1) / 2);
        (void)back(&random, counts[c], 0);
        (void)back(&random, counts[c], 300);
    }
}

/* Where the ways to write a number meet. */
ND_TEST("edges") {
    static const uint16_t edges[] = {0, 14, 15, 16, 269, 270, 271, UINT16_MAX};
    static const size_t sizes[] = {1, 1, 2, 2, 2, 4, 4, 4};
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        uint8_t bytes[4];
        uint16_t found = 1;
        CU_ASSERT_EQUAL(nd_small_numbers_pack(&edges[i], 1, bytes), sizes[i]);
        CU_ASSERT_TRUE(nd_small_numbers_unpack(bytes, sizes[i], &found, 1));
        CU_ASSERT_EQUAL(found, edges[i]);
    }
}
