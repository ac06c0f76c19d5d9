#include "src/compare/names.h"

#include "src/base/buffer.h"
#include "src/base/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Chosen with the default of --names on one half of the labelled sets, of 294 settings; see
 * scripts/README.md. */
static const double PER_SIMILARITY = 6;
static const double ALIKE = 0.6;

/* Where a token stands in a table, or the free place where it would: of each place the first of
 * `stride` numbers is the token, 0 if it is free. */
static inline size_t place_of(const uint32_t *table, size_t stride, size_t mask, uint32_t token) {
    size_t at = token & mask;
    while (table[at * stride] != 0 && table[at * stride] != token) {
        at = (at + 1) & mask;
    }
    return at * stride;
}

/* How often a token stands in `a` at most that `b` lacks. Tables of hashes, not sorted term
 * vectors: this is asked of every pair that is similar. A place is free if it is 0, so token 0
 * counts as 1.
 * \param[in] places  3 * size: a table of b's tokens, then one of (token, count) of a's that b
 *                    lacks; at most half of each is used */
static uint32_t most_only(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                          uint32_t *places, size_t size) {
    const size_t mask = size - 1;
    uint32_t *only = places + size;
    uint32_t most = 0;
    memset(places, 0, size * sizeof *places);
    for (size_t i = 0; i < m; i++) {
        const uint32_t token = b[i] + (b[i] == 0);
        places[place_of(places, 1, mask, token)] = token;
    }
    for (size_t i = 0; i < n; i++) {
        const uint32_t token = a[i] + (a[i] == 0);
        if (places[place_of(places, 1, mask, token)] == token) {
            continue;
        }
        if (most == 0) { /* pages of the same words never come here */
            memset(only, 0, 2 * size * sizeof *only);
        }
        uint32_t *times = only + place_of(only, 2, mask, token);
        times[0] = token;
        times[1]++;
        most = times[1] > most ? times[1] : most;
    }
    return most;
}

nd_status nd_names_apart(const uint32_t *a, size_t n, const uint32_t *b, size_t m, double enough,
                         nd_names_work *work, uint64_t *times) {
    nd_status st = ND_OK;
    size_t size = 64;
    *times = 0;
    while (size < 2 * nd_max(n, m)) {
        size *= 2;
    }
    ND_TRY(nd_grow(&work->places, &work->capacity, 3 * size, sizeof *work->places));
    *times = most_only(a, n, b, m, work->places, size);
    if ((double)*times > enough) {
        *times = nd_min(*times, most_only(b, m, a, n, work->places, size));
    }
out:
    return st;
}

double nd_names_most(double names, uint64_t tokens, double similarity) {
    const double alike = similarity > ALIKE ? similarity - ALIKE : 0;
    return names * sqrt((double)tokens) * (1 + PER_SIMILARITY * alike);
}

void nd_names_work_free(nd_names_work *work) {
    free(work->places);
    *work = (nd_names_work){0};
}
