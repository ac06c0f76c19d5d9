#include "tests/support/mpi_check.h"
#include "mpi/run/run.h"
#include "mpi/stage/compare.h"
#include "mpi/stage/state.h"
#include "src/base/sort.h"
#include "src/method/method.h"
#include "tests/support/pages.h"
#include "tests/support/slow.h"

#include <fcntl.h>
#include <unistd.h>

/* ---- mpi check */

static nd_comm comm;

nd_comm *nd_mpi_test_comm(void) {
    return &comm;
}

/* CUnit prints to stdout: one rank's words are enough. */
static void mute(void) {
    (void)fflush(stdout);
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        (void)dup2(nowhere, STDOUT_FILENO);
        (void)close(nowhere);
    }
}

int main(int argc, char **argv) {
    nd_comm_start(&argc, &argv);
    nd_comm_open(&comm, MPI_COMM_WORLD);
    if (comm.rank != 0) {
        mute();
    }
    const int mine = nd_test_main(argc, argv);
    if (mine != 0) {
        (void)fprintf(stderr, "failed on rank %d of %d\n", comm.rank, comm.size);
    }
    const uint64_t failed = nd_comm_sum(&comm, mine != 0);
    nd_comm_close(&comm);
    ND_MPI(MPI_Finalize());
    return failed > 0 ? 1 : 0;
}

const char *nd_mpi_test_path(const char *name) {
    static char path[256];
    if (comm.rank == 0) {
        (void)snprintf(path, sizeof path, "%s/%s", nd_test_folder(), name);
    }
    ND_MPI(MPI_Bcast(path, (int)sizeof path, MPI_CHAR, 0, comm.handle));
    return path;
}

nd_random nd_mpi_test_random(const char *name) {
    nd_random random = {0};
    if (comm.rank == 0) {
        random = nd_test_random(name);
    }
    ND_MPI(MPI_Bcast(&random.state, 1, MPI_UINT64_T, 0, comm.handle));
    return random;
}

bool nd_mpi_check_all(const nd_comm *on, bool mine, const char *text, const char *file, int line) {
    int all = mine ? 1 : 0;
    ND_MPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, on->handle));
    if (!mine) {
        (void)fprintf(stderr, "rank %d: %s:%d: not so: %s\n", on->rank, file, line, text);
    }
    CU_assertImplementation(all == 1 ? CU_TRUE : CU_FALSE, (unsigned)line, text, file, "",
                            CU_FALSE);
    return all == 1;
}

void *nd_mpi_test_new(uint64_t count, size_t size) {
    void *bytes = calloc(count == 0 ? 1 : (size_t)count, size);
    if (bytes == NULL) {
        (void)fprintf(stderr, "rank %d: out of memory: %llu records\n", comm.rank,
                      (unsigned long long)count);
        (void)MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return bytes;
}

void *nd_mpi_test_gather(const nd_comm *on, const void *records, uint64_t count, size_t record_size,
                         uint64_t *total) {
    const size_t size = (size_t)on->size;
    const int bytes = (int)(count * record_size);
    ND_FREED int *sizes = nd_mpi_test_new(2 * size, sizeof *sizes);
    int *begin = sizes + size;
    ND_MPI(MPI_Allgather(&bytes, 1, MPI_INT, sizes, 1, MPI_INT, on->handle));
    uint64_t all = 0;
    for (size_t r = 0; r < size; r++) {
        begin[r] = (int)all;
        all += (uint64_t)sizes[r];
    }
    void *gathered = nd_mpi_test_new(all, 1);
    ND_MPI(MPI_Allgatherv(records, bytes, MPI_BYTE, gathered, sizes, begin, MPI_BYTE, on->handle));
    *total = all / record_size;
    return gathered;
}

void *nd_mpi_test_gather_spool(const nd_comm *on, const nd_spool *spool, size_t record_size,
                               uint64_t *total) {
    ND_OWNED(nd_buffer_free) nd_buffer scratch = {0};
    const uint8_t *bytes = NULL;
    if (nd_spool_read(spool, 0, (size_t)spool->size, &scratch, &bytes) != ND_OK) {
        (void)fprintf(stderr, "rank %d: %s\n", on->rank, nd_fail_text());
        (void)MPI_Abort(MPI_COMM_WORLD, 2);
    }
    void *gathered = nd_mpi_test_gather(on, bytes, spool->size / record_size, record_size, total);
    return gathered;
}

void nd_mpi_test_ranges(nd_random *random, int size, uint64_t pages, uint64_t *first) {
    for (int r = 1; r < size; r++) {
        first[r] = nd_random_below(random, pages + 1);
    }
    first[0] = 0;
    first[size] = pages;
    nd_sort(first, (size_t)size, sizeof *first, nd_test_by_u64);
}

/* ---- mpi job */

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
        .slack = 0.15,
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
        must(nd_page_store_append(
            &job->state->pages, &all->pages[i], nd_test_document(all, i).tokens,
            nd_test_document(all, i).sentences, nd_test_id(all, i), nd_test_url(all, i)));
    }
    must(nd_digests_fill(job));
    job->state->exact_of = nd_mpi_test_new(job->state->pages.count, sizeof *job->state->exact_of);
    job->state->content_of =
        nd_mpi_test_new(job->state->pages.count, sizeof *job->state->content_of);
    for (size_t i = 0; i < job->state->pages.count; i++) {
        job->state->exact_of[i] = nd_job_own_first(job) + i;
        job->state->content_of[i] = nd_job_own_first(job) + i;
    }
}

void nd_mpi_test_job_links(nd_job *job, const nd_link *links, uint64_t count, nd_random *random) {
    for (uint64_t i = 0; i < count; i++) {
        if (nd_random_below(random, (uint64_t)job->comm.size) == (uint64_t)job->comm.rank) {
            must(nd_spool_append(&job->state->links, &links[i], sizeof links[i]));
            job->state->link_count++;
        }
    }
}

void nd_mpi_test_job_pairs(nd_job *job, const nd_link *links, uint64_t count, nd_random *random) {
    for (uint64_t i = 0; i < count; i++) {
        const nd_pair pair = {.a = links[i].a, .b = links[i].b, .a_tokens = 1};
        if (nd_random_below(random, (uint64_t)job->comm.size) == (uint64_t)job->comm.rank) {
            must(nd_spool_append(&job->state->pairs, &pair, sizeof pair));
            job->state->pair_count++;
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
    must(nd_checkpoint_read(&job->state->index.folder, &job->comm, path));
    job->state->index.pages = count;
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
    for (size_t i = 0; i < job->state->pages.count && right; i++) {
        const uint64_t page = nd_job_own_first(job) + i;
        right = same_member(&job->state->members[i], &expected[page]);
        if (!right) {
            say("expected", page, &expected[page]);
            say("found", page, &job->state->members[i]);
        }
    }
    return ND_CHECK_ALL(&job->comm, right);
}

/* ---- mpi world */

void nd_world_add_page(nd_world *w, const uint32_t *tokens, uint32_t count) {
    nd_sentence_digest sentence = {.masked = count, .token_count = count};
    const nd_stored_page page = {.site = 1, /* of all */
                                 .text_tokens = count,
                                 .token_count = count,
                                 .sentence_count = count > 0};
    CU_ASSERT_EQUAL(nd_page_store_append(&w->all, &page, tokens, &sentence, (nd_span){NULL, 0},
                                         (nd_span){NULL, 0}),
                    ND_OK);
}

void nd_world_add_window(nd_world *w, uint32_t text, uint32_t begin, uint32_t count) {
    uint32_t tokens[ND_WORLD_TOKENS];
    for (uint32_t i = 0; i < count; i++) {
        tokens[i] = (uint32_t)nd_mix64((uint64_t)text << 32 | (begin + i + 1));
    }
    nd_world_add_page(w, tokens, count);
}

void nd_world_add_variant(nd_world *w, nd_random *random) {
    uint32_t tokens[ND_WORLD_TOKENS];
    const uint64_t back = 1 + nd_random_below(random, w->all.count < 6 ? w->all.count : 6);
    const size_t from = (size_t)(w->all.count - back);
    const uint32_t count = w->all.pages[from].token_count;
    const uint64_t changes = 1 + nd_random_below(random, 3);
    memcpy(tokens, nd_test_document(&w->all, from).tokens, count * sizeof *tokens);
    for (uint64_t c = 0; c < changes; c++) {
        const uint64_t length = 1 + nd_random_below(random, count / 4 + 1);
        const bool renamed = nd_random_below(random, 8) == 0;
        const uint64_t begin = renamed ? 0 : nd_random_below(random, count - length + 1);
        const uint32_t name = (uint32_t)nd_random_next(random);
        for (uint64_t i = begin; i < begin + length; i++) {
            tokens[i] = renamed && i % 4 == 0 ? name : (uint32_t)nd_random_next(random);
        }
    }
    nd_world_add_page(w, tokens, count - (uint32_t)nd_random_below(random, count / 10 + 1));
}

void nd_world_draw(nd_world *w, nd_random *random) {
    for (uint32_t family = 0; w->all.count < ND_WORLD_PAGES; family++) {
        const uint32_t tokens = 5 + (uint32_t)nd_random_below(random, ND_WORLD_TOKENS - 5);
        nd_world_add_window(w, family, 0, tokens);
        for (uint64_t i = nd_random_below(random, 25); i > 0 && w->all.count < ND_WORLD_PAGES;
             i--) {
            nd_world_add_variant(w, random);
        }
    }
}

void nd_world_compare(nd_world *w, const nd_job_options *options) {
    for (size_t a = 0; a < w->all.count; a++) {
        for (size_t b = a + 1; b < w->all.count; b++) {
            const nd_document x = nd_test_document(&w->all, a);
            const nd_document y = nd_test_document(&w->all, b);
            const double score =
                nd_test_similarity(options->method, &options->method_options, &x, &y, 0);
            w->score[a][b] = w->score[b][a] = score;
            w->similarity[a][b] = w->similarity[b][a] =
                nd_slow_names_left(options->method, &options->method_options, &x, &y, score);
        }
    }
}

double nd_world_threshold(const nd_world *w, const nd_job_options *options, size_t a, size_t b) {
    const uint64_t x = w->all.pages[a].site;
    const uint64_t y = w->all.pages[b].site;
    return options->method_options.threshold +
           (x == y || x == 0 || y == 0 ? options->method_options.site_extra : 0);
}

void nd_world_link(nd_world *w, const nd_job_options *options, uint64_t first, nd_random *random,
                   uint64_t keep) {
    nd_world_compare(w, options);
    w->links = nd_mpi_test_new(ND_WORLD_PAGES * ND_WORLD_PAGES, sizeof *w->links);
    for (size_t a = 0; a < w->all.count; a++) {
        for (size_t b = a + 1; b < w->all.count; b++) {
            if (b >= first && w->similarity[a][b] >= nd_world_threshold(w, options, a, b) &&
                nd_random_below(random, 8) < keep) {
                w->links[w->link_count++] = (nd_link){a, b, w->similarity[a][b]};
            }
        }
    }
}

double nd_world_member(const nd_world *w, uint64_t leader, uint64_t member) {
    return nd_slow_names_member(w->score[leader][member], w->similarity[leader][member]);
}

void nd_world_components(const nd_world *w, const nd_link *links, uint64_t count, uint64_t *label) {
    bool changed = true;
    for (uint64_t i = 0; i < w->all.count; i++) {
        label[i] = i;
    }
    while (changed) {
        changed = false;
        for (uint64_t i = 0; i < count; i++) {
            uint64_t *x = &label[links[i].a];
            uint64_t *y = &label[links[i].b];
            const uint64_t least = *x < *y ? *x : *y;
            changed = changed || *x != *y;
            *x = least;
            *y = least;
        }
    }
}

void nd_world_free(nd_world *w) {
    nd_page_store_free(&w->all);
    free(w->links);
}
