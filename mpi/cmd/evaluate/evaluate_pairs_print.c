/* The labelled pairs of a result, as tables and as JSON. */
#include "mpi/cmd/evaluate/evaluate_pairs.h"
#include "mpi/cmd/json_fields.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ---- text */

static void print_number(double number) {
    if (isnan(number)) {
        (void)printf(" %9s", "-");
    } else {
        (void)printf(" %9.4f", number);
    }
}

static void print_labels(const char *name, const nd_label_counts *c) {
    (void)printf("%-15s %11" PRIu64 " %11" PRIu64 " %11" PRIu64, name, c->pairs[ND_PAIR_CORRECT],
                 c->pairs[ND_PAIR_INCORRECT], c->pairs[ND_PAIR_UNDECIDED]);
    print_number(nd_label_precision(c));
    print_number(nd_label_decided_precision(c));
}

static void print_sites(const nd_pairs_by_site *pairs) {
    const nd_label_counts all = nd_pairs_by_site_sum(pairs);
    print_labels("all", &all);
    (void)puts("");
    print_labels("same site", &pairs->same_site);
    (void)puts("");
    print_labels("different sites", &pairs->different_sites);
    (void)puts("");
}

static void print_range(const nd_similarity_row *row, char *text, size_t size) {
    if (row->from < row->to) {
        (void)snprintf(text, size, "%.4f-%.4f", row->from, row->to);
    } else {
        (void)snprintf(text, size, "%.4f", row->from);
    }
}

static void print_rows(const nd_pair_precision *precision) {
    nd_similarity_row rows[ND_SIMILARITY_VALUES];
    const size_t count = nd_pair_precision_rows(precision, rows);
    (void)printf("%-15s %11s %11s %11s %9s %9s %9s %9s\n", "similarity", "correct", "incorrect",
                 "undecided", "precision", "decided", "same site", "different");
    for (size_t i = 0; i < count; i++) {
        char name[32];
        const nd_label_counts all = nd_pairs_by_site_sum(&rows[i].pairs);
        print_range(&rows[i], name, sizeof name);
        print_labels(name, &all);
        print_number(nd_label_precision(&rows[i].pairs.same_site));
        print_number(nd_label_precision(&rows[i].pairs.different_sites));
        (void)puts("");
    }
}

static int last_bin(const nd_power_law *law) {
    int last = ND_POWERS_OF_TWO - 1;
    while (last >= 0 && law->bins[last] == 0) {
        last--;
    }
    return last;
}

static void print_partners(const nd_power_law *law) {
    (void)printf("\npartners of a page, of %" PRIu64 " pages with any; slope on log-log axes by "
                 "least squares:",
                 law->values);
    print_number(nd_power_law_slope_by_squares(law));
    (void)printf(", by maximum likelihood:");
    print_number(nd_power_law_slope_by_likelihood(law));
    (void)puts("");
    for (int i = 0; i <= last_bin(law); i++) {
        const uint64_t from = UINT64_C(1) << i;
        (void)printf("%11" PRIu64 " - %-11" PRIu64 " %11" PRIu64 "\n", from, from + (from - 1),
                     law->bins[i]);
    }
}

void nd_pair_evaluation_print(const nd_pair_evaluation *e) {
    if (!e->kept) {
        return;
    }
    (void)printf("\nverified pairs: %" PRIu64 ", %" PRIu64 " of them with a page that is not in "
                 "the truth\n%-15s %11s %11s %11s %9s %9s\n",
                 e->pairs, e->unlabelled, "", "correct", "incorrect", "undecided", "precision",
                 "decided");
    print_sites(&e->precision.all);
    print_rows(&e->precision);
    print_partners(&e->partners);
}

/* ---- JSON */

/* What is not defined is null. */
static void add_defined(json_object *to, const char *name, double number) {
    if (isnan(number)) {
        (void)json_object_object_add(to, name, NULL);
    } else {
        nd_json_add_share(to, name, number);
    }
}

static void add_labels(json_object *to, const char *name, const nd_label_counts *c) {
    json_object *object = nd_json_add_object(to, name);
    nd_json_add_number(object, "correct", c->pairs[ND_PAIR_CORRECT]);
    nd_json_add_number(object, "incorrect", c->pairs[ND_PAIR_INCORRECT]);
    nd_json_add_number(object, "undecided", c->pairs[ND_PAIR_UNDECIDED]);
    add_defined(object, "precision", nd_label_precision(c));
    add_defined(object, "decided_precision", nd_label_decided_precision(c));
}

static void add_sites(json_object *to, const nd_pairs_by_site *pairs) {
    const nd_label_counts all = nd_pairs_by_site_sum(pairs);
    add_labels(to, "all", &all);
    add_labels(to, "same_site", &pairs->same_site);
    add_labels(to, "different_sites", &pairs->different_sites);
}

static void add_rows(json_object *to, const nd_pair_precision *precision) {
    nd_similarity_row rows[ND_SIMILARITY_VALUES];
    const size_t count = nd_pair_precision_rows(precision, rows);
    json_object *list = nd_json_add_array(to, "by_similarity");
    for (size_t i = 0; i < count; i++) {
        json_object *row = nd_json_append_object(list);
        nd_json_add_share(row, "from", rows[i].from);
        nd_json_add_share(row, "to", rows[i].to);
        add_sites(row, &rows[i].pairs);
    }
}

static void add_partners(json_object *to, const nd_power_law *law) {
    json_object *object = nd_json_add_object(to, "partners");
    nd_json_add_number(object, "pages", law->values);
    nd_json_add_number(object, "most", law->most);
    add_defined(object, "slope_by_least_squares", nd_power_law_slope_by_squares(law));
    add_defined(object, "slope_by_likelihood", nd_power_law_slope_by_likelihood(law));
    json_object *list = nd_json_add_array(object, "histogram");
    for (int i = 0; i <= last_bin(law); i++) {
        json_object *row = nd_json_append_object(list);
        nd_json_add_number(row, "from", UINT64_C(1) << i);
        nd_json_add_number(row, "pages", law->bins[i]);
    }
}

void nd_pair_evaluation_add_json(const nd_pair_evaluation *e, json_object *to) {
    if (!e->kept) {
        return;
    }
    json_object *pairs = nd_json_add_object(to, "pairs");
    nd_json_add_number(pairs, "listed", e->pairs);
    nd_json_add_number(pairs, "unlabelled", e->unlabelled);
    add_sites(pairs, &e->precision.all);
    add_rows(pairs, &e->precision);
    add_partners(pairs, &e->partners);
}
