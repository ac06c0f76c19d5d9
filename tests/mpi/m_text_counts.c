/* Names in each page's set, texts of its site: on any number of ranks what counting by hand gives,
 * for many sites and for one, for sets of one page and for one set of all. */
#include "mpi/run/run.h"
#include "mpi/stage/member_certainty.h"
#include "tests/support/in_memory.h"
#include "tests/support/mpi_job.h"

#include <stdlib.h>

enum { PAGES = 400 };

/* All pages, the same on every rank. */
typedef struct drawn {
    uint64_t site[PAGES], set[PAGES], first[PAGES];
    nd_address address[PAGES];
} drawn;

/* Every page has a copy's share of `copies` in ten; sites and sets are drawn from as many. */
static void draw(drawn *d, uint64_t sites, uint64_t sets, uint64_t copies, nd_random *random) {
    uint64_t smallest[PAGES];
    for (size_t i = 0; i < PAGES; i++) {
        smallest[i] = UINT64_MAX;
    }
    for (size_t i = 0; i < PAGES; i++) {
        const bool copy = i > 0 && nd_random_below(random, 10) < copies;
        const uint64_t of = copy ? nd_random_below(random, i) : i;
        const uint64_t set = nd_random_below(random, sets);
        d->site[i] = nd_random_below(random, sites) << 40; /* 0: of no site */
        d->address[i] = nd_random_below(random, 6) << 30 | nd_random_below(random, 2);
        d->first[i] = copy ? d->first[of] : i;
        if (copy) {
            d->set[i] = d->set[of];
        } else {
            smallest[set] = smallest[set] == UINT64_MAX ? i : smallest[set];
            d->set[i] = smallest[set];
        }
    }
}

/* Those without an address have a name each. */
static bool one_name(const drawn *d, size_t a, size_t b) {
    return a == b || (d->address[a] != 0 && d->address[b] != 0 &&
                      nd_address_name(d->address[a]) == nd_address_name(d->address[b]));
}

static nd_text_count by_hand(const drawn *d, size_t page) {
    nd_text_count count = {0};
    for (size_t i = 0; i < PAGES; i++) {
        bool beside = false;
        bool seen = d->set[i] != d->set[page]; /* its site, in this set */
        bool named = seen;                     /* its name, likewise */
        for (size_t k = 0; k < i; k++) {
            seen = seen || (d->set[k] == d->set[i] && d->site[k] == d->site[i]);
            named = named || (d->set[k] == d->set[i] && d->first[k] == k && one_name(d, i, k));
        }
        count.sites += !seen;
        if (d->first[i] != i) {
            continue;
        }
        count.names += !named;
        if (d->site[i] != d->site[page]) {
            continue;
        }
        for (size_t k = 0; k < PAGES; k++) {
            beside = beside || (!one_name(d, i, k) && d->first[k] == k &&
                                d->site[k] == d->site[i] && d->set[k] == d->set[i]);
        }
        count.of_site++;
        count.crowded += beside;
    }
    return count;
}

static void check(uint64_t sites, uint64_t sets, uint64_t copies, nd_random *random) {
    nd_job job;
    const nd_job_options options = nd_mpi_test_job_options();
    nd_page_store all = {0};
    drawn *d = nd_mpi_test_new(1, sizeof *d);
    nd_text_count *counts = nd_mpi_test_new(PAGES, sizeof *counts);
    draw(d, sites, sets, copies, random);
    for (size_t i = 0; i < PAGES; i++) {
        const nd_stored_page page = {.site = d->site[i]};
        CU_ASSERT_EQUAL(nd_page_store_append(&all, &page, NULL, NULL, (nd_span){0}, (nd_span){0}),
                        ND_OK);
    }
    nd_mpi_test_job_open(&job, &options, &all, random);
    const uint64_t own = nd_job_own_first(&job);
    job.members = nd_mpi_test_new(job.pages.count, sizeof *job.members);
    for (size_t i = 0; i < job.pages.count; i++) {
        job.members[i].set = d->set[own + i];
        job.exact_of[i] = d->first[own + i];
    }
    bool right = nd_text_counts(&job, &d->address[own], counts) == ND_OK;
    for (size_t i = 0; i < job.pages.count; i++) {
        const nd_text_count expected = by_hand(d, own + i);
        right = right && counts[i].names == expected.names && counts[i].sites == expected.sites &&
                counts[i].of_site == expected.of_site && counts[i].crowded == expected.crowded;
    }
    (void)ND_CHECK_ALL(&job.comm, right);
    nd_run_close(&job);
    nd_page_store_free(&all);
    free(d);
    free(counts);
}

static void test_counts(void) {
    nd_random random = nd_mpi_test_random("counts");
    check(20, 100, 2, &random);
    check(PAGES, 100, 0, &random);
    check(3, PAGES, 9, &random);
}

static void test_one(void) {
    nd_random random = nd_mpi_test_random("one");
    check(1, 1, 3, &random); /* one set, and no site */
    check(2, 1, 0, &random);
    check(1, PAGES, 0, &random);
}

static const nd_test tests[] = {
    {"as by hand", test_counts},
    {"one set, one site", test_one},
};

ND_SUITE(m_text_counts, tests)
