#include "src/method/lsh_method.h"

#include "src/compare/resemblance.h"
#include "src/method/page_sketch.h"
#include "src/sketch/bands.h"
#include "src/sketch/histogram.h"

#include <stdlib.h>
#include <string.h>

/* Shingles as the histogram takes them, besides the sketch. */
typedef struct lsh_state {
    nd_page_sketch sketch;
    uint32_t *folded;
    uint64_t *payload; /* of the latest page: how many shingles, they, zeros up to its size */
    size_t folded_capacity, payload_capacity;
} lsh_state;

static const char *const lsh_options[] = {"threshold", "shingle-tokens", "wrap-around",
                                          "thinning",  "shingle-hash",   "bands",
                                          "rows",      "verify",         NULL};

static void lsh_defaults(nd_method_options *options) {
    options->threshold = 0.7;
    nd_method_drop_rules(options);
    options->shingle_tokens = 5;
    options->bands = 25;
    options->rows = 5;
    options->verify = true;
}

static nd_status lsh_derive(nd_method_options *options) {
    enum { MOST = 1000 };
    nd_status st = ND_OK;
    if (options->bands < 1 || options->bands > MOST || options->rows < 1 || options->rows > MOST) {
        return nd_fail(ND_ERR_USAGE, "--bands %u, --rows %u: must be 1 to %d each", options->bands,
                       options->rows, MOST);
    }
    options->minima = options->bands * options->rows;
    ND_TRY(nd_method_check_options(options)); /* the chance is looked at for the threshold */
    ND_TRY(nd_page_sketch_check(options));
    ND_TRY(nd_page_bands_check(options->bands, options->rows, options->threshold));
out:
    return st;
}

static void lsh_close(void *state) {
    lsh_state *s = state;
    if (s != NULL) {
        nd_page_sketch_close(&s->sketch);
        free(s->folded);
        free(s->payload);
        free(s);
    }
}

static nd_status lsh_open(const nd_method_options *options, void **state) {
    nd_status st = ND_OK;
    lsh_state *s = NULL;
    ND_TRY(nd_new(&s, 1, sizeof *s));
    ND_TRY(nd_page_sketch_open(&s->sketch, options, options->minima));
out:
    if (st != ND_OK) {
        lsh_close(s);
        s = NULL;
    }
    *state = s;
    return st;
}

/* ---- keys */

static size_t lsh_max_keys(const nd_method_options *options) {
    return options->bands;
}

static nd_status lsh_sign(const nd_method_options *options, void *state,
                          const nd_document *document, uint64_t *keys, size_t *key_count) {
    lsh_state *s = state;
    bool any = false;
    const nd_status st = nd_page_minima(&s->sketch, document, &any);
    *key_count = any ? options->bands : 0;
    if (any) {
        nd_band_keys(s->sketch.minima, options->bands, options->rows, keys);
    }
    return st;
}

/* ---- bounds: shingles that fall into the same bin, at most that many can be common */

static size_t lsh_digest_size(const nd_method_options *options) {
    return options->verify ? sizeof(nd_histogram) : nd_minima_digest_size(options->minima);
}

static nd_status lsh_digest(const nd_method_options *options, void *state,
                            const nd_document *document, void *digest) {
    nd_status st = ND_OK;
    lsh_state *s = state;
    size_t count = 0;
    if (!options->verify) {
        return nd_minima_digest(&s->sketch, document, options->minima, digest);
    }
    ND_TRY(nd_page_shingles(&s->sketch, document, &count));
    ND_TRY(nd_grow(&s->folded, &s->folded_capacity, count, sizeof *s->folded));
    for (size_t i = 0; i < count; i++) {
        s->folded[i] = (uint32_t)s->sketch.values[i];
    }
    nd_histogram_fill(s->folded, count, digest);
out:
    return st;
}

static double lsh_length_bound(const nd_method_options *options, uint64_t a, uint64_t b) {
    (void)options; /* a page may repeat its shingles as often as it likes */
    (void)a;
    (void)b;
    return 1;
}

static double lsh_bound(const nd_method_options *options, const void *a, const void *b) {
    if (!options->verify) {
        return nd_minima_bound(options->minima, a, b);
    }
    const nd_histogram *x = a;
    const nd_histogram *y = b;
    return nd_resemblance_ratio(nd_histogram_common(x, y), x->tokens, y->tokens);
}

/* ---- comparison */

static uint64_t lsh_payload_size(const nd_method_options *options, uint64_t tokens) {
    const nd_shingle_options shingle = {.tokens = options->shingle_tokens,
                                        .wrap = options->wrap_around};
    return options->verify ? (1 + nd_shingle_places(&shingle, (size_t)tokens)) * sizeof(uint64_t)
                           : nd_minima_payload_size(options->minima);
}

static nd_status lsh_payload(const nd_method_options *options, void *state,
                             const nd_document *document, nd_span *payload) {
    nd_status st = ND_OK;
    lsh_state *s = state;
    size_t count = 0;
    if (!options->verify) {
        return nd_minima_payload(&s->sketch, document, options->minima, payload);
    }
    const size_t size = (size_t)lsh_payload_size(options, document->token_count);
    ND_TRY(nd_page_shingles(&s->sketch, document, &count));
    ND_TRY(nd_grow(&s->payload, &s->payload_capacity, size / sizeof(uint64_t), sizeof(uint64_t)));
    memset(s->payload, 0, size);
    s->payload[0] = count;
    if (count > 0) {
        memcpy(s->payload + 1, s->sketch.values, count * sizeof(uint64_t));
    }
    *payload = (nd_span){(const uint8_t *)s->payload, size};
out:
    return st;
}

static nd_status lsh_similarity(const nd_method_options *options, void *state, nd_span a, nd_span b,
                                double threshold, double *similarity) {
    const uint64_t *x = (const uint64_t *)(const void *)a.data;
    const uint64_t *y = (const uint64_t *)(const void *)b.data;
    (void)state;
    *similarity = options->verify ? nd_resemblance(x + 1, x[0], y + 1, y[0], threshold)
                                  : nd_minima_similarity(options->minima, a, b, threshold);
    return ND_OK;
}

const nd_method nd_method_lsh = {
    .name = "lsh",
    .summary = "bands of min-wise sketches, then the resemblance of the shingles (Indyk and "
               "Motwani 1998)",
    .options = lsh_options,
    .guard = 0.15,
    .defaults = lsh_defaults,
    .derive = lsh_derive,
    .open = lsh_open,
    .close = lsh_close,
    .max_keys = lsh_max_keys,
    .sign = lsh_sign,
    .digest_size = lsh_digest_size,
    .digest = lsh_digest,
    .length_bound = lsh_length_bound,
    .bound = lsh_bound,
    .payload_size = lsh_payload_size,
    .payload = lsh_payload,
    .similarity = lsh_similarity,
};
