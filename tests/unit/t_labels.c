/* Files of labels: clusters, pairs, loose pages, ambiguous clusters, and lines that are none. */
#include "io/result/labels.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

#include <stdio.h>
#include <string.h>

static bool is(nd_span text, const char *expected) {
    return text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0;
}

static const char *put(const char *name, const char *text) {
    return nd_test_write(name, nd_test_span(text));
}

static void test_clusters(void) {
    nd_labels labels = {0};
    const char *path = put(
        "clusters", "a\tred\nb\tblue\r\n\nc\tred\tmore\na\tred\nd\n\tred\ne\t\nb\tred\nlast\tx");
    CU_ASSERT_EQUAL_FATAL(nd_labels_read_clusters(&labels, path, 2), ND_OK);
    CU_ASSERT_EQUAL_FATAL(labels.ids.count, 4);
    CU_ASSERT_EQUAL(labels.clusters.count, 3);
    CU_ASSERT(is(nd_name_table_at(&labels.ids, 1), "b"));
    CU_ASSERT(is(nd_name_table_at(&labels.clusters, labels.cluster[1]), "blue"));
    CU_ASSERT_EQUAL(labels.cluster[0], labels.cluster[2]);
    CU_ASSERT(is(nd_name_table_at(&labels.ids, 3), "last"));
    CU_ASSERT_EQUAL(labels.repeated, 1);
    CU_ASSERT_EQUAL(labels.bad_lines, 4); /* d, no id, no cluster, b again */
    CU_ASSERT_PTR_NOT_NULL(strstr(labels.first_bad, "clusters, line 6: too few columns"));
    nd_labels_free(&labels);
    CU_ASSERT_EQUAL_FATAL(nd_labels_read_clusters(&labels, path, 3), ND_OK);
    CU_ASSERT_EQUAL(labels.ids.count, 1); /* c alone has a third column */
    nd_labels_free(&labels);
}

/* Pairs with the band that they were drawn from, and how many pairs that has. */
static void test_bands(void) {
    nd_labels labels = {0};
    const char *path = put("bands", "a\tb\tnear\t.5 to .6\t40\nc\td\tdifferent\t1\t7\n"
                                    "e\tf\tnear\t.5 to .6\t40\tmore\ng\th\tnear\t1\t8\n"
                                    "i\tj\tnear\t1\nk\tl\tnear\t1\t0\nm\tn\tnear\t1\t7x\n"
                                    "o\tp\tnear\t1\t7777777777777777777\nq\tr\tnear\t\t7\n");
    CU_ASSERT_EQUAL_FATAL(nd_labels_read_pairs(&labels, path, true), ND_OK);
    CU_ASSERT_EQUAL_FATAL(labels.pair_count, 3);
    CU_ASSERT_EQUAL(labels.bad_lines, 6);
    CU_ASSERT_PTR_NOT_NULL(strstr(labels.first_bad, "bands, line 4: an earlier line says"));
    CU_ASSERT_EQUAL_FATAL(labels.bands.count, 2);
    CU_ASSERT(is(nd_name_table_at(&labels.bands, 0), ".5 to .6"));
    CU_ASSERT_EQUAL(labels.band_pairs[0], 40);
    CU_ASSERT_EQUAL(labels.band_pairs[1], 7);
    CU_ASSERT_EQUAL(labels.pairs[1].band, 1);
    CU_ASSERT_EQUAL(labels.pairs[2].band, 0);
    CU_ASSERT_EQUAL(labels.ids.count, 6);
    nd_labels_free(&labels);
}

/* A byte order mark is no part of the first label, in any of the files; nor are line ends of
 * Windows. Elsewhere the same bytes are. */
static void test_byte_order_marks(void) {
    nd_labels labels = {0};
    uint64_t columns = 0;
    const char *path = put("marked", "\xEF\xBB\xBF"
                                     "a\tred\r\nb\tred\r\n\xEF\xBB\xBF"
                                     "c\tred\r\n");
    CU_ASSERT_EQUAL_FATAL(nd_labels_read_clusters(&labels, path, 2), ND_OK);
    CU_ASSERT_EQUAL(labels.clusters.count, 1);
    CU_ASSERT(is(nd_name_table_at(&labels.ids, 0), "a"));
    CU_ASSERT(is(nd_name_table_at(&labels.ids, 2), "\xEF\xBB\xBF"
                                                   "c"));
    CU_ASSERT_EQUAL(nd_labels_read_loose(&labels, put("loose", "\xEF\xBB\xBF"
                                                               "b\r\n")),
                    ND_OK);
    CU_ASSERT_EQUAL(nd_name_table_find(&labels.loose, nd_test_span("b")), 0);
    nd_labels_free(&labels);
    path = put("marked-pairs", "\xEF\xBB\xBF\r\n\r\na\tb\tnear\r\n");
    CU_ASSERT_EQUAL_FATAL(nd_labels_columns(path, &columns), ND_OK);
    CU_ASSERT_EQUAL(columns, 3);
    CU_ASSERT_EQUAL_FATAL(nd_labels_read_pairs(&labels, path, false), ND_OK);
    CU_ASSERT_EQUAL_FATAL(labels.pair_count, 1);
    CU_ASSERT(is(nd_name_table_at(&labels.ids, 0), "a"));
    CU_ASSERT(is(nd_name_table_at(&labels.labels, 0), "near"));
    nd_labels_free(&labels);
    CU_ASSERT_EQUAL(nd_labels_read_clusters(&labels, put("mark", "\xEF\xBB\xBF"), 2), ND_OK);
    CU_ASSERT_EQUAL(labels.ids.count + labels.bad_lines, 0);
    nd_labels_free(&labels);
}

/* The same bytes, packed; and cut in the middle. */
static void test_packed(void) {
    nd_labels labels = {0};
    nd_buffer text = {0};
    nd_buffer packed = {0};
    for (int i = 0; i < 5000; i++) {
        nd_test_print(&text, "page-%d\tcluster-%d\n", i, i % 777);
    }
    nd_test_pack(&packed, ND_TEST_GZIP, nd_buffer_span(&text));
    const char *path = nd_test_write("clusters.gz", nd_buffer_span(&packed));
    CU_ASSERT_EQUAL_FATAL(nd_labels_read_clusters(&labels, path, 2), ND_OK);
    CU_ASSERT_EQUAL_FATAL(labels.ids.count, 5000);
    CU_ASSERT_EQUAL(labels.clusters.count, 777);
    CU_ASSERT_EQUAL(nd_name_table_find(&labels.ids, nd_test_span("page-4999")), 4999);
    CU_ASSERT_EQUAL(labels.cluster[4999], 4999 % 777);
    nd_labels_free(&labels);
    packed.size /= 2;
    path = nd_test_write("cut.gz", nd_buffer_span(&packed));
    CU_ASSERT_EQUAL(nd_labels_read_clusters(&labels, path, 2), ND_ERR_FORMAT);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "cut.gz"));
    nd_labels_free(&labels);
    nd_buffer_free(&text);
    nd_buffer_free(&packed);
}

static void test_pairs(void) {
    nd_labels labels = {0};
    const char *path = put("pairs", "a\tb\tnear\t\t.5\nb\tc\tfar\na\ta\tnear\na\tb\nc\ta\tnear\n");
    CU_ASSERT_EQUAL_FATAL(nd_labels_read_pairs(&labels, path, false), ND_OK);
    CU_ASSERT_EQUAL(labels.ids.count, 3);
    CU_ASSERT_EQUAL_FATAL(labels.pair_count, 3);
    CU_ASSERT_EQUAL(labels.pairs[2].a, 2);
    CU_ASSERT_EQUAL(labels.pairs[2].b, 0);
    CU_ASSERT(is(nd_name_table_at(&labels.labels, labels.pairs[1].label), "far"));
    CU_ASSERT_EQUAL(labels.pairs[0].label, labels.pairs[2].label);
    CU_ASSERT_EQUAL(labels.bad_lines, 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(labels.first_bad, "line 3: a page is paired with itself"));
    nd_labels_free(&labels);
}

static void test_not_evaluated(void) {
    nd_labels labels = {0};
    CU_ASSERT_EQUAL_FATAL(
        nd_labels_read_clusters(&labels, put("few", "a\tred\nb\tblue\nc\tgreen\n"), 2), ND_OK);
    CU_ASSERT_EQUAL(nd_labels_read_loose(&labels, put("loose", "b\tblue\nelsewhere\n")), ND_OK);
    CU_ASSERT(nd_name_table_find(&labels.loose, nd_test_span("b")) != ND_NO_NAME);
    CU_ASSERT(nd_name_table_find(&labels.loose, nd_test_span("a")) == ND_NO_NAME);
    const char *path = put("ambiguous", "green\tred\t.4\nred\tred\nred\tunknown\nred\n");
    CU_ASSERT_EQUAL(nd_labels_read_ambiguous(&labels, path), ND_OK);
    CU_ASSERT_EQUAL_FATAL(labels.ambiguous_count, 1);
    CU_ASSERT_EQUAL(labels.ambiguous[0].a, 2);
    CU_ASSERT_EQUAL(labels.ambiguous[0].b, 0);
    CU_ASSERT_EQUAL(labels.bad_lines, 1);
    CU_ASSERT_EQUAL(labels.clusters.count, 3);
    nd_labels_free(&labels);
}

static void check_columns(const char *text, uint64_t expected) {
    uint64_t columns = 99;
    CU_ASSERT_EQUAL(nd_labels_columns(put("columns", text), &columns), ND_OK);
    CU_ASSERT_EQUAL(columns, expected);
}

static void test_columns(void) {
    uint64_t columns = 0;
    check_columns("", 0);
    check_columns("\n\na\tb\nc\n", 2);
    check_columns("a", 1);
    check_columns("a\t\t", 3);
    CU_ASSERT_EQUAL(nd_labels_columns("no/such/file", &columns), ND_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "no/such/file"));
}

/* A line much longer than what is asked for at first. */
static void test_long_line(void) {
    nd_labels labels = {0};
    nd_buffer text = {0};
    enum { PIECE = 4000, PIECES = 75 };
    for (int i = 0; i < PIECES; i++) {
        nd_test_print(&text, "%*s", PIECE, "a");
    }
    nd_test_print(&text, "\tred\nb\tblue\n");
    const char *path = nd_test_write("long", nd_buffer_span(&text));
    CU_ASSERT_EQUAL_FATAL(nd_labels_read_clusters(&labels, path, 2), ND_OK);
    CU_ASSERT_EQUAL(labels.ids.count, 2);
    CU_ASSERT_EQUAL(nd_name_table_at(&labels.ids, 0).size, PIECE * PIECES);
    nd_labels_free(&labels);
    nd_buffer_free(&text);
}

/* Names of equal beginnings, an empty one, growth. */
static void test_name_table(void) {
    nd_name_table table = {0};
    uint64_t number = 0;
    bool added = false;
    char name[16];
    CU_ASSERT_EQUAL(nd_name_table_find(&table, nd_test_span("a")), ND_NO_NAME);
    for (int round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < 1000; i++) {
            (void)snprintf(name, sizeof name, "%.*s", (int)(i % 10), "aaaaaaaaaa");
            (void)snprintf(name + i % 10, sizeof name - 10, "%u", (unsigned)(i / 10));
            nd_name_table_add(&table, nd_test_span(name), &number, &added);
            CU_ASSERT_EQUAL(number, i);
            CU_ASSERT_EQUAL(added, round == 0);
            CU_ASSERT(is(nd_name_table_at(&table, i), name));
        }
    }
    nd_name_table_add(&table, (nd_span){0}, &number, &added);
    CU_ASSERT_EQUAL(number, 1000);
    CU_ASSERT_EQUAL(nd_name_table_find(&table, (nd_span){0}), 1000);
    nd_name_table_free(&table);
}

static const nd_test tests[] = {{"clusters", test_clusters},
                                {"packed", test_packed},
                                {"pairs", test_pairs},
                                {"bands", test_bands},
                                {"byte order marks", test_byte_order_marks},
                                {"not evaluated", test_not_evaluated},
                                {"columns", test_columns},
                                {"long line", test_long_line},
                                {"name table", test_name_table}};
ND_SUITE(t_labels, tests)
