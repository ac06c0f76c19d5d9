/* Stage 3: pages with equal content are found and only the first goes on; of every page that goes
 * on a posting per key is sent to the key's rank. Keys and digests were made while contents were
 * selected (signing.h); where they were not, they are made here. */
#include "io/input/archive_header.h"
#include "io/store/external_sort.h"
#include "mpi/comm/exchange.h"
#include "mpi/comm/fetch.h"
#include "mpi/job/page_content.h"
#include "mpi/stage/compare.h"
#include "mpi/stage/index_pages.h"
#include "mpi/stage/signing.h"
#include "mpi/stage/stage.h"
#include "mpi/stage/state.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <stdlib.h>
#include <string.h>

/* ==== revisits among the pages: of which page each is a copy. It is found by what the crawler
 * wrote of it alone (nd_page_claim), wherever the page lies and in whatever order they come; texts
 * are not looked at. Invariant: a revisit is of a page that has a body, or it is alone; what
 * contradicts itself, leads in circles or out of the inputs is alone. Nothing is sent where there
 * are no revisits. */

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
    return (job->state->pages.pages[index].flags & ND_PAGE_REVISIT) != 0;
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
    ND_TRY(nd_page_store_claim(&job->state->pages, index, &claim));
    ND_TRY(nd_page_store_names(&job->state->pages, index, &id, &url));
    const uint64_t page = nd_job_own_first(job) + index;
    const named is = {.role = revisit ? REVISIT : PAGE, .page = page, .payload = claim.payload};
    add_name(from, nd_capture_id_key(id), is);
    add_name(from, nd_capture_place_key(url, job->state->pages.pages[index].date), is);
    if (!revisit) {
        add_name(from, claim.payload, is);
    } else if (page >= job->state->index.pages) {
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
        } else if (from->next < from->job->state->pages.count) {
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
        ND_ASSERT(index < to->job->state->pages.count && answers[i].trust < MOST_NAMES, index,
                  to->job->state->pages.count, answers[i].trust);
        if (answers[i].trust < to->trust[index]) { /* one of each trust: any order gives the same */
            to->trust[index] = (uint8_t)answers[i].trust;
            to->job->state->revisit_of[index] = answers[i].found;
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
    const nd_shuffle_stream to_names = nd_job_sort_at_owners(
        job, &names, sizeof(named), &by_key_role_page, nd_shuffle_owner_of_hash);
    const nd_shuffle_stream to_pages = {.comm = &job->comm,
                                        .record_size = sizeof(answer),
                                        .owner = nd_shuffle_owner_of_item,
                                        .owner_context = job->first,
                                        .sink = take_answers,
                                        .sink_context = &sink};
    nd_new(&sink.trust, job->state->pages.count, 1);
    for (size_t i = 0; i < job->state->pages.count; i++) {
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
    const uint64_t count = nd_index_own_count(job);
    nd_new(&members, nd_min(count, AT_ONCE), sizeof *members);
    for (uint64_t begin = 0; begin < count; begin += AT_ONCE) {
        const uint64_t end = nd_min(count, begin + AT_ONCE);
        ND_TRY(nd_checkpoint_load(&job->state->index.folder, "members", sizeof *members,
                                  own + begin, own + end, members));
        for (uint64_t i = begin; i < end; i++) {
            if (is_revisit(job, i)) {
                job->state->revisit_of[i] = members[i - begin].link;
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
    nd_new(&found, count, sizeof *found);
    nd_new(&table, job->state->pages.count, sizeof *table);
    for (int round = 0; round < MOST_ROUNDS && nd_comm_sum(&job->comm, moved) > 0; round++) {
        moved = 0;
        for (uint64_t i = 0; i < count; i++) {
            found[i] = job->state->revisit_of[revisits[i]];
        }
        ND_TRY(nd_lookup(&job->comm, job->first, job->state->revisit_of, found, count, found));
        for (uint64_t i = 0; i < count; i++) {
            ND_ASSERT(found[i] < job->totals.pages, revisits[i], found[i], job->totals.pages);
            moved += job->state->revisit_of[revisits[i]] != found[i];
            job->state->revisit_of[revisits[i]] = found[i];
        }
    }
    for (size_t i = 0; i < job->state->pages.count; i++) {
        table[i] = is_revisit(job, i);
    }
    ND_TRY(nd_lookup(&job->comm, job->first, table, found, count, found));
    for (uint64_t i = 0; i < count; i++) {
        if (found[i] != 0) {
            job->state->revisit_of[revisits[i]] = nd_job_own_first(job) + revisits[i];
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

/* Collective. Find the page of each revisit: by its record's id, else by URL and second, else by
 * the digest of its payload; of several, the first. A page whose digest is another than the revisit
 * says is not its page. Revisits that an index holds stay with what they were found to be of. Sets
 * job->state->revisit_of, which stays NULL where no page of any rank is a revisit, and the total of
 * those that are alone. \return ND_OK on all ranks, or a failure on all */
static nd_status revisits_find(nd_job *job) {
    nd_status st = ND_OK;
    const size_t pages = job->state->pages.count;
    uint64_t *revisits = NULL; /* which of this rank's pages are */
    uint64_t count = 0;
    for (size_t i = 0; i < pages; i++) {
        count += is_revisit(job, i);
    }
    if (nd_comm_sum(&job->comm, count) == 0) {
        return ND_OK;
    }
    nd_new(&job->state->revisit_of, pages, sizeof *job->state->revisit_of);
    nd_new(&revisits, count, sizeof *revisits);
    count = 0;
    for (size_t i = 0; i < pages; i++) {
        job->state->revisit_of[i] = nd_job_own_first(job) + i; /* until another is found */
        if (is_revisit(job, i)) {
            revisits[count++] = i;
        }
    }
    ND_TRY(ask(job));
    ND_TRY(nd_comm_agree(&job->comm, recall(job)));
    ND_TRY(follow(job, revisits, count));
    for (size_t i = 0; i < pages; i++) {
        job->state->revisit_of[i] = is_revisit(job, i) ? job->state->revisit_of[i] : ND_NO_REVISIT;
    }
out:
    free(revisits);
    return st;
}

/* Collective. From the pages that revisits are of they take an entry of a table of pages.
 * \param[out] values  of all this rank's pages: of others the entry of their own */
static nd_status look_up(nd_job *job, const uint64_t *table, uint64_t **values) {
    nd_status st = ND_OK;
    nd_new(values, job->state->pages.count, sizeof **values);
    for (size_t i = 0; i < job->state->pages.count; i++) {
        (*values)[i] = job->state->revisit_of[i] == ND_NO_REVISIT ? nd_job_own_first(job) + i
                                                                  : job->state->revisit_of[i];
    }
    ND_TRY(nd_lookup(&job->comm, job->first, table, *values, job->state->pages.count, *values));
out:
    return st;
}

/* Collective. Revisits take over, from the page that they are of, what that is a copy of.
 * \param[in,out] exact_of  of this rank's pages \param[in,out] copies  pages that are copies, of
 * all ranks */
static nd_status revisits_join(nd_job *job, uint64_t *exact_of, uint64_t *copies) {
    nd_status st = ND_OK;
    uint64_t *firsts = NULL;
    uint64_t joined = 0;
    if (job->state->revisit_of == NULL) {
        return ND_OK;
    }
    ND_TRY(look_up(job, exact_of, &firsts));
    for (size_t i = 0; i < job->state->pages.count; i++) {
        joined += firsts[i] != exact_of[i]; /* only a revisit's is another */
        exact_of[i] = firsts[i];
    }
    *copies += nd_comm_sum(&job->comm, joined);
out:
    free(firsts);
    return st;
}

/* Collective. Revisits have the length of the page that they are of, from here on. */
static nd_status revisits_measure(nd_job *job) {
    nd_status st = ND_OK;
    uint64_t *lengths = NULL;
    uint64_t *table = NULL;
    if (job->state->revisit_of == NULL) {
        return ND_OK;
    }
    nd_new(&table, job->state->pages.count, sizeof *table);
    for (size_t i = 0; i < job->state->pages.count; i++) {
        table[i] = job->state->pages.pages[i].text_tokens;
    }
    ND_TRY(look_up(job, table, &lengths));
    for (size_t i = 0; i < job->state->pages.count; i++) {
        job->state->pages.pages[i].text_tokens = (uint32_t)lengths[i];
    }
out:
    free(table);
    free(lengths);
    return st;
}

/* ==== the stage */

/* ---- keys */

/* The postings of this rank's pages; a page's keys wait here until there is room. */
typedef struct posting_source {
    nd_job *job;
    size_t next; /* page */
    uint64_t *keys;
    size_t key_count, key_next, most_keys;
    uint64_t value; /* of the page whose keys wait */
    uint64_t signed_pages;
    uint64_t indexed; /* this rank's indexed pages: their keys are known */
    nd_index_keys index_keys;
    uint64_t made; /* of pages up to there keys wait, and digests are there */
    nd_waiting_keys waiting;
} posting_source;

/* Copies are compared through the page that they are copies of. */
static bool meets_others(const nd_job *job, size_t index) {
    const nd_stored_page *page = &job->state->pages.pages[index];
    return job->state->content_of[index] == nd_job_own_first(job) + index &&
           nd_page_is_compared(&job->options, page->token_count, page->flags);
}

/* For an index: where the keys of a page lie among those of this rank's new pages. */
static nd_status keep_keys(posting_source *from, size_t index) {
    nd_job *job = from->job;
    nd_key_range *range = job->state->key_ranges != NULL && index >= from->indexed
                              ? &job->state->key_ranges[index]
                              : NULL;
    if (range == NULL) {
        return ND_OK;
    }
    *range = (nd_key_range){job->state->keys.size / sizeof *from->keys, from->key_count};
    return nd_spool_append(&job->state->keys, from->keys, from->key_count * sizeof *from->keys);
}

/* Of an indexed page they are known, and of most others made since their content was selected. */
static nd_status find_keys(posting_source *from, size_t index, uint64_t number, bool wanted) {
    nd_status st = ND_OK;
    nd_job *job = from->job;
    const nd_job_options *o = &job->options;
    nd_document document = {0}; /* of a page that meets nobody nothing is read: nor will its digest
                                   be */
    if (index < from->made) {
        return wanted ? nd_waiting_keys_read(&from->waiting, number, from->keys, from->most_keys,
                                             &from->key_count)
                      : ND_OK;
    }
    if (wanted && index >= from->indexed) {
        ND_TRY(nd_page_store_document(&job->state->pages, index, &document));
        ND_TRY(nd_page_check_sentences(&document));
        o->method->sign(&o->method_options, &job->state->method_work, &document, from->keys,
                        &from->key_count);
    } else if (wanted) {
        ND_TRY(nd_index_keys_read(&from->index_keys, job, index, from->keys, &from->key_count));
    }
    ND_TRY(nd_digests_add(job, &document));
out:
    return st;
}

static nd_status next_postings(void *context, void *records, uint64_t room, uint64_t *count) {
    nd_status st = ND_OK;
    posting_source *from = context;
    nd_job *job = from->job;
    nd_key_value *postings = records;
    *count = 0;
    while (*count < room) {
        if (from->key_next < from->key_count) {
            postings[(*count)++] = (nd_key_value){from->keys[from->key_next++], from->value};
            continue;
        }
        if (from->next == job->state->pages.count) {
            break;
        }
        const size_t index = from->next++;
        const uint64_t number = nd_job_own_first(job) + index;
        const bool wanted = meets_others(job, index);
        from->key_count = from->key_next = 0;
        ND_TRY(find_keys(from, index, number, wanted));
        ND_ASSERT(from->key_count <= from->most_keys, from->key_count, from->most_keys, number);
        from->signed_pages += wanted;
        from->value = nd_posting_value(number, job->state->pages.pages[index].token_count);
        ND_TRY(keep_keys(from, index));
        nd_progress_update(&job->progress, &job->comm, index, job->state->pages.count, index);
    }
out:
    return st;
}

static nd_status sign_pages(nd_job *job) {
    nd_status st = ND_OK;
    posting_source source = {
        .job = job,
        .most_keys = job->options.method->sizes(&job->options.method_options, 0).keys,
        .indexed = nd_index_own_count(job),
        .made = job->state->digest_count,
    };
    nd_new(&source.keys, source.most_keys, sizeof *source.keys);
    nd_waiting_keys_open(&source.waiting, job);
    ND_TRY(
        nd_comm_agree(&job->comm, nd_index_keys_open(&source.index_keys, &job->state->index.folder,
                                                     nd_job_own_first(job), source.indexed)));
    ND_TRY(nd_groups_collect(&job->comm, &job->state->groups, next_postings, &source));
    job->totals.signed_pages = nd_comm_sum(&job->comm, source.signed_pages);
    job->totals.postings = nd_comm_sum(&job->comm, nd_groups_total(&job->state->groups));
out:
    nd_index_keys_close(&source.index_keys);
    nd_waiting_keys_close(&source.waiting);
    nd_spool_close(&job->state->waiting_keys);
    free(source.keys);
    return st;
}

static nd_status run(nd_job *job) {
    nd_status st = ND_OK;
    uint64_t textless = 0;
    nd_stage_begin(job, &nd_stage_sign);
    for (size_t i = 0; i < job->state->pages.count; i++) {
        textless += job->state->pages.pages[i].text_tokens == 0 &&
                    (job->state->pages.pages[i].flags & ND_PAGE_REVISIT) == 0;
    }
    job->totals.pages_without_text = nd_comm_sum(&job->comm, textless);
    if (job->state->exact_of == NULL) { /* they were not found before */
        ND_TRY(nd_firsts_find(job, false, &job->state->exact_of, &job->totals.exact_copies));
    }
    ND_TRY(revisits_find(job));
    ND_TRY(revisits_join(job, job->state->exact_of, &job->totals.exact_copies));
    ND_TRY(nd_firsts_find(job, true, &job->state->content_of, &job->totals.content_copies));
    ND_TRY(nd_lookup(&job->comm, job->first, job->state->content_of, job->state->exact_of,
                     job->state->pages.count, job->state->content_of));
    if (job->options.write_index != NULL) {
        nd_new(&job->state->key_ranges, job->state->pages.count, sizeof *job->state->key_ranges);
    }
    ND_TRY(sign_pages(job));
    ND_TRY(revisits_measure(job));
    nd_page_store_drop_sentences(&job->state->pages);
    nd_progress_end(&job->progress, &job->comm, job->state->pages.count);
out:
    return st;
}

/* The keys of new pages, for the index: after those of the indexed ones. */
static nd_status save_keys(nd_job *job) {
    nd_status st = ND_OK;
    const uint64_t indexed = nd_index_own_count(job);
    const uint64_t first = nd_checkpoint_count(&job->state->index.folder, "keys") +
                           nd_comm_before(&job->comm, job->state->keys.size / sizeof(uint64_t));
    if (job->state->key_ranges == NULL) {
        return ND_OK;
    }
    for (size_t i = (size_t)indexed; i < job->state->pages.count; i++) {
        job->state->key_ranges[i].first += first;
    }
    ND_TRY(
        nd_checkpoint_keep(&job->checkpoint, "keys", sizeof(uint64_t), first, &job->state->keys));
    ND_TRY(nd_checkpoint_save(&job->checkpoint, "key.ranges", sizeof *job->state->key_ranges,
                              nd_job_own_first(job) + indexed, job->state->key_ranges + indexed,
                              job->state->pages.count - indexed));
    free(job->state->key_ranges);
    job->state->key_ranges = NULL;
out:
    return st;
}

/* Collective. Likewise the digests, without what the pages themselves say; of copies those of
 * nothing. \return this rank's status */
static nd_status save_digests(nd_job *job) {
    nd_status st = ND_OK;
    nd_packer packer;
    nd_packed_extent before;
    nd_span record;
    uint8_t *of_copies = NULL;
    const nd_document nothing = {0};
    const nd_job_options *o = &job->options;
    const size_t size = o->method->sizes(&o->method_options, 0).digest;
    uint64_t first = 0;
    nd_packer_open(&packer, ND_PACKING_COUNTS, &job->kept, job->options.memory.spool / 2);
    st = nd_packed_extent_of(&job->state->index.folder, "digests", &before);
    nd_new(&of_copies, size, 1);
    o->method->digest(&o->method_options, &job->state->method_work, &nothing, of_copies);
    for (uint64_t i = nd_index_own_count(job); st == ND_OK && i < job->state->pages.count; i++) {
        st = nd_digest_record(job, nd_job_own_first(job) + i, &record);
        if (st == ND_OK) {
            const bool is_copy = !meets_others(job, (size_t)i);
            st = nd_packer_add(&packer, is_copy ? of_copies : nd_digest_record_digest(record.data),
                               size);
        }
    }
    st = nd_packer_keep(&packer, st, &job->checkpoint, "digests", &before, &first);
    nd_packer_close(&packer);
    free(of_copies);
    return st;
}

static nd_status save(nd_job *job) {
    nd_status st = ND_OK;
    const bool kept = job->state->key_ranges != NULL;
    st = save_keys(job);
    const nd_status digests_status = kept ? save_digests(job) : ND_OK;
    return st != ND_OK ? st : digests_status;
}

/* Collective. Do the firsts that were loaded name pages that are firsts, not later than theirs? */
static nd_status check_loaded(const nd_job *job, const char *array, const uint64_t *of) {
    nd_status st = ND_OK;
    uint64_t *found = NULL;
    nd_comm *comm = (nd_comm *)(uintptr_t)&job->comm;
    const uint64_t own = nd_job_own_first(job);
    const size_t count = job->state->pages.count;
    nd_new_room(&found, count, sizeof *found);
    ND_TRY(nd_lookup(comm, job->first, of, of, count, found));
    for (size_t i = 0; st == ND_OK && i < count; i++) {
        if (found[i] != of[i]) {
            st = nd_checkpoint_refuse(&job->checkpoint, array,
                                      "page %llu: page %llu is a copy of page %llu",
                                      (unsigned long long)(own + i), (unsigned long long)of[i],
                                      (unsigned long long)found[i]);
        }
    }
    ND_TRY(nd_comm_agree(comm, st));
out:
    free(found);
    return st;
}

static nd_status load(nd_job *job, bool last) {
    nd_status st = ND_OK;
    const nd_job_options *o = &job->options;
    ND_TRY(check_loaded(job, "exact_of", job->state->exact_of));
    ND_TRY(check_loaded(job, "content_of", job->state->content_of));
    ND_TRY(revisits_measure(job));
    if (last) { /* signing again costs less than keeping the postings: the next stage begins so */
        nd_progress_begin(&job->progress, &job->comm, nd_stage_block.name, nd_stage_sign.unit);
        nd_progress_resume(&job->progress, &job->comm, 0);
        ND_TRY(sign_pages(job));
        nd_page_store_drop_sentences(&job->state->pages);
    } else if (nd_method_compares_digests(o->method, &o->method_options) ||
               o->transitivity != ND_TRANSITIVITY_VERIFIED) { /* else few are asked for */
        ND_TRY(nd_digests_fill(job));
    }
out:
    return st;
}

const nd_stage nd_stage_sign = {"sign", "pages", ND_STAGE_SIGN, run, save, load};
