#include "src/compare/names.h"

#include "src/base/buffer.h"
#include "src/base/order.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Chosen with the default of --names on one half of the labelled sets, of 294 settings; see
 * scripts/README.md. */
static const double PER_SIMILARITY = 6;
static const double ALIKE = 0.6;

/* Scratch for `n` and `m` tokens: a table with room for either page's, and one more for those of
 * one page that the other lacks, both at most half full. */
static nd_status reserve(nd_names_work *work, size_t n, size_t m, size_t *size) {
    *size = 64;
    while (*size < 2 * nd_max(n, m)) {
        *size *= 2;
    }
    return nd_grow(&work->slots, &work->capacity, 3 * *size, sizeof *work->slots);
}

/* How often a token stands in `a` at most that `b` lacks. A slot is free if it is 0, so that token
 * 0 counts as 1: so it does in both pages, and one that is missed is missed in 4 billion.
 * \param[in] slots  3 * size of them: b's tokens, then (token, count) of a's that b lacks */
static uint32_t most_only(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint32_t *slots,
                          size_t size) {
    const size_t mask = size - 1;
    uint32_t *only = slots + size;
    uint32_t most = 0;
    bool any = false;
    memset(slots, 0, size * sizeof *slots);
    for (size_t i = 0; i < m; i++) {
        const uint32_t token = b[i] + (b[i] == 0);
        size_t at = token & mask;
        while (slots[at] != 0 && slots[at] != token) {
            at = (at + 1) & mask;
        }
        slots[at] = token;
    }
    for (size_t i = 0; i < n; i++) {
        const uint32_t token = a[i] + (a[i] == 0);
        size_t at = token & mask;
        while (slots[at] != 0 && slots[at] != token) {
            at = (at + 1) & mask;
        }
        if (slots[at] == token) {
            continue;
        }
        if (!any) { /* most pairs come here late, and copies never */
            memset(only, 0, 2 * size * sizeof *only);
            any = true;
        }
        for (at = token & mask; only[2 * at] != 0 && only[2 * at] != token; at = (at + 1) & mask) {
        }
        only[2 * at] = token;
        only[2 * at + 1]++;
        most = only[2 * at + 1] > most ? only[2 * at + 1] : most;
    }
    return most;
}

nd_status nd_names_apart(const uint32_t *a, size_t n, const uint32_t *b, size_t m, double enough,
                         nd_names_work *work, uint64_t *times) {
    nd_status st = ND_OK;
    size_t size = 0;
    *times = 0;
    ND_TRY(reserve(work, n, m, &size));
    *times = most_only(a, n, b, m, work->slots, size);
    if ((double)*times > enough) {
        *times = nd_min(*times, most_only(b, m, a, n, work->slots, size));
    }
out:
    return st;
}

double nd_names_most(double names, uint64_t tokens, double similarity) {
    const double alike = similarity > ALIKE ? similarity - ALIKE : 0;
    return names * sqrt((double)tokens) * (1 + PER_SIMILARITY * alike);
}

void nd_names_work_free(nd_names_work *work) {
    free(work->slots);
    *work = (nd_names_work){0};
}
