/* Result files, written and read by one process: columns, attributes, rows of pages, bad files. */
#include "io/result/result_file.h"
#include "io/result/result_read.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *path_of(const char *name) {
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", nd_test_folder(), name);
    return path;
}

static void create(nd_result *result, const char *name) {
    CU_ASSERT_EQUAL_FATAL(nd_result_create(result, path_of(name), H5P_DEFAULT, H5P_DEFAULT), ND_OK);
}

/* What was written, complete and ready to be opened. */
static void finish(nd_result *result) {
    CU_ASSERT_EQUAL(nd_result_close(result), ND_OK);
    CU_ASSERT_EQUAL(nd_seal_file(result->path), ND_OK);
}

static nd_status write_column(nd_result *result, const char *name, nd_column_type type,
                              uint64_t rows, const void *values) {
    const nd_slab slab = {.total = rows, .count = rows};
    return nd_result_write(result, name, type, &slab, values);
}

/* A failure names the file, in one line. */
static void check_failure(nd_status st, nd_status wanted, const char *name) {
    CU_ASSERT_EQUAL(st, wanted);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), name));
    CU_ASSERT_PTR_NULL(strchr(nd_fail_text(), '\n'));
}

/* ---- columns and attributes */

static void test_column_sizes(void) {
    CU_ASSERT_EQUAL(nd_column_size(ND_COLUMN_U8), 1);
    CU_ASSERT_EQUAL(nd_column_size(ND_COLUMN_U16), 2);
    CU_ASSERT_EQUAL(nd_column_size(ND_COLUMN_U32), 4);
    CU_ASSERT_EQUAL(nd_column_size(ND_COLUMN_U64), 8);
    CU_ASSERT_EQUAL(nd_column_size(ND_COLUMN_F32), 4);
    CU_ASSERT_EQUAL(nd_column_size(ND_COLUMN_F64), 8);
}

/* Bytes that come back as they went, for every type and around the size of a chunk (1 MiB). */
static void round_trip(nd_column_type type, uint64_t rows, nd_random *random) {
    nd_result result;
    uint64_t count = 0;
    const size_t size = nd_column_size(type);
    uint8_t *values = calloc(rows + 1, size);
    uint8_t *back = calloc(rows + 1, size);
    for (uint64_t i = 0; i < rows * size; i++) {
        const uint8_t byte = (uint8_t)nd_random_next(random);
        values[i] = type == ND_COLUMN_F32 || type == ND_COLUMN_F64 ? byte & 0x3f : byte;
    }
    create(&result, "column.h5");
    CU_ASSERT_EQUAL(nd_result_group(&result, "/group"), ND_OK);
    CU_ASSERT_EQUAL(write_column(&result, "/group/column", type, rows, values), ND_OK);
    finish(&result);
    CU_ASSERT_EQUAL(nd_result_open_file(&result, path_of("column.h5")), ND_OK);
    CU_ASSERT_EQUAL(nd_result_rows(&result, "/group/column", type, &count), ND_OK);
    CU_ASSERT_EQUAL(count, rows);
    CU_ASSERT_EQUAL(nd_result_read(&result, "/group/column", type, 0, rows, back), ND_OK);
    CU_ASSERT_EQUAL(memcmp(values, back, rows * size), 0);
    if (rows > 2) {
        CU_ASSERT_EQUAL(nd_result_read(&result, "/group/column", type, rows - 2, 2, back), ND_OK);
        CU_ASSERT_EQUAL(memcmp(values + (rows - 2) * size, back, 2 * size), 0);
        CU_ASSERT_NOT_EQUAL(nd_result_read(&result, "/group/column", type, rows - 1, 2, back),
                            ND_OK);
    }
    CU_ASSERT_EQUAL(nd_result_close(&result), ND_OK);
    free(values);
    free(back);
}

static void test_round_trips(void) {
    static const nd_column_type types[] = {ND_COLUMN_U8,  ND_COLUMN_U16, ND_COLUMN_U32,
                                           ND_COLUMN_U64, ND_COLUMN_F32, ND_COLUMN_F64};
    nd_random random = nd_test_random("columns");
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        const uint64_t chunk = (UINT64_C(1) << 20) / nd_column_size(types[t]);
        const uint64_t rows[] = {0, 1, 2, 1000, chunk - 1, chunk, chunk + 1};
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            round_trip(types[t], rows[i], &random);
        }
    }
}

/* A column in several parts, the later ones first, gives the same as in one. */
static void test_parts(void) {
    enum { ROWS = 300000 }; /* more than two chunks */
    static const uint64_t cuts[] = {0, 1, 131071, 131073, 262144, ROWS};
    static const int order[] = {3, 0, 4, 2, 1};
    static uint64_t values[ROWS];
    static uint64_t back[ROWS];
    nd_random random = nd_test_random("parts");
    nd_result result;
    uint64_t rows = 0;
    for (size_t i = 0; i < ROWS; i++) {
        values[i] = nd_random_next(&random);
    }
    create(&result, "parts.h5");
    for (int i = 0; i < 5; i++) {
        const uint64_t begin = cuts[order[i]];
        const nd_slab slab = {
            .total = ROWS, .offset = begin, .count = cuts[order[i] + 1] - begin, .goes_on = i > 0};
        CU_ASSERT_EQUAL(nd_result_write(&result, "/column", ND_COLUMN_U64, &slab, values + begin),
                        ND_OK);
    }
    const nd_slab nothing = {.total = ROWS, .offset = ROWS, .goes_on = true};
    CU_ASSERT_EQUAL(nd_result_write(&result, "/column", ND_COLUMN_U64, &nothing, NULL), ND_OK);
    finish(&result);
    CU_ASSERT_EQUAL(nd_result_open_file(&result, path_of("parts.h5")), ND_OK);
    CU_ASSERT_EQUAL(nd_result_rows(&result, "/column", ND_COLUMN_U64, &rows), ND_OK);
    CU_ASSERT_EQUAL(rows, ROWS);
    CU_ASSERT_EQUAL(nd_result_read(&result, "/column", ND_COLUMN_U64, 0, ROWS, back), ND_OK);
    CU_ASSERT_EQUAL(memcmp(values, back, sizeof values), 0);
    CU_ASSERT_EQUAL(nd_result_close(&result), ND_OK);
}

/* Another part of a column that is not there. */
static void test_part_of_nothing(void) {
    const uint64_t value = 1;
    const nd_slab slab = {.total = 1, .count = 1, .goes_on = true};
    nd_result result;
    create(&result, "no-column.h5");
    check_failure(nd_result_write(&result, "/column", ND_COLUMN_U64, &slab, &value), ND_ERR_IO,
                  "no-column.h5");
    CU_ASSERT_EQUAL(nd_result_close(&result), ND_OK);
}

static void test_attributes(void) {
    nd_result result;
    char *text = NULL;
    uint64_t number = 0;
    create(&result, "attributes.h5");
    CU_ASSERT_EQUAL(nd_result_set_text(&result, "text", "na\xc3\xafve \"text\""), ND_OK);
    CU_ASSERT_EQUAL(nd_result_set_text(&result, "empty", ""), ND_OK);
    CU_ASSERT_EQUAL(nd_result_set_number(&result, "number", UINT64_MAX), ND_OK);
    finish(&result);
    CU_ASSERT_EQUAL(nd_result_open_file(&result, path_of("attributes.h5")), ND_OK);
    CU_ASSERT_EQUAL(nd_result_get_text(&result, "text", &text), ND_OK);
    CU_ASSERT_STRING_EQUAL(text, "na\xc3\xafve \"text\"");
    free(text);
    CU_ASSERT_EQUAL(nd_result_get_text(&result, "empty", &text), ND_OK);
    CU_ASSERT_STRING_EQUAL(text, "");
    free(text);
    CU_ASSERT_EQUAL(nd_result_get_text(&result, "format", &text), ND_OK);
    CU_ASSERT_STRING_EQUAL(text, "neardup-partition");
    free(text);
    CU_ASSERT_EQUAL(nd_result_get_number(&result, "number", &number), ND_OK);
    CU_ASSERT_EQUAL(number, UINT64_MAX);
    CU_ASSERT_EQUAL(nd_result_get_number(&result, "format_version", &number), ND_OK);
    CU_ASSERT_EQUAL(number, 2);
    CU_ASSERT_EQUAL(nd_result_get_number(&result, "none", &number), ND_ERR_FORMAT);
    CU_ASSERT_EQUAL(nd_result_get_text(&result, "none", &text), ND_ERR_FORMAT);
    CU_ASSERT_PTR_NULL(text);
    CU_ASSERT_EQUAL(nd_result_get_text(&result, "number", &text), ND_ERR_FORMAT);
    CU_ASSERT_PTR_NULL(text);
    CU_ASSERT_EQUAL(nd_result_close(&result), ND_OK);
    CU_ASSERT_EQUAL(nd_result_close(&result), ND_OK); /* closed already */
}

/* ---- files that are none of ours */

/* A file whose attribute `format` names another one. */
static void write_foreign(const char *name) {
    const hid_t file = H5Fcreate(path_of(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    nd_result foreign = {.file = file, .dxpl = H5P_DEFAULT};
    CU_ASSERT_EQUAL(nd_result_set_text(&foreign, "format", "neardup-partition of another kind"),
                    ND_OK);
    CU_ASSERT_EQUAL(nd_result_close(&foreign), ND_OK);
}

static void test_bad_files(void) {
    nd_result result;
    check_failure(nd_result_open_file(&result, path_of("none.h5")), ND_ERR_INPUT, "none.h5");
    FILE *file = fopen(path_of("text.h5"), "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    (void)fputs("no HDF5 at all\n", file);
    CU_ASSERT_EQUAL(fclose(file), 0);
    check_failure(nd_result_open_file(&result, path_of("text.h5")), ND_ERR_IO, "text.h5");
    const hid_t other = H5Fcreate(path_of("other.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    CU_ASSERT(H5Fclose(other) >= 0);
    check_failure(nd_result_open_file(&result, path_of("other.h5")), ND_ERR_FORMAT, "other.h5");
    write_foreign("foreign.h5");
    check_failure(nd_result_open_file(&result, path_of("foreign.h5")), ND_ERR_FORMAT, "foreign.h5");
    check_failure(nd_result_create(&result, path_of("none/x.h5"), H5P_DEFAULT, H5P_DEFAULT),
                  ND_ERR_IO, "none/x.h5");
    CU_ASSERT_PTR_NULL(strstr(nd_fail_text(), "unknown")); /* HDF5's own reason is told */
    CU_ASSERT_EQUAL(nd_result_close(&result), ND_OK);      /* was never open */
}

static void test_bad_names(void) {
    nd_result result;
    uint64_t rows = 0;
    uint8_t value = 1;
    create(&result, "names.h5");
    check_failure(nd_result_group(&result, "/no/group"), ND_ERR_IO, "/no/group");
    check_failure(write_column(&result, "/no/column", ND_COLUMN_U8, 1, &value), ND_ERR_IO,
                  "/no/column");
    finish(&result);
    CU_ASSERT_EQUAL(nd_result_open_file(&result, path_of("names.h5")), ND_OK);
    check_failure(nd_result_rows(&result, "/none", ND_COLUMN_U8, &rows), ND_ERR_FORMAT, "/none");
    check_failure(nd_result_read(&result, "/none", ND_COLUMN_U8, 0, 1, &value), ND_ERR_FORMAT,
                  "/none");
    CU_ASSERT_EQUAL(nd_result_close(&result), ND_OK);
}

/* ---- pages and sets */

enum { PAGES = 7, SETS = 3 };

static const char *const ids[PAGES] = {"zero", "", "two", "", "", "five", "6"};
static const char *const urls[PAGES] = {"http://a/", "http://b/", "", "", "http://e/", "", "u"};

static void write_texts(nd_result *result, const char *offsets_name, const char *bytes_name,
                        const char *const *texts) {
    uint64_t offsets[PAGES + 1] = {0};
    char bytes[256] = "";
    for (int i = 0; i < PAGES; i++) {
        (void)strcat(bytes, texts[i]);
        offsets[i + 1] = strlen(bytes);
    }
    CU_ASSERT_EQUAL(write_column(result, offsets_name, ND_COLUMN_U64, PAGES + 1, offsets), ND_OK);
    CU_ASSERT_EQUAL(write_column(result, bytes_name, ND_COLUMN_U8, offsets[PAGES], bytes), ND_OK);
}

/* Columns whose values say their row: set 10 + i, link 20 + i, ...; of exact_of, which is never a
 * later page, i / 2. */
static void write_pages(nd_result *result) {
    static const char *const wide[] = {"/pages/set", "/pages/link", "/pages/exact_of",
                                       "/pages/offset"};
    uint64_t numbers[PAGES];
    uint32_t narrow[PAGES];
    uint16_t small[PAGES];
    float similarities[PAGES];
    for (uint64_t c = 0; c < 4; c++) {
        for (uint64_t i = 0; i < PAGES; i++) {
            numbers[i] = c == 2 ? i / 2 : 10 * (c + 1) + i;
        }
        CU_ASSERT_EQUAL(write_column(result, wide[c], ND_COLUMN_U64, PAGES, numbers), ND_OK);
    }
    for (uint32_t i = 0; i < PAGES; i++) {
        narrow[i] = 100 + i;
        small[i] = (uint16_t)(200 + i);
        similarities[i] = (float)i / 8;
    }
    CU_ASSERT_EQUAL(write_column(result, "/pages/tokens", ND_COLUMN_U32, PAGES, narrow), ND_OK);
    CU_ASSERT_EQUAL(write_column(result, "/pages/source", ND_COLUMN_U32, PAGES, narrow), ND_OK);
    CU_ASSERT_EQUAL(write_column(result, "/pages/collection", ND_COLUMN_U16, PAGES, small), ND_OK);
    CU_ASSERT_EQUAL(write_column(result, "/pages/similarity", ND_COLUMN_F32, PAGES, similarities),
                    ND_OK);
    CU_ASSERT_EQUAL(
        write_column(result, "/pages/link_similarity", ND_COLUMN_F32, PAGES, similarities), ND_OK);
    write_texts(result, "/pages/id_offset", "/pages/id_bytes", ids);
    write_texts(result, "/pages/url_offset", "/pages/url_bytes", urls);
}

static bool is_text(nd_span span, const char *text) {
    return span.size == strlen(text) && (span.size == 0 || memcmp(span.data, text, span.size) == 0);
}

static void check_rows(const nd_page_rows *rows, uint64_t begin, uint64_t count) {
    CU_ASSERT(rows->begin == begin && rows->count == count);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t page = begin + i;
        CU_ASSERT(rows->set[i] == 10 + page && rows->link[i] == 20 + page);
        CU_ASSERT(rows->exact_of[i] == page / 2 && rows->offset[i] == 40 + page);
        CU_ASSERT(rows->tokens[i] == 100 + page && rows->source[i] == 100 + page);
        CU_ASSERT(rows->collection[i] == 200 + page);
        CU_ASSERT(rows->similarity[i] == (float)page / 8 &&
                  rows->link_similarity[i] == (float)page / 8);
        CU_ASSERT(is_text(nd_page_rows_id(rows, i), ids[page]));
        CU_ASSERT(is_text(nd_page_rows_url(rows, i), urls[page]));
    }
}

static void test_rows_of_pages(void) {
    nd_result result;
    nd_page_rows rows = {0};
    nd_text_column column;
    create(&result, "pages.h5");
    CU_ASSERT_EQUAL(nd_result_group(&result, "/pages"), ND_OK);
    write_pages(&result);
    finish(&result);
    CU_ASSERT_EQUAL(nd_result_open_file(&result, path_of("pages.h5")), ND_OK);
    result.shape = (nd_result_shape){.pages = 20 + PAGES, /* for links */
                                     .sets = 10 + PAGES,
                                     .sources = 100 + PAGES,
                                     .collections = 200 + PAGES};
    for (uint64_t begin = 0; begin <= PAGES; begin++) { /* smaller and larger than the one before */
        for (uint64_t count = 0; begin + count <= PAGES; count++) {
            CU_ASSERT_EQUAL(nd_page_rows_read(&result, begin, count, &rows), ND_OK);
            check_rows(&rows, begin, count);
        }
    }
    nd_page_rows_free(&rows);
    CU_ASSERT_EQUAL(nd_text_column_read(&result, "/pages/id_offset", "/pages/id_bytes", &column),
                    ND_OK);
    CU_ASSERT_EQUAL(column.count, PAGES);
    for (uint64_t i = 0; i < PAGES; i++) {
        CU_ASSERT(is_text(nd_text_column_at(&column, i), ids[i]));
    }
    nd_text_column_free(&column);
    CU_ASSERT_EQUAL(nd_text_column_read(&result, "/pages/id_offset", "/none", &column),
                    ND_ERR_FORMAT);
    CU_ASSERT(column.offset == NULL && column.bytes == NULL);
    CU_ASSERT_EQUAL(nd_result_close(&result), ND_OK);
}

static void test_members(void) {
    const uint64_t offsets[SETS + 1] = {0, 3, 4, PAGES};
    const uint64_t members[PAGES] = {2, 0, 1, 6, 3, 4, 5};
    nd_result result;
    uint64_t *found = NULL;
    uint64_t count = 0;
    create(&result, "sets.h5");
    CU_ASSERT_EQUAL(nd_result_group(&result, "/sets"), ND_OK);
    CU_ASSERT_EQUAL(write_column(&result, "/sets/offset", ND_COLUMN_U64, SETS + 1, offsets), ND_OK);
    CU_ASSERT_EQUAL(write_column(&result, "/sets/member", ND_COLUMN_U64, PAGES, members), ND_OK);
    finish(&result);
    CU_ASSERT_EQUAL(nd_result_open_file(&result, path_of("sets.h5")), ND_OK);
    result.shape = (nd_result_shape){.pages = PAGES, .sets = SETS};
    for (uint64_t set = 0; set < SETS; set++) {
        CU_ASSERT_EQUAL(nd_result_members(&result, set, &found, &count), ND_OK);
        CU_ASSERT_EQUAL(count, offsets[set + 1] - offsets[set]);
        CU_ASSERT_EQUAL(memcmp(found, members + offsets[set], count * sizeof *found), 0);
        free(found);
    }
    CU_ASSERT_EQUAL(nd_result_members(&result, SETS, &found, &count), ND_ERR_IO);
    CU_ASSERT_PTR_NULL(found);
    CU_ASSERT_EQUAL(nd_result_close(&result), ND_OK);
}

/* HDF5's mark, at the beginning or after a seal, whatever else the file is, or the
 * first line of a seal. */
static void test_mark(void) {
    static const char mark[] = "\x89HDF\r\n\x1a\n";
    static const char line[] = "neardup-partition\n";
    static uint8_t bytes[ND_SEAL_BYTES + 16];
    static const struct {
        const char *begin;
        size_t at, size;
        bool is;
    } cases[] = {{mark, 0, 8, true},
                 {mark, 0, 7, false},
                 {mark, ND_SEAL_BYTES, ND_SEAL_BYTES + 8, true},
                 {mark, ND_SEAL_BYTES, ND_SEAL_BYTES + 7, false},
                 {mark, 1, sizeof bytes, false},
                 {mark, ND_SEAL_BYTES + 1, sizeof bytes, false},
                 {line, 0, 18, true},
                 {line, 0, 17, false},
                 {line, 1, sizeof bytes, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memset(bytes, 0, sizeof bytes);
        memcpy(bytes + cases[i].at, cases[i].begin, strlen(cases[i].begin));
        const int file = open(nd_test_write("mark", (nd_span){bytes, cases[i].size}), O_RDONLY);
        CU_ASSERT_FATAL(file >= 0);
        CU_ASSERT_EQUAL(nd_seal_is_hdf5(file), cases[i].is);
        (void)close(file);
    }
}

static const nd_test tests[] = {
    {"HDF5's mark", test_mark},
    {"sizes of column types", test_column_sizes},
    {"columns there and back", test_round_trips},
    {"a column in parts", test_parts},
    {"a part of nothing", test_part_of_nothing},
    {"attributes", test_attributes},
    {"files that are no results", test_bad_files},
    {"names that are not there", test_bad_names},
    {"rows of pages", test_rows_of_pages},
    {"members of sets", test_members},
};

ND_SUITE(t_result_file, tests)
