/** \file src/method/page_bits.h
 * The projection of a page to a string of bits, as the options want it: its tokens, each as often
 * as it occurs, or its shingles. What simhash, charikar and henzinger share. Keys are theirs.
 */
#ifndef ND_METHOD_PAGE_BITS_H
#define ND_METHOD_PAGE_BITS_H

#include "src/method/method.h"
#include "src/sketch/charikar.h"
#include "src/sketch/term_vector.h"

/** A caller's scratch memory; all zero is a valid start. */
typedef struct nd_page_bits {
    nd_term_vector terms;
    uint64_t *features;
    uint32_t *weights;
    size_t feature_capacity, weight_capacity;
} nd_page_bits;

void nd_page_bits_close(nd_page_bits *page);

/** Project a page.
 * \param[in]  shingle_tokens  tokens of a feature; 1: the tokens themselves
 * \param[out] string          nd_charikar_words(bits) words
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_page_bits_sign(nd_page_bits *page, const nd_method_options *options,
                            const nd_document *document, uint32_t shingle_tokens, uint32_t bits,
                            uint64_t *string);

/** 97 % of the bits, as in the patent: 372 of 384. */
uint32_t nd_bits_most(uint32_t bits);

/** Check --bits. \return ND_OK or ND_ERR_USAGE, told */
nd_status nd_page_bits_check(const nd_method_options *options);

/** Check how many bits must agree: more than half, since half of them agree by chance.
 * \param[in] option  its name
 * \return ND_OK or ND_ERR_USAGE, told */
nd_status nd_agreeing_bits_check(const nd_method_options *options, const char *option,
                                 uint32_t agree);

/** Check --pieces: can strings be cut so, and do pages that agree in so many bits have a fair
 * chance to meet? \param[in] option  the name of the option that tells how many
 * \return ND_OK or ND_ERR_USAGE, told */
nd_status nd_pieces_check(const nd_method_options *options, const char *option, uint32_t agree);

#endif
