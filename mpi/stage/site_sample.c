#include "mpi/stage/site_sample.h"

#include "mpi/comm/exchange.h"
#include "mpi/stage/index_pages.h"
#include "mpi/stage/state.h"
#include "src/base/util.h"

#include <stdlib.h>

/* ==== the sample */

/* site, order, page */
static const nd_record_order by_site_then_order = {.word_count = 3, .words = {0, 1, 2}};

static bool same_site(const void *page, const void *next) {
    return ((const nd_site_page *)page)->site == ((const nd_site_page *)next)->site;
}

/* Sort, and keep of each site the `most` smallest, one page of each text. */
static void keep_smallest(nd_site_page *pages, uint64_t *count, uint64_t most) {
    uint64_t kept = 0;
    uint64_t of_site = 0;
    nd_record_sort(pages, *count, sizeof *pages, &by_site_then_order);
    for (uint64_t i = 0; i < *count; i++) {
        const bool goes_on = kept > 0 && same_site(&pages[kept - 1], &pages[i]);
        of_site = goes_on ? of_site : 0;
        if (of_site < most && !(goes_on && pages[kept - 1].order == pages[i].order)) {
            pages[kept++] = pages[i];
            of_site++;
        }
    }
    *count = kept;
}

uint64_t nd_site_page_cost(const void *page) {
    enum { OF_PAGE = 8 };
    return OF_PAGE + (uint64_t)((const nd_site_page *)page)->sentences;
}

/* The sample of each of these sites out of what the ranks have of it, sorted by site, and the ranks
 * of those whose sample is full. Not collective. */
static void join_samples(nd_site_page *pages, uint64_t *count, uint64_t most, nd_key_value **ranks,
                         uint64_t *rank_count) {
    nd_key_value *list = NULL;
    uint64_t kept = 0;
    uint64_t begin = 0; /* the site's first page */
    nd_key_value last = {0};
    const uint64_t listed = *count;
    nd_new(&list, listed, sizeof *list);
    *ranks = list;
    for (uint64_t i = 0; i < listed; i++) {
        list[i] = (nd_key_value){pages[i].site, pages[i].rank};
    }
    nd_radix_sort(list, listed);
    keep_smallest(pages, count, most);
    for (uint64_t i = 0; i < listed; i++) {
        const bool repeated = i > 0 && list[i].key == last.key && list[i].value == last.value;
        last = list[i];
        while (begin < *count && pages[begin].site < list[i].key) {
            begin++;
        }
        const uint64_t end = begin + most - 1;
        if (!repeated && end < *count && pages[end].site == list[i].key) {
            list[kept++] = list[i];
        }
    }
    *rank_count = kept;
}

nd_status nd_site_sample(nd_job *job, uint64_t most, nd_site_page **pages, uint64_t *count,
                         nd_key_value **ranks, uint64_t *rank_count) {
    nd_status st = ND_OK;
    nd_comm *comm = &job->comm;
    int *owners = NULL;
    int *rank_owners = NULL;
    *pages = NULL;
    *ranks = NULL;
    *count = 0;
    nd_new(pages, job->state->pages.count, sizeof **pages);
    for (size_t i = 0; i < job->state->pages.count; i++) {
        const nd_stored_page *page = &job->state->pages.pages[i];
        if (page->text_tokens > 0 && page->site != 0 &&
            !nd_index_site_is(job, page->site, ND_SITE_PAGE)) {
            (*pages)[(*count)++] =
                (nd_site_page){page->site, nd_mix64(page->text_hash.low), nd_job_own_first(job) + i,
                               (uint32_t)comm->rank, page->sentence_count};
        }
    }
    keep_smallest(*pages, count, most);
    ND_TRY(nd_shuffle(comm, pages, count, sizeof **pages, nd_shuffle_owner_of_hash, NULL));
    join_samples(*pages, count, most, ranks, rank_count);

    /* from the rank of a site's hash to the one that has room for it; the ranks of a site's pages
     * go where the pages go, and both lists are sorted by site */
    nd_new_room(&owners, *count, sizeof *owners);
    nd_new_room(&rank_owners, *rank_count, sizeof *rank_owners);
    nd_deal_owners(comm, *pages, *count, sizeof **pages, nd_site_page_cost, same_site, owners);
    for (uint64_t i = 0, page = 0; i < *rank_count; i++) {
        while ((*pages)[page].site < (*ranks)[i].key) {
            page++;
        }
        rank_owners[i] = owners[page];
    }
    ND_TRY(nd_shuffle_to(comm, pages, count, sizeof **pages, owners));
    ND_TRY(nd_shuffle_to(comm, ranks, rank_count, sizeof **ranks, rank_owners));
out:
    free(owners);
    free(rank_owners);
    if (st != ND_OK) {
        free(*pages);
        free(*ranks);
        *pages = NULL;
        *ranks = NULL;
    }
    return st;
}

/* ==== its sentences */

/* ---- which pages are wanted */

/* A page of this rank's sites' samples: page, and its number among all sampled pages. */
typedef nd_key_value numbered_page;

typedef struct sample_source {
    const nd_site_page *sample;
    uint64_t next, count;
    uint64_t first; /* number of the first */
} sample_source;

static nd_status next_pages(void *context, void *records, uint64_t room, uint64_t *count) {
    sample_source *from = context;
    numbered_page *pages = records;
    for (*count = 0; *count < room && from->next < from->count; (*count)++, from->next++) {
        pages[*count] = (numbered_page){from->sample[from->next].page, from->first + from->next};
    }
    return ND_OK;
}

#define NOT_WANTED UINT64_MAX

/* This rank's pages: their numbers among all sampled pages, or NOT_WANTED. */
typedef struct wanted_pages {
    uint64_t *numbers;
    uint64_t first;
} wanted_pages;

static nd_status mark_wanted(void *context, const void *records, uint64_t count) {
    const wanted_pages *to = context;
    const numbered_page *pages = records;
    for (uint64_t i = 0; i < count; i++) {
        to->numbers[pages[i].key - to->first] = pages[i].value;
    }
    return ND_OK;
}

/* ---- their sentences */

typedef struct fragment_source {
    nd_job *job;
    const uint64_t *numbers; /* of the pages in the sample */
    nd_sentence_kind kind;
    const void *context;
    size_t page;       /* that is read, or comes next */
    uint32_t sentence; /* that comes next */
    uint32_t token;    /* with which it begins */
    uint32_t part;
} fragment_source;

static void next_page(fragment_source *from) {
    from->page++;
    from->sentence = 0;
    from->token = 0;
    from->part = 0;
}

/* A page without sentences still counts as a page of its site: it gets an empty fragment. */
static nd_status next_fragments(void *context, void *records, uint64_t room, uint64_t *count) {
    nd_status st = ND_OK;
    fragment_source *from = context;
    nd_document document;
    nd_page_store *store = &from->job->state->pages;
    *count = 0;
    while (*count < room && from->page < store->count) {
        if (from->numbers[from->page] == NOT_WANTED) {
            next_page(from);
            continue;
        }
        ND_TRY(nd_page_store_document(store, from->page, &document));
        ND_TRY(nd_page_check_sentences(&document));
        do {
            nd_site_fragment *fragment = (nd_site_fragment *)records + (*count)++;
            *fragment =
                (nd_site_fragment){.key = nd_site_key(from->numbers[from->page], from->part++)};
            for (; from->sentence < document.sentence_count &&
                   fragment->count < ND_SITE_FRAGMENT_SENTENCES;
                 from->sentence++) {
                const nd_sentence_digest *sentence = &document.sentences[from->sentence];
                uint32_t kind = ND_SITE_SENTENCE_KEPT;
                if (from->kind(from->context, sentence, &kind)) {
                    const bool is_link = kind == ND_SITE_SENTENCE_LINK;
                    fragment->masked[fragment->count] = sentence->masked;
                    if (!is_link) { /* of links their hashes are counted alone */
                        fragment->tokens[fragment->count] = sentence->token_count;
                        nd_template_minima(document.tokens + from->token, sentence->token_count,
                                           fragment->minima[fragment->count]);
                    }
                    fragment->links |= (uint16_t)(is_link << fragment->count);
                    fragment->count++;
                }
                from->token += sentence->token_count;
            }
        } while (*count < room && from->sentence < document.sentence_count);
        if (from->sentence >= document.sentence_count) {
            next_page(from);
        }
    }
out:
    return st;
}

/* Fragments and marks begin with their keys. */
static int key_owner(const void *record, int size, const void *context) {
    return nd_comm_range_owner(context, size, nd_site_key_number(*(const uint64_t *)record));
}

static const nd_record_order by_key = {.word_count = 1, .words = {0}};

static nd_status read_ahead(nd_site_reader *reader) {
    const void *record = NULL;
    const nd_status st = nd_external_sort_next(&reader->sorted, &record);
    reader->ahead = record;
    return st == ND_END ? ND_OK : st;
}

nd_status nd_site_sentences(nd_job *job, const nd_site_page *sample, uint64_t sample_count,
                            nd_sentence_kind kind, const void *context, nd_site_reader *reader) {
    nd_status st = ND_OK;
    uint64_t *sample_first = NULL; /* by rank: size + 1 numbers */
    sample_source pages = {.sample = sample, .count = sample_count};
    wanted_pages wanted = {.first = nd_job_own_first(job)};
    fragment_source fragments = {.job = job, .kind = kind, .context = context};
    nd_shuffle_stream stream = {.comm = &job->comm,
                                .record_size = sizeof(numbered_page),
                                .owner = nd_shuffle_owner_of_item,
                                .owner_context = job->first,
                                .sink = mark_wanted,
                                .sink_context = &wanted};
    *reader = (nd_site_reader){.sample = sample, .end = sample_count};
    if (job->totals.pages >= UINT64_C(1) << (64 - ND_SITE_PART_BITS)) { /* on all ranks */
        return nd_fail(ND_ERR_LIMIT,
                       "%llu pages are too many to find sites' templates: give --templates 0",
                       (unsigned long long)job->totals.pages);
    }
    nd_new_room(&wanted.numbers, job->state->pages.count, sizeof *wanted.numbers);
    nd_new(&sample_first, (size_t)job->comm.size + 1, sizeof *sample_first);
    nd_comm_ranges(&job->comm, sample_count, sample_first);
    reader->first = pages.first = sample_first[job->comm.rank];
    for (uint64_t i = 0; i < job->state->pages.count; i++) {
        wanted.numbers[i] = NOT_WANTED;
    }
    ND_TRY(nd_shuffle_run(&stream, next_pages, &pages));
    fragments.numbers = wanted.numbers;
    stream.record_size = sizeof(nd_site_fragment);
    stream.owner = key_owner;
    stream.owner_context = sample_first;
    stream.sink = nd_shuffle_into_sort;
    stream.sink_context = &reader->sorted;
    nd_external_sort_open(&reader->sorted, &job->folder, sizeof(nd_site_fragment), &by_key,
                          job->options.memory.sort);
    nd_external_sort_pack(&reader->sorted); /* pages of a site share much */
    ND_TRY(nd_shuffle_run(&stream, next_fragments, &fragments));
    st = nd_external_sort_finish(&reader->sorted);
    st = st != ND_OK ? st : read_ahead(reader);
    ND_TRY(nd_comm_agree(&job->comm, st));
out:
    free(wanted.numbers);
    free(sample_first);
    return st;
}

nd_status nd_site_reader_next(nd_site_reader *reader) {
    nd_status st = ND_OK;
    const uint64_t begin = reader->next;
    while (reader->next < reader->end &&
           reader->sample[reader->next].site == reader->sample[begin].site) {
        reader->next++;
    }
    reader->count = 0;
    while (reader->ahead != NULL &&
           nd_site_key_number(reader->ahead->key) < reader->first + reader->next) {
        nd_grow(&reader->fragments, &reader->capacity, reader->count + 1,
                sizeof *reader->fragments);
        reader->fragments[reader->count++] = *reader->ahead;
        ND_TRY(read_ahead(reader));
    }
out:
    return st;
}

void nd_site_reader_close(nd_site_reader *reader) {
    nd_external_sort_close(&reader->sorted);
    free(reader->fragments);
    *reader = (nd_site_reader){0};
}

/* ---- the way back */

nd_status nd_site_marks_return(nd_job *job, const nd_spool *marks, nd_external_sort *sorted) {
    nd_status st = ND_OK;
    const nd_shuffle_stream stream =
        nd_job_sort_at_owners(job, sorted, sizeof(nd_site_marks), &by_key, key_owner);
    ND_TRY(nd_shuffle_spool(&stream, marks));
    ND_TRY(nd_comm_agree(&job->comm, nd_external_sort_finish(sorted)));
out:
    return st;
}
