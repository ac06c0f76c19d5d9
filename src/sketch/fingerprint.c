#include "src/sketch/fingerprint.h"

#include <string.h>

/* A digest as the 128-bit big-endian number that the contract speaks of. */
typedef struct number {
    uint64_t high;
    uint64_t low;
} number;

/* The smallest distinct numbers of one bucket so far, ascending. */
typedef struct smallest {
    uint32_t count;
    number numbers[ND_FINGERPRINT_MAX_SMALLEST];
} smallest;

static int compare(number a, number b) {
    if (a.high != b.high) {
        return a.high < b.high ? -1 : 1;
    }
    return (a.low > b.low) - (a.low < b.low);
}

/* Take a number into a bucket's smallest, unless it is there already or too large. */
static void insert(smallest *bucket, number value, uint32_t limit) {
    uint32_t place = bucket->count;
    while (place > 0 && compare(value, bucket->numbers[place - 1]) < 0) {
        place--;
    }
    if (place == limit || (place > 0 && compare(value, bucket->numbers[place - 1]) == 0)) {
        return;
    }
    uint32_t last = bucket->count < limit ? bucket->count++ : limit - 1;
    memmove(&bucket->numbers[place + 1], &bucket->numbers[place], (last - place) * sizeof(number));
    bucket->numbers[place] = value;
}

static void store_big64(uint8_t *bytes, uint64_t value) {
    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(value >> (56 - 8 * i));
    }
}

/* Hash the buckets that hold something. The number of digests stands after them: a bucket of two
 * then never makes the key of a bucket of three. \return how many these are */
static size_t keys_of(const smallest *buckets, size_t count, uint64_t *keys) {
    uint8_t messages[ND_FINGERPRINT_MAX_BUCKETS][ND_FINGERPRINT_MAX_SMALLEST * sizeof(nd_md5) + 1];
    nd_span spans[ND_FINGERPRINT_MAX_BUCKETS] = {{0}};
    nd_md5 digests[ND_FINGERPRINT_MAX_BUCKETS];
    size_t written = 0;
    for (const smallest *bucket = buckets; bucket < buckets + count; bucket++) {
        uint8_t *message = messages[written];
        size_t size = 0;
        for (uint32_t i = 0; i < bucket->count; i++, size += sizeof(nd_md5)) {
            store_big64(message + size, bucket->numbers[i].high);
            store_big64(message + size + 8, bucket->numbers[i].low);
        }
        if (size > 0) {
            message[size++] = (uint8_t)bucket->count;
            spans[written++] = (nd_span){message, size};
        }
    }
    nd_md5_batch(spans, written, digests);
    for (size_t i = 0; i < written; i++) {
        keys[i] = nd_md5_high64(&digests[i]);
    }
    return written;
}

size_t nd_fingerprint_keys(const nd_md5 *digests, size_t count,
                           const nd_fingerprint_options *options, uint64_t *keys) {
    smallest buckets[ND_FINGERPRINT_MAX_BUCKETS];
    for (uint32_t i = 0; i < options->buckets; i++) {
        buckets[i].count = 0;
    }
    const uint64_t of_32 = (UINT64_C(1) << 32) % options->buckets; /* 2^32 mod buckets, ... */
    const uint64_t of_64 = of_32 * of_32 % options->buckets;
    const uint64_t of_96 = of_32 * of_32 * of_32 % options->buckets;
    for (size_t i = 0; i < count; i++) {
        number value = {nd_md5_high64(&digests[i]), 0};
        for (size_t byte = 8; byte < sizeof digests->bytes; byte++) {
            value.low = value.low << 8 | digests[i].bytes[byte];
        }
        /* The number mod buckets, by one division: with buckets <= 64 the sum is below 2^40. */
        const uint64_t sum = (value.high >> 32) * of_96 + (value.high & UINT32_MAX) * of_64 +
                             (value.low >> 32) * of_32 + (value.low & UINT32_MAX);
        smallest *bucket = &buckets[sum % options->buckets];
        if (bucket->count < options->smallest ||
            compare(value, bucket->numbers[bucket->count - 1]) < 0) {
            insert(bucket, value, options->smallest);
        }
    }
    return keys_of(buckets, options->buckets, keys);
}
