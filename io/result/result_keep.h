/** \file io/result/result_keep.h
 * Of all pages of a result, which are kept, and which of these stands for each of the others
 * (src/sets/keep.h); and the ids and URLs of some pages, wherever they lie. Nothing is written.
 */
#ifndef ND_IO_RESULT_RESULT_KEEP_H
#define ND_IO_RESULT_RESULT_KEEP_H

#include "io/result/result_pages.h"
#include "src/sets/keep.h"

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

/** Ids and URLs of some pages. All zero is valid and holds none. */
typedef struct nd_page_names {
    uint64_t *pages; /**< ascending; owned */
    uint64_t count;
    uint64_t *ends; /**< in `bytes`, of each page's id and URL */
    nd_buffer bytes;
} nd_page_names;

/** Read them, in one pass over the result.
 * \param[in] pages  ascending, distinct; taken over, also on failure
 * \return ND_OK, ND_ERR_FORMAT, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_page_names_read(const nd_result *result, uint64_t *pages, uint64_t count,
                             nd_page_names *names);

/** Id and URL of a page that was asked for, borrowed. */
void nd_page_names_get(const nd_page_names *names, uint64_t page, nd_span *id, nd_span *url);

void nd_page_names_free(nd_page_names *names);

#endif
