#include "io/result/result_name_order.h"

#include "io/result/result_sources.h"
#include "src/base/buffer.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static const uint64_t ROWS_AT_ONCE = UINT64_C(1) << 16;

const nd_name_columns nd_id_columns = {"/pages/id_offset", "/pages/id_bytes", "/pages/by_id",
                                       "/pages/by_id_hash"};
const nd_name_columns nd_url_columns = {"/pages/url_offset", "/pages/url_bytes", "/pages/by_url",
                                        "/pages/by_url_hash"};

uint32_t nd_name_hash(nd_span name, uint64_t page, uint64_t pages) {
    const uint64_t part = UINT64_MAX / nd_max(pages, 1);
    return (uint32_t)((name.size > 0 ? XXH3_64bits(name.data, name.size) : page * part) >> 32);
}

static nd_status broken(const nd_result *result, const char *name, uint64_t row) {
    return nd_fail(ND_ERR_FORMAT, "%s: %s: row %" PRIu64 " is not in order", result->path, name,
                   row);
}

/* ---- finding */

static nd_status find_first(const nd_result *result, const char *hashes, uint32_t hash,
                            uint64_t *row) {
    nd_status st = ND_OK;
    uint64_t low = 0;
    uint64_t high = result->shape.pages;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        uint32_t there = 0;
        ND_TRY(nd_result_read(result, hashes, ND_COLUMN_U32, middle, 1, &there));
        low = there < hash ? middle + 1 : low;
        high = there < hash ? high : middle;
    }
    *row = low;
out:
    return st;
}

nd_status nd_name_order_find(const nd_result *result, const nd_name_columns *columns, nd_span name,
                             uint64_t *pages, uint64_t most, uint64_t *count) {
    enum { AT_ONCE = 256 };
    nd_status st = ND_OK;
    nd_buffer found = {0};
    uint32_t hashes[AT_ONCE];
    uint64_t those[AT_ONCE];
    uint64_t begin = 0;
    uint64_t rows = AT_ONCE;
    const uint32_t hash = nd_name_hash(name, 0, result->shape.pages);
    *count = 0;
    ND_TRY(find_first(result, columns->hashes, hash, &begin));
    for (bool same = true; same && begin < result->shape.pages; begin += rows) {
        rows = nd_min(result->shape.pages - begin, AT_ONCE);
        ND_TRY(nd_result_read(result, columns->hashes, ND_COLUMN_U32, begin, rows, hashes));
        ND_TRY(nd_result_read(result, columns->pages, ND_COLUMN_U64, begin, rows, those));
        for (uint64_t i = 0; i < rows && (same = hashes[i] == hash); i++) {
            if (those[i] >= result->shape.pages) {
                st = broken(result, columns->pages, begin + i);
                goto out;
            }
            ND_TRY(nd_result_text_read(result, columns->offsets, columns->bytes, those[i], &found));
            if (found.size == name.size + 1 && memcmp(found.data, name.data, name.size) == 0) {
                if (*count < most) {
                    pages[*count] = those[i];
                }
                ++*count;
            }
        }
    }
out:
    nd_buffer_free(&found);
    return st;
}

/* ---- checking */

/* A number of a hash and a page: the sum of those of all pages does not depend on their order. */
static uint64_t mark_of(uint32_t hash, uint64_t page) {
    const uint64_t both[2] = {hash, page};
    return XXH3_64bits(both, sizeof both);
}

static nd_status sum_names(const nd_result *result, const nd_name_columns *columns, uint64_t *sum) {
    nd_status st = ND_OK;
    uint64_t *offsets = NULL;
    nd_buffer bytes = {0};
    uint64_t end = 0;
    const uint64_t pages = result->shape.pages;
    ND_TRY(nd_result_rows(result, columns->bytes, ND_COLUMN_U8, &end));
    nd_new_room(&offsets, nd_min(pages, ROWS_AT_ONCE) + 1, sizeof *offsets);
    for (uint64_t begin = 0; begin < pages; begin += ROWS_AT_ONCE) {
        const uint64_t rows = nd_min(pages - begin, ROWS_AT_ONCE);
        ND_TRY(nd_result_read_offsets(result, columns->offsets, begin, rows, false, end, offsets));
        const uint64_t size = offsets[rows] - offsets[0];
        bytes.size = 0;
        nd_buffer_reserve(&bytes, size);
        ND_TRY(nd_result_read(result, columns->bytes, ND_COLUMN_U8, offsets[0], size, bytes.data));
        bytes.size = size;
        for (uint64_t i = 0; i < rows; i++) {
            const nd_span name = nd_span_part(nd_buffer_span(&bytes), offsets[i] - offsets[0],
                                              offsets[i + 1] - offsets[0]);
            *sum += mark_of(nd_name_hash(name, begin + i, pages), begin + i);
        }
    }
out:
    free(offsets);
    nd_buffer_free(&bytes);
    return st;
}

static nd_status check_order(const nd_result *result, const nd_name_columns *columns) {
    nd_status st = ND_OK;
    uint64_t *those = NULL;
    uint32_t *hashes = NULL;
    uint64_t sum = 0;
    uint64_t expected = 0;
    uint64_t last = 0;
    uint32_t last_hash = 0;
    const uint64_t pages = result->shape.pages;
    if (!nd_result_has(result, columns->pages)) {
        return ND_OK;
    }
    nd_new_room(&those, nd_min(pages, ROWS_AT_ONCE), sizeof *those);
    nd_new_room(&hashes, nd_min(pages, ROWS_AT_ONCE), sizeof *hashes);
    for (uint64_t begin = 0; begin < pages; begin += ROWS_AT_ONCE) {
        const uint64_t rows = nd_min(pages - begin, ROWS_AT_ONCE);
        ND_TRY(nd_result_read(result, columns->pages, ND_COLUMN_U64, begin, rows, those));
        ND_TRY(nd_result_read(result, columns->hashes, ND_COLUMN_U32, begin, rows, hashes));
        for (uint64_t i = 0; i < rows; i++) {
            const bool after = begin + i == 0 || hashes[i] > last_hash ||
                               (hashes[i] == last_hash && those[i] > last);
            if (!after || those[i] >= pages) {
                st = broken(result, columns->pages, begin + i);
                goto out;
            }
            sum += mark_of(hashes[i], those[i]);
            last = those[i];
            last_hash = hashes[i];
        }
    }
    ND_TRY(sum_names(result, columns, &expected));
    if (sum != expected) {
        st = nd_fail(ND_ERR_FORMAT, "%s: %s: not each page, or another hash than its name has",
                     result->path, columns->pages);
    }
out:
    free(those);
    free(hashes);
    return st;
}

nd_status nd_name_order_check(const nd_result *result) {
    const nd_status st = check_order(result, &nd_id_columns);
    return st != ND_OK ? st : check_order(result, &nd_url_columns);
}
