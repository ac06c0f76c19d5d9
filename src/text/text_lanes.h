/** \file src/text/text_lanes.h
 * The body of a text variant that takes 64 bytes at a time: which of them have a property is a
 * 64-bit mask, bit i for byte i, and the rest is arithmetic on masks (G. Langdale, D. Lemire,
 * Parsing Gigabytes of JSON per Second, VLDB Journal 28, 2019). Masks of bytes after the text are
 * those of zeros. Included once by each source file of such a variant, which defines before it:
 *   LANES_TARGET        attribute of the functions that use the instructions
 *   block               type of 64 bytes
 *   load(p)             64 bytes
 *   load_part(p, size)  `size` < 64 bytes, then zeros; nothing is read after them
 *   equal(v, byte), at_most(v, byte), between(v, first, last), high(v)   masks, unsigned
 *   between_pairs(mask) each pair of set bits becomes all bits from the first up to below the
 *                       second; a last one without its pair: to the end
 *   put_text(out, v, spaces, keep)   write the bytes of the mask `keep`, those of `spaces` as ' ';
 *                       up to 64 bytes after `out` may be overwritten; returns the end of what
 *                       was kept
 *   put_words(s, v, words, ends)     append the bytes of the mask `words`, lower-cased, and end the
 *                       open token where a bit of `ends` is, the first that is no part of it; up to
 *                       ND_TOKEN_SLACK bytes may be overwritten
 *   put_singles(s, v, p, count)      nd_token_put_singles() of the block v at p, for a count of at
 *                       most MOST_SINGLES; up to ND_TOKEN_SLACK bytes may be overwritten
 */
#ifndef ND_TEXT_TEXT_LANES_H
#define ND_TEXT_TEXT_LANES_H

#include "src/base/util.h"
#include "src/text/scan.h"
#include "src/text/text_variant.h"

/* Of a function that takes over where a text is not ASCII: inside the loop over ASCII its calls
 * would make that loop's constants be stored and loaded again. */
#define SLOW_PATH __attribute__((noinline))

/* Number of the lowest bit; 64 if there is none. */
static inline size_t lowest(mask bits) {
    return bits == 0 ? BLOCK : (size_t)__builtin_ctzll(bits);
}

/* The lowest `size` <= 64 bits. */
static inline mask low_bits(size_t size) {
    return size >= BLOCK ? ~(mask)0 : ((mask)1 << size) - 1;
}

LANES_TARGET static inline block load_up_to(const uint8_t *p, const uint8_t *end) {
    return end - p >= BLOCK ? load(p) : load_part(p, (size_t)(end - p));
}

/* ---- text */

/* Leads of characters of two and of three bytes that are surely no white space if their other bytes
 * are there, and what else is not ASCII. */
typedef struct leads {
    mask two, three, others;
} leads;

/* White space beyond ASCII: U+0080 to U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F,
 * U+205F, U+3000. A lead at the block's end, whose next byte is not seen, counts as one that is
 * not sure. */
LANES_TARGET static inline leads find_leads(block v) {
    const mask next_80 = equal(v, 0x80) >> 1;
    const mask next_81 = equal(v, 0x81) >> 1;
    const mask next_low = between(v, 0x80, 0x9F) >> 1; /* needs no third bound: continuations */
    const mask next_high = between(v, 0xA0, 0xBF) >> 1;
    const mask quotes = next_80 & between(v, 0x90, 0xA7) >> 2;
    const mask c2 = equal(v, 0xC2) & next_high & ~(equal(v, 0xA0) >> 1);
    const mask e0 = equal(v, 0xE0) & next_high;
    const mask e1 = equal(v, 0xE1) & (next_high | next_low) & ~(equal(v, 0x9A) >> 1);
    const mask e2 = equal(v, 0xE2) & (((next_high | next_low) & ~(next_80 | next_81)) | quotes);
    const mask e3 = equal(v, 0xE3) & (next_high | next_low) & ~next_80;
    const mask ed = equal(v, 0xED) & next_low;
    const mask plain = between(v, 0xE4, 0xEC) | between(v, 0xEE, 0xEF);
    leads found = {.two = between(v, 0xC3, 0xDF) | c2, .three = plain | e0 | e1 | e2 | e3 | ed};
    found.others = high(v) & ~(found.two | found.three | between(v, 0x80, 0xBF));
    return found;
}

/* Where to stop because of what is not ASCII in a block: at the first byte that is no part of a
 * sure character. `edge` becomes the place from which a character goes on after the block. */
LANES_TARGET static inline mask unsure_bytes(block v, mask *edge) {
    const leads found = find_leads(v);
    const mask wanted = found.two << 1 | found.three << 1 | found.three << 2;
    const mask odd = between(v, 0x80, 0xBF) ^ wanted; /* a continuation missing, or too many */
    const mask lead_last = between(v, 0xC2, 0xF4) & (mask)1 << (BLOCK - 1);
    const mask lead_before = between(v, 0xE0, 0xF4) & (mask)1 << (BLOCK - 2);
    const mask last = lead_before != 0 ? lead_before : lead_last;
    const mask stop = (found.others | odd) & (last == 0 ? ~(mask)0 : last - 1);
    *edge = last;
    /* not at the missing byte: at the lead that misses it */
    return stop | (odd >> 1 & (found.two | found.three)) | (odd >> 2 & found.three);
}

/* Copy the text at the beginning of a block.
 * \return whether it stops there, at scan->in; else it goes on after the block */
LANES_TARGET static inline bool scan_block(nd_scan *scan, block v) {
    const mask spaces = at_most(v, ' ');
    mask edge = 0;
    mask stop = equal(v, '<') | equal(v, '&') | equal(v, 0);
    if (high(v) != 0) {
        stop |= unsure_bytes(v, &edge);
    }
    const size_t size = lowest(stop | edge);
    const mask after = spaces << 1 | scan->after_space; /* bit i: byte i - 1 was one */
    scan->out = put_text(scan->out, v, spaces, ~(spaces & after) & low_bits(size));
    scan->in += size;
    scan->after_space = (size == BLOCK ? spaces >> (BLOCK - 1) : after >> size & 1) != 0;
    return (edge == 0 ? stop : stop & (edge - 1)) != 0;
}

LANES_TARGET static void lanes_scan(nd_scan *scan, const uint8_t *limit) {
    nd_scan text = {.in = scan->in, .out = scan->out, .after_space = scan->after_space};
    while (text.in < limit && !scan_block(&text, load_up_to(text.in, limit))) {
    }
    scan->in = text.in;
    scan->out = text.out;
    scan->after_space = text.after_space;
}

/* ---- paragraphs */

/* Most line ends are followed by text: only at the others a look is taken. */
LANES_TARGET static const uint8_t *lanes_paragraph_end(const uint8_t *p, const uint8_t *end) {
    for (; p < end; p += end - p < BLOCK ? end - p : BLOCK) {
        const block v = load_up_to(p, end);
        const mask before_blank = at_most(v, ' ') >> 1 | (mask)1 << (BLOCK - 1);
        for (mask ends = equal(v, '\n') & before_blank; ends != 0; ends &= ends - 1) {
            if (nd_scan_ends_paragraph(p + lowest(ends), end)) {
                return p + lowest(ends);
            }
        }
    }
    return end;
}

/* ---- tags */

/* What of a tag's earlier blocks counts for the next one. */
typedef struct tag_carry {
    mask inside;     /* all ones: the block begins inside quotes */
    mask after_sign; /* 1: after an equals sign */
    mask no_name;    /* 1: after a byte that is no part of an attribute's name */
    mask after_slash;
    mask begins_name; /* 1: an attribute's name may begin */
} tag_carry;

/* Whether a name "href" begins at one of these places. */
static bool is_href_at(const uint8_t *p, const uint8_t *end, mask places) {
    for (; places != 0; places &= places - 1) {
        const uint8_t *name = p + lowest(places);
        if (end - name > 4 && (name[1] | 0x20) == 'r' && (name[2] | 0x20) == 'e' &&
            (name[3] | 0x20) == 'f' && nd_scan_ends_name(name[4])) {
            return true;
        }
    }
    return false;
}

LANES_TARGET static inline mask find_blanks(block v) {
    return equal(v, ' ') | (between(v, '\t', '\r') & ~equal(v, '\v'));
}

enum { GOES_ON = BLOCK, ODD }; /* of a tag: it does not end in this block; it is not plain */

/* Where the tag ends of which the bytes `used` of a block are attributes, if each value stands in
 * double quotes right after its equals sign, and has no '>': what comes after the tag waits for its
 * end, which is soon known this way, and a branch, foreseen, for all the rest. */
LANES_TARGET static inline size_t plain_attributes(const uint8_t *p, const uint8_t *end, block v,
                                                   mask used, tag_carry *carry, nd_tag_token *tag) {
    const mask quotes = equal(v, '"') & used;
    const mask inside = between_pairs(quotes) ^ carry->inside; /* with the opening quote */
    const mask outside = ~inside & used;
    const mask signs = equal(v, '=') & outside;
    const mask slashes = equal(v, '/') & outside;
    const mask separators = (find_blanks(v) & outside) | slashes | (quotes & outside);
    const mask no_names = (separators | signs) << 1 | carry->no_name;
    const mask opening = signs << 1 | carry->after_sign;
    const mask odd = ((quotes & inside) ^ opening) | (signs & no_names);
    const mask close = equal(v, '>') & used;
    const size_t at = lowest(close);
    const mask within = low_bits(at);
    if (((odd & within) | (close & ~(close - 1) & inside)) != 0) {
        return ODD;
    }
    if ((tag->flags & ND_TAG_LINK) != 0) {
        const mask names = (separators << 1 | carry->begins_name) & outside & within;
        const mask h = equal(v, 'h') | equal(v, 'H');
        tag->has_href = tag->has_href || is_href_at(p, end, names & h);
    }
    if (at < BLOCK) {
        tag->self_closing = ((slashes << 1 | carry->after_slash) >> at & 1) != 0;
        return at;
    }
    *carry = (tag_carry){.inside = 0 - (inside >> (BLOCK - 1)),
                         .after_sign = signs >> (BLOCK - 1),
                         .no_name = (separators | signs) >> (BLOCK - 1),
                         .after_slash = slashes >> (BLOCK - 1),
                         .begins_name = separators >> (BLOCK - 1)};
    return GOES_ON;
}

/* Look at a block for tags. */
LANES_TARGET static inline void view_block(nd_scan_view *view, const uint8_t *p, block v) {
    *view = (nd_scan_view){.begin = p,
                           .spaces = at_most(v, ' '),
                           .opening = equal(v, '<'),
                           .closing = equal(v, '>'),
                           .slashes = equal(v, '/'),
                           .blanks = find_blanks(v)};
}

/* Read the tag of which the '<' is byte `at` of a block that was looked at.
 * \return its end; NULL if it has to be read byte by byte */
LANES_TARGET static inline const uint8_t *read_tag_in(const nd_scan_view *view, const uint8_t *end,
                                                      size_t at, nd_tag_token *tag) {
    const uint8_t *p = view->begin;
    if (at > BLOCK - 4 || end - p < BLOCK + ND_SWAR_BYTES) {
        return NULL;
    }
    const mask close = (mask)view->closing;
    const mask slashes = (mask)view->slashes;
    const mask is_end = slashes >> (at + 1) & 1;
    const size_t begin = at + 1 + (size_t)is_end;
    const size_t name_end = lowest((close | slashes | (mask)view->blanks) & ~low_bits(begin));
    if (name_end == BLOCK || name_end - begin > ND_SWAR_BYTES) {
        return NULL;
    }
    const uint64_t kept = ~UINT64_C(0) >> (8 * (ND_SWAR_BYTES - (name_end - begin)));
    const uint64_t word = (nd_swar_load(p + begin) | ND_SWAR(0x20)) & kept;
    const nd_short_tag *found = &nd_short_tags[nd_short_tag_slot(word)];
    const bool listed = found->name == word;
    *tag = (nd_tag_token){.flags = listed ? found->flags : 0,
                          .number = listed ? found->number : 0,
                          .is_end = is_end != 0};
    if ((close >> name_end & 1) != 0) {
        return p + name_end + 1;
    }
    tag_carry carry = {0};
    size_t last = plain_attributes(p, end, load(p), ~low_bits(name_end), &carry, tag);
    while (last == GOES_ON && end - p >= 2 * BLOCK) {
        p += BLOCK;
        last = plain_attributes(p, end, load(p), ~(mask)0, &carry, tag);
    }
    return last < BLOCK ? p + last + 1 : NULL;
}

LANES_TARGET static SLOW_PATH const uint8_t *lanes_read_tag(const uint8_t *p, const uint8_t *end,
                                                            nd_tag_token *tag) {
    const uint8_t *after = NULL;
    if (end - p >= BLOCK) {
        nd_scan_view view;
        view_block(&view, p, load(p));
        after = read_tag_in(&view, end, 0, tag);
    }
    return after != NULL ? after : nd_tag_read_portable(p, end, tag);
}

/* Move on to the '<' that comes next in the block that was looked at, if nothing stands before it
 * but white space that is no text. */
static inline bool find_near_tag(nd_scan *text, const nd_scan_view *view) {
    const uintptr_t passed = (uintptr_t)text->in - (uintptr_t)view->begin;
    if (passed >= BLOCK) {
        return false;
    }
    const size_t at = lowest((mask)~view->spaces & ~low_bits(passed));
    if (at == BLOCK || (at > passed && !text->after_space) || (view->opening >> at & 1) == 0) {
        return false;
    }
    text->in = view->begin + at;
    return true;
}

LANES_TARGET static const uint8_t *lanes_next_tag(nd_scan *scan, const uint8_t *end,
                                                  nd_tag_token *tag) {
    nd_scan text = {.in = scan->in, .out = scan->out, .after_space = scan->after_space};
    nd_scan_view *view = &scan->view;
    const uint8_t *begin = NULL;
    while (text.in < end) {
        const bool near = find_near_tag(&text, view);
        if (!near) {
            const uint8_t *p = text.in;
            const block v = load_up_to(p, end);
            if (!scan_block(&text, v)) {
                continue;
            }
            view_block(view, p, v);
        }
        if (!nd_tag_begins(text.in, end)) {
            break;
        }
        begin = text.in;
        const uint8_t *after = read_tag_in(view, end, (size_t)(begin - view->begin), tag);
        after = after != NULL ? after : lanes_read_tag(begin, end, tag);
        text.in = after == NULL ? end : after;
        if (after == NULL || tag->flags != ND_TAG_FORMAT) {
            begin = after == NULL ? NULL : begin;
            break;
        }
        begin = NULL;
    }
    scan->in = text.in;
    scan->out = text.out;
    scan->after_space = text.after_space;
    return begin;
}

/* ---- tokens */

LANES_TARGET static inline mask find_words(block v) {
    return between(v, '0', '9') | between(v, 'A', 'Z') | between(v, 'a', 'z');
}

LANES_TARGET static const uint8_t *lanes_take_ascii(nd_splitter *splitter, const uint8_t *p,
                                                    const uint8_t *end) {
    if (splitter->kind == ND_UNICODE_SINGLE) {
        nd_token_close(splitter);
    }
    nd_splitter s = *splitter; /* in registers */
    size_t size = BLOCK;
    while (size == BLOCK && p < end) {
        const block v = load_up_to(p, end);
        const size_t left = (size_t)(end - p);
        size = lowest(high(v));
        size = nd_min(size, left);
        if (size == 0) {
            break;
        }
        const mask words = find_words(v) & low_bits(size);
        const mask after = words << 1 | (s.kind == ND_UNICODE_WORD);
        put_words(&s, v, words, ~words & after & low_bits(size));
        s.kind = (words >> (size - 1) & 1) != 0 ? ND_UNICODE_WORD : ND_UNICODE_OTHER;
        p += size;
    }
    *splitter = s;
    return p;
}

/* The bytes of characters of three bytes, one after the other from the block's first byte on, that
 * are surely tokens of their own: kana, and the ideographs of U+4E00 to U+9FFF. */
LANES_TARGET static inline mask find_singles(block v) {
    const mask firsts = (mask)UINT64_C(0x9249249249249249);
    const mask next_han = between(v, 0xB8, 0xBF) >> 1;
    mask begins = between(v, 0xE5, 0xE9) | (equal(v, 0xE4) & next_han);
    const mask e3 = equal(v, 0xE3) & firsts;
    if (e3 != 0) {
        /* marks, unassigned, a ligature, '=' */
        const mask odd_82 = between(v, 0x97, 0x9C) | between(v, 0x9F, 0xA0);
        const mask odd_83 = equal(v, 0xBB) | equal(v, 0xBF); /* a middle dot, a ligature */
        const mask kana = (equal(v, 0x81) & ~(equal(v, 0x80) >> 1)) |
                          (equal(v, 0x82) & ~(odd_82 >> 1)) | (equal(v, 0x83) & ~(odd_83 >> 1));
        begins |= e3 & kana >> 1;
    }
    return (begins & firsts) | (between(v, 0x80, 0xBF) & ~firsts);
}

LANES_TARGET static size_t lanes_count_singles(const uint8_t *p, const uint8_t *end) {
    return p == end ? 0 : lowest(~find_singles(load_up_to(p, end))) / ND_TOKEN_SINGLE_BYTES;
}

LANES_TARGET static const uint8_t *lanes_take_singles(nd_splitter *splitter, const uint8_t *p,
                                                      const uint8_t *end) {
    block v = load_up_to(p, end);
    size_t count = lowest(~find_singles(v)) / ND_TOKEN_SINGLE_BYTES;
    if (count == 0) {
        return p;
    }
    nd_token_close(splitter);
    nd_splitter s = *splitter; /* in registers */
    while (count > 0) {
        const size_t now = nd_min(count, MOST_SINGLES);
        put_singles(&s, v, p, now);
        p += now * ND_TOKEN_SINGLE_BYTES;
        if (count < MOST_SINGLES || p == end) {
            break;
        }
        v = load_up_to(p, end);
        count = lowest(~find_singles(v)) / ND_TOKEN_SINGLE_BYTES;
    }
    nd_token_open_last(&s);
    *splitter = s;
    return p;
}

LANES_TARGET static const uint8_t *lanes_count_ascii(const uint8_t *p, const uint8_t *end,
                                                     nd_unicode_class *kind, size_t *count) {
    size_t size = BLOCK;
    while (size == BLOCK && p < end) {
        const block v = load_up_to(p, end);
        const size_t left = (size_t)(end - p);
        size = lowest(high(v));
        size = nd_min(size, left);
        if (size == 0) {
            break;
        }
        const mask words = find_words(v) & low_bits(size);
        const mask after = words << 1 | (*kind == ND_UNICODE_WORD);
        *count += (size_t)__builtin_popcountll(words & ~after);
        *kind = (words >> (size - 1) & 1) != 0 ? ND_UNICODE_WORD : ND_UNICODE_OTHER;
        p += size;
    }
    return p;
}

/* ---- sentences */

/* Leads of the characters beyond ASCII that may end a sentence. */
LANES_TARGET static inline mask find_far_stops(block v) {
    const mask unseen = (mask)1 << (BLOCK - 1); /* the next byte is not in the block */
    const mask two = equal(v, 0xD6) | equal(v, 0xD8) | between(v, 0xDB, 0xDC);
    const mask e0 = equal(v, 0xE0) & ((equal(v, 0xA5) | equal(v, 0xBC)) >> 1 | unseen);
    const mask e2 = equal(v, 0xE2) & (between(v, 0x80, 0x81) >> 1 | unseen);
    const mask e3 = equal(v, 0xE3) & (equal(v, 0x80) >> 1 | unseen);
    const mask ea = equal(v, 0xEA) & (equal(v, 0xAF) >> 1 | unseen);
    return two | e0 | equal(v, 0xE1) | e2 | e3 | ea | equal(v, 0xEF);
}

/* Stops among the ASCII of the block v at p. */
LANES_TARGET static inline mask find_near_stops(const uint8_t *p, const uint8_t *end, block v) {
    const bool blank_next = end - p <= BLOCK || p[BLOCK] <= ' ';
    const mask before_blank = at_most(v, ' ') >> 1 | (mask)blank_next << (BLOCK - 1);
    return (equal(v, '.') | equal(v, '!') | equal(v, '?')) & before_blank;
}

LANES_TARGET static SLOW_PATH const uint8_t *far_sentence_end(const uint8_t *p,
                                                              const uint8_t *end) {
    for (; p < end; p += end - p < BLOCK ? end - p : BLOCK) {
        const block v = load_up_to(p, end);
        mask stops = find_near_stops(p, end, v) | (high(v) != 0 ? find_far_stops(v) : 0);
        for (; stops != 0; stops &= stops - 1) {
            bool stop = false;
            const uint8_t *after = nd_sentence_read(p + lowest(stops), end, &stop);
            if (stop) {
                return after;
            }
        }
    }
    return end;
}

LANES_TARGET static const uint8_t *lanes_sentence_end(const uint8_t *p, const uint8_t *end) {
    for (; p < end; p += end - p < BLOCK ? end - p : BLOCK) {
        const block v = load_up_to(p, end);
        if (high(v) != 0) {
            return far_sentence_end(p, end);
        }
        const mask stops = find_near_stops(p, end, v);
        if (stops != 0) {
            return p + lowest(stops) + 1;
        }
    }
    return end;
}

/* ---- digits */

LANES_TARGET static const uint8_t *lanes_find_digit(const uint8_t *p, const uint8_t *end) {
    for (; p < end; p += end - p < BLOCK ? end - p : BLOCK) {
        const mask digits = between(load_up_to(p, end), '0', '9');
        if (digits != 0) {
            return p + lowest(digits);
        }
    }
    return end;
}

/* ---- UTF-8 */

/* Bytes of the whole characters of a block that is valid UTF-8 (Unicode 15, table 3-7) but for one
 * that goes on after it; 0 if it is not. */
LANES_TARGET static inline size_t valid_part(block v) {
    const mask two = between(v, 0xC2, 0xDF), three = between(v, 0xE0, 0xEF);
    const mask four = between(v, 0xF0, 0xF4), rest = between(v, 0x80, 0xBF);
    const mask any = two | three | four;
    const mask wanted = any << 1 | (three | four) << 2 | four << 3;
    const mask below_90 = between(v, 0x80, 0x8F), below_a0 = between(v, 0x80, 0x9F);
    const mask odd = (equal(v, 0xE0) << 1 & below_a0) | (equal(v, 0xED) << 1 & ~below_a0) |
                     (equal(v, 0xF0) << 1 & below_90) | (equal(v, 0xF4) << 1 & ~below_90);
    const mask cut = (any >> (BLOCK - 1)) << (BLOCK - 1) |
                     ((three | four) >> (BLOCK - 2)) << (BLOCK - 2) |
                     (four >> (BLOCK - 3)) << (BLOCK - 3);
    return (odd | (rest ^ wanted) | (high(v) & ~(any | rest))) == 0 ? lowest(cut) : 0;
}

LANES_TARGET static size_t lanes_valid_bytes(const uint8_t *p, const uint8_t *end) {
    const uint8_t *begin = p;
    size_t part = BLOCK;
    for (; part > 0 && end - p >= BLOCK; p += part) {
        const block v = load(p);
        part = high(v) == 0 ? BLOCK : valid_part(v);
    }
    return (size_t)(p - begin);
}

#endif
