/* Files become records. */
#define _GNU_SOURCE /* mincore() */

#include "io/input/file_window.h"
#include "io/input/reader.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "tests/support/check.h"
#include "tests/support/sources.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

/* ---- nd_file_window: what lies under the window, and what the system's cache keeps of the file.
 */

enum { FILE_BYTES = 16 << 20, HALF = FILE_BYTES / 2, MOST_PAGES = FILE_BYTES / 4096 };
static uint8_t content_file_window[FILE_BYTES];

static const char *write_content(const char *name) {
    nd_random random = {.state = 5};
    for (size_t i = 0; i < sizeof content_file_window; i++) {
        content_file_window[i] = (uint8_t)nd_random_next(&random);
    }
    return nd_test_write(name, (nd_span){content_file_window, sizeof content_file_window});
}

ND_TEST("views") {
    static const struct {
        uint64_t offset;
        size_t want;
    } looks[] = {{0, 1},          {0, 2 << 20},  {700, 10},           {FILE_BYTES - 5, 100},
                 {HALF, 1 << 20}, {HALF + 3, 7}, {3, (2 << 20) + 11}, {FILE_BYTES, 4}};
    ND_OWNED(nd_file_window_close) nd_file_window file;
    nd_span bytes;
    ND_TEST_MUST(nd_file_window_open(&file, write_content("views")));
    CU_ASSERT_EQUAL(file.file_bytes, FILE_BYTES);
    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++) {
        const size_t left = FILE_BYTES - (size_t)looks[i].offset;
        ND_TEST_OK(nd_file_window_at(&file, looks[i].offset, looks[i].want, &bytes));
        CU_ASSERT(bytes.size >= (looks[i].want < left ? looks[i].want : left));
        CU_ASSERT(bytes.size == 0 ||
                  memcmp(bytes.data, content_file_window + looks[i].offset, bytes.size) == 0);
    }
}

ND_TEST("a single byte") {
    ND_OWNED(nd_file_window_close) nd_file_window file;
    nd_span bytes;
    const char *path = nd_test_write("byte", nd_test_span("x"));
    ND_TEST_MUST(nd_file_window_open(&file, path));
    ND_TEST_OK(nd_file_window_at(&file, 0, 9, &bytes));
    CU_ASSERT(bytes.size == 1 && bytes.data[0] == 'x');
}

/* ---- the system's cache */

/* Pages of bytes [begin, end) of the file that the system holds. */
static size_t cached_pages(const char *path, size_t begin, size_t end) {
    static unsigned char held[MOST_PAGES];
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    void *map = mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, descriptor, 0);
    size_t count = 0;
    CU_ASSERT_FATAL(map != MAP_FAILED && mincore(map, FILE_BYTES, held) == 0);
    for (size_t i = begin / page; i < end / page; i++) {
        count += held[i] & 1U;
    }
    (void)munmap(map, FILE_BYTES);
    (void)close(descriptor);
    return count;
}

/* A file whose bytes are on the disk, so that the system is free to forget them, and in its cache.
 */
static const char *write_synced(const char *name) {
    const char *path = write_content(name);
    const int descriptor = open(path, O_RDWR | O_CLOEXEC);
    CU_ASSERT_FATAL(descriptor >= 0 && fsync(descriptor) == 0);
    (void)close(descriptor);
    return path;
}

/* Does this file system forget at all? Those in memory do not. */
static bool can_forget(void) {
    const char *path = write_synced("control");
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    (void)posix_fadvise(descriptor, 0, FILE_BYTES, POSIX_FADV_DONTNEED);
    (void)close(descriptor);
    return cached_pages(path, 0, FILE_BYTES) == 0;
}

ND_TEST("uncache") {
    nd_file_window file;
    nd_span bytes;
    if (!can_forget()) {
        printf("SKIPPED: the file system of %s keeps its files in memory\n", nd_test_folder());
        return;
    }
    const char *path = write_synced("cached");
    const size_t before = cached_pages(path, 0, FILE_BYTES);
    CU_ASSERT(before > 0);
    ND_TEST_MUST(nd_file_window_open(&file, path));
    ND_TEST_OK(nd_file_window_at(&file, 0, FILE_BYTES, &bytes));
    nd_file_window_uncache(&file, 0, HALF);
    /* what the system holds in one piece with bytes beyond the range stays */
    CU_ASSERT(cached_pages(path, 0, HALF) <= before / 8);
    CU_ASSERT(cached_pages(path, HALF, FILE_BYTES) >= before / 2);
    CU_ASSERT(memcmp(bytes.data, content_file_window, bytes.size) == 0);
    nd_file_window_close(&file);
}

/* A file that becomes shorter while it is read is another one, which is no failure to read it. */
ND_TEST("a file that becomes shorter") {
    ND_OWNED(nd_file_window_close) nd_file_window file;
    nd_span bytes;
    const char *path = write_content("shorter");
    ND_TEST_MUST(nd_file_window_open(&file, path));
    ND_TEST_OK(nd_file_window_at(&file, 0, 10, &bytes));
    CU_ASSERT_EQUAL(truncate(path, HALF), 0);
    CU_ASSERT_EQUAL(nd_file_window_at(&file, HALF + 5, 10, &bytes), ND_ERR_CHANGED);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), path));
}

/* What a file is now: of a regular one by its name, and else as opening it says. */
ND_TEST("identity") {
    nd_file_identity now;
    nd_file_window file;
    const char *path = nd_test_write("identity", nd_test_span("123"));
    ND_TEST_OK(nd_file_identity_now(path, &now));
    CU_ASSERT_EQUAL(now.bytes, 3);
    ND_TEST_MUST(nd_file_window_open(&file, path));
    CU_ASSERT_EQUAL(memcmp(&now, &file.identity, sizeof now), 0);
    nd_file_window_close(&file);
    CU_ASSERT_EQUAL(nd_file_identity_now("/no/such/file", &now), ND_ERR_INPUT);
    CU_ASSERT_EQUAL(nd_file_identity_now(nd_test_folder(), &now), ND_ERR_INPUT);
}

/* ---- sums of blocks */

static uint64_t slow_sum(uint64_t begin, uint64_t end, uint64_t file_bytes) {
    uint64_t sum = 0;
    for (uint64_t block = 0; block * ND_SUMMED_BLOCK < file_bytes; block++) {
        const uint64_t at = block * ND_SUMMED_BLOCK;
        const uint64_t size = file_bytes - at < ND_SUMMED_BLOCK ? file_bytes - at : ND_SUMMED_BLOCK;
        if (at >= begin && at < end) {
            sum += XXH3_64bits_withSeed(content_file_window + at, (size_t)size, block);
        }
    }
    return sum;
}

/* Looks at random places, backwards too, and with gaps. */
static uint64_t sum_of_range(const char *path, uint64_t begin, uint64_t end, nd_random *random) {
    ND_OWNED(nd_file_window_close) nd_file_window file;
    nd_span bytes;
    uint64_t sum = 0;
    ND_TEST_MUST(nd_file_window_open(&file, path));
    for (uint64_t i = nd_random_below(random, 3); i > 0; i--) { /* before it is asked for */
        ND_TEST_OK(nd_file_window_at(&file, nd_random_below(random, end + 1), 9, &bytes));
    }
    ND_TEST_OK(nd_file_window_sum_blocks(&file, begin, end));
    for (uint64_t i = nd_random_below(random, 6); i > 0; i--) {
        ND_TEST_OK(nd_file_window_at(&file, nd_random_below(random, file.file_bytes + 1),
                                     nd_random_below(random, 3 << 20), &bytes));
    }
    ND_TEST_OK(nd_file_window_block_sum(&file, &sum));
    return sum;
}

ND_TEST("sums of blocks") {
    nd_random random = nd_test_random("block sums");
    static const uint64_t sizes[] = {0, 1, ND_SUMMED_BLOCK, ND_SUMMED_BLOCK + 1, 5000001};
    (void)write_content("all");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint64_t bytes = sizes[i];
        const char *path = nd_test_write("summed", (nd_span){content_file_window, (size_t)bytes});
        for (int round = 0; round < 20; round++) {
            uint64_t sum = 0;
            for (uint64_t begin = 0, end = 0; begin < bytes; begin = end) { /* any cut of it */
                end = begin + 1 + nd_random_below(&random, bytes - begin);
                const uint64_t part = sum_of_range(path, begin, end, &random);
                CU_ASSERT_EQUAL(part, slow_sum(begin, end, bytes));
                sum += part;
            }
            CU_ASSERT_EQUAL(sum, slow_sum(0, bytes, bytes));
        }
    }
}

/* ---- What each kind of source gives: page files, lines, records, and what is not a page. */

static nd_status read_source(const char *path, const nd_reader_options *options, nd_test_log *log) {
    return nd_test_log_source(path, options, "kiut", log);
}

static void check_bytes(const char *name, nd_span bytes, const nd_reader_options *options,
                        const char *format, const char *expected) {
    ND_OWNED(nd_test_log_free) nd_test_log log;
    CU_ASSERT_TRUE(nd_test_logs(name, bytes, options, "kiut", expected, &log));
    CU_ASSERT_STRING_EQUAL(log.shape.format, format);
}

static void check_text(const char *name, const char *text, const char *format,
                       const char *expected) {
    check_bytes(name, nd_test_span(text), NULL, format, expected);
}

static void check_packed(const char *name, nd_test_packing packing, const char *text,
                         const char *format, const char *expected) {
    ND_OWNED(nd_buffer_free) nd_buffer file = {0};
    nd_test_pack(&file, packing, nd_test_span(text));
    check_bytes(name, nd_buffer_span(&file), NULL, format, expected);
}

ND_TEST("page files") {
    check_text("a.html", "no tags at all", "html", "html  file://f/x no tags at all\n");
    check_text("a", " <!DOCTYPE html><p>x", "html", "html  file://f/x  <!DOCTYPE html><p>x\n");
    check_text("a.txt", "plain words", "txt", "text  file://f/x plain words\n");
    check_text("a.htm", "<meta charset=gbk>\xD6\xD0", "html",
               "html  file://f/x <meta charset=gbk>\xE4\xB8\xAD\n");
    check_text("a.css", "p { color: red }", "other", "");
    check_text("a.json", "\"a\"", "other", "");
    check_text("a.txt", "id,text\n1,a\n", "txt", "text  file://f/x id,text\n1,a\n\n");
    check_text("a.txt", "[1] A note.", "txt", "text  file://f/x [1] A note.\n");
    check_text("a.txt", "PAR1 is a receptor", "txt", "text  file://f/x PAR1 is a receptor\n");
    check_text("a.html", "\n\n", "html", "html  file://f/x \n\n\n");
    check_packed("a.txt.gz", ND_TEST_GZIP, "plain words", "txt.gz",
                 "text  file://f/x plain words\n");
    check_packed("a.html.zst", ND_TEST_ZSTD, "<html>x", "html.zst", "html  file://f/x <html>x\n");
    check_text("b.txt", "one \x08 stray control", "txt",
               "text  file://f/x one \x08 stray control\n");
    nd_reader_options small = {.max_page_bytes = 4};
    check_bytes("a.txt", nd_test_span("12345"), &small, "txt",
                "! 0 page of more than 4 bytes, the limit (--max-page raises it)\n");
    check_bytes("a.txt", nd_test_span("1234"), &small, "txt", "text  file://f/x 1234\n");
}

ND_TEST("empty") {
    check_text("a.warc", "", "empty", "");
    check_packed("a.gz", ND_TEST_GZIP, "", "empty", "");
    check_packed("a.zst", ND_TEST_ZSTD, "", "empty", "");
}

static void check_refused(const char *name, nd_span bytes, nd_status status) {
    ND_OWNED(nd_test_log_free) nd_test_log log;
    CU_ASSERT_EQUAL(read_source(nd_test_write(name, bytes), NULL, &log), status);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), name));
}

ND_TEST("refusals") {
    ND_OWNED(nd_test_log_free) nd_test_log log;
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
ND_TEST("foreign formats") {
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
    ND_OWNED(nd_buffer_free) nd_buffer packed = {0};
    nd_test_pack(&packed, ND_TEST_GZIP, nd_test_span("[{\"text\": \"a\"}]"));
    check_foreign("f.json.gz", nd_buffer_span(&packed), "JSON array", "/f.json.gz > ");
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), " && jq -c '.[]' "));
}

static void add_skip(nd_buffer *pages, const char *source, const char *record, const char *reason) {
    nd_test_print(pages, "! %td %s\n", strstr(source, record) - source, reason);
}

ND_TEST("JSONL") {
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
    ND_OWNED(nd_buffer_free) nd_buffer pages = {0};
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
    check_text("a.jsonl", lines, "jsonl", (const char *)pages.data);
    check_packed("a.jsonl.gz", ND_TEST_GZIP, lines, "jsonl.gz", (const char *)pages.data);
    check_packed("a.jsonl.zst", ND_TEST_ZSTD, lines, "jsonl.zst", (const char *)pages.data);
    nd_reader_options options = {.jsonl_id = "key", .jsonl_text = "body", .max_page_bytes = 60};
    check_bytes("b.jsonl",
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
    check_bytes("n.jsonl", nd_test_span(line), &options, "jsonl", expected);
}

ND_TEST("JSONL fields") {
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

ND_TEST("JSONL files") {
    static const char marked[] =
        "\xEF\xBB\xBF{\"id\": 1, \"text\": \"a\"}\n{\"id\": 2, \"text\": \"b\"}\n";
    check_text("m.jsonl", marked, "jsonl", "text 1  a\ntext 2  b\n");
    check_packed("m.json.gz", ND_TEST_GZIP, marked, "jsonl.gz", "text 1  a\ntext 2  b\n");
    /* a spoilt first line does not make a page of the file, if it is called what it is */
    check_text("s.ndjson", "spoilt\n{\"text\": \"b\"}\n", "jsonl",
               "! 0 line is not JSON\ntext   b\n");
    check_text("s.jsonl", "{\"text\": \"cut\n{\"text\": \"b\"}\n", "jsonl",
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
    ND_OWNED(nd_buffer_free) nd_buffer http = {0};
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
    return before_last;
}

ND_TEST("WARC kinds") {
    ND_OWNED(nd_buffer_free) nd_buffer warc = {0};
    ND_OWNED(nd_buffer_free) nd_buffer one_member = {0};
    const size_t before_last = make_warc(&warc);
    ND_OWNED(nd_buffer_free) nd_buffer expected = {0};
    nd_test_print(&expected,
                  "html urn:0 http://a/ <html>x\nhtml urn:1 http://a/ <html>x\n"
                  "text urn:2 http://a/ <html>x\nhtml urn:3 http://a/ <html>x\n"
                  "html urn:r http://b/ \xE4\xB8\xAD\n"
                  "text urn:c http://c/ text of c\n"
                  "! %zu response without an HTTP status line\n",
                  before_last);
    nd_test_pack(&expected, ND_TEST_PLAIN, (nd_span){(const uint8_t *)"", 1});
    check_bytes("a.warc", nd_buffer_span(&warc), NULL, "warc", (const char *)expected.data);
    /* all records in one member: read as well, but not in parts; offsets are then of the content */
    nd_test_pack(&one_member, ND_TEST_GZIP, nd_buffer_span(&warc));
    check_bytes("b.warc.gz", nd_buffer_span(&one_member), NULL, "warc.gz",
                (const char *)expected.data);
    nd_source_shape shape;
    ND_TEST_OK(nd_source_look(nd_test_write("c", nd_buffer_span(&one_member)), NULL, &shape));
    CU_ASSERT_FALSE(shape.splittable);
}

/* A header that does not end in its member does not take that of the next record for its own. */
ND_TEST("endless header") {
    static const nd_test_packing packings[] = {ND_TEST_GZIP, ND_TEST_ZSTD};
    static const char *const formats[] = {"warc.gz", "warc.zst"};
    ND_OWNED(nd_buffer_free) nd_buffer record = {0};
    nd_test_warc_record(&record, "conversion", "http://a/", "1", "text/plain", nd_test_span("one"));
    for (size_t i = 0; i < sizeof packings / sizeof packings[0]; i++) {
        ND_OWNED(nd_buffer_free) nd_buffer file = {0};
        ND_OWNED(nd_buffer_free) nd_buffer pages = {0};
        nd_test_pack(&file, packings[i], nd_buffer_span(&record));
        nd_test_print(
            &pages, "text 1 http://a/ one\n! %zu record header is cut off: 52 bytes passed over\n",
            file.size);
        nd_test_pack(&file, packings[i],
                     nd_test_span("WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <0>"));
        nd_test_pack(&file, packings[i], nd_buffer_span(&record));
        nd_test_print(&pages, "text 1 http://a/ one\n");
        nd_test_pack(&pages, ND_TEST_PLAIN, (nd_span){(const uint8_t *)"", 1});
        check_bytes("endless", nd_buffer_span(&file), NULL, formats[i], (const char *)pages.data);
    }
}

/* The damaged first record of an archive costs itself alone, whatever of it is damaged, and the
 * file can still be read in parts. */
ND_TEST("damaged start") {
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
            ND_OWNED(nd_buffer_free) nd_buffer file = {0};
            ND_OWNED(nd_test_log_free) nd_test_log log;
            for (int record = 0; record < 3; record++) {
                ND_OWNED(nd_buffer_free) nd_buffer warc = {0};
                nd_test_warc_record(&warc, "conversion", "http://a/", record == 1 ? "2" : "1",
                                    "text/plain", nd_test_span("first"));
                char *at = strstr((char *)warc.data, wrong[j][0]);
                if (record == 0) {
                    memcpy(at, wrong[j][1], strlen(wrong[j][0]));
                }
                nd_test_pack(&file, rows[i].packing, nd_buffer_span(&warc));
            }
            if (wrong[j][0][0] == '\0') {
                file.data[0] ^= 0x40;
            }
            const char *path = nd_test_write(rows[i].name, nd_buffer_span(&file));
            CU_ASSERT_EQUAL(read_source(path, NULL, &log), ND_END);
            CU_ASSERT_STRING_EQUAL(log.shape.format, rows[i].format);
            CU_ASSERT_TRUE(log.shape.splittable);
            CU_ASSERT_EQUAL(log.counts.skipped, 1);
            static const char others[] = "text 2 http://a/ first\ntext 1 http://a/ first\n";
            const char *found = strstr((const char *)log.text.data, others);
            CU_ASSERT_TRUE(found != NULL && found[strlen(others)] == '\0');
        }
    }
}

/* Nor does it where the damaged bytes look like another format. */
ND_TEST("disguised start") {
    ND_OWNED(nd_buffer_free) nd_buffer record = {0};
    ND_OWNED(nd_buffer_free) nd_buffer file = {0};
    nd_test_warc_record(&record, "conversion", "http://a/", "1", "text/plain", nd_test_span("one"));
    nd_test_pack(&file, ND_TEST_GZIP, nd_test_span("{\"url\": \"http://a/\"}\n"));
    file.data[file.size - 5] ^= 1; /* of the checksum */
    nd_test_pack(&file, ND_TEST_GZIP, nd_buffer_span(&record));
    check_bytes("d.warc.gz", nd_buffer_span(&file), NULL, "warc.gz",
                "! 0 no record starts where one should: 21 bytes passed over\n"
                "text 1 http://a/ one\n");
}

/* A frame that says only how much to skip costs no record if it says too much: here a part of the
 * records after it, or more than there are. */
ND_TEST("damaged skip") {
    enum { RECORDS = 200, BEFORE = 20, WORDS = 300 };
    nd_random random = nd_test_random("skip");
    ND_OWNED(nd_buffer_free) nd_buffer file = {0};
    size_t skip_at = 0;
    for (int i = 0; i < RECORDS; i++) {
        static const uint8_t skip[12] = {0x50, 0x2A, 0x4D, 0x18, 4, 0, 0, 0, 1, 2, 3, 4};
        ND_OWNED(nd_buffer_free) nd_buffer text = {0};
        ND_OWNED(nd_buffer_free) nd_buffer warc = {0};
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
    }
    for (uint8_t more = 0; more < 8; more++) {
        ND_OWNED(nd_test_log_free) nd_test_log log;
        file.data[skip_at + 6] = more; /* times 64 KiB */
        CU_ASSERT_EQUAL(
            read_source(nd_test_write("skip.warc.zst", nd_buffer_span(&file)), NULL, &log), ND_END);
        CU_ASSERT_EQUAL(log.counts.pages, RECORDS);
        CU_ASSERT_EQUAL(log.counts.skipped, more > 0);
    }
}

/* The IIPC's WARC zstd: a dictionary in a skippable frame, itself raw or a frame, then a frame per
 * record. */
ND_TEST("zstd dictionary") {
    ND_OWNED(nd_buffer_free) nd_buffer record = {0};
    static const char dictionary[] =
        "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://";
    ZSTD_CCtx *context = ZSTD_createCCtx();
    for (nd_test_packing packing = ND_TEST_PLAIN; packing <= ND_TEST_ZSTD;
         packing += ND_TEST_ZSTD) {
        ND_OWNED(nd_buffer_free) nd_buffer file = {0};
        ND_OWNED(nd_buffer_free) nd_buffer packed = {0};
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
        check_bytes(
            "a.warc.zst", nd_buffer_span(&file), NULL, "warc.zst",
            "text urn:c http://c/ text\ntext urn:c http://c/ text\ntext urn:c http://c/ text\n");
    }
    (void)ZSTD_freeCCtx(context);
}

/* A window that the memory cannot hold is named as the cause, with the cure. */
ND_TEST("zstd window") {
    ND_OWNED(nd_buffer_free) nd_buffer file = {0};
    ND_OWNED(nd_buffer_free) nd_buffer record = {0};
    nd_reader *reader = NULL;
    ND_OWNED(nd_test_log_free) nd_test_log log;
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
    ND_TEST_OK(nd_source_look(path, NULL, &shape));
}

/* It is damaged: that is no failure of ours, and frames that need none are read. */
ND_TEST("damaged dictionary") {
    static const uint8_t damaged[] = {0x5D, 0x2A, 0x4D, 0x18, 12, 0, 0,    0,    0x37, 0xA4,
                                      0x30, 0xEC, 1,    0,    0,  0, 0xFF, 0xFF, 0xFF, 0xFF};
    ND_OWNED(nd_buffer_free) nd_buffer file = {0};
    ND_OWNED(nd_buffer_free) nd_buffer record = {0};
    nd_test_pack(&file, ND_TEST_PLAIN, (nd_span){damaged, sizeof damaged});
    nd_test_warc_record(&record, "conversion", "http://c/", "urn:c", "text/plain",
                        nd_test_span("text"));
    nd_test_pack(&file, ND_TEST_ZSTD, nd_buffer_span(&record));
    check_bytes("d.warc.zst", nd_buffer_span(&file), NULL, "warc.zst",
                "text urn:c http://c/ text\n");
}

/* Members longer than what is decoded in one go, and pages beyond the limit. */
ND_TEST("long records") {
    enum { LONG = 40 << 20 };
    ND_OWNED(nd_buffer_free) nd_buffer file = {0};
    ND_OWNED(nd_buffer_free) nd_buffer record = {0};
    ND_OWNED(nd_buffer_free) nd_buffer body = {0};
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
    ND_OWNED(nd_test_log_free) nd_test_log log;
    CU_ASSERT_EQUAL(read_source(path, &options, &log), ND_END);
    CU_ASSERT_STRING_EQUAL(
        (const char *)log.text.data,
        "! 0 page of more than 41943039 bytes, the limit (--max-page raises it)\n"
        "text u http://short/ short\n");
    CU_ASSERT_EQUAL(log.counts.other, 1);
    ND_OWNED(nd_reader_close) nd_reader *reader = NULL;
    nd_record page;
    ND_TEST_MUST(nd_reader_open(path, NULL, 0, file.size, NULL, &reader));
    ND_TEST_OK(nd_reader_next(reader, &page));
    CU_ASSERT_EQUAL(page.text.size, LONG);
    ND_TEST_OK(nd_reader_next(reader, &page));
    CU_ASSERT_EQUAL(page.text.size, 5);
    CU_ASSERT_EQUAL(nd_reader_next(reader, &page), ND_END);
}

/* ---- Real archives, good and malformed: every file ends in pages or in one clear message, and the
 * counts of records are those of an independent reader but for the exceptions listed here. */

/* Files whose count differs from the index, with the count that is right for this reader. */
static const struct {
    const char *file;
    uint64_t records;
    const char *reason;
} exceptions[] = {
    {"jwat/invalid-arcfile-record-then-garbage.arc", 2, "the garbage counts as one lost record"},
    {"aut/badexample.arc.gz", 9, "a record without a date, and three that are cut off"},
    {"jwat/invalid-truncated.gz", 2, "a text file, cut off: one page, and the cut"},
    {"jwat/sample.txt.gz", 1, "a text file: one page"},
    {"jwat/three-files.gz", 1, "a text file in three members: one page"},
    {"jwat/test-arc-1.0-dashed-fields.arc", 3,
     "the version record counts, and so do the blanks after the last record"},
    {"jwat/test-arc-1.0-invalid-fields.arc", 3,
     "the version record counts, and so do the blanks after the last record"},
    {"warcio/bad.arc", 3, "goes on after the bad header, where the index stops"},
    {"warcio/example-space-in-url.arc", 3,
     "the index lost the version record; the other one is cut off"},
    {"warcio/example-trunc.warc", 5, "bytes after a block that is too short: one lost record"},
    {"jwat/valid-warcfile-upper-lower-case.warc", 5,
     "the index lost two in which WARC is lower case"},
};

static uint64_t expected_records(const char *file, uint64_t index_records) {
    for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++) {
        if (strcmp(exceptions[i].file, file) == 0) {
            printf("%s: %" PRIu64 " records, the index has %" PRIu64 ": %s\n", file,
                   exceptions[i].records, index_records, exceptions[i].reason);
            return exceptions[i].records;
        }
    }
    return index_records;
}

static void check_crawl(const char *file, uint64_t index_records) {
    char name[600];
    nd_test_whole found;
    (void)snprintf(name, sizeof name, "crawl/%s", file);
    const char *path = nd_test_data(name);
    CU_ASSERT_PTR_NOT_NULL_FATAL(path);
    nd_test_read_whole(path, &found);
    if (found.opened) {
        const uint64_t expected = expected_records(file, index_records);
        if (found.counts.records != expected) {
            printf("%s: %" PRIu64 " records, not %" PRIu64 "\n", file, found.counts.records,
                   expected);
        }
        CU_ASSERT_EQUAL(found.counts.records, expected);
    } else {
        CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), file));
        CU_ASSERT_STRING_EQUAL(file, "jwat/invalid-magic.gz"); /* the only one of no use at all */
    }
    nd_test_whole_free(&found);
}

ND_TEST("counts match the index") {
    const char *index = nd_test_data("crawl/INDEX.tsv");
    if (index == NULL) {
        return;
    }
    FILE *file = fopen(index, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    char line[1024];
    unsigned files = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        char name[512];
        uint64_t bytes, members, warc, arc;
        if (sscanf(line, "%511[^\t]\t%" SCNu64 "\t%" SCNu64 "\t%" SCNu64 "\t%" SCNu64, name, &bytes,
                   &members, &warc, &arc) == 5) {
            check_crawl(name, warc + arc);
            files++;
        }
    }
    (void)fclose(file);
    CU_ASSERT_TRUE(files > 50);
}

/* One crawl stored in two formats. */
ND_TEST("ARC and WARC of one crawl agree") {
    nd_test_whole arc, warc;
    const char *path = nd_test_data("crawl/aut/example.arc.gz");
    if (path == NULL) {
        return;
    }
    nd_test_read_whole(path, &arc);
    nd_test_read_whole(nd_test_data("crawl/aut/example.warc.gz"), &warc);
    /* of the 140 HTML responses 46 are redirects or not found; 36 of plain text are pages too */
    CU_ASSERT(arc.html == 94 && warc.html == 94);
    CU_ASSERT_FATAL(arc.count == 94 + 36 && warc.count == arc.count);
    nd_sort(arc.texts, arc.count, sizeof *arc.texts, nd_test_by_u64);
    nd_sort(warc.texts, warc.count, sizeof *warc.texts, nd_test_by_u64);
    CU_ASSERT_EQUAL(memcmp(arc.texts, warc.texts, arc.count * sizeof *arc.texts), 0);
    nd_test_whole_free(&arc);
    nd_test_whole_free(&warc);
}

/* ---- What a record unpacks to beyond the limit is not left out of it: the record is refused,
 * once, as a whole, and what follows it in members of their own is read. */

enum { CONTENT = 70 << 20 };

/* \param[in] before, after  of so many blanks in one record
 * \param[in] good           a record after it, in a member of its own; "": none
 * \param[in] max_page       0: the usual one; else the record is longer than that, too */
static void check_too_large(const char *name, const char *before, const char *after,
                            const char *good, uint64_t max_page) {
    ND_OWNED(nd_buffer_free) nd_buffer content = {0};
    ND_OWNED(nd_buffer_free) nd_buffer packed = {0};
    ND_OWNED(nd_test_log_free) nd_test_log log;
    const nd_reader_options options = {.max_page_bytes = max_page};
    nd_buffer_reserve(&content, CONTENT + 1000);
    nd_buffer_append_text(&content, before);
    memset(content.data + content.size, ' ', CONTENT);
    content.size += CONTENT;
    nd_buffer_append_text(&content, after);
    nd_test_pack(&packed, ND_TEST_GZIP, nd_buffer_span(&content));
    if (good[0] != '\0') {
        nd_test_pack(&packed, ND_TEST_GZIP, nd_test_span(good));
    }
    char expected[256];
    (void)snprintf(expected, sizeof expected, "! 0 %s raises it)\n%s",
                   max_page > 0 ? "page of more than 1048576 bytes, the limit (--max-page"
                                : "record that unpacks to more than 200 times its bytes, the limit "
                                  "(--max-expansion",
                   good[0] != '\0' ? "good\n" : "");
    CU_ASSERT_TRUE(nd_test_logs(name, nd_buffer_span(&packed), &options, "t", expected, &log));
}

ND_TEST("page file") {
    check_too_large("x.html.gz", "<html>", "", "", 0);
}

ND_TEST("line") {
    check_too_large("x.jsonl.gz", "{\"text\":\"", "\"}\n", "", 0);
}

static void check_archive(const char *name, uint64_t max_page) {
    check_too_large(name,
                    "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://a/\r\n"
                    "Content-Type: text/plain\r\nContent-Length: 73400320\r\n\r\n",
                    "\r\n\r\n",
                    "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://b/\r\n"
                    "Content-Type: text/plain\r\nContent-Length: 4\r\n\r\ngood\r\n\r\n",
                    max_page);
}

ND_TEST("archive") {
    check_archive("x.warc.gz", 0);
}

/* It is too long by its header, and while it is passed over it unpacks to too much. */
ND_TEST("two limits") {
    check_archive("y.warc.gz", 1 << 20);
}

/* ---- each limit by itself */

static void check_limit(const char *name, nd_span bytes, const nd_reader_options *options,
                        const char *expected) {
    ND_OWNED(nd_test_log_free) nd_test_log log;
    CU_ASSERT_TRUE(nd_test_logs(name, bytes, options, "i", expected, &log));
}

/* Values of JSON: those in strings are none. */
ND_TEST("values of JSON") {
    enum { MEMORY = 64 << 20 };
    const nd_reader_options options = {.memory = MEMORY};
    const nd_record_limits limits = nd_record_limits_of(0, 0, MEMORY);
    const uint64_t most = limits.most[ND_LIMIT_JSON_VALUES];
    CU_ASSERT_FATAL(most < 1 << 22);
    for (int over = 0; over < 2; over++) {
        ND_OWNED(nd_buffer_free) nd_buffer line = {0};
        nd_test_print(&line, "{\"id\":\"1\",\"text\":\"a,[{\\\",,\",\"n\":[1");
        for (uint64_t i = 4; i < most + (uint64_t)over; i++) {
            nd_buffer_append(&line, ",1", 2);
        }
        nd_test_print(&line, "]}\n{\"id\":\"2\",\"text\":\"b\"}\n");
        char expected[256];
        (void)snprintf(expected, sizeof expected,
                       over == 0 ? "1\n2\n"
                                 : "! 0 JSON line of more than %llu values, the limit for this "
                                   "memory (--memory 1024M takes more)\n2\n",
                       (unsigned long long)most);
        check_limit("values.jsonl", nd_buffer_span(&line), &options, expected);
    }
}

ND_TEST("depth of JSON") {
    const nd_reader_options options = {0};
    ND_OWNED(nd_buffer_free) nd_buffer line = {0};
    const nd_record_limits limits = nd_record_limits_of(0, 0, 0);
    nd_test_print(&line, "{\"id\":\"1\",\"text\":\"a\",\"n\":");
    for (uint64_t i = 0; i < limits.most[ND_LIMIT_JSON_DEPTH]; i++) {
        nd_buffer_append(&line, "[", 1);
    }
    nd_test_print(&line, "\n{\"id\":\"2\",\"text\":\"b\"}\n");
    char expected[256];
    (void)snprintf(expected, sizeof expected,
                   "! 0 JSON line nested more than %llu deep, the limit\n2\n",
                   (unsigned long long)limits.most[ND_LIMIT_JSON_DEPTH]);
    check_limit("deep.jsonl", nd_buffer_span(&line), &options, expected);
}

/* Bytes that are no UTF-8 take three in its place: then a page is too long that was not. */
ND_TEST("text as UTF-8") {
    const nd_reader_options options = {.max_page_bytes = 100};
    static const char says[] =
        "! 0 page of more than 100 bytes, the limit (--max-page raises it)\n";
    char text[80];
    ND_OWNED(nd_buffer_free) nd_buffer file = {0};
    memset(text, 0xff, sizeof text - 1);
    text[sizeof text - 1] = '\0';
    nd_test_print(&file, "{\"id\":\"1\",\"text\":\"%.70s\"}\n", text);
    check_limit("bad.jsonl", nd_buffer_span(&file), &options, says);
    file.size = 0;
    nd_test_print(&file, "<html>%.70s", text);
    ND_OWNED(nd_buffer_free) nd_buffer warc = {0};
    nd_test_warc_record(&warc, "resource", "http://a/", "urn:1", "text/html; charset=utf-8",
                        nd_buffer_span(&file));
    check_limit("bad.warc", nd_buffer_span(&warc), &options, says);
    check_limit("bad.html", nd_buffer_span(&file), &options, says);
    /* and so may another charset: a character of Latin 1 takes two */
    file.size = warc.size = 0;
    memset(text, 0xe9, sizeof text - 1);
    nd_test_print(&file, "<html>%.70s", text);
    nd_test_warc_record(&warc, "resource", "http://a/", "urn:1", "text/html; charset=iso-8859-1",
                        nd_buffer_span(&file));
    check_limit("latin.warc", nd_buffer_span(&warc), &options, says);
}

/* An HTTP body: its codings, what they unpack to, and its header. */
ND_TEST("HTTP") {
    const nd_reader_options options = {.max_page_bytes = 5000};
    ND_OWNED(nd_buffer_free) nd_buffer block = {0}, warc = {0}, body = {0}, packed = {0};
    nd_test_http(&block, 200, "text/html", "Content-Encoding: gzip, gzip, gzip, gzip, gzip\r\n",
                 nd_test_span("x"));
    nd_test_warc_record(&warc, "response", "http://a/", "urn:1", "application/http",
                        nd_buffer_span(&block));
    for (int i = 0; i < 600; i++) {
        nd_test_print(&body, "<p>some text");
    }
    nd_test_pack(&packed, ND_TEST_GZIP, nd_buffer_span(&body));
    block.size = 0;
    nd_test_http(&block, 200, "text/html", "Content-Encoding: gzip\r\n", nd_buffer_span(&packed));
    nd_test_warc_record(&warc, "response", "http://b/", "urn:2", "application/http",
                        nd_buffer_span(&block));
    nd_test_warc_record(&warc, "conversion", "http://c/", "urn:3", "text/plain",
                        nd_test_span("good"));
    check_limit("codings.warc", nd_buffer_span(&warc), &options,
                "! 0 body in more than 4 content codings, the limit\n"
                "! 272 page of more than 5000 bytes, the limit (--max-page raises it)\nurn:3\n");
}
