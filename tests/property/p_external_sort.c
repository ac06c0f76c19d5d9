/* The external sort against qsort(3) of everything, with records of all sizes and memory from far
 * too small to ample; and its promise never to take more memory than it was given. */
#include "io/store/external_sort.h"
#include "src/base/sort.h"
#include "tests/support/check.h"
#include "tests/support/faults.h"

#include <dirent.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SORTS = 60, MOST_BYTES = 3 << 20, MEBIBYTE = 1 << 20, LEAST_MEMORY = 256 << 10 };

/* Only a sanitizer's shadow takes more address space from the start. */
#define MOST_SPACE (UINT64_C(1) << 40)

/* Orders know nothing but the records. */
static size_t record_bytes;

static int compare_bytes(const void *a, const void *b) {
    return memcmp(a, b, record_bytes);
}

static const nd_record_order by_bytes = {.compare = compare_bytes};

static int compare_key_values(const void *left, const void *right) {
    const nd_key_value *a = left;
    const nd_key_value *b = right;
    if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    return (a->value > b->value) - (a->value < b->value);
}

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
                                  : compare_key_values;
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
static void fill(nd_random *random, uint8_t *bytes, size_t size) {
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

static void check_sort(nd_random *random, uint8_t *records, size_t count, uint64_t memory,
                       const nd_record_order *order, nd_spool_folder *folder) {
    nd_external_sort sort;
    const size_t size = record_bytes;
    nd_external_sort_open(&sort, folder, size, order, memory);
    memory = memory > LEAST_MEMORY ? memory : LEAST_MEMORY;
    add_in_pieces(random, &sort, records, count, memory);
    CU_ASSERT_EQUAL(nd_external_sort_count(&sort), count);
    CU_ASSERT_EQUAL(nd_external_sort_finish(&sort), ND_OK);
    CU_ASSERT(folder->path == NULL || memory_of(&sort) <= memory);
    nd_sort(records, count, size, reference_of(order));
    size_t wrong = count_wrong(&sort, records, (size_t)nd_random_below(random, count + 1));
    CU_ASSERT_EQUAL(nd_external_sort_rewind(&sort), ND_OK);
    wrong += count_wrong(&sort, records, count);
    CU_ASSERT(folder->path == NULL || memory_of(&sort) <= memory);
    CU_ASSERT_EQUAL(nd_external_sort_rewind(&sort), ND_OK);
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

static void test_sorts_like_qsort(void) {
    nd_random random = nd_test_random("external sort");
    uint8_t *records = malloc(MOST_BYTES);
    CU_ASSERT_PTR_NOT_NULL_FATAL(records);
    for (int i = 0; i < nd_test_rounds(SORTS); i++) {
        nd_spool_folder folder = {.path = i % 5 == 4 ? NULL : spill_path()};
        const bool key_values = i % 2 == 0;
        record_bytes = key_values ? sizeof(nd_key_value) : 8 + nd_random_below(&random, 57);
        size_t most = MOST_BYTES / record_bytes;
        most = i % 3 == 0 ? most : (size_t)nd_random_below(&random, most) + 1;
        const size_t count = (size_t)nd_random_below(&random, most);
        const uint64_t memory = nd_random_below(&random, UINT64_C(1) << (10 + i % 14));
        fill(&random, records, count * record_bytes);
        check_sort(&random, records, count, memory, key_values ? &nd_by_key_then_value : &by_bytes,
                   &folder);
    }
    free(records);
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
static void test_sorts_by_one_word(void) {
    nd_random random = nd_test_random("external sort by a word");
    uint8_t *records = malloc(MOST_BYTES);
    CU_ASSERT_PTR_NOT_NULL_FATAL(records);
    for (int i = 0; i < nd_test_rounds(SORTS); i++) {
        nd_spool_folder folder = {.path = i % 5 == 4 ? NULL : spill_path()};
        record_bytes = 16 + 8 * nd_random_below(&random, 26);
        const size_t most = MOST_BYTES / record_bytes;
        const size_t count = i % 3 == 0 ? most : (size_t)nd_random_below(&random, most);
        const uint64_t memory = nd_random_below(&random, UINT64_C(1) << (10 + i % 14));
        fill(&random, records, count * record_bytes);
        draw_words(&random, records, count);
        check_sort(&random, records, count, memory, &by_word, &folder);
    }
    free(records);
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
static void test_packed_runs(void) {
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
        CU_ASSERT_EQUAL(nd_external_sort_finish(&sort), ND_OK);
        CU_ASSERT_EQUAL(sort.run_count > 1, i < 2 || sort.spool.size > 0);
        CU_ASSERT(sort.spool.size < count * record_bytes / 2);
        for (int again = 0; again < 2; again++) {
            for (uint64_t k = 0; k < count; k++) {
                fill_record(k, expected);
                wrong += nd_external_sort_next(&sort, &record) != ND_OK ||
                         memcmp(record, expected, record_bytes) != 0;
            }
            wrong += nd_external_sort_next(&sort, &record) != ND_END;
            CU_ASSERT_EQUAL(nd_external_sort_rewind(&sort), ND_OK);
        }
        CU_ASSERT_EQUAL(wrong, 0);
        nd_external_sort_close(&sort);
        CU_ASSERT_EQUAL(count_spill_files(), 0);
    }
    /* without the room for it they are written as they are */
    nd_external_sort small;
    nd_external_sort_open(&small, NULL, sizeof(nd_key_value), &by_word, MEMORY - 1);
    nd_external_sort_pack(&small);
    CU_ASSERT_EQUAL(small.chunk_records, 0);
    nd_external_sort_close(&small);
}

/* Right at the borders of a run; records that fit are never written. */
static void check_borders(size_t size, const nd_record_order *order) {
    nd_random random = nd_test_random("external sort borders");
    uint8_t *records = malloc(MOST_BYTES);
    CU_ASSERT_PTR_NOT_NULL_FATAL(records);
    nd_spool_folder folder = {.path = spill_path()};
    nd_external_sort sort;
    record_bytes = size;
    nd_external_sort_open(&sort, &folder, record_bytes, order, 0);
    const size_t run = sort.run_records;
    nd_external_sort_close(&sort);
    const size_t counts[] = {0, 1, run - 1, run, run + 1, 2 * run - 1, 2 * run, 2 * run + 1};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        folder.written = 0;
        fill(&random, records, counts[i] * record_bytes);
        if (order == &by_word) {
            draw_words(&random, records, counts[i]);
        }
        check_sort(&random, records, counts[i], 0, order, &folder);
        CU_ASSERT_EQUAL(folder.written > 0, counts[i] > run);
    }
    free(records);
}

static void test_borders(void) {
    check_borders(24, &by_bytes);
    check_borders(192, &by_word);
}

/* Records too large for any window: a record at a time is read. */
static void test_huge_records(void) {
    enum { HUGE_RECORD = 100000, COUNT = 30 };
    nd_random random = nd_test_random("external sort huge records");
    uint8_t *records = malloc((size_t)HUGE_RECORD * COUNT);
    CU_ASSERT_PTR_NOT_NULL_FATAL(records);
    nd_spool_folder folder = {.path = NULL};
    record_bytes = HUGE_RECORD;
    fill(&random, records, (size_t)HUGE_RECORD * COUNT);
    check_sort(&random, records, COUNT, UINT64_MAX, &by_bytes, &folder);
    nd_external_sort sort;
    folder.path = spill_path();
    nd_external_sort_open(&sort, &folder, HUGE_RECORD, &by_bytes, 0);
    CU_ASSERT_EQUAL(nd_external_sort_add(&sort, records, COUNT), ND_OK);
    CU_ASSERT_EQUAL(nd_external_sort_finish(&sort), ND_OK);
    CU_ASSERT_EQUAL(sort.run_count, COUNT);
    CU_ASSERT_EQUAL(count_wrong(&sort, records, COUNT), 0);
    nd_external_sort_close(&sort);
    free(records);
}

static void test_full_disk(void) {
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

static void test_faults(void) {
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
            compare_key_values(&last, record) > 0) {
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
static void test_memory_is_not_exceeded(void) {
    (void)nd_test_folder();
    if (address_space() == 0 || address_space() > MOST_SPACE) {
        printf("(not with the address sanitizer, nor without /proc) ");
        return;
    }
    static const nd_record_order compared = {.compare = compare_key_values};
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
        *wrong += place == count || compare_key_values(record, &sorted[place]) != 0;
        keys++;
    }
    return keys;
}

static void check_repeats(nd_random *random, nd_key_value *records, size_t count, uint64_t values,
                          nd_spool_folder *folder) {
    nd_external_sort sort;
    size_t distinct = 0;
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        records[i] = (nd_key_value){nd_random_below(random, values), nd_random_next(random)};
    }
    nd_external_sort_open(&sort, folder, sizeof *records, &nd_by_key_then_value, 0);
    nd_external_sort_drop_repeats(&sort, has_same_key);
    record_bytes = sizeof *records;
    add_in_pieces(random, &sort, (const uint8_t *)records, count, LEAST_MEMORY);
    CU_ASSERT_EQUAL(nd_external_sort_finish(&sort), ND_OK);
    nd_sort(records, count, sizeof *records, compare_key_values);
    for (size_t i = 0; i < count; i++) {
        distinct += i == 0 || records[i].key != records[i - 1].key;
    }
    CU_ASSERT_EQUAL(count_keys(&sort, records, count, &wrong), distinct);
    CU_ASSERT_EQUAL(wrong, 0);
    /* what fits is not written, however many repeat it */
    CU_ASSERT(distinct >= sort.run_records / 4 * 3 || sort.spool.size == 0);
    CU_ASSERT(distinct <= sort.run_records || sort.spool.size > 0);
    nd_external_sort_close(&sort);
}

static void test_repeats(void) {
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

static const nd_test tests[] = {
    {"repeats", test_repeats},
    {"sorts like qsort", test_sorts_like_qsort},
    {"sorts by one word", test_sorts_by_one_word},
    {"borders of runs", test_borders},
    {"huge records", test_huge_records},
    {"full disk", test_full_disk},
    {"every fault is said and leaves nothing", test_faults},
    {"memory is not exceeded", test_memory_is_not_exceeded},
    {"packed runs", test_packed_runs},
};
ND_SUITE(p_external_sort, tests)
