/** \file tests/support/corpus.h
 * Real pages: a folder of them in memory, random samples, all similar pairs by an exact join, and
 * how many of them blocking finds.
 */
#ifndef ND_SUPPORT_CORPUS_H
#define ND_SUPPORT_CORPUS_H

#include "io/store/page_store.h"
#include "src/base/buffer.h"
#include "src/base/status.h"
#include "src/method/method.h"

#include <stddef.h>
#include <stdint.h>

/* ---- All pages of some inputs in the memory of one process, read whole and in order, with the
 * program's own reader and text code but none of its stages: the same pages under the same numbers
 * as `partition` gives them, and the same notion of equal text. */

/** The text number of a page without tokens. */
#define ND_NO_TEXT UINT32_MAX

/** That of the texts' hashes: of a run whose bounds are to be the same, --hash-seed. */
#define ND_CORPUS_HASH_SEED UINT64_C(1)

/** All zero is a valid empty corpus. */
typedef struct nd_corpus {
    nd_page_store pages;
    uint32_t *text_of;    /**< by page: its distinct text, or ND_NO_TEXT */
    uint32_t *first_page; /**< by text: the first page with it, ascending */
    uint32_t text_count;
    uint64_t without_text; /**< pages without tokens */
    uint64_t skipped;      /**< records that could not be read */
} nd_corpus;

/** Read the INPUT words of a command line. An unreadable record is counted and passed over.
 * \return ND_OK; ND_ERR_IO for an input that matches nothing; ND_ERR_LIMIT at 2^32 - 1 pages;
 *         ND_ERR_MEMORY. On failure the corpus is empty */
nd_status nd_corpus_read(nd_corpus *corpus, const char *const *words, size_t count);

void nd_corpus_free(nd_corpus *corpus);

/* ---- A file of real data in memory, for test programs and benchmarks. */

/** Append a whole file. \return ND_OK, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_test_read_file(nd_buffer *buffer, const char *path);

/** Call `visit` for a file, or for all files named *.html or *.htm below a folder, in order of
 * their names; stops at the first failure, which it returns. */
nd_status nd_test_walk_html(const char *path, nd_status (*visit)(void *context, const char *path),
                            void *context);

/* ---- Nested random samples of a corpus's pages: a sample is the beginning of one seeded shuffle,
 * so that a larger sample holds every smaller one. */

typedef struct nd_sample {
    uint64_t page_count; /**< those without text included */
    uint32_t *pages;     /**< the first page of each text that is in the sample, ascending */
    size_t text_count;
    uint32_t *copies; /**< by text of the corpus: pages of the sample that have it */
} nd_sample;

/** All pages in random order. \param[out] pages  the caller's to free() */
void nd_shuffle_pages(const nd_corpus *corpus, uint64_t seed, uint32_t **pages);

/** The first `count` pages of a shuffle. On failure the sample is empty. */
void nd_sample_draw(const nd_corpus *corpus, const uint32_t *shuffled, uint64_t count,
                    nd_sample *sample);

void nd_sample_free(nd_sample *sample);

/* ---- Every pair of token sequences with r = |LCS| / (|A| + |B| - |LCS|) at or above a threshold:
 * the truth against which blocking and sets are measured. A prefix-filtered join (Chaudhuri, Ganti
 * and Kaushik, ICDE 2006; Bayardo, Ma and Srikant, WWW 2007) over the multisets of tokens finds all
 * pairs whose multisets overlap enough, then the LCS decides. Nothing of the pipeline's
 * fingerprints, groups or bounds is used here, so that none of their errors can hide in the truth.
 */

/** A token sequence, borrowed. */
typedef struct nd_join_text {
    const uint32_t *tokens;
    uint32_t count;
} nd_join_text;

/** A pair that reaches the threshold; a < b are places in the list of texts. */
typedef struct nd_join_pair {
    uint32_t a;
    uint32_t b;
    double similarity;
} nd_join_pair;

typedef struct nd_join_result {
    nd_join_pair *pairs; /**< by (a, b); the caller's to free() */
    size_t count;
    size_t capacity;
    uint64_t prefix_pairs;   /**< pairs that share an element of their prefixes */
    uint64_t compared_pairs; /**< pairs whose multisets overlap enough: LCS was computed */
} nd_join_result;

/** Find all pairs of fewer than 2^32 texts, 2^32 distinct elements; empty texts are similar to
 * none. \param[in]  threshold  in (0, 1] */
void nd_exact_join(const nd_join_text *texts, size_t count, double threshold,
                   nd_join_result *result);

/* ---- How much of a truth, a list of pairs of texts, some pairs or some sets of texts hold. */

/** Pairs of texts below text_count as numbers (nd_text_pair), ascending, distinct. Borrowed. */
typedef struct nd_pair_set {
    const uint64_t *pairs;
    size_t count;
} nd_pair_set;

typedef struct nd_recall {
    uint64_t found;   /**< true pairs that are there */
    double of_pairs;  /**< share of the true pairs; 1 if there are none */
    double per_text;  /**< share of a text's true pairs, mean over the texts that have any */
    uint64_t strange; /**< pairs that are there but not true */
} nd_recall;

/** Recall of a list of pairs. */
void nd_recall_of_pairs(nd_pair_set truth, nd_pair_set there, size_t text_count, nd_recall *recall);

/** Recall of sets: set_of[text] is equal for the texts of one set; pairs inside sets are there. */
void nd_recall_of_sets(nd_pair_set truth, const uint64_t *set_of, size_t text_count,
                       nd_recall *recall);

/** The pairs that both lists hold. \param[out] both  the caller's to free() */
void nd_pairs_in_both(nd_pair_set a, nd_pair_set b, uint64_t **both, size_t *count);

/** The pairs of `a` that `b` lacks. \param[out] missing  the caller's to free() */
void nd_pairs_missing(nd_pair_set a, nd_pair_set b, uint64_t **missing, size_t *count);

/** Join the texts of each pair. \param[in,out] parent  union-find over the texts */
void nd_join_pairs(nd_pair_set pairs, uint64_t *parent);

/** Pages in the largest set of a union-find over texts.
 * \param[in] copies  pages of each text */
void nd_largest_set(uint64_t *parent, const uint32_t *copies, size_t text_count, uint64_t *pages);

/* ---- What blocking does with some pages of a corpus, done plainly in one process: the keys and
 * bounds of the method `lcs` and the rule of src/sets/candidates.h over whole groups, without
 * batches, runs and ranks. Pairs are pairs of distinct texts. */

/** A pair of texts as one number, the smaller text above. */
static inline uint64_t nd_text_pair(uint32_t a, uint32_t b) {
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

typedef struct nd_blocking {
    uint64_t candidates; /**< as the program counts them: once for each key that gives the pair */
    uint64_t *pairs;     /**< distinct candidate pairs, ascending */
    size_t pair_count;
    uint64_t *within_bounds; /**< those whose lengths and histograms allow the threshold */
    size_t within_count;
    uint64_t *key_parent; /**< union-find over all texts of the corpus: those that share a key */
} nd_blocking;

/** Block pages.
 * \param[in] pages  one page of each text, ascending */
void nd_blocking_run(const nd_corpus *corpus, const uint32_t *pages, size_t count,
                     const nd_method_options *options, nd_blocking *blocking);

void nd_blocking_free(nd_blocking *blocking);

#endif
