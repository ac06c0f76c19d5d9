/* One component of many pages, a chain, which no rank could hold within its memory, and one that it
 * could: the sets are those that one process makes of it by src/sets/. */
#include "mpi/run/run.h"
#include "mpi/stage/stage.h"
#include "src/base/sort.h"
#include "src/sets/forest.h"
#include "src/sets/leaders.h"
#include "tests/support/in_memory.h"
#include "tests/support/method_use.h"
#include "tests/support/middles.h"
#include "tests/support/mpi_job.h"

#include <stdlib.h>
#include <string.h>

enum {
    PAGES = 20000,
    TOKENS = 24,
    SHIFT = 2,  /* tokens by which a page differs from the one before */
    STEPS = 10, /* so many pages away nothing is in common */
};

/* Pages stand in the chain in a random order. */
typedef struct chain {
    nd_page_store all;
    uint64_t *order;          /* [place in the chain] the page */
    uint64_t *place;          /* [page] */
    double similarity[STEPS]; /* of pages so many places apart */
    double least;             /* of a page and its leader */
    nd_link *links;
    uint64_t count;
} chain;

static nd_link link_at(const chain *c, uint64_t place, uint64_t steps) {
    const uint64_t x = c->order[place];
    const uint64_t y = c->order[place + steps];
    return (nd_link){x < y ? x : y, x < y ? y : x, c->similarity[steps]};
}

/* All pages are similar to the next, some to the one after that. */
static void make_chain(chain *c, const nd_job_options *o, nd_random *random) {
    c->order = nd_mpi_test_new(PAGES, sizeof *c->order);
    c->place = nd_mpi_test_new(PAGES, sizeof *c->place);
    c->links = nd_mpi_test_new(2 * PAGES, sizeof *c->links);
    for (uint64_t i = 0; i < PAGES; i++) {
        const uint64_t at = nd_random_below(random, i + 1);
        c->order[i] = c->order[at];
        c->order[at] = i;
    }
    for (uint64_t i = 0; i < PAGES; i++) {
        c->place[c->order[i]] = i;
    }
    for (uint64_t i = 0; i < PAGES; i++) {
        uint32_t tokens[TOKENS];
        const nd_sentence_digest sentence = {.token_count = TOKENS};
        const nd_stored_page page = {
            .text_tokens = TOKENS, .token_count = TOKENS, .sentence_count = 1};
        for (uint64_t k = 0; k < TOKENS; k++) {
            tokens[k] = (uint32_t)nd_mix64(SHIFT * c->place[i] + k + 1);
        }
        CU_ASSERT_EQUAL(nd_page_store_append(&c->all, &page, tokens, &sentence, (nd_span){NULL, 0},
                                             (nd_span){NULL, 0}),
                        ND_OK);
    }
    for (size_t d = 0; d < STEPS; d++) {
        const nd_document x = nd_test_document(&c->all, c->order[0]);
        const nd_document y = nd_test_document(&c->all, c->order[d]);
        c->similarity[d] = nd_test_similarity(o->method, &o->method_options, &x, &y, 0);
    }
    c->least = o->method_options.threshold + o->method_options.site_extra - o->guard;
    for (uint64_t i = 0; i + 1 < PAGES; i++) {
        c->links[c->count++] = link_at(c, i, 1);
        if (i % 3 == 0 && i + 2 < PAGES) {
            c->links[c->count++] = link_at(c, i, 2);
        }
    }
}

static void free_chain(chain *c) {
    nd_page_store_free(&c->all);
    free(c->order);
    free(c->place);
    free(c->links);
}

static nd_status compare(void *context, size_t leader, size_t member, double *similarity) {
    const chain *c = context;
    const uint64_t x = c->place[leader];
    const uint64_t y = c->place[member];
    const uint64_t steps = x < y ? y - x : x - y;
    *similarity = steps < STEPS && c->similarity[steps] >= c->least ? c->similarity[steps] : 0;
    return ND_OK;
}

/* The set of some pages, with all links inside. */
static bool join_set(const uint64_t *pages, uint64_t count, uint64_t leader,
                     const double *similarities, nd_link *inside, size_t links,
                     nd_set_member *expected) {
    nd_parent *parents = nd_mpi_test_new(count, sizeof *parents);
    size_t kept = 0;
    const bool right = nd_forest(pages, count, inside, links, &kept) == ND_OK &&
                       nd_tree_orient(pages, count, inside, leader, parents) == ND_OK;
    for (uint64_t i = 0; i < count && right; i++) {
        expected[pages[i]] =
            (nd_set_member){pages[0], leader, parents[i].page, (float)parents[i].similarity,
                            (float)similarities[pages[i]]};
    }
    free(parents);
    return right;
}

/* \return how many sets; 0 if anything went wrong */
static uint64_t expect(chain *c, nd_set_member *expected) {
    uint64_t *pages = nd_mpi_test_new(PAGES, sizeof *pages);
    uint64_t *tokens = nd_mpi_test_new(PAGES, sizeof *tokens);
    size_t *leaders = nd_mpi_test_new(PAGES, sizeof *leaders);
    double *similarities = nd_mpi_test_new(PAGES, sizeof *similarities);
    nd_link *tree = nd_mpi_test_new(c->count, sizeof *tree);
    nd_key_value *sets = nd_mpi_test_new(PAGES, sizeof *sets);
    size_t kept = 0;
    uint64_t count = 0;
    memcpy(tree, c->links, c->count * sizeof *tree);
    for (uint64_t i = 0; i < PAGES; i++) {
        pages[i] = i;
        tokens[i] = TOKENS;
    }
    bool right = nd_forest(pages, PAGES, tree, c->count, &kept) == ND_OK &&
                 nd_middles(pages, tokens, PAGES, tree, compare, c, leaders, similarities) == ND_OK;
    for (uint64_t i = 0; i < PAGES; i++) {
        sets[i] = (nd_key_value){leaders[i], i};
    }
    right = right && nd_radix_sort(sets, PAGES) == ND_OK;
    for (uint64_t begin = 0, end = 0; begin < PAGES && right; begin = end, count++) {
        nd_link inside[8 * STEPS];
        size_t links = 0;
        const uint64_t leader = sets[begin].key;
        end = nd_key_end(sets, PAGES, begin, leader);
        for (uint64_t i = begin; i < end; i++) {
            const uint64_t place = c->place[sets[i].value];
            for (uint64_t steps = 1; steps <= (place % 3 == 0 ? 2U : 1U); steps++) {
                if (place + steps < PAGES && leaders[c->order[place + steps]] == leader) {
                    inside[links++] = link_at(c, place, steps);
                }
            }
            pages[i - begin] = sets[i].value;
        }
        right = join_set(pages, end - begin, leader, similarities, inside, links, expected);
    }
    free(pages);
    free(tokens);
    free(leaders);
    free(similarities);
    free(tree);
    free(sets);
    return right ? count : 0;
}

static void test_long_chain(void) {
    nd_random random = nd_mpi_test_random("long chain");
    nd_job_options options = nd_mpi_test_job_options();
    chain c = {0};
    nd_set_member *expected = nd_mpi_test_new(PAGES, sizeof *expected);
    bool right = true;
    options.method_options.score = nd_score_find("jaccard");
    options.method_options.names = 0;
    make_chain(&c, &options, &random);
    const uint64_t sets = expect(&c, expected);
    CU_ASSERT(sets > PAGES / 9 && sets < PAGES / 3); /* from a page up to 4 others at either side */
    for (int r = 0; r < nd_test_rounds(2) && right; r++) {
        const uint64_t fits = nd_test_case(&random, r, 2);
        nd_job job;
        options.memory = nd_mpi_test_memory(fits == 1 ? UINT64_C(1) << 30 : 256 << 10);
        options.memory.round = 1 << 20;
        nd_mpi_test_job_open(&job, &options, &c.all, &random);
        nd_mpi_test_job_links(&job, c.links, c.count, &random);
        right = ND_CHECK_ALL(&job.comm, nd_stage_join.run(&job) == ND_OK) &&
                nd_mpi_test_job_members(&job, expected);
        nd_run_close(&job);
    }
    free(expected);
    free_chain(&c);
}

static const nd_test tests[] = {
    {"a long chain", test_long_chain},
};

ND_SUITE(m_guard_chain, tests)
