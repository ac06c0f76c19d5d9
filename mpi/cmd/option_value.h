/** \file mpi/cmd/option_value.h
 * Values of command-line options: sizes and the words of --progress; numbers and choices are
 * src/base/parse.h's. All functions return ND_OK, or
 * ND_ERR_USAGE with a text that names the option and the value; they do not know which options
 * there are.
 */
#ifndef ND_CMD_OPTION_VALUE_H
#define ND_CMD_OPTION_VALUE_H

#include "mpi/progress.h"
#include "src/base/parse.h"

/** A size above 0 in bytes, as 65536, 512M or 2G. \param[in] option  without its dashes */
nd_status nd_parse_size(const char *option, const char *text, uint64_t *bytes);

/** A word of --progress. */
nd_status nd_parse_progress(const char *text, nd_progress_mode *mode);

#endif
