/** \file src/text/text_lanes.h
 * The body of a text variant that takes 64 bytes at a time: which of them have a property is a
 * 64-bit mask, bit i for byte i, and the rest is arithmetic on masks (G. Langdale, D. Lemire,
 * Parsing Gigabytes of JSON per Second, VLDB Journal 28, 2019). Masks of bytes behind the text are
 * those of zeros. Included once by each source file of such a variant, which defines before it:
 *   LANES_TARGET        attribute of the functions that use the instructions
 *   block               type of 64 bytes
 *   load(p)             64 bytes
 *   load_part(p, size)  `size` < 64 bytes, then zeros; nothing is read behind them
 *   equal(v, byte), at_most(v, byte), between(v, first, last), high(v)   masks, unsigned
 *   between_pairs(mask) each pair of set bits becomes all bits from the first up to below the
 *                       second; a last one without its pair: to the end
 *   put_text(out, v, spaces, keep)   write the bytes of the mask `keep`, those of `spaces` as ' ';
 *                       up to 64 bytes behind `out` may be overwritten; returns the end of what
 *                       was kept
 *   put_words(s, v, words, ends)     append the bytes of the mask `words`, lower-cased, and end the
 *                       open token where a bit of `ends` is, the first that is no part of it; up to
 *                       ND_TOKEN_SLACK bytes may be overwritten
 */
#ifndef ND_TEXT_TEXT_LANES_H
#define ND_TEXT_TEXT_LANES_H

#include "src/text/swar.h"
#include "src/text/text_variant.h"

enum { BLOCK = 64 };

/* Number of the lowest bit; 64 if there is none. */
static inline size_t lowest(uint64_t mask) {
    return mask == 0 ? BLOCK : (size_t)__builtin_ctzll(mask);
}

/* The lowest `size` <= 64 bits. */
static inline uint64_t low_bits(size_t size) {
    return size >= BLOCK ? ~UINT64_C(0) : (UINT64_C(1) << size) - 1;
}

LANES_TARGET static inline block load_up_to(const uint8_t *p, const uint8_t *end) {
    return end - p >= BLOCK ? load(p) : load_part(p, (size_t)(end - p));
}

/* ---- text */

/* Leads of characters of two and of three bytes that are surely no white space if their other bytes
 * are there, and what else is not ASCII. */
typedef struct leads {
    uint64_t two, three, others;
} leads;

/* White space beyond ASCII: U+0080 to U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F,
 * U+205F, U+3000. A lead at the block's end, whose next byte is not seen, counts as one that is
 * not sure. */
LANES_TARGET static inline leads find_leads(block v) {
    const uint64_t next_80 = equal(v, 0x80) >> 1;
    const uint64_t next_81 = equal(v, 0x81) >> 1;
    const uint64_t next_low = between(v, 0x80, 0x9F) >> 1; /* needs no third bound: continuations */
    const uint64_t next_high = between(v, 0xA0, 0xBF) >> 1;
    const uint64_t quotes = next_80 & between(v, 0x90, 0xA7) >> 2;
    const uint64_t c2 = equal(v, 0xC2) & next_high & ~(equal(v, 0xA0) >> 1);
    const uint64_t e0 = equal(v, 0xE0) & next_high;
    const uint64_t e1 = equal(v, 0xE1) & (next_high | next_low) & ~(equal(v, 0x9A) >> 1);
    const uint64_t e2 = equal(v, 0xE2) & (((next_high | next_low) & ~(next_80 | next_81)) | quotes);
    const uint64_t e3 = equal(v, 0xE3) & (next_high | next_low) & ~next_80;
    const uint64_t ed = equal(v, 0xED) & next_low;
    const uint64_t plain = between(v, 0xE4, 0xEC) | between(v, 0xEE, 0xEF);
    leads found = {.two = between(v, 0xC3, 0xDF) | c2, .three = plain | e0 | e1 | e2 | e3 | ed};
    found.others = high(v) & ~(found.two | found.three | between(v, 0x80, 0xBF));
    return found;
}

/* Where to stop because of what is not ASCII in a block: at the first byte that is no part of a
 * sure character. `edge` becomes the place from which a character goes on behind the block. */
LANES_TARGET static inline uint64_t unsure_bytes(block v, uint64_t *edge) {
    const leads found = find_leads(v);
    const uint64_t wanted = found.two << 1 | found.three << 1 | found.three << 2;
    const uint64_t odd = between(v, 0x80, 0xBF) ^ wanted; /* a continuation missing, or too many */
    const uint64_t lead_63 = between(v, 0xC2, 0xF4) & UINT64_C(1) << 63;
    const uint64_t lead_62 = between(v, 0xE0, 0xF4) & UINT64_C(1) << 62;
    const uint64_t last = lead_62 != 0 ? lead_62 : lead_63;
    const uint64_t stop = (found.others | odd) & (last == 0 ? ~UINT64_C(0) : last - 1);
    *edge = last;
    /* not at the missing byte: at the lead that misses it */
    return stop | (odd >> 1 & (found.two | found.three)) | (odd >> 2 & found.three);
}

/* Copy the text at the beginning of a block.
 * \return whether it stops there, at scan->in; else it goes on behind the block */
LANES_TARGET static inline bool scan_block(nd_scan *scan, block v) {
    const uint64_t spaces = at_most(v, ' ');
    uint64_t edge = 0;
    uint64_t stop = equal(v, '<') | equal(v, '&') | equal(v, 0);
    if (high(v) != 0) {
        stop |= unsure_bytes(v, &edge);
    }
    const size_t size = lowest(stop | edge);
    const uint64_t after = spaces << 1 | scan->after_space; /* bit i: byte i - 1 was one */
    scan->out = put_text(scan->out, v, spaces, ~(spaces & after) & low_bits(size));
    scan->in += size;
    scan->after_space = (size == BLOCK ? spaces >> (BLOCK - 1) : after >> size & 1) != 0;
    return (edge == 0 ? stop : stop & (edge - 1)) != 0;
}

LANES_TARGET static void lanes_scan(nd_scan *scan, const uint8_t *limit) {
    nd_scan text = *scan; /* in registers */
    while (text.in < limit && !scan_block(&text, load_up_to(text.in, limit))) {
    }
    *scan = text;
}

/* ---- tags */

/* What of a tag's earlier blocks counts for the next one. */
typedef struct tag_carry {
    uint64_t inside;     /* all ones: the block begins inside quotes */
    uint64_t after_sign; /* 1: behind an equals sign */
    uint64_t no_name;    /* 1: behind a byte that is no part of an attribute's name */
    uint64_t after_slash;
    uint64_t begins_name; /* 1: an attribute's name may begin */
} tag_carry;

/* Whether a name "href" begins at one of these places. */
static bool is_href_at(const uint8_t *p, const uint8_t *end, uint64_t places) {
    for (; places != 0; places &= places - 1) {
        const uint8_t *name = p + lowest(places);
        if (end - name > 4 && (name[1] | 0x20) == 'r' && (name[2] | 0x20) == 'e' &&
            (name[3] | 0x20) == 'f' && nd_scan_ends_name(name[4])) {
            return true;
        }
    }
    return false;
}

LANES_TARGET static inline uint64_t find_blanks(block v) {
    return equal(v, ' ') | (between(v, '\t', '\r') & ~equal(v, '\v'));
}

enum { GOES_ON = BLOCK, ODD }; /* of a tag: it does not end in this block; it is not plain */

/* Where the tag ends of which the bytes `used` of a block are attributes, if each value stands in
 * double quotes right behind its equals sign. */
LANES_TARGET static inline size_t plain_attributes(const uint8_t *p, const uint8_t *end, block v,
                                                   uint64_t used, tag_carry *carry,
                                                   nd_tag_token *tag) {
    const uint64_t quotes = equal(v, '"') & used;
    const uint64_t inside = between_pairs(quotes) ^ carry->inside; /* with the opening quote */
    const uint64_t outside = ~inside & used;
    const uint64_t signs = equal(v, '=') & outside;
    const uint64_t slashes = equal(v, '/') & outside;
    const uint64_t separators = (find_blanks(v) & outside) | slashes | (quotes & outside);
    const uint64_t no_names = (separators | signs) << 1 | carry->no_name;
    const uint64_t opening = signs << 1 | carry->after_sign;
    const uint64_t odd = ((quotes & inside) ^ opening) | (signs & no_names);
    const size_t at = lowest(equal(v, '>') & outside);
    const uint64_t within = low_bits(at);
    if ((odd & within) != 0) {
        return ODD;
    }
    if ((tag->flags & ND_TAG_LINK) != 0) {
        const uint64_t names = (separators << 1 | carry->begins_name) & outside & within;
        const uint64_t h = equal(v, 'h') | equal(v, 'H');
        tag->has_href = tag->has_href || is_href_at(p, end, names & h);
    }
    if (at < BLOCK) {
        tag->self_closing = ((slashes << 1 | carry->after_slash) >> at & 1) != 0;
        return at;
    }
    *carry = (tag_carry){.inside = 0 - (inside >> 63),
                         .after_sign = signs >> 63,
                         .no_name = (separators | signs) >> 63,
                         .after_slash = slashes >> 63,
                         .begins_name = separators >> 63};
    return GOES_ON;
}

/* Read the tag of which the '<' is byte `at` of the block `v` at p.
 * \return behind it; NULL if it has to be read byte by byte */
LANES_TARGET static inline const uint8_t *read_tag_in(const uint8_t *p, const uint8_t *end, block v,
                                                      size_t at, nd_tag_token *tag) {
    if (at > BLOCK - 4 || end - p < BLOCK + ND_SWAR_BYTES) {
        return NULL;
    }
    const uint64_t close = equal(v, '>');
    const uint64_t slashes = equal(v, '/');
    const uint64_t is_end = slashes >> (at + 1) & 1;
    const size_t begin = at + 1 + (size_t)is_end;
    const size_t name_end = lowest((close | slashes | find_blanks(v)) & ~low_bits(begin));
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
    size_t last = plain_attributes(p, end, v, ~low_bits(name_end), &carry, tag);
    while (last == GOES_ON && end - p >= 2 * BLOCK) {
        p += BLOCK;
        last = plain_attributes(p, end, load(p), ~UINT64_C(0), &carry, tag);
    }
    return last < BLOCK ? p + last + 1 : NULL;
}

LANES_TARGET static const uint8_t *lanes_read_tag(const uint8_t *p, const uint8_t *end,
                                                  nd_tag_token *tag) {
    const uint8_t *after = NULL;
    if (end - p >= BLOCK) {
        after = read_tag_in(p, end, load(p), 0, tag);
    }
    return after != NULL ? after : nd_tag_read_portable(p, end, tag);
}

LANES_TARGET static const uint8_t *lanes_next_tag(nd_scan *scan, const uint8_t *end,
                                                  nd_tag_token *tag) {
    nd_scan text = *scan; /* in registers */
    const uint8_t *begin = NULL;
    while (text.in < end) {
        const uint8_t *p = text.in;
        const block v = load_up_to(p, end);
        if (!scan_block(&text, v)) {
            continue;
        }
        if (!nd_tag_begins(text.in, end)) {
            break;
        }
        begin = text.in;
        const uint8_t *after = read_tag_in(p, end, v, (size_t)(begin - p), tag);
        after = after != NULL ? after : lanes_read_tag(begin, end, tag);
        text.in = after == NULL ? end : after;
        if (after == NULL || tag->flags != ND_TAG_FORMAT) {
            begin = after == NULL ? NULL : begin;
            break;
        }
        begin = NULL;
    }
    *scan = text;
    return begin;
}

/* ---- tokens */

LANES_TARGET static inline uint64_t find_words(block v) {
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
        size = size < left ? size : left;
        if (size == 0) {
            break;
        }
        const uint64_t words = find_words(v) & low_bits(size);
        const uint64_t after = words << 1 | (s.kind == ND_UNICODE_WORD);
        put_words(&s, v, words, ~words & after & low_bits(size));
        s.kind = (words >> (size - 1) & 1) != 0 ? ND_UNICODE_WORD : ND_UNICODE_OTHER;
        p += size;
    }
    *splitter = s;
    return p;
}

#endif
