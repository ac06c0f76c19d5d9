#include "src/measure/grouping.h"

#include "src/base/buffer.h"
#include "src/base/numbers.h"
#include "src/base/radix_sort.h"

#include <stdlib.h>

/* So that the numbers of two groups make one key. */
static const uint64_t MOST_ITEMS = UINT32_MAX;

static nd_status allocate(nd_grouping *g, size_t items, size_t groups) {
    nd_status st = ND_OK;
    ND_TRY(nd_new(&g->group, items, sizeof *g->group));
    ND_TRY(nd_new(&g->key, groups, sizeof *g->key));
    ND_TRY(nd_new(&g->size, groups, sizeof *g->size));
    ND_TRY(nd_new(&g->first, groups, sizeof *g->first));
out:
    return st;
}

/* From records (number, item), which this sorts. */
static nd_status group_records(nd_key_value *records, size_t count, nd_grouping *g) {
    nd_status st = ND_OK;
    size_t groups = 0;
    ND_TRY(nd_radix_sort(records, count));
    for (size_t i = 0; i < count; i++) {
        groups += i == 0 || records[i].key != records[i - 1].key;
    }
    ND_TRY(allocate(g, count, groups));
    g->item_count = count;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || records[i].key != records[i - 1].key) {
            g->key[g->group_count] = records[i].key;
            g->first[g->group_count++] = records[i].value;
        }
        g->size[g->group_count - 1]++;
        g->group[records[i].value] = g->group_count - 1;
    }
out:
    return st;
}

nd_status nd_grouping_make(const uint64_t *numbers, size_t count, nd_grouping *grouping) {
    nd_status st = ND_OK;
    nd_key_value *records = NULL;
    *grouping = (nd_grouping){0};
    if (count > MOST_ITEMS) {
        return nd_fail(ND_ERR_LIMIT, "%zu pages cannot be grouped, at most %ju", count,
                       (uintmax_t)MOST_ITEMS);
    }
    ND_TRY(nd_new(&records, count, sizeof *records));
    for (size_t i = 0; i < count; i++) {
        records[i] = (nd_key_value){numbers[i], i};
    }
    ND_TRY(group_records(records, count, grouping));
out:
    free(records);
    if (st != ND_OK) {
        nd_grouping_free(grouping);
    }
    return st;
}

static uint64_t pair_key(const nd_grouping *b, uint64_t group_a, uint64_t group_b) {
    return group_a * b->group_count + group_b;
}

nd_status nd_grouping_refine(const nd_grouping *a, const nd_grouping *b, nd_grouping *both) {
    nd_status st = ND_OK;
    uint64_t *keys = NULL;
    *both = (nd_grouping){0};
    ND_TRY(nd_new(&keys, a->item_count, sizeof *keys));
    for (size_t i = 0; i < a->item_count; i++) {
        keys[i] = pair_key(b, a->group[i], b->group[i]);
    }
    ND_TRY(nd_grouping_make(keys, a->item_count, both));
out:
    free(keys);
    return st;
}

uint64_t nd_grouping_find(const nd_grouping *grouping, uint64_t number) {
    const uint64_t place = nd_numbers_place(grouping->key, grouping->group_count, number);
    return place < grouping->group_count && grouping->key[place] == number ? place : ND_EMPTY_GROUP;
}

uint64_t nd_grouping_find_both(const nd_grouping *both, const nd_grouping *b, uint64_t group_a,
                               uint64_t group_b) {
    return group_a == ND_EMPTY_GROUP || group_b == ND_EMPTY_GROUP
               ? ND_EMPTY_GROUP
               : nd_grouping_find(both, pair_key(b, group_a, group_b));
}

uint64_t nd_grouping_size(const nd_grouping *grouping, uint64_t group) {
    return group == ND_EMPTY_GROUP ? 0 : grouping->size[group];
}

void nd_grouping_free(nd_grouping *grouping) {
    free(grouping->group);
    free(grouping->key);
    free(grouping->size);
    free(grouping->first);
    *grouping = (nd_grouping){0};
}
