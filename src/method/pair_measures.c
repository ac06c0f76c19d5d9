#include "src/method/pair_measures.h"

#include "src/compare/cosine.h"
#include "src/compare/jaccard.h"
#include "src/compare/resemblance.h"
#include "src/lcs/lcs.h"
#include "src/method/methods.h"
#include "src/method/page_bits.h"
#include "src/method/page_sketch.h"
#include "src/runs/runs.h"
#include "src/sketch/simhash.h"
#include "src/sketch/supershingle.h"

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
    ND_TRY(nd_page_minima(&options, &of_a, a));
    ND_TRY(nd_page_minima(&options, &of_b, b));
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
    ND_TRY(nd_page_supershingles(&options, &work, a, vectors[0]));
    ND_TRY(nd_page_supershingles(&options, &work, b, vectors[1]));
    m->supershingles_agree = (uint32_t)nd_vectors_agree(&options, vectors[0], vectors[1]);
out:
    nd_method_work_free(&work);
    return st;
}

/* ---- frequencies of tokens */

static nd_status measure_bits(const nd_pair_options *o, const nd_document *a, const nd_document *b,
                              nd_pair_measures *m) {
    nd_status st = ND_OK;
    nd_method_work work = {0};
    const nd_method_options options = {.seed = o->seed, .bits = ND_CHARIKAR_BITS};
    uint64_t of_a[ND_CHARIKAR_MAX_WORDS], of_b[ND_CHARIKAR_MAX_WORDS];
    ND_TRY(nd_page_bits(&options, &work, a, 1, of_a));
    ND_TRY(nd_page_bits(&options, &work, b, 1, of_b));
    m->charikar_agree = nd_charikar_agreeing(of_a, of_b, ND_CHARIKAR_BITS);
    m->simhash_distance = nd_simhash_distance(of_a[0], of_b[0]); /* a longer string begins so */
out:
    nd_method_work_free(&work);
    return st;
}

static nd_status measure_cosine(const nd_document *a, const nd_document *b, nd_pair_measures *m) {
    nd_status st = ND_OK;
    nd_term_vector of_a = {0}, of_b = {0};
    ND_TRY(nd_term_vector_fill(a->tokens, a->token_count, &of_a));
    ND_TRY(nd_term_vector_fill(b->tokens, b->token_count, &of_b));
    m->cosine = nd_cosine(of_a.terms, of_a.count, of_b.terms, of_b.count, 0);
out:
    nd_term_vector_free(&of_a);
    nd_term_vector_free(&of_b);
    return st;
}

/* ---- sequences of tokens */

static nd_status measure_sequences(const nd_document *a, const nd_document *b,
                                   nd_pair_measures *m) {
    nd_status st = ND_OK;
    nd_lcs_work work = {0};
    uint64_t common = 0;
    const uint64_t n = a->token_count, k = b->token_count;
    ND_TRY(nd_lcs_length(a->tokens, n, b->tokens, k, 0, &work, &common));
    m->r = ratio_of(common, n, k);
    ND_TRY(nd_runs_length(a->tokens, n, b->tokens, k, 0, &work, &common));
    m->runs = ratio_of(common, n, k);
    ND_TRY(nd_shingles_shared(a->tokens, n, b->tokens, k, 0, &work, &common));
    m->jaccard = ratio_of(common, nd_shingle_count(n), nd_shingle_count(k));
    ND_TRY(nd_score_find("trustable")
               ->similarity(a->tokens, n, b->tokens, k, 0, &work, &m->trustable));
out:
    nd_lcs_work_free(&work);
    return st;
}

nd_status nd_pair_measure(const nd_pair_options *options, const nd_document *a,
                          const nd_document *b, nd_pair_measures *measures) {
    nd_status st = ND_OK;
    *measures = (nd_pair_measures){.any = a->token_count > 0 && b->token_count > 0};
    if (!measures->any) {
        return ND_OK;
    }
    ND_TRY(measure_shingles(options, a, b, measures));
    ND_TRY(measure_supershingles(options, a, b, measures));
    ND_TRY(measure_bits(options, a, b, measures));
    ND_TRY(measure_cosine(a, b, measures));
    ND_TRY(measure_sequences(a, b, measures));
out:
    return st;
}
