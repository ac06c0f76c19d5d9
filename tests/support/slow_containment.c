#include "tests/support/slow_containment.h"

static size_t slow_lcs(const uint32_t *a, size_t n, const uint32_t *b, size_t m) {
    size_t rows[2][ND_SLOW_LONGEST + 1] = {{0}};
    for (size_t i = 0; i < n; i++) {
        const size_t *above = rows[i % 2];
        size_t *row = rows[(i + 1) % 2];
        for (size_t j = 0; j < m; j++) {
            const size_t longer = row[j] > above[j + 1] ? row[j] : above[j + 1];
            row[j + 1] = a[i] == b[j] ? above[j] + 1 : longer;
        }
    }
    return rows[n % 2][m];
}

double nd_slow_containment(const uint32_t *a, size_t n, const uint32_t *b, size_t m) {
    size_t most = 0;
    for (size_t begin = 0; n > 0; begin += n) {
        const size_t count = m - begin < 3 * n ? m - begin : 3 * n;
        const size_t common = slow_lcs(a, n, b + begin, count);
        most = common > most ? common : most;
        if (begin + count == m) {
            break;
        }
    }
    return n > 0 ? (double)most / (double)n : 0;
}
