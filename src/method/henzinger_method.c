#include "src/method/henzinger_method.h"

#include "src/method/page_bits.h"
#include "src/method/page_sketch.h"
#include "src/sketch/pieces.h"
#include "src/sketch/supershingle.h"

#include <stdlib.h>

/* What is kept of a page, in words: its site, the vector of its supershingles, its bits. */
typedef struct henzinger_state {
    nd_page_sketch sketch;
    nd_page_bits page;
    uint64_t *record; /* of the latest page */
} henzinger_state;

static const char *const henzinger_options[] = {"shingle-tokens", "wrap-around",
                                                "thinning",       "shingle-hash",
                                                "minima",         "supershingles",
                                                "agree",          "supershingle-minima",
                                                "bits",           "pieces",
                                                "henzinger",      "filter-bits",
                                                "charikar-bits",  NULL};

static void henzinger_defaults(nd_method_options *options) {
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
    options->bits = ND_CHARIKAR_BITS;
    options->pieces = ND_PIECES;
    options->henzinger = ND_HENZINGER_BASIC;
    options->filter_bits = 0;
    options->charikar_bits = 0;
}

/* ---- options */

/* The share of bits from which pages on are similar: the lowest that any pair may have, and that of
 * pages of one site. similarity() refuses those that need more. */
static void set_thresholds(nd_method_options *options) {
    const double filter = (double)options->filter_bits / options->bits;
    const double alone = (double)options->charikar_bits / options->bits;
    options->site_threshold = 0;
    switch (options->henzinger) {
    case ND_HENZINGER_SITE_VARIANT:
        options->threshold = alone;
        options->site_threshold = filter;
        break;
    case ND_HENZINGER_UNION:
        options->threshold = filter < alone ? filter : alone;
        break;
    default:
        options->threshold = filter;
        break;
    }
}

static bool looks_by_bits(const nd_method_options *options) {
    return options->henzinger != ND_HENZINGER_BASIC;
}

static nd_status check_bits(nd_method_options *options) {
    nd_status st = ND_OK;
    ND_TRY(nd_page_bits_check(options));
    const uint32_t most = nd_bits_most(options->bits);
    options->filter_bits = options->filter_bits == 0 ? most : options->filter_bits;
    options->charikar_bits = options->charikar_bits == 0 ? most : options->charikar_bits;
    ND_TRY(nd_agreeing_bits_check(options, "filter-bits", options->filter_bits));
    ND_TRY(nd_agreeing_bits_check(options, "charikar-bits", options->charikar_bits));
    if (options->henzinger == ND_HENZINGER_UNION && options->charikar_bits < options->filter_bits) {
        st = nd_fail(ND_ERR_USAGE,
                     "--charikar-bits %u: below --filter-bits %u, the union would be what bits "
                     "alone find",
                     options->charikar_bits, options->filter_bits);
        goto out;
    }
    if (looks_by_bits(options)) {
        ND_TRY(nd_pieces_check(options, "charikar-bits", options->charikar_bits));
    }
out:
    return st;
}

static nd_status henzinger_derive(nd_method_options *options) {
    nd_status st = ND_OK;
    ND_TRY(nd_page_sketch_check(options));
    ND_TRY(nd_supershingles_check(options));
    ND_TRY(check_bits(options));
    set_thresholds(options);
out:
    return st;
}

/* ---- pages */

static size_t record_words(const nd_method_options *options) {
    return 1 + nd_vector_words(options) + nd_charikar_words(options->bits);
}

static const uint64_t *vector_of(const uint64_t *record) {
    return record + 1;
}

static const uint64_t *string_of(const nd_method_options *options, const uint64_t *record) {
    return record + 1 + nd_vector_words(options);
}

static void henzinger_close(void *state) {
    henzinger_state *s = state;
    if (s != NULL) {
        nd_page_sketch_close(&s->sketch);
        nd_page_bits_close(&s->page);
        free(s->record);
        free(s);
    }
}

static nd_status henzinger_open(const nd_method_options *options, void **state) {
    nd_status st = ND_OK;
    henzinger_state *s = NULL;
    ND_TRY(nd_new(&s, 1, sizeof *s));
    ND_TRY(nd_new(&s->record, record_words(options), sizeof *s->record));
    ND_TRY(nd_page_sketch_open(&s->sketch, options, options->minima));
out:
    if (st != ND_OK) {
        henzinger_close(s);
        s = NULL;
    }
    *state = s;
    return st;
}

static size_t henzinger_digest_size(const nd_method_options *options) {
    return record_words(options) * sizeof(uint64_t);
}

static nd_status henzinger_digest(const nd_method_options *options, void *state,
                                  const nd_document *document, void *digest) {
    nd_status st = ND_OK;
    henzinger_state *s = state;
    uint64_t *record = digest;
    record[0] = document->site;
    ND_TRY(nd_page_supershingles(&s->sketch, options, document, record + 1));
    ND_TRY(nd_page_bits_sign(&s->page, options, document, 1, options->bits,
                             record + 1 + nd_vector_words(options)));
out:
    return st;
}

static size_t henzinger_max_keys(const nd_method_options *options) {
    return nd_vector_max_keys(options) + (looks_by_bits(options) ? options->pieces : 0);
}

static nd_status henzinger_sign(const nd_method_options *options, void *state,
                                const nd_document *document, uint64_t *keys, size_t *key_count) {
    nd_status st = ND_OK;
    henzinger_state *s = state;
    *key_count = 0;
    ND_TRY(henzinger_digest(options, state, document, s->record));
    *key_count = nd_vector_keys(options, vector_of(s->record), keys);
    if (looks_by_bits(options)) {
        nd_pieces_keys(string_of(options, s->record), options->bits, options->pieces,
                       keys + *key_count);
        *key_count += options->pieces;
    }
out:
    return st;
}

static double henzinger_length_bound(const nd_method_options *options, uint64_t a, uint64_t b) {
    (void)options;
    (void)a;
    (void)b;
    return 1;
}

/* Is agreement of bits enough, or must supershingles agree too? */
static bool bits_are_enough(const nd_method_options *options, const uint64_t *a, const uint64_t *b,
                            uint32_t agreeing) {
    switch (options->henzinger) {
    case ND_HENZINGER_SITE_VARIANT:
        return a[0] != b[0];
    case ND_HENZINGER_UNION:
        return agreeing >= options->charikar_bits;
    default:
        return false;
    }
}

/* The share of agreeing bits. Where supershingles must agree and do not, it stays a bit below the
 * filter: such pages are not similar, but near enough to share a set's representative. */
static double henzinger_bound(const nd_method_options *options, const void *a, const void *b) {
    const uint32_t agreeing =
        nd_charikar_agreeing(string_of(options, a), string_of(options, b), options->bits);
    const bool similar = agreeing < options->filter_bits ||
                         bits_are_enough(options, a, b, agreeing) ||
                         nd_vectors_agree(options, vector_of(a), vector_of(b)) >= options->agree;
    return (double)(similar ? agreeing : options->filter_bits - 1) / options->bits;
}

const nd_method nd_method_henzinger = {
    .name = "henzinger",
    .summary = "found as by broder, filtered as by charikar (Henzinger, SIGIR 2006; US "
               "2008/0044016)",
    .options = henzinger_options,
    .guard = 12.0 / ND_CHARIKAR_BITS,
    .defaults = henzinger_defaults,
    .derive = henzinger_derive,
    .open = henzinger_open,
    .close = henzinger_close,
    .max_keys = henzinger_max_keys,
    .sign = henzinger_sign,
    .digest_size = henzinger_digest_size,
    .digest = henzinger_digest,
    .length_bound = henzinger_length_bound,
    .bound = henzinger_bound,
};
