/* The method `charikar`: "Alg. C" of Henzinger (SIGIR 2006; US 2008/0044016, section 1.2.3.2),
 * after Charikar (STOC 2002): projections to 384 bits, of which 372 agree. Pages that agree in one
 * of 12 pieces meet, which loses none from 373 on, and at 372 one of 10,000. */
#include "src/method/methods.h"
#include "src/method/page_bits.h"
#include "src/method/page_sketch.h"
#include "src/sketch/simhash.h"

static const nd_method_use charikar_options[] = {
    {"shingle-tokens", 1}, {"bits", ND_CHARIKAR_BITS}, {"pieces", ND_PIECES}, {"agree", 0}, {0}};

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

static nd_method_sizes charikar_sizes(const nd_method_options *options, uint64_t tokens) {
    (void)tokens;
    return (nd_method_sizes){.keys = options->pieces,
                             .digest = nd_charikar_words(options->bits) * sizeof(uint64_t)};
}

static nd_status charikar_sign(const nd_method_options *options, nd_method_work *work,
                               const nd_document *document, uint64_t *keys, size_t *key_count) {
    uint64_t string[ND_CHARIKAR_MAX_WORDS];
    *key_count = 0;
    nd_bits_digest(options, work, document, string);
    nd_pieces_keys(string, options->bits, options->pieces, keys);
    *key_count = options->pieces;
    return ND_OK;
}

const nd_method nd_method_charikar = {
    .name = "charikar",
    .summary = "projections of which 372 of 384 bits agree (Charikar 2002; Alg. C of Henzinger, US "
               "2008/0044016)",
    .options = charikar_options,
    .image_terms = true,
    .all_pairs = true,
    .guard = 12.0 / (double)ND_CHARIKAR_BITS,
    .derive = charikar_derive,
    .sizes = charikar_sizes,
    .sign = charikar_sign,
    .digest = nd_bits_digest,
    .bound = nd_bits_bound,
};
