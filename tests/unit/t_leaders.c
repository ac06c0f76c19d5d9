/* The leader loop: the paper's example by hand, early stops, failures. */
#include "src/sets/leaders.h"
#include "tests/support/check.h"

#include <string.h>

/* A table of similarities between pages in order, and what was asked of it. */
typedef struct oracle {
    size_t count;
    const double *similarity; /* [leader * count + member] */
    size_t asked;
    size_t fail_at; /* the question that fails; 0: none */
} oracle;

static nd_status answer(void *context, size_t leader, size_t member, double *similarity) {
    oracle *o = context;
    CU_ASSERT(leader < member && member < o->count);
    if (++o->asked == o->fail_at) {
        return nd_fail(ND_ERR_MEMORY, "asked too often");
    }
    *similarity = o->similarity[leader * o->count + member];
    return ND_OK;
}

/* Pages A to F by length; A is similar to C and D, C to B, D to E, E to F. A takes C and D, so B is
 * left to open a set of its own, which C can no longer join; E takes F. */
static void test_example(void) {
    enum { A, B, C, D, E, F, PAGES };
    double similarity[PAGES * PAGES] = {0};
    similarity[A * PAGES + C] = 0.9;
    similarity[A * PAGES + D] = 0.85;
    similarity[B * PAGES + C] = 0.95;
    similarity[D * PAGES + E] = 0.99;
    similarity[E * PAGES + F] = 0.8;
    oracle o = {PAGES, similarity, 0, 0};
    size_t leaders[PAGES];
    double to_leader[PAGES];
    const size_t wanted[PAGES] = {A, B, A, A, E, E};
    const double wanted_similarity[PAGES] = {1, 1, 0.9, 0.85, 1, 0.8};
    CU_ASSERT_EQUAL(nd_leaders(PAGES, answer, &o, leaders, to_leader), ND_OK);
    for (size_t i = 0; i < PAGES; i++) {
        CU_ASSERT_EQUAL(leaders[i], wanted[i]);
        CU_ASSERT_EQUAL(to_leader[i], wanted_similarity[i]);
    }
    CU_ASSERT_EQUAL(o.asked, 5 + 2 + 1); /* A: all; B: E, F; E: F */
}

/* "No later page either" ends the search of this leader, and only of this one. */
static void test_stop(void) {
    enum { PAGES = 5 };
    double similarity[PAGES * PAGES] = {0};
    similarity[0 * PAGES + 1] = 0.9;
    similarity[0 * PAGES + 2] = ND_LEADER_STOP;
    similarity[0 * PAGES + 3] = 0.9; /* never asked */
    similarity[2 * PAGES + 4] = 0.7;
    oracle o = {PAGES, similarity, 0, 0};
    size_t leaders[PAGES];
    double to_leader[PAGES];
    const size_t wanted[PAGES] = {0, 0, 2, 3, 2};
    CU_ASSERT_EQUAL(nd_leaders(PAGES, answer, &o, leaders, to_leader), ND_OK);
    CU_ASSERT_EQUAL(memcmp(leaders, wanted, sizeof wanted), 0);
    CU_ASSERT_EQUAL(o.asked, 2 + 2); /* 0: 1 and 2; 2: 3 and 4; 3: 4 is taken */
    CU_ASSERT_EQUAL(to_leader[2], 1);
    CU_ASSERT_EQUAL(to_leader[4], 0.7);
}

static void test_none_and_one(void) {
    oracle o = {0, NULL, 0, 0};
    size_t leader = 9;
    double similarity = 0;
    CU_ASSERT_EQUAL(nd_leaders(0, answer, &o, NULL, NULL), ND_OK);
    CU_ASSERT_EQUAL(nd_leaders(1, answer, &o, &leader, &similarity), ND_OK);
    CU_ASSERT(leader == 0 && similarity == 1 && o.asked == 0);
}

static void test_failure_is_passed_on(void) {
    const double similarity[9] = {0};
    oracle o = {3, similarity, 0, 2};
    size_t leaders[3];
    double to_leader[3];
    CU_ASSERT_EQUAL(nd_leaders(3, answer, &o, leaders, to_leader), ND_ERR_MEMORY);
    CU_ASSERT_EQUAL(o.asked, 2);
}

static const nd_test tests[] = {
    {"the example: ACD, B, EF", test_example},
    {"stop", test_stop},
    {"no page, one page", test_none_and_one},
    {"a failure is passed on", test_failure_is_passed_on},
};

ND_SUITE(t_leaders, tests)
