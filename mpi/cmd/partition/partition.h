/** \file mpi/cmd/partition/partition.h
 * The job of the command `partition`, for commands that make a result and go on with it: MPI is
 * started, the ranks run the stages, and rank 0 says how it ended. What the command line may say is
 * in partition_options.h.
 */
#ifndef ND_CMD_PARTITION_PARTITION_H
#define ND_CMD_PARTITION_PARTITION_H

#include "mpi/cmd/partition/partition_options.h"

/** Collective. Start MPI for a job with this output (which may be NULL). */
void nd_partition_start(int *argc, char ***argv, const nd_partition_arguments *arguments);

/** Collective, MPI being started. Run the job, or print its plan.
 * \param[in] command  named where the command line is wrong
 * \param[in] read     how reading and checking the command line went; its text is said
 * \return the exit code, one for all ranks */
int nd_partition_run(const nd_command *command, nd_status read,
                     const nd_partition_arguments *arguments);

#endif
