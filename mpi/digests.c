#include "mpi/digests.h"

#include <stdlib.h>
#include <string.h>

size_t nd_digest_record_size(const nd_job *job) {
    return sizeof(uint64_t) + job->options.method->digest_size(&job->options.method_options);
}

uint64_t nd_digest_record_site(const uint8_t *record) {
    uint64_t site = 0;
    memcpy(&site, record, sizeof site);
    return site;
}

const void *nd_digest_record_digest(const uint8_t *record) {
    return record + sizeof(uint64_t);
}

/* A digest is made when it is asked for: it is cheap, and most pages' are needed about once. */
typedef struct digest_maker {
    nd_job *job;
    uint8_t *scratch; /* one record */
} digest_maker;

static nd_status make_record(void *context, uint64_t page, nd_span *bytes) {
    const digest_maker *maker = context;
    nd_job *job = maker->job;
    const size_t index = (size_t)(page - nd_job_own_first(job));
    nd_document document;
    nd_status st = nd_page_store_document(&job->pages, index, &document);
    if (st == ND_OK) {
        memcpy(maker->scratch, &job->pages.pages[index].site, sizeof(uint64_t));
        st = job->options.method->digest(&job->options.method_options, job->method_state, &document,
                                         maker->scratch + sizeof(uint64_t));
        *bytes = (nd_span){maker->scratch, nd_digest_record_size(job)};
    }
    return st;
}

nd_status nd_fetch_digests(nd_job *job, const uint64_t *pages, uint64_t count, uint8_t **records) {
    digest_maker maker = {.job = job};
    const nd_provider provider = {.context = &maker, .give = make_record};
    const size_t size = nd_digest_record_size(job);
    nd_status st = nd_comm_agree(&job->comm, nd_new(&maker.scratch, 1, size));
    *records = NULL;
    if (st == ND_OK) {
        st = nd_fetch_fixed(&job->comm, job->first, pages, count, &provider, size, records);
    }
    free(maker.scratch);
    return st;
}

static uint64_t payload_size(const void *context, uint64_t page) {
    const nd_job *job = context;
    const nd_stored_page *stored = &job->pages.pages[page - nd_job_own_first(job)];
    return job->options.method->payload_size(&job->options.method_options, stored->token_count);
}

static nd_status give_payload(void *context, uint64_t page, nd_span *bytes) {
    nd_job *job = context;
    nd_document document;
    const nd_status st =
        nd_page_store_document(&job->pages, (size_t)(page - nd_job_own_first(job)), &document);
    return st != ND_OK ? st
                       : job->options.method->payload(&job->options.method_options,
                                                      job->method_state, &document, bytes);
}

nd_status nd_fetch_payloads(nd_job *job, const uint64_t *pages, uint64_t count,
                            nd_fetched *payloads) {
    const nd_provider provider = {.context = job, .size = payload_size, .give = give_payload};
    return nd_fetch(&job->comm, job->first, pages, count, &provider, payloads);
}
