#include "src/measure/overlap_counts.h"

#include "src/base/buffer.h"

#include <stdlib.h>

nd_status nd_overlap_counts_open(nd_overlap_counts *counts, size_t collections) {
    *counts = (nd_overlap_counts){.collections = collections};
    nd_new(&counts->pages, collections, sizeof *counts->pages);
    nd_new(&counts->alone, collections, sizeof *counts->alone);
    nd_new(&counts->in_exactly, collections + 1, sizeof *counts->in_exactly);
    nd_new(&counts->things, collections * collections, sizeof *counts->things);
    nd_new(&counts->pages_in, collections * collections, sizeof *counts->pages_in);
    return ND_OK;
}

void nd_overlap_counts_add(nd_overlap_counts *counts, const nd_overlap_part *parts, size_t count) {
    size_t mask = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t x = parts[i].collection;
        counts->pages[x] += parts[i].pages;
        for (size_t k = 0; k < count; k++) {
            const size_t cell = x * counts->collections + parts[k].collection;
            counts->things[cell]++;
            counts->pages_in[cell] += parts[i].pages;
        }
        mask |= counts->collections <= ND_VENN_MOST ? (size_t)1 << x : 0;
    }
    counts->alone[parts[0].collection] += count == 1;
    counts->in_exactly[count]++;
    counts->venn[mask]++;
    counts->all++;
}

uint64_t nd_overlap_both(const nd_overlap_counts *counts, size_t x, size_t y) {
    return counts->things[x * counts->collections + y];
}

double nd_overlap_share(const nd_overlap_counts *counts, size_t x, size_t y) {
    const uint64_t own = nd_overlap_both(counts, x, x);
    return own > 0 ? (double)nd_overlap_both(counts, x, y) / (double)own : 0;
}

void nd_overlap_counts_free(nd_overlap_counts *counts) {
    free(counts->pages);
    free(counts->alone);
    free(counts->in_exactly);
    free(counts->things);
    free(counts->pages_in);
    *counts = (nd_overlap_counts){0};
}
