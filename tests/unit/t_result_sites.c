/* What a run learned of sites, read again: the lists of a site that is listed and of one that is
 * not, and results of before there were any. */
#include "io/result/result_read.h"
#include "src/text/address.h"
#include "tests/support/check.h"
#include "tests/support/small_result.h"

#include <stdio.h>

static uint64_t site(const char *name) {
    return nd_site_hash((nd_span){(const uint8_t *)name, 1}, 0);
}

static void open_made(nd_result *made, const char *left_out, const nd_test_change *changed) {
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/made.h5", nd_test_folder());
    nd_test_result_start(made, path, left_out, changed);
    nd_test_result_finish(made);
    CU_ASSERT_EQUAL_FATAL(nd_result_open(made, path), ND_OK);
}

static void test_lists(void) {
    nd_result made;
    nd_result_sites sites;
    open_made(&made, NULL, NULL);
    CU_ASSERT(nd_result_knows_sites(&made));
    CU_ASSERT_EQUAL(nd_result_sites_check(&made), ND_OK); /* each list ascends by itself */
    CU_ASSERT_EQUAL(nd_result_sites_open(&sites, &made), ND_OK);
    CU_ASSERT_EQUAL(sites.count, ND_TEST_SITES);
    CU_ASSERT_EQUAL(nd_result_sites_find(&sites, site("b")), ND_OK);
    CU_ASSERT(nd_result_site_drops(&sites, 3) && !nd_result_site_drops(&sites, 5));
    CU_ASSERT(nd_result_site_repeats(&sites, 4, true) && nd_result_site_repeats(&sites, 1, false));
    CU_ASSERT(!nd_result_site_repeats(&sites, 3, true));
    CU_ASSERT_EQUAL(nd_result_sites_find(&sites, site("d")), ND_OK);
    CU_ASSERT(nd_result_site_drops(&sites, 5) && nd_result_site_drops(&sites, 7));
    CU_ASSERT(!nd_result_site_drops(&sites, 3) && !nd_result_site_repeats(&sites, 1, true));
    CU_ASSERT_EQUAL(nd_result_sites_find(&sites, site("h")), ND_OK);
    CU_ASSERT(nd_result_site_drops(&sites, 9) && nd_result_site_repeats(&sites, 1, true));
    CU_ASSERT(!nd_result_site_repeats(&sites, 1, false)); /* a link, or nothing */
    nd_result_sites_close(&sites);
    (void)nd_result_close(&made);
}

/* A site that is not listed, and pages of no site, drop nothing and get no link back. */
static void test_not_listed(void) {
    const uint64_t others[] = {site("a"), 0, UINT64_MAX};
    nd_result made;
    nd_result_sites sites;
    open_made(&made, NULL, NULL);
    CU_ASSERT_EQUAL(nd_result_sites_open(&sites, &made), ND_OK);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        CU_ASSERT_EQUAL(nd_result_sites_find(&sites, site("d")), ND_OK);
        CU_ASSERT_EQUAL(nd_result_sites_find(&sites, others[i]), ND_OK);
        CU_ASSERT(!nd_result_site_drops(&sites, 5) && nd_result_site_repeats(&sites, 5, true));
        CU_ASSERT(!nd_result_site_repeats(&sites, 5, false));
    }
    nd_result_sites_close(&sites);
    (void)nd_result_close(&made);
}

static void test_damage(void) {
    static const nd_test_change order = {"/sites/name_bytes", 0, 'e', NULL};
    static const nd_test_change list = {"/sites/template", 1, 5, NULL};
    nd_result made;
    nd_result_sites sites;
    open_made(&made, NULL, &order);
    CU_ASSERT_EQUAL(nd_result_sites_open(&sites, &made), ND_ERR_FORMAT);
    nd_result_sites_close(&sites);
    (void)nd_result_close(&made);
    open_made(&made, NULL, &list);
    CU_ASSERT_EQUAL(nd_result_sites_open(&sites, &made), ND_OK);
    CU_ASSERT_EQUAL(nd_result_sites_find(&sites, site("d")), ND_ERR_FORMAT);
    CU_ASSERT_EQUAL(nd_result_sites_find(&sites, site("b")), ND_OK);
    nd_result_sites_close(&sites);
    (void)nd_result_close(&made);
}

static const nd_test tests[] = {
    {"lists", test_lists},
    {"sites that are not listed", test_not_listed},
    {"damage", test_damage},
};

ND_SUITE(t_result_sites, tests)
