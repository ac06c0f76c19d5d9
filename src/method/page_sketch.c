#include "src/method/page_sketch.h"

#include "src/base/buffer.h"
#include "src/plan/curve.h"
#include "src/sketch/supershingle.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_SHINGLE_TOKENS = 1000,
    MOST_THINNING = 1000000,
    MOST_MINIMA = 10000,
    MOST_SUPERSHINGLES = 32 /* 496 megashingles */
};

/* Pages at the threshold that meet less often than this are hardly looked for. */
static const double LEAST_CHANCE = 0.1;

/* Of a page without a sketch; minima are below 2^61 - 1. */
static const uint64_t NO_MINIMUM = UINT64_MAX;

/* ---- tables */

nd_status nd_page_sketch_open(nd_page_sketch *sketch, const nd_method_options *options,
                              uint32_t minima) {
    nd_status st = ND_OK;
    *sketch = (nd_page_sketch){.shingle = {.tokens = options->shingle_tokens,
                                           .modulus = options->thinning,
                                           .seed = options->seed,
                                           .wrap = options->wrap_around,
                                           .distinct = true}};
    if (options->shingle_hash == ND_SHINGLE_RABIN) {
        ND_TRY(nd_new(&sketch->rabin, 1, sizeof *sketch->rabin));
        nd_rabin_start(sketch->rabin, options->seed, options->shingle_tokens);
        sketch->shingle.rabin = sketch->rabin;
    }
    if (minima > 0) {
        ND_TRY(nd_new(&sketch->minima, minima, sizeof *sketch->minima));
        ND_TRY(nd_minhash_new(&sketch->minhash, minima, options->seed));
    }
out:
    if (st != ND_OK) {
        nd_page_sketch_close(sketch);
    }
    return st;
}

void nd_page_sketch_close(nd_page_sketch *sketch) {
    nd_minhash_free(&sketch->minhash);
    free(sketch->rabin);
    free(sketch->tokens);
    free(sketch->values);
    free(sketch->minima);
    *sketch = (nd_page_sketch){0};
}

/* ---- pages */

/* Is it the latest page? Told by its tokens, for others may lie where they lay. */
static bool is_latest(const nd_page_sketch *sketch, const nd_document *document) {
    return sketch->has_values && sketch->token_count == document->token_count &&
           (document->token_count == 0 ||
            memcmp(sketch->tokens, document->tokens,
                   document->token_count * sizeof *document->tokens) == 0);
}

nd_status nd_page_shingles(nd_page_sketch *sketch, const nd_document *document, size_t *count) {
    nd_status st = ND_OK;
    const size_t tokens = document->token_count;
    const size_t room = nd_shingle_places(&sketch->shingle, tokens);
    *count = 0;
    if (is_latest(sketch, document)) {
        *count = sketch->value_count;
        return ND_OK;
    }
    sketch->has_values = sketch->has_minima = false;
    ND_TRY(nd_grow(&sketch->tokens, &sketch->token_capacity, tokens, sizeof *sketch->tokens));
    ND_TRY(nd_grow(&sketch->values, &sketch->capacity, room, sizeof(uint64_t)));
    if (tokens > 0) {
        memcpy(sketch->tokens, document->tokens, tokens * sizeof *sketch->tokens);
    }
    sketch->token_count = tokens;
    sketch->value_count =
        room == 0 ? 0
                  : nd_shingle_values(&sketch->shingle, document->tokens, tokens, sketch->values);
    sketch->has_values = true;
    *count = sketch->value_count;
out:
    return st;
}

nd_status nd_page_minima(nd_page_sketch *sketch, const nd_document *document, bool *any) {
    size_t count = 0;
    const nd_status st = nd_page_shingles(sketch, document, &count);
    if (st == ND_OK && !sketch->has_minima) {
        sketch->any_minima =
            nd_minhash_sketch(&sketch->minhash, sketch->values, count, sketch->minima);
        sketch->has_minima = true;
    }
    *any = st == ND_OK && sketch->any_minima;
    return st;
}

/* ---- options */

nd_status nd_shingle_tokens_check(const nd_method_options *options) {
    return options->shingle_tokens >= 1 && options->shingle_tokens <= MOST_SHINGLE_TOKENS
               ? ND_OK
               : nd_fail(ND_ERR_USAGE, "--shingle-tokens %u: must be 1 to %d",
                         options->shingle_tokens, MOST_SHINGLE_TOKENS);
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
                         "a chance of %.2g only; give more bands, or fewer rows",
                         bands, rows, threshold, chance);
}

/* ---- minima */

size_t nd_minima_digest_size(uint32_t minima) {
    return sizeof(uint64_t) * (1 + ((size_t)minima + 7) / 8);
}

nd_status nd_minima_digest(nd_page_sketch *sketch, const nd_document *document, uint32_t minima,
                           uint8_t *digest) {
    bool any = false;
    const nd_status st = nd_page_minima(sketch, document, &any);
    memset(digest, 0, nd_minima_digest_size(minima));
    digest[0] = any;
    for (uint32_t i = 0; any && i < minima; i++) {
        digest[sizeof(uint64_t) + i] = (uint8_t)sketch->minima[i];
    }
    return st;
}

double nd_minima_bound(uint32_t minima, const uint8_t *a, const uint8_t *b) {
    uint32_t equal = 0;
    for (uint32_t i = 0; i < minima; i++) {
        equal += a[sizeof(uint64_t) + i] == b[sizeof(uint64_t) + i];
    }
    return a[0] != 0 && b[0] != 0 ? (double)equal / minima : 0;
}

uint64_t nd_minima_payload_size(uint32_t minima) {
    return minima * sizeof(uint64_t);
}

nd_status nd_minima_payload(nd_page_sketch *sketch, const nd_document *document, uint32_t minima,
                            nd_span *payload) {
    bool any = false;
    const nd_status st = nd_page_minima(sketch, document, &any);
    if (!any) {
        sketch->minima[0] = NO_MINIMUM;
    }
    *payload = (nd_span){(const uint8_t *)sketch->minima, minima * sizeof(uint64_t)};
    return st;
}

double nd_minima_similarity(uint32_t minima, nd_span a, nd_span b, double threshold) {
    const uint64_t *x = (const uint64_t *)(const void *)a.data;
    const uint64_t *y = (const uint64_t *)(const void *)b.data;
    if (x[0] == NO_MINIMUM || y[0] == NO_MINIMUM) {
        return 0;
    }
    const double share = (double)nd_minhash_equal(x, y, minima) / minima;
    return share >= threshold ? share : 0;
}

/* ---- supershingles */

nd_status nd_supershingles_check(const nd_method_options *options) {
    const uint32_t count = options->supershingles;
    if (count < 1 || count > MOST_SUPERSHINGLES) {
        return nd_fail(ND_ERR_USAGE, "--supershingles %u: must be 1 to %d", count,
                       MOST_SUPERSHINGLES);
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

nd_status nd_page_supershingles(nd_page_sketch *sketch, const nd_method_options *options,
                                const nd_document *document, uint64_t *vector) {
    bool any = false;
    const nd_status st = nd_page_minima(sketch, document, &any);
    memset(vector, 0, nd_vector_words(options) * sizeof *vector);
    vector[0] = any;
    if (any) {
        nd_supershingles(sketch->minima, options->supershingles, options->supershingle_minima,
                         vector + 1);
    }
    return st;
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
