/* Parameters of runs: setting them, and naming the one that differs. */
#include "io/result/result_schema.h"
#include "tests/support/check.h"

#include <string.h>

static void check_difference(const char *before, const char *now, const char *expected) {
    char difference[256] = "";
    CU_ASSERT_EQUAL(nd_parameters_differ(before, now, difference, sizeof difference),
                    expected != NULL);
    CU_ASSERT_STRING_EQUAL(difference, expected == NULL ? "" : expected);
}

static void test_set(void) {
    nd_buffer text = {0};
    CU_ASSERT_EQUAL(nd_parameters_set(&text, "one", "1"), ND_OK);
    check_difference("{\"one\":\"1\"}", (const char *)text.data, NULL);
    CU_ASSERT_EQUAL(nd_parameters_set(&text, "quoted", "a \"b\" \\ \n \xc3\xa4"), ND_OK);
    CU_ASSERT_EQUAL(nd_parameters_set(&text, "one", "2"), ND_OK); /* replaced */
    CU_ASSERT_EQUAL(text.size, strlen((const char *)text.data) + 1);
    CU_ASSERT_PTR_NULL(strchr((const char *)text.data, '\n'));
    check_difference("{\"one\":\"2\",\"quoted\":\"a \\\"b\\\" \\\\ \\n \xc3\xa4\"}",
                     (const char *)text.data, NULL);
    nd_buffer_free(&text);
}

/* Added to an object that is there; its numbers stay numbers. */
static void test_set_in_object(void) {
    static const char object[] = "{\"threshold\": 0.46, \"buckets\": 14}";
    nd_buffer text = {0};
    nd_buffer_append(&text, object, sizeof object);
    CU_ASSERT_EQUAL(nd_parameters_set(&text, "url", ""), ND_OK);
    check_difference("{\"url\":\"\",\"buckets\":14,\"threshold\":0.46}", (const char *)text.data,
                     NULL);
    nd_buffer_free(&text);
}

static void test_set_in_no_object(void) {
    static const char *const texts[] = {"[1]", "7", "{\"a\":", "no JSON"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        nd_buffer text = {0};
        nd_buffer_append(&text, texts[i], strlen(texts[i]) + 1);
        CU_ASSERT_EQUAL(nd_parameters_set(&text, "a", "b"), ND_ERR_FORMAT);
        nd_buffer_free(&text);
    }
}

static void test_differences(void) {
    static const char run[] = "{\"threshold\":0.46,\"score\":\"r\",\"seed\":0}";
    check_difference(run, run, NULL);
    check_difference(run, "{\"seed\":0,\"score\":\"r\",\"threshold\":0.46}", NULL);
    check_difference(run, "{\"threshold\":0.5,\"score\":\"r\",\"seed\":0}",
                     "threshold was 0.46 and is 0.5");
    check_difference(run, "{\"threshold\":0.46,\"score\":\"x\",\"seed\":0}",
                     "score was \"r\" and is \"x\"");
    check_difference(run, "{\"threshold\":0.46,\"seed\":0}", "score was \"r\" and is not there");
    check_difference("{\"threshold\":0.46,\"seed\":0}", run, "score was not there and is \"r\"");
    check_difference("{}", "{}", NULL);
}

/* A text that is cut, and one that is no object, are other parameters. */
static void test_unreadable(void) {
    check_difference("{\"a\":", "{}", "they cannot be read");
    check_difference("{}", "[]", "they cannot be read");
    char few[8] = "";
    CU_ASSERT(nd_parameters_differ("{\"threshold\":1}", "{}", few, sizeof few));
    CU_ASSERT_STRING_EQUAL(few, "thresho");
}

static const nd_test tests[] = {
    {"set", test_set},
    {"set in an object", test_set_in_object},
    {"set in what is no object", test_set_in_no_object},
    {"differences", test_differences},
    {"unreadable", test_unreadable},
};

ND_SUITE(t_parameters, tests)
