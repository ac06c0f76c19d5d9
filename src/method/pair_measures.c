#include "src/method/pair_measures.h"

#include "src/base/buffer.h"
#include "src/base/sort.h"
#include "src/compare/cosine.h"
#include "src/compare/jaccard.h"
#include "src/lcs/lcs.h"
#include "src/lcs/lcs_matches.h"
#include "src/method/method.h"
#include "src/method/signature.h"
#include "src/sketch/minhash.h"
#include "src/sketch/simhash.h"
#include "src/text/address.h"

#include <stdlib.h>
#include <string.h>

/* ==== one method */

/* The distinct keys of a page, ascending; the caller's to free(). */
static void list_keys(const nd_method *method, const nd_method_options *options,
                      nd_method_work *work, const nd_document *document, uint64_t **keys,
                      size_t *count) {
    size_t written = 0;
    nd_new(keys, method->sizes(options, 0).keys, sizeof **keys);
    method->sign(options, work, document, *keys, &written);
    *count = (size_t)nd_numbers_distinct(*keys, written);
}

/* ---- similarity */

static void compare_payloads(const nd_method *method, const nd_method_options *options,
                             nd_method_work *work, const nd_document *a, const nd_document *b,
                             uint32_t pair, nd_method_decision *v) {
    nd_buffer of_a = {0};
    nd_buffer scratch = {0};
    nd_span payload = {0};
    bool pagination = false;
    nd_method_payload(method, options, work, a, &scratch, &payload);
    nd_buffer_append(&of_a, payload.data, payload.size); /* the work is used again */
    nd_method_payload(method, options, work, b, &scratch, &payload);
    nd_method_similarity(method, options, work, nd_buffer_span(&of_a), payload, 0, &v->similarity);
    v->score = v->similarity;
    if (v->similarity < 1) {
        nd_method_penalties(method, options, work, nd_buffer_span(&of_a), payload, pair, v->score,
                            &v->off);
        const double left = v->similarity - v->off.names - v->off.rewritten;
        v->similarity = left > 0 ? left : 0;
    }
    nd_method_is_pagination(method, options, work, nd_buffer_span(&of_a), payload, pair,
                            &pagination);
    if (pagination) {
        v->threshold = 1;
        v->rule = ND_RULE_PAGINATION;
    }
    nd_buffer_free(&of_a);
    nd_buffer_free(&scratch);
}

void nd_method_decide(const nd_method *method, const nd_method_options *options,
                      const nd_document *a, const nd_document *b, bool index_page,
                      nd_method_decision *decision) {
    nd_method_work work = {0};
    uint64_t *of_a = NULL, *of_b = NULL;
    const uint32_t pair =
        nd_method_relation(a->origin, b->origin) | (index_page ? ND_PAIR_INDEX : 0U);
    *decision = (nd_method_decision){.same_site = nd_site_is_same(a->origin.site, b->origin.site),
                                     .may_be_same_site =
                                         (pair & (ND_PAIR_MAY_BE_SAME_SITE | ND_PAIR_TEXTS)) != 0,
                                     .threshold = nd_method_threshold(options, pair)};
    decision->rule =
        decision->threshold == nd_method_threshold(options, 0) ? ND_RULE_PLAIN
        : decision->threshold == nd_method_threshold(options, pair & ND_PAIR_MAY_BE_SAME_SITE)
            ? ND_RULE_SITE
            : ND_RULE_SUBJECT;
    if (a->token_count > 0 && b->token_count > 0) {
        list_keys(method, options, &work, a, &of_a, &decision->a_keys);
        list_keys(method, options, &work, b, &of_b, &decision->b_keys);
        nd_new(&decision->shared, decision->a_keys, sizeof *decision->shared);
        for (size_t i = 0; i < decision->a_keys; i++) {
            if (nd_numbers_hold(of_b, decision->b_keys, of_a[i])) {
                decision->shared[decision->shared_keys++] = of_a[i];
            }
        }
        compare_payloads(method, options, &work, a, b, pair, decision);
    }
    decision->similar = decision->similarity >= decision->threshold;
    free(of_a);
    free(of_b);
    nd_method_work_free(&work);
}

void nd_method_decision_free(nd_method_decision *decision) {
    free(decision->shared);
    *decision = (nd_method_decision){0};
}

/* ==== all measures */

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
    ND_TRY(nd_method_own_options(nd_method_find("broder"), &options));
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
    nd_lcs_length(a->tokens, n, b->tokens, k, 0, &of_a.lcs, &common);
    m->r = ratio_of(common, n, k);
    nd_shingles_shared(a->tokens, n, b->tokens, k, 0, &of_a.lcs, &common, NULL);
    m->jaccard = ratio_of(common, nd_shingle_count(n), nd_shingle_count(k));
    nd_score_find("trustable")->similarity(a->tokens, n, b->tokens, k, 0, &of_a.lcs, &m->trustable);
out:
    nd_method_work_free(&of_a);
    nd_method_work_free(&of_b);
    return st;
}

/* ==== sentences side by side */

/* A sentence on its way to a number. */
typedef struct occurrence {
    nd_md5 digest;
    bool dropped;
    size_t place; /* of a's, then b's */
} occurrence;

static int compare(const void *a, const void *b) {
    const occurrence *x = a;
    const occurrence *y = b;
    const int order = memcmp(&x->digest, &y->digest, sizeof x->digest);
    return order != 0 ? order : (int)x->dropped - (int)y->dropped;
}

/* Equal numbers for equal sentences that are both kept or both dropped.
 * \param[out] numbers  of a's sentences, then b's */
static void number(const nd_document *a, const bool *keep_a, const nd_document *b,
                   const bool *keep_b, uint32_t *numbers) {
    const size_t n = a->sentence_count;
    const size_t count = n + b->sentence_count;
    occurrence *all = NULL;
    nd_new(&all, count, sizeof *all);
    for (size_t i = 0; i < count; i++) {
        const nd_sentence_digest *from = i < n ? &a->sentences[i] : &b->sentences[i - n];
        all[i] = (occurrence){from->digest, !(i < n ? keep_a[i] : keep_b[i - n]), i};
    }
    qsort(all, count, sizeof *all, compare);
    for (size_t i = 0, next = 0; i < count; i++) {
        next += i > 0 && compare(&all[i - 1], &all[i]) != 0;
        numbers[all[i].place] = (uint32_t)next;
    }
    free(all);
}

void nd_sentences_align(const nd_document *a, const bool *keep_a, const nd_document *b,
                        const bool *keep_b, nd_aligned_sentence **rows, size_t *count) {
    nd_lcs_work work = {0};
    uint32_t *numbers = NULL;
    nd_lcs_match *matches = NULL;
    size_t match_count = 0;
    const uint32_t n = a->sentence_count, m = b->sentence_count;
    *rows = NULL;
    *count = 0;
    nd_new(&numbers, (size_t)n + m, sizeof *numbers);
    number(a, keep_a, b, keep_b, numbers);
    nd_lcs_matches(numbers, n, numbers + n, m, 0, &work, &matches, &match_count);
    nd_new(rows, (size_t)n + m, sizeof **rows);
    for (uint32_t i = 0, k = 0, match = 0; i < n || k < m;) {
        /* before each match what stands alone, first in a */
        const bool last = match == match_count;
        const bool alone_in_a = i < (last ? n : matches[match].a);
        const bool alone_in_b = !alone_in_a && k < (last ? m : matches[match].b);
        (*rows)[(*count)++] =
            (nd_aligned_sentence){alone_in_b ? ND_NO_SENTENCE : i, alone_in_a ? ND_NO_SENTENCE : k,
                                  !(alone_in_b ? keep_b[k] : keep_a[i])};
        match += !alone_in_a && !alone_in_b;
        i += !alone_in_b;
        k += !alone_in_a;
    }
    nd_lcs_work_free(&work);
    free(numbers);
}
