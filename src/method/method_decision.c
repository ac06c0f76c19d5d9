#include "src/method/method_decision.h"

#include "src/base/buffer.h"
#include "src/text/content.h"

#include <stdlib.h>
#include <string.h>

nd_status nd_method_own_options(const nd_method *method, nd_method_options *options) {
    *options = nd_method_default_options();
    if (method->defaults != NULL) {
        method->defaults(options);
    }
    return nd_method_derive(method, options);
}

/* ---- keys */

static int by_value(const void *x, const void *y) {
    const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* The distinct keys of a page, ascending; the caller's to free(). */
static nd_status list_keys(const nd_method *method, const nd_method_options *options, void *state,
                           const nd_document *document, uint64_t **keys, size_t *count) {
    nd_status st = ND_OK;
    size_t written = 0;
    *count = 0;
    ND_TRY(nd_new(keys, method->max_keys(options), sizeof **keys));
    ND_TRY(method->sign(options, state, document, *keys, &written));
    qsort(*keys, written, sizeof **keys, by_value);
    for (size_t i = 0; i < written; i++) {
        if (i == 0 || (*keys)[i] != (*keys)[i - 1]) {
            (*keys)[(*count)++] = (*keys)[i];
        }
    }
out:
    return st;
}

/* What two ascending lists share. */
static nd_status intersect(const uint64_t *a, const uint64_t *b, nd_method_decision *v) {
    nd_status st = nd_new(&v->shared, v->a_keys, sizeof *v->shared);
    for (size_t i = 0, k = 0; st == ND_OK && i < v->a_keys && k < v->b_keys;) {
        if (a[i] == b[k]) {
            v->shared[v->shared_keys++] = a[i];
        }
        const bool step_a = a[i] <= b[k];
        k += b[k] <= a[i];
        i += step_a;
    }
    return st;
}

static nd_status share_keys(const nd_method *method, const nd_method_options *options, void *state,
                            const nd_document *a, const nd_document *b, nd_method_decision *v) {
    nd_status st = ND_OK;
    uint64_t *of_a = NULL, *of_b = NULL;
    ND_TRY(list_keys(method, options, state, a, &of_a, &v->a_keys));
    ND_TRY(list_keys(method, options, state, b, &of_b, &v->b_keys));
    ND_TRY(intersect(of_a, of_b, v));
out:
    free(of_a);
    free(of_b);
    return st;
}

/* ---- similarity */

/* By what is left of the page: what its site repeats is not known here. */
static bool is_index(const nd_method_options *options, const nd_document *document) {
    uint64_t linked = 0;
    for (uint32_t i = 0; i < document->sentence_count; i++) {
        const nd_sentence_digest *sentence = &document->sentences[i];
        const bool links = (sentence->flags & (ND_SENTENCE_LINKS | ND_SENTENCE_LONG_LINKS)) != 0 &&
                           (sentence->flags & ND_SENTENCE_NAVIGATION) == 0;
        linked += links ? sentence->token_count : 0;
    }
    return nd_method_is_index(options, document->token_count - linked, linked);
}

static uint32_t pair_of(const nd_method_options *options, const nd_document *a,
                        const nd_document *b) {
    return (a->site == b->site ? ND_PAIR_SAME_SITE : 0U) |
           (is_index(options, a) || is_index(options, b) ? ND_PAIR_INDEX : 0U);
}

static nd_status compare_payloads(const nd_method *method, const nd_method_options *options,
                                  void *state, const nd_document *a, const nd_document *b,
                                  nd_method_decision *v) {
    nd_status st = ND_OK;
    nd_buffer of_a = {0};
    nd_buffer scratch = {0};
    nd_span payload = {0};
    bool one_list = false;
    ND_TRY(nd_method_payload(method, options, state, a, &scratch, &payload));
    ND_TRY(nd_buffer_append(&of_a, payload.data, payload.size)); /* the state is used again */
    ND_TRY(nd_method_payload(method, options, state, b, &scratch, &payload));
    ND_TRY(nd_method_similarity(method, options, state, nd_buffer_span(&of_a), payload, 0,
                                &v->similarity));
    ND_TRY(nd_method_is_one_list(method, options, state, nd_buffer_span(&of_a), payload,
                                 pair_of(options, a, b), &one_list));
    if (one_list && options->index_threshold > v->threshold) {
        v->threshold = options->index_threshold;
        v->rule = ND_RULE_ONE_LIST;
    }
out:
    nd_buffer_free(&of_a);
    nd_buffer_free(&scratch);
    return st;
}

/* The rule is told by what the threshold would be without it, so that it is written once. */
static void choose_threshold(const nd_method_options *options, const nd_document *a,
                             const nd_document *b, nd_method_decision *v) {
    const uint64_t n = a->token_count, m = b->token_count;
    nd_method_options without = *options;
    const double longest = nd_method_threshold(options, UINT32_MAX, UINT32_MAX, v->same_site);
    v->threshold = nd_method_threshold(options, n, m, v->same_site);
    without.notice_extra = 0;
    const double no_notice = nd_method_threshold(&without, n, m, v->same_site);
    without.site_tokens = 0;
    if (v->threshold > no_notice) {
        v->rule = ND_RULE_NOTICE;
    } else if (nd_method_threshold(&without, n, m, v->same_site) > longest) {
        v->rule = ND_RULE_SHORT;
    } else if (v->threshold > longest) {
        v->rule = ND_RULE_SITE_SHORT;
    } else {
        v->rule = longest == options->threshold ? ND_RULE_PLAIN : ND_RULE_SITE;
    }
}

nd_status nd_method_decide(const nd_method *method, const nd_method_options *options,
                           const nd_document *a, const nd_document *b,
                           nd_method_decision *decision) {
    nd_status st = ND_OK;
    void *state = NULL;
    *decision = (nd_method_decision){.same_site = a->site == b->site};
    ND_TRY(method->open(options, &state));
    choose_threshold(options, a, b, decision);
    if (a->token_count > 0 && b->token_count > 0) {
        ND_TRY(share_keys(method, options, state, a, b, decision));
        ND_TRY(compare_payloads(method, options, state, a, b, decision));
    }
    decision->similar = decision->similarity >= decision->threshold;
out:
    method->close(state);
    return st;
}

void nd_method_decision_free(nd_method_decision *decision) {
    free(decision->shared);
    *decision = (nd_method_decision){0};
}
