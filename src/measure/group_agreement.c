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

static void enter_page(counter *c, uint64_t at, nd_group_agreement *g) {
    const nd_contingency_table *t = &c->table;
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

/* The pairs of the page's set, when the first page of the group in it comes. */
static void count_set(counter *c, uint64_t at, nd_group_agreement *g) {
    const uint64_t set = c->table.cells[at].set;
    if (c->in_set[set] > 0) {
        const uint64_t skipped = skipped_pairs(c, set);
        g->pairs.skipped_pairs += skipped;
        g->pairs.predicted_pairs +=
            pairs_touching(c->table.set_pages[set], c->in_set[set]) - skipped;
        c->in_set[set] = 0;
    }
}

/* Likewise of its cell and its cluster; the sets are done. */
static void count_cell(counter *c, uint64_t at, nd_group_agreement *g) {
    const nd_cell *cell = &c->table.cells[at];
    g->pairs.common_pairs += pairs_touching(cell->pages, c->in_cell[at]);
    g->pairs.true_pairs +=
        pairs_touching(c->table.cluster_pages[cell->cluster], c->in_cluster[cell->cluster]);
    c->in_cell[at] = 0;
    c->in_cluster[cell->cluster] = 0;
}

static void count_group(counter *c, const nd_key_value *pages, size_t count,
                        nd_group_agreement *g) {
    for (size_t i = 0; i < count; i++) {
        enter_page(c, c->cells[pages[i].value], g);
    }
    for (size_t i = 0; i < count; i++) {
        count_set(c, c->cells[pages[i].value], g);
    }
    for (size_t i = 0; i < count; i++) {
        count_cell(c, c->cells[pages[i].value], g);
    }
}

static nd_status prepare(const nd_labelled_pages *pages, counter *c) {
    nd_status st = ND_OK;
    ND_TRY(nd_contingency_table_make(pages, &c->table));
    ND_TRY(nd_new(&c->cells, pages->count, sizeof *c->cells));
    ND_TRY(nd_new(&c->in_cell, c->table.cell_count, sizeof *c->in_cell));
    ND_TRY(nd_new(&c->in_set, c->table.set_count, sizeof *c->in_set));
    ND_TRY(nd_new(&c->in_cluster, c->table.cluster_count, sizeof *c->in_cluster));
    nd_contingency_table_locate(&c->table, pages, c->cells);
out:
    return st;
}

/* The pages that are in a group and not loose, by group. */
static nd_status sort_by_group(const counter *c, const uint64_t *group, size_t pages,
                               nd_key_value **sorted, size_t *count) {
    nd_status st = nd_new(sorted, pages, sizeof **sorted);
    for (size_t i = 0; st == ND_OK && i < pages; i++) {
        if (group[i] != ND_NO_GROUP && c->cells[i] != ND_NO_CELL) {
            (*sorted)[(*count)++] = (nd_key_value){group[i], i};
        }
    }
    return st != ND_OK ? st : nd_radix_sort(*sorted, *count);
}

nd_status nd_group_agreement_count(const nd_labelled_pages *pages, const uint64_t *group,
                                   size_t group_count, nd_group_agreement *groups) {
    nd_status st = ND_OK;
    counter c = {0};
    nd_key_value *sorted = NULL;
    size_t count = 0;
    ND_TRY(prepare(pages, &c));
    ND_TRY(sort_by_group(&c, group, pages->count, &sorted, &count));
    size_t end = 0;
    for (size_t g = 0; g < group_count; g++) {
        const size_t begin = end;
        for (; end < count && sorted[end].key == g; end++) {
        }
        groups[g] = (nd_group_agreement){0};
        count_group(&c, sorted + begin, end - begin, &groups[g]);
        groups[g].page_recall = groups[g].partnered_pages == 0
                                    ? 1
                                    : groups[g].page_recall / (double)groups[g].partnered_pages;
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
