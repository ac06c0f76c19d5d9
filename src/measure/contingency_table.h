/** \file src/measure/contingency_table.h
 * The contingency table of a partition into sets and one into labelled clusters: a cell for each
 * set and cluster that have pages in common, with how many. What is made of it is for others;
 * the rules of loose pages and ambiguous clusters are those of contingency.h.
 */
#ifndef ND_MEASURE_CONTINGENCY_TABLE_H
#define ND_MEASURE_CONTINGENCY_TABLE_H

#include "src/base/radix_sort.h"

#include <stdbool.h>

/** Two different clusters, in any order. */
typedef struct nd_cluster_pair {
    uint64_t a;
    uint64_t b;
} nd_cluster_pair;

/** The pages to be evaluated; everything borrowed. */
typedef struct nd_labelled_pages {
    const uint64_t *set;     /**< the set that was found, any number */
    const uint64_t *cluster; /**< the true cluster, below cluster_count */
    const bool *loose;       /**< NULL: none is */
    size_t count;
    size_t cluster_count;
    const nd_cluster_pair *ambiguous; /**< may repeat; each a != b, both below cluster_count */
    size_t ambiguous_count;
} nd_labelled_pages;

/** Pages of one set and one cluster. */
typedef struct nd_cell {
    uint64_t name; /**< the set, as given */
    uint64_t set;  /**< the set, numbered by name from 0 */
    uint64_t cluster;
    uint64_t pages;       /**< at least 1 */
    uint64_t unevaluated; /**< pages of the set in clusters ambiguous with this one */
} nd_cell;

/** Everything owned. All zero is valid and empty. */
typedef struct nd_contingency_table {
    nd_cell *cells; /**< by set, then cluster */
    size_t cell_count;
    size_t set_count;
    size_t *first_cell;      /**< cells of set s: [first_cell[s], first_cell[s + 1]) */
    uint64_t *set_pages;     /**< by set */
    uint64_t *cluster_pages; /**< by cluster; some may have none */
    size_t cluster_count;
    nd_key_value *neighbours; /**< clusters that are ambiguous with `key`, by key, each once */
    size_t *first_neighbour;  /**< neighbours of c: [first_neighbour[c], first_neighbour[c + 1]) */
} nd_contingency_table;

/** Make the table of all pages that are not loose. Takes 16 to 60 bytes a page.
 * \return ND_OK or ND_ERR_MEMORY; the table is to be freed in any case */
nd_status nd_contingency_table_make(const nd_labelled_pages *pages, nd_contingency_table *table);

/** The cell of a set (numbered) and a cluster; NULL if it has no pages. */
const nd_cell *nd_contingency_table_find(const nd_contingency_table *table, uint64_t set,
                                         uint64_t cluster);

/** Whether no pair of the two clusters is evaluated. */
bool nd_contingency_table_is_ambiguous(const nd_contingency_table *table, uint64_t a, uint64_t b);

/** Cell of a loose page. */
#define ND_NO_CELL UINT64_MAX

/** Numbers of the cells of all pages that the table was made of, by page.
 * \param[out] cells  as many as pages */
void nd_contingency_table_locate(const nd_contingency_table *table, const nd_labelled_pages *pages,
                                 uint64_t *cells);

void nd_contingency_table_free(nd_contingency_table *table);

/** Pairs among n. */
static inline uint64_t nd_pairs_among(uint64_t n) {
    return n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;
}

#endif
