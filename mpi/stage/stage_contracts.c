#include "mpi/stage/stage.h"

#include "mpi/stage/compare.h"
#include "mpi/stage/set_members.h"
#include "src/base/status.h"

#include <stdio.h>

/* What is looked at, and the first thing that does not hold of what was loaded. */
typedef struct left {
    const nd_job *job;
    bool loaded; /* from files, which may be anyone's */
    const char *broken;
} left;

/* \return does it hold? If not, of what this run made: the end of it. */
#define HOLDS(left, condition, ...)                                                                \
    ((condition) ||                                                                                \
     ((left)->loaded                                                                               \
          ? remember((left), #condition)                                                           \
          : (nd_contract_broken(__FILE__, __LINE__, #condition, #__VA_ARGS__,                      \
                                (const uint64_t[]){ND_CONTRACT_VALUES(__VA_ARGS__)},               \
                                sizeof(const uint64_t[]){ND_CONTRACT_VALUES(__VA_ARGS__)} /        \
                                    sizeof(uint64_t)),                                             \
             false)))

static bool remember(left *l, const char *condition) {
    l->broken = l->broken != NULL ? l->broken : condition;
    return false;
}

/* All pages are numbered, each on one rank; in the order of the inputs and of the places there.
 * Those of an index come before the run's own, and until they are recalled are on no rank.
 * \param[in] begin  the first that is on a rank */
static void check_pages(left *l, uint64_t begin) {
    const nd_job *job = l->job;
    const int size = job->comm.size;
    const uint64_t *first = job->first;
    const nd_stored_page *pages = job->pages.pages;
    (void)HOLDS(l, first[0] == begin && first[size] == job->totals.pages, first[0], first[size],
                job->totals.pages);
    for (int r = 0; r < size; r++) {
        (void)HOLDS(l, first[r] <= first[r + 1], r, first[r], first[r + 1]);
    }
    const uint64_t own = first[job->comm.rank + 1] - first[job->comm.rank];
    (void)HOLDS(l, own == job->pages.count, own, job->pages.count);
    for (size_t i = 0; i < own; i++) {
        if (!HOLDS(l, pages[i].source < job->inputs.count, pages[i].source, job->inputs.count, i)) {
            continue;
        }
        (void)HOLDS(
            l, (pages[i].source < job->old.sources) == (first[job->comm.rank] + i < job->old.pages),
            pages[i].source, job->old.pages, i);
        (void)HOLDS(l, pages[i].collection == job->inputs.inputs[pages[i].source].collection,
                    pages[i].collection, pages[i].source, i);
        (void)HOLDS(l, pages[i].token_count <= pages[i].text_tokens, pages[i].token_count,
                    pages[i].text_tokens, i);
        (void)HOLDS(
            l,
            i == 0 || pages[i - 1].source < pages[i].source ||
                (pages[i - 1].source == pages[i].source && pages[i - 1].offset <= pages[i].offset),
            i, pages[i].source, pages[i].offset);
    }
    /* across ranks: what this one begins with comes after all that lie before it */
    const int64_t last = own == 0 ? 0 : (int64_t)pages[own - 1].source + 1;
    int64_t before = 0;
    ND_MPI(MPI_Exscan(&last, &before, 1, MPI_INT64_T, MPI_MAX, job->comm.handle));
    (void)HOLDS(l, job->comm.rank == 0 || own == 0 || (int64_t)pages[0].source + 1 >= before,
                pages[0].source, before);
}

/* Who is the first with a page's text, and with its content. */
static void check_firsts(left *l) {
    const nd_job *job = l->job;
    const uint64_t own = nd_job_own_first(job);
    uint64_t copies[2] = {0, 0};
    for (size_t i = 0; i < job->pages.count; i++) {
        const uint64_t exact = job->exact_of[i];
        const uint64_t content = job->content_of[i];
        const bool revisit = job->revisit_of != NULL && job->revisit_of[i] != ND_NO_REVISIT;
        (void)HOLDS(l, content <= exact && (exact <= own + i || revisit), content, exact, own + i);
        (void)HOLDS(l, !revisit || job->revisit_of[i] < job->totals.pages, job->revisit_of[i],
                    own + i);
        (void)HOLDS(l, exact - own >= job->pages.count || job->exact_of[exact - own] == exact,
                    exact, own + i);
        (void)HOLDS(l,
                    content - own >= job->pages.count || job->content_of[content - own] == content,
                    content, own + i);
        copies[0] += exact != own + i;
        copies[1] += exact == own + i && content != exact;
    }
    nd_comm_sum_all(&job->comm, copies, 2);
    (void)HOLDS(l, copies[0] == job->totals.exact_copies, copies[0], job->totals.exact_copies);
    (void)HOLDS(l, copies[1] == job->totals.content_copies, copies[1], job->totals.content_copies);
}

/* Records of a spool, counted on this rank and over all. */
static void check_records(left *l, const nd_spool *spool, size_t record_size, uint64_t count,
                          uint64_t total) {
    (void)HOLDS(l, spool->size == count * record_size, spool->size, count, record_size);
    const uint64_t sum = nd_comm_sum(&l->job->comm, count);
    (void)HOLDS(l, sum == total, sum, total);
}

/* Every page is in one set: the set is named by its smallest page, and has one representative. */
static void check_members(left *l) {
    const nd_job *job = l->job;
    const uint64_t own = nd_job_own_first(job);
    uint64_t sums[2] = {0, 0}; /* sets, representatives */
    for (size_t i = 0; i < job->pages.count; i++) {
        const nd_set_member *m = &job->members[i];
        const uint64_t page = own + i;
        (void)HOLDS(l, m->set <= page && m->set <= m->representative && m->set <= m->link, page,
                    m->set, m->representative);
        (void)HOLDS(l, m->representative < job->totals.pages && m->link < job->totals.pages, page,
                    m->representative, m->link);
        (void)HOLDS(l, (m->representative == page) == (m->link == page), page, m->representative,
                    m->link);
        (void)HOLDS(l,
                    m->similarity >= 0 && m->similarity <= 1 && m->link_similarity >= 0 &&
                        m->link_similarity <= 1,
                    page, m->representative, m->link);
        (void)HOLDS(l, m->set < own || job->members[m->set - own].set == m->set, page, m->set);
        (void)HOLDS(l,
                    m->representative - own >= job->pages.count ||
                        job->members[m->representative - own].set == m->set,
                    page, m->representative, m->set);
        (void)HOLDS(l,
                    m->link - own >= job->pages.count || job->members[m->link - own].set == m->set,
                    page, m->link, m->set);
        (void)HOLDS(l, job->form[i] <= 1, page, job->form[i]);
        sums[0] += m->set == page;
        sums[1] += m->representative == page;
    }
    nd_comm_sum_all(&job->comm, sums, 2);
    (void)HOLDS(l, sums[0] == sums[1], sums[0], sums[1]);
}

static void check_left(left *l, const nd_stage *stage) {
    const nd_job *job = l->job;
    const bool full = job->options.transitivity == ND_TRANSITIVITY_FULL;
    const bool selected = stage != &nd_stage_ingest && stage != &nd_stage_content;
    check_pages(l, selected ? 0 : job->old.pages);
    if (!selected || stage == &nd_stage_recall) {
        return;
    }
    check_firsts(l);
    (void)HOLDS(l, job->digest_count == job->pages.count, job->digest_count, job->pages.count);
    if (stage == &nd_stage_block && full) {
        check_records(l, &job->links, sizeof(nd_link), job->link_count,
                      nd_comm_sum(&job->comm, job->link_count));
    } else if (stage == &nd_stage_block) {
        /* a job that goes on inside of verify has them there */
        const bool begun = nd_checkpoint_count(&job->checkpoint, "verify.pairs") > 0 ||
                           nd_checkpoint_count(&job->checkpoint, "verify.links") > 0;
        check_records(l, &job->pairs, sizeof(nd_pair), job->pair_count,
                      begun ? 0 : job->totals.pairs);
    } else if (stage == &nd_stage_verify) {
        check_records(l, &job->links, sizeof(nd_link), job->link_count, job->totals.links);
    } else if (stage == &nd_stage_contain) {
        check_records(l, &job->contained, sizeof(nd_link), job->contained_count,
                      job->totals.contained);
    } else if (stage == &nd_stage_join || stage == &nd_stage_leaders || stage == &nd_stage_index) {
        check_members(l);
    }
}

void nd_stage_check_left(const nd_job *job, const nd_stage *stage) {
    left l = {.job = job};
    check_left(&l, stage);
}

/* The folder that what does not hold came out of, as a rule. */
static const nd_checkpoint *folder_of(const nd_job *job) {
    return job->options.against == NULL ? &job->checkpoint
           : job->options.reread        ? &job->reread.index
                                        : &job->old.index;
}

nd_status nd_stage_check_loaded(const nd_job *job, const nd_stage *stage) {
    nd_status st = ND_OK;
    const nd_checkpoint *from = folder_of(job);
    left l = {.job = job, .loaded = true};
    check_left(&l, stage);
    if (l.broken != NULL) {
        st = nd_checkpoint_refuse(from, stage->name, "not so: %s", l.broken);
    }
    ND_TRY(nd_comm_agree(&job->comm, st));
    if (stage == &nd_stage_join || stage == &nd_stage_leaders || stage == &nd_stage_index) {
        ND_TRY(nd_set_members_check(from, job->first, job->members));
    }
out:
    return st;
}
