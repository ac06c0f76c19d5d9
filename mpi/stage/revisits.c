#include "mpi/stage/revisits.h"

#include "io/input/archive_header.h"
#include "mpi/comm/exchange.h"
#include "mpi/comm/fetch.h"
#include "mpi/stage/old_pages.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <stdlib.h>

/* What a record is for, in the order of sorting: a page that is found comes before who asks. */
enum { PAGE, REVISIT, ASKED };

/* By what a revisit asks, in the order of trust. */
enum { BY_ID, BY_PLACE, BY_PAYLOAD, WAYS };

/* A page by one of its names, or a question for it. Goes to the rank of the key. No padding: it is
 * sent as bytes. */
typedef struct named {
    uint64_t key;
    uint64_t role;
    uint64_t page;    /* that is named, or that asks */
    uint64_t way;     /* in which it asks */
    uint64_t payload; /* of the page, or as the revisit says; 0: unknown */
} named;

static const nd_record_order by_key_role_page = {.word_count = 3, .words = {0, 1, 2}};

/* To the page that asked. */
typedef struct answer {
    uint64_t page;
    uint64_t trust; /* the less, the better: pages before revisits, then by the way */
    uint64_t found;
} answer;

enum { MOST_NAMES = 2 * WAYS };

/* The names of this rank's pages, and the questions of its new revisits. */
typedef struct name_source {
    nd_job *job;
    size_t next; /* page */
    named names[MOST_NAMES];
    size_t count, given; /* of names: they wait here until there is room */
} name_source;

static bool is_revisit(const nd_job *job, size_t index) {
    return (job->pages.pages[index].flags & ND_PAGE_REVISIT) != 0;
}

static void add_name(name_source *from, uint64_t key, named name) {
    if (key != 0) {
        name.key = key;
        from->names[from->count++] = name;
    }
}

static nd_status name_page(name_source *from, size_t index) {
    nd_status st = ND_OK;
    nd_job *job = from->job;
    nd_span id, url;
    nd_page_claim claim;
    const bool revisit = is_revisit(job, index);
    from->count = from->given = 0;
    ND_TRY(nd_page_store_claim(&job->pages, index, &claim));
    ND_TRY(nd_page_store_names(&job->pages, index, &id, &url));
    const uint64_t page = nd_job_own_first(job) + index;
    const named is = {.role = revisit ? REVISIT : PAGE, .page = page, .payload = claim.payload};
    add_name(from, nd_capture_id_key(id), is);
    add_name(from, nd_capture_place_key(url, job->pages.pages[index].date), is);
    if (!revisit) {
        add_name(from, claim.payload, is);
    } else if (page >= job->old.pages) {
        const uint64_t keys[WAYS] = {claim.refers_id, claim.refers_place, claim.payload};
        for (uint64_t way = 0; way < WAYS; way++) {
            add_name(from, keys[way],
                     (named){.role = ASKED, .page = page, .way = way, .payload = claim.payload});
        }
    }
out:
    return st;
}

static nd_status next_names(void *context, void *records, uint64_t room, uint64_t *count) {
    nd_status st = ND_OK;
    name_source *from = context;
    named *names = records;
    *count = 0;
    while (*count < room) {
        if (from->given < from->count) {
            names[(*count)++] = from->names[from->given++];
        } else if (from->next < from->job->pages.count) {
            ND_TRY(name_page(from, from->next++));
        } else {
            break;
        }
    }
out:
    return st;
}

/* Sorted names: who asks gets the first page of the name, or without one the first revisit. */
typedef struct answer_source {
    nd_external_sort *names;
    uint64_t pages; /* of all ranks */
    named first;    /* of the present key */
} answer_source;

static nd_status next_answers(void *context, void *records, uint64_t room, uint64_t *count) {
    nd_status st = ND_OK;
    answer_source *from = context;
    answer *answers = records;
    *count = 0;
    while (*count < room) {
        const void *record = NULL;
        ND_TRY(nd_external_sort_next(from->names, &record));
        const named *name = record;
        const named *first = &from->first;
        ND_ASSERT(name->page < from->pages && name->role <= ASKED && name->way < WAYS, name->page,
                  from->pages, name->role);
        if (name->key != first->key) {
            from->first = *name;
        } else if (name->role == ASKED && first->role != ASKED && first->page != name->page &&
                   (first->payload == name->payload || first->payload == 0 || name->payload == 0)) {
            answers[(*count)++] = (answer){name->page, first->role * WAYS + name->way, first->page};
        }
    }
out:
    return st == ND_END ? ND_OK : st;
}

typedef struct answer_sink {
    nd_job *job;
    uint8_t *trust; /* of what was found for each of this rank's pages */
} answer_sink;

static nd_status take_answers(void *context, const void *records, uint64_t count) {
    answer_sink *to = context;
    const answer *answers = records;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t index = answers[i].page - nd_job_own_first(to->job);
        ND_ASSERT(index < to->job->pages.count && answers[i].trust < MOST_NAMES, index,
                  to->job->pages.count, answers[i].trust);
        if (answers[i].trust < to->trust[index]) { /* one of each trust: any order gives the same */
            to->trust[index] = (uint8_t)answers[i].trust;
            to->job->revisit_of[index] = answers[i].found;
        }
    }
    return ND_OK;
}

/* Collective. Each new revisit gets a page, maybe a revisit too, or stays as it is. */
static nd_status ask(nd_job *job) {
    nd_status st = ND_OK;
    nd_external_sort names;
    name_source own_names = {.job = job};
    answer_source answers = {.names = &names, .pages = job->totals.pages};
    answer_sink sink = {.job = job};
    const nd_shuffle_stream to_names = {.comm = &job->comm,
                                        .record_size = sizeof(named),
                                        .owner = nd_shuffle_owner_of_hash,
                                        .sink = nd_shuffle_into_sort,
                                        .sink_context = &names};
    const nd_shuffle_stream to_pages = {.comm = &job->comm,
                                        .record_size = sizeof(answer),
                                        .owner = nd_shuffle_owner_of_item,
                                        .owner_context = job->first,
                                        .sink = take_answers,
                                        .sink_context = &sink};
    nd_external_sort_open(&names, &job->folder, sizeof(named), &by_key_role_page,
                          job->options.memory.sort);
    ND_TRY(nd_comm_agree(&job->comm, nd_new(&sink.trust, job->pages.count, 1)));
    for (size_t i = 0; i < job->pages.count; i++) {
        sink.trust[i] = UINT8_MAX;
    }
    ND_TRY(nd_shuffle_run(&to_names, next_names, &own_names));
    ND_TRY(nd_comm_agree(&job->comm, nd_external_sort_finish(&names)));
    ND_TRY(nd_shuffle_run(&to_pages, next_answers, &answers));
out:
    nd_external_sort_close(&names);
    free(sink.trust);
    return st;
}

/* Not collective. Revisits of earlier runs are of what they have joined. */
static nd_status recall(nd_job *job) {
    enum { AT_ONCE = 1 << 14 };
    nd_status st = ND_OK;
    nd_set_member *members = NULL;
    const uint64_t own = nd_job_own_first(job);
    const uint64_t count = nd_old_own_count(job);
    ND_TRY(nd_new(&members, nd_min(count, AT_ONCE), sizeof *members));
    for (uint64_t begin = 0; begin < count; begin += AT_ONCE) {
        const uint64_t end = nd_min(count, begin + AT_ONCE);
        ND_TRY(nd_checkpoint_load(&job->old.index, "members", sizeof *members, own + begin,
                                  own + end, members));
        for (uint64_t i = begin; i < end; i++) {
            if (is_revisit(job, i)) {
                job->revisit_of[i] = members[i - begin].link;
            }
        }
    }
out:
    free(members);
    return st;
}

/* Collective. Revisits of revisits become revisits of what these are of; in each round twice as
 * far.
 */
static nd_status follow(nd_job *job, const uint64_t *revisits, uint64_t count) {
    enum { MOST_ROUNDS = 32 }; /* circles do not end */
    nd_status st = ND_OK;
    uint64_t *table = NULL;
    uint64_t *found = NULL;
    uint64_t alone = 0;
    uint64_t moved = 1;
    st = nd_new(&found, count, sizeof *found);
    st = st != ND_OK ? st : nd_new(&table, job->pages.count, sizeof *table);
    ND_TRY(nd_comm_agree(&job->comm, st));
    for (int round = 0; round < MOST_ROUNDS && nd_comm_sum(&job->comm, moved) > 0; round++) {
        moved = 0;
        for (uint64_t i = 0; i < count; i++) {
            found[i] = job->revisit_of[revisits[i]];
        }
        ND_TRY(nd_lookup(&job->comm, job->first, job->revisit_of, found, count, found));
        for (uint64_t i = 0; i < count; i++) {
            ND_ASSERT(found[i] < job->totals.pages, revisits[i], found[i], job->totals.pages);
            moved += job->revisit_of[revisits[i]] != found[i];
            job->revisit_of[revisits[i]] = found[i];
        }
    }
    for (size_t i = 0; i < job->pages.count; i++) {
        table[i] = is_revisit(job, i);
    }
    ND_TRY(nd_lookup(&job->comm, job->first, table, found, count, found));
    for (uint64_t i = 0; i < count; i++) {
        if (found[i] != 0) {
            job->revisit_of[revisits[i]] = nd_job_own_first(job) + revisits[i];
            alone++;
        }
    }
    job->totals.revisits_alone = nd_comm_sum(&job->comm, alone);
    job->totals.revisit_pages = nd_comm_sum(&job->comm, count);
out:
    free(table);
    free(found);
    return st;
}

nd_status nd_revisits_find(nd_job *job) {
    nd_status st = ND_OK;
    const size_t pages = job->pages.count;
    uint64_t *revisits = NULL; /* which of this rank's pages are */
    uint64_t count = 0;
    for (size_t i = 0; i < pages; i++) {
        count += is_revisit(job, i);
    }
    if (nd_comm_sum(&job->comm, count) == 0) {
        return ND_OK;
    }
    st = nd_new(&job->revisit_of, pages, sizeof *job->revisit_of);
    st = st != ND_OK ? st : nd_new(&revisits, count, sizeof *revisits);
    count = 0;
    for (size_t i = 0; st == ND_OK && i < pages; i++) {
        job->revisit_of[i] = nd_job_own_first(job) + i; /* until another is found */
        if (is_revisit(job, i)) {
            revisits[count++] = i;
        }
    }
    ND_TRY(nd_comm_agree(&job->comm, st));
    ND_TRY(ask(job));
    ND_TRY(nd_comm_agree(&job->comm, recall(job)));
    ND_TRY(follow(job, revisits, count));
    for (size_t i = 0; i < pages; i++) {
        job->revisit_of[i] = is_revisit(job, i) ? job->revisit_of[i] : ND_NO_REVISIT;
    }
out:
    free(revisits);
    return st;
}

/* Collective. From the pages that revisits are of they take an entry of a table of pages.
 * \param[out] values  of all this rank's pages: of others the entry of their own */
static nd_status look_up(nd_job *job, const uint64_t *table, uint64_t **values) {
    nd_status st = ND_OK;
    ND_TRY(nd_comm_agree(&job->comm, nd_new(values, job->pages.count, sizeof **values)));
    for (size_t i = 0; i < job->pages.count; i++) {
        (*values)[i] =
            job->revisit_of[i] == ND_NO_REVISIT ? nd_job_own_first(job) + i : job->revisit_of[i];
    }
    ND_TRY(nd_lookup(&job->comm, job->first, table, *values, job->pages.count, *values));
out:
    return st;
}

nd_status nd_revisits_join(nd_job *job, uint64_t *exact_of, uint64_t *copies) {
    nd_status st = ND_OK;
    uint64_t *firsts = NULL;
    uint64_t joined = 0;
    if (job->revisit_of == NULL) {
        return ND_OK;
    }
    ND_TRY(look_up(job, exact_of, &firsts));
    for (size_t i = 0; i < job->pages.count; i++) {
        joined += firsts[i] != exact_of[i]; /* only a revisit's is another */
        exact_of[i] = firsts[i];
    }
    *copies += nd_comm_sum(&job->comm, joined);
out:
    free(firsts);
    return st;
}

nd_status nd_revisits_measure(nd_job *job) {
    nd_status st = ND_OK;
    uint64_t *lengths = NULL;
    uint64_t *table = NULL;
    if (job->revisit_of == NULL) {
        return ND_OK;
    }
    ND_TRY(nd_comm_agree(&job->comm, nd_new(&table, job->pages.count, sizeof *table)));
    for (size_t i = 0; i < job->pages.count; i++) {
        table[i] = job->pages.pages[i].text_tokens;
    }
    ND_TRY(look_up(job, table, &lengths));
    for (size_t i = 0; i < job->pages.count; i++) {
        job->pages.pages[i].text_tokens = (uint32_t)lengths[i];
    }
out:
    free(table);
    free(lengths);
    return st;
}
