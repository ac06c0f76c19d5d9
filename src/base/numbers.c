#include "src/base/numbers.h"

#include "src/base/buffer.h"
#include "src/base/contract.h"
#include "src/base/order.h"
#include "src/base/radix_sort.h"
#include "src/base/sort.h"

static int compare_numbers(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static const nd_record_order by_number = {.word_count = 1, .words = {0}};

uint64_t nd_numbers_distinct(uint64_t *numbers, uint64_t count) {
    uint64_t kept = 0;
    void *scratch = malloc(count * sizeof *numbers + 1);
    if (scratch != NULL) {
        nd_record_sort_within(numbers, count, sizeof *numbers, &by_number, scratch);
    } else { /* slower, not wrong: qsort(3) does the same */
        nd_sort(numbers, count, sizeof *numbers, compare_numbers);
    }
    free(scratch);
    for (uint64_t i = 0; i < count; i++) {
        if (kept == 0 || numbers[kept - 1] != numbers[i]) {
            numbers[kept++] = numbers[i];
        }
    }
    return kept;
}

nd_status nd_numbers_places(nd_key_value *records, uint64_t count, uint64_t *distinct,
                            uint64_t *distinct_count) {
    uint64_t kept = 0;
    const nd_status st = nd_radix_sort(records, count);
    for (uint64_t i = 0; st == ND_OK && i < count; i++) {
        if (kept == 0 || distinct[kept - 1] != records[i].key) {
            distinct[kept++] = records[i].key;
        }
        records[i].key = kept - 1;
    }
    *distinct_count = kept;
    return st;
}

uint64_t nd_numbers_place(const uint64_t *numbers, uint64_t count, uint64_t number) {
    uint64_t place = 0;
    ND_FIND_FIRST(place, 0, count, numbers[place] >= number);
    return place;
}

bool nd_numbers_ascend(const uint64_t *numbers, uint64_t count) {
    uint64_t i = 1;
    while (i < count && numbers[i - 1] < numbers[i]) {
        i++;
    }
    return i >= count;
}

bool nd_numbers_hold(const uint64_t *numbers, uint64_t count, uint64_t number) {
    const uint64_t place = nd_numbers_place(numbers, count, number);
    return place < count && numbers[place] == number;
}

/* ---- hash tables with linear probing, at most half full */

/* 2^64 over the golden ratio: the product moves what differs into the high bits. */
static size_t slot_of(uint64_t number, size_t mask) {
    return (number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
}

static size_t slots_for(uint64_t count) {
    size_t size = 16;
    while (size < 2 * count) {
        size *= 2;
    }
    return size;
}

nd_status nd_number_set_fill(nd_number_set *set, const uint64_t *numbers, uint64_t count) {
    nd_status st = ND_OK;
    const size_t size = slots_for(count);
    set->any = set->has_free = false;
    ND_TRY(nd_grow(&set->slots, &set->capacity, size, sizeof *set->slots));
    memset(set->slots, 0xff, size * sizeof *set->slots);
    set->mask = size - 1;
    set->any = count > 0;
    for (uint64_t i = 0; i < count; i++) {
        size_t slot = slot_of(numbers[i], set->mask);
        while (set->slots[slot] != UINT64_MAX && set->slots[slot] != numbers[i]) {
            slot = (slot + 1) & set->mask;
        }
        set->slots[slot] = numbers[i];
        set->has_free |= numbers[i] == UINT64_MAX;
    }
out:
    return st;
}

bool nd_number_set_holds(const nd_number_set *set, uint64_t number) {
    if (!set->any || number == UINT64_MAX) {
        return set->any && set->has_free;
    }
    size_t slot = slot_of(number, set->mask);
    while (set->slots[slot] != UINT64_MAX && set->slots[slot] != number) {
        slot = (slot + 1) & set->mask;
    }
    return set->slots[slot] == number;
}

void nd_number_set_free(nd_number_set *set) {
    free(set->slots);
    *set = (nd_number_set){0};
}

nd_status nd_number_ids_open(nd_number_ids *ids, size_t most) {
    nd_status st = ND_OK;
    const size_t size = slots_for(most);
    *ids = (nd_number_ids){.mask = size - 1};
    ND_TRY(nd_new(&ids->slots, size, sizeof *ids->slots));
    ND_TRY(nd_new_room(&ids->numbers, most, sizeof *ids->numbers));
    ids->most = most;
out:
    return st;
}

/* The slot of a number, or the free one where it would be. */
static size_t id_slot(const nd_number_ids *ids, uint64_t number) {
    size_t slot = slot_of(number, ids->mask);
    while (ids->slots[slot] != 0 && ids->numbers[ids->slots[slot] - 1] != number) {
        slot = (slot + 1) & ids->mask;
    }
    return slot;
}

bool nd_number_ids_find(const nd_number_ids *ids, uint64_t number, uint32_t *id) {
    const uint32_t found = ids->slots[id_slot(ids, number)];
    *id = found - 1;
    return found != 0;
}

uint32_t nd_number_ids_of(nd_number_ids *ids, uint64_t number) {
    const size_t slot = id_slot(ids, number);
    if (ids->slots[slot] == 0) {
        ND_ASSERT(ids->count < ids->most, ids->count, ids->most);
        ids->numbers[ids->count++] = number;
        ids->slots[slot] = (uint32_t)ids->count;
    }
    return ids->slots[slot] - 1;
}

void nd_number_ids_free(nd_number_ids *ids) {
    free(ids->numbers);
    free(ids->slots);
    *ids = (nd_number_ids){0};
}
