/** \file src/text/tag.h
 * The pieces of HTML markup: tags and comments, and character references. Nothing is built here:
 * these functions find where a piece ends, and what it says to the extractor (src/text/extract.h).
 */
#ifndef ND_TEXT_TAG_H
#define ND_TEXT_TAG_H

#include "src/base/buffer.h"
#include "src/text/scan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Character references of HTML text: "&eacute;", "&#233;", "&#xE9;", the legacy names that
 * need no semicolon, and the repairs HTML prescribes for wrong numbers (HTML
 * Standard, 13.2.5.72-80, the rules for text; those for attributes are not needed here). */

/** Read the character reference at p, where *p is '&'.
 * \param[out] codes  its one or two code points; codes[1] is 0 if there is only one
 * \return bytes read; 0 if this is no reference and '&' stands for itself (codes untouched) */
size_t nd_entity_read(const uint8_t *p, const uint8_t *end, uint32_t codes[2]);

/* ---- The named character references of HTML5 as tag.c searches them; scripts/make_entity_table.py
 * generates the table and says how a value is packed. For tag.c only. */

extern const char nd_entity_names[];        /**< all names, sorted, one after the other */
extern const uint16_t nd_entity_begins[];   /**< where each name begins; one more for the end */
extern const uint16_t nd_entity_initials[]; /**< per letter from 'A': number of smaller names */
extern const uint32_t nd_entity_values[];
extern const uint32_t nd_entity_seconds[]; /**< second code points; 0 is none */

/* ---- tags and comments (HTML Standard 13.2.5), and what the extractor does at each element.
 * The elements are listed in scripts/make_tag_table.py, which generates the table; an
 * element that is not listed is white space and nothing else. */

enum { ND_TAG_SLOTS = 1024, ND_TAG_SHORT_SLOTS = 512, ND_TAG_WORD_SLOTS = 256 };

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
    ND_TAG_BASE = 8192,      /**< says what the page's URLs are relative to */
    ND_TAG_MAIN = 16384,     /**< its text is ND_BLOCK_MAIN */
    ND_TAG_BESIDE = 32768,   /**< its text is ND_BLOCK_BESIDE */
    ND_TAG_APART = 65536,    /**< its text is ND_BLOCK_APART */
    ND_TAG_NOSCRIPT = 131072 /**< for readers that run no scripts */
};

typedef struct nd_tag {
    uint64_t hash;  /**< of the name */
    uint32_t flags; /**< ND_TAG_* */
} nd_tag;

/** An element of a name of at most eight bytes. */
typedef struct nd_short_tag {
    uint64_t name; /**< as nd_swar_load() reads it, with zeros after it */
    uint32_t flags;
    uint8_t number; /**< in nd_tags */
} nd_short_tag;

/** A word of an attribute that says what an element is for. */
typedef struct nd_tag_word {
    uint64_t begins; /**< its first eight letters, as nd_short_tag.name */
    uint32_t role;   /**< what the word makes of the element as its role: ND_TAG_* */
    uint32_t class;  /**< as one of the words of its class or id */
} nd_tag_word;

extern const uint64_t nd_tag_basis;
extern const nd_tag nd_tags[];
extern const uint8_t nd_tag_slots[ND_TAG_SLOTS];
extern const uint64_t nd_short_tag_factor;
extern const nd_short_tag nd_short_tags[ND_TAG_SHORT_SLOTS];
extern const uint64_t nd_tag_word_factor;
extern const nd_tag_word nd_tag_words[ND_TAG_WORD_SLOTS];

/** One step of the hash of a tag's name (FNV-1a), any case. */
static inline uint64_t nd_tag_hash(uint64_t hash, uint8_t byte) {
    return (hash ^ (byte | 0x20U)) * UINT64_C(0x100000001b3);
}

/** Number of the element with that name hash in nd_tags; 0 if it is not listed. */
static inline uint8_t nd_tag_find(uint64_t hash) {
    uint8_t number = nd_tag_slots[hash % ND_TAG_SLOTS];
    return nd_tags[number].hash == hash ? number : 0;
}

/** Where an element of that name would stand in nd_short_tags. */
static inline size_t nd_short_tag_slot(uint64_t name) {
    return name * nd_short_tag_factor / (UINT64_MAX / ND_TAG_SHORT_SLOTS + 1);
}

/** A tag as it stands in the document. */
typedef struct nd_tag_token {
    uint32_t flags; /**< ND_TAG_*, 0 for an element that is not listed */
    uint8_t number; /**< in nd_tags */
    bool is_end;
    bool self_closing;
    bool has_href; /**< known of links only */
} nd_tag_token;

/** Whether a tag begins at p: "<" or "</" and a letter. */
static inline bool nd_tag_begins(const uint8_t *p, const uint8_t *end) {
    const ptrdiff_t name = end - p >= 2 && p[1] == '/' ? 2 : 1;
    return end - p > name && p[0] == '<' && nd_scan_is_letter(p[name]);
}

/** Read the tag at p, where a letter follows "<" or "</": byte by byte, on any machine; the
 * reference of the variants of text_variant.h.
 * \return the end of its '>'; NULL if the document ends inside the tag */
const uint8_t *nd_tag_read_portable(const uint8_t *p, const uint8_t *end, nd_tag_token *tag);

/** Copy text as nd_scan_text_portable() does and read the tag that follows it; tags that are
 * ND_TAG_FORMAT and nothing else are passed over. \return the tag's '<', and scan->in is after its
 * '>'; NULL if there is no tag where the text stops, or if the document ends inside it, and then
 * scan->in is the end */
const uint8_t *nd_tag_next_portable(nd_scan *scan, const uint8_t *end, nd_tag_token *tag);

/** The value of the attribute `name` (lower case) of the tag at p, which was found
 * closed: as it stands in the document, without quotes, character references not read. Of several
 * of one name the first counts. Empty if there is none. */
nd_span nd_tag_attribute(const uint8_t *p, const uint8_t *end, const char *name);

/** What the role and, if asked for, the class and the id of the start tag at p, which was found
 * closed, say that its element is for: ND_TAG_MAIN, ND_TAG_APART and, of class and id,
 * ND_TAG_BESIDE, by their words, which are stretches of letters, any case. The words are listed in
 * scripts/make_tag_table.py. */
uint32_t nd_tag_purpose(const uint8_t *p, const uint8_t *end, bool by_class);

/** From "<!" or "<?" or "</" without a letter to the end of what HTML takes for a comment there;
 * `end` if it is not closed. */
const uint8_t *nd_tag_skip_comment(const uint8_t *p, const uint8_t *end);

/** Whether the '<' at p begins a tag (an end tag if `is_end`) of the element `number`. */
bool nd_tag_is(const uint8_t *p, const uint8_t *end, uint8_t number, bool is_end);

/** The next end tag of the element `number` from p on; NULL if there is none. */
const uint8_t *nd_tag_find_end(const uint8_t *p, const uint8_t *end, uint8_t number);

#endif
