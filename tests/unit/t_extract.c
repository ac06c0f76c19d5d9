/* nd_extract_html and nd_extract_text: what is text, where blocks end, what is navigation. */
#include "src/text/extract.h"
#include "tests/support/check.h"
#include "tests/support/page_dump.h"

#include <string.h>

static void is(const char *html, const char *blocks) {
    const char *got = nd_test_html(html);
    if (strcmp(got, blocks) != 0) {
        printf("\n  of  %s\n  got %s\n  not %s\n", html, got, blocks);
    }
    CU_ASSERT_STRING_EQUAL(got, blocks);
}

static void test_tag_classes(void) {
    is("wo<b>rd</b> <SPAN class=x>t</SPAN>wo", "word two|");
    is("<a>b</a><abbr>c</abbr><wbr>d<kbd>e</kbd><nobr>f", "bcdef|");
    is("one<img src=x>two<unknown>three<o:p>four", "one two three four|");
    is("a<br>b<br/>c<hr>d<p>e</p>f<div>g<td>h<li>i<H3>j</H3>k", "a|b|c|d|e|f|g|h|i|j|k|");
    is("a<dt>b<dd>c<option>d<tr>e<th>f<pre>g</pre>h", "a|b|c|d|e|f|g|h|");
    is("<math><mi>x</mi><mo>=</mo></math>", "x =|");
    is("", "");
    is(" <p> </p> ", "");
}

static void test_dropped_content(void) {
    is("a<script>if (a<b) \"</p>\"</script>b<STYLE>p{}</style >c", "a b c|");
    is("a<noscript>n<b>o</b></noscript>b<template>x<template>y</template>z</template>c", "a b c|");
    is("a<svg><title>no</title><svg/>no</svg>b<iframe>no</iframe>c<object>no</object>d",
       "a b c d|");
    is("a<textarea><p>no</p></textarea>b<script src=x />c<svg/>d", "a b c d|");
    is("a<object>no<object>no</object>no</object>b", "a b|");
    is("a<script></script>b<svg></svg>c<title></title>d", "a b c|d|");
    is("a<!-- <p> -- > x -->b<!-->c<!--->d<!-- x --!>e<!---->f", "abcdef|");
    is("<!DOCTYPE html \"x\"><?xml version='1.0'?>a<![CDATA[b>c]]></ x>d</>e", "ac]]>de|");
}

/* Text for readers without scripts is the page's where it is most of it, and not little. */
static void test_noscript(void) {
    static char html[8192], blocks[8192], filler[2048];
    memset(filler, 'x', 1024);
    (void)snprintf(html, sizeof html,
                   "<p>Load</p><noscript><p>a<b>b</b><script>no</script><p>%s</noscript>end",
                   filler);
    (void)snprintf(blocks, sizeof blocks, "Load|ab|%s|end|", filler);
    is(html, blocks);
    is("a<noscript>1 < 2, <> 3</noscript>b", "a b|");
    memset(filler, 'x', 1021); /* with "ab" one byte too little */
    filler[1021] = '\0';
    (void)snprintf(html, sizeof html, "<noscript><p>ab<style>%s</style><p>%s</noscript>", filler,
                   filler);
    is(html, "");
    memset(filler, 'x', 2000);
    (void)snprintf(html, sizeof html, "%s<noscript>%s</noscript>", filler, filler);
    (void)snprintf(blocks, sizeof blocks, "%s|", filler);
    is(html, blocks); /* no more than the rest, whose block ends in a byte of its own */
    (void)snprintf(html, sizeof html, "%s<noscript>%s</noscript>z<noscript>y</noscript>",
                   filler + 2, filler);
    (void)snprintf(blocks, sizeof blocks, "%s|%s|z|y|", filler + 2, filler);
    is(html, blocks);
    (void)snprintf(html, sizeof html, "a<noscript>b<img alt='%s'><!--<p>%s--><style>%s</noscript>c",
                   filler, filler, filler);
    is(html, "a c|");
}

static void test_left_open(void) {
    is("a<!-- b <p>c", "a|");
    is("a<script>b <p>c", "a|");
    is("a<script>b</scriptx><p>c", "a|");
    is("a<svg>b<p>c", "a b|c|");
    is("a<object>b<object>c</object>d", "a d|");
    is("a<svg>b</svg>c<svg>d<p>e</p><svg>f</svg>g<svg>h</svg>i", "a c g i|");
    is("a<textarea>b<p>c", "a b|c|");
    is("a<p class=\"b>c", "a|");
    is("a<p", "a|");
    is("a<", "a<|");
    is("a</", "a|");
    is("a&", "a&|");
    is("<title>a<p>b", "T:a|b|");
}

static void test_attributes(void) {
    is("a<p title=\">\">b<p title='>\">'>c<p title = \">\" x=y>d", "a|b|c|d|");
    is("a<p title=x\"y>b\">c", "a|b\">c|");
    is("a<p \"x>b\">c", "a|b\">c|");
    is("a<p =\"x>b\">c", "a|b\">c|");
    is("a<p x=>b<p/x=\"/>\"/>c", "a|b|c|");
}

static void test_less_than_as_text(void) {
    is("1 < 2 <3 a<=b <-", "1 < 2 <3 a<=b <-|");
    is("<<b>x</b>", "<x|");
}

static void test_title(void) {
    is("<title>a <b>&amp; c</title>d", "T:a <b>& c|d|");
    is("<TITLE>a</TITLE ><title>b</title>", "T:a|T:b|");
    is("<title/>a", "a|");
}

static void test_white_space(void) {
    is("  a \t\n b\f\rc\xC2\xA0\xC2\xA0"
       "d\xE3\x80\x80"
       "e\xE2\x80\x83"
       "f\x01g ",
       "a b c d e f g|");
    is("<p> a </p> <b> b </b> c", "a|b c|");
    is("a&nbsp;b&#32;&#10;c&#x3000;", "a b c|");
    is("12345678 12345678  12345678<b>1234567</b> 8", "12345678 12345678 123456781234567 8|");
}

static void test_bytes(void) {
    CU_ASSERT_STRING_EQUAL(nd_test_html_bytes("a\0b<p\0>c", 8), "ab c|");
    is("a\xFF"
       "b\xE4\xB8"
       "c\xED\xA0\x80",
       "a\xEF\xBF\xBD"
       "b\xEF\xBF\xBD"
       "c\xEF\xBF\xBD"
       "\xEF\xBF\xBD\xEF\xBF\xBD|");
    is("\xE4\xB8\xAD\xF0\x9F\x98\x80\xC3\xA9", "\xE4\xB8\xAD\xF0\x9F\x98\x80\xC3\xA9|");
    is("\xEF\xBB\xBFw", "w|");
    is("\xF4\x90\x80\x80\xC0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
                                   "\xEF\xBF\xBD|");
}

static void test_navigation(void) {
    is("a<nav>b<p>c</nav>d<footer>e</footer>f", "a|N:b|N:c|d|N:e|f|");
    is("<aside><div>a<nav>b</nav>c</div></aside>d", "N:a|N:b|N:c|d|");
    is("<div><nav>a</div>b", "N:a|b|");
    is("<table><tr><td><nav>a</table>b", "N:a|b|");
    is("<body><nav>a<div>b</body>c", "N:a|N:b|c|");
    is("<nav><table><tr><td>a</nav>b</table></nav>c", "N:a|N:b|c|");
    is("a<select><option>b<option>c</select>d<button>e<button>f</button>g",
       "a|N:b|N:c|d|N:e|N:f|g|");
    is("<nav>a</div>b</nav>c", "N:a|N:b|c|");
}

static void test_deep_nesting(void) {
    nd_buffer html = {0};
    for (int i = 0; i < 2000; i++) {
        nd_buffer_append_text(&html, "<div>");
    }
    nd_buffer_append_text(&html, "a</div>b");
    CU_ASSERT_STRING_EQUAL(nd_test_html_bytes((const char *)html.data, html.size), "a|b|");
    nd_buffer_free(&html);
}

static void links_are(const char *html, size_t block, uint32_t bytes) {
    nd_page page = {0};
    CU_ASSERT_EQUAL(nd_page_from_html(&page, (nd_span){(const uint8_t *)html, strlen(html)}),
                    ND_OK);
    CU_ASSERT_FATAL(block < page.block_count);
    CU_ASSERT_EQUAL(page.blocks[block].link_bytes, bytes);
    nd_page_free(&page);
}

static void test_link_bytes(void) {
    links_are("a <a href=x>bcd</a> e<A HREF='y'>f</A>", 0, 4);
    links_are("a <a name=x>bcd</a>", 0, 0);
    links_are("<a href=x>ab<p>cde</a>f", 0, 2);
    links_are("<a href=x>ab<p>cde</a>f", 1, 3);
    links_are("<div><a href=x>ab</div>cde", 1, 0);
    links_are("<a class=\"href\" title='href=x'>ab</a>", 0, 0);
    links_are("<a href=x>ab<a name=y>cd", 0, 2);
    links_are("<a href=x> ab </a>", 0, 2);
}

static void test_plain_text(void) {
    CU_ASSERT_STRING_EQUAL(nd_test_text("a b\nc\n\nd\r\n \r\ne &amp; <p>f"), "a b c|d|e amp p f|");
    CU_ASSERT_STRING_EQUAL(nd_test_text("\n\n a\n\n\n\n"), "a|");
    CU_ASSERT_STRING_EQUAL(nd_test_text(""), "");
}

static void test_limit(void) {
    nd_page page = {0};
    uint8_t byte = 'a';
    CU_ASSERT_EQUAL(nd_page_from_html(&page, (nd_span){&byte, ND_EXTRACT_LIMIT + 1}), ND_ERR_LIMIT);
    CU_ASSERT_EQUAL(page.block_count, 0);
    nd_page_free(&page);
}

static const nd_test tests[] = {
    {"tag classes", test_tag_classes},
    {"dropped content", test_dropped_content},
    {"noscript", test_noscript},
    {"markup left open", test_left_open},
    {"attributes", test_attributes},
    {"less-than as text", test_less_than_as_text},
    {"title", test_title},
    {"white space", test_white_space},
    {"odd bytes", test_bytes},
    {"navigation", test_navigation},
    {"deep nesting", test_deep_nesting},
    {"link bytes", test_link_bytes},
    {"plain text", test_plain_text},
    {"limit", test_limit},
};
ND_SUITE(t_extract, tests)
