#include "io/input/capture.h"

#include "src/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <xxhash.h>

static uint64_t hash_of(nd_span text) {
    const uint64_t hash = text.size == 0 ? 0 : XXH3_64bits(text.data, text.size);
    return text.size > 0 && hash == 0 ? 1 : hash;
}

nd_capture_names nd_capture_names_of(nd_span id, nd_span url, nd_span with) {
    return (nd_capture_names){hash_of(id), hash_of(url), hash_of(with)};
}

static bool are_same(uint64_t a, uint64_t b) {
    return a != 0 && a == b;
}

static bool names_one(const nd_capture_names *a, const nd_capture_names *b) {
    return b != NULL && (are_same(a->with, b->id) || are_same(b->with, a->id));
}

nd_capture_side nd_capture_side_of(const nd_capture_names *companion,
                                   const nd_capture_names *before, const nd_capture_names *after) {
    if (names_one(companion, before)) {
        return ND_CAPTURE_BEFORE;
    }
    if (names_one(companion, after)) {
        return ND_CAPTURE_AFTER;
    }
    if (before != NULL && are_same(companion->url, before->url)) {
        return ND_CAPTURE_BEFORE;
    }
    return after != NULL && are_same(companion->url, after->url) ? ND_CAPTURE_AFTER
                                                                 : ND_CAPTURE_NONE;
}

/* Of a kind of name, or with a date. */
static uint64_t key_of(nd_span text, uint64_t kind) {
    return text.size == 0 ? 0 : nd_max(XXH3_64bits_withSeed(text.data, text.size, kind), 1);
}

/* Seeds; dates are others. */
enum { ID = 1, PAYLOAD = 2 };

uint64_t nd_capture_id_key(nd_span id) {
    return key_of(id, ID);
}

uint64_t nd_capture_place_key(nd_span url, uint64_t date) {
    return date == 0 ? 0 : key_of(url, date + PAYLOAD);
}

uint64_t nd_capture_payload_key(nd_span digest) {
    uint8_t lower[256]; /* hexadecimal digits are written in both cases */
    if (digest.size > sizeof lower) {
        return 0;
    }
    for (size_t i = 0; i < digest.size; i++) {
        const uint8_t c = digest.data[i];
        lower[i] = c >= 'A' && c <= 'Z' ? (uint8_t)(c + ('a' - 'A')) : c;
    }
    return key_of((nd_span){lower, digest.size}, PAYLOAD);
}
