#include "src/sets/leaders.h"

static const size_t FREE = (size_t)-1;

static nd_status open_set(size_t count, size_t leader, nd_leader_compare compare, void *context,
                          size_t *leaders, double *similarities) {
    nd_status st = ND_OK;
    leaders[leader] = leader;
    similarities[leader] = 1;
    for (size_t member = leader + 1; member < count; member++) {
        double similarity = 0;
        if (leaders[member] != FREE) {
            continue;
        }
        ND_TRY(compare(context, leader, member, &similarity));
        if (similarity == ND_LEADER_STOP) {
            break;
        }
        if (similarity > 0) {
            leaders[member] = leader;
            similarities[member] = similarity;
        }
    }
out:
    return st;
}

nd_status nd_leaders(size_t count, nd_leader_compare compare, void *context, size_t *leaders,
                     double *similarities) {
    nd_status st = ND_OK;
    for (size_t i = 0; i < count; i++) {
        leaders[i] = FREE;
    }
    for (size_t i = 0; i < count; i++) {
        if (leaders[i] == FREE) {
            ND_TRY(open_set(count, i, compare, context, leaders, similarities));
        }
    }
out:
    return st;
}
