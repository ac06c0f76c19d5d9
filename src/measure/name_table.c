#include "src/measure/name_table.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Slots of the first table; at most half of the slots are ever used. */
enum { FIRST_SLOTS = 64 };

/* The slot that holds the name, or the empty one where it belongs. */
static uint64_t *slot_of(const nd_name_table *table, nd_span name) {
    const size_t mask = table->slot_count - 1;
    size_t at = (size_t)XXH3_64bits(name.data, name.size) & mask;
    while (table->slots[at] != 0) {
        const nd_span other = nd_name_table_at(table, table->slots[at] - 1);
        if (other.size == name.size &&
            (name.size == 0 || memcmp(other.data, name.data, name.size) == 0)) {
            break;
        }
        at = (at + 1) & mask;
    }
    return &table->slots[at];
}

nd_status nd_name_table_add(nd_name_table *table, nd_span name, uint64_t *number, bool *added) {
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
    return ND_OK;
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
