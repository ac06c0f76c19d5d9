/* Stages 5 and 6 in the paper's own form (Huang, Wang and Li, CIKM 2008): perhaps-similar sets by
 * transitivity over shared fingerprints or over pairs that pass the exact bounds, each on one
 * rank, pages by descending length, and the leader loop. A perhaps-similar set beyond the cap is
 * cut, and reported: first where it hangs together least, for fingerprints of few pages join their
 * pages first and no set grows beyond some times the cap (src/sets/forest.h); then by length,
 * since similar pages are about as long. Sets of an index stay as they are: their leaders take new
 * pages before these open sets. */
#include "io/store/external_sort.h"
#include "mpi/comm/exchange.h"
#include "mpi/comm/fetch.h"
#include "mpi/stage/compare.h"
#include "mpi/stage/gather.h"
#include "mpi/stage/index_pages.h"
#include "mpi/stage/set_members.h"
#include "mpi/stage/stage.h"
#include "mpi/stage/state.h"
#include "src/base/sort.h"
#include "src/base/status.h"
#include "src/base/util.h"
#include "src/sets/forest.h"
#include "src/sets/leaders.h"

#include <stdlib.h>

/* ==== sets of an index: an indexed page is met by the leader of its set, which stays that; new
 * pages are compared with it before they open sets. Which page of a perhaps-similar set is
 * compared with which is not decided here. Invariant: an indexed page's set, representative
 * and link are those of the index. */

/* Records looked up at once. */
enum { AT_ONCE = 1 << 14 };

static const nd_record_order by_pages = {.word_count = 2, .words = {0, 1}};

/* What the index says of this rank's indexed pages, its first ones. */
static nd_status load_members(const nd_job *job, nd_set_member **members) {
    nd_status st = ND_OK;
    const uint64_t first = nd_job_own_first(job);
    const uint64_t indexed = nd_index_own_count(job);
    nd_new_room(members, indexed, sizeof **members);
    ND_TRY(nd_checkpoint_load(&job->state->index.folder, "members", sizeof **members, first,
                              first + indexed, *members));
out:
    return st;
}

/* ---- links */

static bool is_same_link(const void *record, const void *before) {
    const nd_link *link = record;
    const nd_link *last = before;
    return link->a == last->a && link->b == last->b;
}

/* In place of job->state->links, which have been sent. */
static nd_status take_sorted(nd_job *job, nd_external_sort *sorted) {
    nd_status st = ND_OK;
    const void *record = NULL;
    nd_link last = {0}; /* a < b, so no link is like it */
    nd_spool_close(&job->state->links);
    nd_spool_open(&job->state->links, &job->kept, job->options.memory.spool);
    job->state->link_count = 0;
    ND_TRY(nd_external_sort_finish(sorted));
    while ((st = nd_external_sort_next(sorted, &record)) == ND_OK) {
        if (!is_same_link(record, &last)) {
            last = *(const nd_link *)record;
            ND_TRY(nd_spool_append(&job->state->links, &last, sizeof last));
            job->state->link_count++;
        }
    }
    st = st == ND_END ? ND_OK : st;
out:
    return st;
}

/* Collective. In job->state->links, whose second pages are new, put the leaders of indexed pages in
 * their place, each link once. \return ND_OK on all ranks, or a failure on all */
static nd_status indexed_leaders_meet(nd_job *job) {
    nd_status st = ND_OK;
    nd_comm *comm = &job->comm;
    const uint64_t own = nd_job_own_first(job);
    nd_set_member *members = NULL;
    uint64_t *leader = NULL; /* of this rank's pages: of new ones themselves */
    nd_link *links = NULL;
    uint64_t *pages = NULL;
    uint64_t count = 0;
    nd_external_sort sorted;
    nd_spool_reader reader;
    const nd_shuffle_stream to_leaders =
        nd_job_sort_at_owners(job, &sorted, sizeof *links, &by_pages, nd_shuffle_owner_of_item);
    nd_external_sort_drop_repeats(&sorted, is_same_link); /* a set is met by many of its pages */
    nd_spool_reader_open(&reader, &job->state->links, sizeof *links, 0, job->state->link_count, 0);
    st = load_members(job, &members);
    nd_new(&leader, job->state->pages.count, sizeof *leader);
    nd_new(&links, AT_ONCE, sizeof *links);
    nd_new(&pages, AT_ONCE, sizeof *pages);
    ND_TRY(nd_comm_agree(comm, st));
    for (size_t i = 0; i < job->state->pages.count; i++) {
        leader[i] = i < nd_index_own_count(job) ? members[i].representative : own + i;
        ND_ASSERT(own + i >= job->state->index.pages || leader[i] < job->state->index.pages,
                  own + i, leader[i], job->state->index.pages);
    }
    do {
        ND_TRY(nd_comm_agree(comm, nd_spool_reader_take(&reader, links, AT_ONCE, &count)));
        for (uint64_t i = 0; i < count; i++) {
            ND_ASSERT(links[i].a < links[i].b && links[i].b >= job->state->index.pages, links[i].a,
                      links[i].b, job->state->index.pages);
            pages[i] = links[i].a;
        }
        ND_TRY(nd_lookup(comm, job->first, leader, pages, count, pages));
        for (uint64_t i = 0; i < count; i++) {
            links[i].a = pages[i];
        }
        ND_TRY(nd_shuffle_send(&to_leaders, links, count));
    } while (nd_comm_max(comm, count) > 0);
    nd_spool_reader_close(&reader);
    ND_TRY(nd_comm_agree(comm, take_sorted(job, &sorted)));
out:
    nd_spool_reader_close(&reader);
    nd_external_sort_close(&sorted);
    free(members);
    free(leader);
    free(links);
    free(pages);
    return st;
}

/* ---- memberships */

/* Collective. Append all memberships: those of all indexed pages, and those
 * found, of new pages, with the sets of their leaders. Both spools hold nd_membership.
 * \return ND_OK on all ranks, or a failure on all */
static nd_status indexed_leaders_members(nd_job *job, const nd_spool *found,
                                         nd_spool *memberships) {
    nd_status st = ND_OK;
    nd_comm *comm = &job->comm;
    const uint64_t own = nd_job_own_first(job);
    const uint64_t indexed = nd_index_own_count(job);
    nd_set_member *members = NULL;
    uint64_t *set = NULL; /* of this rank's indexed pages */
    nd_membership *taken = NULL;
    uint64_t *leaders = NULL;
    uint64_t count = 0;
    nd_spool_reader reader;
    nd_spool_reader_open(&reader, found, sizeof *taken, 0, found->size / sizeof *taken, 0);
    st = load_members(job, &members);
    nd_new(&set, job->state->pages.count, sizeof *set);
    nd_new(&taken, AT_ONCE, sizeof *taken);
    nd_new(&leaders, AT_ONCE, sizeof *leaders);
    for (size_t i = 0; st == ND_OK && i < indexed; i++) {
        set[i] = members[i].set;
        const nd_membership membership = {own + i, members[i]};
        st = nd_spool_append(memberships, &membership, sizeof membership);
    }
    ND_TRY(nd_comm_agree(comm, st));
    do {
        ND_TRY(nd_comm_agree(comm, nd_spool_reader_take(&reader, taken, AT_ONCE, &count)));
        for (uint64_t i = 0; i < count; i++) {
            leaders[i] = taken[i].member.representative;
        }
        ND_TRY(nd_lookup(comm, job->first, set, leaders, count, leaders));
        for (uint64_t i = 0; st == ND_OK && i < count; i++) {
            nd_set_member *member = &taken[i].member;
            member->set =
                member->representative < job->state->index.pages ? leaders[i] : member->set;
            st = nd_spool_append(memberships, &taken[i], sizeof *taken);
        }
        ND_TRY(nd_comm_agree(comm, st));
    } while (nd_comm_max(comm, count) > 0);
out:
    nd_spool_reader_close(&reader);
    free(members);
    free(set);
    free(taken);
    free(leaders);
    return st;
}

/* ==== the stage */

/* So many sets of the cap's size are joined by links before they are cut by length. Cutting by
 * length alone tears apart more the larger the corpus is: at 128 cuts recall (B-cubed) fell to .56,
 * with links alone to .64; at 8 cuts by length it was .66. */
enum { SETS_JOINED = 8 };

/* Bytes of pairs read at a time. */
enum { READ_BYTES = 1 << 20 };

/* A page of a perhaps-similar set on its way to the rank that compares it. No padding. */
typedef struct set_page {
    uint64_t set; /* its longest page; the pages of a set are consecutive */
    uint64_t page;
    uint64_t tokens;
    uint64_t cost;
} set_page;

typedef struct perhaps {
    set_page *pages;
    size_t capacity;
    uint64_t count;
} perhaps;

/* ---- from components to perhaps-similar sets under the cap */

/* The pages of a set, which has their root, together. */
static int by_set_then_length(const void *a, const void *b) {
    const nd_component_page *x = a;
    const nd_component_page *y = b;
    if (x->root != y->root) {
        return x->root < y->root ? -1 : 1;
    }
    if (x->tokens != y->tokens) {
        return x->tokens > y->tokens ? -1 : 1;
    }
    return (x->page > y->page) - (x->page < y->page);
}

static nd_status cut_components(nd_job *job, nd_components_reader *components, perhaps *p) {
    nd_status st = ND_OK;
    nd_component_page *pages = NULL;
    nd_link *plain = NULL;
    uint64_t *numbers = NULL;
    uint64_t *label = NULL;
    size_t capacity = 0, plain_capacity = 0, number_capacity = 0, label_capacity = 0;
    uint64_t links = 0;
    const uint64_t cap = job->options.set_cap;
    while (true) {
        ND_TRY(nd_components_next(components, &links));
        if (links == 0) {
            break;
        }
        nd_grow(&pages, &capacity, 2 * links, sizeof *pages);
        const uint64_t count = nd_component_pages(components->links, links, pages);
        if (count > cap) { /* the pages, ascending, get their part's first page for a root */
            nd_grow(&plain, &plain_capacity, links, sizeof *plain);
            nd_grow(&numbers, &number_capacity, count, sizeof *numbers);
            nd_grow(&label, &label_capacity, count, sizeof *label);
            for (uint64_t i = 0; i < links; i++) {
                plain[i] = components->links[i].link;
            }
            for (uint64_t i = 0; i < count; i++) {
                numbers[i] = pages[i].page;
            }
            nd_capped_union(numbers, count, plain, links, SETS_JOINED * cap, label);
            for (uint64_t i = 0; i < count; i++) {
                pages[i].root = numbers[label[i]];
            }
            job->totals.capped_sets++;
            job->totals.capped_largest = nd_max(count, job->totals.capped_largest);
        }
        nd_components_drop(components, 0, links);
        nd_sort(pages, count, sizeof *pages, by_set_then_length);
        nd_grow(&p->pages, &p->capacity, p->count + count, sizeof *p->pages);
        for (uint64_t begin = 0, end = 0; begin < count; begin = end) {
            while (end < count && end - begin < cap && pages[end].root == pages[begin].root) {
                end++;
            }
            ND_ASSERT(end > begin && end - begin <= cap, begin, end, cap);
            if (end - begin > 1) {
                job->totals.perhaps_sets++;
                job->totals.perhaps_pages += end - begin;
            }
            for (int indexed = 1; indexed >= 0; indexed--) { /* first the leaders of indexed sets */
                for (uint64_t i = begin; i < end; i++) {
                    if ((pages[i].page < nd_index_staying(job)) == indexed) {
                        /* a page is compared with up to all others of its set */
                        p->pages[p->count++] =
                            (set_page){pages[begin].page, pages[i].page, pages[i].tokens,
                                       1 + pages[i].tokens * (end - begin) / 2};
                    }
                }
            }
        }
    }
out:
    free(pages);
    free(plain);
    free(numbers);
    free(label);
    return st;
}

static uint64_t page_cost(const void *record) {
    return ((const set_page *)record)->cost;
}

static bool same_set(const void *record, const void *next) {
    return ((const set_page *)record)->set == ((const set_page *)next)->set;
}

static uint64_t set_length(const set_page *pages, uint64_t count) {
    uint64_t length = 1;
    while (length < count && same_set(&pages[0], &pages[length])) {
        length++;
    }
    return length;
}

/* ---- the leader loop over the sets of one batch */

typedef struct comparer {
    nd_job *job;
    nd_spool *memberships;
    const set_page *pages; /* of the present set */
    nd_compare_batch batch;
    uint64_t linked;
} comparer;

static void compare_in_set(void *context, size_t leader, size_t member, double *similarity) {
    comparer *c = context;
    const nd_method *method = c->job->options.method;
    const nd_method_options *options = &c->job->options.method_options;
    const set_page *x = &c->pages[leader];
    const set_page *y = &c->pages[member];
    *similarity = 0;
    if (y->page < nd_index_staying(c->job)) {
        return; /* two indexed sets */
    }
    if (nd_method_length_bound(method, options, x->tokens, y->tokens) < options->threshold) {
        if (y->tokens <= x->tokens) {
            *similarity = ND_LEADER_STOP; /* the pages that follow are shorter still */
        }
        return;
    }
    const double threshold =
        nd_method_threshold(options, nd_compare_batch_relation(&c->batch, x->page, y->page));
    nd_compare_batch_pair(&c->batch, x->page, y->page, threshold, similarity);
    c->linked += *similarity > 0;
}

static nd_status run_set(comparer *c, uint64_t count) {
    nd_status st = ND_OK;
    size_t *leaders = NULL;
    double *similarities = NULL;
    uint64_t *smallest = NULL; /* page of each leader's set, at the leader's place */
    nd_new(&leaders, count, sizeof *leaders);
    nd_new(&similarities, count, sizeof *similarities);
    nd_new(&smallest, count, sizeof *smallest);
    if (!c->job->options.method_options.keys_suffice) {
        nd_leaders(count, compare_in_set, c, leaders, similarities);
    } else { /* nothing decides but the fingerprints: the set stays whole, under its longest page */
        similarities[0] = 1;
        for (uint64_t i = 1; i < count; i++) {
            nd_compare_batch_pair(&c->batch, c->pages[0].page, c->pages[i].page, 0,
                                  &similarities[i]);
        }
    }
    for (uint64_t i = 0; i < count; i++) { /* a leader comes before its members */
        const uint64_t page = c->pages[i].page;
        ND_ASSERT(leaders[i] <= i && leaders[leaders[i]] == leaders[i], i, leaders[i], count);
        smallest[leaders[i]] = leaders[i] == i ? page : nd_min(page, smallest[leaders[i]]);
    }
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t leader = c->pages[leaders[i]].page;
        if (c->pages[i].page < nd_index_staying(c->job)) {
            continue; /* the index has its membership */
        }
        const nd_membership membership = {
            c->pages[i].page,
            {smallest[leaders[i]], leader, leader, (float)similarities[i], (float)similarities[i]}};
        ND_TRY(nd_spool_append(c->memberships, &membership, sizeof membership));
    }
out:
    free(leaders);
    free(similarities);
    free(smallest);
    return st;
}

static nd_status compare_sets(nd_job *job, const perhaps *p, nd_spool *memberships) {
    nd_status st = ND_OK;
    comparer c = {.memberships = memberships, .job = job, .batch = {.job = job}};
    uint64_t *numbers = NULL;
    uint64_t end = 0;
    for (uint64_t begin = 0; nd_comm_sum(&job->comm, p->count - begin) > 0; begin = end) {
        /* whole sets whose payloads and digests fit in a batch; at least one */
        uint64_t bytes = 0;
        while (end < p->count) {
            const uint64_t next = end + set_length(p->pages + end, p->count - end);
            for (uint64_t i = end; i < next; i++) {
                bytes += nd_compare_batch_bytes(&job->options, p->pages[i].tokens);
            }
            if (end > begin && bytes > nd_job_compared_bytes(job)) {
                break;
            }
            end = next;
        }
        nd_new(&numbers, end - begin, sizeof *numbers);
        for (uint64_t i = begin; i < end; i++) {
            numbers[i - begin] = p->pages[i].page;
        }
        ND_TRY(nd_compare_batch_fetch(&c.batch, numbers, end - begin));
        free(numbers);
        numbers = NULL;
        for (uint64_t i = begin, length = 0; st == ND_OK && i < end; i += length) {
            length = set_length(p->pages + i, end - i);
            c.pages = p->pages + i;
            st = run_set(&c, length);
        }
        ND_TRY(nd_comm_agree(&job->comm, st));
        nd_progress_update(&job->progress, &job->comm, end, p->count, end);
    }
    job->totals.links = nd_comm_sum(&job->comm, c.linked);
    if (job->options.transitivity == ND_TRANSITIVITY_FULL) {
        job->totals.pairs = nd_comm_sum(&job->comm, c.batch.compared);
    }
out:
    free(numbers);
    nd_compare_batch_free(&c.batch);
    return st;
}

static nd_status run(nd_job *job) {
    nd_status st = ND_OK;
    nd_components_reader components = {0};
    perhaps p = {0};
    nd_spool found; /* by the leader loop */
    nd_spool memberships;
    nd_spool similarities; /* the memberships know them all: empty */
    nd_spool_reader reader;
    const void *records = NULL;
    nd_spool_reader_open(&reader, &job->state->pairs, sizeof(nd_pair), 0, job->state->pair_count,
                         READ_BYTES);
    nd_spool_open(&found, &job->folder, job->options.memory.spool);
    nd_spool_open(&memberships, &job->folder, job->options.memory.spool);
    nd_spool_open(&similarities, &job->folder, job->options.memory.spool);
    nd_stage_begin(job, &nd_stage_leaders);
    if (job->options.transitivity == ND_TRANSITIVITY_BOUNDED) {
        /* the links of this form are not similar pairs yet, only reasons to look */
        for (uint64_t read = 1; st == ND_OK && read > 0;) {
            st = nd_spool_reader_next(&reader, &records, &read);
            const nd_pair *pairs = records;
            for (uint64_t i = 0; st == ND_OK && i < read; i++) {
                const nd_link link = {pairs[i].a, pairs[i].b, 0};
                st = nd_spool_append(&job->state->links, &link, sizeof link);
                job->state->link_count++;
            }
        }
        ND_TRY(nd_comm_agree(&job->comm, st));
        nd_spool_reader_close(&reader);
        nd_spool_close(&job->state->pairs);
    }
    const bool kept = nd_index_staying(job) > 0;
    ND_TRY(kept ? indexed_leaders_meet(job) : ND_OK);
    ND_TRY(nd_gather_components(job, &components));
    ND_TRY(nd_comm_agree(&job->comm, cut_components(job, &components, &p)));
    nd_components_close(&components);
    job->totals.capped_sets = nd_comm_sum(&job->comm, job->totals.capped_sets);
    job->totals.perhaps_sets = nd_comm_sum(&job->comm, job->totals.perhaps_sets);
    job->totals.perhaps_pages = nd_comm_sum(&job->comm, job->totals.perhaps_pages);
    job->totals.capped_largest = nd_comm_max(&job->comm, job->totals.capped_largest);
    ND_TRY(nd_deal(&job->comm, &p.pages, &p.count, sizeof *p.pages, page_cost, same_set));
    ND_TRY(compare_sets(job, &p, &found));
    ND_TRY(kept ? indexed_leaders_members(job, &found, &memberships) : ND_OK);
    ND_TRY(nd_set_members_finish(job, kept ? &memberships : &found, &similarities));
    nd_progress_end(&job->progress, &job->comm, p.count);
out:
    nd_spool_reader_close(&reader);
    nd_components_close(&components);
    nd_spool_close(&found);
    nd_spool_close(&memberships);
    nd_spool_close(&similarities);
    free(p.pages);
    return st;
}

const nd_stage nd_stage_leaders = {"leaders", "pages", ND_STAGE_LEADERS,
                                   run,       NULL,    nd_set_members_load};
