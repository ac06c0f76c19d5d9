/* Pages with the id of another page: on any number of ranks, with and without room in memory, the
 * same as comparing every page with all before it. */
#include "mpi/run/run.h"
#include "mpi/stage/result_tables.h"
#include "tests/support/in_memory.h"
#include "tests/support/mpi_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PAGES = 6000 };

/* A page: number of its id, 0: none; and its collection. */
typedef struct drawn {
    uint64_t id;
    uint16_t collection;
} drawn;

static nd_repeated_ids expected(const drawn *pages, size_t count, size_t *first_of) {
    nd_repeated_ids e = {.page = UINT64_MAX};
    bool shared[MOST_PAGES + 1] = {false};
    (void)memset(first_of, 0xff, 2 * (MOST_PAGES + 1) * sizeof *first_of);
    for (size_t i = 0; i < count; i++) {
        size_t *first = &first_of[2 * pages[i].id + pages[i].collection];
        if (pages[i].id == 0) {
            continue;
        }
        e.shared += shared[pages[i].id];
        shared[pages[i].id] = true;
        if (*first == SIZE_MAX) {
            *first = i;
            continue;
        }
        e.repeated++;
        if (e.page == UINT64_MAX) {
            e.page = i;
            e.first = *first;
        }
    }
    return e;
}

/* Ids are drawn from as many as `ids`; of two collections, if `collections` is 2. */
static void check(uint64_t pages, uint64_t ids, uint64_t collections, uint64_t memory,
                  nd_random *random) {
    nd_job job;
    nd_job_options options = nd_mpi_test_job_options();
    nd_page_store all = {0};
    nd_repeated_ids found;
    drawn *drawn_pages = nd_mpi_test_new(MOST_PAGES, sizeof *drawn_pages);
    size_t *first_of = nd_mpi_test_new((uint64_t)2 * (MOST_PAGES + 1), sizeof *first_of);
    options.memory = nd_mpi_test_memory(memory);
    for (size_t i = 0; i < pages; i++) {
        char id[32] = "";
        drawn_pages[i].collection = (uint16_t)nd_random_below(random, collections);
        /* more ids than pages: each page has its own, but for those without */
        drawn_pages[i].id = ids > MOST_PAGES ? (i % 7 == 0 ? 0 : i) : nd_random_below(random, ids);
        if (drawn_pages[i].id > 0) {
            (void)snprintf(id, sizeof id, "<id:%llu>", (unsigned long long)drawn_pages[i].id);
        }
        const nd_stored_page page = {.collection = drawn_pages[i].collection, .offset = 10 * i};
        CU_ASSERT_EQUAL(nd_page_store_append(&all, &page, NULL, NULL,
                                             (nd_span){(const uint8_t *)id, strlen(id)},
                                             (nd_span){NULL, 0}),
                        ND_OK);
    }
    const nd_repeated_ids right = expected(drawn_pages, pages, first_of);
    nd_mpi_test_job_open(&job, &options, &all, random);
    const bool done = nd_repeated_ids_find(&job, &found) == ND_OK;
    (void)ND_CHECK_ALL(&job.comm, done && found.repeated == right.repeated &&
                                      found.shared == right.shared && found.page == right.page);
    if (right.repeated > 0) {
        char id[32];
        (void)snprintf(id, sizeof id, "<id:%llu>", (unsigned long long)drawn_pages[right.page].id);
        (void)ND_CHECK_ALL(&job.comm,
                           found.first == right.first && found.at[0].offset == 10 * right.first &&
                               found.at[1].offset == 10 * right.page &&
                               strcmp(found.at[0].id, id) == 0 && strcmp(found.at[1].id, id) == 0);
    }
    nd_run_close(&job);
    nd_page_store_free(&all);
    free(drawn_pages);
    free(first_of);
}

static void test_repeats(void) {
    nd_random random = nd_mpi_test_random("repeats");
    check(MOST_PAGES, 3000, 1, 1 << 20, &random);
    check(MOST_PAGES, 3000, 2, 4 << 10, &random);
    check(MOST_PAGES, 3, 2, 4 << 10, &random);
    check(100, 5000, 2, 4 << 10, &random);
}

static void test_none(void) {
    nd_random random = nd_mpi_test_random("none");
    check(0, 10, 1, 4 << 10, &random);
    check(1000, 1, 2, 4 << 10, &random); /* no page has an id */
    check(1000, MOST_PAGES + 1, 2, 4 << 10, &random);
}

static const nd_test tests[] = {
    {"pages with the same ids", test_repeats},
    {"no two with one", test_none},
};

ND_SUITE(m_repeated_ids, tests)
