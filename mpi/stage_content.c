/* Stage 2: what of each page is compared. Navigation and link-dense blocks are dropped by the page
 * alone; then the sentences that stand in several classes of near-duplicate pages of the site, told
 * from a sample of the site's pages. A page of which little is left gets back those of its links
 * that the site does not repeat: they are what it is about. Each part is an option. */
#include "mpi/job.h"

#include "mpi/exchange.h"
#include "mpi/fetch.h"
#include "mpi/site_sample.h"
#include "src/sets/template.h"
#include "src/text/content.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* (site, masked sentence), sorted. */
typedef struct sentence_list {
    nd_key_value *entries;
    size_t capacity;
    uint64_t count;
} sentence_list;

typedef struct selection {
    nd_job *job;
    bool *keep; /* per sentence of the store */
    nd_site_page *sample;
    uint64_t sample_count;
    nd_key_value *ranks; /* (site, rank): where a site's template has to go */
    uint64_t rank_count;
    sentence_list templates; /* of this rank's sites, then of its pages' sites */
    sentence_list repeated;  /* links, likewise */
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

/* A sentence on its way to the rank of its site. No padding. */
typedef struct site_sentence {
    uint64_t masked;
    uint32_t tokens;
    uint32_t link; /* 1: dropped as a link; 0: kept so far */
} site_sentence;

/* Gives a page's sentences; the scratch memory is what the fetch borrows. */
typedef struct sentence_giver {
    const selection *selection;
    nd_buffer scratch;
    nd_status status;
} sentence_giver;

static bool is_link(const nd_sentence_digest *sentence) {
    return (sentence->flags & ND_SENTENCE_LINKS) != 0 &&
           (sentence->flags & ND_SENTENCE_NAVIGATION) == 0;
}

static nd_span give_sentences(const void *context, uint64_t page) {
    sentence_giver *giver = *(sentence_giver *const *)context;
    const nd_job *job = giver->selection->job;
    const size_t index = (size_t)(page - nd_job_own_first(job));
    const uint64_t first = nd_page_store_first_sentence(&job->pages, index);
    giver->scratch.size = 0;
    for (uint64_t i = first; i < first + job->pages.pages[index].sentence_count; i++) {
        const nd_sentence_digest *from = &job->pages.sentences[i];
        const bool kept = giver->selection->keep[i];
        const site_sentence sentence = {from->masked, from->token_count, !kept};
        if ((kept || is_link(from)) && giver->status == ND_OK) {
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
        (void)nd_numbers_distinct(*numbers,
                                  end - begin); /* a page is of one site, so this only sorts */
    }
    return st;
}

static nd_status add_sentences(sentence_list *list, uint64_t site, const uint64_t *hashes,
                               size_t count) {
    nd_status st =
        nd_grow(&list->entries, &list->capacity, list->count + count, sizeof *list->entries);
    for (size_t i = 0; st == ND_OK && i < count; i++) {
        list->entries[list->count++] = (nd_key_value){site, hashes[i]};
    }
    return st;
}

/* The sampled pages of one site: their kept sentences, and their links. */
typedef struct site_pages {
    nd_template_page *kept;
    nd_template_page *links;
    nd_template_sentence *sentences; /* both point in here */
    uint64_t count;
} site_pages;

static void site_pages_free(site_pages *p) {
    free(p->kept);
    free(p->links);
    free(p->sentences);
    *p = (site_pages){0};
}

/* One page's sentences of a kind, without those in `without` (ascending).
 * \return how many were written to `out` */
static size_t pick(const site_sentence *from, size_t count, uint32_t link, const uint64_t *without,
                   size_t without_count, nd_template_sentence *out) {
    size_t picked = 0;
    for (size_t i = 0; i < count; i++) {
        const bool dropped = nd_numbers_hold(without, without_count, from[i].masked);
        if (from[i].link == link && !dropped) {
            out[picked++] = (nd_template_sentence){from[i].masked, from[i].tokens};
        }
    }
    return picked;
}

/* Lay out the pages of a site from what was fetched. */
static nd_status lay_out(const selection *s, uint64_t begin, uint64_t end, const uint64_t *numbers,
                         uint64_t number_count, const nd_fetched *fetched, const uint64_t *without,
                         size_t without_count, site_pages *out) {
    nd_status st = ND_OK;
    uint64_t total = 0;
    *out = (site_pages){.count = end - begin};
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t at = nd_numbers_place(numbers, number_count, s->sample[i].page);
        total += (fetched->begin[at + 1] - fetched->begin[at]) / sizeof(site_sentence);
    }
    ND_TRY(nd_new(&out->kept, out->count, sizeof *out->kept));
    ND_TRY(nd_new(&out->links, out->count, sizeof *out->links));
    ND_TRY(nd_new(&out->sentences, total, sizeof *out->sentences));
    nd_template_sentence *next = out->sentences;
    for (uint64_t i = 0; i < out->count; i++) {
        const uint64_t at = nd_numbers_place(numbers, number_count, s->sample[begin + i].page);
        const site_sentence *from =
            (const site_sentence *)(const void *)(fetched->bytes + fetched->begin[at]);
        const size_t count = (size_t)(fetched->begin[at + 1] - fetched->begin[at]) / sizeof *from;
        const size_t kept = pick(from, count, 0, without, without_count, next);
        const size_t links = pick(from, count, 1, without, without_count, next + kept);
        out->kept[i] = (nd_template_page){next, kept};
        out->links[i] = (nd_template_page){next + kept, links};
        next += kept + links;
    }
out:
    if (st != ND_OK) {
        site_pages_free(out);
    }
    return st;
}

/* The site's template; then, of what is left, the links that the site repeats. */
static nd_status find_site(selection *s, uint64_t begin, uint64_t end, const uint64_t *numbers,
                           uint64_t number_count, const nd_fetched *fetched) {
    nd_status st = ND_OK;
    site_pages whole = {0};
    site_pages left = {0};
    uint64_t *hashes = NULL;
    uint64_t *repeated = NULL;
    size_t hash_count = 0;
    size_t repeated_count = 0;
    const uint64_t site = s->sample[begin].site;
    ND_TRY(lay_out(s, begin, end, numbers, number_count, fetched, NULL, 0, &whole));
    ND_TRY(nd_template_find(whole.kept, whole.count, &s->job->options.content.templates, &hashes,
                            &hash_count));
    ND_TRY(add_sentences(&s->templates, site, hashes, hash_count));
    if (s->job->options.content.link_tokens > 0) {
        ND_TRY(lay_out(s, begin, end, numbers, number_count, fetched, hashes, hash_count, &left));
        ND_TRY(nd_template_repeated(left.kept, left.links, left.count, &ND_TEMPLATE_REPEAT_DEFAULTS,
                                    &repeated, &repeated_count));
        ND_TRY(add_sentences(&s->repeated, site, repeated, repeated_count));
    }
out:
    site_pages_free(&whole);
    site_pages_free(&left);
    free(hashes);
    free(repeated);
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

/* A sentence of a list on its way to a rank that holds pages of the site. */
typedef struct list_record {
    nd_key_value entry;
    uint64_t rank;
} list_record;

static int list_owner(const void *record, int size, const void *context) {
    (void)size;
    (void)context;
    return (int)((const list_record *)record)->rank;
}

/* Both lists are sorted by site: each site's sentences once for each of its ranks. */
static nd_status address(const selection *s, const sentence_list *list, list_record **records,
                         uint64_t *count) {
    nd_status st = ND_OK;
    size_t capacity = 0;
    uint64_t from = 0;
    for (uint64_t r = 0; r < s->rank_count && st == ND_OK; r++) {
        while (from < list->count && list->entries[from].key < s->ranks[r].key) {
            from++;
        }
        for (uint64_t t = from;
             t < list->count && list->entries[t].key == s->ranks[r].key && st == ND_OK; t++) {
            st = nd_grow(records, &capacity, *count + 1, sizeof **records);
            if (st == ND_OK) {
                (*records)[(*count)++] = (list_record){list->entries[t], s->ranks[r].value};
            }
        }
    }
    return st;
}

/* Replace the list of this rank's sites by that of its pages' sites. */
static nd_status send_list(const selection *s, sentence_list *list) {
    nd_status st = ND_OK;
    list_record *records = NULL;
    uint64_t count = 0;
    ND_TRY(nd_comm_agree(&s->job->comm, address(s, list, &records, &count)));
    ND_TRY(nd_shuffle(&s->job->comm, &records, &count, sizeof *records, list_owner, NULL));
    st = nd_grow(&list->entries, &list->capacity, count, sizeof *list->entries);
    for (uint64_t i = 0; st == ND_OK && i < count; i++) {
        list->entries[i] = records[i].entry;
    }
    list->count = st == ND_OK ? count : 0;
    st = st != ND_OK ? st : nd_radix_sort(list->entries, list->count);
    ND_TRY(nd_comm_agree(&s->job->comm, st));
out:
    free(records);
    return st;
}

static bool holds(const sentence_list *list, uint64_t site, uint64_t masked) {
    uint64_t low = 0;
    uint64_t high = list->count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const nd_key_value *entry = &list->entries[middle];
        if (entry->key < site || (entry->key == site && entry->value < masked)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < list->count && list->entries[low].key == site &&
           list->entries[low].value == masked;
}

/* Drop the site's template from a page. \return the tokens that are left */
static uint64_t drop_templates(selection *s, size_t index) {
    const nd_stored_page *page = &s->job->pages.pages[index];
    const uint64_t first = nd_page_store_first_sentence(&s->job->pages, index);
    uint64_t tokens = 0;
    for (uint64_t k = first; k < first + page->sentence_count; k++) {
        const nd_sentence_digest *sentence = &s->job->pages.sentences[k];
        s->keep[k] = s->keep[k] && !holds(&s->templates, page->site, sentence->masked);
        tokens += s->keep[k] ? sentence->token_count : 0;
    }
    return tokens;
}

static void give_links_back(selection *s, size_t index) {
    const nd_stored_page *page = &s->job->pages.pages[index];
    const uint64_t first = nd_page_store_first_sentence(&s->job->pages, index);
    for (uint64_t k = first; k < first + page->sentence_count; k++) {
        const nd_sentence_digest *sentence = &s->job->pages.sentences[k];
        if (!s->keep[k] && is_link(sentence) &&
            !holds(&s->templates, page->site, sentence->masked) &&
            !holds(&s->repeated, page->site, sentence->masked)) {
            s->keep[k] = true;
        }
    }
}

static void select_by_site(selection *s) {
    for (size_t i = 0; i < s->job->pages.count; i++) {
        if (drop_templates(s, i) < s->job->options.content.link_tokens) {
            give_links_back(s, i);
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
    free(s->templates.entries);
    free(s->repeated.entries);
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
        ND_TRY(send_list(&s, &s.templates));
        ND_TRY(send_list(&s, &s.repeated));
        select_by_site(&s);
    }
    nd_page_store_select(&job->pages, s.keep);
    ND_TRY(nd_comm_agree(&job->comm, hash_contents(job)));
    nd_progress_end(&job->progress, &job->comm, job->pages.count);
out:
    selection_free(&s);
    return st;
}
