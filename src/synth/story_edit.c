#include "src/synth/story_edit.h"

#include "src/base/order.h"

#include <stdlib.h>

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
    nd_story_copy_sentence(e->to, e->from, number);
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
    enum { REPLACED = 70, REMOVED = 15, PERCENT = 100 };
    const nd_word word = e->from->words.items[at];
    const uint64_t draw = nd_random_below(random_of(e), PERCENT);
    if (draw >= REPLACED && draw < REPLACED + REMOVED) {
        return;
    }
    nd_word other = word;
    while (((other ^ word) & ~ND_WORD_COMMA) == 0) {
        other = nd_story_draw_word(e->source);
    }
    if (draw >= REPLACED) {
        nd_story_add_word(e->to, word & ~ND_WORD_COMMA);
        e->common += tokens_of(e, at, at + 1);
    }
    nd_story_add_word(e->to, other | (word & ND_WORD_COMMA));
}

static void edit_words(edit *e, double least, double most) {
    const nd_story *from = e->from;
    const double share = least + (most - least) * nd_draw_share(random_of(e));
    const uint64_t count = (uint64_t)(share * (double)from->words.count);
    bool *marked = NULL;
    e->to->status = nd_new(&marked, from->words.count, sizeof *marked);
    if (e->to->status != ND_OK) {
        return;
    }
    mark_words(e, marked, count > 0 ? count : 1);
    for (size_t p = 0, s = 0, w = 0; p < from->paragraphs.count; p++) {
        for (; s < from->paragraphs.items[p]; s++) {
            for (; w < from->sentences.items[s]; w++) {
                if (marked[w]) {
                    edit_word(e, w);
                } else {
                    nd_story_add_word(e->to, from->words.items[w]);
                    e->common += tokens_of(e, w, w + 1);
                }
            }
            nd_story_end_sentence(e->to);
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
    e->to->status = nd_new(&order, count, sizeof *order);
    if (e->to->status != ND_OK) {
        return;
    }
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
    nd_story_copy_head(to, from);
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
