/** \file src/method/sentence_alignment.h
 * The sentences of two pages side by side: a longest common subsequence of sentences, as a listing
 * of differences shows them. Only equal sentences are matched; one that stands in both pages in
 * another order is listed twice. Sentences that are dropped are matched among themselves.
 */
#ifndef ND_METHOD_SENTENCE_ALIGNMENT_H
#define ND_METHOD_SENTENCE_ALIGNMENT_H

#include "src/base/status.h"
#include "src/method/document.h"

#include <stdbool.h>
#include <stddef.h>

/** In place of a sentence's number: the page has none here. */
#define ND_NO_SENTENCE UINT32_MAX

typedef struct nd_aligned_sentence {
    uint32_t a; /**< number of the sentence in either page, or ND_NO_SENTENCE; never both so */
    uint32_t b;
    bool dropped;
} nd_aligned_sentence;

/** Align all sentences of two pages.
 * \param[in]  keep_a, keep_b  of each sentence: it is not dropped
 * \param[out] rows            in the order of both pages, between two matches those of a first; the
 *                             caller's to free(); NULL on failure
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_sentences_align(const nd_document *a, const bool *keep_a, const nd_document *b,
                             const bool *keep_b, nd_aligned_sentence **rows, size_t *count);

#endif
