/* Sorting in memory and outside of it, against qsort(). */
#include "io/store/external_sort.h"
#include "src/base/buffer.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "src/sketch/shingle.h"
#include "tests/support/check.h"
#include "tests/support/failing_calls.h"

#include <dirent.h>
#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- The radix sort against nd_sort(3), with keys of all widths and many repeats. */

enum { ARRAYS = 400, MAX_RECORDS = 5000 };

/* A number of `bits` random bits at a random place; 0 bits gives equal numbers. */
static uint64_t random_number(nd_random *random, uint64_t bits, uint64_t shift) {
    uint64_t number = nd_random_next(random);
    return bits == 0 ? shift : number >> (64 - bits) << shift;
}

static uint64_t random_width(nd_random *random) {
    return nd_random_below(random, 3) == 0 ? 0 : nd_random_below(random, 65);
}

/* Sometimes one record stands out: the digits in which it does must not be skipped. */
static void fill_radix_sort(nd_random *random, nd_key_value *records, size_t count) {
    uint64_t key_bits = random_width(random), value_bits = random_width(random);
    uint64_t key_shift = nd_random_below(random, 65 - key_bits);
    uint64_t value_shift = nd_random_below(random, 65 - value_bits);
    for (size_t i = 0; i < count; i++) {
        records[i].key = random_number(random, key_bits, key_shift);
        records[i].value = random_number(random, value_bits, value_shift);
    }
    if (count > 0 && nd_random_below(random, 2) == 0) {
        nd_key_value *other = &records[nd_random_below(random, count)];
        *other = (nd_key_value){nd_random_next(random), nd_random_next(random)};
    }
}

ND_TEST("sorts like qsort") {
    static nd_key_value records[MAX_RECORDS], expected[MAX_RECORDS];
    nd_random random = nd_test_random("radix sort");
    size_t wrong = 0;
    for (int i = 0; i < ARRAYS; i++) {
        size_t count = nd_random_below(&random, i % 2 == 0 ? 140 : MAX_RECORDS);
        fill_radix_sort(&random, records, count);
        memcpy(expected, records, count * sizeof *records);
        nd_sort(expected, count, sizeof *expected, nd_test_by_key_value);
        nd_radix_sort(records, count);
        if (memcmp(records, expected, count * sizeof *records) != 0) {
            printf("array %d of %zu records\n", i, count);
            wrong++;
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* ---- records of any size, by some of their words */

enum { MOST_WORDS = 80, RECORD_ARRAYS = 600, MOST_RECORD_BYTES = 400000 };

/* qsort(3) knows nothing but the records. */
static nd_record_order order_of_all;
static size_t size_of_all;

static int compare_by_order(const void *a, const void *b) {
    return nd_record_precedes(&order_of_all, a, b)   ? -1
           : nd_record_precedes(&order_of_all, b, a) ? 1
                                                     : memcmp(a, b, size_of_all);
}

static int compare_bytes_radix_sort(const void *a, const void *b) {
    return memcmp(a, b, size_of_all);
}

/* A few words, each once; then all bytes, or nothing. */
static void random_order(nd_random *random, size_t words) {
    order_of_all = (nd_record_order){.word_count = nd_random_below(random, ND_RECORD_WORDS + 1)};
    order_of_all.word_count = order_of_all.word_count < words ? order_of_all.word_count : words;
    const size_t first = nd_random_below(random, words);
    for (size_t i = 0; i < order_of_all.word_count; i++) {
        order_of_all.words[i] = (first + i) % words;
    }
    if (order_of_all.word_count == 0 || nd_random_below(random, 2) == 0) {
        order_of_all.compare = compare_bytes_radix_sort;
    }
}

/* Often little more than a digit, so that large parts are left for the last bits. */
static void fill_words(nd_random *random, uint64_t *records, size_t count, size_t words) {
    for (size_t w = 0; w < words; w++) {
        const bool few = nd_random_below(random, 2) == 0;
        const uint64_t bits = few ? 7 + nd_random_below(random, 5) : random_width(random);
        const uint64_t shift = few ? 0 : nd_random_below(random, 65 - bits);
        for (size_t i = 0; i < count; i++) {
            records[i * words + w] = random_number(random, bits, shift);
        }
    }
}

/* Where an order is not total, records that are equal by it may come in any order: then both
 * arrays must be ascending, and the same once all bytes are compared. */
ND_TEST("records by their words") {
    static uint64_t records[MOST_RECORD_BYTES / 8], expected[MOST_RECORD_BYTES / 8];
    nd_random random = nd_test_random("record sort");
    size_t wrong = 0;
    for (int i = 0; i < RECORD_ARRAYS; i++) {
        const size_t words = 1 + nd_random_below(&random, i % 2 == 0 ? 8 : MOST_WORDS);
        const size_t most = i % 3 == 0 ? 60 : MOST_RECORD_BYTES / (words * 8);
        const size_t count = nd_random_below(&random, most);
        size_of_all = words * sizeof *records;
        random_order(&random, words);
        fill_words(&random, records, count, words);
        memcpy(expected, records, count * size_of_all);
        nd_sort(expected, count, size_of_all, compare_by_order);
        nd_record_sort(records, count, size_of_all, &order_of_all);
        for (size_t k = 1; k < count; k++) {
            wrong += nd_record_precedes(&order_of_all, records + k * words,
                                        records + (k - 1) * words) != 0;
        }
        nd_sort(records, count, size_of_all, compare_by_order);
        wrong += memcmp(records, expected, count * size_of_all) != 0;
        if (wrong > 0) {
            printf("array %d of %zu records of %zu words\n", i, count, words);
            break;
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

ND_TEST("no records") {
    nd_radix_sort(NULL, 0);
}

/* ---- Sets of hashes against the sorting of numbers: hashes spread evenly, hashes that repeat, and
 * numbers that crowd. */

enum { LISTS = 3000, LONGEST = 3000, KINDS = 5 };

/* One number of a list of `count` of this kind. */
static uint64_t number_of(nd_random *random, int kind, size_t count) {
    switch (kind) {
    case 0:
        return nd_random_next(random);
    case 1: /* every number some twice */
        return nd_mix64(nd_random_below(random, 1 + count / 2));
    case 2: /* page numbers */
        return nd_random_below(random, 2 * count);
    case 3: /* the high bits alike, but for a few */
        return nd_random_next(random) >> (nd_random_below(random, 20) == 0 ? 0 : 20);
    default: /* the ends */
        return nd_random_below(random, 2) * UINT64_MAX;
    }
}

ND_TEST("against sorting") {
    static uint64_t numbers[LONGEST], expected[LONGEST];
    nd_random random = nd_test_random("distinct");
    size_t wrong = 0;
    for (int i = 0; i < LISTS && wrong == 0; i++) {
        const size_t count = nd_random_below(&random, i % 4 == 0 ? LONGEST : 40);
        for (size_t j = 0; j < count; j++) {
            numbers[j] = number_of(&random, i % KINDS, count);
        }
        memcpy(expected, numbers, count * sizeof *numbers);
        const size_t kept = nd_hashes_distinct(numbers, count);
        const size_t right = (size_t)nd_numbers_distinct(expected, count);
        wrong += kept != right || memcmp(numbers, expected, right * sizeof *numbers) != 0;
        if (wrong > 0) {
            printf("list %d: %zu of %zu numbers, not %zu\n", i, kept, count, right);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* ---- Texts of any length sorted within a bound, against qsort(3) of all of them; nothing is left
 * in the folder of temporary files, not even while the sort is open. */

enum { SORTS_LINE_SORT = 40, MOST_TEXTS = 9000 };
typedef struct item {
    size_t begin, size;
    uint64_t number;
} item;
static nd_buffer all_line_sort;

static int by_text(const void *left, const void *right) {
    const item *a = left;
    const item *b = right;
    for (size_t i = 0; i < nd_min(a->size, b->size); i++) {
        if (all_line_sort.data[a->begin + i] != all_line_sort.data[b->begin + i]) {
            return all_line_sort.data[a->begin + i] < all_line_sort.data[b->begin + i] ? -1 : 1;
        }
    }
    return a->size != b->size ? (a->size > b->size) - (a->size < b->size)
                              : (a->number > b->number) - (a->number < b->number);
}

static bool is_empty_folder(const char *path) {
    size_t entries = 0;
    DIR *folder = opendir(path);
    CU_ASSERT_PTR_NOT_NULL_FATAL(folder);
    while (readdir(folder) != NULL) {
        entries++;
    }
    (void)closedir(folder);
    return entries == 2;
}

static void check_sort_line_sort(nd_random *random, item *items, bool runs) {
    nd_line_sort *sort = NULL;
    nd_span text;
    uint64_t number = 0;
    const size_t count = runs ? MOST_TEXTS : nd_random_below(random, 300);
    const uint64_t longest = 1 + nd_random_below(random, runs ? 600 : 60);
    const unsigned letters = 1 + (unsigned)nd_random_below(random, 3) * 100;
    nd_line_sort_open(1, &sort);
    all_line_sort.size = 0;
    for (size_t i = 0; i < count; i++) {
        items[i] = (item){all_line_sort.size, nd_random_below(random, longest),
                          nd_random_below(random, 9)};
        if (nd_random_below(random, 2000) == 0) {
            items[i].size = 200000; /* longer than any window */
        }
        for (size_t b = 0; b < items[i].size; b++) {
            const uint8_t byte = (uint8_t)nd_random_below(random, letters);
            nd_buffer_append(&all_line_sort, &byte, 1);
        }
        ND_TEST_OK(nd_line_sort_add(sort,
                                    nd_span_part(nd_buffer_span(&all_line_sort), items[i].begin,
                                                 items[i].begin + items[i].size),
                                    items[i].number));
    }
    CU_ASSERT(!runs || nd_line_sort_runs(sort) > 1);
    CU_ASSERT(is_empty_folder(nd_test_folder()));
    nd_sort(items, count, sizeof *items, by_text);
    for (size_t i = 0; i < count; i++) {
        ND_TEST_MUST(nd_line_sort_next(sort, &text, &number));
        CU_ASSERT_EQUAL_FATAL(number, items[i].number);
        CU_ASSERT_EQUAL_FATAL(text.size, items[i].size);
        CU_ASSERT_FATAL(text.size == 0 ||
                        memcmp(text.data, all_line_sort.data + items[i].begin, text.size) == 0);
    }
    CU_ASSERT_EQUAL(nd_line_sort_next(sort, &text, &number), ND_END);
    CU_ASSERT_EQUAL(nd_line_sort_next(sort, &text, &number), ND_END);
    nd_line_sort_close(&sort);
    CU_ASSERT_PTR_NULL(sort);
}

ND_TEST("the order of texts") {
    static item items[MOST_TEXTS];
    nd_random random = nd_test_random("line_sort");
    CU_ASSERT_EQUAL_FATAL(setenv("TMPDIR", nd_test_folder(), 1), 0);
    for (int i = 0; i < nd_test_rounds(SORTS_LINE_SORT); i++) {
        check_sort_line_sort(&random, items, i % 4 == 0);
    }
    nd_buffer_free(&all_line_sort);
}

/* Texts so long that a run is written for one more: what is held then is that one alone. */
ND_TEST("one is left") {
    nd_line_sort *sort = NULL;
    nd_span text;
    uint64_t number = 0, count = 0;
    const uint8_t bytes[50000] = {0};
    const nd_span zeros = {bytes, sizeof bytes};
    CU_ASSERT_EQUAL_FATAL(setenv("TMPDIR", nd_test_folder(), 1), 0);
    nd_line_sort_open(1, &sort);
    while (nd_line_sort_runs(sort) == 0) {
        ND_TEST_MUST(nd_line_sort_add(sort, zeros, count++));
    }
    for (uint64_t i = 0; i < count; i++) {
        ND_TEST_MUST(nd_line_sort_next(sort, &text, &number));
        CU_ASSERT(number == i && text.size == sizeof bytes);
    }
    CU_ASSERT_EQUAL(nd_line_sort_next(sort, &text, &number), ND_END);
    nd_line_sort_close(&sort);
}

/* ---- The external sort against qsort(3) of everything, with records of all sizes and memory from
 * far too small to ample; and its promise never to take more memory than it was given. */

enum {
    SORTS_EXTERNAL_SORT = 60,
    MOST_BYTES = 3 << 20,
    MEBIBYTE = 1 << 20,
    LEAST_MEMORY = 256 << 10
};

/* Only a sanitizer's shadow takes more address space from the start. */
#define MOST_SPACE (UINT64_C(1) << 40)

/* Orders know nothing but the records. */
static size_t record_bytes;

static int compare_bytes_external_sort(const void *a, const void *b) {
    return memcmp(a, b, record_bytes);
}

static const nd_record_order by_bytes = {.compare = compare_bytes_external_sort};

/* By one word, so that large records are sorted by places. */
static const nd_record_order by_word = {.word_count = 1, .words = {1}};

static int compare_words(const void *a, const void *b) {
    const uint64_t x = nd_record_word(a, by_word.words[0]);
    const uint64_t y = nd_record_word(b, by_word.words[0]);
    return (x > y) - (x < y);
}

static int (*reference_of(const nd_record_order *order))(const void *, const void *) {
    return order->compare != NULL ? order->compare
           : order == &by_word    ? compare_words
                                  : nd_test_by_key_value;
}

static const char *spill_path(void) {
    static char path[512];
    (void)snprintf(path, sizeof path, "%s/spill", nd_test_folder());
    return path;
}

static int count_spill_files(void) {
    int count = 0;
    DIR *folder = opendir(spill_path());
    for (struct dirent *entry = NULL; folder != NULL && (entry = readdir(folder)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    return count;
}

/* Random bytes, of few values so that there are equal records and long common beginnings. */
static void fill_external_sort(nd_random *random, uint8_t *bytes, size_t size) {
    const uint64_t values = nd_random_below(random, 3) == 0 ? 2 : 256;
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)nd_random_below(random, values);
    }
}

/* Bytes that the sort holds now, and as many again as it sorts at a time. */
static uint64_t memory_of(const nd_external_sort *sort) {
    const uint64_t sorting = sort->by_places ? 2 * sizeof(nd_key_value) : sort->record_size;
    uint64_t bytes = sort->capacity * (sort->record_size + sorting) + sort->spool.held.capacity +
                     sort->spool.tail.capacity;
    for (size_t i = 0; i < sort->run_count; i++) {
        bytes += sizeof *sort->runs + sizeof *sort->losers + sort->runs[i].reader.scratch.capacity;
    }
    return bytes;
}

static void add_in_pieces(nd_random *random, nd_external_sort *sort, const uint8_t *records,
                          size_t count, uint64_t memory) {
    size_t wrong = 0;
    const uint64_t most = UINT64_C(1) << nd_random_below(random, 20);
    for (size_t done = 0; done < count;) {
        size_t more = (size_t)nd_random_below(random, most + 1);
        more = more < count - done ? more : count - done;
        wrong += nd_external_sort_add(sort, records + done * sort->record_size, more) != ND_OK;
        wrong += sort->spool.folder->path != NULL && memory_of(sort) > memory;
        done += more;
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* The next `count` records; with the end, if they are all. \return how many are wrong */
static size_t count_wrong(nd_external_sort *sort, const uint8_t *expected, size_t count) {
    const void *record = NULL;
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        wrong += nd_external_sort_next(sort, &record) != ND_OK ||
                 memcmp(record, expected + i * sort->record_size, sort->record_size) != 0;
    }
    if (count == nd_external_sort_count(sort)) {
        wrong += nd_external_sort_next(sort, &record) != ND_END;
        wrong += nd_external_sort_next(sort, &record) != ND_END;
    }
    return wrong;
}

static void check_external(nd_random *random, uint8_t *records, size_t count, uint64_t memory,
                           const nd_record_order *order, nd_spool_folder *folder) {
    nd_external_sort sort;
    const size_t size = record_bytes;
    nd_external_sort_open(&sort, folder, size, order, memory);
    memory = memory > LEAST_MEMORY ? memory : LEAST_MEMORY;
    add_in_pieces(random, &sort, records, count, memory);
    CU_ASSERT_EQUAL(nd_external_sort_count(&sort), count);
    ND_TEST_OK(nd_external_sort_finish(&sort));
    CU_ASSERT(folder->path == NULL || memory_of(&sort) <= memory);
    nd_sort(records, count, size, reference_of(order));
    size_t wrong = count_wrong(&sort, records, (size_t)nd_random_below(random, count + 1));
    ND_TEST_OK(nd_external_sort_rewind(&sort));
    wrong += count_wrong(&sort, records, count);
    CU_ASSERT(folder->path == NULL || memory_of(&sort) <= memory);
    ND_TEST_OK(nd_external_sort_rewind(&sort));
    wrong += count_wrong(&sort, records, count);
    CU_ASSERT_EQUAL(wrong, 0);
    if (wrong > 0) {
        printf("%zu records of %zu bytes, memory %llu, %zu runs: %zu wrong\n", count, size,
               (unsigned long long)memory, sort.run_count, wrong);
    }
    CU_ASSERT_EQUAL(count_spill_files(), sort.spool.path != NULL);
    nd_external_sort_close(&sort);
    CU_ASSERT_EQUAL(count_spill_files(), 0);
    nd_external_sort_close(&sort);
}

ND_TEST("external sort: sorts like qsort") {
    nd_random random = nd_test_random("external sort");
    ND_FREED uint8_t *records = nd_alloc(MOST_BYTES, 1);
    for (int i = 0; i < nd_test_rounds(SORTS_EXTERNAL_SORT); i++) {
        nd_spool_folder folder = {.path = i % 5 == 4 ? NULL : spill_path()};
        const bool key_values = i % 2 == 0;
        record_bytes = key_values ? sizeof(nd_key_value) : 8 + nd_random_below(&random, 57);
        size_t most = MOST_BYTES / record_bytes;
        most = i % 3 == 0 ? most : (size_t)nd_random_below(&random, most) + 1;
        const size_t count = (size_t)nd_random_below(&random, most);
        const uint64_t memory = nd_random_below(&random, UINT64_C(1) << (10 + i % 14));
        fill_external_sort(&random, records, count * record_bytes);
        check_external(&random, records, count, memory,
                       key_values ? &nd_by_key_then_value : &by_bytes, &folder);
    }
}

/* Different words, for equal ones may come in any order. */
static void draw_words(nd_random *random, uint8_t *records, size_t count) {
    const uint64_t start = nd_random_next(random);
    const bool ascending = nd_random_below(random, 4) == 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t word = ascending ? i : nd_mix64(start + i);
        memcpy(records + i * record_bytes + by_word.words[0] * sizeof word, &word, sizeof word);
    }
}

/* Records of 16 to 216 bytes: those that are moved, and those that are not. */
ND_TEST("sorts by one word") {
    nd_random random = nd_test_random("external sort by a word");
    ND_FREED uint8_t *records = nd_alloc(MOST_BYTES, 1);
    for (int i = 0; i < nd_test_rounds(SORTS_EXTERNAL_SORT); i++) {
        nd_spool_folder folder = {.path = i % 5 == 4 ? NULL : spill_path()};
        record_bytes = 16 + 8 * nd_random_below(&random, 26);
        const size_t most = MOST_BYTES / record_bytes;
        const size_t count = i % 3 == 0 ? most : (size_t)nd_random_below(&random, most);
        const uint64_t memory = nd_random_below(&random, UINT64_C(1) << (10 + i % 14));
        fill_external_sort(&random, records, count * record_bytes);
        draw_words(&random, records, count);
        check_external(&random, records, count, memory, &by_word, &folder);
    }
}

/* What is kept of a number: its word, and bytes that follow from a part of it, so that those next
 * to it in order have much of them. */
static void fill_record(uint64_t number, uint8_t *record) {
    nd_random own = {nd_mix64(number / 50)};
    for (size_t k = 0; k < record_bytes / sizeof number; k++) {
        const uint64_t word = k == by_word.words[0] ? number : nd_random_next(&own);
        memcpy(record + k * sizeof word, &word, sizeof word);
    }
}

/* Runs that are packed give the same, and take less of a file: by places and moved, one and many.
 */
ND_TEST("packed runs") {
    enum { MEMORY = ND_SORT_PACKS, BYTES = 20 << 20, MOST_RECORD = 256 };
    nd_random random = nd_test_random("packed runs");
    for (int i = 0; i < 4; i++) {
        nd_spool_folder folder = {.path = spill_path()};
        nd_external_sort sort;
        uint8_t expected[MOST_RECORD];
        const void *record = NULL;
        size_t wrong = 0;
        record_bytes = i % 2 == 0 ? 48 : 64 + 8 * nd_random_below(&random, 20);
        const uint64_t count = (size_t)BYTES / (i < 2 ? 1 : 4) / record_bytes;
        const uint64_t step = 2 * nd_random_below(&random, 1000) + 1; /* no divisor of 2^k */
        const uint64_t all = UINT64_C(1) << 20;
        nd_external_sort_open(&sort, &folder, record_bytes, &by_word, MEMORY);
        nd_external_sort_pack(&sort);
        CU_ASSERT(sort.chunk_records > 0 && count < all);
        for (uint64_t k = 0; k < all; k++) {
            const uint64_t number = k * step % all;
            if (number < count) {
                fill_record(number, expected);
                wrong += nd_external_sort_add(&sort, expected, 1) != ND_OK;
            }
        }
        ND_TEST_OK(nd_external_sort_finish(&sort));
        CU_ASSERT_EQUAL(sort.run_count > 1, i < 2 || sort.spool.size > 0);
        CU_ASSERT(sort.spool.size < count * record_bytes / 2);
        for (int again = 0; again < 2; again++) {
            for (uint64_t k = 0; k < count; k++) {
                fill_record(k, expected);
                wrong += nd_external_sort_next(&sort, &record) != ND_OK ||
                         memcmp(record, expected, record_bytes) != 0;
            }
            wrong += nd_external_sort_next(&sort, &record) != ND_END;
            ND_TEST_OK(nd_external_sort_rewind(&sort));
        }
        CU_ASSERT_EQUAL(wrong, 0);
        nd_external_sort_close(&sort);
        CU_ASSERT_EQUAL(count_spill_files(), 0);
    }
    /* without the room for it they are written as they are */
    ND_OWNED(nd_external_sort_close) nd_external_sort small;
    nd_external_sort_open(&small, NULL, sizeof(nd_key_value), &by_word, MEMORY - 1);
    nd_external_sort_pack(&small);
    CU_ASSERT_EQUAL(small.chunk_records, 0);
}

/* Right at the borders of a run; records that fit are never written. */
static void check_borders(size_t size, const nd_record_order *order) {
    nd_random random = nd_test_random("external sort borders");
    ND_FREED uint8_t *records = nd_alloc(MOST_BYTES, 1);
    nd_spool_folder folder = {.path = spill_path()};
    nd_external_sort sort;
    record_bytes = size;
    nd_external_sort_open(&sort, &folder, record_bytes, order, 0);
    const size_t run = sort.run_records;
    nd_external_sort_close(&sort);
    const size_t counts[] = {0, 1, run - 1, run, run + 1, 2 * run - 1, 2 * run, 2 * run + 1};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        folder.written = 0;
        fill_external_sort(&random, records, counts[i] * record_bytes);
        if (order == &by_word) {
            draw_words(&random, records, counts[i]);
        }
        check_external(&random, records, counts[i], 0, order, &folder);
        CU_ASSERT_EQUAL(folder.written > 0, counts[i] > run);
    }
}

ND_TEST("borders of runs") {
    check_borders(24, &by_bytes);
    check_borders(192, &by_word);
}

/* Records too large for any window: a record at a time is read. */
ND_TEST("huge records") {
    enum { HUGE_RECORD = 100000, COUNT = 30 };
    nd_random random = nd_test_random("external sort huge records");
    ND_FREED uint8_t *records = nd_alloc((size_t)HUGE_RECORD * COUNT, 1);
    nd_spool_folder folder = {.path = NULL};
    record_bytes = HUGE_RECORD;
    fill_external_sort(&random, records, (size_t)HUGE_RECORD * COUNT);
    check_external(&random, records, COUNT, UINT64_MAX, &by_bytes, &folder);
    ND_OWNED(nd_external_sort_close) nd_external_sort sort;
    folder.path = spill_path();
    nd_external_sort_open(&sort, &folder, HUGE_RECORD, &by_bytes, 0);
    ND_TEST_OK(nd_external_sort_add(&sort, records, COUNT));
    ND_TEST_OK(nd_external_sort_finish(&sort));
    CU_ASSERT_EQUAL(sort.run_count, COUNT);
    CU_ASSERT_EQUAL(count_wrong(&sort, records, COUNT), 0);
}

ND_TEST("full disk") {
    nd_spool_folder folder = {.path = spill_path()};
    nd_external_sort sort;
    nd_status st = ND_OK;
    struct rlimit limit;
    (void)signal(SIGXFSZ, SIG_IGN);
    CU_ASSERT_EQUAL(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = MEBIBYTE + 100;
    CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
    nd_external_sort_open(&sort, &folder, sizeof(nd_key_value), &nd_by_key_then_value, 0);
    for (uint64_t i = 0; i < MEBIBYTE && st == ND_OK; i++) {
        st = nd_external_sort_add(&sort, &(nd_key_value){i, i}, 1);
    }
    CU_ASSERT_EQUAL(st, ND_ERR_IO);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "cannot write: File too large"));
    nd_external_sort_close(&sort);
    limit.rlim_cur = before;
    CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
    CU_ASSERT_EQUAL(count_spill_files(), 0);
}

static nd_status sort_some_of(size_t size, const nd_record_order *order) {
    enum { BYTES = 400 << 10, WORDS = 24 }; /* more than the least memory */
    const uint64_t count = BYTES / size;
    nd_spool_folder folder = {.path = spill_path()};
    nd_external_sort sort;
    const void *record = NULL;
    nd_status st = ND_OK;
    nd_external_sort_open(&sort, &folder, size, order, 0);
    for (uint64_t i = 0; i < count; i++) {
        ND_TRY(nd_external_sort_add(&sort, (uint64_t[WORDS]){nd_mix64(i), i}, 1));
    }
    ND_TRY(nd_external_sort_finish(&sort));
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t i = 0; i < count; i++) {
            ND_TRY(nd_external_sort_next(&sort, &record));
        }
        ND_TRY(nd_external_sort_rewind(&sort));
    }
out:
    nd_external_sort_close(&sort);
    return st;
}

static nd_status sort_some(void) {
    return sort_some_of(sizeof(nd_key_value), &nd_by_key_then_value);
}

static nd_status sort_some_by_places(void) {
    return sort_some_of(192, &by_word);
}

static void check_no_spill_file(void) {
    CU_ASSERT_EQUAL(count_spill_files(), 0);
}

ND_TEST("every fault is said and leaves nothing") {
    CU_ASSERT(nd_test_all_faults(sort_some, check_no_spill_file) >= 30);
    CU_ASSERT(nd_test_all_faults(sort_some_by_places, check_no_spill_file) >= 30);
}

/* Bytes of address space that this process has; 0 if that cannot be known. */
static uint64_t address_space(void) {
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%llu", &pages) != 1) {
        pages = 0;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Sort four times as much as the memory, in a process that has no more than that.
 * \return exit code */
static int sort_in_little(const nd_record_order *order, size_t size, uint64_t memory) {
    nd_spool_folder folder = {.path = spill_path()};
    nd_external_sort sort;
    enum { MOST_PAIRS = 12 };
    nd_random random = {7};
    nd_key_value last = {0, 0};
    const void *record = NULL;
    const uint64_t count = 4 * memory / size;
    /* Large rooms come and go one by one, whatever the environment tells malloc(3), and what the
     * tests before have had is given back. */
    (void)mallopt(M_MMAP_THRESHOLD, MEBIBYTE / 8);
    (void)mallopt(M_TOP_PAD, 0);
    (void)malloc_trim(0);
    const uint64_t space = address_space() + memory + MEBIBYTE;
    if (setrlimit(RLIMIT_AS, &(struct rlimit){space, space}) != 0) {
        return 1;
    }
    nd_external_sort_open(&sort, &folder, size, order, memory);
    for (uint64_t i = 0; i < count; i++) {
        const nd_key_value one[MOST_PAIRS] = {{nd_random_next(&random), i}};
        if (nd_external_sort_add(&sort, one, 1) != ND_OK) {
            return 2;
        }
    }
    if (nd_external_sort_finish(&sort) != ND_OK) {
        return 3;
    }
    for (uint64_t i = 0; i < count; i++) {
        if (nd_external_sort_next(&sort, &record) != ND_OK ||
            nd_test_by_key_value(&last, record) > 0) {
            return 4;
        }
        memcpy(&last, record, sizeof last);
    }
    nd_external_sort_close(&sort);
    return 0;
}

static void check_memory(const nd_record_order *order, size_t size) {
    int state = 0;
    (void)fflush(NULL);
    const pid_t child = fork();
    CU_ASSERT_FATAL(child >= 0);
    if (child == 0) {
        const int code =
            sort_in_little(order, size, 20 * MEBIBYTE); /* no power of 2, as runs may be */
        if (code != 0) {
            (void)fprintf(stderr, "step %d: %s\n", code, nd_fail_text());
        }
        _exit(code);
    }
    CU_ASSERT_EQUAL(waitpid(child, &state, 0), child);
    CU_ASSERT(WIFEXITED(state) && WEXITSTATUS(state) == 0);
}

/* The scratch memory of the sorting itself does not show in the structure. */
ND_TEST("memory is not exceeded") {
    (void)nd_test_folder();
    if (address_space() == 0 || address_space() > MOST_SPACE) {
        printf("(not with the address sanitizer, nor without /proc) ");
        return;
    }
    static const nd_record_order compared = {.compare = nd_test_by_key_value};
    static const nd_record_order by_key = {.word_count = 1, .words = {0}};
    check_memory(&nd_by_key_then_value, sizeof(nd_key_value));
    check_memory(&compared, sizeof(nd_key_value));
    check_memory(&by_key, 12 * sizeof(nd_key_value));
}

/* ---- repeats */

static bool has_same_key(const void *record, const void *before) {
    return ((const nd_key_value *)record)->key == ((const nd_key_value *)before)->key;
}

/* The smallest value of each key, and no others but in ascending order. \return keys */
static size_t count_keys(nd_external_sort *sort, const nd_key_value *sorted, size_t count,
                         size_t *wrong) {
    const void *next = NULL;
    nd_key_value last = {0};
    size_t keys = 0;
    for (size_t place = 0; nd_external_sort_next(sort, &next) == ND_OK;
         last = *(const nd_key_value *)next) {
        const nd_key_value *record = next;
        if (keys > 0 && record->key == last.key) {
            *wrong += record->value < last.value;
            continue;
        }
        while (keys > 0 && place < count && sorted[place].key == last.key) {
            place++;
        }
        *wrong += place == count || nd_test_by_key_value(record, &sorted[place]) != 0;
        keys++;
    }
    return keys;
}

static void check_repeats(nd_random *random, nd_key_value *records, size_t count, uint64_t values,
                          nd_spool_folder *folder) {
    ND_OWNED(nd_external_sort_close) nd_external_sort sort;
    size_t distinct = 0;
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        records[i] = (nd_key_value){nd_random_below(random, values), nd_random_next(random)};
    }
    nd_external_sort_open(&sort, folder, sizeof *records, &nd_by_key_then_value, 0);
    nd_external_sort_drop_repeats(&sort, has_same_key);
    record_bytes = sizeof *records;
    add_in_pieces(random, &sort, (const uint8_t *)records, count, LEAST_MEMORY);
    ND_TEST_OK(nd_external_sort_finish(&sort));
    nd_sort(records, count, sizeof *records, nd_test_by_key_value);
    for (size_t i = 0; i < count; i++) {
        distinct += i == 0 || records[i].key != records[i - 1].key;
    }
    CU_ASSERT_EQUAL(count_keys(&sort, records, count, &wrong), distinct);
    CU_ASSERT_EQUAL(wrong, 0);
    /* what fits is not written, however many repeat it */
    CU_ASSERT(distinct >= sort.run_records / 4 * 3 || sort.spool.size == 0);
    CU_ASSERT(distinct <= sort.run_records || sort.spool.size > 0);
}

ND_TEST("repeats") {
    enum { MOST = MOST_BYTES / sizeof(nd_key_value) };
    static const uint64_t values[] = {1, 100, 2000, 5000, 8000, 20000, UINT64_MAX};
    static nd_key_value records[MOST];
    nd_random random = nd_test_random("repeats");
    nd_spool_folder folder = {.path = spill_path()};
    for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
        check_repeats(&random, records, MOST, values[v], &folder);
        check_repeats(&random, records, (size_t)nd_random_below(&random, MOST), values[v], &folder);
    }
    CU_ASSERT(count_spill_files() <= 0);
    (void)rmdir(spill_path());
}
