/* Records of pages read again: by the name of their input or from the folder of what names it, in
 * any order; what is gone or has become another is refused, with the page that it was for. */
#include "io/input/reread.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGES = 3 };

static const char *const texts[PAGES] = {"{\"id\":\"1\",\"url\":\"u1\",\"text\":\"one\"}\n",
                                         "{\"id\":\"2\",\"url\":\"u2\",\"text\":\"two\"}\n",
                                         "{\"id\":\"3\",\"text\":\"three\"}\n"};

static char path[512]; /* of the input */
static nd_reread_page pages[PAGES];

/* An input of three lines, and the pages that a run would have found. */
static void make_input(nd_test_packing packing) {
    nd_buffer plain = {0}, file = {0};
    for (size_t i = 0; i < PAGES; i++) {
        const uint64_t offset = plain.size;
        nd_test_print(&plain, "%s", texts[i]);
        pages[i] = (nd_reread_page){.page = i, .offset = offset};
    }
    pages[0].id = nd_test_span("1");
    pages[0].url = nd_test_span("u1");
    pages[1].id = nd_test_span("2");
    pages[1].url = nd_test_span("u2");
    pages[2].id = nd_test_span("3");
    nd_test_pack(&file, packing, nd_buffer_span(&plain));
    (void)snprintf(path, sizeof path, "%s", nd_test_write("again.jsonl", nd_buffer_span(&file)));
    for (size_t i = 0; i < PAGES; i++) {
        pages[i].name = nd_test_span(path);
        pages[i].bytes = file.size;
    }
    nd_buffer_free(&plain);
    nd_buffer_free(&file);
}

static void check_read(nd_reread *reread, size_t page) {
    char shown[16];
    CU_ASSERT_EQUAL_FATAL(nd_reread_record(reread, &pages[page]), ND_OK);
    (void)snprintf(shown, sizeof shown, "%.*s", (int)reread->record.text.size,
                   (const char *)reread->record.text.data);
    CU_ASSERT_STRING_EQUAL(shown, page == 0 ? "one" : page == 1 ? "two" : "three");
    CU_ASSERT_STRING_EQUAL((const char *)reread->path.data, path);
}

/* In every order, where lines can be entered and where they cannot. */
static void test_order(void) {
    static const size_t orders[][4] = {{0, 1, 2, 2}, {2, 1, 0, 1}, {1, 1, 2, 0}};
    for (int packing = ND_TEST_PLAIN; packing <= ND_TEST_GZIP; packing++) {
        make_input((nd_test_packing)packing);
        for (size_t o = 0; o < sizeof orders / sizeof orders[0]; o++) {
            nd_reread reread;
            const nd_reader_options options = {0};
            nd_reread_begin(&reread, "result.h5", &options);
            CU_ASSERT_TRUE(nd_reread_opens(&reread, 0, 0));
            for (size_t i = 0; i < 4; i++) {
                check_read(&reread, orders[o][i]);
                CU_ASSERT_TRUE(nd_reread_opens(&reread, 1, 0)); /* another input */
                CU_ASSERT_FALSE(nd_reread_opens(&reread, 0, PAGES));
                /* what was packed at one go can only be read on */
                CU_ASSERT_EQUAL(nd_reread_opens(&reread, 0, 0),
                                packing != ND_TEST_PLAIN && orders[o][i] > 0);
            }
            nd_reread_close(&reread);
        }
    }
}

static void check_refused(const nd_reread_page *page, const char *says) {
    nd_reread reread;
    const nd_reader_options options = {0};
    nd_reread_begin(&reread, "result.h5", &options);
    CU_ASSERT_EQUAL(nd_reread_record(&reread, page), ND_ERR_CHANGED);
    if (strstr(nd_fail_text(), says) == NULL || strstr(nd_fail_text(), path) == NULL) {
        printf("it says: %s\n", nd_fail_text());
        CU_FAIL("text");
    }
    nd_reread_close(&reread);
}

static void test_refused(void) {
    for (int packing = ND_TEST_PLAIN; packing <= ND_TEST_GZIP; packing++) {
        make_input((nd_test_packing)packing);
        nd_reread_page other = pages[1];
        other.bytes++;
        check_refused(&other, "has changed");
        other = pages[1];
        other.checksum = 17;
        check_refused(&other, "another record is at byte");
        other = pages[1];
        other.offset++; /* inside of a line */
        check_refused(&other, "another record is at byte");
        other = pages[1];
        other.id = nd_test_span("x");
        check_refused(&other, "--jsonl");
        other = pages[2];
        other.url = nd_test_span("x");
        check_refused(&other, "--jsonl");
    }
    nd_reread_page gone = pages[0];
    CU_ASSERT_EQUAL(unlink(path), 0);
    check_refused(&gone, "");
    const char *png =
        nd_test_write("again.jsonl", (nd_span){(const uint8_t *)"\x89PNG\r\n\x1a\n", 8});
    gone.bytes = 8;
    CU_ASSERT_STRING_EQUAL(png, path);
    check_refused(&gone, ""); /* of a format that no run reads */
}

/* By a name that is not from the root: from here, or else from the folder of the result. */
static void test_beside(void) {
    nd_buffer found = {0};
    struct stat info;
    char result[600], folder[600];
    make_input(ND_TEST_PLAIN);
    (void)snprintf(result, sizeof result, "%s/result.h5", nd_test_folder());
    (void)snprintf(folder, sizeof folder, "%s/index///", nd_test_folder());
    const nd_span name = nd_test_span("again.jsonl");
    CU_ASSERT_EQUAL(nd_reread_look(result, name, pages[0].bytes, &found, &info), ND_OK);
    CU_ASSERT_STRING_EQUAL((const char *)found.data, path);
    CU_ASSERT_EQUAL(nd_reread_look(folder, name, pages[0].bytes, &found, &info), ND_OK);
    CU_ASSERT_STRING_EQUAL((const char *)found.data, path);
    CU_ASSERT_EQUAL(nd_reread_look("result.h5", name, pages[0].bytes, &found, &info),
                    ND_ERR_CHANGED);
    CU_ASSERT_EQUAL(chdir(nd_test_folder()), 0);
    CU_ASSERT_EQUAL(nd_reread_look("/elsewhere/result.h5", name, pages[0].bytes, &found, &info),
                    ND_OK);
    CU_ASSERT_STRING_EQUAL((const char *)found.data, "again.jsonl");
    nd_buffer_free(&found);
}

static void test_texts(void) {
    (void)nd_fail(ND_ERR_IO, "the reason");
    CU_ASSERT_EQUAL(nd_reread_refuse("r.h5", 7, nd_test_span("id"), nd_test_span("")),
                    ND_ERR_CHANGED);
    CU_ASSERT_STRING_EQUAL(nd_fail_text(), "the reason; needed for page 7 of r.h5, id");
    (void)nd_fail(ND_ERR_IO, "the reason");
    (void)nd_reread_refuse("r.h5", 7, nd_test_span("id"), nd_test_span("url"));
    CU_ASSERT_STRING_EQUAL(nd_fail_text(), "the reason; needed for page 7 of r.h5, url");
    (void)nd_fail(ND_ERR_IO, "the reason");
    (void)nd_reread_refuse("r.h5", 7, nd_test_span(""), nd_test_span(""));
    CU_ASSERT_STRING_EQUAL(nd_fail_text(), "the reason; needed for page 7 of r.h5");
}

static bool reads_by(const nd_reread_fields *fields, uint64_t source, const char *url,
                     const char *date) {
    nd_reader_options options = {.jsonl_url = "given", .jsonl_date = NULL, .max_page_bytes = 7};
    nd_reread_fields_set(fields, source, &options);
    return strcmp(options.jsonl_url, url) == 0 && options.max_page_bytes == 7 &&
           (date == NULL ? options.jsonl_date == NULL
                         : options.jsonl_date != NULL && strcmp(options.jsonl_date, date) == 0);
}

/* The fields of each input, by its number: written, and read. */
static void test_fields(void) {
    static const nd_reader_options usual = {.memory = 0};
    static const nd_reader_options other = {.jsonl_url = "meta.\"u\"", .jsonl_date = "/at"};
    nd_reread_fields fields = {0}, again = {0}, unknown = {0};
    CU_ASSERT_TRUE(reads_by(&fields, 0, "given", NULL));
    CU_ASSERT_EQUAL(nd_reread_fields_add(&fields, 0, &usual), ND_OK);
    CU_ASSERT_STRING_EQUAL(
        fields.text,
        "[{\"first_source\":0,\"id\":\"id\",\"url\":\"url\",\"text\":\"text\",\"html\":\"html\"}]");
    CU_ASSERT_EQUAL(nd_reread_fields_add(&fields, 3, &other), ND_OK);
    CU_ASSERT_EQUAL(nd_reread_fields_open(&again, "r.h5", fields.text), ND_OK);
    CU_ASSERT_STRING_EQUAL(again.text, fields.text);
    CU_ASSERT_TRUE(reads_by(&again, 0, "url", NULL) && reads_by(&again, 2, "url", NULL));
    CU_ASSERT_TRUE(reads_by(&again, 3, "meta.\"u\"", "/at") &&
                   reads_by(&again, UINT64_MAX - 1, "meta.\"u\"", "/at"));
    CU_ASSERT_EQUAL(nd_reread_fields_open(&unknown, "r.h5", NULL), ND_OK);
    /* an option may say what was used, and no other; where that is not known it says it */
    CU_ASSERT_EQUAL(nd_reread_fields_check(&again, "r.h5", &usual), ND_OK);
    CU_ASSERT_EQUAL(nd_reread_fields_check(&again, "r.h5", &other), ND_OK);
    CU_ASSERT_EQUAL(nd_reread_fields_check(&again, "r.h5", &(nd_reader_options){.jsonl_id = "id"}),
                    ND_OK);
    CU_ASSERT_EQUAL(
        nd_reread_fields_check(&again, "r.h5", &(nd_reader_options){.jsonl_text = "body"}),
        ND_ERR_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "--jsonl-text body: r.h5"));
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "read text"));
    CU_ASSERT_EQUAL(
        nd_reread_fields_check(&unknown, "r.h5", &(nd_reader_options){.jsonl_text = "body"}),
        ND_OK);
    nd_reread_fields_close(&fields);
    nd_reread_fields_close(&again);
    nd_reread_fields_close(&unknown);
}

/* Whoever wrote the text, it is an array of whole entries in order, or it is refused. */
static void test_wrong_fields(void) {
#define ENTRY(first)                                                                               \
    "{\"first_source\":" first ",\"id\":\"a\",\"url\":\"b\",\"text\":\"c\",\"html\":\"d\"}"
    static const char *const wrong[] = {
        "",
        "{}",
        "[1]",
        "[{}]",
        "[" ENTRY("\"0\"") "]",
        "[" ENTRY("0") "," ENTRY("0") "]",
        "[" ENTRY("5") "," ENTRY("4") "]",
        "[" ENTRY("0"),
        "[{\"first_source\":0,\"id\":1,\"url\":\"b\",\"text\":\"c\",\"html\":\"d\"}]"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        nd_reread_fields fields = {0};
        CU_ASSERT_EQUAL(nd_reread_fields_open(&fields, "r.h5", wrong[i]), ND_ERR_FORMAT);
        CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "r.h5: jsonl: "));
        nd_reread_fields_close(&fields);
    }
#undef ENTRY
    nd_reread_fields fields = {0};
    CU_ASSERT_EQUAL(nd_reread_fields_open(&fields, "r.h5", "[]"), ND_OK);
    CU_ASSERT_TRUE(reads_by(&fields, 0, "given", NULL));
    nd_reread_fields_close(&fields);
}

static const nd_test tests[] = {
    {"order", test_order},     {"fields", test_fields}, {"wrong fields", test_wrong_fields},
    {"refused", test_refused}, {"beside", test_beside}, {"texts", test_texts}};
ND_SUITE(t_reread, tests)
