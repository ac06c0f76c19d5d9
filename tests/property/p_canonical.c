/* Canonically equivalent texts have the same tokens, and others have not: against Unicode's own
 * decompositions and classes, by which each text is spelt in random ways, and its tokens are made
 * once more, character by character. */
#include "src/base/printable.h"
#include "src/text/token.h"
#include "src/text/unicode.h"
#include "tests/support/check.h"
#include "tests/support/same_page.h"
#include "tests/support/unicode_vectors.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 40000, MOST_CODES = 24, MOST = 4096 };
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

static void test_spellings(void) {
    static codes text, other, by_page, slow;
    static nd_test_made_page made[2];
    nd_random random = nd_test_random("canonical equivalence");
    for (int round = 0; round < nd_test_rounds(ROUNDS); round++) {
        draw(&random, &text);
        spell(&random, &text, &other);
        for (size_t k = 0; k < 2; k++) {
            const codes *which = k == 0 ? &text : &other;
            uint8_t *bytes = malloc(ND_UTF8_MAX * which->count); /* no byte more */
            CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
            const nd_span span = {bytes, write(which, bytes)};
            uint8_t *exact = realloc(bytes, span.size);
            CU_ASSERT_PTR_NOT_NULL_FATAL(exact);
            CU_ASSERT_EQUAL_FATAL(
                nd_test_make_page(NULL, (nd_span){exact, span.size}, false, &made[k]), ND_OK);
            CU_ASSERT_EQUAL(nd_token_count((nd_span){exact, span.size}), made[k].page.token_count);
            free(exact);
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
static void test_each_decomposition(void) {
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
            CU_ASSERT_EQUAL_FATAL(nd_test_make_page(NULL, a, false, &whole), ND_OK);
            CU_ASSERT_EQUAL_FATAL(nd_test_make_page(NULL, b, false, &apart), ND_OK);
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

static const nd_test tests[] = {
    {"spellings", test_spellings},
    {"each decomposition", test_each_decomposition},
};
ND_SUITE(p_canonical, tests)
