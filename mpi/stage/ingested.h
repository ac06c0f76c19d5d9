/** \file mpi/stage/ingested.h
 * What the reading of the inputs leaves, and how it gets into the work folder and out again: pages
 * in the order in which they were read, with their texts and names; records that were skipped; the
 * units, which say what of it counts and how the pages are numbered; and which inputs gave
 * nothing. Reading itself is stage_ingest.c.
 *
 * Arrays of the work folder: units (nd_unit), ingest.pages (nd_stored_page), ingest.text (packed
 * texts), ingest.names and ingest.skipped (bytes). After content selection pages stand in place of
 * ingest.pages, with masks (bytes): texts stay where they are.
 */
#ifndef ND_STAGE_INGESTED_H
#define ND_STAGE_INGESTED_H

#include "io/store/page_store.h"
#include "mpi/job/job.h"

/* ---- Inputs that gave nothing, and those that could not be read to their end: a run says which
 * they are, and is no success without a page. An archive that holds other records only, and whole,
 * is used as it should be. */

/** Not collective. May an input that has failed so be named and skipped? Not if it is our own copy
 * of standard input that is gone. */
bool nd_source_may_skip(const nd_input *input, nd_status status);

/** Not collective. Did this input give nothing at all, or not everything because it could not be
 * opened or read? One that has bytes and all of which was read is none: a compressed file of
 * nothing, as neardup filter writes. \param[in] bytes  of the file */
bool nd_source_is_unused(const nd_source_totals *totals, uint64_t bytes);

/** Collective. Name the unused inputs on stderr, with what would make them give pages, once all
 * inputs are read. The text does not depend on the number of ranks.
 * \param[in] all  where those stand that are too many to be named, as " (in the list)"; may be ""
 * \return ND_OK; ND_ERR_FORMAT on all ranks if there is no page at all: the text says what to do,
 *         and the work folder is given up; or ND_ERR_MEMORY on all */
nd_status nd_unused_inputs_report(nd_job *job, const char *all);

/** Not collective. Keep a record that cannot be used, and name it on stderr.
 * \param[in] unit  in which it was met; ND_NO_UNIT: the source could not even be looked at */
void nd_skipped_add(nd_job *job, size_t unit, uint64_t source, uint64_t offset, const char *reason);

#define ND_NO_UNIT SIZE_MAX

/** Collective; all is read. Name, in one line for all of them, records of JSONL without a text in
 * inputs that have pages: of the others nd_unused_inputs_report() says what is wrong. */
void nd_skipped_name_without_text(const nd_job *job);

/** Collective. Keep the skipped records after those that are kept there. \return this rank's status
 */
nd_status nd_skipped_save(nd_job *job, nd_checkpoint *to);

/** Collective. Keep what this rank has read since the last time as a checkpoint, and drop it from
 * memory: the places of its fresh units become global, and all ranks know them. */
nd_status nd_ingested_save(nd_job *job, const char *stage);

/** Collective. Keep the one part that this rank has written, if any, after what the array holds.
 * \param[out] base  number of its first byte; the caller adds it to the places of its pages
 * \return this rank's status; not agreed on */
nd_status nd_ingested_keep_parts(nd_job *job, const char *array, nd_page_parts *parts,
                                 uint64_t *base);

/** Not collective. Load the units of the work folder. \return as nd_checkpoint_load(), and
 * ND_ERR_FORMAT if one is none */
nd_status nd_ingested_load_units(nd_job *job);

/** Not collective. Were all units read that were loaded? \return ND_OK or ND_ERR_FORMAT */
nd_status nd_ingested_check_done(const nd_job *job);

/** Collective. Number the pages by (source, place in it), deal them to the ranks (with checkpoints;
 * without, they stay where they were read) and add up the totals. */
nd_status nd_ingested_number(nd_job *job);

/** Collective. Load this rank's share of the pages as they were read. */
nd_status nd_ingested_load(nd_job *job);

/** Collective. Load this rank's share of the pages as they were after content selection: the `load`
 * of that stage (stage.h). */
nd_status nd_ingested_load_selected(nd_job *job, bool last);

#endif
