/* How sure a member is: never less for what speaks for it, never quite, the same on any machine;
 * known for the default's score alone. */
#include "src/method/certainty.h"
#include "src/method/method.h"
#include "tests/support/check.h"

/* Each fact grows by itself from here, beside any of the others. */
static const uint64_t lengths[] = {0, 1, 2, 3, 8, 100, 1023, 1024, 1 << 20, UINT64_MAX};
static const uint64_t names[] = {1, 2, 3, 9, 255, 256, 257, 1 << 30, UINT64_MAX};
static const uint64_t crowds[] = {0, 1, 4999, 10000};
enum {
    STEPS = 64,
    LENGTHS = sizeof lengths / sizeof lengths[0],
    NAMES = sizeof names / sizeof names[0],
    CROWDS = sizeof crowds / sizeof crowds[0]
};

static float at(int step, size_t length, size_t name, size_t crowd, bool same_site) {
    const nd_member_facts facts = {.similarity = (float)step / (float)STEPS,
                                   .same_site = same_site,
                                   .html = true,
                                   .relation = ND_ADDRESS_OTHER,
                                   .tokens = lengths[length],
                                   .names = names[name],
                                   .sites = 1,
                                   .site_texts = 10000,
                                   .crowded = crowds[crowd]};
    return nd_certainty(&facts);
}

static void test_monotone(void) {
    for (int i = 0; i <= STEPS; i++) {
        for (size_t l = 0; l < LENGTHS; l++) {
            for (size_t t = 0; t < NAMES; t++) {
                const float two = at(i, l, t, 0, false);
                CU_ASSERT_FATAL(two > 0 && two < 1);
                CU_ASSERT_FATAL(i == 0 || at(i - 1, l, t, 0, false) <= two);
                CU_ASSERT_FATAL(l == 0 || at(i, l - 1, t, 0, false) <= two);
                CU_ASSERT_FATAL(t == 0 || at(i, l, t - 1, 0, false) >= two);
                for (size_t c = 0; c < CROWDS; c++) {
                    const float one = at(i, l, t, c, true);
                    CU_ASSERT_FATAL(one > 0 && one < 1);
                    CU_ASSERT_FATAL(two == at(i, l, t, c, false));
                    CU_ASSERT_FATAL(i == 0 || at(i - 1, l, t, c, true) <= one);
                    CU_ASSERT_FATAL(c == 0 || at(i, l, t, c - 1, true) <= one);
                }
                CU_ASSERT_FATAL(at(i, l, t, 0, true) <= two);
            }
        }
    }
    CU_ASSERT(at(STEPS / 2, 5, 2, 0, true) < at(STEPS / 2, 5, 2, 3, true));
    nd_member_facts facts = {
        .similarity = .8F, .same_site = true, .html = true, .tokens = 300, .names = 2, .sites = 1};
    float before = 0;
    for (int relation = ND_ADDRESS_OTHER; relation <= ND_ADDRESS_VERSION; relation++) {
        facts.relation = (nd_address_relation)relation;
        CU_ASSERT(nd_certainty(&facts) > before);
        before = nd_certainty(&facts);
    }
    CU_ASSERT(at(STEPS / 2, 5, 1, 0, false) > at(STEPS / 2, 5, 2, 0, false));
    CU_ASSERT(at(STEPS / 2, 5, 2, 0, false) < at(STEPS / 2, 6, 2, 0, false));
}

/* Bits that were once computed: of both sites, at both ends, and between steps of the table. */
static void test_same_bits(void) {
    static const struct {
        nd_member_facts facts;
        float certainty;
    } known[] = {{{0, true, true, ND_ADDRESS_OTHER, 0, 2, 1, 7, 2}, .0003F},
                 {{1, true, true, ND_ADDRESS_OTHER, 50, 2, 1, 100, 33}, .9401F},
                 {{.5F, true, true, ND_ADDRESS_VERSION, 200, 20, 3, 3, 3}, .9784F},
                 {{.7F, true, true, ND_ADDRESS_NAME, 300, 3, 2, 9, 8}, .9376F},
                 {{.95F, true, true, ND_ADDRESS_NAME, 300, 3, 2, 9, 8}, .9992F},
                 {{.46F, false, true, ND_ADDRESS_OTHER, 100, 2, 2, 1, 0}, .5409F},
                 {{.46F, false, false, ND_ADDRESS_OTHER, 100, 2, 2, 1, 0}, .8992F},
                 {{.8123F, false, true, ND_ADDRESS_OTHER, 77, 300, 9, 50, 4}, .0003F},
                 {{.9F, true, false, ND_ADDRESS_OTHER, 600, 2, 2, 0, 0}, .9976F},
                 {{1, false, true, ND_ADDRESS_OTHER, 5000, 2, 2, 2, 0}, .9990F},
                 {{.8F, true, true, ND_ADDRESS_ACROSS, 600, 2, 2, 9, 1}, .9875F}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        CU_ASSERT_EQUAL(nd_certainty(&known[i].facts), known[i].certainty);
    }
}

static void test_known(void) {
    nd_method_options options;
    CU_ASSERT_EQUAL(nd_method_own_options(nd_method_find("lcs"), &options), ND_OK);
    CU_ASSERT(nd_certainty_is_known(nd_method_find("lcs"), &options));
    options.score = nd_score_find("r");
    CU_ASSERT(!nd_certainty_is_known(nd_method_find("lcs"), &options));
    CU_ASSERT_EQUAL(nd_method_own_options(nd_method_find("simhash"), &options), ND_OK);
    CU_ASSERT(!nd_certainty_is_known(nd_method_find("simhash"), &options));
    options = nd_method_default_options();
    options.verify = false;
    CU_ASSERT_EQUAL(nd_method_derive(nd_method_find("lcs"), &options), ND_OK);
    CU_ASSERT(!nd_certainty_is_known(nd_method_find("lcs"), &options));
}

static const nd_test tests[] = {
    {"never falls", test_monotone},
    {"the same bits", test_same_bits},
    {"of what it is known", test_known},
};

ND_SUITE(t_certainty, tests)
