#include "src/text/tag.h"

#include "src/text/scan.h"

#include <string.h>

/* No listed element has a longer name. */
enum { LONGEST_NAME = 16 };

/* From behind '=' to behind the attribute's value; `end` if it is not closed. */
static const uint8_t *skip_value(const uint8_t *p, const uint8_t *end) {
    p = nd_scan_skip_space(p, end);
    if (p < end && (*p == '"' || *p == '\'')) {
        const uint8_t *quote = memchr(p + 1, *p, (size_t)(end - p - 1));
        return quote == NULL ? end : quote + 1;
    }
    while (p < end && *p != '>' && !nd_scan_is_space(*p)) {
        p++;
    }
    return p;
}

/* From behind a tag's name to behind its '>'; NULL if the document ends inside the tag. */
static const uint8_t *skip_attributes(const uint8_t *p, const uint8_t *end, nd_tag_token *tag) {
    while (p < end) {
        tag->self_closing = false;
        while (p < end && (*p == '/' || nd_scan_is_space(*p))) {
            tag->self_closing = *p++ == '/';
        }
        if (p == end) {
            return NULL;
        }
        if (*p == '>') {
            return p + 1;
        }
        const uint8_t *name = p++; /* a '=' here is part of the name */
        while (p < end && !nd_scan_ends_name(*p)) {
            p++;
        }
        bool is_href = p - name == 4 && (name[0] | 0x20) == 'h' && (name[1] | 0x20) == 'r' &&
                       (name[2] | 0x20) == 'e' && (name[3] | 0x20) == 'f';
        tag->has_href = tag->has_href || is_href;
        p = nd_scan_skip_space(p, end);
        if (p < end && *p == '=') {
            p = skip_value(p + 1, end);
        }
    }
    return NULL;
}

const uint8_t *nd_tag_read(const uint8_t *p, const uint8_t *end, nd_tag_token *tag) {
    tag->is_end = p[1] == '/';
    tag->self_closing = false;
    tag->has_href = false;
    p += tag->is_end ? 2 : 1;
    uint64_t hash = nd_tag_basis;
    while (p < end && !nd_scan_ends_tag_name(*p)) {
        hash = nd_tag_hash(hash, *p++);
    }
    tag->number = nd_tag_find(hash);
    return p < end && *p == '>' ? p + 1 : skip_attributes(p, end, tag);
}

const uint8_t *nd_tag_skip_comment(const uint8_t *p, const uint8_t *end) {
    bool real = end - p >= 4 && memcmp(p, "<!--", 4) == 0;
    if (!real) {
        const uint8_t *close = memchr(p, '>', (size_t)(end - p));
        return close == NULL ? end : close + 1;
    }
    const uint8_t *text = p + 4;
    for (p = text; (p = memchr(p, '>', (size_t)(end - p))) != NULL; p++) {
        size_t size = (size_t)(p - text);
        if (size == 0 || (size == 1 && text[0] == '-') ||
            (size >= 2 && p[-1] == '-' && p[-2] == '-') ||
            (size >= 3 && p[-1] == '!' && p[-2] == '-' && p[-3] == '-')) {
            return p + 1;
        }
    }
    return end;
}

bool nd_tag_is(const uint8_t *p, const uint8_t *end, uint8_t number, bool is_end) {
    p += 1;
    if (is_end && (p == end || *p++ != '/')) {
        return false;
    }
    const uint8_t *most = end - p > LONGEST_NAME ? p + LONGEST_NAME : end;
    uint64_t hash = nd_tag_basis;
    while (p < most && !nd_scan_ends_tag_name(*p)) {
        hash = nd_tag_hash(hash, *p++);
    }
    return p < end && nd_scan_ends_tag_name(*p) && nd_tag_find(hash) == number;
}

const uint8_t *nd_tag_find_end(const uint8_t *p, const uint8_t *end, uint8_t number) {
    while ((p = memchr(p, '<', (size_t)(end - p))) != NULL) {
        if (end - p > 1 && p[1] == '/' && nd_tag_is(p, end, number, true)) {
            return p;
        }
        p++;
    }
    return NULL;
}
