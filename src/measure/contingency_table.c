#include "src/measure/contingency_table.h"

#include "src/base/buffer.h"
#include "src/base/order.h"

#include <stdlib.h>

static nd_status fill_cells(const nd_labelled_pages *pages, nd_contingency_table *t) {
    nd_status st = ND_OK;
    nd_key_value *records = NULL;
    size_t count = 0;
    nd_new(&records, pages->count, sizeof *records);
    for (size_t i = 0; i < pages->count; i++) {
        if (pages->loose == NULL || !pages->loose[i]) {
            records[count++] = (nd_key_value){pages->set[i], pages->cluster[i]};
        }
    }
    ND_TRY(nd_radix_sort(records, count));
    nd_new(&t->cells, count, sizeof *t->cells);
    nd_new(&t->cluster_pages, pages->cluster_count, sizeof *t->cluster_pages);
    t->cluster_count = pages->cluster_count;
    for (size_t i = 0; i < count; i++) {
        const nd_key_value *r = &records[i];
        const bool new_set = i == 0 || r->key != r[-1].key;
        t->set_count += new_set;
        if (new_set || r->value != r[-1].value) {
            t->cells[t->cell_count++] =
                (nd_cell){.name = r->key, .set = t->set_count - 1, .cluster = r->value};
        }
        t->cells[t->cell_count - 1].pages++;
        t->cluster_pages[r->value]++;
    }
    nd_new(&t->first_cell, t->set_count + 1, sizeof *t->first_cell);
    nd_new(&t->set_pages, t->set_count, sizeof *t->set_pages);
    for (size_t i = 0; i < t->cell_count; i++) {
        t->first_cell[t->cells[i].set + 1] = i + 1;
        t->set_pages[t->cells[i].set] += t->cells[i].pages;
    }
out:
    free(records);
    return st;
}

static nd_status fill_neighbours(const nd_labelled_pages *pages, nd_contingency_table *t) {
    nd_status st = ND_OK;
    size_t count = 0;
    const size_t twice = 2 * pages->ambiguous_count;
    nd_new(&t->neighbours, twice, sizeof *t->neighbours);
    nd_new(&t->first_neighbour, pages->cluster_count + 1, sizeof *t->first_neighbour);
    for (size_t i = 0; i < pages->ambiguous_count; i++) {
        const nd_cluster_pair *p = &pages->ambiguous[i];
        t->neighbours[2 * i] = (nd_key_value){p->a, p->b};
        t->neighbours[2 * i + 1] = (nd_key_value){p->b, p->a};
    }
    ND_TRY(nd_radix_sort(t->neighbours, twice));
    for (size_t i = 0; i < twice; i++) {
        const nd_key_value n = t->neighbours[i];
        if (count == 0 || t->neighbours[count - 1].key != n.key ||
            t->neighbours[count - 1].value != n.value) {
            t->neighbours[count++] = n;
            t->first_neighbour[n.key + 1]++;
        }
    }
    for (size_t c = 0; c < pages->cluster_count; c++) {
        t->first_neighbour[c + 1] += t->first_neighbour[c];
    }
out:
    return st;
}

nd_status nd_contingency_table_make(const nd_labelled_pages *pages, nd_contingency_table *table) {
    nd_status st = ND_OK;
    nd_contingency_table *t = table;
    *t = (nd_contingency_table){0};
    ND_TRY(fill_cells(pages, t));
    ND_TRY(fill_neighbours(pages, t));
    for (size_t i = 0; i < t->cell_count; i++) {
        nd_cell *cell = &t->cells[i];
        for (size_t n = t->first_neighbour[cell->cluster];
             n < t->first_neighbour[cell->cluster + 1]; n++) {
            const nd_cell *other = nd_contingency_table_find(t, cell->set, t->neighbours[n].value);
            cell->unevaluated += other != NULL ? other->pages : 0;
        }
    }
out:
    return st;
}

const nd_cell *nd_contingency_table_find(const nd_contingency_table *table, uint64_t set,
                                         uint64_t cluster) {
    const size_t end = table->first_cell[set + 1];
    size_t i = 0;
    ND_FIND_FIRST(i, table->first_cell[set], end, table->cells[i].cluster >= cluster);
    return i < end && table->cells[i].cluster == cluster ? &table->cells[i] : NULL;
}

bool nd_contingency_table_is_ambiguous(const nd_contingency_table *table, uint64_t a, uint64_t b) {
    for (size_t n = table->first_neighbour[a]; n < table->first_neighbour[a + 1]; n++) {
        if (table->neighbours[n].value == b) {
            return true;
        }
    }
    return false;
}

void nd_contingency_table_locate(const nd_contingency_table *table, const nd_labelled_pages *pages,
                                 uint64_t *cells) {
    for (size_t i = 0; i < pages->count; i++) {
        const uint64_t set = pages->set[i];
        const uint64_t cluster = pages->cluster[i];
        cells[i] = ND_NO_CELL;
        if (pages->loose == NULL || !pages->loose[i]) {
            const nd_cell *c = table->cells;
            ND_FIND_FIRST(cells[i], 0, table->cell_count,
                          c[cells[i]].name > set ||
                              (c[cells[i]].name == set && c[cells[i]].cluster >= cluster));
        }
    }
}

void nd_contingency_table_free(nd_contingency_table *table) {
    free(table->cells);
    free(table->first_cell);
    free(table->set_pages);
    free(table->cluster_pages);
    free(table->neighbours);
    free(table->first_neighbour);
    *table = (nd_contingency_table){0};
}
