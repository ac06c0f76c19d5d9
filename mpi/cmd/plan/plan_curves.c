#include "mpi/cmd/plan/plan_curves.h"

#include "io/store/own_file.h"
#include "mpi/cmd/json_fields.h"
#include "src/base/util.h"
#include "src/plan/curve.h"

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

static int width_of(const nd_curve_spec *spec) {
    return (int)nd_max(strlen(spec->text), COLUMN);
}

static void print_table(const curves *c) {
    (void)printf("similarity");
    for (size_t i = 0; i < c->count; i++) {
        (void)printf("  %*s", width_of(&c->specs[i]), c->specs[i].text);
    }
    (void)puts("");
    for (int row = 0; row <= ROWS; row++) {
        const double similarity = (double)row / (double)ROWS;
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

static nd_status print_json(const curves *c) {
    nd_status st = ND_OK;
    json_object *root = json_object_new_array();
    for (size_t i = 0; i < c->count; i++) {
        const nd_curve_spec *spec = &c->specs[i];
        json_object *curve = nd_json_add_object(root, NULL);
        ND_TRY(nd_json_add_words(curve, "curve", spec->text));
        nd_json_add_decimal(curve, "half", nd_curve_spec_half(spec), 6);
        json_object *points = nd_json_add_array(curve, "points");
        for (int row = 0; row <= ROWS; row++) {
            const double similarity = (double)row / (double)ROWS;
            json_object *point = nd_json_add_array(points, NULL);
            nd_json_add_decimal(point, NULL, similarity, 2);
            nd_json_add_real(point, NULL, nd_curve_spec_at(spec, similarity), 9);
        }
    }
    ND_TRY(nd_json_print(stdout, root));
out:
    (void)json_object_put(root);
    return st;
}

nd_status nd_curves_print(const nd_curve_wishes *wishes) {
    nd_status st = ND_OK;
    nd_buffer svg = {0};
    curves c = {.count = 0};
    for (size_t i = 0; i < wishes->count; i++) {
        ND_TRY(nd_curve_spec_parse(wishes->specs[i], &c.specs[c.count++]));
    }
    if (wishes->proposes) {
        ND_TRY(propose(wishes, &c));
    }
    if (wishes->svg != NULL) {
        const double mark = wishes->proposes ? wishes->threshold : 0;
        ND_TRY(nd_curve_plot(c.specs, c.count, mark, &svg));
        ND_TRY(nd_own_file_save(wishes->svg, svg.data, svg.size));
    }
    if (wishes->json) {
        ND_TRY(print_json(&c));
        goto out;
    }
    if (wishes->proposes) {
        const nd_curve_spec *proposed = &c.specs[c.count - 1];
        (void)printf("proposed for threshold %g and %" PRIu32 " minima: %s (%" PRIu32
                     " minima; wrong meetings and misses count the same)\n\n",
                     wishes->threshold, wishes->budget, c.proposed,
                     proposed->groups.groups * proposed->groups.rows);
    }
    print_table(&c);
out:
    nd_buffer_free(&svg);
    return st;
}
