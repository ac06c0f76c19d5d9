/* The method `cosine`: the baseline of Huang, Wang and Li (CIKM 2008): candidates by fingerprints
 * of sentences as in `lcs`, compared by the cosine of their term frequencies. They give no
 * threshold; 0.9 here. */
#include "src/base/buffer.h"
#include "src/base/util.h"
#include "src/compare/cosine.h"
#include "src/method/methods.h"
#include "src/method/sentence_keys.h"

#include <string.h>

static const nd_method_use cosine_options[] = {{"threshold", 0.9},
                                               {"buckets", ND_AS_PRESET},
                                               {"smallest", ND_AS_PRESET},
                                               {"sentence-tokens", ND_AS_PRESET},
                                               {"chunk-sentences", 28},
                                               {"fingerprints", ND_AS_PRESET},
                                               {0}};

/* A payload's size has to follow from the tokens, so there is room for all being distinct: the
 * terms, then terms that occur 0 times. */
static nd_method_sizes cosine_sizes(const nd_method_options *options, uint64_t tokens) {
    return (nd_method_sizes){.keys = nd_sentence_max_keys(options),
                             .digest = sizeof(nd_cosine_digest),
                             .payload = tokens * sizeof(nd_term)};
}

static nd_status cosine_digest(const nd_method_options *options, nd_method_work *work,
                               const nd_document *document, void *digest) {
    (void)options;
    nd_term_vector_fill(document->tokens, document->token_count, &work->terms);
    nd_cosine_digest_fill(work->terms.terms, work->terms.count, digest);
    return ND_OK;
}

static double cosine_bound(const nd_method_options *options, const void *a, const void *b) {
    (void)options;
    return nd_cosine_bound(a, b);
}

static nd_status cosine_payload(const nd_method_options *options, nd_method_work *work,
                                const nd_document *document, nd_span *payload) {
    const size_t size = (size_t)cosine_sizes(options, document->token_count).payload;
    nd_term_vector_fill(document->tokens, document->token_count, &work->terms);
    nd_grow(&work->words, &work->word_capacity, size / sizeof *work->words, sizeof *work->words);
    if (size > 0) {
        memset(work->words, 0, size);
        memcpy(work->words, work->terms.terms, work->terms.count * sizeof(nd_term));
    }
    *payload = (nd_span){(const uint8_t *)work->words, size};
    return ND_OK;
}

static nd_status cosine_similarity(const nd_method_options *options, nd_method_work *work,
                                   nd_span a, nd_span b, double threshold, double *similarity) {
    const nd_term *x = (const nd_term *)(const void *)a.data;
    const nd_term *y = (const nd_term *)(const void *)b.data;
    size_t n = 0;
    size_t m = 0;
    (void)options;
    (void)work;
    ND_FIND_FIRST(n, 0, a.size / sizeof *x, x[n].frequency == 0);
    ND_FIND_FIRST(m, 0, b.size / sizeof *y, y[m].frequency == 0);
    *similarity = nd_cosine(x, n, y, m, threshold);
    return ND_OK;
}

const nd_method nd_method_cosine = {
    .name = "cosine",
    .summary = "keys as lcs, then the cosine of the token frequencies (the baseline of Huang, Wang "
               "and Li 2008)",
    .options = cosine_options,
    .sentence_keys = true,
    .all_pairs = true,
    .guard = 0.1,
    .sizes = cosine_sizes,
    .sign = nd_sentence_sign,
    .digest = cosine_digest,
    .bound = cosine_bound,
    .payload = cosine_payload,
    .similarity = cosine_similarity,
};
