/* The sample of each site against a choice from all pages in one process. */
#include "mpi/run/run.h"
#include "mpi/stage/site_sample.h"
#include "src/base/sort.h"
#include "src/text/address.h"
#include "tests/support/mpi_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- pages */

enum { MOST_SENTENCES = 40 };

typedef struct draft {
    uint64_t site;
    uint64_t text; /* 0: a page without text */
} draft;

/* Equal texts have as many sentences, unlike texts from 1 to MOST_SENTENCES. */
static uint32_t count_sentences(const draft *d) {
    return d->text == 0 ? 0 : 1 + (uint32_t)(nd_mix64(d->text) % MOST_SENTENCES);
}

static nd_page_store make_pages(const draft *drafts, uint64_t count) {
    nd_page_store all = {0};
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t length = count_sentences(&drafts[i]);
        uint32_t tokens[MOST_SENTENCES];
        nd_sentence_digest sentences[MOST_SENTENCES];
        for (uint32_t k = 0; k < length; k++) {
            tokens[k] = (uint32_t)drafts[i].text;
            sentences[k] = (nd_sentence_digest){.masked = drafts[i].text, .token_count = 1};
        }
        const nd_stored_page page = {
            .text_hash = {drafts[i].text, nd_mix64(drafts[i].text)},
            .site = drafts[i].site,
            .text_tokens = length,
            .token_count = length,
            .sentence_count = length,
        };
        CU_ASSERT_EQUAL(nd_page_store_append(&all, &page, tokens, sentences, (nd_span){NULL, 0},
                                             (nd_span){NULL, 0}),
                        ND_OK);
    }
    return all;
}

/* ---- the reference: for each site as many rounds as it may have pages, each takes the page with
 * the smallest order that is above the latest one */

static bool is_better(const nd_page_store *all, uint64_t candidate, const nd_site_page *best) {
    const uint64_t order = nd_mix64(all->pages[candidate].text_hash.low);
    return best->order > order || (best->order == order && best->page > candidate);
}

static bool take_next(const nd_page_store *all, uint64_t site, const nd_site_page *latest,
                      nd_site_page *next) {
    bool found = false;
    for (uint64_t i = 0; i < all->count; i++) {
        const nd_stored_page *page = &all->pages[i];
        const uint64_t order = nd_mix64(page->text_hash.low);
        if (page->site == site && page->token_count > 0 &&
            (latest == NULL || order > latest->order) && (!found || is_better(all, i, next))) {
            *next = (nd_site_page){site, order, i, 0, page->sentence_count};
            found = true;
        }
    }
    return found;
}

static uint64_t reference(const nd_page_store *all, const uint64_t *sites, uint64_t site_count,
                          uint64_t most, nd_site_page *sample) {
    uint64_t count = 0;
    for (uint64_t s = 0; s < site_count; s++) {
        const uint64_t begin = count;
        while (
            count - begin < most &&
            take_next(all, sites[s], count > begin ? &sample[count - 1] : NULL, &sample[count])) {
            count++;
        }
    }
    return count;
}

/* ---- the comparison */

static int by_site_then_order(const void *a, const void *b) {
    const nd_site_page *x = a;
    const nd_site_page *y = b;
    if (x->site != y->site) {
        return x->site < y->site ? -1 : 1;
    }
    return (x->order > y->order) - (x->order < y->order);
}

static bool is_sorted(const nd_site_page *pages, uint64_t count) {
    bool sorted = true;
    for (uint64_t i = 1; i < count; i++) {
        sorted = sorted && by_site_then_order(&pages[i - 1], &pages[i]) < 0;
    }
    return sorted;
}

/* Same pages in the same order, each said to be on the rank that holds it. */
static bool same_sample(const nd_job *job, const nd_site_page *found, uint64_t count,
                        const nd_site_page *expected, uint64_t expected_count) {
    bool same = count == expected_count;
    for (uint64_t i = 0; i < count && same; i++) {
        same = found[i].site == expected[i].site && found[i].order == expected[i].order &&
               found[i].page == expected[i].page && found[i].sentences == expected[i].sentences &&
               found[i].rank ==
                   (uint32_t)nd_comm_range_owner(job->first, job->comm.size, found[i].page);
    }
    return same;
}

/* Has the sample as many pages of the site as it may have? Then there may be others. */
static bool is_full(const nd_site_page *sample, uint64_t count, uint64_t site, uint64_t most) {
    uint64_t pages = 0;
    for (uint64_t i = 0; i < count; i++) {
        pages += sample[i].site == site;
    }
    return pages == most;
}

/* Of the sites whose sample is full, all ranks with pages with text are listed, and no others. */
static bool ranks_are_right(const nd_job *job, const nd_page_store *all, const uint64_t *sites,
                            uint64_t site_count, const bool *full, const nd_key_value *ranks,
                            uint64_t count) {
    const uint64_t size = (uint64_t)job->comm.size;
    bool *holds = nd_mpi_test_new(site_count * size, sizeof *holds);
    uint64_t expected = 0;
    bool right = true;
    for (uint64_t i = 0; i < all->count; i++) {
        for (uint64_t s = 0; s < site_count; s++) {
            bool *cell =
                &holds[s * size + (uint64_t)nd_comm_range_owner(job->first, job->comm.size, i)];
            if (full[s] && all->pages[i].site == sites[s] && all->pages[i].token_count > 0 &&
                !*cell) {
                *cell = true;
                expected++;
            }
        }
    }
    for (uint64_t i = 0; i < count; i++) {
        bool listed = false;
        for (uint64_t s = 0; s < site_count; s++) {
            listed = listed || (sites[s] == ranks[i].key && ranks[i].value < size &&
                                holds[s * size + ranks[i].value]);
        }
        right = right && listed;
    }
    free(holds);
    return right && count == expected;
}

static bool is_sorted_distinct(const nd_key_value *ranks, uint64_t count) {
    bool sorted = true;
    for (uint64_t i = 1; i < count; i++) {
        sorted =
            sorted && (ranks[i - 1].key < ranks[i].key ||
                       (ranks[i - 1].key == ranks[i].key && ranks[i - 1].value < ranks[i].value));
    }
    return sorted;
}

/* A site lies on one rank: the sample and the ranks of it both. */
static bool sites_are_together(const nd_site_page *pages, uint64_t count, uint64_t most,
                               const nd_key_value *ranks, uint64_t rank_count) {
    bool together = true;
    for (uint64_t i = 0; i < count; i++) {
        bool listed = !is_full(pages, count, pages[i].site, most);
        for (uint64_t r = 0; r < rank_count; r++) {
            listed = listed || (ranks[r].key == pages[i].site && ranks[r].value == pages[i].rank);
        }
        together = together && listed;
    }
    return together;
}

/* No rank has more than an equal share and the dearest site beside it. */
static bool is_balanced(const nd_comm *comm, const nd_site_page *pages, uint64_t count) {
    uint64_t mine = 0;
    uint64_t here = 0;
    uint64_t dearest = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t cost = nd_site_page_cost(&pages[i]);
        here = cost + (i > 0 && pages[i].site == pages[i - 1].site ? here : 0);
        dearest = here > dearest ? here : dearest;
        mine += cost;
    }
    dearest = nd_comm_max(comm, dearest);
    return (double)mine <= (double)nd_comm_sum(comm, mine) / comm->size + (double)dearest + 1e-6;
}

static bool check_sample(const nd_page_store *all, const uint64_t *sites, uint64_t site_count,
                         uint64_t most, nd_random *random) {
    const nd_job_options options = nd_mpi_test_job_options();
    nd_job job;
    nd_site_page *pages = NULL;
    nd_key_value *ranks = NULL;
    uint64_t count = 0;
    uint64_t rank_count = 0;
    uint64_t total = 0;
    uint64_t rank_total = 0;
    nd_site_page *expected = nd_mpi_test_new(all->count + site_count + 1, sizeof *expected);
    const uint64_t expected_count = reference(all, sites, site_count, most, expected);
    bool *full = nd_mpi_test_new(site_count, sizeof *full);
    for (uint64_t s = 0; s < site_count; s++) {
        full[s] = is_full(expected, expected_count, sites[s], most);
    }
    nd_mpi_test_job_open(&job, &options, all, random);
    bool right = ND_CHECK_ALL(
        &job.comm, nd_site_sample(&job, most, &pages, &count, &ranks, &rank_count) == ND_OK);
    right =
        ND_CHECK_ALL(&job.comm, is_sorted(pages, count) && is_sorted_distinct(ranks, rank_count)) &&
        right;
    right =
        ND_CHECK_ALL(&job.comm, sites_are_together(pages, count, most, ranks, rank_count)) && right;
    right = ND_CHECK_ALL(&job.comm, is_balanced(&job.comm, pages, count)) && right;
    nd_site_page *found = nd_mpi_test_gather(&job.comm, pages, count, sizeof *pages, &total);
    nd_key_value *found_ranks =
        nd_mpi_test_gather(&job.comm, ranks, rank_count, sizeof *ranks, &rank_total);
    nd_sort(found, total, sizeof *found, by_site_then_order);
    nd_sort(expected, expected_count, sizeof *expected, by_site_then_order);
    right =
        ND_CHECK_ALL(&job.comm, same_sample(&job, found, total, expected, expected_count)) && right;
    right = ND_CHECK_ALL(&job.comm, ranks_are_right(&job, all, sites, site_count, full, found_ranks,
                                                    rank_total)) &&
            right;
    free(full);
    free(pages);
    free(ranks);
    free(found);
    free(found_ranks);
    free(expected);
    nd_run_close(&job);
    return right;
}

/* ---- the tests */

enum { MOST_SITES = 12 };

static uint64_t site_named(uint64_t number) {
    char host[32];
    const int size = snprintf(host, sizeof host, "host%llu.example", (unsigned long long)number);
    return nd_site_hash((nd_span){(const uint8_t *)host, (size_t)size}, 0);
}

/* Every third page is of site 0; `texts` different texts over all sites, some pages without. */
static void draw_drafts(nd_random *random, draft *drafts, uint64_t count, const uint64_t *sites,
                        uint64_t site_count, uint64_t texts) {
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t site = i % 3 == 0 ? 0 : nd_random_below(random, site_count);
        const uint64_t text = nd_random_below(random, texts + 1);
        drafts[i] = (draft){sites[site], nd_random_below(random, 9) == 0 ? 0 : text};
    }
}

static void test_random_sites(void) {
    static const uint64_t mosts[] = {1, 2, 7, 50, 1000};
    nd_random random = nd_mpi_test_random("site sample");
    uint64_t sites[MOST_SITES];
    for (uint64_t s = 0; s < MOST_SITES; s++) {
        sites[s] = site_named(s);
    }
    bool right = true;
    for (uint64_t trial = 0; trial < 30 && right; trial++) {
        const uint64_t count = nd_random_below(&random, 400);
        const uint64_t site_count = 1 + nd_random_below(&random, MOST_SITES);
        draft *drafts = nd_mpi_test_new(count, sizeof *drafts);
        draw_drafts(&random, drafts, count, sites, site_count,
                    1 + nd_random_below(&random, trial % 2 == 0 ? 20 : 2000));
        nd_page_store all = make_pages(drafts, count);
        right = check_sample(&all, sites, site_count, mosts[trial % 5], &random);
        nd_page_store_free(&all);
        free(drafts);
    }
}

/* Site i of n has i + 1 parts of the pages: their hashes fall where they will, but no rank has more
 * than the largest beside an equal share. */
static void test_few_unlike_sites(void) {
    enum { PAGES = 700, SITES = 6 };
    nd_random random = nd_mpi_test_random("unlike sites");
    bool right = true;
    for (uint64_t trial = 0; trial < 10 && right; trial++) {
        uint64_t sites[SITES];
        draft drafts[PAGES];
        for (uint64_t s = 0; s < SITES; s++) {
            sites[s] = site_named(SITES * trial + s);
        }
        for (uint64_t i = 0; i < PAGES; i++) {
            const uint64_t part = nd_random_below(&random, SITES * (SITES + 1) / 2);
            uint64_t site = 0;
            while ((site + 1) * (site + 2) / 2 <= part) {
                site++;
            }
            drafts[i] = (draft){sites[site], i + 1};
        }
        nd_page_store all = make_pages(drafts, PAGES);
        right = check_sample(&all, sites, SITES, PAGES, &random);
        nd_page_store_free(&all);
    }
}

/* Copies of one text are one page of the sample, the first; pages without text are none. */
static void test_copies_and_empty_pages(void) {
    nd_random random = nd_mpi_test_random("copies");
    const uint64_t site = site_named(1);
    const draft drafts[] = {{site, 0}, {site, 5}, {site, 0}, {site, 5}, {site, 5}};
    const nd_job_options options = nd_mpi_test_job_options();
    nd_page_store all = make_pages(drafts, 5);
    nd_job job;
    nd_site_page *pages = NULL;
    nd_key_value *ranks = NULL;
    uint64_t count = 0;
    uint64_t rank_count = 0;
    uint64_t total = 0;
    (void)check_sample(&all, &site, 1, 10, &random);
    nd_mpi_test_job_open(&job, &options, &all, &random);
    ND_CHECK_ALL(&job.comm, nd_site_sample(&job, 10, &pages, &count, &ranks, &rank_count) == ND_OK);
    nd_site_page *found = nd_mpi_test_gather(&job.comm, pages, count, sizeof *pages, &total);
    ND_CHECK_ALL(&job.comm, total == 1 && found[0].page == 1);
    free(pages);
    free(ranks);
    free(found);
    nd_run_close(&job);
    nd_page_store_free(&all);
}

static void test_no_pages(void) {
    nd_random random = nd_mpi_test_random("no pages");
    const uint64_t site = site_named(1);
    const draft empty[] = {{site, 0}, {site, 0}};
    nd_page_store none = {0};
    nd_page_store without_text = make_pages(empty, 2);
    (void)check_sample(&none, &site, 1, 3, &random);
    (void)check_sample(&without_text, &site, 1, 3, &random);
    nd_page_store_free(&without_text);
}

static const nd_test tests[] = {
    {"random sites", test_random_sites},
    {"few unlike sites", test_few_unlike_sites},
    {"copies and empty pages", test_copies_and_empty_pages},
    {"no pages", test_no_pages},
};

ND_SUITE(m_site_sample, tests)
