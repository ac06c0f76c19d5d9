#include "mpi/stage/index_pages.h"

#include "io/input/page_maker.h"
#include "io/input/reread.h"
#include "io/store/page_store.h"
#include "mpi/comm/exchange.h"
#include "mpi/job/checkpoint.h"
#include "mpi/job/page_content.h"
#include "mpi/stage/state.h"
#include "src/base/buffer.h"
#include "src/base/sort.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== pages */

uint64_t nd_index_staying(const nd_job *job) {
    return job->options.recluster ? 0 : job->state->index.pages;
}

uint64_t nd_index_own_count(const nd_job *job) {
    const uint64_t first = nd_job_own_first(job);
    const uint64_t end = nd_min(job->first[job->comm.rank + 1], job->state->index.pages);
    return end > first ? end - first : 0;
}

nd_status nd_index_load(const nd_job *job, const char *array, size_t record_size, uint64_t begin,
                        uint64_t end, void *records) {
    nd_status st = ND_OK;
    if (begin == end) {
        return ND_OK; /* of no pages there may be no array either */
    }
    const uint64_t indexed =
        nd_max(begin, nd_min(end, job->state->index.pages)); /* [begin, indexed) are */
    ND_TRY(
        nd_checkpoint_load(&job->state->index.folder, array, record_size, begin, indexed, records));
    ND_TRY(nd_checkpoint_load(&job->checkpoint, array, record_size, indexed, end,
                              (uint8_t *)records + (indexed - begin) * record_size));
out:
    return st;
}

/* ---- keys */

/* Keys read at once. */
enum { WINDOW = 1 << 16 };

nd_status nd_index_keys_open(nd_index_keys *keys, const nd_checkpoint *index, uint64_t first,
                             uint64_t count) {
    nd_status st = ND_OK;
    *keys = (nd_index_keys){.index = index, .room = WINDOW};
    nd_new(&keys->ranges, count, sizeof *keys->ranges);
    nd_new_room(&keys->window, keys->room, sizeof *keys->window);
    ND_TRY(nd_checkpoint_load(index, "key.ranges", sizeof *keys->ranges, first, first + count,
                              keys->ranges));
    keys->last = nd_checkpoint_count(index, "keys");
out:
    return st;
}

nd_status nd_index_keys_read(nd_index_keys *keys, const nd_job *job, uint64_t at, uint64_t *to,
                             size_t *count) {
    nd_status st = ND_OK;
    const nd_key_range *range = &keys->ranges[at];
    const nd_method_options *options = &job->options.method_options;
    if (range->count > job->options.method->sizes(options, 0).keys || range->count > keys->room ||
        range->first > keys->last || range->count > keys->last - range->first) {
        return nd_fail(ND_ERR_FORMAT, "%s: damaged: a page of %llu keys", keys->index->folder.path,
                       (unsigned long long)range->count);
    }
    if (range->count > 0 &&
        (range->first < keys->begin || range->first + range->count > keys->end)) {
        const uint64_t end = range->first + nd_min(keys->last - range->first, keys->room);
        ND_TRY(
            nd_checkpoint_load(keys->index, "keys", sizeof *to, range->first, end, keys->window));
        keys->begin = range->first;
        keys->end = end;
    }
    if (range->count > 0) {
        ND_ASSERT(keys->begin <= range->first && range->first + range->count <= keys->end,
                  range->first, range->count, keys->end);
        memcpy(to, keys->window + (range->first - keys->begin), range->count * sizeof *to);
    }
    *count = range->count;
out:
    return st;
}

void nd_index_keys_close(nd_index_keys *keys) {
    free(keys->ranges);
    free(keys->window);
    *keys = (nd_index_keys){0};
}

/* ==== sites */

static const nd_record_order by_word = {.word_count = 3, .words = {0, 1, 2}};

/* ---- the words of a folder's sites, read one after the other */

enum { SITES_AT_ONCE = 1 << 10, HASHES_AT_ONCE = 1 << 13 };

typedef struct hash_list {
    const char *array;
    uint64_t next;       /* place in the array of the site's next hash */
    uint64_t left;       /* of the site */
    uint64_t begin, end; /* read */
    uint64_t hashes[HASHES_AT_ONCE];
} hash_list;

/* This rank's share of the sites. */
typedef struct site_words {
    const nd_checkpoint *from;
    nd_found_site sites[SITES_AT_ONCE];
    uint64_t next, end;         /* sites */
    uint64_t read_at, read_end; /* those in `sites` */
    uint64_t site;
    hash_list lists[2];
} site_words;

static nd_status read_sites(site_words *w) {
    w->read_at = w->next;
    w->read_end = nd_min(w->end, w->next + SITES_AT_ONCE);
    return nd_checkpoint_load(w->from, "sites", sizeof *w->sites, w->read_at, w->read_end,
                              w->sites);
}

/* Collective. \return this rank's status */
static nd_status open_words(site_words *w, nd_comm *comm, const nd_checkpoint *from) {
    nd_status st = ND_OK;
    uint64_t templates = 0;
    uint64_t repeated = 0;
    const uint64_t total = nd_checkpoint_count(from, "sites");
    const uint64_t begin = nd_comm_share_begin(total, comm->rank, comm->size);
    *w = (site_words){.from = from,
                      .next = begin,
                      .end = nd_comm_share_begin(total, comm->rank + 1, comm->size),
                      .lists = {{.array = "sites.templates"}, {.array = "sites.repeated"}}};
    for (; st == ND_OK && w->next < w->end; w->next = w->read_end) {
        st = read_sites(w);
        for (uint64_t i = 0; st == ND_OK && i < w->read_end - w->read_at; i++) {
            templates += w->sites[i].templates;
            repeated += w->sites[i].repeated;
        }
    }
    w->lists[0].next = nd_comm_before(comm, templates);
    w->lists[1].next = nd_comm_before(comm, repeated);
    w->next = begin;
    w->read_at = w->read_end = begin;
    return st;
}

static nd_status next_hash(hash_list *list, const nd_checkpoint *from, uint64_t *hash) {
    nd_status st = ND_OK;
    if (list->next < list->begin || list->next >= list->end) {
        const uint64_t count = nd_checkpoint_count(from, list->array);
        if (list->next >= count) {
            return nd_fail(ND_ERR_FORMAT, "%s: damaged: %s", from->folder.path, list->array);
        }
        list->begin = list->next;
        list->end = list->next + nd_min(count - list->next, HASHES_AT_ONCE);
        ND_TRY(nd_checkpoint_load(from, list->array, sizeof *hash, list->begin, list->end,
                                  list->hashes));
    }
    *hash = list->hashes[list->next++ - list->begin];
    list->left--;
out:
    return st;
}

static nd_status next_words(void *context, void *records, uint64_t room, uint64_t *count) {
    nd_status st = ND_OK;
    site_words *w = context;
    nd_site_word *words = records;
    *count = 0;
    while (*count + 1 < room) { /* a site begins with two */
        nd_site_word *word = &words[*count];
        if (w->lists[0].left > 0) {
            *word = (nd_site_word){w->site, ND_SITE_TEMPLATE, 0};
            ND_TRY(next_hash(&w->lists[0], w->from, &word->value));
        } else if (w->lists[1].left > 0) {
            *word = (nd_site_word){w->site, ND_SITE_REPEATED, 0};
            ND_TRY(next_hash(&w->lists[1], w->from, &word->value));
        } else if (w->next < w->end) {
            ND_TRY(w->next == w->read_end ? read_sites(w) : ND_OK);
            const nd_found_site *site = &w->sites[w->next++ - w->read_at];
            w->site = site->site;
            w->lists[0].left = site->templates;
            w->lists[1].left = site->repeated;
            *word = (nd_site_word){site->site, ND_SITE_PAGE, site->page};
            if (site->repeats_all != 0) {
                words[++*count] = (nd_site_word){site->site, ND_SITE_REPEATS_ALL, 0};
            }
        } else {
            break;
        }
        (*count)++;
    }
out:
    return st;
}

/* Collective. Send the words of a folder's sites to the ranks of the sites. */
static nd_status send_words(const nd_shuffle_stream *to, const nd_checkpoint *from) {
    nd_status st = ND_OK;
    site_words *words = NULL;
    nd_new(&words, 1, sizeof *words);
    ND_TRY(nd_comm_agree(to->comm, open_words(words, to->comm, from)));
    ND_TRY(nd_shuffle_run(to, next_words, words));
out:
    free(words);
    return st;
}

/* ---- for the new pages */

static void add_answer(nd_site_word **words, int **owners, size_t capacity[2], uint64_t *count,
                       const nd_site_word *word, uint64_t rank) {
    nd_grow(words, &capacity[0], *count + 1, sizeof **words);
    nd_grow(owners, &capacity[1], *count + 1, sizeof **owners);
    (*words)[*count] = *word;
    (*owners)[(*count)++] = (int)rank;
}

/* Every site's words after the ranks that have asked for it: to each of these. */
static nd_status answer(nd_job *job, nd_external_sort *sorted) {
    nd_status st = ND_OK;
    nd_site_word *answers = NULL;
    int *owners = NULL;
    uint64_t *asked = NULL; /* ranks, of the present site */
    size_t asked_capacity = 0;
    size_t capacity[2] = {0};
    uint64_t asked_count = 0;
    uint64_t count = 0;
    uint64_t site = 0;
    const void *record = NULL;
    while (st == ND_OK && (st = nd_external_sort_next(sorted, &record)) == ND_OK) {
        const nd_site_word *word = record;
        asked_count = word->site == site ? asked_count : 0;
        site = word->site;
        if (word->kind == ND_SITE_ASKED) {
            nd_grow(&asked, &asked_capacity, asked_count + 1, sizeof *asked);
            if (st == ND_OK) {
                asked[asked_count++] = word->value;
            }
        }
        for (uint64_t i = 0; st == ND_OK && word->kind != ND_SITE_ASKED && i < asked_count; i++) {
            add_answer(&answers, &owners, capacity, &count, word, asked[i]);
        }
    }
    ND_TRY(nd_comm_agree(&job->comm, st == ND_END ? ND_OK : st));
    ND_TRY(nd_shuffle_to(&job->comm, &answers, &count, sizeof *answers, owners));
    nd_record_sort(answers, count, sizeof *answers, &by_word);
    free(job->state->index.sites);
    job->state->index.sites = answers;
    job->state->index.site_count = count;
    answers = NULL;
out:
    free(answers);
    free(owners);
    free(asked);
    return st;
}

nd_status nd_index_sites_ask(nd_job *job) {
    nd_status st = ND_OK;
    nd_comm *comm = &job->comm;
    uint64_t *sites = NULL; /* of this rank's pages */
    nd_site_word *questions = NULL;
    nd_external_sort sorted;
    const nd_shuffle_stream to_sites = nd_job_sort_at_owners(job, &sorted, sizeof(nd_site_word),
                                                             &by_word, nd_shuffle_owner_of_hash);
    nd_new_room(&sites, job->state->pages.count, sizeof *sites);
    nd_new_room(&questions, job->state->pages.count, sizeof *questions);
    for (size_t i = 0; i < job->state->pages.count; i++) {
        sites[i] = job->state->pages.pages[i].site;
    }
    const uint64_t count = nd_numbers_distinct(sites, job->state->pages.count);
    for (uint64_t i = 0; i < count; i++) {
        questions[i] = (nd_site_word){sites[i], ND_SITE_ASKED, (uint64_t)comm->rank};
    }
    ND_TRY(nd_shuffle_send(&to_sites, questions, count));
    ND_TRY(send_words(&to_sites, &job->state->index.folder));
    ND_TRY(nd_comm_agree(comm, nd_external_sort_finish(&sorted)));
    ND_TRY(answer(job, &sorted));
out:
    nd_external_sort_close(&sorted);
    free(sites);
    free(questions);
    return st;
}

nd_status nd_index_sites_load(nd_job *job) {
    nd_status st = ND_OK;
    nd_comm alone;
    nd_index_pages *indexed = &job->state->index;
    site_words *words = NULL;
    size_t capacity = 0;
    uint64_t count = 1;
    nd_comm_open(&alone, MPI_COMM_SELF);
    indexed->site_count = 0;
    nd_new(&words, 1, sizeof *words);
    ND_TRY(open_words(words, &alone, &indexed->folder));
    while (count > 0) {
        nd_grow(&indexed->sites, &capacity, indexed->site_count + HASHES_AT_ONCE,
                sizeof *indexed->sites);
        ND_TRY(next_words(words, indexed->sites + indexed->site_count, HASHES_AT_ONCE, &count));
        indexed->site_count += count;
    }
    nd_record_sort(indexed->sites, indexed->site_count, sizeof *indexed->sites, &by_word);
out:
    free(words);
    nd_comm_close(&alone);
    return nd_comm_agree(&job->comm, st);
}

/* The first word that is not before these. */
static uint64_t place_of(const nd_index_pages *indexed, const nd_site_word *word) {
    uint64_t at = 0;
    ND_FIND_FIRST(at, 0, indexed->site_count,
                  !nd_record_precedes(&by_word, &indexed->sites[at], word));
    return at;
}

static bool site_holds(const nd_job *job, uint64_t site, uint64_t kind, uint64_t value) {
    const nd_site_word word = {site, kind, value};
    const uint64_t at = place_of(&job->state->index, &word);
    return at < job->state->index.site_count &&
           !nd_record_precedes(&by_word, &word, &job->state->index.sites[at]);
}

bool nd_index_site_is(const nd_job *job, uint64_t site, uint64_t kind) {
    const nd_index_pages *indexed = &job->state->index;
    const uint64_t at = place_of(indexed, &(nd_site_word){site, kind, 0});
    return at < indexed->site_count && indexed->sites[at].site == site &&
           indexed->sites[at].kind == kind;
}

/* The first page of the addition in which a page came. */
static nd_status addition_of(const nd_job *job, uint64_t page, uint64_t *first) {
    nd_status st = ND_OK;
    const char *text = "";
    *first = 0;
    ND_TRY(nd_checkpoint_text(&job->state->index.folder, "additions", &text));
    while (*text == '[' || *text == ',') {
        char *end = NULL;
        const uint64_t begin = strtoull(text + 1, &end, 10);
        *first = begin <= page ? nd_max(*first, begin) : *first;
        text = end;
    }
out:
    return st;
}

nd_status nd_index_sites_choose(const nd_job *job, uint64_t number, const nd_document *document,
                                bool *keep, uint16_t *flags) {
    nd_status st = ND_OK;
    const nd_index_pages *indexed = &job->state->index;
    const uint64_t site = document->origin.site;
    const nd_content_choice *choice = &job->options.content;
    bool *known = NULL; /* of each sentence: a template, then: a repeated link */
    const uint32_t count = document->sentence_count;
    uint64_t addition = 0;
    bool knows = nd_index_site_is(job, site, ND_SITE_PAGE);
    if (knows) {
        const nd_site_word *word =
            &indexed->sites[place_of(indexed, &(nd_site_word){site, ND_SITE_PAGE, 0})];
        ND_TRY(addition_of(job, word->value, &addition));
        knows = addition <= number;
    }
    const bool all =
        choice->sample > 0 && (!knows || nd_index_site_is(job, site, ND_SITE_REPEATS_ALL));
    nd_new(&known, 2 * (size_t)count, sizeof *known);
    for (uint32_t k = 0; k < count; k++) {
        const nd_sentence_digest *sentence = &document->sentences[k];
        known[k] = knows && site_holds(job, site, ND_SITE_TEMPLATE, sentence->masked);
        known[count + k] = all ? nd_sentence_may_return(choice, sentence)
                               : knows && site_holds(job, site, ND_SITE_REPEATED, sentence->masked);
    }
    *flags = nd_page_content_choose(&job->options, document, known, known + count, keep);
out:
    free(known);
    return st;
}

/* ---- for the result */

static nd_status add_site(nd_found_sites *found, const nd_found_site *site) {
    return site->site == 0 ? ND_OK : nd_spool_append(&found->sites, site, sizeof *site);
}

/* The next word: those of a site follow one another. */
static nd_status take_word(nd_found_sites *found, nd_found_site *site, const nd_site_word *word) {
    nd_status st = ND_OK;
    ND_ASSERT(word->site >= site->site, word->site, site->site); /* they are sorted */
    if (word->site != site->site) {
        ND_TRY(add_site(found, site));
        *site = (nd_found_site){.site = word->site};
    }
    if (word->kind == ND_SITE_PAGE) {
        site->page = word->value;
    } else if (word->kind == ND_SITE_REPEATS_ALL) {
        site->repeats_all = 1;
    } else {
        const bool of_template = word->kind == ND_SITE_TEMPLATE;
        site->templates += of_template;
        site->repeated += !of_template;
        ND_TRY(nd_spool_append(of_template ? &found->templates : &found->repeated, &word->value,
                               sizeof word->value));
    }
out:
    return st;
}

nd_status nd_index_sites_recall(nd_job *job) {
    nd_status st = ND_OK;
    nd_found_sites *found = &job->state->sites;
    nd_spool *const of_sites[] = {&found->sites, &found->templates, &found->repeated};
    nd_found_site site = {0};
    const void *record = NULL;
    nd_external_sort sorted;
    const nd_shuffle_stream to_sites = nd_job_sort_at_owners(job, &sorted, sizeof(nd_site_word),
                                                             &by_word, nd_shuffle_owner_of_hash);
    ND_TRY(send_words(&to_sites, &job->state->index.folder));
    ND_TRY(send_words(&to_sites, &job->checkpoint));
    for (size_t i = 0; i < sizeof of_sites / sizeof of_sites[0]; i++) {
        nd_spool_close(of_sites[i]);
        nd_spool_open(of_sites[i], &job->kept, job->options.memory.spool);
    }
    st = nd_external_sort_finish(&sorted);
    while (st == ND_OK && (st = nd_external_sort_next(&sorted, &record)) == ND_OK) {
        st = take_word(found, &site, record);
    }
    st = st == ND_END ? add_site(found, &site) : st;
    ND_TRY(nd_comm_agree(&job->comm, st));
out:
    nd_external_sort_close(&sorted);
    return st;
}

/* ==== texts */

/* Where the texts begin that are brought, in the numbers of the store: after all that it has. */
static const uint64_t BROUGHT = UINT64_C(1) << 63;

struct nd_index_texts {
    nd_packed_reader packed;
    bool in_inputs; /* some texts are */
    nd_reread from;
    nd_record_limits limits;
    nd_page_maker maker;
    nd_page_store page; /* the one that was read again */
    nd_buffer names, tokens, digests;
    bool brought; /* the job's store has a part for texts */
};

/* ---- the inputs */

/* Id and URL of a page of the index. */
static nd_status read_names(nd_job *job, const nd_stored_page *page, nd_span *id, nd_span *url) {
    nd_status st = ND_OK;
    nd_buffer *names = &job->state->index.texts->names;
    const uint64_t size = (uint64_t)page->id_size + page->url_size;
    names->size = 0;
    nd_buffer_reserve(names, (size_t)size + 1);
    ND_TRY(nd_checkpoint_load(&job->state->index.folder, "ingest.names", 1, page->names,
                              page->names + size, names->data));
    *id = (nd_span){names->data, page->id_size};
    *url = (nd_span){names->data + page->id_size, page->url_size};
out:
    return st;
}

/* What nd_fail_text() says of an input, and for which page it is wanted. */
static nd_status refuse(nd_job *job, uint64_t number, const nd_stored_page *page) {
    nd_status st = ND_OK;
    nd_span id, url;
    char why[ND_FAIL_TEXT_SIZE];
    (void)snprintf(why, sizeof why, "%s", nd_fail_text());
    ND_TRY(read_names(job, page, &id, &url));
    (void)nd_fail(ND_ERR_CHANGED, "%s", why);
    st = nd_reread_refuse(job->options.index, number, id, url);
out:
    return st;
}

/* Look at the input of a page, unless it was looked at. */
static nd_status look_at(nd_job *job, bool *looked, uint64_t number, const nd_stored_page *page) {
    nd_status st = ND_OK;
    nd_buffer path = {0};
    struct stat info;
    if (page->source >= job->state->index.sources) {
        return nd_fail(ND_ERR_FORMAT, "%s: damaged: a page of no input", job->options.index);
    }
    const nd_input *input = &job->inputs.inputs[page->source];
    if (looked[page->source]) {
        return ND_OK;
    }
    looked[page->source] = true;
    st = nd_reread_look(job->options.index,
                        (nd_span){(const uint8_t *)input->path, strlen(input->path)},
                        input->is.bytes, &path, &info);
    nd_buffer_free(&path);
    return st == ND_ERR_CHANGED ? refuse(job, number, page) : st;
}

/* This rank's share of the pages. */
static nd_status look_at_inputs(nd_job *job) {
    enum { AT_ONCE = 4096 };
    nd_status st = ND_OK;
    nd_stored_page *pages = NULL;
    bool *looked = NULL; /* of each source */
    const nd_comm *comm = &job->comm;
    const uint64_t end = nd_comm_share_begin(job->state->index.pages, comm->rank + 1, comm->size);
    nd_new(&looked, job->state->index.sources, sizeof *looked);
    nd_new_room(&pages, AT_ONCE, sizeof *pages);
    for (uint64_t at = nd_comm_share_begin(job->state->index.pages, comm->rank, comm->size);
         at < end;) {
        const uint64_t count = nd_min(end - at, AT_ONCE);
        ND_TRY(nd_checkpoint_load(&job->state->index.folder, "pages", sizeof *pages, at, at + count,
                                  pages));
        for (uint64_t i = 0; i < count; i++) {
            if (pages[i].text == ND_TEXT_IN_INPUT) {
                job->state->index.texts->in_inputs = true;
                ND_TRY(look_at(job, looked, at + i, &pages[i]));
            }
        }
        at += count;
    }
out:
    free(pages);
    free(looked);
    return st;
}

nd_status nd_index_texts_open(nd_job *job) {
    nd_status st = ND_OK;
    nd_new(&job->state->index.texts, 1, sizeof *job->state->index.texts);
    nd_index_texts *texts = job->state->index.texts;
    const nd_reader_options *reader = &job->options.reader;
    texts->limits =
        nd_record_limits_of(reader->max_page_bytes, reader->max_expansion, reader->memory);
    texts->maker = nd_job_page_maker(&job->options, &texts->limits);
    nd_reread_begin(&texts->from, job->options.index, reader);
    st =
        nd_packed_reader_open(&texts->packed, ND_PACKING_TOKENS, &job->state->index.folder, "text");
    ND_TRY(nd_comm_agree(&job->comm, st != ND_OK ? st : look_at_inputs(job)));
    texts->in_inputs = nd_comm_max(&job->comm, texts->in_inputs) > 0;
out:
    return st;
}

nd_status nd_index_texts_recall(nd_job *job) {
    job->state->index.texts->brought = false; /* the store is a new one */
    return job->state->index.texts->in_inputs && job->options.content.sample > 0
               ? nd_index_sites_ask(job)
               : ND_OK;
}

/* ---- a text */

typedef struct choice {
    nd_job *job;
    uint64_t number;
} choice;

static nd_status choose(void *context, size_t index, const nd_document *document, bool *keep) {
    const choice *c = context;
    uint16_t flags = 0;
    (void)index;
    return nd_index_sites_choose(c->job, c->number, document, keep, &flags);
}

static nd_status read_again(nd_job *job, uint64_t number, const nd_stored_page *page,
                            const uint32_t **tokens) {
    nd_status st = ND_OK;
    nd_index_texts *texts = job->state->index.texts;
    const nd_input *input = &job->inputs.inputs[page->source];
    nd_document document;
    nd_text_hash hash;
    choice context = {job, number};
    nd_reread_page wanted = {.page = number,
                             .source = page->source,
                             .name = {(const uint8_t *)input->path, strlen(input->path)},
                             .bytes = input->is.bytes,
                             .offset = page->offset,
                             .checksum = page->checksum};
    ND_TRY(read_names(job, page, &wanted.id, &wanted.url));
    nd_reread_fields_set(&job->fields, page->source, &texts->from.options);
    st = nd_reread_record(&texts->from, &wanted);
    nd_page_store_free(&texts->page);
    st = st != ND_OK ? st
                     : nd_page_maker_add(&texts->maker, &texts->from.record, page->source,
                                         page->collection, &texts->page);
    if (st == ND_ERR_CHANGED || st == ND_ERR_LIMIT) {
        st = refuse(job, number, page);
    }
    ND_TRY(st);
    ND_TRY(nd_page_store_select(&texts->page, choose, NULL, &context));
    ND_TRY(nd_page_store_document(&texts->page, 0, &document));
    nd_page_content_hash(&job->options, &document, NULL, &texts->digests, &hash);
    if (document.token_count != page->token_count || hash.high != page->content_hash.high ||
        hash.low != page->content_hash.low) {
        (void)nd_fail(ND_ERR_CHANGED,
                      "%s: the page at byte %llu has another text than in the run that read it: "
                      "give the --jsonl options of that run",
                      input->path, (unsigned long long)page->offset);
        st = refuse(job, number, page);
    }
    *tokens = document.tokens;
out:
    return st;
}

nd_status nd_index_text_read(nd_job *job, uint64_t number, const nd_stored_page *page,
                             const uint32_t **tokens) {
    nd_status st = ND_OK;
    nd_index_texts *texts = job->state->index.texts;
    const size_t size = page->token_count * sizeof **tokens;
    ND_ASSERT(texts != NULL && (page->text < BROUGHT || page->text == ND_TEXT_IN_INPUT), number,
              page->text);
    if (page->text == ND_TEXT_IN_INPUT) {
        return read_again(job, number, page, tokens);
    }
    texts->tokens.size = 0;
    nd_buffer_reserve(&texts->tokens, size);
    ND_TRY(nd_packed_read(&texts->packed, page->text, size, texts->tokens.data));
    *tokens = (const uint32_t *)(const void *)texts->tokens.data;
out:
    return st;
}

nd_status nd_index_text_ensure(nd_job *job, size_t index) {
    nd_status st = ND_OK;
    const uint32_t *tokens = NULL;
    nd_page_store *store = &job->state->pages;
    ND_ASSERT(index < store->count, index, store->count);
    nd_stored_page *page = &store->pages[index];
    const bool here =
        job->state->index.texts == NULL || /* where none are opened the store has all */
        (page->text >= BROUGHT && page->text != ND_TEXT_IN_INPUT);
    if (index >= nd_index_own_count(job) || page->token_count == 0 || here) {
        return ND_OK;
    }
    if (!job->state->index.texts->brought) {
        nd_spool_open(&nd_page_parts_add(&store->text, BROUGHT)->spool, store->folder, 0);
        job->state->index.texts->brought = true;
    }
    uint64_t number = nd_job_own_first(job) + index;
    nd_stored_page with_text = *page;
    if (page->text >= ND_TEXT_OF_PAGE && page->text != ND_TEXT_IN_INPUT) {
        number = page->text - ND_TEXT_OF_PAGE;
        ND_TRY(nd_checkpoint_load(&job->state->index.folder, "pages", sizeof with_text, number,
                                  number + 1, &with_text));
    }
    if (with_text.token_count != page->token_count) {
        st = nd_fail(ND_ERR_FORMAT, "%s: damaged: a text is not that of its page",
                     job->options.index);
        goto out;
    }
    ND_TRY(nd_index_text_read(job, number, &with_text, &tokens));
    ND_TRY(nd_page_store_append_text(store, page, tokens, NULL));
out:
    return st;
}

void nd_index_texts_close(nd_job *job) {
    nd_index_texts *texts = job->state->index.texts;
    if (texts == NULL) {
        return;
    }
    nd_packed_reader_close(&texts->packed);
    nd_reread_close(&texts->from);
    nd_page_maker_free(&texts->maker);
    nd_page_store_free(&texts->page);
    nd_buffer_free(&texts->names);
    nd_buffer_free(&texts->tokens);
    nd_buffer_free(&texts->digests);
    free(texts);
    job->state->index.texts = NULL;
}
