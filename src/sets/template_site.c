#include "src/sets/template_site.h"

#include "src/base/buffer.h"
#include "src/base/numbers.h"

#include <stdlib.h>

/* A distinct sentence before it has a rank; by its id. */
typedef struct found {
    uint32_t tokens;
    uint32_t pages;  /* on which it stands */
    uint32_t latest; /* number + 1 of the latest of these; then, where the next goes in `holders` */
    uint32_t rank;
} found;

/* What is needed while a site is laid out. */
typedef struct layout {
    nd_number_ids ids;
    found *sentences;
    uint32_t *occurrences; /* ids, page after page, each once on a page */
    uint32_t *holders;     /* pages, sentence after sentence by rank */
    size_t *of_count;      /* [n] the next rank of the sentences on n pages */
} layout;

nd_status nd_template_count(const nd_template_page *pages, size_t count, size_t *sentences) {
    *sentences = 0;
    for (size_t i = 0; i < count; i++) {
        *sentences += pages[i].count;
    }
    if (count >= UINT32_MAX || *sentences >= UINT32_MAX) {
        return nd_fail(ND_ERR_LIMIT, "a site with %zu pages and %zu sentences; the limit is %u",
                       count, *sentences, UINT32_MAX - 1);
    }
    return ND_OK;
}

static nd_status layout_open(layout *l, size_t pages, size_t sentences) {
    nd_status st = ND_OK;
    ND_TRY(nd_number_ids_open(&l->ids, sentences));
    ND_TRY(nd_new_room(&l->sentences, sentences, sizeof *l->sentences));
    ND_TRY(nd_new_room(&l->occurrences, sentences, sizeof *l->occurrences));
    ND_TRY(nd_new_room(&l->holders, sentences, sizeof *l->holders));
    ND_TRY(nd_new(&l->of_count, pages + 2, sizeof *l->of_count));
out:
    return st;
}

static void layout_close(layout *l) {
    nd_number_ids_free(&l->ids);
    free(l->sentences);
    free(l->occurrences);
    free(l->holders);
    free(l->of_count);
}

/* A sentence as it is met; where tokens differ, the most count. */
static uint32_t meet_sentence(layout *l, const nd_template_sentence *sentence) {
    const size_t known = l->ids.count;
    const uint32_t id = nd_number_ids_of(&l->ids, sentence->hash);
    found *f = &l->sentences[id];
    if (id == known) {
        *f = (found){.tokens = 1};
    }
    f->tokens = sentence->tokens > f->tokens ? sentence->tokens : f->tokens;
    return id;
}

/* Tell the sentences of the pages apart. \return occurrences, without repeats within pages */
static size_t find_sentences(layout *l, const nd_template_page *pages, size_t count,
                             nd_template_items *items) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t begin = n;
        for (size_t j = 0; j < pages[i].count; j++) {
            const uint32_t id = meet_sentence(l, &pages[i].sentences[j]);
            found *f = &l->sentences[id];
            const bool repeated = f->latest == i + 1;
            f->latest = (uint32_t)(i + 1);
            f->pages += !repeated;
            l->occurrences[n] = id;
            n += !repeated;
        }
        items[i].count = n - begin;
    }
    return n;
}

/* Rank the sentences by the number of their pages: counted, for these are no more than all. */
static void rank_sentences(layout *l, size_t pages) {
    for (size_t id = 0; id < l->ids.count; id++) {
        l->of_count[l->sentences[id].pages + 1]++;
    }
    for (size_t n = 1; n <= pages; n++) {
        l->of_count[n + 1] += l->of_count[n];
    }
    for (size_t id = 0; id < l->ids.count; id++) {
        found *f = &l->sentences[id];
        f->rank = (uint32_t)l->of_count[f->pages]++;
    }
}

/* The ranked sentences, each with as many postings to come as it has pages. */
static void make_sentences(nd_template_site *site, layout *l) {
    uint32_t first_posting = 0;
    for (size_t id = 0; id < l->ids.count; id++) {
        const found *f = &l->sentences[id];
        site->sentences[f->rank] = (nd_template_ranked){
            .hash = l->ids.numbers[id], .tokens = f->tokens, .posting_end = f->pages};
    }
    for (size_t rank = 0; rank < site->sentence_count; rank++) {
        nd_template_ranked *s = &site->sentences[rank];
        s->first_posting = first_posting;
        first_posting += s->posting_end;
    }
    for (size_t id = 0; id < l->ids.count; id++) {
        l->sentences[id].latest = site->sentences[l->sentences[id].rank].first_posting;
    }
}

/* List the pages of each sentence, and give them their places for items. */
static void find_holders(nd_template_site *site, layout *l) {
    nd_template_item *items = site->items;
    size_t n = 0;
    for (size_t i = 0; i < site->page_count; i++) {
        nd_template_items *page = &site->pages[i];
        for (size_t j = 0; j < page->count; j++, n++) {
            l->holders[l->sentences[l->occurrences[n]].latest++] = (uint32_t)i;
        }
        page->items = items;
        items += page->count;
        page->count = 0;
    }
}

/* Give the pages their items, rank by rank. */
static void fill_pages(nd_template_site *site, const layout *l) {
    const uint32_t *holder = l->holders;
    for (size_t rank = 0; rank < site->sentence_count; rank++) {
        for (size_t i = 0; i < site->sentences[rank].posting_end; i++) {
            nd_template_items *page = &site->pages[*holder++];
            page->items[page->count++].rank = (uint32_t)rank;
        }
    }
}

nd_status nd_template_site_open(nd_template_site *site, const nd_template_page *pages,
                                size_t count) {
    nd_status st = ND_OK;
    layout l = {0};
    size_t n = 0;
    *site = (nd_template_site){.page_count = count};
    ND_TRY(nd_template_count(pages, count, &n));
    ND_TRY(layout_open(&l, count, n));
    ND_TRY(nd_new(&site->pages, count, sizeof *site->pages));
    n = find_sentences(&l, pages, count, site->pages);
    rank_sentences(&l, count);
    site->sentence_count = l.ids.count;
    ND_TRY(nd_new_room(&site->sentences, site->sentence_count, sizeof *site->sentences));
    ND_TRY(nd_new_room(&site->items, n, sizeof *site->items));
    ND_TRY(nd_new_room(&site->postings, n, sizeof *site->postings));
    ND_TRY(nd_new_room(&site->order, count, sizeof *site->order));
    ND_TRY(nd_new_room(&site->parents, count, sizeof *site->parents));
    make_sentences(site, &l);
    find_holders(site, &l);
    fill_pages(site, &l);
out:
    layout_close(&l);
    return st;
}

void nd_template_site_close(nd_template_site *site) {
    free(site->pages);
    free(site->sentences);
    free(site->items);
    free(site->postings);
    free(site->order);
    free(site->parents);
}
