/** \file mpi/cmd/partition/presets.h
 * What a run looks for where nothing else is said: the defaults (nd_partition_defaults() of
 * partition_options.h) and the published form. How it runs is no part of a preset.
 */
#ifndef ND_CMD_PARTITION_PRESETS_H
#define ND_CMD_PARTITION_PRESETS_H

#include "mpi/job/job.h"

/** --preset NAME. \return ND_OK or ND_ERR_USAGE */
nd_status nd_apply_preset(const char *name, nd_job_options *job);

#endif
