/* Spellings of paths, folders that paths have in common, and the URLs that follow; texts that are
 * kept together. */
#include "io/input/input_list.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void is(const char *what, const char *found, const char *expected) {
    if (strcmp(found, expected) != 0) {
        printf("%s: %s, not %s\n", what, found, expected);
        CU_FAIL("name");
    }
}

static void test_tidy(void) {
    static const struct {
        const char *path, *tidy, *folder;
    } cases[] = {{"a/b", "a/b", "a/b"},
                 {"./a//b/./c", "a/b/c", "a/b/c"},
                 {"./a", "a", "a"},
                 {".//a", "a", "a"},
                 {"/a/./b", "/a/b", "/a/b"},
                 {"//a", "/a", "/a"},
                 {"a/", "a/", "a"},
                 {"a/.", "a/.", "a"},
                 {".", ".", ""},
                 {"./", "./", ""},
                 {"/", "/", "/"},
                 {"..", "..", ".."},
                 {"../a", "../a", "../a"},
                 {"a/../b", "a/../b", "a/../b"},
                 {"a/.b", "a/.b", "a/.b"},
                 {".a/b", ".a/b", ".a/b"},
                 {"a./b", "a./b", "a./b"},
                 {"/.", "/.", "/"},
                 {"", "", ""},
                 {"a/./", "a/", "a"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "%s", cases[i].path);
        nd_input_tidy_path(path);
        is(cases[i].path, path, cases[i].tidy);
        (void)snprintf(path, sizeof path, "%s", cases[i].path);
        nd_input_tidy_folder(path);
        is(cases[i].path, path, cases[i].folder);
    }
}

static void test_folders(void) {
    static const char *const of[][2] = {{"a/b/c", "a/b"}, {"a", ""}, {"/a", "/"}, {"/a/b", "/a"}};
    static const char *const common[][3] = {{"a/b", "a/c", "a"},     {"a/b", "a/b", "a/b"},
                                            {"a/b", "a/b/c", "a/b"}, {"a/bc", "a/b", "a"},
                                            {"a/b", "a/bc", "a"},    {"a", "b", ""},
                                            {"/a", "/b", "/"},       {"/a/b", "/a/b/c", "/a/b"},
                                            {"/", "/a", "/"},        {"/a", "a", ""},
                                            {"", "a", ""},           {"a", "", ""},
                                            {"/a/b/x", "/a/c", "/a"}};
    static const char *const after[][3] = {
        {"a/b/c", "a/b", "c"}, {"/a", "/", "a"}, {"a", "", "a"}, {"/a/b", "/a", "b"}};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "%s", of[i][0]);
        nd_input_cut_to_folder(path);
        is(of[i][0], path, of[i][1]);
    }
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "%s", common[i][0]);
        nd_input_cut_to_common(path, common[i][1]);
        is(common[i][0], path, common[i][2]);
    }
    for (size_t i = 0; i < sizeof after / sizeof after[0]; i++) {
        is(after[i][0], nd_input_after_folder(after[i][0], after[i][1]), after[i][2]);
    }
}

static void test_urls(void) {
    static const char *const urls[][3] = {{"n", "a/b.html", "file://n/a/b.html"},
                                          {"a b", "c\td", "file://a%20b/c%09d"},
                                          {"n", "100%", "file://n/100%"},
                                          {"n", "a%20b", "file://n/a%2520b"},
                                          {"n", "a%25b", "file://n/a%2525b"},
                                          {"n", "a%26b", "file://n/a%26b"},
                                          {"n", "a%0ab", "file://n/a%250ab"},
                                          {"n", "a%1fb", "file://n/a%251fb"},
                                          {"n", "a%3fb", "file://n/a%3fb"},
                                          {"n", "%0", "file://n/%0"},
                                          {"n", "%1", "file://n/%1"},
                                          {"n", "%2", "file://n/%2"},
                                          {"n", "\xc3\xa9\x01", "file://n/\xc3\xa9%01"}};
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
        nd_buffer url = {0};
        nd_input_append_url(&url, urls[i][0], urls[i][1]);
        is(urls[i][1], (const char *)url.data, urls[i][2]);
        CU_ASSERT_EQUAL(url.size, strlen(urls[i][2]) + 1);
        nd_buffer_free(&url);
    }
}

static void test_names(void) {
    nd_texts texts = {0};
    char *name = NULL, *first = NULL, path[600];
    CU_ASSERT_EQUAL(nd_texts_keep(&texts, "first of all", 5, &first), ND_OK);
    CU_ASSERT_EQUAL_FATAL(chdir(nd_test_folder()), 0);
    const char *own = strrchr(nd_test_folder(), '/') + 1;
    CU_ASSERT_EQUAL(nd_input_folder_name(&texts, "", &name), ND_OK);
    is("here", name, own);
    CU_ASSERT_EQUAL(nd_input_folder_name(&texts, ".", &name), ND_OK);
    is(".", name, own);
    (void)snprintf(path, sizeof path, "../%s", own);
    CU_ASSERT_EQUAL(nd_input_folder_name(&texts, path, &name), ND_OK);
    is("by its name", name, own);
    CU_ASSERT_EQUAL(nd_input_folder_name(&texts, "no such folder", &name), ND_OK);
    is("none", name, "no such folder");
    for (int i = 0; i < 20000; i++) { /* more than any block */
        CU_ASSERT_EQUAL(nd_texts_keep(&texts, "0123456789", 10, &name), ND_OK);
        CU_ASSERT(strcmp(name, "0123456789") == 0);
    }
    is("the first one", first, "first");
    CU_ASSERT(texts.bytes >= 20000 * 11);
    nd_texts_free(&texts);
    CU_ASSERT(texts.count == 0 && texts.bytes == 0);
}

static const nd_test tests[] = {
    {"tidy", test_tidy}, {"folders", test_folders}, {"URLs", test_urls}, {"names", test_names}};
ND_SUITE(t_input_name, tests)
