/** \file src/synth/story.h
 * The main texts of a synthetic corpus: words of two made-up languages, stories, copies of stories
 * edited in known ways, and families of pages that look alike without being copies. Every text
 * follows from the seed and its numbers, so any can be made alone, in any order. How a text is
 * written down as HTML is markup.h's part.
 */
#ifndef ND_SYNTH_STORY_H
#define ND_SYNTH_STORY_H

#include "src/base/buffer.h"
#include "src/base/util.h"

#include <stdbool.h>

/* ---- random draws: streams of random numbers named by (seed, purpose, number). Only integers
 * and the four operations on doubles: the same draws on every machine. */

/** What a stream of random numbers is for. */
typedef enum nd_draw_purpose {
    ND_DRAW_ORDER = 1, /**< of the pages */
    ND_DRAW_PLAN,      /**< a story's home and length */
    ND_DRAW_COPY,      /**< a page's class and site */
    ND_DRAW_SITE,      /**< what a site looks like */
    ND_DRAW_BLOCK,     /**< a block of a site's template */
    ND_DRAW_STORY,     /**< a story's words */
    ND_DRAW_FAMILY,    /**< what the pages of a family share */
    ND_DRAW_HEADLINE,  /**< a headline of a list */
    ND_DRAW_TOPIC,     /**< a story's favourite words */
    ND_DRAW_EDIT,      /**< how a copy differs from its original */
    ND_DRAW_PAGE,      /**< what changes with every page: dates, counters */
    ND_DRAW_LICENCE,   /**< the sentences that many pages carry */
    ND_DRAW_MARKUP     /**< a site's markup without text */
} nd_draw_purpose;

/** The stream of that name. */
static inline nd_random nd_draw_stream(uint64_t seed, nd_draw_purpose purpose, uint64_t number) {
    const uint64_t name = nd_mix64(seed ^ nd_mix64((uint64_t)purpose));
    return (nd_random){nd_mix64(name + number * UINT64_C(0x9e3779b97f4a7c15))};
}

/** A number in [0, 1). */
static inline double nd_draw_share(nd_random *random) {
    return (double)(nd_random_next(random) >> 11) * 0x1p-53;
}

/** True with probability `share`. */
static inline bool nd_draw_chance(nd_random *random, double share) {
    return nd_draw_share(random) < share;
}

/** A whole number from `least` to `most`, both included. */
static inline uint64_t nd_draw_between(nd_random *random, uint64_t least, uint64_t most) {
    return least + nd_random_below(random, most - least + 1);
}

/* ---- The words of two synthetic languages, and drawing them with the frequencies of natural text:
 * one of words made of syllables and separated by spaces, one of words of one or two Chinese
 * characters. Word number r is drawn with probability proportional to 1 / (r + 2.7) (Zipf's law in
 * Mandelbrot's form). Sentences are not made here. */

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

/** Make both languages, some 8 MB: the caller's to free. */
nd_vocabulary *nd_vocabulary_new(void);

/** Free; NULL is fine; *vocabulary becomes NULL. */
void nd_vocabulary_free(nd_vocabulary **vocabulary);

/** The number of a random word. */
uint32_t nd_vocabulary_draw(const nd_vocabulary *vocabulary, nd_random *random);

/** The text of a word: ND_WORD_SLOT bytes may be read from it. */
nd_span nd_vocabulary_word(const nd_vocabulary *vocabulary, nd_language language, uint32_t word);

/* ---- A synthetic main text: words in sentences in paragraphs, a title, a byline. Words are drawn
 * by Zipf's law, a share of them from the story's own topic, some are numbers; so two stories have
 * frequent words in common, but no sentence. How a text is written down (HTML) is not said here. */

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

/** All zero is a valid empty story; everything is owned. */
typedef struct nd_story {
    nd_language language;
    nd_word_list words;
    nd_word_list sentences;  /**< word after the last of each sentence */
    nd_word_list paragraphs; /**< sentence after the last of each paragraph */
    nd_word_list title;
    nd_word_list byline;
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

/** Add a sentence of 5 to 26 words, or of `words` words if that is not 0. */
void nd_story_draw_sentence(nd_story *story, nd_story_source *source, uint64_t words);

/** Add paragraphs of some 1 to 7 sentences until the story has at least that many words more, and
 * three paragraphs. */
void nd_story_draw_body(nd_story *story, nd_story_source *source, uint64_t words);

/** Give the story a title and a byline. */
void nd_story_draw_head(nd_story *story, nd_story_source *source);

void nd_story_end_paragraph(nd_story *story);

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

/* ---- What a synthetic page is to the others: the original of a story, a copy of it edited in one
 * of several ways, or a page that looks like others without being a copy. Names and what the truth
 * says of each; how they are made is not said here. */

typedef enum nd_page_class {
    ND_PAGE_ORIGINAL,
    ND_PAGE_SAME,      /**< P0: the same text in another template */
    ND_PAGE_STAMPED,   /**< P1: other URL, and maybe time stamp, session, visitor count */
    ND_PAGE_INSERTED,  /**< P2: advertisements or comments inserted */
    ND_PAGE_REVISED,   /**< P3: 1 to 10 % of the words edited */
    ND_PAGE_EXTENDED,  /**< P4: title, byline, or a paragraph of up to 10 % added or removed */
    ND_PAGE_NOISY,     /**< P5: other markup, entities and punctuation */
    ND_PAGE_REORDERED, /**< P6: the paragraphs in another order */
    ND_PAGE_REWRITTEN, /**< U1: 10 to 40 % of the words edited */
    ND_PAGE_PARTIAL,   /**< U2: an excerpt of the original, or the original among other stories */
    ND_PAGE_TEMPLATE,  /**< N1: a short story of its own in a site's large template */
    ND_PAGE_FORM,      /**< N2: a form of a site, filled with data of its own */
    ND_PAGE_SERIES,    /**< N3: a part of a series; the parts share title and introduction */
    ND_PAGE_QUOTING,   /**< N4: an article of its own that quotes an agency's paragraph */
    ND_PAGE_HEADLINES, /**< N5: a list of headlines, most of which stand on other lists */
    ND_PAGE_TOPIC,     /**< N6: the topic of other articles, in other words */
    ND_PAGE_ERROR,     /**< N7: an error or login page, or one without text */
    ND_PAGE_CLASSES    /**< how many there are */
} nd_page_class;

/** What the truth says of a class. */
typedef enum nd_page_truth {
    ND_TRUTH_COPY,      /**< original and positive: of its story's cluster */
    ND_TRUTH_UNDECIDED, /**< loose: no pair with it is evaluated */
    ND_TRUTH_ALONE,     /**< near-duplicate of no other page */
    ND_TRUTH_SITE       /**< of one cluster with the same site's pages of the same wording */
} nd_page_truth;

typedef struct nd_page_class_row {
    const char *name;    /**< as in the label files: O, P0, ... N7 */
    const char *summary; /**< one line */
    nd_page_truth truth;
} nd_page_class_row;

/** The row of a class; `class` is below ND_PAGE_CLASSES. */
const nd_page_class_row *nd_page_class_get(nd_page_class class);

/* ---- How a copy of a story differs from it: words edited, paragraphs inserted, removed or
 * reordered, excerpts. Each edit writes a new story and knows how many tokens it took over, so the
 * similarity of the two is known without comparing them. Markup is not edited here. */

/** Edit a copy.
 * \param[out]    to      the copy; its title and byline are set, too
 * \param[in]     from    the original; of at least three paragraphs
 * \param[in]     class   ND_PAGE_ORIGINAL to ND_PAGE_PARTIAL; a class that leaves the text as it
 *                        is copies it
 * \param[in,out] source  what inserted words are drawn from; its random numbers also choose places
 * \return tokens of the copy's body that were taken over */
uint64_t nd_story_edit(nd_story *to, const nd_story *from, nd_page_class class,
                       nd_story_source *source);

/* ---- Pages that look alike without being copies of each other: forms with other data, parts of a
 * series, articles that quote the same paragraph, lists of the same headlines, other words on the
 * same topic, error pages. The pages of a family share what the family's number gives, and differ
 * in what the member's number gives. */

/** One page of a family. */
typedef struct nd_family_page {
    const nd_vocabulary *vocabulary;
    uint64_t seed;
    nd_language language;
    nd_page_class class; /**< ND_PAGE_TEMPLATE to ND_PAGE_ERROR */
    uint64_t family;
    uint64_t member;
    uint64_t page;  /**< distinguishes this page from all others */
    uint64_t words; /**< of an article of its own, about */
    bool teasers;   /**< ND_PAGE_HEADLINES: a sentence below each headline */
} nd_family_page;

/** Wordings of error pages; the same on all sites. */
enum { ND_ERROR_WORDINGS = 12 };

/** Which of these an error page has. The last one has no text at all. */
uint64_t nd_family_error_wording(const nd_family_page *page);

/** Write the page's main text.
 * \return tokens of its body that another page of the family has, too */
uint64_t nd_family_story(const nd_family_page *page, nd_story *story);

#endif
