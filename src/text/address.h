/** \file src/text/address.h
 * What the address of a page says without a look at the page: its site, what it is about, and how
 * it is related to another address. Nobody asks here whether pages say the same, and nothing is
 * looked up.
 */
#ifndef ND_TEXT_ADDRESS_H
#define ND_TEXT_ADDRESS_H

#include "src/base/buffer.h"

#include <stdbool.h>

/* ---- the site: the host of a URL, as the unit within which templates are looked for. Read
 * after the authority rules of RFC 3986, section 3.2, from any bytes. A leading "www."
 * stays: such a host may show other pages. Registered domains, IDNA and percent-encoding
 * are not dealt with. */

/** Bytes kept of a host: more than the 253 of a domain name; what is longer is cut. */
enum { ND_SITE_HOST_SIZE = 255 };

/** The host of a URL in ASCII lower case, without user information, port and trailing dots; for
 * file://NAME/..., NAME. Empty where there is none: no "scheme://" in front, or nothing after it.
 * \param[in]  url   borrowed, any bytes; white space and controls in front are passed over
 * \param[out] host  the memory of the answer
 * \return a view of `host` */
nd_span nd_site_host(nd_span url, uint8_t host[ND_SITE_HOST_SIZE]);

/** XXH3 (64 bits) of a host with a seed, so that nobody who does not know it finds a host that
 * counts as another; 0 without one: the page is of no site. */
uint64_t nd_site_hash(nd_span host, uint64_t hash_seed);

/** Are pages of these sites (nd_site_hash()) of one site? Pages of no site are each for itself. */
static inline bool nd_site_is_same(uint64_t a, uint64_t b) {
    return a == b && a != 0;
}

/** May they be? Nobody knows of a page of no site where it comes from. */
static inline bool nd_site_may_be_same(uint64_t a, uint64_t b) {
    return a == b || a == 0 || b == 0;
}

/** Where a page comes from. */
typedef struct nd_origin {
    uint64_t site;    /**< nd_site_hash() */
    uint16_t subject; /**< of a page of HTML what its address names, see address.h; 0: nothing */
    bool text;        /**< it is plain text */
} nd_origin;

/* ---- What addresses say of their pages, by their paths alone; hosts are the caller's business
 * (src/text/address.h), and nobody asks whether a page says the same.
 *
 * The subject is what one page is about: the letters in the last part of its path, without its
 * ending, as in "class.ArrayList.html" or "/recipes/apple-pie/". Digits, punctuation and case do
 * not count, so that releases, numbered copies and pages of one name in several folders have one
 * subject. The invariant: what only escapes, arguments, fragments or session ids differ in has one
 * subject.
 *
 * The relation is what two pages on one site are to each other: one page in two versions, languages
 * or copies of a folder (".../2.4/manual/install.html" and ".../3.0/manual/install.html"), pages of
 * one name in unrelated folders, or pages of different names in one or in two versions. Here digits
 * and case in the last part count, and arguments belong to it. The invariant: folders that differ
 * in versions, languages and the words for them alone ("latest", "stable") are the same. */

/** 16 bits of a hash of the subject; 0: the address names nothing, as where its last part has fewer
 * than two letters, or more digits than letters, which is a number and no name. Of two subjects
 * that differ one in 65,534 has the same value.
 * \param[in] url  borrowed, any bytes */
uint16_t nd_url_subject(nd_span url);

/** In the place of a subject: the page is plain text, so that its address is not asked. */
enum { ND_SUBJECT_TEXT = 1 };

/** Do two pages have subjects, and different ones? */
static inline bool nd_subject_is_other(uint16_t a, uint16_t b) {
    return a > ND_SUBJECT_TEXT && b > ND_SUBJECT_TEXT && a != b;
}

/** Hashes of an address's last part (24 bits), of its folders without versions (16 bits), of the
 * last two of these (16 bits; 0: there are fewer) and of its folders as they are (8 bits). 0: there
 * is no address. */
typedef uint64_t nd_address;

/** \param[in] url  borrowed, any bytes; empty: there is no address */
nd_address nd_url_address(nd_span url);

typedef enum nd_address_relation {
    ND_ADDRESS_OTHER,   /**< another last part, or one has no address */
    ND_ADDRESS_ACROSS,  /**< another last part in another version's folders, as where it was renamed
                             or chapters were numbered anew */
    ND_ADDRESS_NAME,    /**< the same last part in other folders */
    ND_ADDRESS_VERSION, /**< the same last part, and the same folders or last two folders */
} nd_address_relation;

/** Symmetric. */
nd_address_relation nd_address_relate(nd_address a, nd_address b);

/** What versions of one page have in common: its last part and folders. */
static inline uint64_t nd_address_name(nd_address address) {
    return address >> 24;
}

#endif
