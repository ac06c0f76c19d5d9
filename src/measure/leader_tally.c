#include "src/measure/leader_tally.h"

#include "src/base/buffer.h"
#include "src/base/order.h"

#include <stdlib.h>
#include <string.h>

static bool is_loose(const nd_labelled_pages *pages, size_t page) {
    return pages->loose != NULL && pages->loose[page];
}

/* Count the pairs of one `whole` with its leader; those of one `other` agree. \param[in] table  to
 * know ambiguous clusters by; NULL: all pairs are evaluated */
static nd_status tally(const nd_labelled_pages *pages, const nd_leaders *leaders,
                       const uint64_t *whole, const uint64_t *other,
                       const nd_contingency_table *table, nd_leader_tally *tallies) {
    nd_status st = ND_OK;
    nd_key_value *list = NULL; /* leaders, by what they lead; of several the first counts */
    size_t count = 0;
    memset(tallies, 0, leaders->group_count * sizeof *tallies);
    nd_new(&list, pages->count, sizeof *list);
    for (size_t i = 0; i < pages->count; i++) {
        if (leaders->leader[i] && !is_loose(pages, i)) {
            list[count++] = (nd_key_value){whole[i], i};
        }
    }
    ND_TRY(nd_radix_sort(list, count));
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
