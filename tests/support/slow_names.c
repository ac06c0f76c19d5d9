#include "tests/support/slow_names.h"

#include <math.h>

enum { BEGINNING = 12 };

static uint64_t count(const uint32_t *tokens, size_t size, uint32_t token) {
    uint64_t times = 0;
    for (size_t i = 0; i < size; i++) {
        times += tokens[i] == token;
    }
    return times;
}

uint64_t nd_slow_names_repeats(const uint32_t *a, size_t n, const uint32_t *b, size_t m) {
    uint64_t most = 0;
    for (size_t i = 0; i < n + m; i++) {
        const bool of_a = i < n;
        const size_t place = of_a ? i : i - n;
        const uint32_t word = of_a ? a[place] : b[place];
        const uint64_t here = of_a ? count(a, n, word) : count(b, m, word);
        const uint64_t there = of_a ? count(b, m, word) : count(a, n, word);
        most = place < BEGINNING && there == 0 && here - 1 > most ? here - 1 : most;
    }
    return most;
}

double nd_slow_names_left(const nd_method *method, const nd_method_options *options,
                          const nd_document *a, const nd_document *b, double similarity) {
    const uint32_t shorter = a->token_count < b->token_count ? a->token_count : b->token_count;
    if (!method->sequences || options->keys_suffice || similarity >= 1 || shorter == 0) {
        return similarity;
    }
    const uint64_t repeats =
        nd_slow_names_repeats(a->tokens, a->token_count, b->tokens, b->token_count);
    const double left = similarity - options->names * (double)repeats / sqrt((double)shorter);
    return left > 0 ? left : 0;
}

double nd_slow_names_member(double score, double left) {
    const double least = 1.0 / 1024;
    return score > 0 && left < least ? least : left;
}
