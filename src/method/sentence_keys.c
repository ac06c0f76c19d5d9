#include "src/method/sentence_keys.h"

#include "src/base/util.h"

#include <stdlib.h>

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

nd_status nd_sentence_sign(const nd_method_options *options, nd_method_work *work,
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
        return ND_OK;
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
    return ND_OK;
}
