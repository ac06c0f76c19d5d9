#include "src/lcs/lcs_table.h"

#include "src/base/buffer.h"

#include <stdlib.h>

nd_status nd_lcs_table(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t *length) {
    uint64_t *row = NULL; /* row[j] = length for the tokens of a so far and b[0..j) */
    nd_status st = ND_OK;
    ND_TRY(nd_new(&row, m + 1, sizeof *row));
    for (size_t i = 0; i < n; i++) {
        uint64_t diagonal = 0;
        for (size_t j = 0; j < m; j++) {
            uint64_t above = row[j + 1];
            uint64_t longer = above > row[j] ? above : row[j];
            row[j + 1] = a[i] == b[j] ? diagonal + 1 : longer;
            diagonal = above;
        }
    }
    *length = row[m];
out:
    free(row);
    return st;
}
