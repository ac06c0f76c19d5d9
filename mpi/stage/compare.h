/** \file mpi/stage/compare.h
 * Comparing pages, wherever they lie: digests (for the bounds) and payloads (for the similarity)
 * are fetched from the ranks that hold the pages, once for each batch. Which pages are compared
 * with which is decided elsewhere.
 */
#ifndef ND_STAGE_COMPARE_H
#define ND_STAGE_COMPARE_H

#include "mpi/comm/exchange.h"
#include "mpi/comm/fetch.h"
#include "mpi/stage/state.h"

/* ---- fetching what methods compare */

/** What is fetched of a page to bound its similarities: its site, its flags, then its digest. Not
 * collective, as the two that follow. */
size_t nd_digest_record_size(const nd_job_options *options);
const void *nd_digest_record_digest(const uint8_t *record);

/** Not collective. What two pages are to each other, by their records: ND_PAIR_*. */
uint32_t nd_digest_record_pair(const uint8_t *a, const uint8_t *b);

/** Not collective. Make the digest record of this rank's next page: they are made in order, once.
 * \param[in] document  of a new page; of an indexed one the index has it */
nd_status nd_digests_add(nd_job *job, const nd_document *document);

/** Not collective. Make those of all pages that have none yet. Without this, one is made whenever
 * it is asked for: where few are, their texts alone are read. */
nd_status nd_digests_fill(nd_job *job);

/** Not collective. The record of one of this rank's pages, borrowed until the next call. */
nd_status nd_digest_record(nd_job *job, uint64_t page, nd_span *record);

/** Not collective. Forget them all. */
void nd_digests_drop(nd_job *job);

/** Collective. Digest records of pages (ascending, distinct), in their order, which are packed
 * while they are sent; the caller's to free(). \return ND_OK on all ranks, or a failure on all
 * (*records is then NULL) */
nd_status nd_fetch_digests(nd_job *job, const uint64_t *pages, uint64_t count, uint8_t **records);

/** Not collective. Which pages to fetch for some pairs, and where each stands among them.
 * \param[in,out] places   numbers of pages, repeats allowed; each becomes its place in `pages`
 * \param[out] pages       ascending, distinct; the caller's to free()
 * \param[out] page_count  of them */
void nd_pages_places(uint64_t *places, uint64_t count, uint64_t **pages, uint64_t *page_count);

/* ---- pages at will, as many as fit in memory: their digests and payloads are fetched once,
 * then any two of them can be compared, the exact bound first. */

/** All zero but the job is one without pages. */
typedef struct nd_compare_batch {
    nd_job *job;     /**< whose pages are compared, by its method */
    uint64_t *pages; /**< ascending, distinct */
    uint64_t page_count;
    uint8_t *records; /**< their digest records */
    nd_fetched payloads;
    uint64_t compared; /**< pairs that passed the bound; kept from batch to batch */
} nd_compare_batch;

/** Collective. Fetch what the comparisons among these pages need; a batch that is open is replaced.
 * \param[in] pages  any order, repeats allowed; borrowed
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_compare_batch_fetch(nd_compare_batch *batch, const uint64_t *pages, uint64_t count);

/** Not collective. The similarity of two pages of the batch by nd_method_compare(). */
void nd_compare_batch_pair(nd_compare_batch *batch, uint64_t a, uint64_t b, double threshold,
                           double *similarity);

/** Not collective. The same of a set's leader and a page that links join to it, by
 * nd_method_compare_member(). */
void nd_compare_batch_member(nd_compare_batch *batch, uint64_t leader, uint64_t member,
                             double threshold, double *similarity);

/** Not collective. What is known of two pages of the batch besides what is compared (ND_PAIR_*). */
uint32_t nd_compare_batch_relation(const nd_compare_batch *batch, uint64_t a, uint64_t b);

/** Not collective. Are two pages of the batch plain texts, both? */
bool nd_compare_batch_are_texts(const nd_compare_batch *batch, uint64_t a, uint64_t b);

/** Not collective. Bytes a page of that many tokens takes in a batch. */
uint64_t nd_compare_batch_bytes(const nd_job_options *options, uint64_t tokens);

/** Not collective. */
void nd_compare_batch_free(nd_compare_batch *batch);

/* ---- a list of pairs: they are dealt to the ranks by estimated cost (a few long pages take
 * most of the time), in the order of their work items, so that pairs that share pages stay
 * together; then each rank takes batches of pairs, fetches every distinct payload of a
 * batch once, and compares. Where a rank has become slower than it was, others compare a part
 * of its batches. */

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
    nd_pace pace;        /**< in all batches, the late ones counting more */
    bool uneven;         /**< the ranks' pace is another than when the pairs were dealt */
} nd_scoring;

/** Not collective; cannot fail.
 * \param[in] links, link_count  what is left is appended here: a and b as given, with their
 *                               similarity (nd_link) */
void nd_scoring_open(nd_scoring *scoring, nd_job *job, bool keep_all, nd_spool *links,
                     uint64_t *link_count);

/** Collective. Deal all ranks' pairs (nd_pair): `dealt` is this rank's share.
 * \param[in] labels  their items are made by these (pair_labels.h); NULL: they have their items */
nd_status nd_scoring_deal(nd_scoring *scoring, const uint64_t *labels, nd_record_source pairs,
                          void *context);

/** Collective. Compare the next batch. \param[out] more  false on all ranks after the last */
nd_status nd_scoring_batch(nd_scoring *scoring, bool *more);

/** Not collective. */
void nd_scoring_close(nd_scoring *scoring);

/** Collective. Deal and compare all pairs of a spool, which is empty afterwards.
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_score_pairs(nd_job *job, nd_spool *pairs, bool keep_all, nd_spool *links,
                         uint64_t *link_count);

#endif
