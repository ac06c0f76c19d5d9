#include "mpi/stage/read_again.h"

#include "io/input/reread.h"
#include "mpi/job/inputs.h"
#include "mpi/stage/index_check.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Rank 0: what each input is now, and the file that it is read from. */
static nd_status look_at(const nd_job *job, const nd_input_list *inputs, nd_buffer *found) {
    nd_status st = ND_OK;
    nd_buffer path = {0};
    struct stat info;
    for (size_t i = 0; i < inputs->count; i++) {
        const nd_input *input = &inputs->inputs[i];
        ND_TRY(nd_reread_look(job->options.against,
                              (nd_span){(const uint8_t *)input->path, strlen(input->path)},
                              input->is.bytes, &path, &info));
        const nd_file_identity is = nd_file_identity_of(&info);
        ND_TRY(nd_buffer_append(found, &is, sizeof is));
        ND_TRY(nd_buffer_append(found, path.data, path.size));
    }
out:
    nd_buffer_free(&path);
    return st;
}

/* All ranks: the same, as rank 0 has found it. */
static nd_status take_found(nd_input_list *inputs, const nd_buffer *found) {
    nd_status st = ND_OK;
    const uint8_t *at = found->data;
    for (size_t i = 0; i < inputs->count; i++) {
        nd_input *input = &inputs->inputs[i];
        nd_file_identity is;
        memcpy(&is, at, sizeof is);
        const char *path = (const char *)at + sizeof is;
        at += sizeof is + strlen(path) + 1;
        input->is = is;
        if (strcmp(path, input->path) != 0) {
            ND_TRY(nd_input_set_copy(inputs, input, path, &is));
        }
    }
out:
    return st;
}

nd_status nd_read_again_open(nd_job *job) {
    nd_status st = ND_OK;
    nd_input_list before = {0};
    nd_buffer found = {0};
    ND_TRY(nd_comm_agree(&job->comm, nd_index_inputs(&job->reread.index, &before)));
    job->reread.sources = before.count;
    ND_TRY(nd_comm_agree(&job->comm, job->comm.rank == 0 ? look_at(job, &before, &found) : ND_OK));
    ND_TRY(nd_comm_share_bytes(&job->comm, &found));
    st = take_found(&before, &found);
    ND_TRY(
        nd_comm_agree(&job->comm, st != ND_OK ? st : nd_inputs_put_before(&job->inputs, &before)));
out:
    nd_input_list_free(&before);
    nd_buffer_free(&found);
    return st;
}

/* This rank's pages against those of the index, [first, end) of both. Their texts are hashed with
 * another seed. */
static nd_status compare(const nd_job *job, uint64_t first, uint64_t end) {
    enum { AT_ONCE = 4096 };
    nd_status st = ND_OK;
    nd_stored_page *pages = NULL;
    ND_TRY(nd_new_room(&pages, AT_ONCE, sizeof *pages));
    for (uint64_t at = first; at < end;) {
        const uint64_t count = nd_min(end - at, AT_ONCE);
        ND_TRY(
            nd_checkpoint_load(&job->reread.index, "pages", sizeof *pages, at, at + count, pages));
        for (uint64_t i = 0; i < count; i++) {
            const nd_stored_page *was = &pages[i];
            const nd_stored_page *is = &job->pages.pages[at - first + i];
            if (was->source != is->source || was->offset != is->offset ||
                was->checksum != is->checksum || was->text_tokens != is->text_tokens) {
                st = nd_fail(ND_ERR_CHANGED,
                             "%s: its pages are not those of the index %s (byte %" PRIu64
                             "): give the --jsonl options of that run, or make an index anew",
                             job->inputs.inputs[was->source].path, job->options.against,
                             was->offset);
                goto out;
            }
        }
        at += count;
    }
out:
    free(pages);
    return st;
}

nd_status nd_read_again_check(nd_job *job) {
    nd_status st = ND_OK;
    const uint64_t first = nd_job_own_first(job);
    const uint64_t end = nd_min(job->first[job->comm.rank + 1], job->reread.pages);
    uint64_t pages = 0;
    if (!job->options.reread) {
        return ND_OK;
    }
    ND_TRY(nd_comm_agree(&job->comm, first < end ? compare(job, first, end) : ND_OK));
    for (uint64_t i = 0; i < job->reread.sources; i++) {
        pages += job->source_totals[i].pages;
    }
    if (pages != job->reread.pages) {
        st = nd_fail(ND_ERR_CHANGED,
                     "%s: its inputs have %" PRIu64 " pages now, and had %" PRIu64
                     ": make an index anew",
                     job->options.against, pages, job->reread.pages);
    }
out:
    return st;
}
