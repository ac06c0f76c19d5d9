/** \file mpi/cmd/option_value.h
 * Values of command-line options: sizes and the words of --progress; numbers and choices are
 * src/base/parse.h's; and what is said of an option, or a command, that there is not. All functions
 * return ND_OK, or ND_ERR_USAGE with a text that names the option and the value; they do not know
 * which options there are.
 */
#ifndef ND_CMD_OPTION_VALUE_H
#define ND_CMD_OPTION_VALUE_H

#include "mpi/job/progress.h"
#include "src/base/parse.h"

#include <getopt.h>

/** A size above 0 in bytes, as 65536, 512M or 2G. \param[in] option  without its dashes */
nd_status nd_parse_size(const char *option, const char *text, uint64_t *bytes);

/** A word of --progress. */
nd_status nd_parse_progress(const char *text, nd_progress_mode *mode);

/** A word is wrong: of `names`, the one that is spelled nearly so (at most two letters added, left
 * out or changed, or neighbours swapped). \return NULL if there is none */
const char *nd_near_word(const char *word, const char *const *names, size_t count);

/** What to say of the word that getopt_long() has refused, in `opterr = 0` mode: argv[optind - 1],
 * or the word that holds the letter `optopt`. \param[in] options  closed by a row without a name
 * \return ND_ERR_USAGE */
nd_status nd_wrong_option(const char *word, const struct option *options);

#endif
