#include "mpi/stage/gather.h"

#include "mpi/comm/components.h"
#include "mpi/comm/exchange.h"
#include "mpi/comm/fetch.h"
#include "mpi/stage/state.h"
#include "src/base/sort.h"
#include "src/base/status.h"
#include "src/base/util.h"

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

typedef struct gatherer {
    nd_job *job;
    uint64_t *root;           /* of this rank's pages */
    uint64_t *lengths;        /* of this rank's pages, in tokens */
    nd_shuffle_stream stream; /* to the components' ranks */
} gatherer;

/* Every link of the trees with its component and its pages' lengths, to the component's rank. */
static nd_status send_links(gatherer *g, const nd_spool *spool) {
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
    nd_new_room(&links, room, sizeof *links);
    nd_new_room(&labelled, room, sizeof *labelled);
    nd_new_room(&numbers, 2 * room, sizeof *numbers);
    do {
        ND_TRY(nd_comm_agree(comm, nd_spool_reader_take(&reader, links, room, &read)));
        for (uint64_t i = 0; i < read; i++) {
            numbers[i] = links[i].a;
        }
        ND_TRY(nd_lookup(comm, first, g->root, numbers, read, numbers));
        for (uint64_t i = 0; i < read; i++) {
            labelled[i] = (nd_tree_link){.root = numbers[i], .link = links[i]};
        }
        for (uint64_t i = 0; i < read; i++) {
            numbers[2 * i] = links[i].a;
            numbers[2 * i + 1] = links[i].b;
        }
        ND_TRY(nd_lookup(comm, first, g->lengths, numbers, 2 * read, numbers));
        for (uint64_t i = 0; i < read; i++) {
            labelled[i].a_tokens = numbers[2 * i];
            labelled[i].b_tokens = numbers[2 * i + 1];
        }
        ND_TRY(nd_shuffle_send(&g->stream, labelled, read));
    } while (nd_comm_max(comm, read) > 0);
out:
    nd_spool_reader_close(&reader);
    free(links);
    free(labelled);
    free(numbers);
    return st;
}

nd_status nd_gather_components(nd_job *job, nd_components_reader *reader) {
    nd_status st = ND_OK;
    nd_spool tree;
    gatherer g = {.job = job};
    const size_t own = job->state->pages.count;
    *reader = (nd_components_reader){0};
    g.stream = nd_job_sort_at_owners(job, &reader->sorted, sizeof(nd_tree_link), &by_root_then_link,
                                     root_owner);
    nd_spool_open(&tree, &job->folder, job->options.memory.spool);
    nd_new(&g.root, own, sizeof *g.root);
    nd_new(&g.lengths, own, sizeof *g.lengths);
    ND_TRY(nd_components(&job->comm, job->first, &job->state->links, job->options.memory.spool,
                         g.root, &tree));
    for (size_t i = 0; i < own; i++) {
        g.lengths[i] = job->state->pages.pages[i].token_count;
    }
    ND_TRY(send_links(&g, &tree));
    if (!job->options.keep_pairs) {
        nd_spool_close(&job->state->links);
    }
    st = nd_external_sort_finish(&reader->sorted);
    st = st != ND_OK ? st : read_ahead(reader);
    ND_TRY(nd_comm_agree(&job->comm, st));
out:
    nd_spool_close(&tree);
    free(g.root);
    free(g.lengths);
    return st;
}

/* ---- reading */

nd_status nd_components_next(nd_components_reader *reader, uint64_t *length) {
    nd_status st = ND_OK;
    const uint64_t root = reader->ahead.root;
    *length = 0;
    while (reader->has_ahead && reader->ahead.root == root) {
        nd_grow(&reader->links, &reader->capacity, reader->count + 1, sizeof *reader->links);
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
