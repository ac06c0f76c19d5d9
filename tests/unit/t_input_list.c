/* From words to files: folders, globs, lists, names, and what is refused. */
#include "io/input/input_list.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    nd_buffer url = {0};
    const nd_status st = nd_input_list_resolve(&list, words, word_count);
    if (st != ND_OK) {
        printf("%s\n", nd_fail_text());
    }
    CU_ASSERT_EQUAL_FATAL(st, ND_OK);
    CU_ASSERT_EQUAL_FATAL(list.count, count);
    for (size_t i = 0; i < count; i++) {
        const nd_input *input = &list.inputs[i];
        CU_ASSERT_STRING_EQUAL(input->path, expected[i].path);
        const size_t length = strlen(expected[i].url);
        CU_ASSERT_EQUAL_FATAL(nd_input_url(&list, input, &url), ND_OK);
        const size_t passed = expected[i].url[0] == '/' ? url.size - 1 - length : 0;
        CU_ASSERT_STRING_EQUAL((const char *)url.data + passed, expected[i].url);
        CU_ASSERT_STRING_EQUAL(list.collections[input->collection], expected[i].collection);
        CU_ASSERT_EQUAL(input->is.bytes, input->standard_input ? 0 : 5);
    }
    nd_buffer_free(&url);
    nd_input_list_free(&list);
    CU_ASSERT_PTR_NULL(list.inputs);
}

#define CHECK(words, ...)                                                                          \
    do {                                                                                           \
        const expected_input expected[] = {__VA_ARGS__};                                           \
        check_words(words, sizeof(words) / sizeof((words)[0]), expected,                           \
                    sizeof expected / sizeof expected[0]);                                         \
    } while (0)

static void test_folders(void) {
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
static void test_what_a_walk_takes(void) {
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
    CU_ASSERT_EQUAL_FATAL(nd_input_list_resolve(&list, folder, 1), ND_OK);
    CU_ASSERT_EQUAL(list.left_out, LEFT - 1); /* the hidden one is not even looked at */
    CU_ASSERT_EQUAL_FATAL(list.count, TAKEN);
    for (size_t i = 0; i < TAKEN; i++) {
        CU_ASSERT_STRING_EQUAL(list.inputs[i].path, taken[i]);
    }
    nd_input_list_free(&list);
    const char *const named[] = {"n.txt.gz", "lz.png"};
    CU_ASSERT_EQUAL_FATAL(nd_input_list_resolve(&list, named, 2), ND_OK);
    CU_ASSERT_EQUAL(list.count, 2);
    CU_ASSERT_EQUAL(list.left_out, 0);
    nd_input_list_free(&list);
}

static void test_names(void) {
    make_tree();
    const char *const named[] = {"one.warc", "new=site/sub", "old-1.0=site/sub", "b=c/d.html"};
    CHECK(named, {"b=c/d.html", "/b=c/d.html", ""}, {"one.warc", "/one.warc", ""},
          {"site/sub/c.txt", "file://new/c.txt", "new"},
          {"site/sub/c.txt", "file://old-1.0/c.txt", "old-1.0"});
}

static void test_standard_input(void) {
    nd_input_list list;
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
    CU_ASSERT_EQUAL_FATAL(nd_input_list_resolve(&list, named, 1), ND_OK);
    CU_ASSERT_TRUE(list.inputs[0].standard_input);
    CU_ASSERT_STRING_EQUAL(nd_input_file(&list.inputs[0]), "-");
    CU_ASSERT_EQUAL(
        nd_input_set_copy(&list, &list.inputs[0], "work/copy", &(nd_file_identity){.bytes = 7}),
        ND_OK);
    CU_ASSERT_STRING_EQUAL(nd_input_file(&list.inputs[0]), "work/copy");
    CU_ASSERT_EQUAL(list.inputs[0].is.bytes, 7);
    nd_input_list_free(&list);
}

static void test_globs_and_repeats(void) {
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
    nd_input_list list;
    char text[512];
    CU_ASSERT_EQUAL_FATAL(nd_input_list_resolve(&list, words, count), ND_OK);
    if (skip_copies) {
        CU_ASSERT_EQUAL(nd_input_list_skip_copies(&list), ND_OK);
    }
    join_paths(&list, text, sizeof text);
    CU_ASSERT_STRING_EQUAL(text, expected);
    CU_ASSERT_EQUAL(list.repeated, repeated);
    nd_input_list_free(&list);
}

/* A file is one source under all its names, and has one path in several collections. */
static void test_one_file(void) {
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

static void test_copies(void) {
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
static void test_number(void) {
    enum { LONG = 3 << 20, SHORT = 1 << 20 };
    static uint8_t bytes[LONG];
    static const size_t sizes[] = {1, 1000, SHORT, LONG};
    nd_buffer scratch = {0};
    uint64_t number = 0;
    uint64_t other = 0;
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i % 251);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const size_t size = sizes[i];
        const size_t places[] = {0, size / 3 * (size <= SHORT), size - 1};
        const char *const path = nd_test_write("bytes", (nd_span){bytes, size});
        CU_ASSERT_EQUAL_FATAL(nd_input_number(path, &scratch, &number), ND_OK);
        CU_ASSERT_EQUAL(
            nd_input_number(nd_test_write("again", (nd_span){bytes, size}), &scratch, &other),
            ND_OK);
        CU_ASSERT(number != 0 && number == other);
        for (size_t p = 0; p < 3; p++) {
            bytes[places[p]] ^= 1;
            (void)nd_test_write("again", (nd_span){bytes, size});
            CU_ASSERT_EQUAL(nd_input_number("again", &scratch, &other), ND_OK);
            CU_ASSERT_NOT_EQUAL(number, other);
            bytes[places[p]] ^= 1;
        }
        (void)nd_test_write("again", (nd_span){bytes, size - 1});
        CU_ASSERT_EQUAL(nd_input_number("again", &scratch, &other), ND_OK);
        CU_ASSERT_NOT_EQUAL(number, other);
    }
    CU_ASSERT_EQUAL(nd_input_number("not there", &scratch, &number), ND_OK);
    CU_ASSERT_EQUAL(number, 0);
    nd_buffer_free(&scratch);
}

static void test_lists(void) {
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
static void test_urls(void) {
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

static void test_refusals(void) {
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

static const nd_test tests[] = {
    {"folders", test_folders},
    {"what a walk takes", test_what_a_walk_takes},
    {"standard input", test_standard_input},
    {"names", test_names},
    {"globs and repeats", test_globs_and_repeats},
    {"lists", test_lists},
    {"urls", test_urls},
    {"refusals", test_refusals},
    {"one file", test_one_file},
    {"copies", test_copies},
    {"number", test_number},
};
ND_SUITE(t_input_list, tests)
