/* The refusal of a format that is not read: the command that it names, for names that a shell takes
 * as they are and for others; names by which a format is known. Which formats are known by their
 * bytes, tests/long/no_pages.sh tests. */
#include "io/input/sniff.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

#include <stdio.h>

static void check_command(const char *path, nd_codec codec, const char *command) {
    char expected[256];
    const nd_foreign *pdf = nd_foreign_find(nd_test_span("%PDF-1.7"), path);
    CU_ASSERT_PTR_NOT_NULL_FATAL(pdf);
    CU_ASSERT_EQUAL(nd_foreign_refuse(pdf, path, codec), ND_ERR_FORMAT);
    (void)snprintf(expected, sizeof expected, "%s: a PDF document, which is not read: %s", path,
                   command);
    CU_ASSERT_STRING_EQUAL(nd_fail_text(), expected);
}

static void test_command(void) {
    check_command("no/a.pdf", ND_CODEC_PLAIN, "pdftotext no/a.pdf no/a.txt");
    check_command("no/a.pdf.gz", ND_CODEC_GZIP,
                  "gzip -dc <no/a.pdf.gz > no/a.pdf && pdftotext no/a.pdf no/a.txt");
    check_command("no/a.txt", ND_CODEC_PLAIN, "pdftotext no/a.txt no/a.txt.out.txt");
    check_command("a", ND_CODEC_PLAIN, "pdftotext a a.txt");
}

/* Such names could be options, or several words. */
static void test_odd_names(void) {
    static const char *const odd[] = {"-a", "no/a b", "no/a'", "no/$a", ""};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        check_command(odd[i], ND_CODEC_PLAIN, "pdftotext FILE FILE.txt");
    }
}

/* CSV is known by its name alone, whatever it is packed in. */
static void test_names(void) {
    static const char *const csv[] = {"a.csv", "a.csv.gz", "a.csv.zst", "A.CSV.zst"};
    static const char *const others[] = {"a.csv.xz", ".zst", "a.zst", "csv", "a.txt.zst"};
    const nd_span text = nd_test_span("a,b\n1,2\n");
    for (size_t i = 0; i < sizeof csv / sizeof csv[0]; i++) {
        CU_ASSERT_PTR_NOT_NULL(nd_foreign_find(text, csv[i]));
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        CU_ASSERT_PTR_NULL(nd_foreign_find(text, others[i]));
    }
}

static const nd_test tests[] = {
    {"command", test_command}, {"odd names", test_odd_names}, {"known by name", test_names}};
ND_SUITE(t_foreign, tests)
