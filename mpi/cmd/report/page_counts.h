/** \file mpi/cmd/report/page_counts.h
 * What one walk over all pages of a result counts for a report: similarities, and how many pages of
 * each collection and of each site are not their set's representative. Memory is of the number of
 * sites and collections; nothing is printed.
 */
#ifndef ND_CMD_REPORT_PAGE_COUNTS_H
#define ND_CMD_REPORT_PAGE_COUNTS_H

#include "io/result/result_read.h"
#include "src/measure/agreement.h"

enum {
    ND_SIMILARITY_BINS = 51, /**< of .02 each, and one of 1 itself */
    ND_SIZE_POWERS = 40      /**< sets of 2^i pages to the next power of two */
};

typedef struct nd_named_count {
    uint64_t pages;
    uint64_t more; /**< of them not the representative of their set */
} nd_named_count;

/** All zero is valid and empty; owned. */
typedef struct nd_page_counts {
    uint64_t similarities[ND_SIMILARITY_BINS]; /**< of pages to a representative, not themselves */
    uint64_t sizes[ND_SIZE_POWERS];            /**< of sets */
    uint64_t thin;                             /**< pages with hardly any text */
    uint64_t exact;           /**< exact copies that are not the representative of their set */
    uint64_t revisits, alone; /**< revisits; of these, those whose page is not there */
    nd_name_table hosts;      /**< of URLs, in the order in which they were met */
    nd_named_count *sites;    /**< by number of `hosts` */
    size_t site_capacity;
    nd_named_count without_site; /**< pages of no site */
    nd_named_count *collections;
    uint64_t collection_count;
} nd_page_counts;

/** Count. \param[out] counts  to be freed in any case
 * \return ND_OK, ND_ERR_FORMAT, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_page_counts_take(const nd_result *result, nd_page_counts *counts);

void nd_page_counts_free(nd_page_counts *counts);

/** Of `counts` rows those with the most pages that are no representative, ties by their number.
 * \param[out] rows  room for `most` numbers \return how many there are, at most `most` */
uint64_t nd_named_counts_first(const nd_named_count *counts, uint64_t count, uint64_t most,
                               uint64_t *rows);

#endif
