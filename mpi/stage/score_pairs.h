/** \file mpi/stage/score_pairs.h
 * Comparing pairs of pages: the pairs are dealt to the ranks by estimated cost (a few long pages
 * take most of the time), in the order of their work items, so that pairs that share pages stay
 * together; then each rank takes batches of pairs, fetches every distinct payload of a batch once,
 * and compares. Which pairs to compare is decided elsewhere.
 */
#ifndef ND_MPI_STAGE_SCORE_PAIRS_H
#define ND_MPI_STAGE_SCORE_PAIRS_H

#include "mpi/comm/exchange.h"
#include "mpi/comm/fetch.h"
#include "mpi/job/job.h"

/** What pairs cost that are gone through in their order: those that share their first page follow
 * one another, and it is prepared once for all of them. */
typedef struct nd_cost_count {
    uint64_t preparation; /**< per token, see nd_method_preparation() */
    uint64_t page;        /**< the first one of the pair before; UINT64_MAX: there is none */
    uint64_t total;
} nd_cost_count;

/** A comparison of many pairs under way. */
typedef struct nd_scoring {
    nd_job *job;
    bool keep_all;  /**< keep every pair: of a set's leader and its members, which are in the set
                         however alike they are; else those below the threshold are dropped */
    nd_spool dealt; /**< this rank's pairs (nd_pair), in order */
    uint64_t dealt_count;
    uint64_t done; /**< pairs compared so far: dealt[0 .. done - 1] */
    nd_spool *links;
    uint64_t *link_count;
    nd_spool_reader reader;
    nd_pair *pairs; /**< read, not compared yet */
    size_t pair_capacity;
    uint64_t pair_count;
    nd_fetched payloads; /**< of the present batch */
    uint64_t cost_total; /**< of this rank */
    nd_cost_count cost_done;
    uint64_t batch_cost; /**< of a batch, about; batches of few pages may cost less */
} nd_scoring;

/** Not collective; cannot fail.
 * \param[in] links, link_count  what is left is appended here: a and b as given, with their
 *                               similarity (nd_link) */
void nd_scoring_open(nd_scoring *scoring, nd_job *job, bool keep_all, nd_spool *links,
                     uint64_t *link_count);

/** Collective. Deal all ranks' pairs (nd_pair): `dealt` is this rank's share. */
nd_status nd_scoring_deal(nd_scoring *scoring, nd_record_source pairs, void *context);

/** Collective. Compare the next batch. \param[out] more  false on all ranks after the last */
nd_status nd_scoring_batch(nd_scoring *scoring, bool *more);

/** Not collective. */
void nd_scoring_close(nd_scoring *scoring);

/** Collective. Deal and compare all pairs of a spool, which is empty afterwards.
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_score_pairs(nd_job *job, nd_spool *pairs, bool keep_all, nd_spool *links,
                         uint64_t *link_count);

#endif
