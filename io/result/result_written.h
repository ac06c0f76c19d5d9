/** \file io/result/result_written.h
 * A closed result file read again and compared with the notes of what was written to it: MPI-IO may
 * lose a write on a full disk and report success. For those who create results.
 */
#ifndef ND_IO_RESULT_RESULT_WRITTEN_H
#define ND_IO_RESULT_RESULT_WRITTEN_H

#include "io/result/result_file.h"

/** Not collective. Read everything noted from the closed file and compare.
 * \return ND_OK; ND_ERR_IO, naming the file and the first thing that is not there as it was
 *         written; or ND_ERR_MEMORY */
nd_status nd_result_written_check(const nd_result *result);

#endif
