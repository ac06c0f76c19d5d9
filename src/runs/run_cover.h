/** \file src/runs/run_cover.h
 * How much of one token sequence can be matched in runs with another: a filter before the
 * comparisons that count nothing but runs. It looks each run up by a hash alone, so it may take a
 * token for covered that is not, but never the other way round: what it counts is an upper bound.
 */
#ifndef ND_RUNS_RUN_COVER_H
#define ND_RUNS_RUN_COVER_H

#include "src/base/cpu.h"
#include "src/lcs/lcs_work.h"

/** Which tokens of b are covered, in work memory until the next call. */
typedef struct nd_run_cover {
    uint64_t *bits; /**< token i is bit i % 64 of word i / 64; after the last one all is 0 */
    uint64_t count; /**< how many are set */
} nd_run_cover;

/** Find the tokens of b[0..m) that lie in `run` tokens in a row which stand in a[0..n) too, and by
 * chance some more. What is looked up in is kept in the work for the next pair with the same a.
 * \param[in] run  tokens, at least 1 \return ND_OK or ND_ERR_MEMORY */
nd_status nd_run_cover_find(const uint32_t *a, size_t n, const uint32_t *b, size_t m, size_t run,
                            nd_lcs_work *work, nd_run_cover *cover);

/** One bit for each hash of a run. */
typedef struct nd_run_filter {
    uint32_t *words; /**< bit h is bit h % 32 of word h / 32 */
    size_t run;
    uint32_t shift; /**< the bit is the highest bits of the hash: the hash shifted right by this */
} nd_run_filter;

/** One way of looking runs up, for tests and benchmarks. */
typedef struct nd_run_cover_variant {
    const char *name;
    uint32_t needs; /**< features of the processor, see src/base/cpu.h */
    /** Bit i of `found`, as of nd_run_cover.bits, is set if the filter has the run at b[i]; whole
     * words are written. \param[in] places  runs of b */
    void (*look_up)(const nd_run_filter *filter, const uint32_t *b, size_t places, uint64_t *found);
} nd_run_cover_variant;

/** All variants compiled in, the slowest first; [0] is the plain one. */
extern const nd_run_cover_variant nd_run_cover_variants[];
extern const size_t nd_run_cover_variant_count;

/** The same by one of them. */
nd_status nd_run_cover_find_by(const nd_run_cover_variant *variant, const uint32_t *a, size_t n,
                               const uint32_t *b, size_t m, size_t run, nd_lcs_work *work,
                               nd_run_cover *cover);

#endif
