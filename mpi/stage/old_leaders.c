#include "mpi/stage/old_leaders.h"

#include "io/store/external_sort.h"
#include "mpi/comm/exchange.h"
#include "mpi/comm/fetch.h"
#include "mpi/stage/old_pages.h"
#include "mpi/stage/set_members.h"
#include "src/base/status.h"

#include <stdlib.h>

/* Records looked up at once. */
enum { AT_ONCE = 1 << 14 };

static const nd_record_order by_pages = {.word_count = 2, .words = {0, 1}};

/* What the index says of this rank's old pages, its first ones. */
static nd_status load_members(const nd_job *job, nd_set_member **members) {
    nd_status st = ND_OK;
    const uint64_t first = nd_job_own_first(job);
    const uint64_t old = nd_old_own_count(job);
    ND_TRY(nd_new_room(members, old, sizeof **members));
    ND_TRY(nd_checkpoint_load(&job->old.index, "members", sizeof **members, first, first + old,
                              *members));
out:
    return st;
}

/* ---- links */

static bool is_same_link(const void *record, const void *before) {
    const nd_link *link = record;
    const nd_link *last = before;
    return link->a == last->a && link->b == last->b;
}

/* In place of job->links, which have been sent. */
static nd_status take_sorted(nd_job *job, nd_external_sort *sorted) {
    nd_status st = ND_OK;
    const void *record = NULL;
    nd_link last = {0}; /* a < b, so no link is like it */
    nd_spool_close(&job->links);
    nd_spool_open(&job->links, &job->kept, job->options.memory.spool);
    job->link_count = 0;
    ND_TRY(nd_external_sort_finish(sorted));
    while ((st = nd_external_sort_next(sorted, &record)) == ND_OK) {
        if (!is_same_link(record, &last)) {
            last = *(const nd_link *)record;
            ND_TRY(nd_spool_append(&job->links, &last, sizeof last));
            job->link_count++;
        }
    }
    st = st == ND_END ? ND_OK : st;
out:
    return st;
}

nd_status nd_old_leaders_meet(nd_job *job) {
    nd_status st = ND_OK;
    nd_comm *comm = &job->comm;
    const uint64_t own = nd_job_own_first(job);
    nd_set_member *members = NULL;
    uint64_t *leader = NULL; /* of this rank's pages: of new ones themselves */
    nd_link *links = NULL;
    uint64_t *pages = NULL;
    uint64_t count = 0;
    nd_external_sort sorted;
    nd_spool_reader reader;
    const nd_shuffle_stream to_leaders = {.comm = comm,
                                          .record_size = sizeof *links,
                                          .owner = nd_shuffle_owner_of_item,
                                          .owner_context = job->first,
                                          .sink = nd_shuffle_into_sort,
                                          .sink_context = &sorted};
    nd_external_sort_open(&sorted, &job->folder, sizeof *links, &by_pages,
                          job->options.memory.sort);
    nd_external_sort_drop_repeats(&sorted, is_same_link); /* a set is met by many of its pages */
    nd_spool_reader_open(&reader, &job->links, sizeof *links, 0, job->link_count, 0);
    st = load_members(job, &members);
    st = st != ND_OK ? st : nd_new(&leader, job->pages.count, sizeof *leader);
    st = st != ND_OK ? st : nd_new(&links, AT_ONCE, sizeof *links);
    st = st != ND_OK ? st : nd_new(&pages, AT_ONCE, sizeof *pages);
    ND_TRY(nd_comm_agree(comm, st));
    for (size_t i = 0; i < job->pages.count; i++) {
        leader[i] = i < nd_old_own_count(job) ? members[i].representative : own + i;
        ND_ASSERT(own + i >= job->old.pages || leader[i] < job->old.pages, own + i, leader[i],
                  job->old.pages);
    }
    do {
        ND_TRY(nd_comm_agree(comm, nd_spool_reader_take(&reader, links, AT_ONCE, &count)));
        for (uint64_t i = 0; i < count; i++) {
            ND_ASSERT(links[i].a < links[i].b && links[i].b >= job->old.pages, links[i].a,
                      links[i].b, job->old.pages);
            pages[i] = links[i].a;
        }
        ND_TRY(nd_lookup(comm, job->first, leader, pages, count, pages));
        for (uint64_t i = 0; i < count; i++) {
            links[i].a = pages[i];
        }
        ND_TRY(nd_shuffle_send(&to_leaders, links, count));
    } while (nd_comm_max(comm, count) > 0);
    nd_spool_reader_close(&reader);
    ND_TRY(nd_comm_agree(comm, take_sorted(job, &sorted)));
out:
    nd_spool_reader_close(&reader);
    nd_external_sort_close(&sorted);
    free(members);
    free(leader);
    free(links);
    free(pages);
    return st;
}

/* ---- memberships */

nd_status nd_old_leaders_members(nd_job *job, const nd_spool *found, nd_spool *memberships) {
    nd_status st = ND_OK;
    nd_comm *comm = &job->comm;
    const uint64_t own = nd_job_own_first(job);
    const uint64_t old = nd_old_own_count(job);
    nd_set_member *members = NULL;
    uint64_t *set = NULL; /* of this rank's old pages */
    nd_membership *taken = NULL;
    uint64_t *leaders = NULL;
    uint64_t count = 0;
    nd_spool_reader reader;
    nd_spool_reader_open(&reader, found, sizeof *taken, 0, found->size / sizeof *taken, 0);
    st = load_members(job, &members);
    st = st != ND_OK ? st : nd_new(&set, job->pages.count, sizeof *set);
    st = st != ND_OK ? st : nd_new(&taken, AT_ONCE, sizeof *taken);
    st = st != ND_OK ? st : nd_new(&leaders, AT_ONCE, sizeof *leaders);
    for (size_t i = 0; st == ND_OK && i < old; i++) {
        set[i] = members[i].set;
        const nd_membership membership = {own + i, members[i]};
        st = nd_spool_append(memberships, &membership, sizeof membership);
    }
    ND_TRY(nd_comm_agree(comm, st));
    do {
        ND_TRY(nd_comm_agree(comm, nd_spool_reader_take(&reader, taken, AT_ONCE, &count)));
        for (uint64_t i = 0; i < count; i++) {
            leaders[i] = taken[i].member.representative;
        }
        ND_TRY(nd_lookup(comm, job->first, set, leaders, count, leaders));
        for (uint64_t i = 0; st == ND_OK && i < count; i++) {
            nd_set_member *member = &taken[i].member;
            member->set = member->representative < job->old.pages ? leaders[i] : member->set;
            st = nd_spool_append(memberships, &taken[i], sizeof *taken);
        }
        ND_TRY(nd_comm_agree(comm, st));
    } while (nd_comm_max(comm, count) > 0);
out:
    nd_spool_reader_close(&reader);
    free(members);
    free(set);
    free(taken);
    free(leaders);
    return st;
}
