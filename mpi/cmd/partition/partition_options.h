/** \file mpi/cmd/partition/partition_options.h
 * The command line of `neardup partition`: its options, their help and their checks. What the
 * options mean is told where the job uses them.
 */
#ifndef ND_CMD_PARTITION_PARTITION_OPTIONS_H
#define ND_CMD_PARTITION_PARTITION_OPTIONS_H

#include "mpi/job/job.h"

/** What the command line says; texts are borrowed from argv. */
typedef struct nd_partition_arguments {
    nd_job_options job;
    const char *method; /**< the last --method; NULL: the preset's */
    bool own_guard;     /**< --guard was given */
    uint64_t memory;    /**< bytes per rank; 0: its share of the node's */
    bool any_memory;    /**< also if the node has not got it */
    nd_watchdog_options watchdog;
    bool strict;
    bool dry_run; /**< tell what is needed; then there may be no output */
    bool help;
    const char *const *inputs;
    size_t input_count;
    nd_buffer command_line; /**< owned; the job's command_line lies in it */
} nd_partition_arguments;

/** Not collective; every rank takes them the same way. Parse the words behind `partition`.
 * \return ND_OK, or ND_ERR_USAGE with a text that names the option, or ND_ERR_MEMORY */
nd_status nd_partition_parse(int argc, char **argv, nd_partition_arguments *arguments);

/** What and how the default preset compares; nothing else of the job is set. */
void nd_partition_defaults(nd_job_options *job);

/** Print the help text on stdout. */
void nd_partition_help(void);

#endif
