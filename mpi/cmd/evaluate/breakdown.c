#include "mpi/cmd/evaluate/breakdown.h"

#include "mpi/cmd/json_fields.h"
#include "src/base/printable.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "src/synth/story.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void count_siteless(const nd_labelled_result *labelled, const uint64_t *site,
                           nd_breakdown *b) {
    for (size_t i = 0; i < labelled->count; i++) {
        b->pages += !labelled->left_out[i];
        b->siteless += !labelled->left_out[i] && site[i] == ND_NO_SITE;
    }
}

void nd_breakdown_of_pairs(const nd_labelled_result *labelled, nd_breakdown *breakdown) {
    breakdown->by_pairs = true;
    count_siteless(labelled, labelled->site, breakdown);
}

static int by_name(const void *a, const void *b) {
    const nd_class_agreement *x = a;
    const nd_class_agreement *y = b;
    const int order = memcmp(x->name.data, y->name.data, nd_min(x->name.size, y->name.size));
    return order != 0 ? order : (x->name.size > y->name.size) - (x->name.size < y->name.size);
}

/* What is known of pages only because it is known how they were made. */
static nd_status count_by_class(const nd_labelled_pages *pages, const nd_same_site *same,
                                const nd_class_labels *classes, nd_breakdown *b) {
    nd_status st = ND_OK;
    const size_t count = classes->classes.count;
    const char *name = nd_page_class_get(ND_PAGE_ORIGINAL)->name;
    const uint64_t of_originals =
        nd_name_table_find(&classes->classes, (nd_span){(const uint8_t *)name, strlen(name)});
    nd_group_agreement *all = NULL;
    nd_group_agreement *same_site = NULL;
    bool *original = NULL;
    uint64_t *decile = NULL;

    nd_new(&b->classes, count, sizeof *b->classes);
    nd_new(&all, count, sizeof *all);
    nd_new(&same_site, count, sizeof *same_site);
    ND_TRY(nd_group_agreement_count(pages, classes->class, count, all));
    ND_TRY(nd_group_agreement_count(&same->pages, classes->class, count, same_site));
    for (size_t c = 0; c < count; c++) {
        b->classes[c] = (nd_class_agreement){nd_name_table_at(&classes->classes, c), all[c],
                                             same_site[c].pairs};
    }
    b->class_count = count;
    nd_sort(b->classes, count, sizeof *b->classes, by_name);

    nd_new(&original, pages->count, sizeof *original);
    nd_new(&decile, pages->count, sizeof *decile);
    for (size_t i = 0; i < pages->count; i++) {
        const bool known = classes->class[i] != ND_NO_CLASS;
        b->classless += !pages->loose[i] && !known;
        original[i] = known && classes->class[i] == of_originals;
        decile[i] = known ? nd_decile_of(classes->similarity[i]) : ND_NO_GROUP;
    }
    const nd_leaders leaders = {original, classes->site, decile, ND_DECILES};
    ND_TRY(nd_leader_tally_clusters(pages, &leaders, b->originals));
out:
    free(all);
    free(same_site);
    free(original);
    free(decile);
    return st;
}

nd_status nd_breakdown_count(const nd_truth *truth, const nd_labelled_result *labelled,
                             const nd_agreement *agreement, const nd_class_labels *classes,
                             nd_breakdown *breakdown) {
    nd_status st = ND_OK;
    nd_same_site same = {0};
    nd_agreement of_site;
    uint64_t *decile = NULL;
    const nd_labelled_pages pages = nd_labelled_result_pages(truth, labelled);
    const uint64_t *site = classes != NULL ? classes->site : labelled->site;
    *breakdown =
        (nd_breakdown){.pairs = nd_agreement_pairs(agreement), .by_class = classes != NULL};
    ND_TRY(nd_same_site_make(&pages, site, &same));
    count_siteless(labelled, site, breakdown);
    ND_TRY(nd_agreement_count(&same.pages, &of_site));
    breakdown->same_site = nd_agreement_pairs(&of_site);

    nd_new(&decile, pages.count, sizeof *decile);
    for (size_t i = 0; i < pages.count; i++) {
        decile[i] = nd_decile_of((double)labelled->similarity[i]);
    }
    const nd_leaders leaders = {labelled->representative, site, decile, ND_DECILES};
    ND_TRY(nd_leader_tally_sets(&pages, &leaders, breakdown->representatives));
    for (size_t i = 0; i < pages.count; i++) {
        decile[i] = nd_decile_of((double)labelled->certainty[i]);
    }
    ND_TRY(nd_leader_tally_sets(&pages, &leaders, breakdown->certainties));
    if (classes != NULL) {
        ND_TRY(count_by_class(&pages, &same, classes, breakdown));
    }
out:
    nd_same_site_free(&same);
    free(decile);
    return st;
}

void nd_breakdown_free(nd_breakdown *breakdown) {
    free(breakdown->classes);
    *breakdown = (nd_breakdown){0};
}

/* ---- as tables */

/* A share; nothing to take one of shows as a dash, not as the 1 that it is by definition. */
static void print_share(uint64_t part, uint64_t whole) {
    if (whole == 0) {
        (void)printf(" %9s", "-");
    } else {
        (void)printf(" %9.4f", (double)part / (double)whole);
    }
}

static void print_precision_and_recall(nd_pair_counts p) {
    print_share(p.common_pairs, p.predicted_pairs);
    print_share(p.common_pairs, p.true_pairs);
}

static void print_site_pairs(const char *name, nd_pair_counts p) {
    (void)printf("%-15s", name);
    print_precision_and_recall(p);
    (void)printf(" %9.4f %11" PRIu64 " %11" PRIu64 " %11" PRIu64 "\n",
                 nd_measure_pairs(p.common_pairs, p.predicted_pairs, p.true_pairs).f1, p.true_pairs,
                 p.predicted_pairs, p.common_pairs);
}

static void print_classes(const nd_breakdown *b) {
    (void)printf("\npairs with a page of the class; mixed: pages in a set with another cluster's; "
                 "by page: mean recall\n%-6s %9s %9s %11s %11s %11s %9s %9s %9s\n",
                 "class", "pages", "mixed", "true", "predicted", "false", "precision", "recall",
                 "by page");
    for (size_t i = 0; i < b->class_count; i++) {
        const nd_group_agreement *all = &b->classes[i].all;
        const nd_pair_counts *p = &all->pairs;
        nd_print_padded(stdout, b->classes[i].name, 6);
        (void)printf(" %9" PRIu64 " %9" PRIu64 " %11" PRIu64 " %11" PRIu64 " %11" PRIu64,
                     all->pages, all->mixed_pages, p->true_pairs, p->predicted_pairs,
                     p->predicted_pairs - p->common_pairs);
        print_precision_and_recall(*p);
        if (all->partnered_pages == 0) {
            (void)printf(" %9s\n", "-");
        } else {
            (void)printf(" %9.4f\n", all->page_recall);
        }
    }
    (void)printf("\n%-6s %31s %31s\n%-6s %11s %9s %9s %11s %9s %9s\n", "", "same site",
                 "different sites", "class", "false", "precision", "recall", "false", "precision",
                 "recall");
    for (size_t i = 0; i < b->class_count; i++) {
        const nd_class_agreement *c = &b->classes[i];
        const nd_pair_counts by_site[2] = {c->same_site,
                                           nd_pair_counts_without(c->all.pairs, c->same_site)};
        nd_print_padded(stdout, c->name, 6);
        for (int k = 0; k < 2; k++) {
            (void)printf(" %11" PRIu64, by_site[k].predicted_pairs - by_site[k].common_pairs);
            print_precision_and_recall(by_site[k]);
        }
        (void)puts("");
    }
    if (b->classless > 0) {
        (void)printf("%" PRIu64 " pages are of no known class\n", b->classless);
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

void nd_breakdown_print(const nd_breakdown *b) {
    if (b->siteless < b->pages) {
        (void)printf("\n%-15s %9s %9s %9s %11s %11s %11s\n", "pairs", "precision", "recall", "F1",
                     "true", "predicted", "both");
        print_site_pairs("same site", b->same_site);
        print_site_pairs("different sites", nd_pair_counts_without(b->pairs, b->same_site));
        if (b->siteless > 0) {
            (void)printf("%" PRIu64 " pages are of no known site\n", b->siteless);
        }
    }
    if (!b->by_pairs) {
        print_deciles("similarity of pages to their representatives", "similarity", "correct",
                      "precision", b->representatives);
        print_deciles("certainty of pages, as predicted against as found", "certainty", "correct",
                      "found", b->certainties);
    }
    if (b->by_class) {
        print_deciles("similarity of pages to their originals, by construction", "similarity",
                      "found", "recall", b->originals);
        print_classes(b);
    }
}

/* ---- as JSON */

static void add_pairs(json_object *to, const char *name, nd_pair_counts p) {
    json_object *object = nd_json_add_object(to, name);
    const nd_measure m = nd_measure_pairs(p.common_pairs, p.predicted_pairs, p.true_pairs);
    nd_json_add_number(object, "true_pairs", p.true_pairs);
    nd_json_add_number(object, "predicted_pairs", p.predicted_pairs);
    nd_json_add_number(object, "common_pairs", p.common_pairs);
    nd_json_add_number(object, "skipped_pairs", p.skipped_pairs);
    nd_json_add_share(object, "precision", m.precision);
    nd_json_add_share(object, "recall", m.recall);
    nd_json_add_share(object, "f1", m.f1);
}

static void add_sites(json_object *to, nd_pair_counts all, nd_pair_counts same_site) {
    add_pairs(to, "same_site", same_site);
    add_pairs(to, "different_sites", nd_pair_counts_without(all, same_site));
}

/* The names under which pairs with a leader that agree stand, as a number and as a share. */
typedef struct names {
    const char *agreeing, *share;
} names;

static void add_leader_pairs(json_object *to, const names *n, nd_leader_pairs p) {
    nd_json_add_number(to, "pairs", p.pairs);
    nd_json_add_number(to, n->agreeing, p.agreeing);
    nd_json_add_share(to, n->share, p.pairs == 0 ? 1 : (double)p.agreeing / (double)p.pairs);
}

static void add_deciles(json_object *to, const char *name, const names *n,
                        const nd_leader_tally *tallies) {
    json_object *list = nd_json_add_array(to, name);
    for (int i = 0; i < ND_DECILES; i++) {
        const nd_leader_tally *t = &tallies[i];
        json_object *row = nd_json_add_object(list, NULL);
        nd_json_add_share(row, "from", i / 10.);
        nd_json_add_share(row, "to", i < 10 ? (i + 1) / 10. : 1);
        add_leader_pairs(row, n, t->all);
        add_leader_pairs(nd_json_add_object(row, "same_site"), n, t->same_site);
        add_leader_pairs(nd_json_add_object(row, "different_sites"), n,
                         nd_leader_tally_elsewhere(t));
    }
}

nd_status nd_breakdown_add_json(const nd_breakdown *b, json_object *to) {
    nd_status st = ND_OK;
    static const names precision = {"correct", "precision"};
    static const names recall = {"found", "recall"};
    nd_json_add_number(to, "pages_without_site", b->siteless);
    add_sites(to, b->pairs, b->same_site);
    if (!b->by_pairs) {
        add_deciles(to, "representative_deciles", &precision, b->representatives);
        add_deciles(to, "certainty_deciles", &precision, b->certainties);
    }
    if (!b->by_class) {
        goto out;
    }
    nd_json_add_number(to, "pages_without_class", b->classless);
    add_deciles(to, "original_deciles", &recall, b->originals);
    json_object *list = nd_json_add_array(to, "classes");
    for (size_t i = 0; i < b->class_count; i++) {
        const nd_class_agreement *c = &b->classes[i];
        json_object *row = nd_json_add_object(list, NULL);
        ND_TRY(nd_json_add_text(row, "class", c->name));
        nd_json_add_number(row, "pages", c->all.pages);
        nd_json_add_number(row, "mixed_pages", c->all.mixed_pages);
        nd_json_add_number(row, "partnered_pages", c->all.partnered_pages);
        nd_json_add_share(row, "page_recall", c->all.page_recall);
        add_pairs(row, "pairs", c->all.pairs);
        add_sites(row, c->all.pairs, c->same_site);
    }
out:
    return st;
}
