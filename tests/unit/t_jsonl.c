/* What a file of JSON lines looks like. */
#include "io/input/jsonl.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

/* A first line begins with a brace and ends with one, unless it was cut. */
static void test_looks_like_lines(void) {
    static const char *const lines[] = {"{", "{\n", "{}", " \n{\"a\": 1} \nx",
                                        "\xEF\xBB\xBF{\"a\""};
    static const char *const others[] = {"", " \n", "x{}\n", "{\"a\":\n1}"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        CU_ASSERT(nd_jsonl_looks(nd_test_span(lines[i])));
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        CU_ASSERT_FALSE(nd_jsonl_looks(nd_test_span(others[i])));
    }
}

static const nd_test tests[] = {{"looks like lines", test_looks_like_lines}};
ND_TEST_MAIN("JSON lines", tests)
