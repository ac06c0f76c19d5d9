#include "src/method/sketch_method.h"

#include "src/method/page_sketch.h"
#include "src/plan/curve.h"
#include "src/sketch/bands.h"

#include <stdlib.h>

static const char *const sketch_options[] = {
    "threshold",    "shingle-tokens", "wrap-around", "thinning",
    "shingle-hash", "minima",         "bands",       NULL};

static void sketch_defaults(nd_method_options *options) {
    options->threshold = 0.9;
    nd_method_drop_rules(options);
    options->shingle_tokens = 4;
    options->minima = 100;
    options->bands = 0;
}

/* ---- options */

/* Minima that are equal in pages at the threshold, by the very division that is compared. */
static uint32_t least_equal(const nd_method_options *options) {
    uint32_t least = 0;
    while (least < options->minima && (double)least / options->minima < options->threshold) {
        least++;
    }
    return least;
}

/* Does every pair at the threshold have an equal band? Surely so with more bands than minima that
 * differ; but with hardly any rows in a band everything meets, so there nearly surely will do. */
static bool finds_all(const nd_method_options *options, uint32_t bands) {
    enum { FEWEST_ROWS = 3 };
    static const double NEARLY = 0.999;
    const nd_curve curve = nd_curve_of_bands(bands, options->minima / bands);
    const uint32_t exact = options->minima - least_equal(options) + 1;
    return bands >= exact || (options->minima / exact < FEWEST_ROWS &&
                              nd_curve_at(&curve, options->threshold) >= NEARLY);
}

static uint32_t choose_bands(const nd_method_options *options) {
    uint32_t bands = 1;
    while (bands < options->minima &&
           (options->minima % bands != 0 || !finds_all(options, bands))) {
        bands++;
    }
    return bands;
}

static nd_status sketch_derive(nd_method_options *options) {
    nd_status st = ND_OK;
    ND_TRY(nd_method_check_options(options)); /* bands are chosen by the threshold */
    ND_TRY(nd_page_sketch_check(options));
    if (options->bands == 0) {
        options->bands = choose_bands(options);
    }
    if (options->bands > options->minima || options->minima % options->bands != 0) {
        st =
            nd_fail(ND_ERR_USAGE, "--bands %u: the %u minima (--minima) cannot be cut into so many",
                    options->bands, options->minima);
        goto out;
    }
    ND_TRY(
        nd_page_bands_check(options->bands, options->minima / options->bands, options->threshold));
out:
    return st;
}

/* ---- pages */

static nd_status sketch_open(const nd_method_options *options, void **state) {
    nd_status st = ND_OK;
    nd_page_sketch *sketch = NULL;
    ND_TRY(nd_new(&sketch, 1, sizeof *sketch));
    ND_TRY(nd_page_sketch_open(sketch, options, options->minima));
    *state = sketch;
    return ND_OK;
out:
    free(sketch);
    *state = NULL;
    return st;
}

static void sketch_close(void *state) {
    if (state != NULL) {
        nd_page_sketch_close(state);
        free(state);
    }
}

static size_t sketch_max_keys(const nd_method_options *options) {
    return options->bands;
}

static nd_status sketch_sign(const nd_method_options *options, void *state,
                             const nd_document *document, uint64_t *keys, size_t *key_count) {
    nd_page_sketch *sketch = state;
    bool any = false;
    const nd_status st = nd_page_minima(sketch, document, &any);
    *key_count = any ? options->bands : 0;
    if (any) {
        nd_band_keys(sketch->minima, options->bands, options->minima / options->bands, keys);
    }
    return st;
}

static size_t sketch_digest_size(const nd_method_options *options) {
    return nd_minima_digest_size(options->minima);
}

static nd_status sketch_digest(const nd_method_options *options, void *state,
                               const nd_document *document, void *digest) {
    return nd_minima_digest(state, document, options->minima, digest);
}

static double sketch_length_bound(const nd_method_options *options, uint64_t a, uint64_t b) {
    (void)options;
    (void)a;
    (void)b;
    return 1;
}

static double sketch_bound(const nd_method_options *options, const void *a, const void *b) {
    return nd_minima_bound(options->minima, a, b);
}

static uint64_t sketch_payload_size(const nd_method_options *options, uint64_t tokens) {
    (void)tokens;
    return nd_minima_payload_size(options->minima);
}

static nd_status sketch_payload(const nd_method_options *options, void *state,
                                const nd_document *document, nd_span *payload) {
    return nd_minima_payload(state, document, options->minima, payload);
}

static nd_status sketch_similarity(const nd_method_options *options, void *state, nd_span a,
                                   nd_span b, double threshold, double *similarity) {
    (void)state;
    *similarity = nd_minima_similarity(options->minima, a, b, threshold);
    return ND_OK;
}

const nd_method nd_method_sketch = {
    .name = "sketch",
    .summary = "share of equal minima of min-wise sketches (Broder, Charikar, Frieze and "
               "Mitzenmacher 1998)",
    .options = sketch_options,
    .guard = 0.1,
    .defaults = sketch_defaults,
    .derive = sketch_derive,
    .open = sketch_open,
    .close = sketch_close,
    .max_keys = sketch_max_keys,
    .sign = sketch_sign,
    .digest_size = sketch_digest_size,
    .digest = sketch_digest,
    .length_bound = sketch_length_bound,
    .bound = sketch_bound,
    .payload_size = sketch_payload_size,
    .payload = sketch_payload,
    .similarity = sketch_similarity,
};
