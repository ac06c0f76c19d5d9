#include "src/synth/markup.h"

#include "src/synth/story.h"

#include <stddef.h>

/* ==== the share of markup */

/* Of pages for which n bytes are asked before markup is added, the mean has so many bytes of HTML
 * and of visible text: lines through the means of corpora of several seeds, lengths and
 * percentages, from which a corpus of some thousand pages is up to a tenth away. */
static const double MEAN_FIXED = 2400;
static const double MEAN_PER_BYTE = .66;
static const double TEXT_FIXED = 670;
static const double TEXT_PER_BYTE = .37;

nd_status nd_markup_share_check(double percent) {
    if (!(percent >= ND_TEXT_LEAST && percent <= ND_TEXT_MOST)) {
        return nd_fail(ND_ERR_USAGE, "--text %g: must be from %d to %d percent", percent,
                       ND_TEXT_LEAST, ND_TEXT_MOST);
    }
    return ND_OK;
}

nd_markup_share nd_markup_share_of(uint64_t page_bytes, double percent) {
    const double bytes = (double)page_bytes;
    if (percent == 0) {
        return (nd_markup_share){.plain_bytes = page_bytes, .mean_plain = bytes};
    }
    const double wanted = (bytes * percent / 100 - TEXT_FIXED) / TEXT_PER_BYTE;
    const uint64_t plain = wanted > 0 ? (uint64_t)wanted : 0;
    const double mean = MEAN_FIXED + MEAN_PER_BYTE * (double)plain;
    return (nd_markup_share){
        .plain_bytes = plain, .mean_plain = mean, .rate = (bytes - mean) / mean};
}

/* ---- pieces of style sheets, scripts and elements without text, as web sites have them, with
 * places to fill in. In a pattern stand for
 *
 *   %c a class name of the site    %s a common word     %h six hexadecimal digits
 *   %d a number below 1000         %n a digit           %i the number of the piece
 *   %p the page's number           %% a percent sign */

typedef struct patterns {
    const char *const *items;
    size_t count;
} patterns;

/** Elements around a block. */
typedef struct wrapper {
    const char *open;
    const char *close;
} wrapper;

enum { WRAPPERS = 6 };

#define PATTERNS(array)                                                                            \
    { array, sizeof array / sizeof array[0] }

/* No end tag may stand in a style sheet or script, and no "<" or ">" in an attribute. Elements are
 * none of those that the extractor takes for navigation, and none has text in it. */

static const char *const metas[] = {
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
    "<meta name=\"page-id\" content=\"%p\">\n",
    "<meta property=\"og:type\" content=\"article\">\n",
    "<meta property=\"og:image\" content=\"/uploads/%s/%s-%h-1200x630.jpg\">\n",
    "<meta name=\"twitter:card\" content=\"summary_large_image\">\n",
    "<meta name=\"theme-color\" content=\"#%h\">\n",
    "<link rel=\"icon\" type=\"image/png\" sizes=\"32x32\" href=\"/assets/favicon-32x32.png\">\n",
    "<link rel=\"apple-touch-icon\" sizes=\"180x180\" href=\"/assets/apple-touch-icon.png\">\n",
    "<link rel=\"stylesheet\" id=\"%s-css\" href=\"/static/css/%s.%h.css?ver=%n.%n\" "
    "media=\"all\">\n",
    "<link rel=\"preload\" href=\"/static/fonts/%s-%h.woff2\" as=\"font\" type=\"font/woff2\" "
    "crossorigin>\n",
    "<script src=\"/static/js/%s.%h.min.js?ver=%n.%n\" defer></script>\n",
};

static const char *const selectors[] = {
    ".%c",        ".%c .%c",     ".%c:hover,.%c:focus", ".%c a",   ".%c>li+li",
    ".%c::after", "#%s .%c img", ".%c.is-active",       ".%c--%i", "body.%s-%s .%c",
};

static const char *const styles[] = {
    "display:flex;flex-wrap:wrap",
    "display:inline-block",
    "display:none",
    "position:relative",
    "position:absolute;top:0;left:0;right:0",
    "margin:0 auto %dpx",
    "margin-bottom:%n%npx",
    "padding:%n%npx %n%npx",
    "width:100%%;height:auto",
    "max-width:%dpx",
    "font-size:1%npx;line-height:1.%n",
    "font-weight:700",
    "color:#%h",
    "background-color:#%h",
    "background:url(/assets/%s-%s.svg) no-repeat 0 -%dpx",
    "border:1px solid #%h",
    "border-radius:%npx",
    "box-shadow:0 %npx %n%npx rgba(0,0,0,.%n)",
    "transition:opacity .%ns ease-in-out",
    "align-items:center;justify-content:space-between",
    "text-decoration:none",
    "overflow:hidden;text-overflow:ellipsis;white-space:nowrap",
    "-webkit-transform:translateX(-%n%n%%);transform:translateX(-%n%n%%)",
    "z-index:%d",
};

static const char *const scripts[] = {
    "window.dataLayer=window.dataLayer||[];window.dataLayer.push({\"event\":\"%s_%s\",\"slot\":"
    "%i});\n",
    "document.querySelectorAll(\".%c-%i\").forEach(function(e){e.classList.add(\"%c\");e."
    "addEventListener(\"click\",function(t){t.preventDefault();window.%s.track(\"%s\",%d)})});\n",
    "(function(d,s){var e=d.createElement(s),f=d.getElementsByTagName(s)[0];e.async=1;e.src="
    "\"/static/js/%s-%i.%h.js\";f.parentNode.insertBefore(e,f)})(document,\"script\");\n",
    "var "
    "%s_%s_%i={\"ajaxurl\":\"/api/%s/%i\",\"nonce\":\"%h\",\"timeout\":%d,\"breakpoint\":%d};\n",
    "googletag.cmd.push(function(){googletag.defineSlot(\"/%d/%s-%s\",[[300,250],[%d,90]],"
    "\"%c-%i\").addService(googletag.pubads())});\n",
    "if(!window.%s%i){window.%s%i=function(){(window.%s.q=window.%s.q||[]).push(arguments)}}\n",
    "window.%s&&window.%s(\"set\",\"%s%i\",\"%h\");\n",
};

static const char *const states[] = {
    "\"%s%i\":{\"type\":\"%s\",\"enabled\":true,\"position\":null,\"endpoint\":\"/api/%s\","
    "\"settings\":{\"columns\":%n,\"cssClass\":\"%c\",\"lazyLoad\":true,\"hideOnMobile\":false,"
    "\"children\":[]}},",
    "\"%s%i\":{\"component\":\"%s-%s\",\"props\":{\"className\":\"%c %c\",\"limit\":%n,"
    "\"lazy\":true,\"theme\":{\"color\":\"#%h\",\"background\":\"#%h\",\"border\":\"none\"}}},",
    "\"%s%i\":{\"width\":%d,\"height\":%d,\"mime\":\"image/jpeg\",\"srcset\":null,\"sizes\":\"(max-"
    "width: 767px) 100vw, 767px\",\"caption\":\"\",\"alt\":\"\",\"credit\":null},",
};

static const char *const widgets[] = {
    "<div class=\"%c\" id=\"ad-slot-%i\" data-ad-unit=\"/%d/%s\" "
    "data-sizes=\"[[300,250],[728,90]]\" "
    "aria-hidden=\"true\"></div>\n",
    "<div class=\"%c\"><span class=\"%c\"><svg width=\"24\" height=\"24\" viewBox=\"0 0 24 24\" "
    "fill=\"none\" stroke=\"currentColor\" aria-hidden=\"true\"><path d=\"M1%n %nc0-1.1.9-2 "
    "2-2h%nv%n"
    "l-%n.5 %nz\"></path><circle cx=\"12\" cy=\"12\" r=\"%n\"></circle></svg></span></div>\n",
    "<div class=\"%c %c\" data-share-id=\"%i\"><a class=\"%c\" "
    "href=\"https://share.example/?u=%i\" "
    "rel=\"nofollow noopener\" target=\"_blank\"><svg class=\"%c\"><use "
    "xlink:href=\"#icon-%s\"></use></svg></a><a class=\"%c\" href=\"https://post.example/?u=%i\" "
    "rel=\"nofollow noopener\" target=\"_blank\"><svg class=\"%c\"><use "
    "xlink:href=\"#icon-%s\"></use></svg></a></div>\n",
    "<script>window.%s.push({\"slot\":\"%s-%i\",\"unit\":%d});</script>\n",
    "<div class=\"%c\" style=\"height:%n0px\"></div>\n<!-- /.%c -->\n",
    "<div class=\"%c\"><picture class=\"%c\"><source type=\"image/webp\" "
    "media=\"(min-width:%dpx)\" "
    "data-srcset=\"/uploads/%s-%i-640.webp 640w, /uploads/%s-%i-1280.webp "
    "1280w\"></picture></div>\n",
};

static const char *const attributes[] = {
    " class=\"%c\"",
    " class=\"%c %c\" data-position=\"%n\"",
    " class=\"%c\" data-ga-category=\"%s\" data-ga-action=\"click\"",
    " class=\"%c\" itemprop=\"url\" rel=\"bookmark\"",
};

static const char *const class_words[] = {
    "header", "card",   "item",    "title",  "media",   "grid",   "col",     "row",
    "wrap",   "inner",  "content", "body",   "list",    "link",   "icon",    "btn",
    "meta",   "author", "share",   "teaser", "promo",   "slot",   "widget",  "module",
    "layout", "entry",  "story",   "image",  "caption", "social", "comment", "container",
};

static const wrapper wrappers[WRAPPERS] = {
    {"<div class=\"%c %c\" data-index=\"%i\"><div class=\"%c\">\n", "</div></div>\n"},
    {"<section class=\"%c %c\" data-id=\"%h\" data-element_type=\"section\" "
     "data-settings=\"{&quot;background&quot;:&quot;classic&quot;}\">\n<div class=\"%c\"><div "
     "class=\"%c\">\n",
     "</div></div></section>\n"},
    {"<div class=\"row %c\"><div class=\"col-xs-12 col-sm-1%n col-md-%n\">\n", "</div></div>\n"},
    {"<div class=\"%c\" id=\"%s-%i\" data-component=\"%s\" data-track-visible=\"true\">\n<div "
     "class=\"%c\" style=\"max-width:%dpx\">\n",
     "</div>\n</div><!-- #%s-%i -->\n"},
    {"<div class=\"%c\"><div class=\"%c\"><div class=\"%c\" data-reactid=\".0.1.%i\">\n",
     "</div></div></div>\n"},
    {"<table class=\"%c\" width=\"100%%\" border=\"0\" cellspacing=\"0\" "
     "cellpadding=\"%n\"><tr><td "
     "class=\"%c\" valign=\"top\">\n",
     "</td></tr></table>\n"},
};

/* elements of the head, each to be put once */
static const patterns meta_patterns = PATTERNS(metas);
/* of a style sheet's rules */
static const patterns selector_patterns = PATTERNS(selectors);
/* declarations of a rule */
static const patterns style_patterns = PATTERNS(styles);
/* statements */
static const patterns script_patterns = PATTERNS(scripts);
/* members of a JSON object, with a comma */
static const patterns state_patterns = PATTERNS(states);
/* empty elements between blocks */
static const patterns widget_patterns = PATTERNS(widgets);
/* of a list item or a link */
static const patterns attribute_patterns = PATTERNS(attributes);
/* common words of class names */
static const patterns word_patterns = PATTERNS(class_words);

/* ==== markup that is owed */

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

static const char *draw_pattern(patterns of, nd_random *random) {
    return of.items[nd_random_below(random, of.count)];
}

static void put_hex(nd_buffer *html, uint64_t bits) {
    enum { DIGITS = 6 };
    char hex[DIGITS];
    for (int i = 0; i < DIGITS; i++) {
        hex[i] = "0123456789abcdef"[bits >> (4 * i) & 15];
    }
    nd_buffer_append(html, hex, sizeof hex);
}

/* As the tools name classes that the site's designers use. */
static void put_class(const nd_page_markup *m, size_t number, nd_buffer *html) {
    enum { STYLES = 4, HASHED = 2 };
    static const char *const prefixes[STYLES] = {"c-", "wp-block-", "", ""};
    static const char *const joints[STYLES] = {"__", "-", "_", "-"};
    const uint64_t style = m->design % STYLES;
    nd_random random = place_random(m, PLACE_CLASS + number);
    nd_buffer_append_text(html, prefixes[style]);
    nd_buffer_append_text(html, draw_pattern(word_patterns, &random));
    nd_buffer_append_text(html, joints[style]);
    nd_buffer_append_text(html, draw_pattern(word_patterns, &random));
    if (style == HASHED) {
        nd_buffer_append_text(html, "__");
        put_hex(html, nd_random_next(&random));
    }
}

static void put_field(const nd_page_markup *m, char field, size_t block, nd_random *random,
                      nd_buffer *html) {
    switch (field) {
    case 'c':
        put_class(m, nd_random_below(random, 1 + nd_random_below(random, CLASSES)), html);
        break;
    case 's':
        nd_buffer_append_text(html, draw_pattern(word_patterns, random));
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
        nd_buffer_append_text(html, "%");
    }
}

static void put_pattern(const nd_page_markup *m, const char *pattern, size_t block,
                        nd_random *random, nd_buffer *html) {
    size_t plain = strcspn(pattern, "%");
    while (pattern[plain] != '\0') {
        nd_buffer_append(html, pattern, plain);
        put_field(m, pattern[plain + 1], block, random, html);
        pattern += plain + 2;
        plain = strcspn(pattern, "%");
    }
    nd_buffer_append(html, pattern, plain);
}

/* ---- the meter */

/* Let fall due what the plain bytes written so far ask for. */
static void account(nd_page_markup *m, const nd_buffer *html) {
    const size_t plain = html->size - m->written;
    m->owed += (1 - HEAD_SHARE - END_SHARE) * m->share.rate * (double)(plain - m->accounted);
    m->accounted = plain;
}

/* What has been written since the page had `before` bytes is markup. */
static void pay(nd_page_markup *m, const nd_buffer *html, size_t before) {
    const size_t size = html->size - before;
    m->written += size;
    m->owed -= (double)size;
}

static bool owes(const nd_page_markup *m, double rest) {
    return m->owed > rest;
}

void nd_page_markup_begin(nd_page_markup *m, const nd_buffer *html) {
    account(m, html);
    m->aside += m->owed;
    m->owed = 0;
}

/* Put a pattern. A design has few kinds of pieces; those of a kind differ in their number alone. */
static void put_piece(nd_page_markup *m, patterns of, enum place first, size_t kind, size_t number,
                      nd_buffer *html) {
    const size_t before = html->size;
    nd_random random = place_random(m, first + kind % KINDS);
    put_pattern(m, draw_pattern(of, &random), number, &random, html);
    pay(m, html, before);
}

/* Put numbered pieces until nothing is owed. */
static void put_pieces(nd_page_markup *m, patterns of, enum place first, nd_buffer *html) {
    for (size_t i = 0; owes(m, 0); i++) {
        put_piece(m, of, first, i, i, html);
    }
}

static void put_text(nd_page_markup *m, const char *text, nd_buffer *html) {
    const size_t before = html->size;
    nd_buffer_append_text(html, text);
    pay(m, html, before);
}

/* ---- the head and the end */

void nd_page_markup_head(nd_page_markup *m, nd_buffer *html) {
    enum { MOST_DECLARATIONS = 5 };
    nd_random random = place_random(m, PLACE_HEAD);
    nd_page_markup_begin(m, html);
    m->owed = HEAD_SHARE * m->share.rate * m->share.mean_plain;
    for (size_t i = 0; i < meta_patterns.count && owes(m, 0); i++) {
        const size_t before = html->size;
        put_pattern(m, meta_patterns.items[i], 0, &random, html);
        pay(m, html, before);
    }
    if (owes(m, 0)) {
        const double rest = m->owed / 3;
        put_text(m, "<style id=\"theme-inline-css\" type=\"text/css\">\n", html);
        for (size_t i = 0; owes(m, rest); i++) {
            /* a selector of its own, and one of the design's few lists of declarations */
            const size_t before = html->size;
            nd_random list = place_random(m, PLACE_RULE + i % KINDS);
            put_pattern(m, draw_pattern(selector_patterns, &random), i, &random, html);
            nd_buffer_append_text(html, "{");
            for (uint64_t left = nd_draw_between(&list, 1, MOST_DECLARATIONS); left > 0; left--) {
                put_pattern(m, draw_pattern(style_patterns, &list), i, &list, html);
                nd_buffer_append_text(html, left > 1 ? ";" : "}\n");
            }
            pay(m, html, before);
        }
        put_text(m, "</style>\n", html);
        put_text(m, "<script>\n", html);
        put_pieces(m, script_patterns, PLACE_SCRIPT, html);
        put_text(m, "</script>\n", html);
    }
    nd_page_markup_begin(m, html);
}

void nd_page_markup_end(nd_page_markup *m, nd_buffer *html) {
    nd_page_markup_begin(m, html);
    m->owed = m->aside + END_SHARE * m->share.rate * m->share.mean_plain;
    m->aside = 0;
    if (owes(m, 0)) {
        put_text(m, "<script id=\"__STATE__\" type=\"application/json\">{", html);
        put_pieces(m, state_patterns, PLACE_STATE, html);
        put_text(m, "\"version\":1}</script>\n", html);
    }
}

/* ---- between the head and the end */

void nd_page_markup_attributes(nd_page_markup *m, const char *element, nd_buffer *html) {
    if (!nd_page_markup_is_put(m)) {
        return;
    }
    account(m, html);
    if (owes(m, 0)) {
        const size_t before = html->size;
        nd_random random = place_random(m, PLACE_LINK);
        random.state += (uint64_t)(unsigned char)*element; /* a design marks its elements alike */
        put_pattern(m, draw_pattern(attribute_patterns, &random), 0, &random, html);
        pay(m, html, before);
    }
}

/* The wrapper is the design's, and what is filled in the block's. */
static const wrapper *wrapper_of(const nd_page_markup *m) {
    nd_random random = place_random(m, PLACE_WRAPPER);
    return &wrappers[nd_random_below(&random, WRAPPERS)];
}

bool nd_page_markup_open(nd_page_markup *m, size_t number, nd_buffer *html) {
    account(m, html);
    if (!owes(m, 0)) {
        return false;
    }
    const size_t before = html->size;
    nd_random random = place_random(m, PLACE_WRAPPER);
    put_pattern(m, wrapper_of(m)->open, number, &random, html);
    pay(m, html, before);
    return true;
}

void nd_page_markup_close(nd_page_markup *m, size_t number, bool opened, nd_buffer *html) {
    account(m, html);
    if (opened) {
        const size_t before = html->size;
        nd_random random = place_random(m, PLACE_WRAPPER);
        put_pattern(m, wrapper_of(m)->close, number, &random, html);
        pay(m, html, before);
    }
    for (size_t i = number; owes(m, NEXT_WRAPPER); i++) {
        put_piece(m, widget_patterns, PLACE_WIDGET, i, number, html);
    }
}

/* ==== prose */

enum { LINK_IN = 29, NOISE_IN = 7, BOLD_IN = 31 };

/* A decision that depends on the word alone, so that all copies of a text are marked up alike. */
static bool one_in(nd_word word, uint64_t purpose, uint64_t count) {
    return nd_mix64((word & ~ND_WORD_COMMA) + (purpose << 32)) % count == 0;
}

static void put_word(nd_buffer *out, const nd_prose *prose, nd_word word, bool capital) {
    if ((word & ND_WORD_DECIMAL) != 0) {
        nd_text_number(out, word & ND_WORD_VALUE, 1);
        return;
    }
    const nd_span text =
        nd_vocabulary_word(prose->vocabulary, prose->language, word & ND_WORD_VALUE);
    nd_buffer_reserve(out, ND_WORD_SLOT);
    uint8_t *room = out->data + out->size;
    memcpy(room, text.data, ND_WORD_SLOT); /* a fixed size is copied at once */
    if (capital && *room >= 'a' && *room <= 'z') {
        *room = (uint8_t)(*room - 'a' + 'A');
    }
    out->size += text.size;
}

static void put_marked_word(nd_buffer *out, const nd_prose *prose, nd_word word, bool capital) {
    const bool decimal = (word & ND_WORD_DECIMAL) != 0;
    if (prose->links && !decimal && one_in(word, 1, LINK_IN)) {
        nd_buffer_append_text(out, "<a");
        nd_page_markup_attributes(prose->markup, "a", out);
        nd_buffer_append_text(out, " href=\"/topics/");
        nd_text_number(out, word & ND_WORD_VALUE, 6);
        nd_buffer_append_text(out, ".html\">");
        put_word(out, prose, word, capital);
        nd_buffer_append_text(out, "</a>");
    } else if (prose->noisy && !decimal && one_in(word, 2, BOLD_IN)) {
        nd_buffer_append_text(out, "<b>");
        put_word(out, prose, word, capital);
        nd_buffer_append_text(out, "</b>");
    } else if (prose->noisy && !decimal && one_in(word, 3, NOISE_IN)) {
        /* a character as an entity and the rest as it is */
        const nd_span text =
            nd_vocabulary_word(prose->vocabulary, prose->language, word & ND_WORD_VALUE);
        uint32_t code = text.data[0];
        size_t size = 1;
        if (code >= 0xE0) { /* all our characters beyond ASCII have three bytes */
            code = (code & 0x0FU) << 12 | (text.data[1] & 0x3FU) << 6 | (text.data[2] & 0x3FU);
            size = 3;
        }
        nd_buffer_append_text(out, "&#");
        nd_text_number(out, code, 1);
        nd_buffer_append_text(out, ";");
        nd_buffer_append(out, text.data + size, text.size - size);
    } else {
        put_word(out, prose, word, capital);
    }
}

void nd_prose_words(nd_buffer *out, const nd_prose *prose, const nd_word *words, size_t count) {
    const bool spaced = prose->language == ND_LANGUAGE_SPACED;
    for (size_t i = 0; i < count; i++) {
        const bool digits = i > 0 && (words[i] & words[i - 1] & ND_WORD_DECIMAL) != 0;
        if (i > 0 && (spaced || digits)) {
            nd_buffer_append_text(out, " ");
        }
        put_marked_word(out, prose, words[i], i == 0);
        if ((words[i] & ND_WORD_COMMA) == 0) {
            continue;
        }
        if (prose->noisy && one_in(words[i], 4, 2)) {
            nd_buffer_append_text(out, spaced ? ";" : "；");
        } else if (!prose->noisy || one_in(words[i], 5, 2)) {
            nd_buffer_append_text(out, spaced ? "," : "，");
        }
    }
}

void nd_prose_draw(nd_buffer *out, const nd_prose *prose, nd_random *random, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        if (i > 0 && prose->language == ND_LANGUAGE_SPACED) {
            nd_buffer_append_text(out, " ");
        }
        put_word(out, prose, nd_vocabulary_draw(prose->vocabulary, random), i == 0);
    }
}

void nd_prose_gap(nd_buffer *out, const nd_prose *prose) {
    if (prose->language == ND_LANGUAGE_SPACED) {
        nd_buffer_append_text(out, " ");
    }
}

void nd_prose_stop(nd_buffer *out, const nd_prose *prose, nd_word last) {
    const bool spaced = prose->language == ND_LANGUAGE_SPACED;
    if (prose->noisy && one_in(last, 6, 5)) {
        nd_buffer_append_text(out, spaced ? "!" : "！");
    } else {
        nd_buffer_append_text(out, spaced ? "." : "。");
    }
}

void nd_prose_paragraph(nd_buffer *out, const nd_prose *prose, const nd_story *story,
                        size_t paragraph) {
    const size_t first = nd_story_first_sentence(story, paragraph);
    for (size_t i = first; i < story->paragraphs.items[paragraph]; i++) {
        const size_t begin = nd_story_first_word(story, i);
        const size_t end = story->sentences.items[i];
        if (i > first) {
            nd_prose_gap(out, prose);
        }
        nd_prose_words(out, prose, story->words.items + begin, end - begin);
        nd_prose_stop(out, prose, story->words.items[end - 1]);
    }
}
