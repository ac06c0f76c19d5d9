/* Every LCS kernel against the O(nm) table, on random pairs and at random limits. */
#include "src/compare/lcs_internal.h"
#include "tests/support/check.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
    PAIRS = 4000,
    SHORT = 700, /* tokens */
    LONG_PAIRS = 30,
    LONG = 4000, /* so that the masks of all tokens are too many to be kept */
    LIMITS = 5
};

typedef nd_status (*kernel)(const uint32_t *, size_t, const uint32_t *, size_t, uint64_t,
                            nd_lcs_work *, uint64_t *);

/* The bit-parallel kernel without instructions that only some machines have. */
static nd_status bits_plain(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                            uint64_t at_least, nd_lcs_work *memory, uint64_t *length) {
    nd_lcs_pair p = {.a = a, .b = b, .n = n, .m = m, .at_least = at_least};
    return nd_lcs_bits_by(&nd_lcs_bits_variants[0], p, memory, length);
}

static const struct {
    const char *name;
    kernel run;
} kernels[] = {{"ladder", nd_lcs_length},
               {"myers", nd_lcs_myers},
               {"bits, plain", bits_plain},
               {"bits, best", nd_lcs_bits}};

typedef struct pair {
    uint32_t a[LONG];
    uint32_t b[LONG];
    size_t n;
    size_t m;
} pair;

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
static void edit(pair *p, nd_random *random, uint64_t alphabet) {
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

static void random_pair(pair *p, nd_random *random, size_t longest) {
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
static uint64_t random_limit(nd_random *random, uint64_t length, const pair *p) {
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

static bool agrees(size_t index, const pair *p, bool swapped, uint64_t limit, uint64_t length) {
    uint64_t expected = length >= limit ? length : 0;
    uint64_t found = UINT64_MAX;
    nd_status st = swapped ? kernels[index].run(p->b, p->m, p->a, p->n, limit, &work, &found)
                           : kernels[index].run(p->a, p->n, p->b, p->m, limit, &work, &found);
    if (st == ND_OK && found == expected) {
        return true;
    }
    printf("%s: n=%zu m=%zu swapped=%d limit=%llu: %llu, not %llu\n", kernels[index].name, p->n,
           p->m, swapped, (unsigned long long)limit, (unsigned long long)found,
           (unsigned long long)expected);
    return false;
}

static size_t disagreements(const pair *p, nd_random *random) {
    uint64_t length = 0;
    size_t wrong = nd_lcs_table(p->a, p->n, p->b, p->m, &length) != ND_OK;
    for (int i = 0; i < LIMITS; i++) {
        uint64_t limit = i == 0 ? 0 : random_limit(random, length, p);
        for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
            wrong += !agrees(k, p, false, limit, length);
            wrong += !agrees(k, p, true, limit, length);
        }
    }
    return wrong;
}

static size_t disagreements_of_pairs(const char *name, int pairs, size_t longest) {
    nd_random random = nd_test_random(name);
    size_t wrong = 0;
    for (int i = 0; i < pairs && wrong == 0; i++) {
        static pair p;
        random_pair(&p, &random, longest);
        wrong += disagreements(&p, &random);
    }
    nd_lcs_work_free(&work);
    return wrong;
}

static void test_short_pairs(void) {
    CU_ASSERT_EQUAL(disagreements_of_pairs("short pairs", PAIRS, SHORT), 0);
}

static void test_long_pairs(void) {
    CU_ASSERT_EQUAL(disagreements_of_pairs("long pairs", LONG_PAIRS, LONG), 0);
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

static void test_rows_bit_by_bit(void) {
    enum { ROWS = 20000, WORDS = 24 };
    nd_random random = nd_test_random("rows");
    for (size_t i = 0; i < nd_lcs_bits_variant_count; i++) {
        const nd_lcs_bits_variant *variant = &nd_lcs_bits_variants[i];
        size_t wrong = 0;
        for (int row = 0; row < ROWS && variant->supported(); row++) {
            uint64_t v[WORDS], expected[WORDS], mask[WORDS];
            for (size_t word = 0; word < WORDS; word++) {
                v[word] = expected[word] = random_bits(&random);
                mask[word] = random_bits(&random);
            }
            add_bits(expected, mask, WORDS);
            variant->add_words(v, mask, WORDS);
            wrong += memcmp(v, expected, sizeof v) != 0;
        }
        CU_ASSERT_EQUAL(wrong, 0);
    }
}

static const nd_test tests[] = {
    {"kernels against the table, short pairs", test_short_pairs},
    {"kernels against the table, long pairs", test_long_pairs},
    {"rows bit by bit", test_rows_bit_by_bit},
};
ND_TEST_MAIN("lcs properties", tests)
