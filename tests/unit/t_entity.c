/* nd_entity_read: named, legacy and numeric character references. */
#include "src/text/tag.h"
#include "tests/support/check.h"
#include "tests/support/page_dump.h"

#include <string.h>

enum { NAMES = 2125 }; /* of HTML5, without the 106 that only lack the semicolon */

static void is(const char *text, size_t size, uint32_t first, uint32_t second) {
    uint32_t codes[2] = {1, 1};
    const uint8_t *p = (const uint8_t *)text;
    CU_ASSERT_EQUAL(nd_entity_read(p, p + strlen(text), codes), size);
    CU_ASSERT_EQUAL(codes[0], first);
    CU_ASSERT_EQUAL(codes[1], second);
}

static void test_named(void) {
    is("&amp;", 5, '&', 0);
    is("&eacute;x", 8, 0xE9, 0);
    is("&CounterClockwiseContourIntegral;", 33, 0x2233, 0);
    is("&NotEqualTilde;", 15, 0x2242, 0x338);
    is("&fjlig;", 7, 'f', 'j');
    is("&zwnj;", 6, 0x200C, 0);
    is("&Aacute;", 8, 0xC1, 0);
    is("&AMP;", 5, '&', 0);
    is("&Afr;", 5, 0x1D504, 0);
}

static void test_legacy(void) {
    is("&amp", 4, '&', 0);
    is("&copy2026", 5, 0xA9, 0);
    is("&notit;", 4, 0xAC, 0);
    is("&notin;", 7, 0x2209, 0);
    is("&ltx", 3, '<', 0);
    is("&Aacutes;", 7, 0xC1, 0);
}

static void test_numeric(void) {
    is("&#65;", 5, 'A', 0);
    is("&#65", 4, 'A', 0);
    is("&#x4e2d;", 8, 0x4E2D, 0);
    is("&#X4E2Dg", 7, 0x4E2D, 0);
    is("&#x80;", 6, 0x20AC, 0);
    is("&#147;", 6, 0x201C, 0);
    is("&#129;", 6, 0x81, 0);
    is("&#0;", 4, 0xFFFD, 0);
    is("&#xD800;", 8, 0xFFFD, 0);
    is("&#x110000;", 10, 0xFFFD, 0);
    is("&#99999999999999999999;", 23, 0xFFFD, 0);
}

static void test_no_reference(void) {
    is("&", 0, 1, 1);
    is("& ", 0, 1, 1);
    is("&;", 0, 1, 1);
    is("&#;", 0, 1, 1);
    is("&#x;", 0, 1, 1);
    is("&#xg", 0, 1, 1);
    is("&eacut;", 0, 1, 1);
    is("&zwnj", 0, 1, 1);
    is("&1;", 0, 1, 1);
    is("&ThereIsNoSuchNameAsThisInTheTable;", 0, 1, 1);
}

/* Every name of the table is found, ordered, and read with its semicolon. */
static void test_whole_table(void) {
    for (size_t i = 0; i < NAMES; i++) {
        char text[64];
        size_t size = (size_t)(nd_entity_begins[i + 1] - nd_entity_begins[i]);
        (void)snprintf(text, sizeof text, "&%.*s;", (int)size,
                       nd_entity_names + nd_entity_begins[i]);
        uint32_t value = nd_entity_values[i];
        is(text, size + 2, value & 0x1FFFFF, nd_entity_seconds[value >> 21 & 15]);
    }
    CU_ASSERT_EQUAL(nd_entity_begins[NAMES], strlen(nd_entity_names));
}

static void test_in_text(void) {
    CU_ASSERT_STRING_EQUAL(nd_test_html("&lt;b&gt; caf&eacute; A&#38;B &nosuch; &"),
                           "<b> caf\xC3\xA9 A&B &nosuch; &|");
}

static const nd_test tests[] = {
    {"named", test_named},
    {"legacy names without semicolon", test_legacy},
    {"numeric", test_numeric},
    {"no reference", test_no_reference},
    {"whole table", test_whole_table},
    {"in text", test_in_text},
};
ND_SUITE(t_entity, tests)
