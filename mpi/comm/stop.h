/** \file mpi/comm/stop.h
 * Stopping on request: SIGTERM, SIGUSR1 and SIGINT set a flag, which the job looks at between
 * pieces of work; all ranks learn of it at the next checkpoint and leave together. Rank 0 says at
 * once that it has heard. A second SIGINT ends the process. Where nothing is kept there is nothing
 * to wait for: the process ends at once, and at SIGINT rank 0 says what that means. Nothing is
 * saved here.
 */
#ifndef ND_MPI_COMM_STOP_H
#define ND_MPI_COMM_STOP_H

#include "mpi/comm/comm.h"

#include <stdbool.h>

/** Not collective. From now on heed the signals. \param[in] keeps  there are checkpoints to stop at
 */
void nd_stop_listen(int rank, bool keeps);

/** Not collective. The job is over: signals are heeded, but not answered any more. mpirun sends
 * TERM to the ranks that are left once one has ended with an exit code that is not 0. */
void nd_stop_be_quiet(void);

/** Not collective. Has this rank been asked to stop? */
bool nd_stop_asked(void);

/** Collective. Has any rank? */
bool nd_stop_agreed(const nd_comm *comm);

#endif
