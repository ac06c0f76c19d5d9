/** \file src/sets/link.h
 * A link: two pages with their similarity, and the one order in which links are preferred. The
 * order is total, so that the maximum spanning forest of a set of links is unique, and with it
 * everything that is derived from it on any number of ranks.
 */
#ifndef ND_SETS_LINK_H
#define ND_SETS_LINK_H

#include <stdint.h>

/** Plain value, no padding: it is sent as bytes. */
typedef struct nd_link {
    uint64_t a; /**< the smaller page number */
    uint64_t b;
    double similarity;
} nd_link;

/** Of two nd_link, for nd_sort(): negative if x comes before y: higher similarity first, then
 * smaller a, then smaller b. */
int nd_link_compare(const void *x, const void *y);

#endif
