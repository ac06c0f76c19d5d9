/* Rates from runs: what runs were made of is found again; and what they do not say is left. */
#include "src/plan/plan_records.h"
#include "src/plan/run_plan.h"
#include "tests/support/check.h"

#include <math.h>

static bool near(double a, double b, double most) {
    return fabs(a - b) <= most * fabs(b);
}

/* A run as these rates foretell it: the model backwards. */
static nd_plan_run run_of(const nd_plan_rates *r, double pages, double ranks, double batch) {
    const double page_bytes = nd_plan_rate(r, ND_RATE_PAGE_BYTES, pages);
    nd_plan_run run = {.pages = pages, .ranks = ranks, .batch_bytes = batch};
    run.page_bytes = pages * page_bytes;
    run.input_bytes = run.page_bytes * r->value[ND_RATE_INPUT];
    run.tokens = run.page_bytes * r->value[ND_RATE_TOKENS];
    run.text_bytes = run.tokens * r->value[ND_RATE_TEXT];
    run.content_bytes = run.text_bytes * r->value[ND_RATE_CONTENT];
    run.content_tokens = run.tokens * r->value[ND_RATE_CONTENT_TOKENS];
    run.name_bytes = pages * r->value[ND_RATE_NAMES];
    run.signed_pages = pages * nd_plan_rate(r, ND_RATE_SIGNED, pages);
    run.postings = run.signed_pages * r->value[ND_RATE_POSTINGS];
    run.candidates = run.signed_pages * nd_plan_rate(r, ND_RATE_CANDIDATES, pages);
    run.pairs = run.signed_pages * nd_plan_rate(r, ND_RATE_PAIRS, pages);
    run.pair_finds = run.pairs * r->value[ND_RATE_FINDS];
    run.links = run.pairs * r->value[ND_RATE_LINKS];
    run.contained_pairs = pages * r->value[ND_RATE_CONTAIN_PAIRS];
    run.columns = pages * nd_plan_rate(r, ND_RATE_COLUMNS, pages);
    run.name_columns = run.name_bytes * r->value[ND_RATE_NAME_COLUMNS];
    const nd_plan_task task = {
        .pages = pages,
        .nodes = 1,
        .ranks = ranks,
        .memory = {.batch = batch, .store = 1e15, .sort = 1e15, .spool = 1e15},
        .speed = 1,
        .asking = 1,
        .input_disk = 1e15,
        .disk = 1e15,
        .network = 1e15};
    const nd_plan plan = nd_plan_make(&task, r);
    for (int i = 0; i < ND_PLAN_STAGES; i++) {
        run.sent[i] = plan.parts[i].sent * ranks;
        run.seconds[i] = plan.parts[i].cpu;
    }
    return run;
}

static nd_plan_rates other_rates(void) {
    nd_plan_rates rates = nd_plan_default_rates();
    for (int i = 0; i < ND_RATES; i++) {
        rates.value[i] *= 0.7 + 0.01 * i;
        rates.per_doubling[i] = nd_rate_get((nd_rate)i)->logarithmic ? 0.01 * rates.value[i] : 0;
    }
    return rates;
}

static void test_found_again(void) {
    const nd_plan_rates truth = other_rates();
    nd_plan_rates found = nd_plan_default_rates();
    const nd_plan_run runs[] = {run_of(&truth, 1e4, 2, 1e9), run_of(&truth, 1e5, 4, 1e9),
                                run_of(&truth, 1e5, 2, 1e8), run_of(&truth, 1e6, 8, 1e9)};
    nd_plan_calibrate(&found, runs, sizeof runs / sizeof runs[0]);
    for (int i = 0; i < ND_RATES; i++) {
        const bool meetings = i == ND_RATE_BLOCK_MEETINGS || i == ND_RATE_VERIFY_MEETINGS;
        /* meetings are searched in steps, and what follows from them is as coarse */
        const bool coarse = meetings || i == ND_RATE_BLOCK_PAGES || i == ND_RATE_VERIFY_PAGES;
        if (!near(found.value[i], truth.value[i], coarse ? 0.03 : 1e-6)) {
            printf("%s: %g, not %g\n", nd_rate_get((nd_rate)i)->name, found.value[i],
                   truth.value[i]);
            CU_FAIL("a rate differs");
        }
        CU_ASSERT(coarse || near(found.per_doubling[i], truth.per_doubling[i], 1e-4));
    }
}

/* One run, on one rank, says nothing of exchanges, and of a change with the pages only what is
 * known already, in proportion. */
static void test_one_run(void) {
    const nd_plan_rates truth = other_rates();
    const nd_plan_rates before = nd_plan_default_rates();
    nd_plan_rates found = before;
    const nd_plan_run run = run_of(&truth, 1e5, 1, 1e9);
    nd_plan_calibrate(&found, &run, 1);
    CU_ASSERT(found.value[ND_RATE_FRAGMENTS] == before.value[ND_RATE_FRAGMENTS]);
    CU_ASSERT(found.value[ND_RATE_BLOCK_PAGES] == before.value[ND_RATE_BLOCK_PAGES]);
    CU_ASSERT(found.value[ND_RATE_BLOCK_MEETINGS] == before.value[ND_RATE_BLOCK_MEETINGS]);
    CU_ASSERT(found.value[ND_RATE_CONTAIN_KEYS] == before.value[ND_RATE_CONTAIN_KEYS]);
    CU_ASSERT(near(found.value[ND_RATE_TEXT], truth.value[ND_RATE_TEXT], 1e-9));
    CU_ASSERT(near(nd_plan_rate(&found, ND_RATE_CANDIDATES, 1e5),
                   nd_plan_rate(&truth, ND_RATE_CANDIDATES, 1e5), 1e-9));
    CU_ASSERT(near(found.per_doubling[ND_RATE_CANDIDATES] / before.per_doubling[ND_RATE_CANDIDATES],
                   nd_plan_rate(&found, ND_RATE_CANDIDATES, 1e5) /
                       nd_plan_rate(&before, ND_RATE_CANDIDATES, 1e5),
                   1e-9));
}

/* A run that looks for no pages inside of others says nothing of that. */
static void test_not_contained(void) {
    const nd_plan_rates truth = other_rates();
    const nd_plan_rates before = nd_plan_default_rates();
    nd_plan_rates found = before;
    nd_plan_run run = run_of(&truth, 1e5, 2, 1e9);
    run.contained_pairs = 0;
    nd_plan_calibrate(&found, &run, 1);
    CU_ASSERT(found.value[ND_RATE_CONTAIN_KEYS] == before.value[ND_RATE_CONTAIN_KEYS]);
    CU_ASSERT(found.value[ND_RATE_CONTAIN_PAIRS] == before.value[ND_RATE_CONTAIN_PAIRS]);
    CU_ASSERT(found.value[ND_RATE_CONTAIN_TIME] == before.value[ND_RATE_CONTAIN_TIME]);
    CU_ASSERT(near(found.value[ND_RATE_TEXT], truth.value[ND_RATE_TEXT], 1e-9));
}

/* Time on the disk is no time of a core. */
static void test_time_in_memory(void) {
    const nd_plan_rates truth = other_rates();
    nd_plan_rates found = nd_plan_default_rates();
    nd_plan_run runs[] = {run_of(&truth, 1e5, 2, 1e9), run_of(&truth, 1e6, 2, 1e9)};
    runs[1].file_bytes = 1;
    runs[1].seconds[ND_PLAN_CONTENT] *= 10;
    nd_plan_calibrate(&found, runs, 2);
    CU_ASSERT(near(found.value[ND_RATE_CONTENT_TIME], truth.value[ND_RATE_CONTENT_TIME], 1e-9));
    nd_plan_calibrate(&found, runs + 1, 1);
    CU_ASSERT(
        near(found.value[ND_RATE_CONTENT_TIME], 10 * truth.value[ND_RATE_CONTENT_TIME], 1e-9));
}

static void test_growth(void) {
    nd_plan_rates rates = nd_plan_default_rates();
    rates.value[ND_RATE_CANDIDATES] = 20;
    rates.per_doubling[ND_RATE_CANDIDATES] = 3;
    CU_ASSERT(near(nd_plan_rate(&rates, ND_RATE_CANDIDATES, 8e6), 29, 1e-12));
    CU_ASSERT(nd_plan_rate(&rates, ND_RATE_CANDIDATES, 1) == 0); /* never below */
    rates.value[ND_RATE_SIGNED] = 0.9;
    rates.per_doubling[ND_RATE_SIGNED] = 0.1;
    CU_ASSERT(nd_plan_rate(&rates, ND_RATE_SIGNED, 64e6) == 1); /* a share */
}

/* Built in: sizes that pages of crawls have, and shares below 1. */
static void test_built_in(void) {
    const nd_plan_rates r = nd_plan_default_rates();
    CU_ASSERT(r.value[ND_RATE_PAGE_BYTES] > 5e3 && r.value[ND_RATE_PAGE_BYTES] < 1e5);
    CU_ASSERT(r.value[ND_RATE_INPUT] > .05 && r.value[ND_RATE_INPUT] < 1);
    CU_ASSERT(r.value[ND_RATE_TOKENS] > .01 && r.value[ND_RATE_TOKENS] < .3);
    CU_ASSERT(r.value[ND_RATE_TEXT] > 4 && r.value[ND_RATE_TEXT] < 20);
    for (int i = 0; i < ND_RATES; i++) {
        const bool share = i == ND_RATE_CONTENT || i == ND_RATE_CONTENT_TOKENS ||
                           i == ND_RATE_SIGNED || i == ND_RATE_LINKS || i == ND_RATE_BLOCK_PAGES;
        CU_ASSERT(r.value[i] > 0 && (!share || r.value[i] < 1));
        CU_ASSERT(r.per_doubling[i] == 0 || nd_rate_get((nd_rate)i)->logarithmic);
    }
}

/* 10 pages, 2 meetings each: one lot fetches 10 (1 - e^-2); very many fetch all 20. */
static void test_fetches(void) {
    CU_ASSERT(near(nd_plan_fetches(10, 2, 1), 8.646647167633873, 1e-12));
    CU_ASSERT(near(nd_plan_fetches(10, 2, 1e9), 20, 1e-8));
    CU_ASSERT(nd_plan_block_lots(1e6, 8, 1e12) == 8);
    CU_ASSERT(near(nd_plan_block_lots(1 << 24, 8, 1e12), 16, 1e-12)); /* of 2^20 each */
    CU_ASSERT(near(nd_plan_block_lots(1e6, 1, 1152 * 1e5), 10, 1e-12));
}

static const nd_test tests[] = {
    {"rates are found again", test_found_again},
    {"one run", test_one_run},
    {"pages inside of others", test_not_contained},
    {"time in memory", test_time_in_memory},
    {"growth", test_growth},
    {"built in", test_built_in},
    {"fetches", test_fetches},
};
ND_SUITE(t_plan_rates, tests)
