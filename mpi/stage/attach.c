#include "mpi/stage/attach.h"

#include "io/store/external_sort.h"
#include "mpi/comm/exchange.h"
#include "mpi/stage/guard.h"
#include "mpi/stage/index_pages.h"
#include "mpi/stage/set_members.h"
#include "mpi/stage/state.h"
#include "src/base/status.h"
#include "src/base/util.h"
#include "src/text/address.h"

#include <stdlib.h>
#include <string.h>

/* No representative: the page is in no indexed set. */
static const uint64_t NONE = UINT64_MAX;

/* Indexed sets that a page is compared with in a round, the most similar pages' first. */
enum { MOST_TRIES = 8 };

/* A new page may join by the pair with `via`, of a set led by `leader`. No padding. */
typedef struct candidate {
    uint64_t page;
    uint64_t order; /* ascending as similarities descend */
    uint64_t via, leader, leader_tokens;
    double similarity; /* of the pair */
} candidate;

static const nd_record_order by_page_then_order = {.word_count = 3, .words = {0, 1, 2}};

/* Arrays are of this rank's pages. */
typedef struct attachment {
    nd_job *job;
    nd_compare_batch *batch;
    nd_set_member *members;  /* of indexed pages, and of new ones that have joined */
    uint64_t *leader, *just; /* representatives; of those that joined in the round before */
    uint64_t *form, *tokens;
    struct form_note *notes;
    nd_external_sort sorted; /* candidates of this rank's pages */
    nd_spool_reader reader;  /* of the links */
    candidate *group; /* those of one page, then of the next ones that a batch has room for */
    size_t group_capacity;
    uint64_t group_count;
    candidate ahead;
    bool has_ahead;
    uint64_t *listed; /* pages of a batch */
    size_t listed_capacity;
} attachment;

/* ---- links, with what is known of their pages */

/* A part of this rank's links, and of each its two pages' entries in some tables. */
enum { TABLES = 3, LINKS_AT_ONCE = 1 << 14 };

typedef struct known_links {
    nd_link links[LINKS_AT_ONCE];
    uint64_t count;
    uint64_t items[LINKS_AT_ONCE];
    uint64_t a[TABLES][LINKS_AT_ONCE], b[TABLES][LINKS_AT_ONCE];
} known_links;

/* Collective. \param[out] more  false on all ranks after the last */
static nd_status next_links(attachment *at, known_links *known, uint64_t *const *tables,
                            size_t table_count, bool *more) {
    nd_status st = ND_OK;
    nd_comm *comm = &at->job->comm;
    st = nd_spool_reader_take(&at->reader, known->links, LINKS_AT_ONCE, &known->count);
    ND_TRY(nd_comm_agree(comm, st));
    *more = nd_comm_max(comm, known->count) > 0;
    for (size_t t = 0; *more && t < table_count; t++) {
        for (int end = 0; end < 2; end++) {
            for (uint64_t i = 0; i < known->count; i++) {
                ND_ASSERT(known->links[i].a < known->links[i].b &&
                              known->links[i].b >= at->job->state->index.pages,
                          known->links[i].a, known->links[i].b, at->job->state->index.pages);
                known->items[i] = end == 0 ? known->links[i].a : known->links[i].b;
            }
            ND_TRY(nd_lookup(comm, at->job->first, tables[t], known->items, known->count,
                             end == 0 ? known->a[t] : known->b[t]));
        }
    }
out:
    return st;
}

static void read_from_start(attachment *at) {
    nd_spool_reader_close(&at->reader);
    nd_spool_reader_open(&at->reader, &at->job->state->links, sizeof(nd_link), 0,
                         at->job->state->link_count, sizeof(nd_link) * LINKS_AT_ONCE);
}

/* Which links stay, by what is known of their pages. */
typedef bool (*link_filter)(const known_links *known, uint64_t i);

/* Of a page: whether it is of a form, and what its address names. */
static uint64_t form_and_subject(const attachment *at, size_t i) {
    return (at->form[i] != 0) | (uint64_t)at->job->state->pages.pages[i].subject << 1;
}

static bool counts_of_forms(const known_links *known, uint64_t i) {
    const uint64_t a = known->a[0][i];
    const uint64_t b = known->b[0][i];
    const bool other = nd_subject_is_other((uint16_t)(a >> 1), (uint16_t)(b >> 1));
    return ((a | b) & 1) == 0 || nd_form_are_twins(known->links[i].similarity, other);
}

static bool is_free(const known_links *known, uint64_t i) {
    return known->a[0][i] == NONE && known->b[0][i] == NONE;
}

static nd_status keep_links(attachment *at, uint64_t *table, link_filter keeps) {
    nd_status st = ND_OK;
    nd_job *job = at->job;
    known_links *known = NULL;
    nd_spool kept;
    uint64_t count = 0;
    bool more = true;
    nd_spool_open(&kept, &job->folder, job->options.memory.spool);
    nd_new(&known, 1, sizeof *known);
    read_from_start(at);
    while (true) {
        ND_TRY(next_links(at, known, &table, 1, &more));
        if (!more) {
            break;
        }
        for (uint64_t i = 0; st == ND_OK && i < known->count; i++) {
            if (keeps(known, i)) {
                st = nd_spool_append(&kept, &known->links[i], sizeof *known->links);
                count++;
            }
        }
        ND_TRY(nd_comm_agree(&job->comm, st));
    }
    nd_spool_reader_close(&at->reader);
    nd_spool_close(&job->state->links);
    job->state->links = kept;
    job->state->link_count = count;
    nd_spool_open(&kept, &job->folder, 0);
out:
    nd_spool_close(&kept);
    free(known);
    return st;
}

/* ---- forms */

/* A new page is of a form if at least half of the pages that it is similar to are; to the pages of
 * a large form that are next by length it is similar alone, so that what was found has to spread.
 */
enum { MOST_SPREADS = 64 };

/* No padding. */
typedef struct form_note {
    uint64_t page;
    uint32_t similar, of_form; /* pages that it is similar to */
} form_note;

static nd_status take_notes(void *context, const void *records, uint64_t count) {
    attachment *at = context;
    const form_note *notes = records;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t index = notes[i].page - nd_job_own_first(at->job);
        ND_ASSERT(index < at->job->state->pages.count, notes[i].page, at->job->state->pages.count);
        form_note *sum = &at->notes[index];
        sum->similar += notes[i].similar;
        sum->of_form += notes[i].of_form;
    }
    return ND_OK;
}

/* Collective. Tell the pages at both ends of each link whether the other one's entry is set. */
static nd_status send_notes(attachment *at, uint64_t *table, bool first) {
    nd_status st = ND_OK;
    nd_job *job = at->job;
    known_links *known = NULL;
    form_note *notes = NULL;
    bool more = true;
    const nd_shuffle_stream to_pages = {.comm = &job->comm,
                                        .record_size = sizeof *notes,
                                        .owner = nd_shuffle_owner_of_item,
                                        .owner_context = job->first,
                                        .sink = take_notes,
                                        .sink_context = at};
    nd_new(&known, 1, sizeof *known);
    nd_new(&notes, 2 * LINKS_AT_ONCE, sizeof *notes);
    read_from_start(at);
    while (true) {
        uint64_t count = 0;
        ND_TRY(next_links(at, known, &table, 1, &more));
        if (!more) {
            break;
        }
        for (uint64_t i = 0; i < known->count; i++) {
            const nd_link *link = &known->links[i];
            if (first || known->a[0][i] != 0) {
                notes[count++] = (form_note){link->b, first, known->a[0][i] != 0};
            }
            if (first || known->b[0][i] != 0) {
                notes[count++] = (form_note){link->a, first, known->b[0][i] != 0};
            }
        }
        ND_TRY(nd_shuffle_send(&to_pages, notes, count));
    }
out:
    free(known);
    free(notes);
    return st;
}

static nd_status mark_forms(attachment *at) {
    nd_status st = ND_OK;
    nd_job *job = at->job;
    uint64_t *fresh = NULL; /* of a form since the round before */
    uint64_t marked = 1;
    nd_new_room(&fresh, job->state->pages.count, sizeof *fresh);
    nd_new(&at->notes, job->state->pages.count, sizeof *at->notes);
    for (size_t i = 0; i < job->state->pages.count; i++) {
        fresh[i] = at->form[i];
    }
    for (int round = 0; round < MOST_SPREADS && marked > 0; round++) {
        marked = 0;
        ND_TRY(send_notes(at, fresh, round == 0));
        for (size_t i = 0; i < job->state->pages.count; i++) {
            const form_note *sum = &at->notes[i];
            fresh[i] = nd_job_own_first(job) + i >= job->state->index.pages && at->form[i] == 0 &&
                       sum->of_form > 0 && 2 * (uint64_t)sum->of_form >= sum->similar;
            at->form[i] |= fresh[i];
            marked += fresh[i];
        }
        marked = nd_comm_sum(&job->comm, marked);
    }
    for (size_t i = 0; i < job->state->pages.count; i++) {
        fresh[i] = form_and_subject(at, i);
    }
    ND_TRY(keep_links(at, fresh, counts_of_forms));
out:
    free(fresh);
    free(at->notes);
    return st;
}

/* ---- rounds */

static uint64_t order_of(double similarity) {
    uint64_t bits = 0; /* of a number that is not negative: they ascend with it */
    memcpy(&bits, &similarity, sizeof bits);
    return UINT64_MAX - bits;
}

/* Every link of a page that has just joined, or is indexed, and one that has not joined. */
static nd_status find_candidates(attachment *at) {
    nd_status st = ND_OK;
    nd_job *job = at->job;
    known_links *known = NULL;
    candidate *found = NULL;
    bool more = true;
    uint64_t *const tables[] = {at->leader, at->just};
    const nd_shuffle_stream to_pages = {.comm = &job->comm,
                                        .record_size = sizeof(candidate),
                                        .owner = nd_shuffle_owner_of_item,
                                        .owner_context = job->first,
                                        .sink = nd_shuffle_into_sort,
                                        .sink_context = &at->sorted};
    nd_new(&known, 1, sizeof *known);
    nd_new(&found, LINKS_AT_ONCE, sizeof *found);
    read_from_start(at);
    while (true) {
        uint64_t count = 0;
        ND_TRY(next_links(at, known, tables, 2, &more));
        if (!more) {
            break;
        }
        for (uint64_t i = 0; i < known->count; i++) {
            const nd_link *link = &known->links[i];
            const bool a_joins = known->a[0][i] == NONE;
            const uint64_t leader = a_joins ? known->b[1][i] : known->a[1][i];
            if (a_joins == (known->b[0][i] == NONE) || leader == NONE) {
                continue;
            }
            found[count] = (candidate){.page = a_joins ? link->a : link->b,
                                       .order = order_of(link->similarity),
                                       .via = a_joins ? link->b : link->a,
                                       .leader = leader,
                                       .similarity = link->similarity};
            known->items[count++] = leader;
        }
        ND_TRY(nd_lookup(&job->comm, job->first, at->tokens, known->items, count, known->items));
        for (uint64_t i = 0; i < count; i++) {
            found[i].leader_tokens = known->items[i];
        }
        ND_TRY(nd_shuffle_send(&to_pages, found, count));
    }
    ND_TRY(nd_comm_agree(&job->comm, nd_external_sort_finish(&at->sorted)));
    ND_TRY(
        nd_comm_agree(&job->comm, nd_external_sort_take(&at->sorted, &at->ahead, &at->has_ahead)));
out:
    free(known);
    free(found);
    return st;
}

/* Is there a candidate of the same page and leader before? */
static bool is_repeated(const attachment *at, uint64_t first, const candidate *next) {
    for (uint64_t i = first; i < at->group_count; i++) {
        if (at->group[i].leader == next->leader) {
            return true;
        }
    }
    return false;
}

static void list_page(attachment *at, uint64_t *count, uint64_t page) {
    nd_grow(&at->listed, &at->listed_capacity, *count + 1, sizeof page);
    at->listed[(*count)++] = page;
}

/* The candidates of as many pages as a batch has room for, at least one; none after the last. */
static nd_status fill_batch(attachment *at, uint64_t *page_count) {
    nd_status st = ND_OK;
    const nd_job *job = at->job;
    const uint64_t most = nd_job_compared_bytes(job);
    uint64_t bytes = 0;
    at->group_count = 0;
    *page_count = 0;
    while (at->has_ahead && bytes < most) {
        const uint64_t first = at->group_count;
        const uint64_t page = at->ahead.page;
        const uint64_t index = page - nd_job_own_first(job);
        ND_ASSERT(page >= job->state->index.pages && index < job->state->pages.count, page,
                  job->state->index.pages, index);
        list_page(at, page_count, page);
        bytes += nd_compare_batch_bytes(&job->options, at->tokens[index]);
        while (at->has_ahead && at->ahead.page == page) {
            if (at->group_count - first < MOST_TRIES && !is_repeated(at, first, &at->ahead)) {
                nd_grow(&at->group, &at->group_capacity, at->group_count + 1, sizeof *at->group);
                at->group[at->group_count++] = at->ahead;
                list_page(at, page_count, at->ahead.leader);
                bytes += nd_compare_batch_bytes(&job->options, at->ahead.leader_tokens);
            }
            ND_TRY(nd_external_sort_take(&at->sorted, &at->ahead, &at->has_ahead));
        }
    }
out:
    return st;
}

/* \param[out] similarity  to the leader; below 0: it may not join */
static void compare(attachment *at, const candidate *c, double *similarity) {
    const nd_job_options *o = &at->job->options;
    const uint64_t index = c->page - nd_job_own_first(at->job);
    *similarity = c->similarity;
    if (c->via == c->leader) {
        return;
    }
    if (o->slack == 0) { /* a component is a set */
        nd_compare_batch_member(at->batch, nd_min(c->page, c->leader), nd_max(c->page, c->leader),
                                0, similarity);
        return;
    }
    nd_guard_compare(o, at->batch, c->leader, c->leader_tokens, c->page, at->tokens[index],
                     similarity);
    const uint32_t pair = nd_compare_batch_relation(at->batch, c->leader, c->page);
    const bool joins =
        *similarity > 0 && (at->form[index] == 0 ||
                            nd_form_are_twins(*similarity, (pair & ND_PAIR_OTHER_SUBJECT) != 0));
    *similarity = joins ? *similarity : -1;
}

/* \param[out] joined  pages of this rank */
static void join_batch(attachment *at, uint64_t *joined) {
    const uint64_t own = nd_job_own_first(at->job);
    for (uint64_t i = 0; i < at->group_count; i++) {
        const candidate *c = &at->group[i];
        const uint64_t index = c->page - own;
        double similarity = -1;
        if (at->members[index].representative != NONE) {
            continue; /* by a candidate before */
        }
        compare(at, c, &similarity);
        ND_ASSERT(c->leader < at->job->state->index.pages && similarity <= 1, c->page, c->leader,
                  at->job->state->index.pages);
        if (similarity >= 0) {
            at->members[index] =
                (nd_set_member){NONE, c->leader, c->via, (float)c->similarity, (float)similarity};
            (*joined)++;
        }
    }
}

/* Collective. \param[out] joined  pages of all ranks */
static nd_status join_round(attachment *at, uint64_t *joined) {
    nd_status st = ND_OK;
    nd_job *job = at->job;
    uint64_t pages = 0;
    *joined = 0;
    nd_external_sort_open(&at->sorted, &job->folder, sizeof(candidate), &by_page_then_order,
                          job->options.memory.sort);
    ND_TRY(find_candidates(at));
    while (true) {
        ND_TRY(nd_comm_agree(&job->comm, fill_batch(at, &pages)));
        if (nd_comm_max(&job->comm, pages) == 0) {
            break;
        }
        ND_TRY(nd_compare_batch_fetch(at->batch, at->listed, pages));
        join_batch(at, joined);
    }
    *joined = nd_comm_sum(&job->comm, *joined);
    for (size_t i = 0; i < job->state->pages.count; i++) {
        const uint64_t leader = at->members[i].representative;
        at->just[i] = at->leader[i] == NONE ? leader : NONE;
        at->leader[i] = leader;
    }
out:
    nd_external_sort_close(&at->sorted);
    return st;
}

/* ---- all of it */

static nd_status open_attachment(attachment *at) {
    nd_status st = ND_OK;
    nd_job *job = at->job;
    const size_t count = job->state->pages.count;
    const uint64_t first = nd_job_own_first(job);
    const uint64_t indexed = nd_index_own_count(job);
    nd_new(&at->members, count, sizeof *at->members);
    nd_new(&at->leader, count, sizeof *at->leader);
    nd_new(&at->just, count, sizeof *at->just);
    nd_new(&at->form, count, sizeof *at->form);
    nd_new(&at->tokens, count, sizeof *at->tokens);
    nd_new(&job->state->index.form, count, sizeof *job->state->index.form);
    ND_TRY(nd_checkpoint_load(&job->state->index.folder, "members", sizeof *at->members, first,
                              first + indexed, at->members));
    ND_TRY(nd_checkpoint_load(&job->state->index.folder, "form", 1, first, first + indexed,
                              job->state->index.form));
    for (size_t i = 0; i < count; i++) {
        if (i >= indexed) {
            at->members[i].representative = NONE;
        }
        at->leader[i] = at->just[i] = at->members[i].representative;
        at->form[i] = job->state->index.form[i];
        at->tokens[i] = job->state->pages.pages[i].token_count;
    }
out:
    return st;
}

/* What was found out, with the sets of the leaders, which are indexed pages. */
static nd_status give_memberships(attachment *at, nd_spool *memberships) {
    nd_status st = ND_OK;
    nd_job *job = at->job;
    const uint64_t own = nd_job_own_first(job);
    for (size_t i = 0; i < job->state->pages.count; i++) {
        at->tokens[i] = at->members[i].set;
        at->just[i] = at->leader[i] == NONE ? own + i : at->leader[i];
    }
    ND_TRY(
        nd_lookup(&job->comm, job->first, at->tokens, at->just, job->state->pages.count, at->just));
    for (size_t i = 0; st == ND_OK && i < job->state->pages.count; i++) {
        const bool decided =
            job->state->content_of[i] == own + i || own + i < job->state->index.pages;
        if (at->leader[i] != NONE && decided) {
            nd_membership membership = {own + i, at->members[i]};
            membership.member.set = at->just[i];
            ND_ASSERT(at->just[i] <= at->leader[i] && at->leader[i] < job->state->index.pages,
                      own + i, at->just[i], at->leader[i]);
            st = nd_spool_append(memberships, &membership, sizeof membership);
        }
        job->state->index.form[i] = (uint8_t)at->form[i];
    }
    ND_TRY(nd_comm_agree(&job->comm, st));
out:
    return st;
}

nd_status nd_attach(nd_job *job, nd_compare_batch *batch, nd_spool *memberships) {
    nd_status st = ND_OK;
    attachment at = {.job = job, .batch = batch};
    uint64_t joined = 1;
    ND_TRY(nd_comm_agree(&job->comm, open_attachment(&at)));
    if (job->options.split_records) {
        ND_TRY(mark_forms(&at));
    }
    while (joined > 0) {
        ND_TRY(join_round(&at, &joined));
    }
    ND_TRY(keep_links(&at, at.leader, is_free));
    ND_TRY(give_memberships(&at, memberships));
out:
    nd_spool_reader_close(&at.reader);
    free(at.members);
    free(at.leader);
    free(at.just);
    free(at.form);
    free(at.tokens);
    free(at.group);
    free(at.listed);
    return st;
}
