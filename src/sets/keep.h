/** \file src/sets/keep.h
 * Which pages of a set of near-duplicates are kept, and which of them stands for each of the
 * others: by a list of rules tried in order, for the whole set or for each of its collections, and
 * without a page of a collection that is protected ever being left out. Pages are facts here;
 * nothing is read, and no similarity is asked. The invariant: the page that stands for another is
 * kept itself.
 */
#ifndef ND_SETS_KEEP_H
#define ND_SETS_KEEP_H

#include "src/base/status.h"
#include "src/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What rules look at. In the order of their names in a list; what is unknown is the last choice.
 */
typedef enum nd_keep_rule {
    ND_KEEP_REPRESENTATIVE,
    ND_KEEP_FIRST, /**< smallest page number: the order of the inputs */
    ND_KEEP_LONGEST,
    ND_KEEP_EARLIEST,
    ND_KEEP_LATEST,
    ND_KEEP_HTTPS,
    ND_KEEP_SHORTEST_URL,
    ND_KEEP_SURT,
    ND_KEEP_COLLECTION, /**< of a collection, as "collection:NAME" */
    ND_KEEP_FIELD,      /**< the largest value of a field, as "field:NAME" */
    ND_KEEP_RULES
} nd_keep_rule;

/** Rules of SURT and field in one list, at most. */
enum { ND_KEEP_ORDERS = 4 };

/** What is known of a page of a set. */
typedef struct nd_keep_page {
    uint64_t page;      /**< its number */
    uint64_t date;      /**< seconds; 0: unknown */
    uint32_t tokens;    /**< length */
    uint32_t url_bytes; /**< 0: it has no URL */
    uint32_t collection;
    uint64_t order[ND_KEEP_ORDERS]; /**< by each nd_keep_order(): the smaller, the sooner */
    uint32_t addition;              /**< before all rules: a page of an earlier one is kept */
    bool revisit;                   /**< next: it has no body, so any other is kept rather */
    bool https;
    bool representative;
} nd_keep_page;

typedef struct nd_keep nd_keep;

/** How pages are chosen, as a user says it. All zero: the representatives. */
typedef struct nd_keep_wish {
    const char *rules;    /**< names with commas between them; NULL: "representative" */
    bool each_collection; /**< one page of a set for each of its collections */
    const char *protect;  /**< collections that keep all pages, commas between them; NULL: none */
    uint64_t memory;      /**< most bytes for sorting what the rules look at; 0: the usual */
} nd_keep_wish;

/** Does it ask for anything but the usual? */
static inline bool nd_keep_wish_is_given(const nd_keep_wish *wish) {
    return wish->rules != NULL || wish->each_collection || wish->protect != NULL;
}

/** The name of the i-th rule, as "longest" or "field:NAME"; NULL after the last. */
const char *nd_keep_rule_name(size_t i);

/** Read a wish.
 * \param[in] collections  their names, by number; borrowed for this call
 * \param[out] out         the caller's to close; NULL on failure
 * \return ND_OK; ND_ERR_USAGE with a text that says what there is */
nd_status nd_keep_open(const nd_keep_wish *wish, const nd_span *collections, size_t count,
                       nd_keep **out);

/** Does a rule of the list look at this? */
bool nd_keep_asks(const nd_keep *keep, nd_keep_rule rule);

/** By what pages are ordered for rules of the list.
 * \param[in] i  from 0 on \param[out] field  borrowed; NULL: the SURT of their URLs
 * \return is there such a rule? */
bool nd_keep_order(const nd_keep *keep, size_t i, const char **field);

/** Choose among the pages of one set, which may stand in any order.
 * \param[in] pages  their collections are below the number of them
 * \param[out] kept  for each of them the number of the page that stands for it; its own number: it
 *                   is kept. Protected pages are, and where there is one, and collections are not
 *                   kept apart, one of them stands for the others. Pages that are alike by all
 *                   rules: the one with the smallest number */
void nd_keep_choose(nd_keep *keep, const nd_keep_page *pages, size_t count, uint64_t *kept);

/** Close; NULL is fine; *keep becomes NULL. */
void nd_keep_close(nd_keep **keep);

#endif
