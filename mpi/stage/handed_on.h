/** \file mpi/stage/handed_on.h
 * What stages hand on: a row for each array that lies in the job, in its work folder or in an
 * index. Opening, keeping, getting back, dropping and freeing follow from the rows, for all arrays
 * that need no more than that; a stage does the rest itself. An array in a folder can be loaded on
 * any number of ranks, whatever number has saved it: records of pages in the pages' order, those of
 * a spool in any order and dealt anew. Invariant: an array is in the work folder from the stage
 * that leaves it to the one that uses it up.
 */
#ifndef ND_STAGE_HANDED_ON_H
#define ND_STAGE_HANDED_ON_H

#include "mpi/job/job.h"
#include "mpi/stage/stage.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What an array has in an index. */
typedef enum nd_in_index {
    ND_INDEX_WITHOUT,  /**< it is not there, or the stage `index` makes it */
    ND_INDEX_NUMBERED, /**< records of the index before and of the work folder, numbered through */
    ND_INDEX_OLD,      /**< records of the index before; the stage adds those of new pages */
    ND_INDEX_SETS      /**< the same, or if all sets are made anew, those of all pages */
} nd_in_index;

/** Is it a record that the job can go on with? Anyone may have made the file. */
typedef bool (*nd_is_record)(const nd_job *job, const void *record);

/** An array. */
typedef struct nd_handed_on {
    const char *name;      /**< in folders */
    size_t record_size;    /**< bytes; 0: it lies in folders alone */
    bool of_pages;         /**< a record for each page, in their order */
    bool optional;         /**< there may be none although there are pages */
    size_t at;             /**< in nd_job: of a pointer to records of pages, or of an nd_spool;
                                0: as above */
    size_t count_at;       /**< in nd_job: of the number of records of a spool; 0: none */
    uint64_t spool_part;   /**< its part of a spool's memory: one in so many */
    unsigned left_by;      /**< 1 << nd_stage_number: stages after which its row keeps it */
    unsigned used_up_by;   /**< stages after which it is needed no more */
    nd_is_record is_right; /**< NULL: of any bytes */
    bool (*stays)(const nd_job_options *options); /**< is it needed to the end? NULL: it is not */
    nd_in_index in_index;
} nd_handed_on;

/** All of them; the last has no name. */
extern const nd_handed_on nd_handed_on_rows[];

/** Not collective. Open the spools of the rows, empty. */
void nd_handed_on_open(nd_job *job);

/** Not collective. Free what the rows have in the job. */
void nd_handed_on_free(nd_job *job);

/** Collective. Keep what a stage leaves for the next commit, and forget what it has used up.
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_handed_on_save(nd_job *job, const nd_stage *stage);

/** Collective. Get back what a stage was the last to leave, unless it is used up.
 * \param[in] so_far  1 << nd_stage_number: the stages of the run that are done
 * \return ND_OK on all ranks; ND_ERR_FORMAT if a record is none, or another failure, on all */
nd_status nd_handed_on_load(nd_job *job, const nd_stage *stage, unsigned so_far);

/** Not collective. The records that a row has of this rank's pages. */
const void *nd_handed_on_records(nd_job *job, const nd_handed_on *row);

/** Not collective. Keep records of this rank's pages in a folder, for its next commit.
 * \param[in] records  of all of them \param[in] from  the first that is kept
 * \return as nd_checkpoint_save() */
nd_status nd_pages_save(const nd_job *job, nd_checkpoint *to, const char *array, size_t record_size,
                        const void *records, uint64_t from);

/** Not collective. Append this rank's equal share of an array of links to job->links.
 * \param[out] count  links of the share \return as nd_checkpoint_load(), and ND_ERR_FORMAT if one
 * is none */
nd_status nd_links_load(nd_job *job, const nd_checkpoint *from, const char *array, uint64_t *count);

/** Not collective. Pairs [begin, end) of an array. \return likewise */
nd_status nd_pairs_load(const nd_job *job, const char *array, uint64_t begin, uint64_t end,
                        nd_pair *pairs);

/* ---- What a stage hands to those after it, checked between stages on all ranks: that pages,
 * firsts, pairs, links and members are what stage.h and job.h say of them, each once over all
 * ranks, and that the totals agree with them. Nothing is changed. What does not hold of what this
 * run made is a broken contract (src/base/status.h), and of what rests on a folder a damaged
 * folder. */

/** Collective. Check what the job holds after a stage that has run. */
void nd_stage_check_left(const nd_job *job, const nd_stage *stage);

/** Collective. The same of a job that has gone on from a work folder, or from an index: what does
 * not hold may be because of that, which anyone may have made. \return ND_OK on all ranks, or
 * ND_ERR_FORMAT on all */
nd_status nd_stage_check_loaded(const nd_job *job, const nd_stage *stage);

#endif
