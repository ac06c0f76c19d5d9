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
    XXH3_state_t *hash;
    nd_site_page *sample;
    uint64_t sample_count;
    nd_key_value *ranks; /* (site, rank): where a site's template has to go */
    uint64_t rank_count;
    sentence_list templates; /* of this rank's sites, then of its pages' sites */
    sentence_list repeated;  /* links, likewise */
} selection;

/* ---- by the page alone */

static bool is_wanted(const selection *s, const nd_sentence_digest *sentence) {
    const nd_content_choice *choice = &s->job->options.content;
    const uint32_t unwanted =
        (choice->navigation ? ND_SENTENCE_NAVIGATION : 0) | (choice->links ? ND_SENTENCE_LINKS : 0);
    return (sentence->flags & unwanted) == 0;
}

static bool is_link(const nd_sentence_digest *sentence) {
    return (sentence->flags & ND_SENTENCE_LINKS) != 0 &&
           (sentence->flags & ND_SENTENCE_NAVIGATION) == 0;
}

/* ---- templates of the sites of this rank */

/* What the page alone says of a sentence. */
enum { SENTENCE_KEPT, SENTENCE_LINK, SENTENCE_DROPPED };

/* A sentence on its way to the rank of its site. No padding. */
typedef struct site_sentence {
    uint64_t masked;
    uint32_t tokens;
    uint32_t kind; /* SENTENCE_* */
} site_sentence;

/* Gives the sentences of a page that templates are told by: as many of the page as it has, the
 * unwanted ones without tokens. */
typedef struct sentence_giver {
    const selection *selection;
    site_sentence *sentences;
    size_t capacity;
} sentence_giver;

static uint64_t sentences_size(const void *context, uint64_t page) {
    const sentence_giver *giver = context;
    const nd_job *job = giver->selection->job;
    return job->pages.pages[page - nd_job_own_first(job)].sentence_count * sizeof(site_sentence);
}

static nd_status give_sentences(void *context, uint64_t page, nd_span *bytes) {
    nd_status st = ND_OK;
    sentence_giver *giver = context;
    const selection *s = giver->selection;
    nd_document document;
    ND_TRY(nd_page_store_document(&s->job->pages, (size_t)(page - nd_job_own_first(s->job)),
                                  &document));
    ND_TRY(nd_grow(&giver->sentences, &giver->capacity, document.sentence_count,
                   sizeof *giver->sentences));
    for (uint32_t i = 0; i < document.sentence_count; i++) {
        const nd_sentence_digest *from = &document.sentences[i];
        const bool wanted = is_wanted(s, from);
        giver->sentences[i] = (site_sentence){from->masked, from->token_count,
                                              wanted          ? SENTENCE_KEPT
                                              : is_link(from) ? SENTENCE_LINK
                                                              : SENTENCE_DROPPED};
    }
    *bytes = (nd_span){(const uint8_t *)giver->sentences,
                       document.sentence_count * sizeof *giver->sentences};
out:
    return st;
}

/* Sampled pages whose sentences are fetched at once: a page has some 140 sentences of 16 bytes. */
static uint64_t batch_pages(const nd_job *job) {
    enum { BYTES_PER_PAGE = 4096 };
    const uint64_t pages = job->options.memory.batch / BYTES_PER_PAGE;
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
static size_t pick(const site_sentence *from, size_t count, uint32_t kind, const uint64_t *without,
                   size_t without_count, nd_template_sentence *out) {
    size_t picked = 0;
    for (size_t i = 0; i < count; i++) {
        const bool dropped = nd_numbers_hold(without, without_count, from[i].masked);
        if (from[i].kind == kind && !dropped) {
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
        const size_t kept = pick(from, count, SENTENCE_KEPT, without, without_count, next);
        const size_t links = pick(from, count, SENTENCE_LINK, without, without_count, next + kept);
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
    const nd_provider provider = {
        .context = &giver, .size = sentences_size, .give = give_sentences};
    ND_TRY(nd_comm_agree(&s->job->comm, list_numbers(s, begin, end, &numbers)));
    ND_TRY(nd_fetch(&s->job->comm, s->job->first, numbers, end - begin, &provider, &sentences));
    ND_TRY(nd_comm_agree(&s->job->comm, find_sites(s, begin, end, numbers, &sentences)));
out:
    free(numbers);
    nd_fetched_free(&sentences);
    free(giver.sentences);
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

/* Keep what is wanted of a page and not in its site's template. \return the tokens that are kept */
static uint64_t drop_templates(const selection *s, uint64_t site, const nd_document *document,
                               bool *keep) {
    uint64_t tokens = 0;
    for (uint32_t k = 0; k < document->sentence_count; k++) {
        const nd_sentence_digest *sentence = &document->sentences[k];
        keep[k] = is_wanted(s, sentence) && !holds(&s->templates, site, sentence->masked);
        tokens += keep[k] ? sentence->token_count : 0;
    }
    return tokens;
}

static void give_links_back(const selection *s, uint64_t site, const nd_document *document,
                            bool *keep) {
    for (uint32_t k = 0; k < document->sentence_count; k++) {
        const nd_sentence_digest *sentence = &document->sentences[k];
        if (!keep[k] && is_link(sentence) && !holds(&s->templates, site, sentence->masked) &&
            !holds(&s->repeated, site, sentence->masked)) {
            keep[k] = true;
        }
    }
}

/* Content is told apart by the digests of its sentences: they hold its tokens, and where sentences
 * end. */
static void hash_content(const selection *s, const nd_document *document, const bool *keep,
                         nd_text_hash *content_hash) {
    (void)XXH3_128bits_reset(s->hash);
    for (uint32_t k = 0; k < document->sentence_count; k++) {
        if (keep[k]) {
            (void)XXH3_128bits_update(s->hash, &document->sentences[k].digest,
                                      sizeof document->sentences[k].digest);
        }
    }
    const XXH128_hash_t hash = XXH3_128bits_digest(s->hash);
    *content_hash = (nd_text_hash){hash.high64, hash.low64};
}

static nd_status choose(void *context, size_t index, const nd_document *document, bool *keep) {
    const selection *s = context;
    nd_job *job = s->job;
    nd_stored_page *page = &job->pages.pages[index];
    const nd_content_choice *choice = &job->options.content;
    const uint64_t tokens = drop_templates(s, page->site, document, keep);
    if (choice->sample > 0 && tokens < choice->link_tokens) {
        give_links_back(s, page->site, document, keep);
    }
    hash_content(s, document, keep, &page->content_hash);
    nd_progress_update(&job->progress, &job->comm, index, job->pages.count, index);
    return ND_OK;
}

static nd_status select_contents(selection *s) {
    s->hash = XXH3_createState();
    const nd_status st = s->hash == NULL
                             ? nd_fail(ND_ERR_MEMORY, "out of memory: the state of a hash")
                             : nd_page_store_select(&s->job->pages, choose, s);
    return nd_comm_agree(&s->job->comm, st);
}

static void selection_free(selection *s) {
    (void)XXH3_freeState(s->hash);
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
    if (choice->sample > 0) {
        ND_TRY(find_templates(&s));
        ND_TRY(send_list(&s, &s.templates));
        ND_TRY(send_list(&s, &s.repeated));
    }
    ND_TRY(select_contents(&s));
    nd_progress_end(&job->progress, &job->comm, job->pages.count);
out:
    selection_free(&s);
    return st;
}
