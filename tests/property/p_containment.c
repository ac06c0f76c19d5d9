/* How much of a text stands in another, against the textbook's table of a common subsequence and
 * every stretch in turn; and the keys by which they meet: what a part has the whole has too, and
 * equal runs have one. */
#include "src/base/util.h"
#include "src/compare/score.h"
#include "src/sketch/shingle.h"
#include "tests/support/check.h"
#include "tests/support/slow_containment.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS = 3000, LONGEST = 60, LONGEST_OTHER = 400 };

/* A text, and another in which a part of it stands, edited here and there. */
static void draw(nd_random *random, uint32_t *a, size_t n, uint32_t *b, size_t m) {
    const uint64_t words = 2 + nd_random_below(random, 60);
    const uint64_t edited = nd_random_below(random, 40);
    for (size_t i = 0; i < n; i++) {
        a[i] = (uint32_t)nd_random_below(random, words);
    }
    for (size_t i = 0; i < m; i++) {
        b[i] = (uint32_t)nd_random_below(random, words);
    }
    const size_t at = nd_random_below(random, m + 1);
    for (size_t i = 0; i < n && at + i < m; i++) {
        b[at + i] = nd_random_below(random, 100) < edited ? b[at + i] : a[i];
    }
}

static void test_share(void) {
    nd_random random = nd_test_random("containment");
    nd_lcs_work work = {0};
    uint64_t reached = 0;
    for (int text = 0; text < TEXTS; text++) {
        uint32_t a[LONGEST + 1];
        uint32_t b[LONGEST_OTHER + 1];
        const size_t n = nd_random_below(&random, LONGEST + 1);
        const size_t m = nd_random_below(&random, LONGEST_OTHER + 1);
        const double threshold = (double)(1 + nd_random_below(&random, 20)) / 20;
        double share = -1;
        draw(&random, a, n, b, m);
        const double expected = nd_slow_containment(a, n, b, m);
        CU_ASSERT_EQUAL(nd_containment(a, n, b, m, threshold, &work, &share), ND_OK);
        CU_ASSERT(share == (expected >= threshold ? expected : 0));
        reached += share > 0;
    }
    CU_ASSERT(reached > TEXTS / 10 && reached < TEXTS);
    nd_lcs_work_free(&work);
}

static bool has(const uint64_t *keys, size_t count, uint64_t key) {
    for (size_t i = 0; i < count; i++) {
        if (keys[i] == key) {
            return true;
        }
    }
    return false;
}

/* A part of a text anywhere in another: its keys are keys there, ascending, and from that length on
 * there is one, whatever the words. */
static void test_keys(void) {
    nd_random random = nd_test_random("syncmers");
    uint64_t windows = 0;
    uint64_t selected = 0;
    for (int text = 0; text < TEXTS; text++) {
        uint32_t b[LONGEST_OTHER];
        uint64_t keys[LONGEST_OTHER];
        uint64_t part[LONGEST_OTHER];
        const uint64_t words = 1 + nd_random_below(&random, text % 3 == 0 ? 4 : 100000);
        const size_t m = nd_random_below(&random, LONGEST_OTHER) + 1;
        const size_t begin = nd_random_below(&random, m);
        const size_t n = nd_random_below(&random, m - begin + 1);
        bool right = true;
        for (size_t i = 0; i < m; i++) {
            b[i] = (uint32_t)nd_random_below(&random, words);
        }
        const size_t count = nd_syncmer_keys(b, m, keys);
        const size_t of_part = nd_syncmer_keys(b + begin, n, part);
        for (size_t i = 0; i < of_part; i++) {
            right = right && has(keys, count, part[i]) && (i == 0 || part[i - 1] < part[i]);
        }
        CU_ASSERT(right);
        CU_ASSERT(n < ND_SYNCMER_RUN || of_part > 0);
        CU_ASSERT(n >= ND_SYNCMER_TOKENS || of_part == 0);
        windows += words > 10000 && m >= ND_SYNCMER_TOKENS ? m - ND_SYNCMER_TOKENS + 1 : 0;
        selected += words > 10000 ? count : 0;
    }
    const double density = (double)selected / (double)windows;
    CU_ASSERT(density > .49 && density < .51);
}

static const nd_test tests[] = {
    {"share", test_share},
    {"keys", test_keys},
};
ND_SUITE(p_containment, tests)
