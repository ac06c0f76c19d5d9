/* Which record a request or a metadata record is of. */
#include "io/input/archive_header.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

static nd_capture_names names(const char *id, const char *url, const char *with) {
    return nd_capture_names_of(nd_test_span(id), nd_test_span(url), nd_test_span(with));
}

static void test_sides(void) {
    const nd_capture_names before = names("b", "u", "");
    const nd_capture_names after = names("a", "v", "");
    const nd_capture_names same = names("s", "u", "");
    const nd_capture_names names_q = names("n", "w", "q");
    const struct {
        nd_capture_names companion;
        const nd_capture_names *before, *after;
        nd_capture_side side;
    } cases[] = {
        {names("q", "", "b"), &before, &after, ND_CAPTURE_BEFORE},
        {names("q", "", "a"), &before, &after, ND_CAPTURE_AFTER},
        {names("q", "u", "a"), &before, &after, ND_CAPTURE_AFTER}, /* a name before a URL */
        {names("q", "u", ""), &before, &names_q, ND_CAPTURE_AFTER},
        {names("q", "v", ""), &names_q, &after, ND_CAPTURE_BEFORE},
        {names("q", "u", ""), &before, &after, ND_CAPTURE_BEFORE},
        {names("q", "v", ""), &before, &after, ND_CAPTURE_AFTER},
        {names("q", "u", ""), &before, &same, ND_CAPTURE_BEFORE},
        {names("q", "u", "s"), &before, &same, ND_CAPTURE_AFTER},
        {names("q", "x", "y"), &before, &after, ND_CAPTURE_NONE},
        {names("", "", ""), &before, &after, ND_CAPTURE_NONE},
        {names("q", "u", ""), NULL, &after, ND_CAPTURE_NONE},
        {names("q", "u", ""), NULL, &same, ND_CAPTURE_AFTER},
        {names("q", "v", "b"), &before, NULL, ND_CAPTURE_BEFORE},
        {names("q", "v", "a"), NULL, NULL, ND_CAPTURE_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CU_ASSERT_EQUAL(nd_capture_side_of(&cases[i].companion, cases[i].before, cases[i].after),
                        cases[i].side);
    }
    const nd_capture_names none = names("", "", "");
    CU_ASSERT_EQUAL(nd_capture_side_of(&none, &none, &none), ND_CAPTURE_NONE);
}

/* Keys of one name in two kinds, and of a place at two times, are others; what is missing has none.
 */
static void test_keys(void) {
    const nd_span a = nd_test_span("a"), none = nd_test_span("");
    const uint64_t keys[] = {nd_capture_id_key(a), nd_capture_place_key(a, 1),
                             nd_capture_place_key(a, 2), nd_capture_payload_key(a),
                             nd_capture_id_key(nd_test_span("A"))};
    enum { KEYS = sizeof keys / sizeof keys[0] };
    for (size_t i = 0; i < KEYS; i++) {
        CU_ASSERT_NOT_EQUAL(keys[i], 0);
        for (size_t j = 0; j < i; j++) {
            CU_ASSERT_NOT_EQUAL(keys[i], keys[j]);
        }
    }
    CU_ASSERT_EQUAL(nd_capture_payload_key(nd_test_span("sha1:aB")),
                    nd_capture_payload_key(nd_test_span("SHA1:Ab")));
    CU_ASSERT_NOT_EQUAL(nd_capture_payload_key(nd_test_span("a1")),
                        nd_capture_payload_key(nd_test_span("b1"))); /* the first byte counts */
    char long_digest[300] = "";
    memset(long_digest, 'a', 256);
    CU_ASSERT_NOT_EQUAL(nd_capture_payload_key(nd_test_span(long_digest)), 0);
    long_digest[256] = 'a'; /* no digest is so long */
    CU_ASSERT_EQUAL(nd_capture_payload_key(nd_test_span(long_digest)), 0);
    CU_ASSERT_EQUAL(nd_capture_id_key(none) | nd_capture_place_key(none, 1) |
                        nd_capture_place_key(a, 0) | nd_capture_payload_key(none),
                    0);
}

static const nd_test tests[] = {{"sides", test_sides}, {"keys", test_keys}};

ND_SUITE(t_capture, tests)
