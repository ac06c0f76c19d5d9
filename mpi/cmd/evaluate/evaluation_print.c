#include "mpi/cmd/evaluate/evaluation.h"

#include "mpi/cmd/json_fields.h"
#include "src/base/printable.h"

#include <inttypes.h>
#include <math.h>

static const struct {
    const char *text;
    const char *json;
} measures[ND_SAMPLE_MEASURE_COUNT] = {
    [ND_SAMPLE_PRECISION] = {"precision", "precision"},
    [ND_SAMPLE_RELATIVE_RECALL] = {"relative recall", "relative_recall"},
    [ND_SAMPLE_RECALL] = {"recall", "recall"},
    [ND_SAMPLE_BASELINE_RECALL] = {"baseline recall", "baseline_recall"},
};

static nd_measure pairwise(const nd_evaluation *e) {
    return nd_measure_pairs(e->agreement.common_pairs, e->agreement.predicted_pairs,
                            e->agreement.true_pairs);
}

static bool is_sampled(const nd_evaluate_request *r) {
    return r->sets > 0 || r->judged;
}

static const char *sampled_path(const nd_evaluate_request *r) {
    return r->sample_from != NULL ? r->sample_from : r->result;
}

static int last_bin(const nd_power_law *law) {
    int last = ND_POWERS_OF_TWO - 1;
    while (last >= 0 && law->bins[last] == 0) {
        last--;
    }
    return last;
}

/* ==== for people */

/* What is not defined shows as a dash, as a share of nothing, which is 1 by definition. */
static void print_number(double number) {
    if (isnan(number)) {
        (void)printf(" %9s", "-");
    } else {
        (void)printf(" %9.4f", number);
    }
}

static void print_share(uint64_t part, uint64_t whole) {
    print_number(whole == 0 ? (double)NAN : (double)part / (double)whole);
}

static void print_precision_and_recall(nd_pair_counts p) {
    print_share(p.common_pairs, p.predicted_pairs);
    print_share(p.common_pairs, p.true_pairs);
}

/* ---- in parts */

static void print_site_pairs(const char *name, nd_pair_counts p) {
    (void)printf("%-15s", name);
    print_precision_and_recall(p);
    (void)printf(" %9.4f %11" PRIu64 " %11" PRIu64 " %11" PRIu64 "\n",
                 nd_measure_pairs(p.common_pairs, p.predicted_pairs, p.true_pairs).f1, p.true_pairs,
                 p.predicted_pairs, p.common_pairs);
}

static void print_classes(const nd_evaluation *e) {
    const size_t count = e->classes.classes.count;
    (void)printf("\npairs with a page of the class; mixed: pages in a set with another cluster's; "
                 "by page: mean recall\n%-6s %9s %9s %11s %11s %11s %9s %9s %9s\n",
                 "class", "pages", "mixed", "true", "predicted", "false", "precision", "recall",
                 "by page");
    for (size_t i = 0; i < count; i++) {
        const nd_group_agreement *all = &e->by_class[i].all;
        const nd_pair_counts *p = &all->pairs;
        nd_print_padded(stdout, e->by_class[i].name, 6);
        (void)printf(" %9" PRIu64 " %9" PRIu64 " %11" PRIu64 " %11" PRIu64 " %11" PRIu64,
                     all->pages, all->mixed_pages, p->true_pairs, p->predicted_pairs,
                     p->predicted_pairs - p->common_pairs);
        print_precision_and_recall(*p);
        print_number(all->partnered_pages == 0 ? (double)NAN : all->page_recall);
        (void)puts("");
    }
    (void)printf("\n%-6s %31s %31s\n%-6s %11s %9s %9s %11s %9s %9s\n", "", "same site",
                 "different sites", "class", "false", "precision", "recall", "false", "precision",
                 "recall");
    for (size_t i = 0; i < count; i++) {
        const nd_class_agreement *c = &e->by_class[i];
        const nd_pair_counts by_site[2] = {c->same_site,
                                           nd_pair_counts_without(c->all.pairs, c->same_site)};
        nd_print_padded(stdout, c->name, 6);
        for (int k = 0; k < 2; k++) {
            (void)printf(" %11" PRIu64, by_site[k].predicted_pairs - by_site[k].common_pairs);
            print_precision_and_recall(by_site[k]);
        }
        (void)puts("");
    }
    if (e->classless > 0) {
        (void)printf("%" PRIu64 " pages are of no known class\n", e->classless);
    }
}

static void print_deciles(const char *what, const char *by, const char *agreeing, const char *share,
                          const nd_leader_tally *tallies) {
    (void)printf("\nby the %s\n%-10s %11s %11s %9s %9s %9s\n", what, by, "pages", agreeing, share,
                 "same site", "different");
    for (int i = 0; i < ND_DECILES; i++) {
        const nd_leader_tally *t = &tallies[i];
        const nd_leader_pairs elsewhere = nd_leader_tally_elsewhere(t);
        if (t->all.pairs == 0) {
            continue;
        }
        if (i < 10) {
            (void)printf("%.1f to %.1f ", i / 10., (i + 1) / 10.);
        } else {
            (void)printf("%-10s ", "1");
        }
        (void)printf("%11" PRIu64 " %11" PRIu64, t->all.pairs, t->all.agreeing);
        print_share(t->all.agreeing, t->all.pairs);
        print_share(t->same_site.agreeing, t->same_site.pairs);
        print_share(elsewhere.agreeing, elsewhere.pairs);
        (void)puts("");
    }
}

static void print_parts(const nd_evaluation *e) {
    if (e->siteless < e->agreement.pages) {
        (void)printf("\n%-15s %9s %9s %9s %11s %11s %11s\n", "pairs", "precision", "recall", "F1",
                     "true", "predicted", "both");
        print_site_pairs("same site", e->same_site);
        print_site_pairs("different sites", nd_pair_counts_without(e->pairs, e->same_site));
        if (e->siteless > 0) {
            (void)printf("%" PRIu64 " pages are of no known site\n", e->siteless);
        }
    }
    if (!e->by_pairs) {
        print_deciles("similarity of pages to their representatives", "similarity", "correct",
                      "precision", e->representatives);
        print_deciles("certainty of pages, as predicted against as found", "certainty", "correct",
                      "found", e->certainties);
    }
    if (e->by_class != NULL) {
        print_deciles("similarity of pages to their originals, by construction", "similarity",
                      "found", "recall", e->originals);
        print_classes(e);
    }
}

/* ---- verified pairs */

static void print_labels(const char *name, nd_label_counts c) {
    (void)printf("%-15s %11" PRIu64 " %11" PRIu64 " %11" PRIu64, name, c.pairs[ND_PAIR_CORRECT],
                 c.pairs[ND_PAIR_INCORRECT], c.pairs[ND_PAIR_UNDECIDED]);
    print_number(nd_label_precision(&c));
    print_number(nd_label_decided_precision(&c));
}

static void print_verified(const nd_pair_evaluation *e) {
    const nd_pairs_by_site *all = &e->precision.all;
    const nd_power_law *law = &e->partners;
    nd_similarity_row rows[ND_SIMILARITY_VALUES];
    (void)printf("\nverified pairs: %" PRIu64 ", %" PRIu64 " of them with a page that is not in "
                 "the truth\n%-15s %11s %11s %11s %9s %9s\n",
                 e->pairs, e->unlabelled, "", "correct", "incorrect", "undecided", "precision",
                 "decided");
    print_labels("all", nd_pairs_by_site_sum(all));
    (void)puts("");
    print_labels("same site", all->same_site);
    (void)puts("");
    print_labels("different sites", all->different_sites);
    (void)printf("\n%-15s %11s %11s %11s %9s %9s %9s %9s\n", "similarity", "correct", "incorrect",
                 "undecided", "precision", "decided", "same site", "different");
    const size_t count = nd_pair_precision_rows(&e->precision, rows);
    for (size_t i = 0; i < count; i++) {
        char name[32];
        const int size = snprintf(name, sizeof name, "%.4f", rows[i].from);
        if (rows[i].from < rows[i].to) {
            (void)snprintf(name + size, sizeof name - (size_t)size, "-%.4f", rows[i].to);
        }
        print_labels(name, nd_pairs_by_site_sum(&rows[i].pairs));
        print_number(nd_label_precision(&rows[i].pairs.same_site));
        print_number(nd_label_precision(&rows[i].pairs.different_sites));
        (void)puts("");
    }
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

/* ---- samples */

static void print_interval(nd_estimate e) {
    (void)printf("   %7.4f [%.4f, %.4f]", e.mean, e.lower, e.upper);
}

static void print_counts(const char *name, uint64_t all, uint64_t site) {
    (void)printf("%-17s %9" PRIu64 " %29" PRIu64 "\n", name, all, site);
}

static void print_sample(const nd_sample_evaluation *e, const nd_evaluate_request *r) {
    if (r->judged) {
        (void)printf("\nsample     %zu sets as people judged them, of ", e->sample.count);
    } else {
        (void)printf("\nsample     %zu of the %zu sets%s of ", e->sample.count,
                     e->sample.population, r->singletons ? "" : " of two or more evaluated pages");
    }
    nd_print_words(stdout, ND_PRINTABLE_MESSAGE, sampled_path(r));
    (void)printf("; seed %" PRIu64 ", %" PRIu64 " resamples\n", r->seed, r->resamples);
    if (r->baseline != NULL) {
        nd_print_line(stdout, "baseline   %s", r->baseline);
    }
    if (e->incomplete > 0) {
        (void)printf("left out   %" PRIu64 " sets that were not judged to the end\n",
                     e->incomplete);
    }
    if (e->missing > 0) {
        (void)printf("left out   %" PRIu64 " more pages that not all of these results have\n",
                     e->missing);
    }
    if (e->sample.count == 0) {
        (void)puts("no set can be sampled");
        return;
    }
    (void)printf("%-17s %28s %29s\n", "", "all pages, 95 % interval", "same site, 95 % interval");
    for (nd_sample_measure m = 0; m < ND_SAMPLE_MEASURE_COUNT; m++) {
        if (nd_set_sample_has(&e->sample, m)) {
            (void)printf("%-15s", measures[m].text);
            print_interval(e->estimates[ND_SCOPE_ALL][m]);
            print_interval(e->estimates[ND_SCOPE_SITE][m]);
            (void)puts("");
        }
    }
    (void)puts("over all sampled sets, their representatives among the pages");
    const nd_sample_counts *all = &e->totals[ND_SCOPE_ALL], *site = &e->totals[ND_SCOPE_SITE];
    print_counts("in their sets", all->pages, site->pages);
    print_counts("of these similar", all->similar, site->similar);
    if (e->sample.has_baseline) {
        print_counts("in the baseline", all->baseline, site->baseline);
    }
    print_counts(r->judged ? "similar in either" : "similar anywhere", all->anywhere,
                 site->anywhere);
    print_counts("found alone", e->alone[ND_SCOPE_ALL], e->alone[ND_SCOPE_SITE]);
    if (e->sample.has_baseline) {
        print_counts("alone in baseline", e->baseline_alone[ND_SCOPE_ALL],
                     e->baseline_alone[ND_SCOPE_SITE]);
    }
}

/* ---- bands that pairs were drawn from */

static void print_estimate(nd_estimate estimate) {
    (void)printf("  %9.4f  %.4f to %.4f\n", estimate.mean, estimate.lower, estimate.upper);
}

static void print_bands(const nd_evaluation *e) {
    nd_estimate all;
    double known = 0;
    const nd_name_table *bands = &e->truth.bands;
    (void)puts("of pairs in one set, by the band that they were drawn from\n"
               "band            pairs   same    not  precision  95 %");
    for (size_t i = 0; i < bands->count; i++) {
        const nd_band_count *c = &e->band_counts[i];
        nd_print_padded(stdout, nd_name_table_at(bands, i), 10);
        (void)printf(" %10" PRIu64 " %6" PRIu64 " %6" PRIu64, c->pairs, c->same, c->different);
        if (c->same + c->different > 0) {
            print_estimate(nd_wilson(c->same, c->same + c->different));
        } else {
            (void)puts("          -");
        }
    }
    if (nd_band_precision(e->band_counts, bands->count, &all, &known)) {
        (void)printf("all, each band by its pairs        ");
        print_estimate(all);
        if (known < 1) {
            (void)printf("of %.1f %% of the pairs: the other bands have no label\n", 100 * known);
        }
    }
}

/* ---- all */

static void print_measure(const char *name, nd_measure m) {
    (void)printf("%-10s %9.4f %9.4f %9.4f\n", name, m.precision, m.recall, m.f1);
}

void nd_evaluation_print(const nd_evaluation *e) {
    const nd_agreement *a = &e->agreement;
    (void)printf("pages      %" PRIu64 " evaluated of %zu in the truth; %" PRIu64
                 " not in the result, %" PRIu64 " loose\n",
                 a->pages, e->labelled.count, e->labelled.missing, e->labelled.loose);
    if (e->by_pairs) {
        (void)printf("listed     %zu pairs, %" PRIu64 " not evaluated\n", e->truth.pair_count,
                     e->skipped_pairs);
    } else {
        (void)printf("partition  %" PRIu64 " clusters, %" PRIu64 " sets\n", a->clusters, a->sets);
    }
    (void)printf("pairs      %" PRIu64 " true, %" PRIu64 " predicted, %" PRIu64 " both",
                 a->true_pairs, a->predicted_pairs, a->common_pairs);
    if (e->truth.ambiguous_count > 0) {
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
        print_measure("b-cubed", nd_measure_cubed(a));
        print_measure("removal", nd_measure_removal(a));
        (void)printf("adjusted Rand index %.4f\n", nd_adjusted_rand_index(a));
    }
    if (a->predicted_pairs == 0) {
        (void)puts("no pair is predicted: pairwise precision is 1 by definition");
    }
    if (a->true_pairs == 0) {
        (void)puts("no pair is true: pairwise recall is 1 by definition");
    }
    if (e->band_counts != NULL) {
        print_bands(e);
    }
    print_parts(e);
    if (e->verified.kept) {
        print_verified(&e->verified);
    }
    if (is_sampled(e->request)) {
        print_sample(&e->sample, e->request);
    }
}

/* ==== as JSON */

/* ---- in parts */

static json_object *pair_counts(nd_pair_counts p) {
    const nd_measure m = nd_measure_pairs(p.common_pairs, p.predicted_pairs, p.true_pairs);
    return ND_JSON({"true_pairs", nd_json_number(p.true_pairs)},
                   {"predicted_pairs", nd_json_number(p.predicted_pairs)},
                   {"common_pairs", nd_json_number(p.common_pairs)},
                   {"skipped_pairs", nd_json_number(p.skipped_pairs)},
                   {"precision", nd_json_share(m.precision)}, {"recall", nd_json_share(m.recall)},
                   {"f1", nd_json_share(m.f1)});
}

static void put_sites(json_object *to, nd_pair_counts all, nd_pair_counts same_site) {
    ND_JSON_PUT(to, {"same_site", pair_counts(same_site)},
                {"different_sites", pair_counts(nd_pair_counts_without(all, same_site))});
}

/* Pairs with a leader: how many agree, as a number and as a share of these names. */
static json_object *put_leaders(json_object *to, const char *agreeing, const char *share,
                                nd_leader_pairs p) {
    return ND_JSON_PUT(
        to, {"pairs", nd_json_number(p.pairs)}, {agreeing, nd_json_number(p.agreeing)},
        {share, nd_json_share(p.pairs == 0 ? 1 : (double)p.agreeing / (double)p.pairs)});
}

static void put_deciles(json_object *to, const char *name, const char *agreeing, const char *share,
                        const nd_leader_tally *tallies) {
    json_object *list = nd_json_add_array(to, name);
    for (int i = 0; i < ND_DECILES; i++) {
        const nd_leader_tally *t = &tallies[i];
        json_object *row = ND_JSON({"from", nd_json_share(i / 10.)},
                                   {"to", nd_json_share(i < 10 ? (i + 1) / 10. : 1)});
        (void)put_leaders(row, agreeing, share, t->all);
        ND_JSON_PUT(row, {"same_site", put_leaders(nd_json_new(), agreeing, share, t->same_site)},
                    {"different_sites",
                     put_leaders(nd_json_new(), agreeing, share, nd_leader_tally_elsewhere(t))});
        ND_JSON_PUT(list, {NULL, row});
    }
}

static void put_parts(json_object *to, const nd_evaluation *e) {
    ND_JSON_PUT(to, {"pages_without_site", nd_json_number(e->siteless)});
    put_sites(to, e->pairs, e->same_site);
    if (!e->by_pairs) {
        put_deciles(to, "representative_deciles", "correct", "precision", e->representatives);
        put_deciles(to, "certainty_deciles", "correct", "precision", e->certainties);
    }
    if (e->by_class == NULL) {
        return;
    }
    ND_JSON_PUT(to, {"pages_without_class", nd_json_number(e->classless)});
    put_deciles(to, "original_deciles", "found", "recall", e->originals);
    json_object *list = nd_json_add_array(to, "classes");
    for (size_t i = 0; i < e->classes.classes.count; i++) {
        const nd_class_agreement *c = &e->by_class[i];
        json_object *row = nd_json_add_object(list, NULL);
        ND_JSON_PUT(row, {"class", nd_json_text(c->name)}, {"pages", nd_json_number(c->all.pages)},
                    {"mixed_pages", nd_json_number(c->all.mixed_pages)},
                    {"partnered_pages", nd_json_number(c->all.partnered_pages)},
                    {"page_recall", nd_json_share(c->all.page_recall)},
                    {"pairs", pair_counts(c->all.pairs)});
        put_sites(row, c->all.pairs, c->same_site);
    }
}

/* ---- verified pairs */

static json_object *label_counts(nd_label_counts c) {
    return ND_JSON({"correct", nd_json_number(c.pairs[ND_PAIR_CORRECT])},
                   {"incorrect", nd_json_number(c.pairs[ND_PAIR_INCORRECT])},
                   {"undecided", nd_json_number(c.pairs[ND_PAIR_UNDECIDED])},
                   {"precision", nd_json_share(nd_label_precision(&c))},
                   {"decided_precision", nd_json_share(nd_label_decided_precision(&c))});
}

static void put_precision(json_object *to, const nd_pairs_by_site *pairs) {
    ND_JSON_PUT(to, {"all", label_counts(nd_pairs_by_site_sum(pairs))},
                {"same_site", label_counts(pairs->same_site)},
                {"different_sites", label_counts(pairs->different_sites)});
}

static json_object *verified(const nd_pair_evaluation *e) {
    const nd_power_law *law = &e->partners;
    nd_similarity_row rows[ND_SIMILARITY_VALUES];
    json_object *pairs = ND_JSON({"listed", nd_json_number(e->pairs)},
                                 {"unlabelled", nd_json_number(e->unlabelled)});
    put_precision(pairs, &e->precision.all);
    const size_t count = nd_pair_precision_rows(&e->precision, rows);
    json_object *list = nd_json_add_array(pairs, "by_similarity");
    for (size_t i = 0; i < count; i++) {
        json_object *row = nd_json_add_object(list, NULL);
        ND_JSON_PUT(row, {"from", nd_json_share(rows[i].from)}, {"to", nd_json_share(rows[i].to)});
        put_precision(row, &rows[i].pairs);
    }
    json_object *partners = nd_json_add_object(pairs, "partners");
    ND_JSON_PUT(partners, {"pages", nd_json_number(law->values)},
                {"most", nd_json_number(law->most)},
                {"slope_by_least_squares", nd_json_share(nd_power_law_slope_by_squares(law))},
                {"slope_by_likelihood", nd_json_share(nd_power_law_slope_by_likelihood(law))});
    list = nd_json_add_array(partners, "histogram");
    for (int i = 0; i <= last_bin(law); i++) {
        ND_JSON_PUT(list, {NULL, ND_JSON({"from", nd_json_number(UINT64_C(1) << i)},
                                         {"pages", nd_json_number(law->bins[i])})});
    }
    return pairs;
}

/* ---- samples and bands */

static json_object *put_estimate(json_object *to, const char *name, nd_estimate e) {
    return ND_JSON_PUT(to, {name, nd_json_share(e.mean)}, {"lower", nd_json_share(e.lower)},
                       {"upper", nd_json_share(e.upper)});
}

static json_object *scope_of(const nd_sample_evaluation *e, nd_sample_scope scope) {
    const nd_sample_counts *total = &e->totals[scope];
    json_object *object = nd_json_new();
    for (nd_sample_measure m = 0; m < ND_SAMPLE_MEASURE_COUNT; m++) {
        const bool known = e->sample.count > 0 && nd_set_sample_has(&e->sample, m);
        ND_JSON_PUT(object,
                    {measures[m].json,
                     known ? put_estimate(nd_json_new(), "mean", e->estimates[scope][m]) : NULL});
    }
    return ND_JSON_PUT(object, {"pages", nd_json_number(total->pages)},
                       {"similar_pages", nd_json_number(total->similar)},
                       {"baseline_similar_pages", nd_json_number(total->baseline)},
                       {"similar_pages_anywhere", nd_json_number(total->anywhere)},
                       {"alone", nd_json_number(e->alone[scope])},
                       {"baseline_alone", nd_json_number(e->baseline_alone[scope])});
}

static json_object *sample(const nd_sample_evaluation *e, const nd_evaluate_request *r) {
    return ND_JSON({"sampled_from", nd_json_words(sampled_path(r))},
                   {"baseline", r->baseline != NULL ? nd_json_words(r->baseline) : NULL},
                   {"seed", nd_json_number(r->seed)}, {"resamples", nd_json_number(r->resamples)},
                   {"singletons", nd_json_flag(r->singletons)}, {"judged", nd_json_flag(r->judged)},
                   {"incomplete_sets", nd_json_number(e->incomplete)},
                   {"population", nd_json_number(e->sample.population)},
                   {"sets", nd_json_number(e->sample.count)},
                   {"missing_pages", nd_json_number(e->missing)},
                   {"all", scope_of(e, ND_SCOPE_ALL)}, {"same_site", scope_of(e, ND_SCOPE_SITE)});
}

static void put_bands(json_object *root, const nd_evaluation *e) {
    nd_estimate all;
    double known = 0;
    const nd_name_table *bands = &e->truth.bands;
    json_object *list = nd_json_add_array(root, "bands");
    for (size_t i = 0; i < bands->count; i++) {
        const nd_band_count *c = &e->band_counts[i];
        json_object *row = nd_json_add_object(list, NULL);
        ND_JSON_PUT(row, {"band", nd_json_text(nd_name_table_at(bands, i))},
                    {"pairs", nd_json_number(c->pairs)}, {"same", nd_json_number(c->same)},
                    {"different", nd_json_number(c->different)});
        if (c->same + c->different > 0) {
            (void)put_estimate(row, "precision", nd_wilson(c->same, c->same + c->different));
        }
    }
    if (nd_band_precision(e->band_counts, bands->count, &all, &known)) {
        ND_JSON_PUT(root, {"all_bands", ND_JSON_PUT(put_estimate(nd_json_new(), "precision", all),
                                                    {"share_of_pairs", nd_json_share(known)})});
    }
}

/* ---- all */

void nd_evaluation_print_json(const nd_evaluation *e) {
    const nd_agreement *a = &e->agreement;
    json_object *root = ND_JSON(
        {"result", nd_json_words(e->request->result)}, {"truth", nd_json_words(e->request->truth)},
        {"truth_pages", nd_json_number(e->labelled.count)},
        {"missing_pages", nd_json_number(e->labelled.missing)},
        {"loose_pages", nd_json_number(e->labelled.loose)},
        {"bad_lines", nd_json_number(e->truth.bad_lines)}, {"pages", nd_json_number(a->pages)},
        {"true_pairs", nd_json_number(a->true_pairs)},
        {"predicted_pairs", nd_json_number(a->predicted_pairs)},
        {"common_pairs", nd_json_number(a->common_pairs)});
    if (e->by_pairs) {
        ND_JSON_PUT(root, {"truth_pairs", nd_json_number(e->truth.pair_count)},
                    {"skipped_pairs", nd_json_number(e->skipped_pairs)});
    } else {
        ND_JSON_PUT(root, {"clusters", nd_json_number(a->clusters)},
                    {"sets", nd_json_number(a->sets)},
                    {"skipped_pairs", nd_json_number(a->skipped_pairs)},
                    {"judged_pairs", nd_json_number(a->evaluated_pairs)});
    }
    ND_JSON_PUT(root, {"pairwise", nd_json_measure(pairwise(e))},
                {"precision_by_definition", nd_json_flag(a->predicted_pairs == 0)},
                {"recall_by_definition", nd_json_flag(a->true_pairs == 0)});
    if (e->by_pairs) {
        json_object *list = nd_json_add_array(root, "labels");
        for (size_t i = 0; i < e->label_count; i++) {
            const nd_label_count *l = &e->labels[i];
            ND_JSON_PUT(list, {NULL, ND_JSON({"label", nd_json_text(l->label)},
                                             {"similar", nd_json_flag(l->similar)},
                                             {"unsure", nd_json_flag(l->unsure)},
                                             {"pairs", nd_json_number(l->pairs)},
                                             {"together", nd_json_number(l->together)})});
        }
    } else {
        ND_JSON_PUT(root, {"b_cubed", nd_json_measure(nd_measure_cubed(a))},
                    {"removal", nd_json_measure(nd_measure_removal(a))},
                    {"adjusted_rand_index", nd_json_share(nd_adjusted_rand_index(a))});
    }
    if (e->band_counts != NULL) {
        put_bands(root, e);
    }
    put_parts(root, e);
    if (e->verified.kept) {
        ND_JSON_PUT(root, {"pairs", verified(&e->verified)});
    }
    if (is_sampled(e->request)) {
        ND_JSON_PUT(root, {"sample", sample(&e->sample, e->request)});
    }
    nd_json_print(stdout, &root);
}
