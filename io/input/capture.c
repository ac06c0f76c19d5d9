#include "io/input/capture.h"

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
