/* Pages found by their ids in the order that a result keeps of them: those that are there once,
 * several times, more often than is read at once, or not at all; and orders that are damaged. */
#include "io/result/result_file.h"
#include "io/result/result_order.h"
#include "src/base/sort.h"
#include "tests/support/check.h"
#include "tests/support/failing_calls.h"
#include "tests/support/warc_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The first pages share an id, the next ones have one of their own, the last ones have none. */
enum { SHARED = 600, OWN = 300, PAGES = 1000 };

typedef struct place {
    uint32_t hash;
    uint64_t page;
} place;

static int by_hash(const void *a, const void *b) {
    const place *x = a;
    const place *y = b;
    return x->hash != y->hash ? (x->hash > y->hash) - (x->hash < y->hash)
                              : (x->page > y->page) - (x->page < y->page);
}

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

static place order[PAGES];

static void make_order(void) {
    for (uint64_t p = 0; p < PAGES; p++) {
        order[p] = (place){nd_name_hash(id_of(p), p, PAGES), p};
    }
    nd_sort(order, PAGES, sizeof *order, by_hash);
}

/* \return the row of a page in the order */
static size_t row_of(uint64_t page) {
    size_t row = 0;
    while (order[row].page != page) {
        row++;
    }
    return row;
}

/* A result of the order as it is now, opened. */
static void open_made(nd_result *result) {
    char path[512];
    uint64_t offsets[PAGES + 1] = {0}, pages[PAGES];
    uint32_t hashes[PAGES];
    nd_buffer bytes = {0};
    (void)snprintf(path, sizeof path, "%s/order.h5", nd_test_folder());
    for (uint64_t p = 0; p < PAGES; p++) {
        const nd_span id = id_of(p);
        nd_buffer_append(&bytes, id.data, id.size);
        offsets[p + 1] = bytes.size;
        pages[p] = order[p].page;
        hashes[p] = order[p].hash;
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
    nd_buffer_free(&bytes);
}

static nd_status find(const nd_result *result, nd_span id, uint64_t *pages, uint64_t most,
                      uint64_t *count) {
    return nd_name_order_find(result, &nd_id_columns, id, pages, most, count);
}

static void test_find(void) {
    nd_result result;
    uint64_t pages[PAGES], count = 0;
    make_order();
    open_made(&result);
    for (uint64_t p = SHARED; p < SHARED + OWN; p += 7) {
        CU_ASSERT_EQUAL(find(&result, id_of(p), pages, PAGES, &count), ND_OK);
        CU_ASSERT(count == 1 && pages[0] == p);
    }
    CU_ASSERT_EQUAL(find(&result, id_of(0), pages, PAGES, &count), ND_OK);
    CU_ASSERT_EQUAL_FATAL(count, SHARED);
    for (uint64_t p = 0; p < SHARED; p++) {
        CU_ASSERT_EQUAL(pages[p], p);
    }
    pages[2] = 77; /* no more are given than there is room for */
    CU_ASSERT_EQUAL(find(&result, id_of(0), pages, 2, &count), ND_OK);
    CU_ASSERT(count == SHARED && pages[0] == 0 && pages[1] == 1 && pages[2] == 77);
    static const char *const others[] = {"none", "own0060", "own006000", "all00001", ""};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        CU_ASSERT_EQUAL(find(&result, nd_test_span(others[i]), pages, PAGES, &count), ND_OK);
        CU_ASSERT_EQUAL(count, 0);
    }
    CU_ASSERT_EQUAL(nd_name_order_check(&result), ND_OK);
    (void)nd_result_close(&result);
}

/* Another name with the hash that is looked for is not the page's: its bytes count. */
static void test_equal_hashes(void) {
    nd_result result;
    uint64_t page = 0, count = 0;
    make_order();
    const size_t row = row_of(SHARED + 1);
    order[row].hash = nd_name_hash(nd_test_span("other"), 0, PAGES);
    nd_sort(order, PAGES, sizeof *order, by_hash);
    open_made(&result);
    CU_ASSERT_EQUAL(find(&result, nd_test_span("other"), &page, 1, &count), ND_OK);
    CU_ASSERT_EQUAL(count, 0);
    CU_ASSERT_EQUAL(nd_name_order_check(&result), ND_ERR_FORMAT);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "/pages/by_id: not each page, or another hash"));
    (void)nd_result_close(&result);
}

static void check_broken(size_t row) {
    nd_result result;
    char says[64];
    open_made(&result);
    (void)snprintf(says, sizeof says, "/pages/by_id: row %zu is not in order", row);
    CU_ASSERT_EQUAL(nd_name_order_check(&result), ND_ERR_FORMAT);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), says));
    (void)nd_result_close(&result);
}

static void test_damage(void) {
    nd_result result;
    uint64_t page = 0, count = 0;
    make_order();
    const size_t row = row_of(SHARED + 1);
    order[row].page = PAGES; /* beyond the result: neither read nor believed */
    open_made(&result);
    CU_ASSERT_EQUAL(find(&result, id_of(SHARED + 1), &page, 1, &count), ND_ERR_FORMAT);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "order.h5: /pages/by_id: row"));
    (void)nd_result_close(&result);
    check_broken(row);
    make_order();
    const size_t first = row_of(0);
    CU_ASSERT_EQUAL(order[first + 1].hash, order[first].hash);
    order[first + 1].page = 0; /* equal hashes, and no later page */
    check_broken(first + 1);
    make_order();
    order[first].hash++; /* the next one is less then */
    check_broken(first + 1);
    make_order();
    order[PAGES - 1].page = PAGES + 5;
    check_broken(PAGES - 1);
}

static nd_status find_some(void) {
    nd_status st = ND_OK;
    nd_result result;
    uint64_t pages[PAGES], count = 0;
    char path[512];
    (void)snprintf(path, sizeof path, "%s/order.h5", nd_test_folder());
    ND_TRY(nd_result_open_file(&result, path));
    result.shape.pages = PAGES;
    ND_TRY(find(&result, id_of(SHARED + 3), pages, PAGES, &count));
    CU_ASSERT(count == 1 && pages[0] == SHARED + 3);
    ND_TRY(nd_name_order_check(&result));
out:;
    const nd_status closed = nd_result_close(&result);
    return st != ND_OK ? st : closed;
}

static void test_failures(void) {
    nd_result result;
    make_order();
    open_made(&result);
    (void)nd_result_close(&result);
    CU_ASSERT(nd_test_all_failures(find_some, NULL) >= nd_test_rounds(30));
}

static const nd_test tests[] = {{"found", test_find},
                                {"equal hashes", test_equal_hashes},
                                {"damage", test_damage},
                                {"failures", test_failures}};
ND_SUITE(t_result_name_order, tests)
