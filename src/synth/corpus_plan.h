/** \file src/synth/corpus_plan.h
 * Which page of a synthetic corpus is what: of which story, a copy of which kind, on which site,
 * and what distinguishes that site from others. Everything about page i follows from the options
 * and i, so that any page can be made alone; the only table is that of the cluster sizes. No text
 * is made here.
 */
#ifndef ND_SYNTH_CORPUS_PLAN_H
#define ND_SYNTH_CORPUS_PLAN_H

#include "src/base/status.h"
#include "src/synth/story.h"

#include <stdbool.h>

/* ---- sites */

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

/* ---- Which page of a synthetic corpus is what: of which story, a copy of which kind, on which
 * site. Everything about page i follows from the options and i, so that any page can be made alone;
 * the only table is that of the cluster sizes. No text is made here.
 *
 * Pages lie in an order of their own ("slots"): first the stories with their copies, by descending
 * number of copies, then the pages that look alike without being copies. A keyed bijection of
 * [0, pages) (a Feistel network with cycle walking; Black and Rogaway, CT-RSA 2002) gives each page
 * its slot, so that the copies of a story are scattered over the corpus. */

typedef enum nd_corpus_profile {
    ND_PROFILE_ARCHIVE, /**< many copies: 6 pages in the mean cluster */
    ND_PROFILE_CRAWL    /**< few: 1.4 */
} nd_corpus_profile;

typedef struct nd_corpus_options {
    uint64_t pages;
    uint64_t seed;
    nd_corpus_profile profile;
    uint64_t page_bytes; /**< mean length of a page's HTML */
    double text;         /**< percent of it that are visible text; 0: plain pages, see
                              src/synth/markup.h */
    uint64_t sites;      /**< 0: one for each 100 pages */
    double skew;         /**< share of the pages that lie on site 0 */
    double hot_key;      /**< share of the pages that carry the licence */
} nd_corpus_options;

/** Most pages of a corpus: numbers of pages and stories stay within 48 bits. */
#define ND_CORPUS_MOST_PAGES (UINT64_C(1) << 40)
/** Least of nd_corpus_options.page_bytes: below, there is no room for a template and a story. */
#define ND_CORPUS_LEAST_BYTES UINT64_C(4000)

typedef struct nd_corpus_plan nd_corpus_plan;

/** One page of the corpus. */
typedef struct nd_page_plan {
    uint64_t page;
    nd_page_class class;
    uint64_t story;  /**< number of its story, or of its family of pages that look alike */
    uint64_t member; /**< number among the pages of that story or family; 0 is the original */
    uint64_t home;   /**< site of the story */
    uint64_t site;   /**< of this page */
    uint64_t words;  /**< about as many has the story, before it is edited */
    bool redesigned; /**< in the later one of the site's two designs */
    bool licence;    /**< carries the sentences that many pages have in common */
} nd_page_plan;

/** Check the options and plan the corpus. The plan takes at most 3 MB, however many the pages.
 * \param[out] out  the caller's to free; NULL on failure
 * \return ND_OK or ND_ERR_USAGE (the text names the option) */
nd_status nd_corpus_plan_new(const nd_corpus_options *options, nd_corpus_plan **out);

/** Free; NULL is fine; *plan becomes NULL. */
void nd_corpus_plan_free(nd_corpus_plan **plan);

/** The options, with the number of sites filled in. */
const nd_corpus_options *nd_corpus_plan_options(const nd_corpus_plan *plan);

/** What page `page` is; `page` is below the number of pages. */
void nd_corpus_plan_page(const nd_corpus_plan *plan, uint64_t page, nd_page_plan *out);

/** Bytes of story, with its markup, in the mean page. */
double nd_corpus_story_bytes(const nd_corpus_options *options);

#endif
