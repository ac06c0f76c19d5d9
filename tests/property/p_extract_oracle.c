/* The extractor's words are libxml2's: on at least 99 of 100 pages of the folder NEARDUP_GUIDES
 * (the nine installation-guide-* packages of Debian, unpacked), and every difference is explained.
 * A few small pages go the same way everywhere, among them one for each kind of difference. */
#include "tests/support/check.h"
#include "tests/support/extract_oracle.h"

#include <stdlib.h>
#include <string.h>

static void test_guides(void) {
    const char *folder = getenv("NEARDUP_GUIDES");
    if (folder == NULL) {
        printf("\nSKIPPED: NEARDUP_GUIDES names no folder of pages\n");
        return;
    }
    nd_oracle oracle = {0};
    CU_ASSERT_EQUAL(nd_oracle_walk(&oracle, folder), ND_OK);
    printf("\n");
    nd_oracle_print(&oracle, stdout);
    CU_ASSERT(oracle.pages > 0);
    CU_ASSERT(oracle.equal * 100 >= oracle.pages * 99);
    CU_ASSERT_EQUAL(oracle.differences[ND_ORACLE_UNEXPLAINED], 0);
    nd_oracle_free(&oracle);
}

/* The kind of the difference on one page; -1 if both agree. */
static int kind_of(const char *html, size_t size) {
    nd_oracle oracle = {0};
    CU_ASSERT_EQUAL(nd_oracle_compare(&oracle, "page", (nd_span){(const uint8_t *)html, size}),
                    ND_OK);
    int kind = 0;
    while (kind < ND_ORACLE_KINDS && oracle.differences[kind] == 0) {
        kind++;
    }
    nd_oracle_free(&oracle);
    return kind == ND_ORACLE_KINDS ? -1 : kind;
}

static int kind_of_text(const char *html) {
    return kind_of(html, strlen(html));
}

static void test_agreement(void) {
    CU_ASSERT_EQUAL(
        kind_of_text("<title>a</title><p>wo<b>rd</b> <a href='x>y'>b</a>&eacute;t&#233;"), -1);
    CU_ASSERT_EQUAL(kind_of_text("<script>a<b</script><style></style>c<!-- d --><br>e &amp; f"),
                    -1);
}

static void test_kinds(void) {
    CU_ASSERT_EQUAL(kind_of("a\0b", 3), ND_ORACLE_NUL);
    CU_ASSERT_EQUAL(kind_of_text("a\x02z"), ND_ORACLE_CONTROL);
    CU_ASSERT_EQUAL(kind_of_text("a\xE9z"), ND_ORACLE_BYTES);
    CU_ASSERT_EQUAL(kind_of_text("<p>a</div>b"), ND_ORACLE_IGNORED);
    CU_ASSERT_EQUAL(kind_of_text("a &check; b"), ND_ORACLE_REFERENCE);
    CU_ASSERT_EQUAL(kind_of_text("a &amp b"), ND_ORACLE_REFERENCE);
    CU_ASSERT_EQUAL(kind_of_text("<title>a <b>c</title>"), ND_ORACLE_TITLE);
}

static const nd_test tests[] = {
    {"installation guides", test_guides},
    {"agreement", test_agreement},
    {"kinds of difference", test_kinds},
};
ND_SUITE(p_extract_oracle, tests)
