/* Stage 3: pages with equal content are found and only the first goes on; every page that goes on
 * is signed: one posting per key. */
#include "mpi/job.h"

#include "mpi/exchange.h"
#include "mpi/fetch.h"
#include "src/base/sort.h"

#include <stdlib.h>

/* ---- equal texts */

typedef struct text_record {
    nd_text_hash hash;
    uint64_t page;
} text_record;

static int text_owner(const void *record, int size, const void *context) {
    (void)context;
    return nd_comm_hash_owner(((const text_record *)record)->hash.high, size);
}

static int by_hash_then_page(const void *a, const void *b) {
    const text_record *x = a;
    const text_record *y = b;
    if (x->hash.high != y->hash.high) {
        return x->hash.high < y->hash.high ? -1 : 1;
    }
    if (x->hash.low != y->hash.low) {
        return x->hash.low < y->hash.low ? -1 : 1;
    }
    return (x->page > y->page) - (x->page < y->page);
}

/* A page and the first page with its text. */
typedef struct copy_record {
    uint64_t page;
    uint64_t first;
} copy_record;

static int copy_owner(const void *record, int size, const void *context) {
    return nd_comm_range_owner(context, size, ((const copy_record *)record)->page);
}

/* What makes two pages equal; false for a page of which nothing is known. */
typedef bool (*equality)(const nd_job *job, size_t index, nd_text_hash *hash);

/* Pages without text are not copies of each other. */
static bool by_text(const nd_job *job, size_t index, nd_text_hash *hash) {
    *hash = job->pages.pages[index].text_hash;
    return job->pages.pages[index].text_tokens > 0;
}

/* Only among the first pages of each text: the same text may have other content on another site,
 * and its copies belong together all the same. A page of which selection left nothing is like no
 * other. */
static bool by_content(const nd_job *job, size_t index, nd_text_hash *hash) {
    *hash = job->pages.pages[index].content_hash;
    return job->pages.pages[index].token_count > 0 &&
           job->exact_of[index] == nd_job_own_first(job) + index;
}

static nd_status collect_texts(const nd_job *job, equality equal, text_record **texts,
                               uint64_t *count) {
    nd_status st = nd_new(texts, job->pages.count, sizeof **texts);
    for (size_t i = 0; st == ND_OK && i < job->pages.count; i++) {
        text_record record = {.page = nd_job_own_first(job) + i};
        if (equal(job, i, &record.hash)) {
            (*texts)[(*count)++] = record;
        }
    }
    return st;
}

static nd_status find_copies(text_record *texts, uint64_t count, copy_record **copies,
                             uint64_t *copy_count) {
    nd_status st = nd_new(copies, count, sizeof **copies);
    uint64_t first = 0; /* place of the first text equal to the present one */
    nd_sort(texts, count, sizeof *texts, by_hash_then_page);
    for (uint64_t i = 1; st == ND_OK && i < count; i++) {
        if (texts[i].hash.high == texts[first].hash.high &&
            texts[i].hash.low == texts[first].hash.low) {
            (*copies)[(*copy_count)++] = (copy_record){texts[i].page, texts[first].page};
        } else {
            first = i;
        }
    }
    return st;
}

/* The first page equal to each of this rank's pages, and how many over all ranks are not first. */
static nd_status find_firsts(nd_job *job, equality equal, uint64_t **firsts, uint64_t *copied) {
    nd_status st = ND_OK;
    text_record *texts = NULL;
    copy_record *copies = NULL;
    uint64_t text_count = 0;
    uint64_t copy_count = 0;
    st = nd_new(firsts, job->pages.count, sizeof(uint64_t));
    st = st != ND_OK ? st : collect_texts(job, equal, &texts, &text_count);
    ND_TRY(nd_comm_agree(&job->comm, st));
    ND_TRY(nd_shuffle(&job->comm, &texts, &text_count, sizeof *texts, text_owner, NULL));
    ND_TRY(nd_comm_agree(&job->comm, find_copies(texts, text_count, &copies, &copy_count)));
    ND_TRY(nd_shuffle(&job->comm, &copies, &copy_count, sizeof *copies, copy_owner, job->first));
    for (size_t i = 0; i < job->pages.count; i++) {
        (*firsts)[i] = nd_job_own_first(job) + i;
    }
    for (uint64_t i = 0; i < copy_count; i++) {
        (*firsts)[copies[i].page - nd_job_own_first(job)] = copies[i].first;
    }
    *copied = nd_comm_sum(&job->comm, copy_count);
out:
    free(texts);
    free(copies);
    return st;
}

/* ---- keys */

static nd_status sign_page(nd_job *job, size_t index, uint64_t *keys, size_t *capacity) {
    nd_status st = ND_OK;
    const nd_document document = nd_page_store_document(&job->pages, index);
    size_t count = 0;
    ND_TRY(job->options.method->sign(&job->options.method_options, &document, keys, &count));
    ND_TRY(nd_grow(&job->postings, capacity, job->posting_count + count, sizeof *job->postings));
    for (size_t k = 0; k < count; k++) {
        job->postings[job->posting_count++] = (nd_key_value){
            keys[k], nd_posting_value(nd_job_own_first(job) + index, document.token_count)};
    }
out:
    return st;
}

static nd_status sign_pages(nd_job *job) {
    uint64_t *keys = NULL;
    size_t capacity = 0;
    nd_status st =
        nd_new(&keys, job->options.method->max_keys(&job->options.method_options), sizeof *keys);
    for (size_t i = 0; st == ND_OK && i < job->pages.count; i++) {
        const bool first = job->content_of[i] == nd_job_own_first(job) + i;
        if (first && job->pages.pages[i].token_count > 0) {
            st = sign_page(job, i, keys, &capacity);
        }
        nd_progress_update(&job->progress, &job->comm, i, job->pages.count, i);
    }
    free(keys);
    return nd_comm_agree(&job->comm, st);
}

static void count_without_text(nd_job *job) {
    uint64_t count = 0;
    for (size_t i = 0; i < job->pages.count; i++) {
        count += job->pages.pages[i].text_tokens == 0;
    }
    job->totals.pages_without_text = nd_comm_sum(&job->comm, count);
}

nd_status nd_stage_sign(nd_job *job) {
    nd_status st = ND_OK;
    nd_progress_begin(&job->progress, &job->comm, "sign", "pages");
    count_without_text(job);
    ND_TRY(find_firsts(job, by_text, &job->exact_of, &job->totals.exact_copies));
    ND_TRY(find_firsts(job, by_content, &job->content_of, &job->totals.content_copies));
    ND_TRY(nd_lookup(&job->comm, job->first, job->content_of, job->exact_of, job->pages.count,
                     job->content_of));
    ND_TRY(sign_pages(job));
    nd_progress_end(&job->progress, &job->comm, job->pages.count);
out:
    return st;
}
