/* Sentences of two pages side by side, by hand. */
#include "src/method/pair_measures.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 32 };

/* A sentence a letter; upper case: dropped. */
static nd_document document_of(const char *letters, nd_sentence_digest sentences[MOST],
                               bool keep[MOST]) {
    const uint32_t count = (uint32_t)strlen(letters);
    memset(sentences, 0, MOST * sizeof *sentences);
    for (uint32_t i = 0; i < count; i++) {
        sentences[i].digest.bytes[0] = (uint8_t)(letters[i] | 0x20);
        keep[i] = letters[i] >= 'a';
    }
    return (nd_document){.sentences = sentences, .sentence_count = count};
}

/* Rows as words: "=a" shared, "-a" of the first page, "+a" of the second; "!" after dropped. */
static void check(const char *a, const char *b, const char *expected) {
    nd_sentence_digest of_a[MOST], of_b[MOST];
    bool keep_a[MOST], keep_b[MOST];
    const nd_document x = document_of(a, of_a, keep_a), y = document_of(b, of_b, keep_b);
    nd_aligned_sentence *rows = NULL;
    size_t count = 0, used = 0;
    char text[8 * MOST] = "";
    nd_sentences_align(&x, keep_a, &y, keep_b, &rows, &count);
    for (size_t i = 0; i < count; i++) {
        const bool in_a = rows[i].a != ND_NO_SENTENCE, in_b = rows[i].b != ND_NO_SENTENCE;
        const nd_sentence_digest *sentence = in_a ? &of_a[rows[i].a] : &of_b[rows[i].b];
        used += (size_t)snprintf(text + used, sizeof text - used, "%c%c%s",
                                 in_a && in_b ? '='
                                 : in_a       ? '-'
                                              : '+',
                                 sentence->digest.bytes[0], rows[i].dropped ? "!" : "");
    }
    free(rows);
    if (strcmp(text, expected) != 0) {
        (void)printf("%s and %s: %s, not %s\n", a, b, text, expected);
        CU_FAIL("another alignment");
    }
}

static void test_kept(void) {
    check("", "", "");
    check("abc", "abc", "=a=b=c");
    check("abc", "", "-a-b-c");
    check("", "abc", "+a+b+c");
    check("abcd", "axcd", "=a-b+x=c=d");
    check("abcd", "cd", "-a-b=c=d");
    check("aab", "ab", "-a=a=b");
    check("xy", "ab", "-x-y+a+b");
}

static void test_dropped(void) {
    check("Nab", "Nac", "=n!=a-b+c");
    check("Nab", "nab", "-n!+n=a=b"); /* dropped in one page only: not the same */
    check("aNb", "ab", "=a-n!=b");
    check("ab", "aLb", "=a+l!=b");
}

static const nd_test tests[] = {
    {"kept sentences", test_kept},
    {"dropped sentences", test_dropped},
};

ND_SUITE(t_sentence_alignment, tests)
