/* Which pages of a tree open sets, against the rule to the letter: parts are painted, and every
 * page of a part is taken away in turn. And how often pages are compared on trees of any kind. */
#include "src/sets/leaders.h"
#include "tests/support/check.h"
#include "tests/support/middles.h"
#include "tests/support/random_tree.h"

#include <stdlib.h>
#include <string.h>

/* Pages by their places; which are similar is drawn. */
typedef struct scene {
    nd_random_tree tree;
    uint64_t tokens[ND_TREE_PAGES];
    uint64_t salt;
    uint64_t similar;            /* of 8 pairs so many are */
    size_t asked[ND_TREE_PAGES]; /* how often a page was compared with a leader */
    size_t fail_at;              /* the question that fails; 0: none */
    size_t questions;
} scene;

static double similarity(const scene *s, size_t x, size_t y) {
    const uint64_t pair = (x < y ? x : y) * ND_TREE_PAGES + (x < y ? y : x);
    const uint64_t drawn = nd_mix64(pair ^ s->salt);
    return drawn % 8 < s->similar ? (double)(1 + drawn / 8 % 100) / 100 : 0;
}

static nd_status answer(void *context, size_t leader, size_t member, double *found) {
    scene *s = context;
    CU_ASSERT(leader != member && leader < s->tree.count && member < s->tree.count);
    if (++s->questions == s->fail_at) {
        return nd_fail(ND_ERR_MEMORY, "asked too often");
    }
    s->asked[member]++;
    *found = similarity(s, leader, member);
    return ND_OK;
}

/* ---- the reference */

/* Give all pages that hang together with page i over pages without a set the colour of i, without
 * page `without`. \return how many */
static size_t paint(const scene *s, const size_t *leaders, size_t i, size_t without,
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
        middle = !part[i] || i == page || 2 * paint(s, leaders, i, page, left) <= count;
    }
    return middle;
}

/* leaders[i]: ND_TREE_PAGES as long as it is in no set. */
static void reference(const scene *s, size_t *leaders) {
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
        const size_t count = paint(s, leaders, i, ND_TREE_PAGES, part);
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
        (void)paint(s, others, leader, ND_TREE_PAGES, set);
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

static nd_status run(scene *s, size_t *leaders, double *similarities) {
    return nd_middles(s->tree.pages, s->tokens, s->tree.count, s->tree.links, answer, s, leaders,
                      similarities);
}

static void test_random_trees(void) {
    static scene s;
    nd_random random = nd_test_random("middles");
    for (int trial = 0; trial < 120; trial++) {
        size_t leaders[ND_TREE_PAGES];
        size_t expected[ND_TREE_PAGES];
        double similarities[ND_TREE_PAGES];
        draw_scene(&random, 24, &s);
        reference(&s, expected);
        CU_ASSERT_EQUAL_FATAL(run(&s, leaders, similarities), ND_OK);
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
    CU_ASSERT_EQUAL_FATAL(run(s, leaders, similarities), ND_OK);
    for (size_t i = 0; i < s->tree.count; i++) {
        CU_ASSERT(s->asked[i] <= most + 1);
    }
}

/* A path whose pages get shorter and shorter, a star, and trees of all kinds, of which hardly any
 * pages are similar, or none. */
static void test_few_questions(void) {
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

static void test_failure_is_passed_on(void) {
    static scene s;
    nd_random random = nd_test_random("failure");
    size_t leaders[ND_TREE_PAGES];
    double similarities[ND_TREE_PAGES];
    do {
        draw_scene(&random, ND_TREE_PAGES, &s);
    } while (s.tree.count < 3);
    s.fail_at = 2;
    CU_ASSERT_EQUAL(run(&s, leaders, similarities), ND_ERR_MEMORY);
    CU_ASSERT_EQUAL(s.questions, 2);
}

static const nd_test tests[] = {
    {"random trees", test_random_trees},
    {"few questions", test_few_questions},
    {"a failure is passed on", test_failure_is_passed_on},
};

ND_SUITE(p_middles, tests)
