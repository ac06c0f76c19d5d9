#include "mpi/stage/set_members.h"

#include "mpi/comm/exchange.h"
#include "mpi/comm/fetch.h"
#include "mpi/stage/index_pages.h"
#include "mpi/stage/state.h"
#include "src/base/status.h"
#include "src/base/util.h"
#include "src/text/address.h"

#include <stdlib.h>

/* ==== forms */

/* A form has at least so many pages, of which fewer than this share are twins of another. Chosen on
 * labelled sets, made-up archives and 300,000 pages of documentation: see scripts/README.md. */
enum { LEAST_PAGES = 10 };
static const double LEAST_TWINS = 0.3;

/* What a page sends to another: to that by whose link it joined, to the first of its set, or to its
 * representative. No padding. */
typedef struct page_note {
    uint64_t to; /* first: its rank gets this */
    uint64_t page;
    uint32_t member, twin, elsewhere, unused;
} page_note;

/* Of a set, at the place of its first page. */
typedef struct set_count {
    uint32_t members; /* beside the representative */
    uint32_t twins;
    uint32_t elsewhere; /* of another site than the representative's, or of none where it has one */
} set_count;

/* Arrays are of this rank's pages. */
typedef struct form_sets {
    nd_job *job;
    nd_set_member *members;
    size_t count, next;
    bool *joined_twin; /* did it join by the link to a twin? */
    bool *twin;
    set_count *sets;
    uint64_t *table; /* what is asked of pages: their sites, is their set a form, ... */
    uint64_t *asked; /* ... and of what other pages the answers are */
} form_sets;

static uint64_t page_at(const form_sets *f, size_t index) {
    return nd_job_own_first(f->job) + index;
}

static nd_status send_notes(form_sets *f, nd_record_source source, nd_record_sink sink) {
    const nd_shuffle_stream stream = {.comm = &f->job->comm,
                                      .record_size = sizeof(page_note),
                                      .owner = nd_shuffle_owner_of_item,
                                      .owner_context = f->job->first,
                                      .sink = sink,
                                      .sink_context = f};
    f->next = 0;
    return nd_shuffle_run(&stream, source, f);
}

static nd_status look_up(form_sets *f) {
    return nd_lookup(&f->job->comm, f->job->first, f->table, f->asked, f->count, f->asked);
}

/* ---- twins: a page that joined by such a link, and the page that it leads to */

static nd_status find_twins(form_sets *f) {
    const nd_stored_page *pages = f->job->state->pages.pages;
    nd_status st = ND_OK;
    for (size_t i = 0; i < f->count; i++) {
        f->table[i] = pages[i].subject;
        f->asked[i] = f->members[i].link;
    }
    ND_TRY(look_up(f));
    for (size_t i = 0; i < f->count; i++) {
        f->joined_twin[i] =
            f->members[i].link != page_at(f, i) &&
            nd_form_are_twins((double)f->members[i].link_similarity,
                              nd_subject_is_other(pages[i].subject, (uint16_t)f->asked[i]));
    }
out:
    return st;
}

static nd_status next_twin(void *context, void *records, uint64_t room, uint64_t *count) {
    form_sets *f = context;
    page_note *notes = records;
    for (*count = 0; *count < room && f->next < f->count; f->next++) {
        if (f->joined_twin[f->next]) {
            notes[(*count)++] = (page_note){.to = f->members[f->next].link};
            f->twin[f->next] = true;
        }
    }
    return ND_OK;
}

static nd_status take_twins(void *context, const void *records, uint64_t count) {
    form_sets *f = context;
    const page_note *notes = records;
    for (uint64_t i = 0; i < count; i++) {
        f->twin[notes[i].to - nd_job_own_first(f->job)] = true;
    }
    return ND_OK;
}

/* ---- what the sets are */

/* Of representatives only the twins speak: nothing else of them is counted. */
static nd_status next_member(void *context, void *records, uint64_t room, uint64_t *count) {
    form_sets *f = context;
    page_note *notes = records;
    for (*count = 0; *count < room && f->next < f->count; f->next++) {
        const size_t i = f->next;
        const bool member = f->members[i].representative != page_at(f, i);
        if (member || f->twin[i]) {
            const uint64_t site = f->job->state->pages.pages[i].site;
            notes[(*count)++] = (page_note){.to = f->members[i].set,
                                            .member = member,
                                            .twin = f->twin[i],
                                            .elsewhere = site != f->asked[i]};
        }
    }
    return ND_OK;
}

static nd_status take_members(void *context, const void *records, uint64_t count) {
    form_sets *f = context;
    const page_note *notes = records;
    for (uint64_t i = 0; i < count; i++) {
        set_count *set = &f->sets[notes[i].to - nd_job_own_first(f->job)];
        set->members += notes[i].member;
        set->twins += notes[i].twin;
        set->elsewhere += notes[i].elsewhere;
    }
    return ND_OK;
}

/* \param[out] f->asked  of each page: is its set a form? */
static nd_status find_forms(form_sets *f) {
    nd_status st = ND_OK;
    ND_TRY(find_twins(f));
    ND_TRY(send_notes(f, next_twin, take_twins));
    for (size_t i = 0; i < f->count; i++) {
        f->table[i] = f->job->state->pages.pages[i].site;
        f->asked[i] = f->members[i].representative;
    }
    ND_TRY(look_up(f));
    ND_TRY(send_notes(f, next_member, take_members));
    for (size_t i = 0; i < f->count; i++) {
        const set_count *set = &f->sets[i];
        const double pages = 1.0 + set->members;
        f->table[i] = pages >= (double)LEAST_PAGES && set->elsewhere == 0 &&
                      set->twins < LEAST_TWINS * pages &&
                      page_at(f, i) >= nd_index_staying(f->job); /* else as they are */
        f->job->totals.forms += f->table[i];
        f->asked[i] = f->members[i].set;
    }
    ND_TRY(look_up(f));
out:
    return st;
}

/* ---- pages apart */

static nd_status next_stayer(void *context, void *records, uint64_t room, uint64_t *count) {
    form_sets *f = context;
    page_note *notes = records;
    for (*count = 0; *count < room && f->next < f->count; f->next++) {
        const nd_set_member *member = &f->members[f->next];
        if (f->job->state->form[f->next] != 0 && member->representative > page_at(f, f->next)) {
            notes[(*count)++] =
                (page_note){member->representative, page_at(f, f->next), 0, 0, 0, 0};
        }
    }
    return ND_OK;
}

static nd_status take_stayers(void *context, const void *records, uint64_t count) {
    form_sets *f = context;
    const page_note *notes = records;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t *first = &f->table[notes[i].to - nd_job_own_first(f->job)];
        *first = nd_min(*first, notes[i].page);
    }
    return ND_OK;
}

/* A page stays with the twin by whose link it joined, unless that stays with another itself: then
 * it would be no twin of its representative. */
static nd_status part_forms(form_sets *f) {
    nd_status st = ND_OK;
    for (size_t i = 0; i < f->count; i++) {
        f->job->state->form[i] = (uint8_t)f->asked[i];
        f->job->totals.form_pages += f->asked[i];
        f->table[i] = f->joined_twin[i];
        f->asked[i] = f->members[i].link;
    }
    ND_TRY(look_up(f));
    for (size_t i = 0; i < f->count; i++) {
        nd_set_member *member = &f->members[i];
        const uint64_t page = page_at(f, i);
        if (f->job->state->form[i] != 0) {
            const bool stays = f->table[i] != 0 && f->asked[i] == 0;
            member->representative = stays ? member->link : page;
            member->link = member->representative;
            member->link_similarity = stays ? member->link_similarity : 1;
            member->similarity = member->link_similarity;
        }
    }
    /* sets are named by their first pages */
    for (size_t i = 0; i < f->count; i++) {
        f->table[i] = page_at(f, i);
        f->asked[i] = f->members[i].representative;
    }
    ND_TRY(send_notes(f, next_stayer, take_stayers));
    ND_TRY(look_up(f));
    for (size_t i = 0; i < f->count; i++) {
        f->members[i].set = f->job->state->form[i] != 0 ? f->asked[i] : f->members[i].set;
    }
out:
    return st;
}

/* Collective. Find the forms among the sets of job->state->members, before copies have joined them,
 * and set their pages apart. job->totals.forms and .form_pages count them. \return ND_OK on all
 * ranks, or a failure on all; then the members are undefined */
static nd_status form_sets_part(nd_job *job) {
    nd_comm *comm = &job->comm;
    nd_job_totals *totals = &job->totals;
    form_sets f = {.job = job, .members = job->state->members, .count = job->state->pages.count};
    nd_status st = ND_OK;
    nd_new(&f.twin, f.count, sizeof *f.twin);
    nd_new(&f.joined_twin, f.count, sizeof *f.joined_twin);
    nd_new(&f.sets, f.count, sizeof *f.sets);
    nd_new_room(&f.table, f.count, sizeof *f.table);
    nd_new_room(&f.asked, f.count, sizeof *f.asked);
    totals->forms = totals->form_pages = 0;
    ND_TRY(find_forms(&f));
    ND_TRY(part_forms(&f));
    totals->forms = nd_comm_sum(comm, totals->forms);
    totals->form_pages = nd_comm_sum(comm, totals->form_pages);
out:
    free(f.twin);
    free(f.joined_twin);
    free(f.sets);
    free(f.table);
    free(f.asked);
    return st;
}

/* ==== memberships */

static int second_page_owner(const void *record, int size, const void *context) {
    return nd_comm_range_owner(context, size, ((const nd_link *)record)->b);
}

static nd_status set_members(void *context, const void *records, uint64_t count) {
    nd_job *job = context;
    const nd_membership *memberships = records;
    for (uint64_t i = 0; i < count; i++) {
        nd_set_member *member = &job->state->members[memberships[i].page - nd_job_own_first(job)];
        ND_ASSERT(memberships[i].page - nd_job_own_first(job) < job->state->pages.count,
                  memberships[i].page, nd_job_own_first(job), job->state->pages.count);
        ND_ASSERT(member->representative == memberships[i].page, memberships[i].page,
                  member->representative); /* nobody has spoken for it yet */
        *member = memberships[i].member;
    }
    return ND_OK;
}

static nd_status set_similarities(void *context, const void *records, uint64_t count) {
    nd_job *job = context;
    const nd_link *links = records;
    for (uint64_t i = 0; i < count; i++) {
        nd_set_member *member = &job->state->members[links[i].b - nd_job_own_first(job)];
        ND_ASSERT(links[i].b - nd_job_own_first(job) < job->state->pages.count &&
                      member->representative == links[i].a,
                  links[i].b, links[i].a, job->state->pages.count);
        member->similarity = (float)links[i].similarity;
    }
    return ND_OK;
}

/* The page in whose set a copy is: that with its content, or with its text where that is of an
 * index, whose pages stay where they are: copies among them too, which may have left their sets.
 * The page itself if it follows none. */
static uint64_t followed_by(const nd_job *job, size_t index) {
    const uint64_t page = nd_job_own_first(job) + index;
    const uint64_t text = job->state->exact_of[index];
    const uint64_t staying = nd_index_staying(job);
    return page < staying ? page : text < staying ? text : job->state->content_of[index];
}

nd_status nd_set_members_name(nd_job *job, const uint64_t *leaves) {
    nd_status st = ND_OK;
    const uint64_t own = nd_job_own_first(job);
    const size_t count = job->state->pages.count;
    nd_key_value *pages = NULL; /* (set as it was, page that remains) */
    uint64_t *smallest = NULL;  /* by the set as it was */
    uint64_t *set = NULL;
    uint64_t kept = 0;
    uint64_t early = 0; /* revisits before the page that they are of */
    for (size_t i = 0; i < count; i++) {
        early += job->state->exact_of[i] > own + i;
    }
    if (nd_comm_sum(&job->comm, early) == 0 && leaves == NULL) {
        return ND_OK;
    }
    nd_new(&pages, count, sizeof *pages);
    nd_new(&smallest, count, sizeof *smallest);
    nd_new(&set, count, sizeof *set);
    for (size_t i = 0; i < count; i++) {
        set[i] = job->state->members[i].set;
        if (leaves == NULL || leaves[i] == 0) {
            pages[kept++] = (nd_key_value){set[i], own + i};
        }
    }
    nd_radix_sort(pages, kept);
    /* of each set a rank sends one page alone */
    uint64_t sent = 0;
    for (uint64_t i = 0; i < kept; i = nd_key_end(pages, kept, i, pages[i].key)) {
        pages[sent++] = pages[i];
    }
    ND_TRY(
        nd_shuffle(&job->comm, &pages, &sent, sizeof *pages, nd_shuffle_owner_of_item, job->first));
    nd_radix_sort(pages, sent);
    for (uint64_t i = 0; i < sent; i = nd_key_end(pages, sent, i, pages[i].key)) {
        smallest[pages[i].key - own] = pages[i].value;
    }
    ND_TRY(nd_lookup(&job->comm, job->first, smallest, set, count, set));
    for (size_t i = 0; i < count; i++) {
        if (leaves == NULL || leaves[i] == 0) {
            job->state->members[i].set = set[i];
        }
    }
out:
    free(pages);
    free(smallest);
    free(set);
    return st;
}

nd_status nd_set_members_finish(nd_job *job, const nd_spool *memberships,
                                const nd_spool *similarities) {
    nd_status st = ND_OK;
    nd_comm *comm = &job->comm;
    const uint64_t own = nd_job_own_first(job);
    const size_t count = job->state->pages.count;
    const size_t room = comm->round_bytes / sizeof(nd_set_member) + 1; /* copies at a time */
    nd_shuffle_stream to_pages = {.comm = &job->comm,
                                  .record_size = sizeof(nd_membership),
                                  .owner = nd_shuffle_owner_of_item,
                                  .owner_context = job->first,
                                  .sink = set_members,
                                  .sink_context = job};
    nd_set_member *found = NULL;
    uint64_t *firsts = NULL;
    uint64_t joined = 0;
    nd_new(&job->state->members, count, sizeof *job->state->members);
    nd_new(&job->state->form, count, sizeof *job->state->form);
    nd_new_room(&firsts, nd_min(room, count), sizeof *firsts);
    nd_set_member *members = job->state->members;
    for (size_t i = 0; i < count; i++) {
        members[i] = (nd_set_member){own + i, own + i, own + i, 1, 1};
    }
    ND_TRY(nd_shuffle_spool(&to_pages, memberships));
    to_pages.record_size = sizeof(nd_link);
    to_pages.owner = second_page_owner;
    to_pages.sink = set_similarities;
    ND_TRY(nd_shuffle_spool(&to_pages, similarities));
    /* where nothing is compared (--verify off) no similarity says that two pages are twins */
    if (job->options.split_records && job->options.method->rules &&
        job->options.transitivity == ND_TRANSITIVITY_VERIFIED &&
        !job->options.method_options.keys_suffice) {
        ND_TRY(form_sets_part(job));
    }
    /* A copy belongs where the page that it follows belongs, joined to it by that equality. Pages
     * that are followed are no copies here, so what is read is not changed. */
    for (size_t begin = 0, end = 0; nd_comm_max(comm, count - begin) > 0; begin = end) {
        uint64_t first_count = 0;
        end = begin + nd_min(count - begin, room);
        for (size_t i = begin; i < end; i++) {
            if (followed_by(job, i) != own + i) {
                firsts[first_count++] = followed_by(job, i);
            }
        }
        first_count = nd_numbers_distinct(firsts, first_count);
        ND_TRY(nd_fetch_records(comm, job->first, firsts, first_count, members, sizeof *found,
                                &found));
        for (size_t i = begin; i < end; i++) {
            const uint64_t on = followed_by(job, i);
            if (on != own + i) {
                const uint64_t at = nd_numbers_place(firsts, first_count, on);
                ND_ASSERT(at < first_count && firsts[at] == on, at, first_count, on);
                members[i] = found[at];
                const bool same_text = job->state->exact_of[i] != own + i;
                members[i].link = same_text ? job->state->exact_of[i] : job->state->content_of[i];
                members[i].link_similarity = 1;
            }
        }
        free(found);
        found = NULL;
    }
    for (size_t i = 0; i < count; i++) {
        job->state->form[i] |= job->state->index.form != NULL && job->state->index.form[i] != 0;
    }
    ND_TRY(nd_set_members_name(job, NULL));
    for (size_t i = 0; i < count; i++) {
        joined += own + i >= job->state->index.pages && members[i].set < job->state->index.pages;
    }
    job->totals.joined_indexed = nd_comm_sum(comm, joined);
out:
    free(firsts);
    free(found);
    return st;
}

/* ---- out of a folder */

static bool is_member(const nd_set_member *m, uint64_t page, uint64_t pages) {
    return m->set <= page && m->set <= m->representative && m->set <= m->link &&
           m->representative < pages && m->link < pages &&
           (m->representative == page) == (m->link == page) && m->similarity >= 0 &&
           m->similarity <= 1 && m->link_similarity >= 0 && m->link_similarity <= 1;
}

/* The pages [begin, end) and those that they lead to: what `table` has of both is one. */
static nd_status compare(const nd_checkpoint *from, const uint64_t *first,
                         const nd_set_member *members, const uint64_t *table, uint64_t begin,
                         uint64_t end, uint64_t *others) {
    nd_status st = ND_OK;
    const uint64_t own = first[from->comm->rank];
    const uint64_t count = 3 * (end - begin);
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t leads[] = {members[i].set, members[i].representative, members[i].link};
        memcpy(others + 3 * (i - begin), leads, sizeof leads);
    }
    ND_TRY(nd_lookup(from->comm, first, table, others, count, others));
    for (uint64_t i = 0; st == ND_OK && i < count; i++) {
        if (others[i] != table[begin + i / 3]) {
            st = nd_checkpoint_refuse(from, "members",
                                      "page %llu and another of its set do not say so both",
                                      (unsigned long long)(own + begin + i / 3));
        }
    }
out:
    return nd_comm_agree(from->comm, st);
}

nd_status nd_set_members_check(const nd_checkpoint *from, const uint64_t *first,
                               const nd_set_member *members) {
    enum { AT_ONCE = 1 << 16 };
    nd_status st = ND_OK;
    nd_comm *comm = from->comm;
    const uint64_t own = first[comm->rank];
    const uint64_t count = first[comm->rank + 1] - own;
    const uint64_t most = nd_comm_max(comm, count);
    uint64_t *set = NULL;
    uint64_t *representative = NULL;
    uint64_t *others = NULL;
    nd_new(&set, count, sizeof *set);
    nd_new(&representative, count, sizeof *representative);
    nd_new_room(&others, 3 * nd_min(count, AT_ONCE), sizeof *others);
    for (uint64_t i = 0; st == ND_OK && i < count; i++) {
        set[i] = members[i].set;
        representative[i] = members[i].representative;
        if (!is_member(&members[i], own + i, first[comm->size])) {
            st = nd_checkpoint_refuse(from, "members", "page %llu is in no set",
                                      (unsigned long long)(own + i));
        }
    }
    ND_TRY(nd_comm_agree(comm, st));
    for (uint64_t begin = 0; begin < most; begin += AT_ONCE) {
        const uint64_t low = nd_min(begin, count);
        const uint64_t high = nd_min(begin + AT_ONCE, count);
        ND_TRY(compare(from, first, members, set, low, high, others));
        ND_TRY(compare(from, first, members, representative, low, high, others));
    }
out:
    free(set);
    free(representative);
    free(others);
    return st;
}

nd_status nd_set_members_load(nd_job *job, bool last) {
    (void)last;
    return nd_set_members_check(&job->checkpoint, job->first, job->state->members);
}
