#include "mpi/score_pairs.h"

#include "mpi/deal.h"
#include "mpi/digests.h"
#include "mpi/exchange.h"
#include "src/base/sort.h"

#include <stdlib.h>

static int by_item_then_pages(const void *a, const void *b) {
    const nd_pair *x = a;
    const nd_pair *y = b;
    if (x->item != y->item) {
        return x->item < y->item ? -1 : 1;
    }
    if (x->a != y->a) {
        return x->a < y->a ? -1 : 1;
    }
    return (x->b > y->b) - (x->b < y->b);
}

static int item_owner(const void *record, int size, const void *context) {
    (void)context;
    return nd_comm_hash_owner(((const nd_pair *)record)->item, size);
}

static uint64_t pair_cost(const void *record) {
    return ((const nd_pair *)record)->cost;
}

/* The items' owners follow one another in the order of the items, so sorting on each rank puts all
 * pairs in one order, and equal shares of it keep the pairs of an item together. */
static nd_status deal_pairs(nd_job *job, nd_pair **pairs, uint64_t *count) {
    nd_status st = ND_OK;
    ND_TRY(nd_shuffle(&job->comm, pairs, count, sizeof **pairs, item_owner, NULL));
    nd_sort(*pairs, *count, sizeof **pairs, by_item_then_pages);
    ND_TRY(nd_deal(&job->comm, pairs, count, sizeof **pairs, pair_cost, NULL));
out:
    return st;
}

/* Pairs [begin, end) whose payloads fit in the batch; at least one. A page that occurs again right
 * away is counted once. */
static uint64_t batch_end(const nd_job *job, const nd_pair *pairs, uint64_t count, uint64_t begin) {
    uint64_t end = begin;
    uint64_t bytes = 0;
    for (; end < count; end++) {
        const bool again = end > begin && pairs[end].a == pairs[end - 1].a;
        bytes += sizeof(uint32_t) * (pairs[end].b_tokens + (again ? 0 : pairs[end].a_tokens));
        if (end > begin && bytes > job->options.batch_bytes) {
            break;
        }
    }
    return end;
}

static nd_status list_pages(const nd_pair *pairs, uint64_t count, uint64_t **pages,
                            uint64_t *page_count) {
    nd_status st = nd_new(pages, 2 * count, sizeof **pages);
    for (uint64_t i = 0; st == ND_OK && i < count; i++) {
        (*pages)[2 * i] = pairs[i].a;
        (*pages)[2 * i + 1] = pairs[i].b;
    }
    *page_count = st == ND_OK ? nd_numbers_distinct(*pages, 2 * count) : 0;
    return st;
}

static nd_span payload_of(const nd_fetched *payloads, uint64_t place) {
    return (nd_span){payloads->bytes + payloads->begin[place],
                     (size_t)(payloads->begin[place + 1] - payloads->begin[place])};
}

/* What a rank works with while it compares. */
typedef struct scorer {
    nd_job *job;
    bool keep_all;
    nd_lcs_work work;
    nd_link *links;
    size_t capacity;
    uint64_t count;
    uint64_t cost_done, cost_total;
    uint64_t pairs_done;
} scorer;

static nd_status score_batch(scorer *s, const nd_pair *pairs, uint64_t count, const uint64_t *pages,
                             uint64_t page_count, const nd_fetched *payloads) {
    nd_status st = ND_OK;
    const nd_job_options *options = &s->job->options;
    ND_TRY(nd_grow(&s->links, &s->capacity, s->count + count, sizeof *s->links));
    for (uint64_t i = 0; i < count; i++) {
        const double threshold =
            s->keep_all ? 0
                        : nd_method_threshold(&options->method_options, pairs[i].a_tokens,
                                              pairs[i].b_tokens, pairs[i].same_site == 1);
        double similarity = 0;
        ND_TRY(options->method->similarity(
            &options->method_options,
            payload_of(payloads, nd_numbers_place(pages, page_count, pairs[i].a)),
            payload_of(payloads, nd_numbers_place(pages, page_count, pairs[i].b)), threshold,
            &s->work, &similarity));
        if (similarity >= threshold) {
            s->links[s->count++] = (nd_link){pairs[i].a, pairs[i].b, similarity};
        }
        s->cost_done += pairs[i].cost;
        s->pairs_done++;
        nd_progress_update(&s->job->progress, &s->job->comm, s->cost_done, s->cost_total,
                           s->pairs_done);
    }
out:
    return st;
}

static nd_status run_batch(scorer *s, const nd_pair *pairs, uint64_t count) {
    nd_status st = ND_OK;
    uint64_t *pages = NULL;
    uint64_t page_count = 0;
    nd_fetched payloads = {0};
    ND_TRY(nd_comm_agree(&s->job->comm, list_pages(pairs, count, &pages, &page_count)));
    ND_TRY(nd_fetch_payloads(s->job, pages, page_count, &payloads));
    st = score_batch(s, pairs, count, pages, page_count, &payloads);
    ND_TRY(nd_comm_agree(&s->job->comm, st));
out:
    free(pages);
    nd_fetched_free(&payloads);
    return st;
}

nd_status nd_score_pairs(nd_job *job, nd_pair **pairs, uint64_t *count, bool keep_all,
                         nd_link **links, uint64_t *link_count) {
    nd_status st = ND_OK;
    scorer s = {.job = job, .keep_all = keep_all};
    uint64_t begin = 0;
    ND_TRY(deal_pairs(job, pairs, count));
    for (uint64_t i = 0; i < *count; i++) {
        s.cost_total += (*pairs)[i].cost;
    }
    while (nd_comm_sum(&job->comm, *count - begin) > 0) {
        const uint64_t end = batch_end(job, *pairs, *count, begin);
        ND_TRY(run_batch(&s, *pairs + begin, end - begin));
        begin = end;
    }
out:
    free(*pairs);
    *pairs = NULL;
    *count = 0;
    nd_lcs_work_free(&s.work);
    if (st != ND_OK) {
        free(s.links);
        s.links = NULL;
        s.count = 0;
    }
    *links = s.links;
    *link_count = s.count;
    return st;
}

nd_status nd_stage_verify(nd_job *job) {
    nd_status st = ND_OK;
    nd_progress_begin(&job->progress, &job->comm, "verify", "pairs");
    const uint64_t pairs = job->pair_count;
    ND_TRY(
        nd_score_pairs(job, &job->pairs, &job->pair_count, false, &job->links, &job->link_count));
    job->totals.links = nd_comm_sum(&job->comm, job->link_count);
    nd_progress_end(&job->progress, &job->comm, pairs);
out:
    return st;
}
