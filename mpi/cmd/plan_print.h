/** \file mpi/cmd/plan_print.h
 * Plans as people read them, and as JSON; what `neardup plan` and `neardup partition --dry-run`
 * share. Everything goes to stdout.
 */
#ifndef ND_CMD_PLAN_PRINT_H
#define ND_CMD_PLAN_PRINT_H

#include "mpi/run/plan_job.h"

/** What was seen of the inputs, in two lines. */
void nd_plan_print_sample(const nd_input_sample *sample);

/** A row per stage, then totals, and whether the run will go.
 * \param[in] given  the memory was given by --memory; else it is this machine's */
void nd_plan_print(const nd_plan_task *task, const nd_plan *plan, bool given);

/** Several machines, a row each. */
void nd_plan_print_machines(const nd_plan_task *tasks, const nd_plan *plans, size_t count,
                            bool given);

/** An array of one object per plan, on one line. \param[in] sample  of the inputs; NULL: none */
void nd_plan_print_json(const nd_input_sample *sample, const nd_plan_task *tasks,
                        const nd_plan *plans, size_t count);

#endif
