/** \file src/synth/vocabulary.h
 * The words of two synthetic languages, and drawing them with the frequencies of natural text: one
 * of words made of syllables and separated by spaces, one of words of one or two Chinese
 * characters. Word number r is drawn with probability proportional to 1 / (r + 2.7) (Zipf's law in
 * Mandelbrot's form). Sentences are not made here.
 */
#ifndef ND_SYNTH_VOCABULARY_H
#define ND_SYNTH_VOCABULARY_H

#include "src/base/buffer.h"
#include "src/base/random.h"

typedef enum nd_language {
    ND_LANGUAGE_SPACED,
    ND_LANGUAGE_CHINESE,
    ND_LANGUAGES /**< how many there are */
} nd_language;

enum {
    ND_VOCABULARY_WORDS = 200000, /**< of each language */
    ND_WORD_SLOT = 16             /**< bytes kept for a word; the last is its length */
};

typedef struct nd_vocabulary nd_vocabulary;

/** Make both languages, some 8 MB. \param[out] out  the caller's to free; NULL on failure
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_vocabulary_new(nd_vocabulary **out);

/** Free; NULL is fine; *vocabulary becomes NULL. */
void nd_vocabulary_free(nd_vocabulary **vocabulary);

/** The number of a random word. */
uint32_t nd_vocabulary_draw(const nd_vocabulary *vocabulary, nd_random *random);

/** The text of a word: ND_WORD_SLOT bytes may be read from it. */
nd_span nd_vocabulary_word(const nd_vocabulary *vocabulary, nd_language language, uint32_t word);

#endif
