/** \file src/text/tag.h
 * Reading of HTML tags and comments (HTML Standard 13.2.5), and what the extractor does at each
 * element. The elements are listed in scripts/make_tag_table.py, which generates the table; an
 * element that is not listed is white space and nothing else. Nothing is built here: these
 * functions only find where a piece of markup ends.
 */
#ifndef ND_TEXT_TAG_H
#define ND_TEXT_TAG_H

#include "src/base/buffer.h"

#include <stdbool.h>

enum { ND_TAG_SLOTS = 1024 };

enum {
    ND_TAG_FORMAT = 1,       /**< deleted without a trace: "wo<b>rd</b>" is one word */
    ND_TAG_BREAK = 2,        /**< ends a block */
    ND_TAG_TRACKED = 4,      /**< must be closed: kept on the stack of open elements */
    ND_TAG_NAVIGATION = 8,   /**< its text is ND_BLOCK_NAVIGATION */
    ND_TAG_DROP = 16,        /**< its content is no text */
    ND_TAG_NESTING = 32,     /**< such an element may contain its like */
    ND_TAG_RAW = 64,         /**< left open, it reaches to the end of the page */
    ND_TAG_TITLE = 128,      /**< the document's title, whose content has no tags */
    ND_TAG_LINK = 256,       /**< a link if it has an href */
    ND_TAG_SCOPE = 512,      /**< end tags inside do not close elements outside */
    ND_TAG_PAGE = 1024,      /**< its end closes everything */
    ND_TAG_EXCLUSIVE = 2048, /**< cannot contain its like: a second one closes the first */
    ND_TAG_IMAGE = 4096,     /**< an image, if it has a src */
    ND_TAG_BASE = 8192       /**< says what the page's URLs are relative to */
};

typedef struct nd_tag {
    uint64_t hash;  /**< of the name */
    uint32_t flags; /**< ND_TAG_* */
} nd_tag;

extern const uint64_t nd_tag_basis;
extern const nd_tag nd_tags[];
extern const uint8_t nd_tag_slots[ND_TAG_SLOTS];

/** One step of the hash of a tag's name (FNV-1a), any case. */
static inline uint64_t nd_tag_hash(uint64_t hash, uint8_t byte) {
    return (hash ^ (byte | 0x20U)) * UINT64_C(0x100000001b3);
}

/** Number of the element with that name hash in nd_tags; 0 if it is not listed. */
static inline uint8_t nd_tag_find(uint64_t hash) {
    uint8_t number = nd_tag_slots[hash % ND_TAG_SLOTS];
    return nd_tags[number].hash == hash ? number : 0;
}

/** A tag as it stands in the document. */
typedef struct nd_tag_token {
    uint8_t number; /**< in nd_tags */
    bool is_end;
    bool self_closing;
    bool has_href;
} nd_tag_token;

/** Read the tag at p, where a letter follows "<" or "</".
 * \return behind its '>'; NULL if the document ends inside the tag */
const uint8_t *nd_tag_read(const uint8_t *p, const uint8_t *end, nd_tag_token *tag);

/** The value of the attribute `name` (lower case) of the tag at p, which nd_tag_read() found
 * closed: as it stands in the document, without quotes, character references not read. Of several
 * of one name the first counts. Empty if there is none. */
nd_span nd_tag_attribute(const uint8_t *p, const uint8_t *end, const char *name);

/** From "<!" or "<?" or "</" without a letter to behind what HTML takes for a comment there; `end`
 * if it is not closed. */
const uint8_t *nd_tag_skip_comment(const uint8_t *p, const uint8_t *end);

/** Whether the '<' at p begins a tag (an end tag if `is_end`) of the element `number`. */
bool nd_tag_is(const uint8_t *p, const uint8_t *end, uint8_t number, bool is_end);

/** The next end tag of the element `number` from p on; NULL if there is none. */
const uint8_t *nd_tag_find_end(const uint8_t *p, const uint8_t *end, uint8_t number);

#endif
