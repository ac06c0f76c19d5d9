/** \file src/measure/leader_tally.h
 * Pairs of a page and a leader, counted by groups of pages: with the leader of the page's set (its
 * representative), where those of one cluster agree: precision; with the leader of its cluster (the
 * original), where those of one set agree: recall. A group is, say, a decile of the similarity to
 * the leader. Loose pages and pairs of ambiguous clusters are not evaluated.
 */
#ifndef ND_MEASURE_LEADER_TALLY_H
#define ND_MEASURE_LEADER_TALLY_H

#include "src/measure/group_agreement.h"
#include "src/measure/same_site.h"

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
typedef struct nd_leaders {
    const bool *leader;   /**< of several in one set or cluster, the first that is not loose counts;
                               pages without a leader are in no pair */
    const uint64_t *site; /**< or ND_NO_SITE */
    const uint64_t *group; /**< below group_count, or ND_NO_GROUP */
    size_t group_count;
} nd_leaders;

/** Count each page with the leader of its set, or of its cluster; no leader with itself.
 * \param[out] tallies  group_count of them \return ND_OK or ND_ERR_MEMORY */
nd_status nd_leader_tally_sets(const nd_labelled_pages *pages, const nd_leaders *leaders,
                               nd_leader_tally *tallies);
nd_status nd_leader_tally_clusters(const nd_labelled_pages *pages, const nd_leaders *leaders,
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
