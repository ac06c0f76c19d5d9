#define _GNU_SOURCE /* memmem */
#include "tests/fuzz/archive.h"

#include "tests/fuzz/fuzz.h"
#include "tests/support/brief.h"
#include "tests/support/pages.h"
#include "tests/support/sources.h"

enum {
    MOST_PAGE = 1 << 20,    /* bytes, so that little input cannot ask for much memory */
    MEMORY = 64 << 20,      /* of the rank, by which a zstd frame's window is at most 8 MiB */
    MEMORY_BASE = 48 << 20, /* bytes: the windows of files and decoders, of a reader and a walk */
    MEMORY_FACTOR = 64      /* of the input's bytes */
};

/* Members are cut at the borders of records. */
static void pack(nd_buffer *file, nd_span rest, const char *border, size_t before, unsigned how) {
    static const nd_test_packing packings[] = {ND_TEST_PLAIN, ND_TEST_GZIP, ND_TEST_GZIP_STORED,
                                               ND_TEST_ZSTD};
    const nd_test_packing packing = packings[how % 4];
    while (rest.size > 0) {
        const uint8_t *next = packing == ND_TEST_PLAIN || how / 4 % 2 == 1
                                  ? NULL
                                  : memmem(rest.data, rest.size, border, strlen(border));
        const size_t size = next != NULL ? (size_t)(next - rest.data) + before : rest.size;
        nd_test_pack(file, packing, nd_span_part(rest, 0, size));
        rest = nd_span_part(rest, size, rest.size);
    }
}

static void must_hold(const char *broken) {
    if (broken != NULL) {
        nd_fuzz_broken("a source", 0, broken);
    }
}

/* Each page, and how the reading ends; a walk meets them, where that is asked. */
static void check_whole(const char *path, uint64_t bytes, const nd_reader_options *options,
                        bool walks) {
    nd_reader *reader = NULL;
    nd_record record;
    ND_OWNED(nd_met_pages_free) nd_met_pages met = {0};
    nd_status st = nd_reader_open(path, "file://x/y", 0, bytes, options, &reader);
    ND_FUZZ_CHECK(st == ND_OK || st == ND_ERR_INPUT);
    while (st == ND_OK && (st = nd_reader_next(reader, &record)) == ND_OK) {
        nd_met_pages_add(&met, &record);
    }
    ND_FUZZ_CHECK(reader == NULL || st == ND_END);
    if (reader != NULL && walks) {
        must_hold(nd_met_pages_walk(&met, path, options));
    }
    nd_reader_close(&reader);
}

void nd_fuzz_archive(nd_span input, const char *border, size_t before) {
    const nd_reader_options options = {.max_page_bytes = MOST_PAGE, .memory = MEMORY};
    const unsigned how = nd_fuzz_byte(&input);
    size_t cut_bytes[2] = {nd_fuzz_byte(&input), nd_fuzz_byte(&input)};
    ND_OWNED(nd_buffer_free) nd_buffer file = {0}, whole = {0}, parts = {0};
    nd_source_shape shape = {0};
    uint64_t first = 0, next = 0;
    unsigned again = 0;
    pack(&file, input, border, before, how);
    const char *path = nd_fuzz_file(0, nd_buffer_span(&file));
    nd_fuzz_memory_start();
    const nd_status looked = nd_source_look(path, &options, &shape);
    ND_FUZZ_CHECK(looked == ND_OK || looked == ND_ERR_INPUT);
    ND_FUZZ_CHECK(looked != ND_OK || shape.bytes == file.size);
    check_whole(path, file.size, &options, how % 4 == 0 || how / 4 % 2 == 1);
    ND_FUZZ_CHECK(nd_fuzz_memory_peak() <= MEMORY_BASE + MEMORY_FACTOR * file.size);
    if (looked == ND_OK && shape.splittable) {
        const uint64_t at[2] = {file.size * cut_bytes[0] / 256, file.size * cut_bytes[1] / 256};
        const uint64_t cuts[] = {0, at[0] < at[1] ? at[0] : at[1], at[0] < at[1] ? at[1] : at[0],
                                 file.size};
        must_hold(nd_test_read_range(path, 0, file.size, &options, ND_TEST_READ_DAMAGE, &whole,
                                     &first, &next));
        must_hold(nd_test_read_units(path, cuts, sizeof cuts / sizeof cuts[0], &options, true,
                                     &parts, &again));
        ND_FUZZ_CHECK(nd_fuzz_same(nd_buffer_span(&whole), nd_buffer_span(&parts)));
    }
}
