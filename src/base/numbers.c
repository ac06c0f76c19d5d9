#include "src/base/numbers.h"

#include "src/base/radix_sort.h"
#include "src/base/sort.h"

static int compare_numbers(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static const nd_record_order by_number = {.word_count = 1, .words = {0}};

/* As qsort(3) does: without scratch memory it is slower, not wrong. */
static void sort_numbers(uint64_t *numbers, uint64_t count) {
    void *scratch = malloc(count * sizeof *numbers + 1);
    if (scratch != NULL) {
        nd_record_sort_within(numbers, count, sizeof *numbers, &by_number, scratch);
    } else {
        nd_sort(numbers, count, sizeof *numbers, compare_numbers);
    }
    free(scratch);
}

uint64_t nd_numbers_distinct(uint64_t *numbers, uint64_t count) {
    uint64_t kept = 0;
    sort_numbers(numbers, count);
    for (uint64_t i = 0; i < count; i++) {
        if (kept == 0 || numbers[kept - 1] != numbers[i]) {
            numbers[kept++] = numbers[i];
        }
    }
    return kept;
}

uint64_t nd_numbers_place(const uint64_t *numbers, uint64_t count, uint64_t number) {
    uint64_t low = 0;
    uint64_t high = count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (numbers[middle] < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool nd_numbers_hold(const uint64_t *numbers, uint64_t count, uint64_t number) {
    const uint64_t place = nd_numbers_place(numbers, count, number);
    return place < count && numbers[place] == number;
}
