/** \file src/measure/agreement.h
 * How well a partition into sets agrees with one into labelled clusters: as a whole, for groups of
 * pages, for pairs of one site, and for pairs of a page and a leader. Counted from the contingency
 * table, never by listing pairs, so that a cluster of a million pages costs a cell. Only numbers
 * here: no files. Which pages and pairs are not evaluated is said once, at nd_contingency.
 */
#ifndef ND_MEASURE_AGREEMENT_H
#define ND_MEASURE_AGREEMENT_H

#include "src/base/buffer.h"
#include "src/base/sort.h"

#include <stdbool.h>

/* ---- names as dense numbers: the first name added is 0, the next other one 1, and so on. For
 * the ids and clusters of labelled pages; an open-addressing hash table over one buffer of
 * bytes. Names are bytes, compared as they are. */

/** What is found where there is no such name. */
#define ND_NO_NAME UINT64_MAX

/** All zero is a valid empty table. */
typedef struct nd_name_table {
    nd_buffer bytes; /**< the names, one after the other */
    size_t *end;     /**< name i ends at byte end[i] and starts where the one before ends */
    size_t count;
    size_t capacity;
    uint64_t *slots; /**< number of the name + 1, or 0; a power of two of them */
    size_t slot_count;
} nd_name_table;

/** The number of a name, given a new one if it has none.
 * \param[out] added  whether it is new; may be NULL */
void nd_name_table_add(nd_name_table *table, nd_span name, uint64_t *number, bool *added);

/** The number of a name, or ND_NO_NAME. */
uint64_t nd_name_table_find(const nd_name_table *table, nd_span name);

/** Name `number`, borrowed until the next add. */
nd_span nd_name_table_at(const nd_name_table *table, uint64_t number);

/** Free everything; the table is empty. */
void nd_name_table_free(nd_name_table *table);

/* ---- the contingency table: a cell for each set and cluster that have pages in common, with
 * how many */

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
 * The table is to be freed in any case. */
void nd_contingency_table_make(const nd_labelled_pages *pages, nd_contingency_table *table);

/** Whether no pair of the two clusters is evaluated. */
bool nd_contingency_table_is_ambiguous(const nd_contingency_table *table, uint64_t a, uint64_t b);

/** Cell of a loose page. */
#define ND_NO_CELL UINT64_MAX

/** Numbers of the cells of all pages that the table was made of, by page.
 * \param[out] cells  as many as pages */
void nd_contingency_table_locate(const nd_contingency_table *table, const nd_labelled_pages *pages,
                                 uint64_t *cells);

void nd_contingency_table_free(nd_contingency_table *table);

/* ---- How well a partition into sets agrees with one into labelled clusters: pairwise counts and
 * the B-cubed measure (Bagga and Baldwin, 1998), and the adjusted Rand index (Hubert and Arabie,
 * 1985). All come from the contingency table: sums of n (n - 1) / 2 and of squares;
 * pairs are never listed, so a cluster of a million pages costs a cell. Only numbers here: no
 * names, no files.
 *
 * Some pairs are not evaluated. A loose page is out altogether: no pair with it counts, B-cubed
 * takes no mean over it and does not see it in the sets and clusters of others. A pair of pages of
 * two clusters that are ambiguous with each other counts neither as found nor as missed; in
 * B-cubed, the precision of a page is taken over those pages of its set that it is evaluated with
 * (itself included), so a page of an ambiguous cluster in the same set neither helps nor harms.
 * Recall looks only inside clusters, so ambiguous clusters do not touch it. */

typedef struct nd_agreement {
    uint64_t pages;      /**< that are evaluated: those not loose */
    uint64_t sets;       /**< with at least one of them */
    uint64_t clusters;   /**< likewise */
    uint64_t cells;      /**< of the table that are not empty: clusters, summed over the sets */
    uint64_t true_pairs; /**< of one cluster */
    uint64_t predicted_pairs; /**< of one set, without the skipped ones */
    uint64_t common_pairs;    /**< of one set and one cluster */
    uint64_t skipped_pairs;   /**< of one set, in two clusters that are ambiguous */
    uint64_t evaluated_pairs; /**< of all pages, in one cluster or in two that are not ambiguous */
    double cubed_precision;   /**< mean over the pages; 1 if there is none */
    double cubed_recall;
} nd_agreement;

/** Count. */
void nd_agreement_count(const nd_labelled_pages *pages, nd_agreement *agreement);

/** Precision, recall and their harmonic mean. */
typedef struct nd_measure {
    double precision;
    double recall;
    double f1; /**< 0 if both are */
} nd_measure;

/** From counts of pairs. Precision is 1 by definition where nothing is predicted, recall where
 * there is nothing to find. */
nd_measure nd_measure_pairs(uint64_t common, uint64_t predicted, uint64_t true_pairs);

/** What a deletion of all pages of each set but one would do: of a set of n pages of c clusters, n
 * - 1 go, of which n - c have a page of their own cluster left in it. Precision is the share of
 * these, recall their share of the pages that could go: all but one of each cluster. Ambiguous
 * clusters are not left out here. */
nd_measure nd_measure_removal(const nd_agreement *agreement);

/** The B-cubed measure of an agreement. */
nd_measure nd_measure_cubed(const nd_agreement *agreement);

/** The adjusted Rand index of Hubert and Arabie (Journal of Classification 2, 1985):
 * (common - e) / ((true + predicted) / 2 - e) with e = true * predicted / evaluated, the common
 * pairs to be expected by chance; at most 1, 0 by chance. 1 by definition where all evaluated
 * pairs, or none, are both true and predicted. Over the evaluated pairs only, where clusters are
 * ambiguous. */
double nd_adjusted_rand_index(const nd_agreement *agreement);

/* ---- How well a partition agrees with clusters for groups of pages apart, such as those edited in
 * one way: the pairs with at least one page of the group, and means over its pages. Counted from
 * the contingency table, never by listing pairs; all groups together take one pass over the pages.
 * Loose pages and ambiguous clusters are treated as above. */

/** Group of a page that is in none. */
#define ND_NO_GROUP UINT64_MAX

/** Pairs of pages; as in nd_agreement. */
typedef struct nd_pair_counts {
    uint64_t true_pairs;
    uint64_t predicted_pairs;
    uint64_t common_pairs;
    uint64_t skipped_pairs;
} nd_pair_counts;

/** The pairs of an agreement. */
nd_pair_counts nd_agreement_pairs(const nd_agreement *agreement);

/** Those of `all` that are not among `some`. */
nd_pair_counts nd_pair_counts_without(nd_pair_counts all, nd_pair_counts some);

typedef struct nd_group_agreement {
    uint64_t pages;           /**< of the group, not loose */
    nd_pair_counts pairs;     /**< with at least one page of the group */
    uint64_t partnered_pages; /**< pages of the group whose cluster has another page */
    double page_recall;       /**< mean over these of the share of the other pages of the cluster
                                   that are in the page's set; 1 if there are none */
    uint64_t mixed_pages;     /**< pages of the group in a set with a page of another cluster that
                                   is not ambiguous with theirs */
} nd_group_agreement;

/** Count. \param[in] group  of each page, below group_count or ND_NO_GROUP
 * \param[out] groups  group_count of them */
void nd_group_agreement_count(const nd_labelled_pages *pages, const uint64_t *group,
                              size_t group_count, nd_group_agreement *groups);

/* ---- The pairs of one site apart: sets and clusters cut by site, so that whatever counts pairs of
 * pages (nd_contingency_of(), groups) counts those of one site when it is given the cut ones.
 * The pairs of different sites are then all others. What a site is, the caller says. */

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
 * To be freed in any case. */
void nd_same_site_make(const nd_labelled_pages *pages, const uint64_t *site, nd_same_site *same);

void nd_same_site_free(nd_same_site *same);

/* ---- Pairs of a page and a leader, counted by groups of pages: with the leader of the page's set
 * (its representative), where those of one cluster agree: precision; with the leader of its cluster
 * (the original), where those of one set agree: recall. A group is, say, a decile of the similarity
 * to the leader. Loose pages and pairs of ambiguous clusters are not evaluated. */

typedef struct nd_leader_pairs {
    uint64_t pairs;    /**< evaluated */
    uint64_t agreeing; /**< of them */
} nd_leader_pairs;

typedef struct nd_leader_tally {
    nd_leader_pairs all;
    nd_leader_pairs same_site; /**< of them, page and leader on one site */
} nd_leader_tally;

/** The pairs of different sites. */
static inline nd_leader_pairs nd_leader_tally_elsewhere(const nd_leader_tally *tally) {
    return (nd_leader_pairs){tally->all.pairs - tally->same_site.pairs,
                             tally->all.agreeing - tally->same_site.agreeing};
}

/** What leads where. All borrowed, one item for each page. */
typedef struct nd_labelled_leaders {
    const bool *leader;   /**< of several in one set or cluster, the first that is not loose counts;
                               pages without a leader are in no pair */
    const uint64_t *site; /**< or ND_NO_SITE */
    const uint64_t *group; /**< below group_count, or ND_NO_GROUP */
    size_t group_count;
} nd_labelled_leaders;

/** Count each page with the leader of its set, or of its cluster; no leader with itself.
 * \param[out] tallies  group_count of them */
void nd_leader_tally_sets(const nd_labelled_pages *pages, const nd_labelled_leaders *leaders,
                          nd_leader_tally *tallies);
void nd_leader_tally_clusters(const nd_labelled_pages *pages, const nd_labelled_leaders *leaders,
                              nd_leader_tally *tallies);

/** Deciles of similarity: [0, .1) is 0, ... [.9, 1) is 9; 1 itself is 10, as exact copies would
 * hide all others. */
enum { ND_DECILES = 11 };

/** The decile of a similarity in [0, 1], which is first rounded to six decimals: single precision
 * holds no .7. */
static inline uint64_t nd_decile_of(double similarity) {
    const double millionths = similarity * 1e6 + .5;
    return millionths < 1e5 ? 0 : millionths < 1e6 ? (uint64_t)millionths / 100000 : 10;
}

#endif
