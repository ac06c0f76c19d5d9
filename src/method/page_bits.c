#include "src/method/page_bits.h"

#include "src/base/buffer.h"
#include "src/plan/curve.h"
#include "src/sketch/pieces.h"
#include "src/sketch/shingle.h"

#include <stdlib.h>

/* Pages at the threshold that meet less often than this are hardly looked for. */
static const double LEAST_CHANCE = 0.1;

void nd_page_bits_close(nd_page_bits *page) {
    nd_term_vector_free(&page->terms);
    free(page->features);
    free(page->weights);
    *page = (nd_page_bits){0};
}

/* Distinct tokens and how often they occur. */
static nd_status list_terms(nd_page_bits *page, const nd_document *document, size_t *count) {
    nd_status st = ND_OK;
    ND_TRY(nd_term_vector_fill(document->tokens, document->token_count, &page->terms));
    *count = page->terms.count;
    ND_TRY(nd_grow(&page->features, &page->feature_capacity, *count, sizeof *page->features));
    ND_TRY(nd_grow(&page->weights, &page->weight_capacity, *count, sizeof *page->weights));
    for (size_t i = 0; i < *count; i++) {
        page->features[i] = page->terms.terms[i].token;
        page->weights[i] = page->terms.terms[i].frequency;
    }
out:
    return st;
}

static nd_status list_shingles(nd_page_bits *page, const nd_method_options *options,
                               const nd_document *document, uint32_t shingle_tokens,
                               size_t *count) {
    const nd_shingle_options shingle = {
        .tokens = shingle_tokens, .modulus = 1, .seed = options->seed};
    const size_t room = nd_shingle_places(&shingle, document->token_count);
    const nd_status st =
        nd_grow(&page->features, &page->feature_capacity, room, sizeof *page->features);
    *count = st != ND_OK || room == 0 ? 0
                                      : nd_shingle_values(&shingle, document->tokens,
                                                          document->token_count, page->features);
    return st;
}

nd_status nd_page_bits_sign(nd_page_bits *page, const nd_method_options *options,
                            const nd_document *document, uint32_t shingle_tokens, uint32_t bits,
                            uint64_t *string) {
    nd_status st = ND_OK;
    size_t count = 0;
    const bool tokens = shingle_tokens == 1;
    ND_TRY(tokens ? list_terms(page, document, &count)
                  : list_shingles(page, options, document, shingle_tokens, &count));
    nd_charikar_sign(page->features, tokens ? page->weights : NULL, count, bits, options->seed,
                     string);
out:
    return st;
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
