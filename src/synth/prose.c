#include "src/synth/prose.h"

enum { LINK_IN = 29, NOISE_IN = 7, BOLD_IN = 31 };

/* A decision that depends on the word alone, so that all copies of a text are marked up alike. */
static bool one_in(nd_word word, uint64_t purpose, uint64_t count) {
    return nd_mix64((word & ~ND_WORD_COMMA) + (purpose << 32)) % count == 0;
}

static void put_word(nd_text_writer *out, const nd_prose *prose, nd_word word, bool capital) {
    if ((word & ND_WORD_DECIMAL) != 0) {
        nd_text_number(out, word & ND_WORD_VALUE, 1);
        return;
    }
    const nd_span text =
        nd_vocabulary_word(prose->vocabulary, prose->language, word & ND_WORD_VALUE);
    uint8_t *room = nd_text_room(out, ND_WORD_SLOT);
    if (room == NULL) {
        return;
    }
    memcpy(room, text.data, ND_WORD_SLOT); /* a fixed size is copied at once */
    if (capital && *room >= 'a' && *room <= 'z') {
        *room = (uint8_t)(*room - 'a' + 'A');
    }
    out->text.size += text.size;
}

static void put_marked_word(nd_text_writer *out, const nd_prose *prose, nd_word word,
                            bool capital) {
    const bool decimal = (word & ND_WORD_DECIMAL) != 0;
    if (prose->links && !decimal && one_in(word, 1, LINK_IN)) {
        nd_text_put(out, "<a");
        nd_page_markup_attributes(prose->markup, "a", out);
        nd_text_put(out, " href=\"/topics/");
        nd_text_number(out, word & ND_WORD_VALUE, 6);
        nd_text_put(out, ".html\">");
        put_word(out, prose, word, capital);
        nd_text_put(out, "</a>");
    } else if (prose->noisy && !decimal && one_in(word, 2, BOLD_IN)) {
        nd_text_put(out, "<b>");
        put_word(out, prose, word, capital);
        nd_text_put(out, "</b>");
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
        nd_text_put(out, "&#");
        nd_text_number(out, code, 1);
        nd_text_put(out, ";");
        nd_text_bytes(out, text.data + size, text.size - size);
    } else {
        put_word(out, prose, word, capital);
    }
}

void nd_prose_words(nd_text_writer *out, const nd_prose *prose, const nd_word *words,
                    size_t count) {
    const bool spaced = prose->language == ND_LANGUAGE_SPACED;
    for (size_t i = 0; i < count; i++) {
        const bool digits = i > 0 && (words[i] & words[i - 1] & ND_WORD_DECIMAL) != 0;
        if (i > 0 && (spaced || digits)) {
            nd_text_put(out, " ");
        }
        put_marked_word(out, prose, words[i], i == 0);
        if ((words[i] & ND_WORD_COMMA) == 0) {
            continue;
        }
        if (prose->noisy && one_in(words[i], 4, 2)) {
            nd_text_put(out, spaced ? ";" : "；");
        } else if (!prose->noisy || one_in(words[i], 5, 2)) {
            nd_text_put(out, spaced ? "," : "，");
        }
    }
}

void nd_prose_draw(nd_text_writer *out, const nd_prose *prose, nd_random *random, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        if (i > 0 && prose->language == ND_LANGUAGE_SPACED) {
            nd_text_put(out, " ");
        }
        put_word(out, prose, nd_vocabulary_draw(prose->vocabulary, random), i == 0);
    }
}

void nd_prose_gap(nd_text_writer *out, const nd_prose *prose) {
    if (prose->language == ND_LANGUAGE_SPACED) {
        nd_text_put(out, " ");
    }
}

void nd_prose_stop(nd_text_writer *out, const nd_prose *prose, nd_word last) {
    const bool spaced = prose->language == ND_LANGUAGE_SPACED;
    if (prose->noisy && one_in(last, 6, 5)) {
        nd_text_put(out, spaced ? "!" : "！");
    } else {
        nd_text_put(out, spaced ? "." : "。");
    }
}

void nd_prose_paragraph(nd_text_writer *out, const nd_prose *prose, const nd_story *story,
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
