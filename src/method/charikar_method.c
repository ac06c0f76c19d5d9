#include "src/method/charikar_method.h"

#include "src/method/page_bits.h"
#include "src/method/page_sketch.h"
#include "src/sketch/pieces.h"

#include <stdlib.h>

typedef struct charikar_state {
    nd_page_bits page;
    uint64_t string[ND_CHARIKAR_MAX_WORDS]; /* of the latest page */
} charikar_state;

static const char *const charikar_options[] = {"shingle-tokens", "bits", "pieces", "agree", NULL};

static void charikar_defaults(nd_method_options *options) {
    nd_method_drop_rules(options);
    options->image_terms = true;
    options->shingle_tokens = 1;
    options->bits = ND_CHARIKAR_BITS;
    options->pieces = ND_PIECES;
    options->agree = 0;
}

static nd_status charikar_derive(nd_method_options *options) {
    nd_status st = ND_OK;
    ND_TRY(nd_page_bits_check(options));
    ND_TRY(nd_shingle_tokens_check(options));
    if (options->agree == 0) {
        options->agree = nd_bits_most(options->bits);
    }
    ND_TRY(nd_agreeing_bits_check(options, "agree", options->agree));
    ND_TRY(nd_pieces_check(options, "agree", options->agree));
    options->threshold = (double)options->agree / options->bits;
out:
    return st;
}

static nd_status charikar_open(const nd_method_options *options, void **state) {
    charikar_state *s = NULL;
    const nd_status st = nd_new(&s, 1, sizeof *s);
    (void)options;
    *state = s;
    return st;
}

static void charikar_close(void *state) {
    charikar_state *s = state;
    if (s != NULL) {
        nd_page_bits_close(&s->page);
        free(s);
    }
}

static size_t charikar_max_keys(const nd_method_options *options) {
    return options->pieces;
}

static size_t charikar_digest_size(const nd_method_options *options) {
    return nd_charikar_words(options->bits) * sizeof(uint64_t);
}

static nd_status charikar_digest(const nd_method_options *options, void *state,
                                 const nd_document *document, void *digest) {
    charikar_state *s = state;
    return nd_page_bits_sign(&s->page, options, document, options->shingle_tokens, options->bits,
                             digest);
}

static nd_status charikar_sign(const nd_method_options *options, void *state,
                               const nd_document *document, uint64_t *keys, size_t *key_count) {
    charikar_state *s = state;
    const nd_status st = charikar_digest(options, state, document, s->string);
    *key_count = st == ND_OK ? options->pieces : 0;
    if (st == ND_OK) {
        nd_pieces_keys(s->string, options->bits, options->pieces, keys);
    }
    return st;
}

static double charikar_length_bound(const nd_method_options *options, uint64_t a, uint64_t b) {
    (void)options;
    (void)a;
    (void)b;
    return 1;
}

static double charikar_bound(const nd_method_options *options, const void *a, const void *b) {
    return (double)nd_charikar_agreeing(a, b, options->bits) / options->bits;
}

const nd_method nd_method_charikar = {
    .name = "charikar",
    .summary = "projections of which 372 of 384 bits agree (Charikar 2002; Alg. C of Henzinger, US "
               "2008/0044016)",
    .options = charikar_options,
    .guard = 12.0 / ND_CHARIKAR_BITS,
    .defaults = charikar_defaults,
    .derive = charikar_derive,
    .open = charikar_open,
    .close = charikar_close,
    .max_keys = charikar_max_keys,
    .sign = charikar_sign,
    .digest_size = charikar_digest_size,
    .digest = charikar_digest,
    .length_bound = charikar_length_bound,
    .bound = charikar_bound,
};
