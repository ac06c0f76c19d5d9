/* MD5: the test suite of RFC 1321 (appendix A.5) and the block boundaries. */
#include "src/hash/md5.h"
#include "tests/support/check.h"
#include "tests/support/slow_sketch.h"

#include <stdio.h>
#include <string.h>

typedef struct vector {
    const char *message;
    const char *digest;
} vector;

/* The last three are of 55, 56 and 64 bytes, where the padding takes its turns; their digests come
 * from coreutils' md5sum. */
static const vector vectors[] = {
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

static nd_span span_of(const char *text) {
    return (nd_span){(const uint8_t *)text, strlen(text)};
}

static void test_vectors_one_by_one(void) {
    for (size_t i = 0; i < VECTORS; i++) {
        nd_md5 digest;
        char hex[33];
        nd_slow_md5(span_of(vectors[i].message), &digest);
        to_hex(&digest, hex);
        CU_ASSERT_STRING_EQUAL(hex, vectors[i].digest);
    }
}

/* Enough copies for full groups of the widest variant and a remainder. */
static void test_vectors_as_batch(void) {
    enum { COUNT = 7 * VECTORS + 3 };
    nd_span messages[COUNT];
    nd_md5 digests[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        messages[i] = span_of(vectors[i % VECTORS].message);
    }
    nd_md5_batch(messages, COUNT, digests);
    for (size_t i = 0; i < COUNT; i++) {
        char hex[33];
        to_hex(&digests[i], hex);
        CU_ASSERT_STRING_EQUAL(hex, vectors[i % VECTORS].digest);
    }
}

static void test_empty_message_without_data(void) {
    nd_md5 digest;
    char hex[33];
    nd_slow_md5((nd_span){0}, &digest);
    to_hex(&digest, hex);
    CU_ASSERT_STRING_EQUAL(hex, vectors[0].digest);
}

static void test_high64_is_big_endian(void) {
    nd_md5 digest = {{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xff}};
    CU_ASSERT_EQUAL(nd_md5_high64(&digest), UINT64_C(0x0123456789abcdef));
}

static const nd_test tests[] = {
    {"RFC 1321's messages one by one", test_vectors_one_by_one},
    {"RFC 1321's messages as a batch", test_vectors_as_batch},
    {"an empty message may have no data", test_empty_message_without_data},
    {"high64 is big-endian", test_high64_is_big_endian},
};
ND_SUITE(t_md5, tests)
