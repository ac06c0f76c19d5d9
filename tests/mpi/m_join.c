/* Components without the guard, whose links and memberships do not fit in memory: a chain of
 * pages, and a star, through the whole stage. */
#include "mpi/run/run.h"
#include "mpi/stage/stage.h"
#include "tests/support/in_memory.h"
#include "tests/support/method_use.h"
#include "tests/support/mpi_job.h"
#include "tests/support/slow_names.h"

#include <stdlib.h>
#include <string.h>

enum {
    PAGES = 30000,
    LONGEST = 12345, /* the page with the most tokens */
    MEMORY = 64 << 10
};

/* Pages of three to five tokens, so that each is compared in no time. */
static nd_page_store make_pages(nd_random *random) {
    nd_page_store all = {0};
    for (uint64_t i = 0; i < PAGES; i++) {
        uint32_t tokens[6];
        const uint32_t count = i == LONGEST ? 6 : 3 + (uint32_t)nd_random_below(random, 3);
        const nd_sentence_digest sentence = {.token_count = count};
        const nd_stored_page page = {
            .text_tokens = count, .token_count = count, .sentence_count = 1};
        for (uint32_t k = 0; k < count; k++) {
            tokens[k] = (uint32_t)nd_random_below(random, 4);
        }
        CU_ASSERT_EQUAL(nd_page_store_append(&all, &page, tokens, &sentence, (nd_span){NULL, 0},
                                             (nd_span){NULL, 0}),
                        ND_OK);
    }
    return all;
}

static nd_link link_of(uint64_t x, uint64_t y, double similarity) {
    return (nd_link){x < y ? x : y, x < y ? y : x, similarity};
}

static double to_longest(const nd_job_options *o, const nd_page_store *all, size_t page) {
    const nd_document x = nd_test_document(all, LONGEST);
    const nd_document y = nd_test_document(all, page);
    const double similarity = nd_test_similarity(o->method, &o->method_options, &x, &y, 0);
    return nd_slow_names_member(
        similarity, nd_slow_names_left(o->method, &o->method_options, &x, &y, similarity));
}

/* One set: who joined whom is given, and what is not known from a link is compared. */
static bool check_component(const nd_page_store *all, const nd_link *links, uint64_t count,
                            nd_set_member *expected, nd_random *random) {
    nd_job job;
    nd_job_options options = nd_mpi_test_job_options();
    options.guard = 0;
    options.memory = nd_mpi_test_memory(MEMORY);
    for (size_t i = 0; i < PAGES; i++) {
        nd_set_member *m = &expected[i];
        m->set = 0;
        m->representative = LONGEST;
        m->similarity = i == LONGEST         ? 1
                        : m->link == LONGEST ? m->link_similarity
                                             : (float)to_longest(&options, all, i);
    }
    nd_mpi_test_job_open(&job, &options, all, random);
    nd_mpi_test_job_links(&job, links, count, random);
    bool right = ND_CHECK_ALL(&job.comm, nd_stage_join.run(&job) == ND_OK);
    right = right && nd_mpi_test_job_members(&job, expected);
    right = ND_CHECK_ALL(&job.comm, nd_comm_sum(&job.comm, job.folder.written) > 0) && right;
    nd_run_close(&job);
    return right;
}

/* Pages in a random order, each similar to the next: joined through its neighbour on the way. */
static void test_chain(void) {
    nd_random random = nd_mpi_test_random("chain");
    nd_page_store all = make_pages(&random);
    nd_link *links = nd_mpi_test_new(PAGES, sizeof *links);
    uint64_t *order = nd_mpi_test_new(PAGES, sizeof *order);
    nd_set_member *expected = nd_mpi_test_new(PAGES, sizeof *expected);
    uint64_t longest = 0;
    for (uint64_t i = 0; i < PAGES; i++) {
        const uint64_t at = nd_random_below(&random, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    for (uint64_t i = 0; i < PAGES; i++) {
        longest = order[i] == LONGEST ? i : longest;
    }
    for (uint64_t i = 0; i + 1 < PAGES; i++) {
        links[i] = link_of(order[i], order[i + 1], 0.5 + (double)nd_random_below(&random, 8) / 16);
    }
    for (uint64_t i = 0; i < PAGES; i++) { /* toward the longest page */
        const uint64_t link = i < longest ? i : i - 1;
        const uint64_t next = i < longest ? i + 1 : i - 1;
        expected[order[i]] =
            i == longest ? (nd_set_member){.link = LONGEST, .link_similarity = 1}
                         : (nd_set_member){.link = order[next],
                                           .link_similarity = (float)links[link].similarity};
    }
    (void)check_component(&all, links, PAGES - 1, expected, &random);
    free(links);
    free(order);
    free(expected);
    nd_page_store_free(&all);
}

/* All pages are similar to the last one, which is not the longest; and every tenth to the next,
 * less so: those links are not the tree's. */
static void test_star(void) {
    nd_random random = nd_mpi_test_random("star");
    const uint64_t middle = PAGES - 1;
    nd_page_store all = make_pages(&random);
    nd_link *links = nd_mpi_test_new(2 * PAGES, sizeof *links);
    nd_set_member *expected = nd_mpi_test_new(PAGES, sizeof *expected);
    uint64_t count = 0;
    for (uint64_t i = 0; i < middle; i++) {
        const double similarity = 0.75 + (double)nd_random_below(&random, 4) / 16;
        links[count++] = link_of(i, middle, similarity);
        expected[i] = (nd_set_member){.link = middle, .link_similarity = (float)similarity};
        if (i == LONGEST) {
            expected[middle] = (nd_set_member){.link = i, .link_similarity = (float)similarity};
            expected[i] = (nd_set_member){.link = i, .link_similarity = 1};
        }
        if (i % 10 == 0) {
            links[count++] = link_of(i, i + 1, 0.5);
        }
    }
    (void)check_component(&all, links, count, expected, &random);
    free(links);
    free(expected);
    nd_page_store_free(&all);
}

static const nd_test tests[] = {
    {"a chain", test_chain},
    {"a star", test_star},
};

ND_SUITE(m_join, tests)
