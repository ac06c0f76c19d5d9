/* The method `henzinger`: the combined algorithm of Henzinger (SIGIR 2006; US 2008/0044016, section
 * 4.2). basic: pages found by supershingles ("Alg. B") are kept if enough bits of their projections
 * agree ("Alg. C"). site-variant: so for two pages of one site, where templates deceive the first
 * technique, and by bits alone between sites (section 4.2.3). union: basic, and besides all pages
 * of which many bits agree (ibid., for recall). The paper's filter is 355 bits, the patent's
 * example 372. */
#include "src/method/methods.h"
#include "src/method/page_bits.h"
#include "src/method/page_sketch.h"
#include "src/sketch/minhash.h"
#include "src/sketch/simhash.h"
#include "src/text/site.h"

static const nd_method_use henzinger_options[] = {{"shingle-tokens", 8},
                                                  {"wrap-around", true},
                                                  {"thinning", ND_AS_PRESET},
                                                  {"shingle-hash", ND_SHINGLE_RABIN},
                                                  {"minima", ND_SUPERSHINGLE_SKETCH},
                                                  {"supershingles", ND_SUPERSHINGLES},
                                                  {"agree", ND_SUPERSHINGLES_NEEDED},
                                                  {"supershingle-minima", ND_SUPERSHINGLE_MINIMA},
                                                  {"bits", ND_CHARIKAR_BITS},
                                                  {"pieces", ND_PIECES},
                                                  {"henzinger", ND_HENZINGER_BASIC},
                                                  {"filter-bits", 0},
                                                  {"charikar-bits", 0},
                                                  {0}};

static bool looks_by_bits(const nd_method_options *options) {
    return options->henzinger != ND_HENZINGER_BASIC;
}

static nd_status henzinger_derive(nd_method_options *options) {
    nd_status st = ND_OK;
    ND_TRY(nd_page_sketch_check(options));
    ND_TRY(nd_supershingles_check(options));
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
    /* The share of bits from which pages on are similar: the lowest that any pair may have, and
     * that of pages of one site. bound() refuses those that need more. In a union it is the filter,
     * which is not above what bits alone need. */
    const double filter = (double)options->filter_bits / options->bits;
    const double alone = (double)options->charikar_bits / options->bits;
    const bool variant = options->henzinger == ND_HENZINGER_SITE_VARIANT;
    options->threshold = variant ? alone : filter;
    options->site_threshold = variant ? filter : 0;
out:
    return st;
}

/* ---- pages: a digest is, in words, the site, the vector of supershingles and the bits */

enum { MOST_WORDS = 1 + 1 + ND_SUPERSHINGLES_MAX + ND_CHARIKAR_MAX_WORDS };

static const uint64_t *vector_of(const uint64_t *digest) {
    return digest + 1;
}

static size_t string_place(const nd_method_options *options) {
    return 1 + nd_vector_words(options);
}

static nd_method_sizes henzinger_sizes(const nd_method_options *options, uint64_t tokens) {
    const size_t words = string_place(options) + nd_charikar_words(options->bits);
    (void)tokens;
    return (nd_method_sizes){.keys = nd_vector_max_keys(options) +
                                     (looks_by_bits(options) ? options->pieces : 0),
                             .digest = words * sizeof(uint64_t)};
}

static nd_status henzinger_digest(const nd_method_options *options, nd_method_work *work,
                                  const nd_document *document, void *digest) {
    uint64_t *words = digest;
    words[0] = document->origin.site;
    nd_page_supershingles(options, work, document, words + 1);
    nd_page_bits(options, work, document, 1, words + string_place(options));
    return ND_OK;
}

static nd_status henzinger_sign(const nd_method_options *options, nd_method_work *work,
                                const nd_document *document, uint64_t *keys, size_t *key_count) {
    uint64_t digest[MOST_WORDS];
    *key_count = 0;
    henzinger_digest(options, work, document, digest);
    *key_count = nd_vector_keys(options, vector_of(digest), keys);
    if (looks_by_bits(options)) {
        nd_pieces_keys(digest + string_place(options), options->bits, options->pieces,
                       keys + *key_count);
        *key_count += options->pieces;
    }
    return ND_OK;
}

/* The share of agreeing bits. Where supershingles must agree and do not, it stays a bit below the
 * filter: such pages are not similar, but near enough to share a set's representative. */
static double henzinger_bound(const nd_method_options *options, const void *a, const void *b) {
    const uint64_t *x = a;
    const uint64_t *y = b;
    const size_t place = string_place(options);
    const uint32_t agreeing = nd_charikar_agreeing(x + place, y + place, options->bits);
    const bool bits_are_enough =
        (options->henzinger == ND_HENZINGER_SITE_VARIANT && !nd_site_may_be_same(x[0], y[0])) ||
        (options->henzinger == ND_HENZINGER_UNION && agreeing >= options->charikar_bits);
    const bool similar = agreeing < options->filter_bits || bits_are_enough ||
                         nd_vectors_agree(options, vector_of(x), vector_of(y)) >= options->agree;
    return (double)(similar ? agreeing : options->filter_bits - 1) / options->bits;
}

const nd_method nd_method_henzinger = {
    .name = "henzinger",
    .summary = "found as by broder, filtered as by charikar (Henzinger, SIGIR 2006; US "
               "2008/0044016)",
    .options = henzinger_options,
    .image_terms = true,
    .all_pairs = true,
    .guard = 12.0 / (double)ND_CHARIKAR_BITS,
    .derive = henzinger_derive,
    .sizes = henzinger_sizes,
    .sign = henzinger_sign,
    .digest = henzinger_digest,
    .bound = henzinger_bound,
};
