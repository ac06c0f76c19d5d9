/** \file mpi/stage/stage.h
 * The stages. Each is a row and a file of its own, stage_NAME.c: it takes what the stages before it
 * left in nd_job and adds its own part. How that part gets into the work folder and back is in the
 * rows of handed_on.h.
 *
 *   stage    takes                      leaves
 *   ingest   inputs                     pages, numbered
 *   content  pages                      pages, reduced to what of them is compared; sites
 *   recall   pages, an index            pages, those of the index before the new ones
 *   sign     pages                      exact_of, content_of, revisit_of, digests, groups
 *   block    groups                     pairs, or in the paper's full form links
 *   verify   pairs                      links
 *   join     links                      members
 *   leaders  pairs or links             members: the paper's form of sets, for verify and join
 *   contain  pages, members             contained: which pages are in others, on request
 *   index    all of it                  an index, under its unfinished name
 *   write    all of it                  the result file
 *
 * Which of them a run has, and in which order, is the table in mpi/run/run.c.
 */
#ifndef ND_STAGE_STAGE_H
#define ND_STAGE_STAGE_H

#include "mpi/job/job.h"

/** In the order in which a run has them. */
typedef enum nd_stage_number {
    ND_STAGE_INGEST,
    ND_STAGE_CONTENT,
    ND_STAGE_RECALL,
    ND_STAGE_SIGN,
    ND_STAGE_BLOCK,
    ND_STAGE_VERIFY,
    ND_STAGE_JOIN,
    ND_STAGE_LEADERS,
    ND_STAGE_CONTAIN,
    ND_STAGE_INDEX,
    ND_STAGE_WRITE
} nd_stage_number;

/** All functions are collective. */
typedef struct nd_stage {
    const char *name; /**< on the screen, in the result and in work folders */
    const char *unit; /**< what is counted as its items */
    nd_stage_number number;

    /** \return ND_OK on all ranks, or a failure on all */
    nd_status (*run)(nd_job *job);

    /** Keep for the next commit what it leaves beside its rows (handed_on.h). NULL: nothing.
     * \return this rank's status: the caller agrees */
    nd_status (*save)(nd_job *job);

    /** Check what the rows got back, and get back the rest that is needed after all stages up to a
     * later one, or up to itself (`last`). Called in the order of the stages. NULL: nothing is.
     * \return as save */
    nd_status (*load)(nd_job *job, bool last);
} nd_stage;

extern const nd_stage nd_stage_ingest;
extern const nd_stage nd_stage_content;
extern const nd_stage nd_stage_recall;
extern const nd_stage nd_stage_sign;
extern const nd_stage nd_stage_block;
extern const nd_stage nd_stage_verify;
extern const nd_stage nd_stage_join;
extern const nd_stage nd_stage_leaders;
extern const nd_stage nd_stage_contain;
extern const nd_stage nd_stage_index;
extern const nd_stage nd_stage_write;

/** Not collective. What the run of a stage begins with that is done from its start; one that goes
 * on inside of itself calls both, when it knows where. It ends with nd_progress_end(). */
static inline void nd_stage_begin(nd_job *job, const nd_stage *stage) {
    nd_progress_begin(&job->progress, &job->comm, stage->name, stage->unit);
    nd_progress_resume(&job->progress, &job->comm, 0);
}

#endif
