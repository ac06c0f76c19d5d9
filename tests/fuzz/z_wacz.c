/* The directory of a WACZ. By the first byte the input is a file, or an archive is made by it, of
 * WARCs and other parts, and some of its bytes are then others: the ranges that are read lie in the
 * file and overlap nowhere, no two parts have one name, read again they are the same; those of an
 * archive that was left as it was are where they were put. */
#include "io/store/foreign_file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/brief.h"
#include "tests/support/sources.h"

#include <fcntl.h>
#include <unistd.h>

enum { MOST_PARTS = 6, MOST_EDITS = 5 };

typedef struct made_part {
    char name[32];
    uint64_t header, begin, bytes;
    bool warc;
} made_part;

static void put(nd_buffer *to, uint64_t number, size_t size) {
    for (size_t i = 0; i < size; i++) {
        const uint8_t byte = (uint8_t)(i < 8 ? number >> 8 * i : 0);
        nd_buffer_append(to, &byte, 1);
    }
}

static void put_parts(nd_span *from, made_part *parts, size_t count, nd_buffer *out) {
    for (size_t i = 0; i < count; i++) {
        static const char *const forms[] = {"archive/%zu.warc.gz", "archive/%zu.warc",
                                            "archive/%zu.txt", "indexes/%zu.warc"};
        made_part *part = &parts[i];
        const unsigned form = nd_fuzz_byte(from) % 4;
        const size_t more = nd_fuzz_byte(from) % 5; /* of an extra field */
        nd_buffer name = {0};
        nd_test_print(&name, forms[form], count - i);
        nd_buffer_append(&name, "", 1);
        (void)strcpy(part->name, (const char *)name.data);
        nd_buffer_free(&name);
        part->warc = form < 2;
        part->header = out->size;
        part->bytes = nd_fuzz_byte(from);
        nd_test_print(out, "PK\3\4");
        put(out, 0, 14);
        put(out, part->bytes, 4);
        put(out, part->bytes, 4);
        put(out, strlen(part->name), 2);
        put(out, more, 2);
        nd_test_print(out, "%s", part->name);
        put(out, 0, more);
        part->begin = out->size;
        put(out, 0, part->bytes);
    }
}

static void put_directory(const made_part *parts, size_t count, bool wide, nd_buffer *out) {
    const uint64_t begin = out->size;
    for (size_t i = 0; i < count; i++) {
        nd_test_print(out, "PK\1\2");
        put(out, 0, 16);
        put(out, wide ? UINT32_MAX : parts[i].bytes, 4);
        put(out, wide ? UINT32_MAX : parts[i].bytes, 4);
        put(out, strlen(parts[i].name), 2);
        put(out, wide ? 28 : 0, 2);
        put(out, 0, 10);
        put(out, wide ? UINT32_MAX : parts[i].header, 4);
        nd_test_print(out, "%s", parts[i].name);
        if (wide) {
            put(out, 1 | 24 << 16, 4);
            put(out, parts[i].bytes, 8);
            put(out, parts[i].bytes, 8);
            put(out, parts[i].header, 8);
        }
    }
    const uint64_t size = out->size - begin;
    if (wide) {
        nd_test_print(out, "PK\6\6");
        put(out, 44, 8);
        put(out, 0, 20);
        put(out, count, 8);
        put(out, size, 8);
        put(out, begin, 8);
        nd_test_print(out, "PK\6\7");
        put(out, 0, 16);
    }
    nd_test_print(out, "PK\5\6");
    put(out, 0, 4);
    put(out, wide ? UINT32_MAX : count | count << 16, 4);
    put(out, wide ? UINT32_MAX : size, 4);
    put(out, wide ? UINT32_MAX : begin, 4);
    put(out, 0, 2);
}

static nd_status read_parts(const char *path, uint64_t size, nd_wacz *wacz) {
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    ND_FUZZ_CHECK(descriptor >= 0);
    const nd_status st = nd_wacz_read(path, descriptor, size, wacz);
    (void)close(descriptor);
    ND_FUZZ_CHECK(st == ND_OK || st == ND_ERR_INPUT);
    for (size_t i = 0; st == ND_OK && i < wacz->count; i++) {
        const nd_wacz_part *part = &wacz->parts[i];
        ND_FUZZ_CHECK(strncmp(part->name, "archive/", 8) == 0);
        ND_FUZZ_CHECK(i == 0 || strcmp(wacz->parts[i - 1].name, part->name) < 0);
        ND_FUZZ_CHECK(part->packed || (part->begin <= size && part->bytes <= size - part->begin));
        for (size_t k = 0; k < i; k++) {
            const nd_wacz_part *other = &wacz->parts[k];
            ND_FUZZ_CHECK(part->packed || other->packed ||
                          other->begin + other->bytes <= part->begin ||
                          part->begin + part->bytes <= other->begin);
        }
    }
    return st;
}

static void check_made(const made_part *parts, size_t count, const nd_wacz *wacz) {
    size_t warcs = 0;
    for (size_t i = 0; i < count; i++) {
        warcs += parts[i].warc;
        for (size_t k = 0; k < wacz->count; k++) {
            ND_FUZZ_CHECK(strcmp(parts[i].name, wacz->parts[k].name) != 0 ||
                          (parts[i].warc && parts[i].begin == wacz->parts[k].begin &&
                           parts[i].bytes == wacz->parts[k].bytes));
        }
    }
    ND_FUZZ_CHECK(warcs == wacz->count);
}

ND_FUZZ_TARGET(z_wacz) {
    nd_span from = {data, size};
    made_part parts[MOST_PARTS];
    ND_OWNED(nd_buffer_free) nd_buffer file = {0};
    ND_OWNED(nd_wacz_free) nd_wacz wacz = {0}, again = {0};
    const unsigned how = nd_fuzz_byte(&from);
    const size_t count = 1 + how / 4 % MOST_PARTS;
    const bool made = how % 4 != 0;
    bool other = false;
    bool warcs = false;
    if (made) {
        put_parts(&from, parts, count, &file);
        put_directory(parts, count, how % 4 == 2, &file);
        for (size_t i = 0; i < count; i++) {
            warcs = warcs || parts[i].warc;
        }
        for (int i = 0; i < MOST_EDITS && from.size > 0;
             i++) { /* from the end, where the numbers are */
            uint8_t *byte = file.data + file.size - 1 - nd_fuzz_below(&from, file.size);
            const uint8_t value = nd_fuzz_byte(&from);
            other = other || *byte != value;
            *byte = value;
        }
    } else {
        nd_buffer_append(&file, from.data, from.size);
    }
    const char *path = nd_fuzz_file(0, nd_buffer_span(&file));
    const nd_status st = read_parts(path, file.size, &wacz);
    ND_FUZZ_CHECK(read_parts(path, file.size, &again) == st && again.count == wacz.count);
    if (made && !other) {
        ND_FUZZ_CHECK((st == ND_OK) == warcs);
        check_made(parts, st == ND_OK ? count : 0, &wacz);
    }
    return 0;
}
