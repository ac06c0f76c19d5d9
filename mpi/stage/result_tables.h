/** \file mpi/stage/result_tables.h
 * The tables of the result file beside pages and sets, which the stage itself writes: what went in
 * (/sources, /collections, /skipped), how the run went (/stages, root attributes), pairs, and
 * sites.
 *
 * Attributes beside those of the run's options: pages, sets, ranks, totals (JSON: what a plan of a
 * later run is made of), repeated_ids (pages with the id, not empty, of an earlier page of their
 * collection) and shared_ids (the same of any collection).
 */
#ifndef ND_STAGE_RESULT_TABLES_H
#define ND_STAGE_RESULT_TABLES_H

#include "io/result/result_file.h"
#include "io/result/result_read.h"
#include "mpi/job/job.h"

/* ---- small tables */

/** Collective. Agree on a write that was collective. HDF5 does not agree on a write that failed on
 * one rank (a full disk): the others wait inside of it. Then the rank that failed says why, removes
 * the unfinished file and ends the job: it never returns.
 * \return ND_OK on all ranks; on a single rank its own failure */
nd_status nd_result_agree(const nd_comm *comm, const nd_result *result, nd_status mine);

/** Collective. Write a rank's part of a column, and agree as above. */
nd_status nd_result_put(nd_job *job, nd_result *result, const char *name, nd_column_type type,
                        const nd_slab *slab, const void *values);

/** Collective. The same of offsets: of `rows->total` rows they are a number more, which the last
 * rank writes. \param[in] offsets  rows->count + 1 */
nd_status nd_result_put_offsets(nd_job *job, nd_result *result, const char *name,
                                const uint64_t *offsets, const nd_slab *rows);

/** Collective. /sources, /collections and /skipped. ND_OK on all ranks, or a failure on all. */
nd_status nd_result_write_inputs(nd_job *job, nd_result *result);

/** Collective. /stages and the attributes; called when the last stage has been measured. */
nd_status nd_result_write_run(nd_job *job, nd_result *result);

/* ---- Pages that have the id of another page: who deletes pages by id would lose both. They are
 * found by hashes of 128 bits of the ids, spread over the ranks by hash and sorted, in bounded
 * memory. Pages without an id have nothing to be mistaken for. */

/** Collective. Count the pages of the job that have the id of an earlier one.
 * \param[out] found  the same on all ranks, whatever their number
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_repeated_ids_find(nd_job *job, nd_repeated_ids *found);

/* ---- Pairs of pages of a run in its result, those that were verified or those of which one is
 * contained in the other: a table with a row per pair in one order. What a pair is, and which are
 * similar, is decided in the stages before. */

/** Collective. A table from pairs (nd_link), which are gone afterwards: by (a, b), the same on any
 * number of ranks; sorted and written within the bounds of memory.
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_write_pairs(nd_job *job, nd_result *result, const nd_pair_columns *table,
                         nd_spool *pairs);

/* ---- /sites of the result: what content selection has learned of sites, each under the host, or
 * domain, that its pages' URLs have. */

/** Collective. Write the columns into their group; by site, the same on any number of ranks. ND_OK
 * on all ranks, or a failure on all. */
nd_status nd_write_sites(nd_job *job, nd_result *result);

#endif
