/* What kind of page or file something is; lines of JSON. */
#include "io/input/jsonl.h"
#include "io/input/reader.h"
#include "io/input/sniff.h"
#include "tests/support/check.h"
#include "tests/support/sources.h"

/* ---- Which records are pages, of which kind, and by which reason others are none: content types
 * as servers send them, bodies that are not what their type says, records of each kind. */

static const char HTML[] = "<!DOCTYPE html><html><body><p>one two three</body></html>";
static const char PLAIN[] = "one two three\nfour five six\n";
static const char PNG[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0\x08\6\0\0\0";
static uint64_t most_page; /* bytes; 0: as usual */

/* "html" or "text", or why the record is no page; of several records, that of the last. */
static const char *kind_of_file(const char *name, const nd_buffer *file) {
    const char *kind = "skipped";
    ND_OWNED(nd_reader_close) nd_reader *reader = NULL;
    nd_record record;
    nd_reader_counts counts;
    const char *path = nd_test_write(name, nd_buffer_span(file));
    const nd_reader_options options = {.max_page_bytes = most_page};
    ND_TEST_MUST(nd_reader_open(path, "", 0, UINT64_MAX, &options, &reader));
    while (nd_reader_next(reader, &record) == ND_OK) {
        kind = record.content == ND_CONTENT_HTML ? "html" : "text";
    }
    nd_reader_get_counts(reader, &counts);
    uint64_t sum = 0;
    for (int i = 0; i < ND_OTHERS; i++) {
        sum += counts.others[i];
        kind = counts.others[i] > 0 && counts.pages == 0 ? nd_other_reason_text((nd_other_reason)i)
                                                         : kind;
    }
    CU_ASSERT_EQUAL(sum, counts.other);
    CU_ASSERT_EQUAL(counts.records, counts.pages + counts.other + counts.skipped);
    return kind;
}

/* Of one record. \param[in] fields  of a response, lines without their ends; NULL: there is none */
static const char *kind_of(const char *type, const char *record_type, const char *fields,
                           nd_span body) {
    ND_OWNED(nd_buffer_free) nd_buffer file = {0}, block = {0};
    if (fields != NULL) {
        nd_test_print(&block, "HTTP/1.1 200 OK\r\n%s%s\r\n", fields,
                      fields[0] == '\0' ? "" : "\r\n");
    }
    nd_buffer_append(&block, body.data, body.size);
    nd_test_warc_record(&file, type, "http://a/", "1", record_type, nd_buffer_span(&block));
    return kind_of_file("kind.warc", &file);
}

static void check(const char *fields, nd_span body, const char *expected) {
    const char *kind = kind_of("response", "application/http", fields, body);
    if (strcmp(kind, expected) != 0) {
        (void)printf("%s: %s, not %s\n", fields, kind, expected);
    }
    CU_ASSERT_STRING_EQUAL(kind, expected);
}

static void check_type(const char *type, nd_span body, const char *expected) {
    char fields[256];
    (void)snprintf(fields, sizeof fields, "Content-Type: %s", type);
    check(fields, body, expected);
}

static nd_span bytes_of(const char *bytes, size_t size) {
    return (nd_span){(const uint8_t *)bytes, size};
}

/* ---- content types */

/* HTML under whatever says HTML, or nothing; text without a tag under the same is HTML all the
 * same. */
ND_TEST("types of HTML") {
    const char *named[64];
    const size_t count = ND_TEST_LIST(
        "text/html|TEXT/HTML; Charset=UTF-8|text/html;charset=\"utf-8\"|text/html;;;|"
        "text/html charset=utf-8|\"text/html; charset=utf-8\"|text/html:charset=utf-8|"
        "text/html&charset=utf-8|Content-Type: text/html|[text/html]|text//html|"
        "text/html{charset=utf-8}|text/htm|text/x-html|application/html|text/xhtml|"
        "application/xhtml|application/xhtml+xml; charset=utf-8|html|text/html\tcharset=x|"
        "'text/html'|text/html/|text / html|text/html, text/html|<text/html>|"
        "text/x-server-parsed-html|text\\html|(text/html)|=text/html",
        named);
    for (size_t i = 0; i < count; i++) {
        check_type(named[i], nd_test_span(HTML), "html");
        check_type(named[i], nd_test_span(PLAIN), "html");
        check_type(named[i], bytes_of(PNG, sizeof PNG), nd_other_reason_text(ND_OTHER_BINARY));
    }
}

/* Of these the bytes alone say what they are. */
ND_TEST("unknown types") {
    const char *unknown[64];
    const size_t count = ND_TEST_LIST(
        "|*/*|text/*|unknown/unknown|application/unknown|unknown|text|/|text/|"
        "text/plain charset=utf-8|;|; charset=|content/unknown|text/not-yet-known|none such|"
        "(null)|undefined|text/plain/x|application/pdf x",
        unknown);
    for (size_t i = 0; i < count; i++) {
        check_type(unknown[i], nd_test_span(HTML), "html");
        check_type(unknown[i], nd_test_span("\r\n <!-- x --> <b>"), "html");
        check_type(unknown[i], nd_test_span("<p>a"), "html");
        check_type(unknown[i], nd_test_span("<BR/>a"), "html");
        check_type(unknown[i], nd_test_span("<pre>a"), "text"); /* no tag of the standard's */
        check_type(unknown[i], nd_test_span(PLAIN), "text");
        check_type(unknown[i], nd_test_span("\xef\xbb\xbf one"), "text");
        check_type(unknown[i], bytes_of(PNG, sizeof PNG), nd_other_reason_text(ND_OTHER_BINARY));
        check_type(unknown[i], nd_test_span("%PDF-1.4\nall text"),
                   nd_other_reason_text(ND_OTHER_BINARY));
        check_type(unknown[i], nd_test_span("<?xml version='1.0'?><rss>"),
                   nd_other_reason_text(ND_OTHER_DATA));
        check_type(unknown[i], nd_test_span(" \n"), nd_other_reason_text(ND_OTHER_EMPTY));
    }
    check("", nd_test_span(HTML), "html");
    check("X-Y: z", nd_test_span(PLAIN), "text");
    check("Content-Type", nd_test_span(PLAIN), "text");
    check("Content-Type:\r\n text/html", nd_test_span(PLAIN), "html"); /* on the line below */
}

ND_TEST("types of text") {
    static const char *const text[] = {"text/plain", "TEXT/Plain; charset=us-ascii",
                                       "text/markdown; variant=GFM", "text/x-markdown",
                                       "application/markdown"};
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        check_type(text[i], nd_test_span(HTML), "text"); /* browsers show its tags */
        check_type(text[i], nd_test_span(PLAIN), "text");
        check_type(text[i], bytes_of(PNG, sizeof PNG), nd_other_reason_text(ND_OTHER_BINARY));
        check_type(text[i], nd_test_span("{\\rtf1 all text}"),
                   nd_other_reason_text(ND_OTHER_BINARY));
    }
}

ND_TEST("other types") {
    static const struct {
        const char *type;
        nd_other_reason reason;
        bool maybe; /* HTML is looked for */
    } rows[] = {{"image/png", ND_OTHER_IMAGE, false},
                {"Image/SVG+xml", ND_OTHER_IMAGE, false},
                {"image/png; x", ND_OTHER_IMAGE, false},
                {"image/gif charset=x", ND_OTHER_IMAGE, false},
                {"video/mp4", ND_OTHER_SOUND, false},
                {"font/woff2", ND_OTHER_FONT, false},
                {"application/x-font-ttf", ND_OTHER_FONT, false},
                {"text/css", ND_OTHER_STYLE, false},
                {"text/css charset=utf-8", ND_OTHER_STYLE, false},
                {"text/javascript1.5", ND_OTHER_SCRIPT, false},
                {"application/javascript;charset=utf-8", ND_OTHER_SCRIPT, false},
                {"application/json", ND_OTHER_DATA, false},
                {"application/ld+json", ND_OTHER_DATA, false},
                {"application/rss+xml", ND_OTHER_DATA, false},
                {"text/csv", ND_OTHER_DATA, false},
                {"text/xml", ND_OTHER_DATA, true},
                {"application/xml; charset=utf-8", ND_OTHER_DATA, true},
                {"application/pdf", ND_OTHER_TYPE, false},
                {"application/x-mhtml", ND_OTHER_TYPE, false},
                {"application/octet-stream", ND_OTHER_TYPE, true},
                {"binary/octet-stream", ND_OTHER_TYPE, true},
                {"application/x-httpd-php", ND_OTHER_TYPE, true},
                {"text/dns", ND_OTHER_PROTOCOL, false},
                {"x/y", ND_OTHER_TYPE, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *reason = nd_other_reason_text(rows[i].reason);
        check_type(rows[i].type, nd_test_span(HTML), rows[i].maybe ? "html" : reason);
        check_type(rows[i].type, nd_test_span(PLAIN), reason);
        check_type(rows[i].type, bytes_of(PNG, sizeof PNG), reason);
    }
}

/* The last one counts that is a media type, and a page is not lost where they differ. */
ND_TEST("several types") {
    check("Content-Type: text/plain\r\nContent-Type: text/html", nd_test_span(PLAIN), "html");
    check("Content-Type: text/html\r\nContent-Type: text/html", nd_test_span(PLAIN), "html");
    check("Content-Type: text/html\r\nContent-Type: none", nd_test_span(PLAIN), "html");
    check("Content-Type: none\r\nContent-Type: text/html", nd_test_span(PLAIN), "html");
    check("Content-Type: text/html\r\nContent-Type: */*", nd_test_span(PLAIN), "html");
    check("Content-Type: text/html\r\nContent-Type: image/png", nd_test_span(HTML), "html");
    check("Content-Type: text/html\r\nContent-Type: image/png", nd_test_span(PLAIN),
          nd_other_reason_text(ND_OTHER_IMAGE));
    check("content-type: text/html, application/x-javascript", nd_test_span(HTML), "html");
    check("Content-Type: image/png\r\nContent-Type: image/png", nd_test_span(HTML),
          nd_other_reason_text(ND_OTHER_IMAGE));
}

/* Documents that are no responses; and what speaks of others. */
ND_TEST("other records") {
    static const char *const text[] = {
        "text/plain", "text/markdown",       "",          "text/plain charset=utf-8",
        "text",       "text/x-web-markdown", "text/x-rst"};
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        CU_ASSERT_STRING_EQUAL(kind_of("conversion", text[i], NULL, nd_test_span(PLAIN)), "text");
        CU_ASSERT_STRING_EQUAL(kind_of("resource", text[i], NULL, nd_test_span(PLAIN)), "text");
    }
    static const struct {
        const char *type, *content_type;
        nd_other_reason reason;
    } rows[] = {{"request", "application/http", ND_OTHER_ABOUT},
                {"metadata", "text/plain", ND_OTHER_ABOUT},
                {"warcinfo", "application/warc-fields", ND_OTHER_ABOUT},
                {"revisit", "application/http", ND_OTHER_REVISIT},
                {"continuation", "text/plain", ND_OTHER_KIND},
                {"response", "text/dns", ND_OTHER_PROTOCOL},
                {"resource", "image/png", ND_OTHER_IMAGE},
                {"resource", "text/dns", ND_OTHER_PROTOCOL}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CU_ASSERT_STRING_EQUAL(
            kind_of(rows[i].type, rows[i].content_type, NULL, nd_test_span(PLAIN)),
            nd_other_reason_text(rows[i].reason));
    }
    static const struct {
        const char *head;
        nd_other_reason reason;
    } answers[] = {{"HTTP/1.1 301 Moved\r\nContent-Type: text/html\r\n\r\n", ND_OTHER_REDIRECT},
                   {"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n", ND_OTHER_STATUS},
                   {"HTTP/1.1 100 Continue\r\n\r\n", ND_OTHER_STATUS},
                   {"HTTP/1.1 503\r\n\r\n", ND_OTHER_STATUS}};
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        CU_ASSERT_STRING_EQUAL(
            kind_of("response", "application/http", NULL, nd_test_span(answers[i].head)),
            nd_other_reason_text(answers[i].reason));
    }
}

/* ---- bytes */

/* Formats under text/html, by what they begin with or by their bytes. */
ND_TEST("binary as HTML") {
    static const struct {
        const char *bytes;
        size_t size;
    } rows[] = {{PNG, sizeof PNG},
                {"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff,", 20},
                {"\xff\xd8\xff\xe0\0\x10JFIF\0", 11},
                {"RIFF\x24\0\0\0WEBPVP8 ", 16},
                {"%PDF-1.4\n% a PDF that is all text\n", 34},
                {"\r\n%PDF-1.7\n", 11},
                {"%!PS-Adobe-3.0\n%%Title: x\n", 26},
                {"{\\rtf1\\ansi some text}", 22},
                {"PK\3\4\x14\0\0\0\x08\0", 10},
                {"Rar!\x1a\7\0", 7},
                {"7z\xbc\xaf\x27\x1c\0\4", 8},
                {"wOFF\0\1\0\0", 8},
                {"wOF2\0\1\0\0", 8},
                {"OTTO\0\x0b\0\x80", 8},
                {"\0\1\0\0\0\x0f\0\x80", 8},
                {"ID3\3\0\0\0\0", 8},
                {"\0\0\0\x18"
                 "ftypmp42",
                 12},
                {"CWS\6\xff\0\0\0\0\0\0\0", 12},
                {"\0\0\1\0\1\0\x10\x10", 8},
                {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0", 9},
                {"\1\2\3\4\5\6\7\x08 no format that is known", 32}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_type("text/html; charset=utf-8", bytes_of(rows[i].bytes, rows[i].size),
                   nd_other_reason_text(ND_OTHER_BINARY));
    }
}

/* What looks a little like one of those, and is a page. */
ND_TEST("pages that stay") {
    static const char wide[] = "\xff\xfe<\0h\0t\0m\0l\0>\0h\0i\0";
    static const char unmarked[] = "<\0H\0T\0M\0L\0>\0h\0i\0 \0t\0o\0";
    static const char label_alone[] = "H\0i\0 \0<\0b\0>\0t\0h\0e\0r\0e\0";
    static const char zeros[] = "<html>\0\0\0\0\0\0\0\0\0\0\0\0\0 text";
    static const char stray[] = "text without a tag in front, and many words after that which "
                                "hold one NUL\0 in their midst and go on";
    static const char japanese[] = "\x1b$B$3$s$K$A$O\x1b(B<p>\x1b$B$3$s$K$A$O\x1b(B";
    check_type("text/html", bytes_of(wide, sizeof wide - 1), "html");
    check_type("", bytes_of(wide, sizeof wide - 1), "html");
    check_type("text/html", bytes_of(unmarked, sizeof unmarked - 1), "html");
    check_type("text/html; charset=utf-16", bytes_of(label_alone, sizeof label_alone - 1), "html");
    check_type("text/plain; charset=UTF-16LE", bytes_of(label_alone, sizeof label_alone - 1),
               "text");
    check_type("text/html", bytes_of(zeros, sizeof zeros - 1), "html");
    check_type("text/html", bytes_of(stray, sizeof stray - 1), "html");
    check_type("text/html", bytes_of(japanese, sizeof japanese - 1), "html");
    check_type("text/plain; charset=iso-2022-jp", bytes_of(japanese, sizeof japanese - 1), "text");
    check_type("text/html", nd_test_span("\xc4\xe3\xba\xc3\xa3\xac\xca\xc0\xbd\xe7"), "html");
    check_type("text/html", nd_test_span("PK is a word, %PDF- another, GIF a third"), "html");
    check_type("text/html", nd_test_span(""), "html"); /* a page without text */
    check_type("text/plain", nd_test_span(""), "text");
}

/* What is longer than any page may be, and shows at once that it is none, is not refused for that;
 * but text is, and what is packed, which has to be unpacked to show it. */
ND_TEST("long bodies") {
    enum { LONG = 300 << 10 };
    ND_OWNED(nd_buffer_free) nd_buffer body = {0}, packed = {0};
    nd_buffer_reserve(&body, LONG);
    memset(body.data, 'x', LONG);
    body.size = LONG;
    most_page = LONG / 2;
    check_type("text/html", nd_buffer_span(&body), "skipped");
    memcpy(body.data, "%PDF-1.4\n", 9);
    check_type("text/html", nd_buffer_span(&body), nd_other_reason_text(ND_OTHER_BINARY));
    check_type("text/plain", nd_buffer_span(&body), nd_other_reason_text(ND_OTHER_BINARY));
    check_type("application/octet-stream", nd_buffer_span(&body),
               nd_other_reason_text(ND_OTHER_TYPE));
    CU_ASSERT_STRING_EQUAL(kind_of("resource", "text/html", NULL, nd_buffer_span(&body)),
                           nd_other_reason_text(ND_OTHER_BINARY));
    nd_test_pack(&packed, ND_TEST_GZIP, nd_buffer_span(&body));
    check("Content-Type: text/html\r\nContent-Encoding: gzip", nd_buffer_span(&packed), "skipped");
    most_page = 0;
    check("Content-Type: text/html\r\nContent-Encoding: gzip", nd_buffer_span(&packed),
          nd_other_reason_text(ND_OTHER_BINARY));
    memset(body.data, ' ', LONG);
    memcpy(body.data + LONG - 6, "<p>one", 6);
    check("", nd_buffer_span(&body), "html"); /* after more blanks than are looked at before */
}

/* ---- files that were read wrong */

/* Pages of a file of the labelled data, whether all are copies of the first; what else there is. */
static void check_file(const char *name, uint64_t pages, uint64_t copies, uint64_t other,
                       uint64_t skipped) {
    char path[128];
    ND_OWNED(nd_buffer_free) nd_buffer first = {0};
    ND_OWNED(nd_reader_close) nd_reader *reader = NULL;
    nd_record record;
    nd_reader_counts counts;
    uint64_t same = 0;
    (void)snprintf(path, sizeof path, "cases/%s", name);
    const char *file = nd_test_data(path);
    if (file == NULL) {
        return;
    }
    ND_TEST_MUST(nd_reader_open(file, "", 0, UINT64_MAX, NULL, &reader));
    while (nd_reader_next(reader, &record) == ND_OK) {
        if (first.size == 0) {
            nd_buffer_append(&first, record.text.data, record.text.size);
        } else {
            same += record.text.size == first.size &&
                    memcmp(record.text.data, first.data, first.size) == 0;
        }
        if (strncmp(name, "06", 2) == 0) {
            CU_ASSERT_EQUAL(record.date, 1096071013);
            CU_ASSERT(record.url.size == strlen("http://s1.example/1"));
        }
    }
    nd_reader_get_counts(reader, &counts);
    CU_ASSERT_EQUAL(counts.pages, pages);
    CU_ASSERT_EQUAL(same, copies);
    CU_ASSERT_EQUAL(counts.other, other);
    CU_ASSERT_EQUAL(counts.skipped, skipped);
}

ND_TEST("files") {
    check_file("05-content-types-that-browsers-read.warc", 11, 10, 0, 0);
    check_file("05-conversion-text-markdown-or-untyped.warc", 4, 3, 0, 0);
    check_file("06-blank-in-content-type.arc", 4, 0, 1, 0);
    check_file("06-empty-content-type.arc", 3, 0, 1, 0);
    check_file("07-interim-response-first.warc", 4, 3, 0, 0);
    check_file("08-body-codings.warc", 6, 5, 0, 0);
    check_file("09-record-without-warc-type.warc", 2, 0, 0, 1);
    check_file("15-binary-served-as-html.warc", 0, 0, 3, 0);
}

/* ---- what is written of them */

ND_TEST("lists") {
    char text[200];
    uint64_t counts[ND_OTHERS] = {[ND_OTHER_IMAGE] = 2};
    const uint64_t more[ND_OTHERS] = {[ND_OTHER_REDIRECT] = 5, [ND_OTHER_IMAGE] = 1};
    CU_ASSERT_STRING_EQUAL(nd_others_list(counts, text, sizeof text), "2 content type of images");
    nd_others_add(counts, more);
    CU_ASSERT_EQUAL(nd_others_sum(counts), 8);
    CU_ASSERT_STRING_EQUAL(nd_others_list(counts, text, sizeof text),
                           "5 HTTP status 3xx, 3 content type of images");
    CU_ASSERT_STRING_EQUAL(nd_others_list(counts, text, 10), "5 HTTP st");
    for (int i = 0; i < ND_OTHERS; i++) { /* each has words of its own */
        for (int j = 0; j < i; j++) {
            CU_ASSERT_STRING_NOT_EQUAL(nd_other_reason_text((nd_other_reason)i),
                                       nd_other_reason_text((nd_other_reason)j));
        }
    }
    ND_OWNED(nd_buffer_free) nd_buffer style = {0};
    nd_test_print(&style, "p { color: red }\n");
    CU_ASSERT_STRING_EQUAL(kind_of_file("a.css", &style), nd_other_reason_text(ND_OTHER_FILE));
}

/* ---- The refusal of a format that is not read: the command that it names, for names that a shell
 * takes as they are and for others; names by which a format is known. Which formats are known by
 * their bytes, tests/long/no_pages.sh tests. */

static void check_command(const char *path, nd_codec codec, const char *command) {
    char expected[256];
    const nd_foreign *pdf = nd_foreign_find(nd_test_span("%PDF-1.7"), path);
    CU_ASSERT_PTR_NOT_NULL_FATAL(pdf);
    CU_ASSERT_EQUAL(nd_foreign_refuse(pdf, path, codec), ND_ERR_FORMAT);
    (void)snprintf(expected, sizeof expected, "%s: a PDF document, which is not read: %s", path,
                   command);
    CU_ASSERT_STRING_EQUAL(nd_fail_text(), expected);
}

ND_TEST("command") {
    check_command("no/a.pdf", ND_CODEC_PLAIN, "pdftotext no/a.pdf no/a.txt");
    check_command("no/a.pdf.gz", ND_CODEC_GZIP,
                  "gzip -dc <no/a.pdf.gz > no/a.pdf && pdftotext no/a.pdf no/a.txt");
    check_command("no/a.txt", ND_CODEC_PLAIN, "pdftotext no/a.txt no/a.txt.out.txt");
    check_command("a", ND_CODEC_PLAIN, "pdftotext a a.txt");
}

/* Such names could be options, or several words. */
ND_TEST("odd names") {
    static const char *const odd[] = {"-a", "no/a b", "no/a'", "no/$a", ""};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        check_command(odd[i], ND_CODEC_PLAIN, "pdftotext FILE FILE.txt");
    }
}

/* CSV is known by its name alone, whatever it is packed in. */
ND_TEST("known by name") {
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

/* ---- What a file of JSON lines looks like. */

/* A first line begins with a brace, has a name or nothing in it, and ends with one, unless it was
 * cut. */
ND_TEST("looks like lines") {
    static const char *const lines[] = {
        "{", "{\n", "{}", "{ \t}\n{}", "{ \"a\"", " \n{\"a\": 1} \nx", "\xEF\xBB\xBF{\"a\""};
    static const char *const others[] = {
        "",     " \n",          "x{}\n", "{\"a\":\n1}", "{% extends \"a.html\" %}\n<p>Text",
        "{# a", "{{ title }}\n"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        CU_ASSERT(nd_jsonl_looks(nd_test_span(lines[i])));
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        CU_ASSERT_FALSE(nd_jsonl_looks(nd_test_span(others[i])));
    }
}

/* The text at a way of two names, the second of which has so many letters. */
static size_t found_at(size_t letters) {
    char names[512] = "a.";
    ND_OWNED(nd_buffer_free) nd_buffer line = {0};
    ND_OWNED(nd_jsonl_close) nd_jsonl *parser = NULL;
    nd_jsonl_page page;
    const char *fault = NULL;
    const nd_jsonl_names fields = {.id = "id", .url = "url", .text = names, .html = "html"};
    const nd_record_limits limits = nd_record_limits_of(1 << 20, 0, 0);
    memset(names + 2, 'b', letters);
    nd_test_print(&line, "{\"a\":{\"%s\":\"text\"}}", names + 2);
    ND_TEST_MUST(nd_jsonl_open(&fields, &limits, &parser));
    const nd_status st = nd_jsonl_parse(parser, nd_buffer_span(&line), &page, &fault);
    CU_ASSERT(st == ND_OK || st == ND_ERR_FORMAT);
    return st == ND_OK ? page.text.size : 0;
}

/* Names inside of objects are found up to a length. */
ND_TEST("ways of names") {
    CU_ASSERT_EQUAL(found_at(1), 4);
    CU_ASSERT_EQUAL(found_at(255), 4);
    CU_ASSERT_EQUAL(found_at(256), 0);
}

static void check_text(nd_span found, const char *expected) {
    CU_ASSERT_TRUE(nd_test_is(found, expected));
}

/* Bytes that are no UTF-8 are replaced in each field by itself. */
ND_TEST("bytes that are no UTF-8") {
    ND_OWNED(nd_jsonl_close) nd_jsonl *parser = NULL;
    nd_jsonl_page page;
    const char *fault = NULL;
    const nd_jsonl_names fields = {
        .id = "id", .url = "url", .date = "date", .text = "text", .html = "html"};
    const nd_record_limits limits = nd_record_limits_of(1 << 20, 0, 0);
    ND_TEST_MUST(nd_jsonl_open(&fields, &limits, &parser));
    const nd_span line = nd_test_span("{\"id\":\"i\xFF\",\"url\":\"u\xFF\",\"date\":\"d\xFF\","
                                      "\"text\":\"t\xFF\"}");
    ND_TEST_MUST(nd_jsonl_parse(parser, line, &page, &fault));
    check_text(page.id, "i\xEF\xBF\xBD");
    check_text(page.url, "u\xEF\xBF\xBD");
    check_text(page.date, "d\xEF\xBF\xBD");
    check_text(page.text, "t\xEF\xBF\xBD");
}

/* A parser of the usual fields, and what it makes of one line. */
typedef struct reading {
    nd_jsonl *parser;
    nd_jsonl_page page;
    const char *fault;
    nd_status st;
} reading;

static reading read_line(const char *line, size_t size) {
    static const nd_jsonl_names fields = {.id = "id", .url = "url", .text = "text", .html = "html"};
    static nd_record_limits limits;
    reading r = {.fault = NULL};
    limits = nd_record_limits_of(1 << 20, 0, 0);
    ND_TEST_MUST(nd_jsonl_open(&fields, &limits, &r.parser));
    r.st = nd_jsonl_parse(r.parser, (nd_span){(const uint8_t *)line, size}, &r.page, &r.fault);
    return r;
}

/* A number is the text that it is written with, whatever its size. */
ND_TEST("numbers as they are written") {
    const char *kept[64];
    const size_t count = ND_TEST_LIST(
        "0|7|-7|999999999999999999|1000000000000000000|9223372036854775808|18446744073709551615|"
        "18446744073709551616|340282366920938463463374607431768211455|-9223372036854775809|"
        "-340282366920938463463374607431768211456|-0|007|-007|1.50|-0.0|1e999|1E+5|"
        "12345678901234567890.5|123456789012345678901234567890e-3|0.10",
        kept);
    /* what stands around it: other numbers, strings with quotes and backslashes before them */
    static const char *const lines[] = {
        "{\"id\":%s,\"text\":\"t\"}",
        "{\"text\":\"t\",\"n\":[98765432109876543210, -0 ],\"id\" : %s }",
        "{\"text\":\"t\",\"a\":\"\\\"340282366920938463463374607431768211455\",\"id\":%s}",
        "{\"text\":\"t\",\"a\":\"\\\\\",\"id\":%s,\"b\":\"\\\\\\\"12345678901234567890123\"}",
        "{\"id\":\"%s\",\"text\":\"t\"}"};
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
            ND_OWNED(nd_buffer_free) nd_buffer line = {0};
            nd_test_print(&line, lines[k], kept[i]);
            reading r = read_line((const char *)line.data, line.size);
            ND_TEST_OK(r.st);
            check_text(r.page.id, kept[i]);
            check_text(r.page.text, "t");
            nd_jsonl_close(&r.parser);
        }
    }
}

/* Digits in other strings stay as they are, and so do lines that are no JSON. */
ND_TEST("digits that are no numbers") {
    static const struct {
        const char *line, *id, *text;
    } rows[] = {
        {"{\"id\":\"a\",\"text\":\"98765432109876543210\"}", "a", "98765432109876543210"},
        {"{\"id\":\"98765432109876543210\\\"\",\"text\":98765432109876543210}",
         "98765432109876543210\"", "98765432109876543210"},
        {"{\"id\":'98765432109876543210\"',\"text\":\"t\"}", "98765432109876543210\"", "t"},
        {"{\"id\":5/* \" 98765432109876543210 */,\"text\":\"t 98765432109876543210\"}", "5",
         "t 98765432109876543210"},
        {"{\"id\":98765432109876543210,", NULL, NULL},
        {"{\"id\":98765432109876543210", NULL, NULL},
        {"{\"id\":\"98765432109876543210", NULL, NULL},
        {"{\"id\":--98765432109876543210,\"text\":\"t\"}", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        reading r = read_line(rows[i].line, strlen(rows[i].line));
        CU_ASSERT_EQUAL(r.st, rows[i].id != NULL ? ND_OK : ND_ERR_FORMAT);
        if (r.st == ND_OK && rows[i].id != NULL) {
            check_text(r.page.id, rows[i].id);
            check_text(r.page.text, rows[i].text);
        }
        nd_jsonl_close(&r.parser);
    }
}

/* Other kinds of ids: strings as they are meant, and what is neither string nor number is none. */
ND_TEST("ids of other kinds") {
    static const char *const rows[][2] = {{"\"\"", ""},
                                          {"\"a\\u00e9\\n\\\"\"", "a\xC3\xA9\n\""},
                                          {"null", ""},
                                          {"true", ""},
                                          {"false", ""},
                                          {"[98765432109876543210]", ""},
                                          {"{\"$oid\":\"x\"}", ""},
                                          {"\"\\ud83d\\ude00\"", "\xF0\x9F\x98\x80"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ND_OWNED(nd_buffer_free) nd_buffer line = {0};
        nd_test_print(&line, "{\"id\":%s,\"text\":\"t\"}", rows[i][0]);
        reading r = read_line((const char *)line.data, line.size);
        ND_TEST_OK(r.st);
        check_text(r.page.id, rows[i][1]);
        nd_jsonl_close(&r.parser);
    }
}

/* HTML without anything in it does not hide the text; any other does. */
ND_TEST("blank HTML beside text") {
    static const char *const blank[] = {"\"\"",
                                        "\"  \\n\\t\\r\"",
                                        "\"\\u00a0\"",
                                        "\"&nbsp; &#160;&#xa0;\"",
                                        "\"\\u3000\\u200b\\ufeff\"",
                                        "null",
                                        "false",
                                        "[]"};
    static const char *const html[] = {"\"<p>x\"", "\" x\"", "\"&amp;\"", "0", "\"\\ufffd\""};
    for (size_t i = 0; i < sizeof blank / sizeof blank[0] + sizeof html / sizeof html[0]; i++) {
        const bool is_blank = i < sizeof blank / sizeof blank[0];
        const char *value = is_blank ? blank[i] : html[i - sizeof blank / sizeof blank[0]];
        for (int order = 0; order < 2; order++) {
            ND_OWNED(nd_buffer_free) nd_buffer line = {0};
            nd_test_print(&line,
                          order == 0 ? "{\"html\":%s,\"text\":\"the text\"}"
                                     : "{\"text\":\"the text\",\"html\":%s}",
                          value);
            reading r = read_line((const char *)line.data, line.size);
            ND_TEST_OK(r.st);
            CU_ASSERT_EQUAL(r.page.html, !is_blank);
            CU_ASSERT_EQUAL(nd_test_is(r.page.text, "the text"), is_blank);
            nd_jsonl_close(&r.parser);
        }
    }
}

/* A line with nothing but a blank field of either kind is a page without text, and one with neither
 * is none. */
ND_TEST("blank HTML and blank text") {
    static const char *const pages[] = {
        "{\"html\":\"\"}", "{\"text\":\" \"}", "{\"html\":\"\\n\",\"text\":\"\"}",
        "{\"html\":null,\"text\":\"\"}", "{\"html\":\" \",\"text\":null}"};
    static const char *const none[] = {"{}", "{\"html\":null}", "{\"html\":false,\"text\":[]}"};
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        reading r = read_line(pages[i], strlen(pages[i]));
        ND_TEST_OK(r.st);
        CU_ASSERT(r.page.text.size <= 1);
        nd_jsonl_close(&r.parser);
    }
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        reading r = read_line(none[i], strlen(none[i]));
        CU_ASSERT_EQUAL(r.st, ND_ERR_FORMAT);
        nd_jsonl_close(&r.parser);
    }
}
