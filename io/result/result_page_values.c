#include "io/result/result_page_values.h"

#include "io/input/date.h"
#include "io/result/result_name_order.h"
#include "src/base/buffer.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t ROWS_AT_ONCE = UINT64_C(1) << 17;

static nd_status check_certainty(const nd_result *result) {
    nd_status st = ND_OK;
    const char *name = "/pages/certainty";
    const uint64_t pages = result->shape.pages;
    float *certainty = NULL;
    uint64_t *link = NULL; /* a representative's is itself */
    if (!nd_result_has(result, name)) {
        return ND_OK;
    }
    nd_new(&certainty, nd_min(pages, ROWS_AT_ONCE), sizeof *certainty);
    nd_new(&link, nd_min(pages, ROWS_AT_ONCE), sizeof *link);
    for (uint64_t begin = 0; begin < pages; begin += ROWS_AT_ONCE) {
        const uint64_t count = nd_min(pages - begin, ROWS_AT_ONCE);
        ND_TRY(nd_result_read(result, name, ND_COLUMN_F32, begin, count, certainty));
        ND_TRY(nd_result_read(result, "/pages/link", ND_COLUMN_U64, begin, count, link));
        for (uint64_t i = 0; i < count; i++) {
            const bool leads = link[i] == begin + i;
            if (!nd_is_share(certainty[i]) || (leads && certainty[i] < 1)) {
                st = nd_fail(ND_ERR_FORMAT, "%s: page %" PRIu64 ": %g%s", name, begin + i,
                             (double)certainty[i], leads ? ", and it is a representative" : "");
                goto out;
            }
        }
    }
out:
    free(certainty);
    free(link);
    return st;
}

/* A column of bytes or of 64-bit numbers of which none is above `most`. */
static nd_status check_most(const nd_result *result, const char *name, nd_column_type type,
                            uint64_t most) {
    nd_status st = ND_OK;
    const uint64_t pages = result->shape.pages;
    const size_t size = nd_column_size(type);
    uint8_t *values = NULL;
    if (!nd_result_has(result, name)) {
        return ND_OK;
    }
    nd_new(&values, nd_min(pages, ROWS_AT_ONCE), size);
    for (uint64_t begin = 0; begin < pages; begin += ROWS_AT_ONCE) {
        const uint64_t count = nd_min(pages - begin, ROWS_AT_ONCE);
        ND_TRY(nd_result_read(result, name, type, begin, count, values));
        for (uint64_t i = 0; i < count; i++) {
            uint64_t value = values[i];
            if (type == ND_COLUMN_U64) {
                memcpy(&value, values + i * size, sizeof value);
            }
            if (value > most) {
                st = nd_fail(ND_ERR_FORMAT, "%s: page %" PRIu64 ": %" PRIu64, name, begin + i,
                             value);
                goto out;
            }
        }
    }
out:
    free(values);
    return st;
}

/* Any page may be of any other: both columns whole, and the sets. */
static nd_status check_revisits(const nd_result *result) {
    nd_status st = ND_OK;
    const char *name = "/pages/revisit_of";
    const uint64_t pages = result->shape.pages;
    uint64_t *of = NULL, *exact_of = NULL, *set = NULL;
    if (!nd_result_has(result, name)) {
        return ND_OK;
    }
    nd_new(&of, pages, sizeof *of);
    nd_new(&exact_of, pages, sizeof *exact_of);
    nd_new(&set, pages, sizeof *set);
    ND_TRY(nd_result_read(result, name, ND_COLUMN_U64, 0, pages, of));
    ND_TRY(nd_result_read(result, "/pages/exact_of", ND_COLUMN_U64, 0, pages, exact_of));
    ND_TRY(nd_result_read(result, "/pages/set", ND_COLUMN_U64, 0, pages, set));
    for (uint64_t p = 0; p < pages; p++) {
        const bool good = of[p] == ND_NO_REVISIT || (of[p] == p && exact_of[p] == p) ||
                          (of[p] < pages && of[of[p]] == ND_NO_REVISIT &&
                           exact_of[p] == exact_of[of[p]] && set[p] == set[of[p]]);
        if (!good) {
            st = nd_fail(ND_ERR_FORMAT, "%s: page %" PRIu64 ": page %" PRIu64, name, p, of[p]);
            goto out;
        }
    }
out:
    free(of);
    free(exact_of);
    free(set);
    return st;
}

nd_status nd_result_page_values_check(const nd_result *result) {
    nd_status st = check_certainty(result);
    st = st != ND_OK ? st : check_most(result, "/pages/date", ND_COLUMN_U64, ND_LAST_DATE);
    st = st != ND_OK ? st : check_most(result, "/pages/form", ND_COLUMN_U8, 1);
    st = st != ND_OK ? st : nd_name_order_check(result);
    return st != ND_OK ? st : check_revisits(result);
}
