/** \file src/measure/same_site.h
 * The pairs of one site apart: sets and clusters cut by site, so that whatever counts pairs of
 * pages (contingency.h, group_agreement.h) counts those of one site when it is given the cut ones.
 * The pairs of different sites are then all others. What a site is, the caller says.
 */
#ifndef ND_MEASURE_SAME_SITE_H
#define ND_MEASURE_SAME_SITE_H

#include "src/measure/contingency_table.h"

/** Site of a page of which none is known: it is on no site with any other page. */
#define ND_NO_SITE UINT64_MAX

/** The pages with their sets and clusters cut; everything owned. All zero is valid and empty. */
typedef struct nd_same_site {
    nd_labelled_pages pages; /**< in the same order; views of the arrays below */
    uint64_t *set;
    uint64_t *cluster;
    bool *loose; /**< also those without a site */
    nd_cluster_pair *ambiguous;
    size_t ambiguous_capacity;
} nd_same_site;

/** Cut. \param[in] site  of each page, any number
 * \return ND_OK or ND_ERR_MEMORY; to be freed in any case */
nd_status nd_same_site_make(const nd_labelled_pages *pages, const uint64_t *site,
                            nd_same_site *same);

void nd_same_site_free(nd_same_site *same);

#endif
