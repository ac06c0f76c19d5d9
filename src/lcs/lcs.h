/** \file src/lcs/lcs.h
 * Exact length of the longest common subsequence of two token sequences, with a lower limit below
 * which the answer does not matter, and the memory that all comparisons of token sequences work
 * in. nd_lcs_length() is the ladder of the program: common prefix and suffix are cut off, tokens
 * that the other sequence lacks are dropped (both lossless), then Myers' O((N+M)D) algorithm ("An
 * O(ND) Difference Algorithm and Its Variations", 1986, section 4b) stopped at the D that the
 * limit allows, or the bit-parallel one (Hyyro 2004), kept to the band that the limit allows,
 * where D is large. Never a heuristic: every kernel returns the true length or says that it is
 * below the limit. Positions of the matches are not computed here: lcs_matches.h.
 */
#ifndef ND_LCS_LCS_H
#define ND_LCS_LCS_H

#include "src/base/buffer.h"

/* ---- Scratch memory of the comparisons of token sequences, reused from pair to pair: a place for
 * each use, which grows and is never given back before the end. What is kept from one pair to the
 * next is the business of whoever keeps it. */

/** The uses of nd_lcs_work.memory. */
enum nd_lcs_memory {
    ND_LCS_SLOTS, /**< hash table of distinct tokens */
    ND_LCS_IDS_A, /**< reduced sequences */
    ND_LCS_IDS_B,
    ND_LCS_SIFT_KINDS, /**< which kinds of tokens a sequence has */
    ND_LCS_SIFTED_A,   /**< what is left of the sequences */
    ND_LCS_SIFTED_B,
    ND_LCS_SEEN,       /**< which ids the second sequence holds */
    ND_LCS_KINDS,      /**< how often tokens of a kind occur */
    ND_LCS_REACH,      /**< Myers: furthest points of the diagonals */
    ND_LCS_IDS,        /**< bits: the ids */
    ND_LCS_PLACES,     /**< bits: where they stand */
    ND_LCS_MASKS,      /**< bits: masks of the frequent ids */
    ND_LCS_PADDED,     /**< bits: the columns */
    ND_LCS_ROWS,       /**< bits: the row of the table, matches of rows */
    ND_LCS_GRAM_SLOTS, /**< hash table of distinct q-grams */
    ND_LCS_GRAM_FIRST,
    ND_LCS_GRAM_A, /**< numbers of the q-grams */
    ND_LCS_GRAM_B,
    ND_LCS_GRAM_COUNT,
    ND_LCS_SHINGLE_BUCKETS, /**< jaccard: the table of the sequence that was compared last */
    ND_LCS_SHINGLES,
    ND_LCS_SHARED_RUNS, /**< jaccard: of both sequences */
    ND_LCS_MATCH_ROWS,  /**< matches: rows of the table */
    ND_LCS_MATCH_STARTS,
    ND_LCS_MATCHES,
    ND_LCS_COVER_BITS, /**< trustable: the filter of the sequence that was compared last */
    ND_LCS_COVER_TOKENS,
    ND_LCS_COVERED, /**< trustable: what of a page can be matched */
    ND_LCS_COVERED_BEFORE,
    ND_LCS_DENSITY,
    ND_LCS_USES
};
/** All zero is a valid start. Its fields are private. */
typedef struct nd_lcs_work {
    nd_buffer memory[ND_LCS_USES];
    size_t shingle_tokens;          /* of the sequence whose shingles are kept */
    size_t cover_tokens, cover_run; /* of the filter of runs that is kept */
} nd_lcs_work;

/** `bytes` of uninitialised memory for one use, valid until the next call for that use.
 * \param[out] memory  address of a pointer */
void nd_lcs_room(nd_lcs_work *work, enum nd_lcs_memory use, size_t bytes, void *memory);

void nd_lcs_work_free(nd_lcs_work *work);

/* ---- lengths */

/** The most tokens of a sequence, so that the places, diagonals and sums of a pair are in int32_t.
 * A page has at most an eighth of them (io/input/record_limits.h). */
enum { ND_LCS_MOST_TOKENS = 1 << 28 };

/** Length of the LCS of a[0..n) and b[0..m).
 * \param[in]  at_least  the smallest length of interest; 0 asks for the length in any case
 * \param[out] length    the exact length if it is >= at_least, else 0 */
void nd_lcs_length(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                   nd_lcs_work *work, uint64_t *length);

/** The same where a common subsequence is known, which saves most of the search if it is about as
 * long as the longest.
 * \param[in] known  its tokens; 0: none is known */
void nd_lcs_length_above(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                         uint64_t at_least, uint64_t known, nd_lcs_work *work, uint64_t *length);

#endif
