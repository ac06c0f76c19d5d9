#include "mpi/compare_batch.h"

#include "mpi/digests.h"

#include <stdlib.h>
#include <string.h>

static void drop_pages(nd_compare_batch *batch) {
    free(batch->pages);
    free(batch->digests);
    batch->pages = NULL;
    batch->digests = NULL;
    nd_fetched_free(&batch->payloads);
}

nd_status nd_compare_batch_fetch(nd_compare_batch *batch, nd_job *job, const uint64_t *pages,
                                 uint64_t count) {
    nd_status st = ND_OK;
    drop_pages(batch);
    batch->job = job;
    ND_TRY(nd_comm_agree(&job->comm, nd_new(&batch->pages, count, sizeof *pages)));
    if (count > 0) {
        memcpy(batch->pages, pages, count * sizeof *pages);
    }
    batch->page_count = nd_distinct(batch->pages, count);
    ND_TRY(nd_fetch_digests(job, batch->pages, batch->page_count, &batch->digests));
    ND_TRY(nd_fetch_payloads(job, batch->pages, batch->page_count, &batch->payloads));
out:
    return st;
}

static nd_span payload_at(const nd_compare_batch *batch, uint64_t place) {
    return (nd_span){batch->payloads.bytes + batch->payloads.begin[place],
                     (size_t)(batch->payloads.begin[place + 1] - batch->payloads.begin[place])};
}

nd_status nd_compare_batch_pair(nd_compare_batch *batch, uint64_t a, uint64_t b, double threshold,
                                double *similarity) {
    const nd_method *method = batch->job->options.method;
    const nd_method_options *options = &batch->job->options.method_options;
    const uint64_t x = nd_place(batch->pages, batch->page_count, a);
    const uint64_t y = nd_place(batch->pages, batch->page_count, b);
    *similarity = 0;
    if (method->bound(options, batch->digests + x * method->digest_size,
                      batch->digests + y * method->digest_size) < threshold) {
        return ND_OK;
    }
    batch->compared++;
    return method->similarity(options, payload_at(batch, x), payload_at(batch, y), threshold,
                              &batch->work, similarity);
}

uint64_t nd_compare_batch_bytes(const nd_job *job, uint64_t tokens) {
    return tokens * sizeof(uint32_t) + job->options.method->digest_size;
}

void nd_compare_batch_free(nd_compare_batch *batch) {
    drop_pages(batch);
    nd_lcs_work_free(&batch->work);
}
