/* The truth about some pages, and how much of it the program finds. Reads the pages as `partition`
 * does, finds every pair of distinct texts with r at or above the threshold by an exact join, and
 * prints recall after blocking, after the bounds and inside final sets, chains, and the largest set
 * by kinds of transitivity for samples of growing size. */
#include "io/result/result_schema.h"
#include "src/sets/forest.h"
#include "tests/support/brief.h"
#include "tests/support/corpus.h"
#include "tests/support/pages.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_LIST = 16, NAME_SIZE = 32 };

/* How fingerprints are made. */
typedef struct variant {
    char name[NAME_SIZE]; /* as given: BUCKETSxSMALLEST/SENTENCE_TOKENS */
    nd_method_options options;
} variant;

typedef struct arguments {
    double threshold;
    uint64_t pages; /* 0: all */
    uint64_t seed;
    uint64_t samples[MAX_LIST];
    size_t sample_count;
    variant variants[MAX_LIST];
    size_t variant_count;
    const char *results[MAX_LIST];
    size_t result_count;
    uint64_t missing; /* pairs to show that blocking misses */
    const char *tsv_path;
    const char *const *inputs;
    size_t input_count;
} arguments;

typedef struct tool {
    arguments arguments;
    FILE *tsv;
    nd_corpus corpus;
    uint32_t *shuffled; /* all pages; samples are its beginnings */
    nd_sample all;
    uint64_t *truth; /* pairs of texts, ascending */
    size_t truth_count;
} tool;

/* ---- arguments */

static const char usage[] =
    "usage: all_pairs [options] INPUT...\n"
    "INPUTs as of `neardup partition`. Prints tables; recall is over pairs of distinct texts.\n"
    "  --threshold T        pairs with r >= T are true (0.8)\n"
    "  --pages N            use only the first N pages of the seeded shuffle (all)\n"
    "  --fingerprints BxN/S B buckets, N smallest, sentences of at least S tokens; can be "
    "repeated;\n"
    "                       the first is for the comparison with a run (the program's default)\n"
    "  --result OUT.h5      also measure the sets of this run over the same INPUTs; can be "
    "repeated\n"
    "  --sample N           the largest sets of the shuffle's first N pages; can be repeated\n"
    "                       (2500, 5000, 10000; all pages always)\n"
    "  --seed N             of the shuffle (1)\n"
    "  --missing N          show N true pairs that blocking misses (0)\n"
    "  --tsv FILE           the same figures, one a line: subject, measure, value\n";

/* Whole texts by r: what the exact join can say, and what a run must be given to compare with it
 * (--preset pku --score r --transitivity verified). */
static nd_method_options plain_options(void) {
    nd_method_options options = nd_method_paper_options();
    options.score = nd_score_find("r");
    return options;
}

static nd_status parse_variant(const char *text, double threshold, variant *v) {
    char rest = 0;
    v->options = plain_options();
    v->options.threshold = threshold;
    if (sscanf(text, "%" SCNu32 "x%" SCNu32 "/%" SCNu32 "%c", &v->options.fingerprint.buckets,
               &v->options.fingerprint.smallest, &v->options.sentence_tokens, &rest) != 3 ||
        strlen(text) >= NAME_SIZE) {
        return nd_fail(ND_ERR_USAGE, "--fingerprints %s: must be like 7x3/1", text);
    }
    memcpy(v->name, text, strlen(text) + 1);
    return nd_method_check_options(&v->options);
}

static nd_status parse_number(const char *text, uint64_t *number) {
    char *end = NULL;
    *number = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0'
               ? ND_OK
               : nd_fail(ND_ERR_USAGE, "%s: must be a whole number", text);
}

static nd_status add_default_variant(arguments *a) {
    const nd_method_options defaults = plain_options();
    char name[NAME_SIZE];
    (void)snprintf(name, sizeof name, "%ux%u/%u", defaults.fingerprint.buckets,
                   defaults.fingerprint.smallest, defaults.sentence_tokens);
    return parse_variant(name, a->threshold, &a->variants[a->variant_count++]);
}

static nd_status parse_option(arguments *a, int option) {
    if (a->sample_count == MAX_LIST || a->variant_count == MAX_LIST ||
        a->result_count == MAX_LIST) {
        return nd_fail(ND_ERR_USAGE, "an option is given more than %d times", MAX_LIST - 1);
    }
    switch (option) {
    case 't':
        a->threshold = strtod(optarg, NULL);
        return a->variant_count == 0
                   ? ND_OK
                   : nd_fail(ND_ERR_USAGE, "--threshold must stand before --fingerprints");
    case 'p':
        return parse_number(optarg, &a->pages);
    case 'f':
        return parse_variant(optarg, a->threshold, &a->variants[a->variant_count++]);
    case 'r':
        a->results[a->result_count++] = optarg;
        return ND_OK;
    case 'n':
        return parse_number(optarg, &a->samples[a->sample_count++]);
    case 's':
        return parse_number(optarg, &a->seed);
    case 'm':
        return parse_number(optarg, &a->missing);
    case 'o':
        a->tsv_path = optarg;
        return ND_OK;
    default:
        return nd_fail(ND_ERR_USAGE, "unknown option or missing value\n%s", usage);
    }
}

static nd_status parse(int argc, char **argv, arguments *a) {
    static const struct option options[] = {{"threshold", required_argument, NULL, 't'},
                                            {"pages", required_argument, NULL, 'p'},
                                            {"fingerprints", required_argument, NULL, 'f'},
                                            {"result", required_argument, NULL, 'r'},
                                            {"sample", required_argument, NULL, 'n'},
                                            {"seed", required_argument, NULL, 's'},
                                            {"missing", required_argument, NULL, 'm'},
                                            {"tsv", required_argument, NULL, 'o'},
                                            {NULL, 0, NULL, 0}};
    nd_status st = ND_OK;
    int option = 0;
    *a = (arguments){.threshold = plain_options().threshold, .seed = 1};
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        ND_TRY(parse_option(a, option));
    }
    a->inputs = (const char *const *)(argv + optind);
    a->input_count = (size_t)(argc - optind);
    if (a->input_count == 0 || (a->pages > 0 && a->result_count > 0)) {
        st = nd_fail(ND_ERR_USAGE, "%s\n%s",
                     a->input_count == 0 ? "no INPUT" : "--pages does not go with --result", usage);
        goto out;
    }
    if (a->sample_count == 0) {
        static const uint64_t samples[] = {2500, 5000, 10000};
        memcpy(a->samples, samples, sizeof samples);
        a->sample_count = sizeof samples / sizeof samples[0];
    }
    st = a->variant_count == 0 ? add_default_variant(a) : ND_OK;
out:
    return st;
}

/* ---- figures for machines */

static void put_count(const tool *t, const char *subject, const char *measure, uint64_t value) {
    if (t->tsv != NULL) {
        (void)fprintf(t->tsv, "%s\t%s\t%" PRIu64 "\n", subject, measure, value);
    }
}

static void put_share(const tool *t, const char *subject, const char *measure, double value) {
    if (t->tsv != NULL) {
        (void)fprintf(t->tsv, "%s\t%s\t%.6f\n", subject, measure, value);
    }
}

static double seconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- the truth */

static void find_truth(tool *t) {
    ND_FREED nd_join_text *texts = NULL;
    nd_join_result joined = {0};
    const double begin = seconds();
    nd_new(&texts, t->corpus.text_count, sizeof *texts);
    for (size_t i = 0; i < t->all.text_count; i++) {
        const nd_document document = nd_test_document(&t->corpus.pages, t->all.pages[i]);
        texts[t->corpus.text_of[t->all.pages[i]]] =
            (nd_join_text){document.tokens, document.token_count};
    }
    nd_exact_join(texts, t->corpus.text_count, t->arguments.threshold, &joined);
    nd_new(&t->truth, joined.count, sizeof *t->truth);
    for (size_t i = 0; i < joined.count; i++) {
        t->truth[t->truth_count++] = nd_text_pair(joined.pairs[i].a, joined.pairs[i].b);
    }
    printf("exact join: %" PRIu64 " pairs share a rare token, %" PRIu64
           " share enough tokens, %zu true (r >= %g); %.1f s\n",
           joined.prefix_pairs, joined.compared_pairs, joined.count, t->arguments.threshold,
           seconds() - begin);
    put_count(t, "corpus", "true pairs", joined.count);
    free(joined.pairs);
}

static nd_pair_set truth_of(const tool *t) {
    return (nd_pair_set){t->truth, t->truth_count};
}

/* The true pairs whose texts both are in a sample. */
static void truth_in_sample(const tool *t, const nd_sample *s, uint64_t **pairs, size_t *count) {
    nd_new(pairs, t->truth_count, sizeof **pairs);
    *count = 0;
    for (size_t i = 0; i < t->truth_count; i++) {
        if (s->copies[t->truth[i] >> 32] > 0 && s->copies[(uint32_t)t->truth[i]] > 0) {
            (*pairs)[(*count)++] = t->truth[i];
        }
    }
}

/* ---- recall of blocking, by fingerprints */

static void print_recall(const tool *t, const char *subject, const char *stage,
                         const nd_recall *recall) {
    char measure[64];
    printf(" %9.5f %9.5f", recall->of_pairs, recall->per_text);
    (void)snprintf(measure, sizeof measure, "recall of pairs %s", stage);
    put_share(t, subject, measure, recall->of_pairs);
    (void)snprintf(measure, sizeof measure, "recall per page %s", stage);
    put_share(t, subject, measure, recall->per_text);
}

static double share(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0 : (double)part / (double)whole;
}

static void print_chains(const tool *t, const char *subject, const nd_recall *recall) {
    const double chained = share(recall->strange, recall->strange + recall->found);
    printf(" %9" PRIu64 " %8.4f", recall->strange, chained);
    put_count(t, subject, "pairs in sets below the threshold", recall->strange);
    put_share(t, subject, "share of pairs in sets below the threshold", chained);
}

static void print_sets_of(const tool *t, const char *subject, nd_pair_set joins) {
    const size_t texts = t->corpus.text_count;
    ND_FREED uint64_t *set_of = NULL;
    nd_recall recall;
    nd_new(&set_of, texts, sizeof *set_of);
    nd_union_find_init(set_of, texts);
    nd_join_pairs(joins, set_of);
    for (size_t i = 0; i < texts; i++) {
        set_of[i] = nd_union_find_root(set_of, i);
    }
    nd_recall_of_sets(truth_of(t), set_of, texts, &recall);
    print_recall(t, subject, "inside sets", &recall);
    print_chains(t, subject, &recall);
}

static void print_page(const tool *t, uint32_t text) {
    const uint32_t page = t->corpus.first_page[text];
    const nd_span url = nd_test_url(&t->corpus.pages, page);
    const nd_stored_page *stored = &t->corpus.pages.pages[page];
    printf(" page %u (%u tokens, %u sentences) %.*s", page, stored->token_count,
           stored->sentence_count, (int)url.size, (const char *)url.data);
}

/* Some true pairs that are no candidates, evenly spread. */
static void print_missing(const tool *t, nd_pair_set candidates) {
    ND_FREED uint64_t *missing = NULL;
    size_t count = 0;
    const uint64_t most = t->arguments.missing;
    nd_pairs_missing(truth_of(t), candidates, &missing, &count);
    for (uint64_t i = 0; i < most && i < count; i++) {
        const uint64_t pair = missing[count <= most ? i : i * count / most];
        printf("  missing:");
        print_page(t, (uint32_t)(pair >> 32));
        print_page(t, (uint32_t)pair);
        printf("\n");
    }
}

static void print_variant(const tool *t, const variant *v) {
    const size_t texts = t->corpus.text_count;
    ND_OWNED(nd_blocking_free) nd_blocking b = {0};
    nd_recall blocked;
    nd_recall within;
    ND_FREED uint64_t *similar = NULL;
    size_t similar_count = 0;
    nd_blocking_run(&t->corpus, t->all.pages, t->all.text_count, &v->options, &b);
    const nd_pair_set kept = {b.within_bounds, b.within_count};
    nd_recall_of_pairs(truth_of(t), (nd_pair_set){b.pairs, b.pair_count}, texts, &blocked);
    nd_recall_of_pairs(truth_of(t), kept, texts, &within);
    nd_pairs_in_both(truth_of(t), kept, &similar, &similar_count);
    printf("%-8s %10" PRIu64 " %10zu %10zu %8zu", v->name, b.candidates, b.pair_count,
           b.within_count, similar_count);
    put_count(t, v->name, "candidates", b.candidates);
    put_count(t, v->name, "distinct candidates", b.pair_count);
    put_count(t, v->name, "within the bounds", b.within_count);
    put_count(t, v->name, "similar", similar_count);
    put_count(t, v->name, "true candidates lost by the bounds", blocked.found - within.found);
    print_recall(t, v->name, "after blocking", &blocked);
    printf(" %6" PRIu64, blocked.found - within.found);
    print_sets_of(t, v->name, (nd_pair_set){similar, similar_count});
    printf("\n");
    print_missing(t, (nd_pair_set){b.pairs, b.pair_count});
}

static void print_variants(const tool *t) {
    printf("\n%41s %19s %6s %19s %18s\n", "", "recall after", "lost", "recall inside",
           "pairs in sets");
    printf("%41s %19s %6s %19s %18s\n", "candidate pairs", "blocking", "by the", "verified sets",
           "that are not true");
    printf("%-8s %10s %10s %10s %8s %9s %9s %6s %9s %9s %9s %8s\n", "", "by key", "distinct",
           "in bounds", "similar", "of pairs", "per page", "bounds", "of pairs", "per page",
           "number", "share");
    for (size_t i = 0; i < t->arguments.variant_count; i++) {
        print_variant(t, &t->arguments.variants[i]);
    }
}

/* ---- the largest sets, by kind of transitivity */

static void largest_by_pairs(const tool *t, const nd_sample *s, nd_pair_set joins,
                             uint64_t *largest) {
    ND_FREED uint64_t *parent = NULL;
    nd_new(&parent, t->corpus.text_count, sizeof *parent);
    nd_union_find_init(parent, t->corpus.text_count);
    nd_join_pairs(joins, parent);
    nd_largest_set(parent, s->copies, t->corpus.text_count, largest);
}

static void print_largest(const tool *t, const variant *v, const nd_sample *s) {
    ND_OWNED(nd_blocking_free) nd_blocking b = {0};
    ND_FREED uint64_t *truth = NULL;
    ND_FREED uint64_t *similar = NULL;
    size_t truth_count = 0;
    size_t similar_count = 0;
    enum { TRUE, SIMILAR, BOUNDED, SHARED, KINDS };
    static const char *const kinds[KINDS] = {"true pairs", "verified pairs", "bound-passing pairs",
                                             "shared fingerprints"};
    uint64_t largest[KINDS];
    truth_in_sample(t, s, &truth, &truth_count);
    nd_blocking_run(&t->corpus, s->pages, s->text_count, &v->options, &b);
    const nd_pair_set kept = {b.within_bounds, b.within_count};
    const nd_pair_set all_true = {truth, truth_count};
    nd_pairs_in_both(all_true, kept, &similar, &similar_count);
    const nd_pair_set verified = {similar, similar_count};
    largest_by_pairs(t, s, all_true, &largest[TRUE]);
    largest_by_pairs(t, s, verified, &largest[SIMILAR]);
    largest_by_pairs(t, s, kept, &largest[BOUNDED]);
    nd_largest_set(b.key_parent, s->copies, t->corpus.text_count, &largest[SHARED]);
    printf("%-8s %7" PRIu64 " %7zu", v->name, s->page_count, s->text_count);
    for (int kind = 0; kind < KINDS; kind++) {
        char subject[2 * NAME_SIZE];
        char measure[64];
        (void)snprintf(subject, sizeof subject, "%s, %" PRIu64 " pages", v->name, s->page_count);
        (void)snprintf(measure, sizeof measure, "largest set by %s", kinds[kind]);
        put_count(t, subject, measure, largest[kind]);
        printf(" %8" PRIu64 " (%4.1f %%)", largest[kind],
               100 * share(largest[kind], s->page_count));
    }
    printf("\n");
}

static void print_samples(const tool *t, const variant *v) {
    nd_sample s = {0};
    for (size_t i = 0; i < t->arguments.sample_count; i++) {
        if (t->arguments.samples[i] < t->all.page_count) {
            nd_sample_draw(&t->corpus, t->shuffled, t->arguments.samples[i], &s);
            print_largest(t, v, &s);
            nd_sample_free(&s);
        }
    }
    print_largest(t, v, &t->all);
    nd_sample_free(&s);
}

static void print_all_samples(const tool *t) {
    printf(
        "\npages in the largest set; samples are the first pages of the shuffle with seed %" PRIu64
        "\n%-8s %7s %7s %17s %17s %17s %18s\n",
        t->arguments.seed, "", "pages", "texts", "by true pairs", "by verified pairs",
        "by bounded pairs", "by shared keys");
    for (size_t i = 0; i < t->arguments.variant_count; i++) {
        print_samples(t, &t->arguments.variants[i]);
    }
}

/* ---- the sets of a run */

/* What a run kept of the pages. */
typedef struct run {
    uint64_t pages;
    uint64_t *set;
    uint64_t *exact_of;
    uint32_t *tokens;
} run;

static void run_free(run *r) {
    free(r->set);
    free(r->exact_of);
    free(r->tokens);
}

static nd_status run_read(const char *path, run *r) {
    nd_status st = ND_OK;
    nd_result file = {.file = H5I_INVALID_HID};
    ND_TRY(nd_result_open(&file, path));
    r->pages = file.shape.pages;
    nd_new(&r->set, r->pages, sizeof *r->set);
    nd_new(&r->exact_of, r->pages, sizeof *r->exact_of);
    nd_new(&r->tokens, r->pages, sizeof *r->tokens);
    ND_TRY(nd_result_read(&file, "/pages/set", ND_COLUMN_U64, 0, r->pages, r->set));
    ND_TRY(nd_result_read(&file, "/pages/exact_of", ND_COLUMN_U64, 0, r->pages, r->exact_of));
    ND_TRY(nd_result_read(&file, "/pages/tokens", ND_COLUMN_U32, 0, r->pages, r->tokens));
out:
    (void)nd_result_close(&file);
    return st;
}

/* The run must have read the same pages, found the same copies, and kept them together. */
static nd_status check_run(const tool *t, const char *path, const run *r) {
    const nd_corpus *c = &t->corpus;
    if (r->pages != c->pages.count) {
        return nd_fail(ND_ERR_FORMAT, "%s: %" PRIu64 " pages, but the inputs hold %zu", path,
                       r->pages, c->pages.count);
    }
    for (uint64_t page = 0; page < r->pages; page++) {
        const uint32_t text = c->text_of[page];
        const uint64_t first = text == ND_NO_TEXT ? page : c->first_page[text];
        if (r->tokens[page] != c->pages.pages[page].token_count || r->exact_of[page] != first ||
            r->set[page] != r->set[first]) {
            return nd_fail(ND_ERR_FORMAT,
                           "%s: page %" PRIu64 " has %u tokens, is a copy of %" PRIu64
                           ", in set %" PRIu64 "; the inputs say %u tokens, copy of %" PRIu64
                           ", which is in set %" PRIu64,
                           path, page, r->tokens[page], r->exact_of[page], r->set[page],
                           c->pages.pages[page].token_count, first, r->set[first]);
        }
    }
    return ND_OK;
}

static void largest_set_of(const run *r, uint64_t *largest) {
    ND_FREED uint64_t *size = NULL;
    nd_new(&size, r->pages, sizeof *size);
    *largest = 0;
    for (uint64_t page = 0; page < r->pages; page++) {
        const uint64_t now = ++size[r->set[page]]; /* sets are fewer than pages */
        *largest = *largest > now ? *largest : now;
    }
}

static nd_status print_run(const tool *t, const char *path) {
    nd_status st = ND_OK;
    run r = {0};
    nd_recall recall;
    uint64_t largest = 0;
    ND_FREED uint64_t *set_of = NULL;
    ND_TRY(run_read(path, &r));
    ND_TRY(check_run(t, path, &r));
    nd_new(&set_of, t->corpus.text_count, sizeof *set_of);
    for (uint32_t text = 0; text < t->corpus.text_count; text++) {
        set_of[text] = r.set[t->corpus.first_page[text]];
    }
    nd_recall_of_sets(truth_of(t), set_of, t->corpus.text_count, &recall);
    largest_set_of(&r, &largest);
    print_recall(t, path, "inside sets", &recall);
    print_chains(t, path, &recall);
    printf(" %9" PRIu64 "  %s\n", largest, path);
    put_count(t, path, "largest set", largest);
out:
    run_free(&r);
    return st;
}

static nd_status print_runs(const tool *t) {
    nd_status st = ND_OK;
    if (t->arguments.result_count > 0) {
        printf("\n%20s %18s\n%20s %18s %9s\n%10s %9s %9s %8s %9s\n", "recall inside",
               "pairs in sets", "sets of a run", "that are not true", "largest", "of pairs",
               "per page", "number", "share", "set");
    }
    for (size_t i = 0; i < t->arguments.result_count; i++) {
        ND_TRY(print_run(t, t->arguments.results[i]));
    }
out:
    return st;
}

/* ---- all of it */

static nd_status read_corpus(tool *t) {
    nd_status st = ND_OK;
    const double begin = seconds();
    ND_TRY(nd_corpus_read(&t->corpus, t->arguments.inputs, t->arguments.input_count));
    const uint64_t count = t->corpus.pages.count;
    const uint64_t wanted = t->arguments.pages;
    nd_shuffle_pages(&t->corpus, t->arguments.seed, &t->shuffled);
    nd_sample_draw(&t->corpus, t->shuffled, wanted > 0 && wanted < count ? wanted : count, &t->all);
    printf("pages: %" PRIu64 " used of %" PRIu64 " (%" PRIu64 " without text), %zu distinct texts; "
           "%" PRIu64 " records skipped; %.1f s\n",
           t->all.page_count, count, t->corpus.without_text, t->all.text_count, t->corpus.skipped,
           seconds() - begin);
    put_count(t, "corpus", "pages", t->all.page_count);
    put_count(t, "corpus", "distinct texts", t->all.text_count);
    put_count(t, "corpus", "records skipped", t->corpus.skipped);
out:
    return st;
}

static nd_status run_tool(tool *t, int argc, char **argv) {
    nd_status st = ND_OK;
    ND_TRY(parse(argc, argv, &t->arguments));
    if (t->arguments.tsv_path != NULL && (t->tsv = fopen(t->arguments.tsv_path, "w")) == NULL) {
        st = nd_fail(ND_ERR_IO, "%s: cannot be written", t->arguments.tsv_path);
        goto out;
    }
    ND_TRY(read_corpus(t));
    find_truth(t);
    print_variants(t);
    ND_TRY(print_runs(t));
    print_all_samples(t);
out:
    if (t->tsv != NULL && fclose(t->tsv) != 0 && st == ND_OK) {
        st = nd_fail(ND_ERR_IO, "%s: cannot be written", t->arguments.tsv_path);
    }
    return st;
}

int main(int argc, char **argv) {
    static tool t;
    const nd_status st = run_tool(&t, argc, argv);
    if (st != ND_OK) {
        (void)fflush(stdout);
        (void)fprintf(stderr, "all_pairs: %s\n", nd_fail_text());
    }
    nd_corpus_free(&t.corpus);
    nd_sample_free(&t.all);
    free(t.shuffled);
    free(t.truth);
    return st == ND_OK ? 0 : st == ND_ERR_USAGE ? 2 : 1;
}
