/** \file io/input/page_maker.h
 * From a record as read to a stored page: text, sentences and tokens, their digests and hashes, the
 * site. Scratch memory is kept from page to page. What is compared of a page is decided later. What
 * a site is, host or registered domain, is said here too.
 */
#ifndef ND_INPUT_PAGE_MAKER_H
#define ND_INPUT_PAGE_MAKER_H

#include "io/input/reader.h"
#include "io/input/record_limits.h"
#include "io/store/page_store.h"
#include "src/base/buffer.h"
#include "src/text/page.h"

/** All zero is a valid start; fields of which nothing is said are private. */
typedef struct nd_page_maker {
    bool by_domain;     /**< the caller's: a page's site is its registered domain, not its host */
    uint64_t hash_seed; /**< the caller's: of all hashes of its text, but for MD5 */
    bool images;        /**< the caller's: the URLs of a page's images are tokens of it */
    uint32_t text_urls; /**< the caller's: nd_text_urls */
    bool any_digest;    /**< the caller's: no keys are made of sentences' digests: they are not MD5,
                             but nd_joined_digest of their tokens' hashes */
    bool beside;        /**< the caller's: forms, and elements whose class or id says so, may stand
                             beside the content; a copy's template may have other classes, so a
                             run does not ask */
    bool unmasked;      /**< the caller's: nobody asks for sentences' masked hashes: they are 0 */
    bool no_navigation; /**< the caller's: nobody asks for what is navigation: it counts in the
                           whole text's hash and length, and is not stored */
    bool page_is_used;  /**< the caller's: of the page itself more is asked after it was added: it
                           stays, however large it is */
    const nd_record_limits *limits; /**< the caller's, borrowed; NULL: none */
    nd_page page;                   /**< the last record's, until the next call */
    nd_content_sentence *contents;  /**< of each of its sentences, likewise */
    nd_span *messages;              /* the sentences as they are hashed */
    nd_md5 *digests;
    nd_sentence_digest *sentences;
    uint32_t *tokens;
    size_t message_capacity, digest_capacity, content_capacity, sentence_capacity, token_capacity;
} nd_page_maker;

/** Make a page of a record, as maker->page and maker->contents.
 * \return ND_OK; ND_ERR_LIMIT, of which nd_fail_text() has the reason: the record is no page;
 *         ND_ERR_MEMORY */
nd_status nd_page_maker_read(nd_page_maker *maker, const nd_record *record);

/** The same, and append it to a store.
 * \param[in] source, collection  rows that the page came from
 * \return ND_OK; ND_ERR_LIMIT, of which nd_fail_text() has the reason: the record is no page, and
 *         the store is as before; ND_ERR_IO or ND_ERR_MEMORY: the store cannot be used any more */
nd_status nd_page_maker_add(nd_page_maker *maker, const nd_record *record, uint32_t source,
                            uint16_t collection, nd_page_store *store);

/** The hash of the site of the page that a record is (nd_site_hash()); 0: it is of none. */
uint64_t nd_page_maker_site(const nd_page_maker *maker, const nd_record *record);

void nd_page_maker_free(nd_page_maker *maker);

/* ---- The registered domain of a host (example.co.uk of www.news.example.co.uk), by the Public
 * Suffix List that the library libpsl carries. What a site is can then be the domain instead of the
 * host. */

/** The registered domain of a lower-case host: the last part of it; the host itself where it has
 * none (an address, a public suffix, a name without dots). Borrowed from `host`. */
nd_span nd_registered_domain(nd_span host);

#endif
