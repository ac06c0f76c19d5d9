#include "src/sets/leaders.h"

static const size_t FREE = (size_t)-1;

void nd_leaders(size_t count, nd_leader_compare compare, void *context, size_t *leaders,
                double *similarities) {
    for (size_t i = 0; i < count; i++) {
        leaders[i] = FREE;
    }
    for (size_t leader = 0; leader < count; leader++) {
        if (leaders[leader] != FREE) {
            continue;
        }
        leaders[leader] = leader;
        similarities[leader] = 1;
        for (size_t member = leader + 1; member < count; member++) {
            double similarity = 0;
            if (leaders[member] != FREE) {
                continue;
            }
            compare(context, leader, member, &similarity);
            if (similarity == ND_LEADER_STOP) {
                break;
            }
            if (similarity > 0) {
                leaders[member] = leader;
                similarities[member] = similarity;
            }
        }
    }
}
