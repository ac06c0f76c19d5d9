/* The host of a URL, from well-formed URLs to none at all. */
#include "src/text/address.h"
#include "tests/support/check.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static nd_span span(const char *text) {
    return (nd_span){(const uint8_t *)text, strlen(text)};
}

static void is(const char *url, const char *expected) {
    uint8_t host[ND_SITE_HOST_SIZE];
    nd_span found = nd_site_host(span(url), host);
    bool same = found.size == strlen(expected) && memcmp(found.data, expected, found.size) == 0;
    CU_ASSERT(same);
    if (!same) {
        printf("%s: %.*s, not %s\n", url, (int)found.size, (const char *)found.data, expected);
    }
}

static void test_hosts(void) {
    is("http://example.com/a/b?c#d", "example.com");
    is("https://WWW.Example.COM", "www.example.com");
    is("https://example.com:8080/", "example.com");
    is("https://example.com:/", "example.com");
    is("http://user:pass@example.com:80/a@b", "example.com");
    is("http://a@b@c/", "c");
    is("http://example.com?x=http://other/", "example.com");
    is("http://example.com#x", "example.com");
    is("http://example.com\\@other/", "example.com");
    is("http://example.com./", "example.com");
    is("http://example.com..:80/", "example.com");
    is(" \r\n\thttp://example.com \n", "example.com");
    is("svn+ssh://h-1.example/a", "h-1.example");
    is("file://NAME/a/b", "name");
    is("http://[2001:DB8::1]:80/a", "[2001:db8::1]");
    is("http://192.0.2.1:80", "192.0.2.1");
    is("http://\u4f8b\u5b50.example/", "\u4f8b\u5b50.example");
}

static void test_no_host(void) {
    static const char *const urls[] = {"",          "http",         "http:",         "http:/a",
                                       "http://",   "http:///a",    "file:///a/b",   "/a/b",
                                       "//host/a",  "example.com/", "1http://host/", "mailto:a@b",
                                       "urn:a:b",   "://host/",     "http://:80/",   "http://@/",
                                       "http://u@", "h ttp://a/",   "http://.../"};
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
        is(urls[i], "");
    }
}

static void test_long_host_is_cut(void) {
    char url[512] = "http://";
    uint8_t host[ND_SITE_HOST_SIZE];
    memset(url + strlen(url), 'A', 400);
    nd_span found = nd_site_host(span(url), host);
    CU_ASSERT_EQUAL(found.size, ND_SITE_HOST_SIZE);
    CU_ASSERT_EQUAL(host[ND_SITE_HOST_SIZE - 1], 'a');
}

/* Random bytes, with the characters that matter among them: nothing outside is read, and a host
 * read again from a URL made of it stays what it is. */
static void test_any_bytes(void) {
    static const char special[] = ":/@?#[].\\ Ah0\x80";
    nd_random random = nd_test_random("site");
    for (int i = 0; i < 20000; i++) {
        char url[64] = "http://";
        uint8_t host[ND_SITE_HOST_SIZE], again[ND_SITE_HOST_SIZE];
        size_t size = nd_random_below(&random, 2) * 7;
        for (size_t n = nd_random_below(&random, 20); n > 0; n--) {
            url[size++] = nd_random_below(&random, 4) == 0
                              ? (char)nd_random_next(&random)
                              : special[nd_random_below(&random, sizeof special - 1)];
        }
        nd_span found = nd_site_host((nd_span){(uint8_t *)url, size}, host);
        memcpy(url, "http://", 7);
        memcpy(url + 7, found.data, found.size);
        nd_span same = nd_site_host((nd_span){(uint8_t *)url, 7 + found.size}, again);
        bool is_address = memchr(host, '[', found.size) != NULL; /* it may end in its bracket */
        CU_ASSERT(is_address ||
                  (same.size == found.size && memcmp(same.data, found.data, found.size) == 0));
    }
    uint8_t host[ND_SITE_HOST_SIZE];
    CU_ASSERT_EQUAL(nd_site_host((nd_span){NULL, 0}, host).size, 0);
}

static void test_hash(void) {
    CU_ASSERT_EQUAL(nd_site_hash(span("a.example"), 0), nd_site_hash(span("a.example"), 0));
    CU_ASSERT_NOT_EQUAL(nd_site_hash(span("a.example"), 0), nd_site_hash(span("b.example"), 0));
    CU_ASSERT_NOT_EQUAL(nd_site_hash(span("a.example"), 0), nd_site_hash(span("a.example"), 1));
    CU_ASSERT(
        nd_site_is_same(nd_site_hash(span("a.example"), 0), nd_site_hash(span("a.example"), 0)));
    CU_ASSERT(
        !nd_site_is_same(nd_site_hash(span("a.example"), 0), nd_site_hash(span("b.example"), 0)));
}

/* Pages without a host are of no site: never of one site, but they may be. */
static void test_no_site(void) {
    const uint64_t none = nd_site_hash((nd_span){NULL, 0}, 0);
    const uint64_t a = nd_site_hash(span("a.example"), 0);
    const uint64_t b = nd_site_hash(span("b.example"), 0);
    CU_ASSERT_EQUAL(none, 0);
    CU_ASSERT(!nd_site_is_same(none, none));
    CU_ASSERT(!nd_site_is_same(none, a));
    CU_ASSERT(nd_site_may_be_same(none, none));
    CU_ASSERT(nd_site_may_be_same(none, a) && nd_site_may_be_same(a, none));
    CU_ASSERT(nd_site_may_be_same(a, a));
    CU_ASSERT(!nd_site_may_be_same(a, b));
}

static const nd_test tests[] = {
    {"hosts", test_hosts},
    {"no host", test_no_host},
    {"long host is cut", test_long_host_is_cut},
    {"any bytes", test_any_bytes},
    {"hash", test_hash},
    {"no site", test_no_site},
};
ND_SUITE(t_site, tests)
