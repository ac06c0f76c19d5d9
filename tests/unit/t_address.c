/* Addresses: their parts, sites and registered domains, SURT. */
#include "io/input/page_maker.h"
#include "src/text/address.h"
#include "src/text/surt.h"
#include "tests/support/check.h"
#include "tests/support/sources.h"

/* ---- What addresses name, and which of them name the same thing or nothing. */

static uint16_t subject(const char *url) {
    return nd_url_subject(nd_test_span(url));
}

/* Rows of addresses that name one thing, another in each row; punctuation does not count. */
ND_TEST("what is named") {
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
    const nd_span nowhere = {NULL, 0};
    CU_ASSERT_EQUAL(nd_url_subject(nowhere), 0);
    CU_ASSERT_EQUAL(nd_url_address(nowhere), 0);
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
ND_TEST("nothing is named") {
    const char *urls[64];
    const size_t count = ND_TEST_LIST(
        "|http://a.example|http://a.example/|http://a.example//|http://a.example?q=word|"
        "http://a.example/#word|http://a.example/archive/201307/0.html|http://a.example/x|"
        "http://a.example/2013/07/|http://a.example/d41d8cd98f00b204e9800998.html|"
        "http://a.example/-_.html|http://a.example/%20%31.html|urn:neardup:name|name.html|"
        "/a/name.html|mailto:name@a.example|http:/name|:|http://",
        urls);
    for (size_t i = 0; i < count; i++) {
        CU_ASSERT_EQUAL(subject(urls[i]), 0);
        if (subject(urls[i]) != 0) {
            printf("%s names something\n", urls[i]);
        }
    }
}

/* A view ends where it ends, within an escape too; long names are cut, not refused. */
ND_TEST("ends") {
    static const char url[] = "http://a.example/name%41.html";
    static char longer[1024];
    for (size_t size = 0; size <= strlen(url); size++) { /* sanitizers see what is read beyond */
        ND_FREED char *copy = nd_alloc(size + (size == 0), 1);
        memcpy(copy, url, size);
        const uint16_t found = nd_url_subject((nd_span){(const uint8_t *)copy, size});
        CU_ASSERT((found != 0) == (size >= strlen("http://a.example/na")));
        CU_ASSERT((nd_url_address((nd_span){(const uint8_t *)copy, size}) == 0) == (size == 0));
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
    return nd_url_address(nd_test_span(url));
}

/* Pairs of addresses, and what each two are to each other, either way round. */
ND_TEST("relations") {
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

/* ---- The host of a URL, from well-formed URLs to none at all. */

static void is(const char *url, const char *expected) {
    uint8_t host[ND_SITE_HOST_SIZE];
    nd_span found = nd_site_host(nd_test_span(url), host);
    bool same = nd_test_is(found, expected);
    CU_ASSERT(same);
    if (!same) {
        printf("%s: %.*s, not %s\n", url, (int)found.size, (const char *)found.data, expected);
    }
}

ND_TEST("hosts") {
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

ND_TEST("no host") {
    static const char *const urls[] = {"",          "http",         "http:",         "http:/a",
                                       "http://",   "http:///a",    "file:///a/b",   "/a/b",
                                       "//host/a",  "example.com/", "1http://host/", "mailto:a@b",
                                       "urn:a:b",   "://host/",     "http://:80/",   "http://@/",
                                       "http://u@", "h ttp://a/",   "http://.../"};
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
        is(urls[i], "");
    }
}

ND_TEST("long host is cut") {
    char url[512] = "http://";
    uint8_t host[ND_SITE_HOST_SIZE];
    memset(url + strlen(url), 'A', 400);
    nd_span found = nd_site_host(nd_test_span(url), host);
    CU_ASSERT_EQUAL(found.size, ND_SITE_HOST_SIZE);
    CU_ASSERT_EQUAL(host[ND_SITE_HOST_SIZE - 1], 'a');
}

/* Random bytes, with the characters that matter among them: nothing outside is read, and a host
 * read again from a URL made of it stays what it is. */
ND_TEST("any bytes") {
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

ND_TEST("hash") {
    CU_ASSERT_EQUAL(nd_site_hash(nd_test_span("a.example"), 0),
                    nd_site_hash(nd_test_span("a.example"), 0));
    CU_ASSERT_NOT_EQUAL(nd_site_hash(nd_test_span("a.example"), 0),
                        nd_site_hash(nd_test_span("b.example"), 0));
    CU_ASSERT_NOT_EQUAL(nd_site_hash(nd_test_span("a.example"), 0),
                        nd_site_hash(nd_test_span("a.example"), 1));
    CU_ASSERT(nd_site_is_same(nd_site_hash(nd_test_span("a.example"), 0),
                              nd_site_hash(nd_test_span("a.example"), 0)));
    CU_ASSERT(!nd_site_is_same(nd_site_hash(nd_test_span("a.example"), 0),
                               nd_site_hash(nd_test_span("b.example"), 0)));
}

/* Pages without a host are of no site: never of one site, but they may be. */
ND_TEST("no site") {
    const uint64_t none = nd_site_hash((nd_span){NULL, 0}, 0);
    const uint64_t a = nd_site_hash(nd_test_span("a.example"), 0);
    const uint64_t b = nd_site_hash(nd_test_span("b.example"), 0);
    CU_ASSERT_EQUAL(none, 0);
    CU_ASSERT(!nd_site_is_same(none, none));
    CU_ASSERT(!nd_site_is_same(none, a));
    CU_ASSERT(nd_site_may_be_same(none, none));
    CU_ASSERT(nd_site_may_be_same(none, a) && nd_site_may_be_same(a, none));
    CU_ASSERT(nd_site_may_be_same(a, a));
    CU_ASSERT(!nd_site_may_be_same(a, b));
}

/* ---- The registered domain of hosts of every kind. */

static void check_registered_domain(const char *host, const char *expected) {
    const nd_span domain = nd_registered_domain(nd_test_span(host));
    CU_ASSERT_TRUE(nd_test_is(domain, expected));
}

ND_TEST("domains") {
    check_registered_domain("example.com", "example.com");
    check_registered_domain("www.news.example.com", "example.com");
    check_registered_domain("www.news.example.co.uk", "example.co.uk");
    check_registered_domain("news.163.com", "163.com");
    check_registered_domain("a.b.gov.cn", "b.gov.cn");
}

ND_TEST("hosts without one") {
    check_registered_domain("", "");
    check_registered_domain("localhost", "localhost");
    check_registered_domain("co.uk", "co.uk");
    check_registered_domain("192.0.2.10", "192.0.2.10");
    check_registered_domain("192.0.2.1", "192.0.2.1");
    check_registered_domain("[2001:db8::1]", "[2001:db8::1]");
}

/* ---- SURTs of URLs: those that the Internet Archive's package gives, what is of one page, and
 * that any bytes give one word. */

static void check_surt(const char *url, const char *surt) {
    ND_OWNED(nd_buffer_free) nd_buffer out = {0};
    nd_surt_append(nd_test_span(url), &out);
    if (!nd_test_is(nd_buffer_span(&out), surt)) {
        printf("%s: %.*s, not %s\n", url, (int)out.size, (const char *)out.data, surt);
        CU_FAIL("surt");
    }
}

#define ID32 "0123456789abcdefghijklemopqrstuv"

/* A session is two arguments with values; where one lacks its value both stay. */
ND_TEST("sessions in part") {
    check_surt("http://a.example/?x=1&cfid=12&cftoken=34", "example,a)/?&x=1");
    check_surt("http://a.example/?x=1&cfid=12&cftoken=", "example,a)/?cfid=12&cftoken=&x=1");
    check_surt("http://a.example/?x=1&cfid=&cftoken=34", "example,a)/?cfid=&cftoken=34&x=1");
    check_surt("http://a.example/?x=1&cfid=12", "example,a)/?cfid=12&x=1");
    check_surt("http://a.example/?", "example,a)/");
    check_surt("http://a.example/?&", "example,a)/?&");
    check_surt("http://a.example/?b&a=&a", "example,a)/?a&a=&b");
}

ND_TEST("what is known") {
    check_surt("", "-");
    check_surt("filedesc:foo.arc.gz", "filedesc:foo.arc.gz");
    check_surt("filedesc://foo.arc.gz", "filedesc://foo.arc.gz");
    check_surt("warcinfo:foo.warc.gz", "warcinfo:foo.warc.gz");
    check_surt("dns:archive.org", "dns:archive.org");
    check_surt("mailto:foo@example.com", "mailto:foo@example.com");
    check_surt("http://www.archive.org/", "org,archive)/");
    check_surt("http://archive.org", "org,archive)/");
    check_surt("http://archive.org/goo/", "org,archive)/goo");
    check_surt("http://archive.org/goo/?", "org,archive)/goo");
    check_surt("http://archive.org/goo/?b&a", "org,archive)/goo?a&b");
    check_surt("http://archive.org/goo/?a=2&b&a=1", "org,archive)/goo?a=1&a=2&b");
    check_surt("http://archive.org/index.php?PHPSESSID=" ID32 "&action=profile;u=4221",
               "org,archive)/index.php?action=profile;u=4221");
    check_surt("whois://whois.isoc.org.il/shaveh.co.il", "il,org,isoc,whois)/shaveh.co.il");
    check_surt(
        "http://visit.webhosting.yahoo.com/visit.gif?&r=http%3A//web.archive.org/web/"
        "20090517140029/http%3A//anthonystewarthead.electric-chi.com/&b=Netscape%205.0%20%28"
        "Windows%3B%20en-US%29&s=1366x768&o=Win32&c=24&j=true&v=1.2",
        "com,yahoo,webhosting,visit)/visit.gif?&b=netscape%205.0%20(windows;%20en-us)&c=24&j="
        "true&o=win32&r=http://web.archive.org/web/20090517140029/http://"
        "anthonystewarthead.electric-chi.com/&s=1366x768&v=1.2");
    check_surt("ftp://www.example.com/", "com,example)/");
}

ND_TEST("surt: hosts") {
    check_surt("http://ARCHIVE.ORG/", "org,archive)/");
    check_surt("http://www.archive.org:80/", "org,archive)/");
    check_surt("https://www.archive.org:80/", "org,archive:80)/");
    check_surt("http://www.archive.org:443/", "org,archive:443)/");
    check_surt("https://www.archive.org:443/", "org,archive)/");
    check_surt("http://www34.archive.org/", "org,archive)/");
    check_surt("http://www2foo.com/", "com,www2foo)/");
    check_surt("http://www2.www2foo.com/", "com,www2foo)/");
    check_surt("http://user:word@example.com/", "com,example)/");
    check_surt("http://mineral.galleries.com:/a.htm", "com,galleries,mineral)/a.htm");
    check_surt("http:////////////////www.vikings.com", "com,vikings)/");
    check_surt("http://www.google.com.../", "com,google)/");
    check_surt("www.google.com", "com,google)/");
    check_surt("www.google.com:8080/a", "com,google:8080)/a");
    check_surt("http://3279880203/blah", "11,0,127,195)/blah");
    check_surt("http://39024579298/", "226,210,11,22)/");
    check_surt("http://168.188.99.26/", "26,99,188,168)/");
    check_surt("http://%20leadingspace.com/", "com,%20leadingspace)/");
    check_surt("file://news/a.html", "news)/a.html");
    check_surt("file:///a.html", ")/a.html");
}

ND_TEST("paths") {
    check_surt("http://host/%25%32%35", "host)/%25");
    check_surt("http://host/%2525252525252525", "host)/%25");
    check_surt("http://host/%%%25%32%35asd%%", "host)/%25%25%25asd%25%25");
    check_surt("http://host%23.com/%257Ea%2521b%2540c%2523d%2524e%25f%255E00%252611%252A22%252833"
               "%252944_55%252B",
               "com,host%23)/~a!b@c%23d$e%25f^00&11*22(33)44_55+");
    check_surt("http://www.google.com/blah/..", "com,google)/");
    check_surt("http://www.evil.com/blah#frag", "com,evil)/blah");
    check_surt("http://evil.com/foo#bar#baz?q", "com,evil)/foo");
    check_surt("http://www.google.com/foo\tbar\rbaz\n2", "com,google)/foobarbaz2");
    check_surt("http://www.google.com/q?r?s", "com,google)/q?r?s");
    check_surt("  http://www.google.com/  ", "com,google)/");
    check_surt("http://host.com//twoslashes?more//slashes", "com,host)/twoslashes?more//slashes");
    check_surt("http://host.com/a/./b/../c//d/", "com,host)/a/c/d");
    check_surt("http://h.com/caf\xc3\xa9 x", "com,h)/caf%c3%a9%20x");
    check_surt("http://h.com/(S(4hqa0555fwsecu455xqckv45))/mileg.aspx", "com,h)/mileg.aspx");
    check_surt("http://h.com/(4hqa0555fwsecu455xqckv45)/mileg.aspx", "com,h)/mileg.aspx");
    check_surt("http://h.com/(4hqa0555fwsecu455xqckv45)/m.aspx", "com,h)/m.aspx");
    check_surt("http://h.com/(4hqa0555fwsecu455xqckv45)/m%3F.aspx",
               "com,h)/(4hqa0555fwsecu455xqckv45)/m?.aspx");
    check_surt("http://h.com/(4hqa0555fwsecu455xqckv4)/mileg.aspx",
               "com,h)/(4hqa0555fwsecu455xqckv4)/mileg.aspx");
    check_surt("http://h.com/(a(4hqa0555fwsecu455xqckv45)S(4hqa0555fwsecu455xqckv45)"
               "f(4hqa0555fwsecu455xqckv45))/mileg.aspx?page=sessionschedules",
               "com,h)/mileg.aspx?page=sessionschedules");
    check_surt("http://h.com/(4hqa0555fwsecu455xqckv45)/mileg.html",
               "com,h)/(4hqa0555fwsecu455xqckv45)/mileg.html");
    check_surt("http://h.com/photos/36050182@N05/", "com,h)/photos/36050182@n05");
}

ND_TEST("queries") {
    check_surt("http://h/?a=1&", "h)/?&a=1");
    check_surt("http://h/?b=b&a=b&b=a&a=a", "h)/?a=a&a=b&b=a&b=b");
    check_surt("http://h/?X=Y", "h)/?x=y");
    check_surt("http://h/?jsessionid=" ID32, "h)/");
    check_surt("http://h/?jsessionid=" ID32 "0", "h)/?jsessionid=" ID32 "0");
    check_surt("http://h/?jsessionid=" ID32 "&x=y", "h)/?x=y");
    check_surt("http://h/?one=two&jsessionid=" ID32 "&x=y", "h)/?one=two&x=y");
    check_surt("http://h/?aspsessionidABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVWX&x=y", "h)/?x=y");
    check_surt("http://h/?sid=9682993c8daa2c5497996114facdc805&x=y", "h)/?x=y");
    check_surt("http://h/?sid=9682993c8daa2c5497996114facdc805&jsessionid=" ID32, "h)/");
    check_surt("http://h/?CFID=12412453&CFTOKEN=15501799&dt=19_08", "h)/?dt=19_08");
    check_surt("http://h/?CFID=16603925&CFTOKEN=2AE13EEE-3048", "h)/");
}

/* One word of printable ASCII, whatever comes; a scheme and a "www" change nothing. */
ND_TEST("surt: any bytes") {
    static const char bytes[] = "ahtps:/..%25?&=#@()w\x80\xff \n0A";
    nd_random random = nd_test_random("surt");
    for (int round = 0; round < 100000; round++) {
        char url[64] = "http://www.";
        char bare[64] = "https://";
        const size_t size = 1 + nd_random_below(&random, 30);
        ND_OWNED(nd_buffer_free) nd_buffer first = {0};
        ND_OWNED(nd_buffer_free) nd_buffer second = {0};
        strcat(strcat(url, "h"), "/");
        strcat(strcat(bare, "h"), "/");
        for (size_t i = 0; i < size; i++) {
            const char byte[2] = {bytes[nd_random_below(&random, sizeof bytes - 1)], '\0'};
            strcat(url, byte);
            strcat(bare, byte);
        }
        nd_surt_append(nd_test_span(url), &first);
        nd_surt_append(nd_test_span(bare), &second);
        CU_ASSERT(first.size == second.size && memcmp(first.data, second.data, first.size) == 0);
        nd_surt_append(nd_test_span(url + 12 + nd_random_below(&random, 2)), &first);
        for (size_t i = 0; i < first.size; i++) {
            CU_ASSERT(first.data[i] > ' ' && first.data[i] < 0x7f);
        }
    }
}
