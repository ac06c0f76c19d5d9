/** \file mpi/cmd/command_line.h
 * A command's argv, read by its tables of options; and what is said of an option, or a command,
 * that there is not.
 */
#ifndef ND_CMD_COMMAND_LINE_H
#define ND_CMD_COMMAND_LINE_H

#include "mpi/cmd/command.h"

/** What is left of argv besides the options. */
typedef struct nd_words {
    char *const *words;
    size_t count;
} nd_words;

/** Is it an option of the command? A heading is none, nor a row of which an earlier table has the
 * name. \param[in] table  the number of the table that the row is of */
bool nd_command_has_row(const nd_command_table sets[ND_COMMAND_TABLES], int table,
                        const nd_option *row);

/** Not collective. Set the options that argv gives, of all rows with this `turn`, in the order in
 * which they stand there; other rows are passed over.
 * \param[out] words  borrowed from argv, whose order has changed; NULL: not wanted
 * \return ND_OK, or ND_ERR_USAGE with a text that names the option */
nd_status nd_command_line_read(const nd_command_table sets[ND_COMMAND_TABLES], int argc,
                               char **argv, uint8_t turn, nd_words *words);

/** Not collective. All of it for a command that takes one result file.
 * \param[out] path  of that file \return as above */
nd_status nd_command_line_result(const nd_command_table sets[ND_COMMAND_TABLES], int argc,
                                 char **argv, const char **path);

/** A word is wrong: of `names`, the one that is spelled nearly so (at most two letters added, left
 * out or changed, or neighbours swapped). \return NULL if there is none */
const char *nd_near_word(const char *word, const char *const *names, size_t count);

#endif
