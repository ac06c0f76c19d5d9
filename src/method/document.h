/** \file src/method/document.h
 * What a method sees of a page: its tokens in order and its sentences' digests. A borrowed view;
 * where the page is kept is not the method's business.
 */
#ifndef ND_METHOD_DOCUMENT_H
#define ND_METHOD_DOCUMENT_H

#include "src/hash/md5.h"
#include "src/text/site.h"

/** A sentence: the digest of its normalised text, its hash with digits masked (what templates are
 * known by), its length, and what block it stands in. No padding. */
typedef struct nd_sentence_digest {
    nd_md5 digest;   /**< MD5; where the method makes no keys of it, a nd_joined_digest */
    uint64_t masked; /**< 0 where templates are not looked for */
    uint32_t token_count;
    uint32_t flags; /**< ND_SENTENCE_*, see src/text/content.h */
} nd_sentence_digest;

/** Hash of 128 bits of a text, with the run's seed: what is equal by it counts as equal. */
typedef struct nd_text_hash {
    uint64_t high;
    uint64_t low;
} nd_text_hash;

typedef struct nd_document {
    const uint32_t *tokens; /**< low 32 bits of the hash of each token */
    uint32_t token_count;
    const nd_sentence_digest *sentences; /**< in order of appearance */
    uint32_t sentence_count;
    nd_text_hash hash; /**< of what is compared, once that is selected */
    nd_origin origin;
} nd_document;

#endif
