#include "src/sketch/histogram.h"

#include "src/base/util.h"

#include <string.h>

/* Knuth's multiplier (2^32 over the golden ratio, made odd): its high bits depend on all of the
 * token's bits, so tokens that are themselves poor hashes still spread over the bins. */
static const uint32_t BIN_MULTIPLIER = UINT32_C(0x9e3779b1);
enum { BIN_SHIFT = 24 };

/* Neighbouring tokens are often equal; two sets of counters keep one increment from waiting for
 * the one before it. */
enum { COUNTER_SETS = 2 };

void nd_histogram_fill(const uint32_t *tokens, size_t count, nd_histogram *histogram) {
    uint32_t counters[COUNTER_SETS][ND_HISTOGRAM_BINS];
    memset(counters, 0, sizeof counters);
    for (size_t i = 0; i < count; i++) {
        counters[i % COUNTER_SETS][tokens[i] * BIN_MULTIPLIER >> BIN_SHIFT]++;
    }
    histogram->tokens = (uint32_t)count;
    histogram->overflow = 0;
    for (size_t i = 0; i < ND_HISTOGRAM_BINS; i++) {
        uint32_t sum = counters[0][i] + counters[1][i];
        histogram->overflow |= sum > UINT16_MAX;
        histogram->bins[i] = (uint16_t)nd_min(sum, UINT16_MAX);
    }
}

uint64_t nd_histogram_common(const nd_histogram *a, const nd_histogram *b) {
    uint64_t sum = 0;
    for (size_t i = 0; i < ND_HISTOGRAM_BINS; i++) {
        sum += nd_min(a->bins[i], b->bins[i]);
    }
    /* where the bins say nothing, the bound is the most that it can be at all */
    return a->overflow != 0 || b->overflow != 0 ? nd_min(a->tokens, b->tokens) : sum;
}

/* ---- packing */

/* Half a byte that says: the rest of the number follows, in a byte; and a byte that says: in two
 * bytes. */
enum { HALF_BITS = 4, MORE = 15, MUCH_MORE = 255 };

size_t nd_small_numbers_pack(const void *numbers, size_t count, uint8_t *out) {
    const uint8_t *from = numbers;
    size_t size = (count + 1) / 2;
    memset(out, 0, size);
    for (size_t i = 0; i < count; i++) {
        uint16_t number;
        memcpy(&number, from + i * sizeof number, sizeof number);
        const unsigned half = number < MORE ? number : MORE;
        out[i / 2] = (uint8_t)(out[i / 2] | half << i % 2 * HALF_BITS);
        if (half == MORE) {
            const uint16_t rest = (uint16_t)(number - MORE);
            out[size++] = (uint8_t)(rest < MUCH_MORE ? rest : MUCH_MORE);
            if (rest >= MUCH_MORE) {
                memcpy(out + size, &rest, sizeof rest);
                size += sizeof rest;
            }
        }
    }
    return size;
}

bool nd_small_numbers_unpack(const uint8_t *bytes, size_t size, void *numbers, size_t count) {
    uint8_t *to = numbers;
    size_t place = (count + 1) / 2;
    if (size < place) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        uint16_t number = bytes[i / 2] >> i % 2 * HALF_BITS & MORE;
        if (number == MORE) {
            if (place == size) {
                return false;
            }
            uint16_t rest = bytes[place++];
            if (rest == MUCH_MORE) {
                if (size - place < sizeof rest) {
                    return false;
                }
                memcpy(&rest, bytes + place, sizeof rest);
                place += sizeof rest;
            }
            number = (uint16_t)(MORE + rest);
        }
        memcpy(to + i * sizeof number, &number, sizeof number);
    }
    return place == size;
}
