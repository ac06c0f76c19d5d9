#include "mpi/stage/site_sample.h"

#include "mpi/comm/deal.h"
#include "mpi/comm/exchange.h"
#include "src/base/random.h"

#include <stdlib.h>

/* Sites are hashes, and by their own order they are sorted over all ranks when they come. */
static int site_owner(const void *record, int size, const void *context) {
    (void)context;
    return nd_comm_hash_owner(((const nd_site_page *)record)->site, size);
}

/* site, order, page */
static const nd_record_order by_site_then_order = {.word_count = 3, .words = {0, 1, 2}};

static bool same_site(const void *page, const void *next) {
    return ((const nd_site_page *)page)->site == ((const nd_site_page *)next)->site;
}

/* Sort, and keep of each site the `most` smallest, one page of each text. */
static nd_status keep_smallest(nd_site_page *pages, uint64_t *count, uint64_t most) {
    uint64_t kept = 0;
    uint64_t of_site = 0;
    const nd_status st = nd_record_sort(pages, *count, sizeof *pages, &by_site_then_order);
    for (uint64_t i = 0; st == ND_OK && i < *count; i++) {
        const bool goes_on = kept > 0 && same_site(&pages[kept - 1], &pages[i]);
        of_site = goes_on ? of_site : 0;
        if (of_site < most && !(goes_on && pages[kept - 1].order == pages[i].order)) {
            pages[kept++] = pages[i];
            of_site++;
        }
    }
    *count = kept;
    return st;
}

static nd_status own_pages(const nd_job *job, nd_site_page **pages, uint64_t *count) {
    nd_status st = nd_new(pages, job->pages.count, sizeof **pages);
    for (size_t i = 0; st == ND_OK && i < job->pages.count; i++) {
        const nd_stored_page *page = &job->pages.pages[i];
        if (page->text_tokens > 0) {
            (*pages)[(*count)++] =
                (nd_site_page){page->site, nd_mix64(page->text_hash.low), nd_job_own_first(job) + i,
                               (uint32_t)job->comm.rank, page->sentence_count};
        }
    }
    return st;
}

static nd_status list_ranks(const nd_site_page *pages, uint64_t count, nd_key_value **ranks,
                            uint64_t *rank_count) {
    nd_status st = nd_new(ranks, count, sizeof **ranks);
    uint64_t kept = 0;
    for (uint64_t i = 0; st == ND_OK && i < count; i++) {
        (*ranks)[i] = (nd_key_value){pages[i].site, pages[i].rank};
    }
    st = st != ND_OK ? st : nd_radix_sort(*ranks, count);
    for (uint64_t i = 0; st == ND_OK && i < count; i++) {
        if (kept == 0 || (*ranks)[kept - 1].key != (*ranks)[i].key ||
            (*ranks)[kept - 1].value != (*ranks)[i].value) {
            (*ranks)[kept++] = (*ranks)[i];
        }
    }
    *rank_count = kept;
    return st;
}

/* Keep the ranks of sites whose sample is full; both lists are sorted by site. */
static uint64_t keep_full(nd_key_value *ranks, uint64_t count, const nd_site_page *pages,
                          uint64_t page_count, uint64_t most) {
    uint64_t kept = 0;
    uint64_t begin = 0; /* the site's first page */
    for (uint64_t i = 0; i < count; i++) {
        while (begin < page_count && pages[begin].site < ranks[i].key) {
            begin++;
        }
        const uint64_t last = begin + most - 1;
        if (last < page_count && pages[last].site == ranks[i].key) {
            ranks[kept++] = ranks[i];
        }
    }
    return kept;
}

/* ---- from the rank of a site's hash to the one that has room for it */

uint64_t nd_site_page_cost(const void *page) {
    enum { OF_PAGE = 8 };
    return OF_PAGE + (uint64_t)((const nd_site_page *)page)->sentences;
}

/* The ranks of a site's pages go where the pages go; both lists are sorted by site. */
static void follow(const nd_site_page *pages, const int *page_owners, const nd_key_value *ranks,
                   uint64_t rank_count, int *owners) {
    uint64_t page = 0;
    for (uint64_t i = 0; i < rank_count; i++) {
        while (pages[page].site < ranks[i].key) {
            page++;
        }
        owners[i] = page_owners[page];
    }
}

static nd_status deal_sites(nd_comm *comm, nd_site_page **pages, uint64_t *count,
                            nd_key_value **ranks, uint64_t *rank_count) {
    nd_status st = ND_OK;
    int *owners = NULL;
    int *rank_owners = NULL;
    st = nd_new_room(&owners, *count, sizeof *owners);
    st = st != ND_OK ? st : nd_new_room(&rank_owners, *rank_count, sizeof *rank_owners);
    ND_TRY(nd_comm_agree(comm, st));
    nd_deal_owners(comm, *pages, *count, sizeof **pages, nd_site_page_cost, same_site, owners);
    follow(*pages, owners, *ranks, *rank_count, rank_owners);
    ND_TRY(nd_shuffle_to(comm, pages, count, sizeof **pages, owners));
    ND_TRY(nd_shuffle_to(comm, ranks, rank_count, sizeof **ranks, rank_owners));
out:
    free(owners);
    free(rank_owners);
    return st;
}

nd_status nd_site_sample(nd_job *job, uint64_t most, nd_site_page **pages, uint64_t *count,
                         nd_key_value **ranks, uint64_t *rank_count) {
    nd_status st = ND_OK;
    *pages = NULL;
    *ranks = NULL;
    *count = 0;
    st = own_pages(job, pages, count);
    st = st != ND_OK ? st : keep_smallest(*pages, count, most);
    ND_TRY(nd_comm_agree(&job->comm, st));
    ND_TRY(nd_shuffle(&job->comm, pages, count, sizeof **pages, site_owner, NULL));
    st = list_ranks(*pages, *count, ranks, rank_count);
    st = st != ND_OK ? st : keep_smallest(*pages, count, most);
    ND_TRY(nd_comm_agree(&job->comm, st));
    *rank_count = keep_full(*ranks, *rank_count, *pages, *count, most);
    ND_TRY(deal_sites(&job->comm, pages, count, ranks, rank_count));
out:
    if (st != ND_OK) {
        free(*pages);
        free(*ranks);
        *pages = NULL;
        *ranks = NULL;
    }
    return st;
}
