/* Pairs of pages: found, compared, counted. */
#include "mpi/run/run.h"
#include "mpi/stage/common_words.h"
#include "mpi/stage/compare.h"
#include "mpi/stage/member_certainty.h"
#include "mpi/stage/pair_labels.h"
#include "mpi/stage/stage.h"
#include "mpi/stage/stage_contain.h"
#include "mpi/stage/state.h"
#include "src/base/sort.h"
#include "src/sets/candidates.h"
#include "src/sketch/shingle.h"
#include "tests/support/mpi_check.h"
#include "tests/support/pages.h"
#include "tests/support/slow.h"

/* ---- Components without the guard, whose links and memberships do not fit in memory: a chain of
 * pages, and a star, through the whole stage. */

enum {
    PAGES_JOIN = 30000,
    LONGEST = 12345, /* the page with the most tokens */
    MEMORY = 64 << 10
};

/* Pages of three to five tokens, so that each is compared in no time. */
static nd_page_store make_pages(nd_random *random) {
    nd_page_store all = {0};
    for (uint64_t i = 0; i < PAGES_JOIN; i++) {
        uint32_t tokens[6];
        const uint32_t count = i == LONGEST ? 6 : 3 + (uint32_t)nd_random_below(random, 3);
        const nd_sentence_digest sentence = {.token_count = count};
        const nd_stored_page page = {
            .text_tokens = count, .token_count = count, .sentence_count = 1};
        for (uint32_t k = 0; k < count; k++) {
            tokens[k] = (uint32_t)nd_random_below(random, 4);
        }
        ND_TEST_OK(nd_page_store_append(&all, &page, tokens, &sentence, (nd_span){NULL, 0},
                                        (nd_span){NULL, 0}));
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
    options.slack = 0;
    options.memory = nd_mpi_test_memory(MEMORY);
    for (size_t i = 0; i < PAGES_JOIN; i++) {
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
ND_TEST("a chain") {
    nd_random random = nd_mpi_test_random("chain");
    ND_OWNED(nd_page_store_free) nd_page_store all = make_pages(&random);
    ND_FREED nd_link *links = nd_mpi_test_new(PAGES_JOIN, sizeof *links);
    ND_FREED uint64_t *order = nd_mpi_test_new(PAGES_JOIN, sizeof *order);
    ND_FREED nd_set_member *expected = nd_mpi_test_new(PAGES_JOIN, sizeof *expected);
    uint64_t longest = 0;
    for (uint64_t i = 0; i < PAGES_JOIN; i++) {
        const uint64_t at = nd_random_below(&random, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    for (uint64_t i = 0; i < PAGES_JOIN; i++) {
        longest = order[i] == LONGEST ? i : longest;
    }
    for (uint64_t i = 0; i + 1 < PAGES_JOIN; i++) {
        links[i] = link_of(order[i], order[i + 1], 0.5 + (double)nd_random_below(&random, 8) / 16);
    }
    for (uint64_t i = 0; i < PAGES_JOIN; i++) { /* toward the longest page */
        const uint64_t link = i < longest ? i : i - 1;
        const uint64_t next = i < longest ? i + 1 : i - 1;
        expected[order[i]] =
            i == longest ? (nd_set_member){.link = LONGEST, .link_similarity = 1}
                         : (nd_set_member){.link = order[next],
                                           .link_similarity = (float)links[link].similarity};
    }
    (void)check_component(&all, links, PAGES_JOIN - 1, expected, &random);
}

/* All pages are similar to the last one, which is not the longest; and every tenth to the next,
 * less so: those links are not the tree's. */
ND_TEST("a star") {
    nd_random random = nd_mpi_test_random("star");
    const uint64_t middle = PAGES_JOIN - 1;
    ND_OWNED(nd_page_store_free) nd_page_store all = make_pages(&random);
    ND_FREED nd_link *links = nd_mpi_test_new(2 * PAGES_JOIN, sizeof *links);
    ND_FREED nd_set_member *expected = nd_mpi_test_new(PAGES_JOIN, sizeof *expected);
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
}

/* ---- Pairs are dealt by cost, in the order of their items, and compared: against one process that
 * knows all similarities. */

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

ND_TEST_ORDER_OF(by_item_then_pages, nd_pair, item, a, b)

ND_TEST_ORDER_OF(by_pages, nd_link, a, b, b)

/* ---- one job */

/* Give this rank's share: drawn, or all to rank 0. */
static nd_spool give_pairs(nd_job *job, const pair_list *list, nd_random *random, bool to_first) {
    nd_spool share;
    nd_spool_open(&share, &job->folder, job->options.memory.spool);
    for (uint64_t i = 0; i < list->count; i++) {
        const uint64_t to = to_first ? 0 : nd_random_below(random, (uint64_t)job->comm.size);
        if (to == (uint64_t)job->comm.rank) {
            ND_TEST_OK(nd_spool_append(&share, &list->pairs[i], sizeof(nd_pair)));
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
    ND_OWNED(nd_buffer_free) nd_buffer scratch = {0};
    const uint8_t *bytes = NULL;
    ND_FREED nd_pair *sorted = nd_mpi_test_new(list->count, sizeof *sorted);
    ND_FREED nd_pair *dealt = nd_mpi_test_gather_spool(comm, &s->dealt, sizeof *dealt, &total);
    memcpy(sorted, list->pairs, list->count * sizeof *sorted);
    nd_sort(sorted, list->count, sizeof *sorted, by_item_then_pages);
    bool right = ND_CHECK_ALL(comm, total == list->count &&
                                        memcmp(sorted, dealt, total * sizeof *dealt) == 0);
    ND_TEST_OK(nd_spool_read(&s->dealt, 0, s->dealt.size, &scratch, &bytes));
    const nd_pair *own = (const nd_pair *)(const void *)bytes;
    const uint64_t cost = cost_of(&s->job->options, own, s->dealt_count, &once);
    const uint64_t all = cost_of(&s->job->options, sorted, list->count, &once);
    right = ND_CHECK_ALL(comm, s->dealt_count * sizeof(nd_pair) == s->dealt.size) && right;
    right = ND_CHECK_ALL(comm, cost == s->cost_total) && right;
    const double part = nd_comm_part(comm, comm->rank);
    right = ND_CHECK_ALL(comm, (double)cost <= (double)all * part + (double)list->most +
                                                   2 * (double)once + 2) &&
            right;
    return right;
}

static bool links_right(const nd_comm *comm, const nd_world *w, const nd_job_options *options,
                        const pair_list *list, bool keep_all, const nd_spool *links) {
    uint64_t total = 0;
    uint64_t count = 0;
    ND_FREED nd_link *expected = nd_mpi_test_new(list->count, sizeof *expected);
    ND_FREED nd_link *found = nd_mpi_test_gather_spool(comm, links, sizeof *found, &total);
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
    return right;
}

/* As if each rank had a node of its own. */
static void pack_payloads(nd_job *job) {
    ND_FREED bool *packs = nd_mpi_test_new((uint64_t)job->comm.size, sizeof *packs);
    for (int r = 0; r < job->comm.size; r++) {
        packs[r] = r != job->comm.rank;
    }
    ND_CHECK_ALL(&job->comm, nd_common_words_find(job, packs) == ND_OK);
}

/* Deal, look at what was dealt, and compare batch by batch. Some ranks are said to be slower than
 * others, and are found to be otherwise. */
static bool score(const nd_world *w, const nd_job_options *options, const pair_list *list,
                  bool keep_all, nd_random *random) {
    nd_job job;
    nd_scoring s;
    nd_spool links;
    nd_spool_reader reader;
    uint64_t link_count = 0;
    uint64_t batches = 0;
    bool more = true;
    const uint64_t slow = nd_random_below(random, 3);
    nd_mpi_test_job_open(&job, options, &w->all, random);
    if (nd_random_below(random, 2) == 0) {
        pack_payloads(&job);
    }
    nd_spool_open(&links, &job.folder, options->memory.spool);
    nd_spool share = give_pairs(&job, list, random, nd_random_below(random, 3) == 0);
    (void)nd_comm_pace(&job.comm, 1 + (double)(((uint64_t)job.comm.rank + slow) % 3));
    nd_scoring_open(&s, &job, keep_all, &links, &link_count);
    nd_spool_reader_open(&reader, &share, sizeof(nd_pair), 0, share.size / sizeof(nd_pair), 0);
    bool right =
        ND_CHECK_ALL(&job.comm, nd_scoring_deal(&s, NULL, nd_shuffle_from_spool, &reader) == ND_OK);
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

ND_TEST("random pairs") {
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

/* ---- Labels: against one process that looks at all pairs. */

/* Each page gets the smallest label of those that it is in a pair with. */
static void slow_spread(const pair_list *list, uint64_t *labels) {
    uint64_t before[ND_WORLD_PAGES];
    memcpy(before, labels, sizeof before);
    for (uint64_t i = 0; i < list->count; i++) {
        const uint64_t a = list->pairs[i].a;
        const uint64_t b = list->pairs[i].b;
        const uint64_t label = nd_min(before[a], before[b]);
        labels[a] = nd_min(labels[a], label);
        labels[b] = nd_min(labels[b], label);
    }
}

/* The labels are those, and so are the items by which pairs are dealt. */
static bool check_labels(const nd_world *w, const nd_job_options *options, pair_list *list,
                         nd_random *random) {
    nd_job job;
    nd_scoring s;
    nd_spool links;
    nd_spool_reader reader;
    uint64_t link_count = 0;
    uint64_t expected[ND_WORLD_PAGES];
    ND_FREED uint64_t *labels = NULL;
    nd_mpi_test_job_open(&job, options, &w->all, random);
    nd_spool_open(&links, &job.folder, options->memory.spool);
    nd_spool share = give_pairs(&job, list, random, nd_random_below(random, 3) == 0);
    for (uint64_t i = 0; i < ND_WORLD_PAGES; i++) {
        expected[i] = i;
    }
    slow_spread(list, expected);
    slow_spread(list, expected);
    bool right = ND_CHECK_ALL(&job.comm, nd_pair_labels(&job, &share, &labels) == ND_OK);
    const size_t own = job.state->pages.count;
    right = right && ND_CHECK_ALL(&job.comm, memcmp(labels, expected + nd_job_own_first(&job),
                                                    own * sizeof *labels) == 0);
    for (uint64_t i = 0; i < list->count; i++) {
        nd_pair *pair = &list->pairs[i];
        pair->item = nd_mix64(nd_min(expected[pair->a], expected[pair->b])) % w->all.count;
    }
    nd_scoring_open(&s, &job, false, &links, &link_count);
    nd_spool_reader_open(&reader, &share, sizeof(nd_pair), 0, share.size / sizeof(nd_pair), 0);
    right = right && ND_CHECK_ALL(&job.comm, nd_scoring_deal(&s, labels, nd_shuffle_from_spool,
                                                             &reader) == ND_OK);
    right = right && dealt_right(&s, list);
    nd_spool_reader_close(&reader);
    nd_scoring_close(&s);
    nd_spool_close(&share);
    nd_spool_close(&links);
    nd_run_close(&job);
    return right;
}

ND_TEST("labels of pairs") {
    nd_random random = nd_mpi_test_random("labels");
    nd_job_options options = nd_mpi_test_job_options();
    static nd_world w;
    w = (nd_world){.link_count = 0};
    nd_world_draw(&w, &random);
    bool right = true;
    for (int r = 0; r < nd_test_rounds(12) && right; r++) {
        const uint64_t i = nd_test_case(&random, r, 12);
        pair_list list = {.pairs =
                              nd_mpi_test_new(ND_WORLD_PAGES * ND_WORLD_PAGES, sizeof *list.pairs)};
        const uint64_t chance = 1 + i % 4 * 3; /* of hundreds: from hardly any to one story */
        for (uint64_t a = 0; a < w.all.count; a++) {
            for (uint64_t b = a + 1; b < w.all.count && i > 0; b++) {
                if (nd_random_below(&random, 400) < chance) {
                    add_pair(&list, &w, 0, a, b);
                }
            }
        }
        options.memory = nd_mpi_test_memory(i % 3 == 0 ? 100000 : 4096);
        options.memory.round = 2000;
        right = check_labels(&w, &options, &list, &random);
        free(list.pairs);
    }
    nd_world_free(&w);
}

/* One pair costs more than all others: it is somebody's, and the others are dealt around it. */
ND_TEST("one dear pair") {
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

/* ---- Hits of pages that may be contained in others, also where keys are of more pages than are
 * looked at: against one process that holds all pages and counts their keys. */

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
        right = index < job->state->pages.count && hit->asked == v->asked[hit->page] &&
                hit->tokens == job->state->pages.pages[index].token_count;
        found[hit->page][nd_posting_page(hit->container)]++;
    }
    for (uint64_t i = 0; right && i < job->state->pages.count; i++) {
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
    job.state->members = nd_mpi_test_new(job.state->pages.count, sizeof *job.state->members);
    for (uint64_t i = 0; i < job.state->pages.count; i++) {
        job.state->members[i].set = (nd_job_own_first(&job) + i) / 2 * 2;
    }
    bool right =
        ND_CHECK_ALL(&job.comm, nd_contained_hits(&job, most_held, &hits, &passed) == ND_OK);
    right = right && ND_CHECK_ALL(&job.comm, same_hits(&job, &hits, &v));
    right = ND_CHECK_ALL(&job.comm, passed == v.passed) && right;
    nd_external_sort_close(&hits);
    nd_run_close(&job);
    return right;
}

ND_TEST("keys of more pages than are looked at") {
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

/* ---- Names in each page's set, texts of its site: on any number of ranks what counting by hand
 * gives, for many sites and for one, for sets of one page and for one set of all. */

enum { PAGES_TEXT_COUNTS = 400 };

/* All pages, the same on every rank. */
typedef struct drawn {
    uint64_t site[PAGES_TEXT_COUNTS], set[PAGES_TEXT_COUNTS], first[PAGES_TEXT_COUNTS];
    nd_address address[PAGES_TEXT_COUNTS];
} drawn;

/* Every page has a copy's share of `copies` in ten; sites and sets are drawn from as many. */
static void draw(drawn *d, uint64_t sites, uint64_t sets, uint64_t copies, nd_random *random) {
    uint64_t smallest[PAGES_TEXT_COUNTS];
    for (size_t i = 0; i < PAGES_TEXT_COUNTS; i++) {
        smallest[i] = UINT64_MAX;
    }
    for (size_t i = 0; i < PAGES_TEXT_COUNTS; i++) {
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
    for (size_t i = 0; i < PAGES_TEXT_COUNTS; i++) {
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
        for (size_t k = 0; k < PAGES_TEXT_COUNTS; k++) {
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
    ND_OWNED(nd_page_store_free) nd_page_store all = {0};
    ND_FREED drawn *d = nd_mpi_test_new(1, sizeof *d);
    ND_FREED nd_text_count *counts = NULL;
    draw(d, sites, sets, copies, random);
    for (size_t i = 0; i < PAGES_TEXT_COUNTS; i++) {
        const nd_stored_page page = {.site = d->site[i]};
        ND_TEST_OK(nd_page_store_append(&all, &page, NULL, NULL, (nd_span){0}, (nd_span){0}));
    }
    nd_mpi_test_job_open(&job, &options, &all, random);
    const uint64_t own = nd_job_own_first(&job);
    job.state->members = nd_mpi_test_new(job.state->pages.count, sizeof *job.state->members);
    for (size_t i = 0; i < job.state->pages.count; i++) {
        job.state->members[i].set = d->set[own + i];
        job.state->exact_of[i] = d->first[own + i];
    }
    bool right = nd_text_counts(&job, &d->address[own], &counts) == ND_OK;
    for (size_t i = 0; i < job.state->pages.count; i++) {
        const nd_text_count expected = by_hand(d, own + i);
        right = right && counts[i].names == expected.names && counts[i].sites == expected.sites &&
                counts[i].of_site == expected.of_site && counts[i].crowded == expected.crowded;
    }
    (void)ND_CHECK_ALL(&job.comm, right);
    nd_run_close(&job);
}

ND_TEST("as by hand") {
    nd_random random = nd_mpi_test_random("counts");
    check(20, 100, 2, &random);
    check(PAGES_TEXT_COUNTS, 100, 0, &random);
    check(3, PAGES_TEXT_COUNTS, 9, &random);
}

ND_TEST("one set, one site") {
    nd_random random = nd_mpi_test_random("one");
    check(1, 1, 3, &random); /* one set, and no site */
    check(2, 1, 0, &random);
    check(1, PAGES_TEXT_COUNTS, 0, &random);
}
