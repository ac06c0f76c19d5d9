/* Options as rows of a table: every kind is set and printed back; bounds, words, and what was
 * given.
 */
#include "src/base/option.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <string.h>

typedef struct values {
    double real;
    uint64_t number, size;
    const char *text;
    uint32_t count;
    enum { FIRST, SECOND, THIRD } word;
    bool flag, on, given;
} values;

static nd_status set_own(void *options, const char *text) {
    ((values *)options)->real = (double)strlen(text);
    return ND_OK;
}

#define AT(field) offsetof(values, field)

static const nd_option table[] = {
    {.help = "a heading"},
    {"flag", NULL, ND_OPTION_FLAG, AT(flag), .help = "x"},
    {"a-switch", "on|off", ND_OPTION_SWITCH, AT(on), .help = "x"},
    {"word", "first|second|third", ND_OPTION_WORD, AT(word), .help = "x", .given = AT(given)},
    {"count", "N", ND_OPTION_COUNT, AT(count), .help = "x"},
    {"number", "N", ND_OPTION_NUMBER, AT(number), .help = "x", .bounded = true, .least = 2,
     .most = 9},
    {"size", "SIZE", ND_OPTION_SIZE, AT(size), .help = "x", .bounded = true, .least = 2 << 20},
    {"real", "X", ND_OPTION_REAL, AT(real), .help = "x"},
    {"text", "T", ND_OPTION_TEXT, AT(text), .help = "x"},
    {"own", "T", ND_OPTION_OWN, 0, .help = "x", .set = set_own},
    {0},
};

static const nd_option *row(const char *parameter) {
    const nd_option *found = nd_option_of_parameter(table, parameter);
    CU_ASSERT_FATAL(found != NULL);
    return found;
}

/* Rows of which the others have none: what an own option prints, and refuses. */
static nd_status refuse_own(void *options, const char *text) {
    (void)options;
    return nd_fail(ND_ERR_USAGE, "--refused %s", text);
}

static const char *print_own(const void *options) {
    return ((const values *)options)->real > 0 ? "some" : "none";
}

static void test_own(void) {
    static const nd_option own[] = {
        {"refused", "T", ND_OPTION_OWN, 0, .help = "x", .set = refuse_own, .given = AT(given)},
        {"printed", "T", ND_OPTION_OWN, 0, .help = "x", .set = set_own, .print = print_own},
        {"most", "N", ND_OPTION_NUMBER, AT(number), .help = "x", .bounded = true, .least = 2},
        {0},
    };
    values v = {0};
    char room[ND_OPTION_TEXT_SIZE];
    CU_ASSERT_EQUAL(nd_option_set(&own[0], "x", &v), ND_ERR_USAGE);
    CU_ASSERT_FALSE(v.given);
    CU_ASSERT_STRING_EQUAL(nd_option_print(&own[1], &v, room), "none");
    CU_ASSERT_EQUAL(nd_option_set(&own[1], "x", &v), ND_OK);
    CU_ASSERT_STRING_EQUAL(nd_option_print(&own[1], &v, room), "some");
    CU_ASSERT_PTR_NULL(nd_option_print(&own[0], &v, room));
    CU_ASSERT_EQUAL(nd_option_set(&own[2], "1", &v), ND_ERR_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "must be at least 2"));
    CU_ASSERT_EQUAL(nd_option_set(&own[2], "18446744073709551615", &v), ND_OK);
    CU_ASSERT_PTR_EQUAL(nd_option_find(own, "most"), &own[2]);
    CU_ASSERT_PTR_NULL(nd_option_find(own, "none"));
    CU_ASSERT_PTR_NULL(nd_option_find(table, "heading"));
    CU_ASSERT_EQUAL(nd_option_set(nd_option_find(table, "size"), "99999999999999G", &v),
                    ND_ERR_USAGE);
    CU_ASSERT_EQUAL(nd_option_set(nd_option_find(table, "size"), "-4M", &v), ND_ERR_USAGE);
    CU_ASSERT_EQUAL(nd_option_set(nd_option_find(table, "size"), "0", &v), ND_ERR_USAGE);
    CU_ASSERT_EQUAL(nd_option_set(nd_option_find(table, "size"), "M", &v), ND_ERR_USAGE);
    v.size = (UINT64_C(3) << 20) + 1;
    CU_ASSERT_STRING_EQUAL(nd_option_print(nd_option_find(table, "size"), &v, room), "3145729");
    v.size = UINT64_C(3) << 10;
    CU_ASSERT_STRING_EQUAL(nd_option_print(nd_option_find(table, "size"), &v, room), "3K");
    v.size = UINT64_C(3) << 40;
    CU_ASSERT_STRING_EQUAL(nd_option_print(nd_option_find(table, "size"), &v, room), "3T");
}

static void check_kept(const char *parameter, const char *text, const char *printed) {
    values v = {0};
    char room[ND_OPTION_TEXT_SIZE];
    CU_ASSERT_EQUAL(nd_option_set(row(parameter), text, &v), ND_OK);
    const char *value = nd_option_print(row(parameter), &v, room);
    CU_ASSERT_FATAL(value != NULL);
    CU_ASSERT_STRING_EQUAL(value, printed);
}

static void test_values(void) {
    values v = {.on = true};
    check_kept("a_switch", "on", "on");
    check_kept("a_switch", "off", "off");
    check_kept("word", "third", "third");
    check_kept("count", "4294967295", "4294967295");
    check_kept("number", "9", "9");
    check_kept("size", "3M", "3M");
    check_kept("size", "3145729", "3145729");
    check_kept("real", "60", "60");
    check_kept("real", "0.1", "0.1");
    check_kept("text", "", "");
    CU_ASSERT_EQUAL(nd_option_set(row("flag"), NULL, &v), ND_OK);
    CU_ASSERT(v.flag && v.on && !v.given);
    CU_ASSERT_EQUAL(nd_option_set(row("word"), "second", &v), ND_OK);
    CU_ASSERT(v.word == SECOND && v.given);
    CU_ASSERT_EQUAL(nd_option_set(row("own"), "four", &v), ND_OK);
    CU_ASSERT_EQUAL(v.real, 4);
}

/* Units and fractions, of numbers and of bytes; what is neither is refused. */
static void test_units(void) {
    static const struct {
        const char *text;
        uint64_t number, bytes; /* 0: none */
    } rows[] = {{"65536", 65536, 65536},
                {"400M", 400000000, UINT64_C(400) << 20},
                {"400m", 400000000, UINT64_C(400) << 20},
                {"1.5K", 1500, 1536},
                {"2.5G", 2500000000, UINT64_C(5) << 29},
                {"0.1K", 100, 102},
                {"1.000001M", 1000001, 1048577},
                {"2GB", 0, 2000000000},
                {"2.5gb", 0, 2500000000},
                {"2GiB", 0, UINT64_C(2) << 30},
                {"1T", UINT64_C(1000000000000), UINT64_C(1) << 40},
                {"18446744073709551615", UINT64_MAX, UINT64_MAX},
                {"16777215T", UINT64_C(16777215000000000000), UINT64_C(16777215) << 40},
                {"1.2345K", 0, 1264},
                {"", 0, 0},
                {"M", 0, 0},
                {"1.5", 0, 0},
                {".5M", 0, 0},
                {"1.M", 1000000, 1048576},
                {"1e6", 1000000, 1000000},
                {"4E8", 400000000, 400000000},
                {"1.5e6", 1500000, 1500000},
                {"1.5e0", 0, 0},
                {"1e-3", 0, 0},
                {"1e+3", 0, 0},
                {"1e", 0, 0},
                {"1e3K", 0, 0},
                {"1e16", 0, 0},
                {"0x1e2", 0, 0},
                {"0x10", 0, 0},
                {"+5", 0, 0},
                {" 5", 0, 0},
                {"5 M", 0, 0},
                {"5MM", 0, 0},
                {"5B", 0, 0},
                {"5iB", 0, 0},
                {"-1K", 0, 0},
                {"18446744073709551616", 0, 0},
                {"18446744073709552K", 0, 0},
                {"99999999T", 0, 0},
                {"nan", 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t number = 0;
        uint64_t bytes = 0;
        const bool is_number = nd_parse_number("x", rows[i].text, &number) == ND_OK;
        const bool is_size = nd_parse_size("x", rows[i].text, &bytes) == ND_OK;
        if (is_number != (rows[i].number > 0) || is_size != (rows[i].bytes > 0) ||
            (is_number && number != rows[i].number) || (is_size && bytes != rows[i].bytes)) {
            printf("'%s': %d %llu, %d %llu\n", rows[i].text, is_number, (unsigned long long)number,
                   is_size, (unsigned long long)bytes);
            CU_FAIL("unit");
        }
    }
}

static void refuse(const char *parameter, const char *text, const char *message) {
    values v = {0};
    CU_ASSERT_EQUAL(nd_option_set(row(parameter), text, &v), ND_ERR_USAGE);
    CU_ASSERT_STRING_EQUAL(nd_fail_text(), message);
    CU_ASSERT(!v.given);
}

static void test_refused(void) {
    refuse("word", "fir", "--word fir: must be first, second or third");
    refuse("word", "first|second", "--word first|second: must be first, second or third");
    refuse("a_switch", "", "--a-switch : must be on or off");
    refuse("count", "4294967296", "--count 4294967296: too large");
    refuse("number", "1", "--number 1: must be 2 to 9");
    refuse("number", "10", "--number 10: must be 2 to 9");
    refuse("number", "-3", "--number -3: must be a whole number, as 20000, 1.5M or 4e8");
    refuse("size", "1M", "--size 1M: must be at least 2M");
    refuse("size", "2X", "--size 2X: must be a size such as 65536, 512M or 2.5G");
    refuse("real", "x", "--real x: must be a number");
    CU_ASSERT_PTR_NULL(nd_option_of_parameter(table, "nothing"));
    CU_ASSERT_PTR_NULL(nd_option_of_parameter(table, ""));
}

static const nd_test tests[] = {
    {"own", test_own},
    {"values", test_values},
    {"units", test_units},
    {"refused", test_refused},
};

ND_SUITE(t_option, tests)
