#include "src/measure/overlap_sample.h"

#include "src/base/buffer.h"
#include "src/base/order.h"
#include "src/base/radix_sort.h"

#include <stdlib.h>
#include <string.h>

nd_status nd_overlap_sample_open(nd_overlap_sample *sample, size_t collections, size_t wanted) {
    *sample = (nd_overlap_sample){.collections = collections,
                                  .words = ND_SAMPLE_BITS + (collections + 63) / 64,
                                  .wanted = wanted};
    nd_new(&sample->of, collections, sizeof *sample->of);
    for (size_t x = 0; x < collections; x++) {
        sample->of[x].most = UINT64_MAX;
    }
    return ND_OK;
}

static nd_status leave_out(nd_overlap_sample *sample, nd_overlap_drawn *drawn) {
    static const nd_record_order by_order = {2, {ND_SAMPLE_ORDER, ND_SAMPLE_PAGE}, NULL};
    nd_status st = ND_OK;
    ND_TRY(nd_record_sort(drawn->records, drawn->count, sample->words * sizeof *drawn->records,
                          &by_order));
    drawn->count = nd_min(drawn->count, sample->wanted);
    if (drawn->count == sample->wanted) {
        drawn->most = drawn->records[(drawn->count - 1) * sample->words + ND_SAMPLE_ORDER];
    }
out:
    return st;
}

nd_status nd_overlap_sample_offer(nd_overlap_sample *sample, size_t x, uint64_t order,
                                  uint64_t page, const uint64_t *in) {
    nd_status st = ND_OK;
    nd_overlap_drawn *drawn = &sample->of[x];
    if (order > drawn->most) {
        return ND_OK;
    }
    if (drawn->count >= 2 * sample->wanted) {
        ND_TRY(leave_out(sample, drawn));
    }
    nd_grow(&drawn->records, &drawn->capacity, drawn->count + 1,
            sample->words * sizeof *drawn->records);
    uint64_t *record = nd_overlap_drawn_at(sample, x, drawn->count++);
    record[ND_SAMPLE_ORDER] = order;
    record[ND_SAMPLE_PAGE] = page;
    memcpy(record + ND_SAMPLE_BITS, in, (sample->words - ND_SAMPLE_BITS) * sizeof *in);
out:
    return st;
}

nd_status nd_overlap_sample_finish(nd_overlap_sample *sample) {
    nd_status st = ND_OK;
    for (size_t x = 0; x < sample->collections; x++) {
        ND_TRY(leave_out(sample, &sample->of[x]));
    }
out:
    return st;
}

void nd_overlap_sample_free(nd_overlap_sample *sample) {
    for (size_t x = 0; sample->of != NULL && x < sample->collections; x++) {
        free(sample->of[x].records);
    }
    free(sample->of);
    *sample = (nd_overlap_sample){0};
}
