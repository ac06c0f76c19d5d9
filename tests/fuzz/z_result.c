/* A small result of which values are other ones, up to six of any column: checking it ends, and
 * what has no broken promise can be read. The file itself is whole: HDF5 is a library for files
 * that are to be trusted, and one whose own structures are made by a stranger may crash it. */
#include "io/result/result_check.h"
#include "io/result/result_file.h"
#include "io/result/result_order.h"
#include "io/result/result_read.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/brief.h"
#include "tests/support/corpus.h"
#include "tests/support/small_result.h"
#include "tests/support/sources.h"

enum { MOST_CHANGES = 6 };

static void count_broken(void *context, const char *text) {
    ND_FUZZ_CHECK(text[0] != '\0' && strchr(text, '\n') == NULL);
    ++*(uint64_t *)context;
}

/* A result without its seal, as other programs write one. */
static nd_span make_base(void) {
    static nd_buffer base;
    if (base.size == 0) {
        nd_result result;
        nd_test_result_start(&result, nd_test_write("base.h5", (nd_span){0}), NULL, NULL);
        nd_test_must(nd_result_close(&result));
        nd_test_must(nd_test_read_file(&base, result.path));
    }
    return nd_span_part(nd_buffer_span(&base), ND_SEAL_BYTES, base.size);
}

static void change(hid_t file, nd_span *input) {
    const nd_test_column *column = &nd_test_columns[nd_fuzz_byte(input) % nd_test_column_count];
    const size_t row = nd_fuzz_byte(input) % column->rows;
    const size_t size = nd_column_size(column->type);
    uint8_t values[ND_TEST_ROWS * sizeof(uint64_t)];
    const hid_t dataset = H5Dopen2(file, column->name, H5P_DEFAULT);
    const hid_t type = dataset < 0 ? dataset : H5Dget_type(dataset);
    ND_FUZZ_CHECK(type >= 0);
    ND_FUZZ_CHECK(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    for (size_t i = 0; i < size; i++) {
        values[row * size + i] = nd_fuzz_byte(input);
    }
    ND_FUZZ_CHECK(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    (void)H5Tclose(type);
    (void)H5Dclose(dataset);
}

/* What filter, export, explain, review and overlap ask of it. */
static nd_status read_for_commands(const char *path, nd_span rules) {
    static const char *const lists[] = {NULL,           "https,latest",       "surt,earliest",
                                        "shortest-url", "collection:c,first", "longest"};
    nd_status st = ND_OK;
    nd_result result = {.file = H5I_INVALID_HID};
    nd_result_sites sites = {0};
    ND_FREED uint64_t *kept = NULL;
    ND_FREED uint32_t *set_pages = NULL;
    const unsigned rule = nd_fuzz_byte(&rules);
    const nd_keep_wish wish = {.rules = lists[rule % (sizeof lists / sizeof lists[0])],
                               .each_collection = rule / 8 % 2 == 1,
                               .protect = rule / 16 % 2 == 1 ? "c" : NULL};
    ND_TRY(nd_result_open(&result, path));
    ND_TRY(nd_result_choose(&result, &wish, &kept, &set_pages));
    for (uint64_t page = 0; page < result.shape.pages; page++) {
        ND_FUZZ_CHECK(kept[page] < result.shape.pages && kept[kept[page]] == kept[page]);
        ND_FUZZ_CHECK(set_pages[page] > 0 && set_pages[page] <= result.shape.pages);
    }
    ND_TRY(nd_result_sites_open(&sites, &result));
    for (uint64_t i = 0; i < sites.count; i++) {
        ND_TRY(nd_result_sites_find(&sites, sites.sites[i]));
        (void)nd_result_site_drops(&sites, i);
        (void)nd_result_site_repeats(&sites, i, true);
    }
out:
    nd_result_sites_close(&sites);
    (void)nd_result_close(&result);
    return st;
}

ND_FUZZ_TARGET(z_result) {
    nd_span input = {data, size};
    nd_result_findings findings = {0};
    uint64_t reported = 0;
    const char *path = nd_test_write("made.h5", make_base()); /* HDF5 asks for a name */
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    ND_FUZZ_CHECK(file >= 0);
    for (int i = 0; i < MOST_CHANGES && input.size > 0; i++) {
        change(file, &input);
    }
    ND_FUZZ_CHECK(H5Fclose(file) >= 0);
    const nd_status st = nd_result_check(path, count_broken, &reported, &findings);
    const nd_status read = nd_test_result_read(path);
    const nd_status used = read_for_commands(path, (nd_span){data, size});
    ND_FUZZ_CHECK(used == ND_OK || used == ND_ERR_FORMAT || used == ND_ERR_USAGE);
    ND_FUZZ_CHECK(st != ND_OK || findings.broken > 0 || used != ND_ERR_FORMAT);
    ND_FUZZ_CHECK(st == ND_OK || st == ND_ERR_FORMAT);
    ND_FUZZ_CHECK(!findings.sealed && (st != ND_OK || findings.broken == reported));
    ND_FUZZ_CHECK(read == ND_OK || read == ND_ERR_FORMAT);
    ND_FUZZ_CHECK(st != ND_OK || findings.broken > 0 || read == ND_OK);
    return 0;
}
