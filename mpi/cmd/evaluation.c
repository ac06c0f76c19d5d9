#include "mpi/cmd/evaluation.h"

#include "io/utf8_repair.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

static nd_measure pairwise(const nd_evaluation *e) {
    return nd_measure_pairs(e->agreement.common_pairs, e->agreement.predicted_pairs,
                            e->agreement.true_pairs);
}

/* ---- text */

static void print_measure(const char *name, nd_measure m) {
    (void)printf("%-10s %9.4f %9.4f %9.4f\n", name, m.precision, m.recall, m.f1);
}

static void print_labels(const nd_evaluation *e) {
    (void)printf("label      similar     pairs  together\n");
    for (size_t i = 0; i < e->label_count; i++) {
        const nd_label_count *l = &e->labels[i];
        (void)printf("%-10.*s %7s %9" PRIu64 " %9" PRIu64 "\n", (int)l->label.size,
                     (const char *)l->label.data, l->similar ? "yes" : "no", l->pairs, l->together);
    }
}

static void print_pages(const nd_evaluation *e) {
    const nd_agreement *a = &e->agreement;
    (void)printf("pages      %" PRIu64 " judged of %" PRIu64 " in the truth; %" PRIu64
                 " not in the result, %" PRIu64 " loose\n",
                 a->pages, e->truth_pages, e->missing, e->loose);
    if (e->by_pairs) {
        (void)printf("listed     %" PRIu64 " pairs, %" PRIu64 " not judged\n", e->truth_pairs,
                     e->skipped_pairs);
    } else {
        (void)printf("partition  %" PRIu64 " clusters, %" PRIu64 " sets\n", a->clusters, a->sets);
    }
    (void)printf("pairs      %" PRIu64 " true, %" PRIu64 " predicted, %" PRIu64 " both",
                 a->true_pairs, a->predicted_pairs, a->common_pairs);
    if (e->ambiguous_clusters > 0) {
        (void)printf("; %" PRIu64 " predicted ones of ambiguous clusters not judged",
                     a->skipped_pairs);
    }
    (void)puts("");
}

void nd_evaluation_print(const nd_evaluation *e) {
    print_pages(e);
    if (e->by_pairs) {
        print_labels(e);
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
    if (e->sample != NULL) {
        nd_sample_print(e->sample);
    }
}

/* ---- JSON */

static void add_number(json_object *to, const char *name, uint64_t number) {
    (void)json_object_object_add(to, name, json_object_new_uint64(number));
}

static void add_share(json_object *to, const char *name, double share) {
    char text[32];
    (void)snprintf(text, sizeof text, "%.10f", share);
    (void)json_object_object_add(to, name, json_object_new_double_s(share, text));
}

static void add_measure(json_object *to, const char *name, nd_measure m) {
    json_object *object = json_object_new_object();
    add_share(object, "precision", m.precision);
    add_share(object, "recall", m.recall);
    add_share(object, "f1", m.f1);
    (void)json_object_object_add(to, name, object);
}

/* JSON is UTF-8: bytes that are not are repaired. */
static nd_status add_text(json_object *to, const char *name, nd_span text) {
    nd_buffer repaired = {0};
    uint64_t replaced = 0;
    const nd_status st = nd_utf8_repair(text, &repaired, &replaced);
    if (st == ND_OK) {
        (void)json_object_object_add(
            to, name, json_object_new_string_len((const char *)repaired.data, (int)repaired.size));
    }
    nd_buffer_free(&repaired);
    return st;
}

static nd_status add_path(json_object *to, const char *name, const char *path) {
    return add_text(to, name, (nd_span){(const uint8_t *)path, strlen(path)});
}

static nd_status add_labels(json_object *to, const nd_evaluation *e) {
    nd_status st = ND_OK;
    json_object *list = json_object_new_array();
    (void)json_object_object_add(to, "labels", list);
    for (size_t i = 0; i < e->label_count; i++) {
        const nd_label_count *l = &e->labels[i];
        json_object *row = json_object_new_object();
        (void)json_object_array_add(list, row);
        ND_TRY(add_text(row, "label", l->label));
        (void)json_object_object_add(row, "similar", json_object_new_boolean(l->similar));
        add_number(row, "pairs", l->pairs);
        add_number(row, "together", l->together);
    }
out:
    return st;
}

static void add_counts(json_object *to, const nd_evaluation *e) {
    const nd_agreement *a = &e->agreement;
    const struct {
        const char *name;
        uint64_t value;
    } counts[] = {
        {"truth_pages", e->truth_pages},
        {"missing_pages", e->missing},
        {"loose_pages", e->loose},
        {"bad_lines", e->bad_lines},
        {"pages", a->pages},
        {"true_pairs", a->true_pairs},
        {"predicted_pairs", a->predicted_pairs},
        {"common_pairs", a->common_pairs},
    };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        add_number(to, counts[i].name, counts[i].value);
    }
    if (e->by_pairs) {
        add_number(to, "truth_pairs", e->truth_pairs);
        add_number(to, "skipped_pairs", e->skipped_pairs);
    } else {
        add_number(to, "clusters", a->clusters);
        add_number(to, "sets", a->sets);
        add_number(to, "skipped_pairs", a->skipped_pairs);
        add_number(to, "judged_pairs", a->judged_pairs);
    }
}

nd_status nd_evaluation_print_json(const nd_evaluation *e) {
    nd_status st = ND_OK;
    json_object *root = json_object_new_object();
    if (root == NULL) {
        return nd_fail(ND_ERR_MEMORY, "out of memory: the evaluation as JSON");
    }
    ND_TRY(add_path(root, "result", e->result_path));
    ND_TRY(add_path(root, "truth", e->truth_path));
    add_counts(root, e);
    add_measure(root, "pairwise", pairwise(e));
    (void)json_object_object_add(root, "precision_by_definition",
                                 json_object_new_boolean(e->agreement.predicted_pairs == 0));
    (void)json_object_object_add(root, "recall_by_definition",
                                 json_object_new_boolean(e->agreement.true_pairs == 0));
    if (e->by_pairs) {
        ND_TRY(add_labels(root, e));
    } else {
        add_measure(root, "b_cubed", nd_measure_cubed(&e->agreement));
        add_measure(root, "removal", nd_measure_removal(&e->agreement));
        add_share(root, "adjusted_rand_index", nd_adjusted_rand_index(&e->agreement));
    }
    if (e->sample != NULL) {
        json_object *sample = NULL;
        ND_TRY(nd_sample_json(e->sample, &sample));
        (void)json_object_object_add(root, "sample", sample);
    }
    (void)puts(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PLAIN |
                                                        JSON_C_TO_STRING_NOSLASHESCAPE));
out:
    (void)json_object_put(root);
    return st;
}
