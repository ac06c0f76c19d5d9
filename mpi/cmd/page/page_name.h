/** \file mpi/cmd/page/page_name.h
 * Which page of a result a NAME means, by one rule for all commands: a page number, else an id,
 * else a URL. `page:NAME`, `id:NAME` and `url:NAME` say which of these it is. A number is looked up
 * by itself, an id or a URL in the order of names (io/result/result_order.h); where a result
 * has none, the bytes of that column are searched, in parts.
 */
#ifndef ND_CMD_PAGE_PAGE_NAME_H
#define ND_CMD_PAGE_PAGE_NAME_H

#include "io/result/result_schema.h"

/** Pages of one name that are listed. */
enum { ND_NAMESAKES_LISTED = 8 };

/** What a name was understood as, and the pages of that name. Plain value. */
typedef struct nd_named_pages {
    const char *as;                      /**< "page number", "id" or "URL" */
    uint64_t count;                      /**< of all pages of this name; at least 1 */
    uint64_t pages[ND_NAMESAKES_LISTED]; /**< the first of them, ascending */
} nd_named_pages;

/** Find the pages of a name.
 * \return ND_OK; ND_ERR_USAGE if there is none; ND_ERR_IO, ND_ERR_FORMAT or ND_ERR_MEMORY */
nd_status nd_page_name_find(const nd_result *result, const char *name, nd_named_pages *found);

/** Say on stderr, in one line, if the name may mean other pages than the first that was found: more
 * pages have it, or it is a number and also an id. Ids are searched for that only where the page's
 * own id, or the first page's, is a number.
 * \return ND_OK, ND_ERR_IO, ND_ERR_FORMAT or ND_ERR_MEMORY */
nd_status nd_page_name_warn(const nd_result *result, const char *name, const nd_named_pages *found);

#endif
