#include "mpi/stage/repeated_ids.h"

#include "mpi/comm/exchange.h"
#include "src/base/printable.h"

#include <string.h>
#include <xxhash.h>

/* A page with an id. */
typedef struct identified {
    uint64_t high, low; /* hash of the id */
    uint64_t place;     /* collection and page, so that they sort in this order */
} identified;

enum { PAGE_BITS = 48 };
static const uint64_t PAGE_MASK = (UINT64_C(1) << PAGE_BITS) - 1;

static const nd_record_order by_id = {.word_count = 3, .words = {0, 1, 2}};

/* ---- sending */

typedef struct own_pages {
    nd_job *job;
    size_t next;
} own_pages;

static nd_status next_identified(void *context, void *records, uint64_t room, uint64_t *count) {
    nd_status st = ND_OK;
    own_pages *own = context;
    nd_page_store *pages = &own->job->pages;
    identified *out = records;
    *count = 0;
    for (; *count < room && own->next < pages->count; own->next++) {
        const nd_stored_page *page = &pages->pages[own->next];
        nd_span id, url;
        if (page->id_size > 0) {
            ND_TRY(nd_page_store_names(pages, own->next, &id, &url));
            const XXH128_hash_t hash = XXH3_128bits(id.data, id.size);
            const uint64_t number = nd_job_own_first(own->job) + own->next;
            out[(*count)++] = (identified){hash.high64, hash.low64,
                                           (uint64_t)page->collection << PAGE_BITS | number};
        }
    }
out:
    return st;
}

/* ---- the example */

/* Collective. From the rank that has it. */
static nd_status describe(nd_job *job, uint64_t page, nd_repeated_page *out) {
    nd_status st = ND_OK;
    const int owner = nd_comm_range_owner(job->first, job->comm.size, page);
    if (job->comm.rank == owner) {
        const size_t index = (size_t)(page - nd_job_own_first(job));
        nd_span id = {0};
        nd_span url = {0};
        st = nd_page_store_names(&job->pages, index, &id, &url);
        if (st == ND_OK) {
            nd_printable_message((const char *)id.data, id.size, out->id, sizeof out->id);
        }
        out->source = job->pages.pages[index].source;
        out->offset = job->pages.pages[index].offset;
    }
    ND_TRY(nd_comm_agree(&job->comm, st));
    ND_MPI(MPI_Bcast(out, (int)sizeof *out, MPI_BYTE, owner, job->comm.handle));
out:
    return st;
}

nd_status nd_repeated_ids_find(nd_job *job, nd_repeated_ids *found) {
    nd_status st = ND_OK;
    nd_comm *comm = &job->comm;
    nd_external_sort sorted; /* all pages with ids on the ranks of their ids, in order */
    own_pages own = {.job = job};
    const nd_shuffle_stream stream = {.comm = comm,
                                      .record_size = sizeof(identified),
                                      .owner = nd_shuffle_owner_of_hash,
                                      .sink = nd_shuffle_into_sort,
                                      .sink_context = &sorted};
    identified before = {0};
    identified now = {0};
    uint64_t first = 0; /* of the pages with this id in this collection */
    bool any = false;
    bool follows = false;
    *found = (nd_repeated_ids){.page = UINT64_MAX};
    nd_external_sort_open(&sorted, &job->folder, sizeof(identified), &by_id,
                          job->options.memory.sort);
    ND_TRY(nd_shuffle_run(&stream, next_identified, &own));
    st = nd_external_sort_finish(&sorted);
    st = st != ND_OK ? st : nd_external_sort_take(&sorted, &now, &any);
    while (st == ND_OK && any) {
        const uint64_t here = now.place & PAGE_MASK;
        const bool shared = follows && now.high == before.high && now.low == before.low;
        const bool repeated = shared && now.place >> PAGE_BITS == before.place >> PAGE_BITS;
        first = repeated ? first : here;
        found->shared += shared;
        found->repeated += repeated;
        if (repeated && here < found->page) {
            found->page = here;
            found->first = first;
        }
        before = now;
        follows = true;
        st = nd_external_sort_take(&sorted, &now, &any);
    }
    ND_TRY(nd_comm_agree(comm, st));
    /* the sums, and the first example of all ranks */
    const uint64_t page = found->page;
    found->shared = nd_comm_sum(comm, found->shared);
    found->repeated = nd_comm_sum(comm, found->repeated);
    found->page = nd_comm_min(comm, page);
    if (found->repeated > 0) {
        found->first = nd_comm_sum(comm, page == found->page ? found->first : 0);
        ND_TRY(describe(job, found->page, &found->at[1]));
        ND_TRY(describe(job, found->first, &found->at[0]));
    }
out:
    nd_external_sort_close(&sorted);
    return st;
}
