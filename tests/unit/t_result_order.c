/* Pages of a result in other orders. */
#include "io/result/result_file.h"
#include "io/result/result_order.h"
#include "io/result/result_read.h"
#include "src/base/sort.h"
#include "tests/support/check.h"
#include "tests/support/failing_calls.h"
#include "tests/support/small_result.h"
#include "tests/support/sources.h"

#include <unistd.h>

/* ---- Pages of a result in order: by their SURTs, or by a field of the lines that they came from,
 * which are read again; and what is kept of sets by such rules. */

/* The fields of the pages, five of source p and three of q; in order of n: 7 "1e3", 0 30, 1 "30 ",
 * 4 -0, 6 0, 3 "-7", then texts 5 "zz" and 2 "0x9", which is no number here. */
static const char *const lines[ND_TEST_PAGES] = {
    "{\"id\":\"a\",\"url\":\"a\",\"text\":\"one\",\"n\":30}\n",
    "{\"url\":\"b\",\"text\":\"two\",\"n\":\"30 \"}\n",
    "{\"url\":\"c\",\"text\":\"three\",\"n\":\"0x9\"}\n",
    "{\"id\":\"b\",\"url\":\"d\",\"text\":\"four\",\"n\":\"-7\"}\n",
    "{\"id\":\"c\",\"text\":\"five\",\"n\":-0.0}\n",
    "{\"id\":\"d\",\"text\":\"six\",\"n\":\"zz\"}\n",
    "{\"text\":\"seven\",\"n\":0}\n",
    "{\"text\":\"eight\",\"n\":\"1e3\",\"m\":1}\n"};
static nd_test_change changes[64];
static size_t change_count;

static void change(const char *column, uint64_t row, double value) {
    changes[change_count++] = (nd_test_change){column, row, value, NULL};
}

/* A result of these lines, without revisits; and its sources, which are named from its folder.
 * Changes that are there already come first. */
static void make_of(const char *name, const char *const *of, nd_result *result) {
    nd_buffer sources[2] = {{0}, {0}};
    char path[512];
    for (size_t i = 0; i < ND_TEST_PAGES; i++) {
        nd_buffer *file = &sources[i < 5 ? 0 : 1];
        change("/pages/offset", i, (double)file->size);
        change("/pages/checksum", i, 0);
        nd_test_print(file, "%s", of[i]);
        if (i == 1) {
            nd_test_print(file, "no JSON\n"); /* what the run had to skip */
        }
    }
    change("/pages/revisit_of", 3, 1e18);
    change("/pages/revisit_of", 7, 1e18);
    change("/pages/id_bytes", 1, 'b');
    change("/pages/id_bytes", 2, 'c');
    change("/pages/url_bytes", 1, 'b');
    change("/pages/url_bytes", 2, 'c');
    change("/sources/bytes", 0, (double)sources[0].size);
    change("/sources/bytes", 1, (double)sources[1].size);
    (void)nd_test_write("p", nd_buffer_span(&sources[0]));
    (void)nd_test_write("q", nd_buffer_span(&sources[1]));
    nd_buffer_free(&sources[0]);
    nd_buffer_free(&sources[1]);
    const nd_test_made made = {.changes = changes, .change_count = change_count};
    (void)snprintf(path, sizeof path, "%s/%s", nd_test_folder(), name);
    nd_test_must(nd_test_result_write(result, path, &made));
    nd_test_result_finish(result);
    nd_test_must(nd_result_open(result, path));
    change_count = 0;
}

static void make(const char *name, nd_result *result) {
    make_of(name, lines, result);
}

/* \param[in] places  of each page its place; pages with equal values have one */
static void check_ranks(const uint64_t *ranks, const int *places) {
    for (size_t i = 0; i < ND_TEST_PAGES; i++) {
        for (size_t k = 0; k < ND_TEST_PAGES; k++) {
            const int by_rank = (ranks[i] > ranks[k]) - (ranks[i] < ranks[k]);
            const int by_place = (places[i] > places[k]) - (places[i] < places[k]);
            if (by_rank != by_place) {
                printf("pages %zu and %zu\n", i, k);
                CU_FAIL("order");
            }
        }
    }
}

ND_TEST("orders") {
    static const int by_n[] = {1, 1, 5, 3, 2, 4, 2, 0};
    static const int by_m[] = {1, 1, 1, 1, 1, 1, 1, 0};
    static const int by_surt[] = {0, 1, 2, 3, 4, 4, 4, 4};
    nd_result result;
    uint64_t *ranks = NULL;
    make("ordered.h5", &result);
    ND_TEST_MUST(nd_result_order(&result, "n", 0, &ranks));
    check_ranks(ranks, by_n);
    free(ranks);
    ND_TEST_MUST(nd_result_order(&result, "m", 0, &ranks));
    check_ranks(ranks, by_m);
    CU_ASSERT_EQUAL(ranks[0], UINT64_MAX); /* without: after all others */
    free(ranks);
    ND_TEST_MUST(nd_result_order(&result, NULL, 0, &ranks));
    check_ranks(ranks, by_surt);
    CU_ASSERT_EQUAL(ranks[5], UINT64_MAX);
    free(ranks);
    ranks = NULL;
    CU_ASSERT_EQUAL(nd_result_order(&result, "none", 0, &ranks), ND_ERR_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "has a field none"));
    free(ranks);
    (void)nd_result_close(&result);
}

/* Numbers come before texts, which are what no number is to its end, or is none. */
ND_TEST("values") {
    static const char *const values[ND_TEST_PAGES] = {
        "{\"id\":\"a\",\"url\":\"a\",\"text\":\"\",\"n\":\"\"}\n",
        "{\"url\":\"b\",\"text\":\"\",\"n\":\"7x\"}\n",
        "{\"url\":\"c\",\"text\":\"\",\"n\":\"-nan\"}\n",
        "{\"id\":\"b\",\"url\":\"d\",\"text\":\"\",\"n\":\"-\"}\n",
        ("{\"id\":\"c\",\"text\":\"\",\"n\":"
         "\"1111111111111111111111111111111111111111111111111111111111111111111111\"}\n"),
        "{\"id\":\"d\",\"text\":\"\",\"n\":\"9\"}\n",
        "{\"text\":\"\",\"n\":\"-inf\"}\n",
        "{\"text\":\"\"}\n"};
    static const int by_n[] = {6, 2, 4, 5, 3, 0, 1, 7};
    nd_result result;
    ND_FREED uint64_t *ranks = NULL;
    make_of("values.h5", values, &result);
    ND_TEST_MUST(nd_result_order(&result, "n", 0, &ranks));
    check_ranks(ranks, by_n);
    (void)nd_result_close(&result);
}

/* Pages of other sources than lines have no fields. */
ND_TEST("no lines") {
    nd_result result;
    ND_FREED uint64_t *ranks = NULL;
    make("pages.h5", &result);
    const char *path = nd_test_path("q");
    ND_OWNED(nd_buffer_free) nd_buffer html = nd_test_read(path);
    memset(html.data, ' ', html.size);
    memcpy(html.data, "<html>", 6);
    (void)nd_test_write("q", nd_buffer_span(&html));
    ND_TEST_MUST(nd_result_order(&result, "n", 0, &ranks));
    CU_ASSERT(ranks[0] == ranks[1] && ranks[0] < ranks[4] && ranks[4] < ranks[3]);
    for (size_t i = 5; i < ND_TEST_PAGES; i++) {
        CU_ASSERT_EQUAL(ranks[i], UINT64_MAX);
    }
    (void)nd_result_close(&result);
}

static void check_kept(const nd_result *result, const nd_keep_wish *wish,
                       const uint64_t *expected) {
    ND_FREED uint64_t *kept = NULL;
    ND_TEST_MUST(nd_result_choose(result, wish, &kept, NULL));
    for (size_t i = 0; i < ND_TEST_PAGES; i++) {
        if (kept[i] != expected[i]) {
            printf("--keep %s: page %zu by %d, not %d\n", wish->rules, i, (int)kept[i],
                   (int)expected[i]);
            CU_FAIL("kept");
        }
    }
}

/* Sets are {2, 0, 1}, {3} and {4, 5, 6, 7}; page 4 is of another collection than the rest of its
 * set. */
ND_TEST("kept") {
    static const struct {
        nd_keep_wish wish;
        uint64_t kept[ND_TEST_PAGES];
    } cases[] = {
        {{.rules = NULL}, {2, 2, 2, 3, 4, 4, 4, 4}},
        {{.rules = "first"}, {0, 0, 0, 3, 4, 4, 4, 4}},
        {{.rules = "field:n"}, {0, 0, 0, 3, 7, 7, 7, 7}},
        {{.rules = "field:m,latest"}, {2, 2, 2, 3, 7, 7, 7, 7}},
        {{.rules = "surt,field:n"}, {0, 0, 0, 3, 7, 7, 7, 7}},
        {{.rules = "longest"}, {0, 0, 0, 3, 5, 5, 5, 5}},
        {{.rules = "earliest"}, {1, 1, 1, 3, 4, 4, 4, 4}},
        {{.rules = "collection:c,latest"}, {2, 2, 2, 3, 7, 7, 7, 7}},
        {{.rules = "https,first"}, {0, 0, 0, 3, 4, 4, 4, 4}},
        {{.rules = "shortest-url"}, {0, 0, 0, 3, 4, 4, 4, 4}},
        {{.rules = "first", .each_collection = true}, {0, 0, 0, 3, 4, 5, 5, 5}},
        {{.rules = "first", .protect = "c"}, {0, 0, 0, 3, 5, 5, 6, 7}},
        {{.rules = "https,shortest-url,earliest,latest,longest,surt,field:n,field:m"},
         {1, 1, 1, 3, 4, 4, 4, 4}},
    };
    nd_result result;
    make("kept.h5", &result);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_kept(&result, &cases[i].wish, cases[i].kept);
    }
    (void)nd_result_close(&result);
}

/* Results of before there were revisits have none. */
ND_TEST("kept without revisits") {
    static const nd_keep_wish last = {.rules = "latest"};
    static const uint64_t without[] = {2, 2, 2, 3, 7, 7, 7, 7};
    const char *path = nd_test_path("revisits.h5");
    const nd_test_made made = {.left_out = "/pages/revisit_of"};
    nd_result result;
    nd_test_must(nd_test_result_write(&result, path, &made));
    nd_test_result_finish(&result);
    nd_test_must(nd_result_open(&result, path));
    check_kept(&result, &last, without);
    (void)nd_result_close(&result);
}

/* What a result says of its additions is the numbers of their first pages, or it is refused. */
ND_TEST("additions") {
    static const char *const wrong[] = {"[]",    "[1]", "[0,0]",   "[0,4,3]",
                                        "[0,9]", "{}",  "no JSON", "[0,\"x\"]"};
    static const uint64_t expected[ND_TEST_PAGES] = {0, 1, 2, 3, 4, 4, 4, 4};
    const nd_keep_wish wish = {.rules = NULL};
    const char *path = nd_test_path("additions.h5");
    for (size_t i = 0; i <= sizeof wrong / sizeof wrong[0]; i++) {
        const bool good = i == sizeof wrong / sizeof wrong[0];
        const nd_test_made made = {.additions = good ? "[0,3,5]" : wrong[i]};
        nd_result result;
        ND_FREED uint64_t *kept = NULL;
        nd_test_must(nd_test_result_write(&result, path, &made));
        nd_test_result_finish(&result);
        nd_test_must(nd_result_open(&result, path));
        const nd_status st = nd_result_choose(&result, &wish, &kept, NULL);
        CU_ASSERT_EQUAL(st, good ? ND_OK : ND_ERR_FORMAT);
        CU_ASSERT(good || strstr(nd_fail_text(), "additions") != NULL);
        for (size_t k = 0; good && k < ND_TEST_PAGES; k++) {
            CU_ASSERT_EQUAL(kept[k], expected[k]);
        }
        (void)nd_result_close(&result);
    }
}

/* Records that are not those of the run are refused by page. */
ND_TEST("changed") {
    nd_result result;
    uint64_t *ranks = NULL;
    make("changed.h5", &result);
    const char *path = nd_test_path("q");
    CU_ASSERT_EQUAL(truncate(path, 20), 0);
    CU_ASSERT_EQUAL(nd_result_order(&result, "n", 0, &ranks), ND_ERR_CHANGED);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "needed for page 5 of"));
    CU_ASSERT_EQUAL(unlink(path), 0);
    CU_ASSERT_EQUAL(nd_result_order(&result, "n", 0, &ranks), ND_ERR_CHANGED);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "needed for page 5 of"));
    (void)nd_result_close(&result);
}

/* So are places and checksums that are not those of the records. */
ND_TEST("other records") {
    static const nd_test_change wrong[] = {{"/pages/checksum", 0, 12345, "page 0 of"},
                                           {"/pages/offset", 1, 10, "page 1 of"},
                                           {"/pages/offset", 4, 1e6, "page 4 of"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        nd_result result;
        ND_FREED uint64_t *ranks = NULL;
        changes[change_count++] = wrong[i];
        make("wrong.h5", &result);
        CU_ASSERT_EQUAL(nd_result_order(&result, "n", 0, &ranks), ND_ERR_CHANGED);
        CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "another record is at byte"));
        CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), wrong[i].says));
        (void)nd_result_close(&result);
    }
}

/* ---- the same with failures, and the records themselves */

static char ordered[4096];

static nd_status order_result_order(void) {
    nd_status st = ND_OK;
    nd_result result = {.file = H5I_INVALID_HID};
    ND_FREED uint64_t *ranks = NULL;
    ND_TRY(nd_result_open(&result, ordered));
    ND_TRY(nd_result_order(&result, "n", 0, &ranks));
    CU_ASSERT(ranks[7] < ranks[0] && ranks[0] == ranks[1] && ranks[2] == UINT64_MAX - 1);
out:;
    const nd_status closed = nd_result_close(&result);
    return st != ND_OK ? st : closed;
}

static nd_status read_records(void) {
    nd_status st = ND_OK;
    nd_result result = {.file = H5I_INVALID_HID};
    nd_source_reader reader = {0};
    ND_OWNED(nd_page_rows_free) nd_page_rows rows = {0};
    const nd_reader_options options = {0};
    ND_TRY(nd_result_open(&result, ordered));
    ND_TEST_OK(nd_source_reader_begin(&reader, &result, &options));
    ND_TRY(nd_page_rows_read(&result, 0, ND_TEST_PAGES, &rows));
    for (uint64_t i = ND_TEST_PAGES; i-- > 0;) {
        ND_TRY(nd_source_reader_page(&reader, &rows, i));
        CU_ASSERT_EQUAL(reader.from.record.offset, rows.offset[i]);
    }
    CU_ASSERT(reader.from.record.text.size == 3 &&
              memcmp(reader.from.record.text.data, "one", 3) == 0);
    ND_TRY(nd_source_reader_check_tokens(&reader, &rows, 0, 9));
out:
    nd_source_reader_close(&reader);
    const nd_status closed = nd_result_close(&result);
    st = st == ND_ERR_CHANGED ? ND_ERR_INPUT : st; /* what cannot be had again is gone */
    return st != ND_OK ? st : closed;
}

ND_TEST("failures") {
    nd_result result;
    ND_OWNED(nd_page_rows_free) nd_page_rows rows = {0};
    make("failing.h5", &result);
    (void)snprintf(ordered, sizeof ordered, "%s", result.path);
    ND_TEST_OK(nd_page_rows_read(&result, 0, ND_TEST_PAGES, &rows));
    nd_source_reader reader;
    const nd_reader_options options = {0};
    ND_TEST_OK(nd_source_reader_begin(&reader, &result, &options));
    ND_TEST_OK(nd_source_reader_page(&reader, &rows, 0));
    CU_ASSERT_EQUAL(nd_source_reader_check_tokens(&reader, &rows, 0, 8), ND_ERR_CHANGED);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "has 8 tokens, and had 9 in the run"));
    nd_source_reader_close(&reader);
    (void)nd_result_close(&result);
    CU_ASSERT(nd_test_all_failures(order_result_order, NULL) >= 30);
    CU_ASSERT(nd_test_all_failures(read_records, NULL) >= 30);
}

/* ---- Pages found by their ids in the order that a result keeps of them: those that are there
 * once, several times, more often than is read at once, or not at all; and orders that are damaged.
 */

/* The first pages share an id, the next ones have one of their own, the last ones have none. */
enum { SHARED = 600, OWN = 300, PAGES = 1000 };
typedef struct place {
    uint32_t hash;
    uint64_t page;
} place;

ND_TEST_ORDER_OF(by_hash, place, hash, page, page)

static nd_span id_of(uint64_t page) {
    static char text[32];
    (void)snprintf(text, sizeof text, "%s%05" PRIu64, page < SHARED ? "all" : "own",
                   page < SHARED ? 0 : page);
    return page < SHARED + OWN ? nd_test_span(text) : (nd_span){0};
}

static void write_numbers(nd_result *result, const char *name, nd_column_type type, uint64_t rows,
                          const void *values) {
    const nd_slab slab = {.total = rows, .count = rows};
    nd_test_must(nd_result_write(result, name, type, &slab, values));
}

static place name_order[PAGES];

static void make_order(void) {
    for (uint64_t p = 0; p < PAGES; p++) {
        name_order[p] = (place){nd_name_hash(id_of(p), p, PAGES), p};
    }
    nd_sort(name_order, PAGES, sizeof *name_order, by_hash);
}

/* \return the row of a page in the order */
static size_t row_of(uint64_t page) {
    size_t row = 0;
    while (name_order[row].page != page) {
        row++;
    }
    return row;
}

/* A result of the order as it is now, opened. */
static void open_made(nd_result *result) {
    uint64_t offsets[PAGES + 1] = {0}, pages[PAGES];
    uint32_t hashes[PAGES];
    ND_OWNED(nd_buffer_free) nd_buffer bytes = {0};
    const char *path = nd_test_path("order.h5");
    for (uint64_t p = 0; p < PAGES; p++) {
        const nd_span id = id_of(p);
        nd_buffer_append(&bytes, id.data, id.size);
        offsets[p + 1] = bytes.size;
        pages[p] = name_order[p].page;
        hashes[p] = name_order[p].hash;
    }
    nd_test_must(nd_result_create(result, path, H5P_DEFAULT, H5P_DEFAULT));
    nd_test_must(nd_result_group(result, "/pages"));
    write_numbers(result, nd_id_columns.offsets, ND_COLUMN_U64, PAGES + 1, offsets);
    write_numbers(result, nd_id_columns.bytes, ND_COLUMN_U8, bytes.size, bytes.data);
    write_numbers(result, nd_id_columns.pages, ND_COLUMN_U64, PAGES, pages);
    write_numbers(result, nd_id_columns.hashes, ND_COLUMN_U32, PAGES, hashes);
    nd_test_must(nd_result_close(result));
    nd_test_must(nd_seal_file(path));
    nd_test_must(nd_result_open_file(result, path));
    result->shape.pages = PAGES;
}

static nd_status find(const nd_result *result, nd_span id, uint64_t *pages, uint64_t most,
                      uint64_t *count) {
    return nd_name_order_find(result, &nd_id_columns, id, pages, most, count);
}

ND_TEST("found") {
    nd_result result;
    uint64_t pages[PAGES], count = 0;
    make_order();
    open_made(&result);
    for (uint64_t p = SHARED; p < SHARED + OWN; p += 7) {
        ND_TEST_OK(find(&result, id_of(p), pages, PAGES, &count));
        CU_ASSERT(count == 1 && pages[0] == p);
    }
    ND_TEST_OK(find(&result, id_of(0), pages, PAGES, &count));
    CU_ASSERT_EQUAL_FATAL(count, SHARED);
    for (uint64_t p = 0; p < SHARED; p++) {
        CU_ASSERT_EQUAL(pages[p], p);
    }
    pages[2] = 77; /* no more are given than there is room for */
    ND_TEST_OK(find(&result, id_of(0), pages, 2, &count));
    CU_ASSERT(count == SHARED && pages[0] == 0 && pages[1] == 1 && pages[2] == 77);
    static const char *const others[] = {"none", "own0060", "own006000", "all00001", ""};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        ND_TEST_OK(find(&result, nd_test_span(others[i]), pages, PAGES, &count));
        CU_ASSERT_EQUAL(count, 0);
    }
    ND_TEST_OK(nd_name_order_check(&result, &nd_id_columns));
    (void)nd_result_close(&result);
}

/* Another name with the hash that is looked for is not the page's: its bytes count. */
ND_TEST("equal hashes") {
    nd_result result;
    uint64_t page = 0, count = 0;
    make_order();
    const size_t row = row_of(SHARED + 1);
    name_order[row].hash = nd_name_hash(nd_test_span("other"), 0, PAGES);
    nd_sort(name_order, PAGES, sizeof *name_order, by_hash);
    open_made(&result);
    ND_TEST_OK(find(&result, nd_test_span("other"), &page, 1, &count));
    CU_ASSERT_EQUAL(count, 0);
    CU_ASSERT_EQUAL(nd_name_order_check(&result, &nd_id_columns), ND_ERR_FORMAT);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "/pages/by_id: not each page, or another hash"));
    (void)nd_result_close(&result);
}

static void check_broken(size_t row) {
    nd_result result;
    char says[64];
    open_made(&result);
    (void)snprintf(says, sizeof says, "/pages/by_id: row %zu is not in order", row);
    CU_ASSERT_EQUAL(nd_name_order_check(&result, &nd_id_columns), ND_ERR_FORMAT);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), says));
    (void)nd_result_close(&result);
}

ND_TEST("damage") {
    nd_result result;
    uint64_t page = 0, count = 0;
    make_order();
    const size_t row = row_of(SHARED + 1);
    name_order[row].page = PAGES; /* beyond the result: neither read nor believed */
    open_made(&result);
    CU_ASSERT_EQUAL(find(&result, id_of(SHARED + 1), &page, 1, &count), ND_ERR_FORMAT);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "order.h5: /pages/by_id: row"));
    (void)nd_result_close(&result);
    check_broken(row);
    make_order();
    const size_t first = row_of(0);
    CU_ASSERT_EQUAL(name_order[first + 1].hash, name_order[first].hash);
    name_order[first + 1].page = 0; /* equal hashes, and no later page */
    check_broken(first + 1);
    make_order();
    name_order[first].hash++; /* the next one is less then */
    check_broken(first + 1);
    make_order();
    name_order[PAGES - 1].page = PAGES + 5;
    check_broken(PAGES - 1);
}

static nd_status find_some(void) {
    nd_status st = ND_OK;
    nd_result result;
    uint64_t pages[PAGES], count = 0;
    const char *path = nd_test_path("order.h5");
    ND_TRY(nd_result_open_file(&result, path));
    result.shape.pages = PAGES;
    ND_TRY(find(&result, id_of(SHARED + 3), pages, PAGES, &count));
    CU_ASSERT(count == 1 && pages[0] == SHARED + 3);
    ND_TRY(nd_name_order_check(&result, &nd_id_columns));
out:;
    const nd_status closed = nd_result_close(&result);
    return st != ND_OK ? st : closed;
}

ND_TEST("result name order: failures") {
    nd_result result;
    make_order();
    open_made(&result);
    (void)nd_result_close(&result);
    CU_ASSERT(nd_test_all_failures(find_some, NULL) >= nd_test_rounds(30));
}
