#include "mpi/job/job.h"

#include "src/base/util.h"

/* What a processor's cache holds. */
enum { COMPARED_ALONE = 8 << 20 };

uint64_t nd_job_compared_bytes(const nd_job *job) {
    const uint64_t batch = job->options.memory.batch;
    return job->comm.size > 1 ? batch : nd_min(batch, COMPARED_ALONE);
}

bool nd_job_leads_node(const nd_comm *comm) {
    MPI_Comm node;
    int rank = 0;
    ND_MPI(MPI_Comm_split_type(comm->handle, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    ND_MPI(MPI_Comm_rank(node, &rank));
    ND_MPI(MPI_Comm_free(&node));
    return rank == 0;
}

uint64_t nd_job_own_first(const nd_job *job) {
    return job->first[job->comm.rank];
}
