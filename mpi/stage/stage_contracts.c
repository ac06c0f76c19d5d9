#include "mpi/stage/stage_contracts.h"

#include "mpi/stage/digests.h"
#include "src/base/contract.h"

/* All pages are numbered, each on one rank; in the order of the inputs and of the places there.
 * Those of an index come before the run's own, and until they are recalled are on no rank.
 * \param[in] begin  the first that is on a rank */
static void check_pages(const nd_job *job, uint64_t begin) {
    const int size = job->comm.size;
    const uint64_t *first = job->first;
    const nd_stored_page *pages = job->pages.pages;
    ND_ASSERT(first[0] == begin && first[size] == job->totals.pages, first[0], first[size],
              job->totals.pages);
    for (int r = 0; r < size; r++) {
        ND_ASSERT(first[r] <= first[r + 1], r, first[r], first[r + 1]);
    }
    const uint64_t own = first[job->comm.rank + 1] - first[job->comm.rank];
    ND_ASSERT(own == job->pages.count, own, job->pages.count);
    for (size_t i = 0; i < own; i++) {
        ND_ASSERT(pages[i].source < job->inputs.count, pages[i].source, job->inputs.count, i);
        ND_ASSERT((pages[i].source < job->old.sources) ==
                      (first[job->comm.rank] + i < job->old.pages),
                  pages[i].source, job->old.pages, i);
        ND_ASSERT(pages[i].collection == job->inputs.inputs[pages[i].source].collection,
                  pages[i].collection, pages[i].source, i);
        ND_ASSERT(pages[i].token_count <= pages[i].text_tokens, pages[i].token_count,
                  pages[i].text_tokens, i);
        ND_ASSERT(
            i == 0 || pages[i - 1].source < pages[i].source ||
                (pages[i - 1].source == pages[i].source && pages[i - 1].offset <= pages[i].offset),
            i, pages[i].source, pages[i].offset);
    }
    /* across ranks: what this one begins with comes after all that lie before it */
    const int64_t last = own == 0 ? 0 : (int64_t)pages[own - 1].source + 1;
    int64_t before = 0;
    ND_MPI(MPI_Exscan(&last, &before, 1, MPI_INT64_T, MPI_MAX, job->comm.handle));
    ND_ASSERT(job->comm.rank == 0 || own == 0 || (int64_t)pages[0].source + 1 >= before,
              pages[0].source, before);
}

/* Who is the first with a page's text, and with its content. */
static void check_firsts(const nd_job *job) {
    const uint64_t own = nd_job_own_first(job);
    uint64_t copies[2] = {0, 0};
    for (size_t i = 0; i < job->pages.count; i++) {
        const uint64_t exact = job->exact_of[i];
        const uint64_t content = job->content_of[i];
        const bool revisit = job->revisit_of != NULL && job->revisit_of[i] != ND_NO_REVISIT;
        ND_ASSERT(content <= exact && (exact <= own + i || revisit), content, exact, own + i);
        ND_ASSERT(!revisit || job->revisit_of[i] < job->totals.pages, job->revisit_of[i], own + i);
        ND_ASSERT(exact - own >= job->pages.count || job->exact_of[exact - own] == exact, exact,
                  own + i);
        ND_ASSERT(content - own >= job->pages.count || job->content_of[content - own] == content,
                  content, own + i);
        copies[0] += exact != own + i;
        copies[1] += exact == own + i && content != exact;
    }
    nd_comm_sum_all(&job->comm, copies, 2);
    ND_ASSERT(copies[0] == job->totals.exact_copies, copies[0], job->totals.exact_copies);
    ND_ASSERT(copies[1] == job->totals.content_copies, copies[1], job->totals.content_copies);
}

/* Records of a spool, counted on this rank and over all. */
static void check_records(const nd_job *job, const nd_spool *spool, size_t record_size,
                          uint64_t count, uint64_t total) {
    ND_ASSERT(spool->size == count * record_size, spool->size, count, record_size);
    const uint64_t sum = nd_comm_sum(&job->comm, count);
    ND_ASSERT(sum == total, sum, total);
}

/* Every page is in one set: the set is named by its smallest page, and has one representative. */
static void check_members(const nd_job *job) {
    const uint64_t own = nd_job_own_first(job);
    uint64_t sums[2] = {0, 0}; /* sets, representatives */
    for (size_t i = 0; i < job->pages.count; i++) {
        const nd_set_member *m = &job->members[i];
        const uint64_t page = own + i;
        ND_ASSERT(m->set <= page && m->set <= m->representative && m->set <= m->link, page, m->set,
                  m->representative);
        ND_ASSERT(m->representative < job->totals.pages && m->link < job->totals.pages, page,
                  m->representative, m->link);
        ND_ASSERT((m->representative == page) == (m->link == page), page, m->representative,
                  m->link);
        ND_ASSERT(m->similarity >= 0 && m->similarity <= 1 && m->link_similarity >= 0 &&
                      m->link_similarity <= 1,
                  page, m->representative, m->link);
        ND_ASSERT(m->set < own || job->members[m->set - own].set == m->set, page, m->set);
        ND_ASSERT(m->representative - own >= job->pages.count ||
                      job->members[m->representative - own].set == m->set,
                  page, m->representative, m->set);
        ND_ASSERT(m->link - own >= job->pages.count || job->members[m->link - own].set == m->set,
                  page, m->link, m->set);
        ND_ASSERT(job->form[i] <= 1, page, job->form[i]);
        sums[0] += m->set == page;
        sums[1] += m->representative == page;
    }
    nd_comm_sum_all(&job->comm, sums, 2);
    ND_ASSERT(sums[0] == sums[1], sums[0], sums[1]);
}

void nd_stage_check_left(const nd_job *job, const nd_stage *stage) {
    const bool full = job->options.transitivity == ND_TRANSITIVITY_FULL;
    const bool selected =
        stage != &nd_stage_ingest && stage != &nd_stage_content && stage != &nd_stage_adopt;
    check_pages(job, selected ? 0 : job->old.pages);
    if (!selected || stage == &nd_stage_recall) {
        return;
    }
    check_firsts(job);
    ND_ASSERT(job->digest_count == job->pages.count, job->digest_count, job->pages.count);
    if (stage == &nd_stage_block && full) {
        check_records(job, &job->links, sizeof(nd_link), job->link_count,
                      nd_comm_sum(&job->comm, job->link_count));
    } else if (stage == &nd_stage_block) {
        /* a job that goes on inside of verify has them there */
        const bool begun = nd_checkpoint_count(&job->checkpoint, "verify.pairs") > 0 ||
                           nd_checkpoint_count(&job->checkpoint, "verify.links") > 0;
        check_records(job, &job->pairs, sizeof(nd_pair), job->pair_count,
                      begun ? 0 : job->totals.pairs);
    } else if (stage == &nd_stage_verify) {
        check_records(job, &job->links, sizeof(nd_link), job->link_count, job->totals.links);
    } else if (stage == &nd_stage_contain) {
        check_records(job, &job->contained, sizeof(nd_link), job->contained_count,
                      job->totals.contained);
    } else if (stage == &nd_stage_join || stage == &nd_stage_leaders || stage == &nd_stage_index) {
        check_members(job);
    }
}
