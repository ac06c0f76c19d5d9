/** \file src/method/page_bits.h
 * The projection of a page to a string of options->bits bits: its tokens, each as often as it
 * occurs, or its shingles. What simhash, charikar and henzinger share. Keys are theirs.
 */
#ifndef ND_METHOD_PAGE_BITS_H
#define ND_METHOD_PAGE_BITS_H

#include "src/method/method.h"
#include "src/sketch/simhash.h"

/** Project a page.
 * \param[in]  shingle_tokens  tokens of a feature; 1: the tokens themselves
 * \param[out] string          nd_charikar_words(bits) words */
void nd_page_bits(const nd_method_options *options, nd_method_work *work,
                  const nd_document *document, uint32_t shingle_tokens, uint64_t *string);

/** nd_method.digest() and .bound() of methods whose digest is the string, projected from features
 * of options->shingle_tokens, and whose similarity is the share of agreeing bits. */
nd_status nd_bits_digest(const nd_method_options *options, nd_method_work *work,
                         const nd_document *document, void *digest);
double nd_bits_bound(const nd_method_options *options, const void *a, const void *b);

/** 97 % of the bits, as in the patent: 372 of 384. */
uint32_t nd_bits_most(uint32_t bits);

/** Check --bits. \return ND_OK or ND_ERR_USAGE, with a text */
nd_status nd_page_bits_check(const nd_method_options *options);

/** Check how many bits must agree: more than half, since half of them agree by chance.
 * \param[in] option  its name
 * \return ND_OK or ND_ERR_USAGE, with a text */
nd_status nd_agreeing_bits_check(const nd_method_options *options, const char *option,
                                 uint32_t agree);

/** Check --pieces: can strings be cut so, and do pages that agree in so many bits have a fair
 * chance to meet? \param[in] option  the name of the option that says how many
 * \return ND_OK or ND_ERR_USAGE, with a text */
nd_status nd_pieces_check(const nd_method_options *options, const char *option, uint32_t agree);

#endif
