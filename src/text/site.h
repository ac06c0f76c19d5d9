/** \file src/text/site.h
 * The site of a page: the host of its URL, as the unit within which templates are looked for. Read
 * after the authority rules of RFC 3986, section 3.2, from any bytes. A leading "www." stays: such
 * a host may show other pages. Registered domains, IDNA and percent-encoding are not dealt with.
 */
#ifndef ND_TEXT_SITE_H
#define ND_TEXT_SITE_H

#include "src/base/buffer.h"

#include <stdbool.h>

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

#endif
