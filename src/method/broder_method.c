#include "src/method/broder_method.h"

#include "src/method/page_sketch.h"
#include "src/sketch/supershingle.h"

#include <stdlib.h>

typedef struct broder_state {
    nd_page_sketch sketch;
    uint64_t *vector; /* of the latest page */
} broder_state;

static const char *const broder_options[] = {"shingle-tokens",      "wrap-around", "thinning",
                                             "shingle-hash",        "minima",      "supershingles",
                                             "supershingle-minima", "agree",       NULL};

static void broder_defaults(nd_method_options *options) {
    enum { SHINGLE_TOKENS = 8 };
    nd_method_drop_rules(options);
    options->image_terms = true;
    options->shingle_tokens = SHINGLE_TOKENS;
    options->wrap_around = true;
    options->shingle_hash = ND_SHINGLE_RABIN;
    options->minima = ND_SUPERSHINGLE_SKETCH;
    options->supershingles = ND_SUPERSHINGLES;
    options->supershingle_minima = ND_SUPERSHINGLE_MINIMA;
    options->agree = ND_SUPERSHINGLES_NEEDED;
}

static nd_status broder_derive(nd_method_options *options) {
    nd_status st = ND_OK;
    ND_TRY(nd_page_sketch_check(options));
    ND_TRY(nd_supershingles_check(options));
    options->threshold = (double)options->agree / options->supershingles;
out:
    return st;
}

static void broder_close(void *state) {
    broder_state *s = state;
    if (s != NULL) {
        nd_page_sketch_close(&s->sketch);
        free(s->vector);
        free(s);
    }
}

static nd_status broder_open(const nd_method_options *options, void **state) {
    nd_status st = ND_OK;
    broder_state *s = NULL;
    ND_TRY(nd_new(&s, 1, sizeof *s));
    ND_TRY(nd_new(&s->vector, nd_vector_words(options), sizeof *s->vector));
    ND_TRY(nd_page_sketch_open(&s->sketch, options, options->minima));
out:
    if (st != ND_OK) {
        broder_close(s);
        s = NULL;
    }
    *state = s;
    return st;
}

static nd_status broder_sign(const nd_method_options *options, void *state,
                             const nd_document *document, uint64_t *keys, size_t *key_count) {
    broder_state *s = state;
    const nd_status st = nd_page_supershingles(&s->sketch, options, document, s->vector);
    *key_count = st == ND_OK ? nd_vector_keys(options, s->vector, keys) : 0;
    return st;
}

static size_t broder_digest_size(const nd_method_options *options) {
    return nd_vector_words(options) * sizeof(uint64_t);
}

static nd_status broder_digest(const nd_method_options *options, void *state,
                               const nd_document *document, void *digest) {
    broder_state *s = state;
    return nd_page_supershingles(&s->sketch, options, document, digest);
}

static double broder_length_bound(const nd_method_options *options, uint64_t a, uint64_t b) {
    (void)options;
    (void)a;
    (void)b;
    return 1;
}

static double broder_bound(const nd_method_options *options, const void *a, const void *b) {
    return (double)nd_vectors_agree(options, a, b) / options->supershingles;
}

const nd_method nd_method_broder = {
    .name = "broder",
    .summary = "supershingles of which 2 of 6 agree (Broder 1997; Alg. B of Henzinger, US "
               "2008/0044016)",
    .options = broder_options,
    .guard = 1.0 / ND_SUPERSHINGLES,
    .defaults = broder_defaults,
    .derive = broder_derive,
    .open = broder_open,
    .close = broder_close,
    .max_keys = nd_vector_max_keys,
    .sign = broder_sign,
    .digest_size = broder_digest_size,
    .digest = broder_digest,
    .length_bound = broder_length_bound,
    .bound = broder_bound,
};
