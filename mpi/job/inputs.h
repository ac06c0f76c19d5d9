/** \file mpi/job/inputs.h
 * The inputs of a job: the list of them, the same on all ranks, and the units into which they are
 * cut. Nothing is read here.
 */
#ifndef ND_JOB_INPUTS_H
#define ND_JOB_INPUTS_H

#include "io/input/input_list.h"
#include "io/input/reader.h"
#include "mpi/comm/comm.h"
#include "src/base/buffer.h"

#include <stdbool.h>

/* ---- the list: rank 0 walks the folders, all others get its list, so that a file that appears
 * meanwhile cannot make ranks disagree. */

/** Collective. Resolve the words on rank 0 and share the list.
 * \param[in] skip_copies  an input with the same bytes as another of its collection is left out
 * \param[out] list  the same on all ranks; empty on failure
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_inputs_share(nd_comm *comm, const char *const *words, size_t count, bool skip_copies,
                          nd_input_list *list);

/** Collective. The seed that follows from the bytes of all inputs (nd_input_number()), whatever
 * their names and order: whoever knows some of them does not know it. \return ND_OK on all ranks,
 * or a failure on all */
nd_status nd_inputs_seed(nd_comm *comm, const nd_input_list *list, uint64_t *seed);

/** Not collective. The list as bytes. */
void nd_inputs_pack(const nd_input_list *list, nd_buffer *buffer);

/** Not collective. Put other inputs in front of a list; collections of one name become one.
 * \param[in,out] before  empty afterwards \return ND_OK, ND_ERR_MEMORY or ND_ERR_LIMIT */
nd_status nd_inputs_put_before(nd_input_list *list, nd_input_list *before);

/** Not collective. A list from its bytes, which stay in use.
 * \param[in,out] bytes  from malloc(); NULL afterwards if the list has taken them
 * \param[out] list      to be freed on failure too
 * \return ND_OK, ND_ERR_MEMORY, or ND_ERR_FORMAT if they are those of no list */
nd_status nd_inputs_unpack(char **bytes, size_t size, nd_input_list *list);

/* ---- Units of input: byte ranges of the sources, the grain of reading. Sources are cut into units
 * of about one size, and ranks get consecutive units of about equal bytes, so that pages numbered
 * rank by rank are numbered by (source, place in it) whatever the cut. Where a record start had to
 * be searched, the chain of restart points shows false starts (see io/input/reader.h), and
 * nd_units_mend() corrects them. Nothing is read here. */

/** No padding: it is kept as bytes. The fields after `next` are the reading's; all ranks know them
 * after nd_units_mend() or nd_units_share(). */
typedef struct nd_unit {
    uint64_t source;
    uint64_t
        begin; /**< bytes [begin, end) of the source; begin moves when a false start is mended */
    uint64_t end;
    uint64_t first; /**< filled by reading: nd_reader_chain() */
    uint64_t next;
    uint64_t done;     /**< 1 once it has been read from its present begin */
    uint64_t reads;    /**< how often it was read: what an earlier reading gave does not count */
    uint64_t failed;   /**< 1: its source failed for good, so that what it holds is not all known */
    uint64_t checksum; /**< of the file's bytes that were read for it: nd_reader_identity() */
    uint64_t blocks;   /**< sum of the blocks that begin in it, or, where a false start was mended,
                            after the unit before it (io/input/file_window.h) */
    uint64_t records, pages, revisits, skipped;
    uint64_t gaps;              /**< nd_reader_counts */
    uint64_t others[ND_OTHERS]; /**< records that are no pages, by reason */
    uint64_t page_bytes;        /**< of its pages' HTML or text as it was read */
    uint64_t place; /**< of its first page among all pages in the order of their reading */
} nd_unit;

/** What a rank knows of all units. */
typedef struct nd_units {
    nd_unit *units;
    size_t count, capacity;
    size_t own_begin, own_end; /**< this rank's units; those of all ranks cover all */
    bool *fresh;               /**< [unit] read by this rank, of which the others do not know yet */
} nd_units;

/** Not collective. What reading a unit costs, about: bytes; 0 if it is done. */
uint64_t nd_unit_cost(const nd_unit *unit);

/** Not collective. Size of a unit, bytes. \param[in] asked  0: a sixteenth of a rank's share, 1 to
 * 64 MiB */
uint64_t nd_units_bytes(const nd_input_list *inputs, uint64_t asked, int size);

/** Not collective; the same result on every rank. Cut the sources and deal the units.
 * \param[in] shapes  of each input; one whose `format` is NULL gets no unit
 * \param[in] unit_bytes  nd_units_bytes() */
void nd_units_cut(nd_units *units, const nd_input_list *inputs, const nd_source_shape *shapes,
                  uint64_t unit_bytes, int rank, int size);

/** Not collective; all ranks know all units. Deal those that are not done: sets own_begin and
 * own_end, and none is fresh. */
void nd_units_deal(nd_units *units, int rank, int size);

/** Collective. Let all ranks know what was read: none is fresh then. */
void nd_units_share(nd_units *units, const nd_comm *comm);

/** Collective. Compare every unit's first record with where the unit before it says that the next
 * record starts.
 * \param[in,out] units  this rank's `first` and `next` are filled by reading; the others' are
 *                       filled here; where a start was false, `begin` becomes the true one and
 *                       the unit is not done
 * \return units of this rank that must be read again from their new begin */
size_t nd_units_mend(nd_units *units, const nd_comm *comm);

/** Not collective. */
void nd_units_free(nd_units *units);

#endif
