/* Results, and files of labels, written and read with each call failing in turn: a
 * failure is said, none is taken for damage of the file or for something that it lacks, and where
 * the work ends well it has found what is there. */
#include "io/result/labels.h"
#include "io/result/result_check.h"
#include "io/result/result_file.h"
#include "io/result/result_order.h"
#include "io/result/result_read.h"
#include "io/result/result_schema.h"
#include "src/text/address.h"
#include "tests/support/check.h"
#include "tests/support/failing_calls.h"
#include "tests/support/small_result.h"
#include "tests/support/warc_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *path_of(const char *name) {
    static char paths[4][512];
    static size_t turn;
    char *path = paths[turn++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s/%s", nd_test_folder(), name);
    return path;
}

/* Close a result that was read: this may fail too. */
static nd_status end(nd_result *result, nd_status st) {
    const nd_status closed = nd_result_close(result);
    return st != ND_OK ? st : closed;
}

static void make(const char *name, const nd_test_made *made) {
    nd_result result;
    nd_test_must(nd_test_result_write(&result, path_of(name), made));
    nd_test_result_finish(&result);
}

/* ---- writing */

static int written; /* files so far */

static nd_status write_result(void) {
    static const uint64_t rows[] = {1, 2, 3};
    const nd_slab slab = {.total = 3, .count = 3}, none = {.total = 0};
    const nd_slab parts[] = {{.total = 3, .count = 2},
                             {.total = 3, .offset = 2, .count = 1, .goes_on = true}};
    nd_result result = {.file = H5I_INVALID_HID};
    uint64_t number = 0, read[3];
    char *text = NULL;
    char name[32];
    (void)snprintf(name, sizeof name, "written.%d.h5", ++written); /* one may be left open */
    const char *path = path_of(name);
    nd_status st = nd_result_create(&result, path, H5P_DEFAULT, H5P_DEFAULT);
    result.notes.on = true;
    st = st != ND_OK ? st : nd_result_group(&result, "/pages");
    st = st != ND_OK ? st : nd_result_write(&result, "/pages/set", ND_COLUMN_U64, &slab, rows);
    st = st != ND_OK ? st : nd_result_write(&result, "/pages/none", ND_COLUMN_U8, &none, NULL);
    for (size_t i = 0; i < 2; i++) {
        st = st != ND_OK ? st
                         : nd_result_write(&result, "/pages/parts", ND_COLUMN_U64, &parts[i],
                                           rows + parts[i].offset);
    }
    st = st != ND_OK ? st : nd_result_set_text(&result, "method", "text");
    st = st != ND_OK ? st : nd_result_set_number(&result, "pages", 3);
    const nd_status closed = nd_result_close(&result);
    ND_TRY(st != ND_OK ? st : closed);
    ND_TRY(nd_seal_file(result.path));
    ND_TRY(nd_result_written_check(&result));
    nd_result_notes_free(&result.notes);
    ND_TRY(nd_result_open_file(&result, path));
    ND_TRY(nd_result_get_number(&result, "pages", &number));
    ND_TRY(nd_result_get_text(&result, "method", &text));
    ND_TRY(nd_result_read(&result, "/pages/parts", ND_COLUMN_U64, 0, 3, read));
    CU_ASSERT(number == 3 && strcmp(text, "text") == 0 && memcmp(read, rows, sizeof rows) == 0);
out:
    free(text);
    nd_result_notes_free(&result.notes);
    return end(&result, st);
}

static void test_writing(void) {
    CU_ASSERT(nd_test_all_failures(write_result, NULL) >= nd_test_rounds(50));
}

/* ---- reading */

static nd_status read_result(void) {
    return nd_test_result_read(path_of("made.h5"));
}

static void count_broken(void *context, const char *text) {
    *(int *)context += text[0] != '\0';
}

static nd_status check_result(void) {
    int broken = 0;
    nd_result_findings found;
    const nd_status st = nd_result_check(path_of("made.h5"), count_broken, &broken, &found);
    CU_ASSERT(broken == 0 && (st != ND_OK || (found.sealed && found.shape.pages == ND_TEST_PAGES)));
    return st;
}

static nd_status read_sites(void) {
    nd_status st = ND_OK;
    nd_result result = {.file = H5I_INVALID_HID};
    nd_result_sites sites = {0};
    ND_TRY(nd_result_open(&result, path_of("made.h5")));
    ND_TRY(nd_result_sites_open(&sites, &result));
    ND_TRY(nd_result_sites_find(&sites, nd_site_hash(nd_test_span("d"), 0)));
    CU_ASSERT(nd_result_site_drops(&sites, 5) && !nd_result_site_drops(&sites, 3));
    ND_TRY(nd_result_sites_find(&sites, nd_site_hash(nd_test_span("b"), 0)));
    CU_ASSERT(nd_result_site_drops(&sites, 3) && nd_result_site_repeats(&sites, 4, true));
    ND_TRY(nd_result_page_values_check(&result));
out:
    nd_result_sites_close(&sites);
    return end(&result, st);
}

/* Pairs that are there and one that is not, a set, a representative, names of pages. */
static nd_status look_up(void) {
    nd_status st = ND_OK;
    nd_result result = {.file = H5I_INVALID_HID};
    nd_page_names names = {0};
    uint64_t *pages = NULL;
    uint64_t leader = 0;
    bool found = false;
    float similarity = 0;
    nd_span id, url;
    ND_TRY(nd_result_open(&result, path_of("made.h5")));
    ND_TRY(nd_pair_find(&result, &nd_verified_columns, 4, 5, &found, &similarity));
    CU_ASSERT(found && similarity == .75F);
    ND_TRY(nd_pair_find(&result, &nd_verified_columns, 4, 7, &found, &similarity));
    CU_ASSERT_FALSE(found);
    ND_TRY(nd_result_representative(&result, 6, &leader));
    CU_ASSERT_EQUAL(leader, 4);
    nd_new(&pages, 2, sizeof *pages);
    pages[0] = 0;
    pages[1] = 5;
    ND_TRY(nd_page_names_read(&result, pages, 2, &names));
    nd_page_names_get(&names, 5, &id, &url);
    CU_ASSERT(id.size == 1 && id.data[0] == 'd' && url.size == 0);
out:
    nd_page_names_free(&names);
    return end(&result, st);
}

static void test_reading(void) {
    const nd_test_made made = {0};
    make("made.h5", &made);
    CU_ASSERT(nd_test_all_failures(read_result, NULL) >= nd_test_rounds(50));
    CU_ASSERT(nd_test_all_failures(check_result, NULL) >= nd_test_rounds(50));
    CU_ASSERT(nd_test_all_failures(read_sites, NULL) >= nd_test_rounds(30));
    CU_ASSERT(nd_test_all_failures(look_up, NULL) >= nd_test_rounds(30));
}

/* ---- choosing pages */

static nd_status choose(void) {
    nd_status st = ND_OK;
    nd_result result = {.file = H5I_INVALID_HID};
    const nd_keep_wish wish = {.rules = "collection:c,latest,longest,surt", .protect = "c"};
    const uint64_t expected[] = {0, 1, 2, 3, 6, 5, 6, 7};
    uint64_t *kept = NULL;
    uint32_t *set_pages = NULL;
    ND_TRY(nd_result_open(&result, path_of("added.h5")));
    ND_TRY(nd_result_choose(&result, &wish, &kept, &set_pages));
    for (size_t i = 0; i < ND_TEST_PAGES; i++) {
        CU_ASSERT_EQUAL(set_pages[i], i < 3 ? 3 : i == 3 ? 1 : 4);
    }
    CU_ASSERT_EQUAL(memcmp(kept, expected, sizeof expected), 0);
out:
    free(kept);
    free(set_pages);
    return end(&result, st);
}

static void test_choosing(void) {
    const nd_test_made made = {.additions = "[0,3]"};
    make("added.h5", &made);
    CU_ASSERT(nd_test_all_failures(choose, NULL) >= nd_test_rounds(50));
}

/* ---- labels, parameters */

static nd_status read_labels(void) {
    nd_status st = ND_OK;
    nd_labels labels = {0}, pairs = {0};
    nd_class_labels classes = {0};
    ND_TRY(nd_labels_read_clusters(&labels, path_of("clusters"), 2));
    CU_ASSERT(labels.ids.count == 3 && labels.bad_lines == 0);
    ND_TRY(nd_labels_read_loose(&labels, path_of("loose")));
    CU_ASSERT(labels.loose.count == 1 && labels.bad_lines == 0);
    ND_TRY(nd_labels_read_ambiguous(&labels, path_of("ambiguous")));
    CU_ASSERT(labels.ambiguous_count == 1 && labels.bad_lines == 0);
    ND_TRY(nd_class_labels_read(path_of("classes"), &labels, &classes));
    CU_ASSERT(classes.missing == 1 && classes.bad_lines == 0 && classes.similarity[0] == .5);
    ND_TRY(nd_labels_read_pairs(&pairs, path_of("pairs"), true));
    CU_ASSERT(pairs.pair_count == 2 && pairs.bands.count == 2 && pairs.bad_lines == 0);
out:
    nd_labels_free(&labels);
    nd_labels_free(&pairs);
    nd_class_labels_free(&classes);
    return st;
}

static nd_status set_parameters(void) {
    nd_status st = ND_OK;
    nd_buffer text = {0};
    ND_TRY(nd_parameters_set(&text, "one", "1"));
    ND_TRY(nd_parameters_set(&text, "two", "2"));
    CU_ASSERT_PTR_NOT_NULL(strstr((const char *)text.data, "two"));
out:
    nd_buffer_free(&text);
    return st;
}

static void test_labels(void) {
    (void)nd_test_write("clusters", nd_test_span("a\t1\nb\t1\nc\t2\n"));
    (void)nd_test_write("loose", nd_test_span("b\n"));
    (void)nd_test_write("ambiguous", nd_test_span("1\t2\n"));
    (void)nd_test_write("classes", nd_test_span("a\t1\tO\t5\tsite\t.5\t9\nb\t1\tP\t5\to\t1\t9\n"));
    (void)nd_test_write("pairs", nd_test_span("a\tb\tnear\t1\t7\nb\tc\tfar\t2\t7\n"));
    CU_ASSERT(nd_test_all_failures(read_labels, NULL) >= 20);
    CU_ASSERT(nd_test_all_failures(set_parameters, NULL) >= 2);
}

static const nd_test tests[] = {{"writing", test_writing},
                                {"reading", test_reading},
                                {"choosing", test_choosing},
                                {"labels", test_labels}};
ND_SUITE(t_result_failures, tests)
