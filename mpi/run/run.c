#define _GNU_SOURCE /* sched_getaffinity() */

#include "mpi/run/run.h"

#include "io/result/result_file.h"
#include "io/result/result_schema.h"
#include "io/store/output_file.h"
#include "io/store/own_file.h"
#include "mpi/comm/comm.h"
#include "mpi/job/inputs.h"
#include "mpi/job/job.h"
#include "mpi/run/plan_job.h"
#include "mpi/stage/compare.h"
#include "mpi/stage/index_folder.h"
#include "mpi/stage/index_pages.h"
#include "mpi/stage/stage.h"
#include "mpi/stage/stage_contain.h"
#include "mpi/stage/state.h"
#include "src/base/fault.h"
#include "src/base/printable.h"
#include "src/base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* ==== Which run a work folder belongs to: the options that decide the result, and the inputs. A
 * job that goes on has to have the same; what differs is named. */

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
    if (job->options.index != NULL) { /* the same name may be another index by now */
        (void)snprintf(checksum, sizeof checksum, "%016llx",
                       (unsigned long long)nd_index_checksum(job->options.reread
                                                                 ? &job->state->reread.folder
                                                                 : &job->state->index.folder));
        ND_TRY(nd_parameters_set(text, "index_checksum", checksum));
        ND_TRY(nd_parameters_set(text, "recluster", job->options.recluster ? "on" : "off"));
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

/* Collective. Note this run's options and inputs for the next commit. */
static nd_status run_identity_save(nd_job *job) {
    nd_status st = ND_OK;
    nd_buffer text = {0};
    nd_buffer inputs = {0};
    if (job->comm.rank == 0) {
        ND_TRY(own_parameters(job, &text));
        nd_checkpoint_set_text(&job->checkpoint, "parameters", (const char *)text.data);
        nd_checkpoint_set_number(&job->checkpoint, "hash_seed", job->options.hash_seed);
        nd_inputs_pack(&job->inputs, &inputs);
        ND_TRY(nd_checkpoint_save(&job->checkpoint, "inputs", 1, 0, inputs.data, inputs.size));
    }
out:
    nd_buffer_free(&text);
    nd_buffer_free(&inputs);
    return nd_comm_agree(&job->comm, st);
}

/* Collective. Compare with those of the work folder.
 * \return ND_OK on all ranks, or ND_ERR_USAGE or, of an input's size, ND_ERR_CHANGED (ND_ERR_PEER)
 * on all, naming what differs */
static nd_status run_identity_check(nd_job *job) {
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

/* ==== places */

static bool is_result(const char *path) {
    nd_result result;
    const bool opened = nd_result_open_file(&result, path) == ND_OK;
    if (opened) {
        (void)nd_result_close(&result);
    }
    return opened;
}

/* The folder and the last name of a path, without slashes at its end. */
static const char *split(const char *path, char folder[PATH_MAX], char name[PATH_MAX]) {
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/') {
        size--;
    }
    size_t begin = size;
    while (begin > 0 && path[begin - 1] != '/') {
        begin--;
    }
    (void)snprintf(name, PATH_MAX, "%.*s", (int)(size - begin), path + begin);
    (void)snprintf(folder, PATH_MAX, "%.*s", begin == 0 ? 1 : (int)begin, begin == 0 ? "." : path);
    return name;
}

/* Are these two names of one place, where nothing need be yet? */
static bool same_place(const char *a, const char *b) {
    char folders[2][PATH_MAX], names[2][PATH_MAX];
    struct stat info[2];
    return strcmp(split(a, folders[0], names[0]), split(b, folders[1], names[1])) == 0 &&
           stat(folders[0], &info[0]) == 0 && stat(folders[1], &info[1]) == 0 &&
           info[0].st_dev == info[1].st_dev && info[0].st_ino == info[1].st_ino;
}

/* The folder there that is this output's, whatever number of ranks makes it: who makes the output
 * again finds what was left. */
static nd_status name_local(nd_job *job) {
    nd_status st = ND_OK;
    const nd_job_options *o = &job->options;
    const char *made = o->output != NULL ? o->output : o->write_index;
    char folder[PATH_MAX];
    char name[PATH_MAX];
    struct stat info = {0};
    char host[HOST_NAME_MAX + 1] = "";
    uint64_t number = 0;
    (void)gethostname(host, sizeof host - 1);
    if (made != NULL && job->comm.rank == 0) {
        (void)split(made, folder, name);
        (void)stat(folder, &info);
        number = nd_mix64(XXH3_64bits_withSeed(name, strlen(name), (uint64_t)info.st_ino));
    }
    ND_MPI(MPI_Bcast(&number, 1, MPI_UINT64_T, 0, job->comm.handle));
    const int length = snprintf(job->local_path, sizeof job->local_path,
                                "%s/neardup-%016" PRIx64 ".spill", o->local_tmp, number);
    if (length >= (int)sizeof job->local_path - NAME_MAX) {
        st = nd_fail(ND_ERR_USAGE, "--local-tmp %.60s...: the name is too long", o->local_tmp);
    } else if (stat(o->local_tmp, &info) != 0 || !S_ISDIR(info.st_mode)) {
        st = nd_fail(
            ND_ERR_USAGE,
            "--local-tmp %s: is no folder on host %s: make it on each node, or name another",
            o->local_tmp, host);
    } else if (access(o->local_tmp, W_OK | X_OK) != 0) {
        st = nd_fail(ND_ERR_USAGE,
                     "--local-tmp %s: cannot be written to on host %s: %s: name another",
                     o->local_tmp, host, strerror(errno));
    }
    return st;
}

/* The first rank of a node: no run works with it any more, since the output is this run's. */
static nd_status clear_folder(const char *path, const char *cure) {
    nd_status st = ND_OK;
    nd_work_folder folder = {0};
    struct stat info;
    if (lstat(path, &info) != 0) {
        goto out;
    }
    if (!S_ISDIR(info.st_mode)) {
        st = nd_fail(ND_ERR_USAGE, "%s: is no folder of ours: remove it, or %s", path, cure);
        goto out;
    }
    ND_TRY(nd_work_folder_open(&folder, path));
    ND_TRY(nd_work_folder_remove(&folder, NULL, 0, true));
    if (rmdir(path) != 0) {
        st = nd_fail(ND_ERR_USAGE, "%s: cannot be removed: %s: remove it, or %s", path,
                     strerror(errno), cure);
    }
out:
    nd_work_folder_close(&folder);
    return st;
}

/* Collective. Can the result be written where it should go, and is nothing lost by it? Asked
 * before hours of work, and before the inputs are known. Each node looks at options.local_tmp, in
 * which job->local_path gets its name. Nothing is removed. \return ND_OK on all ranks, or a failure
 * on all: ND_ERR_USAGE where another name is needed */
static nd_status run_places_try(nd_job *job) {
    nd_status st = ND_OK;
    const nd_job_options *o = &job->options;
    char partial[PATH_MAX];
    const nd_output output = {.option = "-o",
                              .path = o->output,
                              .force = o->force,
                              .replaces = is_result,
                              .what = "a result of neardup partition"};
    ND_TRY(o->local_tmp != NULL ? name_local(job) : ND_OK);
    if (job->comm.rank != 0) {
        goto out;
    }
    ND_TRY(o->output != NULL ? nd_output_check(&output) : ND_OK);
    ND_TRY(nd_index_try(o));
    if (o->work != NULL && o->output != NULL) {
        (void)snprintf(partial, sizeof partial, "%s%s", o->output, ND_PARTIAL_SUFFIX);
        if (nd_work_folder_holds(o->work, o->output) || same_place(o->work, o->output) ||
            same_place(o->work, partial)) {
            st = nd_fail(ND_ERR_USAGE,
                         "-o %s: is the name of a file of the work folder, or of the "
                         "folder itself: name another file",
                         o->output);
        }
    }
out:
    return nd_comm_agree(&job->comm, st);
}

/* Rank 0. */
static nd_status clear_places(nd_job *job) {
    nd_status st = ND_OK;
    nd_work_folder folder = {0};
    struct stat info;
    const char *path = job->shared;
    const char *output = job->options.output;
    const nd_output_files taken = output != NULL ? nd_output_look(output) : (nd_output_files){0};
    for (size_t i = 0; i < job->inputs.count && output != NULL; i++) {
        const nd_input *input = &job->inputs.inputs[i];
        if (nd_output_takes(&taken, input->device, input->is.inode)) {
            st = nd_fail(ND_ERR_USAGE, "-o %s: is the input %s: name another file", output,
                         input->path);
            goto out;
        }
        if (path != NULL && nd_work_folder_holds(path, input->path)) {
            st = nd_fail(ND_ERR_USAGE,
                         "%s: an input with the name of a file of the folder %s, where they are "
                         "removed: give it another name",
                         input->path, path);
            goto out;
        }
    }
    ND_TRY(output != NULL ? nd_output_take("-o", output, &job->lock) : ND_OK);
    if (job->own_work && lstat(path, &info) == 0) { /* of a killed run */
        ND_TRY(nd_work_folder_open(&folder, path));
        ND_TRY(nd_work_folder_lock(&folder));
        nd_work_folder_discard(&folder);
    }
    /* the folder beside the output goes with the run that has made it */
    if (job->options.work == NULL && path != NULL) {
        st = clear_folder(path, "name another output");
    }
out:
    nd_work_folder_close(&folder);
    return st;
}

nd_status nd_run_places_clear(nd_job *job) {
    nd_status st = nd_comm_agree(&job->comm, job->comm.rank == 0 ? clear_places(job) : ND_OK);
    if (st == ND_OK && job->options.local_tmp != NULL) {
        const bool leads = nd_comm_leads_node(&job->comm);
        st = nd_comm_agree(
            &job->comm, leads ? clear_folder(job->local_path, "name another --local-tmp") : ND_OK);
    }
    return st;
}

/* ==== standard input */

enum { BLOCK = 1 << 20 };

static nd_input *find_input(const nd_job *job) {
    for (size_t i = 0; i < job->inputs.count; i++) {
        if (job->inputs.inputs[i].standard_input) {
            return &job->inputs.inputs[i];
        }
    }
    return NULL;
}

/* Rank 0. */
static nd_status make_copy(const nd_job *job, const char *path, uint64_t *bytes) {
    nd_status st = ND_OK;
    int descriptor = -1;
    uint8_t *block = NULL;
    ssize_t got = 1;
    *bytes = 0;
    nd_new_room(&block, BLOCK, 1);
    ND_TRY(nd_spool_folder_make(
        &(nd_spool_folder){.path = job->shared, .unnamed = job->options.work == NULL}));
    ND_TRY(nd_own_file_remake(path, &descriptor));
    while (got > 0 && (st = nd_fault(ND_FAULT_INPUT_READ)) == ND_OK) {
        do {
            got = read(STDIN_FILENO, block, BLOCK);
        } while (got < 0 && errno == EINTR && !nd_stop_asked());
        if (got < 0 && errno != EINTR) {
            st = nd_fail(ND_ERR_IO, "-: standard input cannot be read: %s", strerror(errno));
        } else if (nd_stop_asked()) {
            st = nd_fail(ND_ERR_IO,
                         "-: stopped while standard input was read: nothing is kept of it");
        } else {
            st = nd_own_file_write(descriptor, path, *bytes, block, (size_t)got);
            *bytes += (uint64_t)got;
        }
        if (st != ND_OK) {
            break;
        }
    }
    if (st == ND_OK && job->checkpoint.enabled) { /* the work folder promises to have it */
        st = nd_fault(ND_FAULT_SYNC);
        if (st == ND_OK && fsync(descriptor) != 0) {
            st = nd_fail(ND_ERR_IO, "%s: cannot be synced: %s", path, strerror(errno));
        }
    }
    if (close(descriptor) != 0 && st == ND_OK) {
        st = nd_fail(ND_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
    }
    if (st != ND_OK) {
        (void)unlink(path);
        if (!job->checkpoint.enabled) {
            (void)rmdir(job->shared);
        }
    }
out:
    free(block);
    return st;
}

nd_status nd_standard_input_take(nd_job *job) {
    nd_status st = ND_OK;
    nd_input *input = find_input(job);
    uint64_t bytes = 0;
    char path[ND_WORK_PATH_SIZE];
    struct stat info;
    nd_file_identity is = {0};
    if (input == NULL) {
        return ND_OK;
    }
    (void)snprintf(path, sizeof path, "%s/%s", job->shared, nd_work_input_name);
    if (job->comm.rank == 0 && nd_checkpoint_stage(&job->checkpoint) == NULL) {
        st = make_copy(job, path, &bytes);
    }
    if (st == ND_OK && job->comm.rank == 0 && lstat(path, &info) == 0 && S_ISREG(info.st_mode)) {
        is = nd_file_identity_of(&info); /* its size is compared with the inputs' */
    } else if (st == ND_OK && job->comm.rank == 0) {
        st = nd_fail(ND_ERR_IO, "%s: the copy of standard input is gone: start anew", path);
    }
    ND_TRY(nd_comm_agree(&job->comm, st));
    ND_MPI(MPI_Bcast(&is, sizeof is / sizeof(uint64_t), MPI_UINT64_T, 0, job->comm.handle));
    ND_TRY(nd_comm_agree(&job->comm, nd_input_set_copy(&job->inputs, input, path, &is)));
out:
    return st;
}

/* Collective. Remove the copy, unless it lies in a work folder. */
static void standard_input_drop(const nd_job *job) {
    const nd_input *input = find_input(job);
    if (input != NULL && job->options.work == NULL) {
        ND_MPI(MPI_Barrier(job->comm.handle)); /* no rank reads it any more */
        if (job->comm.rank == 0 && input->copy != NULL) {
            (void)unlink(input->copy);
        }
    }
}

/* ==== The job's state in its work folder: after every stage what it leaves, the totals (by name)
 * and what was measured, and when a job goes on, all of it back on whatever ranks there are. What a
 * stage leaves it keeps itself (mpi/stage/stage.h). Other options or inputs than those of the run
 * that a work folder holds are refused. */

/* ---- totals and measurements */

/* Kept by name: what moves in the struct does not move in a work folder. */
#define TOTAL(field) {"total." #field, offsetof(nd_job_totals, field)},
static const struct {
    const char *name;
    size_t offset;
} total_names[] = {ND_TOTALS(TOTAL)};
#undef TOTAL
enum { TOTALS = sizeof total_names / sizeof total_names[0] };

static uint64_t *total_at(nd_job_totals *totals, size_t index) {
    return (uint64_t *)(void *)((char *)totals + total_names[index].offset);
}

/* ---- opening */

/* The seed of hashes, if it is neither given nor an index's. A run that goes on has its own: an
 * input may be away. */
static nd_status find_seed(nd_job *job) {
    nd_status st = ND_OK;
    uint64_t *seed = &job->options.hash_seed;
    if (*seed == 0 && job->checkpoint.enabled && nd_checkpoint_stage(&job->checkpoint) != NULL) {
        st = nd_comm_agree(&job->comm, nd_checkpoint_number(&job->checkpoint, "hash_seed", seed));
    } else if (*seed == 0) {
        st = nd_inputs_seed(&job->comm, &job->inputs, seed);
    }
    return st;
}

/* Collective. Open the work folder; if there is something to go on from, check that it belongs to
 * this run. ND_OK on all ranks, or a failure on all. */
static nd_status job_state_open(nd_job *job) {
    nd_status st = ND_OK;
    ND_TRY(
        nd_checkpoint_open(&job->checkpoint, &job->comm, job->options.work, job->options.resume));
    ND_TRY(nd_standard_input_take(job));
    ND_TRY(find_seed(job));
    if (!job->checkpoint.enabled) {
        goto out;
    }
    if (nd_checkpoint_stage(&job->checkpoint) == NULL) {
        ND_TRY(run_identity_save(job));
    } else {
        ND_TRY(nd_checkpoint_check_sizes(&job->checkpoint)); /* checksums when files are read */
        ND_TRY(run_identity_check(job));
    }
out:
    return st;
}

/* ---- after a stage, and back */

/* Collective. Keep the state after `stage`.
 * \return ND_OK; ND_STOPPED on all ranks if a stop was asked for; or a failure on all */
static nd_status job_state_save(nd_job *job, const nd_stage *stage) {
    nd_status st = ND_OK;
    char text[64 + ND_STAGES_MAX * 256] = "";
    size_t used = 0;
    if (!job->checkpoint.enabled) {
        return ND_OK;
    }
    ND_TRY(nd_state_save(job, stage));
    for (size_t i = 0; i < TOTALS; i++) {
        nd_checkpoint_set_number(&job->checkpoint, total_names[i].name, *total_at(&job->totals, i));
    }
    for (size_t i = 0; i < job->progress.count && used < sizeof text; i++) {
        const nd_stage_row *row = &job->progress.rows[i];
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "%s %s %" PRIu64 " %.6f %.6f %.6f %" PRIu64 " %" PRIu64 " %" PRIu64
                                 " %" PRIu64 " %.6f %.6f\n",
                                 row->name, row->unit, row->items, row->seconds_min,
                                 row->seconds_mean, row->seconds_max, row->bytes_exchanged,
                                 row->bytes_written, row->bytes_read, row->peak_memory,
                                 row->waiting_mean, row->waiting_max);
    }
    nd_checkpoint_set_text(&job->checkpoint, "stages", text);
    ND_TRY(nd_checkpoint_commit(&job->checkpoint, stage->name));
    st = nd_stop_agreed(&job->comm) ? ND_STOPPED : ND_OK;
out:
    return st;
}

/* What was measured of these stages. */
static void load_rows(nd_job *job, const char *text) {
    for (job->progress.count = 0; *text != '\0' && job->progress.count < ND_STAGES_MAX;) {
        nd_stage_row *row = &job->progress.rows[job->progress.count++];
        *row = (nd_stage_row){.items = 0};
        (void)sscanf(text,
                     "%15s %15s %" SCNu64 " %lf %lf %lf %" SCNu64 " %" SCNu64 " %" SCNu64
                     " %" SCNu64 " %lf %lf",
                     row->name, row->unit, &row->items, &row->seconds_min, &row->seconds_mean,
                     &row->seconds_max, &row->bytes_exchanged, &row->bytes_written,
                     &row->bytes_read, &row->peak_memory, &row->waiting_mean, &row->waiting_max);
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
}

/* Collective. Load the state as it was after these stages of the run, one or more.
 * \return ND_OK on all ranks, or a failure on all */
static nd_status job_state_load(nd_job *job, const nd_stage *const *stages, size_t count) {
    nd_status st = ND_OK;
    const char *text = "";
    unsigned so_far = 0;
    ND_TRY(nd_comm_agree(&job->comm, nd_checkpoint_text(&job->checkpoint, "stages", &text)));
    load_rows(job, text);
    for (size_t i = 0; i < count; i++) {
        so_far |= 1U << stages[i]->number;
    }
    for (size_t i = 0; i < count; i++) {
        ND_TRY(nd_state_load(job, stages[i], so_far));
        if (stages[i]->load != NULL) {
            ND_TRY(nd_comm_agree(&job->comm, stages[i]->load(job, i + 1 == count)));
        }
    }
    const uint64_t pages = job->totals.pages; /* as the units say: all else is made for so many */
    for (size_t i = 0; st == ND_OK && i < TOTALS; i++) {
        st = nd_checkpoint_number(&job->checkpoint, total_names[i].name, total_at(&job->totals, i));
    }
    if (st == ND_OK && job->totals.pages != pages) {
        st = nd_checkpoint_refuse(&job->checkpoint, "total.pages", "there are %" PRIu64, pages);
    }
    ND_TRY(nd_comm_agree(&job->comm, st));
out:
    return st;
}

/* ==== the run */

/* A rank alone waits for no other, so it works on no more at once than a processor's cache holds:
 * memory that is used again and again need not come from the system, nor from afar. */
enum { ROUND_ALONE = 1 << 20 };

void nd_run_open(nd_job *job, MPI_Comm parent, const nd_job_options *options) {
    *job = (nd_job){.options = *options, .hints = MPI_INFO_NULL};
    nd_comm_open(&job->comm, parent);
    if (options->memory.round > 0) {
        job->comm.round_bytes = options->memory.round;
    }
    if (job->comm.size == 1) {
        job->comm.round_bytes = nd_min(job->comm.round_bytes, ROUND_ALONE);
    }
    if (options->work == NULL &&
        ((options->index != NULL && !options->reread) || options->write_index != NULL)) {
        /* of files in it an index is made, and indexed pages stand beside new ones by theirs */
        (void)snprintf(job->folder_path, sizeof job->folder_path, "%s.work",
                       options->output != NULL ? options->output : options->write_index);
        job->options.work = job->folder_path;
        job->own_work = true;
    }
    if (job->options.work == NULL && options->output != NULL) {
        (void)snprintf(job->folder_path, sizeof job->folder_path, "%s.spill", options->output);
    }
    job->shared = job->options.work != NULL ? job->options.work
                  : options->output != NULL ? job->folder_path
                                            : NULL;
    job->folder =
        (nd_spool_folder){.path = options->local_tmp != NULL ? job->local_path : job->shared,
                          .unnamed = options->local_tmp != NULL || job->options.work == NULL,
                          .rank = job->comm.rank};
    job->kept =
        job->options.work == NULL
            ? job->folder
            : (nd_spool_folder){.path = job->options.work, .keeps = true, .rank = job->comm.rank};
    job->progress.mode = nd_progress_choose(options->progress);
    job->progress.run_started = MPI_Wtime();
    nd_state_open(job);
}

/* ---- the stages in order */

static size_t choose_stages(const nd_job_options *o, const nd_stage *stages[ND_STAGES_MAX]) {
    size_t count = 0;
#define ND_STAGE(NUMBER, row, wanted)                                                              \
    if (wanted) {                                                                                  \
        stages[count++] = &nd_stage_##row;                                                         \
    }
    ND_STAGES(ND_STAGE)
#undef ND_STAGE
    return count;
}

/* One process works on one core; whoever starts it alone may not know. Said once there are pages,
 * so that a failure before is one line. */
static void name_cores(const nd_job *job) {
    cpu_set_t set;
    const int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    if (job->comm.size == 1 && cores > 1 && job->options.progress != ND_PROGRESS_NONE) {
        nd_print_line(stderr,
                      "neardup: one process works on one core of %d here: put mpirun -n %d before "
                      "the command to use all",
                      cores, cores);
    }
}

/* Go on after the last stage that the work folder holds; after the last of all the result is there,
 * and nothing has to be kept. */
static nd_status run_stages(nd_job *job, const nd_stage *const *stages, size_t count) {
    nd_status st = ND_OK;
    const char *last = nd_checkpoint_stage(&job->checkpoint);
    size_t done = 0; /* stages before */
    for (size_t i = 0; last != NULL && i < count; i++) {
        done = strcmp(last, stages[i]->name) == 0 ? i + 1 : done;
    }
    job->progress.stages = count;
    job->progress.resumed = last != NULL;
    if (done > 0) {
        ND_TRY(job_state_load(job, stages, done));
        ND_TRY(nd_stage_check_loaded(job, stages[done - 1]));
    }
    for (size_t i = done; i < count; i++) {
        ND_TRY(stages[i]->run(job));
        if (i == done) {
            name_cores(job);
        }
        if (i + 1 < count) {
            if (last != NULL || job->options.index != NULL) {
                ND_TRY(nd_stage_check_loaded(job, stages[i]));
            } else {
                nd_stage_check_left(job, stages[i]);
            }
            ND_TRY(job_state_save(job, stages[i]));
        }
    }
out:
    return st;
}

/* What is known of each input takes its part of the memory, before there is any page: so many
 * inputs that it does not fit are refused. What is kept of their units goes when all is read. */
static nd_status count_inputs(nd_job *job) {
    const uint64_t count = job->inputs.count;
    const uint64_t memory = job->options.memory.total;
    job->input_memory = nd_input_list_bytes(&job->inputs) + count * sizeof *job->source_totals;
    const uint64_t needed = ND_MEMORY_BASE + job->input_memory + count * sizeof(nd_unit);
    job->state->pages.memory -= nd_min(job->input_memory, job->state->pages.memory);
    if (memory > ND_MEMORY_BASE && needed > memory / 4 * 3) {
        return nd_fail(ND_ERR_LIMIT,
                       "%llu inputs need --memory %lluM or more on each rank, before any page is "
                       "read: give that, or put pages together, in WARC or JSONL",
                       (unsigned long long)count, (unsigned long long)(needed / 3 * 4 >> 20) + 1);
    }
    return ND_OK;
}

nd_status nd_run(nd_job *job, const char *const *inputs, size_t input_count) {
    nd_status st = ND_OK;
    const nd_stage *stages[ND_STAGES_MAX];
    uint64_t asking = 0;
    ND_TRY(nd_comm_hints(&job->comm, &job->hints));
    ND_TRY(run_places_try(job));
    ND_TRY(
        nd_inputs_share(&job->comm, inputs, input_count, job->options.dedup_inputs, &job->inputs));
    job->progress.listed = MPI_Wtime() - job->progress.run_started;
    ND_TRY(nd_run_places_clear(job));
    ND_TRY(nd_index_open(job));
    ND_TRY(nd_contained_collection(job, &asking)); /* before anything is read */
    ND_TRY(count_inputs(job));                     /* one answer on all ranks */
    ND_TRY(job_state_open(job));
    ND_TRY(nd_job_check_space(job));
    ND_TRY(run_stages(job, stages, choose_stages(&job->options, stages)));
    ND_TRY(nd_index_publish(job));
    job->done = true;
out:
    return st;
}

void nd_run_close(nd_job *job) {
    for (size_t i = 0; i < job->skipped_count; i++) {
        free(job->skipped[i].reason);
    }
    free(job->skipped);
    free(job->source_totals);
    free(job->first);
    free(job->additions);
    nd_reread_fields_close(&job->fields);
    /* what may lie in the work folder has to be closed before the folder */
    nd_state_close(job);
    standard_input_drop(job);
    ND_MPI(MPI_Barrier(job->comm.handle)); /* all ranks' files are closed, and so gone */
    /* there is none as a rule */
    if (job->comm.rank == 0 && job->options.work == NULL && job->shared != NULL) {
        (void)rmdir(job->shared);
    }
    if (job->options.local_tmp != NULL && nd_comm_leads_node(&job->comm)) {
        (void)rmdir(job->local_path);
    }
    if (job->comm.rank == 0) {
        nd_index_drop(job);
    }
    if (job->done || job->own_work) {
        nd_checkpoint_discard(&job->checkpoint);
    } else {
        nd_checkpoint_close(&job->checkpoint);
    }
    nd_output_release(&job->lock);
    if (job->hints != MPI_INFO_NULL) {
        ND_MPI(MPI_Info_free(&job->hints));
    }
    nd_units_free(&job->units);
    nd_input_list_free(&job->inputs);
    nd_comm_close(&job->comm);
}
