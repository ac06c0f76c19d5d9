/* A page's bytes under a label (up to the first line end of the input): what comes out is UTF-8,
 * the same with a fresh converter as with a used one, and itself once more when it is read as
 * UTF-8, unless it begins like another charset. */
#include "io/input/charset.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/brief.h"

enum {
    MOST = 1 << 20,     /* bytes of UTF-8 */
    MEMORY_FACTOR = 32, /* of the page's bytes */
    MEMORY_BASE = 4 << 20
};

static void check_repair(nd_span bytes) {
    ND_OWNED(nd_buffer_free) nd_buffer repaired = {0};
    uint64_t replaced = 0, none = 0;
    const size_t valid = nd_utf8_valid_bytes(bytes);
    nd_utf8_repair(bytes, &repaired, &replaced);
    const nd_span good = nd_buffer_span(&repaired);
    ND_FUZZ_CHECK(nd_utf8_valid_bytes(good) == good.size &&
                  (replaced == 0) == (valid == bytes.size));
    ND_FUZZ_CHECK(good.size >= valid &&
                  nd_fuzz_same(nd_span_part(bytes, 0, valid), nd_span_part(good, 0, valid)));
    ND_OWNED(nd_buffer_free) nd_buffer again = {0};
    nd_utf8_repair(good, &again, &none);
    ND_FUZZ_CHECK(none == 0);
    ND_FUZZ_CHECK(nd_fuzz_same(nd_buffer_span(&again), good));
}

ND_FUZZ_TARGET(z_charset) {
    static const uint8_t utf8[] = "utf-8";
    static nd_charset *used;
    nd_span bytes = {data, size};
    const bool markup = nd_fuzz_byte(&bytes) % 2 == 0;
    const uint8_t *line = bytes.size > 0 ? memchr(bytes.data, '\n', bytes.size) : NULL;
    const size_t label_size = line != NULL ? (size_t)(line - bytes.data) : 0;
    const nd_span label = nd_span_part(bytes, 0, label_size);
    ND_OWNED(nd_charset_close) nd_charset *fresh = NULL;
    nd_charset_name name, name_again;
    nd_span text, again;
    ND_OWNED(nd_buffer_free) nd_buffer copy = {0};
    bytes = nd_span_part(bytes, line != NULL ? label_size + 1 : 0, bytes.size);
    ND_FUZZ_CHECK(used != NULL || nd_charset_open(MOST, &used) == ND_OK);
    nd_fuzz_memory_start();
    ND_FUZZ_CHECK(nd_charset_open(MOST, &fresh) == ND_OK);
    ND_FUZZ_CHECK(nd_charset_to_utf8(fresh, bytes, label, markup, &text, &name) == ND_OK);
    ND_FUZZ_CHECK(nd_fuzz_memory_peak() <= MEMORY_BASE + MEMORY_FACTOR * bytes.size);
    ND_FUZZ_CHECK(nd_utf8_valid_bytes(text) == text.size);
    nd_buffer_append(&copy, text.data, text.size);
    ND_FUZZ_CHECK(nd_charset_to_utf8(used, bytes, label, markup, &again, &name_again) == ND_OK);
    ND_FUZZ_CHECK(nd_fuzz_same(text, again) && strcmp(name.text, name_again.text) == 0);
    size_t mark = 0;
    if (nd_charset_of_mark(nd_buffer_span(&copy), &mark).text[0] == 0) {
        ND_FUZZ_CHECK(nd_charset_to_utf8(used, nd_buffer_span(&copy), (nd_span){utf8, 5}, false,
                                         &again, &name_again) == ND_OK);
        ND_FUZZ_CHECK(nd_fuzz_same(nd_buffer_span(&copy), again));
    }
    check_repair(bytes);
    return 0;
}
