#include "mpi/cmd/evaluate/breakdown.h"

#include "src/base/sort.h"
#include "src/synth/page_class.h"

#include <string.h>

/* ---- sites */

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

static nd_status count_same_site(const nd_same_site *same, nd_breakdown *b) {
    nd_agreement agreement;
    const nd_status st = nd_agreement_count(&same->pages, &agreement);
    b->same_site = nd_agreement_pairs(&agreement);
    return st;
}

/* ---- deciles */

static nd_status count_representatives(const nd_labelled_pages *pages, const uint64_t *site,
                                       const nd_labelled_result *labelled, nd_breakdown *b) {
    nd_status st = ND_OK;
    uint64_t *decile = NULL;
    ND_TRY(nd_new(&decile, pages->count, sizeof *decile));
    for (size_t i = 0; i < pages->count; i++) {
        decile[i] = nd_decile_of((double)labelled->similarity[i]);
    }
    const nd_leaders leaders = {labelled->representative, site, decile, ND_DECILES};
    ND_TRY(nd_leader_tally_sets(pages, &leaders, b->representatives));
out:
    free(decile);
    return st;
}

static uint64_t class_of_originals(const nd_class_labels *classes) {
    const char *name = nd_page_class_get(ND_PAGE_ORIGINAL)->name;
    return nd_name_table_find(&classes->classes, (nd_span){(const uint8_t *)name, strlen(name)});
}

static nd_status count_originals(const nd_labelled_pages *pages, const nd_class_labels *classes,
                                 nd_breakdown *b) {
    nd_status st = ND_OK;
    bool *original = NULL;
    uint64_t *decile = NULL;
    const uint64_t of_originals = class_of_originals(classes);
    ND_TRY(nd_new(&original, pages->count, sizeof *original));
    ND_TRY(nd_new(&decile, pages->count, sizeof *decile));
    for (size_t i = 0; i < pages->count; i++) {
        const bool known = classes->class[i] != ND_NO_CLASS;
        original[i] = known && classes->class[i] == of_originals;
        decile[i] = known ? nd_decile_of(classes->similarity[i]) : ND_NO_GROUP;
    }
    const nd_leaders leaders = {original, classes->site, decile, ND_DECILES};
    ND_TRY(nd_leader_tally_clusters(pages, &leaders, b->originals));
out:
    free(original);
    free(decile);
    return st;
}

/* ---- classes */

static int by_name(const void *a, const void *b) {
    const nd_class_agreement *x = a;
    const nd_class_agreement *y = b;
    const size_t shorter = x->name.size < y->name.size ? x->name.size : y->name.size;
    const int order = memcmp(x->name.data, y->name.data, shorter);
    return order != 0 ? order : (x->name.size > y->name.size) - (x->name.size < y->name.size);
}

static void count_classless(const nd_labelled_pages *pages, const nd_class_labels *classes,
                            nd_breakdown *b) {
    for (size_t i = 0; i < pages->count; i++) {
        b->classless += !pages->loose[i] && classes->class[i] == ND_NO_CLASS;
    }
}

static nd_status count_classes(const nd_labelled_pages *pages, const nd_same_site *same,
                               const nd_class_labels *classes, nd_breakdown *b) {
    nd_status st = ND_OK;
    const size_t count = classes->classes.count;
    nd_group_agreement *all = NULL;
    nd_group_agreement *same_site = NULL;
    ND_TRY(nd_new(&b->classes, count, sizeof *b->classes));
    ND_TRY(nd_new(&all, count, sizeof *all));
    ND_TRY(nd_new(&same_site, count, sizeof *same_site));
    ND_TRY(nd_group_agreement_count(pages, classes->class, count, all));
    ND_TRY(nd_group_agreement_count(&same->pages, classes->class, count, same_site));
    for (size_t c = 0; c < count; c++) {
        b->classes[c] = (nd_class_agreement){nd_name_table_at(&classes->classes, c), all[c],
                                             same_site[c].pairs};
    }
    b->class_count = count;
    nd_sort(b->classes, count, sizeof *b->classes, by_name);
out:
    free(all);
    free(same_site);
    return st;
}

nd_status nd_breakdown_count(const nd_truth *truth, const nd_labelled_result *labelled,
                             const nd_agreement *agreement, const nd_class_labels *classes,
                             nd_breakdown *breakdown) {
    nd_status st = ND_OK;
    nd_same_site same = {0};
    const nd_labelled_pages pages = nd_labelled_result_pages(truth, labelled);
    const uint64_t *site = classes != NULL ? classes->site : labelled->site;
    *breakdown =
        (nd_breakdown){.pairs = nd_agreement_pairs(agreement), .by_class = classes != NULL};
    ND_TRY(nd_same_site_make(&pages, site, &same));
    count_siteless(labelled, site, breakdown);
    ND_TRY(count_same_site(&same, breakdown));
    ND_TRY(count_representatives(&pages, site, labelled, breakdown));
    if (classes != NULL) {
        count_classless(&pages, classes, breakdown);
        ND_TRY(count_classes(&pages, &same, classes, breakdown));
        ND_TRY(count_originals(&pages, classes, breakdown));
    }
out:
    nd_same_site_free(&same);
    return st;
}

void nd_breakdown_free(nd_breakdown *breakdown) {
    free(breakdown->classes);
    *breakdown = (nd_breakdown){0};
}
