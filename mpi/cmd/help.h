/** \file mpi/cmd/help.h
 * Help, man pages and completion, made from the entries of commands. Nothing is wider than 80
 * columns.
 */
#ifndef ND_CMD_HELP_H
#define ND_CMD_HELP_H

#include "mpi/cmd/command.h"

#include <stdio.h>

/** Print the help of a command on stdout. \param[in] all  rare options and notes too */
void nd_help_print(const nd_command *command, bool all);

/** Print its man page, as troff. */
void nd_help_man(const nd_command *command);

/** Print the man page of the program, which names its commands'. */
void nd_help_man_all(const nd_command *const *commands, size_t count);

/** Print the names of the topics, a line each. \param[in] summaries  with what each is about */
void nd_help_topic_names(FILE *to, bool summaries);

/** Print a topic (mpi/cmd/topics), or the table of former option names, on stdout.
 * \param[in] man  as troff: a man page of section 7 \return false: there is none of that name */
bool nd_help_topic(const char *name, bool man, const nd_command *const *commands, size_t count);

/** Print a bash script that completes the commands' names, options and their words. */
void nd_help_completion(const nd_command *const *commands, size_t count);

/** For what a command's help adds: print `begin`, and a text beside it, from column `margin` on;
 * its line breaks count as blanks, an empty line as one. */
void nd_help_beside(const char *begin, int margin, const char *text);

#endif
