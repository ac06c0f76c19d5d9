/** \file mpi/cmd/overlap/overlap_findings.h
 * All that `neardup overlap` finds out about the collections of a result: what they share, exactly;
 * how large they are by samples alone; and what strong queries make of it. overlap.c prints it.
 */
#ifndef ND_CMD_OVERLAP_OVERLAP_FINDINGS_H
#define ND_CMD_OVERLAP_OVERLAP_FINDINGS_H

#include "io/result/result_read.h"
#include "mpi/cmd/page/shown_page.h"
#include "src/measure/collections.h"

/** What makes two pages the same; each contains the one before as a rule, not always: a URL may
 * have had two texts. */
typedef enum nd_thing {
    ND_THING_URL,  /**< equal URLs, byte by byte (by their 64-bit hashes) */
    ND_THING_TEXT, /**< exact copies: /pages/exact_of */
    ND_THING_SET,  /**< near-duplicates: /pages/set */
    ND_THINGS
} nd_thing;

/** What is asked for. */
typedef struct nd_overlap_wish {
    const char *collections; /**< with commas between, in this order; NULL: all */
    const char *fixed;       /**< the collection whose size is 1; NULL: the first */
    uint64_t sample;         /**< pages drawn from each; 0: no samples */
    uint64_t queries;        /**< of them asked for by strong queries */
    uint64_t resamples, seed;
    uint64_t memory; /**< bytes for sorting */
} nd_overlap_wish;

enum { ND_QUERY_WORDS = 8 };

/** Queries with pages of one collection, asked of another. */
typedef struct nd_query_tally {
    uint64_t has;   /**< pages that it has, by the sets of the result */
    uint64_t found; /**< of these, a page of their set answers */
    uint64_t other; /**< asked pages that only pages of other sets answer */
} nd_query_tally;

/** All zero may only be freed. */
typedef struct nd_overlap_findings {
    const nd_result *result; /**< borrowed */
    const nd_overlap_wish *wish;
    nd_text_column names; /**< of all collections of the result */
    size_t count;         /**< of those that are compared */
    uint64_t *row;        /**< of these in /collections */
    uint32_t *place;      /**< of each of the result its place among these; UINT32_MAX: none */
    size_t fixed;
    nd_overlap_counts counts[ND_THINGS];
    uint64_t without_url;      /**< pages */
    nd_overlap_sample by_set;  /**< of each collection's sets, each as likely as another */
    nd_overlap_sample by_page; /**< of its pages: a set of many is drawn more often */
    nd_size_estimates set_sizes, page_sizes;

    /* strong queries */
    uint64_t *poor;        /**< of each, drawn pages of too few words, which are not asked */
    nd_query_tally *tally; /**< [x * count + y] */
    nd_overlap_sample own; /**< asked pages, and the collections where their set answers */
    nd_overlap_sample any; /**< likewise, where any page does */
    nd_size_estimates own_sizes, any_sizes;
} nd_overlap_findings;

/** Find out. \param[in,out] run  of the result; only queries need it
 * \return ND_OK; ND_ERR_USAGE where there is nothing to compare, no collection of a name, or too
 *         many; ND_ERR_CHANGED where an input is not what it was; as nd_run_pages_open(); to be
 *         freed in any case */
nd_status nd_overlap_find(nd_overlap_findings *findings, nd_shown_run *run,
                          const nd_overlap_wish *wish);

/** Name of a collection that is compared, borrowed; `none` in place of one of inputs without. */
nd_span nd_overlap_name(const nd_overlap_findings *findings, size_t x, const char *none);

void nd_overlap_findings_free(nd_overlap_findings *findings);

#endif
