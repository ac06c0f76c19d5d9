#include "mpi/stage/compare_batch.h"

#include "src/base/status.h"

#include "mpi/stage/digests.h"

#include <stdlib.h>
#include <string.h>

static void drop_pages(nd_compare_batch *batch) {
    free(batch->pages);
    free(batch->records);
    batch->pages = NULL;
    batch->records = NULL;
}

nd_status nd_compare_batch_fetch(nd_compare_batch *batch, const uint64_t *pages, uint64_t count) {
    nd_status st = ND_OK;
    nd_job *job = batch->job;
    drop_pages(batch);
    ND_TRY(nd_comm_agree(&job->comm, nd_new_room(&batch->pages, count, sizeof *pages)));
    if (count > 0) {
        memcpy(batch->pages, pages, count * sizeof *pages);
    }
    batch->page_count = nd_numbers_distinct(batch->pages, count);
    ND_TRY(nd_fetch_digests(job, batch->pages, batch->page_count, &batch->records));
    ND_TRY(nd_fetch_payloads(job, batch->pages, batch->page_count, &batch->payloads));
out:
    return st;
}

static const uint8_t *record_at(const nd_compare_batch *batch, uint64_t place) {
    return batch->records + place * nd_digest_record_size(&batch->job->options);
}

uint32_t nd_compare_batch_relation(const nd_compare_batch *batch, uint64_t a, uint64_t b) {
    const uint64_t x = nd_numbers_place(batch->pages, batch->page_count, a);
    const uint64_t y = nd_numbers_place(batch->pages, batch->page_count, b);
    ND_ASSERT(x < batch->page_count && y < batch->page_count, a, b, batch->page_count);
    return nd_digest_record_pair(record_at(batch, x), record_at(batch, y));
}

bool nd_compare_batch_are_texts(const nd_compare_batch *batch, uint64_t a, uint64_t b) {
    const uint64_t x = nd_numbers_place(batch->pages, batch->page_count, a);
    const uint64_t y = nd_numbers_place(batch->pages, batch->page_count, b);
    ND_ASSERT(x < batch->page_count && y < batch->page_count, a, b, batch->page_count);
    return nd_digest_record_are_texts(record_at(batch, x), record_at(batch, y));
}

/* What the method has to compare two pages by. */
typedef nd_status (*comparison)(const nd_method *method, const nd_method_options *options,
                                nd_method_work *work, nd_span a, nd_span b, uint32_t pair,
                                double threshold, double *similarity);

static nd_status compare(nd_compare_batch *batch, uint64_t a, uint64_t b, comparison compare_pages,
                         double threshold, double *similarity) {
    const nd_method *method = batch->job->options.method;
    const nd_method_options *options = &batch->job->options.method_options;
    const uint64_t x = nd_numbers_place(batch->pages, batch->page_count, a);
    const uint64_t y = nd_numbers_place(batch->pages, batch->page_count, b);
    ND_ASSERT(x < batch->page_count && batch->pages[x] == a, x, batch->page_count, a);
    ND_ASSERT(y < batch->page_count && batch->pages[y] == b, y, batch->page_count, b);
    *similarity = 0;
    if (method->bound(options, nd_digest_record_digest(record_at(batch, x)),
                      nd_digest_record_digest(record_at(batch, y))) < threshold) {
        return ND_OK;
    }
    batch->compared++;
    return compare_pages(method, options, &batch->job->method_work,
                         nd_fetched_at(&batch->payloads, x), nd_fetched_at(&batch->payloads, y),
                         nd_digest_record_pair(record_at(batch, x), record_at(batch, y)), threshold,
                         similarity);
}

nd_status nd_compare_batch_pair(nd_compare_batch *batch, uint64_t a, uint64_t b, double threshold,
                                double *similarity) {
    return compare(batch, a, b, nd_method_compare, threshold, similarity);
}

nd_status nd_compare_batch_member(nd_compare_batch *batch, uint64_t leader, uint64_t member,
                                  double threshold, double *similarity) {
    return compare(batch, leader, member, nd_method_compare_member, threshold, similarity);
}

uint64_t nd_compare_batch_bytes(const nd_job_options *options, uint64_t tokens) {
    return nd_method_payload_size(options->method, &options->method_options, tokens) +
           nd_digest_record_size(options);
}

void nd_compare_batch_free(nd_compare_batch *batch) {
    drop_pages(batch);
    nd_fetched_free(&batch->payloads);
}
