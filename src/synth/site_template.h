/** \file src/synth/site_template.h
 * The template of a synthetic site: what stands before and after the main text of each of its
 * pages. Scripts and styles, header, navigation, a side bar with popular headlines and promotions,
 * related links, a footer; about as many bytes of it as the site's template share asks for. What
 * changes from page to page (time, counter, related links) is drawn from the page's number. Where
 * the page has a site's markup (prose.markup, src/synth/page_markup.h), that takes the place of its
 * scripts and styles.
 */
#ifndef ND_SYNTH_SITE_TEMPLATE_H
#define ND_SYNTH_SITE_TEMPLATE_H

#include "src/synth/prose.h"
#include "src/synth/site_traits.h"

typedef struct nd_site_template {
    const nd_site_traits *site;
    nd_prose prose;
    uint64_t seed;
    uint64_t page;   /**< what changes from page to page is drawn from this */
    bool redesigned; /**< the site's other design: other blocks in another order */
    uint64_t bytes;  /**< about as long is the template */
    nd_span title;   /**< the page's title, as text; borrowed */
} nd_site_template;

/** Write the host name of a site. */
void nd_site_template_host(nd_text_writer *out, const nd_vocabulary *vocabulary, uint64_t seed,
                           uint64_t site);

/** Write all up to the main text. */
void nd_site_template_before(const nd_site_template *t, nd_text_writer *out);

/** Write all that follows the main text. */
void nd_site_template_after(const nd_site_template *t, nd_text_writer *out);

#endif
