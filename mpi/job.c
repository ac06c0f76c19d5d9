#include "mpi/job.h"

#include "mpi/inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void nd_job_open(nd_job *job, MPI_Comm parent, const nd_job_options *options) {
    *job = (nd_job){.options = *options};
    nd_comm_open(&job->comm, parent);
    job->progress.mode = options->progress;
}

uint64_t nd_job_own_first(const nd_job *job) {
    return job->first[job->comm.rank];
}

nd_status nd_job_run(nd_job *job, const char *const *inputs, size_t input_count) {
    nd_status st = ND_OK;
    ND_TRY(nd_job_try_output(job));
    ND_TRY(nd_inputs_share(&job->comm, inputs, input_count, &job->inputs));
    ND_TRY(nd_stage_ingest(job));
    ND_TRY(nd_stage_content(job));
    ND_TRY(nd_stage_sign(job));
    ND_TRY(nd_stage_block(job));
    if (job->options.transitivity == ND_TRANSITIVITY_VERIFIED) {
        ND_TRY(nd_stage_verify(job));
        ND_TRY(nd_stage_join(job));
    } else {
        ND_TRY(nd_stage_leaders(job));
    }
    ND_TRY(nd_stage_write(job));
out:
    return st;
}

void nd_job_close(nd_job *job) {
    for (size_t i = 0; i < job->skipped_count; i++) {
        free(job->skipped[i].reason);
    }
    free(job->skipped);
    free(job->source_totals);
    free(job->first);
    free(job->exact_of);
    free(job->content_of);
    free(job->postings);
    free(job->pairs);
    free(job->links);
    free(job->members);
    nd_page_store_free(&job->pages);
    nd_input_list_free(&job->inputs);
    nd_comm_close(&job->comm);
}
