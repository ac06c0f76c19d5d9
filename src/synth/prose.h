/** \file src/synth/prose.h
 * Words and sentences written as text of their language: capitals, commas and full stops, or
 * Chinese punctuation and no spaces; and the noise that other markup of the same text brings.
 */
#ifndef ND_SYNTH_PROSE_H
#define ND_SYNTH_PROSE_H

#include "src/synth/page_markup.h"
#include "src/synth/story.h"
#include "src/synth/text_writer.h"

/** How text is written down. */
typedef struct nd_prose {
    const nd_vocabulary *vocabulary;
    nd_language language;
    bool noisy;             /**< other commas and stops, characters as entities, words in bold */
    bool links;             /**< some words are links, always the same ones */
    nd_page_markup *markup; /**< gives links their attributes; NULL: none */
} nd_prose;

/** Write words with separators between them, the first with a capital if the language has any. */
void nd_prose_words(nd_text_writer *out, const nd_prose *prose, const nd_word *words, size_t count);

/** Write `count` random words like that. */
void nd_prose_draw(nd_text_writer *out, const nd_prose *prose, nd_random *random, uint64_t count);

/** Write the space between two sentences, in languages that have one. */
void nd_prose_gap(nd_text_writer *out, const nd_prose *prose);

/** Write a full stop. */
void nd_prose_stop(nd_text_writer *out, const nd_prose *prose, nd_word last);

/** Write a paragraph of a story. */
void nd_prose_paragraph(nd_text_writer *out, const nd_prose *prose, const nd_story *story,
                        size_t paragraph);

#endif
