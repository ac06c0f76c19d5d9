#include "mpi/stage/site_sample.h"

#include "mpi/comm/exchange.h"
#include "mpi/stage/old_sites.h"
#include "src/base/util.h"

#include <stdlib.h>

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

uint64_t nd_site_page_cost(const void *page) {
    enum { OF_PAGE = 8 };
    return OF_PAGE + (uint64_t)((const nd_site_page *)page)->sentences;
}

/* The sample of each of these sites out of what the ranks have of it, sorted by site, and the ranks
 * of those whose sample is full. Not collective. */
static nd_status join_samples(nd_site_page *pages, uint64_t *count, uint64_t most,
                              nd_key_value **ranks, uint64_t *rank_count) {
    nd_status st = ND_OK;
    nd_key_value *list = NULL;
    uint64_t kept = 0;
    uint64_t begin = 0; /* the site's first page */
    nd_key_value last = {0};
    const uint64_t listed = *count;
    ND_TRY(nd_new(&list, listed, sizeof *list));
    *ranks = list;
    for (uint64_t i = 0; i < listed; i++) {
        list[i] = (nd_key_value){pages[i].site, pages[i].rank};
    }
    ND_TRY(nd_radix_sort(list, listed));
    ND_TRY(keep_smallest(pages, count, most));
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
out:
    return st;
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
    st = nd_new(pages, job->pages.count, sizeof **pages);
    for (size_t i = 0; st == ND_OK && i < job->pages.count; i++) {
        const nd_stored_page *page = &job->pages.pages[i];
        if (page->text_tokens > 0 && page->site != 0 &&
            !nd_old_site_is(job, page->site, ND_SITE_PAGE)) {
            (*pages)[(*count)++] =
                (nd_site_page){page->site, nd_mix64(page->text_hash.low), nd_job_own_first(job) + i,
                               (uint32_t)comm->rank, page->sentence_count};
        }
    }
    st = st != ND_OK ? st : keep_smallest(*pages, count, most);
    ND_TRY(nd_comm_agree(comm, st));
    ND_TRY(nd_shuffle(comm, pages, count, sizeof **pages, nd_shuffle_owner_of_hash, NULL));
    ND_TRY(nd_comm_agree(comm, join_samples(*pages, count, most, ranks, rank_count)));

    /* from the rank of a site's hash to the one that has room for it; the ranks of a site's pages
     * go where the pages go, and both lists are sorted by site */
    st = nd_new_room(&owners, *count, sizeof *owners);
    st = st != ND_OK ? st : nd_new_room(&rank_owners, *rank_count, sizeof *rank_owners);
    ND_TRY(nd_comm_agree(comm, st));
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
