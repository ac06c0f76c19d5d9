/* Text: variants of the processor, canonical forms. */
#include "src/base/printable.h"
#include "src/text/text_variant.h"
#include "src/text/token.h"
#include "src/text/unicode.h"
#include "tests/support/check.h"
#include "tests/support/pages.h"
#include "tests/support/unicode_vectors.h"

/* ---- The scanner, which takes eight bytes at a time, against a byte-by-byte one: the same text,
 * the same place to stop, and nothing written beyond the room it may use. */

enum { ROUNDS_SCAN = 200000, LONGEST = 150, GUARD = 0xA5 };

/* What the text is made of: letters often, so that runs get long. */
static const char *const pieces_scan[] = {
    "a", "Word",     "longer text",  " ",    " ",    "  ",       "\n", "\t ", "<",
    "&", "\xC3\xA9", "\xE4\xB8\xAD", "\x01", "\x7F", "12345678", "."};
static void scan_slowly(nd_scan *scan, const uint8_t *limit) {
    for (; scan->in < limit && *scan->in != '<' && *scan->in != '&' && *scan->in != 0; scan->in++) {
        bool space = *scan->in <= ' ';
        if (!space || !scan->after_space) {
            *scan->out++ = space ? ' ' : *scan->in;
        }
        scan->after_space = space;
    }
}

static size_t make_text(nd_random *random, uint8_t *text) {
    size_t size = 0;
    size_t wanted = nd_random_below(random, LONGEST);
    while (size < wanted) {
        uint64_t choice = nd_random_below(random, 4 * sizeof pieces_scan / sizeof *pieces_scan);
        const char *piece = pieces_scan[choice % (choice < 16 ? 16 : 5)];
        memcpy(text + size, piece, strlen(piece));
        size += strlen(piece);
    }
    return size;
}

static void check_scan(const uint8_t *text, size_t size, bool after_space) {
    uint8_t wanted[LONGEST + 32];
    uint8_t got[LONGEST + 32 + ND_SCAN_SLACK + 1];
    nd_scan slow = {.in = text, .out = wanted, .after_space = after_space};
    scan_slowly(&slow, text + size);
    memset(got, GUARD, sizeof got);
    nd_scan fast = {.in = text, .out = got, .after_space = after_space};
    nd_text_variant_in_use()->scan(&fast, text + size);
    CU_ASSERT_FATAL(fast.in == slow.in);
    CU_ASSERT_FATAL(fast.out - got == slow.out - wanted);
    CU_ASSERT_FATAL(memcmp(got, wanted, (size_t)(slow.out - wanted)) == 0);
    CU_ASSERT_FATAL(fast.after_space == slow.after_space);
    CU_ASSERT_FATAL(got[size + ND_SCAN_SLACK] == GUARD);
}

ND_TEST("against a slow one") {
    nd_random random = nd_test_random("scan");
    for (int round = 0; round < nd_test_rounds(ROUNDS_SCAN); round++) {
        uint8_t text[LONGEST + 32];
        size_t size = make_text(&random, text);
        bool after_space = nd_random_below(&random, 2) == 0;
        check_scan(text, size, after_space);
    }
}

/* What may be white space or wrong is left to the caller. */
ND_TEST("stops") {
    static const char *const stops[] = {
        "<",    "&",     "\xC2\xA0",  "\xE3\x80\x80", "\xE2\x80\x89",
        "\xFF", "\xC3<", "\xE4\xB8<", "\xED\xA0\x80", "\xF0\x9F\x98\x80"};
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        uint8_t out[16 + ND_SCAN_SLACK];
        const uint8_t *in = (const uint8_t *)stops[i];
        nd_scan scan = {.in = in, .out = out};
        nd_text_variant_in_use()->scan(&scan, in + strlen(stops[i]));
        CU_ASSERT_PTR_EQUAL(scan.in, in);
        CU_ASSERT_PTR_EQUAL(scan.out, out);
    }
}

/* ---- The variants of the inner loops over text against the portable one: the same page, byte for
 * byte, from random documents that put everything that needs thought at every place of a block of
 * 64 bytes, and from every character there is. */

enum { ROUNDS_TEXT_VARIANTS = 60000, MOST_PIECES = 60, MOST_BYTES = 16384, LAST_CODE = 0x10FFFF };
static const char piece_list[] =
    "a|Word|longer text, with stops. And more! | |  |\n|\n\n|\n\t | \r\n|\v|\x01|\x7F|12345678|0|"
    "3.14|.|. |?|! |antidisestablishmentarianism|"
    "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZ|&amp;|&nbsp;|"
    "&|<|< b|<b>|</b>|<p>|</p>|<SPAN>|</span>|<code class=\"docutils literal notranslate\">|"
    "<a href=\"#x\">|"
    "<a class=\"reference internal\" href=\"../../some/folder/of/pages.html#a-long-fragment\">|"
    "<a class=\"reference internal of more classes than one block can hold, HREF=x\" name=\"y\">|"
    "<a HREF = 'x>y'>|<a hrefs=\"x\" xhref=\"y\">|<a\nhref>|<a x=\"1\"href=\"2\">|"
    "<a x=\"1\"/href=\"2\"/>|<a x=\"a'b>c\" y='d\"e>f'>|<a x=y\"z href=\"1>2\">|<a x==\"y>z\">|"
    "<a =\"y>z\">|<a x\"y>z\">|<a x =\"y>z\">|<a x= \"y>z\">|<a x=\"y\"=\"v>w\">|<a x=>|"
    "<a\vhref=\"x\">|<a\vb=\"x>y\">|</a>|<br/>|<br / >|"
    "<img alt=\"x > y\" src=\"http://a.example/b.png\"/>|<svg/>|<svg a=\"b\" />|<svg>|</svg>|"
    "<nav>|</nav x=\"y\">|<blockquote>|</blockquote>|<figcaption>|<textareas>|<textarea>|"
    "</textarea>|<x-y z=\"1\">|<o:p>|<title>|</title>|<!-- a > b -->|<!x>|</ x>|<|</|<p|<p x=\"|"
    "\xC3\xA9|\xC2\xA0|\xC2\xA9|\xC2\x85|\xE4\xB8\xAD\xE6\x96\x87|"
    "\xE5\xA4\xA9\xE5\x9C\xB0\xE7\x8E\x84\xE9\xBB\x84\xE5\xAE\x87\xE5\xAE\x99\xE6\xB4\xAA\xE8\x8D"
    "\x92|"
    "\xE3\x80\x80|\xE3\x80\x82|\xE3\x81\x82|\xE3\x82\x99|\xE3\x83\xBC\xE3\x83\xB3|\xE3\x83\xBB|"
    "\xE4\xB7\xBF|\xE2\x80\x99|\xE2\x80\x89|\xE2\x80\xA6|\xE1\x9A\x80|\xE0\xB8\x81|\xEF\xBC\xA1|"
    "\xEF\xBC\x9F|\xD0\x9F\xD1\x80\xD0\xB8|\xD9\xA3|\xF0\x9F\x98\x80|\xF0\x9D\x9F\x97|"
    "\xED\xA0\x80|\xC3|\xE4\xB8|\xE2\x80|\xFF|\x80|\xC0\xAF|\xCC\x81|\xC4\xB0|\xE2\x80\x8B";

static uint8_t *allocate(size_t size) {
    uint8_t *bytes = nd_alloc(size, 1);
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

static void check_variants(nd_span document, bool html) {
    ND_TEST_MUST(nd_test_make_page(&nd_text_portable, document, html, &by_portable));
    for (size_t i = 1; i < nd_text_variant_count; i++) {
        if (nd_cpu_has(nd_text_variants[i]->needs)) {
            ND_TEST_MUST(nd_test_make_page(nd_text_variants[i], document, html, &by_variant));
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
    static const char *pieces[150];
    static size_t count = 0;
    const char *chosen[12];
    size_t size = 0;
    count = count > 0 ? count : ND_TEST_LIST(piece_list, pieces);
    for (size_t i = 0; i < kinds; i++) {
        chosen[i] = pieces[nd_random_below(random, count)];
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

ND_TEST("random documents") {
    nd_random random = nd_test_random("text variants");
    for (int round = 0; round < nd_test_rounds(ROUNDS_TEXT_VARIANTS); round++) {
        ND_FREED uint8_t *document = allocate(MOST_BYTES);
        const size_t size = make_document(&random, document);
        /* at the end of its memory, so that reading beyond it shows */
        ND_FREED uint8_t *exact = allocate(size > 0 ? size : 1);
        memcpy(exact, document, size);
        check_variants((nd_span){exact, size}, true);
        check_variants((nd_span){exact, size}, false);
    }
}

/* Every character, between letters and at all distances from a block's end. */
ND_TEST("all characters") {
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
        check_variants((nd_span){document, size}, true);
        code += code > 0x30000 ? 997 : 0; /* nothing but ideographs and unassigned ones */
    }
}

/* Every element of HTML, and names that are nearly one: they are looked up in different ways. */
ND_TEST("all elements") {
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
            check_variants((nd_span){(uint8_t *)document, (size_t)size + sizeof padding}, true);
            document[2] = (char)(document[2] - 'a' + 'A');
            check_variants((nd_span){(uint8_t *)document, (size_t)size + sizeof padding}, true);
        }
    }
}

ND_TEST("clean up") {
    nd_test_made_page_free(&by_portable);
    nd_test_made_page_free(&by_variant);
}

/* ---- Canonically equivalent texts have the same tokens, and others have not: against Unicode's
 * own decompositions and classes, by which each text is spelt in random ways, and its tokens are
 * made once more, character by character. */

enum { ROUNDS_CANONICAL = 40000, MOST_CODES = 24, MOST = 4096 };
enum { LEADS = 0x1100, VOWELS = 0x1161, BEFORE_FINALS = 0x11A7, SYLLABLES = 0xAC00 };
enum { LAST_SYLLABLE = 0xD7A3, VOWEL_COUNT = 21, FINAL_COUNT = 28 };
typedef struct codes {
    uint32_t code[MOST];
    size_t count;
} codes;

static void add(codes *c, uint32_t code) {
    CU_ASSERT_FATAL(c->count < MOST);
    c->code[c->count++] = code;
}

static uint32_t order_of(uint32_t code) {
    size_t low = 0, high = nd_test_order_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (nd_test_orders[middle][0] < code) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < nd_test_order_count && nd_test_orders[low][0] == code ? nd_test_orders[low][1] : 0;
}

/* Full canonical decomposition. */
static void add_parts(codes *c, uint32_t code) {
    if (code >= SYLLABLES && code <= LAST_SYLLABLE) {
        const uint32_t number = code - SYLLABLES, final = number % FINAL_COUNT;
        add(c, LEADS + number / FINAL_COUNT / VOWEL_COUNT);
        add(c, VOWELS + number / FINAL_COUNT % VOWEL_COUNT);
        if (final > 0) {
            add(c, BEFORE_FINALS + final);
        }
        return;
    }
    for (size_t i = 0; i < nd_test_decomposition_count; i++) {
        if (nd_test_decompositions[i][0] == code) {
            for (size_t k = 1; k < 5 && nd_test_decompositions[i][k] != 0; k++) {
                add(c, nd_test_decompositions[i][k]);
            }
            return;
        }
    }
    add(c, code);
}

/* Canonical order, by exchanges of neighbours. */
static void sort_marks(codes *c) {
    for (size_t i = 1; i < c->count; i++) {
        for (size_t k = i; k > 0; k--) {
            const uint32_t order = order_of(c->code[k]);
            if (order == 0 || order_of(c->code[k - 1]) <= order) {
                break;
            }
            const uint32_t code = c->code[k];
            c->code[k] = c->code[k - 1];
            c->code[k - 1] = code;
        }
    }
}

static const uint32_t letters[] = {
    'a',    'e',     'i',    'I',    'o',    'U',    'x',    0x1EA5, 0x1EC7, 0x1EDF, 0xC5,
    0x212B, 0x130,   0x12F,  0x3B1,  0x1F82, 0x390,  0x626,  0x627,  0x6C1,  0x928,  0x929,
    0x958,  0x9C7,   0x9A1,  0xBC6,  0xDD9,  0xDDD,  0x1025, 0x304B, 0x30D1, 0x309D, 0x4E2D,
    0xF900, 0x2F800, 0x1100, 0x1112, 0xAC00, 0xAC01, 0xD55C, 0xE19,  0xF42,  0xF43,  0x5D0,
    0xFB2A, 0x11099, 0x1D5,  0x1E69, ' ',    '=',    0x2260, '.',    0x200D};
static const uint32_t marks[] = {
    0x300, 0x301, 0x302, 0x304,  0x307,  0x308,  0x30A,  0x30C,  0x313,  0x316,  0x31B,   0x323,
    0x327, 0x328, 0x331, 0x338,  0x342,  0x344,  0x345,  0x340,  0x653,  0x654,  0x655,   0x64B,
    0x5B7, 0x93C, 0x94D, 0x9BE,  0x9D7,  0xBBE,  0xDCA,  0xDCF,  0xE38,  0xE48,  0xE4D,   0xF71,
    0xF73, 0xF72, 0xFB7, 0x102E, 0x1161, 0x1175, 0x11A8, 0x11C2, 0x3099, 0x309A, 0x110BA, 0x200D};
static void draw(nd_random *random, codes *text) {
    text->count = 0;
    const size_t count = 1 + nd_random_below(random, MOST_CODES);
    for (size_t i = 0; i < count; i++) {
        const uint64_t what = nd_random_below(random, 100);
        if (what < 55) {
            add(text, marks[nd_random_below(random, sizeof marks / sizeof *marks)]);
        } else if (what < 90) {
            add(text, letters[nd_random_below(random, sizeof letters / sizeof *letters)]);
        } else if (what < 95) {
            const size_t which = nd_random_below(random, nd_test_decomposition_count);
            add(text, nd_test_decompositions[which][0]);
        } else {
            add(text, nd_test_orders[nd_random_below(random, nd_test_order_count)][0]);
        }
    }
}

/* Another spelling: characters taken apart, neighbours of different order exchanged. */
static void spell(nd_random *random, const codes *text, codes *other) {
    other->count = 0;
    for (size_t i = 0; i < text->count; i++) {
        if (nd_random_below(random, 3) > 0) {
            add_parts(other, text->code[i]);
        } else {
            add(other, text->code[i]);
        }
    }
    for (size_t n = 0; other->count > 1 && n < 4 * other->count; n++) {
        const size_t k = nd_random_below(random, other->count - 1);
        const uint32_t a = order_of(other->code[k]), b = order_of(other->code[k + 1]);
        if (a > 0 && b > 0 && a != b) {
            const uint32_t code = other->code[k];
            other->code[k] = other->code[k + 1];
            other->code[k + 1] = code;
        }
    }
}

static size_t write(const codes *text, uint8_t *bytes) {
    size_t size = 0;
    for (size_t i = 0; i < text->count; i++) {
        size += nd_utf8_write(bytes + size, text->code[i]);
    }
    return size;
}

/* The tokens of a text, taken apart: what each character is folded to comes from the table, the
 * rest from the vectors. Tokens end with a space. */
static void slow_tokens(const codes *text, codes *tokens) {
    static codes parts, folded;
    parts.count = folded.count = tokens->count = 0;
    for (size_t i = 0; i < text->count; i++) {
        add_parts(&parts, text->code[i]);
    }
    sort_marks(&parts);
    for (size_t i = 0; i < parts.count; i++) {
        const nd_unicode_record *record = nd_unicode(parts.code[i]);
        if (record->class != ND_UNICODE_MAPPED) {
            const uint32_t code = (uint32_t)((int32_t)parts.code[i] + record->fold);
            if (record->class != ND_UNICODE_IGNORED) {
                add_parts(&folded, code);
            }
            continue;
        }
        for (const uint32_t *to = nd_unicode_texts + record->fold; *to != 0; to++) {
            add_parts(&folded, *to);
        }
    }
    sort_marks(&folded); /* once more: what is ignored parts nothing */
    nd_unicode_class open = ND_UNICODE_OTHER;
    bool dotted = false; /* only marks that come before a dot followed an i */
    for (size_t i = 0; i < folded.count; i++) {
        const uint32_t code = folded.code[i];
        nd_unicode_class class = (nd_unicode_class)nd_unicode(code)->class;
        class = class == ND_UNICODE_JAMO           ? ND_UNICODE_WORD
                : class == ND_UNICODE_JOINING_MARK ? ND_UNICODE_MARK
                                                   : class;
        const bool begins =
            class == ND_UNICODE_SINGLE || (class == ND_UNICODE_WORD && open != ND_UNICODE_WORD);
        const bool text_class =
            class == ND_UNICODE_SINGLE || class == ND_UNICODE_WORD || class == ND_UNICODE_MARK;
        if (open != ND_UNICODE_OTHER && (begins || !text_class)) {
            add(tokens, ' ');
        }
        open = class == ND_UNICODE_MARK ? open : text_class ? class : ND_UNICODE_OTHER;
        const uint32_t order = order_of(code);
        const bool lost = dotted && code == 0x307;
        dotted = code == 'i' || lost || (dotted && order > 0 && order < 230);
        if (open != ND_UNICODE_OTHER && !lost) {
            add(tokens, code);
        }
    }
    if (open != ND_UNICODE_OTHER) {
        add(tokens, ' ');
    }
}

static void print(const char *name, const codes *text) {
    printf("\n  %s:", name);
    for (size_t i = 0; i < text->count; i++) {
        printf(" %04X", text->code[i]);
    }
}

/* The tokens of a page, taken apart. */
static void page_tokens(const nd_page *page, codes *tokens) {
    tokens->count = 0;
    for (size_t i = 0; i < page->sentence_count; i++) {
        const uint8_t *p = page->normalised.data + page->sentences[i].begin;
        const uint8_t *end = page->normalised.data + page->sentences[i].end;
        while (p < end) {
            uint32_t code = 0;
            p += nd_utf8_read(p, end, &code);
            add_parts(tokens, code);
        }
        add(tokens, ' ');
    }
    sort_marks(tokens);
}

static bool same_codes(const codes *a, const codes *b) {
    return a->count == b->count && memcmp(a->code, b->code, a->count * sizeof *a->code) == 0;
}

ND_TEST("spellings") {
    static codes text, other, by_page, slow;
    static nd_test_made_page made[2];
    nd_random random = nd_test_random("canonical equivalence");
    for (int round = 0; round < nd_test_rounds(ROUNDS_CANONICAL); round++) {
        draw(&random, &text);
        spell(&random, &text, &other);
        for (size_t k = 0; k < 2; k++) {
            const codes *which = k == 0 ? &text : &other;
            uint8_t *bytes = malloc(ND_UTF8_MAX * which->count); /* no byte more */
            CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
            const nd_span span = {bytes, write(which, bytes)};
            ND_FREED uint8_t *exact = realloc(bytes, span.size);
            CU_ASSERT_PTR_NOT_NULL_FATAL(exact);
            ND_TEST_MUST(nd_test_make_page(NULL, (nd_span){exact, span.size}, false, &made[k]));
            CU_ASSERT_EQUAL(nd_token_count((nd_span){exact, span.size}), made[k].page.token_count);
        }
        const nd_page *a = &made[0].page, *b = &made[1].page;
        const bool same = a->normalised.size == b->normalised.size &&
                          (a->normalised.size == 0 ||
                           memcmp(a->normalised.data, b->normalised.data, a->normalised.size) == 0);
        page_tokens(a, &by_page);
        slow_tokens(&text, &slow);
        const bool right = same_codes(&by_page, &slow);
        CU_ASSERT(same);
        CU_ASSERT(right);
        if (!same || !right) {
            print("text", &text);
            print("other spelling", &other);
            print("tokens", &by_page);
            print("expected", &slow);
            CU_FAIL_FATAL("equivalent texts");
        }
    }
    nd_test_made_page_free(&made[0]);
    nd_test_made_page_free(&made[1]);
}

/* Each character that Unicode takes apart, alone and after a letter, before a mark. */
ND_TEST("each decomposition") {
    static codes text, parts;
    static nd_test_made_page whole, apart;
    static const uint32_t after[] = {0, 0x301, 0x323, 0x338, 0x3099, 0x94D};
    for (size_t i = 0; i < nd_test_decomposition_count; i++) {
        for (size_t k = 0; k < sizeof after / sizeof *after; k++) {
            uint8_t bytes[2][64];
            text.count = parts.count = 0;
            add(&text, 'X');
            add(&parts, 'X');
            add(&text, nd_test_decompositions[i][0]);
            add_parts(&parts, nd_test_decompositions[i][0]);
            if (after[k] != 0) {
                add(&text, after[k]);
                add(&parts, after[k]);
            }
            const nd_span a = {bytes[0], write(&text, bytes[0])};
            const nd_span b = {bytes[1], write(&parts, bytes[1])};
            ND_TEST_MUST(nd_test_make_page(NULL, a, false, &whole));
            ND_TEST_MUST(nd_test_make_page(NULL, b, false, &apart));
            const bool same = whole.page.token_count == apart.page.token_count &&
                              memcmp(whole.page.tokens, apart.page.tokens,
                                     whole.page.token_count * sizeof *whole.page.tokens) == 0;
            CU_ASSERT(same);
            if (!same) {
                print("text", &text);
            }
        }
    }
    nd_test_made_page_free(&whole);
    nd_test_made_page_free(&apart);
}
