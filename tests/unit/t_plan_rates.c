/* Rates of runs: built in, at other numbers of pages, and what lots of work fetch. */
#include "src/method/method.h"
#include "src/plan/plan_records.h"
#include "src/plan/run_plan.h"
#include "tests/support/check.h"

#include <math.h>
#include <string.h>

static bool near(double a, double b, double most) {
    return fabs(a - b) <= most * fabs(b);
}

static void test_growth(void) {
    nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_LCS, false);
    rates.value[ND_RATE_CANDIDATES] = 20;
    rates.per_doubling[ND_RATE_CANDIDATES] = 3;
    CU_ASSERT(near(nd_plan_rate(&rates, ND_RATE_CANDIDATES, 8e6), 29, 1e-12));
    CU_ASSERT(nd_plan_rate(&rates, ND_RATE_CANDIDATES, 1) == 0); /* never below */
    rates.value[ND_RATE_SIGNED] = 0.9;
    rates.per_doubling[ND_RATE_SIGNED] = 0.1;
    CU_ASSERT(nd_plan_rate(&rates, ND_RATE_SIGNED, 64e6) == 1); /* a share */
}

/* Every method has rates of its own, under its name. */
static void test_kinds(void) {
    for (size_t i = 0; nd_method_row(i) != NULL; i++) {
        const char *name = nd_method_row(i)->name;
        const nd_plan_kind kind = nd_plan_kind_of(name);
        CU_ASSERT_FATAL(kind < ND_PLAN_KINDS);
        CU_ASSERT(strcmp(name, "lcs") == 0 ? kind == ND_PLAN_LCS
                                           : strstr(nd_plan_kind_options[kind], name) != NULL);
    }
    CU_ASSERT(nd_plan_kind_of("nothing") == ND_PLAN_KINDS);
    for (int kind = 0; kind < ND_PLAN_KINDS; kind++) {
        const nd_plan_rates r = nd_plan_rates_of((nd_plan_kind)kind, false);
        CU_ASSERT(r.value[ND_RATE_SIGNED] > .5 && r.value[ND_RATE_SIGNED] < 1);
        CU_ASSERT(r.value[ND_RATE_POSTINGS] >= 1 && r.value[ND_RATE_SIGN_TIME] > 0);
        CU_ASSERT(r.value[ND_RATE_LEADERS_TIME] > 0);
    }
    const nd_plan_rates whole = nd_plan_rates_of(ND_PLAN_SIMHASH, true);
    const nd_plan_rates part = nd_plan_rates_of(ND_PLAN_SIMHASH, false);
    CU_ASSERT(whole.value[ND_RATE_CONTENT] == 1 && part.value[ND_RATE_CONTENT] < .8);
    CU_ASSERT(whole.value[ND_RATE_POSTINGS] == part.value[ND_RATE_POSTINGS]);
}

/* Built in: sizes that pages of crawls have, and shares below 1. */
static void test_built_in(void) {
    const nd_plan_rates r = nd_plan_rates_of(ND_PLAN_LCS, false);
    CU_ASSERT(r.value[ND_RATE_PAGE_BYTES] > 5e3 && r.value[ND_RATE_PAGE_BYTES] < 1e5);
    CU_ASSERT(r.value[ND_RATE_INPUT] > .05 && r.value[ND_RATE_INPUT] < 1);
    CU_ASSERT(r.value[ND_RATE_TOKENS] > .01 && r.value[ND_RATE_TOKENS] < .3);
    CU_ASSERT(r.value[ND_RATE_TEXT] > 4 && r.value[ND_RATE_TEXT] < 20);
    for (int i = 0; i < ND_RATES; i++) {
        const bool share = i == ND_RATE_CONTENT || i == ND_RATE_CONTENT_TOKENS ||
                           i == ND_RATE_SIGNED || i == ND_RATE_LINKS || i == ND_RATE_BLOCK_PAGES;
        CU_ASSERT(r.value[i] > 0 && (!share || r.value[i] < 1));
    }
}

/* 10 pages, 2 meetings each: one lot fetches 10 (1 - e^-2); very many fetch all 20. */
static void test_fetches(void) {
    CU_ASSERT(near(nd_plan_fetches(10, 2, 1), 8.646647167633873, 1e-12));
    CU_ASSERT(near(nd_plan_fetches(10, 2, 1e9), 20, 1e-8));
    CU_ASSERT(nd_plan_block_lots(1e6, ND_PLAN_RECORD, 8, 1e12) == 8);
    CU_ASSERT(
        near(nd_plan_block_lots(1 << 24, ND_PLAN_RECORD, 8, 1e12), 16, 1e-12)); /* of 2^20 each */
    CU_ASSERT(near(nd_plan_block_lots(1e6, ND_PLAN_RECORD, 1, 1152 * 1e5), 10, 1e-12));
}

static const nd_test tests[] = {
    {"growth", test_growth},
    {"built in", test_built_in},
    {"kinds of jobs", test_kinds},
    {"fetches", test_fetches},
};
ND_SUITE(t_plan_rates, tests)
