#include "src/measure/ambiguous_clusters.h"

#include "src/base/buffer.h"

#include <stdlib.h>

nd_status nd_ambiguous_clusters_make(const nd_labelled_pages *pages,
                                     nd_ambiguous_clusters *ambiguous) {
    nd_status st = ND_OK;
    size_t count = 0;
    const size_t twice = 2 * pages->ambiguous_count;
    *ambiguous = (nd_ambiguous_clusters){0};
    ND_TRY(nd_new(&ambiguous->pairs, twice, sizeof *ambiguous->pairs));
    ND_TRY(nd_new(&ambiguous->first, pages->cluster_count + 1, sizeof *ambiguous->first));
    nd_key_value *pairs = ambiguous->pairs;
    for (size_t i = 0; i < pages->ambiguous_count; i++) {
        const nd_cluster_pair *p = &pages->ambiguous[i];
        pairs[2 * i] = (nd_key_value){p->a, p->b};
        pairs[2 * i + 1] = (nd_key_value){p->b, p->a};
    }
    ND_TRY(nd_radix_sort(pairs, twice));
    for (size_t i = 0; i < twice; i++) {
        const nd_key_value n = pairs[i];
        if (count == 0 || pairs[count - 1].key != n.key || pairs[count - 1].value != n.value) {
            pairs[count++] = n;
            ambiguous->first[n.key + 1]++;
        }
    }
    for (size_t c = 0; c < pages->cluster_count; c++) {
        ambiguous->first[c + 1] += ambiguous->first[c];
    }
out:
    return st;
}

void nd_ambiguous_clusters_free(nd_ambiguous_clusters *ambiguous) {
    free(ambiguous->pairs);
    free(ambiguous->first);
    *ambiguous = (nd_ambiguous_clusters){0};
}
