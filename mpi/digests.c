#include "mpi/digests.h"

#include <stdlib.h>
#include <string.h>

/* A digest is made when it is asked for: it is cheap, and most pages' are needed about once. */
typedef struct digest_maker {
    const nd_job *job;
    uint8_t *scratch; /* one digest */
} digest_maker;

static nd_span make_digest(const void *context, uint64_t page) {
    const digest_maker *maker = context;
    const nd_job *job = maker->job;
    const nd_document document =
        nd_page_store_document(&job->pages, (size_t)(page - nd_job_own_first(job)));
    job->options.method->digest(&document, maker->scratch);
    return (nd_span){maker->scratch, job->options.method->digest_size};
}

nd_status nd_fetch_digests(nd_job *job, const uint64_t *pages, uint64_t count, uint8_t **digests) {
    digest_maker maker = {.job = job};
    const size_t size = job->options.method->digest_size;
    nd_status st = nd_comm_agree(&job->comm, nd_new(&maker.scratch, 1, size));
    *digests = NULL;
    if (st == ND_OK) {
        st = nd_fetch_fixed(&job->comm, job->first, pages, count, make_digest, &maker, size,
                            digests);
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
