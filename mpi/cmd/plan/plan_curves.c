#include "mpi/cmd/plan/plan_curves.h"

#include "io/store/own_file.h"
#include "src/plan/curve_plot.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 20, COLUMN = 10, PROPOSED_SIZE = 64 };

/* All curves, the proposed one last. */
typedef struct curves {
    nd_curve_spec specs[ND_CURVES_MAX + 1];
    size_t count;
    char proposed[PROPOSED_SIZE];
} curves;

/* What is met wrongly and what is missed count the same, as in datasketch. */
static nd_status propose(const nd_curve_wishes *w, curves *c) {
    const nd_curve_weights weights = {.5, .5};
    if (!(w->threshold > 0 && w->threshold < 1)) {
        return nd_fail(ND_ERR_USAGE, "--propose %g: must lie between 0 and 1", w->threshold);
    }
    if (w->budget == 0 || w->budget > 100000) {
        return nd_fail(ND_ERR_USAGE, "--budget %" PRIu32 ": must be from 1 to 100000 minima",
                       w->budget);
    }
    const nd_curve curve = nd_curve_choose(w->threshold, w->budget, weights);
    (void)snprintf(c->proposed, sizeof c->proposed, "bands:%" PRIu32 "x%" PRIu32, curve.groups,
                   curve.rows);
    return nd_curve_spec_parse(c->proposed, &c->specs[c->count++]);
}

static nd_status parse_all(const nd_curve_wishes *w, curves *c) {
    nd_status st = ND_OK;
    for (size_t i = 0; i < w->count; i++) {
        ND_TRY(nd_curve_spec_parse(w->specs[i], &c->specs[c->count++]));
    }
    if (w->proposes) {
        ND_TRY(propose(w, c));
    }
out:
    return st;
}

static int width_of(const nd_curve_spec *spec) {
    const int length = (int)strlen(spec->text);
    return length > COLUMN ? length : COLUMN;
}

static void print_table(const curves *c) {
    (void)printf("similarity");
    for (size_t i = 0; i < c->count; i++) {
        (void)printf("  %*s", width_of(&c->specs[i]), c->specs[i].text);
    }
    (void)puts("");
    for (int row = 0; row <= ROWS; row++) {
        const double similarity = (double)row / ROWS;
        (void)printf("%10.2f", similarity);
        for (size_t i = 0; i < c->count; i++) {
            (void)printf("  %*.6f", width_of(&c->specs[i]),
                         nd_curve_spec_at(&c->specs[i], similarity));
        }
        (void)puts("");
    }
    (void)printf("half at   ");
    for (size_t i = 0; i < c->count; i++) {
        (void)printf("  %*.3f", width_of(&c->specs[i]), nd_curve_spec_half(&c->specs[i]));
    }
    (void)puts("");
}

/* A setting has letters, digits and :/x alone, so nothing has to be escaped. */
static void print_json(const curves *c) {
    (void)printf("[");
    for (size_t i = 0; i < c->count; i++) {
        const nd_curve_spec *spec = &c->specs[i];
        (void)printf("%s{\"curve\":\"%s\",\"half\":%.6f,\"points\":[", i == 0 ? "" : ",",
                     spec->text, nd_curve_spec_half(spec));
        for (int row = 0; row <= ROWS; row++) {
            const double similarity = (double)row / ROWS;
            (void)printf("%s[%.2f,%.9g]", row == 0 ? "" : ",", similarity,
                         nd_curve_spec_at(spec, similarity));
        }
        (void)printf("]}");
    }
    (void)puts("]");
}

static nd_status write_svg(const nd_curve_wishes *w, const curves *c) {
    nd_status st = ND_OK;
    nd_buffer svg = {0};
    ND_TRY(nd_curve_plot(c->specs, c->count, w->proposes ? w->threshold : 0, &svg));
    ND_TRY(nd_own_file_save(w->svg, svg.data, svg.size));
out:
    nd_buffer_free(&svg);
    return st;
}

nd_status nd_curves_print(const nd_curve_wishes *wishes) {
    nd_status st = ND_OK;
    curves c = {.count = 0};
    ND_TRY(parse_all(wishes, &c));
    if (wishes->svg != NULL) {
        ND_TRY(write_svg(wishes, &c));
    }
    if (wishes->proposes && !wishes->json) {
        (void)printf("proposed for threshold %g and %" PRIu32 " minima: %s (%" PRIu32
                     " minima; wrong meetings and misses count the same)\n\n",
                     wishes->threshold, wishes->budget, c.proposed,
                     c.specs[c.count - 1].groups.groups * c.specs[c.count - 1].groups.rows);
    }
    if (wishes->json) {
        print_json(&c);
    } else {
        print_table(&c);
    }
out:
    return st;
}
