/* Names of output files: where they lie, and that none leads out of the folder or is another's. */
#include "io/store/output_file.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 4 };

static const nd_span collections[] = {{(const uint8_t *)"", 0},
                                      {(const uint8_t *)"news", 4},
                                      {(const uint8_t *)"..", 2},
                                      {(const uint8_t *)"a/b", 3}};

typedef struct name_case {
    const char *path;
    uint64_t collection;
    const char *to;
} name_case;

static nd_status name_all(const name_case *cases, size_t count, char ***to) {
    nd_span paths[MOST];
    uint64_t of[MOST];
    for (size_t i = 0; i < count; i++) {
        paths[i] = nd_test_span(cases[i].path);
        of[i] = cases[i].collection;
    }
    return nd_output_names(paths, of, count, collections, 4, to);
}

static void check(const name_case *cases, size_t count) {
    char **to = NULL;
    CU_ASSERT_EQUAL(name_all(cases, count, &to), ND_OK);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(to[i], cases[i].to) != 0) {
            printf("%s: %s, not %s\n", cases[i].path, to[i], cases[i].to);
            CU_FAIL("name");
        }
    }
    nd_output_names_free(&to, count);
}

static void test_names(void) {
    check((const name_case[]){{"crawl/a.warc", 0, "a.warc"}}, 1);
    check((const name_case[]){{"a.warc", 0, "a.warc"}}, 1);
    check((const name_case[]){{"/data/crawl/a.warc", 0, "a.warc"},
                              {"/data/crawl/b/c.warc", 0, "b/c.warc"}},
          2);
    check((const name_case[]){{"data/ab/a.warc", 0, "ab/a.warc"},
                              {"data/ac/a.warc", 0, "ac/a.warc"},
                              {"data/ab.warc", 0, "ab.warc"}},
          3);
    check((const name_case[]){{"x/a.warc", 0, "a.warc"},
                              {"y/a.warc", 1, "news/a.warc"},
                              {"y//./z/a.warc", 1, "news/z/a.warc"}},
          3);
    check((const name_case[]){{"x/a.warc", 0, "x/a.warc"}, {"y/a.warc", 0, "y/a.warc"}}, 2);
    check((const name_case[]){{"/x", 0, "x"}, {"./y", 0, "y"}}, 2);
}

static void test_outward(void) {
    check((const name_case[]){{"../a/x", 0, "%2E%2E/a/x"}, {"b/y", 0, "b/y"}}, 2);
    check((const name_case[]){{"b/../../x", 0, "%2E%2E/%2E%2E/x"}, {"b/y", 0, "y"}}, 2);
    check((const name_case[]){{"b/x", 2, "%2E%2E/x"}, {"b/x", 3, "a%2Fb/x"}}, 2);
}

/* A folder and a file of one name, or of that which the file has until it is complete. */
static void test_folders(void) {
    check((const name_case[]){{"w#archive/a.warc", 0, "a.warc"},
                              {"w#archive/a.warc/b.warc", 0, "a.warc%2Fb.warc"},
                              {"w#archive/a.warc/b.warc/c", 0, "a.warc%2Fb.warc%2Fc"},
                              {"w#archive/a.warc.gz/b.warc", 0, "a.warc.gz/b.warc"}},
          4);
    check((const name_case[]){{"d/x", 0, "x"}, {"d/x.partial/y", 0, "x.partial%2Fy"}}, 2);
    check((const name_case[]){{"d/news/x", 0, "news/x"},
                              {"d/y", 0, "y"},
                              {"e/x/z", 1, "news/x%2Fz"},
                              {"e/w", 1, "news/w"}},
          4);
    char **to = NULL;
    const name_case again[] = {{"d/x", 0, ""}, {"d/x/y", 0, ""}, {"d/x%2Fy", 0, ""}};
    CU_ASSERT_EQUAL(name_all(again, 3, &to), ND_ERR_USAGE);
    nd_output_names_free(&to, 3);
}

static void test_one_name(void) {
    char **to = NULL;
    const name_case twice[] = {{"d/news/x", 0, ""}, {"d/y", 0, ""}, {"e/x", 1, ""}};
    CU_ASSERT_EQUAL(name_all(twice, 3, &to), ND_ERR_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "news/x"));
    nd_output_names_free(&to, 3);
    const name_case partial[] = {{"d/x.partial", 0, ""}, {"d/x", 0, ""}};
    CU_ASSERT_EQUAL(name_all(partial, 2, &to), ND_ERR_USAGE);
    nd_output_names_free(&to, 2);
}

static const nd_test tests[] = {{"names", test_names},
                                {"paths that lead elsewhere", test_outward},
                                {"folders and files of one name", test_folders},
                                {"two files of one name", test_one_name}};

ND_SUITE(t_output_names, tests)
