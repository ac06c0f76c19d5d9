/** \file src/sets/candidates.h
 * From postings to candidate pairs: keys that occur once are dropped, and pages that share a key
 * are paired.
 *
 * Candidate pairs inside a group of pages that share a key: the pages sorted by length, each paired
 * with all others in a small group and with its next few in a large one. A large group is cut into
 * runs that overlap by as many pages as a page has partners, so that the runs of one group can be
 * worked on anywhere and together give each pair once. Pages are not compared here.
 */
#ifndef ND_SETS_CANDIDATES_H
#define ND_SETS_CANDIDATES_H

#include "src/base/sort.h"

enum {
    ND_GROUP_ALL_PAIRS =
        16, /**< groups up to this size: all pairs (quality: nothing to gain beyond) */
    ND_GROUP_NEIGHBOURS = 8, /**< larger groups: partners that follow in order of length */
    ND_GROUP_RUN = 4096,     /**< pages that open pairs in one run */
    ND_POSTING_PAGE_BITS = 40,
    ND_POSTING_LENGTH_BITS = 24
};

/** A posting's value: the page's length in tokens (cut at 2^24 - 1) above its number (below 2^40),
 * so that postings sorted by (key, value) are sorted by length, then page. */
uint64_t nd_posting_value(uint64_t page, uint64_t tokens);
uint64_t nd_posting_page(uint64_t value);
uint64_t nd_posting_length(uint64_t value);

/** Number of runs of a group of `count` pages; 1 for a small one. */
uint64_t nd_group_runs(uint64_t count);

/** The run-th run: pages [begin, end) of the group, of which the first `leads` open pairs. */
typedef struct nd_group_run {
    uint64_t begin;
    uint64_t end;
    uint64_t leads;
} nd_group_run;
nd_group_run nd_group_run_at(uint64_t count, uint64_t run);

/** The partners of member i in a (piece of a) group: members i + 1 up to, not including, the value
 * returned.
 * \param[in] all_pairs    largest group that gets all its pairs (ND_GROUP_ALL_PAIRS), at most
 *                         ND_GROUP_RUN
 * \param[in] group_count  size of the whole group
 * \param[in] piece_count  members at hand */
uint64_t nd_group_partner_end(uint64_t all_pairs, uint64_t group_count, uint64_t piece_count,
                              uint64_t i);

/** How many of a group's pairs its runs leave out, in all. */
uint64_t nd_group_passed(uint64_t all_pairs, uint64_t group_count);

/* ---- Dropping records whose key no other record has, before they are sorted: most keys of a crawl
 * are one page's alone, and nobody meets under them. What the keys are, and what becomes of groups,
 * is the caller's business. */

/** Keep the records whose key another record may have: all whose key occurs again, and of the
 * others a few. Those kept stay in their order.
 * \param[in,out] records  keys are hashes: where their high bits are alike, more are kept
 * \param[in,out] count    how many */
void nd_repeated_keys(nd_key_value *records, uint64_t *count);

#endif
