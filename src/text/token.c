#define XXH_INLINE_ALL /* most tokens are a few bytes: a call would cost as much as the hash */

#include "src/text/token.h"

#include "src/base/printable.h"
#include "src/base/util.h"
#include "src/text/scan.h"
#include "src/text/text_variant.h"
#include "src/text/unicode.h"

#include <xxhash.h>

#include <stdbool.h>

/* ==== sentences */

/* Skip words of eight bytes in which nothing can stop. */
static const uint8_t *skip_words(const uint8_t *p, const uint8_t *end) {
    while (end - p >= ND_SWAR_BYTES) {
        uint64_t word = nd_swar_load(p);
        uint64_t low = word & ~ND_SWAR_HIGH;
        uint64_t stop = nd_swar_equal(low, '.') | nd_swar_equal(low, '!') |
                        nd_swar_equal(low, '?') | (word & ND_SWAR_HIGH);
        if (stop != 0) {
            return p + nd_swar_first(stop);
        }
        p += ND_SWAR_BYTES;
    }
    return p;
}

const uint8_t *nd_sentence_read(const uint8_t *p, const uint8_t *end, bool *stops) {
    uint32_t code = 0;
    p += nd_utf8_read(p, end, &code);
    int32_t class = nd_unicode(code)->class;
    *stops = class == ND_UNICODE_STOP ||
             (class == ND_UNICODE_STOP_BEFORE_SPACE && (p == end || *p <= ' '));
    return p;
}

const uint8_t *nd_sentence_end_portable(const uint8_t *p, const uint8_t *end) {
    while (p < end) {
        /* Surely no stop are an ASCII character, a continuation byte, the lead of a Latin, Greek or
         * Cyrillic letter, an ideograph; any other character has to be looked at. */
        if (*p < 0xD5 && *p != '.' && *p != '!' && *p != '?') {
            p = *p < 0x80 ? skip_words(p + 1, end) : p + 1;
            continue;
        }
        if (*p >= 0xE4 && *p <= 0xE9 && end - p >= 3) {
            p += 3;
            continue;
        }
        bool stops = false;
        p = nd_sentence_read(p, end, &stops);
        if (stops) {
            return p;
        }
    }
    return end;
}

const uint8_t *nd_sentence_end(const uint8_t *p, const uint8_t *end) {
    return nd_text_variant_in_use()->sentence_end(p, end);
}

/* ==== tokens */

enum {
    /* Normalised bytes per byte of text, at most: what a character is folded to may take twice its
     * bytes and more, and a token may be followed by a space that was not there. */
    GROWTH = 3
};

static bool is_ascii_word(uint8_t c) {
    return (uint8_t)((c | 0x20) - 'a') < 26 || (uint8_t)(c - '0') < 10;
}

void nd_token_close(nd_splitter *s) {
    if (s->kind != ND_UNICODE_OTHER) {
        const uint64_t begin = (uint64_t)(s->begin - s->bytes);
        *s->tokens++ = begin << 32 | (uint64_t)(s->out - s->begin);
        *s->out++ = ' ';
        s->kind = ND_UNICODE_OTHER;
    }
}

static void open_token(nd_splitter *s, nd_unicode_class kind) {
    nd_token_close(s);
    s->begin = s->out;
    s->kind = kind;
}

/* Take an ASCII letter or digit and those that follow it. Lower case has bit 5, which upper case
 * lacks, and digits have it too. */
static const uint8_t *take_word(nd_splitter *s, const uint8_t *p, const uint8_t *end) {
    if (s->kind != ND_UNICODE_WORD) {
        open_token(s, ND_UNICODE_WORD);
    }
    while (end - p >= ND_SWAR_BYTES) {
        uint64_t word = nd_swar_load(p);
        uint64_t low = word & ~ND_SWAR_HIGH;
        uint64_t letters = nd_swar_between(low | ND_SWAR(0x20), 'a', 'z');
        uint64_t digits = nd_swar_between(low, '0', '9');
        uint64_t stop = (~(letters | digits) | word) & ND_SWAR_HIGH;
        size_t size = stop == 0 ? ND_SWAR_BYTES : nd_swar_first(stop);
        nd_swar_store(s->out, word | ND_SWAR(0x20));
        s->out += size;
        p += size;
        if (stop != 0) {
            return p;
        }
    }
    while (p < end && is_ascii_word(*p)) {
        *s->out++ = *p++ | 0x20;
    }
    return p;
}

const uint8_t *nd_token_ascii_portable(nd_splitter *s, const uint8_t *p, const uint8_t *end) {
    while (p < end && *p < 0x80) {
        if (is_ascii_word(*p)) {
            p = take_word(s, p, end);
        } else {
            nd_token_close(s);
            p++;
        }
    }
    return p;
}

/* Whether it is worth looking for characters as nd_token_singles_portable() takes them. */
static bool may_be_single(uint8_t lead) {
    return lead >= 0xE3 && lead <= 0xE9; /* kana, ideographs */
}

/* Whether an ideograph of U+4E00 to U+9FFF stands at p. */
static bool is_ideograph(const uint8_t *p, const uint8_t *end) {
    return end - p >= ND_TOKEN_SINGLE_BYTES && *p >= 0xE4 && *p <= 0xE9 &&
           (*p > 0xE4 || p[1] >= 0xB8) && (p[1] & 0xC0) == 0x80 && (p[2] & 0xC0) == 0x80;
}

const uint8_t *nd_token_singles_portable(nd_splitter *s, const uint8_t *p, const uint8_t *end) {
    if (!is_ideograph(p, end)) {
        return p;
    }
    nd_token_close(s);
    do {
        nd_token_put_singles(s, p, 1);
        p += ND_TOKEN_SINGLE_BYTES;
    } while (is_ideograph(p, end));
    nd_token_open_last(s);
    return p;
}

size_t nd_token_count_singles_portable(const uint8_t *p, const uint8_t *end) {
    size_t count = 0;
    while (is_ideograph(p, end)) {
        p += ND_TOKEN_SINGLE_BYTES;
        count++;
    }
    return count;
}

/* ---- what is canonically equivalent becomes the same (Unicode, 3.11 and UAX 15) */

static void put_code(nd_splitter *s, uint32_t code) {
    s->out += nd_utf8_write(s->out, code);
}

/* The last character of the open token. \param[out] size  its bytes */
static uint32_t last_code(const nd_splitter *s, size_t *size) {
    const uint8_t *p = s->out - 1;
    uint32_t code = 0;
    while ((*p & 0xC0) == 0x80) {
        p--;
    }
    *size = nd_utf8_read(p, s->out, &code);
    return code;
}

/* The composition of a character and a mark; 0 if there is none. */
static uint32_t compose(uint32_t first, const nd_unicode_record *mark) {
    if (mark->joins == 0) {
        return 0;
    }
    const nd_unicode_group group = nd_unicode_groups[mark->joins - 1];
    uint32_t at = 0;
    ND_FIND_FIRST(at, group.begin, group.end, nd_unicode_joins[at].first >= first);
    const nd_unicode_pair *found = &nd_unicode_joins[at];
    return at < group.end && found->first == first ? found->second : 0;
}

/* Compose a mark that has no order with the character before it. Few characters compose with one,
 * and mostly the last byte tells. \return whether both compose */
static bool join_mark(nd_splitter *s, const nd_unicode_record *mark) {
    const nd_unicode_group group = nd_unicode_groups[mark->joins - 1];
    uint32_t joined = 0;
    size_t size = 0;
    for (uint32_t i = group.begin; i < group.end && joined == 0; i++) {
        const bool may = ((nd_unicode_joins[i].first ^ s->out[-1]) & 0x3F) == 0;
        joined = may ? compose(last_code(s, &size), mark) : 0;
    }
    if (joined != 0) {
        s->out -= size;
        put_code(s, joined);
    }
    return joined != 0;
}

/* Compose a vowel or a final consonant of Hangul with the character before it, likewise. */
static bool join_jamo(nd_splitter *s, uint32_t code) {
    enum { LEADS = 0x1100, VOWELS = 0x1161, BEFORE_FINALS = 0x11A7, SYLLABLES = 0xAC00 };
    enum { LEAD_COUNT = 19, VOWEL_COUNT = 21, FINAL_COUNT = 28, SYLLABLE_COUNT = 11172 };
    size_t size = 0;
    if (s->kind != ND_UNICODE_WORD) {
        return false;
    }
    const uint32_t last = last_code(s, &size);
    const uint32_t lead = last - LEADS, syllable = last - SYLLABLES;
    if (code < BEFORE_FINALS && lead < LEAD_COUNT) {
        code = SYLLABLES + (lead * VOWEL_COUNT + (code - VOWELS)) * FINAL_COUNT;
    } else if (code > BEFORE_FINALS && syllable < SYLLABLE_COUNT && syllable % FINAL_COUNT == 0) {
        code = last + (code - BEFORE_FINALS);
    } else {
        return false;
    }
    s->out -= size;
    put_code(s, code);
    return true;
}

/* Marks that have an order, one after the other: those of a text, then those that stand at p. */
typedef struct mark_run {
    const uint32_t *text;
    const uint8_t *p, *end;
} mark_run;

static bool is_ordered_mark(const nd_unicode_record *record) {
    return record->order > 0 &&
           (record->class == ND_UNICODE_MARK || record->class == ND_UNICODE_JOINING_MARK);
}

/* \return the next mark, 0 after the last; then run->p is where they end */
static uint32_t next_mark(mark_run *run, const nd_unicode_record **mark) {
    while (*run->text == 0) {
        if (run->p == run->end || *run->p < 0x80) {
            return 0;
        }
        uint32_t code = 0;
        const uint8_t *after = run->p + nd_utf8_read(run->p, run->end, &code);
        const nd_unicode_record *record = nd_unicode(code);
        if (is_ordered_mark(record)) {
            run->p = after;
            *mark = record;
            return (uint32_t)((int32_t)code + record->fold);
        }
        if (record->class == ND_UNICODE_MAPPED &&
            is_ordered_mark(nd_unicode(nd_unicode_texts[record->fold]))) {
            run->text = nd_unicode_texts + record->fold;
        } else if (record->class != ND_UNICODE_IGNORED) {
            return 0;
        }
        run->p = after;
    }
    *mark = nd_unicode(*run->text);
    return *run->text++;
}

/* Append a letter, taken apart, and its marks in canonical order, composed. A pass over the marks
 * for each order among them: there may be any number, and this takes no memory. */
static void put_in_order(nd_splitter *s, uint32_t letter, mark_run run) {
    enum { ORDERS = 256, MOST_OWN = 4, MOST = 2 * MOST_OWN };
    uint32_t text[MOST + 1] = {0}; /* the letter's own marks and those of the run's text */
    size_t begin = MOST_OWN;
    bool present[ORDERS] = {false};
    uint32_t code = 0;
    const nd_unicode_record *record = NULL;
    for (size_t i = begin; i < MOST && *run.text != 0; i++) {
        text[i] = *run.text++;
    }
    while ((record = nd_unicode(letter))->order > 0 && begin > 0) {
        const nd_unicode_pair parts = nd_unicode_parts[record->joins - 1];
        letter = parts.first;
        text[--begin] = parts.second;
    }
    run.text = text + begin;
    for (mark_run marks = run; next_mark(&marks, &record) != 0;) {
        present[record->order] = true;
    }
    uint8_t *place = s->out; /* of the letter */
    uint32_t last = 0;       /* order of the last mark that stands by itself */
    s->out += ND_UTF8_MAX;
    for (uint32_t order = 1; order < ORDERS; order++) {
        for (mark_run marks = run; present[order] && (code = next_mark(&marks, &record)) != 0;) {
            const bool now = record->order == order;
            const uint32_t joined = now && last < order ? compose(letter, record) : 0;
            if (joined != 0) {
                letter = joined;
            } else if (now) {
                put_code(s, code);
                last = order;
            }
        }
    }
    const size_t marks_size = (size_t)(s->out - place) - ND_UTF8_MAX;
    const size_t size = nd_utf8_write(place, letter);
    memmove(place + size, place + ND_UTF8_MAX, marks_size);
    s->out = place + size + marks_size;
}

/* Take marks that follow a letter, or nothing that has any; all up to the first that is none, so
 * that none is looked at again. \return their end */
static const uint8_t *take_marks(nd_splitter *s, mark_run run) {
    const mark_run all = run;
    const bool open = s->kind != ND_UNICODE_OTHER;
    size_t size = 0;
    const uint32_t letter = open ? last_code(s, &size) : 0;
    uint8_t *place = s->out - size;
    uint32_t now = letter; /* with the marks so far */
    uint32_t last = 0;
    bool in_order = true;
    uint32_t code = 0;
    const nd_unicode_record *mark = NULL;
    while ((code = next_mark(&run, &mark)) != 0) {
        const bool before = mark->order < last;
        const bool joins = mark->joins > 0 && (last > 0 || nd_unicode(now)->order > mark->order);
        in_order = in_order && !before && !joins;
        const uint32_t joined = open && in_order ? compose(now, mark) : 0;
        if (joined != 0) {
            now = joined;
            s->out = place;
            put_code(s, now);
        } else if (open && in_order) {
            put_code(s, code);
            last = mark->order;
        }
    }
    if (!in_order && open) {
        s->out = place;
        put_in_order(s, letter, all);
    }
    s->mark = NULL;
    return run.p;
}

/* ---- characters */

static void open_word(nd_splitter *s) {
    if (s->kind != ND_UNICODE_WORD) {
        open_token(s, ND_UNICODE_WORD);
    }
}

/* Take a folded character that is no mark with an order, and not ND_UNICODE_MAPPED. */
static void take_folded(nd_splitter *s, uint32_t code, const nd_unicode_record *record) {
    switch ((nd_unicode_class)record->class) {
    case ND_UNICODE_SINGLE:
        open_token(s, ND_UNICODE_SINGLE);
        break;
    case ND_UNICODE_MARK:
        if (s->kind == ND_UNICODE_OTHER || (record->joins > 0 && join_mark(s, record))) {
            return;
        }
        break;
    case ND_UNICODE_JAMO:
        if (join_jamo(s, code)) {
            return;
        }
        open_word(s);
        break;
    default:
        open_word(s);
    }
    put_code(s, code);
}

/* A mark that has an order stands at p: if it is the first after its letter, the run begins. */
static inline void begin_run(nd_splitter *s, const uint8_t *p) {
    if (s->out != s->mark) {
        s->run = p;
        s->run_out = s->out;
        s->order = 0;
    }
}

/* Take a letter's marks once more, of which some stand as they are. */
static const uint8_t *take_run(nd_splitter *s, const uint8_t *end) {
    static const uint32_t no_text[] = {0};
    s->out = s->run_out;
    return take_marks(s, (mark_run){no_text, s->run, end});
}

/* Take a text of nd_unicode_texts, and the marks at p that belong to its last character. */
static const uint8_t *take_text(nd_splitter *s, const uint32_t *text, const uint8_t *p,
                                const uint8_t *end) {
    for (; *text != 0; text++) {
        const nd_unicode_record *record = nd_unicode(*text);
        if (is_ordered_mark(record)) {
            return s->out == s->mark ? take_run(s, end) : take_marks(s, (mark_run){text, p, end});
        }
        take_folded(s, *text, record);
    }
    return p;
}

/* Take the character at p if it is none of those that texts consist of. Not in the loop over these,
 * which it would make slower. */
static __attribute__((noinline)) const uint8_t *
take_rare(nd_splitter *s, uint32_t code, const uint8_t *p, size_t size, const uint8_t *end) {
    const nd_unicode_record *record = nd_unicode(code);
    switch ((nd_unicode_class)record->class) {
    case ND_UNICODE_IGNORED:
        break;
    case ND_UNICODE_JOINING_MARK:
        if (s->kind == ND_UNICODE_OTHER) {
            break;
        }
        begin_run(s, p);
        return take_run(s, end);
    case ND_UNICODE_JAMO:
        take_folded(s, (uint32_t)((int32_t)code + record->fold), record);
        break;
    case ND_UNICODE_MAPPED:
        return take_text(s, nd_unicode_texts + record->fold, p + size, end);
    default:
        nd_token_close(s);
    }
    return p + size;
}

/* nd_utf8_read() of a text that is valid, where that saves most of its time. */
static inline size_t read_character(const uint8_t *p, const uint8_t *end, uint32_t *code) {
    if ((*p & 0xF0) == 0xE0 && end - p >= 3) {
        *code = (p[0] & 0x0FU) << 12 | (p[1] & 0x3FU) << 6 | (p[2] & 0x3FU);
        return 3;
    }
    if ((*p & 0xE0) == 0xC0 && end - p >= 2) {
        *code = (p[0] & 0x1FU) << 6 | (p[1] & 0x3FU);
        return 2;
    }
    return nd_utf8_read(p, end, code);
}

/* Take the character at p, which is not ASCII. Few cases, so that they become branches and no
 * table of jumps: which comes next is easily foretold. */
static const uint8_t *take_character(nd_splitter *s, const uint8_t *p, const uint8_t *end) {
    uint32_t code = 0;
    const size_t size = read_character(p, end, &code);
    const nd_unicode_record *record = nd_unicode(code);
    switch ((nd_unicode_class)record->class) {
    case ND_UNICODE_WORD:
        open_word(s);
        break;
    case ND_UNICODE_SINGLE:
        open_token(s, ND_UNICODE_SINGLE);
        break;
    case ND_UNICODE_MARK:
        if (s->kind == ND_UNICODE_OTHER) {
            return p + size;
        }
        if (record->order > 0) {
            begin_run(s, p);
            if (record->order < s->order) {
                return take_run(s, end);
            }
            s->order = record->order;
            s->mark = s->out + size;
        } else if (record->joins > 0 && join_mark(s, record)) {
            return p + size;
        }
        break;
    default:
        return take_rare(s, code, p, size, end);
    }
    if (record->fold != 0) {
        put_code(s, (uint32_t)((int32_t)code + record->fold));
    } else {
        memcpy(s->out, p, 2);
        memcpy(s->out + size - 2, p + size - 2, 2); /* it has two bytes at least */
        s->out += size;
    }
    return p + size;
}

void nd_token_split(nd_page *page, nd_span sentence) {
    const nd_text_variant *loops = nd_text_variant_in_use();
    nd_buffer_reserve(&page->normalised, sentence.size * GROWTH + ND_TOKEN_SLACK);
    nd_grow(&page->tokens, &page->token_capacity, page->token_count + nd_token_most(sentence.size),
            sizeof *page->tokens);
    uint8_t *first = page->normalised.data + page->normalised.size;
    nd_splitter s = {.bytes = page->normalised.data,
                     .begin = first,
                     .out = first,
                     .tokens = page->tokens + page->token_count};
    const uint8_t *p = sentence.data;
    const uint8_t *end = p + sentence.size;
    while (p < end) {
        if (*p >= 0x80) {
            const uint8_t *after = may_be_single(*p) ? loops->take_singles(&s, p, end) : p;
            p = after > p ? after : take_character(&s, p, end);
        } else if (*p == ' ' && end - p > 1 && p[1] >= 0x80) { /* not worth a call */
            nd_token_close(&s);
            p++;
        } else {
            p = loops->take_ascii(&s, p, end);
        }
    }
    nd_token_close(&s);
    page->normalised.size += (size_t)(s.out - first) - (s.out > first); /* less the last space */
    page->token_count = (size_t)(s.tokens - page->tokens);
}

void nd_token_hash(nd_page *page) {
    if (page->token_count > 0) {
        nd_text_variant_in_use()->hash_tokens(page->normalised.data, page->tokens,
                                              page->token_count, page->hash_seed);
    }
}

void nd_token_hash_portable(const uint8_t *bytes, uint64_t *tokens, size_t count, uint64_t seed) {
    for (size_t i = 0; i < count; i++) {
        tokens[i] = XXH3_64bits_withSeed(bytes + (tokens[i] >> 32), tokens[i] & UINT32_MAX, seed);
    }
}

/* Count the token that a folded character begins after one of kind *kind, which becomes its own. */
static void count_folded(nd_unicode_class class, nd_unicode_class *kind, size_t *count) {
    switch (class) {
    case ND_UNICODE_SINGLE:
        *kind = class;
        (*count)++;
        break;
    case ND_UNICODE_WORD:
    case ND_UNICODE_JAMO:
        *count += *kind != ND_UNICODE_WORD;
        *kind = ND_UNICODE_WORD;
        break;
    case ND_UNICODE_MARK:
    case ND_UNICODE_JOINING_MARK:
    case ND_UNICODE_IGNORED:
        break;
    default:
        *kind = ND_UNICODE_OTHER;
    }
}

static void count_character(uint32_t code, nd_unicode_class *kind, size_t *count) {
    const nd_unicode_record *record = nd_unicode(code);
    if (record->class != ND_UNICODE_MAPPED) {
        count_folded((nd_unicode_class)record->class, kind, count);
        return;
    }
    for (const uint32_t *text = nd_unicode_texts + record->fold; *text != 0; text++) {
        count_folded((nd_unicode_class)nd_unicode(*text)->class, kind, count);
    }
}

const uint8_t *nd_token_count_portable(const uint8_t *p, const uint8_t *end, nd_unicode_class *kind,
                                       size_t *count) {
    for (; p < end && *p < 0x80; p++) {
        bool word = is_ascii_word(*p);
        *count += word && *kind != ND_UNICODE_WORD;
        *kind = word ? ND_UNICODE_WORD : ND_UNICODE_OTHER;
    }
    return p;
}

size_t nd_token_count(nd_span text) {
    const nd_text_variant *loops = nd_text_variant_in_use();
    size_t count = 0;
    nd_unicode_class kind = ND_UNICODE_OTHER;
    const uint8_t *p = text.data;
    const uint8_t *end = text.size == 0 ? p : p + text.size;
    while (p < end) {
        if (*p < 0x80) {
            p = loops->count_ascii(p, end, &kind, &count);
            continue;
        }
        const size_t singles = may_be_single(*p) ? loops->count_singles(p, end) : 0;
        if (singles > 0) {
            count += singles;
            kind = ND_UNICODE_SINGLE;
            p += singles * ND_TOKEN_SINGLE_BYTES;
        } else {
            uint32_t code = 0;
            p += nd_utf8_read(p, end, &code);
            count_character(code, &kind, &count);
        }
    }
    return count;
}
