/* Which record a request or a metadata record is of. */
#include "io/input/capture.h"
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

static const nd_test tests[] = {{"sides", test_sides}};

ND_TEST_MAIN("capture", tests)
