/** \file mpi/cmd/command.h
 * The commands of the program. Each is one entry, in a file of its own: its name, what it is for,
 * its options as tables, and what it does; the list of them is below. Reading argv
 * (command.h), help, man pages and completion (help.h) are made from the entry. Only here are
 * there main() and exit codes.
 */
#ifndef ND_CMD_COMMAND_H
#define ND_CMD_COMMAND_H

#include "mpi/comm/comm.h"
#include "src/base/option.h"
#include "src/sets/keep.h"

/** Exit codes, part of the command line's contract. */
enum {
    ND_EXIT_DONE = 0,
    ND_EXIT_FAILED = 1,
    ND_EXIT_USAGE = 2,
    /** Done, but not all of an input could be read, or a record is cut off; with --strict also: but
     * anything was skipped. */
    ND_EXIT_SKIPPED = 3,
    ND_EXIT_STOPPED = 4 /**< stopped at a checkpoint because a signal asked for it */
};

enum { ND_COMMAND_TABLES = 6 /**< tables of a command, at most, and one of none */ };

/** A table of options and the struct that they are set in. */
typedef struct nd_command_table {
    const nd_option *table; /**< NULL: none */
    void *options;
    /** May the option be given? ND_OK, or ND_ERR_USAGE with a text. NULL: any may. */
    nd_status (*allow)(const nd_option *option, const char *text);
    /** Where no one default is right: what the help says of them. \return bytes of `text` used; 0:
     * as it stands in `options`. NULL: always that */
    size_t (*defaults)(const nd_option *option, char *text, size_t size);
} nd_command_table;

/** A command that is run: its tables, opened, and its argv, argv[0] being its name. */
typedef struct nd_command_call {
    nd_command_table sets[ND_COMMAND_TABLES];
    int argc;
    char **argv;
    int code; /**< the exit code, ND_EXIT_DONE to begin with */
} nd_command_call;

typedef struct nd_command {
    const char *name;
    const char *summary;  /**< one line for neardup --help */
    const char *usage;    /**< lines; each is printed after "neardup NAME" */
    const char *about;    /**< paragraphs with an empty line between them, laid out anew */
    const char *examples; /**< three lines */
    const char *notes;    /**< as `about`, after the options in the long help; may be NULL */
    const char *groups;   /**< not NULL: the short help is one list of the options that have a brief
                               text, and says this of the long one */
    /** What the help adds to the options in the long form, on stdout; may be NULL. */
    void (*more)(void);
    /** Set the command's options to their defaults and name its tables. */
    void (*open)(nd_command_table sets[ND_COMMAND_TABLES]);
    /** Run. Not under MPI yet: a command that needs ranks starts MPI itself, and says itself how it
     * has failed. \return ND_OK, with the exit code in the call; or a failure that is still to be
     * said, of a process alone */
    nd_status (*run)(nd_command_call *call);
} nd_command;

/** The commands, in the order of neardup --help: nd_command_NAME each. */
#define ND_COMMANDS(X)                                                                             \
    X(dedup)                                                                                       \
    X(partition)                                                                                   \
    X(export)                                                                                      \
    X(filter)                                                                                      \
    X(inspect)                                                                                     \
    X(explain)                                                                                     \
    X(review)                                                                                      \
    X(report)                                                                                      \
    X(overlap)                                                                                     \
    X(check) X(extract) X(evaluate) X(synthesize) X(plan) X(index) X(query)

#define ND_COMMAND_ENTRY(name) extern const nd_command nd_command_##name;
ND_COMMANDS(ND_COMMAND_ENTRY)
#undef ND_COMMAND_ENTRY

/** Open its tables, run it, write out what is left for stdout, and say a failure. \param[in] argv
 * argv[0] is its name \return the exit code */
int nd_command_run(const nd_command *command, int argc, char **argv);

/** Say on stderr, in one line, how a command has failed (nd_fail_text()), with how to get help if
 * it was a wrong use of it. \return the exit code */
int nd_command_failed(const nd_command *command, nd_status status);

/** Collective, over the processes of a command. \return the exit code, one for all: done, or if the
 * status is a failure what nd_command_failed() says on rank 0 */
int nd_command_end(const nd_command *command, const nd_comm *comm, nd_status status);

/** Collective: how a command on ranks begins and ends. Start MPI with the processes of the command;
 * end both, with one exit code for all: the call's, or if the status is a failure as above.
 * \return ND_OK */
void nd_command_start(nd_command_call *call, nd_comm *comm);
nd_status nd_command_finish(const nd_command *command, nd_command_call *call, nd_comm *comm,
                            nd_status status);

/** The last lines of a command, on stderr: what to type next, as "neardup COMMAND OUT.h5 REST";
 * none for a name that takes more than a pair of quotes. */
typedef struct nd_next_step {
    const char *command, *rest; /**< the rest begins with a blank, or is "" */
} nd_next_step;
void nd_print_next(const char *result, const nd_next_step *steps, size_t count);

struct nd_job;

/** Say on stderr how many revisits there are, if there are any. */
void nd_print_revisits(const struct nd_job *job);

/** Revisits in words, the same wherever they are counted. \param[in] pages, alone  those that are
 * pages; of these, those whose capture is none \param[in] other  those of no page */
const char *nd_revisits_text(uint64_t pages, uint64_t alone, uint64_t other, char *text,
                             size_t size);

/** Say on stderr why other records are no pages, if there are any. */
void nd_print_others(const struct nd_job *job);

/** Say on stderr in how many inputs there are gaps, if there are any. \param[in] where  said after
 * it */
void nd_print_gaps(const struct nd_job *job, const char *where);

/** The exit code of a command that has read all inputs as far as they can be read. */
int nd_command_inputs_code(const struct nd_job *job, bool strict);

/** Write out what is left for stdout: a full disk or a closed pipe shows at the latest here.
 * \return ND_OK or ND_ERR_IO */
nd_status nd_flush_stdout(void);

/** Where `count` is armed (src/base/fault.h), print how often this rank has passed each point. */
void nd_command_print_passings(int rank);

/* ---- A command's argv, read by its tables of options; and what is said of an option, or a
 * command, that there is not. */

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
nd_status nd_command_line_read(const nd_command_call *call, uint8_t turn, nd_words *words);

/** Not collective. All of it for a command that takes one result file.
 * \param[out] path  of that file \return as above */
nd_status nd_command_line_result(const nd_command_call *call, const char **path);

/** A word is wrong: of `names`, the one that is spelled nearly so (at most two letters added, left
 * out or changed, or neighbours swapped). \return NULL if there is none */
const char *nd_near_word(const char *word, const char *const *names, size_t count);

/* ---- The options by which a user says which page of a set is kept, as a table over nd_keep_wish.
 */

extern const nd_option nd_keep_option_table[];

#endif
