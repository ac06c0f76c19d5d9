#include "mpi/stage/set_members.h"

#include "mpi/comm/fetch.h"
#include "mpi/comm/shuffle_stream.h"

#include <stdlib.h>

static int page_owner(const void *record, int size, const void *context) {
    return nd_comm_range_owner(context, size, ((const nd_membership *)record)->page);
}

static int second_page_owner(const void *record, int size, const void *context) {
    return nd_comm_range_owner(context, size, ((const nd_link *)record)->b);
}

static nd_status set_members(void *context, const void *records, uint64_t count) {
    nd_job *job = context;
    const nd_membership *memberships = records;
    for (uint64_t i = 0; i < count; i++) {
        job->members[memberships[i].page - nd_job_own_first(job)] = memberships[i].member;
    }
    return ND_OK;
}

static nd_status set_similarities(void *context, const void *records, uint64_t count) {
    nd_job *job = context;
    const nd_link *links = records;
    for (uint64_t i = 0; i < count; i++) {
        job->members[links[i].b - nd_job_own_first(job)].similarity = (float)links[i].similarity;
    }
    return ND_OK;
}

static nd_status send_spool(nd_job *job, const nd_spool *spool, size_t record_size, nd_owner owner,
                            nd_record_sink sink) {
    nd_spool_reader reader;
    const nd_shuffle_stream stream = {.comm = &job->comm,
                                      .record_size = record_size,
                                      .owner = owner,
                                      .owner_context = job->first,
                                      .sink = sink,
                                      .sink_context = job};
    nd_spool_reader_open(&reader, spool, record_size, 0, spool->size / record_size, 0);
    const nd_status st = nd_shuffle_run(&stream, nd_shuffle_from_spool, &reader);
    nd_spool_reader_close(&reader);
    return st;
}

/* ---- copies */

static nd_status member_of(void *context, uint64_t page, nd_span *bytes) {
    const nd_job *job = context;
    *bytes = (nd_span){(const uint8_t *)&job->members[page - nd_job_own_first(job)],
                       sizeof(nd_set_member)};
    return ND_OK;
}

static bool is_copy(const nd_job *job, size_t index) {
    return job->content_of[index] != nd_job_own_first(job) + index;
}

static nd_status list_firsts(const nd_job *job, size_t begin, size_t end, uint64_t **firsts,
                             uint64_t *count) {
    nd_status st = nd_new(firsts, end - begin, sizeof **firsts);
    *count = 0;
    for (size_t i = begin; st == ND_OK && i < end; i++) {
        if (is_copy(job, i)) {
            (*firsts)[(*count)++] = job->content_of[i];
        }
    }
    *count = st == ND_OK ? nd_numbers_distinct(*firsts, *count) : 0;
    return st;
}

/* A copy belongs where the first page with its content belongs, joined to it by that equality.
 * The first pages are no copies, so what is read here is not changed here. */
static nd_status finish_some(nd_job *job, size_t begin, size_t end) {
    nd_status st = ND_OK;
    uint64_t *firsts = NULL;
    uint64_t count = 0;
    nd_set_member *found = NULL;
    const nd_provider provider = {.context = job, .give = member_of};
    ND_TRY(nd_comm_agree(&job->comm, list_firsts(job, begin, end, &firsts, &count)));
    ND_TRY(nd_fetch_fixed(&job->comm, job->first, firsts, count, &provider, sizeof *found, &found));
    for (size_t i = begin; i < end; i++) {
        if (is_copy(job, i)) {
            job->members[i] = found[nd_numbers_place(firsts, count, job->content_of[i])];
            const bool same_text = job->exact_of[i] != nd_job_own_first(job) + i;
            job->members[i].link = same_text ? job->exact_of[i] : job->content_of[i];
            job->members[i].link_similarity = 1;
        }
    }
out:
    free(firsts);
    free(found);
    return st;
}

static nd_status finish_copies(nd_job *job) {
    nd_status st = ND_OK;
    const size_t room = job->comm.round_bytes / sizeof(nd_set_member) + 1;
    size_t begin = 0;
    while (nd_comm_max(&job->comm, job->pages.count - begin) > 0) {
        const size_t left = job->pages.count - begin;
        const size_t end = begin + (left < room ? left : room);
        ND_TRY(finish_some(job, begin, end));
        begin = end;
    }
out:
    return st;
}

nd_status nd_set_members_finish(nd_job *job, const nd_spool *memberships,
                                const nd_spool *similarities) {
    nd_status st = ND_OK;
    const uint64_t own = nd_job_own_first(job);
    ND_TRY(
        nd_comm_agree(&job->comm, nd_new(&job->members, job->pages.count, sizeof *job->members)));
    for (size_t i = 0; i < job->pages.count; i++) {
        job->members[i] = (nd_set_member){own + i, own + i, own + i, 1, 1};
    }
    ND_TRY(send_spool(job, memberships, sizeof(nd_membership), page_owner, set_members));
    ND_TRY(send_spool(job, similarities, sizeof(nd_link), second_page_owner, set_similarities));
    ND_TRY(finish_copies(job));
out:
    return st;
}
