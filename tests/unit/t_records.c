/* Records copied, written, and read again. */
#include "io/input/reader.h"
#include "io/input/records.h"
#include "io/input/reread.h"
#include "io/store/own_file.h"
#include "tests/support/check.h"
#include "tests/support/sources.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Parts of sources in new files: as they lie there, or packed again where only that gives
 * them; our own records between them; long ones in steps; and sources that have become shorter. */

enum { LONG = 20 << 20 };
static char copy_path[512];

static nd_record_copy *begin(const char *source, bool packed, nd_codec codec) {
    nd_record_copy *copy = NULL;
    (void)snprintf(copy_path, sizeof copy_path, "%s/copy", nd_test_folder());
    (void)unlink(copy_path);
    ND_TEST_MUST(nd_record_copy_open(source, packed, codec, NULL, copy_path, &copy));
    CU_ASSERT_NOT_EQUAL(access(copy_path, F_OK), 0); /* not before it is complete */
    return copy;
}

/* Complete the file, and give it its name. */
static nd_status finish(nd_record_copy **copy, nd_status st) {
    nd_own_batch batch = {0};
    st = nd_record_copy_close(copy, st, &batch, NULL);
    CU_ASSERT_NOT_EQUAL(access(copy_path, F_OK), 0);
    return st != ND_OK ? st : nd_own_batch_publish(&batch);
}

/* Text of a length that is of no step, which does not pack well. */
static nd_buffer long_text(void) {
    nd_buffer text = {0};
    nd_buffer_reserve(&text, LONG);
    for (size_t i = 0; i < LONG; i += 8) {
        const uint64_t word = nd_mix64(i) & UINT64_C(0x0f0f0f0f0f0f0f0f);
        memcpy(text.data + i, &word, 8);
    }
    text.size = LONG - 3;
    return text;
}

static bool is_copy(nd_span expected) {
    ND_OWNED(nd_buffer_free) nd_buffer file = nd_test_read(copy_path);
    return file.size == expected.size && memcmp(file.data, expected.data, file.size) == 0;
}

/* What the file unpacks to, whatever its members are. */
static bool unpacks_to(nd_span expected) {
    ND_OWNED(nd_buffer_free) nd_buffer found = {0};
    nd_member_state state = ND_MEMBER_DONE;
    nd_file_window file;
    nd_member_decoder *decoder = NULL;
    ND_TEST_MUST(nd_file_window_open(&file, copy_path));
    nd_span bytes;
    ND_TEST_MUST(nd_file_window_at(&file, 0, 4, &bytes));
    ND_TEST_MUST(nd_member_open(nd_codec_of(bytes), &file, NULL, &decoder));
    uint64_t next = 0;
    while (next < file.file_bytes && state != ND_MEMBER_DAMAGED) {
        nd_member_begin(decoder, next, true);
        do {
            ND_TEST_MUST(nd_member_more(decoder, 1 << 20, &found, &state));
        } while (state == ND_MEMBER_MORE);
        next = nd_member_next(decoder);
    }
    nd_member_close(&decoder);
    nd_file_window_close(&file);
    return state == ND_MEMBER_DONE && found.size == expected.size &&
           (found.size == 0 || memcmp(found.data, expected.data, found.size) == 0);
}

ND_TEST("as they lie") {
    ND_OWNED(nd_buffer_free) nd_buffer text = long_text(), expected = {0};
    const char *source = nd_test_write("source", nd_buffer_span(&text));
    nd_record_copy *copy = begin(source, false, ND_CODEC_PLAIN);
    ND_TEST_OK(nd_record_copy_range(copy, 5, 10));
    ND_TEST_OK(nd_record_copy_add(copy, nd_test_span("own")));
    ND_TEST_OK(nd_record_copy_range(copy, 100, text.size));
    CU_ASSERT_EQUAL(nd_record_copy_bytes(copy), 5 + 3 + text.size - 100);
    ND_TEST_OK(finish(&copy, ND_OK));
    nd_buffer_append(&expected, text.data + 5, 5);
    nd_buffer_append_text(&expected, "own");
    nd_buffer_append(&expected, text.data + 100, text.size - 100);
    CU_ASSERT_TRUE(is_copy(nd_buffer_span(&expected)));
}

/* Our own records among those of a compressed source are members of their own. */
ND_TEST("added") {
    for (int codec = ND_CODEC_GZIP; codec <= ND_CODEC_ZSTD; codec++) {
        const nd_test_packing packing = codec == ND_CODEC_GZIP ? ND_TEST_GZIP : ND_TEST_ZSTD;
        ND_OWNED(nd_buffer_free) nd_buffer file = {0}, text = long_text(), expected = {0};
        nd_test_pack(&file, packing, nd_test_span("one "));
        const size_t second = file.size;
        nd_test_pack(&file, packing, nd_test_span("two "));
        const char *source = nd_test_write("source", nd_buffer_span(&file));
        nd_record_copy *copy = begin(source, false, (nd_codec)codec);
        ND_TEST_OK(nd_record_copy_add(copy, nd_test_span("own ")));
        ND_TEST_OK(nd_record_copy_range(copy, second, file.size));
        ND_TEST_OK(nd_record_copy_add(copy, nd_buffer_span(&text)));
        ND_TEST_OK(nd_record_copy_add(copy, nd_test_span("own ")));
        ND_TEST_OK(finish(&copy, ND_OK));
        nd_buffer_append_text(&expected, "own two ");
        nd_buffer_append(&expected, text.data, text.size);
        nd_buffer_append_text(&expected, "own ");
        CU_ASSERT_TRUE(unpacks_to(nd_buffer_span(&expected)));
    }
}

/* Of a source that is packed at one go places are unpacked bytes, and what is left is packed. */
ND_TEST("packed again") {
    for (int codec = ND_CODEC_GZIP; codec <= ND_CODEC_ZSTD; codec++) {
        ND_OWNED(nd_buffer_free) nd_buffer file = {0}, text = long_text(), expected = {0};
        nd_test_pack(&file, codec == ND_CODEC_GZIP ? ND_TEST_GZIP : ND_TEST_ZSTD,
                     nd_buffer_span(&text));
        const char *source = nd_test_write("source", nd_buffer_span(&file));
        nd_record_copy *copy = begin(source, true, (nd_codec)codec);
        ND_TEST_OK(nd_record_copy_range(copy, 7, 11));
        ND_TEST_OK(nd_record_copy_add(copy, nd_test_span("own")));
        ND_TEST_OK(nd_record_copy_range(copy, 1 << 20, text.size));
        ND_TEST_OK(finish(&copy, ND_OK));
        nd_buffer_append(&expected, text.data + 7, 4);
        nd_buffer_append_text(&expected, "own");
        nd_buffer_append(&expected, text.data + (1 << 20), text.size - (1 << 20));
        CU_ASSERT_TRUE(unpacks_to(nd_buffer_span(&expected)));
        copy = begin(source, true, (nd_codec)codec);
        CU_ASSERT_EQUAL(nd_record_copy_range(copy, 0, LONG), ND_ERR_CHANGED);
        CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "has become shorter while it was copied"));
        CU_ASSERT_EQUAL(finish(&copy, ND_ERR_CHANGED), ND_ERR_CHANGED);
        CU_ASSERT_NOT_EQUAL(access(copy_path, F_OK), 0);
    }
}

ND_TEST("shorter") {
    const char *source = nd_test_write("source", nd_test_span("0123456789"));
    nd_record_copy *copy = begin(source, false, ND_CODEC_PLAIN);
    char partial[600];
    (void)snprintf(partial, sizeof partial, "%s%s", copy_path, ND_PARTIAL_SUFFIX);
    CU_ASSERT_EQUAL(access(partial, F_OK), 0);
    CU_ASSERT_EQUAL(nd_record_copy_range(copy, 0, 11), ND_ERR_CHANGED);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), source));
    CU_ASSERT_EQUAL(finish(&copy, ND_ERR_CHANGED), ND_ERR_CHANGED);
    CU_ASSERT_NOT_EQUAL(access(copy_path, F_OK), 0);
    CU_ASSERT_NOT_EQUAL(access(partial, F_OK), 0);
    CU_ASSERT_PTR_NULL(copy);
    CU_ASSERT_EQUAL(finish(&copy, ND_ERR_CHANGED), ND_ERR_CHANGED);
    CU_ASSERT_EQUAL(
        nd_record_copy_open("/no/such/source", false, ND_CODEC_PLAIN, NULL, copy_path, &copy),
        ND_ERR_INPUT);
    CU_ASSERT_PTR_NULL(copy);
}

/* Nothing is left: of a compressed source there is a member of nothing, of another no file. */
ND_TEST("nothing is left") {
    for (int codec = ND_CODEC_PLAIN; codec <= ND_CODEC_ZSTD; codec++) {
        for (int packed = 0; packed <= (codec != ND_CODEC_PLAIN); packed++) {
            ND_OWNED(nd_buffer_free) nd_buffer file = {0};
            nd_own_batch batch = {0};
            bool made = false;
            if (codec == ND_CODEC_PLAIN) {
                nd_test_print(&file, "one ");
            } else {
                nd_test_pack(&file, codec == ND_CODEC_GZIP ? ND_TEST_GZIP : ND_TEST_ZSTD,
                             nd_test_span("one "));
            }
            const char *source = nd_test_write("source", nd_buffer_span(&file));
            nd_record_copy *copy = begin(source, packed != 0, (nd_codec)codec);
            ND_TEST_OK(nd_record_copy_close(&copy, ND_OK, &batch, &made));
            CU_ASSERT_EQUAL(made, codec != ND_CODEC_PLAIN);
            CU_ASSERT_EQUAL(batch.count, made);
            ND_TEST_OK(nd_own_batch_publish(&batch));
            CU_ASSERT_EQUAL(access(copy_path, F_OK) == 0, made);
            CU_ASSERT(!made || unpacks_to((nd_span){0}));
        }
    }
}

/* ---- Walks over records, where the memory is limited. */

static const nd_reader_options no_bound = {.memory = 0};

/* Walk over a source until a page is met, at that place; or past all that is in it.
 * \param[in] kind  what is to be there */
static nd_status walk_to(const char *path, const nd_reader_options *options, uint64_t page,
                         nd_walked_kind kind) {
    nd_status st = ND_OK;
    ND_OWNED(nd_walk_close) nd_walk *walk = NULL;
    nd_walked walked = {.begin = UINT64_MAX};
    ND_TRY(nd_walk_open(path, options, &walk));
    while (st == ND_OK && walked.begin != page) {
        st = nd_walk_next(walk, page, &walked);
    }
    CU_ASSERT_TRUE(st != ND_OK || walked.kind == kind);
out:
    return st;
}

/* The second record's frame asks for a window that the memory cannot hold. */
ND_TEST("window") {
    ND_OWNED(nd_buffer_free) nd_buffer file = {0};
    ND_OWNED(nd_buffer_free) nd_buffer record = {0};
    const nd_reader_options options = {.memory = 64 << 20};
    nd_test_warc_record(&record, "conversion", "http://c/", "urn:c", "text/plain",
                        nd_test_span("text"));
    nd_test_pack(&file, ND_TEST_ZSTD, nd_buffer_span(&record));
    const size_t page = file.size;
    nd_test_pack(&file, ND_TEST_ZSTD, nd_buffer_span(&record));
    CU_ASSERT_EQUAL(file.data[page + 4], 0x20); /* one segment: the byte after it is the size */
    file.data[page + 4] = 0;                    /* several: it is the window */
    file.data[page + 5] = (26 - 10) << 3;
    const char *path = nd_test_write("window.warc.zst", nd_buffer_span(&file));
    CU_ASSERT_EQUAL(walk_to(path, &options, page, ND_WALKED_RECORD), ND_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(nd_fail_text(), "cannot be read again: zstd frame with a window"));
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "--memory 1024M takes more"));
    ND_TEST_OK(walk_to(path, &no_bound, page, ND_WALKED_RECORD));
}

/* A line that the memory cannot hold is none of a walk's pages: where the run had one, this is said
 * with the cure. */
ND_TEST("line") {
    enum { LINE = 3 << 19, NEXT = LINE + 10 };
    ND_OWNED(nd_buffer_free) nd_buffer file = {0};
    const nd_reader_options options = {.memory = 12 << 20};
    nd_test_print(&file, "{\"text\":\"%*s\"}\n", 1, "x");
    const size_t page = file.size;
    nd_buffer_append_text(&file, "{\"text\":\"");
    nd_buffer_reserve(&file, NEXT);
    memset(file.data + file.size, 'x', LINE);
    file.size += LINE;
    nd_buffer_append_text(&file, "\"}\n");
    const char *path = nd_test_write("line.jsonl", nd_buffer_span(&file));
    CU_ASSERT_EQUAL(walk_to(path, &options, page, ND_WALKED_RECORD), ND_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(nd_fail_text(), "cannot be read again: page of more than 1048576"));
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "--memory 1536M takes what --max-page allows"));
    CU_ASSERT_EQUAL(walk_to(path, &options, UINT64_MAX - 1, 0), ND_END); /* passed over */
    ND_TEST_OK(walk_to(path, &no_bound, page, ND_WALKED_RECORD));
}

/* What a source is, by its content; one that no run reads is a file, as a page in one is. */
ND_TEST("kinds") {
    static const struct {
        const char *name, *text;
        nd_walk_form form;
        bool archive, warc, jsonl;
    } kinds[] = {
        {"a.warc", "WARC/1.0\r\nWARC-Type: conversion\r\nContent-Length: 1\r\n\r\nx\r\n\r\n",
         ND_WALK_RAW, true, true, false},
        {"a.arc", "filedesc://a 0.0.0.0 20200101000000 text/plain 5\n1 0 x\n", ND_WALK_RAW, true,
         false, false},
        {"a.jsonl", "{\"text\":\"a\"}\n", ND_WALK_RAW, false, false, true},
        {"a.html", "<html>a", ND_WALK_FILE, false, false, false},
        {"a.png", "\x89PNG\r\n\x1a\n", ND_WALK_FILE, false, false, false},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        ND_OWNED(nd_walk_close) nd_walk *walk = NULL;
        const char *path = nd_test_write(kinds[i].name, nd_test_span(kinds[i].text));
        ND_TEST_MUST(nd_walk_open(path, &no_bound, &walk));
        if (nd_walk_form_of(walk) != kinds[i].form ||
            nd_walk_is_archive(walk) != kinds[i].archive ||
            nd_walk_is_warc(walk) != kinds[i].warc || nd_walk_is_jsonl(walk) != kinds[i].jsonl ||
            nd_walk_codec(walk) != ND_CODEC_PLAIN) {
            printf("%s\n", kinds[i].name);
            CU_FAIL("kind");
        }
    }
}

/* A companion names the record of its capture as one that was captured with it, or else as the one
 * that it refers to; what a page refers to is of another capture. */
ND_TEST("companions") {
    static const struct {
        const char *type, *names, *with;
    } records[] = {
        {"conversion", "WARC-Refers-To: <urn:r>\r\n", ""},
        {"metadata", "WARC-Refers-To: <urn:r>\r\n", "urn:r"},
        {"request", "WARC-Refers-To: <urn:r>\r\nWARC-Concurrent-To: <urn:c>\r\n", "urn:c"},
        {"metadata", "", ""},
    };
    enum { RECORDS = sizeof records / sizeof records[0] };
    ND_OWNED(nd_buffer_free) nd_buffer file = {0};
    ND_OWNED(nd_walk_close) nd_walk *walk = NULL;
    nd_walked walked;
    for (size_t i = 0; i < RECORDS; i++) {
        nd_test_print(&file, "WARC/1.0\r\nWARC-Type: %s\r\n%sContent-Length: 1\r\n\r\nx\r\n\r\n",
                      records[i].type, records[i].names);
    }
    const char *path = nd_test_write("companions.warc", nd_buffer_span(&file));
    ND_TEST_MUST(nd_walk_open(path, &no_bound, &walk));
    for (size_t i = 0; i < RECORDS; i++) {
        ND_TEST_MUST(nd_walk_next(walk, UINT64_MAX, &walked));
        CU_ASSERT_EQUAL(walked.kind, i == 0 ? ND_WALKED_RECORD : ND_WALKED_COMPANION);
        const nd_span with = nd_test_span(records[i].with);
        CU_ASSERT_EQUAL(walked.with.size, with.size);
        CU_ASSERT_TRUE(with.size == 0 || memcmp(walked.with.data, with.data, with.size) == 0);
    }
    CU_ASSERT_EQUAL(nd_walk_next(walk, UINT64_MAX, &walked), ND_END);
}

/* ---- What the writer of crawls writes, the reader reads: same pages, same bytes, under the final
 * name only when complete. */

enum { PAGES_RECORD_WRITER = 5 };

/* Bytes that need care in JSON and in WARC. */
static const char *const bodies[PAGES_RECORD_WRITER] = {
    "<html><p>plain</p></html>", "<p>quote \" backslash \\ tab \t line\r\nend</p>", "<p>\x01</p>",
    "<p>\xe6\xbc\xa2\xe5\xad\x97</p>\n\n", "<p>WARC/1.1\r\n\r\nWARC/1.1</p>"};
static void write_file(const char *path, nd_record_format format) {
    nd_record_writer *writer = NULL;
    char partial[600];
    (void)snprintf(partial, sizeof partial, "%s%s", path, ND_PARTIAL_SUFFIX);
    ND_TEST_MUST(nd_record_writer_open(path, format, &writer));
    for (int i = 0; i < PAGES_RECORD_WRITER; i++) {
        char id[32], url[64];
        (void)snprintf(id, sizeof id, "urn:test:%d", i);
        (void)snprintf(url, sizeof url, "http://a.example/%d?x=\"%d\"", i, i);
        const nd_written_page page = {nd_test_span(id), nd_test_span(url), nd_test_span(bodies[i])};
        ND_TEST_OK(nd_record_writer_add(writer, &page));
    }
    CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0);
    CU_ASSERT_EQUAL(access(partial, F_OK), 0);
    ND_TEST_OK(nd_record_writer_close(&writer, ND_OK));
    CU_ASSERT_PTR_NULL(writer);
    CU_ASSERT_EQUAL(access(path, F_OK), 0);
    CU_ASSERT_NOT_EQUAL(access(partial, F_OK), 0);
}

static void count_skip(void *context, uint64_t offset, const char *reason) {
    (void)offset;
    (void)printf("skipped: %s\n", reason);
    ++*(int *)context;
}

static void check_file(const char *path, const char *format) {
    nd_source_shape shape;
    ND_OWNED(nd_reader_close) nd_reader *reader = NULL;
    nd_record record;
    int skipped = 0;
    const nd_reader_options options = {.skip = count_skip, .skip_context = &skipped};
    ND_TEST_MUST(nd_source_look(path, NULL, &shape));
    CU_ASSERT_STRING_EQUAL(shape.format, format);
    CU_ASSERT_TRUE(shape.splittable);
    ND_TEST_MUST(nd_reader_open(path, "", 0, shape.bytes, &options, &reader));
    for (int i = 0; i < PAGES_RECORD_WRITER; i++) {
        char id[32], url[64];
        (void)snprintf(id, sizeof id, "urn:test:%d", i);
        (void)snprintf(url, sizeof url, "http://a.example/%d?x=\"%d\"", i, i);
        ND_TEST_MUST(nd_reader_next(reader, &record));
        CU_ASSERT_EQUAL(record.content, ND_CONTENT_HTML);
        CU_ASSERT_TRUE(nd_test_is(record.id, id));
        CU_ASSERT_TRUE(nd_test_is(record.url, url));
        CU_ASSERT_TRUE(nd_test_is(record.text, bodies[i]));
    }
    CU_ASSERT_EQUAL(nd_reader_next(reader, &record), ND_END);
    CU_ASSERT_EQUAL(skipped, 0);
}

ND_TEST("WARC, a gzip member per record") {
    const char *path = nd_test_path("a.warc.gz");
    write_file(path, ND_RECORD_WARC);
    check_file(path, "warc.gz");
}

ND_TEST("JSONL") {
    const char *path = nd_test_path("written.jsonl");
    write_file(path, ND_RECORD_JSONL);
    check_file(path, "jsonl");
}

ND_TEST("failures") {
    nd_record_writer *writer = NULL;
    char path[512];
    (void)snprintf(path, sizeof path, "%s/missing/a.warc.gz", nd_test_folder());
    CU_ASSERT_EQUAL(nd_record_writer_open(path, ND_RECORD_WARC, &writer), ND_ERR_IO);
    CU_ASSERT_PTR_NULL(writer);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), path));
    (void)snprintf(path, sizeof path, "%s/b.warc.gz", nd_test_folder());
    ND_TEST_MUST(nd_record_writer_open(path, ND_RECORD_WARC, &writer));
    CU_ASSERT_EQUAL(nd_record_writer_close(&writer, ND_ERR_MEMORY), ND_ERR_MEMORY);
    CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0);
    CU_ASSERT_EQUAL(nd_record_writer_close(&writer, ND_ERR_IO), ND_ERR_IO);
}

/* A file may have no more than a few bytes, as on a full disk. */
ND_TEST("a full disk") {
    nd_record_writer *writer = NULL;
    struct rlimit limit;
    const char *path = nd_test_path("full.jsonl");
    (void)signal(SIGXFSZ, SIG_IGN);
    (void)getrlimit(RLIMIT_FSIZE, &limit);
    const struct rlimit small = {.rlim_cur = 10, .rlim_max = limit.rlim_max};
    ND_TEST_MUST(nd_record_writer_open(path, ND_RECORD_JSONL, &writer));
    const nd_written_page page = {nd_test_span("a"), nd_test_span("b"), nd_test_span("c")};
    ND_TEST_OK(nd_record_writer_add(writer, &page));
    (void)setrlimit(RLIMIT_FSIZE, &small);
    const nd_status st = nd_record_writer_close(&writer, ND_OK);
    (void)setrlimit(RLIMIT_FSIZE, &limit);
    CU_ASSERT_EQUAL(st, ND_ERR_IO);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "full.jsonl"));
    CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0);
}

/* A link under the unfinished name, or the final one, leads to a file that is not touched. */
ND_TEST("links that are not followed") {
    char path[512], partial[600], target[512];
    nd_record_writer *writer = NULL;
    struct stat info;
    (void)snprintf(path, sizeof path, "%s/linked.jsonl", nd_test_folder());
    (void)snprintf(partial, sizeof partial, "%s%s", path, ND_PARTIAL_SUFFIX);
    (void)snprintf(target, sizeof target, "%s", nd_test_write("target", nd_test_span("precious")));
    CU_ASSERT_EQUAL_FATAL(symlink(target, partial), 0);
    CU_ASSERT_EQUAL(nd_record_writer_open(path, ND_RECORD_JSONL, &writer), ND_ERR_IO);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "symbolic link"));
    CU_ASSERT_TRUE(stat(target, &info) == 0 && info.st_size == 8);
    CU_ASSERT_TRUE(lstat(partial, &info) == 0 && S_ISLNK(info.st_mode));
    CU_ASSERT_EQUAL_FATAL(rename(partial, path), 0);
    ND_TEST_MUST(nd_record_writer_open(path, ND_RECORD_JSONL, &writer));
    CU_ASSERT_EQUAL(nd_record_writer_close(&writer, ND_OK), ND_ERR_IO);
    CU_ASSERT_TRUE(lstat(path, &info) == 0 && S_ISLNK(info.st_mode));
    CU_ASSERT_TRUE(stat(target, &info) == 0 && info.st_size == 8);
    CU_ASSERT_NOT_EQUAL(access(partial, F_OK), 0);
}

/* ---- Records of pages read again: by the name of their input or from the folder of what names it,
 * in any order; what is gone or has become another is refused, with the page that it was for. */

enum { PAGES_REREAD = 3 };
static const char *const texts[PAGES_REREAD] = {"{\"id\":\"1\",\"url\":\"u1\",\"text\":\"one\"}\n",
                                                "{\"id\":\"2\",\"url\":\"u2\",\"text\":\"two\"}\n",
                                                "{\"id\":\"3\",\"text\":\"three\"}\n"};
static char path_reread[512]; /* of the input */
static nd_reread_page pages[PAGES_REREAD];

/* An input of three lines, and the pages that a run would have found. */
static void make_input(nd_test_packing packing) {
    ND_OWNED(nd_buffer_free) nd_buffer plain = {0}, file = {0};
    for (size_t i = 0; i < PAGES_REREAD; i++) {
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
    (void)snprintf(path_reread, sizeof path_reread, "%s",
                   nd_test_write("again.jsonl", nd_buffer_span(&file)));
    for (size_t i = 0; i < PAGES_REREAD; i++) {
        pages[i].name = nd_test_span(path_reread);
        pages[i].bytes = file.size;
    }
}

static void check_read(nd_reread *reread, size_t page) {
    char shown[16];
    ND_TEST_MUST(nd_reread_record(reread, &pages[page]));
    (void)snprintf(shown, sizeof shown, "%.*s", (int)reread->record.text.size,
                   (const char *)reread->record.text.data);
    CU_ASSERT_STRING_EQUAL(shown, page == 0 ? "one" : page == 1 ? "two" : "three");
    CU_ASSERT_STRING_EQUAL((const char *)reread->path.data, path_reread);
}

/* In every order, where lines can be entered and where they cannot. */
ND_TEST("order") {
    static const size_t orders[][4] = {{0, 1, 2, 2}, {2, 1, 0, 1}, {1, 1, 2, 0}};
    for (int packing = ND_TEST_PLAIN; packing <= ND_TEST_GZIP; packing++) {
        make_input((nd_test_packing)packing);
        for (size_t o = 0; o < sizeof orders / sizeof orders[0]; o++) {
            ND_OWNED(nd_reread_close) nd_reread reread;
            const nd_reader_options options = {0};
            nd_reread_begin(&reread, "result.h5", &options);
            CU_ASSERT_TRUE(nd_reread_opens(&reread, 0, 0));
            for (size_t i = 0; i < 4; i++) {
                check_read(&reread, orders[o][i]);
                CU_ASSERT_TRUE(nd_reread_opens(&reread, 1, 0)); /* another input */
                CU_ASSERT_FALSE(nd_reread_opens(&reread, 0, PAGES_REREAD));
                /* what was packed at one go can only be read on */
                CU_ASSERT_EQUAL(nd_reread_opens(&reread, 0, 0),
                                packing != ND_TEST_PLAIN && orders[o][i] > 0);
            }
        }
    }
}

static void check_refused(const nd_reread_page *page, const char *says) {
    ND_OWNED(nd_reread_close) nd_reread reread;
    const nd_reader_options options = {0};
    nd_reread_begin(&reread, "result.h5", &options);
    CU_ASSERT_EQUAL(nd_reread_record(&reread, page), ND_ERR_CHANGED);
    if (strstr(nd_fail_text(), says) == NULL || strstr(nd_fail_text(), path_reread) == NULL) {
        printf("it says: %s\n", nd_fail_text());
        CU_FAIL("text");
    }
}

ND_TEST("refused") {
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
    CU_ASSERT_EQUAL(unlink(path_reread), 0);
    check_refused(&gone, "");
    const char *png =
        nd_test_write("again.jsonl", (nd_span){(const uint8_t *)"\x89PNG\r\n\x1a\n", 8});
    gone.bytes = 8;
    CU_ASSERT_STRING_EQUAL(png, path_reread);
    check_refused(&gone, ""); /* of a format that no run reads */
}

/* By a name that is not from the root: from here, or else from the folder of the result. */
ND_TEST("beside") {
    ND_OWNED(nd_buffer_free) nd_buffer found = {0};
    struct stat info;
    char result[600], folder[600];
    make_input(ND_TEST_PLAIN);
    (void)snprintf(result, sizeof result, "%s/result.h5", nd_test_folder());
    (void)snprintf(folder, sizeof folder, "%s/index///", nd_test_folder());
    const nd_span name = nd_test_span("again.jsonl");
    ND_TEST_OK(nd_reread_look(result, name, pages[0].bytes, &found, &info));
    CU_ASSERT_STRING_EQUAL((const char *)found.data, path_reread);
    ND_TEST_OK(nd_reread_look(folder, name, pages[0].bytes, &found, &info));
    CU_ASSERT_STRING_EQUAL((const char *)found.data, path_reread);
    CU_ASSERT_EQUAL(nd_reread_look("result.h5", name, pages[0].bytes, &found, &info),
                    ND_ERR_CHANGED);
    CU_ASSERT_EQUAL(chdir(nd_test_folder()), 0);
    ND_TEST_OK(nd_reread_look("/elsewhere/result.h5", name, pages[0].bytes, &found, &info));
    CU_ASSERT_STRING_EQUAL((const char *)found.data, "again.jsonl");
}

ND_TEST("texts") {
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
ND_TEST("fields") {
    static const nd_reader_options usual = {.memory = 0};
    static const nd_reader_options other = {.jsonl_url = "meta.\"u\"", .jsonl_date = "/at"};
    nd_reread_fields fields = {0}, again = {0}, unknown = {0};
    CU_ASSERT_TRUE(reads_by(&fields, 0, "given", NULL));
    ND_TEST_OK(nd_reread_fields_add(&fields, 0, &usual));
    CU_ASSERT_STRING_EQUAL(
        fields.text,
        "[{\"first_source\":0,\"id\":\"id\",\"url\":\"url\",\"text\":\"text\",\"html\":\"html\"}]");
    ND_TEST_OK(nd_reread_fields_add(&fields, 3, &other));
    ND_TEST_OK(nd_reread_fields_open(&again, "r.h5", fields.text));
    CU_ASSERT_STRING_EQUAL(again.text, fields.text);
    CU_ASSERT_TRUE(reads_by(&again, 0, "url", NULL) && reads_by(&again, 2, "url", NULL));
    CU_ASSERT_TRUE(reads_by(&again, 3, "meta.\"u\"", "/at") &&
                   reads_by(&again, UINT64_MAX - 1, "meta.\"u\"", "/at"));
    ND_TEST_OK(nd_reread_fields_open(&unknown, "r.h5", NULL));
    /* an option may say what was used, and no other; where that is not known it says it */
    ND_TEST_OK(nd_reread_fields_check(&again, "r.h5", &usual));
    ND_TEST_OK(nd_reread_fields_check(&again, "r.h5", &other));
    ND_TEST_OK(nd_reread_fields_check(&again, "r.h5", &(nd_reader_options){.jsonl_id = "id"}));
    CU_ASSERT_EQUAL(
        nd_reread_fields_check(&again, "r.h5", &(nd_reader_options){.jsonl_text = "body"}),
        ND_ERR_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "--jsonl-text body: r.h5"));
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "read text"));
    ND_TEST_OK(
        nd_reread_fields_check(&unknown, "r.h5", &(nd_reader_options){.jsonl_text = "body"}));
    nd_reread_fields_close(&fields);
    nd_reread_fields_close(&again);
    nd_reread_fields_close(&unknown);
}

/* Whoever wrote the text, it is an array of whole entries in order, or it is refused. */
ND_TEST("wrong fields") {
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
    ND_TEST_OK(nd_reread_fields_open(&fields, "r.h5", "[]"));
    CU_ASSERT_TRUE(reads_by(&fields, 0, "given", NULL));
    nd_reread_fields_close(&fields);
}
