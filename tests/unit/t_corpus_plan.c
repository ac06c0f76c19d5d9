/* The plan of a synthetic corpus: every page has one place, clusters have the sizes and sites that
 * the options ask for, and a page can be planned alone. */
#include "src/synth/corpus_plan.h"

#include "src/base/sort.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

enum { PAGES = 30000 };

static const nd_corpus_options BASE = {.pages = PAGES, .seed = 7, .page_bytes = 23000};

static nd_corpus_plan *plan_of(const nd_corpus_options *options) {
    nd_corpus_plan *plan = NULL;
    CU_ASSERT_EQUAL_FATAL(nd_corpus_plan_new(options, &plan), ND_OK);
    return plan;
}

/* What a pass over all pages counts. */
typedef struct survey {
    uint64_t classes[ND_PAGE_CLASSES];
    uint64_t copies, at_home, on_first_site, licences, large_templates;
    uint64_t distinct; /* (story, member) */
} survey;

static survey survey_of(const nd_corpus_options *options) {
    survey s = {.copies = 0};
    nd_corpus_plan *plan = plan_of(options);
    uint64_t *places = calloc(options->pages, sizeof *places);
    CU_ASSERT_PTR_NOT_NULL_FATAL(places);
    for (uint64_t i = 0; i < options->pages; i++) {
        nd_page_plan p;
        nd_corpus_plan_page(plan, i, &p);
        CU_ASSERT_EQUAL(p.page, i);
        CU_ASSERT_TRUE(p.member < 1 << 20);
        CU_ASSERT_TRUE(p.site < nd_corpus_plan_options(plan)->sites);
        CU_ASSERT_TRUE(p.words >= 60);
        places[i] = p.story << 20 | p.member;
        s.classes[p.class]++;
        const bool copy = p.class > ND_PAGE_ORIGINAL && p.class <= ND_PAGE_PARTIAL;
        s.copies += copy;
        s.at_home += copy && p.site == p.home;
        s.on_first_site += p.site == 0;
        s.licences += p.licence;
        s.large_templates += p.class == ND_PAGE_TEMPLATE &&
                             nd_site_traits_get(options->seed, p.site).template_share >= .55;
        CU_ASSERT_EQUAL(nd_site_traits_get(options->seed, p.site).language,
                        nd_site_traits_get(options->seed, p.home).language);
    }
    s.distinct = nd_numbers_distinct(places, options->pages);
    free(places);
    nd_corpus_plan_free(&plan);
    CU_ASSERT_PTR_NULL(plan);
    return s;
}

static void check_near(double value, double wanted, double tolerance) {
    CU_ASSERT_DOUBLE_EQUAL(value, wanted, tolerance);
}

static void check_profile(nd_corpus_profile profile, double mean, double tolerance) {
    nd_corpus_options o = BASE;
    o.profile = profile;
    const survey s = survey_of(&o);
    CU_ASSERT_EQUAL(s.distinct, PAGES);
    const uint64_t originals = s.classes[ND_PAGE_ORIGINAL];
    check_near((double)(originals + s.copies) / (double)originals, mean, tolerance);
    check_near((double)s.at_home / (double)s.copies, .8, .06);
    for (int i = 0; i < ND_PAGE_CLASSES; i++) {
        CU_ASSERT_TRUE(s.classes[i] > 0);
    }
    CU_ASSERT_TRUE(s.classes[ND_PAGE_STAMPED] > s.classes[ND_PAGE_REORDERED]);
    CU_ASSERT_EQUAL(s.large_templates, s.classes[ND_PAGE_TEMPLATE]);
    CU_ASSERT_EQUAL(s.licences, 0);
}

static void test_archive(void) {
    check_profile(ND_PROFILE_ARCHIVE, 6, .3);
}

static void test_crawl(void) {
    check_profile(ND_PROFILE_CRAWL, 1.4, .05);
}

static void test_small(void) {
    for (uint64_t pages = 1; pages < 3000; pages = pages * 3 / 2 + 1) {
        nd_corpus_options o = BASE;
        o.pages = pages;
        CU_ASSERT_EQUAL(survey_of(&o).distinct, pages);
    }
}

static void test_skew_and_hot_key(void) {
    nd_corpus_options o = BASE;
    o.profile = ND_PROFILE_CRAWL; /* small clusters: shares are near their mean */
    o.skew = .3;
    o.hot_key = .2;
    const survey s = survey_of(&o);
    check_near((double)s.on_first_site / (double)PAGES, .3, .03);
    check_near((double)s.licences / (double)PAGES, .2, .03);
    o.skew = 1;
    o.hot_key = 1;
    const survey all = survey_of(&o);
    CU_ASSERT_EQUAL(all.on_first_site, PAGES);
    CU_ASSERT_EQUAL(all.licences, PAGES);
}

static void test_large(void) {
    nd_corpus_options o = BASE;
    o.pages = UINT64_C(10000000000);
    nd_corpus_plan *plan = plan_of(&o);
    nd_page_plan first, again;
    nd_corpus_plan_page(plan, o.pages - 1, &first);
    nd_corpus_plan_page(plan, 0, &again);
    nd_corpus_plan_page(plan, o.pages - 1, &again);
    CU_ASSERT_EQUAL(first.story, again.story);
    CU_ASSERT_EQUAL(first.member, again.member);
    CU_ASSERT_EQUAL(first.site, again.site);
    nd_corpus_plan_free(&plan);
}

static void test_bad_options(void) {
    static const struct {
        nd_corpus_options options;
        const char *name;
    } bad[] = {
        {{.pages = 0, .page_bytes = 23000}, "--pages"},
        {{.pages = UINT64_MAX, .page_bytes = 23000}, "--pages"},
        {{.pages = 10, .page_bytes = 10}, "--page-bytes"},
        {{.pages = 10, .page_bytes = UINT64_MAX}, "--page-bytes"},
        {{.pages = 10, .page_bytes = 23000, .text = 4}, "--text"},
        {{.pages = 10, .page_bytes = 23000, .text = 37}, "--text"},
        {{.pages = 10, .page_bytes = 23000, .text = -20}, "--text"},
        {{.pages = 10, .page_bytes = 6000, .text = 20}, "--text"},
        {{.pages = 10, .page_bytes = 23000, .sites = 11}, "--sites"},
        {{.pages = 10, .page_bytes = 23000, .skew = -.1}, "--skew"},
        {{.pages = 10, .page_bytes = 23000, .skew = 1.5}, "--skew"},
        {{.pages = 10, .page_bytes = 23000, .hot_key = 2}, "--hot-key"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        nd_corpus_plan *plan = NULL;
        CU_ASSERT_EQUAL(nd_corpus_plan_new(&bad[i].options, &plan), ND_ERR_USAGE);
        CU_ASSERT_PTR_NULL(plan);
        CU_ASSERT_PTR_EQUAL(strstr(nd_fail_text(), bad[i].name), nd_fail_text());
    }
}

static const nd_test tests[] = {
    {"the archive profile", test_archive},
    {"the crawl profile", test_crawl},
    {"few pages", test_small},
    {"one large site, one common text", test_skew_and_hot_key},
    {"ten thousand million pages", test_large},
    {"bad options", test_bad_options},
};

ND_SUITE(t_corpus_plan, tests)
