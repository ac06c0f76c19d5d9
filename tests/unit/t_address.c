/* What addresses name, and which of them name the same thing or nothing. */
#include "src/text/address.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint16_t subject(const char *url) {
    return nd_url_subject((nd_span){(const uint8_t *)url, strlen(url)});
}

/* Rows of addresses that name one thing, another in each row; punctuation does not count. */
static void test_what_is_named(void) {
    enum { MOST = 12 };
    static const char *const rows[][MOST] = {
        {"http://a.example/api/classArrayList.html", "http://b.example/classArrayList.htm",
         "http://a.example/v1.2/api/CLASSARRAYLIST.HTML", "file://name/api-3/class_array-list.html",
         "http://a.example/classArrayList.html?lang=en", "http://a.example/class.ArrayList#add",
         "http://a.example/classArrayList2.html", "http://a.example/classArrayList.html;jsession=x",
         "https://user@a.example:8080/x/class%41rrayLis%74/",
         " http://a.example/class+ArrayList//"},
        {"http://a.example/classArrayLists.html", "http://a.example/2020/class-array-lists/"},
        {"http://a.example/class-array/List.html", "http://a.example/class/array/list"},
        {"http://a.example/caf\xc3\xa9", "http://a.example/caf%c3%A9.php"},
        {"http://a.example/caf%C3%A8"},
        {"http://a.example/x/.html", "http://a.example/html"},
        {"http://a.example/3d-art", "http://a.example/3D_art.jpeg"},
    };
    enum { ROWS = sizeof rows / sizeof rows[0] };
    uint16_t first[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        first[i] = subject(rows[i][0]);
        CU_ASSERT_NOT_EQUAL(first[i], 0);
        for (size_t k = 0; k < i; k++) {
            CU_ASSERT_NOT_EQUAL(first[i], first[k]);
        }
        for (size_t k = 1; k < MOST && rows[i][k] != NULL; k++) {
            CU_ASSERT_EQUAL(subject(rows[i][k]), first[i]);
            if (subject(rows[i][k]) != first[i]) {
                printf("%s names another thing than %s\n", rows[i][k], rows[i][0]);
            }
        }
    }
}

/* A site's front page, numbers, hashes, and what is no address. */
static void test_nothing_is_named(void) {
    static const char *const urls[] = {
        "",
        "http://a.example",
        "http://a.example/",
        "http://a.example//",
        "http://a.example?q=word",
        "http://a.example/#word",
        "http://a.example/archive/201307/0.html",
        "http://a.example/x",
        "http://a.example/2013/07/",
        "http://a.example/d41d8cd98f00b204e9800998.html",
        "http://a.example/-_.html",
        "http://a.example/%20%31.html",
        "urn:neardup:name",
        "name.html",
        "/a/name.html",
        "mailto:name@a.example",
        "http:/name",
        ":",
        "http://",
    };
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
        CU_ASSERT_EQUAL(subject(urls[i]), 0);
        if (subject(urls[i]) != 0) {
            printf("%s names something\n", urls[i]);
        }
    }
}

/* A view ends where it ends, within an escape too; long names are cut, not refused. */
static void test_ends(void) {
    static const char url[] = "http://a.example/name%41.html";
    static char longer[1024];
    for (size_t size = 0; size <= strlen(url); size++) { /* sanitizers see what is read beyond */
        char *copy = malloc(size + (size == 0));
        CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
        memcpy(copy, url, size);
        const uint16_t found = nd_url_subject((nd_span){(const uint8_t *)copy, size});
        CU_ASSERT((found != 0) == (size >= strlen("http://a.example/na")));
        CU_ASSERT((nd_url_address((nd_span){(const uint8_t *)copy, size}) == 0) == (size == 0));
        free(copy);
    }
    memset(longer, 'x', sizeof longer - 1);
    memcpy(longer, "http://a/", strlen("http://a/"));
    const uint16_t all = subject(longer);
    longer[sizeof longer - 2] = 'y';
    CU_ASSERT(all != 0 && subject(longer) == all);
    longer[20] = 'y';
    CU_ASSERT_NOT_EQUAL(subject(longer), all);
}

static nd_address address(const char *url) {
    return nd_url_address((nd_span){(const uint8_t *)url, strlen(url)});
}

/* Pairs of addresses, and what each two are to each other, either way round. */
static void test_relations(void) {
    static const struct {
        const char *a, *b;
        nd_address_relation relation;
    } pairs[] = {
        {"http://a.example/2.4/manual/install.html", "http://a.example/3.0/manual/install.html",
         ND_ADDRESS_VERSION},
        {"http://a.example/manual/install.html", "http://a.example/latest/manual/install.html",
         ND_ADDRESS_VERSION},
        {"http://a.example/pkg-1.74.0/x/install.html", "http://a.example/pkg-1_75/x/install.htm",
         ND_ADDRESS_VERSION},
        {"http://a.example/v2/de/index.html", "http://a.example/v10.0b2/pt-BR/index.html",
         ND_ADDRESS_VERSION},
        {"http://a.example/help/zh_CN.amd64/ch01.html", "http://a.example/help/en.mips/ch01.html",
         ND_ADDRESS_VERSION},
        {"http://a.example/0101/a%20b/c", "http://a.example/39/A%20B/c#part", ND_ADDRESS_VERSION},
        {"http://a.example/apple-pie/index.html", "http://a.example/apple-pie", ND_ADDRESS_VERSION},
        {"http://a.example/api/org/x/Y.html", "http://a.example/apidocs/org/x/Y.html",
         ND_ADDRESS_VERSION},
        {"http://a.example/org/x/package-summary.html",
         "http://a.example/org/z/package-summary.html", ND_ADDRESS_NAME},
        {"http://a.example/12/reviews", "http://a.example/1342/reviews", ND_ADDRESS_NAME},
        {"http://a.example/item/1343/reviews", "http://a.example/item/1342/reviews",
         ND_ADDRESS_NAME},
        {"http://a.example/a/install.html", "http://a.example/b/install.html", ND_ADDRESS_NAME},
        {"http://a.example/en.mips/ch01.html", "http://a.example/en.amd64/ch02.html",
         ND_ADDRESS_ACROSS},
        {"http://a.example/1.2/a/x", "http://a.example/1.3/b/y", ND_ADDRESS_OTHER},
        {"http://a.example/KEY_a", "http://a.example/KEY_A", ND_ADDRESS_OTHER},
        {"http://a.example/view?id=1", "http://a.example/view?id=2", ND_ADDRESS_OTHER},
        {"http://a.example/view?id=1", "http://a.example/view?id=1#top", ND_ADDRESS_VERSION},
        {"http://a.example/ch01.html", "http://a.example/ch02.html", ND_ADDRESS_OTHER},
        {"", "http://a.example/x", ND_ADDRESS_OTHER},
        {"", "", ND_ADDRESS_OTHER},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const nd_address a = address(pairs[i].a);
        const nd_address b = address(pairs[i].b);
        CU_ASSERT_EQUAL(nd_address_relate(a, b), pairs[i].relation);
        CU_ASSERT_EQUAL(nd_address_relate(b, a), pairs[i].relation);
        if (nd_address_relate(a, b) != pairs[i].relation) {
            printf("%s and %s: %d\n", pairs[i].a, pairs[i].b, (int)nd_address_relate(a, b));
        }
    }
}

static const nd_test tests[] = {
    {"what is named", test_what_is_named},
    {"nothing is named", test_nothing_is_named},
    {"ends", test_ends},
    {"relations", test_relations},
};
ND_SUITE(t_address, tests)
