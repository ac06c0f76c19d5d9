/* The truth about some pages, and how much of it the program finds. Reads the pages as `partition`
 * does, compares every text with every other, and prints figures, one a line (subject, measure,
 * value): by fingerprints, and of results, which must be of --preset pku --score r --transitivity
 * verified --hash-seed 1. Recall is over pairs of distinct texts. */
#include "io/result/result_schema.h"
#include "src/compare/score.h"
#include "src/method/method.h"
#include "src/sets/candidates.h"
#include "src/sets/forest.h"
#include "tests/support/brief.h"
#include "tests/support/corpus.h"
#include "tests/support/pages.h"

static const char usage[] =
    "usage: all_pairs [--fingerprints BxN/S | --result OUT.h5]... INPUT...\n"
    "  --fingerprints B buckets, N smallest, sentences of at least S tokens (the paper's)\n"
    "  --result       the sets of this run over the same INPUTs\n";

/* Pairs of texts as numbers, the smaller text above; ascending. */
typedef struct pairs {
    uint64_t *of;
    size_t count, capacity;
} pairs;

static nd_corpus corpus;
static nd_method_options options;
static const nd_method *method;
static pairs truth;
static uint32_t *copies; /* by text: pages that have it */

static void add(pairs *p, uint32_t a, uint32_t b) {
    nd_grow(&p->of, &p->capacity, p->count + 1, sizeof *p->of);
    p->of[p->count++] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static bool hold(const pairs *p, uint64_t pair) {
    return p->count > 0 && bsearch(&pair, p->of, p->count, sizeof pair, nd_test_by_u64) != NULL;
}

static nd_document document_of(size_t text) {
    return nd_test_document(&corpus.pages, corpus.first_page[text]);
}

static void put_count(const char *subject, const char *measure, uint64_t value) {
    (void)printf("%s\t%s\t%" PRIu64 "\n", subject, measure, value);
}

static void put_share(const char *subject, const char *measure, double value) {
    (void)printf("%s\t%s\t%.6f\n", subject, measure, value);
}

/* ---- the truth. Nothing of the pipeline's fingerprints, groups or bounds is used, so that none of
 * their errors can hide in it. */

enum { BINS = 256 };
typedef struct bins {
    uint16_t tokens[BINS]; /* as many as there is room for: then fewer than are common */
    bool full;
} bins;

static bins bins_of(nd_document d) {
    bins b = {{0}, false};
    for (size_t i = 0; i < d.token_count; i++) {
        uint16_t *bin = &b.tokens[nd_mix64(d.tokens[i]) % BINS];
        b.full = b.full || *bin == UINT16_MAX;
        *bin = (uint16_t)(*bin + !b.full);
    }
    return b;
}

/* Two texts have no more tokens in common than this. */
static uint64_t most_common(const bins *a, const bins *b) {
    uint32_t sum = 0;
    for (size_t i = 0; i < BINS; i++) {
        sum += a->tokens[i] < b->tokens[i] ? a->tokens[i] : b->tokens[i];
    }
    return a->full || b->full ? UINT64_MAX : sum;
}

static void find_truth(void) {
    const nd_score *r = nd_score_find("r");
    ND_FREED bins *all = NULL;
    ND_OWNED(nd_lcs_work_free) nd_lcs_work work = {0};
    nd_new(&all, corpus.text_count, sizeof *all);
    for (uint32_t i = 0; i < corpus.text_count; i++) {
        all[i] = bins_of(document_of(i));
    }
    for (uint32_t i = 0; i < corpus.text_count; i++) {
        const nd_document a = document_of(i);
        for (uint32_t k = i + 1; k < corpus.text_count; k++) {
            const nd_document b = document_of(k);
            const uint64_t least =
                (uint64_t)(options.threshold * (double)(a.token_count + b.token_count) /
                           (1 + options.threshold));
            double similarity = 0;
            if (a.token_count < least || b.token_count < least ||
                most_common(&all[i], &all[k]) < least) {
                continue;
            }
            r->similarity(a.tokens, a.token_count, b.tokens, b.token_count, options.threshold,
                          &work, &similarity);
            if (similarity >= options.threshold) {
                add(&truth, i, k);
            }
        }
    }
    put_count("corpus", "true pairs", truth.count);
}

/* ---- recall */

/* \param[in] found  of each true pair, whether it is there */
static void put_recall(const char *subject, const char *stage, const bool *found) {
    ND_FREED uint32_t *all = NULL, *there = NULL; /* true pairs of each text */
    char measure[64];
    double sum = 0;
    uint64_t texts = 0, count = 0;
    nd_new(&all, corpus.text_count, sizeof *all);
    nd_new(&there, corpus.text_count, sizeof *there);
    for (size_t i = 0; i < truth.count; i++) {
        const uint32_t sides[] = {(uint32_t)(truth.of[i] >> 32), (uint32_t)truth.of[i]};
        count += found[i];
        for (int side = 0; side < 2; side++) {
            all[sides[side]]++;
            there[sides[side]] += found[i];
        }
    }
    for (size_t i = 0; i < corpus.text_count; i++) {
        sum += all[i] > 0 ? (double)there[i] / all[i] : 0;
        texts += all[i] > 0;
    }
    (void)snprintf(measure, sizeof measure, "recall of pairs %s", stage);
    put_share(subject, measure, truth.count > 0 ? (double)count / (double)truth.count : 1);
    (void)snprintf(measure, sizeof measure, "recall per page %s", stage);
    put_share(subject, measure, texts > 0 ? sum / (double)texts : 1);
}

static void put_largest(const char *subject, const char *measure, const uint64_t *set_of,
                        uint64_t sets) {
    ND_FREED uint64_t *size = NULL;
    uint64_t largest = 0;
    nd_new(&size, sets, sizeof *size);
    for (size_t i = 0; i < corpus.text_count; i++) {
        size[set_of[i]] += copies[i];
        largest = largest > size[set_of[i]] ? largest : size[set_of[i]];
    }
    put_count(subject, measure, largest);
}

/* Recall of sets, and the pairs inside them that are not true: chains. */
static void put_sets(const char *subject, const uint64_t *set_of, uint64_t sets) {
    ND_FREED bool *found = NULL;
    ND_FREED uint64_t *size = NULL;
    uint64_t inside = 0, strange = 0;
    nd_new(&found, truth.count, sizeof *found);
    nd_new(&size, sets, sizeof *size);
    for (size_t i = 0; i < corpus.text_count; i++) {
        inside += size[set_of[i]]++;
    }
    strange = inside;
    for (size_t i = 0; i < truth.count; i++) {
        found[i] = set_of[truth.of[i] >> 32] == set_of[(uint32_t)truth.of[i]];
        strange -= found[i];
    }
    put_recall(subject, "inside sets", found);
    put_count(subject, "pairs in sets below the threshold", strange);
    put_share(subject, "share of pairs in sets below the threshold",
              inside > 0 ? (double)strange / (double)inside : 0);
}

/* The sets that pairs join. */
static void join(const pairs *by, uint64_t *set_of) {
    nd_union_find_init(set_of, corpus.text_count);
    for (size_t i = 0; i < by->count; i++) {
        (void)nd_union_find_join(set_of, by->of[i] >> 32, (uint32_t)by->of[i]);
    }
    for (size_t i = 0; i < corpus.text_count; i++) {
        set_of[i] = nd_union_find_root(set_of, i);
    }
}

/* ---- by fingerprints: keys, the rule of src/sets/candidates.h over whole groups, and bounds, done
 * plainly, without batches, runs and ranks */

typedef struct postings {
    nd_key_value *of;
    size_t count, capacity;
} postings;

static void sign(postings *p) {
    ND_FREED uint64_t *keys = NULL;
    nd_new(&keys, method->sizes(&options, 0).keys, sizeof *keys);
    for (uint32_t i = 0; i < corpus.text_count; i++) {
        const nd_document document = document_of(i);
        const size_t count = nd_test_sign(method, &options, &document, keys);
        nd_grow(&p->of, &p->capacity, p->count + count, sizeof *p->of);
        for (size_t k = 0; k < count; k++) {
            p->of[p->count++] = (nd_key_value){
                keys[k], nd_posting_value(corpus.first_page[i], document.token_count)};
        }
    }
    nd_radix_sort(p->of, p->count);
}

static uint32_t text_at(const nd_key_value *posting) {
    return corpus.text_of[nd_posting_page(posting->value)];
}

/* Candidates, as often as keys give them, and distinct ones; those that share a key in one set. */
static uint64_t block(pairs *candidates, uint64_t *by_key) {
    postings p = {0};
    size_t end = 0, kept = 0;
    sign(&p);
    nd_union_find_init(by_key, corpus.text_count);
    for (size_t begin = 0; begin < p.count; begin = end) {
        size_t count = 1; /* a page that got a key twice is in its group once */
        for (end = begin + 1; end < p.count && p.of[end].key == p.of[begin].key; end++) {
            if (p.of[end].value != p.of[begin + count - 1].value) {
                p.of[begin + count++] = p.of[end];
            }
        }
        for (uint64_t i = 0; i < count; i++) {
            const uint64_t last = nd_group_partner_end(ND_GROUP_ALL_PAIRS, count, count, i);
            (void)nd_union_find_join(by_key, text_at(&p.of[begin]), text_at(&p.of[begin + i]));
            for (uint64_t k = i + 1; k < last; k++) {
                add(candidates, text_at(&p.of[begin + i]), text_at(&p.of[begin + k]));
            }
        }
    }
    const uint64_t all = candidates->count;
    nd_sort(candidates->of, candidates->count, sizeof *candidates->of, nd_test_by_u64);
    for (size_t i = 0; i < candidates->count; i++) {
        if (i == 0 || candidates->of[i] != candidates->of[i - 1]) {
            candidates->of[kept++] = candidates->of[i];
        }
    }
    candidates->count = kept;
    for (size_t i = 0; i < corpus.text_count; i++) {
        by_key[i] = nd_union_find_root(by_key, i);
    }
    free(p.of);
    return all;
}

static bool may_be_similar(uint64_t pair) {
    const nd_document a = document_of(pair >> 32), b = document_of((uint32_t)pair);
    return method->length_bound(&options, a.token_count, b.token_count) >= options.threshold &&
           nd_test_bound(method, &options, &a, &b) >= options.threshold;
}

static void put_variant(const char *name) {
    pairs candidates = {0}, bounded = {0}, similar = {0};
    uint64_t lost = 0;
    ND_FREED uint64_t *set_of = NULL, *by_key = NULL;
    ND_FREED bool *found = NULL;
    nd_new(&set_of, corpus.text_count, sizeof *set_of);
    nd_new(&by_key, corpus.text_count, sizeof *by_key);
    nd_new(&found, truth.count, sizeof *found);
    put_count(name, "candidates", block(&candidates, by_key));
    for (size_t i = 0; i < candidates.count; i++) {
        if (may_be_similar(candidates.of[i])) {
            add(&bounded, (uint32_t)(candidates.of[i] >> 32), (uint32_t)candidates.of[i]);
        }
    }
    for (size_t i = 0; i < truth.count; i++) {
        found[i] = hold(&candidates, truth.of[i]);
        if (hold(&bounded, truth.of[i])) {
            add(&similar, (uint32_t)(truth.of[i] >> 32), (uint32_t)truth.of[i]);
        } else {
            lost += found[i];
        }
    }
    put_count(name, "distinct candidates", candidates.count);
    put_count(name, "within the bounds", bounded.count);
    put_count(name, "similar", similar.count);
    put_count(name, "true candidates lost by the bounds", lost);
    put_recall(name, "after blocking", found);
    join(&similar, set_of);
    put_sets(name, set_of, corpus.text_count);
    put_largest(name, "largest set by verified pairs", set_of, corpus.text_count);
    join(&bounded, set_of);
    put_largest(name, "largest set by bound-passing pairs", set_of, corpus.text_count);
    put_largest(name, "largest set by shared fingerprints", by_key, corpus.text_count);
    free(candidates.of);
    free(bounded.of);
    free(similar.of);
}

/* ---- the sets of a run */

/* The run must have read the same pages, found the same copies, and kept them together. */
static nd_status check_run(const char *path, const uint64_t *set, const uint64_t *exact_of,
                           const uint32_t *tokens) {
    for (uint64_t page = 0; page < corpus.pages.count; page++) {
        const uint32_t text = corpus.text_of[page];
        const uint64_t first = text == ND_NO_TEXT ? page : corpus.first_page[text];
        if (tokens[page] != corpus.pages.pages[page].token_count || exact_of[page] != first ||
            set[page] != set[first]) {
            return nd_fail(ND_ERR_FORMAT,
                           "%s: page %" PRIu64 " has %u tokens and is a copy of %" PRIu64
                           "; the inputs say %u tokens, copy of %" PRIu64,
                           path, page, tokens[page], exact_of[page],
                           corpus.pages.pages[page].token_count, first);
        }
    }
    return ND_OK;
}

static nd_status put_run(const char *path) {
    nd_status st = ND_OK;
    nd_result file = {.file = H5I_INVALID_HID};
    ND_FREED uint64_t *set = NULL, *exact_of = NULL, *set_of = NULL;
    ND_FREED uint32_t *tokens = NULL;
    ND_TRY(nd_result_open(&file, path));
    const uint64_t pages = file.shape.pages;
    if (pages != corpus.pages.count) {
        st = nd_fail(ND_ERR_FORMAT, "%s: %" PRIu64 " pages, but the inputs hold %zu", path, pages,
                     corpus.pages.count);
        goto out;
    }
    nd_new(&set, pages, sizeof *set);
    nd_new(&exact_of, pages, sizeof *exact_of);
    nd_new(&tokens, pages, sizeof *tokens);
    nd_new(&set_of, corpus.text_count, sizeof *set_of);
    ND_TRY(nd_result_read(&file, "/pages/set", ND_COLUMN_U64, 0, pages, set));
    ND_TRY(nd_result_read(&file, "/pages/exact_of", ND_COLUMN_U64, 0, pages, exact_of));
    ND_TRY(nd_result_read(&file, "/pages/tokens", ND_COLUMN_U32, 0, pages, tokens));
    ND_TRY(check_run(path, set, exact_of, tokens));
    for (uint32_t text = 0; text < corpus.text_count; text++) {
        set_of[text] = set[corpus.first_page[text]];
    }
    put_sets(path, set_of, pages); /* sets are no more than pages */
    put_largest(path, "largest set", set_of, pages);
out:
    (void)nd_result_close(&file);
    return st;
}

/* ---- all of it */

static nd_status read_corpus(const char *const *words, size_t count) {
    nd_status st = ND_OK;
    ND_FREED uint64_t *set_of = NULL;
    ND_TRY(nd_corpus_read(&corpus, words, count));
    nd_new(&copies, corpus.text_count, sizeof *copies);
    nd_new(&set_of, corpus.text_count, sizeof *set_of);
    for (size_t i = 0; i < corpus.pages.count; i++) {
        if (corpus.text_of[i] != ND_NO_TEXT) {
            copies[corpus.text_of[i]]++;
        }
    }
    put_count("corpus", "pages", corpus.pages.count);
    put_count("corpus", "distinct texts", corpus.text_count);
    put_count("corpus", "records skipped", corpus.skipped);
    find_truth();
    join(&truth, set_of);
    put_largest("corpus", "largest set by true pairs", set_of, corpus.text_count);
out:
    return st;
}

static nd_status put_fingerprints(const char *text) {
    char rest = 0;
    nd_fingerprint_options *f = &options.fingerprint;
    if (sscanf(text, "%" SCNu32 "x%" SCNu32 "/%" SCNu32 "%c", &f->buckets, &f->smallest,
               &options.sentence_tokens, &rest) != 3) {
        return nd_fail(ND_ERR_USAGE, "--fingerprints %s: must be like 7x3/1", text);
    }
    const nd_status st = nd_method_check_options(&options);
    if (st == ND_OK) {
        put_variant(text);
    }
    return st;
}

static nd_status run_tool(char **words, int count) {
    nd_status st = ND_OK;
    int first = 0;
    while (first + 1 < count && strncmp(words[first], "--", 2) == 0) {
        first += 2;
    }
    if (first >= count) {
        return nd_fail(ND_ERR_USAGE, "no INPUT\n%s", usage);
    }
    method = nd_method_find("lcs");
    options = nd_method_paper_options();
    options.score = nd_score_find("r");
    ND_TRY(read_corpus((const char *const *)words + first, (size_t)(count - first)));
    for (int i = 0; i < first; i += 2) {
        if (strcmp(words[i], "--fingerprints") == 0) {
            ND_TRY(put_fingerprints(words[i + 1]));
        } else if (strcmp(words[i], "--result") == 0) {
            ND_TRY(put_run(words[i + 1]));
        } else {
            st = nd_fail(ND_ERR_USAGE, "unknown option %s\n%s", words[i], usage);
            goto out;
        }
    }
out:
    return st;
}

int main(int argc, char **argv) {
    const nd_status st = run_tool(argv + 1, argc - 1);
    if (st != ND_OK) {
        (void)fprintf(stderr, "all_pairs: %s\n", nd_fail_text());
    }
    nd_corpus_free(&corpus);
    free(truth.of);
    free(copies);
    return st == ND_OK ? 0 : st == ND_ERR_USAGE ? 2 : 1;
}
