#include "src/sets/union_find.h"

void nd_union_find_init(uint64_t *parent, size_t count) {
    for (size_t i = 0; i < count; i++) {
        parent[i] = i;
    }
}

uint64_t nd_union_find_root(uint64_t *parent, uint64_t item) {
    while (parent[item] != item) {
        parent[item] = parent[parent[item]];
        item = parent[item];
    }
    return item;
}

bool nd_union_find_join(uint64_t *parent, uint64_t a, uint64_t b) {
    a = nd_union_find_root(parent, a);
    b = nd_union_find_root(parent, b);
    if (a < b) {
        parent[b] = a;
    } else {
        parent[a] = b;
    }
    return a != b;
}
