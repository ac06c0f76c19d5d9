/* What each kind of source gives: page files, lines, records, and what is not a page. */
#include "io/input/reader.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>

/* Pages as lines "content id url text", skipped records as "! offset reason". */
typedef struct log_of_pages {
    nd_buffer text;
    nd_reader_counts counts;
    const char *format;
    bool splittable;
} log_of_pages;

static void log_skip(void *context, uint64_t offset, const char *reason) {
    nd_test_print(&((log_of_pages *)context)->text, "! %" PRIu64 " %s\n", offset, reason);
}

static nd_status read_source(const char *path, nd_reader_options *options, log_of_pages *log) {
    nd_status st = ND_OK;
    nd_source_shape shape;
    nd_reader *reader = NULL;
    nd_record record;
    nd_reader_options own = {0};
    *log = (log_of_pages){.format = ""};
    options = options != NULL ? options : &own;
    options->skip = log_skip;
    options->skip_context = log;
    ND_TRY(nd_source_look(path, NULL, &shape));
    log->format = shape.format;
    log->splittable = shape.splittable;
    ND_TRY(nd_reader_open(path, "file://f/x", 0, shape.bytes, options, &reader));
    while ((st = nd_reader_next(reader, &record)) == ND_OK) {
        nd_test_print(
            &log->text, "%s %.*s %.*s %.*s\n", record.content == ND_CONTENT_HTML ? "html" : "text",
            (int)record.id.size, (const char *)record.id.data, (int)record.url.size,
            (const char *)record.url.data, (int)record.text.size, (const char *)record.text.data);
    }
    nd_reader_get_counts(reader, &log->counts);
out:
    nd_reader_close(&reader);
    return st;
}

static void check_log(const char *name, nd_span bytes, nd_reader_options *options,
                      const char *format, const char *expected) {
    log_of_pages log;
    CU_ASSERT_EQUAL(read_source(nd_test_write(name, bytes), options, &log), ND_END);
    CU_ASSERT_STRING_EQUAL(log.format, format);
    nd_test_pack(&log.text, ND_TEST_PLAIN, (nd_span){(const uint8_t *)"", 1});
    if (strcmp((const char *)log.text.data, expected) != 0) {
        printf("%s gave:\n%s", name, (const char *)log.text.data);
    }
    CU_ASSERT_STRING_EQUAL((const char *)log.text.data, expected);
    nd_buffer_free(&log.text);
}

static void check_file(const char *name, const char *text, const char *format,
                       const char *expected) {
    check_log(name, nd_test_span(text), NULL, format, expected);
}

static void check_packed(const char *name, nd_test_packing packing, const char *text,
                         const char *format, const char *expected) {
    nd_buffer file = {0};
    nd_test_pack(&file, packing, nd_test_span(text));
    check_log(name, nd_buffer_span(&file), NULL, format, expected);
    nd_buffer_free(&file);
}

static void test_page_files(void) {
    check_file("a.html", "no tags at all", "html", "html  file://f/x no tags at all\n");
    check_file("a", " <!DOCTYPE html><p>x", "html", "html  file://f/x  <!DOCTYPE html><p>x\n");
    check_file("a.txt", "plain words", "txt", "text  file://f/x plain words\n");
    check_file("a.htm", "<meta charset=gbk>\xD6\xD0", "html",
               "html  file://f/x <meta charset=gbk>\xE4\xB8\xAD\n");
    check_file("a.css", "p { color: red }", "other", "");
    check_file("a.json", "\"a\"", "other", "");
    check_file("a.txt", "id,text\n1,a\n", "txt", "text  file://f/x id,text\n1,a\n\n");
    check_file("a.txt", "[1] A note.", "txt", "text  file://f/x [1] A note.\n");
    check_file("a.txt", "PAR1 is a receptor", "txt", "text  file://f/x PAR1 is a receptor\n");
    check_file("a.html", "\n\n", "html", "html  file://f/x \n\n\n");
    check_packed("a.txt.gz", ND_TEST_GZIP, "plain words", "txt.gz",
                 "text  file://f/x plain words\n");
    check_packed("a.html.zst", ND_TEST_ZSTD, "<html>x", "html.zst", "html  file://f/x <html>x\n");
    check_file("b.txt", "one \x08 stray control", "txt",
               "text  file://f/x one \x08 stray control\n");
    nd_reader_options small = {.max_page_bytes = 4};
    check_log("a.txt", nd_test_span("12345"), &small, "txt",
              "! 0 page of more than 4 bytes, the limit (--max-page raises it)\n");
    check_log("a.txt", nd_test_span("1234"), &small, "txt", "text  file://f/x 1234\n");
}

static void test_empty(void) {
    check_file("a.warc", "", "empty", "");
    check_packed("a.gz", ND_TEST_GZIP, "", "empty", "");
    check_packed("a.zst", ND_TEST_ZSTD, "", "empty", "");
}

static void check_refused(const char *name, nd_span bytes, nd_status status) {
    log_of_pages log;
    CU_ASSERT_EQUAL(read_source(nd_test_write(name, bytes), NULL, &log), status);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), name));
}

static void test_refusals(void) {
    log_of_pages log;
    check_refused("a.png", (nd_span){(const uint8_t *)"\x89PNG\r\n\x1a\n\0\0", 10}, ND_ERR_INPUT);
    check_refused("a.gz", (nd_span){(const uint8_t *)"\x1f\x8b\x08\0\0\0\0\0\0\0\xff\xff", 12},
                  ND_ERR_INPUT);
    check_refused("b.gz", (nd_span){(const uint8_t *)"\x1f\x8b\x08", 3}, ND_ERR_INPUT);
    CU_ASSERT_EQUAL(read_source("/no/such/file", NULL, &log), ND_ERR_INPUT);
    CU_ASSERT_EQUAL(read_source("/tmp", NULL, &log), ND_ERR_INPUT);
}

/* A format that is not read is named, with the command that makes it one that is. */
static void check_foreign(const char *name, nd_span bytes, const char *what, const char *command) {
    check_refused(name, bytes, ND_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), what));
    if (strstr(nd_fail_text(), command) == NULL) {
        printf("%s: %s\n", name, nd_fail_text());
    }
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), command));
}

#define FOREIGN(name, bytes, what, command)                                                        \
    check_foreign(name, (nd_span){(const uint8_t *)(bytes), sizeof(bytes) - 1}, what, command)

static void test_foreign(void) {
    char tar[512] = "page.html";
    memcpy(tar + 257, "ustar", 5);
    FOREIGN("f.parquet", "PAR1\x15\x04\0\0", "Parquet", "/f.jsonl' (FORMAT json)");
    FOREIGN("f.feather", "ARROW1\0\0", "Arrow", "read_feather");
    FOREIGN("f.warc.xz",
            "\xFD"
            "7zXZ\0\0",
            "xz", "/f.warc.xz > ");
    FOREIGN("f.jsonl.bz2", "BZh91AY&SY\0\0", "bzip2", "bzip2 -dc ");
    FOREIGN("f.lz4", "\x04\x22\x4D\x18\x64", "lz4", "lz4 -dc ");
    FOREIGN("f.sz", "\xFF\x06\0\0sNaPpY", "Snappy", "snzip -dc ");
    FOREIGN("f.docx", "PK\x03\x04\x14\0", "zip", "unzip ");
    FOREIGN("f.7z", "7z\xBC\xAF\x27\x1C", "7z", "7z x ");
    FOREIGN("f.pdf", "%PDF-1.4\n", "PDF", "/f.txt");
    FOREIGN("f.csv", "id,text\n1,a\n", "CSV", "csv.DictReader");
    FOREIGN("f.tsv", "id\ttext\n", "TSV", "delimiter='\\t'");
    FOREIGN("f.json", "{\n \"text\": 1\n}\n", "several lines", "jq -c . ");
    FOREIGN("f.jsonl", "{\r\n \"text\": 1\n}\n", "several lines", "/f.jsonl.out.jsonl");
    FOREIGN("f.txt", " [\n{\"text\": 1}]", "JSON array", "jq -c '.[]' ");
    FOREIGN("f.jsonl", "\xFF\xFE{\0", "UTF-16", "iconv ");
    check_foreign("f.tar", (nd_span){(const uint8_t *)tar, sizeof tar}, "tar", "tar -xf ");
    FOREIGN("f g.zip", "PK\x03\x04\x14\0", "zip", "unzip FILE -d FILE.out");
    nd_buffer packed = {0};
    nd_test_pack(&packed, ND_TEST_GZIP, nd_test_span("[{\"text\": \"a\"}]"));
    check_foreign("f.json.gz", nd_buffer_span(&packed), "JSON array", "/f.json.gz > ");
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), " && jq -c '.[]' "));
    nd_buffer_free(&packed);
}

static void add_skip(nd_buffer *pages, const char *source, const char *record, const char *reason) {
    nd_test_print(pages, "! %td %s\n", strstr(source, record) - source, reason);
}

static void test_lines(void) {
    static const char lines[] =
        "{\"id\": 7, \"url\": \"u\", \"text\": \"a\\u4e2d\"}\n"
        "\n"
        "not json\n"
        "{\"id\": \"b\", \"html\": \"<p>\", \"text\": \"t\", \"n\": null}\r\n"
        "{\"id\": \"c\"}\n"
        "[1]\n"
        "{\"text\": \"\"} x\n"
        "{\"text\": \"\xFF\"}\n"
        "{\"text\": \"cut";
    nd_buffer pages = {0};
    nd_test_print(&pages, "text 7 u a\xE4\xB8\xAD\n");
    add_skip(&pages, lines, "not json", "line is not JSON");
    nd_test_print(&pages, "html b  <p>\n");
    add_skip(&pages, lines, "{\"id\": \"c\"}",
             "JSON object has neither the text nor the html field");
    add_skip(&pages, lines, "[1]", "JSON line is not an object");
    add_skip(&pages, lines, "{\"text\": \"\"} x", "line is not JSON");
    nd_test_print(&pages, "text   \xEF\xBF\xBD\n");
    add_skip(&pages, lines, "{\"text\": \"cut", "JSON line is cut off");
    nd_test_pack(&pages, ND_TEST_PLAIN, (nd_span){(const uint8_t *)"", 1});
    check_file("a.jsonl", lines, "jsonl", (const char *)pages.data);
    check_packed("a.jsonl.gz", ND_TEST_GZIP, lines, "jsonl.gz", (const char *)pages.data);
    check_packed("a.jsonl.zst", ND_TEST_ZSTD, lines, "jsonl.zst", (const char *)pages.data);
    nd_buffer_free(&pages);
    nd_reader_options options = {.jsonl_id = "key", .jsonl_text = "body", .max_page_bytes = 60};
    check_log("b.jsonl",
              nd_test_span("{\"key\": 1.5, \"body\": \"x\"}\n"
                           "{\"body\": \"1234567890123456789012345678901234567890"
                           "12345678901234567890\"}\n{\"body\": \"z\"}"),
              &options, "jsonl",
              "text 1.5  x\n! 26 page of more than 60 bytes, the limit (--max-page raises "
              "it)\ntext   z\n");
}

/* One line as a page, of fields with these names. */
static void check_fields(const char *line, const char *id, const char *text, const char *expected) {
    nd_reader_options options = {.jsonl_id = id, .jsonl_text = text};
    check_log("n.jsonl", nd_test_span(line), &options, "jsonl", expected);
}

static void test_field_names(void) {
    static const char line[] =
        "{\"a.b\": \"dotted\", \"a\": {\"b\": \"inner\", \"c\": {\"d\": \"deep\"}, \"n\": 5}, "
        "\"/x\": \"slash\", \"x\": [\"zero\", {\"y/z\": \"one\"}], \"m~n\": \"tilde\"}";
    check_fields(line, "a.n", "a.b",
                 "text 5  dotted\n"); /* a field of that very name comes first */
    check_fields(line, "a.c.d", "/a/b", "text deep  inner\n");
    check_fields(line, "/x", "/x/0", "text slash  zero\n");
    check_fields(line, "/a/n", "/x/1/y~1z", "text 5  one\n");
    check_fields(line, "/x/7", "/m~0n", "text   tilde\n");
    static const char none[] = "! 0 JSON object has neither the text nor the html field\n";
    check_fields(line, NULL, "a", none);
    check_fields(line, NULL, "a.b.c", none);
    check_fields(line, NULL, "a.", none);
    check_fields(line, NULL, ".", none);
    check_fields(line, NULL, "x.0", none);
    check_fields(line, NULL, "/x/2", none);
    check_fields(line, NULL, "", none);
}

static void test_line_files(void) {
    static const char marked[] =
        "\xEF\xBB\xBF{\"id\": 1, \"text\": \"a\"}\n{\"id\": 2, \"text\": \"b\"}\n";
    check_file("m.jsonl", marked, "jsonl", "text 1  a\ntext 2  b\n");
    check_packed("m.json.gz", ND_TEST_GZIP, marked, "jsonl.gz", "text 1  a\ntext 2  b\n");
    /* a spoilt first line does not make a page of the file, if it is called what it is */
    check_file("s.ndjson", "spoilt\n{\"text\": \"b\"}\n", "jsonl",
               "! 0 line is not JSON\ntext   b\n");
    check_file("s.jsonl", "{\"text\": \"cut\n{\"text\": \"b\"}\n", "jsonl",
               "! 0 JSON line is cut off\ntext   b\n");
}

/* One record of each kind that counts, and many that do not. \return where the last one starts */
static size_t make_warc(nd_buffer *out) {
    static const struct {
        const char *type, *block_type, *content_type;
        int status;
    } records[] = {
        {"response", "application/http", "text/html", 200},
        {"response", "application/http; msgtype=response", "application/xhtml+xml", 203},
        {"response", "application/http", "text/plain", 200},
        {"response", "application/http", "unknown", 200},
        {"response", "application/http", "text/html", 404},
        {"response", "application/http", "text/html", 301},
        {"response", "application/http", "image/png", 200},
        {"request", "application/http", "text/html", 200},
        {"revisit", "application/http", "text/html", 200},
        {"metadata", "application/warc-fields", "text/html", 200},
    };
    nd_buffer http = {0};
    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
        char id[32];
        (void)snprintf(id, sizeof id, "urn:%zu", i);
        http.size = 0;
        nd_test_http(&http, records[i].status, records[i].content_type, "",
                     nd_test_span("<html>x"));
        nd_test_warc_record(out, records[i].type, "http://a/", id, records[i].block_type,
                            nd_buffer_span(&http));
    }
    nd_test_warc_record(out, "resource", "<http://b/>", "urn:r", "text/html; charset=gb2312",
                        nd_test_span("\xD6\xD0"));
    nd_test_warc_record(out, "resource", "http://b/", "urn:i", "image/gif", nd_test_span("GIF"));
    nd_test_warc_record(out, "conversion", "http://c/", "urn:c", "text/plain",
                        nd_test_span("text of c"));
    const size_t before_last = out->size;
    nd_test_warc_record(out, "response", "http://d/", "urn:d", "application/http",
                        nd_test_span("no status line\r\n\r\nx"));
    nd_buffer_free(&http);
    return before_last;
}

static void test_warc_kinds(void) {
    nd_buffer warc = {0};
    nd_buffer one_member = {0};
    const size_t before_last = make_warc(&warc);
    nd_buffer expected = {0};
    nd_test_print(&expected,
                  "html urn:0 http://a/ <html>x\nhtml urn:1 http://a/ <html>x\n"
                  "text urn:2 http://a/ <html>x\nhtml urn:3 http://a/ <html>x\n"
                  "html urn:r http://b/ \xE4\xB8\xAD\n"
                  "text urn:c http://c/ text of c\n"
                  "! %zu response without an HTTP status line\n",
                  before_last);
    nd_test_pack(&expected, ND_TEST_PLAIN, (nd_span){(const uint8_t *)"", 1});
    check_log("a.warc", nd_buffer_span(&warc), NULL, "warc", (const char *)expected.data);
    /* all records in one member: read as well, but not in parts; offsets are then of the content */
    nd_test_pack(&one_member, ND_TEST_GZIP, nd_buffer_span(&warc));
    check_log("b.warc.gz", nd_buffer_span(&one_member), NULL, "warc.gz",
              (const char *)expected.data);
    nd_source_shape shape;
    CU_ASSERT_EQUAL(nd_source_look(nd_test_write("c", nd_buffer_span(&one_member)), NULL, &shape),
                    ND_OK);
    CU_ASSERT_FALSE(shape.splittable);
    nd_buffer_free(&expected);
    nd_buffer_free(&warc);
    nd_buffer_free(&one_member);
}

/* A header that does not end in its member does not take that of the next record for its own. */
static void test_endless_header(void) {
    static const nd_test_packing packings[] = {ND_TEST_GZIP, ND_TEST_ZSTD};
    static const char *const formats[] = {"warc.gz", "warc.zst"};
    nd_buffer record = {0};
    nd_test_warc_record(&record, "conversion", "http://a/", "1", "text/plain", nd_test_span("one"));
    for (size_t i = 0; i < sizeof packings / sizeof packings[0]; i++) {
        nd_buffer file = {0};
        nd_buffer pages = {0};
        nd_test_pack(&file, packings[i], nd_buffer_span(&record));
        nd_test_print(
            &pages, "text 1 http://a/ one\n! %zu record header is cut off: 52 bytes passed over\n",
            file.size);
        nd_test_pack(&file, packings[i],
                     nd_test_span("WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <0>"));
        nd_test_pack(&file, packings[i], nd_buffer_span(&record));
        nd_test_print(&pages, "text 1 http://a/ one\n");
        nd_test_pack(&pages, ND_TEST_PLAIN, (nd_span){(const uint8_t *)"", 1});
        check_log("endless", nd_buffer_span(&file), NULL, formats[i], (const char *)pages.data);
        nd_buffer_free(&file);
        nd_buffer_free(&pages);
    }
    nd_buffer_free(&record);
}

/* The damaged first record of an archive costs itself alone, whatever of it is damaged, and the
 * file can still be read in parts. */
static void test_damaged_start(void) {
    static const struct {
        const char *name, *format;
        nd_test_packing packing;
    } rows[] = {{"d.warc", "warc", ND_TEST_PLAIN},
                {"d.warc.gz", "warc.gz", ND_TEST_GZIP_STORED},
                {"d.warc.zst", "warc.zst", ND_TEST_ZSTD}};
    static const char *const wrong[][2] = {{"WARC/1.", "WARC3:g"}, /* decodes, to other bytes */
                                           {"WARC/1.", "\0\0\0\0\0\0\0"},
                                           {"Length: 5", "Length: 3"}, /* no member ends there */
                                           {"Length: 5", "Length: x"},
                                           {"", ""}}; /* the magic */
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t j = 0; j < sizeof wrong / sizeof wrong[0]; j++) {
            nd_buffer file = {0};
            log_of_pages log;
            for (int record = 0; record < 3; record++) {
                nd_buffer warc = {0};
                nd_test_warc_record(&warc, "conversion", "http://a/", record == 1 ? "2" : "1",
                                    "text/plain", nd_test_span("first"));
                char *at = strstr((char *)warc.data, wrong[j][0]);
                if (record == 0) {
                    memcpy(at, wrong[j][1], strlen(wrong[j][0]));
                }
                nd_test_pack(&file, rows[i].packing, nd_buffer_span(&warc));
                nd_buffer_free(&warc);
            }
            if (wrong[j][0][0] == '\0') {
                file.data[0] ^= 0x40;
            }
            const char *path = nd_test_write(rows[i].name, nd_buffer_span(&file));
            CU_ASSERT_EQUAL(read_source(path, NULL, &log), ND_END);
            CU_ASSERT_STRING_EQUAL(log.format, rows[i].format);
            CU_ASSERT_TRUE(log.splittable);
            CU_ASSERT_EQUAL(log.counts.skipped, 1);
            nd_test_pack(&log.text, ND_TEST_PLAIN, (nd_span){(const uint8_t *)"", 1});
            static const char others[] = "text 2 http://a/ first\ntext 1 http://a/ first\n";
            const size_t size = log.text.size - 1;
            CU_ASSERT_TRUE(size > strlen(others) &&
                           strcmp((const char *)log.text.data + size - strlen(others), others) ==
                               0);
            nd_buffer_free(&log.text);
            nd_buffer_free(&file);
        }
    }
}

/* Nor does it where the damaged bytes look like another format. */
static void test_disguised_start(void) {
    nd_buffer record = {0};
    nd_buffer file = {0};
    nd_test_warc_record(&record, "conversion", "http://a/", "1", "text/plain", nd_test_span("one"));
    nd_test_pack(&file, ND_TEST_GZIP, nd_test_span("{\"url\": \"http://a/\"}\n"));
    file.data[file.size - 5] ^= 1; /* of the checksum */
    nd_test_pack(&file, ND_TEST_GZIP, nd_buffer_span(&record));
    check_log("d.warc.gz", nd_buffer_span(&file), NULL, "warc.gz",
              "! 0 no record starts where one should: 21 bytes passed over\n"
              "text 1 http://a/ one\n");
    nd_buffer_free(&record);
    nd_buffer_free(&file);
}

/* A frame that says only how much to skip costs no record if it says too much: here a part of the
 * records after it, or more than there are. */
static void test_damaged_skip(void) {
    enum { RECORDS = 200, BEFORE = 20, WORDS = 300 };
    nd_random random = nd_test_random("skip");
    nd_buffer file = {0};
    size_t skip_at = 0;
    for (int i = 0; i < RECORDS; i++) {
        static const uint8_t skip[12] = {0x50, 0x2A, 0x4D, 0x18, 4, 0, 0, 0, 1, 2, 3, 4};
        nd_buffer text = {0};
        nd_buffer warc = {0};
        for (int word = 0; word < WORDS; word++) {
            nd_test_print(&text, "%u ", (unsigned)nd_random_next(&random));
        }
        nd_test_warc_record(&warc, "conversion", "http://a/", "1", "text/plain",
                            nd_buffer_span(&text));
        if (i == BEFORE) {
            skip_at = file.size;
            nd_test_pack(&file, ND_TEST_PLAIN, (nd_span){skip, sizeof skip});
        }
        nd_test_pack(&file, ND_TEST_ZSTD, nd_buffer_span(&warc));
        nd_buffer_free(&warc);
        nd_buffer_free(&text);
    }
    for (uint8_t more = 0; more < 8; more++) {
        log_of_pages log;
        file.data[skip_at + 6] = more; /* times 64 KiB */
        CU_ASSERT_EQUAL(
            read_source(nd_test_write("skip.warc.zst", nd_buffer_span(&file)), NULL, &log), ND_END);
        CU_ASSERT_EQUAL(log.counts.pages, RECORDS);
        CU_ASSERT_EQUAL(log.counts.skipped, more > 0);
        nd_buffer_free(&log.text);
    }
    nd_buffer_free(&file);
}

/* The IIPC's WARC zstd: a dictionary in a skippable frame, itself raw or a frame, then a frame per
 * record. */
static void test_zstd_dictionary(void) {
    nd_buffer record = {0};
    static const char dictionary[] =
        "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://";
    ZSTD_CCtx *context = ZSTD_createCCtx();
    for (nd_test_packing packing = ND_TEST_PLAIN; packing <= ND_TEST_ZSTD;
         packing += ND_TEST_ZSTD) {
        nd_buffer file = {0};
        nd_buffer packed = {0};
        nd_test_pack(&packed, packing, nd_test_span(dictionary));
        const uint8_t header[8] = {0x5D, 0x2A, 0x4D, 0x18, (uint8_t)packed.size, 0, 0, 0};
        nd_test_pack(&file, ND_TEST_PLAIN, (nd_span){header, sizeof header});
        nd_test_pack(&file, ND_TEST_PLAIN, nd_buffer_span(&packed));
        for (int i = 0; i < 3; i++) {
            uint8_t frame[4096];
            record.size = 0;
            nd_test_warc_record(&record, "conversion", "http://c/", "urn:c", "text/plain",
                                nd_test_span("text"));
            const size_t made =
                ZSTD_compress_usingDict(context, frame, sizeof frame, record.data, record.size,
                                        dictionary, strlen(dictionary), 3);
            CU_ASSERT_FALSE_FATAL(ZSTD_isError(made));
            nd_test_pack(&file, ND_TEST_PLAIN, (nd_span){frame, made});
        }
        check_log(
            "a.warc.zst", nd_buffer_span(&file), NULL, "warc.zst",
            "text urn:c http://c/ text\ntext urn:c http://c/ text\ntext urn:c http://c/ text\n");
        nd_buffer_free(&file);
        nd_buffer_free(&packed);
    }
    (void)ZSTD_freeCCtx(context);
    nd_buffer_free(&record);
}

/* A window that the memory cannot hold is named as the cause, with the cure. */
static void test_zstd_window(void) {
    nd_buffer file = {0};
    nd_buffer record = {0};
    nd_reader *reader = NULL;
    log_of_pages log;
    const nd_reader_options options = {.memory = 64 << 20};
    nd_test_warc_record(&record, "conversion", "http://c/", "urn:c", "text/plain",
                        nd_test_span("text"));
    nd_test_pack(&file, ND_TEST_ZSTD, nd_buffer_span(&record));
    CU_ASSERT_EQUAL(file.data[4], 0x20); /* one segment: the byte after it is the size */
    file.data[4] = 0;                    /* several: it is the window */
    file.data[5] = (26 - 10) << 3;
    const char *path = nd_test_write("window.warc.zst", nd_buffer_span(&file));
    CU_ASSERT_EQUAL(nd_reader_open(path, "", 0, file.size, &options, &reader), ND_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(),
                                  "window of more than 8388608 bytes, the limit for this memory "
                                  "(--memory 1024M takes more)"));
    CU_ASSERT_EQUAL(read_source(path, NULL, &log), ND_END);
    CU_ASSERT_EQUAL(log.counts.pages, 1);
    nd_source_shape shape;
    CU_ASSERT_EQUAL(nd_source_look(path, &options, &shape), ND_ERR_INPUT);
    CU_ASSERT_EQUAL(nd_source_look(path, NULL, &shape), ND_OK);
    nd_buffer_free(&log.text);
    nd_buffer_free(&file);
    nd_buffer_free(&record);
}

/* It is damaged: that is no failure of ours, and frames that need none are read. */
static void test_damaged_dictionary(void) {
    static const uint8_t damaged[] = {0x5D, 0x2A, 0x4D, 0x18, 12, 0, 0,    0,    0x37, 0xA4,
                                      0x30, 0xEC, 1,    0,    0,  0, 0xFF, 0xFF, 0xFF, 0xFF};
    nd_buffer file = {0};
    nd_buffer record = {0};
    nd_test_pack(&file, ND_TEST_PLAIN, (nd_span){damaged, sizeof damaged});
    nd_test_warc_record(&record, "conversion", "http://c/", "urn:c", "text/plain",
                        nd_test_span("text"));
    nd_test_pack(&file, ND_TEST_ZSTD, nd_buffer_span(&record));
    check_log("d.warc.zst", nd_buffer_span(&file), NULL, "warc.zst", "text urn:c http://c/ text\n");
    nd_buffer_free(&file);
    nd_buffer_free(&record);
}

/* Members longer than what is decoded in one go, and pages beyond the limit. */
static void test_long_records(void) {
    enum { LONG = 40 << 20 };
    nd_buffer file = {0};
    nd_buffer record = {0};
    nd_buffer body = {0};
    nd_buffer_reserve(&body, LONG);
    memset(body.data, 'a', LONG);
    body.size = LONG;
    for (int i = 0; i < 3; i++) {
        record.size = 0;
        nd_test_warc_record(&record, "conversion", i == 2 ? "http://short/" : "http://long/", "u",
                            i == 1 ? "image/png" : "text/plain",
                            i == 2 ? nd_test_span("short") : nd_buffer_span(&body));
        nd_test_pack(&file, ND_TEST_GZIP, nd_buffer_span(&record));
    }
    const char *path = nd_test_write("long.warc.gz", nd_buffer_span(&file));
    nd_reader_options options = {.max_page_bytes = LONG - 1};
    log_of_pages log;
    CU_ASSERT_EQUAL(read_source(path, &options, &log), ND_END);
    nd_test_pack(&log.text, ND_TEST_PLAIN, (nd_span){(const uint8_t *)"", 1});
    CU_ASSERT_STRING_EQUAL(
        (const char *)log.text.data,
        "! 0 page of more than 41943039 bytes, the limit (--max-page raises it)\n"
        "text u http://short/ short\n");
    CU_ASSERT_EQUAL(log.counts.other, 1);
    nd_buffer_free(&log.text);
    nd_reader *reader = NULL;
    nd_record page;
    CU_ASSERT_EQUAL_FATAL(nd_reader_open(path, NULL, 0, file.size, NULL, &reader), ND_OK);
    CU_ASSERT_EQUAL(nd_reader_next(reader, &page), ND_OK);
    CU_ASSERT_EQUAL(page.text.size, LONG);
    CU_ASSERT_EQUAL(nd_reader_next(reader, &page), ND_OK);
    CU_ASSERT_EQUAL(page.text.size, 5);
    CU_ASSERT_EQUAL(nd_reader_next(reader, &page), ND_END);
    nd_reader_close(&reader);
    nd_buffer_free(&file);
    nd_buffer_free(&record);
    nd_buffer_free(&body);
}

static const nd_test tests[] = {
    {"page files", test_page_files},
    {"empty", test_empty},
    {"refusals", test_refusals},
    {"foreign formats", test_foreign},
    {"JSONL", test_lines},
    {"JSONL fields", test_field_names},
    {"JSONL files", test_line_files},
    {"WARC kinds", test_warc_kinds},
    {"endless header", test_endless_header},
    {"damaged start", test_damaged_start},
    {"disguised start", test_disguised_start},
    {"damaged skip", test_damaged_skip},
    {"zstd dictionary", test_zstd_dictionary},
    {"zstd window", test_zstd_window},
    {"damaged dictionary", test_damaged_dictionary},
    {"long records", test_long_records},
};
ND_SUITE(t_reader_files, tests)
