#include "src/method/pair_measures.h"

#include "src/compare/cosine.h"
#include "src/compare/jaccard.h"
#include "src/lcs/lcs.h"
#include "src/method/methods.h"
#include "src/method/page_bits.h"
#include "src/method/page_sketch.h"
#include "src/sketch/minhash.h"
#include "src/sketch/simhash.h"

/* 95 % of a normal distribution, and the rule of three for the same. */
static const double NORMAL = 1.96;
static const double THREE = 3;

static nd_pair_ratio ratio_of(uint64_t common, uint64_t a, uint64_t b) {
    const uint64_t of = a + b - common;
    return (nd_pair_ratio){of == 0 ? 0 : (double)common / (double)of, common, of};
}

/* ---- shingles and sketches */

static nd_status measure_shingles(const nd_pair_options *o, const nd_document *a,
                                  const nd_document *b, nd_pair_measures *m) {
    nd_status st = ND_OK;
    nd_method_work of_a = {0}, of_b = {0};
    const nd_method_options options = {
        .shingle_tokens = o->shingle_tokens, .thinning = 1, .minima = o->minima, .seed = o->seed};
    ND_TRY(nd_page_sketch_check(&options));
    nd_page_minima(&options, &of_a, a);
    nd_page_minima(&options, &of_b, b);
    m->resemblance = ratio_of(
        nd_set_shared(of_a.shingles, of_a.shingle_count, of_b.shingles, of_b.shingle_count, 0),
        of_a.shingle_count, of_b.shingle_count);
    m->equal_minima = nd_minhash_equal(of_a.minima, of_b.minima, o->minima);
    m->estimate = nd_minhash_estimate_of(m->equal_minima, o->minima, NORMAL);
    const double width = THREE / (double)o->minima < 1 ? THREE / (double)o->minima : 1;
    if (m->equal_minima == o->minima) {
        m->estimate.low = 1 - width;
    } else if (m->equal_minima == 0) {
        m->estimate.high = width;
    }
out:
    nd_method_work_free(&of_a);
    nd_method_work_free(&of_b);
    return st;
}

static nd_status measure_supershingles(const nd_pair_options *o, const nd_document *a,
                                       const nd_document *b, nd_pair_measures *m) {
    nd_status st = ND_OK;
    nd_method_work work = {0};
    nd_method_options options;
    uint64_t vectors[2][1 + ND_SUPERSHINGLES];
    ND_TRY(nd_method_own_options(&nd_method_broder, &options));
    options.seed = o->seed;
    options.shingle_tokens = o->supershingle_tokens;
    ND_TRY(nd_page_sketch_check(&options));
    nd_page_supershingles(&options, &work, a, vectors[0]);
    nd_page_supershingles(&options, &work, b, vectors[1]);
    m->supershingles_agree = (uint32_t)nd_vectors_agree(&options, vectors[0], vectors[1]);
out:
    nd_method_work_free(&work);
    return st;
}

/* ---- all */

nd_status nd_pair_measure(const nd_pair_options *options, const nd_document *a,
                          const nd_document *b, nd_pair_measures *measures) {
    nd_status st = ND_OK;
    nd_pair_measures *m = measures;
    nd_method_work of_a = {0}, of_b = {0};
    uint64_t bits_a[ND_CHARIKAR_MAX_WORDS], bits_b[ND_CHARIKAR_MAX_WORDS];
    uint64_t common = 0;
    const uint64_t n = a->token_count, k = b->token_count;
    const nd_method_options bits = {.seed = options->seed, .bits = ND_CHARIKAR_BITS};
    *m = (nd_pair_measures){.any = n > 0 && k > 0};
    if (!m->any) {
        return ND_OK;
    }
    ND_TRY(measure_shingles(options, a, b, m));
    ND_TRY(measure_supershingles(options, a, b, m));

    /* by the frequencies of tokens */
    nd_page_bits(&bits, &of_a, a, 1, bits_a);
    nd_page_bits(&bits, &of_b, b, 1, bits_b);
    m->charikar_agree = nd_charikar_agreeing(bits_a, bits_b, ND_CHARIKAR_BITS);
    m->simhash_distance = nd_simhash_distance(bits_a[0], bits_b[0]); /* a longer string begins so */
    m->cosine =
        nd_cosine(of_a.terms.terms, of_a.terms.count, of_b.terms.terms, of_b.terms.count, 0);

    /* by their order */
    ND_TRY(nd_lcs_length(a->tokens, n, b->tokens, k, 0, &of_a.lcs, &common));
    m->r = ratio_of(common, n, k);
    nd_shingles_shared(a->tokens, n, b->tokens, k, 0, &of_a.lcs, &common, NULL);
    m->jaccard = ratio_of(common, nd_shingle_count(n), nd_shingle_count(k));
    ND_TRY(nd_score_find("trustable")
               ->similarity(a->tokens, n, b->tokens, k, 0, &of_a.lcs, &m->trustable));
out:
    nd_method_work_free(&of_a);
    nd_method_work_free(&of_b);
    return st;
}
