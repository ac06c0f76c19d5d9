/** \file src/synth/story.h
 * A synthetic main text: words in sentences in paragraphs, a title, a byline. Words are drawn by
 * Zipf's law, a share of them from the story's own topic, some are numbers; so two stories have
 * frequent words in common, but no sentence. How a text is written down (HTML) is not said here.
 */
#ifndef ND_SYNTH_STORY_H
#define ND_SYNTH_STORY_H

#include "src/synth/draw.h"
#include "src/synth/vocabulary.h"

/** A word of a text: a number of the vocabulary, or a decimal number, with flags. */
typedef uint32_t nd_word;
#define ND_WORD_DECIMAL UINT32_C(0x80000000) /**< the value is the number itself */
#define ND_WORD_COMMA   UINT32_C(0x40000000) /**< a comma follows */
#define ND_WORD_VALUE   UINT32_C(0x3fffffff)

/** Growing list of numbers. */
typedef struct nd_word_list {
    uint32_t *items;
    size_t count, capacity;
} nd_word_list;

/** All zero is a valid empty story; everything is owned. The first failure is kept in `status` and
 * what is added later is dropped. */
typedef struct nd_story {
    nd_language language;
    nd_word_list words;
    nd_word_list sentences;  /**< word after the last of each sentence */
    nd_word_list paragraphs; /**< sentence after the last of each paragraph */
    nd_word_list title;
    nd_word_list byline;
    nd_status status;
} nd_story;

/** What a text is drawn from. */
typedef struct nd_story_source {
    const nd_vocabulary *vocabulary;
    nd_language language;
    nd_random topic;    /**< where the topic's words begin */
    double topic_share; /**< of the words that are the topic's */
    nd_random random;   /**< of all else; moves on with each draw */
} nd_story_source;

/** Forget the text, keep the memory. */
void nd_story_clear(nd_story *story, nd_language language);

void nd_story_free(nd_story *story);

/** Draw one word. */
nd_word nd_story_draw_word(nd_story_source *source);

/** Add a sentence of 5 to 26 words, or of `words` words if that is not 0. */
void nd_story_draw_sentence(nd_story *story, nd_story_source *source, uint64_t words);

/** Add paragraphs of some 1 to 7 sentences until the story has at least that many words more, and
 * three paragraphs. */
void nd_story_draw_body(nd_story *story, nd_story_source *source, uint64_t words);

/** Give the story a title and a byline. */
void nd_story_draw_head(nd_story *story, nd_story_source *source);

/** Add pieces by hand. */
void nd_story_add_word(nd_story *story, nd_word word);
void nd_story_end_sentence(nd_story *story);
void nd_story_end_paragraph(nd_story *story);

/** Append words to a list of the story (its title, its byline). */
void nd_story_append(nd_story *story, nd_word_list *list, uint32_t item);

/** Add sentence `number`, or title and byline, of `from`, which is not the story itself. */
void nd_story_copy_sentence(nd_story *story, const nd_story *from, size_t number);
void nd_story_copy_head(nd_story *story, const nd_story *from);

/** Sentences and words of a range, as they lie. */
static inline size_t nd_story_first_word(const nd_story *story, size_t sentence) {
    return sentence == 0 ? 0 : story->sentences.items[sentence - 1];
}
static inline size_t nd_story_first_sentence(const nd_story *story, size_t paragraph) {
    return paragraph == 0 ? 0 : story->paragraphs.items[paragraph - 1];
}

/** Tokens of words [begin, end) of the story's body. */
uint64_t nd_story_tokens(const nd_story *story, const nd_vocabulary *vocabulary, size_t begin,
                         size_t end);

#endif
