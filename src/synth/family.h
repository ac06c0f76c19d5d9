/** \file src/synth/family.h
 * Pages that look alike without being copies of each other: forms with other data, parts of a
 * series, articles that quote the same paragraph, lists of the same headlines, other words on the
 * same topic, error pages. The pages of a family share what the family's number gives, and differ
 * in what the member's number gives.
 */
#ifndef ND_SYNTH_FAMILY_H
#define ND_SYNTH_FAMILY_H

#include "src/synth/page_class.h"
#include "src/synth/story.h"

/** One page of a family. */
typedef struct nd_family_page {
    const nd_vocabulary *vocabulary;
    uint64_t seed;
    nd_language language;
    nd_page_class class; /**< ND_PAGE_TEMPLATE to ND_PAGE_ERROR */
    uint64_t family;
    uint64_t member;
    uint64_t page;  /**< distinguishes this page from all others */
    uint64_t words; /**< of an article of its own, about */
    bool teasers;   /**< ND_PAGE_INDEX: a sentence below each headline */
} nd_family_page;

/** Wordings of error pages; the same on all sites. */
enum { ND_ERROR_WORDINGS = 12 };

/** Which of these an error page has. The last one has no text at all. */
uint64_t nd_family_error_wording(const nd_family_page *page);

/** Write the page's main text.
 * \return tokens of its body that another page of the family has, too; a failure is kept in
 *         story->status */
uint64_t nd_family_story(const nd_family_page *page, nd_story *story);

#endif
