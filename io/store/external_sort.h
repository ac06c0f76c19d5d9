/** \file io/store/external_sort.h
 * Sorting more than fits in memory: sorted runs, each in memory or in a file, and a merge of all
 * runs while they are read (Knuth, TAOCP 3, 5.4). Records are of one size, or texts of any length.
 * Works on one rank; moving records between ranks is mpi/comm/exchange.h.
 */
#ifndef ND_STORE_EXTERNAL_SORT_H
#define ND_STORE_EXTERNAL_SORT_H

#include "io/store/spool.h"
#include "src/base/sort.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- records: those that fit are never written. Small ones are sorted in place; large ones
 * with an order of one word stay where they are, and their words are sorted with their
 * places. */

/** A run that is being merged. */
typedef struct nd_sorted_run {
    nd_spool_reader reader;
    const uint8_t *record; /**< the first that was not taken yet; NULL: none is left */
    const uint8_t *end;    /**< of what has been read */
    uint64_t place, last;  /**< of a packed one: of the next chunk, and where it ends */
    nd_buffer chunk;       /**< unpacked */
    nd_buffer packed;
} nd_sorted_run;

/** Does a record hold the same as the one before it in order, so that only that one is needed? */
typedef bool nd_repeats(const void *record, const void *before);

/** nd_external_sort_open() first; all zero may only be closed. */
typedef struct nd_external_sort {
    size_t record_size;
    const nd_record_order *order;
    uint64_t memory;  /**< most bytes in all */
    uint64_t count;   /**< records added, less those that were dropped as repeats */
    uint64_t next;    /**< number of the record that comes next */
    uint8_t *records; /**< not yet in the spool: the run that is being filled */
    bool by_places;   /**< the run is in blocks instead, which never move */
    uint8_t **blocks; /**< of block_records each */
    size_t block_count, block_capacity;
    size_t block_records;
    nd_key_value *places; /**< of that run's records, in order: word and number; NULL: not sorted */
    size_t held;          /**< records in it */
    nd_repeats *repeats;  /**< NULL: none is dropped */
    size_t chunk_records; /**< that are packed together; 0: runs are not packed */
    nd_key_value *packed; /**< of each run that is packed: where it begins and ends in the spool */
    size_t packed_count, packed_capacity;
    bool sifted;         /**< those of the run were dropped, and were few */
    size_t capacity;     /**< records that fit at present */
    size_t run_records;  /**< most records of a run; all but the last have as many */
    nd_spool spool;      /**< the sorted runs, one after the other */
    nd_sorted_run *runs; /**< while merging; NULL: everything is in records */
    size_t *losers;      /**< the tree of losers: [0] the run with the first record, [node] the run
                              that lost there; run i enters at node (run_count + i) / 2 */
    size_t run_count;
} nd_external_sort;

/** An empty sort. Nothing is allocated yet: cannot fail.
 * \param[in] order   borrowed until it is closed
 * \param[in] memory  bytes it may take in all, scratch of the sorting and read buffers included;
 *                    below 256 KiB it is taken as 256 KiB */
void nd_external_sort_open(nd_external_sort *sort, nd_spool_folder *folder, size_t record_size,
                           const nd_record_order *order, uint64_t memory);

/** Let a run be rid of repeats when it is full, before it is written: where records repeat others
 * many times, what is left may fit in memory. Not all are dropped; readers still meet some. To be
 * called before anything is added. */
void nd_external_sort_drop_repeats(nd_external_sort *sort, nd_repeats *repeats);

/** Memory with which runs may be packed: with less there is no room for what packs them. */
enum { ND_SORT_PACKS = 4 << 20 };

/** Let runs be packed when they are written (zstd), where there is so much memory: for records
 * that, once sorted, have much of those before them. To be called before anything is added. */
void nd_external_sort_pack(nd_external_sort *sort);

/** Add records. \return ND_OK, ND_ERR_MEMORY or ND_ERR_IO */
nd_status nd_external_sort_add(nd_external_sort *sort, const void *records, uint64_t count);

/** All records as they were added, while they lie in memory one after the other and are not sorted
 * yet; NULL if they do not. Borrowed, to be changed in place; nd_external_sort_cut() then forgets
 * all but the first. */
void *nd_external_sort_records(const nd_external_sort *sort);
void nd_external_sort_cut(nd_external_sort *sort, uint64_t count);

/** After the last: make them readable in order, from the first; nothing may be added any more.
 * \return ND_OK, ND_ERR_MEMORY or ND_ERR_IO */
nd_status nd_external_sort_finish(nd_external_sort *sort);

/** Records added so far, less those that were dropped as repeats. */
uint64_t nd_external_sort_count(const nd_external_sort *sort);

/** The next record in order. \param[out] record  borrowed until the next call
 * \return ND_OK; ND_END after the last; ND_ERR_IO or ND_ERR_MEMORY: rewind or close it then */
nd_status nd_external_sort_next(nd_external_sort *sort, const void **record);

/** The same, copied, for readers that look one record ahead.
 * \param[out] record  untouched after the last
 * \param[out] any     false after the last, and on failure
 * \return ND_OK, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_external_sort_take(nd_external_sort *sort, void *record, bool *any);

/** Read again from the first record. \return ND_OK, ND_ERR_MEMORY or ND_ERR_IO */
nd_status nd_external_sort_rewind(nd_external_sort *sort);

/** Free the memory, remove the file. The sort is empty and may be closed again. */
void nd_external_sort_close(nd_external_sort *sort);

/* ---- texts, each with a number. Order: the bytes of the texts, a text before those that it
 * begins, then the numbers. The file lies in TMPDIR, or /tmp, and has no name once it is
 * made, so that none is left whatever ends the process. */

typedef struct nd_line_sort nd_line_sort;

/** Begin. \param[in] memory  most bytes it takes, about; 0: 512 MiB, and at least 256 KiB
 * \param[out] out  the caller's to close */
void nd_line_sort_open(uint64_t memory, nd_line_sort **out);

/** Add a text of less than 4 GiB, which is copied.
 * \return ND_OK, ND_ERR_MEMORY, ND_ERR_LIMIT or ND_ERR_IO */
nd_status nd_line_sort_add(nd_line_sort *sort, nd_span text, uint64_t number);

/** The next in order; after the first of these calls nothing may be added.
 * \param[out] text  borrowed until the next call
 * \return ND_OK; ND_END after the last; ND_ERR_MEMORY or ND_ERR_IO */
nd_status nd_line_sort_next(nd_line_sort *sort, nd_span *text, uint64_t *number);

/** How many runs lie in the file. */
uint64_t nd_line_sort_runs(const nd_line_sort *sort);

/** Close; NULL is fine; *sort becomes NULL. */
void nd_line_sort_close(nd_line_sort **sort);

#endif
