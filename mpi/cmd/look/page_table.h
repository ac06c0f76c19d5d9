/** \file mpi/cmd/look/page_table.h
 * Printing pages of a result as rows of a table: tab-separated with the header
 * `page id url collection set similarity representative link link_similarity exact_of source
 * offset`, or one JSON object a line with the same names; where pages are chosen, `kept kept_id
 * kept_url reason` too. A page that is no exact copy has nothing in `exact_of`, one that is kept
 * no `reason`.
 */
#ifndef ND_CMD_LOOK_PAGE_TABLE_H
#define ND_CMD_LOOK_PAGE_TABLE_H

#include "io/result/result_order.h"
#include <stdbool.h>
#include <stdio.h>

/** Digits of a similarity. */
enum { ND_PAGE_TABLE_DIGITS = 6 };

/** What every table of pages begins with, where it is tab-separated. */
#define ND_PAGE_TABLE_HEADER                                                                       \
    "page\tid\turl\tcollection\tset\tsimilarity\trepresentative\tlink\tlink_similarity\t"          \
    "exact_of\tsource\toffset"

typedef struct nd_page_table {
    nd_result result;
    bool jsonl;
    FILE *to; /**< where rows go: stdout, unless it is set after opening */
    nd_text_column sources, collections;
    uint64_t pages, sets;
    nd_page_rows rows;         /**< scratch */
    uint64_t *representatives; /**< of all sets, once loaded */
    uint64_t *kept;            /**< once chosen: the page that stands for each page */
    uint8_t *reasons;          /**< where rows name it: why (nd_keep_reason) */
    bool names_kept;           /**< rows name it */
    nd_page_names names;       /**< then: of kept pages that stand for others */
} nd_page_table;

/** Open a result for printing. */
nd_status nd_page_table_open(nd_page_table *table, const char *path, bool jsonl);

/** Read the representative of every set: 8 bytes of memory a set. Needed before printing.
 * \return ND_OK; ND_ERR_FORMAT if pages and sets are not one partition, so that a page might be
 *         printed as one of a set that does not know it; ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_page_table_load_representatives(nd_page_table *table);

/** Choose which pages are kept (io/result/result_order.h): 8 bytes of memory a page, and where rows
 * are to name the kept page, ids and URLs of those that stand for others.
 * \return as nd_result_choose() */
nd_status nd_page_table_choose(nd_page_table *table, const nd_keep_wish *wish, bool names_kept);

/** True if the i-th page of the block should be printed. */
typedef bool (*nd_page_filter)(const nd_page_table *table, uint64_t i, void *context);

/** Print the header and all pages for which `filter` (or NULL: all) says so. */
nd_status nd_page_table_print(nd_page_table *table, nd_page_filter filter, void *context);

/** Make a file of the pages that are dropped and what stands for each: JSON lines if its name ends
 * so, else tab-separated. \return ND_OK; as nd_page_table_choose(); ND_ERR_IO, with nothing under
 * that name that was not there before */
nd_status nd_page_table_save_dropped(const char *result, const nd_keep_wish *wish,
                                     const char *path);

/** Of the i-th page of the block read last: its representative; once pages are chosen, the page
 * that stands for it, with its id and URL, and why, "" of a page that is kept. */
uint64_t nd_page_table_representative(const nd_page_table *table, uint64_t i);
uint64_t nd_page_table_kept(const nd_page_table *table, uint64_t i, nd_span *id, nd_span *url);
const char *nd_page_table_reason(const nd_page_table *table, uint64_t i);

void nd_page_table_close(nd_page_table *table);

#endif
