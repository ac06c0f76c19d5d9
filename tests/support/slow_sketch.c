#include "tests/support/slow_sketch.h"

#include "src/base/util.h"
#include "src/hash/md5_internal.h"
#include "src/sketch/simhash.h"

#include <string.h>

uint64_t nd_slow_rabin(uint64_t polynomial, const uint32_t *tokens, size_t count) {
    uint64_t rest = 1;
    for (size_t i = 0; i < count; i++) {
        for (int bit = 31; bit >= 0; bit--) {
            const uint64_t carry = rest >> 63;
            rest = rest << 1 | (tokens[i] >> bit & 1);
            rest ^= carry != 0 ? polynomial : 0;
        }
    }
    return rest;
}

static uint64_t slow_product(uint64_t a, uint64_t b, uint64_t modulus) {
    uint64_t product = 0;
    a %= modulus;
    for (; b != 0; b >>= 1) {
        product = (b & 1) != 0 ? (product + a) % modulus : product;
        a = 2 * a % modulus;
    }
    return product;
}

uint64_t nd_slow_minimum(uint64_t multiplier, uint64_t offset, uint64_t modulus,
                         const uint64_t *values, size_t count) {
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const uint64_t value =
            (slow_product(multiplier, values[i], modulus) + offset % modulus) % modulus;
        least = value < least ? value : least;
    }
    return least;
}

void nd_slow_md5(nd_span message, nd_md5 *digest) {
    nd_md5_batch_by(nd_md5_variants[0], &message, 1, digest);
}

/* Byte by byte, as one divides on paper. */
static uint32_t bucket_of(const nd_md5 *digest, uint32_t buckets) {
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
        if (bucket_of(digest, buckets) == bucket &&
            (above == NULL || memcmp(digest, above, sizeof *digest) > 0) &&
            (best == NULL || memcmp(digest, best, sizeof *digest) < 0)) {
            best = digest;
        }
    }
    return best;
}

size_t nd_slow_fingerprint_keys(const nd_md5 *digests, size_t count,
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
            nd_slow_md5((nd_span){message, found * sizeof(nd_md5) + 1U}, &key);
            keys[written++] = nd_md5_high64(&key);
        }
    }
    return written;
}

void nd_slow_charikar_sign(const uint64_t *features, const uint32_t *weights, size_t count,
                           uint32_t bits, uint64_t seed, uint64_t *string) {
    int64_t sums[ND_CHARIKAR_MAX_BITS] = {0};
    for (size_t i = 0; i < count; i++) {
        nd_random vector = {nd_mix64(features[i] ^ nd_mix64(seed))};
        uint64_t word = 0;
        for (uint32_t bit = 0; bit < bits; bit++) {
            const int64_t weight = weights == NULL ? 1 : weights[i];
            word = bit % ND_CHARIKAR_WORD_BITS == 0 ? nd_random_next(&vector) : word >> 1;
            sums[bit] += (word & 1) != 0 ? weight : -weight;
        }
    }
    memset(string, 0, nd_charikar_words(bits) * sizeof *string);
    for (uint32_t bit = 0; bit < bits; bit++) {
        string[bit / ND_CHARIKAR_WORD_BITS] |= (uint64_t)(sums[bit] > 0)
                                               << bit % ND_CHARIKAR_WORD_BITS;
    }
}

uint32_t nd_slow_charikar_agreeing(const uint64_t *a, const uint64_t *b, uint32_t bits) {
    uint32_t agreeing = 0;
    for (uint32_t bit = 0; bit < bits; bit++) {
        const size_t word = bit / ND_CHARIKAR_WORD_BITS;
        agreeing += ((a[word] ^ b[word]) >> bit % ND_CHARIKAR_WORD_BITS & 1) == 0;
    }
    return agreeing;
}
