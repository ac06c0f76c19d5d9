#include "src/measure/pair_precision.h"

#include <math.h>
#include <string.h>

void nd_pair_precision_open(nd_pair_precision *precision, double lowest) {
    *precision = (nd_pair_precision){.lowest = lowest};
}

static void add(nd_pairs_by_site *to, nd_pair_label label, bool same_site) {
    nd_label_counts *counts = same_site ? &to->same_site : &to->different_sites;
    counts->pairs[label]++;
}

/* The row of a value, a new one where it has none; NULL from when there is no room on. */
static nd_pairs_by_site *row_of(nd_pair_precision *p, double similarity) {
    size_t at = 0;
    while (at < p->value_count && at < ND_SIMILARITY_VALUES && p->values[at].from < similarity) {
        at++;
    }
    if (p->value_count > ND_SIMILARITY_VALUES) {
        return NULL;
    }
    if (at == p->value_count || p->values[at].from > similarity) {
        if (p->value_count++ == ND_SIMILARITY_VALUES) {
            return NULL;
        }
        memmove(&p->values[at + 1], &p->values[at],
                (p->value_count - 1 - at) * sizeof p->values[0]);
        p->values[at] = (nd_similarity_row){.from = similarity, .to = similarity};
    }
    return &p->values[at].pairs;
}

void nd_pair_precision_add(nd_pair_precision *precision, double similarity, nd_pair_label label,
                           bool same_site) {
    const double lowest = precision->lowest;
    const double place = (similarity - lowest) / (1 - lowest) * (double)ND_SIMILARITY_BINS;
    const size_t bin = place <= 0                            ? 0
                       : place >= (double)ND_SIMILARITY_BINS ? ND_SIMILARITY_BINS - 1
                                                             : (size_t)place;
    nd_pairs_by_site *row = row_of(precision, similarity);
    add(&precision->all, label, same_site);
    add(&precision->bins[bin], label, same_site);
    if (row != NULL) {
        add(row, label, same_site);
    }
}

size_t nd_pair_precision_rows(const nd_pair_precision *precision,
                              nd_similarity_row rows[ND_SIMILARITY_VALUES]) {
    const double width = (1 - precision->lowest) / (double)ND_SIMILARITY_BINS;
    if (precision->value_count <= ND_SIMILARITY_VALUES) {
        memcpy(rows, precision->values, precision->value_count * sizeof *rows);
        return precision->value_count;
    }
    for (size_t i = 0; i < ND_SIMILARITY_BINS; i++) {
        rows[i] = (nd_similarity_row){.from = precision->lowest + (double)i * width,
                                      .to = precision->lowest + (double)(i + 1) * width,
                                      .pairs = precision->bins[i]};
    }
    return ND_SIMILARITY_BINS;
}

nd_label_counts nd_pairs_by_site_sum(const nd_pairs_by_site *pairs) {
    nd_label_counts sum = pairs->same_site;
    for (int label = 0; label < ND_PAIR_LABELS; label++) {
        sum.pairs[label] += pairs->different_sites.pairs[label];
    }
    return sum;
}

static double share(uint64_t part, uint64_t whole) {
    return whole == 0 ? NAN : (double)part / (double)whole;
}

double nd_label_precision(const nd_label_counts *counts) {
    uint64_t total = 0;
    for (int label = 0; label < ND_PAIR_LABELS; label++) {
        total += counts->pairs[label];
    }
    return share(counts->pairs[ND_PAIR_CORRECT], total);
}

double nd_label_decided_precision(const nd_label_counts *counts) {
    return share(counts->pairs[ND_PAIR_CORRECT],
                 counts->pairs[ND_PAIR_CORRECT] + counts->pairs[ND_PAIR_INCORRECT]);
}
