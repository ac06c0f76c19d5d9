/** \file src/compare/containment.h
 * How much of a text stands in another one: the tokens of the longest common subsequence as a share
 * of the first text's. Of a text that is much longer only a stretch counts, three times as long as
 * the first text: in order and far apart, the words of a sentence stand in any book.
 */
#ifndef ND_COMPARE_CONTAINMENT_H
#define ND_COMPARE_CONTAINMENT_H

#include "src/lcs/lcs_work.h"

/** Tokens of the longer text that are looked at at a time, as many times those of the other. */
enum { ND_CONTAINMENT_STRETCH = 3 };

/** The most of |LCS| / n over the stretches of b: b itself if m <= 3 n, else b[i n .. (i + 3) n)
 * for i = 0, 1, ... up to the first that reaches its end. So whatever lies within 2 n tokens of b
 * lies in one of them. Not symmetric.
 * \param[out] share  exact if it is >= threshold (above 0), else 0; 0 if a text is empty; untouched
 *                    on failure
 * \return ND_OK, ND_ERR_LIMIT or ND_ERR_MEMORY, as nd_lcs_length() */
nd_status nd_containment(const uint32_t *a, size_t n, const uint32_t *b, size_t m, double threshold,
                         nd_lcs_work *work, double *share);

#endif
