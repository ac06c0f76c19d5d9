#include "src/measure/contingency.h"

#include "src/base/buffer.h"
#include "src/base/radix_sort.h"

#include <stdlib.h>

/* A cell of the table that is not empty. */
typedef struct cell {
    uint64_t set;
    uint64_t cluster;
    uint64_t pages;
} cell;

typedef struct table {
    cell *cells; /* by set, then cluster */
    size_t cell_count;
    uint64_t *cluster_pages;  /* by cluster */
    nd_key_value *neighbours; /* clusters that are ambiguous with `key`, by key, each once */
    size_t *first_neighbour;  /* neighbours of t: [first_neighbour[t], first_neighbour[t + 1]) */
} table;

static uint64_t pairs_of(uint64_t n) {
    return n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;
}

/* ---- the table */

static nd_status sort_pages(const nd_labelled_pages *pages, nd_key_value **records, size_t *count) {
    nd_status st = nd_new(records, pages->count, sizeof **records);
    *count = 0;
    for (size_t i = 0; st == ND_OK && i < pages->count; i++) {
        if (pages->loose == NULL || !pages->loose[i]) {
            (*records)[(*count)++] = (nd_key_value){pages->set[i], pages->cluster[i]};
        }
    }
    return st != ND_OK ? st : nd_radix_sort(*records, *count);
}

static nd_status fill_cells(const nd_labelled_pages *pages, table *t) {
    nd_status st = ND_OK;
    nd_key_value *records = NULL;
    size_t count = 0;
    ND_TRY(sort_pages(pages, &records, &count));
    ND_TRY(nd_new(&t->cells, count, sizeof *t->cells));
    ND_TRY(nd_new(&t->cluster_pages, pages->cluster_count, sizeof *t->cluster_pages));
    for (size_t i = 0; i < count; i++) {
        const nd_key_value *r = &records[i];
        if (i == 0 || r->key != r[-1].key || r->value != r[-1].value) {
            t->cells[t->cell_count++] = (cell){r->key, r->value, 0};
        }
        t->cells[t->cell_count - 1].pages++;
        t->cluster_pages[r->value]++;
    }
out:
    free(records);
    return st;
}

static nd_status fill_neighbours(const nd_labelled_pages *pages, table *t) {
    nd_status st = ND_OK;
    size_t count = 0;
    const size_t twice = 2 * pages->ambiguous_count;
    ND_TRY(nd_new(&t->neighbours, twice, sizeof *t->neighbours));
    ND_TRY(nd_new(&t->first_neighbour, pages->cluster_count + 1, sizeof *t->first_neighbour));
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

/* ---- the sums */

static int by_cluster(const void *a, const void *b) {
    const cell *x = a;
    const cell *y = b;
    return (x->cluster > y->cluster) - (x->cluster < y->cluster);
}

/* Pages among the `count` cells of one set whose cluster is ambiguous with `cluster`. */
static uint64_t unjudged_pages(const table *t, const cell *set, size_t count, uint64_t cluster) {
    uint64_t pages = 0;
    for (size_t i = t->first_neighbour[cluster]; i < t->first_neighbour[cluster + 1]; i++) {
        const cell wanted = {.cluster = t->neighbours[i].value};
        const cell *found = bsearch(&wanted, set, count, sizeof *set, by_cluster);
        pages += found != NULL ? found->pages : 0;
    }
    return pages;
}

static void add_set(const table *t, const cell *set, size_t count, nd_agreement *a) {
    uint64_t pages = 0;
    uint64_t skipped_twice = 0;
    for (size_t i = 0; i < count; i++) {
        pages += set[i].pages;
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t own = set[i].pages;
        const uint64_t unjudged = unjudged_pages(t, set, count, set[i].cluster);
        const double own_squared = (double)own * (double)own;
        skipped_twice += own * unjudged;
        a->common_pairs += pairs_of(own);
        a->cubed_precision += own_squared / (double)(pages - unjudged);
        a->cubed_recall += own_squared / (double)t->cluster_pages[set[i].cluster];
    }
    a->sets++;
    a->cells += count;
    a->pages += pages;
    a->skipped_pairs += skipped_twice / 2;
    a->predicted_pairs += pairs_of(pages) - skipped_twice / 2;
}

static void add_clusters(const table *t, size_t cluster_count, nd_agreement *a) {
    for (size_t c = 0; c < cluster_count; c++) {
        a->clusters += t->cluster_pages[c] > 0;
        a->true_pairs += pairs_of(t->cluster_pages[c]);
    }
}

static void add_sets(const table *t, nd_agreement *a) {
    size_t end = 0;
    for (size_t begin = 0; begin < t->cell_count; begin = end) {
        for (end = begin; end < t->cell_count && t->cells[end].set == t->cells[begin].set; end++) {
        }
        add_set(t, t->cells + begin, end - begin, a);
    }
    a->cubed_precision = a->pages == 0 ? 1 : a->cubed_precision / (double)a->pages;
    a->cubed_recall = a->pages == 0 ? 1 : a->cubed_recall / (double)a->pages;
}

nd_status nd_agreement_count(const nd_labelled_pages *pages, nd_agreement *agreement) {
    nd_status st = ND_OK;
    table t = {0};
    *agreement = (nd_agreement){0};
    ND_TRY(fill_cells(pages, &t));
    ND_TRY(fill_neighbours(pages, &t));
    add_clusters(&t, pages->cluster_count, agreement);
    add_sets(&t, agreement);
out:
    free(t.cells);
    free(t.cluster_pages);
    free(t.neighbours);
    free(t.first_neighbour);
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
