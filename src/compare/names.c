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

/* A token of either page; free if it stands in neither. */
struct nd_names_slot {
    uint32_t token;
    uint32_t in_a, in_b;
};

/* The slot of a token: that which holds it, or the next one that is free. */
static struct nd_names_slot *slot_of(struct nd_names_slot *slots, size_t mask, uint32_t token) {
    size_t at = token & mask;
    while ((slots[at].in_a | slots[at].in_b) != 0 && slots[at].token != token) {
        at = (at + 1) & mask;
    }
    return &slots[at];
}

nd_status nd_names_apart(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                         nd_names_work *work, uint64_t *times) {
    nd_status st = ND_OK;
    uint32_t only_a = 0;
    uint32_t only_b = 0;
    size_t size = 16;
    *times = 0;
    while (size < 2 * (n + m)) {
        size *= 2;
    }
    ND_TRY(nd_grow(&work->slots, &work->capacity, size, sizeof *work->slots));
    memset(work->slots, 0, size * sizeof *work->slots);
    for (size_t i = 0; i < n; i++) {
        struct nd_names_slot *slot = slot_of(work->slots, size - 1, a[i]);
        slot->token = a[i];
        slot->in_a++;
    }
    for (size_t i = 0; i < m; i++) {
        struct nd_names_slot *slot = slot_of(work->slots, size - 1, b[i]);
        slot->token = b[i];
        slot->in_b++;
        only_b = slot->in_a == 0 && slot->in_b > only_b ? slot->in_b : only_b;
    }
    for (size_t i = 0; only_b > 0 && i < n; i++) {
        const struct nd_names_slot *slot = slot_of(work->slots, size - 1, a[i]);
        only_a = slot->in_b == 0 && slot->in_a > only_a ? slot->in_a : only_a;
    }
    *times = nd_min(only_a, only_b);
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
