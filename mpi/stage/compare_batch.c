#include "mpi/stage/compare_batch.h"

#include "mpi/stage/digests.h"

#include <stdlib.h>
#include <string.h>

static void drop_pages(nd_compare_batch *batch) {
    free(batch->pages);
    free(batch->records);
    batch->pages = NULL;
    batch->records = NULL;
}

nd_status nd_compare_batch_fetch(nd_compare_batch *batch, nd_job *job, const uint64_t *pages,
                                 uint64_t count) {
    nd_status st = ND_OK;
    drop_pages(batch);
    batch->job = job;
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

static nd_span payload_at(const nd_compare_batch *batch, uint64_t place) {
    return (nd_span){batch->payloads.bytes + batch->payloads.begin[place],
                     (size_t)(batch->payloads.begin[place + 1] - batch->payloads.begin[place])};
}

static const uint8_t *record_at(const nd_compare_batch *batch, uint64_t place) {
    return batch->records + place * nd_digest_record_size(batch->job);
}

bool nd_compare_batch_same_site(const nd_compare_batch *batch, uint64_t a, uint64_t b) {
    const uint64_t x = nd_numbers_place(batch->pages, batch->page_count, a);
    const uint64_t y = nd_numbers_place(batch->pages, batch->page_count, b);
    return (nd_digest_record_pair(record_at(batch, x), record_at(batch, y)) & ND_PAIR_SAME_SITE) !=
           0;
}

nd_status nd_compare_batch_pair(nd_compare_batch *batch, uint64_t a, uint64_t b, double threshold,
                                double *similarity) {
    const nd_method *method = batch->job->options.method;
    const nd_method_options *options = &batch->job->options.method_options;
    const uint64_t x = nd_numbers_place(batch->pages, batch->page_count, a);
    const uint64_t y = nd_numbers_place(batch->pages, batch->page_count, b);
    *similarity = 0;
    if (method->bound(options, nd_digest_record_digest(record_at(batch, x)),
                      nd_digest_record_digest(record_at(batch, y))) < threshold) {
        return ND_OK;
    }
    batch->compared++;
    return nd_method_compare(
        method, options, &batch->job->method_work, payload_at(batch, x), payload_at(batch, y),
        nd_digest_record_pair(record_at(batch, x), record_at(batch, y)), threshold, similarity);
}

uint64_t nd_compare_batch_bytes(const nd_job *job, uint64_t tokens) {
    return nd_method_payload_size(job->options.method, &job->options.method_options, tokens) +
           nd_digest_record_size(job);
}

void nd_compare_batch_free(nd_compare_batch *batch) {
    drop_pages(batch);
    nd_fetched_free(&batch->payloads);
}
