#include "tests/support/libxml_words.h"

#include "src/text/extract.h"

#include <libxml/HTMLparser.h>

#include <stdbool.h>
#include <string.h>
#include <strings.h>

static const char *const formatting[] = {
    "a",    "abbr", "acronym", "b",  "bdi",  "bdo",   "big",  "blink",  "cite",
    "code", "del",  "dfn",     "em", "font", "i",     "ins",  "kbd",    "label",
    "mark", "nobr", "q",       "s",  "samp", "small", "span", "strike", "strong",
    "sub",  "sup",  "tt",      "u",  "var",  "wbr",   NULL};

static const char *const dropped[] = {"iframe", "noscript", "object",   "script", "style",
                                      "svg",    "template", "textarea", NULL};

/* White space outside ASCII, in UTF-8. */
static const char *const wide_spaces[] = {"\xC2\x85", "\u00a0", "\u1680", "\u2000", "\u2001",
                                          "\u2002",   "\u2003", "\u2004", "\u2005", "\u2006",
                                          "\u2007",   "\u2008", "\u2009", "\u200a", "\u2028",
                                          "\u2029",   "\u202f", "\u205f", "\u3000", NULL};

static bool is_listed(const char *name, const char *const *list) {
    while (*list != NULL && strcasecmp(name, *list) != 0) {
        list++;
    }
    return *list != NULL;
}

static size_t wide_space(const uint8_t *p, const uint8_t *end) {
    if (*p != 0xC2 && *p != 0xE1 && *p != 0xE2 && *p != 0xE3) {
        return 0;
    }
    for (const char *const *space = wide_spaces; *space != NULL; space++) {
        size_t size = strlen(*space);
        if ((size_t)(end - p) >= size && memcmp(p, *space, size) == 0) {
            return size;
        }
    }
    return 0;
}

static bool is_ascii_word(uint8_t c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

nd_status nd_test_words_of_text(nd_buffer *words, nd_span text) {
    const uint8_t *end = text.data + text.size;
    bool open = false;
    for (const uint8_t *p = text.data; p < end;) {
        size_t space = *p >= 0x80 ? wide_space(p, end) : !is_ascii_word(*p);
        if (space == 0) {
            nd_buffer_append(words, p++, 1);
        } else if (open) {
            nd_buffer_append(words, "\n", 1);
        }
        open = space == 0;
        p += space;
    }
    nd_buffer_append(words, "\n", open);
    return ND_OK;
}

nd_status nd_test_words_of_page(nd_buffer *words, nd_page *page, nd_span html) {
    words->size = 0;
    nd_status st = nd_extract_html(page, html, NULL);
    return st == ND_OK ? nd_test_words_of_text(words, nd_buffer_span(&page->text)) : st;
}

typedef struct libxml_walk {
    nd_buffer text;
    size_t dropped; /* open elements whose content is dropped */
} libxml_walk;

static void add(libxml_walk *walk, const void *bytes, size_t size) {
    if (walk->dropped == 0) {
        nd_buffer_append(&walk->text, bytes, size);
    }
}

static void on_start(void *context, const xmlChar *name, const xmlChar **attributes) {
    libxml_walk *walk = context;
    (void)attributes;
    if (!is_listed((const char *)name, formatting)) {
        add(walk, " ", 1);
    }
    walk->dropped += is_listed((const char *)name, dropped);
}

static void on_end(void *context, const xmlChar *name) {
    libxml_walk *walk = context;
    walk->dropped -= walk->dropped > 0 && is_listed((const char *)name, dropped);
    if (!is_listed((const char *)name, formatting)) {
        add(walk, " ", 1);
    }
}

static void on_characters(void *context, const xmlChar *text, int size) {
    add(context, text, (size_t)size);
}

nd_status nd_test_text_by_libxml(nd_buffer *text, nd_span html) {
    nd_status st = ND_OK;
    libxml_walk walk = {.text = *text};
    walk.text.size = 0;
    htmlParserCtxtPtr parser = htmlNewParserCtxt();
    if (parser == NULL || html.size > INT32_MAX) {
        st = nd_fail(ND_ERR_MEMORY, "libxml2 cannot take a page of %zu bytes", html.size);
        goto out;
    }
    memset(parser->sax, 0, sizeof *parser->sax);
    parser->sax->startElement = on_start;
    parser->sax->endElement = on_end;
    parser->sax->characters = on_characters;
    parser->sax->ignorableWhitespace = on_characters;
    parser->userData = &walk;
    htmlDocPtr document =
        htmlCtxtReadMemory(parser, (const char *)html.data, (int)html.size, NULL, "UTF-8",
                           HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING |
                               HTML_PARSE_NONET | HTML_PARSE_IGNORE_ENC | (int)XML_PARSE_HUGE);
    xmlFreeDoc(document);
out:
    *text = walk.text;
    htmlFreeParserCtxt(parser);
    return st;
}

nd_status nd_test_words_by_libxml(nd_buffer *words, nd_span html) {
    nd_buffer text = {0};
    words->size = 0;
    nd_status st = nd_test_text_by_libxml(&text, html);
    if (st == ND_OK) {
        st = nd_test_words_of_text(words, nd_buffer_span(&text));
    }
    nd_buffer_free(&text);
    return st;
}
