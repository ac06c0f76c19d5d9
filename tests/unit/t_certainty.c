/* How sure a member is: more the more alike and the longer, never quite, the same on any machine;
 * known for the default's score alone. */
#include "src/method/certainty.h"
#include "src/method/methods.h"
#include "tests/support/check.h"

static float certainty(float similarity, bool same_site, uint64_t tokens) {
    const nd_member_facts facts = {
        .similarity = similarity, .same_site = same_site, .tokens = tokens};
    return nd_certainty(&facts);
}

static void test_monotone(void) {
    static const uint64_t lengths[] = {0, 1, 2, 7, 8, 100, 1023, 1024, 1 << 20, UINT64_MAX};
    enum { STEPS = 4096, LENGTHS = sizeof lengths / sizeof lengths[0] };
    for (int i = 0; i <= STEPS; i++) {
        const float similarity = (float)i / STEPS;
        for (size_t k = 0; k < LENGTHS; k++) {
            const float one = certainty(similarity, true, lengths[k]);
            const float two = certainty(similarity, false, lengths[k]);
            CU_ASSERT_FATAL(one > 0 && one <= two && two < 1);
            if (i > 0) {
                const float before = (float)(i - 1) / STEPS;
                CU_ASSERT_FATAL(certainty(before, true, lengths[k]) <= one);
                CU_ASSERT_FATAL(certainty(before, false, lengths[k]) <= two);
            }
            if (k > 0) {
                CU_ASSERT_FATAL(certainty(similarity, true, lengths[k - 1]) <= one);
            }
        }
    }
}

/* Bits that were once computed: of both sites, at both ends, and between steps of the table. */
static void test_same_bits(void) {
    static const struct {
        float similarity;
        bool same_site;
        uint64_t tokens;
        float certainty;
    } known[] = {{0, true, 0, .0004F},     {1, true, 50, .8433F},      {.5F, true, 200, .1484F},
                 {.7F, true, 300, .5321F}, {.46F, false, 100, .5164F}, {.8123F, false, 77, .9581F},
                 {1, false, 5000, .9975F}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        CU_ASSERT_EQUAL(certainty(known[i].similarity, known[i].same_site, known[i].tokens),
                        known[i].certainty);
    }
}

static void test_known(void) {
    nd_method_options options;
    CU_ASSERT_EQUAL(nd_method_own_options(&nd_method_lcs, &options), ND_OK);
    CU_ASSERT(nd_certainty_is_known(&nd_method_lcs, &options));
    options.score = nd_score_find("r");
    CU_ASSERT(!nd_certainty_is_known(&nd_method_lcs, &options));
    CU_ASSERT_EQUAL(nd_method_own_options(&nd_method_simhash, &options), ND_OK);
    CU_ASSERT(!nd_certainty_is_known(&nd_method_simhash, &options));
    options = nd_method_default_options();
    options.verify = false;
    CU_ASSERT_EQUAL(nd_method_derive(&nd_method_lcs, &options), ND_OK);
    CU_ASSERT(!nd_certainty_is_known(&nd_method_lcs, &options));
}

static const nd_test tests[] = {
    {"never falls", test_monotone},
    {"the same bits", test_same_bits},
    {"of what it is known", test_known},
};

ND_TEST_MAIN("certainty", tests)
