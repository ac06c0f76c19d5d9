/** \file mpi/cmd/look/page_table.h
 * Forms in which a result is exported: a line for each page, ids of those that are kept, pairs,
 * and lines of an index of captures. Which form, and to where, `export` decides.
 */
#ifndef ND_CMD_LOOK_PAGE_TABLE_H
#define ND_CMD_LOOK_PAGE_TABLE_H

#include "io/result/result_order.h"
#include "io/store/external_sort.h"

#include <json-c/json.h>

#include <stdbool.h>
#include <stdio.h>

/* ---- a line a page */

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
    uint64_t *representatives; /**< of all sets, while printing */
    uint64_t *kept;            /**< once chosen: the page that stands for each page */
    uint8_t *reasons;          /**< where rows name it: why (nd_keep_reason) */
    bool names_kept;           /**< rows name it */
    nd_page_names names;       /**< then: of kept pages that stand for others */
} nd_page_table;

/** Open a result for printing. */
nd_status nd_page_table_open(nd_page_table *table, const char *path, bool jsonl);

/** Choose which pages are kept (io/result/result_order.h): 8 bytes of memory a page, and where rows
 * are to name the kept page, ids and URLs of those that stand for others.
 * \return as nd_result_choose() */
nd_status nd_page_table_choose(nd_page_table *table, const nd_keep_wish *wish, bool names_kept);

/** True if the i-th page of the block should be printed. */
typedef bool (*nd_page_filter)(const nd_page_table *table, uint64_t i, void *context);

/** Print the header and all pages for which `filter` (or NULL: all) says so. Takes 8 bytes of
 * memory a set. \return ND_OK; ND_ERR_FORMAT if pages and sets are not one partition, so that a
 * page might be printed as one of a set that does not know it; ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_page_table_print(nd_page_table *table, nd_page_filter filter, void *context);

/** Make a file of the pages that are dropped and what stands for each: JSON lines if its name ends
 * so, else tab-separated. \return ND_OK; as nd_page_table_choose(); ND_ERR_IO, with nothing under
 * that name that was not there before */
nd_status nd_page_table_save_dropped(const char *result, const nd_keep_wish *wish,
                                     const char *path);

void nd_page_table_close(nd_page_table *table);

/* ---- Printing the pairs of a result as rows of a table: the verified ones with the header `a b
 * similarity id_a url_a id_b url_b`; the pages that are contained in others with `page container
 * share id url collection container_id container_url container_collection`. Or one JSON object a
 * line with the same names. Ids and URLs of all pages are in memory meanwhile. */

/** Print all verified pairs to stdout.
 * \return ND_OK, ND_ERR_FORMAT if the result has none or is damaged, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_pair_table_print(const nd_page_table *table);

/** Print each page that is contained in another, with that; also each copy of the one and of the
 * other in their collections, for which they stand. \return as above */
nd_status nd_contained_table_print(const nd_page_table *table);

/* ---- Pages of a result as an index of web archives (CDXJ): lines "SURT YYYYMMDDhhmmss {JSON}" in
 * the order of their bytes, as `LC_ALL=C sort` has it. What the result does not hold, digest,
 * length, status and media type of a capture, is taken from its record, so the archives are read
 * again. A field is there only where the record has it. Rows of an archive that cannot be read have
 * what the result says, and the archive is named. */

/** Add a line to a sort. \param[in] date  seconds since 1970; what is unknown is 1970 itself
 * \param[in] object  not freed \return ND_OK, ND_ERR_IO, or ND_ERR_FORMAT for a date of no year */
nd_status nd_cdxj_line_add(nd_line_sort *lines, nd_span url, uint64_t date, json_object *object);

/** Print all, in order. \return ND_OK or ND_ERR_IO */
nd_status nd_cdxj_lines_print(nd_line_sort *lines, FILE *to);

/** Print the pages for which `filter` (or NULL: all) says so.
 * \param[in] table    pages are chosen, and rows name the kept page
 * \param[in] memory   for sorting, bytes; 0: the usual
 * \param[out] unread  archives that could not be read again to their last page
 * \return ND_OK, ND_ERR_FORMAT, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_cdxj_print(nd_page_table *table, nd_page_filter filter, void *context, uint64_t memory,
                        uint64_t *unread);

#endif
