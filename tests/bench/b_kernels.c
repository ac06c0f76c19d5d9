/* What the kernels cost on realistic random data: the median CPU time per item of several repeats,
 * and how many times faster than the plain reference of its group (the first row) that is. */
#include "src/base/sort.h"
#include "src/hash/md5_internal.h"
#include "src/lcs/lcs_internal.h"
#include "src/sets/candidates.h"
#include "src/sketch/fingerprint.h"
#include "src/sketch/histogram.h"
#include "tests/support/bench.h"
#include "tests/support/brief.h"
#include "tests/support/slow.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SENTENCES = 136,         /* of a page */
    LONGEST_SENTENCE = 1000, /* bytes */
    RECORDS = 1 << 20        /* to sort */
};

/* ---- MD5 and fingerprints */

typedef struct sentences {
    const nd_md5_variant *variant;
    nd_span *messages;
    nd_md5 *digests;
    size_t count;
    size_t per_call;
} sentences;

static void run_md5(void *context) {
    const sentences *s = context;
    for (size_t i = 0; i < s->count; i += s->per_call) {
        nd_md5_batch_by(s->variant, s->messages + i, s->per_call, s->digests + i);
    }
}

static void run_md5_one(void *context) {
    const sentences *s = context;
    for (size_t i = 0; i < s->count; i++) {
        nd_slow_md5(s->messages[i], &s->digests[i]);
    }
}

static void bench_md5(nd_random *random, sentences *s) {
    static uint8_t text[1 << 20];
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = (uint8_t)nd_random_next(random);
    }
    for (size_t i = 0; i < s->count; i++) { /* 49 bytes in the mean, with a long tail */
        size_t size = 5;
        while (size < LONGEST_SENTENCE && nd_random_below(random, 45) != 0) {
            size++;
        }
        s->messages[i] = (nd_span){text + nd_random_below(random, sizeof text - size), size};
    }
    double reference = 0;
    printf("MD5 per sentence of 49 bytes in the mean\n");
    nd_bench_report("plain, one by one", run_md5_one, s, s->count, &reference);
    for (size_t v = 0; v < nd_md5_variant_count; v++) {
        s->variant = nd_md5_variants[v];
        const size_t batches[] = {SENTENCES, 64 * SENTENCES};
        for (size_t i = 0; nd_cpu_has(s->variant->needs) && i < 2; i++) {
            char name[64];
            s->per_call = batches[i];
            (void)snprintf(name, sizeof name, "%s, %zu a call", s->variant->name, batches[i]);
            nd_bench_report(name, run_md5, s, s->count, &reference);
        }
    }
}

static const nd_fingerprint_options fourteen_by_two = {14, 2};

static void run_fingerprint(void *context) {
    const sentences *s = context;
    uint64_t keys[ND_FINGERPRINT_MAX_BUCKETS];
    for (size_t i = 0; i < s->count; i += SENTENCES) {
        (void)nd_fingerprint_keys(s->digests + i, SENTENCES, &fourteen_by_two, keys);
    }
}

static void run_fingerprint_reference(void *context) {
    const sentences *s = context;
    uint64_t keys[ND_FINGERPRINT_MAX_BUCKETS];
    for (size_t i = 0; i < s->count; i += SENTENCES) {
        (void)nd_slow_fingerprint_keys(s->digests + i, SENTENCES, &fourteen_by_two, keys);
    }
}

static void bench_fingerprint(sentences *s) {
    double reference = 0;
    printf("fingerprints (14 x 2) per page of %d sentences\n", SENTENCES);
    nd_bench_report("reference", run_fingerprint_reference, s, s->count / SENTENCES, &reference);
    nd_bench_report("one pass", run_fingerprint, s, s->count / SENTENCES, &reference);
}

static void bench_sentences(nd_random *random) {
    sentences s = {.count = 64 * SENTENCES};
    s.messages = nd_bench_allocate(s.count, sizeof *s.messages);
    s.digests = nd_bench_allocate(s.count, sizeof *s.digests);
    bench_md5(random, &s);
    bench_fingerprint(&s);
    free(s.messages);
    free(s.digests);
}

/* ---- histograms */

enum { HISTOGRAMS = 1000, HISTOGRAM_WORDS = 1000 };

typedef struct histograms {
    nd_histogram *all;
    uint32_t words[HISTOGRAM_WORDS];
    volatile uint64_t sum; /* keeps the calls from being left out */
} histograms;

static void run_histogram_common(void *context) {
    histograms *h = context;
    uint64_t sum = 0;
    for (size_t i = 1; i < HISTOGRAMS; i++) {
        sum += nd_histogram_common(&h->all[i - 1], &h->all[i]);
    }
    h->sum = sum;
}

static void run_histogram_fill(void *context) {
    histograms *h = context;
    nd_histogram_fill(h->words, HISTOGRAM_WORDS, &h->all[0]);
    h->sum = h->all[0].bins[0];
}

static void bench_histogram(nd_random *random) {
    histograms h = {.all = nd_bench_allocate(HISTOGRAMS, sizeof *h.all)};
    for (size_t i = 0; i < HISTOGRAMS; i++) {
        for (size_t j = 0; j < HISTOGRAM_WORDS; j++) {
            h.words[j] = nd_bench_word(random);
        }
        nd_histogram_fill(h.words, HISTOGRAM_WORDS, &h.all[i]);
    }
    double reference = 0;
    printf("histogram bound per pair\n");
    nd_bench_report("common", run_histogram_common, &h, HISTOGRAMS - 1, &reference);
    reference = 0;
    printf("histogram of a page of %d words\n", HISTOGRAM_WORDS);
    nd_bench_report("fill", run_histogram_fill, &h, 1, &reference);
    free(h.all);
}

/* ---- sorting */

typedef struct arrays {
    nd_key_value *source;
    nd_key_value *records;
} arrays;

static void run_qsort(void *context) {
    arrays *s = context;
    memcpy(s->records, s->source, RECORDS * sizeof *s->records);
    nd_sort(s->records, RECORDS, sizeof *s->records, nd_test_by_key_value);
}

static void run_radix_sort(void *context) {
    arrays *s = context;
    memcpy(s->records, s->source, RECORDS * sizeof *s->records);
    nd_radix_sort(s->records, RECORDS);
}

static void run_repeated(void *context) {
    arrays *s = context;
    uint64_t count = RECORDS;
    memcpy(s->records, s->source, RECORDS * sizeof *s->records);
    nd_repeated_keys(s->records, &count);
    nd_radix_sort(s->records, count);
}

static void bench_sort(nd_random *random) {
    arrays s = {nd_bench_allocate(RECORDS, sizeof *s.source),
                nd_bench_allocate(RECORDS, sizeof *s.records)};
    for (size_t i = 0; i < RECORDS; i++) { /* 30 % of the keys are those of earlier records */
        bool repeated = i > 0 && nd_random_below(random, 10) < 3;
        s.source[i].key =
            repeated ? s.source[nd_random_below(random, i)].key : nd_random_next(random);
        s.source[i].value = i / 7;
    }
    double reference = 0;
    printf("sorting %d records, per record\n", RECORDS);
    nd_bench_report("qsort", run_qsort, &s, RECORDS, &reference);
    nd_bench_report("radix sort", run_radix_sort, &s, RECORDS, &reference);
    nd_bench_report("of those with repeated keys", run_repeated, &s, RECORDS, &reference);
    free(s.source);
    free(s.records);
}

/* ---- what the LCS does first; the rest is measured by b_lcs, on real pages */

enum { SIFTED = 2000 };
static uint32_t sifted[2][SIFTED];

static void run_sift(void *context) {
    nd_lcs_work *work = context;
    nd_lcs_pair pair = {.a = sifted[0], .b = sifted[1], .n = SIFTED, .m = SIFTED};
    nd_lcs_sift(&pair, work);
}

static void bench_sift(nd_random *random) {
    ND_OWNED(nd_lcs_work_free) nd_lcs_work work = {0};
    double reference = 0;
    for (size_t i = 0; i < SIFTED; i++) { /* r near .81 */
        sifted[0][i] = nd_bench_word(random);
        sifted[1][i] = nd_random_below(random, 10) == 0 ? nd_bench_word(random) : sifted[0][i];
    }
    printf("sifting the tokens of two pages of %d words, per token\n", SIFTED);
    nd_bench_report("sift", run_sift, &work, 2 * SIFTED, &reference);
}

int main(int argc, char **argv) {
    const char *only = argc > 1 ? argv[1] : "sentences histogram sort sift";
    nd_random random = {1};
    if (strstr(only, "sentences") != NULL) {
        bench_sentences(&random);
    }
    if (strstr(only, "histogram") != NULL) {
        bench_histogram(&random);
    }
    if (strstr(only, "sort") != NULL) {
        bench_sort(&random);
    }
    if (strstr(only, "sift") != NULL) {
        bench_sift(&random);
    }
    return 0;
}
