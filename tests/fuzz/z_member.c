/* A file of gzip members or zstd frames, one of which starts at its first byte: decoded at once and
 * in steps of any size it gives the same bytes, ends alike and at the same place. By the first byte
 * the rest of the input is the file, or the content of members that are made of it. */
#include "io/input/stream.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/brief.h"
#include "tests/support/sources.h"

enum {
    MOST_CONTENT = 4 << 20, /* bytes that are asked for: bombs go on for ever */
    MOST_MEMBERS = 64
};

typedef struct decoded {
    nd_buffer content;
    uint64_t next;
    nd_member_state state;
} decoded;

static void decode(nd_codec codec, const char *path, bool whole, size_t room, decoded *out) {
    const nd_record_limits limits = nd_record_limits_of(1 << 20, 0, 0);
    nd_file_window file;
    nd_member_decoder *decoder = NULL;
    out->content.size = 0;
    out->next = 0;
    out->state = ND_MEMBER_DONE;
    ND_FUZZ_CHECK(nd_file_window_open(&file, path) == ND_OK);
    ND_FUZZ_CHECK(nd_member_open(codec, &file, &limits, &decoder) == ND_OK);
    for (int i = 0; i < MOST_MEMBERS && out->state == ND_MEMBER_DONE && out->next < file.file_bytes;
         i++) {
        nd_member_begin(decoder, out->next, whole);
        do {
            const size_t before = out->content.size;
            ND_FUZZ_CHECK(nd_member_more(decoder, room, &out->content, &out->state) == ND_OK);
            ND_FUZZ_CHECK(out->content.size > before || out->state != ND_MEMBER_MORE);
        } while (out->state == ND_MEMBER_MORE && out->content.size < MOST_CONTENT);
        ND_FUZZ_CHECK(nd_member_next(decoder) >= out->next);
        out->next = nd_member_next(decoder);
        ND_FUZZ_CHECK(out->next <= file.file_bytes);
    }
    nd_member_close(&decoder);
    nd_file_window_close(&file);
}

ND_FUZZ_TARGET(z_member) {
    static const nd_test_packing packings[] = {ND_TEST_PLAIN, ND_TEST_GZIP, ND_TEST_GZIP_STORED,
                                               ND_TEST_ZSTD};
    static decoded whole, steps;
    nd_span input = {data, size};
    const unsigned how = nd_fuzz_byte(&input);
    const size_t room = 1 + nd_fuzz_below(&input, how / 4 % 2 == 0 ? 16 : 5000);
    const size_t cut = input.size / 2;
    ND_OWNED(nd_buffer_free) nd_buffer file = {0};
    nd_test_pack(&file, packings[how % 4], nd_span_part(input, 0, how % 4 == 0 ? input.size : cut));
    const bool made = how % 4 != 0;
    if (made) {
        nd_test_pack(&file, packings[how % 4], nd_span_part(input, cut, input.size));
    }
    const nd_codec codec = nd_codec_of(nd_buffer_span(&file));
    const char *path = nd_fuzz_file(0, nd_buffer_span(&file));
    if (codec != ND_CODEC_PLAIN) {
        decode(codec, path, true, 1 << 20, &whole);
        decode(codec, path, false, room, &steps);
        if (whole.content.size < MOST_CONTENT && steps.content.size < MOST_CONTENT) {
            ND_FUZZ_CHECK(whole.state == steps.state);
            ND_FUZZ_CHECK(
                nd_fuzz_same(nd_buffer_span(&whole.content), nd_buffer_span(&steps.content)));
            ND_FUZZ_CHECK(whole.state != ND_MEMBER_DONE || whole.next == steps.next);
        }
        ND_FUZZ_CHECK(!made || (whole.state == ND_MEMBER_DONE && whole.next == file.size &&
                                nd_fuzz_same(nd_buffer_span(&whole.content), input)));
    }
    return 0;
}
