/* Real files, cut off anywhere and with a byte changed anywhere: no crash, no hang, and what does
 * not hang on the damage is read as from the whole file. NEARDUP_MUTATIONS is the number of cuts
 * and of changes of each file (a few; 100 takes minutes). */
#define _XOPEN_SOURCE 700
#include "io/input/reader.h"
#include "src/base/sort.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <xxhash.h>

enum { MUTATIONS = 8, MOST_FILES = 1000 };
/* Far beyond what any of these files takes on a loaded machine. */
enum { MOST_CPU_SECONDS = 60 };

static char *names[MOST_FILES];
static size_t name_count;

/* What was read of a file: where its pages start, and what they are. */
typedef struct reading {
    bool opened;
    bool splittable; /* the places are bytes of the file */
    uint64_t *offsets;
    uint64_t *pages; /* hashes */
    size_t count, offset_capacity, page_capacity;
} reading;

static void free_reading(reading *r) {
    free(r->offsets);
    free(r->pages);
    *r = (reading){0};
}

static void count_skip(void *context, uint64_t offset, const char *reason) {
    (void)offset;
    CU_ASSERT_TRUE(reason[0] != '\0');
    ++*(uint64_t *)context;
}

static uint64_t hash_of(const nd_record *record) {
    const nd_span parts[] = {record->id, record->url, record->text};
    uint64_t hash = (uint64_t)record->content;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        hash = XXH3_64bits_withSeed(parts[i].size > 0 ? parts[i].data : (const uint8_t *)"",
                                    parts[i].size, hash);
    }
    return hash;
}

static reading read_all(const char *path) {
    reading r = {0};
    nd_reader *reader = NULL;
    nd_record record;
    nd_source_shape shape = {0};
    uint64_t skips = 0;
    const nd_reader_options options = {.skip = count_skip, .skip_context = &skips};
    const clock_t start = clock();
    nd_status st = nd_source_look(path, NULL, &shape);
    st = st != ND_OK ? st : nd_reader_open(path, "file://x/y", 0, shape.bytes, &options, &reader);
    r.opened = st == ND_OK;
    r.splittable = shape.splittable;
    if (!r.opened) {
        CU_ASSERT_EQUAL(st, ND_ERR_INPUT);
        return r;
    }
    while ((st = nd_reader_next(reader, &record)) == ND_OK) {
        nd_grow(&r.offsets, &r.offset_capacity, r.count + 1, sizeof *r.offsets);
        nd_grow(&r.pages, &r.page_capacity, r.count + 1, sizeof *r.pages);
        r.offsets[r.count] = record.offset;
        r.pages[r.count++] = hash_of(&record);
    }
    CU_ASSERT_EQUAL(st, ND_END);
    nd_reader_counts counts;
    nd_reader_get_counts(reader, &counts);
    CU_ASSERT_EQUAL(counts.pages, r.count);
    CU_ASSERT_EQUAL(counts.skipped, skips);
    CU_ASSERT_EQUAL(counts.records, counts.pages + counts.other + counts.skipped);
    nd_reader_close(&reader);
    CU_ASSERT_TRUE(clock() - start < MOST_CPU_SECONDS * CLOCKS_PER_SEC);
    return r;
}

/* Whether pages [first, first + count) of one reading are those from `other_first` on of another.
 */
static bool same_pages(const reading *a, size_t first, const reading *b, size_t other_first,
                       size_t count) {
    return count == 0 ||
           (first + count <= a->count && other_first + count <= b->count &&
            memcmp(a->pages + first, b->pages + other_first, count * sizeof *a->pages) == 0);
}

/* Pages that surely end at or before byte `at` of the file: the next one starts there or before. */
static size_t pages_before(const reading *r, uint64_t at) {
    size_t count = 0;
    while (r->splittable && count + 1 < r->count && r->offsets[count + 1] <= at) {
        count++;
    }
    return count;
}

/* Pages from the second on that starts after byte `at`: the first may hang on what it follows, as
 * a line does on the line end before it. */
static size_t pages_after(const reading *r, uint64_t at) {
    size_t count = 0;
    while (r->splittable && count < r->count && r->offsets[r->count - 1 - count] > at) {
        count++;
    }
    return count > 0 ? count - 1 : 0;
}

static void check_cut(const char *name, const nd_buffer *file, const reading *whole, size_t at) {
    reading cut = read_all(nd_test_write("s", (nd_span){file->data, at}));
    const size_t before = pages_before(whole, at);
    const bool good = same_pages(&cut, 0, whole, 0, before);
    if (!good) {
        printf("%s cut at %zu: of %zu pages before, not all are as they were\n", name, at, before);
    }
    CU_ASSERT_TRUE(good);
    free_reading(&cut);
}

static void check_change(const char *name, nd_buffer *file, const reading *whole, size_t at,
                         uint8_t change) {
    file->data[at] ^= change;
    reading changed = read_all(nd_test_write("s", nd_buffer_span(file)));
    file->data[at] ^= change;
    const size_t before = pages_before(whole, at);
    const size_t after = pages_after(whole, at);
    /* a format is known by the first bytes: where these are damaged, nothing need be known of it */
    const bool known = whole->count > 0 && at >= whole->offsets[0] && at >= 512;
    const bool good =
        !known || (same_pages(&changed, 0, whole, 0, before) && changed.count >= after &&
                   same_pages(&changed, changed.count - after, whole, whole->count - after, after));
    if (!good) {
        printf("%s with byte %zu changed by %u: of %zu pages before it and %zu after it, not all "
               "are as they were (%zu of %zu)\n",
               name, at, change, before, after, changed.count, whole->count);
    }
    CU_ASSERT_TRUE(good);
    free_reading(&changed);
}

static int note_file(const char *path, const struct stat *info, int kind, struct FTW *place) {
    (void)place;
    if (kind == FTW_F && info->st_size > 0 && name_count < MOST_FILES) {
        names[name_count++] = strdup(path);
    }
    return 0;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void check_folder(const char *folder) {
    const char *path = nd_test_data(folder);
    if (path == NULL) {
        return;
    }
    const char *asked = getenv("NEARDUP_MUTATIONS");
    const size_t mutations =
        asked != NULL ? strtoul(asked, NULL, 10) : (size_t)nd_test_rounds(MUTATIONS);
    nd_random random = nd_test_random(folder);
    name_count = 0;
    CU_ASSERT_EQUAL_FATAL(nftw(path, note_file, 16, FTW_PHYS), 0);
    CU_ASSERT_TRUE(name_count > 0);
    nd_sort(names, name_count, sizeof names[0], compare_names);
    for (size_t i = 0; i < name_count; i++) {
        nd_buffer file = nd_test_read(names[i]);
        reading whole = read_all(names[i]);
        for (size_t m = 0; m < mutations; m++) {
            check_cut(names[i], &file, &whole, (size_t)nd_random_below(&random, file.size));
            check_change(names[i], &file, &whole, (size_t)nd_random_below(&random, file.size),
                         (uint8_t)(1 + nd_random_below(&random, 255)));
        }
        free_reading(&whole);
        nd_buffer_free(&file);
        free(names[i]);
    }
}

static void test_crawl(void) {
    check_folder("crawl");
}

static void test_charset(void) {
    check_folder("charset");
}

static const nd_test tests[] = {
    {"crawls", test_crawl},
    {"pages of many charsets", test_charset},
};
ND_SUITE(p_damage, tests)
