/* Which files are read, by what names, and what a look at some of them tells. */
#include "io/input/input_list.h"
#include "io/input/input_survey.h"
#include "tests/support/check.h"
#include "tests/support/failing_calls.h"
#include "tests/support/sources.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- From words to files: folders, globs, lists, names, and what is refused. */

static void make_tree(void) {
    static const char *const folders[] = {"site", "site/sub", "site/.git", "b=c", "empty"};
    static const char *const files[] = {"site/b.html",  "site/a b.html",    "site/sub/c.txt",
                                        "site/.hidden", "site/.git/x.html", "b=c/d.html",
                                        "one.warc"};
    CU_ASSERT_EQUAL_FATAL(chdir(nd_test_folder()), 0);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        (void)mkdir(folders[i], 0700);
    }
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        (void)nd_test_write(files[i], nd_test_span("12345"));
    }
}

typedef struct expected_input {
    const char *path;
    const char
        *url; /* one that starts with "/" is only the end: the test folder has no fixed name */
    const char *collection;
} expected_input;

static void check_words(const char *const *words, size_t word_count, const expected_input *expected,
                        size_t count) {
    nd_input_list list;
    ND_OWNED(nd_buffer_free) nd_buffer url = {0};
    const nd_status st = nd_input_list_resolve(&list, words, word_count);
    if (st != ND_OK) {
        printf("%s\n", nd_fail_text());
    }
    ND_TEST_MUST(st);
    CU_ASSERT_EQUAL_FATAL(list.count, count);
    for (size_t i = 0; i < count; i++) {
        const nd_input *input = &list.inputs[i];
        CU_ASSERT_STRING_EQUAL(input->path, expected[i].path);
        const size_t length = strlen(expected[i].url);
        nd_input_url(&list, input, &url);
        const size_t passed = expected[i].url[0] == '/' ? url.size - 1 - length : 0;
        CU_ASSERT_STRING_EQUAL((const char *)url.data + passed, expected[i].url);
        CU_ASSERT_STRING_EQUAL(list.collections[input->collection], expected[i].collection);
        CU_ASSERT_EQUAL(input->is.bytes, input->standard_input ? 0 : 5);
    }
    nd_input_list_free(&list);
    CU_ASSERT_PTR_NULL(list.inputs);
}

#define CHECK(words, ...)                                                                          \
    do {                                                                                           \
        const expected_input expected[] = {__VA_ARGS__};                                           \
        check_words(words, sizeof(words) / sizeof((words)[0]), expected,                           \
                    sizeof expected / sizeof expected[0]);                                         \
    } while (0)
ND_TEST("folders") {
    make_tree();
    const char *const folder[] = {"site"};
    CHECK(folder, {"site/a b.html", "file://site/a%20b.html", ""},
          {"site/b.html", "file://site/b.html", ""},
          {"site/sub/c.txt", "file://site/sub/c.txt", ""});
    const char *const slash[] = {"./site//"};
    CHECK(slash, {"site/a b.html", "file://site/a%20b.html", ""},
          {"site/b.html", "file://site/b.html", ""},
          {"site/sub/c.txt", "file://site/sub/c.txt", ""});
    CU_ASSERT_EQUAL_FATAL(chdir("site/sub"), 0);
    const char *const dot[] = {"."};
    CHECK(dot, {"c.txt", "file://sub/c.txt", ""});
    const char *const parent[] = {".."};
    CHECK(parent, {"../a b.html", "file://site/a%20b.html", ""},
          {"../b.html", "file://site/b.html", ""}, {"../sub/c.txt", "file://site/sub/c.txt", ""});
}

/* A walk goes by names; a file that is named is taken whatever its name. */
ND_TEST("what a walk takes") {
    static const char *const taken[] = {"a.html",     "b.HTM",       "c.xhtml",    "d.txt",
                                        "e.warc",     "f.warc.gz",   "g.arc.gz",   "h.wet.zst",
                                        "i.jsonl",    "j.jsonl.gz",  "k.warc.zst", "l0.json",
                                        "l1.json.gz", "l2.json.zst", "l3.ndjson"};
    static const char *const left[] = {"lz.png",     "m.css", "n.txt.gz",
                                       "o.html.zst", ".html", "p.gz"};
    enum { TAKEN = sizeof taken / sizeof taken[0], LEFT = sizeof left / sizeof left[0] };
    nd_input_list list;
    CU_ASSERT_EQUAL_FATAL(chdir(nd_test_folder()), 0);
    (void)mkdir("walk", 0700);
    for (size_t i = 0; i < TAKEN + LEFT; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "walk/%s", i < TAKEN ? taken[i] : left[i - TAKEN]);
        (void)nd_test_write(name, nd_test_span("12345"));
    }
    CU_ASSERT_EQUAL_FATAL(chdir("walk"), 0);
    const char *const folder[] = {"."};
    ND_TEST_MUST(nd_input_list_resolve(&list, folder, 1));
    CU_ASSERT_EQUAL(list.left_out, LEFT - 1); /* the hidden one is not even looked at */
    CU_ASSERT_EQUAL_FATAL(list.count, TAKEN);
    for (size_t i = 0; i < TAKEN; i++) {
        CU_ASSERT_STRING_EQUAL(list.inputs[i].path, taken[i]);
    }
    nd_input_list_free(&list);
    const char *const named[] = {"n.txt.gz", "lz.png"};
    ND_TEST_MUST(nd_input_list_resolve(&list, named, 2));
    CU_ASSERT_EQUAL(list.count, 2);
    CU_ASSERT_EQUAL(list.left_out, 0);
    nd_input_list_free(&list);
}

ND_TEST("names") {
    make_tree();
    const char *const named[] = {"one.warc", "new=site/sub", "old-1.0=site/sub", "b=c/d.html"};
    CHECK(named, {"b=c/d.html", "/b=c/d.html", ""}, {"one.warc", "/one.warc", ""},
          {"site/sub/c.txt", "file://new/c.txt", "new"},
          {"site/sub/c.txt", "file://old-1.0/c.txt", "old-1.0"});
}

ND_TEST("standard input") {
    ND_OWNED(nd_input_list_free) nd_input_list list;
    make_tree();
    CU_ASSERT_PTR_NOT_NULL_FATAL(freopen("/dev/null", "r", stdin));
    const char *const one[] = {"site/b.html", "-"};
    CHECK(one, {"-", "file://-/-", ""}, {"site/b.html", "file://site/b.html", ""});
    const char *const named[] = {"new=-"};
    CHECK(named, {"-", "file://new/-", "new"});
    const char *const twice[] = {"-", "old=-"};
    CU_ASSERT_EQUAL(nd_input_list_resolve(&list, twice, 2), ND_ERR_USAGE);
    const char *const with_list[] = {"@-", "-"};
    CU_ASSERT_EQUAL(nd_input_list_resolve(&list, with_list, 2), ND_ERR_IO); /* an empty list */
    ND_TEST_MUST(nd_input_list_resolve(&list, named, 1));
    CU_ASSERT_TRUE(list.inputs[0].standard_input);
    CU_ASSERT_STRING_EQUAL(nd_input_file(&list.inputs[0]), "-");
    ND_TEST_OK(
        nd_input_set_copy(&list, &list.inputs[0], "work/copy", &(nd_file_identity){.bytes = 7}));
    CU_ASSERT_STRING_EQUAL(nd_input_file(&list.inputs[0]), "work/copy");
    CU_ASSERT_EQUAL(list.inputs[0].is.bytes, 7);
}

ND_TEST("globs and repeats") {
    make_tree();
    const char *const words[] = {"site/*.html", "site/b.html", "./site/b.html", "x=s*e/sub"};
    CHECK(words, {"site/a b.html", "file://site/a%20b.html", ""},
          {"site/b.html", "file://site/b.html", ""}, {"site/sub/c.txt", "file://x/c.txt", "x"});
}

/* Paths of a list, a blank after each. */
static void join_paths(const nd_input_list *list, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < list->count && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s%s%s ",
                                 list->collections[list->inputs[i].collection],
                                 list->inputs[i].collection > 0 ? "=" : "", list->inputs[i].path);
    }
}

static void check_paths(const char *const *words, size_t count, bool skip_copies,
                        const char *expected, uint64_t repeated) {
    ND_OWNED(nd_input_list_free) nd_input_list list;
    char text[512];
    ND_TEST_MUST(nd_input_list_resolve(&list, words, count));
    if (skip_copies) {
        ND_TEST_OK(nd_input_list_skip_copies(&list));
    }
    join_paths(&list, text, sizeof text);
    CU_ASSERT_STRING_EQUAL(text, expected);
    CU_ASSERT_EQUAL(list.repeated, repeated);
}

/* A file is one source under all its names, and has one path in several collections. */
ND_TEST("one file") {
    make_tree();
    (void)mkdir("names", 0700);
    (void)nd_test_write("names/m.txt", nd_test_span("12345"));
    CU_ASSERT_EQUAL_FATAL(link("names/m.txt", "names/b.txt"), 0);
    CU_ASSERT_EQUAL_FATAL(symlink("m.txt", "names/z.txt"), 0);
    CU_ASSERT_EQUAL_FATAL(symlink("names", "alias"), 0);
    const char *const all[] = {"names"};
    check_paths(all, 1, false, "names/b.txt ", 2);
    const char *const two[] = {"names/z.txt", "alias/m.txt", "one.warc"};
    check_paths(two, 3, false, "alias/m.txt one.warc ", 1);
    const char *const turned[] = {"one.warc", "alias/m.txt", "names/z.txt", "names/../one.warc"};
    check_paths(turned, 4, false, "alias/m.txt names/../one.warc ", 2);
    const char *const apart[] = {"names/z.txt", "k=names/b.txt", "k=names/m.txt"};
    check_paths(apart, 3, false, "names/b.txt k=names/b.txt ", 1);
}

ND_TEST("copies") {
    make_tree();
    (void)mkdir("copies", 0700);
    (void)nd_test_write("copies/a.txt", nd_test_span("some bytes"));
    (void)nd_test_write("copies/b.txt", nd_test_span("same bytes"));
    (void)nd_test_write("copies/c.txt", nd_test_span("some bytes"));
    (void)nd_test_write("copies/d.txt", nd_test_span("some bytes and more"));
    (void)nd_test_write("copies/e.txt", nd_test_span(""));
    (void)nd_test_write("copies/f.txt", nd_test_span(""));
    const char *const one[] = {"copies"};
    check_paths(one, 1, false,
                "copies/a.txt copies/b.txt copies/c.txt copies/d.txt copies/e.txt copies/f.txt ",
                0);
    check_paths(one, 1, true, "copies/a.txt copies/b.txt copies/d.txt copies/e.txt copies/f.txt ",
                1);
    const char *const two[] = {"copies/c.txt", "x=copies/a.txt", "x=copies/c.txt"};
    check_paths(two, 3, true, "x=copies/a.txt copies/c.txt ", 1);
}

/* A number of a file's bytes: of all of a short one, of the first and the last of any. */
ND_TEST("number") {
    enum { LONG = 3 << 20, SHORT = 1 << 20 };
    static uint8_t bytes[LONG];
    static const size_t sizes[] = {1, 1000, SHORT, LONG};
    ND_OWNED(nd_buffer_free) nd_buffer scratch = {0};
    uint64_t number = 0;
    uint64_t other = 0;
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i % 251);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const size_t size = sizes[i];
        const size_t places[] = {0, size / 3 * (size <= SHORT), size - 1};
        const char *const path = nd_test_write("bytes", (nd_span){bytes, size});
        ND_TEST_MUST(nd_input_number(path, &scratch, &number));
        ND_TEST_OK(
            nd_input_number(nd_test_write("again", (nd_span){bytes, size}), &scratch, &other));
        CU_ASSERT(number != 0 && number == other);
        for (size_t p = 0; p < 3; p++) {
            bytes[places[p]] ^= 1;
            (void)nd_test_write("again", (nd_span){bytes, size});
            ND_TEST_OK(nd_input_number("again", &scratch, &other));
            CU_ASSERT_NOT_EQUAL(number, other);
            bytes[places[p]] ^= 1;
        }
        (void)nd_test_write("again", (nd_span){bytes, size - 1});
        ND_TEST_OK(nd_input_number("again", &scratch, &other));
        CU_ASSERT_NOT_EQUAL(number, other);
    }
    ND_TEST_OK(nd_input_number("not there", &scratch, &number));
    CU_ASSERT_EQUAL(number, 0);
}

ND_TEST("lists") {
    make_tree();
    (void)nd_test_write("list", nd_test_span("# comment\n\n  site/b.html  \r\nk=@inner\n"));
    (void)nd_test_write("inner", nd_test_span("site/sub\nother=b=c"));
    const char *const words[] = {"@list"};
    CHECK(words, {"b=c/d.html", "file://other/d.html", "other"},
          {"site/b.html", "file://site/b.html", ""}, {"site/sub/c.txt", "file://k/c.txt", "k"});
    /* a byte order mark is passed over, before a name, a comment and at the end */
    static const char *const lists[] = {"\xEF\xBB\xBFsite/b.html\r\n",
                                        "\xEF\xBB\xBF# comment\r\nsite/b.html",
                                        "\xEF\xBB\xBF\r\n@one\r\n"};
    (void)nd_test_write("one", nd_test_span("\xEF\xBB\xBF  site/b.html"));
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const char *const marked[] = {"@marked"};
        (void)nd_test_write("marked", nd_test_span(lists[i]));
        CHECK(marked, {"site/b.html", "file://site/b.html", ""});
    }
}

/* Files of one name in several folders: a URL keeps the path, however they are named. */
ND_TEST("urls") {
    static const char *const folders[] = {"u", "u/a", "u/a/x", "u/b", "u/b/x", "v", "v/x"};
    static const char *const files[] = {"u/a/x/i.html", "u/b/x/i.html", "v/x/i.html"};
    make_tree();
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        (void)mkdir(folders[i], 0700);
    }
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        (void)nd_test_write(files[i], nd_test_span("12345"));
    }
    (void)nd_test_write("named", nd_test_span("n=u/a/x/i.html\nn=./u//b/x/i.html\n"));
    (void)nd_test_write("plain", nd_test_span("u/b/x/i.html\nu/a/x/i.html\n"));
    const char *const folder[] = {"n=u"};
    const char *const list[] = {"@named"};
    const char *const list_of_name[] = {"n=@plain"};
    const char *const both[] = {"n=u/a/x/i.html", "n=u/b/"};
    const char *const glob[] = {"n=u/*/x"};
    const char *const *const same[] = {folder, list, list_of_name};
    for (size_t i = 0; i < 3; i++) {
        check_words(same[i], 1,
                    (const expected_input[]){{"u/a/x/i.html", "file://n/a/x/i.html", "n"},
                                             {"u/b/x/i.html", "file://n/b/x/i.html", "n"}},
                    2);
    }
    CHECK(both, {"u/a/x/i.html", "file://n/a/x/i.html", "n"},
          {"u/b/x/i.html", "file://n/b/x/i.html", "n"});
    CHECK(glob, {"u/a/x/i.html", "file://n/a/x/i.html", "n"},
          {"u/b/x/i.html", "file://n/b/x/i.html", "n"});
    const char *const plain_folder[] = {"u"};
    const char *const plain_list[] = {"@plain"};
    const char *const *const unnamed[] = {plain_folder, plain_list};
    for (size_t i = 0; i < 2; i++) {
        check_words(unnamed[i], 1,
                    (const expected_input[]){{"u/a/x/i.html", "file://u/a/x/i.html", ""},
                                             {"u/b/x/i.html", "file://u/b/x/i.html", ""}},
                    2);
    }
    /* folders without a NAME have their own, and share what holds them if that is one */
    const char *const two_names[] = {"u/a", "v"};
    CHECK(two_names, {"u/a/x/i.html", "file://a/x/i.html", ""},
          {"v/x/i.html", "file://v/x/i.html", ""});
    const char *const one_name[] = {"v/x", "u/b/x", "u/a/x", "u/a"};
    CHECK(one_name, {"u/a/x/i.html", "file://a/x/i.html", ""},
          {"u/b/x/i.html", "file://x/u/b/x/i.html", ""}, {"v/x/i.html", "file://x/v/x/i.html", ""});
    const char *const file_and_folder[] = {"u/a/x/i.html", "v/x"};
    CHECK(file_and_folder, {"u/a/x/i.html", "file://x/u/a/x/i.html", ""},
          {"v/x/i.html", "file://x/v/x/i.html", ""});
    /* no folder holds all: a path from the root, and one from here */
    char here[4096];
    char word[5100];
    char full[5000];
    char url[5100];
    CU_ASSERT_PTR_NOT_NULL_FATAL(getcwd(here, sizeof here));
    (void)snprintf(full, sizeof full, "%s/v/x/i.html", here);
    (void)snprintf(word, sizeof word, "n=%s", full);
    (void)snprintf(url, sizeof url, "file://n/%s", full);
    const char *const apart[] = {word, "n=u/a"};
    CHECK(apart, {full, url, "n"}, {"u/a/x/i.html", "file://n/u/a/x/i.html", "n"});
    (void)nd_test_write("u/a/x/1 2.html", nd_test_span("12345"));
    (void)nd_test_write("u/a/x/1%202.html", nd_test_span("12345"));
    (void)nd_test_write("u/a/x/1%2.html", nd_test_span("12345"));
    const char *const codes[] = {"u/a/x"};
    CHECK(codes, {"u/a/x/1 2.html", "file://x/1%202.html", ""},
          {"u/a/x/1%2.html", "file://x/1%2.html", ""},
          {"u/a/x/1%202.html", "file://x/1%25202.html", ""},
          {"u/a/x/i.html", "file://x/i.html", ""});
}

static void check_refused(const char *word, nd_status status, const char *named) {
    nd_input_list list;
    const char *const words[] = {"site", word};
    CU_ASSERT_EQUAL(nd_input_list_resolve(&list, words, 2), status);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), named));
    CU_ASSERT_EQUAL(list.count, 0);
    CU_ASSERT_PTR_NULL(list.inputs);
}

ND_TEST("refusals") {
    make_tree();
    (void)nd_test_write("circle", nd_test_span("@circle\n"));
    (void)nd_test_write("bad", nd_test_span("site\nno/such/file\n"));
    check_refused("nothing", ND_ERR_IO, "nothing");
    check_refused("name=nothing", ND_ERR_IO, "nothing");
    check_refused("*.nothing", ND_ERR_IO, "*.nothing");
    check_refused("c++=site", ND_ERR_IO, "NAME of NAME=INPUT has letters");
    check_refused("empty", ND_ERR_IO, "empty");
    check_refused("@nothing", ND_ERR_INPUT, "nothing");
    check_refused("@circle", ND_ERR_USAGE, "circle");
    check_refused("@bad", ND_ERR_IO, "no/such/file");
    CU_ASSERT_EQUAL_FATAL(mkfifo("fifo", 0600), 0);
    check_refused("fifo", ND_ERR_IO, "is a FIFO");
    check_refused("@fifo", ND_ERR_INPUT, "is a FIFO");
}

/* ---- Spellings of paths, folders that paths have in common, and the URLs that follow; texts that
 * are kept together. */

static void is(const char *what, const char *found, const char *expected) {
    if (strcmp(found, expected) != 0) {
        printf("%s: %s, not %s\n", what, found, expected);
        CU_FAIL("name");
    }
}

ND_TEST("tidy") {
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

ND_TEST("input name: folders") {
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

ND_TEST("URLs") {
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
        ND_OWNED(nd_buffer_free) nd_buffer url = {0};
        nd_input_append_url(&url, urls[i][0], urls[i][1]);
        is(urls[i][1], (const char *)url.data, urls[i][2]);
        CU_ASSERT_EQUAL(url.size, strlen(urls[i][2]) + 1);
    }
}

ND_TEST("input name: names") {
    nd_texts texts = {0};
    char *name = NULL, *first = NULL, path[600];
    ND_TEST_OK(nd_texts_keep(&texts, "first of all", 5, &first));
    CU_ASSERT_EQUAL_FATAL(chdir(nd_test_folder()), 0);
    const char *own = strrchr(nd_test_folder(), '/') + 1;
    ND_TEST_OK(nd_input_folder_name(&texts, "", &name));
    is("here", name, own);
    ND_TEST_OK(nd_input_folder_name(&texts, ".", &name));
    is(".", name, own);
    (void)snprintf(path, sizeof path, "../%s", own);
    ND_TEST_OK(nd_input_folder_name(&texts, path, &name));
    is("by its name", name, own);
    ND_TEST_OK(nd_input_folder_name(&texts, "no such folder", &name));
    is("none", name, "no such folder");
    for (int i = 0; i < 20000; i++) { /* more than any block */
        ND_TEST_OK(nd_texts_keep(&texts, "0123456789", 10, &name));
        CU_ASSERT(strcmp(name, "0123456789") == 0);
    }
    is("the first one", first, "first");
    CU_ASSERT(texts.bytes >= 20000 * 11);
    nd_texts_free(&texts);
    CU_ASSERT(texts.count == 0 && texts.bytes == 0);
}

/* ---- Samples of inputs of which everything is known. */

static void folder_of(const char *name, char *path) {
    (void)snprintf(path, 4096, "%s/%s", nd_test_folder(), name);
    (void)mkdir(path, 0777);
}

static void take(const char *path, nd_input_sample *sample) {
    ND_OWNED(nd_input_list_free) nd_input_list list = {0};
    const nd_reader_options options = {0};
    CU_ASSERT_FATAL(nd_input_list_resolve(&list, &path, 1) == ND_OK);
    CU_ASSERT_FATAL(nd_input_sample_take(&list, &options, false, sample) == ND_OK);
}

/* A page of `words` words, 6 bytes each. */
static void put_words(FILE *file, int words) {
    for (int i = 0; i < words; i++) {
        CU_ASSERT(fputs(i % 10 == 9 ? "end. \n" : "words ", file) >= 0);
    }
}

/* Files of pages: 300 of 60 bytes and 100 of 6,000. A place falls into a long one 33 times as often
 * as into a short one; the estimate must not. */
ND_TEST("files of pages") {
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
    /* six bytes a word, of which five and a space, or a full stop and a line end */
    CU_ASSERT(fabs(sample.tokens * 6 - sample.page_bytes) < .02 * sample.page_bytes);
    CU_ASSERT(sample.text_bytes > .5 * sample.page_bytes &&
              sample.text_bytes < 12 * sample.page_bytes);
}

/* A file of many pages: read in part, said to a few per cent. */
ND_TEST("a large file") {
    nd_input_sample sample;
    enum { PAGES = 60000 };
    const char *path = nd_test_path("large.jsonl");
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
    CU_ASSERT(sample.sampled < 0.7 * (double)PAGES);
    CU_ASSERT(fabs(sample.pages / (double)PAGES - 1) < 0.02);
    CU_ASSERT(fabs(sample.tokens / 109.5 - 1) < 0.02);
    CU_ASSERT(fabs(sample.name_bytes / (5.8 + 18) - 1) < 0.05);
}

/* Bytes that this process has read so far. */
static long long bytes_read(void) {
    long long bytes = -1;
    FILE *file = fopen("/proc/self/io", "r");
    CU_ASSERT_FATAL(file != NULL && fscanf(file, "rchar: %lld", &bytes) == 1);
    CU_ASSERT(fclose(file) == 0);
    return bytes;
}

/* A record of 96 MiB, which no place of 24 reads to its end, be it to learn what the file is (it
 * is the first) or to pass it over. \param[in] alone  in a member of its own, so that the file may
 * be entered behind it */
static void check_giant(const char *name, bool alone) {
    enum { PIECE = 1 << 20, PIECES = 96, PAGES = 400 };
    ND_OWNED(nd_buffer_free) nd_buffer file = {0};
    ND_OWNED(nd_buffer_free) nd_buffer record = {0};
    nd_input_sample sample;
    nd_buffer_reserve(&record, (size_t)(PIECES + 1) * PIECE);
    nd_test_print(&record,
                  "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://a/\r\n"
                  "Content-Type: text/plain\r\nContent-Length: %d\r\n\r\n",
                  PIECES * PIECE);
    memset(record.data + record.size, 'a', (size_t)PIECES * PIECE);
    record.size += (size_t)PIECES * PIECE;
    nd_test_print(&record, "\r\n\r\n");
    for (int i = 0; i < PAGES; i++) {
        if (alone) {
            nd_test_pack(&file, ND_TEST_GZIP_STORED, nd_buffer_span(&record));
            record.size = 0;
        }
        nd_test_warc_record(&record, "conversion", "http://b/", "urn:b", "text/plain",
                            nd_test_span("some words"));
    }
    nd_test_pack(&file, ND_TEST_GZIP_STORED, nd_buffer_span(&record));
    const char *path = nd_test_write(name, nd_buffer_span(&file));
    const long long before = bytes_read();
    take(path, &sample);
    const long long bytes = bytes_read() - before;
    CU_ASSERT(sample.kind_count == 1 && strcmp(sample.kinds[0], "warc.gz") == 0);
    if (bytes > 64 << 20) {
        printf("%s: %lld bytes were read\n", name, bytes);
        CU_FAIL("bytes");
    }
}

ND_TEST("a giant record") {
    check_giant("alone.warc.gz", true);
    check_giant("one.warc.gz", false);
}

/* A file that is gone when it is looked at is left out. */
ND_TEST("a file that is gone") {
    char folder[4096];
    char path[2][4200];
    const char *argument = folder;
    ND_OWNED(nd_input_list_free) nd_input_list list = {0};
    nd_input_sample sample;
    const nd_reader_options options = {0};
    folder_of("gone", folder);
    for (int i = 0; i < 2; i++) {
        (void)snprintf(path[i], sizeof path[i], "%s/%d.txt", folder, i);
        FILE *file = fopen(path[i], "w");
        CU_ASSERT_FATAL(file != NULL);
        put_words(file, 100);
        CU_ASSERT(fclose(file) == 0);
    }
    CU_ASSERT_FATAL(nd_input_list_resolve(&list, &argument, 1) == ND_OK);
    CU_ASSERT_EQUAL(remove(path[1]), 0);
    ND_TEST_OK(nd_input_sample_take(&list, &options, false, &sample));
    CU_ASSERT(sample.files == 2 && sample.sampled >= 1);
    CU_ASSERT(sample.pages > .9 && sample.pages < 2.1);
}

ND_TEST("nothing") {
    nd_input_sample sample;
    const char *path = nd_test_path("empty.txt");
    FILE *file = fopen(path, "w");
    CU_ASSERT_FATAL(file != NULL && fclose(file) == 0);
    take(path, &sample);
    CU_ASSERT(sample.sampled == 0 && sample.pages == 0 && sample.bytes == 0);
}

/* ---- Why an input gave no page: what is said of each kind, and of the fields that lines of JSON
 * have. */

static const char *path_unused_input; /* of the input */

/* \param[in] says  what follows the path */
static void check_explained(const nd_reader_options *options, const nd_reader_counts *counts,
                            const char *says) {
    char reason[ND_UNUSED_SIZE], expected[2 * ND_UNUSED_SIZE];
    ND_TEST_OK(nd_unused_input_explain(path_unused_input, options, counts, reason));
    (void)snprintf(expected, sizeof expected, "%s: %s", path_unused_input, says);
    if (strcmp(reason, expected) != 0) {
        printf("it says: %s\n", reason);
    }
    CU_ASSERT_STRING_EQUAL(reason, expected);
}

static void put(const char *name, const char *text) {
    path_unused_input = nd_test_write(name, nd_test_span(text));
}

static const nd_reader_options usual = {0};
static const nd_reader_counts lines = {.records = 2, .skipped = 2, .bytes = 99};

ND_TEST("fields") {
    put("a.jsonl",
        "{\"id\": \"1\", \"raw\": \"some text\", \"n\": 3}\n{\"id\": \"2\", \"raw\": \"x\"}\n");
    check_explained(
        &usual, &lines,
        "give --jsonl-text raw: no text in a field \"text\" or \"html\"; fields here: id, "
        "raw, n");
    put("a.jsonl", "{\"doc\": {\"main text\": \"<html><p>page</p></html>\", \"n\": 1}, \"url\": "
                   "\"http://a.example/a/very/long/url/that/is/no/text/of/a/page\"}\n");
    check_explained(&usual, &lines,
                    "give --jsonl-html 'doc.main text': no text in a field \"text\" or \"html\"; "
                    "fields here: doc.main text, doc.n, url");
    put("a.jsonl", "{\"n\": 1, \"list\": [\"a\"]}\n[1]\nno JSON\n");
    const nd_reader_options named = {.jsonl_text = "a\tb", .jsonl_html = "body"};
    check_explained(&named, &lines, "no text in a field \"a?b\" or \"body\"; fields here: n, list");
    put("a.jsonl", "{\"it's\": \"a text whose name cannot be quoted\"}\n");
    check_explained(&usual, &lines, "no text in a field \"text\" or \"html\"; fields here: it's");
    put("a.jsonl", "{}\n");
    check_explained(&usual, &lines, "no text in a field \"text\" or \"html\"; fields here: none");
    put("a.jsonl",
        "{\"a0123456789012345678901234567890123456789012345678901234567890123456789\": 1}\n");
    check_explained(&usual, &lines, "no text in a field \"text\" or \"html\"; fields here: ...");
}

static void check_hint(const nd_reader_options *options, const char *text, const char *option) {
    char hint[ND_UNUSED_SIZE];
    put("a.jsonl", text);
    ND_TEST_OK(nd_unused_url_explain(path_unused_input, options, hint));
    if (option == NULL ? hint[0] != '\0' : strstr(hint, option) == NULL) {
        printf("%s: '%s'\n", text, hint);
        CU_FAIL("hint");
    }
}

/* A field that looks like the pages' URL is named where they have none. */
ND_TEST("fields that look like URLs") {
#define URL "\"http://a.example/1\""
    check_hint(&usual, "{\"text\":\"t\",\"meta\":{\"url\":" URL "}}\n",
               "a.jsonl: give --jsonl-url meta.url ");
    check_hint(&usual, "{\"text\":\"t\",\"source\":\"https://a.example/\"}",
               " --jsonl-url source ");
    check_hint(&usual, "{\"image\":" URL ",\"link\":\"www.a.example/1\"}", " --jsonl-url link ");
    check_hint(&usual, "{\"text\":\"t\",\"warc target\":" URL "}", " --jsonl-url 'warc target' ");
    check_hint(&usual, "{\"url\":\"\",\"link\":" URL "}", " --jsonl-url link ");
    check_hint(&usual, "{\"url\":null,\"link\":" URL "}", " --jsonl-url link ");
    /* there is one, or a field is something else, or few records have it, or no record is JSON */
    check_hint(&usual, "{\"url\":\"x\",\"link\":" URL "}", NULL);
    check_hint(&usual, "{\"id\":" URL ",\"text\":" URL "}", NULL);
    check_hint(&usual, "{\"title\":\"http://a.example/ is a page\",\"link\":\"home\"}", NULL);
    check_hint(&usual, "{\"link\":" URL "}\n{\"text\":\"t\"}\n{\"text\":\"t\"}\n", NULL);
    check_hint(&usual, "<p>" URL "</p>", NULL);
    check_hint(&(nd_reader_options){.jsonl_url = "/meta/url"}, "{\"meta\":{\"url\":" URL "}}",
               NULL);
#undef URL
}

/* More fields than are named. */
ND_TEST("many fields") {
    ND_OWNED(nd_buffer_free) nd_buffer text = {0};
    char reason[ND_UNUSED_SIZE];
    nd_test_print(&text, "{\"f\": 1");
    for (int i = 0; i < 100; i++) {
        nd_test_print(&text, ", \"f%d\": 1", i);
    }
    nd_test_print(&text, "}\n");
    path_unused_input = nd_test_write("a.jsonl", nd_buffer_span(&text));
    ND_TEST_OK(nd_unused_input_explain(path_unused_input, &usual, &lines, reason));
    CU_ASSERT_PTR_NOT_NULL(strstr(reason, "fields here: f, f0, f1"));
    CU_ASSERT_STRING_EQUAL(reason + strlen(reason) - 10, ", f14, ..."); /* the 16th */
    CU_ASSERT_PTR_NULL(strstr(reason, "f99"));
}

ND_TEST("others") {
    ND_OWNED(nd_buffer_free) nd_buffer text = {0};
    const nd_reader_counts none = {
        .records = 3, .other = 3, .others = {[ND_OTHER_ABOUT] = 2, [ND_OTHER_IMAGE] = 1}};
    const nd_reader_counts skipped = {.records = 3, .other = 1, .skipped = 2};
    const nd_reader_counts unusable = {.records = 2, .skipped = 2};
    const nd_reader_counts some = {.records = 2, .pages = 1};
    const nd_reader_counts failed = {.skipped = 1};
    const nd_reader_counts nothing = {0};
    nd_test_warc_record(&text, "warcinfo", "", "urn:info", "application/warc-fields",
                        nd_test_span("software: test\r\n"));
    path_unused_input = nd_test_write("a.warc", nd_buffer_span(&text));
    check_explained(&usual, &none,
                    "3 records, none of them a page: 2 request, metadata or warcinfo, 1 content "
                    "type of images");
    check_explained(&usual, &skipped, "3 records, none of them a page");
    check_explained(&usual, &unusable, "2 records, none of which could be used");
    check_explained(&usual, &some, "could not be read to its end");
    check_explained(&usual, &failed, "could not be opened, though it can be now");
    put("a.warc", "");
    check_explained(&usual, &nothing, "empty");
    put("a.css", "p { }");
    check_explained(&usual, &nothing, "no page was found in it");
    path_unused_input = "/no/such/input";
    check_explained(&usual, &nothing, "cannot be opened: No such file or directory");
}

ND_TEST("refused") {
    put("a.jsonl", "{\"raw\": \"some text\"}\n");
    ND_OWNED(nd_input_list_free) nd_input_list list = {0};
    ND_TEST_MUST(nd_input_list_resolve(&list, &path_unused_input, 1));
    CU_ASSERT_EQUAL(nd_unused_inputs_refuse(&list, &usual), ND_ERR_FORMAT);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "no page was found where it was looked for: "));
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "--jsonl-text raw"));
}

/* Only memory that is lacking is a failure: any other is what is to be said of the input. */
static nd_status explain(void) {
    char reason[ND_UNUSED_SIZE];
    const nd_status st = nd_unused_input_explain(path_unused_input, &usual, &lines, reason);
    CU_ASSERT(st == ND_OK || st == ND_ERR_MEMORY);
    if (st == ND_OK && strstr(reason, "--jsonl-text raw") == NULL) {
        return ND_ERR_INPUT; /* it could not be looked at again: nd_fail_text() has why */
    }
    return st;
}

ND_TEST("failures") {
    put("a.jsonl", "{\"raw\": \"some text\"}\n");
    CU_ASSERT(nd_test_all_failures(explain, NULL) >= 5);
}
