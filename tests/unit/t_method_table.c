/* The table of methods: options, summaries and decisions. */
#include "src/method/certainty.h"
#include "src/method/method.h"
#include "src/method/pair_measures.h"
#include "tests/support/check.h"
#include "tests/support/pages.h"

/* ---- The table of methods and its options; what each row promises about its bounds. */

ND_TEST("rows") {
    CU_ASSERT_PTR_NOT_NULL(nd_method_row(0));
    for (size_t i = 0; nd_method_row(i) != NULL; i++) {
        CU_ASSERT_PTR_EQUAL(nd_method_find(nd_method_row(i)->name), nd_method_row(i));
        CU_ASSERT(strlen(nd_method_row(i)->summary) > 0);
    }
    CU_ASSERT_PTR_NOT_NULL(nd_method_find("lcs"));
    CU_ASSERT_PTR_NULL(nd_method_find("LCS"));
    CU_ASSERT_PTR_NULL(nd_method_row(1000));
}

static void refuse(nd_method_options options, const char *name) {
    CU_ASSERT_EQUAL(nd_method_check_options(&options), ND_ERR_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), name));
}

ND_TEST("options") {
    const nd_method_options good = nd_method_default_options();
    nd_method_options o = good;
    ND_TEST_OK(nd_method_check_options(&good));
    for (double threshold = -1; threshold <= 3; threshold += 0.5) {
        o.threshold = threshold;
        if (threshold > 0 && threshold <= 1) {
            ND_TEST_OK(nd_method_check_options(&o));
        } else {
            refuse(o, "--threshold");
        }
    }
    o.threshold = strtod("nan", NULL);
    refuse(o, "--threshold");
    o = good;
    o.fingerprint.buckets = 0;
    refuse(o, "--buckets");
    o.fingerprint.buckets = ND_FINGERPRINT_MAX_BUCKETS;
    ND_TEST_OK(nd_method_check_options(&o));
    o.fingerprint.buckets++;
    refuse(o, "--buckets");
    o = good;
    o.fingerprint.smallest = 0;
    refuse(o, "--smallest");
    o.fingerprint.smallest = ND_FINGERPRINT_MAX_SMALLEST;
    ND_TEST_OK(nd_method_check_options(&o));
    o.fingerprint.smallest++;
    refuse(o, "--smallest");
}

/* ---- documents */

enum { MOST_SENTENCES = 60, SENTENCE_TOKENS = 9 };
typedef struct draft {
    uint32_t tokens[MOST_SENTENCES * SENTENCE_TOKENS];
    nd_sentence_digest sentences[MOST_SENTENCES];
    nd_document document;
} draft;

/* Sentences named by numbers: equal numbers, equal tokens and digests. */
static void write_draft(draft *d, const uint64_t *names, uint32_t count) {
    uint32_t tokens = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t length = 1 + (uint32_t)(nd_mix64(names[i]) % SENTENCE_TOKENS);
        for (uint32_t k = 0; k < length; k++) {
            d->tokens[tokens++] = (uint32_t)nd_mix64(names[i] * SENTENCE_TOKENS + k);
        }
        for (size_t b = 0; b < sizeof(nd_md5); b++) {
            ((uint8_t *)&d->sentences[i].digest)[b] = (uint8_t)(nd_mix64(names[i] + 1000 * b) >> 3);
        }
        d->sentences[i].token_count = length;
    }
    d->document =
        (nd_document){d->tokens, tokens, d->sentences, count, nd_test_hash(d->tokens, tokens), {0}};
}

static size_t sign(const nd_method *method, const nd_method_options *options, const draft *d,
                   uint64_t *keys) {
    const size_t count = nd_test_sign(method, options, &d->document, keys);
    CU_ASSERT(count <= method->sizes(options, 0).keys);
    return count;
}

static size_t shared_keys(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count) {
    size_t shared = 0;
    for (size_t i = 0; i < a_count; i++) {
        for (size_t k = 0; k < b_count; k++) {
            shared += a[i] == b[k];
        }
    }
    return shared;
}

static double similarity_of(const nd_method *method, const nd_method_options *options,
                            const draft *a, const draft *b, double threshold) {
    return nd_test_similarity(method, options, &a->document, &b->document, threshold);
}

/* ---- what a row promises */

/* The bounds are never below the similarity, which is symmetric and 0 below the threshold. */
static void check_pair(const nd_method *method, const draft *a, const draft *b) {
    const nd_method_options options = nd_test_options(method);
    const double exact = similarity_of(method, &options, a, b, 0);
    const double bound = nd_test_bound(method, &options, &a->document, &b->document);
    const double by_length =
        nd_method_length_bound(method, &options, a->document.token_count, b->document.token_count);
    const double cut = similarity_of(method, &options, a, b, options.threshold);
    CU_ASSERT(bound >= exact && by_length >= bound);
    CU_ASSERT_EQUAL(similarity_of(method, &options, b, a, 0), exact);
    CU_ASSERT_EQUAL(cut, exact >= options.threshold ? exact : 0);
}

ND_TEST("bounds and similarity") {
    static draft a;
    static draft b;
    nd_random random = nd_test_random("bounds");
    for (int trial = 0; trial < 300; trial++) {
        uint64_t names[2][MOST_SENTENCES];
        const uint32_t count = (uint32_t)nd_random_below(&random, MOST_SENTENCES + 1);
        const uint64_t changes = nd_random_below(&random, 8);
        for (uint32_t i = 0; i < count; i++) {
            names[0][i] = nd_random_below(&random, 40);
            names[1][i] =
                nd_random_below(&random, 8) < changes ? nd_random_below(&random, 40) : names[0][i];
        }
        write_draft(&a, names[0], count);
        write_draft(&b, names[1], count - (uint32_t)nd_random_below(&random, count / 4 + 1));
        for (size_t i = 0; nd_method_row(i) != NULL; i++) {
            check_pair(nd_method_row(i), &a, &b);
        }
    }
}

/* Equal pages get equal keys, pages with no sentence in common share none. */
ND_TEST("keys") {
    static draft page;
    static draft copy;
    static draft other;
    uint64_t names[3][MOST_SENTENCES];
    for (uint64_t i = 0; i < MOST_SENTENCES; i++) {
        names[0][i] = i;
        names[1][i] = i;
        names[2][i] = 1000 + i;
    }
    write_draft(&page, names[0], MOST_SENTENCES);
    write_draft(&copy, names[1], MOST_SENTENCES);
    write_draft(&other, names[2], MOST_SENTENCES);
    for (size_t i = 0; nd_method_row(i) != NULL; i++) {
        const nd_method *method = nd_method_row(i);
        const nd_method_options options = nd_test_options(method);
        const size_t room = method->sizes(&options, 0).keys;
        ND_FREED uint64_t *keys = nd_alloc_zero(3 * room, sizeof *keys);
        const size_t count = sign(method, &options, &page, keys);
        CU_ASSERT(count > 0);
        CU_ASSERT_EQUAL(sign(method, &options, &copy, keys + room), count);
        CU_ASSERT_EQUAL(memcmp(keys, keys + room, count * sizeof *keys), 0);
        const size_t other_count = sign(method, &options, &other, keys + 2 * room);
        CU_ASSERT_EQUAL(shared_keys(keys, count, keys + 2 * room, other_count), 0);
    }
}

/* Sentences below --sentence-tokens are no features, unless the page has too few others. */
ND_TEST("short sentences") {
    static draft page;
    static draft without;
    uint64_t names[MOST_SENTENCES];
    uint64_t long_ones[MOST_SENTENCES];
    uint32_t kept = 0;
    uint64_t keys[2][ND_FINGERPRINT_MAX_BUCKETS];
    nd_method_options options = nd_method_default_options();
    const nd_method *lcs = nd_method_find("lcs");
    options.chunk_sentences = 0; /* sentences alone */
    options.sentence_tokens = 5;
    for (uint64_t i = 0; i < MOST_SENTENCES; i++) {
        names[i] = i;
        if (1 + nd_mix64(i) % SENTENCE_TOKENS >= options.sentence_tokens) {
            long_ones[kept++] = i;
        }
    }
    CU_ASSERT(kept > options.fingerprint.smallest && kept < MOST_SENTENCES);
    write_draft(&page, names, MOST_SENTENCES);
    write_draft(&without, long_ones, kept);
    const size_t count = sign(lcs, &options, &page, keys[0]);
    CU_ASSERT_EQUAL(sign(lcs, &options, &without, keys[1]), count);
    CU_ASSERT_EQUAL(memcmp(keys[0], keys[1], count * sizeof keys[0][0]), 0);
    options.sentence_tokens = 1;
    CU_ASSERT(shared_keys(keys[0], count, keys[1], sign(lcs, &options, &page, keys[1])) < count);
    options.sentence_tokens = SENTENCE_TOKENS + 1; /* none is long enough: those of 3 are taken */
    const size_t all = sign(lcs, &options, &page, keys[0]);
    options.sentence_tokens = 3;
    CU_ASSERT_EQUAL(sign(lcs, &options, &page, keys[1]), all);
    CU_ASSERT(all > 0 && memcmp(keys[0], keys[1], all * sizeof keys[0][0]) == 0);
}

/* Signed by the sentences of at least --sentence-tokens; where these are fewer than buckets, by
 * those of 3 tokens; where these are too few as well, by all. */
ND_TEST("ladder of sentence lengths") {
    static draft page;
    static draft part;
    uint64_t names[MOST_SENTENCES];
    uint64_t picked[MOST_SENTENCES];
    uint64_t keys[2][ND_FINGERPRINT_MAX_BUCKETS];
    nd_random random = nd_test_random("ladder");
    nd_method_options options = nd_method_default_options();
    const nd_method *lcs = nd_method_find("lcs");
    options.chunk_sentences = 0; /* sentences alone */
    unsigned rungs[3] = {0};
    for (int trial = 0; trial < 500; trial++) {
        const uint32_t count = (uint32_t)nd_random_below(&random, MOST_SENTENCES + 1);
        uint32_t least = 8;
        uint32_t kept = 0;
        for (uint32_t i = 0; i < count; i++) {
            names[i] = nd_random_next(&random);
        }
        options.sentence_tokens = least;
        options.fingerprint.buckets = 1 + (uint32_t)nd_random_below(&random, 20);
        for (unsigned rung = 0; rung < 3; rung++) {
            least = rung == 0 ? 8 : rung == 1 ? 3 : 1;
            kept = 0;
            for (uint32_t i = 0; i < count; i++) {
                if (1 + nd_mix64(names[i]) % SENTENCE_TOKENS >= least) {
                    picked[kept++] = names[i];
                }
            }
            if (kept >= options.fingerprint.buckets || rung == 2) {
                rungs[rung]++;
                break;
            }
        }
        write_draft(&page, names, count);
        const size_t found = sign(lcs, &options, &page, keys[0]);
        write_draft(&part, picked, kept);
        options.sentence_tokens = 1;
        CU_ASSERT_EQUAL(sign(lcs, &options, &part, keys[1]), found);
        CU_ASSERT(found == 0 || memcmp(keys[0], keys[1], found * sizeof keys[0][0]) == 0);
    }
    CU_ASSERT(rungs[0] > 0 && rungs[1] > 0 && rungs[2] > 0);
}

/* A --sentence-tokens below the middle rung has no middle rung: shorter sentences come in only
 * where all are needed. */
ND_TEST("ladder without a middle rung") {
    static draft page;
    static draft part;
    uint64_t names[MOST_SENTENCES];
    uint64_t picked[MOST_SENTENCES];
    uint64_t keys[2][ND_FINGERPRINT_MAX_BUCKETS];
    uint32_t kept = 0;
    nd_method_options options = nd_method_default_options();
    const nd_method *lcs = nd_method_find("lcs");
    options.chunk_sentences = 0; /* sentences alone */
    for (uint64_t i = 0; i < MOST_SENTENCES; i++) {
        names[i] = i;
        if (1 + nd_mix64(i) % SENTENCE_TOKENS >= 2) {
            picked[kept++] = i;
        }
    }
    CU_ASSERT(kept > options.fingerprint.buckets && kept < MOST_SENTENCES);
    write_draft(&page, names, MOST_SENTENCES);
    write_draft(&part, picked, kept);
    options.sentence_tokens = 2;
    const size_t found = sign(lcs, &options, &page, keys[0]);
    options.sentence_tokens = 1;
    CU_ASSERT_EQUAL(sign(lcs, &options, &part, keys[1]), found);
    CU_ASSERT_EQUAL(memcmp(keys[0], keys[1], found * sizeof keys[0][0]), 0);
}

/* Every seed gives other keys, the same for equal pages; near-duplicates share them under any. */
ND_TEST("seed") {
    static draft page;
    static draft copy;
    uint64_t names[2][MOST_SENTENCES];
    uint64_t keys[4][ND_FINGERPRINT_MAX_BUCKETS];
    uint64_t shared = 0;
    nd_method_options options = nd_method_default_options();
    const nd_method *lcs = nd_method_find("lcs");
    options.chunk_sentences = 0; /* sentences alone */
    options.sentence_tokens = 1;
    for (uint64_t i = 0; i < MOST_SENTENCES; i++) {
        names[0][i] = i;
        names[1][i] = i == 7 ? 1000 : i; /* one sentence is another */
    }
    write_draft(&page, names[0], MOST_SENTENCES);
    write_draft(&copy, names[1], MOST_SENTENCES);
    CU_ASSERT_EQUAL(options.seed, 0);
    size_t latest = sign(lcs, &options, &page, keys[0]); /* those of the seed before */
    for (options.seed = 1; options.seed <= 20; options.seed++) {
        const size_t count = sign(lcs, &options, &page, keys[1]);
        CU_ASSERT_EQUAL(shared_keys(keys[0], latest, keys[1], count), 0);
        CU_ASSERT_EQUAL(sign(lcs, &options, &page, keys[2]), count);
        CU_ASSERT_EQUAL(memcmp(keys[1], keys[2], count * sizeof keys[1][0]), 0);
        const size_t copied = sign(lcs, &options, &copy, keys[3]);
        shared = shared_keys(keys[1], count, keys[3], copied);
        CU_ASSERT(shared + 2 >= count); /* a sentence is in one bucket */
        memcpy(keys[0], keys[1], sizeof keys[0]);
        latest = count;
    }
}

ND_TEST("threshold") {
    nd_method_options o = nd_method_default_options();
    o.threshold = 0.5;
    o.site_extra = 0.25;
    const uint32_t site = ND_PAIR_MAY_BE_SAME_SITE;
    CU_ASSERT_EQUAL(nd_method_threshold(&o, ND_PAIR_INDEX), 0.5);
    CU_ASSERT_EQUAL(nd_method_threshold(&o, site | ND_PAIR_INDEX), 0.75);
    CU_ASSERT_EQUAL(nd_method_threshold(&o, ND_PAIR_TEXTS), 0.5); /* of no site: as of two */
    CU_ASSERT_EQUAL(nd_method_least_threshold(&o), 0.5);
    o.site_extra = 0.125; /* three times so much where addresses name different things */
    CU_ASSERT_EQUAL(nd_method_threshold(&o, site), 0.625);
    CU_ASSERT_EQUAL(nd_method_threshold(&o, site | ND_PAIR_OTHER_SUBJECT), 0.875);
    CU_ASSERT_EQUAL(nd_method_threshold(&o, ND_PAIR_OTHER_SUBJECT), 0.625); /* once on two sites */
    CU_ASSERT_EQUAL(nd_method_threshold(&o, ND_PAIR_COMMON), 0.875); /* and of two sites here */
    CU_ASSERT_EQUAL(nd_method_leader_threshold(&o, site | ND_PAIR_OTHER_SUBJECT), 0.625);
    CU_ASSERT_EQUAL(nd_method_leader_threshold(&o, ND_PAIR_OTHER_SUBJECT), 0.5);
    o.threshold = 0.875; /* never above 1: equal pages are always similar */
    o.site_extra = 0.25;
    CU_ASSERT_EQUAL(nd_method_threshold(&o, site), 1);
    CU_ASSERT_EQUAL(nd_method_threshold(&o, site | ND_PAIR_OTHER_SUBJECT), 1);
    o.site_threshold = 0.25; /* in the place of the threshold, on one site */
    CU_ASSERT_EQUAL(nd_method_threshold(&o, site), 0.5);
    CU_ASSERT_EQUAL(nd_method_threshold(&o, 0), 0.875);
    CU_ASSERT_EQUAL(nd_method_least_threshold(&o), 0.5);
    o = nd_method_paper_options(); /* the paper asks pages of one site as all others */
    CU_ASSERT_EQUAL(nd_method_threshold(&o, site | ND_PAIR_OTHER_SUBJECT), o.threshold);
}

/* What is known of two pages by their sites, what their addresses name, and what they are. */
ND_TEST("relation") {
    enum { MAY_BE = ND_PAIR_MAY_BE_SAME_SITE, OTHER = ND_PAIR_OTHER_SUBJECT };
    static const struct {
        nd_origin a, b;
        uint32_t relation;
    } cases[] = {
        {{1, 5, false}, {2, 6, false}, OTHER},
        {{1, 5, false}, {2, 5, false}, 0},
        {{1, 5, false}, {1, 6, false}, MAY_BE | OTHER},
        {{1, 5, false}, {1, 5, false}, MAY_BE},
        {{1, 5, false}, {1, 0, false}, MAY_BE}, /* one of them names nothing */
        {{1, 0, false}, {1, 0, false}, MAY_BE},
        {{0, 5, false}, {0, 6, false}, MAY_BE}, /* of no site: they may be of two */
        {{0, 5, false}, {1, 6, false}, MAY_BE},
        {{0, 0, true}, {0, 0, true}, ND_PAIR_TEXTS},
        {{0, 0, true}, {1, 0, true}, ND_PAIR_TEXTS},
        {{0, 0, true}, {0, 0, false}, MAY_BE},
        {{1, 0, true}, {1, 0, true}, MAY_BE}, /* one site: its template is known */
        {{1, 0, true}, {2, 0, true}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CU_ASSERT_EQUAL(nd_method_relation(cases[i].a, cases[i].b), cases[i].relation);
        CU_ASSERT_EQUAL(nd_method_relation(cases[i].b, cases[i].a), cases[i].relation);
    }
}

/* A text of 100 tokens, and another that has the first `same` of its tokens, but for every
 * `each`-th; 0: all of these. */
static void write_texts(draft *whole, draft *other, uint32_t same, uint32_t each) {
    for (uint32_t i = 0; i < 100; i++) {
        const bool exchanged = i >= same || (each > 0 && i % each == each - 1);
        whole->tokens[i] = (uint32_t)nd_mix64(i + 1);
        other->tokens[i] = (uint32_t)nd_mix64(exchanged ? 1001 + i : i + 1);
    }
}

/* Two texts of which nobody knows where they come from are similar by what they have in order,
 * where words are exchanged all over; by less than that where a passage is, or where one is longer;
 * but a part is similar to the whole as it is on two sites. */
ND_TEST("rewritten texts") {
    static const struct {
        uint32_t same, each;
        size_t tokens;                                          /* of the other */
        double left;                                            /* 0: all of it */
    } cases[] = {{100, 5, 100, 0},                              /* every fifth word another */
                 {80, 0, 100, 1 - 1.25 * (1 - 80. / 120)},      /* a passage of a fifth */
                 {70, 0, 80, 1 - 1.25 * (1 - 70. / 110) - .2},  /* the same, and shorter */
                 {100, 0, 80, 0},                               /* a part */
                 {79, 0, 80, 1 - 1.25 * (1 - 79. / 101) - .2}}; /* that has another word */
    static draft whole, other;
    const nd_method *lcs = nd_method_find("lcs");
    nd_method_options o;
    ND_OWNED(nd_method_work_free) nd_method_work work = {0};
    ND_TEST_OK(nd_method_own_options(lcs, &o));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_texts(&whole, &other, cases[i].same, cases[i].each);
        const nd_span a = {(const uint8_t *)whole.tokens, 100 * sizeof(uint32_t)};
        const nd_span b = {(const uint8_t *)other.tokens, cases[i].tokens * sizeof(uint32_t)};
        double plain = 0, similarity = 0;
        nd_method_discount off;
        nd_method_compare(lcs, &o, &work, a, b, 0, .2, &plain);
        nd_method_compare(lcs, &o, &work, b, a, ND_PAIR_TEXTS, .2, &similarity);
        CU_ASSERT_DOUBLE_EQUAL(similarity, cases[i].left > 0 ? cases[i].left : plain, 1e-12);
        nd_method_compare(lcs, &o, &work, a, b, ND_PAIR_TEXTS, plain + .01, &similarity);
        CU_ASSERT_EQUAL(similarity, 0);
        o.site_extra = 0; /* nothing is asked then */
        nd_method_penalties(lcs, &o, &work, a, b, ND_PAIR_TEXTS, plain, &off);
        CU_ASSERT(off.rewritten == 0 && off.asks_names && off.repeats == 0);
        o.site_extra = .1;
    }
}

/* Of pages that differ in a name, which one of them says three times in 100 tokens: the texts reach
 * a threshold that what names leave does not. */
ND_TEST("names of members") {
    enum { TOKENS = 100 };
    uint32_t tokens[2][TOKENS];
    const nd_method *lcs = nd_method_find("lcs");
    nd_method_options o = nd_method_default_options();
    ND_OWNED(nd_method_work_free) nd_method_work work = {0};
    double pair = -1, member = -1;
    o.names = 2.5; /* a fourth of it a time: .5 */
    o.score = nd_score_find("r");
    for (uint32_t i = 0; i < TOKENS; i++) {
        tokens[0][i] = i;
        tokens[1][i] = i == 2 || i == 60 || i == 90 ? 1000 : i;
    }
    const nd_span a = {(const uint8_t *)tokens[0], sizeof tokens[0]};
    const nd_span b = {(const uint8_t *)tokens[1], sizeof tokens[1]};
    const double r = 97.0 / 103;
    for (double threshold = .4; threshold < 1; threshold += .1) {
        nd_method_compare(lcs, &o, &work, a, b, 0, threshold, &pair);
        nd_method_compare_member(lcs, &o, &work, a, b, 0, threshold, &member);
        CU_ASSERT_DOUBLE_EQUAL(pair, r - .5 >= threshold ? r - .5 : 0, 1e-12);
        CU_ASSERT_DOUBLE_EQUAL(member, r >= threshold ? r - .5 : 0, 1e-12);
    }
    o.names = 25; /* more than there is */
    nd_method_compare(lcs, &o, &work, a, b, 0, .1, &pair);
    nd_method_compare_member(lcs, &o, &work, a, b, 0, .1, &member);
    CU_ASSERT(pair == 0 && member > 0 && member < .01);
    nd_method_compare(lcs, &o, &work, a, a, 0, 1, &pair);
    nd_method_compare_member(lcs, &o, &work, a, a, 0, 1, &member);
    CU_ASSERT(pair == 1 && member == 1);
}

ND_TEST("index pages") {
    nd_method_options o = nd_method_default_options();
    CU_ASSERT(nd_method_is_index(&o, 59, 41) && nd_method_is_index(&o, 0, 1));
    CU_ASSERT(!nd_method_is_index(&o, 60, 40) && !nd_method_is_index(&o, 0, 0));
    o.lists = false;
    CU_ASSERT(!nd_method_is_index(&o, 0, 1));
    o.lists = true;
    nd_method_set_defaults(nd_method_find("broder"), &o);
    CU_ASSERT(!nd_method_is_index(&o, 0, 1));
}

/* A page of many sentences, with an edit in every one of them: no sentence is left that both have,
 * but chunks are. */
ND_TEST("chunks") {
    enum { SENTENCES = 54, LENGTH = 10 };
    static draft page;
    static draft edited;
    uint64_t keys[2][2 * ND_FINGERPRINT_MAX_BUCKETS];
    nd_method_options options = nd_method_default_options();
    const nd_method *lcs = nd_method_find("lcs");
    for (uint32_t i = 0; i < SENTENCES * LENGTH; i++) {
        page.tokens[i] = (uint32_t)nd_mix64(i + 1);
        edited.tokens[i] = i % LENGTH == LENGTH / 2 ? i : page.tokens[i];
    }
    for (uint32_t i = 0; i < SENTENCES; i++) {
        page.sentences[i] = (nd_sentence_digest){.digest = {{(uint8_t)i}}, .token_count = LENGTH};
        edited.sentences[i] =
            (nd_sentence_digest){.digest = {{(uint8_t)(i + 100)}}, .token_count = LENGTH};
    }
    page.document =
        (nd_document){page.tokens, SENTENCES * LENGTH, page.sentences, SENTENCES, .origin = {0}};
    edited.document = (nd_document){edited.tokens, SENTENCES * LENGTH, edited.sentences, SENTENCES,
                                    .origin = {0}};
    const size_t with = sign(lcs, &options, &page, keys[0]);
    CU_ASSERT(shared_keys(keys[0], with, keys[1], sign(lcs, &options, &edited, keys[1])) > 0);
    options.chunk_sentences = SENTENCES; /* it has as many: no chunks */
    const size_t without = sign(lcs, &options, &page, keys[0]);
    CU_ASSERT(without < with);
    CU_ASSERT_EQUAL(shared_keys(keys[0], without, keys[1], sign(lcs, &options, &edited, keys[1])),
                    0);
}

/* A chunk ends where its sentence does: in another order the same sentences make the same keys. */
ND_TEST("order of sentences") {
    enum { SENTENCES = 4 };
    static draft page;
    static draft turned;
    uint64_t names[2][SENTENCES];
    uint64_t keys[2][2 * ND_FINGERPRINT_MAX_BUCKETS];
    const nd_method *lcs = nd_method_find("lcs");
    nd_method_options options = nd_method_default_options();
    options.chunk_sentences = SENTENCES + 1;
    for (uint64_t i = 0; i < SENTENCES; i++) {
        names[0][i] = names[1][SENTENCES - 1 - i] = i + 1;
    }
    write_draft(&page, names[0], SENTENCES);
    write_draft(&turned, names[1], SENTENCES);
    const size_t count = sign(lcs, &options, &page, keys[0]);
    CU_ASSERT_EQUAL(sign(lcs, &options, &turned, keys[1]), count);
    CU_ASSERT(count > 0 && memcmp(keys[0], keys[1], count * sizeof keys[0][0]) == 0);
    options.chunk_sentences = 0; /* some of these keys are of chunks */
    CU_ASSERT(sign(lcs, &options, &page, keys[1]) < count);
}

/* A word before every sixth of a page's words takes nothing off, unless addresses say that it is a
 * name. */
ND_TEST("inserted words") {
    static draft page, copy;
    const nd_method *lcs = nd_method_find("lcs");
    nd_method_options o;
    ND_OWNED(nd_method_work_free) nd_method_work work = {0};
    size_t n = 0;
    ND_TEST_OK(nd_method_own_options(lcs, &o));
    for (uint32_t i = 0; i < 240; i++) {
        page.tokens[i] = (uint32_t)nd_mix64(i + 1);
        if (i % 6 == 0) {
            copy.tokens[n++] = 77;
        }
        copy.tokens[n++] = page.tokens[i];
    }
    const nd_span a = {(const uint8_t *)page.tokens, 240 * sizeof(uint32_t)};
    const nd_span b = {(const uint8_t *)copy.tokens, n * sizeof(uint32_t)};
    for (int turn = 0; turn < 2; turn++) {
        const uint32_t pair = turn == 0 ? ND_PAIR_MAY_BE_SAME_SITE : ND_PAIR_OTHER_SUBJECT;
        double similarity = 0;
        nd_method_compare(lcs, &o, &work, b, a, pair, .46, &similarity);
        CU_ASSERT((similarity > .5) == (turn == 0));
    }
}

/* ---- What a method makes of two pages: keys, similarity, and the rule after the threshold. */

enum { MOST_TOKENS = 1600, MOST_KEYS = 64 };
typedef struct text {
    uint32_t tokens[MOST_TOKENS];
    nd_sentence_digest sentence;
    nd_document document;
} text;

/* One sentence: a window on a long text without repetition. */
static void write_window(text *t, uint32_t first, uint32_t count, uint64_t site) {
    for (uint32_t i = 0; i < count; i++) {
        t->tokens[i] = (uint32_t)nd_mix64(first + i + 1);
    }
    const nd_span bytes = {(const uint8_t *)t->tokens, count * sizeof t->tokens[0]};
    nd_md5_batch(&bytes, 1, &t->sentence.digest);
    t->sentence.token_count = count;
    t->document = (nd_document){
        t->tokens, count, &t->sentence, 1, nd_test_hash(t->tokens, count), {.site = site}};
}

static nd_method_decision compare_pages(const char *method, const nd_method_options *options,
                                        const text *a, const text *b, bool index_page) {
    nd_method_decision decision;
    nd_method_decide(nd_method_find(method), options, &a->document, &b->document, index_page,
                     &decision);
    return decision;
}

static nd_method_decision compare(const char *method, const nd_method_options *options,
                                  const text *a, const text *b) {
    return compare_pages(method, options, a, b, false);
}

static nd_method_options own(const char *method) {
    nd_method_options options;
    ND_TEST_OK(nd_method_own_options(nd_method_find(method), &options));
    return options;
}

ND_TEST("equal and different pages") {
    static text a, b;
    for (size_t i = 0; nd_method_row(i) != NULL; i++) {
        const nd_method *method = nd_method_row(i);
        const nd_method_options options = own(method->name);
        write_window(&a, 0, 400, 1);
        write_window(&b, 0, 400, 2);
        nd_method_decision v = compare(method->name, &options, &a, &b);
        CU_ASSERT(v.similar && v.similarity == 1 && !v.same_site);
        CU_ASSERT(v.a_keys > 0 && v.a_keys == v.b_keys && v.shared_keys == v.a_keys);
        for (size_t k = 1; k < v.shared_keys; k++) {
            CU_ASSERT(v.shared[k - 1] < v.shared[k]);
        }
        nd_method_decision_free(&v);
        write_window(&b, 9000, 300, 2);
        v = compare(method->name, &options, &a, &b);
        CU_ASSERT(!v.similar && v.similarity < 1 && v.shared_keys == 0);
        nd_method_decision_free(&v);
    }
}

/* Keys that both pages have, one by one. */
static size_t count_shared(const nd_method_options *options, const text *a, const text *b) {
    uint64_t keys[2][MOST_KEYS];
    const nd_method *method = nd_method_find("lsh");
    size_t shared = 0;
    CU_ASSERT_FATAL(method->sizes(options, 0).keys <= MOST_KEYS);
    const size_t of_a = nd_test_sign(method, options, &a->document, keys[0]);
    const size_t of_b = nd_test_sign(method, options, &b->document, keys[1]);
    for (size_t i = 0; i < of_a * of_b; i++) {
        shared += keys[0][i / of_b] == keys[1][i % of_b];
    }
    return shared;
}

ND_TEST("some keys") {
    static text a, b;
    const nd_method_options options = own("lsh");
    write_window(&a, 0, 400, 1);
    write_window(&b, 20, 400, 1);
    nd_method_decision v = compare("lsh", &options, &a, &b);
    CU_ASSERT_DOUBLE_EQUAL(v.similarity, 376.0 / 416, 1e-12); /* shingles of 5 tokens */
    CU_ASSERT(v.shared_keys > 0 && v.shared_keys < v.a_keys && v.a_keys == 25);
    CU_ASSERT_EQUAL(v.shared_keys, count_shared(&options, &a, &b));
    nd_method_decision_free(&v);
    CU_ASSERT(v.shared == NULL);
}

/* Pages of two sites, where 0 is none; 3 in 4 of the tokens are common, in one piece. */
static void check_rule(const nd_method_options *options, uint64_t site_a, uint64_t site_b,
                       nd_threshold_rule rule, double threshold) {
    static text a, b;
    write_window(&a, 0, 600, site_a);
    write_window(&b, 150, 600, site_b);
    ND_OWNED(nd_method_decision_free) nd_method_decision v = compare("lcs", options, &a, &b);
    CU_ASSERT_EQUAL(v.rule, rule);
    CU_ASSERT_DOUBLE_EQUAL(v.threshold, threshold, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(v.similarity, (450. / 750 + 446. / 746) / 2, 1e-12);
    CU_ASSERT(v.similar == (v.similarity >= v.threshold));
    CU_ASSERT(v.same_site == (site_a == site_b && site_a != 0));
    CU_ASSERT(v.may_be_same_site == (v.same_site || site_a == 0 || site_b == 0));
}

ND_TEST("rules of the threshold") {
    nd_method_options options = own("lcs");
    check_rule(&options, 1, 2, ND_RULE_PLAIN, .46);
    check_rule(&options, 1, 1, ND_RULE_SITE, .56);
    options.site_extra = .15; /* pages of no site meet the stricter threshold */
    check_rule(&options, 1, 2, ND_RULE_PLAIN, .46);
    check_rule(&options, 1, 1, ND_RULE_SITE, .61);
    check_rule(&options, 0, 0, ND_RULE_SITE, .61);
    check_rule(&options, 0, 1, ND_RULE_SITE, .61);
    check_rule(&options, 1, 0, ND_RULE_SITE, .61);
    options.site_extra = 0;
    check_rule(&options, 1, 1, ND_RULE_PLAIN, .46);
    options.site_threshold = .3;
    check_rule(&options, 1, 1, ND_RULE_SITE, .3);
    check_rule(&options, 1, 2, ND_RULE_PLAIN, .46);
}

/* Addresses that name different things raise the threshold further, on one site alone. */
ND_TEST("subjects") {
    static const struct {
        nd_origin a, b;
        nd_threshold_rule rule;
        double threshold;
    } cases[] = {{{1, 5, false}, {1, 6, false}, ND_RULE_SUBJECT, .76},
                 {{1, 5, false}, {1, 5, false}, ND_RULE_SITE, .56},
                 {{1, 5, false}, {1, 0, false}, ND_RULE_SITE, .56},
                 {{1, 5, false}, {2, 6, false}, ND_RULE_SUBJECT, .56},
                 {{1, 5, false}, {2, 5, false}, ND_RULE_PLAIN, .46}};
    static text a, b;
    const nd_method_options options = own("lcs");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_window(&a, 0, 600, 0);
        write_window(&b, 150, 600, 0);
        a.document.origin = cases[i].a;
        b.document.origin = cases[i].b;
        ND_OWNED(nd_method_decision_free) nd_method_decision v = compare("lcs", &options, &a, &b);
        CU_ASSERT_EQUAL(v.rule, cases[i].rule);
        CU_ASSERT_DOUBLE_EQUAL(v.threshold, cases[i].threshold, 1e-12);
        CU_ASSERT(v.similar == (cases[i].threshold < .7));
    }
}

/* Two texts of no site meet the threshold of two sites. What only one has is taken off, unless it
 * has all of the other; of pages of HTML nothing is. */
ND_TEST("longer texts") {
    static text a, b;
    const nd_method_options options = own("lcs");
    for (uint32_t kinds = 0; kinds < 8; kinds++) {
        const bool texts = (kinds & 3) == 3;
        const bool part = kinds >= 4;
        write_window(&a, 0, 600, 0);
        write_window(&b, part ? 0 : 150, part ? 450 : 600, 0);
        a.document.origin.text = (kinds & 1) != 0;
        b.document.origin.text = (kinds & 2) != 0;
        ND_OWNED(nd_method_decision_free) nd_method_decision v = compare("lcs", &options, &a, &b);
        const double score = part ? (450. / 600 + 446. / 596) / 2 : (450. / 750 + 446. / 746) / 2;
        CU_ASSERT_DOUBLE_EQUAL(v.threshold, texts ? .46 : .56, 1e-12);
        CU_ASSERT_DOUBLE_EQUAL(v.score, score, 1e-12);
        CU_ASSERT_DOUBLE_EQUAL(v.similarity, texts && !part ? 1 - 1.25 * .4 : score, 1e-12);
        CU_ASSERT_DOUBLE_EQUAL(v.off.rewritten, v.score - v.similarity, 1e-12);
        CU_ASSERT(v.may_be_same_site && !v.same_site);
    }
}

/* A name that stands in one page's beginning and again in it is taken off, once for each time. */
ND_TEST("names") {
    static text a, b;
    nd_method_options options = own("lcs");
    double plain = 0;
    for (uint32_t times = 0; times <= 3; times++) {
        write_window(&a, 0, 400, 1);
        write_window(&b, 0, 400, 2);
        for (uint32_t i = 0; i < 4; i++) { /* four other words, of which some are one */
            b.tokens[i == 0 ? 2 : 390 + 2 * i] = i <= times ? 77 : 78 + i;
        }
        ND_OWNED(nd_method_decision_free) nd_method_decision v = compare("lcs", &options, &a, &b);
        CU_ASSERT(v.off.asks_names && v.off.repeats == times);
        CU_ASSERT_DOUBLE_EQUAL(v.off.names, 2. * times / 20, 1e-12);
        plain = times == 0 ? v.similarity : plain;
        CU_ASSERT_DOUBLE_EQUAL(v.similarity, plain - v.off.names, 1e-12);
        CU_ASSERT(v.similar == (v.similarity >= .46));
    }
    CU_ASSERT(plain > .9);
    options.names = 0;
    ND_OWNED(nd_method_decision_free) nd_method_decision v = compare("lcs", &options, &a, &b);
    CU_ASSERT(!v.off.asks_names && v.off.names == 0 && v.similarity == plain);
}

/* Two windows on one list, on one site or two, of index pages or of others. */
static nd_method_decision compare_windows(uint32_t moved, uint64_t site, bool index) {
    static text a, b;
    const nd_method_options options = own("lcs");
    write_window(&a, 0, 400, 1);
    write_window(&b, moved, 400, site);
    ND_OWNED(nd_method_decision_free)
    nd_method_decision v = compare_pages("lcs", &options, &a, &b, index);
    const nd_method_decision plain = {
        .similarity = v.similarity, .threshold = v.threshold, .rule = v.rule, .similar = v.similar};
    return plain;
}

ND_TEST("windows on one list") {
    nd_method_decision v = compare_windows(60, 1, true);
    CU_ASSERT(v.rule == ND_RULE_PAGINATION && v.threshold == 1 && !v.similar);
    CU_ASSERT(v.similarity > .7 && v.similarity < .8);
    v = compare_windows(60, 1, false);
    CU_ASSERT(v.rule == ND_RULE_SITE && v.similar);
    v = compare_windows(60, 2, true);
    CU_ASSERT(v.rule == ND_RULE_PLAIN && v.similar);
    v = compare_windows(0, 1, true);
    CU_ASSERT(v.rule == ND_RULE_SITE && v.similarity == 1 && v.similar);
}

ND_TEST("pages without text") {
    static text a, b;
    write_window(&a, 0, 0, 1);
    write_window(&b, 0, 300, 1);
    a.document.sentence_count = 0;
    for (size_t i = 0; nd_method_row(i) != NULL; i++) {
        const nd_method_options options = own(nd_method_row(i)->name);
        nd_method_decision v = compare(nd_method_row(i)->name, &options, &a, &b);
        CU_ASSERT(!v.similar && v.shared_keys == 0);
        nd_method_decision_free(&v);
        v = compare(nd_method_row(i)->name, &options, &a, &a);
        CU_ASSERT(!v.similar && v.shared_keys == 0);
        nd_method_decision_free(&v);
    }
}

/* ---- How sure a member is: never less for what speaks for it, never quite, the same on any
 * machine; known for the default's score alone. */

/* Each fact grows by itself from here, beside any of the others. */
static const uint64_t lengths[] = {0, 1, 2, 3, 8, 100, 1023, 1024, 1 << 20, UINT64_MAX};
static const uint64_t names_certainty[] = {1, 2, 3, 9, 255, 256, 257, 1 << 30, UINT64_MAX};
static const uint64_t crowds[] = {0, 1, 4999, 10000};
enum {
    STEPS = 64,
    LENGTHS = sizeof lengths / sizeof lengths[0],
    NAMES = sizeof names_certainty / sizeof names_certainty[0],
    CROWDS = sizeof crowds / sizeof crowds[0]
};

static float at(int step, size_t length, size_t name, size_t crowd, bool same_site) {
    const nd_member_facts facts = {.similarity = (float)step / (float)STEPS,
                                   .same_site = same_site,
                                   .html = true,
                                   .relation = ND_ADDRESS_OTHER,
                                   .tokens = lengths[length],
                                   .names = names_certainty[name],
                                   .sites = 1,
                                   .site_texts = 10000,
                                   .crowded = crowds[crowd]};
    return nd_certainty(&facts);
}

ND_TEST("never falls") {
    for (int i = 0; i <= STEPS; i++) {
        for (size_t l = 0; l < LENGTHS; l++) {
            for (size_t t = 0; t < NAMES; t++) {
                const float two = at(i, l, t, 0, false);
                CU_ASSERT_FATAL(two > 0 && two < 1);
                CU_ASSERT_FATAL(i == 0 || at(i - 1, l, t, 0, false) <= two);
                CU_ASSERT_FATAL(l == 0 || at(i, l - 1, t, 0, false) <= two);
                CU_ASSERT_FATAL(t == 0 || at(i, l, t - 1, 0, false) >= two);
                for (size_t c = 0; c < CROWDS; c++) {
                    const float one = at(i, l, t, c, true);
                    CU_ASSERT_FATAL(one > 0 && one < 1);
                    CU_ASSERT_FATAL(two == at(i, l, t, c, false));
                    CU_ASSERT_FATAL(i == 0 || at(i - 1, l, t, c, true) <= one);
                    CU_ASSERT_FATAL(c == 0 || at(i, l, t, c - 1, true) <= one);
                }
                CU_ASSERT_FATAL(at(i, l, t, 0, true) <= two);
            }
        }
    }
    CU_ASSERT(at(STEPS / 2, 5, 2, 0, true) < at(STEPS / 2, 5, 2, 3, true));
    nd_member_facts facts = {
        .similarity = .8F, .same_site = true, .html = true, .tokens = 300, .names = 2, .sites = 1};
    float before = 0;
    for (int relation = ND_ADDRESS_OTHER; relation <= ND_ADDRESS_VERSION; relation++) {
        facts.relation = (nd_address_relation)relation;
        CU_ASSERT(nd_certainty(&facts) > before);
        before = nd_certainty(&facts);
    }
    CU_ASSERT(at(STEPS / 2, 5, 1, 0, false) > at(STEPS / 2, 5, 2, 0, false));
    CU_ASSERT(at(STEPS / 2, 5, 2, 0, false) < at(STEPS / 2, 6, 2, 0, false));
}

/* Bits that were once computed: of both sites, at both ends, and between steps of the table. */
ND_TEST("the same bits") {
    static const struct {
        nd_member_facts facts;
        float certainty;
    } known[] = {{{0, true, true, ND_ADDRESS_OTHER, 0, 2, 1, 7, 2}, .0003F},
                 {{1, true, true, ND_ADDRESS_OTHER, 50, 2, 1, 100, 33}, .9401F},
                 {{.5F, true, true, ND_ADDRESS_VERSION, 200, 20, 3, 3, 3}, .9784F},
                 {{.7F, true, true, ND_ADDRESS_NAME, 300, 3, 2, 9, 8}, .9376F},
                 {{.95F, true, true, ND_ADDRESS_NAME, 300, 3, 2, 9, 8}, .9992F},
                 {{.46F, false, true, ND_ADDRESS_OTHER, 100, 2, 2, 1, 0}, .5409F},
                 {{.46F, false, false, ND_ADDRESS_OTHER, 100, 2, 2, 1, 0}, .8992F},
                 {{.8123F, false, true, ND_ADDRESS_OTHER, 77, 300, 9, 50, 4}, .0003F},
                 {{.9F, true, false, ND_ADDRESS_OTHER, 600, 2, 2, 0, 0}, .9976F},
                 {{1, false, true, ND_ADDRESS_OTHER, 5000, 2, 2, 2, 0}, .9990F},
                 {{.8F, true, true, ND_ADDRESS_ACROSS, 600, 2, 2, 9, 1}, .9875F}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        CU_ASSERT_EQUAL(nd_certainty(&known[i].facts), known[i].certainty);
    }
}

ND_TEST("of what it is known") {
    nd_method_options options;
    ND_TEST_OK(nd_method_own_options(nd_method_find("lcs"), &options));
    CU_ASSERT(nd_certainty_is_known(nd_method_find("lcs"), &options));
    options.score = nd_score_find("r");
    CU_ASSERT(!nd_certainty_is_known(nd_method_find("lcs"), &options));
    ND_TEST_OK(nd_method_own_options(nd_method_find("simhash"), &options));
    CU_ASSERT(!nd_certainty_is_known(nd_method_find("simhash"), &options));
    options = nd_method_default_options();
    options.verify = false;
    ND_TEST_OK(nd_method_derive(nd_method_find("lcs"), &options));
    CU_ASSERT(!nd_certainty_is_known(nd_method_find("lcs"), &options));
}
