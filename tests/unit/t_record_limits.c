/* The limits of a record: their defaults, what little memory makes of them, and the words. */
#include "io/input/record_limits.h"
#include "tests/support/check.h"

#include <string.h>

static void check_refusal(const nd_record_limits *limits, nd_record_limit limit, const char *text) {
    char refusal[256];
    CU_ASSERT_STRING_EQUAL(nd_record_limits_refuse(limits, limit, refusal, sizeof refusal), text);
}

/* Without a bound on the memory, and from 2 GiB on, the limits are those of the list. */
static void test_defaults(void) {
    const nd_record_limits none = nd_record_limits_of(0, 0, 0);
    const nd_record_limits enough = nd_record_limits_of(0, 0, UINT64_C(2) << 30);
    for (size_t i = 0; i < ND_LIMITS; i++) {
        CU_ASSERT_EQUAL(none.most[i], enough.most[i]);
        CU_ASSERT_FALSE(enough.by_memory[i]);
        CU_ASSERT_TRUE(none.most[i] > 0);
    }
    CU_ASSERT_EQUAL(none.most[ND_LIMIT_PAGE], 128 << 20);
    CU_ASSERT_EQUAL(none.most[ND_LIMIT_EXPANSION], 200);
}

static void test_memory(void) {
    static const uint64_t least[ND_LIMITS] = {
        [ND_LIMIT_PAGE] = 1 << 20,      [ND_LIMIT_TOKENS] = 64 << 10,
        [ND_LIMIT_SENTENCES] = 8 << 10, [ND_LIMIT_JSON_VALUES] = 4 << 10,
        [ND_LIMIT_WINDOW] = 8 << 20,
    };
    const nd_record_limits usual = nd_record_limits_of(0, 0, 0);
    const nd_record_limits fewest = nd_record_limits_of(0, 0, 1);
    for (size_t i = 0; i < ND_LIMITS; i++) {
        CU_ASSERT_EQUAL(fewest.most[i], least[i] > 0 ? least[i] : usual.most[i]);
    }
    const nd_record_limits small = nd_record_limits_of(0, 0, 240 << 20);
    CU_ASSERT_EQUAL(small.most[ND_LIMIT_PAGE], 20 << 20);
    CU_ASSERT_TRUE(small.by_memory[ND_LIMIT_PAGE]);
    check_refusal(
        &small, ND_LIMIT_PAGE,
        "page of more than 20971520 bytes, the limit for this memory (--memory 1536M takes "
        "what --max-page allows)");
    const nd_record_limits asked = nd_record_limits_of(10 << 20, 7, 240 << 20);
    CU_ASSERT_FALSE(asked.by_memory[ND_LIMIT_PAGE]);
    check_refusal(&asked, ND_LIMIT_PAGE,
                  "page of more than 10485760 bytes, the limit (--max-page raises it)");
    check_refusal(&asked, ND_LIMIT_EXPANSION,
                  "record that unpacks to more than 7 times its bytes, the limit (--max-expansion "
                  "raises it)");
    check_refusal(&asked, ND_LIMIT_CODINGS, "body in more than 4 content codings, the limit");
    /* offsets in a page fit 32 bits, whatever is asked for */
    CU_ASSERT_EQUAL(nd_record_limits_of(UINT64_C(1) << 40, 0, 0).most[ND_LIMIT_PAGE], 1 << 30);
}

static const nd_test tests[] = {
    {"defaults", test_defaults},
    {"what memory allows", test_memory},
};
ND_SUITE(t_record_limits, tests)
