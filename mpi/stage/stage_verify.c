/* Stage 5: the pairs are compared, and those that are similar enough become links. With checkpoints
 * the stage can go on in its middle: the pairs as they were dealt, which of them were compared, and
 * the links found lie in the work folder.
 *
 * Arrays: verify.pairs (nd_pair), verify.done (ranges of them), verify.links (nd_link). */
#include "mpi/stage/stage.h"

#include "mpi/comm/comm.h"
#include "mpi/stage/compare.h"
#include "mpi/stage/pair_labels.h"
#include "mpi/stage/state.h"
#include "src/base/sort.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <stdlib.h>
#include <string.h>

/* Pairs [begin, end) of verify.pairs have been compared. */
typedef struct done_range {
    uint64_t begin, end;
} done_range;

typedef struct verification {
    nd_job *job;
    nd_scoring scoring;
    nd_spool fresh; /* links found since the last checkpoint */
    uint64_t fresh_count;
    uint64_t first;     /* number of this rank's first dealt pair */
    double last_commit; /* when it was */
    done_range *ranges; /* of an earlier run, ascending */
    uint64_t range_count;
} verification;

/* ---- what is left of an earlier run */

/* This rank's share of the pairs of an earlier run, without those that were compared. */
typedef struct left_source {
    const verification *v;
    uint64_t next, end;
    uint64_t range; /* first that ends after `next` */
} left_source;

/* The next pairs that were not compared, of one stretch between ranges. */
static nd_status next_left(void *context, void *records, uint64_t room, uint64_t *count) {
    left_source *from = context;
    const verification *v = from->v;
    while (from->range < v->range_count && v->ranges[from->range].begin <= from->next) {
        from->next = nd_max(from->next, v->ranges[from->range].end);
        from->range++;
    }
    ND_ASSERT(from->range == 0 || from->next >= v->ranges[from->range - 1].end, from->range,
              from->next);
    const uint64_t begin = nd_min(from->next, from->end);
    const uint64_t end = from->range < v->range_count
                             ? nd_min(nd_max(v->ranges[from->range].begin, begin), from->end)
                             : from->end;
    *count = nd_min(end - begin, room);
    from->next = begin + *count;
    return *count == 0 ? ND_OK
                       : nd_pairs_load(v->job, "verify.pairs", begin, begin + *count, records);
}

static nd_status deal_left(verification *v) {
    nd_status st = ND_OK;
    const nd_comm *comm = &v->job->comm;
    const nd_checkpoint *checkpoint = &v->job->checkpoint;
    const uint64_t total = nd_checkpoint_count(checkpoint, "verify.pairs");
    uint64_t done = 0;
    left_source source = {.v = v,
                          .next = nd_comm_share_begin(total, comm->rank, comm->size),
                          .end = nd_comm_share_begin(total, comm->rank + 1, comm->size)};
    st = nd_checkpoint_records(checkpoint, "verify.done", &v->range_count);
    if (st == ND_OK) {
        nd_new(&v->ranges, v->range_count, sizeof *v->ranges);
    }
    st = st != ND_OK ? st
                     : nd_checkpoint_load(checkpoint, "verify.done", sizeof *v->ranges, 0,
                                          v->range_count, v->ranges);
    ND_TRY(nd_comm_agree(comm, st));
    nd_record_sort(v->ranges, v->range_count, sizeof *v->ranges,
                   &nd_by_key_then_value);          /* begin, end */
    for (uint64_t i = 0; i < v->range_count; i++) { /* on all ranks the same */
        if (v->ranges[i].begin >= v->ranges[i].end || v->ranges[i].end > total ||
            (i > 0 && v->ranges[i - 1].end > v->ranges[i].begin)) {
            st = nd_checkpoint_refuse(checkpoint, "verify.done", "range %llu is none",
                                      (unsigned long long)i);
            goto out;
        }
        done += v->ranges[i].end - v->ranges[i].begin;
    }
    nd_progress_resume(&v->job->progress, comm, total > 0 ? (double)done / (double)total : 0);
    ND_TRY(nd_scoring_deal(&v->scoring, NULL, next_left, &source));
out:
    return st;
}

/* ---- checkpoints */

static nd_status take_fresh(verification *v) {
    nd_status st = ND_OK;
    nd_spool_reader reader;
    const void *links = NULL;
    uint64_t count = 1;
    nd_spool_reader_open(&reader, &v->fresh, sizeof(nd_link), 0, v->fresh_count, 1 << 20);
    while (count > 0) {
        ND_TRY(nd_spool_reader_next(&reader, &links, &count));
        ND_TRY(nd_spool_append(&v->job->state->links, links, count * sizeof(nd_link)));
    }
    ND_ASSERT(v->fresh.size == v->fresh_count * sizeof(nd_link), v->fresh.size, v->fresh_count);
    v->job->state->link_count += v->fresh_count;
    v->fresh_count = 0;
    nd_spool_close(&v->fresh);
    nd_spool_open(&v->fresh, &v->job->kept, v->job->options.memory.spool);
out:
    nd_spool_reader_close(&reader);
    return st;
}

/* Collective. Which of the dealt pairs were compared, of each rank from its first on: rank 0 keeps
 * it for all, in place of what the last checkpoint says. \return this rank's status */
static nd_status save_done(verification *v) {
    const nd_comm *comm = &v->job->comm;
    nd_checkpoint *checkpoint = &v->job->checkpoint;
    const done_range own = {v->first, v->first + v->scoring.done};
    done_range *all = NULL;
    uint64_t count = 0;
    nd_status st = ND_OK;
    if (comm->rank == 0) {
        nd_new(&all, (size_t)comm->size, sizeof *all);
    }
    ND_MPI(MPI_Gather(&own, 2, MPI_UINT64_T, all, 2, MPI_UINT64_T, 0, comm->handle));
    for (int r = 0; comm->rank == 0 && r < comm->size; r++) {
        if (all[r].begin < all[r].end) {
            all[count++] = all[r];
        }
    }
    nd_checkpoint_drop(checkpoint, "verify.done");
    st = nd_checkpoint_save(checkpoint, "verify.done", sizeof own, 0, all, count);
    free(all);
    return st;
}

static nd_status save_if_time(verification *v) {
    nd_status st = ND_OK;
    nd_job *job = v->job;
    const nd_comm *comm = &job->comm;
    nd_checkpoint *checkpoint = &job->checkpoint;
    if (!checkpoint->enabled) {
        return ND_OK;
    }
    const bool late = MPI_Wtime() - v->last_commit > job->options.checkpoint_seconds;
    if (nd_comm_max(comm, nd_stop_asked() || late) == 0) {
        return ND_OK;
    }
    const nd_status done_status = save_done(v);
    const uint64_t links =
        nd_checkpoint_count(checkpoint, "verify.links") + nd_comm_before(comm, v->fresh_count);
    st = nd_checkpoint_keep(checkpoint, "verify.links", sizeof(nd_link), links, &v->fresh);
    ND_TRY(nd_comm_agree(comm, done_status != ND_OK ? done_status : st));
    ND_TRY(nd_checkpoint_commit(checkpoint, nd_stage_block.name));
    ND_TRY(nd_comm_agree(comm, take_fresh(v)));
    v->last_commit = MPI_Wtime();
    st = nd_stop_agreed(comm) ? ND_STOPPED : ND_OK;
out:
    return st;
}

/* ---- the stage */

static nd_status run(nd_job *job) {
    nd_status st = ND_OK;
    verification v = {.job = job};
    nd_spool_reader reader;
    uint64_t *labels = NULL;
    bool more = true;
    /* once all pairs were compared only the links are left of an earlier run */
    nd_checkpoint *checkpoint = &job->checkpoint;
    const bool goes_on = nd_checkpoint_count(checkpoint, "verify.pairs") > 0 ||
                         nd_checkpoint_count(checkpoint, "verify.links") > 0;
    nd_progress_begin(&job->progress, &job->comm, nd_stage_verify.name, nd_stage_verify.unit);
    nd_spool_reader_open(&reader, &job->state->pairs, sizeof(nd_pair), 0, job->state->pair_count,
                         0);
    nd_spool_open(&v.fresh, &job->kept, job->options.memory.spool);
    nd_scoring_open(&v.scoring, job, false, &v.fresh, &v.fresh_count);
    if (goes_on) {
        st = nd_links_load(job, checkpoint, "verify.links", &job->state->link_count);
        ND_TRY(nd_comm_agree(&job->comm, st));
        ND_TRY(deal_left(&v));
    } else {
        nd_progress_resume(&job->progress, &job->comm, 0);
        ND_TRY(nd_pair_labels(job, &job->state->pairs, &labels));
        ND_TRY(nd_scoring_deal(&v.scoring, labels, nd_shuffle_from_spool, &reader));
        free(labels);
        labels = NULL;
        nd_spool_reader_close(&reader);
        nd_spool_close(&job->state->pairs);
        uint64_t sums[2] = {job->state->pair_count, v.scoring.dealt_count};
        nd_comm_sum_all(&job->comm, sums, 2);
        ND_ASSERT(sums[0] == sums[1], sums[0], sums[1]); /* every pair was dealt to some rank */
    }
    if (job->options.recluster) { /* the pairs of indexed pages were compared in earlier runs */
        uint64_t indexed_count = 0;
        st = nd_links_load(job, &job->state->index.folder, "links", &indexed_count);
        ND_TRY(nd_comm_agree(&job->comm, st));
        job->state->link_count += indexed_count;
    }
    /* the dealing is kept first: what was compared is known by places in it */
    v.first = nd_comm_before(&job->comm, v.scoring.dealt_count);
    v.last_commit = MPI_Wtime();
    if (checkpoint->enabled) {
        nd_checkpoint_drop(checkpoint, "pairs");
        nd_checkpoint_drop(checkpoint, "verify.pairs");
        nd_checkpoint_drop(checkpoint, "verify.done");
        st = nd_checkpoint_keep(checkpoint, "verify.pairs", sizeof(nd_pair), v.first,
                                &v.scoring.dealt);
        ND_TRY(nd_comm_agree(&job->comm, st));
        ND_TRY(nd_checkpoint_commit(checkpoint, nd_stage_block.name));
    }
    while (more) {
        ND_TRY(nd_scoring_batch(&v.scoring, &more));
        if (more) {
            ND_TRY(save_if_time(&v));
        }
    }
    ND_TRY(nd_comm_agree(&job->comm, take_fresh(&v)));
    job->totals.links = nd_comm_sum(&job->comm, job->state->link_count);
    nd_progress_end(&job->progress, &job->comm, v.scoring.dealt_count);
out:
    nd_spool_reader_close(&reader);
    nd_scoring_close(&v.scoring);
    nd_spool_close(&v.fresh);
    free(labels);
    free(v.ranges);
    return st;
}

const nd_stage nd_stage_verify = {"verify", "pairs", ND_STAGE_VERIFY, run, NULL, NULL};
