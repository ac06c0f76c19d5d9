/* nd_file_window: what lies under the window, and what the system's cache keeps of the file. */
#define _GNU_SOURCE /* mincore() */
#include "io/input/file_window.h"
#include "src/base/util.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

enum { FILE_BYTES = 16 << 20, HALF = FILE_BYTES / 2, MOST_PAGES = FILE_BYTES / 4096 };

static uint8_t content[FILE_BYTES];

static const char *write_content(const char *name) {
    nd_random random = {.state = 5};
    for (size_t i = 0; i < sizeof content; i++) {
        content[i] = (uint8_t)nd_random_next(&random);
    }
    return nd_test_write(name, (nd_span){content, sizeof content});
}

static void test_views(void) {
    static const struct {
        uint64_t offset;
        size_t want;
    } looks[] = {{0, 1},          {0, 2 << 20},  {700, 10},           {FILE_BYTES - 5, 100},
                 {HALF, 1 << 20}, {HALF + 3, 7}, {3, (2 << 20) + 11}, {FILE_BYTES, 4}};
    nd_file_window file;
    nd_span bytes;
    CU_ASSERT_EQUAL_FATAL(nd_file_window_open(&file, write_content("views")), ND_OK);
    CU_ASSERT_EQUAL(file.file_bytes, FILE_BYTES);
    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++) {
        const size_t left = FILE_BYTES - (size_t)looks[i].offset;
        CU_ASSERT_EQUAL(nd_file_window_at(&file, looks[i].offset, looks[i].want, &bytes), ND_OK);
        CU_ASSERT(bytes.size >= (looks[i].want < left ? looks[i].want : left));
        CU_ASSERT(bytes.size == 0 ||
                  memcmp(bytes.data, content + looks[i].offset, bytes.size) == 0);
    }
    nd_file_window_close(&file);
}

static void test_single_byte(void) {
    nd_file_window file;
    nd_span bytes;
    const char *path = nd_test_write("byte", nd_test_span("x"));
    CU_ASSERT_EQUAL_FATAL(nd_file_window_open(&file, path), ND_OK);
    CU_ASSERT_EQUAL(nd_file_window_at(&file, 0, 9, &bytes), ND_OK);
    CU_ASSERT(bytes.size == 1 && bytes.data[0] == 'x');
    nd_file_window_close(&file);
}

/* ---- the system's cache */

/* Pages of bytes [begin, end) of the file that the system holds. */
static size_t cached_pages(const char *path, size_t begin, size_t end) {
    static unsigned char held[MOST_PAGES];
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    void *map = mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, descriptor, 0);
    size_t count = 0;
    CU_ASSERT_FATAL(map != MAP_FAILED && mincore(map, FILE_BYTES, held) == 0);
    for (size_t i = begin / page; i < end / page; i++) {
        count += held[i] & 1U;
    }
    (void)munmap(map, FILE_BYTES);
    (void)close(descriptor);
    return count;
}

/* A file whose bytes are on the disk, so that the system is free to forget them, and in its cache.
 */
static const char *write_synced(const char *name) {
    const char *path = write_content(name);
    const int descriptor = open(path, O_RDWR | O_CLOEXEC);
    CU_ASSERT_FATAL(descriptor >= 0 && fsync(descriptor) == 0);
    (void)close(descriptor);
    return path;
}

/* Does this file system forget at all? Those in memory do not. */
static bool can_forget(void) {
    const char *path = write_synced("control");
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    (void)posix_fadvise(descriptor, 0, FILE_BYTES, POSIX_FADV_DONTNEED);
    (void)close(descriptor);
    return cached_pages(path, 0, FILE_BYTES) == 0;
}

static void test_uncache(void) {
    nd_file_window file;
    nd_span bytes;
    if (!can_forget()) {
        printf("SKIPPED: the file system of %s keeps its files in memory\n", nd_test_folder());
        return;
    }
    const char *path = write_synced("cached");
    const size_t before = cached_pages(path, 0, FILE_BYTES);
    CU_ASSERT(before > 0);
    CU_ASSERT_EQUAL_FATAL(nd_file_window_open(&file, path), ND_OK);
    CU_ASSERT_EQUAL(nd_file_window_at(&file, 0, FILE_BYTES, &bytes), ND_OK);
    nd_file_window_uncache(&file, 0, HALF);
    /* what the system holds in one piece with bytes beyond the range stays */
    CU_ASSERT(cached_pages(path, 0, HALF) <= before / 8);
    CU_ASSERT(cached_pages(path, HALF, FILE_BYTES) >= before / 2);
    CU_ASSERT(memcmp(bytes.data, content, bytes.size) == 0);
    nd_file_window_close(&file);
}

/* A file that becomes shorter while it is read is another one, which is no failure to read it. */
static void test_shorter(void) {
    nd_file_window file;
    nd_span bytes;
    const char *path = write_content("shorter");
    CU_ASSERT_EQUAL_FATAL(nd_file_window_open(&file, path), ND_OK);
    CU_ASSERT_EQUAL(nd_file_window_at(&file, 0, 10, &bytes), ND_OK);
    CU_ASSERT_EQUAL(truncate(path, HALF), 0);
    CU_ASSERT_EQUAL(nd_file_window_at(&file, HALF + 5, 10, &bytes), ND_ERR_CHANGED);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), path));
    nd_file_window_close(&file);
}

/* What a file is now: of a regular one by its name, and else as opening it says. */
static void test_identity(void) {
    nd_file_identity now;
    nd_file_window file;
    const char *path = nd_test_write("identity", nd_test_span("123"));
    CU_ASSERT_EQUAL(nd_file_identity_now(path, &now), ND_OK);
    CU_ASSERT_EQUAL(now.bytes, 3);
    CU_ASSERT_EQUAL_FATAL(nd_file_window_open(&file, path), ND_OK);
    CU_ASSERT_EQUAL(memcmp(&now, &file.identity, sizeof now), 0);
    nd_file_window_close(&file);
    CU_ASSERT_EQUAL(nd_file_identity_now("/no/such/file", &now), ND_ERR_INPUT);
    CU_ASSERT_EQUAL(nd_file_identity_now(nd_test_folder(), &now), ND_ERR_INPUT);
}

/* ---- sums of blocks */

static uint64_t slow_sum(uint64_t begin, uint64_t end, uint64_t file_bytes) {
    uint64_t sum = 0;
    for (uint64_t block = 0; block * ND_SUMMED_BLOCK < file_bytes; block++) {
        const uint64_t at = block * ND_SUMMED_BLOCK;
        const uint64_t size = file_bytes - at < ND_SUMMED_BLOCK ? file_bytes - at : ND_SUMMED_BLOCK;
        if (at >= begin && at < end) {
            sum += XXH3_64bits_withSeed(content + at, (size_t)size, block);
        }
    }
    return sum;
}

/* Looks at random places, backwards too, and with gaps. */
static uint64_t sum_of_range(const char *path, uint64_t begin, uint64_t end, nd_random *random) {
    nd_file_window file;
    nd_span bytes;
    uint64_t sum = 0;
    CU_ASSERT_EQUAL_FATAL(nd_file_window_open(&file, path), ND_OK);
    for (uint64_t i = nd_random_below(random, 3); i > 0; i--) { /* before it is asked for */
        CU_ASSERT_EQUAL(nd_file_window_at(&file, nd_random_below(random, end + 1), 9, &bytes),
                        ND_OK);
    }
    CU_ASSERT_EQUAL(nd_file_window_sum_blocks(&file, begin, end), ND_OK);
    for (uint64_t i = nd_random_below(random, 6); i > 0; i--) {
        CU_ASSERT_EQUAL(nd_file_window_at(&file, nd_random_below(random, file.file_bytes + 1),
                                          nd_random_below(random, 3 << 20), &bytes),
                        ND_OK);
    }
    CU_ASSERT_EQUAL(nd_file_window_block_sum(&file, &sum), ND_OK);
    nd_file_window_close(&file);
    return sum;
}

static void test_block_sums(void) {
    nd_random random = nd_test_random("block sums");
    static const uint64_t sizes[] = {0, 1, ND_SUMMED_BLOCK, ND_SUMMED_BLOCK + 1, 5000001};
    (void)write_content("all");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint64_t bytes = sizes[i];
        const char *path = nd_test_write("summed", (nd_span){content, (size_t)bytes});
        for (int round = 0; round < 20; round++) {
            uint64_t sum = 0;
            for (uint64_t begin = 0, end = 0; begin < bytes; begin = end) { /* any cut of it */
                end = begin + 1 + nd_random_below(&random, bytes - begin);
                const uint64_t part = sum_of_range(path, begin, end, &random);
                CU_ASSERT_EQUAL(part, slow_sum(begin, end, bytes));
                sum += part;
            }
            CU_ASSERT_EQUAL(sum, slow_sum(0, bytes, bytes));
        }
    }
}

static const nd_test tests[] = {
    {"a file that becomes shorter", test_shorter},
    {"identity", test_identity},

    {"views", test_views},
    {"a single byte", test_single_byte},
    {"uncache", test_uncache},
    {"sums of blocks", test_block_sums},
};
ND_SUITE(t_file_window, tests)
