/** \file mpi/job/progress.h
 * What a person sees of a running job, and what the result file keeps of it: a line per stage on
 * rank 0 (items, rate, share done), a moving line on a terminal, which is never wider than that,
 * and a row of measurements per stage. Everything is written to stderr.
 */
#ifndef ND_MPI_JOB_PROGRESS_H
#define ND_MPI_JOB_PROGRESS_H

#include "io/store/own_file.h"
#include "mpi/comm/comm.h"

#include <stdbool.h>

typedef enum nd_progress_mode {
    ND_PROGRESS_NONE,
    ND_PROGRESS_LINES, /**< one line per stage, and one every few seconds inside long ones */
    ND_PROGRESS_BAR,   /**< a line that is written over, for terminals */
    ND_PROGRESS_AUTO   /**< bar if stderr is a terminal, else lines */
} nd_progress_mode;

/** Not collective. The mode that is meant by ND_PROGRESS_AUTO here; any other as it is. */
nd_progress_mode nd_progress_choose(nd_progress_mode mode);

enum { ND_STAGES_MAX = 16 };

/** Measurements of one finished stage; seconds over the ranks. */
typedef struct nd_stage_row {
    char name[16];
    char unit[16];  /**< what `items` counts */
    uint64_t items; /**< over all ranks */
    double seconds_min, seconds_mean, seconds_max;
    /* of these, waiting for other ranks: in calls of MPI, moving data included, and at the stage's
     * end for the last one. What HDF5 waits inside its own calls is not in it */
    double waiting_mean, waiting_max;
    uint64_t bytes_exchanged; /**< sent between ranks, over all ranks */
    /* of the work folder and spill files, over all ranks, since the stage before has ended: so the
     * checkpoint after that one is in it */
    uint64_t bytes_written, bytes_read;
    uint64_t peak_memory; /**< most bytes resident on any rank so far */
} nd_stage_row;

typedef struct nd_progress {
    nd_progress_mode mode;
    nd_stage_row rows[ND_STAGES_MAX];
    size_t count;
    double run_started;
    double listed;    /**< seconds that the list of inputs took */
    double in_stages; /**< seconds of this run in stages that have ended, on this rank */
    size_t stages;    /**< that the run has; 0: there is one alone, and none is counted */
    bool resumed;     /**< an earlier run did a part, which has not been said yet */
    const char *name; /**< the running stage; the fields below belong to it */
    const char *unit;
    double started;
    double mpi_before; /**< seconds in MPI */
    double last_shown;
    double share_shown; /**< so far, so that no share is below the one before */
    size_t bar_width;   /**< of the moving line that stands on the terminal */
    uint64_t bytes_before;
    nd_own_file_traffic files_before; /**< of all stages before */
} nd_progress;

/** Not collective. Start a stage; both texts are static. */
void nd_progress_begin(nd_progress *progress, const nd_comm *comm, const char *name,
                       const char *unit);

/** Not collective. Say once, in a run that is resumed, that it goes on here, and that an earlier
 * one did `share` (0 to 1) of the stage. The shares that are shown are of what is left. */
void nd_progress_resume(nd_progress *progress, const nd_comm *comm, double share);

/** Not collective; cheap enough to call per item. A sign of life for the watchdog. Show how far
 * this rank has come: `done` of `total` (bytes, pairs), how long the rest takes at that pace, and
 * the items so far. Shown on rank 0 alone, as its own share. */
void nd_progress_update(nd_progress *progress, const nd_comm *comm, uint64_t done, uint64_t total,
                        uint64_t items);

/** Collective. End the stage: measure, keep the row, print its line.
 * \param[in] items  what this rank did */
void nd_progress_end(nd_progress *progress, const nd_comm *comm, uint64_t items);

/** Not collective. Take the moving line away, if there is one, before something else is printed. */
void nd_progress_clear(nd_progress *progress);

#endif
