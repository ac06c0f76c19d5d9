#define _GNU_SOURCE /* sched_getaffinity() */
#include "mpi/run/run.h"

#include "mpi/job/inputs.h"
#include "mpi/run/job_state.h"
#include "mpi/run/plan_job.h"
#include "mpi/run/run_places.h"
#include "mpi/run/standard_input.h"
#include "mpi/stage/contained_hits.h"
#include "mpi/stage/digests.h"
#include "mpi/stage/index_folder.h"
#include "mpi/stage/old_texts.h"
#include "mpi/stage/stage_contracts.h"
#include "src/base/printable.h"
#include "src/base/util.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A rank alone waits for no other, so it works on no more at once than a processor's cache holds:
 * memory that is used again and again need not come from the system, nor from afar. */
enum { ROUND_ALONE = 1 << 20 };

void nd_run_open(nd_job *job, MPI_Comm parent, const nd_job_options *options) {
    *job = (nd_job){.options = *options, .hints = MPI_INFO_NULL};
    nd_comm_open(&job->comm, parent);
    if (options->memory.round > 0) {
        job->comm.round_bytes = options->memory.round;
    }
    if (job->comm.size == 1) {
        job->comm.round_bytes = nd_min(job->comm.round_bytes, ROUND_ALONE);
    }
    if (options->work == NULL &&
        ((options->against != NULL && !options->reread) || options->keep_index != NULL)) {
        /* of files in it an index is made, and old pages stand beside new ones by theirs */
        (void)snprintf(job->folder_path, sizeof job->folder_path, "%s.work",
                       options->output != NULL ? options->output : options->keep_index);
        job->options.work = job->folder_path;
        job->own_work = true;
    }
    if (job->options.work != NULL) {
        job->folder.path = job->options.work;
    } else if (options->output != NULL) { /* what outgrows memory lies beside the output */
        (void)snprintf(job->folder_path, sizeof job->folder_path, "%s.spill", options->output);
        job->folder.path = job->folder_path;
        job->folder.unnamed = true;
    }
    job->folder.rank = job->comm.rank;
    job->progress.mode = nd_progress_choose(options->progress);
    job->progress.run_started = MPI_Wtime();
    job->pages.folder = &job->folder;
    job->pages.memory = options->memory.store;
    job->pages.per_page = ND_MEMORY_PER_PAGE;
    job->pages.keeps = job->options.work != NULL;
    nd_groups_open(&job->groups, &job->folder, options->memory.sort);
    nd_spool_open(&job->digests, &job->folder, options->memory.sort);
    nd_spool_open(&job->keys, &job->folder, options->memory.spool);
    if (options->group_pairs > 0) {
        job->groups.all_pairs = options->group_pairs;
    }
    nd_spool *const of_sites[] = {&job->sites.sites, &job->sites.templates, &job->sites.repeated};
    enum { OF_SITES = sizeof of_sites / sizeof of_sites[0] };
    for (size_t i = 0; i < OF_SITES; i++) {
        nd_spool_open(of_sites[i], &job->folder, options->memory.spool / OF_SITES);
    }
    nd_spool_open(&job->pairs, &job->folder, options->memory.spool);
    nd_spool_open(&job->links, &job->folder, options->memory.spool);
    nd_spool_open(&job->contained, &job->folder, options->memory.spool);
}

/* ---- the stages in order */

/* With an index its pages are recalled, and with a new one to be kept that is made. */
static size_t choose_stages(const nd_job_options *o, const nd_stage *stages[ND_STAGES_MAX]) {
    const bool verified = o->transitivity == ND_TRANSITIVITY_VERIFIED;
    const struct {
        const nd_stage *stage;
        bool wanted;
    } all[] = {{&nd_stage_ingest, true},
               {&nd_stage_content, true},
               {&nd_stage_recall, o->against != NULL && !o->reread},
               {&nd_stage_sign, true},
               {&nd_stage_block, true},
               {&nd_stage_verify, verified},
               {&nd_stage_join, verified},
               {&nd_stage_leaders, !verified},
               {&nd_stage_contain, o->contained > 0},
               {&nd_stage_index, o->keep_index != NULL},
               {&nd_stage_write, true}};
    size_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        stages[count] = all[i].stage;
        count += all[i].wanted;
    }
    return count;
}

/* One process works on one core; whoever starts it alone may not know. Said once there are pages,
 * so that a failure before is one line. */
static void name_cores(const nd_job *job) {
    cpu_set_t set;
    const int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    if (job->comm.size == 1 && cores > 1 && job->options.progress != ND_PROGRESS_NONE) {
        nd_print_line(stderr,
                      "neardup: one process works on one core of %d here: put mpirun -n %d before "
                      "the command to use all",
                      cores, cores);
    }
}

/* Go on after the last stage that the work folder holds; after the last of all the result is there,
 * and nothing has to be kept. */
static nd_status run_stages(nd_job *job, const nd_stage *const *stages, size_t count) {
    nd_status st = ND_OK;
    const char *last = nd_checkpoint_stage(&job->checkpoint);
    size_t done = 0; /* stages before */
    for (size_t i = 0; last != NULL && i < count; i++) {
        done = strcmp(last, stages[i]->name) == 0 ? i + 1 : done;
    }
    job->progress.stages = count;
    job->progress.resumed = last != NULL;
    if (done > 0) {
        ND_TRY(nd_job_state_load(job, stages, done));
        ND_TRY(nd_stage_check_loaded(job, stages[done - 1]));
    }
    for (size_t i = done; i < count; i++) {
        ND_TRY(stages[i]->run(job));
        if (i == done) {
            name_cores(job);
        }
        if (i + 1 < count) {
            if (last != NULL || job->options.against != NULL) {
                ND_TRY(nd_stage_check_loaded(job, stages[i]));
            } else {
                nd_stage_check_left(job, stages[i]);
            }
            ND_TRY(nd_job_state_save(job, stages[i]));
        }
    }
out:
    return st;
}

/* What is known of each input takes its part of the memory, before there is any page: so many
 * inputs that it does not fit are refused. What is kept of their units goes when all is read. */
static nd_status count_inputs(nd_job *job) {
    const uint64_t count = job->inputs.count;
    const uint64_t memory = job->options.memory.total;
    job->input_memory = nd_input_list_bytes(&job->inputs) + count * sizeof *job->source_totals;
    const uint64_t needed = ND_MEMORY_BASE + job->input_memory + count * sizeof(nd_unit);
    job->pages.memory -= nd_min(job->input_memory, job->pages.memory);
    if (memory > ND_MEMORY_BASE && needed > memory / 4 * 3) {
        return nd_fail(ND_ERR_LIMIT,
                       "%llu inputs need --memory %lluM or more on each rank, before any page is "
                       "read: give that, or put pages together, in WARC or JSONL",
                       (unsigned long long)count, (unsigned long long)(needed / 3 * 4 >> 20) + 1);
    }
    return ND_OK;
}

nd_status nd_run(nd_job *job, const char *const *inputs, size_t input_count) {
    nd_status st = ND_OK;
    const nd_stage *stages[ND_STAGES_MAX];
    uint64_t asking = 0;
    ND_TRY(nd_comm_hints(&job->comm, &job->hints));
    ND_TRY(nd_run_places_try(job));
    ND_TRY(
        nd_inputs_share(&job->comm, inputs, input_count, job->options.skip_copies, &job->inputs));
    job->progress.listed = MPI_Wtime() - job->progress.run_started;
    ND_TRY(nd_run_places_clear(job));
    ND_TRY(nd_index_open(job));
    ND_TRY(nd_contained_collection(job, &asking)); /* before anything is read */
    ND_TRY(count_inputs(job));                     /* one answer on all ranks */
    ND_TRY(nd_job_state_open(job));
    ND_TRY(nd_job_check_space(job));
    ND_TRY(run_stages(job, stages, choose_stages(&job->options, stages)));
    ND_TRY(nd_index_publish(job));
    job->done = true;
out:
    return st;
}

void nd_run_close(nd_job *job) {
    for (size_t i = 0; i < job->skipped_count; i++) {
        free(job->skipped[i].reason);
    }
    free(job->skipped);
    free(job->source_totals);
    free(job->first);
    free(job->exact_of);
    free(job->revisit_of);
    free(job->content_of);
    free(job->members);
    free(job->form);
    free(job->certainty);
    free(job->old.form);
    free(job->old.sites);
    nd_old_texts_close(job);
    nd_packed_reader_close(&job->old.digests);
    free(job->additions);
    nd_reread_fields_close(&job->fields);
    free(job->key_ranges);
    nd_method_work_free(&job->method_work);
    /* what may lie in the work folder has to be closed before the folder */
    nd_groups_close(&job->groups);
    nd_digests_drop(job);
    nd_spool_close(&job->keys);
    nd_buffer_free(&job->digest_scratch);
    nd_buffer_free(&job->digest_record);
    nd_spool_close(&job->sites.sites);
    nd_spool_close(&job->sites.templates);
    nd_spool_close(&job->sites.repeated);
    nd_spool_close(&job->pairs);
    nd_spool_close(&job->links);
    nd_spool_close(&job->contained);
    nd_page_store_free(&job->pages);
    nd_standard_input_drop(job);
    ND_MPI(MPI_Barrier(job->comm.handle)); /* all ranks' files are closed, and so gone */
    if (job->comm.rank == 0 && job->options.work == NULL && job->folder.path != NULL) {
        (void)rmdir(job->folder.path); /* there is none as a rule */
    }
    if (job->comm.rank == 0) {
        nd_index_drop(job);
    }
    nd_checkpoint_close(&job->old.index);
    nd_checkpoint_close(&job->reread.index);
    if (job->done || job->own_work) {
        nd_checkpoint_discard(&job->checkpoint);
    } else {
        nd_checkpoint_close(&job->checkpoint);
    }
    nd_output_release(&job->lock);
    if (job->hints != MPI_INFO_NULL) {
        ND_MPI(MPI_Info_free(&job->hints));
    }
    nd_units_free(&job->units);
    nd_input_list_free(&job->inputs);
    nd_comm_close(&job->comm);
}
