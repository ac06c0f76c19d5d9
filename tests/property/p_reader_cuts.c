/* For any cut of a source into units, the pages of the units are the pages of the whole, and those
 * are what was written. Where a payload holds what looks like a record, a unit may start falsely;
 * then the chain of restart points must show it, and reading from where the chain says gives the
 * right pages. */
#include "src/base/sort.h"
#include "tests/support/check.h"
#include "tests/support/unit_reading.h"
#include "tests/support/warc_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 25, ROUNDS_OF_FAKES = 25, CUTTINGS = 6, MOST_RECORDS = 40, MOST_UNITS = 12 };

typedef enum source_kind { SOURCE_WARC, SOURCE_ARC, SOURCE_JSONL } source_kind;

/* Pages as lines of text: easy to compare, and to look at when they differ. */
typedef struct made_source {
    nd_buffer file;
    nd_buffer pages; /* what must be read, without offsets */
} made_source;

/* ---- making sources */

static void add_words(nd_buffer *body, nd_random *random, uint64_t most) {
    static const char *const words[] = {"alpha", "beta", "gamma", "d\xC3\xA9j\xC3\xA0", "omega"};
    for (uint64_t left = nd_random_below(random, most); left > 0; left--) {
        nd_test_print(body, "%s %" PRIu64 "%s", words[nd_random_below(random, 5)],
                      nd_random_below(random, 1000), nd_random_below(random, 9) == 0 ? "\n" : " ");
    }
}

/* What looks like the start of a record, and in it one that would be delivered as a page. */
static void add_fake(nd_buffer *body, nd_random *random, source_kind kind) {
    nd_buffer record = {0};
    nd_buffer http = {0};
    nd_test_http(&http, 200, "text/html", "", nd_test_span("<p>fake"));
    if (kind == SOURCE_ARC) {
        nd_test_arc_record(&record, "http://fake/", "text/html", nd_buffer_span(&http));
    } else {
        nd_test_warc_record(&record, "response", "http://fake/", "urn:fake", "application/http",
                            nd_buffer_span(&http));
    }
    nd_test_print(body, "\n");
    nd_test_pack(body, nd_random_below(random, 2) == 0 ? ND_TEST_PLAIN : ND_TEST_GZIP,
                 nd_buffer_span(&record));
    nd_test_pack(body, ND_TEST_ZSTD, nd_buffer_span(&record));
    nd_buffer_free(&record);
    nd_buffer_free(&http);
}

static void add_archive_record(made_source *made, nd_random *random, source_kind kind,
                               nd_test_packing packing, bool fakes, uint64_t number) {
    nd_buffer body = {0};
    nd_buffer block = {0};
    nd_buffer record = {0};
    char url[64];
    char id[64];
    const bool fake = fakes && nd_random_below(random, 4) == 0;
    const bool page = !fake && nd_random_below(random, 3) > 0;
    (void)snprintf(url, sizeof url, "http://site/%" PRIu64, number);
    (void)snprintf(id, sizeof id, "urn:uuid:%" PRIu64, number);
    nd_test_print(&body, "<html>");
    add_words(&body, random, nd_random_below(random, 10) == 0 ? 20000 : 200);
    if (fake) {
        add_fake(&body, random, kind);
        add_words(&body, random, 300);
    }
    nd_test_http(&block, nd_random_below(random, 5) == 0 && !page ? 404 : 200,
                 page ? "text/html; charset=utf-8" : "image/png", "", nd_buffer_span(&body));
    if (kind == SOURCE_ARC) {
        nd_test_arc_record(&record, url, page ? "text/html" : "image/png", nd_buffer_span(&block));
    } else {
        nd_test_warc_record(&record, "response", url, id, "application/http; msgtype=response",
                            nd_buffer_span(&block));
    }
    nd_test_pack(&made->file, packing, nd_buffer_span(&record));
    if (page) {
        nd_test_print_page(&made->pages, ND_CONTENT_HTML,
                           nd_test_span(kind == SOURCE_ARC ? "" : id), nd_test_span(url),
                           nd_buffer_span(&body));
    }
    nd_buffer_free(&body);
    nd_buffer_free(&block);
    nd_buffer_free(&record);
}

static void add_line(made_source *made, nd_random *random, uint64_t number) {
    nd_buffer text = {0};
    char id[32];
    (void)snprintf(id, sizeof id, "%" PRIu64, number);
    for (uint64_t left = nd_random_below(random, 300); left > 0; left--) {
        nd_test_print(&text, "w%" PRIu64 " ", nd_random_below(random, 1000));
    }
    nd_test_print(&text, "\xE4\xB8\xAD");
    nd_test_print(&made->file, "{\"x\": [1, {\"id\": 2}], \"id\": %s, \"text\": \"", id);
    nd_test_pack(&made->file, ND_TEST_PLAIN, nd_buffer_span(&text));
    nd_test_print(&made->file, "\"}%s\n", nd_random_below(random, 4) == 0 ? "\r\n\n  \n" : "");
    nd_test_print_page(&made->pages, ND_CONTENT_TEXT, nd_test_span(id), nd_test_span(""),
                       nd_buffer_span(&text));
    nd_buffer_free(&text);
}

static made_source make_source(nd_random *random, source_kind kind, nd_test_packing packing,
                               bool fakes) {
    made_source made = {0};
    const uint64_t records = 1 + nd_random_below(random, MOST_RECORDS);
    for (uint64_t i = 0; i < records; i++) {
        if (kind == SOURCE_JSONL) {
            add_line(&made, random, i);
        } else {
            add_archive_record(&made, random, kind, packing, fakes, i);
        }
    }
    return made;
}

/* ---- reading them */

static void read_range(const char *path, uint64_t end, nd_test_reading how, nd_buffer *out) {
    uint64_t first = 0;
    uint64_t next = 0;
    const char *broken = nd_test_read_range(path, 0, end, NULL, how, out, &first, &next);
    CU_ASSERT_STRING_EQUAL(broken != NULL ? broken : "", "");
    CU_ASSERT(how == ND_TEST_READ_DAMAGE || next == UINT64_MAX);
}

/* All pages by one reader that moves from the last unit to the first, after what it has read there.
 */
static void read_moving(const char *path, const uint64_t *cuts, size_t count, nd_buffer *out) {
    nd_reader *reader = NULL;
    nd_record record;
    nd_reader_counts counts;
    nd_buffer pages[MOST_UNITS + 1] = {{0}};
    const nd_reader_options options = {0};
    CU_ASSERT_EQUAL_FATAL(nd_reader_open(path, NULL, 0, UINT64_MAX, &options, &reader), ND_OK);
    for (size_t i = count - 1; i-- > 0;) {
        nd_status st = nd_reader_move(reader, cuts[i], cuts[i + 1]);
        while (st == ND_OK && (st = nd_reader_next(reader, &record)) == ND_OK) {
            CU_ASSERT_TRUE(record.offset >= cuts[i] && record.offset < cuts[i + 1]);
            nd_test_print_page(&pages[i], record.content, record.id, record.url, record.text);
        }
        CU_ASSERT_EQUAL(st, ND_END);
    }
    nd_reader_get_counts(reader, &counts);
    CU_ASSERT_EQUAL(counts.skipped, 0);
    for (size_t i = 0; i + 1 < count; i++) {
        nd_buffer_append(out, pages[i].data, pages[i].size);
        nd_buffer_free(&pages[i]);
    }
    nd_reader_close(&reader);
}

/* \return units that had to be read again */
static unsigned read_units(const char *path, const uint64_t *cuts, size_t count, bool damaged,
                           nd_buffer *out) {
    unsigned again = 0;
    const char *broken = nd_test_read_units(path, cuts, count, NULL, damaged, out, &again);
    CU_ASSERT_STRING_EQUAL(broken != NULL ? broken : "", "");
    return again;
}

static int compare_numbers(const void *a, const void *b) {
    const uint64_t left = *(const uint64_t *)a;
    const uint64_t right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

static size_t make_cuts(nd_random *random, uint64_t bytes, uint64_t *cuts) {
    const size_t inner = (size_t)nd_random_below(random, MOST_UNITS);
    cuts[0] = 0;
    for (size_t i = 1; i <= inner; i++) {
        cuts[i] = nd_random_below(random, bytes + 1);
    }
    cuts[inner + 1] = bytes;
    nd_sort(cuts, inner + 2, sizeof *cuts, compare_numbers);
    return inner + 2;
}

static bool same(const nd_buffer *a, const nd_buffer *b) {
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

static unsigned check_source(nd_random *random, source_kind kind, nd_test_packing packing,
                             bool fakes) {
    made_source made = make_source(random, kind, packing, fakes);
    const char *path = nd_test_write("source", nd_buffer_span(&made.file));
    nd_source_shape shape = {0};
    nd_buffer whole = {0};
    unsigned again = 0;
    CU_ASSERT_EQUAL(nd_source_look(path, NULL, &shape), ND_OK);
    CU_ASSERT_TRUE(shape.splittable);
    CU_ASSERT_EQUAL(shape.bytes, made.file.size);
    read_range(path, shape.bytes, ND_TEST_READ_GOOD, &whole);
    CU_ASSERT_TRUE(same(&whole, &made.pages));
    for (int i = 0; i < CUTTINGS; i++) {
        uint64_t cuts[MOST_UNITS + 2];
        nd_buffer pages = {0};
        const size_t count = make_cuts(random, shape.bytes, cuts);
        again += read_units(path, cuts, count, false, &pages);
        CU_ASSERT_TRUE(same(&pages, &made.pages));
        pages.size = 0;
        if (!fakes) {
            read_moving(path, cuts, count, &pages);
            CU_ASSERT_TRUE(same(&pages, &made.pages));
        }
        nd_buffer_free(&pages);
    }
    nd_buffer_free(&whole);
    nd_buffer_free(&made.file);
    nd_buffer_free(&made.pages);
    return again;
}

static void check_kind(const char *name, source_kind kind, nd_test_packing packing) {
    nd_random random = nd_test_random(name);
    for (int i = 0; i < nd_test_rounds(ROUNDS); i++) {
        CU_ASSERT_EQUAL(check_source(&random, kind, packing, false), 0);
    }
}

static void test_plain_warc(void) {
    check_kind("plain warc", SOURCE_WARC, ND_TEST_PLAIN);
}

static void test_warc_gz(void) {
    check_kind("warc.gz", SOURCE_WARC, ND_TEST_GZIP);
    check_kind("stored warc.gz", SOURCE_WARC, ND_TEST_GZIP_STORED);
}

static void test_warc_zst(void) {
    check_kind("warc.zst", SOURCE_WARC, ND_TEST_ZSTD);
}

static void test_arc(void) {
    check_kind("plain arc", SOURCE_ARC, ND_TEST_PLAIN);
    check_kind("arc.gz", SOURCE_ARC, ND_TEST_GZIP);
}

static void test_jsonl(void) {
    check_kind("jsonl", SOURCE_JSONL, ND_TEST_PLAIN);
}

/* Until some cut has fallen between a record's start and the fake inside it. */
static void check_fakes(const char *name, source_kind kind, nd_test_packing packing) {
    nd_random random = nd_test_random(name);
    unsigned again = 0;
    for (int i = 0; i < nd_test_rounds(ROUNDS_OF_FAKES) || (again == 0 && i < 4 * ROUNDS_OF_FAKES);
         i++) {
        again += check_source(&random, kind, packing, true);
    }
    CU_ASSERT_TRUE(again > 0);
}

static void test_fakes(void) {
    check_fakes("plain warc with fakes", SOURCE_WARC, ND_TEST_PLAIN);
    check_fakes("plain arc with fakes", SOURCE_ARC, ND_TEST_PLAIN);
    check_fakes("stored warc.gz with fakes", SOURCE_WARC, ND_TEST_GZIP_STORED);
}

/* Damage is met and passed by the same reader for any cut, whatever it costs. */
static void check_damaged(const char *name, source_kind kind, nd_test_packing packing) {
    nd_random random = nd_test_random(name);
    for (int i = 0; i < nd_test_rounds(ROUNDS * 2); i++) {
        made_source made = make_source(&random, kind, packing, i % 2 == 0);
        nd_buffer whole = {0};
        const size_t head = made.file.size <= 300 ? made.file.size - 1 : 300;
        for (uint64_t hits = 1 + nd_random_below(&random, 4); hits > 0; hits--) {
            made.file.data[head + nd_random_below(&random, made.file.size - head)] ^=
                (uint8_t)(1 + nd_random_below(&random, 255));
        }
        const char *path = nd_test_write("source", nd_buffer_span(&made.file));
        nd_source_shape shape;
        /* one of a single record may be of no use at all, or not be cut */
        const bool usable = nd_source_look(path, NULL, &shape) == ND_OK && shape.splittable;
        if (usable) {
            read_range(path, made.file.size, ND_TEST_READ_DAMAGE, &whole);
        }
        for (int cutting = 0; usable && cutting < CUTTINGS; cutting++) {
            uint64_t cuts[MOST_UNITS + 2];
            nd_buffer pages = {0};
            const size_t count = make_cuts(&random, made.file.size, cuts);
            (void)read_units(path, cuts, count, true, &pages);
            CU_ASSERT_TRUE(same(&pages, &whole));
            nd_buffer_free(&pages);
        }
        nd_buffer_free(&whole);
        nd_buffer_free(&made.file);
        nd_buffer_free(&made.pages);
    }
}

static void test_damaged(void) {
    check_damaged("damaged plain warc", SOURCE_WARC, ND_TEST_PLAIN);
    check_damaged("damaged warc.gz", SOURCE_WARC, ND_TEST_GZIP);
    check_damaged("damaged stored warc.gz", SOURCE_WARC, ND_TEST_GZIP_STORED);
    check_damaged("damaged warc.zst", SOURCE_WARC, ND_TEST_ZSTD);
    check_damaged("damaged plain arc", SOURCE_ARC, ND_TEST_PLAIN);
    check_damaged("damaged arc.gz", SOURCE_ARC, ND_TEST_GZIP);
    check_damaged("damaged jsonl", SOURCE_JSONL, ND_TEST_PLAIN);
}

static const nd_test tests[] = {
    {"plain WARC", test_plain_warc},
    {"WARC, a gzip member per record", test_warc_gz},
    {"WARC, a zstd frame per record", test_warc_zst},
    {"ARC", test_arc},
    {"JSONL", test_jsonl},
    {"damaged sources", test_damaged},
    {"fake starts are seen through the chain", test_fakes},
};
ND_SUITE(p_reader_cuts, tests)
