/** \file mpi/run/plan_job.h
 * The plan of a job (src/plan/run_plan.h) for its own inputs, ranks and memory, and the check
 * before a run that what it writes will fit on the disk. The inputs are sampled, not read.
 */
#ifndef ND_MPI_RUN_PLAN_JOB_H
#define ND_MPI_RUN_PLAN_JOB_H

#include "io/input/input_survey.h"
#include "mpi/job/job.h"
#include "src/plan/run_plan.h"

/** Not collective. Speeds of a machine of which nothing is known: 500 MB/s for the inputs and for
 * the work folder of a node, and a network of 10 gigabits per second. Pages, ranks and memory are
 * left 0. */
nd_plan_task nd_plan_usual_machine(void);

/** Not collective. A rank's memory as a plan takes it. */
nd_plan_memory nd_plan_memory_shares(uint64_t total);

/** Not collective. How the options of a run find pairs and make sets goes into the task: which
 * stages it has, whose rates are taken, and what of a page is compared. */
void nd_plan_take_method(nd_plan_task *task, const nd_job_options *options);

/** Not collective. What the options of a run and its inputs say of what it will do goes into the
 * task: its method, checkpoints, pairs that are kept, and, by the bytes of collections, how many
 * pages ask what contains them. */
void nd_plan_take_options(nd_plan_task *task, const nd_job_options *options,
                          const nd_input_list *inputs);

/** Not collective. What a sample shows of the pages goes into the task. */
void nd_plan_take_sample(nd_plan_task *task, const nd_input_sample *sample);

/** Collective. Nodes that the ranks run on. */
int nd_plan_nodes(const nd_comm *comm);

/** How what a run writes compares with what is free. */
typedef enum nd_space { ND_SPACE_ENOUGH, ND_SPACE_DOUBTFUL, ND_SPACE_TOO_LITTLE } nd_space;

/** Collective. Before the first stage: compare the estimate of what is written with what is free.
 * Says nothing of a run that goes on from a checkpoint, or whose inputs are small beside what is
 * free: then not even a sample is taken. Where it is doubtful, rank 0 warns on stderr.
 * \return ND_OK on all ranks, or ND_ERR_LIMIT on all: certain not to fit; names the folder, what is
 *         needed and what is free */
nd_status nd_job_check_space(const nd_job *job);

#endif
