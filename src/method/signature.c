#include "src/method/signature.h"

#include "src/base/buffer.h"
#include "src/base/util.h"
#include "src/plan/curve.h"
#include "src/sketch/minhash.h"
#include "src/sketch/shingle.h"
#include "src/sketch/simhash.h"

#include <stdlib.h>
#include <string.h>

/* ==== shingles, minima, supershingles */

enum { MOST_SHINGLE_TOKENS = 1000, MOST_THINNING = 1000000, MOST_MINIMA = 10000 };

/* Pages at the threshold that meet less often than this are hardly looked for. */
static const double LEAST_CHANCE = 0.1;

/* Of a page without a sketch; minima are below 2^61 - 1. */
static const uint64_t NO_MINIMUM = UINT64_MAX;

/* ---- pages */

void nd_page_shingles(const nd_method_options *options, nd_method_work *work,
                      const nd_document *document) {
    const size_t tokens = document->token_count;
    nd_shingle_options shingle = {.tokens = options->shingle_tokens,
                                  .modulus = options->thinning,
                                  .seed = options->seed,
                                  .wrap = options->wrap_around,
                                  .counted = options->shingle_counts,
                                  .distinct = true};
    const size_t room = nd_shingle_places(&shingle, tokens);
    /* the latest page is known by its tokens, for others may lie where they lay */
    if (work->has_shingles && work->token_count == tokens &&
        (tokens == 0 ||
         memcmp(work->tokens, document->tokens, tokens * sizeof *document->tokens) == 0)) {
        return;
    }
    work->has_shingles = work->has_minima = false;
    if (options->shingle_hash == ND_SHINGLE_RABIN) {
        if (work->rabin == NULL) {
            nd_new(&work->rabin, 1, sizeof *work->rabin);
            nd_rabin_start(work->rabin, options->seed, options->shingle_tokens);
        }
        shingle.rabin = work->rabin;
    }
    nd_grow(&work->tokens, &work->token_capacity, tokens, sizeof *work->tokens);
    nd_grow(&work->shingles, &work->shingle_capacity, room, sizeof *work->shingles);
    if (tokens > 0) {
        memcpy(work->tokens, document->tokens, tokens * sizeof *work->tokens);
    }
    work->token_count = tokens;
    work->shingle_count =
        room == 0 ? 0 : nd_shingle_values(&shingle, document->tokens, tokens, work->shingles);
    work->has_shingles = true;
}

void nd_page_minima(const nd_method_options *options, nd_method_work *work,
                    const nd_document *document) {
    if (work->minima == NULL) {
        nd_new(&work->minima, options->minima, sizeof *work->minima);
        nd_minhash_new(&work->minhash, options->minima, options->seed);
    }
    nd_page_shingles(options, work, document);
    if (!work->has_minima) {
        work->any_minima =
            nd_minhash_sketch(&work->minhash, work->shingles, work->shingle_count, work->minima);
        work->has_minima = true;
    }
}

/* ---- options */

nd_status nd_tokens_check(const char *option, uint32_t tokens) {
    return tokens >= 1 && tokens <= MOST_SHINGLE_TOKENS
               ? ND_OK
               : nd_fail(ND_ERR_USAGE, "--%s %u: must be 1 to %d", option, tokens,
                         MOST_SHINGLE_TOKENS);
}

nd_status nd_shingle_tokens_check(const nd_method_options *options) {
    return nd_tokens_check("shingle-tokens", options->shingle_tokens);
}

nd_status nd_page_sketch_check(const nd_method_options *options) {
    if (options->thinning < 1 || options->thinning > MOST_THINNING) {
        return nd_fail(ND_ERR_USAGE, "--thinning %u: must be 1 to %d", options->thinning,
                       MOST_THINNING);
    }
    if (options->minima < 1 || options->minima > MOST_MINIMA) {
        return nd_fail(ND_ERR_USAGE, "--minima %u: must be 1 to %d", options->minima, MOST_MINIMA);
    }
    return nd_shingle_tokens_check(options);
}

nd_status nd_page_bands_check(uint32_t bands, uint32_t rows, double threshold) {
    const nd_curve curve = nd_curve_of_bands(bands, rows);
    const double chance = nd_curve_at(&curve, threshold);
    return chance >= LEAST_CHANCE
               ? ND_OK
               : nd_fail(ND_ERR_USAGE,
                         "--bands %u of %u rows: pages of similarity %g, the threshold, meet with "
                         "a chance of %.2g only; give more bands, or fewer rows (lsh takes any "
                         "search of which both --bands and --rows are named)",
                         bands, rows, threshold, chance);
}

/* ---- minima */

nd_method_sizes nd_minima_sizes(const nd_method_options *options, uint64_t tokens) {
    (void)tokens;
    return (nd_method_sizes){.keys = options->bands,
                             .digest = sizeof(uint64_t) * (1 + ((size_t)options->minima + 7) / 8),
                             .payload = options->minima * sizeof(uint64_t)};
}

void nd_minima_sign(const nd_method_options *options, nd_method_work *work,
                    const nd_document *document, uint64_t *keys, size_t *key_count) {
    nd_page_minima(options, work, document);
    *key_count = work->any_minima ? options->bands : 0;
    if (*key_count > 0) {
        nd_band_keys(work->minima, options->bands, options->minima / options->bands, keys);
    }
}

void nd_minima_digest(const nd_method_options *options, nd_method_work *work,
                      const nd_document *document, void *digest) {
    uint8_t *bytes = digest;
    nd_page_minima(options, work, document);
    memset(bytes, 0, nd_minima_sizes(options, 0).digest);
    bytes[0] = work->any_minima;
    for (uint32_t i = 0; work->any_minima && i < options->minima; i++) {
        bytes[sizeof(uint64_t) + i] = (uint8_t)work->minima[i];
    }
}

double nd_minima_bound(const nd_method_options *options, const void *a, const void *b) {
    const uint8_t *x = a;
    const uint8_t *y = b;
    uint32_t equal = 0;
    for (uint32_t i = 0; i < options->minima; i++) {
        equal += x[sizeof(uint64_t) + i] == y[sizeof(uint64_t) + i];
    }
    return x[0] != 0 && y[0] != 0 ? (double)equal / options->minima : 0;
}

void nd_minima_payload(const nd_method_options *options, nd_method_work *work,
                       const nd_document *document, nd_span *payload) {
    nd_page_minima(options, work, document);
    if (!work->any_minima) {
        work->minima[0] = NO_MINIMUM;
    }
    *payload = (nd_span){(const uint8_t *)work->minima, options->minima * sizeof(uint64_t)};
}

void nd_minima_similarity(const nd_method_options *options, nd_method_work *work, nd_span a,
                          nd_span b, double threshold, double *similarity) {
    const uint64_t *x = (const uint64_t *)(const void *)a.data;
    const uint64_t *y = (const uint64_t *)(const void *)b.data;
    const bool any = x[0] != NO_MINIMUM && y[0] != NO_MINIMUM;
    const double share =
        any ? (double)nd_minhash_equal(x, y, options->minima) / options->minima : 0;
    (void)work;
    *similarity = share >= threshold ? share : 0;
}

/* ---- supershingles */

nd_status nd_supershingles_check(const nd_method_options *options) {
    const uint32_t count = options->supershingles;
    if (count < 1 || count > ND_SUPERSHINGLES_MAX) {
        return nd_fail(ND_ERR_USAGE, "--supershingles %u: must be 1 to %d", count,
                       ND_SUPERSHINGLES_MAX);
    }
    if (options->supershingle_minima < 1 || options->supershingle_minima > MOST_MINIMA) {
        return nd_fail(ND_ERR_USAGE, "--supershingle-minima %u: must be 1 to %d",
                       options->supershingle_minima, MOST_MINIMA);
    }
    if (count * options->supershingle_minima > options->minima) {
        return nd_fail(ND_ERR_USAGE,
                       "--supershingles %u of %u minima (--supershingle-minima) need %u, but "
                       "--minima is %u",
                       count, options->supershingle_minima, count * options->supershingle_minima,
                       options->minima);
    }
    if (options->agree < 1 || options->agree > count) {
        return nd_fail(ND_ERR_USAGE, "--agree %u: must be 1 to the %u supershingles of a page",
                       options->agree, count);
    }
    return ND_OK;
}

void nd_page_supershingles(const nd_method_options *options, nd_method_work *work,
                           const nd_document *document, void *vector) {
    uint64_t *words = vector;
    nd_page_minima(options, work, document);
    memset(words, 0, nd_vector_words(options) * sizeof *words);
    words[0] = work->any_minima;
    if (words[0]) {
        nd_supershingles(work->minima, options->supershingles, options->supershingle_minima,
                         words + 1);
    }
}

size_t nd_vectors_agree(const nd_method_options *options, const uint64_t *a, const uint64_t *b) {
    return a[0] != 0 && b[0] != 0 ? nd_supershingles_equal(a + 1, b + 1, options->supershingles)
                                  : 0;
}

size_t nd_vector_max_keys(const nd_method_options *options) {
    return options->agree == 1 ? options->supershingles
                               : nd_megashingle_count(options->supershingles);
}

size_t nd_vector_keys(const nd_method_options *options, const uint64_t *vector, uint64_t *keys) {
    if (vector[0] == 0) {
        return 0;
    }
    if (options->agree == 1) {
        memcpy(keys, vector + 1, options->supershingles * sizeof *keys);
    } else {
        nd_megashingles(vector + 1, options->supershingles, keys);
    }
    return nd_vector_max_keys(options);
}

/* ==== strings of bits */

void nd_page_bits(const nd_method_options *options, nd_method_work *work,
                  const nd_document *document, uint32_t shingle_tokens, uint64_t *string) {
    const nd_shingle_options shingle = {
        .tokens = shingle_tokens, .modulus = 1, .seed = options->seed};
    const bool tokens = shingle_tokens == 1; /* distinct ones, and how often they occur */
    size_t count = nd_shingle_places(&shingle, document->token_count);
    if (tokens) {
        nd_term_vector_fill(document->tokens, document->token_count, &work->terms);
        count = work->terms.count;
        nd_grow(&work->numbers, &work->number_capacity, count, sizeof *work->numbers);
    }
    nd_grow(&work->words, &work->word_capacity, count, sizeof *work->words);
    for (size_t i = 0; tokens && i < count; i++) {
        work->words[i] = work->terms.terms[i].token;
        work->numbers[i] = work->terms.terms[i].frequency;
    }
    if (!tokens && count > 0) {
        count = nd_shingle_values(&shingle, document->tokens, document->token_count, work->words);
    }
    nd_charikar_sign(work->words, tokens ? work->numbers : NULL, count, options->bits,
                     options->seed, string);
}

void nd_bits_digest(const nd_method_options *options, nd_method_work *work,
                    const nd_document *document, void *digest) {
    nd_page_bits(options, work, document, options->shingle_tokens, digest);
}

double nd_bits_bound(const nd_method_options *options, const void *a, const void *b) {
    return (double)nd_charikar_agreeing(a, b, options->bits) / options->bits;
}

/* ---- options */

uint32_t nd_bits_most(uint32_t bits) {
    enum { PER_CENT = 97, WHOLE = 100 };
    return bits * PER_CENT / WHOLE;
}

nd_status nd_page_bits_check(const nd_method_options *options) {
    enum { FEWEST = 16 };
    return options->bits >= FEWEST && options->bits <= ND_CHARIKAR_MAX_BITS
               ? ND_OK
               : nd_fail(ND_ERR_USAGE, "--bits %u: must be %d to %d", options->bits, FEWEST,
                         ND_CHARIKAR_MAX_BITS);
}

nd_status nd_agreeing_bits_check(const nd_method_options *options, const char *option,
                                 uint32_t agree) {
    return agree > options->bits / 2 && agree <= options->bits
               ? ND_OK
               : nd_fail(ND_ERR_USAGE,
                         "--%s %u: must be above half of the %u bits, which agree by chance, and "
                         "at most all",
                         option, agree, options->bits);
}

nd_status nd_pieces_check(const nd_method_options *options, const char *option, uint32_t agree) {
    const uint32_t bits = options->bits;
    const uint32_t fewest = nd_pieces_fewest(bits);
    if (options->pieces < fewest || options->pieces > bits) {
        return nd_fail(ND_ERR_USAGE, "--pieces %u: must be %u to %u for strings of %u bits",
                       options->pieces, fewest, bits, bits);
    }
    const nd_pieces pieces = {bits, options->pieces, 1};
    const double chance = nd_pieces_at(&pieces, bits - agree);
    return chance >= LEAST_CHANCE
               ? ND_OK
               : nd_fail(ND_ERR_USAGE,
                         "--pieces %u, --%s %u: pages that agree in so many of %u bits meet with a "
                         "chance of %.2g only; give more pieces",
                         options->pieces, option, agree, bits, chance);
}

/* ==== keys by sentences */

/* A chunk ends after a token whose hash is 0 modulo this, so that an edit changes the chunk it
 * stands in and leaves the others: content-defined chunking (Manber, USENIX 1994) of tokens. */
static const uint32_t CHUNK_TOKENS = 8;
/* Shorter chunks are joined with the next: "of the" is no feature. */
static const uint32_t SHORTEST_CHUNK = 4;
/* Keys of chunks must not meet keys of sentences. */
static const uint64_t CHUNK_KEYS = UINT64_C(0x9e3779b97f4a7c15);

/* The key of every page that has no fingerprints. */
static const uint64_t ALL_MEET = 1;

size_t nd_sentence_max_keys(const nd_method_options *options) {
    return (options->chunk_sentences > 0 ? 2 : 1) * (size_t)options->fingerprint.buckets;
}

/* Digests of the sentences of at least `least` tokens. */
static size_t pick_sentences(const nd_document *document, uint32_t least, nd_md5 *digests) {
    size_t picked = 0;
    for (uint32_t i = 0; i < document->sentence_count; i++) {
        if (document->sentences[i].token_count >= least) {
            digests[picked++] = document->sentences[i].digest;
        }
    }
    return picked;
}

/* Another seed turns other bits of every digest, so that other sentences are the smallest. */
static void apply_seed(uint64_t seed, nd_md5 *digests, size_t count) {
    nd_random random = {seed};
    uint64_t turn[2] = {nd_random_next(&random), nd_random_next(&random)};
    const uint8_t *bytes = (const uint8_t *)turn;
    for (size_t i = 0; seed != 0 && i < count; i++) {
        for (size_t k = 0; k < sizeof digests[i].bytes; k++) {
            digests[i].bytes[k] ^= bytes[k];
        }
    }
}

/* A page shares hardly a long sentence with a copy that has an edit in each of them, as a number
 * before each. It gets fingerprints of its chunks besides, into which every sentence is cut. */
static void sign_chunks(const nd_method_options *options, const nd_document *document,
                        uint64_t *keys, size_t *key_count) {
    nd_span *chunks = NULL; /* of tokens; room for one per token */
    nd_md5 *digests = NULL;
    size_t count = 0;
    const uint32_t *token = document->tokens;
    nd_new_room(&chunks, document->token_count, sizeof *chunks);
    for (uint32_t s = 0; s < document->sentence_count; s++) {
        const uint32_t *begin = token;
        const uint32_t *end = token + document->sentences[s].token_count;
        for (; token < end; token++) {
            const size_t length = (size_t)(token + 1 - begin);
            if (token + 1 == end ||
                (length >= SHORTEST_CHUNK && nd_mix64(*token) % CHUNK_TOKENS == 0)) {
                chunks[count++] = (nd_span){(const uint8_t *)begin, length * sizeof *begin};
                begin = token + 1;
            }
        }
    }
    nd_new_room(&digests, count, sizeof *digests);
    nd_md5_batch(chunks, count, digests);
    apply_seed(options->seed, digests, count);
    *key_count = nd_fingerprint_keys(digests, count, &options->fingerprint, keys);
    for (size_t i = 0; i < *key_count; i++) {
        keys[i] ^= CHUNK_KEYS;
    }
    free(chunks);
    free(digests);
}

void nd_sentence_sign(const nd_method_options *options, nd_method_work *work,
                      const nd_document *document, uint64_t *keys, size_t *key_count) {
    /* Short sentences (menu entries, dates) make poor features; but a page that has hardly any
     * other is signed by shorter and shorter ones, in the end by all it has, so that it still meets
     * its copies. */
    enum { MIDDLE_RUNG = 3 };
    const uint32_t rungs[] = {options->sentence_tokens, MIDDLE_RUNG, 1};
    nd_md5 *digests = NULL;
    size_t more = 0;
    (void)work;
    if (!options->fingerprints) {
        keys[0] = ALL_MEET;
        *key_count = 1;
        return;
    }
    nd_new_room(&digests, document->sentence_count, sizeof *digests);
    const size_t long_enough = pick_sentences(document, rungs[0], digests);
    size_t picked = long_enough;
    for (size_t r = 1; r < sizeof rungs / sizeof rungs[0] && picked < options->fingerprint.buckets;
         r++) {
        if (rungs[r] < options->sentence_tokens) {
            picked = pick_sentences(document, rungs[r], digests);
        }
    }
    apply_seed(options->seed, digests, picked);
    *key_count = nd_fingerprint_keys(digests, picked, &options->fingerprint, keys);
    if (long_enough < options->chunk_sentences) {
        sign_chunks(options, document, keys + *key_count, &more);
        *key_count += more;
    }
    free(digests);
}
