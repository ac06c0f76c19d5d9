#include "src/measure/leader_tally.h"

#include "src/base/buffer.h"

#include <stdlib.h>
#include <string.h>

/* The leaders that are not loose, by what they lead; the first of several is the leader. */
static nd_status list_leaders(const nd_labelled_pages *pages, const bool *leader,
                              const uint64_t *whole, nd_key_value **list, size_t *count) {
    nd_status st = nd_new(list, pages->count, sizeof **list);
    for (size_t i = 0; st == ND_OK && i < pages->count; i++) {
        if (leader[i] && (pages->loose == NULL || !pages->loose[i])) {
            (*list)[(*count)++] = (nd_key_value){whole[i], i};
        }
    }
    return st != ND_OK ? st : nd_radix_sort(*list, *count);
}

/* The leader of a whole; ND_NO_GROUP if it has none. */
static uint64_t leader_of(const nd_key_value *list, size_t count, uint64_t whole) {
    size_t begin = 0;
    size_t end = count;
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (list[middle].key < whole) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin < count && list[begin].key == whole ? list[begin].value : ND_NO_GROUP;
}

static void count_pair(const nd_leaders *leaders, size_t page, uint64_t leader, bool agreeing,
                       nd_leader_tally *tallies) {
    nd_leader_tally *t = &tallies[leaders->group[page]];
    const bool same_site =
        leaders->site[page] != ND_NO_SITE && leaders->site[page] == leaders->site[leader];
    t->all.pairs++;
    t->all.agreeing += agreeing;
    t->same_site.pairs += same_site;
    t->same_site.agreeing += same_site && agreeing;
}

/* Count the pairs of one `whole` with its leader; those of one `other` agree. \param[in] table  to
 * know ambiguous clusters by; NULL: all pairs are evaluated */
static nd_status tally(const nd_labelled_pages *pages, const nd_leaders *leaders,
                       const uint64_t *whole, const uint64_t *other,
                       const nd_contingency_table *table, nd_leader_tally *tallies) {
    nd_status st = ND_OK;
    nd_key_value *list = NULL;
    size_t count = 0;
    memset(tallies, 0, leaders->group_count * sizeof *tallies);
    ND_TRY(list_leaders(pages, leaders->leader, whole, &list, &count));
    for (size_t i = 0; i < pages->count; i++) {
        if (leaders->group[i] == ND_NO_GROUP || (pages->loose != NULL && pages->loose[i])) {
            continue;
        }
        const uint64_t leader = leader_of(list, count, whole[i]);
        if (leader != ND_NO_GROUP && leader != i &&
            (table == NULL || !nd_contingency_table_is_ambiguous(table, pages->cluster[i],
                                                                 pages->cluster[leader]))) {
            count_pair(leaders, i, leader, other[i] == other[leader], tallies);
        }
    }
out:
    free(list);
    return st;
}

nd_status nd_leader_tally_sets(const nd_labelled_pages *pages, const nd_leaders *leaders,
                               nd_leader_tally *tallies) {
    nd_status st = ND_OK;
    nd_contingency_table table;
    ND_TRY(nd_contingency_table_make(pages, &table));
    ND_TRY(tally(pages, leaders, pages->set, pages->cluster, &table, tallies));
out:
    nd_contingency_table_free(&table);
    return st;
}

nd_status nd_leader_tally_clusters(const nd_labelled_pages *pages, const nd_leaders *leaders,
                                   nd_leader_tally *tallies) {
    return tally(pages, leaders, pages->cluster, pages->set, NULL, tallies);
}
