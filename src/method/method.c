#include "src/method/method.h"

#include "src/base/util.h"
#include "src/compare/jaccard.h"
#include "src/compare/penalties.h"
#include "src/text/address.h"

#include <stdlib.h>
#include <string.h>

/* ---- scratch memory */

void nd_method_work_free(nd_method_work *work) {
    free(work->tokens);
    free(work->shingles);
    free(work->minima);
    free(work->rabin);
    nd_minhash_free(&work->minhash);
    nd_term_vector_free(&work->terms);
    free(work->words);
    free(work->numbers);
    nd_lcs_work_free(&work->lcs);
    *work = (nd_method_work){0};
}

/* ---- options */

static nd_status set_score(void *options, const char *text) {
    const nd_score *score = nd_score_find(text);
    ((nd_method_options *)options)->score = score;
    return score != NULL ? ND_OK
                         : nd_fail(ND_ERR_USAGE, "--score %s: there is no such score", text);
}

static const char *print_score(const void *options) {
    return ((const nd_method_options *)options)->score->name;
}

static const char *score_word(size_t i) {
    return nd_score_row(i) != NULL ? nd_score_row(i)->name : NULL;
}

#define AT(field) offsetof(nd_method_options, field)

/* Words stand in the order of their enums: nd_shingle_hash, nd_henzinger. */
const nd_option nd_method_option_table[] = {
    {.help = "Options of all methods"},
    {"site-extra", "X", ND_OPTION_REAL, AT(site_extra),
     .help = "added to the threshold for two pages on one site, or HTML without a URL: a site's "
             "templates make its pages alike. Three times as much if the URLs of two HTML pages "
             "name different things, and once across sites in that case. Also three times between "
             "short pages on two sites (--link-tokens) that share only keys of more than 8 pages",
     .bounded = true, .most = 1, .rare = true},
    {"seed", "N", ND_OPTION_NUMBER, AT(seed),
     .help = "other keys and sketches, to see the effect of chance"},
    {"image-terms", "on|off", ND_OPTION_SWITCH, AT(image_terms),
     .help = "an image URL is a token; on the page's own host only its file name (broder, charikar "
             "and henzinger: as in US 2008/0044016)"},
    {"text-urls", "words|term|none", ND_OPTION_WORD, AT(text_urls),
     .help = "a URL that stands in the text is cut at slashes and dots (as in US 2008/0044016), is "
             "one token, or is left out",
     .rare = true},
    {.help = "Options of some methods"},
    {"score", "NAME", ND_OPTION_OWN, AT(score), .help = "how two pages are compared, see below",
     .set = set_score, .print = print_score, .word = score_word},
    {"threshold", "T", ND_OPTION_REAL, AT(threshold),
     .help = "similar from this score on, above 0 and at most 1",
     .brief = "pages are similar from this score on (of lcs 0.46)"},
    {"title-penalty", "X", ND_OPTION_REAL, AT(names),
     .help = "a page that begins with a word and repeats it has another subject than a page that "
             "never says it. Each repeat takes X, divided by the root of the shorter page's "
             "tokens, off the similarity; 0: no penalty",
     .old = "names", .bounded = true, .most = 100, .rare = true},
    {"index-pages", "on|off", ND_OPTION_SWITCH, AT(lists),
     .help = "a page that is mostly links is an index page. It gets its links back, and is no copy "
             "of another part of the same list on its site",
     .old = "lists", .rare = true},
    {"buckets", "N", ND_OPTION_COUNT, AT(fingerprint.buckets), .help = "fingerprints of a page"},
    {"smallest", "N", ND_OPTION_COUNT, AT(fingerprint.smallest),
     .help = "smallest sentence digests in a fingerprint"},
    {"sentence-tokens", "N", ND_OPTION_COUNT, AT(sentence_tokens),
     .help = "shorter sentences are no features where there are enough others. A page with fewer "
             "tokens to compare is thin: it shares a set only with equal texts",
     .rare = true},
    {"chunk-sentences", "N", ND_OPTION_COUNT, AT(chunk_sentences),
     .help = "a page with fewer such sentences also gets as many fingerprints from chunks with "
             "some 8 tokens",
     .rare = true},
    {"fingerprints", "on|off", ND_OPTION_SWITCH, AT(fingerprints),
     .help =
         "pages meet by their fingerprints. off: every page meets every other, in samples up to "
         "--group-pairs pages (--set-cap with --transitivity full), to see what fingerprints save",
     .rare = true},
    {"shingle-tokens", "K", ND_OPTION_COUNT, AT(shingle_tokens),
     .help = "tokens of a shingle; 1: tokens", .rare = true},
    {"wrap-around", "on|off", ND_OPTION_SWITCH, AT(wrap_around),
     .help = "shingles go on from the end of a page to its beginning", .rare = true},
    {"shingle-counts", "on|off", ND_OPTION_SWITCH, AT(shingle_counts),
     .help = "a shingle that a page repeats counts each time, not once", .rare = true},
    {"thinning", "P", ND_OPTION_COUNT, AT(thinning),
     .help = "only shingles that are 0 modulo P are kept; 1: all", .rare = true},
    {"shingle-hash", "xxhash|rabin", ND_OPTION_WORD, AT(shingle_hash),
     .help = "how shingles become numbers", .rare = true},
    {"minima", "P", ND_OPTION_COUNT, AT(minima), .help = "minima of a sketch", .rare = true},
    {"bands", "B", ND_OPTION_COUNT, AT(bands),
     .help = "of a sketch; pages that share one are compared; 0: the fewest that lose no pair",
     .rare = true, .given = AT(own_bands)},
    {"rows", "R", ND_OPTION_COUNT, AT(rows), .help = "minima of a band of lsh", .rare = true,
     .given = AT(own_rows)},
    {"verify", "on|off", ND_OPTION_SWITCH, AT(verify),
     .help = "lsh: compare the pages' shingles (on), or the minima in their sketches. lcs: compare "
             "pages (on), or nothing. Sets are then the perhaps-similar ones with shared "
             "fingerprints, without threshold and slack. The similarity is the share of common "
             "fingerprints, and 0 for pages that met only through others",
     .rare = true},
    {"filters", "on|off", ND_OPTION_SWITCH, AT(filters),
     .help = "exact bounds by length and histogram, and token limits inside the comparison. off: "
             "every candidate is compared whole, r by Myers' algorithm alone; the sets are the "
             "same, the time is not",
     .rare = true},
    {"supershingles", "N", ND_OPTION_COUNT, AT(supershingles), .help = "of a page", .rare = true},
    {"supershingle-minima", "N", ND_OPTION_COUNT, AT(supershingle_minima),
     .help = "minima in a supershingle", .rare = true},
    {"agree", "N", ND_OPTION_COUNT, AT(agree),
     .help = "pages are similar if so many supershingles agree, or so many bits; charikar 0: 97 %, "
             "372 of 384",
     .rare = true},
    {"bits", "B", ND_OPTION_COUNT, AT(bits), .help = "of a projection", .rare = true},
    {"pieces", "N", ND_OPTION_COUNT, AT(pieces),
     .help = "projections that agree in one of N pieces are compared. 12 lose no pair that agrees "
             "in 373 of 384 bits; bits - agree + 1 lose none at all",
     .rare = true},
    {"distance", "K", ND_OPTION_COUNT, AT(distance),
     .help = "simhash: most of the 64 bits that differ, 1 to 8", .rare = true},
    {"simhash-blocks", "N", ND_OPTION_COUNT, AT(simhash_blocks),
     .help = "of the 64 bits, K of them left open in each of C(N, K) tables; 0: K + 3, which is 20 "
             "tables for K = 3",
     .rare = true},
    {"henzinger", "basic|site-variant|union", ND_OPTION_WORD, AT(henzinger),
     .help = "basic: found by supershingles, filtered by bits. site-variant: the same within a "
             "site, by bits alone between sites. union: basic, and pages found by bits alone",
     .rare = true},
    {"filter-bits", "N", ND_OPTION_COUNT, AT(filter_bits),
     .help = "bits that agree from the filter on; 0: 97 %, 372 of 384; the paper's 355 is found "
             "best with --pieces 30",
     .rare = true},
    {"filter-tokens", "K", ND_OPTION_COUNT, AT(filter_tokens),
     .help = "tokens of a shingle that bits are made of; 1: tokens", .rare = true},
    {"charikar-bits", "N", ND_OPTION_COUNT, AT(charikar_bits),
     .help = "bits that agree of pages found by bits alone; 0: 97 %", .rare = true},
    {0},
};

bool nd_method_uses(const nd_method *method, const nd_option *option) {
    const nd_option *first = nd_method_option_table + 1;
    while (first->name != NULL && first != option) {
        first++;
    }
    bool uses = first == option; /* below the first heading */
    for (const nd_method_use *use = method->options; use->name != NULL; use++) {
        uses = uses || strcmp(use->name, option->name) == 0;
    }
    return uses;
}

/* ---- rows */

/* An index page and a page of its site are windows on one list if what only one has stands this far
 * from what only the other has, as a share of what both have: at the other end of it, rather than
 * beside it. */
static const double PAGINATION = 0.5;

/* Share of its own text, in it and in the links that its site does not repeat, below which a page
 * is an index page. */
static const double OWN_TEXT = 0.6;

/* Pages whose addresses name different things must be more alike by site_extra on two sites, as
 * others on one site, and on one site by so many times that. So must short pages of two sites that
 * share but what many say. */
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

void nd_method_payload(const nd_method *method, const nd_method_options *options,
                       nd_method_work *work, const nd_document *document, nd_buffer *scratch,
                       nd_span *payload) {
    if (!nd_method_compares_digests(method, options)) {
        method->payload(options, work, document, payload);
        return;
    }
    const size_t size = method->sizes(options, 0).digest;
    scratch->size = 0;
    nd_buffer_reserve(scratch, size);
    method->digest(options, work, document, scratch->data);
    *payload = (nd_span){scratch->data, size};
}

void nd_method_similarity(const nd_method *method, const nd_method_options *options,
                          nd_method_work *work, nd_span a, nd_span b, double threshold,
                          double *similarity) {
    if (!nd_method_compares_digests(method, options)) {
        method->similarity(options, work, a, b, threshold, similarity);
        return;
    }
    const double exact = method->bound(options, a.data, b.data);
    *similarity = exact >= threshold ? exact : 0;
}

bool nd_method_is_index(const nd_method_options *options, uint64_t own, uint64_t linked) {
    return options->lists && (double)own < OWN_TEXT * (double)(own + linked);
}

void nd_method_is_pagination(const nd_method *method, const nd_method_options *options,
                             nd_method_work *work, nd_span a, nd_span b, uint32_t pair,
                             bool *pagination) {
    const uint32_t both = ND_PAIR_MAY_BE_SAME_SITE | ND_PAIR_INDEX;
    double displacement = 0;
    *pagination = false;
    if (method->sequences && options->lists && !nd_method_compares_digests(method, options) &&
        (pair & both) == both) {
        nd_displacement((const uint32_t *)(const void *)a.data, a.size / sizeof(uint32_t),
                        (const uint32_t *)(const void *)b.data, b.size / sizeof(uint32_t),
                        &work->lcs, &displacement);
        *pagination = displacement >= PAGINATION;
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

static double rewritten_penalty(const nd_method_options *options, size_t n, size_t m, double score,
                                const common_part *common) {
    const double extra = options->site_extra;
    const double shorter = (double)nd_min(n, m);
    const double longer = 1 - shorter / (double)nd_max(n, m);
    const double left = 1 - (1 + REWRITTEN * extra) * (1 - common->most) - LONGER * extra * longer;
    const bool part = (double)common->tokens >= A_PART * shorter;
    return part || left >= score ? 0 : score - left;
}

void nd_method_penalties(const nd_method *method, const nd_method_options *options,
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
        off->rewritten = rewritten ? rewritten_penalty(options, n, m, score, &common) : 0;
    }
    off->repeats = nd_max(of_a, of_b);
    off->names = nd_names_discount(options->names, nd_min(n, m), off->repeats);
}

/* The similarity of two pages whose texts reach the threshold, less what is taken off: 0 if less
 * than `left` is left, but never below `least`. Lists are asked about last, for that takes long. */
static void compare(const nd_method *method, const nd_method_options *options, nd_method_work *work,
                    nd_span a, nd_span b, uint32_t pair, double threshold, double left,
                    double least, double *similarity) {
    bool pagination = false;
    nd_method_similarity(method, options, work, a, b, threshold, similarity);
    if (*similarity > 0 && *similarity < 1) {
        nd_method_discount off;
        nd_method_penalties(method, options, work, a, b, pair, *similarity, &off);
        const double found = *similarity - off.names - off.rewritten;
        *similarity = found > least && found >= left ? found : least;
    }
    if (*similarity > 0 && *similarity < 1) {
        nd_method_is_pagination(method, options, work, a, b, pair, &pagination);
        *similarity = pagination ? 0 : *similarity;
    }
}

void nd_method_compare(const nd_method *method, const nd_method_options *options,
                       nd_method_work *work, nd_span a, nd_span b, uint32_t pair, double threshold,
                       double *similarity) {
    compare(method, options, work, a, b, pair, threshold, threshold, 0, similarity);
}

void nd_method_compare_member(const nd_method *method, const nd_method_options *options,
                              nd_method_work *work, nd_span a, nd_span b, uint32_t pair,
                              double threshold, double *similarity) {
    compare(method, options, work, a, b, pair, threshold, 0, LEAST_SIMILARITY, similarity);
}

nd_method_options nd_method_default_options(void) {
    return (nd_method_options){
        .threshold = 0.46,
        .score = nd_score_find("mixed"),
        .fingerprint = {14, 2},
        .sentence_tokens = 8,
        .chunk_sentences = 10000,
        .site_extra = 0.1,
        .names = 2,
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
    const bool common = (pair & ND_PAIR_COMMON) != 0;
    const double times = common || (site && other) ? OTHER_SUBJECT : site || other ? 1 : 0;
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
