/* The shingles of one page after another are those of each alone, however much is alike of what
 * came before: what is kept of the latest page is used for an equal one only. */
#include "src/method/method.h"
#include "src/method/signature.h"
#include "tests/support/check.h"

#include <string.h>

enum { LONG = 64, SHORT = 16 };

static void test_latest_page(void) {
    nd_random random = nd_test_random("pages that are alike");
    nd_method_options options;
    nd_method_work kept = {0};
    uint32_t tokens[2][LONG];
    CU_ASSERT_EQUAL_FATAL(nd_method_own_options(nd_method_find("lsh"), &options), ND_OK);
    options.shingle_tokens = 2;
    options.thinning = 0;
    for (int i = 0; i < 2 * LONG; i++) {
        tokens[i / LONG][i % LONG] = (uint32_t)nd_random_below(&random, 1000);
    }
    for (int page = 0; page < 2000; page++) { /* begins as the one text, ends as the other */
        uint32_t mixed[LONG];
        nd_method_work fresh = {0};
        const size_t cut = nd_random_below(&random, SHORT + 1);
        const uint32_t count = page % 3 == 0 ? LONG : SHORT;
        memcpy(mixed, tokens[page % 2], sizeof mixed);
        memcpy(mixed, tokens[1 - page % 2], cut * sizeof mixed[0]);
        const nd_document document = {mixed, count, NULL, 0, .origin = {.site = 0}};
        nd_page_shingles(&options, &kept, &document);
        nd_page_shingles(&options, &fresh, &document);
        CU_ASSERT_FATAL(fresh.shingle_count > 0 && kept.shingle_count == fresh.shingle_count);
        CU_ASSERT_EQUAL(
            memcmp(kept.shingles, fresh.shingles, fresh.shingle_count * sizeof *fresh.shingles), 0);
        nd_method_work_free(&fresh);
    }
    nd_method_work_free(&kept);
}

static const nd_test tests[] = {{"the latest page", test_latest_page}};
ND_SUITE(t_page_sketch, tests)
