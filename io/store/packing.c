#include "io/store/packing.h"

#include "src/base/sort.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* More gains a hundredth of the bytes and takes several times as long. */
enum { LEVEL = 3 };

/* ---- values, byte by byte */

/* Append one byte of each value, packed, after the number of the bytes that it takes. */
static nd_status pack_plane(const uint8_t *bytes, size_t count, size_t width, uint8_t *plane,
                            nd_buffer *out) {
    nd_status st = ND_OK;
    const size_t room = ZSTD_compressBound(count);
    uint32_t size = 0;
    for (size_t i = 0; i < count; i++) {
        plane[i] = bytes[i * width];
    }
    ND_TRY(nd_buffer_reserve(out, sizeof size + room));
    const size_t made =
        ZSTD_compress(out->data + out->size + sizeof size, room, plane, count, LEVEL);
    if (ZSTD_isError(made)) {
        st = nd_fail(ND_ERR_MEMORY, "out of memory: a zstd encoder");
        goto out;
    }
    size = (uint32_t)made;
    memcpy(out->data + out->size, &size, sizeof size);
    out->size += sizeof size + made;
out:
    return st;
}

static nd_status pack_values(const uint8_t *bytes, size_t size, size_t width, nd_buffer *out) {
    nd_status st = ND_OK;
    uint8_t *plane = NULL;
    ND_TRY(nd_new_room(&plane, size / width, 1));
    for (size_t b = 0; b < width; b++) {
        ND_TRY(pack_plane(bytes + b, size / width, width, plane, out));
    }
out:
    free(plane);
    return st;
}

static nd_status damaged(void) {
    return nd_fail(ND_ERR_FORMAT, "a packed block is damaged");
}

/* Take so many bytes off the front. */
static nd_status take(nd_span *from, size_t size, const uint8_t **bytes) {
    if (size > from->size) {
        return damaged();
    }
    *bytes = from->data;
    from->data += size;
    from->size -= size;
    return ND_OK;
}

static nd_status take_size(nd_span *from, uint32_t *size) {
    const uint8_t *bytes = NULL;
    const nd_status st = take(from, sizeof *size, &bytes);
    if (st == ND_OK) {
        memcpy(size, bytes, sizeof *size);
    }
    return st;
}

static nd_status unpack_values(nd_span *packed, size_t size, size_t width, uint8_t *out) {
    nd_status st = ND_OK;
    uint8_t *plane = NULL;
    const uint8_t *bytes = NULL;
    uint32_t length = 0;
    const size_t count = size / width;
    ND_TRY(nd_new_room(&plane, count, 1));
    for (size_t b = 0; b < width; b++) {
        ND_TRY(take_size(packed, &length));
        ND_TRY(take(packed, length, &bytes));
        if (ZSTD_decompress(plane, count, bytes, length) != count) {
            st = damaged();
            goto out;
        }
        for (size_t i = 0; i < count; i++) {
            out[i * width + b] = plane[i];
        }
    }
out:
    free(plane);
    return st;
}

/* ---- tokens */

/* The distinct tokens, those that occur most first, and of each token its place among them. */
static nd_status rank_tokens(const uint32_t *tokens, size_t count, uint32_t *distinct,
                             uint32_t *distinct_count, uint32_t *ranks) {
    nd_status st = ND_OK;
    nd_key_value *places = NULL; /* (token, its place), then by place the rank */
    nd_key_value *order = NULL;  /* (how often, descending; first of its places) */
    size_t found = 0;
    ND_TRY(nd_new_room(&places, count, sizeof *places));
    ND_TRY(nd_new_room(&order, count, sizeof *order));
    for (size_t i = 0; i < count; i++) {
        places[i] = (nd_key_value){tokens[i], i};
    }
    ND_TRY(nd_radix_sort(places, count));
    for (size_t i = 0, end = 0; i < count; i = end) {
        end = (size_t)nd_key_end(places, count, i, places[i].key);
        order[found++] = (nd_key_value){UINT64_MAX - (end - i), i};
    }
    ND_TRY(nd_radix_sort(order, found));
    for (size_t rank = 0; rank < found; rank++) {
        const size_t begin = (size_t)order[rank].value;
        const size_t end = begin + (size_t)(UINT64_MAX - order[rank].key);
        distinct[rank] = (uint32_t)places[begin].key;
        for (size_t i = begin; i < end; i++) {
            ranks[places[i].value] = (uint32_t)rank;
        }
    }
    *distinct_count = (uint32_t)found;
out:
    free(places);
    free(order);
    return st;
}

static nd_status pack_tokens(const void *tokens, size_t size, nd_buffer *out) {
    nd_status st = ND_OK;
    uint32_t *distinct = NULL;
    uint32_t *ranks = NULL;
    uint32_t count = 0;
    ND_TRY(nd_new_room(&distinct, size, 1));
    ND_TRY(nd_new_room(&ranks, size, 1));
    ND_TRY(rank_tokens(tokens, size / sizeof *ranks, distinct, &count, ranks));
    ND_TRY(nd_buffer_append(out, &count, sizeof count));
    ND_TRY(nd_buffer_append(out, distinct, count * sizeof *distinct));
    ND_TRY(pack_values((const uint8_t *)ranks, size, sizeof *ranks, out));
out:
    free(distinct);
    free(ranks);
    return st;
}

static nd_status unpack_tokens(nd_span *packed, size_t size, uint32_t *tokens) {
    nd_status st = ND_OK;
    uint32_t count = 0;
    const uint8_t *distinct = NULL;
    ND_TRY(take_size(packed, &count));
    ND_TRY(take(packed, count * sizeof *tokens, &distinct));
    ND_TRY(unpack_values(packed, size, sizeof *tokens, (uint8_t *)tokens));
    for (size_t i = 0; i < size / sizeof *tokens; i++) {
        if (tokens[i] >= count) {
            st = damaged();
            goto out;
        }
        memcpy(&tokens[i], distinct + tokens[i] * sizeof *tokens, sizeof *tokens);
    }
out:
    return st;
}

/* ---- either */

nd_status nd_pack(nd_packing packing, const void *bytes, size_t size, nd_buffer *out) {
    return packing == ND_PACKING_TOKENS ? pack_tokens(bytes, size, out)
                                        : pack_values(bytes, size, sizeof(uint16_t), out);
}

nd_status nd_unpack(nd_packing packing, nd_span packed, void *out, size_t size) {
    const nd_status st = packing == ND_PACKING_TOKENS
                             ? unpack_tokens(&packed, size, out)
                             : unpack_values(&packed, size, sizeof(uint16_t), out);
    return st != ND_OK || packed.size == 0 ? st : damaged();
}
