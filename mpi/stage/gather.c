#include "mpi/stage/gather.h"

#include "mpi/comm/components.h"
#include "mpi/comm/fetch.h"
#include "mpi/comm/shuffle_stream.h"
#include "mpi/stage/compare_batch.h"
#include "src/base/contract.h"
#include "src/base/order.h"
#include "src/base/random.h"
#include "src/base/sort.h"

#include <stdlib.h>
#include <string.h>

static int root_owner(const void *record, int size, const void *context) {
    (void)context;
    return nd_comm_hash_owner(nd_mix64(((const nd_tree_link *)record)->root), size);
}

static int compare_in_component(const void *a, const void *b) {
    const nd_tree_link *x = a;
    const nd_tree_link *y = b;
    if (x->root != y->root) {
        return x->root < y->root ? -1 : 1;
    }
    return nd_link_compare(&x->link, &y->link);
}

/* root, then the links' order */
static const nd_record_order by_root_then_link = {
    .word_count = 1, .words = {0}, .compare = compare_in_component};

static nd_status read_ahead(nd_components_reader *reader) {
    return nd_external_sort_take(&reader->sorted, &reader->ahead, &reader->has_ahead);
}

/* Links of a page in memory, on average at most: a page has few keys, and few partners by each. */
enum { LINK_BYTES_PER_PAGE = 8192 };

/* What of every component is known on its rank or on those of its pages. */
typedef struct gatherer {
    nd_job *job;
    nd_large_components *large;
    uint64_t *root;    /* of this rank's pages */
    uint64_t *bytes;   /* of the components whose roots are this rank's pages: what working on
                          them takes */
    uint64_t *lengths; /* of this rank's pages, in tokens */
    uint64_t shared;   /* pages whose part in their components was sent */
    nd_shuffle_stream stream; /* to the components' ranks */
} gatherer;

/* ---- how large the components are */

/* A page's part in its component, on its way to the root. No padding. */
typedef struct page_share {
    uint64_t root;
    uint64_t bytes;
} page_share;

static nd_status count_shares(void *context, const void *records, uint64_t count) {
    const gatherer *g = context;
    const page_share *shares = records;
    for (uint64_t i = 0; i < count; i++) {
        ND_ASSERT(shares[i].root - nd_job_own_first(g->job) < g->job->pages.count, shares[i].root,
                  nd_job_own_first(g->job), g->job->pages.count);
        g->bytes[shares[i].root - nd_job_own_first(g->job)] += shares[i].bytes;
    }
    return ND_OK;
}

/* The root itself counts nothing, so that a page alone is never large. */
static nd_status next_shares(void *context, void *records, uint64_t room, uint64_t *count) {
    gatherer *g = context;
    page_share *shares = records;
    *count = nd_min(room, g->job->pages.count - g->shared);
    for (uint64_t i = 0; i < *count; i++, g->shared++) {
        const uint64_t root = g->root[g->shared];
        const bool counts = root != nd_job_own_first(g->job) + g->shared;
        const uint64_t bytes = nd_compare_batch_bytes(&g->job->options, g->lengths[g->shared]);
        shares[i] = (page_share){root, counts ? bytes + LINK_BYTES_PER_PAGE : 0};
    }
    return ND_OK;
}

/* Which of this rank's pages are in components that stay where they are. */
static nd_status find_large(gatherer *g) {
    nd_status st = ND_OK;
    nd_large_components *large = g->large;
    const nd_comm *comm = &g->job->comm;
    const size_t own = g->job->pages.count;
    const uint64_t most = nd_job_compared_bytes(g->job);
    const nd_shuffle_stream to_roots = {.comm = &g->job->comm,
                                        .record_size = sizeof(page_share),
                                        .owner = nd_shuffle_owner_of_item,
                                        .owner_context = g->job->first,
                                        .sink = count_shares,
                                        .sink_context = g};
    ND_TRY(nd_comm_agree(comm, nd_new_room(&large->root, own, sizeof *large->root)));
    ND_TRY(nd_shuffle_run(&to_roots, next_shares, g));
    ND_TRY(nd_lookup(&g->job->comm, g->job->first, g->bytes, g->root, own, large->root));
    for (size_t i = 0; i < own; i++) {
        const bool stays = large->root[i] > most;
        large->root[i] = stays ? g->root[i] : UINT64_MAX;
        large->count += stays;
    }
    large->count = nd_comm_sum(comm, large->count);
out:
    return st;
}

/* ---- every link with its component and its pages' lengths, to the component's rank */

/* The links of a spool; those of large components go to `left`, if there are any. */
static nd_status send_links(gatherer *g, const nd_spool *spool, bool small, nd_spool *left) {
    nd_status st = ND_OK;
    nd_spool_reader reader;
    nd_link *links = NULL;
    nd_tree_link *labelled = NULL;
    uint64_t *numbers = NULL;
    nd_comm *comm = &g->job->comm;
    const uint64_t *first = g->job->first;
    const uint64_t room = comm->round_bytes / sizeof *labelled + 1;
    uint64_t read = 0;
    nd_spool_reader_open(&reader, spool, sizeof *links, 0, spool->size / sizeof *links, 0);
    st = nd_new_room(&links, room, sizeof *links);
    st = st != ND_OK ? st : nd_new_room(&labelled, room, sizeof *labelled);
    st = st != ND_OK ? st : nd_new_room(&numbers, 2 * room, sizeof *numbers);
    do {
        st = st != ND_OK ? st : nd_spool_reader_take(&reader, links, room, &read);
        ND_TRY(nd_comm_agree(comm, st));
        uint64_t wanted = read;
        if (left != NULL) {
            for (uint64_t i = 0; i < read; i++) {
                numbers[i] = links[i].a;
            }
            ND_TRY(nd_lookup(comm, first, g->large->root, numbers, read, numbers));
            wanted = 0;
            for (uint64_t i = 0; i < read && st == ND_OK; i++) {
                if (numbers[i] != UINT64_MAX) {
                    st = nd_spool_append(left, &links[i], sizeof *links);
                } else if (small) {
                    links[wanted++] = links[i];
                }
            }
            ND_TRY(nd_comm_agree(comm, st));
        }
        for (uint64_t i = 0; i < wanted; i++) {
            numbers[i] = links[i].a;
        }
        ND_TRY(nd_lookup(comm, first, g->root, numbers, wanted, numbers));
        for (uint64_t i = 0; i < wanted; i++) {
            labelled[i] = (nd_tree_link){.root = numbers[i], .link = links[i]};
        }
        for (uint64_t i = 0; i < wanted; i++) {
            numbers[2 * i] = links[i].a;
            numbers[2 * i + 1] = links[i].b;
        }
        ND_TRY(nd_lookup(comm, first, g->lengths, numbers, 2 * wanted, numbers));
        for (uint64_t i = 0; i < wanted; i++) {
            labelled[i].a_tokens = numbers[2 * i];
            labelled[i].b_tokens = numbers[2 * i + 1];
        }
        ND_TRY(nd_shuffle_send(&g->stream, labelled, wanted));
    } while (nd_comm_max(comm, read) > 0);
out:
    nd_spool_reader_close(&reader);
    free(links);
    free(labelled);
    free(numbers);
    return st;
}

nd_status nd_gather_components(nd_job *job, nd_components_reader *reader,
                               nd_large_components *large) {
    nd_status st = ND_OK;
    nd_spool tree;
    gatherer g = {.job = job, .large = large};
    const size_t own = job->pages.count;
    *reader = (nd_components_reader){0};
    g.stream = (nd_shuffle_stream){.comm = &job->comm,
                                   .record_size = sizeof(nd_tree_link),
                                   .owner = root_owner,
                                   .sink = nd_shuffle_into_sort,
                                   .sink_context = &reader->sorted};
    nd_external_sort_open(&reader->sorted, &job->folder, sizeof(nd_tree_link), &by_root_then_link,
                          job->options.memory.sort);
    nd_spool_open(&tree, &job->folder, job->options.memory.spool);
    if (large != NULL) {
        *large = (nd_large_components){0};
        nd_spool_open(&large->links, &job->folder, job->options.memory.spool);
        nd_spool_open(&large->tree, &job->folder, job->options.memory.spool);
    }
    st = nd_new(&g.root, own, sizeof *g.root);
    st = st != ND_OK ? st : nd_new(&g.bytes, own, sizeof *g.bytes);
    st = st != ND_OK ? st : nd_new(&g.lengths, own, sizeof *g.lengths);
    ND_TRY(nd_comm_agree(&job->comm, st));
    ND_TRY(nd_components(&job->comm, job->first, &job->links, job->options.memory.spool, g.root,
                         &tree));
    for (size_t i = 0; i < own; i++) {
        g.lengths[i] = job->pages.pages[i].token_count;
    }
    if (large == NULL) {
        ND_TRY(send_links(&g, &tree, true, NULL));
    } else {
        ND_TRY(find_large(&g));
        const bool any = large->count > 0;
        ND_TRY(send_links(&g, &job->links, true, any ? &large->links : NULL));
        if (any) {
            ND_TRY(send_links(&g, &tree, false, &large->tree));
        }
    }
    if (!job->options.keep_pairs) {
        nd_spool_close(&job->links);
    }
    st = nd_external_sort_finish(&reader->sorted);
    st = st != ND_OK ? st : read_ahead(reader);
    ND_TRY(nd_comm_agree(&job->comm, st));
out:
    nd_spool_close(&tree);
    free(g.root);
    free(g.bytes);
    free(g.lengths);
    return st;
}

void nd_large_components_close(nd_large_components *large) {
    nd_spool_close(&large->links);
    nd_spool_close(&large->tree);
    free(large->root);
    *large = (nd_large_components){0};
}

/* ---- reading */

nd_status nd_components_next(nd_components_reader *reader, uint64_t *length) {
    nd_status st = ND_OK;
    const uint64_t root = reader->ahead.root;
    *length = 0;
    while (reader->has_ahead && reader->ahead.root == root) {
        ND_TRY(
            nd_grow(&reader->links, &reader->capacity, reader->count + 1, sizeof *reader->links));
        reader->links[reader->count++] = reader->ahead;
        (*length)++;
        ND_TRY(read_ahead(reader));
    }
    ND_ASSERT(!reader->has_ahead || *length == 0 || reader->ahead.root > root, root,
              reader->ahead.root, *length); /* a component comes whole */
out:
    return st;
}

void nd_components_drop(nd_components_reader *reader, uint64_t begin, uint64_t end) {
    ND_ASSERT(begin <= end && end <= reader->count, begin, end, reader->count);
    if (end > begin) {
        memmove(reader->links + begin, reader->links + end,
                (reader->count - end) * sizeof *reader->links);
        reader->count -= end - begin;
    }
}

void nd_components_close(nd_components_reader *reader) {
    nd_external_sort_close(&reader->sorted);
    free(reader->links);
    *reader = (nd_components_reader){0};
}

static int by_page(const void *a, const void *b) {
    const nd_component_page *x = a;
    const nd_component_page *y = b;
    return (x->page > y->page) - (x->page < y->page);
}

uint64_t nd_component_pages(const nd_tree_link *links, uint64_t link_count,
                            nd_component_page *pages) {
    uint64_t kept = 0;
    for (uint64_t i = 0; i < link_count; i++) {
        pages[2 * i] = (nd_component_page){links[i].root, links[i].link.a, links[i].a_tokens};
        pages[2 * i + 1] = (nd_component_page){links[i].root, links[i].link.b, links[i].b_tokens};
    }
    nd_sort(pages, 2 * link_count, sizeof *pages, by_page);
    for (uint64_t i = 0; i < 2 * link_count; i++) {
        if (kept == 0 || pages[kept - 1].page != pages[i].page) {
            pages[kept++] = pages[i];
        }
        ND_ASSERT(pages[kept - 1].tokens == pages[i].tokens && pages[i].root == links[0].root,
                  pages[i].page, pages[i].tokens, pages[i].root);
    }
    return kept;
}

uint64_t nd_component_length(const nd_tree_link *links, uint64_t count) {
    uint64_t length = 0;
    while (length < count && links[length].root == links[0].root) {
        length++;
    }
    return length;
}
