/** \file mpi/cmd/command.h
 * The commands of the program: a table with one row per file beside this one. Only here are there
 * main(), exit codes and option parsing.
 */
#ifndef ND_CMD_COMMAND_H
#define ND_CMD_COMMAND_H

#include "src/base/status.h"

/** Exit codes, part of the command line's contract. */
enum {
    ND_EXIT_DONE = 0,
    ND_EXIT_FAILED = 1,
    ND_EXIT_USAGE = 2,
    ND_EXIT_SKIPPED = 3, /**< done, but an input gave nothing or could not be read to its end; with
                              --strict also: but anything was skipped */
    ND_EXIT_STOPPED = 4  /**< stopped at a checkpoint because a signal asked for it */
};

typedef struct nd_command {
    const char *name;
    const char *summary; /**< one line for --help */
    /** Run with argv[0] = the command's name. Not under MPI yet: a command that needs ranks starts
     * MPI itself. \return the exit code */
    int (*run)(int argc, char **argv);
} nd_command;

extern const nd_command nd_command_partition;
extern const nd_command nd_command_export;
extern const nd_command nd_command_inspect;
extern const nd_command nd_command_explain;
extern const nd_command nd_command_check;
extern const nd_command nd_command_evaluate;
extern const nd_command nd_command_synthesize;
extern const nd_command nd_command_plan;

/** Say on stderr, in one line, what is wrong with the command line and how to get help.
 * \return ND_EXIT_USAGE */
int nd_usage_error(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Write out what is left for stdout: a full disk or a closed pipe shows at the latest here.
 * \return ND_OK or ND_ERR_IO */
nd_status nd_flush_stdout(void);

#endif
