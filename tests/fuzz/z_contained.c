/* How much of one text stands in another, against the table of a common subsequence and every
 * stretch in turn; and the keys by which they meet: what a part has the whole has too, and whoever
 * has a run of tokens in common with it has one of these keys. */
#include "src/compare/score.h"
#include "src/sketch/shingle.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/slow.h"

#include <stdbool.h>

enum { LONGEST = 60, LONGEST_OTHER = 400 };

/* Tokens of some alphabet, or a piece of the other text again. */
static size_t take_text(nd_span *from, size_t most, const uint32_t *other, size_t other_count,
                        uint32_t *to) {
    const unsigned words = 2 + nd_fuzz_byte(from);
    const size_t count = nd_fuzz_below(from, most + 1);
    for (size_t i = 0; i < count; i++) {
        const unsigned drawn = nd_fuzz_byte(from);
        if (drawn == 255 && other_count > 0) {
            size_t at = nd_fuzz_below(from, other_count);
            for (; i + 1 < count && at < other_count; at++) {
                to[i++] = other[at];
            }
        }
        to[i] = drawn % words;
    }
    return count;
}

static bool has(const uint64_t *keys, size_t count, uint64_t key) {
    bool found = false;
    for (size_t i = 0; i < count && !found; i++) {
        found = keys[i] == key;
    }
    return found;
}

static void check_keys(const uint32_t *b, size_t m, size_t begin, size_t n) {
    uint64_t keys[LONGEST_OTHER + 1];
    uint64_t part[LONGEST_OTHER + 1];
    const size_t count = nd_syncmer_keys(b, m, keys);
    const size_t of_part = nd_syncmer_keys(b + begin, n, part);
    for (size_t i = 0; i < of_part; i++) {
        ND_FUZZ_CHECK(i == 0 || part[i - 1] < part[i]);
        ND_FUZZ_CHECK(has(keys, count, part[i]));
    }
    ND_FUZZ_CHECK(n < ND_SYNCMER_RUN || of_part > 0);
    ND_FUZZ_CHECK(n >= ND_SYNCMER_TOKENS || of_part == 0);
}

ND_FUZZ_TARGET(z_contained) {
    static nd_lcs_work work;
    nd_span from = {data, size};
    uint32_t a[LONGEST + 1] = {0};
    uint32_t b[LONGEST_OTHER + 1] = {0};
    const double threshold = (1 + nd_fuzz_byte(&from) % 20) / 20.;
    const size_t n = take_text(&from, LONGEST, NULL, 0, a);
    const size_t m = take_text(&from, LONGEST_OTHER, a, n, b);
    double share = -1;
    nd_containment(a, n, b, m, threshold, &work, &share);
    const double expected = nd_slow_containment(a, n, b, m);
    ND_FUZZ_CHECK(share == (expected >= threshold ? expected : 0));
    const size_t begin = nd_fuzz_below(&from, m + 1);
    check_keys(b, m, begin, nd_fuzz_below(&from, m - begin + 1));
    return 0;
}
