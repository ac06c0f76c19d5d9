#include "mpi/stage/state.h"

#include "mpi/stage/common_words.h"
#include "mpi/stage/compare.h"
#include "mpi/stage/index_pages.h"
#include "mpi/stage/set_members.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <stdlib.h>

/* ---- what records are */

static bool is_pair(const nd_job *job, const void *record) {
    const nd_pair *pair = record;
    const uint64_t pages = job->first[job->comm.size];
    return pair->a < pair->b && pair->b < pages && pair->item < pages &&
           pair->relation < ND_PAIR_END;
}

static bool is_share(double similarity) {
    return similarity >= 0 && similarity <= 1;
}

static bool is_link(const nd_job *job, const void *record) {
    const nd_link *link = record;
    return link->a < link->b && link->b < job->first[job->comm.size] && is_share(link->similarity);
}

static bool is_contained(const nd_job *job, const void *record) {
    const nd_link *link = record;
    const uint64_t pages = job->first[job->comm.size];
    return link->a != link->b && link->a < pages && link->b < pages && is_share(link->similarity);
}

static bool is_site(const nd_job *job, const void *record) {
    const nd_found_site *site = record;
    return site->page < job->first[job->comm.size] && site->repeats_all <= 1;
}

static bool is_page(const nd_job *job, const void *record) {
    return *(const uint64_t *)record < job->first[job->comm.size];
}

static bool is_revisit(const nd_job *job, const void *record) {
    return *(const uint64_t *)record == ND_NO_REVISIT || is_page(job, record);
}

static bool is_flag(const nd_job *job, const void *record) {
    (void)job;
    return *(const uint8_t *)record <= 1;
}

/* ---- the rows */

static bool links_stay(const nd_job_options *options) {
    return options->keep_pairs || options->write_index != NULL;
}

#define AFTER(stage) (1U << ND_STAGE_##stage)
#define SETS_MADE    (AFTER(JOIN) | AFTER(LEADERS))

#define OF_PAGES(array, record, field)                                                             \
    .name = (array), .record_size = sizeof(record), .of_pages = true,                              \
    .at = offsetof(nd_state, field)
#define SPOOL(array, record, field, part)                                                          \
    .name = (array), .record_size = sizeof(record), .at = offsetof(nd_state, field),               \
    .spool_part = (part)
#define COUNTED(field) .count_at = offsetof(nd_state, field)

/* What is but a name here a stage keeps, and gets back, in a way of its own. */
/* clang-format off */
const nd_state_array nd_state_arrays[] = {
    {.name = "ingest.pages", .used_up_by = AFTER(CONTENT)},
    {.name = "ingest.names", .in_index = ND_INDEX_NUMBERED},
    {.name = "pages", .of_pages = true, .in_index = ND_INDEX_BEFORE},
    {.name = "text.packed", .in_index = ND_INDEX_BEFORE},
    {.name = "text.blocks", .in_index = ND_INDEX_BEFORE},
    {SPOOL("sites", nd_found_site, sites.sites, 3), .left_by = AFTER(CONTENT), .is_right = is_site},
    {SPOOL("sites.templates", uint64_t, sites.templates, 3), .left_by = AFTER(CONTENT)},
    {SPOOL("sites.repeated", uint64_t, sites.repeated, 3), .left_by = AFTER(CONTENT)},
    {OF_PAGES("exact_of", uint64_t, exact_of), .left_by = AFTER(SIGN), .is_right = is_page},
    {OF_PAGES("content_of", uint64_t, content_of), .left_by = AFTER(SIGN), .is_right = is_page},
    {OF_PAGES("revisit_of", uint64_t, revisit_of), .optional = true, .left_by = AFTER(SIGN),
     .is_right = is_revisit},
    {SPOOL("keys", uint64_t, keys, 1), .in_index = ND_INDEX_NUMBERED},
    {OF_PAGES("key.ranges", nd_key_range, key_ranges), .in_index = ND_INDEX_NUMBERED},
    {.name = "digests.packed", .in_index = ND_INDEX_NUMBERED},
    {.name = "digests.blocks", .in_index = ND_INDEX_NUMBERED},
    {SPOOL("pairs", nd_pair, pairs, 1), COUNTED(pair_count), .left_by = AFTER(BLOCK),
     .used_up_by = AFTER(VERIFY) | SETS_MADE, .is_right = is_pair},
    {.name = "verify.pairs", .used_up_by = AFTER(VERIFY)},
    {.name = "verify.done", .used_up_by = AFTER(VERIFY)},
    {.name = "verify.links", .used_up_by = AFTER(VERIFY)},
    /* the paper's full form has links from the stage block, and no stage verify */
    {SPOOL("links", nd_link, links, 1), COUNTED(link_count), .left_by = AFTER(BLOCK) | AFTER(VERIFY),
     .used_up_by = SETS_MADE, .is_right = is_link, .stays = links_stay},
    {OF_PAGES("members", nd_set_member, members), .left_by = SETS_MADE, .in_index = ND_INDEX_SETS},
    {OF_PAGES("form", uint8_t, form), .left_by = SETS_MADE, .is_right = is_flag,
     .in_index = ND_INDEX_SETS},
    {SPOOL("contained", nd_link, contained, 1), COUNTED(contained_count), .left_by = AFTER(CONTAIN),
     .is_right = is_contained},
    {.name = NULL},
};
/* clang-format on */

static void *place_of(nd_job *job, size_t at) {
    return (char *)job->state + at;
}

static nd_spool *spool_of(nd_job *job, const nd_state_array *row) {
    return row->at == 0 || row->of_pages ? NULL : place_of(job, row->at);
}

/* The pointer to a row's records of pages. */
static void **records_of(nd_job *job, const nd_state_array *row) {
    return row->at == 0 || !row->of_pages ? NULL : place_of(job, row->at);
}

const void *nd_state_records(nd_job *job, const nd_state_array *row) {
    return *records_of(job, row);
}

void nd_state_open(nd_job *job) {
    const nd_job_options *o = &job->options;
    nd_state *state = NULL;
    nd_new(&state, 1, sizeof *state);
    job->state = state;
    state->pages.folder = &job->kept;
    state->pages.memory = o->memory.store;
    state->pages.per_page = ND_MEMORY_PER_PAGE;
    state->pages.lent = o->memory.batch; /* pages are compared later */
    state->pages.lent_per_page = ND_MEMORY_PER_PAGE - ND_MEMORY_PER_PAGE_AT_FIRST;
    state->pages.keeps = o->work != NULL;
    nd_groups_open(&state->groups, &job->folder, o->memory.sort);
    if (o->group_pairs > 0) {
        state->groups.all_pairs = o->group_pairs;
    }
    nd_spool_open(&state->digests, &job->kept, o->memory.sort);
    nd_spool_open(&state->waiting_keys, &job->folder, o->memory.sort);
    for (const nd_state_array *row = nd_state_arrays; row->name != NULL; row++) {
        if (spool_of(job, row) != NULL) {
            nd_spool_open(spool_of(job, row), &job->kept, o->memory.spool / row->spool_part);
        }
    }
}

void nd_state_close(nd_job *job) {
    nd_state *state = job->state;
    for (const nd_state_array *row = nd_state_arrays; row->name != NULL; row++) {
        if (spool_of(job, row) != NULL) {
            nd_spool_close(spool_of(job, row));
        } else if (records_of(job, row) != NULL) {
            free(*records_of(job, row));
        }
    }
    nd_index_texts_close(job);
    nd_packed_reader_close(&state->index.digests);
    nd_checkpoint_close(&state->index.folder);
    nd_checkpoint_close(&state->reread.folder);
    free(state->index.form);
    free(state->index.sites);
    free(state->certainty);
    nd_method_work_free(&state->method_work);
    nd_groups_close(&state->groups);
    nd_digests_drop(job);
    nd_spool_close(&state->waiting_keys);
    nd_buffer_free(&state->digest_scratch);
    nd_buffer_free(&state->digest_record);
    nd_common_words_close(&state->common_words);
    nd_page_store_free(&state->pages);
    free(state);
    job->state = NULL;
}

/* ---- into the work folder and back */

static bool stays(const nd_job *job, const nd_state_array *row) {
    return row->stays != NULL && row->stays(&job->options);
}

nd_status nd_pages_save(const nd_job *job, nd_checkpoint *to, const char *array, size_t record_size,
                        const void *records, uint64_t from) {
    const uint64_t own = nd_job_own_first(job);
    ND_ASSERT(job->state->pages.count == job->first[job->comm.rank + 1] - own &&
                  from <= job->state->pages.count,
              job->state->pages.count, job->first[job->comm.rank + 1], from);
    return nd_checkpoint_save(to, array, record_size, own + from,
                              (const uint8_t *)records + from * record_size,
                              job->state->pages.count - from);
}

nd_status nd_state_save(nd_job *job, const nd_stage *stage) {
    nd_status st = ND_OK;
    const unsigned after = 1U << stage->number;
    for (const nd_state_array *row = nd_state_arrays; row->name != NULL; row++) {
        if ((row->used_up_by & after) != 0 && !stays(job, row)) {
            nd_checkpoint_drop(&job->checkpoint, row->name);
        }
    }
    st = stage->save != NULL ? stage->save(job) : ND_OK;
    /* what failed on one rank keeps it from none of the saves, in which all take part */
    for (const nd_state_array *row = nd_state_arrays; row->name != NULL; row++) {
        nd_status saved = ND_OK;
        nd_spool *spool = spool_of(job, row);
        if ((row->left_by & after) == 0) {
            continue;
        }
        if (spool != NULL) {
            ND_ASSERT(spool->size % row->record_size == 0, spool->size, row->record_size);
            saved = nd_checkpoint_keep(&job->checkpoint, row->name, row->record_size,
                                       nd_comm_before(&job->comm, spool->size / row->record_size),
                                       spool);
        } else if (*records_of(job, row) != NULL) {
            saved = nd_pages_save(job, &job->checkpoint, row->name, row->record_size,
                                  *records_of(job, row), 0);
        }
        st = st != ND_OK ? st : saved;
    }
    return nd_comm_agree(&job->comm, st);
}

/* Records [begin, end) of an array as a row says it. */
static nd_status load_records(const nd_job *job, const nd_checkpoint *from, const char *array,
                              const nd_state_array *row, uint64_t begin, uint64_t end,
                              void *records) {
    nd_status st = nd_checkpoint_load(from, array, row->record_size, begin, end, records);
    for (uint64_t i = begin; st == ND_OK && row->is_right != NULL && i < end; i++) {
        if (!row->is_right(job, (const uint8_t *)records + (i - begin) * row->record_size)) {
            st = nd_checkpoint_refuse(from, array, "record %llu is none", (unsigned long long)i);
        }
    }
    return st;
}

/* A record for each of this rank's pages. */
static nd_status load_pages(nd_job *job, const nd_state_array *row) {
    nd_status st = ND_OK;
    uint8_t *loaded = NULL;
    const uint64_t first = nd_job_own_first(job);
    nd_new(&loaded, job->state->pages.count, row->record_size);
    ND_TRY(load_records(job, &job->checkpoint, row->name, row, first,
                        first + job->state->pages.count, loaded));
    *records_of(job, row) = loaded;
    loaded = NULL;
out:
    free(loaded);
    return st;
}

/* This rank's equal share of an array, at the end of the row's spool. */
static nd_status load_share(nd_job *job, const nd_checkpoint *from, const char *array,
                            const nd_state_array *row, uint64_t *count) {
    nd_status st = ND_OK;
    uint8_t *records = NULL;
    nd_spool *spool = spool_of(job, row);
    const uint64_t total = nd_checkpoint_count(from, array);
    const uint64_t end = nd_comm_share_begin(total, job->comm.rank + 1, job->comm.size);
    const uint64_t room = job->options.memory.round / row->record_size + 1;
    uint64_t begin = nd_comm_share_begin(total, job->comm.rank, job->comm.size);
    *count = end - begin;
    nd_new_room(&records, room, row->record_size);
    ND_ASSERT(begin <= end && spool->size % row->record_size == 0, begin, end, spool->size);
    while (begin < end) {
        const uint64_t now = nd_min(end - begin, room);
        ND_TRY(load_records(job, from, array, row, begin, begin + now, records));
        ND_TRY(nd_spool_append(spool, records, (size_t)(now * row->record_size)));
        begin += now;
    }
out:
    free(records);
    return st;
}

nd_status nd_state_load(nd_job *job, const nd_stage *stage, unsigned so_far) {
    nd_status st = ND_OK;
    uint64_t count = 0;
    for (const nd_state_array *row = nd_state_arrays; st == ND_OK && row->name != NULL; row++) {
        const bool left_last = (row->left_by & so_far) >> stage->number == 1;
        const bool used_up = (row->used_up_by & so_far) != 0 && !stays(job, row);
        const bool none = row->optional && nd_checkpoint_count(&job->checkpoint, row->name) == 0;
        if (!left_last || used_up || none) {
            continue;
        }
        if (row->of_pages) {
            st = load_pages(job, row);
        } else {
            st = load_share(job, &job->checkpoint, row->name, row,
                            row->count_at == 0 ? &count : place_of(job, row->count_at));
        }
    }
    return nd_comm_agree(&job->comm, st);
}

static const nd_state_array *row_at(size_t at) {
    const nd_state_array *row = nd_state_arrays;
    while (row->at != at) {
        row++;
    }
    return row;
}

nd_status nd_links_load(nd_job *job, const nd_checkpoint *from, const char *array,
                        uint64_t *count) {
    return load_share(job, from, array, row_at(offsetof(nd_state, links)), count);
}

nd_status nd_pairs_load(const nd_job *job, const char *array, uint64_t begin, uint64_t end,
                        nd_pair *pairs) {
    return load_records(job, &job->checkpoint, array, row_at(offsetof(nd_state, pairs)), begin, end,
                        pairs);
}

/* ---- contracts */

/* What is looked at, and the first thing that does not hold of what was loaded. */
typedef struct left {
    const nd_job *job;
    bool loaded; /* from files, which may be anyone's */
    const char *broken;
} left;

/* \return does it hold? If not, of what this run made: the end of it. */
#define HOLDS(left, condition, ...)                                                                \
    ((condition) ||                                                                                \
     ((left)->loaded                                                                               \
          ? remember((left), #condition)                                                           \
          : (nd_contract_broken(__FILE__, __LINE__, #condition, #__VA_ARGS__,                      \
                                (const uint64_t[]){ND_CONTRACT_VALUES(__VA_ARGS__)},               \
                                sizeof(const uint64_t[]){ND_CONTRACT_VALUES(__VA_ARGS__)} /        \
                                    sizeof(uint64_t)),                                             \
             false)))

static bool remember(left *l, const char *condition) {
    l->broken = l->broken != NULL ? l->broken : condition;
    return false;
}

/* All pages are numbered, each on one rank; in the order of the inputs and of the places there.
 * Those of an index come before the run's own, and until they are recalled are on no rank.
 * \param[in] begin  the first that is on a rank */
static void check_pages(left *l, uint64_t begin) {
    const nd_job *job = l->job;
    const int size = job->comm.size;
    const uint64_t *first = job->first;
    const nd_stored_page *pages = job->state->pages.pages;
    (void)HOLDS(l, first[0] == begin && first[size] == job->totals.pages, first[0], first[size],
                job->totals.pages);
    for (int r = 0; r < size; r++) {
        (void)HOLDS(l, first[r] <= first[r + 1], r, first[r], first[r + 1]);
    }
    const uint64_t own = first[job->comm.rank + 1] - first[job->comm.rank];
    (void)HOLDS(l, own == job->state->pages.count, own, job->state->pages.count);
    for (size_t i = 0; i < own; i++) {
        if (!HOLDS(l, pages[i].source < job->inputs.count, pages[i].source, job->inputs.count, i)) {
            continue;
        }
        (void)HOLDS(l,
                    (pages[i].source < job->state->index.sources) ==
                        (first[job->comm.rank] + i < job->state->index.pages),
                    pages[i].source, job->state->index.pages, i);
        (void)HOLDS(l, pages[i].collection == job->inputs.inputs[pages[i].source].collection,
                    pages[i].collection, pages[i].source, i);
        (void)HOLDS(l, pages[i].token_count <= pages[i].text_tokens, pages[i].token_count,
                    pages[i].text_tokens, i);
        (void)HOLDS(
            l,
            i == 0 || pages[i - 1].source < pages[i].source ||
                (pages[i - 1].source == pages[i].source && pages[i - 1].offset <= pages[i].offset),
            i, pages[i].source, pages[i].offset);
    }
    /* across ranks: what this one begins with comes after all that lie before it */
    const int64_t last = own == 0 ? 0 : (int64_t)pages[own - 1].source + 1;
    int64_t before = 0;
    ND_MPI(MPI_Exscan(&last, &before, 1, MPI_INT64_T, MPI_MAX, job->comm.handle));
    (void)HOLDS(l, job->comm.rank == 0 || own == 0 || (int64_t)pages[0].source + 1 >= before,
                pages[0].source, before);
}

/* Who is the first with a page's text, and with its content. */
static void check_firsts(left *l) {
    const nd_job *job = l->job;
    const uint64_t own = nd_job_own_first(job);
    uint64_t copies[2] = {0, 0};
    for (size_t i = 0; i < job->state->pages.count; i++) {
        const uint64_t exact = job->state->exact_of[i];
        const uint64_t content = job->state->content_of[i];
        const bool revisit =
            job->state->revisit_of != NULL && job->state->revisit_of[i] != ND_NO_REVISIT;
        (void)HOLDS(l, content <= exact && (exact <= own + i || revisit), content, exact, own + i);
        (void)HOLDS(l, !revisit || job->state->revisit_of[i] < job->totals.pages,
                    job->state->revisit_of[i], own + i);
        (void)HOLDS(
            l, exact - own >= job->state->pages.count || job->state->exact_of[exact - own] == exact,
            exact, own + i);
        (void)HOLDS(l,
                    content - own >= job->state->pages.count ||
                        job->state->content_of[content - own] == content,
                    content, own + i);
        copies[0] += exact != own + i;
        copies[1] += exact == own + i && content != exact;
    }
    nd_comm_sum_all(&job->comm, copies, 2);
    (void)HOLDS(l, copies[0] == job->totals.exact_copies, copies[0], job->totals.exact_copies);
    (void)HOLDS(l, copies[1] == job->totals.content_copies, copies[1], job->totals.content_copies);
}

/* Records of a spool, counted on this rank and over all. */
static void check_records(left *l, const nd_spool *spool, size_t record_size, uint64_t count,
                          uint64_t total) {
    (void)HOLDS(l, spool->size == count * record_size, spool->size, count, record_size);
    const uint64_t sum = nd_comm_sum(&l->job->comm, count);
    (void)HOLDS(l, sum == total, sum, total);
}

/* Every page is in one set: the set is named by its smallest page, and has one representative. */
static void check_members(left *l) {
    const nd_job *job = l->job;
    const uint64_t own = nd_job_own_first(job);
    uint64_t sums[2] = {0, 0}; /* sets, representatives */
    for (size_t i = 0; i < job->state->pages.count; i++) {
        const nd_set_member *m = &job->state->members[i];
        const uint64_t page = own + i;
        (void)HOLDS(l, m->set <= page && m->set <= m->representative && m->set <= m->link, page,
                    m->set, m->representative);
        (void)HOLDS(l, m->representative < job->totals.pages && m->link < job->totals.pages, page,
                    m->representative, m->link);
        (void)HOLDS(l, (m->representative == page) == (m->link == page), page, m->representative,
                    m->link);
        (void)HOLDS(l,
                    m->similarity >= 0 && m->similarity <= 1 && m->link_similarity >= 0 &&
                        m->link_similarity <= 1,
                    page, m->representative, m->link);
        (void)HOLDS(l, m->set < own || job->state->members[m->set - own].set == m->set, page,
                    m->set);
        (void)HOLDS(l,
                    m->representative - own >= job->state->pages.count ||
                        job->state->members[m->representative - own].set == m->set,
                    page, m->representative, m->set);
        (void)HOLDS(l,
                    m->link - own >= job->state->pages.count ||
                        job->state->members[m->link - own].set == m->set,
                    page, m->link, m->set);
        (void)HOLDS(l, job->state->form[i] <= 1, page, job->state->form[i]);
        sums[0] += m->set == page;
        sums[1] += m->representative == page;
    }
    nd_comm_sum_all(&job->comm, sums, 2);
    (void)HOLDS(l, sums[0] == sums[1], sums[0], sums[1]);
}

static void check_left(left *l, const nd_stage *stage) {
    const nd_job *job = l->job;
    const bool full = job->options.transitivity == ND_TRANSITIVITY_FULL;
    const bool selected = stage->number != ND_STAGE_INGEST && stage->number != ND_STAGE_CONTENT;
    check_pages(l, selected ? 0 : job->state->index.pages);
    if (!selected || stage->number == ND_STAGE_RECALL) {
        return;
    }
    check_firsts(l);
    (void)HOLDS(l,
                job->state->digest_count == job->state->pages.count ||
                    (l->loaded && job->state->digest_count == 0),
                job->state->digest_count, job->state->pages.count);
    if (stage->number == ND_STAGE_BLOCK && full) {
        check_records(l, &job->state->links, sizeof(nd_link), job->state->link_count,
                      nd_comm_sum(&job->comm, job->state->link_count));
    } else if (stage->number == ND_STAGE_BLOCK) {
        /* a job that goes on inside of verify has them there */
        const bool begun = nd_checkpoint_count(&job->checkpoint, "verify.pairs") > 0 ||
                           nd_checkpoint_count(&job->checkpoint, "verify.links") > 0;
        check_records(l, &job->state->pairs, sizeof(nd_pair), job->state->pair_count,
                      begun ? 0 : job->totals.pairs);
    } else if (stage->number == ND_STAGE_VERIFY) {
        check_records(l, &job->state->links, sizeof(nd_link), job->state->link_count,
                      job->totals.links);
    } else if (stage->number == ND_STAGE_CONTAIN) {
        check_records(l, &job->state->contained, sizeof(nd_link), job->state->contained_count,
                      job->totals.contained);
    } else if (stage->number == ND_STAGE_JOIN || stage->number == ND_STAGE_LEADERS ||
               stage->number == ND_STAGE_INDEX) {
        check_members(l);
    }
}

void nd_stage_check_left(const nd_job *job, const nd_stage *stage) {
    left l = {.job = job};
    check_left(&l, stage);
}

/* The folder that what does not hold came out of, as a rule. */
static const nd_checkpoint *folder_of(const nd_job *job) {
    return job->options.index == NULL ? &job->checkpoint
           : job->options.reread      ? &job->state->reread.folder
                                      : &job->state->index.folder;
}

nd_status nd_stage_check_loaded(const nd_job *job, const nd_stage *stage) {
    nd_status st = ND_OK;
    const nd_checkpoint *from = folder_of(job);
    left l = {.job = job, .loaded = true};
    check_left(&l, stage);
    if (l.broken != NULL) {
        st = nd_checkpoint_refuse(from, stage->name, "not so: %s", l.broken);
    }
    ND_TRY(nd_comm_agree(&job->comm, st));
    if (stage->number == ND_STAGE_JOIN || stage->number == ND_STAGE_LEADERS ||
        stage->number == ND_STAGE_INDEX) {
        ND_TRY(nd_set_members_check(from, job->first, job->state->members));
    }
out:
    return st;
}
