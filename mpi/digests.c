#include "mpi/digests.h"

#include <stdlib.h>
#include <string.h>

size_t nd_digest_record_size(const nd_job *job) {
    return sizeof(uint64_t) + job->options.method->digest_size;
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
    const nd_job *job;
    uint8_t *scratch; /* one record */
} digest_maker;

static nd_span make_record(const void *context, uint64_t page) {
    const digest_maker *maker = context;
    const nd_job *job = maker->job;
    const size_t index = (size_t)(page - nd_job_own_first(job));
    const nd_document document = nd_page_store_document(&job->pages, index);
    memcpy(maker->scratch, &job->pages.pages[index].site, sizeof(uint64_t));
    job->options.method->digest(&document, maker->scratch + sizeof(uint64_t));
    return (nd_span){maker->scratch, nd_digest_record_size(job)};
}

nd_status nd_fetch_digests(nd_job *job, const uint64_t *pages, uint64_t count, uint8_t **records) {
    digest_maker maker = {.job = job};
    const size_t size = nd_digest_record_size(job);
    nd_status st = nd_comm_agree(&job->comm, nd_new(&maker.scratch, 1, size));
    *records = NULL;
    if (st == ND_OK) {
        st = nd_fetch_fixed(&job->comm, job->first, pages, count, make_record, &maker, size,
                            records);
    }
    free(maker.scratch);
    return st;
}

static nd_span give_payload(const void *context, uint64_t page) {
    const nd_job *job = context;
    const nd_document document =
        nd_page_store_document(&job->pages, (size_t)(page - nd_job_own_first(job)));
    return job->options.method->payload(&document);
}

nd_status nd_fetch_payloads(nd_job *job, const uint64_t *pages, uint64_t count,
                            nd_fetched *payloads) {
    return nd_fetch(&job->comm, job->first, pages, count, give_payload, job, payloads);
}
