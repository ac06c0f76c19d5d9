#include "src/synth/family.h"

#include "src/base/order.h"

/* Shares of the topic's words: in a common article, and where pages have only the topic in common.
 */
static const double STRONG_TOPIC = .4;
static const double NO_TOPIC = 0;

/* A source of words whose stream is named by what it is for and a number. */
static nd_story_source source_of(const nd_family_page *page, nd_draw_purpose purpose,
                                 uint64_t number, double topic_share) {
    return (nd_story_source){.vocabulary = page->vocabulary,
                             .language = page->language,
                             .topic = nd_draw_stream(page->seed, ND_DRAW_TOPIC, page->family),
                             .topic_share = topic_share,
                             .random = nd_draw_stream(page->seed, purpose, number)};
}

static uint64_t tokens_since(const nd_family_page *page, const nd_story *story, size_t begin) {
    return nd_story_tokens(story, page->vocabulary, begin, story->words.count);
}

static void draw_paragraph(nd_story *story, nd_story_source *source, uint64_t sentences) {
    for (; sentences > 0; sentences--) {
        nd_story_draw_sentence(story, source, 0);
    }
    nd_story_end_paragraph(story);
}

/* Fields with a value each, between sentences that all pages of the form have. */
static uint64_t write_form(const nd_family_page *page, nd_story_source *own,
                           nd_story_source *shared, nd_story *story) {
    const uint64_t fields = nd_draw_between(&shared->random, 6, 14);
    const uint64_t sentences = nd_draw_between(&shared->random, 2, 12);
    uint64_t common = 0;
    nd_story_draw_head(story, own);
    for (uint64_t i = 0; i < fields; i++) {
        const size_t begin = story->words.count;
        nd_story_add_word(story, nd_vocabulary_draw(page->vocabulary, &shared->random));
        nd_story_add_word(story, nd_vocabulary_draw(page->vocabulary, &shared->random));
        common += tokens_since(page, story, begin);
        nd_story_end_sentence(story);
        nd_story_draw_sentence(story, own, nd_draw_between(&own->random, 1, 3));
        nd_story_end_paragraph(story);
    }
    for (uint64_t i = 0; i < sentences; i += 2) {
        const size_t begin = story->words.count;
        draw_paragraph(story, shared, i + 2 <= sentences ? 2 : 1);
        common += tokens_since(page, story, begin);
    }
    return common;
}

/* Headlines of the family's endless list; the next page of the family begins some places later. */
static uint64_t write_index(const nd_family_page *page, nd_story_source *shared, nd_story *story) {
    enum { HEADLINES = 40, MOST_MOVED = 8, PLACES = 4096 };
    const uint64_t moved = nd_draw_between(&shared->random, 1, MOST_MOVED);
    size_t own_tokens = 0;
    nd_story_draw_head(story, shared);
    for (uint64_t i = 0; i < HEADLINES; i++) {
        const uint64_t headline = page->member * moved + i;
        nd_story_source source =
            source_of(page, ND_DRAW_HEADLINE, page->family * PLACES + headline, NO_TOPIC);
        const size_t begin = story->words.count;
        nd_story_draw_sentence(story, &source, nd_draw_between(&source.random, 4, 9));
        if (page->teasers) {
            nd_story_draw_sentence(story, &source, 0);
        }
        nd_story_end_paragraph(story);
        own_tokens += i < moved ? tokens_since(page, story, begin) : 0;
    }
    return tokens_since(page, story, 0) - own_tokens;
}

uint64_t nd_family_error_wording(const nd_family_page *page) {
    nd_random random = nd_draw_stream(page->seed, ND_DRAW_EDIT, page->page);
    return nd_random_below(&random, ND_ERROR_WORDINGS);
}

uint64_t nd_family_story(const nd_family_page *page, nd_story *story) {
    enum { MOST_QUOTING_WORDS = 500, WORDS_PER_QUOTED_SENTENCE = 30, MOST_QUOTED_SENTENCES = 6 };
    const bool topic = page->class == ND_PAGE_TOPIC;
    nd_story_source own =
        source_of(page, ND_DRAW_STORY, page->page, topic ? STRONG_TOPIC : NO_TOPIC);
    nd_story_source shared = source_of(page, ND_DRAW_FAMILY, page->family, NO_TOPIC);
    uint64_t common = 0;
    nd_story_clear(story, page->language);
    switch (page->class) {
    case ND_PAGE_TEMPLATE:
    case ND_PAGE_TOPIC:
        nd_story_draw_head(story, &own);
        nd_story_draw_body(story, &own,
                           topic ? page->words : nd_draw_between(&own.random, 40, 120));
        return 0;
    case ND_PAGE_FORM:
        return write_form(page, &own, &shared, story);
    case ND_PAGE_SERIES:
        nd_story_draw_head(story, &shared);
        nd_story_append(story, &story->title, ND_WORD_DECIMAL | (nd_word)(page->member + 1));
        draw_paragraph(story, &shared, nd_draw_between(&shared.random, 1, 3));
        common = tokens_since(page, story, 0);
        nd_story_draw_body(story, &own, page->words);
        return common;
    case ND_PAGE_QUOTING: {
        /* a message of a few hundred words, of which the agency's paragraph is at most about a
         * third */
        const uint64_t words = nd_min(page->words, MOST_QUOTING_WORDS);
        const uint64_t most = nd_min(MOST_QUOTED_SENTENCES, words / WORDS_PER_QUOTED_SENTENCE);
        nd_story_draw_head(story, &own);
        nd_story_draw_body(story, &own, words / 2);
        const size_t begin = story->words.count;
        draw_paragraph(story, &shared, nd_draw_between(&shared.random, 2, most));
        common = tokens_since(page, story, begin);
        nd_story_draw_body(story, &own, words / 2);
        return common;
    }
    case ND_PAGE_INDEX:
        return write_index(page, &shared, story);
    default: { /* as servers do: the same sentences on all sites */
        const uint64_t wording = nd_family_error_wording(page);
        shared = source_of(page, ND_DRAW_FAMILY, wording, NO_TOPIC);
        if (wording + 1 < ND_ERROR_WORDINGS) {
            nd_story_draw_head(story, &shared);
            draw_paragraph(story, &shared, 1 + wording % 4);
        }
        return tokens_since(page, story, 0);
    }
    }
}
