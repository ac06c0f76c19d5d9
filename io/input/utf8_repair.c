#include "io/input/utf8_repair.h"

#include "src/text/text_variant.h"

#include <stdbool.h>
#include <string.h>

/* Length of the sequence at the start of `bytes`, which is not empty.
 * \param[out] valid  whether it is a character */
static size_t sequence(nd_span bytes, bool *valid) {
    const uint8_t first = bytes.data[0];
    const size_t length = first < 0x80                    ? 1
                          : first >= 0xC2 && first < 0xE0 ? 2
                          : first >= 0xE0 && first < 0xF0 ? 3
                          : first >= 0xF0 && first < 0xF5 ? 4
                                                          : 0;
    *valid = length == 1;
    if (length < 2) {
        return 1;
    }
    /* the second byte's range keeps out overlong forms, surrogates and what is above U+10FFFF */
    const uint8_t low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const uint8_t high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    size_t size = 1;
    if (bytes.size < 2 || bytes.data[1] < low || bytes.data[1] > high) {
        return size;
    }
    for (size = 2; size < length; size++) {
        if (size >= bytes.size || (bytes.data[size] & 0xC0) != 0x80) {
            return size;
        }
    }
    *valid = true;
    return size;
}

size_t nd_utf8_valid_bytes(nd_span bytes) {
    const nd_text_variant *loops = nd_text_variant_in_use();
    size_t at = 0;
    while (at < bytes.size) {
        at += loops->valid_bytes(bytes.data + at, bytes.data + bytes.size);
        while (at < bytes.size && bytes.data[at] < 0x80) {
            at++;
        }
        while (at < bytes.size && bytes.data[at] >= 0x80) { /* stay here in text full of them */
            bool valid = false;
            const size_t size = sequence((nd_span){bytes.data + at, bytes.size - at}, &valid);
            if (!valid) {
                return at;
            }
            at += size;
        }
    }
    return at;
}

nd_status nd_utf8_repair_within(nd_span bytes, uint64_t limit, nd_buffer *out, uint64_t *replaced) {
    nd_status st = ND_OK;
    *replaced = 0;
    while (bytes.size > 0) {
        const size_t good = nd_utf8_valid_bytes(bytes);
        if (out->size > limit || good > limit - out->size) {
            return ND_ERR_LIMIT;
        }
        nd_buffer_append(out, bytes.data, good);
        if (good == bytes.size) {
            break;
        }
        bytes = (nd_span){bytes.data + good, bytes.size - good};
        bool valid = false;
        const size_t bad = sequence(bytes, &valid);
        nd_buffer_append_text(out, "\xEF\xBF\xBD");
        ++*replaced;
        bytes = (nd_span){bytes.data + bad, bytes.size - bad};
    }
    return st;
}

nd_status nd_utf8_repair(nd_span bytes, nd_buffer *out, uint64_t *replaced) {
    return nd_utf8_repair_within(bytes, UINT64_MAX, out, replaced);
}
