/* What each call of a library or of the system that fails does to inputs and stores. */
#include "io/input/input_list.h"
#include "io/input/input_survey.h"
#include "io/input/reader.h"
#include "io/input/records.h"
#include "io/input/reread.h"
#include "io/store/external_sort.h"
#include "io/store/foreign_file.h"
#include "io/store/manifest.h"
#include "io/store/output_file.h"
#include "io/store/own_file.h"
#include "io/store/packing.h"
#include "io/store/page_store.h"
#include "io/store/spool.h"
#include "io/store/work_folder.h"
#include "tests/support/check.h"
#include "tests/support/failing_calls.h"
#include "tests/support/sources.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Reading inputs, walking over them, copying and reading again what they hold, and listing
 * them, with each call failing in turn: a failure is said, none is taken for damage of the input,
 * and where the work ends well it has given what it gives without failures. */

enum { MOST_PAGES = 64, PATH_BYTES = 1024 };

/* ---- sources */

/* A page and what a capture holds besides, in every coding and some charsets. */
static void make_crawl(nd_buffer *file, nd_test_packing packing) {
    static const char body[] = "<html><p>one page of a crawl, of a few words</p></html>";
    static const uint8_t brotli[] = {0x0b, 0x02, 0x80, 'h', 'e', 'l', 'l', 'o', 0x03};
    static const char *const headers[] = {"",
                                          "Content-Encoding: gzip\r\n",
                                          "Content-Encoding: zstd\r\n",
                                          "Content-Encoding: gzip, zstd\r\n",
                                          "Transfer-Encoding: chunked\r\n",
                                          "Content-Encoding: br\r\n"};
    ND_OWNED(nd_buffer_free) nd_buffer record = {0};
    ND_OWNED(nd_buffer_free) nd_buffer block = {0};
    nd_test_warc_record(&record, "warcinfo", "", "urn:info", "application/warc-fields",
                        nd_test_span("software: test\r\n"));
    nd_test_pack(file, packing, nd_buffer_span(&record));
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        ND_OWNED(nd_buffer_free) nd_buffer content = {0};
        ND_OWNED(nd_buffer_free) nd_buffer packed = {0};
        char url[64], id[64];
        (void)snprintf(url, sizeof url, "http://a.example/%zu", i);
        (void)snprintf(id, sizeof id, "urn:%zu", i);
        nd_test_pack(&content,
                     i == 1 || i == 3 ? ND_TEST_GZIP
                     : i == 2         ? ND_TEST_ZSTD
                                      : 0,
                     nd_test_span(body));
        nd_test_pack(&packed, i == 3 ? ND_TEST_ZSTD : 0, nd_buffer_span(&content));
        if (i == 4) {
            packed.size = 0;
            nd_test_print(&packed, "%zx\r\n%s\r\n0\r\n\r\n", strlen(body), body);
        }
        block.size = record.size = 0;
        nd_test_http(&block, 200, "text/html", headers[i],
                     i == 5 ? (nd_span){brotli, sizeof brotli} : nd_buffer_span(&packed));
        nd_test_warc_record(&record, "response", url, id, "application/http; msgtype=response",
                            nd_buffer_span(&block));
        nd_test_pack(file, packing, nd_buffer_span(&record));
    }
    block.size = record.size = 0;
    nd_test_http(&block, 200, "text/html; charset=windows-1252", "",
                 nd_test_span("<p>Stra\xdf"
                              "e, caf\xe9 und \x80</p>"));
    nd_test_warc_record(&record, "response", "http://a.example/latin", "urn:latin",
                        "application/http", nd_buffer_span(&block));
    nd_test_pack(file, packing, nd_buffer_span(&record));
    record.size = 0;
    nd_test_warc_record(&record, "request", "http://a.example/latin", "urn:request",
                        "application/http", nd_test_span("GET / HTTP/1.1\r\n\r\n"));
    nd_test_pack(file, packing, nd_buffer_span(&record));
    record.size = 0;
    nd_test_warc_record(&record, "conversion", "http://a.example/text", "urn:text", "text/plain",
                        nd_test_span("text alone\n"));
    nd_test_pack(file, packing, nd_buffer_span(&record));
    record.size = 0;
    nd_test_warc_record(&record, "resource", "http://a.example/guess", "urn:guess", "text/html",
                        nd_test_span("<p>\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0! "
                                     "\xdd\xf2\xee \xf2\xe5\xea\xf1\xf2 \xe1\xe5\xe7 "
                                     "\xec\xe5\xf2\xea\xe8</p>"));
    nd_test_pack(file, packing, nd_buffer_span(&record));
}

/* What says that it had what another capture had: pages without text, but for one whose HTTP shows
 * that it is none. */
static void make_revisits(nd_buffer *file, nd_test_packing packing) {
    static const char *const profiles[] = {
        "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n",
        "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified\r\n",
        "WARC-Profile: http://any.example/\r\n", ""};
    static const char *const blocks[] = {"",
                                         "HTTP/1.1 304 Not Modified\r\n\r\n",
                                         "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
                                         "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n",
                                         "HTTP/1.1 404 Not Found\r\n\r\n",
                                         "no HTTP"};
    ND_OWNED(nd_buffer_free) nd_buffer record = {0};
    for (size_t i = 0; i < 6; i++) {
        record.size = 0;
        nd_test_print(&record,
                      "WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Target-URI: http://a.example/%zu\r\n"
                      "WARC-Record-ID: <urn:r%zu>\r\nWARC-Date: 2020-01-02T00:00:00Z\r\n"
                      "WARC-Payload-Digest: sha1:ABC\r\nWARC-Refers-To: <urn:0>\r\n"
                      "WARC-Refers-To-Target-URI: http://a.example/0\r\n"
                      "WARC-Refers-To-Date: 2020-01-01T00:00:00Z\r\n%s"
                      "Content-Type: application/http\r\nContent-Length: %zu\r\n\r\n%s\r\n\r\n",
                      i, i, profiles[i % 4], strlen(blocks[i]), blocks[i]);
        nd_test_pack(file, packing, nd_buffer_span(&record));
    }
}

static void make_arc(nd_buffer *file, nd_test_packing packing) {
    ND_OWNED(nd_buffer_free) nd_buffer record = {0};
    ND_OWNED(nd_buffer_free) nd_buffer block = {0};
    nd_test_arc_record(&record, "filedesc://a.arc", "text/plain",
                       nd_test_span("1 0 test\nURL IP-address Archive-date Content-type "
                                    "Archive-length\n\n"));
    nd_test_pack(file, packing, nd_buffer_span(&record));
    for (int i = 0; i < 3; i++) {
        char url[64];
        (void)snprintf(url, sizeof url, "http://a.example/%d", i);
        block.size = record.size = 0;
        nd_test_http(&block, i == 1 ? 404 : 200, "text/html", "", nd_test_span("<p>an old page"));
        nd_test_arc_record(&record, url, "text/html", nd_buffer_span(&block));
        nd_test_pack(file, packing, nd_buffer_span(&record));
    }
}

static void make_lines(nd_buffer *file, nd_test_packing packing) {
    ND_OWNED(nd_buffer_free) nd_buffer lines = {0};
    nd_test_print(&lines, "{\"id\":\"1\",\"url\":\"http://a.example/1\",\"text\":\"one\"}\n"
                          "{\"id\":2,\"html\":\"<p>two \\u00e9\"}\n\nno JSON\n"
                          "{\"id\":\"\xff\",\"url\":\"\xfe\",\"text\":\"two \xc3\x28\"}\n"
                          "{\"id\":\"3\",\"text\":\"three\"}\n");
    nd_test_pack(file, packing, nd_buffer_span(&lines));
}

/* ---- what is there without failures */

/* Pages as text, in memory that is no part of what fails. */
typedef struct pages_text {
    size_t size;
    uint8_t bytes[1 << 14];
} pages_text;

static void add_bytes(pages_text *to, nd_span bytes) {
    CU_ASSERT_FATAL(bytes.size < sizeof to->bytes - to->size);
    memcpy(to->bytes + to->size, bytes.size > 0 ? bytes.data : to->bytes, bytes.size);
    to->size += bytes.size;
    to->bytes[to->size++] = '\n';
}

static void add_page(pages_text *to, const nd_record *record) {
    add_bytes(to, nd_test_span(record->content == ND_CONTENT_HTML ? "html" : "text"));
    add_bytes(to, record->id);
    add_bytes(to, record->url);
    add_bytes(to, record->text);
}

static uint64_t most_page; /* bytes of a page; 0: as is usual */
static struct {
    const char *path;
    char own[PATH_BYTES]; /* where that is written, unless it is a copy's */
    uint64_t bytes;
    pages_text text; /* of all pages, and of what is skipped */
    size_t first;    /* where the first page's begins */
    nd_reread_page pages[MOST_PAGES];
    nd_buffer names; /* their ids and URLs */
    size_t count;
} source;

static void print_skip(void *context, uint64_t offset, const char *reason) {
    char place[32];
    (void)snprintf(place, sizeof place, "! %llu", (unsigned long long)offset);
    add_bytes(context, nd_test_span(place));
    add_bytes(context, nd_test_span(reason));
}

static nd_status read_pages(pages_text *text, bool note) {
    nd_status st = ND_OK;
    ND_OWNED(nd_reader_close) nd_reader *reader = NULL;
    nd_record record;
    nd_source_shape shape;
    const nd_reader_options options = {
        .skip = print_skip, .skip_context = text, .max_page_bytes = most_page, .revisits = true};
    ND_TRY(nd_source_look(source.path, &options, &shape));
    ND_TRY(nd_reader_open(source.path, "file://a/b", 0, shape.bytes, &options, &reader));
    while ((st = nd_reader_next(reader, &record)) == ND_OK) {
        source.first = note && source.count == 0 ? text->size : source.first;
        add_page(text, &record);
        if (note) {
            nd_reread_page *page = &source.pages[source.count];
            *page = (nd_reread_page){.page = source.count,
                                     .name = nd_test_span(source.path),
                                     .bytes = source.bytes,
                                     .offset = record.offset,
                                     .checksum = record.checksum,
                                     .id = {NULL, record.id.size},
                                     .url = {NULL, record.url.size}};
            nd_buffer_append(&source.names, record.id.data, record.id.size);
            nd_buffer_append(&source.names, record.url.data, record.url.size);
            CU_ASSERT_FATAL(++source.count < MOST_PAGES);
        }
    }
    st = st == ND_END ? ND_OK : st;
out:
    return st;
}

static void use_source(const char *path, uint64_t bytes) {
    (void)snprintf(source.own, sizeof source.own, "%s", path);
    source.path = source.own;
    source.bytes = bytes;
    source.count = source.text.size = source.names.size = 0;
    ND_TEST_MUST(read_pages(&source.text, true));
    CU_ASSERT_FATAL(source.count > 0);
    const uint8_t *at = source.names.data;
    for (size_t i = 0; i < source.count; i++) {
        source.pages[i].id.data = at;
        source.pages[i].url.data = at + source.pages[i].id.size;
        at = source.pages[i].url.data + source.pages[i].url.size;
    }
}

/* ---- works */

static bool is_text_of_source(const pages_text *text) {
    return text->size == source.text.size &&
           memcmp(text->bytes, source.text.bytes, text->size) == 0;
}

static nd_status read_again(void) {
    pages_text text = {0};
    const nd_status st = read_pages(&text, false);
    CU_ASSERT(st != ND_OK || is_text_of_source(&text));
    return st;
}

/* All records in a copy, which then has the same pages. */
static nd_status copy_records(void) {
    nd_status st = ND_OK;
    nd_walk *walk = NULL;
    nd_record_copy *copy = NULL;
    nd_own_batch batch = {0};
    nd_walked walked;
    pages_text text = {0};
    char path[PATH_BYTES + 32], partial[PATH_BYTES + 64];
    const char *name = strrchr(source.path, '/');
    const nd_reader_options options = {.max_page_bytes = most_page};
    uint64_t begin = 0;
    size_t met = 0;
    (void)snprintf(path, sizeof path, "%s/copy-%s", nd_test_folder(), name + 1);
    (void)snprintf(partial, sizeof partial, "%s%s", path, ND_PARTIAL_SUFFIX);
    (void)unlink(path);
    ND_TRY(nd_walk_open(source.path, &options, &walk));
    const bool packed = nd_walk_form_of(walk) == ND_WALK_PACKED;
    if (nd_walk_form_of(walk) == ND_WALK_FILE) {
        goto out;
    }
    ND_TRY(nd_record_copy_open(source.path, packed, nd_walk_codec(walk), nd_walk_starts(walk), path,
                               &copy));
    for (;;) {
        const uint64_t page = met < source.count ? source.pages[met].offset : UINT64_MAX;
        st = nd_walk_next(walk, page, &walked);
        if (st != ND_OK) {
            break;
        }
        if (walked.begin > begin) {
            ND_TRY(nd_record_copy_range(copy, begin, walked.begin));
            begin = walked.begin;
        }
        if (walked.begin == page) {
            bool same = false;
            CU_ASSERT_EQUAL(walked.kind, ND_WALKED_RECORD);
            ND_TRY(nd_walk_compare(walk, &walked, source.pages[met].checksum, &same));
            CU_ASSERT_TRUE(same);
            if (met == 0) { /* each look opens the record's reader: the longest part of it all */
                ND_TRY(nd_walk_compare(walk, &walked, source.pages[met].checksum + 1, &same));
                CU_ASSERT_FALSE(same);
            }
            met++;
        }
    }
    if (st == ND_END) {
        CU_ASSERT_EQUAL(met, source.count);
        st = nd_record_copy_range(copy, begin, nd_walk_end(walk));
        CU_ASSERT(st != ND_OK || packed || nd_record_copy_bytes(copy) == source.bytes);
    }
out:
    nd_walk_close(&walk);
    const bool opened = copy != NULL;
    st = nd_record_copy_close(&copy, st, &batch, NULL);
    CU_ASSERT_PTR_NULL(copy);
    st = st == ND_OK ? nd_own_batch_publish(&batch) : st; /* a failure may come after the name */
    CU_ASSERT(st != ND_OK || (access(path, F_OK) == 0) == opened);
    CU_ASSERT_NOT_EQUAL(access(partial, F_OK), 0);
    if (opened && st == ND_OK) {
        source.path = path;
        st = read_pages(&text, false);
        CU_ASSERT(st != ND_OK || is_text_of_source(&text));
        source.path = source.own;
    }
    return st;
}

/* The pages one by one: in order, then the first once more. */
static nd_status reread_pages(void) {
    nd_status st = ND_OK;
    nd_reread reread;
    pages_text text = {0};
    struct stat info;
    const nd_reader_options options = {.max_page_bytes = most_page, .revisits = true};
    nd_reread_begin(&reread, "/result.h5", &options);
    ND_TRY(
        nd_reread_look("/result.h5", nd_test_span(source.path), source.bytes, &reread.path, &info));
    for (size_t i = 0; i <= source.count; i++) {
        const nd_reread_page *page = &source.pages[i % source.count];
        ND_TRY(nd_reread_record(&reread, page));
        CU_ASSERT_EQUAL(reread.record.checksum, page->checksum);
        CU_ASSERT_EQUAL(reread.record.offset, page->offset);
        if (i == 0) {
            add_page(&text, &reread.record);
        }
    }
    CU_ASSERT(memcmp(text.bytes, source.text.bytes + source.first, text.size) == 0);
out:
    nd_reread_close(&reread);
    return st == ND_ERR_CHANGED ? ND_ERR_INPUT : st; /* what cannot be had again is gone */
}

static void fail_source(const char *name, nd_buffer *file) {
    use_source(nd_test_write(name, nd_buffer_span(file)), file->size);
    CU_ASSERT(nd_test_all_failures(read_again, NULL) >= 5);
    CU_ASSERT(nd_test_all_failures(copy_records, NULL) >= 5);
    CU_ASSERT(nd_test_all_failures(reread_pages, NULL) >= 5);
    CU_ASSERT(nd_test_interrupted(read_again) >= 1);
    nd_buffer_free(file);
}

ND_TEST("archives") {
    nd_buffer file = {0};
    make_crawl(&file, ND_TEST_PLAIN);
    fail_source("a.warc", &file);
    make_crawl(&file, ND_TEST_GZIP);
    fail_source("a.warc.gz", &file);
    make_crawl(&file, ND_TEST_ZSTD);
    fail_source("a.warc.zst", &file);
    make_revisits(&file, ND_TEST_PLAIN);
    fail_source("r.warc", &file);
    make_revisits(&file, ND_TEST_GZIP);
    fail_source("r.warc.gz", &file);
    make_arc(&file, ND_TEST_GZIP);
    fail_source("a.arc.gz", &file);
    make_arc(&file, ND_TEST_PLAIN);
    fail_source("a.arc", &file);
}

ND_TEST("character sets") {
    nd_buffer file = {0};
    nd_test_make_charsets(&file, ND_TEST_PLAIN);
    fail_source("c.warc", &file);
    nd_test_make_charsets(&file, ND_TEST_ZSTD);
    fail_source("c.warc.zst", &file);
}

ND_TEST("dictionaries") {
    nd_buffer file = {0};
    nd_test_make_with_dictionary(&file, ND_TEST_PLAIN);
    fail_source("raw.warc.zst", &file);
    nd_test_make_with_dictionary(&file, ND_TEST_ZSTD);
    fail_source("packed.warc.zst", &file);
}

/* Damage costs what is damaged, wherever it is, and is none of the reader's failures. */
ND_TEST("damage") {
    nd_buffer file = {0};
    nd_test_make_damaged(&file, ND_TEST_PLAIN, 2, 2);
    fail_source("damaged.warc", &file);
    nd_test_make_damaged(&file, ND_TEST_GZIP_STORED, 0, 0); /* the magic of all */
    fail_source("damaged.warc.gz", &file);
    nd_test_make_damaged(&file, ND_TEST_GZIP_STORED, 2, 40);
    fail_source("wrong.warc.gz", &file);
}

ND_TEST("a long line") {
    nd_buffer file = {0};
    most_page = 100;
    nd_test_make_long_line(&file);
    fail_source("long.jsonl", &file);
    most_page = 0;
}

/* Packed at one go: records can be had only by reading from the start. */
ND_TEST("packed as a whole") {
    nd_buffer file = {0};
    ND_OWNED(nd_buffer_free) nd_buffer plain = {0};
    make_crawl(&plain, ND_TEST_PLAIN);
    nd_test_pack(&file, ND_TEST_GZIP, nd_buffer_span(&plain));
    fail_source("whole.warc.gz", &file);
    nd_test_pack(&file, ND_TEST_ZSTD, nd_buffer_span(&plain));
    fail_source("whole.warc.zst", &file);
    make_lines(&file, ND_TEST_GZIP);
    fail_source("whole.jsonl.gz", &file);
}

ND_TEST("lines and files") {
    nd_buffer file = {0};
    make_lines(&file, ND_TEST_PLAIN);
    fail_source("a.jsonl", &file);
    nd_test_pack(&file, ND_TEST_ZSTD, nd_test_span("<html><p>a page in a file</html>"));
    fail_source("a.html.zst", &file);
    nd_test_print(&file, "a text in a file");
    fail_source("a.txt", &file);
}

/* ---- lists of inputs, samples of them, what is said of those without pages */

static char inputs_folder[PATH_BYTES];

static void make_inputs(void) {
    ND_OWNED(nd_buffer_free) nd_buffer file = {0};
    ND_OWNED(nd_buffer_free) nd_buffer crawl = {0};
    const char *const names[] = {"archive/a.warc.gz", "archive/b.warc.gz"};
    make_crawl(&crawl, ND_TEST_GZIP);
    const nd_span parts[] = {nd_buffer_span(&crawl), nd_buffer_span(&crawl)};
    nd_test_wacz(&file, names, parts, 2, false);
    (void)snprintf(inputs_folder, sizeof inputs_folder, "%s/inputs", nd_test_folder());
    nd_test_must(mkdir(inputs_folder, 0777) == 0 ? ND_OK : ND_ERR_IO);
    (void)nd_test_write("inputs/a.wacz", nd_buffer_span(&file));
    (void)nd_test_write("inputs/b.warc.gz", nd_buffer_span(&crawl));
    (void)nd_test_write("inputs/c.warc.gz", nd_buffer_span(&crawl));
    (void)nd_test_write("inputs/d.html", nd_test_span("<html><p>one</html>"));
    (void)nd_test_write("inputs/e.css", nd_test_span("p { }"));
    file.size = 0;
    nd_test_print(&file, "# a list\nx=%s/*.html\n%s\n", inputs_folder, inputs_folder);
    (void)nd_test_write("list.txt", nd_buffer_span(&file));
}

static double sampled; /* pages, without failures */
static nd_status list_inputs(void) {
    nd_status st = ND_OK;
    nd_input_list list = {0};
    nd_input_sample sample;
    ND_OWNED(nd_buffer_free) nd_buffer url = {0};
    const nd_reader_options options = {0};
    char word[PATH_BYTES + 32];
    const char *const words[] = {word};
    (void)nd_fail(ND_OK, "%s", "");
    (void)snprintf(word, sizeof word, "@%s/list.txt", nd_test_folder());
    ND_TRY(nd_input_list_resolve(&list, words, 1));
    if (list.count == 5) { /* the WACZ as a source, which the run will name: it cannot be read */
        st = ND_ERR_INPUT;
        goto out;
    }
    CU_ASSERT_EQUAL(list.count, 6); /* the page in two collections, two archives, two parts */
    CU_ASSERT_EQUAL(list.collection_count, 2);
    CU_ASSERT_EQUAL(list.left_out, 1);
    ND_TRY(nd_input_list_skip_copies(&list));
    CU_ASSERT_EQUAL(list.count, 3);
    CU_ASSERT_EQUAL(list.repeated, 3);
    for (size_t i = 0; i < list.count; i++) {
        nd_input_url(&list, &list.inputs[i], &url);
    }
    ND_TRY(nd_input_sample_take(&list, &options, false, &sample));
    CU_ASSERT_EQUAL(sample.files, 3);
    sampled = sample.sampled > sampled ? sample.sampled : sampled;
    /* likewise: what cannot be read ends the look at its place, mostly with fewer pages */
    st = sample.sampled < sampled || nd_fail_text()[0] != '\0' ? ND_ERR_INPUT : ND_OK;
out:
    nd_input_list_free(&list);
    CU_ASSERT_EQUAL(list.count, 0);
    return st;
}

ND_TEST("inputs") {
    make_inputs();
    ND_TEST_OK(list_inputs());
    CU_ASSERT(nd_test_all_failures(list_inputs, NULL) >= 20);
}

/* ---- crawls that are written */

static nd_record_format format;

static nd_status write_crawl(void) {
    nd_status st = ND_OK;
    nd_record_writer *writer = NULL;
    char path[PATH_BYTES];
    const nd_written_page page = {nd_test_span("urn:1"), nd_test_span("http://a.example/\"1\""),
                                  nd_test_span("<p>one\n\x01</p>")};
    (void)snprintf(path, sizeof path, "%s/written%s", nd_test_folder(), nd_record_suffix(format));
    (void)unlink(path);
    ND_TRY(nd_record_writer_open(path, format, &writer));
    ND_TRY(nd_record_writer_add(writer, &page));
    ND_TRY(nd_record_writer_add(writer, &page));
out:
    st = nd_record_writer_close(&writer, st);
    /* Where its folder cannot be synced, after the file, it has its name already. */
    const bool there = access(path, F_OK) == 0;
    const bool named = st == ND_OK || strstr(nd_fail_text(), "/: cannot sync") != NULL ||
                       strstr(nd_fail_text(), "injected fault: sync, call 2") != NULL;
    CU_ASSERT(there == named);
    return st;
}

ND_TEST("written") {
    format = ND_RECORD_WARC;
    CU_ASSERT(nd_test_all_failures(write_crawl, NULL) >= 10);
    format = ND_RECORD_JSONL;
    CU_ASSERT(nd_test_all_failures(write_crawl, NULL) >= 10);
}

/* By what a revisit is found depends on its profile; what is no page by its HTTP is none. */
ND_TEST("revisits") {
    static const bool by_digest[] = {true, false, false, false, true, false};
    static const bool by_name[] = {true, true, false, true, true, true};
    ND_OWNED(nd_buffer_free) nd_buffer file = {0};
    nd_reader *reader = NULL;
    nd_record record;
    nd_reader_counts counts;
    make_revisits(&file, ND_TEST_PLAIN);
    const nd_reader_options given = {.revisits = true};
    const nd_reader_options others = {.revisits = false};
    const char *path = nd_test_write("revisits.warc", nd_buffer_span(&file));
    ND_TEST_MUST(nd_reader_open(path, "", 0, file.size, &given, &reader));
    const size_t pages[] = {0, 1, 2, 5};
    for (size_t k = 0; k < 4; k++) {
        const size_t i = pages[k];
        ND_TEST_MUST(nd_reader_next(reader, &record));
        CU_ASSERT(record.revisit && record.text.size == 0 && record.date == 1577923200);
        CU_ASSERT_EQUAL(record.id.data[record.id.size - 1], '0' + i);
        CU_ASSERT_EQUAL(record.claim.payload != 0, by_digest[i]);
        CU_ASSERT_EQUAL(record.claim.refers_id != 0, by_name[i]);
        CU_ASSERT_EQUAL(record.claim.refers_place != 0, by_name[i]);
    }
    CU_ASSERT_EQUAL(nd_reader_next(reader, &record), ND_END);
    nd_reader_get_counts(reader, &counts);
    CU_ASSERT(counts.pages == 4 && counts.other == 2 && counts.revisits == 6);
    nd_reader_close(&reader);
    ND_TEST_MUST(nd_reader_open(path, "", 0, file.size, &others, &reader));
    CU_ASSERT_EQUAL(nd_reader_next(reader, &record), ND_END);
    nd_reader_get_counts(reader, &counts);
    CU_ASSERT(counts.pages == 0 && counts.other == 6 && counts.revisits == 6);
    nd_reader_close(&reader);
}

/* ---- The program's own files and the memory behind them, with each call failing in turn: a
 * failure is said, names with a final meaning are there only when their files are complete, and
 * where the work ends well it has kept what was given. */

/* `name` in the folder of the tests, in one of a few buffers. */
static const char *at(const char *name) {
    static char paths[4][PATH_BYTES];
    static size_t turn;
    char *path = paths[turn++ % 4];
    (void)snprintf(path, PATH_BYTES, "%s/%s", nd_test_folder(), name);
    return path;
}

/* ---- pages in memory and in files */

enum { PAGES = 40, TOKENS = 30, SENTENCES = 3 };

static void fill_page(size_t i, nd_stored_page *page, uint32_t *tokens,
                      nd_sentence_digest *sentences) {
    *page = (nd_stored_page){.token_count = TOKENS, .sentence_count = SENTENCES};
    memset(sentences, 0, SENTENCES * sizeof *sentences);
    for (size_t k = 0; k < TOKENS; k++) {
        tokens[k] = (uint32_t)(i * TOKENS + k);
    }
    for (size_t k = 0; k < SENTENCES; k++) {
        sentences[k].token_count = TOKENS / SENTENCES;
    }
}

static nd_status choose_first(void *context, size_t index, const nd_document *document,
                              bool *keep) {
    (void)context;
    keep[0] = index % 2 == 0 && document->sentence_count == SENTENCES;
    return ND_OK;
}

static nd_status keep_pages(void) {
    nd_status st = ND_OK;
    nd_spool_folder folder = {.path = at("spill")};
    ND_OWNED(nd_page_store_free) nd_page_store store = {.folder = &folder, .memory = 6000};
    nd_stored_page page;
    uint32_t tokens[TOKENS];
    nd_sentence_digest sentences[SENTENCES];
    nd_document document;
    nd_page_claim claim = {.payload = 7}, found;
    nd_span id, url;
    for (size_t i = 0; i < PAGES; i++) {
        fill_page(i, &page, tokens, sentences);
        ND_TRY(nd_page_store_append(&store, &page, tokens, sentences, nd_test_span("id"),
                                    nd_test_span("http://a/")));
        ND_TRY(nd_page_store_append_claim(&store, &claim));
    }
    ND_TRY(nd_page_store_select(&store, choose_first, NULL, NULL));
    for (size_t i = 0; i < PAGES; i++) {
        fill_page(i, &page, tokens, sentences);
        ND_TRY(nd_page_store_document(&store, i, &document));
        CU_ASSERT_EQUAL(document.token_count, i % 2 == 0 ? TOKENS / SENTENCES : 0);
        CU_ASSERT(document.token_count == 0 ||
                  memcmp(document.tokens, tokens, document.token_count * sizeof *tokens) == 0);
        ND_TRY(nd_page_store_names(&store, i, &id, &url));
        CU_ASSERT(id.size == 2 && nd_test_is(url, "http://a/"));
        ND_TRY(nd_page_store_claim(&store, i, &found));
        CU_ASSERT_EQUAL(found.payload, 7);
    }
out:
    return st;
}

ND_TEST("pages") {
    CU_ASSERT(nd_test_all_failures(keep_pages, NULL) >= nd_test_rounds(30));
}

/* ---- texts sorted in a file */

static nd_status sort_lines(void) {
    enum { LINES = 3000 };
    nd_status st = ND_OK;
    nd_line_sort *sort = NULL;
    nd_span text;
    uint64_t number = 0;
    char line[256];
    nd_line_sort_open(1, &sort);
    for (uint64_t i = 0; i < LINES; i++) {
        (void)snprintf(line, sizeof line, "%0200d", (int)(i * 7 % LINES));
        ND_TRY(nd_line_sort_add(sort, nd_test_span(line), i));
    }
    for (int i = 0; i < LINES; i++) {
        (void)snprintf(line, sizeof line, "%0200d", i);
        ND_TRY(nd_line_sort_next(sort, &text, &number));
        CU_ASSERT(text.size == 200 && memcmp(text.data, line, 200) == 0);
        CU_ASSERT_EQUAL(number * 7 % LINES, (uint64_t)i);
    }
    CU_ASSERT(nd_line_sort_runs(sort) > 1);
    st = nd_line_sort_next(sort, &text, &number) == ND_END ? ND_OK : ND_ERR_INTERNAL;
out:
    nd_line_sort_close(&sort);
    return st;
}

ND_TEST("lines") {
    CU_ASSERT(nd_test_all_failures(sort_lines, NULL) >= 20);
}

/* ---- manifests */

static nd_status write_manifest(void) {
    nd_status st = ND_OK;
    nd_manifest manifest = {0}, other = {0};
    ND_OWNED(nd_buffer_free) nd_buffer text = {0}, again = {0};
    const char **files = NULL;
    bool found = false;
    size_t count = 0;
    const nd_manifest_piece piece = {.count = 5, .checksum = 77, .generation = 1};
    const char *path = at("manifest.json");
    nd_manifest_set_stage(&manifest, "sign");
    nd_manifest_set_number(&manifest, "pages", 7);
    nd_manifest_set_text(&manifest, "text", "of \"one\"");
    nd_manifest_set_text(&manifest, "text", "of two");
    ND_TRY(nd_manifest_add_piece(&manifest, "pages", 16, &piece));
    ND_TRY(nd_manifest_merge(&other, &manifest, true));
    nd_manifest_set_stage(&other, "sign");
    ND_TRY(nd_manifest_arrange(&other));
    files = nd_manifest_files(&other);
    CU_ASSERT_STRING_EQUAL(files[0], "checkpoint-1-pages-0-0");
    ND_TRY(nd_manifest_format(&other, &text));
    ND_TRY(nd_manifest_write(nd_buffer_span(&text), path));
    ND_TRY(nd_manifest_read(&again, path, &found));
    CU_ASSERT(found && again.size == text.size && memcmp(again.data, text.data, text.size) == 0);
    nd_manifest_free(&manifest);
    ND_TRY(nd_manifest_parse(&manifest, nd_buffer_span(&again), path));
    CU_ASSERT_EQUAL(nd_manifest_find(&manifest, "pages")->number, 7);
    CU_ASSERT_STRING_EQUAL(nd_manifest_find(&manifest, "text")->text, "of two");
    CU_ASSERT_EQUAL(nd_manifest_array(&manifest, "pages", &count)->checksum, 77);
    CU_ASSERT_EQUAL(count, 1);
out:
    free(files);
    nd_manifest_free(&manifest);
    nd_manifest_free(&other);
    return st;
}

/* What is there of that name is whole. */
static void check_manifest(void) {
    ND_OWNED(nd_manifest_free) nd_manifest manifest = {0};
    ND_OWNED(nd_buffer_free) nd_buffer text = {0};
    bool found = false;
    const char *path = at("manifest.json");
    ND_TEST_OK(nd_manifest_read(&text, path, &found));
    CU_ASSERT(!found || nd_manifest_parse(&manifest, nd_buffer_span(&text), path) == ND_OK);
    (void)unlink(path);
}

ND_TEST("manifests") {
    CU_ASSERT(nd_test_all_failures(write_manifest, check_manifest) >= 20);
}

/* ---- work folders */

static nd_status use_folder(void) {
    nd_status st = ND_OK;
    nd_work_folder folder = {0};
    uint64_t bytes = 0;
    char path[ND_WORK_PATH_SIZE], name[NAME_MAX + 1];
    int descriptor = -1;
    ND_TRY(nd_work_folder_open(&folder, at("work")));
    ND_TRY(nd_work_folder_lock(&folder));
    ND_TRY(nd_work_folder_free_bytes(&folder, &bytes));
    CU_ASSERT(bytes > 0);
    for (int rank = 0; rank < 2; rank++) {
        nd_work_folder_part(1, "pages", rank, 3, name);
        nd_work_folder_join(&folder, name, path);
        ND_TRY(nd_own_file_remake(path, &descriptor));
        (void)close(descriptor);
    }
    const char *const kept[] = {"checkpoint-1-pages-0-3"};
    ND_TRY(nd_work_folder_remove(&folder, kept, 1, true));
    CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0);
    nd_work_folder_join(&folder, kept[0], path);
    CU_ASSERT_EQUAL(access(path, F_OK), 0);
    nd_work_folder_unlock(&folder);
out:
    nd_work_folder_close(&folder);
    return st;
}

/* What was left can be taken again, and goes at last. */
static void clear_folder(void) {
    nd_work_folder folder = {0};
    ND_TEST_OK(nd_work_folder_open(&folder, at("work")));
    ND_TEST_OK(nd_work_folder_lock(&folder));
    nd_work_folder_discard(&folder);
    CU_ASSERT_NOT_EQUAL(access(at("work"), F_OK), 0);
}

static nd_status discard_folder(void) {
    nd_status st = ND_OK;
    nd_work_folder folder = {0};
    ND_TRY(nd_work_folder_open(&folder, at("work")));
    ND_TRY(nd_work_folder_lock(&folder));
    nd_work_folder_discard(&folder); /* what cannot be removed stays */
out:
    nd_work_folder_close(&folder);
    return st;
}

ND_TEST("work folders") {
    CU_ASSERT(nd_test_all_failures(use_folder, clear_folder) >= 10);
    clear_folder();
    CU_ASSERT(nd_test_all_failures(discard_folder, clear_folder) >= 5);
    clear_folder();
}

/* ---- files that get their names */

static nd_status save_files(void) {
    nd_status st = ND_OK;
    char bytes[8] = "";
    uint64_t size = 0;
    int descriptor = -1;
    (void)unlink(at("copy"));
    ND_TRY(nd_own_file_save(at("saved"), "1234567", 8));
    ND_TRY(nd_own_file_take(at("saved"), at("copy")));
    ND_TRY(nd_own_file_open(at("copy"), &descriptor, &size));
    CU_ASSERT_EQUAL(size, 8);
    ND_TRY(nd_own_file_read(descriptor, "copy", 0, bytes, sizeof bytes));
    CU_ASSERT_STRING_EQUAL(bytes, "1234567");
    ND_TRY(nd_own_file_sync(at("copy")));
out:
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
    return st == ND_END ? nd_fail(ND_ERR_IO, "nothing of that name") : st;
}

static void check_saved(void) {
    struct stat info;
    CU_ASSERT(stat(at("saved"), &info) != 0 || info.st_size == 8);
    CU_ASSERT(stat(at("copy"), &info) != 0 || info.st_size == 8);
    CU_ASSERT_NOT_EQUAL(access(at("saved.partial"), F_OK), 0);
    (void)unlink(at("saved"));
    (void)unlink(at("copy"));
}

/* A file that a killed run left under the name that is made anew; others may have it too. */
static nd_status replace_left(void) {
    struct stat info;
    int descriptor = -1;
    (void)unlink(at("left"));
    (void)link(at("kept"), at("left"));
    const nd_status st = nd_own_file_remake(at("left"), &descriptor);
    if (st == ND_OK) {
        CU_ASSERT(fstat(descriptor, &info) != 0 || info.st_size == 0);
        (void)close(descriptor);
    }
    return st;
}

static char elsewhere[64]; /* a folder on another file system, where there is one */
static const char *copy_elsewhere(void) {
    static char path[sizeof elsewhere + 8];
    (void)snprintf(path, sizeof path, "%s/copy", elsewhere);
    return path;
}

static nd_status take_elsewhere(void) {
    (void)unlink(copy_elsewhere());
    return nd_own_file_take(at("kept"), copy_elsewhere());
}

static void check_elsewhere(void) {
    struct stat info;
    CU_ASSERT(stat(copy_elsewhere(), &info) != 0 || info.st_size == 4);
    CU_ASSERT(stat(at("kept"), &info) == 0 && info.st_size == 4);
    (void)unlink(copy_elsewhere());
}

static nd_status publish_folder(void) {
    char from[PATH_BYTES], to[PATH_BYTES];
    (void)snprintf(from, sizeof from, "%s", at("made.partial"));
    (void)snprintf(to, sizeof to, "%s", at("made"));
    (void)rmdir(to);
    (void)rmdir(from);
    nd_output_lock lock = {0};
    const nd_status st = nd_output_folder("-o", from, &lock);
    nd_output_release(&lock);
    return st == ND_OK ? nd_own_folder_publish(from, to) : st;
}

static bool never(const char *path) {
    (void)path;
    return false;
}

static nd_status check_output(void) {
    const nd_output fresh = {"-o", at("fresh.h5"), false, never, "a result"};
    const nd_output forced = {"-o", at("old.h5"), true, never, "a result"};
    const nd_status st = nd_output_check(&fresh);
    CU_ASSERT_NOT_EQUAL(access(fresh.path, F_OK), 0);
    return st == ND_OK ? nd_output_check(&forced) : st;
}

ND_TEST("own files") {
    CU_ASSERT(nd_test_all_failures(save_files, check_saved) >= 10);
    CU_ASSERT(nd_test_interrupted(save_files) >= 3);
    CU_ASSERT(nd_test_all_failures(publish_folder, NULL) >= 3);
    (void)nd_test_write("kept", nd_test_span("kept"));
    CU_ASSERT(nd_test_all_failures(replace_left, NULL) >= 3);
    (void)snprintf(elsewhere, sizeof elsewhere, "/dev/shm/neardup-test.XXXXXX");
    if (mkdtemp(elsewhere) != NULL) {
        CU_ASSERT(nd_test_all_failures(take_elsewhere, check_elsewhere) >= 1);
        check_elsewhere();
        CU_ASSERT_EQUAL(rmdir(elsewhere), 0);
    }
    (void)nd_test_write("old.h5", nd_test_span("old"));
    CU_ASSERT(nd_test_all_failures(check_output, NULL) >= 3);
    CU_ASSERT_EQUAL(access(at("old.h5"), F_OK), 0);
}

/* ---- names of outputs, and a WACZ */

static nd_status read_wacz(void) {
    nd_status st = ND_OK;
    ND_OWNED(nd_wacz_free) nd_wacz wacz = {0};
    struct stat info;
    const char *path = at("a.wacz");
    const int descriptor = open(path, O_RDONLY, 0);
    if (descriptor < 0 || fstat(descriptor, &info) != 0) {
        st = nd_fail(ND_ERR_IO, "no WACZ");
        goto out;
    }
    ND_TRY(nd_wacz_read(path, descriptor, (uint64_t)info.st_size, &wacz));
    CU_ASSERT(wacz.count == 2 && strcmp(wacz.parts[1].name, "archive/b.warc.gz") == 0);
out:
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
    return st;
}

ND_TEST("names") {
    ND_OWNED(nd_buffer_free) nd_buffer file = {0};
    const char *const names[] = {"archive/a.warc.gz", "archive/b.warc.gz"};
    const nd_span parts[] = {nd_test_span("one"), nd_test_span("two")};
    nd_test_wacz(&file, names, parts, 2, true);
    (void)nd_test_write("a.wacz", nd_buffer_span(&file));
    CU_ASSERT(nd_test_all_failures(read_wacz, NULL) >= 5);
    CU_ASSERT(nd_test_interrupted(read_wacz) >= 2);
}
