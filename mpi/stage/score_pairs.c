#include "mpi/stage/score_pairs.h"

#include "io/store/external_sort.h"
#include "mpi/stage/digests.h"

#include <stdlib.h>
#include <string.h>

/* item, a, b */
static const nd_record_order by_item_then_pages = {.word_count = 3, .words = {0, 1, 2}};

static int item_owner(const void *record, int size, const void *context) {
    return nd_comm_range_owner(context, size, ((const nd_pair *)record)->item);
}

void nd_scoring_open(nd_scoring *scoring, nd_job *job, bool keep_all, nd_spool *links,
                     uint64_t *link_count) {
    *scoring =
        (nd_scoring){.job = job, .keep_all = keep_all, .links = links, .link_count = link_count};
    nd_spool_open(&scoring->dealt, &job->folder, job->options.memory.spool);
}

/* ---- costs */

static nd_cost_count start_cost(const nd_scoring *s) {
    const nd_job_options *options = &s->job->options;
    return (nd_cost_count){.preparation =
                               nd_method_preparation(options->method, &options->method_options),
                           .page = UINT64_MAX};
}

/* \return what the pair takes, which is counted */
static uint64_t count_cost(nd_cost_count *so_far, const nd_pair *pair) {
    const uint64_t once = pair->a == so_far->page ? 0 : so_far->preparation * pair->a_tokens;
    so_far->page = pair->a;
    so_far->total += pair->cost + once;
    return pair->cost + once;
}

/* Of all pairs, which can be read from the first again afterwards. */
static nd_status sum_cost(nd_external_sort *sorted, nd_cost_count *sum) {
    nd_status st = ND_OK;
    const void *record = NULL;
    while ((st = nd_external_sort_next(sorted, &record)) == ND_OK) {
        (void)count_cost(sum, record);
    }
    return st == ND_END ? nd_external_sort_rewind(sorted) : st;
}

/* ---- dealing */

/* What is being dealt: this rank's part of all pairs. */
typedef struct dealing {
    nd_external_sort *sorted;
    nd_cost_count cost;
    double before, total; /* what the pairs of the ranks before cost, and all */
} dealing;

/* The next pairs in order, each with the rank whose share of the cost it falls in. */
static nd_status next_shares(dealing *d, int ranks, nd_pair *pairs, int *owners, uint64_t room,
                             uint64_t *count) {
    nd_status st = ND_OK;
    *count = 0;
    while (*count < room) {
        const void *record = NULL;
        ND_TRY(nd_external_sort_next(d->sorted, &record));
        const double cost = (double)count_cost(&d->cost, record);
        const int rank = (int)((d->before + (double)d->cost.total - cost / 2) / d->total * ranks);
        owners[*count] = rank < ranks ? rank : ranks - 1;
        memcpy(&pairs[(*count)++], record, sizeof *pairs);
    }
out:
    return st == ND_END ? ND_OK : st;
}

/* The items' owners follow one another in the order of the items, so what each rank has sorted is
 * all pairs in one order, and equal shares of it keep the pairs of an item together. */
static nd_status deal_by_cost(nd_scoring *s, nd_external_sort *from, nd_external_sort *to) {
    nd_status st = ND_OK;
    nd_comm *comm = &s->job->comm;
    nd_pair *pairs = NULL;
    int *owners = NULL;
    const nd_shuffle_stream stream = {.comm = comm,
                                      .record_size = sizeof(nd_pair),
                                      .sink = nd_shuffle_into_sort,
                                      .sink_context = to};
    const uint64_t room = comm->round_bytes / sizeof(nd_pair) + 1;
    dealing d = {.sorted = from, .cost = start_cost(s)};
    nd_cost_count own = start_cost(s);
    uint64_t count = 0;
    ND_TRY(nd_comm_agree(comm, sum_cost(from, &own)));
    d.before = (double)nd_comm_before(comm, own.total);
    d.total = (double)nd_comm_sum(comm, own.total);
    st = nd_new_room(&pairs, room, sizeof *pairs);
    st = st != ND_OK ? st : nd_new_room(&owners, room, sizeof *owners);
    do {
        st = st != ND_OK ? st : next_shares(&d, comm->size, pairs, owners, room, &count);
        ND_TRY(nd_comm_agree(comm, st));
        ND_TRY(nd_shuffle_send_to(&stream, pairs, count, owners));
    } while (nd_comm_max(comm, count) > 0);
out:
    free(pairs);
    free(owners);
    return st;
}

static uint64_t payload_bytes(const nd_job *job, uint64_t tokens) {
    return nd_method_payload_size(job->options.method, &job->options.method_options, tokens);
}

/* What listing the pages of a pair takes. */
enum { LIST_BYTES = 2 * (sizeof(nd_key_value) + 2 * sizeof(uint64_t)) };

/* What a pair takes in a batch; where its first page occurs again, that is counted already. */
static uint64_t pair_bytes(const nd_job *job, const nd_pair *pair, bool again) {
    return sizeof *pair + LIST_BYTES + payload_bytes(job, pair->b_tokens) +
           (again ? 0 : payload_bytes(job, pair->a_tokens));
}

/* \param[out] bytes  of all batches */
static nd_status spool_sorted(nd_external_sort *sorted, nd_scoring *s, uint64_t *bytes) {
    nd_status st = ND_OK;
    const void *record = NULL;
    nd_cost_count cost = start_cost(s);
    *bytes = 0;
    ND_TRY(nd_external_sort_finish(sorted));
    while ((st = nd_external_sort_next(sorted, &record)) == ND_OK) {
        ND_TRY(nd_spool_append(&s->dealt, record, sizeof(nd_pair)));
        *bytes += pair_bytes(s->job, record, ((const nd_pair *)record)->a == cost.page);
        (void)count_cost(&cost, record);
        s->dealt_count++;
    }
    s->cost_total = cost.total;
    s->cost_done = start_cost(s);
    st = st == ND_END ? ND_OK : st;
out:
    return st;
}

/* Ranks wait for one another at each batch, so each takes the same part of its cost: as many parts
 * as the rank with the most bytes has batches, which may be filled to some less than the most. */
static void share_batches(nd_scoring *s, uint64_t bytes) {
    const uint64_t most = nd_job_compared_bytes(s->job) / 8 * 7 + 1;
    const uint64_t batches = nd_comm_max(&s->job->comm, bytes / most + 1);
    s->batch_cost = s->cost_total / batches + 1;
}

nd_status nd_scoring_deal(nd_scoring *scoring, nd_record_source pairs, void *context) {
    nd_status st = ND_OK;
    nd_job *job = scoring->job;
    nd_external_sort by_item = {0};
    nd_external_sort dealt = {0};
    uint64_t bytes = 0;
    const nd_shuffle_stream stream = {.comm = &job->comm,
                                      .record_size = sizeof(nd_pair),
                                      .owner = item_owner,
                                      .owner_context = job->first,
                                      .sink = nd_shuffle_into_sort,
                                      .sink_context = &by_item};
    nd_external_sort_open(&by_item, &job->folder, sizeof(nd_pair), &by_item_then_pages,
                          job->options.memory.sort);
    nd_external_sort_open(&dealt, &job->folder, sizeof(nd_pair), &by_item_then_pages,
                          job->options.memory.sort);
    ND_TRY(nd_shuffle_run(&stream, pairs, context));
    if (job->comm.size > 1) {
        ND_TRY(nd_comm_agree(&job->comm, nd_external_sort_finish(&by_item)));
        ND_TRY(deal_by_cost(scoring, &by_item, &dealt));
        nd_external_sort_close(&by_item);
    }
    st = spool_sorted(job->comm.size > 1 ? &dealt : &by_item, scoring, &bytes);
    ND_TRY(nd_comm_agree(&job->comm, st));
    share_batches(scoring, bytes);
out:
    nd_external_sort_close(&by_item);
    nd_external_sort_close(&dealt);
    return st;
}

/* ---- batches */

/* Read on until there are pairs for a whole batch, or no more. */
static nd_status read_pairs(nd_scoring *s) {
    nd_status st = ND_OK;
    const uint64_t most = nd_job_compared_bytes(s->job) / sizeof(nd_pair) / 8 + 1;
    if (s->reader.spool == NULL) {
        nd_spool_reader_open(&s->reader, &s->dealt, sizeof(nd_pair), 0, s->dealt_count,
                             (size_t)(most * sizeof(nd_pair)));
    }
    while (s->pair_count < most) {
        const void *records = NULL;
        uint64_t count = 0;
        ND_TRY(nd_spool_reader_next(&s->reader, &records, &count));
        if (count == 0) {
            break;
        }
        ND_TRY(nd_grow(&s->pairs, &s->pair_capacity, s->pair_count + count, sizeof *s->pairs));
        memcpy(s->pairs + s->pair_count, records, count * sizeof *s->pairs);
        s->pair_count += count;
    }
out:
    return st;
}

/* The pairs at the front whose payloads fit in the batch, up to its part of the cost; at least one.
 */
static uint64_t batch_length(const nd_scoring *s) {
    const nd_pair *pairs = s->pairs;
    nd_cost_count cost = s->cost_done;
    const uint64_t most = cost.total + s->batch_cost;
    uint64_t end = 0;
    uint64_t bytes = 0;
    for (; end < s->pair_count && cost.total < most; end++) {
        bytes += pair_bytes(s->job, &pairs[end], end > 0 && pairs[end].a == cost.page);
        if (end > 0 && bytes > nd_job_compared_bytes(s->job)) {
            break;
        }
        (void)count_cost(&cost, &pairs[end]);
    }
    return end;
}

/* The pages of some pairs, and where each pair's are among them. */
typedef struct page_list {
    uint64_t *pages; /* ascending, distinct */
    uint64_t count;
    uint64_t *places; /* of pair i: [2 i] of a, [2 i + 1] of b */
} page_list;

static void page_list_free(page_list *list) {
    free(list->pages);
    free(list->places);
}

static nd_status list_pages(const nd_pair *pairs, uint64_t count, page_list *list) {
    nd_status st = ND_OK;
    nd_key_value *records = NULL;
    *list = (page_list){0};
    ND_TRY(nd_new_room(&records, 2 * count, sizeof *records));
    ND_TRY(nd_new_room(&list->pages, 2 * count, sizeof *list->pages));
    ND_TRY(nd_new_room(&list->places, 2 * count, sizeof *list->places));
    for (uint64_t i = 0; i < count; i++) {
        records[2 * i] = (nd_key_value){pairs[i].a, 2 * i};
        records[2 * i + 1] = (nd_key_value){pairs[i].b, 2 * i + 1};
    }
    ND_TRY(nd_numbers_places(records, 2 * count, list->pages, &list->count));
    for (uint64_t i = 0; i < 2 * count; i++) {
        list->places[records[i].value] = records[i].key;
    }
out:
    free(records);
    return st;
}

static nd_span payload_of(const nd_scoring *s, uint64_t place) {
    const uint64_t *begin = s->payloads.begin;
    return (nd_span){s->payloads.bytes + begin[place], (size_t)(begin[place + 1] - begin[place])};
}

/* \param[in] a, b  where the pages are among those of the batch */
static nd_status score_pair(nd_scoring *s, const nd_pair *pair, uint64_t a, uint64_t b) {
    nd_status st = ND_OK;
    const nd_job_options *options = &s->job->options;
    const double threshold =
        s->keep_all ? 0
                    : nd_method_threshold(&options->method_options, pair->a_tokens, pair->b_tokens,
                                          (pair->relation & ND_PAIR_SAME_SITE) != 0);
    double similarity = 0;
    ND_TRY(nd_method_compare(options->method, &options->method_options, &s->job->method_work,
                             payload_of(s, a), payload_of(s, b),
                             s->keep_all ? 0 : (uint32_t)pair->relation, threshold, &similarity));
    if (similarity >= threshold) {
        const nd_link link = {pair->a, pair->b, similarity};
        ND_TRY(nd_spool_append(s->links, &link, sizeof link));
        (*s->link_count)++;
    }
out:
    return st;
}

static nd_status score_batch(nd_scoring *s, uint64_t count, const uint64_t *places) {
    nd_status st = ND_OK;
    for (uint64_t i = 0; i < count; i++) {
        ND_TRY(score_pair(s, &s->pairs[i], places[2 * i], places[2 * i + 1]));
        (void)count_cost(&s->cost_done, &s->pairs[i]);
        s->done++;
        nd_progress_update(&s->job->progress, &s->job->comm, s->cost_done.total, s->cost_total,
                           s->done);
    }
    s->pair_count -= count;
    if (s->pair_count > 0) {
        memmove(s->pairs, s->pairs + count, s->pair_count * sizeof *s->pairs);
    }
out:
    return st;
}

nd_status nd_scoring_batch(nd_scoring *scoring, bool *more) {
    nd_status st = ND_OK;
    nd_comm *comm = &scoring->job->comm;
    page_list list = {0};
    *more = nd_comm_sum(comm, scoring->dealt_count - scoring->done) > 0;
    if (!*more) {
        return ND_OK;
    }
    ND_TRY(nd_comm_agree(comm, read_pairs(scoring)));
    const uint64_t count = batch_length(scoring);
    ND_TRY(nd_comm_agree(comm, list_pages(scoring->pairs, count, &list)));
    ND_TRY(nd_fetch_payloads(scoring->job, list.pages, list.count, &scoring->payloads));
    ND_TRY(nd_comm_agree(comm, score_batch(scoring, count, list.places)));
out:
    page_list_free(&list);
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
    ND_TRY(nd_scoring_deal(&scoring, nd_shuffle_from_spool, &reader));
    nd_spool_reader_close(&reader);
    nd_spool_close(pairs);
    nd_spool_open(pairs, &job->folder, job->options.memory.spool);
    while (more) {
        ND_TRY(nd_scoring_batch(&scoring, &more));
    }
out:
    nd_spool_reader_close(&reader);
    nd_scoring_close(&scoring);
    return st;
}
