/* Result files as they are written and read; labels. */
#include "io/result/labels.h"
#include "io/result/result_file.h"
#include "io/result/result_read.h"
#include "io/result/result_schema.h"
#include "src/text/address.h"
#include "tests/support/check.h"
#include "tests/support/small_result.h"
#include "tests/support/sources.h"

#include <fcntl.h>
#include <unistd.h>

/* ---- Result files, written and read by one process: columns, attributes, rows of pages, bad
 * files. */

static void create(nd_result *result, const char *name) {
    ND_TEST_MUST(nd_result_create(result, nd_test_path(name), H5P_DEFAULT, H5P_DEFAULT));
}

/* What was written, complete and ready to be opened. */
static void finish(nd_result *result) {
    ND_TEST_OK(nd_result_close(result));
    ND_TEST_OK(nd_seal_file(result->path));
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

ND_TEST("sizes of column types") {
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
    ND_FREED uint8_t *values = calloc(rows + 1, size);
    ND_FREED uint8_t *back = calloc(rows + 1, size);
    for (uint64_t i = 0; i < rows * size; i++) {
        const uint8_t byte = (uint8_t)nd_random_next(random);
        values[i] = type == ND_COLUMN_F32 || type == ND_COLUMN_F64 ? byte & 0x3f : byte;
    }
    create(&result, "column.h5");
    ND_TEST_OK(nd_result_group(&result, "/group"));
    ND_TEST_OK(write_column(&result, "/group/column", type, rows, values));
    finish(&result);
    ND_TEST_OK(nd_result_open_file(&result, nd_test_path("column.h5")));
    ND_TEST_OK(nd_result_rows(&result, "/group/column", type, &count));
    CU_ASSERT_EQUAL(count, rows);
    ND_TEST_OK(nd_result_read(&result, "/group/column", type, 0, rows, back));
    CU_ASSERT_EQUAL(memcmp(values, back, rows * size), 0);
    if (rows > 2) {
        ND_TEST_OK(nd_result_read(&result, "/group/column", type, rows - 2, 2, back));
        CU_ASSERT_EQUAL(memcmp(values + (rows - 2) * size, back, 2 * size), 0);
        CU_ASSERT_NOT_EQUAL(nd_result_read(&result, "/group/column", type, rows - 1, 2, back),
                            ND_OK);
    }
    ND_TEST_OK(nd_result_close(&result));
}

ND_TEST("columns there and back") {
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

/* Read a closed file of one column again, in parts, and compare with what was noted. */
static nd_status read_again(nd_result *written, int parts) {
    nd_status st = ND_OK;
    const uint64_t sum = written->notes.notes[0].sum;
    CU_ASSERT(written->notes.count == 1 && sum != 0);
    for (int part = 0; part < parts; part++) {
        ND_TRY(nd_result_read_again(written, part, parts));
    }
    st = nd_result_written_check(written);
out:
    written->notes.notes[0].sum = sum;
    return st;
}

/* A column in several parts, the later ones first, gives the same as in one; in whatever parts it
 * is read again it has what was noted, and a lost write is found. */
ND_TEST("a column in parts") {
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
    result.notes.on = true;
    for (int i = 0; i < 5; i++) {
        const uint64_t begin = cuts[order[i]];
        const nd_slab slab = {
            .total = ROWS, .offset = begin, .count = cuts[order[i] + 1] - begin, .goes_on = i > 0};
        ND_TEST_OK(nd_result_write(&result, "/column", ND_COLUMN_U64, &slab, values + begin));
    }
    const nd_slab nothing = {.total = ROWS, .offset = ROWS, .goes_on = true};
    ND_TEST_OK(nd_result_write(&result, "/column", ND_COLUMN_U64, &nothing, NULL));
    finish(&result);
    nd_result written = result;
    for (int parts = 1; parts <= 5; parts++) {
        ND_TEST_OK(read_again(&written, parts));
    }
    ND_TEST_OK(nd_result_open_file(&result, nd_test_path("parts.h5")));
    ND_TEST_OK(nd_result_rows(&result, "/column", ND_COLUMN_U64, &rows));
    CU_ASSERT_EQUAL(rows, ROWS);
    ND_TEST_OK(nd_result_read(&result, "/column", ND_COLUMN_U64, 0, ROWS, back));
    CU_ASSERT_EQUAL(memcmp(values, back, sizeof values), 0);
    ND_TEST_OK(nd_result_close(&result));

    back[200000] = 0;
    for (rows = ROWS; rows >= ROWS - 1; rows--) { /* then one is not there at all */
        create(&result, "parts.h5");
        ND_TEST_OK(write_column(&result, "/column", ND_COLUMN_U64, rows, back));
        finish(&result);
        for (int parts = 1; parts <= 5; parts++) {
            check_failure(read_again(&written, parts), ND_ERR_IO, "parts.h5: /column is not in");
        }
    }
    nd_result_notes_free(&written.notes);
}

/* Another part of a column that is not there. */
ND_TEST("a part of nothing") {
    const uint64_t value = 1;
    const nd_slab slab = {.total = 1, .count = 1, .goes_on = true};
    nd_result result;
    create(&result, "no-column.h5");
    check_failure(nd_result_write(&result, "/column", ND_COLUMN_U64, &slab, &value), ND_ERR_IO,
                  "no-column.h5");
    ND_TEST_OK(nd_result_close(&result));
}

ND_TEST("attributes") {
    nd_result result;
    char *text = NULL;
    uint64_t number = 0;
    create(&result, "attributes.h5");
    ND_TEST_OK(nd_result_set_text(&result, "text", "na\xc3\xafve \"text\""));
    ND_TEST_OK(nd_result_set_text(&result, "empty", ""));
    ND_TEST_OK(nd_result_set_number(&result, "number", UINT64_MAX));
    finish(&result);
    ND_TEST_OK(nd_result_open_file(&result, nd_test_path("attributes.h5")));
    ND_TEST_OK(nd_result_get_text(&result, "text", &text));
    CU_ASSERT_STRING_EQUAL(text, "na\xc3\xafve \"text\"");
    free(text);
    ND_TEST_OK(nd_result_get_text(&result, "empty", &text));
    CU_ASSERT_STRING_EQUAL(text, "");
    free(text);
    ND_TEST_OK(nd_result_get_text(&result, "format", &text));
    CU_ASSERT_STRING_EQUAL(text, "neardup-partition");
    free(text);
    ND_TEST_OK(nd_result_get_number(&result, "number", &number));
    CU_ASSERT_EQUAL(number, UINT64_MAX);
    ND_TEST_OK(nd_result_get_number(&result, "format_version", &number));
    CU_ASSERT_EQUAL(number, 3);
    CU_ASSERT_EQUAL(nd_result_get_number(&result, "none", &number), ND_ERR_FORMAT);
    CU_ASSERT_EQUAL(nd_result_get_text(&result, "none", &text), ND_ERR_FORMAT);
    CU_ASSERT_PTR_NULL(text);
    CU_ASSERT_EQUAL(nd_result_get_text(&result, "number", &text), ND_ERR_FORMAT);
    CU_ASSERT_PTR_NULL(text);
    ND_TEST_OK(nd_result_close(&result));
    ND_TEST_OK(nd_result_close(&result)); /* closed already */
}

/* ---- files that are none of ours */

/* A file whose attribute `format` names another one. */
static void write_foreign(const char *name) {
    const hid_t file = H5Fcreate(nd_test_path(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    nd_result foreign = {.file = file, .dxpl = H5P_DEFAULT};
    ND_TEST_OK(nd_result_set_text(&foreign, "format", "neardup-partition of another kind"));
    ND_TEST_OK(nd_result_close(&foreign));
}

ND_TEST("files that are no results") {
    nd_result result;
    check_failure(nd_result_open_file(&result, nd_test_path("none.h5")), ND_ERR_INPUT, "none.h5");
    FILE *file = fopen(nd_test_path("text.h5"), "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    (void)fputs("no HDF5 at all\n", file);
    CU_ASSERT_EQUAL(fclose(file), 0);
    check_failure(nd_result_open_file(&result, nd_test_path("text.h5")), ND_ERR_IO, "text.h5");
    const hid_t other =
        H5Fcreate(nd_test_path("other.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    CU_ASSERT(H5Fclose(other) >= 0);
    check_failure(nd_result_open_file(&result, nd_test_path("other.h5")), ND_ERR_FORMAT,
                  "other.h5");
    write_foreign("foreign.h5");
    check_failure(nd_result_open_file(&result, nd_test_path("foreign.h5")), ND_ERR_FORMAT,
                  "foreign.h5");
    check_failure(nd_result_create(&result, nd_test_path("none/x.h5"), H5P_DEFAULT, H5P_DEFAULT),
                  ND_ERR_IO, "none/x.h5");
    CU_ASSERT_PTR_NULL(strstr(nd_fail_text(), "unknown")); /* HDF5's own reason is told */
    ND_TEST_OK(nd_result_close(&result));                  /* was never open */
}

ND_TEST("names that are not there") {
    nd_result result;
    uint64_t rows = 0;
    uint8_t value = 1;
    create(&result, "names.h5");
    check_failure(nd_result_group(&result, "/no/group"), ND_ERR_IO, "/no/group");
    check_failure(write_column(&result, "/no/column", ND_COLUMN_U8, 1, &value), ND_ERR_IO,
                  "/no/column");
    finish(&result);
    ND_TEST_OK(nd_result_open_file(&result, nd_test_path("names.h5")));
    check_failure(nd_result_rows(&result, "/none", ND_COLUMN_U8, &rows), ND_ERR_FORMAT, "/none");
    check_failure(nd_result_read(&result, "/none", ND_COLUMN_U8, 0, 1, &value), ND_ERR_FORMAT,
                  "/none");
    ND_TEST_OK(nd_result_close(&result));
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
    ND_TEST_OK(write_column(result, offsets_name, ND_COLUMN_U64, PAGES + 1, offsets));
    ND_TEST_OK(write_column(result, bytes_name, ND_COLUMN_U8, offsets[PAGES], bytes));
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
        ND_TEST_OK(write_column(result, wide[c], ND_COLUMN_U64, PAGES, numbers));
    }
    for (uint32_t i = 0; i < PAGES; i++) {
        narrow[i] = 100 + i;
        small[i] = (uint16_t)(200 + i);
        similarities[i] = (float)i / 8;
    }
    ND_TEST_OK(write_column(result, "/pages/tokens", ND_COLUMN_U32, PAGES, narrow));
    ND_TEST_OK(write_column(result, "/pages/source", ND_COLUMN_U32, PAGES, narrow));
    ND_TEST_OK(write_column(result, "/pages/collection", ND_COLUMN_U16, PAGES, small));
    ND_TEST_OK(write_column(result, "/pages/similarity", ND_COLUMN_F32, PAGES, similarities));
    ND_TEST_OK(write_column(result, "/pages/link_similarity", ND_COLUMN_F32, PAGES, similarities));
    write_texts(result, "/pages/id_offset", "/pages/id_bytes", ids);
    write_texts(result, "/pages/url_offset", "/pages/url_bytes", urls);
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
        CU_ASSERT(nd_test_is(nd_page_rows_id(rows, i), ids[page]));
        CU_ASSERT(nd_test_is(nd_page_rows_url(rows, i), urls[page]));
    }
}

ND_TEST("rows of pages") {
    nd_result result;
    ND_OWNED(nd_page_rows_free) nd_page_rows rows = {0};
    nd_text_column column;
    create(&result, "pages.h5");
    ND_TEST_OK(nd_result_group(&result, "/pages"));
    write_pages(&result);
    finish(&result);
    ND_TEST_OK(nd_result_open_file(&result, nd_test_path("pages.h5")));
    result.shape = (nd_result_shape){.pages = 20 + PAGES, /* for links */
                                     .sets = 10 + PAGES,
                                     .sources = 100 + PAGES,
                                     .collections = 200 + PAGES};
    for (uint64_t begin = 0; begin <= PAGES; begin++) { /* smaller and larger than the one before */
        for (uint64_t count = 0; begin + count <= PAGES; count++) {
            ND_TEST_OK(nd_page_rows_read(&result, begin, count, &rows));
            check_rows(&rows, begin, count);
        }
    }
    ND_TEST_OK(nd_text_column_read(&result, "/pages/id_offset", "/pages/id_bytes", &column));
    CU_ASSERT_EQUAL(column.count, PAGES);
    for (uint64_t i = 0; i < PAGES; i++) {
        CU_ASSERT(nd_test_is(nd_text_column_at(&column, i), ids[i]));
    }
    nd_text_column_free(&column);
    CU_ASSERT_EQUAL(nd_text_column_read(&result, "/pages/id_offset", "/none", &column),
                    ND_ERR_FORMAT);
    CU_ASSERT(column.offset == NULL && column.bytes == NULL);
    ND_TEST_OK(nd_result_close(&result));
}

ND_TEST("members of sets") {
    const uint64_t offsets[SETS + 1] = {0, 3, 4, PAGES};
    const uint64_t members[PAGES] = {2, 0, 1, 6, 3, 4, 5};
    nd_result result;
    uint64_t *found = NULL;
    uint64_t count = 0;
    create(&result, "sets.h5");
    ND_TEST_OK(nd_result_group(&result, "/sets"));
    ND_TEST_OK(write_column(&result, "/sets/offset", ND_COLUMN_U64, SETS + 1, offsets));
    ND_TEST_OK(write_column(&result, "/sets/member", ND_COLUMN_U64, PAGES, members));
    finish(&result);
    ND_TEST_OK(nd_result_open_file(&result, nd_test_path("sets.h5")));
    result.shape = (nd_result_shape){.pages = PAGES, .sets = SETS};
    for (uint64_t set = 0; set < SETS; set++) {
        ND_TEST_OK(nd_result_members(&result, set, &found, &count));
        CU_ASSERT_EQUAL(count, offsets[set + 1] - offsets[set]);
        CU_ASSERT_EQUAL(memcmp(found, members + offsets[set], count * sizeof *found), 0);
        free(found);
    }
    CU_ASSERT_EQUAL(nd_result_members(&result, SETS, &found, &count), ND_ERR_IO);
    CU_ASSERT_PTR_NULL(found);
    ND_TEST_OK(nd_result_close(&result));
}

/* HDF5's mark, at the beginning or after a seal, whatever else the file is, or the
 * first line of a seal. */
ND_TEST("HDF5's mark") {
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

/* ---- What a run learned of sites, read again: the lists of a site that is listed and of one that
 * is not, and results of before there were any. */

static uint64_t site(const char *name) {
    return nd_site_hash((nd_span){(const uint8_t *)name, 1}, 0);
}

static void open_made(nd_result *made, const char *left_out, const nd_test_change *changed) {
    const char *path = nd_test_path("made.h5");
    nd_test_result_start(made, path, left_out, changed);
    nd_test_result_finish(made);
    ND_TEST_MUST(nd_result_open(made, path));
}

ND_TEST("lists") {
    nd_result made;
    nd_result_sites sites;
    open_made(&made, NULL, NULL);
    ND_TEST_OK(nd_result_sites_check(&made)); /* each list ascends by itself */
    ND_TEST_OK(nd_result_sites_open(&sites, &made));
    CU_ASSERT_EQUAL(sites.count, ND_TEST_SITES);
    ND_TEST_OK(nd_result_sites_find(&sites, site("b")));
    CU_ASSERT(nd_result_site_drops(&sites, 3) && !nd_result_site_drops(&sites, 5));
    CU_ASSERT(nd_result_site_repeats(&sites, 4, true) && nd_result_site_repeats(&sites, 1, false));
    CU_ASSERT(!nd_result_site_repeats(&sites, 3, true));
    ND_TEST_OK(nd_result_sites_find(&sites, site("d")));
    CU_ASSERT(nd_result_site_drops(&sites, 5) && nd_result_site_drops(&sites, 7));
    CU_ASSERT(!nd_result_site_drops(&sites, 3) && !nd_result_site_repeats(&sites, 1, true));
    ND_TEST_OK(nd_result_sites_find(&sites, site("h")));
    CU_ASSERT(nd_result_site_drops(&sites, 9) && nd_result_site_repeats(&sites, 1, true));
    CU_ASSERT(!nd_result_site_repeats(&sites, 1, false)); /* a link, or nothing */
    nd_result_sites_close(&sites);
    (void)nd_result_close(&made);
}

/* A site that is not listed, and pages of no site, drop nothing and get no link back. */
ND_TEST("sites that are not listed") {
    const uint64_t others[] = {site("a"), 0, UINT64_MAX};
    nd_result made;
    nd_result_sites sites;
    open_made(&made, NULL, NULL);
    ND_TEST_OK(nd_result_sites_open(&sites, &made));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        ND_TEST_OK(nd_result_sites_find(&sites, site("d")));
        ND_TEST_OK(nd_result_sites_find(&sites, others[i]));
        CU_ASSERT(!nd_result_site_drops(&sites, 5) && nd_result_site_repeats(&sites, 5, true));
        CU_ASSERT(!nd_result_site_repeats(&sites, 5, false));
    }
    nd_result_sites_close(&sites);
    (void)nd_result_close(&made);
}

ND_TEST("damage") {
    static const nd_test_change order = {"/sites/name_bytes", 0, 'e', NULL};
    static const nd_test_change list = {"/sites/template", 1, 5, NULL};
    nd_result made;
    nd_result_sites sites;
    open_made(&made, NULL, &order);
    CU_ASSERT_EQUAL(nd_result_sites_open(&sites, &made), ND_ERR_FORMAT);
    nd_result_sites_close(&sites);
    (void)nd_result_close(&made);
    open_made(&made, NULL, &list);
    ND_TEST_OK(nd_result_sites_open(&sites, &made));
    CU_ASSERT_EQUAL(nd_result_sites_find(&sites, site("d")), ND_ERR_FORMAT);
    ND_TEST_OK(nd_result_sites_find(&sites, site("b")));
    nd_result_sites_close(&sites);
    (void)nd_result_close(&made);
}

/* ---- Parameters of runs: setting them, and naming the one that differs. */

static void check_difference(const char *before, const char *now, const char *expected) {
    char difference[256] = "";
    CU_ASSERT_EQUAL(nd_parameters_differ(before, now, difference, sizeof difference),
                    expected != NULL);
    CU_ASSERT_STRING_EQUAL(difference, expected == NULL ? "" : expected);
}

ND_TEST("set") {
    ND_OWNED(nd_buffer_free) nd_buffer text = {0};
    ND_TEST_OK(nd_parameters_set(&text, "one", "1"));
    check_difference("{\"one\":\"1\"}", (const char *)text.data, NULL);
    ND_TEST_OK(nd_parameters_set(&text, "quoted", "a \"b\" \\ \n \xc3\xa4"));
    ND_TEST_OK(nd_parameters_set(&text, "one", "2")); /* replaced */
    CU_ASSERT_EQUAL(text.size, strlen((const char *)text.data) + 1);
    CU_ASSERT_PTR_NULL(strchr((const char *)text.data, '\n'));
    check_difference("{\"one\":\"2\",\"quoted\":\"a \\\"b\\\" \\\\ \\n \xc3\xa4\"}",
                     (const char *)text.data, NULL);
}

/* Added to an object that is there; its numbers stay numbers. */
ND_TEST("set in an object") {
    static const char object[] = "{\"threshold\": 0.46, \"buckets\": 14}";
    ND_OWNED(nd_buffer_free) nd_buffer text = {0};
    nd_buffer_append(&text, object, sizeof object);
    ND_TEST_OK(nd_parameters_set(&text, "url", ""));
    check_difference("{\"url\":\"\",\"buckets\":14,\"threshold\":0.46}", (const char *)text.data,
                     NULL);
}

ND_TEST("set in what is no object") {
    static const char *const texts[] = {"[1]", "7", "{\"a\":", "no JSON"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ND_OWNED(nd_buffer_free) nd_buffer text = {0};
        nd_buffer_append(&text, texts[i], strlen(texts[i]) + 1);
        CU_ASSERT_EQUAL(nd_parameters_set(&text, "a", "b"), ND_ERR_FORMAT);
    }
}

ND_TEST("differences") {
    static const char run[] = "{\"threshold\":0.46,\"score\":\"r\",\"seed\":0}";
    check_difference(run, run, NULL);
    check_difference(run, "{\"seed\":0,\"score\":\"r\",\"threshold\":0.46}", NULL);
    check_difference(run, "{\"threshold\":0.5,\"score\":\"r\",\"seed\":0}",
                     "threshold was 0.46 and is 0.5");
    check_difference(run, "{\"threshold\":0.46,\"score\":\"x\",\"seed\":0}",
                     "score was \"r\" and is \"x\"");
    check_difference(run, "{\"threshold\":0.46,\"seed\":0}", "score was \"r\" and is not there");
    check_difference("{\"threshold\":0.46,\"seed\":0}", run, "score was not there and is \"r\"");
    check_difference("{}", "{}", NULL);
}

/* A text that is cut, and one that is no object, are other parameters. */
ND_TEST("unreadable") {
    check_difference("{\"a\":", "{}", "they cannot be read");
    check_difference("{}", "[]", "they cannot be read");
    char few[8] = "";
    CU_ASSERT(nd_parameters_differ("{\"threshold\":1}", "{}", few, sizeof few));
    CU_ASSERT_STRING_EQUAL(few, "thresho");
}

/* ---- Files of labels: clusters, pairs, loose pages, ambiguous clusters, and lines that are none.
 */

static const char *put(const char *name, const char *text) {
    return nd_test_write(name, nd_test_span(text));
}

ND_TEST("clusters") {
    nd_labels labels = {0};
    const char *path = put(
        "clusters", "a\tred\nb\tblue\r\n\nc\tred\tmore\na\tred\nd\n\tred\ne\t\nb\tred\nlast\tx");
    ND_TEST_MUST(nd_labels_read_clusters(&labels, path, 2));
    CU_ASSERT_EQUAL_FATAL(labels.ids.count, 4);
    CU_ASSERT_EQUAL(labels.clusters.count, 3);
    CU_ASSERT(nd_test_is(nd_name_table_at(&labels.ids, 1), "b"));
    CU_ASSERT(nd_test_is(nd_name_table_at(&labels.clusters, labels.cluster[1]), "blue"));
    CU_ASSERT_EQUAL(labels.cluster[0], labels.cluster[2]);
    CU_ASSERT(nd_test_is(nd_name_table_at(&labels.ids, 3), "last"));
    CU_ASSERT_EQUAL(labels.repeated, 1);
    CU_ASSERT_EQUAL(labels.bad_lines, 4); /* d, no id, no cluster, b again */
    CU_ASSERT_PTR_NOT_NULL(strstr(labels.first_bad, "clusters, line 6: too few columns"));
    nd_labels_free(&labels);
    ND_TEST_MUST(nd_labels_read_clusters(&labels, path, 3));
    CU_ASSERT_EQUAL(labels.ids.count, 1); /* c alone has a third column */
    nd_labels_free(&labels);
}

/* Pairs with the band that they were drawn from, and how many pairs that has. */
ND_TEST("bands") {
    ND_OWNED(nd_labels_free) nd_labels labels = {0};
    const char *path = put("bands", "a\tb\tnear\t.5 to .6\t40\nc\td\tdifferent\t1\t7\n"
                                    "e\tf\tnear\t.5 to .6\t40\tmore\ng\th\tnear\t1\t8\n"
                                    "i\tj\tnear\t1\nk\tl\tnear\t1\t0\nm\tn\tnear\t1\t7x\n"
                                    "o\tp\tnear\t1\t7777777777777777777\nq\tr\tnear\t\t7\n");
    ND_TEST_MUST(nd_labels_read_pairs(&labels, path, true));
    CU_ASSERT_EQUAL_FATAL(labels.pair_count, 3);
    CU_ASSERT_EQUAL(labels.bad_lines, 6);
    CU_ASSERT_PTR_NOT_NULL(strstr(labels.first_bad, "bands, line 4: an earlier line says"));
    CU_ASSERT_EQUAL_FATAL(labels.bands.count, 2);
    CU_ASSERT(nd_test_is(nd_name_table_at(&labels.bands, 0), ".5 to .6"));
    CU_ASSERT_EQUAL(labels.band_pairs[0], 40);
    CU_ASSERT_EQUAL(labels.band_pairs[1], 7);
    CU_ASSERT_EQUAL(labels.pairs[1].band, 1);
    CU_ASSERT_EQUAL(labels.pairs[2].band, 0);
    CU_ASSERT_EQUAL(labels.ids.count, 6);
}

/* A byte order mark is no part of the first label, in any of the files; nor are line ends of
 * Windows. Elsewhere the same bytes are. */
ND_TEST("byte order marks") {
    nd_labels labels = {0};
    uint64_t columns = 0;
    const char *path = put("marked", "\xEF\xBB\xBF"
                                     "a\tred\r\nb\tred\r\n\xEF\xBB\xBF"
                                     "c\tred\r\n");
    ND_TEST_MUST(nd_labels_read_clusters(&labels, path, 2));
    CU_ASSERT_EQUAL(labels.clusters.count, 1);
    CU_ASSERT(nd_test_is(nd_name_table_at(&labels.ids, 0), "a"));
    CU_ASSERT(nd_test_is(nd_name_table_at(&labels.ids, 2), "\xEF\xBB\xBF"
                                                           "c"));
    ND_TEST_OK(nd_labels_read_loose(&labels, put("loose", "\xEF\xBB\xBF"
                                                          "b\r\n")));
    CU_ASSERT_EQUAL(nd_name_table_find(&labels.loose, nd_test_span("b")), 0);
    nd_labels_free(&labels);
    path = put("marked-pairs", "\xEF\xBB\xBF\r\n\r\na\tb\tnear\r\n");
    ND_TEST_MUST(nd_labels_columns(path, &columns));
    CU_ASSERT_EQUAL(columns, 3);
    ND_TEST_MUST(nd_labels_read_pairs(&labels, path, false));
    CU_ASSERT_EQUAL_FATAL(labels.pair_count, 1);
    CU_ASSERT(nd_test_is(nd_name_table_at(&labels.ids, 0), "a"));
    CU_ASSERT(nd_test_is(nd_name_table_at(&labels.labels, 0), "near"));
    nd_labels_free(&labels);
    ND_TEST_OK(nd_labels_read_clusters(&labels, put("mark", "\xEF\xBB\xBF"), 2));
    CU_ASSERT_EQUAL(labels.ids.count + labels.bad_lines, 0);
    nd_labels_free(&labels);
}

/* The same bytes, packed; and cut in the middle. */
ND_TEST("packed") {
    nd_labels labels = {0};
    ND_OWNED(nd_buffer_free) nd_buffer text = {0};
    ND_OWNED(nd_buffer_free) nd_buffer packed = {0};
    for (int i = 0; i < 5000; i++) {
        nd_test_print(&text, "page-%d\tcluster-%d\n", i, i % 777);
    }
    nd_test_pack(&packed, ND_TEST_GZIP, nd_buffer_span(&text));
    const char *path = nd_test_write("clusters.gz", nd_buffer_span(&packed));
    ND_TEST_MUST(nd_labels_read_clusters(&labels, path, 2));
    CU_ASSERT_EQUAL_FATAL(labels.ids.count, 5000);
    CU_ASSERT_EQUAL(labels.clusters.count, 777);
    CU_ASSERT_EQUAL(nd_name_table_find(&labels.ids, nd_test_span("page-4999")), 4999);
    CU_ASSERT_EQUAL(labels.cluster[4999], 4999 % 777);
    nd_labels_free(&labels);
    packed.size /= 2;
    path = nd_test_write("cut.gz", nd_buffer_span(&packed));
    CU_ASSERT_EQUAL(nd_labels_read_clusters(&labels, path, 2), ND_ERR_FORMAT);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "cut.gz"));
    nd_labels_free(&labels);
}

ND_TEST("pairs") {
    ND_OWNED(nd_labels_free) nd_labels labels = {0};
    const char *path = put("pairs", "a\tb\tnear\t\t.5\nb\tc\tfar\na\ta\tnear\na\tb\nc\ta\tnear\n");
    ND_TEST_MUST(nd_labels_read_pairs(&labels, path, false));
    CU_ASSERT_EQUAL(labels.ids.count, 3);
    CU_ASSERT_EQUAL_FATAL(labels.pair_count, 3);
    CU_ASSERT_EQUAL(labels.pairs[2].a, 2);
    CU_ASSERT_EQUAL(labels.pairs[2].b, 0);
    CU_ASSERT(nd_test_is(nd_name_table_at(&labels.labels, labels.pairs[1].label), "far"));
    CU_ASSERT_EQUAL(labels.pairs[0].label, labels.pairs[2].label);
    CU_ASSERT_EQUAL(labels.bad_lines, 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(labels.first_bad, "line 3: a page is paired with itself"));
}

ND_TEST("not evaluated") {
    ND_OWNED(nd_labels_free) nd_labels labels = {0};
    ND_TEST_MUST(nd_labels_read_clusters(&labels, put("few", "a\tred\nb\tblue\nc\tgreen\n"), 2));
    ND_TEST_OK(nd_labels_read_loose(&labels, put("loose", "b\tblue\nelsewhere\n")));
    CU_ASSERT(nd_name_table_find(&labels.loose, nd_test_span("b")) != ND_NO_NAME);
    CU_ASSERT(nd_name_table_find(&labels.loose, nd_test_span("a")) == ND_NO_NAME);
    const char *path = put("ambiguous", "green\tred\t.4\nred\tred\nred\tunknown\nred\n");
    ND_TEST_OK(nd_labels_read_ambiguous(&labels, path));
    CU_ASSERT_EQUAL_FATAL(labels.ambiguous_count, 1);
    CU_ASSERT_EQUAL(labels.ambiguous[0].a, 2);
    CU_ASSERT_EQUAL(labels.ambiguous[0].b, 0);
    CU_ASSERT_EQUAL(labels.bad_lines, 1);
    CU_ASSERT_EQUAL(labels.clusters.count, 3);
}

static void check_columns(const char *text, uint64_t expected) {
    uint64_t columns = 99;
    ND_TEST_OK(nd_labels_columns(put("columns", text), &columns));
    CU_ASSERT_EQUAL(columns, expected);
}

ND_TEST("columns") {
    uint64_t columns = 0;
    check_columns("", 0);
    check_columns("\n\na\tb\nc\n", 2);
    check_columns("a", 1);
    check_columns("a\t\t", 3);
    CU_ASSERT_EQUAL(nd_labels_columns("no/such/file", &columns), ND_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "no/such/file"));
}

/* A line much longer than what is asked for at first. */
ND_TEST("long line") {
    ND_OWNED(nd_labels_free) nd_labels labels = {0};
    ND_OWNED(nd_buffer_free) nd_buffer text = {0};
    enum { PIECE = 4000, PIECES = 75 };
    for (int i = 0; i < PIECES; i++) {
        nd_test_print(&text, "%*s", PIECE, "a");
    }
    nd_test_print(&text, "\tred\nb\tblue\n");
    const char *path = nd_test_write("long", nd_buffer_span(&text));
    ND_TEST_MUST(nd_labels_read_clusters(&labels, path, 2));
    CU_ASSERT_EQUAL(labels.ids.count, 2);
    CU_ASSERT_EQUAL(nd_name_table_at(&labels.ids, 0).size, PIECE * PIECES);
}

/* Names of equal beginnings, an empty one, growth. */
ND_TEST("name table") {
    ND_OWNED(nd_name_table_free) nd_name_table table = {0};
    uint64_t number = 0;
    bool added = false;
    char name[16];
    CU_ASSERT_EQUAL(nd_name_table_find(&table, nd_test_span("a")), ND_NO_NAME);
    for (int round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < 1000; i++) {
            (void)snprintf(name, sizeof name, "%.*s", (int)(i % 10), "aaaaaaaaaa");
            (void)snprintf(name + i % 10, sizeof name - 10, "%u", (unsigned)(i / 10));
            nd_name_table_add(&table, nd_test_span(name), &number, &added);
            CU_ASSERT_EQUAL(number, i);
            CU_ASSERT_EQUAL(added, round == 0);
            CU_ASSERT(nd_test_is(nd_name_table_at(&table, i), name));
        }
    }
    nd_name_table_add(&table, (nd_span){0}, &number, &added);
    CU_ASSERT_EQUAL(number, 1000);
    CU_ASSERT_EQUAL(nd_name_table_find(&table, (nd_span){0}), 1000);
}

/* ---- Classes of labelled pages: by row of the labels, and lines that cannot be used. */

static nd_labels labels_of(const char *text) {
    nd_labels labels = {0};
    const char *path = nd_test_write("truth", nd_test_span(text));
    ND_TEST_MUST(nd_labels_read_clusters(&labels, path, 2));
    return labels;
}

ND_TEST("rows") {
    ND_OWNED(nd_labels_free) nd_labels labels = labels_of("a\t1\nb\t1\nc\t2\nd\t2\n");
    nd_class_labels classes;
    const char *path = nd_test_write(
        "classes", nd_test_span("c\t2\tN1\t5\tsite\t0.0000\t9\nother\t7\tP0\t5\tsite\t1\t9\n"
                                "a\t1\tO\t5\tsite\t1.0000\t9\nb\t1\tN1\t5\telsewhere\t.25\n"));
    ND_TEST_MUST(nd_class_labels_read(path, &labels, &classes));
    CU_ASSERT_EQUAL(classes.classes.count, 2); /* not that of the page without a label */
    CU_ASSERT_EQUAL(classes.class[1], classes.class[2]);
    CU_ASSERT_NOT_EQUAL(classes.class[0], classes.class[1]);
    CU_ASSERT_EQUAL(classes.site[0], classes.site[2]);
    CU_ASSERT_NOT_EQUAL(classes.site[0], classes.site[1]);
    CU_ASSERT_EQUAL(classes.similarity[0], 1);
    CU_ASSERT_EQUAL(classes.similarity[1], .25);
    CU_ASSERT_EQUAL(classes.class[3], ND_NO_CLASS);
    CU_ASSERT_EQUAL(classes.site[3], ND_NO_CLASS);
    CU_ASSERT_EQUAL(classes.missing, 1);
    CU_ASSERT_EQUAL(classes.bad_lines, 0);
    nd_class_labels_free(&classes);
}

ND_TEST("bad lines") {
    ND_OWNED(nd_labels_free) nd_labels labels = labels_of("a\t1\nb\t1\n");
    ND_OWNED(nd_class_labels_free) nd_class_labels classes;
    const char *path = nd_test_write(
        "bad",
        nd_test_span("a\t1\tO\t5\tsite\t1\n\nb\t1\tP1\t5\tsite\nb\t1\t\t5\tsite\t1\n"
                     "b\t1\tP1\t5\t\t1\nb\t1\tP1\t5\tsite\t1.5\nb\t1\tP1\t5\tsite\t\n"
                     "b\t1\tP1\t5\tsite\tnan\nb\t1\tP1\t5\tsite\t1x\na\t1\tP1\t5\tsite\t1\n"));
    ND_TEST_MUST(nd_class_labels_read(path, &labels, &classes));
    CU_ASSERT_EQUAL(classes.bad_lines, 8);
    CU_ASSERT_PTR_NOT_NULL(strstr(classes.first_bad, "bad, line 3: too few columns"));
    CU_ASSERT_EQUAL(classes.class[1], ND_NO_CLASS);
    CU_ASSERT_EQUAL(classes.missing, 1);
}

ND_TEST("none") {
    ND_OWNED(nd_labels_free) nd_labels labels = labels_of("a\t1\n");
    nd_class_labels classes;
    const char *path = nd_test_write("none", nd_test_span("x\t1\tO\t5\tsite\t1\n"));
    CU_ASSERT_EQUAL(nd_class_labels_read(path, &labels, &classes), ND_ERR_FORMAT);
    nd_class_labels_free(&classes);
    CU_ASSERT_EQUAL(nd_class_labels_read("/no/such/file", &labels, &classes), ND_ERR_INPUT);
    nd_class_labels_free(&classes);
}
