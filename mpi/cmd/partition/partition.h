/** \file mpi/cmd/partition/partition.h
 * `neardup partition`: its options, their help, their checks and the presets, and the job itself,
 * for commands that make a result and go on with it. What the options mean is said where the job
 * uses them.
 */
#ifndef ND_CMD_PARTITION_PARTITION_H
#define ND_CMD_PARTITION_PARTITION_H

#include "mpi/cmd/command.h"
#include "mpi/job/job.h"

/** What the command line says; texts are borrowed from argv. */
typedef struct nd_partition_arguments {
    nd_job_options job;
    const char *method; /**< the last --method; NULL: the preset's */
    uint64_t memory;    /**< bytes per rank; 0: its share of the node's */
    bool any_memory;    /**< also if the node has not got it */
    nd_watchdog_options watchdog;
    bool strict;
    bool dry_run; /**< print what is needed; then there may be no output */
    bool filters; /**< the command filters the pages afterwards, and says what comes next */
    const char *const *inputs;
    size_t input_count;
    nd_buffer command_line; /**< owned; the job's command_line lies in it */
} nd_partition_arguments;

/** Not collective; every rank takes them the same way. Read the words after `partition`, or after
 * another command that has its tables too.
 * \param[in] call        its tables are opened, among them those of nd_partition_open()
 * \param[out] arguments  of the program's one command line; its buffer is the caller's to free
 * \return ND_OK, or ND_ERR_USAGE with a text that names the option */
nd_status nd_partition_read(nd_command_call *call, nd_partition_arguments **arguments);

/** Check what was read as a whole, and derive what follows from it. \return as above */
nd_status nd_partition_check(nd_partition_arguments *arguments);

/** Has the name one of these endings? */
bool nd_partition_ends_as(const char *path, const char *const *endings, size_t count);

/** Does the name end as one of pages, or of a table? */
bool nd_partition_is_name_of_pages(const char *path);

/** What and how the default preset compares; nothing else of the job is set. */
void nd_partition_defaults(nd_job_options *job);

/** The same of a preset by its name. \return ND_OK, or ND_ERR_USAGE: there is none of that name */
nd_status nd_partition_take_preset(nd_job_options *job, const char *name);

/** Compare by another method, with what it was published with; NULL, or the job's own: as it is.
 * \return ND_OK, or ND_ERR_USAGE: there is none of that name */
nd_status nd_partition_take_method(nd_job_options *job, const char *name);

/** The i-th method's name, NULL after the last: what completion offers for --method. */
const char *nd_partition_method_word(size_t i);

/** For the command's entry: its three tables. */
void nd_partition_open(nd_command_table sets[ND_COMMAND_TABLES]);

/** Collective. Start MPI for a job with this output (which may be NULL). */
void nd_partition_start(nd_command_call *call, const nd_partition_arguments *arguments);

/** Collective, MPI being started. Run the job, or print its plan.
 * \param[in] command  named where the command line is wrong
 * \param[in] read     how reading and checking the command line went; its text is said
 * \return the exit code, one for all ranks */
int nd_partition_run(const nd_command *command, nd_status read,
                     const nd_partition_arguments *arguments);

#endif
