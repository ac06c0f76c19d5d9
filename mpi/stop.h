/** \file mpi/stop.h
 * Stopping on request: SIGTERM and SIGUSR1 only set a flag, which the job looks at between pieces
 * of work; all ranks learn of it at the next checkpoint and leave together. Nothing is saved here.
 */
#ifndef ND_MPI_STOP_H
#define ND_MPI_STOP_H

#include "mpi/comm.h"

#include <stdbool.h>

/** Not collective. From now on SIGTERM and SIGUSR1 ask for a stop instead of ending the process. */
void nd_stop_listen(void);

/** Not collective. Has this rank been asked to stop? */
bool nd_stop_asked(void);

/** Collective. Has any rank? */
bool nd_stop_agreed(const nd_comm *comm);

#endif
