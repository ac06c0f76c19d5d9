/* What a member gives, damaged or not, depends on its own bytes: not on what the decoder has
 * decoded before, nor on how much is asked for at a time. */
#include "io/input/stream.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

#include <inttypes.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum { ROUNDS = 400, GZIP_HEADER = 10, HEADER_CRC = 2 };

typedef struct packing {
    const char *name;
    uint64_t most_words;
    int window_log; /* of zstd; 0: gzip */
    bool sized;     /* the frame says how much it holds; the gzip header has a checksum */
} packing;

static void pack_zstd(nd_buffer *file, const packing *how, nd_span bytes) {
    ZSTD_CCtx *context = ZSTD_createCCtx();
    const size_t room = ZSTD_compressBound(bytes.size);
    nd_test_must(context == NULL ? ND_ERR_MEMORY : ND_OK);
    nd_buffer_reserve(file, room);
    (void)ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, how->window_log);
    (void)ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, how->sized);
    const size_t size =
        ZSTD_compress2(context, file->data + file->size, room, bytes.data, bytes.size);
    nd_test_must(ZSTD_isError(size) ? ND_ERR_INTERNAL : ND_OK);
    file->size += size;
    (void)ZSTD_freeCCtx(context);
}

static void pack_gzip(nd_buffer *file, const packing *how, nd_span bytes) {
    const size_t begin = file->size;
    nd_buffer packed = {0};
    nd_test_pack(&packed, ND_TEST_GZIP, bytes);
    nd_buffer_append(file, packed.data, GZIP_HEADER);
    if (how->sized) {
        file->data[begin + 3] |= HEADER_CRC;
        const uLong sum = crc32(0, file->data + begin, GZIP_HEADER);
        const uint8_t low[] = {(uint8_t)sum, (uint8_t)(sum >> 8)};
        nd_buffer_append(file, low, sizeof low);
    }
    nd_buffer_append(file, packed.data + GZIP_HEADER, packed.size - GZIP_HEADER);
    nd_buffer_free(&packed);
}

static void add_member(nd_buffer *file, nd_random *random, const packing *how) {
    nd_buffer text = {0};
    for (uint64_t words = 1 + nd_random_below(random, how->most_words); words > 0; words--) {
        nd_test_print(&text, "word%" PRIu64 " ", nd_random_below(random, 1000));
    }
    (how->window_log > 0 ? pack_zstd : pack_gzip)(file, how, nd_buffer_span(&text));
    nd_buffer_free(&text);
}

/* \param[in] room  that each step is given */
static nd_member_state decode(nd_member_decoder *decoder, uint64_t offset, bool whole, size_t room,
                              nd_buffer *out) {
    nd_member_state state = ND_MEMBER_MORE;
    out->size = 0;
    nd_member_begin(decoder, offset, whole);
    while (state == ND_MEMBER_MORE) {
        CU_ASSERT_EQUAL_FATAL(nd_member_more(decoder, room, out, &state), ND_OK);
    }
    return state;
}

/* The second member of two is damaged. */
static void check_packing(const packing *how) {
    nd_random random = nd_test_random(how->name);
    const nd_codec codec = how->window_log > 0 ? ND_CODEC_ZSTD : ND_CODEC_GZIP;
    nd_buffer alone = {0};
    nd_buffer after = {0};
    unsigned spoilt = 0;
    for (int round = 0; round < nd_test_rounds(ROUNDS); round++) {
        nd_buffer file = {0};
        nd_file_window window;
        nd_member_decoder *fresh = NULL;
        nd_member_decoder *used = NULL;
        add_member(&file, &random, how);
        const uint64_t second = file.size;
        add_member(&file, &random, how);
        /* the header, which no checksum of the content covers, as often as the rest */
        const uint64_t size = file.size - second;
        const uint64_t at = nd_random_below(&random, round % 2 == 0 ? 12 : size);
        file.data[second + at] ^= (uint8_t)(1 + nd_random_below(&random, 255));
        const char *path = nd_test_write("members", nd_buffer_span(&file));
        CU_ASSERT_EQUAL_FATAL(nd_file_window_open(&window, path), ND_OK);
        CU_ASSERT_EQUAL_FATAL(nd_member_open(codec, &window, NULL, &fresh), ND_OK);
        CU_ASSERT_EQUAL_FATAL(nd_member_open(codec, &window, NULL, &used), ND_OK);
        const size_t room = 1 + (size_t)nd_random_below(&random, 5000);
        CU_ASSERT_EQUAL(decode(used, 0, false, room, &after), ND_MEMBER_DONE);
        CU_ASSERT_EQUAL(nd_member_next(used), second);
        const nd_member_state state = decode(fresh, second, true, 256 << 10, &alone);
        CU_ASSERT_EQUAL(decode(used, second, false, room, &after), state);
        CU_ASSERT_EQUAL(alone.size, after.size);
        CU_ASSERT(alone.size == 0 || memcmp(alone.data, after.data, alone.size) == 0);
        CU_ASSERT(state != ND_MEMBER_DONE || nd_member_next(fresh) == nd_member_next(used));
        spoilt += state == ND_MEMBER_DAMAGED;
        nd_member_close(&fresh);
        nd_member_close(&used);
        nd_file_window_close(&window);
        nd_buffer_free(&file);
    }
    CU_ASSERT_TRUE(spoilt > 0);
    nd_buffer_free(&alone);
    nd_buffer_free(&after);
}

static void test_gzip(void) {
    check_packing(&(packing){"gzip", 500, 0, false});
    check_packing(&(packing){"gzip with a checksum of the header", 500, 0, true});
}

static void test_zstd(void) {
    check_packing(&(packing){"zstd", 500, 20, true});
    check_packing(&(packing){"zstd of a small window", 20000, 10, true});
    check_packing(&(packing){"zstd of a small window and unknown size", 20000, 10, false});
}

/* A codec is known by its magic, whole. */
static void test_magic(void) {
    static const uint8_t gzip[] = {0x1f, 0x8b, 8};
    static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd};
    static const uint8_t skippable[] = {0x5f, 0x2a, 0x4d, 0x18};
    static const uint8_t neither[] = {0x60, 0x2a, 0x4d, 0x18};
    CU_ASSERT_EQUAL(nd_codec_of((nd_span){gzip, 3}), ND_CODEC_GZIP);
    CU_ASSERT_EQUAL(nd_codec_of((nd_span){gzip, 2}), ND_CODEC_PLAIN);
    CU_ASSERT_EQUAL(nd_codec_of((nd_span){frame, 4}), ND_CODEC_ZSTD);
    CU_ASSERT_EQUAL(nd_codec_of((nd_span){frame, 3}), ND_CODEC_PLAIN);
    CU_ASSERT_EQUAL(nd_codec_of((nd_span){skippable, 4}), ND_CODEC_ZSTD);
    CU_ASSERT_EQUAL(nd_codec_of((nd_span){neither, 4}), ND_CODEC_PLAIN);
    for (size_t i = 0; i < sizeof gzip; i++) {
        uint8_t other[] = {0x1f, 0x8b, 8};
        other[i] ^= 1;
        CU_ASSERT_EQUAL(nd_codec_of((nd_span){other, 3}), ND_CODEC_PLAIN);
    }
}

static const nd_test tests[] = {
    {"magic", test_magic},
    {"gzip", test_gzip},
    {"zstd", test_zstd},
};
ND_SUITE(p_member_damage, tests)
