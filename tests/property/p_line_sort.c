/* Texts of any length sorted within a bound, against qsort(3) of all of them; nothing is left in
 * the folder of temporary files, not even while the sort is open. */
#include "io/store/external_sort.h"
#include "src/base/buffer.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "tests/support/check.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { SORTS = 40, MOST_TEXTS = 9000 };

typedef struct item {
    size_t begin, size;
    uint64_t number;
} item;

static nd_buffer all;

static int by_text(const void *left, const void *right) {
    const item *a = left;
    const item *b = right;
    for (size_t i = 0; i < nd_min(a->size, b->size); i++) {
        if (all.data[a->begin + i] != all.data[b->begin + i]) {
            return all.data[a->begin + i] < all.data[b->begin + i] ? -1 : 1;
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

static void check_sort(nd_random *random, item *items, bool runs) {
    nd_line_sort *sort = NULL;
    nd_span text;
    uint64_t number = 0;
    const size_t count = runs ? MOST_TEXTS : nd_random_below(random, 300);
    const uint64_t longest = 1 + nd_random_below(random, runs ? 600 : 60);
    const unsigned letters = 1 + (unsigned)nd_random_below(random, 3) * 100;
    CU_ASSERT_EQUAL_FATAL(nd_line_sort_open(1, &sort), ND_OK);
    all.size = 0;
    for (size_t i = 0; i < count; i++) {
        items[i] = (item){all.size, nd_random_below(random, longest), nd_random_below(random, 9)};
        if (nd_random_below(random, 2000) == 0) {
            items[i].size = 200000; /* longer than any window */
        }
        for (size_t b = 0; b < items[i].size; b++) {
            const uint8_t byte = (uint8_t)nd_random_below(random, letters);
            nd_buffer_append(&all, &byte, 1);
        }
        CU_ASSERT_EQUAL(nd_line_sort_add(sort,
                                         nd_span_part(nd_buffer_span(&all), items[i].begin,
                                                      items[i].begin + items[i].size),
                                         items[i].number),
                        ND_OK);
    }
    CU_ASSERT(!runs || nd_line_sort_runs(sort) > 1);
    CU_ASSERT(is_empty_folder(nd_test_folder()));
    nd_sort(items, count, sizeof *items, by_text);
    for (size_t i = 0; i < count; i++) {
        CU_ASSERT_EQUAL_FATAL(nd_line_sort_next(sort, &text, &number), ND_OK);
        CU_ASSERT_EQUAL_FATAL(number, items[i].number);
        CU_ASSERT_EQUAL_FATAL(text.size, items[i].size);
        CU_ASSERT_FATAL(text.size == 0 ||
                        memcmp(text.data, all.data + items[i].begin, text.size) == 0);
    }
    CU_ASSERT_EQUAL(nd_line_sort_next(sort, &text, &number), ND_END);
    CU_ASSERT_EQUAL(nd_line_sort_next(sort, &text, &number), ND_END);
    nd_line_sort_close(&sort);
    CU_ASSERT_PTR_NULL(sort);
}

static void test_order(void) {
    static item items[MOST_TEXTS];
    nd_random random = nd_test_random("line_sort");
    CU_ASSERT_EQUAL_FATAL(setenv("TMPDIR", nd_test_folder(), 1), 0);
    for (int i = 0; i < nd_test_rounds(SORTS); i++) {
        check_sort(&random, items, i % 4 == 0);
    }
    nd_buffer_free(&all);
}

/* Texts so long that a run is written for one more: what is held then is that one alone. */
static void test_one_left(void) {
    nd_line_sort *sort = NULL;
    nd_span text;
    uint64_t number = 0, count = 0;
    const uint8_t bytes[50000] = {0};
    const nd_span zeros = {bytes, sizeof bytes};
    CU_ASSERT_EQUAL_FATAL(setenv("TMPDIR", nd_test_folder(), 1), 0);
    CU_ASSERT_EQUAL_FATAL(nd_line_sort_open(1, &sort), ND_OK);
    while (nd_line_sort_runs(sort) == 0) {
        CU_ASSERT_EQUAL_FATAL(nd_line_sort_add(sort, zeros, count++), ND_OK);
    }
    for (uint64_t i = 0; i < count; i++) {
        CU_ASSERT_EQUAL_FATAL(nd_line_sort_next(sort, &text, &number), ND_OK);
        CU_ASSERT(number == i && text.size == sizeof bytes);
    }
    CU_ASSERT_EQUAL(nd_line_sort_next(sort, &text, &number), ND_END);
    nd_line_sort_close(&sort);
}

static const nd_test tests[] = {{"the order of texts", test_order}, {"one is left", test_one_left}};

ND_SUITE(p_line_sort, tests)
