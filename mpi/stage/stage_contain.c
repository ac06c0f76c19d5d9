/* After the join, with --contained: which pages are contained in others. Pages that share enough
 * keys are compared, and what is contained becomes a relation of the result; no set changes. With
 * checkpoints the stage is done as a whole. */
#include "mpi/stage/stage.h"

#include "mpi/comm/exchange.h"
#include "mpi/comm/fetch.h"
#include "mpi/job/kept_arrays.h"
#include "mpi/stage/contained_hits.h"
#include "mpi/stage/digests.h"
#include "mpi/stage/old_texts.h"
#include "src/base/status.h"
#include "src/base/util.h"
#include "src/compare/score.h"

#include <stdlib.h>

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
    ND_ASSERT(index < job->pages.count, page, job->pages.count);
    return job->pages.pages[index].token_count * sizeof(uint32_t);
}

static nd_status give_tokens(void *context, uint64_t page, nd_span *bytes) {
    nd_job *job = context;
    nd_status st = ND_OK;
    nd_document document;
    const size_t index = (size_t)(page - nd_job_own_first(job));
    ND_TRY(nd_old_text_have(job, index));
    ND_TRY(nd_page_store_tokens(&job->pages, index, &document));
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
            ND_TRY(nd_grow(&c->pairs, &capacity, c->count + 1, sizeof *c->pairs));
            c->pairs[c->count++] = pair;
            bytes += cost_of(&pair) * sizeof(uint32_t) + 4 * sizeof pair;
        }
    }
out:
    return st;
}

static nd_status list_pages(comparison *c) {
    nd_status st = ND_OK;
    free(c->pages);
    free(c->places);
    c->pages = NULL;
    c->places = NULL;
    ND_TRY(nd_new_room(&c->places, 2 * c->count, sizeof *c->places));
    for (uint64_t i = 0; i < c->count; i++) {
        c->places[2 * i] = c->pairs[i].page;
        c->places[2 * i + 1] = c->pairs[i].container;
    }
    ND_TRY(nd_pages_places(c->places, 2 * c->count, &c->pages, &c->page_count));
out:
    return st;
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
        ND_TRY(nd_containment((const uint32_t *)(const void *)a.data, a.size / sizeof(uint32_t),
                              (const uint32_t *)(const void *)b.data, b.size / sizeof(uint32_t),
                              job->options.contained, &c->work, &row.similarity));
        ND_ASSERT(row.similarity <= 1, row.a, row.b, a.size);
        if (row.similarity > 0) {
            ND_TRY(nd_spool_append(&job->contained, &row, sizeof row));
            job->contained_count++;
        }
        nd_progress_update(&job->progress, &job->comm, i, c->count, job->contained_count);
    }
out:
    return st;
}

static nd_status run(nd_job *job) {
    nd_status st = ND_OK;
    candidate_source found = {.own = nd_job_own_first(job), .own_count = job->pages.count};
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
        ND_TRY(nd_comm_agree(&job->comm, list_pages(&c)));
        ND_TRY(nd_fetch(&job->comm, job->first, c.pages, c.page_count, &provider, &c.tokens));
        ND_TRY(nd_comm_agree(&job->comm, compare_round(&c)));
    }
    job->totals.contained_candidates = nd_comm_sum(&job->comm, compared);
    job->totals.contained = nd_comm_sum(&job->comm, job->contained_count);
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

static nd_status save(nd_job *job) {
    return nd_kept_spool_save(job, "contained", sizeof(nd_link), &job->contained);
}

static nd_status load(nd_job *job, bool last) {
    (void)last;
    return nd_kept_spool_load(job, "contained", sizeof(nd_link), nd_kept_contained, &job->contained,
                              &job->contained_count);
}

const nd_stage nd_stage_contain = {"contain", "pairs", run, save, load};
