/* Fingerprints: cases small enough to check by hand. */
#include "src/sketch/fingerprint.h"
#include "tests/support/check.h"
#include "tests/support/slow_sketch.h"

static const nd_fingerprint_options seven_by_three = {ND_FINGERPRINT_BUCKETS,
                                                      ND_FINGERPRINT_SMALLEST};

/* The digest whose 128-bit value is `low`: its bucket is low mod buckets. */
static nd_md5 digest_of(uint64_t low) {
    nd_md5 digest = {{0}};
    for (int i = 0; i < 8; i++) {
        digest.bytes[15 - i] = (uint8_t)(low >> 8 * i);
    }
    return digest;
}

static size_t keys_of(const uint64_t *values, size_t count, uint64_t *keys) {
    nd_md5 digests[16];
    for (size_t i = 0; i < count; i++) {
        digests[i] = digest_of(values[i]);
    }
    return nd_fingerprint_keys(digests, count, &seven_by_three, keys);
}

static void test_no_digests_no_keys(void) {
    uint64_t keys[ND_FINGERPRINT_BUCKETS];
    CU_ASSERT_EQUAL(nd_fingerprint_keys(NULL, 0, &seven_by_three, keys), 0);
}

/* 7, 14 and 21 are the smallest of bucket 0; 28 and 70 are not among them. */
static void test_only_the_smallest_count(void) {
    uint64_t few[ND_FINGERPRINT_BUCKETS], many[ND_FINGERPRINT_BUCKETS];
    CU_ASSERT_EQUAL(keys_of((uint64_t[]){7, 14, 21}, 3, few), 1);
    CU_ASSERT_EQUAL(keys_of((uint64_t[]){70, 21, 7, 28, 14}, 5, many), 1);
    CU_ASSERT_EQUAL(few[0], many[0]);
    CU_ASSERT_EQUAL(keys_of((uint64_t[]){7, 14, 28}, 3, many), 1);
    CU_ASSERT_NOT_EQUAL(few[0], many[0]);
}

/* The first 64 bits of the MD5 of three digests and their number, computed here step by step. */
static void test_key_is_hash_of_the_smallest(void) {
    uint8_t message[3 * 16 + 1] = {0};
    uint64_t keys[ND_FINGERPRINT_BUCKETS];
    message[15] = 7;
    message[31] = 14;
    message[47] = 21;
    message[48] = 3;
    nd_md5 expected;
    nd_slow_md5((nd_span){message, sizeof message}, &expected);
    CU_ASSERT_EQUAL(keys_of((uint64_t[]){21, 14, 7}, 3, keys), 1);
    CU_ASSERT_EQUAL(keys[0], nd_md5_high64(&expected));
}

static void test_bucket_of_two_meets_only_buckets_of_two(void) {
    uint64_t two[ND_FINGERPRINT_BUCKETS], three[ND_FINGERPRINT_BUCKETS];
    uint64_t again[ND_FINGERPRINT_BUCKETS];
    CU_ASSERT_EQUAL(keys_of((uint64_t[]){7, 14}, 2, two), 1);
    CU_ASSERT_EQUAL(keys_of((uint64_t[]){7, 14, 21}, 3, three), 1);
    CU_ASSERT_EQUAL(keys_of((uint64_t[]){14, 7}, 2, again), 1);
    CU_ASSERT_NOT_EQUAL(two[0], three[0]);
    CU_ASSERT_EQUAL(two[0], again[0]);
}

static void test_duplicates_count_once(void) {
    uint64_t once[ND_FINGERPRINT_BUCKETS], twice[ND_FINGERPRINT_BUCKETS];
    CU_ASSERT_EQUAL(keys_of((uint64_t[]){7, 14}, 2, once), 1);
    CU_ASSERT_EQUAL(keys_of((uint64_t[]){14, 7, 7, 14, 14}, 5, twice), 1);
    CU_ASSERT_EQUAL(once[0], twice[0]);
}

/* 8 is alone in bucket 1, 9 in bucket 2, 13 in bucket 6: three keys, in that order. */
static void test_keys_in_order_of_buckets(void) {
    uint64_t all[ND_FINGERPRINT_BUCKETS], one[ND_FINGERPRINT_BUCKETS];
    const uint64_t values[] = {13, 9, 8};
    CU_ASSERT_EQUAL(keys_of(values, 3, all), 3);
    for (size_t i = 0; i < 3; i++) {
        CU_ASSERT_EQUAL(keys_of(&values[2 - i], 1, one), 1);
        CU_ASSERT_EQUAL(all[i], one[0]);
    }
}

/* 2^64 mod 7 = 2, so 2^64 + 5 is in bucket 0 together with 7: one key, where 5 makes two. */
static void test_bucket_of_128_bits(void) {
    nd_md5 digests[] = {digest_of(5), digest_of(7)};
    uint64_t keys[ND_FINGERPRINT_BUCKETS];
    CU_ASSERT_EQUAL(nd_fingerprint_keys(digests, 2, &seven_by_three, keys), 2);
    digests[0].bytes[7] = 1;
    CU_ASSERT_EQUAL(nd_fingerprint_keys(digests, 2, &seven_by_three, keys), 1);
}

static const nd_test tests[] = {
    {"no digests, no keys", test_no_digests_no_keys},
    {"only the smallest count", test_only_the_smallest_count},
    {"a key is the hash of the smallest", test_key_is_hash_of_the_smallest},
    {"a bucket of two meets only buckets of two", test_bucket_of_two_meets_only_buckets_of_two},
    {"duplicates count once", test_duplicates_count_once},
    {"keys come in the order of the buckets", test_keys_in_order_of_buckets},
    {"buckets of 128-bit values", test_bucket_of_128_bits},
};
ND_SUITE(t_fingerprint, tests)
