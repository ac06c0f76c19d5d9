/* Sets and templates against slow ones. */
#include "src/base/buffer.h"
#include "src/base/util.h"
#include "src/sets/candidates.h"
#include "src/sets/forest.h"
#include "src/sets/keep.h"
#include "src/sets/leaders.h"
#include "src/sets/template.h"
#include "tests/support/centroid_sets.h"
#include "tests/support/check.h"
#include "tests/support/slow.h"

/* ---- Union-find against painting: every item carries the number of its set. */

enum { MOST_ITEMS = 200 };

/* Paint the set of b with the smaller of the two colours: a colour is its set's smallest item. */
static bool paint_union_find(uint64_t *colour, size_t count, uint64_t a, uint64_t b) {
    const uint64_t x = colour[a];
    const uint64_t y = colour[b];
    const uint64_t from = x > y ? x : y;
    const uint64_t to = x > y ? y : x;
    for (size_t i = 0; i < count; i++) {
        colour[i] = colour[i] == from ? to : colour[i];
    }
    return x != y;
}

ND_TEST("against painting") {
    nd_random random = nd_test_random("union-find");
    for (int trial = 0; trial < 100; trial++) {
        uint64_t parent[MOST_ITEMS];
        uint64_t colour[MOST_ITEMS];
        const size_t count = 1 + (size_t)nd_random_below(&random, MOST_ITEMS);
        const uint64_t joins = nd_random_below(&random, 2 * count);
        nd_union_find_init(parent, count);
        for (size_t i = 0; i < count; i++) {
            colour[i] = i;
        }
        for (uint64_t k = 0; k < joins; k++) {
            const uint64_t a = nd_random_below(&random, count);
            const uint64_t b = nd_random_below(&random, count);
            CU_ASSERT_EQUAL(nd_union_find_join(parent, a, b),
                            paint_union_find(colour, count, a, b));
        }
        for (size_t i = 0; i < count; i++) {
            CU_ASSERT_EQUAL(nd_union_find_root(parent, i), colour[i]);
        }
    }
}

/* A long chain, joined from either end, comes out whole (and is no recursion). */
ND_TEST("a long chain") {
    enum { ITEMS = 1000000 };
    ND_FREED uint64_t *parent = nd_alloc(ITEMS * sizeof *parent, 1);
    nd_union_find_init(parent, ITEMS);
    for (uint64_t i = ITEMS - 1; i > 0; i--) {
        (void)nd_union_find_join(parent, i, i - 1);
    }
    CU_ASSERT_EQUAL(nd_union_find_root(parent, ITEMS - 1), 0);
    CU_ASSERT_EQUAL(nd_union_find_root(parent, ITEMS / 2), 0);
    CU_ASSERT_FALSE(nd_union_find_join(parent, 0, ITEMS - 1));
}

/* ---- The maximum spanning forest against its definition: all links in order of preference, each
 * kept if the links kept so far do not join its pages yet. */

static int by_preference_forest(const void *a, const void *b) {
    const nd_link *x = a;
    const nd_link *y = b;
    if (x->similarity != y->similarity) {
        return x->similarity > y->similarity ? -1 : 1;
    }
    if (x->a != y->a) {
        return x->a < y->a ? -1 : 1;
    }
    return (x->b > y->b) - (x->b < y->b);
}

/* Every page has the name of its tree; two trees that are joined get one name. */
static size_t reference_forest(const nd_link_graph *g, nd_link *kept) {
    uint64_t name[ND_GRAPH_PAGES];
    nd_link sorted[ND_GRAPH_LINKS];
    size_t count = 0;
    memcpy(name, g->pages, sizeof name);
    memcpy(sorted, g->links, g->count * sizeof *sorted);
    qsort(sorted, g->count, sizeof *sorted, by_preference_forest);
    for (size_t i = 0; i < g->count; i++) {
        uint64_t old = 0;
        uint64_t new = 0;
        for (size_t p = 0; p < g->page_count; p++) {
            old = g->pages[p] == sorted[i].a ? name[p] : old;
            new = g->pages[p] == sorted[i].b ? name[p] : new;
        }
        for (size_t p = 0; p < g->page_count; p++) {
            name[p] = name[p] == old ? new : name[p];
        }
        if (old != new) {
            kept[count++] = sorted[i];
        }
    }
    return count;
}

ND_TEST("random graphs") {
    static nd_link_graph g;
    static nd_link links[ND_GRAPH_LINKS];
    static nd_link expected[ND_GRAPH_LINKS];
    nd_random random = nd_test_random("forest");
    for (int trial = 0; trial < 3000; trial++) {
        size_t kept = 0;
        nd_random_link_graph(&random, &g);
        memcpy(links, g.links, sizeof links);
        const size_t count = reference_forest(&g, expected);
        nd_forest(g.pages, g.page_count, links, g.count, &kept);
        CU_ASSERT_EQUAL_FATAL(kept, count);
        CU_ASSERT_EQUAL_FATAL(memcmp(links, expected, count * sizeof *links), 0);
    }
}

/* ---- Cutting at a cap against its definition: links in order of preference, each joining the
 * names of its two sets if they fit under the cap together. */

enum { GRAPHS = 3000 };

static uint64_t place(const nd_link_graph *g, uint64_t page) {
    uint64_t i = 0;
    while (g->pages[i] != page) {
        i++;
    }
    return i;
}

static bool goes_before(const nd_link *x, const nd_link *y) {
    return x->similarity > y->similarity ||
           (x->similarity == y->similarity && (x->a < y->a || (x->a == y->a && x->b < y->b)));
}

/* The best link that has not been taken yet. */
static size_t next_link(const nd_link_graph *g, const bool *taken) {
    size_t best = g->count;
    for (size_t i = 0; i < g->count; i++) {
        if (!taken[i] && (best == g->count || goes_before(&g->links[i], &g->links[best]))) {
            best = i;
        }
    }
    return best;
}

static void reference_capped_union(const nd_link_graph *g, uint64_t cap, uint64_t *label) {
    bool taken[ND_GRAPH_LINKS] = {false};
    for (size_t i = 0; i < g->page_count; i++) {
        label[i] = i;
    }
    for (size_t k = 0; k < g->count; k++) {
        const size_t at = next_link(g, taken);
        const uint64_t x = label[place(g, g->links[at].a)], y = label[place(g, g->links[at].b)];
        const uint64_t smaller = x < y ? x : y;
        uint64_t members = 0;
        taken[at] = true;
        for (size_t i = 0; i < g->page_count; i++) {
            members += label[i] == x || label[i] == y;
        }
        for (size_t i = 0; i < g->page_count && members <= cap; i++) {
            label[i] = label[i] == x || label[i] == y ? smaller : label[i];
        }
    }
}

static int by_preference_capped_union(const void *a, const void *b) {
    return nd_link_compare(a, b);
}

ND_TEST("against its definition") {
    static nd_link_graph g;
    nd_random random = nd_test_random("capped union");
    size_t wrong = 0, joined = 0, apart = 0;
    for (int i = 0; i < GRAPHS; i++) {
        uint64_t expected[ND_GRAPH_PAGES], found[ND_GRAPH_PAGES];
        nd_random_link_graph(&random, &g);
        const uint64_t cap = 1 + nd_random_below(&random, 12);
        reference_capped_union(&g, cap, expected);
        qsort(g.links, g.count, sizeof *g.links, by_preference_capped_union);
        nd_capped_union(g.pages, g.page_count, g.links, g.count, cap, found);
        wrong += memcmp(found, expected, g.page_count * sizeof *found) != 0;
        joined += found[g.page_count - 1] != g.page_count - 1;
        apart += found[g.page_count - 1] == g.page_count - 1;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(joined > GRAPHS / 10 && apart > GRAPHS / 10); /* else the test says little */
}

/* ---- Orienting random trees against walking from every page to the root. */

static size_t place_of(const nd_random_tree *t, uint64_t page) {
    size_t i = 0;
    while (t->pages[i] != page) {
        i++;
    }
    return i;
}

/* The link that joins two pages; NULL if there is none. */
static const nd_link *link_between(const nd_random_tree *t, uint64_t x, uint64_t y) {
    for (size_t i = 0; i + 1 < t->count; i++) {
        const nd_link *link = &t->links[i];
        if ((link->a == x && link->b == y) || (link->a == y && link->b == x)) {
            return link;
        }
    }
    return NULL;
}

/* In a tree the way to the root is the only one: links to parents that lead there are right. */
static int leads_to_root(const nd_random_tree *t, const nd_parent *parents, size_t from,
                         uint64_t root) {
    size_t steps = 0;
    while (t->pages[from] != root && steps++ < t->count) {
        const nd_link *link = link_between(t, t->pages[from], parents[from].page);
        if (link == NULL || link->similarity != parents[from].similarity) {
            return 0;
        }
        from = place_of(t, parents[from].page);
    }
    return t->pages[from] == root;
}

ND_TEST("random trees") {
    static nd_random_tree t;
    nd_random random = nd_test_random("trees");
    for (int trial = 0; trial < 60; trial++) {
        nd_parent parents[ND_TREE_PAGES];
        nd_random_tree_draw(&random, 0, &t);
        const size_t root = (size_t)nd_random_below(&random, t.count);
        ND_TEST_OK(nd_tree_orient(t.pages, t.count, t.links, t.pages[root], parents));
        CU_ASSERT(parents[root].page == t.pages[root] && parents[root].similarity == 1);
        for (size_t i = 0; i < t.count; i++) {
            CU_ASSERT(leads_to_root(&t, parents, i, t.pages[root]));
        }
    }
}

/* A tree with one link led elsewhere: refused unless it is a tree by chance, as said by whether all
 * pages hang together. */
ND_TEST("broken trees") {
    static nd_random_tree t;
    nd_random random = nd_test_random("broken trees");
    for (int trial = 0; trial < 300; trial++) {
        nd_parent parents[ND_TREE_PAGES];
        uint64_t label[ND_TREE_PAGES];
        do {
            nd_random_tree_draw(&random, 0, &t);
        } while (t.count < 2 || t.count > 12);
        nd_link *link = &t.links[nd_random_below(&random, t.count - 1)];
        link->a = t.pages[nd_random_below(&random, t.count)];
        link->b = t.pages[nd_random_below(&random, t.count)];
        for (size_t i = 0; i < t.count; i++) {
            label[i] = i;
        }
        size_t parts = t.count;
        for (size_t i = 0; i + 1 < t.count; i++) { /* paint one part over with the other's label */
            const uint64_t from = label[place_of(&t, t.links[i].a)];
            const uint64_t to = label[place_of(&t, t.links[i].b)];
            parts -= from != to;
            for (size_t k = 0; k < t.count; k++) {
                label[k] = label[k] == from ? to : label[k];
            }
        }
        const nd_status st = nd_tree_orient(t.pages, t.count, t.links, t.pages[0], parents);
        CU_ASSERT_EQUAL(st, parts == 1 ? ND_OK : ND_ERR_INTERNAL);
    }
}

/* ---- Which pages of a tree open sets, against the rule to the letter: parts are painted, and
 * every page of a part is taken away in turn. And how often pages are compared on trees of any
 * kind. */

/* Pages by their places; which are similar is drawn. */
typedef struct scene {
    nd_random_tree tree;
    uint64_t tokens[ND_TREE_PAGES];
    uint64_t salt;
    uint64_t similar;            /* of 8 pairs so many are */
    size_t asked[ND_TREE_PAGES]; /* how often a page was compared with a leader */
} scene;

static double similarity(const scene *s, size_t x, size_t y) {
    const uint64_t pair = (x < y ? x : y) * ND_TREE_PAGES + (x < y ? y : x);
    const uint64_t drawn = nd_mix64(pair ^ s->salt);
    return drawn % 8 < s->similar ? (double)(1 + drawn / 8 % 100) / 100 : 0;
}

static void answer(void *context, size_t leader, size_t member, double *found) {
    scene *s = context;
    CU_ASSERT(leader != member && leader < s->tree.count && member < s->tree.count);
    s->asked[member]++;
    *found = similarity(s, leader, member);
}

/* ---- the reference */

/* Give all pages that hang together with page i over pages without a set the colour of i, without
 * page `without`. \return how many */
static size_t paint_centroids(const scene *s, const size_t *leaders, size_t i, size_t without,
                              size_t *colour) {
    size_t count = 1;
    size_t before = 0;
    for (size_t k = 0; k < s->tree.count; k++) {
        colour[k] = k == i;
    }
    while (before != count) {
        before = count;
        for (size_t k = 0; k + 1 < s->tree.count; k++) {
            size_t a = 0;
            size_t b = 0;
            while (s->tree.pages[a] != s->tree.links[k].a) {
                a++;
            }
            while (s->tree.pages[b] != s->tree.links[k].b) {
                b++;
            }
            if (colour[a] != colour[b] && a != without && b != without &&
                leaders[a] == ND_TREE_PAGES && leaders[b] == ND_TREE_PAGES) {
                colour[a] = colour[b] = 1;
                count++;
            }
        }
    }
    return count;
}

static bool is_middle(const scene *s, const size_t *leaders, const size_t *part, size_t count,
                      size_t page) {
    bool middle = true;
    for (size_t i = 0; i < s->tree.count && middle; i++) {
        size_t left[ND_TREE_PAGES];
        middle = !part[i] || i == page || 2 * paint_centroids(s, leaders, i, page, left) <= count;
    }
    return middle;
}

/* leaders[i]: ND_TREE_PAGES as long as it is in no set. */
static void reference_centroids(const scene *s, size_t *leaders) {
    for (size_t i = 0; i < s->tree.count; i++) {
        leaders[i] = ND_TREE_PAGES;
    }
    for (size_t i = 0; i < s->tree.count;) {
        size_t part[ND_TREE_PAGES];
        size_t leader = ND_TREE_PAGES;
        if (leaders[i] != ND_TREE_PAGES) {
            i++;
            continue;
        }
        const size_t count = paint_centroids(s, leaders, i, ND_TREE_PAGES, part);
        for (size_t k = 0; k < s->tree.count; k++) {
            if (part[k] && (leader == ND_TREE_PAGES || s->tokens[k] > s->tokens[leader]) &&
                is_middle(s, leaders, part, count, k)) {
                leader = k;
            }
        }
        size_t others[ND_TREE_PAGES]; /* as if what is not similar were in sets */
        size_t set[ND_TREE_PAGES];
        for (size_t k = 0; k < s->tree.count; k++) {
            const bool similar = part[k] && (k == leader || similarity(s, leader, k) > 0);
            others[k] = similar ? ND_TREE_PAGES : k;
        }
        (void)paint_centroids(s, others, leader, ND_TREE_PAGES, set);
        for (size_t k = 0; k < s->tree.count; k++) {
            leaders[k] = set[k] ? leader : leaders[k];
        }
    }
}

/* ---- the tests */

static void draw_scene(nd_random *random, size_t most, scene *s) {
    *s = (scene){.salt = nd_random_next(random), .similar = nd_random_below(random, 9)};
    do {
        nd_random_tree_draw(random, 0, &s->tree);
    } while (s->tree.count > most);
    for (size_t i = 0; i < s->tree.count; i++) {
        s->tokens[i] = nd_random_below(random, 3); /* many of one length */
    }
}

static void run(scene *s, size_t *leaders, double *similarities) {
    nd_centroid_sets(s->tree.pages, s->tokens, s->tree.count, s->tree.links, answer, s, leaders,
                     similarities);
}

ND_TEST("middles: random trees") {
    static scene s;
    nd_random random = nd_test_random("middles");
    for (int trial = 0; trial < 120; trial++) {
        size_t leaders[ND_TREE_PAGES];
        size_t expected[ND_TREE_PAGES];
        double similarities[ND_TREE_PAGES];
        draw_scene(&random, 24, &s);
        reference_centroids(&s, expected);
        run(&s, leaders, similarities);
        CU_ASSERT_EQUAL(memcmp(leaders, expected, s.tree.count * sizeof *leaders), 0);
        for (size_t i = 0; i < s.tree.count; i++) {
            CU_ASSERT_EQUAL(similarities[i], leaders[i] == i ? 1 : similarity(&s, leaders[i], i));
        }
    }
}

/* At most 1 + log2(count) times, the page that opens a set at last not counted. */
static void check_questions(scene *s) {
    size_t leaders[ND_TREE_PAGES];
    double similarities[ND_TREE_PAGES];
    size_t most = 0;
    while ((size_t)2 << most <= s->tree.count) {
        most++;
    }
    run(s, leaders, similarities);
    for (size_t i = 0; i < s->tree.count; i++) {
        CU_ASSERT(s->asked[i] <= most + 1);
    }
}

/* A path whose pages get shorter and shorter, a star, and trees of all kinds, of which hardly any
 * pages are similar, or none. */
ND_TEST("few questions") {
    static scene s;
    nd_random random = nd_test_random("questions");
    for (int star = 0; star < 2; star++) {
        s = (scene){.tree.count = ND_TREE_PAGES};
        for (size_t i = 0; i < ND_TREE_PAGES; i++) {
            s.tree.pages[i] = i;
            s.tokens[i] = ND_TREE_PAGES - i;
            s.tree.links[i] = (nd_link){star ? 0 : i, i + 1, 0.5};
        }
        check_questions(&s);
    }
    for (int trial = 0; trial < 200; trial++) {
        draw_scene(&random, ND_TREE_PAGES, &s);
        s.similar /= 4;
        check_questions(&s);
    }
}

/* ---- Dropping keys that occur once, against counting: no key that repeats is lost, the order
 * stays, and of hashes that do not repeat few are left. */

enum { LISTS = 400, LONGEST_REPEATED_KEYS = 600, KINDS = 4, MANY = 100000 };

/* A key of a list of `count` of this kind. */
static uint64_t key_of(nd_random *random, int kind, size_t count) {
    switch (kind) {
    case 0:
        return nd_random_next(random);
    case 1: /* many twice */
        return nd_mix64(nd_random_below(random, 1 + count));
    case 2: /* the high bits alike */
        return nd_random_below(random, 2 * count);
    default: /* the ends */
        return nd_random_below(random, 2) * UINT64_MAX;
    }
}

static size_t times(const nd_key_value *records, size_t count, uint64_t key) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        found += records[i].key == key;
    }
    return found;
}

/* Is every record of `all` with a repeated key among those kept, which are some of `all`, in order?
 */
static bool is_right(const nd_key_value *all, size_t count, const nd_key_value *kept,
                     uint64_t kept_count) {
    uint64_t next = 0;
    for (size_t i = 0; i < count; i++) {
        if (next < kept_count && memcmp(&kept[next], &all[i], sizeof *all) == 0) {
            next++;
        } else if (times(all, count, all[i].key) > 1) {
            return false;
        }
    }
    return next == kept_count;
}

ND_TEST("against counting") {
    static nd_key_value all[LONGEST_REPEATED_KEYS], kept[LONGEST_REPEATED_KEYS];
    nd_random random = nd_test_random("repeated keys");
    size_t wrong = 0;
    for (int i = 0; i < LISTS; i++) {
        const size_t count = nd_random_below(&random, i % 4 == 0 ? LONGEST_REPEATED_KEYS : 40);
        for (size_t j = 0; j < count; j++) {
            all[j] = (nd_key_value){key_of(&random, i % KINDS, count), j};
        }
        uint64_t left = count;
        memcpy(kept, all, sizeof all);
        nd_repeated_keys(kept, &left);
        wrong += !is_right(all, count, kept, left);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

ND_TEST("most are dropped") {
    static nd_key_value records[MANY];
    nd_random random = nd_test_random("single keys");
    uint64_t count = MANY;
    for (size_t i = 0; i < MANY; i++) {
        records[i] = (nd_key_value){nd_random_next(&random), i};
    }
    nd_repeated_keys(records, &count);
    CU_ASSERT(count < MANY / 5);
}

/* ---- Which pages of a set are kept, against a plain second way: every page is compared with every
 * other by facts written out as a list of numbers. And what wishes are refused. */

enum { COLLECTIONS = 4, LARGEST = 12, ROUNDS = 60000, MOST_RULES = 4 };
static const char *const names[COLLECTIONS] = {"", "a", "b-c", "d"};
static const nd_span spans[COLLECTIONS] = {{(const uint8_t *)"", 0},
                                           {(const uint8_t *)"a", 1},
                                           {(const uint8_t *)"b-c", 3},
                                           {(const uint8_t *)"d", 1}};
static const char *const rules[] = {"representative", "first",  "longest",      "earliest",
                                    "latest",         "https",  "shortest-url", "surt",
                                    "field:a.b",      "field:c"};
enum { RULES = sizeof rules / sizeof rules[0], SURT = RULES - 3 };

/* How good a page is by a rule: more is better. Rules from RULES on are collections. */
static double worth(size_t rule, const nd_keep_page *p) {
    const double worths[RULES] = {p->representative ? 1 : 0,
                                  -(double)p->page,
                                  p->tokens,
                                  p->date == 0 ? -1e300 : -(double)p->date,
                                  (double)p->date,
                                  p->https ? 1 : 0,
                                  p->url_bytes == 0 ? -1e300 : -(double)p->url_bytes,
                                  -(double)p->order[0],
                                  -(double)p->order[1],
                                  -(double)p->order[2]};
    return rule < RULES ? worths[rule] : p->collection == rule - RULES;
}

/* Is a strictly better than b? */
static bool beats(const size_t *list, size_t count, const nd_keep_page *a, const nd_keep_page *b) {
    for (size_t i = 0; i < count; i++) {
        if (worth(list[i], a) > worth(list[i], b)) {
            return true;
        }
        if (worth(list[i], a) < worth(list[i], b)) {
            return false;
        }
    }
    return a->page < b->page;
}

static bool is_protected(unsigned protect, const nd_keep_page *page) {
    return (protect >> page->collection & 1) != 0;
}

/* The page that stands for page i, by asking of each whether any other is to be had sooner. */
static uint64_t slow_kept(const size_t *list, size_t count, bool each, unsigned protect,
                          const nd_keep_page *pages, size_t page_count, size_t i) {
    bool any_protected = false;
    for (size_t j = 0; j < page_count; j++) {
        any_protected = any_protected || is_protected(protect, &pages[j]);
    }
    if (is_protected(protect, &pages[i])) {
        return pages[i].page;
    }
    for (size_t j = 0; j < page_count; j++) {
        bool best = each ? pages[j].collection == pages[i].collection
                         : !any_protected || is_protected(protect, &pages[j]);
        for (size_t k = 0; k < page_count && best; k++) {
            const bool rival = each ? pages[k].collection == pages[i].collection
                                    : !any_protected || is_protected(protect, &pages[k]);
            best = k == j || !rival || beats(list, count, &pages[j], &pages[k]);
        }
        if (best) {
            return pages[j].page;
        }
    }
    return UINT64_MAX;
}

/* Orders go by the rules that ask for them, one after the other. */
static void put_orders(const size_t *list, size_t count, nd_keep_page *pages, size_t page_count) {
    for (size_t p = 0; p < page_count; p++) {
        const nd_keep_page had = pages[p];
        size_t order = 0;
        memset(pages[p].order, 0, sizeof pages[p].order);
        for (size_t i = 0; i < count; i++) {
            if (list[i] >= SURT && list[i] < RULES) {
                pages[p].order[order++] = had.order[list[i] - SURT];
            }
        }
    }
}

static size_t make_set(nd_random *random, nd_keep_page *pages) {
    const size_t count = 1 + nd_random_below(random, LARGEST);
    const size_t leads = nd_random_below(random, count);
    uint64_t page = nd_random_below(random, 5);
    for (size_t i = 0; i < count; i++) { /* few values, so that many are equal */
        page += 1 + nd_random_below(random, 3);
        pages[i] =
            (nd_keep_page){.page = page,
                           .date = nd_random_below(random, 4) * 1000000007,
                           .tokens = (uint32_t)nd_random_below(random, 4) * UINT32_C(1000000),
                           .url_bytes = (uint32_t)nd_random_below(random, 4),
                           .collection = (uint32_t)nd_random_below(random, COLLECTIONS),
                           .order = {nd_random_below(random, 3), nd_random_below(random, 3),
                                     nd_random_below(random, 3)},
                           .https = nd_random_below(random, 2) == 0,
                           .representative = i == leads};
    }
    for (size_t i = count; i > 1; i--) {
        const size_t j = nd_random_below(random, i);
        const nd_keep_page other = pages[j];
        pages[j] = pages[i - 1];
        pages[i - 1] = other;
    }
    return count;
}

ND_TEST("the choice in a set") {
    nd_random random = nd_test_random("keep");
    for (int round = 0; round < nd_test_rounds(ROUNDS); round++) {
        char text[256] = "";
        char protected[64] = "";
        size_t list[MOST_RULES];
        const size_t count = 1 + nd_random_below(&random, MOST_RULES);
        for (size_t i = 0; i < count; i++) {
            list[i] = nd_random_below(&random, RULES + COLLECTIONS);
            strcat(text, i == 0 ? "" : ",");
            strcat(text, list[i] < RULES ? rules[list[i]] : "collection:");
            strcat(text, list[i] < RULES ? "" : names[list[i] - RULES]);
        }
        const unsigned protect = (unsigned)nd_random_below(&random, 2) *
                                 (unsigned)nd_random_below(&random, 1 << COLLECTIONS);
        for (unsigned c = 0, first = 1; c < COLLECTIONS; c++) {
            if ((protect >> c & 1) != 0) {
                strcat(protected, first ? "" : ",");
                strcat(protected, names[c]);
                first = 0;
            }
        }
        const nd_keep_wish wish = {.rules = text,
                                   .each_collection = nd_random_below(&random, 2) == 0,
                                   .protect = protect == 0 ? NULL : protected};
        nd_keep *keep = NULL;
        ND_TEST_MUST(nd_keep_open(&wish, spans, COLLECTIONS, &keep));
        const char *field = NULL;
        for (size_t i = 0, order = 0; i < count; i++) {
            if (list[i] >= SURT && list[i] < RULES) {
                CU_ASSERT(nd_keep_order(keep, order++, &field));
                CU_ASSERT(list[i] == SURT
                              ? field == NULL
                              : field != NULL && strcmp(field, rules[list[i]] + 6) == 0);
            }
        }
        for (int set = 0; set < 3; set++) {
            nd_keep_page pages[LARGEST];
            nd_keep_page asked[LARGEST];
            uint64_t kept[LARGEST];
            const size_t pages_in = make_set(&random, pages);
            memcpy(asked, pages, sizeof asked);
            put_orders(list, count, asked, pages_in);
            nd_keep_choose(keep, asked, pages_in, kept);
            for (size_t i = 0; i < pages_in; i++) {
                CU_ASSERT_EQUAL(kept[i], slow_kept(list, count, wish.each_collection, protect,
                                                   pages, pages_in, i));
                for (size_t j = 0; j < pages_in; j++) { /* who stands for another is kept */
                    CU_ASSERT(pages[j].page != kept[i] || kept[j] == kept[i]);
                }
            }
        }
        nd_keep_close(&keep);
    }
}

static void check_refused(const char *text, const char *protect, const char *says) {
    nd_keep *keep = NULL;
    const nd_keep_wish wish = {.rules = text, .protect = protect};
    CU_ASSERT_EQUAL(nd_keep_open(&wish, spans, COLLECTIONS, &keep), ND_ERR_USAGE);
    CU_ASSERT_PTR_NULL(keep);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), says));
}

ND_TEST("what is refused") {
    check_refused("", NULL, "no rule ''");
    check_refused("longest,", NULL, "no rule ''");
    check_refused("longest,newest", NULL, "no rule 'newest'; there are: representative, first");
    check_refused("field:", NULL, "no rule 'field:'");
    check_refused("surt,surt,surt,surt,field:x", NULL, "more than 4 rules");
    check_refused("collection", NULL, "no rule 'collection'");
    check_refused("collection:b,c", NULL, "no collection b; it has:  , a, b-c, d");
    check_refused(NULL, "a,x", "--protect: the result has no collection x");
}

/* ---- nd_template_find() against a reference that compares all pairs of pages, on random sites:
 * unlike pages, archives of a few stories in many versions, everything in one page, empty pages. */

enum { SITES = 1500, MOST_PAGES = 60, LONGEST_TEMPLATE = 40, VOCABULARY = 400, HEAVIEST = 30 };
typedef struct test_page {
    nd_template_sentence sentences[LONGEST_TEMPLATE];
    size_t count;
} test_page;
typedef struct test_site {
    test_page pages[MOST_PAGES];
    size_t count;
    uint32_t tokens[VOCABULARY]; /* of each sentence; the sentence i has the hash nd_mix64(i) */
    nd_template_options options;
} test_site;

/* ---- the reference: sentences are numbers below VOCABULARY, pages are sets of them */

typedef struct reference_template {
    bool on_page[MOST_PAGES][VOCABULARY];
    bool has[MOST_PAGES][VOCABULARY]; /* minima, of both functions in turn */
    uint32_t weights[VOCABULARY];     /* theirs */
    size_t class[MOST_PAGES];
    bool is_template[VOCABULARY];
} reference_template;

/* A sentence has its minima with one or two others: it is an edit of them. */
static uint32_t minimum(size_t sentence, size_t which) {
    return (uint32_t)(sentence / (which == 0 ? 3 : 2));
}

/* Pages have a minimum if a sentence that is left of them has it; it weighs as much as the heaviest
 * such sentence of the site. */
static void find_minima(const test_site *site, reference_template *r) {
    memset(r->has, 0, sizeof r->has);
    memset(r->weights, 0, sizeof r->weights);
    for (size_t a = 0; a < site->count; a++) {
        for (size_t i = 0; i < VOCABULARY; i++) {
            for (size_t m = 0; m < 2 && r->on_page[a][i] && !r->is_template[i]; m++) {
                const size_t number = 2 * minimum(i, m) + m;
                r->has[a][number] = true;
                if (r->weights[number] < site->tokens[i]) {
                    r->weights[number] = site->tokens[i];
                }
            }
        }
    }
}

static bool alike(const reference_template *r, size_t a, size_t b, double least) {
    uint64_t common = 0, all = 0;
    for (size_t i = 0; i < VOCABULARY; i++) {
        common += r->has[a][i] && r->has[b][i] ? r->weights[i] : 0;
        all += r->has[a][i] || r->has[b][i] ? r->weights[i] : 0;
    }
    return common > 0 && (double)common >= least * (double)all;
}

/* Of the minima of what two pages do not share, do so many stand in other sentences of both? */
static bool edited(const test_site *site, const reference_template *r, size_t a, size_t b,
                   double least) {
    uint64_t own_a = 0, own_b = 0, shared = 0, common = 0;
    bool counted[VOCABULARY] = {false};
    for (size_t i = 0; i < VOCABULARY; i++) {
        const bool of_a = r->on_page[a][i] && !r->is_template[i];
        const bool of_b = r->on_page[b][i] && !r->is_template[i];
        own_a += of_a ? site->tokens[i] : 0;
        own_b += of_b ? site->tokens[i] : 0;
        shared += of_a && of_b ? site->tokens[i] : 0;
        for (size_t j = 0; of_a && j < VOCABULARY; j++) {
            for (size_t m = 0; m < 2 && j != i && r->on_page[b][j] && !r->is_template[j]; m++) {
                const size_t number = 2 * minimum(i, m) + m;
                if (minimum(i, m) == minimum(j, m) && !counted[number]) {
                    counted[number] = true;
                    common += r->weights[number];
                }
            }
        }
    }
    const double rest = 2. * (double)(own_a + own_b - 2 * shared) - (double)common;
    return least > 0 && common > 0 && 2 * shared <= (own_a < own_b ? own_a : own_b) &&
           (double)common >= least * rest;
}

static void reference_classes(const test_site *site, reference_template *r,
                              const nd_template_round *round) {
    find_minima(site, r);
    for (size_t a = 0; a < site->count; a++) {
        r->class[a] = a;
    }
    for (size_t a = 0; a < site->count; a++) {
        for (size_t b = 0; b < a; b++) {
            size_t from = r->class[a], to = r->class[b];
            if (from != to &&
                (alike(r, a, b, round->similarity) || edited(site, r, a, b, round->edited))) {
                for (size_t i = 0; i < site->count; i++) {
                    r->class[i] = r->class[i] == from ? to : r->class[i];
                }
            }
        }
    }
}

static uint64_t classes_with(const test_site *site, const reference_template *r, size_t sentence) {
    bool seen[MOST_PAGES] = {false};
    uint64_t count = 0;
    for (size_t a = 0; a < site->count; a++) {
        bool any = false;
        for (size_t i = 0; sentence == VOCABULARY && i < VOCABULARY; i++) {
            any = any || (r->on_page[a][i] && !r->is_template[i]);
        }
        if ((any || (sentence < VOCABULARY && r->on_page[a][sentence])) && !seen[r->class[a]]) {
            seen[r->class[a]] = true;
            count++;
        }
    }
    return count;
}

static void reference_find(const test_site *site, reference_template *r) {
    memset(r, 0, sizeof *r);
    for (size_t a = 0; a < site->count; a++) {
        for (size_t i = 0; i < site->pages[a].count; i++) {
            for (size_t s = 0; s < VOCABULARY; s++) {
                r->on_page[a][s] |= nd_mix64(s) == site->pages[a].sentences[i].hash;
            }
        }
    }
    for (size_t round = 0; round < ND_TEMPLATE_ROUNDS; round++) {
        bool found[VOCABULARY];
        reference_classes(site, r, &site->options.rounds[round]);
        uint64_t all = classes_with(site, r, VOCABULARY); /* with any sentence left */
        for (size_t i = 0; i < VOCABULARY; i++) {
            uint64_t count = r->is_template[i] ? 0 : classes_with(site, r, i);
            found[i] = all >= site->options.least_site && count >= site->options.least_classes &&
                       (double)count >= site->options.rounds[round].share * (double)all;
        }
        for (size_t i = 0; i < VOCABULARY; i++) {
            r->is_template[i] |= found[i];
        }
    }
}

/* ---- random sites */

static nd_template_sentence make(const test_site *site, size_t sentence) {
    return (nd_template_sentence){.hash = nd_mix64(sentence),
                                  .tokens = site->tokens[sentence],
                                  .minima = {minimum(sentence, 0), minimum(sentence, 1)}};
}

static void add(test_site *site, test_page *page, size_t sentence) {
    if (page->count < LONGEST_TEMPLATE) {
        page->sentences[page->count++] = make(site, sentence);
    }
}

/* A page: some of the first `common` sentences (the site's frame), then sentences of its own. */
static void fill_page(nd_random *random, test_site *site, test_page *page, size_t common) {
    size_t rate = 1 + nd_random_below(random, 6);
    page->count = 0;
    for (size_t i = 0; i < common; i++) {
        if (nd_random_below(random, rate + 1) < rate) {
            add(site, page, i);
        }
    }
    for (size_t n = nd_random_below(random, 12); n > 0; n--) {
        add(site, page, nd_random_below(random, VOCABULARY));
    }
}

/* A version of an earlier page: some sentences replaced. */
static void edit_page(nd_random *random, test_site *site, test_page *page) {
    for (size_t n = nd_random_below(random, 5); n > 0 && page->count > 0; n--) {
        size_t sentence = nd_random_below(random, VOCABULARY);
        page->sentences[nd_random_below(random, page->count)] = make(site, sentence);
    }
}

static void fill_site(nd_random *random, test_site *site) {
    static const double similarities[] = {.3, .5, .6, .75, .8, 1};
    size_t common = nd_random_below(random, 20);
    size_t versions = nd_random_below(random, 10); /* of ten pages that are copies of others */
    uint64_t heaviest = 1 + nd_random_below(random, HEAVIEST);
    site->count = nd_random_below(random, MOST_PAGES + 1);
    for (size_t i = 0; i < VOCABULARY; i++) {
        site->tokens[i] = (uint32_t)(1 + nd_random_below(random, heaviest));
    }
    for (size_t i = 0; i < site->count; i++) {
        if (i > 0 && nd_random_below(random, 10) < versions) {
            site->pages[i] = site->pages[nd_random_below(random, i)];
            edit_page(random, site, &site->pages[i]);
        } else {
            fill_page(random, site, &site->pages[i], common);
        }
    }
    site->options = ND_TEMPLATE_DEFAULTS;
    site->options.least_classes = 2 + nd_random_below(random, 4);
    for (size_t i = 0; i < ND_TEMPLATE_ROUNDS; i++) {
        site->options.rounds[i].similarity = similarities[nd_random_below(random, 6)];
        site->options.rounds[i].edited =
            nd_random_below(random, 3) == 0 ? 0 : similarities[nd_random_below(random, 6)] / 2;
    }
}

/* ---- the comparison */

static bool agrees(const reference_template *r, const uint64_t *hashes, size_t count) {
    size_t expected = 0;
    for (size_t i = 0; i < VOCABULARY; i++) {
        bool found = false;
        for (size_t j = 0; j < count; j++) {
            found = found || hashes[j] == nd_mix64(i);
        }
        expected += r->is_template[i];
        if (found != r->is_template[i]) {
            return false;
        }
    }
    for (size_t j = 1; j < count; j++) {
        if (hashes[j - 1] >= hashes[j]) {
            return false;
        }
    }
    return expected == count;
}

ND_TEST("agrees with all pairs") {
    static test_site site;
    static reference_template r;
    nd_random random = nd_test_random("template");
    size_t wrong = 0, sentences = 0;
    for (int i = 0; i < nd_test_rounds(SITES); i++) {
        nd_template_page pages[MOST_PAGES] = {{0}};
        ND_FREED uint64_t *hashes = NULL;
        size_t count = 0;
        fill_site(&random, &site);
        reference_find(&site, &r);
        for (size_t j = 0; j < site.count; j++) { /* in the opposite order */
            const test_page *page = &site.pages[site.count - 1 - j];
            pages[j] = (nd_template_page){page->sentences, page->count};
        }
        ND_TEST_MUST(nd_template_find(pages, site.count, &site.options, &hashes, &count));
        if (!agrees(&r, hashes, count)) {
            printf("site %d of %zu pages\n", i, site.count);
            wrong++;
        }
        sentences += count;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT((int)sentences >
              nd_test_rounds(SITES)); /* the sites are such that there is something to find */
}
