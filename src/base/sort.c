#include "src/base/sort.h"

#include "src/base/buffer.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <stdbool.h>

/* ---- many records */

enum {
    LEAST_BITS = 4, /* of a digit */
    FAR_BITS = 8,   /* 256 write streams: as many as caches and TLB carry without stalling */
    NEAR_BITS = 11, /* of parts that the cache holds: their streams stay there */
    NEAR_BYTES = 1 << 20,
    MOST_VALUES = 1 << NEAR_BITS,
    /* records of a part that one digit should leave in each of the next ones: few enough to be
       inserted, so many that the digit's counts do not cost more than the records */
    PART_RECORDS = 4,
    /* up to so many records, inserting costs less than another digit */
    INSERTION_LIMIT = 24,
    LARGEST_INSERTED = 512 /* bytes; parts of larger records go on to the last digit */
};

const nd_record_order nd_by_key_then_value = {.word_count = 2, .words = {0, 1}};

/* A part of the records, all alike in the words before `word`. It lies in `from`; `other` has room
 * for it, and that is where it has to go if `moves`. */
typedef struct part {
    uint8_t *from;
    uint8_t *other;
    size_t count;
    size_t word; /* of the order */
    bool moves;
} part;

/* The steps that touch every record, compiled for each size that is common: what is copied is then
 * a few registers. */
#define FOR_SIZE(size, call)                                                                       \
    switch (size) {                                                                                \
    case 8:                                                                                        \
        call(8);                                                                                   \
        break;                                                                                     \
    case 16:                                                                                       \
        call(16);                                                                                  \
        break;                                                                                     \
    case 24:                                                                                       \
        call(24);                                                                                  \
        break;                                                                                     \
    case 32:                                                                                       \
        call(32);                                                                                  \
        break;                                                                                     \
    case 48:                                                                                       \
        call(48);                                                                                  \
        break;                                                                                     \
    case 56:                                                                                       \
        call(56);                                                                                  \
        break;                                                                                     \
    case 64:                                                                                       \
        call(64);                                                                                  \
        break;                                                                                     \
    case 192:                                                                                      \
        call(192);                                                                                 \
        break;                                                                                     \
    default:                                                                                       \
        call(size);                                                                                \
        break;                                                                                     \
    }

/* ---- small parts */

/* From where they are to where they go, which may be the same place. */
static inline __attribute__((always_inline)) void insert_all(const uint8_t *from, uint8_t *to,
                                                             size_t count, size_t size,
                                                             const nd_record_order *order) {
    uint8_t record[LARGEST_INSERTED];
    for (size_t i = 0; i < count; i++) {
        size_t place = i;
        memcpy(record, from + i * size, size);
        while (place > 0 && nd_record_precedes(order, record, to + (place - 1) * size)) {
            memcpy(to + place * size, to + (place - 1) * size, size);
            place--;
        }
        memcpy(to + place * size, record, size);
    }
}

static bool is_inserted(size_t count, size_t size) {
    return count <= INSERTION_LIMIT && size <= LARGEST_INSERTED;
}

/* Parts whose words are all alike by now, or that are small. */
static void sort_as_they_are(const part *p, size_t size, const nd_record_order *order) {
    uint8_t *records = p->moves ? p->other : p->from;
    if (is_inserted(p->count, size)) {
#define INSERT(s) insert_all(p->from, records, p->count, s, order)
        FOR_SIZE(size, INSERT)
#undef INSERT
        return;
    }
    if (p->moves) {
        memcpy(p->other, p->from, p->count * size);
    }
    if (order->compare != NULL) {
        nd_sort(records, p->count, size, order->compare);
    }
}

/* ---- digits */

/* What a word is like in all records of a part. */
typedef struct word_traits {
    uint64_t differing; /* bits in which any of them differs from the first one */
    bool ascending;
} word_traits;

static inline __attribute__((always_inline)) word_traits
traits_of_size(const uint8_t *records, size_t count, size_t size, size_t word) {
    const uint64_t first = nd_record_word(records, word);
    uint64_t before = first;
    word_traits traits = {0, true};
    for (size_t i = 1; i < count; i++) {
        const uint64_t now = nd_record_word(records + i * size, word);
        traits.differing |= first ^ now;
        traits.ascending &= before <= now;
        before = now;
    }
    return traits;
}

/* Which digit of which word. */
typedef struct digit {
    size_t word; /* of the record */
    uint32_t shift;
    uint32_t bits;
} digit;

static inline size_t digit_of(const uint8_t *record, digit d) {
    return nd_record_word(record, d.word) >> d.shift & (((size_t)1 << d.bits) - 1);
}

/* Lay the records out by their digit. \param[out] ends  [value] where its records end */
static inline __attribute__((always_inline)) void scatter_of_size(const part *p, size_t size,
                                                                  digit d, size_t *ends) {
    size_t place = 0;
    const size_t values = (size_t)1 << d.bits;
    memset(ends, 0, values * sizeof *ends);
    for (size_t i = 0; i < p->count; i++) {
        ends[digit_of(p->from + i * size, d)]++;
    }
    for (size_t v = 0; v < values; v++) {
        const size_t records = ends[v];
        ends[v] = place;
        place += records;
    }
    for (size_t i = 0; i < p->count; i++) {
        const uint8_t *record = p->from + i * size;
        memcpy(p->other + ends[digit_of(record, d)]++ * size, record, size);
    }
}

/* Calls itself for ever smaller parts, at most once for each digit of the words. */
static void sort_part(part p, size_t size, const nd_record_order *order) {
    /* Go on to the word in which the records differ. Laying out keeps their order, so those that
     * came ascending by the last word, as they often do, are in order once the others are equal. */
    uint64_t bits = 0; /* in which they differ */
    for (; !is_inserted(p.count, size) && p.word < order->word_count; p.word++) {
        word_traits traits = {0, true};
#define LOOK(s) traits = traits_of_size(p.from, p.count, s, order->words[p.word])
        FOR_SIZE(size, LOOK)
#undef LOOK
        const bool is_last = p.word + 1 == order->word_count;
        if (traits.differing != 0 && !(is_last && order->compare == NULL && traits.ascending)) {
            bits = traits.differing;
            break;
        }
    }
    if (bits == 0) {
        sort_as_they_are(&p, size, order);
        return;
    }

    /* The digit begins with the highest of these bits and is as wide as is worth its counts. */
    const uint32_t most = p.count * size <= NEAR_BYTES ? NEAR_BITS : FAR_BITS;
    const uint32_t end = 64U - (uint32_t)__builtin_clzll(bits);
    uint32_t width = LEAST_BITS;
    while (width < most && p.count >> width > PART_RECORDS) {
        width++;
    }
    const digit d = {order->words[p.word], end < width ? 0 : end - width,
                     end < width ? end : width};
    size_t ends[MOST_VALUES];
#define SCATTER(s) scatter_of_size(&p, s, d, ends)
    FOR_SIZE(size, SCATTER)
#undef SCATTER

    size_t begin = 0;
    for (size_t v = 0; v < (size_t)1 << d.bits; v++) {
        if (ends[v] == begin) {
            continue;
        }
        const part next = {.from = p.other + begin * size,
                           .other = p.from + begin * size,
                           .count = ends[v] - begin,
                           .word = p.word + (d.shift == 0),
                           .moves = !p.moves};
        if (is_inserted(next.count, size)) {
            sort_as_they_are(&next, size, order);
        } else {
            sort_part(next, size, order);
        }
        begin = ends[v];
    }
}

void nd_record_sort_within(void *records, size_t count, size_t size, const nd_record_order *order,
                           void *scratch) {
    for (size_t i = 0; i < order->word_count; i++) {
        ND_ASSERT(size % sizeof(uint64_t) == 0 && order->words[i] < size / sizeof(uint64_t),
                  order->words[i], size);
    }
    if (count > 1) {
        sort_part((part){.from = records, .other = scratch, .count = count}, size, order);
    }
}

void nd_record_sort(void *records, size_t count, size_t size, const nd_record_order *order) {
    void *scratch = NULL;
    if (!is_inserted(count, size) && order->word_count > 0) {
        nd_new_room(&scratch, count, size);
    }
    nd_record_sort_within(records, count, size, order, scratch);
    free(scratch);
}

void nd_radix_sort(nd_key_value *records, size_t count) {
    nd_record_sort(records, count, sizeof *records, &nd_by_key_then_value);
}

void nd_least_open(nd_least *least, uint64_t wanted) {
    *least = (nd_least){.wanted = wanted, .most = UINT64_MAX};
    nd_new_room(&least->records, 2 * wanted + 1, sizeof *least->records);
}

void nd_least_finish(nd_least *least) {
    nd_radix_sort(least->records, least->count);
    if (least->count >= least->wanted) {
        least->count = least->wanted;
        least->most = least->wanted > 0 ? least->records[least->wanted - 1].key : 0;
    }
}

void nd_least_offer(nd_least *least, uint64_t key, uint64_t value) {
    if (key > least->most) {
        return;
    }
    if (least->count > 2 * least->wanted) {
        nd_least_finish(least);
    }
    least->records[least->count++] = (nd_key_value){key, value};
}

/* ---- numbers */

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

void nd_numbers_places(nd_key_value *records, uint64_t count, uint64_t *distinct,
                       uint64_t *distinct_count) {
    uint64_t kept = 0;
    nd_radix_sort(records, count);
    for (uint64_t i = 0; i < count; i++) {
        if (kept == 0 || distinct[kept - 1] != records[i].key) {
            distinct[kept++] = records[i].key;
        }
        records[i].key = kept - 1;
    }
    *distinct_count = kept;
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

void nd_number_set_fill(nd_number_set *set, const uint64_t *numbers, uint64_t count) {
    const size_t size = slots_for(count);
    set->any = set->has_free = false;
    nd_grow(&set->slots, &set->capacity, size, sizeof *set->slots);
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

void nd_number_ids_open(nd_number_ids *ids, size_t most) {
    const size_t size = slots_for(most);
    *ids = (nd_number_ids){.mask = size - 1};
    nd_new(&ids->slots, size, sizeof *ids->slots);
    nd_new_room(&ids->numbers, most, sizeof *ids->numbers);
    ids->most = most;
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
