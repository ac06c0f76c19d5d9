/** \file mpi/cmd/help.h
 * Help, man pages and completion, made from the entries of commands. Nothing is wider than 80
 * columns.
 */
#ifndef ND_CMD_HELP_H
#define ND_CMD_HELP_H

#include "mpi/cmd/command.h"

#include <stddef.h>
#include <stdint.h>
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

/* ---- Files of the source tree that are built into the program by scripts/embed.cmake: what a page
 * for a browser carries in it, and the topics of the help. CMakeLists.txt lists them. */

typedef struct nd_built_in {
    const uint8_t *bytes;
    size_t size;
    uint8_t sha256[32]; /**< of the bytes */
} nd_built_in;

extern const nd_built_in nd_built_in_page_css;
extern const nd_built_in nd_built_in_review_js;

/** The topics, in the order in which the help lists them: mpi/cmd/topics/NAME.txt each. */
#define ND_HELP_TOPICS(X)                                                                          \
    X(inputs)                                                                                      \
    X(sets) X(results) X(keep) X(indexes) X(clusters) X(collections) X(trust) X(limits)

#define ND_HELP_TOPIC(name) extern const nd_built_in nd_built_in_##name##_txt;
ND_HELP_TOPICS(ND_HELP_TOPIC)
#undef ND_HELP_TOPIC

#endif
