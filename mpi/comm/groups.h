/** \file mpi/comm/groups.h
 * Groups of postings: every posting goes to the rank of its key, where those of one key lie
 * together, by length. From there each small group, and each run of a big one, goes as a piece to
 * the rank of one of its pages, drawn by hash: near-duplicates share most of their keys, and so
 * their pieces meet on one rank one after the other, where a page is fetched once for all of them;
 * and no key is hot. nd_groups_next() then gives the candidate pairs, as many at a time as fit.
 * What outgrows memory is sorted in files.
 */
#ifndef ND_MPI_COMM_GROUPS_H
#define ND_MPI_COMM_GROUPS_H

#include "io/store/external_sort.h"
#include "mpi/comm/exchange.h"

/** A member of a piece, on its way to the rank that pairs it. No padding. */
typedef struct nd_group_member {
    uint64_t place; /**< where the piece is worked on: the page that it goes to above the members of
                         the whole group, as far as 24 bits count them */
    uint64_t piece; /**< names the piece among those of a place; well mixed */
    uint64_t value; /**< posting value: length and page */
} nd_group_member;

/** A small group, or a run of a big one; at most ND_GROUP_RUN + ND_GROUP_NEIGHBOURS members, of
 * which the first ND_GROUP_RUN open pairs. */
typedef struct nd_group_piece {
    uint64_t item;        /**< the page that it went to */
    uint64_t group_count; /**< members of the whole group, as far as 24 bits count */
    uint64_t lead;        /**< the member whose pairs come next */
    uint64_t *values;     /**< posting values, ascending */
    size_t capacity;
    uint64_t count;
} nd_group_piece;

/** This rank's groups and pieces, and how far nd_groups_next() has come. */
typedef struct nd_groups {
    nd_spool_folder *folder;
    uint64_t all_pairs; /**< groups up to this size: all pairs; at most ND_GROUP_RUN. The caller's
                             to change, ND_GROUP_ALL_PAIRS as opened */
    nd_external_sort postings; /**< (mixed key, value); closed once they are cut */
    nd_external_sort members;  /**< of this rank's pieces */
    nd_group_piece piece;
    nd_group_member ahead; /**< the member that opens the next piece */
    bool has_ahead;
    uint64_t read;   /**< members read so far */
    uint64_t passed; /**< pairs of pages in this rank's larger groups that are no candidates, as
                          often as they meet; known once groups are cut */
} nd_groups;

/** A candidate pair: posting values, the shorter page first, and its work item: the page that its
 * piece went to. Candidates come in the order of their items, so that work in that order finds
 * pages that are alike together, and the other pages of their sites not far on disk. */
typedef struct nd_candidate {
    uint64_t item; /**< and ND_CANDIDATE_COMMON, where the whole group has more than
                        ND_GROUP_NEIGHBOURS members: what so many pages say tells little of them */
    uint64_t shorter;
    uint64_t longer;
} nd_candidate;

/** Above all pages. */
#define ND_CANDIDATE_COMMON (UINT64_C(1) << 63)

/** Not collective; cannot fail. \param[in] sort_bytes  memory of each of the two sorts */
void nd_groups_open(nd_groups *groups, nd_spool_folder *folder, uint64_t sort_bytes);

/** Collective. Take the postings of all ranks (nd_key_value: key, posting value).
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_groups_collect(nd_comm *comm, nd_groups *groups, nd_record_source postings,
                            void *context);

/** Collective. After the last posting: make the pieces, and forget the postings.
 * \param[in] first  ranges of the ranks' pages, as nd_comm_ranges() gives them */
nd_status nd_groups_cut(nd_comm *comm, nd_groups *groups, const uint64_t *first);

/** Not collective. The next candidate pairs of this rank.
 * \param[out] candidates  room for `room` of them; room >= ND_GROUP_ALL_PAIRS and
 *                         groups->all_pairs
 * \param[out] count       how many were written; 0 after the last */
nd_status nd_groups_next(nd_groups *groups, nd_candidate *candidates, uint64_t room,
                         uint64_t *count);

/** Not collective. A link between each member and the next of the same group: what joins pages that
 * share a key. It has one over the group's members for a similarity, so that rare keys join first.
 * They are appended to `links` (nd_link). Instead of nd_groups_next(), not after it. */
nd_status nd_groups_chain(nd_groups *groups, nd_spool *links, uint64_t *count);

/** Not collective. Postings of this rank, until they are cut; then the members that
 * nd_groups_next() reads in all. */
uint64_t nd_groups_total(const nd_groups *groups);

/** Not collective. */
void nd_groups_close(nd_groups *groups);

#endif
