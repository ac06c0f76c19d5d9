/** \file mpi/job/job_option.h
 * The options of a job as a table (src/base/option.h) over nd_job_options: those that decide its
 * result, how inputs are read, and how it runs. Those of its method are a table of their own
 * (src/method/method.h).
 */
#ifndef ND_MPI_JOB_JOB_OPTION_H
#define ND_MPI_JOB_JOB_OPTION_H

#include "mpi/job/job.h"
#include "src/base/option.h"

extern const nd_option nd_job_option_table[];

#endif
