#include "src/method/page_bits.h"

#include "src/base/buffer.h"
#include "src/plan/curve.h"
#include "src/sketch/shingle.h"
#include "src/sketch/simhash.h"

/* Pages at the threshold that meet less often than this are hardly looked for. */
static const double LEAST_CHANCE = 0.1;

void nd_page_bits(const nd_method_options *options, nd_method_work *work,
                  const nd_document *document, uint32_t shingle_tokens, uint64_t *string) {
    const nd_shingle_options shingle = {
        .tokens = shingle_tokens, .modulus = 1, .seed = options->seed};
    const bool tokens = shingle_tokens == 1; /* distinct ones, and how often they occur */
    size_t count = nd_shingle_places(&shingle, document->token_count);
    if (tokens) {
        nd_term_vector_fill(document->tokens, document->token_count, &work->terms);
        count = work->terms.count;
        nd_grow(&work->numbers, &work->number_capacity, count, sizeof *work->numbers);
    }
    nd_grow(&work->words, &work->word_capacity, count, sizeof *work->words);
    for (size_t i = 0; tokens && i < count; i++) {
        work->words[i] = work->terms.terms[i].token;
        work->numbers[i] = work->terms.terms[i].frequency;
    }
    if (!tokens && count > 0) {
        count = nd_shingle_values(&shingle, document->tokens, document->token_count, work->words);
    }
    nd_charikar_sign(work->words, tokens ? work->numbers : NULL, count, options->bits,
                     options->seed, string);
}

nd_status nd_bits_digest(const nd_method_options *options, nd_method_work *work,
                         const nd_document *document, void *digest) {
    nd_page_bits(options, work, document, options->shingle_tokens, digest);
    return ND_OK;
}

double nd_bits_bound(const nd_method_options *options, const void *a, const void *b) {
    return (double)nd_charikar_agreeing(a, b, options->bits) / options->bits;
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
