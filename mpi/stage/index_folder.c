#include "mpi/stage/index_folder.h"

#include "io/result/result_schema.h"
#include "io/store/own_file.h"
#include "mpi/job/inputs.h"
#include "mpi/job/job.h"
#include "mpi/stage/index_check.h"
#include "mpi/stage/old_texts.h"
#include "mpi/stage/read_again.h"
#include "src/base/util.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Goes up with every change of a record, or of what an array means. */
enum { FORMAT_VERSION = 5 };

/* ---- reading */

static nd_status check_version(const nd_checkpoint *index, const char *path) {
    uint64_t version = 0;
    const char *stage = nd_checkpoint_stage(index);
    if (stage == NULL || strcmp(stage, "index") != 0 ||
        nd_checkpoint_number(index, "format_version", &version) != ND_OK) {
        return nd_fail(ND_ERR_USAGE,
                       "%s: is no index, but a work folder: an index is what partition "
                       "--write-index makes",
                       path);
    }
    return version == FORMAT_VERSION ? ND_OK
                                     : nd_fail(ND_ERR_FORMAT,
                                               "%s: an index of version %" PRIu64
                                               ", this program reads version %d: make it anew",
                                               path, version, FORMAT_VERSION);
}

/* Each array of pages has all of them, and each array its beginning. */
static nd_status check_counts(const nd_checkpoint *index, uint64_t *pages) {
    static const char *const of_pages[] = {"pages", "members", "form", "key.ranges"};
    nd_status st = ND_OK;
    uint64_t count = 0;
    ND_TRY(nd_checkpoint_number(index, "pages", pages));
    for (size_t i = 0; i < index->manifest.array_count; i++) {
        ND_TRY(nd_checkpoint_records(index, index->manifest.arrays[i].name, &count));
    }
    for (size_t i = 0; i < sizeof of_pages / sizeof of_pages[0]; i++) {
        if (nd_checkpoint_count(index, of_pages[i]) != *pages) {
            return nd_checkpoint_refuse(index, of_pages[i], "has not a record for each page");
        }
    }
out:
    return st;
}

nd_status nd_index_read(nd_checkpoint *index, nd_comm *comm, const char *path, uint64_t *pages) {
    nd_status st = ND_OK;
    ND_TRY(nd_checkpoint_read(index, comm, path));
    st = check_version(index, path);
    ND_TRY(nd_comm_agree(comm, st != ND_OK ? st : check_counts(index, pages)));
out:
    if (st != ND_OK) {
        nd_checkpoint_close(index);
    }
    return st;
}

uint64_t nd_index_checksum(const nd_checkpoint *index) {
    uint64_t sum = 0;
    for (size_t i = 0; i < index->manifest.piece_count; i++) {
        sum += nd_mix64(index->manifest.pieces[i].checksum);
    }
    return sum;
}

/* ---- against an index */

void nd_index_parameters(const nd_job_options *options, char *text, size_t size) {
    nd_job_options o = *options;
    o.contained = 0; /* it decides nothing that an index has */
    nd_print_parameters(&o, text, size);
}

/* The job's parameters have to be the index's. All that the index has was hashed with its seed,
 * which becomes the job's; where its inputs are read again, all is made anew, with a seed of all.
 */
static nd_status check_parameters(nd_job *job, const nd_checkpoint *index, const char *path) {
    nd_status st = ND_OK;
    const char *before = NULL;
    char now[ND_PARAMETERS_SIZE];
    char difference[256];
    nd_job_options options = job->options;
    ND_TRY(nd_checkpoint_text(index, "parameters", &before));
    ND_TRY(nd_read_parameters(path, before, &options));
    const uint64_t seed = options.hash_seed;
    if (job->options.hash_seed == 0 && !job->options.reread) {
        job->options.hash_seed = seed;
    }
    options = job->options;
    options.hash_seed = job->options.reread ? seed : job->options.hash_seed;
    nd_index_parameters(&options, now, sizeof now);
    if (nd_parameters_differ(before, now, difference, sizeof difference)) {
        st = nd_fail(ND_ERR_USAGE,
                     "--index %s was made with other options: %s (give the same ones, or make an "
                     "index of all inputs anew)",
                     path, difference);
    }
out:
    return st;
}

/* Collective. Open an index of the job's parameters; files are not looked at. */
static nd_status open_index(nd_job *job, nd_checkpoint *index, const char *path, uint64_t *pages) {
    nd_status st = ND_OK;
    ND_TRY(nd_index_read(index, &job->comm, path, pages));
    ND_TRY(nd_comm_agree(&job->comm, check_parameters(job, index, path)));
out:
    return st;
}

static nd_status put_inputs(nd_job *job) {
    nd_status st = ND_OK;
    nd_input_list before = {0};
    ND_TRY(nd_index_inputs(&job->old.index, &before));
    job->old.sources = before.count;
    ND_TRY(nd_inputs_put_before(&job->inputs, &before));
out:
    nd_input_list_free(&before);
    return st;
}

/* The list of the additions' first pages, as JSON. */
static nd_status list_additions(nd_job *job) {
    nd_status st = ND_OK;
    nd_buffer text = {0};
    const char *before = "[0";
    char number[32] = "]";
    if (job->options.against != NULL) {
        const bool again = job->options.reread;
        ND_TRY(
            nd_checkpoint_text(again ? &job->reread.index : &job->old.index, "additions", &before));
        (void)snprintf(number, sizeof number, ",%" PRIu64 "]",
                       again ? job->reread.pages : job->old.pages);
    }
    ND_TRY(nd_buffer_append(&text, before, strcspn(before, "]")));
    ND_TRY(nd_buffer_append(&text, number, strlen(number) + 1));
    job->additions = (char *)text.data;
    text = (nd_buffer){0};
out:
    nd_buffer_free(&text);
    return st;
}

/* Of an index, which may be of a neardup that kept none. */
static nd_status read_fields(nd_reread_fields *fields, const nd_checkpoint *index,
                             const char *path) {
    const nd_manifest_value *value = nd_manifest_find(&index->manifest, "jsonl");
    return nd_reread_fields_open(fields, path, value != NULL ? value->text : NULL);
}

nd_status nd_index_fields(nd_job *job) {
    nd_status st = ND_OK;
    const nd_job_options *o = &job->options;
    uint64_t first = 0;
    if (o->against != NULL) {
        const nd_checkpoint *index = o->reread ? &job->reread.index : &job->old.index;
        ND_TRY(read_fields(&job->fields, index, o->against));
        first = o->reread ? job->reread.sources : job->old.sources;
    }
    ND_TRY(nd_reread_fields_add(&job->fields, first, &o->reader));
out:
    return st;
}

nd_status nd_index_open(nd_job *job) {
    nd_status st = ND_OK;
    const nd_job_options *o = &job->options;
    if (o->reread) { /* its files are looked at all the same: what is read is compared with them */
        nd_reread_index *reread = &job->reread;
        ND_TRY(open_index(job, &reread->index, o->against, &reread->pages));
        ND_TRY(nd_checkpoint_check(&reread->index));
        ND_TRY(nd_index_check_pages(&reread->index));
        ND_TRY(nd_read_again_open(job));
    } else if (o->against != NULL) {
        ND_TRY(open_index(job, &job->old.index, o->against, &job->old.pages));
        ND_TRY(nd_checkpoint_check(&job->old.index));
        ND_TRY(nd_index_check_pages(&job->old.index));
        ND_TRY(nd_comm_agree(&job->comm, put_inputs(job)));
        ND_TRY(nd_old_texts_open(job));
    }
    if (o->texts_in_inputs && job->inputs.takes_stdin) {
        st = nd_fail(ND_ERR_USAGE, "--index-texts inputs: standard input cannot be read again: "
                                   "name a file, or leave it out");
        goto out;
    }
    ND_TRY(nd_comm_agree(&job->comm, nd_index_fields(job)));
    if (o->against != NULL || o->keep_index != NULL) {
        ND_TRY(nd_comm_agree(&job->comm, list_additions(job)));
    }
out:
    return st;
}

/* ---- making one */

/* The name without slashes at its end, and a suffix. */
static nd_status name_of(const char *path, const char *suffix, char name[PATH_MAX]) {
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/') {
        size--;
    }
    const int length =
        snprintf(name, PATH_MAX, "%.*s%s", (int)(size < PATH_MAX ? size : PATH_MAX), path, suffix);
    return length < PATH_MAX
               ? ND_OK
               : nd_fail(ND_ERR_USAGE, "--write-index %.60s...: the name is too long", path);
}

nd_status nd_index_try(const nd_job_options *o) {
    nd_status st = ND_OK;
    char name[PATH_MAX];
    char folder[PATH_MAX];
    struct stat info;
    if (o->keep_index == NULL) {
        return ND_OK;
    }
    ND_TRY(name_of(o->keep_index, ND_PARTIAL_SUFFIX, name));
    nd_own_file_folder(o->keep_index, folder, sizeof folder);
    if (o->keep_index[0] == '\0') {
        st = nd_fail(ND_ERR_USAGE, "--write-index: an empty name");
    } else if (lstat(o->keep_index, &info) == 0) {
        st = nd_fail(ND_ERR_USAGE,
                     "--write-index %s: is there already, and an index is never replaced: name "
                     "another one, or remove it",
                     o->keep_index);
    } else if (access(folder, W_OK | X_OK) != 0) {
        st = nd_fail(ND_ERR_USAGE, "--write-index %s: cannot be made in %s: %s", o->keep_index,
                     folder, strerror(errno));
    }
out:
    return st;
}

/* Rank 0: what a killed run has left. */
static nd_status remove_left(const char *path) {
    nd_status st = ND_OK;
    nd_work_folder left = {.lock = -1};
    struct stat info;
    if (lstat(path, &info) != 0) {
        return ND_OK;
    }
    ND_TRY(nd_work_folder_open(&left, path));
    ND_TRY(nd_work_folder_lock(&left));
    nd_work_folder_discard(&left);
out:
    nd_work_folder_close(&left);
    return st;
}

nd_status nd_index_create(nd_checkpoint *index, nd_job *job) {
    nd_status st = ND_OK;
    char path[PATH_MAX];
    ND_TRY(nd_comm_agree(&job->comm, name_of(job->options.keep_index, ND_PARTIAL_SUFFIX, path)));
    ND_TRY(nd_comm_agree(&job->comm, job->comm.rank == 0 ? remove_left(path) : ND_OK));
    job->index_made = true; /* what is there from here on is to be dropped where it fails */
    ND_TRY(nd_checkpoint_open(index, &job->comm, path, false));
out:
    return st;
}

void nd_index_describe(nd_checkpoint *index, const char *parameters, uint64_t pages,
                       const char *additions, const char *fields) {
    nd_checkpoint_set_number(index, "format_version", FORMAT_VERSION);
    nd_checkpoint_set_number(index, "pages", pages);
    nd_checkpoint_set_text(index, "parameters", parameters);
    nd_checkpoint_set_text(index, "additions", additions);
    if (fields != NULL) {
        nd_checkpoint_set_text(index, "jsonl", fields);
    }
    nd_checkpoint_set_text(index, "program_version", ND_VERSION);
}

void nd_index_drop(const nd_job *job) {
    char path[PATH_MAX];
    if (job->index_made && job->own_work && !job->done &&
        name_of(job->options.keep_index, ND_PARTIAL_SUFFIX, path) == ND_OK) {
        (void)remove_left(path);
    }
}

/* What a failure has left under final names: there is no result without its index, nor an index. */
static void take_back(const nd_job *job, const char *path, const char *partial) {
    if (access(partial, F_OK) != 0) {
        (void)rename(path, partial);
    }
    if (job->options.output != NULL) {
        (void)unlink(job->options.output);
    }
}

nd_status nd_index_publish(nd_job *job) {
    nd_status st = ND_OK;
    char path[PATH_MAX];
    char partial[PATH_MAX];
    if (job->options.keep_index == NULL) {
        return ND_OK;
    }
    if (job->comm.rank == 0) {
        ND_TRY(name_of(job->options.keep_index, "", path));
        ND_TRY(name_of(job->options.keep_index, ND_PARTIAL_SUFFIX, partial));
        st = nd_own_folder_publish(partial, path);
        if (st != ND_OK) {
            take_back(job, path, partial);
        }
    }
out:
    return nd_comm_agree(&job->comm, st);
}
