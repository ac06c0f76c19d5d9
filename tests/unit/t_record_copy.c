/* Parts of sources in new files: as they lie there, or packed again where only that gives them; our
 * own records between them; long ones in steps; and sources that have become shorter. */
#include "io/input/reader.h"
#include "io/input/records.h"
#include "io/store/own_file.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LONG = 20 << 20 };

static char copy_path[512];

static nd_record_copy *begin(const char *source, bool packed, nd_codec codec) {
    nd_record_copy *copy = NULL;
    (void)snprintf(copy_path, sizeof copy_path, "%s/copy", nd_test_folder());
    (void)unlink(copy_path);
    CU_ASSERT_EQUAL_FATAL(nd_record_copy_open(source, packed, codec, NULL, copy_path, &copy),
                          ND_OK);
    CU_ASSERT_NOT_EQUAL(access(copy_path, F_OK), 0); /* not before it is complete */
    return copy;
}

/* Complete the file, and give it its name. */
static nd_status finish(nd_record_copy **copy, nd_status st) {
    nd_own_batch batch = {0};
    st = nd_record_copy_close(copy, st, &batch, NULL);
    CU_ASSERT_NOT_EQUAL(access(copy_path, F_OK), 0);
    return st != ND_OK ? st : nd_own_batch_publish(&batch);
}

/* Text of a length that is of no step, which does not pack well. */
static nd_buffer long_text(void) {
    nd_buffer text = {0};
    nd_buffer_reserve(&text, LONG);
    for (size_t i = 0; i < LONG; i += 8) {
        const uint64_t word = nd_mix64(i) & UINT64_C(0x0f0f0f0f0f0f0f0f);
        memcpy(text.data + i, &word, 8);
    }
    text.size = LONG - 3;
    return text;
}

static bool is_copy(nd_span expected) {
    nd_buffer file = nd_test_read(copy_path);
    const bool is = file.size == expected.size && memcmp(file.data, expected.data, file.size) == 0;
    nd_buffer_free(&file);
    return is;
}

/* What the file unpacks to, whatever its members are. */
static bool unpacks_to(nd_span expected) {
    nd_buffer found = {0};
    nd_member_state state = ND_MEMBER_DONE;
    nd_file_window file;
    nd_member_decoder *decoder = NULL;
    CU_ASSERT_EQUAL_FATAL(nd_file_window_open(&file, copy_path), ND_OK);
    nd_span bytes;
    CU_ASSERT_EQUAL_FATAL(nd_file_window_at(&file, 0, 4, &bytes), ND_OK);
    CU_ASSERT_EQUAL_FATAL(nd_member_open(nd_codec_of(bytes), &file, NULL, &decoder), ND_OK);
    uint64_t next = 0;
    while (next < file.file_bytes && state != ND_MEMBER_DAMAGED) {
        nd_member_begin(decoder, next, true);
        do {
            CU_ASSERT_EQUAL_FATAL(nd_member_more(decoder, 1 << 20, &found, &state), ND_OK);
        } while (state == ND_MEMBER_MORE);
        next = nd_member_next(decoder);
    }
    nd_member_close(&decoder);
    nd_file_window_close(&file);
    const bool is = state == ND_MEMBER_DONE && found.size == expected.size &&
                    (found.size == 0 || memcmp(found.data, expected.data, found.size) == 0);
    nd_buffer_free(&found);
    return is;
}

static void test_as_they_lie(void) {
    nd_buffer text = long_text(), expected = {0};
    const char *source = nd_test_write("source", nd_buffer_span(&text));
    nd_record_copy *copy = begin(source, false, ND_CODEC_PLAIN);
    CU_ASSERT_EQUAL(nd_record_copy_range(copy, 5, 10), ND_OK);
    CU_ASSERT_EQUAL(nd_record_copy_add(copy, nd_test_span("own")), ND_OK);
    CU_ASSERT_EQUAL(nd_record_copy_range(copy, 100, text.size), ND_OK);
    CU_ASSERT_EQUAL(nd_record_copy_bytes(copy), 5 + 3 + text.size - 100);
    CU_ASSERT_EQUAL(finish(&copy, ND_OK), ND_OK);
    nd_buffer_append(&expected, text.data + 5, 5);
    nd_buffer_append_text(&expected, "own");
    nd_buffer_append(&expected, text.data + 100, text.size - 100);
    CU_ASSERT_TRUE(is_copy(nd_buffer_span(&expected)));
    nd_buffer_free(&text);
    nd_buffer_free(&expected);
}

/* Our own records among those of a compressed source are members of their own. */
static void test_added(void) {
    for (int codec = ND_CODEC_GZIP; codec <= ND_CODEC_ZSTD; codec++) {
        const nd_test_packing packing = codec == ND_CODEC_GZIP ? ND_TEST_GZIP : ND_TEST_ZSTD;
        nd_buffer file = {0}, text = long_text(), expected = {0};
        nd_test_pack(&file, packing, nd_test_span("one "));
        const size_t second = file.size;
        nd_test_pack(&file, packing, nd_test_span("two "));
        const char *source = nd_test_write("source", nd_buffer_span(&file));
        nd_record_copy *copy = begin(source, false, (nd_codec)codec);
        CU_ASSERT_EQUAL(nd_record_copy_add(copy, nd_test_span("own ")), ND_OK);
        CU_ASSERT_EQUAL(nd_record_copy_range(copy, second, file.size), ND_OK);
        CU_ASSERT_EQUAL(nd_record_copy_add(copy, nd_buffer_span(&text)), ND_OK);
        CU_ASSERT_EQUAL(nd_record_copy_add(copy, nd_test_span("own ")), ND_OK);
        CU_ASSERT_EQUAL(finish(&copy, ND_OK), ND_OK);
        nd_buffer_append_text(&expected, "own two ");
        nd_buffer_append(&expected, text.data, text.size);
        nd_buffer_append_text(&expected, "own ");
        CU_ASSERT_TRUE(unpacks_to(nd_buffer_span(&expected)));
        nd_buffer_free(&file);
        nd_buffer_free(&text);
        nd_buffer_free(&expected);
    }
}

/* Of a source that is packed at one go places are unpacked bytes, and what is left is packed. */
static void test_packed_again(void) {
    for (int codec = ND_CODEC_GZIP; codec <= ND_CODEC_ZSTD; codec++) {
        nd_buffer file = {0}, text = long_text(), expected = {0};
        nd_test_pack(&file, codec == ND_CODEC_GZIP ? ND_TEST_GZIP : ND_TEST_ZSTD,
                     nd_buffer_span(&text));
        const char *source = nd_test_write("source", nd_buffer_span(&file));
        nd_record_copy *copy = begin(source, true, (nd_codec)codec);
        CU_ASSERT_EQUAL(nd_record_copy_range(copy, 7, 11), ND_OK);
        CU_ASSERT_EQUAL(nd_record_copy_add(copy, nd_test_span("own")), ND_OK);
        CU_ASSERT_EQUAL(nd_record_copy_range(copy, 1 << 20, text.size), ND_OK);
        CU_ASSERT_EQUAL(finish(&copy, ND_OK), ND_OK);
        nd_buffer_append(&expected, text.data + 7, 4);
        nd_buffer_append_text(&expected, "own");
        nd_buffer_append(&expected, text.data + (1 << 20), text.size - (1 << 20));
        CU_ASSERT_TRUE(unpacks_to(nd_buffer_span(&expected)));
        nd_buffer_free(&text);
        nd_buffer_free(&expected);
        copy = begin(source, true, (nd_codec)codec);
        CU_ASSERT_EQUAL(nd_record_copy_range(copy, 0, LONG), ND_ERR_CHANGED);
        CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "has become shorter while it was copied"));
        CU_ASSERT_EQUAL(finish(&copy, ND_ERR_CHANGED), ND_ERR_CHANGED);
        CU_ASSERT_NOT_EQUAL(access(copy_path, F_OK), 0);
        nd_buffer_free(&file);
    }
}

static void test_shorter(void) {
    const char *source = nd_test_write("source", nd_test_span("0123456789"));
    nd_record_copy *copy = begin(source, false, ND_CODEC_PLAIN);
    char partial[600];
    (void)snprintf(partial, sizeof partial, "%s%s", copy_path, ND_PARTIAL_SUFFIX);
    CU_ASSERT_EQUAL(access(partial, F_OK), 0);
    CU_ASSERT_EQUAL(nd_record_copy_range(copy, 0, 11), ND_ERR_CHANGED);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), source));
    CU_ASSERT_EQUAL(finish(&copy, ND_ERR_CHANGED), ND_ERR_CHANGED);
    CU_ASSERT_NOT_EQUAL(access(copy_path, F_OK), 0);
    CU_ASSERT_NOT_EQUAL(access(partial, F_OK), 0);
    CU_ASSERT_PTR_NULL(copy);
    CU_ASSERT_EQUAL(finish(&copy, ND_ERR_CHANGED), ND_ERR_CHANGED);
    CU_ASSERT_EQUAL(
        nd_record_copy_open("/no/such/source", false, ND_CODEC_PLAIN, NULL, copy_path, &copy),
        ND_ERR_INPUT);
    CU_ASSERT_PTR_NULL(copy);
}

/* Nothing is left: of a compressed source there is a member of nothing, of another no file. */
static void test_nothing(void) {
    for (int codec = ND_CODEC_PLAIN; codec <= ND_CODEC_ZSTD; codec++) {
        for (int packed = 0; packed <= (codec != ND_CODEC_PLAIN); packed++) {
            nd_buffer file = {0};
            nd_own_batch batch = {0};
            bool made = false;
            if (codec == ND_CODEC_PLAIN) {
                nd_test_print(&file, "one ");
            } else {
                nd_test_pack(&file, codec == ND_CODEC_GZIP ? ND_TEST_GZIP : ND_TEST_ZSTD,
                             nd_test_span("one "));
            }
            const char *source = nd_test_write("source", nd_buffer_span(&file));
            nd_record_copy *copy = begin(source, packed != 0, (nd_codec)codec);
            CU_ASSERT_EQUAL(nd_record_copy_close(&copy, ND_OK, &batch, &made), ND_OK);
            CU_ASSERT_EQUAL(made, codec != ND_CODEC_PLAIN);
            CU_ASSERT_EQUAL(batch.count, made);
            CU_ASSERT_EQUAL(nd_own_batch_publish(&batch), ND_OK);
            CU_ASSERT_EQUAL(access(copy_path, F_OK) == 0, made);
            CU_ASSERT(!made || unpacks_to((nd_span){0}));
            nd_buffer_free(&file);
        }
    }
}

static const nd_test tests[] = {{"as they lie", test_as_they_lie},
                                {"added", test_added},
                                {"packed again", test_packed_again},
                                {"nothing is left", test_nothing},
                                {"shorter", test_shorter}};
ND_SUITE(t_record_copy, tests)
