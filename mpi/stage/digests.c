#include "mpi/stage/digests.h"

#include <stdlib.h>
#include <string.h>

/* What a record begins with. */
typedef struct record_head {
    uint64_t site;
    uint64_t flags; /* of nd_stored_page */
} record_head;

size_t nd_digest_record_size(const nd_job *job) {
    return sizeof(record_head) + job->options.method->sizes(&job->options.method_options, 0).digest;
}

uint32_t nd_digest_record_pair(const uint8_t *a, const uint8_t *b) {
    record_head x;
    record_head y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x.site == y.site ? ND_PAIR_SAME_SITE : 0U) |
           (((x.flags | y.flags) & ND_PAGE_INDEX) != 0 ? ND_PAIR_INDEX : 0U);
}

const void *nd_digest_record_digest(const uint8_t *record) {
    return record + sizeof(record_head);
}

nd_status nd_digests_add(nd_job *job, const nd_document *document) {
    nd_status st = ND_OK;
    const size_t size = nd_digest_record_size(job);
    const size_t index = (size_t)(job->digests.size / size);
    const record_head head = {job->pages.pages[index].site, job->pages.pages[index].flags};
    job->digest_scratch.size = 0;
    ND_TRY(nd_buffer_reserve(&job->digest_scratch, size));
    memset(job->digest_scratch.data, 0, size);
    memcpy(job->digest_scratch.data, &head, sizeof head);
    ND_TRY(job->options.method->digest(&job->options.method_options, &job->method_work, document,
                                       job->digest_scratch.data + sizeof head));
    ND_TRY(nd_spool_append(&job->digests, job->digest_scratch.data, size));
out:
    return st;
}

nd_status nd_digests_fill(nd_job *job) {
    nd_status st = ND_OK;
    nd_document document;
    const size_t size = nd_digest_record_size(job);
    for (size_t i = (size_t)(job->digests.size / size); i < job->pages.count; i++) {
        ND_TRY(nd_page_store_tokens(&job->pages, i, &document));
        ND_TRY(nd_digests_add(job, &document));
    }
out:
    return st;
}

static nd_status give_record(void *context, uint64_t page, nd_span *bytes) {
    nd_job *job = context;
    const size_t size = nd_digest_record_size(job);
    bytes->size = size;
    return nd_spool_read(&job->digests, (page - nd_job_own_first(job)) * size, size,
                         &job->digest_scratch, &bytes->data);
}

nd_status nd_fetch_digests(nd_job *job, const uint64_t *pages, uint64_t count, uint8_t **records) {
    const nd_provider provider = {.context = job, .give = give_record};
    return nd_fetch_fixed(&job->comm, job->first, pages, count, &provider,
                          nd_digest_record_size(job), records);
}

static uint64_t payload_size(const void *context, uint64_t page) {
    const nd_job *job = context;
    const nd_stored_page *stored = &job->pages.pages[page - nd_job_own_first(job)];
    return nd_method_payload_size(job->options.method, &job->options.method_options,
                                  stored->token_count);
}

/* What is compared is in the record already, behind its head. */
static nd_status give_digest(void *context, uint64_t page, nd_span *bytes) {
    const nd_status st = give_record(context, page, bytes);
    if (st == ND_OK) {
        *bytes = (nd_span){bytes->data + sizeof(record_head), bytes->size - sizeof(record_head)};
    }
    return st;
}

static nd_status give_payload(void *context, uint64_t page, nd_span *bytes) {
    nd_job *job = context;
    nd_document document;
    const nd_status st =
        nd_page_store_tokens(&job->pages, (size_t)(page - nd_job_own_first(job)), &document);
    return st != ND_OK
               ? st
               : nd_method_payload(job->options.method, &job->options.method_options,
                                   &job->method_work, &document, &job->digest_scratch, bytes);
}

nd_status nd_fetch_payloads(nd_job *job, const uint64_t *pages, uint64_t count,
                            nd_fetched *payloads) {
    const bool digests =
        nd_method_compares_digests(job->options.method, &job->options.method_options);
    const nd_provider provider = {
        .context = job, .size = payload_size, .give = digests ? give_digest : give_payload};
    return nd_fetch(&job->comm, job->first, pages, count, &provider, payloads);
}
