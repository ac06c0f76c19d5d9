/** \file io/result/result_sites.h
 * What a run learned of sites, out of its result: for each the masked hashes of the sentences that
 * are its template, and of the links that it repeats. With them the run's choice of content can be
 * made again for any page of a site. A site that is not listed has no template and repeats all its
 * links. Results of format version 1 list no sites at all: nd_result_knows_sites(). Nothing is
 * chosen here.
 */
#ifndef ND_IO_RESULT_RESULT_SITES_H
#define ND_IO_RESULT_RESULT_SITES_H

#include "io/result/result_schema.h"

/** Does the result say what was learned of sites? */
bool nd_result_knows_sites(const nd_result *result);

/** The sites of a result, and the lists of one of them. All zero may only be closed. */
typedef struct nd_result_sites {
    const nd_result *result; /**< borrowed until it is closed */
    uint64_t *sites;         /**< nd_site_hash() of each with the run's seed, ascending */
    uint64_t count;
    uint64_t read;       /**< row of the site whose lists these are; `count`: of one not listed */
    uint64_t *templates; /**< ascending */
    uint64_t *repeated;  /**< likewise */
    uint64_t template_count, repeated_count;
    bool repeats_all; /**< every link is repeated, and so none listed */
} nd_result_sites;

/** Read the names of all sites: 8 bytes of memory each.
 * \param[out] sites  to be closed on failure too
 * \return ND_OK; ND_ERR_FORMAT if they are not in order; ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_result_sites_open(nd_result_sites *sites, const nd_result *result);

/** Read the lists of a site (nd_site_hash()), unless they are read already.
 * \return ND_OK; ND_ERR_FORMAT if they are not in order; ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_result_sites_find(nd_result_sites *sites, uint64_t site);

/** Is a sentence of this masked hash of the site's template, or a link that it repeats?
 * \param[in] link  the sentence is a link that may return (mpi/job/page_content.h) */
bool nd_result_site_drops(const nd_result_sites *sites, uint64_t masked);
bool nd_result_site_repeats(const nd_result_sites *sites, uint64_t masked, bool link);

void nd_result_sites_close(nd_result_sites *sites);

/** Go through all sites and their lists, if the result has any.
 * \return ND_OK; ND_ERR_FORMAT, the text names the first that is not in order; ND_ERR_IO or
 *         ND_ERR_MEMORY */
nd_status nd_result_sites_check(const nd_result *result);

#endif
