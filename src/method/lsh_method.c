/* The method `lsh`: min-wise sketches cut into b bands of r minima, and what meets in a band is
 * compared by the shingles themselves, or by the sketches (Indyk and Motwani, STOC 1998; Gambosi's
 * slides: shingles of 5 words, 20 bands of 5 rows, threshold 0.8). Pages of resemblance s meet with
 * a chance of 1 - (1 - s^r)^b. */
#include "src/base/buffer.h"
#include "src/compare/jaccard.h"
#include "src/method/methods.h"
#include "src/method/page_sketch.h"
#include "src/sketch/histogram.h"
#include "src/sketch/shingle.h"

#include <string.h>

static const nd_method_use lsh_options[] = {{"threshold", 0.7},
                                            {"shingle-tokens", 5},
                                            {"wrap-around", ND_AS_PRESET},
                                            {"thinning", ND_AS_PRESET},
                                            {"shingle-hash", ND_AS_PRESET},
                                            {"bands", 25},
                                            {"rows", 5},
                                            {"verify", true},
                                            {0}};

static nd_status lsh_derive(nd_method_options *options) {
    enum { MOST = 1000 };
    nd_status st = ND_OK;
    if (options->bands < 1 || options->bands > MOST || options->rows < 1 || options->rows > MOST) {
        return nd_fail(ND_ERR_USAGE, "--bands %u, --rows %u: must be 1 to %d each", options->bands,
                       options->rows, MOST);
    }
    options->minima = options->bands * options->rows;
    ND_TRY(nd_method_check_options(options)); /* the chance is looked at for the threshold */
    ND_TRY(nd_page_sketch_check(options));
    if (!options->own_bands || !options->own_rows) {
        ND_TRY(nd_page_bands_check(options->bands, options->rows, options->threshold));
    }
out:
    return st;
}

/* Without verification minima are compared. With it a digest is a histogram of the shingles, of
 * which at most those in one bin can be common, and a payload their number, they, and zeros. */
static nd_method_sizes lsh_sizes(const nd_method_options *options, uint64_t tokens) {
    const nd_shingle_options shingle = {.tokens = options->shingle_tokens,
                                        .wrap = options->wrap_around};
    nd_method_sizes sizes = nd_minima_sizes(options, tokens);
    if (options->verify) {
        sizes.digest = sizeof(nd_histogram);
        sizes.payload = (1 + nd_shingle_places(&shingle, (size_t)tokens)) * sizeof(uint64_t);
    }
    return sizes;
}

static nd_status lsh_digest(const nd_method_options *options, nd_method_work *work,
                            const nd_document *document, void *digest) {
    if (!options->verify) {
        nd_minima_digest(options, work, document, digest);
        return ND_OK;
    }
    nd_page_shingles(options, work, document);
    nd_grow(&work->numbers, &work->number_capacity, work->shingle_count, sizeof *work->numbers);
    for (size_t i = 0; i < work->shingle_count; i++) {
        work->numbers[i] = (uint32_t)work->shingles[i];
    }
    nd_histogram_fill(work->numbers, work->shingle_count, digest);
    return ND_OK;
}

static double lsh_bound(const nd_method_options *options, const void *a, const void *b) {
    const nd_histogram *x = a;
    const nd_histogram *y = b;
    return options->verify ? nd_resemblance_ratio(nd_histogram_common(x, y), x->tokens, y->tokens)
                           : nd_minima_bound(options, a, b);
}

static nd_status lsh_payload(const nd_method_options *options, nd_method_work *work,
                             const nd_document *document, nd_span *payload) {
    if (!options->verify) {
        nd_minima_payload(options, work, document, payload);
        return ND_OK;
    }
    const size_t size = (size_t)lsh_sizes(options, document->token_count).payload;
    nd_page_shingles(options, work, document);
    nd_grow(&work->words, &work->word_capacity, size / sizeof *work->words, sizeof *work->words);
    memset(work->words, 0, size);
    work->words[0] = work->shingle_count;
    if (work->shingle_count > 0) {
        memcpy(work->words + 1, work->shingles, work->shingle_count * sizeof *work->words);
    }
    *payload = (nd_span){(const uint8_t *)work->words, size};
    return ND_OK;
}

static nd_status lsh_similarity(const nd_method_options *options, nd_method_work *work, nd_span a,
                                nd_span b, double threshold, double *similarity) {
    const uint64_t *x = (const uint64_t *)(const void *)a.data;
    const uint64_t *y = (const uint64_t *)(const void *)b.data;
    if (!options->verify) {
        nd_minima_similarity(options, work, a, b, threshold, similarity);
        return ND_OK;
    }
    *similarity = nd_resemblance(x + 1, x[0], y + 1, y[0], threshold);
    return ND_OK;
}

const nd_method nd_method_lsh = {
    .name = "lsh",
    .summary = "bands of min-wise sketches, then the resemblance of the shingles (Indyk and "
               "Motwani 1998)",
    .options = lsh_options,
    .guard = 0.15,
    .derive = lsh_derive,
    .sizes = lsh_sizes,
    .sign = nd_minima_sign,
    .digest = lsh_digest,
    .bound = lsh_bound,
    .payload = lsh_payload,
    .similarity = lsh_similarity,
};
