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

/* 2^32, 2^64 and 2^96 mod buckets. */
typedef struct powers {
    uint64_t of_32;
    uint64_t of_64;
    uint64_t of_96;
} powers;

static powers powers_mod(uint32_t buckets) {
    uint64_t of_32 = (UINT64_C(1) << 32) % buckets;
    return (powers){of_32, of_32 * of_32 % buckets, of_32 * of_32 * of_32 % buckets};
}

/* The number mod buckets, by one division: with buckets <= 64 the sum is below 2^40. */
static uint32_t bucket_of(number value, uint32_t buckets, const powers *mod) {
    uint64_t sum = (value.high >> 32) * mod->of_96 + (value.high & UINT32_MAX) * mod->of_64 +
                   (value.low >> 32) * mod->of_32 + (value.low & UINT32_MAX);
    return (uint32_t)(sum % buckets);
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

/* What a key is the hash of. The number of digests stands behind them: a bucket of two then never
 * makes the key of a bucket of three. */
typedef struct key_message {
    uint8_t bytes[ND_FINGERPRINT_MAX_SMALLEST * sizeof(nd_md5) + 1];
} key_message;

static nd_span write_message(const smallest *bucket, key_message *message) {
    size_t size = 0;
    for (uint32_t i = 0; i < bucket->count; i++) {
        store_big64(message->bytes + size, bucket->numbers[i].high);
        store_big64(message->bytes + size + 8, bucket->numbers[i].low);
        size += sizeof(nd_md5);
    }
    message->bytes[size++] = (uint8_t)bucket->count;
    return (nd_span){message->bytes, size};
}

/* Hash the buckets that hold something. \return how many these are */
static size_t keys_of(const smallest *buckets, size_t count, uint64_t *keys) {
    key_message messages[ND_FINGERPRINT_MAX_BUCKETS];
    nd_span spans[ND_FINGERPRINT_MAX_BUCKETS] = {{0}};
    nd_md5 digests[ND_FINGERPRINT_MAX_BUCKETS];
    size_t written = 0;
    for (size_t i = 0; i < count; i++) {
        if (buckets[i].count > 0) {
            spans[written] = write_message(&buckets[i], &messages[written]);
            written++;
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
    powers mod = powers_mod(options->buckets);
    for (size_t i = 0; i < count; i++) {
        number value = to_number(&digests[i]);
        smallest *bucket = &buckets[bucket_of(value, options->buckets, &mod)];
        if (bucket->count < options->smallest ||
            compare(value, bucket->numbers[bucket->count - 1]) < 0) {
            insert(bucket, value, options->smallest);
        }
    }
    return keys_of(buckets, options->buckets, keys);
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
