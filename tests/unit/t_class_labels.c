/* Classes of labelled pages: by row of the labels, and lines that cannot be used. */
#include "io/result/labels.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

#include <string.h>

static nd_labels labels_of(const char *text) {
    nd_labels labels = {0};
    const char *path = nd_test_write("truth", nd_test_span(text));
    CU_ASSERT_EQUAL_FATAL(nd_labels_read_clusters(&labels, path, 2), ND_OK);
    return labels;
}

static void test_rows(void) {
    nd_labels labels = labels_of("a\t1\nb\t1\nc\t2\nd\t2\n");
    nd_class_labels classes;
    const char *path = nd_test_write(
        "classes", nd_test_span("c\t2\tN1\t5\tsite\t0.0000\t9\nother\t7\tP0\t5\tsite\t1\t9\n"
                                "a\t1\tO\t5\tsite\t1.0000\t9\nb\t1\tN1\t5\telsewhere\t.25\n"));
    CU_ASSERT_EQUAL_FATAL(nd_class_labels_read(path, &labels, &classes), ND_OK);
    CU_ASSERT_EQUAL(classes.classes.count, 2); /* not that of the page without a label */
    CU_ASSERT_EQUAL(classes.class[1], classes.class[2]);
    CU_ASSERT_NOT_EQUAL(classes.class[0], classes.class[1]);
    CU_ASSERT_EQUAL(classes.site[0], classes.site[2]);
    CU_ASSERT_NOT_EQUAL(classes.site[0], classes.site[1]);
    CU_ASSERT_EQUAL(classes.similarity[0], 1);
    CU_ASSERT_EQUAL(classes.similarity[1], .25);
    CU_ASSERT_EQUAL(classes.class[3], ND_NO_CLASS);
    CU_ASSERT_EQUAL(classes.site[3], ND_NO_CLASS);
    CU_ASSERT_EQUAL(classes.missing, 1);
    CU_ASSERT_EQUAL(classes.bad_lines, 0);
    nd_class_labels_free(&classes);
    nd_labels_free(&labels);
}

static void test_bad_lines(void) {
    nd_labels labels = labels_of("a\t1\nb\t1\n");
    nd_class_labels classes;
    const char *path = nd_test_write(
        "bad",
        nd_test_span("a\t1\tO\t5\tsite\t1\n\nb\t1\tP1\t5\tsite\nb\t1\t\t5\tsite\t1\n"
                     "b\t1\tP1\t5\t\t1\nb\t1\tP1\t5\tsite\t1.5\nb\t1\tP1\t5\tsite\t\n"
                     "b\t1\tP1\t5\tsite\tnan\nb\t1\tP1\t5\tsite\t1x\na\t1\tP1\t5\tsite\t1\n"));
    CU_ASSERT_EQUAL_FATAL(nd_class_labels_read(path, &labels, &classes), ND_OK);
    CU_ASSERT_EQUAL(classes.bad_lines, 8);
    CU_ASSERT_PTR_NOT_NULL(strstr(classes.first_bad, "bad, line 3: too few columns"));
    CU_ASSERT_EQUAL(classes.class[1], ND_NO_CLASS);
    CU_ASSERT_EQUAL(classes.missing, 1);
    nd_class_labels_free(&classes);
    nd_labels_free(&labels);
}

static void test_none(void) {
    nd_labels labels = labels_of("a\t1\n");
    nd_class_labels classes;
    const char *path = nd_test_write("none", nd_test_span("x\t1\tO\t5\tsite\t1\n"));
    CU_ASSERT_EQUAL(nd_class_labels_read(path, &labels, &classes), ND_ERR_FORMAT);
    nd_class_labels_free(&classes);
    CU_ASSERT_EQUAL(nd_class_labels_read("/no/such/file", &labels, &classes), ND_ERR_INPUT);
    nd_class_labels_free(&classes);
    nd_labels_free(&labels);
}

static const nd_test tests[] = {
    {"rows", test_rows}, {"bad lines", test_bad_lines}, {"none", test_none}};
ND_SUITE(t_class_labels, tests)
