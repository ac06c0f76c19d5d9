/* Images as words of a page: whole URL on another host, file name on the page's own; what is taken
 * for the same image and what is not. Source: US 2008/0044016, exceptions to "replace markup by
 * white space". */
#include "src/text/page.h"
#include "tests/support/check.h"
#include "tests/support/page_dump.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

static nd_span span(const char *text) {
    return (nd_span){(const uint8_t *)text, strlen(text)};
}

static const uint64_t SEED = UINT64_C(0x123456789ABCDEF0);

static const char *const page_url = "http://Example.org:8080/a/b.html";

/* The sentences of a page with its images as words. */
static const char *read(const char *url, const char *html) {
    static nd_page page;
    const nd_html_options options = {.images = true, .url = span(url)};
    page.hash_seed = SEED;
    CU_ASSERT_EQUAL_FATAL(nd_page_from_html_with(&page, span(html), &options), ND_OK);
    const char *sentences = nd_test_sentences(&page);
    nd_page_free(&page);
    return sentences;
}

/* The word that stands for a URL or a file name. */
static const char *word(const char *text) {
    static char words[4][32];
    static size_t next;
    char *answer = words[next++ % 4];
    const uint64_t hash = XXH3_64bits_withSeed(text, strlen(text), SEED);
    size_t size = (size_t)snprintf(answer, sizeof words[0], "img");
    for (int i = 0; i < 16; i++) {
        answer[size++] = (char)('a' + (hash >> 4 * i & 15));
    }
    answer[size] = '\0';
    return answer;
}

/* An image tag with these attributes on this page gives the word of `text`; NULL: none. */
static void is_on(const char *url, const char *html, const char *text) {
    char expected[64] = "";
    if (text != NULL) {
        (void)snprintf(expected, sizeof expected, "%s|", word(text));
    }
    const char *got = read(url, html);
    if (strcmp(got, expected) != 0) {
        printf("\n  %s on %s: %s, not %s\n", html, url, got, expected);
    }
    CU_ASSERT_STRING_EQUAL(got, expected);
}

static void is(const char *html, const char *text) {
    is_on(page_url, html, text);
}

static void test_own_host(void) {
    is("<img src=c.png>", "c.png");
    is("<IMG alt=x SRC='/d/e/c.png'/>", "c.png");
    is("<img src=\"../c.png?size=2#top\">", "c.png");
    is("<img src=http://example.org/x/c.png>", "c.png");
    is("<img src=https://EXAMPLE.org:99/x/c.png>", "c.png");
    is("<img src=//example.org/c.png>", "c.png");
    is("<img src=d\\c.png>", "c.png");
    is("<img src=C.png>", "C.png");
}

static void test_other_host(void) {
    is("<img src=http://other.org/x/c.png>", "http://other.org/x/c.png");
    is("<img src='HTTP://Other.org/X/c.png?size=2#top'>", "http://other.org/X/c.png?size=2");
    is("<img src=//other.org/c.png>", "http://other.org/c.png");
    is_on("https://example.org/", "<img src=//other.org/c.png>", "https://other.org/c.png");
    is("<img src=http://www.example.org/c.png>", "http://www.example.org/c.png");
    is("<img src=http://example.or/c.png>", "http://example.or/c.png");
    is("<img src=http://example.organ/c.png>", "http://example.organ/c.png");
    is("<img src=data:image/gif;base64,R0lGOD>", "data:image/gif;base64,R0lGOD");
}

static void test_no_image(void) {
    is("<img>", NULL);
    is("<img src>", NULL);
    is("<img src=''>", NULL);
    is("<img src=' '>", NULL);
    is("<img src=#>", NULL);
    is("<img src=/>", NULL);
    is("<img src=pictures/>", NULL);
    is("<img src=http://example.org>", NULL);
    is("<img data-src=c.png srcset=c.png>", NULL);
    is("<img src=c.png", NULL);
    is("</img src=c.png>", NULL);
    is("<image src=c.png>", NULL);
    is("<noscript><img src=c.png></noscript><script>'<img src=c.png>'</script>", NULL);
}

static void test_values(void) {
    is("<img src=c.png src=d.png>", "c.png");
    is("<img src=' \n c\t.p\nng '>", "c.png");
    is("<img src='a&amp;b&#46;png'>", "a&b.png");
    is("<img src='a&copy=b.png'>", "a&copy=b.png");
    is("<img src='&eacute;.png'>", "\u00e9.png");
    is("<img src='a b.png'>", "a b.png");
}

/* A page whose URL is not known, or has no host. */
static void test_unknown_host(void) {
    is_on("", "<img src=d/c.png>", "c.png");
    is_on("", "<img src=http://example.org/c.png>", "http://example.org/c.png");
    is_on("", "<img src=//example.org/c.png>", "http://example.org/c.png");
    is_on("file:///d/e.html", "<img src=c.png>", "c.png");
}

static void test_base(void) {
    is("<base href=http://other.org/x/y.html><img src=c.png>", "http://other.org/x/c.png");
    is("<base href=http://other.org><img src=/c.png>", "http://other.org/c.png");
    is("<base href=//other.org/x/><img src=/d/c.png>", "http://other.org/d/c.png");
    is("<base href=http://other.org/x/><img src=//third.org/c.png>", "http://third.org/c.png");
    is("<base href=https://other.org/x/><img src=//third.org/c.png>", "https://third.org/c.png");
    is("<base href=http://other.org/x/><img src=http://example.org/d/c.png>", "c.png");
    is("<base href=http://example.org/x/><img src=c.png>", "c.png");
    is("<base href=/x/><base href=http://other.org/><img src=c.png>", "c.png");
    is("<base target=x><base href=http://other.org/><img src=c.png>", "http://other.org/c.png");
}

/* The word stands where the image does, apart from its neighbours. */
static void test_position(void) {
    char expected[128];
    (void)snprintf(expected, sizeof expected, "one %s two|three %s|", word("c.png"),
                   word("http://other.org/d"));
    CU_ASSERT_STRING_EQUAL(read(page_url, "o<b>ne<img src=c.png>two</b><p>three"
                                          "<a href=x><img src=http://other.org/d></a>"),
                           expected);
}

/* Without the option, and in plain text, there are no such words. */
static void test_off(void) {
    CU_ASSERT_STRING_EQUAL(nd_test_html("one<img src=c.png>two"), "one two|");
    CU_ASSERT_STRING_EQUAL(nd_test_text("<img src=c.png>"), "img src c png|");
}

/* A page with its images on one host, and its mirror on another. */
static void test_mirror(void) {
    static const char *const html = "a <img src=/x/c.png> b <img src='d.png'> c";
    char here[128];
    (void)snprintf(here, sizeof here, "%s", read("http://one.org/p", html));
    CU_ASSERT_STRING_EQUAL(
        read("http://two.org/q/r", "a <img src=http://two.org/y/c.png> b <img src=x/d.png> c"),
        here);
    CU_ASSERT_STRING_NOT_EQUAL(
        read("http://two.org/q/r", "a <img src=http://one.org/x/c.png> b <img src=x/d.png> c"),
        here);
}

static const nd_test tests[] = {
    {"own host", test_own_host},
    {"other host", test_other_host},
    {"no image", test_no_image},
    {"values", test_values},
    {"unknown host", test_unknown_host},
    {"base", test_base},
    {"position", test_position},
    {"off", test_off},
    {"mirror", test_mirror},
};
ND_SUITE(t_image_term, tests)
