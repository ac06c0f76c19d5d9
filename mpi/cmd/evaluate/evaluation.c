#include "mpi/cmd/evaluate/evaluation.h"

#include "mpi/cmd/json_fields.h"
#include "src/base/printable.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static nd_measure pairwise(const nd_evaluation *e) {
    return nd_measure_pairs(e->agreement.common_pairs, e->agreement.predicted_pairs,
                            e->agreement.true_pairs);
}

static void print_measure(const char *name, nd_measure m) {
    (void)printf("%-10s %9.4f %9.4f %9.4f\n", name, m.precision, m.recall, m.f1);
}

/* ---- bands that pairs were drawn from */

static void print_estimate(nd_estimate estimate) {
    (void)printf("  %9.4f  %.4f to %.4f\n", estimate.mean, estimate.lower, estimate.upper);
}

static void print_bands(const nd_evaluation *e) {
    nd_estimate all;
    double known = 0;
    (void)puts("of pairs in one set, by the band that they were drawn from\n"
               "band            pairs   same    not  precision  95 %");
    for (size_t i = 0; i < e->bands->count; i++) {
        const nd_band_count *c = &e->band_counts[i];
        nd_print_padded(stdout, nd_name_table_at(e->bands, i), 10);
        (void)printf(" %10" PRIu64 " %6" PRIu64 " %6" PRIu64, c->pairs, c->same, c->different);
        if (c->same + c->different > 0) {
            print_estimate(nd_wilson(c->same, c->same + c->different));
        } else {
            (void)puts("          -");
        }
    }
    if (nd_band_precision(e->band_counts, e->bands->count, &all, &known)) {
        (void)printf("all, each band by its pairs        ");
        print_estimate(all);
        if (known < 1) {
            (void)printf("of %.1f %% of the pairs: the other bands have no label\n", 100 * known);
        }
    }
}

static void add_estimate(json_object *to, nd_estimate estimate) {
    nd_json_add_share(to, "precision", estimate.mean);
    nd_json_add_share(to, "lower", estimate.lower);
    nd_json_add_share(to, "upper", estimate.upper);
}

static nd_status add_bands(json_object *root, const nd_evaluation *e) {
    nd_status st = ND_OK;
    nd_estimate all;
    double known = 0;
    json_object *list = nd_json_add_array(root, "bands");
    for (size_t i = 0; i < e->bands->count; i++) {
        const nd_band_count *c = &e->band_counts[i];
        json_object *row = nd_json_add_object(list, NULL);
        ND_TRY(nd_json_add_text(row, "band", nd_name_table_at(e->bands, i)));
        nd_json_add_number(row, "pairs", c->pairs);
        nd_json_add_number(row, "same", c->same);
        nd_json_add_number(row, "different", c->different);
        if (c->same + c->different > 0) {
            add_estimate(row, nd_wilson(c->same, c->same + c->different));
        }
    }
    if (nd_band_precision(e->band_counts, e->bands->count, &all, &known)) {
        json_object *sum = nd_json_add_object(root, "all_bands");
        add_estimate(sum, all);
        nd_json_add_share(sum, "share_of_pairs", known);
    }
out:
    return st;
}

void nd_evaluation_print(const nd_evaluation *e) {
    const nd_agreement *a = &e->agreement;
    (void)printf("pages      %" PRIu64 " evaluated of %" PRIu64 " in the truth; %" PRIu64
                 " not in the result, %" PRIu64 " loose\n",
                 a->pages, e->truth_pages, e->missing, e->loose);
    if (e->by_pairs) {
        (void)printf("listed     %" PRIu64 " pairs, %" PRIu64 " not evaluated\n", e->truth_pairs,
                     e->skipped_pairs);
    } else {
        (void)printf("partition  %" PRIu64 " clusters, %" PRIu64 " sets\n", a->clusters, a->sets);
    }
    (void)printf("pairs      %" PRIu64 " true, %" PRIu64 " predicted, %" PRIu64 " both",
                 a->true_pairs, a->predicted_pairs, a->common_pairs);
    if (e->ambiguous_clusters > 0) {
        (void)printf("; %" PRIu64 " predicted ones of ambiguous clusters not evaluated",
                     a->skipped_pairs);
    }
    (void)puts("");
    if (e->by_pairs) {
        (void)printf("label      similar     pairs  together\n");
    }
    for (size_t i = 0; i < e->label_count; i++) {
        const nd_label_count *l = &e->labels[i];
        nd_print_padded(stdout, l->label, 10);
        (void)printf(" %7s %9" PRIu64 " %9" PRIu64 "\n",
                     l->similar  ? "yes"
                     : l->unsure ? "unsure"
                                 : "no",
                     l->pairs, l->together);
    }
    (void)printf("           precision    recall        F1\n");
    print_measure("pairwise", pairwise(e));
    if (!e->by_pairs) {
        print_measure("b-cubed", nd_measure_cubed(&e->agreement));
        print_measure("removal", nd_measure_removal(&e->agreement));
        (void)printf("adjusted Rand index %.4f\n", nd_adjusted_rand_index(&e->agreement));
    }
    if (e->agreement.predicted_pairs == 0) {
        (void)puts("no pair is predicted: pairwise precision is 1 by definition");
    }
    if (e->agreement.true_pairs == 0) {
        (void)puts("no pair is true: pairwise recall is 1 by definition");
    }
    if (e->band_counts != NULL) {
        print_bands(e);
    }
    nd_breakdown_print(&e->breakdown);
    nd_pair_evaluation_print(&e->verified);
    if (e->sample.request.sets > 0 || e->sample.request.judged) {
        nd_sample_print(&e->sample);
    }
}

nd_status nd_evaluation_print_json(const nd_evaluation *e) {
    nd_status st = ND_OK;
    const nd_agreement *a = &e->agreement;
    json_object *root = json_object_new_object();
    ND_TRY(nd_json_add_words(root, "result", e->result_path));
    ND_TRY(nd_json_add_words(root, "truth", e->truth_path));
    nd_json_add_number(root, "truth_pages", e->truth_pages);
    nd_json_add_number(root, "missing_pages", e->missing);
    nd_json_add_number(root, "loose_pages", e->loose);
    nd_json_add_number(root, "bad_lines", e->bad_lines);
    nd_json_add_number(root, "pages", a->pages);
    nd_json_add_number(root, "true_pairs", a->true_pairs);
    nd_json_add_number(root, "predicted_pairs", a->predicted_pairs);
    nd_json_add_number(root, "common_pairs", a->common_pairs);
    if (e->by_pairs) {
        nd_json_add_number(root, "truth_pairs", e->truth_pairs);
        nd_json_add_number(root, "skipped_pairs", e->skipped_pairs);
    } else {
        nd_json_add_number(root, "clusters", a->clusters);
        nd_json_add_number(root, "sets", a->sets);
        nd_json_add_number(root, "skipped_pairs", a->skipped_pairs);
        nd_json_add_number(root, "judged_pairs", a->evaluated_pairs);
    }
    nd_json_add_measure(root, "pairwise", pairwise(e));
    nd_json_add_flag(root, "precision_by_definition", a->predicted_pairs == 0);
    nd_json_add_flag(root, "recall_by_definition", a->true_pairs == 0);
    if (e->by_pairs) {
        json_object *list = nd_json_add_array(root, "labels");
        for (size_t i = 0; i < e->label_count; i++) {
            const nd_label_count *l = &e->labels[i];
            json_object *row = nd_json_add_object(list, NULL);
            ND_TRY(nd_json_add_text(row, "label", l->label));
            nd_json_add_flag(row, "similar", l->similar);
            nd_json_add_flag(row, "unsure", l->unsure);
            nd_json_add_number(row, "pairs", l->pairs);
            nd_json_add_number(row, "together", l->together);
        }
    } else {
        nd_json_add_measure(root, "b_cubed", nd_measure_cubed(a));
        nd_json_add_measure(root, "removal", nd_measure_removal(a));
        nd_json_add_share(root, "adjusted_rand_index", nd_adjusted_rand_index(a));
    }
    ND_TRY(e->band_counts != NULL ? add_bands(root, e) : ND_OK);
    ND_TRY(nd_breakdown_add_json(&e->breakdown, root));
    nd_pair_evaluation_add_json(&e->verified, root);
    if (e->sample.request.sets > 0 || e->sample.request.judged) {
        ND_TRY(nd_sample_add_json(&e->sample, root));
    }
    ND_TRY(nd_json_print(stdout, root));
out:
    (void)json_object_put(root);
    return st;
}

void nd_evaluation_free(nd_evaluation *e) {
    nd_breakdown_free(&e->breakdown);
    nd_sample_evaluation_free(&e->sample);
    free(e->labels);
    free(e->band_counts);
    *e = (nd_evaluation){0};
}
