#include "src/sets/template_site.h"

#include "src/base/buffer.h"
#include "src/base/numbers.h"
#include "src/base/order.h"

#include <stdlib.h>
#include <string.h>

/* A distinct sentence before it has a rank; by its id. */
typedef struct found {
    uint32_t tokens;
    uint32_t minima[ND_TEMPLATE_MINIMA];
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

/* Distinguish the sentences of the pages. \return occurrences, without repeats within pages */
static size_t find_sentences(layout *l, const nd_template_page *pages, size_t count,
                             nd_template_items *items) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t begin = n;
        for (size_t j = 0; j < pages[i].count; j++) {
            const nd_template_sentence *sentence = &pages[i].sentences[j];
            const size_t known = l->ids.count;
            const uint32_t id = nd_number_ids_of(&l->ids, sentence->hash);
            found *f = &l->sentences[id];
            if (id == known) {
                *f = (found){.tokens = 1};
                memset(f->minima, 0xff, sizeof f->minima);
            }
            for (size_t m = 0; m < ND_TEMPLATE_MINIMA; m++) {
                f->minima[m] = (uint32_t)nd_min(sentence->minima[m], f->minima[m]);
            }
            const bool repeated = f->latest == i + 1;
            f->tokens = (uint32_t)nd_max(sentence->tokens, f->tokens);
            f->latest = (uint32_t)(i + 1);
            f->pages += !repeated;
            l->occurrences[n] = id;
            n += !repeated;
        }
        items[i].count = n - begin;
    }
    return n;
}

/* Rank the sentences by the number of their pages, counted, for these are no more than all; each
 * gets room for as many postings as it has pages. Then the pages get their items, rank by rank, by
 * way of the pages of each sentence. */
static void rank_sentences(nd_template_site *site, layout *l) {
    uint32_t first_posting = 0;
    nd_template_item *items = site->items;
    const uint32_t *holder = l->holders;
    for (size_t id = 0; id < l->ids.count; id++) {
        l->of_count[l->sentences[id].pages + 1]++;
    }
    for (size_t n = 1; n <= site->page_count; n++) {
        l->of_count[n + 1] += l->of_count[n];
    }
    for (size_t id = 0; id < l->ids.count; id++) {
        found *f = &l->sentences[id];
        f->rank = (uint32_t)l->of_count[f->pages]++;
        site->sentences[f->rank] = (nd_template_ranked){
            .hash = l->ids.numbers[id], .tokens = f->tokens, .posting_end = f->pages};
        memcpy(site->sentences[f->rank].minima, f->minima, sizeof f->minima);
    }
    for (size_t rank = 0; rank < site->sentence_count; rank++) {
        nd_template_ranked *s = &site->sentences[rank];
        s->first_posting = first_posting;
        first_posting += s->posting_end;
    }

    for (size_t id = 0; id < l->ids.count; id++) {
        l->sentences[id].latest = site->sentences[l->sentences[id].rank].first_posting;
    }
    for (size_t i = 0, n = 0; i < site->page_count; i++) {
        nd_template_items *page = &site->pages[i];
        for (size_t j = 0; j < page->count; j++, n++) {
            l->holders[l->sentences[l->occurrences[n]].latest++] = (uint32_t)i;
        }
        page->items = items;
        items += page->count;
        page->count = 0;
    }
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
    ND_TRY(nd_number_ids_open(&l.ids, n));
    nd_new_room(&l.sentences, n, sizeof *l.sentences);
    nd_new_room(&l.occurrences, n, sizeof *l.occurrences);
    nd_new_room(&l.holders, n, sizeof *l.holders);
    nd_new(&l.of_count, count + 2, sizeof *l.of_count);
    nd_new(&site->pages, count, sizeof *site->pages);
    n = find_sentences(&l, pages, count, site->pages);
    site->sentence_count = l.ids.count;
    nd_new_room(&site->sentences, site->sentence_count, sizeof *site->sentences);
    nd_new_room(&site->items, n, sizeof *site->items);
    nd_new_room(&site->postings, n, sizeof *site->postings);
    nd_new_room(&site->order, count, sizeof *site->order);
    nd_new_room(&site->parents, count, sizeof *site->parents);
    rank_sentences(site, &l);
out:
    nd_number_ids_free(&l.ids);
    free(l.sentences);
    free(l.occurrences);
    free(l.holders);
    free(l.of_count);
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
