#include "src/method/method.h"

#include "src/base/util.h"
#include "src/compare/jaccard.h"
#include "src/compare/penalties.h"
#include "src/method/method_option.h"
#include "src/text/address.h"

#include <string.h>

/* An index page and a page of its site are windows on one list if what only one has stands this far
 * from what only the other has, as a share of what both have: at the other end of it, rather than
 * beside it. */
static const double ONE_LIST = 0.5;

/* Share of its own text, in it and in the links that its site does not repeat, below which a page
 * is an index page. */
static const double OWN_TEXT = 0.6;

/* Pages whose addresses name different things must be more alike by site_extra on two sites, as
 * others on one site, and on one site by so many times that. */
static const double OTHER_SUBJECT = 3;

/* Two texts of which nobody knows where they come from are held against what they have in order, or
 * in any order if that is more. What they lack weighs more by site_extra so many times, and so many
 * times it weighs the share by which the longer one is longer. People call texts edited copies
 * where words are exchanged all over, and others where passages are, the more so if one is longer.
 */
static const double REWRITTEN = 2.5;
static const double LONGER = 10;

/* Of the shorter text's tokens; with so many in the longer one, in order, it is a part of that, and
 * nothing is taken off. */
static const double A_PART = 0.99;

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
    nd_buffer_reserve(scratch, size);
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

void nd_method_is_one_list(const nd_method *method, const nd_method_options *options,
                           nd_method_work *work, nd_span a, nd_span b, uint32_t pair,
                           bool *one_list) {
    const uint32_t both = ND_PAIR_MAY_BE_SAME_SITE | ND_PAIR_INDEX;
    double displacement = 0;
    *one_list = false;
    if (method->sequences && options->lists && !nd_method_compares_digests(method, options) &&
        (pair & both) == both) {
        nd_displacement((const uint32_t *)(const void *)a.data, a.size / sizeof(uint32_t),
                        (const uint32_t *)(const void *)b.data, b.size / sizeof(uint32_t),
                        &work->lcs, &displacement);
        *one_list = displacement >= ONE_LIST;
    }
}

/* What two sequences have in common, by their score: of `mixed` both parts are known by one. */
typedef struct common_part {
    double most;     /* the greater one of what they have in order, as r, and in any order */
    uint64_t tokens; /* in order */
} common_part;

static void find_common(const nd_method_options *options, nd_method_work *work, nd_span a,
                        nd_span b, double score, common_part *common) {
    const size_t n = a.size / sizeof(uint32_t);
    const size_t m = b.size / sizeof(uint32_t);
    double ordered = score;
    common->most = score;
    if (options->score == nd_score_find("mixed")) {
        const uint64_t shingles = nd_shingle_count(n) + nd_shingle_count(m);
        uint64_t shared = 0;
        nd_shingles_shared((const uint32_t *)(const void *)a.data, n,
                           (const uint32_t *)(const void *)b.data, m, 0, &work->lcs, &shared, NULL);
        const double in_any_order = (double)shared / (double)(shingles - shared);
        ordered = 2 * score - in_any_order;
        common->most = ordered > in_any_order ? ordered : in_any_order;
    }
    const double tokens = ordered * (double)(n + m) / (1 + ordered) + .5;
    common->tokens = nd_min((uint64_t)tokens, nd_min(n, m));
}

static double take_off_rewritten(const nd_method_options *options, size_t n, size_t m, double score,
                                 const common_part *common) {
    const double extra = options->site_extra;
    const double shorter = (double)nd_min(n, m);
    const double longer = 1 - shorter / (double)nd_max(n, m);
    const double left = 1 - (1 + REWRITTEN * extra) * (1 - common->most) - LONGER * extra * longer;
    const bool part = (double)common->tokens >= A_PART * shorter;
    return part || left >= score ? 0 : score - left;
}

void nd_method_take_off(const nd_method *method, const nd_method_options *options,
                        nd_method_work *work, nd_span a, nd_span b, uint32_t pair, double score,
                        nd_method_discount *off) {
    const uint32_t *x = (const uint32_t *)(const void *)a.data;
    const uint32_t *y = (const uint32_t *)(const void *)b.data;
    const size_t n = a.size / sizeof *x;
    const size_t m = b.size / sizeof *y;
    const bool any = method->sequences && !nd_method_compares_digests(method, options);
    const bool rewritten = any && (pair & ND_PAIR_TEXTS) != 0 && options->site_extra > 0;
    common_part common;
    *off = (nd_method_discount){.asks_names = any && options->names > 0};
    if (!any || n == 0 || m == 0) {
        return;
    }
    uint64_t of_a = off->asks_names ? nd_names_repeats(x, n, y, m) : 0;
    uint64_t of_b = off->asks_names ? nd_names_repeats(y, m, x, n) : 0;
    if (rewritten || of_a + of_b > 0) {
        find_common(options, work, a, b, score, &common);
        if ((pair & ND_PAIR_OTHER_SUBJECT) == 0) {
            of_a = of_a > 0 && nd_names_are_inserted(x, n, y, m, of_a, common.tokens) ? 0 : of_a;
            of_b = of_b > 0 && nd_names_are_inserted(y, m, x, n, of_b, common.tokens) ? 0 : of_b;
        }
        off->rewritten = rewritten ? take_off_rewritten(options, n, m, score, &common) : 0;
    }
    off->repeats = nd_max(of_a, of_b);
    off->names = nd_names_discount(options->names, nd_min(n, m), off->repeats);
}

/* The similarity of two pages whose texts reach the threshold, less what is taken off: 0 if less
 * than `left` is left, but never below `least`. Lists are asked about last, for that takes long. */
static nd_status compare(const nd_method *method, const nd_method_options *options,
                         nd_method_work *work, nd_span a, nd_span b, uint32_t pair,
                         double threshold, double left, double least, double *similarity) {
    nd_status st = ND_OK;
    bool one_list = false;
    ND_TRY(nd_method_similarity(method, options, work, a, b, threshold, similarity));
    if (*similarity > 0 && *similarity < 1) {
        nd_method_discount off;
        nd_method_take_off(method, options, work, a, b, pair, *similarity, &off);
        const double found = *similarity - off.names - off.rewritten;
        *similarity = found > least && found >= left ? found : least;
    }
    if (*similarity > 0 && *similarity < 1) {
        nd_method_is_one_list(method, options, work, a, b, pair, &one_list);
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
        .chunk_sentences = 10000,
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

void nd_method_set_defaults(const nd_method *method, nd_method_options *options) {
    if (!method->rules) {
        options->site_extra = 0;
        options->lists = false;
    }
    options->image_terms = options->image_terms || method->image_terms;
    for (const nd_method_use *use = method->options; use->name != NULL; use++) {
        if (use->value != (double)ND_AS_PRESET) {
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

uint32_t nd_method_relation(nd_origin a, nd_origin b) {
    if (a.site == 0 || b.site == 0) { /* forms are HTML, as a rule */
        return a.text && b.text ? ND_PAIR_TEXTS : ND_PAIR_MAY_BE_SAME_SITE;
    }
    return (a.site == b.site ? ND_PAIR_MAY_BE_SAME_SITE : 0U) |
           (nd_subject_is_other(a.subject, b.subject) ? ND_PAIR_OTHER_SUBJECT : 0U);
}

double nd_method_threshold(const nd_method_options *options, uint32_t pair) {
    const bool site = (pair & ND_PAIR_MAY_BE_SAME_SITE) != 0;
    const double least =
        site && options->site_threshold > 0 ? options->site_threshold : options->threshold;
    const bool other = (pair & ND_PAIR_OTHER_SUBJECT) != 0;
    const double times = site && other ? OTHER_SUBJECT : site || other ? 1 : 0;
    const double extra = times * options->site_extra;
    return least + extra < 1 ? least + extra : 1;
}

double nd_method_leader_threshold(const nd_method_options *options, uint32_t pair) {
    return nd_method_threshold(options, pair & ~(uint32_t)ND_PAIR_OTHER_SUBJECT);
}

double nd_method_least_threshold(const nd_method_options *options) {
    const double apart = nd_method_threshold(options, 0);
    const double on_site = nd_method_threshold(options, ND_PAIR_MAY_BE_SAME_SITE);
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
