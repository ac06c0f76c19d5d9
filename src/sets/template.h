/** \file src/sets/template.h
 * The template of one site: the sentences (known by their hashes) that stand on many of its pages.
 * Plain page counts would take a story for a template where a site keeps many copies of it, so
 * what is counted are classes of near-duplicate pages: the single-link components of the pages over
 * the token-weighted Jaccard coefficient of the minima of their sentences, which a word more or
 * less mostly leaves, or, in the first of two rounds, over being edits of one another
 * (template.c). What the first finds is taken from the pages, and the second, with looser
 * classes, looks at what is left.
 *
 * The classes are exact. Pairs are found by prefix and positional filters (Xiao, Wang, Lin and Yu,
 * "Efficient similarity joins for near duplicate detection", WWW 2008) with token weights; pairs
 * that are in one class already are not compared. Pages are not sampled and not changed here.
 */
#ifndef ND_SETS_TEMPLATE_H
#define ND_SETS_TEMPLATE_H

#include "src/base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { ND_TEMPLATE_ROUNDS = 2, ND_TEMPLATE_MINIMA = 2 };

typedef struct nd_template_round {
    double similarity; /**< pages are of one class from here on; above 0, at most 1 */
    double share;      /**< of the classes in which a template sentence stands, at least */
    double edited;     /**< and of one class too if so much of what only one has is an edit of what
                            only the other has (template.c); 0: not for that */
} nd_template_round;

typedef struct nd_template_options {
    nd_template_round rounds[ND_TEMPLATE_ROUNDS];
    uint64_t least_classes; /**< in which a template sentence stands, at least; above 0 */
    uint64_t least_site;    /**< a round finds nothing on a site of fewer classes */
    uint64_t small_site;    /**< a site with at most this many pages that are not empty is small: */
    uint64_t small_least;   /**< there this takes the place of least_classes; above 0 */
} nd_template_options;

/** Measured on seven labelled sets and on made-up archives. The first round takes what stands on
 * two fifths of a site's classes: with .8 and .5 in their place less of a template is found, with
 * a share of .25 stories of many edited copies are lost, and with a similarity of .5 or less short
 * copies in large templates. What is left of two pages is their own, so that copies of one story,
 * even much edited, are one class to the second round: with stricter classes an archive's stories
 * of a hundred edited copies were taken for templates (of 100,000 pages pairwise recall .944, with
 * .25 .89), and with the sentences themselves in place of their minima those of several hundred
 * (.91). Without edits stories of thousands of copies were (of 1,000,000 pages recall .49, with
 * them .88). In the second round edits would find more reprints (F1 .993, not .992), but take
 * siblings of forms for one class, so that these have no template (seen on documentation at
 * large). Fewer classes take content for template, more leave template on small sites. No site is
 * small by default; up to 8 pages, 3 classes did no harm. */
#define ND_TEMPLATE_DEFAULTS                                                                       \
    ((nd_template_options){                                                                        \
        .rounds = {{.similarity = .6, .share = .4, .edited = .16},                                 \
                   {.similarity = .2, .share = .1}},                                               \
        .least_classes = 4,                                                                        \
        .least_site = 3,                                                                           \
        .small_site = 0,                                                                           \
        .small_least = 3,                                                                          \
    })

typedef struct nd_template_sentence {
    uint64_t hash;
    uint32_t tokens; /**< its weight; 0 counts as 1; the largest where they differ */
    uint32_t
        minima[ND_TEMPLATE_MINIMA]; /**< nd_template_minima(); the smallest where they differ */
} nd_template_sentence;

/** The smallest hashes of a sentence's pairs of neighbouring tokens, under so many functions: two
 * sentences have the same minimum with the probability of their pairs' resemblance (Broder,
 * Charikar, Frieze and Mitzenmacher, "Min-wise independent permutations", 1998). Of one token it is
 * that token's, of none UINT32_MAX. */
void nd_template_minima(const uint32_t *tokens, size_t count, uint32_t minima[ND_TEMPLATE_MINIMA]);

/** The sentences of a page, in any order; repeats do not count. A page without any is no class. */
typedef struct nd_template_page {
    const nd_template_sentence *sentences; /**< may be NULL if count is 0 */
    size_t count;
} nd_template_page;

/** Find the template of a site. The answer does not depend on the order of the pages.
 * \param[in]  pages       at most 2^32 - 1 pages and sentences in all
 * \param[out] hashes      ascending, distinct; to be freed by the caller; NULL on failure
 * \param[out] hash_count  0 on failure
 * \return ND_OK or ND_ERR_LIMIT */
nd_status nd_template_find(const nd_template_page *pages, size_t count,
                           const nd_template_options *options, uint64_t **hashes,
                           size_t *hash_count);

typedef struct nd_template_repeat {
    double similarity;      /**< pages are of one class from here on */
    uint64_t least_classes; /**< on which a repeated sentence stands, at least */
    double share;           /**< and at least this share of the site's classes */
    uint64_t least_site;    /**< on a site of fewer classes all are taken for repeated */
} nd_template_repeat;

/** An entry of an index stands on its letter's page, on that of all letters, and on some pages
 * more: it is what these pages are about. A link of the site's frame stands on far more. */
#define ND_TEMPLATE_REPEAT_DEFAULTS                                                                \
    ((nd_template_repeat){.similarity = .6, .least_classes = 3, .share = .1, .least_site = 4})

/** What is found on a site; each list ascending, distinct. */
typedef struct nd_template_lists {
    uint64_t *templates; /**< of the pages' sentences, as nd_template_find() */
    uint64_t *repeated;  /**< of the other sentences */
    size_t template_count, repeated_count;
} nd_template_lists;

/** nd_template_find(), and of sentences that are no part of the pages' content (their links) those
 * that are repeated from class to class of pages: the rest distinguish a page on its site. The
 * classes are those of what the template leaves of `pages`; a page without sentences is a class of
 * its own. Sentences of the template are not repeated ones.
 * \param[in]  others  the other sentences of the same pages; their hashes alone are used
 * \param[out] lists   to be given to nd_template_lists_free(); empty on failure
 * \return ND_OK or ND_ERR_LIMIT */
nd_status nd_template_lists_find(const nd_template_page *pages, const nd_template_page *others,
                                 size_t count, const nd_template_options *options,
                                 const nd_template_repeat *repeat, nd_template_lists *lists);

void nd_template_lists_free(nd_template_lists *lists);

#endif
