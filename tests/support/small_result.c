#include "tests/support/small_result.h"

#include "io/result/result_file.h"
#include "io/result/result_read.h"
#include "tests/support/brief.h"
#include "tests/support/sources.h"

#define NO 1e18 /* UINT64_MAX: see put_value() */

const nd_test_column nd_test_columns[] = {
    {"/pages/set", ND_COLUMN_U64, 8, {0, 0, 0, 1, 2, 2, 2, 2}},
    {"/pages/similarity", ND_COLUMN_F32, 8, {.5, .5, 1, 1, 1, .75, 0, .25}},
    {"/pages/link", ND_COLUMN_U64, 8, {2, 0, 2, 3, 4, 4, 5, 4}},
    {"/pages/link_similarity", ND_COLUMN_F32, 8, {.5, 1, 1, 1, 1, .75, .75, .5}},
    {"/pages/exact_of", ND_COLUMN_U64, 8, {0, 0, 2, 3, 4, 5, 6, 6}},
    {"/pages/tokens", ND_COLUMN_U32, 8, {9, 9, 9, 0, 7, 8, 6, 6}},
    {"/pages/thin", ND_COLUMN_U8, 8, {0, 0, 1, 0, 0, 0, 1, 1}},
    {"/pages/form", ND_COLUMN_U8, 8, {0, 1, 0, 0, 0, 1, 0, 0}},
    {"/pages/certainty", ND_COLUMN_F32, 8, {.5, 1, 1, 1, 1, .75, 0, .25}},
    {"/pages/date", ND_COLUMN_U64, 8, {0, 1, 1600000000, 0, 5, 6, 7, 8}},
    {"/pages/checksum", ND_COLUMN_U64, 8, {11, 12, 13, 14, 15, 16, 17, 18}},
    {"/pages/revisit_of", ND_COLUMN_U64, 8, {NO, NO, NO, 3, NO, NO, NO, 6}},
    {"/pages/subject", ND_COLUMN_U16, 8, {0, 7, 7, 0, 65535, 8, 8, 8}},
    {"/pages/collection", ND_COLUMN_U16, 8, {0, 0, 0, 0, 0, 1, 1, 1}},
    {"/pages/source", ND_COLUMN_U32, 8, {0, 0, 0, 0, 0, 1, 1, 1}},
    {"/pages/offset", ND_COLUMN_U64, 8, {0, 10, 20, 30, 40, 0, 10, 20}},
    {"/pages/id_offset", ND_COLUMN_U64, 9, {0, 1, 1, 1, 2, 3, 4, 4, 4}},
    {"/pages/id_bytes", ND_COLUMN_U8, 4, {'a', 0xff, '\n', 'd'}},
    {"/pages/url_offset", ND_COLUMN_U64, 9, {0, 1, 2, 3, 4, 4, 4, 4, 4}},
    {"/pages/url_bytes", ND_COLUMN_U8, 4, {'a', 0x1b, '\t', 'd'}},
    {"/pages/by_id", ND_COLUMN_U64, 8, {1, 4, 2, 5, 6, 3, 7, 0}},
    {"/pages/by_id_hash",
     ND_COLUMN_U32,
     8,
     {0x1fffffff, 0x384868fb, 0x3fffffff, 0x45f80274, 0xbfffffff, 0xd6bcec3c, 0xdfffffff,
      0xe6c632b6}},
    {"/pages/by_url", ND_COLUMN_U64, 8, {3, 4, 5, 6, 1, 2, 7, 0}},
    {"/pages/by_url_hash",
     ND_COLUMN_U32,
     8,
     {0x45f80274, 0x7fffffff, 0x9fffffff, 0xbfffffff, 0xc30c306f, 0xde315c88, 0xdfffffff,
      0xe6c632b6}},
    {"/sets/offset", ND_COLUMN_U64, 4, {0, 3, 4, 8}},
    {"/sets/member", ND_COLUMN_U64, 8, {2, 0, 1, 3, 4, 5, 6, 7}},
    {"/sites/name_offset", ND_COLUMN_U64, 4, {0, 1, 2, 3}},
    {"/sites/name_bytes", ND_COLUMN_U8, 3, {'d', 'b', 'h'}},
    {"/sites/template_offset", ND_COLUMN_U64, 4, {0, 2, 3, 4}},
    {"/sites/template", ND_COLUMN_U64, 4, {5, 7, 3, 9}},
    {"/sites/repeated_offset", ND_COLUMN_U64, 4, {0, 0, 3, 3}},
    {"/sites/repeated", ND_COLUMN_U64, 3, {1, 2, 4}},
    {"/sites/repeats_all", ND_COLUMN_U8, 3, {0, 0, 1}},
    {"/sources/path_offset", ND_COLUMN_U64, 3, {0, 1, 2}},
    {"/sources/path_bytes", ND_COLUMN_U8, 2, {'p', 'q'}},
    {"/sources/bytes", ND_COLUMN_U64, 2, {100, 100}},
    {"/sources/collection", ND_COLUMN_U64, 2, {0, 1}},
    {"/sources/records", ND_COLUMN_U64, 2, {6, 4}},
    {"/sources/pages", ND_COLUMN_U64, 2, {5, 3}},
    {"/sources/other", ND_COLUMN_U64, 2, {1, 0}},
    {"/sources/skipped", ND_COLUMN_U64, 2, {0, 1}},
    {"/sources/checksum", ND_COLUMN_U64, 2, {7, 8}},
    {"/collections/name_offset", ND_COLUMN_U64, 3, {0, 0, 1}},
    {"/collections/name_bytes", ND_COLUMN_U8, 1, {'c'}},
    {"/skipped/reason_offset", ND_COLUMN_U64, 2, {0, 1}},
    {"/skipped/reason_bytes", ND_COLUMN_U8, 1, {'r'}},
    {"/skipped/source", ND_COLUMN_U64, 1, {1}},
    {"/skipped/offset", ND_COLUMN_U64, 1, {30}},
    {"/other/reason_offset", ND_COLUMN_U64, 2, {0, 1}},
    {"/other/reason_bytes", ND_COLUMN_U8, 1, {'o'}},
    {"/other/source", ND_COLUMN_U64, 1, {0}},
    {"/other/records", ND_COLUMN_U64, 1, {1}},
    {"/stages/name_offset", ND_COLUMN_U64, 2, {0, 1}},
    {"/stages/name_bytes", ND_COLUMN_U8, 1, {'s'}},
    {"/stages/items", ND_COLUMN_U64, 1, {8}},
    {"/stages/seconds_min", ND_COLUMN_F64, 1, {1}},
    {"/stages/seconds_mean", ND_COLUMN_F64, 1, {2}},
    {"/stages/seconds_max", ND_COLUMN_F64, 1, {3}},
    {"/stages/waiting_mean", ND_COLUMN_F64, 1, {.5}},
    {"/stages/waiting_max", ND_COLUMN_F64, 1, {1}},
    {"/stages/bytes_exchanged", ND_COLUMN_U64, 1, {4}},
    {"/stages/bytes_written", ND_COLUMN_U64, 1, {5}},
    {"/stages/bytes_read", ND_COLUMN_U64, 1, {6}},
    {"/stages/peak_memory", ND_COLUMN_U64, 1, {40}},
    {"/pairs/a", ND_COLUMN_U64, 3, {0, 4, 4}},
    {"/pairs/b", ND_COLUMN_U64, 3, {2, 5, 6}},
    {"/pairs/similarity", ND_COLUMN_F32, 3, {.5, .75, .5}},
    {"/contained/page", ND_COLUMN_U64, 3, {1, 6, 6}},
    {"/contained/container", ND_COLUMN_U64, 3, {3, 0, 2}},
    {"/contained/share", ND_COLUMN_F32, 3, {1, .75, .5}},
};

const size_t nd_test_column_count = sizeof nd_test_columns / sizeof nd_test_columns[0];

static void put_value(nd_column_type type, double value, uint64_t row, uint64_t *values) {
    uint8_t *at = (uint8_t *)values + row * nd_column_size(type);
    const float narrow = (float)value;
    const uint64_t number = type == ND_COLUMN_F32 || type == ND_COLUMN_F64 ? 0
                            : value >= 1e18                                ? UINT64_MAX
                                                                           : (uint64_t)value;
    memcpy(at,
           type == ND_COLUMN_F32   ? (const void *)&narrow
           : type == ND_COLUMN_F64 ? (const void *)&value
                                   : (const void *)&number,
           nd_column_size(type));
}

static double value_of(const nd_test_column *column, uint64_t row, const nd_test_made *made) {
    for (size_t i = 0; i < made->change_count; i++) {
        if (made->changes[i].row == row && made->changes[i].column != NULL &&
            strcmp(made->changes[i].column, column->name) == 0) {
            return made->changes[i].value;
        }
    }
    return column->values[row];
}

/* By its name, or by that of its table, with the slash after it. */
static bool is_left_out(const char *left_out, const char *name) {
    const size_t size = left_out == NULL ? 0 : strlen(left_out);
    return size > 0 && (left_out[size - 1] == '/' ? strncmp(left_out, name, size) == 0
                                                  : strcmp(left_out, name) == 0);
}

static nd_status write_columns(nd_result *result, const nd_test_column *columns, size_t count,
                               const nd_test_made *made) {
    nd_status st = ND_OK;
    for (size_t c = 0; c < count; c++) {
        const nd_test_column *column = &columns[c];
        uint64_t values[ND_TEST_ROWS] = {0};
        const nd_slab slab = {.total = column->rows, .count = column->rows};
        if (is_left_out(made->left_out, column->name)) {
            continue;
        }
        for (uint64_t i = 0; i < column->rows; i++) {
            put_value(column->type, value_of(column, i, made), i, values);
        }
        ND_TRY(nd_result_write(result, column->name, column->type, &slab, values));
    }
out:
    return st;
}

nd_status nd_test_result_write(nd_result *result, const char *path, const nd_test_made *made) {
    static const char *const groups[] = {"/pages",   "/sets",     "/sites",  "/sources",
                                         "/skipped", "/other",    "/stages", "/collections",
                                         "/pairs",   "/contained"};
    static const char *const texts[] = {"program_version", "method", "command_line", "created"};
    nd_status st = ND_OK;
    ND_TRY(nd_result_create(result, path, H5P_DEFAULT, H5P_DEFAULT));
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        ND_TRY(nd_result_group(result, groups[i]));
    }
    ND_TRY(write_columns(result, nd_test_columns, nd_test_column_count, made));
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ND_TRY(nd_result_set_text(result, texts[i], "text"));
    }
    ND_TRY(nd_result_set_text(result, "parameters", "{\"method\":\"lcs\"}"));
    ND_TRY(nd_result_set_text(result, "totals", made->totals != NULL ? made->totals : "{}"));
    if (made->additions != NULL) {
        ND_TRY(nd_result_set_text(result, "additions", made->additions));
    }
    ND_TRY(nd_result_set_number(result, "pages", ND_TEST_PAGES));
    ND_TRY(nd_result_set_number(result, "sets", ND_TEST_SETS));
    ND_TRY(nd_result_set_number(result, "ranks", 1));
out:
    return st;
}

void nd_test_result_start(nd_result *result, const char *path, const char *left_out,
                          const nd_test_change *changed) {
    const nd_test_made made = {
        .left_out = left_out, .changes = changed, .change_count = changed != NULL};
    nd_test_must(nd_test_result_write(result, path, &made));
}

void nd_test_result_finish(nd_result *result) {
    nd_test_must(nd_result_close(result));
    nd_test_must(nd_seal_file(result->path));
}

nd_status nd_test_result_read(const char *path) {
    nd_status st = ND_OK;
    nd_result result = {.file = H5I_INVALID_HID};
    ND_OWNED(nd_page_rows_free) nd_page_rows rows = {0};
    nd_pair_rows pairs = {0};
    ND_FREED uint64_t *representatives = NULL;
    ND_TRY(nd_result_open(&result, path));
    ND_TRY(nd_page_rows_read(&result, 0, result.shape.pages, &rows));
    ND_TRY(nd_result_check_partition(&result));
    ND_TRY(nd_result_representatives(&result, &representatives));
    for (uint64_t i = 0; i < rows.count; i++) {
        if (representatives[rows.set[i]] >= result.shape.pages ||
            nd_page_rows_id(&rows, i).size > 4 || nd_page_rows_url(&rows, i).size > 4) {
            st = nd_fail(ND_ERR_INTERNAL, "%s: page %" PRIu64 " is beyond the result", path, i);
            goto out;
        }
    }
    for (uint64_t s = 0; s < result.shape.sets; s++) {
        ND_FREED uint64_t *members = NULL;
        uint64_t count = 0;
        ND_TRY(nd_result_members(&result, s, &members, &count));
    }
    ND_TRY(nd_pair_rows_open(&pairs, &result, &nd_verified_columns));
    ND_TRY(nd_pair_rows_next(&pairs));
    nd_pair_rows_free(&pairs);
    ND_TRY(nd_pair_rows_open(&pairs, &result, &nd_contained_columns));
    ND_TRY(nd_pair_rows_next(&pairs));
out:
    nd_pair_rows_free(&pairs);
    const nd_status closed = nd_result_close(&result);
    return st != ND_OK ? st : closed;
}
