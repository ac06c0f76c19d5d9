/* Where records end whose lengths are wrong, and where the next ones begin. */
#include "io/input/reader.h"
#include "tests/support/check.h"
#include "tests/support/torn_source.h"
#include "tests/support/warc_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void log_skip(void *context, uint64_t offset, const char *reason) {
    nd_test_print(context, "! %" PRIu64 " %s\n", offset, reason);
}

/* The pages of a source as lines of id and text, and what is said of others. */
static void check_log(const char *name, nd_span bytes, const char *expected, uint64_t gaps) {
    nd_buffer log = {0};
    nd_reader *reader = NULL;
    nd_record record;
    nd_reader_counts counts;
    nd_status st = ND_OK;
    const nd_reader_options options = {.skip = log_skip, .skip_context = &log};
    const char *path = nd_test_write(name, bytes);
    CU_ASSERT_EQUAL_FATAL(nd_reader_open(path, "", 0, bytes.size, &options, &reader), ND_OK);
    while ((st = nd_reader_next(reader, &record)) == ND_OK) {
        nd_test_print(&log, "%.*s %.*s\n", (int)record.id.size, (const char *)record.id.data,
                      (int)record.text.size, (const char *)record.text.data);
    }
    CU_ASSERT_EQUAL(st, ND_END);
    nd_reader_get_counts(reader, &counts);
    CU_ASSERT_EQUAL(counts.gaps, gaps);
    nd_buffer_append(&log, "", 1);
    if (strcmp((const char *)log.data, expected) != 0) {
        printf("%s gave:\n%s", name, (const char *)log.data);
    }
    CU_ASSERT_STRING_EQUAL((const char *)log.data, expected);
    nd_reader_close(&reader);
    nd_buffer_free(&log);
}

/* A record cut off gives what is there, and this is told; too long a length swallows no other. */
static void test_cut_records(void) {
    static const char cut[] =
        "1 one\n! %zu record is cut off: 7 of 10 bytes are there\n2 0123456\n";
    nd_buffer warc = {0};
    nd_buffer gzip = {0};
    char expected[200];
    nd_test_warc_record(&warc, "conversion", "http://a/", "1", "text/plain", nd_test_span("one"));
    const size_t first = warc.size;
    nd_test_pack(&gzip, ND_TEST_GZIP, nd_buffer_span(&warc));
    const size_t second = gzip.size;
    nd_test_warc_record(&warc, "conversion", "http://a/", "2", "text/plain",
                        nd_test_span("0123456789"));
    nd_test_pack(&gzip, ND_TEST_GZIP_STORED, (nd_span){warc.data + first, warc.size - first});
    (void)snprintf(expected, sizeof expected, cut, first);
    check_log("cut.warc", (nd_span){warc.data, warc.size - 7}, expected, 1);
    (void)snprintf(expected, sizeof expected, cut, second);
    check_log("cut.warc.gz", (nd_span){gzip.data, gzip.size - 8 - 7}, expected, 1);
    uint8_t *length = (uint8_t *)strstr((char *)warc.data, "Length: 3") + strlen("Length: ");
    *length = '9';
    check_log("long.warc", nd_buffer_span(&warc),
              "! 0 record is cut off: 3 of 9 bytes are there\n1 one\n2 0123456789\n", 1);
    *length = '1'; /* too short: what follows belongs to no record */
    (void)snprintf(expected, sizeof expected,
                   "1 o\n! %zu no record starts where one should: 6 bytes passed over\n"
                   "2 0123456789\n",
                   first - strlen("ne\r\n\r\n"));
    check_log("short.warc", nd_buffer_span(&warc), expected, 1);
    nd_buffer_free(&warc);
    nd_buffer_free(&gzip);
}

/* ---- torn archives, in each form */

enum { WORDS = 200, ALL = -1, LAST = ND_TORN_RECORDS - 1, MIDDLE = 5 };

/* Where an edit is made: from the end of a record's block on, or from the end of a field's name. */
typedef struct variant {
    const char *name;
    const char *field; /* NULL: at the end of the block */
    size_t at, removed;
    const char *put_in;
    size_t put_size;
    bool is_wanted, is_told;
} variant;

#define PUT(text) text, sizeof(text) - 1

static size_t place_of(const nd_torn_record *r, const variant *v) {
    size_t at = 0;
    while (v->field != NULL && at + strlen(v->field) < r->bytes.size &&
           memcmp(r->bytes.data + at, v->field, strlen(v->field)) != 0) {
        at++;
    }
    return (v->field == NULL ? r->block_end : at + strlen(v->field)) + v->at;
}

/* Pack the source in each form, and read it back. */
static void check_forms(const char *name, nd_torn_source *source, bool told) {
    for (nd_torn_form form = 0; form < ND_TORN_FORMS; form++) {
        nd_buffer file = {0};
        char path_name[64];
        nd_torn_pack(source, form, &file);
        (void)snprintf(path_name, sizeof path_name, "torn%s", nd_torn_ending(form, source->arc));
        const char *path = nd_test_write(path_name, nd_buffer_span(&file));
        const char *broken = nd_torn_check(source, path, file.size, told);
        if (broken != NULL) {
            printf("%s, form %d: %s\n", name, (int)form, broken);
        }
        CU_ASSERT_PTR_NULL(broken);
        nd_buffer_free(&file);
    }
}

static void check_variant(const variant *v, bool arc, int record) {
    static const char *const where[] = {"all", "first", "middle", "last"};
    nd_random random = {7};
    nd_torn_source source;
    char name[200];
    nd_torn_make(&source, arc, WORDS, &random);
    for (size_t i = 0; i < ND_TORN_RECORDS; i++) {
        if (record == ALL || i == (size_t)record) {
            const nd_span put = {(const uint8_t *)v->put_in, v->put_size};
            nd_torn_edit(&source, i, place_of(&source.records[i], v), v->removed, put);
            source.records[i].is_wanted = v->is_wanted;
        }
    }
    (void)snprintf(name, sizeof name, "%s, %s: %s", arc ? "ARC" : "WARC",
                   where[record == ALL    ? 0
                         : record == 0    ? 1
                         : record == LAST ? 3
                                          : 2],
                   v->name);
    check_forms(name, &source, v->is_told);
    nd_torn_free(&source);
}

/* Each at one place, or at all. */
static void check_variants(const char *name, const variant *variants, size_t count, bool arc) {
    static const int places[] = {MIDDLE, 0, LAST, ALL};
    enum { PLACES = sizeof places / sizeof places[0] };
    nd_random random = nd_test_random(name);
    for (size_t i = 0; i < count; i++) {
        const int most = variants[i].is_wanted ? PLACES : PLACES - 1;
        for (int j = 0; j < nd_test_rounds(most); j++) {
            check_variant(&variants[i], arc, places[nd_test_case(&random, j, most)]);
        }
    }
}

#define LENGTH "Content-Length: "

static const variant of_warc[] = {
    /* bytes between records, from none at all to what looks like a record */
    {"a NUL before the line ends", NULL, 0, 0, PUT("\0"), true, true},
    {"a NUL between the line ends", NULL, 2, 0, PUT("\0"), true, true},
    {"a NUL after the line ends", NULL, 4, 0, PUT("\0"), true, true},
    {"words", NULL, 0, 0, PUT("some words and\na line\n"), true, true},
    {"other bytes", NULL, 4, 0, PUT("\xff\xfe\x80\x1f\x8b\x08 \x28\xb5\x2f\xfd zz"), true, true},
    {"half a version line", NULL, 4, 0, PUT("WARC/"), true, true},
    {"a version line", NULL, 4, 0, PUT("WARC/1.0\r\n"), true, true},
    {"a header that is cut off", NULL, 4, 0, PUT("WARC/1.0\r\nWARC-Type: respo"), true, true},
    {"a header without a length", NULL, 4, 0, PUT("WARC/1.0\r\nWARC-Type: metadata\r\n\r\n"), true,
     true},
    {"a header with a wrong length", NULL, 4, 0,
     PUT("WARC/1.0\nWARC-Type:a\nContent-Length:99\n\n"), true, true},
    {"no line ends", NULL, 0, 4, PUT(""), true, false},
    {"a line end alone", NULL, 0, 4, PUT("\n"), true, false},
    {"more line ends", NULL, 0, 0, PUT("\r\n\n\n\r\n"), true, false},
    /* wrong lengths, of which digits are put before, after, and in place of others */
    {"ten times as long", LENGTH, 1, 0, PUT("0"), true, true},
    {"much longer", LENGTH, 0, 0, PUT("7"), true, true},
    {"longer than any file", LENGTH, 0, 0, PUT("9999999999"), true, true},
    {"longer than any number", LENGTH, 0, 0, PUT("99999999999999999999"), false, true},
    {"shorter", LENGTH, 0, 1, PUT(""), false, true},
    {"0", LENGTH, 0, 0, PUT("0 "), false, true},
    {"negative", LENGTH, 0, 0, PUT("-"), false, true},
    {"no number", LENGTH, 0, 0, PUT("x"), false, true},
    {"a fraction", LENGTH, 1, 0, PUT("."), false, true},
    {"absent", LENGTH, 0, 0, PUT("\r\nX: "), false, true},
    {"another name", "Content-Le", 0, 0, PUT("e"), false, true},
};

/* ARC's lengths are the last field of a line. */
static const variant of_arc[] = {
    {"a NUL before the line end", NULL, 0, 0, PUT("\0"), true, true},
    {"a NUL after the line end", NULL, 1, 0, PUT("\0"), true, true},
    {"letters", NULL, 1, 0, PUT("abc"), true, true},
    {"words", NULL, 1, 0, PUT("some words and\na line\n"), true, true},
    {"other bytes", NULL, 1, 0, PUT("\xff\xfe\x80\x1f\x8b\x08 \x28\xb5\x2f\xfd zz"), true, true},
    {"a header that is cut off", NULL, 1, 0, PUT("http://b/ 1.2.3.4 2020\n"), true, true},
    {"no line end", NULL, 0, 1, PUT(""), true, false},
    {"more line ends", NULL, 1, 0, PUT("\r\n\n"), true, false},
    {"ten times as long", "text/html ", 1, 0, PUT("0"), true, true},
    {"longer than any file", "text/html ", 0, 0, PUT("9999999999"), true, true},
    {"shorter", "text/html ", 0, 1, PUT(""), false, true},
    {"negative", "text/html ", 0, 0, PUT("-"), false, true},
    {"no number", "text/html ", 0, 0, PUT("x"), false, true},
    {"absent", "text/html", 0, 4, PUT(""), false, true},
};

static void test_torn_warc(void) {
    check_variants("torn WARC", of_warc, sizeof of_warc / sizeof of_warc[0], false);
}

static void test_torn_arc(void) {
    check_variants("torn ARC", of_arc, sizeof of_arc / sizeof of_arc[0], true);
}

/* A length off by so much, of one record or of all. */
static void check_step(int step, bool arc, int record) {
    static const variant in_warc = {.field = LENGTH}, in_arc = {.field = "text/html "};
    nd_random random = {9};
    nd_torn_source source;
    char name[64];
    nd_torn_make(&source, arc, WORDS, &random);
    for (size_t i = 0; i < ND_TORN_RECORDS; i++) {
        if (record != ALL && i != (size_t)record) {
            continue;
        }
        nd_torn_record *r = &source.records[i];
        const size_t at = place_of(r, arc ? &in_arc : &in_warc);
        const char *digits = (const char *)r->bytes.data + at;
        char *end = NULL;
        char length[32];
        (void)snprintf(length, sizeof length, "%ld", strtol(digits, &end, 10) + step);
        nd_torn_edit(&source, i, at, (size_t)(end - digits), nd_test_span(length));
        r->is_wanted = true;
    }
    (void)snprintf(name, sizeof name, "%s, record %d: length off by %d", arc ? "ARC" : "WARC",
                   record, step);
    check_forms(name, &source, step < 0 || step > 4);
    nd_torn_free(&source);
}

static void test_small_steps(void) {
    static const int steps[] = {-40, -7, -2, -1, 1, 2, 4, 5, 6, 9, 40, 64, 100};
    static const int places[] = {MIDDLE, 0, LAST, ALL};
    enum { PLACES = sizeof places / sizeof places[0] };
    nd_random random = nd_test_random("small steps");
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        for (int j = 0; j < nd_test_rounds(2 * PLACES); j++) {
            const uint64_t which = nd_test_case(&random, j, 2 * PLACES);
            check_step(steps[i], which % 2 == 1, places[which / 2]);
        }
    }
}

/* Bytes that are gone from the end of a block: the length is too long by as many. */
static void test_ends_gone(void) {
    enum { MOST = 40 };
    nd_random random = nd_test_random("ends gone");
    for (int i = 0; i < nd_test_rounds(2 * MOST); i++) {
        const uint64_t which = nd_test_case(&random, i, 2 * MOST);
        const size_t gone = 1 + (size_t)which / 2;
        nd_torn_source source;
        char name[64];
        nd_torn_make(&source, which % 2 == 1, WORDS, &random);
        nd_torn_record *r = &source.records[MIDDLE];
        nd_torn_edit(&source, MIDDLE, r->block_end - gone, gone, (nd_span){NULL, 0});
        r->is_wanted = true;
        (void)snprintf(name, sizeof name, "%s: %zu bytes gone before the block's end",
                       source.arc ? "ARC" : "WARC", gone);
        check_forms(name, &source, gone > 4);
        nd_torn_free(&source);
    }
}

/* Bytes before the first record cost it nothing. */
static void test_before_the_first(void) {
    static const char *const before[] = {
        "\n\n", "x", "some words\n", "\xef\xbb\xbf", "\x01\x02\x03", "{\"a\": 1}\n"};
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        for (int arc = 0; arc < 2; arc++) {
            nd_random random = {i};
            nd_torn_source source;
            nd_torn_make(&source, arc == 1, WORDS, &random);
            nd_torn_edit(&source, 0, 0, 0, nd_test_span(before[i]));
            check_forms(before[i], &source, before[i][0] != '\n');
            nd_torn_free(&source);
        }
    }
}

/* A file that is cut off gives all that is there, and this is told. */
static void test_cut_files(void) {
    enum { LONG_WORDS = 9000, CUTS = 4 };
    for (nd_torn_form form = 0; form < ND_TORN_FORMS; form++) {
        for (unsigned cut = 0; cut < CUTS; cut++) {
            nd_random random = {cut};
            nd_torn_source source;
            nd_buffer file = {0}, last = {0};
            char name[64];
            const bool whole = form == ND_TORN_GZIP_WHOLE || form == ND_TORN_ZSTD_WHOLE;
            nd_torn_make(&source, cut % 2 == 1, LONG_WORDS, &random);
            nd_torn_pack(&source, form, &file);
            /* of a block of zstd nothing is given that is not there whole */
            for (size_t i = whole ? ND_TORN_RECORDS / 3 : LAST; i < ND_TORN_RECORDS; i++) {
                source.records[i].is_torn = true;
            }
            nd_torn_source alone = {.arc = source.arc};
            alone.records[0] = source.records[LAST];
            nd_torn_pack(&alone, whole ? ND_TORN_GZIP_MEMBERS : form, &last);
            /* some bytes at least of the page are there, and some are not */
            const size_t most = whole ? file.size / 40 : last.size - last.size / 10 - 200;
            const size_t least = form == ND_TORN_PLAIN ? 5 : 1;
            const size_t left = file.size - least - (most - least) * cut / (CUTS - 1);
            (void)snprintf(name, sizeof name, "cut%s", nd_torn_ending(form, source.arc));
            const char *path = nd_test_write(name, (nd_span){file.data, left});
            const char *broken = nd_torn_check(&source, path, left, true);
            if (broken != NULL) {
                printf("form %d, cut off at byte %zu of %zu: %s\n", (int)form, left, file.size,
                       broken);
            }
            CU_ASSERT_PTR_NULL(broken);
            nd_buffer_free(&file);
            nd_buffer_free(&last);
            nd_torn_free(&source);
        }
    }
}

/* Blocks that are not wanted, and longer than what is held of such, swallow nothing either, however
 * many have wrong lengths; one that is right may hold what looks like a record. */
static void test_long_blocks(void) {
    enum { BLOCKS = 18, LONG = (1 << 20) + 1000 };
    for (nd_torn_form form = 0; form < ND_TORN_FORMS; form++) {
        nd_torn_source source = {.arc = false};
        nd_reader *reader = NULL;
        nd_record record;
        nd_reader_counts counts;
        nd_buffer block = {0}, file = {0};
        nd_random random = {3};
        uint64_t pages = 0;
        nd_torn_make(&source, false, WORDS, &random);
        const size_t fake = source.records[0].bytes.size; /* at the end of the first block */
        nd_buffer_reserve(&block, LONG);
        memset(block.data, ' ', LONG);
        block.size = LONG - fake;
        nd_test_pack(&block, ND_TEST_PLAIN, nd_buffer_span(&source.records[0].bytes));
        for (size_t i = 0; i < BLOCKS; i++) { /* each with a page after it */
            nd_buffer *to = &source.records[i % ND_TORN_RECORDS].bytes;
            nd_test_print(to,
                          "WARC/1.0\r\nWARC-Type: resource\r\nContent-Type: image/png\r\n"
                          "Content-Length: %zu\r\n\r\n",
                          i == 0 ? block.size : block.size + (i % 2 == 0 ? 20 : SIZE_MAX / 4));
            const size_t size = i == 0 ? block.size : block.size - fake;
            nd_test_pack(to, ND_TEST_PLAIN, nd_span_part(nd_buffer_span(&block), 0, size));
            nd_test_print(to, "\r\n\r\n");
            nd_test_warc_record(to, "conversion", "http://b/", "2", "text/plain",
                                nd_test_span("a page"));
        }
        nd_torn_pack(&source, form, &file);
        const char *path = nd_test_write("long", nd_buffer_span(&file));
        CU_ASSERT_EQUAL_FATAL(nd_reader_open(path, "", 0, file.size, NULL, &reader), ND_OK);
        while (nd_reader_next(reader, &record) == ND_OK) {
            pages++;
        }
        nd_reader_get_counts(reader, &counts);
        CU_ASSERT_EQUAL(pages, ND_TORN_RECORDS + BLOCKS);
        CU_ASSERT_EQUAL(counts.other, BLOCKS);
        CU_ASSERT_EQUAL(counts.gaps, BLOCKS - 1);
        nd_reader_close(&reader);
        nd_torn_free(&source);
        nd_buffer_free(&block);
        nd_buffer_free(&file);
    }
}

static const nd_test tests[] = {
    {"cut records", test_cut_records}, {"torn WARC", test_torn_warc},
    {"torn ARC", test_torn_arc},       {"small steps", test_small_steps},
    {"ends gone", test_ends_gone},     {"before the first record", test_before_the_first},
    {"cut files", test_cut_files},     {"long blocks", test_long_blocks}};
ND_SUITE(t_record_frame, tests)
