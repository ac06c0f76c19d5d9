#include "tests/support/slow.h"
#include "src/base/buffer.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "src/hash/md5_internal.h"
#include "src/sketch/simhash.h"
#include "tests/support/pages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- slow sketch */

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

/* ---- slow names */

enum { BEGINNING = 12 };

static uint64_t count(const uint32_t *tokens, size_t size, uint32_t token) {
    uint64_t times = 0;
    for (size_t i = 0; i < size; i++) {
        times += tokens[i] == token;
    }
    return times;
}

/* Of the words of a's beginning that b lacks: how often one is said again at most. */
static uint64_t own_repeats(const uint32_t *a, size_t n, const uint32_t *b, size_t m) {
    uint64_t most = 0;
    for (size_t i = 0; i < n && i < BEGINNING; i++) {
        const uint64_t again = count(a, n, a[i]) - 1;
        most = count(b, m, a[i]) == 0 && again > most ? again : most;
    }
    return most;
}

uint64_t nd_slow_names_repeats(const uint32_t *a, size_t n, const uint32_t *b, size_t m) {
    return nd_max(own_repeats(a, n, b, m), own_repeats(b, m, a, n));
}

/* How often they are said again as a name, which words that are only inserted are not. */
static uint64_t as_name(const nd_document *a, const nd_document *b, uint64_t common) {
    const uint64_t repeats = own_repeats(a->tokens, a->token_count, b->tokens, b->token_count);
    const uint64_t lacks = b->token_count - common;
    uint64_t own = 0; /* the places in a of all such words */
    for (size_t i = 0; i < a->token_count; i++) {
        const size_t beginning = a->token_count < BEGINNING ? a->token_count : BEGINNING;
        own += count(a->tokens, beginning, a->tokens[i]) > 0 &&
               count(b->tokens, b->token_count, a->tokens[i]) == 0;
    }
    const bool inserted = b->token_count >= 100 && 2 * lacks <= repeats &&
                          20 * lacks <= b->token_count && 2 * own >= a->token_count - common;
    return inserted ? 0 : repeats;
}

/* Tokens in common, in order, as the score has them: of `mixed` the half that is r. */
static uint64_t common_tokens(const nd_method *method, const nd_method_options *options,
                              const nd_document *a, const nd_document *b, double score) {
    const uint64_t shorter = nd_min(a->token_count, b->token_count);
    if (options->score == nd_score_find("mixed")) {
        nd_method_options shingles = *options;
        shingles.score = nd_score_find("jaccard");
        score = 2 * score - nd_test_similarity(method, &shingles, a, b, 0);
    }
    const double both = (double)a->token_count + b->token_count;
    return nd_min((uint64_t)(score * both / (1 + score) + .5), shorter);
}

double nd_slow_names_left(const nd_method *method, const nd_method_options *options,
                          const nd_document *a, const nd_document *b, double similarity) {
    const uint64_t shorter = nd_min(a->token_count, b->token_count);
    if (!method->sequences || options->keys_suffice || similarity >= 1 || shorter == 0) {
        return similarity;
    }
    const uint64_t common = common_tokens(method, options, a, b, similarity);
    const uint64_t repeats = nd_max(as_name(a, b, common), as_name(b, a, common));
    const double left = similarity - options->names * (double)repeats / sqrt((double)shorter);
    return left > 0 ? left : 0;
}

double nd_slow_names_member(double score, double left) {
    const double least = 1.0 / 1024;
    return score > 0 && left < least ? least : left;
}

/* ---- slow containment */

static size_t slow_lcs(const uint32_t *a, size_t n, const uint32_t *b, size_t m) {
    size_t rows[2][ND_SLOW_LONGEST + 1] = {{0}};
    for (size_t i = 0; i < n; i++) {
        const size_t *above = rows[i % 2];
        size_t *row = rows[(i + 1) % 2];
        for (size_t j = 0; j < m; j++) {
            const size_t longer = row[j] > above[j + 1] ? row[j] : above[j + 1];
            row[j + 1] = a[i] == b[j] ? above[j] + 1 : longer;
        }
    }
    return rows[n % 2][m];
}

double nd_slow_containment(const uint32_t *a, size_t n, const uint32_t *b, size_t m) {
    size_t most = 0;
    for (size_t begin = 0; n > 0; begin += n) {
        const size_t count = m - begin < 3 * n ? m - begin : 3 * n;
        const size_t common = slow_lcs(a, n, b + begin, count);
        most = common > most ? common : most;
        if (begin + count == m) {
            break;
        }
    }
    return n > 0 ? (double)most / (double)n : 0;
}

/* ---- token pairs */

/* Of short ones all sizes, so that empty ones and those around a run or a shingle come up often. */
static size_t random_length(nd_random *random, size_t longest) {
    const uint64_t bounds[] = {4, 8, 40, longest + 1, longest + 1};
    const uint64_t bound = bounds[nd_random_below(random, 5)];
    return nd_random_below(random, bound <= longest ? bound : longest + 1);
}

static uint32_t random_token(nd_random *random, uint64_t alphabet) {
    const uint64_t below = 1 + nd_random_below(random, alphabet); /* some tokens are frequent */
    return (uint32_t)nd_random_below(random, below) * UINT32_C(0x01000193);
}

static void put(nd_token_pair *pair, size_t longest, uint32_t token) {
    if (pair->m < longest) {
        pair->b[pair->m++] = token;
    }
}

/* b: a copy of a in which about one token in `spacing` is replaced, dropped, doubled or preceded,
 * and which may begin and end with tokens of its own. */
static void edit(nd_random *random, size_t longest, uint64_t alphabet, nd_token_pair *pair) {
    const uint64_t spacing = 1 + nd_random_below(random, 40);
    const uint64_t ends = nd_random_below(random, 3) == 0 ? 1 + pair->n / 3 : 1;
    for (uint64_t i = nd_random_below(random, ends); i > 0; i--) {
        put(pair, longest, random_token(random, alphabet));
    }
    for (size_t i = 0; i < pair->n; i++) {
        const uint64_t kind =
            nd_random_below(random, spacing) == 0 ? nd_random_below(random, 4) : 4;
        if (kind == 1 || kind == 3) {
            put(pair, longest, random_token(random, alphabet));
        }
        if (kind >= 2) {
            put(pair, longest, pair->a[i]);
        }
        if (kind == 2) {
            put(pair, longest, pair->a[i]);
        }
    }
    for (uint64_t i = nd_random_below(random, ends); i > 0; i--) {
        put(pair, longest, random_token(random, alphabet));
    }
}

/* b: the second part of a, then the first. */
static void rotate(nd_random *random, nd_token_pair *pair) {
    const size_t at = nd_random_below(random, pair->n + 1);
    memcpy(pair->b, pair->a + at, (pair->n - at) * sizeof *pair->a);
    memcpy(pair->b + (pair->n - at), pair->a, at * sizeof *pair->a);
    pair->m = pair->n;
}

static void stranger(nd_random *random, size_t longest, uint64_t alphabet, uint32_t offset,
                     nd_token_pair *pair) {
    pair->m = random_length(random, longest);
    for (size_t i = 0; i < pair->m; i++) {
        pair->b[i] = random_token(random, alphabet) + offset;
    }
}

void nd_random_token_pair(nd_random *random, size_t longest, nd_token_pair *pair) {
    static const uint64_t alphabets[] = {1, 2, 3, 8, 30, 300, 100000};
    const uint64_t alphabet = alphabets[nd_random_below(random, 7)];
    const size_t period = nd_random_below(random, 6) == 0 ? 1 + nd_random_below(random, 12) : 0;
    const uint64_t kind = nd_random_below(random, 8);
    pair->n = random_length(random, longest);
    pair->m = 0;
    for (size_t i = 0; i < pair->n; i++) {
        pair->a[i] =
            period > 0 && i >= period ? pair->a[i - period] : random_token(random, alphabet);
    }
    if (kind < 5) {
        edit(random, longest, alphabet, pair);
    } else if (kind == 5) {
        rotate(random, pair);
    } else {
        stranger(random, longest, alphabet, kind == 6 ? 0 : UINT32_C(0x80000001), pair);
    }
}

double nd_random_threshold(nd_random *random, double score) {
    switch (nd_random_below(random, 4)) {
    case 0:
        return score;
    case 1:
        return score * (1 + 0x1p-52);
    case 2:
        return score * (1 - 0x1p-53);
    default:
        return (double)nd_random_below(random, 1001) / 1000;
    }
}

/* ---- random tree */

/* Every page but the first hangs on an earlier one of a random order. */
void nd_random_tree_draw(nd_random *random, uint64_t page, nd_random_tree *t) {
    size_t order[ND_TREE_PAGES];
    const size_t reach = 1 + (size_t)nd_random_below(random, 20);
    t->count = 1 + (size_t)nd_random_below(random, ND_TREE_PAGES);
    page += nd_random_below(random, 5);
    for (size_t i = 0; i < t->count; i++, page += 1 + nd_random_below(random, 5)) {
        const size_t at = (size_t)nd_random_below(random, i + 1);
        t->pages[i] = page;
        order[i] = order[at];
        order[at] = i;
    }
    for (size_t i = 1; i < t->count; i++) {
        const size_t back = 1 + (size_t)nd_random_below(random, i < reach ? i : reach);
        const uint64_t x = t->pages[order[i]];
        const uint64_t y = t->pages[order[i - back]];
        t->links[i - 1] =
            (nd_link){x < y ? x : y, x < y ? y : x, (double)nd_random_below(random, 1000) / 1000};
    }
}

/* ---- link graph */

void nd_random_link_graph(nd_random *random, nd_link_graph *g) {
    uint64_t page = nd_random_below(random, 9);
    const uint64_t grades = 1 + nd_random_below(random, 20);
    g->page_count = 1 + (size_t)nd_random_below(random, ND_GRAPH_PAGES);
    g->count = (size_t)nd_random_below(random, ND_GRAPH_LINKS);
    for (size_t i = 0; i < g->page_count; i++, page += 1 + nd_random_below(random, 9)) {
        g->pages[i] = page;
    }
    for (size_t i = 0; i < g->count; i++) {
        const uint64_t x = g->pages[nd_random_below(random, g->page_count)];
        const uint64_t y = g->pages[nd_random_below(random, g->page_count)];
        const double similarity = (double)nd_random_below(random, grades) / (double)grades;
        g->links[i] = (nd_link){x < y ? x : y, x < y ? y : x, similarity};
    }
}
