/** \file mpi/stage/site_sample.h
 * A sample of each site's pages, all on one rank: the pages whose texts have the smallest hashes,
 * one page per distinct text (bottom-k: Cohen and Kaplan, PODC 2007). Which pages these are depends
 * on the pages alone, not on the ranks; and every rank chooses among its own pages first, so that a
 * site with a third of all pages costs no more than any other with a full sample. Sites are dealt
 * to ranks by the sentences of their samples, for that is the work they make. Pages of no site are
 * in no sample, nor are those of sites that an index knows.
 */
#ifndef ND_MPI_STAGE_SITE_SAMPLE_H
#define ND_MPI_STAGE_SITE_SAMPLE_H

#include "mpi/job/job.h"

/** A sampled page. No padding: it is sent as bytes. */
typedef struct nd_site_page {
    uint64_t site;
    uint64_t order; /**< hash of the text: the smallest are the sample */
    uint64_t page;
    uint32_t rank; /**< that holds the page */
    uint32_t sentences;
} nd_site_page;

/** Not collective. What a sampled page costs the rank of its site, in sentences: those it has, and
 * a few for the page itself. */
uint64_t nd_site_page_cost(const void *page);

/** Collective. The samples of the sites that this rank is to look at.
 * \param[in]  most   pages of a site
 * \param[out] pages  sorted by site, then order, over all ranks; the caller's to free(); NULL on
 *                    failure
 * \param[out] ranks  (site, rank) as key and value for every rank that holds pages with text of a
 *                    site of `most` sampled pages: there may be pages that are not in the sample
 * and no copies of one that is. Sorted, distinct; the caller's to free(); NULL on failure \return
 * ND_OK on all ranks, or a failure on all */
nd_status nd_site_sample(nd_job *job, uint64_t most, nd_site_page **pages, uint64_t *count,
                         nd_key_value **ranks, uint64_t *rank_count);

#endif
