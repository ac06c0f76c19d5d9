/* What strangers wrote, made printable: a message twice is the same message, a field can be undone,
 * an HTML text has no markup, and what has too little room is the beginning of the whole. */
#include "src/base/printable.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/brief.h"

static nd_buffer put(nd_printable kind, nd_span text) {
    nd_buffer out = {0};
    nd_buffer_reserve(&out, ND_PRINTABLE_GROWTH * text.size + 1);
    out.size = nd_printable_put(kind, text, (char *)out.data, ND_PRINTABLE_GROWTH * text.size + 1);
    ND_FUZZ_CHECK(out.size <= ND_PRINTABLE_GROWTH * text.size && out.data[out.size] == '\0');
    for (size_t i = 0; i < out.size; i++) {
        ND_FUZZ_CHECK(out.data[i] != 0x7f && (out.data[i] >= ' ' || kind == ND_PRINTABLE_JSON));
    }
    return out;
}

/* Undo the escapes of a field. */
static void undo(nd_span field, nd_buffer *out) {
    static const char letters[] = "tnr\\", bytes[] = "\t\n\r\\";
    for (size_t i = 0; i < field.size; i++) {
        uint8_t made[ND_UTF8_MAX] = {field.data[i]};
        size_t size = 1;
        if (field.data[i] == '\\') {
            const char kind = (char)field.data[++i];
            const char *letter = strchr(letters, kind);
            const size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
            char number[9] = "";
            ND_FUZZ_CHECK(letter != NULL || digits > 0);
            (void)memcpy(number, field.data + i + 1, digits);
            made[0] = letter != NULL ? (uint8_t)bytes[letter - letters]
                                     : (uint8_t)strtoul(number, NULL, 16);
            if (digits > 2) {
                size = nd_utf8_write(made, (uint32_t)strtoul(number, NULL, 16));
            }
            i += digits;
        }
        nd_buffer_append(out, made, size);
    }
}

ND_FUZZ_TARGET(z_printable) {
    const nd_span text = {data, size};
    nd_buffer outs[] = {put(ND_PRINTABLE_MESSAGE, text), put(ND_PRINTABLE_FIELD, text),
                        put(ND_PRINTABLE_JSON, text), put(ND_PRINTABLE_HTML, text)};
    ND_OWNED(nd_buffer_free) nd_buffer again = put(ND_PRINTABLE_MESSAGE, nd_buffer_span(&outs[0]));
    ND_OWNED(nd_buffer_free) nd_buffer undone = {0};
    ND_FUZZ_CHECK(nd_fuzz_same(nd_buffer_span(&again), nd_buffer_span(&outs[0])));
    undo(nd_buffer_span(&outs[1]), &undone);
    ND_FUZZ_CHECK(nd_fuzz_same(nd_buffer_span(&undone), text));
    ND_FUZZ_CHECK(strpbrk((const char *)outs[3].data, "<>\"'") == NULL);
    for (size_t kind = 0; kind < sizeof outs / sizeof outs[0]; kind++) {
        char little[16];
        const size_t got = nd_printable_put((nd_printable)kind, text, little, sizeof little);
        ND_FUZZ_CHECK(got < sizeof little && got <= outs[kind].size && little[got] == '\0' &&
                      memcmp(little, outs[kind].data, got) == 0);
        nd_buffer_free(&outs[kind]);
    }
    return 0;
}
