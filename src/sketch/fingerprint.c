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

static uint64_t load_big64(const uint8_t *bytes) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value = value << 8 | bytes[i];
    }
    return value;
}

static number to_number(const nd_md5 *digest) {
    return (number){load_big64(digest->bytes), load_big64(digest->bytes + 8)};
}

static int compare(number a, number b) {
    if (a.high != b.high) {
        return a.high < b.high ? -1 : 1;
    }
    return (a.low > b.low) - (a.low < b.low);
}

/* (high * 2^64 + low) mod buckets, where wrap = 2^64 mod buckets; buckets <= 64 keeps the sum of
 * products far from overflow. */
static uint32_t bucket_of(number value, uint32_t buckets, uint32_t wrap) {
    return (uint32_t)((value.high % buckets * wrap + value.low % buckets) % buckets);
}

static uint32_t wrap_of(uint32_t buckets) {
    return (uint32_t)((UINT64_MAX % buckets + 1) % buckets);
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

/* The number of digests stands behind them in the hashed message: a bucket of two then never makes
 * the key of a bucket of three. */
static uint64_t key_of(const smallest *bucket) {
    uint8_t message[ND_FINGERPRINT_MAX_SMALLEST * sizeof(nd_md5) + 1];
    size_t size = 0;
    for (uint32_t i = 0; i < bucket->count; i++) {
        store_big64(message + size, bucket->numbers[i].high);
        store_big64(message + size + 8, bucket->numbers[i].low);
        size += sizeof(nd_md5);
    }
    message[size++] = (uint8_t)bucket->count;
    nd_md5 digest;
    nd_md5_one((nd_span){message, size}, &digest);
    return nd_md5_high64(&digest);
}

size_t nd_fingerprint_keys(const nd_md5 *digests, size_t count,
                           const nd_fingerprint_options *options, uint64_t *keys) {
    smallest buckets[ND_FINGERPRINT_MAX_BUCKETS];
    for (uint32_t i = 0; i < options->buckets; i++) {
        buckets[i].count = 0;
    }
    uint32_t wrap = wrap_of(options->buckets);
    for (size_t i = 0; i < count; i++) {
        number value = to_number(&digests[i]);
        smallest *bucket = &buckets[bucket_of(value, options->buckets, wrap)];
        if (bucket->count < options->smallest ||
            compare(value, bucket->numbers[bucket->count - 1]) < 0) {
            insert(bucket, value, options->smallest);
        }
    }
    size_t written = 0;
    for (uint32_t i = 0; i < options->buckets; i++) {
        if (buckets[i].count > 0) {
            keys[written++] = key_of(&buckets[i]);
        }
    }
    return written;
}

/* Byte by byte, as one divides on paper. */
static uint32_t bucket_of_reference(const nd_md5 *digest, uint32_t buckets) {
    uint32_t rest = 0;
    for (size_t i = 0; i < sizeof digest->bytes; i++) {
        rest = (rest * 256 + digest->bytes[i]) % buckets;
    }
    return rest;
}

/* The smallest digest of a bucket above `*above` (NULL: the smallest of all), or NULL. */
static const nd_md5 *next_of_bucket(const nd_md5 *digests, size_t count, uint32_t bucket,
                                    uint32_t buckets, const nd_md5 *above) {
    const nd_md5 *best = NULL;
    for (size_t i = 0; i < count; i++) {
        const nd_md5 *digest = &digests[i];
        if (bucket_of_reference(digest, buckets) == bucket &&
            (above == NULL || memcmp(digest, above, sizeof *digest) > 0) &&
            (best == NULL || memcmp(digest, best, sizeof *digest) < 0)) {
            best = digest;
        }
    }
    return best;
}

size_t nd_fingerprint_keys_reference(const nd_md5 *digests, size_t count,
                                     const nd_fingerprint_options *options, uint64_t *keys) {
    size_t written = 0;
    for (uint32_t bucket = 0; bucket < options->buckets; bucket++) {
        uint8_t message[ND_FINGERPRINT_MAX_SMALLEST * sizeof(nd_md5) + 1];
        uint8_t found = 0;
        const nd_md5 *digest = NULL;
        while (found < options->smallest &&
               (digest = next_of_bucket(digests, count, bucket, options->buckets, digest))) {
            memcpy(message + found++ * sizeof *digest, digest, sizeof *digest);
        }
        if (found > 0) {
            nd_md5 key;
            message[found * sizeof(nd_md5)] = found;
            nd_md5_one((nd_span){message, found * sizeof(nd_md5) + 1U}, &key);
            keys[written++] = nd_md5_high64(&key);
        }
    }
    return written;
}
