/* What the kernels cost on pages of words by Zipf's law: the median CPU time per page or pair of
 * several repeats, and how many times faster than the reference of its group (the first row) that
 * is. The LCS is measured by b_lcs, on real pages. usage: b_kernels ["GROUP|GROUP..."] */
#include "src/base/sort.h"
#include "src/compare/cosine.h"
#include "src/compare/jaccard.h"
#include "src/compare/score.h"
#include "src/hash/md5_internal.h"
#include "src/sketch/charikar_internal.h"
#include "src/sketch/fingerprint.h"
#include "src/sketch/histogram.h"
#include "src/sketch/minhash_internal.h"
#include "src/sketch/shingle.h"
#include "src/sketch/shingle_internal.h"
#include "tests/support/bench.h"
#include "tests/support/brief.h"
#include "tests/support/slow.h"

enum {
    PAGES = 200,
    WORDS = 1000,
    SENTENCES = 136,
    EDITED_OF_100 = 4,
    TOPIC_OF_100 = 40,
    WIDTH = 8,
    MINIMA = 100,
    FEW_MINIMA = 4, /* that the slow way makes */
    HUGE_WORDS = 100000
};

typedef struct page {
    uint32_t tokens[WORDS];
    uint64_t features[WORDS], values[WORDS], minima[MINIMA];
    uint64_t string[ND_CHARIKAR_MAX_WORDS], keys[ND_FINGERPRINT_MAX_BUCKETS];
    size_t value_count; /* distinct shingles */
    nd_span sentences[SENTENCES];
    nd_md5 digests[SENTENCES];
    nd_term_vector vector;
    nd_cosine_digest digest;
    nd_histogram histogram;
} page;

/* Page 2 i + 1 is an edited copy of page 2 i; a part of its words is of its topic alone. */
static page pages[PAGES];
static nd_rabin rabin;
static nd_minhash minhash;
static nd_lcs_work work;
static volatile double sink; /* keeps the calls from being left out */

/* Something done to a page and its copy, by a variant where there are some. */
typedef void (*kernel)(page *p, page *copy, const void *variant);
typedef struct job {
    kernel run;
    const void *variant;
} job;

static void run_all(void *context) {
    const job *j = context;
    for (size_t i = 0; i < PAGES; i++) {
        j->run(&pages[i], &pages[i ^ 1], j->variant);
    }
}

static double reference;
static const char *wanted; /* NULL: every group */
static bool begin_group(const char *name) {
    const bool is_wanted = wanted == NULL || strstr(wanted, name) != NULL;
    reference = 0;
    if (is_wanted) {
        printf("%s\n", name);
    }
    return is_wanted;
}

static void report(const char *name, kernel run, const void *variant) {
    job j = {run, variant};
    nd_bench_report(name, run_all, &j, PAGES, &reference);
}

/* A row for each variant that this machine can run; all begin with name and needs. */
#define REPORT_VARIANTS(variants, count, run)                                                      \
    for (size_t v = 0; v < (count); v++) {                                                         \
        if (nd_cpu_has((variants)[v]->needs)) {                                                    \
            report((variants)[v]->name, run, (variants)[v]);                                       \
        }                                                                                          \
    }

/* ---- sentences and fingerprints */

static void md5_slow(page *p, page *copy, const void *variant) {
    (void)copy, (void)variant;
    for (size_t i = 0; i < SENTENCES; i++) {
        nd_slow_md5(p->sentences[i], &p->digests[i]);
    }
}

static void md5_batch(page *p, page *copy, const void *variant) {
    (void)copy;
    nd_md5_batch_by(variant, p->sentences, SENTENCES, p->digests);
}

static const nd_fingerprint_options fourteen_by_two = {14, 2};
static void fingerprints_slow(page *p, page *copy, const void *variant) {
    (void)copy, (void)variant;
    sink += (double)nd_slow_fingerprint_keys(p->digests, SENTENCES, &fourteen_by_two, p->keys);
}

static void fingerprints(page *p, page *copy, const void *variant) {
    (void)copy, (void)variant;
    sink += (double)nd_fingerprint_keys(p->digests, SENTENCES, &fourteen_by_two, p->keys);
}

/* ---- projections */

static void sign_slow(page *p, page *copy, const void *variant) {
    (void)copy, (void)variant;
    nd_slow_charikar_sign(p->features, NULL, WORDS, ND_CHARIKAR_BITS, 0, p->string);
}

static void sign_by(page *p, page *copy, const void *variant) {
    (void)copy;
    nd_charikar_sign_by(variant, p->features, NULL, WORDS, ND_CHARIKAR_BITS, 0, p->string);
}

static void agreeing_slow(page *p, page *copy, const void *variant) {
    (void)variant;
    sink += (double)nd_slow_charikar_agreeing(p->string, copy->string, ND_CHARIKAR_BITS);
}

static void agreeing(page *p, page *copy, const void *variant) {
    (void)variant;
    sink += (double)nd_charikar_agreeing(p->string, copy->string, ND_CHARIKAR_BITS);
}

/* ---- shingles, minima, resemblance */

static void rabin_slow(page *p, page *copy, const void *variant) {
    (void)copy, (void)variant;
    for (size_t i = 0; i + WIDTH <= WORDS; i++) {
        p->values[i] = nd_slow_rabin(rabin.polynomial, p->tokens + i, WIDTH);
    }
}

static void shingles(page *p, page *copy, const void *options) {
    (void)copy;
    p->value_count = nd_shingle_values(options, p->tokens, WORDS, p->values);
}

static void shingles_usual(page *p, page *copy, const void *variant) {
    (void)copy;
    ((const nd_shingle_variant *)variant)
        ->fill(0, p->tokens, WORDS - ND_SHINGLE_USUAL + 1, p->values);
}

static void minima_slow(page *p, page *copy, const void *variant) {
    (void)copy, (void)variant;
    for (size_t i = 0; i < FEW_MINIMA; i++) {
        p->minima[i] = nd_slow_minimum(minhash.multipliers[i], minhash.offsets[i],
                                       ND_MINHASH_MODULUS, p->values, p->value_count);
    }
}

static void minima_by(page *p, page *copy, const void *variant) {
    (void)copy;
    (void)nd_minhash_sketch_by(variant, &minhash, p->values, p->value_count, p->minima);
}

/* Every value of one set searched in the other. */
static void resemblance_slow(page *p, page *copy, const void *variant) {
    size_t shared = 0;
    (void)variant;
    for (size_t i = 0; i < p->value_count; i++) {
        shared += nd_numbers_hold(copy->values, copy->value_count, p->values[i]);
    }
    sink += nd_resemblance_ratio(shared, p->value_count, copy->value_count);
}

static void resemblance(page *p, page *copy, const void *threshold) {
    sink += nd_resemblance(p->values, p->value_count, copy->values, copy->value_count,
                           *(const double *)threshold);
}

static void bench_shingles(void) {
    static const double thresholds[] = {0, .8};
    nd_shingle_options options = {.tokens = WIDTH, .modulus = 1, .rabin = &rabin};
    if (begin_group("shingles")) {
        report("Rabin, bit by bit", rabin_slow, NULL);
        report("Rabin, rolling", shingles, &options);
        REPORT_VARIANTS(nd_shingle_variants, nd_shingle_variant_count, shingles_usual)
    }
    options.rabin = NULL;
    options.distinct = true;
    for (size_t i = 0; i < PAGES; i++) {
        shingles(&pages[i], NULL, &options);
    }
    if (begin_group("minima")) {
        report("4 of 100, doubling", minima_slow, NULL);
        REPORT_VARIANTS(nd_minhash_variants, nd_minhash_variant_count, minima_by)
    }
    if (begin_group("resemblance")) {
        report("binary search", resemblance_slow, NULL);
        report("merge", resemblance, &thresholds[0]);
        report("merge, threshold .8", resemblance, &thresholds[1]);
    }
}

/* ---- histograms, cosine, scores */

static void histogram_fill(page *p, page *copy, const void *variant) {
    (void)copy, (void)variant;
    nd_histogram_fill(p->tokens, WORDS, &p->histogram);
}

static void histogram_common(page *p, page *copy, const void *variant) {
    (void)variant;
    sink += (double)nd_histogram_common(&p->histogram, &copy->histogram);
}

static void terms(page *p, page *copy, const void *variant) {
    (void)copy, (void)variant;
    nd_term_vector_fill(p->tokens, WORDS, &p->vector);
    nd_cosine_digest_fill(p->vector.terms, p->vector.count, &p->digest);
}

static void cosine(page *p, page *copy, const void *threshold) {
    sink += nd_cosine(p->vector.terms, p->vector.count, copy->vector.terms, copy->vector.count,
                      *(const double *)threshold);
}

static void cosine_bound(page *p, page *copy, const void *variant) {
    (void)variant;
    sink += nd_cosine_bound(&p->digest, &copy->digest);
}

static void score(page *p, page *copy, const void *row) {
    double similarity = 0;
    ((const nd_score *)row)
        ->similarity(p->tokens, WORDS, copy->tokens, WORDS, .5, &work, &similarity);
    sink += similarity;
}

/* Pages that repeat themselves, the worst case of what works by pairs of equal places. */
static void score_repetitive(void *row) {
    static uint32_t words[2][HUGE_WORDS];
    nd_random random = {1};
    double similarity = 0;
    for (size_t i = 0; i < 2 * (size_t)HUGE_WORDS; i++) {
        words[i % 2][i / 2] = (uint32_t)nd_random_below(&random, 20);
    }
    ((const nd_score *)row)
        ->similarity(words[0], HUGE_WORDS, words[1], HUGE_WORDS, .5, &work, &similarity);
    sink += similarity;
}

static void bench_comparisons(void) {
    static const double thresholds[] = {0, .9};
    if (begin_group("histogram")) {
        report("fill", histogram_fill, NULL);
        report("common", histogram_common, NULL);
    }
    if (begin_group("cosine")) {
        report("term vector", terms, NULL);
        report("in full", cosine, &thresholds[0]);
        report("at .9", cosine, &thresholds[1]);
        report("bound", cosine_bound, NULL);
    }
    if (begin_group("scores")) {
        for (size_t i = 0; nd_score_row(i) != NULL; i++) {
            report(nd_score_row(i)->name, score, nd_score_row(i));
        }
    }
    if (begin_group("repetitive")) {
        for (size_t i = 0; nd_score_row(i) != NULL; i++) {
            nd_score row = *nd_score_row(i);
            nd_bench_report(row.name, score_repetitive, &row, 1, &reference);
        }
    }
}

/* ---- sorting, and all of it */

enum { RECORDS = 1 << 20 };
static nd_key_value sorted[RECORDS], unsorted[RECORDS];

static void sort_slow(void *context) {
    (void)context;
    memcpy(sorted, unsorted, sizeof sorted);
    nd_sort(sorted, RECORDS, sizeof *sorted, nd_test_by_key_value);
}

static void sort_radix(void *context) {
    (void)context;
    memcpy(sorted, unsorted, sizeof sorted);
    nd_radix_sort(sorted, RECORDS);
}

static void bench_sort(nd_random *random) {
    for (size_t i = 0; i < RECORDS; i++) { /* 30 % of the keys are those of earlier records */
        const bool repeated = i > 0 && nd_random_below(random, 10) < 3;
        unsorted[i] = (nd_key_value){
            repeated ? unsorted[nd_random_below(random, i)].key : nd_random_next(random), i / 7};
    }
    if (begin_group("sort")) {
        nd_bench_report("qsort", sort_slow, NULL, RECORDS, &reference);
        nd_bench_report("radix sort", sort_radix, NULL, RECORDS, &reference);
    }
}

static void make_pages(nd_random *random) {
    static uint8_t text[1 << 20];
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = (uint8_t)nd_random_next(random);
    }
    for (size_t k = 0; k < PAGES; k++) {
        page *p = &pages[k];
        for (size_t i = 0; i < WORDS; i++) {
            const bool copied = k % 2 != 0 && nd_random_below(random, 100) >= EDITED_OF_100;
            const bool topical = nd_random_below(random, 100) < TOPIC_OF_100;
            p->tokens[i] =
                copied ? pages[k - 1].tokens[i]
                       : nd_bench_word(random) ^ (topical ? (uint32_t)nd_mix64(k / 2 + 1) : 0);
            p->features[i] = p->tokens[i];
        }
        for (size_t i = 0; i < SENTENCES; i++) { /* 49 bytes in the mean, with a long tail */
            size_t size = 5;
            while (size < 1000 && nd_random_below(random, 45) != 0) {
                size++;
            }
            p->sentences[i] = (nd_span){text + nd_random_below(random, sizeof text - size), size};
        }
    }
}

int main(int argc, char **argv) {
    nd_random random = {1};
    wanted = argc > 1 ? argv[1] : NULL;
    nd_rabin_start(&rabin, 1, WIDTH);
    nd_minhash_new(&minhash, MINIMA, 1);
    make_pages(&random);
    if (begin_group("MD5")) {
        report("plain, one by one", md5_slow, NULL);
        REPORT_VARIANTS(nd_md5_variants, nd_md5_variant_count, md5_batch)
    }
    if (begin_group("fingerprints")) {
        report("reference", fingerprints_slow, NULL);
        report("one pass", fingerprints, NULL);
    }
    if (begin_group("projections")) {
        report("reference", sign_slow, NULL);
        REPORT_VARIANTS(nd_charikar_variants, nd_charikar_variant_count, sign_by)
    }
    if (begin_group("agreeing bits")) {
        report("reference", agreeing_slow, NULL);
        report("by words", agreeing, NULL);
    }
    bench_shingles();
    bench_comparisons();
    bench_sort(&random);
    return 0;
}
