/* Stage 4: from postings to the pairs that are worth comparing: candidates inside groups, the exact
 * bounds at the threshold, each pair once over all ranks. */
#include "mpi/stage/stage.h"
#include "mpi/stage/state.h"

#include "io/store/external_sort.h"
#include "mpi/comm/exchange.h"
#include "mpi/comm/fetch.h"
#include "mpi/job/page_content.h"
#include "mpi/stage/compare.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <stdlib.h>
#include <string.h>

/* Candidates looked at in one batch before their digests are fetched; a batch's digests are also
 * bounded by the job's memory. */
static const uint64_t MOST_CANDIDATES = UINT64_C(1) << 20;

/* A pair within the bounds on its way to its owner: many of its keys find it, so it is short. */
typedef struct found_pair {
    uint64_t a, b;     /* page and, below it, its tokens: pages of a pair, a before b */
    uint64_t relation; /* what the pages are to each other (ND_PAIR_*); above it
                          ND_CANDIDATE_COMMON, so that of a pair's finds those by rare keys are
                          first */
} found_pair;

enum { TOKEN_BITS = ND_POSTING_LENGTH_BITS };

/* a, b, relation: as the pages themselves, for a page has one length */
static const nd_record_order by_pages_then_relation = {.word_count = 3, .words = {0, 1, 2}};

static uint64_t with_tokens(uint64_t posting) {
    return nd_posting_page(posting) << TOKEN_BITS | nd_posting_length(posting);
}

static found_pair find_of(const nd_candidate *c, uint32_t relation) {
    const uint64_t x = with_tokens(c->shorter);
    const uint64_t y = with_tokens(c->longer);
    return (found_pair){nd_min(x, y), nd_max(x, y), (c->item & ND_CANDIDATE_COMMON) | relation};
}

static nd_pair pair_of(const found_pair *find) {
    const uint64_t tokens = (UINT64_C(1) << TOKEN_BITS) - 1;
    return (nd_pair){.a = find->a >> TOKEN_BITS,
                     .b = find->b >> TOKEN_BITS,
                     .relation = find->relation & ~ND_CANDIDATE_COMMON,
                     .a_tokens = (uint32_t)(find->a & tokens),
                     .b_tokens = (uint32_t)(find->b & tokens)};
}

typedef struct batch {
    nd_candidate *candidates;
    uint64_t count;
    uint64_t *pages; /* distinct pages of the candidates */
    uint64_t page_count;
    uint64_t *places;  /* of the pages of each distinct pair: where they are among `pages` */
    uint8_t *records;  /* digest records in the order of `pages` */
    found_pair *pairs; /* of the candidates, those within the bounds */
    uint64_t pair_count;
    nd_buffer scratch; /* of the sorting */
    uint64_t finds;    /* of pairs within the bounds, over all batches */
} batch;

/* shorter, longer, item: a page has one posting value, so a pair has one shorter and one longer */
static const nd_record_order by_values_then_item = {.word_count = 3, .words = {1, 2, 0}};

/* How many of the candidates from the i-th on are of the same pair. */
static uint64_t same_pair(const batch *b, uint64_t i) {
    uint64_t count = 1;
    while (i + count < b->count && b->candidates[i + count].shorter == b->candidates[i].shorter &&
           b->candidates[i + count].longer == b->candidates[i].longer) {
        count++;
    }
    return count;
}

/* Of a batch's candidates keep those whose lengths alone do not rule them out, bring those of one
 * pair together, and list the pages of the pairs. */
static void list_pages(const nd_job *job, batch *b) {
    const nd_method_options *options = &job->options.method_options;
    nd_candidate *candidates = b->candidates;
    /* Indexed pages have met before. An index has their verified pairs; where sets are made anew of
     * pairs that are not verified, they meet again. */
    const bool verified = job->options.transitivity == ND_TRANSITIVITY_VERIFIED;
    const uint64_t met = job->options.recluster && !verified ? 0 : job->state->index.pages;
    uint64_t kept = 0;
    uint64_t listed = 0;
    for (uint64_t i = 0; i < b->count; i++) {
        const uint64_t shorter = nd_posting_length(candidates[i].shorter);
        const uint64_t longer = nd_posting_length(candidates[i].longer);
        const bool any_new = nd_max(nd_posting_page(candidates[i].shorter),
                                    nd_posting_page(candidates[i].longer)) >= met;
        if (any_new && nd_method_length_bound(job->options.method, options, shorter, longer) >=
                           nd_method_least_threshold(options)) { /* the rest comes later */
            candidates[kept++] = candidates[i];
        }
    }
    b->count = kept;
    /* similar pages meet under many keys: a pair is looked at once */
    b->scratch.size = 0;
    nd_buffer_reserve(&b->scratch, kept * sizeof *candidates);
    nd_record_sort_within(candidates, kept, sizeof *candidates, &by_values_then_item,
                          b->scratch.data);
    nd_new_room(&b->places, 2 * kept, sizeof *b->places);
    for (uint64_t i = 0; i < kept; i += same_pair(b, i)) {
        b->places[listed++] = nd_posting_page(candidates[i].shorter);
        b->places[listed++] = nd_posting_page(candidates[i].longer);
    }
    nd_pages_places(b->places, listed, &b->pages, &b->page_count);
}

static void keep_by_digest(const nd_job *job, batch *b) {
    const nd_method_options *options = &job->options.method_options;
    nd_new_room(&b->pairs, b->count, sizeof *b->pairs);
    const size_t size = nd_digest_record_size(&job->options);
    const uint64_t *places = b->places;
    uint64_t finds = 0;
    for (uint64_t i = 0; i < b->count; i += finds, places += 2) {
        finds = same_pair(b, i); /* the first has a rare key if one has */
        const nd_candidate *c = &b->candidates[i];
        const uint64_t x = nd_posting_page(c->shorter);
        const uint64_t y = nd_posting_page(c->longer);
        const uint64_t n = nd_posting_length(c->shorter);
        const uint64_t m = nd_posting_length(c->longer);
        ND_ASSERT(places[0] < b->page_count && places[1] < b->page_count, places[0], places[1],
                  b->page_count);
        ND_ASSERT(x != y && n <= m, x, n, m); /* of a group, by length and then page */
        const uint8_t *of_x = b->records + places[0] * size;
        const uint8_t *of_y = b->records + places[1] * size;
        const double bound = job->options.method->bound(options, nd_digest_record_digest(of_x),
                                                        nd_digest_record_digest(of_y));
        const uint32_t of_origin = nd_digest_record_pair(of_x, of_y);
        /* finds by common keys count by themselves: in which batch they are says nothing */
        uint64_t rare = 0;
        while (rare < finds && (c[rare].item & ND_CANDIDATE_COMMON) == 0) {
            rare++;
        }
        const uint32_t by_common = nd_pair_of_keys(&job->options, of_origin, m, true);
        const uint32_t by_rare = nd_pair_of_keys(&job->options, of_origin, m, false);
        found_pair find = {0};
        uint64_t within = 0;
        if (finds > rare && bound >= nd_method_threshold(options, by_common)) {
            find = find_of(&c[rare], by_common);
            within += finds - rare;
        }
        if (rare > 0 && bound >= nd_method_threshold(options, by_rare)) {
            find = find_of(c, by_rare);
            within += rare;
        }
        if (within > 0) {
            b->pairs[b->pair_count++] = find;
            b->finds += within;
        }
    }
}

/* What belongs to the candidates of one batch. */
static void drop_pages(batch *b) {
    free(b->pages);
    free(b->places);
    free(b->records);
    free(b->pairs);
    b->pages = NULL;
    b->places = NULL;
    b->records = NULL;
    b->pairs = NULL;
    b->pair_count = 0;
}

/* All ranks go through their candidates batch by batch; one that is done takes part with none. */
static nd_status bound_candidates(nd_job *job, const nd_shuffle_stream *to_owners) {
    nd_status st = ND_OK;
    batch b = {0};
    uint64_t seen = 0;
    nd_groups *groups = &job->state->groups;
    const uint64_t each = 2 * nd_digest_record_size(&job->options) + 2 * sizeof(nd_candidate) +
                          sizeof(found_pair) + 2 * sizeof(nd_key_value) + 4 * sizeof(uint64_t);
    const uint64_t room = nd_max(nd_max(groups->all_pairs, ND_GROUP_ALL_PAIRS),
                                 nd_min(job->options.memory.batch / each, MOST_CANDIDATES));
    const uint64_t total = nd_groups_total(groups);
    nd_new_room(&b.candidates, room, sizeof *b.candidates);
    while (true) {
        ND_TRY(nd_comm_agree(&job->comm, nd_groups_next(groups, b.candidates, room, &b.count)));
        if (nd_comm_sum(&job->comm, b.count) == 0) {
            break;
        }
        seen += b.count;
        list_pages(job, &b);
        ND_TRY(nd_fetch_digests(job, b.pages, b.page_count, &b.records));
        keep_by_digest(job, &b);
        ND_TRY(nd_shuffle_send(to_owners, b.pairs, b.pair_count));
        drop_pages(&b);
        nd_progress_update(&job->progress, &job->comm, groups->read, total, seen);
    }
    job->totals.candidates = nd_comm_sum(&job->comm, seen);
    job->totals.pair_finds = nd_comm_sum(&job->comm, b.finds);
out:
    drop_pages(&b);
    free(b.candidates);
    nd_buffer_free(&b.scratch);
    return st;
}

/* ---- each pair once */

static int pair_owner(const void *record, int size, const void *context) {
    const found_pair *find = record;
    (void)context;
    return nd_comm_hash_owner(nd_mix64(nd_mix64(find->a >> TOKEN_BITS) + (find->b >> TOKEN_BITS)),
                              size);
}

static bool is_same_pair(const void *record, const void *before) {
    const found_pair *find = record;
    const found_pair *last = before;
    return find->a == last->a && find->b == last->b;
}

static nd_status run(nd_job *job) {
    nd_status st = ND_OK;
    nd_external_sort sorted;
    const void *record = NULL;
    found_pair last = {0};
    const nd_shuffle_stream to_owners = nd_job_sort_at_owners(job, &sorted, sizeof(found_pair),
                                                              &by_pages_then_relation, pair_owner);
    nd_stage_begin(job, &nd_stage_block);
    ND_TRY(nd_groups_cut(&job->comm, &job->state->groups, job->first));
    if (job->options.transitivity == ND_TRANSITIVITY_FULL) {
        st = nd_groups_chain(&job->state->groups, &job->state->links, &job->state->link_count);
        ND_TRY(nd_comm_agree(&job->comm, st));
    } else {
        nd_external_sort_drop_repeats(&sorted, is_same_pair); /* found by many of a pair's keys */
        job->totals.candidates_passed = nd_comm_sum(&job->comm, job->state->groups.passed);
        ND_TRY(bound_candidates(job, &to_owners));
        nd_groups_close(&job->state->groups);
        /* pairs come sorted: each once */
        st = nd_external_sort_finish(&sorted);
        while (st == ND_OK && (st = nd_external_sort_next(&sorted, &record)) == ND_OK) {
            if (!is_same_pair(record, &last)) { /* a < b, so no pair is like the first */
                const nd_pair pair = pair_of(record);
                const nd_pair before = pair_of(&last);
                ND_ASSERT(pair.a < pair.b && pair.b < job->first[job->comm.size], pair.a, pair.b);
                ND_ASSERT(before.a < pair.a || (before.a == pair.a && before.b < pair.b), before.a,
                          pair.a, pair.b);
                memcpy(&last, record, sizeof last);
                st = nd_spool_append(&job->state->pairs, &pair, sizeof pair);
                job->state->pair_count++;
            }
        }
        ND_TRY(nd_comm_agree(&job->comm, st == ND_END ? ND_OK : st));
    }
    job->totals.pairs = nd_comm_sum(&job->comm, job->state->pair_count);
    nd_progress_end(&job->progress, &job->comm, job->state->pair_count);
out:
    nd_external_sort_close(&sorted);
    nd_groups_close(&job->state->groups);
    return st;
}

const nd_stage nd_stage_block = {"block", "pairs", ND_STAGE_BLOCK, run, NULL, NULL};
