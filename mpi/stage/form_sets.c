#include "mpi/stage/form_sets.h"

#include "mpi/comm/exchange.h"
#include "mpi/comm/fetch.h"
#include "mpi/stage/old_pages.h"
#include "src/base/util.h"
#include "src/text/address.h"

#include <stdlib.h>

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
    const nd_stored_page *pages = f->job->pages.pages;
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
            const uint64_t site = f->job->pages.pages[i].site;
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
        f->table[i] = f->job->pages.pages[i].site;
        f->asked[i] = f->members[i].representative;
    }
    ND_TRY(look_up(f));
    ND_TRY(send_notes(f, next_member, take_members));
    for (size_t i = 0; i < f->count; i++) {
        const set_count *set = &f->sets[i];
        const double pages = 1.0 + set->members;
        f->table[i] = pages >= (double)LEAST_PAGES && set->elsewhere == 0 &&
                      set->twins < LEAST_TWINS * pages &&
                      page_at(f, i) >= nd_old_staying(f->job); /* else as they are */
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
        if (f->job->form[f->next] != 0 && member->representative > page_at(f, f->next)) {
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
        f->job->form[i] = (uint8_t)f->asked[i];
        f->job->totals.form_pages += f->asked[i];
        f->table[i] = f->joined_twin[i];
        f->asked[i] = f->members[i].link;
    }
    ND_TRY(look_up(f));
    for (size_t i = 0; i < f->count; i++) {
        nd_set_member *member = &f->members[i];
        const uint64_t page = page_at(f, i);
        if (f->job->form[i] != 0) {
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
        f->members[i].set = f->job->form[i] != 0 ? f->asked[i] : f->members[i].set;
    }
out:
    return st;
}

nd_status nd_form_sets_part(nd_job *job) {
    nd_comm *comm = &job->comm;
    nd_job_totals *totals = &job->totals;
    form_sets f = {.job = job, .members = job->members, .count = job->pages.count};
    nd_status st = nd_new(&f.twin, f.count, sizeof *f.twin);
    st = st != ND_OK ? st : nd_new(&f.joined_twin, f.count, sizeof *f.joined_twin);
    st = st != ND_OK ? st : nd_new(&f.sets, f.count, sizeof *f.sets);
    st = st != ND_OK ? st : nd_new_room(&f.table, f.count, sizeof *f.table);
    st = st != ND_OK ? st : nd_new_room(&f.asked, f.count, sizeof *f.asked);
    totals->forms = totals->form_pages = 0;
    ND_TRY(nd_comm_agree(comm, st));
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
