#include "src/lcs/lcs_estimate.h"

#include <string.h>

/* Kinds of tokens: about as many as there are tokens, so that few different ones are of a kind, and
 * no more than fit in a first-level cache. */
enum { LEAST_BITS = 6, MOST_BITS = 13 };

static const uint32_t KIND_MULTIPLIER = UINT32_C(0x9e3779b1); /* 2^32 over the golden ratio */
void nd_lcs_least_distance(const nd_lcs_pair *pair, nd_lcs_work *work, uint64_t *distance) {
    int32_t *surplus = NULL; /* by kind: how many more tokens of it a has than b */
    uint32_t bits = LEAST_BITS;
    while (bits < MOST_BITS && (size_t)1 << bits < pair->n) {
        bits++;
    }
    const size_t kinds = (size_t)1 << bits;
    nd_lcs_room(work, ND_LCS_KINDS, kinds * sizeof *surplus, &surplus);
    memset(surplus, 0, kinds * sizeof *surplus);
    for (size_t i = 0; i < pair->n; i++) {
        surplus[pair->a[i] * KIND_MULTIPLIER >> (32 - bits)]++;
    }
    for (size_t i = 0; i < pair->m; i++) {
        surplus[pair->b[i] * KIND_MULTIPLIER >> (32 - bits)]--;
    }
    *distance = 0;
    for (size_t i = 0; i < kinds; i++) {
        *distance += (uint32_t)(surplus[i] < 0 ? -surplus[i] : surplus[i]);
    }
}
