#include "mpi/run/run_identity.h"

#include "io/result/parameters.h"
#include "mpi/job/inputs.h"
#include "mpi/job/job_option.h"
#include "mpi/job/run_parameters.h"
#include "mpi/stage/index_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options */

static nd_status own_parameters(const nd_job *job, nd_buffer *text) {
    nd_status st = ND_OK;
    char parameters[ND_PARAMETERS_SIZE];
    char checksum[32];
    nd_print_parameters(&job->options, parameters, sizeof parameters);
    nd_buffer_append_text(text, parameters);
    nd_buffer_append(text, "", 1);
    /* how the inputs are read decides the result too, but is no parameter of the method */
    for (const nd_option *option = nd_job_option_table; option->help != NULL; option++) {
        char room[ND_OPTION_TEXT_SIZE];
        char name[ND_OPTION_TEXT_SIZE];
        if (option->kept == ND_KEPT_IN_WORK) {
            const char *value = nd_option_print(option, &job->options, room);
            nd_option_parameter(option, name);
            ND_TRY(nd_parameters_set(text, name, value == NULL ? "" : value));
        }
    }
    if (job->options.against != NULL) { /* the same name may be another index by now */
        (void)snprintf(checksum, sizeof checksum, "%016llx",
                       (unsigned long long)nd_index_checksum(
                           job->options.reread ? &job->reread.index : &job->old.index));
        ND_TRY(nd_parameters_set(text, "index_checksum", checksum));
        ND_TRY(nd_parameters_set(text, "recluster", job->options.rejoin ? "on" : "off"));
        ND_TRY(nd_parameters_set(text, "reread", job->options.reread ? "on" : "off"));
    }
out:
    return st;
}

/* ---- inputs */

/* Both lists are sorted: the first place where they differ is named. */
static nd_status check_inputs(const nd_job *job) {
    nd_status st = ND_OK;
    char *bytes = NULL;
    nd_input_list before = {0};
    const nd_input_list *now = &job->inputs;
    const char *work = job->options.work;
    uint64_t size = 0;
    ND_TRY(nd_checkpoint_records(&job->checkpoint, "inputs", &size));
    nd_new(&bytes, size + 1, 1);
    ND_TRY(nd_checkpoint_load(&job->checkpoint, "inputs", 1, 0, size, bytes));
    ND_TRY(size > 0 ? nd_inputs_unpack(&bytes, size, &before) : ND_OK); /* none is an empty list */
    for (size_t i = 0; st == ND_OK && (i < before.count || i < now->count); i++) {
        const nd_input *was = i < before.count ? &before.inputs[i] : NULL;
        const nd_input *is = i < now->count ? &now->inputs[i] : NULL;
        const int order = was == NULL ? 1 : is == NULL ? -1 : strcmp(was->path, is->path);
        if (order != 0) {
            st = nd_fail(ND_ERR_USAGE, "--work %s holds a run %s input %s", work,
                         order < 0 ? "that had also the" : "without the",
                         order < 0 ? was->path : is->path);
        } else if (was->collection != is->collection) {
            st = nd_fail(ND_ERR_USAGE, "--work %s holds a run with input %s in collection %s", work,
                         is->path, before.collections[was->collection]);
        } else if (was->is.bytes != is->is.bytes) {
            st = nd_fail(ND_ERR_CHANGED,
                         "%s: has changed since it was read (%llu bytes then, %llu now): start "
                         "over in a new work folder, without --resume",
                         is->path, (unsigned long long)was->is.bytes,
                         (unsigned long long)is->is.bytes);
        }
    }
out:
    nd_input_list_free(&before);
    free(bytes);
    return st;
}

nd_status nd_run_identity_save(nd_job *job) {
    nd_status st = ND_OK;
    nd_buffer text = {0};
    nd_buffer inputs = {0};
    if (job->comm.rank == 0) {
        ND_TRY(own_parameters(job, &text));
        nd_checkpoint_set_text(&job->checkpoint, "parameters", (const char *)text.data);
        nd_checkpoint_set_number(&job->checkpoint, "hash_seed", job->options.hash_seed);
        ND_TRY(nd_inputs_pack(&job->inputs, &inputs));
        ND_TRY(nd_checkpoint_save(&job->checkpoint, "inputs", 1, 0, inputs.data, inputs.size));
    }
out:
    nd_buffer_free(&text);
    nd_buffer_free(&inputs);
    return nd_comm_agree(&job->comm, st);
}

nd_status nd_run_identity_check(nd_job *job) {
    nd_status st = ND_OK;
    const char *before = NULL;
    nd_buffer now = {0};
    char difference[256];
    if (job->comm.rank == 0) {
        ND_TRY(nd_checkpoint_text(&job->checkpoint, "parameters", &before));
        ND_TRY(own_parameters(job, &now));
        if (nd_parameters_differ(before, (const char *)now.data, difference, sizeof difference)) {
            st = nd_fail(ND_ERR_USAGE,
                         "--work %s holds a run with other options: %s (give the same ones, or "
                         "remove the folder)",
                         job->options.work, difference);
            goto out;
        }
        ND_TRY(check_inputs(job));
    }
out:
    nd_buffer_free(&now);
    return nd_comm_agree(&job->comm, st);
}
