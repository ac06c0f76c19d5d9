#include "mpi/members.h"

#include "mpi/exchange.h"
#include "mpi/fetch.h"

#include <stdlib.h>

static int page_owner(const void *record, int size, const void *context) {
    return nd_comm_range_owner(context, size, ((const nd_membership *)record)->page);
}

static int second_page_owner(const void *record, int size, const void *context) {
    return nd_comm_range_owner(context, size, ((const nd_link *)record)->b);
}

static nd_span member_of(const void *context, uint64_t page) {
    const nd_job *job = context;
    return (nd_span){(const uint8_t *)&job->members[page - nd_job_own_first(job)],
                     sizeof(nd_member)};
}

static nd_status list_firsts(const nd_job *job, uint64_t **firsts, uint64_t *count) {
    nd_status st = nd_new(firsts, job->pages.count, sizeof **firsts);
    for (size_t i = 0; st == ND_OK && i < job->pages.count; i++) {
        if (job->content_of[i] != nd_job_own_first(job) + i) {
            (*firsts)[(*count)++] = job->content_of[i];
        }
    }
    *count = st == ND_OK ? nd_numbers_distinct(*firsts, *count) : 0;
    return st;
}

/* A copy belongs where the first page with its content belongs, joined to it by that equality.
 */
static nd_status settle_copies(nd_job *job) {
    nd_status st = ND_OK;
    uint64_t *firsts = NULL;
    uint64_t count = 0;
    nd_member *found = NULL;
    ND_TRY(nd_comm_agree(&job->comm, list_firsts(job, &firsts, &count)));
    ND_TRY(nd_fetch_fixed(&job->comm, job->first, firsts, count, member_of, job, sizeof *found,
                          &found));
    for (size_t i = 0; i < job->pages.count; i++) {
        if (job->content_of[i] != nd_job_own_first(job) + i) {
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

nd_status nd_members_settle(nd_job *job, nd_membership **memberships, uint64_t *count,
                            nd_link **similarities, uint64_t *similarity_count) {
    nd_status st = ND_OK;
    const uint64_t own = nd_job_own_first(job);
    ND_TRY(
        nd_comm_agree(&job->comm, nd_new(&job->members, job->pages.count, sizeof *job->members)));
    for (size_t i = 0; i < job->pages.count; i++) {
        job->members[i] = (nd_member){own + i, own + i, own + i, 1, 1};
    }
    ND_TRY(
        nd_shuffle(&job->comm, memberships, count, sizeof **memberships, page_owner, job->first));
    for (uint64_t i = 0; i < *count; i++) {
        job->members[(*memberships)[i].page - own] = (*memberships)[i].member;
    }
    ND_TRY(nd_shuffle(&job->comm, similarities, similarity_count, sizeof **similarities,
                      second_page_owner, job->first));
    for (uint64_t i = 0; i < *similarity_count; i++) {
        job->members[(*similarities)[i].b - own].similarity = (float)(*similarities)[i].similarity;
    }
    ND_TRY(settle_copies(job));
out:
    free(*memberships);
    free(*similarities);
    *memberships = NULL;
    *similarities = NULL;
    *count = 0;
    *similarity_count = 0;
    return st;
}
