/** \file src/lcs/lcs.h
 * Exact length of the longest common subsequence of two token sequences, with a lower limit below
 * which the answer does not matter. nd_lcs_length() is the ladder of the program: common prefix and
 * suffix are cut off, tokens that the other sequence lacks are dropped (both lossless), then Myers'
 * O((N+M)D) algorithm ("An O(ND) Difference Algorithm and Its Variations", 1986, section 4b)
 * stopped at the D that the limit allows, or the bit-parallel one (Hyyro 2004), kept to the band
 * that the limit allows, where D is large.
 * Never a heuristic: every kernel returns the true length or says that it is below the limit.
 * Positions of the matches are not computed here.
 */
#ifndef ND_LCS_LCS_H
#define ND_LCS_LCS_H

#include "src/lcs/lcs_work.h"

/** Length of the LCS of a[0..n) and b[0..m).
 * \param[in]  at_least  the smallest length of interest; 0 asks for the length in any case
 * \param[out] length    the exact length if it is >= at_least, else 0; untouched on failure
 * \return ND_OK, ND_ERR_LIMIT (of more than 500 million tokens) or ND_ERR_MEMORY */
nd_status nd_lcs_length(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                        nd_lcs_work *work, uint64_t *length);

/** The same where a common subsequence is known, which saves most of the search if it is about as
 * long as the longest.
 * \param[in] known  its tokens; 0: none is known */
nd_status nd_lcs_length_above(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                              uint64_t at_least, uint64_t known, nd_lcs_work *work,
                              uint64_t *length);

#endif
