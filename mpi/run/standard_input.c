#include "mpi/run/standard_input.h"

#include "io/store/own_file.h"
#include "mpi/comm/stop.h"
#include "src/base/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    ND_TRY(nd_spool_folder_make(&job->folder));
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
            (void)rmdir(job->folder.path);
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
    (void)snprintf(path, sizeof path, "%s/%s", job->folder.path, nd_work_input_name);
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

void nd_standard_input_drop(const nd_job *job) {
    const nd_input *input = find_input(job);
    if (input != NULL && job->options.work == NULL) {
        ND_MPI(MPI_Barrier(job->comm.handle)); /* no rank reads it any more */
        if (job->comm.rank == 0 && input->copy != NULL) {
            (void)unlink(input->copy);
        }
    }
}
