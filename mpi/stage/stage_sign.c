/* Stage 3: pages with equal content are found and only the first goes on; every page that goes on
 * is signed: one posting per key, sent to the key's rank. */
#include "io/input/archive_header.h"
#include "io/store/external_sort.h"
#include "mpi/comm/exchange.h"
#include "mpi/comm/fetch.h"
#include "mpi/job/job.h"
#include "mpi/job/page_content.h"
#include "mpi/stage/compare.h"
#include "mpi/stage/old_pages.h"
#include "mpi/stage/stage.h"
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
    const nd_shuffle_stream to_names = nd_job_sort_at_owners(
        job, &names, sizeof(named), &by_key_role_page, nd_shuffle_owner_of_hash);
    const nd_shuffle_stream to_pages = {.comm = &job->comm,
                                        .record_size = sizeof(answer),
                                        .owner = nd_shuffle_owner_of_item,
                                        .owner_context = job->first,
                                        .sink = take_answers,
                                        .sink_context = &sink};
    nd_new(&sink.trust, job->pages.count, 1);
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
    nd_new(&members, nd_min(count, AT_ONCE), sizeof *members);
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
    nd_new(&found, count, sizeof *found);
    nd_new(&table, job->pages.count, sizeof *table);
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

/* Collective. Find the page of each revisit: by its record's id, else by URL and second, else by
 * the digest of its payload; of several, the first. A page whose digest is another than the revisit
 * says is not its page. Revisits that an index holds stay with what they were found to be of. Sets
 * job->revisit_of, which stays NULL where no page of any rank is a revisit, and the total of those
 * that are alone. \return ND_OK on all ranks, or a failure on all */
static nd_status revisits_find(nd_job *job) {
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
    nd_new(&job->revisit_of, pages, sizeof *job->revisit_of);
    nd_new(&revisits, count, sizeof *revisits);
    count = 0;
    for (size_t i = 0; i < pages; i++) {
        job->revisit_of[i] = nd_job_own_first(job) + i; /* until another is found */
        if (is_revisit(job, i)) {
            revisits[count++] = i;
        }
    }
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
    nd_new(values, job->pages.count, sizeof **values);
    for (size_t i = 0; i < job->pages.count; i++) {
        (*values)[i] =
            job->revisit_of[i] == ND_NO_REVISIT ? nd_job_own_first(job) + i : job->revisit_of[i];
    }
    ND_TRY(nd_lookup(&job->comm, job->first, table, *values, job->pages.count, *values));
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

/* Collective. Revisits have the length of the page that they are of, from here on. */
static nd_status revisits_measure(nd_job *job) {
    nd_status st = ND_OK;
    uint64_t *lengths = NULL;
    uint64_t *table = NULL;
    if (job->revisit_of == NULL) {
        return ND_OK;
    }
    nd_new(&table, job->pages.count, sizeof *table);
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

/* ==== the stage */

/* ---- equal texts */

typedef struct text_record {
    nd_text_hash hash;
    uint64_t page;
} text_record;

/* hash.high, hash.low, page */
static const nd_record_order by_hash_then_page = {.word_count = 3, .words = {0, 1, 2}};

/* A page and the first page with its text. */
typedef struct copy_record {
    uint64_t page;
    uint64_t first;
} copy_record;

/* The texts of this rank's pages, one after the other. */
typedef struct text_source {
    const nd_job *job;
    bool contents; /* what selection has left of them, not the whole texts */
    size_t next;
} text_source;

static bool is_compared(const nd_job *job, const nd_stored_page *page) {
    return nd_page_is_compared(&job->options, page->token_count, page->flags);
}

/* Pages without text are not copies of each other, nor are those of which selection left nothing,
 * nor thin pages that are to be apart.
 * Contents are compared only among the first pages of each text: the same text may have other
 * content on another site, and its copies belong together all the same. */
static nd_status next_texts(void *context, void *records, uint64_t room, uint64_t *count) {
    text_source *from = context;
    const nd_job *job = from->job;
    text_record *texts = records;
    *count = 0;
    for (; from->next < job->pages.count && *count < room; from->next++) {
        const nd_stored_page *page = &job->pages.pages[from->next];
        const uint64_t number = nd_job_own_first(job) + from->next;
        if (from->contents ? is_compared(job, page) && job->exact_of[from->next] == number
                           : page->text_tokens > 0 && (page->flags & ND_PAGE_REVISIT) == 0 &&
                                 !(job->options.thin_apart && (page->flags & ND_PAGE_THIN) != 0)) {
            texts[(*count)++] =
                (text_record){from->contents ? page->content_hash : page->text_hash, number};
        }
    }
    return ND_OK;
}

/* Copies among sorted texts: every one but the first of each. */
typedef struct copy_source {
    nd_external_sort *texts;
    text_record first; /* the first text equal to the present one */
    bool any;
} copy_source;

static nd_status next_copies(void *context, void *records, uint64_t room, uint64_t *count) {
    nd_status st = ND_OK;
    copy_source *from = context;
    copy_record *copies = records;
    *count = 0;
    while (*count < room) {
        const void *record = NULL;
        ND_TRY(nd_external_sort_next(from->texts, &record));
        const text_record *text = record;
        ND_ASSERT(!from->any || from->first.page != text->page, text->page); /* each page once */
        if (from->any && text->hash.high == from->first.hash.high &&
            text->hash.low == from->first.hash.low) {
            copies[(*count)++] = (copy_record){text->page, from->first.page};
        } else {
            from->first = *text;
            from->any = true;
        }
    }
out:
    return st == ND_END ? ND_OK : st;
}

/* What a rank learns of its own pages. */
typedef struct firsts_sink {
    uint64_t *firsts;
    uint64_t own;
    uint64_t copied;
} firsts_sink;

static nd_status set_firsts(void *context, const void *records, uint64_t count) {
    firsts_sink *to = context;
    const copy_record *copies = records;
    for (uint64_t i = 0; i < count; i++) {
        ND_ASSERT(copies[i].first < copies[i].page && copies[i].page >= to->own, copies[i].first,
                  copies[i].page, to->own);
        to->firsts[copies[i].page - to->own] = copies[i].first;
    }
    to->copied += count;
    return ND_OK;
}

/* The first page equal to each of this rank's pages, and how many over all ranks are not first. */
static nd_status find_firsts(nd_job *job, bool contents, uint64_t **firsts, uint64_t *copied) {
    nd_status st = ND_OK;
    nd_external_sort texts;
    text_source own_texts = {.job = job, .contents = contents};
    copy_source copies = {.texts = &texts};
    firsts_sink sink = {.own = nd_job_own_first(job)};
    const nd_shuffle_stream to_texts = nd_job_sort_at_owners(
        job, &texts, sizeof(text_record), &by_hash_then_page, nd_shuffle_owner_of_hash);
    const nd_shuffle_stream to_pages = {.comm = &job->comm,
                                        .record_size = sizeof(copy_record),
                                        .owner = nd_shuffle_owner_of_item,
                                        .owner_context = job->first,
                                        .sink = set_firsts,
                                        .sink_context = &sink};
    nd_new(firsts, job->pages.count, sizeof(uint64_t));
    for (size_t i = 0; i < job->pages.count; i++) {
        (*firsts)[i] = sink.own + i;
    }
    sink.firsts = *firsts;
    ND_TRY(nd_shuffle_run(&to_texts, next_texts, &own_texts));
    ND_TRY(nd_comm_agree(&job->comm, nd_external_sort_finish(&texts)));
    ND_TRY(nd_shuffle_run(&to_pages, next_copies, &copies));
    *copied = nd_comm_sum(&job->comm, sink.copied);
out:
    nd_external_sort_close(&texts);
    return st;
}

/* ---- keys */

/* The postings of this rank's pages; a page's keys wait here until there is room. */
typedef struct posting_source {
    nd_job *job;
    size_t next; /* page */
    uint64_t *keys;
    size_t key_count, key_next, most_keys;
    uint64_t value; /* of the page whose keys wait */
    uint64_t signed_pages;
    uint64_t old; /* this rank's old pages: their keys are known */
    nd_old_keys old_keys;
} posting_source;

/* For an index: where the keys of a page lie among those of this rank's new pages. */
static nd_status keep_keys(posting_source *from, size_t index) {
    nd_job *job = from->job;
    nd_key_range *range =
        job->key_ranges != NULL && index >= from->old ? &job->key_ranges[index] : NULL;
    if (range == NULL) {
        return ND_OK;
    }
    *range = (nd_key_range){job->keys.size / sizeof *from->keys, from->key_count};
    return nd_spool_append(&job->keys, from->keys, from->key_count * sizeof *from->keys);
}

static nd_status find_keys(posting_source *from, size_t index, const nd_document *document) {
    nd_job *job = from->job;
    if (index < from->old) {
        return nd_old_keys_read(&from->old_keys, job, index, from->keys, &from->key_count);
    }
    job->options.method->sign(&job->options.method_options, &job->method_work, document, from->keys,
                              &from->key_count);
    return ND_OK;
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
        if (from->next == job->pages.count) {
            break;
        }
        const size_t index = from->next++;
        const uint64_t number = nd_job_own_first(job) + index;
        const bool meets_others =
            job->content_of[index] == number && is_compared(job, &job->pages.pages[index]);
        nd_document document = {0}; /* of a page that meets nobody nothing is read: nor will its
                                       digest be */
        from->key_count = from->key_next = 0;
        if (meets_others && index >= from->old) {
            ND_TRY(nd_page_store_document(&job->pages, index, &document));
            ND_TRY(nd_page_check_sentences(&document));
        }
        ND_TRY(nd_digests_add(job, &document));
        if (meets_others) {
            ND_TRY(find_keys(from, index, &document));
            ND_ASSERT(from->key_count <= from->most_keys, from->key_count, from->most_keys, number);
            from->signed_pages++;
            from->value = nd_posting_value(number, job->pages.pages[index].token_count);
        }
        ND_TRY(keep_keys(from, index));
        nd_progress_update(&job->progress, &job->comm, index, job->pages.count, index);
    }
out:
    return st;
}

static nd_status sign_pages(nd_job *job) {
    nd_status st = ND_OK;
    posting_source source = {
        .job = job,
        .most_keys = job->options.method->sizes(&job->options.method_options, 0).keys,
        .old = nd_old_own_count(job),
    };
    nd_new(&source.keys, source.most_keys, sizeof *source.keys);
    ND_TRY(nd_comm_agree(&job->comm, nd_old_keys_open(&source.old_keys, &job->old.index,
                                                      nd_job_own_first(job), source.old)));
    ND_TRY(nd_groups_collect(&job->comm, &job->groups, next_postings, &source));
    job->totals.signed_pages = nd_comm_sum(&job->comm, source.signed_pages);
    job->totals.postings = nd_comm_sum(&job->comm, nd_groups_total(&job->groups));
out:
    nd_old_keys_close(&source.old_keys);
    free(source.keys);
    return st;
}

static nd_status run(nd_job *job) {
    nd_status st = ND_OK;
    uint64_t textless = 0;
    nd_stage_begin(job, &nd_stage_sign);
    for (size_t i = 0; i < job->pages.count; i++) {
        textless += job->pages.pages[i].text_tokens == 0 &&
                    (job->pages.pages[i].flags & ND_PAGE_REVISIT) == 0;
    }
    job->totals.pages_without_text = nd_comm_sum(&job->comm, textless);
    ND_TRY(find_firsts(job, false, &job->exact_of, &job->totals.exact_copies));
    ND_TRY(revisits_find(job));
    ND_TRY(revisits_join(job, job->exact_of, &job->totals.exact_copies));
    ND_TRY(find_firsts(job, true, &job->content_of, &job->totals.content_copies));
    ND_TRY(nd_lookup(&job->comm, job->first, job->content_of, job->exact_of, job->pages.count,
                     job->content_of));
    if (job->options.write_index != NULL) {
        nd_new(&job->key_ranges, job->pages.count, sizeof *job->key_ranges);
    }
    ND_TRY(sign_pages(job));
    ND_TRY(revisits_measure(job));
    nd_page_store_drop_sentences(&job->pages);
    nd_progress_end(&job->progress, &job->comm, job->pages.count);
out:
    return st;
}

/* The keys of new pages, for the index: after those of the old ones. */
static nd_status save_keys(nd_job *job) {
    nd_status st = ND_OK;
    const uint64_t old = nd_old_own_count(job);
    const uint64_t first = nd_checkpoint_count(&job->old.index, "keys") +
                           nd_comm_before(&job->comm, job->keys.size / sizeof(uint64_t));
    if (job->key_ranges == NULL) {
        return ND_OK;
    }
    for (size_t i = (size_t)old; i < job->pages.count; i++) {
        job->key_ranges[i].first += first;
    }
    ND_TRY(nd_checkpoint_keep(&job->checkpoint, "keys", sizeof(uint64_t), first, &job->keys));
    ND_TRY(nd_checkpoint_save(&job->checkpoint, "key.ranges", sizeof *job->key_ranges,
                              nd_job_own_first(job) + old, job->key_ranges + old,
                              job->pages.count - old));
    free(job->key_ranges);
    job->key_ranges = NULL;
out:
    return st;
}

/* Collective. Likewise the digests, without what the pages themselves say. \return this rank's
 * status */
static nd_status save_digests(nd_job *job) {
    nd_status st = ND_OK;
    nd_packer packer;
    nd_packed_extent before;
    nd_span record;
    uint64_t first = 0;
    nd_packer_open(&packer, ND_PACKING_COUNTS, &job->kept, job->options.memory.spool / 2);
    st = nd_packed_extent_of(&job->old.index, "digests", &before);
    for (uint64_t i = nd_old_own_count(job); st == ND_OK && i < job->pages.count; i++) {
        st = nd_digest_record(job, nd_job_own_first(job) + i, &record);
        if (st == ND_OK) {
            const uint8_t *digest = nd_digest_record_digest(record.data);
            const size_t head = (size_t)(digest - record.data);
            st = nd_packer_add(&packer, digest, record.size - head);
        }
    }
    st = nd_packer_keep(&packer, st, &job->checkpoint, "digests", &before, &first);
    nd_packer_close(&packer);
    return st;
}

static nd_status save(nd_job *job) {
    nd_status st = ND_OK;
    const bool kept = job->key_ranges != NULL;
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
    const size_t count = job->pages.count;
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
    ND_TRY(check_loaded(job, "exact_of", job->exact_of));
    ND_TRY(check_loaded(job, "content_of", job->content_of));
    ND_TRY(revisits_measure(job));
    if (last) { /* signing again costs less than keeping the postings */
        ND_TRY(sign_pages(job));
        nd_page_store_drop_sentences(&job->pages);
    } else {
        ND_TRY(nd_digests_fill(job));
    }
out:
    return st;
}

const nd_stage nd_stage_sign = {"sign", "pages", ND_STAGE_SIGN, run, save, load};
