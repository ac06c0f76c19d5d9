/* After the join, with --contained: which pages are contained in others. Pages that share enough
 * keys are compared, and what is contained becomes a relation of the result; no set changes. With
 * checkpoints the stage is done as a whole. */
#include "mpi/stage/stage_contain.h"

#include "mpi/comm/exchange.h"
#include "mpi/comm/fetch.h"
#include "mpi/stage/compare.h"
#include "mpi/stage/index_pages.h"
#include "mpi/stage/stage.h"
#include "mpi/stage/state.h"
#include "src/base/status.h"
#include "src/base/util.h"
#include "src/compare/score.h"
#include "src/sketch/shingle.h"

#include <stdlib.h>
#include <string.h>

/* ==== who may be contained */

/* A key of a page, once as one that it has, and if it asks by it once more. */
typedef struct posting {
    uint64_t key;   /* the lowest bits: keys by which the page asks in all; 0: it has the key */
    uint64_t value; /* posting value */
    uint64_t home;  /* its set, and in the lowest bits its collection */
} posting;

enum { ASKED_BITS = 6, COLLECTION_BITS = 16 };
_Static_assert(ND_CONTAINED_ASKED < 1 << ASKED_BITS, "a number of keys has room in a posting");

static const nd_record_order by_key_then_value = {.word_count = 2, .words = {0, 1}};
const nd_record_order nd_contained_order = {.word_count = 2, .words = {0, 1}};

nd_status nd_contained_collection(const nd_job *job, uint64_t *collection) {
    const nd_input_list *inputs = &job->inputs;
    const char *name = job->options.contained_query;
    *collection = UINT64_MAX;
    if (name == NULL) {
        return ND_OK;
    }
    if (!(job->options.contained > 0)) {
        return nd_fail(ND_ERR_USAGE,
                       "--contained-query %s: how much of a page has to be in another? give "
                       "--contained T, as .8",
                       name);
    }
    for (size_t i = 0; i < inputs->collection_count; i++) {
        if (strcmp(inputs->collections[i], name) == 0) {
            *collection = i;
            return ND_OK;
        }
    }
    return nd_fail(ND_ERR_USAGE,
                   "--contained-query %s: no input is of that collection; give one as %s=INPUT",
                   name, name);
}

/* ---- postings */

typedef struct posting_source {
    nd_job *job;
    uint64_t asking; /* the collection that asks; UINT64_MAX: all do */
    uint64_t
        *first_from; /* of this rank's pages: the collection of the first page with their text */
    size_t next;     /* page */
    uint64_t *keys;  /* of the page whose postings wait */
    size_t key_capacity, key_count, key_next, asked, asked_next;
    posting page;     /* what its postings have in common */
    uint64_t *filter; /* a bit for keys that are asked by, on any rank */
    uint64_t filter_mask;
} posting_source;

static nd_status sign_page(posting_source *from) {
    nd_status st = ND_OK;
    nd_job *job = from->job;
    nd_document document;
    const size_t index = from->next++;
    const uint64_t number = nd_job_own_first(job) + index;
    const nd_stored_page *page = &job->state->pages.pages[index];
    const bool asks = from->asking == UINT64_MAX || from->asking == page->collection;
    from->key_count = from->key_next = from->asked = from->asked_next = 0;
    if (job->state->exact_of[index] != number && from->first_from[index] == page->collection) {
        return ND_OK; /* that page stands for it */
    }
    ND_TRY(nd_index_text_ensure(job, index));
    ND_TRY(nd_page_store_tokens(&job->state->pages, index, &document));
    nd_grow(&from->keys, &from->key_capacity, document.token_count, sizeof *from->keys);
    from->key_count = nd_syncmer_keys(document.tokens, document.token_count, from->keys);
    ND_ASSERT(from->key_count <= document.token_count, number, from->key_count,
              document.token_count);
    ND_ASSERT(job->state->members[index].set <= number && number < UINT64_MAX >> COLLECTION_BITS,
              number, job->state->members[index].set);
    from->asked = asks && document.token_count >= ND_SYNCMER_RUN
                      ? nd_min(from->key_count, ND_CONTAINED_ASKED)
                      : 0;
    from->page = (posting){
        .value = nd_posting_value(number, document.token_count),
        .home = job->state->members[index].set << COLLECTION_BITS | page->collection,
    };
out:
    return st;
}

/* Small keys are asked by, so they are mixed anew: else all would ask on one rank. */
static uint64_t mixed_key(uint64_t key) {
    return nd_mix64(key) >> ASKED_BITS << ASKED_BITS;
}

static uint64_t *filter_word(const posting_source *from, uint64_t key, uint64_t *bit) {
    enum { WORD_BITS = 64 };
    const uint64_t at = key >> ASKED_BITS & from->filter_mask;
    *bit = UINT64_C(1) << at % WORD_BITS;
    return &from->filter[at / WORD_BITS];
}

/* Which keys are asked by. Most keys are not, and those who have them need not send them. Where the
 * filter is too small for the pages it lets more through, and that is all. */
static nd_status fill_filter(posting_source *from) {
    enum { BITS_FOR_A_KEY = 16, LEAST_BITS = 1 << 12, PART = 4, BYTE = 8 };
    nd_status st = ND_OK;
    nd_job *job = from->job;
    const uint64_t most = job->options.memory.sort / PART * BYTE;
    uint64_t bits = LEAST_BITS;
    uint64_t asking = 0;
    for (size_t i = 0; i < job->state->pages.count; i++) {
        asking +=
            from->asking == UINT64_MAX || from->asking == job->state->pages.pages[i].collection;
    }
    asking = nd_comm_sum(&job->comm, asking);
    while (bits < asking * ND_CONTAINED_ASKED * BITS_FOR_A_KEY && 2 * bits <= most) {
        bits *= 2;
    }
    from->filter_mask = bits - 1;
    const size_t words = (size_t)(bits / (sizeof *from->filter * BYTE));
    nd_new(&from->filter, words, sizeof *from->filter);
    while (st == ND_OK && from->next < job->state->pages.count) {
        nd_progress_update(&job->progress, &job->comm, from->next, 3 * job->state->pages.count,
                           from->next);
        st = sign_page(from);
        for (size_t i = 0; i < from->asked; i++) {
            uint64_t bit = 0;
            uint64_t *word = filter_word(from, mixed_key(from->keys[i]), &bit);
            *word |= bit;
        }
    }
    ND_TRY(nd_comm_agree(&job->comm, st));
    ND_MPI(MPI_Allreduce(MPI_IN_PLACE, from->filter, (int)words, MPI_UINT64_T, MPI_BOR,
                         job->comm.handle));
    from->next = 0;
    from->key_count = from->asked = from->asked_next = from->key_next = 0;
out:
    return st;
}

static nd_status next_postings(void *context, void *records, uint64_t room, uint64_t *count) {
    nd_status st = ND_OK;
    posting_source *from = context;
    nd_job *job = from->job;
    posting *postings = records;
    *count = 0;
    while (*count < room) {
        const bool has = from->key_next < from->key_count;
        if (!has && from->asked_next == from->asked) {
            if (from->next == job->state->pages.count) {
                break;
            }
            nd_progress_update(&job->progress, &job->comm, job->state->pages.count + from->next,
                               3 * job->state->pages.count, from->next);
            ND_TRY(sign_page(from));
            continue;
        }
        const uint64_t key = mixed_key(from->keys[has ? from->key_next++ : from->asked_next++]);
        uint64_t bit = 0;
        const uint64_t *word = filter_word(from, key, &bit);
        if ((*word & bit) != 0) {
            postings[*count] = from->page;
            postings[(*count)++].key = key | (has ? 0 : from->asked);
        }
    }
out:
    return st;
}

/* ---- hits */

/* The keys of this rank, one after the other. */
typedef struct hit_source {
    nd_job *job;
    nd_external_sort *postings;
    uint64_t most_held;
    bool outside; /* a collection's pages are looked for, and in others */
    posting ahead;
    bool has_ahead;
    posting *group; /* of one key: those that have it, then those that ask */
    size_t capacity;
    uint64_t held, asking; /* how many of both */
    uint64_t ask;          /* whose hits come next, */
    uint64_t next;         /* from this one of those that have the key */
    uint64_t most;         /* hits that a page may get; */
    uint64_t got, seen;    /* hits that it got, and how many were looked at */
    uint64_t passed;
} hit_source;

static nd_status take(hit_source *from) {
    return nd_external_sort_take(from->postings, &from->ahead, &from->has_ahead);
}

static void start_ask(hit_source *from) {
    from->got = from->seen = 0;
    if (from->ask < from->asking) { /* what is much shorter cannot contain it */
        const double tokens = (double)nd_posting_length(from->group[from->held + from->ask].value) *
                              from->job->options.contained;
        ND_FIND_FIRST(from->next, 0, from->held,
                      (double)nd_posting_length(from->group[from->next].value) >= tokens);
    }
}

/* The postings of the next key. */
static nd_status read_group(hit_source *from) {
    nd_status st = ND_OK;
    const uint64_t key = from->ahead.key >> ASKED_BITS;
    uint64_t read[2] = {0, 0}; /* that have it, that ask */
    from->held = from->asking = from->ask = 0;
    while (from->has_ahead && from->ahead.key >> ASKED_BITS == key) {
        const bool asks = from->ahead.key != key << ASKED_BITS;
        ND_ASSERT(asks || read[1] == 0, read[0], read[1]); /* those that have the key are first */
        read[asks]++;
        if (read[0] <= from->most_held) {
            nd_grow(&from->group, &from->capacity, read[0] + read[1], sizeof *from->group);
            from->group[read[0] + read[1] - 1] = from->ahead;
        }
        ND_TRY(take(from));
    }
    if (read[0] > from->most_held) {
        from->passed += read[1] * (read[0] - 1);
    } else if (read[1] > 0) {
        from->held = read[0];
        from->asking = read[1];
        from->most = ND_CONTAINED_PARTNERS * read[0] / read[1];
        start_ask(from);
    }
out:
    return st;
}

static bool is_wanted(const hit_source *from, const posting *ask, const posting *held) {
    const uint64_t mask = (UINT64_C(1) << COLLECTION_BITS) - 1;
    const uint64_t page = nd_posting_page(ask->value);
    const uint64_t container = nd_posting_page(held->value);
    const uint64_t pages = from->job->first[from->job->comm.size];
    ND_ASSERT(page < pages && container < pages, page, container, pages);
    const bool indexed = page < from->job->state->index.pages;
    const bool container_indexed = container < from->job->state->index.pages;
    const bool one_collection = (ask->home & mask) == (held->home & mask);
    return page != container && !(indexed && container_indexed) &&
           !(from->outside && one_collection) &&
           (ask->home != held->home || indexed != container_indexed);
}

static nd_status next_hits(void *context, void *records, uint64_t room, uint64_t *count) {
    nd_status st = ND_OK;
    hit_source *from = context;
    nd_contained_hit *hits = records;
    const uint64_t total = nd_external_sort_count(from->postings);
    *count = 0;
    while (*count < room && (from->has_ahead || from->ask < from->asking)) {
        if (from->ask == from->asking) {
            const uint64_t done = from->postings->next;
            nd_progress_update(&from->job->progress, &from->job->comm, 2 * total + done, 3 * total,
                               0);
            ND_TRY(read_group(from));
            continue;
        }
        const posting *ask = &from->group[from->held + from->ask];
        if (from->next < from->held && from->got < from->most &&
            from->seen < ND_CONTAINED_LOOKED_AT * from->most) {
            const posting *held = &from->group[from->next++];
            from->seen++;
            if (is_wanted(from, ask, held)) {
                from->got++;
                hits[(*count)++] = (nd_contained_hit){
                    .page = nd_posting_page(ask->value),
                    .container = held->value,
                    .tokens = (uint32_t)nd_posting_length(ask->value),
                    .asked = (uint32_t)(ask->key & ((1U << ASKED_BITS) - 1)),
                };
            }
            continue;
        }
        from->passed += from->held - from->next;
        from->ask++;
        start_ask(from);
    }
out:
    return st;
}

nd_status nd_contained_hits(nd_job *job, uint64_t most_held, nd_external_sort *hits,
                            uint64_t *passed) {
    nd_status st = ND_OK;
    nd_external_sort postings;
    const size_t count = job->state->pages.count;
    posting_source pages = {.job = job};
    hit_source keys = {.job = job, .postings = &postings, .most_held = most_held};
    uint64_t *collections = NULL;
    const nd_shuffle_stream to_keys = nd_job_sort_at_owners(
        job, &postings, sizeof(posting), &by_key_then_value, nd_shuffle_owner_of_hash);
    const nd_shuffle_stream to_pages = {.comm = &job->comm,
                                        .record_size = sizeof(nd_contained_hit),
                                        .owner = nd_shuffle_owner_of_item,
                                        .owner_context = job->first,
                                        .sink = nd_shuffle_into_sort,
                                        .sink_context = hits};
    st = nd_contained_collection(job, &pages.asking);
    keys.outside = pages.asking != UINT64_MAX;
    nd_new(&collections, count, sizeof *collections);
    nd_new(&pages.first_from, count, sizeof *pages.first_from);
    ND_TRY(nd_comm_agree(&job->comm, st));
    for (size_t i = 0; i < count; i++) {
        collections[i] = job->state->pages.pages[i].collection;
    }
    ND_TRY(nd_lookup(&job->comm, job->first, collections, job->state->exact_of, count,
                     pages.first_from));
    ND_TRY(fill_filter(&pages));
    ND_TRY(nd_shuffle_run(&to_keys, next_postings, &pages));
    st = nd_external_sort_finish(&postings);
    st = st != ND_OK ? st : take(&keys);
    ND_TRY(nd_comm_agree(&job->comm, st));
    ND_TRY(nd_shuffle_run(&to_pages, next_hits, &keys));
    *passed = nd_comm_sum(&job->comm, keys.passed);
out:
    nd_external_sort_close(&postings);
    free(collections);
    free(pages.first_from);
    free(pages.keys);
    free(pages.filter);
    free(keys.group);
    return st;
}

/* ==== the stage */

/* A page and one that may contain it. No padding: it is sent as bytes. */
typedef struct candidate {
    uint64_t page, container;
    uint64_t tokens, container_tokens;
} candidate;

/* A page of which every fifth token is another in the container shares a third of its keys with it;
 * so few hits as this are less than it has in 99 of 100 cases, and chance often gives one or two.
 */
static uint32_t least_hits(uint32_t asked) {
    enum { ONE_IS_ENOUGH = 12, FOR_ONE_MORE = 5 };
    return 1 + (asked > ONE_IS_ENOUGH ? (asked - ONE_IS_ENOUGH) / FOR_ONE_MORE : 0);
}

typedef struct candidate_source {
    nd_external_sort hits;
    nd_contained_hit ahead;
    bool has_ahead;
    uint64_t own, own_count; /* this rank's pages, which have asked */
} candidate_source;

static nd_status next_candidate(candidate_source *from, candidate *found, bool *any) {
    nd_status st = ND_OK;
    *any = false;
    while (from->has_ahead && !*any) {
        const nd_contained_hit hit = from->ahead;
        uint32_t hits = 0;
        ND_ASSERT(hit.page - from->own < from->own_count, hit.page, from->own, from->own_count);
        ND_ASSERT(hit.page != nd_posting_page(hit.container) && hit.asked > 0, hit.page, hit.asked);
        while (from->has_ahead && from->ahead.page == hit.page &&
               from->ahead.container == hit.container) {
            hits++;
            ND_TRY(nd_external_sort_take(&from->hits, &from->ahead, &from->has_ahead));
        }
        *any = hits >= least_hits(hit.asked);
        *found = (candidate){hit.page, nd_posting_page(hit.container), hit.tokens,
                             nd_posting_length(hit.container)};
    }
out:
    return st;
}

static uint64_t cost_of(const void *record) {
    const candidate *pair = record;
    return pair->tokens + pair->container_tokens;
}

/* ---- tokens of any pages */

static uint64_t tokens_size(const void *context, uint64_t page) {
    const nd_job *job = context;
    const uint64_t index = page - nd_job_own_first(job);
    ND_ASSERT(index < job->state->pages.count, page, job->state->pages.count);
    return job->state->pages.pages[index].token_count * sizeof(uint32_t);
}

static nd_status give_tokens(void *context, uint64_t page, nd_span *bytes) {
    nd_job *job = context;
    nd_status st = ND_OK;
    nd_document document;
    const size_t index = (size_t)(page - nd_job_own_first(job));
    ND_TRY(nd_index_text_ensure(job, index));
    ND_TRY(nd_page_store_tokens(&job->state->pages, index, &document));
    *bytes =
        (nd_span){(const uint8_t *)document.tokens, document.token_count * sizeof *document.tokens};
out:
    return st;
}

/* ---- comparing */

typedef struct comparison {
    nd_job *job;
    candidate *pairs; /* of this round */
    uint64_t count;
    uint64_t *places; /* of their pages among what was fetched */
    uint64_t *pages;
    uint64_t page_count;
    nd_fetched tokens;
    nd_lcs_work work;
} comparison;

/* As many as are compared at once; at least one, if there is one. */
static nd_status read_round(candidate_source *from, comparison *c) {
    nd_status st = ND_OK;
    const uint64_t most = c->job->options.memory.batch;
    size_t capacity = 0;
    uint64_t bytes = 0;
    bool any = true;
    free(c->pairs);
    c->pairs = NULL;
    c->count = 0;
    while (any && bytes < most) {
        candidate pair = {0};
        ND_TRY(next_candidate(from, &pair, &any));
        if (any) {
            nd_grow(&c->pairs, &capacity, c->count + 1, sizeof *c->pairs);
            c->pairs[c->count++] = pair;
            bytes += cost_of(&pair) * sizeof(uint32_t) + 4 * sizeof pair;
        }
    }
out:
    return st;
}

static void list_pages(comparison *c) {
    free(c->pages);
    free(c->places);
    c->pages = NULL;
    c->places = NULL;
    nd_new_room(&c->places, 2 * c->count, sizeof *c->places);
    for (uint64_t i = 0; i < c->count; i++) {
        c->places[2 * i] = c->pairs[i].page;
        c->places[2 * i + 1] = c->pairs[i].container;
    }
    nd_pages_places(c->places, 2 * c->count, &c->pages, &c->page_count);
}

static nd_status compare_round(comparison *c) {
    nd_status st = ND_OK;
    nd_job *job = c->job;
    for (uint64_t i = 0; i < c->count; i++) {
        const nd_span a = nd_fetched_at(&c->tokens, c->places[2 * i]);
        const nd_span b = nd_fetched_at(&c->tokens, c->places[2 * i + 1]);
        nd_link row = {.a = c->pairs[i].page, .b = c->pairs[i].container};
        ND_ASSERT(a.size % sizeof(uint32_t) == 0 && b.size % sizeof(uint32_t) == 0, a.size, b.size,
                  row.a);
        nd_containment((const uint32_t *)(const void *)a.data, a.size / sizeof(uint32_t),
                       (const uint32_t *)(const void *)b.data, b.size / sizeof(uint32_t),
                       job->options.contained, &c->work, &row.similarity);
        ND_ASSERT(row.similarity <= 1, row.a, row.b, a.size);
        if (row.similarity > 0) {
            ND_TRY(nd_spool_append(&job->state->contained, &row, sizeof row));
            job->state->contained_count++;
        }
        nd_progress_update(&job->progress, &job->comm, i, c->count, job->state->contained_count);
    }
out:
    return st;
}

static nd_status run(nd_job *job) {
    nd_status st = ND_OK;
    candidate_source found = {.own = nd_job_own_first(job), .own_count = job->state->pages.count};
    comparison c = {.job = job};
    const nd_provider provider = {.context = job, .size = tokens_size, .give = give_tokens};
    uint64_t compared = 0;
    nd_external_sort_open(&found.hits, &job->folder, sizeof(nd_contained_hit), &nd_contained_order,
                          job->options.memory.sort);
    nd_stage_begin(job, &nd_stage_contain);
    ND_TRY(nd_contained_hits(job, ND_CONTAINED_HELD, &found.hits, &job->totals.contained_passed));
    st = nd_external_sort_finish(&found.hits);
    st = st != ND_OK ? st : nd_external_sort_take(&found.hits, &found.ahead, &found.has_ahead);
    ND_TRY(nd_comm_agree(&job->comm, st));
    while (true) {
        ND_TRY(nd_comm_agree(&job->comm, read_round(&found, &c)));
        if (nd_comm_sum(&job->comm, c.count) == 0) {
            break;
        }
        /* the pages of a small collection lie on one rank, and so do all their candidates */
        ND_TRY(nd_deal(&job->comm, &c.pairs, &c.count, sizeof *c.pairs, cost_of, NULL));
        compared += c.count;
        list_pages(&c);
        ND_TRY(nd_fetch(&job->comm, job->first, c.pages, c.page_count, &provider, &c.tokens));
        ND_TRY(nd_comm_agree(&job->comm, compare_round(&c)));
    }
    job->totals.contained_candidates = nd_comm_sum(&job->comm, compared);
    job->totals.contained = nd_comm_sum(&job->comm, job->state->contained_count);
    nd_progress_end(&job->progress, &job->comm, compared);
out:
    nd_external_sort_close(&found.hits);
    nd_fetched_free(&c.tokens);
    nd_lcs_work_free(&c.work);
    free(c.pairs);
    free(c.pages);
    free(c.places);
    return st;
}

const nd_stage nd_stage_contain = {"contain", "pairs", ND_STAGE_CONTAIN, run, NULL, NULL};
