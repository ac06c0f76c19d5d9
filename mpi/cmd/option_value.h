/** \file mpi/cmd/option_value.h
 * Values of command-line options: numbers, sizes, choices. All functions return ND_OK, or
 * ND_ERR_USAGE with a text that names the option and the value; they do not know which options
 * there are.
 */
#ifndef ND_CMD_OPTION_VALUE_H
#define ND_CMD_OPTION_VALUE_H

#include "mpi/progress.h"

#include <stdbool.h>

/** A whole number. \param[in] option  without its dashes, as in all that follow */
nd_status nd_parse_number(const char *option, const char *text, uint64_t *number);

/** A whole number of 32 bits. */
nd_status nd_parse_small(const char *option, const char *text, uint32_t *number);

/** A size above 0 in bytes, as 65536, 512M or 2G. */
nd_status nd_parse_size(const char *option, const char *text, uint64_t *bytes);

/** A number with a fraction. */
nd_status nd_parse_real(const char *option, const char *text, double *number);

/** One of two words. \param[out] choice  whether it is the first */
nd_status nd_parse_choice(const char *option, const char *text, const char *if_true,
                          const char *if_false, bool *choice);

/** A word of --progress. */
nd_status nd_parse_progress(const char *text, nd_progress_mode *mode);

#endif
