#include "src/measure/relative_recall.h"

#include "src/base/buffer.h"
#include "src/base/numbers.h"
#include "src/base/random.h"
#include "src/measure/ambiguous_clusters.h"
#include "src/measure/grouping.h"

#include <stdlib.h>

/* The judged pages in groups; items are places in `page`. */
typedef struct table {
    uint64_t *page; /* of each item, as an index of the caller's arrays */
    size_t count;
    nd_grouping cluster, site, cluster_site;
    nd_grouping sampled, sampled_cluster;
    nd_grouping set, set_site, set_cluster, set_cluster_site;
    nd_grouping baseline, baseline_cluster, baseline_cluster_site;
    nd_ambiguous_clusters ambiguous;
} table;

/* ---- the table */

static nd_status keep_judged(const nd_labelled_pages *pages, table *t) {
    const nd_status st = nd_new(&t->page, pages->count, sizeof *t->page);
    for (size_t i = 0; st == ND_OK && i < pages->count; i++) {
        if (pages->loose == NULL || !pages->loose[i]) {
            t->page[t->count++] = i;
        }
    }
    return st;
}

static nd_status group_by(const table *t, const uint64_t *numbers, nd_grouping *grouping) {
    uint64_t *kept = NULL;
    nd_status st = nd_new(&kept, t->count, sizeof *kept);
    for (size_t i = 0; st == ND_OK && i < t->count; i++) {
        kept[i] = numbers[t->page[i]];
    }
    st = st != ND_OK ? st : nd_grouping_make(kept, t->count, grouping);
    free(kept);
    return st;
}

static nd_status group_pages(const nd_sampled_pages *pages, table *t) {
    nd_status st = ND_OK;
    ND_TRY(group_by(t, pages->labelled.cluster, &t->cluster));
    ND_TRY(group_by(t, pages->site, &t->site));
    ND_TRY(nd_grouping_refine(&t->cluster, &t->site, &t->cluster_site));
    ND_TRY(group_by(t, pages->sampled, &t->sampled));
    ND_TRY(nd_grouping_refine(&t->sampled, &t->cluster, &t->sampled_cluster));
    ND_TRY(group_by(t, pages->labelled.set, &t->set));
    ND_TRY(nd_grouping_refine(&t->set, &t->site, &t->set_site));
    ND_TRY(nd_grouping_refine(&t->set, &t->cluster, &t->set_cluster));
    ND_TRY(nd_grouping_refine(&t->set_cluster, &t->site, &t->set_cluster_site));
    if (pages->baseline != NULL) {
        ND_TRY(group_by(t, pages->baseline, &t->baseline));
        ND_TRY(nd_grouping_refine(&t->baseline, &t->cluster, &t->baseline_cluster));
        ND_TRY(nd_grouping_refine(&t->baseline_cluster, &t->site, &t->baseline_cluster_site));
    }
out:
    return st;
}

static void free_table(table *t) {
    nd_grouping *groupings[] = {
        &t->cluster,          &t->site,     &t->cluster_site,     &t->sampled,
        &t->sampled_cluster,  &t->set,      &t->set_site,         &t->set_cluster,
        &t->set_cluster_site, &t->baseline, &t->baseline_cluster, &t->baseline_cluster_site};
    for (size_t i = 0; i < sizeof groupings / sizeof groupings[0]; i++) {
        nd_grouping_free(groupings[i]);
    }
    free(t->page);
    nd_ambiguous_clusters_free(&t->ambiguous);
}

/* ---- sampling */

/* Draw groups of t->sampled into the front of `groups`, ascending. Whether a group is drawn does
 * not depend on the order of the pages, only on the order of the set numbers. */
static nd_status draw_groups(const table *t, uint64_t most, bool singletons, uint64_t seed,
                             uint64_t **groups, nd_set_sample *sample) {
    const nd_status st = nd_new(groups, t->sampled.group_count, sizeof **groups);
    if (st != ND_OK) {
        return st;
    }
    size_t population = 0;
    for (size_t g = 0; g < t->sampled.group_count; g++) {
        if (singletons || t->sampled.size[g] > 1) {
            (*groups)[population++] = g;
        }
    }
    nd_random random = {seed};
    const size_t count = most < population ? (size_t)most : population;
    for (size_t i = 0; i < count; i++) {
        const size_t other = i + nd_random_below(&random, population - i);
        const uint64_t drawn = (*groups)[other];
        (*groups)[other] = (*groups)[i];
        (*groups)[i] = drawn;
    }
    sample->population = population;
    sample->count = nd_numbers_distinct(*groups, count);
    return ND_OK;
}

/* The item that represents a group of t->sampled: the first one of its largest cluster there. */
static size_t choose_representative(const table *t, uint64_t group) {
    const nd_grouping *cells = &t->sampled_cluster;
    const uint64_t clusters = t->cluster.group_count;
    size_t cell = nd_numbers_place(cells->key, cells->group_count, group * clusters);
    size_t best = cell;
    for (; cell < cells->group_count && cells->key[cell] / clusters == group; cell++) {
        if (cells->size[cell] > cells->size[best] ||
            (cells->size[cell] == cells->size[best] && cells->first[cell] < cells->first[best])) {
            best = cell;
        }
    }
    return cells->first[best];
}

/* ---- counting */

static uint64_t fellows(const nd_grouping *grouping, size_t item) {
    return grouping->item_count == 0 ? 0 : grouping->size[grouping->group[item]];
}

static bool has_site(const table *t, size_t item) {
    return t->site.key[t->site.group[item]] != ND_UNKNOWN_SITE;
}

/* Do not count the pages of the set that are of clusters ambiguous with the item's. */
static void leave_out_ambiguous(const table *t, size_t item, nd_sampled_set *set) {
    const uint64_t cluster = t->cluster.key[t->cluster.group[item]];
    for (size_t i = t->ambiguous.first[cluster]; i < t->ambiguous.first[cluster + 1]; i++) {
        const uint64_t other = nd_grouping_find(&t->cluster, t->ambiguous.pairs[i].value);
        const uint64_t cell =
            nd_grouping_find_both(&t->set_cluster, &t->cluster, t->set.group[item], other);
        set->counts[ND_SCOPE_ALL].pages -= nd_grouping_size(&t->set_cluster, cell);
        if (has_site(t, item)) {
            const uint64_t on_site =
                nd_grouping_find_both(&t->set_cluster_site, &t->site, cell, t->site.group[item]);
            set->counts[ND_SCOPE_SITE].pages -= nd_grouping_size(&t->set_cluster_site, on_site);
        }
    }
}

/* Counts of the item's site, the pages of ambiguous clusters among them. */
static nd_sample_counts count_site(const table *t, size_t item) {
    if (!has_site(t, item)) {
        return (nd_sample_counts){1, 1, t->baseline.item_count > 0, 1};
    }
    return (nd_sample_counts){.pages = fellows(&t->set_site, item),
                              .similar = fellows(&t->set_cluster_site, item),
                              .baseline = fellows(&t->baseline_cluster_site, item),
                              .anywhere = fellows(&t->cluster_site, item)};
}

static nd_sampled_set count_set(const table *t, uint64_t group) {
    const size_t item = choose_representative(t, group);
    nd_sampled_set set = {
        .set = t->sampled.key[group],
        .pages = t->sampled.size[group],
        .representative = t->page[item],
        .counts = {[ND_SCOPE_ALL] = {.pages = fellows(&t->set, item),
                                     .similar = fellows(&t->set_cluster, item),
                                     .baseline = fellows(&t->baseline_cluster, item),
                                     .anywhere = fellows(&t->cluster, item)},
                   [ND_SCOPE_SITE] = count_site(t, item)}};
    leave_out_ambiguous(t, item, &set);
    return set;
}

nd_status nd_set_sample_draw(const nd_sampled_pages *pages, uint64_t most, bool singletons,
                             uint64_t seed, nd_set_sample *sample) {
    nd_status st = ND_OK;
    table t = {0};
    uint64_t *groups = NULL;
    *sample = (nd_set_sample){.has_baseline = pages->baseline != NULL};
    ND_TRY(keep_judged(&pages->labelled, &t));
    ND_TRY(group_pages(pages, &t));
    ND_TRY(nd_ambiguous_clusters_make(&pages->labelled, &t.ambiguous));
    ND_TRY(draw_groups(&t, most, singletons, seed, &groups, sample));
    ND_TRY(nd_new(&sample->sets, sample->count, sizeof *sample->sets));
    for (size_t i = 0; i < sample->count; i++) {
        sample->sets[i] = count_set(&t, groups[i]);
    }
out:
    free(groups);
    free_table(&t);
    if (st != ND_OK) {
        nd_set_sample_free(sample);
    }
    return st;
}

/* ---- the measures */

bool nd_set_sample_has(const nd_set_sample *sample, nd_sample_measure measure) {
    return sample->has_baseline ||
           (measure != ND_SAMPLE_RELATIVE_RECALL && measure != ND_SAMPLE_BASELINE_RECALL);
}

double nd_sample_share(const nd_sample_counts *counts, nd_sample_measure measure) {
    const bool of_baseline = measure == ND_SAMPLE_BASELINE_RECALL;
    const uint64_t found = of_baseline ? counts->baseline : counts->similar;
    const uint64_t all = measure == ND_SAMPLE_PRECISION         ? counts->pages
                         : measure == ND_SAMPLE_RELATIVE_RECALL ? counts->baseline
                                                                : counts->anywhere;
    return (double)found / (double)all;
}

nd_status nd_set_sample_estimate(const nd_set_sample *sample, nd_sample_scope scope,
                                 nd_sample_measure measure, size_t resamples, uint64_t seed,
                                 nd_estimate *estimate) {
    double *shares = NULL;
    *estimate = (nd_estimate){0};
    nd_status st = nd_new(&shares, sample->count, sizeof *shares);
    for (size_t i = 0; st == ND_OK && i < sample->count; i++) {
        shares[i] = nd_sample_share(&sample->sets[i].counts[scope], measure);
    }
    st = st != ND_OK ? st : nd_bootstrap_mean(shares, sample->count, resamples, seed, estimate);
    free(shares);
    return st;
}

void nd_set_sample_free(nd_set_sample *sample) {
    free(sample->sets);
    *sample = (nd_set_sample){0};
}
