#include "src/synth/story.h"

#include "src/base/util.h"

#include <stdlib.h>
#include <string.h>

/* ==== vocabulary */

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

nd_vocabulary *nd_vocabulary_new(void) {
    double total = 0;
    double sum = 0;
    uint32_t step = 0;
    nd_vocabulary *v = nd_alloc_zero(1, sizeof *v);
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
    return v;
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

/* ==== stories */

enum {
    TOPIC_WORDS = 40,
    TOPIC_FIRST = 300, /* more frequent words belong to no topic */
    PERCENT = 100,
    NUMBER_PERCENT = 3,
    COMMA_PERCENT = 8
};

/* ---- pieces */

/* Append a word to a list of a story (its title, its byline). */
static void story_append(nd_word_list *list, uint32_t item) {
    nd_grow(&list->items, &list->capacity, list->count + 1, sizeof *list->items);
    list->items[list->count++] = item;
}

void nd_story_clear(nd_story *story, nd_language language) {
    nd_word_list *lists[] = {&story->words, &story->sentences, &story->paragraphs, &story->title,
                             &story->byline};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        lists[i]->count = 0;
    }
    story->language = language;
}

void nd_story_free(nd_story *story) {
    free(story->words.items);
    free(story->sentences.items);
    free(story->paragraphs.items);
    free(story->title.items);
    free(story->byline.items);
    *story = (nd_story){0};
}

/* Add pieces by hand. */
static void story_add_word(nd_story *story, nd_word word) {
    story_append(&story->words, word);
}

static void story_end_sentence(nd_story *story) {
    if (story->words.count > nd_story_first_word(story, story->sentences.count)) {
        story_append(&story->sentences, (uint32_t)story->words.count);
    }
}

void nd_story_end_paragraph(nd_story *story) {
    if (story->sentences.count > nd_story_first_sentence(story, story->paragraphs.count)) {
        story_append(&story->paragraphs, (uint32_t)story->sentences.count);
    }
}

/* ---- drawing */

/* Draw one word. */
static nd_word story_draw_word(nd_story_source *source) {
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
        nd_word word = story_draw_word(source);
        while ((word & before & ND_WORD_DECIMAL) != 0) { /* two numbers would read as one */
            word = story_draw_word(source);
        }
        before = word;
        if (i + 1 < words && nd_random_below(random, PERCENT) < COMMA_PERCENT) {
            word |= ND_WORD_COMMA;
        }
        story_add_word(story, word);
    }
    story_end_sentence(story);
}

void nd_story_draw_body(nd_story *story, nd_story_source *source, uint64_t words) {
    enum { LEAST_PARAGRAPHS = 3, MOST_SENTENCES = 7, WORDS_PER_PARAGRAPH_SENTENCE = 60 };
    const size_t begin = story->words.count;
    const uint64_t wide = 1 + words / WORDS_PER_PARAGRAPH_SENTENCE;
    const uint64_t most = nd_min(wide, MOST_SENTENCES);
    const size_t paragraphs = story->paragraphs.count;
    while (story->words.count - begin < words ||
           story->paragraphs.count - paragraphs < LEAST_PARAGRAPHS) {
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
        story_append(&story->title, nd_vocabulary_draw(source->vocabulary, &source->random));
    }
    for (uint64_t i = 0; i < 2; i++) {
        story_append(&story->byline, nd_vocabulary_draw(source->vocabulary, &source->random));
    }
}

/* ---- copying */

/* Add sentence `number`, or title and byline, of `from`, which is not the story itself. */
static void story_copy_sentence(nd_story *story, const nd_story *from, size_t number) {
    for (size_t i = nd_story_first_word(from, number); i < from->sentences.items[number]; i++) {
        story_add_word(story, from->words.items[i]);
    }
    story_end_sentence(story);
}

static void story_copy_head(nd_story *story, const nd_story *from) {
    story->title.count = 0;
    story->byline.count = 0;
    for (size_t i = 0; i < from->title.count; i++) {
        story_append(&story->title, from->title.items[i]);
    }
    for (size_t i = 0; i < from->byline.count; i++) {
        story_append(&story->byline, from->byline.items[i]);
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

/* ==== classes of pages */

static const nd_page_class_row rows[ND_PAGE_CLASSES] = {
    [ND_PAGE_ORIGINAL] = {"O", "a story's original", ND_TRUTH_COPY},
    [ND_PAGE_SAME] = {"P0", "same text, other template", ND_TRUTH_COPY},
    [ND_PAGE_STAMPED] = {"P1", "other URL, time stamp, session, count", ND_TRUTH_COPY},
    [ND_PAGE_INSERTED] = {"P2", "advertisements or comments inserted", ND_TRUTH_COPY},
    [ND_PAGE_REVISED] = {"P3", "1 to 10 % edited words", ND_TRUTH_COPY},
    [ND_PAGE_EXTENDED] = {"P4", "title, byline or paragraph changed", ND_TRUTH_COPY},
    [ND_PAGE_NOISY] = {"P5", "other markup, entities, punctuation", ND_TRUTH_COPY},
    [ND_PAGE_REORDERED] = {"P6", "paragraphs in another order", ND_TRUTH_COPY},
    [ND_PAGE_REWRITTEN] = {"U1", "10 to 40 % edited words", ND_TRUTH_UNDECIDED},
    [ND_PAGE_PARTIAL] = {"U2", "excerpt of the original, or more around it", ND_TRUTH_UNDECIDED},
    [ND_PAGE_TEMPLATE] = {"N1", "own short story, large template", ND_TRUTH_ALONE},
    [ND_PAGE_FORM] = {"N2", "form with other data", ND_TRUTH_ALONE},
    [ND_PAGE_SERIES] = {"N3", "another part in a series", ND_TRUTH_ALONE},
    [ND_PAGE_QUOTING] = {"N4", "own article quoting a common paragraph", ND_TRUTH_ALONE},
    [ND_PAGE_HEADLINES] = {"N5", "index sharing most links", ND_TRUTH_ALONE},
    [ND_PAGE_TOPIC] = {"N6", "same topic, other wording", ND_TRUTH_ALONE},
    [ND_PAGE_ERROR] = {"N7", "error, login or empty page", ND_TRUTH_SITE},
};

const nd_page_class_row *nd_page_class_get(nd_page_class class) {
    return &rows[class];
}

/* ==== copies */

typedef struct edit {
    nd_story *to;
    const nd_story *from;
    nd_story_source *source;
    uint64_t common; /* tokens taken over */
} edit;

static nd_random *random_of(edit *e) {
    return &e->source->random;
}

static uint64_t tokens_of(const edit *e, size_t begin, size_t end) {
    return nd_story_tokens(e->from, e->source->vocabulary, begin, end);
}

static void take_sentence(edit *e, size_t number) {
    story_copy_sentence(e->to, e->from, number);
    e->common +=
        tokens_of(e, nd_story_first_word(e->from, number), e->from->sentences.items[number]);
}

static void take_paragraph(edit *e, size_t number) {
    const size_t end = e->from->paragraphs.items[number];
    for (size_t i = nd_story_first_sentence(e->from, number); i < end; i++) {
        take_sentence(e, i);
    }
    nd_story_end_paragraph(e->to);
}

static void take_all(edit *e) {
    for (size_t i = 0; i < e->from->paragraphs.count; i++) {
        take_paragraph(e, i);
    }
}

/* ---- words */

/* Mark exactly `count` of the words: scattered one by one, or in runs of some words (Knuth, The Art
 * of Computer Programming, vol. 2, 3.4.2, algorithm S). */
static void mark_words(edit *e, bool *marked, uint64_t count) {
    enum { RUN = 12 };
    const uint64_t words = e->from->words.count;
    const bool scattered = nd_random_below(random_of(e), 2) == 0;
    const uint64_t run = scattered ? 1 : nd_min(count, RUN);
    uint64_t wanted = (count + run - 1) / run;
    uint64_t left = words / run; /* the last words stay if they fill no run */
    for (uint64_t at = 0; wanted > 0 && left > 0; at += run, left--) {
        if (nd_random_below(random_of(e), left) >= wanted) {
            continue;
        }
        for (uint64_t i = 0; i < run && count > 0; i++, count--) {
            marked[at + i] = true;
        }
        wanted--;
    }
}

/* Of 100 edited words 70 are replaced, 15 are removed, 15 get another one after them. */
static void edit_word(edit *e, size_t at) {
    enum { REPLACED = 70, REMOVED = 15 };
    const nd_word word = e->from->words.items[at];
    const uint64_t draw = nd_random_below(random_of(e), PERCENT);
    if (draw >= REPLACED && draw < REPLACED + REMOVED) {
        return;
    }
    nd_word other = word;
    while (((other ^ word) & ~ND_WORD_COMMA) == 0) {
        other = story_draw_word(e->source);
    }
    if (draw >= REPLACED) {
        story_add_word(e->to, word & ~ND_WORD_COMMA);
        e->common += tokens_of(e, at, at + 1);
    }
    story_add_word(e->to, other | (word & ND_WORD_COMMA));
}

static void edit_words(edit *e, double least, double most) {
    const nd_story *from = e->from;
    const double share = least + (most - least) * nd_draw_share(random_of(e));
    const uint64_t count = (uint64_t)(share * (double)from->words.count);
    bool *marked = NULL;
    nd_new(&marked, from->words.count, sizeof *marked);
    mark_words(e, marked, count > 0 ? count : 1);
    for (size_t p = 0, s = 0, w = 0; p < from->paragraphs.count; p++) {
        for (; s < from->paragraphs.items[p]; s++) {
            for (; w < from->sentences.items[s]; w++) {
                if (marked[w]) {
                    edit_word(e, w);
                } else {
                    story_add_word(e->to, from->words.items[w]);
                    e->common += tokens_of(e, w, w + 1);
                }
            }
            story_end_sentence(e->to);
        }
        nd_story_end_paragraph(e->to);
    }
    free(marked);
}

/* ---- paragraphs */

/* Advertisements between paragraphs, or readers' comments at the end; together at most a fifth of
 * the story, but at least one of eight words. */
static void insert_paragraphs(edit *e) {
    enum { LEAST = 8, MOST = 35, PARTS = 5 };
    const bool comments = nd_random_below(random_of(e), 2) == 0;
    const size_t paragraphs = e->from->paragraphs.count;
    uint64_t room = nd_max(LEAST, e->from->words.count / PARTS);
    uint64_t inserts = nd_draw_between(random_of(e), 1, comments ? 8 : 4);
    for (size_t i = 0; i < paragraphs; i++) {
        take_paragraph(e, i);
        bool last = i + 1 == paragraphs;
        while (inserts > 0 && room >= LEAST &&
               (last || (!comments && nd_random_below(random_of(e), paragraphs) == 0))) {
            const uint64_t words = nd_draw_between(random_of(e), LEAST, nd_min(room, MOST));
            nd_story_draw_sentence(e->to, e->source, words);
            nd_story_end_paragraph(e->to);
            room -= words;
            inserts--;
        }
    }
}

/* Another head, so that something has changed in any case, and often sentences of one paragraph
 * left out, or another paragraph put in after it: as many words as fit into a tenth of the story.
 */
static void extend(edit *e) {
    enum { PARTS = 10, LEAST = 5, MOST_SENTENCE = 26, MOST_SENTENCES = 4 };
    enum { HEAD_ALONE, REMOVED, ADDED, KINDS };
    const size_t paragraphs = e->from->paragraphs.count;
    uint64_t room = e->from->words.count / PARTS;
    const uint64_t kind = nd_random_below(random_of(e), KINDS);
    const size_t chosen = kind == HEAD_ALONE ? 0 : nd_random_below(random_of(e), paragraphs);
    for (size_t p = 0, s = 0; p < paragraphs; p++) {
        for (; s < e->from->paragraphs.items[p]; s++) {
            const uint64_t words = e->from->sentences.items[s] - nd_story_first_word(e->from, s);
            if (kind == REMOVED && p == chosen && words <= room) {
                room -= words;
            } else {
                take_sentence(e, s);
            }
        }
        nd_story_end_paragraph(e->to);
        if (kind == ADDED && p == chosen && room >= LEAST) {
            const uint64_t sentences = 1 + room / MOST_SENTENCE;
            for (uint64_t i = 0; i < sentences && i < MOST_SENTENCES; i++) {
                nd_story_draw_sentence(e->to, e->source, room / sentences);
            }
            nd_story_end_paragraph(e->to);
        }
    }
    nd_story_draw_head(e->to, e->source);
}

/* Another order of all paragraphs: shuffled (Fisher and Yates), then turned if nothing moved. */
static void reorder(edit *e) {
    const size_t count = e->from->paragraphs.count;
    size_t *order = NULL;
    bool moved = false;
    nd_new(&order, count, sizeof *order);
    for (size_t i = 0; i < count; i++) {
        const size_t other = nd_random_below(random_of(e), i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    for (size_t i = 0; i < count; i++) {
        moved = moved || order[i] != i;
    }
    for (size_t i = 0; i < count; i++) {
        take_paragraph(e, moved ? order[i] : (i + 1) % count);
    }
    free(order);
}

/* An excerpt, or the story among others: at least as many other words. */
static void contain(edit *e) {
    const size_t count = e->from->paragraphs.count;
    if (nd_random_below(random_of(e), 2) == 0) {
        const double share = .2 + .4 * nd_draw_share(random_of(e));
        const size_t taken = nd_max(1, (size_t)(share * (double)count));
        const size_t first = nd_random_below(random_of(e), count - taken + 1);
        for (size_t i = first; i < first + taken; i++) {
            take_paragraph(e, i);
        }
        return;
    }
    const uint64_t stories = nd_draw_between(random_of(e), 1, 3);
    const uint64_t place = nd_random_below(random_of(e), stories + 1);
    for (uint64_t i = 0; i <= stories; i++) {
        if (i == place) {
            take_all(e);
        } else {
            nd_story_draw_body(e->to, e->source, e->from->words.count);
        }
    }
}

uint64_t nd_story_edit(nd_story *to, const nd_story *from, nd_page_class class,
                       nd_story_source *source) {
    edit e = {.to = to, .from = from, .source = source};
    nd_story_clear(to, from->language);
    story_copy_head(to, from);
    switch (class) {
    case ND_PAGE_INSERTED:
        insert_paragraphs(&e);
        break;
    case ND_PAGE_REVISED:
        edit_words(&e, .01, .1);
        break;
    case ND_PAGE_EXTENDED:
        extend(&e);
        break;
    case ND_PAGE_REORDERED:
        reorder(&e);
        break;
    case ND_PAGE_REWRITTEN:
        edit_words(&e, .1, .4);
        break;
    case ND_PAGE_PARTIAL:
        contain(&e);
        break;
    default:
        take_all(&e);
        break;
    }
    return e.common;
}

/* ==== families */

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
        story_add_word(story, nd_vocabulary_draw(page->vocabulary, &shared->random));
        story_add_word(story, nd_vocabulary_draw(page->vocabulary, &shared->random));
        common += tokens_since(page, story, begin);
        story_end_sentence(story);
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
        story_append(&story->title, ND_WORD_DECIMAL | (nd_word)(page->member + 1));
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
    case ND_PAGE_HEADLINES:
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
