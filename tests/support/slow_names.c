#include "tests/support/slow_names.h"

#include "src/compare/names.h"

static uint64_t count(const uint32_t *tokens, size_t size, uint32_t token) {
    uint64_t times = 0;
    for (size_t i = 0; i < size; i++) {
        times += tokens[i] == token;
    }
    return times;
}

static uint64_t most_only(const uint32_t *a, size_t n, const uint32_t *b, size_t m) {
    uint64_t most = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t times = count(b, m, a[i]) == 0 ? count(a, n, a[i]) : 0;
        most = times > most ? times : most;
    }
    return most;
}

uint64_t nd_slow_names(const uint32_t *a, size_t n, const uint32_t *b, size_t m) {
    const uint64_t x = most_only(a, n, b, m);
    const uint64_t y = most_only(b, m, a, n);
    return x < y ? x : y;
}

bool nd_slow_names_apart(const nd_method *method, const nd_method_options *options,
                         const nd_document *a, const nd_document *b, double similarity) {
    const uint32_t shorter = a->token_count < b->token_count ? a->token_count : b->token_count;
    return method->sequences && !options->keys_suffice && options->names > 0 && similarity > 0 &&
           similarity < 1 &&
           (double)nd_slow_names(a->tokens, a->token_count, b->tokens, b->token_count) >
               nd_names_most(options->names, shorter, similarity);
}
