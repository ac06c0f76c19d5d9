/* The variants of the inner loops over text against the portable one: the same page, byte for byte,
 * from random documents that put everything that needs thought at every place of a block of 64
 * bytes, and from every character there is. */
#include "src/base/printable.h"
#include "tests/support/check.h"
#include "tests/support/same_page.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 60000, MOST_PIECES = 60, MOST_BYTES = 16384, LAST_CODE = 0x10FFFF };

static const char *const pieces[] = {
    "a",
    "Word",
    "longer text, with stops. And more! ",
    " ",
    "  ",
    "\n",
    "\n\n",
    "\n\t ",
    " \r\n",
    "\v",
    "\x01",
    "\x7F",
    "12345678",
    "0",
    "3.14",
    ".",
    ". ",
    "?",
    "! ",
    "antidisestablishmentarianism",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "&amp;",
    "&nbsp;",
    "&",
    "<",
    "< b",
    "<b>",
    "</b>",
    "<p>",
    "</p>",
    "<SPAN>",
    "</span>",
    "<code class=\"docutils literal notranslate\">",
    "<a href=\"#x\">",
    "<a class=\"reference internal\" href=\"../../some/folder/of/pages.html#a-long-fragment\">",
    "<a class=\"reference internal of more classes than one block can hold, HREF=x\" name=\"y\">",
    "<a HREF = 'x>y'>",
    "<a hrefs=\"x\" xhref=\"y\">",
    "<a\nhref>",
    "<a x=\"1\"href=\"2\">",
    "<a x=\"1\"/href=\"2\"/>",
    "<a x=\"a'b>c\" y='d\"e>f'>",
    "<a x=y\"z href=\"1>2\">",
    "<a x==\"y>z\">",
    "<a =\"y>z\">",
    "<a x\"y>z\">",
    "<a x =\"y>z\">",
    "<a x= \"y>z\">",
    "<a x=\"y\"=\"v>w\">",
    "<a x=>",
    "<a\vhref=\"x\">",
    "<a\vb=\"x>y\">",
    "</a>",
    "<br/>",
    "<br / >",
    "<img alt=\"x > y\" src=\"http://a.example/b.png\"/>",
    "<svg/>",
    "<svg a=\"b\" />",
    "<svg>",
    "</svg>",
    "<nav>",
    "</nav x=\"y\">",
    "<blockquote>",
    "</blockquote>",
    "<figcaption>",
    "<textareas>",
    "<textarea>",
    "</textarea>",
    "<x-y z=\"1\">",
    "<o:p>",
    "<title>",
    "</title>",
    "<!-- a > b -->",
    "<!x>",
    "</ x>",
    "<",
    "</",
    "<p",
    "<p x=\"",
    "\xC3\xA9",
    "\xC2\xA0",
    "\xC2\xA9",
    "\xC2\x85",
    "\xE4\xB8\xAD\xE6\x96\x87",
    ("\xE5\xA4\xA9\xE5\x9C\xB0\xE7\x8E\x84\xE9\xBB\x84"
     "\xE5\xAE\x87\xE5\xAE\x99\xE6\xB4\xAA\xE8\x8D\x92"),
    "\xE3\x80\x80",
    "\xE3\x80\x82",
    "\xE3\x81\x82",
    "\xE3\x82\x99",
    "\xE3\x83\xBC\xE3\x83\xB3",
    "\xE3\x83\xBB",
    "\xE4\xB7\xBF",
    "\xE2\x80\x99",
    "\xE2\x80\x89",
    "\xE2\x80\xA6",
    "\xE1\x9A\x80",
    "\xE0\xB8\x81",
    "\xEF\xBC\xA1",
    "\xEF\xBC\x9F",
    "\xD0\x9F\xD1\x80\xD0\xB8",
    "\xD9\xA3",
    "\xF0\x9F\x98\x80",
    "\xF0\x9D\x9F\x97",
    "\xED\xA0\x80",
    "\xC3",
    "\xE4\xB8",
    "\xE2\x80",
    "\xFF",
    "\x80",
    "\xC0\xAF",
    "\xCC\x81",
    "\xC4\xB0",
    "\xE2\x80\x8B",
};

static uint8_t *allocate(size_t size) {
    uint8_t *bytes = malloc(size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
    return bytes;
}

static nd_test_made_page by_portable, by_variant;

static void print_document(const char *variant, nd_span document) {
    printf("\n  %s differs on \"", variant);
    for (size_t i = 0; i < document.size; i++) {
        const uint8_t byte = document.data[i];
        printf(byte >= ' ' && byte < 0x7F && byte != '"' && byte != '\\' ? "%c" : "\\x%02X\"\"",
               byte);
    }
    printf("\"\n");
}

static void check(nd_span document, bool html) {
    CU_ASSERT_EQUAL_FATAL(nd_test_make_page(&nd_text_portable, document, html, &by_portable),
                          ND_OK);
    for (size_t i = 1; i < nd_text_variant_count; i++) {
        if (nd_cpu_has(nd_text_variants[i]->needs)) {
            CU_ASSERT_EQUAL_FATAL(
                nd_test_make_page(nd_text_variants[i], document, html, &by_variant), ND_OK);
            const bool same = nd_test_same_page(&by_portable, &by_variant);
            if (!same) {
                print_document(nd_text_variants[i]->name, document);
            }
            CU_ASSERT_FATAL(same);
        }
    }
}

/* Few kinds of pieces in a document, so that runs of one kind get long. */
static size_t make_document(nd_random *random, uint8_t *document) {
    const size_t kinds = 1 + nd_random_below(random, 12);
    const size_t wanted = nd_random_below(random, MOST_PIECES);
    const char *chosen[12];
    size_t size = 0;
    for (size_t i = 0; i < kinds; i++) {
        chosen[i] = pieces[nd_random_below(random, sizeof pieces / sizeof *pieces)];
    }
    for (size_t i = 0; i < wanted; i++) {
        const char *piece = chosen[nd_random_below(random, kinds)];
        memcpy(document + size, piece, strlen(piece));
        size += strlen(piece);
        if (nd_random_below(random, 40) == 0) {
            document[size++] = (uint8_t)nd_random_next(random);
        }
    }
    return size;
}

static void test_random_documents(void) {
    nd_random random = nd_test_random("text variants");
    for (int round = 0; round < nd_test_rounds(ROUNDS); round++) {
        uint8_t *document = allocate(MOST_BYTES);
        const size_t size = make_document(&random, document);
        /* at the end of its memory, so that reading beyond it shows */
        uint8_t *exact = allocate(size > 0 ? size : 1);
        memcpy(exact, document, size);
        check((nd_span){exact, size}, true);
        check((nd_span){exact, size}, false);
        free(exact);
        free(document);
    }
}

/* Every character, between letters and at all distances from a block's end. */
static void test_all_characters(void) {
    uint8_t document[128];
    nd_random random = nd_test_random("characters");
    for (uint32_t code = 1; code <= LAST_CODE; code++) {
        if (code >= 0xD800 && code < 0xE000) {
            continue;
        }
        size_t size = nd_random_below(&random, 64);
        memset(document, 'x', size);
        size += nd_utf8_write(document + size, code);
        document[size++] = 'Y';
        size += nd_utf8_write(document + size, code);
        document[size++] = ' ';
        check((nd_span){document, size}, true);
        code += code > 0x30000 ? 997 : 0; /* nothing but ideographs and unassigned ones */
    }
}

/* Every element of HTML, and names that are nearly one: they are looked up in different ways. */
static void test_all_elements(void) {
    static const char *const names[] = {
        "a",          "abbr",    "acronym",  "address",  "area",       "article",  "aside",
        "audio",      "b",       "base",     "bdi",      "bdo",        "big",      "blink",
        "blockquote", "body",    "br",       "button",   "canvas",     "caption",  "center",
        "cite",       "code",    "col",      "colgroup", "data",       "datalist", "dd",
        "del",        "details", "dfn",      "dialog",   "dir",        "div",      "dl",
        "dt",         "em",      "embed",    "fieldset", "figcaption", "figure",   "font",
        "footer",     "form",    "frame",    "frameset", "h1",         "h2",       "h3",
        "h4",         "h5",      "h6",       "head",     "header",     "hgroup",   "hr",
        "html",       "i",       "iframe",   "img",      "input",      "ins",      "kbd",
        "label",      "legend",  "li",       "link",     "listing",    "main",     "map",
        "mark",       "menu",    "meta",     "meter",    "nav",        "nobr",     "noscript",
        "object",     "ol",      "optgroup", "option",   "output",     "p",        "param",
        "picture",    "pre",     "progress", "q",        "rp",         "rt",       "ruby",
        "s",          "samp",    "script",   "search",   "section",    "select",   "small",
        "source",     "span",    "strike",   "strong",   "style",      "sub",      "summary",
        "sup",        "svg",     "table",    "tbody",    "td",         "template", "textarea",
        "tfoot",      "th",      "thead",    "time",     "title",      "tr",       "track",
        "tt",         "u",       "ul",       "var",      "video",      "wbr",      "xmp"};
    static const char *const forms[] = {"x<%s>y</%s>z ", "x<%s a=\"b\">y</%s >z ",
                                        "x<%sx>y</%sx>z ", "x<%s/>y</%s/>z ", "x<%s\n>y</%s\t>z "};
    char padding[80];
    memset(padding, 'w', sizeof padding); /* so that the tags stand in whole blocks */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
            char document[256];
            const int size = snprintf(document, sizeof document, forms[k], names[i], names[i]);
            memcpy(document + size, padding, sizeof padding);
            check((nd_span){(uint8_t *)document, (size_t)size + sizeof padding}, true);
            document[2] = (char)(document[2] - 'a' + 'A');
            check((nd_span){(uint8_t *)document, (size_t)size + sizeof padding}, true);
        }
    }
}

static void test_clean_up(void) {
    nd_test_made_page_free(&by_portable);
    nd_test_made_page_free(&by_variant);
}

static const nd_test tests[] = {
    {"random documents", test_random_documents},
    {"all characters", test_all_characters},
    {"all elements", test_all_elements},
    {"clean up", test_clean_up},
};
ND_SUITE(p_text_variants, tests)
