/* Settings as they are written, and their picture. */
#include "src/plan/curve.h"
#include "tests/support/check.h"

#include <math.h>
#include <string.h>

static double at(const char *text, double similarity) {
    nd_curve_spec spec;
    return nd_curve_spec_parse(text, &spec) == ND_OK ? nd_curve_spec_at(&spec, similarity) : -1;
}

static void test_kinds(void) {
    const nd_curve supershingles = {6, 14, 2};
    const nd_curve minima = {100, 1, 90};
    const nd_pieces pieces = {384, 12, 1};
    CU_ASSERT(fabs(at("bands:20x5", .8) - (1 - pow(1 - pow(.8, 5), 20))) < 1e-12);
    CU_ASSERT(fabs(at("buckets:7x3", .5) - (1 - pow(1 - .125, 7))) < 1e-12);
    CU_ASSERT(at("sketch:90/100", .9) == nd_curve_at(&minima, .9));
    CU_ASSERT(at("supershingles:6x14:2", .9) == nd_curve_at(&supershingles, .9));
    CU_ASSERT(at("pieces:12x32:384", 1 - 20.0 / 384) == nd_pieces_at(&pieces, 20));
    CU_ASSERT(at("pieces:12x32:384:12", 1) == 1 && at("pieces:12x32:384:12", .99) == 0);
}

static void test_refused(void) {
    static const char *const wrong[] = {"",
                                        "bands",
                                        "bands:",
                                        "bands:5",
                                        "bands:5x",
                                        "bands:x5",
                                        "bands:0x5",
                                        "bands:-1x5",
                                        "bands: 5x5",
                                        "bands:5x5 ",
                                        "bands:5x5:1",
                                        "bands:2000000x5",
                                        "bands:99999999999999999999x5",
                                        "band:5x5",
                                        "sketch:100/90",
                                        "supershingles:6x14:7",
                                        "supershingles:6x14",
                                        "pieces:12x32:385",
                                        "pieces:12x32:384:13",
                                        "pieces:4x500:2000"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        nd_curve_spec spec;
        if (nd_curve_spec_parse(wrong[i], &spec) != ND_ERR_USAGE) {
            printf("taken: '%s'\n", wrong[i]);
            CU_FAIL("taken");
        }
        CU_ASSERT(strstr(nd_fail_text(), wrong[i]) != NULL);
    }
}

static void test_half(void) {
    nd_curve_spec spec;
    CU_ASSERT(nd_curve_spec_parse("supershingles:6x14:2", &spec) == ND_OK);
    CU_ASSERT(fabs(nd_curve_spec_half(&spec) - .909) < .0006);
    CU_ASSERT(nd_curve_spec_parse("pieces:12x32:384", &spec) == ND_OK);
    const double half = nd_curve_spec_half(&spec);
    CU_ASSERT(nd_curve_spec_at(&spec, half) >= .5);
    CU_ASSERT(nd_curve_spec_at(&spec, half - 2.0 / 384) < .5);
}

static size_t occurrences(const char *text, const char *word) {
    size_t count = 0;
    for (; (text = strstr(text, word)) != NULL; text++) {
        count++;
    }
    return count;
}

/* A curve in the picture goes through the plot's corners: bottom left, top right. */
static void test_plot(void) {
    nd_curve_spec specs[2];
    nd_buffer svg = {0};
    CU_ASSERT(nd_curve_spec_parse("bands:20x5", &specs[0]) == ND_OK);
    CU_ASSERT(nd_curve_spec_parse("sketch:90/100", &specs[1]) == ND_OK);
    CU_ASSERT(nd_curve_plot(specs, 2, .8, &svg) == ND_OK);
    nd_buffer_append(&svg, "", 1);
    const char *text = (const char *)svg.data;
    CU_ASSERT(strncmp(text, "<svg ", 5) == 0 && strcmp(text + strlen(text) - 7, "</svg>\n") == 0);
    CU_ASSERT(occurrences(text, "<polyline ") == 2);
    CU_ASSERT(occurrences(text, "points=\"60.0,420.00 ") == 2);
    CU_ASSERT(occurrences(text, " 500.0,20.00 \"/>") == 2);
    CU_ASSERT(occurrences(text, " 280.0,") == 2); /* and is drawn at one half */
    CU_ASSERT(occurrences(text, ">0.5</text>") == 2);
    CU_ASSERT(occurrences(text, ">bands:20x5</text>") == 1);
    CU_ASSERT(occurrences(text, ">sketch:90/100</text>") == 1);
    CU_ASSERT(occurrences(text, ">similarity</text>") == 1);
    CU_ASSERT(occurrences(text, "M412.0 420.0V20.0\" stroke=\"#888\"") == 1); /* the mark */
    nd_buffer_free(&svg);
}

/* More curves than there are colours: the next ones have the same colours, and are broken lines. */
static void test_many_curves(void) {
    enum { CURVES = 9 };
    nd_curve_spec specs[CURVES];
    nd_buffer svg = {0};
    for (size_t i = 0; i < CURVES; i++) {
        CU_ASSERT(nd_curve_spec_parse("bands:20x5", &specs[i]) == ND_OK);
    }
    CU_ASSERT(nd_curve_plot(specs, CURVES, .8, &svg) == ND_OK);
    nd_buffer_append(&svg, "", 1);
    const char *text = (const char *)svg.data;
    CU_ASSERT(occurrences(text, "\"#0072B2\"") == 2 * 2); /* in the plot, and beside it */
    CU_ASSERT(occurrences(text, "\"#B0A000\"") == 2);
    CU_ASSERT(occurrences(text, "\"6 3\"") == 2);
    nd_buffer_free(&svg);
}

static const nd_test tests[] = {
    {"kinds of settings", test_kinds}, {"what is refused", test_refused}, {"half", test_half},
    {"the picture", test_plot},        {"many curves", test_many_curves},
};
ND_SUITE(t_curve_spec, tests)
