/** \file io/result/result_order.h
 * Pages of a result in orders of their own, by names, SURTs and fields, and by these which pages
 * of a set are kept (src/sets/keep.h). Memory is bounded but for a number a page.
 */
#ifndef ND_RESULT_RESULT_ORDER_H
#define ND_RESULT_RESULT_ORDER_H

#include "io/result/result_read.h"
#include "io/result/result_schema.h"
#include "src/base/util.h"
#include "src/sets/keep.h"

/* ---- the order of names: /pages/by_id and /pages/by_url are all pages by (a hash of their id,
 * or URL, number), and beside each stands the hash, so that the pages of one name are
 * found by halving. The invariant: a page that is found has the name, to the byte. */

/** The columns of ids, or of URLs. */
typedef struct nd_name_columns {
    const char *offsets, *bytes; /**< the names */
    const char *pages, *hashes;  /**< their order */
} nd_name_columns;

extern const nd_name_columns nd_id_columns, nd_url_columns;

/** By what a page of so many is ordered: the upper half of the XXH3 of its name. Pages without a
 * name, whom nobody looks for, go by their number and spread evenly. */
uint32_t nd_name_hash(nd_span name, uint64_t page, uint64_t pages);

/** Find the pages of a name, ascending.
 * \param[out] pages  the first `most` of them
 * \param[out] count  of all
 * \return ND_OK, ND_ERR_IO, ND_ERR_FORMAT or ND_ERR_MEMORY */
nd_status nd_name_order_find(const nd_result *result, const nd_name_columns *columns, nd_span name,
                             uint64_t *pages, uint64_t most, uint64_t *count);

/** Is each page there once, in order, with the hash of its name? \return ND_OK; ND_ERR_FORMAT with
 * a text that names the column; ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_name_order_check(const nd_result *result, const nd_name_columns *columns);

/* ---- Pages of a result in the order of what the result does not hold as a number: of the SURTs of
 * their URLs, or of a field of JSONL, which is read again from the inputs. Ranks are given, not
 * values; equal values have one. Memory is bounded but for them: values are sorted within a bound.
 */

/** Rank the pages.
 * \param[in] field   by name, as in io/input/jsonl.h: the largest value first. Numbers, also as
 *                    texts, are compared as such, other texts by their bytes, and come after all
 *                    numbers; then pages without. NULL: by SURT, those without a URL last
 * \param[in] memory  see nd_line_sort_open()
 * \param[out] ranks  a number for each page, the smaller the earlier; the caller's to free()
 * \return ND_OK; ND_ERR_USAGE if no page has the field; ND_ERR_CHANGED if an input is not what it
 *         was; ND_ERR_FORMAT, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_result_order(const nd_result *result, const char *field, uint64_t memory,
                          uint64_t **ranks);

/* ---- Of all pages of a result, which are kept, and which of these stands for each of the others
 * (src/sets/keep.h); and the ids and URLs of some pages, wherever they lie. Nothing is written. */

/** Choose in every set of a result. Where it has pages of earlier runs (attribute additions), these
 * are all kept, and for a new page stands one of the earliest addition that its set has pages of.
 * A revisit is kept only where no other page of its choice can be, and then with the page that it
 * is of, wherever another stands for that. Takes, besides what it gives, up to 19 bytes of memory a
 * page of what the rules look at, 8 more where there are revisits and 8 for each rule of surt or
 * field, and what sorting takes. \param[out] kept       for each page the number of the page that
 * stands for it, its own if it is kept; the caller's to free(), as the next \param[out] set_pages
 * for each page how many pages its set has; NULL: not wanted \return ND_OK; ND_ERR_USAGE (the
 * wish); ND_ERR_FORMAT if pages and sets are not one partition; ND_ERR_IO or ND_ERR_MEMORY; they
 * are NULL then */
nd_status nd_result_choose(const nd_result *result, const nd_keep_wish *wish, uint64_t **kept,
                           uint32_t **set_pages);

/** Why another page stands for a page. */
typedef enum nd_keep_reason {
    ND_KEEP_ITSELF,        /**< none does */
    ND_KEEP_EXACT,         /**< that page has the same text */
    ND_KEEP_EQUAL_CONTENT, /**< what is compared of both is the same, the texts are not */
    ND_KEEP_REVISIT,       /**< the page has no body: its record says that it repeats another */
    ND_KEEP_NEAR           /**< both are similar */
} nd_keep_reason;

/** Its name in what is printed, as "equal-content"; "" of ND_KEEP_ITSELF. */
const char *nd_keep_reason_name(nd_keep_reason reason);

/** The reason for every page: a byte each, and 17 more a page meanwhile.
 * \param[in] kept  as of nd_result_choose() \param[out] reasons  the caller's to free(); NULL on
 * failure \return ND_OK, ND_ERR_FORMAT, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_result_reasons(const nd_result *result, const uint64_t *kept, uint8_t **reasons);

/** Ids and URLs of pages that stand for others. All zero is valid and holds none. */
typedef struct nd_page_names {
    uint64_t *pages; /**< ascending; owned */
    uint64_t count;
    uint64_t *ends; /**< in `bytes`, of each page's id and URL */
    nd_buffer bytes;
} nd_page_names;

/** Read those of the pages that stand for others among [begin, end), in one pass over the result.
 * \param[in] kept  as of nd_result_choose(), of page `begin` and those after it
 * \return ND_OK, ND_ERR_FORMAT, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_page_names_read(const nd_result *result, const uint64_t *kept, uint64_t begin,
                             uint64_t end, nd_page_names *names);

/** Id and URL of one of these, borrowed. */
void nd_page_names_get(const nd_page_names *names, uint64_t page, nd_span *id, nd_span *url);

void nd_page_names_free(nd_page_names *names);

#endif
