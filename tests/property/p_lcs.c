/* LCS kernels against the table of the textbook. */
#include "src/lcs/lcs.h"
#include "src/lcs/lcs_internal.h"
#include "src/sketch/histogram.h"
#include "tests/support/check.h"
#include "tests/support/lcs_kernels.h"

/* ---- Every LCS kernel against the O(nm) table, on random pairs and at random limits. */

enum {
    PAIRS_LCS = 4000,
    SHORT = 700, /* tokens */
    LONG_PAIRS = 30,
    LONG = 4000, /* so that the masks of all tokens are too many to be kept */
    LIMITS = 5
};
typedef struct pair_lcs {
    uint32_t a[LONG];
    uint32_t b[LONG];
    size_t n;
    size_t m;
} pair_lcs;
static nd_lcs_work work;

/* Of short ones all sizes, so that empty ones and word boundaries both come up often. */
static size_t random_length(nd_random *random, size_t longest) {
    const uint64_t bounds[] = {3, 8, 70, 200, longest + 1};
    return nd_random_below(random, bounds[longest == LONG ? 4 : nd_random_below(random, 5)]);
}

/* From one token to (nearly) all different; for long pages, sizes at which most tokens are rare. */
static uint64_t random_alphabet(nd_random *random, size_t longest) {
    static const uint64_t bounds[] = {1, 2, 3, 8, 30, 300, 100000};
    static const uint64_t of_long[] = {1500, 4000, 100000};
    return longest == LONG ? of_long[nd_random_below(random, 3)]
                           : bounds[nd_random_below(random, 7)];
}

static uint32_t random_token(nd_random *random, uint64_t alphabet) {
    uint64_t below = 1 + nd_random_below(random, alphabet);
    uint32_t token = (uint32_t)nd_random_below(random, below);
    return token * UINT32_C(0x01000193); /* odd: distinct tokens stay distinct */
}

/* b: a copy of a with about one token in `spacing` replaced, dropped, doubled or preceded. */
static void edit(pair_lcs *p, nd_random *random, uint64_t alphabet) {
    uint64_t spacing = 1 + nd_random_below(random, 40);
    p->m = 0;
    for (size_t i = 0; i < p->n && p->m + 2 <= LONG; i++) {
        uint64_t kind = nd_random_below(random, spacing) == 0 ? nd_random_below(random, 4) : 4;
        if (kind != 0) {
            p->b[p->m++] = kind == 1 ? random_token(random, alphabet) : p->a[i];
        }
        if (kind == 2 || kind == 3) {
            p->b[p->m++] = kind == 2 ? p->a[i] : random_token(random, alphabet);
        }
    }
}

static void random_pair(pair_lcs *p, nd_random *random, size_t longest) {
    uint64_t alphabet = random_alphabet(random, longest);
    uint64_t kind = nd_random_below(random, 8);
    p->n = random_length(random, longest);
    for (size_t i = 0; i < p->n; i++) {
        p->a[i] = random_token(random, alphabet);
    }
    if (kind < 5) {
        edit(p, random, alphabet);
    } else if (kind == 5) { /* identical */
        p->m = p->n;
        memcpy(p->b, p->a, p->n * sizeof *p->a);
    } else {
        p->m = random_length(random, longest);
        uint32_t offset = kind == 6 ? 0 : UINT32_C(0x80000001); /* 7: mostly disjoint */
        for (size_t i = 0; i < p->m; i++) {
            p->b[i] = random_token(random, alphabet) + offset;
        }
    }
}

/* Around the true length, where being one off would show, or anywhere up to above the longest. */
static uint64_t random_limit(nd_random *random, uint64_t length, const pair_lcs *p) {
    switch (nd_random_below(random, 4)) {
    case 0:
        return length;
    case 1:
        return length + 1 + nd_random_below(random, 3);
    case 2:
        return length - (length > 0 ? nd_random_below(random, length) / 8 : 0);
    default:
        return nd_random_below(random, p->n + p->m + 2);
    }
}

static bool agrees_lcs(size_t index, const pair_lcs *p, bool swapped, uint64_t limit,
                       uint64_t length) {
    uint64_t expected = length >= limit ? length : 0;
    uint64_t found = UINT64_MAX;
    if (swapped) {
        nd_test_lcs_kernels[index].run(p->b, p->m, p->a, p->n, limit, &work, &found);
    } else {
        nd_test_lcs_kernels[index].run(p->a, p->n, p->b, p->m, limit, &work, &found);
    }
    if (found == expected) {
        return true;
    }
    printf("%s: n=%zu m=%zu swapped=%d limit=%llu: %llu, not %llu\n",
           nd_test_lcs_kernels[index].name, p->n, p->m, swapped, (unsigned long long)limit,
           (unsigned long long)found, (unsigned long long)expected);
    return false;
}

static size_t disagreements(const pair_lcs *p, nd_random *random) {
    uint64_t length = 0;
    size_t wrong = 0;
    nd_lcs_table(p->a, p->n, p->b, p->m, &length);
    for (int i = 0; i < LIMITS; i++) {
        uint64_t limit = i == 0 ? 0 : random_limit(random, length, p);
        for (size_t k = 0; k < nd_test_lcs_kernel_count; k++) {
            wrong += !agrees_lcs(k, p, false, limit, length);
            wrong += !agrees_lcs(k, p, true, limit, length);
        }
    }
    return wrong;
}

static size_t disagreements_of_pairs(const char *name, int pairs, size_t longest) {
    nd_random random = nd_test_random(name);
    size_t wrong = 0;
    for (int i = 0; i < pairs && wrong == 0; i++) {
        static pair_lcs p;
        random_pair(&p, &random, longest);
        wrong += disagreements(&p, &random);
    }
    nd_lcs_work_free(&work);
    return wrong;
}

ND_TEST("kernels against the table, short pairs") {
    CU_ASSERT_EQUAL(disagreements_of_pairs("short pairs", nd_test_rounds(PAIRS_LCS), SHORT), 0);
}

ND_TEST("kernels against the table, long pairs") {
    CU_ASSERT_EQUAL(disagreements_of_pairs("long pairs", nd_test_rounds(LONG_PAIRS), LONG), 0);
}

static bool has_token(const uint32_t *tokens, size_t count, uint32_t token) {
    for (size_t i = 0; i < count; i++) {
        if (tokens[i] == token) {
            return true;
        }
    }
    return false;
}

/* Whether `kept` are tokens in their order, and those left out are not in the other sequence. */
static bool keeps_shared(const uint32_t *tokens, size_t count, const uint32_t *other,
                         size_t other_count, const uint32_t *kept, size_t kept_count) {
    size_t next = 0;
    for (size_t i = 0; i < count; i++) {
        if (next < kept_count && kept[next] == tokens[i]) {
            next++;
        } else if (has_token(other, other_count, tokens[i])) {
            return false;
        }
    }
    return next == kept_count;
}

static bool sift_is_right(const pair_lcs *p) {
    nd_lcs_pair sifted = {.a = p->a, .b = p->b, .n = p->n, .m = p->m, .at_least = 1};
    nd_lcs_prefilter(&sifted, &work);
    return sifted.at_least == 1 && keeps_shared(p->a, p->n, p->b, p->m, sifted.a, sifted.n) &&
           keeps_shared(p->b, p->m, p->a, p->n, sifted.b, sifted.m);
}

ND_TEST("what sifting keeps") {
    nd_random random = nd_test_random("sifting");
    size_t wrong = 0;
    for (int n = 0; n < nd_test_rounds(PAIRS_LCS / 2); n++) {
        static pair_lcs p;
        random_pair(&p, &random, n % 100 == 0 ? LONG : SHORT);
        wrong += !sift_is_right(&p);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    nd_lcs_work_free(&work);
}

/* Of tokens that the sequences do not share nearly all go. */
ND_TEST("what sifting drops") {
    enum { SHARED = 100 };
    static pair_lcs p;
    p.n = p.m = SHORT;
    for (uint32_t i = 0; i < SHORT; i++) {
        p.a[i] = i * UINT32_C(0x01000193);
        p.b[i] = (i < SHARED ? i : i + SHORT) * UINT32_C(0x01000193);
    }
    nd_lcs_pair sifted = {.a = p.a, .b = p.b, .n = p.n, .m = p.m};
    nd_lcs_prefilter(&sifted, &work);
    CU_ASSERT(sifted.n < SHARED + SHORT / 4 && sifted.m < SHARED + SHORT / 4);
    nd_lcs_work_free(&work);
}

/* What a row of the bit-parallel kernel should do, bit by bit. */
static void add_bits(uint64_t *v, const uint64_t *mask, size_t words) {
    unsigned carry = 0;
    for (size_t bit = 0; bit < 64 * words; bit++) {
        uint64_t one = UINT64_C(1) << bit % 64;
        unsigned old = (v[bit / 64] & one) != 0;
        unsigned match = (mask[bit / 64] & one) != 0;
        unsigned sum = old + (old & match) + carry;
        carry = sum >> 1;
        v[bit / 64] = (sum & 1) || (old && !match) ? v[bit / 64] | one : v[bit / 64] & ~one;
    }
}

/* Words of all zeros and all ones come often: carries run through the latter. */
static uint64_t random_bits(nd_random *random) {
    uint64_t bits = nd_random_next(random);
    switch (nd_random_below(random, 4)) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX;
    default:
        return bits;
    }
}

/* Any number of rows of a tile and of words, with ones after them. */
static bool add_is_right(const nd_lcs_bits_variant *variant, nd_random *random) {
    enum { WORDS = 80 };
    static uint64_t masks[ND_LCS_TILE][WORDS + ND_LCS_PADDING];
    const uint64_t *tile[ND_LCS_TILE];
    uint64_t v[WORDS + ND_LCS_PADDING], expected[WORDS + ND_LCS_PADDING];
    const size_t words = 1 + nd_random_below(random, nd_random_below(random, 4) == 0 ? WORDS : 12);
    const size_t rows = 1 + nd_random_below(random, ND_LCS_TILE);
    memset(v, 0xff, sizeof v);
    for (size_t word = 0; word < words; word++) {
        v[word] = random_bits(random);
    }
    memcpy(expected, v, sizeof v);
    for (size_t row = 0; row < rows; row++) {
        tile[row] = masks[row];
        for (size_t word = 0; word < WORDS + ND_LCS_PADDING; word++) {
            masks[row][word] = random_bits(random);
        }
        add_bits(expected, masks[row], words);
    }
    variant->add(v, words, tile, rows);
    return memcmp(v, expected, sizeof v) == 0;
}

ND_TEST("rows bit by bit") {
    enum { TILES = 2000 };
    nd_random random = nd_test_random("rows");
    for (size_t i = 0; i < nd_lcs_bits_variant_count; i++) {
        size_t wrong = 0;
        for (int tile = 0; tile < TILES && nd_cpu_has(nd_lcs_bits_variants[i]->needs); tile++) {
            wrong += !add_is_right(nd_lcs_bits_variants[i], &random);
        }
        CU_ASSERT_EQUAL(wrong, 0);
    }
}

static bool compare_is_right(const nd_lcs_bits_variant *variant, nd_random *random) {
    enum { WORDS = 9, ROWS = 5, STRIDE = WORDS + 2 };
    uint32_t columns[WORDS * ND_LCS_WORD], tokens[ROWS];
    uint64_t masks[ROWS * STRIDE];
    const size_t words = 1 + nd_random_below(random, WORDS);
    bool right = true;
    for (size_t j = 0; j < WORDS * ND_LCS_WORD; j++) {
        columns[j] = (uint32_t)nd_random_below(random, 4) * UINT32_C(0x55555555);
    }
    for (size_t row = 0; row < ROWS; row++) {
        tokens[row] = (uint32_t)nd_random_below(random, 4) * UINT32_C(0x55555555);
    }
    variant->compare(columns, words, tokens, ROWS, masks, STRIDE);
    for (size_t row = 0; row < ROWS; row++) {
        for (size_t j = 0; j < words * ND_LCS_WORD; j++) {
            const bool bit = masks[row * STRIDE + j / ND_LCS_WORD] >> j % ND_LCS_WORD & 1;
            right = right && bit == (columns[j] == tokens[row]);
        }
    }
    return right;
}

ND_TEST("comparison of columns") {
    enum { TILES = 2000 };
    nd_random random = nd_test_random("comparison");
    for (size_t i = 0; i < nd_lcs_bits_variant_count; i++) {
        size_t wrong = 0;
        for (int tile = 0; tile < TILES && nd_cpu_has(nd_lcs_bits_variants[i]->needs); tile++) {
            wrong += !compare_is_right(nd_lcs_bits_variants[i], &random);
        }
        CU_ASSERT_EQUAL(wrong, 0);
    }
}

/* ---- columns by their ids */

/* The matches of an id in a window that moves to the right, against the columns themselves: of ids
 * that are rare, frequent, and in between. */
static void check_index(nd_random *random, bool every_row) {
    enum { MOST_COLUMNS = 6000, MOST_WORDS = MOST_COLUMNS / ND_LCS_WORD + 1 };
    static uint32_t columns[MOST_COLUMNS];
    nd_lcs_columns index;
    const size_t count = 1 + nd_random_below(random, MOST_COLUMNS);
    const size_t ids = 1 + nd_random_below(random, count);
    bool right = true;
    for (size_t j = 0; j < count; j++) {
        columns[j] = (uint32_t)(nd_random_below(random, ids) * nd_random_below(random, ids) / ids);
    }
    nd_lcs_columns_index(&index, columns, count, ids, every_row, &work);
    for (uint32_t id = 0; id < ids; id += 1 + (uint32_t)nd_random_below(random, 5)) {
        size_t words = 0;
        for (size_t first = 0; first < index.words; first += nd_random_below(random, words + 1)) {
            uint64_t scratch[MOST_WORDS + 1] = {0};
            uint64_t expected[MOST_WORDS] = {0};
            words = 1 + nd_random_below(random, index.words - first);
            for (size_t j = first * ND_LCS_WORD; j < nd_min(count, (first + words) * ND_LCS_WORD);
                 j++) {
                expected[j / ND_LCS_WORD - first] |= (uint64_t)(columns[j] == id)
                                                     << j % ND_LCS_WORD;
            }
            const uint64_t *found = nd_lcs_columns_matches(&index, id, first, words, scratch);
            right = right && memcmp(found, expected, words * sizeof *expected) == 0;
        }
    }
    CU_ASSERT_TRUE(right);
}

ND_TEST("columns by their ids") {
    nd_random random = nd_test_random("columns by their ids");
    for (int round = 0; round < 10; round++) {
        check_index(&random, round % 4 == 0);
    }
    nd_lcs_work_free(&work);
}

/* ---- Token histograms: the bound is never below the true LCS, symmetric, at most the shorter
 * length, and the sum of the smaller bins. */

enum { PAIRS_HISTOGRAM = 3000, MAX_LENGTH_HISTOGRAM = 600, HUGE_LENGTH = 70000 };

static size_t random_page(nd_random *random, uint64_t alphabet, uint32_t *tokens) {
    size_t count = nd_random_below(random, MAX_LENGTH_HISTOGRAM + 1);
    for (size_t i = 0; i < count; i++) {
        tokens[i] = (uint32_t)nd_random_below(random, alphabet);
    }
    return count;
}

static uint64_t shorter(size_t n, size_t m) {
    return n < m ? n : m;
}

/* In both orders. */
static bool common_is(const nd_histogram *a, const nd_histogram *b, uint64_t expected) {
    return nd_histogram_common(a, b) == expected && nd_histogram_common(b, a) == expected;
}

static bool bound_holds(nd_random *random) {
    uint32_t a[MAX_LENGTH_HISTOGRAM], b[MAX_LENGTH_HISTOGRAM];
    static const uint64_t alphabets[] = {1, 2, 20, 400, 100000};
    uint64_t alphabet = alphabets[nd_random_below(random, 5)];
    size_t n = random_page(random, alphabet, a), m = random_page(random, alphabet, b);
    nd_histogram of_a, of_b;
    nd_histogram_fill(a, n, &of_a);
    nd_histogram_fill(b, m, &of_b);
    uint64_t bound = nd_histogram_common(&of_a, &of_b);
    uint64_t length = UINT64_MAX;
    nd_lcs_table(a, n, b, m, &length);
    return length <= bound && bound <= shorter(n, m) && common_is(&of_a, &of_b, bound) &&
           nd_histogram_common(&of_a, &of_a) == n;
}

ND_TEST("bound of random pairs") {
    nd_random random = nd_test_random("histogram");
    size_t wrong = 0;
    for (int i = 0; i < nd_test_rounds(PAIRS_HISTOGRAM); i++) {
        wrong += !bound_holds(&random);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Bins drawn directly, up to their largest value: sums that 16 bits do not hold. */
ND_TEST("large bins") {
    nd_random random = nd_test_random("large bins");
    size_t wrong = 0;
    for (int i = 0; i < nd_test_rounds(PAIRS_HISTOGRAM); i++) {
        nd_histogram pair[2] = {{.overflow = 0}, {.overflow = 0}};
        for (int side = 0; side < 2; side++) {
            for (size_t bin = 0; bin < ND_HISTOGRAM_BINS; bin++) {
                uint64_t value = UINT16_MAX - nd_random_below(&random, i % 2 ? 3 : 1 << 16);
                pair[side].bins[bin] = (uint16_t)value;
                pair[side].tokens += (uint32_t)value;
            }
        }
        uint64_t expected = 0;
        for (size_t bin = 0; bin < ND_HISTOGRAM_BINS; bin++) {
            expected += shorter(pair[0].bins[bin], pair[1].bins[bin]);
        }
        wrong += !common_is(&pair[0], &pair[1], expected);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* More than 65,535 times one token: the bins bound nothing, the lengths do. */
ND_TEST("overflow") {
    ND_FREED uint32_t *huge = nd_alloc_zero(HUGE_LENGTH, sizeof *huge);
    nd_histogram a, b, c;
    nd_histogram_fill(huge, HUGE_LENGTH, &a);
    nd_histogram_fill(huge, HUGE_LENGTH - 1, &b);
    nd_histogram_fill(huge, UINT16_MAX, &c);
    CU_ASSERT_EQUAL(a.overflow, 1);
    CU_ASSERT_EQUAL(c.overflow, 0);
    CU_ASSERT(common_is(&a, &b, HUGE_LENGTH - 1));
    CU_ASSERT(common_is(&a, &c, UINT16_MAX));
    CU_ASSERT(common_is(&c, &c, UINT16_MAX));
}
