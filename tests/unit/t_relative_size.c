/* Sizes from containment: the slides' example, values computed by numpy's lstsq, the four engines
 * of Bharat and Broder (1998), and collections that do not hang together. */
#include "src/measure/collections.h"
#include "tests/support/check.h"

#include <math.h>
#include <string.h>

enum { MOST = 8 };

/* \param[in] found  of `asked` pages of each row's collection those that the column has */
static nd_drawn_pages contain(size_t count, uint64_t asked, const uint64_t *found) {
    nd_drawn_pages c;
    nd_drawn_pages_open(&c, count);
    for (size_t x = 0; x < count; x++) {
        c.asked[x] = asked;
    }
    memcpy(c.found, found, count * count * sizeof *found);
    nd_drawn_pages_group(&c);
    return c;
}

static void check_sizes(const nd_drawn_pages *c, nd_size_form form, size_t fixed,
                        const double *expected) {
    double sizes[MOST];
    double scratch[MOST * MOST];
    nd_relative_sizes(c, form, fixed, sizes, scratch);
    for (size_t x = 0; x < c->collections; x++) {
        CU_ASSERT_DOUBLE_EQUAL(sizes[x], expected[x], 1e-9);
    }
}

/* IIR 19: half of A is in B, a sixth of B is in A: |A| / |B| = 1/3. */
static void test_slides(void) {
    nd_drawn_pages c = contain(2, 60, (uint64_t[]){60, 30, 10, 60});
    nd_estimate ratio;
    CU_ASSERT_TRUE_FATAL(nd_size_ratio(&c, 0, 1, &ratio));
    CU_ASSERT_DOUBLE_EQUAL(ratio.mean, 1. / 3, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(ratio.lower, .1790464762374912, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(ratio.upper, .620571336817212, 1e-9);
    for (int form = 0; form < ND_SIZE_FORMS; form++) {
        check_sizes(&c, (nd_size_form)form, 0, (double[]){1, 3});
        check_sizes(&c, (nd_size_form)form, 1, (double[]){1. / 3, 1});
    }
    nd_drawn_pages_free(&c);
}

/* Six equations, three unknowns. Least squares depend on which size is fixed, logarithms do not. */
static void test_lstsq(void) {
    static const uint64_t found[] = {100, 30, 20,  10, 50, 100, 25, 20,
                                     80,  40, 100, 30, 60, 45,  50, 100};
    nd_drawn_pages c = contain(4, 100, found);
    check_sizes(&c, ND_SIZE_SQUARES, 0,
                (double[]){1, .5501955920601281, .2728007598183011, .1851541135485006});
    check_sizes(&c, ND_SIZE_SQUARES, 2,
                (double[]){3.5101060130250588, 1.9456937916693011, 1, .6593462178852194});
    check_sizes(&c, ND_SIZE_LOGS, 0,
                (double[]){1, .5066520446768085, .2934934619353858, .1887895186905433});
    check_sizes(&c, ND_SIZE_LOGS, 2,
                (double[]){3.4072309257102087, 1.7262805151971332, 1, .6432494865323656});
    nd_drawn_pages_free(&c);
}

/* A sample that is a whole collection: `cells` things in each combination of collections. */
static void whole(nd_overlap_sample *s, size_t count, const uint64_t *cells) {
    uint64_t page = 0;
    CU_ASSERT_EQUAL_FATAL(nd_overlap_sample_open(s, count, 10000), ND_OK);
    for (uint64_t mask = 1; mask < UINT64_C(1) << count; mask++) {
        for (uint64_t i = 0; i < cells[mask]; i++, page++) {
            for (size_t x = 0; x < count; x++) {
                CU_ASSERT_EQUAL_FATAL(
                    mask >> x & 1 ? nd_overlap_sample_offer(s, x, nd_mix64(page), page, &mask)
                                  : ND_OK,
                    ND_OK);
            }
        }
    }
    CU_ASSERT_EQUAL_FATAL(nd_overlap_sample_finish(s), ND_OK);
}

/* November 1997, in units of 100,000 pages: HotBot 77 M, AltaVista 100 M, Excite 32 M, Infoseek
 * 17 M, together 160 M, 2.2 M in all four. How pairs and threes overlap was chosen to fit: from
 * the overlaps alone follow 48, 62, 20 and 11 % of the joint coverage. */
static void test_engines(void) {
    static const uint64_t cells[16] = {0,  391, 555, 214, 100, 30, 80, 60,
                                       50, 15,  25,  30,  6,   8,  14, 22};
    static const double expected[] = {770. / 1600, 1000. / 1600, 320. / 1600, 170. / 1600};
    nd_overlap_sample s;
    nd_size_estimates e;
    whole(&s, 4, cells);
    for (size_t fixed = 0; fixed < 4; fixed++) {
        CU_ASSERT_EQUAL_FATAL(nd_size_estimates_make(&e, &s, fixed, 10, 1), ND_OK);
        CU_ASSERT_EQUAL(e.of.groups, 1);
        for (int form = 0; form < ND_SIZE_FORMS; form++) {
            for (size_t x = 0; x < 4; x++) {
                const nd_size_estimate *by = &e.by[form][x];
                CU_ASSERT_DOUBLE_EQUAL(by->share.mean, expected[x], 1e-9);
                CU_ASSERT_DOUBLE_EQUAL(by->size.mean, expected[x] / expected[fixed], 1e-9);
                CU_ASSERT(by->share.lower <= by->share.upper);
            }
        }
        nd_size_estimates_free(&e);
    }
    nd_overlap_sample_free(&s);
}

/* 0 and 2 share things, 1 and 4 do; 3 has none of the others', though 0 has one of its own. */
static void test_apart(void) {
    static const uint64_t found[] = {10, 0, 5, 0, 0, 0,  10, 0, 0, 4, 2, 0, 10,
                                     0,  0, 1, 0, 0, 10, 0,  0, 8, 0, 0, 10};
    nd_drawn_pages c = contain(5, 10, found);
    nd_estimate ratio = {.mean = 7};
    CU_ASSERT_EQUAL(c.groups, 3);
    CU_ASSERT_EQUAL(c.group[0], 0);
    CU_ASSERT_EQUAL(c.group[1], 1);
    CU_ASSERT_EQUAL(c.group[2], 0);
    CU_ASSERT_EQUAL(c.group[3], 3);
    CU_ASSERT_EQUAL(c.group[4], 1);
    CU_ASSERT_FALSE(nd_size_ratio(&c, 0, 1, &ratio));
    CU_ASSERT_FALSE(nd_size_ratio(&c, 0, 3, &ratio));
    CU_ASSERT_EQUAL(ratio.mean, 7);
    for (int form = 0; form < ND_SIZE_FORMS; form++) {
        check_sizes(&c, (nd_size_form)form, 2, (double[]){.4, 1, 1, 1, .5});
    }
    for (size_t x = 0; x < 5; x++) {
        c.part[x] = .5;
    }
    double shares[] = {.4, 1, 1, 1, .5};
    nd_joint_shares(&c, shares);
    CU_ASSERT_DOUBLE_EQUAL(shares[0], .4 / .7, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(shares[4], .5 / .75, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(shares[3], 2, 1e-12);
    nd_drawn_pages_free(&c);
}

/* Without a page nothing is known, and nothing is divided. */
static void test_empty(void) {
    static const uint64_t cells[4] = {0, 3, 0, 0};
    nd_overlap_sample s;
    nd_size_estimates e;
    whole(&s, 2, cells);
    CU_ASSERT_EQUAL_FATAL(nd_size_estimates_make(&e, &s, 0, 5, 1), ND_OK);
    CU_ASSERT_EQUAL(e.of.groups, 2);
    CU_ASSERT_EQUAL(e.apart, 0);
    CU_ASSERT_EQUAL(e.by[ND_SIZE_SQUARES][0].share.mean, 1);
    CU_ASSERT(isnan(e.by[ND_SIZE_SQUARES][1].share.mean));
    CU_ASSERT(isnan(e.by[ND_SIZE_SQUARES][1].share.lower));
    nd_size_estimates_free(&e);
    nd_overlap_sample_free(&s);
}

/* One shared thing: in a third of the resamples it is not drawn, and they are counted apart. */
static void test_resamples_apart(void) {
    static const uint64_t cells[4] = {0, 9, 9, 1};
    nd_overlap_sample s;
    nd_size_estimates e;
    whole(&s, 2, cells);
    CU_ASSERT_EQUAL_FATAL(nd_size_estimates_make(&e, &s, 0, 1000, 1), ND_OK);
    /* (1 - .9^10)^2 = .424 of them have it on both sides */
    CU_ASSERT(e.apart > 500 && e.apart < 650);
    CU_ASSERT(!isnan(e.by[ND_SIZE_LOGS][1].size.lower));
    nd_size_estimates_free(&e);
    nd_overlap_sample_free(&s);
}

static void test_solve(void) {
    double a[] = {4, 0, 0, 1, 5, 0, 2, 3, 6}; /* the lower half */
    double b[] = {1, 2, 3};
    CU_ASSERT_TRUE(nd_linear_solve(a, b, 3));
    CU_ASSERT_DOUBLE_EQUAL(b[0], 0, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(b[1], 1. / 7, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(b[2], 3. / 7, 1e-12);
    double singular[] = {1, 1, 1, 1};
    CU_ASSERT_FALSE(nd_linear_solve(singular, b, 2));
    double negative[] = {1, 0, 2, 1};
    CU_ASSERT_FALSE(nd_linear_solve(negative, b, 2));
    double nothing[] = {(double)NAN};
    CU_ASSERT_FALSE(nd_linear_solve(nothing, b, 1));
    CU_ASSERT_TRUE(nd_linear_solve(NULL, NULL, 0));
}

static const nd_test tests[] = {
    {"the slides' example", test_slides}, {"against lstsq", test_lstsq},
    {"four engines", test_engines},       {"not together", test_apart},
    {"nothing there", test_empty},        {"resamples apart", test_resamples_apart},
    {"linear equations", test_solve}};
ND_SUITE(t_relative_size, tests)
