#include "src/measure/relative_recall.h"

#include "src/base/buffer.h"
#include "src/base/numbers.h"
#include "src/base/order.h"
#include "src/base/random.h"

#include <stdlib.h>

/* Pages with the sets of another result. Ambiguous clusters do not matter where only pages of one
 * cluster are counted. */
static nd_labelled_pages with_sets(const nd_labelled_pages *pages, const uint64_t *set) {
    nd_labelled_pages other = *pages;
    other.set = set;
    other.ambiguous = NULL;
    other.ambiguous_count = 0;
    return other;
}

/* ---- sampling */

/* Draw sets; see nd_set_sample_draw(). */
static nd_status sample_sets(const nd_sampled_pages *pages, uint64_t most, bool singletons,
                             uint64_t seed, nd_set_sample *sample) {
    nd_status st = ND_OK;
    const nd_labelled_pages sampled = with_sets(&pages->labelled, pages->sampled);
    nd_random random = {seed};
    nd_contingency_table t = {0};
    uint64_t *cells = NULL; /* of the pages */
    uint64_t *first = NULL; /* page of every cell */
    uint64_t *sets = NULL;  /* that may be drawn; those drawn in front */
    size_t population = 0;
    ND_TRY(nd_contingency_table_make(&sampled, &t));
    nd_new(&cells, sampled.count, sizeof *cells);
    nd_new(&first, t.cell_count, sizeof *first);
    nd_new(&sets, t.set_count, sizeof *sets);
    nd_contingency_table_locate(&t, &sampled, cells);
    for (size_t i = sampled.count; i-- > 0;) {
        if (cells[i] != ND_NO_CELL) {
            first[cells[i]] = i;
        }
    }
    for (size_t s = 0; s < t.set_count; s++) {
        if (singletons || t.set_pages[s] > 1) {
            sets[population++] = s;
        }
    }
    const size_t count = (size_t)nd_min(most, population);
    for (size_t i = 0; i < count; i++) {
        const size_t other = i + nd_random_below(&random, population - i);
        const uint64_t drawn = sets[other];
        sets[other] = sets[i];
        sets[i] = drawn;
    }
    sample->population = population;
    sample->count = nd_numbers_distinct(sets, count);
    nd_new(&sample->sets, sample->count, sizeof *sample->sets);
    for (size_t i = 0; i < sample->count; i++) {
        /* the first page of the largest cell, of several such cells the first of all */
        size_t best = t.first_cell[sets[i]];
        for (size_t c = best + 1; c < t.first_cell[sets[i] + 1]; c++) {
            const bool larger = t.cells[c].pages > t.cells[best].pages;
            const bool equal = t.cells[c].pages == t.cells[best].pages;
            best = larger || (equal && first[c] < first[best]) ? c : best;
        }
        sample->sets[i] = (nd_sampled_set){.set = t.cells[best].name,
                                           .pages = t.set_pages[sets[i]],
                                           .representative = first[best]};
    }
out:
    nd_contingency_table_free(&t);
    free(cells);
    free(first);
    free(sets);
    return st;
}

/* ---- counting */

/* The cell of a page; NULL for a loose one. */
static const nd_cell *cell_of(const nd_contingency_table *t, const nd_labelled_pages *pages,
                              uint64_t page) {
    uint64_t cell = ND_NO_CELL;
    const nd_labelled_pages one = {.set = pages->set + page,
                                   .cluster = pages->cluster + page,
                                   .loose = pages->loose == NULL ? NULL : pages->loose + page,
                                   .count = 1};
    nd_contingency_table_locate(t, &one, &cell);
    return cell == ND_NO_CELL ? NULL : &t->cells[cell];
}

/* Take the counts of one scope from pages with the sets of the evaluated result, or of the
 * baseline. A representative without a site is loose where pages are cut by site: there it is
 * alone. */
static nd_status count_scope(const nd_labelled_pages *pages, nd_sample_scope scope,
                             bool of_baseline, nd_set_sample *sample) {
    nd_status st = ND_OK;
    nd_contingency_table t = {0};
    ND_TRY(nd_contingency_table_make(pages, &t));
    for (size_t i = 0; i < sample->count; i++) {
        const nd_cell *cell = cell_of(&t, pages, sample->sets[i].representative);
        nd_sample_counts *c = &sample->sets[i].counts[scope];
        if (of_baseline) {
            c->baseline = cell == NULL ? 1 : cell->pages;
        } else {
            c->pages = cell == NULL ? 1 : t.set_pages[cell->set] - cell->unevaluated;
            c->similar = cell == NULL ? 1 : cell->pages;
            c->anywhere = cell == NULL ? 1 : t.cluster_pages[cell->cluster];
        }
    }
out:
    nd_contingency_table_free(&t);
    return st;
}

/* Count all pages, then those of the representative's site. */
static nd_status count_scopes(const nd_labelled_pages *pages, const uint64_t *site,
                              bool of_baseline, nd_set_sample *sample) {
    nd_status st = ND_OK;
    nd_same_site same = {0};
    ND_TRY(count_scope(pages, ND_SCOPE_ALL, of_baseline, sample));
    ND_TRY(nd_same_site_make(pages, site, &same));
    ND_TRY(count_scope(&same.pages, ND_SCOPE_SITE, of_baseline, sample));
out:
    nd_same_site_free(&same);
    return st;
}

nd_status nd_set_sample_draw(const nd_sampled_pages *pages, uint64_t most, bool singletons,
                             uint64_t seed, nd_set_sample *sample) {
    nd_status st = ND_OK;
    *sample = (nd_set_sample){.has_baseline = pages->baseline != NULL};
    ND_TRY(sample_sets(pages, most, singletons, seed, sample));
    ND_TRY(count_scopes(&pages->labelled, pages->site, false, sample));
    if (pages->baseline != NULL) {
        const nd_labelled_pages baseline = with_sets(&pages->labelled, pages->baseline);
        ND_TRY(count_scopes(&baseline, pages->site, true, sample));
    }
out:
    if (st != ND_OK) {
        nd_set_sample_free(sample);
    }
    return st;
}

/* ---- the measures */

bool nd_set_sample_has(const nd_set_sample *sample, nd_sample_measure measure) {
    const bool of_baseline =
        measure == ND_SAMPLE_RELATIVE_RECALL || measure == ND_SAMPLE_BASELINE_RECALL;
    const bool of_all = measure == ND_SAMPLE_RECALL || measure == ND_SAMPLE_BASELINE_RECALL;
    return (sample->has_baseline || !of_baseline) && !(sample->judged && of_all);
}

void nd_set_sample_judged(const nd_answer *answers, size_t count, bool has_baseline,
                          nd_set_sample *sample) {
    static const nd_sample_counts alone = {1, 1, 1, 1}; /* the representative itself */
    *sample = (nd_set_sample){.has_baseline = has_baseline, .judged = true};
    nd_new(&sample->sets, count, sizeof *sample->sets);
    for (size_t i = 0; i < count; i++) {
        const nd_answer *answer = &answers[i];
        if (i == 0 || answer->set != answers[i - 1].set) {
            sample->sets[sample->count++] =
                (nd_sampled_set){.set = answer->set, .pages = 1, .counts = {alone, alone}};
        }
        nd_sampled_set *set = &sample->sets[sample->count - 1];
        set->pages += answer->own;
        for (int scope = 0; scope <= (answer->site ? ND_SCOPE_SITE : ND_SCOPE_ALL); scope++) {
            nd_sample_counts *counts = &set->counts[scope];
            counts->pages += answer->own;
            counts->similar += answer->own && answer->similar;
            counts->baseline += answer->baseline && answer->similar;
            counts->anywhere += answer->similar;
        }
    }
    sample->population = sample->count;
}

nd_status nd_set_sample_estimate(const nd_set_sample *sample, nd_sample_scope scope,
                                 nd_sample_measure measure, size_t resamples, uint64_t seed,
                                 nd_estimate *estimate) {
    double *shares = NULL;
    *estimate = (nd_estimate){0};
    nd_new(&shares, sample->count, sizeof *shares);
    for (size_t i = 0; i < sample->count; i++) {
        const nd_sample_counts *c = &sample->sets[i].counts[scope];
        const uint64_t found = measure == ND_SAMPLE_BASELINE_RECALL ? c->baseline : c->similar;
        const uint64_t all = measure == ND_SAMPLE_PRECISION         ? c->pages
                             : measure == ND_SAMPLE_RELATIVE_RECALL ? c->baseline
                                                                    : c->anywhere;
        shares[i] = (double)found / (double)all;
    }
    nd_bootstrap_mean(shares, sample->count, resamples, seed, estimate);
    free(shares);
    return ND_OK;
}

void nd_set_sample_free(nd_set_sample *sample) {
    free(sample->sets);
    *sample = (nd_set_sample){0};
}
