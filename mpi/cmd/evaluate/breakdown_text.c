/* A breakdown as tables. */
#include "mpi/cmd/evaluate/breakdown.h"
#include "src/base/printable.h"

#include <inttypes.h>
#include <stdio.h>

/* A share; nothing to take one of is told by a dash, not by the 1 that it is by definition. */
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

/* ---- sites */

static void print_site_pairs(const char *name, nd_pair_counts p) {
    (void)printf("%-15s", name);
    print_precision_and_recall(p);
    (void)printf(" %9.4f %11" PRIu64 " %11" PRIu64 " %11" PRIu64 "\n",
                 nd_measure_pairs(p.common_pairs, p.predicted_pairs, p.true_pairs).f1, p.true_pairs,
                 p.predicted_pairs, p.common_pairs);
}

static void print_sites(const nd_breakdown *b) {
    (void)printf("\n%-15s %9s %9s %9s %11s %11s %11s\n", "pairs", "precision", "recall", "F1",
                 "true", "predicted", "both");
    print_site_pairs("same site", b->same_site);
    print_site_pairs("different sites", nd_pair_counts_without(b->pairs, b->same_site));
    if (b->siteless > 0) {
        (void)printf("%" PRIu64 " pages are of no known site\n", b->siteless);
    }
}

/* ---- classes */

static void print_class(const nd_class_agreement *c) {
    const nd_pair_counts *p = &c->all.pairs;
    nd_print_padded(stdout, c->name, 6);
    (void)printf(" %9" PRIu64 " %9" PRIu64 " %11" PRIu64 " %11" PRIu64 " %11" PRIu64, c->all.pages,
                 c->all.mixed_pages, p->true_pairs, p->predicted_pairs,
                 p->predicted_pairs - p->common_pairs);
    print_precision_and_recall(*p);
    if (c->all.partnered_pages == 0) {
        (void)printf(" %9s\n", "-");
    } else {
        (void)printf(" %9.4f\n", c->all.page_recall);
    }
}

static void print_class_by_site(const nd_class_agreement *c) {
    const nd_pair_counts others = nd_pair_counts_without(c->all.pairs, c->same_site);
    nd_print_padded(stdout, c->name, 6);
    (void)printf(" %11" PRIu64, c->same_site.predicted_pairs - c->same_site.common_pairs);
    print_precision_and_recall(c->same_site);
    (void)printf(" %11" PRIu64, others.predicted_pairs - others.common_pairs);
    print_precision_and_recall(others);
    (void)puts("");
}

static void print_classes(const nd_breakdown *b) {
    (void)printf("\npairs with a page of the class; mixed: pages in a set with another cluster's; "
                 "by page: mean recall\n%-6s %9s %9s %11s %11s %11s %9s %9s %9s\n",
                 "class", "pages", "mixed", "true", "predicted", "false", "precision", "recall",
                 "by page");
    for (size_t i = 0; i < b->class_count; i++) {
        print_class(&b->classes[i]);
    }
    (void)printf("\n%-6s %31s %31s\n%-6s %11s %9s %9s %11s %9s %9s\n", "", "same site",
                 "different sites", "class", "false", "precision", "recall", "false", "precision",
                 "recall");
    for (size_t i = 0; i < b->class_count; i++) {
        print_class_by_site(&b->classes[i]);
    }
    if (b->classless > 0) {
        (void)printf("%" PRIu64 " pages are of no known class\n", b->classless);
    }
}

/* ---- deciles */

static void print_decile(int decile, const nd_leader_tally *t) {
    const nd_leader_pairs elsewhere = nd_leader_tally_elsewhere(t);
    if (t->all.pairs == 0) {
        return;
    }
    if (decile < 10) {
        (void)printf("%.1f to %.1f ", decile / 10., (decile + 1) / 10.);
    } else {
        (void)printf("%-10s ", "1");
    }
    (void)printf("%11" PRIu64 " %11" PRIu64, t->all.pairs, t->all.agreeing);
    print_share(t->all.agreeing, t->all.pairs);
    print_share(t->same_site.agreeing, t->same_site.pairs);
    print_share(elsewhere.agreeing, elsewhere.pairs);
    (void)puts("");
}

static void print_deciles(const char *of, const char *agreeing, const char *share,
                          const nd_leader_tally *tallies) {
    (void)printf("\nby the similarity of pages to their %s\n%-10s %11s %11s %9s %9s %9s\n", of,
                 "similarity", "pages", agreeing, share, "same site", "different");
    for (int i = 0; i < ND_DECILES; i++) {
        print_decile(i, &tallies[i]);
    }
}

void nd_breakdown_print(const nd_breakdown *b) {
    if (b->siteless < b->pages) {
        print_sites(b);
    }
    if (!b->by_pairs) {
        print_deciles("representatives", "correct", "precision", b->representatives);
    }
    if (b->by_class) {
        print_deciles("originals, by construction", "found", "recall", b->originals);
        print_classes(b);
    }
}
