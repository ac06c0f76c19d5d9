#include "src/method/method.h"

#include "src/base/order.h"
#include "src/compare/displacement.h"
#include "src/compare/names.h"
#include "src/method/method_option.h"

#include <string.h>

/* An index page and a page of its site are windows on one list if what only one has stands this far
 * from what only the other has, as a share of what both have: at the other end of it, rather than
 * beside it. */
static const double ONE_LIST = 0.5;

/* Share of its own text, in it and in the links that its site does not repeat, below which a page
 * is an index page. */
static const double OWN_TEXT = 0.6;

/* Of a set's member: hardly any, but not none. */
static const double LEAST_SIMILARITY = 1.0 / 1024;

bool nd_method_compares_digests(const nd_method *method, const nd_method_options *options) {
    return method->payload == NULL || options->keys_suffice;
}

uint64_t nd_method_payload_size(const nd_method *method, const nd_method_options *options,
                                uint64_t tokens) {
    const nd_method_sizes sizes = method->sizes(options, tokens);
    return nd_method_compares_digests(method, options) ? sizes.digest : sizes.payload;
}

uint64_t nd_method_preparation(const nd_method *method, const nd_method_options *options) {
    const bool any = method->sequences && !nd_method_compares_digests(method, options);
    return any ? options->score->preparation : 0;
}

nd_status nd_method_payload(const nd_method *method, const nd_method_options *options,
                            nd_method_work *work, const nd_document *document, nd_buffer *scratch,
                            nd_span *payload) {
    nd_status st = ND_OK;
    if (!nd_method_compares_digests(method, options)) {
        return method->payload(options, work, document, payload);
    }
    const size_t size = method->sizes(options, 0).digest;
    scratch->size = 0;
    ND_TRY(nd_buffer_reserve(scratch, size));
    ND_TRY(method->digest(options, work, document, scratch->data));
    *payload = (nd_span){scratch->data, size};
out:
    return st;
}

nd_status nd_method_similarity(const nd_method *method, const nd_method_options *options,
                               nd_method_work *work, nd_span a, nd_span b, double threshold,
                               double *similarity) {
    if (!nd_method_compares_digests(method, options)) {
        return method->similarity(options, work, a, b, threshold, similarity);
    }
    const double exact = method->bound(options, a.data, b.data);
    *similarity = exact >= threshold ? exact : 0;
    return ND_OK;
}

bool nd_method_is_index(const nd_method_options *options, uint64_t own, uint64_t linked) {
    return options->lists && (double)own < OWN_TEXT * (double)(own + linked);
}

nd_status nd_method_is_one_list(const nd_method *method, const nd_method_options *options,
                                nd_method_work *work, nd_span a, nd_span b, uint32_t pair,
                                bool *one_list) {
    const uint32_t both = ND_PAIR_MAY_BE_SAME_SITE | ND_PAIR_INDEX;
    double displacement = 0;
    nd_status st = ND_OK;
    *one_list = false;
    if (method->sequences && options->lists && !nd_method_compares_digests(method, options) &&
        (pair & both) == both) {
        st = nd_displacement((const uint32_t *)(const void *)a.data, a.size / sizeof(uint32_t),
                             (const uint32_t *)(const void *)b.data, b.size / sizeof(uint32_t),
                             &work->lcs, &displacement);
        *one_list = st == ND_OK && displacement >= ONE_LIST;
    }
    return st;
}

nd_method_names nd_method_name(const nd_method *method, const nd_method_options *options, nd_span a,
                               nd_span b) {
    const size_t n = a.size / sizeof(uint32_t);
    const size_t m = b.size / sizeof(uint32_t);
    nd_method_names names = {.asked = method->sequences && options->names > 0 &&
                                      !nd_method_compares_digests(method, options)};
    if (names.asked && n > 0 && m > 0) {
        names.repeats = nd_names_repeats((const uint32_t *)(const void *)a.data, n,
                                         (const uint32_t *)(const void *)b.data, m);
        names.discount = nd_names_discount(options->names, nd_min(n, m), names.repeats);
    }
    return names;
}

/* The similarity of two pages whose texts reach the threshold, less what names take off: 0 if less
 * than `left` is left, but never below `least`. Lists are asked about last, for that takes long. */
static nd_status compare(const nd_method *method, const nd_method_options *options,
                         nd_method_work *work, nd_span a, nd_span b, uint32_t pair,
                         double threshold, double left, double least, double *similarity) {
    nd_status st = ND_OK;
    bool one_list = false;
    ND_TRY(nd_method_similarity(method, options, work, a, b, threshold, similarity));
    if (*similarity > 0 && *similarity < 1) {
        const double found = *similarity - nd_method_name(method, options, a, b).discount;
        *similarity = found > least && found >= left ? found : least;
    }
    if (*similarity > 0 && *similarity < 1) {
        ND_TRY(nd_method_is_one_list(method, options, work, a, b, pair, &one_list));
        *similarity = one_list ? 0 : *similarity;
    }
out:
    return st;
}

nd_status nd_method_compare(const nd_method *method, const nd_method_options *options,
                            nd_method_work *work, nd_span a, nd_span b, uint32_t pair,
                            double threshold, double *similarity) {
    return compare(method, options, work, a, b, pair, threshold, threshold, 0, similarity);
}

nd_status nd_method_compare_member(const nd_method *method, const nd_method_options *options,
                                   nd_method_work *work, nd_span a, nd_span b, uint32_t pair,
                                   double threshold, double *similarity) {
    return compare(method, options, work, a, b, pair, threshold, 0, LEAST_SIMILARITY, similarity);
}

nd_method_options nd_method_default_options(void) {
    return (nd_method_options){
        .threshold = 0.46,
        .score = nd_score_find("mixed"),
        .fingerprint = {14, 2},
        .sentence_tokens = 8,
        .chunk_sentences = 28,
        .site_extra = 0.1,
        .names = 2.5,
        .lists = true,
        .fingerprints = true,
        .thinning = 1,
        .verify = true,
        .filters = true,
    };
}

nd_method_options nd_method_paper_options(void) {
    return (nd_method_options){
        .threshold = 0.8,
        .score = nd_score_find("trustable"),
        .fingerprint = {ND_FINGERPRINT_BUCKETS, ND_FINGERPRINT_SMALLEST},
        .sentence_tokens = 1,
        .fingerprints = true,
        .thinning = 1,
        .verify = true,
        .filters = true,
    };
}

nd_method_options nd_method_safe_options(void) {
    nd_method_options options = nd_method_default_options();
    options.threshold = 0.8;
    return options;
}

void nd_method_set_defaults(const nd_method *method, nd_method_options *options) {
    if (!method->rules) {
        options->site_extra = 0;
        options->lists = false;
    }
    options->image_terms = options->image_terms || method->image_terms;
    for (const nd_method_use *use = method->options; use->name != NULL; use++) {
        if (use->value != ND_AS_PRESET) {
            nd_option_set_number(nd_option_find(nd_method_option_table, use->name), use->value,
                                 options);
        }
    }
}

nd_status nd_method_own_options(const nd_method *method, nd_method_options *options) {
    *options = nd_method_default_options();
    nd_method_set_defaults(method, options);
    return nd_method_derive(method, options);
}

double nd_method_threshold(const nd_method_options *options, bool may_be_same_site) {
    const double least = may_be_same_site && options->site_threshold > 0 ? options->site_threshold
                                                                         : options->threshold;
    const double asked = may_be_same_site ? least + options->site_extra : least;
    return asked < 1 ? asked : 1;
}

double nd_method_least_threshold(const nd_method_options *options) {
    const double apart = nd_method_threshold(options, false);
    const double on_site = nd_method_threshold(options, true);
    return apart < on_site ? apart : on_site;
}

nd_status nd_method_check_options(const nd_method_options *options) {
    if (!(options->threshold > 0 && options->threshold <= 1)) {
        return nd_fail(ND_ERR_USAGE, "--threshold %g: must be above 0 and at most 1",
                       options->threshold);
    }
    if (options->fingerprint.buckets < 1 ||
        options->fingerprint.buckets > ND_FINGERPRINT_MAX_BUCKETS) {
        return nd_fail(ND_ERR_USAGE, "--buckets %u: must be 1 to %d", options->fingerprint.buckets,
                       ND_FINGERPRINT_MAX_BUCKETS);
    }
    if (options->fingerprint.smallest < 1 ||
        options->fingerprint.smallest > ND_FINGERPRINT_MAX_SMALLEST) {
        return nd_fail(ND_ERR_USAGE, "--smallest %u: must be 1 to %d",
                       options->fingerprint.smallest, ND_FINGERPRINT_MAX_SMALLEST);
    }
    return ND_OK;
}

nd_status nd_method_derive(const nd_method *method, nd_method_options *options) {
    const nd_status st = method->derive != NULL ? method->derive(options) : ND_OK;
    return st != ND_OK ? st : nd_method_check_options(options);
}
