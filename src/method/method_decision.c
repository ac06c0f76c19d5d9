#include "src/method/method_decision.h"

#include "src/base/buffer.h"
#include "src/base/sort.h"
#include "src/text/site.h"

#include <stdlib.h>

/* The distinct keys of a page, ascending; the caller's to free(). */
static nd_status list_keys(const nd_method *method, const nd_method_options *options,
                           nd_method_work *work, const nd_document *document, uint64_t **keys,
                           size_t *count) {
    nd_status st = ND_OK;
    size_t written = 0;
    nd_new(keys, method->sizes(options, 0).keys, sizeof **keys);
    ND_TRY(method->sign(options, work, document, *keys, &written));
    *count = (size_t)nd_numbers_distinct(*keys, written);
out:
    return st;
}

/* ---- similarity */

static nd_status compare_payloads(const nd_method *method, const nd_method_options *options,
                                  nd_method_work *work, const nd_document *a, const nd_document *b,
                                  uint32_t pair, nd_method_decision *v) {
    nd_status st = ND_OK;
    nd_buffer of_a = {0};
    nd_buffer scratch = {0};
    nd_span payload = {0};
    bool one_list = false;
    ND_TRY(nd_method_payload(method, options, work, a, &scratch, &payload));
    nd_buffer_append(&of_a, payload.data, payload.size); /* the work is used again */
    ND_TRY(nd_method_payload(method, options, work, b, &scratch, &payload));
    ND_TRY(nd_method_similarity(method, options, work, nd_buffer_span(&of_a), payload, 0,
                                &v->similarity));
    v->score = v->similarity;
    if (v->similarity < 1) {
        nd_method_take_off(method, options, work, nd_buffer_span(&of_a), payload, pair, v->score,
                           &v->off);
        const double left = v->similarity - v->off.names - v->off.rewritten;
        v->similarity = left > 0 ? left : 0;
    }
    nd_method_is_one_list(method, options, work, nd_buffer_span(&of_a), payload, pair, &one_list);
    if (one_list) {
        v->threshold = 1;
        v->rule = ND_RULE_ONE_LIST;
    }
out:
    nd_buffer_free(&of_a);
    nd_buffer_free(&scratch);
    return st;
}

nd_status nd_method_decide(const nd_method *method, const nd_method_options *options,
                           const nd_document *a, const nd_document *b, bool index_page,
                           nd_method_decision *decision) {
    nd_status st = ND_OK;
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
        ND_TRY(list_keys(method, options, &work, a, &of_a, &decision->a_keys));
        ND_TRY(list_keys(method, options, &work, b, &of_b, &decision->b_keys));
        nd_new(&decision->shared, decision->a_keys, sizeof *decision->shared);
        for (size_t i = 0; i < decision->a_keys; i++) {
            if (nd_numbers_hold(of_b, decision->b_keys, of_a[i])) {
                decision->shared[decision->shared_keys++] = of_a[i];
            }
        }
        ND_TRY(compare_payloads(method, options, &work, a, b, pair, decision));
    }
    decision->similar = decision->similarity >= decision->threshold;
out:
    free(of_a);
    free(of_b);
    nd_method_work_free(&work);
    return st;
}

void nd_method_decision_free(nd_method_decision *decision) {
    free(decision->shared);
    *decision = (nd_method_decision){0};
}
