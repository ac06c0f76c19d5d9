/** \file src/method/signature.h
 * What methods share when they sign a page: its shingles with their minima and supershingles, its
 * projection to a string of bits, and keys by its sentences. Which of these a method takes, and
 * how it compares pages, is its own business (methods.c).
 */
#ifndef ND_METHOD_SIGNATURE_H
#define ND_METHOD_SIGNATURE_H

#include "src/method/method.h"
#include "src/sketch/simhash.h"

/* ---- shingles, minima and supershingles of a page, as the options want them */

/** The distinct shingles of a page, in work->shingles. */
void nd_page_shingles(const nd_method_options *options, nd_method_work *work,
                      const nd_document *document);

/** The minima of a page, in work->minima; a page without shingles has none (work->any_minima). */
void nd_page_minima(const nd_method_options *options, nd_method_work *work,
                    const nd_document *document);

/** Check an option that says how many tokens a shingle has. \return ND_OK or ND_ERR_USAGE, with a
 * text */
nd_status nd_tokens_check(const char *option, uint32_t tokens);

/** The same of --shingle-tokens. */
nd_status nd_shingle_tokens_check(const nd_method_options *options);

/** Check the options of shingles and sketches. \return ND_OK or ND_ERR_USAGE, with a text */
nd_status nd_page_sketch_check(const nd_method_options *options);

/** Check that pages at the threshold have a fair chance to meet in the bands.
 * \return ND_OK or ND_ERR_USAGE, with a text */
nd_status nd_page_bands_check(uint32_t bands, uint32_t rows, double threshold);

/* ---- pages that meet in bands of their minima, and are compared by them: the functions of
 * nd_method. A digest has eight bits of each minimum: equal minima have them equal (Li and König,
 * "b-Bit minwise hashing", WWW 2010), and all else agrees by chance. The payload is the minima. */

nd_method_sizes nd_minima_sizes(const nd_method_options *options, uint64_t tokens);
void nd_minima_sign(const nd_method_options *options, nd_method_work *work,
                    const nd_document *document, uint64_t *keys, size_t *key_count);
void nd_minima_digest(const nd_method_options *options, nd_method_work *work,
                      const nd_document *document, void *digest);
double nd_minima_bound(const nd_method_options *options, const void *a, const void *b);
void nd_minima_payload(const nd_method_options *options, nd_method_work *work,
                       const nd_document *document, nd_span *payload);
void nd_minima_similarity(const nd_method_options *options, nd_method_work *work, nd_span a,
                          nd_span b, double threshold, double *similarity);

/* ---- pages compared by their supershingles */

enum { ND_SUPERSHINGLES_MAX = 32 }; /* 496 megashingles */

/** Words of a vector: one that says whether there are any, then the supershingles. */
static inline size_t nd_vector_words(const nd_method_options *options) {
    return 1 + (size_t)options->supershingles;
}

/** Check their options: m', l, P and how many must agree. \return ND_OK or ND_ERR_USAGE, with a
 * text */
nd_status nd_supershingles_check(const nd_method_options *options);

/** The vector of a page, as nd_method.digest(). */
void nd_page_supershingles(const nd_method_options *options, nd_method_work *work,
                           const nd_document *document, void *vector);

/** How many supershingles of two vectors agree. */
size_t nd_vectors_agree(const nd_method_options *options, const uint64_t *a, const uint64_t *b);

/** Most keys of a vector. */
size_t nd_vector_max_keys(const nd_method_options *options);

/** The keys of a vector: megashingles; where one supershingle is enough, the supershingles.
 * \return how many */
size_t nd_vector_keys(const nd_method_options *options, const uint64_t *vector, uint64_t *keys);

/* ---- The projection of a page to a string of options->bits bits: its tokens, each as often as it
 * occurs, or its shingles. What simhash, charikar and henzinger share. Keys are theirs. */

/** Project a page.
 * \param[in]  shingle_tokens  tokens of a feature; 1: the tokens themselves
 * \param[out] string          nd_charikar_words(bits) words */
void nd_page_bits(const nd_method_options *options, nd_method_work *work,
                  const nd_document *document, uint32_t shingle_tokens, uint64_t *string);

/** nd_method.digest() and .bound() of methods whose digest is the string, projected from features
 * of options->shingle_tokens, and whose similarity is the share of agreeing bits. */
void nd_bits_digest(const nd_method_options *options, nd_method_work *work,
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

/* ---- Keys of a page by its sentences, for the methods that look for candidates as Huang, Wang and
 * Li do (CIKM 2008): the digests of its sentences, long ones first, in fingerprints
 * (fingerprint.h), and by default fingerprints of chunks of its tokens besides. How pages are
 * compared is not said here. */

/** Most keys of a page. */
size_t nd_sentence_max_keys(const nd_method_options *options);

/** nd_method.sign() of these methods. */
void nd_sentence_sign(const nd_method_options *options, nd_method_work *work,
                      const nd_document *document, uint64_t *keys, size_t *key_count);

#endif
