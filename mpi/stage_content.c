/* Stage 2: what of each page is compared. Navigation and link-dense blocks are dropped by the page
 * alone; then the sentences that stand in several classes of near-duplicate pages of the site, told
 * from a sample of the site's pages. Each part is an option. */
#include "mpi/job.h"

#include "mpi/exchange.h"
#include "mpi/fetch.h"
#include "mpi/site_sample.h"
#include "src/sets/template.h"
#include "src/text/content.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

typedef struct selection {
    nd_job *job;
    bool *keep; /* per sentence of the store */
    nd_site_page *sample;
    uint64_t sample_count;
    nd_key_value *ranks; /* (site, rank): where a site's template has to go */
    uint64_t rank_count;
    nd_key_value *templates; /* (site, masked sentence) */
    size_t template_capacity;
    uint64_t template_count;
} selection;

/* ---- by the page alone */

static void drop_by_flags(selection *s) {
    const nd_job_options *o = &s->job->options;
    const uint32_t unwanted = (o->content.navigation ? ND_SENTENCE_NAVIGATION : 0) |
                              (o->content.links ? ND_SENTENCE_LINKS : 0);
    const uint64_t count = nd_page_store_sentence_count(&s->job->pages);
    for (uint64_t i = 0; i < count; i++) {
        s->keep[i] = (s->job->pages.sentences[i].flags & unwanted) == 0;
    }
}

/* ---- templates of the sites of this rank */

/* The kept sentences of a page, as the template search takes them. */
typedef struct sentence_giver {
    const selection *selection;
    nd_buffer scratch;
    nd_status status;
} sentence_giver;

static nd_span give_sentences(const void *context, uint64_t page) {
    sentence_giver *giver = *(sentence_giver *const *)context;
    const nd_job *job = giver->selection->job;
    const size_t index = (size_t)(page - nd_job_own_first(job));
    const uint64_t first = nd_page_store_first_sentence(&job->pages, index);
    giver->scratch.size = 0;
    for (uint64_t i = first; i < first + job->pages.pages[index].sentence_count; i++) {
        nd_template_sentence sentence;
        memset(&sentence, 0, sizeof sentence); /* its padding is sent */
        sentence.hash = job->pages.sentences[i].masked;
        sentence.tokens = job->pages.sentences[i].token_count;
        if (giver->selection->keep[i] && giver->status == ND_OK) {
            giver->status = nd_buffer_append(&giver->scratch, &sentence, sizeof sentence);
        }
    }
    return nd_buffer_span(&giver->scratch);
}

/* Sampled pages whose sentences are fetched at once: a page has some 140 sentences of 16 bytes. */
static uint64_t batch_pages(const nd_job *job) {
    enum { BYTES_PER_PAGE = 4096 };
    const uint64_t pages = job->options.batch_bytes / BYTES_PER_PAGE;
    return pages == 0 ? 1 : pages;
}

static uint64_t site_end(const selection *s, uint64_t begin) {
    uint64_t end = begin;
    while (end < s->sample_count && s->sample[end].site == s->sample[begin].site) {
        end++;
    }
    return end;
}

/* Whole sites from `begin`; at least one. */
static uint64_t batch_end(const selection *s, uint64_t begin) {
    uint64_t end = begin;
    while (end < s->sample_count) {
        const uint64_t next = site_end(s, end);
        if (end > begin && next - begin > batch_pages(s->job)) {
            break;
        }
        end = next;
    }
    return end;
}

static nd_status list_numbers(const selection *s, uint64_t begin, uint64_t end,
                              uint64_t **numbers) {
    nd_status st = nd_new(numbers, end - begin, sizeof **numbers);
    for (uint64_t i = begin; st == ND_OK && i < end; i++) {
        (*numbers)[i - begin] = s->sample[i].page;
    }
    if (st == ND_OK) {
        (void)nd_distinct(*numbers, end - begin); /* a page is of one site, so this only sorts */
    }
    return st;
}

static nd_status add_templates(selection *s, uint64_t site, const uint64_t *hashes, size_t count) {
    nd_status st = nd_grow(&s->templates, &s->template_capacity, s->template_count + count,
                           sizeof *s->templates);
    for (size_t i = 0; st == ND_OK && i < count; i++) {
        s->templates[s->template_count++] = (nd_key_value){site, hashes[i]};
    }
    return st;
}

static nd_status find_site(selection *s, uint64_t begin, uint64_t end, const uint64_t *numbers,
                           uint64_t number_count, const nd_fetched *sentences) {
    nd_status st = ND_OK;
    nd_template_page *pages = NULL;
    uint64_t *hashes = NULL;
    size_t hash_count = 0;
    ND_TRY(nd_new(&pages, end - begin, sizeof *pages));
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t at = nd_place(numbers, number_count, s->sample[i].page);
        pages[i - begin] = (nd_template_page){
            (const nd_template_sentence *)(const void *)(sentences->bytes + sentences->begin[at]),
            (size_t)(sentences->begin[at + 1] - sentences->begin[at]) /
                sizeof(nd_template_sentence)};
    }
    ND_TRY(nd_template_find(pages, end - begin, &s->job->options.content.templates, &hashes,
                            &hash_count));
    ND_TRY(add_templates(s, s->sample[begin].site, hashes, hash_count));
out:
    free(pages);
    free(hashes);
    return st;
}

static nd_status find_sites(selection *s, uint64_t begin, uint64_t end, const uint64_t *numbers,
                            const nd_fetched *sentences) {
    nd_status st = ND_OK;
    const uint64_t first = begin;
    for (uint64_t next = 0; begin < end; begin = next) {
        next = site_end(s, begin);
        ND_TRY(find_site(s, begin, next, numbers, end - first, sentences));
        nd_progress_update(&s->job->progress, &s->job->comm, next, s->sample_count, next);
    }
out:
    return st;
}

static nd_status run_batch(selection *s, uint64_t begin, uint64_t end) {
    nd_status st = ND_OK;
    uint64_t *numbers = NULL;
    nd_fetched sentences = {0};
    sentence_giver giver = {.selection = s};
    sentence_giver *pointer = &giver;
    ND_TRY(nd_comm_agree(&s->job->comm, list_numbers(s, begin, end, &numbers)));
    ND_TRY(nd_fetch(&s->job->comm, s->job->first, numbers, end - begin, give_sentences, &pointer,
                    &sentences));
    st = giver.status != ND_OK ? giver.status : find_sites(s, begin, end, numbers, &sentences);
    ND_TRY(nd_comm_agree(&s->job->comm, st));
out:
    free(numbers);
    nd_fetched_free(&sentences);
    nd_buffer_free(&giver.scratch);
    return st;
}

static nd_status find_templates(selection *s) {
    nd_status st = ND_OK;
    uint64_t begin = 0;
    ND_TRY(nd_site_sample(s->job, s->job->options.content.sample, &s->sample, &s->sample_count,
                          &s->ranks, &s->rank_count));
    while (nd_comm_sum(&s->job->comm, s->sample_count - begin) > 0) {
        const uint64_t end = batch_end(s, begin);
        ND_TRY(run_batch(s, begin, end));
        begin = end;
    }
out:
    return st;
}

/* ---- back to the pages */

/* A template sentence on its way to a rank that holds pages of the site. */
typedef struct template_record {
    nd_key_value entry;
    uint64_t rank;
} template_record;

static int template_owner(const void *record, int size, const void *context) {
    (void)size;
    (void)context;
    return (int)((const template_record *)record)->rank;
}

/* Both lists are sorted by site: each site's templates once for each of its ranks. */
static nd_status address_templates(const selection *s, template_record **records, uint64_t *count) {
    nd_status st = ND_OK;
    size_t capacity = 0;
    uint64_t from = 0;
    for (uint64_t r = 0; r < s->rank_count && st == ND_OK; r++) {
        while (from < s->template_count && s->templates[from].key < s->ranks[r].key) {
            from++;
        }
        for (uint64_t t = from;
             t < s->template_count && s->templates[t].key == s->ranks[r].key && st == ND_OK; t++) {
            st = nd_grow(records, &capacity, *count + 1, sizeof **records);
            if (st == ND_OK) {
                (*records)[(*count)++] = (template_record){s->templates[t], s->ranks[r].value};
            }
        }
    }
    return st;
}

static nd_status send_templates(selection *s) {
    nd_status st = ND_OK;
    template_record *records = NULL;
    uint64_t count = 0;
    ND_TRY(nd_comm_agree(&s->job->comm, address_templates(s, &records, &count)));
    ND_TRY(nd_shuffle(&s->job->comm, &records, &count, sizeof *records, template_owner, NULL));
    st = nd_grow(&s->templates, &s->template_capacity, count, sizeof *s->templates);
    for (uint64_t i = 0; st == ND_OK && i < count; i++) {
        s->templates[i] = records[i].entry;
    }
    s->template_count = st == ND_OK ? count : 0;
    st = st != ND_OK ? st : nd_radix_sort(s->templates, s->template_count);
    ND_TRY(nd_comm_agree(&s->job->comm, st));
out:
    free(records);
    return st;
}

static bool is_template(const selection *s, uint64_t site, uint64_t masked) {
    uint64_t low = 0;
    uint64_t high = s->template_count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const nd_key_value *entry = &s->templates[middle];
        if (entry->key < site || (entry->key == site && entry->value < masked)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < s->template_count && s->templates[low].key == site &&
           s->templates[low].value == masked;
}

static void drop_templates(selection *s) {
    const nd_page_store *pages = &s->job->pages;
    for (size_t i = 0; i < pages->count; i++) {
        const uint64_t first = nd_page_store_first_sentence(pages, i);
        for (uint64_t k = first; k < first + pages->pages[i].sentence_count; k++) {
            s->keep[k] =
                s->keep[k] && !is_template(s, pages->pages[i].site, pages->sentences[k].masked);
        }
    }
}

/* ---- the result */

/* Content is told apart by the digests of its sentences: they hold its tokens, and where sentences
 * end. */
static nd_status hash_contents(nd_job *job) {
    XXH3_state_t *state = XXH3_createState();
    if (state == NULL) {
        return nd_fail(ND_ERR_MEMORY, "out of memory: the state of a hash");
    }
    for (size_t i = 0; i < job->pages.count; i++) {
        nd_stored_page *page = &job->pages.pages[i];
        (void)XXH3_128bits_reset(state);
        const nd_sentence_digest *sentences = nd_page_store_sentences(&job->pages, i);
        for (uint32_t k = 0; k < page->sentence_count; k++) {
            (void)XXH3_128bits_update(state, &sentences[k].digest, sizeof sentences[k].digest);
        }
        const XXH128_hash_t hash = XXH3_128bits_digest(state);
        page->content_hash = (nd_text_hash){hash.high64, hash.low64};
    }
    (void)XXH3_freeState(state);
    return ND_OK;
}

static void selection_free(selection *s) {
    free(s->keep);
    free(s->sample);
    free(s->ranks);
    free(s->templates);
}

nd_status nd_stage_content(nd_job *job) {
    nd_status st = ND_OK;
    selection s = {.job = job};
    const nd_content_choice *choice = &job->options.content;
    nd_progress_begin(&job->progress, &job->comm, "content", "pages");
    st = nd_new(&s.keep, nd_page_store_sentence_count(&job->pages), sizeof *s.keep);
    ND_TRY(nd_comm_agree(&job->comm, st));
    drop_by_flags(&s);
    if (choice->sample > 0) {
        ND_TRY(find_templates(&s));
        ND_TRY(send_templates(&s));
        drop_templates(&s);
    }
    nd_page_store_select(&job->pages, s.keep);
    ND_TRY(nd_comm_agree(&job->comm, hash_contents(job)));
    nd_progress_end(&job->progress, &job->comm, job->pages.count);
out:
    selection_free(&s);
    return st;
}
