/* The methods: each is its functions and a row, and the table at the end of this file is the one
 * other place that names it. */
#include "src/base/buffer.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "src/compare/cosine.h"
#include "src/compare/jaccard.h"
#include "src/method/method.h"
#include "src/method/signature.h"
#include "src/plan/curve.h"
#include "src/sketch/histogram.h"
#include "src/sketch/minhash.h"
#include "src/sketch/shingle.h"
#include "src/sketch/simhash.h"
#include "src/text/address.h"

#include <string.h>

/* ---- The method `lcs` (Huang, Wang and Li, CIKM 2008): keys are sentence fingerprints, the digest
 * is the token histogram, the payload the tokens in order, and the similarity an LCS score. */

static const nd_method_use lcs_options[] = {
    {"score", ND_AS_PRESET},           {"threshold", ND_AS_PRESET},
    {"buckets", ND_AS_PRESET},         {"smallest", ND_AS_PRESET},
    {"sentence-tokens", ND_AS_PRESET}, {"chunk-sentences", ND_AS_PRESET},
    {"fingerprints", ND_AS_PRESET},    {"verify", ND_AS_PRESET},
    {"filters", ND_AS_PRESET},         {"title-penalty", ND_AS_PRESET},
    {"index-pages", ND_AS_PRESET},     {0}};

/* Without verification pages are similar that share a key; their least share of common keys. */
static nd_status lcs_derive(nd_method_options *options) {
    options->keys_suffice = !options->verify;
    if (options->keys_suffice) {
        options->threshold = 1 / (2 * (double)nd_sentence_max_keys(options));
        options->site_extra = 0;
    }
    return ND_OK;
}

/* A digest is a histogram for bounds; where keys suffice, how many keys the page has, they,
 * ascending and distinct, and zeros. */
static nd_method_sizes lcs_sizes(const nd_method_options *options, uint64_t tokens) {
    const size_t keys = nd_sentence_max_keys(options);
    return (nd_method_sizes){.keys = keys,
                             .digest = options->keys_suffice ? (1 + keys) * sizeof(uint64_t)
                                                             : sizeof(nd_histogram),
                             .payload = tokens * sizeof(uint32_t)};
}

static void lcs_digest(const nd_method_options *options, nd_method_work *work,
                       const nd_document *document, void *digest) {
    uint64_t *keys = digest;
    size_t count = 0;
    if (!options->keys_suffice) {
        nd_histogram_fill(document->tokens, document->token_count, digest);
        return;
    }
    memset(keys, 0, lcs_sizes(options, 0).digest);
    nd_sentence_sign(options, work, document, keys + 1, &count);
    keys[0] = nd_numbers_distinct(keys + 1, count);
    memset(keys + 1 + keys[0], 0, (count - (size_t)keys[0]) * sizeof *keys);
}

static double lcs_length_bound(const nd_method_options *options, uint64_t a, uint64_t b) {
    return options->filters && !options->keys_suffice ? options->score->ratio(nd_min(a, b), a, b)
                                                      : 1;
}

static double lcs_bound(const nd_method_options *options, const void *a, const void *b) {
    if (!options->keys_suffice) {
        const nd_histogram *x = a;
        const nd_histogram *y = b;
        return options->filters
                   ? options->score->ratio(nd_histogram_common(x, y), x->tokens, y->tokens)
                   : 1;
    }
    /* the share of common keys in all keys of two pages */
    const uint64_t *x = a;
    const uint64_t *y = b;
    const uint64_t n = x[0];
    const uint64_t m = y[0];
    uint64_t common = 0;
    for (uint64_t i = 1, k = 1; i <= n && k <= m;) {
        const uint64_t of_x = x[i];
        const uint64_t of_y = y[k];
        common += of_x == of_y;
        i += of_x <= of_y;
        k += of_y <= of_x;
    }
    return n + m == 0 ? 0 : (double)common / (double)(n + m - common);
}

static void lcs_payload(const nd_method_options *options, nd_method_work *work,
                        const nd_document *document, nd_span *payload) {
    (void)options;
    (void)work;
    *payload = (nd_span){(const uint8_t *)document->tokens,
                         document->token_count * sizeof *document->tokens};
}

static void lcs_similarity(const nd_method_options *options, nd_method_work *work, nd_span a,
                           nd_span b, double threshold, double *similarity) {
    const uint32_t *x = (const uint32_t *)(const void *)a.data;
    const uint32_t *y = (const uint32_t *)(const void *)b.data;
    const size_t n = a.size / sizeof *x;
    const size_t m = b.size / sizeof *y;
    if (options->filters) {
        options->score->similarity(x, n, y, m, threshold, &work->lcs, similarity);
        return;
    }
    double exact = 0;
    options->score->plain(x, n, y, m, &work->lcs, &exact);
    *similarity = exact >= threshold ? exact : 0;
}

static const nd_method lcs_method = {
    .name = "lcs",
    .summary = "sentence fingerprints, then the longest common subsequence of the tokens "
               "(Huang, Wang and Li, CIKM 2008)",
    .options = lcs_options,
    .sentence_keys = true,
    .rules = true,
    .sequences = true,
    .slack = 0.15,
    .derive = lcs_derive,
    .sizes = lcs_sizes,
    .sign = nd_sentence_sign,
    .digest = lcs_digest,
    .length_bound = lcs_length_bound,
    .bound = lcs_bound,
    .payload = lcs_payload,
    .similarity = lcs_similarity,
};

/* ---- The method `lsh`: min-wise sketches cut into b bands of r minima, and what meets in a band
 * is compared by the shingles themselves, or by the sketches (Indyk and Motwani, STOC 1998;
 * Gambosi's slides: shingles of 5 words, 20 bands of 5 rows, threshold 0.8). Pages of resemblance s
 * meet with a chance of 1 - (1 - s^r)^b. */

static const nd_method_use lsh_options[] = {{"threshold", 0.7},
                                            {"shingle-tokens", 5},
                                            {"wrap-around", ND_AS_PRESET},
                                            {"shingle-counts", ND_AS_PRESET},
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

static void lsh_digest(const nd_method_options *options, nd_method_work *work,
                       const nd_document *document, void *digest) {
    if (!options->verify) {
        nd_minima_digest(options, work, document, digest);
        return;
    }
    nd_page_shingles(options, work, document);
    nd_grow(&work->numbers, &work->number_capacity, work->shingle_count, sizeof *work->numbers);
    for (size_t i = 0; i < work->shingle_count; i++) {
        work->numbers[i] = (uint32_t)work->shingles[i];
    }
    nd_histogram_fill(work->numbers, work->shingle_count, digest);
}

static double lsh_bound(const nd_method_options *options, const void *a, const void *b) {
    const nd_histogram *x = a;
    const nd_histogram *y = b;
    return options->verify ? nd_resemblance_ratio(nd_histogram_common(x, y), x->tokens, y->tokens)
                           : nd_minima_bound(options, a, b);
}

static void lsh_payload(const nd_method_options *options, nd_method_work *work,
                        const nd_document *document, nd_span *payload) {
    if (!options->verify) {
        nd_minima_payload(options, work, document, payload);
        return;
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
}

static void lsh_similarity(const nd_method_options *options, nd_method_work *work, nd_span a,
                           nd_span b, double threshold, double *similarity) {
    const uint64_t *x = (const uint64_t *)(const void *)a.data;
    const uint64_t *y = (const uint64_t *)(const void *)b.data;
    if (!options->verify) {
        nd_minima_similarity(options, work, a, b, threshold, similarity);
        return;
    }
    *similarity = nd_resemblance(x + 1, x[0], y + 1, y[0], threshold);
}

static const nd_method lsh_method = {
    .name = "lsh",
    .summary = "bands of min-wise sketches, then the resemblance of the shingles (Indyk and "
               "Motwani 1998)",
    .options = lsh_options,
    .slack = 0.15,
    .derive = lsh_derive,
    .sizes = lsh_sizes,
    .sign = nd_minima_sign,
    .digest = lsh_digest,
    .bound = lsh_bound,
    .payload = lsh_payload,
    .similarity = lsh_similarity,
};

/* ---- The method `sketch`: P permutations, and pages are similar if enough of their minima are
 * equal (Broder, Charikar, Frieze and Mitzenmacher 1998; lecture notes of Mitzenmacher: shingles of
 * 4 words, 90 of 100 minima; IIR 19: 200 minima, 80 %). Candidates are found by bands of the
 * sketch, by default the fewest that lose no pair: with more bands than minima that may differ, one
 * band is equal. */

static const nd_method_use sketch_options[] = {{"threshold", 0.9},
                                               {"shingle-tokens", 4},
                                               {"wrap-around", ND_AS_PRESET},
                                               {"shingle-counts", ND_AS_PRESET},
                                               {"thinning", ND_AS_PRESET},
                                               {"shingle-hash", ND_AS_PRESET},
                                               {"minima", 100},
                                               {"bands", 0},
                                               {0}};

static nd_status sketch_derive(nd_method_options *options) {
    enum { FEWEST_ROWS = 3 };
    static const double NEARLY = 0.999;
    nd_status st = ND_OK;
    ND_TRY(nd_method_check_options(options)); /* bands are chosen by the threshold */
    ND_TRY(nd_page_sketch_check(options));
    const uint32_t minima = options->minima;
    if (options->bands == 0) {
        /* The fewest bands in which every pair at the threshold has an equal one. Surely so with
         * more bands than minima that differ; but with hardly any rows in a band everything meets,
         * so there nearly surely will do. */
        uint32_t equal = 0; /* minima at the threshold, by the very division that is compared */
        while (equal < minima && (double)equal / minima < options->threshold) {
            equal++;
        }
        const uint32_t exact = minima - equal + 1;
        bool finds_all = false;
        while (!finds_all) {
            const uint32_t bands = ++options->bands;
            const nd_curve curve = nd_curve_of_bands(bands, minima / bands);
            finds_all = bands == minima ||
                        (minima % bands == 0 &&
                         (bands >= exact || (minima / exact < FEWEST_ROWS &&
                                             nd_curve_at(&curve, options->threshold) >= NEARLY)));
        }
    }
    if (options->bands > minima || minima % options->bands != 0) {
        st =
            nd_fail(ND_ERR_USAGE, "--bands %u: the %u minima (--minima) cannot be cut into so many",
                    options->bands, minima);
        goto out;
    }
    ND_TRY(nd_page_bands_check(options->bands, minima / options->bands, options->threshold));
out:
    return st;
}

static const nd_method sketch_method = {
    .name = "sketch",
    .summary = "share of equal minima of min-wise sketches (Broder, Charikar, Frieze and "
               "Mitzenmacher 1998)",
    .options = sketch_options,
    .slack = 0.1,
    .derive = sketch_derive,
    .sizes = nd_minima_sizes,
    .sign = nd_minima_sign,
    .digest = nd_minima_digest,
    .bound = nd_minima_bound,
    .payload = nd_minima_payload,
    .similarity = nd_minima_similarity,
};

/* ---- The method `broder`: "Alg. B" of Henzinger (SIGIR 2006; US 2008/0044016, section 1.2.3.1),
 * after Broder, Glassman, Manasse and Zweig (WWW 1997) with the numbers of Fetterly, Manasse and
 * Najork (2003): shingles of 8 tokens by Rabin fingerprints, wrapped around, 84 minima in 6
 * supershingles of 14, and pages are similar if 2 agree. Keys are megashingles: the search loses
 * nothing. */

static const nd_method_use broder_options[] = {{"shingle-tokens", 8},
                                               {"wrap-around", true},
                                               {"shingle-counts", ND_AS_PRESET},
                                               {"thinning", ND_AS_PRESET},
                                               {"shingle-hash", ND_SHINGLE_RABIN},
                                               {"minima", ND_SUPERSHINGLE_SKETCH},
                                               {"supershingles", ND_SUPERSHINGLES},
                                               {"supershingle-minima", ND_SUPERSHINGLE_MINIMA},
                                               {"agree", ND_SUPERSHINGLES_NEEDED},
                                               {0}};

static nd_status broder_derive(nd_method_options *options) {
    nd_status st = ND_OK;
    ND_TRY(nd_page_sketch_check(options));
    ND_TRY(nd_supershingles_check(options));
    options->threshold = (double)options->agree / options->supershingles;
out:
    return st;
}

static nd_method_sizes broder_sizes(const nd_method_options *options, uint64_t tokens) {
    (void)tokens;
    return (nd_method_sizes){.keys = nd_vector_max_keys(options),
                             .digest = nd_vector_words(options) * sizeof(uint64_t)};
}

static void broder_sign(const nd_method_options *options, nd_method_work *work,
                        const nd_document *document, uint64_t *keys, size_t *key_count) {
    uint64_t vector[1 + ND_SUPERSHINGLES_MAX];
    nd_page_supershingles(options, work, document, vector);
    *key_count = nd_vector_keys(options, vector, keys);
}

static double broder_bound(const nd_method_options *options, const void *a, const void *b) {
    return (double)nd_vectors_agree(options, a, b) / options->supershingles;
}

static const nd_method broder_method = {
    .name = "broder",
    .summary = "supershingles of which 2 of 6 agree (Broder 1997; Alg. B of Henzinger, US "
               "2008/0044016)",
    .options = broder_options,
    .image_terms = true,
    .all_pairs = true,
    .slack = 1.0 / (double)ND_SUPERSHINGLES,
    .derive = broder_derive,
    .sizes = broder_sizes,
    .sign = broder_sign,
    .digest = nd_page_supershingles,
    .bound = broder_bound,
};

/* ---- The method `charikar`: "Alg. C" of Henzinger (SIGIR 2006; US 2008/0044016, section 1.2.3.2),
 * after Charikar (STOC 2002): projections to 384 bits, of which 372 agree. Pages that agree in one
 * of 12 pieces meet, which loses none from 373 on, and at 372 one of 10,000. */

static const nd_method_use charikar_options[] = {
    {"shingle-tokens", 1}, {"bits", ND_CHARIKAR_BITS}, {"pieces", ND_PIECES}, {"agree", 0}, {0}};

static nd_status charikar_derive(nd_method_options *options) {
    nd_status st = ND_OK;
    ND_TRY(nd_page_bits_check(options));
    ND_TRY(nd_shingle_tokens_check(options));
    if (options->agree == 0) {
        options->agree = nd_bits_most(options->bits);
    }
    ND_TRY(nd_agreeing_bits_check(options, "agree", options->agree));
    ND_TRY(nd_pieces_check(options, "agree", options->agree));
    options->threshold = (double)options->agree / options->bits;
out:
    return st;
}

static nd_method_sizes charikar_sizes(const nd_method_options *options, uint64_t tokens) {
    (void)tokens;
    return (nd_method_sizes){.keys = options->pieces,
                             .digest = nd_charikar_words(options->bits) * sizeof(uint64_t)};
}

static void charikar_sign(const nd_method_options *options, nd_method_work *work,
                          const nd_document *document, uint64_t *keys, size_t *key_count) {
    uint64_t string[ND_CHARIKAR_MAX_WORDS];
    *key_count = 0;
    nd_bits_digest(options, work, document, string);
    nd_pieces_keys(string, options->bits, options->pieces, keys);
    *key_count = options->pieces;
}

static const nd_method charikar_method = {
    .name = "charikar",
    .summary = "projections of which 372 of 384 bits agree (Charikar 2002; Alg. C of Henzinger, US "
               "2008/0044016)",
    .options = charikar_options,
    .image_terms = true,
    .all_pairs = true,
    .slack = 12.0 / (double)ND_CHARIKAR_BITS,
    .derive = charikar_derive,
    .sizes = charikar_sizes,
    .sign = charikar_sign,
    .digest = nd_bits_digest,
    .bound = nd_bits_bound,
};

/* ---- The method `henzinger`: the combined algorithm of Henzinger (SIGIR 2006; US 2008/0044016,
 * section 4.2). basic: pages found by supershingles ("Alg. B") are kept if enough bits of their
 * projections agree ("Alg. C"). site-variant: so for two pages of one site, where templates deceive
 * the first technique, and by bits alone between sites (section 4.2.3). union: basic, and besides
 * all pages of which many bits agree (ibid., for recall). The paper's filter is 355 bits, the
 * patent's example 372. */

static const nd_method_use henzinger_options[] = {{"shingle-tokens", 8},
                                                  {"wrap-around", true},
                                                  {"shingle-counts", ND_AS_PRESET},
                                                  {"thinning", ND_AS_PRESET},
                                                  {"shingle-hash", ND_SHINGLE_RABIN},
                                                  {"minima", ND_SUPERSHINGLE_SKETCH},
                                                  {"supershingles", ND_SUPERSHINGLES},
                                                  {"agree", ND_SUPERSHINGLES_NEEDED},
                                                  {"supershingle-minima", ND_SUPERSHINGLE_MINIMA},
                                                  {"bits", ND_CHARIKAR_BITS},
                                                  {"pieces", ND_PIECES},
                                                  {"henzinger", ND_HENZINGER_BASIC},
                                                  {"filter-bits", 0},
                                                  {"filter-tokens", 1},
                                                  {"charikar-bits", 0},
                                                  {0}};

static bool looks_by_bits(const nd_method_options *options) {
    return options->henzinger != ND_HENZINGER_BASIC;
}

static nd_status henzinger_derive(nd_method_options *options) {
    nd_status st = ND_OK;
    ND_TRY(nd_page_sketch_check(options));
    ND_TRY(nd_supershingles_check(options));
    ND_TRY(nd_page_bits_check(options));
    const uint32_t most = nd_bits_most(options->bits);
    options->filter_bits = options->filter_bits == 0 ? most : options->filter_bits;
    options->charikar_bits = options->charikar_bits == 0 ? most : options->charikar_bits;
    ND_TRY(nd_agreeing_bits_check(options, "filter-bits", options->filter_bits));
    ND_TRY(nd_tokens_check("filter-tokens", options->filter_tokens));
    ND_TRY(nd_agreeing_bits_check(options, "charikar-bits", options->charikar_bits));
    if (options->henzinger == ND_HENZINGER_UNION && options->charikar_bits < options->filter_bits) {
        st = nd_fail(ND_ERR_USAGE,
                     "--charikar-bits %u: below --filter-bits %u, the union would be what bits "
                     "alone find",
                     options->charikar_bits, options->filter_bits);
        goto out;
    }
    if (looks_by_bits(options)) {
        ND_TRY(nd_pieces_check(options, "charikar-bits", options->charikar_bits));
    }
    /* The share of bits from which pages on are similar: the lowest that any pair may have, and
     * that of pages of one site. bound() refuses those that need more. In a union it is the filter,
     * which is not above what bits alone need. */
    const double filter = (double)options->filter_bits / options->bits;
    const double alone = (double)options->charikar_bits / options->bits;
    const bool variant = options->henzinger == ND_HENZINGER_SITE_VARIANT;
    options->threshold = variant ? alone : filter;
    options->site_threshold = variant ? filter : 0;
out:
    return st;
}

/* ---- pages: a digest is, in words, the site, the vector of supershingles and the bits */

enum { MOST_WORDS = 1 + 1 + ND_SUPERSHINGLES_MAX + ND_CHARIKAR_MAX_WORDS };

static const uint64_t *vector_of(const uint64_t *digest) {
    return digest + 1;
}

static size_t string_place(const nd_method_options *options) {
    return 1 + nd_vector_words(options);
}

static nd_method_sizes henzinger_sizes(const nd_method_options *options, uint64_t tokens) {
    const size_t words = string_place(options) + nd_charikar_words(options->bits);
    (void)tokens;
    return (nd_method_sizes){.keys = nd_vector_max_keys(options) +
                                     (looks_by_bits(options) ? options->pieces : 0),
                             .digest = words * sizeof(uint64_t)};
}

static void henzinger_digest(const nd_method_options *options, nd_method_work *work,
                             const nd_document *document, void *digest) {
    uint64_t *words = digest;
    words[0] = document->origin.site;
    nd_page_supershingles(options, work, document, words + 1);
    nd_page_bits(options, work, document, options->filter_tokens, words + string_place(options));
}

static void henzinger_sign(const nd_method_options *options, nd_method_work *work,
                           const nd_document *document, uint64_t *keys, size_t *key_count) {
    uint64_t digest[MOST_WORDS];
    *key_count = 0;
    henzinger_digest(options, work, document, digest);
    *key_count = nd_vector_keys(options, vector_of(digest), keys);
    if (looks_by_bits(options)) {
        nd_pieces_keys(digest + string_place(options), options->bits, options->pieces,
                       keys + *key_count);
        *key_count += options->pieces;
    }
}

/* The share of agreeing bits. Where supershingles must agree and do not, it stays a bit below the
 * filter: such pages are not similar, but near enough to share a set's representative. */
static double henzinger_bound(const nd_method_options *options, const void *a, const void *b) {
    const uint64_t *x = a;
    const uint64_t *y = b;
    const size_t place = string_place(options);
    const uint32_t agreeing = nd_charikar_agreeing(x + place, y + place, options->bits);
    const bool bits_are_enough =
        (options->henzinger == ND_HENZINGER_SITE_VARIANT && !nd_site_may_be_same(x[0], y[0])) ||
        (options->henzinger == ND_HENZINGER_UNION && agreeing >= options->charikar_bits);
    const bool similar = agreeing < options->filter_bits || bits_are_enough ||
                         nd_vectors_agree(options, vector_of(x), vector_of(y)) >= options->agree;
    return (double)(similar ? agreeing : options->filter_bits - 1) / options->bits;
}

static const nd_method henzinger_method = {
    .name = "henzinger",
    .summary = "found as by broder, filtered as by charikar (Henzinger, SIGIR 2006; US "
               "2008/0044016)",
    .options = henzinger_options,
    .image_terms = true,
    .all_pairs = true,
    .slack = 12.0 / (double)ND_CHARIKAR_BITS,
    .derive = henzinger_derive,
    .sizes = henzinger_sizes,
    .sign = henzinger_sign,
    .digest = henzinger_digest,
    .bound = henzinger_bound,
};

/* ---- The method `simhash`: prints of 64 bits that differ in at most 3 (Manku, Jain and Das Sarma,
 * WWW 2007; the baseline of Huang, Wang and Li, CIKM 2008). Features are tokens by their frequency.
 * Keys are the fixed blocks of permuted tables: the search loses nothing. */

static const nd_method_use simhash_options[] = {
    {"shingle-tokens", 1}, {"distance", ND_SIMHASH_DISTANCE}, {"simhash-blocks", 0}, {0}};

static nd_status simhash_derive(nd_method_options *options) {
    nd_status st = ND_OK;
    nd_simhash_tables tables;
    if (options->distance < 1 || options->distance > ND_SIMHASH_MAX_DISTANCE) {
        return nd_fail(ND_ERR_USAGE, "--distance %u: must be 1 to %d of the 64 bits",
                       options->distance, ND_SIMHASH_MAX_DISTANCE);
    }
    if (options->simhash_blocks == 0) {
        options->simhash_blocks = options->distance + (ND_SIMHASH_BLOCKS - ND_SIMHASH_DISTANCE);
    }
    if (nd_simhash_design(options->distance, options->simhash_blocks, &tables) != ND_OK) {
        return nd_fail(ND_ERR_USAGE,
                       "--simhash-blocks %u: must be %u to %d for --distance %u, and make at most "
                       "%d tables",
                       options->simhash_blocks, options->distance + 1, ND_SIMHASH_MAX_BLOCKS,
                       options->distance, ND_SIMHASH_MAX_TABLES);
    }
    ND_TRY(nd_shingle_tokens_check(options));
    options->bits = ND_SIMHASH_BITS;
    options->threshold = (double)(ND_SIMHASH_BITS - options->distance) / (double)ND_SIMHASH_BITS;
out:
    return st;
}

static nd_method_sizes simhash_sizes(const nd_method_options *options, uint64_t tokens) {
    (void)options;
    (void)tokens;
    return (nd_method_sizes){.keys = ND_SIMHASH_MAX_TABLES, .digest = sizeof(uint64_t)};
}

static void simhash_sign(const nd_method_options *options, nd_method_work *work,
                         const nd_document *document, uint64_t *keys, size_t *key_count) {
    uint64_t print = 0;
    if (work->simhash.count == 0) { /* simhash_derive() has asked for the same */
        (void)nd_simhash_design(options->distance, options->simhash_blocks, &work->simhash);
        ND_ASSERT(work->simhash.count > 0, options->distance, options->simhash_blocks);
    }
    nd_bits_digest(options, work, document, &print);
    nd_simhash_keys(&work->simhash, print, keys);
    *key_count = work->simhash.count;
}

static const nd_method simhash_method = {
    .name = "simhash",
    .summary = "64-bit prints that differ in at most 3 bits (Manku, Jain and Das Sarma, WWW 2007)",
    .options = simhash_options,
    .all_pairs = true,
    .slack = 3.0 / (double)ND_SIMHASH_BITS,
    .derive = simhash_derive,
    .sizes = simhash_sizes,
    .sign = simhash_sign,
    .digest = nd_bits_digest,
    .bound = nd_bits_bound,
};

/* ---- The method `cosine`: the baseline of Huang, Wang and Li (CIKM 2008): candidates by
 * fingerprints of sentences as in `lcs`, compared by the cosine of their term frequencies. They
 * give no threshold; 0.9 here. */

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

static void cosine_digest(const nd_method_options *options, nd_method_work *work,
                          const nd_document *document, void *digest) {
    (void)options;
    nd_term_vector_fill(document->tokens, document->token_count, &work->terms);
    nd_cosine_digest_fill(work->terms.terms, work->terms.count, digest);
}

static double cosine_bound(const nd_method_options *options, const void *a, const void *b) {
    (void)options;
    return nd_cosine_bound(a, b);
}

static void cosine_payload(const nd_method_options *options, nd_method_work *work,
                           const nd_document *document, nd_span *payload) {
    const size_t size = (size_t)cosine_sizes(options, document->token_count).payload;
    nd_term_vector_fill(document->tokens, document->token_count, &work->terms);
    nd_grow(&work->words, &work->word_capacity, size / sizeof *work->words, sizeof *work->words);
    if (size > 0) {
        memset(work->words, 0, size);
        memcpy(work->words, work->terms.terms, work->terms.count * sizeof(nd_term));
    }
    *payload = (nd_span){(const uint8_t *)work->words, size};
}

static void cosine_similarity(const nd_method_options *options, nd_method_work *work, nd_span a,
                              nd_span b, double threshold, double *similarity) {
    const nd_term *x = (const nd_term *)(const void *)a.data;
    const nd_term *y = (const nd_term *)(const void *)b.data;
    size_t n = 0;
    size_t m = 0;
    (void)options;
    (void)work;
    ND_FIND_FIRST(n, 0, a.size / sizeof *x, x[n].frequency == 0);
    ND_FIND_FIRST(m, 0, b.size / sizeof *y, y[m].frequency == 0);
    *similarity = nd_cosine(x, n, y, m, threshold);
}

static const nd_method cosine_method = {
    .name = "cosine",
    .summary = "keys as lcs, then the cosine of the token frequencies (the baseline of Huang, Wang "
               "and Li 2008)",
    .options = cosine_options,
    .sentence_keys = true,
    .all_pairs = true,
    .slack = 0.1,
    .sizes = cosine_sizes,
    .sign = nd_sentence_sign,
    .digest = cosine_digest,
    .bound = cosine_bound,
    .payload = cosine_payload,
    .similarity = cosine_similarity,
};

/* ---- The method `exact`: pages of equal text (Mitzenmacher's and the IIR 19 lecture notes;
 * Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 19.6). The
 * key is 64 bits of a hash of the content, the digest 128. Pages of equal text or content are put
 * together before a method sees them, so what is left to this one are collisions of 64 bits, to be
 * refused. */

static const nd_method_use exact_options[] = {{0}};

static nd_status exact_derive(nd_method_options *options) {
    options->threshold = 1;
    return ND_OK;
}

static nd_method_sizes exact_sizes(const nd_method_options *options, uint64_t tokens) {
    (void)options;
    (void)tokens;
    return (nd_method_sizes){.keys = 1, .digest = sizeof(nd_text_hash)};
}

static void exact_digest(const nd_method_options *options, nd_method_work *work,
                         const nd_document *document, void *digest) {
    (void)options;
    (void)work;
    *(nd_text_hash *)digest = document->hash;
}

static void exact_sign(const nd_method_options *options, nd_method_work *work,
                       const nd_document *document, uint64_t *keys, size_t *key_count) {
    (void)options;
    (void)work;
    keys[0] = document->hash.low;
    *key_count = 1;
}

static double exact_length_bound(const nd_method_options *options, uint64_t a, uint64_t b) {
    (void)options;
    return a == b;
}

static double exact_bound(const nd_method_options *options, const void *a, const void *b) {
    const nd_text_hash *x = a;
    const nd_text_hash *y = b;
    (void)options;
    return x->low == y->low && x->high == y->high;
}

static const nd_method exact_method = {
    .name = "exact",
    .summary = "pages of equal content, by a hash of their text (IIR, section 19.6)",
    .options = exact_options,
    .derive = exact_derive,
    .sizes = exact_sizes,
    .sign = exact_sign,
    .digest = exact_digest,
    .length_bound = exact_length_bound,
    .bound = exact_bound,
};

/* ==== the table */

/* In the order of their rows. The first is the default. */
static const nd_method *const methods[] = {&lcs_method,      &exact_method,  &sketch_method,
                                           &lsh_method,      &broder_method, &simhash_method,
                                           &charikar_method, &cosine_method, &henzinger_method};

const nd_method *nd_method_row(size_t row) {
    return row < sizeof methods / sizeof methods[0] ? methods[row] : NULL;
}

const nd_method *nd_method_find(const char *name) {
    for (size_t i = 0; nd_method_row(i) != NULL; i++) {
        if (strcmp(nd_method_row(i)->name, name) == 0) {
            return nd_method_row(i);
        }
    }
    return NULL;
}
