/* SURTs of URLs: those that the Internet Archive's package gives, what is of one page, and that any
 * bytes give one word. */
#include "src/text/surt.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

#include <stdio.h>
#include <string.h>

static void check(const char *url, const char *surt) {
    nd_buffer out = {0};
    CU_ASSERT_EQUAL(nd_surt_append(nd_test_span(url), &out), ND_OK);
    if (out.size != strlen(surt) || memcmp(out.data, surt, out.size) != 0) {
        printf("%s: %.*s, not %s\n", url, (int)out.size, (const char *)out.data, surt);
        CU_FAIL("surt");
    }
    nd_buffer_free(&out);
}

#define ID32 "0123456789abcdefghijklemopqrstuv"

/* A session is two arguments with values; where one lacks its value both stay. */
static void test_sessions_in_part(void) {
    check("http://a.example/?x=1&cfid=12&cftoken=34", "example,a)/?&x=1");
    check("http://a.example/?x=1&cfid=12&cftoken=", "example,a)/?cfid=12&cftoken=&x=1");
    check("http://a.example/?x=1&cfid=&cftoken=34", "example,a)/?cfid=&cftoken=34&x=1");
    check("http://a.example/?x=1&cfid=12", "example,a)/?cfid=12&x=1");
    check("http://a.example/?", "example,a)/");
    check("http://a.example/?&", "example,a)/?&");
    check("http://a.example/?b&a=&a", "example,a)/?a&a=&b");
}

static void test_known(void) {
    check("", "-");
    check("filedesc:foo.arc.gz", "filedesc:foo.arc.gz");
    check("filedesc://foo.arc.gz", "filedesc://foo.arc.gz");
    check("warcinfo:foo.warc.gz", "warcinfo:foo.warc.gz");
    check("dns:archive.org", "dns:archive.org");
    check("mailto:foo@example.com", "mailto:foo@example.com");
    check("http://www.archive.org/", "org,archive)/");
    check("http://archive.org", "org,archive)/");
    check("http://archive.org/goo/", "org,archive)/goo");
    check("http://archive.org/goo/?", "org,archive)/goo");
    check("http://archive.org/goo/?b&a", "org,archive)/goo?a&b");
    check("http://archive.org/goo/?a=2&b&a=1", "org,archive)/goo?a=1&a=2&b");
    check("http://archive.org/index.php?PHPSESSID=" ID32 "&action=profile;u=4221",
          "org,archive)/index.php?action=profile;u=4221");
    check("whois://whois.isoc.org.il/shaveh.co.il", "il,org,isoc,whois)/shaveh.co.il");
    check("http://visit.webhosting.yahoo.com/visit.gif?&r=http%3A//web.archive.org/web/"
          "20090517140029/http%3A//anthonystewarthead.electric-chi.com/&b=Netscape%205.0%20%28"
          "Windows%3B%20en-US%29&s=1366x768&o=Win32&c=24&j=true&v=1.2",
          "com,yahoo,webhosting,visit)/visit.gif?&b=netscape%205.0%20(windows;%20en-us)&c=24&j="
          "true&o=win32&r=http://web.archive.org/web/20090517140029/http://"
          "anthonystewarthead.electric-chi.com/&s=1366x768&v=1.2");
    check("ftp://www.example.com/", "com,example)/");
}

static void test_hosts(void) {
    check("http://ARCHIVE.ORG/", "org,archive)/");
    check("http://www.archive.org:80/", "org,archive)/");
    check("https://www.archive.org:80/", "org,archive:80)/");
    check("http://www.archive.org:443/", "org,archive:443)/");
    check("https://www.archive.org:443/", "org,archive)/");
    check("http://www34.archive.org/", "org,archive)/");
    check("http://www2foo.com/", "com,www2foo)/");
    check("http://www2.www2foo.com/", "com,www2foo)/");
    check("http://user:word@example.com/", "com,example)/");
    check("http://mineral.galleries.com:/a.htm", "com,galleries,mineral)/a.htm");
    check("http:////////////////www.vikings.com", "com,vikings)/");
    check("http://www.google.com.../", "com,google)/");
    check("www.google.com", "com,google)/");
    check("www.google.com:8080/a", "com,google:8080)/a");
    check("http://3279880203/blah", "11,0,127,195)/blah");
    check("http://39024579298/", "226,210,11,22)/");
    check("http://168.188.99.26/", "26,99,188,168)/");
    check("http://%20leadingspace.com/", "com,%20leadingspace)/");
    check("file://news/a.html", "news)/a.html");
    check("file:///a.html", ")/a.html");
}

static void test_paths(void) {
    check("http://host/%25%32%35", "host)/%25");
    check("http://host/%2525252525252525", "host)/%25");
    check("http://host/%%%25%32%35asd%%", "host)/%25%25%25asd%25%25");
    check("http://host%23.com/%257Ea%2521b%2540c%2523d%2524e%25f%255E00%252611%252A22%252833"
          "%252944_55%252B",
          "com,host%23)/~a!b@c%23d$e%25f^00&11*22(33)44_55+");
    check("http://www.google.com/blah/..", "com,google)/");
    check("http://www.evil.com/blah#frag", "com,evil)/blah");
    check("http://evil.com/foo#bar#baz?q", "com,evil)/foo");
    check("http://www.google.com/foo\tbar\rbaz\n2", "com,google)/foobarbaz2");
    check("http://www.google.com/q?r?s", "com,google)/q?r?s");
    check("  http://www.google.com/  ", "com,google)/");
    check("http://host.com//twoslashes?more//slashes", "com,host)/twoslashes?more//slashes");
    check("http://host.com/a/./b/../c//d/", "com,host)/a/c/d");
    check("http://h.com/caf\xc3\xa9 x", "com,h)/caf%c3%a9%20x");
    check("http://h.com/(S(4hqa0555fwsecu455xqckv45))/mileg.aspx", "com,h)/mileg.aspx");
    check("http://h.com/(4hqa0555fwsecu455xqckv45)/mileg.aspx", "com,h)/mileg.aspx");
    check("http://h.com/(4hqa0555fwsecu455xqckv45)/m.aspx", "com,h)/m.aspx");
    check("http://h.com/(4hqa0555fwsecu455xqckv45)/m%3F.aspx",
          "com,h)/(4hqa0555fwsecu455xqckv45)/m?.aspx");
    check("http://h.com/(4hqa0555fwsecu455xqckv4)/mileg.aspx",
          "com,h)/(4hqa0555fwsecu455xqckv4)/mileg.aspx");
    check("http://h.com/(a(4hqa0555fwsecu455xqckv45)S(4hqa0555fwsecu455xqckv45)"
          "f(4hqa0555fwsecu455xqckv45))/mileg.aspx?page=sessionschedules",
          "com,h)/mileg.aspx?page=sessionschedules");
    check("http://h.com/(4hqa0555fwsecu455xqckv45)/mileg.html",
          "com,h)/(4hqa0555fwsecu455xqckv45)/mileg.html");
    check("http://h.com/photos/36050182@N05/", "com,h)/photos/36050182@n05");
}

static void test_queries(void) {
    check("http://h/?a=1&", "h)/?&a=1");
    check("http://h/?b=b&a=b&b=a&a=a", "h)/?a=a&a=b&b=a&b=b");
    check("http://h/?X=Y", "h)/?x=y");
    check("http://h/?jsessionid=" ID32, "h)/");
    check("http://h/?jsessionid=" ID32 "0", "h)/?jsessionid=" ID32 "0");
    check("http://h/?jsessionid=" ID32 "&x=y", "h)/?x=y");
    check("http://h/?one=two&jsessionid=" ID32 "&x=y", "h)/?one=two&x=y");
    check("http://h/?aspsessionidABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVWX&x=y", "h)/?x=y");
    check("http://h/?sid=9682993c8daa2c5497996114facdc805&x=y", "h)/?x=y");
    check("http://h/?sid=9682993c8daa2c5497996114facdc805&jsessionid=" ID32, "h)/");
    check("http://h/?CFID=12412453&CFTOKEN=15501799&dt=19_08", "h)/?dt=19_08");
    check("http://h/?CFID=16603925&CFTOKEN=2AE13EEE-3048", "h)/");
}

/* One word of printable ASCII, whatever comes; a scheme and a "www" change nothing. */
static void test_any(void) {
    static const char bytes[] = "ahtps:/..%25?&=#@()w\x80\xff \n0A";
    nd_random random = nd_test_random("surt");
    for (int round = 0; round < 100000; round++) {
        char url[64] = "http://www.";
        char bare[64] = "https://";
        const size_t size = 1 + nd_random_below(&random, 30);
        nd_buffer first = {0};
        nd_buffer second = {0};
        strcat(strcat(url, "h"), "/");
        strcat(strcat(bare, "h"), "/");
        for (size_t i = 0; i < size; i++) {
            const char byte[2] = {bytes[nd_random_below(&random, sizeof bytes - 1)], '\0'};
            strcat(url, byte);
            strcat(bare, byte);
        }
        CU_ASSERT_EQUAL(nd_surt_append(nd_test_span(url), &first), ND_OK);
        CU_ASSERT_EQUAL(nd_surt_append(nd_test_span(bare), &second), ND_OK);
        CU_ASSERT(first.size == second.size && memcmp(first.data, second.data, first.size) == 0);
        CU_ASSERT_EQUAL(
            nd_surt_append(nd_test_span(url + 12 + nd_random_below(&random, 2)), &first), ND_OK);
        for (size_t i = 0; i < first.size; i++) {
            CU_ASSERT(first.data[i] > ' ' && first.data[i] < 0x7f);
        }
        nd_buffer_free(&first);
        nd_buffer_free(&second);
    }
}

static const nd_test tests[] = {{"sessions in part", test_sessions_in_part},
                                {"what is known", test_known},
                                {"hosts", test_hosts},
                                {"paths", test_paths},
                                {"queries", test_queries},
                                {"any bytes", test_any}};

ND_SUITE(t_surt, tests)
