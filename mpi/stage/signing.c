#include "mpi/stage/signing.h"

#include "io/store/external_sort.h"
#include "mpi/comm/exchange.h"
#include "mpi/job/page_content.h"
#include "mpi/stage/compare.h"
#include "mpi/stage/state.h"
#include "src/base/status.h"

#include <stdlib.h>

static bool is_compared(const nd_job *job, const nd_stored_page *page) {
    return nd_page_is_compared(&job->options, page->token_count, page->flags);
}

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

/* Pages without text are not copies of each other, nor are those of which selection left nothing,
 * nor thin pages that are to be apart.
 * Contents are compared only among the first pages of each text: the same text may have other
 * content on another site, and its copies belong together all the same. */
static nd_status next_texts(void *context, void *records, uint64_t room, uint64_t *count) {
    text_source *from = context;
    const nd_job *job = from->job;
    text_record *texts = records;
    *count = 0;
    for (; from->next < job->state->pages.count && *count < room; from->next++) {
        const nd_stored_page *page = &job->state->pages.pages[from->next];
        const uint64_t number = nd_job_own_first(job) + from->next;
        if (from->contents ? is_compared(job, page) && job->state->exact_of[from->next] == number
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

nd_status nd_firsts_find(nd_job *job, bool contents, uint64_t **firsts, uint64_t *copied) {
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
    nd_new(firsts, job->state->pages.count, sizeof(uint64_t));
    for (size_t i = 0; i < job->state->pages.count; i++) {
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

/* ---- keys that wait: of each page that was signed its number, how many they are, and the keys */

nd_status nd_signing_add(nd_job *job, size_t index, const nd_document *content) {
    static const nd_document nothing;
    enum { HEAD = 2 };
    nd_status st = ND_OK;
    const nd_job_options *o = &job->options;
    const uint64_t number = nd_job_own_first(job) + index;
    const bool first = job->state->exact_of == NULL || job->state->exact_of[index] == number;
    const bool wanted = first && is_compared(job, &job->state->pages.pages[index]);
    uint64_t *words = NULL;
    size_t count = 0;
    ND_ASSERT(index == job->state->digest_count, index,
              job->state->digest_count); /* each page once, in order */
    ND_TRY(nd_digests_add(job, wanted ? content : &nothing));
    if (wanted) {
        const size_t most = o->method->sizes(&o->method_options, 0).keys;
        nd_new_room(&words, HEAD + most, sizeof *words);
        o->method->sign(&o->method_options, &job->state->method_work, content, words + HEAD,
                        &count);
        ND_ASSERT(count <= most, count, most, number);
        words[0] = number;
        words[1] = count;
        ND_TRY(nd_spool_append(&job->state->waiting_keys, words, (HEAD + count) * sizeof *words));
    }
out:
    free(words);
    return st;
}

void nd_waiting_keys_open(nd_waiting_keys *keys, const nd_job *job) {
    enum { WINDOW = 1 << 20 };
    const nd_spool *from = &job->state->waiting_keys;
    *keys = (nd_waiting_keys){0};
    nd_spool_reader_open(&keys->reader, from, sizeof(uint64_t), 0, from->size / sizeof(uint64_t),
                         WINDOW);
}

static nd_status next_word(nd_waiting_keys *keys, uint64_t *word) {
    nd_status st = ND_OK;
    const void *words = NULL;
    if (keys->next == keys->count) {
        ND_TRY(nd_spool_reader_next(&keys->reader, &words, &keys->count));
        ND_ASSERT(keys->count > 0, keys->reader.offset, keys->reader.end);
        keys->words = words;
        keys->next = 0;
    }
    *word = keys->words[keys->next++];
out:
    return st;
}

nd_status nd_waiting_keys_read(nd_waiting_keys *keys, uint64_t page, uint64_t *to, size_t most,
                               size_t *count) {
    nd_status st = ND_OK;
    uint64_t found = 0;
    uint64_t length = 0;
    do { /* those of copies of content are passed over */
        ND_TRY(next_word(keys, &found));
        ND_TRY(next_word(keys, &length));
        ND_ASSERT(found <= page && length <= most, found, page, length);
        for (uint64_t i = 0; i < length; i++) {
            ND_TRY(next_word(keys, &to[i]));
        }
    } while (found < page);
    *count = (size_t)length;
out:
    return st;
}

void nd_waiting_keys_close(nd_waiting_keys *keys) {
    nd_spool_reader_close(&keys->reader);
}
