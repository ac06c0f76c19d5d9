#include "src/synth/story.h"

#include "src/base/order.h"

#include <stdlib.h>

enum {
    TOPIC_WORDS = 40,
    TOPIC_FIRST = 300, /* more frequent words belong to no topic */
    PERCENT = 100,
    NUMBER_PERCENT = 3,
    COMMA_PERCENT = 8
};

/* ---- pieces */

void nd_story_append(nd_story *story, nd_word_list *list, uint32_t item) {
    if (story->status == ND_OK && list->count == list->capacity) {
        story->status =
            nd_grow(&list->items, &list->capacity, list->count + 1, sizeof *list->items);
    }
    if (story->status == ND_OK) {
        list->items[list->count++] = item;
    }
}

void nd_story_clear(nd_story *story, nd_language language) {
    nd_word_list *lists[] = {&story->words, &story->sentences, &story->paragraphs, &story->title,
                             &story->byline};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        lists[i]->count = 0;
    }
    story->language = language;
    story->status = ND_OK;
}

void nd_story_free(nd_story *story) {
    free(story->words.items);
    free(story->sentences.items);
    free(story->paragraphs.items);
    free(story->title.items);
    free(story->byline.items);
    *story = (nd_story){0};
}

void nd_story_add_word(nd_story *story, nd_word word) {
    nd_story_append(story, &story->words, word);
}

void nd_story_end_sentence(nd_story *story) {
    if (story->words.count > nd_story_first_word(story, story->sentences.count)) {
        nd_story_append(story, &story->sentences, (uint32_t)story->words.count);
    }
}

void nd_story_end_paragraph(nd_story *story) {
    if (story->sentences.count > nd_story_first_sentence(story, story->paragraphs.count)) {
        nd_story_append(story, &story->paragraphs, (uint32_t)story->sentences.count);
    }
}

/* ---- drawing */

nd_word nd_story_draw_word(nd_story_source *source) {
    nd_random *random = &source->random;
    if (nd_draw_chance(random, source->topic_share)) {
        /* the first words of a topic are its most frequent */
        const uint64_t place = nd_random_below(random, 1 + nd_random_below(random, TOPIC_WORDS));
        const uint64_t bits = nd_mix64(source->topic.state + place);
        return (nd_word)(TOPIC_FIRST + bits % (ND_VOCABULARY_WORDS - TOPIC_FIRST));
    }
    if (nd_random_below(random, PERCENT) < NUMBER_PERCENT) {
        static const uint64_t ranges[] = {10, 100, 1000, 100000};
        const uint64_t range = ranges[nd_random_below(random, 4)];
        const bool year = nd_random_below(random, 4) == 0;
        return ND_WORD_DECIMAL | (nd_word)(year ? nd_draw_between(random, 1990, 2020)
                                                : nd_random_below(random, range));
    }
    return nd_vocabulary_draw(source->vocabulary, random);
}

void nd_story_draw_sentence(nd_story *story, nd_story_source *source, uint64_t words) {
    nd_random *random = &source->random;
    nd_word before = 0;
    if (words == 0) { /* three dice: most sentences are near the mean, 15.5 words */
        words = 5 + nd_random_below(random, 8) + nd_random_below(random, 8) +
                nd_random_below(random, 8);
    }
    for (uint64_t i = 0; i < words; i++) {
        nd_word word = nd_story_draw_word(source);
        while ((word & before & ND_WORD_DECIMAL) != 0) { /* two numbers would read as one */
            word = nd_story_draw_word(source);
        }
        before = word;
        if (i + 1 < words && nd_random_below(random, PERCENT) < COMMA_PERCENT) {
            word |= ND_WORD_COMMA;
        }
        nd_story_add_word(story, word);
    }
    nd_story_end_sentence(story);
}

void nd_story_draw_body(nd_story *story, nd_story_source *source, uint64_t words) {
    enum { LEAST_PARAGRAPHS = 3, MOST_SENTENCES = 7, WORDS_PER_PARAGRAPH_SENTENCE = 60 };
    const size_t begin = story->words.count;
    const uint64_t wide = 1 + words / WORDS_PER_PARAGRAPH_SENTENCE;
    const uint64_t most = nd_min(wide, MOST_SENTENCES);
    const size_t paragraphs = story->paragraphs.count;
    while (story->status == ND_OK && (story->words.count - begin < words ||
                                      story->paragraphs.count - paragraphs < LEAST_PARAGRAPHS)) {
        uint64_t sentences = nd_draw_between(&source->random, 1, most);
        for (; sentences > 0; sentences--) {
            nd_story_draw_sentence(story, source, 0);
        }
        nd_story_end_paragraph(story);
    }
}

void nd_story_draw_head(nd_story *story, nd_story_source *source) {
    const uint64_t title = nd_draw_between(&source->random, 4, 10);
    story->title.count = 0;
    story->byline.count = 0;
    for (uint64_t i = 0; i < title; i++) {
        nd_story_append(story, &story->title,
                        nd_vocabulary_draw(source->vocabulary, &source->random));
    }
    for (uint64_t i = 0; i < 2; i++) {
        nd_story_append(story, &story->byline,
                        nd_vocabulary_draw(source->vocabulary, &source->random));
    }
}

/* ---- copying */

void nd_story_copy_sentence(nd_story *story, const nd_story *from, size_t number) {
    for (size_t i = nd_story_first_word(from, number); i < from->sentences.items[number]; i++) {
        nd_story_add_word(story, from->words.items[i]);
    }
    nd_story_end_sentence(story);
}

void nd_story_copy_head(nd_story *story, const nd_story *from) {
    story->title.count = 0;
    story->byline.count = 0;
    for (size_t i = 0; i < from->title.count; i++) {
        nd_story_append(story, &story->title, from->title.items[i]);
    }
    for (size_t i = 0; i < from->byline.count; i++) {
        nd_story_append(story, &story->byline, from->byline.items[i]);
    }
}

uint64_t nd_story_tokens(const nd_story *story, const nd_vocabulary *vocabulary, size_t begin,
                         size_t end) {
    uint64_t tokens = 0;
    for (size_t i = begin; i < end; i++) {
        const nd_word word = story->words.items[i];
        const bool one = (word & ND_WORD_DECIMAL) != 0 || story->language != ND_LANGUAGE_CHINESE;
        /* each Chinese character, of three bytes, is a token */
        tokens +=
            one ? 1
                : nd_vocabulary_word(vocabulary, story->language, word & ND_WORD_VALUE).size / 3;
    }
    return tokens;
}
