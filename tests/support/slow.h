/** \file tests/support/slow.h
 * What the program does fast, slowly and as its paper says; and the random trees, graphs, token
 * pairs and scenes on which both are compared.
 */
#ifndef ND_SUPPORT_SLOW_H
#define ND_SUPPORT_SLOW_H

#include "src/base/util.h"
#include "src/method/method.h"
#include "src/sets/forest.h"
#include "src/sketch/fingerprint.h"

#include <stddef.h>
#include <stdint.h>

/* ---- The sketches of src/ computed as their definitions read, slowly: what tests compare them
 * with and benchmarks relate them to. */

/** The remainder of the tokens' polynomial, a 1 before it, modulo x^64 + polynomial: one
 * coefficient at a time. */
uint64_t nd_slow_rabin(uint64_t polynomial, const uint32_t *tokens, size_t count);

/** The least of (multiplier * x + offset) mod modulus over all x; all products by adding and
 * doubling. modulus is at most 2^63; UINT64_MAX if there is no x. */
uint64_t nd_slow_minimum(uint64_t multiplier, uint64_t offset, uint64_t modulus,
                         const uint64_t *values, size_t count);

/** The digest of one message, in plain C. */
void nd_slow_md5(nd_span message, nd_md5 *digest);

/** nd_fingerprint_keys() by scanning all digests again for every one that is taken. */
size_t nd_slow_fingerprint_keys(const nd_md5 *digests, size_t count,
                                const nd_fingerprint_options *options, uint64_t *keys);

/** nd_charikar_sign() with a counter for each bit. */
void nd_slow_charikar_sign(const uint64_t *features, const uint32_t *weights, size_t count,
                           uint32_t bits, uint64_t seed, uint64_t *string);

/** nd_charikar_agreeing() bit by bit. */
uint32_t nd_slow_charikar_agreeing(const uint64_t *a, const uint64_t *b, uint32_t bits);

/* ---- Names (src/compare/penalties.h) as the header says, by looking through both pages again for
 * each word; and what they leave of a pair's similarity. */

/** How often a word of one page's beginning stands in it again at most that the other lacks. */
uint64_t nd_slow_names_repeats(const uint32_t *a, size_t n, const uint32_t *b, size_t m);

/** What is left of two documents' similarity, as the options have it; at least 0. */
double nd_slow_names_left(const nd_method *method, const nd_method_options *options,
                          const nd_document *a, const nd_document *b, double similarity);

/** What is left of it in a member of a set whose leader it is compared with: never nothing.
 * \param[in] left  of the score, by nd_slow_names_left() */
double nd_slow_names_member(double score, double left);

/* ---- How much of a text stands in another one (src/compare/score.h), by the textbook's table of
 * a common subsequence and every stretch in turn. */

/** The longest text that others are looked for in. */
enum { ND_SLOW_LONGEST = 1000 };

/** The share of a's n tokens; m <= ND_SLOW_LONGEST. */
double nd_slow_containment(const uint32_t *a, size_t n, const uint32_t *b, size_t m);

/* ---- Random pairs of token sequences for tests of what compares them: edited copies, equal ones,
 * repetitions, moved blocks and strangers, over alphabets from one token to all different. */

enum { ND_TEST_TOKENS = 4000 };

typedef struct nd_token_pair {
    uint32_t a[ND_TEST_TOKENS];
    uint32_t b[ND_TEST_TOKENS];
    size_t n;
    size_t m;
} nd_token_pair;

/** Fill the pair with sequences of at most `longest` tokens (at most ND_TEST_TOKENS); often of few
 * tokens or none. */
void nd_random_token_pair(nd_random *random, size_t longest, nd_token_pair *pair);

/** A threshold at, right above or right below a score, or anywhere in [0, 1]. */
double nd_random_threshold(nd_random *random, double score);

/* ---- Random trees of pages for tests of what walks through them. */

enum { ND_TREE_PAGES = 300 };

typedef struct nd_random_tree {
    uint64_t pages[ND_TREE_PAGES]; /**< ascending, distinct */
    nd_link links[ND_TREE_PAGES];  /**< count - 1, in any order */
    size_t count;                  /**< at least 1 */
} nd_random_tree;

/** Bushy or like a chain; of few or many pages, from `page` on. */
void nd_random_tree_draw(nd_random *random, uint64_t page, nd_random_tree *t);

/* ---- Small random graphs of links for tests of what joins pages by them. */

enum { ND_GRAPH_PAGES = 60, ND_GRAPH_LINKS = 300 };

typedef struct nd_link_graph {
    uint64_t pages[ND_GRAPH_PAGES]; /**< ascending, distinct */
    nd_link links[ND_GRAPH_LINKS];  /**< of few similarities, so that there are ties; links twice
                                         and of a page to itself come too */
    size_t page_count, count;
} nd_link_graph;

void nd_random_link_graph(nd_random *random, nd_link_graph *g);

#endif
