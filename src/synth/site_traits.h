/** \file src/synth/site_traits.h
 * What distinguishes one synthetic site from another: its name, language, how large its template is
 * and what of it changes from page to page. All of it follows from the seed and the site's number.
 */
#ifndef ND_SYNTH_SITE_TRAITS_H
#define ND_SYNTH_SITE_TRAITS_H

#include "src/synth/draw.h"
#include "src/synth/vocabulary.h"

/** Share of a page of mean length that is template. As stories are of all lengths, it is 10 to 80 %
 * of most pages and 45 % of the mean one (Gibson, Punera and Tomkins, WWW 2005: 40 to 50 %). */
#define ND_TEMPLATE_LEAST .1
#define ND_TEMPLATE_MOST  .625

typedef struct nd_site_traits {
    uint64_t site;
    nd_language language;
    double template_share; /**< of a page whose story has the mean length */
    bool semantic;         /**< marks navigation as such (nav, aside, footer) */
    bool stamped;          /**< shows the time and a visitor count on every page */
    bool related;          /**< links to other stories on every page */
    bool teasers;          /**< index pages have a sentence below each headline */
} nd_site_traits;

/** The traits of site number `site`. Site 0 has the spaced language. */
nd_site_traits nd_site_traits_get(uint64_t seed, uint64_t site);

#endif
