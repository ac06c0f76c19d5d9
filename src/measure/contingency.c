#include "src/measure/contingency.h"

nd_status nd_agreement_count(const nd_labelled_pages *pages, nd_agreement *agreement) {
    nd_status st = ND_OK;
    nd_contingency_table t;
    nd_agreement a = {0};
    uint64_t ambiguous_twice = 0; /* pairs of all pages, in one set or in two */
    ND_TRY(nd_contingency_table_make(pages, &t));
    a.sets = t.set_count;
    a.cells = t.cell_count;
    for (size_t c = 0; c < t.cluster_count; c++) {
        a.clusters += t.cluster_pages[c] > 0;
        a.true_pairs += nd_pairs_among(t.cluster_pages[c]);
    }
    for (size_t set = 0; set < t.set_count; set++) {
        const uint64_t in_set = t.set_pages[set];
        uint64_t skipped_twice = 0;
        for (size_t i = t.first_cell[set]; i < t.first_cell[set + 1]; i++) {
            const nd_cell *cell = &t.cells[i];
            const double own_squared = (double)cell->pages * (double)cell->pages;
            skipped_twice += cell->pages * cell->unevaluated;
            a.common_pairs += nd_pairs_among(cell->pages);
            a.cubed_precision += own_squared / (double)(in_set - cell->unevaluated);
            a.cubed_recall += own_squared / (double)t.cluster_pages[cell->cluster];
        }
        a.pages += in_set;
        a.skipped_pairs += skipped_twice / 2;
        a.predicted_pairs += nd_pairs_among(in_set) - skipped_twice / 2;
    }
    for (size_t i = 0; i < t.first_neighbour[t.cluster_count]; i++) {
        ambiguous_twice +=
            t.cluster_pages[t.neighbours[i].key] * t.cluster_pages[t.neighbours[i].value];
    }
    a.evaluated_pairs = nd_pairs_among(a.pages) - ambiguous_twice / 2;
    a.cubed_precision = a.pages == 0 ? 1 : a.cubed_precision / (double)a.pages;
    a.cubed_recall = a.pages == 0 ? 1 : a.cubed_recall / (double)a.pages;
out:
    *agreement = st == ND_OK ? a : (nd_agreement){0};
    nd_contingency_table_free(&t);
    return st;
}

/* ---- the measures */

static nd_measure measure(double precision, double recall) {
    const double sum = precision + recall;
    return (nd_measure){precision, recall, sum > 0 ? 2 * precision * recall / sum : 0};
}

nd_measure nd_measure_pairs(uint64_t common, uint64_t predicted, uint64_t true_pairs) {
    return measure(predicted == 0 ? 1 : (double)common / (double)predicted,
                   true_pairs == 0 ? 1 : (double)common / (double)true_pairs);
}

nd_measure nd_measure_removal(const nd_agreement *a) {
    return nd_measure_pairs(a->pages - a->cells, a->pages - a->sets, a->pages - a->clusters);
}

nd_measure nd_measure_cubed(const nd_agreement *agreement) {
    return measure(agreement->cubed_precision, agreement->cubed_recall);
}

double nd_adjusted_rand_index(const nd_agreement *a) {
    const bool nothing = a->true_pairs == 0 && a->predicted_pairs == 0;
    const bool everything =
        a->true_pairs == a->evaluated_pairs && a->predicted_pairs == a->evaluated_pairs;
    if (nothing || everything) {
        return 1;
    }
    const double similar = (double)a->true_pairs;
    const double predicted = (double)a->predicted_pairs;
    const double chance = similar * predicted / (double)a->evaluated_pairs;
    return ((double)a->common_pairs - chance) / ((similar + predicted) / 2 - chance);
}
