/** \file mpi/cmd/filter/part_source.h
 * One source parted: the records that are kept, or those that are dropped, in a new file of the
 * same form, to the byte as they are in the source. What is no page stays with its capture
 * (io/input/archive_header.h), and else with what is kept. One process's own. The invariant: every
 * byte of a source is in what is kept or in what is dropped, and what says something of the whole
 * file is in both.
 */
#ifndef ND_CMD_FILTER_PART_SOURCE_H
#define ND_CMD_FILTER_PART_SOURCE_H

#include "io/input/reader.h"
#include "io/result/result_order.h"
#include "src/base/util.h"

#include "io/store/own_file.h"

#include <stdbool.h>

/** What was written. No padding: it is summed up as numbers. */
typedef struct nd_part_totals {
    uint64_t files;
    uint64_t pages;
    uint64_t records; /**< that are no pages */
    uint64_t bytes;
    uint64_t stayed; /**< pages to be dropped that stay, since one compressed member holds them and
                          what is kept */
    uint64_t bare;   /**< pages that could not be annotated: of ARC, and files of their own */
} nd_part_totals;

/** How sources are parted, and the pages of some of them. */
typedef struct nd_parting {
    const nd_result *result;
    nd_reader_options reader; /**< as of nd_walk_open() */
    bool dropped;             /**< what is dropped is written, not what is kept */
    bool annotate;
    const char *date;    /**< of annotations, as in WARC */
    uint64_t first_page; /**< the arrays begin with this page */
    const uint64_t *kept;
    const uint32_t *set_pages;  /**< only to annotate */
    const uint8_t *reasons;     /**< likewise: nd_keep_reason */
    const nd_page_names *names; /**< likewise: of pages that stand for others */
    nd_part_totals totals;      /**< of all sources so far */
    nd_own_batch batch;         /**< files that are complete and have no names yet */
    /** Called now and then with the bytes of the present source that are done. */
    void (*pass)(void *context, uint64_t bytes);
    void *context;
} nd_parting;

/** Is anything of a source written? */
bool nd_part_is_empty(const nd_parting *parting, uint64_t begin, uint64_t end);

/** Part a source.
 * \param[in] source       its row, for checking
 * \param[in] name, bytes, checksum  its path, its size, and the sum of its blocks as the run had
 *                         them; the last 0: not known
 * \param[in] begin, end   its pages
 * \param[in] to           path; folders on the way to it are made. The file has its name when
 *                         parting->batch is published; one without any bytes is not made
 * \return ND_OK; ND_ERR_CHANGED if it is not as it was; ND_ERR_INPUT if it cannot be read;
 *         ND_ERR_FORMAT if the result is damaged; ND_ERR_IO or ND_ERR_MEMORY. On failure there is
 *         nothing of the name `to` */
nd_status nd_part_source(nd_parting *parting, uint32_t source, nd_span name, uint64_t bytes,
                         uint64_t checksum, uint64_t begin, uint64_t end, const char *to);

#endif
