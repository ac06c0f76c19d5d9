#include "src/measure/group_agreement.h"

#include "src/base/buffer.h"

#include <stdlib.h>

/* The table of all pages, and how many of the present group are where in it. */
typedef struct counter {
    nd_contingency_table table;
    uint64_t *cells;   /* of each page */
    uint64_t *in_cell; /* zero between two groups, as the next two */
    uint64_t *in_set;
    uint64_t *in_cluster;
} counter;

nd_pair_counts nd_agreement_pairs(const nd_agreement *a) {
    return (nd_pair_counts){a->true_pairs, a->predicted_pairs, a->common_pairs, a->skipped_pairs};
}

nd_pair_counts nd_pair_counts_without(nd_pair_counts all, nd_pair_counts some) {
    return (nd_pair_counts){
        all.true_pairs - some.true_pairs, all.predicted_pairs - some.predicted_pairs,
        all.common_pairs - some.common_pairs, all.skipped_pairs - some.skipped_pairs};
}

/* Pairs among `all` pages with at least one of `some` of them. */
static uint64_t pairs_touching(uint64_t all, uint64_t some) {
    return nd_pairs_among(all) - nd_pairs_among(all - some);
}

/* Pairs of a set with a page of the group, in clusters that are ambiguous with each other. */
static uint64_t skipped_pairs(const counter *c, uint64_t set) {
    const nd_contingency_table *t = &c->table;
    uint64_t twice = 0;
    for (size_t i = t->first_cell[set]; i < t->first_cell[set + 1]; i++) {
        const nd_cell *cell = &t->cells[i];
        if (cell->unevaluated == 0) {
            continue;
        }
        for (size_t n = t->first_neighbour[cell->cluster];
             n < t->first_neighbour[cell->cluster + 1]; n++) {
            const nd_cell *other = nd_contingency_table_find(t, set, t->neighbours[n].value);
            if (other != NULL) {
                twice +=
                    cell->pages * other->pages -
                    (cell->pages - c->in_cell[i]) * (other->pages - c->in_cell[other - t->cells]);
            }
        }
    }
    return twice / 2;
}

static void count_group(counter *c, const nd_key_value *pages, size_t count,
                        nd_group_agreement *g) {
    const nd_contingency_table *t = &c->table;
    *g = (nd_group_agreement){0};
    for (size_t i = 0; i < count; i++) {
        const uint64_t at = c->cells[pages[i].value];
        const nd_cell *cell = &t->cells[at];
        const uint64_t partners = t->cluster_pages[cell->cluster] - 1;
        c->in_cell[at]++;
        c->in_set[cell->set]++;
        c->in_cluster[cell->cluster]++;
        g->pages++;
        g->mixed_pages += t->set_pages[cell->set] - cell->unevaluated > cell->pages;
        if (partners > 0) {
            g->partnered_pages++;
            g->page_recall += (double)(cell->pages - 1) / (double)partners;
        }
    }
    g->page_recall = g->partnered_pages == 0 ? 1 : g->page_recall / (double)g->partnered_pages;

    /* the pairs of a set when the first page of the group in it comes, then, as the sets take all
     * counts by cell, those of cells and clusters */
    for (size_t i = 0; i < count; i++) {
        const uint64_t set = t->cells[c->cells[pages[i].value]].set;
        if (c->in_set[set] > 0) {
            const uint64_t skipped = skipped_pairs(c, set);
            g->pairs.skipped_pairs += skipped;
            g->pairs.predicted_pairs += pairs_touching(t->set_pages[set], c->in_set[set]) - skipped;
            c->in_set[set] = 0;
        }
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t at = c->cells[pages[i].value];
        const nd_cell *cell = &t->cells[at];
        g->pairs.common_pairs += pairs_touching(cell->pages, c->in_cell[at]);
        g->pairs.true_pairs +=
            pairs_touching(t->cluster_pages[cell->cluster], c->in_cluster[cell->cluster]);
        c->in_cell[at] = 0;
        c->in_cluster[cell->cluster] = 0;
    }
}

nd_status nd_group_agreement_count(const nd_labelled_pages *pages, const uint64_t *group,
                                   size_t group_count, nd_group_agreement *groups) {
    nd_status st = ND_OK;
    counter c = {0};
    nd_key_value *sorted = NULL; /* pages that are in a group and not loose, by group */
    size_t count = 0;
    ND_TRY(nd_contingency_table_make(pages, &c.table));
    nd_new(&c.cells, pages->count, sizeof *c.cells);
    nd_new(&c.in_cell, c.table.cell_count, sizeof *c.in_cell);
    nd_new(&c.in_set, c.table.set_count, sizeof *c.in_set);
    nd_new(&c.in_cluster, c.table.cluster_count, sizeof *c.in_cluster);
    nd_new(&sorted, pages->count, sizeof *sorted);
    nd_contingency_table_locate(&c.table, pages, c.cells);
    for (size_t i = 0; i < pages->count; i++) {
        if (group[i] != ND_NO_GROUP && c.cells[i] != ND_NO_CELL) {
            sorted[count++] = (nd_key_value){group[i], i};
        }
    }
    ND_TRY(nd_radix_sort(sorted, count));
    size_t end = 0;
    for (size_t g = 0; g < group_count; g++) {
        const size_t begin = end;
        while (end < count && sorted[end].key == g) {
            end++;
        }
        count_group(&c, sorted + begin, end - begin, &groups[g]);
    }
out:
    nd_contingency_table_free(&c.table);
    free(c.cells);
    free(c.in_cell);
    free(c.in_set);
    free(c.in_cluster);
    free(sorted);
    return st;
}
