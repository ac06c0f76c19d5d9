#include "mpi/stage/digests.h"

#include "mpi/stage/old_pages.h"
#include "mpi/stage/old_texts.h"
#include "src/base/status.h"
#include "src/sketch/histogram.h"

#include <stdlib.h>
#include <string.h>

/* What a record begins with. */
typedef struct record_head {
    uint64_t site;
    uint32_t flags; /* of nd_stored_page, as the next */
    uint32_t subject;
} record_head;

static nd_origin origin_of(const record_head *head) {
    return (nd_origin){head->site, (uint16_t)head->subject, (head->flags & ND_PAGE_TEXT) != 0};
}

size_t nd_digest_record_size(const nd_job_options *options) {
    return sizeof(record_head) + options->method->sizes(&options->method_options, 0).digest;
}

uint32_t nd_digest_record_pair(const uint8_t *a, const uint8_t *b) {
    record_head x;
    record_head y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return nd_method_relation(origin_of(&x), origin_of(&y)) |
           (((x.flags | y.flags) & ND_PAGE_INDEX) != 0 ? ND_PAIR_INDEX : 0U);
}

bool nd_digest_record_are_texts(const uint8_t *a, const uint8_t *b) {
    record_head x;
    record_head y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x.flags & y.flags & ND_PAGE_TEXT) != 0;
}

const void *nd_digest_record_digest(const uint8_t *record) {
    return record + sizeof(record_head);
}

/* That of an old page is in its index. */
static nd_status read_kept(nd_job *job, uint64_t page, uint8_t *digest) {
    nd_status st = ND_OK;
    nd_packed_reader *digests = &job->old.digests;
    const size_t size = job->options.method->sizes(&job->options.method_options, 0).digest;
    if (digests->from == NULL) {
        ND_TRY(nd_packed_reader_open(digests, ND_PACKING_COUNTS, &job->old.index, "digests"));
    }
    ND_TRY(nd_packed_read(digests, page * size, size, digest));
out:
    return st;
}

/* ---- packed, as they are kept and sent: most counts of a histogram are small. What does not
 * become shorter, as sketches, is as it is. */

static size_t numbers_of_record(const nd_job_options *options) {
    return nd_digest_record_size(options) / sizeof(uint16_t);
}

/* \param[out] packed  room for as many as it takes at most */
static nd_span pack(const nd_job_options *options, const uint8_t *record, uint8_t *packed) {
    const size_t whole = nd_digest_record_size(options);
    const size_t size = nd_small_numbers_pack(record, numbers_of_record(options), packed);
    return size < whole ? (nd_span){packed, size} : (nd_span){record, whole};
}

static void unpack(const nd_job_options *options, nd_span packed, uint8_t *record) {
    const size_t whole = nd_digest_record_size(options);
    if (packed.size == whole) {
        memcpy(record, packed.data, whole);
    } else {
        const bool all =
            nd_small_numbers_unpack(packed.data, packed.size, record, numbers_of_record(options));
        ND_ASSERT(all, packed.size, whole);
    }
}

nd_status nd_digests_add(nd_job *job, const nd_document *document) {
    nd_status st = ND_OK;
    const size_t size = nd_digest_record_size(&job->options);
    const size_t index = (size_t)job->digest_count;
    ND_ASSERT(index < job->pages.count, index, job->pages.count);
    const nd_stored_page *page = &job->pages.pages[index];
    const record_head head = {page->site, page->flags, page->subject};
    job->digest_record.size = 0;
    ND_TRY(nd_buffer_reserve(&job->digest_record,
                             size + nd_small_numbers_most(numbers_of_record(&job->options))));
    uint8_t *const record = job->digest_record.data;
    memset(record, 0, size);
    memcpy(record, &head, sizeof head);
    uint8_t *const digest = record + sizeof head;
    ND_TRY(index < nd_old_own_count(job)
               ? read_kept(job, nd_job_own_first(job) + index, digest)
               : job->options.method->digest(&job->options.method_options, &job->method_work,
                                             document, digest));
    ND_TRY(nd_grow_within(&job->digest_begin, &job->digest_capacity, index + 2,
                          job->pages.count + 1, sizeof *job->digest_begin));
    const nd_span packed = pack(&job->options, record, record + size);
    ND_TRY(nd_spool_append(&job->digests, packed.data, packed.size));
    job->digest_begin[0] = 0;
    job->digest_begin[++job->digest_count] = job->digests.size;
out:
    return st;
}

nd_status nd_digests_fill(nd_job *job) {
    nd_status st = ND_OK;
    nd_document document = {0};
    for (size_t i = (size_t)job->digest_count; i < job->pages.count; i++) {
        ND_TRY(i < nd_old_own_count(job) ? ND_OK : nd_page_store_tokens(&job->pages, i, &document));
        ND_TRY(nd_digests_add(job, &document));
    }
out:
    return st;
}

void nd_digests_drop(nd_job *job) {
    nd_spool_close(&job->digests);
    free(job->digest_begin);
    job->digest_begin = NULL;
    job->digest_capacity = 0;
    job->digest_count = 0;
}

static uint64_t packed_size(const void *context, uint64_t page) {
    const nd_job *job = context;
    const uint64_t index = page - nd_job_own_first(job);
    ND_ASSERT(index < job->digest_count, page, nd_job_own_first(job), job->digest_count);
    return job->digest_begin[index + 1] - job->digest_begin[index];
}

static nd_status give_packed(void *context, uint64_t page, nd_span *bytes) {
    nd_job *job = context;
    bytes->size = (size_t)packed_size(job, page);
    return nd_spool_read(&job->digests, job->digest_begin[page - nd_job_own_first(job)],
                         bytes->size, &job->digest_scratch, &bytes->data);
}

nd_status nd_digest_record(nd_job *job, uint64_t page, nd_span *record) {
    nd_status st = ND_OK;
    nd_span packed;
    const size_t size = nd_digest_record_size(&job->options);
    ND_TRY(give_packed(job, page, &packed));
    job->digest_record.size = 0;
    ND_TRY(nd_buffer_reserve(&job->digest_record, size));
    unpack(&job->options, packed, job->digest_record.data);
    *record = (nd_span){job->digest_record.data, size};
out:
    return st;
}

nd_status nd_fetch_digests(nd_job *job, const uint64_t *pages, uint64_t count, uint8_t **records) {
    nd_status st = ND_OK;
    nd_fetched fetched = {0};
    const size_t size = nd_digest_record_size(&job->options);
    const nd_provider provider = {.context = job, .size = packed_size, .give = give_packed};
    *records = NULL;
    ND_TRY(nd_fetch(&job->comm, job->first, pages, count, &provider, &fetched));
    ND_TRY(nd_comm_agree(&job->comm, nd_new_room(records, count, size)));
    for (uint64_t i = 0; i < count; i++) {
        unpack(&job->options, nd_fetched_at(&fetched, i), *records + i * size);
    }
out:
    nd_fetched_free(&fetched);
    return st;
}

static uint64_t payload_size(const void *context, uint64_t page) {
    const nd_job *job = context;
    ND_ASSERT(page - nd_job_own_first(job) < job->pages.count, page, nd_job_own_first(job),
              job->pages.count);
    const nd_stored_page *stored = &job->pages.pages[page - nd_job_own_first(job)];
    return nd_method_payload_size(job->options.method, &job->options.method_options,
                                  stored->token_count);
}

static nd_status give_payload(void *context, uint64_t page, nd_span *bytes) {
    nd_status st = ND_OK;
    nd_job *job = context;
    const nd_job_options *o = &job->options;
    nd_document document;
    if (nd_method_compares_digests(o->method, &o->method_options)) {
        /* what is compared is in the record already, after its head */
        ND_TRY(nd_digest_record(job, page, bytes));
        *bytes = (nd_span){bytes->data + sizeof(record_head), bytes->size - sizeof(record_head)};
    } else {
        const size_t index = (size_t)(page - nd_job_own_first(job));
        ND_TRY(nd_old_text_have(job, index));
        ND_TRY(nd_page_store_tokens(&job->pages, index, &document));
        ND_TRY(nd_method_payload(o->method, &o->method_options, &job->method_work, &document,
                                 &job->digest_scratch, bytes));
    }
out:
    return st;
}

nd_status nd_fetch_payloads(nd_job *job, const uint64_t *pages, uint64_t count,
                            nd_fetched *payloads) {
    const nd_provider provider = {.context = job, .size = payload_size, .give = give_payload};
    return nd_fetch(&job->comm, job->first, pages, count, &provider, payloads);
}

nd_status nd_pages_places(uint64_t *places, uint64_t count, uint64_t **pages,
                          uint64_t *page_count) {
    nd_status st = ND_OK;
    nd_key_value *records = NULL;
    *page_count = 0;
    *pages = NULL;
    ND_TRY(nd_new_room(&records, count, sizeof *records));
    ND_TRY(nd_new_room(pages, count, sizeof **pages));
    for (uint64_t i = 0; i < count; i++) {
        records[i] = (nd_key_value){places[i], i};
    }
    ND_TRY(nd_numbers_places(records, count, *pages, page_count));
    for (uint64_t i = 0; i < count; i++) {
        places[records[i].value] = records[i].key;
    }
out:
    free(records);
    return st;
}
