/* The directory of a WACZ: whatever byte of it is wrong, and wherever the file is cut, ranges lie
 * in the file and overlap nowhere, and names are names. What is read of it, tests/long/wacz.sh
 * tests. */
#include "io/store/foreign_file.h"
#include "src/base/buffer.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Two WARCs of 40 and 60 bytes, stored; the numbers of 64 bits where `wide`. */
static void make_archive(bool wide, nd_buffer *out) {
    static const char *const names[] = {"archive/a.warc.gz", "archive/b.warc.gz"};
    static const uint8_t bytes[60] = {0};
    const nd_span parts[] = {{bytes, 40}, {bytes, 60}};
    out->size = 0;
    nd_test_wacz(out, names, parts, 2, wide);
}

/* Read these bytes; what is given keeps the promise. */
static nd_status read_bytes(const nd_buffer *bytes, size_t size, nd_wacz *wacz) {
    const char *path = nd_test_write("a.wacz", (nd_span){bytes->data, size});
    const int descriptor = open(path, O_RDONLY);
    CU_ASSERT_FATAL(descriptor >= 0);
    const nd_status st = nd_wacz_read(path, descriptor, size, wacz);
    (void)close(descriptor);
    CU_ASSERT(st == ND_OK || st == ND_ERR_INPUT);
    for (size_t i = 0; st == ND_OK && i < wacz->count; i++) {
        const nd_wacz_part *part = &wacz->parts[i];
        CU_ASSERT(strncmp(part->name, "archive/", 8) == 0);
        CU_ASSERT(part->packed || (part->begin <= size && part->bytes <= size - part->begin));
        for (size_t other = 0; other < i; other++) {
            const nd_wacz_part *x = &wacz->parts[other];
            CU_ASSERT(strcmp(x->name, part->name) != 0);
            CU_ASSERT(part->packed || x->packed || x->begin + x->bytes <= part->begin ||
                      part->begin + part->bytes <= x->begin);
        }
    }
    return st;
}

static void test_damage(void) {
    nd_buffer bytes = {0};
    for (int wide = 0; wide < 2; wide++) {
        nd_wacz wacz;
        make_archive(wide == 1, &bytes);
        CU_ASSERT_EQUAL_FATAL(read_bytes(&bytes, bytes.size, &wacz), ND_OK);
        CU_ASSERT_EQUAL_FATAL(wacz.count, 2);
        CU_ASSERT_STRING_EQUAL(wacz.parts[1].name, "archive/b.warc.gz");
        CU_ASSERT_EQUAL(wacz.parts[0].begin, 30 + 17);
        CU_ASSERT_EQUAL(wacz.parts[0].bytes, 40);
        CU_ASSERT_EQUAL(wacz.parts[1].begin, 30 + 17 + 40 + 30 + 17);
        CU_ASSERT_EQUAL(wacz.parts[1].bytes, 60);
        nd_wacz_free(&wacz);
        for (size_t size = 0; size < bytes.size; size++) {
            CU_ASSERT_EQUAL(read_bytes(&bytes, size, &wacz), ND_ERR_INPUT);
            nd_wacz_free(&wacz);
        }
        for (size_t i = 0; i < bytes.size; i++) {
            const uint8_t was = bytes.data[i];
            static const uint8_t changes[] = {0xFF, 0x01, 0x80};
            for (size_t c = 0; c < sizeof changes; c++) {
                bytes.data[i] = was ^ changes[c];
                (void)read_bytes(&bytes, bytes.size, &wacz);
                nd_wacz_free(&wacz);
            }
            bytes.data[i] = was;
        }
    }
    nd_buffer_free(&bytes);
}

/* A part whose header would reach into the directory. */
static void test_last_place(void) {
    nd_buffer bytes = {0};
    nd_wacz wacz;
    make_archive(false, &bytes);
    const size_t directory = 2 * (30 + 17) + 40 + 60;
    CU_ASSERT_EQUAL_FATAL(bytes.data[directory + 42], 0); /* where the first part begins */
    bytes.data[directory + 42] = (uint8_t)(directory - 46);
    CU_ASSERT_EQUAL(read_bytes(&bytes, bytes.size, &wacz), ND_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "a part ends after the file's last"));
    nd_buffer_free(&bytes);
}

static void test_names(void) {
    CU_ASSERT_TRUE(nd_wacz_is("crawl/a.wacz") && nd_wacz_is("A.WACZ"));
    CU_ASSERT_FALSE(nd_wacz_is(".wacz") || nd_wacz_is("a.warc.gz") || nd_wacz_is("a.wacz.gz"));
    CU_ASSERT_EQUAL(nd_wacz_file("x#y/a.wacz#archive/b#c.wacz#d.warc"), 10);
    CU_ASSERT_EQUAL(nd_wacz_file("a.WACZ#"), 6);
    CU_ASSERT_EQUAL(nd_wacz_file("a.wacz"), 0);
    CU_ASSERT_EQUAL(nd_wacz_file(".wacz#archive/x"), 0);
    CU_ASSERT_EQUAL(nd_wacz_file("a#b"), 0);
}

/* \param[in] says  why it is refused; NULL: it is read, with `left` parts */
static void check_named(const char *const *names, size_t count, bool cut, const char *says,
                        size_t left) {
    nd_buffer bytes = {0};
    nd_wacz wacz;
    nd_span parts[4];
    for (size_t i = 0; i < count; i++) {
        parts[i] = nd_test_span("one");
    }
    nd_test_wacz(&bytes, names, parts, count, false);
    if (cut) { /* the second row names the first one's bytes too */
        uint8_t *row = bytes.data;
        while (memcmp(row, "PK\1\2", 4) != 0) {
            row++;
        }
        uint8_t *second = row + 46 + strlen(names[0]);
        memcpy(second + 42, row + 42, 4);
    }
    const nd_status st = read_bytes(&bytes, bytes.size, &wacz);
    CU_ASSERT_EQUAL(st, says == NULL ? ND_OK : ND_ERR_INPUT);
    if (says != NULL && strstr(nd_fail_text(), says) == NULL) {
        printf("it says: %s\n", nd_fail_text());
        CU_FAIL("text");
    }
    CU_ASSERT(says != NULL || wacz.count == left);
    nd_wacz_free(&wacz);
    nd_buffer_free(&bytes);
}

static void test_names_of_parts(void) {
    static char endless[6000];
    memset(endless, 'a', sizeof endless - 1);
    memcpy(endless, "archive/", 8);
    memcpy(endless + sizeof endless - 6, ".warc", 5);
    const char *const twice[] = {"archive/a.warc", "archive/a.warc"};
    const char *const same_size[] = {"archive/a.warc", "archive/b.warc"};
    const char *const others[] = {"archive/a.warc", "pages/a.warc", "archive/a.cdx", "archive/"};
    const char *const none[] = {"pages/a.warc", "archive/a.cdx", "archive/"};
    const char *const too_long[] = {endless};
    check_named(others, 4, false, NULL, 1);
    check_named(same_size, 2, false, NULL, 2);
    check_named(twice, 2, false, "two parts of it have one name", 0);
    check_named(same_size, 2, true, "a WACZ that cannot be used", 0);
    check_named(none, 3, false, "it has no archive/*.warc.gz", 0);
    check_named(too_long, 1, false, "the name of a part is too long", 0);
}

static const nd_test tests[] = {
    {"names of parts", test_names_of_parts},

    {"damage", test_damage},
    {"last place", test_last_place},
    {"names", test_names},
};
ND_SUITE(t_wacz, tests)
