/* Hits of pages that may be contained in others, also where keys are of more pages than are looked
 * at: against one process that holds all pages and counts their keys. */
#include "mpi/run/run.h"
#include "mpi/stage/stage_contain.h"
#include "src/sets/candidates.h"
#include "src/sketch/shingle.h"
#include "tests/support/in_memory.h"
#include "tests/support/mpi_job.h"
#include "tests/support/mpi_world.h"

#include <stdlib.h>
#include <string.h>

enum { PASSAGE = 40, PASSAGES = 6 };

/* Each page has words of its own, and some passages, the first of which half of them have. */
static void draw_pages(nd_world *w, nd_random *random) {
    uint32_t tokens[ND_WORLD_TOKENS];
    for (uint64_t page = 0; page < ND_WORLD_PAGES; page++) {
        uint32_t count = (uint32_t)nd_random_below(random, PASSAGE);
        for (uint32_t i = 0; i < count; i++) {
            tokens[i] = (uint32_t)nd_random_next(random);
        }
        for (uint32_t passage = 0; passage < PASSAGES; passage++) {
            const bool has = nd_random_below(random, 2 + 3 * passage) == 0;
            for (uint32_t i = 0; has && i < PASSAGE && count < ND_WORLD_TOKENS; i++) {
                tokens[count++] = (uint32_t)nd_mix64((uint64_t)passage << 32 | (i + 1));
            }
        }
        nd_world_add_page(w, tokens, count);
    }
}

typedef struct expected_hits {
    uint64_t keys[ND_WORLD_PAGES][ND_WORLD_TOKENS];
    size_t key_count[ND_WORLD_PAGES], asked[ND_WORLD_PAGES];
    uint64_t hits[ND_WORLD_PAGES][ND_WORLD_PAGES]; /* of a page that asked, and a container */
    uint64_t passed, hot;                          /* keys by which a page asks in vain */
} expected_hits;

static bool has_key(const expected_hits *v, uint64_t page, uint64_t key) {
    bool has = false;
    for (size_t i = 0; i < v->key_count[page]; i++) {
        has = has || v->keys[page][i] == key;
    }
    return has;
}

/* Page i is in the set of page i / 2 * 2: two and two are near-duplicates. */
static void reference(const nd_world *w, double contained, uint64_t most_held, expected_hits *v) {
    *v = (expected_hits){.passed = 0};
    for (size_t i = 0; i < w->all.count; i++) {
        const nd_document page = nd_test_document(&w->all, i);
        v->key_count[i] = nd_syncmer_keys(page.tokens, page.token_count, v->keys[i]);
        const bool asks = page.token_count >= ND_SYNCMER_RUN;
        v->asked[i] = !asks                                  ? 0
                      : v->key_count[i] < ND_CONTAINED_ASKED ? v->key_count[i]
                                                             : ND_CONTAINED_ASKED;
    }
    for (uint64_t page = 0; page < w->all.count; page++) {
        for (size_t k = 0; k < v->asked[page]; k++) {
            uint64_t held = 0;
            for (uint64_t other = 0; other < w->all.count; other++) {
                held += has_key(v, other, v->keys[page][k]);
            }
            v->hot += held > most_held;
            v->passed += held > most_held ? held - 1 : 0;
            for (uint64_t other = 0; other < w->all.count && held <= most_held; other++) {
                const bool long_enough = (double)w->all.pages[other].token_count >=
                                         (double)w->all.pages[page].token_count * contained;
                v->hits[page][other] +=
                    page / 2 != other / 2 && long_enough && has_key(v, other, v->keys[page][k]);
            }
        }
    }
}

/* This rank's hits are those of its pages. */
static bool same_hits(const nd_job *job, nd_external_sort *hits, const expected_hits *v) {
    static uint64_t found[ND_WORLD_PAGES][ND_WORLD_PAGES];
    bool right = true;
    const void *record = NULL;
    memset(found, 0, sizeof found);
    right = nd_external_sort_finish(hits) == ND_OK;
    while (right && nd_external_sort_next(hits, &record) == ND_OK) {
        const nd_contained_hit *hit = record;
        const uint64_t index = hit->page - nd_job_own_first(job);
        right = index < job->pages.count && hit->asked == v->asked[hit->page] &&
                hit->tokens == job->pages.pages[index].token_count;
        found[hit->page][nd_posting_page(hit->container)]++;
    }
    for (uint64_t i = 0; right && i < job->pages.count; i++) {
        const uint64_t page = nd_job_own_first(job) + i;
        right = memcmp(found[page], v->hits[page], sizeof found[page]) == 0;
    }
    return right;
}

static bool check_world(const nd_world *w, const nd_job_options *options, uint64_t most_held,
                        nd_random *random) {
    static expected_hits v;
    nd_job job;
    nd_external_sort hits;
    uint64_t passed = 0;
    reference(w, options->contained, most_held, &v);
    CU_ASSERT((v.hot > 0) == (most_held < ND_WORLD_PAGES / 2));
    nd_mpi_test_job_open(&job, options, &w->all, random);
    nd_external_sort_open(&hits, &job.folder, sizeof(nd_contained_hit), &nd_contained_order,
                          options->memory.sort);
    job.members = nd_mpi_test_new(job.pages.count, sizeof *job.members);
    for (uint64_t i = 0; i < job.pages.count; i++) {
        job.members[i].set = (nd_job_own_first(&job) + i) / 2 * 2;
    }
    bool right =
        ND_CHECK_ALL(&job.comm, nd_contained_hits(&job, most_held, &hits, &passed) == ND_OK);
    right = right && ND_CHECK_ALL(&job.comm, same_hits(&job, &hits, &v));
    right = ND_CHECK_ALL(&job.comm, passed == v.passed) && right;
    nd_external_sort_close(&hits);
    nd_run_close(&job);
    return right;
}

static void test_random_worlds(void) {
    static const uint64_t limits[] = {ND_CONTAINED_HELD, 20, 5, 1};
    nd_random random = nd_mpi_test_random("worlds");
    bool right = true;
    for (size_t trial = 0; trial < 8 && right; trial++) {
        static nd_world w;
        nd_job_options options = nd_mpi_test_job_options();
        w = (nd_world){.link_count = 0};
        options.contained = trial % 2 == 0 ? 0.8 : 0.3;
        draw_pages(&w, &random);
        right = check_world(&w, &options, limits[trial % 4], &random);
        nd_world_free(&w);
    }
}

static const nd_test tests[] = {
    {"keys of more pages than are looked at", test_random_worlds},
};

ND_SUITE(m_contained_hits, tests)
