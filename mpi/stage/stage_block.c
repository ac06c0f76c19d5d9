/* Stage 4: from postings to the pairs that are worth comparing: candidates inside groups, the exact
 * bounds at the threshold, each pair once over all ranks. */
#include "mpi/stage/stage.h"

#include "io/store/external_sort.h"
#include "mpi/comm/fetch.h"
#include "mpi/comm/shuffle_stream.h"
#include "mpi/job/kept_arrays.h"
#include "mpi/stage/digests.h"
#include "src/base/random.h"

#include <stdlib.h>

/* Candidates looked at in one batch before their digests are fetched; a batch's digests are also
 * bounded by the job's memory. */
static const uint64_t MOST_CANDIDATES = UINT64_C(1) << 20;

typedef struct batch {
    nd_candidate *candidates;
    uint64_t count;
    uint64_t *pages; /* distinct pages of the candidates */
    uint64_t page_count;
    uint64_t *places; /* of the pages of each distinct pair: where they are among `pages` */
    uint8_t *records; /* digest records in the order of `pages` */
    nd_pair *pairs;   /* of the candidates, those within the bounds */
    uint64_t pair_count;
    nd_buffer scratch; /* of the sorting */
    uint64_t finds;    /* of pairs within the bounds, over all batches */
} batch;

static uint64_t batch_room(const nd_job *job) {
    const uint64_t each = 2 * nd_digest_record_size(job) + 2 * sizeof(nd_candidate) +
                          sizeof(nd_pair) + 2 * sizeof(nd_key_value) + 4 * sizeof(uint64_t);
    const uint64_t fit = job->options.memory.batch / each;
    const uint64_t least =
        job->groups.all_pairs > ND_GROUP_ALL_PAIRS ? job->groups.all_pairs : ND_GROUP_ALL_PAIRS;
    return fit < least ? least : fit < MOST_CANDIDATES ? fit : MOST_CANDIDATES;
}

/* Keep the candidates whose lengths alone do not rule them out. */
static uint64_t keep_by_length(const nd_job *job, nd_candidate *candidates, uint64_t count) {
    const nd_method_options *options = &job->options.method_options;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t shorter = nd_posting_length(candidates[i].shorter);
        const uint64_t longer = nd_posting_length(candidates[i].longer);
        if (nd_method_length_bound(job->options.method, options, shorter, longer) >=
            nd_method_least_threshold(options, shorter, longer)) { /* the rest comes later */
            candidates[kept++] = candidates[i];
        }
    }
    return kept;
}

/* shorter, longer, item: a page has one posting value, so a pair has one shorter and one longer */
static const nd_record_order by_values_then_item = {.word_count = 3, .words = {1, 2, 0}};

/* Similar pages meet under many keys: here those of a batch lie together, so that each pair is
 * looked at once. */
static nd_status sort_candidates(batch *b) {
    nd_status st = ND_OK;
    b->scratch.size = 0;
    ND_TRY(nd_buffer_reserve(&b->scratch, b->count * sizeof *b->candidates));
    nd_record_sort_within(b->candidates, b->count, sizeof *b->candidates, &by_values_then_item,
                          b->scratch.data);
out:
    return st;
}

/* How many of the candidates from the i-th on are of the same pair. */
static uint64_t same_pair(const batch *b, uint64_t i) {
    uint64_t count = 1;
    while (i + count < b->count && b->candidates[i + count].shorter == b->candidates[i].shorter &&
           b->candidates[i + count].longer == b->candidates[i].longer) {
        count++;
    }
    return count;
}

/* \param[out] records  room for two of each candidate; pages and what comes next of `places`
 * \return how many were listed */
static uint64_t list_pairs(const batch *b, nd_key_value *records) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < b->count; i += same_pair(b, i), count += 2) {
        const nd_candidate *c = &b->candidates[i];
        records[count] = (nd_key_value){nd_posting_page(c->shorter), count};
        records[count + 1] = (nd_key_value){nd_posting_page(c->longer), count + 1};
    }
    return count;
}

static nd_status list_pages(batch *b) {
    nd_status st = ND_OK;
    nd_key_value *records = NULL;
    ND_TRY(sort_candidates(b));
    ND_TRY(nd_new_room(&records, 2 * b->count, sizeof *records));
    ND_TRY(nd_new_room(&b->pages, 2 * b->count, sizeof *b->pages));
    ND_TRY(nd_new_room(&b->places, 2 * b->count, sizeof *b->places));
    const uint64_t count = list_pairs(b, records);
    ND_TRY(nd_numbers_places(records, count, b->pages, &b->page_count));
    for (uint64_t i = 0; i < count; i++) {
        b->places[records[i].value] = records[i].key;
    }
out:
    free(records);
    return st;
}

static nd_status keep_by_digest(const nd_job *job, batch *b) {
    const nd_method_options *options = &job->options.method_options;
    const nd_status st = nd_new_room(&b->pairs, b->count, sizeof *b->pairs);
    const size_t size = nd_digest_record_size(job);
    const uint64_t *places = b->places;
    uint64_t finds = 0;
    for (uint64_t i = 0; st == ND_OK && i < b->count; i += finds, places += 2) {
        finds = same_pair(b, i); /* the first has the smallest item */
        const nd_candidate *c = &b->candidates[i];
        const uint64_t x = nd_posting_page(c->shorter);
        const uint64_t y = nd_posting_page(c->longer);
        const uint64_t n = nd_posting_length(c->shorter);
        const uint64_t m = nd_posting_length(c->longer);
        const uint8_t *of_x = b->records + places[0] * size;
        const uint8_t *of_y = b->records + places[1] * size;
        const double bound = job->options.method->bound(options, nd_digest_record_digest(of_x),
                                                        nd_digest_record_digest(of_y));
        const uint32_t relation = nd_digest_record_pair(of_x, of_y);
        if (bound >= nd_method_threshold(options, n, m, (relation & ND_PAIR_SAME_SITE) != 0)) {
            b->finds += finds;
            b->pairs[b->pair_count++] = (nd_pair){.item = c->item,
                                                  .a = x < y ? x : y,
                                                  .b = x < y ? y : x,
                                                  .cost = n + m,
                                                  .relation = relation,
                                                  .a_tokens = (uint32_t)(x < y ? n : m),
                                                  .b_tokens = (uint32_t)(x < y ? m : n)};
        }
    }
    return st;
}

static nd_status run_batch(nd_job *job, batch *b, const nd_shuffle_stream *to_owners) {
    nd_status st = ND_OK;
    ND_TRY(nd_comm_agree(&job->comm, list_pages(b)));
    ND_TRY(nd_fetch_digests(job, b->pages, b->page_count, &b->records));
    ND_TRY(nd_comm_agree(&job->comm, keep_by_digest(job, b)));
    ND_TRY(nd_shuffle_send(to_owners, b->pairs, b->pair_count));
out:
    free(b->pages);
    free(b->places);
    free(b->records);
    free(b->pairs);
    b->pages = NULL;
    b->places = NULL;
    b->records = NULL;
    b->pairs = NULL;
    b->pair_count = 0;
    return st;
}

/* All ranks go through their candidates batch by batch; one that is done takes part with none. */
static nd_status bound_candidates(nd_job *job, const nd_shuffle_stream *to_owners) {
    nd_status st = ND_OK;
    batch b = {0};
    uint64_t seen = 0;
    nd_groups *groups = &job->groups;
    const uint64_t room = batch_room(job);
    const uint64_t total = nd_groups_total(groups);
    ND_TRY(nd_comm_agree(&job->comm, nd_new_room(&b.candidates, room, sizeof *b.candidates)));
    while (true) {
        ND_TRY(nd_comm_agree(&job->comm, nd_groups_next(groups, b.candidates, room, &b.count)));
        if (nd_comm_sum(&job->comm, b.count) == 0) {
            break;
        }
        seen += b.count;
        b.count = keep_by_length(job, b.candidates, b.count);
        ND_TRY(run_batch(job, &b, to_owners));
        nd_progress_update(&job->progress, &job->comm, groups->read, total, seen);
    }
    job->totals.candidates = nd_comm_sum(&job->comm, seen);
    job->totals.pair_finds = nd_comm_sum(&job->comm, b.finds);
out:
    free(b.candidates);
    nd_buffer_free(&b.scratch);
    return st;
}

/* ---- each pair once */

static int pair_owner(const void *record, int size, const void *context) {
    const nd_pair *pair = record;
    (void)context;
    return nd_comm_hash_owner(nd_mix64(nd_mix64(pair->a) + pair->b), size);
}

/* a, b, item */
static const nd_record_order by_pages_then_item = {.word_count = 3, .words = {1, 2, 0}};

static bool is_same_pair(const void *record, const void *before) {
    const nd_pair *pair = record;
    const nd_pair *last = before;
    return pair->a == last->a && pair->b == last->b;
}

/* Pairs come sorted: each once, with the smallest of its items. */
static nd_status keep_distinct(nd_external_sort *sorted, nd_job *job) {
    nd_status st = ND_OK;
    const void *record = NULL;
    nd_pair last = {0};
    ND_TRY(nd_external_sort_finish(sorted));
    while ((st = nd_external_sort_next(sorted, &record)) == ND_OK) {
        const nd_pair *pair = record;
        if (!is_same_pair(pair, &last)) { /* a < b, so no pair is like the first */
            last = *pair;
            ND_TRY(nd_spool_append(&job->pairs, pair, sizeof *pair));
            job->pair_count++;
        }
    }
    st = st == ND_END ? ND_OK : st;
out:
    return st;
}

static nd_status find_pairs(nd_job *job) {
    nd_status st = ND_OK;
    nd_external_sort sorted;
    const nd_shuffle_stream to_owners = {.comm = &job->comm,
                                         .record_size = sizeof(nd_pair),
                                         .owner = pair_owner,
                                         .sink = nd_shuffle_into_sort,
                                         .sink_context = &sorted};
    nd_external_sort_open(&sorted, &job->folder, sizeof(nd_pair), &by_pages_then_item,
                          job->options.memory.sort);
    nd_external_sort_drop_repeats(&sorted, is_same_pair); /* a pair is found by many of its keys */
    ND_TRY(bound_candidates(job, &to_owners));
    nd_groups_close(&job->groups);
    ND_TRY(nd_comm_agree(&job->comm, keep_distinct(&sorted, job)));
out:
    nd_external_sort_close(&sorted);
    return st;
}

static nd_status run(nd_job *job) {
    nd_status st = ND_OK;
    nd_stage_begin(job, &nd_stage_block);
    ND_TRY(nd_groups_cut(&job->comm, &job->groups));
    if (job->options.transitivity == ND_TRANSITIVITY_FULL) {
        st = nd_groups_chain(&job->groups, &job->links, &job->link_count);
        ND_TRY(nd_comm_agree(&job->comm, st));
    } else {
        ND_TRY(find_pairs(job));
    }
    job->totals.pairs = nd_comm_sum(&job->comm, job->pair_count);
    nd_progress_end(&job->progress, &job->comm, job->pair_count);
out:
    nd_groups_close(&job->groups);
    return st;
}

static nd_status save(nd_job *job) {
    nd_checkpoint_drop(&job->checkpoint, "sentences");
    return job->options.transitivity == ND_TRANSITIVITY_FULL
               ? nd_kept_spool_save(job, "links", sizeof(nd_link), &job->links)
               : nd_kept_spool_save(job, "pairs", sizeof(nd_pair), &job->pairs);
}

static nd_status load(nd_job *job, bool last) {
    if (!last) {
        return ND_OK; /* used up */
    }
    return job->options.transitivity == ND_TRANSITIVITY_FULL
               ? nd_kept_spool_load(job, "links", sizeof(nd_link), &job->links, &job->link_count)
               : nd_kept_spool_load(job, "pairs", sizeof(nd_pair), &job->pairs, &job->pair_count);
}

const nd_stage nd_stage_block = {"block", "pairs", run, save, load};
