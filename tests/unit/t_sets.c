/* From pairs to sets, and the templates of sites. */
#include "src/sets/candidates.h"
#include "src/sets/forest.h"
#include "src/sets/leaders.h"
#include "src/sets/template.h"
#include "tests/support/check.h"

/* ---- Postings, and candidate pairs in groups: the runs of a group give what the uncut group
 * gives. */

ND_TEST("postings") {
    const uint64_t page = (UINT64_C(1) << ND_POSTING_PAGE_BITS) - 1;
    const uint64_t value = nd_posting_value(page, 77);
    CU_ASSERT_EQUAL(nd_posting_page(value), page);
    CU_ASSERT_EQUAL(nd_posting_length(value), 77);
    CU_ASSERT_EQUAL(nd_posting_length(nd_posting_value(3, 0)), 0);
    CU_ASSERT_EQUAL(nd_posting_page(nd_posting_value(3, UINT64_MAX)), 3);
    CU_ASSERT_EQUAL(nd_posting_length(nd_posting_value(3, UINT64_MAX)), (1 << 24) - 1);
    /* by length, then page */
    CU_ASSERT(nd_posting_value(9, 1) < nd_posting_value(0, 2));
    CU_ASSERT(nd_posting_value(8, 2) < nd_posting_value(9, 2));
}

/* seen[i]: bit d - 1 is set for the pair (i, i + d); d goes up to 15 at most. */
static void pairs_of_piece(uint32_t *seen, uint64_t group, uint64_t begin, uint64_t piece,
                           uint64_t leads) {
    for (uint64_t i = 0; i < leads; i++) {
        for (uint64_t k = i + 1; k < nd_group_partner_end(ND_GROUP_ALL_PAIRS, group, piece, i);
             k++) {
            const uint32_t bit = UINT32_C(1) << (k - i - 1);
            CU_ASSERT(k - i <= 16 && k < piece);
            CU_ASSERT_EQUAL(seen[begin + i] & bit, 0); /* at most once */
            seen[begin + i] |= bit;
        }
    }
}

/* All pairs of a small group, the eight next of a large one: worked out apart from the code. */
static uint32_t wanted(uint64_t group, uint64_t i) {
    const uint64_t after = group - i - 1;
    const uint64_t most = group <= 16 ? after : 8;
    return (UINT32_C(1) << (after < most ? after : most)) - 1;
}

static void check_group(uint64_t group) {
    ND_FREED uint32_t *seen = calloc(group, sizeof *seen);
    uint64_t led = 0;
    CU_ASSERT_PTR_NOT_NULL_FATAL(seen);
    for (uint64_t run = 0; run < nd_group_runs(group); run++) {
        const nd_group_run at = nd_group_run_at(group, run);
        CU_ASSERT(at.begin == led && at.leads > 0 && at.leads <= ND_GROUP_RUN);
        CU_ASSERT(at.end <= group && at.begin + at.leads <= at.end);
        pairs_of_piece(seen, group, at.begin, at.end - at.begin, at.leads);
        led += at.leads;
    }
    CU_ASSERT_EQUAL(led, group);
    for (uint64_t i = 0; i < group; i++) {
        CU_ASSERT_EQUAL(seen[i], wanted(group, i));
    }
}

ND_TEST("runs of groups") {
    nd_random random = nd_test_random("group sizes");
    for (uint64_t group = 2; group <= 64; group++) {
        CU_ASSERT_EQUAL(nd_group_runs(group), 1);
        check_group(group);
    }
    for (uint64_t whole = 1; whole <= 3; whole++) { /* around the cut */
        for (uint64_t more = 0; more <= 20; more++) {
            check_group(whole * ND_GROUP_RUN - 10 + more);
        }
    }
    for (int trial = 0; trial < 10; trial++) {
        check_group(2 + nd_random_below(&random, 5 * ND_GROUP_RUN));
    }
    CU_ASSERT_EQUAL(nd_group_runs(ND_GROUP_RUN), 1);
    CU_ASSERT_EQUAL(nd_group_runs(ND_GROUP_RUN + 1), 2);
    CU_ASSERT_EQUAL(nd_group_runs(UINT64_C(1) << 40), (UINT64_C(1) << 40) / ND_GROUP_RUN);
}

/* All pairs in groups up to another size, and never fewer partners than there are members. */
ND_TEST("all pairs") {
    static const uint64_t sizes[] = {2, 7, 16, 40, ND_GROUP_RUN};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (uint64_t group = 2; group <= 60; group++) {
            const uint64_t end = nd_group_partner_end(sizes[s], group, group, 1);
            CU_ASSERT_EQUAL(end, group <= sizes[s] || group < 10 ? group : 10);
        }
    }
    CU_ASSERT_EQUAL(nd_group_partner_end(ND_GROUP_RUN, 4096, 4096, 0), 4096);
    CU_ASSERT_EQUAL(nd_group_partner_end(ND_GROUP_RUN, 4097, 4097, 0), 9);
}

/* What the runs of a group give and what they leave out are all its pairs. */
ND_TEST("passed over") {
    static const uint64_t sizes[] = {2, 16, 4096};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (uint64_t group = 2; group <= 10000; group += group < 40 ? 1 : 1973) {
            uint64_t given = 0;
            for (uint64_t i = 0; i < group; i++) {
                given += nd_group_partner_end(sizes[s], group, group, i) - i - 1;
            }
            CU_ASSERT_EQUAL(given + nd_group_passed(sizes[s], group), group * (group - 1) / 2);
        }
    }
}

/* ---- Orienting a spanning tree: what is none. */

static void refuse(size_t count, const nd_link *links, uint64_t root) {
    const uint64_t pages[] = {0, 1, 2, 3, 4};
    nd_parent parents[5];
    CU_ASSERT_EQUAL(nd_tree_orient(pages, count, links, root, parents), ND_ERR_INTERNAL);
}

ND_TEST("not a tree") {
    const nd_link triangle_and_page[] = {{0, 1, 1}, {1, 2, 1}, {0, 2, 1}};
    const nd_link two_parts[] = {{0, 1, 1}, {2, 3, 1}, {2, 3, 0.5}};
    const nd_link link_twice[] = {{0, 1, 1}, {0, 1, 1}};
    const nd_link self_link[] = {{0, 0, 1}, {0, 1, 1}};
    const nd_link self_link_inside[] = {{0, 1, 1}, {1, 1, 1}};
    const nd_link square_and_page[] = {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {0, 3, 1}};
    for (uint64_t root = 0; root < 4; root++) {
        refuse(4, triangle_and_page, root);
        refuse(4, two_parts, root);
        refuse(5, square_and_page, root);
    }
    for (uint64_t root = 0; root < 3; root++) {
        refuse(3, link_twice, root);
        refuse(3, self_link, root);
        refuse(3, self_link_inside, root);
    }
}

/* ---- The leader loop: the paper's example by hand, and early stops. */

/* A table of similarities between pages in order, and what was asked of it. */
typedef struct oracle {
    size_t count;
    const double *similarity; /* [leader * count + member] */
    size_t asked;
} oracle;

static void answer(void *context, size_t leader, size_t member, double *similarity) {
    oracle *o = context;
    CU_ASSERT(leader < member && member < o->count);
    o->asked++;
    *similarity = o->similarity[leader * o->count + member];
}

/* Pages A to F by length; A is similar to C and D, C to B, D to E, E to F. A takes C and D, so B is
 * left to open a set of its own, which C can no longer join; E takes F. */
ND_TEST("the example: ACD, B, EF") {
    enum { A, B, C, D, E, F, PAGES };
    double similarity[PAGES * PAGES] = {0};
    similarity[A * PAGES + C] = 0.9;
    similarity[A * PAGES + D] = 0.85;
    similarity[B * PAGES + C] = 0.95;
    similarity[D * PAGES + E] = 0.99;
    similarity[E * PAGES + F] = 0.8;
    oracle o = {PAGES, similarity, 0};
    size_t leaders[PAGES];
    double to_leader[PAGES];
    const size_t wanted[PAGES] = {A, B, A, A, E, E};
    const double wanted_similarity[PAGES] = {1, 1, 0.9, 0.85, 1, 0.8};
    nd_leaders(PAGES, answer, &o, leaders, to_leader);
    for (size_t i = 0; i < PAGES; i++) {
        CU_ASSERT_EQUAL(leaders[i], wanted[i]);
        CU_ASSERT_EQUAL(to_leader[i], wanted_similarity[i]);
    }
    CU_ASSERT_EQUAL(o.asked, 5 + 2 + 1); /* A: all; B: E, F; E: F */
}

/* "No later page either" ends the search of this leader, and only of this one. */
ND_TEST("stop") {
    enum { PAGES = 5 };
    double similarity[PAGES * PAGES] = {0};
    similarity[0 * PAGES + 1] = 0.9;
    similarity[0 * PAGES + 2] = ND_LEADER_STOP;
    similarity[0 * PAGES + 3] = 0.9; /* never asked */
    similarity[2 * PAGES + 4] = 0.7;
    oracle o = {PAGES, similarity, 0};
    size_t leaders[PAGES];
    double to_leader[PAGES];
    const size_t wanted[PAGES] = {0, 0, 2, 3, 2};
    nd_leaders(PAGES, answer, &o, leaders, to_leader);
    CU_ASSERT_EQUAL(memcmp(leaders, wanted, sizeof wanted), 0);
    CU_ASSERT_EQUAL(o.asked, 2 + 2); /* 0: 1 and 2; 2: 3 and 4; 3: 4 is taken */
    CU_ASSERT_EQUAL(to_leader[2], 1);
    CU_ASSERT_EQUAL(to_leader[4], 0.7);
}

ND_TEST("no page, one page") {
    oracle o = {0, NULL, 0};
    size_t leader = 9;
    double similarity = 0;
    nd_leaders(0, answer, &o, NULL, NULL);
    nd_leaders(1, answer, &o, &leader, &similarity);
    CU_ASSERT(leader == 0 && similarity == 1 && o.asked == 0);
}

/* ---- Templates of small sites, written as strings: a character is a sentence, of one token. */

enum { MOST = 64, LONGEST = 64 };

/* The template of the pages, as a string. */
static const char *template_of(const char *const *texts, size_t count,
                               const nd_template_options *options) {
    static char found[256];
    static nd_template_sentence sentences[MOST][LONGEST];
    nd_template_page pages[MOST] = {{0}};
    ND_FREED uint64_t *hashes = NULL;
    size_t hash_count = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(texts[i]);
        for (size_t j = 0; j < length; j++) {
            const uint8_t letter = (uint8_t)texts[i][j];
            sentences[i][j] = (nd_template_sentence){letter, 1, {letter, letter}};
        }
        pages[i] = (nd_template_page){sentences[i], length};
    }
    ND_TEST_MUST(nd_template_find(pages, count, options, &hashes, &hash_count));
    CU_ASSERT_FATAL(hash_count < sizeof found);
    for (size_t i = 0; i < hash_count; i++) {
        found[i] = (char)hashes[i];
    }
    found[hash_count] = '\0';
    return found;
}

ND_TEST("copies are one class") {
    /* twenty pages with one story, but for a sentence of each: no template */
    char copies[20][16];
    const char *texts[24];
    for (int i = 0; i < 20; i++) {
        (void)strcpy(copies[i], "abcdefghijk?");
        copies[i][11] = (char)('A' + i);
        texts[i] = copies[i];
    }
    CU_ASSERT_STRING_EQUAL(template_of(texts, 20, &ND_TEMPLATE_DEFAULTS), "");
    /* but what they have in common with three other classes is */
    texts[20] = "alm", texts[21] = "ano", texts[22] = "apq";
    CU_ASSERT_STRING_EQUAL(template_of(texts, 23, &ND_TEMPLATE_DEFAULTS), "a");
}

/* Copies of which every sentence was edited somewhere have no sentence in common, but minima. */
ND_TEST("minima") {
    enum { COPIES = 8, LENGTH = 4 };
    static nd_template_sentence sentences[COPIES][LENGTH];
    nd_template_page pages[COPIES];
    uint64_t *hashes = NULL;
    size_t count = 0;
    nd_template_options options = ND_TEMPLATE_DEFAULTS;
    for (uint32_t i = 0; i < COPIES; i++) {
        for (uint32_t k = 0; k < LENGTH; k++) {
            const uint32_t own = 100 * (i + 1) + k;
            /* one of six is as all others have it, or as the copy before has it */
            sentences[i][k] = (nd_template_sentence){own, 9, {k, own}};
        }
        sentences[i][0].hash = 7;
        pages[i] = (nd_template_page){sentences[i], LENGTH};
    }
    options.rounds[0].similarity = 1;
    options.rounds[0].share = 1.1; /* never */
    ND_TEST_MUST(nd_template_find(pages, COPIES, &options, &hashes, &count));
    CU_ASSERT_EQUAL(count, 0);
    free(hashes);
    for (uint32_t i = 0; i < COPIES * LENGTH;
         i++) { /* of eight minima one is shared: eight classes */
        sentences[i / LENGTH][i % LENGTH].minima[0] = i % LENGTH == 0 ? 1 : 1000 + i;
    }
    ND_TEST_MUST(nd_template_find(pages, COPIES, &options, &hashes, &count));
    CU_ASSERT(count == 1 && hashes[0] == 7);
    free(hashes);

    static const uint32_t text[] = {3, 1, 4, 1, 5, 9, 2, 6}, other[] = {9, 2, 6, 5};
    uint32_t all[ND_TEMPLATE_MINIMA], some[ND_TEMPLATE_MINIMA], least[ND_TEMPLATE_MINIMA];
    nd_template_minima(text, 8, all);
    memset(least, 0xff, sizeof least);
    for (size_t i = 0; i + 1 < 8; i++) {
        nd_template_minima(text + i, 2, some);
        for (size_t m = 0; m < ND_TEMPLATE_MINIMA; m++) {
            least[m] = some[m] < least[m] ? some[m] : least[m];
        }
    }
    CU_ASSERT_EQUAL(memcmp(all, least, sizeof all), 0);
    nd_template_minima(other, 4, some);
    CU_ASSERT_NOT_EQUAL(memcmp(all, some, sizeof all), 0);
    nd_template_minima(text, 1, all);
    nd_template_minima(text, 0, some);
    CU_ASSERT(all[0] < UINT32_MAX && some[0] == UINT32_MAX && some[1] == UINT32_MAX);
}

/* Is the frame of a site found by its first round? Each page has it and `own` sentences of eight
 * tokens, at most four, of whose minima, twice as many, all pages share some. */
static bool frame_is_template(size_t own, size_t shared, uint32_t frame_tokens, double edited) {
    enum { COPIES = 8, LENGTH = 4, FRAME = 7 };
    nd_template_sentence sentences[COPIES][LENGTH + 1];
    nd_template_page pages[COPIES];
    ND_FREED uint64_t *hashes = NULL;
    size_t count = 0;
    nd_template_options options = ND_TEMPLATE_DEFAULTS;
    options.rounds[0].edited = edited;
    options.rounds[1].share = 1.1; /* never */
    for (uint32_t i = 0; i < COPIES; i++) {
        for (uint32_t k = 0; k < own; k++) {
            const uint32_t hash = 100 * (i + 1) + k;
            sentences[i][k] = (nd_template_sentence){hash, 8, {k < shared ? k : hash, hash}};
        }
        sentences[i][own] = (nd_template_sentence){FRAME, frame_tokens, {FRAME, FRAME}};
        pages[i] = (nd_template_page){sentences[i], own + 1};
    }
    ND_TEST_MUST(nd_template_find(pages, COPIES, &options, &hashes, &count));
    const bool found = count == 1 && hashes[0] == FRAME;
    CU_ASSERT(found || count == 0);
    return found;
}

/* Copies of which every sentence was edited are one class, though far from similar: a quarter of
 * what is left of them without the frame. Where the frame is most of them they are a form. */
ND_TEST("edits") {
    const double edited = ND_TEMPLATE_DEFAULTS.rounds[0].edited;
    CU_ASSERT_TRUE(frame_is_template(4, 2, 8, edited));
    CU_ASSERT_FALSE(frame_is_template(4, 3, 8, edited));
    CU_ASSERT_FALSE(frame_is_template(4, 3, 32, edited));
    CU_ASSERT_TRUE(frame_is_template(4, 3, 33, edited));
    /* exactly so much, two of ten, and exactly half of the page: rounded one way throughout */
    CU_ASSERT_FALSE(frame_is_template(3, 2, 24, .2));
}

ND_TEST("options") {
    static const char *const texts[] = {"abc", "ade", "afg"};
    nd_template_options options = ND_TEMPLATE_DEFAULTS;
    options.least_classes = 3;
    CU_ASSERT_STRING_EQUAL(template_of(texts, 3, &options), "a");
    options.least_site = 4;
    CU_ASSERT_STRING_EQUAL(template_of(texts, 3, &options), "");
}

ND_TEST("small site") {
    static const char *const texts[] = {"abc", "ade", "afg", ""};
    nd_template_options options = ND_TEMPLATE_DEFAULTS;
    options.small_site = 3; /* the empty page does not count */
    CU_ASSERT_STRING_EQUAL(template_of(texts, 4, &options), "a");
    options.small_site = 2;
    CU_ASSERT_STRING_EQUAL(template_of(texts, 4, &options), "");
}

/* The repeated ones of `others`, on a site without a template. */
static nd_template_lists repeated_of(const nd_template_page *pages, const nd_template_page *others,
                                     size_t count, const nd_template_repeat *options) {
    nd_template_lists lists;
    nd_template_options none = ND_TEMPLATE_DEFAULTS;
    none.least_site = UINT64_MAX;
    ND_TEST_OK(nd_template_lists_find(pages, others, count, &none, options, &lists));
    CU_ASSERT_EQUAL(lists.template_count, 0);
    return lists;
}

/* Three pages, the first two of one class; their links. */
ND_TEST("repeated") {
    static const nd_template_sentence first[] = {{1, 9, {1, 1}}, {2, 1, {2, 2}}},
                                      second[] = {{1, 9, {1, 1}}}, third[] = {{3, 9, {3, 3}}};
    static const nd_template_sentence links[] = {{20, 0, {20, 20}},
                                                 {10, 0, {10, 10}},
                                                 {30, 0, {30, 30}},
                                                 {10, 0, {10, 10}},
                                                 {40, 0, {40, 40}}};
    const nd_template_page pages[] = {{first, 2}, {second, 1}, {third, 1}, {NULL, 0}};
    const nd_template_page others[] = {{links, 2}, {links, 3}, {links + 2, 2}, {links + 4, 1}};
    nd_template_repeat options = {.similarity = .6, .least_classes = 2, .least_site = 3};
    nd_template_lists lists = repeated_of(pages, others, 4, &options);
    CU_ASSERT_EQUAL_FATAL(lists.repeated_count, 2);
    CU_ASSERT_EQUAL(lists.repeated[0], 10);
    CU_ASSERT_EQUAL(lists.repeated[1], 30);
    nd_template_lists_free(&lists);
    options.similarity = .95;
    lists = repeated_of(pages, others, 4, &options);
    CU_ASSERT_EQUAL(lists.repeated_count, 3);
    nd_template_lists_free(&lists);
    options.share = .5; /* of four classes */
    lists = repeated_of(pages, others, 4, &options);
    CU_ASSERT_EQUAL(lists.repeated_count, 3);
    nd_template_lists_free(&lists);
    options.share = .51; /* 10 alone stands in three */
    lists = repeated_of(pages, others, 4, &options);
    CU_ASSERT_EQUAL(lists.repeated_count, 1);
    nd_template_lists_free(&lists);
    options.least_site = 5; /* there are four classes: nothing is known, all may be repeated */
    lists = repeated_of(pages, others, 4, &options);
    CU_ASSERT_EQUAL(lists.repeated_count, 4);
    nd_template_lists_free(&lists);
    lists = repeated_of(NULL, NULL, 0, &options);
    CU_ASSERT_EQUAL(lists.repeated_count, 0);
    nd_template_lists_free(&lists);
}
