#include "mpi/stage/compare.h"

#include "io/store/external_sort.h"
#include "mpi/stage/common_words.h"
#include "mpi/stage/index_pages.h"
#include "mpi/stage/pair_labels.h"
#include "mpi/stage/state.h"
#include "src/base/status.h"
#include "src/sketch/histogram.h"

#include <stdlib.h>
#include <string.h>

/* ==== fetching */

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

/* Not collective. Are both plain texts? */
static bool digest_record_are_texts(const uint8_t *a, const uint8_t *b) {
    record_head x;
    record_head y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x.flags & y.flags & ND_PAGE_TEXT) != 0;
}

const void *nd_digest_record_digest(const uint8_t *record) {
    return record + sizeof(record_head);
}

/* That of an indexed page is in its index. */
static nd_status read_kept(nd_job *job, uint64_t page, uint8_t *digest) {
    nd_status st = ND_OK;
    nd_packed_reader *digests = &job->state->index.digests;
    const size_t size = job->options.method->sizes(&job->options.method_options, 0).digest;
    if (digests->from == NULL) {
        ND_TRY(nd_packed_reader_open(digests, ND_PACKING_COUNTS, &job->state->index.folder,
                                     "digests"));
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

/* The record of a page, with room after it to pack it. */
static nd_status make_record(nd_job *job, size_t index, const nd_document *document,
                             uint8_t **made) {
    nd_status st = ND_OK;
    const size_t size = nd_digest_record_size(&job->options);
    const nd_stored_page *page = &job->state->pages.pages[index];
    const record_head head = {page->site, page->flags, page->subject};
    job->state->digest_record.size = 0;
    nd_buffer_reserve(&job->state->digest_record,
                      size + nd_small_numbers_most(numbers_of_record(&job->options)));
    uint8_t *const record = job->state->digest_record.data;
    memset(record, 0, size);
    memcpy(record, &head, sizeof head);
    uint8_t *const digest = record + sizeof head;
    if (index < nd_index_own_count(job)) {
        ND_TRY(read_kept(job, nd_job_own_first(job) + index, digest));
    } else {
        job->options.method->digest(&job->options.method_options, &job->state->method_work,
                                    document, digest);
    }
    *made = record;
out:
    return st;
}

nd_status nd_digests_add(nd_job *job, const nd_document *document) {
    nd_status st = ND_OK;
    const size_t size = nd_digest_record_size(&job->options);
    const size_t index = (size_t)job->state->digest_count;
    uint8_t *record = NULL;
    ND_ASSERT(index < job->state->pages.count, index, job->state->pages.count);
    ND_TRY(make_record(job, index, document, &record));
    nd_grow_within(&job->state->digest_begin, &job->state->digest_capacity, index + 2,
                   job->state->pages.count + 1, sizeof *job->state->digest_begin);
    const nd_span packed = pack(&job->options, record, record + size);
    ND_TRY(nd_spool_append(&job->state->digests, packed.data, packed.size));
    job->state->digest_begin[0] = 0;
    job->state->digest_begin[++job->state->digest_count] = job->state->digests.size;
out:
    return st;
}

static nd_status tokens_of(nd_job *job, size_t index, nd_document *document) {
    *document = (nd_document){0};
    return index < nd_index_own_count(job)
               ? ND_OK
               : nd_page_store_tokens(&job->state->pages, index, document);
}

nd_status nd_digests_fill(nd_job *job) {
    nd_status st = ND_OK;
    nd_document document;
    for (size_t i = (size_t)job->state->digest_count; i < job->state->pages.count; i++) {
        ND_TRY(tokens_of(job, i, &document));
        ND_TRY(nd_digests_add(job, &document));
    }
out:
    return st;
}

void nd_digests_drop(nd_job *job) {
    nd_spool_close(&job->state->digests);
    free(job->state->digest_begin);
    job->state->digest_begin = NULL;
    job->state->digest_capacity = 0;
    job->state->digest_count = 0;
}

/* Of one that was not made it is that of what will be made. */
static uint64_t packed_size(const void *context, uint64_t page) {
    const nd_job *job = context;
    const uint64_t index = page - nd_job_own_first(job);
    ND_ASSERT(index < job->state->pages.count, page, nd_job_own_first(job),
              job->state->pages.count);
    return index < job->state->digest_count
               ? job->state->digest_begin[index + 1] - job->state->digest_begin[index]
               : nd_digest_record_size(&job->options);
}

static nd_status give_packed(void *context, uint64_t page, nd_span *bytes) {
    nd_status st = ND_OK;
    nd_job *job = context;
    const size_t index = (size_t)(page - nd_job_own_first(job));
    nd_document document;
    uint8_t *record = NULL;
    bytes->size = (size_t)packed_size(job, page);
    if (index < job->state->digest_count) {
        return nd_spool_read(&job->state->digests, job->state->digest_begin[index], bytes->size,
                             &job->state->digest_scratch, &bytes->data);
    }
    ND_TRY(tokens_of(job, index, &document));
    ND_TRY(make_record(job, index, &document, &record));
    bytes->data = record;
out:
    return st;
}

nd_status nd_digest_record(nd_job *job, uint64_t page, nd_span *record) {
    nd_status st = ND_OK;
    nd_span packed;
    const size_t size = nd_digest_record_size(&job->options);
    ND_TRY(give_packed(job, page, &packed));
    if (packed.data != job->state->digest_record.data) {
        job->state->digest_record.size = 0;
        nd_buffer_reserve(&job->state->digest_record, size);
        unpack(&job->options, packed, job->state->digest_record.data);
    }
    *record = (nd_span){job->state->digest_record.data, size};
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
    nd_new_room(records, count, size);
    for (uint64_t i = 0; i < count; i++) {
        unpack(&job->options, nd_fetched_at(&fetched, i), *records + i * size);
    }
out:
    nd_fetched_free(&fetched);
    return st;
}

static uint64_t payload_size(const void *context, uint64_t page) {
    const nd_job *job = context;
    ND_ASSERT(page - nd_job_own_first(job) < job->state->pages.count, page, nd_job_own_first(job),
              job->state->pages.count);
    const nd_stored_page *stored = &job->state->pages.pages[page - nd_job_own_first(job)];
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
        ND_TRY(nd_index_text_ensure(job, index));
        ND_TRY(nd_page_store_tokens(&job->state->pages, index, &document));
        nd_method_payload(o->method, &o->method_options, &job->state->method_work, &document,
                          &job->state->digest_scratch, bytes);
    }
out:
    return st;
}

/* Collective. Payloads of pages likewise, to be given to nd_fetched_free(). */
static nd_status fetch_payloads(nd_job *job, const uint64_t *pages, uint64_t count,
                                nd_fetched *payloads) {
    nd_status st = ND_OK;
    nd_provider provider = {.context = job, .size = payload_size, .give = give_payload};
    ND_TRY(nd_common_words_wire(job, &provider.wire));
    ND_TRY(nd_fetch(&job->comm, job->first, pages, count, &provider, payloads));
out:
    return st;
}

void nd_pages_places(uint64_t *places, uint64_t count, uint64_t **pages, uint64_t *page_count) {
    nd_key_value *records = NULL;
    *page_count = 0;
    *pages = NULL;
    nd_new_room(&records, count, sizeof *records);
    nd_new_room(pages, count, sizeof **pages);
    for (uint64_t i = 0; i < count; i++) {
        records[i] = (nd_key_value){places[i], i};
    }
    nd_numbers_places(records, count, *pages, page_count);
    for (uint64_t i = 0; i < count; i++) {
        places[records[i].value] = records[i].key;
    }
    free(records);
}

/* ==== pages at will */

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
    nd_new_room(&batch->pages, count, sizeof *pages);
    if (count > 0) {
        memcpy(batch->pages, pages, count * sizeof *pages);
    }
    batch->page_count = nd_numbers_distinct(batch->pages, count);
    ND_TRY(nd_fetch_digests(job, batch->pages, batch->page_count, &batch->records));
    ND_TRY(fetch_payloads(job, batch->pages, batch->page_count, &batch->payloads));
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
    return digest_record_are_texts(record_at(batch, x), record_at(batch, y));
}

/* What the method has to compare two pages by. */
typedef void (*comparison)(const nd_method *method, const nd_method_options *options,
                           nd_method_work *work, nd_span a, nd_span b, uint32_t pair,
                           double threshold, double *similarity);

static void compare(nd_compare_batch *batch, uint64_t a, uint64_t b, comparison compare_pages,
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
        return;
    }
    batch->compared++;
    return compare_pages(method, options, &batch->job->state->method_work,
                         nd_fetched_at(&batch->payloads, x), nd_fetched_at(&batch->payloads, y),
                         nd_digest_record_pair(record_at(batch, x), record_at(batch, y)), threshold,
                         similarity);
}

void nd_compare_batch_pair(nd_compare_batch *batch, uint64_t a, uint64_t b, double threshold,
                           double *similarity) {
    compare(batch, a, b, nd_method_compare, threshold, similarity);
}

void nd_compare_batch_member(nd_compare_batch *batch, uint64_t leader, uint64_t member,
                             double threshold, double *similarity) {
    compare(batch, leader, member, nd_method_compare_member, threshold, similarity);
}

uint64_t nd_compare_batch_bytes(const nd_job_options *options, uint64_t tokens) {
    return nd_method_payload_size(options->method, &options->method_options, tokens) +
           nd_digest_record_size(options);
}

void nd_compare_batch_free(nd_compare_batch *batch) {
    drop_pages(batch);
    nd_fetched_free(&batch->payloads);
}

/* ==== a list of pairs */

/* item, a, b */
static const nd_record_order by_item_then_pages = {.word_count = 3, .words = {0, 1, 2}};

void nd_scoring_open(nd_scoring *scoring, nd_job *job, bool keep_all, nd_spool *links,
                     uint64_t *link_count) {
    *scoring =
        (nd_scoring){.job = job, .keep_all = keep_all, .links = links, .link_count = link_count};
    nd_spool_open(&scoring->dealt, &job->kept, job->options.memory.spool);
}

/* ---- costs */

static nd_cost_count start_cost(const nd_scoring *s) {
    const nd_job_options *options = &s->job->options;
    return (nd_cost_count){.preparation =
                               nd_method_preparation(options->method, &options->method_options),
                           .page = UINT64_MAX};
}

/* \return what the pair takes, which is counted: the comparison as many units as both have tokens
 */
static uint64_t count_cost(nd_cost_count *so_far, const nd_pair *pair) {
    const uint64_t once = pair->a == so_far->page ? 0 : so_far->preparation * pair->a_tokens;
    const uint64_t cost = once + pair->a_tokens + pair->b_tokens;
    so_far->page = pair->a;
    so_far->total += cost;
    return cost;
}

/* ---- dealing */

/* The items' owners follow one another in the order of the items, so what each rank has sorted is
 * all pairs in one order, and equal shares of it keep the pairs of an item together. */
static nd_status deal_by_cost(nd_scoring *s, nd_external_sort *from, nd_external_sort *to) {
    nd_status st = ND_OK;
    nd_comm *comm = &s->job->comm;
    nd_pair *pairs = NULL;
    int *owners = NULL;
    const void *record = NULL;
    const nd_shuffle_stream stream = {.comm = comm,
                                      .record_size = sizeof(nd_pair),
                                      .sink = nd_shuffle_into_sort,
                                      .sink_context = to};
    const uint64_t room = comm->round_bytes / sizeof(nd_pair) + 1;
    nd_cost_count cost = start_cost(s);
    uint64_t count = 0;
    while ((st = nd_external_sort_next(from, &record)) == ND_OK) {
        (void)count_cost(&cost, record);
    }
    st = st == ND_END ? nd_external_sort_rewind(from) : st;
    ND_TRY(nd_comm_agree(comm, st));
    const double before = (double)nd_comm_before(comm, cost.total);
    const double total = (double)nd_comm_sum(comm, cost.total);
    int last = 0;
    cost = start_cost(s);
    nd_new_room(&pairs, room, sizeof *pairs);
    nd_new_room(&owners, room, sizeof *owners);
    do {
        /* the next pairs in order, each with the rank whose share of the cost it falls in */
        for (count = 0; st == ND_OK && count < room; count++) {
            st = nd_external_sort_next(from, &record);
            if (st != ND_OK) {
                break;
            }
            const double own = (double)count_cost(&cost, record);
            const double middle = before + (double)cost.total - own / 2;
            const int rank = nd_comm_part_owner(comm, middle / total);
            ND_ASSERT(own > 0 && rank >= last, rank, last, count); /* shares in their order */
            last = rank;
            owners[count] = rank;
            memcpy(&pairs[count], record, sizeof *pairs);
        }
        ND_TRY(nd_comm_agree(comm, st == ND_END ? ND_OK : st));
        ND_TRY(nd_shuffle_send_to(&stream, pairs, count, owners));
    } while (nd_comm_max(comm, count) > 0);
out:
    free(pairs);
    free(owners);
    return st;
}

/* What listing the pages of a pair takes. */
enum { LIST_BYTES = 2 * (sizeof(nd_key_value) + 2 * sizeof(uint64_t)) };

/* What a pair takes in a batch; where its first page occurs again, that is counted already. */
static uint64_t pair_bytes(const nd_job_options *o, const nd_pair *pair, bool again) {
    const nd_method_options *options = &o->method_options;
    return sizeof *pair + LIST_BYTES + nd_method_payload_size(o->method, options, pair->b_tokens) +
           (again ? 0 : nd_method_payload_size(o->method, options, pair->a_tokens));
}

nd_status nd_scoring_deal(nd_scoring *scoring, const uint64_t *labels, nd_record_source pairs,
                          void *context) {
    nd_status st = ND_OK;
    nd_job *job = scoring->job;
    nd_external_sort by_item = {0};
    nd_external_sort dealt = {0};
    nd_external_sort *sorted = job->comm.size > 1 ? &dealt : &by_item;
    nd_cost_count cost = start_cost(scoring);
    const void *record = NULL;
    uint64_t bytes = 0; /* of all batches */
    const nd_shuffle_stream stream = nd_job_sort_at_owners(
        job, &by_item, sizeof(nd_pair), &by_item_then_pages, nd_shuffle_owner_of_item);
    nd_external_sort_open(&dealt, &job->folder, sizeof(nd_pair), &by_item_then_pages,
                          job->options.memory.sort);
    ND_TRY(labels == NULL ? nd_shuffle_run(&stream, pairs, context)
                          : nd_pair_labels_send(job, labels, pairs, context, &stream));
    if (job->comm.size > 1) {
        ND_TRY(nd_comm_agree(&job->comm, nd_external_sort_finish(&by_item)));
        ND_TRY(deal_by_cost(scoring, &by_item, &dealt));
        nd_external_sort_close(&by_item);
    }
    st = nd_external_sort_finish(sorted);
    while (st == ND_OK && (st = nd_external_sort_next(sorted, &record)) == ND_OK) {
        const nd_pair *pair = record;
        st = nd_spool_append(&scoring->dealt, pair, sizeof *pair);
        bytes += pair_bytes(&job->options, pair, pair->a == cost.page);
        (void)count_cost(&cost, pair);
        scoring->dealt_count++;
    }
    ND_TRY(nd_comm_agree(&job->comm, st == ND_END ? ND_OK : st));
    ND_ASSERT(scoring->dealt_count == nd_external_sort_count(sorted), scoring->dealt_count,
              nd_external_sort_count(sorted));
    /* Ranks wait for one another at each batch, so each takes the same part of its cost: as many
     * parts as the rank with the most bytes has batches, which may be filled to some less than the
     * most. */
    const uint64_t most = nd_job_compared_bytes(job) / 8 * 7 + 1;
    const uint64_t batches = nd_comm_max(&job->comm, bytes / most + 1);
    scoring->cost_total = cost.total;
    scoring->cost_done = start_cost(scoring);
    scoring->batch_cost = cost.total / batches + 1;
out:
    nd_external_sort_close(&by_item);
    nd_external_sort_close(&dealt);
    return st;
}

/* ---- batches */

/* \param[in] places  of pair i: [2 i] of a, [2 i + 1] of b among the pages of the batch */
static nd_status score_batch(nd_scoring *s, const nd_pair *pairs, uint64_t count,
                             const uint64_t *places) {
    nd_status st = ND_OK;
    const nd_job_options *o = &s->job->options;
    const uint64_t done = s->cost_done.total;
    nd_cost_count cost = {.preparation = s->cost_done.preparation, .page = UINT64_MAX};
    for (uint64_t i = 0; i < count; i++, places += 2) {
        const nd_pair *pair = &pairs[i];
        const double threshold =
            s->keep_all ? 0 : nd_method_threshold(&o->method_options, (uint32_t)pair->relation);
        ND_ASSERT(places[0] != places[1] && pair->a < s->job->first[s->job->comm.size] &&
                      pair->b < s->job->first[s->job->comm.size],
                  places[0], pair->a, pair->b);
        const nd_span a = nd_fetched_at(&s->payloads, places[0]);
        const nd_span b = nd_fetched_at(&s->payloads, places[1]);
        nd_method_work *work = &s->job->state->method_work;
        double similarity = 0;
        if (s->keep_all) {
            nd_method_compare_member(o->method, &o->method_options, work, a, b, 0, threshold,
                                     &similarity);
        } else {
            nd_method_compare(o->method, &o->method_options, work, a, b, (uint32_t)pair->relation,
                              threshold, &similarity);
        }
        if (s->job->comm.size > 1) {
            nd_pace_watch(&s->pace);
        }
        ND_ASSERT(similarity >= 0 && similarity <= 1, pair->a, pair->b);
        if (similarity >= threshold) {
            const nd_link link = {pair->a, pair->b, similarity};
            ND_TRY(nd_spool_append(s->links, &link, sizeof link));
            (*s->link_count)++;
        }
        (void)count_cost(&cost, pair);
        nd_progress_update(&s->job->progress, &s->job->comm,
                           nd_min(done + cost.total, s->cost_total), s->cost_total, s->done + i);
    }
out:
    return st;
}

/* Dealt anew, the pairs of a batch are in other hands but for a few: as a pair costs by itself. */
static uint64_t pair_cost(const void *record) {
    const nd_pair *pair = record;
    return 1 + pair->a_tokens + pair->b_tokens;
}

/* Not collective. Read on until there are so many pairs, or no more are left. */
static nd_status read_on(nd_scoring *s, uint64_t enough) {
    nd_status st = ND_OK;
    const void *records = NULL;
    if (s->reader.spool == NULL) {
        nd_spool_reader_open(&s->reader, &s->dealt, sizeof(nd_pair), 0, s->dealt_count,
                             (size_t)(enough * sizeof(nd_pair)));
    }
    for (uint64_t read = 1; read > 0 && s->pair_count < enough;) {
        ND_TRY(nd_spool_reader_next(&s->reader, &records, &read));
        if (read > 0) {
            nd_grow(&s->pairs, &s->pair_capacity, s->pair_count + read, sizeof(nd_pair));
            memcpy(s->pairs + s->pair_count, records, read * sizeof(nd_pair));
            s->pair_count += read;
        }
    }
out:
    return st;
}

/* The largest share of a rank that is faster than others, of an equal one. */
static double fullest(const nd_comm *comm) {
    double most = 1;
    for (int r = 0; r < comm->size; r++) {
        const double of_equal = nd_comm_part(comm, r) * comm->size;
        most = of_equal > most ? of_equal : most;
    }
    return most;
}

nd_status nd_scoring_batch(nd_scoring *scoring, bool *more) {
    nd_status st = ND_OK;
    nd_job *job = scoring->job;
    nd_pair *others = NULL; /* that this rank compares in place of its own */
    uint64_t *places = NULL;
    uint64_t *pages = NULL;
    uint64_t page_count = 0;
    ND_ASSERT(scoring->done <= scoring->dealt_count, scoring->done, scoring->dealt_count);
    *more = nd_comm_sum(&job->comm, scoring->dealt_count - scoring->done) > 0;
    if (!*more) {
        return ND_OK;
    }
    const uint64_t compared = nd_job_compared_bytes(job);
    ND_TRY(nd_comm_agree(&job->comm, read_on(scoring, compared / sizeof(nd_pair) / 8 + 1)));
    /* how fast are the ranks by now? */
    if (job->comm.size > 1) {
        scoring->uneven = nd_comm_pace(&job->comm, nd_pace_mean(&scoring->pace)) || scoring->uneven;
        scoring->pace.seconds /= 2;
        scoring->pace.times /= 2;
    }
    /* the pairs at the front whose payloads fit, up to the batch's part of the cost; at least one
     */
    nd_cost_count cost = scoring->cost_done;
    const uint64_t most = cost.total + scoring->batch_cost;
    const uint64_t room =
        scoring->uneven ? (uint64_t)((double)compared / fullest(&job->comm)) : compared;
    uint64_t count = 0;
    uint64_t bytes = 0;
    for (; count < scoring->pair_count && (count == 0 || cost.total < most); count++) {
        const nd_pair *pair = &scoring->pairs[count];
        bytes += pair_bytes(&job->options, pair, count > 0 && pair->a == cost.page);
        if (count > 0 && bytes > room) {
            break;
        }
        (void)count_cost(&cost, pair);
    }
    uint64_t now = count;
    if (scoring->uneven) {
        nd_new_room(&others, count, sizeof *others);
        if (count > 0) {
            memcpy(others, scoring->pairs, count * sizeof *others);
        }
        ND_TRY(nd_deal(&job->comm, &others, &now, sizeof *others, pair_cost, NULL));
    }
    const nd_pair *pairs = scoring->uneven ? others : scoring->pairs;
    nd_new_room(&places, 2 * now, sizeof *places);
    for (uint64_t i = 0; i < now; i++) {
        places[2 * i] = pairs[i].a;
        places[2 * i + 1] = pairs[i].b;
    }
    nd_pages_places(places, 2 * now, &pages, &page_count);
    ND_TRY(fetch_payloads(job, pages, page_count, &scoring->payloads));
    ND_TRY(nd_comm_agree(&job->comm, score_batch(scoring, pairs, now, places)));
    scoring->cost_done = cost;
    scoring->done += count;
    scoring->pair_count -= count;
    if (scoring->pair_count > 0) {
        memmove(scoring->pairs, scoring->pairs + count, scoring->pair_count * sizeof *pairs);
    }
out:
    free(others);
    free(pages);
    free(places);
    return st;
}

void nd_scoring_close(nd_scoring *scoring) {
    if (scoring->reader.spool != NULL) {
        nd_spool_reader_close(&scoring->reader);
    }
    nd_spool_close(&scoring->dealt);
    nd_fetched_free(&scoring->payloads);
    free(scoring->pairs);
    scoring->pairs = NULL;
}

/* ---- all at once */

nd_status nd_score_pairs(nd_job *job, nd_spool *pairs, bool keep_all, nd_spool *links,
                         uint64_t *link_count) {
    nd_status st = ND_OK;
    nd_scoring scoring;
    nd_spool_reader reader;
    bool more = true;
    nd_scoring_open(&scoring, job, keep_all, links, link_count);
    nd_spool_reader_open(&reader, pairs, sizeof(nd_pair), 0, pairs->size / sizeof(nd_pair), 0);
    ND_TRY(nd_scoring_deal(&scoring, NULL, nd_shuffle_from_spool, &reader));
    nd_spool_reader_close(&reader);
    nd_spool_close(pairs);
    nd_spool_open(pairs, &job->kept, job->options.memory.spool);
    while (more) {
        ND_TRY(nd_scoring_batch(&scoring, &more));
    }
out:
    nd_spool_reader_close(&reader);
    nd_scoring_close(&scoring);
    return st;
}
