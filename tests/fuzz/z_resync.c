/* An archive of pages, of which 1 to 40 bytes are removed, changed or put in at a place near the
 * border of two records (or of two members of the file): no page but those that are touched is
 * lost, in any form. By the first bytes of the input the form, the kind of edit, the place and how
 * much is removed; the rest is put in. */
#include "tests/fuzz/fuzz.h"
#include "tests/support/brief.h"
#include "tests/support/sources.h"

enum { MOST_EDIT = 40, MOST_WORDS = 60, AROUND = 48 };

typedef enum edit_kind { EDIT_PUT_IN, EDIT_REMOVE, EDIT_CHANGE, EDIT_KINDS } edit_kind;

/* Bytes to put in: of changed ones none stays what it is. In ARC no name of a URL's kind: with it
 * what is put in and the line after it are a good header of another URL. */
static size_t take_bytes(nd_span input, bool arc, nd_span was, uint8_t bytes[MOST_EDIT]) {
    size_t size = 0;
    for (; size < MOST_EDIT && size < input.size; size++) {
        bytes[size] = input.data[size];
        bytes[size] ^= size < was.size ? (uint8_t)(was.data[size] ^ (bytes[size] == 0)) : 0;
        bytes[size] = arc && bytes[size] == ':' ? ';' : bytes[size];
    }
    return size;
}

ND_FUZZ_TARGET(z_resync) {
    nd_span input = {data, size};
    const unsigned how = nd_fuzz_byte(&input);
    const bool arc = how % 2 == 1;
    const nd_torn_form form = how / 2 % ND_TORN_FORMS;
    const edit_kind kind = (edit_kind)nd_fuzz_below(&input, EDIT_KINDS);
    size_t border = nd_fuzz_below(&input, ND_TORN_RECORDS);
    const size_t place = nd_fuzz_below(&input, 2 * AROUND);
    const size_t count = 1 + nd_fuzz_below(&input, MOST_EDIT);
    nd_random random = {how};
    ND_OWNED(nd_torn_free) nd_torn_source source;
    ND_OWNED(nd_buffer_free) nd_buffer file = {0};
    uint8_t bytes[MOST_EDIT];
    nd_torn_make(&source, arc, MOST_WORDS, &random);
    /* up to so many bytes before the end of the block, or after it */
    const nd_torn_record *r = &source.records[border];
    size_t at = r->block_end + place - (r->block_end + place < AROUND ? 0 : AROUND);
    if (at > r->bytes.size && border + 1 < ND_TORN_RECORDS) {
        at -= r->bytes.size;
        r = &source.records[++border];
    }
    at = at < r->bytes.size ? at : r->bytes.size;
    const size_t left = r->bytes.size - at;
    const nd_span was = {r->bytes.data + at, kind == EDIT_CHANGE ? left : 0};
    nd_span insert = {bytes, take_bytes(input, arc, was, bytes)};
    if (kind == EDIT_REMOVE) {
        insert.size = 0;
    } else if (kind == EDIT_CHANGE) {
        insert.size = insert.size < left ? insert.size : left;
    }
    nd_torn_edit(&source, border, at,
                 kind == EDIT_REMOVE   ? count
                 : kind == EDIT_CHANGE ? insert.size
                                       : 0,
                 insert);
    nd_torn_pack(&source, form, &file);
    const char *path = nd_fuzz_file(0, nd_buffer_span(&file));
    const char *broken = nd_torn_check(&source, path, file.size, false);
    if (broken != NULL) {
        nd_fuzz_broken("a torn source", (int)form, broken);
    }
    return 0;
}
