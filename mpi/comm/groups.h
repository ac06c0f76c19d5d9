/** \file mpi/comm/groups.h
 * Groups of postings: every posting goes to the rank of its key, where those of one key lie
 * together, by length. Runs of big groups are dealt to all ranks as pieces of their own, so that no
 * key is hot. nd_groups_next() then gives the candidate pairs, as many at a time as fit. What
 * outgrows memory is sorted in files.
 */
#ifndef ND_MPI_COMM_GROUPS_H
#define ND_MPI_COMM_GROUPS_H

#include "io/store/external_sort.h"
#include "mpi/comm/shuffle_stream.h"

/** A member of a run of a big group, on its way to the rank that pairs it. No padding. */
typedef struct nd_group_member {
    uint64_t item;        /**< the run; well mixed */
    uint64_t value;       /**< posting value: length and page */
    uint64_t group_count; /**< members of the whole group */
    uint64_t leads;       /**< 1 if the member opens pairs in this run, else 0 */
} nd_group_member;

/** A small group, or a run of a big one; at most ND_GROUP_RUN + ND_GROUP_NEIGHBOURS members. */
typedef struct nd_group_piece {
    uint64_t item;        /**< names the piece; well mixed */
    uint64_t group_count; /**< members of the whole group */
    uint64_t leads;       /**< members at the front that open pairs */
    uint64_t lead;        /**< the one whose pairs come next */
    uint64_t *values;     /**< posting values, ascending */
    size_t capacity;
    uint64_t count;
} nd_group_piece;

/** This rank's groups and pieces, and how far nd_groups_next() has come. */
typedef struct nd_groups {
    nd_spool_folder *folder;
    uint64_t all_pairs; /**< groups up to this size: all pairs; at most ND_GROUP_RUN. The caller's
                             to change, ND_GROUP_ALL_PAIRS as opened */
    nd_external_sort postings; /**< (mixed key, value) */
    nd_external_sort members;  /**< of the runs of big groups */
    bool in_members;           /**< the groups of the postings are done */
    nd_group_piece piece;
    uint64_t item;      /**< the piece's work item */
    nd_key_value ahead; /**< the posting that opens the next group */
    bool has_ahead;
    nd_group_member ahead_member; /**< the member that opens the next run */
    bool has_ahead_member;
    uint64_t read; /**< postings and members read so far */
} nd_groups;

/** A candidate pair: posting values, the shorter page first, and its work item: the smallest page
 * of the piece. Work in the order of the items goes through the pages in their order and finds them
 * together on disk. Pieces that begin alike are one item, for similar pages meet in many of them:
 * there each page is compared with all others at a time. */
typedef struct nd_candidate {
    uint64_t item;
    uint64_t shorter;
    uint64_t longer;
} nd_candidate;

/** Not collective; cannot fail. \param[in] sort_bytes  memory of each of the two sorts */
void nd_groups_open(nd_groups *groups, nd_spool_folder *folder, uint64_t sort_bytes);

/** Collective. Take the postings of all ranks (nd_key_value: key, posting value).
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_groups_collect(nd_comm *comm, nd_groups *groups, nd_record_source postings,
                            void *context);

/** Collective. After the last posting: make the pieces. */
nd_status nd_groups_cut(nd_comm *comm, nd_groups *groups);

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

/** Not collective. Postings and members to be read by nd_groups_next() in all. */
uint64_t nd_groups_total(const nd_groups *groups);

/** Not collective. */
void nd_groups_close(nd_groups *groups);

#endif
