/** \file src/lcs/lcs_sift.h
 * Dropping tokens that the other sequence lacks, which are part of no common subsequence: most of
 * them, in a fraction of the time in which nd_lcs_reduce() drops all and numbers the rest. Kinds of
 * tokens are known by a hash; what is kept are the tokens of which kind the other sequence has one.
 * Internal to src/lcs/ and its tests.
 */
#ifndef ND_LCS_LCS_SIFT_H
#define ND_LCS_LCS_SIFT_H

#include "src/base/cpu.h"
#include "src/lcs/lcs_pair.h"
#include "src/lcs/lcs_work.h"

enum { ND_LCS_SIFT_PADDING = 16 /**< tokens that may be written past those kept */ };

/** Which kinds there are: for each a byte, 1 or 0, since to write bytes waits for nothing; and some
 * after them that may be read. */
typedef struct nd_lcs_kinds {
    uint8_t *present;
    uint32_t shift; /**< of the hash, to a kind */
} nd_lcs_kinds;

/** One way of doing it. */
typedef struct nd_lcs_sift_variant {
    const char *name;
    uint32_t needs;      /**< features of the processor, see src/base/cpu.h */
    uint32_t token_cost; /**< picoseconds to sift a token, all in all */
    /** Copy the tokens whose kinds there are. \return how many */
    size_t (*keep)(const nd_lcs_kinds *kinds, const uint32_t *tokens, size_t count, uint32_t *kept);
} nd_lcs_sift_variant;

/** All variants compiled in, the slowest first; [0] is the plain one. */
extern const nd_lcs_sift_variant nd_lcs_sift_variants[];
extern const size_t nd_lcs_sift_variant_count;

/** The fastest one of this machine. */
const nd_lcs_sift_variant *nd_lcs_sift_best(void);

/** Replace the sequences by what is kept of them (in work memory). \return ND_OK or ND_ERR_MEMORY
 */
nd_status nd_lcs_sift(const nd_lcs_sift_variant *variant, nd_lcs_pair *pair, nd_lcs_work *work);

#endif
