/** \file mpi/stage/stage.h
 * The stages. Each is a row and a file of its own, stage_NAME.c: it takes what the stages before it
 * left in nd_job and adds its own part. How that part gets into the work folder and back is in the
 * rows of state.h.
 *
 *   stage    takes                      leaves
 *   ingest   inputs                     pages, numbered
 *   content  pages                      pages, reduced to what of them is compared; sites; and
 *                                       where texts are packed exact_of, digests, waiting_keys
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
 * Which of them a run has, and in which order, says ND_STAGES.
 */
#ifndef ND_STAGE_STAGE_H
#define ND_STAGE_STAGE_H

#include "mpi/job/job.h"

/** All stages in the order in which a run has them: X(NUMBER, row, does a run with the options *o
 * have it?). */
#define ND_STAGES(X)                                                                               \
    X(INGEST, ingest, true)                                                                        \
    X(CONTENT, content, true)                                                                      \
    X(RECALL, recall, o->index != NULL && !o->reread)                                              \
    X(SIGN, sign, true)                                                                            \
    X(BLOCK, block, true)                                                                          \
    X(VERIFY, verify, o->transitivity == ND_TRANSITIVITY_VERIFIED)                                 \
    X(JOIN, join, o->transitivity == ND_TRANSITIVITY_VERIFIED)                                     \
    X(LEADERS, leaders, o->transitivity != ND_TRANSITIVITY_VERIFIED)                               \
    X(CONTAIN, contain, o->contained > 0)                                                          \
    X(INDEX, index, o->write_index != NULL)                                                        \
    X(WRITE, write, true)

typedef enum nd_stage_number {
#define ND_STAGE(NUMBER, row, wanted) ND_STAGE_##NUMBER,
    ND_STAGES(ND_STAGE)
#undef ND_STAGE
} nd_stage_number;

/** All functions are collective. */
typedef struct nd_stage {
    const char *name; /**< on the screen, in the result and in work folders */
    const char *unit; /**< what is counted as its items */
    nd_stage_number number;

    /** \return ND_OK on all ranks, or a failure on all */
    nd_status (*run)(nd_job *job);

    /** Keep for the next commit what it leaves beside its rows (state.h). NULL: nothing.
     * \return this rank's status: the caller agrees */
    nd_status (*save)(nd_job *job);

    /** Check what the rows got back, and get back the rest that is needed after all stages up to a
     * later one, or up to itself (`last`). Called in the order of the stages. NULL: nothing is.
     * \return as save */
    nd_status (*load)(nd_job *job, bool last);
} nd_stage;

#define ND_STAGE(NUMBER, row, wanted) extern const nd_stage nd_stage_##row;
ND_STAGES(ND_STAGE)
#undef ND_STAGE

/** Not collective. What the run of a stage begins with that is done from its start; one that goes
 * on inside of itself calls both, when it knows where. It ends with nd_progress_end(). */
static inline void nd_stage_begin(nd_job *job, const nd_stage *stage) {
    nd_progress_begin(&job->progress, &job->comm, stage->name, stage->unit);
    nd_progress_resume(&job->progress, &job->comm, 0);
}

#endif
