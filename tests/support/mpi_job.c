#include "tests/support/mpi_job.h"

#include "mpi/run/run.h"
#include "mpi/stage/compare.h"
#include "tests/support/in_memory.h"

#include "src/method/method.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

nd_memory nd_mpi_test_memory(uint64_t bytes) {
    return (nd_memory){
        .store = bytes, .sort = bytes, .spool = bytes, .batch = bytes, .round = bytes};
}

nd_job_options nd_mpi_test_job_options(void) {
    return (nd_job_options){
        .content = {.navigation = true,
                    .links = true,
                    .sample = 1000,
                    .templates = ND_TEMPLATE_DEFAULTS,
                    .link_tokens = 200},
        .method = nd_method_find("lcs"),
        .method_options = nd_method_default_options(),
        .transitivity = ND_TRANSITIVITY_VERIFIED,
        .guard = 0.15,
        .group_pairs = ND_GROUP_ALL_PAIRS,
        .set_cap = 4096,
        .memory = nd_mpi_test_memory(4096),
        .progress = ND_PROGRESS_NONE,
    };
}

/* A test cannot go on without its pages. */
static void must(nd_status st) {
    if (st != ND_OK) {
        (void)fprintf(stderr, "test: %s\n", nd_fail_text());
        (void)MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

/* Where the job's spools go; the job removes it again. */
static const char *spill_folder(void) {
    static char path[128];
    (void)snprintf(path, sizeof path, "%s/spill", nd_test_folder());
    return path;
}

void nd_mpi_test_job_open(nd_job *job, const nd_job_options *options, const nd_page_store *all,
                          nd_random *random) {
    nd_run_open(job, nd_mpi_test_comm()->handle, options);
    job->folder.path = job->kept.path = spill_folder();
    job->first = nd_mpi_test_new((uint64_t)job->comm.size + 1, sizeof *job->first);
    nd_mpi_test_ranges(random, job->comm.size, all->count, job->first);
    for (size_t i = job->first[job->comm.rank]; i < job->first[job->comm.rank + 1]; i++) {
        must(nd_page_store_append(&job->pages, &all->pages[i], nd_test_document(all, i).tokens,
                                  nd_test_document(all, i).sentences, nd_test_id(all, i),
                                  nd_test_url(all, i)));
    }
    must(nd_digests_fill(job));
    job->exact_of = nd_mpi_test_new(job->pages.count, sizeof *job->exact_of);
    job->content_of = nd_mpi_test_new(job->pages.count, sizeof *job->content_of);
    for (size_t i = 0; i < job->pages.count; i++) {
        job->exact_of[i] = nd_job_own_first(job) + i;
        job->content_of[i] = nd_job_own_first(job) + i;
    }
}

void nd_mpi_test_job_links(nd_job *job, const nd_link *links, uint64_t count, nd_random *random) {
    for (uint64_t i = 0; i < count; i++) {
        if (nd_random_below(random, (uint64_t)job->comm.size) == (uint64_t)job->comm.rank) {
            must(nd_spool_append(&job->links, &links[i], sizeof links[i]));
            job->link_count++;
        }
    }
}

void nd_mpi_test_job_pairs(nd_job *job, const nd_link *links, uint64_t count, nd_random *random) {
    for (uint64_t i = 0; i < count; i++) {
        const nd_pair pair = {.a = links[i].a, .b = links[i].b, .a_tokens = 1};
        if (nd_random_below(random, (uint64_t)job->comm.size) == (uint64_t)job->comm.rank) {
            must(nd_spool_append(&job->pairs, &pair, sizeof pair));
            job->pair_count++;
        }
    }
}

void nd_mpi_test_job_index(nd_job *job, const nd_set_member *members, const uint8_t *form,
                           uint64_t count) {
    static int made = 0;
    char name[32];
    nd_checkpoint index;
    const uint64_t mine = job->comm.rank == 0 ? count : 0;
    (void)snprintf(name, sizeof name, "index%d", made++);
    const char *path = nd_mpi_test_path(name);
    must(nd_checkpoint_open(&index, &job->comm, path, false));
    must(nd_checkpoint_save(&index, "members", sizeof *members, 0, members, mine));
    must(nd_checkpoint_save(&index, "form", sizeof *form, 0, form, mine));
    must(nd_checkpoint_commit(&index, "index"));
    nd_checkpoint_close(&index);
    must(nd_checkpoint_read(&job->old.index, &job->comm, path));
    job->old.pages = count;
}

static bool same_member(const nd_set_member *x, const nd_set_member *y) {
    return x->set == y->set && x->representative == y->representative && x->link == y->link &&
           x->link_similarity == y->link_similarity && x->similarity == y->similarity;
}

static void say(const char *what, uint64_t page, const nd_set_member *m) {
    (void)fprintf(stderr, "page %llu, %s: set %llu, representative %llu, link %llu %g, %g\n",
                  (unsigned long long)page, what, (unsigned long long)m->set,
                  (unsigned long long)m->representative, (unsigned long long)m->link,
                  (double)m->link_similarity, (double)m->similarity);
}

bool nd_mpi_test_job_members(const nd_job *job, const nd_set_member *expected) {
    bool right = true;
    for (size_t i = 0; i < job->pages.count && right; i++) {
        const uint64_t page = nd_job_own_first(job) + i;
        right = same_member(&job->members[i], &expected[page]);
        if (!right) {
            say("expected", page, &expected[page]);
            say("found", page, &job->members[i]);
        }
    }
    return ND_CHECK_ALL(&job->comm, right);
}
