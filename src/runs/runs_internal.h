/** \file src/runs/runs_internal.h
 * The two ways in which nd_runs_length() goes on once the q-grams are numbered, so that tests and
 * benchmarks can call each of them. Internal to src/runs/ and its tests.
 */
#ifndef ND_RUNS_RUNS_INTERNAL_H
#define ND_RUNS_RUNS_INTERNAL_H

#include "src/lcs/gram.h"
#include "src/runs/runs.h"

/** Two sequences whose q-grams, q = nd_run_tokens(n, m), are numbered. */
typedef struct nd_runs_pair {
    nd_grams grams;
    const uint32_t *a; /**< borrowed */
    const uint32_t *b;
    size_t n;
    size_t m;
    size_t run;        /**< q */
    uint64_t at_least; /**< at most the shorter length */
} nd_runs_pair;

/** Number the q-grams; neither sequence may be empty. \return ND_OK or ND_ERR_MEMORY */
nd_status nd_runs_number(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                         uint64_t at_least, nd_lcs_work *work, nd_runs_pair *pair);

/** By the pairs of places with equal q-grams: time per pair of places, for pages of prose.
 * \param[out] length  as of nd_runs_length() \return ND_OK or ND_ERR_MEMORY */
nd_status nd_runs_sparse(const nd_runs_pair *pair, nd_lcs_work *work, uint64_t *length);

/** Most rows of a strip of nd_runs_dense(): 24 KiB of antidiagonals, which a first-level cache can
 * hold. */
enum { ND_RUNS_STRIP = 512 };

/** By the whole table, or the band of it that the limit allows; runs of ND_RUN_TOKENS only. For
 * pages that repeat themselves. Same contract.
 * \param[in] strip_rows  rows worked at a time, ND_RUN_TOKENS to ND_RUNS_STRIP; the length does not
 *                        depend on it */
nd_status nd_runs_dense(const nd_runs_pair *pair, size_t strip_rows, nd_lcs_work *work,
                        uint64_t *length);

#endif
