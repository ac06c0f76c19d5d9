#include "mpi/job/job.h"

#include "src/base/util.h"

/* What a processor's cache holds. */
enum { COMPARED_ALONE = 8 << 20 };

uint64_t nd_job_compared_bytes(const nd_job *job) {
    const uint64_t batch = job->options.memory.batch;
    return job->comm.size > 1 ? batch : nd_min(batch, COMPARED_ALONE);
}

uint64_t nd_job_own_first(const nd_job *job) {
    return job->first[job->comm.rank];
}
