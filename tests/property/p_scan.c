/* The scanner, which takes eight bytes at a time, against a byte-by-byte one: the same text, the
 * same place to stop, and nothing written beyond the room it may use. */
#include "src/text/text_variant.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 200000, LONGEST = 150, GUARD = 0xA5 };

/* What the text is made of: letters often, so that runs get long. */
static const char *const pieces[] = {"a",    "Word", "longer text", " ", " ",        "  ",
                                     "\n",   "\t ",  "<",           "&", "\xC3\xA9", "\xE4\xB8\xAD",
                                     "\x01", "\x7F", "12345678",    "."};

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
        uint64_t choice = nd_random_below(random, 4 * sizeof pieces / sizeof *pieces);
        const char *piece = pieces[choice % (choice < 16 ? 16 : 5)];
        memcpy(text + size, piece, strlen(piece));
        size += strlen(piece);
    }
    return size;
}

static void check(const uint8_t *text, size_t size, bool after_space) {
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

static void test_against_slow(void) {
    nd_random random = nd_test_random("scan");
    for (int round = 0; round < nd_test_rounds(ROUNDS); round++) {
        uint8_t text[LONGEST + 32];
        size_t size = make_text(&random, text);
        bool after_space = nd_random_below(&random, 2) == 0;
        check(text, size, after_space);
    }
}

/* What may be white space or wrong is left to the caller. */
static void test_stops(void) {
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

static const nd_test tests[] = {
    {"against a slow one", test_against_slow},
    {"stops", test_stops},
};
ND_SUITE(p_scan, tests)
