#include "src/synth/page_markup.h"

#include "src/synth/draw.h"
#include "src/synth/markup_patterns.h"

/* Of the mean page's markup, so much stands in the head and at the end; what is left stands where
 * the plain page's bytes do. */
static const double HEAD_SHARE = .22;
static const double END_SHARE = .22;

/* A site's design has so many class names, the first ones the most frequent; a palette of as many
 * colours and lengths; and so many kinds of rules, statements and widgets. */
enum { CLASSES = 32, PALETTE = 8, KINDS = 3 };

/* About as many bytes has a wrapper: they are kept for the next block. */
static const double NEXT_WRAPPER = 150;

/* What random numbers of a design are for. */
enum place {
    PLACE_HEAD,
    PLACE_WRAPPER,
    PLACE_LINK,
    PLACE_WIDGET,
    PLACE_RULE = PLACE_WIDGET + KINDS,
    PLACE_SCRIPT = PLACE_RULE + KINDS,
    PLACE_STATE = PLACE_SCRIPT + KINDS,
    PLACE_CLASS = PLACE_STATE + KINDS,
    PLACE_PALETTE = PLACE_CLASS + CLASSES,
    PLACES = PLACE_PALETTE + PALETTE
};

static nd_random place_random(const nd_page_markup *m, uint64_t place) {
    return nd_draw_stream(m->seed, ND_DRAW_MARKUP, m->design * PLACES + place);
}

/* A designer's choice among few. */
static uint64_t draw_from_palette(const nd_page_markup *m, nd_random *random) {
    nd_random chosen = place_random(m, PLACE_PALETTE + nd_random_below(random, PALETTE));
    return nd_random_next(&chosen);
}

/* ---- patterns */

static const char *draw_pattern(nd_patterns patterns, nd_random *random) {
    return patterns.items[nd_random_below(random, patterns.count)];
}

static void put_hex(nd_text_writer *html, uint64_t bits) {
    enum { DIGITS = 6 };
    char hex[DIGITS];
    for (int i = 0; i < DIGITS; i++) {
        hex[i] = "0123456789abcdef"[bits >> (4 * i) & 15];
    }
    nd_text_bytes(html, hex, sizeof hex);
}

/* As the tools name classes that the site's designers use. */
static void put_class(const nd_page_markup *m, size_t number, nd_text_writer *html) {
    enum { STYLES = 4, HASHED = 2 };
    static const char *const prefixes[STYLES] = {"c-", "wp-block-", "", ""};
    static const char *const joints[STYLES] = {"__", "-", "_", "-"};
    const uint64_t style = m->design % STYLES;
    nd_random random = place_random(m, PLACE_CLASS + number);
    nd_text_put(html, prefixes[style]);
    nd_text_put(html, draw_pattern(nd_word_patterns, &random));
    nd_text_put(html, joints[style]);
    nd_text_put(html, draw_pattern(nd_word_patterns, &random));
    if (style == HASHED) {
        nd_text_put(html, "__");
        put_hex(html, nd_random_next(&random));
    }
}

static void put_field(const nd_page_markup *m, char field, size_t block, nd_random *random,
                      nd_text_writer *html) {
    switch (field) {
    case 'c':
        put_class(m, nd_random_below(random, 1 + nd_random_below(random, CLASSES)), html);
        break;
    case 's':
        nd_text_put(html, draw_pattern(nd_word_patterns, random));
        break;
    case 'h':
        put_hex(html, draw_from_palette(m, random));
        break;
    case 'd':
        nd_text_number(html, draw_from_palette(m, random) % 1000, 1);
        break;
    case 'n':
        nd_text_number(html, nd_random_below(random, 10), 1);
        break;
    case 'i':
        nd_text_number(html, block, 1);
        break;
    case 'p':
        nd_text_number(html, m->page, 1);
        break;
    default:
        nd_text_put(html, "%");
    }
}

static void put_pattern(const nd_page_markup *m, const char *pattern, size_t block,
                        nd_random *random, nd_text_writer *html) {
    size_t plain = strcspn(pattern, "%");
    while (pattern[plain] != '\0') {
        nd_text_bytes(html, pattern, plain);
        put_field(m, pattern[plain + 1], block, random, html);
        pattern += plain + 2;
        plain = strcspn(pattern, "%");
    }
    nd_text_bytes(html, pattern, plain);
}

/* ---- the meter */

/* Let fall due what the plain bytes written so far ask for. */
static void account(nd_page_markup *m, const nd_text_writer *html) {
    const size_t plain = html->text.size - m->written;
    m->owed += (1 - HEAD_SHARE - END_SHARE) * m->share.rate * (double)(plain - m->accounted);
    m->accounted = plain;
}

/* What has been written since the page had `before` bytes is markup. */
static void pay(nd_page_markup *m, const nd_text_writer *html, size_t before) {
    const size_t size = html->text.size - before;
    m->written += size;
    m->owed -= (double)size;
}

static bool owes(const nd_page_markup *m, const nd_text_writer *html, double rest) {
    return m->owed > rest && html->status == ND_OK;
}

void nd_page_markup_begin(nd_page_markup *m, const nd_text_writer *html) {
    account(m, html);
    m->aside += m->owed;
    m->owed = 0;
}

/* Put a pattern. A design has few kinds of pieces; those of a kind differ in their number alone. */
static void put_piece(nd_page_markup *m, nd_patterns patterns, enum place first, size_t kind,
                      size_t number, nd_text_writer *html) {
    const size_t before = html->text.size;
    nd_random random = place_random(m, first + kind % KINDS);
    put_pattern(m, draw_pattern(patterns, &random), number, &random, html);
    pay(m, html, before);
}

/* Put numbered pieces until nothing is owed. */
static void put_pieces(nd_page_markup *m, nd_patterns patterns, enum place first,
                       nd_text_writer *html) {
    for (size_t i = 0; owes(m, html, 0); i++) {
        put_piece(m, patterns, first, i, i, html);
    }
}

static void put_text(nd_page_markup *m, const char *text, nd_text_writer *html) {
    const size_t before = html->text.size;
    nd_text_put(html, text);
    pay(m, html, before);
}

/* ---- the head and the end */

void nd_page_markup_head(nd_page_markup *m, nd_text_writer *html) {
    enum { MOST_DECLARATIONS = 5 };
    nd_random random = place_random(m, PLACE_HEAD);
    nd_page_markup_begin(m, html);
    m->owed = HEAD_SHARE * m->share.rate * m->share.mean_plain;
    for (size_t i = 0; i < nd_meta_patterns.count && owes(m, html, 0); i++) {
        const size_t before = html->text.size;
        put_pattern(m, nd_meta_patterns.items[i], 0, &random, html);
        pay(m, html, before);
    }
    if (owes(m, html, 0)) {
        const double rest = m->owed / 3;
        put_text(m, "<style id=\"theme-inline-css\" type=\"text/css\">\n", html);
        for (size_t i = 0; owes(m, html, rest); i++) {
            /* a selector of its own, and one of the design's few lists of declarations */
            const size_t before = html->text.size;
            nd_random list = place_random(m, PLACE_RULE + i % KINDS);
            put_pattern(m, draw_pattern(nd_selector_patterns, &random), i, &random, html);
            nd_text_put(html, "{");
            for (uint64_t left = nd_draw_between(&list, 1, MOST_DECLARATIONS); left > 0; left--) {
                put_pattern(m, draw_pattern(nd_style_patterns, &list), i, &list, html);
                nd_text_put(html, left > 1 ? ";" : "}\n");
            }
            pay(m, html, before);
        }
        put_text(m, "</style>\n", html);
        put_text(m, "<script>\n", html);
        put_pieces(m, nd_script_patterns, PLACE_SCRIPT, html);
        put_text(m, "</script>\n", html);
    }
    nd_page_markup_begin(m, html);
}

void nd_page_markup_end(nd_page_markup *m, nd_text_writer *html) {
    nd_page_markup_begin(m, html);
    m->owed = m->aside + END_SHARE * m->share.rate * m->share.mean_plain;
    m->aside = 0;
    if (owes(m, html, 0)) {
        put_text(m, "<script id=\"__STATE__\" type=\"application/json\">{", html);
        put_pieces(m, nd_state_patterns, PLACE_STATE, html);
        put_text(m, "\"version\":1}</script>\n", html);
    }
}

/* ---- between the head and the end */

void nd_page_markup_attributes(nd_page_markup *m, const char *element, nd_text_writer *html) {
    if (!nd_page_markup_is_put(m)) {
        return;
    }
    account(m, html);
    if (owes(m, html, 0)) {
        const size_t before = html->text.size;
        nd_random random = place_random(m, PLACE_LINK);
        random.state += (uint64_t)(unsigned char)*element; /* a design marks its elements alike */
        put_pattern(m, draw_pattern(nd_attribute_patterns, &random), 0, &random, html);
        pay(m, html, before);
    }
}

/* The wrapper is the design's, and what is filled in the block's. */
static const nd_wrapper *wrapper_of(const nd_page_markup *m) {
    nd_random random = place_random(m, PLACE_WRAPPER);
    return &nd_wrappers[nd_random_below(&random, ND_WRAPPERS)];
}

bool nd_page_markup_open(nd_page_markup *m, size_t number, nd_text_writer *html) {
    account(m, html);
    if (!owes(m, html, 0)) {
        return false;
    }
    const size_t before = html->text.size;
    nd_random random = place_random(m, PLACE_WRAPPER);
    put_pattern(m, wrapper_of(m)->open, number, &random, html);
    pay(m, html, before);
    return true;
}

void nd_page_markup_close(nd_page_markup *m, size_t number, bool opened, nd_text_writer *html) {
    account(m, html);
    if (opened) {
        const size_t before = html->text.size;
        nd_random random = place_random(m, PLACE_WRAPPER);
        put_pattern(m, wrapper_of(m)->close, number, &random, html);
        pay(m, html, before);
    }
    for (size_t i = number; owes(m, html, NEXT_WRAPPER); i++) {
        put_piece(m, nd_widget_patterns, PLACE_WIDGET, i, number, html);
    }
}
