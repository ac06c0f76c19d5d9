#include "mpi/stage/guard.h"

#include "mpi/comm/components.h"
#include "mpi/comm/exchange.h"
#include "mpi/comm/fetch.h"
#include "mpi/stage/set_members.h"
#include "mpi/stage/state.h"
#include "src/base/status.h"
#include "src/base/util.h"
#include "src/method/certainty.h"
#include "src/sets/leaders.h"

#include <stdlib.h>
#include <string.h>

/* ---- two pages */

/* Is the similarity enough for a page to stay in its set, whatever the two are to each other? */
static bool stays(const nd_job_options *options, double similarity) {
    const nd_member_facts facts = {
        .similarity = (float)similarity, .tokens = 1, .names = 1, .sites = 1};
    return (double)nd_certainty(&facts) >= options->min_confidence;
}

/* Would the page leave the set in the end, for its similarity alone? Of HTML on one site more is
 * asked, once the sets are known (member_certainty.h). */
static bool would_leave(const nd_job_options *options, const nd_compare_batch *batch, uint64_t x,
                        uint64_t y, uint32_t pair, double similarity) {
    return !stays(options, similarity) &&
           ((pair & ND_PAIR_MAY_BE_SAME_SITE) == 0 || nd_compare_batch_are_texts(batch, x, y));
}

void nd_guard_compare(const nd_job_options *options, nd_compare_batch *batch, uint64_t x,
                      uint64_t x_tokens, uint64_t y, uint64_t y_tokens, double *similarity) {
    const nd_method_options *method = &options->method_options;
    const uint32_t pair = nd_compare_batch_relation(batch, x, y);
    const double threshold = nd_method_leader_threshold(method, pair) - options->slack;
    *similarity = 0;
    if (nd_method_length_bound(options->method, method, x_tokens, y_tokens) < threshold) {
        return;
    }
    nd_compare_batch_member(batch, nd_min(x, y), nd_max(x, y), threshold, similarity);
    if (*similarity > 0 && would_leave(options, batch, x, y, pair, *similarity)) {
        *similarity = 0;
    }
}

/* ---- the rounds */

/* Of a page without a set, and of one that has no number. */
static const uint64_t FREE = UINT64_MAX;

/* A page that may be the centroid of its part, on its way to the part's root; and a page of a set,
 * on its way to the leader. No padding. */
typedef struct candidate {
    uint64_t to; /* first: its rank gets this */
    uint64_t page;
    uint64_t tokens;
} candidate;

/* A page to be compared with the centroid of its part. No padding. */
typedef struct question {
    uint64_t leader; /* numbers */
    uint64_t page;
    uint64_t pages[2];  /* which these are: the leader, the page */
    uint64_t tokens[2]; /* likewise */
} question;

/* The pages with links are numbered by themselves, in their order, so that all others cost nothing.
 * Links, and all that follows, go by these numbers; arrays are of this rank's. Scratch is not there
 * during what takes most of the memory: tours and comparisons. */
typedef struct rounds {
    nd_job *job;
    nd_compare_batch *batch;
    nd_spool links; /* all */
    nd_spool tree;  /* those of the components' trees */
    nd_spool parts; /* of these, between pages without a set; in the end, inside sets */
    uint64_t *first;
    uint64_t own;
    size_t own_count;
    uint64_t *page;    /* which one it is */
    uint64_t *leader;  /* or FREE */
    float *similarity; /* to it */
    uint64_t *root;    /* of the part; itself in a set */
    nd_euler_tour_page *walked;
    uint64_t *chosen; /* scratch: [root] the centroid of its part; [leader] the first page of its
                         set */
    uint64_t *found;  /* scratch */
    uint64_t *looked; /* scratch */
} rounds;

static void rounds_open(rounds *r) {
    const nd_job_options *o = &r->job->options;
    nd_spool_open(&r->links, &r->job->folder, o->memory.spool);
    nd_spool_open(&r->tree, &r->job->folder, o->memory.spool);
    nd_spool_open(&r->parts, &r->job->folder, o->memory.spool);
    nd_new_room(&r->first, (size_t)r->job->comm.size + 1, sizeof *r->first);
    nd_new_room(&r->page, r->own_count, sizeof *r->page);
    nd_new_room(&r->leader, r->own_count, sizeof *r->leader);
    nd_new_room(&r->similarity, r->own_count, sizeof *r->similarity);
    nd_new_room(&r->root, r->own_count, sizeof *r->root);
}

static void scratch_open(rounds *r) {
    nd_new_room(&r->chosen, r->own_count, sizeof *r->chosen);
    nd_new_room(&r->found, r->own_count, sizeof *r->found);
    nd_new_room(&r->looked, r->own_count, sizeof *r->looked);
}

static void scratch_close(rounds *r) {
    free(r->chosen);
    free(r->found);
    free(r->looked);
    r->chosen = r->found = r->looked = NULL;
}

static void rounds_close(rounds *r) {
    nd_spool_close(&r->links);
    nd_spool_close(&r->tree);
    nd_spool_close(&r->parts);
    free(r->first);
    free(r->page);
    free(r->leader);
    free(r->similarity);
    free(r->root);
    free(r->walked);
    scratch_close(r);
}

/* Of this rank's pages, by its place here. */
static uint32_t tokens_of(const rounds *r, size_t i) {
    const nd_page_store *store = &r->job->state->pages;
    return store->pages[r->page[i] - nd_job_own_first(r->job)].token_count;
}

/* ---- links */

/* Which links are kept, by a number that is known of each page. */
typedef enum link_use {
    ALL,          /* with these numbers in place of those of the pages */
    LEFT,         /* between pages without a set; the numbers are leaders */
    INSIDE,       /* between those of a set; likewise */
    TO_CENTROIDS, /* from a page to the centroid of its part, which is the number: such pages were
                     compared when they were verified, at no lower threshold than here */
} link_use;

static bool is_kept(const nd_job_options *options, link_use use, nd_link *link, uint64_t of_a,
                    uint64_t of_b) {
    switch (use) {
    case ALL:
        *link = (nd_link){of_a, of_b, link->similarity};
        return true;
    case LEFT:
        return of_a == FREE && of_b == FREE;
    case INSIDE:
        return of_a == of_b;
    case TO_CENTROIDS:
        break;
    }
    if (of_b == link->a) {
        *link = (nd_link){link->b, link->a, link->similarity};
        of_a = of_b;
    }
    return of_a == link->b && stays(options, link->similarity);
}

/* Copy the links that are kept from one spool to another.
 * \param[in] known  a number for each of the pages that `first` gives this rank
 * \param[in] to     NULL: nowhere
 * \param[in,out] alike  of those that are not kept, how many are of ND_GUARD_ALIKE */
static nd_status copy_links(rounds *r, const uint64_t *first, const uint64_t *known, link_use use,
                            const nd_spool *from, nd_spool *to, uint64_t *alike) {
    nd_status st = ND_OK;
    nd_comm *comm = &r->job->comm;
    nd_spool_reader reader;
    nd_link *links = NULL;
    uint64_t *ends = NULL;
    uint64_t read = 0;
    const uint64_t room = comm->round_bytes / sizeof *links + 1;
    nd_spool_reader_open(&reader, from, sizeof *links, 0, from->size / sizeof *links, 0);
    nd_new_room(&links, room, sizeof *links);
    nd_new_room(&ends, 2 * room, sizeof *ends);
    do {
        ND_TRY(nd_comm_agree(comm, nd_spool_reader_take(&reader, links, room, &read)));
        for (uint64_t i = 0; i < read; i++) {
            ends[2 * i] = links[i].a;
            ends[2 * i + 1] = links[i].b;
        }
        ND_TRY(nd_lookup(comm, first, known, ends, 2 * read, ends));
        for (uint64_t i = 0; i < read && st == ND_OK; i++) {
            if (is_kept(&r->job->options, use, &links[i], ends[2 * i], ends[2 * i + 1])) {
                st = to == NULL ? ND_OK : nd_spool_append(to, &links[i], sizeof *links);
            } else {
                *alike += links[i].similarity >= ND_GUARD_ALIKE;
            }
        }
        ND_TRY(nd_comm_agree(comm, st));
    } while (nd_comm_max(comm, read) > 0);
out:
    nd_spool_reader_close(&reader);
    free(links);
    free(ends);
    return st;
}

/* Of the trees the links that are kept, in place of those before. */
static nd_status choose_parts(rounds *r, link_use use) {
    uint64_t dropped = 0;
    nd_spool_close(&r->parts);
    nd_spool_open(&r->parts, &r->job->folder, r->job->options.memory.spool);
    return copy_links(r, r->first, r->leader, use, &r->tree, &r->parts, &dropped);
}

/* ---- numbers for the pages */

/* Components of the links, before their pages are numbered. */
typedef struct forest {
    nd_job *job;
    uint64_t *root; /* of this rank's pages */
    bool *linked;   /* of this rank's pages: has it any? */
    nd_spool tree;
    size_t next;
} forest;

/* A component's root does not see whether it is alone. */
static nd_status next_roots(void *context, void *records, uint64_t room, uint64_t *count) {
    forest *f = context;
    uint64_t *roots = records;
    for (*count = 0; *count < room && f->next < f->job->state->pages.count; f->next++) {
        if (f->root[f->next] != nd_job_own_first(f->job) + f->next) {
            f->linked[f->next] = true;
            roots[(*count)++] = f->root[f->next];
        }
    }
    return ND_OK;
}

static nd_status take_roots(void *context, const void *records, uint64_t count) {
    forest *f = context;
    const uint64_t *roots = records;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t own = roots[i] - nd_job_own_first(f->job);
        ND_ASSERT(own < f->job->state->pages.count, roots[i], own, f->job->state->pages.count);
        f->linked[own] = true;
    }
    return ND_OK;
}

static nd_status forest_open(forest *f, nd_job *job) {
    nd_status st = ND_OK;
    const nd_shuffle_stream to_roots = {.comm = &job->comm,
                                        .record_size = sizeof(uint64_t),
                                        .owner = nd_shuffle_owner_of_item,
                                        .owner_context = job->first,
                                        .sink = take_roots,
                                        .sink_context = f};
    *f = (forest){.job = job};
    nd_spool_open(&f->tree, &job->folder, job->options.memory.spool);
    nd_new(&f->root, job->state->pages.count, sizeof *f->root);
    nd_new(&f->linked, job->state->pages.count, sizeof *f->linked);
    ND_TRY(nd_components(&job->comm, job->first, &job->state->links, job->options.memory.spool,
                         f->root, &f->tree));
    ND_TRY(nd_shuffle_run(&to_roots, next_roots, f));
out:
    return st;
}

static void forest_close(forest *f) {
    nd_spool_close(&f->tree);
    free(f->root);
    free(f->linked);
    *f = (forest){0};
}

static nd_status number_pages(rounds *r, forest *f) {
    nd_status st = ND_OK;
    nd_job *job = r->job;
    nd_comm *comm = &job->comm;
    const nd_page_store *store = &job->state->pages;
    uint64_t *numbers = NULL; /* of all pages of this rank */
    uint64_t dropped = 0;
    size_t count = 0;
    nd_new_room(&numbers, store->count, sizeof *numbers);
    nd_comm_ranges(comm, r->own_count, r->first);
    r->own = r->first[comm->rank];
    for (size_t i = 0; i < store->count; i++) {
        numbers[i] = FREE;
        if (f->linked[i]) {
            numbers[i] = r->own + count;
            r->page[count] = nd_job_own_first(job) + i;
            r->root[count] = f->root[i];
            r->leader[count++] = FREE;
        }
    }
    ND_TRY(nd_lookup(comm, job->first, numbers, r->root, count, r->root));
    ND_TRY(copy_links(r, job->first, numbers, ALL, &job->state->links, &r->links, &dropped));
    if (!job->options.keep_pairs) {
        nd_spool_close(&job->state->links);
    }
    ND_TRY(copy_links(r, job->first, numbers, ALL, &f->tree, &r->tree, &dropped));
    forest_close(f);
    free(numbers);
    numbers = NULL;
    nd_new_room(&r->walked, r->own_count, sizeof *r->walked);
    ND_TRY(choose_parts(r, LEFT));
out:
    free(numbers);
    return st;
}

/* This rank's numbers, from `next` on. */
typedef struct number_source {
    const rounds *rounds;
    size_t next;
} number_source;

/* Send what a source gives to the ranks of the numbers that it is for. */
static nd_status send_to_pages(rounds *r, size_t record_size, nd_record_sink sink,
                               nd_record_source next, void *source) {
    const nd_shuffle_stream stream = {.comm = &r->job->comm,
                                      .record_size = record_size,
                                      .owner = nd_shuffle_owner_of_item,
                                      .owner_context = r->first,
                                      .sink = sink,
                                      .sink_context = r};
    return nd_shuffle_run(&stream, next, source);
}

static nd_status look_up(rounds *r, const uint64_t *table, const uint64_t *items,
                         uint64_t *values) {
    return nd_lookup(&r->job->comm, r->first, table, items, r->own_count, values);
}

/* ---- every part's centroid */

static nd_status next_centroids(void *context, void *records, uint64_t room, uint64_t *count) {
    number_source *from = context;
    const rounds *r = from->rounds;
    candidate *candidates = records;
    for (*count = 0; *count < room && from->next < r->own_count; from->next++) {
        const size_t i = from->next;
        if (r->leader[i] == FREE && nd_is_centroid(r->walked[i].largest, r->walked[i].tree_pages)) {
            candidates[(*count)++] = (candidate){r->root[i], r->own + i, tokens_of(r, i)};
        }
    }
    return ND_OK;
}

/* `found` has the lengths of those that were chosen so far. */
static nd_status take_centroids(void *context, const void *records, uint64_t count) {
    rounds *r = context;
    const candidate *candidates = records;
    for (uint64_t i = 0; i < count; i++) {
        const candidate *c = &candidates[i];
        const size_t root = (size_t)(c->to - r->own);
        if (r->chosen[root] == FREE ||
            nd_centroid_precedes(c->tokens, c->page, r->found[root], r->chosen[root])) {
            r->chosen[root] = c->page;
            r->found[root] = c->tokens;
        }
    }
    return ND_OK;
}

/* Every part's centroid opens a set. \param[out] found  of free pages the centroid of their part;
 * else the page itself */
static nd_status open_sets(rounds *r) {
    nd_status st = ND_OK;
    number_source source = {r, 0};
    ND_TRY(nd_euler_tour(&r->job->comm, r->first, &r->parts, r->root, r->walked));
    scratch_open(r);
    for (size_t i = 0; i < r->own_count; i++) {
        r->chosen[i] = FREE;
    }
    ND_TRY(send_to_pages(r, sizeof(candidate), take_centroids, next_centroids, &source));
    ND_TRY(look_up(r, r->chosen, r->root, r->found));
    for (size_t i = 0; i < r->own_count; i++) {
        const uint64_t number = r->own + i;
        if (r->leader[i] != FREE) {
            r->found[i] = number;
        } else if (r->found[i] == number) {
            r->leader[i] = number;
            r->similarity[i] = 1;
        }
    }
out:
    return st;
}

/* ---- every page is compared with its part's */

static uint64_t question_cost(const void *record) {
    const question *q = record;
    return 1 + q->tokens[0] + q->tokens[1];
}

/* leader, page */
static const nd_record_order by_leader = {.word_count = 2, .words = {0, 1}};

/* A question for each free page, to the centroid that was found. */
static nd_status list_questions(rounds *r, question **list, uint64_t *count) {
    nd_status st = ND_OK;
    for (size_t i = 0; i < r->own_count; i++) {
        r->looked[i] = tokens_of(r, i);
    }
    ND_TRY(look_up(r, r->looked, r->found, r->chosen)); /* tokens of the centroids */
    ND_TRY(look_up(r, r->page, r->found, r->looked));   /* which pages they are */
    *count = 0;
    for (size_t i = 0; i < r->own_count; i++) {
        *count += r->leader[i] == FREE;
    }
    nd_new_room(list, *count, sizeof **list);
    *count = 0;
    for (size_t i = 0; i < r->own_count; i++) {
        if (r->leader[i] == FREE) {
            (*list)[(*count)++] = (question){r->found[i],
                                             r->own + i,
                                             {r->looked[i], r->page[i]},
                                             {r->chosen[i], tokens_of(r, i)}};
        }
    }
out:
    return st;
}

/* Questions at the front whose pages fit in a batch; at least one, if there is any. */
static uint64_t batch_length(const nd_job *job, const question *list, uint64_t count) {
    uint64_t bytes = 0;
    uint64_t i = 0;
    for (; i < count; i++) {
        const bool again = i > 0 && list[i].leader == list[i - 1].leader;
        bytes += sizeof *list + nd_compare_batch_bytes(&job->options, list[i].tokens[1]) +
                 (again ? 0 : nd_compare_batch_bytes(&job->options, list[i].tokens[0]));
        if (i > 0 && bytes > nd_job_compared_bytes(job)) {
            break;
        }
    }
    return i;
}

/* Compare the first `count`. \param[in,out] similar  of nd_link: page, leader, similarity */
static nd_status compare_batch(rounds *r, const question *list, uint64_t count, nd_spool *similar) {
    nd_status st = ND_OK;
    const nd_comm *comm = &r->job->comm;
    uint64_t *pages = NULL;
    nd_new_room(&pages, 2 * count, sizeof *pages);
    for (uint64_t i = 0; i < count; i++) {
        pages[2 * i] = list[i].pages[0];
        pages[2 * i + 1] = list[i].pages[1];
    }
    ND_TRY(nd_compare_batch_fetch(r->batch, pages, 2 * count));
    for (uint64_t i = 0; i < count && st == ND_OK; i++) {
        const question *q = &list[i];
        nd_link link = {q->page, q->leader, 0};
        nd_guard_compare(&r->job->options, r->batch, q->pages[0], q->tokens[0], q->pages[1],
                         q->tokens[1], &link.similarity);
        if (st == ND_OK && link.similarity > 0) {
            st = nd_spool_append(similar, &link, sizeof link);
        }
    }
    ND_TRY(nd_comm_agree(comm, st));
out:
    free(pages);
    return st;
}

static nd_status take_leaders(void *context, const void *records, uint64_t count) {
    rounds *r = context;
    const nd_link *similar = records;
    for (uint64_t i = 0; i < count; i++) {
        r->leader[similar[i].a - r->own] = similar[i].b;
        r->similarity[similar[i].a - r->own] = (float)similar[i].similarity;
    }
    return ND_OK;
}

/* Take what is similar to where the pages are; none is left. */
static nd_status send_similar(rounds *r, nd_spool *similar) {
    nd_status st = ND_OK;
    nd_spool_reader reader;
    nd_spool_reader_open(&reader, similar, sizeof(nd_link), 0, similar->size / sizeof(nd_link), 0);
    st = send_to_pages(r, sizeof(nd_link), take_leaders, nd_shuffle_from_spool, &reader);
    nd_spool_reader_close(&reader);
    nd_spool_close(similar);
    nd_spool_open(similar, &r->job->folder, r->job->options.memory.spool);
    return st;
}

/* Free pages that are similar to the centroid of their part get its set. */
static nd_status fill_sets(rounds *r) {
    nd_status st = ND_OK;
    nd_comm *comm = &r->job->comm;
    nd_spool similar;
    question *list = NULL;
    uint64_t count = 0;
    uint64_t dropped = 0;
    nd_spool_open(&similar, &r->job->folder, r->job->options.memory.spool);
    ND_TRY(copy_links(r, r->first, r->found, TO_CENTROIDS, &r->parts, &similar, &dropped));
    ND_TRY(send_similar(r, &similar));
    ND_TRY(list_questions(r, &list, &count));
    scratch_close(r);
    ND_TRY(nd_deal(comm, &list, &count, sizeof *list, question_cost, NULL));
    nd_record_sort(list, count, sizeof *list, &by_leader);
    for (uint64_t done = 0; nd_comm_max(comm, count - done) > 0;) {
        const uint64_t length = batch_length(r->job, list + done, count - done);
        ND_TRY(compare_batch(r, list + done, length, &similar));
        done += length;
    }
    ND_TRY(send_similar(r, &similar));
out:
    nd_compare_batch_free(r->batch);
    nd_spool_close(&similar);
    free(list);
    return st;
}

/* ---- what is left of the trees */

/* The last page toward the root that is reached over pages of one set, or of none, by pointer
 * jumping. \param[out] root  of every page */
static nd_status find_tops(rounds *r) {
    nd_status st = ND_OK;
    uint64_t changed = 1;
    for (size_t i = 0; i < r->own_count; i++) {
        r->root[i] = r->walked[i].parent;
    }
    ND_TRY(look_up(r, r->leader, r->root, r->found));
    for (size_t i = 0; i < r->own_count; i++) {
        r->root[i] = r->found[i] == r->leader[i] ? r->root[i] : r->own + i;
    }
    while (nd_comm_sum(&r->job->comm, changed) > 0) {
        changed = 0;
        ND_TRY(look_up(r, r->root, r->root, r->found));
        for (size_t i = 0; i < r->own_count; i++) {
            changed += r->root[i] != r->found[i];
            r->root[i] = r->found[i];
        }
    }
out:
    return st;
}

/* Pages that do not hang together with the leader of their set are free again; what is free makes
 * the next parts. */
static nd_status leave_trees(rounds *r) {
    nd_status st = ND_OK;
    scratch_open(r);
    ND_TRY(find_tops(r));
    for (size_t i = 0; i < r->own_count; i++) {
        r->looked[i] = r->leader[i] == FREE ? r->own + i : r->leader[i];
    }
    ND_TRY(look_up(r, r->root, r->looked, r->found));
    for (size_t i = 0; i < r->own_count; i++) {
        const bool in_part = r->walked[i].tree_pages > 1; /* else it has its set for good */
        r->leader[i] = in_part && r->found[i] != r->root[i] ? FREE : r->leader[i];
    }
    ND_TRY(find_tops(r));
    scratch_close(r);
    ND_TRY(choose_parts(r, LEFT));
out:
    return st;
}

/* ---- sets */

static nd_status next_members(void *context, void *records, uint64_t room, uint64_t *count) {
    number_source *from = context;
    const rounds *r = from->rounds;
    candidate *members = records;
    for (*count = 0; *count < room && from->next < r->own_count; from->next++) {
        members[(*count)++] = (candidate){r->leader[from->next], r->own + from->next, 0};
    }
    return ND_OK;
}

static nd_status take_members(void *context, const void *records, uint64_t count) {
    rounds *r = context;
    const candidate *members = records;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t *first = &r->chosen[members[i].to - r->own];
        *first = nd_min(*first, members[i].page);
    }
    return ND_OK;
}

/* A set is one piece of its component's tree, which is seen from the leader. */
static nd_status join_sets(rounds *r, nd_spool *memberships, uint64_t *alike_apart) {
    nd_status st = ND_OK;
    number_source source = {r, 0};
    ND_TRY(copy_links(r, r->first, r->leader, INSIDE, &r->links, NULL, alike_apart));
    ND_TRY(choose_parts(r, INSIDE));
    ND_TRY(nd_euler_tour(&r->job->comm, r->first, &r->parts, r->leader, r->walked));
    scratch_open(r);
    for (size_t i = 0; i < r->own_count; i++) {
        r->chosen[i] = UINT64_MAX;
    }
    ND_TRY(send_to_pages(r, sizeof(candidate), take_members, next_members, &source));
    /* from numbers to pages */
    ND_TRY(look_up(r, r->chosen, r->leader, r->found));
    ND_TRY(look_up(r, r->page, r->found, r->found)); /* the set */
    ND_TRY(look_up(r, r->page, r->leader, r->looked));
    for (size_t i = 0; i < r->own_count; i++) {
        r->chosen[i] = r->walked[i].parent;
    }
    ND_TRY(look_up(r, r->page, r->chosen, r->chosen));
    for (size_t i = 0; i < r->own_count && st == ND_OK; i++) {
        const nd_membership membership = {r->page[i],
                                          {r->found[i], r->looked[i], r->chosen[i],
                                           (float)r->walked[i].similarity, r->similarity[i]}};
        st = nd_spool_append(memberships, &membership, sizeof membership);
    }
    ND_TRY(nd_comm_agree(&r->job->comm, st));
out:
    return st;
}

nd_status nd_guard_sets(nd_job *job, nd_compare_batch *batch, nd_spool *memberships,
                        uint64_t *alike_apart) {
    nd_status st = ND_OK;
    rounds r = {.job = job, .batch = batch};
    forest f = {0};
    *alike_apart = 0;
    ND_TRY(forest_open(&f, job));
    for (size_t i = 0; i < job->state->pages.count; i++) {
        r.own_count += f.linked[i];
    }
    const uint64_t all = nd_comm_sum(&job->comm, r.own_count);
    uint64_t left = all;
    rounds_open(&r);
    ND_TRY(number_pages(&r, &f));
    while (left > 0) {
        ND_TRY(open_sets(&r));
        ND_TRY(fill_sets(&r));
        ND_TRY(leave_trees(&r));
        left = 0;
        for (size_t i = 0; i < r.own_count; i++) {
            left += r.leader[i] == FREE;
        }
        left = nd_comm_sum(&job->comm, left);
        nd_progress_update(&job->progress, &job->comm, all - left, all, all - left);
    }
    ND_TRY(join_sets(&r, memberships, alike_apart));
out:
    rounds_close(&r);
    forest_close(&f);
    return st;
}
