/* Samples of inputs of which everything is known. */
#include "io/input/input_sample.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void folder_of(const char *name, char *path) {
    (void)snprintf(path, 4096, "%s/%s", nd_test_folder(), name);
    (void)mkdir(path, 0777);
}

static void take(const char *path, nd_input_sample *sample) {
    nd_input_list list = {0};
    const nd_reader_options options = {0};
    CU_ASSERT_FATAL(nd_input_list_resolve(&list, &path, 1) == ND_OK);
    CU_ASSERT_FATAL(nd_input_sample_take(&list, &options, sample) == ND_OK);
    nd_input_list_free(&list);
}

/* A page of `words` words, 6 bytes each. */
static void put_words(FILE *file, int words) {
    for (int i = 0; i < words; i++) {
        CU_ASSERT(fputs(i % 10 == 9 ? "end. \n" : "words ", file) >= 0);
    }
}

/* Files of pages: 300 of 60 bytes and 100 of 6,000. A place falls into a long one 33 times as often
 * as into a short one; the estimate must not. */
static void test_page_files(void) {
    char folder[4096];
    char path[4200];
    nd_input_sample sample;
    folder_of("pages", folder);
    for (int i = 0; i < 400; i++) {
        (void)snprintf(path, sizeof path, "%s/%03d.txt", folder, i);
        FILE *file = fopen(path, "w");
        CU_ASSERT_FATAL(file != NULL);
        put_words(file, i % 4 == 0 ? 1000 : 10);
        CU_ASSERT(fclose(file) == 0);
    }
    take(folder, &sample);
    CU_ASSERT(sample.files == 400 && sample.bytes == 300 * 60 + 100 * 6000);
    CU_ASSERT(sample.kind_count == 1 && strcmp(sample.kinds[0], "txt") == 0);
    CU_ASSERT(sample.sampled <= 256);
    if (fabs(sample.pages - 400) > 3 * sample.spread * 400 + 1) {
        printf("%g pages, spread %g\n", sample.pages, sample.spread);
        CU_FAIL("pages");
    }
    CU_ASSERT(fabs(sample.page_bytes * sample.pages - sample.bytes) < 1e-6 * sample.bytes);
}

/* A file of many pages: read in part, said to a few per cent. */
static void test_large_file(void) {
    char path[4096];
    nd_input_sample sample;
    enum { PAGES = 60000 };
    (void)snprintf(path, sizeof path, "%s/large.jsonl", nd_test_folder());
    FILE *file = fopen(path, "w");
    CU_ASSERT_FATAL(file != NULL);
    for (int i = 0; i < PAGES; i++) {
        CU_ASSERT(fprintf(file, "{\"id\":\"p%d\",\"url\":\"http://s%d.example/\",\"text\":\"", i,
                          i % 7) > 0);
        for (int k = 0; k < 60 + i % 100; k++) {
            CU_ASSERT(fputs("words ", file) >= 0);
        }
        CU_ASSERT(fputs("\"}\n", file) >= 0);
    }
    CU_ASSERT(fclose(file) == 0);
    take(path, &sample);
    CU_ASSERT(sample.sampled < 0.7 * PAGES);
    CU_ASSERT(fabs(sample.pages / PAGES - 1) < 0.02);
    CU_ASSERT(fabs(sample.tokens / 109.5 - 1) < 0.02);
    CU_ASSERT(fabs(sample.name_bytes / (5.8 + 18) - 1) < 0.05);
}

static void test_nothing(void) {
    char path[4096];
    nd_input_sample sample;
    (void)snprintf(path, sizeof path, "%s/empty.txt", nd_test_folder());
    FILE *file = fopen(path, "w");
    CU_ASSERT_FATAL(file != NULL && fclose(file) == 0);
    take(path, &sample);
    CU_ASSERT(sample.sampled == 0 && sample.pages == 0 && sample.bytes == 0);
}

static const nd_test tests[] = {
    {"files of pages", test_page_files},
    {"a large file", test_large_file},
    {"nothing", test_nothing},
};
ND_TEST_MAIN("input sample", tests)
