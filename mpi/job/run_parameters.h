/** \file mpi/job/run_parameters.h
 * The options that decide a result as text, and back: what the result file and the work folder keep
 * of a run, so that it can be repeated. How inputs are read is not among them.
 */
#ifndef ND_MPI_JOB_RUN_PARAMETERS_H
#define ND_MPI_JOB_RUN_PARAMETERS_H

#include "mpi/job/job.h"

enum { ND_PARAMETERS_SIZE = 2048 };

/** Not collective. The options as one JSON object: of the method's own those that it uses. */
void nd_print_parameters(const nd_job_options *options, char *text, size_t size);

/** Not collective. Set the options that a text of nd_print_parameters() has; the others keep
 * their values, but for those of the method, which are its defaults. \param[in] path  of the file
 * that the text came from, for messages \return ND_OK; ND_ERR_FORMAT if it is no such text, or
 * has a parameter that this program does not know; ND_ERR_USAGE if a value is none */
nd_status nd_read_parameters(const char *path, const char *text, nd_job_options *options);

#endif
