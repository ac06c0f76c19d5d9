#include "src/synth/vocabulary.h"

#include <stdlib.h>
#include <string.h>

/* A draw takes one of so many equal steps of the distribution; rare words share a step. */
enum { STEPS = 1 << 16 };
/* Mandelbrot's shift: the few most frequent words are less frequent than Zipf's law has it. */
static const double SHIFT = 2.7;

struct nd_vocabulary {
    uint8_t words[ND_LANGUAGES][ND_VOCABULARY_WORDS][ND_WORD_SLOT];
    uint32_t first[STEPS + 1]; /* word at which each step begins */
};

/* ---- words of syllables: a consonant or two, then a vowel, so that no two words read alike */

static const char *const onsets[] = {"b", "c", "d", "f", "g", "h", "j", "k",  "l",  "m",
                                     "n", "p", "r", "s", "t", "v", "w", "ch", "st", "z"};
static const char *const nuclei[] = {"a", "e", "i", "o", "u", "ai"};
enum {
    ONSETS = sizeof onsets / sizeof onsets[0],
    NUCLEI = sizeof nuclei / sizeof nuclei[0],
    SYLLABLES = ONSETS * NUCLEI
};

static void make_spaced(uint8_t *slot, uint32_t number) {
    uint32_t syllables = 1;
    uint32_t words = SYLLABLES; /* of so many syllables */
    size_t size = 0;
    while (number >= words) {
        number -= words;
        words *= SYLLABLES;
        syllables++;
    }
    for (; syllables > 0; syllables--, number /= SYLLABLES) {
        const char *parts[] = {onsets[number % ONSETS], nuclei[number / ONSETS % NUCLEI]};
        for (size_t i = 0; i < 2; i++) {
            const size_t length = strlen(parts[i]);
            memcpy(slot + size, parts[i], length);
            size += length;
        }
    }
    slot[ND_WORD_SLOT - 1] = (uint8_t)size;
}

/* ---- Chinese words: frequent ones of one character, others of two */

enum {
    FIRST_CHARACTER = 0x4E00,
    CHARACTERS = 4000, /* about as many as newspapers use */
    SHORT_WORDS = 400,
    CHARACTER_BYTES = 3
};

static void put_character(uint8_t *at, uint32_t character) {
    const uint32_t code = FIRST_CHARACTER + character;
    at[0] = (uint8_t)(0xE0 | code >> 12);
    at[1] = (uint8_t)(0x80 | (code >> 6 & 0x3F));
    at[2] = (uint8_t)(0x80 | (code & 0x3F));
}

/* Primes, so that neither character of the longer words shows how frequent the word is, and all
 * words differ. */
static void make_chinese(uint8_t *slot, uint32_t number) {
    if (number < SHORT_WORDS) {
        put_character(slot, number * 7 % CHARACTERS);
        slot[ND_WORD_SLOT - 1] = CHARACTER_BYTES;
        return;
    }
    const uint64_t spread = (number - SHORT_WORDS) * UINT64_C(7919);
    const uint64_t pair = spread % ((uint64_t)CHARACTERS * CHARACTERS);
    put_character(slot, (uint32_t)(pair % CHARACTERS));
    put_character(slot + CHARACTER_BYTES, (uint32_t)(pair / CHARACTERS));
    slot[ND_WORD_SLOT - 1] = 2 * CHARACTER_BYTES;
}

nd_status nd_vocabulary_new(nd_vocabulary **out) {
    double total = 0;
    double sum = 0;
    uint32_t step = 0;
    nd_new(out, 1, sizeof **out);
    nd_vocabulary *v = *out;
    for (uint32_t r = 0; r < ND_VOCABULARY_WORDS; r++) {
        make_spaced(v->words[ND_LANGUAGE_SPACED][r], r);
        make_chinese(v->words[ND_LANGUAGE_CHINESE][r], r);
        total += 1 / (r + SHIFT);
    }
    for (uint32_t r = 0; r < ND_VOCABULARY_WORDS; r++) {
        sum += 1 / (r + SHIFT);
        while (step < STEPS && step < sum / total * (double)STEPS) {
            v->first[step++] = r;
        }
    }
    while (step <= STEPS) {
        v->first[step++] = ND_VOCABULARY_WORDS - 1;
    }
    return ND_OK;
}

void nd_vocabulary_free(nd_vocabulary **vocabulary) {
    free(*vocabulary);
    *vocabulary = NULL;
}

uint32_t nd_vocabulary_draw(const nd_vocabulary *v, nd_random *random) {
    const uint64_t bits = nd_random_next(random);
    const uint32_t step = (uint32_t)(bits % STEPS);
    const uint32_t range = v->first[step + 1] - v->first[step];
    return v->first[step] + (range > 1 ? (uint32_t)((bits >> 32) * range >> 32) : 0);
}

nd_span nd_vocabulary_word(const nd_vocabulary *v, nd_language language, uint32_t word) {
    const uint8_t *slot = v->words[language][word];
    return (nd_span){slot, slot[ND_WORD_SLOT - 1]};
}
