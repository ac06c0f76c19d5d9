#include "src/measure/agreement.h"

#include "src/base/buffer.h"
#include "src/base/util.h"

#include <xxhash.h>

#include <stdlib.h>
#include <string.h>

/* ==== names */

/* Slots of the first table; at most half of the slots are ever used. */
enum { FIRST_SLOTS = 64 };

/* The slot that holds the name, or the empty one where it belongs. */
static uint64_t *slot_of(const nd_name_table *table, nd_span name) {
    const size_t mask = table->slot_count - 1;
    size_t at = (size_t)XXH3_64bits(name.data, name.size) & mask;
    while (table->slots[at] != 0) {
        const nd_span other = nd_name_table_at(table, table->slots[at] - 1);
        if (nd_span_is_equal(other, name)) {
            break;
        }
        at = (at + 1) & mask;
    }
    return &table->slots[at];
}

void nd_name_table_add(nd_name_table *table, nd_span name, uint64_t *number, bool *added) {
    if (2 * table->count >= table->slot_count) {
        nd_name_table larger = *table;
        larger.slot_count = table->slot_count == 0 ? FIRST_SLOTS : 2 * table->slot_count;
        nd_new(&larger.slots, larger.slot_count, sizeof *larger.slots);
        for (uint64_t i = 0; i < table->count; i++) {
            *slot_of(&larger, nd_name_table_at(table, i)) = i + 1;
        }
        free(table->slots);
        *table = larger;
    }
    uint64_t *slot = slot_of(table, name);
    const bool is_new = *slot == 0;
    if (is_new) {
        nd_grow(&table->end, &table->capacity, table->count + 1, sizeof *table->end);
        nd_buffer_append(&table->bytes, name.data, name.size);
        table->end[table->count] = table->bytes.size;
        *slot = ++table->count;
    }
    *number = *slot - 1;
    if (added != NULL) {
        *added = is_new;
    }
}

uint64_t nd_name_table_find(const nd_name_table *table, nd_span name) {
    const uint64_t found = table->slot_count == 0 ? 0 : *slot_of(table, name);
    return found == 0 ? ND_NO_NAME : found - 1;
}

nd_span nd_name_table_at(const nd_name_table *table, uint64_t number) {
    const size_t begin = number == 0 ? 0 : table->end[number - 1];
    return nd_span_part(nd_buffer_span(&table->bytes), begin, table->end[number]);
}

void nd_name_table_free(nd_name_table *table) {
    nd_buffer_free(&table->bytes);
    free(table->end);
    free(table->slots);
    *table = (nd_name_table){0};
}

/* ==== the table */

static void fill_cells(const nd_labelled_pages *pages, nd_contingency_table *t) {
    nd_key_value *records = NULL;
    size_t count = 0;
    nd_new(&records, pages->count, sizeof *records);
    for (size_t i = 0; i < pages->count; i++) {
        if (pages->loose == NULL || !pages->loose[i]) {
            records[count++] = (nd_key_value){pages->set[i], pages->cluster[i]};
        }
    }
    nd_radix_sort(records, count);
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
    free(records);
}

static void fill_neighbours(const nd_labelled_pages *pages, nd_contingency_table *t) {
    size_t count = 0;
    const size_t twice = 2 * pages->ambiguous_count;
    nd_new(&t->neighbours, twice, sizeof *t->neighbours);
    nd_new(&t->first_neighbour, pages->cluster_count + 1, sizeof *t->first_neighbour);
    for (size_t i = 0; i < pages->ambiguous_count; i++) {
        const nd_cluster_pair *p = &pages->ambiguous[i];
        t->neighbours[2 * i] = (nd_key_value){p->a, p->b};
        t->neighbours[2 * i + 1] = (nd_key_value){p->b, p->a};
    }
    nd_radix_sort(t->neighbours, twice);
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
}

/* The cell of a set (numbered) and a cluster; NULL if it has no pages. */
static const nd_cell *contingency_table_find(const nd_contingency_table *table, uint64_t set,
                                             uint64_t cluster) {
    const size_t end = table->first_cell[set + 1];
    size_t i = 0;
    ND_FIND_FIRST(i, table->first_cell[set], end, table->cells[i].cluster >= cluster);
    return i < end && table->cells[i].cluster == cluster ? &table->cells[i] : NULL;
}

void nd_contingency_table_make(const nd_labelled_pages *pages, nd_contingency_table *table) {
    nd_contingency_table *t = table;
    *t = (nd_contingency_table){0};
    fill_cells(pages, t);
    fill_neighbours(pages, t);
    for (size_t i = 0; i < t->cell_count; i++) {
        nd_cell *cell = &t->cells[i];
        for (size_t n = t->first_neighbour[cell->cluster];
             n < t->first_neighbour[cell->cluster + 1]; n++) {
            const nd_cell *other = contingency_table_find(t, cell->set, t->neighbours[n].value);
            cell->unevaluated += other != NULL ? other->pages : 0;
        }
    }
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

/* ==== the whole */

/* Pairs among n. */
static uint64_t pairs_among(uint64_t n) {
    return n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;
}

void nd_agreement_count(const nd_labelled_pages *pages, nd_agreement *agreement) {
    nd_contingency_table t;
    nd_agreement a = {0};
    uint64_t ambiguous_twice = 0; /* pairs of all pages, in one set or in two */
    nd_contingency_table_make(pages, &t);
    a.sets = t.set_count;
    a.cells = t.cell_count;
    for (size_t c = 0; c < t.cluster_count; c++) {
        a.clusters += t.cluster_pages[c] > 0;
        a.true_pairs += pairs_among(t.cluster_pages[c]);
    }
    for (size_t set = 0; set < t.set_count; set++) {
        const uint64_t in_set = t.set_pages[set];
        uint64_t skipped_twice = 0;
        for (size_t i = t.first_cell[set]; i < t.first_cell[set + 1]; i++) {
            const nd_cell *cell = &t.cells[i];
            const double own_squared = (double)cell->pages * (double)cell->pages;
            skipped_twice += cell->pages * cell->unevaluated;
            a.common_pairs += pairs_among(cell->pages);
            a.cubed_precision += own_squared / (double)(in_set - cell->unevaluated);
            a.cubed_recall += own_squared / (double)t.cluster_pages[cell->cluster];
        }
        a.pages += in_set;
        a.skipped_pairs += skipped_twice / 2;
        a.predicted_pairs += pairs_among(in_set) - skipped_twice / 2;
    }
    for (size_t i = 0; i < t.first_neighbour[t.cluster_count]; i++) {
        ambiguous_twice +=
            t.cluster_pages[t.neighbours[i].key] * t.cluster_pages[t.neighbours[i].value];
    }
    a.evaluated_pairs = pairs_among(a.pages) - ambiguous_twice / 2;
    a.cubed_precision = a.pages == 0 ? 1 : a.cubed_precision / (double)a.pages;
    a.cubed_recall = a.pages == 0 ? 1 : a.cubed_recall / (double)a.pages;
    *agreement = a;
    nd_contingency_table_free(&t);
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

/* ==== groups */

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
    return pairs_among(all) - pairs_among(all - some);
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
            const nd_cell *other = contingency_table_find(t, set, t->neighbours[n].value);
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

void nd_group_agreement_count(const nd_labelled_pages *pages, const uint64_t *group,
                              size_t group_count, nd_group_agreement *groups) {
    counter c = {0};
    nd_key_value *sorted = NULL; /* pages that are in a group and not loose, by group */
    size_t count = 0;
    nd_contingency_table_make(pages, &c.table);
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
    nd_radix_sort(sorted, count);
    size_t end = 0;
    for (size_t g = 0; g < group_count; g++) {
        const size_t begin = end;
        while (end < count && sorted[end].key == g) {
            end++;
        }
        count_group(&c, sorted + begin, end - begin, &groups[g]);
    }
    nd_contingency_table_free(&c.table);
    free(c.cells);
    free(c.in_cell);
    free(c.in_set);
    free(c.in_cluster);
    free(sorted);
}

/* ==== pairs of one site */

/* The different (whole, site) of some pages in order: a part's number is its place. */
typedef struct parts {
    nd_key_value *part;
    size_t count;
} parts;

/* The first part that is not before (whole, site). */
static size_t first_part(const parts *p, uint64_t whole, uint64_t site) {
    size_t i = 0;
    ND_FIND_FIRST(i, 0, p->count,
                  p->part[i].key > whole || (p->part[i].key == whole && p->part[i].value >= site));
    return i;
}

/* List the parts of all pages and number them. */
static void cut(const uint64_t *whole, const uint64_t *site, size_t pages, parts *p,
                uint64_t **numbers) {
    nd_new(&p->part, pages, sizeof *p->part);
    nd_new(numbers, pages, sizeof **numbers);
    for (size_t i = 0; i < pages; i++) {
        p->part[i] = (nd_key_value){whole[i], site[i]};
    }
    nd_radix_sort(p->part, pages);
    for (size_t i = 0; i < pages; i++) {
        const nd_key_value next = p->part[i];
        const nd_key_value *last = p->count == 0 ? NULL : &p->part[p->count - 1];
        if (last == NULL || last->key != next.key || last->value != next.value) {
            p->part[p->count++] = next;
        }
    }
    for (size_t i = 0; i < pages; i++) {
        (*numbers)[i] = first_part(p, whole[i], site[i]);
    }
}

void nd_same_site_make(const nd_labelled_pages *pages, const uint64_t *site, nd_same_site *same) {
    parts sets = {0};
    parts clusters = {0};
    *same = (nd_same_site){.pages = {.count = pages->count}};
    cut(pages->set, site, pages->count, &sets, &same->set);
    cut(pages->cluster, site, pages->count, &clusters, &same->cluster);
    nd_new(&same->loose, pages->count, sizeof *same->loose);
    for (size_t i = 0; i < pages->count; i++) {
        same->loose[i] = site[i] == ND_NO_SITE || (pages->loose != NULL && pages->loose[i]);
    }
    for (size_t i = 0; i < pages->ambiguous_count; i++) {
        /* parts of two clusters on one site are ambiguous if the clusters are */
        const nd_cluster_pair pair = pages->ambiguous[i];
        const nd_key_value *part = clusters.part;
        size_t a = first_part(&clusters, pair.a, 0);
        size_t b = first_part(&clusters, pair.b, 0);
        while (a < clusters.count && b < clusters.count && part[a].key == pair.a &&
               part[b].key == pair.b) {
            const uint64_t site_a = part[a].value;
            const uint64_t site_b = part[b].value;
            if (site_a == site_b) {
                const size_t count = same->pages.ambiguous_count++;
                nd_grow(&same->ambiguous, &same->ambiguous_capacity, count + 1,
                        sizeof *same->ambiguous);
                same->ambiguous[count] = (nd_cluster_pair){a, b};
            }
            a += site_a <= site_b;
            b += site_b <= site_a;
        }
    }
    same->pages.set = same->set;
    same->pages.cluster = same->cluster;
    same->pages.loose = same->loose;
    same->pages.cluster_count = clusters.count;
    same->pages.ambiguous = same->ambiguous;
    free(sets.part);
    free(clusters.part);
}

void nd_same_site_free(nd_same_site *same) {
    free(same->set);
    free(same->cluster);
    free(same->loose);
    free(same->ambiguous);
    *same = (nd_same_site){0};
}

/* ==== pairs with a leader */

static bool is_loose(const nd_labelled_pages *pages, size_t page) {
    return pages->loose != NULL && pages->loose[page];
}

/* Count the pairs of one `whole` with its leader; those of one `other` agree. \param[in] table  to
 * know ambiguous clusters by; NULL: all pairs are evaluated */
static void tally(const nd_labelled_pages *pages, const nd_labelled_leaders *leaders,
                  const uint64_t *whole, const uint64_t *other, const nd_contingency_table *table,
                  nd_leader_tally *tallies) {
    nd_key_value *list = NULL; /* leaders, by what they lead; of several the first counts */
    size_t count = 0;
    memset(tallies, 0, leaders->group_count * sizeof *tallies);
    nd_new(&list, pages->count, sizeof *list);
    for (size_t i = 0; i < pages->count; i++) {
        if (leaders->leader[i] && !is_loose(pages, i)) {
            list[count++] = (nd_key_value){whole[i], i};
        }
    }
    nd_radix_sort(list, count);
    for (size_t i = 0; i < pages->count; i++) {
        size_t at = 0;
        if (leaders->group[i] == ND_NO_GROUP || is_loose(pages, i)) {
            continue;
        }
        ND_FIND_FIRST(at, 0, count, list[at].key >= whole[i]);
        if (at == count || list[at].key != whole[i] || list[at].value == i) {
            continue;
        }
        const uint64_t leader = list[at].value;
        if (table == NULL ||
            !nd_contingency_table_is_ambiguous(table, pages->cluster[i], pages->cluster[leader])) {
            nd_leader_tally *t = &tallies[leaders->group[i]];
            const bool agreeing = other[i] == other[leader];
            const bool same_site =
                leaders->site[i] != ND_NO_SITE && leaders->site[i] == leaders->site[leader];
            t->all.pairs++;
            t->all.agreeing += agreeing;
            t->same_site.pairs += same_site;
            t->same_site.agreeing += same_site && agreeing;
        }
    }
    free(list);
}

void nd_leader_tally_sets(const nd_labelled_pages *pages, const nd_labelled_leaders *leaders,
                          nd_leader_tally *tallies) {
    nd_contingency_table table;
    nd_contingency_table_make(pages, &table);
    tally(pages, leaders, pages->set, pages->cluster, &table, tallies);
    nd_contingency_table_free(&table);
}

void nd_leader_tally_clusters(const nd_labelled_pages *pages, const nd_labelled_leaders *leaders,
                              nd_leader_tally *tallies) {
    tally(pages, leaders, pages->cluster, pages->set, NULL, tallies);
}
