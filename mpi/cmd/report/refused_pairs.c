#include "mpi/cmd/report/refused_pairs.h"

#include "src/base/buffer.h"

#include <stdlib.h>

nd_status nd_refused_pairs_find(const nd_result *result, uint64_t most, nd_refused_pair *pairs,
                                uint64_t *kept, uint64_t *count) {
    nd_status st = ND_OK;
    nd_pair_rows rows = {0};
    uint64_t *sets = NULL;
    const uint64_t pages = result->shape.pages;
    *kept = *count = 0;
    ND_TRY(nd_pair_rows_open(&rows, result, &nd_verified_columns));
    nd_new_room(&sets, pages, sizeof *sets);
    ND_TRY(nd_result_read(result, "/pages/set", ND_COLUMN_U64, 0, pages, sets));
    do {
        ND_TRY(nd_pair_rows_next(&rows));
        for (uint64_t i = 0; i < rows.count; i++) {
            if (sets[rows.a[i]] == sets[rows.b[i]]) {
                continue;
            }
            uint64_t at = *kept;
            (*count)++;
            while (at > 0 && pairs[at - 1].similarity < rows.similarity[i]) {
                at--;
            }
            if (at == most) {
                continue;
            }
            for (uint64_t k = *kept < most ? (*kept)++ : most - 1; k > at; k--) {
                pairs[k] = pairs[k - 1];
            }
            pairs[at] = (nd_refused_pair){rows.a[i], rows.b[i], rows.similarity[i]};
        }
    } while (rows.count > 0);
out:
    nd_pair_rows_free(&rows);
    free(sets);
    return st;
}
