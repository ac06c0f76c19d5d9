#include "mpi/cmd/index/index_merge.h"

#include "mpi/cmd/partition/partition_options.h"
#include "mpi/job/run_parameters.h"
#include "mpi/run/run.h"
#include "mpi/stage/index_folder.h"

/* Collective. The options that the index was made with. */
static nd_status read_options(MPI_Comm parent, const char *path, nd_job_options *options) {
    nd_status st = ND_OK;
    nd_comm comm;
    nd_checkpoint index = {0};
    uint64_t pages = 0;
    const char *parameters = "";
    nd_comm_open(&comm, parent);
    nd_partition_defaults(options);
    ND_TRY(nd_index_read(&index, &comm, path, &pages));
    st = nd_checkpoint_text(&index, "parameters", &parameters);
    ND_TRY(nd_comm_agree(&comm, st != ND_OK ? st : nd_read_parameters(path, parameters, options)));
    options->memory = nd_memory_shares(nd_memory_default(comm.size));
    options->reader.memory = options->memory.total;
out:
    nd_checkpoint_close(&index);
    nd_comm_close(&comm);
    return st;
}

nd_status nd_index_merge(MPI_Comm parent, const char *first, const char *second, const char *to,
                         nd_job_totals *totals) {
    nd_status st = ND_OK;
    nd_job job;
    nd_job_options options = {.progress = ND_PROGRESS_NONE};
    ND_TRY(read_options(parent, first, &options));
    options.against = first;
    options.merge = second;
    options.keep_index = to;
    nd_run_open(&job, parent, &options);
    st = nd_run(&job, NULL, 0);
    *totals = job.totals;
    nd_run_close(&job);
out:
    return st;
}
