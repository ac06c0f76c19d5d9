/* Groups, runs and candidate pairs against one process that holds all postings. */
#include "mpi/comm/groups.h"
#include "src/base/sort.h"
#include "src/sets/candidates.h"
#include "src/sets/forest.h"
#include "tests/support/mpi_check.h"

#include <stdlib.h>
#include <string.h>

/* Less than a sort takes at least. */
enum { MEMORY = 1 };

typedef struct value_pair {
    uint64_t shorter;
    uint64_t longer;
    uint64_t common; /* 1: of a key of more than 8 pages */
} value_pair;

/* All postings, the same on every rank, and the pairs that they should give. */
typedef struct world {
    nd_key_value *postings;
    uint64_t count;
    uint64_t pages;
    uint64_t all_pairs; /* groups up to this size: all pairs */
    value_pair *pairs;  /* sorted */
    uint64_t pair_count;
} world;

/* ---- the reference */

static int by_key_value(const void *a, const void *b) {
    const nd_key_value *x = a;
    const nd_key_value *y = b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    return (x->value > y->value) - (x->value < y->value);
}

static int by_pair(const void *a, const void *b) {
    const value_pair *x = a;
    const value_pair *y = b;
    if (x->shorter != y->shorter) {
        return x->shorter < y->shorter ? -1 : 1;
    }
    if (x->longer != y->longer) {
        return x->longer < y->longer ? -1 : 1;
    }
    return (x->common > y->common) - (x->common < y->common);
}

/* Sorted by key, then length and page; a page that got a key twice is there once. */
static uint64_t sort_distinct(nd_key_value *postings, uint64_t count) {
    uint64_t kept = 0;
    nd_sort(postings, count, sizeof *postings, by_key_value);
    for (uint64_t i = 0; i < count; i++) {
        if (kept == 0 || by_key_value(&postings[kept - 1], &postings[i]) != 0) {
            postings[kept++] = postings[i];
        }
    }
    return kept;
}

/* As the header says: all pairs up to 16 members, or as many as were asked for, the 8 next ones
 * beyond. */
static void list_pairs(world *w) {
    nd_key_value *sorted = nd_mpi_test_new(w->count, sizeof *sorted);
    memcpy(sorted, w->postings, w->count * sizeof *sorted);
    const uint64_t count = sort_distinct(sorted, w->count);
    const uint64_t most = w->all_pairs > 8 ? w->all_pairs : 8; /* partners of a page */
    w->pairs = nd_mpi_test_new(count * most, sizeof *w->pairs);
    uint64_t end = 0;
    for (uint64_t begin = 0; begin < count; begin = end) {
        for (end = begin; end < count && sorted[end].key == sorted[begin].key; end++) {
        }
        const uint64_t reach = end - begin <= w->all_pairs ? end - begin : 8;
        for (uint64_t i = begin; i < end; i++) {
            for (uint64_t k = i + 1; k < end && k <= i + reach; k++) {
                w->pairs[w->pair_count++] =
                    (value_pair){sorted[i].value, sorted[k].value, end - begin > 8};
            }
        }
    }
    free(sorted);
    nd_sort(w->pairs, w->pair_count, sizeof *w->pairs, by_pair);
}

/* ---- worlds */

/* A page has one length, whatever keys it gets. */
static uint64_t value_of(uint64_t page) {
    return nd_posting_value(page, nd_mix64(page) % 500);
}

/* `keys` groups of 1 .. most pages, a tenth of the postings twice. */
static world draw_world(nd_random *random, uint64_t keys, uint64_t most, uint64_t pages,
                        uint64_t all_pairs) {
    world w = {.pages = pages, .all_pairs = all_pairs};
    w.postings = nd_mpi_test_new(keys * most * 2, sizeof *w.postings);
    for (uint64_t k = 0; k < keys; k++) {
        const uint64_t key = nd_random_next(random);
        const uint64_t members = 1 + nd_random_below(random, most);
        for (uint64_t i = 0; i < members; i++) {
            const nd_key_value posting = {key, value_of(nd_random_below(random, pages))};
            const uint64_t times = nd_random_below(random, 10) == 0 ? 2 : 1;
            for (uint64_t t = 0; t < times; t++) {
                w.postings[w.count++] = posting;
            }
        }
    }
    list_pairs(&w);
    return w;
}

/* One key that every page has: `count` members exactly. */
static world one_group(uint64_t key, uint64_t count) {
    world w = {.pages = count, .all_pairs = 16};
    w.postings = nd_mpi_test_new(count, sizeof *w.postings);
    for (; w.count < count; w.count++) {
        w.postings[w.count] = (nd_key_value){key, value_of(w.count)};
    }
    list_pairs(&w);
    return w;
}

static void free_world(world *w) {
    free(w->postings);
    free(w->pairs);
}

/* ---- the comparison */

static nd_key_value *draw_share(const world *w, nd_random *random, const nd_comm *comm,
                                uint64_t *count) {
    nd_key_value *share = nd_mpi_test_new(w->count, sizeof *share);
    *count = 0;
    for (uint64_t i = 0; i < w->count; i++) {
        if (nd_random_below(random, (uint64_t)comm->size) == (uint64_t)comm->rank) {
            share[(*count)++] = w->postings[i];
        }
    }
    return share;
}

/* This rank's candidates, `room` at a time. */
static value_pair *take_pairs(nd_groups *groups, uint64_t room, uint64_t most, uint64_t *count) {
    nd_candidate *batch = nd_mpi_test_new(room, sizeof *batch);
    value_pair *pairs = nd_mpi_test_new(most + 1, sizeof *pairs);
    uint64_t written = 1;
    bool fits = true;
    *count = 0;
    while (fits && written > 0) {
        fits = nd_groups_next(groups, batch, room, &written) == ND_OK && written <= room &&
               *count + written <= most;
        for (uint64_t i = 0; fits && i < written; i++) {
            pairs[(*count)++] = (value_pair){batch[i].shorter, batch[i].longer,
                                             (batch[i].item & ND_CANDIDATE_COMMON) != 0};
        }
    }
    free(batch);
    CU_ASSERT(fits);
    return pairs;
}

static bool pairs_are_right(nd_comm *comm, const world *w, nd_groups *groups, uint64_t room) {
    uint64_t count = 0;
    uint64_t total = 0;
    value_pair *pairs = take_pairs(groups, room, w->pair_count, &count);
    value_pair *all = nd_mpi_test_gather(comm, pairs, count, sizeof *pairs, &total);
    nd_sort(all, total, sizeof *all, by_pair);
    const bool right = ND_CHECK_ALL(comm, total == w->pair_count &&
                                              memcmp(all, w->pairs, total * sizeof *all) == 0);
    free(pairs);
    free(all);
    return right;
}

/* The chain of links joins what shares a key, and nothing else. */
static bool chain_is_right(const nd_comm *comm, const world *w, nd_groups *groups) {
    nd_spool links;
    uint64_t count = 0;
    uint64_t total = 0;
    nd_spool_open(&links, groups->folder, MEMORY);
    bool right = ND_CHECK_ALL(comm, nd_groups_chain(groups, &links, &count) == ND_OK);
    right = ND_CHECK_ALL(comm, count * sizeof(nd_link) == links.size) && right;
    nd_link *all = nd_mpi_test_gather_spool(comm, &links, sizeof *all, &total);
    uint64_t *by_links = nd_mpi_test_new(w->pages, sizeof *by_links);
    uint64_t *by_keys = nd_mpi_test_new(w->pages, sizeof *by_keys);
    bool ordered = true, rare = true;
    nd_union_find_init(by_links, w->pages);
    nd_union_find_init(by_keys, w->pages);
    for (uint64_t i = 0; i < total; i++) {
        ordered = ordered && all[i].a < all[i].b;
        rare = rare && all[i].similarity > 0 && all[i].similarity <= 0.5; /* of two and more */
        (void)nd_union_find_join(by_links, all[i].a, all[i].b);
    }
    for (uint64_t i = 0; i < w->pair_count; i++) {
        (void)nd_union_find_join(by_keys, nd_posting_page(w->pairs[i].shorter),
                                 nd_posting_page(w->pairs[i].longer));
    }
    bool same = true;
    for (uint64_t i = 0; i < w->pages; i++) {
        same = same && nd_union_find_root(by_links, i) == nd_union_find_root(by_keys, i);
    }
    right = ND_CHECK_ALL(comm, ordered && rare && same) && right;
    nd_spool_close(&links);
    free(all);
    free(by_links);
    free(by_keys);
    return right;
}

/* Everything a rank's groups need, and postings that are given some at a time. */
typedef struct grouping {
    nd_spool_folder folder;
    nd_groups groups;
    nd_key_value *postings;
    uint64_t count;
    uint64_t given;
} grouping;

static nd_status next_postings(void *context, void *records, uint64_t room, uint64_t *count) {
    grouping *g = context;
    const uint64_t left = g->count - g->given;
    *count = left < room ? left : room;
    if (*count > 0) {
        memcpy(records, g->postings + g->given, *count * sizeof *g->postings);
    }
    g->given += *count;
    return ND_OK;
}

/* Collective. Make groups of the postings of so many pages. */
static bool build(nd_comm *comm, grouping *g, uint64_t pages, uint64_t all_pairs) {
    uint64_t *first = nd_mpi_test_new((uint64_t)comm->size + 1, sizeof *first);
    for (int r = 0; r <= comm->size; r++) {
        first[r] = nd_comm_share_begin(pages, r, comm->size);
    }
    g->folder = (nd_spool_folder){.path = nd_test_folder(), .rank = comm->rank};
    g->given = 0;
    nd_groups_open(&g->groups, &g->folder, MEMORY);
    if (all_pairs != ND_GROUP_ALL_PAIRS) {
        g->groups.all_pairs = all_pairs;
    }
    const bool made =
        ND_CHECK_ALL(comm, nd_groups_collect(comm, &g->groups, next_postings, g) == ND_OK) &&
        ND_CHECK_ALL(comm, nd_groups_cut(comm, &g->groups, first) == ND_OK);
    free(first);
    return made;
}

/* Groups are read once: to chain, then, built anew, to pair. */
static bool check_world(world w, nd_random *random, uint64_t room) {
    nd_comm *comm = nd_mpi_test_comm();
    const uint64_t round_bytes = comm->round_bytes;
    grouping g;
    comm->round_bytes = nd_random_below(random, 2) == 0 ? 4096 : round_bytes;
    g.postings = draw_share(&w, random, comm, &g.count);
    bool right = build(comm, &g, w.pages, w.all_pairs) && chain_is_right(comm, &w, &g.groups);
    nd_groups_close(&g.groups);
    right = right && build(comm, &g, w.pages, w.all_pairs) &&
            pairs_are_right(comm, &w, &g.groups, room);
    nd_groups_close(&g.groups);
    comm->round_bytes = round_bytes;
    free(g.postings);
    free_world(&w);
    return right;
}

/* ---- the tests */

static void test_random_groups(void) {
    static const uint64_t mosts[] = {1, 2, 16, 17, 60};
    static const uint64_t all_pairs[] = {16, 2, 40};
    nd_random random = nd_mpi_test_random("groups");
    bool right = true;
    for (int r = 0; r < nd_test_rounds(30) && right; r++) {
        const uint64_t i = nd_test_case(&random, r, 30);
        const uint64_t keys = nd_random_below(&random, 60);
        const uint64_t all = all_pairs[i % 3];
        const uint64_t least = all > ND_GROUP_ALL_PAIRS ? all : ND_GROUP_ALL_PAIRS;
        const uint64_t room = least + nd_random_below(&random, 40);
        right =
            check_world(draw_world(&random, keys, mosts[i % 5], 1 + i * 20, all), &random, room);
    }
}

/* Around the sizes where the rule changes: all pairs or neighbours, one run or more. */
static void test_sizes_of_one_group(void) {
    static const uint64_t counts[] = {0,
                                      1,
                                      2,
                                      ND_GROUP_NEIGHBOURS,
                                      ND_GROUP_NEIGHBOURS + 1,
                                      ND_GROUP_ALL_PAIRS,
                                      ND_GROUP_ALL_PAIRS + 1,
                                      ND_GROUP_RUN,
                                      ND_GROUP_RUN + 1,
                                      ND_GROUP_RUN + ND_GROUP_NEIGHBOURS,
                                      2 * ND_GROUP_RUN + 1,
                                      3 * ND_GROUP_RUN - 1};
    enum { COUNTS = sizeof counts / sizeof counts[0] };
    nd_random random = nd_mpi_test_random("one group");
    bool right = true;
    for (int r = 0; r < nd_test_rounds(COUNTS) && right; r++) {
        const uint64_t i = nd_test_case(&random, r, COUNTS);
        right =
            check_world(one_group(nd_random_next(&random), counts[i]), &random, ND_GROUP_ALL_PAIRS);
    }
}

/* Big groups among small ones, and a page that is in many. */
static void test_big_and_small_groups(void) {
    nd_random random = nd_mpi_test_random("big and small");
    world w = draw_world(&random, 5, 9000, 12000, 16);
    (void)check_world(w, &random, 1000);
}

/* The runs of big groups are work of all ranks: each has between half and twice its share. */
static void test_big_group_is_spread(void) {
    nd_comm *comm = nd_mpi_test_comm();
    enum { RUNS = 60 };
    uint64_t members = 0;
    for (uint64_t key = 0; key < (uint64_t)nd_test_rounds(4); key++) {
        grouping g = {.postings = nd_mpi_test_new(RUNS * ND_GROUP_RUN, sizeof *g.postings)};
        for (uint64_t i = (uint64_t)comm->rank; i < RUNS * ND_GROUP_RUN;
             i += (uint64_t)comm->size) {
            g.postings[g.count++] = (nd_key_value){key, value_of(i)};
        }
        (void)build(comm, &g, RUNS * ND_GROUP_RUN, ND_GROUP_ALL_PAIRS);
        members += nd_external_sort_count(&g.groups.members);
        nd_groups_close(&g.groups);
        free(g.postings);
    }
    const uint64_t share = (uint64_t)nd_test_rounds(4) * RUNS * ND_GROUP_RUN / (uint64_t)comm->size;
    ND_CHECK_ALL(comm, comm->size == 1 || (members > share / 2 && members < 2 * share));
}

/* Pages that share all of their keys are worked on at one place, whatever the keys: the finds of a
 * family's pairs follow one another on one rank, at a page of the family and of the rank. */
static void test_families_stay_together(void) {
    nd_comm *comm = nd_mpi_test_comm();
    enum { FAMILIES = 200, MEMBERS = 7, KEYS = 9, PAGES = FAMILIES * MEMBERS };
    enum { FINDS = KEYS * MEMBERS * (MEMBERS - 1) / 2, ALL = FAMILIES * FINDS };
    nd_random random = nd_mpi_test_random("families");
    grouping g = {.postings = nd_mpi_test_new(PAGES * KEYS, sizeof *g.postings)};
    nd_candidate *found = nd_mpi_test_new(ALL + ND_GROUP_ALL_PAIRS, sizeof *found);
    uint64_t count = 0;
    bool together = true;
    for (uint64_t f = 0; f < FAMILIES; f++) {
        for (uint64_t k = 0; k < KEYS; k++) {
            const uint64_t key = nd_random_next(&random);
            for (uint64_t i = 0; i < MEMBERS; i++) { /* far apart, and given by any rank */
                if ((f + k + i) % (uint64_t)comm->size == (uint64_t)comm->rank) {
                    g.postings[g.count++] = (nd_key_value){key, value_of(f + i * FAMILIES)};
                }
            }
        }
    }
    const uint64_t begin = nd_comm_share_begin(PAGES, comm->rank, comm->size);
    const uint64_t end = nd_comm_share_begin(PAGES, comm->rank + 1, comm->size);
    bool made = build(comm, &g, PAGES, ND_GROUP_ALL_PAIRS) &&
                nd_groups_next(&g.groups, found, ALL + ND_GROUP_ALL_PAIRS, &count) == ND_OK;
    for (uint64_t i = 0; made && i < count; i++) {
        const uint64_t item = found[i].item;
        together = together && item == found[i - i % FINDS].item && item >= begin && item < end &&
                   item % FAMILIES == nd_posting_page(found[i].shorter) % FAMILIES &&
                   item % FAMILIES == nd_posting_page(found[i].longer) % FAMILIES;
    }
    ND_CHECK_ALL(comm, made && together);
    ND_CHECK_ALL(comm, nd_comm_sum(comm, count) == ALL);
    nd_groups_close(&g.groups);
    free(g.postings);
    free(found);
}

static const nd_test tests[] = {
    {"random groups", test_random_groups},
    {"sizes of one group", test_sizes_of_one_group},
    {"big and small groups", test_big_and_small_groups},
    {"a big group is spread over the ranks", test_big_group_is_spread},
    {"families stay together", test_families_stay_together},
};

ND_SUITE(m_groups, tests)
