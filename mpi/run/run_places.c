#include "mpi/run/run_places.h"

#include "io/result/result_file.h"
#include "io/store/output_file.h"
#include "io/store/own_file.h"
#include "mpi/stage/index_folder.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

nd_status nd_run_places_try(const nd_job *job) {
    nd_status st = ND_OK;
    const nd_job_options *o = &job->options;
    char partial[PATH_MAX];
    const nd_output output = {.option = "-o",
                              .path = o->output,
                              .force = o->force,
                              .replaces = is_result,
                              .what = "a result of neardup partition"};
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

nd_status nd_run_places_clear(nd_job *job) {
    nd_status st = ND_OK;
    nd_work_folder folder = {0};
    struct stat info;
    const char *path = job->folder.path;
    const char *output = job->options.output;
    if (job->comm.rank != 0) {
        goto out;
    }
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
    if (!job->folder.unnamed || lstat(path, &info) != 0) {
        goto out;
    }
    if (!S_ISDIR(info.st_mode)) {
        st = nd_fail(ND_ERR_USAGE, "%s: is no folder of ours: remove it, or name another output",
                     path);
        goto out;
    }
    ND_TRY(nd_work_folder_open(&folder, path));
    ND_TRY(nd_work_folder_remove(&folder, NULL, 0, true));
    if (rmdir(path) != 0) {
        st = nd_fail(ND_ERR_USAGE, "%s: cannot be removed: %s: remove it, or name another output",
                     path, strerror(errno));
    }
out:
    nd_work_folder_close(&folder);
    return nd_comm_agree(&job->comm, st);
}
