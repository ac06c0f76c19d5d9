/* Pairs are dealt by cost, in the order of their items, and compared: against one process that
 * knows all similarities. */
#include "mpi/run/run.h"
#include "mpi/stage/compare.h"
#include "src/base/sort.h"
#include "tests/support/mpi_job.h"
#include "tests/support/mpi_world.h"
#include "tests/support/slow_names.h"

#include <stdlib.h>
#include <string.h>

/* All pairs to be compared, the same on every rank. */
typedef struct pair_list {
    nd_pair *pairs;
    uint64_t count;
    uint64_t cost;
    uint64_t most; /* cost of one pair */
} pair_list;

static void add_pair(pair_list *list, const nd_world *w, uint64_t item, uint64_t a, uint64_t b) {
    const uint32_t x = w->all.pages[a].token_count;
    const uint32_t y = w->all.pages[b].token_count;
    const uint64_t cost = (uint64_t)x + y;
    list->pairs[list->count++] = (nd_pair){.item = nd_mix64(item) % w->all.count,
                                           .a = a,
                                           .b = b,
                                           .relation = ND_PAIR_MAY_BE_SAME_SITE,
                                           .a_tokens = x,
                                           .b_tokens = y};
    list->cost += cost;
    list->most = cost > list->most ? cost : list->most;
}

/* Every pair with some chance; the item says with which others it belongs. */
static pair_list draw_pairs(const nd_world *w, nd_random *random, uint64_t share, uint64_t items) {
    pair_list list = {.pairs =
                          nd_mpi_test_new(ND_WORLD_PAGES * ND_WORLD_PAGES, sizeof *list.pairs)};
    for (uint64_t a = 0; a < w->all.count; a++) {
        for (uint64_t b = a + 1; b < w->all.count; b++) {
            if (nd_random_below(random, 16) < share) {
                add_pair(&list, w, (a / 3 + b) % items, a, b);
            }
        }
    }
    return list;
}

static int by_item_then_pages(const void *a, const void *b) {
    const nd_pair *x = a;
    const nd_pair *y = b;
    if (x->item != y->item) {
        return x->item < y->item ? -1 : 1;
    }
    if (x->a != y->a) {
        return x->a < y->a ? -1 : 1;
    }
    return (x->b > y->b) - (x->b < y->b);
}

static int by_pages(const void *a, const void *b) {
    const nd_link *x = a;
    const nd_link *y = b;
    if (x->a != y->a) {
        return x->a < y->a ? -1 : 1;
    }
    return (x->b > y->b) - (x->b < y->b);
}

/* ---- one job */

/* Give this rank's share: drawn, or all to rank 0. */
static nd_spool give_pairs(nd_job *job, const pair_list *list, nd_random *random, bool to_first) {
    nd_spool share;
    nd_spool_open(&share, &job->folder, job->options.memory.spool);
    for (uint64_t i = 0; i < list->count; i++) {
        const uint64_t to = to_first ? 0 : nd_random_below(random, (uint64_t)job->comm.size);
        if (to == (uint64_t)job->comm.rank) {
            CU_ASSERT_EQUAL(nd_spool_append(&share, &list->pairs[i], sizeof(nd_pair)), ND_OK);
        }
    }
    return share;
}

/* Each page that is the first of a run of pairs is prepared once. \param[out] most  for one page */
static uint64_t cost_of(const nd_job_options *options, const nd_pair *pairs, uint64_t count,
                        uint64_t *most) {
    uint64_t cost = 0;
    *most = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t once = options->method_options.score->preparation * pairs[i].a_tokens;
        cost += (uint64_t)pairs[i].a_tokens + pairs[i].b_tokens +
                (i == 0 || pairs[i].a != pairs[i - 1].a ? once : 0);
        *most = once > *most ? once : *most;
    }
    return cost;
}

/* Rank after rank, the shares are all pairs in the order of their items, whatever the ranks; no
 * share costs more than the part that a rank should have, one pair, and a page that two ranks
 * prepare. */
static bool dealt_right(const nd_scoring *s, const pair_list *list) {
    const nd_comm *comm = &s->job->comm;
    uint64_t total = 0;
    uint64_t once = 0;
    nd_buffer scratch = {0};
    const uint8_t *bytes = NULL;
    nd_pair *sorted = nd_mpi_test_new(list->count, sizeof *sorted);
    nd_pair *dealt = nd_mpi_test_gather_spool(comm, &s->dealt, sizeof *dealt, &total);
    memcpy(sorted, list->pairs, list->count * sizeof *sorted);
    nd_sort(sorted, list->count, sizeof *sorted, by_item_then_pages);
    bool right = ND_CHECK_ALL(comm, total == list->count &&
                                        memcmp(sorted, dealt, total * sizeof *dealt) == 0);
    CU_ASSERT_EQUAL(nd_spool_read(&s->dealt, 0, s->dealt.size, &scratch, &bytes), ND_OK);
    const nd_pair *own = (const nd_pair *)(const void *)bytes;
    const uint64_t cost = cost_of(&s->job->options, own, s->dealt_count, &once);
    const uint64_t all = cost_of(&s->job->options, sorted, list->count, &once);
    right = ND_CHECK_ALL(comm, s->dealt_count * sizeof(nd_pair) == s->dealt.size) && right;
    right = ND_CHECK_ALL(comm, cost == s->cost_total) && right;
    right =
        ND_CHECK_ALL(comm, cost <= all / (uint64_t)comm->size + list->most + 2 * once + 1) && right;
    nd_buffer_free(&scratch);
    free(sorted);
    free(dealt);
    return right;
}

static bool links_right(const nd_comm *comm, const nd_world *w, const nd_job_options *options,
                        const pair_list *list, bool keep_all, const nd_spool *links) {
    uint64_t total = 0;
    uint64_t count = 0;
    nd_link *expected = nd_mpi_test_new(list->count, sizeof *expected);
    nd_link *found = nd_mpi_test_gather_spool(comm, links, sizeof *found, &total);
    for (uint64_t i = 0; i < list->count; i++) {
        const uint64_t a = list->pairs[i].a;
        const uint64_t b = list->pairs[i].b;
        if (keep_all || w->similarity[a][b] >= nd_world_threshold(w, options, a, b)) {
            const double left = w->similarity[a][b];
            expected[count++] =
                (nd_link){a, b, keep_all ? nd_slow_names_member(w->score[a][b], left) : left};
        }
    }
    nd_sort(expected, count, sizeof *expected, by_pages);
    nd_sort(found, total, sizeof *found, by_pages);
    const bool right =
        ND_CHECK_ALL(comm, total == count && memcmp(expected, found, count * sizeof *found) == 0);
    free(expected);
    free(found);
    return right;
}

/* Deal, look at what was dealt, and compare batch by batch. */
static bool score(const nd_world *w, const nd_job_options *options, const pair_list *list,
                  bool keep_all, nd_random *random) {
    nd_job job;
    nd_scoring s;
    nd_spool links;
    nd_spool_reader reader;
    uint64_t link_count = 0;
    uint64_t batches = 0;
    bool more = true;
    nd_mpi_test_job_open(&job, options, &w->all, random);
    nd_spool_open(&links, &job.folder, options->memory.spool);
    nd_spool share = give_pairs(&job, list, random, nd_random_below(random, 3) == 0);
    nd_scoring_open(&s, &job, keep_all, &links, &link_count);
    nd_spool_reader_open(&reader, &share, sizeof(nd_pair), 0, share.size / sizeof(nd_pair), 0);
    bool right =
        ND_CHECK_ALL(&job.comm, nd_scoring_deal(&s, nd_shuffle_from_spool, &reader) == ND_OK);
    right = right && dealt_right(&s, list);
    while (right && more) {
        const uint64_t before = s.done;
        right = ND_CHECK_ALL(&job.comm, nd_scoring_batch(&s, &more) == ND_OK);
        right =
            ND_CHECK_ALL(&job.comm, !more || s.done > before || s.done == s.dealt_count) && right;
        batches += more;
    }
    right = ND_CHECK_ALL(&job.comm, s.done == s.dealt_count && s.cost_done.total == s.cost_total) &&
            right;
    right = ND_CHECK_ALL(&job.comm, link_count * sizeof(nd_link) == links.size) && right;
    right = right && links_right(&job.comm, w, options, list, keep_all, &links);
    /* with room for no more than a pair, each is a batch */
    right = ND_CHECK_ALL(&job.comm, options->memory.batch > 1 || batches >= s.dealt_count) && right;
    nd_spool_reader_close(&reader);
    nd_scoring_close(&s);
    nd_spool_close(&share);
    nd_spool_close(&links);
    nd_run_close(&job);
    return right;
}

/* The same in one call, which takes the pairs away. */
static bool score_at_once(const nd_world *w, const nd_job_options *options, const pair_list *list,
                          bool keep_all, nd_random *random) {
    nd_job job;
    nd_spool links;
    uint64_t link_count = 0;
    nd_mpi_test_job_open(&job, options, &w->all, random);
    nd_spool_open(&links, &job.folder, options->memory.spool);
    nd_spool pairs = give_pairs(&job, list, random, false);
    bool right = ND_CHECK_ALL(&job.comm,
                              nd_score_pairs(&job, &pairs, keep_all, &links, &link_count) == ND_OK);
    right = ND_CHECK_ALL(&job.comm, pairs.size == 0) && right;
    right = right && links_right(&job.comm, w, options, list, keep_all, &links);
    nd_spool_close(&pairs);
    nd_spool_close(&links);
    nd_run_close(&job);
    return right;
}

/* ---- the tests */

static void test_random_pairs(void) {
    static const uint64_t shares[] = {16, 1, 8, 0};
    static const uint64_t items[] = {1, 7, 1000};
    static const uint64_t memories[] = {100000, 1, 4096};
    nd_random random = nd_mpi_test_random("pairs");
    nd_job_options options = nd_mpi_test_job_options();
    static nd_world w;
    w = (nd_world){.link_count = 0};
    nd_world_draw(&w, &random);
    nd_world_compare(&w, &options);
    bool right = true;
    for (int r = 0; r < nd_test_rounds(12) && right; r++) {
        const uint64_t i = nd_test_case(&random, r, 12);
        const uint64_t memory = memories[i % 3];
        pair_list list = draw_pairs(&w, &random, memory == 1 ? 1 : shares[i % 4], items[i / 4]);
        options.memory = nd_mpi_test_memory(memory);
        options.memory.round = 2000;
        right = score(&w, &options, &list, i % 2 == 0, &random) &&
                score_at_once(&w, &options, &list, i % 2 == 1, &random);
        free(list.pairs);
    }
    nd_world_free(&w);
}

/* One pair costs more than all others: it is somebody's, and the others are dealt around it. */
static void test_one_dear_pair(void) {
    nd_random random = nd_mpi_test_random("dear pair");
    const nd_job_options options = nd_mpi_test_job_options();
    static nd_world w;
    w = (nd_world){.link_count = 0};
    nd_world_draw(&w, &random);
    nd_world_compare(&w, &options);
    pair_list list = draw_pairs(&w, &random, 4, 50);
    nd_pair *dear = &list.pairs[list.count / 2];
    const uint64_t more = 3 * list.cost;
    dear->b_tokens += (uint32_t)more;
    list.cost += more;
    list.most = (uint64_t)dear->a_tokens + dear->b_tokens;
    (void)score(&w, &options, &list, true, &random);
    free(list.pairs);
    nd_world_free(&w);
}

static const nd_test tests[] = {
    {"random pairs", test_random_pairs},
    {"one dear pair", test_one_dear_pair},
};

ND_SUITE(m_score_pairs, tests)
